"""The networks that :func:`starboard.training.train` can train, from a game's spec alone."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from starboard.foresight import MOST
from starboard.spec import GameSpec, one_of

WIDTHS = {"grid": 24, "mlp": 256}
"""Kinds of network, and how wide each is unless said otherwise."""
NETWORKS = tuple(WIDTHS)
TRUST = 100.0
"""Logits that a foresight of 1 adds for each unit of the weights that are learnt: they then grow fast enough."""


def default_network(spec: GameSpec) -> str:
    """``"grid"`` for games with a board, else ``"mlp"``."""
    return "mlp" if spec.grid is None else "grid"


class Network(nn.Module):
    """Observations in, logits of all actions and the expected return out.

    ``"mlp"``: two hidden layers over all entries. ``"grid"``: two small convolutions over the board, so that what is
    learnt in one corner holds in the other, with the game's counters and the board's average mixed in between. Both
    score the parts of an action (``spec.action_parts``) and add them up.

    Where the spec says ``foresight``, the second input is what each action brings at once (:mod:`starboard.foresight`).
    A share of it, which is learnt and 0 at first, is added to the action's logit.

    :param kind: one of :data:`NETWORKS`.
    :param width: features of each hidden layer, or of each cell.
    :raises ValueError: for an unknown kind, or ``"grid"`` and a game without a board.
    """

    scale: torch.Tensor
    parts: torch.Tensor

    def __init__(self, spec: GameSpec, kind: str, width: int) -> None:
        super().__init__()
        one_of("network", kind, NETWORKS)
        if kind == "grid" and spec.grid is None:
            raise ValueError(f"network='grid': {spec.id} has no board; use 'mlp'")
        scale = torch.as_tensor(1.0 / spec.observation_high.astype(np.float32))
        self.register_buffer("scale", scale, persistent=False)
        parts = spec.action_parts if spec.action_parts is not None else np.arange(spec.num_actions)[:, None]
        self.body = (Grid if kind == "grid" else Flat)(spec, width, int(parts.max()) + 1)
        self.register_buffer("parts", self.body.places(torch.as_tensor(parts.T.astype(np.int64))), persistent=False)

        self.trust = nn.Parameter(torch.zeros(2)) if spec.foresight else None

    def forward(
        self, observations: torch.Tensor, foresight: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """int8 (B, \\*observation shape), int8 (B, num_actions) -> float32 logits (B, num_actions), values (B,)."""
        scores, values = self.body(observations.float() * self.scale)
        logits = scores.index_select(1, self.parts[0])
        for part in self.parts[1:]:
            logits = logits + scores.index_select(1, part)
        if self.trust is not None:
            assert foresight is not None
            seen = foresight.float() / MOST
            logits = logits + TRUST * (self.trust[0] * seen + self.trust[1] * seen * seen.abs())
        return logits, values


class Flat(nn.Module):
    """Two hidden layers over all entries of an observation."""

    def __init__(self, spec: GameSpec, width: int, num_parts: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Flatten(),
            nn.Linear(spec.observation_high.size, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.heads = small(nn.Linear(width, num_parts + 1))

    def places(self, parts: torch.Tensor) -> torch.Tensor:
        """Where the scores of ``parts`` stand in what :meth:`forward` returns."""
        return parts.contiguous()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """float32 (B, ...) -> scores of the parts (B, parts), values (B,)."""
        out = self.heads(self.trunk(x))
        return out[:, :-1], out[:, -1]


class Grid(nn.Module):
    """Two convolutions over the board; counters and averages in between."""

    cell: torch.Tensor

    def __init__(self, spec: GameSpec, width: int, num_parts: int) -> None:
        super().__init__()
        assert spec.grid is not None
        self.planes = spec.grid_planes
        rows, columns = (int(n) for n in spec.grid.max(0) + 1)
        self.shape = rows, columns
        self.cells = len(spec.grid)
        self.per_cell = spec.parts_per_cell
        self.place = torch.as_tensor(spec.grid[:, 0] * columns + spec.grid[:, 1]).long()
        cell = torch.full((rows * columns,), self.cells)  # one past the cells stands a 0, for what lies outside
        cell[self.place] = torch.arange(self.cells)
        self.register_buffer("cell", cell, persistent=False)
        counters = spec.observation_high[spec.grid_planes :].size
        self.near = nn.Conv2d(self.planes + 1, width, 3, padding=1)
        self.far = nn.Conv2d(width, width, 3, padding=1)
        self.all = nn.Linear(counters + width, width)
        self.cell_head = small(nn.Conv2d(width, self.per_cell, 1))
        self.value = nn.Sequential(
            nn.Linear(counters + 2 * width, 4 * width),
            nn.ReLU(),
            small(nn.Linear(4 * width, 1 + num_parts - self.cells * self.per_cell)),
        )
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def places(self, parts: torch.Tensor) -> torch.Tensor:
        """Where the scores of ``parts`` stand in what :meth:`forward` returns: square by square, then the rest."""
        on_board = self.cells * self.per_cell
        squares = self.shape[0] * self.shape[1]
        kind, cell = parts // self.cells, parts % self.cells
        moved = self.place[cell] * self.per_cell + kind
        return torch.where(parts < on_board, moved, parts - on_board + squares * self.per_cell).contiguous()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """float32 (B, planes, cells) -> scores (B, rows * columns * parts of a cell + other parts), values (B,)."""
        count = len(x)
        board = torch.cat([x[:, : self.planes], torch.ones_like(x[:, :1])], 1)  # the last plane: where the board is
        board = nn.functional.pad(board, (0, 1)).index_select(2, self.cell)
        board = board.reshape(count, self.planes + 1, *self.shape).contiguous(memory_format=torch.channels_last)
        counters = x[:, self.planes :].flatten(1)
        near = self.near(board).relu()
        average = near.mean((2, 3))
        everywhere = self.all(torch.cat([counters, average], 1))
        far = (self.far(near) + everywhere[:, :, None, None]).relu() + near
        cells = self.cell_head(far).permute(0, 2, 3, 1).reshape(count, -1)  # no copy: channels lie last
        rest = self.value(torch.cat([counters, average, far.mean((2, 3))], 1))
        return torch.cat([cells, rest[:, :-1]], 1), rest[:, -1]


def small(layer: nn.Linear | nn.Conv2d) -> nn.Module:
    """``layer`` with weights near 0: a new network plays nearly at random and expects nothing."""
    nn.init.orthogonal_(layer.weight, 0.01)
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return layer
