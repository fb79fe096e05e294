"""Tasks in scope: status, due date, whether overdue, and what stands in their way (DESIGN 9)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memhtml_core.access.instants import epoch_seconds
from memhtml_core.browse.scoped import scoped
from memhtml_core.rank.cards import hydrate
from memhtml_core.rank.outcome import Card
from memhtml_core.rank.request import Scope
from memhtml_core.rank.scope import TASK

if TYPE_CHECKING:
    from memhtml_core.index.database import Database

DONE = "done"
DAY_S = 86_400
_DAY_LENGTH = len("2024-01-01")

_IN_THE_WAY = """SELECT e.dst_path, e.rel, e.src_path, coalesce(t.title, ''), f.task_status, f.archived
FROM edges e LEFT JOIN files f ON f.path = e.src_path LEFT JOIN file_texts t ON t.file_id = f.id
WHERE e.dst_path IN (SELECT value FROM json_each(?1)) AND e.rel IN ('blocks', 'subtask_of')
ORDER BY e.dst_path, e.rel, e.src_path"""

_PARENTS = """SELECT e.src_path, e.dst_path FROM edges e
WHERE e.src_path IN (SELECT value FROM json_each(?1)) AND e.rel = 'subtask_of'
ORDER BY e.src_path, e.dst_path"""


@dataclass(frozen=True, slots=True)
class InTheWay:
    """One task that another waits for: it `blocks` it, or is a part of it (`subtask_of`).

    `status` is None where it is not in the index. `open` is true until it is done, archived or gone.
    """

    path: str
    title: str
    rel: str
    status: str | None
    open: bool


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What a task's line shows beside its card.

    `due` is the instant at which it becomes overdue, in seconds since 1970: a stated day is due at its end
    (UTC); None without a due date, or one that is no instant. A done or archived task is never overdue.
    `waits_for` holds blockers, then parts, each by path; `part_of` the tasks that it is a part of.
    """

    status: str
    due_at: str | None
    due: int | None
    overdue: bool
    waits_for: tuple[InTheWay, ...]
    part_of: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether an open task blocks this one."""
        return any(each.open and each.rel == "blocks" for each in self.waits_for)


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its card."""

    card: Card
    facts: TaskFacts


@dataclass(frozen=True, slots=True)
class TaskList:
    """One page of the tasks in scope; `total` counts them all, `overdue` and `open` those of all pages."""

    rows: tuple[Task, ...]
    total: int
    open: int
    overdue: int
    offset: int


def list_tasks(database: Database, scope: Scope, now: float, offset: int = 0, limit: int = 100) -> TaskList:
    """The tasks that the scope holds, whatever types it names: open ones first, then by due date (none last),
    then by path. `now` is seconds since 1970.
    """
    where, values = scoped(replace(scope, memory_types=(TASK,)), "f", first=1)
    rows = database.rows(
        f"SELECT f.path, f.task_status, f.due_at, f.archived FROM files f WHERE {where}", values
    )
    lines = sorted(
        (
            (not _is_open(status, archived), due is None, due or 0, path)
            for path, status, due_at, archived in rows
            for due in (_due(due_at),)
        )
    )
    page = [path for *_, path in lines[offset : offset + limit]]
    cards = hydrate(database, page)
    facts = task_facts(database, list(cards.values()), now)
    return TaskList(
        rows=tuple(Task(cards[path], facts[path]) for path in page if path in cards),
        total=len(lines),
        open=sum(not closed for closed, *_ in lines),
        overdue=sum(not closed and not undated and due <= now for closed, undated, due, _ in lines),
        offset=offset,
    )


def task_facts(database: Database, cards: Sequence[Card], now: float) -> Mapping[str, TaskFacts]:
    """The facts of those cards that are tasks, by path: for the rows of a list that is already there."""
    tasks = [card for card in cards if card.memory_type == TASK]
    if not tasks:
        return {}
    keys = (json.dumps([card.path for card in tasks]),)
    waits: dict[str, list[InTheWay]] = {}
    for path, rel, other, title, status, archived in database.rows(_IN_THE_WAY, keys):
        still = archived is not None and _is_open(status, archived)
        waits.setdefault(path, []).append(InTheWay(other, title, rel, status, still))
    parents: dict[str, list[str]] = {}
    for path, other in database.rows(_PARENTS, keys):
        parents.setdefault(path, []).append(other)
    found = {}
    for card in tasks:
        due = _due(card.due_at)
        late = due is not None and due <= now and _is_open(card.task_status, card.archived)
        found[card.path] = TaskFacts(
            status=card.task_status or "",
            due_at=card.due_at,
            due=due,
            overdue=late,
            waits_for=tuple(waits.get(card.path, ())),
            part_of=tuple(parents.get(card.path, ())),
        )
    return found


def _is_open(status: str | None, archived: object) -> bool:
    return status != DONE and not archived


def _due(stated: str | None) -> int | None:
    at = epoch_seconds(stated)
    if at is None or stated is None:
        return None
    return at + DAY_S if len(stated) == _DAY_LENGTH else at
