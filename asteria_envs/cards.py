"""A deck: action and planet cards, read from a TOML file, checked, and written in one form (AT-1)."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from starboard import cardfile

ACTIONS = (8, 64)
"""The fewest and the most action cards of a deck."""
PLANETS = (6, 24)
"""The fewest and the most planet cards."""
HALF = (1, 4)
"""The fewest and the most spaces in a half of a planet."""
MOST_EFFECTS = 3
"""Effects that a side has at most."""
SIDES = ("extract", "expand", "explore", "exterminate")
WHENS = (
    "play",
    "income",
    "conflict",
    "win",
    "lose",
    "discarded",
    "on_extract",
    "on_expand",
    "on_explore",
    "on_exterminate",
    "on_take",
    "on_reveal",
    "on_spend",
    "on_win",
)
AMOUNTS = {
    "gain_ore": (1, 12),
    "gain_energy": (1, 12),
    "lose_ore": (1, 12),
    "lose_energy": (1, 12),
    "swap": (1, 12),
    "draw": (1, 9),
    "take": (1, 9),
    "reveal": (1, 3),
    "rotate": (1, 1),
    "discard_action": (1, 9),
    "discard_planet": (1, 9),
    "destroy": (1, 3),
    "strength": (-9, 9),
}
"""The least and the greatest amount of each *what*; 0 is none."""
WHATS = tuple(AMOUNTS)
WHO = ("self", "opposing")
WHENS_OF_SIDE = {
    "extract": ("play",),
    "expand": ("income", "conflict", *WHENS[WHENS.index("discarded") :]),
    "explore": ("play",),
    "exterminate": ("play", "conflict", "win", "lose"),
}
"""Each *when* that a side can have."""
OWN = ("swap", "reveal", "rotate")
"""Each *what* that never touches the opposing player."""
_VERBS = "play spend claim end effect rotate turn discard destroy swap order commit give_up decline"
RESERVED = frozenset([*_VERBS.split(), *SIDES, "first", "second", "ore", "energy", "none"])
"""Words of the notation, which are no names."""
_GAINS = ("gain_ore", "gain_energy")
_FILE = files(__package__) / "data" / "reference.toml"
_NAME = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9_]{1,24}")

Pair = tuple[int, int]
"""Ore and energy."""


@dataclass(frozen=True)
class Effect:
    """What a side does (AT-1.5)."""

    when: str
    """One of ``WHENS_OF_SIDE`` of its side."""
    what: str
    """One of ``WHATS``."""
    amount: int = 1
    """Within ``AMOUNTS``, and not 0."""
    who: str = "self"
    """One of ``WHO``."""
    side: str | None = None
    """For a rotate to one side only: which of ``SIDES``."""


@dataclass(frozen=True)
class Side:
    """A side of an action card."""

    strength: int
    """-9 to 9."""
    effects: tuple[Effect, ...] = ()
    """At most ``MOST_EFFECTS``."""


@dataclass(frozen=True)
class Action:
    """An action card (AT-1.2)."""

    name: str
    cost: Pair
    """Of each side but Extract; 0 to 12 each."""
    sides: tuple[Side, Side, Side, Side]
    """In the order of ``SIDES``."""


@dataclass(frozen=True)
class Planet:
    """A planet card (AT-1.3)."""

    name: str
    strength: int
    """0 to 9."""
    halves: tuple[tuple[Pair, ...], tuple[Pair, ...]]
    """The spaces of each half, from the edge to the middle; 0 to 9 each."""


@dataclass(frozen=True)
class Deck:
    """All cards of a game; each card's index is its number."""

    half: int
    """Spaces in each half of every planet."""
    planets: tuple[Planet, ...]
    actions: tuple[Action, ...]


def load(deck: Any) -> Deck:
    """The cards of ``deck``: ``"reference"``, the path of a deck file, or the text of one.

    >>> load("reference").half
    3

    :raises ValueError: naming file, card, field, reason and fix, if it is malformed (AT-1.4).
    """
    return _parse(*cardfile.find(deck, _FILE))


def read(deck: Any) -> str:
    """``deck`` in one form: ``"reference"``, if that has the same cards, else the text of a deck file.

    Notes, spacing, fields that may be left out and the like make no difference to it.

    :raises ValueError: as :func:`load` does.
    """
    cards = load(deck)
    return cardfile.REFERENCE if cards == load(cardfile.REFERENCE) else text(cards)


def text(deck: Deck) -> str:
    """The text of a file with the cards of ``deck``."""
    planets = (
        f'name = "{planet.name}", strength = {planet.strength}, '
        f"first = {_pairs(planet.halves[0])}, second = {_pairs(planet.halves[1])}"
        for planet in deck.planets
    )
    actions = (
        f'name = "{action.name}", cost = {list(action.cost)}, '
        + ", ".join(f"{name} = {_side_text(side)}" for name, side in zip(SIDES, action.sides, strict=True))
        for action in deck.actions
    )
    return f"half = {deck.half}\n" + _table("planet", planets) + _table("action", actions)


def _table(name: str, rows: Iterable[str]) -> str:
    return f"{name} = [\n" + "".join(f"    {{ {row} }},\n" for row in rows) + "]\n"


def _pairs(half: tuple[Pair, ...]) -> str:
    return str([list(space) for space in half])


def _side_text(side: Side) -> str:
    effects = ", ".join(map(_effect_text, side.effects))
    return f"{{ strength = {side.strength}, effects = [{effects}] }}"


def _effect_text(effect: Effect) -> str:
    fields = [f'when = "{effect.when}"', f'what = "{effect.what}"', f"amount = {effect.amount}"]
    if effect.who != WHO[0]:
        fields.append(f'who = "{effect.who}"')
    if effect.side is not None:
        fields.append(f'side = "{effect.side}"')
    return f"{{ {', '.join(fields)} }}"


@cache
def _parse(source: str, text: str) -> Deck:
    content = cardfile.Section(source, cardfile.parse(source, text), ["half", "planet", "action"])
    half = content.whole("half", *HALF)
    planets = content.sections("planet", "planet", PLANETS, ["name", "strength", "first", "second"])
    actions = content.sections("action", "action", ACTIONS, ["name", "cost", *SIDES])
    deck = Deck(half, tuple(_planet(section, half) for section in planets), tuple(map(_action, actions)))
    cardfile.check_unique([*planets, *actions], "name")
    alike: dict[Any, cardfile.Section] = {}
    for section, action in zip(actions, deck.actions, strict=True):
        first = alike.setdefault((action.cost, action.sides), section)
        if first is not section:
            raise section.error("name", f"all else is as on {first.called}; no two cards may be alike")
    return deck


def _name(section: cardfile.Section) -> str:
    name = section.word("name")
    if not _NAME.fullmatch(name):
        raise section.error("name", "must be 1 to 24 letters A-Z, a-z, digits or _, with at least one letter")
    if name.lower() in RESERVED:
        raise section.error("name", "is a word of the notation; take another")
    return name


def _pair(section: cardfile.Section, field: str, value: Any, most: int) -> Pair:
    """Ore and energy, 0 to ``most`` each."""
    if isinstance(value, list) and len(value) == 2:
        ore, energy = value
        if type(ore) is type(energy) is int and 0 <= ore <= most and 0 <= energy <= most:
            return ore, energy
    raise section.error(field, f"has {reprlib.repr(value)}; must be [ore, energy], whole numbers from 0 to {most}")


def _planet(section: cardfile.Section, half: int) -> Planet:
    halves = []
    for field in ("first", "second"):
        spaces = section.content[field]
        if not isinstance(spaces, list) or len(spaces) != half:
            raise section.error(field, f"must be a list of half = {half} spaces [ore, energy]")
        halves.append(tuple(_pair(section, field, space, 9) for space in spaces))
    return Planet(_name(section), section.whole("strength", 0, 9), (halves[0], halves[1]))


def _action(section: cardfile.Section) -> Action:
    name = _name(section)
    cost = _pair(section, "cost", section.content["cost"], 12)
    extract, expand, explore, exterminate = (_side(section, side) for side in SIDES)
    return Action(name, cost, (extract, expand, explore, exterminate))


def _side(card: cardfile.Section, name: str) -> Side:
    section = cardfile.Section(f"{card.where}: {name}", card.content[name], ["strength"], ["effects"])
    effects = section.sections("effects", "effect", (0, MOST_EFFECTS), ["when", "what"], ["amount", "who", "side"])
    return Side(section.whole("strength", -9, 9), tuple(_effect(effect, name) for effect in effects))


def _effect(section: cardfile.Section, side: str) -> Effect:
    """The effect in ``section``, on the side called ``side``, if AT-1.5 lets it stand there."""
    given = section.content
    when = section.word("when", WHENS_OF_SIDE[side])
    what = section.word("what", WHATS)
    if side == "extract" and what not in _GAINS:
        raise section.error("what", f"an Extract side has only {' and '.join(_GAINS)}")
    if (when == "conflict") != (what == "strength"):
        raise section.error("what", f"{what!r} with when = {when!r}: 'conflict' goes with 'strength', and only with it")
    low, high = AMOUNTS[what]
    amount = section.whole("amount", low, high) if "amount" in given else 1
    if amount == 0:
        raise section.error("amount", "is 0, which does nothing; leave the effect out")
    who = section.word("who", WHO) if "who" in given else WHO[0]
    if who == "opposing" and (what in OWN or side == "extract"):
        raise section.error("who", f"must be 'self': {what!r} on an {side} side does not touch the opposing player")
    if "side" not in given:
        return Effect(when, what, amount, who)
    if what != "rotate":
        raise section.error("side", f"goes with what = 'rotate', not with {what!r}; leave it out")
    return Effect(when, what, amount, who, section.word("side", SIDES))
