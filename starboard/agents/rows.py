"""A network's rows shared among threads, forward and backward.

torch's own threads wait for each other in every operation, some hundred times in a pass, which takes as long as the
operations themselves where they are small, and many times longer where another process wants the cores. Shared out by
rows, threads meet once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from starboard.agents.network import Network
from starboard.threads import share_out

LEAST = 8
"""Rows for which another thread is worth while."""


def parts(count: int, threads: int) -> list[slice]:
    """``count`` rows in parts of the same size, one for each thread that is worth while."""
    size = max(LEAST, -(-count // threads))
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def alone() -> None:
    """The thread that calls this gets none of torch's: a new one may have as many as there are cores, and round so."""
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def evaluate(
    network: Network, observations: torch.Tensor, foresight: torch.Tensor | None, threads: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """What ``network`` says, float32 (B, num_actions) and (B,), rows shared among ``threads``; gradients are, too.

    With more than one of them, torch should have one of its own: else it depends on who comes first how sums round.
    """
    rows = parts(len(observations), threads)
    if len(rows) <= 1:
        logits, values = network(observations, foresight)
        return logits, values
    if torch.is_grad_enabled():
        parameters = list(network.parameters())
        return _Shared.apply(network, observations, foresight, rows, *parameters)
    logits, values = zip(*_each(network, observations, foresight, rows, grad=False), strict=True)
    return torch.cat(logits), torch.cat(values)


def _each(
    network: Network, observations: torch.Tensor, foresight: torch.Tensor | None, rows: Sequence[slice], grad: bool
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    def work(part: slice) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.set_grad_enabled(grad):  # each thread has a switch of its own
            logits, values = network(observations[part], None if foresight is None else foresight[part])
        return logits, values

    return share_out(work, rows, len(rows), alone)


class _Shared(torch.autograd.Function):
    """:func:`evaluate` with gradients: those of each part are found on a thread, and added in the order of the rows."""

    @staticmethod
    def forward(ctx: Any, network: Any, observations: Any, foresight: Any, rows: Any, *parameters: Any) -> Any:
        ctx.rows, ctx.parameters = rows, parameters
        ctx.outputs = _each(network, observations, foresight, rows, grad=True)
        logits, values = zip(*ctx.outputs, strict=True)
        return torch.cat([part.detach() for part in logits]), torch.cat([part.detach() for part in values])

    @staticmethod
    def backward(ctx: Any, *wanted: torch.Tensor) -> Any:
        logits, values = wanted

        def work(number: int) -> tuple[torch.Tensor, ...]:
            part = ctx.rows[number]
            return torch.autograd.grad(ctx.outputs[number], ctx.parameters, (logits[part], values[part]))

        found = share_out(work, range(len(ctx.rows)), len(ctx.rows), alone)
        return None, None, None, None, *(sum(gradients) for gradients in zip(*found, strict=True))
