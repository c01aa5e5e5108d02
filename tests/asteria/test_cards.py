"""Deck files: what is read, what is refused and with which words, and the deck that comes with the game (AT-1)."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from asteria_envs.cards import (
    AMOUNTS,
    OWN,
    RESERVED,
    SIDES,
    WHATS,
    WHENS,
    WHENS_OF_SIDE,
    WHO,
    Action,
    Deck,
    Effect,
    Planet,
    Side,
    load,
    read,
    text,
)
from asteria_envs.sheet import sheet
from tests.asteria.random_deck import STYLES, random_deck

PLAIN = Deck(
    2,
    tuple(Planet(f"P{i}", i, (((0, 0), (1, 2)), ((9, 9), (0, 1)))) for i in range(6)),
    tuple(
        Action(
            f"A{i}",
            (i, 12 - i),
            (
                Side(-9, (Effect("play", "gain_ore", 2),)),
                Side(9, (Effect("income", "draw"), Effect("conflict", "strength", -3, "opposing"))),
                Side(0, (Effect("play", "rotate", side="expand"),)),
                Side(1),
            ),
        )
        for i in range(8)
    ),
)
TEXT = text(PLAIN)
"""Each line is a card; cards are numbered from 1 in messages."""


def changed(old: str, new: str, count: int = 1) -> str:
    """``TEXT`` with the first ``count`` places of ``old`` replaced."""
    assert TEXT.count(old) >= count
    return TEXT.replace(old, new, count)


def side(name: str, content: str) -> str:
    """``TEXT`` with another side on the first action card."""
    found, count = re.subn(rf"{name} = {{ .*?\] }}", lambda _: f"{name} = {content}", TEXT, count=1)
    assert count == 1
    return found


def effect(name: str, content: str) -> str:
    """``TEXT`` with a side that has this effect only."""
    return side(name, f"{{ strength = 0, effects = [{{ {content} }}] }}")


# What is read.


def test_a_deck_of_ones_own(tmp_path):
    assert load(TEXT) == PLAIN
    file = tmp_path / "deck.toml"
    file.write_text(f"# notes\n{TEXT}")
    assert load(file) == load(str(file)) == PLAIN
    assert read(file) == read(TEXT) == TEXT


def test_what_may_be_left_out():
    assert load(effect("explore", 'when = "play", what = "draw"')).actions[0].sides[2] == Side(
        0, (Effect("play", "draw", 1, "self", None),)
    )
    assert load(side("explore", "{ strength = 3 }")).actions[0].sides[2] == Side(3, ())
    assert read(side("exterminate", "{ strength = 1 }")) == TEXT


def test_one_form_whatever_the_way_it_is_written():
    start = TEXT.index("action = [")
    sections = TEXT[:start] + "".join(
        "[[action]]\n" + re.sub(r", (?=name|cost|extract|expand|explore|exterminate)", "\n", row)[6:-3] + "\n"
        for row in TEXT[start:].splitlines()[1:-1]
    )
    assert sections != TEXT
    assert read(sections) == TEXT


def test_the_reference_has_a_name():
    assert read("reference") == read(text(load("reference"))) == "reference"
    assert load("reference") is load("reference")


@pytest.mark.parametrize("style", STYLES)
def test_random_decks_are_read_back(style):
    for seed in range(8):
        deck = random_deck(seed, style)
        assert load(text(deck)) == deck == random_deck(seed, style)
        assert read(text(deck)) == text(deck)


@pytest.mark.parametrize("name", SIDES)
def test_effects_that_may_stand_on_a_side(name):
    """Each when with each what and who, and nothing else (AT-1.5)."""
    for when in WHENS:
        for what in WHATS:
            for who in WHO if when in WHENS_OF_SIDE[name] else WHO[:1]:
                allowed = (
                    when in WHENS_OF_SIDE[name]
                    and (when == "conflict") == (what == "strength")
                    and (name != "extract" or (what in ("gain_ore", "gain_energy") and who == "self"))
                    and (who == "self" or what not in OWN)
                )
                words = effect(name, f'when = "{when}", what = "{what}", who = "{who}"')
                if allowed:
                    assert load(words).actions[0].sides[SIDES.index(name)].effects == (Effect(when, what, 1, who),)
                else:
                    with pytest.raises(ValueError, match=rf"^text: action 1 'A0': {name}: effect 1: (when|what|who): "):
                        load(words)


def test_whens_of_the_sides():
    assert WHENS_OF_SIDE["extract"] == WHENS_OF_SIDE["explore"] == ("play",)
    assert set(WHENS_OF_SIDE["exterminate"]) == {"play", "conflict", "win", "lose"}
    assert set(WHENS) - set(WHENS_OF_SIDE["expand"]) == {"play", "win", "lose"}


@pytest.mark.parametrize("what", WHATS)
def test_amounts(what):
    low, high = AMOUNTS[what]
    when = "conflict" if what == "strength" else "income"
    for amount in range(-13, 14):
        words = effect("expand", f'when = "{when}", what = "{what}", amount = {amount}')
        if low <= amount <= high and amount != 0:
            assert load(words).actions[0].sides[1].effects[0].amount == amount
        else:
            with pytest.raises(ValueError, match=r"^text: action 1 'A0': expand: effect 1: amount: is "):
                load(words)


@pytest.mark.parametrize("to", SIDES)
def test_a_rotate_to_one_side(to):
    words = effect("exterminate", f'when = "lose", what = "rotate", side = "{to}"')
    assert load(words).actions[0].sides[3].effects[0] == Effect("lose", "rotate", 1, "self", to)


@pytest.mark.parametrize("half", [1, 4])
@pytest.mark.parametrize("planets", [6, 24])
@pytest.mark.parametrize("actions", [8, 64])
def test_sizes(half, planets, actions):
    deck = Deck(
        half,
        tuple(Planet(f"P{i}", 0, (((0, 0),) * half,) * 2) for i in range(planets)),
        tuple(Action(f"A{i}", (i // 13, i % 13), (Side(0),) * 4) for i in range(actions)),
    )
    assert load(text(deck)) == deck


# What is refused.

WHOLE = [
    (42, r"^42: must be 'reference', the path of a TOML file, or the text of one$"),
    ("no/such.toml", r"^'no/such.toml': cannot be read \(No such file or directory\); give the path"),
    ("half = \n", r"^text: is not TOML: .*line 1"),
    ("\n", r"^text: half: is missing; add it$"),
    (
        changed("half = 2", "half = 2\nthird = 1"),
        r"^text: third: there is no such field; there are half, planet, action$",
    ),
    (changed("half = 2", "half = 0"), r"^text: half: is 0; must be a whole number from 1 to 4$"),
    (changed("half = 2", "half = 5"), r"^text: half: is 5; must be a whole number from 1 to 4$"),
    (changed("half = 2", "half = 2.0"), r"^text: half: is 2.0; must be a whole number from 1 to 4$"),
    (changed("half = 2", "half = true"), r"^text: half: is True; must be a whole number from 1 to 4$"),
    (
        changed("half = 2", "half = 3"),
        r"^text: planet 1 'P0': first: must be a list of half = 3 spaces \[ore, energy\]$",
    ),
    (changed("    { name", "# { name"), r"^text: planet: has 5; must have 6 to 24$"),
    (TEXT.replace('    { name = "A0"', '# { name = "A0"'), r"^text: action: has 7; must have 8 to 64$"),
    (
        'half = 1\naction = []\n[planet]\nname = "P"\n',
        r"^text: planet: is \{'name': 'P'\}; must be a list in brackets$",
    ),
    (
        "half = 1\nplanet = [1, 2, 3, 4, 5, 6]\naction = []\n",
        r"^text: planet 1: is 1; must be a table of name, strength",
    ),
    (
        "half = 1\naction = []\n" + '[[planet]]\nname = "P"\nstrength = 0\nfirst = [[0, 0]]\nsecond = [[0, 0]]\n' * 25,
        r"^text: planet: has 25; must have 6 to 24$",
    ),
]

NAMES = [
    *((f'"{name}"', "must be 1 to 24 letters A-Z") for name in ("", "42", "_", "A-1", "A b", "Ä", "a" * 25, "A\\n")),
    ("7", "has 7; must be a string in quotes"),
    *((f'"{word}"', "is a word of the notation; take another") for word in ("play", "Ore", "GIVE_UP", "expand")),
]

PLANET = [
    ("strength = 0", "strength = 10", r"strength: is 10; must be a whole number from 0 to 9$"),
    ("strength = 0", "strength = -1", r"strength: is -1; must be a whole number from 0 to 9$"),
    ("strength = 0, ", "", r"strength: is missing; add it$"),
    (
        "strength = 0",
        "strength = 0, cost = 1",
        r"cost: there is no such field; there are name, strength, first, second$",
    ),
    ("first = [[0, 0], [1, 2]]", "first = 3", r"first: must be a list of half = 2 spaces \[ore, energy\]$"),
    ("second = [[9, 9], [0, 1]]", "second = [[9, 9]]", r"second: must be a list of half = 2 spaces \[ore, energy\]$"),
    *(
        ("first = [[0, 0]", f"first = [{pair}", r"first: has .*; must be \[ore, energy\], whole numbers from 0 to 9$")
        for pair in ("[0, 10]", "[-1, 0]", "[0]", "[0, 0, 0]", "[true, 0]", "[0, 1.0]", '["0", 0]', "0", "{ ore = 1 }")
    ),
]

ACTION = [
    *(
        ("cost = [0, 12]", f"cost = {pair}", r"cost: has .*; must be \[ore, energy\], whole numbers from 0 to 12$")
        for pair in ("[0, 13]", "[-1, 0]", "[0]", "[[0, 0]]", "2")
    ),
    ("cost = [0, 12], ", "", r"cost: is missing; add it$"),
    ("exterminate = ", "exterminates = ", r"exterminates: there is no such field; there are name, cost, extract"),
    ("strength = -9", "strength = -10", r"extract: strength: is -10; must be a whole number from -9 to 9$"),
    ("{ strength = -9, ", "{ ", r"extract: strength: is missing; add it$"),
    (
        "strength = -9",
        "strength = -9, cost = 1",
        r"extract: cost: there is no such field; there are strength, effects$",
    ),
]

SIDE = [
    ("extract", "7", r"is 7; must be a table of strength$"),
    ("explore", '{ strength = 0, effects = "draw" }', r"effects: is 'draw'; must be a list in brackets$"),
    ("explore", "{ strength = 0, effects = [[]] }", r"effect 1: is \[\]; must be a table of when, what$"),
    (
        "explore",
        '{ strength = 0, effects = [{ when = "play", what = "draw" }, { when = "play" }] }',
        r"effect 2: what: is missing; add it$",
    ),
    (
        "explore",
        "{ strength = 0, effects = [" + '{ when = "play", what = "draw" },' * 4 + "] }",
        r"effects: has 4; must have 0 to 3$",
    ),
]

EFFECT = [
    ("explore", 'what = "draw"', r"when: is missing; add it$"),
    (
        "explore",
        'when = "play", what = "draw", to = "expand"',
        r"to: there is no such field; there are when, what, amount",
    ),
    ("explore", 'when = "later", what = "draw"', r"when: has 'later'; must be one of 'play'$"),
    (
        "exterminate",
        'when = "income", what = "draw"',
        r"when: has 'income'; must be one of 'play', 'conflict', 'win', 'l",
    ),
    ("explore", 'when = 1, what = "draw"', r"when: has 1; must be a string in quotes$"),
    ("explore", 'when = "play", what = "fly"', r"what: has 'fly'; must be one of 'gain_ore', 'gain_energy'"),
    ("extract", 'when = "play", what = "draw"', r"what: an Extract side has only gain_ore and gain_energy$"),
    (
        "explore",
        'when = "play", what = "strength"',
        r"what: 'strength' with when = 'play': 'conflict' goes with 'strength', and only with it$",
    ),
    (
        "expand",
        'when = "conflict", what = "draw"',
        r"what: 'draw' with when = 'conflict': 'conflict' goes with 'strength', and only with it$",
    ),
    (
        "expand",
        'when = "conflict", what = "strength", amount = 0',
        r"amount: is 0, which does nothing; leave the effect",
    ),
    ("explore", 'when = "play", what = "draw", amount = "2"', r"amount: is '2'; must be a whole number from 1 to 9$"),
    ("explore", 'when = "play", what = "rotate", amount = 2', r"amount: is 2; must be a whole number from 1 to 1$"),
    ("explore", 'when = "play", what = "draw", who = "all"', r"who: has 'all'; must be one of 'self', 'opposing'$"),
    (
        "explore",
        'when = "play", what = "swap", who = "opposing"',
        r"who: must be 'self': 'swap' on an explore side does not touch the opposing player$",
    ),
    (
        "explore",
        'when = "play", what = "draw", side = "expand"',
        r"side: goes with what = 'rotate', not with 'draw'; lea",
    ),
    (
        "explore",
        'when = "play", what = "rotate", side = "north"',
        r"side: has 'north'; must be one of 'extract', 'expand'",
    ),
]

MALFORMED = [
    *WHOLE,
    *((changed('"P1"', name), rf"^text: planet 2.*: name: {reason}") for name, reason in NAMES),
    *((changed('"A1"', name), rf"^text: action 2.*: name: {reason}") for name, reason in NAMES),
    *((changed(old, new), rf"^text: planet 1 'P0': {reason}") for old, new, reason in PLANET),
    *((changed(old, new), rf"^text: action 1 'A0': {reason}") for old, new, reason in ACTION),
    *((side(name, content), rf"^text: action 1 'A0': {name}: {reason}") for name, content, reason in SIDE),
    *(
        (effect(name, content), rf"^text: action 1 'A0': {name}: effect 1: {reason}")
        for name, content, reason in EFFECT
    ),
    (changed('"P1"', '"p0"'), r"^text: planet 2 'p0': name: is that of planet 1 'P0', too; each needs its own$"),
    (changed('"A1"', '"a0"'), r"^text: action 2 'a0': name: is that of action 1 'A0', too; each needs its own$"),
    (changed('"A1"', '"P0"'), r"^text: action 2 'P0': name: is that of planet 1 'P0', too; each needs its own$"),
    (
        changed("cost = [2, 10]", "cost = [0, 12]"),
        r"^text: action 3 'A2': name: all else is as on action 1 'A0'; no two cards may be alike$",
    ),
]


@pytest.mark.parametrize(("deck", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(deck, message):
    with pytest.raises(ValueError, match=message):
        load(deck)
    with pytest.raises(ValueError, match=message):
        read(deck)


def test_messages_name_the_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(changed("half = 2", "half = 9"))
    with pytest.raises(ValueError, match=r"mine\.toml: half: is 9;"):
        load(file)


def test_words_of_the_notation_are_lower_case():
    assert {word for word in RESERVED if word == word.lower()} == RESERVED
    assert set(SIDES) < RESERVED


# The deck that comes with the game (AT-1.6).


def test_the_reference_deck_shows_all_that_the_format_has():
    deck = load("reference")
    assert (len(deck.actions), len(deck.planets), deck.half) == (38, 14, 3)  # AT-1.1
    effects = {
        name: [found for action in deck.actions for found in action.sides[number].effects]
        for number, name in enumerate(SIDES)
    }
    every = [found for some in effects.values() for found in some]
    assert {found.when for found in every} == set(WHENS)
    assert {found.what for found in every} == set(WHATS)
    assert {found.who for found in every} == set(WHO)
    assert {found.side is None for found in every if found.what == "rotate"} == {True, False}
    for name, whens in WHENS_OF_SIDE.items():
        assert {found.when for found in effects[name]} == set(whens)


def test_no_two_cards_of_the_reference_deck_are_alike():
    deck = load("reference")
    assert len({(action.cost, action.sides) for action in deck.actions}) == 38
    assert len({(planet.strength, planet.halves) for planet in deck.planets}) == 14


def test_strengths_and_riches_of_the_reference_deck():
    """Exterminate is the strongest side and Extract the weakest, on average and on each card; rich planets are weak."""
    deck = load("reference")
    for action in deck.actions:
        extract, expand, explore, exterminate = (found.strength for found in action.sides)
        assert extract <= min(expand, explore) <= max(expand, explore) < exterminate
        assert any(found.amount for found in action.sides[0].effects)

    def worth(planet: Planet) -> int:
        return sum(ore + energy for half in planet.halves for ore, energy in half)

    for planet in deck.planets:
        for other in deck.planets:
            assert planet.strength <= other.strength or worth(planet) <= worth(other)


# The drawing.


def test_the_drawing_shows_each_card():
    for deck in (load("reference"), PLAIN, random_deck(0, "small"), random_deck(0, "large")):
        picture = ET.fromstring(sheet(deck))
        cards = [["".join(line.itertext()) for line in card.findall(".//{*}text")] for card in picture.findall("{*}g")]
        actions, planets = cards[: len(deck.actions)], cards[-len(deck.planets) :]
        assert len(cards) == len(actions) + 1 + len(planets)
        for action, shown in zip(deck.actions, actions, strict=True):
            assert shown[0] == action.name
            heads = [shown.index(name.capitalize()) for name in SIDES]
            assert [int(shown[head - 1]) for head in heads] == [found.strength for found in action.sides]
            costs = [str(count) for count in action.cost if count]
            assert shown[len(shown) - len(costs) :] == costs
        for planet, shown in zip(deck.planets, planets, strict=True):
            spaces = [*planet.halves[0], *reversed(planet.halves[1])]
            assert shown == [planet.name, str(planet.strength), *(str(n) for space in spaces for n in space if n)]


def test_the_drawing_tells_what_a_side_does():
    effects = (
        Effect("on_take", "discard_planet", 2, "opposing"),
        Effect("on_take", "gain_ore", 1),
        Effect("conflict", "strength", -3, "opposing"),
    )
    other = (Effect("win", "destroy", 2), Effect("play", "rotate", side="extract"))
    card = Action("A", (0, 0), (Side(0), Side(0, effects), Side(0), Side(0, other)))
    lines = sheet(Deck(2, PLAIN.planets, (card,)))
    shown = re.findall(r">([^<>]+)</text>", lines)
    assert shown[:8] == ["A", "0", "Extract", "0", "Expand", "on take:", "they discard 2 planets", "gain 1 ore"]
    assert shown[8:14] == ["conflict:", "their strength -3", "0", "Explore", "0", "Exterminate"]
    assert shown[14:18] == ["win:", "destroy 2 of yours", "play:", "rotate to extract"]
