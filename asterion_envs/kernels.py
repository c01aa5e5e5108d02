"""The rules of Asterion as Numba kernels (the contract is `starboard.dispatch`, the records are `asterion_envs.state`).

Numbers such as AN-3.3 are clauses of RULES.md.
"""

from __future__ import annotations

import numpy as np

from asterion_envs.cards import CARDS
from asterion_envs.flood import agrees
from asterion_envs.state import ASTERION, LOOK, MARGIN, MAX_PLAYERS, NOTHING, OUTSIDE, OWNERS, REACHED, TOMB
from starboard.jit import jit
from starboard.rng import below, scramble

LOOKS = len(LOOK)
LANE = 16
ALL = (1 << CARDS) - 1
BITS = np.array([[byte >> bit & 1 for bit in range(8)] for byte in range(256)], np.int8)


@jit
def init(p, s, seed):
    """Section 2: Asterion's card alone; removals are still to choose, or drawn, or there are none."""
    players, spaces = np.int64(p["players"]), np.int64(p["spaces"])
    s["to_move"], s["ply"], s["terminated"], s["truncated"] = 0, 0, False, False
    s["rng"] = scramble(np.uint64(seed))
    for seat in range(MAX_PLAYERS):
        playing = seat < players
        s["hand"][seat], s["points"][seat], s["removed"][seat], s["aside"][seat] = NOTHING, 0, 0, 0
        s["deck"][seat], s["left"][seat] = (ALL, CARDS) if playing else (0, 0)
        s["to_remove"][seat] = p["removals"] if playing and not p["random_discard"] else 0
    clear(s["card"], spaces + 1, NOTHING)
    clear(s["spot"], spaces, NOTHING)
    clear(s["owner"], spaces, NOTHING)
    clear(s["part"], 4 * spaces + 4, NOTHING)
    clear(s["order"], spaces + 1, 0)
    clear(s["turn"], spaces, 0)
    clear(s["next"], 4 * spaces, 0)
    clear(s["exits"], 4 * spaces, 0)
    s["exits"][NOTHING] = 1
    clear(s["wings"], 4 * spaces, 0)
    clear(s["coins"], 4 * spaces, 0)
    clear(s["planes"], (OWNERS + players) * spaces, 0)
    start = spaces // 2  # AN-1.4
    s["spot"][spaces] = 0  # never next to a card
    s["order"][0], s["spot"][start] = start, 0
    s["laid"], s["known"] = 0, 1
    s["ways"][0] = start
    lay(p, s, start, ASTERION * 4, NOTHING)
    for opening in range(4 * start, 4 * start + 4):
        reach(p, s, opening, NOTHING)
    if p["random_discard"]:  # AN-2.2
        for seat in range(players):
            for _ in range(p["removals"]):
                remove(s, seat, draw(s, np.int64(s["deck"][seat]), np.int64(s["left"][seat])))
    if s["to_remove"][0] == 0:
        for seat in range(players):
            draw_hand(s, seat)


@jit
def clear(field, length, value):
    """Set the first ``length`` entries."""
    for i in range(length):
        field[i] = value


@jit
def draw(s, cards, count):
    """A card at random of the ``count`` in the set ``cards``, at least one."""
    n = below(s, count)
    card, seen = 0, 0
    for i in range(CARDS - 1):  # no branches: the processor could not foresee them
        seen += cards >> i & 1
        card += seen <= n
    return card


@jit
def draw_hand(s, seat):
    """AN-2.4, AN-3.5: the next card of the shuffled deck, if there is one."""
    count = np.int64(s["left"][seat])
    if count == 0:
        s["hand"][seat] = NOTHING
    else:
        card = draw(s, np.int64(s["deck"][seat]), count)
        s["hand"][seat] = card
        s["deck"][seat] ^= np.int32(1 << card)


@jit
def remove(s, seat, card):
    """AN-2.1: out of the game before it begins."""
    s["deck"][seat] ^= np.int32(1 << card)
    s["removed"][seat] |= np.int32(1 << card)
    s["left"][seat] -= 1


@jit
def lay(p, s, space, kind, owner):
    """Put a card on an empty ``space`` that is listed in ``order``; ``owner`` is whose card it is and who plays it."""
    put(p, s, space, kind, owner)
    join(p, s, space, kind, owner)
    if space == s["ways"][0] or space == s["ways"][1]:
        look_for_ways(p, s)


@jit
def put(p, s, space, kind, owner):
    """All of :func:`lay` that does not depend on other cards."""
    spaces = np.int64(p["spaces"])
    s["card"][space], s["turn"][space], s["owner"][space] = kind >> 2, kind & 3, owner
    planes, look = s["planes"], p["look"][kind * LOOKS :]
    for plane in range(LOOKS):  # unsigned, so that Numba does not look for indices from the end
        planes[np.uint64(plane * spaces + space)] = look[np.uint64(plane)]
    if owner != NOTHING:
        planes[(OWNERS + owner) * spaces + space] = 1
    order, spot, across = s["order"], s["spot"], p["across"]
    laid, known, at = np.int64(s["laid"]), np.int64(s["known"]), np.int64(spot[space])
    other = np.int64(order[laid])  # changes places with the space, which so joins those with cards
    order[at], spot[other] = other, at
    order[laid], spot[space] = space, laid
    for opening in range(4 * space, 4 * space + 4):
        beside = np.int64(across[opening]) >> 2
        before = np.int64(spot[beside])
        order[known] = beside
        spot[beside] = known if before == NOTHING else before
        known += before == NOTHING
    s["laid"], s["known"] = laid + 1, known


@jit
def join(p, s, space, kind, player):
    """AN-3.3, AN-3.4: the corridors of the card just put on ``space`` join others, and ``player`` impales.

    There are few branches, as the processor can hardly foresee them: ``exits[NOTHING]``, the last entry, takes what
    walls would get, and is 1 again afterwards.
    """
    spaces, base, asterion = np.int64(p["spaces"]), 4 * space, asterion_part(p)
    part, exits, planes = s["part"], s["exits"], s["planes"]
    for d in range(4):
        opening, row = base + d, 4 * kind + d
        first = np.int64(p["first"][row])
        part[opening] = NOTHING if first == NOTHING else base + first
        s["next"][opening] = base + np.int64(p["mate"][row])
        s["wings"][opening] = p["wings"][row]
        s["coins"][opening] = p["coins"][row]
        planes[(OUTSIDE + d) * spaces + space] = first != NOTHING
    for d in range(4):
        across = np.int64(p["across"][base + d])
        own, other = np.int64(part[base + d]), np.int64(part[across])
        exits[own] += s["card"][across >> 2] == NOTHING
        exits[other] -= 1
        if own != NOTHING and other != NOTHING and own != other:
            merge(p, s, own if own == asterion else other, other if own == asterion else own, player)
    exits[NOTHING] = 1
    for d in range(4):
        own, other = np.int64(part[base + d]), np.int64(part[p["across"][base + d]])
        if exits[own] == 0:
            close(p, s, own)
        if exits[other] == 0:
            close(p, s, other)


@jit
def asterion_part(p):
    """Label of Asterion's part."""
    return 4 * (np.int64(p["spaces"]) // 2)


@jit
def merge(p, s, label, other, player):
    """Make one part of two; the part ``other`` takes the ``label`` of the first."""
    part, following = s["part"], s["next"]
    s["exits"][label] += s["exits"][other]
    s["wings"][label] += s["wings"][other]
    s["coins"][label] += s["coins"][other]
    s["exits"][other] = s["wings"][other] = s["coins"][other] = 0
    reached = label == asterion_part(p)
    opening = other
    while part[opening] != label:
        part[opening] = label
        if reached:
            reach(p, s, opening, player)
        opening = np.int64(following[opening])
    after = np.int64(following[label])
    following[label] = following[other]
    following[other] = after


@jit
def reach(p, s, opening, player):
    """AN-3.4: an opening is joined to Asterion, who impales the prisoner that lies there, if one does."""
    spaces = np.int64(p["spaces"])
    space, d = opening >> 2, opening & 3
    s["planes"][(REACHED + d) * spaces + space] = 1
    if p["prisoner"][4 * kind_at(s, space) + d]:
        s["planes"][TOMB * spaces + space] = 1
        if p["standard_scoring"]:
            s["points"][player] += -1 if s["owner"][space] == player else 1


@jit
def kind_at(s, space):
    """The card on ``space``, and how it is turned."""
    return 4 * np.int64(s["card"][space]) + s["turn"][space]


@jit
def close(p, s, label):
    """Show that the part ``label`` has no exit left."""
    spaces = np.int64(p["spaces"])
    planes, opening = s["planes"], label
    while planes[(OUTSIDE + (opening & 3)) * spaces + (opening >> 2)]:
        planes[(OUTSIDE + (opening & 3)) * spaces + (opening >> 2)] = 0
        opening = np.int64(s["next"][opening])


@jit
def look_for_ways(p, s):
    """Write to ``ways`` two spaces that exits of Asterion's part face, or one and NOTHING; the edge counts as two."""
    asterion, ways = asterion_part(p), s["ways"]
    ways[0] = ways[1] = NOTHING
    opening = asterion
    while True:
        space = np.int64(p["across"][opening]) >> 2
        if space == p["spaces"]:
            ways[0] = ways[1] = space
            return
        if s["card"][space] == NOTHING and space != ways[0]:
            ways[1] = ways[0]
            ways[0] = space
            if ways[1] != NOTHING:
                return
        opening = np.int64(s["next"][opening])
        if opening == asterion:
            return


@jit
def critical_space(s):
    """The one empty space that all of Asterion's exits face, or NOTHING: only there can a card shut Asterion in."""
    return np.int64(s["ways"][0]) if s["ways"][1] == NOTHING else NOTHING


@jit
def leaves_a_way(p, s, space, kind):
    """AN-3.2 for a card on the critical ``space``: do its corridors lead Asterion on to an exit?"""
    asterion = asterion_part(p)
    reached = 0  # directions of openings of the card
    for d in range(4):
        if s["part"][p["across"][4 * space + d]] == asterion:
            reached |= 1 << d
    before = -1
    while reached != before:
        before = reached
        for d in range(4):
            first = np.int64(p["first"][4 * kind + d])
            if reached >> d & 1 and first != NOTHING:
                across = np.int64(p["across"][4 * space + d])
                if s["card"][across >> 2] == NOTHING:
                    return True
                for e in range(4):  # on through the card
                    if p["first"][4 * kind + e] == first:
                        reached |= 1 << e
                label = np.int64(s["part"][across])
                if label != NOTHING and label != asterion:
                    exits = np.int64(s["exits"][label])
                    for e in range(4):  # on through the part beside it; its exits to this space are used up
                        if s["part"][p["across"][4 * space + e]] == label:
                            reached |= 1 << e
                            exits -= 1
                    if exits > 0:
                        return True
    return False


@jit
def removable(s, me):
    """AN-2.2: the first card that the player may remove, and the last, plus one."""
    first, removed = 0, np.int64(s["removed"][me])
    while removed >> first > 0:
        first += 1
    return first, CARDS + 1 - np.int64(s["to_remove"][me])


@jit
def list_removals(s, me, special, out):
    """The removals that are legal, as actions from ``special`` on; returns how many."""
    first, last = removable(s, me)
    for card in range(first, last):
        out[card - first] = special + card
    return last - first


@jit
def choose_removal(s, me, card, following, players):
    """AN-2.2: a removal; after a player's last the ``following`` one chooses, and after all of them everybody draws."""
    remove(s, me, card)
    s["to_remove"][me] -= 1
    if s["to_remove"][me] == 0:
        s["to_move"] = following
        if following == 0:
            for seat in range(players):  # AN-2.4
                draw_hand(s, seat)


@jit
def legal_mask(p, s, out):
    """The actions of AN-5.1 that AN-2.2 or section 3 allows."""
    clear(out, len(out), 0)
    if s["terminated"]:
        return 0
    me, special = np.int64(s["to_move"]), 4 * np.int64(p["spaces"])
    if s["to_remove"][me] > 0:
        first, last = removable(s, me)
        for card in range(first, last):
            out[special + card] = 1
        return last - first
    laid, known, critical = np.int64(s["laid"]), np.int64(s["known"]), critical_space(s)
    order = s["order"]
    for i in range(laid, known):  # AN-3.1
        for turns in range(4):
            out[np.uint64(4 * np.int64(order[np.uint64(i)]) + turns)] = 1
    n = 4 * (known - laid)
    if critical != NOTHING:
        for turns in range(4):
            if not leaves_a_way(p, s, critical, 4 * np.int64(s["hand"][me]) + turns):  # AN-3.2
                out[4 * critical + turns] = 0
                n -= 1
    if n == 0:  # AN-3.5
        out[special + CARDS] = 1
        n = 1
    return n


@jit
def legal_list(p, s, out):
    """The actions of :func:`legal_mask`; spaces in the order of ``order``."""
    if s["terminated"]:
        return 0
    me, special = np.int64(s["to_move"]), 4 * np.int64(p["spaces"])
    n = 0
    if s["to_remove"][me] > 0:
        return list_removals(s, me, special, out)
    laid, known, critical = np.int64(s["laid"]), np.int64(s["known"]), critical_space(s)
    order = s["order"]
    for i in range(laid, known):  # AN-3.1
        space = np.int64(order[np.uint64(i)])
        if space == critical:
            for turns in range(4):
                if leaves_a_way(p, s, space, 4 * np.int64(s["hand"][me]) + turns):  # AN-3.2
                    out[n] = 4 * space + turns
                    n += 1
        else:
            for turns in range(4):
                out[np.uint64(n + turns)] = 4 * space + turns
            n += 4
    if n == 0:  # AN-3.5
        out[0] = special + CARDS
        n = 1
    return n


@jit
def step(p, s, action):
    """Sections 2 to 4: remove a card, or place the one in hand or set it aside, and draw; then whose turn it is."""
    me, players, special = np.int64(s["to_move"]), np.int64(p["players"]), 4 * np.int64(p["spaces"])
    following = me + 1 if me + 1 < players else 0
    s["ply"] += 1
    if special <= action < special + CARDS:
        choose_removal(s, me, action - special, following, players)
        return
    card = np.int64(s["hand"][me])
    s["left"][me] -= 1
    if action == special + CARDS:
        s["aside"][me] |= np.int32(1 << card)  # AN-3.5
    else:
        lay(p, s, action >> 2, 4 * card + (action & 3), me)
        if p["debug"]:
            assert agrees(p, s)
    draw_hand(s, me)
    s["to_move"] = following
    over = s["hand"][following] == NOTHING
    assert not over or following == 0  # AN-3.5: all run out in the same round
    s["terminated"] = over  # AN-4.1


@jit
def copy(source, start, target, at, length):
    """Entries from ``start`` on to ``at`` and after.

    Unsigned, so that Numba does not look for indices from the end: that becomes vector copies.
    """
    for i in range(length):
        target[np.uint64(at + i)] = source[np.uint64(start + i)]


@jit
def write_set(cards, out, at):
    """A set of cards as one entry, 0 or 1, for each; returns where the next one goes."""
    for i in range(2):
        byte = np.uint64(cards >> 8 * i & 255)
        for j in range(8):
            out[np.uint64(at + 8 * i + j)] = BITS[byte, j]
    out[np.uint64(at + 16)] = cards >> 16
    return at + CARDS


@jit
def observe(p, s, player, out):
    """The planes of `state.SHARED`, the owners' and the counters of `game.counters`, flat, for the ``player``."""
    players, spaces, planes = np.int64(p["players"]), np.int64(p["spaces"]), s["planes"]
    copy(planes, 0, out, 0, OWNERS * spaces)
    at, over = (OWNERS + players) * spaces, s["terminated"]
    out[at] = s["to_remove"][players - 1] > 0
    out[at + 1] = over
    ahead = s["to_move"] - player
    out[at + 2] = 0 if over else ahead + players if ahead < 0 else ahead
    out[at + 3] = player
    out[at + 4] = p["standard_scoring"]
    seats = at + 5
    at = write_set(0 if s["hand"][player] == NOTHING else 1 << np.int64(s["hand"][player]), out, seats + 4 * players)
    at = write_set(np.int64(s["removed"][player]), out, at)
    at = write_set(np.int64(s["deck"][player]), out, at)
    for i in range(players):
        seat = player + i if player + i < players else player + i - players
        copy(planes, (OWNERS + seat) * spaces, out, (OWNERS + i) * spaces, spaces)
        points = np.int64(s["points"][seat])
        out[seats + i] = s["to_remove"][seat]
        out[seats + players + i] = s["left"][seat]
        out[seats + 2 * players + i] = max(points, 0)
        out[seats + 3 * players + i] = max(-points, 0)
        if i > 0:
            at = write_set(hidden(s, seat), out, at)
    for i in range(at, len(out)):
        out[np.uint64(i)] = 0


@jit
def hidden(s, seat):
    """The set of cards that only ``seat`` may know of: in hand, in the deck, removed (AN-2.1, AN-2.4)."""
    hand = np.int64(s["hand"][seat])
    cards = np.int64(s["deck"][seat] | s["removed"][seat])
    return cards if hand == NOTHING else cards | 1 << hand


@jit
def tally(p, s):
    """AN-4.2, AN-4.3 as if the game ended now: coins in escapes, escapes without a coin, escapes, impaled prisoners.

    Each of all seats, in `LANE` bits a seat: one pass without branches, as nobody can foresee whose card is the next.
    """
    coins, coinless, escapes, tombs = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    asterion, order, owners = asterion_part(p), s["order"], s["owner"]
    for i in range(1, s["laid"]):
        space = np.int64(order[np.uint64(i)])
        owner = np.int64(owners[np.uint64(space)])
        label = np.uint64(s["part"][np.uint64(4 * space + np.int64(p["cell"][np.uint64(kind_at(s, space))]))])
        one = np.int64(owner != NOTHING) << LANE * (owner & 3)
        impaled = label == np.uint64(asterion)
        free = one * ((not impaled) & ((s["exits"][label] > 0) | (s["wings"][label] >= 2)))
        found = np.int64(s["coins"][label])
        tombs += one * impaled
        escapes += free
        coins += free * found
        coinless += free * (found == 0)
    return coins, coinless, escapes, tombs


@jit
def lane(packed, seat):
    """What :func:`tally` counted for ``seat``."""
    return packed >> LANE * seat & (1 << LANE) - 1


@jit
def standing(p, s, seat):
    """AN-4.2, AN-4.3 as if the game ended now: points and coins, escapes without a coin, escapes, impaled prisoners."""
    coins, coinless, escapes, tombs = tally(p, s)
    return np.int64(s["points"][seat]) + lane(coins, seat), lane(coinless, seat), lane(escapes, seat), lane(tombs, seat)


@jit
def returns(p, s, out):
    """AN-4.4, AN-4.5: shared among those with the most points, then the most coinless escapes; or by the margin."""
    players = np.int64(p["players"])
    for seat in range(players):
        out[seat] = 0.0
    if not s["terminated"]:
        return
    coins, coinless, _, _ = tally(p, s)
    if p["margin"]:
        for seat in range(players):
            own = s["points"][seat] + lane(coins, seat)
            for other in range(players):
                lead = own - (s["points"][other] + lane(coins, other))
                out[seat] += min(max(lead / MARGIN, -1.0), 1.0) / (players - 1)
        return
    best, winners = -np.inf, 0
    for seat in range(players):
        points = s["points"][seat] + lane(coins, seat)
        out[seat] = points * (CARDS + 1) + lane(coinless, seat)  # in this order: there are at most CARDS of the latter
        best = max(best, out[seat])
    for seat in range(players):
        winners += out[seat] == best
    for seat in range(players):
        if out[seat] == best:
            out[seat] = (players - winners) / (winners * (players - 1))
        else:
            out[seat] = -1 / (players - 1)


@jit
def resample(p, s, player, seed):
    """Deal the hidden cards of all other seats anew: what ``player`` knows allows every deal alike."""
    s["rng"] = scramble(np.uint64(seed))
    for seat in range(np.int64(p["players"])):
        if seat != player:
            deal(s, seat, np.int64(p["removals"]))


@jit
def deal(s, seat, removals):
    """Draw removals, so far as they are made, and hand of a seat from the cards that only it knows of."""
    cards, to_remove, chosen = hidden(s, seat), np.int64(s["to_remove"][seat]), 0
    count = np.int64(s["left"][seat]) + removals - to_remove
    for i in range(removals):
        chosen |= 1 << draw(s, cards ^ chosen, count - i)
    card = CARDS
    while to_remove > 0:  # AN-2.2: those that come first are removed so far
        card -= 1
        to_remove -= chosen >> card & 1
        chosen &= ~(1 << card)
    s["removed"][seat], s["deck"][seat] = chosen, cards ^ chosen
    if s["hand"][seat] != NOTHING:
        draw_hand(s, seat)
