"""One game in Python: checked calls, and a record that errors leave alone."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import starboard
from starboard import registry
from starboard.spec import Game, GameSpec, Option
from starboard.state import GameState, as_action, as_seed, pack, packed, sealed


@pytest.fixture
def state():
    return GameState(starboard.load("astralis", size=4), seed=1)


def finish(state):
    while not state.over:
        state.step(state.legal_actions()[0])
    return state


def test_a_game(state):
    assert state.to_move == 0
    assert not state.over
    assert state.legal_actions() == [state.parse("g2"), state.parse("g3")]
    assert (np.flatnonzero(state.mask) == state.legal_actions()).all()
    assert state.returns().tolist() == [0, 0]
    state.step(state.parse("g2"))
    assert state.to_move == 1
    assert state.record["ply"] == 1
    finish(state)
    assert state.over
    assert state.legal_actions() == []
    assert not state.mask.any()
    assert sorted(state.returns().tolist()) == [-1, 1]
    assert type(state.to_move) is int
    assert type(state.terminated) is bool


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (260, ValueError, r"action=260: must be in 0 \.\. 259"),
        (-1, ValueError, r"action=-1: must be in 0 \.\. 259"),
        (0, ValueError, r"action=0 \(a1\): is illegal here; legal_actions\(\) lists the legal ones"),
        (1, ValueError, r"action=1 \(a1\*a2\): is illegal here"),
        (4, ValueError, r"action=4 \(a1\*off the board\): is illegal here"),
        (259, ValueError, r"action=259 \(pass\): is illegal here"),
        (224.0, TypeError, r"action=224\.0: must be an int or a NumPy integer, not float"),
        (True, TypeError, "action=True: must be an int"),
        ("f1", TypeError, "action='f1': must be an int"),
        (None, TypeError, "action=None: must be an int"),
    ],
)
def test_what_may_not_be_played_changes_nothing(state, action, error, message):
    for _ in range(2):
        before = state.to_bytes()
        with pytest.raises(error, match=message):
            state.step(action)
        with pytest.raises(error, match=message):
            state.check(action)
        assert state.to_bytes() == before
        state.step(state.legal_actions()[0])
    finish(state)


def test_a_finished_game_takes_no_action(state):
    finish(state)
    before = state.to_bytes()
    with pytest.raises(RuntimeError, match="action=5: the game is over; start a new one"):
        state.step(5)
    with pytest.raises(ValueError, match="action=260: must be in"):
        state.step(260)
    assert state.to_bytes() == before


def test_observations_are_for_seats_that_exist(state, grab):
    for seat in (-1, 2, 10):
        with pytest.raises(ValueError, match=rf"player={seat}: must be in 0 \.\. 1"):
            state.observation(seat)
    three = GameState(grab(), 0)
    for seat in (0, 1, 2):
        alike = [three.observation(kind(seat)) for kind in (int, np.int8, np.int64)]
        assert alike[0].shape == (5, 9)
        assert all((alike[0] == other).all() for other in alike)
    with pytest.raises(ValueError, match=r"player=3: must be in 0 \.\. 2"):
        three.observation(3)


def test_what_was_handed_out_is_never_written_again(state):
    kept = []
    while not state.over:
        arrays = [state.mask, state.observed, state.observation(0), state.observation(1), state.returns()]
        kept += [(array, array.copy()) for array in arrays]
        state.step(state.legal_actions()[-1])
    assert all((array == saved).all() for array, saved in kept)


def test_seeds():
    spec = starboard.load("astralis", setup="random")
    ships = {tuple(GameState(spec, seed).record["ship"].tolist()) for seed in range(200)}
    assert len(ships) == 36  # all pairs of six hexes each
    assert GameState(spec, 5).to_bytes() == GameState(spec, np.uint64(5)).to_bytes()
    assert GameState(spec).to_bytes() != GameState(spec).to_bytes()
    for seed in (-1, 2**64, 1.0, "1", True, [1]):
        with pytest.raises(ValueError, match="must be None or a whole number from 0 to"):
            GameState(spec, seed)


def test_seeds_and_actions_as_numbers():
    assert as_seed(2**64 - 1) == 2**64 - 1
    assert type(as_seed(np.int8(3))) is np.uint64
    assert type(as_seed(None)) is np.uint64
    assert type(as_action(np.int8(3), 5)) is int
    assert as_action(np.array(3), 5) == 3


def test_bytes_say_what_they_are(state):
    state.step(state.legal_actions()[0])
    good = state.to_bytes()
    spec = state.spec
    assert GameState.from_bytes(spec, good).to_bytes() == good
    assert GameState.from_bytes(spec, bytearray(good)).to_bytes() == good
    two = pack(spec, np.concatenate([state.records, state.records]))
    for data, message in (
        (GameState(starboard.load("astralis", size=5), 0).to_bytes(), "was played with options size=5"),
        (sealed(good[9:].replace(b"astralis_v0", b"astralis_v9")), "is a game of astralis_v9, not of astralis_v0"),
        (two, "holds 2 games, not one"),
        (good[:-1], r"cut short or damaged"),
        (good + b"\0", "cut short or damaged"),
        (good[: good.index(b"\n")], "is not a saved game"),
        (good.replace(b"astralis_v0", b"astralis_v9"), "checksum"),
        (b"PK\x03\x04 some other file\n", "is not a saved game"),
        (b"", "is not a saved game"),
    ):
        with pytest.raises(ValueError, match=message):
            GameState.from_bytes(spec, data)


def test_bytes_are_the_same_for_the_same_game(state):
    """Padding between the fields of a record, which copies leave undefined, is not in them."""
    played = state.clone()
    finish(played)
    rooms = [np.full(1, byte, np.uint8).repeat(state.records.nbytes).view(state.records.dtype) for byte in (0, 255)]
    for room in rooms:
        for name in state.records.dtype.names:
            room[name] = state.records[name]
    assert pack(state.spec, rooms[0]) == pack(state.spec, rooms[1]) == state.to_bytes()
    assert packed(state.records).tobytes() in state.to_bytes()


def test_bytes_are_read_in_another_process(state):
    """And whatever the tag: it changes with the sources, and is left out."""
    finish(state)
    code = (
        "import sys, starboard; from starboard.state import GameState\n"
        "state = GameState.from_bytes(starboard.load('astralis', size=4), sys.stdin.buffer.read())\n"
        "sys.stdout.buffer.write(state.to_bytes())"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], input=state.to_bytes(), capture_output=True, check=True, env=environment
    )
    assert done.stdout == state.to_bytes()
    assert state.records.dtype.names[0].encode() not in state.to_bytes()


def test_text_and_notation(state):
    assert str(state).splitlines()[-1] == "player 0 puts their ship"
    assert state.describe(state.parse("G2")) == "g2"
    with pytest.raises(ValueError, match="'h1': there is no cell 'h1'"):
        state.parse("h1")
    with pytest.raises(ValueError, match=r"action=260: must be in"):
        state.describe(260)


# Specs and the registry.


def test_specs_are_the_same_object_for_the_same_options():
    spec = starboard.load("astralis", size=5)
    assert starboard.load("astralis", size=5, komi=3.5) is spec
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert copy.deepcopy(spec) is spec
    assert spec.id == "astralis_v0"
    assert spec.agents == ["player_0", "player_1"]
    assert repr(spec).startswith("<astralis_v0(size=5, stones=30, komi=3.5,")
    with pytest.raises(AttributeError):
        spec.num_players = 3
    with pytest.raises(TypeError):
        spec.options["size"] = 4
    with pytest.raises(ValueError, match="read-only"):
        spec.params["size"] = 4


def test_unknown_games():
    with pytest.raises(ValueError, match=r"no game 'chess' is installed; there are: .*astralis"):
        starboard.load("chess")
    with pytest.raises(TypeError, match="astralis has no option 'colour', 'siez'; its options are size, stones"):
        starboard.load("astralis", siez=4, colour=1)


def test_without_any_game(monkeypatch):
    monkeypatch.setattr(registry, "_installed", dict)
    with pytest.raises(ValueError, match="no game 'astralis' is installed; there are: none"):
        starboard.load("astralis")


def test_options_of_any_type():
    number, fraction = Option("n", 3, "", low=1, high=5), Option("f", 0.5, "", low=0, high=2, step=0.5)
    flag, word = Option("b", False, ""), Option("s", "a", "", choices=("a", "b"))
    assert [option.check(option.default) for option in (number, fraction, flag, word)] == [3, 0.5, False, "a"]
    assert type(number.check(np.int64(2))) is int
    assert type(number.check(2.0)) is int
    assert type(fraction.check(1)) is float
    assert flag.check(np.True_) is True
    for option, values in (
        (number, [0, 6, 2.5, "3", None, True, float("nan"), float("inf"), [3], 10**40]),
        (fraction, [0.25, -0.5, 2.5, "1", None, False, float("nan")]),
        (flag, [0, 1, "True", None]),
        (word, ["c", "", None, 0, b"a"]),
    ):
        for value in values:
            with pytest.raises(ValueError, match=rf"^{option.name}=.*: must be "):
                option.check(value)


def test_an_option_that_is_a_file_has_its_content_for_a_value(toy, tmp_path):
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("3 1 2")
    two.write_text("1\n2\n3\n")
    (option,) = toy.options
    assert option.allowed == "a file or 'none'"
    assert option.check("none") == "none"
    spec = starboard.load("toy", numbers=str(one))
    assert spec.options["numbers"] == "1\n2\n3\n"
    assert spec is starboard.load("toy", numbers=two) is starboard.load("toy", numbers="2\n1 3")
    assert spec is not starboard.load("toy")
    one.unlink()
    two.unlink()
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert json.loads(json.dumps(dict(spec.options))) == {"numbers": "1\n2\n3\n"}
    assert repr(starboard.load("toy")) == "<toy_v0(numbers='none')>"
    assert re.fullmatch(r"<toy_v0\(numbers=<3 lines, sha256 [0-9a-f]{8}>\)>", repr(spec))
    assert repr(spec) != repr(starboard.load("toy", numbers="1\n2\n4"))
    for value in (str(one), one):
        with pytest.raises(ValueError, match=r"^numbers: .*one\.txt'\)?: cannot be read$"):
            starboard.load("toy", numbers=value)
    data = GameState(spec, 0).to_bytes()
    assert GameState.from_bytes(spec, data).to_bytes() == data
    with pytest.raises(ValueError, match=r"with options numbers=<3 lines, sha256 \w{8}>, not numbers='none'$"):
        GameState.from_bytes(starboard.load("toy"), data)


def test_a_game_is_built_once_for_each_set_of_options():
    built = []

    def build(options) -> GameSpec:
        built.append(dict(options))
        return object()

    game = Game("toy", 0, "", (Option("n", 3, "", low=1, high=5),), build)
    assert game.spec() is game.spec(n=3) is game.spec(n=3.0)
    assert game.spec(n=4) is not game.spec()
    assert built == [{"n": 3}, {"n": 4}]


def test_damaged_bytes_are_refused():
    """Any byte changed, anywhere: never a position that could not be, never an error of another kind."""
    state = GameState(starboard.load("astralis", size=4), seed=1)
    for _ in range(6):
        state.step(state.legal_actions()[-1])
    good = state.to_bytes()
    for place in range(0, len(good), 7):
        damaged = bytearray(good)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(ValueError, match="data"):
            GameState.from_bytes(state.spec, bytes(damaged))


@pytest.mark.parametrize("game", ["asteria", "asterion"])
def test_dealing_anew_what_a_seat_cannot_see(game):
    """The copy shows what it holds: observation, mask and moves are those of the new deal; the game itself stays."""
    state = GameState(starboard.load(game), seed=3)
    while not state.over:
        before = state.to_bytes()
        for seat in range(2):
            twin = state.resampled(seat, seed=1)
            assert twin.observation(seat).tobytes() == state.observation(seat).tobytes()
            assert twin.text(seat) == state.text(seat)
            fresh = GameState.from_bytes(state.spec, twin.to_bytes())
            assert twin.observed.tobytes() == fresh.observed.tobytes()
            assert twin.mask.tobytes() == fresh.mask.tobytes()
            assert (
                state.resampled(seat, seed=1).to_bytes() == twin.to_bytes() != state.resampled(seat, seed=2).to_bytes()
            )
        assert state.to_bytes() == before
        state.step(state.legal_actions()[-1])
    for call, name in ((state.resampled, "player"), (state.text, "viewer"), (state.observation, "player")):
        with pytest.raises(ValueError, match=rf"{name}=2: must be in 0 \.\. 1"):
            call(2)


def test_an_option_that_is_an_array_is_refused_by_name():
    with pytest.raises(ValueError, match="mode="):
        starboard.load("asterion", mode=np.array(["crete", "basic"]))
