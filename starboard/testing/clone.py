"""Do copies have everything, and nothing in common with the original?"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from starboard.aec import MASK_IN, BoardGameEnv, wrapped
from starboard.batch import Batch
from starboard.spec import GameSpec
from starboard.state import GameState
from starboard.testing.trace import Trace, first_difference, plain, play_env, play_state

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda thing: thing.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}


def check_clones(spec: GameSpec, seed: int = 0, games: int = 2) -> None:
    """Copy games, environments and batches in every way there is, at the start, in the middle and at the end.

    Whatever is done with a copy, the original stays as it was; and played on with the same actions, all go on alike:
    chance, rewards, the next episodes and all.

    :raises AssertionError: naming the thing, the way of copying and the moment.
    """
    draw = random.Random(seed)
    for _ in range(games):
        _check_states(spec, draw)
        for mask_in in MASK_IN:
            _check_envs(spec, mask_in, draw)
        _check_batches(spec, draw)


def _compare(what: str, original: Any, copies: dict[str, Any], play: Callable[[Any], Trace]) -> None:
    """Play all copies, then the original."""
    saved = original.to_bytes()
    traces = {}
    for way, twin in copies.items():
        if twin is original:
            raise AssertionError(f"{what}: {way} gives the same object")
        if twin.to_bytes() != saved:
            raise AssertionError(f"{what}: {way} has other bytes than the original")
        traces[way] = play(twin)
        if original.to_bytes() != saved:
            raise AssertionError(f"{what}: playing on in the copy by {way} changed the original")
    expected = play(original)
    for way, trace in traces.items():
        difference = first_difference(expected, trace)
        if difference:
            raise AssertionError(f"{what}: the copy by {way} goes on differently from the original: {difference}")


def _check_states(spec: GameSpec, draw: random.Random) -> None:
    state = GameState(spec, draw.getrandbits(64))
    length = len(play_state(state.clone(), 0)) - 1
    moments = {0, length, draw.randrange(length)}
    seed = draw.getrandbits(32)
    for ply in range(length + 1):
        if ply in moments:
            original = state.clone()
            copies = {way: make(original) for way, make in COPIES.items()}
            copies["bytes"] = GameState.from_bytes(spec, original.to_bytes())
            _compare(f"GameState of {spec!r} at ply {ply}", original, copies, lambda game: play_state(game, seed))
        if not state.over:
            state.step(draw.choice(state.legal_actions()))
        if state.over:
            length = ply + 1  # this game may be shorter or longer than the one that was tried first
            moments.add(length)
            break
    if not state.over:
        play_state(state, 0)
    copies = {way: make(state) for way, make in COPIES.items()}
    copies["bytes"] = GameState.from_bytes(spec, state.to_bytes())
    _compare(f"GameState of {spec!r} at the end", state, copies, lambda game: play_state(game, seed))


def _from_bytes(spec: GameSpec, mask_in: str, data: bytes) -> BoardGameEnv:
    """An environment in the middle of something else that is given ``data``."""
    env = BoardGameEnv(spec, mask_in=mask_in)
    env.reset(seed=1)
    play_env(env, 1, plies=3)
    env.from_bytes(data)
    return env


def _check_envs(spec: GameSpec, mask_in: str, draw: random.Random) -> None:
    seed, choices = draw.getrandbits(32), draw.getrandbits(32)

    def play(env: Any) -> Trace:
        trace = play_env(env, seed)
        for _ in range(2):  # the next episodes too
            env.reset()
            trace += play_env(env, seed)
        env.reset()
        return trace

    env = BoardGameEnv(spec, mask_in=mask_in)
    env.reset(seed=seed)
    steps = len(play_env(env, choices))
    moments = {0, 1, draw.randrange(steps), steps - spec.num_players, steps - 1, steps}
    for moment in sorted(moments):  # the last ones: all agents there, one of them, none
        env = BoardGameEnv(spec, mask_in=mask_in)
        env.reset(seed=seed)
        play_env(env, choices, plies=moment)
        copies = {way: make(env) for way, make in COPIES.items()}
        copies["bytes"] = _from_bytes(spec, mask_in, env.to_bytes())
        outer = wrapped(env)
        copies["deepcopy of the wrapped environment"] = copy.deepcopy(outer).unwrapped
        copies["pickle of the wrapped environment"] = pickle.loads(pickle.dumps(outer)).unwrapped
        what = f"BoardGameEnv of {spec!r} with mask_in={mask_in!r} after {moment} of {steps} steps"
        _compare(what, env, copies, play)


def _check_batches(spec: GameSpec, draw: random.Random) -> None:
    def play(batch: Batch) -> Trace:
        now = batch.look()
        trace: Trace = []
        for _ in range(50):
            now = batch.step(batch.sample(now.action_masks))
            trace.append(tuple(plain(array) for array in now))
        now = batch.reset()
        trace.append(tuple(plain(array) for array in now))
        return trace

    for plies in (0, draw.randrange(1, 60)):
        batch = Batch(spec, 3, seed=draw.getrandbits(64))
        now = batch.reset()
        for _ in range(plies):
            now = batch.step(batch.sample(now.action_masks))
        before = [np.array(array) for array in now]
        copies = {way: make(batch) for way, make in COPIES.items()}
        copies["bytes"] = Batch.from_bytes(spec, batch.to_bytes())
        _compare(f"Batch of {spec!r} after {plies} plies", batch, copies, play)
        if any((old != array).any() for old, array in zip(before, now, strict=True)):
            raise AssertionError(f"Batch of {spec!r}: an array that was returned before was written again")
