"""The web view on a real loopback socket, with an app that misbehaves on command behind it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import WSMsgType

from memhtml_core.errors import MemhtmlError
from memhtml_tui.serve import child as child_module
from memhtml_tui.serve import server as server_module
from memhtml_tui.serve import visit as visit_module
from memhtml_tui.serve.child import launcher
from memhtml_tui.serve.guard import Guard, origins_of
from memhtml_tui.serve.log import start_log
from memhtml_tui.serve.server import Terms, WebView, listen
from memhtml_tui.serve.wire import FRAME_BYTES
from tests.e2e.fake_app import SECRET

FAKE = [sys.executable, str(Path(__file__).with_name("fake_app.py"))]
posix = pytest.mark.skipif(os.name != "posix", reason="asks a process by its number whether it lives")


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the server logs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    stream = io.StringIO()
    start_log(stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits as long as a person would."""
    monkeypatch.setattr(child_module, "QUIT_S", 0.7)
    monkeypatch.setattr(server_module, "PATIENCE_S", 0.3)


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


PLACES = ("", "static/page.js", "ws", "download/k1")


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


async def ask_raw(browser: Browser, path: str) -> tuple[int, str]:
    """A request whose path no client library has straightened."""
    host = browser.origin.removeprefix("http://")
    reader, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = (await asyncio.wait_for(reader.read(), 10)).decode("utf-8", "replace")
    writer.close()
    return int(answer.split(" ", 2)[1]), answer


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


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MemhtmlError, match=f"cannot listen: 127.0.0.1:{port} .*--port"):
            listen("127.0.0.1", port)


def test_nothing_is_imported_from_the_folder_of_the_store(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    for name in ("textual", "memhtml_tui", "argparse", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a store ran its own code')")
    done = subprocess.run(
        [*launcher(), "--version"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memhtml-tui ")


Serving = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def serving(environment: dict[str, str], tmp_path: Path) -> Iterator[Serving]:
    """The installed command, serving."""
    started: list[subprocess.Popen[str]] = []
    folder = tmp_path / "tmp"
    folder.mkdir()

    def start(*words: str | Path) -> subprocess.Popen[str]:
        command = [Path(sys.executable).with_name("memhtml-tui"), "serve", "--port", "0", *map(str, words)]
        process = subprocess.Popen(
            command, env=environment | {"TMPDIR": str(folder)}, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=20)


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


def test_the_explorer_itself_answers_a_query_in_a_browser(serving: Serving, store: Path) -> None:
    before = files_of(store)
    server = serving(store, "--no-embed", "--read-only")
    url = url_of(server)

    async def inner() -> None:
        async with visiting(url) as socket:
            await see(socket, "The ferry leaves at six.")
            await socket.send_json(["stdin", "boiler"])
            await see(socket, "first frost")

    run(inner())
    server.send_signal(signal.SIGINT)
    out, err = server.communicate(timeout=30)
    assert server.returncode == 0, err
    assert files_of(store) == before
    assert "session 1 begins (1 of 4)" in err
    for secret in (url.split("/")[3], "ferry", "boiler"):
        assert secret not in err
        assert secret not in out


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the app's process through /proc")
def test_a_killed_server_leaves_no_app_behind(serving: Serving, tmp_path: Path) -> None:
    server = serving("--demo", "--no-embed")
    url = url_of(server)

    async def inner() -> None:
        async with visiting(url) as socket:
            await see(socket, "demo store")
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            assert len(children) == 1
            assert list((tmp_path / "tmp").iterdir())
            server.kill()
            await gone(int(children[0]), 20)

    run(inner())
    assert not list((tmp_path / "tmp").glob("memhtml-tui-demo-*"))
