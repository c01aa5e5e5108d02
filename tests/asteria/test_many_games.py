"""A million random games: no error, no empty list, no resource out of bounds, no card in two places or in none."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import starboard
from asteria_envs import cards, kernels
from asteria_envs.state import AREA, COMMITTED, DECK, DISCARD, DOMINATED, HAND, OPEN, ROW, SLOTS
from starboard.jit import jit
from starboard.rng import fold, mix, next_uint64
from tests.asteria.random_deck import STYLES, random_deck

SOUND, NOTHING_LEGAL, RESOURCES, ACTIONS, PLANETS, ENDLESS = range(6)


@partial(jit, allocates=True)
def fault(p, s):
    """Which of the above is wrong with the position, if one is: what is kept is counted anew."""
    for player in range(2):
        for resource in range(2):
            if s["resources"][player, resource] < 0 or s["resources"][player, resource] > 12:
                return RESOURCES
    zones = np.zeros(8, np.int64)
    for card in range(p["actions"]):
        zones[s["action_zone"][card]] += 1
    for slot in range(SLOTS):
        for player in range(2):
            card = np.int64(s["top"][slot, player])
            while card >= 0:
                zones[ROW + player] -= 1
                if s["action_zone"][card] != ROW + player or s["action_slot"][card] != slot:
                    return ACTIONS
                card = np.int64(s["below"][card])
    kept = zones[DECK] == s["deck_actions"] and zones[DISCARD] == s["discarded_actions"]
    for player in range(2):
        kept &= zones[HAND + player] == s["hand_actions"][player] and zones[AREA + player] == s["area"][player]
        kept &= zones[ROW + player] == 0
    if not kept:
        return ACTIONS
    places = np.zeros(9, np.int64)
    for planet in range(p["planets"]):
        places[s["planet_zone"][planet]] += 1
    for slot in range(SLOTS):
        planet = np.int64(s["planet"][slot])
        if planet >= 0:
            places[OPEN] -= 1
            if s["planet_zone"][planet] != OPEN:
                return PLANETS
    kept = places[DECK] == s["deck_planets"] and places[DISCARD] == s["discarded_planets"] and places[OPEN] == 0
    for player in range(2):
        kept &= places[HAND + player] == s["hand_planets"][player]
        kept &= places[DOMINATED + player] == s["dominated"][player]
        kept &= places[COMMITTED + player] == (s["committed"][player] >= 0)
    return SOUND if kept else PLANETS


@jit
def play(p, s, games, seed, most, moves):
    """Play ``games`` games; return the number of the first in which something is wrong, and what, or -1 and SOUND."""
    for game in range(games):
        kernels.init(p, s, mix(seed, game, 0))
        while not s["terminated"]:
            found = fault(p, s)
            legal = kernels.legal_list(p, s, moves)
            if legal == 0:
                found = NOTHING_LEGAL
            if s["ply"] > most:
                found = ENDLESS
            if found != SOUND:
                return game, found
            kernels.step(p, s, np.int64(moves[fold(next_uint64(s), legal)]))
        if fault(p, s) != SOUND:
            return game, fault(p, s)
    return -1, SOUND


def check(games, **options):
    spec = starboard.load("asteria", **options)
    s = np.zeros(1, spec.state_dtype)[0]
    moves = np.empty(spec.max_legal, np.int16)
    assert play(spec.params[0], s, games, np.uint64(0), spec.max_plies, moves) == (-1, SOUND)


def test_a_thousand_random_games():
    check(1_000)


@pytest.mark.soak
def test_a_million_random_games():
    check(1_000_000)


@pytest.mark.soak
@pytest.mark.parametrize("style", STYLES)
def test_random_decks(style):
    for seed in range(20):
        check(2_000, deck=cards.text(random_deck(seed, style)))
