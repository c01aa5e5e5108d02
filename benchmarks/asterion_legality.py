"""Asterion's kept parts against plain flood fill, in whole random games on one core.

    python benchmarks/asterion_legality.py

All play the same games: list the legal actions, choose, play, and count the scores at the end. `kept parts` is the
game's own kernel. The others keep no parts: they fill from Asterion to impale, and from each prisoner left in the end.
`flood fill` puts the card down in each space and each rotation and fills up to the first exit found; `one fill` first
fills once, and then does so only in the space, if there is one, that all of Asterion's exits face.
"""

from __future__ import annotations

import sys

import numpy as np
from report import Comparison, arguments, show

import starboard
from asterion_envs.cards import CARDS
from asterion_envs.flood import flood
from asterion_envs.kernels import (
    choose_removal,
    draw_hand,
    init,
    kind_at,
    legal_list,
    list_removals,
    put,
    standing,
    step,
)
from asterion_envs.state import NOTHING, TOMB
from starboard.benchmark import Chunk, interleave
from starboard.jit import jit
from starboard.rng import fold, mix, next_uint64
from starboard.spec import GameSpec

OPTIONS = {
    "two": {},
    "three": {"players": 3},
    "four": {"players": 4},
    "two, basic": {"mode": "basic"},
    "four, basic": {"players": 4, "mode": "basic"},
}
GAMES = 64
KEPT, FLOOD, ONE_FILL = range(3)
METHODS = {"kept parts": KEPT, "flood fill": FLOOD, "one fill": ONE_FILL}


@jit
def space_of_all_exits(p, s, found, seen, marks):
    """The space that all of Asterion's exits face, or NOTHING."""
    spaces, only = np.int64(p["spaces"]), NOTHING
    marks[0] += 1
    count, _ = flood(p, s, spaces // 2 * 4, found, seen, marks[0], False)
    for i in range(count):
        space = np.int64(p["across"][found[i]]) >> 2
        if s["card"][space] == NOTHING:
            if space == spaces or (only != NOTHING and only != space):
                return NOTHING
            only = space
    return only


@jit
def legal_by_flood(p, s, out, method, found, seen, marks):
    """Sections 2 and 3 of the rules, as `asterion_envs.kernels.legal_list` has them and in the same order."""
    me, special = np.int64(s["to_move"]), 4 * np.int64(p["spaces"])
    n = 0
    if s["to_remove"][me] > 0:
        return list_removals(s, me, special, out)
    critical = space_of_all_exits(p, s, found, seen, marks) if method == ONE_FILL else NOTHING
    for i in range(s["laid"], s["known"]):
        space = np.int64(s["order"][i])
        if method == ONE_FILL and space != critical:
            for turns in range(4):
                out[n + turns] = 4 * space + turns
            n += 4
            continue
        s["card"][space] = s["hand"][me]
        for turns in range(4):
            s["turn"][space] = turns
            marks[0] += 1
            if flood(p, s, special // 8 * 4, found, seen, marks[0], True)[1] > 0:
                out[n] = 4 * space + turns
                n += 1
        s["card"][space], s["turn"][space] = NOTHING, 0
    if n == 0:
        out[0] = special + CARDS
        n = 1
    return n


@jit
def step_by_flood(p, s, action, found, seen, marks):
    """What `asterion_envs.kernels.step` does, but for the parts and the planes that show them."""
    me, players, special = np.int64(s["to_move"]), np.int64(p["players"]), 4 * np.int64(p["spaces"])
    following = me + 1 if me + 1 < players else 0
    s["ply"] += 1
    if special <= action < special + CARDS:
        choose_removal(s, me, action - special, following, players)
        return
    card = np.int64(s["hand"][me])
    s["left"][me] -= 1
    if action == special + CARDS:
        s["aside"][me] |= np.int32(1 << card)
    else:
        put(p, s, action >> 2, 4 * card + (action & 3), me)
        marks[0] += 1
        count, _ = flood(p, s, special // 8 * 4, found, seen, marks[0], False)
        for i in range(count):
            opening = np.int64(found[i])
            space = opening >> 2
            tomb = TOMB * (special >> 2) + space
            if p["prisoner"][4 * kind_at(s, space) + (opening & 3)] and not s["planes"][tomb]:
                s["planes"][tomb] = 1
                if p["standard_scoring"]:
                    s["points"][me] += -1 if s["owner"][space] == me else 1
    draw_hand(s, me)
    s["to_move"] = following
    s["terminated"] = s["hand"][following] == NOTHING


@jit
def scores_by_flood(p, s, out, found, seen, marks):
    """Section 4 of the rules: each seat's score."""
    spaces = np.int64(p["spaces"])
    for seat in range(np.int64(p["players"])):
        out[seat] = s["points"][seat]
    for i in range(1, s["laid"]):
        space = np.int64(s["order"][i])
        if not s["planes"][TOMB * spaces + space]:
            marks[0] += 1
            start = 4 * space + np.int64(p["cell"][kind_at(s, space)])
            count, exits = flood(p, s, start, found, seen, marks[0], False)
            wings, coins = 0, 0
            for j in range(count):
                opening = np.int64(found[j])
                row = 4 * kind_at(s, opening >> 2) + (opening & 3)
                wings += p["wings"][row]
                coins += p["coins"][row]
            if exits > 0 or wings >= 2:
                out[np.int64(s["owner"][space])] += coins


@jit
def play(P, S, plies, moves, episodes, scores, method, found, seen, marks):
    """Play ``plies`` random plies in each game, starting anew at each end; write the last scores to ``scores``."""
    p = P[0]
    for i in range(len(S)):
        s = S[i]
        for _ in range(plies):
            if method != KEPT:
                legal = legal_by_flood(p, s, moves, method, found, seen, marks)
            else:
                legal = legal_list(p, s, moves)
            action = np.int64(moves[fold(next_uint64(s), legal)])
            if method != KEPT:
                step_by_flood(p, s, action, found, seen, marks)
            else:
                step(p, s, action)
            if s["terminated"]:
                if method != KEPT:
                    scores_by_flood(p, s, scores[i], found, seen, marks)
                else:
                    for seat in range(np.int64(p["players"])):
                        scores[i, seat] = standing(p, s, seat)[0]
                init(p, s, mix(np.uint64(0), i, episodes[i]))
                episodes[i] += 1


class Player:
    """Games that go on from call to call."""

    def __init__(self, spec: GameSpec, method: int) -> None:
        openings = 4 * int(spec.params[0]["spaces"])
        self.spec, self.method = spec, method
        self.records, self.episodes = np.zeros(GAMES, spec.state_dtype), np.ones(GAMES, np.int64)
        for i in range(GAMES):
            init(spec.params[0], self.records[i], np.uint64(i))
        self.scores = np.zeros((GAMES, spec.num_players), np.int64)
        self.moves = np.empty(spec.max_legal, np.int16)
        self.scratch = np.empty(openings, np.int16), np.zeros(openings, np.int64), np.zeros(1, np.int64)

    def chunk(self) -> int:
        """One game's length in each game, so that all phases of a game have their share."""
        plies = self.spec.max_plies
        play(
            self.spec.params,
            self.records,
            plies,
            self.moves,
            self.episodes,
            self.scores,
            self.method,
            *self.scratch,
        )
        return GAMES * plies


def main() -> None:
    args = arguments(__doc__, rounds=9, seconds=0.2)
    chunks: dict[str, Chunk] = {}
    comparisons: list[Comparison] = []
    for name, options in OPTIONS.items():
        spec = starboard.load("asterion", **options)
        players = {method: Player(spec, number) for method, number in METHODS.items()}
        for _ in range(5):
            for player in players.values():
                player.chunk()
            kept = players["kept parts"]
            for method, player in players.items():
                if (player.scores != kept.scores).any() or (player.records["rng"] != kept.records["rng"]).any():
                    sys.exit(f"{spec!r}: {method} does not play the same games")
        chunks |= {f"{method}, {name}": player.chunk for method, player in players.items()}
        comparisons += [(f"kept parts, {name}", f"{method}, {name}", None) for method in ("flood fill", "one fill")]
    show(
        "Asterion, whole random games: list the legal actions, choose, play, score. One core.",
        "plies",
        interleave(chunks, args.rounds, args.seconds),
        comparisons,
    )


if __name__ == "__main__":
    main()
