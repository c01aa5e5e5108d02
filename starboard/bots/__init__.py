"""Players that need no training, and how a player is named.

A player is any callable ``(observations, action_masks) -> actions`` over a batch: int8 (N, \\*observation shape) and
int8 (N, num_actions) in, N whole numbers out. :class:`RecordBot` marks those that look further than an
observation, such as search: they are given the games' records, and see to it themselves that they use only what their
seat may know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from starboard.bots.greedy import GreedyBot
from starboard.bots.mcts import MctsBot, parse_budget
from starboard.bots.random import RandomBot
from starboard.bots.record import Member, RecordBot, Team
from starboard.spec import GameSpec

Player = Callable[[np.ndarray, np.ndarray], Any]

BOTS: dict[str, Callable[[GameSpec, int | None], Player]] = {"random": RandomBot, "greedy": GreedyBot}
"""Named players: ``name -> (spec, seed) -> player``."""
SEARCH = "mcts"
"""Named with how far to search: ``mcts:100`` (simulations), ``mcts:50ms`` (time)."""
NAMES = (*BOTS, f"{SEARCH}:100")
"""Of bots, for messages and help."""


def is_bot(player: str | Path) -> bool:
    """Is ``player`` the name of a bot, rather than a file's? (``mcts:`` with a budget that makes no sense is.)"""
    return str(player) in BOTS or str(player).partition(":")[0] == SEARCH


def make_player(player: str | Path | Player, spec: GameSpec, seed: int | None = None) -> Player:
    """``player`` ready to play games of ``spec``.

    :param player: a bot's name (:func:`is_bot`), the file of a saved agent, or a callable, which is returned as it is.
    :param seed: for players that draw random numbers; None draws one.
    :raises ValueError: for a name that is neither a bot nor a file, or an agent of another game.
    """
    if callable(player):
        return player
    if not isinstance(player, (str, Path)):
        raise TypeError(
            f"player {player!r}: must be a name, the file of a saved agent, or a callable; "
            "a model of stable-baselines3 becomes one by "
            "lambda observations, masks: model.predict(observations, action_masks=masks)[0]"
        )
    name, _, budget = str(player).partition(":")
    if name == SEARCH:
        simulations, milliseconds = parse_budget(budget)
        return MctsBot(spec, simulations, seed, milliseconds=milliseconds)
    if name in BOTS and not budget:
        return BOTS[name](spec, seed)
    if not Path(player).is_file():
        raise ValueError(f"player {str(player)!r}: is neither one of {', '.join(NAMES)} nor the file of a saved agent")
    from starboard.agents import load_agent  # torch is imported here, and only for saved agents

    return load_agent(player, spec=spec, seed=seed)


def choose_actions(
    player: Player | Team,
    records: np.ndarray,
    games: np.ndarray,
    observations: np.ndarray,
    action_masks: np.ndarray,
    who: np.ndarray | None = None,
) -> np.ndarray:
    """What ``player`` plays in ``games`` (indices into ``records``), one row of observations and masks for each.

    :param who: where it is a team, the number of the member to move in each game.
    :raises ValueError: if it answers with anything but one legal action a game.
    """
    if isinstance(player, Team):
        assert who is not None
        actions = np.asarray(player.choose(who, records, games, observations, action_masks))
    elif isinstance(player, RecordBot):
        actions = np.asarray(player.choose(records, games, observations, action_masks))
    else:
        answer = player(observations, action_masks)
        try:
            actions = np.asarray(answer)
        except ValueError:  # ragged: not one array at all
            actions = np.asarray(None)
    if actions.shape != (len(games),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"player {player!r}: must return {len(games)} whole numbers, not {actions.dtype} of shape {actions.shape}"
        )
    actions = actions.astype(np.int64)
    illegal = (actions < 0) | (actions >= action_masks.shape[1])
    illegal |= action_masks[np.arange(len(games)), np.where(illegal, 0, actions)] == 0
    if illegal.any():
        raise ValueError(f"player {player!r}: chose action {actions[illegal.argmax()]}, which is illegal there")
    return actions


__all__ = [
    "BOTS",
    "NAMES",
    "GreedyBot",
    "MctsBot",
    "Member",
    "Player",
    "RandomBot",
    "RecordBot",
    "Team",
    "choose_actions",
    "is_bot",
    "make_player",
]
