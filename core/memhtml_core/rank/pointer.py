"""The pointer behind an empty scope: does it still match among the archived memories (seed section 6)?"""

from __future__ import annotations

from memhtml_core.rank.cards import superseded_by
from memhtml_core.rank.fusion import bound
from memhtml_core.rank.outcome import ArchivedPointer
from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import predicate
from memhtml_core.rank.statements import Reader


def archived_in_scope(reader: Reader, scope: Scope, limit: int) -> tuple[int, tuple[ArchivedPointer, ...]]:
    """How many archived memories the same scope holds, and the first max(1, limit) of them by path.

    A match, not a ranking. Nothing for an as-of scope, which sees archived memories anyway.
    """
    if scope.as_of:
        return 0, ()
    chosen = predicate(scope, archived="only")
    sql = f"SELECT f.path, count(*) OVER () FROM files f\nWHERE {chosen.where()} ORDER BY f.path LIMIT ?3"
    rows = reader.rows(sql, bound(sql, (None, None, max(1, limit), None), chosen.values))
    if not rows:
        return 0, ()
    paths = [row[0] for row in rows]
    replaced = superseded_by(reader, paths)
    return int(rows[0][1]), tuple(ArchivedPointer(path, replaced.get(path)) for path in paths)
