"""Words of empty lists and of tasks."""

from __future__ import annotations

import pytest

from memhtml_core.browse.empty import EmptyReason, WhyEmpty
from memhtml_core.browse.facets import Removed
from memhtml_core.browse.goto import Place
from memhtml_core.browse.tasks import InTheWay, TaskFacts
from memhtml_core.rank.outcome import ArchivedPointer
from memhtml_tui.look import Look
from memhtml_tui.panes.empty import POINTERS, empty_text
from memhtml_tui.panes.tasks import due_text, held_text, task_lines
from memhtml_tui.screens.goto import place_text

LOOK = Look("ascii")
NOW = 1_750_000_000.0
DAY = 86_400


@pytest.mark.parametrize("reason", list(EmptyReason))
def test_every_reason_is_named_with_its_detail_and_a_remedy(reason: EmptyReason) -> None:
    text = empty_text(WhyEmpty(reason, (), ("so it is",), 9, 0, (), (), 0, ()), LOOK).plain
    assert f"{reason.value}: so it is" in text
    assert len(text.split("\n")) == 3
    assert "archived" not in text


def test_an_empty_scope_shows_what_would_help_and_what_is_archived() -> None:
    pointers = tuple(
        ArchivedPointer(f"archive/a-{n}.html", f"areas/a-{n}.html" if n else None) for n in range(7)
    )
    why = WhyEmpty(
        EmptyReason.SCOPE,
        (EmptyReason.STALE_INDEX,),
        ("none of 9 memories is in scope", "3 files are not taken up yet"),
        9,
        0,
        (Removed("tag", "", "tag:a or tag:b", True, 9, 4), Removed("type", "", "", False, 2, 1)),
        (),
        7,
        pointers,
    )
    text = empty_text(why, LOOK).plain
    assert "also stale index: 3 files are not taken up yet" in text
    assert "  tag:a or tag:b  4 in scope" in text
    assert "  tasks left out  1 in scope" in text
    assert "7 archived in this scope; a includes them" in text
    assert "  archive/a-0.html\n" in text
    assert "  archive/a-1.html -> superseded by areas/a-1.html" in text
    assert text.count("archive/a-") == POINTERS
    assert f"and {7 - POINTERS} more" in text


def test_stored_words_of_an_empty_list_do_not_act() -> None:
    why = WhyEmpty(
        EmptyReason.SCOPE,
        (),
        ("[/b] \x1b]0;x\x07 [@click=app.bell]",),
        1,
        0,
        (),
        (),
        1,
        (ArchivedPointer("archive/\x1b[2J\n.html", "areas/\u202e.html"),),
    )
    text = empty_text(why, LOOK)
    assert "[/b]" in text.plain
    assert "\x1b" not in text.plain
    assert "\u202e" not in text.plain
    assert not any(span.style.meta for span in text.spans if not isinstance(span.style, str))


def facts(status: str = "todo", due: float | None = None, *waits: InTheWay, late: bool = False) -> TaskFacts:
    stated = None if due is None else "2025-06-20"
    return TaskFacts(status, stated, None if due is None else int(due), late, waits, ())


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (facts(), "-"),
        (facts(due=NOW + 3600), "due today"),
        (facts(due=NOW + 40 * DAY), "in 40 d"),
        (facts(due=NOW - 5, late=True), "overdue"),
        (facts(due=NOW - 3 * DAY - 5, late=True), "overdue 3 d"),
        (facts("done", NOW - 3 * DAY), "2025-06-20"),
        (TaskFacts("todo", "next week", None, False, (), ()), "next week"),
    ],
)
def test_when_a_task_is_due(task: TaskFacts, words: str) -> None:
    assert due_text(task, NOW, LOOK).plain == words


def test_what_stands_in_the_way_of_a_task() -> None:
    blocker = InTheWay("areas/b.html", "Order the pump", "blocks", "todo", True)
    done = InTheWay("areas/d.html", "Ask first", "blocks", "done", False)
    part = InTheWay("areas/p.html", "", "subtask_of", None, True)
    task = facts("blocked", None, blocker, done, part)
    assert held_text(task, LOOK).plain == "1 in the way, 1 part open"
    assert held_text(facts("todo", None, done), LOOK).plain == ""
    text = [(line.label.plain.strip(), line.body.plain) for line in task_lines(task, NOW, LOOK)]
    assert ("blocked by", "Order the pump  todo") in text
    assert ("blocked by", "Ask first  done  out of the way") in text
    assert ("part", "areas/p.html  not in the index") in text


def test_a_place_shows_what_matched_and_whether_it_is_archived() -> None:
    place = Place("archive/areas/pump.html", "Order the pump", "task", True, "word", "title", ((10, 14),))
    text = place_text(place, LOOK, 60)
    assert text.plain.startswith("archived Order the pump")
    assert "pump" in [
        text.plain[span.start : span.end] for span in text.spans if "underline" in str(span.style)
    ]
    for width in range(1, 60):
        assert place_text(place, LOOK, width).cell_len <= width
    hostile = Place("areas/\x1b[2J.html", "a\nb \x1b]0;x\x07", "arc", False, "exact", "title", ((0, 9),))
    assert "\x1b" not in place_text(hostile, LOOK, 60).plain
    untitled = Place("areas/x.html", " ", "arc", False, "prefix", "path", ((0, 5),))
    assert place_text(untitled, LOOK, 60).plain == "areas/x.html"
