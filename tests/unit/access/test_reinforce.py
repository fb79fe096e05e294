"""An open is counted exactly as the reference counts it, once, and nothing else is written."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.access import reinforce as module
from memhtml_core.access.instants import instant
from memhtml_core.access.plane import Plane
from memhtml_core.access.reinforce import COOLDOWN_S, NEVER, cooled_until, passes, reinforce, simulate
from memhtml_core.access.rows import AccessRow, Reinforced, Signal
from memhtml_core.errors import AccessError, PlaneLocked, UsageError
from tests.counts import count
from tests.shared import shared

Prints = Callable[[Path], dict[str, tuple[str, int]]]
Fill = Callable[..., Path]

AT = "2024-05-01T10:00:00Z"
PROJECT = Path(__file__).resolve().parents[3]


HOLDER = (
    "import sqlite3, sys\n"
    "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "database.execute('BEGIN IMMEDIATE')\n"
    "print('held', flush=True)\n"
    "sys.stdin.readline()\n"
    "database.execute('ROLLBACK')\n"
)
INTRUDER = (
    "import sqlite3, sys\n"
    "database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
    "try:\n"
    "    database.execute('BEGIN IMMEDIATE')\n"
    "    print('got in')\n"
    "except sqlite3.OperationalError as error:\n"
    "    print(error)\n"
)


def as_dicts(rows: list[AccessRow]) -> list[dict[str, Any]]:
    return [{name: getattr(row, name) for name in AccessRow.__slots__} for row in rows]


def test_the_golden_sequence(root: Path) -> None:
    steps = json.loads(shared("parity/goldens_units.json").read_text("utf-8"))["reinforce"]
    assert len(steps) == 14
    plane = Plane(root)
    for step in steps:
        asked, answer = step["in"], step["out"]
        before = {row.path: row for row in plane.rows()}
        done = reinforce(root, asked["paths"], asked["signal"], asked["at"])
        assert done == Reinforced(tuple(answer["bumped"]), tuple(answer["cooledDown"]))
        assert as_dicts(plane.rows()) == answer["rows"]
        for path in (*done.bumped, *done.cooled_down):
            predicted = simulate(before.get(path), asked["signal"], asked["at"], path=path)
            assert predicted == plane.row(path)


def test_a_new_plane_has_the_schema_of_the_reference(root: Path) -> None:
    reinforce(root, ["a.html"], "neutral", AT)
    path = root / ".memhtml" / "state.db"
    wanted = json.loads(shared("parity/schema.json").read_text("utf-8"))["state"]
    found: dict[str, Any] = {"_triggers": []}
    with sqlite3.connect(path) as database:
        found["_migrations"] = [
            name for (name,) in database.execute("SELECT name FROM schema_migrations ORDER BY name")
        ]
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            columns = [
                {"default": default, "name": name, "notnull": bool(required), "pk": key, "type": kind}
                for _, name, kind, required, default, key in database.execute(f"PRAGMA table_info({table})")
            ]
            indexes = [
                {
                    "columns": [row[2] for row in database.execute(f"PRAGMA index_info({name})")],
                    "name": name,
                    "partial": bool(partial),
                    "unique": bool(unique),
                }
                for _, name, unique, _, partial in database.execute(f"PRAGMA index_list({table})")
            ]
            found[table] = {
                "columns": columns,
                "foreign_keys": list(database.execute(f"PRAGMA foreign_key_list({table})")),
                "indexes": sorted(indexes, key=lambda index: str(index["name"])),
            }
    database.close()
    assert found == wanted
    # As the reference's own: a rollback journal, so that no companion stays behind.
    assert path.read_bytes()[18:20] == b"\x01\x01"
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == ["state.db"]


def test_the_checks_of_the_new_plane_hold(root: Path) -> None:
    reinforce(root, ["a.html"], "neutral", AT)
    with sqlite3.connect(root / ".memhtml" / "state.db") as database:
        for change in (
            "access_count = -1",
            "reinforcement_count = -1",
            "outcome_score = 1.5",
            "updated_at = NULL",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                database.execute(f"UPDATE access SET {change}")
        for table in ("edge_corroboration", "entity_corroboration"):
            with pytest.raises(sqlite3.IntegrityError):
                database.execute(f"INSERT INTO {table} VALUES ('a', 'b', 'c', 0, 0, 0, '')")
            with pytest.raises(sqlite3.IntegrityError):
                database.execute(f"INSERT INTO {table} VALUES ('a', 'b', 'c', 1, 2, 0, '')")
    database.close()


def test_one_open_changes_one_row_and_no_other_file(small: Path, prints: Prints) -> None:
    before = prints(small)
    rows = {row.path: row for row in Plane(small).rows()}
    path = "resources/people/zoe-muller.html"
    assert reinforce(small, [path], "positive", AT).bumped == (path,)
    after = prints(small)
    assert {name for name in after if after[name] != before.get(name)} == {".memhtml/state.db"}
    assert set(after) == set(before)
    changed = {row.path: row for row in Plane(small).rows() if rows.get(row.path) != row}
    assert changed == {path: simulate(rows[path], "positive", AT)}


def test_nothing_asked_makes_no_file(root: Path) -> None:
    assert reinforce(root, ["", ""], "neutral", AT) == Reinforced((), ())
    assert not (root / ".memhtml" / "state.db").exists()


def test_a_new_plane_begins_with_the_committed_export(small: Path) -> None:
    (small / ".memhtml" / "state.db").unlink()
    plane = Plane(small)
    exported = {row.path: row for row in plane.rows()}
    path = "areas/inbox/untitled.html"
    assert plane.state == "export"
    reinforce(small, [path, "areas/new.html"], "neutral", AT)
    assert plane.state == "state.db"
    rows = {row.path: row for row in plane.rows()}
    assert rows == {
        **exported,
        path: simulate(exported[path], "neutral", AT),
        "areas/new.html": simulate(None, "neutral", AT, path="areas/new.html"),
    }


@pytest.mark.parametrize("name", ["good", "crlf-bom", "truncated", "foreign-paths", "odd-values"])
def test_odd_exports_do_not_stop_the_first_open(root: Path, name: str) -> None:
    shutil.copyfile(shared(f"cases/inputs/state/{name}.jsonl"), root / ".memhtml" / "state" / "access.jsonl")
    plane = Plane(root)
    exported = plane.rows()
    reinforce(root, ["areas/first.html"], "neutral", AT)
    assert plane.state == "state.db"
    assert [row for row in plane.rows() if row.path != "areas/first.html"] == exported


def test_an_unreadable_export_stops_the_creation(root: Path) -> None:
    (root / ".memhtml" / "state" / "access.jsonl").mkdir()
    with pytest.raises(AccessError, match="export"):
        reinforce(root, ["a.html"], "neutral", AT)
    assert not (root / ".memhtml" / "state.db").exists()


def test_a_crash_before_the_end_leaves_what_counts_as_no_plane(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_UPSERT", "INSERT INTO nowhere VALUES (:path) RETURNING path")
    with pytest.raises(AccessError, match="nowhere"):
        reinforce(root, ["a.html"], "neutral", AT)
    monkeypatch.undo()
    assert Plane(root).state == "none"
    assert reinforce(root, ["a.html"], "neutral", AT).bumped == ("a.html",)


# The cooldown, twice.

BESIDE = apsw.Connection(":memory:")
BESIDE.execute((Path(module.__file__).parent / "schema.sql").read_text("utf-8"))


def by_statement(stored: str | None, at: str) -> bool:
    """Whether the upsert counts, asked from the statement itself on a table of its own."""
    BESIDE.execute("DELETE FROM access")
    BESIDE.execute("INSERT INTO access VALUES ('a', 1, 0, 0.0, ?, NULL, '')", (stored,))
    done = module.upsert(BESIDE, ["a"], "neutral", at)
    return done.bumped == ("a",)


@pytest.mark.parametrize(
    ("stored", "at", "counts"),
    [
        ("2024-05-01T09:45:01Z", AT, False),
        ("2024-05-01T09:45:00Z", AT, True),
        ("2024-05-01T09:44:59Z", AT, True),
        ("2024-05-01T09:45:00.4Z", AT, True),
        ("2024-05-01T09:45:00.9996Z", AT, True),
        ("2024-05-01T09:45:01.0Z", AT, False),
        ("2024-05-01T11:45:00+02:00", AT, True),
        (AT, AT, False),
        ("2024-06-01T00:00:00Z", AT, False),
        ("2099-01-01T00:00:00Z", AT, False),
        ("yesterday", AT, False),
        ("", AT, False),
        (None, AT, True),
        ("2024-04-30", "2024-05-01", True),
        ("2024-12-31T23:59:60Z", "2025-06-01", False),
    ],
)
def test_the_statement_and_its_twin_agree(stored: str | None, at: str, counts: bool) -> None:
    assert passes(stored, at) is counts
    assert by_statement(stored, at) is counts


@settings(max_examples=count(300, 5_000), deadline=None)
@given(
    st.integers(0, 4_000_000_000),
    st.integers(-3, 3).map(lambda near: COOLDOWN_S + near) | st.integers(-100_000, 100_000),
    st.sampled_from(["", ".0", ".25", ".999", ".9999"]),
    st.sampled_from(["", ".5", ".9999"]),
)
def test_both_agree_around_the_boundary(start: int, gap: int, stored_part: str, at_part: str) -> None:
    stored = instant(start)[:-1] + stored_part + "Z"
    at = instant(start + gap)[:-1] + at_part + "Z"
    assert passes(stored, at) is by_statement(stored, at)
    assert passes(stored, at) is (gap >= COOLDOWN_S)


@settings(max_examples=count(150, 3_000), deadline=None)
@given(st.none() | st.text(max_size=12), st.sampled_from([AT, "2024-05-01", "1970-01-01T00:00:00Z"]))
def test_both_agree_on_any_stored_text(stored: str | None, at: str) -> None:
    assert passes(stored, at) is by_statement(stored, at)


def test_changing_the_constant_changes_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COOLDOWN_S", 10)
    assert passes("2024-05-01T09:59:50Z", AT)
    assert by_statement("2024-05-01T09:59:50Z", AT)
    assert not by_statement("2024-05-01T09:59:51Z", AT)


SIGNALS = st.sampled_from(["neutral", "positive", "negative"])


@settings(max_examples=count(40, 300), deadline=None)
@given(st.lists(st.tuples(SIGNALS, st.integers(0, 2_000)), min_size=1, max_size=12))
def test_a_prediction_is_what_then_happens(steps: list[tuple[Signal, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plane = Plane(Path(folder))
        now = 1_700_000_000
        for signal, gap in steps:
            now += gap
            row = plane.row("a.html")
            wait = cooled_until(row, instant(now))
            done = reinforce(plane.root, ["a.html"], signal, instant(now))
            assert bool(done.bumped) is (wait is None)
            assert plane.row("a.html") == simulate(row, signal, instant(now), path="a.html")
            if wait is not None:
                assert passes(row.last_accessed_at if row else None, wait)


def test_cooled_until() -> None:
    row = AccessRow("a", 1, 0, 0.0, AT, None, AT)
    assert cooled_until(None, AT) is None
    assert cooled_until(row, AT) == "2024-05-01T10:15:00Z"
    assert cooled_until(row, "2024-05-01T10:14:59Z") == "2024-05-01T10:15:00Z"
    assert cooled_until(row, "2024-05-01T10:15:00Z") is None
    assert cooled_until(AccessRow("a", 1, 0, 0.0, "", None, AT), AT) == NEVER


# Refusals.


def test_what_cannot_be_meant_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="signal"):
        reinforce(root, ["a"], "great", AT)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="instant"):
        reinforce(root, ["a"], "neutral", "soon")
    with pytest.raises(AccessError, match="gone"):
        reinforce(root / "missing", ["a"], "neutral", AT)
    assert not (root / ".memhtml" / "state.db").exists()


def test_another_writer_is_waited_for_and_then_named(root: Path, fill: Fill, prints: Prints) -> None:
    path = fill(("a.html", 1))
    before = prints(root)
    # Another process, because two SQLite libraries in one process do not see each other's locks.
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdin
    assert other.stdout
    assert other.stdout.readline() == "held\n"
    started = time.monotonic()
    with pytest.raises(PlaneLocked, match="another process"):
        reinforce(root, ["a.html"], "neutral", AT, busy_ms=100)
    assert 0.05 < time.monotonic() - started < 1.5
    plane = Plane(root)
    assert [row.access_count for row in plane.rows()] == [1]
    late: list[Reinforced] = []
    waiting = threading.Thread(
        target=lambda: late.append(reinforce(root, ["a.html"], "neutral", AT, busy_ms=20_000))
    )
    waiting.start()
    # Reading is not held up by the one that waits.
    started = time.monotonic()
    for _ in range(20):
        plane.version()
    assert time.monotonic() - started < 1.0
    assert prints(root) == before
    other.communicate("go\n", timeout=30)
    waiting.join(30)
    assert late == [Reinforced(("a.html",), ())]
    assert [row.access_count for row in plane.rows()] == [2]


def test_reading_does_not_end_the_lock_of_a_write(
    root: Path, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fill(("a.html", 1))
    plane = Plane(root)
    seen: list[str] = []
    real = module.upsert

    def slow(*arguments: Any) -> Reinforced:
        reader = threading.Thread(target=plane.version)
        reader.start()
        reader.join(0.2)
        intruder = subprocess.run(
            [sys.executable, "-c", INTRUDER, str(path)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        seen.append(intruder.stdout.strip())
        return real(*arguments)

    monkeypatch.setattr(module, "upsert", slow)
    assert reinforce(root, ["a.html"], "neutral", AT).bumped == ("a.html",)
    assert seen == ["database is locked"]


def test_afterwards_the_lock_is_free(root: Path, fill: Fill) -> None:
    path = fill(("a.html", 1))
    reinforce(root, ["a.html"], "neutral", AT)
    other = sqlite3.connect(path, timeout=0)
    other.execute("UPDATE access SET access_count = 7")
    other.commit()
    other.close()
    assert [row.access_count for row in Plane(root).rows()] == [7]


def test_two_first_opens_at_once_lose_nothing(root: Path) -> None:
    done: list[Reinforced] = []

    def one(number: int) -> None:
        done.append(reinforce(root, [f"{number}.html", "same.html"], "neutral", AT, busy_ms=10_000))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = {row.path: row.access_count for row in Plane(root).rows()}
    assert rows == {**{f"{number}.html": 1 for number in range(8)}, "same.html": 1}
    assert sum("same.html" in answer.bumped for answer in done) == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("CREATE TABLE bookmarks (url TEXT)", "another program"),
        ("CREATE TABLE access (path TEXT PRIMARY KEY, hits INTEGER)", "has no access_count"),
    ],
)
def test_a_database_of_another_program_is_left_alone(
    root: Path, fill: Fill, prints: Prints, table: str, words: str
) -> None:
    fill(table=table)
    before = prints(root)
    with pytest.raises(AccessError, match=words):
        reinforce(root, ["a.html"], "neutral", AT)
    assert prints(root) == before


def test_damage_is_named_and_left_alone(root: Path, prints: Prints) -> None:
    (root / ".memhtml" / "state.db").write_bytes(
        b"no database at all, only some text that is long enough" * 20
    )
    before = prints(root)
    with pytest.raises(AccessError, match="cannot be used"):
        reinforce(root, ["a.html"], "neutral", AT)
    assert prints(root) == before


def test_a_link_is_not_written_through(root: Path, fill: Fill, tmp_path: Path, prints: Prints) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(fill(("a.html", 1)), elsewhere / "state.db")
    (root / ".memhtml" / "state.db").symlink_to(elsewhere / "state.db")
    before = prints(elsewhere)
    with pytest.raises(AccessError, match="symbolic link"):
        reinforce(root, ["a.html"], "neutral", AT)
    shutil.rmtree(root / ".memhtml")
    (root / ".memhtml").symlink_to(elsewhere)
    with pytest.raises(AccessError, match="symbolic link"):
        reinforce(root, ["a.html"], "neutral", AT)
    assert prints(elsewhere) == before


def test_a_store_reached_through_a_link_works(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert reinforce(tmp_path / "link", ["a.html"], "neutral", AT).bumped == ("a.html",)
    assert (root / ".memhtml" / "state.db").is_file()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_a_read_only_folder_is_named_and_nothing_is_lost() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".memhtml").mkdir()
        reinforce(root, ["a.html"], "neutral", AT)
        (root / ".memhtml" / "state.db").chmod(0o444)
        (root / ".memhtml").chmod(0o555)
        root.chmod(0o755)
        script = (
            "import sys, pathlib\n"
            "from memhtml_core.access.plane import Plane\n"
            "from memhtml_core.access.reinforce import reinforce\n"
            "from memhtml_core.errors import AccessError\n"
            "root = pathlib.Path(sys.argv[1])\n"
            "print(Plane(root).state)\n"
            "try:\n"
            "    reinforce(root, ['b.html'], 'neutral', '2024-06-01T00:00:00Z')\n"
            "except AccessError as error:\n"
            "    print(error)\n"
        )
        user = "nobody" if os.geteuid() == 0 else None
        done = subprocess.run(
            [sys.executable, "-c", script, folder],
            user=user,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
        )
        (root / ".memhtml").chmod(0o755)
        assert done.stderr == ""
        state, words = done.stdout.strip().split("\n")
        assert state == "state.db"
        assert "cannot be written" in words
        assert "--read-only" in words
        assert [row.path for row in Plane(root).rows()] == ["a.html"]


def test_nothing_else_writes_the_access_table() -> None:
    write = re.compile(
        r"\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+access\b", re.I
    )
    writers = {
        path.relative_to(PROJECT).as_posix()
        for folder in ("core", "memhtml_tui")
        for path in (PROJECT / folder).rglob("*")
        if path.suffix in (".py", ".sql") and write.search(path.read_text("utf-8"))
    }
    # The mirror in the cache has a table of that name too, in a database of its own.
    assert writers == {"core/memhtml_core/access/reinforce.py", "core/memhtml_core/index/usage.py"}
    users = {
        path.relative_to(PROJECT / "core" / "memhtml_core").parts[0]
        for path in (PROJECT / "core").rglob("*.py")
        if re.search(r"import .*\bDATABASE\b", path.read_text("utf-8"))
    }
    assert users == {"access"}
