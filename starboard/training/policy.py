"""The policy that MaskablePPO trains: a :class:`Network` and a categorical distribution that costs one softmax."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule

from starboard.spec import GameSpec
from starboard.training.network import Network, draw, log_probabilities


class BoardPolicy(MaskableActorCriticPolicy):
    """A :class:`Network` behind the interface that MaskablePPO uses.

    :param spec: the game.
    :param network: one of :data:`starboard.training.network.NETWORKS`.
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
        self.num_actions = spec.num_actions
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self._make()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), eps=1e-5)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (B,), values (B, 1), log probabilities (B,)."""
        logits, values = self.network(obs)
        legal = self._legal(action_masks)
        log_probs = log_probabilities(logits, legal)
        actions = log_probs.argmax(1) if deterministic else draw(log_probs, legal)
        return actions, values[:, None], log_probs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values (B, 1), log probabilities of ``actions`` (B,), entropies (B,)."""
        logits, values = self.network(obs)
        log_probs = log_probabilities(logits, self._legal(action_masks))
        entropy = -(log_probs.exp() * log_probs).sum(1)
        return values[:, None], log_probs.gather(1, actions.long()[:, None])[:, 0], entropy

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Expected returns, (B, 1)."""
        return self.network(obs)[1][:, None]

    def _predict(self, observation: Any, deterministic: bool = False, action_masks: Any = None) -> torch.Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def _legal(self, action_masks: Any) -> torch.Tensor:
        if action_masks is None:
            raise ValueError("action_masks: are needed; these games have no state in which every action is legal")
        return torch.as_tensor(action_masks, device=self.device).reshape(-1, self.num_actions) != 0
