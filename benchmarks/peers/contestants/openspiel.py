"""OpenSpiel's games in its Python loop, bare and with observation tensor and mask, and its playouts in C++.

The playouts are those of its tree search: a search of a single simulation, whose random rollouts all start from the
root. They do not say how many plies they played, so this is the number of games times the mean length of ``SAMPLE``
games played in Python from the same root.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pyspiel
from worker import LOOP, PLAYOUTS, Chunk, Contestant

PACKAGES = ("open_spiel",)
GAMES = {
    "hex 11": "hex(board_size=11)",
    "havannah 8": "havannah(board_size=8)",
    "amazons": "amazons",
    "gin rummy": "gin_rummy",
    "hanabi": "hanabi",
}
ROLLOUTS = 20
SAMPLE = 300
"""Games: enough to know the mean length to within one or two percent."""


def deal(state: Any, draw: Random) -> None:
    """Let chance act until a player is to move."""
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(draw.choices(outcomes, weights)[0])


def finish(state: Any, draw: Random) -> int:
    """Play on to the end, with nothing but the list of legal actions; how many actions players took."""
    plies = 0
    while True:
        deal(state, draw)
        if state.is_terminal():
            return plies
        legal = state.legal_actions()
        state.apply_action(legal[int(draw.random() * len(legal))])
        plies += 1


def bare(game: Any) -> Chunk:
    draw = Random(0)
    return lambda: finish(game.new_initial_state(), draw)


def seen(game: Any) -> Chunk:
    draw = Random(0)

    def chunk() -> int:
        state, plies = game.new_initial_state(), 0
        while True:
            deal(state, draw)
            if state.is_terminal():
                return plies
            state.observation_tensor()
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(draw.random() * len(legal))])
            plies += 1

    return chunk


def rollouts(game: Any) -> Chunk:
    """:raises pyspiel.SpielError: for games that its search does not take."""
    draw, root = Random(0), game.new_initial_state()
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, 0), 2.0, 1, 1000, False, 0, False)
    deal(root, draw)
    plies = ROLLOUTS * sum(finish(root.clone(), draw) for _ in range(SAMPLE)) / SAMPLE
    assert bot.mcts_search(root).explore_count == 1

    def chunk() -> int:
        bot.mcts_search(root)
        return round(plies)

    return chunk


def contestants() -> list[Contestant]:
    found = []
    for name, text in GAMES.items():
        game = pyspiel.load_game(text)
        size = game.observation_tensor_size() + game.num_distinct_actions()
        found += [
            Contestant(LOOP, name, "bare loop", partial(bare, game)),
            Contestant(LOOP, name, "loop with observation and mask", partial(seen, game), size),
            Contestant(PLAYOUTS, name, "playouts in C++", partial(rollouts, game)),
        ]
    return found
