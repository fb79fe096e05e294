"""What a person at a prompt cannot have meant is refused or remarked on; nothing is quietly widened."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.errors import StoreError, UsageError
from memhtml_core.rank.request import Scope
from memhtml_core.store.vocabulary import TYPES
from memhtml_tui.cli import main, parse
from memhtml_tui.commands import flags
from memhtml_tui.commands.asked import check_scope
from memhtml_tui.demo_store import packaged

STORE = ["--store", str(packaged()), "--embedder", "off"]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHTML_TUI_CACHE", str(tmp_path_factory.getbasetemp() / "asked"))


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_the_store_may_be_asked_for(name: str) -> None:
    assert check_scope(Scope(memory_types=(name,))) is None


def test_an_unknown_type_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean episodic"):
        check_scope(Scope(memory_types=("arc", "episodc")))


@pytest.mark.parametrize("instant", ["yesterday", "2024-13-01", "2024-05-01 08:00", "2024"])
def test_an_instant_outside_the_grammar_is_refused(instant: str) -> None:
    with pytest.raises(UsageError, match="not an instant"):
        check_scope(Scope(as_of=instant))


@pytest.mark.parametrize("command", ["list", "search", "recall"])
@pytest.mark.parametrize("flag", [["--type", "bogus"], ["--as-of", "yesterday"], ["--scope", "type:bogus"]])
def test_commands_refuse_both(command: str, flag: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, *flag, *STORE]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("limit", ["0", "-3"])
def test_a_search_for_nothing_is_refused(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "tram", "--limit", limit, *STORE]) == 2
    assert f"--limit {limit}" in capsys.readouterr().err


def test_scope_words_in_a_query_are_remarked_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "tram ws:night-tram facet:severity=sev1", "--plain", *STORE]) == 0
    said = capsys.readouterr()
    assert "--scope 'ws:night-tram facet:severity=sev1'" in said.err
    assert "night-tram" in said.out


def test_ordinary_words_with_a_colon_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "person:robin note: 12:30", "--plain", *STORE]) == 0
    assert "--scope" not in capsys.readouterr().err


@pytest.mark.parametrize("word", ["/no/such/folder", "./nowhere", "~nobody-of-that-name/x", "a/b"])
def test_a_word_written_like_a_folder_is_said_to_be_missing(word: str) -> None:
    args = parse([word])
    assert args.store == word
    with pytest.raises(StoreError):
        flags.store_root(args)


def test_without_the_state_plane_an_open_is_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from memhtml_tui.demo_store import copy_demo

    store = copy_demo(tmp_path)
    path = "projects/night-tram/how-a-tap-becomes-money.html"
    assert main(["read", path, "--state", "none", "--store", str(store), "--embedder", "off"]) == 1
    said = capsys.readouterr()
    assert "--state none" in said.err
    assert said.out
    assert not (store / ".memhtml" / "state.db").exists()


def test_the_help_of_batch_shows_a_request(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["batch", "--help"])
    assert '"query": "one writer"' in capsys.readouterr().out
