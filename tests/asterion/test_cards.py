"""The cards of Asterion (AN-1): the reference set, card files, what is wrong with some, and the drawing of a set."""

from __future__ import annotations

import itertools
import pickle
import re
import xml.etree.ElementTree as ET
from importlib.resources import files

import numpy as np
import pytest

from asterion_envs import GAME, cards
from asterion_envs.sheet import sheet
from starboard.state import GameState
from tests.naive.asterion import REFERENCE

FILE = files("asterion_envs") / "data" / "reference.toml"
TEXT = FILE.read_text(encoding="utf-8")
LETTERS = "NESW"


def partitions(items):
    """Every way to divide ``items`` into sets that are not empty."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for i in range(len(parts)):
            yield [*parts[:i], [first, *parts[i]], *parts[i + 1 :]]


def up_to_rotation(corridors):
    """The same for all rotations of a layout, and different for others."""
    numbers = [[LETTERS.index(letter) for letter in corridor] for corridor in corridors]
    return min(sorted(sorted((d + turns) % 4 for d in corridor) for corridor in numbers) for turns in range(4))


def test_the_reference_set_is_the_table():
    """AN-1.3, against the copy that the oracle has."""
    found = cards.load("reference")
    assert len(found) == cards.CARDS == 17
    for card, wanted in zip(found, REFERENCE, strict=True):
        assert card.name == wanted.name
        assert set(card.corridors) == set(wanted.corridors)
        assert card.corridors[card.prisoner] == wanted.corridors[wanted.prisoner]
        for held, held_there in ((card.wings, wanted.wings), (card.coins, wanted.coins)):
            assert dict(zip(card.corridors, held, strict=True)) == dict(zip(wanted.corridors, held_there, strict=True))


def test_the_reference_set_has_every_layout_once():
    """AN-1.2, AN-1.3: every set of openings, joined in every way. Of these, only NS with EW cross."""
    layouts = {
        str(up_to_rotation(parts))
        for count in range(1, 5)
        for openings in itertools.combinations(LETTERS, count)
        for parts in partitions(list(openings))
    }
    assert len(layouts) == 17
    assert {str(up_to_rotation(card.corridors)) for card in cards.load("reference")} == layouts


def test_five_cards_have_no_mirror_image_in_the_set():
    """AN-5.2: a prisoner or what else a card holds lies elsewhere in the mirror image."""

    def look(card, mirrored):
        order = "NWSE" if mirrored else LETTERS
        things = [
            (sorted(order.index(letter) for letter in corridor), index == card.prisoner, wings, coins)
            for index, (corridor, wings, coins) in enumerate(zip(card.corridors, card.wings, card.coins, strict=True))
        ]
        return min(
            sorted((sorted((d + turns) % 4 for d in openings), *held) for openings, *held in things)
            for turns in range(4)
        )

    found = cards.load("reference")
    looks = [look(card, False) for card in found]
    assert [card.name for card in found if look(card, True) not in looks] == ["T03", "T07", "T08", "T10", "T14"]


def test_the_same_cards_are_the_same_whatever_the_file_looks_like(tmp_path):
    assert cards.read("reference") == cards.read(TEXT) == cards.read(FILE) == cards.read(str(FILE)) == "reference"
    other = TEXT.replace('wings = ["EW"]', 'wings = ["EW", "EW"]')
    text = cards.read(other)
    assert text != "reference"
    assert cards.read(text) == text
    assert cards.load(text) == cards.load(other) != cards.load("reference")
    file = tmp_path / "mine.toml"
    wordy = "\n\n".join(
        "[[cards]]\n" + re.sub(r", (\w+ = )", r"\n\1", line.strip(" {},"))
        for line in other.splitlines()
        if line.startswith("    {")
    )
    file.write_bytes(b"\xef\xbb\xbf" + wordy.replace("\n", "\r\n").encode())
    assert cards.read(file) == cards.read(str(file)) == text
    spec = GAME.spec(tiles=file)
    assert spec is GAME.spec(tiles=str(file)) is GAME.spec(tiles=other)
    assert spec is not GAME.spec()
    assert GAME.spec(tiles=TEXT) is GAME.spec()
    file.unlink()
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert spec.options["tiles"] == text
    assert len(repr(spec)) < 250


def test_the_order_of_corridors_makes_no_difference():
    other = TEXT.replace('corridors = ["NS", "EW"]', 'corridors = ["EW", "NS"]')
    assert other != TEXT
    assert cards.read(other) == "reference"


T03 = 'name = "T03", corridors = ["N", "E"], prisoner = "N", coins = ["E"]'


def without(field):
    return re.sub(rf'(, )?{field} = (\[.*?\]|"\w+")', "", T03).lstrip(", ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (without("name"), "card 3: name: is missing; add it"),
        (without("corridors"), "card 3 'T03': corridors: is missing; add it"),
        (without("prisoner"), "card 3 'T03': prisoner: is missing; add it"),
        (T03 + ', gold = ["N"]', "card 3 'T03': gold: there is no such field; there are name, corridors, prisoner, "),
        (T03.replace('"T03"', "3"), "card 3: name: has 3; must be a string in quotes"),
        (T03.replace('"T03"', '""'), "card 3 '': name: must be 1 to 12 letters A-Z, a-z, digits or _"),
        (T03.replace('"T03"', '"Tür"'), "card 3 'Tür': name: must be 1 to 12 letters A-Z, a-z, digits or _"),
        (T03.replace('"T03"', '"T3 "'), "card 3 'T3 ': name: must be 1 to 12 letters"),
        (T03.replace('"T03"', '"T3\\n"'), r"card 3 'T3\\n': name: must be 1 to 12 letters"),
        (T03.replace('"T03"', '"pass"'), "card 3 'pass': name: must be .*, and not 'pass'"),
        (T03.replace('"T03"', '"T123456789012"'), "card 3 'T123456789012': name: must be 1 to 12 letters"),
        (T03.replace('"T03"', '"T01"'), "card 3 'T01': name: is that of card 1 'T01', too; each needs its own"),
        (T03.replace('["N", "E"]', '"NE"'), "card 3 'T03': corridors: is 'NE'; must be a list in brackets"),
        (T03.replace('["N", "E"]', "[]"), "card 3 'T03': corridors: there are none; name the openings of at least one"),
        (T03.replace('["N", "E"]', '["N", ""]'), "card 3 'T03': corridors: has ''; must be one of 'N', 'E', 'NE'"),
        (T03.replace('["N", "E"]', '["N", 1]'), "card 3 'T03': corridors: has 1; must be a string in quotes"),
        (T03.replace('["N", "E"]', '["N", "X"]'), "card 3 'T03': corridors: has 'X'; must be one of 'N', 'E', 'NE'"),
        (T03.replace('["N", "E"]', '["N", "e"]'), "card 3 'T03': corridors: has 'e'; must be one of"),
        (T03.replace('["N", "E"]', '["N", "WS"]'), "card 3 'T03': corridors: has 'WS'; must be one of .* 'SW'"),
        (T03.replace('["N", "E"]', '["N", "EE"]'), "card 3 'T03': corridors: has 'EE'; must be one of"),
        (T03.replace('["N", "E"]', '["N", "NE"]'), "card 3 'T03': corridors: N is in two; corridors that share an"),
        (T03.replace('["N", "E"]', '["E", "N", "E"]'), "card 3 'T03': corridors: E is in two; corridors that share an"),
        (T03.replace('prisoner = "N"', 'prisoner = "S"'), "card 3 'T03': prisoner: has 'S'; must be one of 'N', 'E'$"),
        (
            T03.replace('prisoner = "N"', 'prisoner = ["N"]'),
            "card 3 'T03': prisoner: has .*; must be a string in quotes",
        ),
        (T03.replace('coins = ["E"]', "coins = 1"), "card 3 'T03': coins: is 1; must be a list in brackets"),
        (T03.replace('coins = ["E"]', 'coins = ["NE"]'), "card 3 'T03': coins: has 'NE'; must be one of 'N', 'E'$"),
        (T03 + ', wings = ["S"]', "card 3 'T03': wings: has 'S'; must be one of 'N', 'E'$"),
        (
            T03 + ', wings = ["E"' + ', "E"' * 9 + "]",
            "card 3 'T03': wings: has 10 in one corridor; at most 9 are possible",
        ),
    ],
)
def test_a_malformed_card_is_refused(line, message, tmp_path):
    """AN-1.3: saying where and why; and nothing else happens."""
    assert TEXT.count(T03) == 1
    file = tmp_path / "mine.toml"
    file.write_text(TEXT.replace(T03, line), encoding="utf-8")
    specs = dict(GAME._specs)
    with pytest.raises(ValueError, match=f"^{re.escape(str(file))}: {message}"):
        cards.read(file)
    with pytest.raises(ValueError, match=f"^tiles: text: {message}"):
        GAME.spec(tiles=file.read_text(encoding="utf-8"))
    assert specs == GAME._specs
    assert cards.read(TEXT) == "reference"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cards = [\n", r"text: is not TOML: .* \(at end of document\)$"),
        (TEXT.replace("]\n", "\n", 1) + "x", "text: is not TOML"),
        (TEXT + "cards = 3", r"text: is not TOML: Cannot overwrite a value \("),
        ("\n", "text: cards: is missing; add it"),
        ("cards = 17\n", "text: cards: is 17; must be a list in brackets"),
        ("cards = []\n", "text: cards: has 0; must have 17"),
        (TEXT.replace(f"    {{ {T03} }},\n", ""), "text: cards: has 16; must have 17"),
        (TEXT.replace(f"{{ {T03} }}", f"{{ {T03} }}, {{ {T03} }}"), "text: cards: has 18; must have 17"),
        (TEXT.replace(f"{{ {T03} }}", '"T03"'), "text: card 3: is 'T03'; must be a table of name, corridors, prisoner"),
        (TEXT + "author = 'me'", "text: author: there is no such field; there are cards"),
        ("cards = " + "[" * 100000 + "\n", "text: is not TOML"),
        ("x = " + "1" * 10000 + "\n", "text: is not TOML"),
        ("", "'': cannot be read"),
        (
            "nowhere.toml",
            r"'nowhere\.toml': cannot be read \(No such file or directory\); give the path of a TOML file",
        ),
        ("a\0b", r"'a.*b': cannot be read \(embedded null byte\)"),
        ("x" * 5000, r"'x+': cannot be read"),
        ("/", r"'/': cannot be read \(Is a directory\)"),
        (None, "None: must be 'reference', the path of a TOML file, or the text of one"),
        (17, "17: must be 'reference'"),
        (b"reference", "b'reference': must be 'reference', the path"),
        (["reference"], ".*: must be 'reference', the path"),
        (np.zeros(3), ".*: must be 'reference', the path"),
    ],
)
def test_what_is_no_card_file_is_refused(text, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        cards.read(text)
    with pytest.raises(ValueError, match=f"^tiles: {message}"):
        GAME.spec(tiles=text)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "card.png").write_bytes(b"\x89PNG\n\xff")
    with pytest.raises(ValueError, match=r"card\.png': cannot be read \(is no text in UTF-8\)"):
        cards.read(tmp_path / "card.png")


def test_saved_games_know_their_cards():
    own = GAME.spec(tiles=TEXT.replace("T03", "X"))
    saved = GameState(own, 0).to_bytes()
    assert GameState.from_bytes(own, saved).to_bytes() == saved
    with pytest.raises(ValueError, match=r"tiles=<\d+ lines, sha256 \w+>, not .*tiles='reference'"):
        GameState.from_bytes(GAME.spec(), saved)


def test_the_drawing_shows_every_card_and_what_it_holds():
    most = TEXT.replace(
        T03, 'name = "X", corridors = ["E", "SW"], prisoner = "E", coins = ["E", "E", "SW"], wings = ["E"]'
    )
    for text in ("reference", most):
        found = cards.load(text)
        picture = sheet(found)
        drawn = [group for group in ET.fromstring(picture) if group.get("data-what") == "card"]
        assert [group.get("data-card") for group in drawn] == [card.name for card in found]
        for group, card in zip(drawn, found, strict=True):
            assert group[-1].text == card.name
            told = [(part.get("data-what"), part) for part in group.iter()]
            corridors = [part.get("data-openings") for what, part in told if what == "corridor"]
            assert sorted(corridors) == sorted(card.corridors)
            assert [part.get("data-state") for what, part in told if what == "prisoner"] == ["free"]
            for name, counts in (("wings", card.wings), ("coins", card.coins)):
                shown = [int(part.get("data-count")) for what, part in told if what == name]
                assert sorted(shown) == sorted(filter(None, counts))
            numbers = [part.text for part in group.iter() if part.get("class") == "count"]
            assert sorted(numbers) == sorted(str(count) for count in (*card.wings, *card.coins) if count > 1)
            shadows = [part for part in group.iter() if part.get("class") == "shadow"]
            assert len(shadows) == (set(card.corridors) == {"NS", "EW"})
        assert "prefers-color-scheme: dark" in picture
    assert "X: corridors E, SW; prisoner in E, 1 wing in E, 2 coins in E, 1 coin in SW" in picture
