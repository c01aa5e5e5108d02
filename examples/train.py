"""Train an agent for Astralis by self-play, and use it.

    pip install 'starboard-envs[train]'
    python examples/train.py --minutes 2

The same from the command line: `starboard train astralis --size 5 --minutes 2`.
"""

from __future__ import annotations

import argparse

from starboard import load
from starboard.state import GameState
from starboard.training import load_agent, train


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=5, help="cells along an edge of the board")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--timesteps", type=int, help="stop after so many actions of the learner")
    parser.add_argument("--games", type=int, default=200, help="of each match at the end")
    parser.add_argument("--out", default="runs/example", help="folder of the run; must not hold one already")
    args = parser.parse_args()

    result = train(
        "astralis",
        {"size": args.size},
        minutes=args.minutes,
        timesteps=args.timesteps,
        games=args.games,
        out=args.out,
        seed=0,
    )
    print(result.table())

    # A saved agent is a callable: observation and mask in, action out.
    agent = load_agent(result.path, seed=0)
    game = GameState(load("astralis", size=args.size), seed=1)
    for _ in range(6):
        action = agent(game.observation(game.to_move), game.mask)
        print(f"player {game.to_move} plays {game.describe(action)}")
        game.step(action)
    print(game)


if __name__ == "__main__":
    main()
