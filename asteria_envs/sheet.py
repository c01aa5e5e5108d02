"""A picture of a deck, to compare with the cards themselves: a pure function of the deck."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from asteria_envs.cards import SIDES, Action, Deck, Effect, Pair, Planet, Side

_WIDE, _HIGH = 356, 276  # of an action card; the names stand above the cards
_PLANET_HIGH = 92
_GAP, _NAME = 36, 40
_COLUMNS = 3
_LINE = 15

_STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
    .name { font-weight: 700; font-size: 16px }
    .head { font-weight: 700 }
    .when { font-style: italic }
    .count { font-weight: 700; fill: #1f2328 }
    .note { font-size: 14px; text-anchor: start }
    .card { fill: #f6f8fa; stroke: #59636e; stroke-width: 1.5 }
    .space { fill: #ffffff; stroke: #59636e }
    .middle { stroke: #59636e; stroke-width: 3; stroke-dasharray: 6 4 }
    .icon { stroke: #1f2328; stroke-width: 1.5; stroke-linejoin: round }
    .ore { fill: #f0a35e }
    .energy { fill: #8cd0ff }
    .strength { fill: #d1d9e0 }
    .edge { fill: none; stroke-width: 6; stroke-linecap: round }
    .extract { stroke: #009e73 }
    .expand { stroke: #0072b2 }
    .explore { stroke: #cc79a7 }
    .exterminate { stroke: #d55e00 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .card { fill: #212830; stroke: #9198a1 }
      .space { fill: #3d444d; stroke: #9198a1 }
      .middle { stroke: #9198a1 }
    }
"""

ICONS = {
    "ore": "M-12-7L0-14L12-7L12 7L0 14L-12 7Z",
    "energy": "M0-15L15 0L0 15L-15 0Z",
    "strength": "M-13-13H13V1Q13 10 0 15Q-13 10-13 1Z",
}
"""The outline of each kind of number on a card, around (0, 0)."""
_EDGES = {  # of each side: the coloured edge, the middle of the edge, and the middle of its words
    "extract": (f"M24 0H{_WIDE - 24}", _WIDE // 2, 0, _WIDE // 2),
    "expand": (f"M{_WIDE} 24V{_HIGH - 24}", _WIDE, _HIGH // 2, _WIDE - 90),
    "explore": (f"M24 {_HIGH}H{_WIDE - 24}", _WIDE // 2, _HIGH, _WIDE // 2),
    "exterminate": (f"M0 24V{_HIGH - 24}", 0, _HIGH // 2, 90),
}
_WORDS = {
    "gain_ore": "gain {} ore",
    "gain_energy": "gain {} energy",
    "lose_ore": "lose {} ore",
    "lose_energy": "lose {} energy",
    "swap": "swap {}",
    "draw": "draw {} action{s}",
    "take": "take {} planet{s}",
    "reveal": "reveal {} planet{s}",
    "rotate": "rotate",
    "discard_action": "discard {} action{s}",
    "discard_planet": "discard {} planet{s}",
    "destroy": "destroy {} of yours",
    "strength": "strength {:+}",
}
_THEIRS = {"destroy": "destroy {} of theirs", "strength": "their strength {:+}"}
"""For these, "they" before the words would be wrong."""
_NOTES = (
    "In the middle of a card is its cost; Extract is free.",
    "Effects are at once, if nothing else stands above.",
    '"They" are the opposing player.',
    "On a planet, the first half begins at the left, the",
    "second half at the right.",
)


def sheet(deck: Deck) -> str:
    """An SVG of the cards of ``deck``, each with its four sides along the edges; it suits light and dark pages.

    >>> from asteria_envs.cards import load
    >>> print(sheet(load("reference"))[:39])
    <svg xmlns="http://www.w3.org/2000/svg"
    """
    rows = -(-(len(deck.actions) + 1) // _COLUMNS)
    planets_top = _GAP + rows * (_NAME + _HIGH + _GAP)
    width = _GAP + _COLUMNS * (_WIDE + _GAP)
    height = planets_top + -(-len(deck.planets) // _COLUMNS) * (_NAME + _PLANET_HIGH + _GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"  <title>The {len(deck.actions)} action cards and {len(deck.planets)} planet cards of a deck</title>",
        f"  <style>{_STYLE}  </style>",
    ]
    for number, action in enumerate(deck.actions):
        lines += _placed(number, _GAP, _HIGH, _action(action))
    lines += _placed(len(deck.actions), _GAP, _HIGH, _legend())
    for number, planet in enumerate(deck.planets):
        lines += _placed(number, planets_top, _PLANET_HIGH, _planet(planet, deck.half))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _placed(number: int, top: int, high: int, drawn: Iterator[str]) -> Iterator[str]:
    """``drawn`` at its place in the table of cards, where (0, 0) is the upper left corner of the card."""
    row, column = divmod(number, _COLUMNS)
    x, y = _GAP + column * (_WIDE + _GAP), top + _NAME + row * (_NAME + high + _GAP)
    yield f'  <g transform="translate({x} {y})">'
    for line in drawn:
        yield f"    {line}"
    yield "  </g>"


def _action(action: Action) -> Iterator[str]:
    yield f'<text class="name" x="{_WIDE // 2}" y="-20">{action.name}</text>'
    yield f'<rect class="card" width="{_WIDE}" height="{_HIGH}" rx="10"/>'
    for name, side in zip(SIDES, action.sides, strict=True):
        yield from _side(name, side)
    yield from _resources(action.cost, _WIDE // 2, _HIGH // 2)


def _side(name: str, side: Side) -> Iterator[str]:
    edge, edge_x, edge_y, x = _EDGES[name]
    yield f'<path class="edge {name}" d="{edge}"/>'
    yield _icon("strength", edge_x, edge_y, side.strength)
    lines = [("head", name.capitalize())]
    for when, effects in groupby(side.effects, key=lambda effect: effect.when):
        if when != "play" or len(lines) > 1:
            lines.append(("when", when.replace("_", " ") + ":"))
        lines += [("does", words(effect)) for effect in effects]
    if name == "extract":
        y = 32
    elif name == "explore":
        y = _HIGH - 22 - _LINE * (len(lines) - 1)
    else:
        y = (_HIGH - _LINE * (len(lines) - 1)) // 2 + 5
    for row, (kind, text) in enumerate(lines):
        yield f'<text class="{kind}" x="{x}" y="{y + _LINE * row}">{text}</text>'


def words(effect: Effect) -> str:
    """What ``effect`` does, without when."""
    text = _WORDS[effect.what]
    if effect.who == "opposing":
        text = _THEIRS.get(effect.what, f"they {text}")
    text = text.format(effect.amount, s="s" * (effect.amount > 1))
    return f"{text} to {effect.side}" if effect.side else text


def _resources(pair: Pair, x: int, y: int) -> Iterator[str]:
    """Ore and energy, one above the other; of which there is none, that is not drawn."""
    held = [(name, count) for name, count in zip(("ore", "energy"), pair, strict=True) if count]
    for row, (name, count) in enumerate(held):
        yield _icon(name, x, y + 32 * row - 16 * (len(held) - 1), count)


def _icon(name: str, x: int, y: int, count: int | str) -> str:
    shape = f'<path class="icon {name}" d="{ICONS[name]}"/>'
    return f'<g transform="translate({x} {y})">{shape}<text class="count" y="5">{count}</text></g>'


def _planet(planet: Planet, half: int) -> Iterator[str]:
    yield f'<text class="name" x="{_WIDE // 2}" y="-10">{planet.name}</text>'
    yield f'<rect class="card" width="{_WIDE}" height="{_PLANET_HIGH}" rx="10"/>'
    yield _icon("strength", 25, _PLANET_HIGH // 2, planet.strength)
    spaces = [*planet.halves[0], *reversed(planet.halves[1])]
    wide = (_WIDE - 56) // (2 * half)
    for number, space in enumerate(spaces):
        x = 48 + number * wide
        yield f'<rect class="space" x="{x}" y="10" width="{wide}" height="{_PLANET_HIGH - 20}"/>'
        yield from _resources(space, x + wide // 2, _PLANET_HIGH // 2)
    yield f'<path class="middle" d="M{48 + half * wide} 4V{_PLANET_HIGH - 4}"/>'


def _legend() -> Iterator[str]:
    for row, (icon, meaning) in enumerate([("ore", "ore"), ("energy", "energy"), ("strength", "strength")]):
        yield f'{_icon(icon, 16, 16 + 36 * row, "")}<text class="note" x="42" y="{21 + 36 * row}">{meaning}</text>'
    for row, note in enumerate(_NOTES):
        yield f'<text class="note" y="{142 + 22 * row}">{note}</text>'
