"""What run.py found as tables and as a plot, made from the JSON that it writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
from report import ratio_rows

from starboard.benchmark import aligned, grouped

Facts = Mapping[str, Any]


def label(rate: Facts) -> str:
    """Whose it is and what it does, but for the number of cores."""
    what = ", ".join(filter(None, (rate["game"], rate["way"])))
    return f"{rate['peer']}: {what}"


def kinds(facts: Facts) -> Iterator[tuple[str, list[tuple[Facts, Facts | None]]]]:
    """Each kind that was measured, with its contestants on one core and on two (or None), the fastest first."""
    two = {label(rate): rate for rate in facts["rates"] if rate["cores"] == 2}
    one = sorted((rate for rate in facts["rates"] if rate["cores"] == 1), key=lambda rate: -rate["median"])
    for kind in dict.fromkeys(rate["kind"] for rate in facts["rates"]):
        found = [(rate, two.get(label(rate))) for rate in one if rate["kind"] == kind]
        yield kind, found


def rate_rows(pairs: Sequence[tuple[Facts, Facts | None]]) -> list[list[str]]:
    """A row for each contestant of a kind, their head first."""
    unit = pairs[0][0]["unit"]
    both = any(second is not None for _, second in pairs)
    rows = [[f"{unit} a second", "entries", "one core", "lowest .. highest"]]
    if both:
        rows[0] += ["two cores", "lowest .. highest", "by"]
    for first, second in pairs:
        row = [label(first), f"{first['entries']:,}" if first["entries"] else "-", *_speed(first)]
        if both:
            row += ["-", "-", "-"] if second is None else [*_speed(second), second["by"]]
        rows.append(row)
    return rows


def _speed(rate: Facts) -> list[str]:
    return [grouped(rate["median"]), f"{grouped(rate['low'])} .. {grouped(rate['high'])}"]


def notes(facts: Facts) -> list[str]:
    """What the figures depend on, and what is missing, a line each."""
    here = facts["machine"]
    lines = [
        f"{here['cpu']}, {here['cores']} cores, {here['os']}",
        f"medians of {facts['rounds']} interleaved rounds of {facts['seconds']:g} s each",
    ]
    for name, peer in facts["peers"].items():
        versions = {"Python": peer["python"], **peer["versions"]}
        lines.append(f"{name}: " + ", ".join(f"{package} {number}" for package, number in versions.items()))
    return lines + [f"{name}: skipped ({reason})" for name, reason in facts["skipped"].items()]


def text(facts: Facts) -> str:
    """Everything, to be read in a terminal."""
    parts = ["\n".join(notes(facts))]
    for kind, pairs in kinds(facts):
        parts.append("\n".join(filter(None, [kind and f"{kind}:", *aligned(rate_rows(pairs))])))
    return "\n\n".join([*parts, "\n".join(aligned(ratio_rows(facts["ratios"])))])


def markdown(facts: Facts) -> str:
    """Everything, as a part of a page."""
    parts = [_table(ratio_rows(facts["ratios"]))]
    for kind, pairs in kinds(facts):
        parts += [f"{kind[:1].upper()}{kind[1:]}:", _table(rate_rows(pairs))] if kind else [_table(rate_rows(pairs))]
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in notes(facts))])


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [list(rows[0]), ["---"] * len(rows[0]), *map(list, rows[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def draw(facts: Facts, file: str) -> None:
    """A dot for each contestant on one core, with a line from lowest to highest, and a ring for two cores.

    :raises ValueError: unless the name ends with ``.png`` or ``.svg``.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, NullFormatter

    from starboard.render.plots import COLOURS, STYLE, save, settled

    panels = [(kind, pairs) for kind, pairs in kinds(facts) if kind]
    heights = [len(pairs) + 2.5 for _, pairs in panels]
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 0.2 * sum(heights)), layout="constrained")
        axes = figure.subplots(len(panels), squeeze=False, height_ratios=heights)[:, 0]
        for panel, (kind, pairs) in zip(axes, panels, strict=True):
            for row, (first, second) in enumerate(pairs):
                colour = COLOURS["seat0" if first["peer"].startswith("ours") else "seat1"]
                panel.plot((first["low"], first["high"]), (row, row), color=colour, linewidth=1)
                panel.plot(first["median"], row, "o", color=colour, markersize=6)
                if second is not None:
                    panel.plot(second["median"], row, "o", color=colour, markersize=6, markerfacecolor="none")
            panel.set_title(f"{kind}: {pairs[0][0]['unit']} a second", fontsize=10)
            panel.set_yticks(range(len(pairs)), [label(first) for first, _ in pairs], fontsize=8)
            panel.set_ylim(len(pairs) - 0.4, -0.6)
            panel.set_xscale("log")
            panel.xaxis.set_major_formatter(EngFormatter(sep=""))
            panel.xaxis.set_minor_formatter(NullFormatter())
            panel.tick_params(axis="y", length=0)
            panel.spines["left"].set_visible(False)
            panel.grid()
        axes[-1].set_xlabel("dot: one core (line: lowest to highest); ring: two cores; blue: this library")
        save(settled(figure), file)
