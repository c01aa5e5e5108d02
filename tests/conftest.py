"""Fixtures for all tests."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from starboard import registry
from starboard.spec import Game, GameSpec, Option

GRAB = EntryPoint("grab", "tests.testing.grab:GAME", "starboard.games")


@pytest.fixture
def grab(monkeypatch):
    """Makes specs of Grab, a game for three with hidden hands, which is installed while the test runs."""
    installed = {**registry._installed(), "grab": GRAB}
    monkeypatch.setattr(registry, "_installed", lambda: installed)
    return lambda **options: registry.load("grab", **options)


def _numbers(value):
    """The content of a file of numbers: in order, one a line."""
    if value == "none":
        return "none"
    text = value
    if not isinstance(value, str) or "\n" not in value:
        try:
            text = Path(value).read_text()
        except OSError:
            raise ValueError(f"{value!r}: cannot be read") from None
    return "".join(f"{number}\n" for number in sorted(map(int, text.split())))


@pytest.fixture
def toy(monkeypatch):
    """A game with an option that names a file, ``toy``, installed while the test runs. It plays as Astralis."""

    def build(options) -> GameSpec:
        return replace(registry.load("astralis", size=3), name="toy", options=options)

    game = Game("toy", 0, "a toy", (Option("numbers", "none", "numbers to be read", read=_numbers),), build)
    installed = {**registry._installed(), "toy": SimpleNamespace(load=lambda: game)}
    monkeypatch.setattr(registry, "_installed", lambda: installed)
    return game
