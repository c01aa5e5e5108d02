"""Pgx' connect four and hex on the CPU: one jitted call a ply chooses, plays, and resets what ended."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

# Read when jax is imported. Arrays are small: threads would only wait for each other.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset
from worker import BATCH, Chunk, Contestant

PACKAGES = ("pgx", "jax", "jaxlib", "numpy")
GAMES = {"connect four": "connect_four", "hex 11": "hex"}
BATCHES = (1, 64, 1024)


def stepping(env: Any, num_envs: int) -> Chunk:
    """Each state has the mask and the mover's observation."""
    step = jax.vmap(auto_reset(env.step, env.init))

    def ply(state: Any, key: Any) -> tuple[Any, Any]:
        key, draw, reset = jax.random.split(key, 3)
        # The first place where a random share of what is legal is passed: twice as fast as random.categorical.
        passed = jnp.cumsum(state.legal_action_mask, axis=-1)
        share = jax.random.uniform(draw, (num_envs, 1))
        actions = jnp.argmax(passed > share * passed[:, -1:], axis=-1)
        return step(state, actions, jax.random.split(reset, num_envs)), key

    jitted = jax.jit(ply)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), num_envs))
    key = jax.random.key(1)
    repeats = max(1, 256 // num_envs)

    def chunk() -> int:
        nonlocal state, key
        for _ in range(repeats):
            state, key = jitted(state, key)
        jax.block_until_ready(state)
        return repeats * num_envs

    return chunk


def contestants() -> list[Contestant]:
    found = []
    for game, name in GAMES.items():
        env = pgx.make(name)
        entries = int(env.init(jax.random.key(0)).observation.size) + env.num_actions
        found += [Contestant(BATCH, game, f"step, batch of {n}", partial(stepping, env, n), entries) for n in BATCHES]
    return found
