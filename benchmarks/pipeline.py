"""Where the time of `starboard train` goes: stepping, opponents, the learner's inference, its buffer, optimisation.

    pip install 'starboard-envs[train]'
    python benchmarks/pipeline.py

Whole updates of a training run with its default settings, after some have filled the pool with earlier selves: against
these alone, and with the default pool. Each moment counts once, for the innermost part that is under way, so the shares
add up to the wall time. What a run does beside its updates, measuring itself and saving, is left out.

With --cores, the process is held to so many of the machine's cores, one number after the other (Linux only).
"""

from __future__ import annotations

import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from report import arguments, save, say
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.logger import Logger

from starboard import registry, seat
from starboard.benchmark import CALIBRATION, Chunk, Rates, aligned, grouped, interleave, machine, python_loop
from starboard.sb3 import SeatVecEnv
from starboard.training import selfplay
from starboard.training.policy import BoardPolicy

PARTS = {
    "rules": "stepping: the games' rules, observations, masks, new games, the heuristic of the shaping",
    "opponents": "the other seats' choices: inference, looking ahead, bots",
    "look-ahead": "what the learner's network sees beside the observation, where spec.foresight says so",
    "learner": "the learner's inference",
    "buffer": "filling the rollout buffer, advantages, minibatches",
    "optimisation": "forward, backward and Adam on minibatches",
    "rest": "all else",
}
SEAMS: tuple[tuple[Any, str, str], ...] = (
    (SeatVecEnv, "step_wait", "rules"),
    (seat, "choose_actions", "opponents"),
    (SeatVecEnv, "_shown", "look-ahead"),
    (BoardPolicy, "forward", "learner"),
    (BoardPolicy, "predict_values", "learner"),
    (SeatVecEnv, "env_method", "buffer"),
    (MaskableRolloutBuffer, "reset", "buffer"),
    (MaskableRolloutBuffer, "add", "buffer"),
    (MaskableRolloutBuffer, "compute_returns_and_advantage", "buffer"),
    (MaskableRolloutBuffer, "get", "buffer"),
    (MaskablePPO, "train", "optimisation"),
)
"""Functions, by their owner and name, and the part that begins with each call."""
TARGET = 0.35
"""The most that rules and opponents together may take of the wall time, against past selves."""
WARM_UPDATES = 4


class Clock:
    """Seconds of wall time by part: of those under way, the innermost counts."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._open: list[str] = []
        self._since = 0.0

    def _count(self) -> None:
        now = time.perf_counter()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    @contextmanager
    def spent_on(self, part: str) -> Iterator[None]:
        self._count()
        self._open.append(part)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def timed(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        """``function``, each call of which counts for ``part``; of a generator, each of its steps."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.spent_on(part):
                result = function(*args, **kwargs)
            return steps(result) if isinstance(result, Iterator) else result

        def steps(generator: Iterator[Any]) -> Iterator[Any]:
            while True:
                with self.spent_on(part):
                    try:
                        item = next(generator)
                    except StopIteration:
                        return
                yield item

        return call

    def put_in(self) -> None:
        """Time all of ``SEAMS`` from now on."""
        for owner, name, part in SEAMS:
            setattr(owner, name, self.timed(getattr(owner, name), part))


class Found(NamedTuple):
    """What some updates took, each: wall time, processor time, wall time by part."""

    wall: list[float]
    cpu: list[float]
    parts: list[dict[str, float]]

    def share(self, *parts: str) -> float:
        """Of the wall time, 0 to 1."""
        return sum(seconds[part] for seconds in self.parts for part in parts) / sum(self.wall)

    @property
    def cores(self) -> float:
        """CPU seconds a second of wall time: how many cores were in use."""
        return sum(self.cpu) / sum(self.wall)


def updating(clock: Clock, run: Any, cores: set[int], found: Found) -> Chunk:
    """An update of ``run`` on ``cores``, noted in ``found``."""

    def chunk() -> int:
        if cores:
            os.sched_setaffinity(0, cores)
        before, timesteps = dict(clock.seconds), run.timesteps
        wall, cpu = time.perf_counter(), time.process_time()
        with clock.spent_on("rest"):
            run.update()
        found.wall.append(time.perf_counter() - wall)
        found.cpu.append(time.process_time() - cpu)
        found.parts.append({part: seconds - before[part] for part, seconds in clock.seconds.items()})
        return int(run.timesteps - timesteps)

    return chunk


def run_of(game: str, pool: dict[str, Any], folder: Path, threads: int, quick: bool) -> Any:
    """A training run whose earlier selves have been put into the pool; ``pool``: the setting, where it is given."""
    spec = registry.load(game)
    given = {**pool, "snapshot_every": WARM_UPDATES}
    if quick:
        given |= {"num_envs": 16, "n_steps": 2, "batch_size": 16, "snapshot_every": 1}
    settings = selfplay._settings(spec, given)
    run = selfplay._Run(spec, settings, selfplay._players(settings, spec), 0, folder, "cpu", threads)
    run.model.set_logger(Logger(None, []))
    for _ in range(settings.snapshot_every):
        run.update()
    return run


def table(found: dict[str, Found], rates: dict[str, Rates]) -> str:
    """Timesteps a second, shares of the wall time in percent, and cores in use."""
    rows = [["percent of the wall time", "timesteps/s", *PARTS, "rules + opponents", "cores in use"]]
    for name, one in found.items():
        shares = [f"{100 * one.share(part):.1f}" for part in PARTS]
        both = f"{100 * one.share('rules', 'opponents'):.1f}"
        rows.append([name, grouped(rates[name].median), *shares, both, f"{one.cores:.2f}"])
    return "\n".join(aligned(rows))


def main() -> None:
    args = arguments(__doc__, rounds=5, seconds=0.0, file=True, games="astralis asterion asteria", cores="")
    own = sorted(os.sched_getaffinity(0)) if args.cores else []
    clock = Clock()
    clock.put_in()
    chunks: dict[str, Chunk] = {CALIBRATION: python_loop}
    found: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as folder, selfplay._own_threads("cpu") as threads:
        pools: tuple[tuple[str, dict[str, Any]], ...] = (("past selves", {"pool": ()}), ("default pool", {}))
        for game, (against, pool) in itertools.product(args.games.split(), pools):
            say(f"getting ready: {game}, {against}")
            run = run_of(game, pool, Path(folder), threads, args.quick)
            for cores in args.cores.split() or [""]:
                name = f"{game}, {against}" + (f", cores: {cores}" if cores else "")
                found[name] = Found([], [], [])
                chunks[name] = updating(clock, run, set(own[: int(cores or 0)]), found[name])
        rates = interleave(chunks, args.rounds, args.seconds, progress=say)
    facts = machine()
    print("Where the time of an update of `starboard train` goes.")
    print(f"{facts['cpu']}, {facts['cores']} cores, {facts['python']}")
    print(f"{args.rounds} interleaved rounds; timesteps a second: their median\n")
    print(table(found, rates), "\n")
    print("\n".join(aligned([["part", "what it is"], *map(list, PARTS.items())])))
    print(f"\nrules and opponents together, against past selves: at most {TARGET:.0%} wanted")
    if args.json is not None:
        more = {
            name: {"shares": {part: one.share(part) for part in PARTS}, "cores": one.cores}
            for name, one in found.items()
        }
        save(args.json, {CALIBRATION: "additions", **dict.fromkeys(found, "timesteps")}, rates, [], more)


if __name__ == "__main__":
    main()
