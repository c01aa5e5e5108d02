"""Choosing among legal actions, in torch: the distribution that policies and agents share. Needs the extra `train`."""

from __future__ import annotations

import torch

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
