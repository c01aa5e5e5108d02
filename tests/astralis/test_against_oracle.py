"""Random games on the kernel and the naive oracle side by side: everything the same after every action."""

from __future__ import annotations

import random

import pytest

from tests.astralis.kernel_game import KernelAstralis
from tests.naive.astralis import NaiveAstralis

SAME = ("to_move", "ply", "terminated", "stall", "stones_left", "ships", "tiles", "stones")


def options_of(draw, size):
    """Options drawn so that every kind of game comes up: short and long supplies, early stalls, ties."""
    return {
        "size": size,
        "stones": draw.choice([30, 30, 30, 0, 1, 2, 5]),
        "komi": draw.choice([3.5, 0.0, 1.0, -2.5, 7.0]),
        "stall_limit": draw.choice([60, 60, 1, 4, 12]),
        "setup": draw.choice(["choose", "fixed", "random"]),
        "bonus_stones": draw.random() < 0.5,
    }


def play(size, seed):
    draw = random.Random(f"{size} {seed}")
    options = options_of(draw, size)
    ships = None
    if options["setup"] == "random":
        last = 3 * size * (size - 1)
        ships = (last - draw.randrange(1, size - 1), draw.randrange(1, size - 1))
    kernel, oracle = KernelAstralis(ships=ships, **options), NaiveAstralis(ships=ships, **options)
    places = draw.random()  # how fond of placing stones the players are
    while True:
        where = f"size {size}, seed {seed}, {options}, ply {oracle.ply}"
        for name in SAME:
            if not (oracle.terminated and name == "to_move"):
                assert getattr(kernel, name) == getattr(oracle, name), f"{name}: {where}"
        legal = oracle.legal_actions()
        assert kernel.legal_actions() == legal, where
        assert kernel.returns() == oracle.returns(), where
        for player in range(2):
            assert kernel.observation(player) == oracle.observation(player), where
        if oracle.terminated:
            assert kernel.scores() == oracle.scores(), where
            return
        placing = [action for action in legal if action % 7]
        action = draw.choice(placing if placing and draw.random() < places else legal)
        assert kernel.notation(action) == oracle.notation(action), where
        oracle.play(action)
        kernel.play(action)


@pytest.mark.parametrize(("size", "games"), [(3, 200), (4, 100), (5, 40), (6, 20), (7, 10), (8, 8)])
def test_random_games(size, games):
    for seed in range(games):
        play(size, seed)


@pytest.mark.soak
@pytest.mark.parametrize(("size", "games"), [(3, 2000), (4, 1000), (5, 500), (6, 200), (7, 100), (8, 60)])
def test_many_random_games(size, games):
    for seed in range(10**6, 10**6 + games):
        play(size, seed)
