"""What becomes of the app: it fails, hangs, hands over files, loses its browser or its server."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
from pathlib import Path

import pytest
from aiohttp import WSMsgType

from memhtml_tui.serve import child as child_module
from memhtml_tui.serve import server as server_module
from tests.e2e.serve.driving import (
    end_of,
    gone,
    hear,
    posix,
    run,
    served,
)
from tests.e2e.serve.fake_app import SECRET


@posix
def test_a_killed_browser_ends_its_app_and_what_the_app_started(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            app = int((await hear(socket, r"pid (\d+)"))[1])
            await socket.send_json(["stdin", "child"])
            started = int((await hear(socket, r"child (\d+)\."))[1])
            connection = socket._response.connection
            assert connection is not None
            assert connection.transport is not None
            connection.transport.abort()
            await gone(app)
            await gone(started)
            while browser.view.visits:
                await asyncio.sleep(0.02)
            assert browser.view.seats.taken == 0

    run(inner())


@posix
def test_an_app_that_hangs_is_killed(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            app = int((await hear(socket, r"pid (\d+)"))[1])
            await socket.send_json(["stdin", "hang"])
            await hear(socket, "hanging")
            await socket.close()
            await gone(app)

    run(inner())


@pytest.mark.parametrize(
    ("command", "code"), [("crash", 1011), ("leave", 1000), ("huge", 1011), ("nonsense", 1011)]
)
def test_what_an_app_says_before_it_fails_never_reaches_the_log(
    tmp_path: Path, log: io.StringIO, capfd: pytest.CaptureFixture[str], command: str, code: int
) -> None:
    crashes = tmp_path / "crashes"

    async def inner() -> None:
        async with served(crashes) as browser:
            socket = await browser.socket()
            await hear(socket, "pid")
            await socket.send_json(["stdin", command])
            assert (await end_of(socket))[0] == code
            while browser.view.visits:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.05)
            assert browser.view.guard.token not in log.getvalue()

    run(inner())
    out, err = capfd.readouterr()
    assert SECRET not in log.getvalue() + out + err
    kept = list(crashes.glob("*")) if crashes.exists() else []
    if command == "crash":
        (path,) = kept
        assert str(path) in log.getvalue()
        assert SECRET in path.read_text("utf-8")
        assert "\x1b" not in path.read_text("utf-8")
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    else:
        assert not kept


def test_a_file_of_the_app_is_saved_once_and_never_shown(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            await hear(socket, "pid")
            await socket.send_json(["stdin", "file"])
            while True:
                message = await asyncio.wait_for(socket.receive(), 10)
                if message.type is WSMsgType.TEXT:
                    break
            assert json.loads(message.data) == ["deliver_file_start", "k1"]
            assert (await browser.get_raw("/download/k1"))[0] == 403
            status, text, headers = await browser.get("download/k1")
            assert (status, text) == (200, "<script>alert(1)")
            assert headers["Content-Type"] == "application/octet-stream"
            assert headers["Content-Disposition"].startswith('attachment; filename="no__te.html"')
            assert (await browser.get("download/k1"))[0] == 404
            await socket.send_json(["stdin", "file"])
            await hear(socket, "echo file")
            await socket.close()
            while browser.view.visits:
                await asyncio.sleep(0.02)
            assert (await browser.get("download/k1"))[0] == 404

    run(inner())


def test_a_link_never_reaches_the_browser(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            await socket.send_json(["stdin", "link"])
            heard = b""
            while b"linked" not in heard:
                message = await asyncio.wait_for(socket.receive(), 10)
                assert message.type is WSMsgType.BINARY
                heard += message.data

    run(inner())


@posix
def test_the_end_of_the_server_ends_every_app_and_says_so(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            sockets = [await browser.socket() for _ in range(3)]
            apps = [int((await hear(socket, r"pid (\d+)"))[1]) for socket in sockets]
            ends = [asyncio.ensure_future(end_of(socket)) for socket in sockets]
            await browser.view.on_shutdown(None)  # type: ignore[arg-type]
            assert await asyncio.gather(*ends) == [(1001, "The server has ended.")] * 3
            for app in apps:
                await gone(app)

    run(inner())


@posix
def test_the_end_of_the_server_waits_for_no_hanging_app(
    tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_HANDLERS_S", 0.5)
    monkeypatch.setattr(child_module, "QUIT_S", 60.0)

    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            app = int((await hear(socket, r"pid (\d+)"))[1])
            await socket.send_json(["stdin", "hang"])
            await hear(socket, "hanging")
        await gone(app)

    run(inner())
