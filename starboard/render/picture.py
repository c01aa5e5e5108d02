"""A position as SVG, whatever game it is of."""

from __future__ import annotations

from typing import Any

from starboard.aec import one_of
from starboard.render.canvas import AUTO, THEMES, Canvas
from starboard.spec import GameSpec

_LINE, _LETTER, _MARGIN = 18, 8.6, 16


def draw(spec: GameSpec, record: Any, viewer: int | None = None, theme: str = "light") -> str:
    """The position ``record`` as SVG, drawn by the game itself, or as its text for a game that draws none.

    :param viewer: a seat: what it may not see is drawn face down. None shows all.
    :param theme: ``"light"``, ``"dark"``, or ``"auto"``, which follows the page around the picture.
    :raises ValueError: if there is no such seat or theme.
    """
    one_of("theme", theme, (*THEMES, AUTO))
    if viewer is not None and not 0 <= viewer < spec.num_players:
        raise ValueError(f"viewer={viewer!r}: must be a seat, 0 .. {spec.num_players - 1}, or None")
    if spec.svg is not None:
        return spec.svg(record, viewer, theme)
    lines = spec.text(record, viewer).splitlines()
    width = 2 * _MARGIN + _LETTER * max(map(len, lines), default=0)
    style = {"rect": "fill: $paper", "text": "font: 14px DejaVu Sans Mono, monospace; fill: $ink; white-space: pre"}
    canvas = Canvas(width, 2 * _MARGIN + _LINE * len(lines), spec.name, f"a position of {spec.name}", style, theme)
    canvas.add("rect", width="100%", height="100%")
    for row, line in enumerate(lines):
        canvas.add("text", line, x=_MARGIN, y=_MARGIN + _LINE * (row + 0.8))
    return canvas.svg()
