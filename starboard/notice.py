"""Lines on standard error about what takes long or goes wrong unseen; ``STARBOARD_QUIET=1`` silences them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

NOT_SAVED = "compiled code is not kept, later processes compile it anew"

_explained: set[str] = set()


def say(text: str, why: str) -> None:
    """A line for ``text``, with the reason ``why`` the first time that it is one."""
    if os.environ.get("STARBOARD_QUIET", "") not in ("", "0"):
        return
    if why not in _explained:
        _explained.add(why)
        text = f"{text} ({why})"
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # closed, or the disk is full: no reason not to compile
            print(f"starboard: {text}", file=sys.stderr, flush=True)
