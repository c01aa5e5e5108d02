"""Recorded games to look at: a page to step through, an animation, a picture."""

from starboard.replay.document import MOST_GAMES, page, select
from starboard.replay.pictures import gif, png

__all__ = ["MOST_GAMES", "gif", "page", "png", "select"]
