"""Collecting rollouts for MaskablePPO, the same for our environments and for PettingZoo's tutorial."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib import MaskablePPO
from worker import Chunk

STEPS = 512
"""Timesteps of one rollout."""


def collecting(env: Any, num_envs: int, policy: Any = "MlpPolicy") -> Chunk:
    """One rollout of ``STEPS`` timesteps in ``env``, no optimisation.

    torch runs on one thread: the network is small, and threads that wait for each other make it slower.
    """
    torch.set_num_threads(1)
    model = MaskablePPO(policy, env, n_steps=STEPS // num_envs, device="cpu", seed=0)
    _, callback = model._setup_learn(STEPS, None)
    callback.on_training_start({}, {})

    def chunk() -> int:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps, use_masking=True)
        return STEPS

    return chunk
