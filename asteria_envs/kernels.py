"""The rules of Asteria as Numba kernels (the contract is `starboard.dispatch`, the records are `asteria_envs.state`).

Numbers such as AT-4.2 are clauses of RULES.md. A step carries out one decision, then :func:`run` goes on until the next
one is due. What has a single way out is never asked.
"""

from __future__ import annotations

import numpy as np

from asteria_envs.cards import MOST_EFFECTS
from asteria_envs.state import (
    AREA,
    ASK_CLAIM,
    ASK_COMMIT,
    ASK_DESTROY,
    ASK_DISCARD_ACTION,
    ASK_DISCARD_PLANET,
    ASK_EFFECT,
    ASK_GIVE_UP,
    ASK_MAIN,
    ASK_ORDER,
    ASK_ROTATE,
    ASK_SWAP,
    ASK_TURN,
    AT_ANSWER,
    AT_COMMIT,
    AT_CONFLICTS,
    AT_END,
    AT_GIVE_UP,
    AT_GIVE_UP_OTHER,
    AT_MAIN,
    AT_REFILL,
    AT_WON,
    COMMITTED,
    DECK,
    DESTROY,
    DISCARD,
    DISCARD_ACTION,
    DISCARDED,
    DOMINATED,
    DRAW,
    ECONOMIC,
    EXPAND,
    EXPLORATION,
    EXTRACT,
    GAIN_ENERGY,
    GAIN_ORE,
    HAND,
    IDLE_TURNS,
    INCOME,
    LOSE,
    LOSE_ENERGY,
    LOSE_ORE,
    MAX_ACTIONS,
    MILITARY,
    MOST,
    ON_EXTRACT,
    ON_REVEAL,
    ON_SPEND,
    ON_TAKE,
    ON_WIN,
    OPEN,
    PLAY,
    REVEAL,
    ROTATE,
    ROW,
    SLOTS,
    SWAP,
    TAKE,
    TECHNOLOGICAL,
    WIN,
)
from asteria_envs.state import CARD_ROWS as _CARD_ROWS
from asteria_envs.state import PLANET_ROWS as _PLANET_ROWS
from asteria_envs.state import SLOT_ROWS as _SLOT_ROWS
from starboard.jit import jit
from starboard.rng import below, scramble

CARD_ROWS, PLANET_ROWS, SLOT_ROWS = len(_CARD_ROWS), len(_PLANET_ROWS), len(_SLOT_ROWS)

ANYWHERE = np.int64(-1)
HAND_SIZE = 3  # AT-2.1, AT-5.6
# Zones that a player sees in the first rows of `state.CARD_ROWS`, and the least `action_known` that cards need for it.
ACTION_ZONES = np.array([[HAND, HAND + 1, DISCARD, AREA, AREA + 1], [HAND + 1, HAND, DISCARD, AREA + 1, AREA]], np.int8)
ACTION_LEAST = np.array([0, 1, 0, 0, 0], np.int8)
# The row of `state.PLANET_ROWS` that a zone is shown in to a player, and the least `planet_known` for it: 2 is never.
# Decks and open planets are not shown there, but have a row: so there is no branch that the processor cannot foresee.
# The second half is for as long as a planet card may lie face down: then it shows in row 1, if at all.
PLANET_ROW = np.array([[0, 2, 0, 1, 3, 4, 5, 8, 9], [0, 2, 1, 0, 4, 3, 5, 9, 8]] * 2, np.int64)
PLANET_LEAST = np.array([[2, 0, 0, 1, 0, 0, 2, 0, 0], [2, 0, 1, 0, 0, 0, 2, 0, 0]] * 2, np.int8)
for _table in (PLANET_ROW, PLANET_LEAST):
    _table[2, COMMITTED + 1] = _table[3, COMMITTED] = 1
BIT_COUNT = np.array([bin(bits).count("1") for bits in range(256)], np.int64)
LOWEST_BIT = np.array([(bits & -bits).bit_length() - 1 for bits in range(256)], np.int64)
POINTS = np.array([3, 2, 2, 1], np.int64)  # AT-6.1, in the order of CONQUESTS
# The number of a bit by the bit's value modulo 67: the powers of two below 2**66 have different rests.
ONE, MODULUS = np.uint64(1), np.uint64(67)
NUMBER_OF = np.zeros(int(MODULUS), np.int64)
NUMBER_OF[[2**bit % 67 for bit in range(64)]] = range(64)
# AT-4.1: the plays of one card, by the slots where a card can be played (8, 16, 32) and those where this one can be
# paid for (1, 2, 4): how many, as a list, and as a mask, over slot * 4 + side.
HIGH = np.int64(0x8080_8080_8080)
_PLAYS = [
    [4 * slot + side for slot in range(SLOTS) if key >> slot & 8 for side in range(4 if key >> slot & 1 else 1)]
    for key in range(64)
]
PLAYS = np.array([len(plays) for plays in _PLAYS], np.int64)
PLAY_LIST = np.array([(plays + [0] * 12)[:12] for plays in _PLAYS], np.int16)
PLAY_MASK = np.array([[action in plays for action in range(12)] for plays in _PLAYS], np.int8)


# Cards and places


@jit
def nth_in(zones, count, zone, n):
    """Number of the n-th card, from 0, of those of the first ``count`` that are in ``zone``."""
    card, seen = 0, 0
    for i in range(count):  # no branches: the processor could not foresee them
        seen += zones[i] == zone
        card += seen <= n
    assert card < count, "fewer cards there than were counted"
    return card


@jit
def cards_in(zones, zone):
    """The set of cards in ``zone``, bit i for card i."""
    cards, at = np.uint64(0), np.int8(zone)
    for card in range(len(zones)):
        cards |= np.uint64(zones[card] == at) << np.uint64(card)
    return cards


@jit
def take_lowest(cards):
    """The lowest number in a set that is not empty, and the rest of the set."""
    rest = cards & (cards - ONE)
    return NUMBER_OF[(cards ^ rest) % MODULUS], rest


@jit
def renew(zones, known, count):
    """AT-4.14: the discard pile becomes the deck. What is then in hands is known to who knows all the rest."""
    for card in range(count):
        if zones[card] == DISCARD:
            zones[card] = DECK
        elif HAND <= zones[card] < HAND + 2:
            known[card] = 1


@jit
def draw_action(p, s, player):
    """A random card of the deck into the hand of ``player``; was there one (AT-4.14)?"""
    if s["deck_actions"] == 0:
        if s["discarded_actions"] == 0:
            return False
        renew(s["action_zone"], s["action_known"], p["actions"])
        s["deck_actions"], s["discarded_actions"] = s["discarded_actions"], 0
    card = nth_in(s["action_zone"], p["actions"], DECK, below(s, np.int64(s["deck_actions"])))
    s["action_zone"][card], s["action_known"][card] = HAND + player, 0
    s["deck_actions"] -= 1
    s["hand_actions"][player] += 1
    return True


@jit
def draw_planet(p, s):
    """Take a random planet card off the deck: its number, or -1 if there is none (AT-4.14)."""
    if s["deck_planets"] == 0:
        if s["discarded_planets"] == 0:
            return -1
        renew(s["planet_zone"], s["planet_known"], p["planets"])
        s["deck_planets"], s["discarded_planets"] = s["discarded_planets"], 0
    s["deck_planets"] -= 1
    return nth_in(s["planet_zone"], p["planets"], DECK, below(s, np.int64(s["deck_planets"]) + 1))


@jit
def take_planet(p, s, player):
    """AT-4.11: the top planet card into the hand of ``player``; was there one?"""
    planet = draw_planet(p, s)
    if planet < 0:
        return False
    s["planet_zone"][planet], s["planet_known"][planet] = HAND + player, 0
    s["hand_planets"][player] += 1
    return True


@jit
def empty_slot(s):
    """AT-2.3: the lowest empty slot, or -1."""
    for slot in range(SLOTS):
        if s["planet"][slot] < 0:
            return slot
    return -1


@jit
def open_count(s):
    """How many planets are open."""
    n = 0
    for slot in range(SLOTS):
        n += s["planet"][slot] >= 0
    return n


@jit
def open_planet(p, s):
    """Open the top planet in the lowest empty slot, still to be turned (flip -1).

    Returns the slot, or -1 where there is no room or no planet.
    """
    slot = empty_slot(s)
    planet = draw_planet(p, s) if slot >= 0 else -1
    if planet < 0:
        return -1
    s["planet"][slot], s["flip"][slot], s["planet_zone"][planet] = planet, -1, OPEN
    return slot


@jit
def discard_action(s, card):
    """From wherever ``card`` is to the discard pile; the caller keeps the count of the place it leaves."""
    s["action_zone"][card], s["action_known"][card] = DISCARD, 0
    s["discarded_actions"] += 1


@jit
def discard_planet(s, planet):
    """As :func:`discard_action`."""
    s["planet_zone"][planet], s["planet_known"][planet] = DISCARD, 0
    s["discarded_planets"] += 1


@jit
def discard_action_from_hand(s, player, card):
    discard_action(s, card)
    s["hand_actions"][player] -= 1


@jit
def discard_planet_from_hand(s, player, planet):
    discard_planet(s, planet)
    s["hand_planets"][player] -= 1


@jit
def gain(s, player, resource, amount):
    """AT-3.3: between 0 and 12; ``amount`` may be negative."""
    s["resources"][player, resource] = min(MOST, max(0, np.int64(s["resources"][player, resource]) + amount))


@jit
def gain_ahead(p, s, player, slot):
    """AT-4.2, AT-4.3: what the next step of the marker of ``player`` brings at ``slot``: 16 * ore + energy."""
    turned, at = np.uint64(s["flip"][slot] != player), np.uint64(s["marker"][slot, player] + 1)
    return np.int64(p["ahead"][s["planet"][slot], turned, at])


@jit
def funds(p, s, player, slot):
    """AT-4.4: what ``player`` could pay with at ``slot``, the marker's gain included and capped: ore + 256 * energy."""
    more = gain_ahead(p, s, player, slot)
    ore, energy = np.int64(s["resources"][player, 0]) + (more >> 4), np.int64(s["resources"][player, 1]) + (more & 15)
    return min(MOST, ore) + 256 * min(MOST, energy)


@jit
def may_play(p, s, slot):
    """AT-4.1, and AT-2.2: one card in all in the first turn."""
    return (s["planet"][slot] >= 0) & (s["slot_played"][slot] == 0) & ((s["turn"] > 1) | (s["cards_played"] == 0))


@jit
def has_scored(s, player, conquest):
    return s["conquered"][player] >> conquest & 1 == 1


@jit
def may_claim(p, s, player):
    """AT-6.1: Economic can be paid for, and was not scored yet."""
    need = p["need_resources"]
    return (
        not has_scored(s, player, ECONOMIC)
        and s["hand_actions"][player] + s["hand_planets"][player] >= 5
        and s["resources"][player, 0] >= need
        and s["resources"][player, 1] >= need
    )


@jit
def may_turn(p, s, player, slot, side):
    """AT-4.12: can the free card at ``slot`` be turned to ``side`` by the rotate under way?"""
    card = s["top"][slot, player]
    given = s["doing_side"]
    return card >= 0 and s["turned"][card] == 0 and s["side"][card] != side and given in (-1, side)


# Conquests


@jit
def is_technological(p, s, player):
    """AT-6.1, AT-6.4: three Expand cards in the play area, and one that shows Expand on each open planet."""
    if s["area"][player] < 3:
        return False
    n = 0
    for slot in range(SLOTS):
        if s["planet"][slot] >= 0:
            n += 1
            card = np.int64(s["top"][slot, player])
            while card >= 0 and s["side"][card] != EXPAND:
                card = np.int64(s["below"][card])
            if card < 0:
                return False
    return n > 0


@jit
def score(s, player, conquest):
    """AT-6.2: each once; three points win at once, and nothing is scored after that."""
    if not has_scored(s, player, conquest) and not s["terminated"]:
        s["conquered"][player] |= 1 << conquest
        s["points"][player] += POINTS[conquest]
        if s["points"][player] >= 3:
            s["terminated"] = True


@jit
def check_conquests(p, s):
    """AT-6.3: the three that are scored as soon as they hold, the active player's first."""
    for k in range(2):
        player = np.int64(s["active"]) ^ k
        if s["dominated"][player] >= 3:
            score(s, player, MILITARY)
        if s["hand_planets"][player] >= p["need_planets"] and open_count(s) == SLOTS:
            score(s, player, EXPLORATION)
        if not has_scored(s, player, TECHNOLOGICAL) and is_technological(p, s, player):
            score(s, player, TECHNOLOGICAL)


# Effects: the queue, the stack, and one effect under way


@jit
def queue(s, player, card, side, effects):
    """Let ``effects`` (a bit each) of ``card`` wait for their turn (AT-4.7)."""
    if effects:
        s["pending"][card] |= effects << (3 * side)
        s["pending_owner"][card] = player
        s["waiting"][player] += BIT_COUNT[effects]


@jit
def watch(p, s, player, card, event):
    """Let an Expand card do what it does on ``event``, each effect at most once a turn (AT-3.2)."""
    effects = np.int64(p["when"][card, EXPAND, event] & ~s["used"][card])
    if effects:
        s["used"][card] |= effects
        queue(s, player, card, EXPAND, effects)


@jit
def happen(p, s, player, event, slot):
    """AT-1.5: the Expand cards of ``player`` watch ``event``: those in the play area, and in the rows.

    Cards in rows watch events on their own planet, and those tied to none: ``slot`` ANYWHERE.
    """
    for at in range(SLOTS):
        if slot in (ANYWHERE, at):
            card = np.int64(s["top"][at, player])
            while card >= 0:
                if s["side"][card] == EXPAND:
                    watch(p, s, player, card, event)
                card = np.int64(s["below"][card])
    if s["area"][player] > 0:
        cards = cards_in(s["action_zone"], AREA + player)
        while cards:
            card, cards = take_lowest(cards)
            watch(p, s, player, card, event)


@jit
def push(s, player, card, side, effects):
    """A frame: ``effects`` (a bit each) of one side of ``card``, to be done before all that waits below.

    The stack cannot overflow. It is empty when a card is played or an effect leaves the queue: one frame. Every other
    frame is that of a card just turned, and a card is turned once in a turn (AT-4.12): at most one frame each. All
    belong to one player, since only own cards are turned.
    """
    if effects:
        depth = s["depth"]
        s["stack_card"][depth], s["stack_side"][depth], s["stack_effects"][depth] = card, side, effects
        s["stack_owner"] = player
        s["depth"] += 1


@jit
def start(p, s, player, card, side, index):
    """Begin one effect; :func:`proceed` does it."""
    opposing = np.int64(p["opposing"][card, side, index])
    s["doing"], s["left"] = p["what"][card, side, index], p["amount"][card, side, index]
    s["doing_owner"], s["doing_target"] = player, player ^ opposing
    s["doing_side"] = p["to_side"][card, side, index]


@jit
def start_from_stack(p, s, index):
    """Begin effect ``index`` of the frame on top, which goes with its last effect."""
    depth = np.int64(s["depth"]) - 1
    s["stack_effects"][depth] &= ~(1 << index)
    if s["stack_effects"][depth] == 0:
        s["depth"] = depth
    start(p, s, np.int64(s["stack_owner"]), np.int64(s["stack_card"][depth]), np.int64(s["stack_side"][depth]), index)


@jit
def start_from_queue(p, s, card, side, index):
    player = np.int64(s["pending_owner"][card])
    s["pending"][card] &= ~(1 << (3 * side + index))
    s["waiting"][player] -= 1
    start(p, s, player, card, side, index)


@jit
def ask(s, decision, player):
    s["decision"], s["to_move"] = decision, player
    return True


@jit
def next_from_stack(p, s):
    """AT-4.7: the next effect of the frame on top, which its owner chooses where the order can matter."""
    depth = np.int64(s["depth"]) - 1
    card, side = np.int64(s["stack_card"][depth]), np.int64(s["stack_side"][depth])
    effects = np.int64(s["stack_effects"][depth])
    if BIT_COUNT[effects] > 1 and effects & ~np.int64(p["gains"][card, side]):
        return ask(s, ASK_EFFECT, np.int64(s["stack_owner"]))
    start_from_stack(p, s, LOWEST_BIT[effects])
    return False


@jit
def next_from_queue(p, s):
    """As :func:`next_from_stack`, for what waits; the active player's first."""
    player = np.int64(s["active"])
    if s["waiting"][player] == 0:
        player = 1 - player
    first, first_bit = np.int64(-1), np.int64(0)
    only_gains = True
    for card in range(p["actions"]):
        if s["pending"][card] and s["pending_owner"][card] == player:
            for side in range(4):
                effects = np.int64(s["pending"][card]) >> (3 * side) & 7
                if effects:
                    if first < 0:
                        first, first_bit = card, 3 * side + LOWEST_BIT[effects]
                    only_gains &= effects & ~np.int64(p["gains"][card, side]) == 0
    if s["waiting"][player] > 1 and not only_gains:
        return ask(s, ASK_EFFECT, player)
    start_from_queue(p, s, first, first_bit // 3, first_bit % 3)
    return False


@jit
def swap(s, player, resource):
    """AT-4.13: give up to ``left`` of ``resource`` for as much of the other."""
    moved = min(np.int64(s["left"]), np.int64(s["resources"][player, resource]))
    gain(s, player, resource, -moved)
    gain(s, player, 1 - resource, moved)
    s["left"] = 0


@jit
def turn_card(p, s, slot, side):
    """AT-4.12: the free card shows ``side``, whose `play` effects come next; that is no playing of a card."""
    player = np.int64(s["doing_owner"])
    card = np.int64(s["top"][slot, player])
    s["side"][card], s["turned"][card] = side, 1
    s["left"] = 0
    check_conquests(p, s)
    push(s, player, card, side, np.int64(p["when"][card, side, PLAY]))


@jit
def destroy_card(p, s, slot):
    """AT-4.9, AT-4.10: the free card of the target; the one beneath becomes free, the marker stays."""
    player = np.int64(s["doing_target"])
    card = np.int64(s["top"][slot, player])
    s["top"][slot, player] = s["below"][card]
    discard_action(s, card)
    if s["side"][card] == EXPAND:
        queue(s, player, card, EXPAND, np.int64(p["when"][card, EXPAND, DISCARDED]))
    s["left"] -= 1
    check_conquests(p, s)


@jit
def proceed(p, s):
    """Go on with the effect under way, until it is done or a decision is due: returns whether one is."""
    what, owner, target = s["doing"], np.int64(s["doing_owner"]), np.int64(s["doing_target"])
    if what <= LOSE_ENERGY:
        amount = np.int64(s["left"])
        gain(s, target, 0 if what in (GAIN_ORE, LOSE_ORE) else 1, amount if what <= GAIN_ENERGY else -amount)
        s["left"] = 0
    elif what == SWAP:
        ore, energy = s["resources"][owner, 0] > 0, s["resources"][owner, 1] > 0
        if ore and energy:
            return ask(s, ASK_SWAP, owner)
        swap(s, owner, 0 if ore else 1)
    elif what == DRAW:
        while s["left"] > 0 and draw_action(p, s, target):
            s["left"] -= 1
        s["left"] = 0
    elif what == TAKE:
        while s["left"] > 0 and take_planet(p, s, target):
            s["left"] -= 1
            happen(p, s, target, ON_TAKE, ANYWHERE)
            check_conquests(p, s)
            if s["terminated"]:
                return False
        s["left"] = 0
    elif what == REVEAL:
        if open_planet(p, s) >= 0:
            return ask(s, ASK_TURN, owner)
        s["left"] = 0
    elif what == ROTATE:
        ways, last_slot, last_side = 0, np.int64(0), np.int64(0)
        for slot in range(SLOTS):
            for side in range(4):
                if may_turn(p, s, owner, slot, side):
                    ways += 1
                    last_slot, last_side = slot, side
        if ways > 1:
            return ask(s, ASK_ROTATE, owner)
        if ways == 1:
            turn_card(p, s, last_slot, last_side)
            return False
        s["left"] = 0
    elif what == DISCARD_ACTION:
        if s["hand_actions"][target] > s["left"]:
            return ask(s, ASK_DISCARD_ACTION, target)  # AT-4.10
        for card in range(p["actions"]):
            if s["action_zone"][card] == HAND + target:
                discard_action_from_hand(s, target, card)
        s["left"] = 0
    elif what == DESTROY:
        while s["left"] > 0 and not s["terminated"]:
            ways, last_slot = 0, np.int64(0)
            for slot in range(SLOTS):
                if s["top"][slot, target] >= 0:
                    ways += 1
                    last_slot = slot
            if ways > 1:
                return ask(s, ASK_DESTROY, owner)  # AT-4.10
            if ways == 0:
                s["left"] = 0
            else:
                destroy_card(p, s, last_slot)
    else:
        if s["hand_planets"][target] > s["left"]:
            return ask(s, ASK_DISCARD_PLANET, target)
        for planet in range(p["planets"]):
            if s["planet_zone"][planet] == HAND + target:
                discard_planet_from_hand(s, target, planet)
        s["left"] = 0
    check_conquests(p, s)
    return False


# The stages of a turn


@jit
def start_turn(p, s, player):
    """AT-3: a new turn of ``player``: resources of Extract cards, then the income of the play area."""
    s["active"] = player
    s["turn"] += 1
    s["cards_played"] = 0
    s["stage"] = AT_MAIN
    for slot in range(SLOTS):
        s["slot_played"][slot] = 0
    for card in range(p["actions"]):
        s["turned"][card] = 0
    for card in range(p["actions"]):
        s["used"][card] = 0
    for slot in range(SLOTS):  # AT-3.1
        card = np.int64(s["top"][slot, player])
        while card >= 0:
            if s["side"][card] == EXTRACT:
                for index in range(MOST_EFFECTS):
                    resource = 0 if p["what"][card, EXTRACT, index] == GAIN_ORE else 1
                    gain(s, player, resource, np.int64(p["amount"][card, EXTRACT, index]))
            card = np.int64(s["below"][card])
    if s["area"][player] > 0:
        cards = cards_in(s["action_zone"], AREA + player)
        while cards:
            card, cards = take_lowest(cards)
            queue(s, player, card, EXPAND, np.int64(p["when"][card, EXPAND, INCOME]))


@jit
def play_card(p, s, player, card, slot, side):
    """AT-4.2 to AT-4.6: the marker and its gain, the cost, the card on top of the row, its effects."""
    more, at = gain_ahead(p, s, player, slot), np.int64(s["marker"][slot, player])
    gain(s, player, 0, more >> 4)
    gain(s, player, 1, more & 15)
    s["marker"][slot, player] = at + (at < 2 * p["half"] - 1)  # it stays on the last space
    if side != EXTRACT:
        for resource in range(2):
            gain(s, player, resource, -np.int64(p["cost"][card, resource]))
    happen(p, s, player, ON_EXTRACT + side, slot)  # before the card lies there: it does not see its own playing
    s["hand_actions"][player] -= 1
    s["action_zone"][card], s["action_known"][card] = ROW + player, 0
    s["action_slot"][card], s["side"][card] = slot, side
    s["below"][card], s["top"][slot, player] = s["top"][slot, player], card
    s["slot_played"][slot] = 1
    s["cards_played"] += 1
    check_conquests(p, s)
    push(s, player, card, side, np.int64(p["when"][card, side, PLAY]))


@jit
def claim(p, s, player):
    """AT-6.1: pay for Economic."""
    for resource in range(2):
        gain(s, player, resource, -np.int64(p["need_resources"]))
    score(s, player, ECONOMIC)


@jit
def spend(p, s, player, planet, half):
    """AT-4.8: a planet card from hand for the resources of one of its halves."""
    discard_planet_from_hand(s, player, planet)
    for resource in range(2):
        gain(s, player, resource, np.int64(p["half_sum"][planet, half, resource]))
    happen(p, s, player, ON_SPEND, ANYWHERE)
    check_conquests(p, s)


@jit
def markers_meet(p, s, slot):
    """AT-5.1: both markers are on one space."""
    at, other = np.int64(s["marker"][slot, 0]), np.int64(s["marker"][slot, 1])
    return at >= 0 and other >= 0 and at + other == 2 * p["half"] - 1


@jit
def start_conflict(s, slot):
    s["fight"] = slot
    s["stage"] = AT_COMMIT


@jit
def area_total(p, s, player):
    """AT-5.2: what the play area of ``player`` adds to any conflict of theirs: to them, and to the other player."""
    zones, area = s["action_zone"], np.int8(AREA + player)
    to_own, to_other = p["area_adds"][0], p["area_adds"][1]
    own = other = np.int16(0)
    for card in range(MAX_ACTIONS):  # so many that are so narrow make a few vector additions
        there = np.int16(zones[card] == area)
        own = np.int16(own + to_own[card] * there)
        other = np.int16(other + to_other[card] * there)
    return np.int64(own), np.int64(other)


@jit
def row_total(p, s, player, slot):
    """AT-5.2: strengths shown in the row of ``player``, and modifiers: to them, and to the other player."""
    own, other = 0, 0
    card = np.int64(s["top"][slot, player])
    while card >= 0:
        adds = p["adds"][card, s["side"][card]]
        own, other = own + np.int64(adds[0]), other + np.int64(adds[1])
        card = np.int64(s["below"][card])
    return own, other


@jit
def area_totals(p, s, player):
    """AT-5.2: what both play areas add to any conflict: to ``player``, and to the other."""
    own, given = area_total(p, s, player)
    other, taken = area_total(p, s, 1 - player)
    return own + taken, other + given


@jit
def totals(p, s, player, slot, areas):
    """AT-5.2: strength in a conflict at ``slot``, planet cards apart: of ``player``, and of the other.

    ``areas``: the :func:`area_totals`.
    """
    own, given = row_total(p, s, player, slot)
    other, taken = row_total(p, s, 1 - player, slot)
    return own + taken + areas[0], other + given + areas[1]


@jit
def decide_conflict(p, s):
    """AT-5.2, AT-5.3: add up; a tie goes to the active player. AT-5.5: queue what winning and losing set off."""
    slot, active = np.int64(s["fight"]), np.int64(s["active"])
    own, other = totals(p, s, active, slot, area_totals(p, s, active))
    if s["committed"][active] >= 0:
        own += np.int64(p["planet_strength"][s["committed"][active]])
    if s["committed"][1 - active] >= 0:
        other += np.int64(p["planet_strength"][s["committed"][1 - active]])
    winner = active if own >= other else 1 - active
    s["winner"] = winner
    for player in range(2):
        when = WIN if player == winner else LOSE
        card = np.int64(s["top"][slot, player])
        while card >= 0:
            side = np.int64(s["side"][card])
            queue(s, player, card, side, np.int64(p["when"][card, side, when]))
            card = np.int64(s["below"][card])
    happen(p, s, winner, ON_WIN, slot)
    s["stage"] = AT_WON


@jit
def clean_up(p, s):
    """AT-5.4: planet to the winner, Expand cards to the play areas, all else to the discard piles."""
    slot, winner = np.int64(s["fight"]), np.int64(s["winner"])
    s["planet_zone"][s["planet"][slot]] = DOMINATED + winner
    s["dominated"][winner] += 1
    s["planet"][slot] = -1
    for player in range(2):
        card = np.int64(s["top"][slot, player])
        while card >= 0:
            beneath = np.int64(s["below"][card])
            if s["side"][card] == EXPAND:
                s["action_zone"][card] = AREA + player
                s["area"][player] += 1
            else:
                discard_action(s, card)
            card = beneath
        s["top"][slot, player], s["marker"][slot, player] = -1, -1
        if s["committed"][player] >= 0:
            discard_planet(s, np.int64(s["committed"][player]))
            s["committed"][player] = -1
    s["fight"], s["winner"] = -1, -1
    s["stage"] = AT_GIVE_UP


@jit
def end_turn(p, s):
    """AT-5.7, AT-6.6: a planet is opened if none is; the end by turns; else the other player's turn."""
    if open_count(s) == 0:
        slot = open_planet(p, s)
        if slot >= 0:
            s["flip"][slot] = below(s, 2)
            check_conquests(p, s)
    s["idle"] = 0 if s["cards_played"] > 0 else s["idle"] + 1
    if s["turn"] >= p["max_turns"] or s["idle"] >= IDLE_TURNS:
        s["terminated"] = True
    if not s["terminated"]:
        start_turn(p, s, 1 - np.int64(s["active"]))


@jit
def may_act(p, s, player):
    """Is there anything to do in stage 2 but to end it? Any card can be played as Extract (AT-4.4)."""
    if s["hand_planets"][player] > 0 or may_claim(p, s, player):
        return True
    for slot in range(SLOTS):
        if may_play(p, s, slot):
            return s["hand_actions"][player] > 0
    return False


@jit
def next_stage(p, s):
    """Nothing is pending: go on with the turn; returns whether a decision is due."""
    stage, active = s["stage"], np.int64(s["active"])
    if stage == AT_MAIN:
        if may_act(p, s, active):
            return ask(s, ASK_MAIN, active)
        s["stage"] = AT_CONFLICTS
        return False
    if stage == AT_CONFLICTS:
        conflicts, last = 0, np.int64(0)
        for slot in range(SLOTS):
            if markers_meet(p, s, slot):
                conflicts += 1
                last = slot
        if conflicts > 1:
            return ask(s, ASK_ORDER, active)
        if conflicts == 1:
            start_conflict(s, last)
        else:
            s["stage"] = AT_REFILL
    elif stage in (AT_COMMIT, AT_ANSWER):
        player = active if stage == AT_COMMIT else 1 - active
        if s["hand_planets"][player] > 0:
            return ask(s, ASK_COMMIT, player)
        committed(p, s)
    elif stage == AT_WON:
        clean_up(p, s)
    elif stage in (AT_GIVE_UP, AT_GIVE_UP_OTHER):
        player = active if stage == AT_GIVE_UP else 1 - active
        if s["area"][player] > 3:
            return ask(s, ASK_GIVE_UP, player)
        s["stage"] += 1
        if stage == AT_GIVE_UP_OTHER:
            s["stage"] = AT_CONFLICTS
            check_conquests(p, s)
    elif stage == AT_REFILL:
        while s["hand_actions"][active] < HAND_SIZE and draw_action(p, s, active):
            pass
        s["stage"] = AT_END
        if may_claim(p, s, active):  # AT-6.3
            return ask(s, ASK_CLAIM, active)
    else:
        end_turn(p, s)
    return False


@jit
def committed(p, s):
    """The player whose planet card was asked for is done: the other's turn to add one, or the conflict is decided."""
    if s["stage"] == AT_COMMIT:
        s["stage"] = AT_ANSWER
    else:
        decide_conflict(p, s)


@jit
def run(p, s):
    """Work off effects and stages until a decision is due or the game is over."""
    asked = False
    while not asked and not s["terminated"]:
        if s["left"] > 0:
            asked = proceed(p, s)
        elif s["depth"] > 0:
            asked = next_from_stack(p, s)
        elif s["waiting"][0] + s["waiting"][1] > 0 and s["stage"] not in (AT_GIVE_UP, AT_GIVE_UP_OTHER):
            asked = next_from_queue(p, s)
        else:
            asked = next_stage(p, s)


# Actions (AT-7.1): the offset of each block, in the order of `notation.BLOCKS`


@jit
def spend_block(p):
    return 12 * p["actions"]


@jit
def claim_block(p):
    return spend_block(p) + 2 * p["planets"]


@jit
def effect_block(p):
    return claim_block(p) + 2


@jit
def rotate_block(p):
    return effect_block(p) + 12 * p["actions"]


@jit
def turn_block(p):
    return rotate_block(p) + 4 * SLOTS


@jit
def discard_block(p):
    return turn_block(p) + 2


@jit
def destroy_block(p):
    return discard_block(p) + p["actions"] + p["planets"]


@jit
def swap_block(p):
    return destroy_block(p) + SLOTS


@jit
def order_block(p):
    return swap_block(p) + 2


@jit
def commit_block(p):
    return order_block(p) + SLOTS


@jit
def give_up_block(p):
    return commit_block(p) + p["planets"] + 1


@jit
def decline_action(p):
    return give_up_block(p) + p["actions"]


@jit
def init(p, s, seed):
    """Section 2: hands, resources, two open planets, the first player."""
    s["ply"], s["terminated"], s["truncated"] = 0, False, False
    s["rng"] = scramble(np.uint64(seed))
    s["turn"], s["idle"] = 0, 0
    s["fight"], s["winner"] = -1, -1
    s["doing"], s["left"], s["doing_owner"], s["doing_target"], s["doing_side"] = 0, 0, 0, 0, -1
    s["depth"], s["stack_owner"] = 0, 0
    s["discarded_actions"], s["discarded_planets"] = 0, 0
    s["deck_actions"], s["deck_planets"] = p["actions"], p["planets"]
    s["stack_card"][:], s["stack_side"][:], s["stack_effects"][:] = 0, 0, 0
    s["action_zone"][:], s["planet_zone"][:] = -1, -1
    s["action_zone"][: p["actions"]], s["planet_zone"][: p["planets"]] = DECK, DECK
    s["action_slot"][:], s["side"][:], s["below"][:] = 0, 0, -1
    s["turned"][:], s["used"][:], s["pending"][:], s["pending_owner"][:] = 0, 0, 0, 0
    s["action_known"][:], s["planet_known"][:] = 0, 0
    for slot in range(SLOTS):
        s["planet"][slot], s["flip"][slot] = -1, 0
        for player in range(2):
            s["marker"][slot, player], s["top"][slot, player] = -1, -1
    first = np.int64(p["first_player"])
    if first < 0:  # AT-2.2
        first = below(s, 2)
    for player in range(2):
        s["points"][player], s["conquered"][player], s["committed"][player], s["waiting"][player] = 0, 0, -1, 0
        s["hand_actions"][player], s["hand_planets"][player], s["area"][player], s["dominated"][player] = 0, 0, 0, 0
        s["resources"][player, 0], s["resources"][player, 1] = 2, 2  # AT-2.1
        for _ in range(HAND_SIZE):
            draw_action(p, s, player)
        take_planet(p, s, player)
    for _ in range(2):
        slot = open_planet(p, s)
        s["flip"][slot] = below(s, 2)
    start_turn(p, s, first)
    run(p, s)


@jit
def step(p, s, action):
    """Carry out the decision, then go on to the next."""
    player, decision = np.int64(s["to_move"]), s["decision"]
    s["ply"] += 1
    if decision == ASK_MAIN:
        if action < spend_block(p):
            play_card(p, s, player, action // 12, action // 4 % 3, action % 4)
        elif action < claim_block(p):
            spent = action - spend_block(p)
            spend(p, s, player, spent // 2, spent % 2)
        elif action == claim_block(p):
            claim(p, s, player)
        else:
            s["stage"] = AT_CONFLICTS
    elif decision == ASK_EFFECT:
        chosen = action - effect_block(p)
        if s["depth"] > 0:
            start_from_stack(p, s, chosen % 3)
        else:
            start_from_queue(p, s, chosen // 12, chosen // 3 % 4, chosen % 3)
    elif decision == ASK_ROTATE:
        way = action - rotate_block(p)
        turn_card(p, s, way // 4, way % 4)
    elif decision == ASK_TURN:  # AT-4.11
        slot = 0
        while s["planet"][slot] < 0 or s["flip"][slot] >= 0:
            slot += 1
        s["flip"][slot] = player ^ (action - turn_block(p))
        s["left"] -= 1
        happen(p, s, player, ON_REVEAL, ANYWHERE)
        check_conquests(p, s)
    elif decision in (ASK_DISCARD_ACTION, ASK_DISCARD_PLANET):
        card = action - discard_block(p)
        if decision == ASK_DISCARD_ACTION:
            discard_action_from_hand(s, player, card)
        else:
            discard_planet_from_hand(s, player, card - p["actions"])
        s["left"] -= 1
        check_conquests(p, s)
    elif decision == ASK_DESTROY:
        destroy_card(p, s, action - destroy_block(p))
    elif decision == ASK_SWAP:
        swap(s, player, action - swap_block(p))
        check_conquests(p, s)
    elif decision == ASK_ORDER:
        start_conflict(s, action - order_block(p))
    elif decision == ASK_COMMIT:
        planet = action - commit_block(p)
        if planet < p["planets"]:
            s["committed"][player] = planet
            s["planet_zone"][planet] = COMMITTED + player
            s["hand_planets"][player] -= 1
        committed(p, s)
    elif decision == ASK_GIVE_UP:
        card = action - give_up_block(p)
        s["area"][player] -= 1
        discard_action(s, card)
        queue(s, player, card, EXPAND, np.int64(p["when"][card, EXPAND, DISCARDED]))
    elif action == claim_block(p):
        claim(p, s, player)
    run(p, s)


@jit
def put(out, n, action, as_mask):
    """Action number ``n``, counted from 0, of those that are legal, into a mask or a list; returns n + 1."""
    if as_mask:
        out[action] = 1
    else:
        out[n] = action
    return n + 1


@jit
def put_cards(zones, zone, first, out, n, as_mask):
    """One action, ``first`` plus its number, for each card that is in ``zone``."""
    cards = cards_in(zones, zone)
    while cards:
        card, cards = take_lowest(cards)
        n = put(out, n, first + card, as_mask)
    return n


@jit
def put_plays(p, s, player, out, as_mask):
    """AT-4.1, AT-4.4: cards in hand, open planets, and Extract, or any side of a card that can be paid for."""
    n, means, slots = np.int64(0), np.int64(0), np.int64(0)
    for slot in range(SLOTS):
        means |= funds(p, s, player, slot) << 16 * slot
        slots |= np.int64(may_play(p, s, slot)) << slot + 3
    cards = cards_in(s["action_zone"], HAND + player)
    while cards:
        card, cards = take_lowest(cards)
        # A byte of each resource at each slot: its highest bit stays if there is enough.
        paid = ((means | HIGH) - p["price"][card]) & HIGH
        paid &= paid >> 8
        key = slots | (paid >> 7 | paid >> 22 | paid >> 37) & 7
        for j in range(12):
            if as_mask:
                out[np.uint64(12 * card + j)] = PLAY_MASK[key, j]
            else:
                out[np.uint64(n + j)] = 12 * card + PLAY_LIST[key, j]
        n += PLAYS[key]
    return n


@jit
def put_effects(p, s, player, out, n, as_mask):
    """AT-4.7: what is left of the frame on top, or else all that waits for ``player``."""
    first = effect_block(p)
    if s["depth"] > 0:
        depth = s["depth"] - 1
        effects = np.int64(s["stack_effects"][depth])
        for index in range(MOST_EFFECTS):
            if effects >> index & 1:
                face = np.int64(s["stack_card"][depth]) * 4 + s["stack_side"][depth]
                n = put(out, n, first + face * 3 + index, as_mask)
        return n
    for card in range(p["actions"]):
        if s["pending"][card] and s["pending_owner"][card] == player:
            for bit in range(12):
                if s["pending"][card] >> bit & 1:
                    n = put(out, n, first + card * 12 + bit, as_mask)
    return n


@jit
def legal(p, s, out, as_mask):
    """The actions of the decision that is due, by number; returns how many."""
    n = np.int64(0)
    if s["terminated"]:
        return n
    player, decision = np.int64(s["to_move"]), s["decision"]
    if decision == ASK_MAIN:
        n = put_plays(p, s, player, out, as_mask)
        cards = cards_in(s["planet_zone"], HAND + player)
        while cards:
            planet, cards = take_lowest(cards)
            for half in range(2):
                n = put(out, n, spend_block(p) + 2 * planet + half, as_mask)
        if may_claim(p, s, player):
            n = put(out, n, claim_block(p), as_mask)
        n = put(out, n, claim_block(p) + 1, as_mask)
    elif decision == ASK_EFFECT:
        n = put_effects(p, s, player, out, n, as_mask)
    elif decision == ASK_ROTATE:
        for slot in range(SLOTS):
            for side in range(4):
                if may_turn(p, s, player, slot, side):
                    n = put(out, n, rotate_block(p) + slot * 4 + side, as_mask)
    elif decision == ASK_TURN:
        for half in range(2):
            n = put(out, n, turn_block(p) + half, as_mask)
    elif decision == ASK_DISCARD_ACTION:
        n = put_cards(s["action_zone"], HAND + player, discard_block(p), out, n, as_mask)
    elif decision == ASK_DISCARD_PLANET:
        first = discard_block(p) + p["actions"]
        n = put_cards(s["planet_zone"], HAND + player, first, out, n, as_mask)
    elif decision == ASK_DESTROY:
        for slot in range(SLOTS):
            if s["top"][slot, s["doing_target"]] >= 0:
                n = put(out, n, destroy_block(p) + slot, as_mask)
    elif decision == ASK_SWAP:
        for resource in range(2):
            n = put(out, n, swap_block(p) + resource, as_mask)
    elif decision == ASK_ORDER:
        for slot in range(SLOTS):
            if markers_meet(p, s, slot):
                n = put(out, n, order_block(p) + slot, as_mask)
    elif decision == ASK_COMMIT:
        n = put_cards(s["planet_zone"], HAND + player, commit_block(p), out, n, as_mask)
        n = put(out, n, commit_block(p) + p["planets"], as_mask)
    elif decision == ASK_GIVE_UP:
        n = put_cards(s["action_zone"], AREA + player, give_up_block(p), out, n, as_mask)
    else:
        n = put(out, n, claim_block(p), as_mask)
        n = put(out, n, decline_action(p), as_mask)
    return n


@jit
def legal_list(p, s, out):
    """The actions of AT-7.1 that are legal, in ascending order."""
    return legal(p, s, out, False)


@jit
def legal_mask(p, s, out):
    """The actions of :func:`legal_list` as a mask."""
    out[:] = 0
    return legal(p, s, out, True)


@jit
def returns(p, s, out):
    """AT-6.2, AT-6.6: more points win, then more dominated planets, else it is a draw."""
    out[0] = 0.0
    if s["terminated"]:
        margin = 100 * (np.int64(s["points"][0]) - s["points"][1]) + s["dominated"][0] - s["dominated"][1]
        out[0] = np.sign(margin)
    out[1] = 0.0 - out[0]  # no negative zero


@jit
def deal_unknown(s, zones, known, count, player):
    """Deal anew the cards in hand of ``player`` that the other cannot tell, from them and the deck."""
    n, pool = 0, 0
    for card in range(count):
        if zones[card] == HAND + player and known[card] == 0:
            zones[card] = DECK
            n += 1
        pool += zones[card] == DECK
    for k in range(n):
        zones[nth_in(zones, count, DECK, below(s, pool - k))] = HAND + player


@jit
def is_face_down(s):
    """AT-5.2: planet cards added to a conflict are hidden until both players had their turn to add one."""
    return s["stage"] in (AT_COMMIT, AT_ANSWER)


@jit
def resample(p, s, player, seed):
    """The other player's hand, a face-down planet card of theirs, the decks, and all chance to come."""
    s["rng"] = scramble(np.uint64(seed))
    other = 1 - player
    committed_one = s["committed"][other] >= 0 and is_face_down(s)
    if committed_one:
        s["planet_zone"][s["committed"][other]] = HAND + other
    deal_unknown(s, s["action_zone"], s["action_known"], p["actions"], other)
    deal_unknown(s, s["planet_zone"], s["planet_known"], p["planets"], other)
    if committed_one:
        n = below(s, np.int64(s["hand_planets"][other]) + 1)
        planet = nth_in(s["planet_zone"], p["planets"], HAND + other, n)
        s["committed"][other], s["planet_zone"][planet] = planet, COMMITTED + other


# Rows are written whole, and over the next ones, which are written later: loops of a fixed length with unsigned
# indices, so that Numba does not look for indices from the end, become a few vector operations without a branch.


@jit
def show_actions(p, s, player, out):
    """`state.CARD_ROWS`: a row of all action cards after the other."""
    count = p["actions"]
    zones, known, slots, sides = s["action_zone"], s["action_known"], s["action_slot"], s["side"]
    turned, used, pending, owners = s["turned"], s["used"], s["pending"], s["pending_owner"]
    for row in range(5):
        zone, least, at = ACTION_ZONES[player, row], ACTION_LEAST[row], np.uint64(row * count)
        for card in range(MAX_ACTIONS):
            out[at + np.uint64(card)] = (zones[card] == zone) & (known[card] >= least)
    for row in range(2 * SLOTS):
        theirs = row >= SLOTS
        zone, slot, at = np.int8(ROW + (player ^ theirs)), np.int8(row - SLOTS * theirs), np.uint64((5 + row) * count)
        for card in range(MAX_ACTIONS):
            out[at + np.uint64(card)] = (zones[card] == zone) & (slots[card] == slot)
    for row in range(4):
        side, at = np.int8(row), np.uint64((11 + row) * count)
        for card in range(MAX_ACTIONS):
            out[at + np.uint64(card)] = (sides[card] == side) & (zones[card] >= AREA)
    at = np.uint64(16 * count)
    for card in range(MAX_ACTIONS):
        out[at + np.uint64(card)] = turned[card]
    at = np.uint64(17 * count)
    for card in range(MAX_ACTIONS):
        out[at + np.uint64(card)] = used[card]
    for i in range(15 * count, 16 * count):
        out[np.uint64(i)] = 0
    for i in range(18 * count, CARD_ROWS * count):
        out[np.uint64(i)] = 0
    if s["waiting"][0] + s["waiting"][1] > 0:
        for row in range(4):
            at, first = np.uint64((18 + row) * count), 3 * row
            for card in range(count):
                out[at + np.uint64(card)] = pending[card] >> first & 7
        at = np.uint64(22 * count)
        for card in range(count):
            out[at + np.uint64(card)] = (pending[card] != 0) * (1 + (owners[card] != player))
    for slot in range(SLOTS):
        for side in range(2):
            place = 0
            card = np.int64(s["top"][slot, side])
            while card >= 0:
                place += 1
                out[np.uint64(15 * count + card)] = place
                card = np.int64(s["below"][card])
    for depth in range(s["depth"]):
        card = np.int64(s["stack_card"][depth])
        row = 23 if out[23 * count + card] == 0 else 26
        out[row * count + card] = s["stack_effects"][depth]
        out[(row + 1) * count + card] = s["stack_side"][depth] + 1
        out[(row + 2) * count + card] = depth + 1


@jit
def show_planets(p, s, player, out):
    """`state.PLANET_ROWS`, as :func:`show_actions`."""
    count, first = p["planets"], CARD_ROWS * p["actions"]
    for i in range(first, first + PLANET_ROWS * count):
        out[np.uint64(i)] = 0
    rows, least = PLANET_ROW[player], PLANET_LEAST[player]
    if is_face_down(s):  # AT-5.2: which of the cards in hand it was is not seen
        rows, least = PLANET_ROW[2 + player], PLANET_LEAST[2 + player]
    zones, known = s["planet_zone"], s["planet_known"]
    for planet in range(count):
        zone = np.uint64(zones[planet])
        out[np.uint64(first + rows[zone] * count + planet)] = known[planet] >= least[zone]
    for slot in range(SLOTS):
        planet = np.int64(s["planet"][slot])
        if planet >= 0:
            out[np.uint64(first + (5 + slot) * count + planet)] = 1


@jit
def show_slots(p, s, player, out):
    """`state.SLOT_ROWS`, as :func:`show_actions`."""
    first = CARD_ROWS * p["actions"] + PLANET_ROWS * p["planets"]
    for i in range(first, first + SLOT_ROWS * SLOTS):
        out[np.uint64(i)] = 0
    areas = area_totals(p, s, player)
    for slot in range(SLOTS):
        if s["planet"][slot] < 0:
            continue
        flip, strengths = s["flip"][slot], totals(p, s, player, slot, areas)
        at = first + slot
        out[at] = 1
        out[at + SLOTS] = flip == player
        out[at + 2 * SLOTS] = flip == 1 - player
        out[at + 3 * SLOTS] = s["slot_played"][slot]
        out[at + 4 * SLOTS] = s["fight"] == slot
        for k in range(2):
            seat = player ^ k
            more = gain_ahead(p, s, seat, slot) if flip >= 0 else 0
            out[at + (5 + 2 * k) * SLOTS], out[at + (6 + 2 * k) * SLOTS] = more >> 4, more & 15
            total = min(99, max(-99, strengths[k]))
            out[at + (9 + 2 * k) * SLOTS], out[at + (10 + 2 * k) * SLOTS] = max(total, 0), max(-total, 0)
            marker = np.int64(s["marker"][slot, seat])
            if marker >= 0:
                out[at + (13 + 8 * k + marker) * SLOTS] = 1


@jit
def show_counters(p, s, player, out):
    """`state.COUNTERS`, as :func:`show_actions`."""
    other = 1 - player
    for k in range(2):
        seat = player ^ k
        out[2 * k] = s["resources"][seat, 0]
        out[2 * k + 1] = s["resources"][seat, 1]
        out[4 + k] = s["hand_actions"][seat]
        out[6 + k] = s["hand_planets"][seat]
        out[10 + k] = s["points"][seat]
        for conquest in range(4):
            out[12 + 4 * k + conquest] = s["conquered"][seat] >> conquest & 1
        out[20 + k] = s["dominated"][seat]
    out[8], out[9] = s["deck_actions"], s["deck_planets"]
    turn, most = np.int64(s["turn"]), np.int64(p["max_turns"])
    out[22], out[23], out[24], out[25] = turn >> 4, turn & 15, most >> 4, most & 15
    out[26], out[27] = s["idle"], s["cards_played"]
    n = 28
    for i in range(n, len(out)):
        out[np.uint64(i)] = 0
    over = s["terminated"]
    if not over:
        out[n + s["decision"]] = 1
        out[n + 12 + s["stage"]] = 1
    n += 21
    out[n] = s["to_move"] == player and not over
    out[n + 1] = s["active"] == player
    out[n + 2] = player
    if s["left"] > 0:
        out[n + 3], out[n + 4] = s["doing"] + 1, s["left"]
        out[n + 5], out[n + 6] = s["doing_owner"] == player, s["doing_target"] == player
        out[n + 7] = s["doing_side"] + 1
    if s["depth"] > 0:
        out[n + 8] = 1 if s["stack_owner"] == player else 2
    out[n + 9], out[n + 10] = s["committed"][player] >= 0, s["committed"][other] >= 0
    if s["winner"] >= 0:
        out[n + 11] = 1 if s["winner"] == player else 2
    out[n + 12] = p["need_planets"] == 3
    out[n + 13] = over


@jit
def observe(p, s, player, out):
    """What ``player`` may know (AT-2.4): the tables of `state`, one after the other."""
    show_actions(p, s, player, out)
    show_planets(p, s, player, out)
    show_slots(p, s, player, out)
    show_counters(p, s, player, out[CARD_ROWS * p["actions"] + PLANET_ROWS * p["planets"] + SLOT_ROWS * SLOTS :])
