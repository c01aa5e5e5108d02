"""The policy that MaskablePPO trains: a :class:`Network` behind stable-baselines3's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.type_aliases import Schedule

from starboard.agents.categorical import choose
from starboard.agents.network import Network
from starboard.agents.rows import evaluate
from starboard.sb3 import MaskedMlpPolicy
from starboard.spec import GameSpec


class BoardPolicy(MaskedMlpPolicy):
    """A :class:`Network` in place of the MLP.

    :param spec: the game.
    :param network: one of :data:`starboard.agents.network.NETWORKS`.
    :param width: see :class:`Network`.
    :param threads: among which the rows of a batch are shared, beside torch's own threads.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        spec: GameSpec,
        network: str,
        width: int,
        threads: int = 1,
    ) -> None:
        self._threads = threads
        self._make = lambda: Network(spec, network, width)
        self._actions, self._shape, self._foresight = spec.num_actions, spec.observation_shape, spec.foresight > 0
        size = spec.observation_high.size + spec.num_actions * self._foresight
        if np.prod(observation_space.shape or ()) != size:
            raise ValueError(f"observation_space: must be that of an environment made with foresight={self._foresight}")
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self._make()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), eps=1e-5, fused=True)

    def scores(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, num_actions), values (B, 1)."""
        seen = None
        if self._foresight:
            obs, seen = obs[:, : -self._actions], obs[:, -self._actions :]
        logits, values = evaluate(self.network, obs.reshape(len(obs), *self._shape), seen, self._threads)
        return logits, values[:, None]

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (B,), values (B, 1), log probabilities (B,)."""
        if deterministic or action_masks is None:
            return super().forward(obs, deterministic, action_masks)
        logits, values = self.scores(obs)
        found = choose(logits.cpu().numpy(), np.asarray(action_masks), torch.rand(len(obs)).numpy())
        actions, log_probs = (torch.from_numpy(array).to(logits.device) for array in found)
        return actions, values, log_probs
