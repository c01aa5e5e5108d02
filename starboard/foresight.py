"""A short look ahead: what the game's heuristic says after each legal action, or after the replies to it.

The greedy bot plays the best of these values; networks can take them as a second input, beside the observation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from starboard import dispatch
from starboard.jit import jit
from starboard.spec import GameSpec
from starboard.threads import cores, share_out

DECIDED = 1e6
"""More than any heuristic says: a return of 1 at the end of a game."""
MOST = 127
"""The greatest entry of a foresight; the least is its negative."""
_TOGETHER = 8  # games that one thread looks ahead in before it takes the next ones


@jit
def standing(p, s, player, returns):  # type: ignore[no-untyped-def]
    """How ``player`` stands in ``s``: what the heuristic says, or at the end the return, which counts far more.

    ``returns``: float64[num_players], scratch.
    """
    if s["terminated"]:
        dispatch.returns(p, s, returns)
        return returns[player] * DECIDED
    return dispatch.evaluate(p, s, player)


@jit
def value_after(p, scratch, action, player, returns):  # type: ignore[no-untyped-def]
    """What ``player`` stands at once ``action`` is played in ``scratch[0]``.

    ``scratch``: two records, of which the second is overwritten; ``returns``: float64[num_players].
    """
    scratch[1] = scratch[0]
    dispatch.step(p, scratch[1], action)
    return standing(p, scratch[1], player, returns)


@jit
def reply(p, scratch, moves, returns):  # type: ignore[no-untyped-def]
    """Play in ``scratch[0]`` what looks best to its mover one ply ahead; arguments as :func:`value_after` has them.

    ``moves``: int16[max_legal].
    """
    s: Any = scratch[0]
    player: Any = np.int64(s["to_move"])
    n = dispatch.legal_list(p, s, moves)
    best, chosen = -np.inf, np.int64(moves[0])
    for k in range(n):
        action = np.int64(moves[k])
        value = value_after(p, scratch, action, player, returns) if n > 1 else 0.0
        if value > best or (value == best and action < chosen):  # whatever order the position lists them in
            best, chosen = value, action
    dispatch.step(p, s, chosen)


@jit
def foresee(P, S, games, plies, deals, scale, scratch, moves, replies, returns, shares, out):  # type: ignore[no-untyped-def]
    """Write to ``out[j]``, int8[num_actions], what each action brings the seat to move in game ``games[j]``.

    ``scratch``: three records; ``moves`` and ``replies``: int16[max_legal]; ``returns``: float64[num_players];
    ``shares``: float64[num_actions].
    """
    p = P[0]
    start: Any = scratch[0:2]
    after: Any = scratch[1:3]
    for j in range(len(games)):
        shares[:] = 0.0
        player: Any = np.int64(S[games[j]]["to_move"])
        for deal in range(deals):
            start[0] = S[games[j]]
            dispatch.resample(p, start[0], player, np.uint64(deal))  # no look at what the player cannot see
            before = dispatch.evaluate(p, start[0], player)
            n = dispatch.legal_list(p, start[0], moves)
            for k in range(n):
                action = np.int64(moves[k])
                value = value_after(p, start, action, player, returns)
                s: Any = after[0]
                for _ in range(1, plies):
                    if not s["terminated"] and not s["truncated"]:
                        reply(p, after, replies, returns)
                        value = standing(p, s, player, returns)
                shares[action] += min(1.0, max(-1.0, (value - before) / scale)) / deals
        row = out[j]
        for a in range(len(row)):  # the root, so that small differences can be told apart, too
            row[a] = np.int64(np.round(MOST * np.sqrt(abs(shares[a])) * np.sign(shares[a])))


class Foresight:
    """Looks ahead in many games at once, as far as the seat to move may know: ``spec.foresight`` plies, at least one.

    The plies after the action are those that look best to their movers one ply ahead. What is hidden is dealt anew
    before, ``spec.foresight_deals`` times, always by the same seeds, so the same knowledge always gives the same
    foresight, on any number of threads; there is one for each core. (Positions read back from
    observations may take one for another of two cards that look alike, and then guess otherwise.)
    """

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec

    def __call__(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int8 (N, num_actions), for the seat to move in each of ``records[games]``: how its standing changes.

        127 times the square root of the change of the heuristic, as a share of ``spec.heuristic_scale``, with its sign,
        averaged over the deals; at most 127 either way, as where a game is won or lost at once. 0 for illegal actions.
        """
        spec = self.spec
        out = np.empty((len(games), spec.num_actions), np.int8)

        def look(rows: slice) -> None:
            foresee(
                spec.params,
                records,
                games[rows],
                max(1, spec.foresight),
                spec.foresight_deals,
                float(spec.heuristic_scale),
                np.zeros(3, spec.state_dtype),
                np.empty(spec.max_legal, np.int16),
                np.empty(spec.max_legal, np.int16),
                np.empty(spec.num_players),
                np.empty(spec.num_actions),
                out[rows],
            )

        share_out(look, [slice(i, i + _TOGETHER) for i in range(0, len(games), _TOGETHER)], cores())
        return out
