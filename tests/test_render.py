"""Pictures of positions: pixels, render modes, windows, notebooks, and what each seat sees of them."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import re
import subprocess
import sys
import types
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import gymnasium
import numpy as np
import pytest

import astralis_envs  # noqa: F401 - registers the game
import starboard
from asterion_envs import asterion_v0
from astralis_envs import astralis_v0
from starboard.aec import BoardGameEnv, wrapped
from starboard.batch import Batch
from starboard.render import AUTO, THEMES, Canvas, draw, overview, png, rgb
from starboard.render.canvas import size
from starboard.render.window import Window
from starboard.seat import SeatEnv
from starboard.state import GameState
from tests.test_conformance import OPTIONS

ID = "astralis_envs:astralis_envs/Astralis-v0"
SHORT = {"size": 3, "stall_limit": 2}
SVG = "{http://www.w3.org/2000/svg}svg"


def square(color="#ff0000", width=20, height=10):
    canvas = Canvas(width, height, "square", "a square", {})
    canvas.add("rect", width="100%", height="100%", fill=color)
    return canvas.svg()


def some_state(name="asterion", plies=8, **options):
    state = GameState(starboard.load(name, **options), seed=1)
    rng = np.random.default_rng(0)
    for _ in range(plies):
        state.step(rng.choice(state.legal_actions()))
    return state


# Pixels.


def test_pixels():
    frame = rgb(square())
    assert (frame.shape, frame.dtype) == ((10, 20, 3), np.uint8)
    assert (frame == [255, 0, 0]).all()
    assert rgb(square(), scale=2.5).shape == (25, 50, 3)
    assert png(square()).startswith(b"\x89PNG")
    frame[:] = 0  # the caller's own


def test_texts_are_drawn_whatever_fonts_the_machine_has():
    """In the fonts that come along: regular, bold, and fixed-width, and in no other."""

    def text(font):
        canvas = Canvas(60, 30, "text", "a text", {"text": f"font: {font}; fill: $ink"})
        canvas.add("rect", width="100%", height="100%", fill="white")
        canvas.add("text", "Ill.", x=5, y=20)
        return rgb(canvas.svg())

    fonts = ("16px DejaVu Sans", "bold 16px DejaVu Sans", "16px DejaVu Sans Mono", "bold 16px DejaVu Sans Mono")
    drawn = [text(font) for font in fonts]
    assert all((frame < 128).any() for frame in drawn)
    assert all((one != other).any() for one, other in pairwise(drawn))
    assert (text("16px sans-serif") == drawn[0]).all()
    assert (text("16px monospace") == drawn[2]).all()


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf")])
def test_a_scale_must_be_a_number_above_zero(scale):
    with pytest.raises(ValueError, match=r"scale=.*: must be a number above 0"):
        rgb(square(), scale)


@pytest.mark.parametrize("package", ["resvg_py", "PIL", "matplotlib"])
def test_a_missing_package_is_named_with_what_to_install(monkeypatch, package):
    from starboard.render import raster

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.Image", None)
    monkeypatch.setattr(raster, "find_spec", lambda name: None if name == package else importlib.util.find_spec(name))
    raster._fonts.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=rf"{package}.* is needed .*pip install 'starboard-envs\[render\]'"):
        rgb(square())


def test_drawing_svg_loads_none_of_them():
    code = """
import starboard, sys
from starboard.batch import Batch
from starboard.state import GameState
spec = starboard.load("astralis", size=3)
assert GameState(spec, 0).svg() and Batch(spec, 2)._repr_svg_()
print({"resvg_py", "PIL", "pygame", "matplotlib"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# SVG.


def test_a_picture_within_a_picture():
    canvas = Canvas(100, 100, "outer", "two squares", {})
    canvas.add("rect", width="100%", height="100%", fill="white")
    canvas.nest(square(), 10, 20, 40)
    canvas.nest(square("#0000ff", 10, 20), 60, 20, 5.5)
    assert size(canvas.svg()) == (100, 100)
    frame = rgb(canvas.svg())
    red, blue = (np.argwhere((frame == color).all(axis=2)) for color in ([255, 0, 0], [0, 0, 255]))
    assert (red.min(axis=0).tolist(), red.max(axis=0).tolist()) == ([20, 10], [39, 49])
    assert (blue.min(axis=0).tolist(), blue.max(axis=0).tolist()) == ([20, 60], [30, 64])


@pytest.mark.parametrize("svg", ["", "<p>", '<svg viewBox="0 0 1 1"/>', '<svg data-width="1" height="1" viewBox=""/>'])
def test_what_is_no_picture_has_no_size(svg):
    with pytest.raises(ValueError, match="svg: must begin with <svg and have width"):
        size(svg)


def test_impossible_viewers_and_themes():
    state = some_state(plies=0)
    for viewer in (-1, 2):
        with pytest.raises(ValueError, match=rf"viewer={viewer}: must be a seat, 0 \.\. 1, or None"):
            state.svg(viewer)
    with pytest.raises(ValueError, match="theme='blue': must be one of 'light', 'dark', 'auto'"):
        state.svg(theme="blue")


@pytest.mark.parametrize("name", starboard.names())
def test_every_theme_has_its_paper_and_auto_is_light_in_pixels(name):
    state = some_state(name, plies=6)
    frames = {theme: rgb(state.svg(theme=theme)) for theme in (*THEMES, AUTO)}
    corners = {theme: f"#{bytes(frame[0, 0]).hex()}" for theme, frame in frames.items()}
    assert corners == {**{theme: colors["paper"] for theme, colors in THEMES.items()}, AUTO: THEMES["light"]["paper"]}
    assert (frames[AUTO] == frames["light"]).all()
    assert frames["dark"].shape == frames["light"].shape


@pytest.mark.parametrize("name", starboard.names())
@pytest.mark.parametrize("theme", [*THEMES, AUTO])
def test_styles_of_one_picture_do_not_reach_another(name, theme):
    """Rules hold for a game and theme alone, and there they are the same: several pictures may stand on one page."""
    styles = set()
    for options in OPTIONS[name]:
        svg = some_state(name, plies=3, **options).svg(theme=theme)
        assert re.match(rf'<svg [^>]*class="{name}-{theme}"', svg)
        assert not re.search(r'\bid="|url\(|href=', svg)  # names hold for the whole page
        styles |= set(re.findall(r"<style>\n(.*?)\n</style>", svg, re.DOTALL))
    (style,) = styles
    rules = [line for line in style.splitlines() if not line.startswith(("@media", "}"))]
    assert len(rules) > 1
    assert all(line.startswith(f".{name}-{theme} ") for line in rules)


def test_a_text_as_a_picture_keeps_its_columns():
    spec = replace(starboard.load("astralis"), svg=None)
    state = some_state("astralis", plies=4)
    lines = state.text().splitlines()
    texts = [element.text for element in ET.fromstring(draw(spec, state.record)).iter(SVG.replace("}svg", "}text"))]
    assert texts == lines

    def left(svg):
        """The first dark column of the first line."""
        return (rgb(svg)[16:34] < 128).any(axis=(0, 2)).argmax()

    spaced = [left(draw(replace(spec, text=lambda record, viewer, n=n: " " * n + "x"), state.record)) for n in (0, 5)]
    assert spaced[1] - spaced[0] > 5 * 8


# Render modes.


def test_frames_of_a_whole_game_have_one_size_and_the_last_one_shows_the_end():
    env = astralis_v0.env(render_mode="rgb_array", **SHORT)
    env.reset(seed=0)
    frames = [env.render()]
    while not env.unwrapped.game.over:
        env.step(env.unwrapped.legal_actions()[0])
        frames.append(env.render())
    assert {(frame.shape, frame.dtype) for frame in frames} == {(frames[0].shape, np.dtype(np.uint8))}
    assert all((one != other).any() for one, other in pairwise(frames))
    assert (frames[-1] == rgb(env.unwrapped.game.svg())).all()
    assert len(np.unique(frames[-1].reshape(-1, 3), axis=0)) > 5  # no blank frame


def never(*args):
    raise AssertionError("something was drawn that nobody asked for")


def play(env, plies=10**6):
    """Play the first legal action of each agent."""
    for _ in range(plies):
        if not env.agents:
            return
        over = env.terminations[env.agent_selection]
        env.step(None if over else int(env.observe(env.agent_selection)["action_mask"].argmax()))


def play_seat(env):
    """An episode of first legal actions; yields after each."""
    _, info = env.reset(seed=0)
    yield
    over = False
    while not over:
        *_, over, _, info = env.step(int(info["action_mask"].argmax()))
        yield


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_steps_draw_nothing(grab, mode):
    spec = replace(grab(), text=never, svg=never)
    env, seat = BoardGameEnv(spec, render_mode=mode), SeatEnv(spec, render_mode=mode)
    env.reset(seed=0)
    play(env)
    for _ in play_seat(seat):
        pass
    if mode is not None:
        for one in (env, seat):
            with pytest.raises(AssertionError, match="nobody asked"):
                one.render()


def looks(spec, record, viewer):
    return spec.text(record, viewer), rgb(draw(spec, record, viewer)), draw(spec, record, viewer)


@pytest.mark.parametrize("viewer", ["mover", "all", "player_0", "player_2"])
def test_viewer_says_who_looks(grab, viewer):
    """In all modes and in notebooks; what a seat may not see makes a difference."""
    spec = grab()
    envs = {mode: wrapped(BoardGameEnv(spec, render_mode=mode, viewer=viewer)) for mode in ("ansi", "rgb_array")}
    for env in envs.values():
        env.reset(seed=4)
    game = envs["ansi"].unwrapped.game
    while True:
        seat = {"mover": None if game.over else game.to_move, "all": None, "player_0": 0, "player_2": 2}[viewer]
        text, frame, svg = looks(spec, game.record, seat)
        assert envs["ansi"].render() == text
        assert (envs["rgb_array"].render() == frame).all()
        assert all(env._repr_svg_() == svg for env in envs.values())
        if game.over:
            break
        assert len({spec.text(game.record, other) for other in (None, 0, 1, 2)}) > 1
        for env in envs.values():
            play(env, 1)


def test_the_learner_sees_its_own_side(grab):
    spec = grab()
    hidden = 0
    for seat in range(spec.num_players):
        envs = {mode: SeatEnv(spec, seat=seat, render_mode=mode) for mode in ("ansi", "rgb_array")}
        for _ in zip(*map(play_seat, envs.values()), strict=True):
            text, frame, svg = looks(spec, envs["ansi"].record, seat)
            assert envs["ansi"].render() == text
            assert (envs["rgb_array"].render() == frame).all()
            assert envs["ansi"]._repr_svg_() == svg
            hidden += text != spec.text(envs["ansi"].record, None)
    assert hidden


def test_seats_cannot_be_seen_before_they_are_there():
    for env in (SeatEnv("astralis", render_mode="ansi", size=3), gymnasium.make_vec(ID, 2, render_mode="ansi", size=3)):
        with pytest.raises(RuntimeError, match=r"reset\(\) must be called first"):
            env.render()
    assert SeatEnv("astralis", size=3)._repr_svg_() is None
    assert BoardGameEnv(starboard.load("astralis", size=3))._repr_svg_() is None
    with pytest.raises(RuntimeError, match=r"reset\(\) must be called first"):
        BoardGameEnv(starboard.load("astralis", size=3), render_mode="rgb_array").render()


def test_vector_environments_return_a_frame_for_each_game():
    for mode in ("ansi", "rgb_array"):
        envs = gymnasium.make_vec(ID, num_envs=2, render_mode=mode, size=3)
        _, infos = envs.reset(seed=0)
        envs.step(infos["action_mask"].argmax(axis=1))
        games, frames = envs.unwrapped.games, envs.render()
        assert (type(frames), len(frames)) == (tuple, 2)
        for record, seat, one in zip(games.records, games.seats.tolist(), frames, strict=True):
            text, frame, _ = looks(games.spec, record, seat)
            assert np.array_equal(one, text if mode == "ansi" else frame)
    assert gymnasium.make_vec(ID, num_envs=2, size=3).render() is None
    with pytest.raises(ValueError, match="render_mode='human': must be one of None, 'ansi', 'rgb_array'"):
        starboard.seat.SeatVectorEnv("astralis", render_mode="human")


# Videos.


@pytest.fixture
def films(monkeypatch):
    """What would have been written by moviepy: file -> (frames, frames a second)."""
    found = {}

    class ImageSequenceClip:
        def __init__(self, frames, fps):
            self.content = frames, fps

        def write_videofile(self, path, **options):
            found[path] = self.content

    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["moviepy.video.io.ImageSequenceClip"].ImageSequenceClip = ImageSequenceClip
    return found


def test_gymnasium_records_a_video(films, tmp_path):
    env = gymnasium.make(ID, render_mode="rgb_array", **SHORT)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "videos"))
    steps = len(list(play_seat(env)))
    env.close()
    ((frames, fps),) = films.values()
    assert (len(frames), fps) == (steps, 1)
    assert len({frame.shape for frame in frames}) == 1


def test_stable_baselines_records_a_video(films, tmp_path, grab):
    from stable_baselines3.common.vec_env import VecVideoRecorder

    from starboard.sb3 import SeatVecEnv

    envs = SeatVecEnv(grab(), num_envs=3, render_mode="rgb_array", seed=0)
    with pytest.raises(RuntimeError, match="reset"):
        envs.get_images()
    recorder = VecVideoRecorder(envs, str(tmp_path), lambda step: step == 0, video_length=2)
    recorder.reset()
    for _ in range(2):
        recorder.step(envs.action_masks().argmax(axis=1))
    ((frames, fps),) = films.values()
    assert (len(frames), fps) == (3, 1)
    height, width, _ = envs.get_images()[1].shape
    assert frames[-1].shape == (2 * height, 2 * width, 3)
    assert (frames[-1][:height, width:] == envs.get_images()[1]).all()
    assert envs.get_attr("render_mode") == ["rgb_array"] * 3
    with pytest.raises(ValueError, match="render_mode='human': must be one of None, 'rgb_array'"):
        SeatVecEnv("astralis", render_mode="human")


# Windows.


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody sees, on which a second takes no time."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(4000, 3000)])
    ticks = []
    monkeypatch.setattr(pygame.time, "Clock", lambda: types.SimpleNamespace(tick=ticks.append))
    return types.SimpleNamespace(pygame=pygame, ticks=ticks)


def on_screen(screen, window):
    """What stands in ``window``, as uint8 (height, width, 3)."""
    surface = window._window.get_surface()
    return np.frombuffer(screen.pygame.image.tobytes(surface, "RGB"), np.uint8).reshape(*surface.get_size()[::-1], 3)


def test_a_window_shows_each_reset_and_step(screen):
    env = astralis_v0.env(render_mode="human", **SHORT)
    window = env.unwrapped._renderer._window
    env.reset(seed=0)
    for count in (1, 2, 3):
        assert (on_screen(screen, window) == rgb(env.unwrapped.game.svg())).all()
        assert env.render() is None  # the same again: nothing to wait for
        assert screen.ticks == [1] * count
        play(env, 1)
    env.unwrapped.metadata["render_fps"] = 20
    play(env)
    assert set(screen.ticks[4:]) == {20}
    assert (on_screen(screen, window) == rgb(env.unwrapped.game.svg())).all()
    env.close()
    assert window._window is None
    env.close()
    env.reset(seed=0)
    assert (on_screen(screen, window) == rgb(env.unwrapped.game.svg())).all()
    env.close()


def test_a_window_shows_each_turn_of_the_learner(screen):
    env = gymnasium.make(ID, render_mode="human", **SHORT)
    for steps, _ in enumerate(play_seat(env)):
        svg = env.unwrapped._repr_svg_()
        assert (on_screen(screen, env.unwrapped._renderer._window) == rgb(svg)).all()
        assert len(screen.ticks) == steps + 1
    env.close()
    assert env.unwrapped._renderer._window._window is None


def test_windows_are_as_large_as_their_picture_or_the_screen(screen, monkeypatch):
    window, other = Window("one"), Window("another")
    window.show(square(), 1)
    other.show(square("#00ff00", 50, 50), 1)
    assert on_screen(screen, window).shape == (10, 20, 3)
    window.show(square("#0000ff", 30, 40), 1)
    assert (on_screen(screen, window) == np.full((40, 30, 3), [0, 0, 255])).all()
    assert (on_screen(screen, other) == np.full((50, 50, 3), [0, 255, 0])).all()
    monkeypatch.setattr(screen.pygame.display, "get_desktop_sizes", lambda: [(100, 100)])
    window.show(square(width=200, height=100), 1)
    assert on_screen(screen, window).shape == (45, 90, 3)
    for one in (window, other):
        one.close()


def test_copies_have_no_window_yet(screen, grab):
    env = wrapped(BoardGameEnv(grab(), render_mode="human"))
    env.reset(seed=0)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.unwrapped.clone()):
        window = twin.unwrapped._renderer._window
        assert window._window is None
        play(twin, 1)
        assert window._window is not None
        twin.close()
    assert env.unwrapped._renderer._window._window is not None
    env.close()


MAKERS = {
    "raw_env": lambda: astralis_v0.raw_env(size=3, render_mode="human"),
    "gymnasium": lambda: gymnasium.make(ID, size=3, render_mode="human"),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_without_a_display_no_environment_is_made(screen, monkeypatch, make):
    display = screen.pygame.display
    message = r"render_mode='human': there is no display to open a window on \(.*\); use 'rgb_array' or 'ansi'"
    monkeypatch.setattr(display, "get_driver", lambda: "offscreen")
    with pytest.raises(RuntimeError, match=message):
        make()

    def fail():
        raise screen.pygame.error("no such thing")

    monkeypatch.setattr(display, "init", fail)
    with pytest.raises(RuntimeError, match=message):
        make()


@pytest.mark.parametrize("package", ["pygame", "resvg_py", "PIL"])
def test_without_a_package_no_window_is_made(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.Image", None)
    with pytest.raises(ModuleNotFoundError, match=rf"{package}.* is needed .*pip install 'starboard-envs\[render\]'"):
        astralis_v0.env(size=3, render_mode="human")


def test_the_other_pygame_is_told_apart(screen, monkeypatch):
    monkeypatch.delattr(screen.pygame, "Window")
    with pytest.raises(ModuleNotFoundError, match="pygame is installed where pygame-ce is needed"):
        astralis_v0.env(size=3, render_mode="human")


# Notebooks.


def shown(thing):
    """What a notebook shows of ``thing``: MIME type -> content."""
    from IPython.core.formatters import DisplayFormatter

    return DisplayFormatter().format(thing)[0]


def test_a_state_shows_what_the_mover_may_see_and_all_after_the_end():
    state = some_state(discard="random")
    while not state.over:
        assert shown(state)["image/svg+xml"] == state.svg(state.to_move) != state.svg()
        state.step(state.legal_actions()[0])
    assert shown(state)["image/svg+xml"] == state.svg()


@pytest.mark.parametrize("maker", [asterion_v0.env, asterion_v0.raw_env])
def test_an_environment_shows_itself(maker):
    env = maker(viewer="player_1")
    assert "image/svg+xml" not in shown(env)
    env.reset(seed=0)
    assert shown(env)["image/svg+xml"] == env.unwrapped.game.svg(1)
    assert str(env) == "asterion_v0"
    assert str(copy.deepcopy(env)) == "asterion_v0"


def test_a_learners_seat_shows_itself():
    env = SeatEnv("asterion", seat=1)
    assert "image/svg+xml" not in shown(env)
    env.reset(seed=0)
    assert shown(env)["image/svg+xml"] == draw(env.game_spec, env.record, 1)


@pytest.mark.parametrize(("games", "many", "more"), [(1, 1, None), (5, 5, None), (12, 12, None), (1500, 12, "1,488")])
def test_a_batch_shows_its_first_games(games, many, more):
    spec = starboard.load("asterion", discard="random")
    batch = Batch(spec, games, seed=0)
    before = batch.to_bytes()
    svg = shown(batch)["image/svg+xml"]
    assert batch.to_bytes() == before
    root = ET.fromstring(svg)
    within = root.findall(SVG)
    assert len(within) == many
    for record, picture in zip(batch.records, within, strict=False):
        alone = ET.fromstring(draw(spec, record, int(record["to_move"])))
        assert [ET.tostring(part) for part in picture] == [ET.tostring(part) for part in alone]
    places = {(float(picture.get("x")), float(picture.get("y"))) for picture in within}
    assert len(places) == many
    assert all(float(p.get("x")) + float(p.get("width")) < float(root.get("width")) for p in within)
    assert all(float(p.get("y")) + float(p.get("height")) < float(root.get("height")) for p in within)
    assert re.findall("and (.*) more", svg) == ([more] if more else [])


def test_an_overview_looks_like_its_parts():
    """Styles of the pictures within come through."""
    spec = starboard.load("astralis", size=3)
    batch = Batch(spec, 2, seed=0)
    colors = {tuple(bytes.fromhex(THEMES["dark"][role][1:])) for role in ("paper", "board", "seat0", "seat1")}
    for svg in (draw(spec, batch.records[0], 0, "dark"), overview(spec, batch.records, "dark")):
        assert colors <= {tuple(color) for color in rgb(svg).reshape(-1, 3).tolist()}
