"""The documentation says what the code does: pages are current, examples run, clauses exist, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import starboard
from starboard import registry, testing
from starboard.records import positions, start_seed, verify
from starboard.render import draw, rgb

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GAMES = {
    "astralis": ("AL", 20, {"seed", "designer", "ruling"}),
    "asterion": ("AN", 21, {"seed", "ruling"}),
    "asteria": ("AT", 42, {"seed", "ruling"}),
}
"""Game -> what the numbers of its clauses begin with, how many it has, and where they come from."""
PACKAGES = [f"{game}_envs" for game in GAMES]
PAGES = [ROOT / "README.md", *(ROOT / package / "RULES.md" for package in PACKAGES), *sorted(DOCS.glob("*.md"))]
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("starboard", *PACKAGES)
    for file in (ROOT / package).rglob("*.py")
    if file.name != "__main__.py"
)
CLAUSE = re.compile(rf"\b(?:{'|'.join(prefix for prefix, _, _ in GAMES.values())})-\d+\.\d+\b")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def rules(game: str) -> str:
    return (ROOT / f"{game}_envs" / "RULES.md").read_text(encoding="utf-8")


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
        current = (DOCS / name).read_text(encoding="utf-8") == make()  # the texts are too long for a message
        assert current, f"{name}: run `python docs/generate.py`"


@pytest.mark.parametrize("game", GAMES)
def test_the_game_that_a_page_shows_keeps_to_the_rules(generate: ModuleType, game: str) -> None:
    (page,) = (page for page in generate.GAMES if page.game.name == game)
    record = page.record
    verify(record)
    assert record.spec.options == page.game.spec(**page.shown.options).options
    assert record.seed == start_seed(page.shown.seed)
    assert record.end == "terminated"
    assert 0 < page.shown.ply < record.plies


@pytest.mark.parametrize("game", GAMES)
def test_the_animation_on_a_page_is_of_this_game(generate: ModuleType, game: str) -> None:
    (page,) = (page for page in generate.GAMES if page.game.name == game)
    states = list(positions(page.record))
    with Image.open(DOCS / "pictures" / f"{game}.gif") as film:
        assert film.n_frames == len(states)
        for ply in (page.shown.ply, page.record.plies):
            film.seek(ply)
            frame = np.asarray(film.convert("RGB"), int)
            here, before = (rgb(draw(page.record.spec, states[k].record), generate.SCALE) for k in (ply, ply - 1))
            changed, differs = (np.abs(frame - picture).max(axis=2) > 64 for picture in (before, here))
            assert changed.sum() > 200
            assert differs.sum() < 20, f"{game}.gif, frame {ply}: run `python docs/generate.py --gifs`"


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
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:href|src|srcset)="([^"#]+)', text)
    for link in links:
        assert link.startswith("https://") or (page.parent / link).exists(), link


@pytest.mark.parametrize("game", GAMES)
def test_the_readme_shows_each_game_and_says_what_is_to_be_seen(game: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf'<a href="docs/{game}.md"><picture>(.*?)</picture></a>', text, re.DOTALL)
    assert f'media="(prefers-color-scheme: dark)" srcset="docs/pictures/{game}-dark.svg"' in shown
    (words,) = re.findall(rf'<img src="docs/pictures/{game}-light.svg" [^>]*alt="([^"]+)"', shown)
    assert words.startswith(f"{game.capitalize()}: ")


def test_concepts_name_every_part() -> None:
    text = (DOCS / "concepts.md").read_text(encoding="utf-8")
    for path in (ROOT / "starboard").iterdir():
        if path.name[0] not in "._" and (path / "__init__.py" if path.is_dir() else path).name.endswith(".py"):
            assert f"`{path.name}{'/' * path.is_dir()}`" in text, path.name


@pytest.mark.parametrize("game", GAMES)
def test_rules_number_each_clause_once_and_say_where_it_comes_from(game: str) -> None:
    prefix, count, sources = GAMES[game]
    clauses = re.findall(r"^- \*\*(\S+)\*\* (?:\((\w+))?", rules(game).split("\n## Rulings\n")[0], re.MULTILINE)
    numbers = [number for number, _ in clauses if CLAUSE.fullmatch(number)]
    assert all(number.startswith(prefix) for number in numbers)
    assert len(numbers) == len(set(numbers)) == count
    assert {source for number, source in clauses if number in numbers} == sources


@pytest.mark.parametrize("game", GAMES)
def test_clauses_stand_in_order(game: str) -> None:
    prefix, *_ = GAMES[game]
    section, last = 0, 0
    for line in rules(game).splitlines():
        if found := re.match(r"## (\d+) ", line):
            assert int(found[1]) == section + 1
            section, last = section + 1, 0
        if found := re.match(r"- \*\*(\S+)\*\* \(", line):
            last += 1
            assert found[1] == f"{prefix}-{section}.{last}"


@pytest.mark.parametrize("game", GAMES)
def test_each_ruling_has_its_reason(game: str) -> None:
    clauses, reasons = rules(game).split("\n## Rulings\n")
    ruled = {
        CLAUSE.findall(text)[0] for text in re.split(r"^- ", clauses, flags=re.MULTILINE)[1:] if "(ruling)" in text
    }
    assert ruled == set(re.findall(rf"^\| ({CLAUSE.pattern}) \|", reasons, re.MULTILINE))


def test_cited_clauses_exist_and_all_are_cited() -> None:
    known = {clause for game in GAMES for clause in CLAUSE.findall(rules(game))}
    folders = ("starboard", *PACKAGES, "tests")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    cited = {file: set(CLAUSE.findall(file.read_text(encoding="utf-8"))) for file in [*files, *DOCS.glob("*.md")]}
    assert {file: clauses - known for file, clauses in cited.items() if clauses - known} == {}
    assert known - set().union(*(cited[file] for file in files)) == set()


def test_the_table_of_blocks_has_every_action() -> None:
    spec = starboard.load("asteria")
    page = (DOCS / "asteria.md").read_text(encoding="utf-8")
    following = 0
    for first, count, word in re.findall(r"^\| (\d+) \| (\d+) \| `(\w+)` \|", page, re.MULTILINE):
        assert int(first) == following
        following += int(count)
        for action in (int(first), following - 1):
            assert spec.describe_action(None, action).split()[0] == word
    assert following == spec.num_actions


@pytest.mark.parametrize("game", GAMES)
def test_the_tables_of_observations_go_up_to_the_last_entry(game: str) -> None:
    page = (DOCS / f"{game}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:\d+ to )?(\d+) \|.* (?:\d+ to \d+|see below) \|$", page, re.MULTILINE)
    assert str(starboard.load(game).observation_shape[0] - 1) in rows
