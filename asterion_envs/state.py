"""The records of Asterion: one state for each mode, one set of options and tables.

Spaces are numbered row by row from the top (AN-5.1), y from R down to -R, in a row by rising x; the number after the
last stands for all that lies beyond the edge. Directions are 0 north, 1 east, 2 south, 3 west; a turn moves an opening
from d to d + 1. The board of two players, R = 3::

                         0                          y =  3
                    1    2    3                          2              0 N
               4    5    6    7    8                     1
          9   10   11   12   13   14   15                0        3 W    *    1 E
              16   17   18   19   20                    -1
                   21   22   23                         -2              2 S
                        24                              -3

An *opening* is one number, ``space * 4 + direction``, and the opening across the edge is its neighbour's, in direction
``d ^ 2``. All openings that corridors join are a *part*; its *label* is one of them. ``part[opening]`` is the label
(NOTHING for a wall and where no card lies), ``next[opening]`` the next opening of the part, in a circle; ``exits``,
``wings`` and ``coins`` are sums over a part, at its label, 0 elsewhere. An opening that faces an empty space or the
edge is an exit (AN-3.3). Asterion's part is always labelled by the first opening of its card. Parts only grow, so a
prisoner is impaled if the corridor belongs to Asterion's part, and a part without exits stays as it is for ever.

``ways`` are two spaces that exits of Asterion's part face. While both are empty, no card can shut Asterion in; if there
is only one, only a card put there can. The edge, which no card is put on, counts as two.

``order`` lists the spaces with a card as they were laid, ``laid`` of them, Asterion's first, then the empty ones next
to one, up to ``known``; ``spot`` is where a space stands in it, NOTHING if it does not.

``planes`` keeps what observations copy: all of :data:`SHARED`, then the cards of each seat, each as one byte a space.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np

from asterion_envs.cards import CARDS, DIRECTIONS, load
from starboard.dispatch import HEADER
from starboard.jit import source_hash

MODES = ("crete", "basic")
DISCARDS = ("choose", "random")
REWARDS = ("result", "margin")
COLOURS = ("Blue", "Green", "Red", "Yellow")
"""Of the seats, in order of play (AN-2.5)."""
MAX_PLAYERS = len(COLOURS)
CRETE = {2: (3, 5), 3: (4, 4), 4: (5, 2)}
"""Players -> radius of the board, cards that each removes (AN-2.1)."""
MAX_RADIUS = 12
ASTERION = CARDS
"""Number of Asterion's own card."""
KINDS = 4 * (CARDS + 1)
"""A card and how it is turned: ``card * 4 + turns``."""
NOTHING = -1
MARGIN = 20
"""With the option ``reward="margin"``, the lead in points that counts as 1."""

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""(x, y) of one step N, E, S, W."""
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))

LOOK = (
    *(f"opening {letter}" for letter in DIRECTIONS),
    *(f"openings {DIRECTIONS[a]} and {DIRECTIONS[b]} joined within the card" for a, b in PAIRS),
    *(f"opening {letter} is of the prisoner's corridor" for letter in DIRECTIONS),
    *(f"wings in the corridor of opening {letter}" for letter in DIRECTIONS),
    *(f"coins in the corridor of opening {letter}" for letter in DIRECTIONS),
)
"""Planes that follow from the card and how it is turned."""
REACHED = len(LOOK)
OUTSIDE = REACHED + 4
TOMB = OUTSIDE + 4
SHARED = (
    *LOOK,
    *(f"opening {letter} joined to Asterion" for letter in DIRECTIONS),
    *(f"opening {letter} joined to the outside" for letter in DIRECTIONS),
    "prisoner impaled",
)
"""The planes that are the same for all observers; the prisoners' owners follow, the observer first."""
OWNERS = len(SHARED)

# The names carry a hash of the rules: see starboard.jit. File formats leave the field out.
_FILES = ("state.py", "kernels.py", "flood.py", "heuristics.py")
_HASH = source_hash(*(str(Path(__file__).with_name(name)) for name in _FILES))


def spaces_within(radius: int) -> int:
    """How many spaces a board of ``radius`` has."""
    return 2 * radius * (radius + 1) + 1


MAX_SPACES = spaces_within(MAX_RADIUS)


def _state_dtype(mode: str, spaces: int) -> np.dtype:
    """The record of a game with room for so many ``spaces``."""
    openings = 4 * spaces
    return np.dtype(
        [
            (f"asterion_{mode}_{_HASH}", np.int8),
            *HEADER,
            ("hand", np.int8, (MAX_PLAYERS,)),  # card, or NOTHING
            ("deck", np.int32, (MAX_PLAYERS,)),  # cards still to draw, bit i for card i; drawn at random from it
            ("removed", np.int32, (MAX_PLAYERS,)),  # cards removed before play (AN-2.1)
            ("aside", np.int32, (MAX_PLAYERS,)),  # cards set aside (AN-3.5)
            ("to_remove", np.int8, (MAX_PLAYERS,)),  # removals still to choose
            ("left", np.int8, (MAX_PLAYERS,)),  # cards still to play: hand and deck
            ("points", np.int16, (MAX_PLAYERS,)),  # AN-3.4
            ("laid", np.int16),
            ("known", np.int16),
            ("ways", np.int16, (2,)),  # spaces that two of Asterion's exits face, or one and NOTHING (AN-3.2)
            ("order", np.int16, (spaces + 1,)),
            ("spot", np.int16, (spaces + 1,)),  # 0 beyond the edge
            ("card", np.int8, (spaces + 1,)),  # NOTHING where none lies, and beyond the edge
            ("turn", np.int8, (spaces,)),
            ("owner", np.int8, (spaces,)),  # NOTHING for Asterion's card and where none lies
            ("part", np.int16, (openings + 4,)),
            ("next", np.int16, (openings,)),
            ("exits", np.int16, (openings + 1,)),  # the last, that of NOTHING, is 1
            ("wings", np.int16, (openings,)),
            ("coins", np.int16, (openings,)),
            ("planes", np.int8, ((OWNERS + MAX_PLAYERS) * spaces,)),
        ],
        align=True,
    )


STATES = {
    "crete": _state_dtype("crete", spaces_within(max(radius for radius, _ in CRETE.values()))),
    "basic": _state_dtype("basic", MAX_SPACES),
}
"""Mode -> dtype of the state."""

PARAMS = np.dtype(
    [
        (f"asterion_{_HASH}", np.int8),
        ("players", np.int8),
        ("radius", np.int8),
        ("spaces", np.int16),
        ("removals", np.int8),  # of each player (AN-2.1)
        ("random_discard", np.bool_),
        ("standard_scoring", np.bool_),
        ("margin", np.bool_),  # reward
        ("debug", np.bool_),  # compare the parts with a flood fill after every action
        ("across", np.int16, (4 * MAX_SPACES,)),  # opening -> the opening, or wall, that it faces
        # The rest by kind * 4 + direction: the card's openings as they are once it is turned.
        ("first", np.int8, (4 * KINDS,)),  # first direction of the opening's corridor, NOTHING for a wall
        ("mate", np.int8, (4 * KINDS,)),  # the next direction of the corridor, in a circle
        # These at the corridor's first opening, 0 elsewhere.
        ("wings", np.int8, (4 * KINDS,)),
        ("coins", np.int8, (4 * KINDS,)),
        ("prisoner", np.int8, (4 * KINDS,)),
        ("cell", np.int8, (KINDS,)),  # first direction of the prisoner's corridor, 0 for Asterion's card
        ("look", np.int8, (KINDS * len(LOOK),)),  # what the planes of LOOK show of it
    ],
    align=True,
)


@cache
def coordinates(radius: int) -> tuple[tuple[int, int], ...]:
    """(x, y) of each space, in order of its number (AN-5.1)."""
    span = range(-radius, radius + 1)
    return tuple((x, y) for y in reversed(span) for x in span if abs(x) + abs(y) <= radius)


def make_params(
    players: int,
    mode: str,
    discard: str,
    standard_scoring: bool,
    reward: str,
    table_radius: int,
    tiles: str,
) -> np.ndarray:
    """The options, checked before, and the tables of cards and board, as a read-only PARAMS array of shape (1,)."""
    params = np.zeros(1, PARAMS)
    p = params[0]
    radius = CRETE[players][0] if mode == "crete" else table_radius
    spaces = coordinates(radius)
    p["players"], p["radius"], p["spaces"] = players, radius, len(spaces)
    p["removals"] = CRETE[players][1] if mode == "crete" else 0  # AN-2.3
    p["random_discard"], p["standard_scoring"] = discard == "random", standard_scoring
    p["margin"] = reward == "margin"
    p["debug"] = os.environ.get("STARBOARD_DEBUG", "") not in ("", "0")
    number = {space: i for i, space in enumerate(spaces)}
    p["across"][: 4 * len(spaces)] = [
        4 * number.get((x + dx, y + dy), len(spaces)) + (d ^ 2) for x, y in spaces for d, (dx, dy) in enumerate(STEPS)
    ]
    corridors = [
        [(corridor, *facts) for corridor, *facts in zip(card.corridors, card.wings, card.coins, strict=True)]
        for card in load(tiles)
    ]
    prisoners = [card.prisoner for card in load(tiles)]
    for kind in range(KINDS):
        card, turns = divmod(kind, 4)
        if card == ASTERION:  # AN-1.4
            _fill(p, kind, [(DIRECTIONS, 0, 0)], None, turns)
        else:
            _fill(p, kind, corridors[card], prisoners[card], turns)
    params.flags.writeable = False
    return params


def _fill(p: np.void, kind: int, corridors: list[tuple], prisoner: int | None, turns: int) -> None:
    """Write a card's tables, turned clockwise (AN-5.1)."""
    rows = {name: p[name][4 * kind : 4 * kind + 4] for name in ("first", "mate", "wings", "coins", "prisoner")}
    look = p["look"][kind * len(LOOK) : (kind + 1) * len(LOOK)]
    rows["first"][:], rows["mate"][:] = NOTHING, range(4)
    for number, (letters, wings, coins) in enumerate(corridors):
        openings = sorted((DIRECTIONS.index(letter) + turns) % 4 for letter in letters)
        first = openings[0]
        rows["first"][openings] = first
        rows["mate"][openings] = openings[1:] + openings[:1]
        rows["wings"][first], rows["coins"][first] = wings, coins
        look[openings] = 1
        for plane, (a, b) in enumerate(PAIRS, start=4):
            look[plane] |= a in openings and b in openings
        for d in openings:
            look[10 + d], look[14 + d], look[18 + d] = number == prisoner, wings, coins
        if number == prisoner:
            rows["prisoner"][first], p["cell"][kind] = 1, first
