"""The comparison with other libraries: what is there is measured, and what is not is reported with its reason."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "peers"
REQUIREMENTS = sorted((FOLDER / "requirements").iterdir())
OUTSIDE = [FOLDER / f"{name}.py" for name in ("worker", "aec", "rollouts")]
OUTSIDE += [FOLDER / "contestants" / f"{file.stem}.py" for file in REQUIREMENTS]
"""What runs in the peers' environments."""

GOOD = """
from worker import Contestant
PACKAGES = ("pip",)
def contestants():
    def start():
        print("what a library says of itself")
        return lambda: 10
    return [
        Contestant("a kind", "chess", "in processes", start, 5),
        Contestant("a kind", "chess", "in threads", start, own_threads=start),
        Contestant("a kind", "chess", "fails", lambda: 1 / 0),
    ]
"""
CRASHES = """
import os, sys
from worker import Contestant
PACKAGES = ()
def contestants():
    calls = []
    def crash():
        calls.append(1)
        if len(calls) == 3:  # after it warmed up on one core and on two
            print("the last words", file=sys.stderr)
            os._exit(3)
        return 1
    good = Contestant("a kind", "go", "good", lambda: lambda: 1)
    return [good, Contestant("a kind", "go", "crashes in the first round", lambda: crash), good]
"""
HANGS = """
import time
from worker import Contestant
PACKAGES = ()
def contestants():
    return [Contestant("a kind", "shogi", "hangs", lambda: time.sleep(600))]
"""
MISSING = "import surely_not_installed"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("run")


@pytest.fixture
def measure(runner: ModuleType, tmp_path: Path) -> Any:
    """Runs contestants that are given as text, by the peer's name; two rounds on two cores, or twice on one."""

    def run(venvs: Path | None = None, requirements: Path | None = None, **texts: str) -> dict[str, Any]:
        peers = []
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
            peers.append(runner.Peer(name, tmp_path / f"{name}.py", requirements))
        cores = (runner.two_cores() * 2)[:2]
        found: dict[str, Any] = runner.run(peers, rounds=2, seconds=0.0, cores=cores, venvs=venvs)
        return found

    return run


def test_contestants_run_on_one_core_and_on_two(measure: Any) -> None:
    found = measure(good=GOOD)
    rates = {(rate["way"], rate["cores"]): rate for rate in found["rates"]}
    assert {key: rate["by"] for key, rate in rates.items()} == {
        ("in processes", 1): "",
        ("in threads", 1): "",
        ("in processes", 2): "2 processes",
        ("in threads", 2): "2 threads",
    }
    assert all(len(rate["rounds"]) == 2 and 0 < rate["low"] <= rate["high"] for rate in rates.values())
    assert {rate["entries"] for rate in found["rates"] if rate["way"] == "in processes"} == {5}
    assert found["skipped"] == {
        f"good: chess, fails{cores}": "ZeroDivisionError: division by zero" for cores in ("", ", two cores")
    }
    assert found["peers"]["good"]["versions"].keys() == {"pip"}


def test_who_crashes_or_hangs_is_reported_and_the_others_go_on(
    runner: ModuleType, measure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PATIENCE", 2.0)
    found = measure(good=GOOD, crashing=CRASHES, hanging=HANGS, missing=MISSING)
    assert {(rate["peer"], len(rate["rounds"])) for rate in found["rates"]} == {("good", 2)}
    reasons = {name: reason for name, reason in found["skipped"].items() if not name.startswith("good")}
    assert reasons == {
        "crashing, from `crashing: go, crashes in the first round` on": "crashed (exit status 3): the last words",
        "hanging, from `hanging: shogi, hangs` on": "gave no answer in 2 seconds",
        "missing": "ModuleNotFoundError: No module named 'surely_not_installed'",
    }


def wheel(folder: Path, name: str, version: str) -> None:
    """A distribution with one empty module."""
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": "",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)


def test_environments_are_made_once_and_anew_when_their_versions_change(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments = importlib.import_module("environments")
    text = "import tiny\n" + GOOD.replace("pip", "tiny")
    for version in ("1.0", "2.0"):
        wheel(tmp_path, "tiny", version)
    requirements = tmp_path / "requirements.txt"
    venvs = tmp_path / "venvs"

    def versions(wanted: str) -> dict[str, str]:
        requirements.write_text(f"--no-index\n--find-links {tmp_path}\ntiny=={wanted}\n")
        found = measure(venvs, requirements, tiny=text)
        return found["peers"].get("tiny", {}).get("versions", found["skipped"].get("tiny"))

    assert versions("1.0") == {"tiny": "1.0"}
    with monkeypatch.context() as patch:
        run, installed = environments._run, []
        patch.setattr(environments, "_run", lambda command: installed.append("install" in command) or run(command))
        assert versions("1.0") == {"tiny": "1.0"}
        assert installed == [False]  # only asked for the version of Python
    assert "tiny==3.0" in versions("3.0")
    assert not (venvs / "requirements" / environments.STAMP).exists()
    assert versions("2.0") == {"tiny": "2.0"}


def test_an_interpreter_that_is_not_there_is_named(runner: ModuleType, tmp_path: Path) -> None:
    peer = runner.Peer("peer", tmp_path / "peer.py", REQUIREMENTS[0])
    found = runner.run([peer], rounds=1, seconds=0.0, cores=[0], venvs=tmp_path, python="surely-no-python")
    assert found["skipped"]["peer"] == "cannot be installed: surely-no-python: No such file or directory"


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.stem)
def test_versions_are_exact(file: Path) -> None:
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in file.read_text(encoding="utf-8").splitlines())


def test_each_requirement_file_is_a_peer(runner: ModuleType) -> None:
    assert sorted(peer.requirements for peer in runner.PEERS if peer.requirements is not None) == REQUIREMENTS
    assert all(peer.contestants.is_file() for peer in runner.PEERS)


@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: file.name)
def test_what_runs_in_the_peers_environments_needs_nothing_of_ours(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(name.name.startswith("starboard") for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("starboard")


def test_halves_of_a_core_are_not_two_cores(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = importlib.import_module("workers")
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    for text, cores in (("0-1", [0, 2]), ("0,2", [0, 1]), ("0", [0, 1]), ("0-3", [0])):
        monkeypatch.setattr(workers.Path, "read_text", lambda self, encoding, text=text: text + "\n")
        assert workers.two_cores() == cores


def script(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, FOLDER / "run.py", "--quick", "--here", "--cores", "1", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_what_this_python_can_import_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    out = script(
        *("--only", "ours", "naive_c", "pettingzoo", "rlcard"),
        *("--json", tmp_path / "peers.json", "--plot", tmp_path / "peers.svg"),
    )
    found = json.loads((tmp_path / "peers.json").read_text())
    rates = {(rate["peer"], rate["game"], rate["way"]) for rate in found["rates"]}
    assert ("ours", "asterion", "Batch.step, 64 games") in rates
    assert ("PettingZoo", "connect four", "env, the documented loop") in rates
    wanted = {(ratio["ours"], ratio["theirs"], ratio["target"]) for ratio in found["ratios"]}
    loop = "raw_env, a lean loop"
    assert (f"ours: astralis, {loop}", f"PettingZoo: connect four, {loop}", 3.0) in wanted
    assert all(f"{ours} / {theirs}" in out for ours, theirs, _ in wanted)
    if importlib.util.find_spec("rlcard") is None:
        assert "RLCard: skipped (ModuleNotFoundError: No module named 'rlcard')" in out
    assert ("C" in found["peers"]) == (shutil.which("cc") is not None)
    assert (tmp_path / "peers.svg").stat().st_size > 10_000


def test_the_tutorial_is_measured() -> None:
    pytest.importorskip("pygame")
    pytest.importorskip("sb3_contrib")
    out = script("--only", "sb3", "ours_sb3")
    assert "ours, MaskablePPO: astralis, 256 games, MlpPolicy / tutorial: connect four, 16 in DummyVecEnv" in out


def test_without_a_compiler_the_program_in_c_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "C: skipped (RuntimeError: there is no C compiler called cc" in script("--only", "naive_c")
