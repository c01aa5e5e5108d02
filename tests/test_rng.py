"""The generator: known answers, computed in plain whole numbers, with the JIT on and off."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from starboard import rng

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15

# The first numbers of SplitMix64 from state 0, as published with it.
SPLITMIX = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B]

SEEDS = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF]

PROGRAM = f"""
import json, sys
import numpy as np
from starboard import rng
s = np.zeros(1, [("rng", np.uint64)])
stream = [int(rng.next_uint64(s[0])) for _ in range(5)]
below = [int(rng.below(s[0], n)) for n in (1, 2, 6, 1000, 2**31 - 1)]
seeds = [np.uint64(seed) for seed in {SEEDS}]
json.dump({{
    "stream": stream,
    "below": below,
    "state": int(s["rng"][0]),
    "scramble": [int(rng.scramble(seed)) for seed in seeds],
    "mix": [int(rng.mix(seed, a, b)) for seed in seeds for a, b in ((0, 0), (0, 1), (1, 0), (1023, 10**9))],
    "fold": [int(rng.fold(seed, n)) for seed in seeds for n in (1, 2, 3, 1184, 2**31)],
}}, sys.stdout)
"""


def scramble(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def mix(seed, a, b):
    x = scramble(seed + STEP & MASK)
    x = scramble(x ^ a * STEP & MASK)
    return scramble(x + b * 0xBF58476D1CE4E5B9 & MASK)


def fold(x, n):
    return (x >> 32) * n >> 32


def plain():
    """The answers in whole numbers without bounds."""
    states = [STEP * (i + 1) & MASK for i in range(10)]
    return {
        "stream": [scramble(x) for x in states[:5]],
        "below": [fold(scramble(x), n) for x, n in zip(states[5:], (1, 2, 6, 1000, 2**31 - 1), strict=True)],
        "state": states[-1],
        "scramble": [scramble(seed) for seed in SEEDS],
        "mix": [mix(seed, a, b) for seed in SEEDS for a, b in ((0, 0), (0, 1), (1, 0), (1023, 10**9))],
        "fold": [fold(seed, n) for seed in SEEDS for n in (1, 2, 3, 1184, 2**31)],
    }


def test_plain_answers_are_those_published():
    assert plain()["stream"] == SPLITMIX


@pytest.mark.parametrize("disabled", ["0", "1"], ids=["with the JIT", "without"])
def test_known_answers(disabled):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "STARBOARD_QUIET": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == plain()


def test_numbers_below_are_uniform():
    s = np.zeros(1, [("rng", np.uint64)])
    for n in (2, 6, 37):
        counts = np.bincount([rng.below(s[0], n) for _ in range(200 * n)], minlength=n)
        assert len(counts) == n
        assert ((counts - 200) ** 2 / 200).sum() <= n - 1 + 5 * np.sqrt(2 * (n - 1))


def test_streams_differ():
    """Neighbouring seeds, games and episodes share no number."""
    streams = {mix(seed, a, b) for seed in range(20) for a in range(20) for b in range(20)}
    assert len(streams) == 8000


def test_pick_is_the_same_each_time():
    for seed in SEEDS:
        for n in (1, 7, 1184):
            value = rng.pick(np.uint64(seed), 3, 4, n)
            assert value == fold(mix(seed, 3, 4), n)
