"""Training: it learns, it can be killed and resumed, and what it saves is safe to load."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import starboard
from starboard import records
from starboard.agents.categorical import choose, draw, log_probabilities
from starboard.agents.network import NETWORKS, Network
from starboard.arena import evaluate
from starboard.foresight import Foresight
from starboard.state import GameState
from starboard.training import Agent, load_agent, selfplay, train
from starboard.training.checkpoint import load_checkpoint
from starboard.training.selfplay import _Run

TINY = {"num_envs": 8, "n_steps": 8, "batch_size": 32, "n_epochs": 1, "width": 8, "snapshot_every": 2}
OPTIONS = {"size": 3, "stall_limit": 6}


def tiny(out: Path, timesteps: int | None = 8 * 64, **kwargs: object) -> object:
    return train(
        "astralis",
        OPTIONS,
        timesteps=timesteps,
        out=out,
        progress=False,
        **{"checkpoint_minutes": 0, "device": "cpu", "games": 8, **TINY, **kwargs},
    )


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_checkpoint(out / "checkpoint.pt")[1]["network"]


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(scope="module", autouse=True)
def few_games() -> Iterator[None]:
    """Runs measure themselves with few games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selfplay, "EVALUATION_GAMES", 9)
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run of eight updates."""
    out = tmp_path_factory.mktemp("run")
    tiny(out)
    return out


def test_one_seed_one_agent(run: Path, tmp_path: Path) -> None:
    tiny(tmp_path / "again")
    assert same(weights(run), weights(tmp_path / "again"))
    tiny(tmp_path / "other", seed=1)
    assert not same(weights(run), weights(tmp_path / "other"))


def test_global_generators_are_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(3)
    random.seed(3)
    before = torch.get_rng_state(), random.getstate()
    tiny(tmp_path, timesteps=64)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


def interrupt(out: Path, updates: int, monkeypatch: pytest.MonkeyPatch, **kwargs: object) -> None:
    """Begin a run, and press Ctrl-C after so many updates."""
    update = _Run.update

    def interrupted(self: _Run) -> None:
        if self.updates == updates:
            raise KeyboardInterrupt
        update(self)

    with monkeypatch.context() as patch:
        patch.setattr(_Run, "update", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tiny(out, **kwargs)


def test_interrupted_and_resumed_is_the_same_run(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after three of eight updates, then resumed: weights, counters, games and pool are those of one run."""
    interrupt(tmp_path, 3, monkeypatch)
    tiny(tmp_path, resume=True, timesteps=None)
    assert same(weights(run), weights(tmp_path))
    facts, twin = load_checkpoint(run / "checkpoint.pt")[0], load_checkpoint(tmp_path / "checkpoint.pt")[0]
    for name in ("updates", "timesteps", "lengths", "returns", "n_updates", "settings", "seed"):
        assert facts[name] == twin[name], name
    assert sorted(p.name for p in (run / "pool").iterdir()) == sorted(p.name for p in (tmp_path / "pool").iterdir())


_KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.test_training import tiny
tiny(Path(sys.argv[1]), resume=sys.argv[2] == "resume", timesteps=40 * 64, pool=sys.argv[3:])
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_sigkill_at_random_moments(run: Path, tmp_path: Path) -> None:
    """Killed again and again, also while saving: the run ends where an undisturbed one ends, curves included."""
    code = _KILLED.format(root=str(Path(__file__).parents[1]))
    calm, stormy = tmp_path / "calm", tmp_path / "stormy"
    pool = ["random", "greedy", str(run / "agent.zip")]
    tiny(calm, timesteps=40 * 64, pool=pool)
    rng = random.Random(5)
    kills, last = 0, -1
    while kills < 4:
        mode = "resume" if (stormy / "checkpoint.pt").exists() else "new"
        process = subprocess.Popen([sys.executable, "-c", code, str(stormy), mode, *pool], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        at_least = last
        while time.monotonic() < deadline and process.poll() is None:  # let it get further than the last time
            if (stormy / "checkpoint.pt").exists():
                at_least = load_checkpoint(stormy / "checkpoint.pt")[0]["updates"]
            if at_least > last:
                break
            time.sleep(0.02)
        time.sleep(rng.random() * 0.3)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        if (stormy / "checkpoint.pt").exists():  # the last good one: readable, never behind what was there before
            updates = load_checkpoint(stormy / "checkpoint.pt")[0]["updates"]
            assert updates >= at_least
            load_agent(stormy / "agent.zip")
            last = updates
    assert kills >= 2
    time.sleep(1.1)  # TensorBoard sorts a run's files by the second at which they were begun
    tiny(stormy, resume=True, timesteps=40 * 64)
    assert same(weights(calm), weights(stormy))
    assert not list(stormy.rglob("*.partial"))
    assert curve(stormy) == curve(calm)


def curve(out: Path) -> dict[int, float]:
    """Episode lengths by timestep, as TensorBoard shows them."""
    points = EventAccumulator(str(out / "tensorboard"))
    points.Reload()
    scalars = points.Scalars("rollout/ep_len_mean")
    steps = [point.step for point in scalars]
    assert len(steps) == len(set(steps)), "points of the killed run are shown beside those of the resumed one"
    return {point.step: point.value for point in scalars}


def test_any_players_in_the_pool_and_on_the_ladder(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tree search and saved agents, too: resumed in the middle it is the same run, random numbers included."""
    agent = str(run / "agent.zip")
    settings = {"pool": [agent, "mcts:2", "mcts:2"], "ladder": ("greedy", "mcts:3", Path(agent)), "timesteps": 4 * 64}
    result = tiny(tmp_path / "calm", **settings)
    assert [match.b for match in result.matches] == ["greedy"] * 2 + ["mcts:3"] * 2 + [agent] * 2 + ["before"]
    assert [match.a.split()[0] for match in result.matches] == ["before", "after"] * 3 + ["after"]
    assert "50% against greedy" in result.table()
    assert "against random" not in result.table()
    points = json.loads((tmp_path / "calm" / "history.json").read_text())
    assert points == result.history
    for point in points:
        assert list(point) == ["timesteps", "minutes", "games", "scores", "length", "entropy"]
        assert list(point["scores"]) == ["greedy", "mcts:3", agent]
        assert point["games"] == 8
        assert 0 < point["entropy"] < np.log(load_agent(agent).spec.num_actions)
    assert points[-1]["length"] > 1

    interrupt(tmp_path / "stormy", 2, monkeypatch, **settings)
    facts = load_checkpoint(tmp_path / "stormy" / "checkpoint.pt")[0]
    assert all(calls > 0 for calls in facts["calls"])
    assert len(set(facts["calls"])) > 1
    tiny(tmp_path / "stormy", resume=True, timesteps=None)
    assert same(weights(tmp_path / "calm"), weights(tmp_path / "stormy"))
    assert facts["calls"] < load_checkpoint(tmp_path / "stormy" / "checkpoint.pt")[0]["calls"]


def test_it_learns(tmp_path: Path) -> None:
    """From nothing to beating random most of the time, on a small board."""
    result = train(
        "astralis",
        {"size": 4},
        timesteps=40_000,
        out=tmp_path,
        games=100,
        progress=False,
        device="cpu",
        num_envs=64,
        n_steps=16,
        batch_size=256,
        width=16,
    )
    before, after = result.matches[0], result.matches[1]
    assert (before.b, after.b) == ("random", "random")
    assert after.score > 0.8 > before.score
    assert "after training against random" in result.table()
    assert len(result.history) >= 5
    assert json.loads((tmp_path / "history.json").read_text()) == result.history


@pytest.mark.parametrize("network", NETWORKS)
def test_networks(network: str) -> None:
    spec = starboard.load("asterion", discard="random")
    net = Network(spec, network, 8)
    state = GameState(spec, seed=1)
    seen = torch.as_tensor(Foresight(spec)(state.records, np.arange(1)))
    logits, values = net(torch.as_tensor(state.observed[None]), seen)
    assert logits.shape == (1, spec.num_actions)
    assert values.shape == (1,)
    net.trust.data[:] = 1.0
    trusting, _ = net(torch.as_tensor(state.observed[None]), seen)
    assert ((trusting - logits).sign() == seen.sign()).all()
    with pytest.raises(ValueError, match="network='cnn'"):
        Network(spec, "cnn", 8)


def test_grid_network_scores_parts_where_they_are() -> None:
    """A change of one cell's features changes only logits of actions that name a cell near it."""
    spec = starboard.load("astralis", size=8)
    net = Network(spec, "grid", 8)
    observation = torch.zeros((2, *spec.observation_shape), dtype=torch.int8)
    observation[1, 0, 0] = 1  # a stone on a1
    net.body.all.weight.data.zero_()  # cut what reaches every cell
    net.body.value[0].weight.data.zero_()
    changed = (net(observation)[0].diff(dim=0)[0] != 0).nonzero()[:, 0].tolist()
    names = {spec.describe_action(None, action) for action in changed}
    assert "a1" in names
    assert "a2" in names
    assert "o1" not in names
    assert not any(name.startswith(("h", "o")) for name in names)


def test_distribution() -> None:
    """Illegal actions are never drawn and have no probability; legal ones come as often as they should."""
    torch.manual_seed(0)
    logits = torch.randn(1, 50).expand(20_000, -1).contiguous()
    legal = (torch.arange(50) % 7 == 3).expand(20_000, -1)
    log_probs = log_probabilities(logits, legal)
    expected = torch.zeros(50).masked_scatter(legal[0], logits[0][legal[0]].softmax(0))
    torch.testing.assert_close(log_probs[0].exp() * legal[0], expected)
    drawn = torch.bincount(draw(log_probs, legal), minlength=50) / 20_000
    assert (drawn[~legal[0]] == 0).all()
    assert (drawn - expected).abs().max() < 0.02
    far = log_probabilities(torch.full((4, 50), -1e4), legal[:4])  # far below 0: legal all the same
    assert legal[torch.arange(4), draw(far, legal[:4])].all()


def test_choosing_by_given_numbers() -> None:
    """The action at which the running sum of the probabilities passes the number, and its log probability."""
    torch.manual_seed(0)
    logits = torch.randn(500, 40) * 3
    legal = torch.rand(500, 40) < 0.2
    legal[:, 7] = True
    legal[0] = torch.arange(40) == 39
    uniform = torch.rand(500)
    uniform[:20], uniform[20:40] = 0.0, 1.0
    expected = log_probabilities(logits, legal)
    sums = (expected.exp().double() * legal).cumsum(1)
    for masks in (legal.numpy(), legal.numpy().astype(np.int8)):
        actions, log_probs = map(torch.from_numpy, choose(logits.numpy(), masks, uniform.numpy()))
        assert legal[range(500), actions].all()
        torch.testing.assert_close(log_probs, expected[range(500), actions])
        assert (sums[range(500), actions] > uniform - 1e-5).all()
        assert ((sums * (torch.arange(40) < actions[:, None])).amax(1) <= uniform + 1e-5).all()
    far = logits.numpy() - np.float32(1e4)  # and others below what a float can tell from 0
    far[:, 7] = 0
    assert (choose(far, legal.numpy(), uniform.numpy())[0][1:] == 7).all()


def test_agent_plays_and_says_what_it_is(run: Path) -> None:
    agent = load_agent(run / "agent.zip", seed=1)
    spec = agent.spec
    assert spec is starboard.load("astralis", **OPTIONS)
    for key in ("game", "version", "options", "seed", "timesteps", "packages"):
        assert key in agent.info
    assert agent.info["timesteps"] == 8 * 64
    state = GameState(spec, seed=1)
    action = agent(state.observed, state.mask)
    assert type(action) is int
    assert action in state.legal_actions()
    batch = agent(np.stack([state.observed] * 3), np.stack([state.mask] * 3))
    assert batch.shape == (3,)
    probabilities = agent.probabilities(state.observed[None], state.mask[None])[0]
    np.testing.assert_allclose(probabilities.sum(), 1, rtol=1e-5)
    assert (probabilities[state.mask == 0] == 0).all()
    with pytest.raises(ValueError, match="shapes"):
        agent(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="no legal action"):
        agent(state.observed, np.zeros_like(state.mask))


def test_agent_refuses_another_game(run: Path) -> None:
    with pytest.raises(ValueError, match="plays"):
        load_agent(run / "agent.zip", spec=starboard.load("astralis", size=4))


class _Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.folder),)


def rewrite(source: Path, target: Path, facts: dict[str, object] | None = None, blob: bytes | None = None) -> Path:
    with zipfile.ZipFile(source) as file:
        info, data = json.loads(file.read("agent.json")), file.read("weights.pt")
    with zipfile.ZipFile(target, "w") as file:
        file.writestr("agent.json", json.dumps({**info, **(facts or {})}))
        file.writestr("weights.pt", data if blob is None else blob)
    return target


def test_damaged_and_foreign_agents(run: Path, tmp_path: Path) -> None:
    """Each a ValueError that names the file; a file with code in it does not run it."""
    whole = (run / "agent.zip").read_bytes()
    bomb = io.BytesIO()
    torch.save({"x": _Bomb(tmp_path / "exploded")}, bomb)
    cases = {
        "cut.zip": whole[: len(whole) // 2],
        "text.zip": b"hello",
        "empty.zip": b"",
        "flipped.zip": whole[:200] + bytes(b ^ 255 for b in whole[200:260]) + whole[260:],
    }
    files = []
    for name, data in cases.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(data)
    files += [
        rewrite(run / "agent.zip", tmp_path / "game.zip", {"game": "chess"}),
        rewrite(run / "agent.zip", tmp_path / "version.zip", {"version": 7}),
        rewrite(run / "agent.zip", tmp_path / "options.zip", {"options": {"sides": 3}}),
        rewrite(run / "agent.zip", tmp_path / "size.zip", {"options": {"size": 99}}),
        rewrite(run / "agent.zip", tmp_path / "width.zip", {"width": 9}),
        rewrite(run / "agent.zip", tmp_path / "kind.zip", {"network": "huge"}),
        rewrite(run / "agent.zip", tmp_path / "format.zip", {"format": 99}),
        rewrite(run / "agent.zip", tmp_path / "bomb.zip", blob=bomb.getvalue()),
        rewrite(run / "agent.zip", tmp_path / "pickle.zip", blob=pickle.dumps(_Bomb(tmp_path / "exploded"))),
    ]
    for file in files:
        with pytest.raises(ValueError, match=file.stem):
            load_agent(file)
    assert not (tmp_path / "exploded").exists()
    with pytest.raises(FileNotFoundError, match="nothing"):
        load_agent(tmp_path / "nothing.zip")


def test_damaged_checkpoint(run: Path, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes((run / "checkpoint.pt").read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"checkpoint\.pt"):
        tiny(tmp_path, resume=True)
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        tiny(tmp_path / "nowhere", resume=True)


def test_a_file_for_an_option_may_be_named_again(toy: object, tmp_path: Path) -> None:
    file, other, out = tmp_path / "numbers.txt", tmp_path / "other.txt", tmp_path / "run"
    file.write_text("2 1")
    other.write_text("3")
    settings = {"out": out, "progress": False, "device": "cpu", "games": 2, "checkpoint_minutes": 0}
    train("toy", {"numbers": file}, timesteps=64, **settings, **TINY)
    train("toy", {"numbers": str(file)}, timesteps=128, resume=True, **settings)
    with pytest.raises(ValueError, match=r"^numbers=<1 lines.*was set up with numbers=<2 lines.*leave it out"):
        train("toy", {"numbers": other}, timesteps=192, resume=True, **settings)
    file.unlink()
    assert load_agent(out / "agent.zip").spec is starboard.load("toy", numbers="1\n2\n")


def test_a_run_is_not_overwritten(run: Path) -> None:
    before = (run / "checkpoint.pt").read_bytes()
    with pytest.raises(FileExistsError, match="resume"):
        tiny(run)
    assert (run / "checkpoint.pt").read_bytes() == before


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint that cannot be written leaves the last good one, and the training goes on."""
    tiny(tmp_path, timesteps=2 * 64)
    good = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    full = [True]
    fsync = os.fsync

    def sync(descriptor: int) -> None:
        if full[0]:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    with (
        pytest.warns(UserWarning, match="last good one stays"),
        pytest.raises(OSError, match="No space left"),
    ):
        tiny(tmp_path, resume=True, timesteps=5 * 64)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()} == good
    full[0] = False
    tiny(tmp_path, resume=True, timesteps=5 * 64)
    assert load_checkpoint(tmp_path / "checkpoint.pt")[0]["updates"] == 5


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"timesteps": None}, ValueError, "minutes, timesteps"),
        ({"timesteps": -5}, ValueError, "timesteps=-5"),
        ({"minutes": 0}, ValueError, "minutes=0"),
        ({"device": "abacus"}, ValueError, "device='abacus'"),
        ({"network": "cnn"}, ValueError, "network='cnn'"),
        ({"num_envs": 0}, ValueError, "num_envs=0"),
        ({"learning_rate": -1.0}, ValueError, "learning_rate=-1"),
        ({"gamma": 1.5}, ValueError, "gamma=1.5"),
        ({"shaping": float("nan")}, ValueError, "shaping=nan"),
        ({"batch_size": 1}, ValueError, "batch_size"),
        ({"depth": 3}, TypeError, "depth"),
        ({"games": 7}, ValueError, "games=7"),
        ({"checkpoint_minutes": -1}, ValueError, "checkpoint_minutes=-1"),
        ({"pool": ("random", "nobody")}, ValueError, "pool: player 'nobody': is neither one of random, greedy"),
        ({"pool": ("mcts:many",)}, ValueError, "pool: mcts:many"),
        ({"pool": "greedy"}, TypeError, r"pool='greedy': .* such as \('greedy',\)"),
        ({"pool": (max,)}, TypeError, "pool="),
        ({"ladder": ("nobody",)}, ValueError, "ladder: player 'nobody'"),
        ({"ladder": ("greedy", "random", "greedy")}, ValueError, "ladder=.*all different"),
        ({"ladder": ()}, ValueError, "ladder=.*at least one"),
        ({"records": __file__}, ValueError, "test_training.py: holds something else than games"),
    ],
)
def test_bad_arguments(tmp_path: Path, kwargs: dict[str, object], error: type[Exception], message: str) -> None:
    """Said before anything is trained or written."""
    with pytest.raises(error, match=message):
        tiny(tmp_path / "run", **kwargs)
    assert not (tmp_path / "run").exists()


def test_agent_is_an_opponent(run: Path) -> None:
    """A saved agent by its file name, in a seat."""
    from starboard.seat import SeatGames

    games = SeatGames(starboard.load("astralis", **OPTIONS), 4, str(run / "agent.zip"), seed=1)
    now = games.reset()
    for _ in range(5):
        now = games.step(now.action_masks.argmax(1))
    assert isinstance(games.opponents[0], Agent)


def test_a_full_disk_for_the_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard's files cannot be written: a warning, and training goes on."""

    def full(self: Logger, step: int = 0) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Logger, "dump", full)
    with pytest.warns(UserWarning, match="TensorBoard"):
        tiny(tmp_path, timesteps=2 * 64)
    assert load_checkpoint(tmp_path / "checkpoint.pt")[0]["updates"] == 2


def test_extended_run_is_measured_on_the_way(tmp_path: Path) -> None:
    tiny(tmp_path, timesteps=6 * 64)
    tiny(tmp_path, timesteps=12 * 64, resume=True)
    points = [point["timesteps"] for point in json.loads((tmp_path / "history.json").read_text())]
    assert sum(point > 6 * 64 for point in points) >= 5


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"width": 16}, "width=16"),
        ({"network": "mlp"}, "network='mlp'"),
        ({"depth": 3}, "depth=3"),
        ({"games": 3}, "games=3"),
        ({"pool": ["greedy", "random"]}, r"pool=\('greedy', 'random'\).*was set up with pool=\('random', 'greedy'"),
        ({"ladder": ["greedy"]}, "ladder="),
    ],
)
def test_resume_with_something_else(run: Path, kwargs: dict[str, object], message: str) -> None:
    before = (run / "checkpoint.pt").read_bytes()
    with pytest.raises(ValueError, match=message):
        tiny(run, resume=True, timesteps=100 * 64, **kwargs)
    assert (run / "checkpoint.pt").read_bytes() == before


def test_damaged_pool(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    for file in (tmp_path / "run" / "pool").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"pool.*missing or damaged"):
        tiny(tmp_path / "run", resume=True, timesteps=9 * 64)


@pytest.mark.parametrize("setting", ["pool", "ladder"])
def test_an_agent_that_has_changed(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    """A run that is under way keeps the agents that it has read; one that is resumed needs the same ones."""
    file, out = tmp_path / "rival.zip", tmp_path / "run"
    shutil.copy(run / "agent.zip", file)
    update = _Run.update

    def removing(self: _Run) -> None:
        file.unlink(missing_ok=True)
        update(self)

    with monkeypatch.context() as patch:
        patch.setattr(_Run, "update", removing)
        tiny(out, timesteps=2 * 64, **{setting: [str(file)]})
    before = (out / "checkpoint.pt").read_bytes()
    for content in (None, (run / "before.zip").read_bytes(), b"damaged"):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(ValueError, match=r"rival\.zip': has changed or is gone"):
            tiny(out, resume=True, timesteps=4 * 64)
    assert (out / "checkpoint.pt").read_bytes() == before
    shutil.copy(run / "agent.zip", file)
    tiny(out, resume=True, timesteps=4 * 64)
    assert load_checkpoint(out / "checkpoint.pt")[0]["updates"] == 4


def test_games_of_the_table_on_record(tmp_path: Path) -> None:
    result = tiny(tmp_path / "run", timesteps=64, records=tmp_path / "games.jsonl")
    games = list(records.read(tmp_path / "games.jsonl"))
    pairs = [(match.a, match.b) for match in result.matches]
    assert [tuple(sorted(game.names)) for game in games] == [tuple(sorted(pair)) for pair in pairs for _ in range(8)]
    for match, first in zip(result.matches, range(0, 40, 8), strict=True):
        own = [game.returns[game.names.index(match.a)] for game in games[first : first + 8]]
        assert [own.count(result) for result in (1, 0, -1)] == [match.wins, match.draws, match.losses]
    records.verify(games[0])


def test_measuring_takes_no_more_than_half_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the ladder takes as long as the time between two points, updates still get their share."""
    clock, spent = [0.0], {"update": 0.0, "measure": 0.0}

    def take(what: str, seconds: float) -> None:
        clock[0] += seconds
        spent[what] += seconds

    def measure(self: _Run) -> None:
        take("measure", 3.0)
        self.history.append({"timesteps": self.timesteps, "minutes": 0.0, "games": 1, "scores": {}})

    monkeypatch.setattr(selfplay, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(_Run, "update", lambda self: take("update", 0.5))
    monkeypatch.setattr(_Run, "measure", measure)
    result = tiny(tmp_path, timesteps=None, minutes=1, checkpoint_minutes=10)
    assert len(result.history) > 5
    assert spent["update"] >= spent["measure"] - 3.0  # the last measurement is always made


def test_two_processes_in_one_folder(run: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (run / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FileExistsError, match="another process"):
            tiny(run, resume=True)


def test_out_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError, match="is a file"):
        tiny(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_weights_that_are_not_finite(run: Path, tmp_path: Path) -> None:
    """Neither trained on nor loaded."""
    agent = load_agent(run / "agent.zip")
    next(agent.network.parameters()).data.fill_(float("nan"))
    agent.save(tmp_path / "nan.zip")
    with pytest.raises(ValueError, match="nan"):
        load_agent(tmp_path / "nan.zip")
    with pytest.raises(ValueError, match="no longer finite"):
        tiny(tmp_path / "run", learning_rate=1e30)
    load_agent(tmp_path / "run" / "agent.zip")  # what was saved before is whole


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("asterion", {}),
        ("asterion", {"players": 3, "discard": "random"}),
        ("asterion", {"players": 4, "mode": "basic", "table_radius": 3, "reward": "margin"}),
        ("asteria", {"max_turns": 10}),
    ],
    ids=str,
)
def test_every_game_with_any_number_of_seats(tmp_path, game, options):
    """One seat learns, the others are the pool's; the table has a column for each seat."""
    settings = {"progress": False, "device": "cpu", "checkpoint_minutes": 0}
    result = train(game, options, timesteps=256, out=tmp_path / "run", games=12, **settings, **TINY)
    seats = result.agent.spec.num_players
    assert [len(match.seats) for match in result.matches] == [seats] * 5
    assert {match.games for match in result.matches} == {12}
    agent = load_agent(result.path)
    assert agent.spec is result.agent.spec
    assert evaluate(agent, "random", agent.spec, games=12).games == 12
