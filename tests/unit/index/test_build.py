"""What a build does to the cache and to the store: crashes, cancellation, damage, readers, other builders."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memhtml_core.errors import IndexDamaged, IndexFault, Interrupted
from memhtml_core.index.build import build
from memhtml_core.index.database import connect
from memhtml_core.index.freshness import freshness
from memhtml_core.index.location import Location
from memhtml_core.index.progress import Progress
from memhtml_core.index.report import Changes
from memhtml_core.store.tree import Tree
from tests.fingerprint import changed, fingerprint
from tests.unit.index.stores import commit, page, put

OLD, NEW = "areas/old.html", "areas/new.html"


def paths(location: Location) -> list[str]:
    with location.open("tree") as database:
        database.check()
        return [row[0] for row in database.rows("SELECT path FROM files ORDER BY path")]


@pytest.fixture
def filled(root: Path, location: Location) -> Path:
    """A store with one indexed memory."""
    put(root, OLD, page("Old holds."))
    build(Tree(root), location)
    return root


def test_progress_names_phases_counts_and_rate(root: Path, location: Location) -> None:
    for number in range(30):
        put(root, f"areas/{number:02}.html", page(f"Claim {number} holds."))
    told: list[Progress] = []
    report = build(Tree(root), location, progress=told.append)
    read = [step for step in told if step.phase == "read"]
    assert (read[0].done, read[-1].done, read[-1].total) == (0, 30, 30)
    assert read[-1].rate > 0
    assert report.rate > 0
    assert [step.phase for step in told][:1] == ["walk"]
    assert (report.changes.added, report.files, report.full) == (30, 30, True)


def test_an_update_counts_what_it_did(filled: Path, location: Location) -> None:
    put(filled, "areas/stays.html", page("Stays."))
    put(filled, "areas/goes.html", page("Goes."))
    put(filled, "areas/moves.html", page("Moves."))
    build(Tree(filled), location)
    put(filled, OLD, page("Old no longer holds."))
    put(filled, NEW, page("New holds."))
    (filled / "areas/goes.html").unlink()
    (filled / "areas/moves.html").rename(filled / "areas/moved.html")
    assert build(Tree(filled), location).changes == Changes(1, 1, 1, 1, 1)


@pytest.mark.parametrize("full", [True, False])
def test_a_cancelled_build_leaves_the_previous_index(filled: Path, location: Location, full: bool) -> None:
    put(filled, NEW, page("New holds."))
    before = location.current("tree")
    asked: list[str] = []

    def cancel() -> bool:
        return "read" in asked

    with pytest.raises(Interrupted):
        build(Tree(filled), location, full=full, progress=lambda p: asked.append(p.phase), cancel=cancel)
    assert location.current("tree") == before
    assert paths(location) == [OLD]
    assert len(list(location.folder.glob("tree-*.db"))) == 1
    assert build(Tree(filled), location).changes.added == 1


@pytest.mark.parametrize("phase", ["read", "settle", "carry vectors over"])
def test_a_process_that_dies_mid_build_leaves_the_previous_index(
    filled: Path, location: Location, phase: str
) -> None:
    put(filled, NEW, page("New holds."))
    program = """
import os, sys
from pathlib import Path
from memhtml_core.index.build import build
from memhtml_core.index.location import Location
from memhtml_core.store.tree import Tree
store, folder, phase = sys.argv[1:]
build(Tree(Path(store)), Location(Path(folder), Path(store)), full=True,
      progress=lambda p: os._exit(9) if p.phase == phase else None)
"""
    command = [sys.executable, "-c", program, str(filled), str(location.folder), phase]
    assert subprocess.run(command, timeout=60).returncode == 9
    assert paths(location) == [OLD]
    report = build(Tree(filled), location)
    assert (report.changes.added, report.files) == (1, 2)
    build(Tree(filled), location, full=True)
    assert len(list(location.folder.glob("tree-*.db"))) == 1, "what the dead process left is swept"


def test_a_reader_keeps_what_it_holds_while_a_full_build_takes_over(filled: Path, location: Location) -> None:
    with location.open("tree") as reader:
        first = location.generation("tree")
        put(filled, NEW, page("New holds."))
        build(Tree(filled), location, full=True)
        assert location.generation("tree") == first + 1
        assert reader.rows("SELECT path FROM files") == [(OLD,)]
        assert reader.path.exists()
    build(Tree(filled), location, full=True)
    assert [path.name for path in location.folder.glob("tree-*.db")] == [f"tree-{first + 2}.db"]


def test_a_reader_sees_an_update_as_a_whole(filled: Path, location: Location) -> None:
    with location.open("tree") as reader:
        version = reader.data_version()
        put(filled, NEW, page("New holds."))
        build(Tree(filled), location)
        assert reader.data_version() != version
        assert len(reader.rows("SELECT path FROM files")) == 2


def _overwrite(path: Path) -> None:
    path.write_bytes(b"\x00" * path.stat().st_size)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40_000])


def _older(path: Path) -> None:
    with connect(path, readonly=False) as database:
        database.run("PRAGMA user_version = 9999")


def _foreign(path: Path) -> None:
    with connect(path, readonly=False) as database:
        database.run("PRAGMA application_id = 7")


@pytest.mark.parametrize("damage", [_overwrite, _cut, _older, _foreign])
def test_a_damaged_or_foreign_index_is_replaced(filled: Path, location: Location, damage: object) -> None:
    path = location.current("tree")
    assert path is not None
    assert callable(damage)
    damage(path)
    with pytest.raises(IndexDamaged):
        paths(location)
    report = build(Tree(filled), location)
    assert report.full
    assert report.notes[0].startswith("built from nothing: the index cannot be used")
    assert paths(location) == [OLD]


def test_a_copy_that_a_dead_process_left_is_swept(filled: Path, location: Location) -> None:
    put(location.folder, "memhtml-guest-dead/copy.db", b"memory text")
    build(Tree(filled), location, full=True)
    assert not list(location.folder.glob("memhtml-guest-*"))


def test_two_builders_wait_for_each_other(filled: Path, location: Location) -> None:
    put(filled, NEW, page("New holds."))
    phases: list[str] = []
    done = threading.Event()

    def second() -> None:
        build(Tree(filled), location, progress=lambda p: phases.append(p.phase))
        done.set()

    with location.lock():
        other = threading.Thread(target=second)
        other.start()
        assert not done.wait(0.7)
        assert phases == ["wait for another process"]
        with pytest.raises(Interrupted):
            build(Tree(filled), location, cancel=lambda: True)
    other.join(30)
    assert done.is_set()
    assert paths(location) == [NEW, OLD]


def test_without_an_index_there_is_a_clear_error(root: Path, location: Location) -> None:
    with pytest.raises(IndexFault, match="there is no index yet"):
        location.open("tree")


def test_the_store_is_byte_identical_after_builds_updates_and_questions(
    filled: Path, location: Location
) -> None:
    put(filled, NEW, page("New holds."))
    commit(filled)
    put(filled, "areas/dirty.html", page("Dirty."))
    put(filled, "areas/bad.html", b"<p>bad</p>")
    before = fingerprint(filled)
    for full in (True, False):
        report = build(Tree(filled), location, full=full)
        with location.open("tree") as database:
            assert freshness(Tree(filled), database).current
    assert (report.files, report.problems, report.dirty) == (3, 1, 2)
    assert changed(before, fingerprint(filled)) == []


def test_freshness_counts_what_an_update_would_take_up(filled: Path, location: Location) -> None:
    commit(filled)
    build(Tree(filled), location)
    put(filled, NEW, page("New holds."))
    put(filled, OLD, page("Old is edited."))
    with location.open("tree") as database:
        stale = freshness(Tree(filled), database)
        assert (stale.pending, stale.dirty, stale.behind, stale.current) == (2, 2, 0, False)
        commit(filled)
        behind = freshness(Tree(filled), database)
        assert (behind.pending, behind.dirty, behind.behind) == (2, 0, 1)
    build(Tree(filled), location)
    with location.open("tree") as database:
        assert freshness(Tree(filled), database).current


def test_of_equal_active_files_the_first_is_indexed_and_the_other_named(
    root: Path, location: Location
) -> None:
    for path in ("archive/2024/areas/a.html", "areas/a.html", "resources/b.html"):
        put(root, path, page("The same."))
    put(root, "areas/inbox/tasks/t.html", page("The same.", kind="task"))
    build(Tree(root), location)
    with location.open("tree") as database:
        assert [row[0] for row in database.rows("SELECT path FROM files ORDER BY path")] == [
            "archive/2024/areas/a.html",
            "areas/a.html",
            "areas/inbox/tasks/t.html",
        ]
        problems = database.rows("SELECT path, reason, violations FROM problems")
        assert problems == [("resources/b.html", "duplicate", '["areas/a.html"]')]
        owner = database.rows("SELECT path FROM chunks c JOIN files f ON f.id = c.file_id")
        assert owner == [("areas/inbox/tasks/t.html",)]


def test_a_store_without_git_and_one_whose_git_is_broken_are_indexed(
    filled: Path, location: Location
) -> None:
    assert build(Tree(filled), location).head_sha is None
    commit(filled)
    assert build(Tree(filled), location).head_sha is not None
    (filled / ".git" / "index").write_bytes(b"broken")
    put(filled, NEW, page("New holds."))
    report = build(Tree(filled), location)
    assert report.files == 2
    assert report.dirty is None
    assert any("git" in note for note in report.notes)
