"""What players that look at the games' records have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from starboard.spec import GameSpec


class RecordBot(ABC):
    """A player that simulates the game. It deals what its seat cannot see anew before it looks ahead."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec

    @abstractmethod
    def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for the seat to move in each of ``records[games]``."""

    def choose(
        self, records: np.ndarray, games: np.ndarray, observations: np.ndarray, action_masks: np.ndarray
    ) -> np.ndarray:
        """:meth:`act`, where the caller has what the seats see already, a row for each game."""
        return self.act(records, games)

    def __call__(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The same from observations, for loops that have no records: each is read back into a position first."""
        return self.act(*decoded(self.spec, observations))


def decoded(spec: GameSpec, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions that ``observations`` show, as records, and the indices of all of them."""
    records = np.concatenate([spec.decode(observation) for observation in observations])
    return records, np.arange(len(records))
