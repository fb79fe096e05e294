"""Drives a headless Chromium over its DevTools protocol: load a page, type, see what came of it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,800",
    "--remote-debugging-port=0",
)
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b.")


def chromium() -> str:
    """The browser, or the reason why there is no test."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium here (apt-get install chromium)")
    return found


class Page:
    """One tab. `requests` are the addresses that it asked for, `sent` the text of the screen's stream."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._last = 0
        self._reader = asyncio.create_task(self._read())
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.sent = ""

    async def _read(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._waiting.pop(said["id"]).set_result(said.get("result", said.get("error")))
            else:
                self._take(said["method"], said["params"])

    def _take(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
            data = base64.b64decode(params["response"]["payloadData"])
            self.sent += _ESCAPE.sub("", data.decode("utf-8", "replace"))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))

    async def ask(self, method: str, **params: Any) -> Any:
        """One command of the protocol and its answer."""
        self._last += 1
        self._waiting[self._last] = answer = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._last, "method": method, "params": params})
        return await asyncio.wait_for(answer, 30)

    async def open(self, url: str) -> None:
        """Load an address, watching what it asks for."""
        for domain in ("Network", "Log", "Runtime", "Page"):
            await self.ask(f"{domain}.enable")
        await self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.ask("Page.navigate", url=url)

    async def type(self, text: str) -> None:
        """Type as on a keyboard."""
        for letter in text:
            await self.ask("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            await self.ask("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        return (await self.ask("Runtime.evaluate", expression=expression))["result"].get("value")

    async def until(self, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait for something to come true."""
        end = asyncio.get_running_loop().time() + seconds
        while not holds():
            assert asyncio.get_running_loop().time() < end, self.sent[-3000:]
            await asyncio.sleep(0.1)

    async def picture(self) -> bytes:
        """The page as PNG, a quarter as wide and high: it is taken apart in Python."""
        clip = {"x": 0, "y": 0, "width": 1280, "height": 640, "scale": 0.25}
        taken = await self.ask("Page.captureScreenshot", format="png", clip=clip)
        return base64.b64decode(taken["data"])


def pixels(png: bytes) -> list[bytes]:
    """The lines of an 8-bit RGB or RGBA picture as bytes, undone from their filters."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    size = {2: 3, 6: 4}[kind]
    assert depth == 8
    packed, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            packed += png[place + 8 : place + 8 + length]
        place += 12 + length
    raw, lines, above = zlib.decompress(packed), [], bytearray(width * size)
    for row in range(height):
        start = row * (width * size + 1)
        how, line = raw[start], bytearray(raw[start + 1 : start + 1 + width * size])
        for x in range(len(line)):
            left = line[x - size] if x >= size else 0
            corner = above[x - size] if x >= size else 0
            line[x] = (line[x] + _guess(how, left, above[x], corner)) & 255
        lines.append(bytes(line))
        above = line
    return lines


def _guess(how: int, left: int, up: int, corner: int) -> int:
    if how == 4:
        near = left + up - corner
        return min((left, up, corner), key=lambda value: abs(near - value))
    return (0, left, up, (left + up) // 2)[how]


@asynccontextmanager
async def tab(profile: Path) -> AsyncIterator[Page]:
    """A tab of a browser of its own, ended with the block."""
    port = profile / "DevToolsActivePort"
    with subprocess.Popen(
        [chromium(), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as browser:
        try:
            for _ in range(300):
                if port.is_file() and "\n" in port.read_text():
                    break
                await asyncio.sleep(0.1)
            address = f"http://127.0.0.1:{port.read_text().splitlines()[0]}/json"
            async with aiohttp.ClientSession() as session:
                async with session.get(address) as answer:
                    first = next(each for each in await answer.json() if each["type"] == "page")
                url = first["webSocketDebuggerUrl"]
                async with session.ws_connect(url, max_msg_size=0) as socket:
                    yield Page(socket)
        finally:
            browser.terminate()
            browser.wait(20)
