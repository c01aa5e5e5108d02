"""The four rotations of the board (AN-5.2) map games to games, actions to actions and observations alike."""

from __future__ import annotations

import random

import numpy as np
import pytest

from asterion_envs import GAME, action_symmetries, cell_symmetries, opening_symmetries, plane_symmetries
from asterion_envs.state import STEPS, coordinates
from starboard.state import GameState
from tests.asterion.test_records import OPTIONS, radius_of

RADII = (2, 3, 4, 5, 12)


@pytest.mark.parametrize("radius", RADII)
def test_they_are_a_group_of_four(radius):
    n = len(coordinates(radius))
    sizes = {cell_symmetries: n, opening_symmetries: 4 * n, action_symmetries: 4 * n + 18}
    tables = [(table(radius), size) for table, size in sizes.items()]
    tables += [(plane_symmetries(players), 31 + players) for players in (2, 3, 4)]
    for table, size in tables:
        assert table.shape == (4, size)
        assert table.dtype == np.int32
        turned = np.arange(size)
        for g in range(4):
            assert (table[g] == turned).all()
            turned = table[1][turned]
        assert (turned == np.arange(size)).all()
        assert len({row.tobytes() for row in table}) == 4
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


@pytest.mark.parametrize("radius", RADII)
def test_turns_are_clockwise(radius):
    """What lay to the north of the middle lies to the east; what was open to the north is open to the east."""
    spaces = coordinates(radius)
    cells, openings, actions = cell_symmetries(radius), opening_symmetries(radius), action_symmetries(radius)
    middle = spaces.index((0, 0))
    assert (cells[:, middle] == middle).all()
    for d, step in enumerate(STEPS):
        assert spaces[cells[1][spaces.index(step)]] == STEPS[(d + 1) % 4]
        assert openings[1][4 * middle + d] == 4 * middle + (d + 1) % 4
    assert (actions[:, : openings.shape[1]] == openings).all()
    assert (actions[:, openings.shape[1] :] == np.arange(openings.shape[1], actions.shape[1])).all()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_games_turn_into_games(options):
    """Legal actions, observations and results of the turned game are the turned ones of the game."""
    spec = GAME.spec(**options)
    radius, planes = radius_of(spec), spec.grid_planes
    cells, actions, plane = cell_symmetries(radius), action_symmetries(radius), plane_symmetries(spec.num_players)
    draw = random.Random(str(options))
    seed = draw.getrandbits(32)
    state, images = GameState(spec, seed), [GameState(spec, seed) for _ in range(4)]
    while True:
        for g, image in enumerate(images):
            mask = np.zeros_like(state.mask)
            mask[actions[g]] = state.mask
            assert (image.mask == mask).all()
            for seat in range(spec.num_players):
                seen = state.observation(seat)
                expected = seen.copy()
                expected[plane[g][:, None], cells[g]] = seen[:planes]
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
