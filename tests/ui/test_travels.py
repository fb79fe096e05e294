"""Requests to go back and forward through, queries that are kept, and where a memory's values lead."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from memhtml_core.browse.memory import MemoryView
from memhtml_core.errors import MemhtmlError
from memhtml_core.rank.request import FacetFilter, Ranking, Request, Scope
from memhtml_core.store.document import read_document
from memhtml_tui.hops import Hop, hops_of
from memhtml_tui.queries import LONGEST, QueryHistory, history_file, outside
from memhtml_tui.requesttext import parse_request
from memhtml_tui.settings import Options
from memhtml_tui.travels import MOST, enlarged, is_line, request_line
from memhtml_tui.visits import Visits

BASE = Request("", 0.0)

MEMORY = b"""<!doctype html><html lang="en"><head><title>Two writers</title>
<meta name="memhtml-type" content="semantic"><meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2024-03-01T08:00:00Z">
<meta name="memhtml-updated" content="2024-03-01T08:00:00Z">
<meta name="memhtml-tag" content="locks"><meta name="memhtml-tag" content="wal">
<meta name="memhtml-entity" content="tool:sqlite"></head>
<body><article><p><mark>Two writers wait for each other.</mark></p>
<dl><dt>tier</dt><dd>1</dd><dt>tier</dt><dd>2</dd></dl></article></body></html>"""


def query(text: str, **more: object) -> Request:
    return replace(BASE, query=text, **more)  # type: ignore[arg-type]


def view_of(path: str) -> MemoryView:
    memory = read_document(MEMORY, path)
    return MemoryView(path, memory.title, memory, None, None, (), (), (), None, False, False)


def test_back_and_forward_as_in_a_browser() -> None:
    visits = Visits()
    for text in ("a", "b", "c"):
        visits.leave(f"areas/{text}.html", 0, "path")
        assert visits.made(query(text))
    assert (visits.behind, visits.ahead) == (2, 0)
    visits.leave("areas/third.html", 200, "title")
    first = visits.go(-1)
    assert first is not None
    assert (first.request.query, first.pointed) == ("b", "areas/c.html")
    forward = visits.go(1)
    assert forward is not None
    assert (forward.request.query, forward.pointed, forward.offset, forward.sort) == (
        "c",
        "areas/third.html",
        200,
        "title",
    )
    assert visits.go(1) is None
    visits.go(-2)
    visits.made(query("d"))
    assert (visits.behind, visits.ahead) == (1, 0)
    assert visits.go(-2) is None


def test_typing_is_one_visit_until_it_is_settled() -> None:
    visits = Visits()
    visits.made(BASE)
    for text in ("f", "fe", "ferry"):
        visits.made(query(text), typing=True)
    assert visits.behind == 1
    assert visits.settle() == "ferry"
    visits.made(query("ferr"), typing=True)
    visits.made(query("fog"), typing=True)
    assert visits.behind == 2
    before = visits.go(-1)
    assert before is not None
    assert before.request.query == "ferry"


def test_what_is_turned_in_small_steps_is_no_visit_of_its_own() -> None:
    visits = Visits()
    visits.made(query("a"))
    assert not visits.made(query("a ", ranking=Ranking(memories_budget=15_000)))
    assert not visits.made(query("a", now=9.0, kind="recall", ranking=Ranking(k=61)))
    assert visits.current is not None
    assert visits.current.request.ranking.k == 61
    assert visits.made(query("a", ranking=Ranking(off=frozenset({"fts"}))))
    assert visits.made(query("a", limit=20))
    assert visits.made(query("a", scope=Scope(tags=("x",))))
    assert visits.made(query("a", like="areas/x.html"))
    assert visits.behind == 4


def test_the_oldest_visits_go() -> None:
    visits = Visits()
    for number in range(300):
        visits.made(query(str(number)))
    assert visits.behind == 199
    oldest = visits.go(-199)
    assert oldest is not None
    assert oldest.request.query == "100"


def test_queries_are_kept_once_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "state" / "queries.jsonl"
    history = QueryHistory(file)
    for text in ("one", "two", " one ", "one", "", "  "):
        if history.add(text):
            history.write(text)
    assert history.entries == ("one", "two")
    assert [json.loads(line) for line in file.read_text().splitlines()] == ["one", "two", "one"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    again = QueryHistory(file)
    again.add("three")
    again.load()
    assert again.entries == ("three", "one", "two")
    assert again.matching("TW") == ("two",)
    assert again.matching("e o") == ("one",)


def test_a_history_survives_odd_lines_and_stays_short(tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    lines = [json.dumps(f"q{number}") for number in range(3 * LONGEST)]
    file.write_bytes(
        "\n".join([*lines, "{", "7", '"\\u001b]0;x\\u0007"', '"' + "x" * 9_000]).encode() + b"\n\xff\n"
    )
    history = QueryHistory(file)
    history.load()
    assert history.entries[:2] == ("\x1b]0;x\x07", f"q{3 * LONGEST - 1}")
    assert len(history.entries) == LONGEST
    assert len(file.read_text("utf-8").splitlines()) == LONGEST
    assert QueryHistory(file).entries == ()


def test_nothing_is_written_without_a_file_and_nothing_through_a_link(tmp_path: Path) -> None:
    QueryHistory().write("kept in memory")
    assert list(tmp_path.iterdir()) == []
    target = tmp_path / "target"
    target.write_text("as it was")
    link = tmp_path / "queries.jsonl"
    link.symlink_to(target)
    with pytest.raises(MemhtmlError, match="cannot be kept"):
        QueryHistory(link).write("x")
    assert target.read_text() == "as it was"
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(MemhtmlError, match="cannot be kept"):
        QueryHistory(folder).load()


def test_where_queries_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert history_file({"MEMHTML_TUI_HISTORY": "off"}) is None
    assert history_file({"MEMHTML_TUI_HISTORY": str(tmp_path / "h")}) == tmp_path / "h"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file({}) == tmp_path / "memhtml-tui" / "queries.jsonl"
    inside = tmp_path / "store" / "h"
    assert outside(inside, tmp_path / "store") is None
    assert outside(inside, tmp_path / "other") == inside
    assert outside(inside, None) == inside
    os.symlink(tmp_path / "store", tmp_path / "alias")
    assert outside(tmp_path / "alias" / "h", tmp_path / "store") is None


def test_the_values_of_a_memory() -> None:
    hops = hops_of(view_of("projects/quay/two.html"))
    assert [(hop.axis, hop.words) for hop in hops] == [
        ("type", "semantic"),
        ("workspace", "quay"),
        ("tag", "locks"),
        ("tag", "wal"),
        ("entity", "tool:sqlite"),
        ("facet", "tier=1"),
        ("facet", "tier=2"),
    ]


@pytest.mark.parametrize(
    ("hop", "part", "value"),
    [
        (Hop("type", "arc"), "memory_types", ("arc",)),
        (Hop("workspace", "quay"), "workspace", "quay"),
        (Hop("tag", "b"), "tags", ("b",)),
        (Hop("entity", "tool:x"), "entity", "tool:x"),
        (Hop("facet", "2", "tier"), "facets", (FacetFilter("kind", "a"), FacetFilter("tier", "2"))),
    ],
)
def test_a_hop_says_one_thing_on_its_axis_and_leaves_the_others(hop: Hop, part: str, value: object) -> None:
    scope = Scope(
        memory_types=("semantic",),
        workspace="other",
        tags=("a",),
        entity="tool:y",
        facets=(FacetFilter("tier", "1"), FacetFilter("kind", "a")),
        include_archived=True,
    )
    narrowed = hop.narrowed(scope)
    assert getattr(narrowed, part) == value
    assert replace(narrowed, **{part: getattr(scope, part)}) == scope
    assert not hop.holds(scope)
    assert hop.holds(narrowed)
    assert replace(hop.alone(), **{part: getattr(Scope(), part)}) == Scope()


def test_a_request_as_a_line_says_what_it_was_asked_of(tmp_path: Path) -> None:
    request = query("two words", now=12.5, scope=Scope(tags=("a b",)))
    line = request_line(request, tmp_path, Options(source="tree", embedder="off", state="none"))
    assert line == (
        f"memhtml-tui search --store {tmp_path} --index tree --embedder off --state none "
        "--tag 'a b' --now 12.5 'two words'"
    )
    assert parse_request(line) == request
    assert is_line(line)
    assert is_line(f"  /usr/bin/{line}\n")


@pytest.mark.parametrize(
    "text", ["", "memhtml-tui", "memhtml-tui status", "search x", "about memhtml-tui search"]
)
def test_other_text_is_no_request(text: str) -> None:
    assert not is_line(text)


def test_more_hits_end_at_the_most() -> None:
    assert enlarged(query("a", limit=10)).limit == 20
    assert enlarged(query("a", limit=MOST - 3)).limit == MOST
    assert enlarged(query("a", limit=MOST)).limit == MOST
    assert enlarged(query("a", limit=MOST + 7)).limit == MOST + 7
