"""Every clause of every game's rules is proved by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import cited, clauses, page, proofs, rulebooks

MODULE = '''
"""A module that mentions XY-9.9."""

TABLE = ["XY-9.8"]


# XY-9.7
@pytest.mark.parametrize("way", ["XY-1.1"])
def test_one(way):
    """XY-1.2, XY-10.3: and not AXY-1.4 or XY-1."""
    assert way  # XY-1.5


def helper():
    """XY-9.6."""


class TestMore:
    def test_two(self):
        pass
'''


@pytest.mark.parametrize("rulebook", rulebooks(), ids=lambda rulebook: rulebook.parent.name)
def test_every_clause_is_proved(rulebook: Path) -> None:
    found = proofs()
    assert clauses(rulebook)
    assert [number for number in clauses(rulebook) if number not in found] == []


def test_only_what_stands_in_a_test_counts() -> None:
    assert dict(cited(MODULE)) == {"test_one": {"XY-1.1", "XY-1.2", "XY-10.3", "XY-1.5"}, "test_two": set()}


def test_clauses_are_the_items_of_a_rulebook(tmp_path: Path) -> None:
    file = tmp_path / "RULES.md"
    file.write_text("# Rules\n\n- **XY-1.1** (seed) One.\n  See XY-3.1.\n- **XY-1.2** Two.\n\n| XY-2.1 | x |\n")
    assert clauses(file) == ["XY-1.1", "XY-1.2"]


def test_the_page_has_a_row_for_each_clause() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| A")]
    assert [row.split()[1] for row in rows] == [number for rulebook in rulebooks() for number in clauses(rulebook)]
    assert all("`test_" in row for row in rows)
