"""The twelve symmetries of the hexagon (AL-6.2) map games to games, actions to actions and observations alike."""

from __future__ import annotations

import random

import numpy as np
import pytest

from astralis_envs import GAME, action_symmetries, cell_symmetries
from astralis_envs.state import DIRECTIONS, coordinates, neighbours
from starboard.state import GameState
from starboard.testing import walk

SIZES = range(3, 9)


@pytest.mark.parametrize("size", SIZES)
def test_they_are_a_group_of_twelve(size):
    """AL-6.2: six turns, and each of them after a mirroring."""
    cells, actions = cell_symmetries(size), action_symmetries(size)
    n = len(coordinates(size))
    assert cells.shape == (12, n)
    assert actions.shape == (12, 7 * n + 1)
    for table in (cells, actions):
        assert table.dtype == np.int32
        assert (np.sort(table, axis=1) == np.arange(table.shape[1])).all()
        assert (table[0] == np.arange(table.shape[1])).all()
        rows = {row.tobytes() for row in table}
        assert len(rows) == 12
        assert {row[other].tobytes() for row in table for other in table} == rows  # closed: a group
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1
    # A turn by 60 degrees six times is nothing, a mirror twice is nothing.
    turned = np.arange(n)
    for g in range(6):
        assert (cells[g] == turned).all()
        turned = cells[1][turned]
    for g in range(6, 12):
        assert (cells[g][cells[g]] == np.arange(n)).all()


@pytest.mark.parametrize("size", SIZES)
def test_turns_and_mirrors_are_what_they_say(size):
    """g turns by 60 degrees clockwise g times: what lay to the east lies to the south-east; 6 mirrors about E-W."""
    cells = cell_symmetries(size)
    around = neighbours(size)
    n = len(around)
    inner = [cell for cell in range(n) if (around[cell] < n).all()]
    mirrored = [0, 5, 4, 3, 2, 1]
    for cell in inner:
        for d in range(6):
            assert cells[1][around[cell, d]] == around[cells[1][cell], (d + 1) % 6]
            assert cells[6][around[cell, d]] == around[cells[6][cell], mirrored[d]]
    centre = coordinates(size).index((0, 0))
    assert (cells[:, centre] == centre).all()


@pytest.mark.parametrize("size", SIZES)
def test_actions_are_their_cells(size):
    """Where the ship goes and where the stone goes are mapped as cells; the pass is the pass."""
    cells, actions, around = cell_symmetries(size), action_symmetries(size), neighbours(size)
    n = len(around)
    for g in range(12):
        assert actions[g, 7 * n] == 7 * n
        for action in range(7 * n):
            cell, k = divmod(action, 7)
            image, image_k = divmod(int(actions[g, action]), 7)
            assert image == cells[g, cell]
            assert (k == 0) == (image_k == 0)
            if k:
                stone, image_stone = around[cell, k - 1], around[image, image_k - 1]
                assert image_stone == (n if stone == n else cells[g, stone])


def turned(state, g):
    """The position of ``state`` under symmetry ``g``, made from a turned observation."""
    spec, size = state.spec, state.spec.options["size"]
    seat = state.to_move
    observation = state.observation(seat).copy()
    image = observation.copy()
    image[:-1, cell_symmetries(size)[g]] = observation[:-1]
    fresh = GameState(spec, 0)
    fresh.records[:] = spec.decode(image)
    for name in ("ply", "rng", "to_move"):
        fresh.records[name] = state.records[name]
    return fresh.clone()


@pytest.mark.parametrize(
    "options",
    [
        {"size": 3, "setup": "random", "bonus_stones": True},
        {"size": 4, "setup": "fixed", "stones": 4, "stall_limit": 6},
        {"size": 5, "setup": "random", "bonus_stones": True, "komi": -1.0},
        {"size": 6, "setup": "fixed"},
        {"size": 7, "setup": "random"},
        {"size": 8, "setup": "fixed", "bonus_stones": True},
    ],
    ids=str,
)
def test_games_turn_into_games(options):
    """AL-6.2: legal actions, steps, observations and returns of the turned game are the turned ones of the game."""
    spec = GAME.spec(**options)
    size = options["size"]
    cells, actions = cell_symmetries(size), action_symmetries(size)
    draw = random.Random(str(options))
    state = GameState(spec, draw.getrandbits(32))
    images = [turned(state, g) for g in range(12)]
    while True:
        for g, image in enumerate(images):
            mask = np.zeros_like(state.mask)
            mask[actions[g]] = state.mask
            assert (image.mask == mask).all()
            for seat in range(2):
                seen = state.observation(seat)
                expected = seen.copy()
                expected[:-1, cells[g]] = seen[:-1]  # the last plane is counters, and stays
                assert (image.observation(seat) == expected).all()
            assert (image.returns() == state.returns()).all()
            assert (image.terminated, image.to_move) == (state.terminated, state.to_move)
            assert spec.final_info(image.record) == spec.final_info(state.record)
        if state.over:
            break
        action = draw.choice(state.legal_actions())
        state.step(action)
        for g, image in enumerate(images):
            image.step(int(actions[g, action]))


def test_directions():
    """AL-1.4: E, SE, SW, W, NW, NE, clockwise on the page, each opposite three later."""
    assert DIRECTIONS == ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
    assert all((-q, -r) == DIRECTIONS[(d + 3) % 6] for d, (q, r) in enumerate(DIRECTIONS))
    for size in SIZES:
        around = neighbours(size)
        n = len(around)
        for cell in range(n):
            for d in range(6):
                if around[cell, d] < n:
                    assert around[around[cell, d], (d + 3) % 6] == cell


def test_walk_reaches_every_kind_of_position():
    """The games above are long enough to mean something."""
    spec = GAME.spec(size=5, setup="random", bonus_stones=True)
    lengths = [len(game.actions) for game in walk(spec, 0, 10) if game.state.over]
    assert min(lengths) > 10
