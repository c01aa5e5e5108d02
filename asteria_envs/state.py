"""The records of Asteria: one state, one set of options and tables.

Cards are numbers, in the order of the deck file. Where a card is, is kept card by card (``action_zone``,
``planet_zone``: see the constants); a deck is a set, from which a draw picks at random, so there is no order to hide.
Rows are stacks: ``top[slot][player]`` is the free card, ``below[card]`` the one beneath (-1: none).

There are three planet slots (AT-2.3). ``flip[slot]`` is the player on whose side the first half lies, ``marker`` counts
the spaces from its owner's edge, so two markers are on one space when they add up to ``2 * half - 1``::

    player 0's marker    0  1  2  3  4  5        (half = 3)
                        [ first ][second ]       flip = 0
    player 1's marker    5  4  3  2  1  0

A turn is a machine of stages (``stage``), each of which can ask for a decision (``decision``, by ``to_move``). Effects
that wait are bits ``1 << (side * 3 + index)`` of ``pending[card]``, worked off one at a time; an effect under way is
``doing`` with ``left`` to do. What a turned or played card sets off goes on a stack of frames, one side of one card
each: see :func:`asteria_envs.kernels.push` for why ``STACK`` frames are enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from asteria_envs.cards import ACTIONS, HALF, MOST_EFFECTS, PLANETS, SIDES, WHATS, WHENS, Deck, load
from starboard.dispatch import HEADER
from starboard.jit import source_hash

MAX_ACTIONS, MAX_PLANETS, MAX_HALF = ACTIONS[1], PLANETS[1], HALF[1]
STACK = MAX_ACTIONS + 1
SLOTS = 3


def _numbers(count: int) -> Iterable[np.int64]:
    """Constants as NumPy's integers: Numba compiles a function once more for each plain one that it is called with."""
    return map(np.int64, range(count))


EXTRACT, EXPAND, EXPLORE, EXTERMINATE = _numbers(4)
PLAY, INCOME, CONFLICT, WIN, LOSE, DISCARDED, ON_EXTRACT, _, _, _, ON_TAKE, ON_REVEAL, ON_SPEND, ON_WIN = _numbers(14)
"""Places in `cards.WHENS`."""
(
    GAIN_ORE,
    GAIN_ENERGY,
    LOSE_ORE,
    LOSE_ENERGY,
    SWAP,
    DRAW,
    TAKE,
    REVEAL,
    ROTATE,
    DISCARD_ACTION,
    DISCARD_PLANET,
    DESTROY,
    STRENGTH,
) = _numbers(13)
"""Places in `cards.WHATS`."""

DECISIONS = (
    "main",
    "effect",
    "rotate",
    "turn",
    "discard_action",
    "discard_planet",
    "destroy",
    "swap",
    "order",
    "commit",
    "give_up",
    "claim",
)
(
    ASK_MAIN,
    ASK_EFFECT,
    ASK_ROTATE,
    ASK_TURN,
    ASK_DISCARD_ACTION,
    ASK_DISCARD_PLANET,
    ASK_DESTROY,
    ASK_SWAP,
    ASK_ORDER,
    ASK_COMMIT,
    ASK_GIVE_UP,
    ASK_CLAIM,
) = _numbers(12)

STAGES = (
    "stage 2",
    "conflicts: which next",
    "conflict: the active player's planet card",
    "conflict: the other player's planet card",
    "conflict: win and lose effects",
    "conflict: the active player gives up Expand cards",
    "conflict: the other player gives up Expand cards",
    "refill, then Economic",
    "opening a planet, and the end of the turn",
)
(AT_MAIN, AT_CONFLICTS, AT_COMMIT, AT_ANSWER, AT_WON, AT_GIVE_UP, AT_GIVE_UP_OTHER, AT_REFILL, AT_END) = _numbers(9)

DECK, DISCARD, HAND, AREA, ROW = map(np.int64, (0, 1, 2, 4, 6))
"""Zones of action cards: HAND, AREA and ROW plus the player. -1: the deck has no such card."""
DOMINATED, OPEN, COMMITTED = map(np.int64, (4, 6, 7))
"""Zones of planet cards, beside DECK, DISCARD and HAND: DOMINATED and COMMITTED plus the player."""

MILITARY, EXPLORATION, TECHNOLOGICAL, ECONOMIC = _numbers(4)
CONQUESTS = ("military", "exploration", "technological", "economic")
IDLE_TURNS = 8
"""Turns in a row without an action card played that end the game (AT-6.6)."""
MOST = 12
"""Most of each resource that a player holds (AT-3.3)."""

# The name carries a hash of the rules: see starboard.jit. File formats leave the field out.
_SOURCES = [str(Path(__file__).with_name(name)) for name in ("cards.py", "state.py", "kernels.py", "heuristics.py")]
TAG = "asteria_" + source_hash(*_SOURCES)

STATE = np.dtype(
    [
        (TAG, np.int8),
        *HEADER,
        ("active", np.int8),  # whose turn it is
        ("turn", np.int16),  # turns begun (AT-6.6)
        ("idle", np.int8),  # turns in a row in which no action card was played (AT-6.6)
        ("cards_played", np.int8),  # in this turn
        ("stage", np.int8),
        ("decision", np.int8),
        ("resources", np.int8, (2, 2)),  # [player][ore, energy]
        ("points", np.int8, (2,)),
        ("conquered", np.int8, (2,)),  # bit per conquest, in the order of CONQUESTS
        ("hand_actions", np.int8, (2,)),  # how many cards in hand, play area, ...
        ("hand_planets", np.int8, (2,)),
        ("area", np.int8, (2,)),
        ("dominated", np.int8, (2,)),
        ("deck_actions", np.int8),
        ("deck_planets", np.int8),
        ("discarded_actions", np.int8),
        ("discarded_planets", np.int8),
        ("planet", np.int8, (SLOTS,)),  # planet card in the slot, -1: empty
        ("flip", np.int8, (SLOTS,)),
        ("slot_played", np.int8, (SLOTS,)),  # 1: the active player played a card there in this turn
        ("marker", np.int8, (SLOTS, 2)),  # [slot][player], -1: none
        ("top", np.int8, (SLOTS, 2)),
        ("fight", np.int8),  # slot of the conflict under way, -1: none
        ("winner", np.int8),  # of the conflict under way, -1: not known yet
        ("committed", np.int8, (2,)),  # planet card added to the conflict, -1: none
        ("doing", np.int8),  # WHATS of the effect under way
        ("left", np.int8),  # how much of it is left, 0: no effect is under way
        ("doing_owner", np.int8),
        ("doing_target", np.int8),
        ("doing_side", np.int8),  # the side to rotate to, -1: any
        ("depth", np.int8),  # frames on the stack
        ("stack_owner", np.int8),  # of all of them
        ("stack_card", np.int8, (STACK,)),
        ("stack_side", np.int8, (STACK,)),
        ("stack_effects", np.int8, (STACK,)),  # bit per effect still to do
        ("waiting", np.int16, (2,)),  # pending effects of each player
        ("action_zone", np.int8, (MAX_ACTIONS,)),
        ("action_slot", np.int8, (MAX_ACTIONS,)),  # of cards in rows
        ("side", np.int8, (MAX_ACTIONS,)),  # shown, in rows and play areas
        ("below", np.int8, (MAX_ACTIONS,)),
        ("turned", np.int8, (MAX_ACTIONS,)),  # 1: was turned in this turn (AT-4.12)
        ("used", np.int8, (MAX_ACTIONS,)),  # bit per conditional effect of the Expand side that happened in this turn
        ("pending", np.int16, (MAX_ACTIONS,)),
        ("pending_owner", np.int8, (MAX_ACTIONS,)),
        ("action_known", np.int8, (MAX_ACTIONS,)),  # 1: in a hand, and the other player can tell
        ("planet_zone", np.int8, (MAX_PLANETS,)),
        ("planet_known", np.int8, (MAX_PLANETS,)),
    ],
    align=True,
)

PARAMS = np.dtype(
    [
        (TAG, np.int8),
        ("actions", np.int64),
        ("planets", np.int64),
        ("half", np.int64),
        ("first_player", np.int8),  # -1: random
        ("max_turns", np.int16),
        ("need_planets", np.int8),  # of Exploration (AT-6.1, AT-6.5)
        ("need_resources", np.int8),  # of Economic
        ("cost", np.int8, (MAX_ACTIONS, 2)),
        ("price", np.int64, (MAX_ACTIONS,)),  # the cost as bytes, ore, energy, ore, ...: once for each slot
        ("adds", np.int8, (MAX_ACTIONS, 4, 2)),  # a side in a row, to conflicts: [own strength, the other player's]
        ("area_adds", np.int8, (2, MAX_ACTIONS)),  # the same of a card in a play area, by whose strength
        ("when", np.int8, (MAX_ACTIONS, 4, len(WHENS))),  # bit per effect of the side that has this `when`
        ("gains", np.int8, (MAX_ACTIONS, 4)),  # bit per effect that only gives its owner resources
        ("what", np.int8, (MAX_ACTIONS, 4, MOST_EFFECTS)),
        ("amount", np.int8, (MAX_ACTIONS, 4, MOST_EFFECTS)),
        ("opposing", np.int8, (MAX_ACTIONS, 4, MOST_EFFECTS)),
        ("to_side", np.int8, (MAX_ACTIONS, 4, MOST_EFFECTS)),  # of a rotate, -1: any
        ("planet_strength", np.int8, (MAX_PLANETS,)),
        # What the next step of a marker gains, 16 * ore + energy: [planet][0 if the first half is on the owner's side]
        # [marker + 1]; 0 from the last space on.
        ("ahead", np.uint8, (MAX_PLANETS, 2, 2 * MAX_HALF + 1)),
        ("half_sum", np.int8, (MAX_PLANETS, 2, 2)),
    ],
    align=True,
)


def make_params(deck: str, errata: bool, first_player: str, max_turns: int) -> np.ndarray:
    """The options, checked before, and the tables of the deck, as a read-only PARAMS array of shape (1,)."""
    cards = load(deck)
    params = np.zeros(1, PARAMS)
    p = params[0]
    p["actions"], p["planets"], p["half"] = len(cards.actions), len(cards.planets), cards.half
    p["first_player"] = -1 if first_player == "random" else int(first_player)
    p["max_turns"] = max_turns
    p["need_planets"], p["need_resources"] = (3, 10) if errata else (2, 8)
    _fill_tables(p, cards)
    params.flags.writeable = False
    return params


def _fill_tables(p: Any, cards: Deck) -> None:
    for number, card in enumerate(cards.actions):
        p["cost"][number] = card.cost
        p["price"][number] = (card.cost[0] + 256 * card.cost[1]) * 0x1_0001_0001
        for side, face in enumerate(card.sides):
            p["adds"][number, side, 0] = face.strength
            for index, effect in enumerate(face.effects):
                own_gain = effect.what in ("gain_ore", "gain_energy") and effect.who == "self"
                p["when"][number, side, WHENS.index(effect.when)] |= 1 << index
                p["gains"][number, side] |= own_gain << index
                p["what"][number, side, index] = WHATS.index(effect.what)
                p["amount"][number, side, index] = effect.amount
                p["opposing"][number, side, index] = effect.who == "opposing"
                p["to_side"][number, side, index] = -1 if effect.side is None else SIDES.index(effect.side)
                if effect.when == "conflict":  # AT-5.2
                    p["adds"][number, side, int(effect.who == "opposing")] += effect.amount
                    if side == EXPAND:
                        p["area_adds"][int(effect.who == "opposing"), number] += effect.amount
    for number, planet in enumerate(cards.planets):
        p["planet_strength"][number] = planet.strength
        for turned in range(2):
            path = planet.halves[turned] + planet.halves[1 - turned][::-1]
            p["ahead"][number, turned, : 2 * cards.half] = [16 * ore + energy for ore, energy in path]
        p["half_sum"][number] = np.sum(planet.halves, axis=1)


# Observations (AT-2.4): a row of one number for each action card, of each planet card, of each slot, then counters.

CARD_ROWS: tuple[tuple[str, int], ...] = (
    ("in own hand", 1),
    ("in the other's hand, and the observer can tell", 1),
    ("in the discard pile", 1),
    ("in own play area", 1),
    ("in the other's play area", 1),
    *((f"in own row of slot {slot}", 1) for slot in range(SLOTS)),
    *((f"in the other's row of slot {slot}", 1) for slot in range(SLOTS)),
    *((f"shows {side}, in rows and play areas", 1) for side in SIDES),
    ("place in its row, the free card being 1, the one beneath 2", MAX_ACTIONS),
    ("was turned in this turn", 1),
    ("conditional effects that happened in this turn: 1, 2, 4 for the first, second, third", 7),
    *((f"effects of its {side} side that wait: 1, 2, 4", 7) for side in SIDES),
    ("whose effects wait: 1 the observer's, 2 the other's", 2),
    ("effects left of its frame on the stack: 1, 2, 4", 7),
    ("side of that frame, counted from 1", 4),
    ("place of that frame on the stack, counted from 1", STACK),
    ("effects left of its second frame on the stack", 7),
    ("side of the second frame", 4),
    ("place of the second frame", STACK),
)
PLANET_ROWS: tuple[tuple[str, int], ...] = (
    ("in own hand", 1),
    ("in the other's hand or added face down by them, and the observer can tell", 1),
    ("in the discard pile", 1),
    ("dominated by the observer", 1),
    ("dominated by the other", 1),
    *((f"open in slot {slot}", 1) for slot in range(SLOTS)),
    ("added to the conflict by the observer", 1),
    ("added to the conflict by the other, face up", 1),
)
_SPACES = range(2 * MAX_HALF)
SLOT_ROWS: tuple[tuple[str, int], ...] = (
    ("a planet is open", 1),
    ("its first half lies on the observer's side", 1),
    ("its second half lies on the observer's side", 1),
    ("a card was played there in this turn", 1),
    ("a conflict is under way there", 1),
    ("ore of the space that the observer's next marker step reaches", 9),
    ("energy of that space", 9),
    ("ore of the space that the other's next marker step reaches", 9),
    ("energy of that space", 9),
    ("strength of the observer in a conflict there, above 0, at most 99", 99),
    ("the same, below 0", 99),
    ("strength of the other, above 0", 99),
    ("the same, below 0", 99),
    *((f"the observer's marker is on its space {space}, counted from their edge", 1) for space in _SPACES),
    *((f"the other's marker is on its space {space}, counted from their edge", 1) for space in _SPACES),
)
COUNTERS: tuple[tuple[str, int], ...] = (
    ("own ore", MOST),
    ("own energy", MOST),
    ("the other's ore", MOST),
    ("the other's energy", MOST),
    ("own action cards in hand", MAX_ACTIONS),
    ("the other's action cards in hand", MAX_ACTIONS),
    ("own planet cards in hand", MAX_PLANETS),
    ("the other's planet cards in hand", MAX_PLANETS),
    ("action cards in the deck", MAX_ACTIONS),
    ("planet cards in the deck", MAX_PLANETS),
    ("own points", 5),
    ("the other's points", 5),
    *((f"own conquest: {name}", 1) for name in CONQUESTS),
    *((f"the other's conquest: {name}", 1) for name in CONQUESTS),
    ("own dominated planets", MAX_PLANETS),
    ("the other's dominated planets", MAX_PLANETS),
    ("turns begun, divided by 16", 62),
    ("turns begun, the rest", 15),
    ("option max_turns, divided by 16", 62),
    ("option max_turns, the rest", 15),
    ("turns in a row without an action card played", IDLE_TURNS),
    ("action cards played in this turn", SLOTS),
    *((f"decision: {name}", 1) for name in DECISIONS),
    *((f"stage: {name}", 1) for name in STAGES),
    ("the observer is to move", 1),
    ("it is the observer's turn", 1),
    ("the observer's seat", 1),
    ("effect under way: what, counted from 1 in the order of the page", len(WHATS)),
    ("how much of it is left", MOST),
    ("it is the observer's effect", 1),
    ("it is done to the observer", 1),
    ("side to turn a card to, counted from 1; 0: any", 4),
    ("whose frames are on the stack: 1 the observer's, 2 the other's", 2),
    ("the observer added a planet card to the conflict", 1),
    ("the other added a planet card to the conflict", 1),
    ("winner of the conflict under way: 1 the observer, 2 the other", 2),
    ("option errata", 1),
    ("the game is over", 1),
)


def observation_high(actions: int, planets: int) -> np.ndarray:
    """The greatest value of each entry of an observation, with so many action and planet cards: int8, read-only."""
    rows = [(CARD_ROWS, actions), (PLANET_ROWS, planets), (SLOT_ROWS, SLOTS), (COUNTERS, 1)]
    high = np.concatenate([np.repeat(np.array([most for _, most in table], np.int8), size) for table, size in rows])
    high.flags.writeable = False
    return high
