"""A loopback embeddings server that behaves as a test asks, and a clock that does not wait."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


def vector(text: str, dim: int = 4) -> list[float]:
    """A vector that differs by text: its length and first characters."""
    codes = [float(ord(character) % 97 + 1) for character in text[: dim - 1]]
    return [float(len(text) + 1), *codes, *([0.5] * dim)][:dim]


def answer(texts: list[str], dim: int = 4) -> bytes:
    entries = [{"object": "embedding", "index": i, "embedding": vector(t, dim)} for i, t in enumerate(texts)]
    return json.dumps({"object": "list", "data": entries}).encode()


@dataclass
class Asked:
    """One request as the server saw it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Server:
    """`reply` gives (status, headers, body) for the n-th request, from 1; None hangs until the test ends."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    reply: Callable[[int, Asked], tuple[int, dict[str, str], bytes] | None] = lambda _, asked: (
        200,
        {},
        answer(asked.body["input"]),
    )
    hang: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", "0")))
            asked = Asked(
                self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(data or b"{}")
            )
            state.asked.append(asked)
            reply = state.reply(len(state.asked), asked)
            if reply is None:
                state.hang.wait(20)
                return
            status, headers, body = reply
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    state = Server(f"http://127.0.0.1:{listener.server_address[1]}")
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    state.hang.set()
    listener.shutdown()
    listener.server_close()


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()
