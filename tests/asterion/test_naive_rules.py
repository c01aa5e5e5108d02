"""The rules of Asterion on positions that can be checked by eye, clause by clause.

Each test runs twice: against the slow oracle of ``tests/naive`` and against the kernel (see ``conftest.py``). Positions
are built by laying chosen cards: ``T05(0,1)2`` gives the player to move T05, whatever they have drawn, and lays it on
(0, 1), north of Asterion, after two quarter turns clockwise. Most tests use the basic mode on a small table, where
every card is at hand. Openings are written like ``(0,1)N``. The cards of AN-1.3, corridors first, then where the
prisoner (P), the wing (w) and the coin (c) lie::

    T01  N      P N           T06  NES   P NES  c NES    T11  NESW     P NESW           T15  NS E W   P E
    T02  NE     P NE  w NE    T07  NE S  P S    c NE     T12  NES W    P W     c NES    T16  N E S W  P N   c S
    T03  N E    P N   c E     T08  N ES  P N    w ES     T13  NE SW    P NE    c SW     T17  NS EW    P NS  w EW
    T04  NS     P NS          T09  NS E  P E    c NS     T14  NE S W   P S     w NE
    T05  N S    P N   w S     T10  N E S P E    c N
"""

from __future__ import annotations

import itertools
import math
import random
import re

import pytest

from tests.naive.asterion import REFERENCE, REMOVALS, card, perft

NAMES = [printed.name for printed in REFERENCE]

# Rotations in which a corridor of the card leads from its east edge to another edge.
FROM_EAST = {
    "T01": "",
    "T02": "01",
    "T03": "",
    "T04": "13",
    "T05": "",
    "T06": "013",
    "T07": "01",
    "T08": "03",
    "T09": "13",
    "T10": "",
    "T11": "0123",
    "T12": "013",
    "T13": "0123",
    "T14": "01",
    "T15": "13",
    "T16": "",
    "T17": "0123",
}


def basic(game_factory, moves="", players=2, radius=3, **options):
    """A game of the basic mode on a small table, after ``moves``."""
    return play(game_factory(players=players, mode="basic", table_radius=radius, **options), moves)


def play(game, moves):
    """Play ``moves``, with spaces between them, each of which must be legal: ``-T05``, ``T05(0,1)2``, ``T05:pass``."""
    for move in moves.split():
        name, text = "", move
        if not move.startswith("-"):
            name, text = move[:3], move[3:].lstrip(":")
            game.give(game.to_move, name)
        action = game.parse(text)
        assert action in game.legal_actions(), f"{move} is not legal"
        game.play(action)
    return game


def last_round(game, moves):
    """Play ``moves``, one for each player, as the last ones of the game: all other cards are out of it."""
    assert game.to_move == 0
    for player, move in enumerate(moves.split()):
        game.give(player, move[:3])
    game.set_decks_aside()
    assert not game.terminated
    assert play(game, moves).terminated
    return game


def legal(game):
    """The legal actions in notation."""
    return [game.notation(action) for action in game.legal_actions()]


def rotations(game, name, space):
    """The legal rotations of card ``name`` on ``space``, such as ``"02"``, if the player to move had it in hand."""
    game.give(game.to_move, name)
    return "".join(move.removeprefix(space) for move in legal(game) if move.startswith(space))


def frontier(game):
    """The spaces on which the card in hand may be laid."""
    return sorted({re.sub(r"\d$", "", move) for move in legal(game)})


def openings(text):
    """``"(0,1)NE (1,0)W"`` as a set of openings."""
    found = re.findall(r"\((-?\d+),(-?\d+)\)([NESW]+)", text)
    return {((int(x), int(y)), letter) for x, y, letters in found for letter in letters}


def part(game, text):
    """Exits, wings and coins of the part that has exactly these openings."""
    (found,) = (part for part in game.parts() if part.openings == openings(text))
    return found[1:]


def facts(game):
    """Scores, escapes, coinless escapes and tombs."""
    results = game.results()
    assert set(results) == {"scores", "escapes", "coinless_escapes", "tombs"}
    return [list(results[name]) for name in ("scores", "escapes", "coinless_escapes", "tombs")]


# 1 Cards


def test_an_1_1_every_player_has_the_same_17_cards(game_factory):
    """AN-1.1, AN-1.3."""
    for players in (2, 3, 4):
        game = basic(game_factory, players=players)
        assert [deck | {hand} for deck, hand in zip(game.decks, game.hands, strict=True)] == [set(NAMES)] * players


def test_an_1_2_corridors_of_a_card_are_not_joined(game_factory):
    """AN-1.2: of T05 the wing's corridor is joined to Asterion, and the prisoner lives in the other one."""
    game = basic(game_factory, "T05(1,0)1")
    assert part(game, "(0,0)NESW (1,0)W") == (3, 1, 0)
    assert part(game, "(1,0)E") == (1, 0, 0)
    assert game.tombs == set()


def test_an_1_3_other_cards(game_factory):
    """AN-1.3: with another set, here one whose T01 is a crossroads with three wings and two coins."""
    game = basic(game_factory, cards=[card("Xo_", "NESW", "NESW", "NESW NESW NESW", "NESW NESW"), *REFERENCE[1:]])
    play(game, "Xo_(0,1)3")
    assert part(game, "(0,0)NESW (0,1)NESW") == (6, 3, 2)
    assert game.layout == {(0, 1): ("Xo_", 0, 3)}


def test_an_1_4_asterions_card(game_factory):
    """AN-1.4: on (0, 0), open on all sides, without a prisoner."""
    game = basic(game_factory)
    assert part(game, "(0,0)NESW") == (4, 0, 0)
    assert game.joined_to_asterion() == game.joined_to_outside() == openings("(0,0)NESW")
    assert (game.layout, game.tombs, len(game.parts())) == ({}, set(), 1)
    assert facts(game) == [[0, 0]] * 4


# 2 Setup


@pytest.mark.parametrize(("players", "spaces", "removals"), [(2, 25, 5), (3, 41, 4), (4, 61, 2)])
def test_an_2_1_board_and_removals(game_factory, players, spaces, removals):
    """AN-2.1: crete is the default, with 25, 41, 61 spaces and 5, 4, 2 removals."""
    game = game_factory(players=players)
    assert game.parse("-T01") == spaces * 4
    assert game.to_remove == [removals] * players
    assert game.hands == [None] * players
    radius = {25: 3, 41: 4, 61: 5}[spaces]
    for x, y in itertools.product(range(-6, 7), repeat=2):
        if abs(x) + abs(y) <= radius:
            assert game.notation(game.parse(f"({x},{y})2")) == f"({x},{y})2"
        else:
            with pytest.raises(ValueError):  # noqa: PT011 (oracle and kernel word it differently)
                game.parse(f"({x},{y})2")


def test_an_2_1_two_players_are_the_default(game_factory):
    """AN-2.1."""
    assert (game_factory().players, game_factory().parse("pass")) == (2, 117)


def test_an_2_2_removals_in_ascending_order(game_factory):
    """AN-2.2: each player's removals one by one, seat after seat, so that enough higher cards remain."""
    game = game_factory()
    assert legal(game) == [f"-{name}" for name in NAMES[:13]]
    play(game, "-T13")
    assert (game.to_move, game.ply, game.to_remove, game.removed) == (0, 1, [4, 5], [{"T13"}, set()])
    assert legal(game) == ["-T14"]
    play(game, "-T14 -T15 -T16")
    assert legal(game) == ["-T17"]
    play(game, "-T17")
    assert (game.to_move, game.to_remove, game.hands) == (1, [0, 5], [None, None])
    assert legal(game) == [f"-{name}" for name in NAMES[:13]]
    play(game, "-T02 -T05")
    assert legal(game) == [f"-{name}" for name in NAMES[5:15]]
    play(game, "-T09 -T16")
    assert (game.to_move, legal(game)) == (1, ["-T17"])
    play(game, "-T17")
    assert (game.to_move, game.ply, game.to_remove) == (0, 10, [0, 0])
    assert game.removed == [{"T13", "T14", "T15", "T16", "T17"}, {"T02", "T05", "T09", "T16", "T17"}]


@pytest.mark.parametrize("players", [3, 4])
def test_an_2_2_one_choice_has_one_path(game_factory, players):
    """AN-2.2: the first player has 17 over 4, or 17 over 2, ways to go."""
    removals = REMOVALS[players]
    assert perft(game_factory(players=players), removals) == math.comb(17, removals)


def test_an_2_2_others_see_how_many_are_left_to_remove(game_factory):
    """AN-2.1, AN-2.2: which cards the first player has removed is for that player alone to see."""
    games = [play(game_factory(players=3), moves) for moves in ("-T01", "-T02", "-T01 -T03")]
    seen = [[game.observation(player) for player in range(3)] for game in games]
    assert seen[0][1:] == seen[1][1:]
    assert seen[0][0] != seen[1][0]
    assert all(before != after for before, after in zip(seen[0], seen[2], strict=True))


def test_an_2_2_random_removals(game_factory):
    """AN-2.2: they skip the removals: the first action is a placement."""
    removed = [{"T01", "T02", "T03", "T04", "T05"}, {"T01", "T14", "T15", "T16", "T17"}]
    game = game_factory(discard="random", removed=removed)
    assert (game.ply, game.to_remove, game.removed) == (0, [0, 0], removed)
    assert [deck | {hand} for deck, hand in zip(game.decks, game.hands, strict=True)] == [
        set(NAMES) - gone for gone in removed
    ]
    assert len(game.legal_actions()) == 16
    # No more can be seen of the other's than in a game with other removals.
    other = game_factory(discard="random", removed=[removed[0], {"T02", "T03", "T04", "T05", "T06"}])
    assert game.observation(0) == other.observation(0)


def test_an_2_3_basic_rules(game_factory):
    """AN-2.3: no removals, and a table of radius 12, with 313 spaces, unless another one is asked for."""
    game = game_factory(mode="basic")
    assert game.parse("-T01") == 313 * 4
    assert (game.to_remove, game.removed, len(game.legal_actions())) == ([0, 0], [set(), set()], 16)
    assert [len(deck) for deck in game.decks] == [16, 16]
    assert game_factory(mode="basic", table_radius=2, discard="random").parse("-T01") == 13 * 4


def test_an_2_3_the_edge_of_the_table_is_outside(game_factory):
    """AN-2.3, AN-3.1: with a radius of 2, no card is laid beyond (0, 2), and its opening north leads outside."""
    game = basic(game_factory, "T01(0,1)0 T01(0,2)0", radius=2)
    assert frontier(game) == ["(-1,0)", "(-1,1)", "(0,-1)", "(1,0)", "(1,1)"]
    assert part(game, "(0,2)N") == (1, 0, 0)
    assert part(game, "(0,1)N") == (0, 0, 0)


def test_an_2_4_hands_are_drawn_and_hidden(game_factory):
    """AN-2.4: after the last removal everybody draws; the others do not see what."""
    game = play(game_factory(players=4), "-T01 -T02 -T01 -T02 -T01 -T02 -T01")
    assert game.hands == [None] * 4
    play(game, "-T02")
    for hand, deck in zip(game.hands, game.decks, strict=True):
        assert deck | {hand} == set(NAMES[2:])
        assert len(deck) == 14
    seen = []
    for name in ("T10", "T12"):
        game.give(1, name)
        seen.append([game.observation(player) for player in range(4)])
    assert [before == after for before, after in zip(*seen, strict=True)] == [True, False, True, True]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_2_5_order_of_play(game_factory, players):
    """AN-2.5: seat 0 first."""
    game = basic(game_factory, players=players)
    for ply in range(10):
        assert (game.to_move, game.ply) == (ply % players, ply)
        before = game.layout
        game.play(game.legal_actions()[0])
        assert [game.layout[space][1] for space in game.layout if space not in before] == [ply % players]


# 3 A turn


def test_an_3_1_next_to_a_card(game_factory):
    """AN-3.1: an empty space that shares an edge with a card, in any rotation, alike or not."""
    game = basic(game_factory)
    for name in NAMES:
        game.give(0, name)
        assert legal(game) == [f"{space}{r}" for space in ("(0,1)", "(-1,0)", "(1,0)", "(0,-1)") for r in range(4)]
    play(game, "T11(0,1)0")
    assert frontier(game) == ["(-1,0)", "(-1,1)", "(0,-1)", "(0,2)", "(1,0)", "(1,1)"]
    assert len(game.legal_actions()) == 24


def test_an_3_1_openings_against_walls(game_factory):
    """AN-3.1: T01 lies with its back to Asterion, T04 with its side to T01: all three corridors end there."""
    game = basic(game_factory, "T01(0,1)1 T04(1,1)0")
    assert part(game, "(0,0)NESW") == (3, 0, 0)
    assert part(game, "(0,1)E") == (0, 0, 0)
    assert part(game, "(1,1)NS") == (2, 0, 0)


# Asterion's only way out is west, to (-1, 0).
WAY_WEST = "T01(0,1)0 T01(1,0)1 T05(0,-1)1"


@pytest.mark.parametrize("name", NAMES[1:])
def test_an_3_2_asterion_is_never_trapped(game_factory, name):
    """AN-3.2: on the last way out, only what leads on from there; elsewhere all."""
    game = basic(game_factory, WAY_WEST)
    assert part(game, "(0,0)NESW") == (1, 0, 0)
    assert rotations(game, name, "(-1,0)") == FROM_EAST[name]
    assert len(game.legal_actions()) == 7 * 4 + len(FROM_EAST[name])
    assert "pass" not in legal(game)  # AN-3.5


def test_an_3_2_the_way_out_moves_on(game_factory):
    """AN-3.2: a card that leads on takes the last way out with it."""
    game = basic(game_factory, WAY_WEST + " T02(-1,0)0")
    assert part(game, "(0,0)NESW (-1,0)NE") == (1, 1, 0)
    # From (-1, 1) it must lead on from the south edge.
    for name in ("T04", "T06", "T16", "T17"):
        assert rotations(game, name, "(-1,1)") == "".join(sorted(str((int(r) + 1) % 4) for r in FROM_EAST[name]))
        assert rotations(game, name, "(-2,0)") == "0123"


# The only exits of Asterion's part are two, and both face (1, 1), from the south and from the west.
TWO_ARMS = "T02(1,0)3 T02(0,1)1 T01(0,-1)2 T01(-1,0)3"


@pytest.mark.parametrize(
    ("name", "fitting"),
    {
        "T03": "",
        "T04": "0123",
        "T05": "",
        "T06": "0123",
        "T07": "13",
        "T08": "02",
        "T09": "0123",
        "T10": "",
        "T11": "0123",
        "T12": "0123",
        "T13": "13",
        "T14": "13",
        "T15": "0123",
        "T16": "",
        "T17": "0123",
    }.items(),
)
def test_an_3_2_two_arms_of_asterions_part_in_one_space(game_factory, name, fitting):
    """AN-3.2: a corridor from the south to the west edge joins Asterion to himself, which is no way out."""
    game = basic(game_factory, TWO_ARMS)
    assert part(game, "(0,0)NESW (1,0)WN (0,1)ES") == (2, 2, 0)
    assert rotations(game, name, "(1,1)") == fitting
    assert rotations(game, name, "(2,0)") == "0123"


# Asterion's way out is (1, 1), from the south. Another part, without other exits, faces it from west and north.
ARMS_OF_ANOTHER_PART = "T02(1,0)3 T02(0,1)0 T07(0,2)1 T13(1,2)0 T01(0,-1)2 T01(-1,0)3"


@pytest.mark.parametrize(
    ("name", "fitting"),
    {
        "T03": "",
        "T04": "",
        "T05": "",
        "T06": "01",
        "T08": "0",
        "T09": "",
        "T10": "",
        "T11": "0123",
        "T12": "01",
        "T13": "0123",
        "T14": "1",
        "T15": "",
        "T16": "",
        "T17": "0123",
    }.items(),
)
def test_an_3_2_another_part_with_two_arms_in_one_space(game_factory, name, fitting):
    """AN-3.2: T13 as ``0`` leads from south to west, into the other part, back by its north arm, and out in the east;
    so does the bridge T17 (from south to north, and out from west to east)."""
    game = basic(game_factory, ARMS_OF_ANOTHER_PART)
    assert part(game, "(0,1)NE (0,2)ES (1,2)WS") == (2, 1, 2)
    assert part(game, "(0,0)NESW (1,0)WN") == (1, 1, 0)
    assert rotations(game, name, "(1,1)") == fitting


@pytest.mark.parametrize("move", ["T13(1,1)0", "T17(1,1)0", "T17(1,1)1"])
def test_an_3_4_impaled_through_the_second_arm(game_factory, move):
    """AN-3.4: the card's prisoner lies in the one or the other corridor, and the other part joins them; that of T02 on
    (0, 1) is impaled too."""
    game = basic(game_factory, ARMS_OF_ANOTHER_PART)
    assert (game.points, game.tombs) == ([-1, 0], {(1, 0)})
    play(game, move)
    assert (game.points, game.tombs) == ([-1, 0], {(1, 0), (0, 1), (1, 1)})
    assert game.joined_to_asterion() == openings("(0,0)NESW (1,0)WN (0,1)NE (0,2)ES (1,2)WS (1,1)NESW")


def test_an_3_2_a_bridge_leads_straight_on(game_factory):
    """AN-3.2: on (0, 2) between walls in north and east, a bridge is no way out, though it has an opening west."""
    game = basic(
        game_factory, "T04(0,1)0 T01(1,0)1 T01(0,-1)2 T05(-1,0)0 T05(1,1)0 T04(1,2)0 T03(1,3)0 T02(0,3)0", radius=4
    )
    fitting = {"T02": "2", "T11": "0123", "T13": "02", "T15": "", "T16": "", "T17": ""}
    assert {name: rotations(game, name, "(0,2)") for name in fitting} == fitting


# (1, 1) is empty, with cards on its four sides, and the only exit of Asterion's part faces it, from the south. In the
# north it leads on and out; in the east lies a dead end, in the west a wall.
ENCLOSED = "T02(1,0)3 T01(0,1)3 T01(0,-1)2 T05(-1,0)0 T04(2,0)0 T04(0,2)1 T03(2,1)3 T06(1,2)1"


@pytest.mark.parametrize(
    ("name", "fitting"),
    {
        "T05": "",
        "T06": "02",
        "T08": "",
        "T09": "02",
        "T11": "0123",
        "T12": "02",
        "T13": "",
        "T15": "02",
        "T16": "",
        "T17": "0123",
    }.items(),
)
def test_an_3_3_an_enclosed_space_is_outside(game_factory, name, fitting):
    """AN-3.3: an exit to an enclosed space keeps Asterion free; what is laid there must lead on to another exit, which
    here only the part in the north has."""
    game = basic(game_factory, ENCLOSED)
    assert part(game, "(0,0)NESW (1,0)WN") == (1, 1, 0)
    assert part(game, "(2,1)W") == (1, 0, 0)
    assert rotations(game, name, "(1,1)") == fitting


def test_an_3_3_an_4_2_escape_to_an_enclosed_space(game_factory):
    """AN-3.3, AN-4.2: the prisoner of T03 on (2, 1) escapes to the enclosed space. The other escapes are of T04 on
    (2, 0) for the first player, and for the second of T01, T05 and T10 without coin, of T04 and T06 with the same."""
    game = last_round(basic(game_factory, ENCLOSED), "T10(-2,0)0 T10(0,-2)0")
    assert ((2, 1), "W") in game.joined_to_outside()
    assert facts(game) == [[-1, 2], [2, 5], [2, 3], [1, 0]]


def test_an_3_3_the_edge_is_outside(game_factory):
    """AN-3.3: on Crete, with nothing but two exits over the edge, Asterion is free, and every placement legal."""
    removed = [NAMES[12:], NAMES[12:]]
    game = game_factory(discard="random", removed=removed)
    play(game, "T04(0,1)0 T04(0,2)0 T06(0,3)0 T01(1,0)1 T01(0,-1)2 T05(-1,0)0")
    assert part(game, "(0,0)NESW (0,1)NS (0,2)NS (0,3)NES") == (2, 0, 1)
    for name in ("T02", "T10"):
        game.give(0, name)
        assert len(game.legal_actions()) == 4 * len(frontier(game)) == 4 * 9


def test_an_3_4_own_prisoner(game_factory):
    """AN-3.4: -1 for the active player's own."""
    game = basic(game_factory, "T04(0,1)0")
    assert (game.points, game.tombs) == ([-1, 0], {(0, 1)})


@pytest.mark.parametrize(
    ("last", "points", "tombs"), [("T07(1,0)3", [0, 1], {(0, 1)}), ("T13(1,0)3", [0, 0], {(0, 1), (1, 0)})]
)
def test_an_3_4_opponents_prisoner_alone_or_with_an_own_one(game_factory, last, points, tombs):
    """AN-3.4: +1 for the opponent's T01 on (0, 1); T13 brings an own prisoner along, -1."""
    game = basic(game_factory, "T01(0,1)1 T08(1,1)1 T03(-1,0)3")
    assert (game.points, game.tombs) == ([0, 0], set())
    play(game, last)
    assert (game.points, game.tombs) == (points, tombs)


@pytest.mark.parametrize(("standard_scoring", "points"), [(True, [1, 0, 0]), (False, [0, 0, 0])])
def test_an_3_4_all_at_once_and_for_good(game_factory, standard_scoring, points):
    """AN-3.4: one own and two opponents' prisoners along (1, -1), (1, 0), (1, 1); the one of T08 itself lives."""
    game = basic(game_factory, "T04(1,0)0 T06(1,1)2 T04(1,-1)0", players=3, radius=3, standard_scoring=standard_scoring)
    assert (game.points, game.tombs) == ([0, 0, 0], set())
    play(game, "T08(0,1)0")
    assert (game.points, game.tombs) == (points, {(1, -1), (1, 0), (1, 1)})
    assert facts(game)[3] == [1, 1, 1]
    play(game, "T01(0,2)2")
    assert (game.points, game.tombs) == (points, {(1, -1), (1, 0), (1, 1)})


def test_an_3_4_a_bridge_between_two_parts(game_factory):
    """AN-1.2, AN-3.4: T17 as ``1`` has its wing on Asterion's way north, and its prisoner on the way from west to east;
    then that way is led back to Asterion, and four prisoners are impaled, two of each player."""
    game = basic(game_factory, "T17(0,1)1 T01(1,1)3")
    assert part(game, "(0,0)NESW (0,1)NS") == (4, 1, 0)
    assert part(game, "(0,1)EW (1,1)W") == (1, 0, 0)
    play(game, "T02(-1,1)1")
    assert (game.points, game.tombs) == ([0, 0], set())
    play(game, "T02(-1,0)0")
    assert (game.points, game.tombs) == ([0, 0], {(0, 1), (1, 1), (-1, 1), (-1, 0)})
    assert part(game, "(0,0)NESW (0,1)NESW (1,1)W (-1,1)ES (-1,0)NE") == (3, 3, 0)


def test_an_3_5_draw(game_factory):
    """AN-3.5: at the end of the turn, from the own deck; the last card leaves the hand empty."""
    game = basic(game_factory)
    before = game.decks[0]
    play(game, "T11(0,1)0")
    assert game.decks[0] | {game.hands[0], "T11"} == set(NAMES)
    assert (len(before), len(game.decks[0]), len(game.decks[1])) == (16, 15, 16)
    play(game, "T11(0,2)0")
    for player in range(2):
        game.give(player, "T01")
    game.set_decks_aside()
    play(game, "T01(0,3)0")
    assert game.hands == [None, "T01"]


# On a table of radius 2, all spaces but (0, 2) are taken, and Asterion's only way out is there; over the edge it has
# three openings to lead on to. The second player is to move.
ALMOST_FULL = (
    "T04(0,1)0 T04(1,0)0 T01(-1,0)0 T01(0,-1)2 T02(1,1)0 T02(-1,1)0 "
    "T05(1,-1)0 T03(-1,-1)0 T06(2,0)0 T05(-2,0)0 T07(0,-2)0"
)


@pytest.mark.parametrize("name", NAMES[5:])
def test_an_3_2_an_3_5_the_last_space(game_factory, name):
    """AN-3.2, AN-3.3, AN-3.5: what leads on from the south edge; a card that cannot is passed."""
    game = basic(game_factory, ALMOST_FULL, radius=2)
    game.give(1, name)
    expected = sorted(f"(0,2){(int(r) + 1) % 4}" for r in FROM_EAST[name])
    assert legal(game) == (expected or ["pass"])


def test_an_3_5_an_4_1_a_card_that_fits_nowhere(game_factory):
    """AN-3.5, AN-4.1: it is set aside, and the turn goes on; after the last space all cards are."""
    game = basic(game_factory, ALMOST_FULL, radius=2)
    before = game.layout
    play(game, "T16:pass")
    assert (game.layout, game.to_move, game.ply, game.aside) == (before, 0, 12, [set(), {"T16"}])
    assert game.hands[1] in set(NAMES[5:]) - {"T16"}
    assert game.decks[1] | {game.hands[1]} == set(NAMES[5:]) - {"T16"}
    play(game, "T10:pass T10:pass T11(0,2)0")
    assert (game.points, game.tombs) == ([-2, 0], {(0, 1), (0, 2)})
    while not game.terminated:
        assert legal(game) == ["pass"]
        game.play(game.parse("pass"))
    assert (game.ply, game.hands, game.decks, legal(game)) == (34, [None, None], [set(), set()], [])
    assert game.aside == [
        set(NAMES) - {"T01", "T02", "T04", "T05", "T06", "T07", "T11"},
        set(NAMES) - {"T01", "T02", "T03", "T04", "T05"},
    ]
    # The first player's T02, T06 (a coin) and T07 escape, the second's T01 (the coin of T07), T02 and T05.
    assert facts(game) == [[-1, 1], [3, 3], [2, 2], [2, 0]]
    assert game.returns() == [-1, 1]


def test_an_3_5_a_pass_ends_the_game(game_factory):
    """AN-3.5: the last card of all fits nowhere; its prisoner does not count."""
    game = basic(game_factory, ALMOST_FULL + " T11(0,2)0", radius=2)
    counts = facts(game)
    assert last_round(game, "T17:pass T17:pass").returns() == [0, 0]
    assert facts(game) == counts
    assert {"T17"} <= game.aside[0] & game.aside[1]


@pytest.mark.parametrize(
    ("options", "plies"),
    [
        ({"players": 2}, 34),
        ({"players": 3}, 51),
        ({"players": 4}, 68),
        ({"players": 2, "discard": "random"}, 24),
        ({"players": 3, "mode": "basic", "table_radius": 2}, 51),
        ({"players": 2, "mode": "basic", "table_radius": 5}, 34),
    ],
)
def test_an_3_5_an_4_1_cards_run_out_in_the_same_round(game_factory, options, plies):
    """AN-3.5, AN-4.1: passes or not, everybody has a card in every round, and no game is longer or shorter."""
    removed = [NAMES[:5], NAMES[5:10]] if "discard" in options else None
    for seed in range(3):
        chance = random.Random(seed)
        game = game_factory(removed=removed, **options)
        while not game.terminated:
            left = [len(deck) + (hand is not None) for deck, hand in zip(game.decks, game.hands, strict=True)]
            if any(hand is not None for hand in game.hands):
                assert left == [max(left) - (seat < game.to_move) for seat in range(game.players)]
            game.play(chance.choice(game.legal_actions()))
        assert game.ply == plies


# 4 End


def test_an_4_2_two_wings_without_an_exit(game_factory):
    """AN-4.2, AN-4.3: T06 on (1, 1) leads to a wing in the north, to one in the south, and nowhere else: its prisoner
    flies away with its coin."""
    game = basic(game_factory, "T05(1,0)2 T06(1,1)0 T01(2,1)1 T05(1,2)0")
    assert part(game, "(1,0)N (1,1)NES (1,2)S") == (0, 2, 1)
    assert facts(last_round(game, "T03(0,-1)1 T03(0,1)3")) == [[0, 1], [3, 3], [3, 2], [0, 0]]
    assert game.returns() == [-1, 1]


def test_an_4_2_an_4_4_one_wing_is_not_enough(game_factory):
    """AN-4.2: the same with one wing, so two of the second player's prisoners stay; AN-4.4: none has a point, and the
    first player has three coinless escapes against one."""
    game = basic(game_factory, "T05(1,0)2 T06(1,1)0 T01(2,1)1 T01(1,2)2")
    assert part(game, "(1,0)N (1,1)NES (1,2)S") == (0, 1, 1)
    assert facts(last_round(game, "T03(0,-1)1 T03(0,1)3")) == [[0, 0], [3, 1], [3, 1], [0, 0]]
    assert game.returns() == [1, -1]


@pytest.mark.parametrize(("wings", "escapes"), [("", 1), ("NE", 1), ("NE NE", 2)])
def test_an_4_2_two_wings_on_one_card(game_factory, wings, escapes):
    """AN-4.2: anywhere in the connected part: also both in the prisoner's own corridor."""
    cards = [card("T02", "NE", "NE", wings=wings) if printed.name == "T02" else printed for printed in REFERENCE]
    game = basic(game_factory, "T02(1,0)0 T01(2,0)1", cards=cards)
    last_round(game, "T01(1,1)0 T03(0,-1)1")
    assert part(game, "(1,0)NE") == (0, len(wings.split()), 0)
    assert facts(game)[1] == [escapes, 2]


# A part with the coins of two T06, two prisoners of the first player and one of the second.
SHARED_COINS = "T06(1,0)0 T06(1,1)0 T04(1,2)0 T01(-1,0)3"


@pytest.mark.parametrize(("reward", "returns"), [("result", [1, -1]), ("margin", [0.1, -0.1])])
def test_an_4_3_all_take_every_coin(game_factory, reward, returns):
    """AN-4.3: each of the three prisoners scores two coins. The margin is 2 points of 20."""
    game = basic(game_factory, SHARED_COINS, reward=reward)
    assert part(game, "(1,0)NES (1,1)NES (1,2)NS")[1:] == (0, 2)
    assert game.returns() == [0, 0]
    assert facts(last_round(game, "T01(0,1)0 T05(-2,0)0")) == [[4, 2], [3, 2], [1, 1], [0, 0]]
    assert game.returns() == pytest.approx(returns)


def test_an_4_3_cards_with_tombs(game_factory):
    """AN-4.3: T03 on (1, 0) and T05 on (0, 1) have tombs; the coin of the one goes to T04 on (1, 1), the wing of the
    other helps T04 on (0, 2) out, together with that of T05 on (0, 3)."""
    game = basic(game_factory, "T03(1,0)3 T05(0,1)2 T04(0,2)0 T04(1,1)0 T05(0,3)0 T01(-1,0)3")
    assert (game.points, game.tombs) == ([-1, -1], {(1, 0), (0, 1)})
    last_round(game, "T01(2,0)1 T16(-1,-1)0")
    assert part(game, "(0,1)N (0,2)NS (0,3)S") == (0, 2, 0)
    assert facts(game) == [[-1, 0], [3, 2], [3, 1], [1, 1]]


def test_an_4_2_the_impaled_do_not_escape(game_factory):
    """AN-4.2, AN-4.3: T06, whose way leads to Asterion and outside, is impaled: no escape, and no coin for anybody."""
    game = last_round(basic(game_factory), "T06(0,1)1 T06(1,0)2")
    assert (game.joined_to_asterion(), game.tombs) == (openings("(0,0)NESW (0,1)ESW (1,0)SWN"), {(0, 1), (1, 0)})
    assert facts(game) == [[-1, -1], [0, 0], [0, 0], [1, 1]]
    assert game.returns() == [0, 0]


def test_an_4_4_escapes_with_coins_break_no_tie(game_factory):
    """AN-4.4: no points on either side (-1 and a coin for the first player), and coinless escapes 0 against 2."""
    game = last_round(basic(game_factory, "T04(0,1)0 T01(1,0)1"), "T06(-1,0)2 T10(1,1)0")
    assert facts(game) == [[0, 0], [1, 2], [0, 2], [1, 0]]
    assert game.returns() == [-1, 1]


@pytest.mark.parametrize(
    ("moves", "scores", "coinless", "returns"),
    [
        # T01 with its back to Asterion escapes without a coin; T04 towards him costs a point.
        ("T01(0,1)0 T01(1,0)1", [0, 0], [1, 1], [0, 0]),
        ("T01(0,1)0 T04(1,0)1", [0, -1], [1, 0], [1, -1]),
        ("T04(0,1)0 T01(1,0)1", [-1, 0], [0, 1], [-1, 1]),
        ("T01(0,1)0 T04(1,0)1 T04(0,-1)0", [0, -1, -1], [1, 0, 0], [1, -1 / 2, -1 / 2]),
        ("T01(0,1)0 T04(1,0)1 T01(0,-1)2", [0, -1, 0], [1, 0, 1], [1 / 4, -1 / 2, 1 / 4]),
        ("T01(0,1)0 T01(1,0)1 T01(0,-1)2", [0, 0, 0], [1, 1, 1], [0, 0, 0]),
        ("T04(0,1)0 T04(1,0)1 T04(0,-1)0 T01(-1,0)3", [-1, -1, -1, 0], [0, 0, 0, 1], [-1 / 3, -1 / 3, -1 / 3, 1]),
        ("T01(0,1)0 T01(1,0)1 T04(0,-1)0 T04(-1,0)1", [0, 0, -1, -1], [1, 1, 0, 0], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        ("T01(0,1)0 T04(1,0)1 T01(0,-1)2 T01(-1,0)3", [0, -1, 0, 0], [1, 0, 1, 1], [1 / 9, -1 / 3, 1 / 9, 1 / 9]),
        ("T01(0,1)0 T01(1,0)1 T01(0,-1)2 T01(1,1)0", [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]),
        # The second player's T01 shuts the first player's in, and wins by its coinless escape.
        ("T01(0,1)0 T01(0,2)0 T04(1,0)1 T04(-1,0)1", [0, 0, -1, -1], [0, 1, 0, 0], [-1 / 3, 1, -1 / 3, -1 / 3]),
    ],
)
def test_an_4_4_an_4_5_shared_victories(game_factory, moves, scores, coinless, returns):
    """AN-4.4, AN-4.5: whoever has most points, then most coinless escapes, shares the gain."""
    game = last_round(basic(game_factory, players=len(moves.split())), moves)
    assert (facts(game)[0], facts(game)[2]) == (scores, coinless)
    assert game.returns() == pytest.approx(returns)
    assert sum(game.returns()) == pytest.approx(0)


def test_margin_of_several_players(game_factory):
    """``reward="margin"``: the mean lead over each of the others, in twentieths of a point: scores 0, 0, -1, -1."""
    game = last_round(basic(game_factory, players=4, reward="margin"), "T01(0,1)0 T01(1,0)1 T04(0,-1)0 T04(-1,0)1")
    assert game.returns() == pytest.approx([1 / 30, 1 / 30, -1 / 30, -1 / 30])


def test_margin_is_at_most_one(game_factory):
    """``reward="margin"``: a lead of 9 points; of 36, where two prisoners take nine coins from each of two cards."""
    rich = {
        name: card(name, layout, layout, coins=" ".join([layout] * 9))
        for name, layout in (("T04", "NS"), ("T06", "NES"))
    }
    cards = [rich.get(printed.name, printed) for printed in REFERENCE]
    for moves, lead in (("T04(1,0)0 T01(-1,0)3", 9), ("T04(1,0)0 T01(-1,0)3 T06(1,1)0 T16(-1,1)0", 36)):
        game = basic(game_factory, moves, cards=cards, reward="margin")
        last_round(game, "T03(0,-1)1 T10(-2,0)0")
        assert facts(game)[0] == [lead, 0]
        assert game.returns() == pytest.approx([min(lead / 20, 1), -min(lead / 20, 1)])


# 5 Encoding


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("mode", ["crete", "basic"])
def test_an_5_1_numbers(game_factory, players, mode):
    """AN-5.1: spaces row by row from the north, each in four rotations, then the removals, then the pass."""
    game = game_factory(players=players, mode=mode, table_radius=4)
    radius = {2: 3, 3: 4, 4: 5}[players] if mode == "crete" else 4
    names = [
        f"({x},{y}){r}"
        for y in range(radius, -radius - 1, -1)
        for x in range(abs(y) - radius, radius - abs(y) + 1)
        for r in range(4)
    ]
    names += [f"-{name}" for name in NAMES] + ["pass"]
    assert [game.notation(action) for action in range(len(names))] == names
    assert [game.parse(name) for name in names] == list(range(len(names)))


def test_an_5_1_some_numbers(game_factory):
    """AN-5.1: on 25 spaces (0, 3) comes first, (0, 0) in the middle, and 100 is the first removal."""
    moves = ["(0,3)0", "(-1,2)0", "(0,0)1", "(-3,0)2", "(0,-3)3", "-T01", "-T17", "pass"]
    assert [game_factory().parse(move) for move in moves] == [0, 4, 49, 38, 99, 100, 116, 117]


@pytest.mark.parametrize(
    "text",
    ["", "(0,1)", "(0,1)4", "0,1,2", "(0,4)0", "(0,1)-1", "T05", "-T18", "--T05", "(0;1)0"],
)
def test_an_5_1_what_is_no_move(game_factory, text):
    """AN-5.1: other texts are refused."""
    with pytest.raises(ValueError):  # noqa: PT011 (oracle and kernel word it differently)
        game_factory().parse(text)


@pytest.mark.parametrize(("turns", "corridor"), [(0, "NE"), (1, "ES"), (2, "SW"), (3, "NW")])
def test_an_5_1_turns_are_clockwise(game_factory, turns, corridor):
    """AN-5.1: an opening N after one turn is E."""
    game = basic(game_factory, f"T02(0,1){turns}")
    joined = game.joined_to_asterion()
    assert {opening for part in game.parts() for opening in part.openings} == openings(f"(0,0)NESW (0,1){corridor}")
    assert ((0, 1), corridor[0]) in joined or "S" not in corridor


@pytest.mark.parametrize(
    "options", [{"players": 2}, {"players": 3}, {"players": 4}, {"players": 2, "mode": "basic", "table_radius": 3}]
)
def test_an_5_2_a_quarter_turn_of_everything(game_factory, options):
    """AN-5.2: a game and the same one turned clockwise, (x, y) to (y, -x): all that is legal and all that follows."""

    def turn(move):
        found = re.fullmatch(r"\((-?\d+),(-?\d+)\)(\d)", move)
        if not found:
            return move
        x, y, r = map(int, found.groups())
        return f"({y},{-x}){(r + 1) % 4}"

    for seed in range(2):
        chance = random.Random(seed)
        game, other = game_factory(**options), game_factory(**options)
        while not game.terminated:
            hand = game.hands[game.to_move]
            if hand is not None:
                other.give(other.to_move, hand)
            assert {turn(move) for move in legal(game)} == set(legal(other))
            move = chance.choice(legal(game))
            game.play(game.parse(move))
            other.play(other.parse(turn(move)))
            assert (game.points, game.to_move) == (other.points, other.to_move)
            assert {(y, -x) for x, y in game.tombs} == other.tombs
            assert facts(game) == facts(other)
        assert (game.returns(), other.terminated) == (other.returns(), True)


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        # 4 spaces; then 6, with all their rotations.
        ({"mode": "basic"}, [1, 16, 16 * 24]),
        ({"players": 4, "mode": "basic", "table_radius": 2}, [1, 16, 16 * 24]),
        ({"players": 4}, [1, 16, 136, 136 * 16]),
    ],
)
def test_perft(game_factory, options, counts):
    """AN-2.2, AN-3.1: numbers of sequences of 0, 1, 2 ... actions."""
    assert [perft(game_factory(**options), depth) for depth in range(len(counts))] == counts
