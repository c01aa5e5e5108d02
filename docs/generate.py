"""Writes the pages that are made from the code.

    python docs/generate.py            # pages and pictures, in seconds
    python docs/generate.py --gifs     # the animations and a plot, too; needs the extra `render`
    python docs/generate.py --games    # the games that they show, played anew, and all of the above

``astralis.md``, ``asterion.md`` and ``asteria.md`` are the docstrings of the environments' modules; a line there such
as ``[table of planes]`` stands for a table. ``training.md``, ``search.md`` and ``benchmark.md`` are written by hand,
but for the tables between two comments; ``peers.json``, which those of ``benchmark.md`` and its plot show, is what
`benchmarks/peers/run.py --json` wrote. ``clauses.md`` says which tests prove which clause of the rules.
``asteria-cards.svg`` and ``asterion-cards.svg`` show the reference cards. ``games/`` has a recorded game of each,
``pictures/`` a position of it and the whole game as an animation. The tests check that the pages in this folder are
what this program makes, and that the animations show these games. The games themselves are kept: search that has
changed would play others. ``ladders/`` has what `starboard arena` wrote (``arena.json``), from which the tables of
players are made: 200 games a pairing, and a short arena for the speeds.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import runpy
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby, islice
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import asteria_envs
import asterion_envs
import astralis_envs
from asteria_envs import asteria_v0
from asteria_envs import cards as asteria_cards
from asteria_envs import notation as asteria_notation
from asteria_envs import state as asteria_state
from asteria_envs.sheet import sheet as asteria_sheet
from asterion_envs import asterion_v0
from asterion_envs import cards as asterion_cards
from asterion_envs import game as asterion_game
from asterion_envs import state as asterion_state
from asterion_envs.sheet import sheet as asterion_sheet
from astralis_envs import astralis_v0
from astralis_envs import state as astralis_state
from starboard import replay
from starboard.bots import MctsBot
from starboard.files import write_whole
from starboard.records import GameRecord, positions, read, start_seed, to_line
from starboard.render import draw
from starboard.render.modes import RENDER_MODES
from starboard.spec import Game
from starboard.state import FRESH, GameState

DOCS = Path(__file__).resolve().parent
CLAUSES = DOCS.parent / "tests" / "clauses.py"
SIMULATIONS = 400
"""How far the players of the recorded games look, for each decision."""
SCALE = 0.65
"""Pixels of an animation for each unit of a drawing."""
SELFPLAY = DOCS.parent / "starboard" / "training" / "selfplay.py"
SPEC = DOCS.parent / "starboard" / "spec.py"

NOTICE = "<!-- Made by docs/generate.py from the docstring of {}: edit that, then run `python docs/generate.py`. -->"


class Shown(NamedTuple):
    """The game that a page shows: tree search against itself."""

    seed: int
    ply: int
    """So many actions lead to the position in the pictures."""
    options: Mapping[str, Any] = {}


class GamePage(NamedTuple):
    """What the page of a game is made from."""

    module: ModuleType
    """Its docstring is the page."""
    game: Game
    facts: Mapping[str, str]
    """Rows of the table of facts that the code does not tell, or tells less well."""
    parts: Mapping[str, Callable[[], str]]
    """The tables that no other game has."""
    shown: Shown

    @property
    def record(self) -> GameRecord:
        """The game that is shown, as it was played once."""
        (record,) = read(DOCS / self.file)
        return record

    @property
    def file(self) -> str:
        """Where it is written down."""
        return f"games/{self.game.name}.jsonl"

    @property
    def rules(self) -> Path:
        """The game's RULES.md."""
        return DOCS.parent / self.module.__name__.split(".")[0] / "RULES.md"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    lines = [list(head), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def facts(page: GamePage) -> str:
    """What one wants to know first, for the default options."""
    env = page.module.raw_env()
    spec = env.spec
    agent = spec.agents[0]
    planes, mask = (env.observation_space(agent)[key] for key in ("observation", "action_mask"))
    package, name = page.module.__name__.split(".")
    rows = {
        "Import": f"`from {package} import {name}`",
        "Agents": ", ".join(f"`{name}`" for name in spec.agents),
        "Actions": f"`{env.action_space(agent)}`",
        "Observation": f"`Box`, {planes.dtype}, shape {planes.shape}, values {planes.low.min()} to {planes.high.max()}",
        "Action mask": f"`Box`, {mask.dtype}, shape {mask.shape}, values {mask.low.min()} to {mask.high.max()}",
        "State": f"`Box`, {env.state_space.dtype}, shape {env.state_space.shape}",
        "Rewards": "0 until the end, then +1 and -1, or 0 for both",
        "Longest game": f"{spec.max_plies} actions",
        "Chance, hidden information": "none",
        "Parallel API": "yes" if env.metadata["is_parallelizable"] else "no, the players take turns",
        "Render modes": ", ".join(f'`"{mode}"`' for mode in RENDER_MODES),
    }
    rows["Agents"] += f" ({page.facts['Agents']})"
    rows |= {name: text for name, text in page.facts.items() if name != "Agents"}
    return table(["", "with the default options"], rows.items())


def options(page: GamePage) -> str:
    """The options with their defaults and what is allowed."""
    rows = [(f"`{option.name}`", f"`{option.default!r}`", option.allowed, option.help) for option in page.game.options]
    return table(["option", "default", "allowed", "meaning"], rows)


def rulings(page: GamePage) -> str:
    """The section of that name in RULES.md."""
    text = page.rules.read_text(encoding="utf-8")
    found = re.search(r"^## Rulings\n+(.*?)\n+(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{page.rules} has no section Rulings"
    return found[1].replace("(../docs/", "(")


def numbers(first: int, count: int) -> str:
    """``count`` numbers in a row, in words."""
    return f"{first} to {first + count - 1}" if count > 1 else str(first)


def sizes_of_astralis() -> str:
    """What depends on the size of the board."""
    sizes = range(astralis_state.MIN_SIZE, astralis_state.MAX_SIZE + 1)
    specs = [astralis_envs.GAME.spec(size=size) for size in sizes]
    return table(
        ["`size`", "hexes", "actions", "observation", "longest game"],
        [
            (
                spec.options["size"],
                spec.observation_shape[1],
                spec.num_actions,
                spec.observation_shape,
                f"{spec.max_plies} actions",
            )
            for spec in specs
        ],
    )


def planes_of_astralis() -> str:
    """The planes of an observation."""
    high = astralis_envs.GAME.spec().observation_high
    rows = [
        (i, name, "see below" if name == "counters" else f"0 to {high[i].max()}")
        for i, name in enumerate(astralis_state.PLANES)
    ]
    return table(["plane", "shows", "values"], rows)


def counters_of_astralis() -> str:
    """The entries of the plane "counters"."""
    row = astralis_envs.GAME.spec().observation_high[astralis_state.PLANES.index("counters")]
    rows = [(i, meaning, f"0 to {row[i]}") for i, meaning in enumerate(astralis_state.COUNTERS)]
    return table(["entry", "counter", "values with the default options"], rows)


def boards_of_asterion() -> str:
    """What depends on the mode and on how many play."""
    rows = []
    for mode in asterion_state.MODES:
        for players in asterion_state.CRETE:
            spec = asterion_envs.GAME.spec(mode=mode, players=players)
            shape = spec.observation_shape
            rows.append((f'`"{mode}"`', players, shape[1], spec.num_actions, shape, f"{spec.max_plies} actions"))
    return table(["`mode`", "`players`", "spaces", "actions", "observation", "a game"], rows)


def planes_of_asterion() -> str:
    """The planes of an observation, for two players."""
    high = asterion_envs.GAME.spec().observation_high
    names = [*asterion_state.SHARED, "card of the observer", "card of the next seat"]
    rows = [(i, name, f"0 to {high[i].max()}") for i, name in enumerate(names)]
    rows.append((numbers(len(names), len(high) - len(names)), "counters", "see below"))
    return table(["plane", "shows", "values with the default options"], rows)


def counters_of_asterion() -> str:
    """The counters for two players; those that say the same of each card are one row."""
    high = asterion_envs.GAME.spec().observation_high[asterion_state.OWNERS + 2 :].reshape(-1)
    rows, first = [], 0
    for meaning, group in groupby(re.sub(r"^card \d+", "card i", name) for name in asterion_game.counters(2)):
        count = len(list(group))
        rows.append((numbers(first, count), meaning, f"0 to {high[first]}"))
        first += count
    return table(["entry", "counter", "values with the default options"], rows)


def blocks_of_asteria() -> str:
    """The blocks of the actions, with the reference deck."""
    deck = asteria_cards.load("reference")
    rows, first = [], 0
    for word, meaning, choices in asteria_notation.BLOCKS:
        count = prod(map(len, choices(deck)))
        rows.append((first, count, f"`{word}`", meaning))
        first += count
    return table(["first action", "actions", "word", "what it does, and what it takes"], rows)


def rows_of_asteria(name: str) -> str:
    """The part of an observation that `state` lists as ``name``, with the reference deck."""
    deck = asteria_cards.load("reference")
    sizes = {
        "CARD_ROWS": len(deck.actions),
        "PLANET_ROWS": len(deck.planets),
        "SLOT_ROWS": asteria_state.SLOTS,
        "COUNTERS": 1,
    }
    first = 0
    for part, size in sizes.items():
        rows = []
        for meaning, most in getattr(asteria_state, part):
            rows.append((first, meaning, f"0 to {most}"))
            first += size
        if part == name:
            break
    return table(["entry" if name == "COUNTERS" else "first entry", "shows", "values"], rows)


def effects_of_asteria() -> str:
    """What effects do, by number."""
    rows = []
    for number, (what, (low, high)) in enumerate(asteria_cards.AMOUNTS.items(), 1):
        who = "its owner" if what in asteria_cards.OWN else "either player"
        rows.append((number, f"`{what}`", low if low == high else f"{low} to {high}", who))
    return table(["number", "what", "how much", "whom it may touch"], rows)


def fields(module: Path, name: str) -> list[tuple[str, str, str]]:
    """Name, default and meaning of each field of a dataclass. Read as text: importing a module may need torch."""
    (found,) = (
        node
        for node in ast.parse(module.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    rows = []
    for field, meaning in zip(found.body, found.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(meaning, ast.Expr):
            assert field.value is not None
            target, default, text = (ast.unparse(node) for node in (field.target, field.value, meaning.value))
            rows.append((target, default, " ".join(ast.literal_eval(text).split()).replace("``", "`")))
    return rows


def settings() -> str:
    """The settings of training, with their defaults."""
    rows = [(f"`{name}`", f"`{default}`", text) for name, default, text in fields(SELFPLAY, "Settings")]
    return table(["setting", "default", "meaning"], rows)


def constants() -> str:
    """The constants of the tree search, and what they are in each game."""
    specs = {page.game.name: page.game.spec() for page in GAMES}
    rows = []
    for name, default, text in fields(SPEC, "Search"):
        values = [getattr(spec.search, name) for spec in specs.values()]
        if name == "scale":
            halves = [spec.heuristic_scale / 2 for spec in specs.values()]
            values = [half if value is None else value for value, half in zip(values, halves, strict=True)]
        rows.append((f"`{name}`", f"`{default}`", *values, text))
    return table(["constant", "default", *(name.capitalize() for name in specs), "meaning"], rows)


GAMES = (
    GamePage(
        astralis_v0,
        astralis_envs.GAME,
        {
            "Agents": "the first and the second player of the rules",
            "Chance, hidden information": 'none (only `setup="random"` draws where the ships start)',
        },
        {
            "table of sizes": sizes_of_astralis,
            "table of planes": planes_of_astralis,
            "table of counters": counters_of_astralis,
        },
        Shown(seed=0, ply=26),
    ),
    GamePage(
        asterion_v0,
        asterion_envs.GAME,
        {
            "Agents": "up to four with `players`",
            "Rewards": "0 until the end, then between -1 and 1, in sum 0",
            "Longest game": f"{asterion_envs.GAME.spec().max_plies} actions, as each",
            "Chance, hidden information": "cards are drawn; hands, decks and removed cards are hidden",
        },
        {
            "table of boards": boards_of_asterion,
            "table of planes": planes_of_asterion,
            "table of counters": counters_of_asterion,
        },
        Shown(seed=4, ply=44, options={"players": 4}),
    ),
    GamePage(
        asteria_v0,
        asteria_envs.GAME,
        {
            "Agents": "seats 0 and 1; chance says who begins",
            "Longest game": "200 turns of several actions each",
            "Chance, hidden information": "cards are drawn, planets turned; hands and decks are hidden",
        },
        {
            "table of blocks": blocks_of_asteria,
            "table of card rows": partial(rows_of_asteria, "CARD_ROWS"),
            "table of planet rows": partial(rows_of_asteria, "PLANET_ROWS"),
            "table of slot rows": partial(rows_of_asteria, "SLOT_ROWS"),
            "table of counters": partial(rows_of_asteria, "COUNTERS"),
            "table of effects": effects_of_asteria,
        },
        Shown(seed=11, ply=25),
    ),
)


def players(page: GamePage) -> str:
    """How strong players are, as `starboard arena` found; how fast, a short arena of its own."""

    def arena(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((DOCS / "ladders" / name).read_text(encoding="utf-8"))["players"]
        return found

    fast = {
        player["identity"]: player["decisions"] / player["seconds"] for player in arena(f"{page.game.name}-speed.json")
    }
    rows = [
        (
            f"`{player['player']}`",
            f"{player['rating']:.0f}",
            "{:.0f} .. {:.0f}".format(*player["interval"]),
            f"{player['score']:.1%}",
            f"{fast[player['identity']]:,.0f}",
        )
        for player in arena(f"{page.game.name}.json")
    ]
    return table(("player", "rating", "95% interval", "score against all", "plies a second of thinking"), rows)


def game_page(page: GamePage) -> str:
    """The page of a game, in Markdown."""
    parts = {
        "table of facts": partial(facts, page),
        "table of options": partial(options, page),
        "table of players": partial(players, page),
        "section Rulings of RULES.md": partial(rulings, page),
        **page.parts,
    }
    summary, body = (page.module.__doc__ or "").split("\n", 1)
    blocks = []
    for block in f"{summary}\n{body}".strip().split("\n\n"):
        if block.startswith(">>> "):
            block = f"```pycon\n{block}\n```"
        elif block.startswith("[") and block.endswith("]"):
            block = parts[block[1:-1]]()
        else:
            block = block.replace("``", "`").replace("(../docs/", "(")
            block = block.replace("(RULES.md)", f"(../{page.rules.parent.name}/{page.rules.name})")
        blocks.append(block)
    title = page.game.name.capitalize()
    film = f"![A game of {title}, position by position](pictures/{page.game.name}.gif)"
    words = (
        f"`{page.record.names[0]}` against itself; `starboard replay docs/{page.file}` makes a page to step through it."
    )
    blocks[1:1] = [film, words]
    return "\n\n".join([NOTICE.format(page.module.__name__), f"# {title}", *blocks]) + "\n"


def play(page: GamePage) -> bytes:
    """The game that is shown, played anew: the line of its file."""
    seed = page.shown.seed
    game = GameState(page.game.spec(**page.shown.options), seed)
    player = MctsBot(game.spec, SIMULATIONS, seed)
    actions = []
    while not game.over:
        actions.append(int(player.act(game.records, FRESH)[0]))
        game.step(actions[-1])
    return to_line(GameRecord.of(game.spec, start_seed(seed), actions, [f"mcts:{SIMULATIONS}"] * game.spec.num_players))


def picture(page: GamePage, theme: str) -> str:
    """A position of the game that is shown, as SVG."""
    state = next(islice(positions(page.record), page.shown.ply, None))
    return draw(state.spec, state.record, theme=theme)


def filled(name: str, what: str, make: Callable[[], str]) -> str:
    """A page that is written by hand, but for what stands between its comments "``what``" and "end of ``what``"."""
    text = (DOCS / name).read_text(encoding="utf-8")
    start, end = f"<!-- {what} -->", f"<!-- end of {what} -->"
    before, rest = text.split(start)
    _, after = rest.split(end)
    return f"{before}{start}\n\n{make()}\n\n{end}{after}"


def peers() -> tuple[dict[str, Any], dict[str, Any]]:
    """What `benchmarks/peers/run.py` found, and functions that show it. Run as a file: it is no installed package."""
    facts: dict[str, Any] = json.loads((DOCS / "peers.json").read_text(encoding="utf-8"))
    return facts, runpy.run_path(str(DOCS.parent / "benchmarks" / "peers" / "tables.py"))


def tables_of_peers() -> str:
    """How fast other libraries are, beside this one."""
    facts, shown = peers()
    text: str = shown["markdown"](facts)
    return text


def clauses_page() -> str:
    """Which tests prove which clause. Run as a file: the tests are no installed package."""
    text: str = runpy.run_path(str(CLAUSES))["page"]()
    return text


PAGES: dict[str, Callable[[], str]] = {
    **{f"{page.game.name}.md": partial(game_page, page) for page in GAMES},
    "training.md": partial(filled, "training.md", "table of settings", settings),
    "search.md": partial(filled, "search.md", "table of constants", constants),
    "benchmark.md": partial(filled, "benchmark.md", "tables of peers", tables_of_peers),
    "clauses.md": clauses_page,
    "asteria-cards.svg": lambda: asteria_sheet(asteria_cards.load("reference")),
    "asterion-cards.svg": lambda: asterion_sheet(asterion_cards.load("reference")),
    **{
        f"pictures/{page.game.name}-{theme}.svg": partial(picture, page, theme)
        for page in GAMES
        for theme in ("light", "dark")
    },
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the pages that are made from the code.")
    parser.add_argument("--gifs", action="store_true", help="the animations and a plot, too; needs the extra render")
    parser.add_argument("--games", action="store_true", help="the games that they show, played anew, and all else")
    args = parser.parse_args()
    for page in GAMES:
        if args.games:
            write_whole(DOCS / page.file, play(page))
        if args.games or args.gifs:
            write_whole(DOCS / "pictures" / f"{page.game.name}.gif", replay.gif(page.record, scale=SCALE))
    if args.games or args.gifs:
        found, showing = peers()
        showing["draw"](found, str(DOCS / "pictures" / "peers.svg"))
    for name, make in PAGES.items():
        write_whole(DOCS / name, make().encode())
