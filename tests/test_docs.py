"""The documentation says what the code does: pages are current, examples run, clauses exist, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

import starboard
from starboard import registry, testing

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
RULES = ROOT / "astralis_envs" / "RULES.md"
PAGES = [ROOT / "README.md", RULES, *sorted(DOCS.glob("*.md"))]
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("starboard", "astralis_envs")
    for file in (ROOT / package).rglob("*.py")
    if file.name != "__main__.py"
)
CLAUSE = re.compile(r"\bAL-\d+\.\d+\b")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current(generate: ModuleType) -> None:
    assert generate.PAGES
    for name, make in generate.PAGES.items():
        assert (DOCS / name).read_text(encoding="utf-8") == make(), f"{name}: run `python docs/generate.py`"


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_in_pages_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of one page run one after the other, as a reader would type them in the folder of the pages."""
    monkeypatch.syspath_prepend(DOCS)
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_game_of_ones_own_passes_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.setattr(registry, "_installed", lambda: {"nim": EntryPoint("nim", "nim:GAME", "starboard.games")})
    for pile in (1, 2, 15):
        spec = starboard.load("nim", pile=pile)
        for check in (testing.check_conformance, testing.check_leaks, testing.check_clones, testing.check_episodes):
            check(spec)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_concepts_name_every_part() -> None:
    text = (DOCS / "concepts.md").read_text(encoding="utf-8")
    for path in (ROOT / "starboard").iterdir():
        if path.name[0] not in "._" and (path / "__init__.py" if path.is_dir() else path).name.endswith(".py"):
            assert f"`{path.name}{'/' * path.is_dir()}`" in text, path.name


def test_rules_number_each_clause_once_and_say_where_it_comes_from() -> None:
    rules = RULES.read_text(encoding="utf-8")
    clauses = re.findall(r"^- \*\*(AL-\d+\.\d+)\*\* (\(\w+)?", rules, re.MULTILINE)
    numbers = [number for number, _ in clauses]
    assert len(numbers) == len(set(numbers)) == 20
    assert {source for _, source in clauses} == {"(seed", "(designer", "(ruling"}


def test_each_ruling_has_its_reason() -> None:
    clauses, reasons = RULES.read_text(encoding="utf-8").split("\n## Rulings\n")
    ruled = {
        CLAUSE.findall(text)[0] for text in re.split(r"^- ", clauses, flags=re.MULTILINE)[1:] if "(ruling)" in text
    }
    assert ruled == set(re.findall(r"^\| (AL-\d+\.\d+) \|", reasons, re.MULTILINE))


def test_cited_clauses_exist_and_all_are_cited() -> None:
    known = set(CLAUSE.findall(RULES.read_text(encoding="utf-8")))
    files = [file for folder in ("starboard", "astralis_envs", "tests") for file in (ROOT / folder).rglob("*.py")]
    cited = {file: set(CLAUSE.findall(file.read_text(encoding="utf-8"))) for file in [*files, *DOCS.glob("*.md")]}
    assert {file: clauses - known for file, clauses in cited.items() if clauses - known} == {}
    assert known - set().union(*(cited[file] for file in files)) == set()
