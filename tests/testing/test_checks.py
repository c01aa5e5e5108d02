"""The checks of ``starboard.testing`` pass a sound game for three with hidden hands, and find faults in others."""

from __future__ import annotations

import pytest

from starboard import testing
from starboard.aec import BoardGameEnv
from starboard.batch import Batch
from starboard.state import GameState
from tests.testing.grab import FAULTS, recompute


def test_a_sound_game_passes(grab):
    spec = grab()
    testing.check_conformance(spec, games=30)
    resampled = testing.check_leaks(spec, games=10)
    assert resampled.changed > resampled.tried / 2  # hands are dealt anew
    testing.check_clones(spec)
    testing.check_episodes(spec, games=2)
    assert testing.check_stress(spec, recompute) > 100


FOUND_BY_CONFORMANCE = {
    "observation out of bounds": r"seat . observes 3 at \(4, 2\), outside 0 \.\. 2",
    "observation leaves an entry as it was": "observe does not write all",
    "observation changes the record": "looking at the game changed its record",
    "mask lacks an action of the list": r"only in the mask \[\], only in the list \[4\]",
    "mask leaves an entry as it was": r"legal_mask does not write the entries \[2\]",
    "no action at ply 4": "ply 4: no action is legal, and the game is not over",
    "list has an action twice": r"ply 3: legal_list has actions twice",
    "list writes behind its room": "legal_list writes behind its buffer of 4 entries",
    "returns before the end": r"ply 3: returns are \[0.5, 0.0, 0.0\] before the end",
    "returns do not add up": "which do not add up to zero",
    "the game goes on after max_plies": "is not over after max_plies = 12 actions",
    "two actions have one name": "are both called '5'|is called '5', which is read as 5",
    "decode loses a card": "decode: seat . observes 0 at .* in the decoded position, here 1",
    "chance from outside": "the same seed and actions gave another game",
    "the drawing is not XML": "the drawing for viewer None cannot be read: mismatched tag",
    "the drawing has no size": "the drawing for viewer None cannot be read: svg: must begin with <svg",
    "the drawing grows": r"the drawing for viewer 0 has size \(101\.0, 50\.0\), at the start \(100\.0, 50\.0\)",
    "the drawing is not the same each time": "differs from one call to the next",
    "drawing changes the record": "looking at the game changed its record",
}
FOUND_BY_LEAKS = {
    "observation shows the first card of the next seat": r"sees what it may not: .* at \(4, 6\)",
    "mask depends on a hidden card": r"the mask tells seat . what it may not know: it changes at actions \[9\]",
    "resample leaves the generator": "leaves the generator's state",
    "resample loses a card": "sees what it may not",
    "resample is not the same each time": "deals differently with the same seed",
    "the text shows all hands": "the text for seat . shows what it may not see",
    "the drawing shows all hands": "the drawing for seat . shows what it may not see",
}


def test_every_fault_is_looked_for():
    assert {*FOUND_BY_CONFORMANCE, *FOUND_BY_LEAKS, "none", "the sum is kept wrongly"} == set(FAULTS)


@pytest.mark.parametrize("fault", FOUND_BY_CONFORMANCE)
def test_conformance_finds(grab, fault):
    with pytest.raises(AssertionError, match=FOUND_BY_CONFORMANCE[fault]) as error:
        testing.check_conformance(grab(fault=fault), games=20)
    assert f"fault={fault!r}" in str(error.value)


@pytest.mark.parametrize("fault", FOUND_BY_LEAKS)
def test_leaks_are_found(grab, fault):
    with pytest.raises(AssertionError, match=FOUND_BY_LEAKS[fault]):
        testing.check_leaks(grab(fault=fault), games=20)


def test_stress_finds_a_value_kept_wrongly(grab):
    with pytest.raises(AssertionError, match=r"sum: kept as \d+, recomputed as \d+ at \(\d,\)"):
        testing.check_stress(grab(fault="the sum is kept wrongly"), recompute)


def test_messages_lead_back_to_the_position(grab):
    """Seed and actions of a message are enough to come to the position again."""
    with pytest.raises(AssertionError) as error:
        testing.check_conformance(grab(fault="returns before the end"))
    lines = str(error.value).splitlines()
    seed = int(lines[0].partition("seed ")[2].partition(",")[0])
    state = GameState(grab(fault="returns before the end"), seed)
    for action in lines[1].partition(": ")[2].split(", "):
        state.step(int(action))
    assert state.returns().tolist() == [0.5, 0, 0]
    assert str(state) == lines[2]


@pytest.mark.parametrize(
    ("kind", "method", "broken", "message"),
    [
        (GameState, "clone", lambda self: self, "clone gives the same object"),
        (GameState, "clone", lambda self: GameState(self.spec, 0), "clone has other bytes"),
        (Batch, "clone", lambda self: self, "clone gives the same object"),
        (BoardGameEnv, "clone", lambda self: self, "clone gives the same object"),
    ],
)
def test_clones_that_are_none_are_found(grab, monkeypatch, kind, method, broken, message):
    monkeypatch.setattr(kind, method, broken)
    with pytest.raises(AssertionError, match=message):
        testing.check_clones(grab())


def test_a_shared_record_is_found(grab, monkeypatch):
    def shallow(self):
        twin = object.__new__(GameState)
        twin.spec, twin.records = self.spec, self.records
        twin._look()
        return twin

    monkeypatch.setattr(GameState, "__deepcopy__", lambda self, memo: shallow(self))
    with pytest.raises(AssertionError, match="playing on in the copy by deepcopy changed the original"):
        testing.check_clones(grab())


def test_an_environment_that_remembers_is_found(grab, monkeypatch):
    sound = BoardGameEnv.reset

    def forgetful(self, seed=None, options=None):
        left = getattr(self, "_cumulative_rewards", None)
        sound(self, seed, options)
        self._cumulative_rewards.update(left or {})

    monkeypatch.setattr(BoardGameEnv, "reset", forgetful)
    with pytest.raises(AssertionError, match="after an episode that ended thus: over, but no agent was stepped out"):
        testing.check_episodes(grab())


def test_perft(grab):
    spec = grab()
    state = GameState(spec, seed=3)
    counts = [testing.perft(state, depth) for depth in range(4)]
    by_hand = 0
    for first in state.legal_actions():
        one = state.clone()
        one.step(first)
        for second in one.legal_actions():
            two = one.clone()
            two.step(second)
            by_hand += len(two.legal_actions())
    assert counts == [1, len(state.legal_actions()), testing.perft(state, 2), by_hand]
    assert sum(testing.divide(state, 3).values()) == by_hand
    testing.check_perft(spec, counts[1:], seed=3)
    with pytest.raises(AssertionError, match=rf"{counts[2]} sequences of 2 actions, expected 99; by first action"):
        testing.check_perft(spec, [counts[1], 99], seed=3)
    table = testing.divide(state, 2)
    testing.check_perft(spec, table, depth=2, seed=3)
    name = next(iter(table))
    with pytest.raises(
        AssertionError, match=rf"depth 2 differs for\n{name}: {table[name]}, expected 99\npass: illegal"
    ):
        testing.check_perft(spec, {**table, name: 99, "pass": 1}, depth=2, seed=3)
    with pytest.raises(AssertionError, match=r"'draw' \(move 2\) is illegal"):
        testing.check_perft(spec, [1], moves="draw draw", seed=3)


def test_playthrough(grab, tmp_path):
    file = tmp_path / "grab.txt"
    with pytest.raises(AssertionError, match="there is no such playthrough; record one with"):
        testing.check_playthrough(file)
    text = testing.record_playthrough(grab(), seed=5, every=4)
    file.write_text(text, encoding="utf-8")
    testing.check_playthrough(file)
    file.write_text(text.replace("one of 3", "one of 4", 1), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"-.*one of 4\)\n\+.*one of 3\)(.|\n)*python -m starboard.testing"):
        testing.check_playthrough(file)


def test_the_command_records(grab, tmp_path, capsys):
    from starboard.testing.__main__ import main

    file = tmp_path / "grab.txt"
    main([str(file), "--game", "grab", "--option", "fault=none", "--seed", "3", "--every", "2"])
    testing.check_playthrough(file)
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "more", encoding="utf-8")
    main([str(file)])
    assert file.read_text(encoding="utf-8") == text
    with pytest.raises(SystemExit):
        main([str(tmp_path / "missing.txt")])
    assert "say which --game" in capsys.readouterr().err
