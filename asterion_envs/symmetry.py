"""The four rotations of the board (AN-5.2), for data augmentation.

They map any position, hands and all, to a position that plays the same. The board has four reflections too, but a
reflection also turns cards over, and some have a mirror image that is not in the set (of the reference set T03, T07,
T08, T10 and T14): the image of a position could not be dealt.

In each table, row g is a quarter turn clockwise g times; row 0 is the identity.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from asterion_envs.cards import CARDS
from asterion_envs.state import OUTSIDE, OWNERS, PAIRS, REACHED, TOMB, coordinates


@cache
def cell_symmetries(radius: int) -> np.ndarray:
    """int32 (4, spaces), read-only: ``table[g, space]`` is where rotation g takes ``space`` of a board."""
    cells = coordinates(radius)
    index = {cell: i for i, cell in enumerate(cells)}
    table, images = [], list(cells)
    for _ in range(4):
        table.append([index[image] for image in images])
        images = [(y, -x) for x, y in images]
    return _frozen(table)


@cache
def opening_symmetries(radius: int) -> np.ndarray:
    """int32 (4, spaces * 4), read-only: where rotation g takes the opening ``space * 4 + direction``."""
    cells = cell_symmetries(radius)
    turned = (np.arange(4)[None, :] + np.arange(4)[:, None]) % 4
    return _frozen((4 * cells[:, :, None] + turned[:, None, :]).reshape(4, -1))


@cache
def action_symmetries(radius: int) -> np.ndarray:
    """int32 (4, actions), read-only: ``table[g, action]`` is the action that rotation g turns it into.

    A card is turned with the board. Removals and the pass stay what they are.
    """
    moves = opening_symmetries(radius)  # a turn moves an opening as it moves what is turned so far
    rest = np.arange(moves.shape[1], moves.shape[1] + CARDS + 1)
    return _frozen(np.concatenate([moves, np.tile(rest, (4, 1))], axis=1))


@cache
def plane_symmetries(players: int) -> np.ndarray:
    """int32 (4, planes on the board), read-only: the plane that shows, once turned, what ``plane`` showed.

    An observation is turned by ``turned[plane_symmetries(players)[g][:, None], cell_symmetries(radius)[g]] =
    observation[:planes]``; the rows of counters stay as they are.
    """
    table = []
    for g in range(4):
        turn = [(d + g) % 4 for d in range(4)]
        joined = [4 + PAIRS.index((min(turn[a], turn[b]), max(turn[a], turn[b]))) for a, b in PAIRS]
        row = [*turn, *joined]
        for start in (10, 14, 18, REACHED, OUTSIDE):
            row += [start + d for d in turn]
        table.append([*row, *range(TOMB, OWNERS + players)])
    return _frozen(table)


def _frozen(table: object) -> np.ndarray:
    array = np.array(table, np.int32)
    array.flags.writeable = False
    return array
