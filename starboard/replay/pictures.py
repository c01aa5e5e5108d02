"""Recorded games as an animation or a picture, by the extra ``render``."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from starboard.records import GameRecord, positions
from starboard.render import raster
from starboard.render.picture import draw

_SECONDS, _LAST = 0.7, 3.0  # for which the positions of an animation stand, and the last of them
_COLOURS = 255  # in an animation; GIF has 256, and one stands for what stays as it was
_APART = 8  # so far at least these are from each other; the colours of a theme are further


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
    """The game as an animated GIF file. Arguments and errors: :func:`png`.

    All frames have the same few colours, so what does not change from one to the next takes no room.
    """
    image = raster.extra("PIL.Image")
    files = [raster.png(draw(state.spec, state.record, view), scale) for state in positions(record)]

    def pictures() -> Iterator[Any]:
        for file in files:
            with image.open(io.BytesIO(file)) as picture:
                yield picture.convert("RGB")

    counts: Counter[tuple[int, int, int]] = Counter()
    for picture in pictures():
        counts.update({colour: count for count, colour in picture.getcolors(picture.width * picture.height)})
    palette, nearest = _palette(np.array([colour for colour, _ in counts.most_common()]))
    frames: list[Any] = []
    for picture in pictures():
        frame = image.fromarray(nearest[tuple(np.moveaxis(np.asarray(picture), 2, 0))])
        frame.putpalette(palette.tobytes())
        frames.append(frame)
    size = tuple(np.max([frame.size for frame in frames], axis=0).tolist())
    times = [round(1000 * _SECONDS)] * (len(frames) - 1) + [round(1000 * _LAST)]
    out = io.BytesIO()
    first, *rest = [_grown(image, frame, size) for frame in frames]
    first.save(out, "GIF", save_all=True, append_images=rest, duration=times, loop=0)
    return out.getvalue()


def _palette(colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of ``colours`` and those that differ from all before, and which of them is the nearest.

    The plain areas of a drawing are in few colours, which are the commonest and stay what they are; the many mixtures
    at edges give way.

    :param colours: int64 (N, 3), all that there are, the commonest first.
    :returns: uint8 (at most 255, 3), and uint8 (256, 256, 256): the index of the nearest, by red, green and blue.
    """
    chosen: list[int] = []
    distance, index = np.full(len(colours), np.inf), np.zeros(len(colours), np.uint8)
    while len(chosen) < _COLOURS and distance.max() >= _APART:
        chosen.append(int((distance >= _APART).argmax()))
        new = np.abs(colours - colours[chosen[-1]]).max(axis=1)
        index[new < distance] = len(chosen) - 1
        distance = np.minimum(distance, new)
    nearest = np.zeros((256, 256, 256), np.uint8)
    nearest[tuple(colours.T)] = index
    return colours[chosen].astype(np.uint8), nearest


def _grown(image: Any, frame: Any, size: tuple[int, ...]) -> Any:
    """``frame`` in the upper left of a picture of ``size``: all of an animation must be of one."""
    if frame.size == size:
        return frame
    grown = image.new("P", size, frame.getpixel((0, 0)))
    grown.putpalette(frame.getpalette())
    grown.paste(frame)
    return grown
