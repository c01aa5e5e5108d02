"""Asteria drawn as SVG: a pure function of a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np

from asteria_envs.cards import MOST_EFFECTS, SIDES, Action, Deck, Effect, Pair, Planet, Side
from asteria_envs.kernels import POINTS, area_totals, is_face_down, totals
from asteria_envs.notation import HALVES, RESOURCES
from asteria_envs.sheet import ICONS, words
from asteria_envs.state import (
    AREA,
    CONQUESTS,
    DECISIONS,
    DOMINATED,
    HAND,
    IDLE_TURNS,
    MOST,
    SLOTS,
    STAGES,
)
from starboard.render.canvas import Canvas, number

_WIDE, _EDGE, _GAP = 1200, 14, 10
_HEAD, _PANEL, _TABLE, _FOOT = 58, 190, 452, 20
_HIGH = 2 * _EDGE + 4 * _GAP + _HEAD + 2 * _PANEL + _TABLE + _FOOT
_INNER = _WIDE - 2 * _EDGE
_COLUMN, _PILES = 252, 84  # play areas with the piles between them, to the right of the planets
_SLOT = (_INNER - _COLUMN) / SLOTS - _GAP
_OWN = 220  # of a player's panel: all but the hand
_TRACK, _SPACE = 96, 54  # width of a planet's track, and the greatest height of a space
_ACTION, _BACK, _PLANET = (206, 170), (128, 170), (98, 170)
_STRIP = 36
_LETTER, _LINE, _ICON, _SPACED = 11.5, 14, 14, 5  # of what cards do: letters, lines, icons, space between pieces

_STYLE = {
    ".sheet": "fill: $paper",
    ".box": "fill: $board; stroke: $raised; stroke-width: 1.5",
    ".due": "stroke: $mark; stroke-width: 3",
    ".gap": "fill: none; stroke: $back; stroke-width: 1.5; stroke-dasharray: 6 5",
    ".sky": "fill: none; stroke: $back; stroke-width: 2.5; stroke-linecap: round",
    ".card": "fill: $paper; stroke: $faint",
    ".trail0": "fill: $pale0",
    ".trail1": "fill: $pale1",
    ".free": "stroke: $ink; stroke-width: 2",
    ".back": "fill: $back; stroke: $faint",
    ".print": "fill: none; stroke: $board; stroke-width: 2",
    ".rule": "fill: none; stroke: $raised; stroke-width: 1.5",
    ".middle": "stroke: $line; stroke-width: 2.5; stroke-dasharray: 5 4",
    ".met": "fill: none; stroke: $mark; stroke-width: 3.5",
    ".pill": "fill: $raised",
    ".alarm": "fill: $mark",
    ".icon": "stroke: $line; stroke-linejoin: round",
    ".ore": "fill: $ore",
    ".energy": "fill: $energy",
    ".strength": "fill: $raised",
    ".ring": "fill: none; stroke: $line; stroke-width: 1.5",
    ".seat0": "fill: $seat0",
    ".seat1": "fill: $seat1",
    ".open0": "fill: none; stroke: $seat0; stroke-width: 1.5",
    ".open1": "fill: none; stroke: $seat1; stroke-width: 1.5",
    ".extract": "fill: $seat2",
    ".expand": "fill: $mark",
    ".explore": "fill: $seat3",
    ".exterminate": "fill: $ink",
    ".glyph": "fill: $paper; stroke: $paper; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round",
    ".tick": "fill: none; stroke: $on_seat; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round",
    "text.on": "fill: $on_seat",
    "text.count": "fill: $on_resource",
    "text.faint": "fill: $faint",
    "text.bold": "font-weight: 700",
}
_MARKS = ("M0-12A12 12 0 1 1 0 12A12 12 0 1 1 0-12Z", "M0-15L14 10Q14 12 12 12H-12Q-14 12-14 10Z")
"""Of the seats, whose markers differ in shape, too."""
_BADGE = "M-6-10H6Q10-10 10-6V6Q10 10 6 10H-6Q-10 10-10 6V-6Q-10-10-6-10Z"
_GLYPHS = {
    "extract": "M0-6V2M-4-1L0 3L4-1ZM-6 6.5H6",
    "expand": "M-4 7V-7L6-3.5L-4 0",
    "explore": "M0-7L2-2L7 0L2 2L0 7L-2 2L-7 0L-2-2Z",
    "exterminate": "M0-7V-4M0 4V7M-7 0H-4M4 0H7M2 0A2 2 0 1 1-2 0A2 2 0 1 1 2 0Z",
}
_STAR = "M0-9L2.6-3L9-2.8L4 1.2L5.6 7.5L0 4L-5.6 7.5L-4 1.2L-9-2.8L-2.6-3Z"
_RING = "M-9 4C-17 10-13 11 0 5.5S17-5 9-4"
_GLOBE = f"M10 0A10 10 0 1 1-10 0A10 10 0 1 1 10 0{_RING}"
_SKY = "".join(f"M{18 + n * n * 37 % 261} {24 + n * n * n * 29 % 409}h0" for n in range(1, 34))
_TURNED = "M4.3 2.5A5 5 0 1 1 4.3-2.5M5-7V-2H0"

_Token = tuple[str, str]
"""``("text", words)``, ``("when", words)`` or ``("icon", name)``."""
_Piece = list[_Token]
"""What stays together on a line."""
_Size = tuple[float, float]
"""Width and height."""
_Place = tuple[float, float, float]
"""x, y and scale."""


class _Box(NamedTuple):
    x: float
    y: float
    wide: float
    high: float


def svg(p: Any, s: Any, viewer: int | None, theme: str, deck: Deck) -> str:
    """State ``s``, the side of seat ``viewer`` below, that of seat 0 for None; all pictures have one size.

    What an element shows is told by ``data-what``: "slot", "space", "marker", "distance", "strength", "card" and
    "planet" (face up), "back" (face down, ``data-of`` which kind), "resource", "points", "conquest", "pile", "effect"
    (still to come), "turn", "idle", "active", "decision" or "result". Where a card lies, ``data-where`` says: in a
    "slot", "row", "area" or "hand", "committed" or "dominated". Others say whose, where, which and how many.

    :param p: the record of options and tables.
    :param viewer: the other seat's hand and face-down planet card are not shown; None shows all.
    :param theme: as for :func:`starboard.render.draw`.
    """
    return _Drawing(p, s, viewer, theme, deck).svg()


class _Drawing:
    """One picture under way."""

    def __init__(self, p: Any, s: Any, viewer: int | None, theme: str, deck: Deck) -> None:
        self.p, self.s, self.viewer, self.deck = p, s, viewer, deck
        self.canvas = Canvas(_WIDE, _HIGH, "asteria", "a position of Asteria", _STYLE, theme)

    def svg(self) -> str:
        """The whole picture."""
        near = self.viewer or 0
        self.canvas.add("rect", class_="sheet", width=_WIDE, height=_HIGH)
        y = _EDGE
        self.head(_Box(_EDGE, y, _INNER, _HEAD))
        y += _HEAD + _GAP
        self.panel(1 - near, _Box(_EDGE, y, _INNER, _PANEL))
        y += _PANEL + _GAP
        for slot in range(SLOTS):
            self.slot(slot, near, _Box(_EDGE + slot * (_SLOT + _GAP), y, _SLOT, _TABLE))
        x, high = _WIDE - _EDGE - _COLUMN, (_TABLE - _PILES) / 2 - _GAP
        self.area(1 - near, _Box(x, y, _COLUMN, high))
        self.piles(_Box(x, y + high + _GAP, _COLUMN, _PILES))
        self.area(near, _Box(x, y + _TABLE - high, _COLUMN, high))
        y += _TABLE + _GAP
        self.panel(near, _Box(_EDGE, y, _INNER, _PANEL))
        self.legend(y + _PANEL + _GAP + _FOOT / 2)
        return self.canvas.svg()

    # Elements

    @contextmanager
    def at(self, x: float, y: float, scale: float = 1, /, **data: object) -> Iterator[None]:
        """A group with its zero point there."""
        with self.canvas.group(transform=_transform(x, y, scale), **data):
            yield

    def path(self, kind: str, d: str, x: float = 0, y: float = 0, scale: float = 1) -> None:
        self.canvas.add("path", class_=kind, d=d, transform=_transform(x, y, scale))

    def rect(self, kind: str, box: _Box, rx: float = 8, **data: object) -> None:
        self.canvas.add("rect", class_=kind, x=box.x, y=box.y, width=box.wide, height=box.high, rx=rx, **data)

    def text(
        self,
        what: object,
        x: float,
        y: float,
        size: float,
        kind: str | None = None,
        anchor: str | None = None,
        limit: float = _WIDE,
        **data: object,
    ) -> None:
        """One line, in smaller letters if it would be wider than ``limit``."""
        shown = str(what)
        wide = _width(shown) * size * (_BOLD if kind and "bold" in kind else 1)
        size = min(size, size * limit / wide)
        self.canvas.add("text", shown, class_=kind, x=x, y=y, font_size=size, text_anchor=anchor, **data)

    def icon(self, name: str, x: float, y: float, scale: float, count: object = "") -> None:
        """Ore, energy or a strength, with a number on it."""
        self.path(f"icon {name}", ICONS[name], x, y, scale)
        if count != "":
            kind = "bold" if name == "strength" else "bold count"
            self.text(_signed(count), x, y + 5 * scale, 14 * scale, kind, "middle", 21 * scale)

    def pair(self, pair: Pair, x: float, y: float, scale: float) -> None:
        """Ore and energy side by side around (x, y); of which there is none, that is not drawn."""
        held = [(name, count) for name, count in zip(RESOURCES, pair, strict=True) if count]
        for k, (name, count) in enumerate(held):
            self.icon(name, x + 29 * scale * (k - (len(held) - 1) / 2), y, scale, count)

    def badge(self, side: str, x: float, y: float, scale: float = 1) -> None:
        """The sign of one of the four sides."""
        self.path(side, _BADGE, x, y, scale)
        self.path("glyph", _GLYPHS[side], x, y, scale)

    def mark(self, seat: int, x: float, y: float, scale: float = 1, /, **data: object) -> None:
        """The sign of a seat, which its markers have, too."""
        with self.at(x, y, scale, **data):
            self.path(f"seat{seat}", _MARKS[seat])
            self.text(seat, 0, (5, 8)[seat], 14, "bold on", "middle")

    def globe(self, planet: Planet, x: float, y: float, scale: float = 1) -> None:
        """A small planet, of the colour of what it has more of."""
        ore, energy = (sum(space[k] for half in planet.halves for space in half) for k in range(2))
        kind = "ore" if ore > energy else "energy" if energy > ore else "strength"
        self.canvas.add("circle", class_=f"icon {kind}", cx=x, cy=y, r=10 * scale)
        self.path("ring", _RING, x, y, scale)

    def words(self, pieces: list[_Piece], box: _Box) -> None:
        """Pieces in lines, as large as they fit."""
        scale = 1.0
        lines = _wrapped(pieces, box.wide)
        while len(lines) * _LINE * scale > box.high or max(map(_length, lines), default=0) * scale > box.wide:
            scale *= 0.94
            lines = _wrapped(pieces, box.wide / scale)
        y = box.y + (box.high - len(lines) * _LINE * scale) / 2
        for line in lines:
            x = box.x
            for piece in line:
                for kind, what in piece:
                    if kind == "icon":
                        self.icon(what, x + _ICON * scale / 2, y + _LINE * scale / 2, 0.45 * scale)
                    else:
                        faint = "faint" if kind == "when" else None
                        self.text(what, x, y + 0.78 * _LINE * scale, _LETTER * scale, faint)
                    x += _token(kind, what) * scale
                x += _SPACED * scale
            y += _LINE * scale

    # The line above, and that below

    def head(self, box: _Box) -> None:
        """How far the game is, what is due and who decides, or how it ended."""
        s = self.s
        self.rect("box", box)
        self.text("Asteria", box.x + 14, box.y + 26, 20, "bold")
        turns = f"turn {s['turn']} of {self.p['max_turns']}"
        self.text(turns, box.x + 14, box.y + 46, 12, "faint", limit=120, data_what="turn", data_count=s["turn"])
        idle = f"{s['idle']} of {IDLE_TURNS} turns without a card"
        self.text(idle, box.x + 118, box.y + 46, 12, "faint", limit=170, data_what="idle", data_count=s["idle"])
        x, middle = box.x + 312, box.y + box.high / 2
        if s["terminated"]:
            winner, how = self.result()
            if winner is not None:
                self.mark(winner, x, middle, 1.2)
            seat = "none" if winner is None else winner
            self.text(how, x + 26, middle + 6, 18, "bold", limit=820, data_what="result", data_seat=seat)
            return
        seat, stage = int(s["to_move"]), STAGES[s["stage"]]
        self.mark(seat, x, middle, 1.2)
        waiting = self.waiting()
        y = box.y + (24 if waiting else 35)
        facts = {"data_decision": DECISIONS[s["decision"]], "data_stage": stage}
        self.text(self.question(seat), x + 26, y, 17, "bold", None, 540, data_what="decision", data_seat=seat, **facts)
        self.text(stage, box.x + box.wide - 14, y, 12, "faint", "end", 280)
        if waiting:
            self.text("still to come:", x + 26, box.y + 46, 12, "faint")
            sizes = [(self.effect_size(*effect), 20) for effect in waiting]
            places = _flow(sizes, _Box(x + 116, box.y + 32, box.x + box.wide - x - 130, 20), 6)
            for effect, place, (wide, _) in zip(waiting, places, sizes, strict=True):
                self.effect(*effect, place, wide)

    def question(self, seat: int) -> str:
        """What is to be decided."""
        s = self.s
        left, to, target = int(s["left"]), int(s["doing_side"]), int(s["doing_target"])
        whose = "own" if target == seat else f"player {target}'s"
        return {
            "main": f"Player {seat} plays a card, spends a planet card, or ends",
            "effect": f"Player {seat}: which effect comes next?",
            "rotate": f"Player {seat}: which card to turn" + (f" to {SIDES[to].capitalize()}?" if to >= 0 else "?"),
            "turn": f"Player {seat}: which half of the new planet comes to the own side?",
            "discard_action": f"Player {seat} discards {left} action card{'s' * (left > 1)}",
            "discard_planet": f"Player {seat} discards {left} planet card{'s' * (left > 1)}",
            "destroy": f"Player {seat} destroys {left} of {whose} free cards",
            "swap": f"Player {seat}: give up to {left} of which resource for the other?",
            "order": f"Player {seat}: which conflict comes first?",
            "commit": f"Player {seat}: add a planet card to the conflict?",
            "give_up": f"Player {seat} gives up an Expand card; three may stay",
            "claim": f"Player {seat}: pay {self.p['need_resources']} of each resource for Economic?",
        }[DECISIONS[s["decision"]]]

    def result(self) -> tuple[int | None, str]:
        """The winner, and how it came about (AT-6.2, AT-6.6)."""
        s = self.s
        turns, most = int(s["turn"]), int(self.p["max_turns"])
        ended = (
            f"after {turns} turn{'s' * (turns > 1)}" if turns >= most else f"after {IDLE_TURNS} turns without a card"
        )
        for name, more in (("points", "more points"), ("dominated", "more planets")):
            first, second = map(int, s[name])
            if first != second:
                winner = int(second > first)
                if max(s["points"]) >= 3:
                    ended = f"with {s['points'][winner]} points"
                    more = " and ".join(CONQUESTS[k].capitalize() for k in self.scored(winner))
                return winner, f"Player {winner} wins {ended}: {more}"
        return None, f"A draw {ended}"

    def scored(self, seat: int) -> list[int]:
        """The conquests of ``seat``."""
        return [k for k in range(len(CONQUESTS)) if self.s["conquered"][seat] >> k & 1]

    def waiting(self) -> list[tuple[int, int, int, int]]:
        """Owner, card, side and place of each effect that is still to be done, as far as it goes in that order."""
        s = self.s
        found = []
        for depth in reversed(range(s["depth"])):
            frame = int(s["stack_owner"]), int(s["stack_card"][depth]), int(s["stack_side"][depth])
            found += [(*frame, index) for index in _bits(s["stack_effects"][depth])]
        queue = [
            (int(s["pending_owner"][card]), card, *divmod(bit, MOST_EFFECTS))
            for card in np.flatnonzero(s["pending"]).tolist()
            for bit in _bits(s["pending"][card])
        ]
        return found + sorted(queue, key=lambda effect: effect[0] != s["active"])

    def effect_size(self, owner: int, card: int, side: int, index: int) -> float:
        """How wide it is drawn."""
        action = self.deck.actions[card]
        return 44 + _BOLD * 11 * _width(action.name) + _length([_effect(action.sides[side].effects[index])])

    def effect(self, owner: int, card: int, side: int, index: int, place: _Place, wide: float) -> None:
        """An effect that is still to be done."""
        action, name = self.deck.actions[card], SIDES[side]
        facts = {"data_card": action.name, "data_side": name, "data_index": index}
        with self.at(*place, data_what="effect", data_seat=owner, **facts):
            self.rect(f"open{owner}", _Box(0.75, 0.75, wide - 1.5, 18.5), 9)
            self.badge(name, 13, 10, 0.7)
            self.text(_label(action.name), 25, 14, 11, "bold")
            after = 32 + _BOLD * 11 * _width(action.name)
            self.words([_effect(action.sides[side].effects[index])], _Box(after, 3, wide - after - 8, 14))

    def legend(self, y: float) -> None:
        """What the signs mean."""
        x: float = _EDGE + 14
        for side in SIDES:
            self.badge(side, x, y, 0.8)
            self.text(side.capitalize(), x + 14, y + 4, 12, "faint")
            x += 34 + 12 * _width(side)
        for icon in ICONS:
            self.icon(icon, x, y, 0.6)
            self.text(icon, x + 14, y + 4, 12, "faint")
            x += 34 + 12 * _width(icon)
        self.rect("card free", _Box(x - 8, y - 7, 22, 14), 3)
        self.text("free card", x + 20, y + 4, 12, "faint")
        self.turned(x + 98, y)
        self.text("turned in this turn", x + 110, y + 4, 12, "faint")
        self.text("they: the opposing player", _WIDE - _EDGE - 14, y + 4, 12, "faint", "end")

    # What a player has

    def panel(self, seat: int, box: _Box) -> None:
        """A player's points, resources, conquests and hand."""
        s = self.s
        due = s["to_move"] == seat and not s["terminated"]
        self.rect("box due" if due else "box", box)
        x, y = box.x + 14, box.y
        self.mark(seat, x + 12, y + 24)
        self.text(f"Player {seat}", x + 34, y + 30, 17, "bold")
        if s["active"] == seat and not s["terminated"]:
            self.rect(f"seat{seat}", _Box(x + 124, y + 15, 76, 19), 9.5, data_what="active", data_seat=seat)
            self.text("own turn", x + 162, y + 28.5, 11.5, "bold on", "middle")
        points = int(s["points"][seat])
        with self.at(x, y + 54, data_what="points", data_seat=seat, data_count=points):
            stars = max(3, points)
            for k in range(stars):
                self.path(f"seat{seat}" if k < points else f"open{seat}", _STAR, 11 + 24 * k)
            self.text(f"{points} of 3 points", 24 * stars + 8, 4.5, 12)
        for k, name in enumerate(RESOURCES):
            count = int(s["resources"][seat, k])
            with self.at(x, y + 82 + 29 * k, data_what="resource", data_of=name, data_seat=seat, data_count=count):
                self.icon(name, 12, 0, 0.92, count)
                for unit in range(MOST):
                    self.rect(name if unit < count else "pill", _Box(31 + 14.2 * unit, -5, 11.5, 10), 2.5)
        for k, name in enumerate(CONQUESTS):
            self.conquest(seat, k, name, x + k % 2 * 102, y + 130 + k // 2 * 26)
        self.hand(seat, _Box(box.x + _OWN + _GAP, box.y + _GAP, box.wide - _OWN - 2 * _GAP, box.high - 2 * _GAP))

    def conquest(self, seat: int, index: int, name: str, x: float, y: float) -> None:
        """A conquest, ticked off if it is scored, else with what it would bring."""
        scored = index in self.scored(seat)
        facts = {"data_of": name, "data_scored": int(scored)}
        with self.at(x, y, data_what="conquest", data_seat=seat, **facts):
            self.rect(f"seat{seat}" if scored else f"open{seat}", _Box(0, 0, 98, 21), 10.5)
            self.text(name.capitalize(), 9, 14.5, 10.5, "on" if scored else None, limit=69)
            if scored:
                self.path("tick", "M-5 0L-2 4L5-4", 86, 10.5)
            else:
                self.text(POINTS[index], 86, 14.5, 11, "bold", "middle")

    def hand(self, seat: int, box: _Box) -> None:
        """Action cards, then planet cards, face up for who may see them."""
        s = self.s
        if self.viewer in (None, seat):
            actions: Sequence[int | None] = _cards(s["action_zone"], HAND + seat)
            planets: Sequence[int | None] = _cards(s["planet_zone"], HAND + seat)
        else:
            actions, planets = [None] * int(s["hand_actions"][seat]), [None] * int(s["hand_planets"][seat])
        sizes = [_BACK if card is None else _ACTION for card in actions] + [_PLANET] * len(planets)
        places = _flow(sizes, box, _GAP)
        for card, place in zip(actions, places, strict=False):
            if card is None:
                with self.at(*place, data_what="back", data_of="action", data_where="hand", data_seat=seat):
                    self.back("action", _BACK)
            else:
                self.action(self.deck.actions[card], place, seat)
        for card, place in zip(planets, places[len(actions) :], strict=True):
            if card is None:
                with self.at(*place, data_what="back", data_of="planet", data_where="hand", data_seat=seat):
                    self.back("planet", _PLANET)
            else:
                self.planet(self.deck.planets[card], place, seat)

    def action(self, action: Action, place: _Place, seat: int) -> None:
        """A card in hand: name, cost, and for each side its strength and what it does."""
        wide, high = _ACTION
        with self.at(*place, data_what="card", data_where="hand", data_seat=seat, data_card=action.name):
            self.rect("card", _Box(0, 0, wide, high), 9)
            costs = sum(map(bool, action.cost))
            self.pair(action.cost, wide - 5 - 12 * costs, 16, 0.8)
            self.text(_label(action.name), 10, 21, 13.5, "bold", limit=wide - 18 - 25 * costs)
            room = wide - 62
            does = [_does(side) for side in action.sides]
            lines = [max(1.6, len(_wrapped(pieces, room))) for pieces in does]
            y, share = 31.0, (high - 34) / sum(lines)
            for name, side, pieces, count in zip(SIDES, action.sides, does, lines, strict=True):
                row = _Box(0, y, wide, share * count)
                self.canvas.add("path", class_="rule", d=f"M8 {y:.2f}H{wide - 8}")
                self.badge(name, 18, y + row.high / 2)
                self.icon("strength", 43, y + row.high / 2, 0.72, side.strength)
                self.words(pieces, _Box(58, y, room, row.high))
                y += row.high

    def planet(self, planet: Planet, place: _Place, seat: int) -> None:
        """A planet card in hand: its strength, and what each half is worth (AT-1.3)."""
        wide, _ = _PLANET
        with self.at(*place, data_what="planet", data_where="hand", data_seat=seat, data_card=planet.name):
            self.rect("card", _Box(0, 0, *_PLANET), 9)
            self.text(_label(planet.name), wide / 2, 21, 13.5, "bold", "middle", wide - 14)
            self.globe(planet, 30, 56, 1.4)
            self.icon("strength", 74, 56, 0.9, planet.strength)
            for k, (name, half) in enumerate(zip(HALVES, planet.halves, strict=True)):
                y = 82 + 43 * k
                self.canvas.add("path", class_="rule", d=f"M8 {y}H{wide - 8}")
                self.text(name, wide / 2, y + 13, 10.5, "faint", "middle")
                self.pair((sum(ore for ore, _ in half), sum(energy for _, energy in half)), wide / 2, y + 28, 0.8)

    def back(self, kind: str, size: _Size) -> None:
        """A card face down."""
        wide, high = size
        self.rect("back", _Box(0, 0, wide, high), 9)
        self.rect("print", _Box(9, 9, wide - 18, high - 18), 5)
        x, y, scale = wide / 2, high / 2, min(wide, high) / 40
        self.path("print", _STAR if kind == "action" else _GLOBE, x, y, scale)

    # What lies on the table

    def slot(self, slot: int, near: int, box: _Box) -> None:
        """An open planet with the markers and both rows, that of seat ``near`` below."""
        s = self.s
        with self.at(box.x, box.y, data_what="slot", data_slot=slot):
            card = int(s["planet"][slot])
            if card < 0:
                self.rect("gap", _Box(1, 1, box.wide - 2, box.high - 2))
                self.path("sky", _SKY)
                self.text("no planet", box.wide / 2, box.high / 2, 13, "faint", "middle")
                return
            planet, flip = self.deck.planets[card], int(s["flip"][slot])
            self.rect("box due" if s["fight"] == slot else "box", _Box(0, 0, box.wide, box.high))
            played = int(s["slot_played"][slot])
            facts = {"data_where": "slot", "data_slot": slot, "data_flip": flip, "data_played": played}
            with self.at(0, 0, data_what="planet", data_card=planet.name, **facts):
                self.globe(planet, 26, 22, 1.1)
                self.text(_label(planet.name), 46, 27, 15, "bold", None, 126)
                self.icon("strength", box.wide - 22, 21, 0.85, planet.strength)
                if flip < 0:
                    self.text("to be turned", box.wide - 40, 26, 11.5, "bold", "end")
                elif played:
                    self.text("card played", box.wide - 40, 26, 11.5, "faint", "end")
            self.track(slot, near, planet, _Box(10, 42, _TRACK, box.high - 52))
            x, middle = _TRACK + 20, box.high / 2 + 18
            half = (box.high - 60) / 2 - 16
            self.distance(slot, _Box(x, middle - 11, box.wide - x - 10, 20))
            strengths = totals(self.p, s, near, slot, area_totals(self.p, s, near))
            for seat, strength, y in ((1 - near, strengths[1], 42), (near, strengths[0], middle + 15)):
                self.row(slot, seat, strength, _Box(x, y, box.wide - x - 10, half))

    def distance(self, slot: int, box: _Box) -> None:
        """How many steps the markers are from meeting, or how a conflict stands."""
        s = self.s
        left, winner = 2 * self.deck.half - 1 - int(s["marker"][slot].sum()), int(s["winner"])
        said = f"{left} steps to conflict" if left > 1 else "1 step to conflict" if left else "markers meet"
        if s["fight"] == slot:
            said = "conflict" if winner < 0 else f"player {winner} wins the conflict"
        with self.at(box.x, box.y, data_what="distance", data_slot=slot, data_count=left):
            self.rect("pill" if left else "alarm", _Box(0, 0, box.wide, box.high), 10)
            self.text(said, box.wide / 2, 14.5, 11.5, None if left else "bold on", "middle", box.wide - 16)

    def track(self, slot: int, near: int, planet: Planet, box: _Box) -> None:
        """The spaces of a planet, those of the half at the side of ``near`` below."""
        half = self.deck.half
        first = 1 if self.s["flip"][slot] == 1 else 0  # which half lies at the side of seat 0
        spaces = [*planet.halves[first], *planet.halves[1 - first][::-1]]
        at = [int(self.s["marker"][slot, 0]), 2 * half - 1 - int(self.s["marker"][slot, 1])]  # counted from seat 0
        high = min(_SPACE, (box.high - 32) / (2 * half))
        x, middle = box.x + box.wide / 2, box.y + box.high / 2

        def center(space: int) -> float:
            return middle + (space + 0.5 - half) * (high if near == 1 else -high)

        for space, pair in enumerate(spaces):
            passed = " trail0" * (space <= at[0]) or " trail1" * (space >= at[1])
            facts = {"data_ore": pair[0], "data_energy": pair[1]}
            with self.at(box.x, center(space) - high / 2, data_what="space", data_slot=slot, data_space=space, **facts):
                self.rect(f"card{passed}", _Box(0, 0, box.wide, high), 4)
                self.pair(pair, box.wide / 2, high / 2, 0.72)
        self.canvas.add("path", class_="middle", d=f"M{box.x - 5} {middle}H{box.x + box.wide + 5}")
        for seat in range(2):
            edge = middle + (half * high + 11) * (1 if seat == near else -1)
            self.text(f"{HALVES[first ^ seat]} half", x, edge + 4, 10.5, "faint", "middle")
            if 0 <= at[seat] < 2 * half:
                facts = {"data_seat": seat, "data_space": at[seat]}
                place = x + 34 * (2 * seat - 1), center(at[seat]), 0.85
                self.mark(seat, *place, data_what="marker", data_slot=slot, **facts)
        if at[0] == at[1]:
            self.rect("met", _Box(box.x - 2, center(at[0]) - high / 2 - 2, box.wide + 4, high + 4), 6)

    def row(self, slot: int, seat: int, strength: int, box: _Box) -> None:
        """The cards of a player on a planet, the free card last, and what is added to a conflict there."""
        s = self.s
        self.mark(seat, box.x + 9, box.y + 9, 0.62)
        with self.at(box.x, box.y, data_what="strength", data_slot=slot, data_seat=seat, data_count=strength):
            self.text("strength", box.wide - 30, 13, 11.5, "faint", "end")
            self.icon("strength", box.wide - 14, 9, 0.75, strength)
        cards = []
        card = int(s["top"][slot, seat])
        while card >= 0:
            cards.append(card)
            card = int(s["below"][card])
        added = int(s["fight"]) == slot and int(s["committed"][seat]) >= 0
        sizes = [self.strip_size(card, box.wide, box.wide - 66) for card in reversed(cards)]
        sizes += [(box.wide, _STRIP)] * added
        places = _flow(sizes, _Box(box.x, box.y + 22, box.wide, box.high - 22), 3)
        for card, place, size in zip(reversed(cards), places, sizes, strict=False):
            self.strip(card, place, size, seat, "row", card == cards[0], data_slot=slot)
        if added:
            with self.at(*places[-1]):
                self.added(seat, sizes[-1])

    def added(self, seat: int, size: _Size) -> None:
        """The planet card that ``seat`` added to the conflict, face up if it may be seen (AT-5.2)."""
        facts = {"data_where": "committed", "data_seat": seat}
        wide, high = size
        if self.viewer not in (None, seat) and is_face_down(self.s):
            with self.canvas.group(data_what="back", data_of="planet", **facts):
                self.rect("back", _Box(0, 0, wide, high), 6)
                self.path("print", _GLOBE, 18, high / 2, 1.1)
                self.text("face down", 36, 22, 11.5, "bold")
            return
        planet = self.deck.planets[self.s["committed"][seat]]
        with self.canvas.group(data_what="planet", data_card=planet.name, **facts):
            self.rect("card", _Box(0, 0, wide, high), 6)
            self.globe(planet, 18, high / 2, 0.95)
            self.text(_label(planet.name), 36, 15, 11.5, "bold", None, wide - 70)
            self.text("added" + ", face down" * is_face_down(self.s), 36, 29, 10.5, "faint", None, wide - 70)
            self.icon("strength", wide - 17, high / 2, 0.75, planet.strength)

    def strip_size(self, card: int, wide: float, room: float) -> _Size:
        """As high as it needs to be to say what the card does in lines as wide as ``room``."""
        side = self.deck.actions[card].sides[self.s["side"][card]]
        return wide, _STRIP + _LINE * max(0, len(_wrapped(_does(side), room)) - 1)

    def strip(self, card: int, place: _Place, size: _Size, seat: int, where: str, free: bool, **data: object) -> None:
        """An action card in play: the side it shows, and what that does."""
        s, (wide, high) = self.s, size
        action, side = self.deck.actions[card], int(s["side"][card])
        name, turned = SIDES[side], int(s["turned"][card])
        facts = {"data_card": action.name, "data_side": name, "data_free": int(free), "data_turned": turned}
        with self.at(*place, data_what="card", data_where=where, data_seat=seat, **facts, **data):
            self.rect("card free" if free else "card", _Box(0, 0, wide, high), 6)
            self.badge(name, 17, high / 2, 0.9)
            if turned:
                self.turned(9, high / 2 + 9)
            room = wide - 40
            if where == "row":  # printed strengths count nowhere else (AT-5.2)
                self.icon("strength", wide - 17, high / 2, 0.75, action.sides[side].strength)
                room -= 26
            self.text(_label(action.name), 33, 15, 11.5, "bold", None, room)
            self.words(_does(action.sides[side]), _Box(33, 18, room, high - 20))

    def turned(self, x: float, y: float) -> None:
        """The sign of a card that was turned in this turn."""
        self.canvas.add("circle", class_="card", cx=x, cy=y, r=7)
        self.path("ring", _TURNED, x, y, 0.8)

    def area(self, seat: int, box: _Box) -> None:
        """A play area: Expand cards and dominated planets."""
        s = self.s
        self.rect("box", box)
        self.mark(seat, box.x + 20, box.y + 16, 0.62)
        self.text("play area", box.x + 36, box.y + 20, 12, "faint")
        cards = _cards(s["action_zone"], AREA + seat)
        sizes = [self.strip_size(card, box.wide - 20, box.wide - 60) for card in cards]
        places = _flow(sizes, _Box(box.x + 10, box.y + 29, box.wide - 20, 3 * _STRIP + 4), 2)
        for card, place, size in zip(cards, places, sizes, strict=True):
            self.strip(card, place, size, seat, "area", False)
        planets = _cards(s["planet_zone"], DOMINATED + seat)
        if planets:
            self.text("dominates", box.x + 14, box.y + box.high - 14, 11.5, "faint")
        places = _flow([(76, 22)] * len(planets), _Box(box.x + 82, box.y + box.high - 29, box.wide - 88, 22), 2)
        for card, place in zip(planets, places, strict=True):
            planet = self.deck.planets[card]
            with self.at(*place, data_what="planet", data_where="dominated", data_seat=seat, data_card=planet.name):
                self.globe(planet, 14, 11, 0.8)
                self.text(_label(planet.name), 30, 15, 11, None, None, 46)

    def piles(self, box: _Box) -> None:
        """The decks, and how many cards are discarded."""
        s = self.s
        self.rect("box", box)
        for k, (kind, what) in enumerate(product(("action", "planet"), ("deck", "discarded"))):
            count = int(s[f"{what}_{kind}s"])
            with self.at(box.x + 35 + 61 * k, box.y, data_what="pile", data_of=kind, data_pile=what, data_count=count):
                for below in reversed(range(min(count, 3))):
                    self.rect("back" if what == "deck" else "card", _Box(2 * below - 19, 11 - 2 * below, 38, 50), 4)
                if count == 0:
                    self.rect("gap", _Box(-19, 11, 38, 50), 4)
                self.text(count, 0, 42, 16, "bold", "middle")
                self.text(f"{kind} deck" if what == "deck" else what, 0, 75, 10.5, "faint", "middle", 59)


def _cards(zones: Any, zone: Any) -> list[int]:
    """Numbers of the cards in ``zone``."""
    found: list[int] = np.flatnonzero(zones == zone).tolist()
    return found


def _bits(bits: Any) -> list[int]:
    """Numbers of the bits that are set."""
    return [k for k in range(int(bits).bit_length()) if int(bits) >> k & 1]


def _label(name: str) -> str:
    return name.replace("_", " ")


def _signed(what: object) -> str:
    """A number with a sign of the width of a plus."""
    return str(what).replace("-", "\u2212")


def _transform(x: float, y: float, scale: float) -> str | None:
    moved = f"translate({number(x)} {number(y)})"
    return f"{moved} scale({scale:.3f})" if scale != 1 else moved if x or y else None


_WIDTHS = {
    letter: wide
    for letters, wide in (("ijl.,:'|I ", 0.32), ("frt-", 0.39), ("s", 0.53), ("mMwW", 0.9), ("+\u2212", 0.84))
    for letter in letters
}
_BOLD = 1.15  # how much wider bold letters are


@lru_cache(4096)
def _width(text: str) -> float:
    """About how wide ``text`` is, in letters of size 1."""
    return sum(_WIDTHS.get(letter, 0.62) for letter in text)


def _does(side: Side) -> list[_Piece]:
    """What ``side`` does, each effect a piece, behind when it does so if that is not at once."""
    pieces: list[_Piece] = []
    for when, effects in groupby(side.effects, key=lambda effect: effect.when):
        first, *more = map(_effect, effects)
        if when != "play" or pieces:
            first = [("when", when.replace("_", " ") + ":"), *first]
        pieces += [first, *more]
    return pieces


def _effect(effect: Effect) -> _Piece:
    kind, _, resource = effect.what.partition("_")
    if resource not in RESOURCES and effect.what != "strength":
        return [("text", words(effect))]
    amount = -effect.amount if kind == "lose" else effect.amount
    signed = _signed(f"{amount:+}")
    return [("text", f"they {signed}" if effect.who == "opposing" else signed), ("icon", resource or "strength")]


def _token(kind: str, what: str) -> float:
    """About how wide it is."""
    return _ICON + 2 if kind == "icon" else _LETTER * _width(what) + (4 if kind == "when" else 2)


def _length(line: list[_Piece]) -> float:
    return sum(_token(*token) for piece in line for token in piece) + _SPACED * (len(line) - 1)


def _wrapped(pieces: list[_Piece], wide: float) -> list[list[_Piece]]:
    """Lines of at most that width, as far as single pieces are not wider."""
    lines: list[list[_Piece]] = []
    for piece in pieces:
        split = piece[0][0] == "when" and _length([piece]) > wide
        for part in (piece[:1], piece[1:]) if split else (piece,):
            if lines and part[-1][0] != "when" and _length([*lines[-1], part]) <= wide:
                lines[-1].append(part)
            else:
                lines.append([part])
    return lines


def _flow(sizes: Sequence[_Size], box: _Box, gap: float) -> list[_Place]:
    """Places for cards of these sizes, line by line from the left, as large as all of them fit into ``box``."""
    scale = 1.0
    while True:
        places: list[_Place] = []
        x = y = below = 0.0
        for wide, high in sizes:
            if x > 0 and (x + wide) * scale > box.wide + 0.01:
                x, y = 0.0, below + gap
            places.append((box.x + x * scale, box.y + y * scale, scale))
            x, below = x + wide + gap, max(below, y + high)
        if below * scale <= box.high + 0.01:
            return places
        scale *= 0.97
