"""The record of a game: every kept value from the cards on the table alone, observations read back, and drawings."""

from __future__ import annotations

import numpy as np
import pytest

import starboard
from asterion_envs import cards
from asterion_envs.drawing import text
from asterion_envs.game import build, counters
from asterion_envs.state import ASTERION, CRETE, MAX_PLAYERS, NOTHING, OWNERS, SHARED, coordinates
from starboard.state import GameState
from starboard.testing import check_stress, walk

OPTIONS = [
    {},
    {"players": 3},
    {"players": 4, "discard": "random"},
    {"players": 2, "discard": "random", "standard_scoring": False, "reward": "margin"},
    {"players": 2, "mode": "basic"},
    {"players": 4, "mode": "basic", "table_radius": 4},
    {"players": 3, "mode": "basic", "table_radius": 2, "reward": "margin"},
]
STEPS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
LETTERS = "NESW"


def radius_of(spec):
    options = spec.options
    return CRETE[options["players"]][0] if options["mode"] == "crete" else options["table_radius"]


def corridors(deck, card, turns):
    """``(openings, prisoner lies there, wings, coins)`` of each corridor of a card once it is turned."""
    if card == ASTERION:
        return [(set(LETTERS), False, 0, 0)]
    found = []
    for i, letters in enumerate(deck[card].corridors):
        openings = {LETTERS[(LETTERS.index(letter) + turns) % 4] for letter in letters}
        found.append((openings, i == deck[card].prisoner, deck[card].wings[i], deck[card].coins[i]))
    return found


def recompute(spec):
    """``record -> fields``, from which card of whom lies where and how it is turned, and from the number of plies.

    Where several values are right (labels, the order in circles and lists), what is kept is checked and given back.
    """
    deck, players = cards.load(spec.options["tiles"]), spec.num_players
    spaces = coordinates(radius_of(spec))
    number = {space: i for i, space in enumerate(spaces)}
    edge, start = len(spaces), number[0, 0]
    removals = CRETE[players][1] if spec.options["mode"] == "crete" else 0
    chosen = 0 if spec.options["discard"] == "random" else removals

    def beside(space, letter):
        (x, y), (dx, dy) = spaces[space], STEPS[letter]
        return number.get((x + dx, y + dy), edge)

    def fields(record):
        found = {}
        laid = [space for space in range(edge) if record["card"][space] != NOTHING]
        corridor = {}  # (space, letter) -> the corridor's facts
        for space in laid:
            for facts in corridors(deck, record["card"][space], record["turn"][space]):
                for letter in facts[0]:
                    corridor[space, letter] = facts
        parts = []  # sets of openings
        for opening in corridor:
            if not any(opening in part for part in parts):
                part, to_do = set(), [opening]
                while to_do:
                    space, letter = to_do.pop()
                    if (space, letter) not in part:
                        part.add((space, letter))
                        to_do += [(space, other) for other in corridor[space, letter][0]]
                        across = beside(space, letter), LETTERS[LETTERS.index(letter) ^ 2]
                        to_do += [across] if across in corridor else []
                parts.append(part)
        names = ("part", "exits", "wings", "coins", "spot", "planes")
        found = {name: np.zeros(record[name].shape, int) for name in names}
        found["part"][:] = found["spot"][:edge] = NOTHING
        if len(record["spot"]) > edge + 1:
            found["spot"][edge + 1 :] = found["part"][4 * edge + 4 :] = 0
        found["exits"][-1] = 1
        planes = found["planes"][: (OWNERS + players) * edge].reshape(-1, edge)
        for part in parts:
            ids = {4 * space + LETTERS.index(letter) for space, letter in part}
            label = int(record["part"][min(ids)])
            assert label == 4 * start if (start, "N") in part else label in ids
            circle, opening = [], label
            while opening not in circle:
                circle.append(opening)
                opening = int(record["next"][opening])
            assert opening == label
            assert set(circle) == ids
            out = {beside(*opening) for opening in part} - set(laid)
            found["part"][list(ids)] = label
            found["exits"][label] = sum(beside(*opening) not in laid for opening in part)
            whole = {(space, min(facts[0])): facts for space, letter in part for facts in [corridor[space, letter]]}
            found["wings"][label] = sum(facts[2] for facts in whole.values())
            found["coins"][label] = sum(facts[3] for facts in whole.values())
            for space, letter in part:
                planes[SHARED.index(f"opening {letter} joined to Asterion"), space] = (start, "N") in part
                planes[SHARED.index(f"opening {letter} joined to the outside"), space] = bool(out)
                planes[SHARED.index("prisoner impaled"), space] |= (start, "N") in part and corridor[space, letter][1]
            if (start, "N") in part:
                one, other = record["ways"].tolist()
                assert out == {one} != {edge} if other == NOTHING else {one, other} <= out
                assert one != other or one == edge
        for (space, letter), (openings, prisoner, wings, coins) in corridor.items():
            planes[SHARED.index(f"opening {letter}"), space] = 1
            for other in openings - {letter}:
                pair = sorted((letter, other), key=LETTERS.index)
                planes[SHARED.index(f"openings {pair[0]} and {pair[1]} joined within the card"), space] = 1
            planes[SHARED.index(f"opening {letter} is of the prisoner's corridor"), space] = prisoner
            planes[SHARED.index(f"wings in the corridor of opening {letter}"), space] = wings
            planes[SHARED.index(f"coins in the corridor of opening {letter}"), space] = coins
        for space in laid:
            if space != start:
                planes[OWNERS + record["owner"][space], space] = 1
        order = record["order"].tolist()
        next_to = {beside(space, letter) for space in laid for letter in LETTERS} - set(laid) - {edge}
        assert set(order[: len(laid)]) == set(laid)
        assert set(order[len(laid) : record["known"]]) == next_to
        for place in range(record["known"]):
            found["spot"][order[place]] = place
        found["spot"][edge] = 0
        played = max(0, int(record["ply"]) - chosen * players)
        removed = [min(chosen, max(0, int(record["ply"]) - chosen * seat)) for seat in range(players)]
        left = [
            cards.CARDS - (removed[seat] if chosen else removals) - len(range(seat, played, players))
            for seat in range(players)
        ]
        unused = [0] * (MAX_PLAYERS - players)
        everything = (1 << cards.CARDS) - 1
        placed = [0] * players
        for space in laid:
            if space != start:
                placed[record["owner"][space]] |= 1 << int(record["card"][space])
        hands = [0 if hand == NOTHING else 1 << int(hand) for hand in record["hand"]]
        for seat in range(players):
            sets = [int(record[name][seat]) for name in ("deck", "removed", "aside")] + [hands[seat], placed[seat]]
            assert sum(sets) == everything  # no card is in two
            assert np.bitwise_or.reduce(sets) == everything
            assert sets[1].bit_count() == (removed[seat] if chosen else removals)
            assert (sets[3] > 0) == (sum(removed) == chosen * players and left[seat] > 0)
        return found | {
            "laid": len(laid),
            "known": len(laid) + len(next_to),
            "left": left + unused,
            "to_remove": [chosen - number for number in removed] + unused,
            "terminated": sum(left) == 0,
            "truncated": False,
            "to_move": record["ply"] // chosen if record["ply"] < chosen * players else played % players,
        }

    return fields


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_kept_values_are_those_computed_from_the_cards(options):
    spec = starboard.load("asterion", **options)
    few = spec.params[0]["spaces"] > 100
    assert check_stress(spec, recompute(spec), games=1 if few else 5, every=3 if few else 1) > 10


@pytest.mark.soak
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_kept_values_in_many_games(options):
    spec = starboard.load("asterion", **options)
    check_stress(spec, recompute(spec), seed=1, games=150, every=3)


def test_debugging_finds_parts_that_are_kept_wrongly(monkeypatch):
    """With STARBOARD_DEBUG=1, each action compares the parts with a flood fill."""
    monkeypatch.setenv("STARBOARD_DEBUG", "1")
    spec = build(starboard.load("asterion", discard="random").options)  # made anew, with the environment as it is now
    assert spec.params[0]["debug"]
    state = GameState(spec, 0)
    for _ in range(5):
        state.step(state.legal_actions()[0])
    label = state.record["part"][4 * state.record["order"][1 : state.record["laid"]]].max()
    state.record["exits"][label] += 1
    with pytest.raises(AssertionError):
        state.step(state.legal_actions()[0])


# Decoding.


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_decode_gives_back_the_position(options):
    """All that the observer may know of the record, but for labels, orders, ``ply``, and ``to_move`` after the end."""
    spec = starboard.load("asterion", **options)
    for game in walk(spec, 1, 1):
        record, players = game.state.record, spec.num_players
        for seat in range(players):
            decoded = spec.decode(game.state.observation(seat))[0]
            for name in ("card", "owner", "planes", "points", "left", "to_remove", "aside", "laid", "known"):
                assert (decoded[name] == record[name]).all(), name
            for name in ("hand", "deck", "removed"):
                assert decoded[name][seat] == record[name][seat]
            assert decoded["exits"].sum() == record["exits"].sum()
            assert spec.final_info(decoded) == spec.final_info(record)
            assert decoded["terminated"] == record["terminated"]
            assert decoded["to_move"] == (0 if game.state.over else record["to_move"])
            assert (decoded["ply"], decoded["rng"]) == (0, 0)


def test_decode_refuses_what_is_no_observation():
    spec = starboard.load("asterion")
    state = GameState(spec, 0)
    while state.record["laid"] < 4:
        state.step(state.legal_actions()[-1])
    good = state.observation(0)
    high, low = good.copy(), good.copy()
    high[0, 3] = 2
    low[2, 3] = -1
    for wrong in (good[:-1], good.reshape(-1), high, low, good[None], np.zeros((8, 61), np.int8), "x", None):
        with pytest.raises(ValueError, match=r"must be one of this game \(int8, shape \(37, 25\)"):
            spec.decode(wrong)
    assert spec.decode(good.tolist())["laid"].tolist() == [4]
    space = int(state.record["order"][1])

    def changed(plane, where, value):
        other = good.copy()
        other[plane, where] = value
        return other

    joined = SHARED.index("openings N and E joined within the card")
    first = OWNERS + 2
    with pytest.raises(ValueError, match=f"no card that is left looks like the one on space {space}"):
        spec.decode(changed(joined, space, 1 - good[joined, space]))
    apart = good.copy()
    apart[:, 0], apart[:, space] = good[:, space], 0
    apart[first:] = good[first:]
    with pytest.raises(ValueError, match=r"the card on space \d+ is not joined to Asterion's by cards"):
        spec.decode(apart)
    left = good.copy()
    left[first:].reshape(-1)[5 + 2] += 1
    with pytest.raises(ValueError, match="the cards of player 0 do not add up"):
        spec.decode(left)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_planes_and_counters_of_the_observation(options):
    spec = starboard.load("asterion", **options)
    players, spaces = spec.num_players, int(spec.params[0]["spaces"])
    high, names = spec.observation_high, counters(players)
    assert len(names) == len(set(names)) == 5 + 4 * players + 3 * 17 + 17 * (players - 1)
    assert high.shape == (OWNERS + players + -(-len(names) // spaces), spaces)
    assert not high.flags.writeable
    assert (high[: spec.grid_planes] == 1).all()
    assert spec.grid_planes == OWNERS + players
    assert high.reshape(-1)[(OWNERS + players) * spaces + len(names) :].tolist() == [1] * (
        high.size - (OWNERS + players) * spaces - len(names)
    )


# Drawing.


def test_a_drawing():
    spec = starboard.load("asterion", discard="random")
    state = GameState(spec, 1)
    for move in ("(0,1)0", "(1,0)2", "(1,1)1"):
        state.step(state.parse(move))
    record = state.records.tobytes()
    assert state.text(0) == text(spec.params[0], state.record, 0, cards.load("reference"))
    assert state.records.tobytes() == record
    assert state.text(0) == (
        "      -1    0     1     2\n"
        "\n"
        "  2   .     .     .\n"
        "\n"
        "            B       1\n"
        "  1   .   c B a a B b   .\n"
        "            B     b\n"
        "            A     b 1\n"
        "  0   .   A @ A A+G b   .\n"
        "            A     A\n"
        "\n"
        " -1   .     .     .     .\n"
        "\n"
        "player 0 (Blue): points 0, cards to come 10, hand T13, deck T01 T02 T03 T08 T09 T10 T12 T16 T17, "
        "removed T04 T05 T06 T11 T14\n"
        "player 1 (Green): points -1, cards to come 11\n"
        "player 1 (Green) to move"
    )


def test_drawings_show_a_seat_no_more_than_it_may_know():
    spec = starboard.load("asterion", players=3)
    for game in walk(spec, 0, 1):
        everything = str(game.state).splitlines()
        for seat in range(3):
            lines = game.state.text(seat).splitlines()
            assert len(lines) == len(everything)
            for line, full in zip(lines, everything, strict=True):
                other = line.startswith("player ") and "points" in line and not line.startswith(f"player {seat}")
                assert (line == full.partition(", hand")[0]) if other else line == full
