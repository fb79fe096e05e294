"""What a task's line says: status, when it is due, in words, and what stands in its way (DESIGN 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import DIM, Line, line, pair, span

if TYPE_CHECKING:
    from memhtml_core.browse.tasks import TaskFacts

_DAY = 86_400


def due_text(facts: TaskFacts, now: float, look: Look) -> Text:
    """When a task is due, in at most 12 cells: a day count from `now`, or the words it was given."""
    if facts.due is None:
        return line((facts.due_at or "-")[:10], "" if facts.due_at else DIM)
    if facts.overdue:
        late = int((now - facts.due) // _DAY)
        words = f"overdue {late:,} d" if late else "overdue"
        return span(words, look.style("error", bold=True))
    if facts.status == "done":
        return line((facts.due_at or "")[:10], DIM)
    left = int((facts.due - now) // _DAY)
    return Text("due today" if left <= 0 else f"in {left:,} d")


def held_text(facts: TaskFacts, look: Look) -> Text:
    """Which open tasks stand in the way, as a number in words; empty where none does."""
    blockers = [each for each in facts.waits_for if each.open and each.rel == "blocks"]
    parts = [each for each in facts.waits_for if each.open and each.rel != "blocks"]
    words = []
    if blockers:
        words.append(f"{len(blockers)} in the way")
    if parts:
        words.append(f"{len(parts)} parts open" if len(parts) > 1 else "1 part open")
    return span(", ".join(words), look.style("warning") if blockers else "")


def task_lines(facts: TaskFacts, now: float, look: Look) -> list[Line]:
    """Everything about one task, for the pane beside the list."""
    due = due_text(facts, now, look)
    if facts.due_at and due.plain != facts.due_at:
        due = line(facts.due_at).append("  ").append_text(due)
    lines = [pair("status", line(facts.status or "none given")), pair("due", due)]
    for each in facts.waits_for:
        label = "blocked by" if each.rel == "blocks" else "part"
        state = each.status or ("not in the index" if not each.title else "no status")
        body = line(each.title or each.path).append(f"  {state}", DIM)
        if not each.open:
            body.append("  out of the way", DIM)
        lines.append(pair(label, body, 11))
    lines += [pair("part of", line(path)) for path in facts.part_of]
    return lines
