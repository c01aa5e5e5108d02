"""The record of a game: kept counts from the cards' places alone, what each seat may know, and drawings."""

from __future__ import annotations

import random

import numpy as np
import pytest

import starboard
from asteria_envs import cards
from asteria_envs.state import AREA, AT_ANSWER, COMMITTED, DECK, DISCARD, DOMINATED, HAND, OPEN, ROW, SLOTS
from starboard import dispatch
from starboard.state import GameState
from starboard.testing import check_stress, walk
from tests.asteria.random_deck import STYLES, random_deck

OPTIONS = [{}, {"errata": False, "max_turns": 15}] + [{"deck": cards.text(random_deck(7, style))} for style in STYLES]
IDS = ["reference", "first printing", *STYLES]


def recompute(spec):
    """``record -> fields``; checks on the way that every card is in one place, and rows and slots hang together."""
    deck = cards.load(spec.options["deck"])
    actions, planets = len(deck.actions), len(deck.planets)

    def fields(record):
        action_zone, planet_zone = record["action_zone"], record["planet_zone"]
        assert (action_zone[actions:] == -1).all()
        assert (planet_zone[planets:] == -1).all()
        assert ((action_zone[:actions] >= DECK) & (action_zone[:actions] < ROW + 2)).all()
        assert ((planet_zone[:planets] >= DECK) & (planet_zone[:planets] < COMMITTED + 2)).all()
        rows = [[], []]
        for slot in range(SLOTS):
            for seat in range(2):
                card = int(record["top"][slot, seat])
                while card >= 0:
                    assert action_zone[card] == ROW + seat
                    assert record["action_slot"][card] == slot
                    assert record["planet"][slot] >= 0
                    rows[seat].append(card)
                    card = int(record["below"][card])
        for seat in range(2):
            assert sorted(rows[seat]) == np.flatnonzero(action_zone == ROW + seat).tolist()
        opened = [int(planet) for planet in record["planet"] if planet >= 0]
        assert sorted(opened) == np.flatnonzero(planet_zone == OPEN).tolist()
        for seat in range(2):
            held = np.flatnonzero(planet_zone == COMMITTED + seat).tolist()
            assert held == ([int(record["committed"][seat])] if record["committed"][seat] >= 0 else [])
        assert ((record["resources"] >= 0) & (record["resources"] <= 12)).all()
        waiting = [0, 0]
        for card in range(actions):
            waiting[record["pending_owner"][card]] += int(record["pending"][card]).bit_count()
        known = record["action_known"].astype(bool)
        assert np.isin(action_zone[known], (HAND, HAND + 1)).all()
        in_sight = (HAND, HAND + 1, COMMITTED, COMMITTED + 1)
        assert np.isin(planet_zone[record["planet_known"].astype(bool)], in_sight).all()
        return {
            "hand_actions": [(action_zone == HAND + seat).sum() for seat in range(2)],
            "hand_planets": [(planet_zone == HAND + seat).sum() for seat in range(2)],
            "area": [(action_zone == AREA + seat).sum() for seat in range(2)],
            "dominated": [(planet_zone == DOMINATED + seat).sum() for seat in range(2)],
            "deck_actions": (action_zone == DECK).sum(),
            "deck_planets": (planet_zone == DECK).sum(),
            "discarded_actions": (action_zone == DISCARD).sum(),
            "discarded_planets": (planet_zone == DISCARD).sum(),
            "waiting": waiting,
            "points": [
                sum((3, 2, 2, 1)[k] for k in range(4) if record["conquered"][seat] >> k & 1) for seat in range(2)
            ],
        }

    return fields


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
def test_kept_values_are_those_computed_from_the_cards(options):
    """AT-1.1, AT-3.3, AT-6.2: no card is in two places or none, and no resource below 0 or above 12."""
    spec = starboard.load("asteria", **options)
    assert check_stress(spec, recompute(spec), games=5) > 10


@pytest.mark.soak
@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
def test_kept_values_in_many_games(options):
    spec = starboard.load("asteria", **options)
    check_stress(spec, recompute(spec), seed=1, games=300)


def test_no_decision_has_a_single_way_out():
    """AT-7.2: what is forced is carried out without asking."""
    for options in OPTIONS:
        for game in walk(starboard.load("asteria", **options), seed=3, games=5):
            assert game.state.over or game.state.mask.sum() > 1


def resampled(state, seat, seed):
    records = state.records.copy()
    dispatch.kernel(state.spec.state_dtype, "resample")(state.spec.params[0], records[0], seat, np.uint64(seed))
    return records[0]


def test_what_is_in_a_hand_when_a_deck_is_made_anew_is_known():
    """AT-2.4, AT-4.14: with the deck empty, who sees all else knows the other's hand: no resample deals it again."""
    spec = starboard.load("asteria", deck=cards.text(random_deck(7, "small")))
    seen = 0
    for game in walk(spec, seed=5, games=60):
        for seat in range(2):
            known = [
                (zone, np.flatnonzero((game.state.record[zone] == HAND + 1 - seat) & (game.state.record[flag] == 1)))
                for zone, flag in (("action_zone", "action_known"), ("planet_zone", "planet_known"))
            ]
            for zone, numbers in known:
                seen += len(numbers)
                after = resampled(game.state, seat, len(game.actions))[zone][numbers]
                assert np.isin(after, (HAND + 1 - seat, COMMITTED + 1 - seat)).all()
    assert seen > 50


def test_a_face_down_planet_card_may_be_any_of_those_that_the_other_held():
    """AT-5.2: that a card was added is seen, which one is not; nor is it after the same card was dealt otherwise."""
    spec, deck = starboard.load("asteria"), cards.load("reference")
    draw, found = random.Random(0), 0
    for seed in range(30):
        state = GameState(spec, seed)
        while not state.over:
            s, active = state.record, int(state.record["active"])
            if s["stage"] == AT_ANSWER and s["committed"][active] >= 0:
                found += 1
                held = int(s["committed"][active])
                dealt = [{int(resampled(state, seat, k)["committed"][active]) for k in range(40)} for seat in range(2)]
                assert dealt[active] == {held}
                assert len(dealt[1 - active]) > 1
                assert f"added to the conflict: {deck.planets[held].name}" in state.text(active)
                assert "added to the conflict: a card, face down" in state.text(1 - active)
            names = {action: state.describe(action) for action in state.legal_actions()}
            keeping = [action for action, name in names.items() if not name.startswith("spend")]
            action = draw.choice(keeping)
            assert spec.is_secret(s, action) == (names[action].startswith("commit") and names[action] != "commit none")
            state.step(action)
    assert found > 10


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
def test_decoded_positions_hang_together(options):
    """AT-2.4: as many cards in hands and decks as are counted, also while a planet card lies face down."""
    spec = starboard.load("asteria", **options)
    fields = recompute(spec)
    for game in walk(spec, seed=4, games=20):
        for seat in range(2):
            record = spec.decode(game.state.observation(seat))[0]
            for name, value in fields(record).items():
                assert np.array_equal(record[name], value), game.error(f"{name} of what seat {seat} sees")


def test_the_picture_hides_the_other_hand():
    """AT-2.4: names of cards in a hand stand only in the picture of their owner."""
    deck = cards.load("reference")
    for game in walk(starboard.load("asteria"), seed=2, games=3):
        for seat in range(2):
            held = [deck.actions[card].name for card in np.flatnonzero(game.state.record["action_zone"] == HAND + seat)]
            own, other, everything = (game.state.text(viewer) for viewer in (seat, 1 - seat, None))
            for name in held:
                assert name in own.split()[1:] or f"{name};" in own
                assert name not in other.replace(";", " ").split()
                assert name in everything.replace(";", " ").split()
