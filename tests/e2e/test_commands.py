"""The installed command as a process: streams, exit status, forms of the answer, what an open writes."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.counts import count
from tests.e2e.conftest import COMMAND, Run
from tests.fingerprint import changed, fingerprint

OFF = ("--embedder", "off")
NOW = ("--now", "2024-03-02T08:00:00Z")


def test_search_prints_a_table_on_stdout_and_nothing_else(process: Run, store: Path) -> None:
    done = process("search", "--store", store, *OFF, *NOW, "drain", "boiler", "--why", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["#", "F", "R", "fused", "title", "<path>"]
    assert "<areas/boiler.html>" in lines[1]
    assert "missing: vector (embedder off); salience (no state plane" in done.stdout
    assert "F fts       rank 1" in done.stdout


def test_json_is_ascii_versioned_and_raw(run: Run, store: Path) -> None:
    done = run("search", "--store", store, *OFF, *NOW, "--json", "claim colour")
    answer = json.loads(done.stdout)
    assert done.stdout.isascii()
    assert answer["schema"] == "memhtml-search/1"
    nasty = next(hit for hit in answer["hits"] if hit["path"] == "areas/nasty.html")
    assert nasty["title"].startswith("Nasty \x1b]0;PWNED")
    assert nasty["ranks"]["fts"] == 1
    assert nasty["fused"] == pytest.approx(sum(nasty["contributions"].values()))
    assert [arm["name"] for arm in answer["arms"]] == ["fts", "recency"]
    assert {each["arm"]: each["reason"] for each in answer["missing"]} == {
        "vector": "embedder off",
        "salience": "no state plane",
    }


@pytest.mark.parametrize("form", [(), ("--plain",)])
@pytest.mark.parametrize("command", [("search", "claim"), ("recall", "claim"), ("list",), ("read", "--peek")])
def test_no_stored_escape_reaches_the_terminal(
    run: Run, store: Path, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    """cases/bug-reports 32."""
    where = ("areas/nasty.html",) if command[0] == "read" else ()
    done = run(*command, *where, "--store", store, *OFF, *form)
    assert done.returncode == 0
    assert "Nasty" in done.stdout
    for text in (done.stdout, done.stderr):
        assert not any(ord(character) < 32 and character not in "\n\t" for character in text)
        assert not any("\x7f" <= character <= "\x9f" for character in text)
        assert "PWNED" not in text
        assert "\u202e" not in text


def test_plain_is_tab_separated(run: Run, store: Path) -> None:
    done = run("list", "--store", store, "--plain", "--type", "task", "--archived")
    (row,) = [line.split("\t") for line in done.stdout.splitlines()]
    assert row[:2] == ["projects/quay/tasks/paint.html", "task"]
    assert row[5] == "todo"


def test_recall_gives_the_text_and_its_figures_apart(run: Run, store: Path) -> None:
    done = run("recall", "--store", store, *OFF, *NOW, "drain", "--budget", "50")
    assert done.stdout.startswith("# Recall: drain\n\n## Arcs\n\n1. Each winter")
    assert "memories: " in done.stderr
    assert " of 50 characters" in done.stderr
    asked = ("recall", "--store", store, *OFF, *NOW, "drain", "--budget", "50", "--json")
    answer = json.loads(run(*asked).stdout)
    assert answer["schema"] == "memhtml-recall/1"
    assert answer["text"] == done.stdout
    memories = answer["pack"]["memories"]
    assert memories["spent"] <= 50
    assert {entry["tier"] for entry in memories["entries"]} >= {"full", "index"}


def test_what_a_narrowed_search_finds_the_same_narrowing_lists(run: Run, store: Path) -> None:
    for scope in (["--tag", "ferry"], ["--facet", "tier=1"], ["--scope", "tag:ferry facet:tier=1"]):
        found = json.loads(run("search", "--store", store, *OFF, "--json", *scope, "ferry").stdout)
        listed = json.loads(run("list", "--store", store, "--json", *scope).stdout)
        assert [hit["path"] for hit in found["hits"]] == ["areas/ferry.html"]
        assert [row["path"] for row in listed["memories"]] == ["areas/ferry.html"]


def test_an_empty_scope_points_at_the_archive(run: Run, store: Path) -> None:
    done = run("search", "--store", store, *OFF, "--tag", "lighthouse", "lighthouse", "--exit-code")
    assert done.returncode == 4
    assert "no memory in this scope" in done.stdout
    assert "archive/2024/areas/old.html" in done.stdout
    assert run("search", "--store", store, *OFF, "--tag", "lighthouse", "lighthouse").returncode == 0


def test_a_query_that_nothing_saw_is_said_loudly(run: Run, store: Path) -> None:
    done = run("search", "--store", store, *OFF, "xylophone")
    assert "saw nothing" in done.stdout
    assert "says nothing about the query" in done.stdout


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["frobnicate"], 2),
        (["search", "--frobnicate"], 2),
        (["search", "--facet", "tier", "x"], 2),
        (["search", "--weight", "fts", "x"], 2),
        (["search", "--weight", "fts=-1", "x"], 2),
        (["search", "--without", "ftss", "x"], 2),
        (["search", "--now", "yesterday", "x"], 2),
        (["search", "--limit", "many", "x"], 2),
        (["search", "--scope", "colour:red", "x"], 2),
        (["search", "--embedder", "frobnicator", "x"], 2),
        (["search", "--why", "99", "x"], 2),
        (["list", "--offset", "-1"], 2),
        (["read", "areas/none.html"], 1),
        (["read", "areas/broken.html"], 1),
        (["read", "--peek", "areas/broken.html"], 0),
        (["index", "--index", "peer"], 1),
        (["search", "--tag", "none", "x", "--exit-code"], 4),
        (["list", "--tag", "none", "--exit-code"], 4),
        (["recall", "--tag", "none", "x", "--exit-code"], 4),
        (["status", "--exit-code"], 4),
        (["list", "--tag", "none"], 0),
        ([], 2),
    ],
)
def test_exit_status(run: Run, store: Path, words: list[str], status: int) -> None:
    done = run(*words, extra={"MEMHTML_ROOT": str(store)})
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    if status in (1, 2):
        assert done.stdout == ""
        assert done.stderr.startswith("memhtml-tui: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("place", ["missing", "empty", "file"])
def test_no_store_is_3(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    done = run("list", "--store", tmp_path / place)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("memhtml-tui: ")
    assert run("list", cwd=tmp_path / "empty").returncode == 3


def test_the_nearest_store_above_is_taken(run: Run, store: Path) -> None:
    assert run("list", "--plain", cwd=store / "areas" / "arcs").stdout.count("\n") == 5


def test_a_closed_pipe_is_quiet(environment: dict[str, str], store: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "list", "--store", store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    process.stdout.close()
    _, narration = process.communicate(timeout=60)
    assert narration == b""


def test_an_interrupt_is_130(environment: dict[str, str], store: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "batch", "--store", store, *OFF],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id": 1, "query": "drain"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, narration = process.communicate(timeout=60)
    assert process.returncode == 130
    assert narration == b"memhtml-tui: interrupted\n"


def access_rows(store: Path) -> list[tuple[object, ...]]:
    database = sqlite3.connect(f"file:{store}/.memhtml/state.db?immutable=1", uri=True)
    try:
        return database.execute("SELECT path, access_count, outcome_score FROM access").fetchall()
    finally:
        database.close()


def test_reading_counts_once_and_says_so(run: Run, store: Path) -> None:
    before = fingerprint(store)
    first = run("read", "--store", store, "areas/ferry.html", "--signal", "helpful", *NOW)
    assert first.returncode == 0
    assert first.stdout.startswith("The ferry leaves at six.\nareas/ferry.html\n")
    assert "* The ferry leaves at six." in first.stdout
    assert "tier = 1" in first.stdout
    assert first.stderr == "memhtml-tui: opened (helpful): opens 0 -> 1, outcome score 1\n"
    touched = changed(before, fingerprint(store))
    assert touched
    assert all(name == ".memhtml" or name.startswith(".memhtml/state.db") for name in touched)
    again = run("read", "--store", store, "areas/ferry.html", "--now", "2024-03-02T08:14:59Z")
    assert "not counted: it is cooling down until 2024-03-02T08:15:00Z" in again.stderr
    later = run("read", "--store", store, "areas/ferry.html", "--now", "2024-03-02T08:15:00Z", "--json")
    answer = json.loads(later.stdout)
    assert answer["schema"] == "memhtml-memory/1"
    assert answer["open"] == {"signal": "neutral", "counted": True, "coolingDown": False, "refused": None}
    assert (answer["before"]["accessCount"], answer["after"]["accessCount"]) == (1, 2)
    assert access_rows(store) == [("areas/ferry.html", 2, 1.0)]


def test_what_is_no_open_writes_nothing(run: Run, store: Path) -> None:
    before = fingerprint(store)
    peek = run("read", "--peek", "--store", store, "areas/ferry.html")
    assert peek.stderr == "memhtml-tui: a peek: nothing was written\n"
    refused = run("read", "--read-only", "--store", store, "areas/ferry.html")
    assert refused.returncode == 1
    assert "The ferry leaves at six." in refused.stdout
    assert "--read-only" in refused.stderr
    assert run("read", "--store", store, "areas/none.html").returncode == 1
    run("search", "--store", store, *OFF, "ferry")
    run("recall", "--store", store, *OFF, "ferry")
    run("index", "--store", store, "--full", "--no-embed")
    run("status", "--store", store)
    assert fingerprint(store) == before


def test_index_reports_embeds_and_dumps(run: Run, store: Path) -> None:
    done = run("index", "--store", store)
    assert done.returncode == 0
    assert "memories: 7 (7 added" in done.stdout
    assert "embedding: " in done.stdout
    assert "7 written" in done.stdout
    assert "not indexed: 1 files" in done.stdout
    dump = json.loads(run("index", "--store", store, "--dump-rows", "--no-embed").stdout)
    assert [row[0] for row in dump["files"]["rows"]] == sorted(dump["files_rowid_order"])
    assert len(dump["embeddings"]["rows"]) == 7
    report = json.loads(run("index", "--store", store, "--json", "--full", "--no-embed").stdout)
    assert report["schema"] == "memhtml-index/1"
    assert report["build"]["full"] is True
    assert report["embed"] is None


def test_prune_removes_what_has_no_store(run: Run, store: Path) -> None:
    run("list", "--store", store)
    assert run("index", "--prune").stdout == "nothing to remove\n"
    store.rename(store.with_name("moved"))
    done = run("index", "--prune")
    assert done.stdout.startswith(f"removed: {store} (")


def test_status_names_what_is_not_indexed(run: Run, store: Path) -> None:
    done = run("status", "--store", store, "--counts", *OFF)
    assert done.returncode == 0
    assert "not indexed: 1\n  areas/broken.html: refused (" in done.stdout
    assert "tags: boiler 1, ferry 1" in done.stdout
    answer = json.loads(run("status", "--store", store, "--json", *OFF).stdout)
    assert answer["schema"] == "memhtml-status/1"
    assert answer["memories"] == 7
    assert answer["problems"]["areas/broken.html"]["reason"] == "refused"
    assert answer["missing"]["reason"] == "embedder off"


def test_the_offline_embedder_answers_straight_away(run: Run, store: Path) -> None:
    done = run("search", "--store", store, "--json", "--state", "none", "empty the heating before winter")
    answer = json.loads(done.stdout)
    assert not answer["degraded"]
    assert answer["vectorCoverage"] == 1.0
    assert any("vector" in hit["ranks"] for hit in answer["hits"])


def test_order_does_not_depend_on_the_process(process: Run, store: Path) -> None:
    """cases/bug-reports 15 and 16: same bytes in every process, one line per memory."""
    answers = set()
    for seed in range(count(3, 50)):
        hashing = {"PYTHONHASHSEED": str(seed)}
        done = process("search", "--store", store, *OFF, *NOW, "--plain", "drain", extra=hashing)
        answers.add(done.stdout)
    (answer,) = answers
    paths = [line.split("\t")[1] for line in answer.splitlines()]
    assert len(paths) == len(set(paths)) == 5


def test_demo_without_a_terminal_prints_and_leaves_nothing(
    process: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = process("demo", extra={"TMPDIR": str(scratch)})
    assert done.returncode == 0, done.stderr
    for part in (" #   F   V   R   S", "missing: none", "why ", "# Recall: ", "## Memories"):
        assert part in done.stdout
    assert os.listdir(scratch) == []
    assert not Path(environment["MEMHTML_TUI_CACHE"]).exists()


@pytest.mark.parametrize("command", [(), ("demo",)])
def test_no_screen_is_drawn_where_nobody_would_see_it(
    environment: dict[str, str], store: Path, command: tuple[str, ...]
) -> None:
    """Textual draws on stderr: a terminal at stdin and stdout alone is none."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [COMMAND, *command, "--store", store],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment | {"TERM": "xterm"},
    )
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 65_536):
            seen += data
    except OSError:  # Linux says so where the other end is closed
        pass
    os.close(ours)
    _, narration = process.communicate(timeout=60)
    assert b"\x1b" not in seen + narration
    assert process.returncode == (0 if command else 2)
    assert b"needs a terminal" in narration or b"# Recall: " in seen
