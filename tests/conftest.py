"""Fixtures for all tests."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from starboard import registry

GRAB = EntryPoint("grab", "tests.testing.grab:GAME", "starboard.games")


@pytest.fixture
def grab(monkeypatch):
    """Makes specs of Grab, a game for three with hidden hands, which is installed while the test runs."""
    installed = {**registry._installed(), "grab": GRAB}
    monkeypatch.setattr(registry, "_installed", lambda: installed)
    return lambda **options: registry.load("grab", **options)
