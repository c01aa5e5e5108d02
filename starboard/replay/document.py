"""Recorded games as one HTML page that needs nothing else: no network, no other file.

The pictures of a game are much alike, so the page holds each line of SVG once, and of each picture only the lines that
differ from the one before.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from html import escape
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from starboard.records import GameRecord, positions, read
from starboard.render.canvas import AUTO
from starboard.render.picture import draw
from starboard.spec import GameSpec, shown
from starboard.state import GameState

MOST_GAMES = 10
"""So many games of a file are on a page, unless others are asked for."""

_HIDDEN = None  # in the page's data: what the seat whose view it is may not know


def select(path: str | Path, numbers: Sequence[int] = ()) -> dict[int, GameRecord]:
    """Games of the file ``path`` by their numbers, which count from 1; with no ``numbers``, the first ones.

    :raises FileNotFoundError: if there is no such file.
    :raises ValueError: if it has no games, or not those, or is damaged before the last of them.
    """
    most = max(numbers, default=MOST_GAMES)
    found = dict(enumerate(islice(read(path), most), 1))
    missing = [str(number) for number in numbers if number not in found]
    if missing or not found:
        raise ValueError(f"{path}: has {len(found)} games; there is no game {', '.join(missing) or 1}")
    return {number: found[number] for number in numbers} if numbers else found


def page(games: Sequence[GameRecord], view: int | None = None, numbers: Sequence[int] | None = None) -> str:
    """An HTML page on which ``games`` can be stepped through.

    :param games: at least one.
    :param view: a seat: the page then holds what this seat could see, and nothing else. None holds everything, and the
        reader chooses.
    :param numbers: what to call the games; None counts from 1.
    :raises ValueError: if there is no game, if one has no such seat, or for an illegal action in one.
    """
    if not games:
        raise ValueError("games: must be at least one")
    numbers = range(1, len(games) + 1) if numbers is None else numbers
    book = _Book()
    made = []
    for number, record in zip(numbers, games, strict=True):
        try:
            made.append(book.game(number, record, view))
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from None
    data = {"lines": list(book.lines), "words": list(book.words), "games": made}
    names = sorted({game.game for game in games})
    title = f"{', '.join(name.capitalize() for name in names)}: {len(games)} game{'s' * (len(games) > 1)}"
    before, script, after = _template()
    checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    head = before.replace("{{title}}", escape(title)).replace("{{script}}", f"'sha256-{checksum}'")
    return head.replace("{{data}}", content) + script + after


@cache
def _template() -> tuple[str, str, str]:
    """The page before, in and after its script."""
    text = files("starboard.replay").joinpath("data", "page.html").read_text(encoding="utf-8")
    before, opening, rest = text.partition("<script>")
    script, closing, after = rest.partition("</script>")
    return before + opening, script, closing + after


class _Book:
    """What the games of a page have in common: lines of pictures, and words for moves."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.words: dict[str, int] = {}

    def game(self, number: int, record: GameRecord, view: int | None) -> dict[str, Any]:
        """All that the page holds of one game."""
        spec = record.spec
        if view is not None and not 0 <= view < spec.num_players:
            raise ValueError(f"view={view!r}: must be a seat, 0 .. {spec.num_players - 1}, or None")
        states = list(positions(record))
        views = [self._view(record, states, view)]
        if view is None:
            seats = [self._view(record, states, seat) for seat in range(spec.num_players)]
            if any(seen[key] != views[0][key] for seen in seats for key in ("frames", "moves")):
                views += seats  # otherwise nothing is hidden from anybody
        last = states[-1]
        facts = spec.final_info(last.record) if record.end != "illegal" else {}
        return {
            "number": number,
            "game": spec.id,
            "options": ", ".join(shown(spec.options)),
            "names": record.names,
            "seats": spec.agents,
            "movers": [state.to_move for state in states[:-1]],
            "end": _ending(record, spec, last),
            "returns": record.returns,
            "facts": facts,
            "views": views,
        }

    def _view(self, record: GameRecord, states: list[GameState], viewer: int | None) -> dict[str, Any]:
        """The game as seat ``viewer`` could see it; None sees all."""
        spec, thoughts = states[0].spec, record.probabilities or [None] * record.plies
        frames: list[list[Any]] = []
        before: list[int] = []
        moves, legal, probabilities = [], [], []
        for ply, state in enumerate(states):
            picture = draw(spec, state.record, viewer, AUTO).splitlines()
            now = [self.lines.setdefault(line, len(self.lines)) for line in picture]
            frames.append(_difference(before, now))
            before = now
            if state.over or ply == record.plies:
                continue
            own = viewer in (None, state.to_move)
            action, thought = record.actions[ply], thoughts[ply]
            secret = not own and spec.is_secret(state.record, action)
            moves.append(_HIDDEN if secret else self._word(state, action))
            legal.append([self._word(state, a) for a in state.legal_actions()] if own else _HIDDEN)
            told = [[self._word(state, a), p] for a, p in thought.items()] if own and thought is not None else _HIDDEN
            probabilities.append(told)
        return {"seat": viewer, "frames": frames, "moves": moves, "legal": legal, "thoughts": probabilities}

    def _word(self, state: GameState, action: int) -> int:
        return self.words.setdefault(state.describe(action), len(self.words))


def _difference(before: list[int], now: list[int]) -> list[list[int]]:
    """What makes ``now`` of ``before``, from its end on: a place, how many lines go there, and those that come."""
    codes = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
    return [[i, j - i, *now[k:m]] for kind, i, j, k, m in reversed(codes) if kind != "equal"]


def _ending(record: GameRecord, spec: GameSpec, last: GameState) -> str:
    """How the game ended, in words."""
    if record.end == "illegal":
        return f"{spec.agents[last.to_move]} made an illegal move"
    return "over by the rules" if record.end == "terminated" else "broken off"
