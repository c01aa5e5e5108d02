"""The native stable-baselines3 VecEnv: N learners' seats, masks included, as MaskablePPO takes them.

>>> from sb3_contrib import MaskablePPO
>>> from starboard.sb3 import MaskedMlpPolicy, SeatVecEnv
>>> env = SeatVecEnv("astralis", num_envs=4, opponent="greedy", size=3)
>>> model = MaskablePPO(MaskedMlpPolicy, env, n_steps=16, batch_size=64).learn(64)

``"MlpPolicy"`` works as well: :class:`MaskedMlpPolicy` is the same network, several times as fast over many actions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnv

from starboard import registry
from starboard.aec import observation_box
from starboard.agents.categorical import draw, log_probabilities
from starboard.foresight import MOST, Foresight
from starboard.render.modes import RENDER_FPS, Renderer
from starboard.seat import Opponent, SeatGames
from starboard.spec import GameSpec, one_of


class SeatVecEnv(VecEnv):
    """N learners' seats stepped together; what the others do in between belongs to the environment.

    Rewards are the learner's own, summed until its next turn. ``infos`` hold arrays only where an episode ended:
    ``terminal_observation``, ``episode`` (as Monitor writes it) and the game's facts, such as scores.

    :param game: name of the game, or its spec.
    :param num_envs: N.
    :param opponent: see :class:`starboard.seat.SeatGames`, as for ``seat``, ``illegal``, ``seed`` and
        ``shaping``.
    :param foresight: show beside each observation what each legal action brings at once: observations are then flat,
        int8 (N, observation size + num_actions), with :class:`starboard.foresight.Foresight`'s numbers at the end.
    :param render_mode: None or ``"rgb_array"``: then ``render()`` returns all games in one picture, as the learners see
        them, and ``VecVideoRecorder`` works.
    :param options: the game's options.
    """

    def __init__(
        self,
        game: str | GameSpec,
        num_envs: int = 64,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = "random",
        illegal: str = "terminate",
        seed: int | None = None,
        shaping: float = 0.0,
        foresight: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game_spec = registry.resolve(game, options)
        self.games = SeatGames(self.game_spec, num_envs, opponent, seat, illegal, seed, shaping=shaping)
        self.render_mode = one_of("render_mode", render_mode, (None, "rgb_array"))
        self._renderer = Renderer(self.game_spec, render_mode)
        self._actions = np.zeros(num_envs, np.int64)
        self._began = time.time()
        self.lengths = np.zeros(num_envs, np.int64)
        """int64 (N,): the learner's actions in each episode so far; ``returns`` are its rewards."""
        self.returns = np.zeros(num_envs)
        self._foresight = Foresight(self.game_spec) if foresight else None
        box = observation_box(self.game_spec.observation_high)
        if foresight:
            seen = np.full(self.game_spec.num_actions, MOST, np.int8)
            box = spaces.Box(np.append(box.low, -seen), np.append(box.high, seen), dtype=np.int8)
        super().__init__(num_envs, box, spaces.Discrete(self.game_spec.num_actions))
        self.metadata["render_fps"] = RENDER_FPS  # type: ignore[assignment]

    def reset(self) -> np.ndarray:
        """Start all games anew; int8 (N, \\*observation shape). A seed given to :meth:`seed` before is used up."""
        observations = self._shown(self.games.reset(self._seeds[0]).observations)
        self._reset_seeds()
        self._reset_options()
        self.lengths[:], self.returns[:] = 0, 0.0
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Remember the learners' actions, N whole numbers."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them, then the others until each learner is to move again; new games start in the same step."""
        now = self.games.step(self._actions)
        self.lengths += 1
        self.returns += now.rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game, observation, facts in zip(now.ended.tolist(), now.final_observations, now.final_infos, strict=True):
            episode = {
                "r": float(self.returns[game]),
                "l": int(self.lengths[game]),
                "t": round(time.time() - self._began, 6),
            }
            if self._foresight is not None:
                observation = np.append(observation, np.zeros(self.game_spec.num_actions, np.int8))
            infos[game] = {**facts, "terminal_observation": observation, "episode": episode}
            infos[game]["TimeLimit.truncated"] = bool(now.truncated[game] and not now.terminated[game])
        self.lengths[now.ended], self.returns[now.ended] = 0, 0.0
        return self._shown(now.observations), now.rewards.astype(np.float32), now.terminated | now.truncated, infos

    def look(self) -> np.ndarray:
        """The learners' observations as they stand, without playing."""
        return self._shown(self.games.look().observations)

    def _shown(self, observations: np.ndarray) -> np.ndarray:
        """``observations``, with foresight where it was asked for."""
        if self._foresight is None:
            return observations
        seen = self._foresight(self.games.records, np.arange(self.num_envs))
        return np.concatenate([observations.reshape(self.num_envs, -1), seen], axis=1)

    def action_masks(self) -> np.ndarray:
        """bool (N, num_actions): True where the learner's action is legal."""
        return self.games.action_masks.astype(np.bool_)

    def get_images(self) -> Sequence[np.ndarray | None]:
        """With ``render_mode="rgb_array"``, N of uint8 (height, width, 3); where a game ended, the next one's start.

        :raises RuntimeError: before the first :meth:`reset`.
        :raises ModuleNotFoundError: without the extra ``render``.
        """
        return self.games.render(self._renderer)

    def close(self) -> None:
        """Nothing is held open."""

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Only ``action_masks`` is there to be called; it answers for all ``indices`` in one array."""
        if method_name != "action_masks":
            raise AttributeError(f"method_name={method_name!r}: there is only 'action_masks'")
        return self.action_masks()[list(self._get_indices(indices))]

    def has_attr(self, attr_name: str) -> bool:
        """Does every game have this attribute? MaskablePPO asks for ``action_masks``."""
        return attr_name in ("action_masks", "render_mode", "game_spec")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """For each of ``indices``: ``render_mode``, ``game_spec`` or ``action_masks`` (a callable)."""
        rows = list(self._get_indices(indices))
        if attr_name == "render_mode":
            return [self.render_mode] * len(rows)
        if attr_name == "game_spec":
            return [self.game_spec] * len(rows)
        if attr_name == "action_masks":
            return [lambda row=row: self.action_masks()[row] for row in rows]
        raise AttributeError(f"attr_name={attr_name!r}: there is only 'render_mode', 'game_spec', 'action_masks'")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games in a batch have no attributes of their own."""
        raise AttributeError(f"attr_name={attr_name!r}: cannot be set on games in a batch")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """They never are."""
        return [False for _ in self._get_indices(indices)]


class MaskedMlpPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's "MlpPolicy" for MaskablePPO, with a distribution over the actions that costs one softmax.

    The network, its arguments and what it learns are the same. With the hundreds of actions of a board game,
    sb3-contrib's own distribution takes most of the time of a rollout.
    """

    def scores(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, num_actions), values (B, 1)."""
        features = self.extract_features(obs)
        if isinstance(features, tuple):  # where the two networks share no features
            actor, critic = (
                self.mlp_extractor.forward_actor(features[0]),
                self.mlp_extractor.forward_critic(features[1]),
            )
        else:
            actor, critic = self.mlp_extractor(features)
        return self.action_net(actor), self.value_net(critic)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (B,), values (B, 1), log probabilities (B,)."""
        logits, values = self.scores(obs)
        legal = self._legal(action_masks, logits)
        log_probs = log_probabilities(logits, legal)
        actions = log_probs.argmax(1) if deterministic else draw(log_probs, legal)
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values (B, 1), log probabilities of ``actions`` (B,), entropies (B,)."""
        logits, values = self.scores(obs)
        log_probs = log_probabilities(logits, self._legal(action_masks, logits))
        entropy = -(log_probs.exp() * log_probs).sum(1)
        return values, log_probs.gather(1, actions.long()[:, None])[:, 0], entropy

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Expected returns, (B, 1)."""
        return self.scores(obs)[1]

    def _predict(self, observation: Any, deterministic: bool = False, action_masks: Any = None) -> torch.Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def _legal(self, action_masks: Any, logits: torch.Tensor) -> torch.Tensor:
        if action_masks is None:
            return torch.ones_like(logits, dtype=torch.bool)
        return torch.as_tensor(action_masks, device=logits.device).reshape(logits.shape) != 0


__all__ = ["MaskedMlpPolicy", "SeatVecEnv"]
