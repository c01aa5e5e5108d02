"""A headless Chromium to test pages in, driven by its DevTools protocol through a pair of pipes.

So there is nothing to install beside it, and no port to listen on.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOUND = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "needs Chromium: on Debian and Ubuntu, apt-get install chromium"

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
_PATIENCE = 120  # seconds for an answer, on a machine that is busy with other things
_KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "Tab": 9, "Enter": 13}


class Page:
    """One page in the browser, and what it has said and asked for so far."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._rest = b""
        self._calls = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call ``method`` of the protocol; its result. Events that come meanwhile are kept."""
        self._calls += 1
        message: dict[str, Any] = {"id": self._calls, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._calls:
                assert "error" not in answer, answer
                return answer["result"]

    def wait_for(self, event: str) -> None:
        """Wait until ``event`` has happened once more than when it was last waited for."""
        while not any(happened["method"] == event for happened in self.events):
            self._receive()
        self.events = [happened for happened in self.events if happened["method"] != event]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._back], [], [], _PATIENCE)
            data = os.read(self._back, 1 << 16) if ready else b""
            if not data:
                raise TimeoutError("Chromium does not answer")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of the expression ``script``; of a promise, what it becomes."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        text = {" ": " ", "Enter": "\r"}.get(key, "")
        facts = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": _KEYS[key], "text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **facts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def click(self, selector: str, across: float = 0.5) -> None:
        """Click the first element that matches, in its middle or ``across`` of its width from the left."""
        x, y = self.run(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            "found.scrollIntoView({block: 'center'});"
            "const box = found.getBoundingClientRect();"
            f"return [box.left + {across} * box.width, box.top + box.height / 2] }})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    @property
    def complaints(self) -> list[dict[str, Any]]:
        """Errors and warnings so far: exceptions, the console, the browser's own log."""
        said = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event["params"] for event in self.events if event["method"] in said]

    @property
    def requests(self) -> list[str]:
        """Addresses that were asked for."""
        asked = [event["params"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in asked]


@contextmanager
def chromium(folder: Path) -> Iterator[Page]:
    """A browser with its profile in ``folder``, which ends with the context."""
    assert FOUND is not None, MISSING
    read, to = os.pipe()
    back, write = os.pipe()
    # Chromium reads from descriptor 3 and writes to 4. Copies with higher numbers are not in the way of these two.
    command = 'exec "$0" "$@" 3<&"$IN" 4>&"$OUT"'
    far = {name: os.dup(descriptor) for name, descriptor in (("IN", read), ("OUT", write))}
    process = subprocess.Popen(
        ["bash", "-c", command, FOUND, *_FLAGS, f"--user-data-dir={folder}"],
        pass_fds=tuple(far.values()),
        env={**os.environ, **{name: str(descriptor) for name, descriptor in far.items()}},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for descriptor in (read, write, *far.values()):
        os.close(descriptor)
    try:
        yield Page(to, back)
    finally:
        process.kill()
        process.wait()
        os.close(to)
        os.close(back)
