"""What the games of an arena come to: ranks, and who scored how much against whom."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from starboard.arena.ratings import Strengths, Wins, rate
from starboard.arena.store import Store
from starboard.files import write_whole
from starboard.spec import shown

ARENA, RATINGS, CROSS_TABLE = "arena.json", "ratings.csv", "crosstable.csv"
"""Files that :meth:`Standings.write` writes."""
ANCHOR = "bot random"
"""Identity of the player whose rating is 0, where it takes part."""


@dataclass(frozen=True)
class Standing:
    """How one player did."""

    rank: int
    player: str
    """What it is called, with the beginning of its file's SHA-256 where others are called the same."""
    identity: str
    """A bot's name, or the SHA-256 of the agent's file."""
    rating: float | None
    """400 points are odds of 10 to 1. None where ratings are missing, or no games connect it with the others."""
    interval: tuple[float, float] | None
    """95 percent interval of the rating, seen from the field (see :func:`starboard.arena.ratings.rate`)."""
    above_next: float | None
    """How sure it is, 0 to 1, that the player is stronger than the one of the next rank."""
    games: int
    score: float
    """Share of the win that a seat of the player took on the average, 0 to 1."""
    decisions: int
    seconds: float
    """How long it took for its decisions."""


@dataclass(frozen=True)
class Score:
    """How one player did against another in the games that both played."""

    games: int
    score: float
    """Share of the times in which it had the greater return, 0 to 1; the same return counts half."""


@dataclass(frozen=True)
class Standings:
    """The ranks of an arena, best first."""

    game: str
    """Such as ``"astralis_v0"``."""
    options: Mapping[str, Any]
    seats: int
    seed: int
    block: int
    games: int
    """How many were played."""
    players: tuple[Standing, ...]
    scores: tuple[tuple[Score | None, ...], ...]
    """``scores[i][j]``: of the player with rank i + 1 against the one with rank j + 1; None where they did not meet."""
    zero: str | None
    """What has the rating 0; None where there are no ratings."""
    notes: tuple[str, ...]
    """What a reader must know."""

    def table(self) -> str:
        """The ranks as text."""
        width = max(6, *(len(standing.player) for standing in self.players))
        lines = [
            f"{self.game} ({' '.join(shown(self.options))}), seed {self.seed}, {self.games} games",
            f"rank  {'player':{width}}  rating  95% interval    above next  games   score  decisions/s",
        ]
        for standing in self.players:
            rating = interval = above = ""
            if standing.rating is not None and standing.interval is not None:
                rating, interval = (f"{standing.rating:.0f}", "{:5.0f} .. {:5.0f}".format(*standing.interval))
            if standing.above_next is not None:
                above = f"{standing.above_next:.1%}" if standing.above_next < 1 else ">99.9%"
            rate = f"{standing.decisions / standing.seconds:,.0f}" if standing.seconds else ""
            lines.append(
                f"{standing.rank:4}  {standing.player:{width}}  {rating:>6}  {interval:14}  {above:>10}  "
                f"{standing.games:5}  {standing.score:6.1%}  {rate:>11}"
            )
        if self.zero is not None:
            lines.append(f"400 points are odds of 10 to 1; {self.zero} is 0.")
        if self.seats > 2:
            lines.append(f"A score is the share of the win that a seat took; {1 / self.seats:.1%} is an even one.")
        return "\n".join([*lines, *self.notes])

    def cross_table(self) -> str:
        """Scores of the row against the column, with the number of games, as text."""
        cells = [
            ["" if score is None else f"{score.score:.1%} ({score.games})" for score in row] for row in self.scores
        ]
        names = [f"{standing.rank:4}  {standing.player}" for standing in self.players]
        wide = max(map(len, names))
        columns = [
            max(len(cell) for cell in (str(number), *column))
            for number, column in enumerate(zip(*cells, strict=True), start=1)
        ]
        head = "".join(f"  {number:>{width}}" for number, width in enumerate(columns, start=1))
        lines = [f"{'row against column':{wide}}{head}"]
        for name, row in zip(names, cells, strict=True):
            lines.append(
                f"{name:{wide}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row, columns, strict=True))
            )
        return "\n".join(line.rstrip() for line in lines)

    def to_dict(self) -> dict[str, Any]:
        """All facts as plain values, for JSON."""
        facts = {name: getattr(self, name) for name in ("game", "seats", "seed", "block", "games", "zero")}
        scores = [[None if score is None else dict(vars(score)) for score in row] for row in self.scores]
        players = [dict(vars(standing)) for standing in self.players]
        return {**facts, "options": dict(self.options), "notes": list(self.notes), "players": players, "scores": scores}

    def write(self, folder: str | Path) -> None:
        """Write ``ratings.csv``, ``crosstable.csv`` and ``arena.json`` into ``folder``, each whole or not at all.

        The two tables hold no times, so that the same games give the same bytes.
        """
        head = ("rank", "player", "identity", "rating", "low", "high", "above_next", "games", "score")
        ranks = [
            (
                standing.rank,
                standing.player,
                standing.identity,
                _rounded(standing.rating, 1),
                *(_rounded(end, 1) for end in standing.interval or (None, None)),
                _rounded(standing.above_next, 4),
                standing.games,
                _rounded(standing.score, 4),
            )
            for standing in self.players
        ]
        pairs = [
            (standing.player, other.player, score.games, _rounded(score.score, 4))
            for standing, row in zip(self.players, self.scores, strict=True)
            for other, score in zip(self.players, row, strict=True)
            if score is not None
        ]
        write_whole(Path(folder) / RATINGS, _csv(head, ranks))
        write_whole(Path(folder) / CROSS_TABLE, _csv(("player", "against", "games", "score"), pairs))
        write_whole(Path(folder) / ARENA, (json.dumps(self.to_dict(), indent=1) + "\n").encode())


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _csv(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue().encode()


def read_standings(folder: str | Path) -> Standings:
    """The ranks of the arena in ``folder``, where nothing more is played.

    :raises FileNotFoundError: if there is none.
    :raises FileExistsError: if another process plays there.
    :raises ValueError: if it is damaged, or of another release.
    """
    with Store(folder) as store:
        return standings_of(store)


def standings_of(store: Store) -> Standings:
    """The ranks of the arena in ``store``.

    :raises ValueError: if no games were played there.
    """
    labels, facts, seats = store.labels(), store.facts, store.facts.seats
    identities = list(labels)
    found = list(store.games())
    if not found:
        raise ValueError(f"{store.path}: no block of games was finished there yet")
    pairing = np.array([[identities.index(member) for member in members] for members, _ in found])
    rotation = np.array([[game.rotation] for _, game in found])
    by_seat = np.array([game.returns for _, game in found])
    returns = np.take_along_axis(by_seat, (np.arange(seats) - rotation) % seats, axis=1)  # of each place in the pairing
    best = returns == returns.max(axis=1, keepdims=True)
    shares = best / best.sum(axis=1, keepdims=True)
    wins = Wins(  # the rotations of a deal stand one after the other
        pairing[::seats],
        np.array([game.deal for _, game in found[::seats]]),
        shares.reshape(-1, seats, seats).sum(axis=1),
    )

    anchor = identities.index(ANCHOR) if ANCHOR in identities else None
    strengths, zero, notes = _strengths(wins, len(labels), anchor)
    if any(identity.startswith("bot ") and identity.endswith("ms") for identity in identities):
        notes.append("Players with a time to think play as the machine allows: their games cannot be repeated exactly.")
    mine = [pairing == player for player in range(len(labels))]
    score = np.array([shares[places].mean() for places in mine])
    order = np.lexsort((-score, np.nan_to_num(-strengths.ratings, nan=np.inf)))
    names, thinking = _names(labels), store.thinking()
    players = []
    for place, player in enumerate(order):
        rated = bool(np.isfinite(strengths.ratings[player]))
        following = order[place + 1] if place + 1 < len(order) else player
        surer = strengths.above[player, following]
        players.append(
            Standing(
                rank=place + 1,
                player=names[identities[player]],
                identity=identities[player],
                rating=float(strengths.ratings[player]) if rated else None,
                interval=(float(strengths.low[player]), float(strengths.high[player])) if rated else None,
                above_next=float(surer) if following != player and np.isfinite(surer) else None,
                games=int(mine[player].any(axis=1).sum()),
                score=float(score[player]),
                decisions=thinking[identities[player]].decisions,
                seconds=thinking[identities[player]].seconds,
            )
        )
    scores = _scores(pairing, returns, mine)
    return Standings(
        game=f"{facts.game}_v{facts.version}",
        options=facts.options,
        seats=seats,
        seed=facts.seed,
        block=facts.block,
        games=len(found),
        players=tuple(players),
        scores=tuple(tuple(scores.get((a, b)) for b in order.tolist()) for a in order.tolist()),
        zero=zero,
        notes=tuple(notes),
    )


def _strengths(wins: Wins, players: int, anchor: int | None) -> tuple[Strengths, str | None, list[str]]:
    """Ratings, what has the rating 0, and what a reader must know; all NaN where choix is missing."""
    try:
        strengths = rate(wins, players, anchor)
    except ModuleNotFoundError as error:
        if error.name not in ("choix", "scipy"):
            raise
        none = np.full(players, np.nan)
        note = "There are no ratings without choix: pip install 'starboard-envs[arena]'"
        return Strengths(none, none, none, np.full((players, players), np.nan)), None, [note]
    anchored = anchor is not None and bool(np.isfinite(strengths.ratings[anchor]))
    notes = []
    if not np.isfinite(strengths.ratings).all():
        notes.append(
            "Players without a rating share no games with the others, not even through a third: let them meet."
        )
    return strengths, "random" if anchored else "the mean of the players", notes


def _scores(pairing: np.ndarray, returns: np.ndarray, mine: list[np.ndarray]) -> dict[tuple[int, int], Score]:
    """How each player did against each other one that it met, by their indices."""
    players, seats = range(len(mine)), range(pairing.shape[1])
    compared, ahead = np.zeros((2, len(mine), len(mine)))
    for one in seats:
        for other in seats:
            against = np.sign(returns[:, one] - returns[:, other]) / 2 + 0.5
            np.add.at(compared, (pairing[:, one], pairing[:, other]), 1)
            np.add.at(ahead, (pairing[:, one], pairing[:, other]), against)
    present = np.stack([places.any(axis=1) for places in mine]).astype(np.int64)
    games = present @ present.T
    return {
        (a, b): Score(int(games[a, b]), float(ahead[a, b] / compared[a, b]))
        for a in players
        for b in players
        if a != b and games[a, b]
    }


def _names(labels: Mapping[str, str]) -> dict[str, str]:
    """What to call each player, by identity, so that no two are called the same."""
    times = Counter(labels.values())
    return {
        identity: label if times[label] == 1 else f"{label} ({identity.split()[-1][:8]})"
        for identity, label in labels.items()
    }
