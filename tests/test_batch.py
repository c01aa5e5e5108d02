"""Batches of games: the same whatever their size and threads, with arrays that stay as they are."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numba
import numpy as np
import pytest

import starboard
from starboard import loops
from starboard.batch import Batch, sample_actions
from starboard.rng import mix
from starboard.state import GameState, pack
from starboard.testing.walk import call

SIZE = 4

two_threads = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")


@pytest.fixture
def spec():
    return starboard.load("astralis", size=SIZE, setup="random", stall_limit=8)


def choices(masks, ply):
    """A legal action of each row, which depends on the row's place and the ply alone."""
    legal = [np.flatnonzero(mask) for mask in masks]
    return np.array([row[(7 * ply + 13 * i) % len(row)] for i, row in enumerate(legal)])


def play(batch, plies):
    """What each of so many plies gave."""
    now = batch.look()
    steps = []
    for ply in range(plies):
        now = batch.step(choices(now.action_masks, ply))
        steps.append(now)
    return steps


def same(one, other):
    assert all((a == b).all() and a.dtype == b.dtype and a.shape == b.shape for a, b in zip(one, other, strict=True))


def test_shapes_and_types(spec, grab):
    for game in (spec, grab()):
        batch = Batch(game, 5, seed=0)
        ended = 0
        for now in [batch.reset(), batch.look(), *play(batch, 60)]:
            seats, n = game.num_players, len(now.ended)
            ended += n
            for array, shape, dtype in (
                (now.observations, (5, *game.observation_shape), np.int8),
                (now.action_masks, (5, game.num_actions), np.int8),
                (now.to_move, (5,), np.int8),
                (now.rewards, (5, seats), np.float64),
                (now.terminated, (5,), np.bool_),
                (now.truncated, (5,), np.bool_),
                (now.ended, (n,), np.int64),
                (now.final_observations, (n, seats, *game.observation_shape), np.int8),
            ):
                assert array.shape == shape
                assert array.dtype == dtype
        assert ended > 5


def fresh(game, seed):
    """A single game whose generator starts with ``seed``."""
    records = np.zeros(1, game.state_dtype)
    call(game, "init", records, np.uint64(seed))
    return GameState.from_bytes(game, pack(game, records))


def test_games_are_those_of_single_states(spec, grab):
    """Game i, episode e has seed ``mix(seed, i, e)``, and plays as :class:`GameState` does: end, rewards and all."""
    for game in (spec, grab()):
        batch = Batch(game, 4, seed=9)
        episodes = [0] * 4
        states = [fresh(game, mix(np.uint64(9), i, 0)) for i in range(4)]
        assert states[0].to_bytes() == GameState(game, 9).to_bytes()
        now = batch.look()
        for ply in range(100):
            actions = choices(now.action_masks, ply)
            now = batch.step(actions)
            finals = iter(now.final_observations)
            for i, state in enumerate(states):
                state.step(actions[i])
                assert now.rewards[i].tolist() == state.returns().tolist()
                assert (now.terminated[i], now.truncated[i]) == (state.terminated, state.truncated)
                assert (i in now.ended) == state.over
                if state.over:
                    final = next(finals)  # what each seat saw at the end is kept
                    assert all((final[seat] == state.observation(seat)).all() for seat in range(game.num_players))
                    episodes[i] += 1
                    state = states[i] = fresh(game, mix(np.uint64(9), i, episodes[i]))
                assert now.to_move[i] == state.to_move
                assert (now.observations[i] == state.observation(state.to_move)).all()
                assert (now.action_masks[i] == state.mask).all()
        assert min(episodes) > 1


@two_threads
def test_threads_do_not_matter(spec):
    one, two = (play(Batch(spec, 33, seed=1, threads=threads), 60) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        same(a, b)
    assert sum(len(now.ended) for now in one) > 33


def test_the_size_does_not_matter(spec):
    small, large = play(Batch(spec, 3, seed=1), 60), play(Batch(spec, 8, seed=1), 60)
    for a, b in zip(small, large, strict=True):
        same(
            (a.observations, a.action_masks, a.rewards, a.terminated, a.to_move),
            (b.observations[:3], b.action_masks[:3], b.rewards[:3], b.terminated[:3], b.to_move[:3]),
        )
    a, b = Batch(spec, 3, seed=5), Batch(spec, 8, seed=5)
    assert (a.sample(a.look().action_masks) == b.sample(b.look().action_masks)[:3]).all()


def test_seeds(spec):
    first = Batch(spec, 4, seed=3)
    start = first.look()
    play(first, 20)
    same(first.reset(seed=3), start)
    again = [first.sample(start.action_masks).tolist() for _ in range(3)]
    fresh = Batch(spec, 4, seed=3)
    assert [fresh.sample(start.action_masks).tolist() for _ in range(3)] == again
    following = first.reset()  # without a seed: the next games
    assert (following.observations != start.observations).any()
    same(following, fresh.reset())
    other = Batch(spec, 64, seed=4).look()
    assert (other.observations != Batch(spec, 64, seed=3).look().observations).any()
    assert len({row.tobytes() for row in other.observations}) > 1
    for seed in (-1, 2**64, 0.5, True, "1"):
        with pytest.raises(ValueError, match="seed="):
            Batch(spec, 1, seed=seed)
        saved = first.to_bytes()
        with pytest.raises(ValueError, match="seed="):
            first.reset(seed=seed)
        assert first.to_bytes() == saved


def test_a_game_follows_the_next_whatever_was_played(spec):
    """The second game of each place in the batch does not depend on how the first went."""
    starts = []
    for turn in (0, 1):
        batch = Batch(spec, 6, seed=2)
        now, found = batch.look(), {}
        ply = 0
        while len(found) < 6:
            now = batch.step(choices(now.action_masks, 5 * ply + turn))
            ply += 1
            for i in now.ended:
                found.setdefault(int(i), now.observations[i].tobytes())
        starts.append(found)
    assert starts[0] == starts[1]


def test_what_was_handed_out_is_never_written_again(spec):
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        batch = Batch(spec, 4, seed=0, threads=threads)
        kept = []
        now = batch.look()
        for ply in range(60):
            if ply % 20 == 10:
                now = batch.reset()
            actions = batch.sample(now.action_masks)
            now = batch.step(actions)
            kept += [(array, array.copy()) for array in (*now, actions)]
        assert all((array == saved).all() for array, saved in kept)
        owners = [array for array, _ in kept if array.size]
        assert len({array.__array_interface__["data"][0] for array in owners}) == len(owners)


BAD = [
    ([0, 0], ValueError, r"actions: must have shape \(3,\), not \(2,\)"),
    ([[0, 0, 0]], ValueError, r"actions: must have shape \(3,\), not \(1, 3\)"),
    (0, ValueError, r"actions: must have shape \(3,\), not \(\)"),
    ([0.0, 0.0, 0.0], TypeError, "actions: must be whole numbers, not float64"),
    ([True, True, True], TypeError, "actions: must be whole numbers, not bool"),
    (["0", "0", "0"], TypeError, "actions: must be whole numbers, not <U1"),
    ([None, None, None], TypeError, "actions: must be whole numbers, not object"),
]


@pytest.mark.parametrize(("actions", "error", "message"), BAD, ids=[str(case[0]) for case in BAD])
def test_actions_of_the_wrong_kind_change_nothing(spec, actions, error, message):
    batch = Batch(spec, 3, seed=0)
    play(batch, 3)
    saved = batch.to_bytes()
    with pytest.raises(error, match=message):
        batch.step(actions)
    assert batch.to_bytes() == saved
    play(batch, 5)


@pytest.mark.parametrize("wrong", [-1, -260, 260, 2**40, -(2**63), None])
def test_actions_out_of_range_or_illegal_change_nothing(spec, wrong):
    batch = Batch(spec, 3, seed=0)
    now = play(batch, 3)[-1]
    saved = batch.to_bytes()
    for place in range(3):
        actions = choices(now.action_masks, 0)
        actions[place] = np.flatnonzero(now.action_masks[place] == 0)[0] if wrong is None else wrong
        with pytest.raises(ValueError, match=rf"actions\[{place}\]={actions[place]}: must be in 0 \.\. 259, and legal"):
            batch.step(actions)
        assert batch.to_bytes() == saved
    same(batch.look()[:3], now[:3])
    twin = Batch.from_bytes(spec, saved)
    same(batch.step(choices(now.action_masks, 0)), twin.step(choices(now.action_masks, 0)))


def test_whole_numbers_of_any_type(spec):
    steps = []
    for kind in (np.int16, np.uint16, np.int32, np.int64, np.uint64, list):
        batch = Batch(spec, 3, seed=0)
        actions = choices(batch.look().action_masks, 0)
        steps.append(batch.step(actions.tolist() if kind is list else actions.astype(kind)))
    for now in steps[1:]:
        same(now, steps[0])


@pytest.mark.parametrize("number", [0, -1, 1.0, True, "2", None])
def test_impossible_sizes_and_threads(spec, number):
    with pytest.raises(ValueError, match=r"num_games=.*: must be a whole number, at least 1"):
        Batch(spec, number)
    with pytest.raises(ValueError, match=r"threads=.*: must be a whole number from 1 to"):
        Batch(spec, 1, threads=number)
    with pytest.raises(ValueError, match=r"threads=.*: must be a whole number from 1 to"):
        Batch(spec, 1, threads=numba.config.NUMBA_NUM_THREADS + 1)


# Sampling.


def test_samples_are_legal_and_uniform():
    """Each one of a row is drawn equally often, wherever in the row and however long the row."""
    width, draws = 1184, 200
    rng = np.random.default_rng(0)
    for ones in ([0], [width - 1], [5, 127, 128, 129, 600, 1023, 1024, 1183], list(range(width)), list(range(16, 32))):
        mask = np.zeros(width, np.int8)
        mask[ones] = 1
        n = len(ones) * draws
        actions = sample_actions(np.tile(mask, (n, 1)), np.uint64(rng.integers(2**63)), 0)
        counts = np.bincount(actions, minlength=width)
        assert counts[mask == 0].sum() == 0
        chi2 = ((counts[ones] - draws) ** 2 / draws).sum()
        freedom = len(ones) - 1
        assert chi2 <= freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("width", [1, 2, 15, 16, 17, 127, 128, 129, 143, 144, 145, 300])
def test_samples_of_odd_widths(width):
    rng = np.random.default_rng(width)
    masks = (rng.random((500, width)) < 0.2).astype(np.int8)
    masks[np.arange(500), rng.integers(width, size=500)] = 1
    actions = sample_actions(masks, np.uint64(1), 0)
    assert masks[np.arange(500), actions].all()
    assert set(sample_actions(np.ones((50 * width, width), np.int8), np.uint64(1), 0)) == set(range(width))


def test_sampling_again_gives_others(spec):
    masks = np.ones((50, 260), np.int8)
    batch = Batch(spec, 50, seed=0)
    one, other = batch.sample(masks), batch.sample(masks)
    assert (one != other).sum() > 40
    assert len(set(one)) > 30


def test_sampling_from_masks_of_other_types(spec):
    masks = np.zeros((4, 260), np.int8)
    masks[:, [3, 200]] = 1
    expected = Batch(spec, 4, seed=0).sample(masks).tolist()
    compiled = len(loops.sample.signatures)
    read_only = masks.copy()
    read_only.flags.writeable = False
    others = [masks.astype(bool), masks.astype(float), np.asfortranarray(masks), np.asfortranarray(masks != 0)]
    for other in (*others, read_only, masks.tolist(), masks[::1]):
        assert Batch(spec, 4, seed=0).sample(other).tolist() == expected
    assert len(loops.sample.signatures) == compiled


def test_sampling_where_nothing_is_legal(spec):
    masks = np.ones((3, 260), np.int8)
    masks[1] = 0
    batch = Batch(spec, 3, seed=0)
    twin = batch.clone()
    with pytest.raises(ValueError, match=r"action_masks\[1\]: no action is legal there"):
        batch.sample(masks)
    with pytest.raises(ValueError, match=r"action_masks: must have shape \(N, num_actions\), not \(260,\)"):
        batch.sample(masks[0])
    assert (batch.sample(masks[::2]) == twin.sample(masks[::2])).all()
    assert batch.sample(np.empty((0, 260), np.int8)).shape == (0,)


# Copies.


def test_bytes_of_others_are_refused(spec):
    batch = Batch(spec, 3, seed=0)
    good = batch.to_bytes()
    for data, message in (
        (Batch(starboard.load("astralis", size=5), 3, seed=0).to_bytes(), "was played with options"),
        (GameState(spec, 0).to_bytes(), "is a game, but not a saved batch"),
        (pack(spec, batch.records, seed=1, samples=0, episodes="x"), "is a game, but not a saved batch"),
        (pack(spec, batch.records[:1], seed=1, samples=0, episodes=[0, 0, 0]), r"damaged \(1 games, not 3\)"),
        (pack(spec, batch.records, seed=2**70, samples=0, episodes=[0, 0, 0]), "not a saved batch"),
        (good[:-1], "cut short or damaged"),
        (b"", "is not a saved game"),
    ):
        with pytest.raises(ValueError, match=message):
            Batch.from_bytes(spec, data)


@two_threads
def test_copies_on_threads(spec):
    batch = Batch(spec, 8, seed=0, threads=2)
    play(batch, 10)
    copies = [batch.clone(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    copies.append(Batch.from_bytes(spec, batch.to_bytes(), threads=2))
    assert all(twin.threads == 2 for twin in copies)
    expected = play(batch, 30)
    for twin in copies:
        for a, b in zip(play(twin, 30), expected, strict=True):
            same(a, b)


def test_playouts_finish_games(spec):
    batch = Batch(spec, 16, seed=0)
    episodes = np.ones(16, np.int64)
    moves = np.empty(spec.max_legal, np.int16)
    finished = loops.playouts(spec.params, batch.records, np.uint64(0), 200, moves, episodes)
    assert finished == episodes.sum() - 16
    assert finished > 16
    for record in batch.records:
        assert not record["terminated"]


# Other processes.


def _in_a_fork(queue, batch):
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        steps = play(batch, 20)
    said = [str(warning.message) for warning in caught]
    queue.put((said, [now.observations.tobytes() for now in steps], batch.threads))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=two_threads)])
def test_after_a_fork(spec, threads):
    """Numba's threads do not survive a fork: the child plays on one, says so, and plays the same."""
    batch = Batch(spec, 8, seed=0, threads=threads)
    play(batch, 5)  # the threads run before the fork
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_fork, args=(queue, batch.clone()))
    child.start()
    said, observations, used = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert used == 1
    assert said == ["threads: a forked process has no Numba threads; one is used"] * (threads > 1)
    assert observations == [now.observations.tobytes() for now in play(batch, 20)]


def test_sample_takes_any_mask(spec):
    """Nonzero is legal, whatever kind of number a mask is made of."""
    batch = Batch(spec, 50, seed=0)
    masks = batch.reset().action_masks
    others = masks * 2, -masks, masks.astype(np.uint8) * 255, masks.astype(bool), masks * 0.5, masks * 256.0
    for mask in others:
        actions = batch.sample(mask)
        assert masks[np.arange(50), actions].all()
