"""Astralis drawn in characters: a pure function of a state."""

from __future__ import annotations

from typing import Any

from astralis_envs.notation import cell_names, describe_action
from astralis_envs.state import NOWHERE, coordinates

_TILES = (".", "a", "b", "x")  # unexplored, controlled by player 0 and 1, contested
_STONES = ("A", "B")


def text(p: Any, s: Any) -> str:
    """The board of state ``s`` under options ``p``, with a legend and the counts.

    Each cell is two characters: what lies there (``.`` nothing, ``a`` ``b`` control, ``x`` contested, ``A`` ``B`` a
    stone), and the ship on it (``1`` of player 0, ``2`` of player 1).
    """
    size, cells = int(p["size"]), int(p["cells"])
    places = [int(place) for place in p["place"][:cells]]
    rows: dict[int, list[str]] = {}
    for index, (_, r) in enumerate(coordinates(size)):
        place = places[index]
        stone = s["code"][place] >> 6
        here = _STONES[stone - 1] if stone else _TILES[s["tile"][place]]
        ships = "".join(str(player + 1) for player in range(2) if s["ship"][player] == place)
        rows.setdefault(r, []).append(here + (ships or " "))
    lines = []
    for r, row in rows.items():
        letter = cell_names(size)[0][0] if r == -(size - 1) else chr(ord("a") + r + size - 1)
        lines.append(f"{letter} {'  ' * abs(r)}{'  '.join(row)}".rstrip())
    control = f"control {s['control'][0]} : {s['control'][1]}, komi {p['komi2'] / 2:g} for player 1"
    left = f"stones left {s['stones_left'][0]} : {s['stones_left'][1]}, stall {s['stall']} of {p['stall_limit']}"
    if s["terminated"]:
        turn = "over"
    elif s["ship"][s["to_move"]] == NOWHERE:
        turn = f"player {s['to_move']} puts their ship"
    else:
        turn = f"player {s['to_move']} ({_STONES[s['to_move']]}, ship {s['to_move'] + 1}) to move"
    last = f", last {describe_action(size, int(s['last']))}" if s["last"] >= 0 else ""
    return "\n".join([*lines, control, left, turn + last])
