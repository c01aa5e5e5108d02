"""Can a seat see what it may not know?"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from starboard.render import picture
from starboard.spec import GameSpec
from starboard.state import packed
from starboard.testing.walk import Walk, call, legal_list, legal_mask, observe, returns, walk


@dataclass(frozen=True)
class Resampled:
    """What :func:`check_leaks` tried."""

    tried: int
    """Resamplings."""
    changed: int
    """Those after which another seat saw something else: 0 where nothing is hidden."""


def check_leaks(spec: GameSpec, seed: int = 0, games: int = 5, resamples: int = 2) -> Resampled:
    """Deal anew what a seat cannot see, for every seat in every position of ``games`` random games.

    * The seat's observation and its mask stay the same, byte for byte; so do whose turn it is and the returns.
    * So does the seat's text, and in some of the positions its drawing.
    * Chance has another future: the generator's state changes, and depends on the seed given.
    * The same seed deals the same.
    * A game can be played on from there to its end, by the rules.

    For a game with hidden information, also assert that ``changed`` is not 0: a ``resample`` that does nothing leaks
    nothing.

    :raises AssertionError: with the game, the position and the seat.
    """
    draw = random.Random(seed)
    tried = changed = 0
    for game in walk(spec, seed, games):
        for player in range(spec.num_players):
            for _ in range(resamples):
                tried += 1
                changed += _check(game, player, draw)
    return Resampled(tried, changed)


def _check(game: Walk, player: int, draw: random.Random) -> bool:
    """Resample once for ``player``; return whether another seat sees a difference."""
    spec, state = game.spec, game.state
    seed = np.uint64(draw.getrandbits(64))
    twin, again, other = state.records.copy(), state.records.copy(), state.records.copy()
    call(spec, "resample", twin, player, seed)
    call(spec, "resample", again, player, seed)
    call(spec, "resample", other, player, seed ^ np.uint64(1))
    if packed(twin).tobytes() != packed(again).tobytes():
        raise game.error(f"resample for seat {player} deals differently with the same seed")
    if len({int(records["rng"][0]) for records in (state.records, twin, other)}) < 3:
        raise game.error(f"resample for seat {player} leaves the generator's state, or does not make it from the seed")
    for name in ("to_move", "ply", "terminated", "truncated"):
        if twin[name] != state.records[name]:
            raise game.error(f"resample for seat {player} changes {name} to {twin[name][0]}")
    if returns(spec, twin).tolist() != returns(spec, state.records).tolist():
        raise game.error(f"resample for seat {player} changes the returns to {returns(spec, twin).tolist()}")
    seen, now = state.observation(player), observe(spec, twin, player)
    if now.tobytes() != seen.tobytes():
        where = tuple(np.argwhere(now != seen)[0].tolist())
        raise game.error(
            f"seat {player} sees what it may not: after a resample {now[where]}, not {seen[where]}, at {where}"
        )
    if player == state.to_move:
        mask, _ = legal_mask(spec, twin)
        if mask.tobytes() != state.mask.tobytes():
            wrong = np.flatnonzero(mask != state.mask)
            raise game.error(
                f"the mask tells seat {player} what it may not know: it changes at actions {wrong[:10].tolist()}"
            )
    if draw.random() < 0.1:
        _play_on(game, player, twin.copy(), draw)
    shown, text = spec.text(state.record, player), spec.text(twin[0], player)
    if text != shown:
        raise game.error(f"the text for seat {player} shows what it may not see; after a resample it is\n{text}")
    if draw.random() < 0.1 and picture.draw(spec, twin[0], player) != state.svg(player):
        raise game.error(f"the drawing for seat {player} shows what it may not see")
    others = [seat for seat in range(spec.num_players) if seat != player]
    return any(observe(spec, twin, seat).tobytes() != state.observation(seat).tobytes() for seat in others)


def _play_on(game: Walk, player: int, records: np.ndarray, draw: random.Random) -> None:
    spec = game.spec
    s = records[0]
    for _ in range(spec.max_plies - len(game.actions)):
        if s["terminated"] or s["truncated"]:
            break
        moves = legal_list(spec, records)
        mask, _ = legal_mask(spec, records)
        if not moves or sorted(moves) != np.flatnonzero(mask).tolist():
            raise game.error(
                f"resampled for seat {player} and played on, mask and list differ or are empty at ply {s['ply']}"
            )
        call(spec, "step", records, draw.choice(moves))
    if not (s["terminated"] or s["truncated"]):
        raise game.error(
            f"resampled for seat {player} and played on, it is not over after max_plies = {spec.max_plies}"
        )
    values = returns(spec, records)
    if not (np.abs(values) <= 1).all() or (spec.zero_sum and abs(values.sum()) > 1e-9):
        raise game.error(f"resampled for seat {player} and played on, it ends with returns {values.tolist()}")
