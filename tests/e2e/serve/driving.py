"""A web view on a real loopback socket, a browser that knows its address, and what both may be asked."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import WSMsgType

from memhtml_tui.serve.guard import Guard, origins_of
from memhtml_tui.serve.server import Terms, WebView, listen

FAKE = [sys.executable, str(Path(__file__).with_name("fake_app.py"))]
posix = pytest.mark.skipif(os.name != "posix", reason="asks a process by its number whether it lives")


class Browser:
    """What a page does, and what an attacker does."""

    def __init__(self, view: WebView, session: aiohttp.ClientSession) -> None:
        self.view = view
        self.session = session
        self.origin = view.public_url

    async def get(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of a page behind the token."""
        return await self.get_raw(f"/{self.view.guard.token}/{path}", **headers)

    async def get_raw(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of any path."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.get(self.origin + path, headers=sent, allow_redirects=False) as answer:
            return answer.status, (await answer.read()).decode("utf-8", "replace"), dict(answer.headers)

    async def socket(self, query: str = "") -> aiohttp.ClientWebSocketResponse:
        """A websocket as the page opens it."""
        return await self.session.ws_connect(
            f"{self.view.url}ws{query}", headers={"Origin": self.origin}, max_msg_size=0
        )


@asynccontextmanager
async def served(crashes: Path, *, sessions: int = 4, idle: float | None = None) -> AsyncIterator[Browser]:
    """A server with the fake app, and a browser that knows its address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        terms = Terms(FAKE, "a title", crashes, sessions=sessions, idle=idle)
        guard = Guard(origins_of("127.0.0.1", port))
        view = WebView(terms, guard, listening, f"http://127.0.0.1:{port}")
        async with view.running(), aiohttp.ClientSession() as session:
            yield Browser(view, session)


def run(inner: Awaitable[None]) -> None:
    """Run a test's coroutine; nothing here may take a minute."""

    async def bounded() -> None:
        await asyncio.wait_for(inner, 60)

    asyncio.run(bounded())


async def hear(socket: aiohttp.ClientWebSocketResponse, pattern: str) -> re.Match[str]:
    """Wait until the screen's stream holds a pattern."""
    heard = ""
    async for message in socket:
        if message.type is WSMsgType.BINARY:
            heard += message.data.decode("utf-8", "replace")
            if found := re.search(pattern, heard):
                return found
    raise AssertionError(f"closed with {socket.close_code}, heard {heard[-500:]!r}")


async def end_of(socket: aiohttp.ClientWebSocketResponse) -> tuple[int | None, str]:
    """Close code and reason, after whatever was still under way."""
    while (message := await asyncio.wait_for(socket.receive(), 20)).type not in (
        WSMsgType.CLOSE,
        WSMsgType.CLOSED,
    ):
        pass
    return (
        (socket.close_code, message.extra or "")
        if message.type is WSMsgType.CLOSE
        else (socket.close_code, "")
    )


async def gone(pid: int, seconds: float = 15.0) -> None:
    """Wait until a process has ended."""
    end = asyncio.get_running_loop().time() + seconds
    while lives(pid):
        assert asyncio.get_running_loop().time() < end, f"process {pid} still runs"
        await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


PLACES = ("", "static/page.js", "ws", "download/k1")


async def ask_raw(browser: Browser, path: str) -> tuple[int, str]:
    """A request whose path no client library has straightened."""
    host = browser.origin.removeprefix("http://")
    reader, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = (await asyncio.wait_for(reader.read(), 10)).decode("utf-8", "replace")
    writer.close()
    return int(answer.split(" ", 2)[1]), answer


Serving = Callable[..., "subprocess.Popen[str]"]


def url_of(server: subprocess.Popen[str]) -> str:
    """The address that the server printed."""
    assert server.stdout is not None
    return server.stdout.readline().strip()


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A websocket to a server by its printed address."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(
            f"{url}ws?width=120&height=40", headers={"Origin": url.rsplit("/", 2)[0]}, max_msg_size=0
        ) as socket,
    ):
        yield socket


def plain(text: str) -> str:
    """Without the sequences of a terminal."""
    return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text)


async def see(socket: aiohttp.ClientWebSocketResponse, words: str) -> None:
    """Wait until words were drawn."""
    drawn = ""
    while words not in plain(drawn):
        message = await asyncio.wait_for(socket.receive(), 45)
        assert message.type in (WSMsgType.BINARY, WSMsgType.TEXT), (socket.close_code, plain(drawn)[-800:])
        if message.type is WSMsgType.BINARY:
            drawn += message.data.decode("utf-8", "replace")


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of a store."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
