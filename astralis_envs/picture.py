"""Astralis drawn as SVG: a pure function of a state."""

from __future__ import annotations

from cmath import rect
from functools import cache
from math import pi, sqrt
from typing import Any

from astralis_envs.notation import cell_names, describe_action
from astralis_envs.state import NOWHERE, coordinates, neighbours
from starboard.render.canvas import Canvas, number

_CONTESTED = 3  # the tile

_WIDTH, _HEIGHT = 904, 542
_MIDDLE, _REACH = 302, 290  # of the board, from the left; from there to the corners of its frame
_LEFT, _WIDE = 626, 256  # of the panel
# On the board, (0, 0) is its middle, and 100 is the way from the middle of a hex's place to its corners.
_HEX, _RING, _FRAME = 95, 87, 50
_LIFT = -16  # What lies on a hex stands above its middle; below is its name.

_ROCKET = (
    "M0-58C23-38 25-12 20 14L40 34V52L15 39H-15L-40 52V34L-20 14C-25-12-23-38 0-58Z"
    "M0-24A10 10 0 0 0 0-4A10 10 0 0 0 0-24Z"
)
_SAUCER = (
    "M-66 10C-66-4-43-13-30-16C-27-48 27-48 30-16C43-13 66-4 66 10C66 28 33 37 0 37C-33 37-66 28-66 10Z"
    "M-37 3A8 8 0 0 0-37 19A8 8 0 0 0-37 3ZM0 8A8 8 0 0 0 0 24A8 8 0 0 0 0 8ZM37 3A8 8 0 0 0 37 19A8 8 0 0 0 37 3Z"
)
_ROUND = (
    "M0-46A46 46 0 0 1 0 46A46 46 0 0 1 0-46Z"
    "M0-33A33 33 0 0 0 0 33A33 33 0 0 0 0-33ZM0-25A25 25 0 0 1 0 25A25 25 0 0 1 0-25Z"
)
_SQUARE = "M0-52L52 0L0 52L-52 0ZM0-37L-37 0L0 37L37 0ZM0-27L27 0L0 27L-27 0Z"
# Of each seat:
_SHIP_SHAPES = (_ROCKET, _SAUCER)
_STONE_SHAPES = (_ROUND, _SQUARE)
_MARK_SHAPES = ("M0-13A13 13 0 0 1 0 13A13 13 0 0 1 0-13Z", "M0-17L17 0L0 17L-17 0Z")  # of control tiles

_STYLE = {
    ".paper": "fill: $paper",
    ".frame": "fill: $raised; stroke: $raised; stroke-width: 40; stroke-linejoin: round",
    ".edge": "stroke-width: 24; stroke-linecap: round",
    ".unexplored": "fill: $board",
    ".control0": "fill: $pale0",
    ".control1": "fill: $pale1",
    ".seat0": "fill: $seat0",
    ".seat1": "fill: $seat1",
    ".piece": "stroke: $paper; stroke-width: 12; stroke-linejoin: round; paint-order: stroke",
    ".last": "fill: none; stroke: $ink; stroke-width: 11; stroke-linejoin: round",
    ".name": "font-size: 34px; fill: $line; text-anchor: middle",
    ".turn": "font-size: 22px; font-weight: bold",
    ".player": "font-size: 16px; font-weight: bold",
    ".score": "font-size: 28px; font-weight: bold; text-anchor: end",
    ".label": "font-size: 13px; fill: $line",
    ".right": "text-anchor: end",
    ".card": "fill: $board; stroke: $raised; stroke-width: 2",
    ".framed0": "stroke: $seat0",
    ".framed1": "stroke: $seat1",
    ".groove": "fill: $raised",
    ".gauge": "fill: $line",
}


def svg(p: Any, s: Any, theme: str) -> str:
    """The board of state ``s`` under options ``p`` as SVG, with a panel of the counts beside it.

    What the ``data-`` attributes tell of an element:

    =============  ==================================================================================================
    ``what``       beside it
    =============  ==================================================================================================
    ``cell``       ``at`` its name; ``state``: unexplored, control or contested; ``seat`` that controls it
    ``contested``  ``at``: the stripes of a contested tile
    ``control``    ``at``, ``seat``: the mark of a control tile that no stone covers
    ``stone``      ``at``, ``seat``
    ``ship``       ``at``, ``seat``
    ``last``       ``at``: where the last action took ``part``, the ship or a stone
    ``edge``       ``seat``: where it may put its ship, as long as that is to be done
    ``turn``       ``state``: setup, play or over; ``seat`` to move, or that won
    ``action``     ``value``: the last one, in notation
    ``count``      ``of``: score, control, komi or stones of a ``seat``, or contested, unexplored or stall; ``value``
    ``share``      ``of``: control of a ``seat``, contested or unexplored; the part of the board, as a bar
    =============  ==================================================================================================

    :param theme: one of :data:`starboard.render.THEMES`, or ``"auto"``.
    """
    scores = [float(s["control"][0]), float(s["control"][1] + p["komi2"] / 2)]  # AL-5.2
    state, seat, words = _turn(s, scores)
    canvas = Canvas(_WIDTH, _HEIGHT, "astralis", f"Astralis: {words}", _STYLE, theme)
    canvas.add("rect", class_="paper", width=_WIDTH, height=_HEIGHT)
    reach = 100 * (sqrt(3) * (int(p["size"]) - 1) + 2 / sqrt(3)) + _FRAME
    with canvas.group(transform=f"translate({_MIDDLE} {_HEIGHT // 2}) scale({_REACH / reach:.4f})"):
        canvas.add("path", class_="frame", d=_hexagon(reach - 20, 0))
        if state == "setup":
            _edges(canvas, reach - 20)
        _board(canvas, p, s)
    with canvas.group(transform=f"translate({_LEFT} 0)"):
        canvas.add("text", words, class_="turn", y=54, data_what="turn", data_state=state, data_seat=seat)
        _facts(canvas, p, s)
        for player in range(2):
            with canvas.group(transform=f"translate(0 {114 + 122 * player})"):
                _card(canvas, p, s, player, scores[player], player == seat)
        with canvas.group(transform="translate(0 384)"):
            _shares(canvas, p, s)
    return canvas.svg()


def _turn(s: Any, scores: list[float]) -> tuple[str, int | None, str]:
    """The state of the game, the seat to move or that won, and both in words."""
    if s["terminated"]:
        if scores[0] == scores[1]:
            return "over", None, "a draw"
        winner = int(scores[1] > scores[0])
        return "over", winner, f"player {winner} won"
    mover = int(s["to_move"])
    if s["ship"][mover] == NOWHERE:
        return "setup", mover, f"player {mover} sets up"
    return "play", mover, f"player {mover} to move"


def _edges(canvas: Canvas, reach: float) -> None:
    """Whose edge is which (AL-2.1), on a frame whose corners are at ``reach``."""
    left, right, bottom = (number(reach * part) for part in (-1 / 2, 1 / 2, sqrt(3) / 2))
    for seat, y in enumerate((bottom, f"-{bottom}")):
        canvas.add("path", class_=f"edge framed{seat}", d=f"M{left} {y}H{right}", data_what="edge", data_seat=seat)


def _board(canvas: Canvas, p: Any, s: Any) -> None:
    """The cells, then what is marked on them, then what lies on them, the ships above all."""
    size, places = int(p["size"]), p["place"][: p["cells"]]
    tiles, stones = s["tile"][places].tolist(), (s["code"][places] >> 6).tolist()
    names, middles = cell_names(size), _middles(size)

    def put(cell: int, what: str, class_: str, shape: str, scale: str = "", **data: object) -> None:
        where = {"transform": middles[cell] + scale, "data_what": what, "data_at": names[cell]}
        canvas.add("path", class_=class_, d=shape, **where, **data)

    for cell, tile in enumerate(tiles):
        if tile == _CONTESTED:
            put(cell, "cell", "control0", _stripes(0), data_state="contested")
            put(cell, "contested", "control1", _stripes(1))
        elif tile:
            put(cell, "cell", f"control{tile - 1}", _hexagon(_HEX), data_state="control", data_seat=tile - 1)
        else:
            put(cell, "cell", "unexplored", _hexagon(_HEX), data_state="unexplored")
    for name, middle in zip(names, middles, strict=True):
        canvas.add("text", name, class_="name", y=65, transform=middle)
    for cell, part in _last(size, int(s["last"])):
        put(cell, "last", "last", _hexagon(_RING), data_part=part)
    with canvas.group(transform=f"translate(0 {_LIFT})"):
        for cell, (tile, stone) in enumerate(zip(tiles, stones, strict=True)):
            if stone:
                put(cell, "stone", f"piece seat{stone - 1}", _STONE_SHAPES[stone - 1], data_seat=stone - 1)
            elif tile and tile != _CONTESTED:
                put(cell, "control", f"seat{tile - 1}", _MARK_SHAPES[tile - 1], data_seat=tile - 1)
        for seat, place in enumerate(s["ship"].tolist()):
            if place != NOWHERE:
                cell = int(p["index"][place])
                small = " scale(.6)" if stones[cell] else ""  # AL-4.4: the stone is to be seen, too
                put(cell, "ship", f"piece seat{seat}", _SHIP_SHAPES[seat], small, data_seat=seat)


def _last(size: int, action: int) -> list[tuple[int, str]]:
    """The cells to which the last ``action``, -1 for none, took the ship and a stone (AL-6.1)."""
    cell, k = divmod(action, 7)
    around = neighbours(size)
    if action < 0 or cell == len(around):
        return []
    return [(cell, "ship"), *([(int(around[cell, k - 1]), "stone")] if k else [])]


def _facts(canvas: Canvas, p: Any, s: Any) -> None:
    """The last action, why the game is over, and the turns without a new stone."""
    stall, limit = int(s["stall"]), int(p["stall_limit"])
    if s["last"] >= 0:
        action = describe_action(int(p["size"]), int(s["last"]))
        canvas.add("text", f"last action {action}", class_="label", y=77, data_what="action", data_value=action)
    if s["terminated"]:
        why = f"{stall} turns without a new stone" if s["unexplored"] else "no hex is unexplored"  # AL-5.1, AL-5.3
        canvas.add("text", why, class_="label", y=96)
    canvas.add("text", "turns without a new stone", class_="label", y=470)
    canvas.add("text", f"{stall} of {limit}", class_="label right", x=_WIDE, y=470, **_count("stall", stall))
    canvas.add("rect", class_="groove", y=482, width=_WIDE, height=6, rx=3)
    canvas.add("rect", class_="gauge", y=482, width=_WIDE * stall / limit, height=6, rx=3)


def _shares(canvas: Canvas, p: Any, s: Any) -> None:
    """The board as one bar, and how many cells no seat controls."""
    cells, unexplored, control = int(p["cells"]), int(s["unexplored"]), s["control"].tolist()
    contested = cells - sum(control) - unexplored
    x = 0.0
    for of, seat, class_, count in (
        ("control", 0, "seat0", control[0]),
        ("contested", None, "control0", contested),
        ("unexplored", None, "groove", unexplored),
        ("control", 1, "seat1", control[1]),
    ):
        if count:
            share = {"data_what": "share", "data_of": of, "data_seat": seat}
            width = _WIDE * count / cells
            canvas.add("rect", class_=class_, x=x, width=width, height=14, **share)
            if of == "contested":
                canvas.add("rect", class_="control1", x=x, y=7, width=width, height=7)
            x += width
    with canvas.group(transform="translate(9 37) scale(.11)"):
        canvas.add("path", class_="control0", d=_stripes(0))
        canvas.add("path", class_="control1", d=_stripes(1))
    canvas.add("text", f"contested {contested}", class_="label", x=26, y=42, **_count("contested", contested))
    with canvas.group(transform="translate(137 37) scale(.11)"):
        canvas.add("path", class_="groove", d=_hexagon(_HEX))
        canvas.add("path", class_="unexplored", d=_hexagon(_HEX - 22))
    canvas.add("text", f"unexplored {unexplored}", class_="label", x=154, y=42, **_count("unexplored", unexplored))


def _card(canvas: Canvas, p: Any, s: Any, seat: int, score: float, framed: bool) -> None:
    """A seat's shapes and counts."""
    control, stones, right = int(s["control"][seat]), int(s["stones_left"][seat]), _WIDE - 16
    canvas.add("rect", class_=f"card framed{seat}" if framed else "card", width=_WIDE, height=110, rx=10)
    canvas.add("path", class_=f"seat{seat}", d=_SHIP_SHAPES[seat], transform="translate(34 38) scale(.32)")
    canvas.add("text", f"player {seat}", class_="player", x=66, y=42)
    canvas.add("text", f"{score:g}", class_="score", x=right, y=45, **_count("score", score, seat))
    canvas.add("text", f"control {control}", class_="label", x=66, y=70, **_count("control", control, seat))
    if seat == 1:
        komi = float(p["komi2"] / 2)
        canvas.add("text", f"{komi:+g} komi", class_="label right", x=right, y=70, **_count("komi", komi, seat))
    canvas.add("path", class_=f"seat{seat}", d=_STONE_SHAPES[seat], transform="translate(34 88) scale(.18)")
    canvas.add("text", f"stones left {stones}", class_="label", x=66, y=93, **_count("stones", stones, seat))


def _count(of: str, value: float, seat: int | None = None) -> dict[str, object]:
    return {"data_what": "count", "data_of": of, "data_seat": seat, "data_value": value}


@cache
def _middles(size: int) -> list[str]:
    """The way from the middle of the board to that of each cell, as a transformation."""
    return [f"translate({number(100 * sqrt(3) * (q + r / 2))} {150 * r})" for q, r in coordinates(size)]


@cache
def _hexagon(radius: float, angle: float = pi / 6) -> str:
    """Around (0, 0), with a corner at ``angle``."""
    return _polygon(*(rect(radius, angle + k * pi / 3) for k in range(6)))


@cache
def _stripes(seat: int) -> str:
    """A ``seat``'s half of the six stripes on a contested hex, which are parallel to two edges and have gaps."""
    found = ""
    for k in (seat - 3, seat - 1, seat + 1):
        first, second = (_HEX * complex(edge / sqrt(12), 1 - abs(edge) / 6) for edge in (k + 0.1, k + 0.9))
        corners = (first, second, second.conjugate(), first.conjugate())
        found += _polygon(*(corner * rect(1, pi / 3) for corner in corners))
    return found


def _polygon(*corners: complex) -> str:
    return f"M{'L'.join(f'{number(corner.real)} {number(corner.imag)}' for corner in corners)}Z"
