"""A picture of a set of cards, to compare with the cards themselves: a pure function of the set."""

from __future__ import annotations

from collections.abc import Sequence

from asterion_envs.cards import Card
from asterion_envs.shapes import HALF, STYLE, draw_card, draw_item, draw_prisoner
from starboard.render.canvas import AUTO, Canvas

_SCALE = 1.6
_COLUMNS = 6
_EDGE = 2 * HALF * _SCALE
_WIDE, _HIGH = _EDGE + 24, _EDGE + 48
_MARGIN = 16

_STYLE = {**STYLE, ".name": "font-size: 15px; text-anchor: middle", ".note": "font-size: 14px"}


def sheet(cards: Sequence[Card]) -> str:
    """An SVG of ``cards``, N up: corridors, what lies in them, and names below. It suits light and dark pages.

    >>> from asterion_envs.cards import load
    >>> print(sheet(load("reference"))[:39])
    <svg xmlns="http://www.w3.org/2000/svg"
    """
    width = 2 * _MARGIN + _COLUMNS * _WIDE
    height = 2 * _MARGIN + -(-(len(cards) + 1) // _COLUMNS) * _HIGH
    title = f"The {len(cards)} labyrinth cards of a player"
    canvas = Canvas(width, height, "asterion-cards", title, _STYLE, AUTO)
    for number, card in enumerate(cards):
        with canvas.group(transform=_place(number), data_what="card", data_card=card.name):
            canvas.add("title", _words(card))
            with canvas.group(transform=f"scale({_SCALE})"):
                draw_card(canvas, card, 0, 0)
            canvas.add("text", card.name, class_="name", y=_EDGE / 2 + 22)
    with canvas.group(transform=_place(len(cards))):
        _legend(canvas)
    return canvas.svg()


def _place(number: int) -> str:
    row, column = divmod(number, _COLUMNS)
    return f"translate({_MARGIN + _WIDE * (column + 0.5):g} {_MARGIN + _HIGH * row + _EDGE / 2:g})"


def _words(card: Card) -> str:
    held = [f"prisoner in {card.corridors[card.prisoner]}"]
    for item, counts in (("wing", card.wings), ("coin", card.coins)):
        for corridor, count in zip(card.corridors, counts, strict=True):
            if count:
                held.append(f"{count} {item}{'s' * (count > 1)} in {corridor}")
    return f"{card.name}: corridors {', '.join(card.corridors)}; {', '.join(held)}"


def _legend(canvas: Canvas) -> None:
    draw_prisoner(canvas, 0, "free", transform="translate(-64 -64)")
    draw_item(canvas, "wings", 1, transform="translate(-64 -32)")
    draw_item(canvas, "coins", 1, transform="translate(-64 0)")
    for row, text in enumerate(("prisoner", "wing", "coin (treasure)")):
        canvas.add("text", text, class_="note", x=-42, y=32 * row - 59)
    for row, text in enumerate(("With a number: so many.", "Round end: a dead end.", "Bridge: not joined.")):
        canvas.add("text", text, class_="note", x=-_EDGE / 2, y=22 * row + 38)
