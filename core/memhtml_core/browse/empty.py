"""Why a result is empty: one reason of five, decided in a fixed order, and what else is true.

The order goes from what makes every other question idle to what is left when nothing stands in the way:

1. *nothing indexed*: the index holds no memory at all.
2. *scope*: memories are there, none of them in scope.
3. *degraded*: the scope holds some, but an arm that reads the query did not run, and the others saw nothing.
4. *stale index*: every arm that reads the query ran; but the store has moved on since the index was made.
5. *no match*: none of these; the query has nothing in this scope.

Several may hold: the first is the answer, the others are named behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from memhtml_core.browse.facets import Removed, removed_by
from memhtml_core.browse.listing import Listing, count_in_scope
from memhtml_core.rank.arms import ARMS, Arm
from memhtml_core.rank.outcome import ArchivedPointer, Candidate, MissingArm, MissingReason, Outcome
from memhtml_core.rank.pointer import archived_in_scope
from memhtml_core.rank.request import Scope

if TYPE_CHECKING:
    from memhtml_core.index.database import Database
    from memhtml_core.index.freshness import Freshness


class EmptyReason(str, Enum):
    """The closed list; the value is the wording that people see."""

    NOTHING_INDEXED = "nothing indexed"
    SCOPE = "scope"
    DEGRADED = "degraded"
    STALE_INDEX = "stale index"
    NO_MATCH = "no match"


@dataclass(frozen=True, slots=True)
class WhyEmpty:
    """The reason, the others that hold too, and what helps.

    `in_scope` and `indexed` count memories. `loosen` are the conditions whose lifting alone would bring
    memories into scope, those that bring most first; `missing` the arms that read the query and did not run.
    `archived_matches` counts the archived memories that the same scope would hold, `archived` names the first
    of them; both are empty where archived memories are in scope already. `details` has a line per reason.
    """

    reason: EmptyReason
    others: tuple[EmptyReason, ...]
    details: tuple[str, ...]
    indexed: int
    in_scope: int
    loosen: tuple[Removed, ...]
    missing: tuple[MissingArm, ...]
    archived_matches: int
    archived: tuple[ArchivedPointer, ...]


def why_no_hits(
    database: Database,
    outcome: Outcome,
    freshness: Freshness | None = None,
    *,
    arms: Sequence[Arm] = ARMS,
    pointers: int = 10,
) -> WhyEmpty | None:
    """Why a search has no hits, or a recall an empty pool; None where any memory was found, shown or not.

    Without `freshness` (it costs a walk of the tree) *stale index* is not considered. A query without words
    is no degradation.
    """
    if outcome.candidates:
        return None
    reading = {arm.name for arm in arms if reads_query(arm)}
    missing = tuple(
        each
        for each in outcome.missing
        if each.arm in reading and each.reason is not MissingReason.NO_QUERY_TERMS
    )
    return _why(database, outcome.request.scope, missing, freshness, pointers)


def why_no_rows(
    database: Database,
    listing: Listing,
    scope: Scope,
    freshness: Freshness | None = None,
    *,
    pointers: int = 10,
) -> WhyEmpty | None:
    """Why a list is empty; None where the scope holds memories (the page may still lie behind its end)."""
    return None if listing.total else _why(database, scope, (), freshness, pointers)


def reads_query(arm: Arm) -> bool:
    """Whether an arm looks at what was asked; the others order the whole scope by habit."""
    return bool(arm.needs & {"terms", "vector"})


def unseen(outcome: Outcome, arms: Sequence[Arm] = ARMS) -> bool:
    """Whether no arm that reads the query returned anything: hits are there by recency and salience alone.

    A query without words, which asks for nothing, does not count.
    """
    asked = bool(outcome.request.query.strip() or outcome.request.like)
    reading = {arm.name for arm in arms if reads_query(arm)}
    return asked and not any(run.entries for run in outcome.arms if run.name in reading)


def by_habit_alone(candidate: Candidate, arms: Sequence[Arm] = ARMS) -> bool:
    """Whether only arms that do not read the query (recency, salience) brought this memory."""
    return not any(arm.name in candidate.ranks for arm in arms if reads_query(arm))


def _why(
    database: Database,
    scope: Scope,
    missing: tuple[MissingArm, ...],
    freshness: Freshness | None,
    pointers: int,
) -> WhyEmpty:
    indexed = int(database.scalar("SELECT count(*) FROM files"))
    removed = removed_by(database, scope)
    in_scope = count_in_scope(database, scope)
    found: list[tuple[EmptyReason, str]] = []
    if not indexed:
        found.append((EmptyReason.NOTHING_INDEXED, "the index holds no memory"))
    elif not in_scope:
        found.append((EmptyReason.SCOPE, f"none of {indexed} memories is in scope"))
    if missing:
        words = ", ".join(f"{each.arm} ({_reason(each)})" for each in missing)
        found.append((EmptyReason.DEGRADED, f"did not run: {words}"))
    if freshness is not None and not freshness.current:
        found.append((EmptyReason.STALE_INDEX, _behind(freshness)))
    if not found:
        found.append((EmptyReason.NO_MATCH, f"nothing in {in_scope} memories matches"))
    loosen = sorted((each for each in removed if each.beyond), key=lambda each: -each.beyond)
    wide = scope.include_archived or in_scope
    count, paths = (0, ()) if wide else archived_in_scope(database, scope, pointers)
    return WhyEmpty(
        reason=found[0][0],
        others=tuple(reason for reason, _ in found[1:]),
        details=tuple(words for _, words in found),
        indexed=indexed,
        in_scope=in_scope,
        loosen=() if in_scope else tuple(loosen),
        missing=missing,
        archived_matches=count,
        archived=paths,
    )


def _reason(missing: MissingArm) -> str:
    return f"{missing.reason.value}, simulated" if missing.simulated else missing.reason.value


def _behind(freshness: Freshness) -> str:
    parts = []
    if freshness.pending:
        parts.append(f"{freshness.pending} files are not taken up yet")
    if freshness.peer_moved:
        parts.append("the store's own index was written since")
    if freshness.source == "peer" and freshness.dirty:
        parts.append(f"{freshness.dirty} files differ from the last commit")
    if freshness.head != freshness.indexed_head:
        parts.append(
            "the store has other commits" if not freshness.behind else f"{freshness.behind} commits behind"
        )
    return ", ".join(parts)
