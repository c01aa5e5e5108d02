"""Every installed game passes the checks of ``starboard.testing``, with several sets of options."""

from __future__ import annotations

from pathlib import Path

import pytest

import starboard
from asteria_envs import cards
from starboard import testing
from starboard.spec import shown
from tests.asteria.random_deck import random_deck

OPTIONS = {
    "asteria": [
        {},
        {"errata": False, "first_player": "1"},
        {"max_turns": 12},
        *({"deck": cards.text(random_deck(1, style))} for style in ("rotate", "hostile", "small", "large")),
    ],
    "asterion": [
        {},
        {"players": 3},
        {"players": 4, "reward": "margin"},
        {"players": 3, "discard": "random", "standard_scoring": False},
        {"players": 2, "mode": "basic"},
        {"players": 4, "mode": "basic", "table_radius": 3},
    ],
    "astralis": [
        {},
        {"size": 3},
        {"size": 4, "setup": "fixed", "komi": 0.0},
        {"size": 5, "setup": "random", "bonus_stones": True},
        {"size": 6, "stones": 2, "stall_limit": 10, "komi": -2.5},
        {"size": 3, "stones": 0, "stall_limit": 1},
        {"size": 7, "bonus_stones": True, "komi": 60.0},
    ],
}
GAMES = starboard.names()
CASES = [
    pytest.param(name, options, id=f"{name}-{'-'.join(shown(options)) or 'default'}")
    for name in GAMES
    for options in OPTIONS.get(name, [{}])
]
PERFECT_INFORMATION = {"astralis"}


def test_every_game_is_tried_with_several_options():
    assert set(OPTIONS) == set(GAMES)
    assert all(len(sets) > 1 for sets in OPTIONS.values())


def number(spec, few, many):
    """Small observations are cheap: more games there."""
    return many if spec.observation_high.size < 600 else few


@pytest.mark.parametrize(("name", "options"), CASES)
def test_conformance(name, options):
    spec = starboard.load(name, **options)
    testing.check_conformance(spec, games=number(spec, 3, 15))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_nothing_leaks(name, options):
    spec = starboard.load(name, **options)
    resampled = testing.check_leaks(spec, games=number(spec, 2, 10))
    assert (resampled.changed == 0) == (name in PERFECT_INFORMATION)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_clones(name, options):
    spec = starboard.load(name, **options)
    testing.check_clones(spec, games=number(spec, 1, 2))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_second_episodes(name, options):
    testing.check_episodes(starboard.load(name, **options))


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case.values[0] in PERFECT_INFORMATION])
def test_decoded_positions_play_on_alike(name, options):
    spec = starboard.load(name, **options)
    testing.check_decoded(spec, games=number(spec, 3, 10))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_playthrough_that_it_still_plays(name):
    """How to record one: :mod:`starboard.testing.playthrough`."""
    testing.check_playthrough(Path(__file__).parent / name / "playthrough.txt")


@pytest.mark.soak
@pytest.mark.parametrize(("name", "options"), CASES)
def test_conformance_of_many_games(name, options):
    spec = starboard.load(name, **options)
    testing.check_conformance(spec, seed=1, games=number(spec, 30, 500))
    testing.check_leaks(spec, seed=1, games=number(spec, 15, 300))
    testing.check_clones(spec, seed=1, games=number(spec, 4, 20))
    testing.check_episodes(spec, seed=1, games=number(spec, 4, 20))


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(set(GAMES) - PERFECT_INFORMATION))
def test_ten_thousand_positions_do_not_leak(name):
    tried = sum(
        testing.check_leaks(starboard.load(name, **options), seed=2, games=30, resamples=1).tried
        for options in OPTIONS[name]
    )
    assert tried >= 10_000
