"""RLCard's gin rummy and uno for two, step by step."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import rlcard
from worker import LOOP, Chunk, Contestant

PACKAGES = ("rlcard", "numpy")
GAMES = {"gin rummy": "gin-rummy", "uno": "uno"}


def make(name: str) -> Any:
    return rlcard.make(name, config={"seed": 0})


def stepping(name: str) -> Chunk:
    """Whole games; each state has an observation and the legal actions."""
    env, pick = make(name), Random(0).random

    def chunk() -> int:
        state, _ = env.reset()
        plies = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(pick() * len(legal))])
            plies += 1
        return plies

    return chunk


def contestants() -> list[Contestant]:
    found = []
    for game, name in GAMES.items():
        env = make(name)
        entries = env.reset()[0]["obs"].size + env.num_actions
        found.append(Contestant(LOOP, game, "loop over step", partial(stepping, name), entries))
    return found
