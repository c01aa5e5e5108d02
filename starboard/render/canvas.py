"""SVG, element by element: what the drawings of all games are made with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from string import Template
from xml.sax.saxutils import escape, quoteattr

THEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "board": "#f6f8fa",
        "raised": "#eaeef2",
        "line": "#59636e",
        "ink": "#1f2328",
        "faint": "#818b98",
        "back": "#afb8c1",
        "mark": "#9a6700",
        "seat0": "#0072b2",
        "seat1": "#d55e00",
        "seat2": "#009e73",
        "seat3": "#aa4499",
        "pale0": "#b3d5e8",
        "pale1": "#f4c7a8",
        "pale2": "#aaddcc",
        "pale3": "#e6c3df",
        "on_seat": "#ffffff",
        "seat4": "#e0a800",
        "pale4": "#f5e3a1",
        "path": "#ffffff",
        "dim": "#ccd2d9",
        "danger": "#b3203a",
        "gold": "#f0c000",
        "wing": "#f3b6da",
        "ore": "#f0a35e",
        "energy": "#8cd0ff",
        "on_resource": "#1f2328",
    },
    "dark": {
        "paper": "#0d1117",
        "board": "#151b23",
        "raised": "#262c36",
        "line": "#9198a1",
        "ink": "#e6edf3",
        "faint": "#7d8590",
        "back": "#3d444d",
        "mark": "#e3b341",
        "seat0": "#56b4e9",
        "seat1": "#f0883e",
        "seat2": "#2ec4a0",
        "seat3": "#d68fd0",
        "pale0": "#16405c",
        "pale1": "#5c3315",
        "pale2": "#124d40",
        "pale3": "#52305a",
        "on_seat": "#0d1117",
        "seat4": "#f0dc5a",
        "pale4": "#4d4515",
        "path": "#0d1117",
        "dim": "#444c56",
        "danger": "#b02a43",
        "gold": "#f0c000",
        "wing": "#f3b6da",
        "ore": "#f0a35e",
        "energy": "#8cd0ff",
        "on_resource": "#1f2328",
    },
}
"""Colours by role. Those of the seats can be told apart by the colour-blind (after Okabe and Ito), the four of a kind
by their brightness, too; drawings add a shape to each."""
AUTO = "auto"
"""The theme of a picture that follows the reader's: light, or dark where the page around it is."""

FONT = "DejaVu Sans, Verdana, system-ui, sans-serif"

_HEAD = re.compile(r'<svg (?:[^>]* )?(width="([\d.]+)" height="([\d.]+)") viewBox="')


def _head(svg: str) -> re.Match[str]:
    found = _HEAD.match(svg)
    if found is None:
        raise ValueError(f'svg: must begin with <svg and have width="..." height="..." viewBox, not {svg[:60]!r}')
    return found


def size(svg: str) -> tuple[float, float]:
    """Width and height of a picture, in pixels.

    :raises ValueError: if it does not begin as those of :class:`Canvas` do.
    """
    found = _head(svg)
    return float(found[2]), float(found[3])


def number(value: float) -> str:
    """``value`` to two digits after the point, without zeros that say nothing."""
    return f"{round(value, 2) + 0.0:.10g}"


class Canvas:
    """A picture under way. Each element stands on a line of its own, so that frames of a replay share what is alike.

    What an element shows is told by ``data-`` attributes (``data_what="stone"``, ``data_at="e5"``, ``data_seat=0``):
    tests, and programs that read a picture, find everything by them.

    :param width: of the picture, in pixels.
    :param height: likewise.
    :param name: of the game; with the theme, it keeps the styles of several pictures on one page apart.
    :param title: what the picture shows, in words.
    :param style: CSS, ``selector -> declarations``; ``$ink`` and the like stand for the colours of :data:`THEMES`.
    :param theme: ``"light"``, ``"dark"`` or ``"auto"``.
    """

    def __init__(
        self, width: float, height: float, name: str, title: str, style: Mapping[str, str], theme: str = "light"
    ) -> None:
        scope, w, h = f"{name}-{theme}", number(width), number(height)
        place = f'width="{w}" height="{h}" viewBox="0 0 {w} {h}"'
        self._head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope}" {place} role="img">',
            f"<title>{escape(title)}</title>",
            "<style>",
            *_rules(scope, style, theme),
            "</style>",
        ]
        self._lines: list[str] = []

    def add(self, tag: str, text: str | None = None, /, **attributes: object) -> None:
        """One element. Attributes that are None are left out; ``class_`` is ``class``, and ``_`` stands for ``-``."""
        opening = f"<{tag}{_attributes(attributes)}"
        self._lines.append(f"{opening}/>" if text is None else f"{opening}>{escape(text)}</{tag}>")

    @contextmanager
    def group(self, **attributes: object) -> Iterator[None]:
        """What is added meanwhile belongs together; attributes as for :meth:`add`."""
        self._lines.append(f"<g{_attributes(attributes)}>")
        yield
        self._lines.append("</g>")

    def nest(self, svg: str, x: float, y: float, width: float) -> None:
        """Another picture within this one, scaled to ``width``.

        :raises ValueError: as :func:`size`.
        """
        found = _head(svg)
        height = width * float(found[3]) / float(found[2])
        place = _attributes({"x": x, "y": y, "width": width, "height": height})
        self._lines.append(f"{svg[: found.start(1)]}{place.lstrip()}{svg[found.end(1) :].rstrip()}")

    def svg(self) -> str:
        """The picture as a text."""
        return "\n".join([*self._head, *self._lines, "</svg>\n"])


def _attributes(attributes: Mapping[str, object]) -> str:
    found = []
    for name, value in attributes.items():
        if value is not None:
            text = number(value) if isinstance(value, float) else str(value)
            found.append(f" {_name(name)}={_quoted(text)}")
    return "".join(found)


@cache
def _name(keyword: str) -> str:
    return keyword.rstrip("_").replace("_", "-")


# Most attributes of a picture stand in it, or in the one before, many times.
_quoted = lru_cache(4096)(quoteattr)


def _rules(scope: str, style: Mapping[str, str], theme: str) -> list[str]:
    """The lines of ``style``, for the picture with class ``scope`` alone."""
    style = {"text": f"font-family: {FONT}; fill: $ink", **style}
    if theme == AUTO:
        dark = _rules(scope, style, "dark")
        return [*_rules(scope, style, "light"), "@media (prefers-color-scheme: dark) {", *dark, "}"]
    return [f".{scope} {selector} {{ {Template(rule).substitute(THEMES[theme])} }}" for selector, rule in style.items()]
