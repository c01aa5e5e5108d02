"""Asterion, a game of labyrinth cards for two to four, as fast reinforcement-learning environments.

>>> from asterion_envs import asterion_v0
>>> env = asterion_v0.env(players=3)

``asterion_v0.env()`` is a PettingZoo AEC environment; ``GAME.spec(...)`` gives the bare game for :mod:`starboard`. The
rules stand in ``RULES.md`` beside this file, the environment's page in the docstring of
:mod:`asterion_envs.asterion_v0`.
"""

from asterion_envs.game import GAME
from asterion_envs.symmetry import action_symmetries, cell_symmetries, opening_symmetries, plane_symmetries
from starboard.registry import register_pettingzoo
from starboard.seat import register_gymnasium

register_gymnasium("asterion_envs/Asterion-v0", "asterion")
register_pettingzoo("asterion_envs/asterion_v0", "asterion_envs.asterion_v0:env")

__all__ = ["GAME", "action_symmetries", "cell_symmetries", "opening_symmetries", "plane_symmetries"]
