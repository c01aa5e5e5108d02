"""How speed and memory go with the number of games in a batch, and whether memory stays flat over many games.

    python benchmarks/scale.py --json scale.json --plot scale.svg
    python benchmarks/scale.py --games 1000000

Each game is stepped by `Batch.step` with masks and observations, with actions from `Batch.sample`, in batches of 1 to
65,536 games. What holds it back is measured beside it, in the same rounds:

- two processes, each with a batch of its own and one thread: what two cores can give that share nothing but memory;
- memory kept: one thread in a process whose allocator (glibc) gives nothing back: new arrays cost no page faults;
- bare: neither masks nor observations, only the states are touched.

The tables say, too, what a step touches and which cache holds it, the minor page faults of a step on one thread, and
the share of its processor time that the system's kernel took.

With --games so many games of each kind are played in one process instead, on one thread and on two, and the resident
memory is sampled; the exit status is 1 if it grows after the first tenth. The largest batches need some 4 GB.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import tracemalloc
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numba
from report import Comparison, arguments, compared, facts, say, write_json

from starboard.batch import Batch, BatchStep
from starboard.benchmark import (
    CALIBRATION,
    Chunk,
    Rates,
    aligned,
    batch_bare,
    batch_full,
    grouped,
    interleave,
    machine,
    python_loop,
    rate,
    ratio,
)
from starboard.registry import load, names
from starboard.spec import GameSpec

SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
WORTH_THREADS = 256
"""From so many games on two threads should be ``TWO_THREADS`` times as fast as one."""
TWO_THREADS = 1.8
START: dict[str, Callable[[GameSpec, int], Chunk]] = {
    "1 thread": batch_full,
    "2 threads": partial(batch_full, threads=2),
    "bare": batch_bare,
}
KINDS = {
    "1 thread": ("seat0", "o-"),
    "2 threads": ("seat1", "s-"),
    "2 processes": ("seat2", "D--"),
    "memory kept": ("seat3", "^:"),
    "bare": ("faint", "v-"),
}
"""What is measured, and how it is drawn."""
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
"""Settings with which glibc never gives memory back to the system; other allocators do not know them."""
TOGETHER = 1024
"""Games in each batch while the memory is watched."""
MOST_GROWTH = 4.0
"""MB that the resident memory may grow by after the warm-up."""
WARM_UP = 0.1
"""Share of the games."""


class Use(NamedTuple):
    """Bytes a game."""

    record: int
    observation: int
    mask: int
    rest: int
    """Of what a step takes and returns: actions, seats to move, rewards, flags."""
    kept: float
    """By the batch besides the records: room for last observations, counters."""
    most: float
    """Of all memory, at its highest in a step."""

    @property
    def working_set(self) -> int:
        """What a step touches: the record, the arrays of the step before, new ones."""
        return self.record + 2 * (self.observation + self.mask + self.rest)


def use(spec: GameSpec, num_games: int = 1024) -> Use:
    """What a batch takes, as NumPy tells `tracemalloc`."""
    Batch(spec, 1, seed=0).reset()  # loads what is compiled
    tracemalloc.start()
    try:
        batch = Batch(spec, num_games, seed=0)
        now = batch.reset()
        handed_out = _bytes(now)
        kept = tracemalloc.get_traced_memory()[0] - handed_out - batch.records.nbytes
        tracemalloc.reset_peak()
        for _ in range(8):
            now = batch.step(actions := batch.sample(now.action_masks))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    observation, mask = (array[0].nbytes for array in (now.observations, now.action_masks))
    rest = (handed_out + actions.nbytes) // num_games - observation - mask
    return Use(batch.records.itemsize, observation, mask, rest, kept / num_games, most / num_games)


def _bytes(step: BatchStep) -> int:
    return sum(array.nbytes for array in step)


def caches() -> dict[str, int]:
    """Bytes of the caches for data, ``{"L1": ..., "L2": ...}``, as far as Linux tells."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = ((folder / name).read_text().strip() for name in ("type", "level", "size"))
            if kind != "Instruction":
                found[f"L{level}"] = int(size.removesuffix("K")) * 1024
        except (OSError, ValueError):
            continue
    return found


class Costs(NamedTuple):
    """What the system did for the steps of a batch."""

    faults: float
    """Minor page faults a step."""
    system: float
    """Share of the processor time that the kernel of the system took."""


def measured(chunk: Chunk, num_games: int, seconds: float) -> tuple[float, Costs | None]:
    """Plies a second of ``chunk``, and what they cost; None where the system does not count that."""
    units = 0

    def counted() -> int:
        nonlocal units
        done = chunk()
        units += done
        return done

    try:
        import resource
    except ImportError:
        return rate(chunk, seconds), None
    before = resource.getrusage(resource.RUSAGE_SELF)
    speed = rate(counted, seconds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    faults = after.ru_minflt - before.ru_minflt
    return speed, Costs(faults * num_games / units, system / (user + system) if user + system else 0.0)


def _serve(pipe: Connection) -> None:
    """Measure what is asked for, until nothing more is."""
    game, chunks = None, {}
    with suppress(EOFError):
        while True:
            name, num_games, kind, seconds = pipe.recv()
            if name != game:
                game, chunks = name, {}
            if (num_games, kind) not in chunks:
                chunks[num_games, kind] = START[kind](load(name), num_games)
            chunk = chunks[num_games, kind]
            chunk()  # a large batch finds memory that was long free slower than what its last step gave back
            pipe.send(measured(chunk, num_games, seconds))


class Workers:
    """``count`` new processes that measure, each the same at the same time.

    :param environment: variables that they start with.
    """

    def __init__(self, count: int, **environment: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes, self._processes = [], []
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                self._pipes.append(ours)
                self._processes.append(process)
        finally:
            for name in environment.keys() - before.keys():
                del os.environ[name]
            os.environ.update(before)

    def chunk(self, game: str, num_games: int, kind: str, seconds: float, costs: list[Costs | None]) -> Chunk:
        """A batch of ``kind`` in each process, stepped for ``seconds``; ``costs`` gets those of the first process."""

        def chunk() -> int:
            began = time.perf_counter()
            for pipe in self._pipes:
                pipe.send((game, num_games, kind, seconds))
            found = [pipe.recv() for pipe in self._pipes]
            costs.append(found[0][1])
            together = sum(speed for speed, _ in found)
            return round(together * (time.perf_counter() - began))  # who was done first did not wait for the others

        return chunk

    def close(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join()


def scaling(spec: GameSpec, sizes: Sequence[int], rounds: int, seconds: float) -> dict[str, Any]:
    """Measure one game: ``rates``, the ``comparisons`` of them, and ``points``, one for each size."""
    two = numba.config.NUMBA_NUM_THREADS > 1  # type: ignore[attr-defined]
    taken = use(spec)
    chunks: dict[str, Chunk] = {f"{spec.name}, {CALIBRATION}": python_loop}
    costs: dict[str, list[Costs | None]] = {}
    comparisons: list[Comparison] = []
    with closing(Workers(1)) as alone, closing(Workers(2)) as both, closing(Workers(1, **KEEP)) as keeping:
        measuring = {
            "1 thread": (alone, "1 thread"),
            "2 threads": (alone, "2 threads"),
            "2 processes": (both, "1 thread"),
            "memory kept": (keeping, "1 thread"),
            "bare": (alone, "bare"),
        }
        for n in sizes:
            for kind, (workers, what) in measuring.items():
                name = f"{spec.name}, {n} games, {kind}"
                if kind.startswith("2") and not two:
                    continue
                costs[name] = []
                chunks[name] = workers.chunk(spec.name, n, what, seconds, costs[name])
                if kind not in ("1 thread", "bare"):
                    target = TWO_THREADS if kind == "2 threads" and n >= WORTH_THREADS else None
                    comparisons.append((name, f"{spec.name}, {n} games, 1 thread", target))
        rates = interleave(chunks, rounds, seconds, say)
    points = [
        {
            "game": spec.name,
            "num_games": n,
            "working_set": n * taken.working_set,
            "costs": _median(costs[f"{spec.name}, {n} games, 1 thread"][1:]),  # the first call warms up
        }
        for n in sizes
    ]
    return {"rates": rates, "comparisons": comparisons, "points": points, "use": taken}


def _median(costs: list[Costs | None]) -> dict[str, float] | None:
    known = [cost for cost in costs if cost is not None]
    return {name: median(getattr(cost, name) for cost in known) for name in Costs._fields} if known else None


def use_table(found: dict[str, Use]) -> str:
    """Bytes a game, a column for each game."""
    rows = [["bytes a game", *found]]
    for name, what in (
        ("record", "state record"),
        ("observation", "observation"),
        ("mask", "mask"),
        ("rest", "action, seat to move, rewards, flags"),
        ("kept", "kept for last observations, counters"),
        ("working_set", "touched by a step"),
        ("most", "at most"),
    ):
        rows.append([what, *(f"{getattr(each, name):,.0f}" for each in found.values())])
    return "\n".join(aligned(rows))


def speed_table(rates: dict[str, Rates], points: list[dict[str, Any]]) -> str:
    """Thousands of plies a second of one game."""
    rows = [["games", *KINDS]]
    for point in points:
        row = [f"{point['num_games']:,}"]
        for kind in KINDS:
            found = rates.get(_name(point, kind))
            thousands = [grouped(x / 1e3) for x in (found.median, found.low, found.high)] if found else []
            row.append("{} ({} .. {})".format(*thousands) if thousands else "-")
        rows.append(row)
    return "\n".join(aligned(rows))


def why_table(rates: dict[str, Rates], points: list[dict[str, Any]], sizes: dict[str, int]) -> str:
    """What holds one game back: times as fast as one thread, where its working set fits, page faults."""
    kinds = ("2 threads", "2 processes", "memory kept")
    rows = [["games", *kinds, "touched", "fits", "faults", "system"]]
    for point in points:
        one = rates[_name(point, "1 thread")]
        row = [f"{point['num_games']:,}"]
        for kind in kinds:
            found = rates.get(_name(point, kind))
            times = found and ratio(found, one)
            row.append(f"{times.median:.2f} ({times.low:.2f} .. {times.high:.2f})" if times else "-")
        fits = [name for name, size in sorted(sizes.items()) if point["working_set"] <= size]
        row += [f"{point['working_set'] / 1e6:.2f} MB", fits[0] if fits else "memory" if sizes else "-"]
        cost = point["costs"]
        row += [f"{cost['faults']:,.1f}", f"{cost['system']:.0%}"] if cost else ["-", "-"]
        rows.append(row)
    return "\n".join(aligned(rows))


def draw(rates: dict[str, Rates], points: list[dict[str, Any]], sizes: dict[str, int], file: str) -> None:
    """Plies a second by the number of games, a panel for each game, with the outer caches: into a .png or .svg."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, StrMethodFormatter

    from starboard.render.plots import COLOURS, STYLE, save, settled

    games = list(dict.fromkeys(point["game"] for point in points))
    with rc_context(STYLE):
        figure = Figure(figsize=(8, 0.8 + 2.6 * len(games)), layout="constrained")
        panels = figure.subplots(len(games), squeeze=False, sharex=True)[:, 0]
        for axes, game in zip(panels, games, strict=True):
            here = [point for point in points if point["game"] == game]
            counts = [point["num_games"] for point in here]
            axes.set_xscale("log", base=2)
            for kind, (colour, line) in KINDS.items():
                found = [rates[_name(point, kind)] for point in here if _name(point, kind) in rates]
                if found:
                    low, median, high = zip(*((each.low, each.median, each.high) for each in found), strict=True)
                    axes.fill_between(counts, low, high, color=COLOURS[colour], alpha=0.15, linewidth=0)
                    axes.plot(counts, median, line, color=COLOURS[colour], markersize=5, label=kind)
            for name, size in sizes.items():
                if name != "L1":
                    full = size / here[0]["working_set"] * here[0]["num_games"]
                    axes.axvline(full, color=COLOURS["faint"], linewidth=1, linestyle=":")
                    axes.annotate(
                        name, (full, 0), (3, 3), xycoords=("data", "axes fraction"), textcoords="offset points"
                    )
            axes.set_title(game)
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_formatter(EngFormatter())
            axes.set_ylabel("plies a second")
            axes.grid()
        panels[0].legend(loc="upper left", frameon=False, fontsize=8)
        panels[-1].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panels[-1].set_xlabel("games in the batch")
        save(settled(figure), file)


def _name(point: dict[str, Any], kind: str) -> str:
    return f"{point['game']}, {point['num_games']} games, {kind}"


def resident() -> float:
    """MB of this process in memory now; where only the most so far is known, that, which grows with it, too."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except FileNotFoundError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


class Memory(NamedTuple):
    """What became of the memory while games were played."""

    games: list[int]
    """Played when a sample was taken."""
    resident: list[float]
    """MB then."""

    @property
    def warm(self) -> int:
        """The first sample after the warm-up."""
        return next(k for k, games in enumerate(self.games) if games >= WARM_UP * self.games[-1])

    @property
    def growth(self) -> float:
        """MB, from the first sample after the warm-up to the highest later one."""
        return max(self.resident[self.warm :]) - self.resident[self.warm]

    @property
    def flat(self) -> bool:
        """Whether that is no more than allocators need."""
        return self.growth <= MOST_GROWTH


def endurance(
    batches: Sequence[Batch],
    games: int,
    after_step: Callable[[BatchStep], object] = lambda step: None,
    samples: int = 100,
) -> Memory:
    """Play at least ``games`` games to their end in ``batches``, in turn, and sample the memory ``samples`` times."""
    now = [batch.reset() for batch in batches]
    found, played = Memory([], []), 0
    while not found.games or found.games[-1] < games:
        due = len(found.games) * games // samples
        while played < due:
            for k, batch in enumerate(batches):
                now[k] = batch.step(batch.sample(now[k].action_masks))
                played += len(now[k].ended)
                after_step(now[k])
        found.games.append(played)
        found.resident.append(resident())
    return found


def memory_table(found: dict[str, Memory]) -> str:
    """How the memory went, a row for each game."""
    rows = [["games", "played", "MB at first", "warm", "at the end", "growth", "flat"]]
    for name, memory in found.items():
        warm = memory.resident[memory.warm]
        numbers = [f"{mb:.1f}" for mb in (memory.resident[0], warm, memory.resident[-1], memory.growth)]
        rows.append([name, f"{memory.games[-1]:,}", *numbers, "yes" if memory.flat else "NO"])
    return "\n".join(aligned(rows))


def watch_memory(games: Sequence[str], count: int, file: str | None) -> bool:
    """Play ``count`` games of each of ``games``, tell what became of the memory, and whether it stayed flat."""
    found = {}
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    for name in games:
        say(f"playing {count:,} games of {name}")
        batches = [Batch(load(name), TOGETHER, seed=threads, threads=threads) for threads in range(1, min(most, 2) + 1)]
        found[name] = endurance(batches, count)
    print(f"Resident memory over many games, {TOGETHER:,} at once{' on each of one and two threads' * (most > 1)};")
    print(f"growth: from {WARM_UP:.0%} of the games on; flat: at most {MOST_GROWTH:g} MB\n")
    print(memory_table(found))
    if file is not None:
        memory = {name: {**each._asdict(), "growth": each.growth} for name, each in found.items()}
        write_json(file, {"machine": machine(), "memory": memory})
    return all(memory.flat for memory in found.values())


def main() -> None:
    def more(parser: ArgumentParser) -> None:
        parser.add_argument("--game", action="append", choices=names(), help="one of several; default: all")
        parser.add_argument("--plot", metavar="FILE", help="draw it, too: .png or .svg (extra render)")

    args = arguments(__doc__, rounds=5, seconds=0.2, file=True, more=more, largest=SIZES[-1], games=0)
    chosen = args.game or names()
    if args.games:
        sys.exit(not watch_memory(chosen, args.games, args.json))
    sizes = [n for n in SIZES if n <= args.largest]
    rates, comparisons, points, uses = {}, [], [], {}
    levels = caches()
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['python']}")
    print("caches:", ", ".join(f"{name} {size // 1024:,} KB" for name, size in levels.items()) or "not known")
    print(f"medians of {args.rounds} interleaved rounds of {args.seconds:g} s, with the lowest and the highest\n")
    for name in chosen:
        say(f"measuring {name}")
        found = scaling(load(name), sizes, args.rounds, args.seconds)
        rates |= found["rates"]
        comparisons += found["comparisons"]
        points += found["points"]
        uses[name] = found["use"]
        print(f"{name}, thousands of plies a second\n{speed_table(found['rates'], found['points'])}\n")
        print(f"{name}, times as fast as one thread\n{why_table(found['rates'], found['points'], levels)}\n")
    print(use_table(uses))
    if args.json is not None:
        report = {
            "machine": here,
            "rates": [
                {"name": name, "unit": "additions" if name.endswith(CALIBRATION) else "plies", **facts(rate)}
                for name, rate in rates.items()
            ],
            "ratios": compared(rates, comparisons),
            "points": points,
            "bytes": {name: {**each._asdict(), "working_set": each.working_set} for name, each in uses.items()},
            "caches": levels,
        }
        write_json(args.json, report)
    if args.plot is not None:
        draw(rates, points, levels, args.plot)


if __name__ == "__main__":
    main()
