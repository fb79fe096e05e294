"""Tasks: order, due dates and what stands in their way, against plain facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memhtml_core.browse.listing import list_memories
from memhtml_core.browse.tasks import InTheWay, list_tasks, task_facts
from memhtml_core.index.database import Database
from memhtml_core.rank.request import Scope
from tests.made_index import Row, make_index

NOON = 1_704_196_800.0
"""2024-01-02T12:00:00Z."""


def task(name: str, due: str | None = None, **rest: object) -> Row:
    made = Row(f"areas/tasks/{name}.html", name, memory_type="task", due=due)
    return replace(made, **rest)  # type: ignore[arg-type]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    rows = [
        task("yesterday", "2024-01-01"),
        task("today", "2024-01-02"),
        task("morning", "2024-01-02T08:00:00Z"),
        task("noon", "2024-01-02T12:00:00Z"),
        task("evening", "2024-01-02T20:00:00Z"),
        task("undated"),
        task("odd", "soon"),
        task("finished", "2023-01-01"),
        task("filed", "2023-01-01", archived=True),
        task("boat", "2024-01-03", workspace="boat"),
        Row("areas/note.html", "note"),
    ]
    made = make_index(tmp_path / "index.db", rows)
    made.run("UPDATE files SET task_status = 'done' WHERE path = 'areas/tasks/finished.html'")
    made.run("UPDATE files SET task_status = 'blocked' WHERE path = 'areas/tasks/undated.html'")
    links = [
        ("today", "blocks", "undated"),
        ("finished", "blocks", "undated"),
        ("filed", "blocks", "today"),
        ("gone", "blocks", "today"),
        ("morning", "subtask_of", "undated"),
        ("noon", "relates_to", "undated"),
    ]
    for src, rel, dst in links:
        made.run(
            "INSERT INTO edges VALUES (?1, ?2, ?3, 'task', 0, 1.0, '', NULL, NULL, NULL, '')",
            (f"areas/tasks/{src}.html", rel, f"areas/tasks/{dst}.html"),
        )
    return made


def names(found: object) -> list[str]:
    return [row.card.title for row in found.rows]  # type: ignore[attr-defined]


def test_open_tasks_come_first_then_by_due_date(database: Database) -> None:
    found = list_tasks(database, Scope(), NOON)
    order = ["morning", "noon", "evening", "yesterday", "today", "boat", "odd", "undated", "finished"]
    assert [row.facts.overdue for row in found.rows].count(True) == 3 == found.overdue
    assert (found.total, found.open) == (9, 8)
    assert names(found) == sorted(order, key=lambda name: _key(found, name))
    assert names(found) == [
        "yesterday",
        "morning",
        "noon",
        "evening",
        "today",
        "boat",
        "odd",
        "undated",
        "finished",
    ]
    assert names(list_tasks(database, Scope(), NOON, offset=2, limit=3)) == names(found)[2:5]
    assert names(list_tasks(database, Scope(workspace="boat", memory_types=("arc",)), NOON)) == ["boat"]
    assert "filed" in names(list_tasks(database, Scope(include_archived=True), NOON))


def _key(found: object, name: str) -> tuple[object, ...]:
    facts = next(row.facts for row in found.rows if row.card.title == name)  # type: ignore[attr-defined]
    return facts.status == "done", facts.due is None, facts.due or 0, name


@pytest.mark.parametrize(
    ("name", "now", "late"),
    [
        ("today", NOON, False),
        ("today", NOON + 43_199, False),
        ("today", NOON + 43_200, True),
        ("noon", NOON - 1, False),
        ("noon", NOON, True),
        ("odd", NOON * 2, False),
        ("finished", NOON, False),
        ("filed", NOON, False),
    ],
)
def test_overdue_at_the_end_of_a_day_or_at_the_instant(
    database: Database, name: str, now: float, late: bool
) -> None:
    cards = list_memories(database, Scope(memory_types=("task",), include_archived=True)).rows
    assert task_facts(database, cards, now)[f"areas/tasks/{name}.html"].overdue is late


def test_what_a_task_waits_for(database: Database) -> None:
    cards = list_memories(database, Scope(memory_types=("task", "semantic"), include_archived=True)).rows
    facts = task_facts(database, cards, NOON)
    assert "areas/note.html" not in facts
    undated = facts["areas/tasks/undated.html"]
    assert undated.waits_for == (
        InTheWay("areas/tasks/finished.html", "finished", "blocks", "done", False),
        InTheWay("areas/tasks/today.html", "today", "blocks", "todo", True),
        InTheWay("areas/tasks/morning.html", "morning", "subtask_of", "todo", True),
    )
    assert undated.held
    today = facts["areas/tasks/today.html"]
    assert [(each.path, each.open, each.status) for each in today.waits_for] == [
        ("areas/tasks/filed.html", False, "todo"),
        ("areas/tasks/gone.html", False, None),
    ]
    assert not today.held
    assert facts["areas/tasks/morning.html"].part_of == ("areas/tasks/undated.html",)
    assert task_facts(database, [], NOON) == {}
