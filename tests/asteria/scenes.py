"""Small decks and positions for tests, written in short.

A card is a line for each side that matters: ``card("Mine", "1 0", extract="1 | play gain_ore 2")`` costs 1 ore and has
an Extract side of strength 1 that gains 2 ore. Effects stand after bars, each as *when*, *what*, and as needed the
amount, ``opposing``, or the side to rotate to. A planet is ``planet("Vesta", 3, "10 02", "00 11")``: its strength and
the spaces of both halves, ore and energy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from asteria_envs.cards import SIDES, Action, Deck, Effect, Planet, Side, load, text

EMPTY = "00 00"
PLANETS = ("P1", "P2", "P3", "P4", "P5", "P6")
"""The planets of a deck that names none: of strength 1 to 6, with two empty spaces to a half."""


def effect(words: str) -> Effect:
    when, what, *more = words.split()
    amount = next((int(word) for word in more if word.lstrip("-").isdigit()), 1)
    who = "opposing" if "opposing" in more else "self"
    return Effect(when, what, amount, who, next((word for word in more if word in SIDES), None))


def side(words: str) -> Side:
    strength, *effects = words.split("|")
    return Side(int(strength), tuple(map(effect, effects)))


def card(name: str, cost: str = "0 0", **sides: str) -> Action:
    assert set(sides) <= set(SIDES)
    ore, energy = map(int, cost.split())
    extract, expand, explore, exterminate = (side(sides.get(name, "0")) for name in SIDES)
    return Action(name, (ore, energy), (extract, expand, explore, exterminate))


def planet(name: str, strength: int = 0, first: str = EMPTY, second: str = EMPTY) -> Planet:
    def half(spaces: str) -> tuple[tuple[int, int], ...]:
        return tuple((int(space[0]), int(space[1])) for space in spaces.split())

    return Planet(name, strength, (half(first), half(second)))


def deck(*cards: Action, planets: Iterable[Planet] = (), size: int = 16) -> Deck:
    """These cards, and blank and costly ones called ``F1``, ``F2``, ... and ``Spare0``, ``Spare1``; these planets."""
    names = [*(f"F{i}" for i in range(1, size - len(cards) - 1)), "Spare0", "Spare1"]
    fillers = [card(name, f"{12 - i // 13} {i % 13}") for i, name in enumerate(names, 1)]
    opened = tuple(planets) or tuple(planet(name, strength) for strength, name in enumerate(PLANETS, 1))
    made = Deck(len(opened[0].halves[0]), opened, (*cards, *fillers))
    assert load(text(made)) == made
    return made


def scene(
    game_factory: Any,
    cards: Deck,
    *,
    player: int = 0,
    turn: int = 2,
    idle: int = 0,
    resources: Any = ((5, 5), (5, 5)),
    hands: Any = ("", ""),
    planet_hands: Any = ("", ""),
    areas: Any = ("", ""),
    dominated: Any = ("", ""),
    conquests: Any = ("", ""),
    planets: str = "P1 P2 -",
    flips: Any = (0, 0, 0),
    rows: Any = None,
    markers: Any = None,
    action_deck: str | None = None,
    planet_deck: str | None = None,
    spare: bool = True,
    **options: Any,
) -> Any:
    """A game in a position of stage 2 of ``player``, to be played on.

    Cards are named, with spaces between them, those in ``rows[slot, seat]`` as ``"Mine/extract Dock/expand"``, the free
    card last. Rows that are not empty have the marker that their cards have brought them, if ``markers[slot, seat]``
    does not say where. Decks that are not given hold all other cards; else the discard piles do. Each player has a
    ``spare`` card in hand beside those named: where nothing can be done but to end, stage 2 ends unasked.
    """
    game = game_factory(cards, **options)
    lies = {key: [tuple(one.split("/")) for one in row.split()] for key, row in (rows or {}).items()}
    opened = [None if name == "-" else name for name in planets.split()]
    named = {
        "hands": [names.split() + [f"Spare{seat}"] * spare for seat, names in enumerate(hands)],
        "planet_hands": [names.split() for names in planet_hands],
        "areas": [names.split() for names in areas],
        "dominated": [names.split() for names in dominated],
    }
    placed = {name for both in named.values() for names in both for name in names}
    placed |= {name for row in lies.values() for name, _ in row} | set(opened)

    def deck_of(given: str | None, all_cards: Iterable[Any]) -> list[str]:
        return [one.name for one in all_cards if one.name not in placed] if given is None else given.split()

    game.set_up(
        player=player,
        turn=turn,
        idle=idle,
        resources=resources,
        conquests=[set(scored.split()) for scored in conquests],
        planets=opened,
        flips=flips,
        rows=lies,
        markers={key: len(row) - 1 for key, row in lies.items()} | (markers or {}),
        action_deck=deck_of(action_deck, cards.actions),
        planet_deck=deck_of(planet_deck, cards.planets),
        **named,
    )
    return game


def held(game: Any, seat: int) -> list[str]:
    """The action cards in that player's hand, without the spare one."""
    return [name for name in game.hands[seat] if not name.startswith("Spare")]


def play(game: Any, *moves: str) -> Any:
    """Play ``moves``, in notation, each of which must be legal."""
    for move in moves:
        action = game.parse(move)
        assert action in game.legal_actions(), f"{move} is not legal; legal are {legal(game)}"
        game.play(action)
    return game


def legal(game: Any, word: str = "") -> list[str]:
    """The legal actions in notation, those that begin with ``word``, by their numbers."""
    moves = [game.notation(action) for action in game.legal_actions()]
    return [move for move in moves if move.split()[: len(word.split())] == word.split()]
