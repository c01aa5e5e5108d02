"""How fast each layer is on this machine: ``starboard bench``, or :func:`run`.

Layers are measured in turn, round by round, and the median and the spread of the rounds are reported: machines have
fast and slow phases, and what was measured in one would say nothing about what was measured in another. A fixed loop of
plain Python runs in each round, too: where *its* spread is wide, so is everything else's.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Any

import numba
import numpy as np

from starboard import loops, registry
from starboard.aec import BoardGameEnv, wrapped
from starboard.batch import Batch
from starboard.bots import RandomBot
from starboard.files import write_whole
from starboard.seat import SeatVectorEnv
from starboard.spec import GameSpec, shown
from starboard.threads import cores

Chunk = Callable[[], int]
"""Does some work, a fraction of a second at most, and says how many units it was."""

CALIBRATION = "plain Python loop"
PACKAGES = (
    "starboard-envs",
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)
TRAIN_EXTRA = ("torch", "stable_baselines3", "sb3_contrib")


@dataclass(frozen=True)
class Layer:
    """Something to be measured."""

    name: str
    unit: str
    note: str
    start: Callable[[], Chunk]
    """Makes the chunk of work; what it takes to get ready is not measured."""


@dataclass(frozen=True)
class Rates:
    """Units a second, round by round."""

    rounds: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def low(self) -> float:
        return min(self.rounds)

    @property
    def high(self) -> float:
        return max(self.rounds)


def rate(chunk: Chunk, seconds: float) -> float:
    """Units a second of ``chunk``, called until ``seconds`` are over."""
    units = 0
    began = time.perf_counter()
    while True:
        units += chunk()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return units / elapsed


def interleave(
    chunks: Mapping[str, Chunk],
    rounds: int,
    seconds: float,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Rates]:
    """Measure ``chunks`` in turn, ``rounds`` times, each for ``seconds``; each is called once before to warm up.

    :param progress: told what is being done.
    """
    say = progress or (lambda text: None)
    for name, chunk in chunks.items():
        say(f"warming up: {name}")
        chunk()
    found: dict[str, list[float]] = {name: [] for name in chunks}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for name, chunk in chunks.items():
            found[name].append(rate(chunk, seconds))
    return {name: Rates(values) for name, values in found.items()}


def ratio(ours: Rates, theirs: Rates) -> Rates:
    """How many times as fast ``ours`` was, round by round."""
    return Rates([a / b for a, b in zip(ours.rounds, theirs.rounds, strict=True)])


def python_loop() -> int:
    """The fixed piece of plain Python that shows what phase the machine is in: 20,000 additions."""
    total = 0
    for i in range(20_000):
        total += i & 7
    return 20_000


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    packages = {}
    for package in PACKAGES:
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "os": f"{platform.system()} {platform.release().partition('-')[0]} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": packages,
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def playouts(spec: GameSpec, num_games: int = 64, plies: int = 200) -> Chunk:
    """Games played inside one jitted call: list the legal actions, choose, play."""
    records, episodes = _games(spec, num_games)
    moves = np.empty(spec.max_legal, np.int16)

    def chunk() -> int:
        loops.playouts(spec.params, records, np.uint64(0), plies, moves, episodes)
        return num_games * plies

    return chunk


def batch_bare(spec: GameSpec, num_games: int) -> Chunk:
    """One jitted call a ply, neither masks nor observations: the action is drawn from the list of legal ones."""
    records, episodes = _games(spec, num_games)
    moves = np.empty(spec.max_legal, np.int16)
    repeats = max(1, 2048 // num_games)

    def chunk() -> int:
        for _ in range(repeats):
            loops.playouts(spec.params, records, np.uint64(0), 1, moves, episodes)
        return num_games * repeats

    return chunk


def batch_full(spec: GameSpec, num_games: int, threads: int = 1) -> Chunk:
    """:meth:`Batch.step` with masks and observations, actions from :meth:`Batch.sample`."""
    batch = Batch(spec, num_games, seed=0, threads=threads)
    now = batch.reset()
    repeats = max(1, 2048 // num_games)

    def chunk() -> int:
        nonlocal now
        for _ in range(repeats):
            now = batch.step(batch.sample(now.action_masks))
        return num_games * repeats

    return chunk


def sampling(spec: GameSpec, num_games: int) -> Chunk:
    """:meth:`Batch.sample` alone, on masks from the middle of games."""
    batch = Batch(spec, num_games, seed=0)
    masks = batch.reset().action_masks
    for _ in range(min(spec.max_plies // 8, 200)):  # the longest game of Asteria has millions of plies
        masks = batch.step(batch.sample(masks)).action_masks

    def chunk() -> int:
        for _ in range(16):
            batch.sample(masks)
        return 16 * num_games

    return chunk


def aec_raw(env: Any, seed: int = 0) -> Chunk:
    """The AEC loop over whole games with the cheapest way to choose: one of the places where the mask is 1."""
    pick = Random(seed).random
    env.reset(seed=seed)

    def chunk() -> int:
        plies = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(pick() * len(legal))])
                plies += 1
        return plies

    return chunk


def aec_documented(env: Any, seed: int = 0) -> Chunk:
    """The AEC loop as PettingZoo's documentation has it, over whole games."""
    env.reset(seed=seed)

    def chunk() -> int:
        plies = 0
        env.reset()
        for agent in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            if termination or truncation:
                action = None
            else:
                action = env.action_space(agent).sample(observation["action_mask"])
                plies += 1
            env.step(action)
        return plies

    return chunk


def seat_vector(spec: GameSpec, num_games: int) -> Chunk:
    """Gymnasium's vector environment of one seat, against a random player."""
    env = SeatVectorEnv(spec.name, num_games, opponent="random", **spec.options)
    player = RandomBot(spec, seed=0)
    observations, infos = env.reset(seed=0)

    def chunk() -> int:
        nonlocal observations, infos
        for _ in range(8):
            observations, _, _, _, infos = env.step(player(observations, infos["action_mask"]))
        return 8 * num_games

    return chunk


def seat_sb3(spec: GameSpec, num_games: int) -> Chunk:
    """stable-baselines3's VecEnv of one seat, against a random player, with the masks that MaskablePPO asks for."""
    from starboard.sb3 import SeatVecEnv

    env = SeatVecEnv(spec.name, num_games, opponent="random", seed=0, **spec.options)
    player = RandomBot(spec, seed=0)
    observations = env.reset()

    def chunk() -> int:
        nonlocal observations
        for _ in range(8):
            masks = env.env_method("action_masks")
            observations = env.step(player(observations, masks))[0]  # type: ignore[assignment]
        return 8 * num_games

    return chunk


def training(spec: GameSpec, quick: bool = False) -> Chunk:
    """Whole updates of MaskablePPO with the settings of :func:`starboard.training.train`, against a random player."""
    from sb3_contrib import MaskablePPO

    from starboard.agents.network import default_network
    from starboard.sb3 import SeatVecEnv
    from starboard.training import Settings
    from starboard.training.policy import BoardPolicy

    settings = Settings(network=default_network(spec))
    n_steps = 2 if quick else settings.n_steps
    model = MaskablePPO(
        BoardPolicy,
        SeatVecEnv(spec, settings.num_envs, opponent="random", seed=0, foresight=spec.foresight > 0),
        n_steps=n_steps,
        batch_size=min(settings.batch_size, settings.num_envs * n_steps),
        n_epochs=settings.n_epochs,
        policy_kwargs={"spec": spec, "network": settings.network, "width": settings.width},
        device="cpu",
        seed=0,
    )

    def chunk() -> int:
        model.learn(settings.num_envs * n_steps, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        return settings.num_envs * n_steps

    return chunk


def layers(spec: GameSpec, quick: bool = False) -> tuple[list[Layer], dict[str, str]]:
    """What :func:`run` measures, and what it does not, with the reason."""
    found = [
        Layer(CALIBRATION, "additions", "no game: shows how steady the machine was", lambda: python_loop),
        Layer(
            "kernel playout", "plies", "list the legal actions, choose, play, all in one call", lambda: playouts(spec)
        ),
    ]
    skipped: dict[str, str] = {}
    counts = (64,) if quick else (64, 1024)
    for n in counts:
        found.append(
            Layer(f"batch {n}, bare", "plies", "one call a ply; no mask, no observation", partial(batch_bare, spec, n))
        )
        for threads in (1, 2):
            name = f"batch {n}, full, {threads} thread{'s' * (threads > 1)}"
            if threads > numba.config.NUMBA_NUM_THREADS:  # type: ignore[attr-defined]
                skipped[name] = "this machine has one core"
                continue
            note = "Batch.step with masks and observations; sampling included"
            found.append(Layer(name, "plies", note, partial(batch_full, spec, n, threads)))
        note = "Batch.sample alone: part of the lines above"
        found.append(Layer(f"sampling {n}", "actions", note, partial(sampling, spec, n)))
    found += [
        Layer("AEC raw_env", "plies", "any legal action by np.nonzero", lambda: aec_raw(BoardGameEnv(spec))),
        Layer(
            "AEC env",
            "plies",
            "PettingZoo's documented loop: action_space(agent).sample(mask)",
            lambda: aec_documented(wrapped(BoardGameEnv(spec))),
        ),
        Layer(
            "Gymnasium VectorEnv 64",
            "timesteps",
            "one seat against a random player; some two plies each",
            lambda: seat_vector(spec, 64),
        ),
    ]
    needing_torch = [
        Layer(
            "SB3 VecEnv 64",
            "timesteps",
            "one seat against a random player; some two plies each",
            lambda: seat_sb3(spec, 64),
        ),
        Layer(
            "training",
            "timesteps",
            "MaskablePPO with the settings of `starboard train`, against a random player",
            lambda: training(spec, quick),
        ),
    ]
    missing = [package for package in TRAIN_EXTRA if importlib.util.find_spec(package) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)} (pip install 'starboard-envs[train]')"
        skipped.update({layer.name: reason for layer in needing_torch})
    else:
        found += needing_torch
    return found, skipped


_LOAD = """
import sys
import starboard
from starboard.aec import BoardGameEnv
spec = starboard.load(sys.argv[1])
"""
_FIRST_STEP = """
env = BoardGameEnv(spec)
env.reset(seed=0)
env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
"""


def startup(spec: GameSpec) -> dict[str, float]:
    """What it takes to get to the end of the first step of ``raw_env`` from the start of Python, in seconds.

    ``cold``: in a fresh install, which compiles; ``warm``: later; ``load``: the part of that until the game is
    imported. ``cache_mb``: megabytes of compiled code on disk then. Medians of three, but for the first. Options
    compile nothing, so the game's own defaults are measured.
    """
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "STARBOARD_QUIET": "1"}

        def seconds(code: str) -> float:
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, spec.name], env=environment, check=True)
            return time.perf_counter() - began

        cold = seconds(_LOAD + _FIRST_STEP)
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
        rounds = [(seconds(_LOAD), seconds(_LOAD + _FIRST_STEP)) for _ in range(3)]
    load, warm = (statistics.median(times) for times in zip(*rounds, strict=True))
    return {"cold": cold, "warm": warm, "load": load, "cache_mb": size / 1e6}


def random_games(spec: GameSpec, num_games: int) -> dict[str, float]:
    """How random games go: ``games``, ``mean_plies``, and the share ``ended_by_stall`` if the game has that ending."""
    records, _ = _games(spec, num_games)
    games = np.arange(num_games)
    observations = np.empty((num_games, spec.observation_high.size), np.int8)
    masks = np.empty((num_games, spec.num_actions), np.int8)
    rewards = np.empty((num_games, spec.num_players))
    terminated, truncated = np.empty((2, num_games), np.bool_)
    player = RandomBot(spec, seed=0)
    while len(games):
        n = len(games)
        loops.view(spec.params, records, games, observations[:n], masks[:n])
        actions = player(observations[:n], masks[:n])
        loops.play(spec.params, records, games, actions, rewards[:n], terminated[:n], truncated[:n])
        games = games[~(terminated[:n] | truncated[:n])]
    found = {"games": float(num_games), "mean_plies": float(records["ply"].mean())}
    if "stall_limit" in spec.options:
        found["ended_by_stall"] = float((records["stall"] >= spec.options["stall_limit"]).mean())
    return found


def _games(spec: GameSpec, num_games: int) -> tuple[np.ndarray, np.ndarray]:
    """Fresh games, and the number of episodes begun in each."""
    records = np.zeros(num_games, spec.state_dtype)
    episodes = np.zeros(num_games, np.int64)
    loops.reset(spec.params, records, np.arange(num_games), np.uint64(0), episodes)
    return records, episodes


def run(
    game: str = "astralis",
    options: Mapping[str, Any] | None = None,
    *,
    rounds: int = 7,
    seconds: float = 0.3,
    quick: bool = False,
    out: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure every layer of ``game``; what is returned is what :func:`table` prints and what ``out`` gets as JSON.

    :param options: the game's options.
    :param rounds: how often each layer is measured, in turn with the others.
    :param seconds: for how long each time.
    :param quick: one short round of fewer layers and no start-up times, to see that all works; its figures mean little.
    :param out: a JSON file to write, whole or not at all.
    :param progress: told what is being done, a line at a time.
    :raises ValueError: for fewer than one round, or seconds below 0.
    :raises OSError: if ``out`` cannot be written; a file that was there is unchanged then.
    """
    if rounds < 1 or seconds < 0:
        raise ValueError(f"rounds={rounds!r}, seconds={seconds!r}: must be at least 1 and at least 0")
    if quick:
        rounds, seconds = 1, 0.01
    say = progress or (lambda text: None)
    spec = registry.load(game, **(options or {}))
    todo, skipped = layers(spec, quick)
    chunks = {}
    for layer in todo:
        say(f"getting ready: {layer.name}")
        chunks[layer.name] = layer.start()
    rates = interleave(chunks, rounds, seconds, progress)
    report: dict[str, Any] = {
        "game": spec.id,
        "options": dict(spec.options),
        "machine": machine(),
        "rounds": rounds,
        "seconds": seconds,
        "layers": [_facts(layer, rates[layer.name]) for layer in todo],
        "skipped": skipped,
        "random_games": random_games(spec, 64 if quick else 2000),
    }
    if quick:
        skipped["start-up"] = "quick"
    else:
        say("starting new processes")
        report["startup"] = startup(spec)
    if out is not None:
        write_whole(out, (json.dumps(report, indent=1) + "\n").encode())
    return report


def _facts(layer: Layer, rates: Rates) -> dict[str, Any]:
    facts = {name: value for name, value in vars(layer).items() if name != "start"}
    return {**facts, "median": rates.median, "low": rates.low, "high": rates.high, **asdict(rates)}


def table(report: Mapping[str, Any]) -> str:
    """The report of :func:`run` as text."""
    head = ["layer", "a second", "lowest", "highest", "", "what is measured"]
    rows = [
        [layer["name"], *(grouped(layer[key]) for key in ("median", "low", "high")), layer["unit"], layer["note"]]
        for layer in report["layers"]
    ]
    facts = report["machine"]
    options = " ".join(shown(report["options"]))
    games = report["random_games"]
    lines = [
        f"{report['game']} ({options})",
        f"{facts['cpu']}, {facts['cores']} cores, {facts['os']}, {facts['python']}",
        ", ".join(f"{name} {number}" for name, number in facts["packages"].items()),
        f"median of {report['rounds']} interleaved rounds of {report['seconds']:g} s",
        "",
        *aligned([head, *rows]),
        "",
    ]
    lines += [f"{name}: skipped ({reason})" for name, reason in report["skipped"].items()]
    if "startup" in report:
        found = report["startup"]
        lines.append(
            f"start of Python to the first step: {found['cold']:.1f} s in a fresh install (compiles), "
            f"{found['warm']:.2f} s later, {found['load']:.2f} s of them imports; "
            f"compiled code: {found['cache_mb']:.1f} MB"
        )
    stall = f", {games['ended_by_stall']:.1%} end by stall" if "ended_by_stall" in games else ""
    lines.append(f"{games['games']:.0f} random games: {games['mean_plies']:.1f} plies on average{stall}")
    return "\n".join(lines)


def grouped(number: float) -> str:
    """A rate with three significant digits, thousands grouped: ``"1,230,000"``."""
    return f"{float(f'{number:.3g}'):,.0f}" if number >= 100 else f"{number:.3g}"


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """``rows`` as lines of equal columns; after the first, cells that begin with a digit stand to the right."""
    table = [list(row) for row in rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if k and cell[:1].isdigit() else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
