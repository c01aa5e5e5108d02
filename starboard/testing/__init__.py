"""Checks that any game must pass, for any number of seats, with and without hidden information.

Each takes a :class:`~starboard.spec.GameSpec` and raises ``AssertionError`` with the game's options, seed and moves, so
that what failed can be played again. They need no test framework; in a test of your own game::

    import starboard, starboard.testing

    def test_conformance():
        starboard.testing.check_conformance(starboard.load("mygame", size=5), seed=0, games=20)

=========================  =========================================================================================
:func:`check_conformance`  the kernels agree with each other and with what the spec claims
:func:`check_leaks`        no seat's observation or mask tells what it may not know
:func:`check_clones`       copies, pickles and bytes of games, environments and batches go on alike, and alone
:func:`check_episodes`     after every kind of ending the next episode is as in a new environment
:func:`check_stress`       values that the kernels keep up to date equal those computed from scratch
:func:`check_playthrough`  a recorded game reads as it did when it was recorded
:func:`check_perft`        there are as many sequences of moves as there should be
=========================  =========================================================================================

``python -m starboard.testing`` records playthroughs; see :mod:`starboard.testing.playthrough`.
"""

from starboard.testing.clone import check_clones
from starboard.testing.conformance import check_conformance, check_decoded
from starboard.testing.episodes import check_episodes
from starboard.testing.leak import Resampled, check_leaks
from starboard.testing.perft import check_perft, divide, perft
from starboard.testing.playthrough import check_playthrough, record_playthrough
from starboard.testing.stress import check_stress
from starboard.testing.walk import Walk, walk

__all__ = [
    "Resampled",
    "Walk",
    "check_clones",
    "check_conformance",
    "check_decoded",
    "check_episodes",
    "check_leaks",
    "check_perft",
    "check_playthrough",
    "check_stress",
    "divide",
    "perft",
    "record_playthrough",
    "walk",
]
