"""Astralis, a game of area control for two, as fast reinforcement-learning environments.

>>> from astralis_envs import astralis_v0
>>> env = astralis_v0.env(size=8)

``astralis_v0.env()`` is a PettingZoo AEC environment; ``GAME.spec(...)`` gives the bare game for :mod:`starboard`. The
rules stand in ``RULES.md`` beside this file, the environment's page in the docstring of
:mod:`astralis_envs.astralis_v0`.
"""

from astralis_envs.game import GAME
from astralis_envs.symmetry import action_symmetries, cell_symmetries
from starboard.registry import register_pettingzoo
from starboard.seat import register_gymnasium

register_gymnasium("astralis_envs/Astralis-v0", "astralis")
register_pettingzoo("astralis_envs/astralis_v0", "astralis_envs.astralis_v0:env")

__all__ = ["GAME", "action_symmetries", "cell_symmetries"]
