"""Tree search over any game of the kernel contract: many simulated games, and a tree of what they came to.

Each simulation deals anew what the searching seat cannot see (``resample``), walks down the tree, adds one position to
it, plays on for a few plies and until the searching seat is to move, and notes in all nodes on its way how it stands
then. The k-th simulations of the actions at the root are dealt alike, so that they differ by the action and not by
luck.

A node stands for a sequence of actions, whatever was dealt: where hands are hidden, for all that the seat holds
possible (one tree over information sets). Actions that say less than what is played, such as the place of a card from a
hidden hand, are told apart by the kernel ``context``. A child that is illegal in the game at hand waits for one in
which it is not; one that was never legal before is added. So chance, hidden cards, any number of seats and any order of
turns need no code of their own.

The child that is followed is the one with the highest

    (total + guess) / (visits + 1) + exploration * share * sqrt(visits of all + 1) / (visits + 1)

where ``total`` is what its simulations brought its mover, ``guess`` what the heuristic said of it when it was added,
and ``share`` its part of all ``exp(guess / temperature)`` (PUCT). Before they are compared, guesses are shifted so that
the best is as good as the simulations of all were: a heuristic thinks too well of whoever has just moved. All constants
are :class:`Search`'s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from starboard import dispatch
from starboard.foresight import reply, value_after
from starboard.jit import jit
from starboard.rng import fold, mix, next_uint64
from starboard.spec import GameSpec, Search

NODE = np.dtype(
    [
        ("total", np.float64),  # sum over its simulations of what they brought the mover, -1 .. 1 each
        ("guess", np.float64),  # what the heuristic says of it, -1 .. 1
        ("weight", np.float64),  # exp(guess / temperature)
        ("visits", np.int64),  # simulations that went through it
        ("action", np.int64),  # that leads to it,
        ("mover", np.int64),  # whose it is,
        ("context", np.int64),  # and what else it means
        ("first", np.int64),  # index of its first child, or -1,
        ("last", np.int64),  # of its last,
        ("next", np.int64),  # and of the next child of its own parent
    ]
)
"""A node of the tree. Node 0 is the position itself."""
CONSTANTS = np.dtype(
    [
        ("exploration", np.float64),
        ("temperature", np.float64),
        ("scale", np.float64),
        ("plies", np.int64),  # -1: to the end
        ("heuristic", np.bool_),
    ]
)
_FIXED = np.float64(1 << 24)
_MOST_NODES = 1 << 22
_DEEPEST = 1024


@jit
def _fixed(x):  # type: ignore[no-untyped-def]
    """``x`` to 24 bits after the point: the last bits of tanh and exp differ between machines, and none may decide."""
    return np.round(x * _FIXED) / _FIXED


@jit
def _add(p, q, scratch, tree, used, parent, action, mover, context, returns):  # type: ignore[no-untyped-def]
    """Give ``parent`` a child for ``action`` of ``mover`` in ``scratch[0]``; return its index."""
    child = used[0]
    used[0] += 1
    node = tree[child]
    node["total"], node["visits"] = 0.0, 0
    node["action"], node["mover"], node["context"] = action, mover, context
    node["first"], node["last"], node["next"] = -1, -1, -1
    node["guess"], node["weight"] = 0.0, 1.0
    if q["heuristic"]:
        node["guess"] = _fixed(np.tanh(value_after(p, scratch, action, mover, returns) / q["scale"]))
        node["weight"] = _fixed(np.exp(node["guess"] / q["temperature"]))
    if tree[parent]["first"] < 0:
        tree[parent]["first"] = child
    else:
        tree[tree[parent]["last"]]["next"] = child
    tree[parent]["last"] = child
    return child


@jit
def _descend(p, q, scratch, tree, used, parent, moves, marks, returns):  # type: ignore[no-untyped-def]
    """The child of ``parent`` to follow in the game ``scratch[0]``, or -1 if the tree has no room for one.

    ``marks``: int64[num_actions]. ``used[1]`` counts the calls: an action whose mark is twice that is legal now and has
    no child yet, one more than that, and it has.
    """
    mover: Any = np.int64(scratch[0]["to_move"])
    context: Any = np.int64(dispatch.context(p, scratch[0]))
    used[1] += 1
    legal = 2 * used[1]
    n = dispatch.legal_list(p, scratch[0], moves)
    for k in range(n):
        marks[moves[k]] = legal
    missing = n
    weights, total, visits, most = 0.0, 0.0, 0.0, -np.inf
    child = tree[parent]["first"]
    while child >= 0:
        node = tree[child]
        if node["mover"] == mover and node["context"] == context and marks[node["action"]] == legal:
            marks[node["action"]] = legal + 1
            missing -= 1
            weights += node["weight"]
            total += node["total"]
            visits += node["visits"]
            most = max(most, node["guess"])
        child = node["next"]
    if missing > 0:
        for k in range(n):
            action = np.int64(moves[k])
            if marks[action] == legal and used[0] < len(tree):
                node = tree[_add(p, q, scratch, tree, used, parent, action, mover, context, returns)]
                weights += node["weight"]
                most = max(most, node["guess"])
    shift = total / visits - most if visits > 0.0 else 0.0
    reach = q["exploration"] * np.sqrt(visits + 1.0) / weights if weights > 0.0 else 0.0
    best, ties = -np.inf, 0
    followed: Any = np.int64(-1)
    child = tree[parent]["first"]
    while child >= 0:
        node = tree[child]
        if node["mover"] == mover and node["context"] == context and marks[node["action"]] >= legal:
            score = (node["total"] + node["guess"] + shift + reach * node["weight"]) / (node["visits"] + 1.0)
            if score > best:
                best, followed, ties = score, child, 0
            if score == best:  # the t-th of t equals takes the place with probability 1 / t
                ties += 1
                if ties > 1 and fold(next_uint64(scratch[2]), ties) == 0:
                    followed = child
        child = node["next"]
    return followed


@jit
def plant(tree, used, marks):  # type: ignore[no-untyped-def]
    """Begin a new tree: ``used`` (int64[2]) and ``marks`` are as :func:`grow` wants them."""
    root = tree[0]
    root["visits"], root["first"], root["last"], root["next"] = 0, -1, -1, -1
    used[0], used[1] = 1, 0
    marks[:] = 0


@jit
def grow(P, q, S, game, seed, simulations, tree, used, scratch, moves, marks, path, values, returns):  # type: ignore[no-untyped-def]
    """Add ``simulations`` to the tree of the seat to move in ``S[game]``; return the plies played in them.

    ``q``: record of type :data:`CONSTANTS`; ``scratch``: three records; ``moves``: int16[max_legal]; ``path``: int64 of
    any length; ``values`` and ``returns``: float64[num_players]. All random numbers depend on ``seed`` only. The k-th
    simulation of each action deals alike, so that chance does not favour one over another.
    """
    p = P[0]
    s: Any = scratch[0]
    player: Any = np.int64(S[game]["to_move"])
    played = 0
    for _ in range(simulations):
        number = tree[0]["visits"]
        scratch[2]["rng"] = mix(seed, number, 1)
        scratch[0] = S[game]
        fresh = tree[0]["first"] < 0
        if fresh:
            dispatch.resample(p, s, player, mix(seed, 0, 0))  # no look at what the player cannot see
        here: Any = _descend(p, q, scratch, tree, used, np.int64(0), moves, marks, returns)
        scratch[0] = S[game]
        dispatch.resample(p, s, player, mix(seed, tree[here]["visits"], 0))
        dispatch.step(p, s, tree[here]["action"])
        path[0] = here
        depth = 1
        while not (fresh or s["terminated"] or s["truncated"] or depth == len(path)):
            fresh = tree[here]["first"] < 0
            here = _descend(p, q, scratch, tree, used, here, moves, marks, returns)
            if here < 0:
                break
            path[depth] = here
            depth += 1
            dispatch.step(p, s, tree[here]["action"])
        left = q["plies"]
        played += depth
        while (left > 0 or q["plies"] < 0 or s["to_move"] != player) and not (s["terminated"] or s["truncated"]):
            if q["heuristic"]:
                reply(p, scratch, moves, returns)
            else:
                n = dispatch.legal_list(p, s, moves)
                dispatch.step(p, s, np.int64(moves[fold(next_uint64(s), n)]))
            left -= 1
            played += 1
        if s["terminated"] or s["truncated"]:
            dispatch.returns(p, s, values)
        else:
            for seat in range(len(values)):
                values[seat] = _fixed(np.tanh(dispatch.evaluate(p, s, seat) / q["scale"]))
        tree[0]["visits"] += 1
        for d in range(depth):
            node = tree[path[d]]
            node["visits"] += 1
            node["total"] += values[node["mover"]]
    return played


@jit
def chosen(tree):  # type: ignore[no-untyped-def]
    """The action at the root that most simulations went through; among equals the one that brought most."""
    best, most, action = -np.inf, np.int64(-1), np.int64(-1)
    child: Any = tree[0]["first"]
    while child >= 0:
        node = tree[child]
        value = (node["total"] + node["guess"]) / (node["visits"] + 1.0)
        if node["visits"] > most or (node["visits"] == most and value > best):
            best, most, action = value, node["visits"], node["action"]
        child = node["next"]
    return action


class Tree:
    """Room for one search at a time, and the searches in it.

    :param spec: the game.
    :param simulations: the most that one search will have; longer ones go on in the tree as it is once it is full.
    :param search: constants; None takes the game's own, ``spec.search``.
    """

    def __init__(self, spec: GameSpec, simulations: int, search: Search | None = None) -> None:
        search = search or spec.search
        self.spec, self._arguments = spec, (spec, simulations, search)
        self.plies = 0
        """Plies played in all simulations so far."""
        scale = search.scale if search.scale is not None else spec.heuristic_scale / 2
        plies = -1 if search.plies is None else search.plies
        constants = (search.exploration, search.temperature, scale, plies, search.heuristic)
        self._constants = np.array([constants], CONSTANTS)
        self._tree = np.empty(min(_MOST_NODES, 1 + simulations * spec.max_legal), NODE)
        self._used = np.zeros(2, np.int64)
        self._scratch = np.zeros(3, spec.state_dtype)
        self._moves = np.empty(spec.max_legal, np.int16)
        self._marks = np.empty(spec.num_actions, np.int64)
        self._path = np.empty(_DEEPEST, np.int64)
        self._values, self._returns = np.empty(spec.num_players), np.empty(spec.num_players)

    def twin(self) -> Tree:
        """As much room again, for another thread."""
        return Tree(*self._arguments)

    def plant(self) -> None:
        """Forget what was searched."""
        plant(self._tree, self._used, self._marks)

    def grow(self, records: np.ndarray, game: int, seed: np.uint64, simulations: int) -> None:
        """Search on for the seat to move in ``records[game]``, which must be the same since :meth:`plant`."""
        self.plies += grow(
            self.spec.params,
            self._constants[0],
            records,
            game,
            seed,
            simulations,
            self._tree,
            self._used,
            self._scratch,
            self._moves,
            self._marks,
            self._path,
            self._values,
            self._returns,
        )

    def action(self) -> int:
        """What the search has found best; -1 without simulations."""
        return int(chosen(self._tree))

    def visits(self) -> np.ndarray:
        """int64 (num_actions,): how many simulations began with each action."""
        out = np.zeros(self.spec.num_actions, np.int64)
        child = int(self._tree[0]["first"])
        while child >= 0:
            node = self._tree[child]
            out[node["action"]] = node["visits"]
            child = int(node["next"])
        return out
