"""History of one file through moves and the archive, diffs that can be applied, and nothing written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse import history as module
from memhtml_core.browse.history import Diff, Version, _compare, history, version_diff
from memhtml_core.store.git import Git
from memhtml_core.store.tree import Tree
from tests.counts import count

PATH = "areas/pump.html"
ARCHIVED = "archive/2024/areas/pump.html"
BODY = "".join(f"line {n}\n" for n in range(20))


def git(root: Path, *arguments: str) -> None:
    environ = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "ada" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    subprocess.run(command, cwd=root, env=environ, check=True, capture_output=True)


def put(root: Path, path: str, text: str | bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())


def commit(root: Path, subject: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", subject)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    put(store, "areas/other.html", "other\n")
    git(tmp_path, "init", "-q", "store")
    commit(store, "first")
    return store


def fingerprint(root: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_versions_follow_the_file_into_the_archive(root: Path) -> None:
    put(root, "projects/boat/pump.html", BODY)
    commit(root, "write it")
    put(root, "projects/boat/pump.html", BODY.replace("line 3\n", "line three\n"))
    commit(root, "mend it")
    git(root, "mv", "projects/boat/pump.html", PATH)
    commit(root, "move it")
    (root / ARCHIVED).parent.mkdir(parents=True)
    git(root, "mv", PATH, ARCHIVED)
    put(root, ARCHIVED, BODY + "archived\n")
    commit(root, "archive it")
    put(root, ARCHIVED, BODY + "archived twice\n")
    before = fingerprint(root)
    found = history(Tree(root), ARCHIVED)
    assert [(v.kind, v.path, v.subject) for v in found.versions] == [
        ("working file", ARCHIVED, ""),
        ("archived", ARCHIVED, "archive it"),
        ("moved", PATH, "move it"),
        ("changed", "projects/boat/pump.html", "mend it"),
        ("created", "projects/boat/pump.html", "write it"),
    ]
    assert (found.words, found.more) == ("on main", False)
    newest, archived, moved, mended, written = found.versions
    assert version_diff(Tree(root), moved, archived).hunks(0) == (
        (module.DiffLine("-", "line three", 4, None), module.DiffLine("+", "line 3", None, 4)),
        (module.DiffLine("+", "archived", None, 21),),
    )
    assert version_diff(Tree(root), mended, moved).state == "the same text"
    assert version_diff(Tree(root), None, written).added == 20
    assert [line.text for line in version_diff(Tree(root), archived, newest).lines if line.sign == "+"] == [
        "archived twice"
    ]
    assert fingerprint(root) == before
    short = history(Tree(root), ARCHIVED, 2)
    assert ([v.subject for v in short.versions], short.more) == (["", "archive it", "move it"], True)


def test_a_short_file_that_archiving_rewrites_is_followed_too(root: Path) -> None:
    put(root, PATH, "a claim\n")
    commit(root, "write it")
    (root / PATH).unlink()
    put(root, ARCHIVED, "nothing of it stays, neither a word nor a line\n")
    commit(root, "archive it")
    assert [v.kind for v in history(Tree(root), ARCHIVED).versions] == ["archived", "created"]
    put(root, PATH, "nothing of it stays, neither a word nor a line\n")
    (root / ARCHIVED).unlink()
    commit(root, "restore it")
    assert [v.kind for v in history(Tree(root), PATH).versions] == ["restored", "deleted", "created"]


def test_a_deleted_file_and_one_that_no_commit_has(root: Path) -> None:
    put(root, PATH, BODY)
    commit(root, "write it")
    (root / PATH).unlink()
    commit(root, "drop it")
    deleted, written = history(Tree(root), PATH).versions
    assert (deleted.kind, deleted.blob, written.kind) == ("deleted", "", "created")
    assert version_diff(Tree(root), written, deleted).removed == 20
    put(root, "areas/new.html", "new\n")
    found = history(Tree(root), "areas/new.html")
    assert [v.kind for v in found.versions] == ["working file"]
    assert found.words == "on main, no commit has this file"


def test_without_git_there_are_words_and_no_error(root: Path, tmp_path: Path) -> None:
    without = Tree(root, git=Git(root, environ={"PATH": ""}))
    assert history(without, "areas/other.html").words == "no git command, so history is off"
    plain = tmp_path / "plain"
    put(plain, PATH, BODY)
    assert history(Tree(plain), PATH).words == "not a git repository, so history is off"
    git(plain, "init", "-q")
    assert history(Tree(plain), PATH).words == "no commit yet on main"


def test_bytes_that_are_no_text_and_huge_ones(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, PATH, b"a\0b")
    commit(root, "bytes")
    put(root, PATH, b"\xff\xfe caf\xe9\n")
    commit(root, "latin")
    put(root, PATH, "".join(f"{n}\n" for n in range(60)))
    commit(root, "long")
    long, latin, binary = history(Tree(root), PATH).versions
    assert version_diff(Tree(root), binary, latin).state == "not a text"
    assert version_diff(Tree(root), None, latin).lines[0].text == "\ufffd\ufffd caf\ufffd"
    monkeypatch.setattr(module, "MAX_TEXT", 20)
    assert version_diff(Tree(root), latin, long).state == "170 bytes, too large to compare"
    lost = Version("c", "", "", "", PATH, "changed", "0" * 40)
    assert version_diff(Tree(root), lost, long).state == "git does not have the bytes of this version"


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(LINES, LINES, st.booleans())
@settings(max_examples=count(300, 1_500), deadline=None)
def test_a_diff_holds_both_texts_in_order(old: list[str], new: list[str], coarse: bool) -> None:
    limit = module.MAX_PAIRS
    try:
        module.MAX_PAIRS = 0 if coarse else limit  # type: ignore[misc]
        lines, _ = _compare(old, new)
    finally:
        module.MAX_PAIRS = limit  # type: ignore[misc]
    assert [line.text for line in lines if line.sign != "+"] == old
    assert [line.text for line in lines if line.sign != "-"] == new
    assert [line.old for line in lines if line.old] == list(range(1, len(old) + 1))
    assert [line.new for line in lines if line.new] == list(range(1, len(new) + 1))
    shown = Diff(None, Version("", "", "", "", "", "changed", ""), lines, "")
    assert [line for hunk in shown.hunks(0) for line in hunk] == [line for line in lines if line.sign != " "]
    assert (old == new) == (not shown.hunks(2))
