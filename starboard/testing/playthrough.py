"""A recorded game that people can read, kept beside the tests: whoever changes the rules by accident sees where.

The file's first line says which game, with which options, seed and ``every``; then come the moves in notation with the
number of legal actions each had, a picture every so many plies, what each seat observes there (as a checksum), and the
result. Record one, or record an existing file anew after the rules were changed on purpose, with ::

    python -m starboard.testing tests/mygame/playthrough.txt --game mygame --option size=5 --seed 1 --every 10
    python -m starboard.testing tests/mygame/playthrough.txt

and read the difference before you commit it.
"""

from __future__ import annotations

import difflib
import json
import random
import zlib
from pathlib import Path

from starboard import registry
from starboard.spec import GameSpec
from starboard.state import GameState


def record_playthrough(spec: GameSpec, seed: int = 0, every: int = 10) -> str:
    """A random game of ``spec`` as text. The same arguments give the same text as long as the rules do not change."""
    state = GameState(spec, seed)
    draw = random.Random(seed)
    head = {"game": spec.name, "options": dict(spec.options), "seed": seed, "every": every}
    lines = [json.dumps(head), f"{spec.id}: {spec.num_players} players, {spec.num_actions} actions", ""]
    lines += _shown(state)
    ply = 0
    while not state.over:
        legal = state.legal_actions()
        action = draw.choice(legal)
        name = state.describe(action)
        line = f"{ply + 1}. player_{state.to_move}: {name} (action {action}, one of {len(legal)})"
        state.step(action)
        ply += 1
        lines.append(line)
        if ply % every == 0 or state.over:
            lines += _shown(state)
    returns = ", ".join(f"player_{seat} {value:+g}" for seat, value in enumerate(state.returns()))
    lines.append(f"over after {ply} plies, {'terminated' if state.terminated else 'truncated'}: {returns}")
    for name, values in spec.final_info(state.record).items():
        lines.append(f"{name}: {', '.join(f'{value:g}' for value in values)}")
    return "\n".join(lines) + "\n"


def _shown(state: GameState) -> list[str]:
    seats = range(state.spec.num_players)
    sums = " ".join(f"{zlib.crc32(state.observation(seat).tobytes()):08x}" for seat in seats)
    return ["", str(state), f"observations {sums}, mask {zlib.crc32(state.mask.tobytes()):08x}", ""]


def check_playthrough(file: str | Path) -> None:
    """Play the game recorded in ``file`` again and compare.

    :raises AssertionError: if there is no such file, or with the lines that differ and how to record it anew.
    """
    path = Path(file)
    if not path.is_file():
        raise AssertionError(
            f"{path}: there is no such playthrough; record one with\n"
            f"python -m starboard.testing {path} --game NAME --option NAME=VALUE --seed 0"
        )
    recorded = path.read_text(encoding="utf-8")
    played = again(recorded)
    if played != recorded:
        lines = difflib.unified_diff(
            recorded.splitlines(), played.splitlines(), "recorded", "played now", lineterm="", n=2
        )
        text = "\n".join(list(lines)[:60])
        raise AssertionError(
            f"{path}: the game no longer plays as recorded\n{text}\n"
            f"If that is meant, record it anew with: python -m starboard.testing {path}"
        )


def again(recorded: str) -> str:
    """The game that a playthrough's first line names, recorded now."""
    head = json.loads(recorded.partition("\n")[0])
    return record_playthrough(registry.load(head["game"], **head["options"]), head["seed"], head["every"])
