"""The VecEnv, and what MaskablePPO makes of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

import starboard
from starboard.sb3 import MaskedMlpPolicy, SeatVecEnv
from starboard.seat import SeatEnv
from starboard.state import GameState

SMALL = {"size": 3, "stall_limit": 6}


class LastLegal:
    """An opponent that can be replayed: always the last legal action."""

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_rollout_buffer_against_a_replay_of_the_games() -> None:
    """Every entry of MaskablePPO's buffer is what the game itself says: a shifted or reused array would show."""
    options = {**SMALL, "setup": "fixed"}  # no chance: the learner's actions determine the games
    env = SeatVecEnv("astralis", 6, opponent=LastLegal(), seat="alternate", seed=7, **options)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=3, device="cpu")
    model.learn(64 * 6)
    buffer = model.rollout_buffer
    spec = starboard.load("astralis", **options)
    # Training has flattened these, game by game.
    observations = buffer.observations.reshape(6, 64, *spec.observation_shape).swapaxes(0, 1)
    masks = buffer.action_masks.reshape(6, 64, -1).swapaxes(0, 1)
    actions = buffer.actions.reshape(6, 64).swapaxes(0, 1).astype(int)
    rewards, starts = buffer.rewards, buffer.episode_starts
    endings = 0
    for game in range(6):
        state, learner, episode = GameState(spec, seed=0), game % 2, 0
        start = True
        for step in range(64):
            while state.to_move != learner:
                state.step(state.legal_actions()[-1])
            assert starts[step, game] == start
            np.testing.assert_array_equal(observations[step, game], state.observation(learner))
            np.testing.assert_array_equal(masks[step, game], state.mask)
            state.step(actions[step, game])
            while not state.over and state.to_move != learner:
                state.step(state.legal_actions()[-1])
            assert rewards[step, game] == state.returns()[learner]
            start = state.over
            if state.over:
                endings += 1
                episode += 1
                state, learner = GameState(spec, seed=0), (game + episode) % 2
    assert endings > 20
    assert {-1.0, 1.0} <= set(rewards.flatten())


def test_infos_at_the_end() -> None:
    env = SeatVecEnv("astralis", 4, opponent="random", seed=1, **SMALL)
    observations = env.reset()
    total, length, ends = np.zeros(4), np.zeros(4, int), 0
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in env.action_masks()])
        seats = env.games.seats.copy()
        observations, rewards, dones, infos = env.step(actions)
        assert rewards.dtype == np.float32
        total += rewards
        length += 1
        for game, (done, info) in enumerate(zip(dones, infos, strict=True)):
            if not done:
                assert info == {}  # nothing to copy on ordinary steps
                continue
            ends += 1
            assert info["episode"]["r"] == total[game] == rewards[game]
            assert info["episode"]["l"] == length[game]
            assert info["TimeLimit.truncated"] is False
            assert info["terminal_observation"][-1, 10] == 1
            assert info["terminal_observation"][-1, 2] == seats[game]
            assert not np.array_equal(info["terminal_observation"], observations[game])
            total[game] = length[game] = 0
    assert ends > 10


def test_the_interface_that_maskable_ppo_asks_for() -> None:
    env = SeatVecEnv("astralis", 5, opponent="greedy", seed=1, **SMALL)
    env.reset()
    assert env.has_attr("action_masks")
    assert not env.has_attr("something")
    masks = env.env_method("action_masks")
    assert masks.shape == (5, env.action_space.n)
    assert masks.dtype == bool
    assert env.env_method("action_masks", indices=[1, 3]).shape[0] == 2
    np.testing.assert_array_equal(env.get_attr("action_masks", 2)[0](), masks[2])
    assert env.env_is_wrapped(VecMonitor) == [False] * 5
    with pytest.raises(AttributeError, match="something"):
        env.env_method("something")
    with pytest.raises(AttributeError, match="something"):
        env.get_attr("something")
    with pytest.raises(AttributeError, match="something"):
        env.set_attr("something", 1)


def test_seed_gives_the_same_games() -> None:
    env = SeatVecEnv("astralis", 3, opponent="random", seed=1, **SMALL)
    env.seed(11)
    first = env.reset()
    second = env.reset()
    env.seed(11)
    np.testing.assert_array_equal(env.reset(), first)
    assert not np.array_equal(first, second) or first.sum() == second.sum()


def test_masked_evaluation_and_check_env() -> None:
    """sb3-contrib's own evaluation runs on the VecEnv, and SB3's checker passes on the single environment."""
    env = SeatVecEnv("astralis", 4, opponent="random", illegal="raise", seed=1, **SMALL)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, seed=0, device="cpu")
    mean, _ = evaluate_policy(model, env, n_eval_episodes=8, warn=False)
    assert -1.0 <= mean <= 1.0
    check_env(SeatEnv("astralis", size=4), warn=False)


@pytest.mark.parametrize("shared", [True, False])
def test_masked_mlp_policy_is_mlp_policy(shared: bool) -> None:
    """With the same weights the same values, log probabilities, entropies and best actions as sb3-contrib's own."""
    env = SeatVecEnv("astralis", 8, seed=1, **SMALL)
    kwargs = {"n_steps": 8, "batch_size": 32, "seed": 5, "device": "cpu"}
    arguments = {"share_features_extractor": shared}
    ours = MaskablePPO(MaskedMlpPolicy, env, policy_kwargs=arguments, **kwargs).policy
    theirs = MaskablePPO("MlpPolicy", env, policy_kwargs=arguments, **kwargs).policy
    observations = env.reset()
    masks = env.action_masks()
    batch = torch.as_tensor(observations)
    with torch.no_grad():
        torch.manual_seed(1)
        actions, values, log_probs = ours(batch, action_masks=masks)
        for mine, other in zip(
            ours.evaluate_actions(batch, actions, masks), theirs.evaluate_actions(batch, actions, masks), strict=True
        ):
            torch.testing.assert_close(mine, other)
        torch.testing.assert_close(values, theirs.predict_values(batch))
        torch.testing.assert_close(log_probs, ours.evaluate_actions(batch, actions, masks)[1])
    assert masks[np.arange(8), actions.numpy()].all()
    best = ours.predict(observations, deterministic=True, action_masks=masks)[0]
    np.testing.assert_array_equal(best, theirs.predict(observations, deterministic=True, action_masks=masks)[0])
