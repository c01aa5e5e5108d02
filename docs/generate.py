"""Writes the pages that are made from the code.

    python docs/generate.py

``astralis.md`` is the docstring of the environment's module; a line there such as ``[table of planes]`` stands for a
table. ``training.md`` is written by hand, but for the table between its two comments. The tests check that the pages in
this folder are what this program makes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from astralis_envs import GAME, astralis_v0, state
from starboard.aec import RENDER_MODES

DOCS = Path(__file__).resolve().parent
RULES = DOCS.parent / "astralis_envs" / "RULES.md"
SELFPLAY = DOCS.parent / "starboard" / "training" / "selfplay.py"

NOTICE = "<!-- Made by docs/generate.py from the docstring of {}: edit that, then run `python docs/generate.py`. -->"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    lines = [list(head), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def facts() -> str:
    """What one wants to know first, for the default options."""
    env = astralis_v0.raw_env()
    spec = env.spec
    agent = spec.agents[0]
    planes, mask = (env.observation_space(agent)[key] for key in ("observation", "action_mask"))  # type: ignore[index]
    return table(
        ["", "with the default options"],
        [
            ("Import", "`from astralis_envs import astralis_v0`"),
            (
                "Agents",
                ", ".join(f"`{name}`" for name in spec.agents) + " (the first and the second player of the rules)",
            ),
            ("Actions", f"`{env.action_space(agent)}`"),
            (
                "Observation",
                f"`Box`, {planes.dtype}, shape {planes.shape}, values {planes.low.min()} to {planes.high.max()}",
            ),
            ("Action mask", f"`Box`, {mask.dtype}, shape {mask.shape}, values {mask.low.min()} to {mask.high.max()}"),
            ("State", f"`Box`, {env.state_space.dtype}, shape {env.state_space.shape}"),
            ("Rewards", "0 until the end, then +1 and -1, or 0 for both"),
            ("Longest game", f"{spec.max_plies} actions"),
            ("Chance, hidden information", 'none (only `setup="random"` draws where the ships start)'),
            ("Parallel API", "yes" if env.metadata["is_parallelizable"] else "no, the players take turns"),
            ("Render modes", ", ".join(f'`"{mode}"`' for mode in RENDER_MODES)),
        ],
    )


def options() -> str:
    """The options with their defaults and what is allowed."""
    rows = [(f"`{option.name}`", f"`{option.default!r}`", option.allowed, option.help) for option in GAME.options]
    return table(["option", "default", "allowed", "meaning"], rows)


def sizes() -> str:
    """What depends on the size of the board."""
    specs = [GAME.spec(size=size) for size in range(state.MIN_SIZE, state.MAX_SIZE + 1)]
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


def planes() -> str:
    """The planes of an observation."""
    high = GAME.spec().observation_high
    rows = [
        (i, name, "see below" if name == "counters" else f"0 to {high[i].max()}") for i, name in enumerate(state.PLANES)
    ]
    return table(["plane", "shows", "values"], rows)


def counters() -> str:
    """The entries of the plane "counters"."""
    row = GAME.spec().observation_high[state.PLANES.index("counters")]
    rows = [(i, meaning, f"0 to {row[i]}") for i, meaning in enumerate(state.COUNTERS)]
    return table(["entry", "counter", "values with the default options"], rows)


def rulings() -> str:
    """The section of that name in RULES.md."""
    found = re.search(r"^## Rulings\n+(.*?)\n+(?=^## )", RULES.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, "RULES.md has no section Rulings"
    return found[1]


def settings() -> str:
    """The settings of training, with their defaults. Read as text: importing the module would need torch."""
    (found,) = (
        node
        for node in ast.parse(SELFPLAY.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == "Settings"
    )
    rows = []
    for field, meaning in zip(found.body, found.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(meaning, ast.Expr):
            assert field.value is not None
            name, default, text = (ast.unparse(node) for node in (field.target, field.value, meaning.value))
            rows.append((f"`{name}`", f"`{default}`", " ".join(ast.literal_eval(text).split())))
    return table(["setting", "default", "meaning"], rows)


PARTS: dict[str, Callable[[], str]] = {
    "table of facts": facts,
    "table of options": options,
    "table of sizes": sizes,
    "table of planes": planes,
    "table of counters": counters,
    "section Rulings of RULES.md": rulings,
}


def page() -> str:
    """The page of Astralis, in Markdown."""
    summary, body = (astralis_v0.__doc__ or "").split("\n", 1)
    blocks = []
    for block in f"{summary}\n{body}".strip().split("\n\n"):
        if block.startswith(">>> "):
            block = f"```pycon\n{block}\n```"
        elif block.startswith("[") and block.endswith("]"):
            block = PARTS[block[1:-1]]()
        else:
            block = block.replace("``", "`").replace("(RULES.md)", f"(../{RULES.parent.name}/{RULES.name})")
        blocks.append(block)
    return "\n\n".join([NOTICE.format(astralis_v0.__name__), "# Astralis", *blocks]) + "\n"


def training_page() -> str:
    """``training.md`` with its table made anew."""
    text = (DOCS / "training.md").read_text(encoding="utf-8")
    before, rest = text.split("<!-- table of settings -->")
    _, after = rest.split("<!-- end of table -->")
    return f"{before}<!-- table of settings -->\n\n{settings()}\n\n<!-- end of table -->{after}"


PAGES: dict[str, Callable[[], str]] = {"astralis.md": page, "training.md": training_page}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
