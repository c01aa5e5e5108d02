"""Games on record: written whole, checked when they are read, and played again from their seed and actions.

A file holds one game a line, as JSON with a checksum. ``docs/records.md`` explains each field.
"""

from __future__ import annotations

import errno
import json
import math
import operator
import os
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from starboard import dispatch, registry
from starboard.aec import BoardGameEnv
from starboard.bots import Player
from starboard.rng import mix
from starboard.spec import GameSpec, check_spec, shown
from starboard.state import GameState, as_seed, pack, view

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
ENDS = ("terminated", "truncated", "illegal")
"""How a game ended: by the rules, by something else, or by an illegal move (:class:`starboard.aec.BoardGameEnv`)."""

_TOP = 5  # so many of an agent's probabilities are kept
_HEAD = b'{"format":'
_FIELDS = ("format", "game", "version", "options", "seed", "names", "actions", "moves", "result")
_OPTIONAL = ("redeals", "probabilities")
_MOST_SHOWN = 60  # characters of a wrong value in a message
_BLOCK = 4096  # bytes read at a time in search of the last line


class Redeal(NamedTuple):
    """All that a seat could not see was dealt anew in the middle of a game, as ``undo`` does in the terminal."""

    ply: int
    """The number of actions before it."""
    seat: int
    seed: int
    """As :meth:`starboard.state.GameState.resampled` takes it."""


@dataclass(frozen=True)
class GameRecord:
    """One finished game. :meth:`of` makes it from what was played."""

    game: str
    """``"astralis"``"""
    version: int
    options: Mapping[str, Any]
    """All of the game's options as plain values; of one that is a file, the content."""
    seed: int
    """What the kernel ``init`` was given: with the actions, all that it takes to play the game again."""
    names: tuple[str, ...]
    """Who played each seat."""
    actions: tuple[int, ...]
    moves: tuple[str, ...]
    """The actions in the game's notation."""
    returns: tuple[float, ...]
    """Each seat's."""
    end: str
    """One of :data:`ENDS`."""
    illegal: int | None = None
    """The illegal action that ended the game, which is none of ``actions``."""
    redeals: tuple[Redeal, ...] = ()
    probabilities: tuple[Mapping[int, float] | None, ...] | None = None
    """What the mover thought of each ply: ``action -> probability`` of the likeliest few, None where none is known."""

    @classmethod
    def of(
        cls,
        spec: GameSpec,
        seed: int,
        actions: Sequence[int],
        names: Sequence[str] | None = None,
        *,
        illegal: int | None = None,
        redeals: Sequence[Redeal] = (),
        probabilities: Sequence[Mapping[int, float] | None] | None = None,
    ) -> GameRecord:
        """The record of a game that was played: it is played again, which gives moves and result.

        >>> import starboard
        >>> spec = starboard.load("astralis", size=3, stall_limit=2)
        >>> state = GameState(spec, seed=0)
        >>> actions = [state.parse(move) for move in ("e2", "a2", "d2", "b2")]
        >>> game = GameRecord.of(spec, start_seed(0), actions, ["Ada", "Grace"])
        >>> game.moves, game.returns, game.end
        (('e2', 'a2', 'd2', 'b2'), (-1.0, 1.0), 'terminated')

        :param seed: what the kernel ``init`` was given, see :func:`start_seed`.
        :param names: of the players, seat by seat; None takes ``player_0``, ``player_1``, ...
        :raises ValueError: if an action is illegal, if the game is not over, or for arguments that do not fit the game.
        """
        spec = check_spec(spec)
        names = _check_names(spec, names)
        redeals = tuple(Redeal(*redeal) for redeal in redeals)
        if probabilities is not None and len(probabilities) != len(actions):
            raise ValueError(f"probabilities: must be {len(actions)}, one for each action, not {len(probabilities)}")
        moves = []
        for ply, state in enumerate(_replayed(spec, seed, actions, redeals)):
            if ply < len(actions):
                moves.append(state.describe(actions[ply]))
                if probabilities is not None:
                    _check_probabilities(state, ply, probabilities[ply])
        returns, end = _result(state, illegal)
        return cls(
            game=spec.name,
            version=spec.version,
            options=dict(spec.options),
            seed=int(as_seed(seed)),
            names=names,
            actions=tuple(map(int, actions)),
            moves=tuple(moves),
            returns=tuple(returns),
            end=end,
            illegal=None if illegal is None else int(illegal),
            redeals=redeals,
            probabilities=None if probabilities is None else tuple(probabilities),
        )

    @property
    def plies(self) -> int:
        """How many actions were played."""
        return len(self.actions)

    @property
    def spec(self) -> GameSpec:
        """The game and its options.

        :raises ValueError: if it is not installed here, or in another version.
        """
        return _spec(self.game, self.version, self.options)


def start_seed(seed: int, game: int = 0, episode: int = 0) -> int:
    """What a loop that was given ``seed`` gives to the kernel ``init``.

    :class:`GameState(spec, seed) <starboard.state.GameState>` and ``env.reset(seed)`` start game 0 of episode 0; a
    :class:`starboard.batch.Batch` starts N games, each again and again, and an arena one for each pairing.
    """
    return int(mix(as_seed(seed), game, episode))


def positions(record: GameRecord) -> Iterator[GameState]:
    """The positions of a game: one before each action, and the last. Each is the caller's own.

    :raises ValueError: at the first action that is illegal, saying which.
    """
    for state in _replayed(record.spec, record.seed, record.actions, record.redeals):
        yield state.clone()


def verify(record: GameRecord) -> None:
    """Play the game again by the rules.

    :raises ValueError: if an action is illegal, or a move or the result is not what comes of the actions.
    """
    again = GameRecord.of(
        record.spec,
        record.seed,
        record.actions,
        record.names,
        illegal=record.illegal,
        redeals=record.redeals,
        probabilities=record.probabilities,
    )
    for ply, (found, move) in enumerate(zip(record.moves, again.moves, strict=True)):
        if found != move:
            raise ValueError(f"ply {ply}: action {record.actions[ply]} is {move!r}, not {found!r}")
    for name in ("end", "returns"):
        found, value = getattr(record, name), getattr(again, name)
        if found != value:
            raise ValueError(f"{name}: is {value!r} after these actions, not {found!r}")


def _start(spec: GameSpec, seed: int) -> GameState:
    records = np.zeros(1, spec.state_dtype)
    dispatch.kernel(spec.state_dtype, "init")(spec.params[0], records[0], as_seed(seed))
    return GameState.from_bytes(spec, pack(spec, records))


def _replayed(spec: GameSpec, seed: int, actions: Sequence[int], redeals: Sequence[Redeal]) -> Iterator[GameState]:
    """The game before each action, which is legal there, and at its end; the same object, unless it was dealt anew."""
    state = _start(spec, seed)
    waiting = list(redeals)
    for ply in range(len(actions) + 1):
        while waiting and waiting[0].ply == ply:
            _, seat, redeal_seed = waiting.pop(0)
            state = state.resampled(seat, redeal_seed)
        if ply < len(actions):
            try:
                state.check(actions[ply])
            except (ValueError, TypeError, RuntimeError) as error:
                raise ValueError(f"ply {ply}: {error}") from None
        yield state
        if ply < len(actions):
            state.step_unchecked(int(actions[ply]))
    if waiting:
        raise ValueError(f"redeals: {waiting[0]} is out of order, or after the end, for there are {len(actions)} plies")


def _result(state: GameState, illegal: int | None) -> tuple[list[float], str]:
    """Returns and kind of end of the game that stands at ``state``, ended by the action ``illegal`` if there is one."""
    if illegal is None:
        if not state.over:
            raise ValueError(f"actions: the game is not over after these {state.record['ply']}")
        return state.returns().tolist(), "terminated" if state.terminated else "truncated"
    if state.over or not 0 <= illegal < state.spec.num_actions or state.mask[illegal]:
        raise ValueError(f"illegal={illegal!r}: must be an action that is illegal at the end of the others")
    return [-1.0 if seat == state.to_move else 0.0 for seat in range(state.spec.num_players)], "illegal"


def _check_names(spec: GameSpec, names: Sequence[str] | None) -> tuple[str, ...]:
    found = tuple(spec.agents if names is None else names)
    if len(found) != spec.num_players or not all(isinstance(name, str) for name in found):
        raise ValueError(f"names={names!r}: must be {spec.num_players} texts, one for each seat")
    return found


def _check_probabilities(state: GameState, ply: int, found: Mapping[int, float] | None) -> None:
    for action, probability in (found or {}).items():
        if not 0 <= action < state.spec.num_actions or not state.mask[action] or not 0 <= probability <= 1:
            raise ValueError(
                f"probabilities: at ply {ply}, {action}: {probability!r} is not a legal action and a number from 0 to 1"
            )


class Recorder:
    """Appends games to a file. Each is on the disk's side of the system when :meth:`append` returns.

    The file is opened for each game anew, and locked where the system can, so that several processes can write to one.
    What a kill in the middle of a game left at its end is removed, with a warning.

    >>> recorder = Recorder("games.jsonl")  # doctest: +SKIP
    >>> recorder.append(game)  # doctest: +SKIP

    :param path: the file; made if there is none.
    :raises ValueError: if the file holds something else; it is left as it is.
    :raises OSError: if it cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        with self._opened():
            pass

    def append(self, record: GameRecord) -> None:
        """Write one game: its line is in the file whole, or not at all unless the machine stops.

        :raises OSError: if it cannot be written, such as on a full disk; the games before it stay.
        """
        line = to_line(record)
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END)
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            except BaseException:
                file.truncate(end)
                raise

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        # Unbuffered, so that a line is one call to the system, which a kill does not cut in two.
        with self.path.open("a+b", buffering=0) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            self._mend(file)
            yield file

    def _mend(self, file: IO[bytes]) -> None:
        """Remove the beginning of a line at the end of the file."""
        file.seek(0)
        head = file.read(len(_HEAD))
        if not _HEAD.startswith(head):
            raise ValueError(f"{self.path}: holds something else than games; choose another file")
        end = start = file.seek(0, os.SEEK_END)
        tail = b""
        while start and b"\n" not in tail:
            start = max(0, start - _BLOCK)
            file.seek(start)
            tail = file.read(end - start)
        whole = start + tail.rfind(b"\n") + 1
        if whole < end:
            warnings.warn(f"{self.path}: its last line was cut short; it is removed", RuntimeWarning, 5)
            file.truncate(whole)


def to_line(record: GameRecord) -> bytes:
    """``record`` as a line of a file: JSON, the checksum of all before it last."""
    result: dict[str, Any] = {"returns": list(record.returns), "plies": record.plies, "end": record.end}
    if record.illegal is not None:
        result["illegal"] = record.illegal
    facts: dict[str, Any] = {
        "format": FORMAT,
        "game": record.game,
        "version": record.version,
        "options": dict(record.options),
        "seed": record.seed,
        "names": record.names,
        "actions": record.actions,
        "moves": record.moves,
        "result": result,
    }
    if record.redeals:
        facts["redeals"] = record.redeals
    if record.probabilities is not None:
        facts["probabilities"] = [None if found is None else dict(found) for found in record.probabilities]
    content = json.dumps(facts, separators=(",", ":"), allow_nan=False)[:-1].encode()
    return b'%s,"crc32":"%08x"}\n' % (content, zlib.crc32(content))


def read(path: str | Path) -> Iterator[GameRecord]:
    """The games of a file, in their order, those before a fault included.

    What is altered or cut short is noticed. Whether the games keep to the rules, :func:`verify` says.

    :raises FileNotFoundError: if there is no such file.
    :raises ValueError: at the first line that is damaged, or of a game that is not installed here as it was played;
        the message says which line, and what is wrong.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                record = from_line(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            yield record


def from_line(line: bytes) -> GameRecord:
    """The game of one line of a file.

    :raises ValueError: saying what is wrong.
    """
    if not line.endswith(b"\n"):
        raise ValueError("is cut short")
    content, _, end = line.rpartition(b',"crc32":')
    if end != b'"%08x"}\n' % zlib.crc32(content):
        raise ValueError(
            "is damaged (its checksum does not match)" if line.startswith(_HEAD) else "is not a game, or damaged"
        )
    try:
        facts = json.loads(content + b"}")
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    return _record(facts)


def _record(facts: Any) -> GameRecord:
    """The record of what a line holds."""
    form = facts.get("format") if isinstance(facts, dict) else None
    if form != FORMAT or type(form) is not int:
        raise ValueError(f"has format {_short(form)}; this release reads {FORMAT}")
    missing = [name for name in _FIELDS if name not in facts]
    unknown = [name for name in facts if name not in (*_FIELDS, *_OPTIONAL)]
    if missing or unknown:
        raise ValueError(f"fields: {', '.join(missing) or 'none'} missing, {', '.join(unknown) or 'none'} unknown")
    game, number, options = _text("game", facts["game"]), _whole("version", facts["version"]), facts["options"]
    if not isinstance(options, dict):
        raise ValueError(f"options={_short(options)}: must be an object")
    spec = _spec(game, number, options)
    actions = _list("actions", facts["actions"], _whole, most=spec.num_actions - 1)
    if len(actions) > spec.max_plies:
        raise ValueError(f"actions: are {len(actions)}; no game has more than {spec.max_plies}")
    result = facts["result"]
    if not isinstance(result, dict) or not {"returns", "plies", "end"} <= result.keys() <= {
        "returns",
        "plies",
        "end",
        "illegal",
    }:
        raise ValueError(
            f"result={_short(result)}: must have returns, plies and end, and illegal after an illegal move"
        )
    if result["end"] not in ENDS or (result["end"] == "illegal") != ("illegal" in result):
        raise ValueError(
            f"end={_short(result['end'])}: must be one of {', '.join(ENDS)}, the last with illegal beside it"
        )
    if result["plies"] != len(actions):
        raise ValueError(f"plies={_short(result['plies'])}: there are {len(actions)} actions")
    seats = spec.num_players
    probabilities = facts.get("probabilities")
    if probabilities is not None:
        probabilities = _list("probabilities", probabilities, _probabilities, len(actions))
    return GameRecord(
        game=game,
        version=number,
        options=options,
        seed=_whole("seed", facts["seed"]),
        names=_list("names", facts["names"], _text, seats),
        actions=actions,
        moves=_list("moves", facts["moves"], _text, len(actions)),
        returns=_list("returns", result["returns"], _number, seats),
        end=result["end"],
        illegal=_whole("illegal", result["illegal"], spec.num_actions - 1) if "illegal" in result else None,
        redeals=_list("redeals", facts.get("redeals", []), _redeal, seats=seats),
        probabilities=probabilities,
    )


def _spec(game: str, number: int, options: Mapping[str, Any]) -> GameSpec:
    try:
        spec = registry.load(game, **options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"is a game that is not installed here: {error}") from None
    if spec.version != number:
        raise ValueError(f"was played by the rules of {game}_v{number}; installed is {spec.id}")
    if dict(spec.options) != dict(options):
        raise ValueError(f"options: must be all of the game's, as {', '.join(shown(spec.options))}")
    return spec


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def _whole(name: str, value: Any, most: int = 2**64 - 1) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{name}={_short(value)}: must be a whole number from 0 to {most}")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}={_short(value)}: must be a text")
    return value


def _number(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{name}={_short(value)}: must be a number")
    return float(value)


def _list(name: str, values: Any, check: Any, length: int | None = None, **limits: int) -> tuple[Any, ...]:
    if not isinstance(values, list) or length not in (None, len(values)):
        raise ValueError(f"{name}={_short(values)}: must be a list" + f" of {length}" * (length is not None))
    return tuple(check(name, value, **limits) for value in values)


def _redeal(name: str, value: Any, seats: int) -> Redeal:
    ply, seat, seed = _list(name, value, _whole, 3)
    return Redeal(ply, _whole(f"{name}: seat", seat, seats - 1), seed)


def _probabilities(name: str, value: Any) -> dict[int, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(action.isdecimal() for action in value):
        raise ValueError(f"{name}={_short(value)}: must be null, or actions with their probabilities")
    return {int(action): _number(name, probability) for action, probability in value.items()}


def likeliest(player: Player, observations: np.ndarray, action_masks: np.ndarray) -> list[dict[int, float] | None]:
    """What ``player`` thinks of N decisions: the likeliest few actions of each and their probabilities.

    None for players that cannot tell: those without a method ``probabilities(observations, action_masks)``, which gives
    (N, num_actions) and changes nothing, as that of :class:`starboard.agents.Agent`.
    """
    ask = getattr(player, "probabilities", None)
    if ask is None:
        return [None] * len(observations)
    found: list[dict[int, float] | None] = []
    for row in np.asarray(ask(observations, action_masks)):
        top = np.argsort(-row, kind="stable")[:_TOP]
        found.append({int(action): round(float(row[action]), 4) for action in top if row[action] > 0})
    return found


class GamesLog:
    """Writes games down that are played side by side, each when it ends.

    :param path: of the file, as for :class:`Recorder`.
    :param seeds: what the kernel ``init`` was given, game by game.
    :param names: of the players, game by game and seat by seat.
    """

    def __init__(self, path: str | Path, spec: GameSpec, seeds: Sequence[int], names: Sequence[Sequence[str]]) -> None:
        self._recorder = Recorder(path)
        self._spec, self._seeds, self._names = spec, seeds, names
        self._actions: list[list[int]] = [[] for _ in seeds]
        self._thoughts: list[list[dict[int, float] | None]] = [[] for _ in seeds]

    def play(self, player: Player, records: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        """``player`` is about to play ``actions[j]`` in ``records[games[j]]``."""
        thoughts: list[dict[int, float] | None] = [None] * len(games)
        if hasattr(player, "probabilities"):
            thoughts = likeliest(player, *view(self._spec, records, games))
        for game, action, thought in zip(games.tolist(), actions.tolist(), thoughts, strict=True):
            self._actions[game].append(action)
            self._thoughts[game].append(thought)

    def end(self, games: np.ndarray) -> None:
        """``games`` have ended: they are written down."""
        for game in games.tolist():
            actions, thoughts = self._actions[game], self._thoughts[game]
            probabilities = thoughts if any(thoughts) else None
            self._recorder.append(
                GameRecord.of(self._spec, self._seeds[game], actions, self._names[game], probabilities=probabilities)
            )
            self._actions[game], self._thoughts[game] = [], []


class RecordingWrapper(BaseWrapper):
    """What :func:`record` makes of an environment."""

    def __init__(self, env: AECEnv, path: str | Path, names: Sequence[str] | None) -> None:
        if not isinstance(env, AECEnv) or not isinstance(env.unwrapped, BoardGameEnv):
            raise TypeError(f"env={env!r}: must be an environment of this library, such as astralis_v0.env()")
        super().__init__(env)
        self._names = _check_names(env.unwrapped.spec, names)
        self._recorder = Recorder(path)
        self._game: GameState | None = None
        self._actions: list[int] = []

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. One that is not over is forgotten."""
        self.env.reset(seed=seed, options=options)
        self._game, self._actions = self.env.unwrapped.game, []

    def step(self, action: Any) -> None:
        """Play ``action``; write the game down if it is over then."""
        game = self._under_way()
        if game is None:
            self.env.step(action)
            return
        mask, bare = game.mask, self.env.unwrapped
        self.env.step(action)
        index = operator.index(action)
        if mask[index]:
            self._actions.append(index)
        if not mask[index] or game.over:
            illegal = None if mask[index] else index
            made = GameRecord.of(bare.spec, bare.start_seed, self._actions, self._names, illegal=illegal)
            self._recorder.append(made)

    def _under_way(self) -> GameState | None:
        """The game that is being recorded, until it is over."""
        game, bare = self._game, self.env.unwrapped
        # Changed on the bare environment, it is no longer what comes of its seed and actions.
        if game is None or game is not bare.game or game.record["ply"] != len(self._actions):
            return None
        flags = [*bare.terminations.values(), *bare.truncations.values()]
        return None if any(flags) or not flags else game  # none are left when all agents are gone

    def _repr_svg_(self) -> str | None:
        return self.env._repr_svg_()


def record(env: AECEnv, path: str | Path, names: Sequence[str] | None = None) -> RecordingWrapper:
    """``env``, with every game that ends in it written down in the file ``path``.

    A game that ends by an illegal move is written, too; one that ``reset`` breaks off is not, nor is one that was
    changed on the bare environment, such as by ``from_bytes``.

    >>> from astralis_envs import astralis_v0  # doctest: +SKIP
    >>> env = record(astralis_v0.env(), "games.jsonl", names=["Ada", "Grace"])  # doctest: +SKIP

    :param env: what ``env()`` or ``raw_env()`` of a game returned.
    :param path: of the file, as for :class:`Recorder`.
    :param names: of the players, seat by seat; None takes ``player_0``, ``player_1``, ...
    :raises TypeError: if ``env`` is another environment.
    :raises ValueError: for wrong names, or if the file holds something else than games.
    """
    return RecordingWrapper(env, path, names)
