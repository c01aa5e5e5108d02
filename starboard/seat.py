"""One learner's seat at a game, the others played by opponents: a single-agent environment for Gymnasium.

One seat is one Markov decision process. The learner acts when its turn comes; what the others do until its next turn
is part of the environment, and whatever the learner is rewarded until then is the reward of its action. A game that
ends on an opponent's move ends the learner's episode with that reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from starboard import loops, registry
from starboard.aec import ILLEGAL, observation_box
from starboard.bots import Member, Player, Team, choose_actions, make_player
from starboard.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from starboard.render.picture import draw
from starboard.rng import mix, pick
from starboard.spec import GameSpec, check_spec, one_of
from starboard.state import as_action, as_actions, as_count, as_seed, pack, unpack, view

Opponent = str | Path | Player
SEATS = ("random", "alternate")

_MOST_RESTARTS = 1000
"""How many games in a row may end before the learner's first turn."""

# Streams of the seed, beside the games' own.
_OPPONENTS, _SEAT, _DRAW = 1 << 40, 2 << 40, 3 << 40


class SeatStep(NamedTuple):
    """What N learners see at their next turns. All arrays are new and never written again."""

    observations: np.ndarray
    """int8 (N, \\*observation shape), from the learner's point of view."""
    action_masks: np.ndarray
    """int8 (N, num_actions)."""
    rewards: np.ndarray
    """float64 (N,): the learner's own, from its action to its next turn or the end."""
    terminated: np.ndarray
    """bool (N,)"""
    truncated: np.ndarray
    """bool (N,)"""
    ended: np.ndarray
    """int64 (E,): games that ended, ascending."""
    final_observations: np.ndarray
    """int8 (E, \\*observation shape): the learner's last observation in each of ``ended``."""
    final_infos: list[dict[str, Any]]
    """E facts of the ended games: the game's own (such as scores), ``seat``, and ``illegal`` after an illegal move."""


class SeatGames:
    """N games with one learner in each: what the Gymnasium and stable-baselines3 environments below are made of.

    :param spec: the game and its options.
    :param num_games: N.
    :param opponent: who plays the other seats: a name (``"random"``, ``"greedy"``), the file of a saved agent, a
        callable ``(observations, action_masks) -> actions`` over a batch, or a sequence of these, from which each
        other seat of each episode draws one.
    :param seat: the learner's seat: a number, ``"alternate"`` (the next one with each episode; game i starts with seat
        i) or ``"random"``.
    :param illegal: ``"terminate"``: an illegal action ends the episode with reward -1. ``"raise"``: ValueError.
    :param seed: whole number in ``0 .. 2**64 - 1``; None draws one. Drives the games, the seats, the draw of opponents,
        and the opponents that are given by name or file.
    :param autoreset: start the next game in the step that ends one.
    :param shaping: weight of a second reward, for learning faster: the change, since the learner's last turn, of what
        the game's heuristic says of its seat, as a share of ``spec.heuristic_scale``. With 0 rewards are the game's
        alone.
    """

    def __init__(
        self,
        spec: GameSpec,
        num_games: int,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = "random",
        illegal: str = "terminate",
        seed: int | None = None,
        autoreset: bool = True,
        shaping: float = 0.0,
    ) -> None:
        if isinstance(seat, (bool, float)):
            raise ValueError(f"seat={seat!r}: must be a number of a seat, or one of {', '.join(map(repr, SEATS))}")
        if not 0 <= shaping < np.inf:
            raise ValueError(f"shaping={shaping!r}: must be a number, at least 0")
        num_games = as_count("num_envs", num_games)
        self.spec = check_spec(spec)
        self.num_games = num_games
        self.seat: int | str = one_of("seat", seat, (*SEATS, *range(spec.num_players)))
        self.illegal: str = one_of("illegal", illegal, ILLEGAL)
        self.autoreset = autoreset
        self.shaping = shaping / spec.heuristic_scale
        self._named: list[Opponent] = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent]  # type: ignore[list-item]
        if not self._named:
            raise ValueError("opponent: must name at least one player")
        self.records = np.zeros(num_games, spec.state_dtype)
        self.seats = np.zeros(num_games, np.int64)
        """int64 (N,): the learner's seat in each game."""
        self.drawn = np.zeros((num_games, spec.num_players), np.int64)
        """int64 (N, num_players): which of ``opponents`` plays each seat that is not the learner's."""
        self.episodes = np.zeros(num_games, np.int64)
        self._all = np.arange(num_games)
        self._ready = False
        """False before the first reset, and where an opponent failed in the middle of a step."""
        self.action_masks = np.zeros((num_games, spec.num_actions), np.int8)
        """int8 (N, num_actions): what is legal for the learners now."""
        self.values = np.zeros(num_games)
        """float64 (N,): what the heuristic says of the learners' seats, kept where there is shaping."""
        self._seed_all(seed)

    def _seed_all(self, seed: int | None) -> None:
        self.seed = as_seed(seed)
        self.opponents = [
            make_player(player, self.spec, int(mix(self.seed, _OPPONENTS, k))) for k, player in enumerate(self._named)
        ]
        self._deciders, self._decider, self._member = _deciders(self.opponents)
        self.episodes[:] = 0

    def reset(self, seed: int | None = None) -> SeatStep:
        """Start all games anew: the first of the series that ``seed`` gives, or the next in the series."""
        self._ready = False
        if seed is not None:
            self._seed_all(seed)
        self._start(self._all)
        self._let_others_play(_Notes(self, silent=True))
        self._ready = True
        return self.look()

    def look(self) -> SeatStep:
        """The learners' turns as they stand, without playing.

        :raises RuntimeError: before the first :meth:`reset`, and after an opponent failed in the middle of a step.
        """
        self._check_ready()
        return self._seen(_Notes(self, silent=True))

    def render(self, renderer: Renderer, fps: float = RENDER_FPS) -> tuple[Any, ...]:
        """What ``renderer`` makes of each game, as its learner's seat sees it.

        :raises RuntimeError: as :meth:`look`.
        """
        self._check_ready()
        return tuple(
            renderer(record, seat, fps) for record, seat in zip(self.records, self.seats.tolist(), strict=True)
        )

    def _check_ready(self) -> None:
        if not self._ready:
            raise RuntimeError("reset() must be called first (also after an opponent failed in the middle of a step)")

    def _start(self, games: np.ndarray) -> None:
        """Begin the next episode of ``games``: position, the learner's seat, who plays the others."""
        players = self.spec.num_players
        for i in games.tolist():
            episode = int(self.episodes[i])
            if self.seat == "alternate":
                self.seats[i] = (i + episode) % players
            elif self.seat == "random":
                self.seats[i] = pick(self.seed, _SEAT + i, episode, players)
            else:
                self.seats[i] = self.seat
            if len(self.opponents) > 1:
                for seat in range(players):
                    self.drawn[i, seat] = pick(self.seed, _DRAW + i, episode * players + seat, len(self.opponents))
        loops.reset(self.spec.params, self.records, games, self.seed, self.episodes)

    def step(self, actions: Any) -> SeatStep:
        """Play the learners' ``actions`` (N whole numbers), then the others until each learner is to move again.

        :raises TypeError: if ``actions`` are not whole numbers.
        :raises ValueError: if there are not N of them, one is out of range, or illegal where ``illegal="raise"``.
            Nothing changes then.
        :raises RuntimeError: before the first :meth:`reset`, and after an opponent failed in the middle of a step.
        """
        self._check_ready()
        actions = as_actions(actions, self.num_games)
        notes = _Notes(self)
        games = self._all
        if loops.first_illegal(self.action_masks, actions) >= 0:
            outside = (actions < 0) | (actions >= self.spec.num_actions)
            if outside.any():
                raise ValueError(f"actions: {actions[outside.argmax()]} is not in 0 .. {self.spec.num_actions - 1}")
            illegal = self.action_masks[games, actions] == 0
            if self.illegal == "raise":
                i = illegal.argmax()
                raise ValueError(f"actions[{i}]={actions[i]}: is illegal there; the action masks show what is legal")
            lost, games = games[illegal], games[~illegal]
            notes.rewards[lost] = -1.0
            notes.terminated[lost] = True
            notes.end(lost, illegal=True)
            if self.autoreset:
                self._ready = False
                self._start(lost)
        self._ready = False
        self._play(games, actions[games], notes)
        self._let_others_play(notes)
        self._ready = True
        return self._seen(notes)

    def _play(self, games: np.ndarray, actions: np.ndarray, notes: _Notes) -> None:
        """Play one action in each of ``games``, note what it brings, and start those that end anew."""
        rewards = np.empty((len(games), self.spec.num_players))
        terminated, truncated = np.empty((2, len(games)), np.bool_)
        loops.play(self.spec.params, self.records, games, actions, rewards, terminated, truncated)
        over = terminated | truncated
        if not over.any():  # returns are zeros until the end
            return
        ended = games[over]
        # A game that ends a second time before the learner's turn came is no episode of the learner's.
        first = ~notes.done[ended]
        episode = ended[first]
        notes.rewards[episode] = rewards[over][first, self.seats[episode]]
        notes.terminated[episode], notes.truncated[episode] = terminated[over][first], truncated[over][first]
        notes.end(episode)
        if self.autoreset or notes.silent:
            self._start(ended)

    def _let_others_play(self, notes: _Notes) -> None:
        """Let the other seats play until each game is over or at its learner's turn."""
        waiting = np.empty(self.num_games, np.int64)
        movers = np.empty(self.num_games, np.int64)
        last = self.episodes + _MOST_RESTARTS
        while n := loops.waiting(self.records, self.seats, waiting, movers):
            if (self.episodes > last).any():
                raise RuntimeError(f"with {self.spec!r} games end before the learner's first turn, again and again")
            games = waiting[:n].copy()
            self._play(games, self._chosen(games, self.drawn[games, movers[:n]]), notes)

    def _chosen(self, games: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """int64 (N,): what the opponents ``drawn``, one for each of ``games``, play there."""
        observations, masks = view(self.spec, self.records, games)
        who, decider = self._member[drawn], self._decider[drawn]
        if (decider == decider[0]).all():
            player = self._deciders[decider[0]]
            return choose_actions(player, self.records, games, observations, masks, who)
        actions = np.empty(len(games), np.int64)
        for k, player in enumerate(self._deciders):
            rows = np.flatnonzero(decider == k)
            if len(rows):
                seen = observations[rows], masks[rows]
                actions[rows] = choose_actions(player, self.records, games[rows], *seen, who[rows])
        return actions

    def _seen(self, notes: _Notes) -> SeatStep:
        """What the learners see now, and what was noted on the way."""
        observations, masks = view(self.spec, self.records, self._all)
        self.action_masks = masks
        if self.shaping:
            values = self.evaluate(self._all)
            going = ~notes.done
            notes.rewards[going] += self.shaping * (values - self.values)[going]
            self.values = values
        ended = np.array(sorted(notes.finals), np.int64)
        finals = [notes.finals[game] for game in ended.tolist()]
        return SeatStep(
            observations,
            masks,
            notes.rewards,
            notes.terminated,
            notes.truncated,
            ended,
            np.array([observation for observation, _ in finals], np.int8).reshape(-1, *self.spec.observation_shape),
            [info for _, info in finals],
        )

    def evaluate(self, games: np.ndarray) -> np.ndarray:
        """float64: what the game's heuristic says of the learner's seat in each of ``games``."""
        values = np.empty(len(games))
        loops.evaluate(self.spec.params, self.records, games, self.seats[games], values)
        return values

    def to_bytes(self) -> bytes:
        """Games, seats, draws and generators, for :meth:`from_bytes`; but nothing that opponents remember."""
        return pack(
            self.spec,
            self.records,
            seed=int(self.seed),
            seats=self.seats.tolist(),
            drawn=self.drawn.tolist(),
            episodes=self.episodes.tolist(),
            calls=self._calls(),
        )

    def from_bytes(self, data: bytes) -> None:
        """Go on from where :meth:`to_bytes` was called, with the opponents that these games have.

        :raises ValueError: if ``data`` is damaged, of another game, or of another number of games or opponents; nothing
            changes then.
        """
        records, facts = unpack(self.spec, data)
        try:
            seats, drawn, episodes = (np.array(facts[name], np.int64) for name in ("seats", "drawn", "episodes"))
            seed, calls = np.uint64(facts["seed"]), list(facts["calls"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError("data: is a game, but not saved seats") from error
        shapes = seats.shape, drawn.shape, episodes.shape
        if shapes != (self.seats.shape, self.drawn.shape, self.episodes.shape) or len(calls) != len(self.opponents):
            raise ValueError("data: is of another number of games or opponents")
        self._seed_all(int(seed))
        self.records, self.seats, self.drawn, self.episodes = records, seats, drawn, episodes
        for player, count in zip(self.opponents, calls, strict=True):
            if count is not None:
                player.calls = count  # type: ignore[attr-defined]
        self._ready = True
        self.look()

    def _calls(self) -> list[int | None]:
        """How often those bots were asked whose next random numbers depend on it."""
        return [
            getattr(player, "calls", None) if isinstance(name, str) else None
            for name, player in zip(self._named, self.opponents, strict=True)
        ]


def _deciders(opponents: Sequence[Player]) -> tuple[list[Player | Team], np.ndarray, np.ndarray]:
    """Whom to ask, a team once; for each of ``opponents`` its number among these, and its own in its team."""
    asked: dict[int, Player | Team] = {}
    deciders, members = [], []
    for k, player in enumerate(opponents):
        key, member = -k, 0
        if isinstance(player, Member):
            key, member = id(player.team), player.number
        asked.setdefault(key, player.team if isinstance(player, Member) else player)
        deciders.append(list(asked).index(key))
        members.append(member)
    return list(asked.values()), np.array(deciders), np.array(members)


class _Notes:
    """What happens between a learner's action and its next turn, in N games."""

    def __init__(self, games: SeatGames, silent: bool = False) -> None:
        self._games = games
        self.silent = silent
        self.rewards = np.zeros(games.num_games)
        self.terminated, self.truncated = np.zeros((2, games.num_games), np.bool_)
        self.done = np.full(games.num_games, silent)
        """Games whose episode has ended since the action."""
        self.finals: dict[int, tuple[np.ndarray, dict[str, Any]]] = {}
        """The learner's last observation and the facts of each game that ended."""

    def end(self, ended: np.ndarray, illegal: bool = False) -> None:
        """Keep what the learners of ``ended`` saw last, before the games are started anew."""
        if not len(ended):
            return
        games = self._games
        self.done[ended] = True
        if games.shaping:
            self.rewards[ended] += games.shaping * (games.evaluate(ended) - games.values[ended])
        observations = np.empty((len(ended), *games.spec.observation_shape), np.int8)
        loops.observe(games.spec.params, games.records, ended, games.seats[ended], observations.reshape(len(ended), -1))
        for game, observation in zip(ended.tolist(), observations, strict=True):
            info = {**games.spec.final_info(games.records[game]), "seat": int(games.seats[game])}
            self.finals[game] = observation, {**info, "illegal": True} if illegal else info


class SeatEnv(gymnasium.Env):
    """One learner's seat as a Gymnasium environment.

    ``gymnasium.make("astralis_envs/Astralis-v0", opponent="greedy")`` makes one. Observations are the planes alone
    (int8); the mask of legal actions is :meth:`action_masks` and ``info["action_mask"]``. Rewards are the learner's
    own. At the end ``info`` has the game's facts, such as scores.

    :param game: name of the game, or its spec.
    :param opponent: see :class:`SeatGames`, as for ``seat`` and ``illegal``.
    :param render_mode: None, ``"ansi"`` (``render()`` returns text), ``"rgb_array"`` (uint8, height x width x 3) or
        ``"human"`` (a window shows each turn of the learner's, ``metadata["render_fps"]`` a second). All show what the
        learner's seat may see.
    :param options: the game's options.
    :raises RuntimeError: with ``render_mode="human"``, if there is no display.
    :raises ModuleNotFoundError: likewise, without the extra ``render``.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        game: str | GameSpec,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = "random",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game_spec = registry.resolve(game, options)
        self.render_mode: str | None = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.observation_space = observation_box(self.game_spec.observation_high)
        self.action_space = spaces.Discrete(self.game_spec.num_actions)
        self.games = SeatGames(self.game_spec, 1, opponent, seat, illegal, autoreset=False)
        self._renderer = Renderer(self.game_spec, render_mode)
        self._over = True

    @property
    def record(self) -> np.void:
        """The game's record, a view."""
        return self.games.records[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a new episode; ``options`` are accepted because the API has them."""
        super().reset(seed=seed)
        now = self.games.reset(seed)
        self._over = False
        if self.render_mode == "human":
            self.render()
        return now.observations[0], {"action_mask": now.action_masks[0], "seat": int(self.games.seats[0])}

    def action_masks(self) -> np.ndarray:
        """bool (num_actions,): True where the learner's action is legal; all False after the end."""
        return self.games.action_masks[0].astype(np.bool_) & (not self._over)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play ``action``, then the others until the learner is to move again.

        :raises TypeError: if ``action`` is not a whole number.
        :raises ValueError: if it is out of range, or illegal where ``illegal="raise"``.
        :raises RuntimeError: before the first ``reset`` and after the end.
        """
        if self._over:
            raise RuntimeError("the episode is over, or has not begun: call reset() first")
        now = self.games.step([as_action(action, self.game_spec.num_actions)])
        self._over = bool(now.terminated[0] or now.truncated[0])
        info = {"action_mask": now.action_masks[0], "seat": int(self.games.seats[0])}
        if self._over:
            info = {**info, **now.final_infos[0], "action_mask": np.zeros_like(now.action_masks[0])}
        observation = now.final_observations[0] if self._over else now.observations[0]
        if self.render_mode == "human":
            self.render()
        return observation, float(now.rewards[0]), bool(now.terminated[0]), bool(now.truncated[0]), info

    def render(self) -> Any:
        """The position as the learner's seat sees it: a text, uint8 (height, width, 3), or None, by the render mode.

        :raises RuntimeError: before the first ``reset``.
        :raises ModuleNotFoundError: with ``render_mode="rgb_array"``, without the extra ``render``.
        """
        return self.games.render(self._renderer, self.metadata["render_fps"])[0]

    def _repr_svg_(self) -> str | None:
        """For notebooks: the position as the learner's seat sees it."""
        return draw(self.game_spec, self.record, int(self.games.seats[0])) if self.games._ready else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


class SeatVectorEnv(VectorEnv):
    """N learners' seats, stepped together: ``gymnasium.make_vec("astralis_envs/Astralis-v0", num_envs=64)``.

    Games start anew in the step that ends them (``AutoresetMode.SAME_STEP``): ``infos["final_obs"]`` and
    ``infos["final_info"]`` hold what they ended with. ``infos["action_mask"]`` is int8 (N, num_actions). Arrays that
    were handed out are never written again.

    :param num_envs: N.
    :param opponent: see :class:`SeatGames`, as for the others.
    :param render_mode: None, or one with which ``render()`` returns a tuple of N: ``"ansi"`` texts, ``"rgb_array"``
        uint8 (height, width, 3).
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str | GameSpec,
        num_envs: int = 1,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | str = "random",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game_spec = registry.resolve(game, options)
        self.render_mode = one_of("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self._renderer = Renderer(self.game_spec, render_mode)
        self.games = SeatGames(self.game_spec, num_envs, opponent, seat, illegal)
        self.num_envs = num_envs
        self.single_observation_space = observation_box(self.game_spec.observation_high)
        self.single_action_space = spaces.Discrete(self.game_spec.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start all games anew. One whole number seeds all of them."""
        super().reset(seed=seed)
        now = self.games.reset(seed)
        return now.observations, self._infos(now)

    def _infos(self, now: SeatStep) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        infos = {
            "action_mask": now.action_masks,
            "_action_mask": everywhere,
            "seat": self.games.seats.copy(),
            "_seat": everywhere.copy(),
        }
        for game, observation, info in zip(now.ended.tolist(), now.final_observations, now.final_infos, strict=True):
            arrays = {key: np.array(value) if isinstance(value, list) else value for key, value in info.items()}
            infos = self._add_info(infos, {"final_obs": observation, "final_info": arrays}, game)
        return infos

    def action_masks(self) -> np.ndarray:
        """bool (N, num_actions): True where the learner's action is legal."""
        return self.games.action_masks.astype(np.bool_)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play N actions, then the others until each learner is to move again. Errors: :meth:`SeatGames.step`."""
        now = self.games.step(actions)
        return now.observations, now.rewards, now.terminated, now.truncated, self._infos(now)

    def render(self) -> tuple[Any, ...] | None:
        """The positions as the learners see them; where a game ended, the next one's first.

        :raises RuntimeError: before the first ``reset``.
        :raises ModuleNotFoundError: with ``render_mode="rgb_array"``, without the extra ``render``.
        """
        if self.render_mode is None:
            return None
        return self.games.render(self._renderer)


def register_gymnasium(env_id: str, game: str) -> None:
    """Register ``game`` with Gymnasium under ``env_id``, for ``gymnasium.make`` and ``gymnasium.make_vec``."""
    gymnasium.register(
        env_id,
        entry_point="starboard.seat:SeatEnv",
        vector_entry_point="starboard.seat:SeatVectorEnv",
        kwargs={"game": game},
    )
