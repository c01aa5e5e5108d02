"""Random games to check, one position after the other, and what to say when one is wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from starboard import dispatch
from starboard.spec import GameSpec
from starboard.state import GameState

GUARD = 8
"""Entries behind each buffer that a kernel must leave alone: it has no bounds checks of its own."""


class Walk:
    """A game and how it came about."""

    def __init__(self, spec: GameSpec, seed: int) -> None:
        self.spec = spec
        self.seed = seed
        self.actions: list[int] = []
        self.state = GameState(spec, seed)

    def play(self, action: int) -> None:
        """Play a legal ``action``.

        :raises AssertionError: if the game should have been over by now.
        """
        self.actions.append(action)
        self.state.step_unchecked(action)
        if not self.state.over and len(self.actions) >= self.spec.max_plies:
            raise self.error(f"is not over after max_plies = {self.spec.max_plies} actions")

    def error(self, text: str) -> AssertionError:
        """``text``, with all that is needed to come here again."""
        last = self.actions[-20:]
        dots = "..., " if len(last) < len(self.actions) else ""
        return AssertionError(
            f"{self.spec!r}, seed {self.seed}, ply {len(self.actions)}: {text}\n"
            f"actions played: {dots}{', '.join(map(str, last)) or 'none'}\n{picture(self.state)}"
        )


def picture(state: GameState) -> str:
    """The position as text, or why there is none."""
    try:
        return str(state)
    except Exception as error:
        return f"(no picture: {error!r})"


def walk(spec: GameSpec, seed: int = 0, games: int = 1) -> Iterator[Walk]:
    """Play ``games`` uniformly random games; yield at each position, the first and the last of each game included.

    The same :class:`Walk` is yielded again and again within a game: look at it, do not change it.
    """
    draw = random.Random(f"{spec.id} {seed}")
    for _ in range(games):
        game = Walk(spec, draw.getrandbits(64))
        yield game
        while not game.state.over:
            legal = game.state.legal_actions()
            if not legal:
                raise game.error("no action is legal, and the game is not over")
            game.play(draw.choice(legal))
            yield game


def call(spec: GameSpec, kernel: str, records: np.ndarray, *args: Any) -> Any:
    """Run a kernel of the contract on the one record of ``records``."""
    return dispatch.kernel(spec.state_dtype, kernel)(spec.params[0], records[0], *args)


def filled(
    spec: GameSpec, kernel: str, records: np.ndarray, size: int, dtype: Any, *args: Any, fill: int = 99
) -> tuple[np.ndarray, Any]:
    """What ``kernel`` writes to a buffer of ``size`` that was full of ``fill``, and what it returns.

    :raises AssertionError: if it writes behind the buffer.
    """
    room = np.full(size + GUARD, fill, dtype)
    result = call(spec, kernel, records, *args, room[:size])
    if (room[size:] != fill).any():
        raise AssertionError(f"{spec!r}: {kernel} writes behind its buffer of {size} entries")
    return room[:size], result


def legal_list(spec: GameSpec, records: np.ndarray, fill: int = 99) -> list[int]:
    """The kernel's list of legal actions, in its own order."""
    moves, n = filled(spec, "legal_list", records, spec.max_legal, np.int16, fill=fill)
    if not 0 <= n <= spec.max_legal:
        raise AssertionError(f"{spec!r}: legal_list returns {n}, max_legal is {spec.max_legal}")
    return moves[:n].tolist()


def legal_mask(spec: GameSpec, records: np.ndarray, fill: int = 99) -> tuple[np.ndarray, int]:
    """The kernel's mask, int8 (num_actions,), and the count that it returns."""
    return filled(spec, "legal_mask", records, spec.num_actions, np.int8, fill=fill)


def observe(spec: GameSpec, records: np.ndarray, player: int, fill: int = 99) -> np.ndarray:
    """What the kernel shows to ``player``, int8 of the observation's shape."""
    out, _ = filled(spec, "observe", records, spec.observation_high.size, np.int8, player, fill=fill)
    return out.reshape(spec.observation_shape)


def returns(spec: GameSpec, records: np.ndarray) -> np.ndarray:
    """The kernel's returns, float64 (num_players,)."""
    return filled(spec, "returns", records, spec.num_players, np.float64)[0]
