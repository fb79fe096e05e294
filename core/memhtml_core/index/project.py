"""A memory into rows: the one place that knows which value goes into which table (STORE_FORMAT 3).

Both sources end here: the tree with `Memory` values, the peer with the rows of its own index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from memhtml_core.index.chunks import chunk_key, split
from memhtml_core.index.database import Database, Values
from memhtml_core.store.memory import Memory

_FILES = (
    *("path", "memory_type", "archived", "workspace", "created_at", "updated_at", "event_at"),
    *("valid_from", "valid_until", "task_status", "due_at"),
)
_DETAILS = (
    *("blob_sha", "content_hash", "para", "confidence", "importance", "origin_path", "word_count"),
    *("archived_at", "reprieves", "needs_revision", "author", "session_id", "prompt_id", "turn_uuid"),
    *("indexed_at", "frame_key"),
)
_TEXTS = ("title", "gist", "body_text", "fts_text", "disclosure_text")
FILE_COLUMNS = (*_FILES, *_DETAILS, *_TEXTS)
"""The columns of the reference's `files` table, grouped as our tables hold them."""

EDGE_COLUMNS = (
    *("src_path", "rel", "dst_path", "edge_class", "derived", "strength", "provenance", "sleep_run"),
    *("src_hash", "dst_hash", "created_at"),
)
"""The columns of `edges`, the same here and in the reference."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def _upsert(table: str, key: str, columns: Sequence[str]) -> str:
    names = (key, *columns)
    return (
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)}) "
        f"ON CONFLICT({key}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}"
    )


_WRITE_FILE = (
    _upsert("files", "id", ("ordinal", *_FILES)),
    _upsert("file_details", "file_id", _DETAILS),
    _upsert("file_texts", "file_id", _TEXTS),
)
_CHILDREN = ("file_tags", "file_entities", "file_facets", "file_citations")
_ADD_TAG = "INSERT OR IGNORE INTO file_tags(file_id, tag) VALUES (?1, ?2)"
_ADD_ENTITY = (
    "INSERT OR IGNORE INTO file_entities(file_id, entity_type, entity_name, folded) "
    "VALUES (?1, ?2, ?3, lower(?2 || ':' || ?3))"
)
_ADD_FACET = "INSERT OR IGNORE INTO file_facets(file_id, name, value, numeric_value) VALUES (?1, ?2, ?3, ?4)"
_ADD_CITATION = "INSERT OR IGNORE INTO file_citations(file_id, text, href) VALUES (?1, ?2, ?3)"
_ADD_CHUNK = (
    "INSERT INTO chunks(chunk_key, file_id, content_hash, ordinal, text, char_count) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(chunk_key) DO UPDATE SET file_id = excluded.file_id"
)
_ADD_EDGE = f"INSERT OR REPLACE INTO edges ({', '.join(EDGE_COLUMNS)}) VALUES ({', '.join('?' * 11)})"


def instant() -> str:
    """The present in the store's own grammar: UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_files(database: Database, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of `FILE_COLUMNS` plus `id` and `ordinal`; a row whose id is there is replaced in place."""
    for statement in _WRITE_FILE:
        database.run_many(statement, [{**row, "file_id": row["id"]} for row in rows])


def write_tags(database: Database, rows: Iterable[tuple[int, str]]) -> None:
    """Write (file id, tag); the first of equal ones counts."""
    _write(database, _ADD_TAG, rows)


def write_entities(database: Database, rows: Iterable[tuple[int, str, str]]) -> None:
    """Write (file id, entity type, entity name); case is kept beside a folded form for the scope."""
    _write(database, _ADD_ENTITY, rows)


def write_facets(database: Database, rows: Iterable[tuple[int, str, str, float | None]]) -> None:
    """Write (file id, name, value, number); the first of each (name, value) counts."""
    _write(database, _ADD_FACET, rows)


def write_citations(database: Database, rows: Iterable[tuple[int, str, str | None]]) -> None:
    """Write (file id, text, href); the first of each text counts."""
    _write(database, _ADD_CITATION, rows)


def write_chunks(database: Database, rows: Iterable[tuple[str, int, str, int, str, int]]) -> None:
    """Write (key, file id, content hash, ordinal, text, UTF-16 units); a known key only changes its owner."""
    _write(database, _ADD_CHUNK, rows)


def write_edges(database: Database, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write whole rows of `edges`."""
    _write(database, _ADD_EDGE, rows)


def _write(database: Database, sql: str, rows: Iterable[Values]) -> None:
    if rows:
        database.run_many(sql, rows)


def write_memory(database: Database, memory: Memory, file_id: int, at: str, *, new: bool) -> None:
    """Write everything that a memory of the tree projects to, replacing what `file_id` held if not `new`.

    Chunks of another text that the file owned stay in place: they may belong to another file by now, which
    only the end of the pass can tell (`treepass.py`).
    """
    row = {name: getattr(memory, name) for name in FILE_COLUMNS if name != "indexed_at"}
    row |= {"id": file_id, "ordinal": 0, "indexed_at": at}
    row["archived"], row["needs_revision"] = int(memory.archived), int(memory.needs_revision)
    if not new:
        _clear_children(database, file_id, memory.path)
    write_files(database, [row])
    write_tags(database, [(file_id, tag) for tag in memory.tags])
    write_entities(database, [(file_id, kind, name) for kind, name in memory.entities])
    write_facets(database, [(file_id, facet.name, facet.value, facet.numeric) for facet in memory.facets])
    write_citations(database, [(file_id, quote.text, quote.href) for quote in memory.citations])
    write_edges(
        database,
        [
            (
                *(memory.path, link.rel, link.dst_path, link.edge_class, 0, 1.0, "authored"),
                *(None, memory.content_hash, None, at),
            )
            for link in memory.links
        ],
    )
    write_chunks(database, chunk_rows(memory.content_hash, memory.body_text, file_id))


def chunk_rows(content_hash: str, body_text: str, file_id: int) -> list[tuple[str, int, str, int, str, int]]:
    """The chunk rows of a text. Half a character at a cut is stored as U+FFFD, as the reference does."""
    return [
        (
            chunk_key(content_hash, chunk.ordinal),
            file_id,
            content_hash,
            chunk.ordinal,
            _HALF_CHARACTER.sub("\ufffd", chunk.text),
            chunk.char_count,
        )
        for chunk in split(body_text)
    ]


def _clear_children(database: Database, file_id: int, path: str) -> None:
    """Remove tags, entities, facets, citations and authored edges of a file."""
    for table in _CHILDREN:
        database.run(f"DELETE FROM {table} WHERE file_id = ?1", (file_id,))
    database.run("DELETE FROM edges WHERE src_path = ?1", (path,))
