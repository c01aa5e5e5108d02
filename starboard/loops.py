"""Jitted loops over record arrays: the only places where generic code steps games, each written once for all games.

``P`` is a spec's params array, ``S`` an array of state records, ``games`` the indices into ``S`` that a call works on.
Row j of an output belongs to ``games[j]``. From Python an array and an index cost a tenth of what a record costs to
pass, so what one ply needs is one call here. Integers are widened to 64 bits before they reach a kernel: each other
width would compile it once more.
"""

from __future__ import annotations

import numba
import numpy as np

from starboard import dispatch
from starboard.jit import jit
from starboard.rng import entry, fold, mix, next_uint64, stream


@jit
def reset(P, S, games, seed, episodes):
    """Start a fresh game in each of ``games``, seeded by ``seed``, the game and its number of episodes alone."""
    for i in games:
        dispatch.init(P[0], S[i], mix(seed, i, episodes[i]))
        episodes[i] += 1


@jit
def play(P, S, games, actions, rewards, terminated, truncated):
    """Play ``actions[j]`` in game ``games[j]``; write each seat's return (zeros until the end) and the flags."""
    for j in range(len(games)):
        s = S[games[j]]
        dispatch.step(P[0], s, actions[j])
        dispatch.returns(P[0], s, rewards[j])
        terminated[j] = s["terminated"]
        truncated[j] = s["truncated"]


@jit
def view(P, S, games, observations, masks):
    """Write the observation and the mask of the seat to move."""
    for j in range(len(games)):
        s = S[games[j]]
        dispatch.observe(P[0], s, np.int64(s["to_move"]), observations[j])
        dispatch.legal_mask(P[0], s, masks[j])


@jit
def observe(P, S, games, players, observations):
    """Write what seat ``players[j]`` may know of game ``games[j]``."""
    for j in range(len(games)):
        dispatch.observe(P[0], S[games[j]], players[j], observations[j])


@jit
def returns(P, S, games, out):
    """Write each seat's return: zeros until the end."""
    for j in range(len(games)):
        dispatch.returns(P[0], S[games[j]], out[j])


@jit
def evaluate(P, S, games, players, out):
    """Write what the game's heuristic says of seat ``players[j]`` in game ``games[j]``."""
    for j in range(len(games)):
        out[j] = dispatch.evaluate(P[0], S[games[j]], players[j])


@jit
def look(P, S, observation, mask):
    """Observation and mask of the seat to move in the single game ``S[0]``; return that seat, and the flags."""
    s = S[0]
    dispatch.observe(P[0], s, np.int64(s["to_move"]), observation)
    dispatch.legal_mask(P[0], s, mask)
    return int(s["to_move"]), bool(s["terminated"]), bool(s["truncated"])


@jit
def advance(P, S, action, observation, mask):
    """Play ``action`` in the single game ``S[0]``, then :func:`look`."""
    dispatch.step(P[0], S[0], action)
    return look(P, S, observation, mask)


@jit
def to_move(S, games, out):
    """Write whose decision is due."""
    for j in range(len(games)):
        out[j] = S[games[j]]["to_move"]


@jit
def waiting(S, seats, games, movers):
    """List the games that go on and where another seat than ``seats[i]`` is to move, and that seat; return how many."""
    n = 0
    for i in range(len(S)):
        s = S[i]
        if not s["terminated"] and not s["truncated"] and s["to_move"] != seats[i]:
            games[n], movers[n] = i, s["to_move"]
            n += 1
    return n


@jit
def resample(P, S, games, players, seeds):
    """Deal anew what seat ``players[j]`` cannot see of game ``games[j]``."""
    for j in range(len(games)):
        dispatch.resample(P[0], S[games[j]], players[j], seeds[j])


@jit
def _step_some(
    P,
    S,
    first,
    last,
    actions,
    seed,
    episodes,
    rewards,
    terminated,
    truncated,
    movers,
    observations,
    masks,
    ended,
    finals,
):
    """One ply in the games ``first .. last - 1``; list those that ended from ``ended[first]`` on; return how many."""
    n = 0
    for i in range(first, last):
        s = S[i]
        dispatch.step(P[0], s, actions[i])
        dispatch.returns(P[0], s, rewards[i])
        terminated[i] = s["terminated"]
        truncated[i] = s["truncated"]
        if s["terminated"] or s["truncated"]:
            for player in range(finals.shape[1]):
                dispatch.observe(P[0], s, player, finals[first + n, player])
            ended[first + n] = i
            n += 1
            dispatch.init(P[0], s, mix(seed, i, episodes[i]))
            episodes[i] += 1
        movers[i] = s["to_move"]
        dispatch.observe(P[0], s, np.int64(s["to_move"]), observations[i])
        dispatch.legal_mask(P[0], s, masks[i])
    return n


@jit
def step(
    P,
    S,
    seen,
    actions,
    seed,
    episodes,
    rewards,
    terminated,
    truncated,
    movers,
    observations,
    masks,
    ended,
    finals,
):
    """One ply in every game, with reset in the same step; return how many games ended.

    ``seen`` are the masks that say what is legal: where ``actions[i]`` is not, -1 - i is returned and nothing changes.
    ``ended[k]`` is the k-th game that ended, ``finals[k, seat]`` what each seat saw then. Both are scratch beyond.
    """
    wrong = first_illegal(seen, actions)
    if wrong >= 0:
        return -1 - wrong
    return _step_some(
        P,
        S,
        np.int64(0),
        len(S),
        actions,
        seed,
        episodes,
        rewards,
        terminated,
        truncated,
        movers,
        observations,
        masks,
        ended,
        finals,
    )


def _step_parallel(
    P,
    S,
    seen,
    actions,
    seed,
    episodes,
    rewards,
    terminated,
    truncated,
    movers,
    observations,
    masks,
    ended,
    finals,
    counts,
):
    """:func:`step` on Numba's threads, in as many stretches as ``counts`` (int64, scratch) has entries."""
    wrong = first_illegal(seen, actions)
    if wrong >= 0:
        return -1 - wrong
    parts = len(counts)
    for part in numba.prange(parts):
        k = np.int64(part)  # prange counts in uint64
        counts[k] = _step_some(
            P,
            S,
            len(S) * k // parts,
            len(S) * (k + 1) // parts,
            actions,
            seed,
            episodes,
            rewards,
            terminated,
            truncated,
            movers,
            observations,
            masks,
            ended,
            finals,
        )
    n = counts[0]
    for part in range(1, parts):
        first = len(S) * part // parts
        for k in range(counts[part]):
            ended[n] = ended[first + k]
            finals[n] = finals[first + k]
            n += 1
    return n


step_parallel = jit(_step_parallel, parallel=True)


@jit
def first_illegal(masks, actions):
    """The first row whose action is out of range or has no one in its mask, or -1."""
    for i in range(len(actions)):
        if not 0 <= actions[i] < masks.shape[1] or masks[i, actions[i]] == 0:
            return i
    return -1


@jit
def ones_in(block, length):
    """How many of the first ``length`` entries are not 0.

    Callers give ``length`` as a literal, at most 255: then the loop becomes a few vector additions of bytes.
    """
    total = np.uint8(0)
    for a in range(length):
        total = np.uint8(total + (block[a] != 0))
    return np.int64(total)


@jit
def count(row):
    """How many entries of ``row`` are not 0."""
    total, a = 0, 0
    while a + 128 <= len(row):
        total += ones_in(row[a:], 128)
        a += 128
    while a + 16 <= len(row):
        total += ones_in(row[a:], 16)
        a += 16
    while a < len(row):
        total += row[a] != 0
        a += 1
    return total


@jit
def place_of(row, n):
    """Where entry number ``n`` (from 0) of those that are not 0 stands: its block, its small block, its place."""
    a = 0
    while a + 128 <= len(row):
        here = ones_in(row[a:], 128)
        if here > n:
            break
        n -= here
        a += 128
    while a + 16 <= len(row):
        here = ones_in(row[a:], 16)
        if here > n:
            break
        n -= here
        a += 16
    while row[a] == 0 or n > 0:
        n -= row[a] != 0
        a += 1
    return a


@jit
def _draw(row, numbers, i):
    legal = count(row)
    return place_of(row, fold(entry(numbers, i), legal)) if legal > 0 else -1


@jit
def sample(masks, seed, call, actions):
    """Draw one of the entries of each row that are not 0, all alike; return the first row that has none, or -1.

    What is drawn depends on ``seed``, ``call`` and the row only.
    """
    empty = -1
    numbers = stream(seed, call)
    for i in range(len(masks)):
        actions[i] = _draw(masks[i], numbers, i)
        if actions[i] < 0 and empty < 0:
            empty = i
    return empty


def _sample_parallel(masks, seed, call, actions):
    """:func:`sample` on Numba's threads."""
    numbers = stream(seed, call)
    for row in numba.prange(len(masks)):
        i = np.int64(row)
        actions[i] = _draw(masks[i], numbers, i)
    for i in range(len(actions)):
        if actions[i] < 0:
            return i
    return -1


sample_parallel = jit(_sample_parallel, parallel=True)


@jit
def playouts(P, S, seed, plies, moves, episodes):
    """Play ``plies`` uniformly random plies in each game, starting anew at each end; return the games finished.

    ``moves``: int16[max_legal], scratch.
    """
    finished = 0
    for i in range(len(S)):
        s = S[i]
        for _ in range(plies):
            legal = dispatch.legal_list(P[0], s, moves)
            dispatch.step(P[0], s, np.int64(moves[fold(next_uint64(s), legal)]))
            if s["terminated"] or s["truncated"]:
                dispatch.init(P[0], s, mix(seed, i, episodes[i]))
                episodes[i] += 1
                finished += 1
    return finished
