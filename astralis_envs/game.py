"""Astralis as `starboard` knows it: options, static facts, and how to read an observation back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from astralis_envs import drawing, heuristics, kernels, notation, picture
from astralis_envs.state import (
    COUNTERS,
    DELTA,
    MAX_SIZE,
    MIN_SIZE,
    NOWHERE,
    PLANES,
    SETUPS,
    STATE,
    coordinates,
    make_params,
    neighbours,
)
from starboard import dispatch
from starboard.spec import Game, GameSpec, Option, Search, check_observation

dispatch.register(
    STATE,
    {name: getattr(heuristics if name == "evaluate" else kernels, name) for name in dispatch.CONTRACT},
)

OPTIONS = (
    Option("size", 8, "cells along an edge of the board (AL-1.1)", low=MIN_SIZE, high=MAX_SIZE),
    Option("stones", 30, "stones of each player (AL-1.2)", low=0, high=100),
    Option("komi", 3.5, "points the second player adds (AL-5.2)", low=-60.0, high=60.0, step=0.5),
    Option("stall_limit", 60, "turns in a row without a new stone that end the game (AL-5.3)", low=1, high=120),
    Option("setup", "choose", "who puts the ships where (AL-2)", choices=SETUPS),
    Option("bonus_stones", False, "fill surrounded hexes at once (AL-4.4)"),
)


def build(options: Mapping[str, Any]) -> GameSpec:
    """The spec for a full set of checked options."""
    params = make_params(**options)
    p = params[0]
    size, cells = options["size"], int(p["cells"])
    high = _observation_high(cells, options)
    most_stones = min(2 * options["stones"], (cells + 2) // 3)  # no two are next to each other (AL-4.1)
    return GameSpec(
        name="astralis",
        version=0,
        options=options,
        num_players=2,
        params=params,
        state_dtype=STATE,
        num_actions=cells * 7 + 1,
        max_legal=6 * (size - 1) * 7 + 1,  # all of six full rays; the last store of eight fits
        observation_high=high,
        max_plies=2 + options["stall_limit"] * (most_stones + 1),
        describe_action=lambda record, action: notation.describe_action(size, action),
        parse_action=lambda record, text: notation.parse_action(size, text),
        final_info=lambda record: {"scores": scores(p, record)},
        text=lambda record, viewer: drawing.text(p, record),
        svg=lambda record, viewer, theme: picture.svg(p, record, theme),
        decode=lambda observation: decode(params, high, observation),
        grid=_grid(size),
        grid_planes=len(PLANES) - 1,
        search=Search(scale=60.0),
        zero_sum=True,
        heuristic_scale=float(cells),
        action_parts=_action_parts(size),
        parts_per_cell=8,
    )


def scores(p: Any, s: Any) -> list[float]:
    """Each player's score (AL-5.2): control tiles, komi added to the second player's."""
    return [float(s["control"][0]), float(s["control"][1] + p["komi2"] / 2)]


def _observation_high(cells: int, options: Mapping[str, Any]) -> np.ndarray:
    """The greatest value of each entry of an observation."""
    high = np.ones((len(PLANES), cells), np.int8)
    komi2, stones, stall = abs(round(2 * options["komi"])), options["stones"], options["stall_limit"]
    high[-1, : len(COUNTERS)] = np.maximum(1, [1, 1, 1, stones, stones, stall, stall, komi2, komi2, 1, 1])
    high.flags.writeable = False
    return high


def _grid(size: int) -> np.ndarray:
    """(cells, 2): row and column of each cell; the six neighbours are among the eight on the rectangle."""
    return np.array([(r + size - 1, q + size - 1) for q, r in coordinates(size)], np.int32)


def _action_parts(size: int) -> np.ndarray:
    """(actions, 2): where the ship goes with which k, 7 parts a cell, and where the stone goes, the eighth."""
    around = neighbours(size)
    cells = len(around)
    nothing, passing = 8 * cells, 8 * cells + 1
    ship = np.arange(cells)[:, None] + cells * np.arange(7)[None, :]
    stone = np.where(around < cells, 7 * cells + around, nothing)
    stone = np.concatenate([np.full((cells, 1), nothing), stone], axis=1)
    moves = np.stack([ship.reshape(-1), stone.reshape(-1)], axis=1)
    return np.concatenate([moves, [[passing, nothing]]]).astype(np.int32)


def decode(params: np.ndarray, high: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """The position that ``observation`` shows, as a STATE array of shape (1,).

    What an observation does not tell is left at its start: ``ply``, ``last``, ``rng``, and ``to_move`` after the end.

    :raises ValueError: if ``observation`` is not within the bounds of a game with these options. Whether the position
        could come about is not looked at.
    """
    observation = check_observation(observation, high)
    p = params[0]
    cells = int(p["cells"])
    place = p["place"][:cells].astype(np.int64)
    records = np.zeros(1, STATE)
    s = records[0]
    _, observer_moves, seat, own_left, other_left, stall, *_, over = observation[-1, : len(COUNTERS)].tolist()
    seats = [0, 1] if seat == 0 else [1, 0]
    by_player = [observation[2 * plane + side] for plane in range(2) for side in seats]
    s["planes"][: 5 * cells] = np.concatenate([*by_player, observation[4]])
    s["tile"], s["code"] = p["tile"], p["code"]
    s["tile"][place] = by_player[2] + 2 * by_player[3] + 3 * observation[4]
    unexplored = s["tile"] == 0
    s["code"][place] = sum(unexplored[place + delta].astype(np.uint8) << d for d, delta in enumerate(DELTA))
    for player, side in enumerate(seats):
        s["code"][place[by_player[player] == 1]] |= np.uint8(64 << player)
        ship = np.flatnonzero(observation[5 + side])
        s["ship"][player] = place[ship[0]] if len(ship) else NOWHERE
        s["control"][player] = by_player[2 + player].sum()
        s["stones_left"][player] = (own_left, other_left)[side]
    s["unexplored"] = unexplored.sum()
    s["stall"], s["terminated"], s["last"] = stall, over, -1
    s["to_move"] = 0 if over else seat if observer_moves else 1 - seat
    return records


GAME = Game("astralis", 0, "Two ships, planets and control of a hexagonal space; nothing hidden", OPTIONS, build)
