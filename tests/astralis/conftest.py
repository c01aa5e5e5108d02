"""Fixtures of the Astralis tests."""

from __future__ import annotations

import pytest

from tests.astralis.kernel_game import KernelAstralis
from tests.naive.astralis import NaiveAstralis


@pytest.fixture(params=[NaiveAstralis, KernelAstralis], ids=["oracle", "kernel"])
def game_factory(request):
    """Makes a game from options: the same tests run on the oracle and on the kernel."""
    return request.param
