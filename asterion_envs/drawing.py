"""Asterion drawn in characters: a pure function of a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asterion_envs.cards import CARDS, Card
from asterion_envs.state import ASTERION, COLOURS, NOTHING, REACHED, TOMB, coordinates

_CORNERS = ((0, 0), (0, 3), (2, 0), (2, 3))
"""Row and column where what lies in the corridors a, b, c and d is counted."""


def text(p: Any, s: Any, viewer: int | None, cards: Sequence[Card]) -> str:
    """The table of state ``s`` under options ``p``, then a line for each seat, then whose turn it is.

    A card is three lines of five characters. At the edges are the openings, with a letter for the corridor: ``a`` is
    the prisoner's, others are ``b``, ``c``, ``d``; capitals are joined to Asterion. In the middle stands the first
    letter of the owner's colour, with ``+`` before it for a tomb, or ``@`` for Asterion. Corners count the wings (left)
    and coins (right) of a corridor: a upper left, b upper right, c lower left, d lower right. ``.`` is an empty space.

    :param viewer: hands, decks and removals of other seats are not shown; None shows all.
    """
    spaces = coordinates(int(p["radius"]))
    used = [spaces[i] for i in s["order"][: s["known"]]]
    left, right = min(x for x, _ in used), max(x for x, _ in used)
    low, high = min(y for _, y in used), max(y for _, y in used)
    number = {space: i for i, space in enumerate(spaces)}
    lines = [" " * 4 + "".join(f"{x:^6}" for x in range(left, right + 1)).rstrip()]
    for y in range(high, low - 1, -1):
        blocks = [_block(p, s, number.get((x, y), NOTHING)) for x in range(left, right + 1)]
        for row in range(3):
            label = f"{y:>3}" if row == 1 else "   "
            lines.append(f"{label} {' '.join(block[row] for block in blocks)}".rstrip())
    lines += [_seat(s, seat, viewer is None or viewer == seat, cards) for seat in range(p["players"])]
    if s["terminated"]:
        turn = "over"
    else:
        verb = "remove a card" if s["to_remove"][s["to_move"]] else "move"
        turn = f"player {s['to_move']} ({COLOURS[s['to_move']]}) to {verb}"
    return "\n".join([*lines, turn])


def _block(p: Any, s: Any, space: int) -> list[str]:
    """Three lines for a space, NOTHING for one off the board."""
    rows = [[" "] * 5 for _ in range(3)]
    if space == NOTHING:
        return ["".join(row) for row in rows]
    if s["card"][space] == NOTHING:
        rows[1][2] = "."
        return ["".join(row) for row in rows]
    planes = s["planes"][space :: int(p["spaces"])]
    kind = 4 * int(s["card"][space]) + int(s["turn"][space])
    first = p["first"][4 * kind : 4 * kind + 4].tolist()
    corridors = sorted(set(first) - {NOTHING}, key=lambda d: (d != p["cell"][kind], d))
    for d, (row, column) in enumerate(((0, 2), (1, 4), (2, 2), (1, 0))):
        if first[d] != NOTHING:
            letter = "abcd"[corridors.index(first[d])]
            rows[row][column] = letter.upper() if planes[REACHED + d] else letter
    for d, (row, column) in zip(corridors, _CORNERS, strict=False):
        for at, held in enumerate((p["wings"][4 * kind + d], p["coins"][4 * kind + d])):
            if held:
                rows[row][column + at] = str(held)
    rows[1][2] = "@" if s["card"][space] == ASTERION else COLOURS[s["owner"][space]][0]
    if planes[TOMB]:
        rows[1][1] = "+"
    return ["".join(row) for row in rows]


def _seat(s: Any, seat: int, known: bool, cards: Sequence[Card]) -> str:
    """What there is to say of a seat; ``known``: with its hand, deck and removals."""

    def names(bits: int) -> str:
        return " ".join(cards[i].name for i in range(CARDS) if bits >> i & 1) or "none"

    parts = [f"player {seat} ({COLOURS[seat]}): points {s['points'][seat]}, cards to come {s['left'][seat]}"]
    if s["to_remove"][seat]:
        parts.append(f"to remove {s['to_remove'][seat]}")
    if s["aside"][seat]:
        parts.append(f"aside {names(int(s['aside'][seat]))}")
    if known:
        hand = int(s["hand"][seat])
        parts.append(f"hand {'none' if hand == NOTHING else cards[hand].name}")
        parts.append(f"deck {names(int(s['deck'][seat]))}")
        if s["removed"][seat]:
            parts.append(f"removed {names(int(s['removed'][seat]))}")
    return ", ".join(parts)
