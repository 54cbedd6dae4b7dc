"""A headless Chromium driven over its debugging pipe: nothing to install but the browser."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def executable() -> str | None:
    """The browser's path, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


IDLE = """(async () => {
    while (document.body?.getAttribute("aria-busy") === "true") await new Promise((go) => setTimeout(go));
})()"""


class Page:
    """One page; ``events`` are all that the browser reported about it."""

    def __init__(self, commands: int, replies: int) -> None:
        self._commands = commands
        self._replies = os.fdopen(replies, "rb", closefd=False)
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Run one command of the DevTools protocol and wait for its answer."""
        self._count += 1
        command = {"id": self._count, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._count:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def _message(self) -> dict[str, Any]:
        data = bytearray()
        while not data.endswith(b"\0"):
            byte = self._replies.read(1)
            assert byte, "the browser has gone"
            data += byte
        message: dict[str, Any] = json.loads(data[:-1])
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file afresh, not as a jump within the page; returns when its scripts have run."""
        for url in ("about:blank", path.as_uri() + fragment):
            self.events.clear()
            self.do("Page.navigate", url=url)
            while not any(event["method"] == "Page.loadEventFired" for event in self.events):
                self._message()

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, once the page is not busy any more; promises are awaited."""
        self._evaluate(IDLE)
        return self._evaluate(expression)

    def _evaluate(self, expression: str) -> Any:
        found = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key, as somebody at the keyboard would, once the page is not busy any more."""
        self._evaluate(IDLE)
        text = {"text": key} if len(key) == 1 else {}
        self.do("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.do("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False, phone: bool = False) -> None:
        """Set the window's size and the preferred colours."""
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])


@contextmanager
def browser(path: str) -> Iterator[Page]:
    """A page in a browser of its own, which is gone afterwards."""
    command_out, command_in = os.pipe()
    reply_out, reply_in = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser reads its commands from descriptor 3 and answers on 4; the shell puts our pipes there.
        wired = f'exec 3<&{command_out} 4>&{reply_in}; exec "$@"'
        process = subprocess.Popen(
            ["bash", "-c", wired, "bash", path, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(command_out, reply_in),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_out)
        os.close(reply_in)
        try:
            yield Page(command_in, reply_out)
        finally:
            os.close(command_in)  # the browser ends when nobody can command it any more
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(reply_out)
