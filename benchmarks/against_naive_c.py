"""Our kernels against a straightforward version of Astralis in C (astralis_naive.c), one core each.

    python benchmarks/against_naive_c.py

The C program measures `moves` (list the legal moves, choose, play) and `full` (write mask and observation planes, too),
each as the best of five runs. In each round ours are measured as it measures itself: the best of five.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import arguments, say, show

import starboard
from starboard.benchmark import Chunk, Rates, batch_full, playouts, rate

SOURCE = Path(__file__).with_name("astralis_naive.c")
BATCHES = (64, 1024, 4096)


def naive(program: Path) -> dict[str, float]:
    """Plies a second of the C program, by the name it prints."""
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    return {f"C, {name}": float(figure) * 1e6 for name, figure in map(str.split, done.stdout.splitlines())}


def main() -> None:
    args = arguments(__doc__, rounds=5, seconds=0.3)
    compiler = shutil.which("cc")
    if compiler is None:
        print("skipped: there is no C compiler called cc on this machine")
        return
    spec = starboard.load("astralis", setup="fixed")  # what the C program plays
    ours: dict[str, Chunk] = {"playouts": playouts(spec)}
    ours |= {f"Batch.step, {n} games": batch_full(spec, n) for n in BATCHES}
    for chunk in ours.values():
        chunk()
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "astralis_naive"
        built = subprocess.run(
            [compiler, "-O3", "-march=native", "-o", program, SOURCE], capture_output=True, text=True, check=False
        )
        if built.returncode:
            print(f"skipped: {compiler} could not compile {SOURCE.name}:\n{built.stderr}", file=sys.stderr)
            return
        for number in range(args.rounds):
            say(f"round {number + 1} of {args.rounds}")
            rates = naive(program)
            rates |= {name: max(rate(chunk, args.seconds) for _ in range(5)) for name, chunk in ours.items()}
            for name, value in rates.items():
                found.setdefault(name, []).append(value)
    show(
        "Astralis, size 8, fixed setup, uniformly random play. Batch.step: one call a ply with mask and observation,\n"
        "actions drawn from the masks by the jitted helper (its time is included).",
        "plies",
        {name: Rates(rounds) for name, rounds in found.items()},
        [
            ("playouts", "C, moves", 3.0),
            ("Batch.step, 64 games", "C, full", 1.5),
            ("Batch.step, 1024 games", "C, full", None),
            ("Batch.step, 4096 games", "C, full", None),
        ],
    )


if __name__ == "__main__":
    main()
