"""Pictures of positions: pure functions of a state, without a display, the same everywhere."""

from starboard.render.canvas import AUTO, THEMES, Canvas
from starboard.render.picture import draw

__all__ = ["AUTO", "THEMES", "Canvas", "draw"]
