"""Where this library stands beside what one would otherwise use: all of it on this machine, in one run.

    make peers
    python benchmarks/peers/run.py --json peers.json --plot peers.svg

Each peer runs in a virtual environment of its own (``--venvs``, made on the first run, which takes minutes and some
gigabytes) with the versions that requirements/ lists. Every contestant plays uniformly random legal actions, whole
games, resets included. What is counted are plies: actions of players; chance does not count. All processes stay alive
and are measured in turn, round by round, each pinned to its cores: one, then two, where either the contestant has
threads of its own, or two processes run side by side and their rates are added. What cannot be installed, fails or
crashes is reported with its reason and left out.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))
from environments import CannotInstallError, environment
from report import Comparison, arguments, compared, facts, say, write_json
from tables import draw, label, text
from workers import Worker, WorkerError, two_cores

from starboard.benchmark import Rates, machine

HERE = Path(__file__).resolve().parent
PATIENCE = 600.0
"""Seconds until a process that gives no answer is given up; compiling may take minutes."""


class Peer(NamedTuple):
    """Whose contestants they are."""

    name: str
    contestants: Path
    requirements: Path | None
    """What its environment has; None: it runs in this one."""


def _peer(name: str, file: str, *, own_environment: bool = True) -> Peer:
    return Peer(
        name,
        HERE / "contestants" / f"{file}.py",
        HERE / "requirements" / f"{file}.txt" if own_environment else None,
    )


OURS = "ours"
PEERS = (
    _peer(OURS, "ours", own_environment=False),
    _peer("C", "naive_c", own_environment=False),
    _peer("PettingZoo", "pettingzoo"),
    _peer("OpenSpiel", "openspiel"),
    _peer("Pgx", "pgx"),
    _peer("EnvPool", "envpool"),
    _peer("RLCard", "rlcard"),
    _peer("tutorial", "sb3"),
    _peer("ours, MaskablePPO", "ours_sb3", own_environment=False),
)


@dataclass(eq=False)
class Entry:
    """A contestant on one core or two, and how fast it was."""

    peer: str
    contestant: Mapping[str, Any]
    index: int
    workers: list[Worker]
    """Two run side by side."""
    cores: int
    rates: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return label({"peer": self.peer, **self.contestant}) + ", two cores" * (self.cores == 2)

    def measure(self, seconds: float) -> float:
        """Units a second.

        :raises WorkerError: if a process is gone.
        :raises RuntimeError: if the contestant failed, with the reason.
        """
        for worker in self.workers:
            worker.ask(self.index, seconds)
        answers, gone = [], None
        for worker in self.workers:  # each is heard, or a later question would get this answer
            try:
                answers.append(worker.answer(PATIENCE))
            except WorkerError as error:
                gone = error
        if gone is not None:
            raise gone
        for answer in answers:
            if "error" in answer:
                raise RuntimeError(answer["error"])
        return sum(answer["units"] / answer["seconds"] for answer in answers)

    def shown(self) -> dict[str, Any]:
        """As it is written to a file."""
        by = "" if self.cores == 1 else "2 processes" if len(self.workers) == 2 else "2 threads"
        about = {key: value for key, value in self.contestant.items() if key != "own_threads"}
        return {"peer": self.peer, **about, "cores": self.cores, "by": by, **facts(Rates(self.rates))}


def entries(peer: Peer, python: Path, cores: Sequence[int], stack: ExitStack) -> tuple[dict[str, Any], list[Entry]]:
    """Start the processes of ``peer``, which end with ``stack``: its versions, and what it has to measure.

    :raises WorkerError: if they cannot start.
    """

    def start(*cpus: int, own_threads: bool = False) -> tuple[Worker, dict[str, Any]]:
        worker = Worker(python, peer.contestants, list(cpus), own_threads)
        stack.callback(worker.close)
        hello = worker.answer(PATIENCE)
        if "error" in hello:
            raise WorkerError(hello["error"])
        return worker, hello

    one, hello = start(cores[0])
    contestants = list(enumerate(hello.pop("contestants")))
    found = [Entry(peer.name, contestant, index, [one], 1) for index, contestant in contestants]
    if len(cores) == 2:
        other = both = None
        for index, contestant in contestants:
            if contestant["own_threads"]:
                both = both or start(*cores, own_threads=True)[0]
                found.append(Entry(peer.name, contestant, index, [both], 2))
            else:
                other = other or start(cores[1])[0]
                found.append(Entry(peer.name, contestant, index, [one, other], 2))
    return hello, found


def interleave(entrants: list[Entry], rounds: int, seconds: float) -> dict[str, str]:
    """Measure ``entrants`` in turn, ``rounds`` times, each once before to warm up; fills their rates.

    What fails is taken out of ``entrants``; the reasons are returned.
    """
    skipped = {}
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}" if number else "warming up")
        for entry in list(entrants):
            if entry not in entrants:  # its process is gone
                continue
            if not number:
                say(f"  {entry.name}")
            try:
                rate = entry.measure(seconds if number else 0.0)
            except RuntimeError as error:
                entrants.remove(entry)
                skipped[entry.name] = str(error)
            except WorkerError as error:
                for other in [other for other in entrants if any(worker.gone for worker in other.workers)]:
                    entrants.remove(other)
                skipped[f"{entry.peer}, from `{entry.name}` on"] = str(error)
            else:
                if number:
                    entry.rates.append(rate)
    return skipped


def comparisons(found: Mapping[str, Rates]) -> Iterator[Comparison]:
    """What is compared of all that was measured, one core each if not said otherwise."""

    def fastest(*words: str) -> list[str]:
        names = [name for name in found if all(word in name for word in words) and not name.endswith("two cores")]
        return sorted(names, key=lambda name: -found[name].median)[:1]

    games = ("asteria", "asterion", "astralis")
    for game in games:
        for n in (64, 1024):
            batch = f"ours: {game}, Batch.step, {n} games"
            yield batch, "OpenSpiel: havannah 8, loop with observation and mask", 10.0
            for peer, target in (("Pgx", 3.0), ("EnvPool", 10.0)):
                for name in fastest(f"{peer}: hex"):
                    yield batch, name, target
    for n, target in ((64, 2.5), (1024, None), (4096, None)):
        yield f"ours: astralis, fixed setup, Batch.step, {n} games", "C: astralis, fixed setup, full, 64 games", target
    yield "ours: astralis, fixed setup, playouts", "C: astralis, fixed setup, moves", 3.0
    yield "ours: astralis, playouts", "OpenSpiel: havannah 8, playouts in C++", 1.5
    for game in games:
        for n, target in ((64, None), (1024, 1.8)):
            batch = f"ours: {game}, Batch.step, {n} games"
            yield f"{batch}, two cores", batch, target
    for way, target in (("raw_env, a lean loop", 3.0), ("env, the documented loop", 2.0)):
        yield f"ours: astralis, {way}", f"PettingZoo: connect four, {way}", target
    for ours in fastest("ours, MaskablePPO", ", MlpPolicy") + fastest("ours, MaskablePPO", ", MaskedMlpPolicy"):
        for words, target in (("1 environment", 5.0), ("16 in DummyVecEnv", 2.0)):
            for name in fastest("tutorial:", words):
                yield ours, name, target


def run(
    peers: Sequence[Peer],
    *,
    rounds: int,
    seconds: float,
    cores: Sequence[int],
    venvs: Path | None,
    python: str = sys.executable,
) -> dict[str, Any]:
    """Measure ``peers``; what is returned is what is shown and written.

    :param cores: the numbers of one or two, see :func:`two_cores`.
    :param venvs: the folder of their environments; None: everything runs with ``python``.
    """
    about, skipped, entrants = {}, {}, []
    with ExitStack() as stack:
        for peer in peers:
            say(f"starting {peer.name}")
            try:
                interpreter = Path(python)
                if venvs is not None:
                    interpreter = Path(sys.executable)
                    if peer.requirements is not None:
                        say(f"  installing what {peer.requirements.name} lists, if it is not there")
                        interpreter = environment(venvs / peer.requirements.stem, peer.requirements, python)
                about[peer.name], found = entries(peer, interpreter, cores, stack)
            except CannotInstallError as error:
                skipped[peer.name] = f"cannot be installed: {error}"
            except WorkerError as error:
                skipped[peer.name] = str(error)
            else:
                entrants += found
        skipped |= interleave(entrants, rounds, seconds)
    rates = {entry.name: Rates(entry.rates) for entry in entrants}
    wanted = [(ours, theirs, target) for ours, theirs, target in comparisons(rates) if {ours, theirs} <= set(rates)]
    if len(cores) == 1:
        skipped["two cores"] = "only one was to be used, or there"
    return {
        "machine": machine() | {"os": platform.system()},  # which kernel it runs says little
        "rounds": rounds,
        "seconds": seconds,
        "peers": about,
        "skipped": skipped,
        "rates": [entry.shown() for entry in entrants],
        "ratios": compared(rates, wanted),
    }


def _options(parser: argparse.ArgumentParser) -> None:
    names = {peer.contestants.stem: peer for peer in PEERS}
    parser.add_argument("--only", nargs="+", choices=names, default=list(names), help="leave the others out")
    parser.add_argument("--cores", type=int, choices=(1, 2), default=2, help="1: leave out what runs on two")
    parser.add_argument("--venvs", type=Path, default=HERE / ".venvs", metavar="FOLDER", help="of the environments")
    parser.add_argument("--python", default=sys.executable, help="makes the environments")
    parser.add_argument("--here", action="store_true", help="install nothing: all that this Python can import")
    parser.add_argument("--plot", metavar="FILE", help="draw what was found; .svg or .png")


def main() -> None:
    args = arguments(__doc__, rounds=5, seconds=0.5, file=True, more=_options)
    found = run(
        [peer for peer in PEERS if peer.contestants.stem in args.only],
        rounds=args.rounds,
        seconds=args.seconds,
        cores=two_cores()[: args.cores],
        venvs=None if args.here else args.venvs,
        python=sys.executable if args.here else args.python,
    )
    if args.json is not None:
        write_json(args.json, found)
    print(text(found))
    if args.plot is not None:
        draw(found, args.plot)


if __name__ == "__main__":
    main()
