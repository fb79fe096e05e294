"""What a list shows of a memory, and what polarity and MMR read of it: rows by path (RETRIEVAL 7 and 9)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memhtml_core.rank.arms import in_space
from memhtml_core.rank.outcome import Card
from memhtml_core.rank.polarity import Claim, claim_text
from memhtml_core.rank.statements import Reader

_CARDS = """SELECT f.path, t.title, t.gist, f.memory_type, d.confidence, f.updated_at, f.event_at, f.archived,
  f.workspace, f.task_status, f.due_at,
  (SELECT group_concat(e.entity_type || ':' || e.entity_name, char(10))
   FROM file_entities e WHERE e.file_id = f.id)
FROM files f JOIN file_texts t ON t.file_id = f.id JOIN file_details d ON d.file_id = f.id
WHERE f.path IN (SELECT value FROM json_each(?1))"""

_SUPERSEDED = """SELECT dst_path, src_path FROM edges
WHERE dst_path IN (SELECT value FROM json_each(?1))
  AND edge_class = 'memory' AND rel = 'supersedes' AND derived = 0
ORDER BY dst_path, created_at DESC, src_path"""


def hydrate(reader: Reader, paths: Sequence[str]) -> dict[str, Card]:
    """The card of each path that is in the index, in the order given."""
    if not paths:
        return {}
    keys = json.dumps(list(paths))
    replaced = superseded_by(reader, paths)
    found: dict[str, Card] = {}
    for row in reader.rows(_CARDS, (keys,)):
        path, title, gist, kind, confidence, updated, event, archived, workspace, status, due, joined = row
        found[path] = Card(
            path=path,
            title=title,
            gist=gist,
            memory_type=kind,
            confidence=confidence,
            updated_at=updated,
            event_at=event,
            entities=split_entities(joined),
            superseded_by=replaced.get(path),
            archived=bool(archived),
            workspace=workspace,
            task_status=status,
            due_at=due,
        )
    return {path: found[path] for path in paths if path in found}


def superseded_by(reader: Reader, paths: Sequence[str]) -> dict[str, str]:
    """The memory that superseded each path, where one did: of several the latest, then the first by path."""
    found: dict[str, str] = {}
    for old, new in reader.rows(_SUPERSEDED, (json.dumps(list(paths)),)):
        found.setdefault(old, new)
    return found


def split_entities(joined: str | None) -> tuple[str, ...]:
    """Distinct `type:name` by UTF-16 code unit.

    The reference joins them with line feeds and splits there again, so an entity that holds a line feed
    counts as two; the same here, or answers would differ.
    """
    if not joined:
        return ()
    return tuple(sorted(set(joined.split("\n")), key=lambda name: name.encode("utf-16-be", "surrogatepass")))


def read_claims(reader: Reader, paths: Sequence[str], spaces: Sequence[int]) -> list[Claim]:
    """Text and vector of each path in the order given; the vector is that of its first chunk that has one."""
    sql = (
        "SELECT f.path, t.gist, substr(t.body_text, 1, 2000),\n"
        "  (SELECT v.vec FROM chunks c CROSS JOIN vectors v ON v.chunk_id = c.id\n"
        f"   WHERE c.file_id = f.id AND {in_space(spaces)} ORDER BY c.ordinal, v.space_id LIMIT 1)\n"
        "FROM files f JOIN file_texts t ON t.file_id = f.id\n"
        "WHERE f.path IN (SELECT value FROM json_each(?1))"
    )
    if not paths:
        return []
    found = {
        path: Claim(path, claim_text(gist, opening), vector)
        for path, gist, opening, vector in reader.rows(sql, (json.dumps(list(paths)),))
    }
    return [found[path] for path in paths]
