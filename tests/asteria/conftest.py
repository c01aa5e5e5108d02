"""Fixtures of the Asteria tests."""

from __future__ import annotations

import pytest

from tests.asteria.kernel_game import KernelAsteria
from tests.naive.asteria import NaiveAsteria


@pytest.fixture(params=[NaiveAsteria, KernelAsteria], ids=["oracle", "kernel"])
def game_factory(request):
    """Makes a game from a deck and options: the same tests run on the oracle and on the kernel."""
    return request.param
