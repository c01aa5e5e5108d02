"""The records of Astralis: one state, one set of options and tables.

Cells have two numbers. Outside the kernels, and in actions and observations, a cell is its *index*, row by row
(AL-1.4). Inside, it is a *place* on a grid of 16 columns and 17 rows, ``(r + 8) * 16 + q + 7``, whatever the size:
there a step in direction d is the addition of ``DELTA[d]``, and a margin of blocked places stands for the edge::

    place    0 .. 15    margin                   directions        4   5
            16 .. 30    r = -7   (top)             3 (W)            NW  NE
            31          margin                                    3 W  *  E 0
            32 .. 46    r = -6                                      SW  SE
            ...                                                     2   1
           240 .. 254   r = +7   (bottom)
           255 .. 271   margin

``code[place]`` holds all that moving and placing must know about a place, in one byte::

    bit 0..5   the neighbour in direction 0..5 is unexplored: a stone may go there unless a ship stands on it (AL-4.1)
    bit 6, 7   a stone of player 0, of player 1; both on the margin, so that it stops either

``tile[place]`` is 0 unexplored, 1 controlled by player 0, 2 by player 1, 3 contested (and 3 on the margin, where
nothing can then change). ``planes`` keeps what observations copy: stones of player 0 and 1, control of player 0 and 1,
contested, each as ``cells`` bytes by index, one after the other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from starboard.dispatch import HEADER
from starboard.jit import source_hash

MIN_SIZE, MAX_SIZE = 3, 8
STRIDE = 16
PLACES = 17 * STRIDE
MAX_CELLS = 3 * MAX_SIZE * (MAX_SIZE - 1) + 1
NOWHERE = 0
"""Place of a ship that is not on the board yet (AL-2.1): a place of the margin."""

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""(q, r) of one step E, SE, SW, W, NW, NE (AL-1.4)."""
DELTA = tuple(r * STRIDE + q for q, r in DIRECTIONS)

SETUPS = ("choose", "fixed", "random")
PLANES = (
    "own stones",
    "opponent's stones",
    "own control",
    "opponent's control",
    "contested",
    "own ship",
    "opponent's ship",
    "counters",
)
COUNTERS = (
    "setup: ships are still being put (AL-2.1)",
    "the observer is to move",
    "the observer's seat",
    "own stones left",
    "opponent's stones left",
    "turns since a stone was placed (AL-5.3)",
    "option stall_limit",
    "twice the points that the observer adds (AL-5.2: the komi; a negative one is the other's)",
    "twice the points that the opponent adds",
    "option bonus_stones",
    "the game is over",
)
"""Meaning of the first entries of the plane "counters"; its other entries are 0."""

# The name carries a hash of the rules: see starboard.jit. File formats leave the field out.
_SOURCES = [str(Path(__file__).with_name(name)) for name in ("state.py", "kernels.py", "heuristics.py")]
TAG = "astralis_" + source_hash(*_SOURCES)

STATE = np.dtype(
    [
        (TAG, np.int8),
        *HEADER,
        ("ship", np.uint16, (2,)),  # place of each player's ship, NOWHERE before setup
        ("stones_left", np.int16, (2,)),
        ("stall", np.int16),  # turns in a row without a new stone (AL-5.3)
        ("unexplored", np.int16),  # cells without a tile (AL-5.1)
        ("control", np.int16, (2,)),  # cells with each player's control tile (AL-5.2)
        ("last", np.int16),  # the last action, -1 at the start
        ("code", np.uint8, (PLACES,)),
        ("tile", np.uint8, (PLACES,)),
        ("planes", np.int8, (5 * MAX_CELLS,)),
    ],
    align=True,
)

PARAMS = np.dtype(
    [
        (TAG, np.int8),
        ("size", np.int16),
        ("cells", np.int16),
        ("stones", np.int16),
        ("komi2", np.int16),  # twice the komi, so that it is whole
        ("stall_limit", np.int16),
        ("setup", np.int8),  # index into SETUPS
        ("bonus_stones", np.bool_),
        ("place", np.uint16, (MAX_CELLS,)),  # index -> place
        ("index", np.uint16, (PLACES,)),  # place -> index (0 on the margin)
        ("code", np.uint8, (PLACES,)),  # code and tile of an empty board
        ("tile", np.uint8, (PLACES,)),
    ],
    align=True,
)


def coordinates(size: int) -> list[tuple[int, int]]:
    """Axial (q, r) of each cell, in order of its index (AL-1.4)."""
    reach = range(-(size - 1), size)
    return [(q, r) for r in reach for q in reach if abs(q + r) < size]


def make_params(size: int, stones: int, komi: float, stall_limit: int, setup: str, bonus_stones: bool) -> np.ndarray:
    """The options, checked before, and the tables of a board of ``size``, as a read-only PARAMS array of shape (1,)."""
    params = np.zeros(1, PARAMS)
    p = params[0]
    cells = coordinates(size)
    places = [(r + 8) * STRIDE + q + 7 for q, r in cells]
    p["size"], p["cells"], p["stones"], p["komi2"] = size, len(cells), stones, round(2 * komi)
    p["stall_limit"], p["setup"], p["bonus_stones"] = stall_limit, SETUPS.index(setup), bonus_stones
    p["place"][: len(cells)] = places
    p["index"][places] = np.arange(len(cells))
    p["code"][:], p["tile"][:] = 0b11000000, 3
    p["tile"][places] = 0
    p["code"][places] = [sum(1 << d for d in range(6) if place + DELTA[d] in places) for place in places]
    params.flags.writeable = False
    return params


@cache
def neighbours(size: int) -> np.ndarray:
    """int32 (cells, 6), read-only: index of the cell in each direction, ``cells`` where the board ends."""
    cells = coordinates(size)
    index = {cell: i for i, cell in enumerate(cells)}
    table = np.array([[index.get((q + dq, r + dr), len(cells)) for dq, dr in DIRECTIONS] for q, r in cells], np.int32)
    table.flags.writeable = False
    return table
