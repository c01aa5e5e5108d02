"""Whether anything became slower: reports of the benchmarks beside the last accepted ones.

    python benchmarks/compare.py benchmarks/accepted build/bench
    python benchmarks/compare.py accepted.json new.json

Two reports, or two folders in which reports of one name belong together, of `starboard bench --json` or of a script in
this folder. Rates are divided by those of the plain Python loop of the same round; a report without that loop, or of
peers, is compared by its ratios. Something fell if all its rounds now are below all accepted ones by more than the
tolerance, so what is within the noise is no fall; of five rounds or more the best and the worst are left out. On
another processor, or with other versions, only less than half is called a fall: no yardstick shifts with them exactly
as ours does.

Exit status: 0 nothing fell, 1 something fell, 2 the arguments are wrong or nothing could be compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from starboard.benchmark import CALIBRATION, Rates, aligned, ratio

TOLERANCE = 0.1
ELSEWHERE = 0.5
"""The least tolerance where the machine or the versions are others."""
FEWEST_ROUNDS = 3
BUSY = 2.0
"""Where the loop's best round is so many times its worst one, the machine was too busy for a judgement."""


class Report(NamedTuple):
    """What is compared of a report."""

    file: Path
    subject: str
    """What was measured, where the report says so."""
    machine: dict[str, str]
    figures: dict[str, Rates]
    """Rates in units of the plain Python loop's, or ratios; round by round."""
    loops: list[Rates]
    """Rates of the plain Python loop."""
    mean_plies: float | None
    """Of random games: the same unless the game changed."""


class Line(NamedTuple):
    """A figure beside the accepted one, both as :func:`inner` has them."""

    name: str
    accepted: Rates
    now: Rates
    tolerance: float

    @property
    def times(self) -> float:
        return self.now.median / self.accepted.median

    @property
    def shows_from(self) -> float:
        """The least fall of the median that would be called one, with this noise."""
        steadiness = self.accepted.low / self.accepted.median * self.now.median / self.now.high
        return 1 - (1 - self.tolerance) * steadiness

    @property
    def verdict(self) -> str:
        if self.now.high < (1 - self.tolerance) * self.accepted.low:
            return "FELL"
        if (1 - self.tolerance) * self.now.low > self.accepted.high:
            return "rose"
        return ""


def inner(rates: Rates) -> Rates:
    """``rates`` without the lowest and the highest, if that leaves some: one hiccup says nothing."""
    return Rates(sorted(rates.rounds)[1:-1]) if len(rates.rounds) >= FEWEST_ROUNDS + 2 else rates


def read(file: Path) -> Report:
    """The report in ``file``.

    :raises ValueError: naming the file and the field, if it is none.
    :raises OSError: if it cannot be read.
    """
    try:
        found = json.loads(file.read_bytes())
    except ValueError:
        raise ValueError(f"{file}: is not JSON") from None
    machine = _field(file, found, "machine", dict)
    facts = {name: str(_field(file, machine, name, object, "machine.")) for name in ("cpu", "cores", "python")}
    packages = _field(file, machine, "packages", dict, "machine.")
    facts |= {name: str(number) for name, number in packages.items() if name != "starboard-envs"}
    for peer, its in (_field(file, found, "peers", dict) if "peers" in found else {}).items():
        versions = _field(file, its, "versions", dict, f"peers.{peer}.")
        facts |= {f"{peer}'s {name}": str(number) for name, number in versions.items()}
    kind = next((kind for kind in ("layers", "rates") if kind in found), None)
    if kind is None:
        raise ValueError(f"{file}: has neither layers nor rates; is it a report of a benchmark?")
    rates = {}
    if "peers" not in found:  # theirs have other fields; their ratios say it all
        for entry, at in _entries(file, found, kind):
            name = _field(file, entry, "name", str, at)
            rates[name] = _rounds(file, entry, at)
    loops = {name: rounds for name, rounds in rates.items() if name.endswith(CALIBRATION)}
    figures = {}
    for name, rounds in rates.items():
        loop = next((loop for loop in loops if name.startswith(loop.removesuffix(CALIBRATION))), None)
        if loop is not None and name not in loops:
            if len(rounds.rounds) != len(loops[loop].rounds):
                raise ValueError(f"{file}: {kind}: {name!r} and {loop!r} have different numbers of rounds")
            figures[name] = ratio(rounds, loops[loop])
    if not loops and kind == "rates":
        for entry, at in _entries(file, found, "ratios"):
            ours, theirs = (_field(file, entry, name, str, at) for name in ("ours", "theirs"))
            figures[f"{ours} / {theirs}"] = _rounds(file, entry, at)
    if not figures:
        raise ValueError(f"{file}: has neither rates beside a {CALIBRATION!r} nor ratios")
    subject, mean_plies = "", None
    if kind == "layers":
        options = _field(file, found, "options", dict)
        subject = " ".join([_field(file, found, "game", str), *(f"{name}={each}" for name, each in options.items())])
        mean_plies = _field(file, _field(file, found, "random_games", dict), "mean_plies", float, "random_games.")
    return Report(file, subject, facts, figures, list(loops.values()), mean_plies)


def _field(file: Path, found: Any, name: str, kind: type, at: str = "") -> Any:
    if not isinstance(found, dict) or name not in found:
        raise ValueError(f"{file}: {at}{name}: is missing; is it a report of a benchmark?")
    if not isinstance(found[name], kind):
        raise ValueError(f"{file}: {at}{name}: must be of type {kind.__name__}, not {found[name]!r}")
    return found[name]


def _entries(file: Path, found: Any, name: str) -> list[tuple[Any, str]]:
    return [(entry, f"{name}[{k}].") for k, entry in enumerate(_field(file, found, name, list))]


def _rounds(file: Path, entry: Any, at: str) -> Rates:
    rounds = _field(file, entry, "rounds", list, at)
    if not all(isinstance(each, (int, float)) and each > 0 for each in rounds):
        raise ValueError(f"{file}: {at}rounds: must be numbers above 0, not {rounds!r}")
    if len(rounds) < FEWEST_ROUNDS:
        raise ValueError(f"{file}: {at}rounds: {len(rounds)} say nothing of the noise; measure {FEWEST_ROUNDS} or more")
    return Rates([float(each) for each in rounds])


def differences(accepted: dict[str, str], now: dict[str, str]) -> list[str]:
    """What is not the same in ``now``, in words."""
    names = dict.fromkeys([*accepted, *now])
    return [
        f"{name}: {now.get(name, 'none')}, not {accepted.get(name, 'none')}"
        for name in names
        if accepted.get(name) != now.get(name)
    ]


def compare(accepted: Report, now: Report, tolerance: float) -> tuple[list[Line], list[str]]:
    """What can be compared, and notes on what cannot, and why."""
    if accepted.subject != now.subject:
        return [], [f"not compared: measured was {now.subject!r}, not {accepted.subject!r}"]
    for report in (accepted, now):
        for loop in map(inner, report.loops):
            if loop.high > BUSY * loop.low:
                times = f"the plain Python loop's best round is {loop.high / loop.low:.1f} times its worst"
                return [], [f"not compared: {report.file}: the machine was too busy ({times}); measure again"]
    notes = differences(accepted.machine, now.machine)
    if notes:
        tolerance = max(tolerance, ELSEWHERE)
        notes.append(f"so only figures below {1 - tolerance:g} times the accepted ones are called a fall")
    if accepted.mean_plies != now.mean_plies:
        notes.append(f"random games last {now.mean_plies} plies, not {accepted.mean_plies}: the game itself changed")
    notes += [f"not compared: {name}: is not in {now.file}" for name in accepted.figures if name not in now.figures]
    notes += [
        f"not compared: {name}: is not in {accepted.file}" for name in now.figures if name not in accepted.figures
    ]
    lines = [
        Line(name, inner(figure), inner(now.figures[name]), tolerance)
        for name, figure in accepted.figures.items()
        if name in now.figures
    ]
    return lines, notes


def table(lines: list[Line]) -> str:
    """``lines`` with their rounds in units of the accepted median."""
    rows = [["beside the accepted median", "now", "rounds now", "accepted rounds", "a fall shows from", ""]]
    for line in lines:
        unit = line.accepted.median
        ranges = [f"{each.low / unit:.2f} .. {each.high / unit:.2f}" for each in (line.now, line.accepted)]
        rows.append([line.name, f"{line.times:.2f}", *ranges, f"{line.shows_from:.0%}", line.verdict])
    return "\n".join(aligned(rows))


def pairs(accepted: Path, now: Path) -> tuple[list[tuple[Path, Path]], list[str]]:
    """Files that belong together, and notes on those without another.

    :raises ValueError: if one is a file and the other a folder.
    """
    if accepted.is_dir() != now.is_dir():
        raise ValueError(f"{accepted}, {now}: must be two files or two folders")
    if not accepted.is_dir():
        return [(accepted, now)], []
    theirs, ours = ({file.name for file in folder.glob("*.json")} for folder in (accepted, now))
    notes = [f"{name}: was not measured now" for name in sorted(theirs - ours)]
    notes += [f"{name}: nothing of this name was accepted yet" for name in sorted(ours - theirs)]
    return [(accepted / name, now / name) for name in sorted(theirs & ours)], notes


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("accepted", type=Path, help="report, or folder of reports")
    parser.add_argument("now", type=Path, help="another, just measured")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help=f"part of a figure, default {TOLERANCE}")
    args = parser.parse_args(argv)
    if not 0 <= args.tolerance < 1:
        parser.error(f"argument --tolerance: {args.tolerance}: must be from 0 to below 1")
    fallen: list[str] = []
    compared = 0
    try:
        files, unpaired = pairs(args.accepted, args.now)
        for accepted, now in files:
            report = read(now)
            lines, notes = compare(read(accepted), report, args.tolerance)
            compared += len(lines)
            fallen += [f"{now.name}: {line.name}: {line.times:.2f} times" for line in lines if line.verdict == "FELL"]
            print(f"{now}: {report.subject}" if report.subject else now)
            print("".join(f"  {note}\n" for note in notes), end="")
            print(table(lines) if lines else "", end="\n\n")
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print("".join(f"{note}\n" for note in unpaired), end="")
    if not compared:
        parser.error("nothing could be compared")
    print(f"{len(fallen)} of {compared} figures fell" + "".join(f"\n  {fall}" for fall in fallen))
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
