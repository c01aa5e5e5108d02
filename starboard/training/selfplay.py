"""Self-play with MaskablePPO: one seat learns, the others are played by a pool of earlier selves and fixed bots."""

from __future__ import annotations

import io
import json
import math
import random
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import safe_mean
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from starboard import registry
from starboard.agents.agent import Agent, check_device, describe, load_agent
from starboard.agents.categorical import choose
from starboard.agents.network import NETWORKS, WIDTHS, Network, default_network
from starboard.agents.rows import alone, parts
from starboard.arena import MatchResult, check_games, evaluate
from starboard.arena.tournament import Entrant, entrant_of
from starboard.bots import Player, Team
from starboard.files import PARTIAL, write_whole
from starboard.foresight import Foresight
from starboard.records import Recorder
from starboard.rng import mix, pick
from starboard.sb3 import SeatVecEnv
from starboard.spec import GameSpec, one_of, shown
from starboard.state import as_seed
from starboard.threads import share_out
from starboard.training.checkpoint import load_checkpoint, save_checkpoint
from starboard.training.policy import BoardPolicy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MILESTONES = (("random", 0.95), ("greedy", 0.5))
"""Scores against rungs of the ladder that the end of a run tells about."""
AGENT, BEFORE, CHECKPOINT, HISTORY, POOL, LOGS, LOCK = (
    "agent.zip",
    "before.zip",
    "checkpoint.pt",
    "history.json",
    "pool",
    "tensorboard",
    ".lock",
)
"""Files and folders of a run."""
EVALUATIONS = 20
"""How often a run measures itself on the way."""
EVALUATION_GAMES = 100

# Streams of the seed, beside those of the games and seats.
_UPDATE, _PAST, _EVALUATION, _POOL = 4 << 40, 5 << 40, 6 << 40, 7 << 40


@dataclass(frozen=True)
class Settings:
    """What a training run is made of; the defaults were found by measurement (see docs/training.md)."""

    num_envs: int = 128
    """Games under way at once."""
    n_steps: int = 16
    """Learner's actions in each of them between two updates."""
    batch_size: int = 256
    """Size of a minibatch."""
    n_epochs: int = 4
    """Passes over the data of an update."""
    learning_rate: float = 1e-3
    """Of Adam, at the start; it falls in a straight line to a tenth."""
    gamma: float = 0.995
    """Discount from one action of the learner to its next."""
    gae_lambda: float = 0.95
    """Trades bias for variance in the advantages."""
    shaping: float = 4.0
    """Weight of a second reward, the change of the game's heuristic. What is measured is the game's result alone."""
    ent_coef: float = 0.005
    """Weight of the entropy bonus."""
    network: str = "grid"
    """Kind of network."""
    width: int = 24
    """Features of each cell; with `"mlp"` of each hidden layer, there 256 by default."""
    past_selves: int = 2
    """Earlier selves that play at the same time."""
    snapshot_every: int = 20
    """Updates between two selves that are put into the pool."""
    pool: tuple[str, ...] = ("random", "greedy", "greedy")
    """Who plays beside the selves: bots and files of saved agents. One that is named twice plays twice as often."""
    ladder: tuple[str, ...] = ("random", "greedy")
    """Whom a run is measured against: bots and files of saved agents."""


class PastSelves(Team):
    """Earlier versions of the learner, each playing with the probabilities it had then.

    :param threads: among which their inference is shared, beside torch's own threads.
    """

    def __init__(self, spec: GameSpec, networks: Sequence[Network], threads: int = 1) -> None:
        super().__init__(spec, len(networks))
        self.networks = networks
        self._threads = threads
        self._foresight = Foresight(spec) if spec.foresight else None

    def choose(
        self,
        who: np.ndarray,
        records: np.ndarray,
        games: np.ndarray,
        observations: np.ndarray,
        action_masks: np.ndarray,
    ) -> np.ndarray:
        """int64 (N,): an action in each of ``games``, by the probabilities of network ``who``, int64 (N,)."""
        foresight = None if self._foresight is None else self._foresight(records, games)
        logits = np.empty((len(games), self.spec.num_actions), np.float32)

        def score(part: tuple[Network, np.ndarray]) -> None:
            network, rows = part
            with torch.inference_mode():
                device = next(network.parameters()).device
                seen = None if foresight is None else torch.as_tensor(foresight[rows], device=device)
                logits[rows] = network(torch.as_tensor(observations[rows], device=device), seen)[0].cpu().numpy()

        todo = []
        for number, network in enumerate(self.networks):
            rows = np.flatnonzero(who == number)
            todo += [(network, rows[part]) for part in parts(len(rows), self._threads)]
        share_out(score, todo, self._threads, alone)
        return choose(logits, action_masks, torch.rand(len(games)).numpy())[0]


class _TensorBoard(TensorBoardOutputFormat):
    """Goes on in a folder that has later points than ``step``, left by a run that was killed: they are dropped."""

    def __init__(self, folder: Path, step: int) -> None:
        self.writer = SummaryWriter(log_dir=str(folder), purge_step=step + 1)
        self._is_closed = False


@dataclass(frozen=True)
class TrainingResult:
    """What a training run came to."""

    path: Path
    """File of the trained agent, for :func:`starboard.training.load_agent`."""
    agent: Agent
    history: list[dict[str, Any]]
    """Measured on the way, a point each time: ``timesteps``, ``minutes``, ``scores`` (rung of the ladder -> 0 to 1,
    after ``games`` games), ``length`` (the learner's actions in a game, mean of the last 100 games of training; None
    before one has ended) and ``entropy`` (of the policy in the last update, in nats)."""
    matches: list[MatchResult]
    """At the end: the agent before and after training against each rung, and after against before."""

    def table(self) -> str:
        """Win rates at the end, with 95 percent intervals, and when the milestones were passed."""
        heads = [f"{match.a} against {match.b}" for match in self.matches]
        width = max(32, *map(len, heads))
        lines = [f"{'':{width}}  games   wins  draws  losses   score  95% interval    as player: " + self._seats_head()]
        for head, match in zip(heads, self.matches, strict=True):
            low, high = match.interval
            seats = "  ".join(f"{seat.score:6.1%}" for seat in match.seats)
            lines.append(
                f"{head:{width}}  {match.games:5}  {match.wins:5}  {match.draws:5}  "
                f"{match.losses:6}  {match.score:6.1%}  {low:6.1%} .. {high:6.1%}  {'':10} {seats}"
            )
        for rung, wanted in MILESTONES:
            points = [point for point in self.history if rung in point["scores"]]
            if not points:
                continue
            reached = next((point for point in points if point["scores"][rung] >= wanted), None)
            when = f"after {reached['minutes']:.1f} minutes" if reached else "not reached"
            lines.append(f"{wanted:.0%} against {rung}: {when} ({points[0]['games']} games each time)")
        return "\n".join(lines)

    def _seats_head(self) -> str:
        return "       ".join(str(seat) for seat in range(len(self.matches[0].seats)))


class _Run:
    """A training run between two updates: all that a checkpoint holds."""

    def __init__(
        self,
        spec: GameSpec,
        settings: Settings,
        players: Mapping[str, Entrant],
        seed: int,
        out: Path,
        device: str,
        threads: int = 1,
    ) -> None:
        self.spec, self.settings, self.players, self.seed, self.out = spec, settings, players, seed, out
        self.updates = 0
        self.seconds = 0.0
        self.evaluations = 0
        self.history: list[dict[str, Any]] = []
        self._unsaved: dict[Path, bytes] = {}
        self.progress = 0.0
        self.minutes: float | None = None
        self.timesteps_wanted: int | None = None
        self._seed_generators()
        self.threads = threads
        self.selves = [
            Network(spec, settings.network, settings.width).to(device).eval() for _ in range(1 + settings.past_selves)
        ]
        """The networks of the learner's latest self and of earlier ones."""
        self.pool = [
            players[name].make(int(mix(np.uint64(seed), _POOL, number))) for number, name in enumerate(settings.pool)
        ]
        self.env = SeatVecEnv(
            spec.name,
            settings.num_envs,
            opponent=[*PastSelves(spec, self.selves, threads).members, *self.pool],
            seed=seed,
            shaping=settings.shaping,
            foresight=spec.foresight > 0,
            **spec.options,
        )
        self.model = MaskablePPO(
            BoardPolicy,
            self.env,
            learning_rate=lambda _: settings.learning_rate * (1.0 - 0.9 * self.progress),
            n_steps=settings.n_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.n_epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            ent_coef=settings.ent_coef,
            policy_kwargs={
                "spec": spec,
                "network": settings.network,
                "width": settings.width,
                "threads": threads,
            },
            device=device,
        )
        self._follow()

    def done(self) -> float:
        """Share of the training that is over, 0 to 1."""
        by_time = self.seconds / 60 / self.minutes if self.minutes else 0.0
        by_timesteps = self.timesteps / self.timesteps_wanted if self.timesteps_wanted else 0.0
        return min(1.0, max(by_time, by_timesteps))

    @property
    def network(self) -> Network:
        """The learner's."""
        network: Network = self.model.policy.network  # type: ignore[assignment]
        return network

    @property
    def timesteps(self) -> int:
        """The learner's actions so far."""
        return int(self.model.num_timesteps)

    def _seed_generators(self) -> None:
        """All random numbers of an update follow from the seed and the update's number: nothing else need be saved."""
        number = int(mix(np.uint64(self.seed), _UPDATE, self.updates))
        torch.manual_seed(number)
        np.random.seed(number % 2**32)  # noqa: NPY002 - stable-baselines3 shuffles minibatches with this generator
        random.seed(number)

    def start_logging(self) -> None:
        """Write TensorBoard files to the run's folder; points after this one, of a run that was killed, are dropped."""
        self.model.set_logger(Logger(None, [_TensorBoard(self.out / LOGS, self.timesteps)]))

    def update(self) -> None:
        """Collect one rollout and learn from it."""
        self.updates += 1
        self._seed_generators()
        steps = self.settings.num_envs * self.settings.n_steps
        self.model.learn(steps, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        if not all(torch.isfinite(weights).all() for weights in self.network.parameters()):
            raise ValueError("the network's weights are no longer finite: train again with a lower learning_rate")
        if self.updates % self.settings.snapshot_every == 0:
            weights = io.BytesIO()
            torch.save(self.network.state_dict(), weights)
            self._unsaved[self._snapshot(self.updates)] = weights.getvalue()
        self._follow()

    def _snapshot(self, update: int) -> Path:
        return self.out / POOL / f"{update:06}.pt"

    def _follow(self) -> None:
        """Let the pool's latest self follow the learner, and draw the earlier ones anew after each snapshot."""
        self.selves[0].load_state_dict(self.network.state_dict())
        kept = self.updates // self.settings.snapshot_every
        for k, past in enumerate(self.selves[1:]):
            number = pick(np.uint64(self.seed), _PAST + k, kept, kept) if kept else 0
            weights = self.network.state_dict()
            if kept:
                weights = self._read_snapshot(self._snapshot((int(number) + 1) * self.settings.snapshot_every))
            elif self.updates:
                continue  # still the untrained self
            past.load_state_dict(weights)

    def _read_snapshot(self, file: Path) -> dict[str, torch.Tensor]:
        data: Path | io.BytesIO = io.BytesIO(self._unsaved[file]) if file in self._unsaved else file
        try:
            weights: dict[str, torch.Tensor] = torch.load(data, map_location="cpu", weights_only=True)
        except Exception as error:  # torch raises many kinds for a damaged file
            raise ValueError(f"{file}: is missing or damaged, and the run cannot go on without it") from error
        return weights

    def agent(self) -> Agent:
        """The learner as it is now, on the CPU."""
        network = Network(self.spec, self.settings.network, self.settings.width)
        network.load_state_dict({name: value.cpu() for name, value in self.network.state_dict().items()})
        info = describe(
            self.spec,
            self.settings.network,
            self.settings.width,
            seed=self.seed,
            timesteps=self.timesteps,
            minutes=round(self.seconds / 60, 2),
        )
        agent = Agent(network, self.spec, info, seed=self.seed)
        agent.threads = self.threads
        return agent

    def measure(self) -> None:
        """Note the learner's score against each rung in the history. To be called after :meth:`update`."""
        games = EVALUATION_GAMES - EVALUATION_GAMES % self.spec.num_players
        seed = int(mix(np.uint64(self.seed), _EVALUATION, self.evaluations))
        lengths = [episode["l"] for episode in self.model.ep_info_buffer or []]
        point = {
            "timesteps": self.timesteps,
            "minutes": self.seconds / 60,
            "games": games,
            "scores": {
                rung: evaluate(self.agent(), self.rung(rung, seed), self.spec, games=games, seed=seed).score
                for rung in self.settings.ladder
            },
            "length": float(np.mean(lengths)) if lengths else None,
            "entropy": -float(self.model.logger.name_to_value["train/entropy_loss"]),
        }
        self.evaluations += 1
        self.history.append(point)

    def rung(self, name: str, seed: int) -> Player:
        """A player of the ladder, made afresh for a match with this seed."""
        return self.players[name].make(int(mix(np.uint64(seed), 1, 1)))

    def save(self) -> None:
        """Write pool, agent, history and checkpoint, in this order; each file whole or not at all.

        :raises OSError: if one cannot be written; the last good checkpoint is still there then.
        """
        while self._unsaved:
            file, weights = next(iter(self._unsaved.items()))
            write_whole(file, weights)
            del self._unsaved[file]
        self.agent().save(self.out / AGENT)
        write_whole(self.out / HISTORY, json.dumps(self.history, indent=1).encode())
        facts = {
            "game": self.spec.name,
            "version": self.spec.version,
            "options": dict(self.spec.options),
            "settings": asdict(self.settings),
            "players": {name: player.identity for name, player in self.players.items()},
            "calls": [player.calls for player in self.pool],  # type: ignore[attr-defined]
            "seed": self.seed,
            "updates": self.updates,
            "timesteps": self.timesteps,
            "seconds": self.seconds,
            "evaluations": self.evaluations,
            "history": self.history,
            "progress": self.progress,
            "minutes": self.minutes,
            "timesteps_wanted": self.timesteps_wanted,
            "episodes": list(self.model.ep_info_buffer or []),
            "lengths": self.env.lengths.tolist(),
            "returns": self.env.returns.tolist(),
            "n_updates": self.model._n_updates,
        }
        tensors = {"network": self.network.state_dict(), "optimizer": self.model.policy.optimizer.state_dict()}
        save_checkpoint(self.out / CHECKPOINT, facts, tensors, self.env.games.to_bytes())

    @classmethod
    def resume(cls, out: Path, device: str, threads: int) -> _Run:
        """The run as the last checkpoint in ``out`` left it."""
        for leftover in [*out.glob(f"*{PARTIAL}"), *(out / POOL).glob(f"*{PARTIAL}")]:
            leftover.unlink()
        facts, tensors, games = load_checkpoint(out / CHECKPOINT)
        try:
            return cls._restore(out, device, threads, facts, tensors, games)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ValueError(f"{out / CHECKPOINT}: does not fit this release ({error})") from error

    @classmethod
    def _restore(
        cls, out: Path, device: str, threads: int, facts: dict[str, Any], tensors: dict[str, Any], games: bytes
    ) -> _Run:
        spec = registry.load(facts["game"], **facts["options"])
        if spec.version != facts["version"]:
            raise ValueError(f"{out}: trains {facts['game']}_v{facts['version']}; installed is {spec.id}")
        kept = facts["settings"]
        settings = Settings(**{**kept, "pool": tuple(kept["pool"]), "ladder": tuple(kept["ladder"])})
        run = cls(spec, settings, _same_players(facts["players"], spec), facts["seed"], out, device, threads)
        for name in ("updates", "seconds", "evaluations", "history", "progress", "minutes", "timesteps_wanted"):
            setattr(run, name, facts[name])
        run.network.load_state_dict(tensors["network"])
        run.model.policy.optimizer.load_state_dict(tensors["optimizer"])
        run.model.num_timesteps, run.model._n_updates = facts["timesteps"], facts["n_updates"]
        run.env.games.from_bytes(games)
        for player, calls in zip(run.pool, facts["calls"], strict=True):
            player.calls = calls  # type: ignore[attr-defined]
        run.env.lengths[:], run.env.returns[:] = facts["lengths"], facts["returns"]
        if run.updates:
            run.model._last_obs = run.env.look()
            # Where a game has just begun: MaskablePPO asks for nothing else of the last step.
            run.model._last_episode_starts = run.env.lengths == 0
            run.model.ep_info_buffer = deque(facts["episodes"], maxlen=run.model._stats_window_size)
            run.model.ep_success_buffer = deque(maxlen=run.model._stats_window_size)
        run._follow()
        return run


def train(
    game: str | GameSpec,
    options: Mapping[str, Any] | None = None,
    *,
    minutes: float | None = None,
    timesteps: int | None = None,
    seed: int | None = 0,
    out: str | Path | None = None,
    resume: bool = False,
    device: str = "auto",
    games: int | None = None,
    checkpoint_minutes: float = 1.0,
    progress: bool = True,
    records: str | Path | None = None,
    **settings: Any,
) -> TrainingResult:
    """Train an agent by self-play, and measure it.

    One seat learns with MaskablePPO; in each game every other seat is played by the learner's latest self, an earlier
    one, or a fixed player of the pool, drawn anew for each game. The folder ``out`` then holds ``agent.zip`` (the
    trained agent), ``before.zip`` (the same untrained), ``history.json``, ``tensorboard/``, and what ``resume`` needs.

    With the same seed, settings and number of ``timesteps`` on the same machine, the same agent comes out, whether or
    not the run was interrupted on the way; a run for some ``minutes`` ends where time is up. (A search by time, such as
    ``mcts:50ms``, in the pool cannot be repeated.)

    :param game: name of the game, or its spec.
    :param options: the game's options; those left out have their defaults.
    :param minutes: how long to train, what was trained before an interruption included. A resumed run keeps its limits
        unless new ones are given.
    :param timesteps: how many actions of the learner to train on; rounded up to whole updates. The first of the two
        limits that is reached ends the training.
    :param seed: drives everything: games, seats, bots, network and optimiser. None draws one, kept in the agent's info.
    :param out: folder of the run; None: ``runs/`` and the name of the game. Must not hold a run already, unless
        ``resume``.
    :param resume: go on from the last checkpoint in ``out``. Game, options, settings and seed are those of the run.
    :param device: torch device; ``"auto"`` is a GPU if there is one.
    :param games: how many games the table at the end has for each pair, a multiple of the number of players; None:
        400, rounded up to one.
    :param checkpoint_minutes: time between two checkpoints; 0 makes one after each update.
    :param progress: show a progress bar, where standard error is a terminal.
    :param records: a file that the games of the table are appended to (:mod:`starboard.records`).
    :param settings: fields of :class:`Settings`.
    :raises ValueError: for arguments that are not allowed; with ``resume``, also if a saved agent of the pool or the
        ladder has changed or is gone.
    :raises TypeError: for unknown options and settings.
    :raises FileExistsError: if ``out`` holds a run and ``resume`` is not set, or another process trains there.
    :raises FileNotFoundError: if there is no checkpoint to resume from.
    :raises OSError: if the trained agent cannot be written. A checkpoint that cannot be written on the way is only
        warned of: the last good one stays.
    """
    name = game.name if isinstance(game, GameSpec) else game
    out = Path("runs") / name if out is None else Path(out)
    if minutes is None and timesteps is None and not resume:
        raise ValueError("minutes, timesteps: one of them must say how long to train")
    for name, value in (("minutes", minutes), ("timesteps", timesteps)):
        if value is not None and (not isinstance(value, (int, float)) or not value > 0):
            raise ValueError(f"{name}={value!r}: must be above 0")
    if not checkpoint_minutes >= 0:
        raise ValueError(f"checkpoint_minutes={checkpoint_minutes!r}: must be 0 or more")
    device = check_device(device)
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"out={str(out)!r}: is a file; name a folder")
    with _kept_generators(), _own_threads(device) as threads, _alone(out, resume):
        if resume:
            run = _Run.resume(out, device, threads)
            _check_same(run, game, options or {}, settings)
            games = check_games(run.spec, games)
            load_agent(out / BEFORE)  # the table at the end needs it
            if minutes is not None or timesteps is not None:
                run.minutes, run.timesteps_wanted = minutes, timesteps
        else:
            spec = registry.resolve(game, options or {})
            games = check_games(spec, games)
            if (out / CHECKPOINT).exists():
                raise FileExistsError(f"out={str(out)!r}: holds a run already; resume it, or choose another folder")
            if (out / AGENT).exists() and load_agent(out / AGENT).info.get("timesteps"):
                raise FileExistsError(f"out={str(out)!r}: holds a trained agent already; choose another folder")
            made = _settings(spec, settings)
            run = _Run(spec, made, _players(made, spec), int(as_seed(seed)), out, device, threads)
            run.minutes, run.timesteps_wanted = minutes, timesteps
        if records is not None:
            Recorder(records)  # a file that cannot be written to is refused now
        if not resume:
            run.agent().save(out / BEFORE)
            run.save()
        _train(run, checkpoint_minutes, progress)
        return _finish(run, games, progress, records)


def _settings(spec: GameSpec, given: Mapping[str, Any]) -> Settings:
    known = [field.name for field in fields(Settings)]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise TypeError(f"there is no setting {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
    network = one_of("network", given.get("network", default_network(spec)), NETWORKS)
    names = {name: _names(name, given[name]) for name in ("pool", "ladder") if name in given}
    settings = Settings(**{"network": network, "width": WIDTHS[network], **given, **names})
    if not settings.ladder or len(set(settings.ladder)) < len(settings.ladder):
        raise ValueError(f"ladder={settings.ladder!r}: must be at least one player, all different")
    for name, value in asdict(settings).items():
        default = getattr(Settings, name)
        if isinstance(default, int) and (not isinstance(value, int) or value < 1):
            raise ValueError(f"{name}={value!r}: must be a whole number, at least 1")
        if isinstance(default, float):
            most = 1.0 if name in ("gamma", "gae_lambda") else math.inf
            if not isinstance(value, (int, float)) or not 0 <= value <= most or math.isinf(value):
                raise ValueError(f"{name}={value!r}: must be a number from 0 to {most}")
    steps = settings.num_envs * settings.n_steps
    if settings.batch_size < 2 or steps % settings.batch_size == 1:
        raise ValueError(
            f"batch_size={settings.batch_size}: must be at least 2, and must not leave a minibatch of 1 of the "
            f"{steps} timesteps of a rollout (num_envs * n_steps)"
        )
    return settings


def _names(name: str, players: Any) -> tuple[str, ...]:
    """The setting ``pool`` or ``ladder`` as a checkpoint keeps it."""
    if not isinstance(players, Sequence) or not all(isinstance(player, (str, Path)) for player in players):
        raise TypeError(f"{name}={players!r}: must be a sequence of names of bots and files of saved agents")
    if isinstance(players, str):
        raise TypeError(f"{name}={players!r}: must be a sequence of names, such as ({players!r},)")
    return tuple(map(str, players))


def _players(settings: Settings, spec: GameSpec) -> dict[str, Entrant]:
    """All of the pool and the ladder. Files are read once: what becomes of them later does not touch a run."""
    found: dict[str, Entrant] = {}
    for setting, names in (("pool", settings.pool), ("ladder", settings.ladder)):
        for name in names:
            if name not in found:
                try:
                    found[name] = entrant_of(name, spec)
                except ValueError as error:
                    raise ValueError(f"{setting}: {error}") from error
    return found


def _same_players(identities: Mapping[str, str], spec: GameSpec) -> dict[str, Entrant]:
    """The players of a run that is resumed, as they were when it was set up."""
    found: dict[str, Entrant] = {}
    for name, identity in identities.items():
        with suppress(ValueError):
            found[name] = entrant_of(name, spec)
        if name not in found or found[name].identity != identity:
            raise ValueError(
                f"player {name!r}: has changed or is gone since the run was set up, which cannot go on without it"
            )
    return found


def _check_same(run: _Run, game: str | GameSpec, options: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """What is given with ``resume`` must be what the run was set up with."""
    if isinstance(game, GameSpec):
        options = {**game.options, **options}
        game = game.name
    own = {**asdict(run.settings), **run.spec.options, "game": run.spec.name}
    known = {option.name: option for option in registry.game(run.spec.name).options}
    for name, value in {"game": game, **options, **settings}.items():
        if name in known:
            value = known[name].check(value)  # a file becomes its content
        elif name in ("pool", "ladder"):
            value = _names(name, value)
        if name not in own or own[name] != value:
            was = f"was set up with {shown({name: own[name]})[0]}" if name in own else f"has no {name}"
            raise ValueError(f"{shown({name: value})[0]}: the run in {run.out} {was}; leave it out to resume")


@contextmanager
def _alone(out: Path, resume: bool) -> Iterator[None]:
    """Hold the folder, so that no other process trains in it at the same time (where the system has such locks)."""
    if fcntl is None or (resume and not out.is_dir()):
        yield
        return
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileExistsError(f"out={str(out)!r}: another process is training there") from error
        try:
            yield
        finally:
            (out / LOCK).unlink(missing_ok=True)
            if made and not any(out.iterdir()):  # nothing came of it
                out.rmdir()


def _train(run: _Run, checkpoint_minutes: float, progress: bool) -> None:
    """Update until a limit is reached; measure and save on the way."""
    if run.done() == 1.0:
        return
    _logging(run.start_logging)
    before = run.seconds
    began = time.monotonic()
    saved, rested = began, began
    with tqdm(total=100, disable=None if progress else True, unit="%", bar_format=_BAR, file=sys.stderr) as bar:
        while (share := run.done()) < 1.0:
            run.progress = share
            run.update()
            run.seconds = before + time.monotonic() - began
            crossed = int(run.done() * EVALUATIONS) > int(share * EVALUATIONS)
            now = time.monotonic()
            if run.done() == 1.0 or (crossed and (run.minutes is None or now >= rested)):
                run.measure()
                rested = 2 * time.monotonic() - now  # a costly ladder takes no more than half of the time
            _logging(lambda: _log(run), lambda: run.start_logging())
            run.seconds = before + time.monotonic() - began
            bar.set_postfix_str(_status(run))
            bar.update(100 * run.done() - bar.n)
            if time.monotonic() - saved >= 60 * checkpoint_minutes or run.done() == 1.0:
                saved = time.monotonic()
                try:
                    run.save()
                except OSError as error:
                    if run.done() == 1.0:
                        raise
                    warnings.warn(f"no checkpoint was saved, the last good one stays: {error}", stacklevel=3)
    with suppress(OSError):
        run.model.logger.close()


def _logging(*steps: Callable[[], None]) -> None:
    """Try the first of ``steps``, and the others where it cannot be written: training goes on without its curves."""
    for number, step in enumerate(steps):
        try:
            step()
        except OSError as error:
            warnings.warn(f"TensorBoard's files cannot be written: {error}", stacklevel=4)
        else:
            if number == 0:
                return


_BAR = "{percentage:3.0f}%|{bar:20}| {elapsed} {postfix}"


def _status(run: _Run) -> str:
    """A line for the progress bar."""
    points = run.history[-1:]
    scores = "".join(f", {rung} {score:.0%}" for point in points for rung, score in point["scores"].items())
    rate = run.timesteps / max(run.seconds, 1e-9)
    return f"{run.timesteps:,} timesteps, {rate:,.0f}/s{', wins against' if scores else ''}{scores[1:]}"


def _log(run: _Run) -> None:
    """One point of each curve in TensorBoard."""
    logger = run.model.logger
    for name, key in (("ep_rew_mean", "r"), ("ep_len_mean", "l")):
        if run.model.ep_info_buffer:
            logger.record(f"rollout/{name}", safe_mean([episode[key] for episode in run.model.ep_info_buffer]))
    if run.history and run.history[-1]["timesteps"] == run.timesteps:
        for rung, score in run.history[-1]["scores"].items():
            logger.record(f"score/{rung}", score)
    logger.record("time/timesteps_per_second", run.timesteps / max(run.seconds, 1e-9))
    logger.record("time/updates", run.updates)
    logger.dump(run.timesteps)


def _finish(run: _Run, games: int, progress: bool, records: str | Path | None) -> TrainingResult:
    """Play the matches of the table."""
    after = run.agent()
    before = load_agent(run.out / BEFORE, seed=run.seed)
    pairs: list[tuple[str, Agent, str | None]] = [
        (name, agent, rung) for rung in run.settings.ladder for name, agent in (("before", before), ("after", after))
    ]
    pairs.append(("after", after, None))
    matches = []
    for name, agent, rung in tqdm(pairs, disable=None if progress else True, desc="measuring", file=sys.stderr):
        opponent = before if rung is None else run.rung(rung, run.seed)
        names = f"{name} training", rung or "before"
        match = evaluate(agent, opponent, run.spec, games=games, seed=run.seed, records=records, names=names)
        matches.append(match)
    after.threads = 1  # torch has all of its own again
    return TrainingResult(run.out / AGENT, after, run.history, matches)


@contextmanager
def _kept_generators() -> Iterator[None]:
    """Leave the global random generators as the caller had them."""
    kept = torch.get_rng_state(), np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        torch.set_rng_state(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        random.setstate(kept[2])


@contextmanager
def _own_threads(device: str) -> Iterator[int]:
    """How many threads share the rows of batches: as many as torch has, which is given one meanwhile."""
    kept = torch.get_num_threads()
    if torch.device(device).type != "cpu":
        yield 1
        return
    torch.set_num_threads(1)
    try:
        yield kept
    finally:
        torch.set_num_threads(kept)
