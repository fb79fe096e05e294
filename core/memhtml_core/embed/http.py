"""Embeddings from any server that speaks OpenAI's `/v1/embeddings`: Ollama, vLLM, LM Studio, a proxy.

Only the standard library is used. Nothing of a request or an answer, neither key nor text, gets into an
error: a server may repeat both in what it says.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import http.client
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from functools import partial
from typing import IO, Any
from urllib.parse import urlsplit

from memhtml_core.embed import cohere
from memhtml_core.embed.check import check, packed
from memhtml_core.embed.endpoint import Endpoint
from memhtml_core.embed.protocol import Space
from memhtml_core.embed.waiting import late, stopped, within
from memhtml_core.errors import EmbedError

ATTEMPTS = 6
"""How often one batch is sent before the server's refusal is passed on."""

REQUEST_S = 60.0
"""Seconds that one request may take where the caller sets no deadline."""

PROBE_S = 10.0
"""Seconds for the call that finds out a dimension."""

LONGEST_WAIT_S = 60.0
"""Seconds for which a server may ask to be left alone; beyond that it is given up."""

_LARGEST_ANSWER = 256 * 1024 * 1024
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_TOLD = frozenset(
    {
        "context_length_exceeded", "insufficient_quota", "invalid_api_key", "invalid_model",
        "model_not_found", "rate_limit_exceeded", "unsupported_parameter",
    }
)  # fmt: skip
_REMEDY = {
    400: "Check the model's name, and whether it takes the dimension asked for",
    401: "Check MEMHTML_LLM_API_KEY",
    403: "Check MEMHTML_LLM_API_KEY",
    404: "Check the address, and whether the model is there (MEMHTML_LLM_MODEL_MAP names it to the server)",
    429: "Try again later; what was embedded is kept",
}
_TRY_LATER = "Try again, or choose another embedder with --embedder"


class HttpEmbedder:
    """Sends batches of 96 texts and gives back their vectors, ordered by the answer's own index.

    Refusals for load (429, 503 and their like) and broken connections are tried again, after `Retry-After`
    where the server names it (seconds or a date), else after growing pauses, at most `ATTEMPTS` times and
    never beyond the deadline. Redirects are refused, because the key and the texts would follow them. The
    dimension is the one asked for, or that of the first answer; an answer of another length is an
    `EmbedError`, because the model behind the name is another one. `sleep` and `clock` are replaced in tests.
    Safe to use from several threads.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._stop = threading.Event()
        self._sleep = self._stop.wait if sleep is None else sleep
        self._clock = clock
        self._lock = threading.Lock()
        self._space: Space | None = None if endpoint.dim is None else _space(endpoint, endpoint.dim)
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if (urlsplit(endpoint.url).hostname or "") in ("localhost", "127.0.0.1", "::1"):
            # A proxy for the outer world cannot reach this machine's own servers.
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    @property
    def space(self) -> Space:
        """The space; where the dimension was not stated, the first look costs one call with one word."""
        if self._space is None:
            self._embed(["dimension"], cohere.DOCUMENT, PROBE_S)
        assert self._space is not None
        return self._space

    @property
    def label(self) -> str:
        """For people: the model and the place, without the key."""
        return f"{self._endpoint.model} at {self._endpoint.place}"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """One blob per text; see the protocol. The deadline covers all batches and pauses together."""
        until = None if deadline is None else self._clock() + deadline
        blobs: list[bytes] = []
        for start in range(0, len(texts), cohere.BATCH):
            left = None if until is None else until - self._clock()
            blobs += self._embed(list(texts[start : start + cohere.BATCH]), cohere.DOCUMENT, left)
        return blobs

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        """As for a document; the reference's model is told that it is a question."""
        return self._embed([text], cohere.QUERY, deadline)[0]

    def stop(self) -> None:
        """Ends a call that another thread is in, and every later one, with an `EmbedError`."""
        self._stop.set()

    def _embed(self, texts: list[str], kind: str, deadline: float | None) -> list[bytes]:
        body: dict[str, Any] = {"model": self._endpoint.sent_as, "input": texts, "encoding_format": "float"}
        if self._endpoint.is_reference:
            body["input_type"] = kind
        if self._endpoint.dim is not None:
            body["dimensions"] = self._endpoint.dim
        blobs = _vectors(self._answer(json.dumps(body).encode(), deadline), len(texts), self._endpoint.place)
        for blob in blobs:
            self._check(blob)
        return blobs

    def _check(self, blob: bytes) -> None:
        with self._lock:
            if self._space is None:
                check(blob, len(blob) // 4)
                self._space = _space(self._endpoint, len(blob) // 4)
        if len(blob) != 4 * self._space.dim:
            raise EmbedError(
                f"a vector of {len(blob) // 4} values where {self._space.dim} are due: the model behind this "
                "name is another one now, or cannot give that dimension",
                subject=self.label,
                remedy="Name the model and its dimension anew, like http:MODEL@DIM",
            )
        check(blob, self._space.dim)

    def _answer(self, body: bytes, deadline: float | None) -> bytes:
        until = None if deadline is None else self._clock() + deadline
        for attempt in range(1, ATTEMPTS + 1):
            left = REQUEST_S if until is None else min(REQUEST_S, until - self._clock())
            try:
                return within(left, self.label, partial(self._exchange, body, left), self._stop)
            except _Again as again:
                wait = again.after if again.after is not None else 0.5 * 2 ** (attempt - 1)
                if attempt == ATTEMPTS or wait > LONGEST_WAIT_S:
                    raise self._failed(again.why, again.status) from None
                if until is not None and self._clock() + wait >= until:
                    raise late(f"{self.label} ({again.why})") from None
            self._sleep(wait)
            if self._stop.is_set():
                raise stopped(self.label)
        raise AssertionError("unreachable")

    def _exchange(self, body: bytes, seconds: float) -> bytes:
        """One request. Raises `_Again` for what may pass, `EmbedError` for what will not."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "memhtml-tui",
        }
        if self._endpoint.key is not None:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        request = urllib.request.Request(self._endpoint.url, data=body, headers=headers, method="POST")
        try:
            with self._opener.open(request, timeout=seconds) as response:
                data: bytes = response.read(_LARGEST_ANSWER + 1)
                if response.length and len(data) <= _LARGEST_ANSWER:
                    # A bounded read does not complain when the connection ends before the stated length.
                    raise _Again("broke off in the middle of an answer")
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error) from None
        except TimeoutError:
            raise late(self.label) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            cause = getattr(error, "reason", error)
            if isinstance(cause, TimeoutError):
                raise late(self.label) from None
            if isinstance(cause, ConnectionRefusedError | socket.gaierror):
                raise self._failed(f"cannot be reached ({_words(cause)})") from None
            raise _Again(f"broke off ({_words(cause)})") from None
        if len(data) > _LARGEST_ANSWER:
            raise self._failed("gave an answer of more than 256 MB")
        return data

    def _refused(self, error: urllib.error.HTTPError) -> Exception:
        why = f"answered with status {error.code}"
        if 300 <= error.code < 400:
            return self._failed("redirects to another address, which is not followed", error.code)
        if error.code in _RETRIED:
            return _Again(why, error.code, _retry_after(error.headers.get("Retry-After")))
        told = _told(error)
        return self._failed(f"{why} ({told})" if told else why, error.code)

    def _failed(self, why: str, status: int | None = None) -> EmbedError:
        return EmbedError(f"{self.label} {why}", remedy=_REMEDY.get(status or 0, _TRY_LATER))


class _Again(Exception):
    """A failure that may pass: why, with which status, and when in seconds the server wants the next try."""

    def __init__(self, why: str, status: int | None = None, after: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.status = status
        self.after = after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


def _space(endpoint: Endpoint, dim: int) -> Space:
    if endpoint.is_reference and dim == cohere.DIM:
        return cohere.space()
    made_of = f"{endpoint.model}@{dim} openai embeddings, texts as they are, version 1"
    return Space(f"{endpoint.model}@{dim}", dim, hashlib.sha256(made_of.encode()).hexdigest())


def _vectors(data: bytes, count: int, place: str) -> list[bytes]:
    """The vectors of an answer in the order of their index."""
    strange = EmbedError(
        f"{place} gave no list of {count} embeddings in OpenAI's shape",
        remedy="Check that the address is that of an embeddings server and not of a web page",
    )
    try:
        entries = json.loads(data)["data"]
        ordered = {entry.get("index", position): entry["embedding"] for position, entry in enumerate(entries)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise strange from None
    if len(entries) != count or set(ordered) != set(range(count)):
        raise strange
    return [_blob(ordered[index]) for index in range(count)]


def _blob(vector: Any) -> bytes:
    if not isinstance(vector, str):
        return packed(vector, len(vector) if isinstance(vector, list) else 0)
    try:
        return base64.b64decode(vector, validate=True)
    except binascii.Error:
        raise EmbedError("a vector that is neither numbers nor base64") from None


def _retry_after(stated: str | None) -> float | None:
    """Seconds that a `Retry-After` header names, as a number or as a date; None where it names none."""
    if stated is None:
        return None
    if stated.strip().isdecimal():
        return float(stated)
    try:
        return max(0.0, parsedate_to_datetime(stated).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _told(error: urllib.error.HTTPError) -> str:
    """The error code of the answer, if it is a well-known one; nothing else of the answer is repeated."""
    try:
        stated = json.loads(error.read(65_536))["error"]["code"]
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException, RecursionError):
        return ""
    return stated if isinstance(stated, str) and stated in _TOLD else ""


def _words(cause: object) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return type(cause).__name__
