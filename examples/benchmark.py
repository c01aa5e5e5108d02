"""How many games fit into a batch before it gets no faster, and what one thread more brings, on this machine.

    python examples/benchmark.py

`starboard bench` measures every layer; this shows how to measure something of your own in the same way.
"""

from __future__ import annotations

import argparse

import numba

import starboard
from starboard.batch import Batch
from starboard.benchmark import CALIBRATION, Chunk, aligned, grouped, interleave, python_loop


def random_play(batch: Batch, plies: int) -> Chunk:
    """Some plies of random play in all games of ``batch``; counts the plies."""
    now = batch.reset()

    def chunk() -> int:
        nonlocal now
        for _ in range(plies):
            now = batch.step(batch.sample(now.action_masks))
        return plies * batch.num_games

    return chunk


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=8, help="cells along an edge of the board")
    parser.add_argument("--games", type=int, nargs="+", default=[1, 16, 64, 256, 1024])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each batch in each round")
    args = parser.parse_args()

    spec = starboard.load("astralis", size=args.size)
    chunks = {CALIBRATION: python_loop}  # shows how steady the machine is
    for games in args.games:
        for threads in range(1, min(2, numba.config.NUMBA_NUM_THREADS) + 1):
            name = f"{games} games, {threads} thread{'s' * (threads > 1)}"
            chunks[name] = random_play(Batch(spec, games, seed=0, threads=threads), plies=max(1, 1024 // games))
    rows = [["", "plies a second", "lowest", "highest"]]
    for name, found in interleave(chunks, args.rounds, args.seconds).items():
        rows.append([name, grouped(found.median), grouped(found.low), grouped(found.high)])
    print("\n".join(aligned(rows)))


if __name__ == "__main__":
    main()
