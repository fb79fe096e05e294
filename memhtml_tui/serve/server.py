"""The web view's server: textual-serve's, with a door, a closed list of files and an end to everything.

What it guards against, and what it does not, stands in SECURITY.md. Every request passes `Guard` first;
nothing that is logged holds a path, a token or a text.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

from memhtml_core.errors import MemhtmlError
from memhtml_tui.serve.child import Ending
from memhtml_tui.serve.crashes import write_crash
from memhtml_tui.serve.downloads import Downloads, disposition
from memhtml_tui.serve.guard import Guard, host_in_url, security_headers
from memhtml_tui.serve.log import LOGGER, Repeats, start_log
from memhtml_tui.serve.page import FONT_SIZES, page, statics
from memhtml_tui.serve.seats import Seats
from memhtml_tui.serve.visit import Visit
from memhtml_tui.serve.wire import COLUMNS, FRAME_BYTES, LINES, cells

PATIENCE_S = 10.0
"""How long a page waits for a seat: a page that is loaded again gets that of its last visit."""

_HEARTBEAT_S = 15.0
_HANDLERS_S = 5.0
_KILLED_S = 5.0
_WRITE_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Terms:
    """What is served and how much of it. `argv` starts the app; `idle` is in seconds, None for ever;
    `crashes` is the folder of crash logs.
    """

    argv: Sequence[str]
    title: str
    crashes: Path
    sessions: int = 4
    idle: float | None = 3600.0


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises `MemhtmlError`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=64)
    except (OSError, UnicodeError) as error:
        raise MemhtmlError(
            "cannot listen",
            subject=f"{host_in_url(host)}:{port} ({getattr(error, 'strerror', None) or error})",
            remedy="Choose another --port (0 takes a free one) or --host",
        ) from None


class WebView(Server):
    """Serves one command to browsers that know the token."""

    def __init__(self, terms: Terms, guard: Guard, listening: socket.socket, public_url: str) -> None:
        host, port = listening.getsockname()[:2]
        super().__init__(join(terms.argv), host=host, port=port, title=terms.title, public_url=public_url)
        self.terms = terms
        self.guard = guard
        self.seats = Seats(terms.sessions, PATIENCE_S)
        self.visits: set[Visit] = set()
        self.log = logging.getLogger(LOGGER)
        self.downloads = self.download_manager = Downloads()
        self._listening = listening
        self._statics = statics()
        self._headers = security_headers(guard)
        self._repeats = Repeats()
        self._count = 0

    @property
    def url(self) -> str:
        """The address to open, token included."""
        return f"{self.public_url.rstrip('/')}/{self.guard.token}/"

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._door()])
        app.add_routes(
            [
                web.get("/{token}", self._add_slash, allow_head=False),
                web.get("/{token}/", self.handle_index, name="index", allow_head=False),
                web.get("/{token}/ws", self.handle_websocket, name="websocket", allow_head=False),
                web.get("/{token}/static/{name}", self.handle_static, name="static", allow_head=False),
                web.get("/{token}/download/{key}", self.handle_download, name="download", allow_head=False),
            ]
        )
        app.on_response_prepare.append(self._dress)
        app.on_shutdown.append(self.on_shutdown)
        return app

    def _door(self) -> Middleware:
        @web.middleware
        async def door(request: web.Request, handler: Handler) -> web.StreamResponse:
            is_socket = request.match_info.route.name == "websocket"
            refusal = self.guard.refusal(request.path, request.headers, socket=is_socket)
            if refusal is None:
                return await handler(request)
            remark = self._repeats.due(f"refused: {refusal}", asyncio.get_running_loop().time())
            if remark:
                self.log.warning("%s", remark)
            raise web.HTTPForbidden(
                text=f"Refused: {refusal}. Open the whole address that the server printed when it started.\n"
            )

        return door

    async def _dress(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(self._headers)
        response.headers["Server"] = "memhtml-tui"

    async def _add_slash(self, request: web.Request) -> web.StreamResponse:
        raise web.HTTPPermanentRedirect(f"./{self.guard.token}/")

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """The page. It costs nothing, so it is never refused for want of a seat: its socket is."""
        size = cells(request.query.get("fontsize"), FONT_SIZES, 16)
        return web.Response(text=page(self.terms.title, size), content_type="text/html", charset="utf-8")

    async def handle_static(self, request: web.Request) -> web.StreamResponse:
        """A file of the closed list."""
        static = self._statics.get(request.match_info["name"])
        if static is None:
            raise web.HTTPNotFound(text="No such file.\n")
        return web.FileResponse(static.path, headers={"Content-Type": static.content_type})

    async def handle_download(self, request: web.Request) -> web.StreamResponse:
        """A file that an app handed over: saved, never shown."""
        key = request.match_info["key"]
        name = self.downloads.name_of(key)
        if name is None:
            raise web.HTTPNotFound(text="No such file, or it was fetched already.\n")
        response = web.StreamResponse(
            headers={"Content-Type": "application/octet-stream", "Content-Disposition": disposition(name)}
        )
        chunks = self.downloads.download(key)
        try:
            await response.prepare(request)
            async for chunk in chunks:
                await response.write(chunk)
            await response.write_eof()
        finally:
            await chunks.aclose()
        return response

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A visit, if there is a seat for it."""
        websocket = web.WebSocketResponse(
            heartbeat=_HEARTBEAT_S, max_msg_size=FRAME_BYTES, compress=False, writer_limit=_WRITE_LIMIT
        )
        await websocket.prepare(request)
        async with self.seats.seat() as held:
            if held:
                await self._visit(request, websocket)
            else:
                self.log.warning("turned away: all %d seats are taken", self.seats.number)
                full = f"All {self.seats.number} sessions of this server are taken. Close one, start again."
                await websocket.close(code=1013, message=full.encode("ascii"))
        return websocket

    async def _visit(self, request: web.Request, websocket: web.WebSocketResponse) -> None:
        self._count += 1
        number = self._count
        visit = Visit(request, websocket, self.terms.argv, self.downloads, idle=self.terms.idle)
        self.visits.add(visit)
        self.log.info("session %d begins (%d of %d)", number, self.seats.taken, self.seats.number)
        ending = Ending(1011, "The server had an error.")
        try:
            columns = cells(request.query.get("width"), COLUMNS, 80)
            lines = cells(request.query.get("height"), LINES, 24)
            ending = await visit.run(columns, lines)
        except Exception:
            # Not passed on: the web library would log it with its message.
            self.log.exception("session %d met an error", number)
        finally:
            self.visits.discard(visit)
            child = visit.child
            self.log.info("session %d has ended: %s", number, ending.reason)
            if child.failed:
                self._keep_crash(number, child.status, bytes(child.said))

    def _keep_crash(self, number: int, status: int | None, said: bytes) -> None:
        try:
            where = str(write_crash(self.terms.crashes, number, said))
        except OSError as error:
            where = f"nowhere, since {self.terms.crashes} cannot be written ({error.strerror})"
        self.log.error("session %d failed with status %s; what it said is in %s", number, status, where)

    async def on_shutdown(self, app: web.Application) -> None:
        """Let every browser go, and see that every app does. The web library would not wait for visits whose
        connection is closed already.
        """
        for visit in list(self.visits):
            visit.end(Ending(1001, "The server has ended."))
        await self._all_gone(_HANDLERS_S)
        for visit in list(self.visits):
            visit.child.kill()
        await self._all_gone(_KILLED_S)

    async def _all_gone(self, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        while self.visits and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve for the time of the block; afterwards every app has ended."""
        runner = web.AppRunner(
            await self._make_app(), access_log=None, handle_signals=False, shutdown_timeout=_HANDLERS_S
        )
        await runner.setup()
        try:
            await web.SockSite(runner, self._listening).start()
            yield
        finally:
            await runner.cleanup()

    def serve(self, debug: bool = False) -> None:
        """Serve until SIGINT, SIGTERM or ctrl+c. `debug` does nothing: it would write texts into files."""
        self.initialize_logging()
        asyncio.run(self._until_told())

    def initialize_logging(self) -> None:
        """The log that says least: textual-serve's own would print tracebacks with locals."""
        start_log()

    async def _until_told(self) -> None:
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            try:
                loop.add_signal_handler(getattr(signal, name), told.set)
            except (NotImplementedError, AttributeError):
                continue
        async with self.running():
            await told.wait()
