"""Choosing among legal actions: the distribution that policies and agents share. Needs the extra `train`."""

from __future__ import annotations

import math

import numpy as np
import torch

from starboard.jit import jit

_FAR_BELOW = 60.0
"""How far the logit of an illegal action lies below that of the best legal one. A probability of 1e-26 is as good as
none; further below, ``exp`` leaves the range of normal floats and takes twenty times as long."""


def log_probabilities(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """log softmax over the legal actions; ``legal``: bool (B, num_actions)."""
    floor = logits.detach().masked_fill(~legal, -torch.inf).amax(1, keepdim=True) - _FAR_BELOW
    return torch.where(legal, logits, floor).log_softmax(1)


def draw(log_probs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """One action a row, by inverting the distribution function: many times faster than ``torch.multinomial``.

    The first entry at which the running sum exceeds a uniform number has itself a probability above 0, so it is legal.
    """
    sums = (log_probs.exp() * legal).cumsum(1)
    total = sums[:, -1:]
    threshold = torch.rand_like(total) * total
    # The product may round up to the total itself: then the last entry that adds to it.
    return torch.minimum((sums <= threshold).sum(1), (sums < total).sum(1))


def choose(logits: np.ndarray, action_masks: np.ndarray, uniform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """:func:`draw` in one pass, by the numbers given: actions, int64 (N,), and their log probabilities, float32 (N,).

    :param logits: float32 (N, num_actions).
    :param action_masks: int8 or bool (N, num_actions), nonzero where legal, at least once in a row.
    :param uniform: float32 (N,), from 0 to 1.
    """
    actions, log_probs = np.empty(len(logits), np.int64), np.empty(len(logits), np.float32)
    _choose(logits, action_masks.view(np.int8), uniform, actions, log_probs)
    return actions, log_probs


@jit
def _choose(logits, masks, uniform, actions, log_probs):  # type: ignore[no-untyped-def]
    for j in range(len(logits)):
        row, mask = logits[j], masks[j]
        best = np.float32(-np.inf)
        for a in range(len(row)):
            if mask[a] != 0 and row[a] > best:
                best = row[a]
        total = 0.0
        for a in range(len(row)):
            if mask[a] != 0:
                total += math.exp(row[a] - best)
        threshold, reached, chosen = uniform[j] * total, 0.0, -1
        for a in range(len(row)):
            if mask[a] != 0:
                share = math.exp(row[a] - best)
                reached += share
                if share > 0.0:
                    chosen = a
                if reached > threshold:
                    break
        actions[j], log_probs[j] = chosen, row[chosen] - best - math.log(total)
