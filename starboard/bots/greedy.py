"""One ply ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from starboard import dispatch
from starboard.bots.record import RecordBot
from starboard.foresight import value_after
from starboard.jit import jit
from starboard.rng import fold, mix, next_uint64
from starboard.spec import GameSpec
from starboard.state import as_seed


@jit
def choose_greedily(P, S, games, seed, call, scratch, moves, returns, actions):  # type: ignore[no-untyped-def]
    """For each game the legal action after which the mover stands best, ties broken at random.

    ``scratch``: two records; ``moves``: int16[max_legal]; ``returns``: float64[num_players].
    """
    p = P[0]
    for j in range(len(games)):
        player: Any = np.int64(S[games[j]]["to_move"])
        scratch[0] = S[games[j]]
        dispatch.resample(p, scratch[0], player, mix(seed, call, j))  # no look at what the player cannot see
        n = dispatch.legal_list(p, scratch[0], moves)
        best, ties = -np.inf, 0
        actions[j] = -1
        for k in range(n):
            value = value_after(p, scratch, np.int64(moves[k]), player, returns)
            if value > best:
                best, ties = value, 0
            if value == best:  # the t-th of t equals takes the place with probability 1 / t
                ties += 1
                if fold(next_uint64(scratch[0]), ties) == 0:
                    actions[j] = moves[k]


class GreedyBot(RecordBot):
    """Plays the action after which the game's heuristic (``heuristics.py``) is highest, a won game above all.

    :param seed: breaks ties; whole number in ``0 .. 2**64 - 1``, None draws one.
    """

    def __init__(self, spec: GameSpec, seed: int | None = None) -> None:
        super().__init__(spec)
        self._seed = as_seed(seed)
        self.calls = 0
        """How often it was asked: with the seed, all that its next random numbers depend on."""
        self._scratch = np.zeros(2, spec.state_dtype)
        self._moves = np.empty(spec.max_legal, np.int16)
        self._returns = np.empty(spec.num_players)

    def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for the seat to move in each of ``records[games]``.

        :raises ValueError: if one of them is over.
        """
        actions = np.empty(len(games), np.int64)
        choose_greedily(
            self.spec.params,
            records,
            games,
            self._seed,
            self.calls,
            self._scratch,
            self._moves,
            self._returns,
            actions,
        )
        self.calls += 1
        if actions.min(initial=0) < 0:
            raise ValueError(f"games: in game {games[actions.argmin()]} no action is legal; it is over")
        return actions
