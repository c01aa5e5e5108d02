"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

PARTIAL = ".partial"
"""Ending of a file that is being written; one that is found later is what a kill left behind."""


def write_whole(path: str | Path, data: bytes) -> None:
    """Put ``data`` into ``path``: another file there stays as it was until all of it is on the disk.

    :raises OSError: if it cannot be written, such as on a full disk; ``path`` is unchanged then.
    """
    path = Path(path).resolve()  # what a link points to is written, not the link
    if path.exists() and not path.is_file():  # a pipe or a device
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
