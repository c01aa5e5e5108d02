"""What importing loads, and who may import whom."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("asteria_envs", "asterion_envs", "astralis_envs")


def loaded(code: str) -> set[str]:
    """Names of the top-level packages that a new Python process has loaded after running ``code``."""
    code += "\nimport sys; print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


def imported(file: Path, package: str) -> set[str]:
    """Top-level names that ``file``, in ``package``, imports anywhere, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(package if node.level else (node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_loads_neither_torch_nor_drawing(game: str) -> None:
    slow = {"torch", "stable_baselines3", "sb3_contrib", "matplotlib", "pygame"}
    # Where torch is installed at all, the check would see it.
    assert importlib.util.find_spec("torch") is not None
    assert not loaded(f"import {game}") & slow


def test_help_loads_nothing_slow() -> None:
    code = """
from starboard.cli import main
try:
    main(["--help"])
except SystemExit as exit:
    assert not exit.code, exit.code
"""
    assert not loaded(code) & {"torch", "numba", "gymnasium", "pettingzoo"}


@pytest.mark.parametrize("package", ["starboard", *GAMES])
def test_packages_import_only_downwards(package: str) -> None:
    """Games import starboard; starboard imports no game, and no game another."""
    forbidden = set(GAMES) - {package}
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    wrong = {str(file.relative_to(ROOT)): found for file in files if (found := imported(file, package) & forbidden)}
    assert not wrong
