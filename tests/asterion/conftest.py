"""Fixtures of the Asterion tests."""

from __future__ import annotations

import pytest

from tests.asterion.kernel_game import KernelAsterion
from tests.naive.asterion import NaiveAsterion


@pytest.fixture(params=[NaiveAsterion, KernelAsterion], ids=["oracle", "kernel"])
def game_factory(request):
    """Makes a game from options: the same tests run on the oracle and on the kernel."""
    return request.param
