"""The decorator of every kernel: compiled once, kept on disk where that is possible, never silently slow.

Numba compiles a function at its first call and keeps the machine code beside the source. Three things go wrong with
that in practice, and are put right here, once:

* where neither the package's folder nor the user's cache folder can be written, ``numba.njit(cache=True)`` raises at
  import, and on a full disk at the first call: then the kernel is compiled anew in each process instead;
* the first compile takes seconds in which nothing seems to happen: one line on standard error says so
  (silence it with ``STARBOARD_QUIET=1``);
* Numba knows only the file of the function it compiles, so a cached caller would go on playing the rules of an older
  kernel: :func:`source_hash` goes into the names of the games' record fields, which are part of every signature.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numba
from numba.core import config, event

JIT_ENABLED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False where ``NUMBA_DISABLE_JIT=1`` runs every kernel as plain Python, for debugging."""

_OURS: WeakSet[Callable[..., Any]] = WeakSet()


def jit(function: Callable[..., Any], *, allocates: bool = False, parallel: bool = False) -> Any:
    """Compile ``function`` with Numba at its first call, from the disk cache where there is one.

    Kernels trust their arguments (the public API checks them), release the GIL and divide as NumPy does.

    :param allocates: it makes arrays. All others are compiled without Numba's runtime: that counts the references of
        each array handed on, with instructions that lock memory, which costs a tenth of the time and keeps threads
        waiting for each other.
    :param parallel: it has ``prange`` loops, which need the runtime.
    """
    _OURS.add(function)
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "parallel": parallel,
        "_nrt": allocates or parallel,
    }
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # Numba's "no locator available": no folder for the cache can be written.
        return numba.njit(**options)(function)
    if JIT_ENABLED:
        save = kernel._cache.save_overload

        def save_if_possible(*args: Any) -> None:
            with suppress(OSError):
                save(*args)

        kernel._cache.save_overload = save_if_possible
    return kernel


def source_hash(*files: str) -> str:
    """Eight hexadecimal digits that change when one of the source ``files`` (or the generator's) does."""
    digest = hashlib.sha256()
    for file in (*files, str(Path(__file__).with_name("rng.py"))):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:8]


class _CompileNotice(event.Listener):
    """Says once per process that kernels are being compiled, when the first of ours is."""

    said = False

    def on_start(self, event: Any) -> None:
        if self.said or event.data["dispatcher"].py_func not in _OURS:
            return
        self.said = True
        if os.environ.get("STARBOARD_QUIET", "") in ("", "0"):
            print(
                "starboard: compiling kernels (some seconds, once; later processes load them from disk)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _CompileNotice())
