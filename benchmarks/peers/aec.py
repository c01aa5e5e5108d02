"""PettingZoo's AEC loop over whole games in two ways, the same for our environments and for PettingZoo's own."""

from __future__ import annotations

from random import Random
from typing import Any

from worker import Chunk

DOCUMENTED = "env, the documented loop"
LEAN = "raw_env, a lean loop"


def documented(env: Any) -> Chunk:
    """The loop of PettingZoo's documentation: ``action_space(agent).sample(mask)``."""
    env.reset(seed=0)

    def chunk() -> int:
        plies = 0
        env.reset()
        for agent in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            if termination or truncation:
                action = None
            else:
                action = env.action_space(agent).sample(observation["action_mask"])
                plies += 1
            env.step(action)
        return plies

    return chunk


def lean(env: Any) -> Chunk:
    """The cheapest way to choose: one of the places where the mask is 1."""
    pick = Random(0).random
    env.reset(seed=0)

    def chunk() -> int:
        plies = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(pick() * len(legal))])
                plies += 1
        return plies

    return chunk


def entries(env: Any) -> int:
    """Of an observation with its mask."""
    env.reset(seed=0)
    observation = env.observe(env.agent_selection)
    return int(observation["observation"].size + observation["action_mask"].size)
