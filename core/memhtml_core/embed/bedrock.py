"""Cohere Embed v4 on Amazon Bedrock, as the reference embeds by default; needs the `bedrock` extra (boto3).

Credentials come from where boto3 looks for them; the region from MEMHTML_AWS_REGION. Memory text leaves the
machine.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from memhtml_core.embed import cohere
from memhtml_core.embed.check import packed
from memhtml_core.embed.protocol import Space
from memhtml_core.embed.waiting import within
from memhtml_core.errors import EmbedError

REGION = "us-east-1"
"""The region where none is configured, as in the reference."""

_CONNECT_S = 10
_READ_S = 60


class BedrockEmbedder:
    """One `invoke_model` call per 96 texts. `client` replaces boto3's for tests.

    Documents are sent as `search_document`, queries as `search_query`, the dimension is always stated. boto3
    does the retrying. Without boto3 or credentials every call raises `EmbedError` with what to install or
    set.
    """

    def __init__(self, region: str = REGION, *, client: Any = None) -> None:
        self._region = region
        self._client = client
        self._lock = threading.Lock()
        self._space = cohere.space()

    @property
    def space(self) -> Space:
        """The reference's space."""
        return self._space

    @property
    def label(self) -> str:
        """For people."""
        return f"{cohere.MODEL} on Bedrock in {self._region}"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """One blob per text; see the protocol."""
        return self._embed(list(texts), cohere.DOCUMENT, deadline)

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        """Embedded as a question, which this model tells from a document."""
        return self._embed([text], cohere.QUERY, deadline)[0]

    def _embed(self, texts: list[str], kind: str, deadline: float | None) -> list[bytes]:
        until = None if deadline is None else time.monotonic() + deadline
        blobs: list[bytes] = []
        for start in range(0, len(texts), cohere.BATCH):
            batch = texts[start : start + cohere.BATCH]
            left = None if until is None else until - time.monotonic()
            blobs += within(left, "Bedrock", partial(self._batch, batch, kind))
        return blobs

    def _batch(self, texts: list[str], kind: str) -> list[bytes]:
        body = {
            "texts": texts,
            "input_type": kind,
            "embedding_types": ["float"],
            "output_dimension": cohere.DIM,
        }
        client = self._connected()
        try:
            answer = client.invoke_model(
                modelId=cohere.MODEL,
                contentType="application/json",
                accept="application/json",
                body=json.dumps(body),
            )
            vectors = json.loads(answer["body"].read())["embeddings"]["float"]
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedError("Bedrock answered in a shape that this program does not know") from error
        except Exception as error:
            # Messages of the service may repeat the request, so its code stands for them.
            raise EmbedError(
                f"Bedrock refused or failed ({_code(error)})",
                subject=cohere.MODEL,
                remedy="Check the AWS credentials, the region (MEMHTML_AWS_REGION) and the model access",
            ) from None
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise EmbedError(f"Bedrock did not give one vector for each of {len(texts)} texts")
        return [packed(vector, cohere.DIM) for vector in vectors]

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = _client(self._region)
            return self._client


def _client(region: str) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise EmbedError(
            "embedding on Bedrock needs boto3, which is not installed",
            remedy="Install memhtml-tui[bedrock], or choose another embedder with --embedder",
        ) from error
    config = Config(
        connect_timeout=_CONNECT_S, read_timeout=_READ_S, retries={"max_attempts": 5, "mode": "adaptive"}
    )
    try:
        return boto3.client("bedrock-runtime", region_name=region, config=config)
    except Exception as error:
        raise EmbedError(
            f"Bedrock cannot be set up ({_code(error)})",
            remedy="Check MEMHTML_AWS_REGION and the AWS settings",
        ) from None


def _code(error: Exception) -> str:
    response = getattr(error, "response", None)
    stated = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return str(stated) if stated else type(error).__name__
