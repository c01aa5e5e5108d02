"""The policy that MaskablePPO trains: a :class:`Network` behind stable-baselines3's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.type_aliases import Schedule

from starboard.agents.network import Network
from starboard.sb3 import MaskedMlpPolicy
from starboard.spec import GameSpec


class BoardPolicy(MaskedMlpPolicy):
    """A :class:`Network` in place of the MLP.

    :param spec: the game.
    :param network: one of :data:`starboard.agents.network.NETWORKS`.
    :param width: see :class:`Network`.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        spec: GameSpec,
        network: str,
        width: int,
    ) -> None:
        self._make = lambda: Network(spec, network, width)
        self._actions, self._shape, self._foresight = spec.num_actions, spec.observation_shape, spec.foresight > 0
        size = spec.observation_high.size + spec.num_actions * self._foresight
        if np.prod(observation_space.shape or ()) != size:
            raise ValueError(f"observation_space: must be that of an environment made with foresight={self._foresight}")
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self._make()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), eps=1e-5)

    def scores(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, num_actions), values (B, 1)."""
        seen = None
        if self._foresight:
            obs, seen = obs[:, : -self._actions], obs[:, -self._actions :]
        logits, values = self.network(obs.reshape(len(obs), *self._shape), seen)
        return logits, values[:, None]
