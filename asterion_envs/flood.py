"""Parts and Asterion's way out by flood fill, from the cards alone: what the kept parts are compared with."""

from __future__ import annotations

from functools import partial

import numpy as np

from asterion_envs.state import NOTHING
from starboard.jit import jit


@jit
def flood(p, s, start, found, seen, mark, stop):
    """List the openings joined to the opening ``start`` in ``found``; return how many, and how many of them are exits.

    :param found: int16[openings of the board].
    :param seen: int32[openings of the board]: what is reached is marked with ``mark``, which it must not hold yet.
    :param stop: return at the first exit.
    """
    card, turn = s["card"], s["turn"]
    found[0], seen[start] = start, mark
    count, done, exits = 1, 0, 0
    while done < count:
        opening = np.int64(found[done])
        done += 1
        space, d = opening >> 2, opening & 3
        row = 4 * (4 * np.int64(card[space]) + turn[space])
        other = 4 * space + p["mate"][row + d]
        if seen[other] != mark:
            found[count], seen[other] = other, mark
            count += 1
        across = np.int64(p["across"][opening])
        beside = across >> 2
        if card[beside] == NOTHING:  # AN-3.3
            exits += 1
            if stop:
                break
        else:
            row = 4 * (4 * np.int64(card[beside]) + turn[beside])
            if p["first"][row + (across & 3)] != NOTHING and seen[across] != mark:
                found[count], seen[across] = across, mark
                count += 1
    return count, exits


@partial(jit, allocates=True)
def agrees(p, s):
    """Are the parts that the record keeps those that a flood fill finds?"""
    openings = 4 * np.int64(p["spaces"])
    found, seen = np.empty(openings, np.int16), np.zeros(openings, np.int32)
    mark = 0
    for start in range(openings):
        space = start >> 2
        kind = 4 * np.int64(s["card"][space]) + np.int64(s["turn"][space])
        label = np.int64(s["part"][start])
        if s["card"][space] == NOTHING or p["first"][4 * kind + (start & 3)] == NOTHING:
            if label != NOTHING:
                return False
            continue
        if seen[start] > 0:
            continue
        mark += 1
        count, exits = flood(p, s, start, found, seen, mark, False)
        wings, coins = 0, 0
        for i in range(count):
            opening = np.int64(found[i])
            space = opening >> 2
            row = 4 * (4 * np.int64(s["card"][space]) + s["turn"][space]) + (opening & 3)
            wings += p["wings"][row]
            coins += p["coins"][row]
            if s["part"][opening] != label:
                return False
        if seen[label] != mark or s["exits"][label] != exits:
            return False
        if s["wings"][label] != wings or s["coins"][label] != coins:
            return False
    return True
