"""Collecting rollouts for MaskablePPO: our VecEnv against PettingZoo's connect-four tutorial.

    pip install 'starboard-envs[train,bench]'
    python benchmarks/against_sb3.py

Only `collect_rollouts` runs, no optimisation, with the network of stable-baselines3's "MlpPolicy" everywhere. The
tutorial has one environment, in which the learner plays both seats; "16 in DummyVecEnv" is the same, 16 times. Ours has
256 games of Astralis on its full board, each against a random player. With 1,184 actions nine tenths of the time goes
into sb3-contrib's distribution over them, so ours is measured with it, and with `MaskedMlpPolicy`, which is the same
network with a cheaper one. Beside these: the networks of `starboard train`, an earlier self in place of the random
player, and whole training, optimisation included.

torch runs on one thread (--torch-threads): these networks are small, and where another process wants the cores, too,
threads that wait for each other make torch many times slower and the figures worthless.
"""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import torch
from report import arguments, say, show
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from starboard import benchmark, load
from starboard.agents.network import WIDTHS, Network
from starboard.benchmark import CALIBRATION, Chunk, interleave, python_loop
from starboard.sb3 import MaskedMlpPolicy, SeatVecEnv
from starboard.training.policy import BoardPolicy
from starboard.training.selfplay import PastSelves

STEPS = 1024
"""Timesteps of one rollout."""
GAMES = 256
"""Of ours."""


class TutorialEnv(gymnasium.Env):
    """What PettingZoo's tutorial makes of an AEC environment for sb3-contrib: the learner plays every seat."""

    def __init__(self, env: Any) -> None:
        self.env = env
        env.reset()
        self.observation_space = env.observation_space(env.possible_agents[0])["observation"]
        self.action_space = env.action_space(env.possible_agents[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed, options)
        return self.observe(self.env.agent_selection), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        env = self.env
        agent = env.agent_selection
        env.step(int(action))
        reward = env._cumulative_rewards[agent]
        return (
            self.observe(env.agent_selection),
            reward,
            env.terminations[agent],
            env.truncations[agent],
            env.infos[agent],
        )

    def observe(self, agent: str) -> Any:
        return self.env.observe(agent)["observation"]

    def action_masks(self) -> Any:
        return self.env.observe(self.env.agent_selection)["action_mask"]


def collecting(env: Any, num_envs: int, policy: Any = "MlpPolicy", **policy_kwargs: Any) -> Chunk:
    """One rollout of ``STEPS`` timesteps by MaskablePPO in ``env``."""
    model = MaskablePPO(policy, env, n_steps=STEPS // num_envs, device="cpu", seed=0, policy_kwargs=policy_kwargs)
    _, callback = model._setup_learn(STEPS, None)
    callback.on_training_start({}, {})

    def chunk() -> int:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps, use_masking=True)
        return STEPS

    return chunk


def contestants(quick: bool) -> dict[str, Chunk]:
    """The chunks of work, by name.

    :raises ImportError: if what is compared with is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of this way to import, from PettingZoo 1.27 on
        from pettingzoo.classic import connect_four_v3

    spec = load("astralis")

    def tutorial() -> TutorialEnv:
        return TutorialEnv(connect_four_v3.env())

    def ours(opponent: Any = "random") -> SeatVecEnv:
        return SeatVecEnv(spec.name, GAMES, opponent=opponent, seed=0)

    chunks: dict[str, Chunk] = {
        CALIBRATION: python_loop,
        "tutorial, 1 environment": collecting(tutorial(), 1),
        "tutorial, 16 in DummyVecEnv": collecting(DummyVecEnv([tutorial] * 16), 16),
        "ours, MlpPolicy": collecting(ours(), GAMES),
        "ours, MaskedMlpPolicy": collecting(ours(), GAMES, MaskedMlpPolicy),
    }
    for kind, width in WIDTHS.items():
        settings = {"spec": spec, "network": kind, "width": width}
        past = PastSelves(spec, [Network(spec, kind, width)]).members[0]
        chunks[f"ours, network {kind}"] = collecting(ours(), GAMES, BoardPolicy, **settings)
        chunks[f"ours, network {kind}, past self"] = collecting(ours(past), GAMES, BoardPolicy, **settings)
    return {**chunks, "ours, whole training": benchmark.training(spec, quick)}


def main() -> None:
    args = arguments(__doc__, rounds=5, seconds=1.0, torch_threads=1)
    torch.set_num_threads(args.torch_threads)
    try:
        chunks = contestants(args.quick)
    except ImportError as error:
        print(f"skipped: {error}; pip install 'starboard-envs[train,bench]'")
        return
    rates = interleave(chunks, args.rounds, args.seconds, progress=say)
    show(
        "Collecting rollouts with MaskablePPO.",
        "timesteps",
        rates,
        [
            (ours, theirs, target)
            for ours in ("ours, MlpPolicy", "ours, MaskedMlpPolicy")
            for theirs, target in (("tutorial, 1 environment", 5.0), ("tutorial, 16 in DummyVecEnv", 2.0))
        ],
    )


if __name__ == "__main__":
    main()
