"""The benchmarks run and report what they should. How fast anything is depends on the machine and is not tested."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import starboard
from starboard import benchmark
from starboard.aec import BoardGameEnv
from starboard.agents.network import NETWORKS
from starboard.batch import Batch
from starboard.benchmark import CALIBRATION, Rates

SCRIPTS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def spec():
    return starboard.load("astralis", size=3)


@pytest.fixture
def scale(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("scale")


def test_rounds_take_turns() -> None:
    calls = []
    chunks = {name: lambda name=name: calls.append(name) or 1 for name in "ab"}
    rates = benchmark.interleave(chunks, rounds=3, seconds=0)
    assert "".join(calls) == "ab" + "ab" * 3  # once to warm up
    assert [len(rates[name].rounds) for name in "ab"] == [3, 3]


def test_rates_and_ratios() -> None:
    ours, theirs = Rates([8.0, 2.0, 6.0]), Rates([2.0, 2.0, 2.0])
    assert (ours.median, ours.low, ours.high) == (6, 2, 8)
    assert benchmark.ratio(ours, theirs).rounds == [4, 1, 3]


def test_chunks_count_their_units(spec) -> None:
    assert benchmark.playouts(spec, num_games=2, plies=5)() == 10
    assert benchmark.batch_bare(spec, 512)() == 2048
    assert benchmark.batch_full(spec, 4096)() == 4096
    assert benchmark.sampling(spec, 3)() == 48
    env = BoardGameEnv(spec)
    assert benchmark.aec_raw(env)() == env.record["ply"]
    assert benchmark.aec_documented(env)() == env.record["ply"]


def test_random_games(spec) -> None:
    found = benchmark.random_games(spec, 200)
    assert found["games"] == 200
    assert 5 < found["mean_plies"] < spec.max_plies
    short = benchmark.random_games(starboard.load("astralis", size=3, stall_limit=1), 50)
    assert found["ended_by_stall"] < 0.2 < short["ended_by_stall"]


def test_machine() -> None:
    facts = benchmark.machine()
    assert facts["cpu"]
    assert facts["cores"] >= 1
    assert {"starboard-envs", "numba"} <= set(facts["packages"])


def test_report(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    out.write_text("of an earlier run")
    report = benchmark.run("astralis", {"size": 3}, quick=True, out=out)
    assert json.loads(out.read_text()) == report
    assert list(tmp_path.iterdir()) == [out]
    assert report["options"]["size"] == 3
    names = [layer["name"] for layer in report["layers"]]
    assert {"kernel playout", "AEC raw_env", "AEC env", "SB3 VecEnv 64", "training"} <= set(names)
    assert all(layer["low"] == layer["median"] == layer["high"] > 0 for layer in report["layers"])
    text = benchmark.table(report)
    assert all(name in text for name in names)
    assert "start-up: skipped (quick)" in text


def test_without_the_training_extra_its_layers_are_skipped(spec, monkeypatch) -> None:
    monkeypatch.setattr(benchmark, "TRAIN_EXTRA", ("torch", "surely_not_installed"))
    found, skipped = benchmark.layers(spec, quick=True)
    assert {"SB3 VecEnv 64", "training"} <= set(skipped)
    assert not {layer.name for layer in found} & set(skipped)
    assert "starboard-envs[train]" in skipped["training"]


def test_file_that_cannot_be_written_is_left_alone(tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "bench.json"
    out.write_text("good")
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError("disk full")))
    monkeypatch.setattr(benchmark, "layers", lambda spec, quick: ([], {}))
    with pytest.raises(OSError, match="disk full"):
        benchmark.run("astralis", {"size": 3}, quick=True, out=out)
    assert out.read_text() == "good"


@pytest.mark.parametrize("arguments", [{"rounds": 0}, {"seconds": -1.0}])
def test_bad_arguments(arguments) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        benchmark.run(**arguments)


def test_startup_is_cold_first(spec) -> None:
    found = benchmark.startup(spec)
    assert found["cold"] > found["warm"] > 0
    assert found["load"] > 0
    assert 0.01 < found["cache_mb"] < 100


def script(name: str, *arguments: str | Path, **environment: str) -> str:
    """Output of a quick run of a script in benchmarks/."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / name, "--quick", *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_networks() -> None:
    out = script("networks.py")
    assert all(f"\n{kind}, 0 " in out for kind in NETWORKS)


def test_pipeline(tmp_path: Path) -> None:
    """Where the time of an update goes: the shares of its parts add up to all of it."""
    out = script("pipeline.py", "--games", "asterion", "--json", tmp_path / "pipeline.json")
    found = {rate["name"]: rate for rate in json.loads((tmp_path / "pipeline.json").read_text())["rates"]}
    for name in ("asterion, past selves", "asterion, default pool"):
        assert name in out
        shares = found[name]["shares"]
        assert sum(shares.values()) == pytest.approx(1, abs=0.01)
        assert all(shares[part] > 0 for part in ("rules", "opponents", "look-ahead", "learner", "buffer"))
        assert shares["optimisation"] > 0
        assert found[name]["cores"] > 0


def test_search(tmp_path: Path) -> None:
    out = script("search.py", "--json", tmp_path / "search.json")
    found = json.loads((tmp_path / "search.json").read_text())
    assert {rate["unit"] for rate in found["rates"]} >= {"plies", "decisions"}
    assert ("asterion, search", "asterion, playouts", 0.6) in [
        (ratio["ours"], ratio["theirs"], ratio["target"]) for ratio in found["ratios"]
    ]
    assert all(f"{ratio['ours']} / {ratio['theirs']}" in out for ratio in found["ratios"])


def test_kernels(tmp_path: Path) -> None:
    out = script("kernels.py", "--games", "2", "--json", tmp_path / "kernels.json")
    parts = json.loads((tmp_path / "kernels.json").read_text())["parts"]
    found = {(part["game"], part["part"]): part for part in parts}
    for name in starboard.names():
        spec = starboard.load(name)
        assert found[name, "observe"]["bytes"] == spec.observation_high.size
        assert found[name, "mask"]["bytes"] == spec.num_actions
        assert all(found[name, part]["nanoseconds"] > 0 for part in ("step", "returns", "sampling"))
        assert f"\n{name} " in out


def test_scale(tmp_path: Path, scale: ModuleType, monkeypatch, capsys) -> None:
    """What is measured, and where it is written; the workers here only pretend to measure."""

    class Pretending:
        def __init__(self, count: int, **environment: str) -> None:
            pass

        def chunk(self, game: str, num_games: int, kind: str, seconds: float, costs: list) -> Callable[[], int]:
            return lambda: costs.append(scale.Costs(2.0, 0.25)) or 1

        def close(self) -> None:
            pass

    monkeypatch.setattr(scale, "Workers", Pretending)
    file, plot = tmp_path / "scale.json", tmp_path / "scale.svg"
    arguments = ["--quick", "--game", "astralis", "--largest", "4", "--json", str(file), "--plot", str(plot)]
    monkeypatch.setattr("sys.argv", ["scale.py", *arguments])
    scale.main()
    found = json.loads(file.read_text())
    kinds = scale.KINDS if scale.numba.config.NUMBA_NUM_THREADS > 1 else ("1 thread", "memory kept", "bare")
    names = [f"astralis, {n} games, {kind}" for n in (1, 4) for kind in kinds]
    assert [rate["name"] for rate in found["rates"]] == [f"astralis, {CALIBRATION}", *names]
    touched = found["bytes"]["astralis"]["working_set"]
    costs = {"faults": 2.0, "system": 0.25}
    assert found["points"] == [
        {"game": "astralis", "num_games": n, "working_set": n * touched, "costs": costs} for n in (1, 4)
    ]
    out = capsys.readouterr().out
    assert all(text in out for text in ("thousands of plies a second", "times as fast as one thread", "bytes a game"))
    assert plot.read_text().startswith("<?xml")


def test_workers_measure(scale: ModuleType) -> None:
    costs: list = []
    before = dict(os.environ)
    with closing(scale.Workers(1, **scale.KEEP)) as workers:
        assert dict(os.environ) == before
        chunk = workers.chunk("astralis", 4, "1 thread", 0.0, costs)
        assert min(chunk(), chunk()) > 100
    assert len(costs) == 2
    if costs[0] is not None:  # on Windows
        assert 0 <= costs[0].system <= 1


def test_bytes_a_game(spec, scale: ModuleType) -> None:
    """What is measured is what the spec says, and what the batch keeps has room for the last observations."""
    use = scale.use(spec, 64)
    observation = spec.observation_high.size
    assert (use.record, use.observation, use.mask) == (spec.state_dtype.itemsize, observation, spec.num_actions)
    assert use.rest == 8 + 1 + 8 * spec.num_players + 2  # action, to_move, rewards, flags
    assert use.kept > spec.num_players * observation
    assert use.most > use.record + use.kept + 2 * (observation + spec.num_actions)


def test_memory_stays_flat(spec, scale: ModuleType) -> None:
    assert scale.endurance([Batch(spec, 64, seed=0)], 5000).flat


def test_memory_that_is_kept_is_seen(spec, scale: ModuleType) -> None:
    kept = []
    memory = scale.endurance([Batch(spec, 64, seed=0)], 5000, lambda step: kept.append(np.ones(20_000)))
    assert len(memory.games) == len(memory.resident) == 101
    assert memory.games[0] == 0
    assert memory.games[-1] >= 5000
    assert not memory.flat


@pytest.mark.soak
@pytest.mark.parametrize("game", starboard.names())
def test_memory_stays_flat_over_many_games(game: str) -> None:
    options = ("--games", "100000", "--game", game)
    assert re.search(rf"^{game} .* yes$", script("scale.py", *options), re.MULTILINE)
