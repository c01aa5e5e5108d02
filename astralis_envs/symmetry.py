"""The twelve symmetries of the hexagon (AL-6.2), for data augmentation.

They map any position after setup to a position that plays the same; before, ships are put on fixed edges.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from astralis_envs.state import DIRECTIONS, coordinates


@cache
def cell_symmetries(size: int) -> np.ndarray:
    """int32 (12, cells), read-only: ``table[g, cell]`` is where symmetry g takes the cell.

    g = 0 is the identity, 0..5 turn by 60 degrees clockwise g times, 6..11 first mirror about the axis E-W.
    """
    cells = coordinates(size)
    index = {cell: i for i, cell in enumerate(cells)}
    table = []
    for mirrored in (False, True):
        images = [(q + r, -r) if mirrored else (q, r) for q, r in cells]
        for _ in range(6):
            table.append([index[image] for image in images])
            images = [(-r, q + r) for q, r in images]
    return _frozen(table)


@cache
def action_symmetries(size: int) -> np.ndarray:
    """int32 (12, actions), read-only: ``table[g, action]`` is the action that symmetry g turns it into.

    Actions whose stone would fall off the board stay such; the pass stays the pass.
    """
    cells = cell_symmetries(size)
    turn = [(d + 1) % 6 for d in range(6)]
    mirror = [DIRECTIONS.index((q + r, -r)) for q, r in DIRECTIONS]
    table = []
    for g in range(12):
        directions = mirror if g >= 6 else list(range(6))
        for _ in range(g % 6):
            directions = [turn[d] for d in directions]
        ks = np.array([0] + [d + 1 for d in directions])
        moves = cells[g][:, None] * 7 + ks[None, :]
        table.append([*moves.reshape(-1), cells.shape[1] * 7])
    return _frozen(table)


def _frozen(table: list[list[int]]) -> np.ndarray:
    array = np.array(table, np.int32)
    array.flags.writeable = False
    return array
