"""The kernel behind the same face as the oracle, so that one test can play either."""

from __future__ import annotations

from itertools import count

from astralis_envs import GAME
from astralis_envs.state import NOWHERE, coordinates
from starboard.state import GameState


class KernelAstralis:
    """One game of Astralis on the kernel, with what the tests use of :class:`tests.naive.astralis.NaiveAstralis`.

    Stones, tiles and ships come from the fields of the record that the rules work with, not from the planes that
    observations copy, so the tests look at both. With ``ships``, a seed is sought that draws them.
    """

    def __init__(self, ships=None, **options):
        self._spec = GAME.spec(**options)
        self.size = self._spec.options["size"]
        self._cells = coordinates(self.size)
        self._places = self._spec.params[0]["place"][: len(self._cells)].tolist()
        seeds = count() if ships else [0]
        for seed in seeds:
            self._state = GameState(self._spec, seed=seed)
            if not ships or self.ships == [self._cells[ship] for ship in ships]:
                break

    @property
    def to_move(self):
        return int(self._state.to_move)

    @property
    def ply(self):
        return int(self._state.record["ply"])

    @property
    def terminated(self):
        return bool(self._state.terminated)

    @property
    def stall(self):
        return int(self._state.record["stall"])

    @property
    def stones_left(self):
        return self._state.record["stones_left"].tolist()

    @property
    def ships(self):
        places = self._state.record["ship"].tolist()
        return [None if place == NOWHERE else self._cells[self._places.index(place)] for place in places]

    @property
    def tiles(self):
        tile = self._state.record["tile"][self._places].tolist()
        return {cell: (None, 0, 1, "contested")[value] for cell, value in zip(self._cells, tile, strict=True)}

    @property
    def stones(self):
        owners = (self._state.record["code"][self._places] >> 6).tolist()
        return {cell: owner - 1 for cell, owner in zip(self._cells, owners, strict=True) if owner}

    def legal_actions(self):
        return self._state.legal_actions()

    def play(self, action):
        self._state.step(action)

    def scores(self):
        return tuple(self._spec.final_info(self._state.record)["scores"])

    def returns(self):
        return tuple(self._state.returns().tolist())

    def observation(self, player):
        return self._state.observation(player).tolist()

    def notation(self, action):
        return self._state.describe(action)

    def parse(self, text):
        return self._state.parse(text)
