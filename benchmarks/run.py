"""Measure the speed of each layer; the same as ``starboard bench``, for a checkout.

python benchmarks/run.py --out bench.json
"""

from __future__ import annotations

import argparse
import sys

from starboard import benchmark


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="astralis")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each layer in each round")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that all works")
    parser.add_argument("--out", help="JSON file to write")
    args = parser.parse_args()
    report = benchmark.run(
        args.game,
        rounds=args.rounds,
        seconds=args.seconds,
        quick=args.quick,
        out=args.out,
        progress=lambda text: print(text, file=sys.stderr),
    )
    print(benchmark.table(report))


if __name__ == "__main__":
    main()
