"""Plots of an arena and of a training run. Needs matplotlib, of the extra ``render``."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter

from starboard.arena.intervals import wilson
from starboard.files import write_whole
from starboard.render.canvas import THEMES
from starboard.spec import shown

FORMATS = ("png", "svg")
COLOURS = THEMES["light"]
_SERIES = tuple(zip(("seat0", "seat1", "seat2", "seat3") * 2, "osD^vP*X", strict=True))  # told apart by marker, too
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": COLOURS["line"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.titlecolor": COLOURS["ink"],
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": COLOURS["raised"],
    "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["line"],
    "ytick.color": COLOURS["line"],
    "xtick.labelcolor": COLOURS["ink"],
    "ytick.labelcolor": COLOURS["ink"],
    "svg.hashsalt": "starboard",  # names in the file are the same each time
}


def ladder(facts: Mapping[str, Any]) -> Figure:
    """The ratings of an arena with their intervals, the best at the top. An arrow says that an interval goes on.

    :param facts: of ``arena.json``, or from :meth:`starboard.arena.Standings.to_dict`.
    :raises ValueError: if there are no ratings.
    """
    players = [player for player in facts["players"] if player["rating"] is not None]
    if not players:
        raise ValueError("facts: no player has a rating; with choix there are: pip install 'starboard-envs[arena]'")
    ratings = np.array([player["rating"] for player in players])
    ends = np.array([player["interval"] for player in players])
    rows = np.arange(len(players))
    # The interval of a player who lost every game, ten times as wide as the others', would leave them no room.
    room = max(0.15 * np.ptp(ratings), 1.5 * np.median(ends[:, 1] - ends[:, 0]))
    left, right = max(ends.min(), ratings.min() - room), min(ends.max(), ratings.max() + room)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 1.5 + 0.42 * len(players)), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(f"{facts['game']}: {facts['games']:,} games")
        axes.axvline(0, color=COLOURS["faint"], linewidth=1, linestyle=":")
        axes.hlines(rows, *np.clip(ends, left, right).T, color=COLOURS["pale0"], linewidth=7)
        axes.plot(ratings, rows, "o", color=COLOURS["seat0"], markersize=7)
        for beyond, edge, marker in ((ends[:, 0] < left, left, "<"), (ends[:, 1] > right, right, ">")):
            axes.plot(np.full(beyond.sum(), edge), rows[beyond], marker, color=COLOURS["seat0"], markersize=6)
        for row, (rating, (_, high)) in enumerate(zip(ratings, ends, strict=True)):
            place = min(high, right), row
            axes.annotate(f"{rating:.0f}", place, (7, 0), textcoords="offset points", va="center_baseline")
        axes.set_yticks(rows, [player["player"] for player in players])
        axes.set_ylim(len(players) - 0.4, -0.6)
        axes.set_xlim(left - 0.03 * (right - left), right + 0.1 * (right - left))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.set_xlabel(f"rating ({facts['zero']} = 0) with 95% interval; 400 points are odds of 10 to 1")
        return settled(figure)


def training_curves(folder: str | Path) -> Figure:
    """How a training run went: scores with 95 percent intervals, the length of its games, and its policy's entropy.

    :param folder: of the run. Lengths and entropy are left out where it has no TensorBoard files.
    :raises FileNotFoundError: if there is no run.
    :raises ValueError: if it was not measured yet, or a file is damaged or of an earlier release.
    """
    from starboard.agents import load_agent
    from starboard.training.selfplay import AGENT, HISTORY, LOGS

    folder = Path(folder)
    spec = load_agent(folder / AGENT).spec
    history = _read(folder / HISTORY)
    if not history:
        raise ValueError(f"{folder / HISTORY}: the run was not measured yet")
    if "scores" not in history[0]:
        raise ValueError(f"{folder / HISTORY}: was written by a release that kept other measurements")
    games = history[0]["games"]
    timesteps = np.array([point["timesteps"] for point in history])
    minutes = np.array([point["minutes"] for point in history])
    curves = _scalars(folder / LOGS, {"rollout/ep_len_mean": 1, "train/entropy_loss": -1})
    panels = [(label, curve) for label, curve in zip(("actions a game", "entropy (nats)"), curves, strict=True)]
    panels = [(label, curve) for label, curve in panels if len(curve)]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.8 + 1.7 * len(panels)), layout="constrained")
        axes = figure.subplots(1 + len(panels), squeeze=False, sharex=True, height_ratios=[2] + [1] * len(panels))[:, 0]
        axes[0].set_title(f"{spec.id} ({', '.join(shown(spec.options))})", fontsize=9, wrap=True)
        for name, (colour, marker) in zip(history[0]["scores"], cycle(_SERIES), strict=False):
            scores = np.array([point["scores"][name] for point in history])
            low, high = np.transpose([wilson(score * games, games) for score in scores])
            axes[0].fill_between(timesteps, low, high, color=COLOURS[colour], alpha=0.2, linewidth=0)
            axes[0].plot(timesteps, scores, marker + "-", color=COLOURS[colour], markersize=5, label=f"against {name}")
        axes[0].axhline(0.5, color=COLOURS["faint"], linewidth=1, linestyle=":")
        axes[0].set_ylim(0, 1.02)
        axes[0].yaxis.set_major_formatter(PercentFormatter(1))
        axes[0].set_ylabel(f"score in {games} games")
        axes[0].legend(loc="lower right", frameon=False)
        for panel, (label, curve) in zip(axes[1:], panels, strict=True):
            panel.plot(*curve.T, color=COLOURS["seat2"], linewidth=1)
            panel.set_ylabel(label)
            panel.set_ylim(bottom=0)
        for panel in axes:
            panel.grid()
        _label_time(axes[0], axes[-1], timesteps, minutes)
        figure.align_ylabels()
        return settled(figure)


def settled(figure: Figure) -> Figure:
    """``figure`` laid out once and for all: it would move a little each time that it is drawn."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _label_time(top: Axes, bottom: Axes, timesteps: np.ndarray, minutes: np.ndarray) -> None:
    """Timesteps along the bottom, minutes along the top."""
    bottom.set_xlim(0, 1.01 * timesteps[-1])
    bottom.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    bottom.set_xlabel("timesteps")
    ticks = MaxNLocator(8).tick_values(0, minutes[-1])
    ticks = ticks[ticks <= minutes[-1]]
    places = np.interp(ticks, np.concatenate([[0.0], minutes]), np.concatenate([[0.0], timesteps]))
    second = top.secondary_xaxis("top")
    second.set_xticks(places, [f"{tick:g}" for tick in ticks])
    second.set_xlabel("minutes")


def save(figure: Figure, path: str | Path) -> None:
    """Write ``figure`` to ``path``, whole or not at all; the same figure gives the same bytes.

    :raises ValueError: unless the name ends with ``.png`` or ``.svg``.
    """
    kind = Path(path).suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"{path}: must end with .png or .svg")
    data = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(STYLE):
        figure.savefig(data, format=kind, dpi=160, metadata=metadata)
    write_whole(path, data.getvalue())


def plot(folder: str | Path, out: str | Path | None = None) -> list[Path]:
    """Draw the arena's ladder or the training run's curves in ``folder``; the files that were written.

    :param out: a file, ``.png`` or ``.svg``; None writes one of each into ``folder``.
    :raises FileNotFoundError: if there is neither an arena with results nor a run in ``folder``.
    :raises ValueError: if there is nothing to draw yet, a file is damaged, or for another kind of file.
    """
    from starboard.arena.standings import ARENA

    folder = Path(folder)
    if (folder / ARENA).is_file():
        name, figure = "ladder", ladder(_read(folder / ARENA))
    elif (folder / "history.json").is_file():
        name, figure = "training", training_curves(folder)
    else:
        raise FileNotFoundError(f"{folder}: holds neither an arena's results nor a training run")
    files = [folder / f"{name}.{kind}" for kind in FORMATS] if out is None else [Path(out)]
    for file in files:
        save(figure, file)
    return files


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: is damaged") from error


def _scalars(folder: Path, signs: Mapping[str, int]) -> Sequence[np.ndarray]:
    """float64 (points, 2) for each name: timesteps and values, times its sign; empty where there are none."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    if folder.is_dir():
        events.Reload()
    known = events.Tags()["scalars"] if folder.is_dir() else []
    return [
        np.array([(point.step, sign * point.value) for point in events.Scalars(name)] if name in known else [])
        for name, sign in signs.items()
    ]
