"""``python -m starboard.testing FILE``: record a playthrough, see :mod:`starboard.testing.playthrough`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from starboard import registry
from starboard.testing.playthrough import again, record_playthrough


def _option(text: str) -> tuple[str, Any]:
    """``"size=5"`` as a name and a value: JSON where it reads as such (5, 3.5, true), else a string."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m starboard.testing",
        description="Record a random game as a readable text that tests compare with. Without --game, an existing file "
        "is recorded anew: same game, options and seed.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", choices=registry.names())
    parser.add_argument("--option", type=_option, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=10, help="plies from one picture to the next (default 10)")
    args = parser.parse_args(argv)
    if args.game is None:
        if not args.file.is_file():
            parser.error(f"{args.file} does not exist: say which --game to record")
        text = again(args.file.read_text(encoding="utf-8"))
    else:
        text = record_playthrough(registry.load(args.game, **dict(args.option)), args.seed, args.every)
    args.file.write_text(text, encoding="utf-8")
    print(f"{args.file}: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
