"""What can be seen of a game or an environment as it is played, in a form that can be compared."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from starboard.state import GameState

Trace = list[tuple[Any, ...]]


def plain(value: Any) -> Any:
    """``value`` with arrays as (dtype, shape, bytes), so that ``==`` compares everything."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def play_state(state: GameState, seed: int) -> Trace:
    """Play ``state`` to its end at random; return what was to be seen on the way."""
    draw = random.Random(seed)
    trace: Trace = []
    while True:
        seen = [plain(state.observation(seat)) for seat in range(state.spec.num_players)]
        trace.append((state.to_move, state.over, plain(state.mask), seen, state.returns().tolist(), state.to_bytes()))
        if state.over:
            return trace
        state.step(draw.choice(state.legal_actions()))


def mask_of(env: AECEnv) -> np.ndarray:
    """The mask of the agent selected, wherever the environment puts it."""
    observation, *_, info = env.last()
    found: np.ndarray = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
    return found


def play_env(env: AECEnv, seed: int, plies: int | None = None) -> Trace:
    """Play ``env`` at random until all agents are gone, or for so many steps; return what was to be seen."""
    draw = random.Random(seed)
    trace: Trace = []
    while env.agents and plies != len(trace):
        observation, reward, terminated, truncated, info = env.last()
        trace.append(
            (
                env.agent_selection,
                plain(observation),
                reward,
                terminated,
                truncated,
                plain(info),
                list(env.agents),
                dict(env.rewards),
                dict(env.terminations),
                dict(env.truncations),
                {agent: plain(facts) for agent, facts in env.infos.items()},
            )
        )
        if terminated or truncated:
            env.step(None)
        else:
            env.step(draw.choice(np.flatnonzero(mask_of(env)).tolist()))
    return trace


def first_difference(one: Trace, other: Trace) -> str:
    """Where two traces part, in words; empty where they do not."""
    for ply, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            parts = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
            return f"step {ply} differs in entries {parts} of what is to be seen (first {a[0]!r}, then {b[0]!r})"
    if len(one) != len(other):
        return f"one has {len(one)} steps, the other {len(other)}"
    return ""
