"""What the comparisons in this folder share: their arguments, and how they print what they found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starboard.benchmark import Rates, aligned, grouped, machine, ratio
from starboard.files import write_whole

Comparison = tuple[str, str, float | None]
"""Ours, theirs, and how many times as fast ours should be (None: only reported)."""


def arguments(
    doc: str,
    rounds: int,
    seconds: float,
    *,
    file: bool = False,
    more: Callable[[argparse.ArgumentParser], object] | None = None,
    **others: int | str,
) -> argparse.Namespace:
    """``--rounds``, ``--seconds``, ``--quick``, ``others`` by their names and defaults, and ``--json`` if ``file``.

    :param more: adds what only one script has.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds, help="interleaved; medians are compared")
    parser.add_argument("--seconds", type=float, default=seconds, help="for each contestant in each round")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that all works")
    if file:
        parser.add_argument("--json", metavar="FILE", help="write what was found to a file, too")
    for name, default in others.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    if more is not None:
        more(parser)
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = 1, 0.0
    if args.rounds < 1 or args.seconds < 0:
        parser.error("--rounds must be at least 1, --seconds at least 0")
    return args


def say(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def show(title: str, unit: str, rates: Mapping[str, Rates], comparisons: Sequence[Comparison]) -> None:
    """Print rates, ratios (the median of the ratios of each round) and their targets."""
    here = machine()
    print(title)
    print(f"{here['cpu']}, {here['cores']} cores, {here['python']}")
    rounds = len(next(iter(rates.values())).rounds)
    print(f"median of {rounds} interleaved round{'s' * (rounds > 1)}\n")
    rows = [[f"{unit} a second", "median", "lowest", "highest"]]
    rows += [[name, grouped(found.median), grouped(found.low), grouped(found.high)] for name, found in rates.items()]
    print("\n".join(aligned(rows)), "\n")
    print("\n".join(aligned(ratio_rows(compared(rates, comparisons)))))


def compared(rates: Mapping[str, Rates], comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The ratios of ``comparisons`` round by round, with their targets, as they are written to a file."""
    return [
        {"ours": ours, "theirs": theirs, "target": target, **facts(ratio(rates[ours], rates[theirs]))}
        for ours, theirs, target in comparisons
    ]


def ratio_rows(ratios: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """What :func:`compared` found as a table, its head first."""
    rows = [["ratio", "median", "lowest", "highest", "target"]]
    for found in ratios:
        target = found["target"]
        wanted = "-" if target is None else f"{target:g}, {'reached' if found['median'] >= target else 'NOT REACHED'}"
        values = (f"{found[key]:.2f}" for key in ("median", "low", "high"))
        rows.append([f"{found['ours']} / {found['theirs']}", *values, wanted])
    return rows


def save(
    file: str,
    units: Mapping[str, str],
    rates: Mapping[str, Rates],
    comparisons: Sequence[Comparison],
    details: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write the same to ``file`` as JSON, whole or not at all.

    :param units: what each of ``rates`` counts.
    :param details: what else was found of some of them.
    """
    details = details or {}
    found = {
        "machine": machine(),
        "rates": [
            {"name": name, "unit": units[name], **facts(rate), **details.get(name, {})} for name, rate in rates.items()
        ],
        "ratios": compared(rates, comparisons),
    }
    write_json(file, found)


def write_json(file: str, found: Mapping[str, Any]) -> None:
    """Write ``found`` to ``file``, whole or not at all."""
    write_whole(file, (json.dumps(found, indent=1) + "\n").encode())


def facts(found: Rates) -> dict[str, Any]:
    """``found`` as it is written to a file."""
    return {"median": found.median, "low": found.low, "high": found.high, "rounds": found.rounds}
