"""Astralis v0."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from astralis_envs.game import GAME
from starboard.aec import BoardGameEnv, wrapped


def raw_env(
    *,
    illegal: str = "terminate",
    mask_in: str = "observation",
    render_mode: str | None = None,
    **options: Any,
) -> BoardGameEnv:
    """The environment without PettingZoo's order-enforcing wrapper.

    :param illegal: ``"terminate"`` or ``"raise"``, see :class:`starboard.aec.BoardGameEnv`.
    :param mask_in: ``"observation"`` or ``"info"``.
    :param render_mode: None or ``"ansi"``.
    :param options: ``size``, ``stones``, ``komi``, ``stall_limit``, ``setup``, ``bonus_stones``, see above.
    :raises TypeError: for an unknown option.
    :raises ValueError: for a value that is not allowed; the message says what is.
    """
    return BoardGameEnv(GAME.spec(**options), illegal, mask_in, render_mode)


def env(**kwargs: Any) -> OrderEnforcingWrapper:
    """:func:`raw_env` in PettingZoo's order-enforcing wrapper; the same arguments."""
    return wrapped(raw_env(**kwargs))
