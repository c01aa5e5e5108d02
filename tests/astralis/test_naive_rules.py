"""The rules of Astralis on positions that can be checked by eye, clause by clause.

Each test runs twice: against the slow oracle of ``tests/naive`` and against the kernel (see ``conftest.py``). Positions
are built by playing moves in notation. ``picture`` draws the pieces on the left (stones ``X`` of the first player and
``O`` of the second, ships ``A`` and ``B``, in lower case on top of a stone) and the tiles on the right (control ``x``
and ``o``, contested ``#``, unexplored ``.``). On the board of size 3 that most of them use, the cells are called::

          a1  a2  a3            both ships start from the only non-corner
        b1  b2  b3  b4          hex of their edge: e2 for the first player,
      c1  c2  c3  c4  c5        a2 for the second
        d1  d2  d3  d4
          e1  e2  e3
"""

from __future__ import annotations

import random
from textwrap import dedent

import pytest

from tests.naive.astralis import perft

ROW_LETTERS = "abcdefghijklmno"

ROW_LENGTHS = {
    3: [3, 4, 5, 4, 3],
    4: [4, 5, 6, 7, 6, 5, 4],
    5: [5, 6, 7, 8, 9, 8, 7, 6, 5],
    6: [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6],
    7: [7, 8, 9, 10, 11, 12, 13, 12, 11, 10, 9, 8, 7],
    8: [8, 9, 10, 11, 12, 13, 14, 15, 14, 13, 12, 11, 10, 9, 8],
}


def cell_names(size):
    """The names of all cells in index order."""
    return [
        f"{letter}{number + 1}"
        for letter, n in zip(ROW_LETTERS, ROW_LENGTHS[size], strict=False)
        for number in range(n)
    ]


def cells_of(game):
    """The coordinates of all cells in index order: by rows, and along the row (AL-1.4)."""
    return sorted(game.tiles, key=lambda cell: (cell[1], cell[0]))


def play(game, moves):
    """Play ``moves``, in notation with spaces between them, each of which must be legal."""
    for move in moves.split():
        action = game.parse(move)
        assert action in game.legal_actions(), f"{move} is not legal"
        game.play(action)
    return game


def legal(game):
    """The legal actions in notation."""
    return [game.notation(action) for action in game.legal_actions()]


def destinations(game):
    """Where the ship to move may stop, in order of the cells' index."""
    return " ".join(move for move in legal(game) if "*" not in move)


def placements(game, destination):
    """Where a stone may go once the ship to move has come to ``destination``, in order of the direction."""
    return " ".join(
        stone for ship, star, stone in (move.partition("*") for move in legal(game)) if ship == destination and star
    )


def picture(game):
    """The position in characters, as the module's docstring says."""
    lines = []
    for r in range(1 - game.size, game.size):
        row = [cell for cell in cells_of(game) if cell[1] == r]
        pieces = []
        for cell in row:
            stone = cell in game.stones
            if cell in game.ships:
                letter = "AB"[game.ships.index(cell)]
                pieces.append(letter.lower() if stone else letter)
            else:
                pieces.append("XO"[game.stones[cell]] if stone else ".")
        tiles = [{None: ".", 0: "x", 1: "o", "contested": "#"}[game.tiles[cell]] for cell in row]
        indent = " " * abs(r)
        left, right = (indent + " ".join(side) for side in (pieces, tiles))
        lines.append(f"{left:<{4 * game.size - 3}} | {right}".rstrip())
    return "\n".join(lines)


def board(text):
    """A picture as it stands in a test, without the margin."""
    return "\n".join(line.rstrip() for line in dedent(text).strip("\n").splitlines()).rstrip()


# 1 Board and supply


@pytest.mark.parametrize("size", ROW_LENGTHS)
def test_al_1_1_number_of_cells(game_factory, size):
    """AL-1.1: a hexagon of hexagons, 3 to 8 cells to a side; 169 cells at size 8."""
    cells = {3: 19, 4: 37, 5: 61, 6: 91, 7: 127, 8: 169}[size]
    assert len(game_factory(size=size).tiles) == cells == sum(ROW_LENGTHS[size])


def test_al_1_1_default_size_is_8(game_factory):
    """AL-1.1."""
    assert len(game_factory().tiles) == 169


def test_al_1_2_supply(game_factory):
    """AL-1.2: 30 stones each, or as many as asked for; a stone placed is gone."""
    assert game_factory().stones_left == [30, 30]
    game = game_factory(size=3, stones=2)
    assert game.stones_left == [2, 2]
    assert play(game, "e2 a2 d2*c3").stones_left == [1, 2]
    assert play(game, "d1*c1").stones_left == [1, 1]
    assert play(game, "d3").stones_left == [1, 1]


def test_al_1_3_tiles_never_run_out(game_factory):
    """AL-1.3: this game lies 92 contested tiles, of which the box holds 60."""
    moves = (
        "o5 a2 i5*h5 e2*f3 i2*h3 h2*i1 k2*k1 j2*j3 k3*l3 l2*m1 m3*n2 j4*j5 k5*k6 n4*m4 o5*o4 n6*m6 o7*n7 k9*l9 k7*k8 "
        "h9*i8 g6*h7 n9*o8 c2*d3 e6*f7 e2*e1 g6*f5 e6*d5 g2*g1 e7*e8 a2*b3 l10*m10 c2*c1 h10*g9 c5*c6 j10*j11 c8*d9 "
        "a3*a4 j13*k12 a7*b7 e10*f10 a2*a1 h10*i10 a8*b9 h12*h13 e12*f12 h15*g14 e11*d11"
    )
    game = play(game_factory(), moves)
    assert not game.terminated
    play(game, "h14*i14")
    tiles = list(game.tiles.values())
    assert (tiles.count("contested"), tiles.count(None), game.terminated) == (92, 0, True)


@pytest.mark.parametrize("size", ROW_LENGTHS)
def test_al_1_4_names_and_indices(game_factory, size):
    """AL-1.4: row by row from the top, a letter for the row and a number along it from 1."""
    game = game_factory(size=size)
    for index, name in enumerate(cell_names(size)):
        assert game.parse(name) == index * 7
        assert game.notation(index * 7) == name


def test_al_1_4_coordinates(game_factory):
    """AL-1.4: r from -(size-1) at the top to size-1 at the bottom, q ascending along a row."""
    game = play(game_factory(size=4), "g3 a2")
    # Row g is r = 3, its cells q = -3 .. 0; row a is r = -3, its cells q = 0 .. 3.
    assert game.ships == [(-1, 3), (1, -3)]
    assert set(game.tiles) == {(q, r) for q in range(-3, 4) for r in range(-3, 4) if -3 <= q + r <= 3}


def test_al_1_4_directions(game_factory):
    """AL-1.4, AL-6.1: directions 0..5 are E, SE, SW, W, NW, NE; a stone in direction d has k = d + 1."""
    game = game_factory(size=3)
    centre = game.parse("c3")
    for k, stone in enumerate(["c4", "d3", "d2", "c2", "b2", "b3"], 1):
        assert game.parse(f"c3*{stone}") == centre + k
        assert game.notation(centre + k) == f"c3*{stone}"


@pytest.mark.parametrize("text", ["", "c", "3", "c0", "c6", "f1", "c3*", "*c3", "c3*c3", "c3*c5", "c3*f1", "c3 c4"])
def test_al_1_4_what_is_no_move(game_factory, text):
    """AL-1.4: other texts are refused."""
    game = game_factory(size=3)
    with pytest.raises(ValueError):  # noqa: PT011 (oracle and kernel word it differently)
        game.parse(text)


# 2 Setup


@pytest.mark.parametrize(
    ("size", "first", "second"),
    [
        (3, "e2", "a2"),
        (4, "g2 g3", "a2 a3"),
        (5, "i2 i3 i4", "a2 a3 a4"),
        (6, "k2 k3 k4 k5", "a2 a3 a4 a5"),
        (7, "m2 m3 m4 m5 m6", "a2 a3 a4 a5 a6"),
        (8, "o2 o3 o4 o5 o6 o7", "a2 a3 a4 a5 a6 a7"),
    ],
)
def test_al_2_1_setup_cells(game_factory, size, first, second):
    """AL-2.1: the non-corner hexes of the bottom edge for the first player, then of the top edge for the second."""
    for choice in first.split():
        game = game_factory(size=size)
        assert (game.to_move, game.ply, game.ships) == (0, 0, [None, None])
        assert " ".join(legal(game)) == first
        play(game, choice)
        assert (game.to_move, game.ply, game.ships[1]) == (1, 1, None)
        assert " ".join(legal(game)) == second
    for choice in second.split():
        game = play(game_factory(size=size), f"{first.split()[0]} {choice}")
        assert (game.to_move, game.ply) == (0, 2)
        assert game.parse(choice) == cells_of(game).index(game.ships[1]) * 7


def test_al_2_1_no_stones_and_no_tiles_in_setup(game_factory):
    """AL-2.1: setup puts ships and nothing else."""
    game = play(game_factory(size=3), "e2 a2")
    assert picture(game) == board(
        """
          . B .   |   . . .
         . . . .  |  . . . .
        . . . . . | . . . . .
         . . . .  |  . . . .
          . A .   |   . . .
        """
    )
    assert game.stones_left == [30, 30]


@pytest.mark.parametrize(
    ("size", "first", "second"),
    [(3, "e2", "a2"), (4, "g3", "a2"), (5, "i3", "a3"), (6, "k4", "a3"), (7, "m4", "a4"), (8, "o5", "a4")],
)
def test_al_2_2_fixed_setup(game_factory, size, first, second):
    """AL-2.2: the ships start on one fixed cell of each edge, and the first action is a move."""
    game = game_factory(size=size, setup="fixed")
    chosen = play(game_factory(size=size), f"{first} {second}")
    assert game.ships == chosen.ships
    assert (game.to_move, game.ply) == (0, 0)
    assert legal(game) == legal(chosen)


def test_al_2_2_random_setup(game_factory):
    """AL-2.2: the ships start on the drawn cells, and the first action is a move."""
    names = cell_names(4)
    game = game_factory(size=4, setup="random", ships=(names.index("g2"), names.index("a3")))
    chosen = play(game_factory(size=4), "g2 a3")
    assert game.ships == chosen.ships
    assert (game.to_move, game.ply) == (0, 0)
    assert legal(game) == legal(chosen)


# 3 Moving


def test_al_3_1_lines_of_any_length(game_factory):
    """AL-3.1: one or more hexes in one straight line; from e2 that is west, east, and the two lines upwards."""
    assert destinations(play(game_factory(size=3), "e2 a2")) == "b1 b4 c2 c4 d2 d3 e1 e3"


def test_al_3_1_all_six_directions(game_factory):
    """AL-3.1: from the centre, both cells in each of the six directions (the ships are on none of the lines)."""
    game = play(game_factory(size=3), "e2 a2 d2 a3 c3 b4")
    assert destinations(game) == "a1 a3 b2 b3 c1 c2 c4 c5 d2 d3 e1 e3"


def test_al_3_1_staying_is_no_move(game_factory):
    """AL-3.1: the ship must move, so its own cell is no destination."""
    assert "e2" not in destinations(play(game_factory(size=3), "e2 a2")).split()


def test_al_3_2_al_3_3_over_own_stones_but_not_onto_them(game_factory):
    """AL-3.2, AL-3.3: from d2 the line d2-c3-b3-a3 has an own stone on c3: b3 and a3 are reached, c3 is not."""
    game = play(game_factory(size=3), "e2 a2 d2*c3 b2")
    assert picture(game) == board(
        """
          . . .   |   . . .
         . B . .  |  . x x .
        . . X . . | . x x x .
         . A . .  |  . x x .
          . . .   |   . . .
        """
    )
    assert destinations(game) == "a3 b1 b3 c2 d1 d3 d4 e1 e2"


def test_al_3_2_al_3_3_neither_onto_nor_over_opposing_stones(game_factory):
    """AL-3.2, AL-3.3: from b2 the line b2-c3-d3-e3 has an opposing stone on c3: none of the three is reached."""
    game = play(game_factory(size=3), "e2 a2 d2*c3 b2 e1")
    assert destinations(game) == "a1 a2 b1 b3 b4 c2 d1"


def test_al_3_2_al_3_3_neither_onto_nor_over_the_opposing_ship(game_factory):
    """AL-3.2, AL-3.3: as before, with the opposing ship on c2, which takes c2 and d1 away."""
    game = play(game_factory(size=3), "e2 a2 d2*c3 b2 c2")
    assert destinations(game) == "a1 a2 b1 b3 b4"


def test_al_3_4_tiles_do_not_matter(game_factory):
    """AL-3.4: from b4 west over the own stone b3 lie b2, contested, and b1, the opponent's: both are reached."""
    game = play(game_factory(size=3), "e2 a2 b4*b3 d1*c2")
    assert picture(game) == board(
        """
          . . .   |   . x x
         . . X A  |  o # x x
        . O . . . | o o # x .
         B . . .  |  o o . .
          . . .   |   . . .
        """
    )
    assert destinations(game) == "a3 b1 b2 c4 c5 d3 e2"


def test_al_3_5_second_player_passes_in_a_corner(game_factory):
    """AL-3.5: between two opposing stones and the opposing ship there is no way out: the pass is the only action."""
    game = play(game_factory(size=3), "e2 a2 c2*b1 a1 b2*a2")
    assert picture(game) == board(
        """
          B X .   |   x x x
         X A . .  |  x x x .
        . . . . . | x x . . .
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )
    assert legal(game) == ["pass"]
    before = picture(game)
    play(game, "pass")
    assert picture(game) == before
    assert (game.to_move, game.ply, game.stall, game.stones_left) == (0, 6, 1, [28, 30])
    # AL-3.5: no second pass; the ship that shuts the other in can move, and then that one can.
    assert "pass" not in legal(game)
    play(game, "c2")
    assert destinations(game) == "b2 c3 d3 e3"


def test_al_3_5_first_player_passes_in_a_corner(game_factory):
    """AL-3.5, the other way round."""
    game = play(game_factory(size=3), "e2 a2 e1 c4*d4 e3 d3*e2")
    assert picture(game) == board(
        """
          . . .   |   . . .
         . . . .  |  . . . .
        . . . . . | . . . o o
         . . B O  |  . o o o
          . O A   |   o o o
        """
    )
    assert legal(game) == ["pass"]


def test_al_3_5_own_stones_do_not_shut_in(game_factory):
    """AL-3.5: the same corner with one own stone beside it: the way over that stone stays open."""
    game = play(game_factory(size=3), "e2 a2 b1 a3*a2 c2*b1 a1 b2")
    assert picture(game) == board(
        """
          B O .   |   # o o
         X A . .  |  x # o .
        . . . . . | x x . . .
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )
    assert legal(game)[0] == "a3"
    assert destinations(game) == "a3"


@pytest.mark.parametrize("bonus_stones", [False, True])
def test_al_3_5_never_two_passes_in_a_row(game_factory, bonus_stones):
    """AL-3.5: in random games, the pass is legal only alone, only in a corner, and never after a pass."""
    corners = {(0, -2), (2, -2), (2, 0), (0, 2), (-2, 2), (-2, 0)}
    for seed in range(40):
        chance = random.Random(seed)
        game = game_factory(size=3, bonus_stones=bonus_stones)
        last = ""
        while not game.terminated:
            moves = legal(game)
            if "pass" in moves:
                assert moves == ["pass"]
                assert last != "pass"
                assert game.ships[game.to_move] in corners
            last = chance.choice(moves)
            play(game, last)


# 4 Placing


def test_al_4_1_on_any_side_of_the_ship(game_factory):
    """AL-4.1: next to where the ship has come to, on the board; the hex that it has left (e2) is empty now."""
    game = play(game_factory(size=3), "e2 a2")
    assert placements(game, "d2") == "d3 e2 e1 d1 c2 c3"
    assert placements(game, "e1") == "e2 d1 d2"
    assert placements(game, "b1") == "b2 c2 c1 a1"
    # AL-4.1: placing is optional, so each destination is there without a stone too.
    assert {"d2", "e1", "b1"} <= set(legal(game))


def test_al_4_1_number_of_first_moves(game_factory):
    """AL-4.1: 8 destinations with 3, 3, 6, 6, 4, 6, 6 and 4 hexes for a stone, or none: 38 + 8 actions."""
    assert len(play(game_factory(size=3), "e2 a2").legal_actions()) == 46


def test_al_4_1_not_on_the_opposing_ship(game_factory):
    """AL-4.1: the second player's ship stands on a1, next to b1 and b2."""
    game = play(game_factory(size=3), "e2 a2 c2 a1")
    assert placements(game, "b2") == "b3 c3 c2 b1 a2"
    assert placements(game, "b1") == "b2 c2 c1"


def test_al_4_1_not_next_to_stones_of_either_player(game_factory):
    """AL-4.1: with a stone of the first player on c3, neither player builds on c3 or the six hexes around it."""
    game = play(game_factory(size=3), "e2 a2 d2*c3")
    assert placements(game, "d1") == "e1 c1"  # Second player; not c2.
    assert placements(game, "a3") == "b4 a2"  # Second player; not b3.
    play(game, "b2")
    assert placements(game, "d1") == "e1 c1"  # First player; not c2, nor d2, which the ship has left.
    assert placements(game, "b3") == "b4 a2 a3"  # First player; not c3, c4, nor b2 with the other ship.


def test_al_4_2_control_tiles_around_a_stone(game_factory):
    """AL-4.1, AL-4.2: a control tile under the stone and on each hex next to it."""
    game = play(game_factory(size=3), "e2 a2 d2*c3")
    assert picture(game) == board(
        """
          . B .   |   . . .
         . . . .  |  . x x .
        . . X . . | . x x x .
         . A . .  |  . x x .
          . . .   |   . . .
        """
    )


def test_al_4_2_contested_by_the_opponents_and_by_the_own_stone(game_factory):
    """AL-4.2, step by step: stones of both players next to a hex make it contested, whoever comes first."""
    game = play(game_factory(size=3), "e2 a2 b4*b3")
    assert picture(game) == board(
        """
          . B .   |   . x x
         . . X A  |  . x x x
        . . . . . | . . x x .
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )
    # b2 and c3 were the first player's, and the second player's stone next to them makes them contested.
    play(game, "d1*c2")
    assert picture(game) == board(
        """
          . . .   |   . x x
         . . X A  |  o # x x
        . O . . . | o o # x .
         B . . .  |  o o . .
          . . .   |   . . .
        """
    )
    play(game, "d3*d4 d2*e1")
    assert picture(game) == board(
        """
          . . .   |   . x x
         . . X .  |  o # x x
        . O . . . | o o # x x
         . B A X  |  o o x x
          O . .   |   o o x
        """
    )
    # b1 was the opponent's and becomes contested, b2 was contested and stays so, a2 was the mover's and stays so.
    play(game, "b2*a1")
    assert picture(game) == board(
        """
          X . .   |   x x x
         . A X .  |  # # x x
        . O . . . | o o # x x
         . B . X  |  o o x x
          O . .   |   o o x
        """
    )


def test_al_4_2_tiles_go_under_ships(game_factory):
    """AL-4.2: the stone a2 lies next to the own ship on b2 and to the opposing ship on a1."""
    game = play(game_factory(size=3), "e2 a2 c2 a1 b2*a2")
    assert picture(game) == board(
        """
          B X .   |   x x x
         . A . .  |  . x x .
        . . . . . | . . . . .
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )


def test_al_4_2_contested_tiles_go_under_ships(game_factory):
    """AL-4.2: a1, under the second player's ship, is next to its stone b1, and now to the opposing stone a2."""
    game = play(game_factory(size=3), "e2 a2 c2 a1*b1 b2*a2")
    assert picture(game) == board(
        """
          B X .   |   # x x
         O A . .  |  o # x .
        . . . . . | o o . . .
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )


@pytest.mark.parametrize("options", [{"size": 3}, {"size": 4}, {"size": 4, "bonus_stones": True}, {"size": 5}])
def test_al_4_1_al_4_2_tiles_follow_from_the_stones(game_factory, options):
    """AL-4.1, AL-4.2: in random games no two stones touch, and stones on and around a hex say which tile is there."""
    for seed in range(5):
        chance = random.Random(seed)
        game = game_factory(**options)
        while not game.terminated:
            game.play(chance.choice(game.legal_actions()))
            for (q, r), tile in game.tiles.items():
                around = {(q + 1, r), (q, r + 1), (q - 1, r + 1), (q - 1, r), (q, r - 1), (q + 1, r - 1)} & set(
                    game.stones
                )
                owners = {game.stones[stone] for stone in around}
                if (q, r) in game.stones:
                    assert not around
                    owners = {game.stones[q, r]}
                assert tile == ("contested" if len(owners) == 2 else next(iter(owners), None))


def test_al_4_3_no_stones_left(game_factory):
    """AL-4.3: with its only stone on the board, the first player only moves; the second player still places."""
    game = play(game_factory(size=3, stones=1), "e2 a2 d2*c3")
    assert placements(game, "a3") == "b4 a2"
    play(game, "a3")
    assert game.stones_left == [0, 1]
    assert legal(game) == ["b1", "b3", "c2", "d1", "d3", "d4", "e1", "e2"]


def test_al_4_3_no_stones_at_all(game_factory):
    """AL-4.3: a supply of 0."""
    game = play(game_factory(size=3, stones=0), "e2 a2")
    assert legal(game) == ["b1", "b4", "c2", "c4", "d2", "d3", "e1", "e3"]


# 4.4 Bonus stones. Around the corner a1 lie a2, b1 and b2.


def test_al_4_4_empty_pocket(game_factory):
    """AL-4.4: a3 gives the first player the last hex around a1, which gets a stone at once; the stones drop by two."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 d2*c3 d4 c2*c1 e3")
    assert picture(game) == board(
        """
          . . .   |   . . .
         . . . .  |  x x x .
        X A X . . | x x x x .
         . . . .  |  x x x .
          . . B   |   . . .
        """
    )
    play(game, "a2*a3")
    assert picture(game) == board(
        """
          X A X   |   x x x
         . . . .  |  x x x x
        X . X . . | x x x x .
         . . . .  |  x x x .
          . . B   |   . . .
        """
    )
    assert (game.stones_left, game.stall) == ([26, 30], 0)


def test_al_4_4_off_by_default(game_factory):
    """AL-4.4: without the option the corner stays empty."""
    game = play(game_factory(size=3), "e2 a2 d2*c3 d4 c2*c1 e3 a2*a3")
    assert picture(game) == board(
        """
          . A X   |   . x x
         . . . .  |  x x x x
        X . X . . | x x x x .
         . . . .  |  x x x .
          . . B   |   . . .
        """
    )
    assert game.stones_left == [27, 30]


def test_al_4_4_pocket_that_holds_the_opposing_ship(game_factory):
    """AL-4.4: the second player's ship then stands on an opposing stone, and moves off it by the ordinary rules."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 d2*c3 b2 c2*c1 a1 a2*a3")
    assert picture(game) == board(
        """
          b A X   |   x x x
         . . . .  |  x x x x
        X . X . . | x x x x .
         . . . .  |  x x x .
          . . .   |   . . .
        """
    )
    assert game.stones_left == [26, 30]
    # East stands the opposing ship; the other two ways end before the opposing stones c1 and c3.
    assert legal(game) == ["b1", "b2"]
    play(game, "b1")
    assert picture(game) == board(
        """
          X A X   |   x x x
         B . . .  |  x x x x
        X . X . . | x x x x .
         . . . .  |  x x x .
          . . .   |   . . .
        """
    )


def test_al_4_4_pocket_of_the_second_player(game_factory):
    """AL-4.4, the other way round, with the first player's ship in the corner e3."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 e3 b3*c3 d3 c4*c5 e3 e2*e1")
    assert picture(game) == board(
        """
          . . .   |   . . .
         . . . .  |  . o o o
        . . O . O | . o o o o
         . . . .  |  o o o o
          O B a   |   o o o
        """
    )
    assert game.stones_left == [30, 26]
    assert legal(game) == ["d3", "d4"]


def test_al_4_4_no_bonus_where_the_own_ship_has_built_from(game_factory):
    """AL-4.4: all around a1 is the mover's, but the own ship is there, and the new stone next to it: no pocket."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 d2*c3 d4 c2*c1 e3 b2 d4 a1*a2")
    assert picture(game) == board(
        """
          A X .   |   x x x
         . . . .  |  x x x .
        X . X . . | x x x x .
         . . . B  |  x x x .
          . . .   |   . . .
        """
    )
    assert game.stones_left == [27, 30]


MOVES_TO_FOUR_POCKETS = "e2 a2 c2*d1 a1 c5*d4 c3"


def test_al_4_4_the_last_hex_of_one_pocket_closes_several(game_factory):
    """AL-4.4: the second stone closes the pocket e2; a stone on a2 will close b1, b4 and c3 with the opposing ship."""
    game = play(game_factory(size=3, bonus_stones=True), MOVES_TO_FOUR_POCKETS)
    assert picture(game) == board(
        """
          . . .   |   . . .
         . . . .  |  . . . .
        . . B . A | x x . x x
         X . . X  |  x x x x
          . X .   |   x x x
        """
    )
    assert (game.stones_left, game.terminated) == ([27, 30], False)


@pytest.mark.parametrize(
    ("stones", "filled", "left"),
    [(4, "", 0), (5, "b1", 0), (6, "b1 b4", 0), (7, "b1 b4 c3", 0), (8, "b1 b4 c3", 1)],
)
def test_al_4_4_al_5_1_in_index_order_as_long_as_there_are_stones(game_factory, stones, filled, left):
    """AL-4.4: d1, d4, e2 and a2 take four stones, what is left goes to b1, b4, c3. AL-5.1: all three end the game."""
    game = play(game_factory(size=3, bonus_stones=True, stones=stones), MOVES_TO_FOUR_POCKETS)
    assert game.stones_left[0] == stones - 3
    play(game, "a3*a2")
    names = cell_names(3)
    tiled = {names[i] for i, cell in enumerate(cells_of(game)) if game.tiles[cell] == 0}
    assert tiled == set(names) - {"b1", "b4", "c3"} | set(filled.split())
    assert {names[i] for i, cell in enumerate(cells_of(game)) if cell in game.stones} == {
        "d1",
        "d4",
        "e2",
        "a2",
        *filled.split(),
    }
    assert game.stones_left[0] == left
    assert game.terminated == (len(filled.split()) == 3)
    assert game.scores() == (16 + len(filled.split()), 3.5)


def test_al_4_4_a_contested_neighbour_makes_no_pocket(game_factory):
    """AL-4.4: as before, but a stone of the second player on b1 has made b2 and c2 contested: c3 gets nothing."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 c2*d1 a1*b1 c5*d4 c3 a3*a2")
    assert picture(game) == board(
        """
          . X A   |   # x x
         O . . X  |  o # x x
        . . B . . | # # . x x
         X . . X  |  x x x x
          . X .   |   x x x
        """
    )
    assert (game.terminated, game.stones_left) == (False, [25, 29])


def test_al_4_4_the_end_with_a_ship_on_a_stone(game_factory):
    """AL-4.4, AL-5.1: the final position of the game above, when there are stones enough."""
    game = play(game_factory(size=3, bonus_stones=True), MOVES_TO_FOUR_POCKETS + " a3*a2")
    assert picture(game) == board(
        """
          . X A   |   x x x
         X . . X  |  x x x x
        . . b . . | x x x x x
         X . . X  |  x x x x
          . X .   |   x x x
        """
    )
    assert (game.terminated, game.returns(), game.stones_left) == (True, (1.0, -1.0), [23, 30])


# 5 End and score

# Without the last move a1 is the one hex unexplored. In the end the first player has 10 hexes and the second 6.
WHOLE_GAME = "e2 a2 b4*b3 d1*c2 d3*d4 d2*e1 b2*a1"


def test_al_5_1_end_when_all_is_explored(game_factory):
    """AL-5.1: control or contested tiles on every hex."""
    *moves, last = WHOLE_GAME.split()
    game = play(game_factory(size=3), " ".join(moves))
    assert list(game.tiles.values()).count(None) == 1
    assert not game.terminated
    play(game, last)
    assert picture(game) == board(
        """
          X . .   |   x x x
         . A X .  |  # # x x
        . O . . . | o o # x x
         . B . X  |  o o x x
          O . .   |   o o x
        """
    )
    assert (game.terminated, game.legal_actions(), game.ply) == (True, [], 7)


def test_al_5_1_end_by_the_second_player(game_factory):
    """AL-5.1: the second player's stone ends the game."""
    game = play(game_factory(size=3), "e2 a2 d3*e2 d1*c2 a1*a2")
    assert not game.terminated
    play(game, "d4*c4")
    assert picture(game) == board(
        """
          A X .   |   x x x
         . . . .  |  o # # o
        . O . O . | o o o o o
         . . . B  |  o # # o
          . X .   |   x x x
        """
    )
    # 6 hexes against 9 + 3.5.
    assert (game.terminated, game.scores(), game.returns()) == (True, (6.0, 12.5), (-1.0, 1.0))


@pytest.mark.parametrize(
    ("komi", "result"),
    [
        (3.5, (1.0, -1.0)),
        (0, (1.0, -1.0)),
        (4, (0.0, 0.0)),
        (4.5, (-1.0, 1.0)),
        (60, (-1.0, 1.0)),
        (-60, (1.0, -1.0)),
    ],
)
def test_al_5_2_komi(game_factory, komi, result):
    """AL-5.2: 10 hexes against 6 and the komi; with a komi of 4 a draw."""
    *moves, last = WHOLE_GAME.split()
    game = play(game_factory(size=3, komi=komi), " ".join(moves))
    assert game.returns() == (0.0, 0.0)
    play(game, last)
    assert game.scores() == (10.0, 6.0 + komi)
    assert game.returns() == result


def test_al_5_2_default_komi(game_factory):
    """AL-5.2: 3.5, in the second player's score from the start."""
    assert game_factory().scores() == (0.0, 3.5)


def test_al_5_2_stones_count(game_factory):
    """AL-5.2: the hex under a stone counts: 7 with the stone in the centre; contested hexes count for nobody."""
    game = play(game_factory(size=3), "e2 a2 d2*c3")
    assert game.scores() == (7.0, 3.5)
    # The stone c1 brings b1, c1 and d1; c2 lies next to c3 too and becomes contested.
    play(game, "d1*c1")
    assert game.scores() == (6.0, 6.5)


@pytest.mark.parametrize(("komi", "result"), [(3.5, (-1.0, 1.0)), (0, (0.0, 0.0)), (-0.5, (1.0, -1.0))])
def test_al_5_3_end_after_turns_without_a_stone(game_factory, komi, result):
    """AL-5.3: the limit of 3 turns; the setup does not count; scored as it stands, here by the komi alone."""
    game = play(game_factory(size=3, stall_limit=3, komi=komi), "e2 a2")
    for turns, move in enumerate(["d2", "a3"], 1):
        play(game, move)
        assert (game.stall, game.terminated, game.returns()) == (turns, False, (0.0, 0.0))
    play(game, "c3")
    assert (game.stall, game.terminated, game.legal_actions(), game.ply) == (3, True, [], 5)
    assert game.returns() == result


def test_al_5_3_default_limit(game_factory):
    """AL-5.3: 60 turns without a stone."""
    game = play(game_factory(size=3), "e2 a2" + 14 * " d2 b2 e2 a2" + " d2 b2 e2")
    assert (game.stall, game.terminated) == (59, False)
    play(game, "a2")
    assert (game.stall, game.terminated) == (60, True)


def test_al_5_3_the_setup_does_not_count(game_factory):
    """AL-5.3: with a limit of 1, the setup is over before the first turn without a stone ends the game."""
    game = play(game_factory(size=3, stall_limit=1), "e2 a2")
    assert (game.stall, game.terminated) == (0, False)
    play(game, "d2*c3 d1*c1 d4*c5")
    assert (game.stall, game.terminated) == (0, False)
    play(game, "d2")
    assert (game.stall, game.terminated) == (1, True)


def test_al_5_3_a_stone_starts_the_count_anew(game_factory):
    """AL-5.3: turns in a row, of both players together."""
    game = play(game_factory(size=3, stall_limit=3), "e2 a2 d2 a3")
    assert game.stall == 2
    play(game, "e2*d2")
    assert game.stall == 0
    play(game, "a2 e1")
    assert (game.stall, game.terminated) == (2, False)


def test_al_5_3_passes_count(game_factory):
    """AL-5.3: the limit of 2 is reached by a pass and a move, or by a move and a pass."""
    game = play(game_factory(size=3, stall_limit=2), "e2 a2 c2*b1 a1 b2*a2")
    assert (game.stall, game.terminated) == (0, False)
    play(game, "pass")
    assert (game.stall, game.terminated) == (1, False)
    play(game, "c2")
    # a1, a2, b1, b2, b3, c1 and c2 and a3 against the komi.
    assert (game.stall, game.terminated, game.scores(), game.returns()) == (2, True, (8.0, 3.5), (1.0, -1.0))


def test_al_5_3_a_pass_can_be_the_last_action(game_factory):
    """AL-5.3: after the stone b4 come a move to a1, a move to b2 that shuts it in, and a pass: that makes 3."""
    game = play(game_factory(size=3, stall_limit=3), "e2 a2 c2*b1 d4 b2*a2 d3 b3*b4 a1 b2")
    assert picture(game) == board(
        """
          B X .   |   x x x
         X A . X  |  x x x x
        . . . . . | x x . x x
         . . . .  |  . . . .
          . . .   |   . . .
        """
    )
    assert (game.stall, game.terminated, legal(game)) == (2, False, ["pass"])
    play(game, "pass")
    assert (game.stall, game.terminated, game.returns()) == (3, True, (1.0, -1.0))


# 6 Encoding


@pytest.mark.parametrize("size", ROW_LENGTHS)
def test_al_6_1_the_pass_is_the_last_action(game_factory, size):
    """AL-6.1: one action for each cell and each of 7 choices, then the pass: 1184 actions at size 8."""
    game = game_factory(size=size)
    assert game.parse("pass") == sum(ROW_LENGTHS[size]) * 7
    assert game.notation(game.parse("pass")) == "pass"


def test_al_6_1_numbers(game_factory):
    """AL-6.1: at size 8, h8 is the centre, cell 84; the pass is 1183."""
    game = game_factory()
    assert [game.parse(move) for move in ["a1", "h8", "h8*h9", "h8*g8", "o8", "pass"]] == [0, 588, 589, 594, 1176, 1183]


def test_al_6_1_setup_actions(game_factory):
    """AL-6.1: cell * 7. At size 4 the bottom row is cells 33 to 36, the top row 0 to 3."""
    game = game_factory(size=4)
    assert game.legal_actions() == [34 * 7, 35 * 7]
    game.play(34 * 7)
    assert game.legal_actions() == [1 * 7, 2 * 7]


@pytest.mark.parametrize("options", [{}, {"size": 3, "bonus_stones": True}, {"size": 4, "stones": 3, "setup": "fixed"}])
def test_al_6_1_legal_actions_are_read_and_written_alike(game_factory, options):
    """AL-6.1: ascending, without repetition, and notation leads back to each."""
    game = game_factory(**options)
    chance = random.Random(1)
    for _ in range(20):
        actions = game.legal_actions()
        assert actions == sorted(set(actions))
        assert [game.parse(game.notation(action)) for action in actions] == actions
        if game.terminated:
            break
        game.play(chance.choice(actions))


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({"size": 3}, [1, 1, 1, 46]),
        ({"size": 4}, [1, 2, 4]),
        # The first turn ends the game, by one of the 8 moves of test_al_3_1_lines_of_any_length.
        ({"size": 3, "stones": 0, "stall_limit": 1}, [1, 1, 1, 8, 0]),
    ],
)
def test_perft(game_factory, options, counts):
    """AL-2.1, AL-4.1, AL-5.3: numbers of sequences of 0, 1, 2 ... actions; a finished game has none to add."""
    assert [perft(game_factory(**options), depth) for depth in range(len(counts))] == counts


# What the players see

PLANES = [
    "own stones",
    "opponent's stones",
    "own control",
    "opponent's control",
    "contested",
    "own ship",
    "opponent's ship",
]


def seen(game, player):
    """The planes of ``player``'s observation with the names of the cells that are 1, and the counters that matter."""
    *planes, counters = game.observation(player)
    names = cell_names(game.size)
    assert len(planes) == len(PLANES)
    assert all(len(row) == len(names) and set(row) <= {0, 1} for row in planes)
    assert len(counters) == len(names)
    assert not any(counters[11:])
    shown = {
        plane: " ".join(name for name, value in zip(names, row, strict=True) if value)
        for plane, row in zip(PLANES, planes, strict=True)
    }
    return shown, list(counters[:11])


EMPTY = dict.fromkeys(PLANES, "")


def test_observation_in_setup(game_factory):
    """AL-2.1: the first player's ship is seen by both while the second player chooses."""
    game = game_factory(size=3)
    # Counters: setup, to move, seat, stones left of both, stall, limit, twice the points both add, bonus stones, over.
    assert seen(game, 0) == (EMPTY, [1, 1, 0, 30, 30, 0, 60, 0, 7, 0, 0])
    assert seen(game, 1) == (EMPTY, [1, 0, 1, 30, 30, 0, 60, 7, 0, 0, 0])
    play(game, "e2")
    assert seen(game, 0) == (EMPTY | {"own ship": "e2"}, [1, 0, 0, 30, 30, 0, 60, 0, 7, 0, 0])
    assert seen(game, 1) == (EMPTY | {"opponent's ship": "e2"}, [1, 1, 1, 30, 30, 0, 60, 7, 0, 0, 0])
    play(game, "a2")
    assert seen(game, 0) == (EMPTY | {"own ship": "e2", "opponent's ship": "a2"}, [0, 1, 0, 30, 30, 0, 60, 0, 7, 0, 0])


def test_observation_in_the_game(game_factory):
    """AL-4.2, AL-5.3: the second picture of ``test_al_4_2_contested_by_...``, and a move without a stone more."""
    game = play(game_factory(size=3, stones=9, komi=-2.5, stall_limit=50, bonus_stones=True), "e2 a2 b4*b3 d1*c2 a3")
    pieces = {"own stones": "b3", "opponent's stones": "c2", "own ship": "a3", "opponent's ship": "d1"}
    tiles = {"own control": "a2 a3 b3 b4 c4", "opponent's control": "b1 c1 c2 d1 d2", "contested": "b2 c3"}
    assert seen(game, 0) == (pieces | tiles, [0, 0, 0, 8, 8, 1, 50, 5, 0, 1, 0])
    pieces = {"own stones": "c2", "opponent's stones": "b3", "own ship": "d1", "opponent's ship": "a3"}
    tiles = {"own control": "b1 c1 c2 d1 d2", "opponent's control": "a2 a3 b3 b4 c4", "contested": "b2 c3"}
    assert seen(game, 1) == (pieces | tiles, [0, 1, 1, 8, 8, 1, 50, 0, 5, 1, 0])


def test_observation_of_a_ship_on_a_stone(game_factory):
    """AL-4.4: a ship and the stone beneath it are on one cell."""
    game = play(game_factory(size=3, bonus_stones=True), "e2 a2 d2*c3 b2 c2*c1 a1 a2*a3")
    shown, counters = seen(game, 1)
    assert (shown["own ship"], shown["opponent's stones"]) == ("a1", "a1 a3 c1 c3")
    assert counters == [0, 1, 1, 30, 26, 0, 60, 7, 0, 1, 0]


def test_observation_at_the_end(game_factory):
    """AL-5.1: nobody is to move."""
    game = play(game_factory(size=3), WHOLE_GAME)
    shown, counters = seen(game, 1)
    assert (shown["own control"], shown["opponent's control"]) == ("c1 c2 d1 d2 e1 e2", "a1 a2 a3 b3 b4 c4 c5 d3 d4 e3")
    assert counters == [0, 0, 1, 28, 27, 0, 60, 7, 0, 0, 1]
    assert seen(game, 0)[1] == [0, 0, 0, 27, 28, 0, 60, 0, 7, 0, 1]
