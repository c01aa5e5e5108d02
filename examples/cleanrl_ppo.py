"""Masked PPO in one file, in the style of CleanRL: nothing hidden, nothing but torch and the vector environment.

    pip install 'starboard-envs[train]'
    python examples/cleanrl_ppo.py

The learner has one seat of each game, a random player has the other. Within a minute or two the share of games that it
wins rises from about a half to nearly all.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

from starboard.arena import evaluate

ILLEGAL = -1e8  # logit of an action that the mask forbids


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--size", type=int, default=5, help="cells along an edge of the board")
    parser.add_argument("--opponent", default="random", help="random, greedy, mcts:100, or the file of a saved agent")
    parser.add_argument("--total-timesteps", type=int, default=200_000)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--num-steps", type=int, default=64, help="of each environment, between two updates")
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--eval-games", type=int, default=200, help="at the end, seats shared out evenly")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--torch-threads", type=int, default=1, help="small networks gain little from more")
    return parser.parse_args()


def linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    """A small network for the policy, and another for the value."""

    def __init__(self, high: np.ndarray, num_actions: int, width: int = 128) -> None:
        super().__init__()
        # Counters go up to 60 or so, all else is 0 or 1: bring everything into 0 .. 1.
        self.register_buffer("scale", 1.0 / torch.as_tensor(high.reshape(-1), dtype=torch.float32))
        size = high.size
        self.actor = nn.Sequential(
            linear(size, width), nn.Tanh(), linear(width, width), nn.Tanh(), linear(width, num_actions, 0.01)
        )
        self.critic = nn.Sequential(
            linear(size, width), nn.Tanh(), linear(width, width), nn.Tanh(), linear(width, 1, 1.0)
        )

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        return self.critic(observations.flatten(1) * self.scale)[:, 0]

    def log_probs(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Of all actions; about -1e8 where the mask is 0."""
        logits = self.actor(observations.flatten(1) * self.scale)
        return logits.masked_fill(masks == 0, ILLEGAL).log_softmax(1)

    def act(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions drawn from the policy, and their log probabilities."""
        log_probs = self.log_probs(observations, masks)
        # The Gumbel trick: the largest of these is a draw from the distribution, and never an illegal action.
        actions = (log_probs - torch.empty_like(log_probs).exponential_().log()).argmax(1)
        return actions, log_probs.gather(1, actions[:, None])[:, 0]

    @torch.inference_mode()
    def play(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The likeliest action of each row. This method is a player for all of starboard, such as `evaluate`."""
        return self.log_probs(torch.as_tensor(observations), torch.as_tensor(action_masks)).argmax(1).numpy()


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.torch_threads)
    env = gymnasium.make_vec(
        "astralis_envs:astralis_envs/Astralis-v0", num_envs=args.num_envs, opponent=args.opponent, size=args.size
    )
    space = env.single_observation_space
    num_actions = int(env.single_action_space.n)
    agent = Agent(space.high, num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    # What one rollout holds: a row for each step, a column for each environment.
    steps, envs = args.num_steps, args.num_envs
    observations = torch.zeros((steps, envs, *space.shape), dtype=torch.int8)
    masks = torch.zeros((steps, envs, num_actions), dtype=torch.int8)
    actions = torch.zeros((steps, envs), dtype=torch.long)
    log_probs, rewards, values, advantages = torch.zeros((4, steps, envs))
    starts = torch.zeros((steps, envs))  # 1 where the observation is the first of a game

    array, infos = env.reset(seed=args.seed)
    observation, mask = torch.as_tensor(array), torch.as_tensor(infos["action_mask"])
    start = torch.ones(envs)
    updates = max(1, args.total_timesteps // (steps * envs))
    began = time.perf_counter()

    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (update - 1) / updates)
        results: list[float] = []  # of the games that end in this rollout

        # Play.
        for t in range(steps):
            observations[t], masks[t], starts[t] = observation, mask, start
            with torch.no_grad():
                actions[t], log_probs[t] = agent.act(observation, mask)
                values[t] = agent.value(observation)
            array, reward, terminated, truncated, infos = env.step(actions[t].numpy())
            done = terminated | truncated
            results += reward[done].tolist()
            observation, mask = torch.as_tensor(array), torch.as_tensor(infos["action_mask"])
            rewards[t], start = torch.as_tensor(reward), torch.as_tensor(done).float()

        # Generalised advantage estimation, from the last step back. Nothing flows from one game into the one before.
        with torch.no_grad():
            next_value, next_start, advantage = agent.value(observation), start, torch.zeros(envs)
            for t in reversed(range(steps)):
                delta = rewards[t] + args.gamma * next_value * (1 - next_start) - values[t]
                advantage = delta + args.gamma * args.gae_lambda * (1 - next_start) * advantage
                advantages[t], next_value, next_start = advantage, values[t], starts[t]
        returns = advantages + values

        # Learn, in minibatches of the rollout, some times over.
        flat_observations, flat_masks = observations.flatten(0, 1), masks.flatten(0, 1)
        flat_actions, flat_log_probs = actions.flatten(), log_probs.flatten()
        flat_advantages, flat_returns = advantages.flatten(), returns.flatten()
        for _ in range(args.update_epochs):
            for rows in torch.randperm(steps * envs).chunk(args.num_minibatches):
                new = agent.log_probs(flat_observations[rows], flat_masks[rows])
                ratio = (new.gather(1, flat_actions[rows, None])[:, 0] - flat_log_probs[rows]).exp()
                gain = flat_advantages[rows]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
                value_loss = 0.5 * (agent.value(flat_observations[rows]) - flat_returns[rows]).square().mean()
                entropy = -(new.exp() * new).sum(1).mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if results and (update % 5 == 0 or update == updates):
            won = np.mean(np.array(results) > 0)
            speed = update * steps * envs / (time.perf_counter() - began)
            print(
                f"timesteps {update * steps * envs:8}  won {won:6.1%} of {len(results):4} games  "
                f"entropy {entropy.item():5.2f}  {speed:6.0f} timesteps a second",
                flush=True,
            )

    if args.eval_games:
        print(
            evaluate(agent.play, args.opponent, "astralis", {"size": args.size}, games=args.eval_games, seed=0).table()
        )


if __name__ == "__main__":
    main()
