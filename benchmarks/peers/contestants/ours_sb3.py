"""Ours for MaskablePPO: `SeatVecEnv` of Astralis, each game against a random player.

With 1,184 actions most of the time goes into sb3-contrib's distribution over them, so it is measured with that, and
with `MaskedMlpPolicy`, which is the same network with a cheaper one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rollouts import collecting
from worker import ROLLOUTS, Chunk, Contestant

from starboard import load
from starboard.sb3 import MaskedMlpPolicy, SeatVecEnv

PACKAGES = ("stable-baselines3", "sb3-contrib", "torch", "numpy", "numba", "gymnasium")
GAMES = 256


def ours(policy: Any) -> Chunk:
    return collecting(SeatVecEnv("astralis", GAMES, opponent="random", seed=0), GAMES, policy)


def contestants() -> list[Contestant]:
    spec = load("astralis")
    entries = spec.observation_high.size + spec.num_actions
    show = partial(Contestant, ROLLOUTS, "astralis", entries=entries, unit="timesteps")
    return [
        show(f"{GAMES} games, MlpPolicy", partial(ours, "MlpPolicy")),
        show(f"{GAMES} games, MaskedMlpPolicy", partial(ours, MaskedMlpPolicy)),
    ]
