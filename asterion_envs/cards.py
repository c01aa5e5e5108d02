"""The 17 cards of a player: read from a TOML file, checked, and written in one form (AN-1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from starboard import cardfile

CARDS = 17
MOST = 9
"""Wings, and coins, that a corridor has at most."""
DIRECTIONS = "NESW"
CORRIDORS = tuple(
    "".join(letter for bit, letter in enumerate(DIRECTIONS) if openings >> bit & 1) for openings in range(1, 16)
)
"""All sets of openings, as they are written."""
_FILE = files(__package__) / "data" / "reference.toml"
_NAME = re.compile(r"[A-Za-z0-9_]{1,12}")


@dataclass(frozen=True)
class Card:
    """A card, not turned."""

    name: str
    corridors: tuple[str, ...]
    """The openings of each, letters of ``"NESW"`` in this order; the corridor with the foremost letter comes first."""
    prisoner: int
    """Index of the corridor that the prisoner lies in."""
    wings: tuple[int, ...]
    """How many wings each corridor has, 0 to 9."""
    coins: tuple[int, ...]
    """How many coins each corridor has, 0 to 9."""


def load(tiles: Any) -> tuple[Card, ...]:
    """The 17 cards of ``tiles``: ``"reference"``, the path of a card file, or the text of one.

    >>> load("reference")[1]
    Card(name='T02', corridors=('NE',), prisoner=0, wings=(1,), coins=(0,))

    :raises ValueError: naming file, card, field, reason and fix, if it is malformed (AN-1.3).
    """
    return _parse(*cardfile.find(tiles, _FILE))


def read(tiles: Any) -> str:
    """``tiles`` in one form: ``"reference"``, if that has the same cards, else the text of a card file.

    Notes, spacing, the order of a card's corridors and the like make no difference to it.

    :raises ValueError: as :func:`load` does.
    """
    cards = load(tiles)
    if cards == load(cardfile.REFERENCE):
        return cardfile.REFERENCE
    return "cards = [\n" + "".join(f"    {{ {_written(card)} }},\n" for card in cards) + "]\n"


def _written(card: Card) -> str:
    def listed(names: Any) -> str:
        return "[" + ", ".join(f'"{name}"' for name in names) + "]"

    def held(counts: tuple[int, ...]) -> str:
        return listed(name for name, count in zip(card.corridors, counts, strict=True) for _ in range(count))

    return (
        f'name = "{card.name}", corridors = {listed(card.corridors)}, prisoner = "{card.corridors[card.prisoner]}", '
        f"wings = {held(card.wings)}, coins = {held(card.coins)}"
    )


@cache
def _parse(source: str, text: str) -> tuple[Card, ...]:
    content = cardfile.Section(source, cardfile.parse(source, text), ["cards"])
    sections = content.sections("cards", "card", CARDS, ["name", "corridors", "prisoner"], ["wings", "coins"])
    cards = tuple(map(_card, sections))
    cardfile.check_unique(sections, "name")
    return cards


def _card(section: cardfile.Section) -> Card:
    name = section.word("name")
    if not _NAME.fullmatch(name) or name.lower() == "pass":
        raise section.error("name", "must be 1 to 12 letters A-Z, a-z, digits or _, and not 'pass'")
    corridors = sorted(section.words("corridors", CORRIDORS), key=lambda corridor: DIRECTIONS.index(corridor[0]))
    openings = "".join(corridors)
    if not openings:
        raise section.error("corridors", "there are none; name the openings of at least one, such as 'NE'")
    # Two corridors that have no opening in common can always be drawn: only NS and EW cross, which is the bridge.
    for letter in DIRECTIONS:
        if openings.count(letter) > 1:
            raise section.error("corridors", f"{letter} is in two; corridors that share an opening are one")
    held = {}
    for field in ("wings", "coins"):
        found = section.words(field, corridors)
        held[field] = tuple(found.count(corridor) for corridor in corridors)
        if max(held[field]) > MOST:
            raise section.error(field, f"has {max(held[field])} in one corridor; at most {MOST} are possible")
    return Card(name, tuple(corridors), corridors.index(section.word("prisoner", corridors)), **held)
