"""The kernel contract: what a game must be able to do, and how generic code reaches it.

A game is two NumPy structured records, ``s`` (the state of one game) and ``p`` (its options and tables, read-only, one
per batch), and jitted functions over the two. Generic loops call the functions below; which game's kernel runs is
decided by the type of ``s``: when compiled, by Numba's record type, else by the dtype. Numba's types do not carry the
name of a dtype, so the first field of each game's record is a tag whose *name* is unique to the game and its sources.

Every record begins with the fields of :data:`HEADER`. Outputs go into buffers of the caller: action lists ``int16``,
masks and observations ``int8``, all one-dimensional and contiguous, returns ``float64``. Kernels assume what the public
API checks (a legal action, a game not over), allocate nothing, and raise only where the rules themselves are broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from starboard.jit import jit, keep

HEADER = (
    ("to_move", np.int8),  # the seat whose decision is due
    ("ply", np.int32),  # actions played so far
    ("terminated", np.bool_),  # the rules ended the game
    ("truncated", np.bool_),  # something outside the rules did
    ("rng", np.uint64),  # state of the game's own generator
)
"""Fields that every state record has, in this order, after its tag."""

Integer = int | np.integer

_KERNELS: dict[str, Mapping[str, Callable[..., Any]]] = {}


def register(state_dtype: np.dtype, kernels: Mapping[str, Callable[..., Any]]) -> None:
    """Make ``kernels`` (jitted, named as in this module) play the games whose state has type ``state_dtype``."""
    missing = sorted(set(CONTRACT) - set(kernels))
    if missing:
        raise ValueError(f"kernels: {', '.join(missing)} missing from the kernel contract")
    names = tuple(state_dtype.names or ())
    if names[1 : 1 + len(HEADER)] != tuple(name for name, _ in HEADER):
        raise ValueError(f"state_dtype: the fields after the tag must begin with {[name for name, _ in HEADER]}")
    _KERNELS[names[0]] = {"context": _no_context, **kernels}
    for function in kernels.values():
        keep(function)


def kernel(state: Any, name: str) -> Callable[..., Any]:
    """The jitted kernel ``name`` of the game that the record, dtype or Numba type ``state`` belongs to."""
    if isinstance(state, types.Record):
        tag = next(iter(state.fields))
    else:
        dtype = state if isinstance(state, np.dtype) else state.dtype
        tag = (dtype.names or ())[0]
    return _KERNELS[tag][name]


def init(p: Any, s: Any, seed: np.uint64) -> None:
    """Make ``s`` a fresh game. With the same ``seed`` and actions, the same game on any machine and thread."""
    kernel(s, "init")(p, s, seed)


def step(p: Any, s: Any, action: Integer) -> None:
    """Play ``action``, assumed legal: sets to_move, ply, terminated, truncated; deals chance from ``s["rng"]``."""
    kernel(s, "step")(p, s, action)


def legal_mask(p: Any, s: Any, out: np.ndarray) -> int:
    """Write 1 for each legal action of the seat to move, else 0, to ``out`` int8[num_actions]; return how many.

    Never empty before the end; all zeros after it.
    """
    return kernel(s, "legal_mask")(p, s, out)


def legal_list(p: Any, s: Any, out: np.ndarray) -> int:
    """Write the same actions as a list to ``out`` int16[max_legal], in the game's own order; return how many."""
    return kernel(s, "legal_list")(p, s, out)


def observe(p: Any, s: Any, player: Integer, out: np.ndarray) -> None:
    """Write what ``player`` may know, from that player's point of view, to ``out`` int8[observation size]."""
    kernel(s, "observe")(p, s, player, out)


def returns(p: Any, s: Any, out: np.ndarray) -> None:
    """Write each seat's return to ``out`` float64[num_players]: zeros until the end."""
    kernel(s, "returns")(p, s, out)


def resample(p: Any, s: Any, player: Integer, seed: np.uint64) -> None:
    """Deal anew all that ``player`` cannot see, consistently with what they can, and the generator's state with it."""
    kernel(s, "resample")(p, s, player, seed)


def evaluate(p: Any, s: Any, player: Integer) -> float:
    """The game's heuristic: how well ``player`` stands, higher is better, comparable within one game only."""
    return kernel(s, "evaluate")(p, s, player)


def context(p: Any, s: Any) -> int:
    """What the mover's actions mean beyond their numbers, as a number: for search, which must not take them for one.

    Such as the card in a hidden hand, where an action only tells its place. A game whose actions say all need not
    register this kernel: it is 0 then.
    """
    return kernel(s, "context")(p, s)


@jit
def _no_context(p, s):  # type: ignore[no-untyped-def]
    return 0


def _type(record: Any, name: str) -> Any:
    """Numba's type of the kernel ``name`` of the game whose state has Numba type ``record``."""
    function: Any = kernel(record, name)
    return types.Dispatcher(function)


def _contract(function: Callable[..., Any]) -> None:
    """Let compiled functions call ``function``: typed and compiled as the kernel that it stands for."""
    name = function.__name__

    @infer_global(function)
    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):  # type: ignore[no-untyped-def]
            return _type(args[1], name).get_call_type(self.context, args, kws)

    @lower_builtin(function, types.VarArg(types.Any))
    def lower(target, builder, signature, args):  # type: ignore[no-untyped-def]
        call = target.get_function(_type(signature.args[1], name), signature)
        target.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, args)


CONTRACT = ("init", "step", "legal_mask", "legal_list", "observe", "returns", "resample", "evaluate")
"""Names of the kernels that every game registers."""

for _name in (*CONTRACT, "context"):
    _contract(globals()[_name])
