"""SVG as pixels. The packages of the extra ``render`` are imported when something is drawn, not before."""

from __future__ import annotations

import importlib
import io
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

_FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold")


def extra(name: str) -> Any:
    """The module ``name`` of a package of the extra ``render``.

    :raises ModuleNotFoundError: saying what to install.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _missing(error.name) from None


def _missing(package: str | None) -> ModuleNotFoundError:
    return ModuleNotFoundError(
        f"{package} is needed and not installed: pip install 'starboard-envs[render]' (in a checkout: '.[render]')",
        name=package,
    )


@cache
def _fonts() -> list[str]:
    """The files of fonts that Matplotlib brings along, without importing it."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise _missing("matplotlib")
    folder = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [str((folder / f"{name}.ttf").resolve(strict=True)) for name in _FONTS]


def png(svg: str, scale: float = 1.0) -> bytes:
    """``svg`` as a PNG file. Texts are in fonts that come along, so the picture is the same on every machine.

    :param scale: pixels for each unit of the SVG.
    :raises ValueError: if ``scale`` is not above 0, or ``svg`` is not SVG.
    :raises ModuleNotFoundError: without the extra ``render``.
    """
    if not 0 < scale < np.inf:
        raise ValueError(f"scale={scale!r}: must be a number above 0")
    found: bytes = extra("resvg_py").svg_to_bytes(
        svg_string=svg,
        zoom=float(scale),
        skip_system_fonts=True,
        font_files=_fonts(),
        sans_serif_family="DejaVu Sans",
        monospace_family="DejaVu Sans Mono",
    )
    return found


def rgb(svg: str, scale: float = 1.0) -> np.ndarray:
    """``svg`` as uint8 (height, width, 3). Arguments and errors: :func:`png`."""
    with extra("PIL.Image").open(io.BytesIO(png(svg, scale))) as picture:
        return np.array(picture.convert("RGB"))
