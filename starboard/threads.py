"""Independent pieces of work on Python threads, for code that releases the GIL: kernels and torch."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

_pool: ThreadPoolExecutor | None = None  # made when it is first needed; its threads then wait for more


def _forget_pool() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)  # the threads do not survive a fork


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_out(
    work: Callable[[Piece], Result],
    pieces: Sequence[Piece],
    threads: int,
    before: Callable[[], None] | None = None,
) -> list[Result]:
    """``work(piece)`` of each piece, in their order, on so many threads at most, of which the caller's is one.

    Each thread takes the next piece once it is done with one. ``work`` must not share out work itself.

    :param before: what the other threads do first, each time.
    """
    global _pool
    threads = min(threads, len(pieces), cores())
    if threads <= 1:
        return [work(piece) for piece in pieces]
    _pool = _pool or ThreadPoolExecutor(cores(), "starboard")
    results: dict[int, Result] = {}
    waiting = list(range(len(pieces)))[::-1]

    def run() -> None:
        while True:
            try:
                number = waiting.pop()  # one step, whatever the other threads do
            except IndexError:
                return
            results[number] = work(pieces[number])

    def help_out() -> None:
        if before is not None:
            before()
        run()

    others = [_pool.submit(help_out) for _ in range(1, threads)]
    try:
        run()
    finally:
        begun = [other for other in others if not other.cancel()]  # the rest have nothing left to do
        wait(begun)  # all of them, before one's error is raised: they write to what the caller has
        for other in begun:
            other.result()
    return [results[number] for number in range(len(pieces))]
