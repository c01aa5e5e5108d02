"""Replays: the page holds every position, tells a seat nothing that is hidden from it, and works in a browser."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import starboard
from starboard import replay
from starboard.cli import main
from starboard.records import GameRecord, Recorder, Redeal, positions, start_seed
from starboard.render import draw, raster
from starboard.replay.document import _Book
from starboard.state import GameState
from tests.browser import FOUND, MISSING, Page, chromium

GAMES: dict[str, dict[str, Any]] = {
    "astralis": {"size": 3, "stall_limit": 4},
    "asterion": {"players": 2},
    "asteria": {"max_turns": 12},
}
HIDING = ("asterion", "asteria")


@pytest.fixture(autouse=True)
def no_word_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARBOARD_QUIET", "1")


@cache
def game(name: str, seed: int = 0) -> GameRecord:
    """A game of random moves; each mover thought of two of them."""
    spec = starboard.load(name, **GAMES[name])
    state = GameState(spec, seed)
    draw = np.random.default_rng(seed)
    actions, thoughts = [], []
    while not state.over:
        legal = state.legal_actions()
        actions.append(int(draw.choice(legal)))
        thoughts.append(dict(zip(legal[:2], (0.75, 0.25), strict=False)))
        state.step(actions[-1])
    return GameRecord.of(spec, start_seed(seed), actions, probabilities=thoughts)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def frames(data: dict[str, Any], view: dict[str, Any]) -> list[str]:
    """The pictures that the page makes of its data."""
    found = []
    lines: list[int] = []
    for changes in view["frames"]:
        for at, gone, *come in changes:
            lines[at : at + gone] = come
        found.append("\n".join(data["lines"][line] for line in lines) + "\n")
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_page_holds_every_position_move_and_choice(name: str) -> None:
    record = game(name)
    spec = record.spec
    data = data_of(replay.page([record]))
    (made,) = data["games"]
    views = made["views"]
    assert [view["seat"] for view in views] == ([None, *range(spec.num_players)] if name in HIDING else [None])
    states = list(positions(record))
    for view in views:
        assert frames(data, view) == [draw(spec, state.record, view["seat"], "auto") for state in states]
    full = views[0]
    words = data["words"]
    assert [words[move] for move in full["moves"]] == list(record.moves)
    for ply, state in enumerate(states[:-1]):
        assert [words[move] for move in full["legal"][ply]] == [state.describe(a) for a in state.legal_actions()]
        expected = [[state.describe(action), chance] for action, chance in record.probabilities[ply].items()]
        assert [[words[move], chance] for move, chance in full["thoughts"][ply]] == expected
    assert made["movers"] == [state.to_move for state in states[:-1]]
    assert made["returns"] == list(record.returns)
    assert made["facts"] == spec.final_info(states[-1].record)


@pytest.mark.parametrize("name", HIDING)
def test_a_seats_view_has_its_own_choices_and_no_secret_of_others(name: str) -> None:
    record = game(name, 5)
    hidden = 0
    for seat in range(record.spec.num_players):
        (made,) = data_of(replay.page([record], view=seat))["games"]
        (view,) = made["views"]
        assert view["seat"] == seat
        for ply, state in enumerate(list(positions(record))[:-1]):
            own = state.to_move == seat
            assert (view["legal"][ply] is None) == (view["thoughts"][ply] is None) == (not own)
            secret = not own and record.spec.is_secret(state.record, record.actions[ply])
            assert (view["moves"][ply] is None) == secret
            hidden += secret
    assert hidden


@pytest.mark.parametrize("name", HIDING)
def test_what_a_seat_cannot_see_changes_nothing_in_its_view(name: str) -> None:
    """As the leak tests: single positions, with all that is hidden from a seat dealt anew."""
    record = game(name, 1)
    changed = 0
    for ply, state in list(enumerate(positions(record)))[::3]:
        now = replace(
            record,
            actions=record.actions[ply : ply + 1],
            probabilities=record.probabilities[ply : ply + 1],
        )
        for seat in range(record.spec.num_players):
            twin = state.resampled(seat, ply)
            seen = []
            for shown in (state, twin):
                book = _Book()
                seen.append((book._view(now, [shown], seat), book.lines, book.words))
            assert seen[0] == seen[1]
            changed += draw(record.spec, state.record) != draw(record.spec, twin.record)
            if state.over:
                assert record.spec.final_info(state.record) == record.spec.final_info(twin.record)
    assert changed


@pytest.mark.parametrize("name", HIDING)
def test_pages_of_games_that_a_seat_cannot_tell_apart_are_the_same(name: str) -> None:
    """Byte for byte: so there is no seed, no number of an action, nothing of the other cards in them."""
    record = game(name, 2)
    spec = record.spec
    changed = 0
    for ply in (2, 9):
        illegal = spec.num_actions - 1  # which is not looked at
        for seat in range(spec.num_players):
            # What cannot be seen is dealt anew after the last action; then an illegal one ends the game.
            twins = [
                replace(
                    record,
                    actions=record.actions[:ply],
                    illegal=illegal,
                    end="illegal",
                    redeals=(Redeal(ply, seat, seed),),
                )
                for seed in range(2)
            ]
            one, other = (replay.page([twin], view=seat) for twin in twins)
            assert one == other
            assert "made an illegal move" in data_of(one)["games"][0]["end"]
            assert str(record.seed) not in one
            last = [list(positions(twin))[-1] for twin in twins]
            changed += draw(spec, last[0].record) != draw(spec, last[1].record)
    assert changed


def test_cards_that_a_seat_never_saw_are_not_in_its_page() -> None:
    record = game("asteria", 3)
    states = list(positions(record))
    deck = {word for text in (state.text() for state in states) for word in re.findall(r"\b[A-Z]\w+", text)}
    for seat in range(2):
        page = replay.page([record], view=seat)
        seen = " ".join(state.text(seat) for state in states)
        never = {card for card in deck if card not in seen}
        assert never
        data = json.dumps(data_of(page))
        assert not {card for card in never if card in data or card.replace("_", " ") in data}


def test_names_cannot_break_the_page() -> None:
    record = replace(game("astralis"), names=("</script><script>alert(1)</script>", "<!--"))
    page = replay.page([record])
    assert "</script><script>" not in page
    assert "<!--" not in page
    assert data_of(page)["games"][0]["names"] == list(record.names)


def test_the_page_says_what_it_cannot_show(tmp_path: Path) -> None:
    record = game("astralis")
    with pytest.raises(ValueError, match="games: must be at least one"):
        replay.page([])
    with pytest.raises(ValueError, match="game 1: view=2: must be a seat"):
        replay.page([record], view=2)
    with pytest.raises(ValueError, match="game 7: ply 0: action="):
        replay.page([replace(record, actions=(10_000, *record.actions[1:]))], numbers=[7])
    file = tmp_path / "games"
    Recorder(file)
    with pytest.raises(ValueError, match="has 0 games; there is no game 1"):
        replay.select(file)
    Recorder(file).append(record)
    with pytest.raises(ValueError, match="has 1 games; there is no game 2, 3"):
        replay.select(file, [2, 1, 3])
    for _ in range(replay.MOST_GAMES):
        Recorder(file).append(record)
    assert list(replay.select(file)) == list(range(1, replay.MOST_GAMES + 1))
    assert list(replay.select(file, [11, 2])) == [11, 2]


def test_a_picture_is_the_position_that_was_asked_for() -> None:
    record = game("asteria")
    states = list(positions(record))
    assert replay.png(record) == raster.png(draw(record.spec, states[-1].record))
    assert replay.png(record, 5, 1, 0.5) == raster.png(draw(record.spec, states[5].record, 1), 0.5)
    assert replay.png(record, 5, 0, 0.5) != replay.png(record, 5, 1, 0.5)
    for ply in (-1, record.plies + 1):
        with pytest.raises(ValueError, match=f"ply={ply}: must be from 0 to {record.plies}"):
            replay.png(record, ply)


def test_an_animation_has_a_frame_for_each_position() -> None:
    record = game("astralis")
    states = list(positions(record))
    with Image.open(io.BytesIO(replay.gif(record, scale=0.5))) as film:
        assert film.n_frames == len(states)
        for number, state in enumerate(states):
            film.seek(number)
            expected = raster.rgb(draw(record.spec, state.record), 0.5).astype(int)
            shown = np.asarray(film.convert("RGB"), int)
            assert shown.shape == expected.shape
            assert (shown == expected).all(axis=2).mean() > 0.9  # plain areas keep their colours
            assert np.abs(shown - expected).max() < 16
            assert film.info["duration"] == (3000 if number == record.plies else 700)


def test_frames_of_an_animation_are_made_of_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a game has no drawing of its own, its texts differ in size."""
    spec = replace(
        starboard.load("astralis", **GAMES["astralis"]), svg=None, text=lambda record, viewer: "." * int(record["ply"])
    )
    record = game("astralis")
    monkeypatch.setattr(GameRecord, "spec", spec)
    with Image.open(io.BytesIO(replay.gif(record, scale=0.5))) as film:
        assert film.n_frames == record.plies + 1
        widest = raster.rgb(draw(spec, list(positions(record))[-1].record), 0.5)
        assert film.size == widest.shape[1::-1]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records = [game("asteria"), game("astralis", 1)]
    for record in records:
        Recorder("games.jsonl").append(record)
    for name in ("png", "gif"):
        monkeypatch.setattr(replay, name, lambda record, *rest: repr((record.game, *rest)).encode())
    assert main(["replay", "games.jsonl"]) == 0
    assert capsys.readouterr().out.startswith("games.html: games 1, 2 (")
    assert Path("games.html").read_text() == two_games()
    assert main(["replay", "games.jsonl", "--game", "2", "--view", "player_1", "--out", "one.html"]) == 0
    assert Path("one.html").read_text() == replay.page(records[1:], 1, [2])
    assert main(["replay", "games.jsonl", "--game", "2", "--png", "a.png", "--ply", "3", "--gif", "a.gif"]) == 0
    assert Path("a.png").read_text() == "('astralis', 3, None)"
    assert Path("a.gif").read_text() == "('astralis', None)"
    assert main(["replay", "games.jsonl", "--game", "1", "--png", "a.png", "--view", "player_0"]) == 0
    assert Path("a.png").read_text() == "('asteria', None, 0)"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.gif", "a.png", "games.html", "games.jsonl", "one.html"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("replay none.jsonl", "none.jsonl: there is no such file"),
        ("replay games.jsonl --game 3", "has 1 games; there is no game 3"),
        ("replay games.jsonl --view player_9", "--view: 'player_9': must be one of all, player_0, player_1"),
        ("replay games.jsonl --ply 3", "--ply: is for --png"),
        ("replay games.jsonl --png a.png --ply 1000", "ply=1000: must be from 0 to"),
        ("replay games.jsonl --out games.jsonl", "is the file of the games"),
        ("replay games.jsonl --png ./games.jsonl", "is the file of the games"),
        ("replay two.jsonl --gif a.gif", "show one game; choose it with --game"),
        ("replay cut.jsonl", "cut.jsonl, line 2: is cut short"),
    ],
)
def test_the_command_line_answers_mistakes_in_one_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Recorder("games.jsonl").append(game("astralis"))
    data = Path("games.jsonl").read_bytes()
    Path("two.jsonl").write_bytes(2 * data)
    Path("cut.jsonl").write_bytes(data + data[:100])
    with pytest.raises(SystemExit) as exit:
        main(line.split())
    assert exit.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"games.jsonl", "two.jsonl", "cut.jsonl"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if FOUND is None:
        pytest.skip(MISSING)
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@cache
def two_games() -> str:
    return replay.page([game("asteria"), game("astralis", 1)])


@pytest.fixture
def opened(browser: Page, tmp_path: Path) -> Iterator[Page]:
    """The browser with a page of two games. In the end nothing may have been complained of or asked for."""
    file = tmp_path / "games.html"
    file.write_text(two_games(), encoding="utf-8")
    browser.events.clear()
    browser.open(file.as_uri())
    yield browser
    assert browser.complaints == []
    assert browser.requests == [file.as_uri()]


def at(page: Page) -> tuple[int, int, str]:
    """The ply that the slider and the status tell, and the picture."""
    slider = page.run("Number(document.getElementById('slider').value)")
    status = page.run("document.getElementById('status').textContent")
    found = re.match(r"Ply (\d+) of", status)
    assert found is not None
    return slider, int(found[1]), page.run("document.getElementById('picture').innerHTML")


def picture(page: Page, record: GameRecord, ply: int, viewer: int | None = None) -> str:
    """The position as the browser itself writes it."""
    svg = draw(record.spec, list(positions(record))[ply].record, viewer, "auto").rstrip("\n")
    return page.run(
        "(() => { const at = document.createElement('div');"
        f"at.innerHTML = {json.dumps(svg)}; return at.innerHTML }})()"
    )


def test_keys_step_jump_and_play(opened: Page) -> None:
    record = game("asteria")
    last = record.plies
    for keys, ply in (
        ([], 0),
        (["ArrowLeft"], 0),
        (["ArrowRight"] * 3, 3),
        (["ArrowLeft"], 2),
        (["End"], last),
        (["ArrowRight"], last),
        (["Home"], 0),
    ):
        for key in keys:
            opened.press(key)
        assert at(opened) == (ply, ply, picture(opened, record, ply))
    opened.press("End")
    opened.press("ArrowLeft")
    opened.press("ArrowLeft")
    opened.press(" ")
    assert opened.run("document.getElementById('play').textContent") == "Pause"
    opened.run(
        "new Promise((done) => { const wait = () => "
        "document.getElementById('play').textContent === 'Play' ? done() : setTimeout(wait, 20); wait() })"
    )
    assert at(opened) == (last, last, picture(opened, record, last))
    assert "The game is over" in opened.run("document.getElementById('status').textContent")


def test_slider_buttons_and_moves_can_be_clicked(opened: Page) -> None:
    record = game("asteria")
    opened.click("#slider", 0.5)
    slider, ply, shown = at(opened)
    assert slider == ply
    assert 0 < ply < record.plies
    assert shown == picture(opened, record, ply)
    for button, expected in (("#next", ply + 1), ("#back", ply), ("#last", record.plies), ("#first", 0)):
        opened.click(button)
        assert at(opened)[:2] == (expected, expected)
    opened.click("#moves li:nth-child(8) a")  # the first is the start
    assert at(opened) == (7, 7, picture(opened, record, 7))
    assert opened.run("document.querySelector('#moves [aria-current]').textContent").endswith(record.moves[6])
    opened.press("ArrowRight")  # from where the focus is now
    assert at(opened)[:2] == (8, 8)
    opened.click("#moves li:nth-child(8) a")
    assert at(opened)[:2] == (7, 7)


def test_choices_thoughts_and_result_are_shown(opened: Page) -> None:
    record = game("asteria")
    states = list(positions(record))
    opened.press("ArrowRight")
    moves = [states[1].describe(action) for action in states[1].legal_actions()]
    assert opened.run("[...document.querySelectorAll('#legal li')].map((item) => item.textContent)") == moves
    assert opened.run("document.querySelector('#legal [aria-current]').textContent") == record.moves[1]
    assert opened.run("document.getElementById('counted').textContent") == f"Legal moves: {len(moves)}"
    assert opened.run("document.querySelector('#thoughts li').textContent") == f"{moves[0]}75.0%"
    table = opened.run(
        "[...document.querySelectorAll('#result tr')].map((row) => [...row.cells].map((c) => c.textContent))"
    )
    assert table[1] == ["return", *(f"{value:g}" for value in record.returns)]
    facts = record.spec.final_info(states[-1].record)
    assert len(table) == 2 + len(facts)
    opened.press("End")
    assert opened.run("document.getElementById('legal').hidden && document.getElementById('thinking').hidden")


def test_games_and_views_can_be_chosen(opened: Page) -> None:
    record, other = game("asteria"), game("astralis", 1)
    ply = next(n for n, state in enumerate(positions(record)) if state.to_move == 1)
    for _ in range(ply):
        opened.press("ArrowRight")

    def choose(name: str, index: int) -> None:
        opened.run(f"$('{name}').selectedIndex = {index}; $('{name}').dispatchEvent(new Event('change'))")

    choose("views", 1)
    assert at(opened) == (ply, ply, picture(opened, record, ply, viewer=0))
    assert opened.run("counted.textContent") == "Legal moves: only player_1 knows"
    choose("views", 2)
    assert at(opened) == (ply, ply, picture(opened, record, ply, viewer=1))
    choose("games", 1)
    assert at(opened) == (0, 0, picture(opened, other, 0))
    assert opened.run("viewing.hidden")
    opened.press("End")
    assert at(opened)[2] == picture(opened, other, other.plies)
    opened.run("new Promise((done) => { window.addEventListener('hashchange', done); location.hash = '#1/4' })")
    assert at(opened) == (4, 4, picture(opened, record, 4))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_follows_the_readers_colours(opened: Page, scheme: str) -> None:
    opened.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    opened.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
    try:
        assert opened.run("document.documentElement.scrollWidth") == 360
        assert min(opened.run("[...document.querySelectorAll('button')].map((b) => b.offsetHeight)")) >= 44
        colours = opened.run("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
        paper, ink = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
        assert (paper > ink) == (scheme == "light")
        text = opened.run("getComputedStyle(document.querySelector('#picture text')).fill")
        assert (sum(map(int, re.findall(r"\d+", text)[:3])) < 384) == (scheme == "light")
    finally:
        opened.call("Emulation.clearDeviceMetricsOverride")
        opened.call("Emulation.setEmulatedMedia", features=[])


def test_all_can_be_reached_by_the_tab_key(opened: Page) -> None:
    reached = []
    for _ in range(14):
        opened.press("Tab")
        reached.append(opened.run("document.activeElement.id || document.activeElement.textContent"))
    assert reached[:9] == ["games", "views", "first", "back", "play", "next", "last", "slider", "moves"]
    assert reached[9] == "start"
    opened.press("Enter")
    assert at(opened)[1] == int(reached[13].split(".")[0])
