"""Let two players play many games, sides swapped.

    python examples/evaluate.py greedy random
    python examples/evaluate.py runs/astralis/agent.zip greedy
    python examples/evaluate.py builder random

The same from the command line: `starboard evaluate greedy random --game astralis`. Players are names, files of saved
agents, or, from Python, callables; "builder" stands for the one below.
"""

from __future__ import annotations

import argparse

import numpy as np

from starboard.arena import evaluate


def builder(observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """Places a stone whenever it can: the last legal action before the pass that is no bare move of the ship.

    :param observations: int8 (N, 8, cells), each from the point of view of the seat to move.
    :param action_masks: int8 (N, actions), 1 where legal.
    :returns: N actions.
    """
    places_a_stone = (np.arange(action_masks.shape[1]) % 7 > 0).astype(np.int8)
    wanted = action_masks * (1 + places_a_stone)
    return wanted.shape[1] - 1 - wanted[:, ::-1].argmax(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("a", nargs="?", default="greedy")
    parser.add_argument("b", nargs="?", default="random")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    a, b = (builder if name == "builder" else name for name in (args.a, args.b))
    result = evaluate(a, b, "astralis", games=args.games, seed=args.seed)
    print(result.table())
    low, high = result.interval
    if low > 0.5 or high < 0.5:
        print(f"The {'first' if low > 0.5 else 'second'} is the better player: the interval leaves out 50%.")
    else:
        print("More games are needed to tell who is better: the interval holds 50%.")


if __name__ == "__main__":
    main()
