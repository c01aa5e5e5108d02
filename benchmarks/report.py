"""What the comparisons in this folder share: their arguments, and how they print what they found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from starboard.benchmark import Rates, aligned, grouped, machine, ratio
from starboard.files import write_whole

Comparison = tuple[str, str, float | None]
"""Ours, theirs, and how many times as fast ours should be (None: only reported)."""


def arguments(doc: str, rounds: int, seconds: float, *, file: bool = False, **numbers: int) -> argparse.Namespace:
    """``--rounds``, ``--seconds``, ``--quick``, whole ``numbers`` by their names, and ``--json`` if ``file``."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds, help="interleaved; medians are compared")
    parser.add_argument("--seconds", type=float, default=seconds, help="for each contestant in each round")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that all works")
    if file:
        parser.add_argument("--json", metavar="FILE", help="write what was found to a file, too")
    for name, default in numbers.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = 1, 0.0
    return args


def say(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def show(title: str, unit: str, rates: Mapping[str, Rates], comparisons: Sequence[Comparison]) -> None:
    """Print rates, ratios (the median of the ratios of each round) and their targets."""
    facts = machine()
    print(title)
    print(f"{facts['cpu']}, {facts['cores']} cores, {facts['python']}")
    rounds = len(next(iter(rates.values())).rounds)
    print(f"median of {rounds} interleaved round{'s' * (rounds > 1)}\n")
    rows = [[f"{unit} a second", "median", "lowest", "highest"]]
    rows += [[name, grouped(found.median), grouped(found.low), grouped(found.high)] for name, found in rates.items()]
    print("\n".join(aligned(rows)), "\n")
    rows = [["ratio", "median", "lowest", "highest", "target"]]
    for ours, theirs, target in comparisons:
        found = ratio(rates[ours], rates[theirs])
        wanted = "-" if target is None else f"{target:g}, {'reached' if found.median >= target else 'NOT REACHED'}"
        rows.append([f"{ours} / {theirs}", *(f"{x:.2f}" for x in (found.median, found.low, found.high)), wanted])
    print("\n".join(aligned(rows)))


def save(file: str, units: Mapping[str, str], rates: Mapping[str, Rates], comparisons: Sequence[Comparison]) -> None:
    """Write the same to ``file`` as JSON, whole or not at all; ``units``: what each of ``rates`` counts."""
    found = {
        "machine": machine(),
        "rates": [{"name": name, "unit": units[name], **_facts(rate)} for name, rate in rates.items()],
        "ratios": [
            {"ours": ours, "theirs": theirs, "target": target, **_facts(ratio(rates[ours], rates[theirs]))}
            for ours, theirs, target in comparisons
        ],
    }
    write_whole(file, (json.dumps(found, indent=1) + "\n").encode())


def _facts(found: Rates) -> dict[str, Any]:
    return {"median": found.median, "low": found.low, "high": found.high, "rounds": found.rounds}
