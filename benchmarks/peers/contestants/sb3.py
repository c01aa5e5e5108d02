"""What PettingZoo's tutorial makes of connect four for MaskablePPO: the learner plays both seats of one environment."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import gymnasium
from rollouts import collecting
from stable_baselines3.common.vec_env import DummyVecEnv
from worker import ROLLOUTS, Chunk, Contestant

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of this way to import, from PettingZoo 1.27 on
    from pettingzoo.classic import connect_four_v3

PACKAGES = ("stable-baselines3", "sb3-contrib", "torch", "pettingzoo", "gymnasium", "numpy")
BATCH = 16


class Tutorial(gymnasium.Env):
    """An AEC environment as sb3-contrib wants it."""

    def __init__(self) -> None:
        self.env = connect_four_v3.env()
        self.env.reset()
        agent = self.env.agent_selection
        self.observation_space = self.env.observation_space(agent)["observation"]
        self.action_space = self.env.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed, options)
        return self.observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        env = self.env
        agent = env.agent_selection
        env.step(int(action))
        reward = env._cumulative_rewards[agent]
        return self.observe(), reward, env.terminations[agent], env.truncations[agent], env.infos[agent]

    def observe(self) -> Any:
        return self.env.observe(self.env.agent_selection)["observation"]

    def action_masks(self) -> Any:
        return self.env.observe(self.env.agent_selection)["action_mask"]


def batched() -> Chunk:
    return collecting(DummyVecEnv([Tutorial] * BATCH), BATCH)


def contestants() -> list[Contestant]:
    env = Tutorial()
    entries = env.observe().size + env.action_masks().size
    show = partial(Contestant, ROLLOUTS, "connect four", entries=entries, unit="timesteps")
    return [
        show("1 environment", lambda: collecting(Tutorial(), 1)),
        show(f"{BATCH} in DummyVecEnv", batched),
    ]
