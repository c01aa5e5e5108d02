"""What a position of Astralis looks to be worth, without search."""

from __future__ import annotations

from astralis_envs.kernels import margin2
from starboard.jit import jit


@jit
def evaluate(p, s, player):
    """Control tiles of ``player`` less the opponent's, komi included: the score as it stands (AL-5.2).

    Played greedily one ply ahead, this puts the stone that gains most tiles and takes most from the opponent, and says
    nothing about mobility or about where the next stones can go.
    """
    margin = margin2(p, s) / 2
    return margin if player == 0 else -margin
