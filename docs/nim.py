"""A whole game of one's own, as `concepts.md` explains: Nim.

Two players in turn take one to three matches from a pile. Who takes the last one wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from starboard import dispatch
from starboard.dispatch import HEADER
from starboard.jit import jit, source_hash
from starboard.rng import scramble
from starboard.spec import Game, GameSpec, Option

TAG = "nim_" + source_hash(__file__)  # changes with the rules, so that Numba's cache never plays old ones
STATE = np.dtype([(TAG, np.int8), *HEADER, ("pile", np.int16)], align=True)
PARAMS = np.dtype([(TAG, np.int8), ("pile", np.int16)], align=True)


@jit
def init(p, s, seed):
    s["to_move"], s["ply"], s["terminated"], s["truncated"] = 0, 0, False, False
    s["rng"] = scramble(np.uint64(seed))
    s["pile"] = p["pile"]


@jit
def step(p, s, action):
    s["pile"] -= action + 1
    s["ply"] += 1
    s["terminated"] = s["pile"] == 0
    s["to_move"] = 1 - s["to_move"]


@jit
def legal_mask(p, s, out):
    for action in range(3):
        out[action] = action < s["pile"]
    return min(3, np.int64(s["pile"]))


@jit
def legal_list(p, s, out):
    n = min(3, np.int64(s["pile"]))
    for action in range(n):
        out[action] = action
    return n


@jit
def observe(p, s, player, out):
    out[0] = s["pile"]
    out[1] = s["to_move"] == player
    out[2] = player


@jit
def returns(p, s, out):
    # The player to move after the end is the one who did not take last.
    for player in range(2):
        out[player] = 0.0 if not s["terminated"] else -1.0 if player == s["to_move"] else 1.0


@jit
def resample(p, s, player, seed):
    s["rng"] = scramble(np.uint64(seed))  # nothing is hidden but the future


@jit
def evaluate(p, s, player):
    """Who must move with a pile that is a multiple of four loses against good play."""
    lost = s["pile"] % 4 == 0
    return 1.0 if lost != (s["to_move"] == player) else -1.0


dispatch.register(STATE, {name: globals()[name] for name in dispatch.CONTRACT})


def parse(text: str) -> int:
    """The action that ``text``, such as ``take 2``, names."""
    word, _, number = text.partition(" ")
    if word != "take" or number not in ("1", "2", "3"):
        raise ValueError(f"{text!r}: a move is take 1, take 2 or take 3")
    return int(number) - 1


def decode(observation: np.ndarray) -> np.ndarray:
    """The state that an observation shows."""
    pile, my_turn, me = observation.tolist()
    records = np.zeros(1, STATE)
    records["pile"], records["terminated"] = pile, pile == 0
    records["to_move"] = me if my_turn else 1 - me
    return records


def build(options: Mapping[str, Any]) -> GameSpec:
    """The spec for a full set of checked options."""
    params = np.zeros(1, PARAMS)
    params["pile"] = options["pile"]
    params.flags.writeable = False
    high = np.array([options["pile"], 1, 1], np.int8)
    high.flags.writeable = False

    return GameSpec(
        name="nim",
        version=0,
        options=options,
        num_players=2,
        params=params,
        state_dtype=STATE,
        num_actions=3,
        max_legal=3,
        observation_high=high,
        max_plies=options["pile"],
        describe_action=lambda record, action: f"take {action + 1}",
        parse_action=lambda record, text: parse(text),
        final_info=lambda record: {},
        text=lambda record, viewer: "*" * int(record["pile"]) or "(empty)",  # the same for all: nothing is hidden
        decode=decode,
    )


OPTIONS = (Option("pile", 15, "matches at the start", low=1, high=100),)
GAME = Game("nim", 0, "Take one to three; who takes the last one wins", OPTIONS, build)
