"""Which tests prove which clause of the rules: the way from the rulebook to the tests.

Each game's ``RULES.md`` lists its clauses, one to an item: ``- **AL-3.1** ...``. A test proves the clauses whose
numbers stand in its docstring, its comments or the parameters that it is run with; so a number is written in full.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
NUMBER = re.compile(r"\b[A-Z]{2}-\d+\.\d+\b")


def rulebooks() -> list[Path]:
    """The ``RULES.md`` of each game that has one."""
    return sorted(ROOT.glob("*_envs/RULES.md"))


def clauses(rulebook: Path) -> list[str]:
    """The numbers of its clauses, in order."""
    return re.findall(rf"^- \*\*({NUMBER.pattern})\*\*", rulebook.read_text(encoding="utf-8"), re.MULTILINE)


def cited(source: str) -> Iterator[tuple[str, set[str]]]:
    """Each test in the ``source`` of a module, and the clauses that it cites."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, set(NUMBER.findall("\n".join(lines[first - 1 : node.end_lineno])))


def proofs() -> dict[str, list[tuple[Path, str]]]:
    """For each clause that a test cites: file and name of all tests that do."""
    found: dict[str, list[tuple[Path, str]]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for name, numbers in cited(file.read_text(encoding="utf-8")):
            for number in numbers:
                found.setdefault(number, []).append((file, name))
    return found


def page() -> str:
    """The page ``docs/clauses.md``: a table for each game."""
    found = proofs()
    blocks = [
        "<!-- Made by docs/generate.py from the tests: run `python docs/generate.py`. -->",
        "# Clauses and tests",
        "Every clause of the rules is proved by the tests that cite it.",
    ]
    for rulebook in rulebooks():
        title = rulebook.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        rows = ["| clause | tests |", "| --- | --- |"]
        for number in clauses(rulebook):
            by_file: dict[str, list[str]] = {}
            for file, name in found.get(number, []):
                by_file.setdefault(file.relative_to(ROOT).as_posix(), []).append(f"`{name}`")
            rows.append(f"| {number} | {'<br>'.join(map(_listed, by_file.items()))} |")
        blocks += [f"## [{title}](../{rulebook.relative_to(ROOT).as_posix()})", "\n".join(rows)]
    return "\n\n".join(blocks) + "\n"


def _listed(item: tuple[str, list[str]]) -> str:
    file, names = item
    return f"[{file.removeprefix('tests/')}](../{file}): {', '.join(names)}"
