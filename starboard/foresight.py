"""One ply of look-ahead: what the game's heuristic says after each legal action.

The greedy bot plays the best of these values; networks can take them as a second input, beside the observation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from starboard import dispatch
from starboard.jit import jit
from starboard.spec import GameSpec

DECIDED = 1e6
"""More than any heuristic says: a return of 1 at the end of a game."""
MOST = 127
"""The greatest entry of a foresight; the least is its negative."""


@jit
def value_after(p, scratch, action, player, returns):  # type: ignore[no-untyped-def]
    """What ``player`` stands at once ``action`` is played in ``scratch[0]``.

    ``scratch``: two records, of which the second is overwritten; ``returns``: float64[num_players].
    """
    scratch[1] = scratch[0]
    s = scratch[1]
    dispatch.step(p, s, action)
    if s["terminated"]:
        dispatch.returns(p, s, returns)
        return returns[player] * DECIDED
    return dispatch.evaluate(p, s, player)


@jit
def foresee(P, S, games, scale, scratch, moves, returns, out):  # type: ignore[no-untyped-def]
    """Write to ``out[j]``, int8[num_actions], what each action brings the seat to move in game ``games[j]``.

    ``moves``: int16[max_legal]; the others as :func:`value_after` has them.
    """
    p = P[0]
    for j in range(len(games)):
        row = out[j]
        for a in range(len(row)):
            row[a] = 0
        s: Any = S[games[j]]
        player: Any = np.int64(s["to_move"])
        scratch[0] = s
        dispatch.resample(p, scratch[0], player, np.uint64(0))  # no look at what the player cannot see
        before = dispatch.evaluate(p, scratch[0], player)
        n = dispatch.legal_list(p, scratch[0], moves)
        for k in range(n):
            action = np.int64(moves[k])
            share = (value_after(p, scratch, action, player, returns) - before) / scale
            size = np.sqrt(min(1.0, abs(share)))  # so that small differences can be told apart, too
            row[action] = np.int64(np.round(MOST * size * np.sign(share)))


class Foresight:
    """Looks one ply ahead in many games at once, as far as the seat to move may know.

    What is hidden is dealt anew before, always by the same seed, so the same knowledge always gives the same foresight.
    """

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self._scratch = np.zeros(2, spec.state_dtype)
        self._moves = np.empty(spec.max_legal, np.int16)
        self._returns = np.empty(spec.num_players)

    def __call__(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int8 (N, num_actions), for the seat to move in each of ``records[games]``: how its standing changes.

        127 times the square root of the change of the heuristic, as a share of ``spec.heuristic_scale``, with its sign,
        at most 127 either way, which a game that is won or lost by the action always has; 0 for illegal actions.
        """
        out = np.empty((len(games), self.spec.num_actions), np.int8)
        scale = float(self.spec.heuristic_scale)
        foresee(self.spec.params, records, games, scale, self._scratch, self._moves, self._returns, out)
        return out
