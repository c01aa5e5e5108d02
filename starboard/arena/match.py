"""One player against another over many games, seats and starts shared out evenly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from starboard import loops, registry
from starboard.arena.intervals import wilson
from starboard.bots import Player, choose_actions, is_bot, make_player
from starboard.records import GamesLog, start_seed
from starboard.rng import mix
from starboard.spec import GameSpec, shown
from starboard.state import as_count, as_seed, view

_FNV_PRIME = np.uint64(0x100000001B3)  # of the hash that tells games apart


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one player."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games that is."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of the games won, 0 to 1; a draw counts half."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """95 percent interval of the score (Wilson's)."""
        return wilson(self.wins + self.draws / 2, self.games)


@dataclass(frozen=True)
class MatchResult:
    """How player ``a`` fared against player ``b``; wins, draws and losses are a's."""

    a: str
    b: str
    game: str
    """Such as ``"astralis_v0"``."""
    options: Mapping[str, Any]
    seed: int
    seats: tuple[Tally, ...]
    """Games in which ``a`` had seat 0, 1, ...: equally many."""
    mean_plies: float
    distinct: int
    """How many of the games differ. Far fewer than were played, when both players always answer a position alike and
    games start alike: then more games tell nothing new, and the interval promises too much."""

    @property
    def total(self) -> Tally:
        """All seats together."""
        return Tally(self.wins, self.draws, self.losses)

    @property
    def wins(self) -> int:
        return sum(seat.wins for seat in self.seats)

    @property
    def draws(self) -> int:
        return sum(seat.draws for seat in self.seats)

    @property
    def losses(self) -> int:
        return sum(seat.losses for seat in self.seats)

    @property
    def games(self) -> int:
        return self.total.games

    @property
    def score(self) -> float:
        """Share of the games won by ``a``, 0 to 1; a draw counts half."""
        return self.total.score

    @property
    def interval(self) -> tuple[float, float]:
        """95 percent interval of the score (Wilson's)."""
        return self.total.interval

    def table(self) -> str:
        """The result as text, a line for each seat and one for all."""
        options = " ".join(shown(self.options))
        rows = [(f"as player_{seat}", tally) for seat, tally in enumerate(self.seats)] + [("all", self.total)]
        head = f"{self.a} against {self.b}"
        width = max(len(head), *(len(name) + 2 for name, _ in rows))
        lines = [
            f"{self.game} ({options}), seed {self.seed}",
            f"{head:{width}}  games   wins  draws  losses   score  95% interval",
        ]
        for name, tally in rows:
            low, high = tally.interval
            lines.append(
                f"{'  ' + name:{width}}  {tally.games:5}  {tally.wins:5}  {tally.draws:5}  {tally.losses:6}  "
                f"{tally.score:6.1%}  {low:6.1%} .. {high:.1%}"
            )
        lines.append(f"{self.mean_plies:.1f} plies a game, {self.distinct} different games")
        if 2 * self.distinct < self.games:
            lines.append("Most games are repeats of others, so the intervals promise too much.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All facts as plain values, for JSON."""

        def facts(tally: Tally) -> dict[str, Any]:
            counts = {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            return {**counts, "score": tally.score, "interval": list(tally.interval)}

        names = {"a": self.a, "b": self.b, "game": self.game, "options": dict(self.options), "seed": self.seed}
        played = {"mean_plies": self.mean_plies, "distinct": self.distinct}
        return {**names, **facts(self.total), "seats": [facts(seat) for seat in self.seats], **played}


def choose_spec(
    players: list[str | Path | Player], game: str | GameSpec | None = None, options: Mapping[str, Any] | None = None
) -> GameSpec:
    """The game that ``players`` are to play: ``game``, else a saved agent's among them, else the only one installed.

    Options that are not given are those of a saved agent of this game, else the game's defaults. Whether every agent
    can play the game, :func:`starboard.bots.make_player` sees.

    :raises ValueError: if there is no such game, if it must be named, or for an option value that is not allowed.
    :raises TypeError: for an option that the game does not have.
    """
    if isinstance(game, GameSpec):
        if options:
            raise ValueError("options: a GameSpec has its options already; leave them out")
        return game
    name, base = game, {}
    for player in players:
        if not callable(player) and not is_bot(player) and Path(player).is_file():
            from starboard.agents import load_agent  # torch is imported here, and only for saved agents

            trained = load_agent(player).spec
            if name in (None, trained.name):
                name, base = trained.name, dict(trained.options)
                break
    if name is None:
        installed = registry.names()
        if len(installed) != 1:
            raise ValueError(f"game: must be given, one of {', '.join(installed) or 'none, for no game is installed'}")
        name = installed[0]
    return registry.load(name, **{**base, **(options or {})})


def check_games(spec: GameSpec, games: int | None) -> int:
    """``games`` of a match, or for None 400, rounded up so that each seat is played as often.

    :raises ValueError: if ``games`` is not a multiple of the number of players.
    """
    if games is None:
        return -(-400 // spec.num_players) * spec.num_players
    games = as_count("games", games)
    if games % spec.num_players:
        raise ValueError(
            f"games={games}: must be a multiple of {spec.num_players}, so that each seat is played as often"
        )
    return games


def evaluate(
    a: str | Path | Player,
    b: str | Path | Player,
    game: str | GameSpec | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    games: int | None = None,
    seed: int | None = 0,
    num_envs: int = 256,
    progress: Callable[[int, int], None] | None = None,
    records: str | Path | None = None,
    names: tuple[str, str] | None = None,
) -> MatchResult:
    """Play ``games`` games of ``a`` against ``b``; ``a`` has each seat equally often, ``b`` all the others.

    Each start, with all the chance that follows from it, is played from every seat of ``a``. The list of games is fixed
    beforehand and each is played to its end, so short games do not count more than long ones. A game is won by ``a`` if
    its return is above every other seat's, and drawn if it equals the best of them.

    >>> result = evaluate("greedy", "random", "astralis", {"size": 3}, games=20)
    >>> result.games, result.wins > result.losses
    (20, True)

    :param a: a bot's name (``"random"``, ``"greedy"``), the file of a saved agent, or a callable
        ``(observations, action_masks) -> actions`` (see :mod:`starboard.bots`).
    :param b: likewise.
    :param game: a name or a spec; None takes that of a saved agent, or the only game installed.
    :param options: of the game, if it is named; those left out are the saved agent's, or the defaults.
    :param games: a multiple of the number of players; None takes 400, rounded up to one.
    :param seed: for the starts and for the bots; None draws one, which the result tells.
    :param num_envs: how many games at most are under way at once, so that a network decides for many at a time. Players
        whose answer depends on nothing but the observation and mask play the same games whatever it is.
    :param progress: called with the number of games finished and ``games`` whenever some have finished.
    :param records: a file that the games are appended to, each when it ends (:mod:`starboard.records`), with the
        probabilities of players that can tell them.
    :param names: what ``a`` and ``b`` are called in the result and the records; None: as they were given.
    :raises ValueError: for arguments that are not allowed, for an unknown player, for an agent of another game, or for
        a player that does not answer with legal actions.
    :raises TypeError: for an option that the game does not have.
    """
    spec = choose_spec([a, b], game, options)
    games = check_games(spec, games)
    num_envs = as_count("num_envs", num_envs)
    key = as_seed(seed)
    names = names or (_name(a), _name(b))
    # Streams (i, 0) of the seed are the games'.
    players = [make_player(player, spec, int(mix(key, side, 1))) for side, player in enumerate((a, b))]

    starts = np.zeros(games // spec.num_players, spec.state_dtype)
    loops.reset(spec.params, starts, np.arange(len(starts)), key, np.zeros(len(starts), np.int64))
    states = np.repeat(starts, spec.num_players)
    seats = np.tile(np.arange(spec.num_players), len(starts))
    seating = (np.arange(spec.num_players) != seats[:, np.newaxis]).astype(np.int64)  # b, but for a's seat
    log = None
    if records is not None:
        seeds = [start_seed(int(key), game) for game in range(len(starts)) for _ in range(spec.num_players)]
        log = GamesLog(records, spec, seeds, [[names[side] for side in row] for row in seating])
    played = play_games(spec, players, states, seating, num_envs, progress, log)

    returns = played.returns
    own = returns[np.arange(games), seats]
    returns[np.arange(games), seats] = -np.inf
    outcome = np.sign(own - returns.max(axis=1))
    tallies = []
    for seat in range(spec.num_players):
        losses, draws, wins = (int(np.sum(outcome[seats == seat] == sign)) for sign in (-1, 0, 1))
        tallies.append(Tally(wins, draws, losses))
    return MatchResult(
        a=names[0],
        b=names[1],
        game=spec.id,
        options=dict(spec.options),
        seed=int(key),
        seats=tuple(tallies),
        mean_plies=float(states["ply"].mean()),
        distinct=len(set(zip(played.lines.tolist(), seats.tolist(), strict=True))),
    )


@dataclass(frozen=True)
class Played:
    """What came of the games of :func:`play_games`."""

    returns: np.ndarray
    """float64 (games, num_players): each seat's."""
    lines: np.ndarray
    """uint64 (games,): a hash of the actions, in their order."""
    decisions: np.ndarray
    """int64 (players,): how many actions each player chose."""
    seconds: np.ndarray
    """float64 (players,): how long that took."""


def play_games(
    spec: GameSpec,
    players: Sequence[Player],
    records: np.ndarray,
    seating: np.ndarray,
    num_envs: int,
    progress: Callable[[int, int], None] | None = None,
    log: GamesLog | None = None,
) -> Played:
    """Play all ``records`` to the end, where they then stand.

    :param seating: int64 (games, num_players): who has each seat, an index into ``players``.
    :param num_envs: how many games at most are under way at once.
    :param progress: called with the number of games finished and of all whenever some have finished.
    :param log: writes the games down.
    """
    games = len(records)
    returns = np.zeros((games, spec.num_players))
    lines = np.zeros(games, np.uint64)
    over = np.zeros(games, np.bool_)
    decisions, seconds = np.zeros(len(players), np.int64), np.zeros(len(players))
    active = np.arange(min(num_envs, games))
    begun = len(active)
    while len(active):
        # In turn rather than together: after the first ply the games of an alternating game are all at the same player,
        # which then decides for all of them at once.
        for side, player in enumerate(players):
            waiting = active[~over[active]]
            movers = np.empty(len(waiting), np.int8)
            loops.to_move(records, waiting, movers)
            turn = waiting[seating[waiting, movers] == side]
            if not len(turn):
                continue
            began = perf_counter()
            actions = _decide(spec, player, records, turn)
            seconds[side] += perf_counter() - began
            decisions[side] += len(turn)
            if log is not None:
                log.play(player, records, turn, actions)
            rewards = np.empty((len(turn), spec.num_players))
            terminated, truncated = np.empty(len(turn), np.bool_), np.empty(len(turn), np.bool_)
            loops.play(spec.params, records, turn, actions, rewards, terminated, truncated)
            returns[turn] = rewards
            over[turn] = terminated | truncated
            if log is not None:
                log.end(turn[over[turn]])
            lines[turn] = (lines[turn] ^ (actions + 1).astype(np.uint64)) * _FNV_PRIME
        going = active[~over[active]]
        finished = begun - len(going)
        ended = len(active) - len(going)
        more = np.arange(begun, min(begun + ended, games))
        begun += len(more)
        active = np.concatenate([going, more])
        if ended and progress is not None:
            progress(finished, games)
    return Played(returns, lines, decisions, seconds)


def _decide(spec: GameSpec, player: Player, records: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """``player``'s actions in the games ``turn``. The arrays it is given are its own to keep."""
    return choose_actions(player, records, turn, *view(spec, records, turn))


def _name(player: str | Path | Player) -> str:
    if callable(player):
        return str(getattr(player, "__name__", type(player).__name__))
    return str(player)
