"""What a position of Asteria looks to be worth, without search."""

from __future__ import annotations

import numpy as np

from asteria_envs.kernels import area_totals, has_scored, markers_meet, open_count, totals
from asteria_envs.state import EXPAND, EXPLORATION, EXTRACT, SLOTS, TECHNOLOGICAL
from starboard.jit import jit

POINT = 10.0
WORTH = np.array([0.0, 4.0, 10.0, 30.0])
"""Of so many dominated planets."""


@jit
def standing(p, s, player):
    """What ``player`` has, in tenths of a point: see :func:`evaluate`."""
    ore, energy = np.int64(s["resources"][player, 0]), np.int64(s["resources"][player, 1])
    hand, planets = np.int64(s["hand_actions"][player]), np.int64(s["hand_planets"][player])
    area, dominated = min(np.int64(s["area"][player]), 3), min(np.int64(s["dominated"][player]), 3)
    value = POINT * s["points"][player] + WORTH[dominated]
    value += 0.12 * (ore + energy) + 0.08 * min(ore, energy) + 0.3 * max(0, hand - 3) + 0.6 * planets
    if not has_scored(s, player, EXPLORATION):
        value += 0.35 * min(planets, np.int64(p["need_planets"])) * open_count(s)
    expands = 0
    for slot in range(SLOTS):
        shown = 0
        card = np.int64(s["top"][slot, player])
        while card >= 0:
            if s["side"][card] == EXTRACT:
                value += 0.3 * (np.int64(p["amount"][card, EXTRACT, 0]) + p["amount"][card, EXTRACT, 1])
            elif s["side"][card] == EXPAND:
                value += 0.5
                shown = 1
            card = np.int64(s["below"][card])
        expands += shown
    if not has_scored(s, player, TECHNOLOGICAL):
        value += 1.2 * area + 0.25 * area * expands
    return value


@jit
def stake(s, player):
    """What one more dominated planet would add for ``player``."""
    dominated = min(np.int64(s["dominated"][player]), 2)
    return WORTH[dominated + 1] - WORTH[dominated]


@jit
def evaluate(p, s, player):
    """Points and what leads to them: how the observer stands, less how the other does.

    A point counts 10. On the way to it count dominated planets (4, 10 for two, 30 for the third), planet cards in hand
    (more with more open planets), cards in the play area (more with Expand cards on the planets), resources, what
    Extract cards bring each turn, and action cards beyond the three that are dealt anyway. On each open planet the lead
    in strength counts, the more the nearer the markers are to meeting and the more one more dominated planet is worth
    to either, and a conflict that is due as nearly won or lost.
    """
    other = 1 - player
    value = standing(p, s, player) - standing(p, s, other)
    areas = area_totals(p, s, player)
    own_stake, other_stake = stake(s, player), stake(s, other)
    for slot in range(SLOTS):
        if s["planet"][slot] >= 0 and s["winner"] < 0:
            own, foe = totals(p, s, player, slot, areas)
            if markers_meet(p, s, slot):
                wins = own > foe or (own == foe and s["active"] == player)
                value += 0.9 * own_stake if wins else -0.9 * other_stake
            else:
                steps = np.int64(s["marker"][slot, 0]) + s["marker"][slot, 1] + 2
                lead = min(9, max(-9, own - foe))
                value += (0.3 + 0.6 * steps / (2 * p["half"] + 1)) * lead * (own_stake + other_stake) / 8
    return value
