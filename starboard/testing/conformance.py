"""Do the kernels agree with each other, and with what the spec claims?"""

from __future__ import annotations

import copy
import json
import pickle
import random
from xml.etree import ElementTree as ET

import numpy as np

from starboard import dispatch
from starboard.render.canvas import size
from starboard.spec import GameSpec
from starboard.state import GameState, pack, packed
from starboard.testing.walk import Walk, call, legal_list, legal_mask, observe, returns, walk


def check_conformance(spec: GameSpec, seed: int = 0, games: int = 5) -> None:
    """Play ``games`` random games and check every position of theirs.

    * The mask and the list have the same actions, no other values, none twice; the counts are right; some action is
      legal before the end and none after it.
    * Observations lie within the space, for every seat. Kernels write all of their buffer and nothing behind it, and
      leave the record as it is, but for ``step``, ``init`` and ``resample``.
    * Returns are zeros until the end, then within -1 .. 1, and add up to zero if the spec says ``zero_sum``.
    * Games end within ``max_plies``. The same seed and actions give the same game.
    * Each legal action has a name of its own, which is read back as the action; every action has one that can be shown.
    * ``decode`` turns an observation into a position that gives the same observation, and the same mask to the mover.
    * The text, the heuristic and the final facts can always be made. So can the drawing (looked at in some positions):
      it is XML, and where the game draws it itself, always of the same size, as videos need it.

    :raises AssertionError: with the game and the position.
    """
    check_spec(spec)
    draw = random.Random(seed)
    for game in walk(spec, seed, games):
        _check_position(game, draw)
        if game.state.over:
            _check_end(game)


def check_spec(spec: GameSpec) -> None:
    """The static facts: types, shapes and bounds.

    :raises AssertionError: naming the fact.
    """

    def expect(true: bool, text: str) -> None:
        if not true:
            raise AssertionError(f"{spec!r}: {text}")

    header = tuple(name for name, _ in dispatch.HEADER)
    names = tuple(spec.state_dtype.names or ())
    expect(
        names[1 : 1 + len(header)] == header, f"after its tag, a state record must begin with {header}, not {names[:7]}"
    )
    expect(spec.params.shape == (1,), f"params must have shape (1,), not {spec.params.shape}")
    expect(not spec.params.flags.writeable, "params must be read-only")
    expect(spec.num_players >= 1, "num_players must be at least 1")
    # Lists of legal actions are int16.
    expect(
        1 <= spec.num_actions <= np.iinfo(np.int16).max, f"num_actions must be in 1 .. 32767, not {spec.num_actions}"
    )
    expect(spec.max_legal >= 1, "max_legal must be at least 1")
    high = spec.observation_high
    expect(high.dtype == np.int8, f"observation_high must be int8, not {high.dtype}")
    expect(bool((high >= 1).all()), "observation_high must be at least 1 everywhere")
    parts = spec.action_parts
    if parts is not None:
        expect(parts.ndim == 2 and len(parts) == spec.num_actions, "action_parts must have a row for each action")
        expect(bool((parts >= 0).all()), "action_parts must not be negative")
    json.dumps(dict(spec.options))
    for twin in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec)):
        expect(twin is spec, "the spec of the same options must be the same object")


def _check_position(game: Walk, draw: random.Random) -> None:
    spec, state = game.spec, game.state
    before = packed(state.records).tobytes()
    if not 0 <= state.to_move < spec.num_players:
        raise game.error(f"to_move is {state.to_move}, with {spec.num_players} seats")
    if state.record["ply"] != len(game.actions):
        raise game.error(f"ply is {state.record['ply']} after {len(game.actions)} actions")
    _check_legal(game)
    _check_observations(game)
    _check_returns(game)
    for player in range(spec.num_players):
        value = call(spec, "evaluate", state.records, player)
        if not np.isfinite(value):
            raise game.error(f"evaluate gives {value} for seat {player}")
    _check_notation(game, draw)
    text = str(state)
    if not text or text != str(state):
        raise game.error("text is empty, or differs from one call to the next")
    if not game.actions or state.over or draw.random() < 0.05:  # a drawing takes longer than all the rest
        _check_drawing(game)
    if packed(state.records).tobytes() != before:
        raise game.error("looking at the game changed its record")


def _check_legal(game: Walk) -> None:
    spec, state = game.spec, game.state
    mask, count = legal_mask(spec, state.records)
    again, _ = legal_mask(spec, state.records, fill=-1)
    if (mask != again).any():
        wrong = np.flatnonzero(mask != again)
        raise game.error(f"legal_mask does not write the entries {wrong[:5].tolist()}, or is not the same each time")
    if not np.isin(mask, (0, 1)).all():
        raise game.error(f"the mask has other values than 0 and 1: {np.unique(mask).tolist()}")
    if (mask != state.mask).any():
        raise game.error("the mask is not what look or advance gave before")
    if count != mask.sum():
        raise game.error(f"legal_mask returns {count}, with {mask.sum()} ones in the mask")
    moves = legal_list(spec, state.records)
    if moves != legal_list(spec, state.records, fill=-1):
        raise game.error("legal_list does not write all that it counts, or is not the same each time")
    if len(set(moves)) != len(moves):
        raise game.error(f"legal_list has actions twice: {sorted(a for a in set(moves) if moves.count(a) > 1)}")
    ones = np.flatnonzero(mask).tolist()
    if sorted(moves) != ones:
        raise game.error(
            f"mask and list differ: only in the mask {sorted(set(ones) - set(moves))}, "
            f"only in the list {sorted(set(moves) - set(ones))}"
        )
    if state.over and ones:
        raise game.error(f"the game is over and actions are legal: {ones}")
    if not state.over and not ones:
        raise game.error("no action is legal, and the game is not over")


def _check_observations(game: Walk) -> None:
    spec, state = game.spec, game.state
    for player in range(spec.num_players):
        seen = observe(spec, state.records, player)
        if (seen != observe(spec, state.records, player, fill=-1)).any():
            raise game.error(
                f"observe does not write all of the observation of seat {player}, or not the same each time"
            )
        outside = np.argwhere((seen < 0) | (seen > spec.observation_high))
        if len(outside):
            where = tuple(outside[0].tolist())
            raise game.error(
                f"seat {player} observes {seen[where]} at {where}, outside 0 .. {spec.observation_high[where]}"
            )
        if (seen != state.observation(player)).any():
            raise game.error(f"GameState.observation({player}) is not what the kernel shows")
        decoded = spec.decode(seen)
        if decoded.shape != (1,) or decoded.dtype != spec.state_dtype:
            raise game.error(f"decode gives {decoded.dtype} of shape {decoded.shape}, not one record")
        back = observe(spec, decoded, player)
        if (back != seen).any():
            where = tuple(np.argwhere(back != seen)[0].tolist())
            raise game.error(
                f"decode: seat {player} observes {back[where]} at {where} in the decoded position, here {seen[where]}"
            )
        if player == state.to_move and (legal_mask(spec, decoded)[0] != state.mask).any():
            raise game.error(f"decode: seat {player} has other legal actions in the decoded position")


def _check_returns(game: Walk) -> None:
    spec, state = game.spec, game.state
    values = returns(spec, state.records)
    if not state.over:
        if values.any():
            raise game.error(f"returns are {values.tolist()} before the end")
        return
    if not (np.abs(values) <= 1).all():  # not true of NaN either
        raise game.error(f"returns are {values.tolist()}, outside -1 .. 1")
    if spec.zero_sum and abs(values.sum()) > 1e-9:
        raise game.error(f"returns are {values.tolist()}, which do not add up to zero as the spec claims")


def _check_notation(game: Walk, draw: random.Random) -> None:
    state = game.state
    named: dict[str, int] = {}
    for action in state.legal_actions():
        name = state.describe(action)
        if name in named:
            raise game.error(f"actions {named[name]} and {action} are both called {name!r}")
        named[name] = action
        back = state.parse(name)
        if back != action:
            raise game.error(f"action {action} is called {name!r}, which is read as {back}")
    for _ in range(10):  # error messages name illegal actions too
        action = draw.randrange(game.spec.num_actions)
        if not isinstance(state.describe(action), str):
            raise game.error(f"action {action} has no name")


def _check_drawing(game: Walk) -> None:
    spec, state = game.spec, game.state
    for viewer in (None, *range(spec.num_players)):
        svg = state.svg(viewer)
        if svg != state.svg(viewer):
            raise game.error(f"the drawing for viewer {viewer} differs from one call to the next")
        try:
            ET.fromstring(svg)
            found = size(svg)
        except (ET.ParseError, ValueError) as error:
            raise game.error(f"the drawing for viewer {viewer} cannot be read: {error}") from error
        if spec.svg is not None and found != (expected := size(GameState(spec, 0).svg())):
            raise game.error(f"the drawing for viewer {viewer} has size {found}, at the start {expected}")


def _check_end(game: Walk) -> None:
    spec, state = game.spec, game.state
    facts = spec.final_info(state.record)
    for name, values in facts.items():
        if len(values) != spec.num_players or not all(type(value) in (int, float) for value in values):
            raise game.error(f"final_info[{name!r}] must be one Python number a seat, not {values!r}")
    twin = GameState(spec, game.seed)
    for action in game.actions:
        if not twin.over and twin.mask[action]:
            twin.step_unchecked(action)
    if packed(twin.records).tobytes() != packed(state.records).tobytes():
        raise game.error("the same seed and actions gave another game the second time")


def check_decoded(spec: GameSpec, seed: int = 0, games: int = 5) -> None:
    """For games without hidden information and chance: a decoded position plays to the same end as the game itself.

    :raises AssertionError: with the game and the position where they part.
    """
    draw = random.Random(seed)
    for game in walk(spec, seed, games):
        if game.state.over or draw.random() > 0.2:
            continue
        twin = game.state.clone()
        decoded = spec.decode(twin.observation(draw.randrange(spec.num_players)))
        other = GameState.from_bytes(spec, pack(spec, decoded))
        while not twin.over:
            if other.over or (twin.mask != other.mask).any():
                raise game.error(f"decoded and played on, it parts from the game at\n{twin}\nwhere it is\n{other}")
            action = draw.choice(twin.legal_actions())
            twin.step(action)
            other.step(action)
        if not other.over or (twin.returns() != other.returns()).any():
            raise game.error(f"decoded and played on, it ends with {other.returns()}, not {twin.returns()}")
