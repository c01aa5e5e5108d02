"""What players that look at the games' records have in common, and those of them that choose together."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from starboard.spec import GameSpec
from starboard.state import view


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


class Team(ABC):
    """Players that choose together, each in its own games: one call for all of them.

    :param size: how many there are.
    """

    def __init__(self, spec: GameSpec, size: int) -> None:
        self.spec = spec
        self.members = [Member(self, number) for number in range(size)]

    @abstractmethod
    def choose(
        self,
        who: np.ndarray,
        records: np.ndarray,
        games: np.ndarray,
        observations: np.ndarray,
        action_masks: np.ndarray,
    ) -> np.ndarray:
        """int64 (N,): an action in each of ``games``, where member ``who``, int64 (N,), is to move."""


class Member(RecordBot):
    """One player of a team."""

    def __init__(self, team: Team, number: int) -> None:
        super().__init__(team.spec)
        self.team, self.number = team, number

    def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for the seat to move in each of ``records[games]``, none of which is over."""
        return self.choose(records, games, *view(self.spec, records, games))

    def choose(
        self, records: np.ndarray, games: np.ndarray, observations: np.ndarray, action_masks: np.ndarray
    ) -> np.ndarray:
        """:meth:`act`, where the caller has what the seats see already."""
        return self.team.choose(np.full(len(games), self.number), records, games, observations, action_masks)


def decoded(spec: GameSpec, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions that ``observations`` show, as records, and the indices of all of them."""
    records = np.concatenate([spec.decode(observation) for observation in observations])
    return records, np.arange(len(records))
