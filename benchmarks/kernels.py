"""Where the time of a ply goes: each kernel of each game on one core, beside what writing its output takes at least.

    python benchmarks/kernels.py
    python benchmarks/kernels.py --games 1024 --json kernels.json

The positions are those of random games, some plies after their start, each game at another one; the actions played are
drawn before. `floor` is the number of bytes that a kernel must write over the rate at which this machine fills the same
arrays with zeros, in the same run; so it is a bound for observations and masks, and says little of the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from report import arguments, say

from starboard import dispatch, loops
from starboard.benchmark import CALIBRATION, Chunk, Rates, aligned, interleave, machine, python_loop
from starboard.files import write_whole
from starboard.jit import jit
from starboard.registry import load, names
from starboard.rng import fold, mix
from starboard.spec import GameSpec

SPREAD = 64
"""Game i stands i % SPREAD plies after the start."""
PLIES = 32
"""Played by the part `step` in each game before it goes back: that is counted, too, but seldom enough."""
WHOLE, FILL = "all of them in one call", "filling with zeros"


@jit
def record(P, S, starts, actions, moves, episodes, begun):
    """Bring each game to its place, copy it and its number of episodes, and note what is played from there."""
    for i in range(len(S)):
        for k in range(-(i % SPREAD), actions.shape[1]):
            if k == 0:
                starts[i], begun[i] = S[i], episodes[i]
            legal = dispatch.legal_list(P[0], S[i], moves)
            action = np.int64(moves[fold(mix(np.uint64(0), i, k + SPREAD), legal)])
            if k >= 0:
                actions[i, k] = action
            play(P, S, i, action, episodes)


@jit
def play(P, S, i, action, episodes):
    """One ply of game ``i``, and the start of the next game if it ends."""
    dispatch.step(P[0], S[i], action)
    if S[i]["terminated"] or S[i]["truncated"]:
        dispatch.init(P[0], S[i], mix(np.uint64(0), i, episodes[i]))
        episodes[i] += 1


@jit
def replay(P, S, actions, episodes):
    """Play ``actions``, a ply of all games after the other."""
    for k in range(actions.shape[1]):
        for i in range(len(S)):
            play(P, S, i, actions[i, k], episodes)


@jit
def masks_of(P, S, masks):
    """Write the mask of each game."""
    for i in range(len(S)):
        dispatch.legal_mask(P[0], S[i], masks[i])


@jit
def fill(observations, masks):
    """Write zeros to each row, as kernels write: one array after the other."""
    for i in range(len(masks)):
        observations[i] = 0
        masks[i] = 0


def parts(spec: GameSpec, num_games: int) -> tuple[dict[str, Chunk], dict[str, int]]:
    """What is measured, counted in plies; and how many bytes each writes for a game, where that is known."""
    n, size = num_games, spec.observation_high.size
    records, starts = np.zeros((2, n), spec.state_dtype)
    actions, drawn, moves = np.empty((n, PLIES), np.int64), np.empty(n, np.int64), np.empty(spec.max_legal, np.int16)
    games, episodes, begun = np.arange(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    loops.reset(spec.params, records, games, np.uint64(0), episodes)
    record(spec.params, records, starts, actions, moves, episodes, begun)
    movers = starts["to_move"].astype(np.int64)
    observations, masks = np.empty((n, size), np.int8), np.empty((n, spec.num_actions), np.int8)
    rewards, seats = np.empty((n, spec.num_players)), np.empty(n, np.int8)
    finals, flags = np.empty((n, spec.num_players, size), np.int8), np.empty((2, n), np.bool_)
    masks_of(spec.params, starts, masks)

    def step() -> int:
        records[:], episodes[:] = starts, begun
        replay(spec.params, records, actions, episodes)
        return n * PLIES

    first, ended, seed = masks.copy(), np.empty(n, np.int64), np.uint64(0)

    def whole() -> int:
        records[:], episodes[:] = starts, begun
        for k in range(PLIES):
            seen, now = first if k == 0 else masks, actions[:, k].copy()
            loops.sample(seen, seed, k, drawn)  # what is played was drawn before
            out = (rewards, *flags, seats, observations, masks, ended, finals)
            loops.step(spec.params, records, seen, now, seed, episodes, *out)
        return n * PLIES

    def counted(function: Any, *arguments: Any) -> int:
        for _ in range(PLIES):
            function(*arguments)
        return n * PLIES

    chunks = {
        "step": step,
        "returns": partial(counted, loops.returns, spec.params, starts, games, rewards),
        "observe": partial(counted, loops.observe, spec.params, starts, games, movers, observations),
        "mask": partial(counted, masks_of, spec.params, starts, masks),
        "sampling": partial(counted, loops.sample, masks.copy(), np.uint64(0), 0, drawn),
        WHOLE: whole,
        FILL: partial(counted, fill, observations.copy(), masks.copy()),
    }
    written = {"returns": rewards[0].nbytes, "observe": size, "mask": spec.num_actions, "sampling": drawn.itemsize}
    return chunks, written | {FILL: size + spec.num_actions}


def nanoseconds(found: Rates) -> float:
    """The median of a ply."""
    return 1e9 / found.median


def table(name: str, rates: Mapping[str, Rates], written: Mapping[str, int]) -> str:
    """The parts of one game, as text."""
    rate = written[FILL] / nanoseconds(rates[FILL])
    rows = [[name, "ns a ply", "lowest", "highest", "bytes written", "floor, ns"]]
    for part, found in rates.items():
        bytes_written = written.get(part)
        least = ["-", "-"] if bytes_written is None else [str(bytes_written), f"{bytes_written / rate:.3g}"]
        rows.append([part, *(f"{1e9 / value:.3g}" for value in (found.median, found.high, found.low)), *least])
    return "\n".join([*aligned(rows), f"filled at {rate:.3g} bytes a nanosecond"])


def main() -> None:
    args = arguments(__doc__, rounds=7, seconds=0.2, file=True, games=64)
    found = {name: parts(load(name), args.games) for name in names()}
    chunks = {f"{name}, {part}": chunk for name, (all_parts, _) in found.items() for part, chunk in all_parts.items()}
    rates = interleave({CALIBRATION: python_loop, **chunks}, args.rounds, args.seconds, progress=say)
    facts = machine()
    print(f"One core, {args.games} games.\n{facts['cpu']}, {facts['cores']} cores, {facts['python']}")
    print(f"median of {args.rounds} interleaved round{'s' * (args.rounds > 1)}")
    for name, (all_parts, written) in found.items():
        print("\n" + table(name, {part: rates[f"{name}, {part}"] for part in all_parts}, written))
    if args.json is not None:
        report = {
            "machine": facts,
            "games": args.games,
            "parts": [
                {
                    "game": name,
                    "part": part,
                    "nanoseconds": nanoseconds(rates[f"{name}, {part}"]),
                    "rounds": [1e9 / rate for rate in rates[f"{name}, {part}"].rounds],
                    "bytes": written.get(part),
                }
                for name, (all_parts, written) in found.items()
                for part in all_parts
            ],
        }
        write_whole(args.json, (json.dumps(report, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
