"""The static facts of a game, in one frozen place: no other line of code repeats a size, a name or a bound."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np


def shown(options: Mapping[str, Any]) -> list[str]:
    """``name=value`` for each option, as messages and listings show them: of a long text only its size and checksum."""
    found = []
    for name, value in options.items():
        text = repr(value)
        if isinstance(value, str) and "\n" in value:
            text = f"<{len(value.splitlines())} lines, sha256 {hashlib.sha256(value.encode()).hexdigest()[:8]}>"
        found.append(f"{name}={text}")
    return found


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """``value``, if it is one of ``allowed``.

    :raises ValueError: naming the argument and what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: must be one of {', '.join(map(repr, allowed))}")
    return value


@dataclass(frozen=True)
class Option:
    """One option of a game: its default (whose type is the option's type), what is allowed, and a line of help."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    step: float | None = None
    read: Callable[[Any], str] | None = None
    """For an option that names a file: turns what is given into the content, always in the same form, which is then the
    option's value: specs, saved agents and records carry it, and no longer need the file. Content that it is given, it
    returns. Raises ValueError, with the reason, for what cannot be read."""

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.read is not None:
            return f"a file or {self.default!r}"
        if isinstance(self.default, bool):
            return "True or False"
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        kind = "a whole number" if isinstance(self.default, int) else f"a multiple of {self.step}"
        return f"{kind} from {self.low} to {self.high}"

    def check(self, value: Any) -> Any:
        """``value`` as a plain Python value of the option's type.

        :raises ValueError: naming the option, what was given and what is allowed.
        """
        if self.read is not None:
            try:
                return self.read(value)
            except ValueError as reason:
                raise ValueError(f"{self.name}: {reason}") from None
        error = ValueError(f"{self.name}={value!r}: must be {self.allowed}")
        kind = type(self.default)
        if kind is str:
            if not isinstance(value, str) or value not in self.choices:
                raise error
            return str(value)
        if isinstance(value, (bool, np.bool_)) != (kind is bool):
            raise error
        try:
            number = kind(value)
            if isinstance(value, str) or number != value:
                raise error
        except (TypeError, OverflowError, ValueError):
            raise error from None
        bounded = kind is not bool and self.low is not None and self.high is not None
        if bounded and (not self.low <= number <= self.high or (self.step and number % self.step)):
            raise error
        return number


@dataclass(frozen=True)
class Search:
    """Constants of the tree search (:mod:`starboard.search`), which each game sets by measurement."""

    exploration: float = 1.0
    """How much untried actions count beside those that proved good."""
    temperature: float = 0.1
    """How far the heuristic's guesses set actions apart: with a low one, few are tried."""
    scale: float | None = None
    """What the heuristic says is divided by this, and bounded by tanh; None: half of ``heuristic_scale``."""
    plies: int | None = 4
    """So many more are played once a simulation leaves the tree; None: to the end of the game."""
    heuristic: bool = True
    """Does it guess at actions, and choose in those plies, or is all that played at random?"""


def _seen_by_all(record: Any, action: int) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class GameSpec:
    """Everything that is fixed once a game and its options are chosen.

    Made by :meth:`Game.spec`, which returns the same object for the same options, so specs are compared with ``is``.
    """

    name: str
    """``"astralis"``: the name in the registry and on the command line."""
    version: int
    """Changes whenever a game with the same options could behave differently."""
    options: Mapping[str, Any]
    """All options with the values they have here, defaults included."""
    num_players: int
    params: np.ndarray
    """Read-only record array of shape (1,): options and tables as the kernels read them (``p`` is its one element)."""
    state_dtype: np.dtype
    """Structured dtype of the state ``s`` of one game; the same for all options."""
    num_actions: int
    """Size A of the ``Discrete`` action space."""
    max_legal: int
    """Room that a list of legal actions needs."""
    observation_high: np.ndarray
    """int8, shape of an observation: the greatest value of each entry, at least 1; the least is 0."""
    max_plies: int
    """No game has more actions than this."""
    describe_action: Callable[[Any, int], str]
    """``(record, action) -> text`` in the game's notation."""
    parse_action: Callable[[Any, str], int]
    """``(record, text) -> action``; raises ValueError for what is no action of this game. Legality is not checked."""
    final_info: Callable[[Any], dict[str, list[float]]]
    """``record -> facts`` per seat, such as scores, that stand in ``info`` when the game is over."""
    text: Callable[[Any, int | None], str]
    """``(record, viewer) -> a picture in characters`` with what seat ``viewer`` may not see left out; None sees all."""
    decode: Callable[[np.ndarray], np.ndarray]
    """An observation back to the state it shows, as a (1,) record array (see the game's page)."""
    svg: Callable[[Any, int | None, str], str] | None = None
    """``(record, viewer, theme) -> a picture as SVG``, with the same left out; for :func:`starboard.render.draw`."""
    is_secret: Callable[[Any, int], bool] = _seen_by_all
    """``(record, action) -> bool``: may only the seat to move know which action this is?"""
    grid: np.ndarray | None = None
    """int32 (cells, 2), for observations of shape (planes, cells): row and column of each cell on a rectangle on which
    neighbours lie next to each other, so that networks can use convolutions."""
    grid_planes: int = 0
    """How many of the planes, the first ones, lie on the ``grid``; the others are numbers about the game as a whole."""
    heuristic_scale: float = 1.0
    """About the most that the game's heuristic (``evaluate``) says of a seat."""
    foresight: int = 0
    """How many plies ahead agents see (:mod:`starboard.foresight`). Whether they play better for it, measurement tells:
    one costs an answer of the heuristic for each legal action, two one for each reply to each."""
    foresight_deals: int = 1
    """How often what is hidden is dealt anew for that; the mean counts."""
    search: Search = Search()
    """Constants of the tree search."""
    zero_sum: bool = False
    """Do the seats' returns add up to zero at the end of every game?"""
    action_parts: np.ndarray | None = None
    """int32 (num_actions, F): what each action consists of. Networks score the parts and add them up, so that actions
    that have one in common learn together. Part ``k * cells + cell`` belongs to a cell of the ``grid``, for k below
    ``parts_per_cell``; higher numbers to none."""
    parts_per_cell: int = 0
    """How many parts each cell of the ``grid`` has."""

    @property
    def id(self) -> str:
        """``"astralis_v0"``."""
        return f"{self.name}_v{self.version}"

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation (dtype int8)."""
        return self.observation_high.shape

    @property
    def agents(self) -> list[str]:
        """PettingZoo's names of the seats: ``player_0``, ``player_1``, ..."""
        return [f"player_{seat}" for seat in range(self.num_players)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.name, dict(self.options))

    def __deepcopy__(self, memo: dict[int, Any]) -> GameSpec:
        return self

    def __repr__(self) -> str:
        return f"<{self.id}({', '.join(shown(self.options))})>"


def check_observation(observation: Any, high: np.ndarray) -> np.ndarray:
    """``observation`` as an array, if it is one of a game whose greatest values are ``high``: for ``spec.decode``.

    :raises ValueError: if it has another shape, other than whole numbers, or is out of bounds.
    """
    observation = np.asarray(observation)
    within = observation.dtype.kind in "iu" and observation.shape == high.shape
    if not within or (observation < 0).any() or (observation > high).any():
        raise ValueError(
            f"observation: has shape {observation.shape}; "
            f"must be one of this game (int8, shape {high.shape}, within the space's bounds)"
        )
    return observation


def check_spec(spec: Any) -> GameSpec:
    """``spec``, if it is one.

    :raises TypeError: saying how one is made.
    """
    if not isinstance(spec, GameSpec):
        raise TypeError(f"spec={spec!r}: must be a GameSpec, such as starboard.load('astralis', size=8)")
    return spec


def _load(name: str, options: dict[str, Any]) -> GameSpec:
    from starboard import registry

    return registry.load(name, **options)


@dataclass(frozen=True, eq=False)
class Game:
    """A game as a package offers it in the entry-point group ``starboard.games``: options to choose, then a spec."""

    name: str
    version: int
    summary: str
    """One line for listings."""
    options: tuple[Option, ...]
    build: Callable[..., GameSpec]
    """Makes the spec from a full set of checked options."""
    _specs: dict[tuple[Any, ...], GameSpec] = field(default_factory=dict, repr=False)

    def spec(self, **options: Any) -> GameSpec:
        """The spec for ``options``; those not given have their defaults.

        :raises TypeError: for an option that the game does not have.
        :raises ValueError: for a value that is not allowed; the message says what is.
        """
        known = {option.name: option for option in self.options}
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise TypeError(
                f"{self.name} has no option {', '.join(map(repr, unknown))}; its options are {', '.join(known)}"
            )
        values = {name: option.check(options.get(name, option.default)) for name, option in known.items()}
        key = tuple(values.values())
        if key not in self._specs:
            self._specs[key] = self.build(MappingProxyType(values))
        return self._specs[key]
