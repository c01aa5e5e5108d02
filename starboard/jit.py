"""The decorator of every kernel: compiled once, kept on disk where that is possible, never silently slow.

Numba compiles a function at its first call and keeps the machine code beside the source. What goes wrong or takes long
with that in practice is put right here, once:

* every function is compiled by itself and again within each of its callers: :mod:`starboard.compiler` compiles what
  Python calls only, where it knows the version of Numba;
* the first compile takes seconds in which nothing seems to happen: a line on standard error says what is compiled
  (silence it with ``STARBOARD_QUIET=1``);
* where no folder for the cache can be written, Numba raises at import, and on a full disk at the first call: here the
  kernel is compiled anew in each process, and a line says so;
* Numba knows only the file of the function it compiles, so a cached caller would go on playing the rules of an older
  kernel: :func:`source_hash` goes into the names of the games' record fields, which are part of every signature.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numba
from numba import types
from numba.core import config, event

from starboard.notice import NOT_SAVED, say

JIT_ENABLED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False where ``NUMBA_DISABLE_JIT=1`` runs every kernel as plain Python, for debugging."""

KNOWN = (0, 64), (0, 68)
"""The oldest and the newest version of Numba whose inner parts :mod:`starboard.compiler` knows. With others kernels are
compiled as Numba does it: the same, but slower to start."""

if KNOWN[0] <= numba.version_info.short <= KNOWN[1]:
    from starboard import compiler
else:
    compiler = None  # type: ignore[assignment]

_OURS: WeakSet[Callable[..., Any]] = WeakSet()


def jit(function: Callable[..., Any], *, allocates: bool = False, parallel: bool = False) -> Any:
    """Compile ``function`` with Numba at its first call, from the disk cache where there is one.

    Kernels trust their arguments (the public API checks them), release the GIL and divide as NumPy does.

    :param allocates: it makes arrays. All others are compiled without Numba's runtime: that counts the references of
        each array handed on, with instructions that lock memory, which costs a tenth of the time and keeps threads
        waiting for each other.
    :param parallel: it has ``prange`` loops, which need the runtime.
    """
    if not JIT_ENABLED:
        return function
    _OURS.add(function)
    options = {"nogil": True, "error_model": "numpy", "parallel": parallel, "_nrt": allocates or parallel}
    if compiler is not None:
        return compiler.Kernel(function, targetoptions={"nopython": True, **options})
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # Numba's "no locator available": no folder for the cache can be written.
        return numba.njit(**options)(function)
    save = kernel._cache.save_overload

    def save_if_possible(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            say(NOT_SAVED, str(error))

    kernel._cache.save_overload = save_if_possible
    return kernel


def keep(kernel: Any) -> None:
    """Cache on disk what other compiled functions use of ``kernel``, for all that call it.

    With it goes what it calls, so it should be done for the few functions that many call.
    """
    if compiler is not None and isinstance(kernel, compiler.Kernel):
        kernel.keep()


def source_hash(*files: str) -> str:
    """Eight hexadecimal digits that change when one of the source ``files`` (or the generator's) does."""
    digest = hashlib.sha256()
    for file in (*files, str(Path(__file__).with_name("rng.py"))):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:8]


class _Notice(event.Listener):
    """Says what is compiled; keeps Python's garbage collector from walking through the compiler's objects meanwhile."""

    def __init__(self) -> None:
        self._depth = 0  # compiles within compiles; Numba lets only one thread compile
        self._collecting = False

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self._collecting = gc.isenabled()
        gc.disable()
        kernel = event.data["dispatcher"]
        if kernel.py_func in _OURS:
            module, name = kernel.py_func.__module__, kernel.py_func.__name__
            games = list(filter(None, map(_game, event.data["args"])))
            text = f"compiling {module.rpartition('.')[2]}.{name}" + (f" for {games[0]}" if games else "")
            if kernel._cache.cache_path is not None:
                say(text, "once: later processes load it from disk")
            else:
                say(text, "in each process: no folder for compiled code can be written, see NUMBA_CACHE_DIR")

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._collecting:
            gc.enable()


def _game(kind: Any) -> str | None:
    """The game whose records have Numba's type ``kind``, or are in arrays of it."""
    record = kind.dtype if isinstance(kind, types.Array) else kind
    if not isinstance(record, types.Record):
        return None
    tag: str = next(iter(record.fields))
    return tag.rpartition("_")[0] or tag


event.register("numba:compile", _Notice())
