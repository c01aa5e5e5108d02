"""Game records: what is written comes back, from every loop; what was altered is noticed, and where."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starboard
from asteria_envs import asteria_v0
from asterion_envs import asterion_v0
from astralis_envs import astralis_v0
from starboard.arena import evaluate
from starboard.batch import Batch
from starboard.cli import main
from starboard.records import (
    GameRecord,
    Recorder,
    Redeal,
    from_line,
    positions,
    read,
    record,
    start_seed,
    to_line,
    verify,
)
from starboard.spec import GameSpec
from starboard.state import GameState, packed
from starboard.terminal import Terminal

GAMES: dict[str, dict[str, Any]] = {
    "astralis": {"size": 3, "stall_limit": 4, "setup": "random"},
    "asterion": {"players": 3},
    "asteria": {"max_turns": 6},
}
MODULES = {"astralis": astralis_v0, "asterion": asterion_v0, "asteria": asteria_v0}


@pytest.fixture(autouse=True)
def no_word_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARBOARD_QUIET", "1")


def lowest(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


class Thinker:
    """A player with probabilities: it prefers the last legal action, and plays the first."""

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        weights = masks * np.arange(1, masks.shape[1] + 1)
        return weights / weights.sum(axis=1, keepdims=True)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.argmax(axis=1)


def random_game(spec: GameSpec, seed: int) -> tuple[GameRecord, GameState]:
    """A game of random moves, and where it ended."""
    state = GameState(spec, seed)
    draw = np.random.default_rng(seed)
    actions = []
    while not state.over:
        actions.append(int(draw.choice(state.legal_actions())))
        state.step(actions[-1])
    return GameRecord.of(spec, start_seed(seed), actions), state


@cache
def small(seed: int = 0) -> GameRecord:
    return random_game(starboard.load("astralis", **GAMES["astralis"]), seed)[0]


def play(env: Any, seed: int | None, draw: np.random.Generator, plies: int = 10_000) -> None:
    env.reset(seed=seed)
    for agent in env.agent_iter(plies):
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
        else:
            env.step(draw.choice(env.unwrapped.legal_actions()))


def write(path: Path, *records: GameRecord) -> bytes:
    recorder = Recorder(path)
    for game in records:
        recorder.append(game)
    return path.read_bytes()


def forged(game: GameRecord, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The line of ``game`` after ``change``, with a checksum that fits."""
    facts = json.loads(to_line(game))
    del facts["crc32"]
    change(facts)
    content = json.dumps(facts, separators=(",", ":"))[:-1].encode()
    return b'%s,"crc32":"%08x"}\n' % (content, zlib.crc32(content))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    spec = starboard.load(name, **GAMES[name])
    made, last = random_game(spec, 5)
    write(tmp_path / "games", made)
    (game,) = read(tmp_path / "games")
    assert game == made
    assert game.spec is spec
    verify(game)
    states = list(positions(game))
    assert len(states) == game.plies + 1
    assert [state.describe(action) for state, action in zip(states, game.actions, strict=False)] == list(game.moves)
    assert packed(states[-1].records).tobytes() == packed(last.records).tobytes()
    assert game.returns == tuple(last.returns())


def test_a_line_is_plain_json() -> None:
    facts = json.loads(to_line(small()))
    assert facts["format"] == 1
    assert (facts["game"], facts["version"], facts["options"]["size"]) == ("astralis", 0, 3)
    assert facts["result"]["plies"] == len(facts["actions"]) == len(facts["moves"])
    assert facts["result"]["end"] == "terminated"
    assert list(facts)[-1] == "crc32"


def test_cards_from_a_file_are_in_the_record(tmp_path: Path) -> None:
    cards = (Path(asteria_v0.__file__).parent / "data" / "reference.toml").read_text().replace("Garnet", "Pebble")
    (tmp_path / "deck.toml").write_text(cards)
    game, _ = random_game(starboard.load("asteria", deck=str(tmp_path / "deck.toml"), max_turns=2), 0)
    (tmp_path / "deck.toml").unlink()
    again = from_line(to_line(game))
    assert "Pebble" in again.options["deck"]
    verify(again)


@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize("name", GAMES)
def test_the_environment_records_its_games(name: str, kind: str, tmp_path: Path) -> None:
    env = record(getattr(MODULES[name], kind)(**GAMES[name]), tmp_path / "games", [*"xyz"][: 3 - (name != "asterion")])
    draw = np.random.default_rng(0)
    ends = []
    for seed in (7, None, None, 2**64 - 1):
        play(env, seed, draw)
        ends.append((env.unwrapped.start_seed, packed(env.unwrapped.game.records).tobytes()))
    games = list(read(tmp_path / "games"))
    assert games[0].seed == start_seed(7)
    assert games[0].names[:2] == ("x", "y")
    assert len({game.seed for game in games}) == 4
    for game, (seed, end) in zip(games, ends, strict=True):
        verify(game)
        assert game.seed == seed
        *_, last = positions(game)
        assert packed(last.records).tobytes() == end


def test_an_illegal_move_is_recorded(tmp_path: Path) -> None:
    env = record(astralis_v0.raw_env(size=3, setup="random"), tmp_path / "games")
    env.reset(seed=0)
    env.step(env.legal_actions()[0])
    mover = env.unwrapped.game.to_move
    illegal = int(np.flatnonzero(env.unwrapped.game.mask == 0)[0])
    env.step(np.int64(illegal))
    for _ in range(2):
        env.step(None)
    (game,) = read(tmp_path / "games")
    verify(game)
    assert (game.end, game.illegal, game.plies) == ("illegal", illegal, 1)
    assert game.returns == tuple(-1.0 if seat == mover else 0.0 for seat in range(2))
    with pytest.raises(ValueError, match="illegal at the end"):
        verify(replace(game, illegal=game.spec.num_actions))


def test_what_raises_is_not_recorded(tmp_path: Path) -> None:
    env = record(astralis_v0.env(size=3, stall_limit=2, illegal="raise"), tmp_path / "games")
    env.reset(seed=0)
    for move in ("e2", "a2", "d2", "b2"):
        for wrong, error in (
            (-1, ValueError),
            (True, TypeError),
            ("e2", TypeError),
            (env.spec.num_actions - 1, ValueError),
        ):
            with pytest.raises(error):
                env.step(wrong)
        env.step(np.array(env.parse_action(move)))
    (game,) = read(tmp_path / "games")
    assert game.moves == ("e2", "a2", "d2", "b2")
    assert game.end == "terminated"


def test_games_broken_off_or_changed_from_outside_are_left_out(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    env = record(astralis_v0.env(**GAMES["astralis"]), tmp_path / "games")
    play(env, 0, draw, plies=3)
    saved = env.unwrapped.to_bytes()
    play(env, 1, draw, plies=3)
    env.unwrapped.from_bytes(saved)
    while not env.unwrapped.game.over:
        env.step(env.unwrapped.legal_actions()[0])
    env.reset(seed=2)
    env.unwrapped.step(env.unwrapped.legal_actions()[0])
    while not env.unwrapped.game.over:
        env.step(env.unwrapped.legal_actions()[0])
    assert list(read(tmp_path / "games")) == []
    play(env, 3, draw)
    assert [game.seed for game in read(tmp_path / "games")] == [start_seed(3)]


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_records_on(twin: Callable[[Any], Any], tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    env = record(astralis_v0.env(**GAMES["astralis"]), tmp_path / "games")
    play(env, 0, draw, plies=2)
    for copied in (twin(env), env):
        while not copied.unwrapped.game.over:
            copied.step(draw.choice(copied.unwrapped.legal_actions()))
    one, other = read(tmp_path / "games")
    for game in (one, other):
        verify(game)
    assert one.actions[:2] == other.actions[:2]
    assert one.actions != other.actions


def test_the_wrapper_says_what_it_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be an environment of this library"):
        record(object(), tmp_path / "games")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"names=\['a'\]: must be 2 texts"):
        record(astralis_v0.env(), tmp_path / "games", ["a"])
    assert not (tmp_path / "games").exists()


@pytest.mark.parametrize("name", GAMES)
def test_a_match_records_its_games(name: str, tmp_path: Path) -> None:
    players = starboard.load(name, **GAMES[name]).num_players
    settings: dict[str, Any] = {"games": 3 * players, "seed": 4, "num_envs": 4}
    result = evaluate("greedy", "random", name, GAMES[name], records=tmp_path / "games", **settings)
    assert result == evaluate("greedy", "random", name, GAMES[name], **settings)
    games = list(read(tmp_path / "games"))
    assert len(games) == result.games
    assert {game.seed for game in games} == {start_seed(4, start) for start in range(3)}
    assert np.mean([game.plies for game in games]) == result.mean_plies
    outcomes = []
    for game in games:
        verify(game)
        assert sorted(game.names) == ["greedy"] + ["random"] * (players - 1)
        own = game.returns[game.names.index("greedy")]
        best = max(value for value, player in zip(game.returns, game.names, strict=True) if player == "random")
        outcomes.append(np.sign(own - best))
    assert [outcomes.count(sign) for sign in (1, 0, -1)] == [result.wins, result.draws, result.losses]


def test_probabilities_are_recorded_where_there_are_any(tmp_path: Path) -> None:
    evaluate(Thinker(), "random", "astralis", GAMES["astralis"], games=4, records=tmp_path / "games")
    for game in read(tmp_path / "games"):
        verify(game)
        own = game.names.index("Thinker")
        assert game.probabilities is not None
        for state, thoughts in zip(positions(game), game.probabilities, strict=False):
            assert (thoughts is None) == (state.to_move != own)
            if thoughts is not None:
                assert list(thoughts) == state.legal_actions()[:-6:-1]
                assert list(thoughts.values()) == sorted(thoughts.values(), reverse=True)
                assert sum(thoughts.values()) <= 1.001


def test_a_batch_starts_the_games_that_start_seed_says() -> None:
    spec = starboard.load("astralis", **GAMES["astralis"])
    batch = Batch(spec, 3, seed=9)
    now = batch.look()
    actions: list[int] = []
    ended = 0
    while ended < 2:
        chosen = batch.sample(now.action_masks)
        now = batch.step(chosen)
        actions.append(int(chosen[1]))
        if 1 in now.ended:
            game = GameRecord.of(spec, start_seed(9, 1, ended), actions)
            assert game.returns == tuple(now.rewards[1])
            actions.clear()
            ended += 1


@pytest.mark.parametrize("name", GAMES)
def test_a_game_in_the_terminal_is_recorded_with_what_was_taken_back(name: str) -> None:
    """The game is what was played in the end, with the cards that were dealt anew."""
    spec = starboard.load(name, **GAMES[name])
    draw = np.random.default_rng(3)
    plan = [0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1]

    def ask(prompt: str) -> str:
        if plan and plan.pop(0):
            return "undo"
        state = terminal.state
        return state.describe(draw.choice(state.legal_actions()))

    terminal = Terminal(GameState(spec, 2), Thinker(), 1, ask=ask, say=lambda text: None)
    terminal.play()
    game = GameRecord.of(
        spec,
        start_seed(2),
        terminal.actions,
        redeals=terminal.redeals,
        probabilities=terminal.probabilities,
    )
    assert game.redeals
    again = from_line(to_line(game))
    assert again == game
    verify(again)
    *_, last = positions(again)
    assert packed(last.records).tobytes() == packed(terminal.state.records).tobytes()
    assert any(game.probabilities or ())


def test_the_command_line_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games"
    options = ["--size", "3", "--stall-limit", "2"]
    assert (
        main(["evaluate", "greedy", "random", "--game", "astralis", *options, "--games", "4", "--records", str(file)])
        == 0
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("e2\nd2\n"))
    monkeypatch.setattr("starboard.bots.greedy.GreedyBot.choose", lambda self, *given: lowest(*given[2:]))
    assert main(["play", "astralis", *options, "--seed", "1", "--records", str(file)]) == 0
    assert f"starboard replay {file}" in capsys.readouterr().out
    *_, game = read(file)
    verify(game)
    assert game.names == ("person", "greedy")
    assert game.seed == start_seed(1)
    assert game.moves[::2] == ("e2", "d2")
    before = file.read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert main(["play", "astralis", "--records", str(file)]) == 0
    assert "the game is not over" in capsys.readouterr().out
    assert file.read_bytes() == before


def test_a_file_cut_anywhere_still_gives_the_games_before(tmp_path: Path) -> None:
    file = tmp_path / "games"
    games = [small(seed) for seed in range(2)]
    data = write(file, *games)
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for length in range(len(data)):
        file.write_bytes(data[:length])
        whole = sum(end <= length for end in ends)
        found = read(file)
        for number in range(whole):
            assert next(found) == games[number]
        if length in (0, *ends):
            assert list(found) == []
        else:
            with pytest.raises(ValueError, match=f"{re.escape(str(file))}, line {whole + 1}: is cut short"):
                next(found)


@pytest.mark.parametrize("flip", [1, 128])
def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path, flip: int) -> None:
    file = tmp_path / "games"
    games = [small(seed) for seed in range(2)]
    data = write(file, *games)
    first = len(to_line(games[0]))
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= flip
        file.write_bytes(damaged)
        number = 1 + (place >= first)
        found = read(file)
        if number == 2:
            assert next(found) == games[0]
        with pytest.raises(ValueError, match=f", line {number}: "):
            next(found)


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(facts: dict[str, Any]) -> None:
        for name in path[:-1]:
            facts = facts[name]
        facts[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("format", to=2), "has format 2; this release reads 1"),
        (_set("format", to=None), "has format None"),
        (_set("game", to="chess"), "not installed here: no game 'chess'"),
        (_set("game", to="asteria"), "not installed here: asteria has no option"),
        (_set("game", to=3), "game=3: must be a text"),
        (_set("version", to=7), "rules of astralis_v7; installed is astralis_v0"),
        (_set("version", to="0"), "version='0': must be a whole number"),
        (_set("options", "size", to=99), "size=99: must be a whole number from"),
        (_set("options", "size", to=4), r"actions=\d+: must be|actions: are|ply"),
        (_set("options", to={}), "options: must be all of the game's"),
        (_set("options", to=[]), r"options=\[\]: must be an object"),
        (_set("options", "colour", to="red"), "has no option 'colour'"),
        (_set("seed", to=-1), "seed=-1: must be a whole number from 0"),
        (_set("seed", to=2**64), "must be a whole number from 0"),
        (_set("seed", to=1.0), "seed=1.0: must be"),
        (_set("names", to=["a"]), r"names=\['a'\]: must be a list of 2"),
        (_set("names", 0, to=1), "names=1: must be a text"),
        (_set("actions", 0, to=True), "actions=True: must be"),
        (_set("actions", 0, to=100_000), "actions=100000: must be"),
        (_set("actions", to="1234"), "actions='1234': must be a list"),
        (_set("actions", to=[0] * 100_000), "actions: are 100000; no game has more than"),
        (_set("moves", to=[]), r"moves=\[\]: must be a list of"),
        (_set("result", to=[]), r"result=\[\]: must have"),
        (_set("result", "score", to=1), "must have returns, plies and end"),
        (_set("result", "end", to="won"), "end='won': must be one of"),
        (_set("result", "end", to="illegal"), "with illegal beside it"),
        (_set("result", "illegal", to=3), "with illegal beside it"),
        (_set("result", "plies", to=3), "plies=3: there are"),
        (_set("result", "returns", to=[1, float("inf")]), "returns=inf: must be a number"),
        (_set("redeals", to=[[0, 2, 1]]), "seat=2: must be a whole number from 0 to 1"),
        (_set("redeals", to=[[0, 1]]), r"redeals=\[0, 1\]: must be a list of 3"),
        (_set("probabilities", to=[]), r"probabilities=\[\]: must be a list of"),
        (_set("comment", to="?"), "fields: none missing, comment unknown"),
        (lambda facts: facts.pop("seed"), "fields: seed missing, none unknown"),
    ],
)
def test_a_line_that_is_none_says_why(change: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_bytes(to_line(small(1)) + forged(small(), change))
    found = read(file)
    assert next(found) == small(1)
    with pytest.raises(ValueError, match=message) as caught:
        verify(next(found))
    if "ply" not in message:
        assert f"{file}, line 2: " in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a game"),
        (b'{"format":' + b"[" * 100_000, "is not JSON"),
        (b'{"format":1', "fields: game"),
        (b'{"format":' + b"1" * 5000, "is not JSON"),
        (b'["format"', "is not JSON"),
    ],
)
def test_other_content_with_a_checksum_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_line(b'%s,"crc32":"%08x"}\n' % (content, zlib.crc32(content)) if content else b"\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda game: {"actions": (game.actions[1], *game.actions[1:])}, r"ply \d: action="),
        (lambda game: {"actions": game.actions[:-1], "moves": game.moves[:-1]}, "the game is not over after these"),
        (lambda game: {"actions": (*game.actions, 0), "moves": (*game.moves, "a1")}, "the game is over"),
        (lambda game: {"moves": (*game.moves[:2], "e1", *game.moves[3:])}, "ply 2: action .* is '.*', not 'e1'"),
        (lambda game: {"returns": game.returns[::-1]}, r"returns: is \(.*\) after these actions, not"),
        (lambda game: {"end": "truncated"}, "end: is 'terminated' after these actions, not 'truncated'"),
        (lambda game: {"redeals": (Redeal(game.plies + 1, 0, 0),)}, "redeals: .* is out of order, or after the end"),
        (lambda game: {"redeals": (Redeal(2, 0, 0), Redeal(1, 0, 0))}, "redeals: .* is out of order"),
        (lambda game: {"probabilities": ({10_000: 1.0}, *[None] * (game.plies - 1))}, "at ply 0, 10000: 1.0 is not a"),
        (lambda game: {"probabilities": ({game.actions[0]: 2.0}, *[None] * (game.plies - 1))}, "at ply 0, .*: 2.0 is"),
        (lambda game: {"version": 3}, "rules of astralis_v3"),
    ],
)
def test_a_game_against_the_rules_is_not_verified(change: Callable[[GameRecord], Any], message: str) -> None:
    """Also where the checksum fits, for somebody made it anew."""
    game = small()
    verify(game)
    with pytest.raises(ValueError, match=message):
        verify(replace(game, **change(game)))


def test_another_seed_gives_another_game() -> None:
    game, _ = random_game(starboard.load("asteria", **GAMES["asteria"]), 0)
    with pytest.raises(ValueError, match="ply"):
        verify(replace(game, seed=game.seed + 1))


def test_appending_after_a_cut_line_loses_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "games"
    first, second, third = (small(seed) for seed in range(3))
    whole, line = write(file, first), to_line(second)
    for length in range(len(line)):
        file.write_bytes(whole + line[:length])
        if length:
            with pytest.warns(RuntimeWarning, match="its last line was cut short; it is removed"):
                recorder = Recorder(file)
        else:
            recorder = Recorder(file)
        recorder.append(third)
        assert list(read(file)) == [first, third]


def test_a_long_line_that_was_cut_is_found(tmp_path: Path) -> None:
    file = tmp_path / "games"
    whole = write(file, small())
    file.write_bytes(whole + b'{"format":1' + b" " * 100_000)
    with pytest.warns(RuntimeWarning, match="cut short"):
        Recorder(file)
    assert file.read_bytes() == whole
    file.write_bytes(b'{"format":1' + b" " * 100_000)
    with pytest.warns(RuntimeWarning, match="cut short"):
        Recorder(file)
    assert file.read_bytes() == b""


@pytest.mark.parametrize("content", [b"notes", b"{}\n", b"\n", b"\0" * 100])
def test_another_file_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="holds something else than games"):
        Recorder(file)
    with pytest.raises(ValueError, match="holds something else than games"):
        evaluate("random", "random", "astralis", games=2, records=file)
    assert file.read_bytes() == content


def test_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        list(read(tmp_path / "games"))


def test_a_full_disk_leaves_the_games_before(tmp_path: Path) -> None:
    file = tmp_path / "games"
    before = write(file, small())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
    try:
        with pytest.raises(OSError, match="space"):
            Recorder(file).append(small(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == before


def test_several_writers_do_not_mix_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "games"
    games = [small(seed) for seed in range(4)]

    def append(game: GameRecord) -> None:
        for _ in range(25):
            Recorder(file).append(game)

    writers = [threading.Thread(target=append, args=(game,)) for game in games]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = [game.seed for game in read(file)]
    assert {seed: found.count(seed) for seed in found} == {game.seed: 25 for game in games}


WRITE = """
import sys
from starboard.arena import evaluate
while True:
    evaluate("random", "random", "astralis", {"size": 3, "stall_limit": 4}, games=50, seed=None, records=sys.argv[1])
"""


def test_a_killed_process_leaves_whole_games(tmp_path: Path) -> None:
    file = tmp_path / "games"
    with subprocess.Popen([sys.executable, "-c", WRITE, str(file)], stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and (not file.exists() or file.stat().st_size < 20_000):
                time.sleep(0.01)
        finally:
            os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    data = file.read_bytes()
    file.write_bytes(data[: data.rfind(b"\n") + 1])
    games = list(read(file))
    assert len(games) > 20
    for game in games:
        verify(game)
    assert len(data) == len(file.read_bytes())  # each game is one call to the system: not even the last was cut
