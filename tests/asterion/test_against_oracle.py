"""Random games on the kernel and the naive oracle side by side: everything the same after every action.

The kernel draws the cards; the oracle is told which, and checks that they were in the deck.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.asterion.kernel_game import KernelAsterion
from tests.naive.asterion import LETTERS, REFERENCE, Card, NaiveAsterion

SAME = ("ply", "terminated", "to_remove", "removed", "hands", "decks", "aside", "points", "layout", "tombs")


def random_card(draw, name, openings):
    """A card within the format (AN-1.3), with so many openings."""
    corridors = []
    for letter in draw.sample(LETTERS, openings):
        number = draw.randrange(len(corridors) + 1)
        corridors[number:] = [*corridors[number:], ""] if number == len(corridors) else corridors[number:]
        corridors[number] += letter
    corridors = ["".join(sorted(corridor, key=LETTERS.index)) for corridor in corridors]
    return Card(
        name,
        tuple(corridors),
        draw.randrange(len(corridors)),
        tuple(draw.choice([0, 0, 0, 1, 2]) for _ in corridors),
        tuple(draw.choice([0, 0, 1, 2, 9]) for _ in corridors),
    )


def cards_of(draw):
    """A set of cards: the reference set, or one with all kinds of cards, or with few openings, or many, or one of dead
    ends and double bends, where parts have two ends that now and then face the same space."""
    kind = draw.choice(["reference", "reference", "any", "few", "many", "bends"])
    sizes = {"any": [1, 2, 3, 4], "few": [1, 1, 1, 2, 2, 3], "many": [3, 4, 4], "bends": [1, 1, 2]}
    if kind == "reference":
        return REFERENCE
    cards = [random_card(draw, f"{kind}_{i}", draw.choice(sizes[kind])) for i in range(17)]
    if kind == "bends":
        cards[5:] = [Card(f"bend_{i}", ("NE", "SW"), i % 2, (0, i % 3), (i % 4, 0)) for i in range(5, 17)]
    return tuple(cards)


def nearest(oracle, draw, legal):
    """The action that leaves Asterion the fewest exits, of a handful; or a random removal."""
    if oracle.is_removing():
        return draw.choice(legal)
    hand = oracle.hands[oracle.to_move]

    def exits(action):
        return len(oracle.exits_after(hand, oracle.spaces[action // 4], action % 4))

    return min(draw.sample(legal, min(len(legal), 8)), key=exits)


def play(players, mode, seed, seen):
    """Play one game, and count in ``seen`` what came up."""
    draw = random.Random(f"{players} {mode} {seed}")
    options = {
        "players": players,
        "mode": mode,
        "discard": draw.choice(["choose", "random"]),
        "standard_scoring": draw.random() < 0.8,
        "reward": draw.choice(["result", "result", "margin"]),
        "table_radius": draw.choice([2, 2, 3, 3, 3, 4, 4, 5, 12]),
    }
    cards = cards_of(draw)
    kernel = KernelAsterion(cards=cards, seed=draw.getrandbits(64), **options)
    oracle = NaiveAsterion(
        cards=cards,
        removed=kernel.removed if mode == "crete" and options["discard"] == "random" else None,
        draw=lambda player, deck: kernel.hands[player],
        **options,
    )
    closing = draw.choice([0, 0.5, 0.9])  # how fond of closing Asterion in the players are
    while True:
        where = f"{options}, {cards[0].name}, seed {seed}, ply {oracle.ply}"
        for name in SAME:
            assert getattr(kernel, name) == getattr(oracle, name), f"{name}: {where}"
        assert kernel.parts() == oracle.parts(), where
        assert kernel.joined_to_asterion() == oracle.joined_to_asterion(), where
        assert kernel.joined_to_outside() == oracle.joined_to_outside(), where
        assert kernel.results() == oracle.results(), where
        assert kernel.returns() == pytest.approx(oracle.returns()), where
        legal = oracle.legal_actions()
        assert kernel.legal_actions() == legal, where
        if oracle.terminated or draw.random() < 0.2:
            observer = draw.randrange(players)
            assert kernel.observation(observer) == oracle.observation(observer), where
        if oracle.terminated:
            seen["escape by wings alone"] += any(
                not oracle.exits(oracle.joined_corridors(space, oracle.board[space].card.prisoner))
                for space in oracle.escaping()
            )
            return
        assert kernel.to_move == oracle.to_move, where
        rotations = Counter(action // 4 for action in legal)
        if not oracle.is_removing():
            passing = legal == [oracle.pass_action]
            seen["pass beside an empty space"] += passing and oracle.free_spaces() != []
            seen["space for some rotations only"] += not passing and min(rotations.values()) < 4
        action = nearest(oracle, draw, legal) if draw.random() < closing and len(legal) > 1 else draw.choice(legal)
        assert kernel.notation(action) == oracle.notation(action), where
        kernel.play(action)
        oracle.play(action)


@pytest.mark.parametrize(
    ("players", "mode", "games"),
    [(2, "crete", 100), (3, "crete", 30), (4, "crete", 12), (2, "basic", 60), (3, "basic", 30), (4, "basic", 12)],
)
def test_random_games(players, mode, games):
    seen = Counter()
    for seed in range(games):
        play(players, mode, seed, seen)
    assert seen["space for some rotations only"] > 5 * games
    assert seen["escape by wings alone"] > games / 4
    if (players, mode) != (3, "crete"):  # There 40 cards are laid on 41 spaces, and passes are rare.
        assert seen["pass beside an empty space"] > games / 4


@pytest.mark.soak
@pytest.mark.parametrize(
    ("players", "mode", "games"),
    [
        (2, "crete", 1500),
        (3, "crete", 500),
        (4, "crete", 200),
        (2, "basic", 1000),
        (3, "basic", 400),
        (4, "basic", 150),
    ],
)
def test_many_random_games(players, mode, games):
    seen = Counter()
    for seed in range(10**6, 10**6 + games):
        play(players, mode, seed, seen)
    assert seen["pass beside an empty space"] > 0
