"""Processes that die, wait or write at the same time (../shared/cases/bug-reports.md 43 to 45).

The index is the old or the new one afterwards, no open is lost or counted twice, and the store is as it was
but for a completed open.
"""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.counts import count
from tests.e2e.conftest import COMMAND, Run, memory
from tests.fingerprint import changed, fingerprint

OFF = ("--embedder", "off")
FERRY = "areas/ferry.html"
PLANE = ".memhtml/state.db"


def opens(store: Path) -> dict[str, int]:
    """Access counts by path, as the standard library's SQLite reads them."""
    if not (store / PLANE).exists():
        return {}
    with closing(sqlite3.connect(store / PLANE)) as plane:
        try:
            return dict(plane.execute("SELECT path, access_count FROM access"))
        except sqlite3.OperationalError:
            return {}  # an empty file that a killed first open left


def touched(store: Path, before: dict[str, tuple[object, ...]]) -> list[str]:
    """What changed beside the state plane, its companions and the folder that holds them."""
    return [
        name
        for name in changed(before, fingerprint(store))
        if name != ".memhtml" and not name.startswith(".memhtml/state.db")
    ]


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process that holds the write lock of a database."""
    code = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE')\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdin is not None
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        other.stdin.close()
        other.stdout.close()
        other.wait(10)


def test_a_plane_that_another_process_writes_is_waited_for_and_named(run: Run, store: Path) -> None:
    """43: reading goes on, the open is refused in words and nothing of it is written."""
    run("read", FERRY, "--store", store, "--now", "2024-03-01")
    with held(store / PLANE):
        before = fingerprint(store)
        assert run("search", "--store", store, *OFF, "ferry").returncode == 0
        done = run("read", FERRY, "--store", store, "--now", "2024-03-02")
        assert done.returncode == 1
        assert "The ferry leaves at six." in done.stdout
        assert "another process is writing the state plane" in done.stderr
        assert changed(before, fingerprint(store)) == []
    assert opens(store) == {FERRY: 1}
    assert run("read", FERRY, "--store", store, "--now", "2024-03-02").returncode == 0
    assert opens(store) == {FERRY: 2}


@pytest.mark.parametrize("damage", ["junk", "half", "foreign", "folder"])
def test_a_plane_in_trouble_is_named_and_left_alone(run: Run, store: Path, damage: str) -> None:
    """44, 45: searches go on without salience and say why; an open is refused; nothing is deleted."""
    run("read", FERRY, "--store", store)
    plane = store / PLANE
    if damage == "folder":
        plane.unlink()
        plane.mkdir()
    elif damage == "foreign":
        plane.unlink()
        with closing(sqlite3.connect(plane)) as other, other:
            other.execute("CREATE TABLE shopping (item TEXT)")
    else:
        data = plane.read_bytes()
        plane.write_bytes(b"no database at all\n" * 300 if damage == "junk" else data[: len(data) // 3])
    before = fingerprint(store)
    done = run("search", "--store", store, *OFF, "ferry", "--json")
    missing = {each["arm"]: each for each in json.loads(done.stdout)["missing"]}
    assert missing["salience"]["reason"] == "no state plane"
    assert missing["salience"]["detail"]
    refused = run("read", FERRY, "--store", store)
    assert refused.returncode == 1
    assert refused.stderr.startswith("memhtml-tui: ")
    assert changed(before, fingerprint(store)) == []


def test_a_damaged_index_is_said_in_one_line_and_replaced(run: Run, store: Path, tmp_path: Path) -> None:
    """45: a page overwritten: the same answer, a missing arm, or one line with the way out, which works."""
    for number in range(60):
        (store / f"areas/more-{number}.html").write_text(memory(f"Claim {number} of the ferry."), "utf-8")
    run("read", FERRY, "--store", store)
    asked = ("search", "--store", store, *OFF, "--now", "2024-03-02", "--plain", "ferry")
    good = run(*asked).stdout
    dice = random.Random(45)
    outcomes = set()
    for _ in range(count(8, 200)):
        (file,) = tmp_path.glob("cache/*/tree-[0-9]*.db")
        data = bytearray(file.read_bytes())
        place = dice.randrange(0, len(data), 16_384)
        data[place : place + 16_384] = dice.randbytes(16_384)
        file.write_bytes(data)
        done = run(*asked)
        if done.returncode:
            assert done.stderr.count("\n") == 1
            assert "index --full" in done.stderr
        outcomes.add((done.returncode, done.stdout == good))
        assert run("index", "--full", "--no-embed", "--store", store).returncode == 0
        assert run(*asked).stdout == good
    assert len(outcomes) > 1
    assert opens(store) == {FERRY: 1}


def spawn(environment: dict[str, str], *words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


@pytest.mark.parametrize("what", ["build", "update", "open"])
def test_killed_at_any_point(run: Run, store: Path, environment: dict[str, str], what: str) -> None:
    """The index is the old or the new one, the plane has the open or has not, and all is usable."""
    for number in range(150):
        (store / f"areas/more-{number}.html").write_text(memory(f"Claim {number} of the ferry."), "utf-8")
    run("list", "--store", store)
    dice, words = random.Random(9), ["index", "--no-embed", "--store", store]
    if what == "build":
        words.append("--full")
    counted = 0
    for turn in range(count(4, 34)):
        at = f"2024-03-{1 + turn // 24:02}T{turn % 24:02}:00:00Z"
        if what == "update":
            (store / f"areas/more-{turn}.html").write_text(memory(f"Other {turn} of the ferry."), "utf-8")
        elif what == "open":
            words = ["read", FERRY, "--store", store, "--now", at]
        before = fingerprint(store)
        process = spawn(environment, *words)
        time.sleep(dice.uniform(0.15, 0.9))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert touched(store, before) == []
        if what != "open":
            assert changed(before, fingerprint(store)) == []
        seen = opens(store).get(FERRY, 0)
        assert seen in (counted, counted + (what == "open"))
        counted = seen
        done = run("search", "--store", store, *OFF, "ferry", "--json", "--limit", "200")
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["hits"]) > 30
        assert run("list", "--store", store, "--plain", "--all").stdout.count("\n") == 155
    if what == "open":
        assert run("read", FERRY, "--store", store, "--now", "2025-01-01").returncode == 0
        assert opens(store)[FERRY] == counted + 1


def test_two_processes_index_and_open_one_store_at_once(
    run: Run, store: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """All end well; of opens of one memory at one instant one counts, those of different ones all do."""
    for number in range(80):
        (store / f"areas/more-{number}.html").write_text(memory(f"Claim {number} of the ferry."), "utf-8")
    before = fingerprint(store)
    racers = [spawn(environment, "index", "--full", "--no-embed", "--store", store) for _ in range(3)]
    for racer in racers:
        _, narration = racer.communicate(timeout=60)
        assert (racer.returncode, narration) == (0, b"")
    assert changed(before, fingerprint(store)) == []
    for turn in range(1, count(1, 10) + 1):
        at = f"2024-03-{turn:02}T08:00:00Z"
        paths = [FERRY, FERRY, FERRY, "areas/boiler.html"]
        racers = [spawn(environment, "read", path, "--store", store, "--now", at, "--json") for path in paths]
        counts = []
        for racer in racers:
            answer, narration = racer.communicate(timeout=60)
            assert racer.returncode == 0, narration
            counts.append(json.loads(answer)["open"]["counted"])
        assert (sum(counts[:3]), counts[3]) == (1, True)
        assert opens(store) == {FERRY: turn, "areas/boiler.html": turn}


def test_an_index_that_another_process_builds_is_waited_for(run: Run, store: Path, tmp_path: Path) -> None:
    run("list", "--store", store)
    (lock,) = tmp_path.glob("cache/*/lock.db")
    ended: list[int] = []
    with held(lock):
        waiting = threading.Thread(target=lambda: ended.append(_listed(store, tmp_path)))
        waiting.start()
        time.sleep(0.6)
        assert ended == []
    waiting.join(30)
    assert ended == [0]


def _listed(store: Path, tmp_path: Path) -> int:
    from memhtml_core.opened import open_store

    with open_store(store, embedder="off", cache=tmp_path / "cache") as opened:
        return 0 if opened.list().rows else 1


def test_a_judgment_waits_out_the_cooldown_and_says_until_when(run: Run, store: Path) -> None:
    """19: one open, a second within 15 minutes, a third after 16, and the salience arm in between."""

    def salience() -> dict[str, int]:
        done = run(
            "search", "--store", store, *OFF, "--json", "--now", "2024-03-02T12:00:00Z", "winter frost ferry"
        )
        return {hit["path"]: hit["ranks"].get("salience", 0) for hit in json.loads(done.stdout)["hits"]}

    assert set(salience().values()) == {0}
    assert "opens 0 -> 1" in run("read", FERRY, "--store", store, "--now", "2024-03-02T08:00:00Z").stderr
    assert salience()[FERRY] == 1
    for minute, signal_ in (("00", "neutral"), ("14", "helpful"), ("07", "misleading")):
        at = f"2024-03-02T08:{minute}:59Z"
        said = run("read", FERRY, "--store", store, "--signal", signal_, "--now", at).stderr
        assert "cooling down until 2024-03-02T08:15:00Z" in said
    assert opens(store) == {FERRY: 1}
    said = run(
        "read", FERRY, "--store", store, "--signal", "misleading", "--now", "2024-03-02T08:16:00Z"
    ).stderr
    assert "opened (misleading): opens 1 -> 2, outcome score -0.3" in said


UNKNOWN = [
    "areas/none.html",
    "/etc/passwd",
    "../x.html",
    ".memhtml/state.db",
    "areas/broken.html",
    "",
    "areas",
]


@pytest.mark.parametrize("path", UNKNOWN)
@pytest.mark.parametrize("flags", [(), ("--read-only",), ("--signal", "helpful")])
def test_an_unknown_path_is_refused_with_nothing_written(
    run: Run, store: Path, path: str, flags: tuple[str, ...]
) -> None:
    """P3: no orphan row, and no state plane for it either."""
    before = fingerprint(store)
    done = run("read", path, "--store", store, *flags)
    assert done.returncode == 1
    assert done.stderr.startswith("memhtml-tui: ")
    assert changed(before, fingerprint(store)) == []


def test_orphan_rows_are_counted_and_neither_ranked_nor_removed(run: Run, store: Path) -> None:
    run("read", FERRY, "--store", store)
    (store / FERRY).unlink()
    with closing(sqlite3.connect(store / PLANE)) as plane, plane:
        plane.execute(
            "INSERT INTO access SELECT 'areas/never.html', 9, 0, 0.9, last_accessed_at, NULL, updated_at "
            "FROM access"
        )
    before = fingerprint(store)
    assert "access rows: 2, 2 of no indexed memory" in run("status", "--store", store, *OFF).stdout
    assert "never" not in run("search", "--store", store, *OFF, "ferry", "--plain").stdout
    assert changed(before, fingerprint(store)) == []


def test_a_slow_embedder_is_left_at_the_time_limit(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """12, 13: the answer comes within the limit, by the other arms, marked."""
    import memhtml_core.opened

    spec = tmp_path / "slow.py"
    spec.write_text(
        "import os, time\nMODEL, DIM = 'slow', 2\n"
        "def embed(text):\n    time.sleep(20 if text == 'drain' else 0)\n    return [1.0, 1.0]\n"
    )
    run("index", "--store", store, "--embedder", f"python:{spec}")
    monkeypatch.setattr(
        memhtml_core.opened.OpenStore.search, "__kwdefaults__", {"deadline": 0.5, "cancel": None}
    )
    began = time.monotonic()
    done = run("search", "--store", store, "--embedder", f"python:{spec}", "drain")
    assert time.monotonic() - began < 5
    assert "areas/boiler.html" in done.stdout
    assert "missing: vector (embedder timed out" in done.stdout


@pytest.mark.parametrize("writing", [False, True])
def test_a_peer_index_with_a_live_writer(
    run: Run, store: Path, make_peer: Callable[[Path], Path], writing: bool
) -> None:
    """A log beside the peer's index is read from a copy; a writer inside a transaction is not waited for."""
    root = make_peer(store)
    with closing(sqlite3.connect(root / ".memhtml" / "index.db", isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE files SET title = 'Written into the log' WHERE path LIKE '%-slack-water.html'")
        if writing:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("UPDATE files SET title = 'Not committed' WHERE path LIKE '%-slack-water.html'")
        before = fingerprint(root)
        done = run("list", "--store", root, "--index", "peer", "--all", "--archived")
        assert done.returncode == 0, done.stderr
        assert "Written into the log" in done.stdout
        assert "Not committed" not in done.stdout
        assert changed(before, fingerprint(root)) == []


@pytest.fixture
def make_peer(tmp_path: Path) -> Callable[[Path], Path]:
    """A store with an index of the reference in it."""
    import tarfile

    from tests.shared import shared

    def make(_: Path) -> Path:
        with tarfile.open(shared("parity/small.tar.gz")) as archive:
            archive.extractall(tmp_path / "guest", filter="data")
        return next((tmp_path / "guest").iterdir())

    return make
