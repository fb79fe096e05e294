"""The stores and cases of the reference's goldens, put to `search` directly."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from memhtml_core.access.plane import Plane
from memhtml_core.embed.protocol import Space
from memhtml_core.errors import EmbedError
from memhtml_core.index.build import build
from memhtml_core.index.database import Database
from memhtml_core.index.location import locate
from memhtml_core.index.usage import attach_usage
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import FacetFilter, Ranking, Request, Scope
from memhtml_core.store.tree import Tree
from tests.shared import shared

SPACE = Space("cohere.embed-v4:0@1024", 1024)
PRESENT = 1_767_225_600.0
"""2026-01-01: one of the clocks that the goldens were recorded under."""

ARCHIVES = {"small": "small", "medium": "medium", "small_clock": "small", "hostile_search": "hostile"}


class Stub:
    """The embedder of the goldens, or one that always fails."""

    space = SPACE
    label = "the deterministic embedding of the goldens"

    def __init__(self, plugin: ModuleType, *, fails: bool = False) -> None:
        self._plugin = plugin
        self._fails = fails

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        if self._fails:
            raise EmbedError("the embedder is down")
        vector: bytes = self._plugin.embed_blob(text)
        return vector

    def embed_documents(self, texts: Any, *, deadline: float | None = None) -> list[bytes]:
        return [self.embed_query(text) for text in texts]


def cases(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(shared(f"parity/goldens_{name}.json").read_text("utf-8"))
    return loaded


def embedders() -> dict[str, Stub | None]:
    """By the mode of a case."""
    spec = importlib.util.spec_from_file_location("det_embed", shared("parity/det_embed.py"))
    assert spec is not None
    assert spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    return {"vector": Stub(plugin), "lexical": None, "fail": Stub(plugin, fails=True)}


def opened(name: str, folder: Path, variant: Mapping[str, Any]) -> tuple[Database, bool]:
    """An index of the store behind these goldens, changed as the variant says; and whether usage is there."""
    with tarfile.open(shared(f"parity/{ARCHIVES[name]}.tar.gz")) as archive:
        archive.extractall(folder)
    store = next(path for path in folder.iterdir() if path.is_dir())
    with sqlite3.connect(store / ".memhtml" / "index.db") as peer:
        chunks = [(chunk,) for chunk in variant.get("dropEmbeddings", ())]
        peer.executemany("DELETE FROM embeddings WHERE chunk_id = ?", chunks)
    peer.close()
    if variant.get("noState"):
        for path in store.glob(".memhtml/state*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    location = locate(store, folder / "cache")
    build(Tree(store), location, source="peer")
    database = location.open("peer")
    usage = attach_usage(database, location, Plane(store))
    return database, usage.source != "none"


def request(case: Mapping[str, Any], now: str | None) -> Request:
    given = case["scope"]
    return Request(
        query=case["query"],
        now=PRESENT if now is None else datetime.fromisoformat(now.replace("Z", "+00:00")).timestamp(),
        kind=case["kind"],
        scope=Scope(
            memory_types=tuple(given.get("memoryTypes") or ()),
            workspace=given.get("workspace") or "",
            tags=tuple(given.get("tags") or ()),
            entity=given.get("entity"),
            facets=tuple(FacetFilter(pair["name"], pair["value"]) for pair in given.get("facets") or ()),
            include_archived=bool(given.get("includeArchived")),
            as_of=given.get("asOf") or "",
        ),
        limit=case.get("limit", 10),
        ranking=Ranking(coverage_floor=case.get("floor", 0.95)),
    )


def expected(case: Mapping[str, Any], paths: list[str]) -> dict[str, Any]:
    """A case in the shape of `answered`; a recall's pack is folded and compared elsewhere."""
    fused = [(paths[place], score) for place, score in case["fused"]]
    if case["polarity"] == "unchanged":
        pool = [(path, 1 / place) for place, (path, _) in enumerate(fused, start=1)]
    else:
        pool = [(paths[place], score) for place, score in case["polarity"]]
    wanted = {
        "forms": case["forms"],
        "matchUsed": case["matchUsed"],
        "armRanks": {name: [paths[place] for place in ranks] for name, ranks in case["armRanks"].items()},
        "fused": fused,
        "polarity": pool,
    }
    if case["kind"] == "search":
        wanted["result"] = {key: value for key, value in case["result"].items() if key != "entityScope"}
    return wanted


def answered(outcome: Outcome) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "forms": {"all": outcome.forms.all, "any": outcome.forms.any},
        "matchUsed": outcome.forms.used,
        "armRanks": {run.name: [entry.path for entry in run.entries] for run in outcome.arms},
        "fused": [(line.path, line.fused) for line in outcome.candidates if line.in_pool],
        "polarity": list(outcome.pool),
    }
    if outcome.request.kind == "search":
        answer["result"] = {
            "degraded": outcome.degraded,
            "vectorCoverage": outcome.vector_coverage,
            "arms": [run.name for run in outcome.arms],
            "scopeEmpty": outcome.scope_empty,
            "archivedMatches": outcome.archived_matches,
            "archived": [{"path": one.path, "supersededBy": one.superseded_by} for one in outcome.archived],
            "hits": [
                {
                    "path": hit.path,
                    "title": hit.card.title,
                    "gist": hit.card.gist,
                    "memoryType": hit.card.memory_type,
                    "score": hit.score,
                    "confidence": hit.card.confidence,
                    "updatedAt": hit.card.updated_at,
                    "snippet": hit.snippet,
                    "entities": list(hit.card.entities),
                    "supersededBy": hit.card.superseded_by,
                }
                for hit in outcome.hits
            ],
        }
    return answer
