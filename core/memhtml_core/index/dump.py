"""Every row of an index as plain data, in the shape and order in which the reference's rows are written down.

For comparing two indexes, ours with ours or ours with the reference's; vectors stand as their SHA-256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from memhtml_core.embed.protocol import Space
from memhtml_core.index.database import Database, Values
from memhtml_core.index.project import EDGE_COLUMNS
from memhtml_core.index.vectors import space_ids, stored_space

_FILES = (
    *("path", "blob_sha", "content_hash", "memory_type", "title", "body_text", "gist", "fts_text"),
    *("disclosure_text", "para", "workspace", "confidence", "importance", "archived", "origin_path"),
    *("word_count", "created_at", "updated_at", "event_at", "archived_at", "valid_from", "valid_until"),
    *("reprieves", "needs_revision", "author", "session_id", "prompt_id", "turn_uuid", "indexed_at"),
    *("task_status", "due_at", "frame_key"),
)
_ACCESS = (
    *("path", "access_count", "reinforcement_count", "outcome_score", "last_accessed_at"),
    *("last_reinforced_at", "updated_at"),
)
_PROBLEMS = ("path", "blob_sha", "reason", "violations", "detail")


def dump_rows(database: Database, space: Space | None = None) -> dict[str, Any]:
    """All rows: `{table: {columns, rows}}`, `files_rowid_order`, and `access` where usage is attached.

    `space` is the one whose vectors are written down; None takes that of `stored_space`.
    """
    used = space or stored_space(database)
    joined = "files f JOIN file_details d ON d.file_id = f.id JOIN file_texts t ON t.file_id = f.id"
    child = "SELECT f.path, {} FROM {} c JOIN files f ON f.id = c.file_id ORDER BY f.path, {}"
    rows = {
        "files": (_FILES, f"SELECT {', '.join(_FILES)} FROM {joined} ORDER BY path"),
        "file_tags": (("path", "tag"), child.format("tag", "file_tags", "tag")),
        "file_entities": (
            ("path", "entity_type", "entity_name"),
            child.format("entity_type, entity_name", "file_entities", "entity_type, entity_name"),
        ),
        "file_facets": (
            ("path", "name", "value", "numeric_value"),
            child.format("name, value, numeric_value", "file_facets", "name, value"),
        ),
        "file_citations": (("path", "text", "href"), child.format("text, href", "file_citations", "text")),
        "chunks": (
            ("chunk_id", "path", "content_hash", "ordinal", "text", "char_count"),
            "SELECT c.chunk_key, f.path, c.content_hash, c.ordinal, c.text, c.char_count "
            "FROM chunks c JOIN files f ON f.id = c.file_id ORDER BY c.chunk_key",
        ),
        "edges": (
            EDGE_COLUMNS,
            f"SELECT {', '.join(EDGE_COLUMNS)} FROM edges ORDER BY src_path, rel, dst_path",
        ),
    }
    dump = {name: _table(database, columns, sql) for name, (columns, sql) in rows.items()}
    dump["embeddings"] = _embeddings(database, used)
    dump["index_state"] = {
        "columns": ["id", "head_sha", "embed_model", "embed_dim", "rebuilt_at", "updated_at"],
        "rows": [_watermark(database, used)],
    }
    order = database.rows("SELECT path FROM files ORDER BY ordinal, path")
    if any(row[1] == "usage" for row in database.rows("PRAGMA database_list")):
        sql = f"SELECT {', '.join(_ACCESS)} FROM usage.access ORDER BY path"
        dump["access"] = _table(database, _ACCESS, sql)
    return dump | {"files_rowid_order": [row[0] for row in order]}


def dump_problems(database: Database) -> dict[str, Any]:
    """The files that are in the tree and not in the index, in the same shape."""
    return _table(database, _PROBLEMS, f"SELECT {', '.join(_PROBLEMS)} FROM problems ORDER BY path")


def _embeddings(database: Database, space: Space | None) -> dict[str, Any]:
    ids = space_ids(database, space) if space is not None else ()
    sql = (
        "SELECT c.chunk_key, s.name, s.dim, v.vec, v.created_at "
        "FROM vectors v JOIN chunks c ON c.id = v.chunk_id "
        f"JOIN spaces s ON s.id = v.space_id WHERE s.id IN ({', '.join(map(str, ids))}) ORDER BY c.chunk_key"
    )
    return _table(database, ("chunk_id", "model", "dim", "vec", "created_at"), sql)


def _watermark(database: Database, space: Space | None) -> list[Any]:
    return [
        1,
        database.meta("head_sha"),
        space.name if space else None,
        space.dim if space else None,
        database.meta("built_at"),
        database.meta("updated_at"),
    ]


def _table(database: Database, columns: Sequence[str], sql: str, values: Values = ()) -> dict[str, Any]:
    return {
        "columns": list(columns),
        "rows": [
            [hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value for value in row]
            for row in database.stream(sql, values)
        ],
    }
