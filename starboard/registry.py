"""Finds games by name. ``starboard`` imports no game: packages announce theirs as entry points.

A package of your own joins with, in its ``pyproject.toml``::

    [project.entry-points."starboard.games"]
    mygame = "my_envs:GAME"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from starboard.spec import Game, GameSpec


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="starboard.games")}


def names() -> list[str]:
    """Names of the installed games, sorted. Imports none of them."""
    return sorted(_installed())


def game(name: str) -> Game:
    """The game called ``name``.

    :raises ValueError: if no such game is installed; the message lists those that are.
    """
    entry = _installed().get(name)
    if entry is None:
        raise ValueError(f"no game {name!r} is installed; there are: {', '.join(names()) or 'none'}")
    found: Game = entry.load()
    return found


def resolve(game: str | GameSpec, options: Mapping[str, Any]) -> GameSpec:
    """``game`` itself if it is a spec, else the spec of the game of this name with ``options``.

    :raises ValueError: for an unknown game, a value that is not allowed, or options beside a spec, which has its own.
    :raises TypeError: for an option that the game does not have.
    """
    if not isinstance(game, GameSpec):
        return load(game, **options)
    if options:
        raise ValueError(f"{', '.join(options)}: {game!r} has its options already; leave them out, or give the name")
    return game


def load(name: str, **options: Any) -> GameSpec:
    """The spec of game ``name`` with ``options``: ``load("astralis", size=5)``.

    :raises ValueError: for an unknown game or a value that is not allowed.
    :raises TypeError: for an option that the game does not have.
    """
    return game(name).spec(**options)


def register_pettingzoo(env_id: str, entry_point: str) -> None:
    """Make ``pettingzoo.make("aec", env_id)`` work, where this version of PettingZoo has a registry (1.27 has).

    :param env_id: ``"namespace/name_v0"``.
    :param entry_point: ``"module:function"``, imported when the first environment is made.
    """
    import pettingzoo

    register = getattr(pettingzoo, "register", None)
    if register is None or re.sub(r"_v(\d+)$", r"-v\1", env_id) in pettingzoo.aec_registry:
        return
    register("aec", env_id, entry_point=entry_point)
