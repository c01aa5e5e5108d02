"""N games stepped together: one jitted call a ply, on one thread or several."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numba
import numpy as np

from starboard import loops
from starboard.rng import scramble
from starboard.spec import GameSpec, check_spec
from starboard.state import as_actions, as_count, as_seed, pack, unpack

_CORES: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
_INT8, _BOOL = np.dtype(np.int8), np.dtype(np.bool_)  # np.empty takes half as long as with the classes
_forked = False
_parallel = threading.Lock()  # one of Numba's threading layers aborts the process if two Python threads enter it


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _on_threads(threads: int, kernel: Callable[..., int], *arguments: Any) -> int:
    """Call a parallel ``kernel``, which has work for ``threads`` of Numba's threads; the others are not woken."""
    with _parallel:
        if threads == _CORES:  # spares two calls into Numba that take microseconds
            return kernel(*arguments)
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            return kernel(*arguments)
        finally:
            numba.set_num_threads(before)


class BatchStep(NamedTuple):
    """What a batch of N games looks like after a ply. All arrays are new and never written again."""

    observations: np.ndarray
    """int8 (N, \\*observation shape): what the seat to move may know."""
    action_masks: np.ndarray
    """int8 (N, num_actions): 1 where an action of the seat to move is legal."""
    to_move: np.ndarray
    """int8 (N,): the seat whose decision is due."""
    rewards: np.ndarray
    """float64 (N, num_players): each seat's return where a game ended with this ply, else 0."""
    terminated: np.ndarray
    """bool (N,): the rules ended the game; what the arrays above show is the start of the next one."""
    truncated: np.ndarray
    """bool (N,): something else did."""
    ended: np.ndarray
    """int64 (E,): which games ended."""
    final_observations: np.ndarray
    """int8 (E, num_players, \\*observation shape): what each seat saw at the end of the games ``ended``."""


def sample_actions(action_masks: np.ndarray, seed: np.uint64, call: int, threads: int = 1) -> np.ndarray:
    """A uniformly random action of each row of ``action_masks``, int64 (N,), the same for the same seed and call.

    :param action_masks: (N, num_actions) of any kind of number, nonzero where an action is legal.
    :raises ValueError: if a row has no one in it.
    """
    masks = np.asarray(action_masks)
    if masks.dtype != np.int8:
        masks = (masks != 0).astype(np.int8, order="C")
    elif not (masks.flags.c_contiguous and masks.flags.writeable):  # another kind of array to Numba
        masks = masks.copy()
    if masks.ndim != 2:
        raise ValueError(f"action_masks: must have shape (N, num_actions), not {masks.shape}")
    actions = np.empty(len(masks), np.int64)
    if threads == 1:
        empty = loops.sample(masks, seed, call, actions)
    else:
        empty = _on_threads(threads, loops.sample_parallel, masks, seed, call, actions)
    if empty >= 0:
        raise ValueError(f"action_masks[{empty}]: no action is legal there")
    return actions


class Batch:
    """N games of one kind. A game that ends is started anew in the same step.

    Which game comes next depends on the seed, the game's place in the batch and how many were played there, so results
    are the same for any number of threads, and the first games of a larger batch are those of a smaller one.

    >>> import starboard
    >>> batch = Batch(starboard.load("astralis"), 64, seed=0)
    >>> now = batch.reset()
    >>> now = batch.step(batch.sample(now.action_masks))
    >>> now.observations.shape, now.action_masks.shape
    ((64, 8, 169), (64, 1184))

    :param spec: the game and its options.
    :param num_games: N, at least 1.
    :param seed: whole number in ``0 .. 2**64 - 1``; None draws one.
    :param threads: with 1, the default, a serial kernel runs and nothing else is compiled. More pay from some hundred
        games on, where cores are free. In a forked child one thread is used whatever is asked for: Numba's threads do
        not survive a fork.
    """

    def __init__(self, spec: GameSpec, num_games: int, seed: int | None = None, threads: int = 1) -> None:
        num_games = as_count("num_games", num_games)
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= _CORES:
            raise ValueError(f"threads={threads!r}: must be a whole number from 1 to {_CORES} (cores of this machine)")
        self.spec = check_spec(spec)
        self.num_games = num_games
        self.threads = int(threads)
        self.records = np.zeros(num_games, spec.state_dtype)
        """The games as record array of shape (N,): a live view, changed by each step."""
        self._all = np.arange(num_games, dtype=np.int64)
        self._shape = (self.num_games, *spec.observation_shape)
        # Scratch, of which only as much is touched as games end at once; handed out as copies.
        self._finals = np.empty((num_games, spec.num_players, spec.observation_high.size), np.int8)
        self._ended = np.empty(num_games, np.int64)
        self._counts = np.empty(self.threads, np.int64)
        self._none = self._ended[:0], self._finals[:0].reshape(0, spec.num_players, *spec.observation_shape)
        self._start(seed)

    def _start(self, seed: int | None) -> None:
        self._seed_with(as_seed(seed))
        self._samples = 0
        self._episodes = np.zeros(self.num_games, np.int64)
        loops.reset(self.spec.params, self.records, self._all, self._seed, self._episodes)
        self.look()

    def _seed_with(self, seed: np.uint64) -> None:
        self._seed = seed
        self._sample_seed = np.uint64(scramble(seed))

    def reset(self, seed: int | None = None) -> BatchStep:
        """Start all games anew: with a ``seed``, as a new batch with that seed would; without, with the next games."""
        if seed is None:
            loops.reset(self.spec.params, self.records, self._all, self._seed, self._episodes)
        else:
            self._start(seed)
        return self.look()

    def look(self) -> BatchStep:
        """The games as they stand, without playing."""
        observations, masks, movers, rewards, terminated, truncated = self._buffers()
        loops.view(self.spec.params, self.records, self._all, observations, masks)
        loops.to_move(self.records, self._all, movers)
        rewards[:] = 0
        terminated[:] = truncated[:] = False
        return self._shaped(0, observations, masks, movers, rewards, terminated, truncated)

    def _buffers(self) -> tuple[np.ndarray, ...]:
        # Fresh each time: callers keep what they were given.
        n, spec = self.num_games, self.spec
        return (
            np.empty((n, spec.observation_high.size), _INT8),
            np.empty((n, spec.num_actions), _INT8),
            np.empty(n, _INT8),
            np.empty((n, spec.num_players)),
            np.empty(n, _BOOL),
            np.empty(n, _BOOL),
        )

    def _shaped(
        self,
        num_ended: int,
        observations: np.ndarray,
        masks: np.ndarray,
        movers: np.ndarray,
        rewards: np.ndarray,
        terminated: np.ndarray,
        truncated: np.ndarray,
    ) -> BatchStep:
        self._masks = masks
        ended, finals = self._none
        if num_ended:
            ended = self._ended[:num_ended].copy()
            finals = self._finals[:num_ended].copy().reshape(num_ended, self.spec.num_players, *self._shape[1:])
        return BatchStep(
            observations.reshape(self._shape), masks, movers, rewards, terminated, truncated, ended, finals
        )

    def step(self, actions: Any) -> BatchStep:
        """Play ``actions`` (N whole numbers), one in each game, each by the seat to move.

        :raises TypeError: if ``actions`` are not whole numbers.
        :raises ValueError: if there are not N of them, or one is out of range or illegal; nothing changes then.
        """
        actions = as_actions(actions, self.num_games)
        buffers = observations, masks, movers, rewards, terminated, truncated = self._buffers()
        arguments = (
            self.spec.params,
            self.records,
            self._masks,
            actions,
            self._seed,
            self._episodes,
            rewards,
            terminated,
            truncated,
            movers,
            observations,
            masks,
            self._ended,
            self._finals,
        )
        if self._usable_threads() == 1:
            num_ended = loops.step(*arguments)
        else:
            num_ended = _on_threads(self.threads, loops.step_parallel, *arguments, self._counts)
        if num_ended < 0:
            wrong = -1 - num_ended
            raise ValueError(
                f"actions[{wrong}]={actions[wrong]}: must be in 0 .. {self.spec.num_actions - 1}, "
                "and legal (1 in the game's action mask)"
            )
        return self._shaped(num_ended, *buffers)

    def _usable_threads(self) -> int:
        if self.threads > 1 and _forked:
            warnings.warn("threads: a forked process has no Numba threads; one is used", RuntimeWarning, 3)
            self.threads = 1
        return self.threads

    def sample(self, action_masks: np.ndarray) -> np.ndarray:
        """A uniformly random legal action of each row of ``action_masks``, int64 (N,), from the batch's own generator.

        :raises ValueError: if a row has no one in it.
        """
        actions = sample_actions(action_masks, self._sample_seed, self._samples, self._usable_threads())
        self._samples += 1
        return actions

    def _repr_svg_(self) -> str:
        """For notebooks: the first games, each as its seat to move sees it."""
        from starboard.render.picture import overview

        return overview(self.spec, self.records)

    def clone(self) -> Self:
        """An independent copy, generators included."""
        twin = type(self)(self.spec, self.num_games, seed=0, threads=self.threads)
        twin._take(self.records.copy(), int(self._seed), self._episodes.copy(), self._samples)
        return twin

    def _take(self, records: np.ndarray, seed: int, episodes: np.ndarray, samples: int) -> None:
        self.records, self._episodes, self._samples = records, episodes, samples
        self._seed_with(np.uint64(seed))
        self.look()

    def to_bytes(self) -> bytes:
        """All games and generators, for :meth:`from_bytes`."""
        episodes = self._episodes.tolist()
        return pack(self.spec, self.records, seed=int(self._seed), episodes=episodes, samples=self._samples)

    @classmethod
    def from_bytes(cls, spec: GameSpec, data: bytes, threads: int = 1) -> Self:
        """The batch that :meth:`to_bytes` saved.

        :raises ValueError: if ``data`` is damaged or of another game, version or set of options than ``spec``.
        """
        records, facts = unpack(spec, data)
        try:
            seed, samples = int(np.uint64(facts["seed"])), int(np.int64(facts["samples"]))
            episodes = np.array(facts["episodes"], np.int64)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError("data: is a game, but not a saved batch") from error
        if episodes.shape != records.shape:
            raise ValueError(f"data: is cut short or damaged ({len(records)} games, not {episodes.size})")
        batch = cls(spec, len(records), seed=0, threads=threads)
        batch._take(records, seed, episodes, samples)
        return batch
