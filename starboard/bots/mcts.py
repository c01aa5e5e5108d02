"""Tree search as a player."""

from __future__ import annotations

import re
import time
from queue import SimpleQueue

import numpy as np

from starboard.bots.record import RecordBot
from starboard.rng import mix
from starboard.search import Tree
from starboard.spec import GameSpec, Search
from starboard.state import GameState, as_count, as_seed
from starboard.threads import cores, share_out

_CHUNK = 16  # simulations between two looks at the clock
_ROOM = 20_000  # simulations that a tree has room for, where only the time is limited


class MctsBot(RecordBot):
    """Plays what a tree search (:mod:`starboard.search`) finds best, without a look at what its seat cannot see.

    Positions are searched side by side on threads; what is found does not depend on how many there are. A search by
    time depends on the machine, and on what else it does.

    :param simulations: for each decision, at least 1.
    :param milliseconds: for each decision, instead of ``simulations``.
    :param seed: of all random numbers; whole number in ``0 .. 2**64 - 1``, None draws one.
    :param search: constants; None takes the game's own, ``spec.search``.
    :param threads: at most so many positions are searched at once; None takes one for each core.
    :raises ValueError: unless just one of ``simulations`` and ``milliseconds`` is given, and is a whole number, at
        least 1.
    """

    def __init__(
        self,
        spec: GameSpec,
        simulations: int | None = None,
        seed: int | None = None,
        *,
        milliseconds: int | None = None,
        search: Search | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(spec)
        if (simulations is None) == (milliseconds is None):
            raise ValueError("simulations, milliseconds: give one of the two")
        self.simulations = None if simulations is None else as_count("simulations", simulations)
        self.milliseconds = None if milliseconds is None else as_count("milliseconds", milliseconds)
        self._seed = as_seed(seed)
        self.calls = 0
        """How often it was asked: with the seed, all that its next random numbers depend on."""
        self._threads = cores() if threads is None else as_count("threads", threads)
        self._trees = [Tree(spec, self.simulations or _ROOM, search)]
        if milliseconds is not None:  # what is compiled at first does not count as thinking
            self._search(self._trees[0], GameState(spec, 0).records, 0, np.uint64(0), 1)

    def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for the seat to move in each of ``records[games]``.

        :raises ValueError: if one of them is over.
        """
        over = records["terminated"][games] | records["truncated"][games]
        if over.any():
            raise ValueError(f"games: in game {games[over.argmax()]} no action is legal; it is over")
        threads = min(self._threads, len(games))
        while len(self._trees) < threads:
            self._trees.append(self._trees[0].twin())
        free: SimpleQueue[Tree] = SimpleQueue()
        for tree in self._trees:
            free.put(tree)

        def decide(j: int) -> int:
            tree = free.get()
            try:
                return self._search(tree, records, int(games[j]), np.uint64(mix(self._seed, self.calls, j)))
            finally:
                free.put(tree)

        actions = share_out(decide, range(len(games)), threads)
        self.calls += 1
        return np.array(actions, np.int64)

    def _search(
        self, tree: Tree, records: np.ndarray, game: int, seed: np.uint64, simulations: int | None = None
    ) -> int:
        tree.plant()
        simulations = simulations or self.simulations
        if simulations is not None:
            tree.grow(records, game, seed, simulations)
            return tree.action()
        assert self.milliseconds is not None
        end = time.perf_counter() + self.milliseconds / 1000
        while True:
            tree.grow(records, game, seed, _CHUNK)
            if time.perf_counter() >= end:
                return tree.action()


def parse_budget(text: str) -> tuple[int | None, int | None]:
    """The budget in a player's name, after ``mcts:``: simulations (``100``), or milliseconds (``50ms``).

    :raises ValueError: for anything else.
    """
    match = re.fullmatch(r"([1-9][0-9]{0,8})(ms)?", text)
    if match is None:
        raise ValueError(f"mcts:{text}: how far to search must be like mcts:100 (simulations) or mcts:50ms (time)")
    number = int(match[1])
    return (None, number) if match[2] else (number, None)
