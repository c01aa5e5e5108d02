"""Counting sequences of moves: the sharpest test of legal moves that fits on a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starboard.spec import GameSpec
from starboard.state import GameState


def perft(state: GameState, depth: int) -> int:
    """How many sequences of ``depth`` actions there are from ``state``. A game that ends sooner counts for none.

    Chance is dealt from the game's own generator: the count belongs to the seed.
    """
    if depth == 0:
        return 1
    if depth == 1 or state.over:
        return 0 if state.over else int(state.mask.sum())
    return sum(divide(state, depth).values())


def divide(state: GameState, depth: int) -> dict[str, int]:
    """:func:`perft` by the first action, in notation: where two programs disagree, walk down the move that differs."""
    counts = {}
    for action in state.legal_actions():
        after = state.clone()
        after.step_unchecked(action)
        counts[state.describe(action)] = perft(after, depth - 1)
    return counts


def check_perft(
    spec: GameSpec,
    expected: Sequence[int] | Mapping[str, int],
    moves: str | Sequence[str] = (),
    depth: int | None = None,
    seed: int = 0,
) -> None:
    """Compare the counts from one position with those expected.

    :param expected: the counts at depth 1, 2, 3, ...; or those by first action at ``depth``, as :func:`divide` gives
        them, say from another program: then the message lists the actions that differ.
    :param moves: legal actions in notation that lead from the start to the position; a string is split at blanks.
    :raises AssertionError: if a move is illegal, or with the counts by first action if they differ.
    """
    state = GameState(spec, seed)
    played = moves.split() if isinstance(moves, str) else list(moves)
    for ply, move in enumerate(played):
        action = state.parse(move)
        if action not in state.legal_actions():
            raise AssertionError(f"{spec!r}: {move!r} (move {ply + 1}) is illegal\n{state}")
        state.step(action)
    where = f"{spec!r}, seed {seed}, after {' '.join(played) or 'no move'}"
    if isinstance(expected, Mapping):
        if depth is None:
            raise ValueError("depth: must be given with counts by first action")
        found = divide(state, depth)
        if found != dict(expected):
            names = sorted(found.keys() | expected.keys())
            lines = [
                f"{name}: {found.get(name, 'illegal')}, expected {expected.get(name, 'illegal')}"
                for name in names
                if found.get(name) != expected.get(name)
            ]
            raise AssertionError(f"{where}: depth {depth} differs for\n" + "\n".join(lines) + f"\n{state}")
        return
    for level, count in enumerate(expected, 1):
        total = perft(state, level)
        if total != count:
            table = "\n".join(f"{name}: {number}" for name, number in divide(state, level).items())
            raise AssertionError(
                f"{where}: {total} sequences of {level} actions, expected {count}; by first action\n{table}\n{state}"
            )
