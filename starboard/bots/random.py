"""The player that any other must beat."""

from __future__ import annotations

import numpy as np

from starboard.batch import sample_actions
from starboard.spec import GameSpec
from starboard.state import as_seed


class RandomBot:
    """Plays each legal action with the same probability.

    :param seed: whole number in ``0 .. 2**64 - 1``; None draws one. The same seed and calls give the same actions.
    """

    def __init__(self, spec: GameSpec, seed: int | None = None) -> None:
        self._seed = as_seed(seed)
        self.calls = 0
        """How often it was asked: with the seed, all that its next random numbers depend on."""

    def __call__(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for each row of ``action_masks``, int8 (N, num_actions)."""
        actions = sample_actions(action_masks, self._seed, self.calls)
        self.calls += 1
        return actions
