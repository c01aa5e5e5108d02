"""Random games on the kernel and the naive oracle side by side: everything the same after every action."""

from __future__ import annotations

import copy
import random
from collections import Counter

import pytest

from asteria_envs import cards
from asteria_envs.state import CONQUESTS, DECISIONS
from tests.asteria.kernel_game import Chance, KernelAsteria
from tests.asteria.random_deck import random_deck
from tests.naive.asteria import NaiveAsteria

SAME = (
    "terminated",
    "ply",
    "decision",
    "to_move",
    "active",
    "turn",
    "idle",
    "resources",
    "hands",
    "planet_hands",
    "areas",
    "dominated",
    "committed",
    "conquests",
    "points",
    "planets",
    "markers",
    "rows",
    "action_deck",
    "action_discard",
    "planet_deck",
    "planet_discard",
    "turned",
)


def options_of(draw):
    """Options drawn so that games of both printings come up, and games that reach the turn limit."""
    return {
        "errata": draw.random() < 0.5,
        "first_player": draw.choice(["random", "0", "1"]),
        "max_turns": draw.choice([*8 * [200], 60, 15, 2, 1]),
    }


class Player:
    """A random player with tastes of its own, so that the games differ in more than chance."""

    def __init__(self, draw):
        self._draw = draw
        self._tastes = {}

    def choose(self, moves):
        """One of ``moves``, which are in notation."""
        kinds = [" ".join(move.split()[i] for i in ([0, 3] if move.startswith("play") else [0])) for move in moves]
        for kind in kinds:
            self._tastes.setdefault(kind, self._draw.choice([0.1, 1, 1, 1, 10]))
        return self._draw.choices(range(len(moves)), [self._tastes[kind] for kind in kinds])[0]


def play(deck, seed, seen):
    """Play one game, and count in ``seen`` what came up in it."""
    draw = random.Random(seed)
    options = options_of(draw)
    kernel = KernelAsteria(deck, seed=seed, **options)
    chance = Chance(kernel.first_rng)
    oracle = NaiveAsteria(deck, below=chance, **options)
    players = [Player(draw), Player(draw)]
    while True:
        where = f"seed {seed}, {options}, ply {oracle.ply}"
        assert chance.state() == kernel.rng, where  # AT-2.2, AT-4.14: chance has decided as many things.
        for name in SAME:
            assert getattr(kernel, name) == getattr(oracle, name), f"{name}: {where}"
        turning = oracle.flips.index(None) if oracle.decision == "turn" and None in oracle.flips else None
        flips = [(kernel.flips[slot], oracle.flips[slot]) for slot in range(3) if slot != turning]
        assert [ours for ours, _ in flips] == [theirs for _, theirs in flips], where
        legal = oracle.legal_actions()
        assert kernel.legal_actions() == legal, where
        assert kernel.returns() == oracle.returns(), where
        if oracle.terminated:
            assert kernel.results() == oracle.results(), where
            break
        seen[oracle.decision] += 1
        seen["in the other's turn"] += oracle.to_move != oracle.active
        action = legal[players[oracle.to_move].choose([oracle.notation(action) for action in legal])]
        assert kernel.notation(action) == oracle.notation(action), where
        oracle.play(action)
        kernel.play(action)
    seen.update(name for scored in oracle.conquests for name in scored)
    seen["3 points"] += max(oracle.points) >= 3
    seen["turn limit"] += oracle.turn == options["max_turns"]
    seen["idle limit"] += oracle.idle == 8
    seen["draw"] += oracle.returns() == [0.0, 0.0]


def play_all(decks):
    """Eight games with each random deck and two with the reference deck; all that can come up in a game must."""
    seen = Counter()
    reference = cards.load("reference")
    for number in decks:
        deck = random_deck(number)
        for game in range(10):
            play(deck if game < 8 else reference, 10 * number + game, seen)
    things = [*DECISIONS, *CONQUESTS, "in the other's turn", "3 points", "turn limit", "idle limit", "draw"]
    assert [thing for thing in things if not seen[thing]] == []


def test_random_games():
    play_all(range(50))


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_of_the_oracle_is_the_same_game(seed):
    """Two copies, made in the middle of a turn, go on alike, chance included."""
    draw = random.Random(seed)
    game = NaiveAsteria(random_deck(seed, "rotate"), seed=seed)
    while not game.terminated:
        if draw.random() < 0.1:
            game, twin = copy.deepcopy(game), copy.deepcopy(game)
            legal = game.legal_actions()
            for one in (game, twin):
                one.play(legal[-1])
            assert [getattr(game, name) for name in SAME] == [getattr(twin, name) for name in SAME]
        else:
            game.play(draw.choice(game.legal_actions()))


@pytest.mark.soak
def test_many_random_games():
    play_all(range(10**6, 10**6 + 500))
