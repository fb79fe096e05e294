"""Bedrock is asked as the reference asks it; without boto3 it says what to install."""

from __future__ import annotations

import io
import json
import struct
import sys
import time
from typing import Any

import pytest

from memhtml_core.embed import cohere
from memhtml_core.embed.bedrock import BedrockEmbedder
from memhtml_core.embed.protocol import Embedder
from memhtml_core.errors import BadVector, EmbedError, EmbedTimeout

TEXT = "the memory nobody else may read"


class Client:
    """Answers as the service does; `change` spoils the vectors, `error` is raised instead."""

    def __init__(self, change: Any = None, error: Exception | None = None, wait: float = 0.0) -> None:
        self.asked: list[dict[str, Any]] = []
        self.change = change
        self.error = error
        self.wait = wait

    def invoke_model(self, **request: Any) -> dict[str, Any]:
        self.asked.append({**request, "body": json.loads(request["body"])})
        time.sleep(self.wait)
        if self.error is not None:
            raise self.error
        vectors = [[float(len(text) + 1)] * cohere.DIM for text in self.asked[-1]["body"]["texts"]]
        answer = {"embeddings": {"float": vectors}} if self.change is None else self.change(vectors)
        return {"body": io.BytesIO(json.dumps(answer).encode())}


class ClientError(Exception):
    """Of the shape of botocore's."""

    def __init__(self) -> None:
        super().__init__(TEXT)
        self.response = {"Error": {"Code": "AccessDeniedException", "Message": TEXT}}


def test_documents_and_queries_are_told_apart() -> None:
    client = Client()
    one = BedrockEmbedder("eu-west-1", client=client)
    assert isinstance(one, Embedder)
    assert one.space == cohere.space()
    assert "eu-west-1" in one.label
    blobs = one.embed_documents(["x" * n for n in range(200)])
    assert [len(asked["body"]["texts"]) for asked in client.asked] == [96, 96, 8]
    assert blobs[150] == struct.pack("<1024f", *[151.0] * 1024)
    assert one.embed_query("") == struct.pack("<1024f", *[1.0] * 1024)
    first, last = client.asked[0], client.asked[-1]
    assert first["modelId"] == "cohere.embed-v4:0"
    assert first["body"]["input_type"] == "search_document"
    assert last["body"] == {
        "texts": [""], "input_type": "search_query", "embedding_types": ["float"], "output_dimension": 1024
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [lambda v: {}, lambda v: {"embeddings": []}, lambda v: {"embeddings": {"float": v[1:]}}, lambda v: []],
)
def test_another_shape_is_refused(change: Any) -> None:
    with pytest.raises(EmbedError, match="Bedrock"):
        BedrockEmbedder(client=Client(change)).embed_query(TEXT)


@pytest.mark.parametrize("vector", [[0.0] * 1024, [1.0] * 3, [float("nan")] + [1.0] * 1023])
def test_bad_vectors_are_refused(vector: list[float]) -> None:
    with pytest.raises(BadVector):
        BedrockEmbedder(client=Client(lambda _: {"embeddings": {"float": [vector]}})).embed_query("a")


def test_a_refusal_is_told_by_its_code() -> None:
    with pytest.raises(EmbedError, match="AccessDeniedException") as caught:
        BedrockEmbedder(client=Client(error=ClientError())).embed_query(TEXT)
    assert TEXT not in str(caught.value)
    assert "MEMHTML_AWS_REGION" in str(caught.value)


def test_a_slow_service_is_left_at_the_deadline() -> None:
    started = time.monotonic()
    with pytest.raises(EmbedTimeout):
        BedrockEmbedder(client=Client(wait=2.0)).embed_query("a", deadline=0.2)
    assert time.monotonic() - started < 1.5


def test_without_boto3_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    one = BedrockEmbedder()
    assert one.space.dim == 1024
    with pytest.raises(EmbedError, match=r"memhtml-tui\[bedrock\]"):
        one.embed_query("a")


def test_the_client_is_made_once_in_its_region(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    made: list[tuple[str, str]] = []
    client = Client()

    def make(service: str, *, region_name: str, config: Any) -> Client:
        made.append((service, region_name))
        assert config["retries"]["max_attempts"] > 1
        return client

    monkeypatch.setitem(sys.modules, "boto3", types.SimpleNamespace(client=make))
    monkeypatch.setitem(sys.modules, "botocore", types.ModuleType("botocore"))
    monkeypatch.setitem(sys.modules, "botocore.config", types.SimpleNamespace(Config=dict))
    one = BedrockEmbedder("eu-north-1")
    one.embed_query("a")
    one.embed_query("b")
    assert made == [("bedrock-runtime", "eu-north-1")]
