"""An index filled by hand: rows as a test states them, without files, parser or build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memhtml_core.index.database import Database, create

SPACE = "toy@2"


@dataclass(frozen=True)
class Row:
    path: str
    title: str = "Title"
    gist: str = "Gist."
    memory_type: str = "semantic"
    disclosure: str = "Gist."
    body: str = "Gist. More."
    archived: bool = False
    workspace: str | None = None
    created: str = "2024-01-01"
    updated: str = "2024-01-01"
    event: str | None = None
    due: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    tags: Sequence[str] = ()
    entities: Sequence[tuple[str, str]] = ()
    facets: Sequence[tuple[str, str]] = ()
    vector: bytes | None = field(default=None)


def make_index(path: Path, rows: Iterable[Row]) -> Database:
    """A new index with these rows in their order; a vector belongs to the only chunk, in `SPACE`."""
    database = create(path)
    with database.transaction():
        database.run("INSERT INTO spaces(id, name, dim) VALUES (1, ?1, 2)", (SPACE,))
        for number, row in enumerate(rows, start=1):
            _insert(database, number, row)
    return database


def _insert(database: Database, number: int, row: Row) -> None:
    database.run(
        "INSERT INTO files VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            number,
            row.path,
            0,
            row.memory_type,
            int(row.archived),
            row.workspace,
            row.created,
            row.updated,
            row.event,
            row.valid_from,
            row.valid_until,
            "todo" if row.memory_type == "task" else None,
            row.due,
        ),
    )
    database.run(
        "INSERT INTO file_details(file_id, blob_sha, content_hash, para, confidence, importance, word_count, "
        "reprieves, needs_revision, author, indexed_at) "
        "VALUES (?1, 'b', 'h' || ?1, 'areas', 1.0, 5, 2, 0, 0, 'a', '')",
        (number,),
    )
    texts = (number, row.title, row.gist, row.body, row.body, row.disclosure)
    database.run("INSERT INTO file_texts VALUES (?,?,?,?,?,?)", texts)
    for tag in row.tags:
        database.run("INSERT INTO file_tags VALUES (?,?)", (number, tag))
    for kind, name in row.entities:
        database.run(
            "INSERT INTO file_entities VALUES (?1, ?2, ?3, lower(?2 || ':' || ?3))", (number, kind, name)
        )
    for facet, value in row.facets:
        database.run("INSERT INTO file_facets VALUES (?,?,?,NULL)", (number, facet, value))
    database.run(
        "INSERT INTO chunks VALUES (?1, 'k' || ?1, ?1, 'h' || ?1, 0, ?2, ?3)",
        (number, row.body, len(row.body)),
    )
    if row.vector is not None:
        database.run("INSERT INTO vectors VALUES (1, ?1, ?2, '')", (number, row.vector))
