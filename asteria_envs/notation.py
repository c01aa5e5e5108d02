"""Actions in words (AT-7.1): `play Miner 0 extract`, `spend Vesta first`, `end`, `rotate 1 explore`, ...

The blocks of the action space, in order, each with what numbers an action in it; capitals do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from asteria_envs.cards import MOST_EFFECTS, SIDES, Deck
from asteria_envs.state import SLOTS

HALVES = ("first", "second")
RESOURCES = ("ore", "energy")
NO_CARD = "none"

BLOCKS: tuple[tuple[str, str, Callable[[Deck], tuple[tuple[object, ...], ...]]], ...] = (
    (
        "play",
        "an action card from hand on an open planet (AT-4.1): card, slot, side",
        lambda deck: (_actions(deck), tuple(range(SLOTS)), SIDES),
    ),
    ("spend", "a planet card from hand for the resources of a half (AT-4.8)", lambda deck: (_planets(deck), HALVES)),
    ("claim", "pay for Economic (AT-6.3)", lambda deck: ()),
    ("end", "end stage 2 (AT-4.1)", lambda deck: ()),
    (
        "effect",
        "which effect comes next (AT-4.7): card, side, place on the side from 0",
        lambda deck: (_actions(deck), SIDES, tuple(range(MOST_EFFECTS))),
    ),
    ("rotate", "the free card at a slot to a side (AT-4.12)", lambda deck: (tuple(range(SLOTS)), SIDES)),
    ("turn", "the half of a revealed planet that comes to the own side (AT-4.11)", lambda deck: (HALVES,)),
    ("discard", "an action or a planet card from hand (AT-4.9)", lambda deck: (_actions(deck) + _planets(deck),)),
    ("destroy", "the free card at a slot (AT-4.10)", lambda deck: (tuple(range(SLOTS)),)),
    ("swap", "what is given for the other resource (AT-4.13)", lambda deck: (RESOURCES,)),
    ("order", "the slot whose conflict comes next (AT-5.1)", lambda deck: (tuple(range(SLOTS)),)),
    ("commit", "a planet card to the conflict, or none (AT-5.2)", lambda deck: ((*_planets(deck), NO_CARD),)),
    ("give_up", "an Expand card of the play area (AT-5.4)", lambda deck: (_actions(deck),)),
    ("decline", "do not claim Economic after the refill (AT-6.3)", lambda deck: ()),
)
"""Word, meaning, and its choices with a given deck: a block has all combinations, the last choice varying fastest."""


def _actions(deck: Deck) -> tuple[str, ...]:
    return tuple(card.name for card in deck.actions)


def _planets(deck: Deck) -> tuple[str, ...]:
    return tuple(planet.name for planet in deck.planets)


class Notation:
    """The words for all actions of a game with ``deck``."""

    def __init__(self, deck: Deck) -> None:
        self.blocks = {word: (meaning, choices(deck)) for word, meaning, choices in BLOCKS}
        self.names = [
            " ".join([word, *map(str, choice)])
            for word, (_, choices) in self.blocks.items()
            for choice in product(*choices)
        ]
        """The name of each action, in order of their numbers."""
        self._numbers = {name.lower(): number for number, name in enumerate(self.names)}

    def parse(self, text: str) -> int:
        """The action that ``text`` names; spaces and capitals do not matter.

        :raises ValueError: if ``text`` is no action; the message says what that word wants.
        """
        words = text.lower().split()
        found = self._numbers.get(" ".join(words))
        if found is not None:
            return found
        if not words or words[0] not in self.blocks:
            raise ValueError(f"{text!r}: a move begins with {', '.join(self.blocks)}")
        meaning, choices = self.blocks[words[0]]
        for given, allowed in zip(words[1:], choices, strict=False):
            if given not in [str(value).lower() for value in allowed]:
                some = ", ".join(map(str, allowed[:4])) + (", ..." if len(allowed) > 4 else "")
                raise ValueError(f"{text!r}: {given!r} is none of {some} ({words[0]}: {meaning})")
        raise ValueError(f"{text!r}: {words[0]} is followed by {len(choices) or 'no'} words ({meaning})")

    def is_secret(self, action: int) -> bool:
        """AT-5.2: which planet card is added to a conflict is not seen at once; that none is, is."""
        word, _, card = self.names[action].partition(" ")
        return word == "commit" and card != NO_CARD
