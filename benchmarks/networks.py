"""Which network `starboard train` should use: each is trained for the same time, then both are measured.

    pip install 'starboard-envs[train]'
    python benchmarks/networks.py --minutes 5

Networks are trained one after the other, so a plain Python loop is timed before and after each: where it ran faster,
the network had the machine in a faster phase.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from report import say

from starboard.agents.network import NETWORKS
from starboard.benchmark import aligned, grouped, python_loop, rate
from starboard.training import TrainingResult, train


def row(name: str, speed: float, result: TrainingResult) -> list[str]:
    """What the table says about one training run."""
    after = {match.b: match for match in result.matches if match.a == "after training"}
    cells = [name, grouped(result.history[-1]["timesteps"]), grouped(speed)]
    for opponent in ("random", "greedy"):
        low, high = after[opponent].interval
        cells.append(f"{after[opponent].score:.1%} ({low:.1%} .. {high:.1%})")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=8, help="cells along an edge of the board")
    parser.add_argument("--minutes", type=float, default=5.0, help="of training, for each network and seed")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each network")
    parser.add_argument("--games", type=int, default=400, help="to measure each with, against each opponent")
    parser.add_argument("--quick", action="store_true", help="seconds on a small board, to see that all works")
    args = parser.parse_args()
    if args.quick:
        args.size, args.minutes, args.games = 3, 0.01, 10

    rows = [["network, seed", "timesteps", "Python loop", "against random", "against greedy"]]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seeds):
            for kind in NETWORKS:
                name = f"{kind}, {seed}"
                say(f"training {name}")
                speeds = [rate(python_loop, 0.5)]
                result = train(
                    "astralis",
                    {"size": args.size},
                    minutes=args.minutes,
                    seed=seed,
                    games=args.games,
                    out=Path(folder) / name,
                    network=kind,
                    progress=False,
                )
                speeds.append(rate(python_loop, 0.5))
                rows.append(row(name, statistics.mean(speeds), result))
    print(f"astralis, size {args.size}, {args.minutes:g} minutes of training; score with its 95 percent interval\n")
    print("\n".join(aligned(rows)))


if __name__ == "__main__":
    main()
