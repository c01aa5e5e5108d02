"""A virtual environment for each peer, with the exact versions that its file in requirements/ lists."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from starboard.files import write_whole

STAMP = "installed.txt"
"""Written last, into the environment: what is installed there."""


class CannotInstallError(Exception):
    """The reason, in one line."""


def environment(folder: Path, requirements: Path, python: str) -> Path:
    """The interpreter of the environment in ``folder``, which is made anew unless it is whole and has just this.

    :param python: to make it with.
    :raises CannotInstallError: if it cannot be made; the next call tries again.
    """
    wanted = f"# {_version(python)}\n{requirements.read_text(encoding='utf-8')}"
    stamp = folder / STAMP
    # Not resolved: what makes it the environment's interpreter is that it is called by this name.
    found = Path(os.path.abspath(folder)) / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return found
    uv = shutil.which("uv")
    if uv is not None:
        make = [uv, "venv", "--clear", "--python", python, folder]
        install = [uv, "pip", "install", "--python", found, "-r", requirements]
    else:
        make = [python, "-m", "venv", "--clear", "--without-pip", folder]
        install = [sys.executable, "-m", "pip", "--python", found, "install", "--disable-pip-version-check"]
        install += ["--quiet", "-r", requirements]
    stamp.unlink(missing_ok=True)
    for command in (make, install):
        _run(command)
    write_whole(stamp, wanted.encode())
    return found


def _version(python: str) -> str:
    return _run([python, "-c", "import sys; print(*sys.version.split())"]).strip()


def _run(command: list[str | Path]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotInstallError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        # pip goes on to talk of notices and hints: the last line that says ERROR names what is missing.
        told = [line for line in lines if line.startswith("ERROR")][-1:] or lines[-3:]
        raise CannotInstallError(" ".join(told) or f"exit status {done.returncode}")
    return done.stdout
