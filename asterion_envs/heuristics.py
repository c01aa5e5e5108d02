"""What a position of Asterion looks to be worth, without search."""

from __future__ import annotations

import numpy as np

from asterion_envs.kernels import lane, tally
from starboard.jit import jit

COINLESS = 0.1
"""What an escape without a coin is worth, in points: it breaks ties (AN-4.4)."""


@jit
def evaluate(p, s, player):
    """The lead of ``player`` over the best of the others in points, if the game ended now (AN-4.2, AN-4.3).

    All of it lies open on the table. Played greedily one ply ahead, this impales opponents, joins own prisoners to
    coins and shuts others in, and says nothing about the cards to come.
    """
    own, best = 0.0, -np.inf
    coins, coinless, _, _ = tally(p, s)
    for seat in range(np.int64(p["players"])):
        worth = s["points"][seat] + lane(coins, seat) + COINLESS * lane(coinless, seat)
        if seat == player:
            own = worth
        else:
            best = max(best, worth)
    return own - best


@jit
def context(p, s):
    """The card in the mover's hand (AN-3.1): an action says only where it comes to lie."""
    return np.int64(s["hand"][s["to_move"]])
