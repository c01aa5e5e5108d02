"""The picture of a game: everything on the board and every count stands in it, each in its place, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import starboard
from astralis_envs.notation import cell_names
from astralis_envs.state import neighbours
from starboard.render import THEMES, rgb
from starboard.render.canvas import size
from starboard.state import GameState
from starboard.testing import walk

OPTIONS = [
    {"size": 3},
    {"size": 3, "bonus_stones": True, "setup": "fixed", "komi": 0.0},
    {"size": 4, "setup": "random", "stones": 3, "stall_limit": 5},
    {"size": 5, "bonus_stones": True, "komi": 2.0},
    {"size": 6, "stones": 0, "stall_limit": 7},
    {"size": 7, "bonus_stones": True, "setup": "random", "komi": -3.0},
    {"size": 8},
]
SHADED = ["e2", "a2", "d2*c3", "b2", "c2*c1", "a1", "a2*a3"]
"""Ends with a bonus stone below the other ship, with the option ``bonus_stones`` and on a board of size 3."""
SHUT_IN = ["e2", "a2", "c2*b1", "a1", "b2*a2", "pass"]


def played(moves, **options):
    state = GameState(starboard.load("astralis", **options), 0)
    for move in moves:
        state.step(state.parse(move))
    return state


def elements(svg):
    """The elements that tell something, with the ``data-`` attributes of each as a dict."""
    found = []
    for element in ET.fromstring(svg).iter():
        data = {name.removeprefix("data-"): value for name, value in element.items() if name.startswith("data-")}
        if data:
            found.append((element, data))
    return found


def told(svg):
    return Counter(frozenset(data.items()) for _, data in elements(svg))


def only(svg, **data):
    """The one element that tells ``data``, perhaps among other things."""
    (element,) = (element for element, found in elements(svg) if data.items() <= found.items())
    return element


def expected(state, last):
    """What a picture must tell, from the observation, the scores, and the ``last`` action in notation."""
    spec = state.spec
    *planes, counters = state.observation(0)
    stones, control, contested = planes[0:2], planes[2:4], planes[4]
    facts = []

    def tell(**data):
        facts.append(frozenset((name, str(value)) for name, value in data.items() if value is not None))

    for cell, name in enumerate(cell_names(spec.options["size"])):
        owner = next((seat for seat in range(2) if control[seat][cell]), None)
        kind = "contested" if contested[cell] else "unexplored" if owner is None else "control"
        tell(what="cell", at=name, state=kind, seat=owner)
        if contested[cell]:
            tell(what="contested", at=name)
        for seat in range(2):
            if stones[seat][cell]:
                tell(what="stone", at=name, seat=seat)
            elif control[seat][cell]:
                tell(what="control", at=name, seat=seat)
            if planes[5 + seat][cell]:
                tell(what="ship", at=name, seat=seat)
    if last is not None:
        tell(what="action", value=last)
        for part, name in zip(("ship", "stone"), last.replace("pass", "").split("*"), strict=False):
            if name:
                tell(what="last", at=name, part=part)

    in_setup = counters[0] and not state.over
    for seat in range(2 * in_setup):
        tell(what="edge", seat=seat)
    if state.over:
        winner = state.returns().tolist().index(1.0) if state.returns().any() else None
        tell(what="turn", state="over", seat=winner)
    else:
        tell(what="turn", state="setup" if in_setup else "play", seat=state.to_move)

    free = len(contested) - int(control[0].sum() + control[1].sum() + contested.sum())
    for seat, score in enumerate(spec.final_info(state.record)["scores"]):
        tell(what="count", of="score", seat=seat, value=f"{score:g}")
        tell(what="count", of="control", seat=seat, value=control[seat].sum())
        tell(what="count", of="stones", seat=seat, value=counters[3 + seat])
        if control[seat].any():
            tell(what="share", of="control", seat=seat)
    tell(what="count", of="komi", seat=1, value=f"{spec.options['komi']:g}")
    tell(what="count", of="stall", value=counters[5])
    for kind, count in (("contested", int(contested.sum())), ("unexplored", free)):
        tell(what="count", of=kind, value=count)
        if count:
            tell(what="share", of=kind)
    return Counter(facts)


def test_a_picture():
    state = played(["e2", "a2", "c2*d1", "a1*b1", "c4*d3"], size=3)
    svg = state.svg()
    found = {}
    for fact, times in told(svg).items():
        data = dict(fact)
        key = [data.pop(name) for name in ("what", "of", "part", "state", "seat") if name in data]
        found.setdefault(" ".join(key), []).extend([*data.values()] * times)
    assert {key: " ".join(sorted(values)) for key, values in found.items()} == {
        "cell unexplored": "a2 a3 b3 b4 c5",
        "cell control 0": "c3 c4 d1 d2 d3 d4 e1 e2 e3",
        "cell control 1": "a1 b1 b2",
        "cell contested": "c1 c2",
        "contested": "c1 c2",
        "control 0": "c3 c4 d2 d4 e1 e2 e3",
        "control 1": "a1 b2",
        "stone 0": "d1 d3",
        "stone 1": "b1",
        "ship 0": "c4",
        "ship 1": "a1",
        "last ship": "c4",
        "last stone": "d3",
        "action": "c4*d3",
        "turn play 1": "",
        "count score 0": "9",
        "count control 0": "9",
        "count stones 0": "28",
        "count score 1": "6.5",
        "count control 1": "3",
        "count komi 1": "3.5",
        "count stones 1": "29",
        "count contested": "2",
        "count unexplored": "5",
        "count stall": "0",
        "share control 0": "",
        "share control 1": "",
        "share contested": "",
        "share unexplored": "",
    }
    assert [
        element.text for element in ET.fromstring(svg).iterfind(".//{*}text") if element.get("class") != "name"
    ] == [
        *("player 1 to move", "last action c4*d3", "turns without a new stone", "0 of 60"),
        *("player 0", "9", "control 9", "stones left 28"),
        *("player 1", "6.5", "control 3", "+3.5 komi", "stones left 29"),
        *("contested 2", "unexplored 5"),
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pictures_tell_what_is_there_and_nothing_else(options):
    spec = starboard.load("astralis", **options)
    ends = set()
    for game in walk(spec, seed=options["size"], games=2):
        state, plies = game.state, len(game.actions)
        if options["size"] > 5 and plies % 7 and not state.over:
            continue
        last = spec.describe_action(state.record, game.actions[-1]) if plies else None
        before = state.records.tobytes()
        svg = state.svg()
        assert told(svg) == expected(state, last), game.error("is drawn wrong")
        assert state.records.tobytes() == before
        assert size(svg) == (904, 542)  # whatever the position and the options: frames of one film
        ends.add(state.over)
    assert ends == {False, True}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_everything_stands_in_its_cell(options):
    spec = starboard.load("astralis", **options)
    names, around = cell_names(options["size"]), neighbours(options["size"])
    for game in walk(spec, seed=1):
        if not game.state.over:
            continue
        svg = game.state.svg()
        drawn = [(element, data) for element, data in elements(svg) if "at" in data]
        places = {data["at"]: element.get("transform") for element, data in drawn if data["what"] == "cell"}
        assert sorted(places) == sorted(names)
        for element, data in drawn:
            assert re.sub(r" scale\(\S+\)", "", element.get("transform")) == places[data["at"]]
        labels = {element.text: element.get("transform") for element in ET.fromstring(svg).iterfind(".//{*}text")}
        assert places.items() <= labels.items()
        points = [complex(*map(float, re.findall(r"[-.\d]+", places[name]))) for name in names]
        for cell, point in enumerate(points):
            for direction, other in enumerate(around[cell]):
                if other < len(names):  # y grows downwards: clockwise from the east
                    step = 100 * np.sqrt(3) * np.exp(1j * np.pi / 3 * direction)
                    assert abs(points[other] - point - step) < 0.02


def test_seats_differ_in_shapes():
    svg = played(["e2", "a2", "c2*d1", "a1*b1"], size=3).svg()
    for what in ("stone", "ship", "control"):
        shapes = [
            {element.get("d") for element, data in elements(svg) if (data["what"], data.get("seat")) == (what, seat)}
            for seat in "01"
        ]
        assert list(map(len, shapes)) == [1, 1]
        assert shapes[0] != shapes[1]


def test_contested_cells_are_striped():
    """Besides their colours: no shape of theirs is one that a cell under control has."""
    drawn = elements(played(["e2", "a2", "c2*d1", "a1*b1"], size=3).svg())
    control = {element.get("d") for element, data in drawn if data.get("state") == "control"}
    contested = {element.get("d") for element, data in drawn if "contested" in (data["what"], data.get("state"))}
    assert (len(control), len(contested)) == (1, 2)
    assert not control & contested


def test_a_stone_below_a_ship_is_seen():
    state = played(SHADED, size=3, bonus_stones=True)
    svg = state.svg()
    assert told(svg) == expected(state, SHADED[-1])
    order = [data["what"] for _, data in elements(svg) if data.get("at") == "a1"]
    assert order == ["cell", "stone", "ship"]
    scale = {
        data["at"]: "scale" in element.get("transform") for element, data in elements(svg) if data["what"] == "ship"
    }
    assert scale == {"a1": True, "a2": False}


def test_a_pass_marks_no_cell():
    state = played(SHUT_IN, size=3)
    assert told(state.svg()) == expected(state, "pass")
    assert only(state.svg(), what="action").text == "last action pass"
    assert [data for _, data in elements(state.svg()) if data["what"] == "last"] == []


@pytest.mark.parametrize(
    ("komi", "words", "framed"), [(0.5, "player 1 won", ["1"]), (0.0, "a draw", []), (-0.5, "player 0 won", ["0"])]
)
def test_who_won_and_why(komi, words, framed):
    svg = played(["b1", "a3"], size=3, setup="fixed", stall_limit=2, komi=komi).svg()
    assert only(svg, what="turn").text == words
    assert only(svg, what="turn").get("data-seat") == (framed[0] if framed else None)
    assert re.findall(r"card framed(\d)", svg) == framed
    assert ">2 turns without a new stone<" in svg
    assert ">no hex is unexplored<" not in svg


def test_the_end_of_a_full_board():
    state = next(
        game.state
        for game in walk(starboard.load("astralis", size=3), 0, 50)
        if game.state.over and not game.state.record["unexplored"]
    )
    assert ">no hex is unexplored<" in state.svg()


@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
def test_bars_are_as_long_as_their_counts(options):
    """The shares lie side by side, and the gauge is as full as the count of turns."""
    spec = starboard.load("astralis", **options)
    for game in walk(spec, seed=2):
        svg = game.state.svg()
        counts = {}
        for _, data in elements(svg):
            if data["what"] == "count":
                counts[data["of"], data.get("seat")] = float(data["value"])
        x, cells = 0.0, len(cell_names(options["size"]))
        for element, data in elements(svg):
            if data["what"] == "share":
                assert float(element.get("x")) == pytest.approx(x, abs=0.02)
                width = float(element.get("width"))
                assert width == pytest.approx(256 * counts[data["of"], data.get("seat")] / cells, abs=0.01)
                x += width
        assert x == pytest.approx(256, abs=0.02)
        (gauge,) = ET.fromstring(svg).iterfind(".//{*}rect[@class='gauge']")
        filled = counts["stall", None] / spec.options["stall_limit"]
        assert float(gauge.get("width")) == pytest.approx(256 * filled, abs=0.01)


def test_themes_differ_in_colours_alone():
    """And nothing depends on who looks: all is public."""
    state = played(SHADED, size=3, bonus_stones=True)
    drawn = {theme: state.svg(theme=theme) for theme in (*THEMES, "auto")}
    for theme, svg in drawn.items():
        assert ET.fromstring(svg).get("class") == f"astralis-{theme}"
        assert state.svg(0, theme) == state.svg(1, theme) == svg
        assert "$" not in svg
    styles = {theme: re.search("<style>.*</style>", svg, re.DOTALL)[0] for theme, svg in drawn.items()}
    assert len(set(styles.values())) == 3
    bodies = {svg.replace(styles[theme], "").replace(f"astralis-{theme}", "astralis") for theme, svg in drawn.items()}
    assert len(bodies) == 1


@pytest.mark.parametrize("theme", THEMES)
def test_the_longest_texts_stay_within_the_picture(theme):
    """Nothing comes near the right edge of the picture."""
    paper = [int(THEMES[theme]["paper"][i : i + 2], 16) for i in (1, 3, 5)]
    spec = starboard.load("astralis", size=8, komi=-59.5, stall_limit=120)
    over = next(game.state for game in walk(spec, 0) if game.state.over)
    for state in (GameState(spec, 0), over):
        frame = rgb(state.svg(theme=theme))
        assert (frame[:, -20:] == paper).all()
        assert (frame[:, -40:] != paper).any()
