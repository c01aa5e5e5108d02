"""The picture of a game: all cards, what lies on them and what the seats have, each in its place, and nothing else."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree as ET

import pytest

from asterion_envs import cards
from asterion_envs.shapes import HALF, corridors
from asterion_envs.state import COLOURS
from starboard.render import AUTO, THEMES
from starboard.render.canvas import size
from tests.asterion.kernel_game import KernelAsterion
from tests.naive.asterion import ASTERION, CENTRE, LETTERS, REFERENCE, STEP, Card, next_to

OPTIONS = [
    {"players": 2},
    {"players": 3, "discard": "random"},
    {"players": 4},
    {"players": 2, "mode": "basic"},
    {"players": 3, "mode": "basic"},
    {"players": 4, "mode": "basic"},
    {"mode": "basic", "table_radius": 3},
]
SVG = "{http://www.w3.org/2000/svg}"
FACES = {card.name: card for card in (*REFERENCE, ASTERION)}


def positions(options, seed, every=13):
    """Some positions of a random game, the first and the last among them."""
    draw = random.Random(seed)
    game = KernelAsterion(seed=seed, **options)
    while True:
        if game.ply % every == 0 or game.terminated:
            yield game
        if game.terminated:
            return
        game.play(draw.choice(game.legal_actions()))


def svg(game, viewer=None, theme="light"):
    return game._state.spec.svg(game._record, viewer, theme)


def facts(element):
    """The ``data-`` attributes of an element."""
    return {name.removeprefix("data-"): value for name, value in element.items() if name.startswith("data-")}


def told(element):
    """The facts within an element, in order."""
    return sorted(tuple(facts(part).items()) for part in element.iter() if part is not element and facts(part))


def where(element, **wanted):
    return [part for part in element.iter() if wanted.items() <= facts(part).items()]


def only(element, **wanted):
    (found,) = where(element, **wanted)
    return found


def table(picture):
    return only(ET.fromstring(picture), what="table")


def panels(picture):
    return where(ET.fromstring(picture), what="seat")


def named(space):
    return "({},{})".format(*space)


# The table.


def turned(corridor, turns):
    return "".join(sorted((LETTERS[(LETTERS.index(letter) + turns) % 4] for letter in corridor), key=LETTERS.index))


def expected(game, space, name, owner, turns):
    """What :func:`told` must give for a card."""
    face, seat = FACES[name], str(owner)
    part_of = {opening: part for part in game.parts() for opening in part.openings}
    found = [[("what", "asterion")]] if name == "Asterion" else []
    for number, corridor in enumerate(face.corridors):
        openings = turned(corridor, turns)
        part = part_of[space, openings[0]]
        reached = (CENTRE, "N") in part.openings
        state = "reached" if reached else "open" if part.exits else "closed"
        found.append([("what", "corridor"), ("openings", openings), ("state", state)])
        found += [[("exit", letter)] for letter in openings if next_to(space, letter) not in {*game.layout, CENTRE}]
        if number == face.prisoner and space in game.tombs:
            found.append([("what", "tomb"), ("seat", seat)])
        elif number == face.prisoner:
            state = "free" if part.exits or part.wings >= 2 else "shut"
            found.append([("what", "prisoner"), ("seat", seat), ("state", state)])
        for what, count in (("wings", face.wings[number]), ("coins", face.coins[number])):
            if count:
                found.append([("what", what), ("count", str(count))])
    return sorted(map(tuple, found))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_table_shows_every_card_and_nothing_else(options):
    for game in positions(options, 0):
        shown = table(svg(game))
        layout = game.layout | {CENTRE: ("Asterion", None, 0)}
        found = {facts(part)["at"]: part for part in where(shown, what="card")}
        assert sorted(found) == sorted(map(named, layout))
        for space, (name, owner, turns) in layout.items():
            group = found[named(space)]
            if space != CENTRE:
                identity = {"seat": str(owner), "card": name, "turns": str(turns)}
                assert facts(group) == {"what": "card", "at": named(space)} | identity
            assert told(group) == expected(game, space, name, owner, turns)
        marks = {(facts(part)["what"], facts(part)["at"]) for part in shown if "at" in facts(part)}
        next_to_cards = {next_to(space, letter) for space in layout for letter in LETTERS} - {*layout}
        near = next_to_cards & set(game._spaces) if not game.terminated else set()
        last = game._spaces[game._record["order"][len(layout) - 1]]
        assert marks == {
            *(("card", named(space)) for space in layout),
            *(("near", named(space)) for space in near),
            *([("last", named(last))] if game.layout else []),
        }
        results = game.results()
        for seat in range(game.players):
            assert len(where(shown, seat=str(seat), state="free")) == results["escapes"][seat]
            assert len(where(shown, seat=str(seat), what="tomb")) == results["tombs"][seat]


GOLDEN = """
at (0,1) card T15 seat 0 turns 0 what card
  exit N
  exit W
  openings E state closed what corridor
  openings NS state reached what corridor
  openings W state open what corridor
  seat 0 state shut what prisoner
at (1,1) card T07 seat 0 turns 1 what card
  exit E
  count 1 what coins
  openings ES state open what corridor
  openings W state closed what corridor
  seat 0 state shut what prisoner
at (0,0) what card
  exit S
  exit W
  what asterion
  openings NESW state reached what corridor
at (1,0) card T13 seat 1 turns 2 what card
  exit E
  exit S
  count 1 what coins
  openings NE state open what corridor
  openings SW state reached what corridor
  seat 1 what tomb
at (1,1) what last
"""
"""Spaces by rows. Blue's T15 leads Asterion to the north, and Green impales their own prisoner in the east."""


def test_a_picture_of_three_cards():
    game = KernelAsterion(seed=1, discard="random")
    for move in ("(0,1)0", "(1,0)2", "(1,1)1"):
        game.play(game.parse(move))

    def line(attributes):
        return " ".join(f"{name} {value}" for name, value in sorted(dict(attributes).items()))

    lines = []
    for part in table(svg(game, 0)):
        if facts(part) and facts(part)["what"] != "near":
            lines += [line(facts(part)), *(f"  {line(found)}" for found in told(part))]
    assert lines == GOLDEN.split("\n")[1:-1]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_cards_lie_where_their_coordinates_say(options):
    """North is up, all of the table that is in use can be seen, and the picture has one size."""
    sizes = set()
    for game in positions(options, 1):
        picture = svg(game)
        sizes.add(size(picture))
        shown = table(picture)
        left, top, scale = map(float, re.findall(r"[\d.]+", shown.get("transform")))
        places = {}
        for part in shown:
            if "at" in facts(part):
                x, y = map(int, facts(part)["at"][1:-1].split(","))
                if facts(part)["what"] == "card":
                    places[x, y] = [float(number) for number in re.findall(r"-?[\d.]+", part.get("transform"))]
                else:
                    half = float(part.get("width")) / 2
                    places[x, y] = [float(part.get("x")) + half, float(part.get("y")) + half]
        for (x, y), place in places.items():
            assert place == [places[CENTRE][0] + 2 * HALF * x, places[CENTRE][1] - 2 * HALF * y]
            assert min(place) >= HALF
            assert all(corner + scale * (at + HALF) <= 750 for corner, at in zip((left, top), place, strict=True))
    assert len(sizes) == 1


def test_the_card_laid_last_is_marked():
    game = KernelAsterion(discard="random")
    assert where(table(svg(game)), what="last") == []
    for move in ("(0,1)0", "(0,-1)0", "(1,0)0"):
        game.play(game.parse(move))
        assert facts(only(table(svg(game)), what="last"))["at"] == move[:-1]


@pytest.mark.parametrize("turns", range(4))
def test_corridors_lead_to_their_openings(turns):
    """At each opening, and nowhere else, the path reaches the card's edge, on both sides of the edge's middle."""
    for card in cards.load("reference"):
        found = corridors(card, turns)
        assert {turned("".join(LETTERS[d] for d in corridor.directions), 0) for corridor in found} == {
            turned(letters, turns) for letters in card.corridors
        }
        for corridor in found:
            for path in (corridor.floor, corridor.edge):
                plain = re.sub(r"A[\d.]+ [\d.]+ 0 0 [01] ", "L", path)
                points = [tuple(map(float, point.split())) for point in re.findall(r"-?[\d.]+ -?[\d.]+", plain)]
                for d, letter in enumerate(LETTERS):
                    dx, dy = STEP[letter]
                    ends = [x * dy + y * dx for x, y in points if x * dx - y * dy > HALF]
                    assert len(ends) == 2 * (d in corridor.directions)
                    assert sum(ends) == 0


def test_a_bridge_is_drawn_over_the_other_corridor():
    """Of T17, as it stands unturned, the corridor from north to south is above."""
    for turns, upper in enumerate(("NS", "EW", "NS", "EW")):
        game = KernelAsterion(mode="basic")
        game.give(0, "T17")
        game.play(game.parse(f"(0,1){turns}"))
        parts = list(only(table(svg(game)), what="card", at="(0,1)"))
        floors = [facts(part).get("openings") for part in parts]
        shadow = [part.get("class") for part in parts].index("shadow")
        assert floors.index(upper) > shadow > floors.index(turned(upper, 1))


def test_things_of_a_kind_are_counted():
    many = Card("X", ("N", "E"), 0, wings=(2, 0), coins=(3, 1))
    game = KernelAsterion(cards=(many, *REFERENCE[1:]), mode="basic")
    game.give(0, "X")
    game.play(game.parse("(0,1)2"))
    group = only(table(svg(game)), what="card", at="(0,1)")
    counts = [(facts(part)["what"], facts(part)["count"]) for part in group if "count" in facts(part)]
    assert sorted(counts) == [("coins", "1"), ("coins", "3"), ("wings", "2")]
    assert sorted(part.text for part in group.iter(f"{SVG}text")) == ["2", "3"]


# The panels.


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_panels_show_what_a_seat_has_and_the_viewer_may_see(options):
    draw = random.Random(2)
    for game in positions(options, 2, every=9):
        viewer = draw.choice([None, *range(game.players)])
        results, to_come = game.results(), game._record["left"]
        shown = panels(svg(game, viewer))
        assert [facts(panel)["seat"] for panel in shown] == [str(seat) for seat in range(game.players)]
        for seat, panel in enumerate(shown):
            known = viewer in (None, seat)
            texts = {facts(part)["what"]: part.text for part in panel.iter(f"{SVG}text") if facts(part)}
            assert texts.pop("to_remove", "0") == str(game.to_remove[seat])
            assert texts == {
                "score": f"{results['scores'][seat]:g}",
                "escapes": f"{results['escapes'][seat]:g}",
                "tombs": f"{results['tombs'][seat]:g}",
                "left": str(to_come[seat]),
            }
            hands = [facts(part) for part in where(panel, what="hand")]
            hand = game.hands[seat]
            assert hands == ([] if hand is None else [{"what": "hand"} | ({"card": hand} if known else {})])
            listed = {
                what: {facts(part)["card"] for part in where(panel, what=what)}
                for what in ("aside", "removed", "deck", "hidden")
            }
            hidden = {"removed": game.removed[seat], "deck": game.decks[seat], "hidden": set()}
            if not known:
                every = game.removed[seat] | game.decks[seat] | {hand} - {None}
                hidden = {"removed": set(), "deck": set(), "hidden": every}
            assert listed == {"aside": game.aside[seat]} | hidden
            assert len(where(panel, what="winner")) == (game.terminated and game.returns()[seat] > 0)


def test_cards_set_aside_are_crossed_out_for_all():
    game = KernelAsterion(discard="random")
    game.set_decks_aside()
    for viewer in (None, 0, 1):
        for seat, panel in enumerate(panels(svg(game, viewer))):
            crossed = {facts(part)["card"] for part in where(panel, what="aside")}
            assert crossed == game.aside[seat]
            assert len(crossed) == 11
            gone = [part for part in panel.iter() if part.get("class") == "gone"]
            assert len(gone) == 11 + 5 * (viewer in (None, seat))


def test_the_header_says_whose_turn_it_is_or_who_has_won():
    def header(game):
        return only(ET.fromstring(svg(game)), what="header").text

    seen = set()
    for seed in range(20):
        *_, last = positions({"discard": "random"}, seed, every=99)
        winners = [COLOURS[seat] for seat, value in enumerate(last.returns()) if value > 0]
        assert header(last) == (f"{winners[0]} wins" if winners else "Blue and Green share the victory")
        seen.add(header(last))
    assert len(seen) == 3
    game = KernelAsterion(players=3)
    assert header(game) == "Blue to remove a card"
    for _ in range(4):
        game.play(game.legal_actions()[0])
    assert header(game) == "Green to remove a card"
    for _ in range(8):
        game.play(game.legal_actions()[0])
    assert header(game) == "Blue to move"


# The picture as a whole.


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pictures_show_a_seat_no_more_than_it_may_know(options):
    """Whatever the seat cannot see may be dealt anew: its picture stays the same, byte for byte."""
    draw = random.Random(3)
    changed = 0
    for game in positions(options, 3):
        state = game._state
        for viewer in range(game.players):
            twin = state.resampled(viewer, draw.getrandbits(64))
            assert state.spec.svg(twin.record, viewer, "light") == svg(game, viewer)
            changed += state.spec.svg(twin.record, None, "light") != svg(game)
    assert changed > 2  # else there was nothing to hide


@pytest.mark.parametrize("theme", [*THEMES, AUTO])
def test_themes_differ_in_colours_only(theme):
    *_, game = positions({"players": 4}, 4, every=99)
    pictures = {name: svg(game, 1, name) for name in ("light", theme)}
    for name, picture in pictures.items():
        root = ET.fromstring(picture)
        assert root.get("class") == f"asterion-{name}"
        assert THEMES["dark" if name == "dark" else "light"]["danger"] in root.find(f"{SVG}style").text
        assert "$" not in picture
    bodies = {
        re.sub(f"asterion-{name}|<style>.*?</style>", "", picture, flags=re.DOTALL)
        for name, picture in pictures.items()
    }
    assert len(bodies) == 1


def test_owners_differ_by_colour_texture_and_shape():
    face = {}
    for seat in range(4):
        game = KernelAsterion(players=4, mode="basic")
        game._record["hand"][:] = 3
        for move in ("(0,1)1", "(0,2)1", "(0,3)1", "(0,4)1")[: seat + 1]:
            game.play(game.parse(move))
        group = only(table(svg(game)), what="card", seat=str(seat))
        paths = {part.get("class"): part.get("d") for part in group.iter(f"{SVG}path")}
        face[seat] = (
            paths[f"s{seat} wall"],
            paths.get(f"s{seat} texture", paths.get(f"s{seat} texture dots")),
            paths[f"s{seat} badge"],
        )
    walls, textures, badges = (set(kind) for kind in zip(*face.values(), strict=True))
    assert (len(walls), len(textures), len(badges)) == (1, 4, 4)
    style = ET.fromstring(svg(game)).find(f"{SVG}style").text
    assert len(set(re.findall(r"\.s\d\.wall \{ (.*?) \}", style))) == 4


def test_a_picture_leaves_the_game_as_it_is():
    game = KernelAsterion(players=3)
    before = game._state.to_bytes()
    assert svg(game, 0) == svg(game, 0)
    assert game._state.to_bytes() == before
