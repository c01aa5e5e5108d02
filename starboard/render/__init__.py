"""Pictures of positions: pure functions of a state, without a display, the same everywhere."""

from starboard.render.canvas import AUTO, THEMES, Canvas
from starboard.render.picture import draw, overview
from starboard.render.raster import png, rgb

__all__ = ["AUTO", "THEMES", "Canvas", "draw", "overview", "png", "rgb"]
