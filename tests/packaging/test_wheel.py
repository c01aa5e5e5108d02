"""A wheel built from the tree has what it should, and plays a game where only the core dependencies are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("starboard", "asteria_envs", "asterion_envs", "astralis_envs")
SOURCES = (*PACKAGES, "tests", "pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE")

PLAY = """
import importlib.util

import numpy as np

for absent in ("torch", "stable_baselines3"):
    assert importlib.util.find_spec(absent) is None, absent

from astralis_envs import astralis_v0

env = astralis_v0.env()
rng = np.random.default_rng(0)
total = {}
plies = 0
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    total[agent] = total.get(agent, 0) + reward
    if termination or truncation:
        action = None
    else:
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        plies += 1
    env.step(action)
env.close()
assert plies > 60, plies
assert sorted(total) == ["player_0", "player_1"], total
assert sorted(total.values()) == [-1, 1], total  # The komi is 3.5: no draws.
print("played", astralis_v0.__file__)
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Output of ``command``, run away from the tree so that nothing is imported from it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: setuptools leaves a build folder behind, whose files end up in later wheels."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "tree"
    copy.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy(ROOT / name, copy)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", copy, cwd=folder)
    (built,) = (folder / "dist").iterdir()
    return built


def test_is_pure_python(wheel: Path) -> None:
    assert wheel.name.startswith("starboard_envs-")
    assert wheel.name.endswith("-py3-none-any.whl")


def test_has_the_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"{package}/{file}" for package in PACKAGES for file in ("__init__.py", "py.typed")} <= set(names)
    assert {"astralis_envs/RULES.md", "starboard/replay/data/page.html"} <= set(names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)

    for name in names:
        top, *folders, file = name.split("/")
        if top.endswith(".dist-info"):
            continue
        assert top in PACKAGES, name
        assert file.endswith(".py") or file in ("py.typed", "RULES.md") or folders[-1:] == ["data"], name


def test_plays_with_the_core_dependencies_alone(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*install, "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    run(python, "-m", "pip", "check", cwd=tmp_path)

    # Here an unexpected warning is an error too.
    played = run(python, "-W", "error", "-c", PLAY, cwd=tmp_path)
    assert str(tmp_path) in played

    assert "train" in run(scripts / "starboard", "--help", cwd=tmp_path)
