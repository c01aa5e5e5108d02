"""Positions as SVG, whatever game they are of."""

from __future__ import annotations

from typing import Any

import numpy as np

from starboard.render.canvas import AUTO, THEMES, Canvas, size
from starboard.spec import GameSpec, one_of

_LINE, _LETTER, _MARGIN = 18, 8.6, 16
_MOST, _COLUMNS, _CELL, _GAP = 12, 3, 320, 12


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
    style = {"rect": "fill: $paper", "text": "font: 14px DejaVu Sans Mono, monospace; fill: $ink"}
    canvas = Canvas(width, 2 * _MARGIN + _LINE * len(lines), spec.name, f"a position of {spec.name}", style, theme)
    canvas.add("rect", width="100%", height="100%")
    for row, line in enumerate(lines):
        canvas.add("text", line, x=_MARGIN, y=_MARGIN + _LINE * (row + 0.8), **{"xml:space": "preserve"})
    return canvas.svg()


def overview(spec: GameSpec, records: np.ndarray, theme: str = "light") -> str:
    """The first of many games in one picture, each as the seat to move sees it, and how many more there are.

    :param records: the games, a record array of shape (N,).
    """
    shown = records[:_MOST]
    pictures = [draw(spec, record, int(record["to_move"]), theme) for record in shown]
    columns = min(_COLUMNS, len(pictures))
    row = _GAP + max(_CELL * height / width for width, height in map(size, pictures))
    rows = -(-len(pictures) // columns)
    more = len(records) - len(shown)
    width, height = _GAP + columns * (_CELL + _GAP), _GAP + rows * row + 2 * _GAP * (more > 0)
    style = {".games-sheet": "fill: $paper", ".games-more": "font-size: 14px"}
    canvas = Canvas(width, height, f"{spec.name}-games", f"{len(records)} games of {spec.name}", style, theme)
    canvas.add("rect", class_="games-sheet", width="100%", height="100%")
    for k, picture in enumerate(pictures):
        canvas.nest(picture, _GAP + k % columns * (_CELL + _GAP), _GAP + k // columns * row, _CELL)
    if more:
        canvas.add("text", f"and {more:,} more", class_="games-more", x=_GAP, y=height - _GAP)
    return canvas.svg()
