"""Who gets in, how many, and with what; the app behind it only echoes."""

from __future__ import annotations

import asyncio
import io
import json
import re
from pathlib import Path

import aiohttp
import pytest

from memhtml_tui.serve import server as server_module
from memhtml_tui.serve import visit as visit_module
from memhtml_tui.serve.wire import FRAME_BYTES
from tests.e2e.serve.driving import (
    PLACES,
    ask_raw,
    end_of,
    gone,
    hear,
    posix,
    run,
    served,
)
from tests.e2e.serve.fake_app import SECRET


def test_the_right_address_shows_the_first_bytes_of_a_screen(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            status, text, _ = await browser.get("")
            assert status == 200
            assert "<title>a title</title>" in text
            for name in ("page.js", "page.css", "icon.svg", "textual.js", "xterm.css", "mono.ttf"):
                assert (await browser.get(f"static/{name}"))[0] == 200
            socket = await browser.socket("?width=100&height=9999")
            first = await hear(socket, r"pid (\d+) served 1 100x200 (\[.*?\])")
            assert first[2] == "['TEXTUAL_COLOR_SYSTEM', 'TEXTUAL_DRIVER', 'TEXTUAL_FPS']"
            await socket.send_json(["stdin", "grüß"])
            await hear(socket, "echo grüß")
            await socket.send_json(["resize", {"width": 10**9, "height": 30}])
            await hear(socket, re.escape('{"type": "resize", "width": 500, "height": 30}'))
            await socket.send_json(["focus"])
            await hear(socket, '"focus"')
            await socket.close()

    run(inner())


def test_a_wrong_token_host_or_origin_is_refused_everywhere(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            token = browser.view.guard.token
            wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
            for place in PLACES:
                bad = [
                    await browser.get_raw(f"/{place}"),
                    await browser.get_raw(f"/{wrong}/{place}"),
                    await browser.get(place, Host="evil.example"),
                    await browser.get(place, Host="evil.example:80", Origin=browser.origin),
                    await browser.get(place, Origin="http://evil.example"),
                    await browser.get(place, Origin="null"),
                ]
                if place:
                    bad.append(await browser.get(place, Sec_Fetch_Site="cross-site"))
                for status, text, headers in bad:
                    assert status == 403, place
                    assert token not in text
                    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
            assert not browser.view.visits
            assert token not in log.getvalue()
            assert wrong not in log.getvalue()
            assert "refused: wrong Host" in log.getvalue()

    run(inner())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
    ],
)
def test_a_socket_of_another_site_starts_nothing(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await browser.session.ws_connect(f"{browser.view.url}ws", headers=headers)
            assert caught.value.status == status
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await browser.session.ws_connect(f"{browser.origin}/ws", headers={"Origin": browser.origin})
            assert browser.view.seats.taken == 0

    run(inner())


def test_every_answer_carries_the_security_headers(tmp_path: Path) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            answers = [
                await browser.get(place) for place in ("", "static/page.css", "static/none", "download/none")
            ]
            answers.append(await browser.get_raw("/"))
            answers.append(await browser.get_raw(f"/{browser.view.guard.token}"))
            assert [status for status, _, _ in answers] == [200, 200, 404, 404, 403, 308]
            for _, _, headers in answers:
                assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
                assert headers["Referrer-Policy"] == "no-referrer"
                assert headers["X-Content-Type-Options"] == "nosniff"
                assert headers["Cache-Control"] == "no-store"
                assert headers["Server"] == "memhtml-tui"

    run(inner())


def test_no_path_leads_out_of_the_list_of_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    up = "../" * 30

    async def inner() -> None:
        async with served(tmp_path) as browser:
            start = f"/{browser.view.guard.token}/static/"
            ways = [
                f"{start}..%2fpage.html", f"{start}%2e%2e/page.py", f"{start}../page.py", f"{start}page.html",
                f"{start}{up}{secret}", f"{start}{(up + str(secret)[1:]).replace('/', '%2f')}",
                f"{start}/{secret}", f"{start}{str(secret).replace('/', '%2f')}", f"{start}page.js%00.css",
                f"{start}..\\page.py", start, f"{start}css/../../page.py", f"{start}page.js/../../page.py",
            ]  # fmt: skip
            for way in ways:
                status, text = await ask_raw(browser, way)
                assert status in (400, 403, 404), way
                assert SECRET not in text
                assert "import" not in text

    run(inner())


def test_who_comes_when_all_seats_are_taken_is_told_so(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path, sessions=2) as browser:
            first, second = await browser.socket(), await browser.socket()
            await hear(first, "pid")
            await hear(second, "pid")
            crowd = await asyncio.gather(*(browser.socket() for _ in range(12)))
            for socket in crowd:
                code, reason = await end_of(socket)
                assert code == 1013
                assert "All 2 sessions" in reason
            assert len(browser.view.visits) == 2
            assert (await browser.get(""))[0] == 200

    run(inner())


def test_a_page_that_is_loaded_again_gets_its_old_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "PATIENCE_S", 20.0)

    async def inner() -> None:
        async with served(tmp_path, sessions=1) as browser:
            first = await browser.socket()
            await hear(first, "pid")
            again = asyncio.ensure_future(browser.socket())
            await asyncio.sleep(0.1)
            await first.close()
            await hear(await again, "pid")

    run(inner())


@posix
def test_a_browser_that_does_not_read_is_let_go(
    tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visit_module, "DRAW_S", 0.5)
    monkeypatch.setattr(visit_module, "CLOSE_S", 0.5)

    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            app = int((await hear(socket, r"pid (\d+)"))[1])
            await socket.send_json(["stdin", "flood"])
            await gone(app)
            while browser.view.visits:
                await asyncio.sleep(0.02)
            assert "took too long to draw" in log.getvalue()
            assert socket.closed or (await end_of(socket))[0] is not None

    run(inner())


@pytest.mark.parametrize(
    ("frame", "code"),
    [("x" * (FRAME_BYTES + 1), 1009), ("[]", 1008), ("{not json", 1008), (b"bytes", 1003)],
    ids=("oversized", "empty", "broken", "binary"),
)
def test_a_frame_that_no_page_sends_ends_the_session(
    tmp_path: Path, log: io.StringIO, frame: str | bytes, code: int
) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            await hear(socket, "pid")
            await (socket.send_bytes(frame) if isinstance(frame, bytes) else socket.send_str(frame))
            assert (await end_of(socket))[0] == code
            if frame:
                assert str(frame)[:5] not in log.getvalue()

    run(inner())


def test_the_largest_frame_passes(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path) as browser:
            socket = await browser.socket()
            await hear(socket, "pid")
            await socket.send_str(json.dumps(["stdin", "y" * (FRAME_BYTES - 100)]))
            await hear(socket, "y{200000}")

    run(inner())


def test_nobody_there_for_a_while_ends_the_session(tmp_path: Path, log: io.StringIO) -> None:
    async def inner() -> None:
        async with served(tmp_path, idle=0.6) as browser:
            socket = await browser.socket()
            await hear(socket, "pid")
            for _ in range(4):
                await asyncio.sleep(0.25)
                await socket.send_json(["stdin", "here"])
            await hear(socket, "echo here")
            code, reason = await end_of(socket)
            assert code == 4001
            assert "Nobody" in reason

    run(inner())
