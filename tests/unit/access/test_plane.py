"""The state plane is read in every condition it may be in, and never touched."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from memhtml_core.access.guest import Moved, opened_untouched
from memhtml_core.access.plane import Plane
from memhtml_core.access.rows import AccessRow
from tests.shared import shared

Prints = Callable[[Path], dict[str, tuple[str, int]]]
Fill = Callable[..., Path]

LINE = '{"path":"areas/a.html","accessCount":3,"lastAccessedAt":"2024-01-01T00:00:00Z","updatedAt":"2024"}\n'


def export(root: Path, text: str) -> Path:
    path = root / ".memhtml" / "state" / "access.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_the_small_store_equal_the_recorded_ones(small: Path, prints: Prints) -> None:
    recorded = json.loads(shared("parity/rows_small.json").read_text("utf-8"))["access"]
    before = prints(small)
    plane = Plane(small)
    assert plane.state == "state.db"
    assert len(plane.rows()) == len(recorded["rows"])
    for row, values in zip(plane.rows(), sorted(recorded["rows"]), strict=True):
        assert {name: getattr(row, name) for name in recorded["columns"]} == dict(
            zip(recorded["columns"], values, strict=True)
        )
    assert plane.row("resources/people/zoe-muller.html") is not None
    assert plane.row("nowhere.html") is None
    assert prints(small) == before


def test_the_export_of_the_small_store_stands_in_for_a_missing_state_db(small: Path) -> None:
    from_database = Plane(small).rows()
    (small / ".memhtml" / "state.db").unlink()
    plane = Plane(small)
    assert plane.state == "export"
    assert "committed export" in plane.why
    assert [(r.path, r.access_count, r.last_accessed_at) for r in plane.rows()] == [
        (r.path, r.access_count, r.last_accessed_at) for r in from_database
    ]


def test_without_anything_there_is_no_plane(root: Path) -> None:
    plane = Plane(root)
    assert (plane.state, plane.rows()) == ("none", [])
    assert "no state plane" in plane.why
    assert (Plane(root / "missing").state, Plane(root / "missing").rows()) == ("none", [])


def test_switched_off(root: Path, fill: Fill) -> None:
    fill(("a.html", 1))
    plane = Plane(root, "none")
    assert (plane.state, plane.rows(), plane.row("a.html")) == ("none", [], None)


def test_an_open_writer_in_wal_mode_is_read_from_a_copy(
    root: Path, fill: Fill, prints: Prints, tmp_path: Path
) -> None:
    path = fill(("a.html", 1), journal="wal")
    writer = sqlite3.connect(path)
    writer.execute("UPDATE access SET access_count = 9")
    writer.commit()
    assert Path(f"{path}-wal").stat().st_size > 0
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = prints(root)
    plane = Plane(root, scratch=scratch)
    assert [row.access_count for row in plane.rows()] == [9]
    assert prints(root) == before
    assert list(scratch.iterdir()) == []
    writer.close()


def test_a_wal_database_at_rest_gets_no_companions(root: Path, fill: Fill) -> None:
    path = fill(("a.html", 1), journal="wal")
    assert path.read_bytes()[18:20] == b"\x02\x02"
    assert [row.access_count for row in Plane(root).rows()] == [1]
    assert sorted(file.name for file in path.parent.iterdir()) == ["state", "state.db"]


def test_a_writer_holding_the_lock_does_not_hold_up_reading(root: Path, fill: Fill, prints: Prints) -> None:
    path = fill(("a.html", 1))
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("UPDATE access SET access_count = 9")
    before = prints(root)
    assert [row.access_count for row in Plane(root).rows()] == [1]
    assert prints(root) == before
    writer.execute("ROLLBACK")
    writer.close()


def test_an_unfinished_journal_is_rolled_back_in_the_copy_only(
    root: Path, fill: Fill, prints: Prints
) -> None:
    path = fill(*((f"{n:04}.html", 1) for n in range(400)))
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("PRAGMA cache_spill = 1")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE access SET access_count = 9")
    # As after a crash: some pages are written, the journal that undoes them is still there.
    crashed = root.parent / "crashed"
    shutil.copytree(root, crashed)
    writer.execute("ROLLBACK")
    writer.close()
    assert (crashed / ".memhtml" / "state.db-journal").stat().st_size > 0
    before = prints(crashed)
    assert {row.access_count for row in Plane(crashed).rows()} == {1}
    assert prints(crashed) == before


def test_the_version_changes_with_every_write_and_only_then(root: Path, fill: Fill) -> None:
    assert Plane(root).version() == Plane(root).version()
    seen = {Plane(root).version()}
    export(root, LINE)
    seen.add(Plane(root).version())
    path = fill(("a.html", 1))
    plane = Plane(root)
    seen.add(plane.version())
    assert plane.version() == plane.version()
    assert plane.snapshot() is plane.snapshot()
    for opens in (2, 3):
        with sqlite3.connect(path) as writer:
            writer.execute("UPDATE access SET access_count = ?", (opens,))
        writer.close()
        seen.add(plane.version())
        assert [row.access_count for row in plane.rows()] == [opens]
        found = plane.row("a.html")
        assert found is not None
        assert found.access_count == opens
    assert len(seen) == 5


def test_a_commit_into_the_log_changes_the_version(root: Path, fill: Fill) -> None:
    path = fill(("a.html", 1), journal="wal")
    plane = Plane(root)
    seen = {plane.version()}
    writer = sqlite3.connect(path)
    for opens in (2, 3, 4):
        writer.execute("UPDATE access SET access_count = ?", (opens,))
        writer.commit()
        seen.add(plane.version())
        assert [row.access_count for row in plane.rows()] == [opens]
    writer.close()
    assert [row.access_count for row in plane.rows()] == [4]
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"this is a text file, not a database at all, and long enough to have a header", "damaged"),
        (b"SQLite format 3\x00" + b"\xff" * 4080, "damaged"),
    ],
)
def test_damage_is_said_in_words(root: Path, content: bytes, words: str, prints: Prints) -> None:
    (root / ".memhtml" / "state.db").write_bytes(content)
    export(root, LINE)
    before = prints(root)
    plane = Plane(root)
    assert (plane.state, plane.rows()) == ("none", [])
    assert words in plane.why
    assert prints(root) == before


def test_a_truncated_database_is_said_in_words(root: Path, fill: Fill) -> None:
    path = fill(*((f"{n:04}.html", 1) for n in range(400)))
    path.write_bytes(path.read_bytes()[:8192])
    plane = Plane(root)
    assert (plane.state, plane.rows()) == ("none", [])
    assert "damaged" in plane.why


def test_another_shape_is_said_in_words(root: Path, fill: Fill) -> None:
    fill(table="CREATE TABLE access (path TEXT, hits INTEGER)")
    plane = Plane(root)
    assert plane.state == "none"
    assert "unknown shape" in plane.why


def test_an_empty_file_counts_as_no_state_db(root: Path) -> None:
    (root / ".memhtml" / "state.db").write_bytes(b"")
    assert Plane(root).state == "none"
    assert "no access table yet" in Plane(root).why
    export(root, LINE)
    assert Plane(root).state == "export"


def test_odd_rows_are_mended_and_counted(root: Path, fill: Fill) -> None:
    loose = "CREATE TABLE access (path, access_count, reinforcement_count, outcome_score, last_accessed_at,"
    loose += " last_reinforced_at, updated_at)"
    at = "2024-01-01T00:00:00Z"
    fill(
        ("good.html", 2, 1, 0.5, at, at, at),
        ("minus.html", -3, -1, -7.0, at, None, at),
        ("huge.html", 2**63 - 1, 0, 9e99, at, None, at),
        ("null.html", None, None, None, None, None, None),
        ("text.html", "12", "x", "0.25", "yesterday", "", at),
        ("blob.html", b"\x01", b"", b"", b"\xff", None, at),
        ("half.html", 2.5, 0, 0.0, at, None, at),
        (None, 1, 0, 0.0, at, None, at),
        ("", 1, 0, 0.0, at, None, at),
        (b"\xff\xfe.html", 1, 0, 0.0, at, None, at),
        table=loose,
    )
    plane = Plane(root)
    found = {row.path: row for row in plane.rows()}
    assert found == {
        "good.html": AccessRow("good.html", 2, 1, 0.5, at, at, at),
        "minus.html": AccessRow("minus.html", 0, 0, -1.0, at, None, at),
        "huge.html": AccessRow("huge.html", 2**53 - 1, 0, 1.0, at, None, at),
        "null.html": AccessRow("null.html", 0, 0, 0.0, None, None, ""),
        "text.html": AccessRow("text.html", 12, 0, 0.25, "yesterday", "", at),
        "blob.html": AccessRow("blob.html", 0, 0, 0.0, None, None, at),
        "half.html": AccessRow("half.html", 2, 0, 0.0, at, None, at),
    }
    assert plane.snapshot().odd == 9
    assert "9 odd rows" in plane.why


@pytest.mark.parametrize(
    ("name", "rows", "skipped"),
    [("good", 2, 0), ("crlf-bom", 2, 0), ("truncated", 1, 1), ("foreign-paths", 6, 0), ("odd-values", 6, 6)],
)
def test_the_odd_exports_of_the_cases_are_read_line_by_line(
    root: Path, name: str, rows: int, skipped: int
) -> None:
    shutil.copyfile(shared(f"cases/inputs/state/{name}.jsonl"), export(root, ""))
    plane = Plane(root)
    assert plane.state == "export"
    assert len(plane.rows()) == rows
    assert plane.snapshot().odd == skipped
    assert all(row.access_count >= 0 and -1 <= row.outcome_score <= 1 for row in plane.rows())


def test_links_and_pipes_are_not_followed(root: Path, fill: Fill, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    shutil.move(fill(("a.html", 1)), elsewhere)
    state = root / ".memhtml" / "state.db"
    state.symlink_to(elsewhere)
    plane = Plane(root)
    assert plane.state == "none"
    assert "symbolic link" in plane.why
    state.unlink()
    os.mkfifo(state)
    assert Plane(root).state == "none"
    assert "not a plain file" in Plane(root).why
    state.unlink()
    sidecar = root / ".memhtml" / "state" / "access.jsonl"
    sidecar.symlink_to(elsewhere)
    assert "symbolic link" in Plane(root).why


def test_a_change_during_the_reading_is_noticed(root: Path, fill: Fill) -> None:
    path = fill(("a.html", 1))

    def read_while_written() -> None:
        with opened_untouched(path) as connection:
            list(connection.execute("SELECT * FROM access"))
            with sqlite3.connect(path) as writer:
                writer.execute("UPDATE access SET access_count = 2")
            writer.close()

    with pytest.raises(Moved):
        read_while_written()


def test_a_plane_that_never_holds_still_is_a_state_and_is_tried_again(
    root: Path, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fill(("a.html", 1))
    plane = Plane(root)
    pauses: list[float] = []
    real = apsw.Connection

    def writing_first(*arguments: object, **options: object) -> apsw.Connection:
        with sqlite3.connect(path) as writer:
            writer.execute("UPDATE access SET access_count = access_count + 1")
        writer.close()
        return real(*arguments, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr("memhtml_core.access.plane.time.sleep", pauses.append)
        patch.setattr("memhtml_core.access.guest.apsw.Connection", writing_first)
        assert plane.state == "none"
        assert "kept changing" in plane.why
    assert pauses
    assert plane.state == "state.db"
