"""How strong players are, from who won what, and how far that can be trusted.

The model is Plackett and Luce's: of the players of a game each wins with a probability in proportion to its strength;
with two seats that is Bradley and Terry's, the one behind Elo's numbers. `choix` fits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from starboard.arena.intervals import Z_95

POINTS = 400 / log(10)
"""Points of rating for one unit of log strength: 400 points are odds of 10 to 1."""
RESAMPLES = 1000
"""From how many resamples intervals are made."""
_CLOSE = 1e-5  # change of log strengths at which a fit has settled: a thousandth of a point
_STEPS = 500
_LEAST = 1e-6  # weight of what a resample all but leaves out, so that no strength becomes 0


@dataclass(frozen=True)
class Wins:
    """Who won what. A row is one deal in one pairing: the same players in the same deal, with seats rotated."""

    members: np.ndarray
    """int64 (rows, seats): the players, as indices; a player may have several places."""
    deals: np.ndarray
    """int64 (rows,): number of the deal; rows of different pairings share deals."""
    shares: np.ndarray
    """float64 (rows, seats): how many of the games each place won; a win that is shared is shared out."""


@dataclass(frozen=True)
class Strengths:
    """Ratings of players, by their indices; NaN for those whom no games connect with the others."""

    ratings: np.ndarray
    """float64 (players,): in points, the anchor's or the mean of all 0."""
    low: np.ndarray
    """float64 (players,): lower ends of the 95 percent intervals."""
    high: np.ndarray
    """float64 (players,): their upper ends."""
    above: np.ndarray
    """float64 (players, players): share of the resamples in which the row's player rates above the column's."""


def rate(wins: Wins, num_players: int, anchor: int | None = None) -> Strengths:
    """Ratings with 95 percent intervals.

    Beside the games each pair that met counts as having drawn once, or less where players met more than one opponent:
    about one such game for each player. So ratings stay finite where somebody won or lost every game.

    Intervals come from a Bayesian bootstrap: in each resample every deal has a random weight, the same for all games of
    the deal, and the drawn games have, too. For two players whose games are independent it gives what Jeffreys' prior
    does, at 400 : 0 as well. The weights vary a little more where deals are few, as in Student's distribution. An
    interval is about a player's distance from the field: the mean of all players, each with the weight of what its
    games tell. So a player who always loses, and might be still weaker, does not blur the others.

    :param anchor: the player with rating 0; for None, and where it is not in the largest group of connected players,
        the mean of that group is 0.
    :raises ModuleNotFoundError: if choix is not installed.
    """
    met = np.zeros((num_players, num_players), np.bool_)
    for a in wins.members.T:
        for b in wins.members.T:
            met[a, b] = True
    np.fill_diagonal(met, False)
    group = _connected(met, anchor)
    place = np.full(num_players, -1)
    place[group] = np.arange(len(group))
    rows = place[wins.members[:, 0]] >= 0
    within = Wins(place[wins.members[rows]], wins.deals[rows], wins.shares[rows])
    log_strengths, resampled = _fit_all(within, met[np.ix_(group, group)])

    zero = log_strengths.mean() if anchor is None or place[anchor] < 0 else log_strengths[place[anchor]]
    ends = np.quantile(resampled, [0.025, 0.975], axis=0, method="weibull")  # the default's are too close together
    ratings, low, high = np.full((3, num_players), np.nan)
    for out, values in ((ratings, log_strengths), (low, ends[0]), (high, ends[1])):
        out[group] = POINTS * (values - zero)
    above = np.full((num_players, num_players), np.nan)
    above[np.ix_(group, group)] = (resampled[:, :, np.newaxis] > resampled[:, np.newaxis]).mean(axis=0)
    return Strengths(ratings, low, high, above)


def _connected(met: np.ndarray, anchor: int | None) -> np.ndarray:
    """The players, ascending, of the largest group in which all met each other, be it through others.

    Of groups as large as each other, the anchor's, or else the one with the first player.
    """
    reached = met | np.eye(len(met), dtype=np.bool_)
    for _ in range(len(met).bit_length()):  # each time twice as far
        reached = reached @ reached
    sizes = reached.sum(axis=1)
    first = sizes.argmax() if anchor is None or sizes[anchor] < sizes.max() else anchor
    return np.flatnonzero(reached[first])


def _fit_all(wins: Wins, met: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log strengths (players,), and those of each resample (RESAMPLES, players), shifted to the same field."""
    from scipy.special import stdtrit  # comes with choix

    members, row_group = np.unique(wins.members, axis=0, return_inverse=True)
    row_group = row_group.reshape(-1)  # some releases of NumPy return a column
    deals, row_deal = np.unique(wins.deals, return_inverse=True)
    opponents = met.sum(axis=1)
    drawn = np.where(met, 0.5 / np.minimum.outer(opponents, opponents), 0.0)

    def summed(weights: np.ndarray) -> np.ndarray:
        """float64 (pairings, seats): the games won, where deals have ``weights``."""
        out = np.zeros(members.shape)
        np.add.at(out, row_group, weights[row_deal, np.newaxis] * wins.shares)
        return out

    won = summed(np.ones(len(deals)))
    best = _fit(members, won, drawn, np.zeros(len(met)))
    field = _information(members, won, best)
    rng = np.random.default_rng(0)
    freedom = max(len(deals) - 1, 1)
    shape = freedom / (freedom + 1) * (Z_95 / stdtrit(freedom, 0.975)) ** 2  # 1, where deals are many
    resampled = np.empty((RESAMPLES, len(met)))
    for row in resampled:
        weights = np.maximum(rng.gamma(shape, 1 / shape, len(deals)), _LEAST)
        redrawn = np.where(met, np.maximum(rng.gamma(np.where(met, drawn, 1.0)), _LEAST), 0.0)
        row[:] = _fit(members, summed(weights), redrawn, best)
        row += (best - row) @ field
    return best, resampled


def _fit(members: np.ndarray, won: np.ndarray, drawn: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Log strengths of the greatest likelihood, found from ``start`` by iterated Luce spectral ranking.

    :param members: int64 (pairings, seats).
    :param won: float64 (pairings, seats): games that each place won.
    :param drawn: float64 (players, players): wins of the row against the column in games of these two alone.
    """
    import choix

    params = start
    for _ in range(_STEPS):
        strengths = np.exp(params - params.max())
        rates = won / strengths[members].sum(axis=1, keepdims=True)
        wins = np.zeros_like(drawn)
        for winner, rate in zip(members.T, rates.T, strict=True):
            for loser in members.T:
                np.add.at(wins, (winner, loser), rate)
        # choix divides wins by the strength of the two players; a win over several was divided by that of all.
        wins = wins * np.add.outer(strengths, strengths) + drawn
        np.fill_diagonal(wins, 0)
        last, params = params, choix.lsr_pairwise_dense(wins, initial_params=params)
        if np.abs(params - last).max() < _CLOSE:
            break
    return params


def _information(members: np.ndarray, won: np.ndarray, params: np.ndarray) -> np.ndarray:
    """float64 (players,), sum 1: what the games tell of each player, who wins with probability p: p (1 - p) a game."""
    strengths = np.exp(params - params.max())[members]
    chances = np.zeros((len(members), len(params)))
    np.add.at(chances, (np.arange(len(members))[:, np.newaxis], members), strengths)
    chances /= strengths.sum(axis=1, keepdims=True)
    told = (won.sum(axis=1, keepdims=True) * chances * (1 - chances)).sum(axis=0)
    return np.asarray(told / told.sum())
