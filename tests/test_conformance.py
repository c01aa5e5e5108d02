"""Every installed game passes the checks of ``starboard.testing``, with several sets of options."""

from __future__ import annotations

from pathlib import Path

import pytest

import starboard
from starboard import testing

OPTIONS = {
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
    pytest.param(
        name, options, id=f"{name}-{'-'.join(f'{key}={value}' for key, value in options.items()) or 'default'}"
    )
    for name in GAMES
    for options in OPTIONS.get(name, [{}])
]
PERFECT_INFORMATION = {"astralis"}


def test_every_game_is_tried_with_several_options():
    assert set(OPTIONS) == set(GAMES)
    assert all(len(sets) > 1 for sets in OPTIONS.values())


def number(options, few, many):
    """Small boards are cheap: more games there."""
    return many if options.get("size", 8) <= 5 else few


@pytest.mark.parametrize(("name", "options"), CASES)
def test_conformance(name, options):
    testing.check_conformance(starboard.load(name, **options), games=number(options, 3, 15))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_nothing_leaks(name, options):
    resampled = testing.check_leaks(starboard.load(name, **options), games=number(options, 2, 10))
    assert (resampled.changed == 0) == (name in PERFECT_INFORMATION)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_clones(name, options):
    testing.check_clones(starboard.load(name, **options), games=number(options, 1, 2))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_second_episodes(name, options):
    testing.check_episodes(starboard.load(name, **options))


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case.values[0] in PERFECT_INFORMATION])
def test_decoded_positions_play_on_alike(name, options):
    testing.check_decoded(starboard.load(name, **options), games=number(options, 3, 10))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_playthrough_that_it_still_plays(name):
    """How to record one: :mod:`starboard.testing.playthrough`."""
    testing.check_playthrough(Path(__file__).parent / name / "playthrough.txt")


@pytest.mark.soak
@pytest.mark.parametrize(("name", "options"), CASES)
def test_conformance_of_many_games(name, options):
    spec = starboard.load(name, **options)
    testing.check_conformance(spec, seed=1, games=number(options, 30, 500))
    testing.check_leaks(spec, seed=1, games=number(options, 15, 300))
    testing.check_clones(spec, seed=1, games=number(options, 4, 20))
    testing.check_episodes(spec, seed=1, games=number(options, 4, 20))
