"""The two streams, tables, JSON data and flags, without a process."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest

from memhtml_core.errors import UsageError
from memhtml_core.index.progress import Progress
from memhtml_core.rank.request import FacetFilter, Scope
from memhtml_tui.cli import COMMANDS, main, parse
from memhtml_tui.commands import flags
from memhtml_tui.commands.output import Output, camel, data_of, tabbed, table


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Sample:
    memory_type: str
    score: float
    colour: Colour
    inner: tuple[object, ...] = ()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_streams_are_kept_apart_and_clean() -> None:
    out, err = io.StringIO(), io.StringIO()
    output = Output(out, err)
    output.data("a\x1b[31mb\nc")
    output.note("two\nlines\x07")
    output.json({"t": "\x1bé"}, "x/1")
    output.finish()
    assert out.getvalue() == 'ab\nc\n{"schema": "x/1", "t": "\\u001b\\u00e9"}\n'
    assert err.getvalue() == "memhtml-tui: two lines�\n"


def test_progress_is_for_terminals_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memhtml_tui.commands.output._QUIET_S", 0.0)
    silent, seen = io.StringIO(), Terminal()
    for stream in (silent, seen):
        output = Output(io.StringIO(), stream)
        output.progress(Progress("index", 3, 9, 12.0))
        output.finish()
    assert silent.getvalue() == ""
    assert "index 3 of 9, 12 per second" in seen.getvalue()
    assert seen.getvalue().endswith("\r\x1b[K")


def test_data_of_frozen_results() -> None:
    sample = Sample("arc", float("inf"), Colour.RED, (Path("a"), None, True, {"k_k": frozenset({"b", "a"})}))
    assert data_of(sample) == {
        "memoryType": "arc",
        "score": "inf",
        "colour": "red",
        "inner": ["a", None, True, {"k_k": ["a", "b"]}],
    }
    json.dumps(data_of(sample), allow_nan=False)
    assert camel("last_accessed_at") == "lastAccessedAt"
    with pytest.raises(TypeError):
        data_of(object())


def test_tables_count_cells_not_characters() -> None:
    text = table(("#", "name", "rest"), [("1", "字字", "x"), ("12", "ab\tc", "y\nz")], left={1})
    assert text.splitlines() == [" #  name  rest", " 1  字字  x", "12  ab c  y z"]
    assert tabbed([("a\tb", "c\nd")]) == "a b\tc d"


def test_flags_hold_before_and_behind_the_command() -> None:
    for words in (["--store", "S", "list", "--json"], ["list", "--json", "--store", "S"]):
        args = parse(words)
        assert (args.command, args.store, args.json, args.plain) == ("list", "S", True, False)
    assert parse(["--store", "A", "list", "--store", "B"]).store == "B"
    assert parse([]).command is None


def test_a_folder_alone_is_the_store(tmp_path: Path) -> None:
    args = parse([str(tmp_path)])
    assert (args.command, args.store) == (None, str(tmp_path))


def test_scope_flags_add_to_the_typed_form() -> None:
    args = parse(
        [
            "search",
            "--scope",
            "type:arc tag:a facet:x=1",
            "--tag",
            "b",
            "--facet",
            " y = 2=3 ",
            "--archived",
            "q",
        ]
    )
    assert flags.scope_of(args) == Scope(
        memory_types=("arc",),
        tags=("a", "b"),
        facets=(FacetFilter("x", "1"), FacetFilter("y", "2=3")),
        include_archived=True,
    )


def test_ranking_flags_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHTML_VECTOR_COVERAGE_FLOOR", "0.5")
    args = parse(
        ["search", "--weight", "fts=2", "--weight", "vector=0", "--without", "salience", "--k", "5", "q"]
    )
    ranking = flags.ranking_of(args)
    assert (dict(ranking.weights), ranking.off, ranking.k) == ({"fts": 2.0, "vector": 0.0}, {"salience"}, 5)
    assert ranking.coverage_floor == 0.5
    assert flags.coverage_floor(0.7) == 0.7
    monkeypatch.setenv("MEMHTML_VECTOR_COVERAGE_FLOOR", "much")
    with pytest.raises(UsageError):
        flags.coverage_floor(None)


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [("1970-01-02", 86_400.0), ("1970-01-01T00:01:00Z", 60.0), ("12.5", 12.5), ("-3", -3.0)],
)
def test_instants(stated: str, seconds: float) -> None:
    assert flags.instant_of(stated) == seconds


@pytest.mark.parametrize("stated", ["", "now", "nan", "inf", "1e300", "2024-13-01"])
def test_what_is_no_instant(stated: str) -> None:
    with pytest.raises(UsageError):
        flags.instant_of(stated)


def test_the_exit_status_is_that_of_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--limit", "x\x1b[31m"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("memhtml-tui: argument --limit: ")
    assert "\x1b" not in err


def test_help_and_headless_commands_load_no_screen(tmp_path: Path) -> None:
    (tmp_path / "areas").mkdir()
    lines = [[name, "--help"] for name in COMMANDS] + [["--help"]]
    lines += [
        ["search", "--store", str(tmp_path), "--embedder", "off", "x"],
        ["list", "--store", str(tmp_path)],
    ]
    code = (
        "import sys, json\n"
        "from memhtml_tui.cli import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        status = main(words)\n"
        "    except SystemExit as end:\n"
        "        status = end.code\n"
        "    loaded = sorted({'textual', 'rich.console', 'selectolax'} & set(sys.modules))\n"
        "    print(json.dumps([words, status, loaded]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(lines)],
        capture_output=True,
        text=True,
        env={"PATH": "", "HOME": str(tmp_path), "MEMHTML_TUI_CACHE": str(tmp_path.with_name("cache"))},
        check=False,
    )
    reports = [json.loads(line) for line in done.stderr.splitlines()]
    assert [report[0] for report in reports] == lines, done.stderr
    assert {report[1] for report in reports} == {0}, done.stderr
    assert all("textual" not in report[2] for report in reports)
    assert all(report[2] == [] for report in reports[: len(COMMANDS) + 1])
