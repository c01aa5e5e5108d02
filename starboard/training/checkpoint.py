"""A training run on disk: written whole or not at all, read without running code."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import torch

from starboard.files import write_whole

FORMAT = 2


def save_checkpoint(path: Path, facts: dict[str, Any], tensors: dict[str, Any], games: bytes) -> None:
    """Write a checkpoint.

    :param facts: what JSON can hold: counters, settings, history.
    :param tensors: state dicts of network and optimiser.
    :param games: the games under way (:meth:`starboard.seat.SeatGames.to_bytes`).
    :raises OSError: if it cannot be written; an earlier checkpoint is still there then.
    """
    content = {
        "facts": json.dumps({"format": FORMAT, **facts}),
        "games": torch.frombuffer(bytearray(games), dtype=torch.uint8),
        **tensors,
    }
    data = io.BytesIO()
    torch.save(content, data)
    write_whole(path, data.getvalue())


def load_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """The facts, tensors and games of :func:`save_checkpoint`.

    :raises FileNotFoundError: if there is none.
    :raises ValueError: if the file is damaged or no checkpoint of this release.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no checkpoint to resume from")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        facts = json.loads(content.pop("facts"))
        games = content.pop("games").numpy().tobytes()
        form = facts.pop("format")
    except Exception as error:  # torch raises many kinds for a damaged file
        raise ValueError(f"{path}: is damaged, or not a checkpoint of a training run") from error
    if form != FORMAT:
        raise ValueError(f"{path}: has format {form}; this release reads {FORMAT}")
    return facts, content, games
