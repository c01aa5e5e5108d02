"""Matches between players: fair, complete, repeatable, and what the numbers mean."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

import starboard
from starboard import dispatch, loops
from starboard.arena import MatchResult, Tally, choose_spec, evaluate, wilson
from starboard.bots import RandomBot
from starboard.rng import below, scramble
from starboard.spec import Game, GameSpec, Option
from starboard.state import GameState, pack

SMALL = {"size": 3, "setup": "random"}


def first(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The first legal action."""
    return masks.argmax(axis=1)


def hashed(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Some legal action, which depends on nothing but the observation."""
    flat = observations.reshape(len(observations), -1).astype(np.int64)
    keys = flat @ (np.arange(flat.shape[1]) ** 2 + 1)
    return np.array([np.flatnonzero(mask)[key % mask.sum()] for key, mask in zip(keys, masks, strict=True)])


# A game for three in which a player may go on after their own move, chance is dealt, and games are of any length:
# the mover takes 0, 1 or 2 points and as much as a die says; after 0 they move again, after 2 a player is skipped.

STATE = np.dtype(
    [("arena_toy", np.int8), *dispatch.HEADER, ("points", np.int16, (3,)), ("target", np.int16)], align=True
)


def _init(p: Any, s: Any, seed: Any) -> None:
    s["to_move"], s["ply"], s["terminated"], s["truncated"], s["rng"] = 0, 0, False, False, scramble(np.uint64(seed))
    s["points"][:] = 0
    s["target"] = 3 + below(s, 6)


def _step(p: Any, s: Any, action: int) -> None:
    me = s["to_move"]
    s["points"][me] += action + below(s, 2)
    s["ply"] += 1
    s["terminated"] = s["points"][me] >= s["target"]
    s["truncated"] = not s["terminated"] and s["ply"] >= 30
    s["to_move"] = (me + action) % 3


def _legal_mask(p: Any, s: Any, out: np.ndarray) -> int:
    out[:] = not (s["terminated"] or s["truncated"])
    return out.sum()


def _legal_list(p: Any, s: Any, out: np.ndarray) -> int:
    out[:3] = np.arange(3)
    return 3


def _observe(p: Any, s: Any, player: int, out: np.ndarray) -> None:
    for seat in range(3):
        out[seat] = s["points"][(player + seat) % 3]
    out[3], out[4], out[5] = s["target"], s["ply"], player


def _returns(p: Any, s: Any, out: np.ndarray) -> None:
    for seat in range(3):
        out[seat] = s["points"][seat] if s["terminated"] or s["truncated"] else 0


def _resample(p: Any, s: Any, player: int, seed: Any) -> None:
    s["rng"] = seed


def _evaluate(p: Any, s: Any, player: int) -> float:
    return float(s["points"][player])


@pytest.fixture(scope="module")
def toy() -> GameSpec:
    kernels = (_init, _step, _legal_mask, _legal_list, _observe, _returns, _resample, _evaluate)
    dispatch.register(STATE, {kernel.__name__[1:]: numba.njit(kernel) for kernel in kernels})
    params = np.zeros(1, np.dtype([("arena_toy", np.int8), ("unused", np.int8)]))
    params.flags.writeable = False

    def build(options: Any) -> GameSpec:
        return GameSpec(
            name="toy",
            version=0,
            options=options,
            num_players=3,
            params=params,
            state_dtype=STATE,
            num_actions=3,
            max_legal=3,
            observation_high=np.full(6, 40, np.int8),
            max_plies=30,
            describe_action=lambda record, action: f"take {action}",
            parse_action=lambda record, text: int(text.removeprefix("take ")),
            final_info=lambda record: {"points": record["points"].tolist()},
            text=lambda record, viewer: str(record["points"]),
            decode=lambda observation: np.zeros(1, STATE),
        )

    return Game("toy", 0, "", (Option("luck", True, ""),), build).spec()


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # Published values, to four places.
        (8, 10, 0.4902, 0.9433),
        (50, 100, 0.4038, 0.5962),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
    ],
)
def test_wilson(wins: float, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_wilson_solves_its_equation() -> None:
    """The bounds are where the observed share lies 1.96 standard deviations of the bound's own away."""
    for games in (1, 7, 400, 10_000):
        for wins in {0.0, 0.5, games / 3, games / 2, games - 0.5, float(games)}:
            for bound in wilson(wins, games):
                assert (wins / games - bound) ** 2 == pytest.approx(1.959964**2 * bound * (1 - bound) / games, abs=1e-7)


def test_wilson_stays_within_0_and_1() -> None:
    for games in range(1, 500):
        assert wilson(0, games)[0] >= 0
        assert wilson(games, games)[1] <= 1


@pytest.mark.parametrize(("wins", "games"), [(1, 0), (-1, 10), (11, 10)])
def test_wilson_refuses(wins: float, games: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        wilson(wins, games)


def test_result_adds_up() -> None:
    result = evaluate("greedy", "random", "astralis", {"size": 3}, games=60, seed=3)
    assert [seat.games for seat in result.seats] == [30, 30]
    assert result.wins + result.draws + result.losses == result.games == 60
    assert result.score == (result.wins + result.draws / 2) / 60
    assert result.interval == wilson(result.wins + result.draws / 2, 60)
    assert (result.a, result.b, result.game, result.seed) == ("greedy", "random", "astralis_v0", 3)
    assert dict(result.options) == dict(starboard.load("astralis", size=3).options)
    assert 3 < result.mean_plies < starboard.load("astralis", size=3).max_plies
    assert result.interval[0] > 0.7


def test_seen_from_the_other_side() -> None:
    """Swapping two players who draw no random numbers swaps wins and losses."""
    one = evaluate(hashed, first, "astralis", SMALL, games=100)
    other = evaluate(first, hashed, "astralis", SMALL, games=100)
    for seat in range(2):
        mirrored = other.seats[1 - seat]
        assert one.seats[seat] == Tally(mirrored.losses, mirrored.draws, mirrored.wins)
    assert one.mean_plies == other.mean_plies


@pytest.mark.parametrize("num_envs", [1, 7, 64, 1000])
def test_games_do_not_depend_on_how_many_run_at_once(num_envs: int) -> None:
    expected = evaluate(hashed, first, "astralis", SMALL, games=100, seed=5)
    assert evaluate(hashed, first, "astralis", SMALL, games=100, seed=5, num_envs=num_envs) == expected


def test_seed_decides_everything() -> None:
    def match(seed: int) -> MatchResult:
        return evaluate("random", "greedy", "astralis", SMALL, games=60, seed=seed, num_envs=17)

    assert match(1) == match(1)
    assert match(1) != match(2)
    drawn = evaluate("random", "greedy", "astralis", SMALL, games=60, seed=None, num_envs=17)
    assert match(drawn.seed) == drawn


def test_each_start_is_played_from_every_seat() -> None:
    starts: dict[str, Counter[bytes]] = {"a": Counter(), "b": Counter()}

    def watching(name: str) -> Any:
        def player(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            for observation in observations:
                explored = observation[0].any() or observation[1].any()
                moved = observation[7, 5]  # turns without a stone
                if not explored and not moved:  # the first turn of a game: the mover has seat 0
                    starts[name][observation.tobytes()] += 1
            return hashed(observations, masks)

        return player

    spec = starboard.load("astralis", size=8, setup="random")
    evaluate(watching("a"), watching("b"), spec, games=40)
    assert starts["a"] == starts["b"]
    assert starts["a"].total() == 20
    assert len(starts["a"]) > 10


def test_many_positions_at_once() -> None:
    """Once games are under way, a player of an alternating game decides for all of them in one call."""
    sizes = []

    def player(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        sizes.append(len(observations))
        return first(observations, masks)

    evaluate(player, "random", "astralis", games=200, num_envs=100)
    assert sizes[0] == 50
    assert set(sizes[1:10]) == {100}
    assert max(sizes) == 100


def test_arrays_that_players_keep_are_not_written_again() -> None:
    kept = []

    def player(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        kept.append((observations, observations.copy(), masks, masks.copy()))
        return first(observations, masks)

    evaluate(player, "random", "astralis", {"size": 3}, games=20)
    for observations, observations_then, masks, masks_then in kept:
        assert np.array_equal(observations, observations_then)
        assert np.array_equal(masks, masks_then)


def test_every_game_is_played_to_its_end() -> None:
    seen = []
    result = evaluate(
        "random",
        first,
        "astralis",
        SMALL,
        games=50,
        num_envs=8,
        progress=lambda done, games: seen.append((done, games)),
    )
    assert result.games == 50
    done = [finished for finished, _ in seen]
    assert done == sorted(set(done))
    assert seen[-1] == (50, 50)


def test_repeated_games_are_told() -> None:
    """From one start two players who always answer alike play the same game again and again."""
    result = evaluate(hashed, first, "astralis", {"size": 3, "setup": "fixed"}, games=20)
    assert result.distinct == 2
    assert "repeats" in result.table()
    varied = evaluate("random", first, "astralis", {"size": 4}, games=20)
    assert varied.distinct == 20
    assert "repeats" not in varied.table()


def test_draws() -> None:
    """Without stones nobody controls anything; without komi that is a draw."""
    result = evaluate("random", "random", "astralis", {"size": 3, "stones": 0, "komi": 0.0, "stall_limit": 3}, games=10)
    assert (result.wins, result.draws, result.losses, result.score) == (0, 10, 0, 0.5)
    assert result.mean_plies == 5


def test_table_and_json() -> None:
    seats = (Tally(199, 0, 1), Tally(190, 5, 5))
    result = MatchResult("runs/x/agent.zip", "random", "astralis_v0", {"size": 8}, 0, seats, 131.25, 400)
    lines = result.table().splitlines()
    assert lines[0] == "astralis_v0 (size=8), seed 0"
    assert lines[2].split() == ["as", "player_0", "200", "199", "0", "1", "99.5%", "97.2%", "..", "99.9%"]
    assert lines[4].split() == ["all", "400", "389", "5", "6", "97.9%", "95.9%", "..", "98.9%"]
    assert lines[5] == "131.2 plies a game, 400 different games"
    facts = json.loads(json.dumps(result.to_dict()))
    assert facts["wins"] == 389
    assert facts["interval"] == list(result.interval)
    assert facts["seats"][1] == {
        "games": 200,
        "wins": 190,
        "draws": 5,
        "losses": 5,
        "score": seats[1].score,
        "interval": list(seats[1].interval),
    }


def test_three_players_in_no_fixed_order(toy: GameSpec) -> None:
    """The same games, played one at a time in plain Python."""
    games = 60
    result = evaluate(hashed, first, toy, games=games, seed=9, num_envs=11)
    assert [seat.games for seat in result.seats] == [20, 20, 20]
    starts = np.zeros(20, STATE)
    loops.reset(toy.params, starts, np.arange(20), np.uint64(9), np.zeros(20, np.int64))
    tallies = [Counter[str]() for _ in range(3)]
    plies = 0
    for game in range(games):
        start, seat = divmod(game, 3)
        state = GameState.from_bytes(toy, pack(toy, starts[start : start + 1]))
        while not state.over:
            player = hashed if state.to_move == seat else first
            state.step(player(state.observed[np.newaxis], state.mask[np.newaxis])[0])
        plies += int(state.record["ply"])
        others = np.delete(state.returns(), seat).max()
        own = state.returns()[seat]
        tallies[seat]["win" if own > others else "loss" if own < others else "draw"] += 1
    assert result.seats == tuple(Tally(tally["win"], tally["draw"], tally["loss"]) for tally in tallies)
    assert result.mean_plies == plies / games
    assert len({seat.wins for seat in result.seats}) > 1  # or the test would not see seats mixed up


def test_spec_of_a_match() -> None:
    spec = starboard.load("astralis", size=4)
    assert choose_spec(["random", first], spec) is spec
    assert choose_spec(["random", "greedy"], "astralis", {"size": 4}) is spec


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games=0: must be a whole number, at least 1"),
        ({"games": 3}, "games=3: must be a multiple of 2"),
        ({"games": 4.0}, "games=4.0: must be a whole number"),
        ({"games": True}, "games=True"),
        ({"num_envs": 0}, "num_envs=0"),
        ({"seed": -1}, "seed=-1"),
        ({"a": "nobody"}, "'nobody': is neither one of random, greedy, mcts:100 nor the file of a saved agent"),
        ({"game": "chess"}, "no game 'chess' is installed; there are: .*astralis"),
        ({"options": {"size": 9}}, "size=9: must be a whole number from 3 to 8"),
        ({"game": starboard.load("astralis")}, "options: a GameSpec has its options already"),
        ({"a": lambda observations, masks: masks.argmin(axis=1)}, "which is illegal there"),
        ({"a": lambda observations, masks: masks.argmax(axis=1)[:1]}, "must return 2 whole numbers"),
        ({"a": lambda observations, masks: np.ones(len(masks))}, "must return 2 whole numbers, not float64"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    given = {"a": "random", "b": "random", "game": "astralis", "options": {"size": 3}, "games": 4, **arguments}
    with pytest.raises(ValueError, match=message):
        evaluate(**given)


def test_unknown_option() -> None:
    with pytest.raises(TypeError, match="astralis has no option 'width'; its options are size"):
        evaluate("random", "random", "astralis", {"width": 3})


def test_the_caller_may_bring_a_bot() -> None:
    spec = starboard.load("astralis", size=3)
    result = evaluate(RandomBot(spec, seed=1), "greedy", spec, games=40)
    assert result.a == "RandomBot"
    assert result.score < 0.5
