"""Cells and actions in words (AL-1.4): ``d5`` moves the ship there, ``d5*e5`` also places a stone, ``pass`` passes."""

from __future__ import annotations

from functools import cache

from astralis_envs.state import coordinates, neighbours


@cache
def cell_names(size: int) -> list[str]:
    """``a1``, ``a2``, ... in order of the cells' index: a letter for the row (a = top), a number along it from 1."""
    rows: dict[int, int] = {}
    names = []
    for _, r in coordinates(size):
        rows[r] = rows.get(r, 0) + 1
        names.append(f"{chr(ord('a') + r + size - 1)}{rows[r]}")
    return names


def describe_action(size: int, action: int) -> str:
    """``action`` of a board of ``size`` in notation.

    :raises ValueError: for an action whose stone would fall off the board, which is never legal and has no name.
    """
    names = cell_names(size)
    cell, k = divmod(action, 7)
    if cell == len(names):
        return "pass"
    if k == 0:
        return names[cell]
    target = neighbours(size)[cell, k - 1]
    return f"{names[cell]}*{names[target] if target < len(names) else 'off the board'}"


def parse_action(size: int, text: str) -> int:
    """The action that ``text`` names on a board of ``size``; spaces and capitals do not matter.

    :raises ValueError: if ``text`` is no action; the message says which part of it is at fault.
    """
    names = cell_names(size)
    words = text.strip().lower()
    if words == "pass":
        return len(names) * 7
    cells = [word.strip() for word in words.split("*")]
    for cell in cells:
        if cell not in names:
            raise ValueError(
                f"{text!r}: there is no cell {cell!r}; cells are {names[0]} to {names[-1]}, a move is d5, d5*e5 or pass"
            )
    numbers = [names.index(cell) for cell in cells]
    if len(cells) == 1:
        return numbers[0] * 7
    around = neighbours(size)[numbers[0]].tolist()
    if len(cells) > 2 or numbers[1] not in around:
        raise ValueError(f"{text!r}: a move is d5, or d5*e5 with a stone on a cell next to d5, or pass")
    return numbers[0] * 7 + 1 + around.index(numbers[1])
