"""A headless Chromium, driven over its own pipe: nothing is installed but the browser.

The protocol is Chrome's DevTools protocol, each message a JSON text that ends in a NUL.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from time import monotonic
from typing import Any

from mcp_client import WAIT

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Nobody presses a key before the page is drawn, which is when a field gets its autofocus."""
KEYS = {"Enter": ("\r", 13), "Escape": ("", 27), "Tab": ("\t", 9)}


def program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One tab of a fresh browser."""

    def __init__(self, process: subprocess.Popen[bytes], reads: int, writes: int) -> None:
        self._process, self._reads, self._writes = process, reads, writes
        self._rest = bytearray()
        self._next = 0
        self._events: list[dict[str, Any]] = []
        self._tab = ""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._tab = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if self._tab:
            message["sessionId"] = self._tab
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            said = self._receive()
            if said.get("id") == self._next:
                assert "error" not in said, (method, said)
                return said["result"]
            self._events.append(said)

    def _receive(self) -> dict[str, Any]:
        until, looked = monotonic() + WAIT, 0
        while (end := self._rest.find(b"\0", looked)) < 0:
            looked = len(self._rest)
            ready, _, _ = select([self._reads], [], [], max(0.0, until - monotonic()))
            assert ready, "the browser says nothing"
            part = os.read(self._reads, 1 << 16)
            assert part, "the browser is gone"
            self._rest += part
        found: dict[str, Any] = json.loads(self._rest[:end])
        del self._rest[: end + 1]
        return found

    def wait(self, method: str) -> dict[str, Any]:
        """The next event of this name."""
        for n, one in enumerate(self._events):
            if one.get("method") == method:
                return self._events.pop(n)
        while (one := self._receive()).get("method") != method:
            self._events.append(one)
        return one

    # -------------------------------------------------------------- what a person does

    def open(self, address: str) -> None:
        self._loading(lambda: self.send("Page.navigate", url=address))

    def _loading(self, act: Any) -> None:
        self._events = [one for one in self._events if one.get("method") != "Page.loadEventFired"]
        act()
        self.wait("Page.loadEventFired")
        self.run(DRAWN)

    def run(self, script: str) -> Any:
        """What an expression of JavaScript is."""
        done = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key: str, *, loads: bool = False) -> None:
        def act() -> None:
            text, code = KEYS.get(key, (key, ord(key[0].upper())))
            about = {"key": key, "windowsVirtualKeyCode": code}
            down = {**about, "text": text} if text else about
            self.send("Input.dispatchKeyEvent", type="keyDown", **down)
            self.send("Input.dispatchKeyEvent", type="keyUp", **about)

        self._loading(act) if loads else act()

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def click(self, selector: str, *, loads: bool = False) -> None:
        def act() -> None:
            self.run(f"document.querySelector({json.dumps(selector)}).click()")

        self._loading(act) if loads else act()

    def point(self, selector: str, *, loads: bool = False) -> None:
        """A click of the mouse on the middle of what is there; nothing may lie over it."""
        script = (
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            "one.scrollIntoView({block: 'center'}); const box = one.getClientRects()[0];"
            "const x = box.x + box.width / 2, y = box.y + box.height / 2;"
            "return [x, y, one.contains(document.elementFromPoint(x, y))] })()"
        )
        x, y, free = self.run(script)
        assert free, f"something lies over {selector}"

        def act() -> None:
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                          clickCount=1)  # fmt: skip

        self._loading(act) if loads else act()

    def reach(self, selector: str) -> None:
        """Goes there with the Tab key."""
        is_there = f"document.activeElement.matches({json.dumps(selector)})"
        for _ in range(250):
            if self.run(is_there):
                return
            self.press("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

    # -------------------------------------------------------------- what a person sees

    @property
    def text(self) -> str:
        return str(self.run("document.body.innerText"))

    @property
    def place(self) -> str:
        return str(self.run("location.pathname + location.search"))

    @property
    def focus(self) -> str:
        return str(
            self.run("document.activeElement.innerText || document.activeElement.name || ''")
        )

    def focuses(self, wanted: str) -> bool:
        """Whether the focus gets there, as soon as the page's script has run."""
        for _ in range(50):
            if self.focus == wanted:
                return True
            time.sleep(0.1)
        return False

    def sees(self, condition: str) -> bool:
        """Whether this comes to be so in the page, without another being loaded."""
        for _ in range(300):
            if self.run(condition) is True:
                return True
            time.sleep(0.1)
        return False

    def look(self, *, dark: bool = False, wide: int = 1280, high: int = 900) -> None:
        """In these colours, at this size."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)
        self.send("Emulation.setDeviceMetricsOverride", width=wide, height=high,
                  deviceScaleFactor=1, mobile=False)  # fmt: skip

    def picture(self, file: Path, *, whole: bool = True) -> None:
        """Of the whole page, or of what is in sight."""
        shot = self.send(
            "Page.captureScreenshot", captureBeyondViewport=whole, optimizeForSpeed=True
        )
        file.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """What the browser logged: scripts that failed, what the policy kept out."""
        self.run("0")
        found = []
        for one in self._events:
            if one.get("method") == "Log.entryAdded":
                found.append(str(one["params"]["entry"]))
            if one.get("method") == "Runtime.exceptionThrown":
                found.append(str(one["params"]["exceptionDetails"]))
        return found

    def requested(self) -> list[str]:
        return [one["params"]["request"]["url"] for one in self._events
                if one.get("method") == "Network.requestWillBeSent"]  # fmt: skip

    def received(self) -> int:
        """Bytes of bodies so far, as they came over the wire."""
        return sum(int(one["params"]["encodedDataLength"]) for one in self._events
                   if one.get("method") == "Network.loadingFinished")  # fmt: skip


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """A browser whose profile is in the folder, and which reaches no network."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()

    def pipes() -> None:
        os.dup2(theirs_in, 3)
        os.dup2(theirs_out, 4)

    found = program()
    assert found is not None
    process = subprocess.Popen(
        [found, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
         f"--user-data-dir={folder}", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        preexec_fn=pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(process, ours_in, ours_out)
    finally:
        process.kill()
        process.wait(WAIT)
        os.close(ours_in)
        os.close(ours_out)
