"""Are values that are kept up to date move by move what they should be?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from starboard.spec import GameSpec
from starboard.testing.walk import walk


def check_stress(
    spec: GameSpec, recompute: Callable[[Any], Mapping[str, Any]], seed: int = 0, games: int = 20, every: int = 1
) -> int:
    """Compare fields of the record with their values computed from scratch, in positions of random games.

    :param recompute: ``record -> {field: value}``, from the fields that cannot be computed; the game's own, slow and
        plain. Fields it does not return are not compared.
    :param every: compare each so many plies, and at the end of each game.
    :return: how many positions were compared.
    :raises AssertionError: with the position, the field and both values.
    """
    compared = 0
    for game in walk(spec, seed, games):
        if len(game.actions) % every and not game.state.over:
            continue
        compared += 1
        record = game.state.record
        for name, value in recompute(record).items():
            kept, fresh = np.asarray(record[name]), np.asarray(value)
            if kept.shape != fresh.shape:
                raise game.error(f"{name}: kept with shape {kept.shape}, recomputed with {fresh.shape}")
            wrong = np.argwhere(kept != fresh)
            if len(wrong):
                where = tuple(wrong[0].tolist())
                place = f" at {where}" if where else ""
                raise game.error(f"{name}: kept as {kept[where]}, recomputed as {fresh[where]}{place}")
    return compared
