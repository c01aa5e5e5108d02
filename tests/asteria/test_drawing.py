"""The drawing as SVG: all of a position, as it is, and nothing that the viewer may not see."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise, product

import pytest

import starboard
from asteria_envs import cards, picture
from asteria_envs.cards import MOST_EFFECTS, SIDES
from asteria_envs.kernels import area_totals, is_face_down, totals
from asteria_envs.state import (
    AREA,
    COMMITTED,
    CONQUESTS,
    DECISIONS,
    DOMINATED,
    HAND,
    SLOTS,
    STAGES,
)
from starboard.render import THEMES, draw
from starboard.state import GameState
from starboard.testing.walk import walk
from tests.asteria.kernel_game import KernelAsteria
from tests.asteria.random_deck import STYLES, random_deck
from tests.asteria.scenes import card, deck, planet, play, scene

SVG = "{http://www.w3.org/2000/svg}"
VIEWERS = (None, 0, 1)
DECKS = ("reference", *STYLES)


def load(name, **options):
    return starboard.load("asteria", deck=name if name == "reference" else cards.text(random_deck(4, name)), **options)


def positions(spec, seed, games, every):
    """Each so manieth position of random games, and the last of each."""
    for game in walk(spec, seed, games):
        if game.state.over or len(game.actions) % every == 0:
            yield game.state


def drawn(spec, record, viewer=None, theme="light"):
    return ET.fromstring(draw(spec, record, viewer, theme))


def facts(found):
    """What the elements say that they show, each as its ``data-`` attributes, without that prefix."""
    return [
        {name.removeprefix("data-"): value for name, value in element.attrib.items() if name.startswith("data-")}
        for element in found.iter()
        if "data-what" in element.attrib
    ]


def expected(spec, s, viewer):
    """What a picture of ``s`` must show, from the record: in the form of :func:`facts`, in any order."""
    deck = cards.load(spec.options["deck"])
    p = spec.params[0]
    found = []

    def show(what, **more):
        found.append({"what": what, **{name.rstrip("_"): str(value) for name, value in more.items()}})

    show("turn", count=s["turn"])
    show("idle", count=s["idle"])
    for kind, pile in product(("action", "planet"), ("deck", "discarded")):
        show("pile", of=kind, pile=pile, count=s[f"{pile}_{kind}s"])
    if s["terminated"]:
        first, second = zip(s["points"].tolist(), s["dominated"].tolist(), strict=True)
        show("result", seat="none" if first == second else int(first < second))
    else:
        show("decision", decision=DECISIONS[s["decision"]], stage=STAGES[s["stage"]], seat=s["to_move"])
        show("active", seat=s["active"])
        for number, action in enumerate(deck.actions):
            for bit in range(4 * MOST_EFFECTS):
                if s["pending"][number] >> bit & 1:
                    side, index = SIDES[bit // 3], bit % 3
                    show("effect", seat=s["pending_owner"][number], card=action.name, side=side, index=index)
        for depth in range(s["depth"]):
            name, side = deck.actions[s["stack_card"][depth]].name, SIDES[s["stack_side"][depth]]
            for index in range(MOST_EFFECTS):
                if s["stack_effects"][depth] >> index & 1:
                    show("effect", seat=s["stack_owner"], card=name, side=side, index=index)

    for slot in range(SLOTS):
        show("slot", slot=slot)
        if s["planet"][slot] >= 0:
            lies, flip = deck.planets[s["planet"][slot]], int(s["flip"][slot])
            played = s["slot_played"][slot]
            show("planet", where="slot", slot=slot, card=lies.name, flip=flip, played=played)
            own, other = lies.halves if flip != 1 else lies.halves[::-1]
            for space, (ore, energy) in enumerate([*own, *other[::-1]]):
                show("space", slot=slot, space=space, ore=ore, energy=energy)
            for seat, at in enumerate(s["marker"][slot].tolist()):
                if at >= 0:
                    show("marker", slot=slot, seat=seat, space=at if seat == 0 else 2 * deck.half - 1 - at)
            show("distance", slot=slot, count=2 * deck.half - 1 - s["marker"][slot].sum())
            for seat, strength in enumerate(totals(p, s, 0, slot, area_totals(p, s, 0))):
                show("strength", slot=slot, seat=seat, count=strength)

    for seat in range(2):
        face_up = viewer in (None, seat)
        show("points", seat=seat, count=s["points"][seat])
        for k, name in enumerate(("ore", "energy")):
            show("resource", of=name, seat=seat, count=s["resources"][seat, k])
        for k, name in enumerate(CONQUESTS):
            show("conquest", of=name, seat=seat, scored=s["conquered"][seat] >> k & 1)
        for number, action in enumerate(deck.actions):
            zone, side = s["action_zone"][number], SIDES[s["side"][number]]
            shown = {"seat": seat, "card": action.name, "side": side, "turned": s["turned"][number]}
            if zone == HAND + seat:
                if face_up:
                    show("card", where="hand", seat=seat, card=action.name)
                else:
                    show("back", of="action", where="hand", seat=seat)
            elif zone == AREA + seat:
                show("card", where="area", free=0, **shown)
            elif zone > AREA + 1 and zone % 2 == seat:
                slot = s["action_slot"][number]
                show("card", where="row", slot=slot, free=int(s["top"][slot, seat] == number), **shown)
        for number, held in enumerate(deck.planets):
            zone = s["planet_zone"][number]
            if zone == DOMINATED + seat:
                show("planet", where="dominated", seat=seat, card=held.name)
            elif zone in (HAND + seat, COMMITTED + seat):
                where = "hand" if zone == HAND + seat else "committed"
                if face_up or (where == "committed" and not is_face_down(s)):
                    show("planet", where=where, seat=seat, card=held.name)
                else:
                    show("back", of="planet", where=where, seat=seat)
    return found


def in_order(found):
    return sorted(sorted(fact.items()) for fact in found)


@pytest.mark.parametrize("name", DECKS)
def test_all_of_a_position_is_drawn_as_it_is_and_nothing_more(name):
    spec = load(name)
    for k, state in enumerate(positions(spec, seed=1, games=3, every=7)):
        viewer = VIEWERS[k % 3]
        assert in_order(facts(drawn(spec, state.record, viewer))) == in_order(expected(spec, state.record, viewer))


@pytest.mark.parametrize(("name", "games", "every"), [("reference", 3, 6), ("mixed", 2, 8), ("large", 2, 30)])
def test_a_picture_is_the_same_whatever_its_viewer_cannot_see(name, games, every):
    spec = load(name)
    changed = 0
    for k, state in enumerate(positions(spec, 2, games, every)):
        for viewer in range(2):
            twin = state.resampled(viewer, seed=k)
            assert draw(spec, twin.record, viewer) == draw(spec, state.record, viewer)
            changed += draw(spec, twin.record) != draw(spec, state.record)
    assert changed > 0


MINE = card("Mine", "1 2", extract="1 | play gain_ore 2", explore="0 | play draw | play destroy opposing")
DOCK = card(
    "Sky_Dock", "0 1", expand="2 | on_win take 2 | conflict strength -1 opposing", exterminate="-3 | win swap 4"
)
FORT = card("Fort", "0 0", exterminate="4 | conflict strength 2")
VESTA = planet("Vesta", 3, "10 02", "00 11")
PALLAS = planet("Pallas", 6, "00 00", "00 30")


def small_scene(**changes):
    """Little of everything: a planet one step before a conflict, to be played on by player 0."""
    made = deck(MINE, DOCK, FORT, planets=[VESTA, PALLAS, *(planet(f"P{i}", i) for i in range(1, 5))])
    facts = {
        "resources": ((3, 4), (12, 0)),
        "hands": ("Mine", ""),
        "planet_hands": ("P3", "P1 P2"),
        "conquests": ("", "exploration"),
        "areas": ("Sky_Dock", ""),
        "dominated": ("Pallas", ""),
        "planets": "Vesta - -",
        "flips": (1, 0, 0),
        "rows": {(0, 1): "Fort/exterminate"},
        "markers": {(0, 0): 1, (0, 1): 1},
    }
    return scene(KernelAsteria, made, **facts | changes)


def picture_of(game, viewer=None):
    return drawn(game._spec, game._record, viewer)


GOLDEN = """
turn count=2
idle count=0
decision seat=0 decision=main stage=stage 2
points seat=1 count=2
resource of=ore seat=1 count=12
resource of=energy seat=1 count=0
conquest seat=1 of=military scored=0
conquest seat=1 of=exploration scored=1
conquest seat=1 of=technological scored=0
conquest seat=1 of=economic scored=0
back of=action where=hand seat=1
back of=planet where=hand seat=1
back of=planet where=hand seat=1
slot slot=0
planet card=Vesta where=slot slot=0 flip=1 played=0
space slot=0 space=0 ore=0 energy=0
space slot=0 space=1 ore=1 energy=1
space slot=0 space=2 ore=0 energy=2
space slot=0 space=3 ore=1 energy=0
marker slot=0 seat=0 space=1
marker slot=0 seat=1 space=2
distance slot=0 count=1
strength slot=0 seat=1 count=5
card where=row seat=1 card=Fort side=exterminate free=1 turned=0 slot=0
strength slot=0 seat=0 count=0
slot slot=1
slot slot=2
pile of=action pile=deck count=11
pile of=action pile=discarded count=0
pile of=planet pile=deck count=1
pile of=planet pile=discarded count=0
card where=area seat=0 card=Sky_Dock side=expand free=0 turned=0
planet where=dominated seat=0 card=Pallas
active seat=0
points seat=0 count=0
resource of=ore seat=0 count=3
resource of=energy seat=0 count=4
conquest seat=0 of=military scored=0
conquest seat=0 of=exploration scored=0
conquest seat=0 of=technological scored=0
conquest seat=0 of=economic scored=0
card where=hand seat=0 card=Mine
card where=hand seat=0 card=Spare0
planet where=hand seat=0 card=P3
"""
"""In the order of the file: what each element shows, and the rest of what it says."""


def test_a_picture_is_built_like_this():
    lines = [" ".join(f"{key}={value}" for key, value in fact.items()) for fact in facts(picture_of(small_scene(), 0))]
    lines = [line.removeprefix("what=") for line in lines]
    assert lines == GOLDEN.strip().split("\n")


def test_a_planet_card_added_face_down_is_seen_by_its_owner_alone():
    game = play(small_scene(), "play Mine 0 extract", "end", "commit P3")
    for viewer, what in ((None, "planet"), (0, "planet"), (1, "back")):
        (added,) = [fact for fact in facts(picture_of(game, viewer)) if fact.get("where") == "committed"]
        assert (added["what"], added.get("card")) == (what, "P3" if what == "planet" else None)
    twins = [game._state.resampled(1, seed) for seed in range(5)]
    assert len({int(twin.record["committed"][0]) for twin in twins}) > 1
    assert len({draw(game._spec, twin.record, 1) for twin in twins}) == 1


def words_of(found, **wanted):
    """The texts of each element that shows ``wanted``."""
    wanted = {f"data-{name}": value for name, value in wanted.items()}
    shown = [element for element in found.iter() if wanted.items() <= element.attrib.items()]
    return [[text.text for text in element.iter(f"{SVG}text")] for element in shown]


def test_cards_say_what_they_do():
    found = picture_of(small_scene(), 0)
    (mine,) = words_of(found, what="card", card="Mine")
    assert mine == ["1", "2", "Mine", "1", "+2", "0", "0", "draw 1 action", "destroy 1 of theirs", "0"]
    (dock,) = words_of(found, what="card", card="Sky_Dock")
    assert dock == ["Sky Dock", "on win:", "take 2 planets", "conflict:", "they \u22121"]
    (fort,) = words_of(found, what="card", card="Fort")
    assert fort == ["4", "Fort", "conflict:", "+2"]
    (held,) = words_of(found, what="planet", card="P3")
    assert held == ["P3", "3", "first", "second"]


def test_the_strengths_of_rows_are_those_of_the_rules():
    """Fort has 4 and adds 2; Sky Dock in the play area takes 1 from any conflict of the other player."""
    found = facts(picture_of(small_scene()))
    assert [(fact["seat"], fact["count"]) for fact in found if fact["what"] == "strength"] == [("1", "5"), ("0", "0")]


def said(found, what):
    ((words,),) = words_of(found, what=what)
    return words


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([], "2 steps to conflict"),
        (["play Mine 0 extract"], "markers meet"),
        (["play Mine 0 extract", "end"], "conflict"),
    ],
)
def test_a_planet_tells_how_far_its_conflict_is(moves, words):
    game = small_scene(markers={(0, 0): 1 if moves else 0, (0, 1): 1})
    assert said(picture_of(play(game, *moves)), "distance") == words


@pytest.mark.parametrize("number", range(len(DECISIONS)))
def test_each_decision_is_told_in_words(number):
    game = small_scene()
    game._record["decision"], game._record["left"] = number, 1
    (fact,) = [fact for fact in facts(picture_of(game)) if fact["what"] == "decision"]
    assert fact["decision"] == DECISIONS[number]
    assert "Player 0" in said(picture_of(game), "decision")


@pytest.mark.parametrize(
    ("changes", "winner", "words"),
    [
        ({"conquests": ("economic technological", "")}, "0", "Player 0 wins with 3 points: Technological and Economic"),
        ({"conquests": ("", "military")}, "1", "Player 1 wins with 3 points: Military"),
        ({"turn": 200}, "1", "Player 1 wins after 200 turns: more points"),
        ({"turn": 200, "conquests": ("", "")}, "0", "Player 0 wins after 200 turns: more planets"),
        ({"conquests": ("", ""), "dominated": ("", "")}, "none", "A draw after 8 turns without a card"),
    ],
)
def test_the_end_is_told_in_words(changes, winner, words):
    game = small_scene(**changes)
    game._record["terminated"] = True
    found = picture_of(game)
    assert said(found, "result") == words
    (fact,) = [fact for fact in facts(found) if fact["what"] == "result"]
    assert fact["seat"] == winner
    assert not [fact for fact in facts(found) if fact["what"] in ("decision", "active")]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_viewer_sits_below(viewer):
    seats = [fact["seat"] for fact in facts(picture_of(small_scene(), viewer)) if fact["what"] == "points"]
    assert seats == (["0", "1"] if viewer == 1 else ["1", "0"])


@pytest.mark.parametrize("name", DECKS)
def test_pictures_have_one_size_and_parse_in_each_theme(name):
    spec = load(name)
    state = GameState(spec, 0)
    pictures = {theme: drawn(spec, state.record, None, theme) for theme in (*THEMES, "auto")}
    assert len({(found.get("width"), found.get("height")) for found in pictures.values()}) == 1
    assert len({str(facts(found)) for found in pictures.values()}) == 1
    assert len({found.find("{*}style").text for found in pictures.values()}) == 3


def test_cards_are_as_large_as_all_of_them_fit():
    rng = random.Random(0)
    for count in (*range(1, 12), 30, 64):
        box = picture._Box(10, 20, rng.uniform(200, 900), rng.uniform(60, 200))
        sizes = [(rng.uniform(50, 200), rng.choice([36, 50, 170])) for _ in range(count)]
        places = picture._flow(sizes, box, 5)
        boxes = [(x, y, x + w * k, y + h * k) for (x, y, k), (w, h) in zip(places, sizes, strict=True)]
        assert len({scale for *_, scale in places}) == 1
        for left, top, right, bottom in boxes:
            assert box.x <= left < right <= box.x + box.wide + 0.1
            assert box.y <= top < bottom <= box.y + box.high + 0.1
        for (_, _, right, bottom), (left, top, _, _) in pairwise(boxes):
            assert right < left or bottom < top
    assert picture._flow([(100, 100)] * 2, picture._Box(0, 0, 205, 100), 5) == [(0, 0, 1), (105, 0, 1)]
