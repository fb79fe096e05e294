"""The HTTP embedder under every answer a server may give."""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
import time
import traceback
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from memhtml_core.embed import cohere
from memhtml_core.embed.endpoint import Endpoint, endpoint, model_map
from memhtml_core.embed.http import ATTEMPTS, HttpEmbedder
from memhtml_core.embed.protocol import Embedder
from memhtml_core.errors import BadVector, EmbedError, EmbedTimeout, UsageError

KEY = "sk-very-secret"
TEXT = "the memory nobody else may read"


def embedder(server: Any, clock: Any = None, *, model: str = "words", dim: int | None = 4) -> HttpEmbedder:
    at = Endpoint(server.url + "/v1/embeddings", model, model, dim, KEY)
    return HttpEmbedder(at) if clock is None else HttpEmbedder(at, sleep=clock.sleep, clock=clock)


def floats(blob: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(blob) // 4}f", blob))


def body(*vectors: Any, index: bool = True) -> bytes:
    entries = [{"index": i, "embedding": v} if index else {"embedding": v} for i, v in enumerate(vectors)]
    return json.dumps({"data": entries}).encode()


def assert_silent(error: BaseException) -> None:
    """Neither key nor text stands in an error or in what led to it."""
    told = "".join(traceback.format_exception(error)) + str(error) + repr(error)
    assert KEY not in told
    assert TEXT not in told


def test_it_is_an_embedder(server: Any) -> None:
    assert isinstance(embedder(server), Embedder)
    assert embedder(server).space.name == "words@4"
    assert embedder(server).space.digest
    assert server.url.removeprefix("http://") in embedder(server).label
    assert KEY not in embedder(server).label


def test_texts_go_out_in_batches_and_come_back_in_order(server: Any) -> None:
    texts = [f"text {n:03}" for n in range(200)]
    blobs = embedder(server).embed_documents(texts)
    assert [len(asked.body["input"]) for asked in server.asked] == [96, 96, 8]
    assert [text for asked in server.asked for text in asked.body["input"]] == texts
    assert floats(blobs[7]) == floats(embedder(server).embed_query("text 007"))
    asked = server.asked[0]
    assert asked.path == "/v1/embeddings"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "words"
    assert asked.body["dimensions"] == 4
    assert asked.body["encoding_format"] == "float"
    assert "input_type" not in asked.body
    assert embedder(server).embed_documents([]) == []


def test_the_reference_s_model_is_told_what_a_text_is(server: Any) -> None:
    server.reply = lambda _, asked: (200, {}, body(*[[0.5] * cohere.DIM] * len(asked.body["input"])))
    one = embedder(server, model=cohere.MODEL, dim=cohere.DIM)
    assert one.space == cohere.space()
    one.embed_documents(["a", "b"])
    one.embed_query("")
    assert [asked.body["input_type"] for asked in server.asked] == ["search_document", "search_query"]
    assert [asked.body["dimensions"] for asked in server.asked] == [1024, 1024]
    assert server.asked[1].body["input"] == [""]


def test_the_answer_is_ordered_by_its_index(server: Any) -> None:
    entries = [{"index": 1, "embedding": [2.0, 0, 0, 0]}, {"index": 0, "embedding": [1.0, 0, 0, 0]}]
    server.reply = lambda *_: (200, {}, json.dumps({"data": entries}).encode())
    assert [floats(blob)[0] for blob in embedder(server).embed_documents(["a", "b"])] == [1.0, 2.0]
    server.reply = lambda *_: (200, {}, body([1.0, 0, 0, 0], [2.0, 0, 0, 0], index=False))
    assert [floats(blob)[0] for blob in embedder(server).embed_documents(["a", "b"])] == [1.0, 2.0]


def test_base64_is_read_too(server: Any) -> None:
    packed = base64.b64encode(struct.pack("<4f", 1.0, 2.0, 3.0, 4.0)).decode()
    server.reply = lambda *_: (200, {}, body(packed))
    assert floats(embedder(server).embed_query("a")) == [1.0, 2.0, 3.0, 4.0]
    server.reply = lambda *_: (200, {}, body("~~"))
    with pytest.raises(EmbedError, match="base64"):
        embedder(server).embed_query("a")


def test_an_unstated_dimension_is_found_out_once(server: Any) -> None:
    one = embedder(server, dim=None)
    assert one.space.name == "words@4"
    one.embed_query("a")
    assert one.space.dim == 4
    assert [asked.body["input"] for asked in server.asked] == [["dimension"], ["a"]]
    assert "dimensions" not in server.asked[0].body


# Refusals for load.


def test_a_429_on_every_tenth_batch_only_costs_time(server: Any, clock: Any) -> None:
    def reply(number: int, asked: Any) -> tuple[int, dict[str, str], bytes]:
        if number % 10 == 0:
            return 429, {"Retry-After": "2"}, b'{"error":{"code":"rate_limit_exceeded"}}'
        return 200, {}, body(*([1.0, 0, 0, 0] for _ in asked.body["input"]))

    server.reply = reply
    assert len(embedder(server, clock).embed_documents(["text"] * (96 * 30))) == 96 * 30
    assert clock.slept == [2.0, 2.0, 2.0]
    assert len(server.asked) == 33


def test_a_date_in_retry_after_is_understood(server: Any, clock: Any) -> None:
    when = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
    server.reply = lambda number, asked: (
        (503, {"Retry-After": when}, b"") if number == 1 else (200, {}, body([1.0, 0, 0, 0]))
    )
    embedder(server, clock).embed_query("a")
    assert 25 < clock.slept[0] <= 30


@pytest.mark.parametrize("stated", ["soon", "", "-5", "1e9"])
def test_a_retry_after_that_says_nothing_is_replaced(server: Any, clock: Any, stated: str) -> None:
    server.reply = lambda number, _: (
        (429, {"Retry-After": stated}, b"") if number < 3 else (200, {}, body([1.0, 0, 0, 0]))
    )
    embedder(server, clock).embed_query("a")
    assert clock.slept == [0.5, 1.0]


def test_the_number_of_tries_is_bounded(server: Any, clock: Any) -> None:
    server.reply = lambda *_: (429, {"Retry-After": "1"}, b"")
    with pytest.raises(EmbedError, match="429") as caught:
        embedder(server, clock).embed_query(TEXT)
    assert not isinstance(caught.value, EmbedTimeout)
    assert len(server.asked) == ATTEMPTS
    assert clock.slept == [1.0] * (ATTEMPTS - 1)
    assert_silent(caught.value)


def test_a_wait_beyond_reason_is_not_waited(server: Any, clock: Any) -> None:
    server.reply = lambda *_: (429, {"Retry-After": "86400"}, b"")
    with pytest.raises(EmbedError, match="429"):
        embedder(server, clock).embed_query("a")
    assert clock.slept == []


def test_a_wait_beyond_the_deadline_is_not_waited(server: Any, clock: Any) -> None:
    server.reply = lambda *_: (503, {"Retry-After": "5"}, b"")
    with pytest.raises(EmbedTimeout, match="503"):
        embedder(server, clock).embed_query("a", deadline=4.0)
    assert clock.slept == []


def test_the_deadline_covers_all_batches_and_pauses(server: Any, clock: Any) -> None:
    server.reply = lambda number, asked: (
        (503, {"Retry-After": "2"}, b"") if number % 2 else (200, {}, body(*[[1.0, 0, 0, 0]] * 96))
    )
    with pytest.raises(EmbedTimeout):
        embedder(server, clock).embed_documents(["a"] * 960, deadline=9.0)
    assert clock.slept == [2.0] * 4


@pytest.mark.parametrize("status", [408, 500, 502, 504])
def test_a_failing_server_is_asked_again(server: Any, clock: Any, status: int) -> None:
    server.reply = lambda number, _: (status, {}, b"") if number < 4 else (200, {}, body([1.0, 0, 0, 0]))
    embedder(server, clock).embed_query("a")
    assert clock.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(server: Any, clock: Any, status: int) -> None:
    told = json.dumps({"error": {"code": "model_not_found", "message": f"{KEY} {TEXT}"}}).encode()
    server.reply = lambda *_: (status, {}, told)
    with pytest.raises(EmbedError, match=rf"{status} \(model_not_found\)") as caught:
        embedder(server, clock).embed_query(TEXT)
    assert len(server.asked) == 1
    assert caught.value.remedy
    assert_silent(caught.value)


def test_only_known_codes_are_repeated(server: Any) -> None:
    server.reply = lambda *_: (400, {}, json.dumps({"error": {"code": TEXT}}).encode())
    with pytest.raises(EmbedError, match="400") as caught:
        embedder(server).embed_query(TEXT)
    assert_silent(caught.value)


# Servers that hang, break off, or are not there.


def test_a_server_that_never_answers_is_left_at_the_deadline(server: Any) -> None:
    server.reply = lambda *_: None
    started = time.monotonic()
    with pytest.raises(EmbedTimeout, match="time limit") as caught:
        embedder(server).embed_query(TEXT, deadline=0.3)
    assert 0.25 < time.monotonic() - started < 1.5
    assert_silent(caught.value)


def test_a_server_that_drips_is_left_at_the_deadline() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while not stop.wait(0.05):
                try:
                    peer.sendall(b" ")
                except OSError:
                    return

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    at = Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/v1/embeddings", "words", "words", 4, KEY)
    started = time.monotonic()
    with pytest.raises(EmbedTimeout):
        HttpEmbedder(at).embed_query("a", deadline=0.4)
    assert time.monotonic() - started < 1.5
    stop.set()
    thread.join(5)
    listener.close()


@pytest.mark.parametrize("reply", [None, (429, {"Retry-After": "50"}, b"")])
def test_a_run_can_be_stopped_while_it_waits(server: Any, reply: Any) -> None:
    server.reply = lambda *_: reply
    one = embedder(server)
    threading.Timer(0.2, one.stop).start()
    started = time.monotonic()
    with pytest.raises(EmbedError, match="was stopped") as caught:
        one.embed_documents(["a"])
    assert not isinstance(caught.value, EmbedTimeout)
    assert time.monotonic() - started < 1.5


def test_a_deadline_in_the_past_asks_nobody(server: Any) -> None:
    with pytest.raises(EmbedTimeout):
        embedder(server).embed_query("a", deadline=0.0)
    assert server.asked == []


def test_a_cut_answer_is_asked_for_again(server: Any, clock: Any) -> None:
    whole = body([1.0, 0, 0, 0])
    server.reply = lambda number, _: (
        200,
        {"Content-Length": str(len(whole))},
        whole[: 10 if number < 3 else None],
    )
    embedder(server, clock).embed_query("a")
    assert len(server.asked) == 3


def test_nobody_listening_is_said_at_once(clock: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    one = HttpEmbedder(
        Endpoint(f"http://127.0.0.1:{port}/v1/embeddings", "words", "words", 4, KEY),
        sleep=clock.sleep,
        clock=clock,
    )
    with pytest.raises(EmbedError, match="cannot be reached") as caught:
        one.embed_query(TEXT)
    assert clock.slept == []
    assert_silent(caught.value)


# Answers of the wrong kind.


@pytest.mark.parametrize(
    "answer",
    [
        b'{"data": [{"index": 0, "embed', b"<!DOCTYPE html><title>Sign in</title>", b"", b"[]", b"null",
        b'{"data": []}', b'{"data": {"index": 0}}', b'{"data": [1]}',
        b'{"data": [{"embedding": [1, 2, 3, 4], "index": 5}]}',
        b'{"data": [{"index": 0}]}', b"[" * 100_000, b"\xff\xfe",
        body([1.0, 0, 0, 0], [1.0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_what_is_no_list_of_embeddings_is_refused(server: Any, clock: Any, answer: bytes) -> None:
    server.reply = lambda *_: (200, {}, answer)
    with pytest.raises(EmbedError) as caught:
        embedder(server, clock).embed_query(TEXT)
    assert not isinstance(caught.value, EmbedTimeout | BadVector)
    assert_silent(caught.value)


@pytest.mark.parametrize(
    "vector",
    ["[0, 0, 0, 0]", "[NaN, 1, 1, 1]", "[Infinity, 1, 1, 1]", "[1e400, 1, 1, 1]", '["a", 1, 1, 1]',
     "[null, 1, 1, 1]",
     "[[1], [1], [1], [1]]", "7", "{}"],
)  # fmt: skip
def test_bad_vectors_are_refused(server: Any, vector: str) -> None:
    server.reply = lambda *_: (200, {}, b'{"data": [{"index": 0, "embedding": ' + vector.encode() + b"}]}")
    with pytest.raises(BadVector):
        embedder(server).embed_query("a")


def test_another_dimension_is_said_to_be_another_model(server: Any) -> None:
    server.reply = lambda *_: (200, {}, body([1.0, 2.0]))
    with pytest.raises(EmbedError, match="2 values where 4 are due"):
        embedder(server).embed_query("a")


def test_a_dimension_that_changes_in_the_middle_stops_the_run(server: Any) -> None:
    server.reply = lambda number, asked: (
        200, {}, body(*[[1.0] * (4 if number < 3 else 8)] * len(asked.body["input"]))
    )  # fmt: skip
    one = embedder(server, dim=None)
    with pytest.raises(EmbedError, match="8 values where 4 are due"):
        one.embed_documents(["a"] * 300)
    assert one.space.dim == 4


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_refused(server: Any, status: int) -> None:
    server.reply = lambda number, _: (
        (status, {"Location": f"http://localhost:{server.url.rpartition(':')[2]}/v1/embeddings"}, b"")
        if number == 1
        else (200, {}, body([1.0, 0, 0, 0]))
    )
    with pytest.raises(EmbedError, match="redirects") as caught:
        embedder(server).embed_query(TEXT)
    assert len(server.asked) == 1
    assert_silent(caught.value)


# Where it is and what it is called.


@pytest.mark.parametrize(
    ("stated", "url"),
    [
        ("http://127.0.0.1:4000", "http://127.0.0.1:4000/v1/embeddings"),
        (" http://127.0.0.1:4000// ", "http://127.0.0.1:4000/v1/embeddings"),
        ("https://llm.example.org/v1", "https://llm.example.org/v1/embeddings"),
        ("https://llm.example.org/v1/", "https://llm.example.org/v1/embeddings"),
        ("https://llm.example.org/v1/embeddings", "https://llm.example.org/v1/embeddings"),
        ("https://llm.example.org/team/a", "https://llm.example.org/team/a/v1/embeddings"),
    ],
)
def test_addresses_with_and_without_the_route(stated: str, url: str) -> None:
    assert endpoint({"MEMHTML_LLM_BASE_URL": stated}).url == url


@pytest.mark.parametrize(
    "stated",
    [
        "127.0.0.1:4000",
        "ftp://host",
        "http://",
        "http:// host",
        "http://host?x=1",
        "http://[",
        "http://u:p@host",
    ],
)
def test_addresses_that_cannot_be_meant(stated: str) -> None:
    with pytest.raises(UsageError, match="MEMHTML_LLM_BASE_URL") as caught:
        endpoint({"MEMHTML_LLM_BASE_URL": stated})
    assert "u:p" not in str(caught.value)


BASE = {"MEMHTML_LLM_BASE_URL": "http://h"}


@pytest.mark.parametrize(
    ("environ", "sent_as"),
    [
        ({}, "bedrock/cohere.embed-v4:0"),
        ({"MEMHTML_LLM_MODEL_PREFIX": " "}, "bedrock/cohere.embed-v4:0"),
        ({"MEMHTML_LLM_MODEL_PREFIX": " NONE "}, "cohere.embed-v4:0"),
        ({"MEMHTML_LLM_MODEL_PREFIX": "litellm/"}, "litellm/cohere.embed-v4:0"),
        ({"MEMHTML_LLM_MODEL_MAP": "x=y, cohere.embed-v4:0=embed ,"}, "embed"),
        ({"MEMHTML_LLM_MODEL_MAP": "cohere.embed-v4:0=e", "MEMHTML_LLM_MODEL_PREFIX": "p/"}, "e"),
    ],
)
def test_the_reference_s_model_is_named_as_the_reference_names_it(
    environ: dict[str, str], sent_as: str
) -> None:
    at = endpoint({**BASE, **environ})
    assert (at.model, at.sent_as, at.dim) == (cohere.MODEL, sent_as, 1024)
    assert HttpEmbedder(at).space.name == "cohere.embed-v4:0@1024"


def test_a_model_of_one_s_own_is_not_prefixed_but_mapped() -> None:
    assert endpoint(BASE, model="nomic").sent_as == "nomic"
    assert endpoint({**BASE, "MEMHTML_LLM_MODEL_MAP": "nomic=n:latest"}, model="nomic").sent_as == "n:latest"
    assert endpoint(BASE, model="nomic").dim is None
    assert endpoint(BASE, model="nomic", dim=64).dim == 64


@pytest.mark.parametrize("text", ["a", "a=", "=b", "a=b,a=c", ",,a"])
def test_maps_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(UsageError, match="MEMHTML_LLM_MODEL_MAP"):
        model_map(text)


def test_keys() -> None:
    assert endpoint({**BASE, "MEMHTML_LLM_API_KEY": "  k "}).key == "k"
    assert endpoint({**BASE, "MEMHTML_LLM_API_KEY": "  "}).key is None
    for key in ("a\nb", "ключ"):
        with pytest.raises(UsageError, match="MEMHTML_LLM_API_KEY") as caught:
            endpoint({**BASE, "MEMHTML_LLM_API_KEY": key})
        assert key not in str(caught.value)
    at = endpoint({**BASE, "MEMHTML_LLM_API_KEY": KEY})
    assert KEY not in repr(at) + str(at)


def test_a_key_goes_only_where_it_belongs() -> None:
    environ = {"MEMHTML_LLM_BASE_URL": "https://proxy.example.org/v1", "MEMHTML_LLM_API_KEY": KEY}
    assert endpoint(environ, base_url="https://other.example.org").key is None
    assert endpoint(environ, base_url="https://proxy.example.org").key == KEY
    assert endpoint({"MEMHTML_LLM_API_KEY": KEY}, base_url="https://other.example.org").key == KEY


def test_no_address_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="MEMHTML_LLM_BASE_URL"):
        endpoint({})
