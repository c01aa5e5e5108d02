"""Every example runs, and a tiny run of each shows what it should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
RUNS: dict[str, tuple[list[str], str]] = {
    "aec_loop.py": (["--size", "3"], r"plies, scores \[.*\], rewards \{'player_0': -?1.0, 'player_1': -?1.0\}"),
    "benchmark.py": (["--size", "3", "--games", "4", "--rounds", "1", "--seconds", "0"], r"4 games, 1 thread +\d"),
    "cleanrl_ppo.py": (
        ["--size", "3", "--total-timesteps", "1024", "--num-envs", "16", "--num-steps", "32", "--eval-games", "20"],
        r"timesteps +1024  won .*\n(.*\n)*.*against random",
    ),
    "evaluate.py": (["builder", "random", "--games", "40"], r"all +40 .*\n(.*\n)*.*50%"),
    "train.py": (["--size", "3", "--timesteps", "1", "--games", "10", "--out", "run"], r"player 0 plays"),
}
"""Example -> arguments of a tiny run, and what it prints."""

EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Output of ``command``."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(cwd)}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_all_are_run_here() -> None:
    assert {file.name for file in EXAMPLES.iterdir() if file.is_file()} == {*RUNS, "first_steps.ipynb", "look.ipynb"}


@pytest.mark.parametrize("name", RUNS)
def test_script(name: str, tmp_path: Path) -> None:
    arguments, expected = RUNS[name]
    out = run(sys.executable, "-W", "error", EXAMPLES / name, *arguments, cwd=tmp_path)
    assert re.search(expected, out), out


def test_builder_places_stones_whenever_it_can(tmp_path: Path) -> None:
    code = f"""
import sys; sys.path.insert(0, {str(EXAMPLES)!r})
import numpy as np, starboard
from evaluate import builder
from starboard.batch import Batch
batch = Batch(starboard.load("astralis", size=4), 32, seed=0)
now = batch.reset()
for _ in range(60):
    actions = builder(now.observations, now.action_masks)
    can = now.action_masks.reshape(32, -1)[:, np.arange(batch.spec.num_actions) % 7 > 0].any(1)
    assert (can == (actions % 7 > 0)).all()
    now = batch.step(actions)
"""
    run(sys.executable, "-c", code, cwd=tmp_path)


@pytest.mark.parametrize("name", ["first_steps.ipynb", "look.ipynb"])
def test_notebooks_hold_no_outputs(name: str) -> None:
    """They would go stale."""
    assert not any(cell.get("outputs") for cell in nbformat.read(EXAMPLES / name, 4).cells)


def test_a_notebook_shows_pictures(tmp_path: Path) -> None:
    file = tmp_path / "look.ipynb"
    file.write_bytes((EXAMPLES / "look.ipynb").read_bytes())
    run(sys.executable, "-c", EXECUTE, file, cwd=tmp_path)
    outputs = [output for cell in nbformat.read(file, 4).cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    kinds = [kind for data in shown for kind in data if kind.startswith("image/")]
    assert kinds == ["image/svg+xml"] * 5 + ["image/gif"]
    assert "and 988 more" in shown[4]["image/svg+xml"]


def test_notebook(tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLES / "first_steps.ipynb", 4)
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    parameters.source = "SIZE, MINUTES, GAMES = 3, 0.01, 10"
    file = tmp_path / "notebook.ipynb"
    nbformat.write(notebook, file)
    run(sys.executable, "-c", EXECUTE, file, cwd=tmp_path)
    (text,) = [
        output.text
        for cell in nbformat.read(file, 4).cells
        if "result.table()" in cell.source
        for output in cell.outputs
        if output.get("name") == "stdout"
    ]
    assert "against random" in text
