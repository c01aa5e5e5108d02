"""How far a measured score can be trusted."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""A standard normal variable lies within -Z_95 .. Z_95 with probability 0.95."""


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 percent interval for the probability of winning, after ``wins`` wins in ``games`` independent games.

    Unlike the textbook's ``p +- 1.96 sqrt(p (1 - p) / n)`` it is sound near 0 and 1: 400 wins in 400 games do not prove
    that every game will be won. Count a draw as half a win: the interval is then wider than it need be, never narrower.

    >>> [round(bound, 4) for bound in wilson(400, 400)]
    [0.9905, 1.0]

    :raises ValueError: unless ``games`` is at least 1 and ``0 <= wins <= games``.
    """
    if games < 1:
        raise ValueError(f"games={games!r}: must be at least 1")
    if not 0 <= wins <= games:
        raise ValueError(f"wins={wins!r}: must be from 0 to the number of games, {games}")
    p, z2 = wins / games, Z_95**2
    centre = (p + z2 / (2 * games)) / (1 + z2 / games)
    half = Z_95 * sqrt(p * (1 - p) / games + z2 / (4 * games**2)) / (1 + z2 / games)
    return max(0.0, centre - half), min(1.0, centre + half)  # rounding may lead a hair's breadth beyond
