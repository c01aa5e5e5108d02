"""The record of a game: every kept value from the stones and ships alone, observations read back, and drawings."""

from __future__ import annotations

import numpy as np
import pytest

import starboard
from astralis_envs.drawing import text
from astralis_envs.state import MAX_CELLS, NOWHERE, PLACES, PLANES, coordinates
from starboard.state import GameState
from starboard.testing import check_decoded, check_stress, walk

OPTIONS = [
    {"size": 3},
    {"size": 3, "bonus_stones": True, "setup": "fixed"},
    {"size": 4, "setup": "random", "stones": 3},
    {"size": 5, "bonus_stones": True},
    {"size": 6, "stones": 0, "stall_limit": 7},
    {"size": 7, "bonus_stones": True, "setup": "random", "komi": -3.0},
    {"size": 8},
]


def recompute(spec):
    """``record -> fields``, from whose stone stands where, where the ships are, and ``to_move``; cell by cell."""
    cells = coordinates(spec.options["size"])
    place = {(q, r): (r + 8) * 16 + q + 7 for q, r in cells}  # the picture in the docstring of astralis_envs.state
    around = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

    def fields(record):
        stones = {}
        for cell in cells:
            owner = int(record["code"][place[cell]]) >> 6
            assert owner < 3
            if owner:
                stones[cell] = owner - 1
        tiles = {}
        for q, r in cells:
            near = {stones[other] for dq, dr in around if (other := (q + dq, r + dr)) in stones}
            if (q, r) in stones:
                tiles[q, r] = 1 << stones[q, r]
            else:  # AL-4.1, AL-4.2
                tiles[q, r] = sum(1 << owner for owner in near)
        code, tile = np.full(PLACES, 0b11000000), np.full(PLACES, 3)
        for (q, r), where in place.items():
            free = [tiles.get((q + dq, r + dr)) == 0 for dq, dr in around]
            code[where] = sum(1 << d for d in range(6) if free[d])
            if (q, r) in stones:
                code[where] |= 64 << stones[q, r]
            tile[where] = tiles[q, r]
        planes = np.zeros(5 * MAX_CELLS, int)
        for i, cell in enumerate(cells):
            for plane, true in enumerate(
                (
                    stones.get(cell) == 0,
                    stones.get(cell) == 1,
                    tiles[cell] == 1,
                    tiles[cell] == 2,
                    tiles[cell] == 3,
                )
            ):
                planes[plane * len(cells) + i] = true
        values = list(tiles.values())
        unexplored = values.count(0)
        stones_left = [spec.options["stones"] - list(stones.values()).count(player) for player in range(2)]
        return {
            "code": code,
            "tile": tile,
            "planes": planes,
            "unexplored": unexplored,
            "control": [values.count(1), values.count(2)],
            "stones_left": stones_left,
            "terminated": unexplored == 0 or record["stall"] >= spec.options["stall_limit"],
            "truncated": False,
            "to_move": record["ply"] % 2,
        }

    return fields


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_kept_values_are_those_computed_from_the_stones(options):
    spec = starboard.load("astralis", **options)
    few = options["size"] > 5
    assert check_stress(spec, recompute(spec), games=4 if few else 20, every=5 if few else 1) > 10


@pytest.mark.soak
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_kept_values_in_many_games(options):
    spec = starboard.load("astralis", **options)
    check_stress(spec, recompute(spec), seed=1, games=300, every=3)
    check_decoded(spec, seed=1, games=100)


def test_stones_are_never_next_to_each_other():
    """The facts at the end of the rules: so no stone cuts the board in two, and few fit."""
    for options in ({"size": 3, "bonus_stones": True}, {"size": 5}, {"size": 8, "stones": 100}):
        spec = starboard.load("astralis", **options)
        cells = coordinates(spec.options["size"])
        for game in walk(spec, 0, 3):
            if not game.state.over:
                continue
            seen = game.state.observation(0)
            stones = {cell for cell, own, other in zip(cells, seen[0], seen[1], strict=True) if own or other}
            assert all((q + dq, r + dr) not in stones for q, r in stones for dq, dr in ((1, 0), (0, 1), (1, -1)))
            assert len(stones) <= (len(cells) + 2) // 3


# Decoding.


def test_decode_gives_back_the_position():
    """All that matters of the record, for either seat: what is not shown is at its start."""
    for options in OPTIONS:
        spec = starboard.load("astralis", **options)
        for game in walk(spec, 1, 2):
            record = game.state.record
            for seat in range(2):
                decoded = spec.decode(game.state.observation(seat))[0]
                for name in ("ship", "stones_left", "stall", "unexplored", "control", "code", "tile", "planes"):
                    assert (decoded[name] == record[name]).all(), name
                assert decoded["terminated"] == record["terminated"]
                assert decoded["to_move"] == (0 if game.state.over else record["to_move"])
                assert (decoded["ply"], decoded["last"], decoded["rng"]) == (0, -1, 0)


def test_decode_refuses_what_is_no_observation():
    spec = starboard.load("astralis", size=4)
    good = GameState(spec, 0).observation(0)
    high, low = good.copy(), good.copy()
    high[0, 3] = 2
    low[2, 3] = -1
    for wrong in (good[:-1], good.reshape(-1), high, low, good[None], np.zeros((8, 61), np.int8), "x", None):
        with pytest.raises(ValueError, match=r"must be one of this game \(int8, shape \(8, 37\)"):
            spec.decode(wrong)
    assert spec.decode(good.tolist())["ship"].tolist() == [[NOWHERE, NOWHERE]]


def test_planes_of_the_observation():
    spec = starboard.load("astralis", size=4, komi=-2.5, stones=7, stall_limit=9, bonus_stones=True)
    high = spec.observation_high
    assert high.shape == (len(PLANES), 37)
    assert not high.flags.writeable
    assert (high[:-1] == 1).all()
    assert high[-1, :11].tolist() == [1, 1, 1, 7, 7, 9, 9, 5, 5, 1, 1]
    assert (high[-1, 11:] == 1).all()


# Drawing.


def test_a_drawing():
    spec = starboard.load("astralis", size=3, bonus_stones=True)
    state = GameState(spec, 0)
    for move in ("e2", "a2", "c2*d1", "a1", "c5*d4", "c3"):
        state.step(state.parse(move))
    assert str(state) == (
        "a     .   .   .\n"
        "b   .   .   .   .\n"
        "c a   a   .2  a   a1\n"
        "d   A   a   a   A\n"
        "e     a   A   a\n"
        "control 11 : 0, komi 3.5 for player 1\n"
        "stones left 27 : 30, stall 1 of 60\n"
        "player 0 (A, ship 1) to move, last c3"
    )
    record = state.records.tobytes()
    assert text(spec.params[0], state.record) == str(state)
    assert state.records.tobytes() == record


def test_drawings_of_every_size_and_of_the_end():
    for size in range(3, 9):
        spec = starboard.load("astralis", size=size)
        for game in walk(spec, size, 1):
            lines = str(game.state).splitlines()
            rows = lines[: 2 * size - 1]
            assert [row[0] for row in rows] == list("abcdefghijklmno"[: 2 * size - 1])
            assert [len(row[1:].replace("1", "").replace("2", "").split()) for row in rows] == [
                2 * size - 1 - abs(size - 1 - i) for i in range(2 * size - 1)
            ]
            ships = "".join(row[1:] for row in rows)
            assert (ships.count("1"), ships.count("2")) == tuple(
                int(place != NOWHERE) for place in game.state.record["ship"]
            )
            assert ("over" in lines[-1]) == game.state.over
        assert len(lines) == 2 * size + 2


def test_two_ships_on_one_drawing_of_a_stone():
    """AL-4.4: a ship can stand on an opposing stone; both are seen."""
    spec = starboard.load("astralis", size=3, bonus_stones=True)
    state = GameState(spec, 0)
    for move in ("e2", "a2", "d2*c3", "b2", "c2*c1", "a1", "a2*a3"):
        state.step(state.parse(move))
    assert str(state).splitlines()[0] == "a     A2  a1  A"
