"""A picture of a set of cards, to compare with the cards themselves: a pure function of the set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asterion_envs.cards import Card

_HALF = 80  # of a card's edge; on a card, (0, 0) is its middle and y points down
_ARROWS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
_COLUMNS = 6
_WIDE, _HIGH = 2 * _HALF + 24, 2 * _HALF + 48
_MARGIN = 16

_STYLE = """
    text { font: 600 15px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
    .legend { font-weight: 400; font-size: 14px; text-anchor: start }
    .wall { fill: #868c96; stroke: #1f2328; stroke-width: 2 }
    .edge, .floor, .under, .rails { fill: none; stroke-linecap: round; stroke-linejoin: round }
    .edge { stroke: #1f2328; stroke-width: 34 }
    .floor { stroke: #fbf7ec; stroke-width: 28 }
    .under { stroke: #868c96; stroke-width: 46; stroke-linecap: butt }
    .rails { stroke: #1f2328; stroke-width: 3 }
    .prisoner { fill: #0072b2 }
    .wing { fill: #ee9fca }
    .coin { fill: #f0c000 }
    .item { stroke: #1f2328; stroke-width: 1.5; stroke-linejoin: round }
    .count { font: 700 12px system-ui, sans-serif; fill: #1f2328 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .wall { fill: #3d444d; stroke: #9198a1 }
      .under { stroke: #3d444d }
      .floor { stroke: #d8d3c4 }
    }
"""

_SHAPES = {
    "prisoner": '<path d="M-6.5 9C-6.5-1.5 6.5-1.5 6.5 9Z"/><circle cy="-4.5" r="4.5"/>',
    "wing": '<path d="M-1 7C-7 6-11 0-11-7C-5-7-1-3-1 7Z"/><path d="M1 7C7 6 11 0 11-7C5-7 1-3 1 7Z"/>',
    "coin": '<circle r="8.5"/>',
}
_ONE_COIN = '<path class="item coin" d="M0-4L4 0L0 4L-4 0Z"/>'


def sheet(cards: Sequence[Card]) -> str:
    """An SVG of ``cards``, N up: corridors, what lies in them, and names below. It suits light and dark pages.

    >>> from asterion_envs.cards import load
    >>> print(sheet(load("reference"))[:39])
    <svg xmlns="http://www.w3.org/2000/svg"
    """
    width = 2 * _MARGIN + _COLUMNS * _WIDE
    height = 2 * _MARGIN + -(-(len(cards) + 1) // _COLUMNS) * _HIGH
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"  <title>The {len(cards)} labyrinth cards of a player</title>",
        f"  <style>{_STYLE}  </style>",
        f'  <clipPath id="card"><rect x="-{_HALF}" y="-{_HALF}" width="{2 * _HALF}" height="{2 * _HALF}"/></clipPath>',
    ]
    for number, card in enumerate(cards):
        lines += [f'  <g transform="translate({_place(number)})">', *_drawn(card), "  </g>"]
    lines += [f'  <g transform="translate({_place(len(cards))})">', *_legend(), "  </g>", "</svg>"]
    return "\n".join(lines) + "\n"


def _place(number: int) -> str:
    row, column = divmod(number, _COLUMNS)
    return f"{_MARGIN + _WIDE * column + _WIDE // 2} {_MARGIN + _HIGH * row + _HALF}"


def _drawn(card: Card) -> Iterator[str]:
    yield f"    <title>{_words(card)}</title>"
    square = f'x="-{_HALF}" y="-{_HALF}" width="{2 * _HALF}" height="{2 * _HALF}"'
    yield f'    <rect class="wall" {square}/>'
    yield '    <g clip-path="url(#card)">'
    bridge = set(card.corridors) == {"NS", "EW"}
    for corridor in sorted(card.corridors, key="NS".__eq__):  # which is drawn last, as the upper one of a bridge
        path = _path(corridor)
        if bridge and corridor == "NS":
            yield '      <path class="under" d="M0-24L0 24"/>'
            yield '      <path class="rails" d="M-25-32L-17-24M25-32L17-24M-25 32L-17 24M25 32L17 24"/>'
        yield f'      <path class="edge" d="{path}"/><path class="floor" d="{path}"/>'
    yield "    </g>"
    for index, corridor in enumerate(card.corridors):
        held = {"prisoner": int(index == card.prisoner), "wing": card.wings[index], "coin": card.coins[index]}
        items = [(item, count) for item, count in held.items() if count]
        for (item, count), (x, y) in zip(items, _spots(corridor, bridge, len(items)), strict=True):
            yield f"    {_item(item, count, x, y)}"
    yield f'    <text y="{_HALF + 22}">{card.name}</text>'


def _words(card: Card) -> str:
    held = [f"prisoner in {card.corridors[card.prisoner]}"]
    for item, counts in (("wing", card.wings), ("coin", card.coins)):
        for corridor, count in zip(card.corridors, counts, strict=True):
            if count:
                held.append(f"{count} {item}{'s' * (count > 1)} in {corridor}")
    return f"{card.name}: corridors {', '.join(card.corridors)}; {', '.join(held)}"


def _point(letter: str, distance: float) -> tuple[float, float]:
    x, y = _ARROWS[letter]
    return distance * x, distance * y


def _bent(corridor: str) -> bool:
    """Does it join two edges that meet in a corner?"""
    return len(corridor) == 2 and corridor not in ("NS", "EW")


def _path(corridor: str) -> str:
    edges = ["{:g} {:g}".format(*_point(letter, _HALF)) for letter in corridor]
    if len(edges) == 1:
        return "M{}L{:g} {:g}".format(edges[0], *_point(corridor, 38))
    if _bent(corridor):
        return f"M{edges[0]}Q0 0 {edges[1]}"
    return "".join(f"M{edge}L0 0" for edge in edges)


def _spots(corridor: str, bridge: bool, count: int) -> list[tuple[float, float]]:
    """Where the ``count`` kinds of things that lie in ``corridor`` are drawn, at most three."""
    first, last = corridor[0], corridor[-1]
    if len(corridor) == 1:
        return [_point(first, distance) for distance in ((), (46,), (42, 66), (32, 51, 70))[count]]
    if _bent(corridor):
        (ax, ay), (bx, by) = _point(first, _HALF), _point(last, _HALF)
        return [((1 - t) ** 2 * ax + t**2 * bx, (1 - t) ** 2 * ay + t**2 * by) for t in (0.35, 0.65, 0.15)[:count]]
    if bridge:
        return [_point(first, 63), _point(last, 55), _point(first, 39)][:count]
    return [_point(first, 44), _point(last, 44), (0.0, 0.0)][:count]


def _item(item: str, count: int, x: float, y: float) -> str:
    number = _ONE_COIN if item == "coin" else ""
    if count > 1:
        number = f'<text class="count" y="{4 if item == "coin" else -1}">{count}</text>'
    return f'<g transform="translate({x:.4g} {y:.4g})"><g class="item {item}">{_SHAPES[item]}</g>{number}</g>'


def _legend() -> Iterator[str]:
    for row, (item, text) in enumerate([("prisoner", "prisoner"), ("wing", "wing"), ("coin", "coin (treasure)")]):
        y = 30 * row - 64
        yield f'    {_item(item, 1, -64, y)}<text class="legend" x="-44" y="{y + 5}">{text}</text>'
    for row, text in enumerate(["With a number: so many.", "Round end: a dead end.", "Bridge: not joined."]):
        yield f'    <text class="legend" x="-{_HALF}" y="{22 * row + 34}">{text}</text>'
