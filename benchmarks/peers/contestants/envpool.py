"""EnvPool's connect four, Go on 9 x 9 and hex: many games a call, masks and the observations of both seats in each."""

from __future__ import annotations

from functools import partial
from typing import Any

import envpool
import numpy as np
from worker import BATCH, Chunk, Contestant

PACKAGES = ("envpool", "numpy")
GAMES = {"connect four": "ConnectFour-v1", "go 9": "Go9x9-v1", "hex 11": "Hex-v1"}
BATCHES = (64, 1024)
NOISE = 64
"""Arrays of random numbers, made once: to draw them anew would take longer than to choose with them."""


def make(task: str, num_envs: int, threads: int) -> Any:
    return envpool.make(task, env_type="gymnasium", num_envs=num_envs, num_threads=threads, seed=0)


def stepping(task: str, num_envs: int, threads: int) -> Chunk:
    """``step`` with any legal action. Where a game is over, the next ``step`` resets it and is no ply."""
    env = make(task, num_envs, threads)
    _, info = env.reset()
    over = 0
    shape = (NOISE, *info["legal_action_mask"].shape)
    noise, turn = np.random.default_rng(0).random(shape, np.float32), 0
    repeats = max(1, 256 // num_envs)

    def chunk() -> int:
        nonlocal info, over, turn
        plies = 0
        for _ in range(repeats):
            actions = (noise[turn] * info["legal_action_mask"]).argmax(1).astype(np.int32)
            turn = (turn + 1) % NOISE
            plies += num_envs - over
            # With more than one thread the games come back in another order: env_id says which is which.
            _, _, terminated, truncated, info = env.step(actions, info["env_id"])
            over = int((terminated | truncated).sum())
        return plies

    return chunk


def contestants() -> list[Contestant]:
    found = []
    for game, task in GAMES.items():
        observations, info = make(task, 1, 1).reset()
        entries = observations.size + info["legal_action_mask"].size
        for n in BATCHES:
            one, two = (partial(stepping, task, n, threads) for threads in (1, 2))
            found.append(Contestant(BATCH, game, f"step, {n} games", one, entries, own_threads=two))
    return found
