"""Tree search: it finds what is to be found, decides by what its seat may know alone, and is the same on any thread."""

from __future__ import annotations

import numpy as np
import pytest

import starboard
from starboard import dispatch
from starboard.arena import evaluate
from starboard.bots import MctsBot, choose_actions, make_player
from starboard.search import Tree
from starboard.spec import Search
from starboard.state import GameState, view
from starboard.testing import walk
from tests.testing import grab

GAMES = [("asteria", {}), ("asterion", {"players": 3}), ("asterion", {"mode": "basic"}), ("astralis", {"size": 4})]
FIRST = np.arange(1)
PLAIN = Search(heuristic=False, plies=None)


def positions(spec, seed, games, every=7):
    """Some positions of random games."""
    found = [game.state.clone() for game in walk(spec, seed=seed, games=games) if not game.state.over]
    return found[::every]


@pytest.mark.parametrize(("name", "options"), GAMES[:3])
@pytest.mark.parametrize("search", [None, PLAIN])
def test_it_never_peeks(name, options, search):
    """The same knowledge and seed give the same action and the same visits, whatever the hidden cards are."""
    spec = starboard.load(name, **options)
    resample = dispatch.kernel(spec.state_dtype, "resample")
    tree = Tree(spec, 40, search)
    hidden = 0
    for state in positions(spec, seed=1, games=2):
        found = []
        for deal in range(4):
            records = state.records.copy()
            if deal:
                resample(spec.params[0], records[0], state.to_move, np.uint64(deal))
                hidden += (records != state.records).any()
            before = records.copy()
            tree.plant()
            tree.grow(records, 0, np.uint64(5), 40)
            assert (records == before).all()
            found.append((tree.action(), tree.visits().tolist()))
        assert all(other == found[0] for other in found)
    assert hidden > 5


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_all_simulations_begin_with_a_legal_action(name, options):
    spec = starboard.load(name, **options)
    for search in (None, PLAIN, Search(plies=0)):
        tree = Tree(spec, 60, search)
        for state in positions(spec, seed=2, games=1, every=11):
            tree.plant()
            for part in (1, 19, 40):
                tree.grow(state.records, 0, np.uint64(3), part)
            visits = tree.visits()
            assert visits.sum() == 60
            assert not visits[state.mask == 0].any()
            assert visits[tree.action()] == visits.max()


def test_a_search_may_stop_and_go_on():
    spec = starboard.load("asteria")
    whole, parts = Tree(spec, 50), Tree(spec, 50)
    for state in positions(spec, seed=3, games=1):
        for tree, steps in ((whole, (50,)), (parts, (1, 30, 19))):
            tree.plant()
            for step in steps:
                tree.grow(state.records, 0, np.uint64(1), step)
        assert (whole.visits() == parts.visits()).all()
    assert whole.plies == parts.plies > 0


@pytest.mark.parametrize("search", [None, PLAIN])
def test_it_wins_where_one_ply_wins(search):
    """Grab is won by whoever takes more: a game so small that the search must play it perfectly."""
    spec = starboard.load("astralis", size=3)
    bot = MctsBot(spec, 400, seed=0, search=search)
    result = evaluate(bot, "random", spec, games=20)
    assert result.wins >= 18


def test_it_plays_games_of_others_too():
    spec = grab.GAME.spec()
    result = evaluate(MctsBot(spec, 200, seed=0), "random", spec, games=14 * spec.num_players)
    assert result.score > 1 / spec.num_players


def test_context_tells_apart_what_an_action_means():
    """In Asterion the card in hand (AN-3.1); the other games' actions say all, so there it is 0."""
    for name in ("asterion", "asteria", "astralis"):
        spec = starboard.load(name)
        context = dispatch.kernel(spec.state_dtype, "context")
        found = {
            (int(context(spec.params[0], state.record)), int(state.record["hand"][state.to_move]))
            if name == "asterion"
            else (int(context(spec.params[0], state.record)), 0)
            for state in positions(spec, seed=6, games=2)
        }
        assert all(told == wanted for told, wanted in found)
        assert len(found) > 1 or name != "asterion"


def test_the_tree_may_be_full():
    """With room for a few nodes only, the search goes on in those."""
    spec = starboard.load("astralis", size=4)
    tree = Tree(spec, 1)
    state = GameState(spec, 0)
    tree.plant()
    tree.grow(state.records, 0, np.uint64(0), 300)
    assert tree.visits().sum() == 300
    assert state.mask[tree.action()]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_threads_make_no_difference(name, options):
    spec = starboard.load(name, **options)
    states = positions(spec, seed=4, games=2, every=5)
    records = np.concatenate([state.records for state in states])
    games = np.arange(len(records))
    one, many = (MctsBot(spec, 20, seed=1, threads=threads) for threads in (1, 3))
    for _ in range(2):
        assert (one.act(records, games) == many.act(records, games)).all()
    assert one.calls == many.calls == 2


def test_seeds_decide_what_chance_does():
    spec = starboard.load("asteria")
    records = np.concatenate([state.records for state in positions(spec, seed=5, games=3, every=3)])
    games = np.arange(len(records))
    same = [MctsBot(spec, 10, seed=seed).act(records, games).tolist() for seed in (1, 1, 2)]
    assert same[0] == same[1]
    assert same[0] != same[2]


def test_from_observations_alone():
    spec = starboard.load("astralis", size=3)
    state = GameState(spec, 0)
    bot = make_player("mcts:30", spec, 0)
    observations, masks = view(spec, state.records, FIRST)
    action = bot(observations, masks)
    assert masks[0, action[0]]
    assert choose_actions(bot, state.records, FIRST, observations, masks).shape == (1,)


def test_by_time():
    spec = starboard.load("astralis", size=3)
    bot = make_player("mcts:1ms", spec, 0)
    assert (bot.milliseconds, bot.simulations) == (1, None)
    assert GameState(spec, 0).mask[bot.act(GameState(spec, 0).records, FIRST)[0]]


@pytest.mark.parametrize("name", ["mcts", "mcts:", "mcts:0", "mcts:-1", "mcts:1.5", "mcts:10s", "mcts:ms", "mcts: 5"])
def test_budgets_that_make_no_sense(name):
    with pytest.raises(ValueError, match="must be like mcts:100"):
        make_player(name, starboard.load("astralis", size=3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give one of the two"),
        ({"simulations": 1, "milliseconds": 1}, "give one of the two"),
        ({"simulations": 0}, "simulations=0: must be"),
        ({"milliseconds": 2.5}, "milliseconds=2.5: must be"),
        ({"simulations": 5, "threads": 0}, "threads=0: must be"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        MctsBot(starboard.load("astralis", size=3), **arguments)


def test_no_game_that_is_over():
    spec = starboard.load("astralis", size=3)
    state = GameState(spec, 0)
    rng = np.random.default_rng(0)
    while not state.over:
        state.step(rng.choice(state.legal_actions()))
    with pytest.raises(ValueError, match="in game 0 no action is legal; it is over"):
        MctsBot(spec, 5).act(state.records, FIRST)
