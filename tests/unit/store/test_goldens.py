"""The reference's own unit results, rows and refusals, reproduced from the same bytes."""

from __future__ import annotations

import functools
import json
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.errors import DocumentRefused
from memhtml_core.store import layout
from memhtml_core.store.content import canonical, content_hash
from memhtml_core.store.document import examine, read_document
from memhtml_core.store.git import Git
from memhtml_core.store.html import parse_fragment
from memhtml_core.store.memory import Memory
from memhtml_core.store.projections import frame_key
from memhtml_core.store.text import js_trim
from tests.shared import shared

Rows = dict[str, list[dict[str, Any]]]

COLUMNS = tuple(
    field.name
    for field in fields(Memory)
    if field.name not in ("tags", "entities", "facets", "citations", "links")
)[:31]
FILE_TABLES = ("files", "file_tags", "file_entities", "file_facets", "file_citations", "edges")


def _entity(text: str) -> dict[str, str] | None:
    parsed = layout.parse_entity(text)
    return None if parsed is None else {"entityType": parsed[0], "entityName": parsed[1]}


def _hash(markup: str) -> dict[str, str]:
    text = canonical(parse_fragment(js_trim(markup)).stream)
    return {"canonical": text, "hash": content_hash(text)}


UNITS: dict[str, Callable[[Any], Any]] = {
    "archive_path": lambda given: layout.archive_path(*given),
    "content_hash": _hash,
    "datetime": layout.is_datetime,
    "frame_key": frame_key,
    "indexable_path": layout.is_indexable,
    "normalize_path": layout.normalize_path,
    "original_path": layout.origin_path,
    "parse_entity": _entity,
    "root_href": layout.is_root_href,
    "slug": layout.slug,
    "valid_path": layout.is_usable_path,
    "workspace_of": layout.workspace_of,
}


@pytest.mark.shared
@pytest.mark.parametrize("group", sorted(UNITS))
def test_every_case_of_a_unit_group_agrees(group: str, units: dict[str, list[dict[str, Any]]]) -> None:
    cases = units[group]
    assert cases
    assert [(case["in"], UNITS[group](case["in"])) for case in cases] == [
        (case["in"], case["out"]) for case in cases
    ]


def rows_of(memories: Iterable[Memory]) -> Rows:
    """Memories in the shape of the reference's tables."""
    rows: Rows = {table: [] for table in FILE_TABLES}
    for memory in memories:
        path = memory.path
        rows["files"].append({column: getattr(memory, column) for column in COLUMNS})
        rows["file_tags"] += [{"path": path, "tag": tag} for tag in memory.tags]
        rows["file_entities"] += [
            {"path": path, "entity_type": kind, "entity_name": name} for kind, name in memory.entities
        ]
        facets: dict[tuple[str, str], float | None] = {}
        for facet in memory.facets:
            facets.setdefault((facet.name, facet.value), facet.numeric)
        rows["file_facets"] += [
            {"path": path, "name": name, "value": value, "numeric_value": numeric}
            for (name, value), numeric in facets.items()
        ]
        citations: dict[str, str | None] = {}
        for citation in memory.citations:
            citations.setdefault(citation.text, citation.href)
        rows["file_citations"] += [
            {"path": path, "text": text, "href": href} for text, href in citations.items()
        ]
        rows["edges"] += [
            {"src_path": path, "rel": link.rel, "dst_path": link.dst_path, "edge_class": link.edge_class}
            for link in memory.links
        ]
    return rows


@pytest.mark.shared
def test_documents_give_the_codes_the_warnings_and_the_rows(units: dict[str, list[dict[str, Any]]]) -> None:
    """Chunks are the index's matter; `indexed_at` and `blob_sha` stand in no document."""
    compared = 0
    for case in units["documents"]:
        data, name, want = case["in"]["html"].encode(), case["in"]["name"], case["out"]
        found = examine(data)
        assert list(found.violations) == want["violations"], name
        assert list(found.warnings) == want["warnings"], name
        if found.violations:
            assert want["rows"] is None, name
            with pytest.raises(DocumentRefused) as refused:
                read_document(data, "areas/self.html")
            assert list(refused.value.violations) == want["violations"]
            continue
        memory = read_document(data, "areas/self.html")
        mine = rows_of([memory])
        for table, theirs in want["rows"].items():
            if table in ("aliases", "abbreviations", "asides", "captions"):
                assert list(getattr(memory, table)) == theirs, (name, table)
            elif table != "chunks":
                keys = theirs[0].keys() - {"indexed_at"}
                assert [{key: row[key] for key in keys} for row in mine[table]] == [
                    {key: row[key] for key in keys} for row in theirs
                ], (name, table)
        assert {table for table in FILE_TABLES if mine[table]} == want["rows"].keys() & set(FILE_TABLES), name
        compared += 1
    assert compared > 30


def _stated(dump: dict[str, Any], table: str) -> list[dict[str, Any]]:
    columns = dump[table]["columns"]
    return [dict(zip(columns, row, strict=True)) for row in dump[table]["rows"]]


def _sorted(rows: list[dict[str, Any]], keys: list[str]) -> list[list[Any]]:
    return sorted(([row[key] for key in keys] for row in rows), key=str)


@functools.cache
def _read_commit(root: Path) -> tuple[list[Memory], list[dict[str, Any]]]:
    """Every committed file, symlinks included, as the reference reads them."""
    git = Git(root)
    entries = [entry for entry in git.ls_tree() if layout.is_indexable(entry.path)]
    memories, refused = [], []
    for entry, (sha, data) in zip(entries, git.cat_blobs(entry.blob_sha for entry in entries), strict=True):
        assert data is not None
        try:
            memory = read_document(data, entry.path)
        except DocumentRefused as error:
            refused.append({"path": error.path, "reason": list(error.violations)})
        else:
            assert memory.blob_sha == sha
            memories.append(memory)
    return memories, refused


@pytest.mark.shared
@pytest.mark.parametrize("name", ["small", "medium", "hostile"])
def test_committed_files_give_the_rows_of_the_reference(name: str, unpacked: Callable[[str], Path]) -> None:
    if name == "hostile":
        golden = json.loads(shared("parity/goldens_hostile.json").read_text(encoding="utf-8"))
        dump, skipped = golden["rows"], golden["rebuild"]["data"]["skipped"]
    else:
        dump, skipped = json.loads(shared(f"parity/rows_{name}.json").read_text(encoding="utf-8")), []
    memories, refused = _read_commit(unpacked(name))
    assert refused == skipped
    assert [memory.path for memory in memories] == dump["files_rowid_order"]
    mine = rows_of(memories)
    for table in FILE_TABLES:
        theirs = [row for row in _stated(dump, table) if not row.get("derived")]
        keys = [key for key in dump[table]["columns"] if not mine[table] or key in mine[table][0]]
        assert _sorted(mine[table], keys) == _sorted(theirs, keys), table
    assert set(dump["files"]["columns"]) - set(COLUMNS) == {"indexed_at"}


@pytest.mark.shared
@pytest.mark.parametrize("name", ["medium", "garden"])
def test_the_hash_that_the_reference_stamped_is_ours(
    name: str, unpacked: Callable[[str], Path], tmp_path: Path
) -> None:
    if name == "garden":
        with tarfile.open(shared("data/real-stores/peer-written-garden.tar.gz")) as tar:
            tar.extractall(tmp_path)
        memories, refused = _read_commit(tmp_path / "garden")
    else:
        memories, refused = _read_commit(unpacked(name))
    stamped = [memory for memory in memories if memory.stated_hash is not None]
    assert not refused
    assert len(stamped) > 20
    assert [memory.path for memory in stamped if memory.stated_hash != memory.content_hash] == []


@pytest.mark.shared
def test_every_file_of_the_oddities_is_judged_as_by_the_reference() -> None:
    """29b is taken here: that another file has the same text is for the index to say."""
    verdicts = json.loads(shared("cases/inputs/peer-verdicts.json").read_text(encoding="utf-8"))["files"]
    folder = shared("cases/inputs/html")
    compared = 0
    for verdict in verdicts:
        name = verdict["file"]
        if not (folder / name).exists() or name.startswith("29b"):
            continue
        compared += 1
        data = (folder / name).read_bytes()
        found = examine(data)
        assert bool(found.violations) is not verdict["accepted"], name
        if found.violations:
            assert len(found.violations) == len(verdict["reasons"]), name
            continue
        memory = read_document(data, f"areas/inbox/{name}")
        # The verdicts are cut where texts are long.
        assert memory.title.startswith(verdict["title"]), name
        assert memory.gist.startswith(verdict["gist"]), name
        assert memory.event_at == verdict["event_at"], name
        assert len(memory.body_text) == verdict["body_chars"], name
        facets = {(facet.name, facet.value): facet.numeric for facet in reversed(memory.facets)}
        assert sorted(map(str, ([*pair, number] for pair, number in facets.items()))) == sorted(
            map(str, verdict["facets"])
        ), name
        assert sorted(f"{kind}:{entity}" for kind, entity in memory.entities) == sorted(
            verdict["entities"]
        ), name
        assert all(
            mine.startswith(theirs)
            for mine, theirs in zip(sorted(memory.tags), sorted(verdict["tags"]), strict=True)
        ), name
    assert compared == 49
