"""One game in Python: checked calls around the kernels, without an agent loop."""

from __future__ import annotations

import json
import operator
import zlib
from functools import cache
from typing import Any, Self

import numpy as np

from starboard import loops
from starboard.spec import GameSpec, check_spec, shown

FRESH = np.zeros(1, np.int64)  # index of the only game


def as_action(action: Any, num_actions: int) -> int:
    """``action`` as an ``int`` in ``0 .. num_actions - 1``.

    :raises TypeError: if it is not a whole number (an ``int`` or a NumPy integer).
    :raises ValueError: if it is out of range.
    """
    try:
        if isinstance(action, (bool, np.bool_)):
            raise TypeError
        index = operator.index(action)
    except TypeError:
        raise TypeError(f"action={action!r}: must be an int or a NumPy integer, not {type(action).__name__}") from None
    if not 0 <= index < num_actions:
        raise ValueError(f"action={index}: must be in 0 .. {num_actions - 1}")
    return index


def as_actions(actions: Any, count: int) -> np.ndarray:
    """``actions`` as int64 (count,).

    :raises TypeError: if they are not whole numbers.
    :raises ValueError: if there are not ``count`` of them.
    """
    array = np.asarray(actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions: must be whole numbers, not {array.dtype}")
    if array.shape != (count,):
        raise ValueError(f"actions: must have shape ({count},), not {array.shape}")
    return array.astype(np.int64)


def as_count(name: str, value: Any) -> int:
    """``value`` as an ``int``.

    :raises ValueError: naming the argument, if it is not a whole number, at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name}={value!r}: must be a whole number, at least 1")
    return int(value)


def as_seed(seed: Any) -> np.uint64:
    """``seed`` as uint64; None draws one from the operating system.

    :raises ValueError: if it is not a whole number in ``0 .. 2**64 - 1``.
    """
    if seed is None:
        return np.random.SeedSequence().generate_state(1, np.uint64)[0]
    try:
        if isinstance(seed, (bool, np.bool_)):
            raise TypeError
        return np.uint64(operator.index(seed))
    except (TypeError, OverflowError):
        raise ValueError(f"seed={seed!r}: must be None or a whole number from 0 to 2**64 - 1") from None


@cache
def _packed_dtype(dtype: np.dtype) -> np.dtype:
    fields: Any = dtype.fields or {}
    return np.dtype([(name, fields[name][0]) for name in (dtype.names or ())[1:]])


def packed(records: np.ndarray) -> np.ndarray:
    """``records`` without their tag and without the padding between fields: what is saved, and what can be compared.

    Padding bytes mean nothing, and copying a record does not copy them.
    """
    out = np.empty(records.shape, _packed_dtype(records.dtype))
    for name in out.dtype.names or ():
        out[name] = records[name]
    return out


def _layout(dtype: np.dtype) -> list[list[Any]]:
    """Names, types and shapes of the fields: what saved states must agree on."""
    fields: Any = _packed_dtype(dtype).fields or {}
    return [[name, kind.base.str, list(kind.shape)] for name, (kind, *_) in fields.items()]


def pack(spec: GameSpec, records: np.ndarray, **extra: Any) -> bytes:
    """``records`` as bytes that :func:`unpack` reads back, with JSON-able ``extra`` facts beside them.

    A checksum, a line of JSON, and the records without their tags.
    """
    head = {"game": spec.id, "options": dict(spec.options), "layout": _layout(spec.state_dtype), **extra}
    content = json.dumps(head).encode() + b"\n" + packed(records).tobytes()
    return sealed(content)


def sealed(content: bytes) -> bytes:
    """``content`` behind its checksum."""
    return b"%08x " % zlib.crc32(content) + content


def unpack(spec: GameSpec, data: bytes) -> tuple[np.ndarray, dict[str, Any]]:
    """The records and the extra facts of :func:`pack`.

    :raises ValueError: if ``data`` is damaged, or of another game, version, set of options or record layout.
    """
    try:
        data = bytes(data)
        checksum, content = int(data[:8], 16), data[9:]
        line, body = content.split(b"\n", 1)
        head = json.loads(line)
        found = head.pop("game"), dict(head.pop("options")), head.pop("layout")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("data: is not a saved game, or damaged (no readable header)") from error
    if zlib.crc32(content) != checksum:
        raise ValueError("data: is cut short or damaged (its checksum does not match)")
    if found[0] != spec.id:
        raise ValueError(f"data: is a game of {found[0]}, not of {spec.id}")
    if found[1] != dict(spec.options):
        raise ValueError(
            f"data: was played with options {', '.join(shown(found[1]))}, not {', '.join(shown(spec.options))}"
        )
    if found[2] != _layout(spec.state_dtype):
        raise ValueError("data: was saved by a release that kept games in another layout")
    dtype = _packed_dtype(spec.state_dtype)
    if not body or len(body) % dtype.itemsize:
        raise ValueError(f"data: is cut short or damaged ({len(body)} bytes of records)")
    saved = np.frombuffer(body, dtype)
    records = np.zeros(len(saved), spec.state_dtype)
    for name in dtype.names or ():
        records[name] = saved[name]
    return records, head


def view(spec: GameSpec, records: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the seat to move sees in each of ``records[games]``, and what it may do, in new arrays.

    :returns: int8 (N, \\*observation shape) and int8 (N, num_actions).
    """
    observations = np.empty((len(games), *spec.observation_shape), np.int8)
    masks = np.empty((len(games), spec.num_actions), np.int8)
    loops.view(spec.params, records, games, observations.reshape(len(games), -1), masks)
    return observations, masks


class GameState:
    """One game being played.

    >>> from starboard import registry
    >>> state = GameState(registry.load("astralis", size=3), seed=0)
    >>> [state.describe(action) for action in state.legal_actions()]
    ['e2']
    >>> state.step(state.parse("e2"))
    >>> state.to_move
    1

    :param spec: the game and its options.
    :param seed: whole number in ``0 .. 2**64 - 1``; None draws one.
    """

    def __init__(self, spec: GameSpec, seed: int | None = None) -> None:
        self.spec = check_spec(spec)
        self.records = np.zeros(1, spec.state_dtype)
        """The game as record array of shape (1,), as kernels take it. Writing to it is on your own account."""
        loops.reset(spec.params, self.records, FRESH, as_seed(seed), np.zeros(1, np.int64))
        self._look()

    def _look(self) -> None:
        """Make what follows from the records: observation and mask of the seat to move, and the flags."""
        self._new_buffers()
        self._set(loops.look(self.spec.params, self.records, self.observed.reshape(-1), self.mask))

    def _new_buffers(self) -> None:
        # Fresh each time: what was handed out is never written again.
        self.observed = np.empty(self.spec.observation_shape, np.int8)
        self.mask = np.empty(self.spec.num_actions, np.int8)

    def _set(self, flags: tuple[int, bool, bool]) -> None:
        self.to_move, self.terminated, self.truncated = flags

    @property
    def record(self) -> np.void:
        """The game's record (fields: ``spec.state_dtype``), a view."""
        return self.records[0]

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.terminated or self.truncated

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, ascending; empty after the end."""
        return np.flatnonzero(self.mask).tolist()

    def check(self, action: Any) -> int:
        """``action`` as an ``int``, if it may be played now.

        :raises TypeError: if it is not a whole number.
        :raises ValueError: if it is out of range or illegal.
        :raises RuntimeError: if the game is over.
        """
        index = as_action(action, self.spec.num_actions)
        if self.over:
            raise RuntimeError(f"action={index}: the game is over; start a new one")
        if not self.mask[index]:
            raise ValueError(
                f"action={index} ({self.describe(index)}): is illegal here; legal_actions() lists the legal ones"
            )
        return index

    def step(self, action: Any) -> None:
        """Play ``action`` for the seat to move. Errors are those of :meth:`check` and change nothing."""
        self.step_unchecked(self.check(action))

    def step_unchecked(self, action: int) -> None:
        """Play an action known to be legal."""
        self._new_buffers()
        self._set(loops.advance(self.spec.params, self.records, action, self.observed.reshape(-1), self.mask))

    def observation(self, player: int) -> np.ndarray:
        """What seat ``player`` may know, int8 of ``spec.observation_shape``. Do not write to it.

        :raises ValueError: if there is no such seat.
        """
        if player == self.to_move:
            return self.observed
        self._check_seat("player", player)
        out = np.empty((1, *self.spec.observation_shape), np.int8)
        loops.observe(self.spec.params, self.records, FRESH, np.full(1, player, np.int64), out.reshape(1, -1))
        return out[0]

    def returns(self) -> np.ndarray:
        """Each seat's return, float64 of shape (num_players,): zeros until the end."""
        out = np.empty((1, self.spec.num_players))
        loops.returns(self.spec.params, self.records, FRESH, out)
        return out[0]

    def describe(self, action: int) -> str:
        """``action`` in the game's notation."""
        return self.spec.describe_action(self.record, as_action(action, self.spec.num_actions))

    def parse(self, text: str) -> int:
        """The action that ``text`` names in the game's notation.

        :raises ValueError: if it names none. Whether the action is legal now is another question.
        """
        return self.spec.parse_action(self.record, text)

    def clone(self) -> Self:
        """An independent copy, the generator's state included."""
        twin = object.__new__(type(self))
        twin.spec, twin.records = self.spec, self.records.copy()
        twin._look()
        return twin

    def resampled(self, player: int, seed: int | None = None) -> Self:
        """A copy in which all that seat ``player`` cannot see is dealt anew, and so is all chance to come.

        :param seed: whole number in ``0 .. 2**64 - 1``; None draws one.
        :raises ValueError: if there is no such seat.
        """
        self._check_seat("player", player)
        twin = self.clone()
        loops.resample(self.spec.params, twin.records, FRESH, np.full(1, player, np.int64), np.array([as_seed(seed)]))
        twin._look()
        return twin

    def _check_seat(self, name: str, seat: int) -> None:
        if not 0 <= seat < self.spec.num_players:
            raise ValueError(f"{name}={seat!r}: must be in 0 .. {self.spec.num_players - 1}")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.spec.name, dict(self.spec.options), self.to_bytes())

    def to_bytes(self) -> bytes:
        """The whole game, the generator's state included, for :meth:`from_bytes`."""
        return pack(self.spec, self.records)

    @classmethod
    def from_bytes(cls, spec: GameSpec, data: bytes) -> Self:
        """The game that :meth:`to_bytes` saved.

        :raises ValueError: if ``data`` is damaged or of another game, version or set of options than ``spec``.
        """
        records, _ = unpack(spec, data)
        if len(records) != 1:
            raise ValueError(f"data: holds {len(records)} games, not one")
        state = object.__new__(cls)
        state.spec, state.records = spec, records
        state._look()
        return state

    def text(self, viewer: int | None = None) -> str:
        """The position in characters, without what seat ``viewer`` may not see; None sees all.

        :raises ValueError: if there is no such seat.
        """
        if viewer is not None:
            self._check_seat("viewer", viewer)
        return self.spec.text(self.record, viewer)

    def svg(self, viewer: int | None = None, theme: str = "light") -> str:
        """The position as a picture. What seat ``viewer`` may not see lies face down; None sees all.

        :param theme: ``"light"``, ``"dark"``, or ``"auto"``, which follows the page around the picture.
        :raises ValueError: if there is no such seat or theme.
        """
        from starboard.render.picture import draw

        return draw(self.spec, self.record, viewer, theme)

    def _repr_svg_(self) -> str:
        """For notebooks: what the seat to move may see, or all after the end."""
        return self.svg(None if self.over else self.to_move)

    def __str__(self) -> str:
        return self.text()


def _restore(name: str, options: dict[str, Any], data: bytes) -> GameState:
    from starboard import registry

    return GameState.from_bytes(registry.load(name, **options), data)
