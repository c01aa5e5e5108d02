"""Asterion drawn as SVG: a pure function of a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from asterion_envs import kernels
from asterion_envs.cards import DIRECTIONS, Card
from asterion_envs.shapes import (
    CLOSED,
    HALF,
    HUES,
    OPEN,
    REACHED,
    STYLE,
    corridors,
    draw_asterion,
    draw_back,
    draw_card,
    draw_crown,
    draw_item,
    draw_prisoner,
)
from asterion_envs.state import ASTERION, COLOURS, NOTHING, coordinates
from starboard.render.canvas import Canvas


class _Panel(NamedTuple):
    """Sizes in the panel of a seat."""

    height: int
    edge: int
    """Of the card in hand."""
    left: int
    """Where the list of cards begins, nine in a row."""
    top: int
    pitch: float
    """From one card of the list to the next."""


_PANELS = {2: _Panel(291, 176, 12, 198, 39.5), 3: _Panel(212, 104, 12, 124, 38.5), 4: _Panel(156, 132, 156, 96, 23.5)}
"""By the number of players."""
_MARGIN, _AXIS, _BOARD, _PANEL, _HEADER, _GAP, _LEGEND = 20, 24, 700, 380, 56, 12, 44
_CARD = 2 * HALF
_LEAST = 7
"""Spaces that are drawn side by side at least, so that the first cards are not huge."""

_STYLE = {
    **STYLE,
    ".sheet": "fill: $paper",
    ".space": "fill: $raised; stroke: $paper; stroke-width: 3",
    ".near": "fill: $board; stroke: $faint; stroke-width: 2; stroke-dasharray: 7 6",
    ".exit": "fill: $faint",
    ".way": "fill: $danger",
    ".swatch": "stroke: $line",
    ".last": "fill: none; stroke: $ink; stroke-width: 5",
    ".axis": "font-size: 12px; fill: $faint; text-anchor: middle",
    ".head": "font-size: 24px",
    ".side": "font-size: 14px; fill: $line",
    ".right": "text-anchor: end",
    ".panel": "fill: $board; stroke: $back",
    **{f".s{seat}.marked": f"stroke: $seat{hue}; stroke-width: 4" for seat, hue in enumerate(HUES)},
    ".name": "font-size: 20px",
    ".score": "font-size: 36px; text-anchor: end",
    ".number": "font-size: 17px",
    ".slot": "font-size: 14px; text-anchor: middle",
    ".blank": "fill: none; stroke: $back; stroke-width: 2",
    ".placed": "fill: none; stroke: $back; stroke-width: 4; stroke-dasharray: 10 10",
    ".gone": "stroke: $ink; stroke-width: 9",
}
_SIGNS = (
    (REACHED, "Asterion's way", 101),
    (OPEN, "way out", 54),
    (CLOSED, "no way out", 77),
    ("free", "escapes", 57),
    ("shut", "shut in", 46),
    ("tomb", "impaled", 57),
    ("back", "to come", 57),
    ("wings", "two wings fly", 91),
    ("coins", "coin", 28),
    ("last", "last card", 60),
)
"""Of the legend: what is drawn, what it means, and how many pixels these words need."""


_Standings = Sequence[tuple[int, int, int, int]]
"""Of each seat, what :func:`asterion_envs.kernels.standing` says."""


def svg(p: Any, s: Any, viewer: int | None, theme: str, cards: Sequence[Card]) -> str:
    """The table of state ``s`` under options ``p``, and beside it a panel for each seat.

    On the table: corridors that are joined to Asterion in a colour of their own, those without an exit dim; an arrow at
    each exit; a tomb for each prisoner who is impaled; the others filled, or hollow if they would not escape; a frame
    around the last card; dashes where a card may come next.

    In a panel: the card in hand, the score, escapes and tombs as if the game ended now, the number of cards to come,
    and those of the 17 that are not on the table: they are to come, or out of the game (crossed out). The board and the
    picture are always of the same size; in the basic mode the scale follows the labyrinth.

    :param viewer: of other seats, the card in hand is face down, and the list does not tell which cards are removed;
        None shows all.
    :param theme: as :class:`starboard.render.canvas.Canvas` takes it.
    """
    players = int(p["players"])
    standings = [kernels.standing(p, s, seat) for seat in range(players)]
    header = _header(s, standings)
    left, top = 2 * _MARGIN + _AXIS + _BOARD, _MARGIN + 30
    width, height = left + _PANEL + _MARGIN, 2 * _MARGIN + _BOARD + _AXIS + _LEGEND
    canvas = Canvas(width, height, "asterion", f"Asterion: {header}", _STYLE, theme)
    canvas.add("rect", class_="sheet", width="100%", height="100%")
    _table(canvas, p, s, cards)
    canvas.add("text", header, class_="head", x=left, y=top, data_what="header")
    if viewer is not None:
        canvas.add("text", f"seen by {COLOURS[viewer]}", class_="side right", x=left + _PANEL, y=top)
    for seat in range(players):
        place = f"translate({left} {_MARGIN + _HEADER + seat * (_PANELS[players].height + _GAP)})"
        with canvas.group(transform=place, data_what="seat", data_seat=seat):
            _panel(canvas, s, seat, standings)
            _hand(canvas, s, seat, standings, viewer in (None, seat), cards)
            _list(canvas, s, seat, _PANELS[players], viewer in (None, seat), cards)
    _legend(canvas)
    return canvas.svg()


def _header(s: Any, standings: _Standings) -> str:
    """Whose turn it is, or who has won (AN-4.4)."""
    if not s["terminated"]:
        verb = "remove a card" if s["to_remove"][s["to_move"]] else "move"
        return f"{COLOURS[s['to_move']]} to {verb}"
    winners = [COLOURS[seat] for seat in _winners(standings)]
    if len(winners) == 1:
        return f"{winners[0]} wins"
    return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory"


def _winners(standings: _Standings) -> list[int]:
    best = max(standing[:2] for standing in standings)
    return [seat for seat, standing in enumerate(standings) if standing[:2] == best]


def _window(p: Any, s: Any) -> tuple[int, int, int]:
    """The square that is drawn: its least x, its greatest y, and how many spaces a side of it has."""
    radius = int(p["radius"])
    if p["removals"]:  # AN-2.1: on a board
        return -radius, radius, 2 * radius + 1
    spaces = coordinates(radius)
    xs, ys = zip(*(spaces[space] for space in s["order"][: s["known"]].tolist()), strict=True)
    wide, high = max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
    count = max(_LEAST, wide, high)
    return min(xs) - (count - wide) // 2, max(ys) + (count - high) // 2, count


def _table(canvas: Canvas, p: Any, s: Any, cards: Sequence[Card]) -> None:
    """The board, or the part of the table that is in use, with all cards on it."""
    spaces = coordinates(int(p["radius"]))
    least, greatest, count = _window(p, s)
    for i in range(count):
        at = (i + 0.5) * _BOARD / count
        canvas.add("text", str(least + i), class_="axis", x=_MARGIN + _AXIS + at, y=_MARGIN + _AXIS + _BOARD + 4)
        canvas.add("text", str(greatest - i), class_="axis", x=_MARGIN + 6, y=_MARGIN + at + 4)
    order = s["order"][: s["known"]].tolist()
    laid, near = order[: s["laid"]], order[s["laid"] :]
    corners = [(_CARD * (x - least), _CARD * (greatest - y)) for x, y in spaces]
    place = f"translate({_MARGIN + _AXIS} {_MARGIN})scale({_BOARD / (_CARD * count):.4g})"
    with canvas.group(transform=place, data_what="table"):
        within = range(_CARD * count)
        squares = [f"M{x} {y}h{_CARD}v{_CARD}h-{_CARD}z" for x, y in corners if x in within and y in within]
        canvas.add("path", class_="space", d="".join(squares))
        if not s["terminated"]:
            for space in sorted(near):
                _frame(canvas, "near", spaces[space], corners[space], 7)
        labyrinth = _Labyrinth(p, s)
        for space in sorted(laid):
            labyrinth.draw(canvas, space, spaces[space], corners[space], cards)
        if len(laid) > 1:
            _frame(canvas, "last", spaces[laid[-1]], corners[laid[-1]], -1)


def _frame(canvas: Canvas, what: str, space: tuple[int, int], corner: tuple[int, int], inset: int) -> None:
    """A frame in a space, or around it."""
    x, y, size = corner[0] + inset, corner[1] + inset, _CARD - 2 * inset
    canvas.add(
        "rect", class_=what, x=x, y=y, width=size, height=size, rx=7, data_what=what, data_at="({},{})".format(*space)
    )


class _Labyrinth:
    """What drawing needs of a state; lists, because reading single entries of arrays is slow."""

    def __init__(self, p: Any, s: Any) -> None:
        self.card, self.turn, self.owner = s["card"].tolist(), s["turn"].tolist(), s["owner"].tolist()
        self.part, self.exits, self.wings = s["part"].tolist(), s["exits"].tolist(), s["wings"].tolist()
        self.across = p["across"].tolist()
        self.asterion = 4 * (int(p["spaces"]) // 2)
        """Label of Asterion's part."""

    def draw(
        self, canvas: Canvas, space: int, at: tuple[int, int], corner: tuple[int, int], cards: Sequence[Card]
    ) -> None:
        """The card on ``space``."""
        place = f"translate({corner[0] + HALF} {corner[1] + HALF})"
        name = "({},{})".format(*at)
        if self.card[space] == ASTERION:
            with canvas.group(transform=place, data_what="card", data_at=name):
                draw_asterion(canvas)
                self._draw_exits(canvas, space)
            return
        card, turns, seat = cards[self.card[space]], self.turn[space], self.owner[space]
        states, free = {}, False
        for corridor in corridors(card, turns):
            label = self.part[4 * space + corridor.directions[0]]
            states[corridor.number] = REACHED if label == self.asterion else OPEN if self.exits[label] else CLOSED
            if corridor.number == card.prisoner:
                free = self.exits[label] > 0 or self.wings[label] >= 2  # AN-4.2
        facts = {"data_at": name, "data_seat": seat, "data_card": card.name, "data_turns": turns}
        with canvas.group(transform=place, data_what="card", **facts):
            draw_card(canvas, card, turns, seat, states, free)
            self._draw_exits(canvas, space)

    def _draw_exits(self, canvas: Canvas, space: int) -> None:
        """An arrow at each opening that leads outside (AN-3.3)."""
        for d in range(4):
            label, across = self.part[4 * space + d], self.across[4 * space + d]
            if label != NOTHING and self.card[across >> 2] == NOTHING:
                kind = "way" if label == self.asterion else "exit"
                place = f"rotate({90 * d})"
                canvas.add("path", class_=kind, transform=place, d="M-10-54H10L0-65Z", data_exit=DIRECTIONS[d])


def _panel(canvas: Canvas, s: Any, seat: int, standings: _Standings) -> None:
    """The panel of a seat, with its name and numbers."""
    panel = _PANELS[len(standings)]
    score, _, escapes, tombs = standings[seat]
    marked = seat in _winners(standings) if s["terminated"] else seat == s["to_move"]
    frame = f"panel s{seat} marked" if marked else "panel"
    canvas.add("rect", class_=frame, width=_PANEL, height=panel.height, rx=10)
    left, right = panel.edge + 28, _PANEL - 14
    draw_prisoner(canvas, seat, "free", transform=f"translate({left + 10} 28)scale(1.2)")
    canvas.add("text", COLOURS[seat], class_="name", x=left + 30, y=35)
    canvas.add("text", str(score), class_="score", x=right, y=42, data_what="score")
    numbers = {"escapes": escapes, "tombs": tombs, "left": s["left"][seat]}
    for i, (what, count) in enumerate(numbers.items()):
        x = left + i * (right - left) / 3
        _sign(canvas, {"escapes": "free", "tombs": "tomb", "left": "back"}[what], seat, x + 10, 74)
        canvas.add("text", str(count), class_="number", x=x + 26, y=80, data_what=what)


def _hand(canvas: Canvas, s: Any, seat: int, standings: _Standings, known: bool, cards: Sequence[Card]) -> None:
    """The card in hand, ``known`` or face down; before play what is to remove; after it a prisoner, crowned or not."""
    edge = _PANELS[len(standings)].edge
    hand, to_remove = int(s["hand"][seat]), int(s["to_remove"][seat])
    with canvas.group(transform=f"translate({12 + edge / 2:g} {12 + edge / 2:g})scale({edge / _CARD:g})"):
        if s["terminated"]:
            draw_prisoner(canvas, seat, "free", transform="translate(0 12)scale(2.4)")
            if seat in _winners(standings):
                draw_crown(canvas, transform="translate(0 10)scale(2.4)", data_what="winner")
        elif hand == NOTHING:
            canvas.add("rect", class_="blank", x=-48, y=-48, width=96, height=96, rx=6)
            if to_remove:
                canvas.add("text", str(to_remove), class_="slot", y=-2, data_what="to_remove")
                canvas.add("text", "to remove", class_="slot", y=16)
        else:
            with canvas.group(data_what="hand", data_card=cards[hand].name if known else None):
                if known:
                    draw_card(canvas, cards[hand], 0, seat)
                else:
                    draw_back(canvas, seat)


def _list(canvas: Canvas, s: Any, seat: int, panel: _Panel, known: bool, cards: Sequence[Card]) -> None:
    """The cards of a seat that are not on the table, nor, if that is ``known``, in hand."""
    deck, removed, aside = (int(s[name][seat]) for name in ("deck", "removed", "aside"))
    sets = {"aside": aside, "removed": removed, "deck": deck}
    if not known:
        hand = int(s["hand"][seat])
        sets = {"aside": aside, "hidden": deck | removed | (0 if hand == NOTHING else 1 << hand)}
    for i, card in enumerate(cards):
        row, column = divmod(i, 9)
        x, y = panel.left + panel.pitch * (column + 0.5), panel.top + panel.pitch * (row + 0.5)
        place = f"translate({x:.5g} {y:.5g})scale({panel.pitch / 110:.3g})"
        what = next((name for name, members in sets.items() if members >> i & 1), None)
        if what is None:
            canvas.add("rect", class_="placed", transform=place, x=-48, y=-48, width=96, height=96, rx=6)
            continue
        with canvas.group(transform=place, data_what=what, data_card=card.name):
            draw_card(canvas, card, 0, seat)
            if what in ("aside", "removed"):
                canvas.add("path", class_="gone", d="M-40-40L40 40M-40 40L40-40")


def _sign(canvas: Canvas, sign: str, seat: int, x: float, y: float) -> None:
    """A sign of the legend; ``seat`` lends its colour."""
    place = f"translate({x:.4g} {y:.4g})"
    if sign in ("free", "shut", "tomb"):
        draw_prisoner(canvas, seat, sign, transform=place)
    elif sign == "back":
        draw_back(canvas, seat, transform=f"{place}scale(.22)")
    elif sign in ("wings", "coins"):
        draw_item(canvas, sign, 1, transform=place)
    else:
        canvas.add("path", class_=f"{sign} swatch", transform=place, d="M-10-8H10V8H-10Z")


def _legend(canvas: Canvas) -> None:
    """What the signs mean, below the table."""
    x, y = _MARGIN + 10, _MARGIN + _BOARD + _AXIS + _LEGEND - 10
    for sign, words, wide in _SIGNS:
        _sign(canvas, sign, 0, x, y - 5)
        canvas.add("text", words, class_="side", x=x + 16, y=y)
        x += 50 + wide
