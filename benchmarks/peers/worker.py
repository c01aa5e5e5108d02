"""Measures contestants in a process of its own: `python worker.py FILE CORES [--own-threads]`.

Needs nothing but the standard library: it runs in the virtual environment of whatever is measured. CORES are the
numbers of those that it may use, such as ``0,1``, on systems where a process can be kept to some. FILE defines
``PACKAGES``, the distributions whose versions count, and ``contestants()``. Each message is a line of JSON. First the
worker says what it has (or an ``error``); then it answers lines ``[index, seconds]`` with the ``units`` and the
``seconds`` that they took. Nothing runs in between.
"""

from __future__ import annotations

import json
import os
import platform
import runpy
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

Chunk = Callable[[], int]
"""Does some work, a fraction of a second at most, and says how many units it was."""


LOOP, BATCH, PLAYOUTS, ROLLOUTS = (
    "one game in a loop in Python",
    "many games a call, with masks and observations",
    "playouts, compiled",
    "MaskablePPO collecting rollouts",
)
"""What is compared with what."""


class Contestant(NamedTuple):
    """Something to be measured."""

    kind: str
    """One of these four; empty: it is compared with nothing."""
    game: str
    way: str
    start: Callable[[], Chunk]
    """Makes the chunk of work; what it takes to get ready is not measured."""
    entries: int = 0
    """Of observation and action mask, that are made for each unit."""
    unit: str = "plies"
    own_threads: Callable[[], Chunk] | None = None
    """The same on two threads of its own; None: on two cores, two processes run side by side."""


def measure(chunk: Chunk, seconds: float) -> dict[str, float]:
    """Call ``chunk`` until ``seconds`` are over."""
    units = 0
    began = time.perf_counter()
    while True:
        units += chunk()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return {"units": units, "seconds": elapsed}


def serve(file: str, own_threads: bool) -> None:
    """Answer on standard output until standard input ends. What contestants print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(message: Any) -> None:
        answers.write(json.dumps(message) + "\n")

    try:
        module = runpy.run_path(file)
        found: list[Contestant] = module["contestants"]()
        versions = {package: version(package) for package in module["PACKAGES"]}
    except Exception as error:
        answer({"error": explained(error)})
        return
    shown = [
        {name: value for name, value in contestant._asdict().items() if name != "start"}
        | {"own_threads": contestant.own_threads is not None}
        for contestant in found
    ]
    answer({"contestants": shown, "versions": versions, "python": platform.python_version()})
    chunks: dict[int, Chunk] = {}
    for line in sys.stdin:
        index, seconds = json.loads(line)
        try:
            if index not in chunks:
                start = found[index].own_threads if own_threads else found[index].start
                assert start is not None
                chunks[index] = start()
            answer(measure(chunks[index], seconds))
        except Exception as error:
            answer({"error": explained(error)})


def explained(error: Exception) -> str:
    """``error`` in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):  # before any thread is there
        os.sched_setaffinity(0, map(int, sys.argv[2].split(",")))
    serve(sys.argv[1], "--own-threads" in sys.argv[3:])
