"""What the games Asteria, Asterion and Astralis share: environments, batches, opponents, training, measurement.

>>> import starboard
>>> spec = starboard.load("astralis", size=5)
>>> spec.num_actions
428
"""

from starboard.registry import game, load, names

__all__ = ["game", "load", "names"]
