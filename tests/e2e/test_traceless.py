"""Looking changes nothing: the store is byte-identical after all but an explicit open (DESIGN 1, 4, 8)."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from memhtml_core.access.reinforce import reinforce
from memhtml_core.index.build import SourceChoice
from memhtml_core.opened import OpenStore, open_store
from memhtml_core.rank.request import FacetFilter, Ranking, Request, Scope
from tests.counts import count
from tests.fingerprint import changed, fingerprint
from tests.shared import shared
from tests.unit.test_imports import ROOT, calls

NOW = 1_790_000_000.0
WORDS = ["ferry", "fog", "timetable", "crane", "rope", "not", "without", "harbour", "日本", "a:b"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store as the reference wrote it: tree, .git, index.db and state.db."""
    with tarfile.open(shared("parity/small.tar.gz")) as archive:
        archive.extractall(tmp_path / "guest", filter="data")
    return next((tmp_path / "guest").iterdir())


@pytest.fixture
def planeless(store: Path) -> Path:
    """The same without a state.db, as a fresh clone has it."""
    for file in store.glob(".memhtml/state.db*"):
        file.unlink()
    return store


def wander(opened: OpenStore, runs: int, seed: int = 20) -> None:
    """Random searches, recalls, lists and peeks."""
    dice = random.Random(seed)
    paths = [card.path for card in opened.list(Scope(include_archived=True), limit=500).rows]
    facets = [FacetFilter("doc-type", "verdict"), FacetFilter("tier", "1")]
    for _ in range(runs):
        scope = Scope(
            memory_types=tuple(dice.sample(["semantic", "task", "arc", "episodic"], dice.randrange(3))),
            tags=tuple(dice.sample(["fog", "ferry", "fuel"], dice.randrange(2))),
            facets=tuple(dice.sample(facets, dice.randrange(2))),
            include_archived=dice.random() < 0.3,
            as_of="2024-02-01" if dice.random() < 0.2 else "",
        )
        query = " ".join(dice.choices(WORDS, k=dice.randrange(5)))
        off = dice.sample(["fts", "vector", "recency", "salience"], dice.randrange(2))
        request = Request(query, NOW, dice.choice(["search", "recall"]), scope, dice.randrange(1, 20))
        request = replace(request, ranking=Ranking(off=frozenset(off)))
        outcome = opened.search(request)
        if request.kind == "recall":
            opened.pack(outcome)
        opened.memory(dice.choice(paths))
        opened.list(scope, "opens")


@pytest.mark.parametrize("source", ["peer", "tree"])
def test_looking_leaves_no_trace(store: Path, tmp_path: Path, source: SourceChoice) -> None:
    before = fingerprint(store)
    with open_store(store, source=source, embedder="static", cache=tmp_path / "cache") as opened:
        wander(opened, count(60, 1_000))
        opened.refresh(full=True)
    assert changed(before, fingerprint(store)) == []


def test_an_open_changes_one_row_of_the_state_plane_and_nothing_else(store: Path, tmp_path: Path) -> None:
    before, rows = fingerprint(store), access_rows(store)
    with open_store(store, cache=tmp_path / "cache", embedder="off") as opened:
        path = next(card.path for card in opened.list().rows if card.path not in rows)
        done = reinforce(opened.root, [path], "neutral", "2026-12-01T00:00:00Z")
        row = opened.access_row(path)
    assert done.bumped == (path,)
    assert row is not None
    assert row.access_count == 1
    touched = {name for name in changed(before, fingerprint(store)) if name != ".memhtml"}
    assert touched <= {".memhtml/state.db", ".memhtml/state.db-wal", ".memhtml/state.db-shm"}
    after = access_rows(store)
    assert {name for name in rows.keys() | after.keys() if rows.get(name) != after.get(name)} == {path}


def test_a_missing_state_plane_is_made_by_the_first_open_only(planeless: Path, tmp_path: Path) -> None:
    before = fingerprint(planeless)
    with open_store(planeless, cache=tmp_path / "cache", embedder="off") as opened:
        wander(opened, 5)
        assert changed(before, fingerprint(planeless)) == []
        path = opened.list().rows[0].path
        reinforce(opened.root, [path], "positive", "2026-12-01T00:00:00Z")
        row = opened.access_row(path)
    assert row is not None
    assert row.last_reinforced_at == "2026-12-01T00:00:00Z"
    assert (planeless / ".memhtml" / "state.db").exists()


def test_git_sees_a_clean_store_afterwards(store: Path, tmp_path: Path) -> None:
    with open_store(store, source="tree", embedder="off", cache=tmp_path / "cache") as opened:
        wander(opened, 5)
    status = subprocess.run(
        ["git", "-C", str(store), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""


def access_rows(store: Path) -> dict[str, tuple[object, ...]]:
    """All access rows by path, read with the standard library's own SQLite."""
    connection = sqlite3.connect(store / ".memhtml" / "state.db")
    try:
        return {row[0]: row for row in connection.execute("SELECT * FROM access")}
    finally:
        connection.close()


def test_reinforce_is_called_by_an_explicit_open_alone() -> None:
    assert sorted(calls("reinforce")) == ["memhtml_tui/commands/read.py:run", "memhtml_tui/session.py:open"]


WRITES = re.compile(
    r"(insert\s+(or\s+\w+\s+)?into|replace\s+into|update(\s+or\s+\w+)?|delete\s+from)\s+(\w+\.)?access\b",
    re.I,
)


def test_only_the_access_package_writes_the_access_table() -> None:
    found = [
        file.relative_to(ROOT).as_posix()
        for folder in ("core", "memhtml_tui")
        for pattern in ("*.py", "*.sql")
        for file in sorted((ROOT / folder).rglob(pattern))
        if WRITES.search(file.read_text(encoding="utf-8"))
    ]
    # The mirror in our own cache is called by the same name; it is the one other place.
    assert set(found) <= {"core/memhtml_core/access/reinforce.py", "core/memhtml_core/index/usage.py"}
    assert "core/memhtml_core/access/reinforce.py" in found
