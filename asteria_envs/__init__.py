"""Asteria, a card game of two star-faring nations, as fast reinforcement-learning environments.

>>> from asteria_envs import asteria_v0
>>> env = asteria_v0.env()

``asteria_v0.env()`` is a PettingZoo AEC environment; ``GAME.spec(...)`` gives the bare game for :mod:`starboard`. The
rules stand in ``RULES.md`` beside this file, the environment's page in the docstring of :mod:`asteria_envs.asteria_v0`.
"""

from asteria_envs.game import GAME
from starboard.registry import register_pettingzoo
from starboard.seat import register_gymnasium

register_gymnasium("asteria_envs/Asteria-v0", "asteria")
register_pettingzoo("asteria_envs/asteria_v0", "asteria_envs.asteria_v0:env")

__all__ = ["GAME"]
