"""A straightforward version of Astralis in C (../../astralis_naive.c)."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from worker import BATCH, PLAYOUTS, Chunk, Contestant

PACKAGES = ()
SOURCE = Path(__file__).resolve().parents[2] / "astralis_naive.c"
ROUNDS = 500
"""Times 64 games: a move in each."""


def playing(program: Any, full: bool) -> Chunk:
    return lambda: program.play(full, ROUNDS)


def contestants() -> list[Contestant]:
    """:raises RuntimeError: without a C compiler, or if it fails."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("there is no C compiler called cc on this machine")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "astralis_naive.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library, SOURCE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{compiler} could not compile {SOURCE.name}: {done.stderr}")
        program = ctypes.CDLL(str(library))
    program.play.restype = ctypes.c_long
    entries = 169 * 7 + 7 * 169  # the mask's, and the planes'
    return [
        Contestant(PLAYOUTS, "astralis, fixed setup", "moves", partial(playing, program, False)),
        Contestant(BATCH, "astralis, fixed setup", "full, 64 games", partial(playing, program, True), entries),
    ]
