"""The PettingZoo AEC environment, once for all games."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from starboard.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from starboard.rng import mix
from starboard.spec import GameSpec, one_of
from starboard.state import GameState, as_action, as_seed, pack, unpack

ILLEGAL = ("terminate", "raise")
MASK_IN = ("observation", "info")

_SAVED = ("agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards", "infos")


def observation_box(high: np.ndarray) -> spaces.Box:
    """The space of observations from 0 to ``high``, int8."""
    return spaces.Box(np.zeros_like(high), high, dtype=np.int8)


class BoardGameEnv(AECEnv):
    """Any game of :mod:`starboard` as a PettingZoo AEC environment (what a game's ``raw_env()`` returns).

    Observations are ``{"observation": int8 planes, "action_mask": int8 (num_actions,)}``; the mask is 1 where an action
    is legal, and all zeros for a seat that is not to move and after the end. An array that was handed out is never
    written again.

    :param spec: the game and its options.
    :param illegal: what an illegal move does. ``"terminate"``: the game ends, the mover gets -1, the others 0.
        ``"raise"``: ValueError, and the game goes on as if nothing had happened.
    :param mask_in: ``"observation"``, or ``"info"``: then observations are the planes alone, and the mask is
        ``infos[agent]["action_mask"]``.
    :param render_mode: None, ``"ansi"`` (``render()`` returns text), ``"rgb_array"`` (uint8, height x width x 3) or
        ``"human"`` (each position is shown in a window, ``metadata["render_fps"]`` a second).
    :param viewer: who looks at what is rendered; what they may not see is left out or lies face down. ``"mover"``: the
        agent to move, and all see everything after the end. ``"all"``: everything is shown. Or an agent's name.
    :raises RuntimeError: with ``render_mode="human"``, if there is no display.
    :raises ModuleNotFoundError: likewise, without the extra ``render``.
    """

    def __init__(
        self,
        spec: GameSpec,
        illegal: str = "terminate",
        mask_in: str = "observation",
        render_mode: str | None = None,
        viewer: str = "mover",
    ) -> None:
        super().__init__()
        self.spec = spec
        self.illegal: str = one_of("illegal", illegal, ILLEGAL)
        self.mask_in: str = one_of("mask_in", mask_in, MASK_IN)
        self.render_mode: str | None = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.viewer: str = one_of("viewer", viewer, ("mover", "all", *spec.agents))
        self._renderer = Renderer(spec, render_mode)
        self.metadata: dict[str, Any] = {
            "name": spec.id,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = spec.agents
        self._seats = {agent: seat for seat, agent in enumerate(spec.agents)}
        self.action_spaces = {agent: spaces.Discrete(spec.num_actions) for agent in spec.agents}
        self.observation_spaces = {agent: self._observation_space() for agent in spec.agents}
        self._seed, self._episode = as_seed(None), 0
        self._game: GameState | None = None

    def _observation_space(self) -> spaces.Space[Any]:
        planes = observation_box(self.spec.observation_high)
        if self.mask_in == "info":
            return planes
        mask = spaces.Box(0, 1, (self.spec.num_actions,), np.int8)
        return spaces.Dict({"observation": planes, "action_mask": mask})

    @property
    def state_space(self) -> spaces.Space[Any]:
        """Space of :meth:`state`."""
        return observation_box(np.stack([self.spec.observation_high] * self.spec.num_players))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object on each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object on each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. Without a ``seed``, the next of a series that the last seed given began.

        :param options: accepted because the API has it; games take their options when they are made.
        """
        if seed is None:
            self._episode += 1
        else:
            self._seed, self._episode = as_seed(seed), 0
        self._game = GameState(self.spec, self._game_seed())
        agents = self.possible_agents
        self.agents = list(agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection = None
        self.agent_selection = agents[self._game.to_move]
        self._put_masks()
        if self.render_mode == "human":
            self.render()

    def _game_seed(self) -> int:
        return int(mix(self._seed, 0, self._episode) if self._episode else self._seed)

    @property
    def start_seed(self) -> int:
        """What the kernel ``init`` was given when the game began: with the actions, the whole game."""
        return int(mix(as_seed(self._game_seed()), 0, 0))

    @property
    def game(self) -> GameState:
        """The game being played.

        :raises RuntimeError: before the first ``reset``.
        """
        if self._game is None:
            raise RuntimeError("reset() must be called first")
        return self._game

    @property
    def record(self) -> np.void:
        """The game's record: one element of a structured array (fields: ``spec.state_dtype``), a view."""
        return self.game.record

    def legal_actions(self) -> list[int]:
        """The legal actions of ``agent_selection``, ascending; empty after the end."""
        return np.flatnonzero(self._mask(self._seats[self.agent_selection])).tolist() if self.agents else []

    def describe_action(self, action: int) -> str:
        """``action`` in the game's notation."""
        return self.game.describe(action)

    def parse_action(self, text: str) -> int:
        """The action that ``text`` names in the game's notation.

        :raises ValueError: if it names none.
        """
        return self.game.parse(text)

    def step(self, action: Any) -> None:
        """Play ``action`` for ``agent_selection``; a finished agent takes None.

        :raises TypeError: if ``action`` is not a whole number.
        :raises ValueError: if it is out of range, or illegal where ``illegal="raise"``, or not None for a finished
            agent.
        :raises RuntimeError: before the first ``reset``, and when no agents are left.
        """
        game = self.game
        if not self.agents:
            raise RuntimeError(f"action={action!r}: the game is over and all agents are gone; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = as_action(action, self.spec.num_actions)
        if not game.mask[index]:
            if self.illegal == "raise":
                game.check(index)
            EnvLogger.warn_on_illegal_move()
            self._cumulative_rewards[agent] = 0.0
            self._end({other: -1.0 if other == agent else 0.0 for other in self.agents}, truncated=False)
            return
        self._cumulative_rewards[agent] = 0.0  # rewards are zeros until the end: there is nothing else to clear or add
        game.step_unchecked(index)
        self.agent_selection = self.possible_agents[game.to_move]
        if game.over:
            returns = game.returns().tolist()
            self._end(dict(zip(self.agents, returns, strict=True)), truncated=game.truncated)
        elif self.mask_in == "info":
            self._put_masks()
        if self.render_mode == "human":
            self.render()

    def _end(self, rewards: dict[str, float], truncated: bool) -> None:
        """Flag all agents; each then takes None."""
        self.rewards = rewards
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        facts = self.spec.final_info(self.game.record)
        self.infos = {agent: dict(facts) for agent in self.agents}
        self._put_masks()
        self._accumulate_rewards()

    def _mask(self, seat: int) -> np.ndarray:
        if seat == self.game.to_move and self.agents and not self.terminations.get(self.possible_agents[seat], True):
            return self.game.mask
        return np.zeros(self.spec.num_actions, np.int8)

    def _put_masks(self) -> None:
        if self.mask_in == "info":
            # New dicts, for callers keep those that they were given.
            self.infos = {
                agent: {**info, "action_mask": self._mask(self._seats[agent])} for agent, info in self.infos.items()
            }

    def observe(self, agent: str) -> Any:
        """What ``agent`` may know now, and which actions are legal for it."""
        seat = self._seats[agent]
        planes = self.game.observation(seat)
        if self.mask_in == "info":
            return planes
        return {"observation": planes, "action_mask": self._mask(seat)}

    def state(self) -> np.ndarray:
        """What all seats know together, for central critics: int8 (num_players, \\*observation shape), seat by seat."""
        return np.stack([self.game.observation(seat) for seat in range(self.spec.num_players)])

    def _looker(self) -> int | None:
        """The seat that looks at what is rendered; None sees everything."""
        if self.viewer == "mover":
            return None if self.game.over else self.game.to_move
        return self._seats.get(self.viewer)

    def render(self) -> str | np.ndarray | None:
        """The position as ``viewer`` sees it: a text, uint8 (height, width, 3), or None where it is in a window.

        :raises RuntimeError: before the first ``reset``.
        :raises ModuleNotFoundError: with ``render_mode="rgb_array"``, without the extra ``render``.
        """
        if self.render_mode is None:
            logger.warn("render() does nothing without a render mode: make the environment with render_mode='ansi'")
            return None
        return self._renderer(self.record, self._looker(), self.metadata["render_fps"])

    def _repr_svg_(self) -> str | None:
        """For notebooks: the position, as ``viewer`` sees it."""
        return None if self._game is None else self._game.svg(self._looker())

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def clone(self) -> Self:
        """An independent copy in the same position, generators included."""
        return copy.deepcopy(self)

    def to_bytes(self) -> bytes:
        """The whole environment as it stands, for :meth:`from_bytes`. Masks in infos are made anew there."""
        saved = {name: getattr(self, name) for name in _SAVED}
        saved["infos"] = {
            agent: {key: value for key, value in info.items() if key != "action_mask"}
            for agent, info in self.infos.items()
        }
        facts = {"seed": int(self._seed), "episode": self._episode, "skip": self._skip_agent_selection}
        return pack(self.spec, self.game.records, env=saved, **facts)

    def from_bytes(self, data: bytes) -> None:
        """Go on from where :meth:`to_bytes` was called.

        :raises ValueError: if ``data`` is damaged or of another game, version or set of options; nothing changes then.
        """
        records, facts = unpack(self.spec, data)
        try:
            saved = {name: facts["env"][name] for name in _SAVED}
            seed, episode, skip = np.uint64(facts["seed"]), int(facts["episode"]), facts["skip"]
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError("data: is a game, but not a saved environment") from error
        self._game = GameState.from_bytes(self.spec, pack(self.spec, records))
        self._seed, self._episode, self._skip_agent_selection = seed, episode, skip
        for name, value in saved.items():
            setattr(self, name, value)
        self._put_masks()


class NotebookWrapper(OrderEnforcingWrapper):
    """PettingZoo's order-enforcing wrapper, which notebooks show as the environment within."""

    def _repr_svg_(self) -> str | None:
        return self.env._repr_svg_()

    def __str__(self) -> str:
        return str(self.env)


def wrapped(env: BoardGameEnv) -> OrderEnforcingWrapper:
    """``env`` as users get it: calls before ``reset`` and after the end are told apart from bugs.

    Out-of-range and illegal moves are handled in :class:`BoardGameEnv` itself: the stock wrappers for them would cost
    more than the game.
    """
    return NotebookWrapper(env)
