"""Help for games whose cards stand in a TOML file: finding the file, reading it, and errors that say where and why.

Such a file comes with the game as ``"reference"``; users may give their own. All errors are ValueErrors that name the
file, the card, the field, the reason and what to write instead.
"""

from __future__ import annotations

import os
import reprlib
import tomllib
from collections.abc import Collection, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

REFERENCE = "reference"
"""Stands for the file that comes with the game; a file that has this name is ``"./reference"``."""


def find(value: Any, reference: Traversable) -> tuple[str, str]:
    """The TOML text that ``value`` stands for, after a name for it that error messages begin with.

    :param value: ``"reference"``, the path of a file, or the text itself, which has a line break in it.
    :param reference: the file that comes with the game.
    :raises ValueError: for something else, or if the file cannot be read.
    """
    if isinstance(value, str) and "\n" in value:
        return "text", value
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"{reprlib.repr(value)}: must be {REFERENCE!r}, the path of a TOML file, or the text of one")
    file = reference if value == REFERENCE else Path(value)
    try:
        return str(value), file.read_text(encoding="utf-8-sig")  # some editors of Windows write a mark there
    except (OSError, ValueError) as error:
        unreadable = isinstance(error, UnicodeDecodeError)
        reason = "is no text in UTF-8" if unreadable else getattr(error, "strerror", None) or error
        raise ValueError(
            f"{str(value)[:200]!r}: cannot be read ({reason}); give the path of a TOML file, or {REFERENCE!r}"
        ) from None


def parse(source: str, text: str) -> dict[str, Any]:
    """The content of TOML ``text``, which messages call ``source``.

    :raises ValueError: with line and column, if it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # some numbers and dates raise plain ValueErrors
        raise ValueError(f"{source}: is not TOML: {error}") from None


class Section:
    """A table of the file whose fields are checked as they are read.

    :param where: what messages begin with, such as ``"cards.toml: card 3 'T03'"``.
    :param content: what stands in the file there.
    :param needed: fields that it must have.
    :param optional: fields that it may have; without them, :meth:`whole` gives the least value, and what gives a list
        an empty one.
    :raises ValueError: if ``content`` is no table, or has other fields.
    """

    def __init__(self, where: str, content: Any, needed: Collection[str], optional: Collection[str] = ()) -> None:
        self.where = where
        if not isinstance(content, dict):
            raise ValueError(f"{where}: is {reprlib.repr(content)}; must be a table of {', '.join(needed)}")
        self.content: dict[str, Any] = content
        fields = [*needed, *optional]
        for field in content:
            if field not in fields:
                raise self.error(field, f"there is no such field; there are {', '.join(fields)}")
        for field in needed:
            if field not in content:
                raise self.error(field, "is missing; add it")

    def error(self, field: str, reason: str) -> ValueError:
        """To be raised for what is wrong with ``field``."""
        return ValueError(f"{self.where}: {field}: {reason}")

    @property
    def called(self) -> str:
        """The last part of ``where``, such as ``"card 3 'T03'"``."""
        return self.where.rsplit(": ", 1)[-1]

    def whole(self, field: str, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        value = self.content.get(field, low)
        if type(value) is not int or not low <= value <= high:
            raise self.error(field, f"is {reprlib.repr(value)}; must be a whole number from {low} to {high}")
        return value

    def word(self, field: str, choices: Sequence[str] = ()) -> str:
        """A string, one of ``choices`` if there are any."""
        return self._word(field, self.content[field], choices)

    def words(self, field: str, choices: Sequence[str] = ()) -> list[str]:
        """A list of strings, each one of ``choices`` if there are any."""
        values = self._list(field, self.content.get(field, []))
        return [self._word(field, value, choices) for value in values]

    def sections(
        self,
        field: str,
        noun: str,
        count: int | tuple[int, int],
        needed: Collection[str],
        optional: Collection[str] = (),
    ) -> list[Section]:
        """A list of tables, ``count`` of them, or from the first to the second number of it.

        Each is a ``noun``, called by its number and what it has as ``name``.
        """
        values = self._list(field, self.content.get(field, []))
        low, high = (count, count) if isinstance(count, int) else count
        if not low <= len(values) <= high:
            raise self.error(field, f"has {len(values)}; must have {low if low == high else f'{low} to {high}'}")
        found = []
        for number, value in enumerate(values, 1):
            name = value.get("name") if isinstance(value, dict) else None
            called = f" {reprlib.repr(name)}" if isinstance(name, str) else ""
            found.append(Section(f"{self.where}: {noun} {number}{called}", value, needed, optional))
        return found

    def _word(self, field: str, value: Any, choices: Sequence[str]) -> str:
        if not isinstance(value, str):
            raise self.error(field, f"has {reprlib.repr(value)}; must be a string in quotes")
        if choices and value not in choices:
            raise self.error(field, f"has {reprlib.repr(value)}; must be one of {', '.join(map(repr, choices))}")
        return value

    def _list(self, field: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(field, f"is {reprlib.repr(value)}; must be a list in brackets")
        return value


def check_unique(sections: Sequence[Section], field: str) -> None:
    """See that no two ``sections`` have the same word in ``field``; capitals make no difference.

    :raises ValueError: naming the later one.
    """
    seen: dict[Any, Section] = {}
    for section in sections:
        first = seen.setdefault(section.content[field].lower(), section)
        if first is not section:
            raise section.error(field, f"is that of {first.called}, too; each needs its own")
