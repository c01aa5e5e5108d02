"""Asteria as `starboard` knows it: options, static facts, and how to read an observation back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from asteria_envs import cards, drawing, heuristics, kernels, picture
from asteria_envs.notation import Notation
from asteria_envs.state import (
    AREA,
    CARD_ROWS,
    COMMITTED,
    CONQUESTS,
    COUNTERS,
    DECISIONS,
    DECK,
    DISCARD,
    DOMINATED,
    HAND,
    OPEN,
    PLANET_ROWS,
    ROW,
    SLOT_ROWS,
    SLOTS,
    STAGES,
    STATE,
    make_params,
    observation_high,
)
from starboard import dispatch
from starboard.cardfile import REFERENCE
from starboard.spec import Game, GameSpec, Option, check_observation

dispatch.register(
    STATE,
    {name: getattr(heuristics if name == "evaluate" else kernels, name) for name in dispatch.CONTRACT},
)

OPTIONS = (
    Option("deck", REFERENCE, "the cards (AT-1.4)", read=cards.read),
    Option("errata", True, "the requirements of February 2026 instead of the first printing's (AT-6.5)"),
    Option("first_player", "random", "who begins (AT-2.2)", choices=("random", "0", "1")),
    Option("max_turns", 200, "turns after which the game ends (AT-6.6)", low=1, high=999),
)


def build(options: Mapping[str, Any]) -> GameSpec:
    """The spec for a full set of checked options."""
    params = make_params(**options)
    deck = cards.load(options["deck"])
    words = Notation(deck)
    actions, planets = len(deck.actions), len(deck.planets)
    high = observation_high(actions, planets)
    return GameSpec(
        name="asteria",
        version=0,
        options=options,
        num_players=2,
        params=params,
        state_dtype=STATE,
        num_actions=len(words.names),
        max_legal=12 * actions + 2 * planets + 2,
        observation_high=high,
        max_plies=options["max_turns"] * _most_decisions(actions, planets),
        describe_action=lambda record, action: words.names[action],
        parse_action=lambda record, text: words.parse(text),
        final_info=final_info,
        text=lambda record, viewer: drawing.text(deck, record, viewer),
        decode=lambda observation: decode(params, high, observation),
        svg=lambda record, viewer, theme: picture.svg(params[0], record, viewer, theme, deck),
        is_secret=lambda record, action: words.is_secret(action),
        foresight=1,
        zero_sum=True,
        heuristic_scale=60.0,
        action_parts=_action_parts(words.names),
    )


def _most_decisions(actions: int, planets: int) -> int:
    """A bound on the decisions of one turn, far above what happens.

    Frames on the stack: one for each of at most three cards played, and for each card turned. Effects: three in each
    frame, and each of the twelve of a card waits at most once, but for spends, which a turn's takes allow. An effect
    asks at most nine times, and once for its place.
    """
    effects = 3 * (SLOTS + actions) + 12 * actions
    takes = 9 * effects
    return 10 * effects + planets + takes + SLOTS + 2 + 3 * SLOTS + 2 * actions


def final_info(s: Any) -> dict[str, list[float]]:
    """Section 6: each seat's points, dominated planets, and which conquests it scored."""
    facts = {"points": s["points"].tolist(), "dominated": s["dominated"].tolist()}
    for number, name in enumerate(CONQUESTS):
        facts[name] = [int(conquered) >> number & 1 for conquered in s["conquered"]]
    return facts


def _action_parts(names: list[str]) -> np.ndarray:
    """(actions, 4): each action by itself, and what it shares with others; part 0 fills up.

    To play a card shares the card's side on any slot, the kind of side on this slot, and the card on this slot.
    """
    numbers: dict[tuple[str, ...], int] = {}
    rows = []
    for name in names:
        words = name.split()
        shared: list[tuple[str, ...]] = [("action", name)]
        if words[0] == "play":
            _, card, slot, side = words
            shared += [("side", card, side), ("kind", side, slot), ("card", card, slot)]
        rows.append([1 + numbers.setdefault(part, len(numbers)) for part in shared] + [0] * (4 - len(shared)))
    return np.array(rows, np.int32)


def decode(params: np.ndarray, high: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """The position that ``observation`` shows, as a STATE array of shape (1,).

    What an observation does not tell is filled in: cards that the observer cannot see go to the other's hand, lowest
    numbers first, as many as are there, and to a face-down card of theirs, and the rest to the decks; ``ply`` and
    ``rng`` are 0.

    :raises ValueError: if ``observation`` is not within the bounds of a game with these options. Whether the position
        could come about is not looked at.
    """
    observation = check_observation(observation, high)
    p = params[0]
    records = np.zeros(1, STATE)
    s = records[0]
    kernels.init(p, s, np.uint64(0))
    s["rng"], s["terminated"] = 0, False
    tables = ((CARD_ROWS, int(p["actions"])), (PLANET_ROWS, int(p["planets"])), (SLOT_ROWS, SLOTS), (COUNTERS, 1))
    ends = np.cumsum([len(table) * size for table, size in tables])[:-1]
    parts = [
        part.astype(np.int64).reshape(len(table), size)
        for part, (table, size) in zip(np.split(observation, ends), tables, strict=True)
    ]
    counters = {name: int(value) for (name, _), value in zip(COUNTERS, parts[3][:, 0], strict=True)}
    me = counters["the observer's seat"]
    _decode_counters(s, counters, me)
    _decode_slots(s, parts[2], me)
    _decode_actions(s, parts[0], me)
    _decode_planets(s, parts[1], me)
    _deal_hidden(s, me)
    s["waiting"][:] = 0
    for card in range(int(p["actions"])):
        s["waiting"][s["pending_owner"][card]] += int(s["pending"][card]).bit_count()
    return records


def _decode_counters(s: Any, counters: Mapping[str, int], me: int) -> None:
    for seat, whose in ((me, "own"), (1 - me, "the other's")):
        s["resources"][seat] = counters[f"{whose} ore"], counters[f"{whose} energy"]
        s["hand_actions"][seat] = counters[f"{whose} action cards in hand"]
        s["hand_planets"][seat] = counters[f"{whose} planet cards in hand"]
        s["points"][seat], s["dominated"][seat] = counters[f"{whose} points"], counters[f"{whose} dominated planets"]
        s["conquered"][seat] = sum(counters[f"{whose} conquest: {name}"] << k for k, name in enumerate(CONQUESTS))
    s["deck_actions"], s["deck_planets"] = counters["action cards in the deck"], counters["planet cards in the deck"]
    s["turn"] = 16 * counters["turns begun, divided by 16"] + counters["turns begun, the rest"]
    s["idle"] = counters["turns in a row without an action card played"]
    s["cards_played"] = counters["action cards played in this turn"]
    s["decision"] = sum(k for k, name in enumerate(DECISIONS) if counters[f"decision: {name}"])
    s["stage"] = sum(k for k, name in enumerate(STAGES) if counters[f"stage: {name}"])
    s["to_move"] = me if counters["the observer is to move"] else 1 - me
    s["active"] = me if counters["it is the observer's turn"] else 1 - me
    s["terminated"] = counters["the game is over"]
    s["left"] = counters["how much of it is left"]
    s["doing"] = max(0, counters["effect under way: what, counted from 1 in the order of the page"] - 1)
    s["doing_owner"] = me if counters["it is the observer's effect"] else 1 - me
    s["doing_target"] = me if counters["it is done to the observer"] else 1 - me
    s["doing_side"] = counters["side to turn a card to, counted from 1; 0: any"] - 1
    s["stack_owner"] = 1 - me if counters["whose frames are on the stack: 1 the observer's, 2 the other's"] == 2 else me
    s["winner"] = (-1, me, 1 - me)[counters["winner of the conflict under way: 1 the observer, 2 the other"]]
    s["committed"][:] = -1
    if counters["the other added a planet card to the conflict"]:
        s["committed"][1 - me] = 0  # which one follows


def _decode_slots(s: Any, slots: np.ndarray, me: int) -> None:
    s["planet"][:], s["fight"] = -1, -1
    s["marker"][:], s["top"][:] = -1, -1
    for slot, column in enumerate(slots.T):
        _, own_first, own_second, s["slot_played"][slot], fight = column[:5]
        s["flip"][slot] = me if own_first else 1 - me if own_second else -1
        if fight:
            s["fight"] = slot
        for seat, spaces in ((me, column[13:21]), (1 - me, column[21:29])):
            if spaces.any():
                s["marker"][slot, seat] = spaces.argmax()


def _decode_actions(s: Any, rows: np.ndarray, me: int) -> None:
    other = 1 - me
    zones = (HAND + me, HAND + other, DISCARD, AREA + me, AREA + other, *[ROW + me] * SLOTS, *[ROW + other] * SLOTS)
    s["action_zone"][: rows.shape[1]] = DECK
    s["action_known"][:] = 0
    s["depth"], s["area"][:] = 0, 0
    frames = []
    for card, column in enumerate(rows.T.tolist()):
        if any(column[:11]):
            place = column.index(1)
            s["action_zone"][card] = zones[place]
            s["action_known"][card] = place == 1
            s["action_slot"][card] = (place - 5) % SLOTS if place >= 5 else 0
            s["side"][card] = column.index(1, 11) - 11 if any(column[11:15]) else 0
            if zones[place] in (AREA, AREA + 1):
                s["area"][zones[place] - AREA] += 1
        s["turned"][card], s["used"][card] = column[16:18]
        s["pending"][card] = sum(effects << 3 * side for side, effects in enumerate(column[18:22]))
        s["pending_owner"][card] = other if column[22] == 2 else me
        frames += [(depth, card, side, effects) for effects, side, depth in (column[23:26], column[26:29]) if effects]
    for slot in range(SLOTS):
        for seat in range(2):
            row = np.flatnonzero((s["action_zone"] == ROW + seat) & (s["action_slot"] == slot))
            for card in row[np.argsort(-rows[15, row])]:
                s["below"][card], s["top"][slot, seat] = s["top"][slot, seat], card
    for depth, card, side, effects in sorted(frames):
        s["stack_card"][depth - 1], s["stack_side"][depth - 1] = card, side - 1
        s["stack_effects"][depth - 1], s["depth"] = effects, depth
    s["discarded_actions"] = (s["action_zone"] == DISCARD).sum()


def _decode_planets(s: Any, rows: np.ndarray, me: int) -> None:
    other = 1 - me
    zones = (HAND + me, HAND + other, DISCARD, DOMINATED + me, DOMINATED + other, *[OPEN] * SLOTS)
    s["planet_zone"][: rows.shape[1]] = DECK
    s["planet_known"][:] = 0
    for planet, column in enumerate(rows.T.tolist()):
        if any(column):
            place = column.index(1)
            s["planet_known"][planet] = place == 1
            if place >= 8:
                seat = (me, other)[place - 8]
                s["committed"][seat], s["planet_zone"][planet] = planet, COMMITTED + seat
            else:
                s["planet_zone"][planet] = zones[place]
            if zones[min(place, 7)] == OPEN and place < 8:
                s["planet"][place - 5] = planet
    s["discarded_planets"] = (s["planet_zone"] == DISCARD).sum()


def _deal_hidden(s: Any, me: int) -> None:
    """Fill the other's hand, and a face-down planet card of theirs, from the cards that the observer cannot see."""
    other = 1 - me
    face_down = s["committed"][other] >= 0 and not (s["planet_zone"] == COMMITTED + other).any()
    held = int(s["hand_actions"][other]), int(s["hand_planets"][other]) + int(face_down)
    for zones, count in zip((s["action_zone"], s["planet_zone"]), held, strict=True):
        missing = count - int((zones == HAND + other).sum())
        zones[np.flatnonzero(zones == DECK)[: max(0, missing)]] = HAND + other
    if face_down:
        planet = np.flatnonzero(s["planet_zone"] == HAND + other)[0]
        s["committed"][other], s["planet_zone"][planet] = planet, COMMITTED + other


GAME = Game("asteria", 0, "Cards with four sides, planets and conflicts; hidden hands", OPTIONS, build)
