"""A folder in place of a command opens it, wherever the store flags stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.errors import UsageError
from memhtml_tui.cli import COMMANDS, parse


@pytest.mark.parametrize(
    "before", [[], ["--embedder", "static"], ["--read-only"], ["--index", "tree", "--no-embed"]]
)
@pytest.mark.parametrize("after", [[], ["--embedder", "off"], ["search", "a word"]])
def test_a_folder_is_the_store(tmp_path: Path, before: list[str], after: list[str]) -> None:
    args = parse([*before, str(tmp_path), *after])
    assert args.store == str(tmp_path)
    assert args.command == (after[0] if after[:1] == ["search"] else None)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_named_like_a_command_does_not_hide_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / command).mkdir()
    monkeypatch.chdir(tmp_path)
    words = [command, "areas/a.html"] if command == "read" else [command]
    args = parse(words)
    assert args.command == command
    assert args.store is None


def test_a_folder_after_a_command_is_a_word_of_it(tmp_path: Path) -> None:
    args = parse(["search", str(tmp_path)])
    assert args.store is None
    assert args.query == [str(tmp_path)]


def test_what_is_neither_folder_nor_command_is_refused() -> None:
    with pytest.raises(UsageError, match="nowhere"):
        parse(["nowhere"])
