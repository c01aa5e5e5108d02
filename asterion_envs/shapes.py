"""Cards and what lies on them as SVG: what the pictures of positions and of card sets are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import cos, pi, sin
from typing import NamedTuple

from asterion_envs.cards import DIRECTIONS, Card
from starboard.render.canvas import Canvas, number

HALF = 50
"""Half of a card's edge; on a card, (0, 0) is its middle and y points down."""
HUES = (0, 2, 1, 4)
"""Of the canvas's colours for seats, those that are blue, green, red and yellow (AN-2.5)."""
OPEN, CLOSED, REACHED = "open", "closed", "reached"
"""How the part of a corridor stands: with an exit, without one, joined to Asterion."""

_WIDE = 15  # half of a corridor's width, without its edges
_EDGE = 2.5
_OVER = HALF + 0.6  # corridors reach a little over the card's edge, so that no line shows where two meet
_END = 36  # from the middle of the card to where a dead end begins to round off

_BADGES = (  # of the seats: a circle, a square, a triangle, a diamond
    "M-6 0A6 6 0 0 1 6 0A6 6 0 0 1-6 0Z",
    "M-5.5-5.5H5.5V5.5H-5.5Z",
    "M0-6.5L7.5 6H-7.5Z",
    "M0-7.5L7.5 0L0 7.5L-7.5 0Z",
)
_WALL = "M-43-49H43A6 6 0 0 1 49-43V43A6 6 0 0 1 43 49H-43A6 6 0 0 1-49 43V-43A6 6 0 0 1-43-49Z"
_TEXTURES = (  # of the seats' walls: bricks, slanting lines, dots, zigzags
    "M-49-30H49M-49-10H49M-49 10H49M-49 30H49"
    + "".join(f"M{x} {y}v20" for y in range(-50, 50, 20) for x in ((-28, 8) if y % 40 == 30 else (-8, 28))),
    "".join(f"M-49 {x}L{x}-49" for x in range(-33, 48, 16)) + "".join(f"M{x} 49L49 {x}" for x in range(-35, 30, 16)),
    "M-42-42H44M-35-28H37M-42-14H44M-35 0H37M-42 14H44M-35 28H37M-42 42H44",
    "".join(f"M-48 {y}l12-9 12 9 12-9 12 9 12-9 12 9 12-9 12 9" for y in range(-34, 39, 18)),
)
_BODY = "M-9.5 12C-9.5-3.5 9.5-3.5 9.5 12Z"
_STONE = "M-10.5 12V-1.5A10.5 10.5 0 0 1 10.5-1.5V12Z"
_WINGS = "M-1 8C-8 7-13 0-13-9C-6-9-1-4-1 8ZM1 8C8 7 13 0 13-9C6-9 1-4 1 8Z"
_COIN = "M-9.5 0A9.5 9.5 0 0 1 9.5 0A9.5 9.5 0 0 1-9.5 0Z"
_ONE_COIN = "M0-4.5L4.5 0L0 4.5L-4.5 0Z"
_MAZE = "M-44-22V-44H-22M-37-22V-37H-22M-30-22V-30H-22"
_SPIRAL = "M-35-35H35V35H-35V-17H17V17H-17V1H1"
_HEAD = (
    "M-9-9C-17-8-27-13-25-27C-37-14-31 1-14 1L-22 6C-19 10-14 9-11 7C-10 13-7 16-7 20C-6 27 6 27 7 20C7 16 10 13 11 7"
    "C14 9 19 10 22 6L14 1C31 1 37-14 25-27C27-13 17-8 9-9Z"
)
_FACE = "M-8 2L-3 6M8 2L3 6M-2.5 20V20.1M2.5 20V20.1"

STYLE = {
    ".wall": "stroke-width: 2",
    ".texture": "fill: none; stroke-width: 2; stroke-opacity: .28",
    ".dots": "stroke-width: 5; stroke-linecap: round; stroke-dasharray: .1 14",
    **{f".s{seat}.wall": f"fill: $pale{hue}; stroke: $seat{hue}" for seat, hue in enumerate(HUES)},
    **{f".s{seat}.texture": f"stroke: $seat{hue}" for seat, hue in enumerate(HUES)},
    **{f".s{seat}.edge, .s{seat}.badge": f"fill: $seat{hue}" for seat, hue in enumerate(HUES)},
    ".badge, .wings, .coins, .stone": "stroke: $ink; stroke-width: 1.5; stroke-linejoin: round",
    f".{OPEN}": "fill: $path",
    f".{CLOSED}": "fill: $dim",
    f".{REACHED}": "fill: $danger",
    ".shadow": "fill: $ink; fill-opacity: .3",
    ".shut": "fill: $path; stroke: $ink; stroke-width: 1.5",
    ".stone": "fill: $raised",
    ".wings": "fill: $wing",
    ".coins": "fill: $gold",
    ".count": "font-size: 13px; text-anchor: middle; fill: #1f2328; stroke: #fff; stroke-width: 2; paint-order: stroke",
    ".lair": "fill: #2a2f38; stroke: $gold; stroke-width: 2",
    ".maze": "fill: none; stroke: $gold; stroke-width: 2; stroke-opacity: .7",
    ".bull": "fill: $gold; stroke: #1f2328; stroke-width: 1.5; stroke-linejoin: round",
    ".face": "fill: none; stroke: #1f2328; stroke-width: 2.6; stroke-linecap: round",
    ".spiral": "fill: none; stroke: $on_seat; stroke-width: 6; stroke-linejoin: round; stroke-opacity: .7",
}


class Corridor(NamedTuple):
    """A corridor of a card that lies turned."""

    number: int
    """On the card."""
    directions: tuple[int, ...]
    edge: str
    """The path around it, edges included."""
    floor: str
    """The path around it."""
    items: tuple[tuple[str, int, str], ...]
    """What lies in it, how many of it, and the transform to its place."""
    shadow: str | None
    """Of a bridge: the path around its shadow on the corridor below."""


@cache
def corridors(card: Card, turns: int) -> tuple[Corridor, ...]:
    """The corridors of ``card``, turned clockwise, a bridge last."""
    crossing = set(card.corridors) == {"NS", "EW"}
    found = []
    for i, letters in enumerate(card.corridors):
        directions = tuple((DIRECTIONS.index(letter) + turns) % 4 for letter in letters)
        held = {"prisoner": int(i == card.prisoner), "wings": card.wings[i], "coins": card.coins[i]}
        items = [(what, count) for what, count in held.items() if count]
        spots = _spots(directions, crossing, len(items))
        shadow = "M{}L{} {} {}Z".format(*_points(turns, (-23, -_WIDE), (23, -_WIDE), (23, _WIDE), (-23, _WIDE)))
        found.append(
            Corridor(
                i,
                directions,
                _outline(directions, _WIDE + _EDGE),
                _outline(directions, _WIDE),
                tuple((*item, spot) for item, spot in zip(items, spots, strict=True)),
                shadow if crossing and letters == "NS" else None,
            )
        )
    return tuple(sorted(found, key=lambda corridor: corridor.shadow is not None))


def _points(d: int, *points: tuple[float, float]) -> list[str]:
    """``points``, told for north, in direction ``d``."""
    return ["{} {}".format(*map(number, _turned(d, *point))) for point in points]


def _outline(directions: Sequence[int], wide: float) -> str:
    """The path around a corridor that is twice ``wide``."""
    if len(directions) == 1:
        a, b, c, d = _points(directions[0], (-wide, -_OVER), (-wide, -_END), (wide, -_END), (wide, -_OVER))
        return f"M{a}L{b}A{wide} {wide} 0 0 0 {c}L{d}Z"
    corner = _corner(directions)
    if corner is not None:
        outer, inner = HALF + wide, HALF - wide
        a, b, c, d = _points(corner, (-wide, -_OVER), (-wide, -HALF), (HALF, wide), (_OVER, wide))
        e, f, g, h = _points(corner, (_OVER, -wide), (HALF, -wide), (wide, -HALF), (wide, -_OVER))
        return f"M{a}L{b}A{outer} {outer} 0 0 0 {c}L{d}L{e}L{f}A{inner} {inner} 0 0 1 {g}L{h}Z"
    arm = (-wide, -_OVER), (wide, -_OVER), (wide, wide), (-wide, wide)
    return "".join("M{}L{} {} {}Z".format(*_points(d, *arm)) for d in directions)


def _corner(directions: Sequence[int]) -> int | None:
    """For a corridor around a corner, the direction that the other follows clockwise."""
    if len(directions) == 2:
        for d, other in (directions, directions[::-1]):
            if other == (d + 1) % 4:
                return d
    return None


def _spots(directions: Sequence[int], crossing: bool, count: int) -> list[str]:
    """Transforms to where the ``count`` kinds of things that lie in a corridor are drawn, at most three."""
    first, last = directions[0], directions[-1]
    corner = _corner(directions)
    scale = 1.0
    if corner is not None:
        angles = [pi - pi / 2 * t for t in ((), (0.5,), (0.27, 0.73), (0.16, 0.5, 0.84))[count]]
        spots = [_turned(corner, HALF + HALF * cos(angle), -HALF + HALF * sin(angle)) for angle in angles]
    else:
        if len(directions) == 1:
            along = [(first, at) for at in ((), (35,), (27, 42), (25, 35, 45))[count]]
            scale = (1, 1, 0.75, 0.6)[count]
        elif crossing:
            along = [(first, 34 if count < 3 else 40), (last, 34), (first, 25)][:count]
            scale = 1 if count < 3 else 0.75
        else:
            along = [[], [(first, 0)], [(first, 26), (last, 26)], [(first, 32), (last, 32), (first, 0)]][count]
        spots = [_turned(d, 0, -at) for d, at in along]
    tail = f"scale({scale})" if scale < 1 else ""
    return [f"translate({number(x)} {number(y)}){tail}" for x, y in spots]


def _turned(d: int, x: float, y: float) -> tuple[float, float]:
    for _ in range(d):
        x, y = -y, x
    return x, y


def draw_card(
    canvas: Canvas, card: Card, turns: int, seat: int, states: Mapping[int, str] | None = None, free: bool = True
) -> None:
    """``card`` of ``seat`` around (0, 0), turned clockwise.

    :param states: of the corridors, by their number on the card; by default all are open.
    :param free: does the prisoner escape as things stand?
    """
    owner = f"s{seat}"
    canvas.add("path", class_=f"{owner} wall", d=_WALL)
    canvas.add("path", class_=f"{owner} texture{' dots' * (seat == 2)}", d=_TEXTURES[seat])
    found = corridors(card, turns)
    for corridor in found:
        if corridor.shadow is not None:
            canvas.add("path", class_="shadow", d=corridor.shadow)
        canvas.add("path", class_=f"{owner} edge", d=corridor.edge)
        _draw_floor(canvas, corridor.directions, corridor.floor, OPEN if states is None else states[corridor.number])
    for corridor in found:
        reached = states is not None and states[corridor.number] == REACHED
        for what, count, place in corridor.items:
            if what == "prisoner" and reached:
                draw_prisoner(canvas, seat, "tomb", transform=place, data_what="tomb", data_seat=seat)
            elif what == "prisoner":
                state = "free" if free else "shut"
                facts = {"data_what": what, "data_seat": seat, "data_state": state}
                draw_prisoner(canvas, seat, state, transform=place, **facts)
            else:
                draw_item(canvas, what, count, transform=place, data_what=what, data_count=count)


def _draw_floor(canvas: Canvas, directions: Iterable[int], path: str, state: str) -> None:
    openings = "".join(DIRECTIONS[d] for d in sorted(directions))
    canvas.add("path", class_=state, d=path, data_what="corridor", data_openings=openings, data_state=state)


def draw_prisoner(canvas: Canvas, seat: int, state: str, **attributes: object) -> None:
    """A prisoner of ``seat`` who is ``"free"`` to escape, ``"shut"`` in, or in a ``"tomb"``."""
    badge = f"s{seat} badge"
    with canvas.group(**attributes):
        if state == "tomb":
            canvas.add("path", class_="stone", d=_STONE)
            canvas.add("path", class_=badge, transform="scale(.9)", d=_BADGES[seat])
        else:
            canvas.add("path", class_=badge if state == "free" else "shut", d=_BODY)
            canvas.add("path", class_=badge, transform="translate(0-5.5)", d=_BADGES[seat])


def draw_crown(canvas: Canvas, **attributes: object) -> None:
    """A crown that fits a prisoner around (0, 0)."""
    canvas.add("path", class_="coins", d="M-7-11L-9-20L-4-16L0-22L4-16L9-20L7-11Z", **attributes)


def draw_item(canvas: Canvas, what: str, count: int, **attributes: object) -> None:
    """``"wings"`` or ``"coins"``, with a number if there are several."""
    with canvas.group(**attributes):
        canvas.add("path", class_=what, d=_WINGS if what == "wings" else _COIN)
        if count > 1:
            canvas.add("text", str(count), class_="count", y=5)
        elif what == "coins":
            canvas.add("path", class_="coins", d=_ONE_COIN)


def draw_asterion(canvas: Canvas) -> None:
    """Asterion's own card around (0, 0)."""
    canvas.add("path", class_="lair", d=_WALL)
    for turns in range(4):
        canvas.add("path", class_="maze", transform=f"rotate({90 * turns})", d=_MAZE)
    _draw_floor(canvas, range(4), _outline(range(4), _WIDE), REACHED)
    with canvas.group(data_what="asterion"):
        canvas.add("circle", class_=REACHED, r=30)
        canvas.add("path", class_="bull", d=_HEAD)
        canvas.add("path", class_="face", d=_FACE)


def draw_back(canvas: Canvas, seat: int, **attributes: object) -> None:
    """A card of ``seat`` face down."""
    with canvas.group(**attributes):
        canvas.add("path", class_=f"s{seat} edge", d=_WALL)
        canvas.add("path", class_="spiral", d=_SPIRAL)
