"""Recorded games as an animation or a picture, by the extra ``render``."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from starboard.records import GameRecord, positions
from starboard.render import raster
from starboard.render.picture import draw

_SECONDS, _LAST = 0.7, 3.0  # for which the positions of an animation stand, and the last of them
_COLOURS = 64


def png(record: GameRecord, ply: int | None = None, view: int | None = None, scale: float = 1.0) -> bytes:
    """The position after ``ply`` actions as a PNG file; None takes the final one.

    :param view: a seat: what it may not see lies face down. None shows all.
    :param scale: pixels for each unit of the drawing.
    :raises ValueError: if there is no such ply or seat.
    :raises ModuleNotFoundError: without the extra ``render``.
    """
    ply = record.plies if ply is None else ply
    if not 0 <= ply <= record.plies:
        raise ValueError(f"ply={ply!r}: must be from 0 to {record.plies}")
    state = next(state for number, state in enumerate(positions(record)) if number == ply)
    return raster.png(draw(state.spec, state.record, view), scale)


def gif(record: GameRecord, view: int | None = None, scale: float = 1.0) -> bytes:
    """The game as an animated GIF file. Arguments and errors: :func:`png`."""
    image = raster.extra("PIL.Image")
    frames: list[Any] = []
    for state in positions(record):
        picture = image.fromarray(raster.rgb(draw(state.spec, state.record, view), scale))
        frames.append(picture.quantize(_COLOURS, dither=image.Dither.NONE))
    size = tuple(np.max([frame.size for frame in frames], axis=0).tolist())
    times = [round(1000 * _SECONDS)] * (len(frames) - 1) + [round(1000 * _LAST)]
    out = io.BytesIO()
    first, *rest = [_grown(image, frame, size) for frame in frames]
    first.save(out, "GIF", save_all=True, append_images=rest, duration=times, loop=0)
    return out.getvalue()


def _grown(image: Any, frame: Any, size: tuple[int, ...]) -> Any:
    """``frame`` in the upper left of a picture of ``size``: all of an animation must be of one."""
    if frame.size == size:
        return frame
    grown = image.new("P", size, frame.getpixel((0, 0)))
    grown.putpalette(frame.getpalette())
    grown.paste(frame)
    return grown
