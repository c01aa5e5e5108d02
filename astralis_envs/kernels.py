"""The rules of Astralis as Numba kernels (the contract is `starboard.dispatch`, the records are `astralis_envs.state`).

Numbers such as AL-3.3 are clauses of RULES.md.
"""

from __future__ import annotations

import numpy as np

from astralis_envs.state import DELTA as _DELTA
from astralis_envs.state import NOWHERE, PLACES, SETUPS
from starboard.jit import jit
from starboard.rng import below, scramble

FIXED, RANDOM = SETUPS.index("fixed"), SETUPS.index("random")
STONE_0 = 0b01000000
ANY_STONE = 0b11000000

DELTA = np.array(_DELTA, np.int64)
# TOWARDS[PLACES + b - a] has the bit of the direction from place a to place b, if they are next to each other.
TOWARDS = np.zeros(2 * PLACES, np.uint8)
TOWARDS[PLACES + DELTA] = 1 << np.arange(6)
# For each set of directions in which a stone may go (bits 0..5): how many actions share the destination, the k of each
# as a list padded to 8 (one store), and as a mask over k = 0..6 (AL-6.1). None where bit 6 or 7 is set: a stone lies
# there. Looking that up is faster than a branch that the processor can't foresee.
_CHOICES = [[] if bits > 63 else [0] + [d + 1 for d in range(6) if bits >> d & 1] for bits in range(256)]
CHOICES = np.array([len(ks) for ks in _CHOICES], np.int64)
CHOICE_LIST = np.array([(ks + [0] * 8)[:8] for ks in _CHOICES], np.int16)
CHOICE_MASK = np.array([[k in ks for k in range(7)] for ks in _CHOICES], np.int8)


@jit
def init(p, s, seed):
    """Section 2: an empty board; ships are still to be put, or stand where the option ``setup`` says."""
    cells, size = p["cells"], p["size"]
    s["to_move"], s["ply"], s["terminated"], s["truncated"] = 0, 0, False, False
    s["rng"] = scramble(np.uint64(seed))
    s["stall"], s["unexplored"], s["last"] = 0, cells, -1
    for player in range(2):
        s["ship"][player] = NOWHERE
        s["stones_left"][player] = p["stones"]
        s["control"][player] = 0
    for place in range(PLACES):
        s["code"][place] = p["code"][place]
        s["tile"][place] = p["tile"][place]
    s["planes"][:] = 0
    if p["setup"] == FIXED:  # AL-2.2
        s["ship"][0] = p["place"][cells - 1 - (size - 1) // 2]
        s["ship"][1] = p["place"][(size - 1) // 2]
    elif p["setup"] == RANDOM:
        s["ship"][0] = p["place"][cells - size + 1 + below(s, size - 2)]
        s["ship"][1] = p["place"][1 + below(s, size - 2)]


@jit
def put_stone(p, s, me, place):
    """AL-4.1, AL-4.2: a stone and a control tile on ``place``, control or contested tiles around it."""
    cells = np.int64(p["cells"])
    code, tile, planes = s["code"], s["tile"], s["planes"]
    mine, foe = np.uint8(1 << me), np.uint8(2 >> me)
    s["stones_left"][me] -= 1
    code[place] |= np.uint8(STONE_0 << me)
    planes[me * cells + p["index"][place]] = 1
    for k in range(7):
        around = place if k == 6 else place + DELTA[k]
        before = tile[around]
        tile[around] = before | mine
        if before == 0:
            s["unexplored"] -= 1
            s["control"][me] += 1
            planes[(2 + me) * cells + p["index"][around]] = 1
            for d in range(6):  # the neighbours' bit for this place: seen from there it lies in direction d + 3
                code[around + DELTA[d]] &= np.uint8(255 - (1 << (d + 3 if d < 3 else d - 3)))
        elif before == foe:
            s["control"][1 - me] -= 1
            planes[(3 - me) * cells + p["index"][around]] = 0
            planes[4 * cells + p["index"][around]] = 1


@jit
def put_bonus_stones(p, s, me):
    """AL-4.4: fill each unexplored hex whose neighbours the mover all controls, in index order, while stones last.

    Filling one changes no other tile, so one pass finds them all. Own ships keep a hex open, the opponent's do not.
    """
    tile = s["tile"]
    for index in range(p["cells"]):
        place = np.int64(p["place"][index])
        if tile[place] == 0 and place != s["ship"][me] and s["stones_left"][me] > 0:
            surrounded = True
            for d in range(6):
                around = place + DELTA[d]
                margin = s["code"][around] & ANY_STONE == ANY_STONE
                surrounded &= margin or tile[around] == 1 << me
            if surrounded:
                put_stone(p, s, me, place)


@jit
def step(p, s, action):
    """Sections 2 to 5: put the ship (setup), or move and perhaps place, or pass; then see whether the game is over."""
    me = np.int64(s["to_move"])
    destination, k = action // 7, action % 7
    if destination == p["cells"]:
        # AL-3.5. After a pass the opponent can move: the ship that blocked the corner has a way off.
        assert s["last"] != action
        s["stall"] += 1
    else:
        place = np.int64(p["place"][destination])
        if s["ship"][me] != NOWHERE:  # AL-5.3: setup is no turn
            s["stall"] += 1
        s["ship"][me] = place
        if k > 0:
            s["stall"] = 0
            put_stone(p, s, me, place + DELTA[k - 1])
            if p["bonus_stones"]:
                put_bonus_stones(p, s, me)
    s["last"] = action
    s["ply"] += 1
    s["to_move"] = 1 - me
    s["terminated"] = s["unexplored"] == 0 or s["stall"] >= p["stall_limit"]  # AL-5.1, AL-5.3


@jit
def setup_cells(p, me):
    """AL-2.1: first and last index, plus one, of the non-corner cells of a player's near edge."""
    cells, size = np.int64(p["cells"]), np.int64(p["size"])
    return (cells - size + 1, cells - 1) if me == 0 else (1, size - 1)


@jit
def legal_list(p, s, out):
    """Sections 2 to 4, as actions of AL-6.1; by direction, then distance, then k."""
    if s["terminated"]:
        return 0
    me = np.int64(s["to_move"])
    here, foe = np.int64(s["ship"][me]), np.int64(s["ship"][1 - me])
    n = 0
    if here == NOWHERE:
        first, last = setup_cells(p, me)
        for index in range(first, last):
            out[n] = index * 7
            n += 1
        return n
    code, index = s["code"], p["index"]
    own_stone, foe_stone = STONE_0 << me, STONE_0 << (1 - me)
    seen = own_stone | (63 if s["stones_left"][me] > 0 else 0)  # AL-3.2: no stop on an own stone; AL-4.3
    for d in range(6):
        delta = DELTA[d]
        place = here + delta
        while place != foe and code[np.uint16(place)] & foe_stone == 0:  # AL-3.3
            at = np.uint16(place)  # unsigned, so that Numba does not look for indices from the end
            spots = np.uint8(code[at] & seen & ~TOWARDS[np.uint16(PLACES + foe - place)])  # AL-4.1: not under that ship
            action = np.int16(index[at] * 7)
            row, choices = out[n:], CHOICE_LIST[spots]
            for j in range(8):
                row[j] = action + choices[j]
            n += CHOICES[spots]
            place += delta
    if n == 0:  # AL-3.5
        out[0] = p["cells"] * 7
        n = 1
    return n


@jit
def legal_mask(p, s, out):
    """The actions of :func:`legal_list` as a mask."""
    out[:] = 0
    if s["terminated"]:
        return 0
    me = np.int64(s["to_move"])
    here, foe = np.int64(s["ship"][me]), np.int64(s["ship"][1 - me])
    n = 0
    if here == NOWHERE:
        first, last = setup_cells(p, me)
        for index in range(first, last):
            out[index * 7] = 1
        return last - first
    code, index = s["code"], p["index"]
    own_stone, foe_stone = STONE_0 << me, STONE_0 << (1 - me)
    seen = own_stone | (63 if s["stones_left"][me] > 0 else 0)
    for d in range(6):
        delta = DELTA[d]
        place = here + delta
        while place != foe and code[np.uint16(place)] & foe_stone == 0:
            at = np.uint16(place)
            spots = np.uint8(code[at] & seen & ~TOWARDS[np.uint16(PLACES + foe - place)])
            action = np.int64(index[at]) * 7
            for j in range(7):
                out[action + j] = CHOICE_MASK[spots, j]
            n += CHOICES[spots]
            place += delta
    if n == 0:
        out[p["cells"] * 7] = 1
        n = 1
    return n


@jit
def copy_plane(source, target, cells):
    """Over views that start at 0, which Numba turns into vector copies: ten times faster than at signed indices."""
    for i in range(cells):
        target[i] = source[i]


@jit
def observe(p, s, player, out):
    """The planes of `state.PLANES`, flat: everything is public, so only colours depend on the ``player``."""
    cells = np.int64(p["cells"])
    planes = s["planes"]
    flip = player * cells
    copy_plane(planes[flip:], out, cells)
    copy_plane(planes[cells - flip :], out[cells:], cells)
    copy_plane(planes[2 * cells + flip :], out[2 * cells :], cells)
    copy_plane(planes[3 * cells - flip :], out[3 * cells :], cells)
    copy_plane(planes[4 * cells :], out[4 * cells :], cells)
    rest = out[5 * cells :]
    for i in range(3 * cells):
        rest[i] = 0
    for side in range(2):
        place = s["ship"][player ^ side]
        if place != NOWHERE:
            out[(5 + side) * cells + p["index"][place]] = 1
    counters = out[7 * cells :]
    over = s["terminated"]
    counters[0] = s["ship"][1] == NOWHERE
    counters[1] = s["to_move"] == player and not over
    counters[2] = player
    counters[3] = s["stones_left"][player]
    counters[4] = s["stones_left"][1 - player]
    counters[5] = s["stall"]
    counters[6] = p["stall_limit"]
    komi2 = np.int64(p["komi2"]) if player == 1 else -np.int64(p["komi2"])
    counters[7] = max(komi2, 0)
    counters[8] = max(-komi2, 0)
    counters[9] = p["bonus_stones"]
    counters[10] = over


@jit
def margin2(p, s):
    """Twice player 0's score less player 1's, komi included (AL-5.2)."""
    return 2 * (np.int64(s["control"][0]) - s["control"][1]) - p["komi2"]


@jit
def returns(p, s, out):
    """AL-5.2: +1 and -1, or 0 and 0 for a draw."""
    out[0] = np.sign(margin2(p, s)) if s["terminated"] else 0
    out[1] = 0.0 - out[0]  # no negative zero


@jit
def resample(p, s, player, seed):
    """Nothing is hidden; only the generator's future is dealt anew."""
    s["rng"] = scramble(np.uint64(seed))
