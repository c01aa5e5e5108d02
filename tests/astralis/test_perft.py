"""Perft: numbers of sequences of 1, 2, 3 ... actions from fixed positions, counted once with the naive oracle.

Where a count differs, the message has the counts by first action; compare them with the oracle's::

    from starboard.testing import check_perft
    check_perft(spec, oracle_counts_by_first_action, moves, depth)
"""

from __future__ import annotations

import copy

import pytest

import starboard
from starboard.testing import check_perft
from tests.naive.astralis import NaiveAstralis

CORNER = "e2 a2 c2*b1 a1 b2*a2"  # the second player is shut in and passes (AL-3.5)
POCKETS = "e2 a2 c2*d1 a1 c5*d4 c3"  # the next stone can close several pockets (AL-4.4)
ON_A_STONE = "e2 a2 d2*c3 b2 c2*c1 a1 a2*a3"  # a ship stands on an opposing stone (AL-4.4)

TABLE = [
    ({"size": 3}, "", [1, 1, 46, 1512, 38292]),
    ({"size": 3, "setup": "fixed", "bonus_stones": True}, "", [46, 1512, 38292]),
    ({"size": 3}, CORNER, [1, 29, 221, 2897]),
    ({"size": 3}, "e2 a2 b1 a3*a2 c2*b1 a1 b2", [2, 53, 660, 9625]),
    ({"size": 3, "bonus_stones": True}, POCKETS, [11, 259, 3006]),
    ({"size": 3, "bonus_stones": True}, ON_A_STONE, [2, 18, 131, 1494, 10462]),
    ({"size": 3, "stones": 1, "stall_limit": 3}, "", [1, 1, 46, 1512, 19636, 230056]),
    ({"size": 4}, "", [2, 4, 288, 17780]),
    ({"size": 4, "setup": "fixed"}, "", [72, 4434, 238726]),
    ({"size": 4, "bonus_stones": True}, "g3 a3 g2*f3 a1*b1 e2*d2 b2*a2 b3 c3*d4", [28, 760, 15065]),
    ({"size": 5, "setup": "fixed"}, "", [98, 8820]),
    (
        {"size": 5, "bonus_stones": True},
        "i2 a4 g2*g1 e4 e2*e3 f4*g4 d1*e1 i1*i2 d7*c7 f4*e5 d1 f8*g7 a1*a2 a4*b4 d4*c3 b5*a5",
        [25, 573, 11030],
    ),
    ({"size": 6, "stones": 0}, "", [4, 16, 320, 6288]),
    (
        {"size": 6, "stones": 6},
        "k3 a2 i3*j3 e6*e7 g5*g6 a2*a1 h4*h3 a3*a4 f6*e5 c5*c6 c3*b3 a5 j6*i7 e9*d8 g9",
        [41, 622, 15929],
    ),
    ({"size": 7}, "", [5, 25, 3750]),
    (
        {"size": 7, "setup": "fixed"},
        (
            "e2*e1 d4*d5 f2*f3 d2*c1 k3*l2 h1*g1 k9*k8 h11*g11 k3 h5*i4 b7*c8 h1*i1 e7*f7 h11*h12 g9*h8 d8*e9 a3*b4 "
            "d4*e4 d3*c3 i7*j7"
        ),
        [15, 880],
    ),
    ({"size": 8}, "", [6, 36, 6336]),
    (
        {"size": 8},
        (
            "o3 a4 m3*m2 a8*b9 m5*n4 d8*d7 e2*f3 h12*h11 d2*c2 h4*h5 b2*b3 h9 f2*e1 h12*i12 f13*e12 i11*j10 f8*g8 "
            "i1*j1 f7*e6 i9*i8 a2 l6*m6 f2*g2 l4"
        ),
        [59, 4920],
    ),
    (
        {"size": 8, "bonus_stones": True},
        (
            "o4 a3 e11*d10 k10*j11 e1*f2 g13*h14 e10*f10 g6*f6 g12*h12 n7*o7 g3*h3 m8*l9 j4*i4 g13*f12 j2*j1 g4*f4 "
            "k1*k2 e2*d2 l1*m1 e8*e7 l6*k7 b5*b6 n6*n5 b8*a8 n3*o2 g8*h9 k6*l5 k9*j9 h6*i6 d5*d4 k3*l3 b5*c5 f1*g1 "
            "b4*a4"
        ),
        [20, 754],
    ),
]


def name(case):
    options, moves, _ = case
    return f"{options} after {len(moves.split())}"


@pytest.mark.parametrize(("options", "moves", "counts"), TABLE, ids=map(name, TABLE))
def test_counts(options, moves, counts):
    check_perft(starboard.load("astralis", **options), counts, moves)


def oracle_counts(game, depth):
    """By first action, the number of sequences of ``depth`` actions that begin with it."""
    counts = {}
    for action in game.legal_actions():
        after = copy.deepcopy(game)
        after.play(action)
        counts[game.notation(action)] = _total(after, depth - 1)
    return counts


def _total(game, depth):
    if depth == 0:
        return 1
    if depth == 1:
        return len(game.legal_actions())
    return sum(oracle_counts(game, depth).values())


@pytest.mark.parametrize(("options", "moves", "counts"), TABLE, ids=map(name, TABLE))
def test_counts_by_first_action_are_those_of_the_oracle(options, moves, counts):
    """One ply less deep than the table, for the oracle is slow."""
    game = NaiveAstralis(**options)
    for move in moves.split():
        game.play(game.parse(move))
    depth = max(level + 1 for level, count in enumerate(counts) if count < 2000)
    check_perft(starboard.load("astralis", **options), oracle_counts(game, depth), moves, depth)


@pytest.mark.soak
@pytest.mark.parametrize(("options", "moves", "counts"), TABLE, ids=map(name, TABLE))
def test_the_oracle_counts_the_same(options, moves, counts):
    game = NaiveAstralis(**options)
    for move in moves.split():
        game.play(game.parse(move))
    assert [_total(game, depth) for depth in range(1, len(counts) + 1)] == counts
