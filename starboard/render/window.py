"""A window on the screen."""

from __future__ import annotations

import os
from typing import Any

from starboard.render.canvas import size
from starboard.render.raster import extra, rgb

_UNSEEN = ("offscreen", "dummy")
_ROOM = 0.9  # of the screen


class Window:
    """Shows one picture after the other. It opens with the first one, and after :meth:`close` with the next one.

    A copy, pickled or not, is a window of its own that is not open yet.

    :param title: what stands above it.
    :raises RuntimeError: if there is no display.
    :raises ModuleNotFoundError: without the extra ``render``.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._window: Any = None
        self._clock: Any = None
        self._shown = ""
        # Whatever is missing is missed now, not in the middle of a game.
        for name in ("resvg_py", "PIL.Image"):
            extra(name)
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # what it says belongs in nobody's output
        self._pygame = extra("pygame")
        if not hasattr(self._pygame, "Window"):
            raise ModuleNotFoundError(
                "pygame is installed where pygame-ce is needed, in the same folder: "
                "pip uninstall pygame pygame-ce, then pip install 'starboard-envs[render]'",
                name="pygame",
            )
        try:
            self._pygame.display.init()
        except self._pygame.error as error:
            raise RuntimeError(_no_display(str(error))) from None
        # Without a display SDL draws where nobody sees it. Whoever asked for that (a test, say) gets it.
        driver = self._pygame.display.get_driver()
        if driver in _UNSEEN and driver not in os.environ.get("SDL_VIDEODRIVER", ""):
            raise RuntimeError(_no_display(f"SDL found only {driver!r}"))

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self.title,)

    def show(self, svg: str, fps: float) -> None:
        """Put ``svg`` into the window, scaled down to the screen, and wait: there are ``fps`` pictures a second.

        What is shown already does not wait.
        """
        pygame = self._pygame
        if svg != self._shown:
            screen = pygame.display.get_desktop_sizes()[0]
            scale = min(1.0, *(_ROOM * room / length for room, length in zip(screen, size(svg), strict=True)))
            frame = rgb(svg, scale)
            height, width, _ = frame.shape
            if self._window is None:
                self._window = pygame.Window(self.title, (width, height))
                self._clock = pygame.time.Clock()
            elif self._window.size != (width, height):
                self._window.size = width, height
            picture = pygame.image.frombuffer(frame.tobytes(), (width, height), "RGB")
            self._window.get_surface().blit(picture, (0, 0))
            self._window.flip()
            self._shown = svg
            self._clock.tick(fps)
        pygame.event.pump()  # or the system takes the window for dead

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._window is not None:
            self._window.destroy()
            self._window, self._shown = None, ""


def _no_display(reason: str) -> str:
    return f"render_mode='human': there is no display to open a window on ({reason}); use 'rgb_array' or 'ansi'"
