"""Asterion as `starboard` knows it: options, static facts, and how to read an observation back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from asterion_envs import cards, drawing, heuristics, kernels, notation, picture
from asterion_envs.cards import CARDS
from asterion_envs.state import (
    DISCARDS,
    LOOK,
    MARGIN,
    MAX_PLAYERS,
    MAX_RADIUS,
    MODES,
    NOTHING,
    OWNERS,
    REWARDS,
    STATES,
    coordinates,
    make_params,
)
from starboard import dispatch
from starboard.spec import Game, GameSpec, Option, Search, check_observation

for _dtype in STATES.values():
    dispatch.register(
        _dtype,
        {name: getattr(heuristics if name == "evaluate" else kernels, name) for name in dispatch.CONTRACT}
        | {"context": heuristics.context},
    )

OPTIONS = (
    Option("players", 2, "seats (AN-2)", low=2, high=MAX_PLAYERS),
    Option("mode", "crete", "a board and removals, or neither (AN-2.1, AN-2.3)", choices=MODES),
    Option("discard", "choose", "who says which cards are removed (AN-2.2)", choices=DISCARDS),
    Option("standard_scoring", True, "points for impaled prisoners (AN-3.4)"),
    Option("reward", "result", f"who has won (AN-4.5), or the lead, {MARGIN} points counting as 1", choices=REWARDS),
    Option("table_radius", 12, "radius of the table in the basic mode (AN-2.3)", low=2, high=MAX_RADIUS),
    Option("tiles", "reference", "the cards of each player (AN-1.3)", read=cards.read),
)


def build(options: Mapping[str, Any]) -> GameSpec:
    """The spec for a full set of checked options."""
    params = make_params(**options)
    p = params[0]
    players, spaces = options["players"], int(p["spaces"])
    radius = int(p["radius"])
    deck = cards.load(options["tiles"])
    high = _observation_high(p)
    drawn_removals = players * int(p["removals"]) if p["random_discard"] else 0
    return GameSpec(
        name="asterion",
        version=0,
        options=options,
        num_players=players,
        params=params,
        state_dtype=STATES[options["mode"]],
        num_actions=4 * spaces + CARDS + 1,
        max_legal=4 * spaces,
        observation_high=high,
        max_plies=players * CARDS - drawn_removals,
        describe_action=lambda record, action: notation.describe_action(radius, deck, action),
        parse_action=lambda record, text: notation.parse_action(radius, deck, text),
        final_info=lambda record: final_info(p, record),
        text=lambda record, viewer: drawing.text(p, record, viewer, deck),
        svg=lambda record, viewer, theme: picture.svg(p, record, viewer, theme, deck),
        decode=lambda observation: decode(params, STATES[options["mode"]], high, observation),
        is_secret=lambda record, action: 4 * spaces <= action < 4 * spaces + CARDS,  # AN-2.2
        grid=np.array([(radius - y, x + radius) for x, y in coordinates(radius)], np.int32),
        grid_planes=OWNERS + players,
        foresight=2,
        foresight_deals=4,
        search=Search(scale=15.0, plies=2),
        zero_sum=True,
        heuristic_scale=float(MARGIN),
        action_parts=_action_parts(spaces),
        parts_per_cell=5,
    )


def final_info(p: Any, s: Any) -> dict[str, list[float]]:
    """Section 4: each seat's score, escapes, escapes without a coin, and impaled prisoners."""
    rows = [kernels.standing(p, s, seat) for seat in range(p["players"])]
    scores, coinless, escapes, tombs = ([float(value) for value in column] for column in zip(*rows, strict=True))
    return {"scores": scores, "escapes": escapes, "coinless_escapes": coinless, "tombs": tombs}


def counters(players: int) -> tuple[str, ...]:
    """Meaning of the first entries of the rows of counters, one after the other; the others are 0."""
    seats = ["the observer", *("the next seat", "the seat after that", "the last seat")[: players - 1]]
    names = [
        "removals are still being chosen (AN-2.2)",
        "the game is over",
        "seats from the observer to the mover, in order of play (0 after the end)",
        "the observer's seat",
        "option standard_scoring",
    ]
    for fact in ("removals still to choose", "cards still to come, the one in hand included", "points above 0"):
        names += [f"{fact}, of {seat}" for seat in seats]
    names += [f"points below 0, of {seat}" for seat in seats]
    names += [f"card {i + 1} is {where}" for where in ("in hand", "removed", "still to draw") for i in range(CARDS)]
    names += [f"card {i + 1} of {seat} is neither placed nor set aside" for seat in seats[1:] for i in range(CARDS)]
    return tuple(names)


def _observation_high(p: Any) -> np.ndarray:
    """The greatest value of each entry of an observation."""
    players, spaces = int(p["players"]), int(p["spaces"])
    numbers = [1, 1, players - 1, players - 1, 1]
    numbers += [0 if p["random_discard"] else int(p["removals"])] * players
    numbers += [CARDS] * players + [CARDS * (players - 1)] * players + [CARDS] * players
    rows = -(-len(counters(players)) // spaces)
    high = np.ones((OWNERS + players + rows, spaces), np.int8)
    high[LOOK.index("wings in the corridor of opening N") :][:4] = max(1, p["wings"].max())
    high[LOOK.index("coins in the corridor of opening N") :][:4] = max(1, p["coins"].max())
    high[OWNERS + players :].reshape(-1)[: len(numbers)] = np.maximum(1, numbers)
    high.flags.writeable = False
    return high


def _action_parts(spaces: int) -> np.ndarray:
    """(actions, 2): where a card is placed turned how often, 4 parts a space, and where it is placed, the fifth."""
    space, turns = np.divmod(np.arange(4 * spaces), 4)
    moves = np.stack([turns * spaces + space, 4 * spaces + space], axis=1)
    rest = np.stack([5 * spaces + np.arange(CARDS + 1), np.full(CARDS + 1, 5 * spaces + CARDS + 1)], axis=1)
    return np.concatenate([moves, rest]).astype(np.int32)


def decode(params: np.ndarray, dtype: np.dtype, high: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """A position that ``observation`` shows, as a record array of shape (1,) and of type ``dtype``.

    What an observation does not tell is left at its start (``ply``, ``rng``, and ``to_move`` after the end) or chosen
    among what it allows: the other seats' hands, decks and removals, and which of two cards that look alike is which.

    :raises ValueError: if ``observation`` is not within the bounds of a game with these options, or no cards can lie as
        it shows. Whether the position could come about is not looked at further.
    """
    observation = check_observation(observation, high)
    p = params[0]
    players = int(p["players"])
    numbers = observation[OWNERS + players :].reshape(-1).tolist()
    removing, over, ahead, observer = numbers[:4]
    facts = np.reshape(numbers[5 : 5 + 4 * players], (4, players))
    sets = [_as_bits(row) for row in np.reshape(numbers[5 + 4 * players :][: (2 + players) * CARDS], (-1, CARDS))]
    hand, removed, deck = sets[:3]
    hidden = [hand | removed | deck, *sets[3:]]
    seats = [(observer + i) % players for i in range(players)]

    records = np.zeros(1, dtype)
    s = records[0]
    kernels.init(p, s, np.uint64(0))
    s["hand"], s["removed"], s["aside"] = NOTHING, 0, 0
    used = _lay_all(p, s, observation, seats, hidden)
    for i, seat in enumerate(seats):
        to_remove, left, above, below = facts[:, i].tolist()
        done = int(p["removals"]) - to_remove
        if hidden[i].bit_count() != left + done or hidden[i] & used[seat]:
            raise ValueError(f"observation: the cards of player {seat} do not add up")
        s["to_remove"][seat], s["left"][seat], s["points"][seat] = to_remove, left, above - below
        s["aside"][seat] = kernels.ALL & ~hidden[i] & ~used[seat]
        s["deck"][seat] = hidden[i]
        if i > 0:
            kernels.deal(s, seat, int(p["removals"]))
            if not removing:
                kernels.draw_hand(s, seat)
    s["deck"][observer], s["removed"][observer] = deck, removed
    s["hand"][observer] = hand.bit_length() - 1
    s["to_move"] = 0 if over else (observer + ahead) % players
    s["ply"], s["rng"], s["terminated"] = 0, 0, over
    return records


def _as_bits(row: np.ndarray) -> int:
    """A set of cards, as observations have it, as the kernels have it."""
    return sum(1 << card for card in range(CARDS) if row[card])


def _lay_all(p: Any, s: Any, observation: np.ndarray, seats: list[int], hidden: list[int]) -> list[int]:
    """Lay all cards that ``observation`` shows; return the set of each seat's."""
    spaces = int(p["spaces"])
    kinds: dict[bytes, list[int]] = {}
    for kind, row in enumerate(p["look"].reshape(-1, len(LOOK))):
        kinds.setdefault(row.tobytes(), []).append(kind)
    look = observation[: len(LOOK)].T.astype(np.int8)
    used = [0] * len(seats)
    to_lay = {}
    for space in np.flatnonzero(look.any(axis=1)).tolist():
        i = int(observation[OWNERS : OWNERS + len(seats), space].argmax())
        taken = hidden[i] | used[seats[i]]
        found = [kind for kind in kinds.get(look[space].tobytes(), []) if not taken >> (kind >> 2) & 1]
        if not found:
            raise ValueError(f"observation: no card that is left looks like the one on space {space}")
        if space != spaces // 2:
            to_lay[space] = found[0], seats[i]
            used[seats[i]] |= 1 << (found[0] >> 2)
    while to_lay:
        ready = [space for space in s["order"][s["laid"] : s["known"]].tolist() if space in to_lay]
        if not ready:
            raise ValueError(f"observation: the card on space {min(to_lay)} is not joined to Asterion's by cards")
        for space in ready:
            kernels.lay(p, s, space, *to_lay.pop(space))
    return used


GAME = Game(
    "asterion",
    0,
    "A labyrinth of cards around a Minotaur, prisoners and coins; hidden hands, 2 to 4 seats",
    OPTIONS,
    build,
)
