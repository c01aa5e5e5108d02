"""Processes that measure, each pinned to its cores: what runs worker.py, seen from outside."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

WORKER = Path(__file__).with_name("worker.py")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerError(Exception):
    """The worker is gone; the reason, in one line."""


def two_cores() -> list[int]:
    """The numbers of two cores that this process may use, or of one where there is one; no two halves of one core."""
    if not hasattr(os, "sched_getaffinity"):
        return list(range(min(2, os.cpu_count() or 1)))
    usable = sorted(os.sched_getaffinity(0))
    return [usable[0], *[cpu for cpu in usable[1:] if not _halves(usable[0], cpu)][:1]]


def _halves(a: int, b: int) -> bool:
    """Whether ``a`` and ``b`` are threads of one core, as far as the system tells."""
    try:
        text = Path(f"/sys/devices/system/cpu/cpu{a}/topology/thread_siblings_list").read_text(encoding="ascii")
        ends = [[int(end) for end in part.split("-")] for part in text.strip().split(",")]
    except (OSError, ValueError):
        return False
    return any(part[0] <= b <= part[-1] for part in ends)


class Worker:
    """One process, which waits unless it was asked something."""

    def __init__(self, python: str | Path, contestants: Path, cores: list[int], own_threads: bool = False) -> None:
        """:raises WorkerError: if it cannot begin, with what it says."""
        environment = {**os.environ, **dict.fromkeys(THREADS, str(len(cores)))}
        if str(python) != sys.executable:
            environment.pop("PYTHONPATH", None)  # it would lead out of the peer's own environment
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        command = [python, WORKER, contestants, ",".join(map(str, cores)), *["--own-threads"] * own_threads]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                text=True,
            )
        except OSError as error:
            self._errors.close()
            raise WorkerError(f"{python}: {error.strerror}") from error
        self.gone = ""
        """Why the process is no more."""
        self._answers: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def ask(self, index: int, seconds: float) -> None:
        """Have it measure; :meth:`answer` has what it found."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it is gone: answer() says so
            self._process.stdin.write(json.dumps([index, seconds]) + "\n")
            self._process.stdin.flush()

    def answer(self, timeout: float) -> dict[str, Any]:
        """What it says next.

        :raises WorkerError: if it ended, or says nothing for ``timeout`` seconds; it is closed then.
        """
        if self.gone:
            raise WorkerError(self.gone)
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            self._end(f"gave no answer in {timeout:g} seconds")
        if not line:
            self._end(self._last_words())
        found: dict[str, Any] = json.loads(line)
        return found

    def _end(self, reason: str) -> NoReturn:
        self.gone = reason
        self.close()
        raise WorkerError(reason)

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return f"crashed ({how})" + (f": {lines[-1].strip()}" if lines else "")

    def close(self) -> None:
        """End the process, whatever it does. May be called again."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            assert file is not None
            with suppress(BrokenPipeError):  # it never read the last question
                file.close()
