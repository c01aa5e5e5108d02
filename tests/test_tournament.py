"""The arena: games that a kill cannot lose or double, and ratings that can be trusted."""

from __future__ import annotations

import csv
import io
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from scipy.stats import beta

import starboard
from starboard.agents import Agent
from starboard.agents.agent import describe
from starboard.agents.network import Network
from starboard.arena import Standings, ratings, read_standings, round_robin
from starboard.arena.ratings import POINTS, Wins, rate
from starboard.arena.store import STORE, Facts, GameResult, Store, Thinking
from starboard.arena.tournament import pairings
from starboard.bots import BOTS
from starboard.cli import main
from starboard.render.plots import ladder, plot, save

SMALL = {"size": 3, "stall_limit": 6}
BOARDS = {"astralis": SMALL, "asterion": {"players": 3}}


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "RESAMPLES", 50)
    monkeypatch.setenv("STARBOARD_QUIET", "1")


def save_agent(path: Path, seed: int, game: str = "astralis") -> Path:
    """An untrained network for a small board."""
    import torch

    spec = starboard.load(game, **BOARDS[game])
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = Network(spec, "mlp", 8)
    Agent(network, spec, describe(spec, "mlp", 8), seed=0).save(path)
    return path


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("agents")
    return [save_agent(folder / f"{name}.zip", seed) for seed, name in enumerate("abcd")]


def play(out: Path, players: list[Any], **settings: Any) -> Standings:
    return round_robin(players, "astralis", SMALL, out=out, **{"games": 12, "block": 4, **settings})


def rows(out: Path) -> list[tuple[Any, ...]]:
    """All games that are kept in ``out``."""
    with Store(out) as store:
        return list(store.games())


def told(out: Path) -> tuple[Any, ...]:
    """All that the arena in ``out`` says, but for what depends on the clock."""
    facts = json.loads((out / "arena.json").read_text())
    for player in facts["players"]:
        assert player.pop("seconds") > 0
    return (out / "ratings.csv").read_bytes(), (out / "crosstable.csv").read_bytes(), facts, rows(out)


@pytest.fixture(scope="module")
def calm(agents: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed arena of six."""
    out = tmp_path_factory.mktemp("calm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "RESAMPLES", 50)
        play(out, ["random", "greedy", *agents])
    return out


_KILLED = """
import os, signal, sys, tempfile
import starboard.agents
from starboard.arena import ratings, round_robin, store

ratings.RESAMPLES = 50
out, *players = sys.argv[1:]


def play(**settings):
    round_robin(players, "astralis", {options}, out=out, games=12, block=4, **settings)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_game():
    return lambda done, games, pairing: done > 50 and die()


def before_a_commit():
    commit = store.Store.commit

    def traced(self, *args):
        self.commits = getattr(self, "commits", 0) + 1
        if self.commits == 9:
            self._database.set_trace_callback(lambda statement: statement == "COMMIT" and die())
        commit(self, *args)

    store.Store.commit = traced


def before_the_results():
    os.replace = lambda *paths: die()


with tempfile.TemporaryDirectory() as folder:  # what is loaded here need not be loaded by each child
    round_robin(["random", "greedy"], "astralis", {options}, out=folder, games=2)
for disturb in (in_a_game, before_a_commit, before_the_results):
    child = os.fork()
    if not child:
        play(progress=disturb())
        os._exit(0)
    print(os.WTERMSIG(os.waitpid(child, 0)[1]))
play()
"""


def test_killed_three_times_and_started_again_is_the_same_arena(calm: Path, agents: list[Path], tmp_path: Path) -> None:
    """In the middle of a block, of a commit, and of writing the results; six entrants, four of them networks."""
    players = ["random", "greedy", *map(str, agents)]
    command = [sys.executable, "-c", _KILLED.format(options=SMALL), str(tmp_path), *players]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(int(signal.SIGKILL))] * 3
    assert told(tmp_path) == told(calm)
    assert len(rows(tmp_path)) == 15 * 12


def test_players_and_games_that_are_added_later(calm: Path, agents: list[Path], tmp_path: Path) -> None:
    """In another order, few games first: the last block, begun short, is played again in full."""
    a, b, c, d = agents
    play(tmp_path, [c, "greedy"], games=2)
    assert len(rows(tmp_path)) == 2
    play(tmp_path, [d, a, "greedy"], games=10)
    play(tmp_path, [b, "random"])
    play(tmp_path, ["greedy", *reversed(agents), "random"])
    assert told(tmp_path) == told(calm)


def test_fewer_games_than_are_there_change_nothing(calm: Path, tmp_path: Path) -> None:
    shutil.copytree(calm, tmp_path / "copy")
    play(tmp_path / "copy", ["random", "greedy"], games=2)
    assert told(tmp_path / "copy") == told(calm)


def test_games_depend_on_seed_and_pairing_and_differ_between_blocks(calm: Path, tmp_path: Path) -> None:
    play(tmp_path / "other", ["random", "greedy"], seed=1)
    play(tmp_path / "one", ["random", "greedy"])
    pairing = ("bot greedy", "bot random")
    own = [game for found, game in rows(calm) if found == pairing]
    assert [game for _, game in rows(tmp_path / "one")] == own
    assert [game for _, game in rows(tmp_path / "other")] != own
    outcomes = [(game.returns, game.plies) for game in own]
    assert outcomes[:8] != outcomes[8:]  # two deals of block 0 and block 1


def test_every_pairing_plays_the_same_deals_from_all_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: dict[str, list[bytes]] = {}

    def watching(name: str) -> Any:
        def player(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            for observation in observations:
                explored = observation[0].any() or observation[1].any()
                if not explored and not observation[7, 5]:  # the first turn of a game: the mover has seat 0
                    starts.setdefault(name, []).append(observation.tobytes())
            return masks.argmax(axis=1)

        return lambda spec, seed: player

    for name in "xyz":
        monkeypatch.setitem(BOTS, name, watching(name))
    round_robin(["x", "y", "z"], "astralis", {"size": 8, "setup": "random"}, out=tmp_path, games=24, block=6)
    assert sorted(starts["x"]) == sorted(starts["y"]) == sorted(starts["z"])
    assert len(starts["x"]) == 24 + 1  # and one decision before the clock runs
    assert len(set(starts["x"])) > 6


def test_three_seats(tmp_path: Path) -> None:
    """Two players fill three seats with repetition; a third one makes it a set of three. All rotations are played."""
    two = round_robin(["random", "greedy"], "asterion", {"players": 3}, out=tmp_path, games=6, block=1)
    assert two.games == 12
    assert [standing.games for standing in two.players] == [12, 12]
    third = save_agent(tmp_path / "net.zip", 0, "asterion")
    three = round_robin(["random", third, "greedy"], "asterion", {"players": 3}, out=tmp_path, games=9, block=1)
    assert three.games == 12 + 9
    assert {standing.player: standing.games for standing in three.players} == {
        "greedy": 21,
        "random": 21,
        str(third): 9,
    }
    assert sum(standing.score * standing.games for standing in two.players) == pytest.approx(12 * 2 / 3, rel=0.5)
    for members, game in rows(tmp_path):
        assert len(members) == len(game.returns) == 3
        assert game.rotation in range(3)
        assert game.ended == "terminated"
    assert "33.3% is an even one" in three.table()


def test_three_seats_interrupted_and_resumed(tmp_path: Path) -> None:
    players = ["random", "greedy", *(save_agent(tmp_path / f"{seed}.zip", seed, "asterion") for seed in range(2))]

    def stop(done: int, games: int, pairing: str) -> None:
        if done > 14:
            raise KeyboardInterrupt

    def play(out: Path, **settings: Any) -> Standings:
        return round_robin(players, "asterion", {"players": 3}, out=out, games=6, block=1, **settings)

    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "stormy", progress=stop)
    assert len(rows(tmp_path / "stormy")) in (12, 15)
    assert play(tmp_path / "stormy").games == play(tmp_path / "calm").games == 4 * 6
    assert told(tmp_path / "stormy") == told(tmp_path / "calm")


@pytest.mark.parametrize(
    ("players", "seats", "expected"),
    [
        ("ba", 2, ["ab"]),
        ("cab", 2, ["ab", "ac", "bc"]),
        ("ab", 3, ["aab", "abb"]),
        ("cab", 3, ["abc"]),
        ("ba", 4, ["aaab", "aabb", "abbb"]),
        ("abc", 4, ["aaab", "aaac", "aabb", "aabc", "aacc", "abbb", "abbc", "abcc", "accc", "bbbc", "bbcc", "bccc"]),
        ("abcde", 4, ["abcd", "abce", "abde", "acde", "bcde"]),
    ],
)
def test_pairings(players: str, seats: int, expected: list[str]) -> None:
    assert ["".join(pairing) for pairing in pairings(list(players), seats)] == expected


def test_a_player_is_its_bytes_and_a_file_name_only_a_label(agents: list[Path], tmp_path: Path) -> None:
    play(tmp_path / "out", [agents[0], "random"])
    moved = tmp_path / "moved.zip"
    shutil.copy(agents[0], moved)
    same = play(tmp_path / "out", [moved, "random"])
    assert {standing.player for standing in same.players} == {str(moved), "random"}
    assert same.games == 12
    shutil.copy(agents[1], moved)
    both = play(tmp_path / "out", [moved, "random"])
    assert both.games == 24
    names = {standing.player: standing.identity for standing in both.players if standing.player != "random"}
    assert all(name == f"{moved} ({identity.split()[1][:8]})" for name, identity in names.items())
    assert len(names) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"options": {**SMALL, "size": 4}}, r"holds games with size=3, not size=4; choose another folder"),
        ({"game": "asterion", "options": {}}, r"holds games with astralis_v\d+, not asterion_v\d+; choose"),
        ({"seed": 7}, "holds games with seed=0, not seed=7"),
        ({"block": 5}, "holds games with block=4, not block=5"),
    ],
)
def test_other_games_are_not_mixed_in(calm: Path, tmp_path: Path, given: dict[str, Any], message: str) -> None:
    shutil.copytree(calm, tmp_path / "copy")
    before = told(tmp_path / "copy")
    with pytest.raises(ValueError, match=message):
        round_robin(
            ["random", "greedy"],
            **{"game": "astralis", "options": SMALL, "out": tmp_path / "copy", "games": 12, "block": 4, **given},
        )
    assert told(tmp_path / "copy") == before


def edit(out: Path, *statements: str) -> None:
    with sqlite3.connect(out / STORE) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def test_another_version_of_the_game_is_not_mixed_in(calm: Path, tmp_path: Path) -> None:
    shutil.copytree(calm, tmp_path / "copy")
    edit(tmp_path / "copy", "UPDATE facts SET value = '99' WHERE name = 'version'")
    with pytest.raises(ValueError, match=r"holds games with astralis_v99, not astralis_v\d+; choose"):
        play(tmp_path / "copy", ["random", "greedy"])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]), "is damaged"),
        (lambda file: file.write_bytes(b"hello" * 1000), "is damaged"),
        (lambda file: edit(file.parent, "DELETE FROM games WHERE deal = 1 AND rotation = 1"), "checksum"),
        (lambda file: edit(file.parent, "UPDATE games SET plies = plies + 1 WHERE deal = 1"), "checksum"),
        (lambda file: edit(file.parent, "UPDATE games SET returns = '[1' WHERE deal = 1"), "is damaged"),
        (lambda file: edit(file.parent, "DELETE FROM blocks WHERE block = 1"), "checksum"),
        (lambda file: edit(file.parent, "DELETE FROM facts WHERE name = 'seed'"), "is damaged"),
        (lambda file: edit(file.parent, "DROP TABLE thinking"), "no such table"),
        (lambda file: edit(file.parent, "PRAGMA user_version = 99"), "has format 99; this release reads 1"),
        (lambda file: edit(file.parent, "PRAGMA application_id = 0"), "is not an arena's"),
    ],
)
def test_damaged_store(calm: Path, tmp_path: Path, damage: Any, message: str) -> None:
    shutil.copytree(calm, tmp_path / "copy")
    damage(tmp_path / "copy" / STORE)
    with pytest.raises(ValueError, match=rf"{STORE}.*{message}"):
        play(tmp_path / "copy", ["random", "greedy"])
    with pytest.raises(ValueError, match=message):
        read_standings(tmp_path / "copy")


def test_a_store_that_was_killed_before_it_began_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / STORE).touch()
    assert play(tmp_path, ["random", "greedy"], games=2).games == 2


FACTS = Facts("toy", 0, {}, 2, 0, 2)


def results(first: int, deals: int = 2) -> list[GameResult]:
    return [GameResult(first + deal, turn, (1.0, -1.0), 5, "truncated") for deal in range(deals) for turn in range(2)]


def commit(store: Store, block: int, games: list[GameResult]) -> None:
    thinking = {"a": Thinking(3, 0.5), "b": Thinking(4, 0.25)}
    store.commit(("a", "b"), block, games, {"a": "A", "b": "B"}, thinking)


def test_no_game_is_kept_twice(tmp_path: Path) -> None:
    with Store(tmp_path, FACTS) as store:
        commit(store, 0, results(0))
        before = list(store.games()), store.thinking()
        with pytest.raises(ValueError, match="UNIQUE constraint failed: games"):
            commit(store, 1, results(1))
        assert (list(store.games()), store.thinking()) == before
        commit(store, 0, results(0))  # the same block again takes the place of the first
        assert (list(store.games()), store.thinking()) == before
    with Store(tmp_path, FACTS) as store:
        assert store.blocks() == {(("a", "b"), 0): 4}


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    with Store(tmp_path, FACTS) as store:
        commit(store, 0, results(0))
        [pages] = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(OSError, match=f"{STORE}.*full"):
            commit(store, 1, results(2, 1000))
        assert [game for _, game in store.games()] == results(0)
    with Store(tmp_path) as store:
        assert [game for _, game in store.games()] == results(0)


def test_two_processes_in_one_folder(calm: Path, tmp_path: Path) -> None:
    shutil.copytree(calm, tmp_path / "copy")
    with Store(tmp_path / "copy"):
        command = [sys.executable, "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('VACUUM')"]
        other = subprocess.run([*command, str(tmp_path / "copy" / STORE)], capture_output=True, text=True)
        assert "database is locked" in other.stderr
        with pytest.raises(FileExistsError, match="another process plays there"):
            play(tmp_path / "copy", ["random", "greedy"])
    play(tmp_path / "copy", ["random", "greedy"])


def test_results_as_tables_and_files(calm: Path) -> None:
    standings = read_standings(calm)
    assert standings.games == 180
    assert [standing.rank for standing in standings.players] == [1, 2, 3, 4, 5, 6]
    assert standings.players[0].player == "greedy"
    assert sum(standing.games for standing in standings.players) == 2 * 180
    assert sum(standing.score for standing in standings.players) == pytest.approx(3)
    for i, row in enumerate(standings.scores):
        assert row[i] is None
        for j, cell in enumerate(row):
            if cell is not None:
                other = standings.scores[j][i]
                assert other is not None
                assert (cell.games, cell.score) == (12, pytest.approx(1 - other.score))
    ranks = list(csv.DictReader(io.StringIO((calm / "ratings.csv").read_text())))
    assert [row["player"] for row in ranks] == [standing.player for standing in standings.players]
    by_name = {row["player"]: row for row in ranks}
    assert by_name["random"]["rating"] == "0.0"
    assert float(by_name["greedy"]["low"]) < float(by_name["greedy"]["rating"]) < float(by_name["greedy"]["high"])
    assert len((calm / "crosstable.csv").read_text().splitlines()) == 31
    table = standings.table().splitlines()
    assert table[2].split()[:2] == ["1", "greedy"]
    assert table[-1] == "400 points are odds of 10 to 1; random is 0."
    assert len(standings.cross_table().splitlines()) == 7


def test_counts_of_a_result_add_up(calm: Path) -> None:
    """Scores from the rows that are kept, in plain Python."""
    score, decisions = 0.0, 0
    for members, game in rows(calm):
        if "bot greedy" in members:
            seat = (members.index("bot greedy") - game.rotation) % 2
            own, other = game.returns[seat], game.returns[1 - seat]
            score += 1.0 if own > other else 0.5 if own == other else 0.0
        decisions += game.plies
    standings = read_standings(calm)
    assert standings.players[0].score == pytest.approx(score / 60)
    assert sum(standing.decisions for standing in standings.players) == decisions


def test_players_whom_no_games_connect_have_no_rating(agents: list[Path], tmp_path: Path) -> None:
    a, b, c, _ = agents
    play(tmp_path, ["random", a], games=2)
    standings = play(tmp_path, ["greedy", b, c], games=2)
    assert {standing.player for standing in standings.players if standing.rating is None} == {"random", str(a)}
    assert standings.zero == "the mean of the players"
    assert sum(standing.rating or 0 for standing in standings.players) == pytest.approx(0)
    assert "share no games" in standings.table()
    joined = play(tmp_path, ["random", "greedy"], games=2)
    assert all(standing.rating is not None for standing in joined.players)
    assert joined.zero == "random"


def test_a_player_with_a_time_to_think_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BOTS, "5ms", BOTS["random"])
    assert "cannot be repeated exactly" in play(tmp_path, ["random", "5ms"], games=2).table()
    assert "cannot be repeated exactly" not in play(tmp_path / "other", ["random", "greedy"], games=2).table()


def test_draws(tmp_path: Path) -> None:
    """Without stones nobody controls anything; without komi that is a draw."""
    options = {"size": 3, "stones": 0, "komi": 0.0, "stall_limit": 3}
    standings = round_robin(["random", "greedy"], "astralis", options, out=tmp_path, games=8)
    assert [standing.score for standing in standings.players] == [0.5, 0.5]
    assert [standing.rating for standing in standings.players] == pytest.approx([0, 0], abs=1e-6)
    assert "50.0% (8)" in standings.cross_table()


# Ratings


def drawn(strengths: np.ndarray, seats: int, deals: int, seed: int) -> Wins:
    """Games in which each player wins in proportion to its strength, as many of a deal as there are seats."""
    rng = np.random.default_rng(seed)
    found = list(combinations(range(len(strengths)), seats))
    shares = []
    for members in found:
        chances = np.exp(strengths[list(members)] - strengths[list(members)].max())
        shares.append(rng.multinomial(seats, chances / chances.sum(), size=deals))
    numbers = np.tile(np.arange(deals), len(found))
    return Wins(np.repeat(found, deals, axis=0), numbers, np.concatenate(shares).astype(float))


@pytest.mark.parametrize("seats", [2, 3])
def test_ratings_find_known_strengths(seats: int) -> None:
    strengths = np.array([-2.0, -0.5, 0.0, 0.2, 1.5])
    found = rate(drawn(strengths, seats, 2000, 0), 5, anchor=2)
    assert found.ratings == pytest.approx(POINTS * strengths, abs=20)
    assert found.ratings[2] == 0
    centred = rate(drawn(strengths, seats, 2000, 0), 5)
    assert centred.ratings.mean() == pytest.approx(0, abs=1e-6)
    assert centred.ratings - found.ratings == pytest.approx(centred.ratings[2], abs=1e-6)
    assert (np.diff(found.ratings) > 0).all()
    assert found.above[4, 0] == 1.0
    assert found.above[0, 4] == 0.0


def coverage(seats: int, deals: int, runs: int) -> float:
    """How often the interval holds a player's true distance from the field."""
    strengths = np.array([-3.0, -0.5, 0.0, 1.0])
    inside = []
    for seed in range(runs):
        wins = drawn(strengths, seats, deals, seed)
        found = rate(wins, 4)
        members = np.unique(wins.members, axis=0)
        games = np.full(members.shape, float(deals))
        field = ratings._information(members, games, found.ratings / POINTS)
        truth = POINTS * (strengths - strengths @ field)
        shift = found.ratings @ field
        inside.append((found.low - shift <= truth) & (truth <= found.high - shift))
    return float(np.mean(inside))


@pytest.mark.parametrize(("seats", "deals"), [(2, 100), (3, 20)])
def test_intervals_hold_the_truth_about_95_times_of_100(
    seats: int, deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings, "RESAMPLES", 80)
    assert 0.89 <= coverage(seats, deals, 25) <= 0.99


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "deals"), [(2, 10), (2, 200), (3, 50)])
def test_intervals_hold_the_truth_about_95_times_of_100_long(
    seats: int, deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings, "RESAMPLES", 200)
    assert 0.92 <= coverage(seats, deals, 100) <= 0.98


def test_two_players_have_the_interval_of_jeffreys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is known exactly, at 400 : 0 as elsewhere."""
    monkeypatch.setattr(ratings, "RESAMPLES", 1000)
    for won, lost in ((400, 0), (300, 100)):
        shares = np.repeat([[1.0, 0.0], [0.0, 1.0]], [won, lost], axis=0)
        wins = Wins(np.tile([0, 1], (400, 1)), np.arange(400), shares)
        found = rate(wins, 2)
        half = beta.ppf([0.025, 0.975], won + 0.5, lost + 0.5)
        expected = 200 * np.log10(half / (1 - half))
        assert [found.low[0], found.high[0]] == pytest.approx(expected, rel=0.1)


def test_players_who_lose_every_game_stay_finite_and_do_not_blur_the_others() -> None:
    strengths = np.array([-60.0, -30.0, 0.0, 0.2, 0.4])
    found = rate(drawn(strengths, 2, 100, 3), 5)
    for values in (found.ratings, found.low, found.high):
        assert np.isfinite(values).all()
    assert (np.diff(found.ratings[:3]) > 300).all()
    width = found.high - found.low
    assert width[0] > 500
    assert width[2:].max() < 120


def test_ratings_are_those_of_greatest_likelihood() -> None:
    """With two seats the same as choix finds for a table of wins, the drawn games included."""
    wins = drawn(np.array([-1.0, 0.0, 0.5]), 2, 30, 1)
    table = np.full((3, 3), 0.25)
    np.fill_diagonal(table, 0)
    for (a, b), (for_a, for_b) in zip(wins.members, wins.shares, strict=True):
        table[a, b] += for_a
        table[b, a] += for_b
    expected = POINTS * choix.ilsr_pairwise_dense(table)
    assert rate(wins, 3).ratings == pytest.approx(expected - expected.mean(), abs=0.01)


def test_a_player_in_several_seats_wins_more_often_for_it() -> None:
    """Two of equal strength: who has two of three seats wins two of three games."""
    wins = Wins(np.tile([0, 0, 1], (60, 1)), np.arange(60), np.tile([1.0, 1.0, 1.0], (60, 1)))
    assert rate(wins, 2).ratings == pytest.approx([0, 0], abs=0.1)


@pytest.mark.parametrize("deals", [1, 2])
def test_few_deals_say_little(deals: int) -> None:
    wins = Wins(np.tile([0, 1], (deals, 1)), np.arange(deals), np.tile([2.0, 0.0], (deals, 1)))
    found = rate(wins, 2)
    assert found.low[0] < 0 < found.high[0]
    assert np.isfinite([found.low, found.high]).all()


# The library's and the command's errors


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"players": ["random"]}, "players: must be at least two different ones, not random"),
        ({"players": ["random", "greedy", "random"]}, "players: must be at least two different ones"),
        ({"players": ["random", "nobody"]}, "'nobody'"),
        ({"games": 3}, "games=3: must be a multiple of 2"),
        ({"block": 0}, "block=0: must be a whole number, at least 1"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_arguments(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        play(tmp_path / "out", **{"players": ["random", "greedy"], **given})
    assert not (tmp_path / "out").exists()


def test_players_must_have_a_name(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be a bot's name or a file"):
        play(tmp_path / "out", ["random", lambda observations, masks: masks.argmax(axis=1)])
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError, match="is a file; name a folder"):
        play(tmp_path / "file", ["random", "greedy"])
    with pytest.raises(FileNotFoundError, match="there is no arena"):
        read_standings(tmp_path)


def test_an_agent_that_is_being_written(agents: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "agent.zip"
    shutil.copy(agents[0], file)
    load_agent = starboard.agents.load_agent

    def overtaken(path: Path, **settings: Any) -> Agent:
        agent = load_agent(path, **settings)
        shutil.copy(agents[file.read_bytes() == agents[0].read_bytes()], file)
        return agent

    monkeypatch.setattr("starboard.agents.load_agent", overtaken)
    with pytest.raises(ValueError, match="was written at the same time"):
        play(tmp_path / "out", [file, "random"])


def run(line: str) -> int:
    try:
        return main(line.split())
    except SystemExit as exit:
        return int(exit.code or 0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], agents: list[Path]) -> None:
    line = f"arena astralis random greedy {agents[0]} --size 3 --stall-limit 6 --games 4 --block 2 --out {tmp_path}"
    assert run(line) == 0
    out, err = capsys.readouterr()
    assert "rank  player" in out
    assert "row against column" in out
    assert "ladder.png" in out
    assert err == ""
    assert {path.name for path in tmp_path.iterdir()} == {
        "arena.json",
        "arena.sqlite",
        "crosstable.csv",
        "ladder.png",
        "ladder.svg",
        "ratings.csv",
    }
    assert run(f"plot {tmp_path} --out {tmp_path / 'again.svg'}") == 0
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "ladder.svg").read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("arena", "the following arguments are required"),
        ("arena astralis random greedy", "--out"),
        ("arena chess random greedy --out {0}", "no game 'chess' is installed"),
        ("arena astralis random --out {0}", "at least two different ones"),
        ("arena astralis random nobody --out {0}", "nobody"),
        ("arena astralis random greedy --games 3 --out {0}", "must be a multiple of 2"),
        ("arena astralis random greedy --size 99 --out {0}", "must be a whole number from 3 to 8"),
        ("arena astralis random greedy --block no --out {0}", "--block"),
        ("plot {0}", "holds neither an arena's results nor a training run"),
        ("plot {0} --out {0}", "must be a file"),
    ],
)
def test_the_command_refuses(line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.format(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_ctrl_c_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any, **settings: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("starboard.arena.round_robin", interrupted)
    assert run(f"arena astralis random greedy --out {tmp_path}") == 130
    assert "give the same command again" in capsys.readouterr().err


def test_progress_is_shown_where_somebody_looks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"arena astralis random greedy --size 3 --games 4 --block 1 --out {tmp_path}"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run(line) == 0
    assert "4 of 4 games, greedy - random\n" in capsys.readouterr().err
    assert run(f"{line} --quiet") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("package", "message"),
    [("choix", "There are no ratings without choix"), ("matplotlib", "The ladder is not drawn: matplotlib is needed")],
)
def test_without_an_extra(
    package: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "starboard.render.plots")
    assert run(f"arena astralis random greedy --size 3 --games 4 --out {tmp_path}") == 0
    out = capsys.readouterr().out
    assert message in out
    assert "pip install" in out
    assert "row against column" in out
    assert not (tmp_path / "ladder.png").exists()
    assert run(f"plot {tmp_path}") == 2
    assert "pip install" in capsys.readouterr().err


# Plots


def test_ladder_shows_every_rated_player(calm: Path, tmp_path: Path) -> None:
    facts = read_standings(calm).to_dict()
    axes = ladder(facts).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [player["player"] for player in facts["players"]]
    [points] = [line for line in axes.lines if line.get_marker() == "o"]
    assert points.get_xdata().tolist() == [player["rating"] for player in facts["players"]]
    for kind in ("png", "svg"):
        for name in "xy":
            save(ladder(facts), tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"x.{kind}").read_bytes() == (tmp_path / f"y.{kind}").read_bytes()
    with pytest.raises(ValueError, match=r"must end with \.png or \.svg"):
        save(ladder(facts), tmp_path / "x.gif")


def test_training_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of a run's history with Wilson's intervals; lengths and entropy from its TensorBoard files."""
    from torch.utils.tensorboard import SummaryWriter

    from starboard.render.plots import training_curves

    save_agent(tmp_path / "agent.zip", 0)
    history = [
        {"timesteps": 1000 * k, "minutes": 0.1 * k, "games": 100, "scores": {"random": 0.9, "greedy": 0.1 * k}}
        for k in range(1, 6)
    ]
    (tmp_path / "history.json").write_text(json.dumps(history))
    with SummaryWriter(str(tmp_path / "tensorboard")) as writer:
        for step in range(0, 5000, 500):
            writer.add_scalar("rollout/ep_len_mean", 20 + step / 1000, step)
            writer.add_scalar("train/entropy_loss", -3 + step / 5000, step)
    scores, lengths, entropy = training_curves(tmp_path).axes[:3]
    assert [text.get_text() for text in scores.get_legend().get_texts()] == ["against random", "against greedy"]
    assert scores.lines[1].get_ydata().tolist() == [point["scores"]["greedy"] for point in history]
    assert lengths.lines[0].get_ydata()[0] == 20
    assert entropy.lines[0].get_ydata()[:2] == pytest.approx([3, 2.9])
    assert [path.name for path in plot(tmp_path)] == ["training.png", "training.svg"]
    shutil.rmtree(tmp_path / "tensorboard")
    assert len(training_curves(tmp_path).axes) == 1
    (tmp_path / "history.json").write_text('[{"timesteps": 1000, "minutes": 0.1, "random": 0.9}]')
    with pytest.raises(ValueError, match="other measurements"):
        plot(tmp_path)
    (tmp_path / "history.json").write_text("[]")
    with pytest.raises(ValueError, match="was not measured yet"):
        plot(tmp_path)
    (tmp_path / "history.json").write_text("[{")
    with pytest.raises(ValueError, match=r"history\.json: is damaged"):
        plot(tmp_path)
