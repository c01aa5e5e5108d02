"""A game of Astralis in PettingZoo's loop, both players moving at random, every move printed.

python examples/aec_loop.py
"""

from __future__ import annotations

import argparse

from astralis_envs import astralis_v0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4, help="cells along an edge of the board")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    env = astralis_v0.env(size=args.size, render_mode="ansi")
    env.reset(seed=args.seed)
    for agent in env.agents:
        env.action_space(agent).seed(args.seed)

    moves = []
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        total[agent] += reward
        if termination or truncation:
            action = None  # what a finished agent takes
            scores = info["scores"]
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
            moves.append(env.unwrapped.describe_action(action))
        env.step(action)

    print(" ".join(moves))
    print(env.render())
    print(f"{len(moves)} plies, scores {scores}, rewards {total}")
    env.close()


if __name__ == "__main__":
    main()
