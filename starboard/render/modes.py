"""Render modes, the same for all environments."""

from __future__ import annotations

from typing import Any

from starboard.render.picture import draw
from starboard.render.raster import rgb
from starboard.render.window import Window
from starboard.spec import GameSpec

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 1
"""Positions a second, in windows and videos, unless an environment's metadata say otherwise."""


class Renderer:
    """What ``render()`` of an environment does. Nothing is drawn before it is called.

    :param mode: one of :data:`RENDER_MODES`, or None.
    :raises RuntimeError: with ``"human"``, if there is no display.
    :raises ModuleNotFoundError: likewise, without the extra ``render``.
    """

    def __init__(self, spec: GameSpec, mode: str | None) -> None:
        self.spec, self.mode = spec, mode
        self._window = Window(spec.id) if mode == "human" else None

    def __call__(self, record: Any, viewer: int | None, fps: float = RENDER_FPS) -> Any:
        """The position ``record`` as seat ``viewer`` sees it; None sees all.

        :param fps: how many positions a second the window shows.
        :returns: a text with ``"ansi"``, uint8 (height, width, 3) with ``"rgb_array"``, else None.
        :raises ModuleNotFoundError: with ``"rgb_array"``, without the extra ``render``.
        """
        if self.mode == "ansi":
            return self.spec.text(record, viewer)
        if self.mode == "rgb_array":
            return rgb(draw(self.spec, record, viewer))
        if self._window is not None:
            self._window.show(draw(self.spec, record, viewer), fps)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
