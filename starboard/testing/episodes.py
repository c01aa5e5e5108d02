"""Does an environment forget the last game, however it ended?"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from itertools import product

import numpy as np

from starboard.aec import ILLEGAL, MASK_IN, BoardGameEnv
from starboard.spec import GameSpec
from starboard.testing.trace import first_difference, mask_of, play_env


def _to_illegal(env: BoardGameEnv, seed: int) -> int | None:
    """Play until an action is illegal; return it, or None where the game ends before."""
    for plies in range(env.spec.max_plies):
        if not env.agents or env.game.over:
            return None
        illegal = np.flatnonzero(mask_of(env) == 0).tolist()
        if illegal and plies >= 2:
            return random.Random(seed).choice(illegal)
        play_env(env, seed + plies, plies=1)
    return None


def _illegal(env: BoardGameEnv, seed: int) -> None:
    action = _to_illegal(env, seed)
    if action is None:
        return
    if env.illegal == "terminate":
        env.step(action)
        return
    with suppress(ValueError):
        env.step(action)
        raise AssertionError(f"{env.spec!r}: illegal action {action} raised nothing with illegal='raise'")


def _refused(env: BoardGameEnv, seed: int) -> None:
    """Actions that are none: refused with an error, the game goes on."""
    play_env(env, seed, plies=3)
    for action in (env.spec.num_actions, -1, 0.0, "0", True, None):
        if env.game.over:
            return
        with suppress(TypeError, ValueError):
            env.step(action)
            raise AssertionError(f"{env.spec!r}: action {action!r} raised nothing")


def _to_the_end(env: BoardGameEnv, seed: int) -> None:
    while not env.game.over:
        play_env(env, seed, plies=1)
        seed += 1


def _one_step(env: BoardGameEnv, seed: int) -> None:
    play_env(env, seed, plies=1)


def _five_steps(env: BoardGameEnv, seed: int) -> None:
    play_env(env, seed, plies=5)


def _all_steps(env: BoardGameEnv, seed: int) -> None:
    play_env(env, seed)


Part = Callable[[BoardGameEnv, int], None]

ENDINGS: dict[str, tuple[Part, ...]] = {
    "nothing was played": (),
    "broken off after a few plies": (_five_steps,),
    "played to the end": (_all_steps,),
    "over, but no agent was stepped out": (_to_the_end,),
    "over, one agent was stepped out": (_to_the_end, _one_step),
    "an illegal move, agents not stepped out": (_illegal,),
    "an illegal move, one agent stepped out": (_illegal, _one_step),
    "an illegal move, then to the end": (_illegal, _all_steps),
    "refused actions": (_refused,),
}
"""Ways to leave an episode: what is done, one after the other, with an environment that was reset."""


def check_episodes(spec: GameSpec, seed: int = 0, games: int = 1) -> None:
    """After every kind of ending, and for both ways to treat illegal moves, play a second episode.

    It must be the one that a new environment plays: after ``reset(seed=...)`` the same as there, after ``reset()`` the
    second of the same series.

    :raises AssertionError: naming the ending and where the episodes part.
    """
    draw = random.Random(seed)
    with redirect_stdout(StringIO()):  # PettingZoo prints a warning at each illegal move
        for _ in range(games):
            for illegal, mask_in, (name, ending) in product(ILLEGAL, MASK_IN, ENDINGS.items()):
                _check(spec, illegal, mask_in, name, ending, draw.getrandbits(32))


def _check(spec: GameSpec, illegal: str, mask_in: str, name: str, ending: tuple[Part, ...], seed: int) -> None:
    def new() -> BoardGameEnv:
        return BoardGameEnv(spec, illegal=illegal, mask_in=mask_in)

    for second in (seed + 1, None):
        fresh = new()
        if second is None:
            fresh.reset(seed=seed)
        fresh.reset(seed=second)
        expected = play_env(fresh, seed)
        env = new()
        env.reset(seed=seed)
        for part in ending:
            part(env, seed)
        env.reset(seed=second, options={"unknown": True})
        difference = first_difference(expected, play_env(env, seed))
        if difference:
            raise AssertionError(
                f"{spec!r} with illegal={illegal!r}, mask_in={mask_in!r}: after an episode that ended thus: {name}, "
                f"reset(seed={second}) gives another than in a new environment: {difference}"
            )
