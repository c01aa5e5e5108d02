"""Grab: a small game with what Astralis lacks, to test generic code and the checks of ``starboard.testing``.

Three players, hidden hands, chance, and no alternation. Of nine cards, 0 to 8, each player is dealt two; three are the
stock. The player to move plays a card from hand, or draws one at random from the stock, up to three in hand, and then
moves again. A played card c calls seat c % 3 to move next, or the next one after it that has cards. When all hands are
empty, who played the highest sum wins 1 and the others lose a half each; a tie for the highest is a draw for all.

The option ``fault`` breaks the game in one way: each of the checks must find some of them.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from starboard import dispatch
from starboard.jit import jit, source_hash
from starboard.render import Canvas
from starboard.rng import below, scramble
from starboard.spec import Game, GameSpec, Option

SEATS, CARDS, DRAW = 3, 9, 9
STOCK, PLAYED = 3, 4  # owner of a card: 0 .. 2 in hand, 3 stock, 4 .. 6 played by seat 0 .. 2
FAULTS = (
    "none",
    "observation shows the first card of the next seat",
    "observation out of bounds",
    "observation leaves an entry as it was",
    "observation changes the record",
    "mask depends on a hidden card",
    "mask lacks an action of the list",
    "mask leaves an entry as it was",
    "no action at ply 4",
    "list has an action twice",
    "list writes behind its room",
    "returns before the end",
    "returns do not add up",
    "the game goes on after max_plies",
    "resample leaves the generator",
    "resample loses a card",
    "resample is not the same each time",
    "two actions have one name",
    "decode loses a card",
    "chance from outside",
    "the sum is kept wrongly",
    "the text shows all hands",
    "the drawing shows all hands",
    "the drawing is not XML",
    "the drawing has no size",
    "the drawing grows",
    "the drawing is not the same each time",
    "drawing changes the record",
)

TAG = "grab_" + source_hash(__file__)
STATE = np.dtype(
    [(TAG, np.int8), *dispatch.HEADER, ("owner", np.int8, (CARDS,)), ("sum", np.int16, (SEATS,))], align=True
)
PARAMS = np.dtype([(TAG, np.int8), ("fault", np.int8)])
(
    _,
    SHOWS,
    OUT_OF_BOUNDS,
    UNWRITTEN,
    IMPURE,
    MASK_LEAK,
    MASK_LACKS,
    MASK_UNWRITTEN,
    STUCK,
    TWICE,
    OVERRUN,
    EARLY,
    SUM,
    ENDLESS,
    SAME_FUTURE,
    LOST_CARD,
    UNSTABLE,
    ONE_NAME,
    _DECODE,
    OUTSIDE,
    WRONG_SUM,
    *_DRAWN,
) = range(len(FAULTS))

calls = itertools.count()
SIZE = 4 * CARDS  # planes: own hand, played by me, by the next, by the one after; then counters


@jit
def in_hand(s, seat):
    n = 0
    for card in range(CARDS):
        n += s["owner"][card] == seat
    return n


@jit
def deal(s, seat, n):
    """Give ``seat`` so many cards of the stock."""
    for _ in range(n):
        left = below(s, in_hand(s, STOCK))
        for card in range(CARDS):
            if s["owner"][card] == STOCK:
                if left == 0:
                    s["owner"][card] = seat
                    break
                left -= 1


@jit
def init(p, s, seed):
    s["to_move"], s["ply"], s["terminated"], s["truncated"] = 0, 0, False, False
    s["rng"] = scramble(np.uint64(seed))
    s["sum"][:] = 0
    s["owner"][:] = STOCK
    for seat in range(SEATS):
        deal(s, seat, 2)


@jit
def step(p, s, action):
    me = np.int64(s["to_move"])
    s["ply"] += 1
    if action == DRAW:
        if p["fault"] == OUTSIDE:
            s["rng"] = s["rng"] + np.uint64(np.random.randint(1, 1000))  # noqa: NPY002
        deal(s, me, 1)
        return
    s["owner"][action] = PLAYED + me
    s["sum"][me] += action
    if p["fault"] == WRONG_SUM and action == 5:
        s["sum"][me] += 1
    if p["fault"] == ENDLESS and s["ply"] > 5:
        s["owner"][action] = me
    following = action % SEATS
    for _ in range(SEATS):
        if in_hand(s, following) > 0:
            s["to_move"] = following
            return
        following = (following + 1) % SEATS
    s["terminated"] = True


@jit
def may_draw(p, s, cards):
    leaks = p["fault"] == MASK_LEAK and s["owner"][0] == STOCK
    return cards < 3 and in_hand(s, STOCK) > 0 and not leaks


@jit
def legal_list(p, s, out):
    n = 0
    if s["terminated"] or (p["fault"] == STUCK and s["ply"] == 4):
        return 0
    me = s["to_move"]
    for card in range(CARDS):
        if s["owner"][card] == me:
            out[n] = card
            n += 1
    if may_draw(p, s, n):
        out[n] = DRAW
        n += 1
    if p["fault"] == TWICE and s["ply"] == 3:
        out[n] = out[0]
        n += 1
    if p["fault"] == OVERRUN:
        out[len(out)] = 7
    return n


@jit
def legal_mask(p, s, out):
    for action in range(DRAW + 1):
        if not (p["fault"] == MASK_UNWRITTEN and action == 2):
            out[action] = 0
    if s["terminated"] or (p["fault"] == STUCK and s["ply"] == 4):
        return 0
    me = s["to_move"]
    n = 0
    for card in range(CARDS):
        if s["owner"][card] == me and not (p["fault"] == MASK_LACKS and card == 4):
            out[card] = 1
            n += 1
    if may_draw(p, s, in_hand(s, me)):
        out[DRAW] = 1
        n += 1
    return n


@jit
def observe(p, s, player, out):
    for i in range(SIZE, len(out)):
        if not (p["fault"] == UNWRITTEN and i == len(out) - 1):
            out[i] = 0
    for card in range(CARDS):
        owner = s["owner"][card]
        out[card] = owner == player
        for k in range(SEATS):
            out[(1 + k) * CARDS + card] = owner == PLAYED + (player + k) % SEATS
    counters = out[SIZE:]
    counters[0] = player
    counters[1] = s["terminated"]
    counters[2] = (s["to_move"] - player + SEATS) % SEATS
    for k in range(SEATS):
        counters[3 + k] = in_hand(s, (player + k) % SEATS)
    if p["fault"] == SHOWS and s["owner"][0] == (player + 1) % SEATS:
        counters[6] = 1
    if p["fault"] == OUT_OF_BOUNDS and s["ply"] == 2:
        counters[2] = 3
    if p["fault"] == IMPURE:
        s["rng"] = s["rng"] + np.uint64(1)


@jit
def returns(p, s, out):
    best, winners = np.int64(s["sum"][0]), 0
    for seat in range(1, SEATS):
        best = max(best, np.int64(s["sum"][seat]))
    for seat in range(SEATS):
        winners += s["sum"][seat] == best
    for seat in range(SEATS):
        out[seat] = 0.0
        if s["terminated"] and winners == 1:
            out[seat] = 1.0 if s["sum"][seat] == best else -0.5
            if p["fault"] == SUM:
                out[seat] = 1.0 if s["sum"][seat] == best else -1.0
    if p["fault"] == EARLY and s["ply"] == 3:
        out[0] = 0.5


@partial(jit, allocates=True)
def resample(p, s, player, seed):
    if p["fault"] != SAME_FUTURE:
        s["rng"] = scramble(np.uint64(seed))
    if p["fault"] == UNSTABLE:
        s["rng"] = s["rng"] + np.uint64(np.random.randint(1, 1000))  # noqa: NPY002
    hands = np.zeros(SEATS, np.int64)
    for seat in range(SEATS):
        hands[seat] = in_hand(s, seat)
    for card in range(CARDS):
        if s["owner"][card] < SEATS and s["owner"][card] != player:
            s["owner"][card] = STOCK
    for seat in range(SEATS):
        if seat != player:
            deal(s, seat, hands[seat])
    if p["fault"] == LOST_CARD and in_hand(s, player) > 0:
        for card in range(CARDS):
            if s["owner"][card] == player:
                s["owner"][card] = STOCK
                break


@jit
def evaluate(p, s, player):
    return float(s["sum"][player])


dispatch.register(STATE, {name: globals()[name] for name in dispatch.CONTRACT})


def recompute(record):
    """``sum`` from the cards played."""
    owner = record["owner"]
    return {"sum": [np.flatnonzero(owner == PLAYED + seat).sum() for seat in range(SEATS)]}


def decode(observation, fault):
    records = np.zeros(1, STATE)
    s = records[0]
    planes, counters = observation.reshape(-1)[:SIZE].reshape(4, CARDS), observation.reshape(-1)[SIZE:]
    me = int(counters[0])
    s["terminated"] = counters[1]
    s["to_move"] = (me + counters[2]) % SEATS
    s["owner"][:] = STOCK
    s["owner"][planes[0] == 1] = me
    for k in range(SEATS):
        s["owner"][planes[1 + k] == 1] = PLAYED + (me + k) % SEATS
    hidden = np.flatnonzero(s["owner"] == STOCK).tolist()
    for k in (1, 2):
        for _ in range(int(counters[3 + k])):
            s["owner"][hidden.pop()] = (me + k) % SEATS
    s["sum"][:] = recompute(s)["sum"]
    if fault == "decode loses a card" and planes[0].any():
        s["owner"][planes[0].argmax()] = STOCK
    return records


def text(record, viewer, fault):
    owners = list("012.abc")
    if viewer is not None and fault != "the text shows all hands":
        owners[:STOCK] = ["." if seat != viewer else owner for seat, owner in enumerate(owners[:STOCK])]
    return " ".join(owners[owner] for owner in record["owner"])


def svg(record, viewer, theme, fault):
    width = 101 if fault == "the drawing grows" and viewer == 0 else 100
    canvas = Canvas(width, 50, "grab", "cards", {}, theme)
    canvas.add("text", text(record, None if fault == "the drawing shows all hands" else viewer, fault), y=20)
    if fault == "the drawing is not the same each time":
        canvas.add("text", str(next(calls)))
    if fault == "drawing changes the record":
        record["sum"][0] += 1
    drawn = canvas.svg()
    if fault == "the drawing has no size":
        drawn = drawn.replace("width", "data-width")
    return drawn.replace("</text>", "") if fault == "the drawing is not XML" else drawn


def parse(record, text):
    if text == "draw":
        return DRAW
    if not text.isdecimal() or int(text) >= CARDS:
        raise ValueError(f"{text!r}: is neither a card nor draw")
    return int(text)


def build(options):
    fault = options["fault"]
    params = np.zeros(1, PARAMS)
    params["fault"] = FAULTS.index(fault)
    params.flags.writeable = False
    high = np.ones((5, CARDS), np.int8)
    high[4, :6] = [2, 1, 2, 3, 3, 3]
    high.flags.writeable = False

    def describe(record, action):
        if fault == "two actions have one name" and action == 3:
            action = 5
        return "draw" if action == DRAW else str(action)

    return GameSpec(
        name="grab",
        version=0,
        options=options,
        num_players=SEATS,
        params=params,
        state_dtype=STATE,
        num_actions=CARDS + 1,
        max_legal=4,
        observation_high=high,
        max_plies=CARDS + 3,
        describe_action=describe,
        parse_action=parse,
        final_info=lambda record: {"sums": record["sum"].tolist()},
        text=lambda record, viewer: text(record, viewer, fault),
        svg=lambda record, viewer, theme: svg(record, viewer, theme, fault),
        is_secret=lambda record, action: action == DRAW,
        decode=lambda observation: decode(observation, fault),
        zero_sum=True,
    )


GAME = Game(
    "grab", 0, "three players, hidden hands", (Option("fault", "none", "how it is broken", choices=FAULTS),), build
)
