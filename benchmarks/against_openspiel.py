"""Our batches against OpenSpiel's games in its Python loop, observation tensor and mask made for each decision.

    pip install 'starboard-envs[bench]' open_spiel
    python benchmarks/against_openspiel.py

Uniformly random play of whole games. Counted are decisions: chance, and what has a single legal action, do not count.
"""

from __future__ import annotations

import random

from report import arguments, say, show

from starboard.benchmark import CALIBRATION, Chunk, batch_full, interleave, python_loop
from starboard.registry import load

GAMES = 64
THEIRS = ("gin_rummy", "hanabi", "havannah(board_size=8)")


def openspiel_loop(name: str) -> Chunk:
    """A game of OpenSpiel, played to its end."""
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(0)

    def chunk() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, weights)[0])
                continue
            state.observation_tensor()
            state.legal_actions_mask()
            legal = state.legal_actions()
            decisions += len(legal) > 1
            state.apply_action(draw.choice(legal))
        return decisions

    return chunk


def main() -> None:
    args = arguments(__doc__, rounds=7, seconds=1.0)
    try:
        theirs = {name: openspiel_loop(name) for name in THEIRS}
    except ImportError as error:
        print(f"skipped: OpenSpiel cannot be imported ({error}); pip install open_spiel")
        return
    # Every decision of Asteria and Astralis counts, but for a pass that is forced, which is rare; in Asterion the last
    # removals and the last card of a full board are forced.
    ours = {name: batch_full(load(name), GAMES) for name in ("asteria", "asterion", "astralis")}
    rates = interleave({CALIBRATION: python_loop, **theirs, **ours}, args.rounds, args.seconds, progress=say)
    show(
        f"One core. Ours: Batch.step, {GAMES} games. Theirs: OpenSpiel's loop in Python.",
        "decisions",
        rates,
        [(name, other, 10.0) for name in ours for other in THEIRS],
    )


if __name__ == "__main__":
    main()
