"""A small counter-based generator whose whole state is one ``uint64`` in the game's record.

The n-th number is a fixed scramble (SplitMix64's finaliser) of ``key + n * step``: the same on every machine and
thread, with the JIT on and off. Everything here stays ``uint64``: Numba turns a mix of signed and unsigned into floats,
and ``uint64 % int64`` into a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from starboard.jit import JIT_ENABLED, jit

_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: odd, so the counter visits all 2**64 states
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


def _wrapping(function: Callable[..., Any]) -> Any:
    """Compile; with the JIT off, let NumPy's scalars wrap around without its overflow warning."""
    return jit(function) if JIT_ENABLED else np.errstate(over="ignore")(function)


@_wrapping
def scramble(x: np.uint64) -> np.uint64:
    """SplitMix64's finaliser: a bijection of ``uint64`` that flips about half the bits for any change of ``x``."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@_wrapping
def stream(seed: np.uint64, a: int) -> np.uint64:
    """The part of :func:`mix` that is the same for every ``b``."""
    return scramble(scramble(np.uint64(seed) + _STEP) ^ (np.uint64(a) * _STEP))


@_wrapping
def entry(x: np.uint64, b: int) -> np.uint64:
    """Number ``b`` of the stream ``x``."""
    return scramble(x + np.uint64(b) * _MIX_1)


@_wrapping
def mix(seed: np.uint64, a: int, b: int) -> np.uint64:
    """A ``uint64`` seed for stream ``(a, b)`` of ``seed``: game ``a`` of a batch, its episode ``b``."""
    return entry(stream(seed, a), b)


@_wrapping
def next_uint64(s: Any) -> np.uint64:
    """The next number of the generator in record ``s`` (field ``rng``), uniform over ``uint64``."""
    s["rng"] = s["rng"] + _STEP
    return scramble(s["rng"])


@_wrapping
def fold(x: np.uint64, n: int) -> Any:
    """Map a uniform ``uint64`` onto ``0 .. n-1`` (``1 <= n < 2**32``); off from uniform by less than n / 2**32."""
    return np.int64(((x >> _S32) * np.uint64(n)) >> _S32)


@_wrapping
def below(s: Any, n: int) -> int:
    """A uniform integer in ``0 .. n-1`` from the generator in record ``s``."""
    return fold(next_uint64(s), n)


@_wrapping
def pick(seed: np.uint64, a: int, b: int, n: int) -> int:
    """A uniform integer in ``0 .. n-1``, the same each time: number ``b`` of stream ``a`` of ``seed``."""
    return fold(mix(seed, a, b), n)
