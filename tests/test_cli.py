"""The command `starboard`: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import starboard
from starboard.bots import BOTS, GreedyBot
from starboard.cli import main
from starboard.state import GameState
from starboard.terminal import Terminal, grouped

COMMAND = [sys.executable, "-c", "import sys; from starboard.cli import main; sys.exit(main())"]


class Said:
    """What a run of the command printed, and its exit code."""

    def __init__(self, code: Any, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture(autouse=True)
def no_word_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARBOARD_QUIET", "1")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    def run(line: str, *answers: str) -> Said:
        """Run ``starboard LINE`` with ``answers`` for a keyboard, which then ends."""
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))
        try:
            code: Any = main(line.split())
        except SystemExit as exit:
            code = exit.code
        return Said(code, *capsys.readouterr())

    return run


def lowest(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stands in for the training package: notes what `train` was asked, and reads agents of Astralis, size 4."""
    module = ModuleType("starboard.training")
    asked: dict[str, Any] = {}

    class Result:
        path = Path("x/agent.zip")

        def table(self) -> str:
            return "after training against random"

    def train(game: str, options: dict[str, Any], **settings: Any) -> Result:
        asked.clear()
        asked.update(settings, game=game, options=options)
        return Result()

    class Agent:
        spec = starboard.load("astralis", size=4)

        def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return lowest(observations, masks)

    def load_agent(path: Any, spec: Any = None, seed: Any = None) -> Agent:
        if Path(path).read_bytes() != b"agent":
            raise ValueError(f"{path}: is damaged:\nnot an agent")
        if spec not in (None, Agent.spec):
            raise ValueError(f"{path}: plays {Agent.spec}, not {spec}")
        return Agent()

    module.train, module.load_agent = train, load_agent  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "starboard.training", module)
    monkeypatch.setitem(sys.modules, "starboard.agents", module)
    return asked


@pytest.fixture
def agent(training: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "agent.zip"
    path.write_bytes(b"agent")
    return path


def test_version_and_help(run: Callable[..., Said]) -> None:
    assert run("--version").out == f"starboard-envs {version('starboard-envs')}\n"
    for line in ("--help", ""):
        said = run(line)
        assert said.code == 0
        assert all(command in said.out for command in ("games", "train", "evaluate", "play", "bench"))


@pytest.mark.parametrize("command", ["train", "play", "bench"])
def test_help_shows_the_options_of_a_game_that_is_named(run: Callable[..., Said], command: str) -> None:
    said = run(f"{command} astralis --help")
    assert said.code == 0
    assert "--stall-limit" in said.out
    assert "a whole number from 3 to 8, default 8" in " ".join(said.out.split())
    said = run(f"{command} --help")
    assert said.code == 0
    assert "--stall-limit" not in said.out


@pytest.mark.parametrize(
    "line",
    [
        "train --out asteria asterion --players 5",
        "play --against asteria asterion --players 5",
        "evaluate asteria random --game asterion --players 5",
        "evaluate asteria random --game=asterion --players 5",
    ],
)
def test_the_game_is_the_one_named_as_such(run: Callable[..., Said], line: str) -> None:
    """Not a folder, a file or a player that is called like another game."""
    said = run(line)
    assert said.code == 2
    assert "argument --players: '5': must be a whole number from 2 to 4" in said.err


def test_games(run: Callable[..., Said]) -> None:
    said = run("games")
    assert said.code == 0
    assert re.search(r"^astralis  \(v0\)  Two ships", said.out, re.MULTILINE)
    assert "--setup" in said.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fly", "argument COMMAND: invalid choice: 'fly'"),
        ("train", "the following arguments are required: GAME"),
        ("train chess", "argument GAME: no game 'chess' is installed; there are: .*astralis"),
        ("train astralis --size 9", "argument --size: '9': must be a whole number from 3 to 8"),
        ("train astralis --size big", "argument --size: 'big': must be a whole number from 3 to 8"),
        ("train astralis --komi 0.3", "argument --komi: '0.3': must be a multiple of 0.5 from -60.0 to 60.0"),
        ("train astralis --komi nan", "argument --komi: 'nan': must be a multiple of 0.5"),
        ("train astralis --setup odd", "argument --setup: 'odd': must be one of 'choose', 'fixed', 'random'"),
        ("train astralis --minutes 0", "argument --minutes: '0': must be a number above 0"),
        ("train astralis --minutes inf", "argument --minutes: 'inf': must be a number above 0"),
        ("train astralis --timesteps 1e6", "argument --timesteps: '1e6': must be a whole number, at least 1"),
        ("train astralis --seed -1", "argument --seed: '-1': must be a whole number from 0 to 2\\*\\*64 - 1"),
        ("train astralis --width 3", "unrecognized arguments: --width 3"),
        ("train astralis --min 3", "unrecognized arguments: --min 3"),
        ("evaluate random", "the following arguments are required: B"),
        ("evaluate random greedy --sides 3", "unrecognized arguments: --sides 3"),
        (
            "evaluate random nobody --game astralis",
            "player 'nobody': is neither one of random, greedy, mcts:100 nor the file of a",
        ),
        ("evaluate random greedy --game chess", "argument --game: no game 'chess' is installed"),
        (
            "evaluate random greedy --game astralis --games 0",
            "argument --games: '0': must be a whole number, at least 1",
        ),
        ("evaluate random greedy --game astralis --games 7", "games=7: must be a multiple of 2"),
        (
            "evaluate random greedy --json no/such/folder",
            "argument --json: 'no/such/folder': must be a file in a folder",
        ),
        ("evaluate random greedy --json /", "argument --json: '/': must be a file in a folder that exists"),
        (
            "play astralis --against nobody",
            "player 'nobody': is neither one of random, greedy, mcts:100 nor the file of",
        ),
        ("bench astralis --rounds 0", "argument --rounds: '0': must be a whole number, at least 1"),
        ("bench astralis --seconds -1", "argument --seconds: '-1': must be a number above 0"),
        ("play astralis --seat 2", "argument --seat: 2: must be from 0 to 1, or random"),
        ("play astralis --seat first", "argument --seat: 'first': must be a seat, such as 0 or 1, or random"),
    ],
)
def test_mistakes_are_answered_in_one_line(run: Callable[..., Said], line: str, message: str) -> None:
    said = run(line)
    assert said.code == 2
    assert said.out == ""
    assert re.fullmatch(rf"starboard( \w+)?: error: .*{message}.*\(see starboard( \w+)? --help\)\n", said.err)


def test_train_passes_on_what_was_given(run: Callable[..., Said], training: dict[str, Any]) -> None:
    said = run("train astralis")
    assert said.code == 0
    assert "after training against random" in said.out
    assert "starboard play astralis --against x/agent.zip" in said.out
    assert training == {
        "game": "astralis",
        "options": {},
        "minutes": 8,
        "out": Path("runs/astralis"),
        "resume": False,
        "progress": True,
    }
    line = (
        "train --size 5 --bonus-stones astralis --minutes 2.5 --timesteps 1000 --seed 7 --out x --device cpu "
        "--num-envs 8 --network mlp --games 40 --quiet --komi=-0.5 "
        "--pool greedy mcts:20 --ladder random --records g.jsonl"
    )
    assert run(line).code == 0
    assert training == {
        "game": "astralis",
        "options": {"size": 5, "bonus_stones": True, "komi": -0.5},
        "minutes": 2.5,
        "timesteps": 1000,
        "seed": 7,
        "out": Path("x"),
        "resume": False,
        "device": "cpu",
        "num_envs": 8,
        "network": "mlp",
        "pool": ["greedy", "mcts:20"],
        "ladder": ["random"],
        "games": 40,
        "records": Path("g.jsonl"),
        "progress": False,
    }
    said = run("train astralis --resume --seed 3")
    assert said.code == 2
    assert "--seed: a resumed run keeps its own" in said.err
    assert run("train astralis --no-bonus-stones").code == 0
    assert training["options"] == {"bonus_stones": False}
    # A limit that was given, or that the run has, takes the place of the default.
    for line in ("train astralis --timesteps 1000", "train astralis --resume"):
        assert run(line).code == 0
        assert "minutes" not in training


def test_an_option_that_is_a_file(run: Callable[..., Said], training: dict[str, Any], toy: Any, tmp_path: Path) -> None:
    file = tmp_path / "numbers.txt"
    file.write_text("3 1 2")
    assert run(f"train toy --numbers {file}").code == 0
    assert training["options"] == {"numbers": "1\n2\n3\n"}
    said = run("train toy --help")
    assert "--numbers FILE" in said.out
    assert "numbers to be read; a file or 'none', default none" in " ".join(said.out.split())
    assert "numbers to be read; a file or 'none', default none" in run("games").out
    said = run("train toy --numbers nowhere.txt")
    assert said.code == 2
    assert "error: argument --numbers: 'nowhere.txt': cannot be read (see" in said.err
    said = run(f"evaluate random greedy --game toy --games 2 --numbers {file}")
    assert re.match(r"toy_v0 \(numbers=<3 lines, sha256 \w{8}>\), seed 0\n", said.out)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ValueError("out='x': holds\na run already"), 2, "error: out='x': holds a run already (see"),
        (
            OSError(28, "No space left on device", "x/agent.zip"),
            1,
            "error: [Errno 28] No space left on device: 'x/agent.zip'",
        ),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), 2, "pip install 'starboard-envs[train]'"),
        (FileExistsError("out='x': holds a run already"), 2, "error: out='x': holds a run already (see"),
        (FileNotFoundError(2, "No such file", "x"), 2, "error: [Errno 2] No such file: 'x' (see"),
        (KeyboardInterrupt(), 130, "To go on: starboard train astralis --resume --out my-run\n\nstopped\n"),
        (MemoryError(), 1, "not enough memory"),
    ],
)
def test_failures_while_training(
    run: Callable[..., Said],
    training: dict[str, Any],
    error: BaseException,
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: Any, **settings: Any) -> None:
        raise error

    sys.modules["starboard.training"].train = fail  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-run").mkdir()
    (tmp_path / "my-run" / "checkpoint.pt").touch()
    said = run("train astralis --out my-run")
    assert said.code == code
    assert message in said.err
    assert "Traceback" not in said.err


def test_bugs_keep_their_traceback(run: Callable[..., Said], training: dict[str, Any]) -> None:
    def fail(*args: Any, **settings: Any) -> None:
        import no_such_module  # noqa: F401

    sys.modules["starboard.training"].train = fail  # type: ignore[attr-defined]
    with pytest.raises(ModuleNotFoundError):
        run("train astralis")


def test_evaluate(run: Callable[..., Said], tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    said = run(f"evaluate greedy random --game astralis --size 3 --games 40 --seed 1 --json {file}")
    assert (said.code, said.err) == (0, "")
    facts = json.loads(file.read_text(encoding="utf-8"))
    assert facts["options"]["size"] == 3
    assert facts["wins"] + facts["draws"] + facts["losses"] == facts["games"] == 40
    assert re.search(rf"all +40 +{facts['wins']} +{facts['draws']} +{facts['losses']} ", said.out)
    assert run("evaluate greedy random --game=astralis --size=3 --games 40 --seed 1").out == said.out


def test_agents_bring_their_game_and_options(run: Callable[..., Said], agent: Path) -> None:
    for line in (f"{agent} random", f"greedy {agent}", f"{agent} {agent}", f"{agent} random --game astralis --size 4"):
        said = run(f"evaluate {line} --games 4")
        assert said.code == 0, said.err
        assert "astralis_v0 (size=4 " in said.out
    said = run(f"play astralis --against {agent}", "quit")
    assert said.code == 0
    assert f"{agent} plays player_1" in said.out
    said = run(f"evaluate {agent} random --game astralis --size 5")
    assert said.code == 2
    assert "plays <astralis_v0(size=4" in said.err


def test_bench_passes_on_what_was_given(
    run: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {}

    def bench(**settings: Any) -> dict[str, Any]:
        asked.clear()
        asked.update(settings)
        return {"fast": "enough"}

    module = ModuleType("starboard.benchmark")
    module.run, module.table = bench, json.dumps  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "starboard.benchmark", module)
    monkeypatch.setattr(starboard, "benchmark", module, raising=False)
    said = run("bench --quiet")
    assert (said.code, said.out) == (0, '{"fast": "enough"}\n')
    assert asked == {"options": {}, "progress": None, "quick": False}
    assert run(f"bench astralis --size 5 --rounds 3 --seconds 0.1 --quick --json {tmp_path}/report.json").code == 0
    assert callable(asked.pop("progress"))
    assert asked == {
        "game": "astralis",
        "options": {"size": 5},
        "rounds": 3,
        "seconds": 0.1,
        "quick": True,
    }
    assert json.loads((tmp_path / "report.json").read_text()) == {"fast": "enough"}


def test_train_then_evaluate_then_play(run: Callable[..., Said], tmp_path: Path) -> None:
    """The whole way with the real training package, on the smallest board."""
    out = tmp_path / "run"
    said = run(f"train astralis --size 3 --timesteps 1 --num-envs 2 --seed 1 --games 2 --quiet --out {out}")
    assert said.code == 0, said.err
    assert "after training" in said.out
    agent = out / "agent.zip"
    said = run(f"evaluate {agent} random --games 4")
    assert said.code == 0, said.err
    assert "size=3" in said.out
    said = run(f"play astralis --against {agent} --seed 0", "e2")
    assert said.code == 0, said.err
    assert "agent.zip) plays a2" in said.out
    assert run(f"train astralis --out {out}").code == 2
    agent.write_bytes(agent.read_bytes()[:100])
    said = run(f"evaluate {agent} random")
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_damaged_agent(run: Callable[..., Said], agent: Path) -> None:
    agent.write_bytes(b"agen")
    for line in (f"evaluate {agent} random", f"play astralis --against {agent}"):
        said = run(line)
        assert said.code == 2
        assert said.err.count("\n") == 1
        assert f"{agent}: is damaged: not an agent" in said.err


def test_legal_moves_are_grouped() -> None:
    assert grouped(["a4", "a5", "a5*b5", "a6", "a5*b6"]).splitlines() == [
        "5 legal moves:",
        "  a4  a6",
        "  a5  a5*b5  a5*b6",
    ]
    assert grouped(["pass"]).splitlines() == ["1 legal move:", "  pass"]
    long = grouped([f"a{n}" for n in range(200)])
    assert max(map(len, long.splitlines())) <= 100
    assert long.split()[3:] == [f"a{n}" for n in range(200)]


def test_play_a_game_to_its_end(run: Callable[..., Said]) -> None:
    """The moves are those that a greedy player chose in the same game played in Python."""
    spec = starboard.load("astralis", size=3)
    said = run("play astralis --size 3 --against random --seed 4", *["?"])
    assert "1 legal move:\n  e2\n" in said.out

    class Person:
        def __init__(self) -> None:
            self.bot = GreedyBot(spec, seed=0)
            self.lines: list[str] = []

        def ask(self, prompt: str) -> str:
            assert prompt == "player_1> "
            state = terminal.state
            return state.describe(int(self.bot.act(state.records, np.zeros(1, np.int64))[0])).upper()

    person = Person()
    terminal = Terminal(GameState(spec, 0), BOTS["random"](spec, 0), 1, "random", person.ask, person.lines.append)
    terminal.play()
    assert terminal.state.over
    text = "\n".join(person.lines)
    assert text.startswith("You are player_1; random plays player_0.\n")
    assert "player_0 (random) plays e2" in text
    scores = spec.final_info(terminal.state.record)["scores"]
    own = "win" if scores[1] > scores[0] else "lose"
    assert text.endswith(f"scores: player_0 {scores[0]:g}, player_1 {scores[1]:g}\nYou {own}.")


def test_play_draw_and_loss() -> None:
    for komi, outcome in ((0.0, "A draw."), (1.0, "You lose."), (-1.0, "You win.")):
        spec = starboard.load("astralis", size=3, stones=0, komi=komi, stall_limit=2)
        said: list[str] = []
        answers = iter(["e2", "d2"])
        Terminal(
            GameState(spec, 0), lowest, 0, "lowest", lambda prompt, answers=answers: next(answers), said.append
        ).play()
        assert said[-1].endswith(outcome)


def test_play_explains_what_is_wrong(run: Callable[..., Said]) -> None:
    said = run(
        "play astralis --size 4 --against random --seed 1",
        *["", "hello", "h9", "d4", "undo", "legal z", "legal g", "help", "g3", "g3*g2", "a1*d4", "board", "undo", "g2"],
    )
    assert said.code == 0
    assert said.err == ""
    assert "'hello': there is no cell 'hello'; cells are a1 to g4, a move is d5, d5*e5 or pass" in said.out
    assert "d4: is not legal here; legal are g2, g3" in said.out
    assert "There is no move of yours to take back." in said.out
    assert "No legal move begins with z; ? lists them all." in said.out
    assert "2 legal moves:\n  g2  g3\n" in said.out
    assert "take back your last move" in said.out
    assert "g3*g2: is not legal here; ? lists the legal moves\n" in said.out
    assert "'a1*d4': a move is d5, or d5*e5 with a stone on a cell next to d5" in said.out
    assert "Traceback" not in said.out
    # Two moves were played, one of them taken back: each time the opponent answered.
    assert said.out.count("player_1 (random) plays") == 2


def test_illegal_moves_are_answered_with_those_that_begin_alike() -> None:
    def answer(move: str, **options: Any) -> str:
        said: list[str] = []
        answers = iter([move, "quit"])
        state = GameState(starboard.load("astralis", size=8, setup="fixed", **options), 0)
        Terminal(state, lowest, 0, ask=lambda prompt: next(answers), say=said.append).play()
        return said[-1]

    # The ship stands on o5.
    assert answer("N5*n6", stones=0) == "N5*n6: is not legal here; legal are n5"
    assert answer("o3*o5", stones=0).startswith("'o3*o5': a move is")
    assert answer("o5", stones=0) == "o5: is not legal here; ? lists the legal moves"


def test_undo_restores_the_game() -> None:
    spec = starboard.load("astralis", size=4, setup="fixed")
    boards: list[str] = []
    answers = iter(["f3", "undo", "f3", "e3", "undo", "undo", "undo", "quit"])

    def ask(prompt: str) -> str:
        boards.append(str(terminal.state))
        return next(answers)

    terminal = Terminal(GameState(spec, 0), lowest, 0, ask=ask, say=lambda text: None)
    terminal.play()
    start, after_one, undone, again, after_two, back_one, back_two, no_more = boards
    assert start == undone == back_two == no_more
    assert after_one == again == back_one
    assert after_two not in (start, after_one)


def test_play_does_not_say_which_card_was_removed() -> None:
    """AN-2.2: the opponent's removals are not seen."""
    said: list[str] = []
    spec = starboard.load("asterion")
    removals = iter([f"-T{number:02}" for number in range(1, 6)])
    Terminal(GameState(spec, 0), lowest, 0, ask=lambda prompt: next(removals, "quit"), say=said.append).play()
    assert said.count("player_1 (the opponent) plays unseen") == 5
    assert not any(f"plays -T{number:02}" in text for text in said for number in range(1, 18))


@pytest.mark.parametrize("game", ["asteria", "asterion"])
def test_undo_tells_nothing_that_was_hidden(game: str) -> None:
    """What the person saw after the move taken back is dealt anew, and what they knew before stays."""
    spec = starboard.load(game)
    moves = 0
    known: list[tuple[str, bytes]] = []

    def ask(prompt: str) -> str:
        nonlocal moves
        state = terminal.state
        known.append((state.text(0), state.records.tobytes()))
        moves += 1
        return ("undo" if moves % 2 == 0 else state.describe(state.legal_actions()[0])) if moves < 9 else "quit"

    terminal = Terminal(GameState(spec, 1), lowest, 0, ask=ask, say=lambda text: None)
    terminal.play()
    for (shown, record), (again, dealt) in zip(known[::2], known[2::2], strict=False):
        assert shown == again
        assert record != dealt


def test_the_beginning_of_a_move_may_be_in_capitals_or_not() -> None:
    said: list[str] = []
    state = GameState(starboard.load("asteria", first_player="0"), 0)
    move = state.describe(state.legal_actions()[0])
    start = " ".join(move.split()[:2])
    answers = iter([f"legal {start.upper()}", f"legal {start.lower()}", "quit"])
    Terminal(state, lowest, 0, ask=lambda prompt: next(answers), say=said.append).play()
    lists = [text for text in said if "legal move" in text and move in text]
    assert len(lists) == 2
    assert lists[0] == lists[1]


@pytest.mark.parametrize("word", ["quit", "q", "EXIT"])
def test_quit(run: Callable[..., Said], word: str) -> None:
    said = run("play astralis --size 3", word, "e2")
    assert said.code == 0
    assert "plays e2" not in said.out
    assert said.out.count("player_0> ") == 1


def test_random_seat_depends_on_the_seed(run: Callable[..., Said]) -> None:
    def seat(seed: int) -> str:
        return run(f"play astralis --size 3 --seat random --seed {seed}").out.partition(";")[0]

    assert {seat(seed) for seed in range(8)} == {"You are player_0", "You are player_1"}
    assert seat(3) == seat(3)


def test_terminal_refuses_a_seat_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="seat=2: must be from 0 to 1"):
        Terminal(GameState(starboard.load("astralis", size=3), 0), lowest, 2)


def start(line: str, **settings: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *line.split()], **settings)


def test_in_a_terminal_with_ctrl_c() -> None:
    """In a real terminal: a move, an answer, then Ctrl-C at the prompt."""
    ours, theirs = pty.openpty()
    process = start(
        "play astralis --size 3 --against random --seed 0",
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run in the background
    )
    os.close(theirs)

    def read_until(text: str) -> str:
        seen = b""
        deadline = time.monotonic() + 60
        while text.encode() not in seen:
            assert time.monotonic() < deadline, seen
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 4096)
        return seen.decode()

    try:
        read_until("player_0> ")
        os.write(ours, b"e2\n")
        assert "player_1 (random) plays a2" in read_until("player_0> ")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        if not select.select([ours], [], [], 5)[0]:  # it came between prompt and keyboard, where readline misses it
            process.send_signal(signal.SIGINT)
        read_until("stopped")
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_end_of_input_and_closed_pipe(tmp_path: Path) -> None:
    moves = tmp_path / "moves"
    moves.write_text("e2\n", encoding="utf-8")
    with moves.open() as stdin:
        process = start(
            "play astralis --size 3 --against random", stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == b""
    assert b"player_1 (random) plays" in out

    process = start("games", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 0
    process.stderr.close()
