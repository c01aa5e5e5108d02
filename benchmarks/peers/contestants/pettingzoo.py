"""PettingZoo's connect four and Go on 9 x 9, in its AEC loop."""

from __future__ import annotations

import warnings
from functools import partial

import aec
from worker import LOOP, Contestant

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of this way to import, from PettingZoo 1.27 on
    from pettingzoo.classic import connect_four_v3, go_v5

PACKAGES = ("pettingzoo", "gymnasium", "numpy")


def contestants() -> list[Contestant]:
    found = []
    for name, module, options in (("connect four", connect_four_v3, {}), ("go 9", go_v5, {"board_size": 9})):
        raw, env = module.raw_env(**options), module.env(**options)
        size = aec.entries(raw)
        found += [
            Contestant(LOOP, name, aec.LEAN, partial(aec.lean, raw), size),
            Contestant(LOOP, name, aec.DOCUMENTED, partial(aec.documented, env), size),
        ]
    return found
