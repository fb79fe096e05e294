"""What leaves the app goes where a person said and nowhere else: files, the editor, links."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.errors import UsageError
from memhtml_tui import export, outside


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    store, base = tmp_path / "store", tmp_path / "home"
    (store / "areas").mkdir(parents=True)
    base.mkdir()
    return store, base


def _target(typed: str, store: Path, base: Path, *, served: bool = False, folder: Path | None = None) -> Path:
    return export.target(typed, store=store, served=served, folder=folder, base=base)


def test_an_export_is_written_once_and_for_its_owner(places: tuple[Path, Path]) -> None:
    store, base = places
    to = _target("pack.md", store, base)
    assert export.write("grün\n", to) == 6
    assert to.read_bytes() == "grün\n".encode()
    assert os.name == "nt" or to.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="stays as it is"):
        _target("pack.md", store, base)
    with pytest.raises(UsageError, match="could not be written"):
        export.write("other", to)
    assert to.read_bytes() == "grün\n".encode()


@pytest.mark.parametrize("typed", ["../store/x.md", "../store/areas/x.md", "{store}/x.md", "link/x.md"])
def test_nothing_is_ever_exported_into_the_store(places: tuple[Path, Path], typed: str) -> None:
    store, base = places
    (base / "link").symlink_to(store / "areas")
    with pytest.raises(UsageError, match="into a store"):
        _target(typed.format(store=store), store, base)
    with pytest.raises(UsageError, match="into a store"):
        _target("x.md", store, base, folder=store / "areas")


def test_a_link_in_the_way_is_not_followed(places: tuple[Path, Path]) -> None:
    store, base = places
    (base / "x.md").symlink_to(store / "areas" / "new.html")
    with pytest.raises(UsageError, match="stays as it is"):
        _target("x.md", store, base)
    with pytest.raises(UsageError, match="could not be written"):
        export.write("text", base / "x.md")
    assert list((store / "areas").iterdir()) == []


@pytest.mark.parametrize(
    "typed", ["", "  ", ".", "..", "sub/", "nul", "con.txt", "a\x1bb", "a\nb", "q?.md", "a:b"]
)
def test_names_that_name_no_file_are_refused(places: tuple[Path, Path], typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        _target(typed, *places)
    assert refused.value.remedy
    assert not any(ord(c) < 32 for c in str(refused.value)) or typed.strip() == ""


def test_a_folder_that_is_not_there_is_said(places: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        _target("nowhere/x.md", *places)


def test_the_web_view_writes_into_its_export_folder_or_nowhere(places: tuple[Path, Path]) -> None:
    store, base = places
    folder = base / "out"
    folder.mkdir()
    with pytest.raises(UsageError, match="no file is written from the web view"):
        _target("x.md", store, base, served=True)
    assert _target("x.md", store, base, served=True, folder=folder) == folder / "x.md"
    for typed in ("../x.md", str(base / "x.md"), "~/x.md", "/etc/x.md"):
        with pytest.raises(UsageError):
            _target(typed, store, base, served=True, folder=folder)
    (folder / "away").symlink_to(base)
    with pytest.raises(UsageError, match="export folder only"):
        _target("away/x.md", store, base, served=True, folder=folder)


@given(st.text())
def test_a_suggested_name_is_always_a_plain_one(words: str) -> None:
    name = export.suggested(words)
    assert name.isascii()
    assert name.startswith("recall")
    assert name.endswith(".md")
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    assert len(name) <= export.MAX_NAME + 10


@given(st.text(), st.sampled_from(["http", "https", "mailto", "file", "javascript", "ssh", "HTTP", ""]))
def test_only_web_and_mail_links_without_hidden_characters_are_offered(rest: str, scheme: str) -> None:
    for link in (f"{scheme}:{rest}", f"{scheme}://{rest}", rest):
        if outside.openable(link):
            assert link.lower().startswith(("http://", "https://", "mailto:"))
            assert link.isprintable()
            assert " " not in link


@pytest.mark.parametrize(
    ("link", "offered"),
    [
        ("https://example.org/a?b=c#d", True),
        ("mailto:robin@example.org", True),
        ("http://", False),
        ("mailto:", False),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("https://exa\u202emple.org", False),
        ("https://example.org/\x1b]0;x\x07", False),
        ("https://exa mple.org", False),
        ("areas/x.html", False),
        ("https://[", False),
    ],
)
def test_links(link: str, offered: bool) -> None:
    assert outside.openable(link) is offered


def test_the_editor_is_split_as_words_and_never_seen_by_a_shell(tmp_path: Path) -> None:
    odd = tmp_path / "a b; touch $(x) `y` 'z.html"
    command = outside.editor_command({"VISUAL": "", "EDITOR": "ed --flag 'two words'"}, odd)
    assert command == ["ed", "--flag", "two words", str(odd)]
    assert outside.editor_command({"VISUAL": "vi", "EDITOR": "ed"}, odd) == ["vi", str(odd)]
    out = tmp_path / "seen"
    script = f"import sys; open({str(out)!r}, 'w').write('|'.join(sys.argv[1:])); sys.exit(3)"
    assert outside.run_editor([sys.executable, "-c", script, str(odd)]) == 3
    assert out.read_text() == str(odd)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seen"]


@pytest.mark.parametrize("environ", [{}, {"EDITOR": "  "}, {"EDITOR": "vi 'open"}])
def test_no_editor_is_said_with_what_to_set(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError) as refused:
        outside.editor_command(environ, Path("x"))
    assert "EDITOR" in str(refused.value)
    with pytest.raises(UsageError, match="could not be started"):
        outside.run_editor(["/nowhere/editor", "x"])
