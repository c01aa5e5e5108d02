"""Short games of every kind, and what became of them: to compare the JIT with plain Python."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import EntryPoint

import numpy as np

import starboard
from asteria_envs import cards
from starboard import loops, registry, testing
from starboard.batch import Batch
from starboard.bots import choose_actions, make_player
from starboard.state import GameState, packed
from starboard.testing.trace import play_state
from tests.asteria.random_deck import random_deck

OPTIONS = {
    "asteria": [{}, {"deck": cards.text(random_deck(2, "rotate")), "errata": False}],
    "asterion": [
        {},
        {"players": 3, "discard": "random", "reward": "margin"},
        {"players": 4, "mode": "basic", "table_radius": 4, "standard_scoring": False},
    ],
    "astralis": [
        {"size": 3},
        {"size": 4, "setup": "random", "bonus_stones": True, "komi": -1.5},
        {"size": 5, "setup": "fixed", "stones": 3, "stall_limit": 5, "komi": 0.0},
    ],
}


def digest(*arrays):
    """A checksum of types, shapes and contents."""
    total = hashlib.sha256()
    for array in arrays:
        total.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def results():
    """One entry for each game and set of options, as JSON has it."""
    found = {}
    for name in starboard.names():
        for options in OPTIONS.get(name, [{}]):
            found[f"{name} {options}"] = _results(starboard.load(name, **options))
    grab = EntryPoint("grab", "tests.testing.grab:GAME", "starboard.games").load()
    found["grab"] = _results(grab.spec())
    return found


def _results(spec):
    games = [repr(play_state(GameState(spec, seed), seed)) for seed in range(2)]
    found = {"games": hashlib.sha256("".join(games).encode()).hexdigest()}
    batch = Batch(spec, 3, seed=1)
    now = batch.reset()
    steps = []
    for _ in range(25):
        now = batch.step(batch.sample(now.action_masks))
        steps.append(digest(*now))
    found["batch"] = steps
    where = np.arange(3)
    for bot in ("random", "greedy", "mcts:4"):
        player = make_player(bot, spec, 2)
        actions = choose_actions(player, batch.records, where, now.observations, now.action_masks)
        found[bot] = actions.tolist()
    moves, episodes = np.empty(spec.max_legal, np.int16), np.zeros(3, np.int64)
    finished = loops.playouts(spec.params, batch.records, np.uint64(3), 20, moves, episodes)
    found["playouts"] = [int(finished), digest(packed(batch.records))]
    loops.resample(spec.params, batch.records, where, np.zeros(3, np.int64), np.arange(3, dtype=np.uint64))
    found["resample"] = digest(packed(batch.records))
    if spec.name in registry.names():
        testing.check_conformance(spec, games=1)
    return found


def main():
    """Print the results."""
    print(json.dumps(results()))
