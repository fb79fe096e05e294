"""The registry of arms: a ranker is one table entry, and nothing else counts them (seed section 1).

An arm is one SELECT of `(file, rank, value)` over memories in scope, rank from 1; `value` is what it sorted
by and is shown, never fused. A fifth arm is one more `Arm` in the tuple that a caller passes; dropping one is
a filter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memhtml_core.errors import UsageError
from memhtml_core.rank.scope import Predicate

Need = Literal["terms", "vector", "usage"]
"""What an arm cannot run without: words to match, a query vector, the state plane."""

FLOAT32_ULP = 2.0**-24

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TAKEN = frozenset({"shares", "files", "files_fts", "chunks", "vectors", "access", "usage"})


@dataclass(frozen=True, slots=True)
class ArmContext:
    """What an arm's SQL may build on. Values of the scope bind by its own slots; the rest is text.

    `now` is seconds since 1970 as a literal, `spaces` the ids of the request's vector space, `band` the
    largest difference between SQLite's float32 distance and the exact one.
    """

    scope: Predicate
    now: str
    spaces: Sequence[int] = ()
    band: str = "0.0"

    def where(self, alias: str = "f") -> str:
        """The scope over the `files` row named `alias`: the same for every arm."""
        return self.scope.where(alias)

    def in_space(self, alias: str = "v") -> str:
        """The condition that a `vectors` row belongs to the request's space."""
        return in_space(self.spaces, alias)


@dataclass(frozen=True, slots=True)
class Arm:
    """One ranker. `name` is an SQL identifier and the key everywhere; `letter` and `label` are for people.

    Raises `UsageError` for a name that the statement could not carry.
    """

    name: str
    letter: str
    label: str
    weight: float
    build: Callable[[ArmContext], str]
    needs: frozenset[Need] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name in _TAKEN:
            raise UsageError(
                "an arm cannot have this name",
                subject=self.name,
                remedy="Use lower-case letters, digits and _, and no name of a table",
            )


def in_space(spaces: Sequence[int], alias: str = "v") -> str:
    """The condition that a `vectors` row belongs to one of these space ids; false when there is none."""
    return f"{alias}.space_id IN ({', '.join(str(int(number)) for number in spaces)})"


def distance_band(dim: int) -> float:
    """How far a float32 cosine distance of `dim` terms can lie from the exact one, both sides together.

    Each of three sums of products errs by at most `dim` roundings, relative to the product of the norms. That
    holds for norms of 1e-17 to 1e19; where squares overflow or vanish, SQLite gives NULL, exactly 1 or an
    infinity, which count as not measured.
    """
    return 4.0 * (dim + 4) * FLOAT32_ULP


def _fts(context: ArmContext) -> str:
    # The window stands outside the limited subquery: inside, it would number the whole scan (seed 2.1).
    return f"""  SELECT file, row_number() OVER (ORDER BY value, ordinal, path), value FROM (
    SELECT f.id AS file, f.ordinal AS ordinal, f.path AS path, bm25(files_fts) AS value
    FROM files_fts JOIN files f ON f.id = files_fts.rowid
    WHERE files_fts MATCH ?1 AND {context.where()}
    ORDER BY value, f.ordinal, f.path LIMIT ?2)"""


def _vector(context: ArmContext) -> str:
    # SQLite's distance (float32) finds who can be among the first ?2; only those are measured exactly and
    # ordered by that. What it cannot measure (zero, huge, of another length) is measured exactly.
    return f"""  WITH near AS MATERIALIZED (
    SELECT f.id AS file, f.path AS path, min(CASE WHEN length(v.vec) = length(?4)
      THEN coalesce(nullif(nullif(vec_distance_cosine(v.vec, ?4), 1.0), 1e999), -2.0)
      ELSE -2.0 END) AS rough
    FROM files f CROSS JOIN chunks c ON c.file_id = f.id
    CROSS JOIN vectors v ON v.chunk_id = c.id AND {context.in_space()}
    WHERE {context.where()}
    GROUP BY f.id)
  SELECT file, row_number() OVER (ORDER BY value, path), value FROM (
    SELECT n.file AS file, n.path AS path, min(exact_distance(v.vec, ?4)) AS value
    FROM near n CROSS JOIN chunks c ON c.file_id = n.file
    CROSS JOIN vectors v ON v.chunk_id = c.id AND {context.in_space()}
    WHERE n.rough <= coalesce((SELECT rough FROM near WHERE rough > -2.0
      ORDER BY rough LIMIT 1 OFFSET ?2 - 1), 2.0) + {context.band}
    GROUP BY n.file ORDER BY value, n.path LIMIT ?2)"""


def _recency(context: ArmContext) -> str:
    return f"""  SELECT file, row_number() OVER (ORDER BY value DESC, path), value FROM (
    SELECT f.id AS file, f.path AS path, coalesce(f.event_at, f.updated_at) AS value
    FROM files f WHERE {context.where()}
    ORDER BY coalesce(f.event_at, f.updated_at) DESC, f.path LIMIT ?2)"""


def _salience(context: ArmContext) -> str:
    # The two exclusions belong to this arm alone: such a memory keeps its other ranks (seed section 2.4).
    return f"""  SELECT file, row_number() OVER (ORDER BY value DESC NULLS LAST, path), value FROM (
    SELECT f.id AS file, f.path AS path,
      exp(-0.01 * (({context.now}
        - unixepoch(coalesce(a.last_accessed_at, f.updated_at), 'subsec')) / 3600.0))
      + ln(1 + coalesce(a.access_count, 0)) + max(coalesce(a.outcome_score, 0.0), 0.0) AS value
    FROM files f LEFT JOIN usage.access a ON a.path = f.path
    WHERE {context.where()} AND f.memory_type <> 'task' AND f.path NOT GLOB 'resources/people/*'
    ORDER BY value DESC NULLS LAST, f.path LIMIT ?2)"""


ARMS: tuple[Arm, ...] = (
    Arm("fts", "F", "full text", 1.0, _fts, frozenset({"terms"})),
    Arm("vector", "V", "vector", 1.0, _vector, frozenset({"vector"})),
    Arm("recency", "R", "recency", 0.5, _recency),
    Arm("salience", "S", "salience", 0.4, _salience, frozenset({"usage"})),
)
"""The four arms of the reference, in the order in which they are always shown."""
