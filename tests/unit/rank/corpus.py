"""Small corpora of made-up memories, written straight into an index: what each test of the ranker ranks."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memhtml_core.embed.protocol import Space
from memhtml_core.index.database import Database, create

SPACE = Space("toy@4", 4)


@dataclass(frozen=True)
class Row:
    """One memory; only what the ranker reads. `vectors` holds one per chunk, None for a chunk without one."""

    path: str
    text: str = "plain words"
    gist: str = ""
    memory_type: str = "semantic"
    archived: bool = False
    workspace: str | None = None
    created_at: str = "2024-01-01T00:00:00Z"
    updated_at: str = "2024-01-02T00:00:00Z"
    event_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    ordinal: int = 0
    tags: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    facets: tuple[tuple[str, str], ...] = ()
    vectors: tuple[Sequence[float] | None, ...] = ()
    access: tuple[int, float, str | None] | None = None
    chunks: tuple[str, ...] = field(default=())


def blob(values: Iterable[float]) -> bytes:
    numbers = list(values)
    return struct.pack(f"<{len(numbers)}f", *numbers)


def fill(path: Path, rows: Iterable[Row], *, space: Space = SPACE, usage: bool = True) -> Database:
    """A new index at `path` that holds these memories, with `usage.access` attached from memory."""
    database = create(path)
    if usage:
        database.run("ATTACH ':memory:' AS usage")
        database.run(
            "CREATE TABLE usage.access(path TEXT PRIMARY KEY, access_count INTEGER, "
            "reinforcement_count INTEGER, outcome_score REAL, "
            "last_accessed_at TEXT, last_reinforced_at TEXT, updated_at TEXT)"
        )
    database.run(
        "INSERT INTO spaces(id, name, dim, digest) VALUES (1, ?1, ?2, ?3)",
        (space.name, space.dim, space.digest),
    )
    with database.transaction():
        for row in rows:
            add(database, row)
    return database


def add(database: Database, row: Row) -> None:
    database.run(
        "INSERT INTO files(path, ordinal, memory_type, archived, workspace, created_at, updated_at, "
        "event_at, valid_from, valid_until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        (
            *(row.path, row.ordinal, row.memory_type, int(row.archived), row.workspace, row.created_at),
            *(row.updated_at, row.event_at, row.valid_from, row.valid_until),
        ),
    )
    key = database.scalar("SELECT id FROM files WHERE path = ?1", (row.path,))
    database.run(
        "INSERT INTO file_details VALUES "
        "(?1, '', '', 'areas', 1.0, 5, NULL, 0, NULL, 0, 0, 'agent', NULL, NULL, NULL, '', NULL)",
        (key,),
    )
    database.run(
        "INSERT INTO file_texts VALUES (?1, ?2, ?3, ?4, ?4, ?4)", (key, row.path, row.gist, row.text)
    )
    for tag in row.tags:
        database.run("INSERT INTO file_tags VALUES (?1, ?2)", (key, tag))
    for kind, name in row.entities:
        database.run(
            "INSERT INTO file_entities VALUES (?1, ?2, ?3, lower(?2 || ':' || ?3))", (key, kind, name)
        )
    for name, value in row.facets:
        database.run("INSERT INTO file_facets VALUES (?1, ?2, ?3, NULL)", (key, name, value))
    for ordinal, vector in enumerate(row.vectors):
        text = row.chunks[ordinal] if ordinal < len(row.chunks) else f"{row.text} {ordinal}"
        database.run(
            "INSERT INTO chunks(chunk_key, file_id, content_hash, ordinal, text, char_count) "
            "VALUES (?1, ?2, '', ?3, ?4, 0)",
            (f"{row.path}:{ordinal}", key, ordinal, text),
        )
        if vector is not None:
            database.run(
                "INSERT INTO vectors SELECT 1, id, ?2, '' FROM chunks WHERE chunk_key = ?1",
                (f"{row.path}:{ordinal}", blob(vector)),
            )
    if row.access is not None:
        count, outcome, last = row.access
        database.run(
            "INSERT INTO usage.access VALUES (?1, ?2, 0, ?3, ?4, NULL, '')", (row.path, count, outcome, last)
        )
