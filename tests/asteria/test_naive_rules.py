"""The rules of Asteria on positions that can be checked by eye, clause by clause.

Each test runs twice: against the slow oracle of ``tests/naive`` and against the kernel (see ``conftest.py``). Positions
are put together by ``scene``, which ``scenes.py`` explains, from small decks whose cards do what the test is about. On
the planets that most of them use, each half has two empty spaces, so a marker counts 0, 1, 2, 3 from its owner's edge,
and two markers that add up to 3 meet. ``F1``, ``F2``, ... are blank cards.
"""

from __future__ import annotations

import random

import pytest

from asteria_envs import cards
from tests.asteria.scenes import EMPTY, card, deck, held, legal, planet, play, scene

MEETING = {(0, 0): 1, (0, 1): 2}
"""Markers on one space of the planet in slot 0: the next `end` begins a conflict."""


# 1 Components and the deck file


def test_at_1_1_what_is_there(game_factory):
    """AT-1.1: 38 action cards and 14 planets; no marker is on a planet yet, of which each player has three."""
    game = game_factory(cards.load("reference"))
    assert len(game.action_deck) + sum(map(len, game.hands)) == 38
    assert len(game.planet_deck) + sum(map(len, game.planet_hands)) + 2 == 14
    assert game.markers == [[None, None]] * 3


SIDES_OF_A = deck(
    card(
        "A",
        "1 2",
        extract="1 | play gain_ore 3",
        expand="2 | on_take draw | discarded take",
        explore="4 | play take",
        exterminate="8 | win gain_ore 5 | play gain_energy 4",
    )
)


@pytest.mark.parametrize(
    ("side", "resources", "planet_cards"),
    [("extract", [8, 5], 0), ("expand", [4, 3], 0), ("explore", [4, 3], 1), ("exterminate", [4, 7], 0)],
)
def test_at_1_2_at_4_4_only_the_chosen_side_counts(game_factory, side, resources, planet_cards):
    """AT-1.2, AT-4.4: one cost for all sides but Extract, which is free; the effects of the chosen side only."""
    game = play(scene(game_factory, SIDES_OF_A, hands=("A", "")), f"play A 0 {side}")
    assert (game.resources[0], len(game.planet_hands[0])) == (resources, planet_cards)
    assert game.rows[0][0] == [("A", side)]


TRACKS = deck(
    planets=[
        planet("X", 7, "10 02 30", "01 20 03"),
        *(planet(f"P{i}", i, "00 00 00", "00 00 00") for i in range(5)),
    ]
)


@pytest.mark.parametrize(("half", "resources"), [("first", [4, 2]), ("second", [2, 4])])
def test_at_1_3_at_4_8_a_half_from_hand_is_worth_its_sum(game_factory, half, resources):
    """AT-1.3, AT-4.8: 1 + 3 ore and 2 energy, or 2 ore and 1 + 3 energy; the card goes to the discard pile."""
    game = scene(
        game_factory,
        TRACKS,
        planets="P1 - -",
        planet_hands=("X", ""),
        planet_deck="P2 P3 P4",
        resources=((0, 0), (0, 0)),
    )
    play(game, f"spend X {half}")
    assert (game.resources, game.planet_hands[0], game.planet_discard) == ([resources, [0, 0]], [], ["X", "P0"])


def test_at_1_3_strength_of_planets_in_conflicts(game_factory):
    """AT-1.3, AT-5.2: X from hand adds its 7."""
    game = scene(
        game_factory,
        deck(card("B", extract="6"), planets=TRACKS.planets),
        planets="P1 - -",
        rows={(0, 0): "F1/extract", (0, 1): "B/extract"},
        markers={(0, 0): 2, (0, 1): 3},
        planet_hands=("X", ""),
    )
    play(game, "end", "commit X")
    assert game.dominated == [["P1"], []]


def test_at_1_4_another_deck(game_factory):
    """AT-1.4: the names, numbers and effects are those of the deck that is given."""
    made = deck(card("Lonely", "3 1", explore="0 | play gain_ore 7"), size=9)
    game = play(scene(game_factory, made, hands=("Lonely", "")), "play Lonely 1 explore")
    assert game.resources[0] == [9, 4]
    assert len(game.action_deck) == 6


def amounts(game, seat):
    """How many of each thing that effects change the player has."""
    return {
        "ore": game.resources[seat][0],
        "energy": game.resources[seat][1],
        "cards": len(game.hands[seat]),
        "planet cards": len(game.planet_hands[seat]),
        "in rows": sum(len(rows[seat]) for rows in game.rows),
    }


@pytest.mark.parametrize("who", ["", "opposing"])
@pytest.mark.parametrize(
    ("what", "thing", "change"),
    [
        ("gain_ore 3", "ore", 3),
        ("gain_energy 4", "energy", 4),
        ("lose_ore 2", "ore", -2),
        ("lose_energy 9", "energy", -5),
        ("draw 2", "cards", 2),
        ("take 2", "planet cards", 2),
        ("discard_action", "cards", -1),
        ("discard_planet", "planet cards", -1),
        ("destroy", "in rows", -1),
    ],
)
def test_at_1_5_at_4_9_whom_effects_touch(game_factory, what, thing, change, who):
    """AT-1.5, AT-4.9: the player, or with `opposing` the other one and only that one."""
    made = deck(card("A", explore=f"0 | play {what} {who}"))
    game = scene(
        game_factory,
        made,
        hands=("A F1", "F2"),
        planet_hands=("P3", "P4"),
        rows={(0, 0): "F3/extract", (1, 1): "F4/extract"},
        spare=False,
    )
    before = [amounts(game, seat) for seat in range(2)]
    play(game, "play A 0 explore")
    before[0]["cards"] -= 1  # A itself
    before[0]["in rows"] += 1
    before[who == "opposing"][thing] += change
    assert [amounts(game, seat) for seat in range(2)] == before


WATCHERS = [
    # The event, what the player does, and whether it is tied to the planet in slot 0.
    ("on_extract", "play T 0 extract", True),
    ("on_expand", "play T 0 expand", True),
    ("on_explore", "play T 0 explore", True),
    ("on_exterminate", "play T 0 exterminate/turn first", True),
    ("on_take", "play T 0 explore", False),
    ("on_reveal", "play T 0 exterminate/turn second", False),
    ("on_spend", "spend P3 first", False),
    ("on_win", "end/commit none", True),
]


@pytest.mark.parametrize("place", ["area", "same planet, covered", "other planet", "opponent's area", "turned away"])
@pytest.mark.parametrize(("event", "moves", "tied"), WATCHERS)
def test_at_1_5_at_3_2_what_expand_cards_see(game_factory, event, moves, tied, place):
    """AT-1.5, AT-3.2: in the play area everything that its owner does; on a planet what happens there or nowhere."""
    made = deck(
        card("E", explore="1", expand=f"0 | {event} gain_ore"),
        card("T", expand="3", explore="0 | play take", exterminate="0 | play reveal"),
    )
    rows = {(0, 0): "F1/extract", (0, 1): "F2/extract", (1, 0): "F3/extract"}
    areas = ["", ""]
    if place == "area":
        areas[0] = "E"
    elif place == "same planet, covered":
        rows[0, 0] = "E/expand F1/extract"
    elif place == "other planet":
        rows[1, 0] = "E/expand"
    elif place == "turned away":
        rows[0, 0] = "E/explore F1/extract"
    else:
        areas[1] = "E"
    markers = MEETING if event == "on_win" else {(0, 0): 0, (0, 1): 0}
    game = scene(game_factory, made, hands=("T", ""), planet_hands=("P3", ""), areas=areas, rows=rows, markers=markers)
    play(game, *moves.split("/"))
    sees = place in ("area", "same planet, covered") or (place == "other planet" and not tied)
    assert game.resources == [[5 + sees, 5], [5, 5]]


def test_at_1_5_other_players_doings_are_not_seen(game_factory):
    """AT-1.5: the event is the owner's; a card that the other player makes one take is one's own taking."""
    made = deck(
        card("E", expand="0 | on_take gain_ore | on_explore gain_energy"),
        card("T", explore="0 | play take opposing"),
    )
    game = play(scene(game_factory, made, hands=("T", ""), areas=("", "E")), "play T 0 explore")
    assert game.resources == [[5, 5], [6, 5]]


def test_at_1_6_no_two_cards_alike():
    """AT-1.6: of the reference deck; ``test_cards.py`` has the rest."""
    actions = cards.load("reference").actions
    assert len({(one.cost, one.sides) for one in actions}) == len(actions)


# 2 Setup


@pytest.mark.parametrize("seed", range(5))
def test_at_2_1_what_each_player_starts_with(game_factory, seed):
    """AT-2.1."""
    game = game_factory(cards.load("reference"), seed=seed)
    assert [len(hand) for hand in game.hands] == [3, 3]
    assert [len(hand) for hand in game.planet_hands] == [1, 1]
    assert game.resources == [[2, 2], [2, 2]]
    assert (game.areas, game.dominated, game.points) == ([[], []], [[], []], [0, 0])
    assert (game.turn, game.idle, game.ply, game.decision, game.to_move) == (1, 0, 0, "main", game.active)


def test_at_2_2_chance_at_the_start(game_factory):
    """AT-2.2: two planets, each turned at random; a random first player, if none is said."""
    made = cards.load("reference")
    games = [game_factory(made, seed=seed) for seed in range(40)]
    assert {game.active for game in games} == {0, 1}
    assert {tuple(game.flips[:2]) for game in games} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {game.planets[2] for game in games} == {None}
    assert len({tuple(game.planets) for game in games}) > 20
    assert len({tuple(game.hands[0]) for game in games}) > 20
    for first in (0, 1):
        assert {game_factory(made, first_player=str(first), seed=seed).active for seed in range(10)} == {first}


@pytest.mark.parametrize("first", [0, 1])
def test_at_2_2_one_card_on_the_first_turn(game_factory, first):
    """AT-2.2: the first player plays one card on their first turn, the second player one on each planet."""
    game = game_factory(deck(), first_player=str(first))
    assert len({move.split()[2] for move in legal(game, "play")}) == 2
    play(game, f"play {game.hands[first][0]} 0 extract")
    assert legal(game, "play") == []
    assert len(legal(game, "spend")) == 2
    play(game, "end")
    for slot in (1, 0):
        play(game, f"play {game.hands[1 - first][0]} {slot} extract")
    play(game, "end")
    for slot in (1, 0):
        play(game, f"play {game.hands[first][0]} {slot} extract")


REVEAL = deck(card("R", explore="0 | play reveal 3"))


@pytest.mark.parametrize(
    ("planets", "slots"),
    [("- P2 -", [0, 2]), ("P1 - -", [1, 2]), ("P1 - P3", [1]), ("- P2 P3", [0])],
)
def test_at_2_3_the_lowest_empty_slot(game_factory, planets, slots):
    """AT-2.3, AT-4.11."""
    there = next(slot for slot in range(3) if slot not in slots)
    game = play(scene(game_factory, REVEAL, planets=planets, hands=("R", "")), f"play R {there} explore")
    for still_empty, slot in zip(reversed(range(len(slots))), slots, strict=True):
        assert (game.decision, game.planets[slot] is None, game.planets.count(None)) == ("turn", False, still_empty)
        play(game, "turn first")
    assert game.decision == "main"


def test_at_2_3_planets_from_hand_are_never_opened(game_factory):
    """AT-2.3: all planets that are not open are in hands, so none opens (AT-4.14)."""
    game = scene(game_factory, REVEAL, hands=("R", ""), planet_hands=("P3 P4", "P5 P6"))
    play(game, "play R 0 explore")
    assert (game.decision, game.planets, game.planet_hands) == (
        "main",
        ["P1", "P2", None],
        [["P3", "P4"], ["P5", "P6"]],
    )


def test_at_2_4_no_hand_limit(game_factory):
    """AT-2.4: thirteen action cards and four planet cards are kept."""
    made = deck(card("A", explore="0 | play draw 9 | play take 4"))
    game = scene(game_factory, made, hands=("A F1 F2 F3", ""))
    play(game, "play A 0 explore", "effect A explore 0", "end")
    assert (len(game.hands[0]), len(game.planet_hands[0])) == (13, 4)


# 3 Collecting

MINES = deck(
    card("Iron", extract="0 | play gain_ore 1"),
    card("Sun", extract="0 | play gain_energy 2", exterminate="0 | play gain_energy 2"),
    card("Both", extract="0 | play gain_ore 1 | play gain_energy 3"),
    card("Dock", expand="0 | income gain_ore 2 | income gain_energy 1"),
    card("Depot", expand="0 | income gain_ore 5"),
)


def test_at_3_1_at_4_6_what_stage_1_brings(game_factory):
    """AT-3.1, AT-4.6: own Extract cards, covered or not, and the income of the play area; Depot is still in its row."""
    game = scene(
        game_factory,
        MINES,
        player=1,
        resources=((0, 0), (0, 0)),
        rows={(0, 0): "Iron/extract Depot/expand", (1, 0): "Both/extract", (1, 1): "Sun/extract"},
        areas=("Dock", ""),
    )
    play(game, "end")
    assert (game.active, game.decision, game.resources) == (0, "main", [[4, 4], [0, 0]])
    play(game, "end")
    assert (game.active, game.resources) == (1, [[4, 4], [0, 2]])


def test_at_3_1_sides_as_they_stand(game_factory):
    """AT-3.1: only as Extract does a card pay; Sun shows Exterminate."""
    game = scene(game_factory, MINES, player=1, rows={(0, 0): "Sun/exterminate Iron/expand", (1, 0): "Both/explore"})
    play(game, "end")
    assert game.resources[0] == [5, 5]


def test_at_3_1_at_4_7_income_of_other_kinds(game_factory):
    """AT-3.1, AT-4.7: income that is no gain happens in the order that the player chooses, before stage 2."""
    made = deck(card("E", expand="0 | income draw | income lose_ore opposing"), card("G", expand="0 | income gain_ore"))
    game = play(scene(game_factory, made, player=1, areas=("E G", "")), "end")
    assert (game.turn, game.decision, game.to_move) == (3, "effect", 0)
    assert legal(game) == ["effect E expand 0", "effect E expand 1", "effect G expand 0"]
    play(game, "effect E expand 1")
    assert game.resources == [[5, 5], [4, 5]]
    play(game, "effect E expand 0")
    # One is left, and is not asked about.
    assert (game.decision, game.resources, len(game.hands[0])) == ("main", [[6, 5], [4, 5]], 2)


def test_at_3_2_once_in_each_turn_of_either_player(game_factory):
    """AT-3.2: of three cards taken and a fourth, one is seen; in the opponent's turn one more, in the next one more."""
    made = deck(
        card("E", expand="0 | on_take gain_ore"),
        card("T", explore="0 | play take 3"),
        card("U", explore="1 | play take"),
        card("V", explore="2 | play take 2 opposing"),
        card("W", explore="3 | play take 2"),
        size=20,
        planets=[planet(f"P{i}", 0, EMPTY, EMPTY) for i in range(1, 16)],
    )
    game = scene(game_factory, made, hands=("T U W", "V"), areas=("E", ""))
    play(game, "play T 0 explore", "play U 1 explore")
    assert (len(game.planet_hands[0]), game.resources[0]) == (4, [6, 5])
    play(game, "end", "play V 0 explore")
    assert (len(game.planet_hands[0]), game.resources[0]) == (6, [7, 5])
    play(game, "end", "play W 0 explore")
    assert (len(game.planet_hands[0]), game.resources[0]) == (8, [8, 5])


def test_at_3_2_each_effect_for_itself(game_factory):
    """AT-3.2: two effects of one card, and those of two cards, all happen."""
    made = deck(
        card("E", expand="0 | on_take gain_ore | on_take gain_energy 2"),
        card("D", expand="1 | on_take gain_energy 3"),
        card("T", explore="0 | play take 2"),
    )
    game = play(
        scene(game_factory, made, hands=("T", ""), areas=("E", ""), rows={(1, 0): "D/expand"}), "play T 0 explore"
    )
    assert game.resources[0] == [6, 10]


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("gain_ore 3", (11, 0), [12, 0]),
        ("gain_energy 12", (0, 1), [0, 12]),
        ("lose_ore 3", (2, 5), [0, 5]),
        ("lose_energy 12", (5, 11), [5, 0]),
    ],
)
def test_at_3_3_from_0_to_12(game_factory, words, before, after):
    """AT-3.3."""
    made = deck(card("A", explore=f"0 | play {words}"))
    game = scene(game_factory, made, hands=("A", ""), resources=(before, (0, 0)))
    assert play(game, "play A 0 explore").resources[0] == after


# 4 Action cards


def test_at_4_1_one_card_on_each_planet_in_any_order(game_factory):
    """AT-4.1, AT-7.2: with nothing left to do, stage 2 ends by itself."""
    game = scene(game_factory, deck(), planets="P1 P2 P3", hands=("F1 F2 F3", ""))
    play(game, "play F2 2 extract")
    assert {move.split()[2] for move in legal(game, "play")} == {"0", "1"}
    play(game, "play F1 0 extract")
    assert legal(game) == ["play F3 1 extract", "play Spare0 1 extract", "end"]
    play(game, "play F3 1 extract")
    assert (game.active, game.decision, game.idle) == (1, "main", 0)
    assert [row[0] for row in game.rows] == [[("F1", "extract")], [("F3", "extract")], [("F2", "extract")]]


def test_at_4_1_planets_opened_this_turn_too(game_factory):
    """AT-4.1: after R on the only planet, the two that it reveals can be played on."""
    game = scene(game_factory, REVEAL, planets="- P2 -", hands=("R F1 F2", ""))
    play(game, "play R 1 explore", "turn first", "turn first", "play F1 2 extract", "play F2 0 extract")
    assert [[name for name, _ in row[0]] for row in game.rows] == [["F2"], ["R"], ["F1"]]


def test_at_4_1_stopping_at_any_time(game_factory):
    """AT-4.1: at once, or after a card."""
    game = play(scene(game_factory, deck(), hands=("F1 F2", "")), "play F1 0 extract", "end")
    assert game.active == 1
    assert play(game, "end").active == 0


WALKS = [
    # Whose turn, on whose side the first half lies, and the spaces of X as that player walks them.
    (0, 0, ["10", "02", "30", "03", "20", "01"]),
    (0, 1, ["01", "20", "03", "30", "02", "10"]),
    (1, 1, ["10", "02", "30", "03", "20", "01"]),
    (1, 0, ["01", "20", "03", "30", "02", "10"]),
]


@pytest.mark.parametrize("space", range(7))
@pytest.mark.parametrize(("player", "flip", "walk"), WALKS)
def test_at_4_2_at_4_3_where_markers_go(game_factory, player, flip, walk, space):
    """AT-4.2: the first space of the own half, then one by one to the far side. AT-4.3: there it stays, for nothing."""
    game = scene(
        game_factory,
        TRACKS,
        player=player,
        planets="P1 X -",
        flips=(0, flip, 0),
        hands=("F1", "") if player == 0 else ("", "F1"),
        rows={(1, player): "F2/extract"} if space else {},
        markers={(1, player): space - 1} if space else {},
        resources=((0, 0), (0, 0)),
    )
    play(game, "play F1 1 extract")
    assert game.markers[1][player] == min(space, 5)
    gain = walk[space] if space < 6 else "00"
    assert game.resources[player] == [int(gain[0]), int(gain[1])]
    assert (game.markers[1][1 - player], game.resources[1 - player]) == (None, [0, 0])


def test_at_4_2_at_4_4_the_gain_pays_the_cost(game_factory):
    """AT-4.2, AT-4.4: the first space of X brings the ore that A costs; P1's does not."""
    made = deck(card("A", "1 0", explore="0"), planets=TRACKS.planets)
    game = scene(game_factory, made, planets="X P1 -", hands=("A", ""), resources=((0, 0), (0, 0)))
    moves = legal(game, "play A")
    assert moves == [
        "play A 0 extract",
        "play A 0 expand",
        "play A 0 explore",
        "play A 0 exterminate",
        "play A 1 extract",
    ]
    assert play(game, "play A 0 explore").resources[0] == [0, 0]


@pytest.mark.parametrize(("ore", "cost", "payable"), [(11, 12, True), (8, 12, False), (9, 12, True)])
def test_at_4_4_at_3_3_the_gain_is_capped_before_it_pays(game_factory, ore, cost, payable):
    """AT-4.4, AT-3.3: the third space of X brings 3 ore: 11 becomes 12, and a cost of 12 leaves nothing."""
    made = deck(card("A", f"{cost} 0", explore="0"), planets=TRACKS.planets)
    game = scene(
        game_factory,
        made,
        planets="X - -",
        hands=("A", ""),
        rows={(0, 0): "F1/extract"},
        markers={(0, 0): 1},
        resources=((ore, 0), (0, 0)),
    )
    assert ("play A 0 explore" in legal(game)) == payable
    if payable:
        assert play(game, "play A 0 explore").resources[0] == [0, 0]


def test_at_4_3_placed_on_the_opposing_marker(game_factory):
    """AT-4.3, AT-5.1: player 1's marker has come to the last space; placed there, player 0's meets it."""
    game = scene(game_factory, deck(), hands=("F1", ""), rows={(0, 1): "F2/extract"}, markers={(0, 1): 3})
    play(game, "play F1 0 extract")
    assert game.markers[0] == [0, 3]
    play(game, "end")
    assert (game.planets, game.dominated) == ([None, "P2", None], [["P1"], []])


def test_at_4_3_no_gain_but_effects_on_the_last_space(game_factory):
    """AT-4.3: the card is played as ever."""
    made = deck(card("A", extract="0 | play gain_ore 2"), planets=TRACKS.planets)
    game = scene(game_factory, made, planets="X - -", hands=("A", ""), rows={(0, 0): "F1/extract"}, markers={(0, 0): 5})
    play(game, "play A 0 extract")
    assert (game.markers[0][0], game.resources[0], game.rows[0][0]) == (
        5,
        [7, 5],
        [("F1", "extract"), ("A", "extract")],
    )


def test_at_4_5_rows_and_free_cards(game_factory):
    """AT-4.5: the new card covers the one before, and is the free one, which alone can be turned (AT-4.12)."""
    made = deck(card("A", explore="0 | play rotate extract"))
    game = scene(
        game_factory, made, hands=("A", ""), rows={(0, 0): "F1/expand F2/expand", (1, 0): "F3/expand F4/expand"}
    )
    play(game, "play A 0 explore")
    assert [name for name, _ in game.rows[0][0]] == ["F1", "F2", "A"]
    assert legal(game) == ["rotate 0 extract", "rotate 1 extract"]
    play(game, "rotate 1 extract")
    assert game.rows[1][0] == [("F3", "expand"), ("F4", "extract")]
    play(game, "end", "end")
    assert [name for name, _ in game.rows[0][0]] == ["F1", "F2", "A"]


def test_at_4_6_extract_pays_at_once_and_in_every_stage_1(game_factory):
    """AT-4.6."""
    game = scene(game_factory, MINES, hands=("Both", ""), resources=((0, 0), (0, 0)))
    assert play(game, "play Both 0 extract").resources[0] == [1, 3]
    assert play(game, "end").resources[0] == [1, 3]
    assert play(game, "end").resources[0] == [2, 6]
    assert play(game, "end", "end").resources[0] == [3, 9]


def test_at_4_7_the_player_chooses_the_order(game_factory):
    """AT-4.7: swapping before or after the gain makes a difference; no effect may be left out."""
    made = deck(card("A", explore="0 | play gain_ore 4 | play swap 2 | play lose_energy 3"))
    start = scene(game_factory, made, hands=("A", ""), resources=((0, 2), (0, 0)))
    play(start, "play A 0 explore")
    assert (start.decision, start.to_move) == ("effect", 0)
    assert legal(start) == ["effect A explore 0", "effect A explore 1", "effect A explore 2"]
    play(start, "effect A explore 2")  # as fully as possible: 2 of 3
    assert (start.resources[0], legal(start)) == ([0, 0], ["effect A explore 0", "effect A explore 1"])
    play(start, "effect A explore 1")  # nothing to swap, and then the gain is the last
    assert (start.resources[0], start.decision) == ([4, 0], "main")


def test_at_4_7_gains_are_not_asked_about(game_factory):
    """AT-4.7: their order does not matter; but that of a gain of the other player's is left to choose."""
    made = deck(
        card("A", explore="0 | play gain_ore 2 | play gain_energy | play gain_ore 3"),
        card("B", explore="0 | play gain_ore 2 | play gain_ore opposing"),
    )
    game = play(scene(game_factory, made, hands=("A B", "")), "play A 0 explore")
    assert (game.decision, game.resources[0]) == ("main", [10, 6])
    play(game, "play B 1 explore")
    assert legal(game) == ["effect B explore 0", "effect B explore 1"]


def test_at_4_7_triggered_effects_wait_for_the_card_to_be_done(game_factory):
    """AT-4.7: D sees A's playing and the taking, but comes after all effects of A, a turned card's included."""
    made = deck(
        card("A", explore="0 | play take | play rotate exterminate"),
        card("B", exterminate="0 | play lose_ore 2 | play lose_energy 2"),
        card("D", expand="0 | on_explore gain_ore 3 | on_take swap 1"),
    )
    game = scene(game_factory, made, hands=("A", ""), areas=("D", ""), rows={(1, 0): "B/extract"})
    play(game, "play A 0 explore", "effect A explore 0")
    # The taking is done, and what it has set off waits while A turns B.
    assert (game.decision, len(game.planet_hands[0]), game.resources[0]) == ("rotate", 1, [5, 5])
    play(game, "rotate 1 exterminate", "effect B exterminate 1")
    assert (game.decision, game.resources[0]) == ("effect", [3, 3])
    assert legal(game) == ["effect D expand 0", "effect D expand 1"]
    play(game, "effect D expand 1", "swap energy")
    assert (game.decision, game.resources[0]) == ("main", [7, 2])


def test_at_4_7_the_active_players_first_then_the_others(game_factory):
    """AT-4.7, AT-7.2: what waits of player 0 is resolved before what waits of player 1, who then chooses."""
    made = deck(
        card("A", explore="0 | play take opposing"),
        card("E", expand="0 | on_explore lose_ore | on_explore take opposing"),
        card("O", expand="1 | on_take lose_energy | on_take draw"),
    )
    game = play(scene(game_factory, made, hands=("A", ""), areas=("E", "O")), "play A 0 explore")
    assert (game.to_move, legal(game)) == (0, ["effect E expand 0", "effect E expand 1"])
    play(game, "effect E expand 1")
    # The second taking sets off nothing more (AT-3.2).
    assert (game.to_move, len(game.planet_hands[1])) == (1, 2)
    assert legal(game) == ["effect O expand 0", "effect O expand 1"]
    play(game, "effect O expand 0")
    assert (game.to_move, game.active, game.resources) == (0, 0, [[4, 5], [5, 4]])
    assert len(held(game, 1)) == 1


def test_at_4_7_an_expand_does_not_see_its_own_playing(game_factory):
    """AT-4.7: the first E sees nothing; the second is seen by the first, but not by itself."""
    made = deck(card("E", expand="0 | on_expand gain_ore"), card("G", expand="0 | on_expand gain_energy"))
    game = scene(game_factory, made, hands=("E G", ""))
    assert play(game, "play E 0 expand").resources[0] == [5, 5]
    play(game, "end", "end")
    assert play(game, "play G 0 expand").resources[0] == [6, 5]


def test_at_4_7_but_a_card_just_played_sees_what_follows(game_factory):
    """AT-4.7, AT-1.5: E is played, and D, set off by that, takes a card, which E sees."""
    made = deck(card("E", expand="0 | on_take gain_ore"), card("D", expand="0 | on_expand take"))
    game = scene(game_factory, made, hands=("E", ""), areas=("D", ""))
    assert play(game, "play E 0 expand").resources[0] == [6, 5]


def test_at_4_7_a_triggered_effect_outlives_its_card(game_factory):
    """AT-4.7, AT-1.5: E sees the taking, then A destroys E: both what it saw and its going have their effects."""
    made = deck(
        card("A", explore="0 | play take | play destroy"),
        card("E", expand="0 | on_take gain_ore 3 | discarded gain_energy 2"),
    )
    game = scene(game_factory, made, hands=("A", ""), rows={(1, 0): "E/expand"})
    play(game, "play A 0 explore", "effect A explore 0", "destroy 1")
    assert (game.rows[1][0], game.action_discard, game.resources[0]) == ([], ["E"], [8, 7])


def test_at_4_8_spending_at_any_free_moment(game_factory):
    """AT-4.8: before, between and after cards, in any number, also on the first turn."""
    game = scene(game_factory, deck(), turn=1, hands=("F1 F2", ""), planet_hands=("P3 P4 P5", ""))
    play(game, "spend P4 first", "play F1 0 extract", "spend P3 second")
    assert legal(game) == ["spend P5 first", "spend P5 second", "end"]
    assert (game.planet_hands[0], game.planet_discard) == (["P5"], ["P3", "P4"])


def test_at_4_8_not_while_an_effect_is_pending(game_factory):
    """AT-4.8: only the order of effects can be chosen."""
    made = deck(card("A", explore="0 | play draw | play take"))
    game = play(scene(game_factory, made, hands=("A", ""), planet_hands=("P3", "")), "play A 0 explore")
    assert legal(game) == ["effect A explore 0", "effect A explore 1"]


def test_at_4_9_discarded_cards_do_nothing(game_factory):
    """AT-4.9, AT-1.5: E from hand goes without its `discarded` effect; destroyed, it has it."""
    made = deck(
        card("A", explore="0 | play discard_action"),
        card("B", explore="0 | play destroy opposing"),
        card("E", expand="0 | discarded gain_ore 4"),
        card("G", expand="0 | discarded gain_energy 4"),
    )
    game = play(scene(game_factory, made, hands=("A E", "")), "play A 0 explore", "discard E")
    assert (game.resources[0], held(game, 0), game.action_discard) == ([5, 5], [], ["E"])
    game = scene(game_factory, made, hands=("B", ""), rows={(0, 1): "E/expand G/expand"})
    play(game, "play B 0 explore")
    assert (game.resources, game.rows[0][1], game.action_discard) == ([[5, 5], [5, 9]], [("E", "expand")], ["G"])


def test_at_4_9_only_a_shown_expand_has_discarded_effects(game_factory):
    """AT-4.9, AT-1.2: E, destroyed as Extract, has none."""
    made = deck(card("B", explore="0 | play destroy opposing"), card("E", expand="0 | discarded gain_ore 4"))
    game = scene(game_factory, made, hands=("B", ""), rows={(0, 1): "E/extract"})
    assert play(game, "play B 0 explore").resources == [[5, 5], [5, 5]]


def test_at_4_10_at_7_2_whose_hand_it_is_chooses(game_factory):
    """AT-4.10, AT-7.2: player 1 chooses two of five cards in player 0's turn; then what is left goes unasked."""
    made = deck(
        card("A", explore="0 | play discard_action 2 opposing"), card("B", explore="1 | play discard_action 3 opposing")
    )
    game = scene(game_factory, made, planets="P1 P2 P3", hands=("A B", "F1 F2 F3 F4"))
    play(game, "play A 0 explore")
    assert (game.decision, game.to_move, game.active) == ("discard_action", 1, 0)
    assert legal(game) == [f"discard {name}" for name in ("F1", "F2", "F3", "F4", "Spare1")]
    play(game, "discard F3", "discard F1")
    assert (held(game, 1), game.action_discard, game.to_move) == (["F2", "F4"], ["F1", "F3"], 0)
    play(game, "play B 1 explore")
    assert (game.decision, game.to_move, game.hands[1]) == ("main", 0, [])


def test_at_4_10_planet_cards_too(game_factory):
    """AT-4.10: of three planet cards, player 1 chooses one; player 0 discards the only one."""
    made = deck(card("A", explore="0 | play discard_planet opposing | play discard_planet"))
    game = scene(game_factory, made, hands=("A", ""), planet_hands=("P3", "P4 P5 P6"))
    play(game, "play A 0 explore", "effect A explore 1")
    assert (game.planet_hands[0], game.to_move) == ([], 1)
    assert legal(game) == ["discard P4", "discard P5", "discard P6"]
    play(game, "discard P5")
    assert (game.planet_hands[1], game.planet_discard, game.to_move) == (["P4", "P6"], ["P3", "P5"], 0)


def test_at_4_10_the_effects_owner_chooses_what_is_destroyed(game_factory):
    """AT-4.10: player 0 chooses among player 1's free cards, twice; what lay beneath has become free."""
    made = deck(card("A", explore="0 | play destroy 2 opposing"))
    rows = {(0, 1): "F1/extract F2/extract", (1, 1): "F3/extract", (0, 0): "F4/extract"}
    game = play(scene(game_factory, made, hands=("A", ""), rows=rows), "play A 0 explore")
    assert (game.to_move, legal(game)) == (0, ["destroy 0", "destroy 1"])
    play(game, "destroy 0")
    assert (game.rows[0][1], legal(game)) == ([("F1", "extract")], ["destroy 0", "destroy 1"])
    play(game, "destroy 0")
    # The last card of the row is gone; its marker is not.
    assert (game.rows[0][1], game.markers[0], game.action_discard) == ([], [1, 1], ["F1", "F2"])


def test_at_4_10_destroying_the_card_just_played(game_factory):
    """AT-4.10, AT-4.12: A destroys itself and turns what it lay on: the rest of its effects does not need it."""
    made = deck(
        card("A", explore="0 | play destroy | play rotate exterminate | play gain_ore"),
        card("B", exterminate="0 | play gain_energy 3"),
    )
    game = scene(game_factory, made, hands=("A", ""), rows={(0, 0): "B/extract", (1, 0): "F1/extract"})
    play(game, "play A 0 explore", "effect A explore 0")
    assert legal(game) == ["destroy 0", "destroy 1"]
    play(game, "destroy 0")
    assert (game.rows[0][0], game.action_discard) == ([("B", "extract")], ["A"])
    play(game, "effect A explore 1", "rotate 0 exterminate")
    assert (game.rows[0][0], game.resources[0], game.decision) == ([("B", "exterminate")], [6, 8], "main")


def test_at_4_10_nothing_left_to_destroy(game_factory):
    """AT-4.7, AT-4.10: of three cards to be destroyed, one is there."""
    made = deck(card("A", explore="0 | play destroy 3 opposing"))
    game = scene(game_factory, made, hands=("A", ""), rows={(1, 1): "F1/extract"})
    play(game, "play A 0 explore")
    assert (game.decision, game.rows[1][1], game.action_discard) == ("main", [], ["F1"])


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("half", "own"), [("first", True), ("second", False)])
def test_at_4_11_who_reveals_chooses_the_side(game_factory, player, half, own):
    """AT-4.11: the planet is seen, and then its half on the own side chosen."""
    game = scene(game_factory, REVEAL, player=player, planets="P1 P2 -", hands=("R", "") if player == 0 else ("", "R"))
    play(game, "play R 0 explore")
    assert (game.to_move, legal(game)) == (player, ["turn first", "turn second"])
    assert game.planets[2] is not None
    play(game, f"turn {half}")
    assert (game.flips[2], game.markers[2]) == (player if own else 1 - player, [None, None])


def test_at_4_11_no_more_than_three_planets(game_factory):
    """AT-4.11: with three open, nothing is revealed."""
    game = play(scene(game_factory, REVEAL, planets="P1 P2 P3", hands=("R", "")), "play R 0 explore")
    assert (game.decision, game.planets, game.planet_deck) == ("main", ["P1", "P2", "P3"], ["P4", "P5", "P6"])


def test_at_4_11_taking(game_factory):
    """AT-4.11: from the deck into hand."""
    made = deck(card("A", explore="0 | play take"))
    game = scene(game_factory, made, hands=("A", ""), planet_deck="P5")
    play(game, "play A 0 explore")
    assert (game.planet_hands, game.planet_deck, game.planet_discard) == ([["P5"], []], [], ["P3", "P4", "P6"])


ROTATE = deck(
    card(
        "R",
        extract="0 | play gain_energy 2",
        expand="0 | on_expand gain_ore 5 | on_extract gain_ore 5",
        explore="0 | play rotate",
    ),
    card(
        "S", extract="0 | play gain_ore", explore="0 | play rotate exterminate", exterminate="0 | play rotate extract"
    ),
    card("M", extract="0 | play gain_ore 2", expand="0 | income gain_ore"),
)


def test_at_4_12_any_own_free_card_to_any_other_side(game_factory):
    """AT-4.12: R itself, and the free cards on the other planets; not covered cards, nor the opponent's."""
    game = scene(
        game_factory,
        ROTATE,
        planets="P1 P2 P3",
        hands=("R", ""),
        rows={(0, 1): "F1/extract", (1, 0): "F2/extract F3/expand", (2, 1): "F4/extract"},
    )
    play(game, "play R 0 explore")
    assert (game.decision, game.to_move) == ("rotate", 0)
    sides = {0: ["extract", "expand", "exterminate"], 1: ["extract", "explore", "exterminate"]}
    assert legal(game) == [f"rotate {slot} {side}" for slot in sides for side in sides[slot]]


def test_at_4_12_turned_to_extract_it_pays_at_once(game_factory):
    """AT-4.12, AT-3.1: M pays 2 ore now and in the next stage 1; nothing is paid for turning."""
    game = scene(game_factory, ROTATE, hands=("R", ""), rows={(1, 0): "M/expand"}, resources=((0, 0), (0, 0)))
    play(game, "play R 0 explore", "rotate 1 extract")
    assert (game.resources[0], game.rows[1][0], game.turned) == ([2, 0], [("M", "extract")], ["M"])
    assert play(game, "end", "end").resources[0] == [4, 0]


def test_at_4_12_turned_away_it_keeps_what_was_gained(game_factory):
    """AT-4.12: M, an Extract, becomes an Expand: no gain in the next stage 1, but no loss."""
    game = scene(game_factory, ROTATE, hands=("R", ""), rows={(1, 0): "M/extract"})
    play(game, "play R 0 explore", "rotate 1 expand")
    assert game.resources[0] == [5, 5]
    assert play(game, "end", "end").resources[0] == [5, 5]


def test_at_4_12_turning_is_not_playing(game_factory):
    """AT-4.12: M turned to Expand, or to Extract, is not seen by the other R's effects of playing."""
    made = deck(
        card("R", explore="0 | play rotate"),
        card("W", expand="0 | on_expand gain_ore 5 | on_extract gain_ore 5"),
        card("M", extract="0 | play gain_ore 2"),
    )
    for side, gain in (("expand", 0), ("extract", 2)):
        game = scene(game_factory, made, hands=("R", ""), areas=("W", ""), rows={(1, 0): "M/explore"})
        play(game, "play R 0 explore", f"rotate 1 {side}")
        assert (game.resources[0], game.rows[1][0]) == ([5 + gain, 5], [("M", side)])


def test_at_4_12_to_a_given_side_only(game_factory):
    """AT-4.12: S turns a card to Exterminate; the only card that does not show it already is S itself, unasked."""
    game = scene(game_factory, ROTATE, hands=("S", ""), rows={(1, 0): "F1/exterminate"})
    play(game, "play S 0 explore")
    # As Exterminate, S may turn a card to Extract: F1, but not S again. There is one way, so it is done.
    assert (game.decision, game.turned) == ("main", ["S", "F1"])
    assert (game.rows[0][0], game.rows[1][0]) == ([("S", "exterminate")], [("F1", "extract")])


def test_at_4_12_a_card_turns_once_a_turn(game_factory):
    """AT-4.12: S turns itself, and then there is nothing else to be turned; for R there is only R itself."""
    game = scene(game_factory, ROTATE, hands=("S R", ""))
    play(game, "play S 0 explore")
    assert (game.rows[0][0], game.resources[0]) == ([("S", "exterminate")], [5, 5])
    play(game, "play R 1 explore")
    assert {move.split()[1] for move in legal(game)} == {"1"}
    play(game, "rotate 1 expand", "end", "end")
    assert game.turned == []


def test_at_4_12_rotations_three_deep(game_factory):
    """AT-4.12, AT-4.7: A turns B, B turns C, C turns A, which pays; then C, B and A go on where they were."""
    made = deck(
        card("A", extract="0 | play gain_energy 2", explore="0 | play rotate | play lose_ore"),
        card("B", explore="0 | play rotate | play lose_energy"),
        card("C", exterminate="0 | play rotate | play draw"),
    )
    game = scene(
        game_factory, made, planets="P1 P2 P3", hands=("A", ""), rows={(1, 0): "B/extract", (2, 0): "C/extract"}
    )
    play(game, "play A 0 explore", "effect A explore 0", "rotate 1 explore")
    assert legal(game) == ["effect B explore 0", "effect B explore 1"]
    play(game, "effect B explore 0")
    assert {move.split()[1] for move in legal(game)} == {"0", "2"}
    play(game, "rotate 2 exterminate", "effect C exterminate 0")
    assert legal(game) == ["rotate 0 extract", "rotate 0 expand", "rotate 0 exterminate"]
    play(game, "rotate 0 extract")
    # The gain, then the draw, the loss of energy and the loss of ore, each the last of its card.
    assert (game.decision, game.resources[0], len(held(game, 0))) == ("main", [4, 6], 1)
    assert game.turned == ["A", "B", "C"]


def test_at_4_12_turned_by_its_own_effect_with_others_pending(game_factory):
    """AT-4.12: A turns itself to Extract, gains, and then still has two effects of its Explore side to do."""
    made = deck(card("A", extract="0 | play gain_energy 2", explore="0 | play rotate extract | play draw | play take"))
    game = scene(game_factory, made, hands=("A", ""))
    play(game, "play A 0 explore", "effect A explore 0")
    assert (game.rows[0][0], game.resources[0]) == ([("A", "extract")], [5, 7])
    assert legal(game) == ["effect A explore 1", "effect A explore 2"]
    play(game, "effect A explore 2")
    assert (game.decision, len(held(game, 0)), len(game.planet_hands[0])) == ("main", 1, 1)


def test_at_4_12_the_turned_sides_effects_come_before_the_rest(game_factory):
    """AT-4.12: B, turned by A, swaps at once, before A's loss."""
    made = deck(card("A", explore="0 | play rotate explore | play lose_ore 5"), card("B", explore="0 | play swap 5"))
    game = scene(game_factory, made, hands=("A", ""), rows={(1, 0): "B/extract"})
    play(game, "play A 0 explore", "effect A explore 0")
    assert (game.decision, legal(game)) == ("swap", ["swap ore", "swap energy"])
    play(game, "swap ore")
    assert game.resources[0] == [0, 10]


@pytest.mark.parametrize(
    ("amount", "before", "ways", "after"),
    [
        (2, (5, 5), ["swap ore", "swap energy"], [[3, 7], [7, 3]]),
        (9, (5, 3), ["swap ore", "swap energy"], [[0, 8], [8, 0]]),
        (3, (0, 4), [], [[3, 1]]),
        (3, (4, 0), [], [[1, 3]]),
        (3, (0, 0), [], [[0, 0]]),
        (4, (12, 11), ["swap ore", "swap energy"], [[8, 12], [12, 7]]),
        (4, (3, 12), ["swap ore", "swap energy"], [[0, 12], [7, 8]]),
    ],
)
def test_at_4_13_swaps(game_factory, amount, before, ways, after):
    """AT-4.13: as many as are held; a way that moves nothing is none; what is over 12 is lost."""
    made = deck(card("A", explore=f"0 | play swap {amount}"))
    for way, result in zip(ways or [None], after, strict=True):
        game = play(scene(game_factory, made, hands=("A", ""), resources=(before, (0, 0))), "play A 0 explore")
        if way is not None:
            assert legal(game) == ways
            play(game, way)
        assert (game.decision, game.resources[0]) == ("main", result)


DRAW = deck(
    card("A", explore="0 | play draw 4"), card("B", explore="0 | play take 3"), card("C", explore="0 | play reveal")
)


def test_at_4_14_the_deck_runs_out_in_the_middle_of_a_draw(game_factory):
    """AT-4.14: F1 is the last card of the deck; then the discard pile becomes the deck, and three come from there."""
    game = scene(game_factory, DRAW, hands=("A", ""), action_deck="F1")
    pile = set(game.action_discard)
    assert len(pile) == 12
    play(game, "play A 0 explore")
    hand = set(held(game, 0))
    assert (len(hand), hand - pile, game.action_discard) == (4, {"F1"}, [])
    assert set(game.action_deck) == pile - hand


def test_at_4_14_only_when_a_card_must_be_drawn(game_factory):
    """AT-4.14: the last card of a deck is drawn, and the discard pile stays."""
    game = scene(game_factory, DRAW, hands=("A", ""), action_deck="F1 F2 F3 F4", planet_deck="P3")
    play(game, "play A 0 explore")
    assert (held(game, 0), game.action_deck, len(game.action_discard)) == (["F1", "F2", "F3", "F4"], [], 9)
    play(game, "end")  # Five in hand: nothing is drawn (AT-5.6).
    assert (game.action_deck, len(game.action_discard)) == ([], 9)
    play(game, "end")  # Player 1 draws two.
    assert (len(game.action_deck), game.action_discard) == (7, [])


def test_at_4_14_planets_likewise(game_factory):
    """AT-4.14: P3 is the last of the deck; P4, P5 and P6 are shuffled, and two of them taken."""
    game = scene(game_factory, DRAW, hands=("B", ""), planet_deck="P3")
    play(game, "play B 0 explore")
    hand = set(game.planet_hands[0])
    assert (len(hand), "P3" in hand, game.planet_discard) == (3, True, [])
    assert set(game.planet_deck) == {"P3", "P4", "P5", "P6"} - hand


def test_at_4_14_both_empty(game_factory):
    """AT-4.14, AT-4.7: what is not there is not drawn, taken or revealed."""
    rest = " ".join(f"F{i}" for i in range(2, 12))
    game = scene(
        game_factory, DRAW, hands=("A B C", rest), planet_hands=("", "P3 P4 P5 P6"), planets="P1 - P2", action_deck="F1"
    )
    play(game, "play B 2 explore", "play A 0 explore")
    assert (game.planet_hands[0], held(game, 0), game.action_deck) == ([], ["C", "F1"], [])
    game = scene(game_factory, DRAW, hands=("C", ""), planet_hands=("", "P3 P4 P5 P6"), planets="P1 - P2")
    assert play(game, "play C 0 explore").planets == ["P1", None, "P2"]


# 5 Conflict and maintenance


def test_at_5_1_two_conflicts_in_the_order_that_the_active_player_chooses(game_factory):
    """AT-5.1: of the three planets, markers meet on the first and the last; one is resolved, then the other."""
    made = deck(card("W", exterminate="9 | win gain_ore 7"), card("L", exterminate="-1 | lose lose_ore 9"))
    game = scene(
        game_factory,
        made,
        planets="P1 P2 P3",
        rows={(0, 0): "W/exterminate", (0, 1): "F1/extract", (2, 0): "L/exterminate", (2, 1): "F2/extract"},
        markers={(0, 0): 1, (0, 1): 2, (1, 0): 0, (1, 1): 2, (2, 0): 3, (2, 1): 0},
    )
    play(game, "end")
    assert (game.decision, game.to_move, legal(game)) == ("order", 0, ["order 0", "order 2"])
    # The loss first, or it would have taken the gain too.
    play(game, "order 2")
    assert (game.resources[0], game.planets, game.dominated) == ([7, 5], [None, "P2", None], [["P1"], ["P3"]])
    assert game.markers == [[None, None], [0, 2], [None, None]]


def test_at_5_1_one_conflict_is_not_asked_about(game_factory):
    """AT-5.1: and markers that have not met make none."""
    game = scene(
        game_factory, deck(), rows={(0, 0): "F1/extract", (0, 1): "F2/extract", (1, 1): "F3/extract"}, markers=MEETING
    )
    play(game, "end")
    assert (game.active, game.planets) == (1, [None, "P2", None])


STRENGTHS = [
    # Rows of player 0 and player 1 in slot 0, play areas, and what each side comes to.
    ("A/extract B/explore", "C/extract", ("", ""), 1 + 4, 3),
    ("A/extract N/extract", "C/extract", ("", ""), 1 - 5, 3),
    ("", "N/extract", ("", ""), 0, -5),
    # The printed 5 of M counts in the row, with its +2; from the play area its +2 alone counts.
    ("M/expand A/extract", "", ("", ""), 5 + 2 + 1, 0),
    ("A/extract", "", ("M", ""), 1 + 2, 0),
    ("A/extract", "", ("", "M"), 1, 2),
    # O takes 3 from the other side, in a row or in the play area, or 4 as Exterminate; as Explore it does not.
    ("O/expand", "C/extract", ("", ""), 6, 3 - 3),
    ("O/exterminate", "C/extract", ("", ""), 2, 3 - 4),
    ("O/explore", "C/extract", ("", ""), 0, 3),
    ("A/extract", "C/extract", ("", "O"), 1 - 3, 3),
    ("A/extract", "C/extract", ("O M", "N"), 1 + 2, 3 - 3),
]
ARMS = deck(
    card("A", extract="1"),
    card("B", explore="4"),
    card("C", extract="3"),
    card("N", extract="-5"),
    card("M", expand="5 | conflict strength 2"),
    card("O", expand="6 | conflict strength -3 opposing", exterminate="2 | conflict strength -4 opposing"),
    card("X", expand="8 | conflict strength 9", exterminate="1"),
    planets=[*(planet(f"P{i}") for i in range(1, 3)), *(planet(f"S{i}", i) for i in range(10))],
)


@pytest.mark.parametrize(("ours", "theirs", "areas", "our_total", "their_total"), STRENGTHS)
def test_at_5_2_at_5_3_strengths(game_factory, ours, theirs, areas, our_total, their_total):
    """AT-5.2: what each side comes to is found by planet cards that bring about a tie, which is player 0's (AT-5.3).

    X, on another planet, counts for nothing.
    """
    lead = our_total - their_total
    behind = 0 if lead < 0 else 1
    for strength, winner in ((abs(lead), 0), (lead + 1 if behind else -lead - 1, 1)):
        game = scene(
            game_factory,
            ARMS,
            rows={(0, 0): ours, (0, 1): theirs, (1, 0): "X/expand"},
            markers=MEETING,
            areas=areas,
            planet_hands=("", f"S{strength}") if behind else (f"S{strength}", ""),
        )
        play(game, "end")
        assert (game.decision, game.to_move) == ("commit", behind)
        play(game, f"commit S{strength}")
        assert game.dominated[winner] == ["P1"]


def test_at_5_2_both_commit_face_down(game_factory):
    """AT-5.2, AT-7.2: the active player first, then the other; a card or none; what is committed is out of hand."""
    game = scene(
        game_factory,
        ARMS,
        player=1,
        rows={(0, 0): "C/extract", (0, 1): "A/extract"},
        markers=MEETING,
        planet_hands=("S1 S4", "S2 S6"),
    )
    play(game, "end")
    assert (game.decision, game.to_move, legal(game)) == ("commit", 1, ["commit S2", "commit S6", "commit none"])
    play(game, "commit S6")
    assert (game.decision, game.to_move, legal(game)) == ("commit", 0, ["commit S1", "commit S4", "commit none"])
    assert (game.committed, game.planet_hands) == ([None, "S6"], [["S1", "S4"], ["S2"]])
    play(game, "commit S4")
    # 3 + 4 against 1 + 6: a tie, which the active player wins. Both planet cards are discarded (AT-5.4).
    assert (game.dominated, game.committed) == ([[], ["P1"]], [None, None])
    assert (game.planet_hands, game.planet_discard) == ([["S1"], ["S2"]], ["S4", "S6"])


def test_at_5_2_none_is_committed_or_nobody_is_asked(game_factory):
    """AT-5.2: who holds no planet card is not asked."""
    rows = {(0, 0): "A/extract", (0, 1): "C/extract"}
    game = scene(game_factory, ARMS, rows=rows, markers=MEETING, planet_hands=("S9", ""))
    play(game, "end", "commit none")
    assert (game.dominated, game.planet_hands[0], game.active) == ([[], ["P1"]], ["S9"], 1)
    game = play(scene(game_factory, ARMS, rows=rows, markers=MEETING), "end")
    assert (game.dominated, game.active) == ([[], ["P1"]], 1)


@pytest.mark.parametrize("player", [0, 1])
def test_at_5_3_ties_are_the_active_players(game_factory, player):
    """AT-5.3."""
    rows = {(0, 0): "A/extract", (0, 1): "X/exterminate"}
    game = play(scene(game_factory, ARMS, player=player, rows=rows, markers=MEETING), "end")
    assert game.dominated[player] == ["P1"]


def test_at_5_4_what_becomes_of_the_cards(game_factory):
    """AT-5.4: the planet to the winner; Expand cards, covered or not, to their owners; the rest is discarded."""
    game = scene(
        game_factory,
        ARMS,
        rows={(0, 0): "M/expand B/explore A/extract", (0, 1): "X/exterminate O/expand", (1, 0): "F1/expand"},
        markers=MEETING,
        areas=("", "F2"),
    )
    play(game, "end")
    assert (game.planets, game.dominated) == ([None, "P2", None], [["P1"], []])
    assert game.areas == [["M"], ["O", "F2"]]
    assert game.action_discard == ["A", "B", "X"]
    assert (game.markers, game.rows[0]) == ([[None, None], [0, None], [None, None]], [[], []])
    assert (game.rows[1][0], game.planet_discard) == ([("F1", "expand")], [])


GIVE_UP = deck(
    card("D", expand="0 | discarded gain_ore 4"),
    card("E", expand="1 | discarded draw | discarded lose_ore opposing"),
)


def test_at_5_4_at_1_5_at_most_three_expand_cards(game_factory):
    """AT-5.4, AT-1.5: each gives up what they choose, old or new, the active player first; then effects."""
    game = scene(
        game_factory,
        GIVE_UP,
        rows={(0, 0): "F1/expand F2/expand", (0, 1): "D/expand"},
        markers=MEETING,
        areas=("E F3", "F4 F5 F6"),
    )
    play(game, "end")
    assert (game.decision, game.to_move) == ("give_up", 0)
    assert legal(game) == ["give_up E", "give_up F1", "give_up F2", "give_up F3"]
    play(game, "give_up E")
    assert (game.decision, game.to_move) == ("give_up", 1)
    assert legal(game) == ["give_up D", "give_up F4", "give_up F5", "give_up F6"]
    assert game.resources == [[5, 5], [5, 5]]
    play(game, "give_up D")
    assert (game.areas, game.action_discard) == ([["F1", "F2", "F3"], ["F4", "F5", "F6"]], ["D", "E"])
    assert (game.decision, game.to_move) == ("effect", 0)
    play(game, "effect E expand 1")
    # Then E's card is drawn, and D brings 4 ore, before player 0 draws up to three.
    assert (game.active, game.resources, len(game.hands[0])) == (1, [[5, 5], [8, 5]], 3)


def test_at_5_4_giving_up_several(game_factory):
    """AT-5.4: five cards, two of which go."""
    game = scene(
        game_factory,
        GIVE_UP,
        rows={(0, 0): "F1/expand F2/expand", (0, 1): "F4/extract"},
        markers=MEETING,
        areas=("D E F3", ""),
    )
    play(game, "end", "give_up F3", "give_up D")
    assert (game.areas[0], game.resources[0], game.active) == (["E", "F1", "F2"], [9, 5], 1)


WAR = deck(
    card("W", exterminate="9 | win gain_ore 2 | lose gain_energy 2"),
    card("L", exterminate="1 | win gain_ore 2 | lose gain_energy 2"),
    card("V", exterminate="5 | win destroy opposing | win rotate expand"),
    card("D", expand="2 | discarded gain_ore 4"),
    card("T", exterminate="8 | win take 3"),
)


def test_at_5_5_win_and_lose_effects(game_factory):
    """AT-5.5, AT-1.5: of the Exterminate cards on that planet, the winner's `win` and the loser's `lose`."""
    game = scene(
        game_factory,
        WAR,
        rows={(0, 0): "W/exterminate F1/extract", (0, 1): "L/exterminate", (1, 0): "V/exterminate"},
        markers=MEETING,
    )
    play(game, "end")
    assert (game.resources, game.dominated) == ([[7, 5], [5, 7]], [["P1"], []])


def test_at_5_5_before_the_rows_are_cleared_and_the_totals_stand(game_factory):
    """AT-5.5: V destroys D, which its owner then does not keep, and turns itself to Expand, which is kept."""
    game = scene(game_factory, WAR, rows={(0, 0): "V/exterminate", (0, 1): "F1/extract D/expand"}, markers=MEETING)
    play(game, "end")
    assert legal(game) == ["effect V exterminate 0", "effect V exterminate 1"]
    assert game.planets[0] == "P1"
    play(game, "effect V exterminate 0")
    assert (game.resources[1], game.action_discard) == ([9, 5], ["D", "F1"])
    assert (game.areas, game.dominated) == ([["V"], []], [["P1"], []])


def test_at_5_5_the_planet_still_counts_as_open(game_factory):
    """AT-5.5, AT-6.1, AT-6.3: with three planets open, T's third planet card scores Exploration."""
    game = scene(
        game_factory,
        WAR,
        planets="P1 P2 P3",
        rows={(0, 0): "T/exterminate", (0, 1): "F1/extract"},
        markers=MEETING,
    )
    play(game, "end")
    assert (game.conquests, game.points, game.planets) == ([{"exploration"}, set()], [2, 0], [None, "P2", "P3"])


def test_at_5_5_the_active_players_effects_first(game_factory):
    """AT-5.5, AT-4.7: player 1 wins in the turn of player 0, whose `lose` effects come first."""
    made = deck(
        card("A", exterminate="0 | lose lose_ore opposing | lose swap 1"),
        card("B", exterminate="3 | win lose_energy opposing | win swap 1"),
    )
    game = scene(game_factory, made, rows={(0, 0): "A/exterminate", (0, 1): "B/exterminate"}, markers=MEETING)
    play(game, "end")
    assert (game.to_move, legal(game, "effect")) == (0, ["effect A exterminate 0", "effect A exterminate 1"])
    play(game, "effect A exterminate 0", "swap ore")
    assert (game.to_move, legal(game, "effect")) == (1, ["effect B exterminate 0", "effect B exterminate 1"])
    assert game.resources == [[4, 6], [4, 5]]


def test_at_5_5_on_win_is_seen_from_the_planet_and_the_play_area(game_factory):
    """AT-5.5, AT-3.2: once in a turn, however many conflicts are won."""
    made = deck(card("A", expand="0 | on_win gain_ore"), card("B", expand="0 | on_win gain_energy 2"))
    game = scene(
        game_factory,
        made,
        rows={(0, 0): "A/expand", (0, 1): "F1/extract", (1, 0): "F2/extract", (1, 1): "F3/extract"},
        markers=MEETING | {(1, 0): 0, (1, 1): 3},
        areas=("B", ""),
    )
    play(game, "end", "order 0")
    assert (game.resources[0], game.areas[0]) == ([6, 7], ["A", "B"])


@pytest.mark.parametrize(("hand", "after"), [("", 3), ("F1", 3), ("F1 F2 F3", 3), ("F1 F2 F3 F4", 4)])
def test_at_5_6_up_to_three_action_cards(game_factory, hand, after):
    """AT-5.6: planet cards do not count; the other player draws nothing."""
    game = scene(game_factory, deck(), hands=(hand, "F5"), planet_hands=("P3 P4", ""), spare=False)
    play(game, "end")
    assert ([len(cards) for cards in game.hands], len(game.action_deck)) == ([after, 1], 16 - after - 1)


def test_at_5_7_a_planet_is_opened_if_none_is_open(game_factory):
    """AT-5.7: on either side, at random; as long as one is open, none."""
    flips = set()
    for seed in range(20):
        game = scene(
            game_factory,
            deck(),
            seed=seed,
            planets="- P2 -",
            rows={(1, 0): "F1/extract", (1, 1): "F2/extract"},
            markers={(1, 0): 1, (1, 1): 2},
        )
        play(game, "end")
        assert (game.planets[0] is None, game.planets[1:], game.dominated[0]) == (False, [None, None], ["P2"])
        flips.add(game.flips[0])
        opened = game.planets
        assert play(game, "end").planets == opened
    assert flips == {0, 1}


def test_at_5_7_no_planet_to_be_opened(game_factory):
    """AT-5.7, AT-4.14: all planets are in hands or dominated: the turn goes on without one, then one comes back."""
    game = scene(
        game_factory,
        deck(),
        planets="P1 - -",
        rows={(0, 0): "F1/extract", (0, 1): "F2/extract"},
        markers=MEETING,
        planet_hands=("P3 P4", "P5 P6"),
        dominated=("P2", ""),
    )
    play(game, "end", "commit none", "commit none")
    assert (game.planets, game.active, legal(game, "play")) == ([None] * 3, 1, [])
    play(game, "spend P6 first", "end")
    assert (game.planets, game.planet_discard) == (["P6", None, None], [])


# 6 Conquests and the end


def test_at_6_1_military(game_factory):
    """AT-6.1, AT-6.2: the third dominated planet is worth 3 points, and wins at once: nothing is drawn any more."""
    game = scene(
        game_factory,
        deck(),
        rows={(0, 0): "F1/extract", (0, 1): "F2/extract"},
        markers=MEETING,
        dominated=("P3 P4", "P5"),
    )
    play(game, "end")
    assert (game.terminated, game.conquests, game.points) == (True, [{"military"}, set()], [3, 0])
    assert (game.returns(), game.legal_actions(), held(game, 0)) == ([1.0, -1.0], [], [])


def test_at_6_1_military_of_the_other_player(game_factory):
    """AT-6.1, AT-6.3: player 1 wins in player 0's turn."""
    game = scene(game_factory, ARMS, rows={(0, 1): "A/extract"}, markers=MEETING, dominated=("", "S1 S2"))
    play(game, "end")
    assert (game.terminated, game.points, game.returns()) == (True, [0, 3], [-1.0, 1.0])


EXPLORE = deck(
    card("R", explore="0 | play reveal"),
    card("T", explore="0 | play take 3"),
    card("O", explore="0 | play take 3 opposing"),
    card("S", explore="0 | play discard_planet | play reveal"),
    planets=[planet(f"P{i}", 0, EMPTY, EMPTY) for i in range(1, 16)],
)


def test_at_6_1_exploration_by_the_third_planet(game_factory):
    """AT-6.1, AT-6.3: three planet cards in hand, and the third planet is revealed and turned."""
    game = scene(game_factory, EXPLORE, hands=("R", ""), planet_hands=("P3 P4 P5", "P6 P7"))
    play(game, "play R 0 explore")
    assert (game.decision, game.points) == ("turn", [0, 0])
    play(game, "turn first")
    assert (game.conquests, game.points, game.terminated) == ([{"exploration"}, set()], [2, 0], False)
    # It stays scored, whatever is done with the cards.
    play(game, "spend P3 first")
    assert game.points == [2, 0]


@pytest.mark.parametrize(("planets", "held", "scored"), [("P1 P2 P3", "", True), ("P1 P2 -", "", False)])
def test_at_6_1_exploration_by_the_third_card(game_factory, planets, held, scored):
    """AT-6.1: with two open planets, three cards are not enough."""
    game = scene(game_factory, EXPLORE, hands=("T", ""), planets=planets, planet_hands=(held, ""))
    play(game, "play T 0 explore")
    assert (game.points, len(game.planet_hands[0])) == ([2 * scored, 0], 3)


def test_at_6_3_won_in_the_middle_of_a_take(game_factory):
    """AT-6.2, AT-6.3: the first of three cards is the third in hand: with Economic that is 3 points."""
    game = scene(
        game_factory,
        EXPLORE,
        hands=("T", ""),
        planets="P1 P2 P3",
        planet_hands=("P4 P5", ""),
        conquests=("economic", ""),
    )
    play(game, "play T 0 explore")
    assert (game.terminated, len(game.planet_hands[0]), game.points) == (True, 3, [3, 0])


def test_at_6_3_for_either_player_and_the_active_player_first(game_factory):
    """AT-6.3: a reveal gives both players Exploration; where that is the end, only the active player scores it."""
    for scored, over in (("", False), ("economic", True)):
        game = scene(
            game_factory,
            EXPLORE,
            player=1,
            hands=("", "R"),
            planet_hands=("P3 P4 P5", "P6 P7 P8"),
            conquests=(scored, scored),
        )
        play(game, "play R 0 explore", "turn first")
        assert (game.terminated, game.points) == (over, [1, 3] if over else [2, 2])
    assert game.returns() == [-1.0, 1.0]


def test_at_6_3_the_other_player_in_ones_own_turn(game_factory):
    """AT-6.3, AT-6.2: cards that player 1 is given score in player 0's turn."""
    game = scene(game_factory, EXPLORE, hands=("O", ""), planets="P1 P2 P3", conquests=("", "economic"))
    play(game, "play O 0 explore")
    assert (game.terminated, game.points, game.returns()) == (True, [0, 3], [-1.0, 1.0])


TECHNOLOGY = deck(
    card("E", expand="0 | on_take draw"),
    card("R", explore="0 | play rotate expand"),
    card("X", explore="1 | play destroy"),
)


def test_at_6_1_technological_by_playing(game_factory):
    """AT-6.1: three in the play area, and one showing Expand on each open planet; F4 is covered, and counts."""
    game = scene(
        game_factory,
        TECHNOLOGY,
        hands=("E F6", ""),
        areas=("F1 F2 F3", ""),
        rows={(0, 0): "F4/expand F5/extract", (1, 1): "F7/expand"},
    )
    play(game, "play F6 0 extract")
    assert game.points == [0, 0]
    play(game, "play E 1 expand")
    assert (game.conquests, game.points) == ([{"technological"}, set()], [2, 0])


@pytest.mark.parametrize(("area", "points"), [("F1 F2 F3", 2), ("F1 F2", 0)])
def test_at_6_1_technological_by_turning(game_factory, area, points):
    """AT-6.1, AT-6.3: R turns itself or F4; two in the play area are not enough."""
    game = scene(game_factory, TECHNOLOGY, hands=("R", ""), areas=(area, ""), rows={(1, 0): "F4/expand"})
    play(game, "play R 0 explore")
    assert (game.rows[0][0], game.points[0]) == ([("R", "expand")], points)


def test_at_6_2_technological_is_kept_and_scored_once(game_factory):
    """AT-6.2: R, which brought it about, is destroyed; E brings it about again."""
    game = scene(game_factory, TECHNOLOGY, hands=("R X E", ""), areas=("F1 F2 F3", ""), rows={(1, 0): "F4/expand"})
    play(game, "play R 0 explore")
    assert game.points[0] == 2
    play(game, "play X 1 explore", "destroy 0")  # That was the last thing to do.
    assert (game.rows[0][0], game.points[0], game.active) == ([], 2, 1)
    play(game, "end", "play E 0 expand")
    assert (game.points[0], game.terminated) == (2, False)


def test_at_6_1_technological_after_a_clean_up(game_factory):
    """AT-6.1, AT-6.3, AT-5.5: the third Expand card comes from the planet won; the planet left has one."""
    rows = {(0, 0): "F3/expand", (0, 1): "F5/extract", (1, 0): "F4/expand"}
    game = scene(game_factory, TECHNOLOGY, areas=("F1 F2", ""), rows=rows, markers=MEETING)
    play(game, "end")
    assert (game.areas[0], game.conquests[0]) == (["F1", "F2", "F3"], {"technological"})


def test_at_6_2_what_wins_is_the_last_that_is_scored(game_factory):
    """AT-6.2, AT-6.3: the clean-up brings the third planet and the third Expand card; Military's 3 points end it."""
    rows = {(0, 0): "F3/expand", (0, 1): "F5/extract", (1, 0): "F4/expand"}
    game = scene(game_factory, TECHNOLOGY, areas=("F1 F2", ""), rows=rows, markers=MEETING, dominated=("P3 P4", ""))
    play(game, "end")
    assert (game.terminated, game.conquests[0], game.points[0]) == (True, {"military"}, 3)


def test_at_5_5_the_clean_up_is_one_step(game_factory):
    """AT-5.5, AT-6.3: scored when the fourth Expand card has been given up, and before its effects."""
    made = deck(card("D", expand="0 | discarded destroy | discarded swap 1"))
    game = scene(
        game_factory,
        made,
        areas=("D F1", ""),
        rows={(0, 0): "F2/expand F3/expand", (0, 1): "F5/extract", (1, 0): "F4/expand"},
        markers=MEETING,
    )
    play(game, "end")
    assert (game.decision, game.points) == ("give_up", [0, 0])
    play(game, "give_up D")
    # Destroying F4 would be too late.
    assert (game.decision, game.points) == ("effect", [2, 0])


def test_at_6_4_technological_without_open_planets(game_factory):
    """AT-6.4: the only planet is won, with the third Expand card; there is none to be active on, then one without."""
    rows = {(0, 0): "F3/expand", (0, 1): "F5/extract"}
    game = scene(game_factory, TECHNOLOGY, planets="P1 - -", areas=("F1 F2", ""), rows=rows, markers=MEETING)
    play(game, "end")
    assert (game.areas[0], game.points, game.planets[0] is None) == (["F1", "F2", "F3"], [0, 0], False)


RICH = {"resources": ((11, 10), (12, 12))}


def test_at_6_1_economic(game_factory):
    """AT-6.1, AT-6.3, AT-6.2: with five cards of both kinds 10 of each are paid, in the middle of stage 2, and once."""
    game = scene(game_factory, deck(), hands=("F1 F2", ""), planet_hands=("P3 P4", ""), **RICH)
    assert legal(game, "claim") == ["claim"]
    play(game, "claim")
    assert (game.resources[0], game.conquests[0], game.points) == ([1, 0], {"economic"}, [1, 0])
    assert (game.decision, len(game.hands[0]), len(game.planet_hands[0])) == ("main", 3, 2)
    play(game, "play F1 0 extract")
    assert legal(game, "claim") == []


def test_at_6_2_economic_once_only(game_factory):
    """AT-6.2: each player once, whatever the other has scored."""
    options = {"hands": ("F1 F2 F3 F4 F5", ""), "resources": ((12, 12), (12, 12))}
    game = scene(game_factory, deck(), conquests=("economic", ""), **options)
    assert legal(game, "claim") == []
    game = scene(game_factory, deck(), conquests=("", "economic"), **options)
    assert legal(game, "claim") == ["claim"]


@pytest.mark.parametrize(
    ("hand", "resources", "errata", "payable"),
    [
        ("F1 F2 F3 F4 F5", (10, 10), True, True),
        ("F1 F2 F3 F4 F5", (10, 9), True, False),
        ("F1 F2 F3 F4 F5", (9, 12), True, False),
        ("F1 F2 F3 F4", (12, 12), True, False),
        ("F1 F2 F3 F4 F5 F6", (12, 12), True, True),
        ("F1 F2 F3 F4 F5", (8, 8), False, True),
        ("F1 F2 F3 F4 F5", (8, 7), False, False),
        ("F1 F2 F3 F4", (12, 12), False, False),
    ],
)
def test_at_6_1_at_6_5_when_economic_can_be_paid(game_factory, hand, resources, errata, payable):
    """AT-6.1, AT-6.5: at least five cards, and 10 of each resource, or 8 in the first printing."""
    hands = (hand, "")
    game = scene(game_factory, deck(), hands=hands, resources=(resources, (0, 0)), errata=errata, spare=False)
    assert (legal(game, "claim") == ["claim"]) == payable
    if payable:
        price = 10 if errata else 8
        assert play(game, "claim").resources[0] == [resources[0] - price, resources[1] - price]


def test_at_6_5_exploration_in_the_first_printing(game_factory):
    """AT-6.5: two planet cards are enough."""
    for errata, points in ((True, 0), (False, 2)):
        game = scene(game_factory, EXPLORE, hands=("R", ""), planet_hands=("P3 P4", ""), errata=errata)
        play(game, "play R 0 explore", "turn first")
        assert game.points == [points, 0]


def test_at_6_2_economic_can_win(game_factory):
    """AT-6.2: with 2 points before, the claim is the end."""
    game = scene(game_factory, deck(), hands=("F1 F2 F3 F4 F5", ""), conquests=("technological", "exploration"), **RICH)
    play(game, "claim")
    assert (game.terminated, game.points, game.returns()) == (True, [3, 2], [1.0, -1.0])


def test_at_6_3_economic_after_the_refill(game_factory):
    """AT-6.3: four cards in hand become five; once more, claim or decline, and then the turn goes over."""
    options = {"hands": ("F1", ""), "planet_hands": ("P3 P4", ""), **RICH}
    game = scene(game_factory, deck(), **options)
    assert legal(game, "claim") == []
    play(game, "end")
    assert (game.decision, game.to_move, game.active, legal(game)) == ("claim", 0, 0, ["claim", "decline"])
    assert (len(game.hands[0]), game.resources[0]) == (3, [11, 10])
    play(game, "claim")
    assert (game.active, game.points, game.resources[0]) == (1, [1, 0], [1, 0])
    game = play(scene(game_factory, deck(), **options), "end", "decline")
    assert (game.active, game.points, game.resources[0]) == (1, [0, 0], [11, 10])


def test_at_6_3_not_asked_after_the_refill_if_it_cannot_be_paid(game_factory):
    """AT-6.3: four cards; or too few resources."""
    game = play(scene(game_factory, deck(), hands=("F1", ""), planet_hands=("P3", ""), **RICH), "end")
    assert game.active == 1
    game = play(scene(game_factory, deck(), hands=("F1", ""), planet_hands=("P3 P4", "")), "end")
    assert game.active == 1


def test_at_6_3_economic_is_of_ones_own_turn(game_factory):
    """AT-6.1, AT-6.3: player 1, who could pay, is not asked in player 0's turn."""
    game = scene(game_factory, deck(), hands=("F6", "F1 F2 F3 F4 F5"), resources=((0, 0), (12, 12)))
    play(game, "play F6 0 extract", "end")
    assert (game.active, game.decision, legal(game, "claim")) == (1, "main", ["claim"])


def test_at_6_3_before_the_planet_is_opened(game_factory):
    """AT-6.3, AT-5.7: the claim comes after the refill and before a planet is opened at the end of the turn."""
    game = scene(
        game_factory,
        deck(),
        hands=("F3 F4 F5 F6 F7", ""),
        planets="P1 - -",
        rows={(0, 0): "F1/extract", (0, 1): "F2/extract"},
        markers=MEETING,
        **RICH,
    )
    play(game, "end")
    assert (game.decision, game.planets) == ("claim", [None] * 3)
    play(game, "decline")
    assert (game.active, game.planets.count(None)) == (1, 2)


RANKS = [
    (("exploration", "economic"), ("", "P3 P4"), [1.0, -1.0]),
    (("", "economic"), ("P3 P4", ""), [-1.0, 1.0]),
    (("economic", "economic"), ("P3", "P4 P5"), [-1.0, 1.0]),
    (("", ""), ("P3", ""), [1.0, -1.0]),
    (("technological", "exploration"), ("P3", "P4"), [0.0, 0.0]),
    (("", ""), ("", ""), [0.0, 0.0]),
]


@pytest.mark.parametrize(("conquests", "dominated", "returns"), RANKS)
@pytest.mark.parametrize("limit", ["turns", "idle turns"])
def test_at_6_6_ends_without_a_winner_by_points(game_factory, limit, conquests, dominated, returns):
    """AT-6.6: at the turn limit or after 8 idle turns more points win, then more dominated planets, or nobody."""
    counters = {"turn": 30, "max_turns": 30} if limit == "turns" else {"idle": 7}
    game = scene(game_factory, deck(), player=1, conquests=conquests, dominated=dominated, **counters)
    assert game.returns() == [0.0, 0.0]
    play(game, "end")
    assert (game.terminated, game.returns(), game.legal_actions()) == (True, returns, [])
    results = game.results()
    assert results["dominated"] == [len(names.split()) for names in dominated]
    assert results["economic"] == [float("economic" in scored) for scored in conquests]


def test_at_6_6_idle_turns_are_counted_in_a_row(game_factory):
    """AT-6.6: a card begins the count anew; planet cards for resources and claims do not."""
    game = scene(game_factory, deck(), idle=5, hands=("F1 F2 F3", "F6"), planet_hands=("P3", ""), **RICH)
    play(game, "claim", "spend P3 first", "end")
    assert game.idle == 6
    play(game, "play F6 0 extract", "end")
    assert (game.idle, game.terminated) == (0, False)
    for turns in range(1, 8):
        play(game, "end")
        assert (game.idle, game.terminated) == (turns, False)
    play(game, "end")
    assert (game.idle, game.terminated) == (8, True)


@pytest.mark.parametrize("max_turns", [1, 2, 5])
def test_at_6_6_each_players_turn_counts_one(game_factory, max_turns):
    """AT-6.6."""
    game = game_factory(deck(), max_turns=max_turns)
    for turn in range(1, max_turns + 1):
        assert (game.turn, game.terminated) == (turn, False)
        play(game, "end")
    assert (game.turn, game.terminated, game.returns()) == (max_turns, True, [0.0, 0.0])


def test_at_6_6_two_hundred_turns(game_factory):
    """AT-6.6: the limit that holds if none is given."""
    game = play(scene(game_factory, deck(), turn=200, hands=("F1", "")), "play F1 0 extract", "end")
    assert (game.terminated, game.turn, game.idle) == (True, 200, 0)
    game = play(scene(game_factory, deck(), turn=199, hands=("F1", "")), "play F1 0 extract", "end")
    assert (game.terminated, game.turn) == (False, 200)


# 7 Encoding

BLOCKS = [
    ("play F1 0 extract", 0),
    ("play F1 0 expand", 1),
    ("play F1 1 extract", 4),
    ("play Spare1 2 exterminate", 191),
    ("spend P1 first", 192),
    ("spend P6 second", 203),
    ("claim", 204),
    ("end", 205),
    ("effect F1 extract 0", 206),
    ("effect F1 expand 2", 211),
    ("effect Spare1 exterminate 2", 397),
    ("rotate 0 extract", 398),
    ("rotate 2 exterminate", 409),
    ("turn first", 410),
    ("turn second", 411),
    ("discard F1", 412),
    ("discard Spare1", 427),
    ("discard P1", 428),
    ("discard P6", 433),
    ("destroy 0", 434),
    ("destroy 2", 436),
    ("swap ore", 437),
    ("swap energy", 438),
    ("order 0", 439),
    ("order 2", 441),
    ("commit P1", 442),
    ("commit P6", 447),
    ("commit none", 448),
    ("give_up F1", 449),
    ("give_up Spare1", 464),
    ("decline", 465),
]


def test_at_7_1_numbers_and_words(game_factory):
    """AT-7.1: the blocks for 16 action cards and 6 planets."""
    game = game_factory(deck())
    assert [game.parse(text) for text, _ in BLOCKS] == [number for _, number in BLOCKS]
    assert [game.notation(number) for _, number in BLOCKS] == [text for text, _ in BLOCKS]
    assert len({game.notation(number) for number in range(466)}) == 466
    assert [game.parse(game.notation(number)) for number in range(466)] == list(range(466))
    with pytest.raises(ValueError):  # noqa: PT011 (oracle and kernel word it differently)
        game.notation(466)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "play",
        "play F1",
        "play F1 extract 0",
        "play P1 0 extract",
        "spend F1 first",
        "rotate 3 extract",
        "effect F1 extract 3",
        "swap",
        "commit",
        "end now",
        "discard none",
    ],
)
def test_at_7_1_what_is_no_action(game_factory, text):
    """AT-7.1: other texts are refused."""
    with pytest.raises(ValueError):  # noqa: PT011 (oracle and kernel word it differently)
        game_factory(deck()).parse(text)


@pytest.mark.parametrize("seed", range(3))
def test_at_7_1_legal_actions_are_read_and_written_alike(game_factory, seed):
    """AT-7.1: ascending, without repetition, and notation leads back to each."""
    game = game_factory(cards.load("reference"), seed=seed)
    chance = random.Random(seed)
    for _ in range(40):
        actions = game.legal_actions()
        assert actions == sorted(set(actions))
        assert [game.parse(game.notation(action)) for action in actions] == actions
        if game.terminated:
            break
        game.play(chance.choice(actions))


def test_at_7_2_whose_decisions_a_turn_is_made_of(game_factory):
    """AT-7.2: in one turn of player 0, ten decisions in this order, some of them player 1's."""
    made = deck(
        card("A", explore="0 | play discard_action 2 opposing | play take"),
        card("O", expand="3 | on_take gain_ore | discarded draw | discarded swap 1"),
    )
    game = scene(
        game_factory,
        made,
        hands=("A", "F1 F2 F3"),
        planet_hands=("P3", "P4"),
        areas=("", "F4 F5 F6"),
        rows={(0, 0): "F7/extract", (0, 1): "O/expand"},
        markers={(0, 0): 0, (0, 1): 2},
    )
    seen = []
    for move in (
        "play A 0 explore",
        "effect A explore 0",
        "discard F1",
        "discard F2",
        "end",
        "commit none",
        "commit none",
        "give_up O",
        "effect O expand 1",
        "swap ore",
    ):
        seen.append((game.active, game.to_move, game.decision))
        play(game, move)
    assert {active for active, _, _ in seen} == {0}
    assert [mover for _, mover, _ in seen] == [0, 0, 1, 1, 0, 0, 1, 1, 1, 1]
    assert [kind for _, _, kind in seen] == [
        "main",
        "effect",
        "discard_action",
        "discard_action",
        "main",
        "commit",
        "commit",
        "give_up",
        "effect",
        "swap",
    ]
