"""Git's view of a store: states in words, changes, history, and not one byte written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memhtml_core.errors import StoreError
from memhtml_core.store import git as git_module
from memhtml_core.store.git import Git
from memhtml_core.store.tree import Tree
from tests.shared import shared

RunGit = Callable[..., str]
Page = Callable[..., bytes]
CLAIMS = "Every line of this memory stays the same but for the head, which says where it went and when.\n" * 5


@pytest.fixture
def repository(store: Path, git: RunGit) -> Path:
    git(store, "init", "-q")
    git(store, "add", ".")
    git(store, "commit", "-qm", "first")
    return store


def fingerprint(root: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (
            path.lstat().st_mtime_ns,
            path.lstat().st_ino,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(root.rglob("*"))
    }


def test_states_in_words(store: Path, git: RunGit) -> None:
    assert Git(store).describe().words == "not a git repository, so history is off"
    git(store, "init", "-q")
    unborn = Git(store).describe()
    assert (unborn.words, unborn.unborn, unborn.detached) == ("no commit yet on main", True, False)
    git(store, "add", ".")
    git(store, "commit", "-qm", "first")
    git(store, "checkout", "-q", "-b", "sleep/2026-12-01")
    assert Git(store).describe().words == "on sleep/2026-12-01"
    git(store, "checkout", "-q", "--detach")
    state = Git(store).describe()
    assert state.words == f"detached at {str(state.head)[:7]}"
    assert state.detached
    assert not state.unborn


def test_without_the_command_everything_is_empty_and_nothing_fails(repository: Path) -> None:
    git = Git(repository, environ={"PATH": ""})
    assert git.describe().words == "no git command, so history is off"
    assert not git.available
    assert (git.head(), git.branch(), git.ls_tree(), git.dirty(), git.log("areas/inbox/tap.html")) == (
        None,
        None,
        [],
        [],
        [],
    )
    assert git.ignored() == frozenset()
    assert git.count_commits("0" * 40) is None
    assert [file.path for file in Tree(repository, git=git).walk().files] == [
        "areas/inbox/tap.html",
        "projects/boat/keel.html",
    ]
    with pytest.raises(StoreError, match="no such commit"):
        git.diff_names("0" * 40)


def test_a_slow_git_is_given_up(repository: Path, tmp_path: Path) -> None:
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 20\n")
    (slow / "git").chmod(0o755)
    git = Git(repository, environ={"PATH": f"{slow}:{os.environ['PATH']}"}, timeout=0.2)
    assert git.describe().state == "failed"
    assert git.dirty() == []


def test_dirt_of_every_kind(repository: Path, git: RunGit, page: Page) -> None:
    for name in ("stay", "edit", "gone", "old", "unstaged", "again"):
        (repository / f"areas/{name}.html").write_bytes(page(title=name))
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "more")
    assert Git(repository).dirty() == []
    (repository / "areas/edit.html").write_bytes(page(title="other"))
    (repository / "areas/gone.html").unlink()
    git(repository, "mv", "areas/old.html", "areas/moved.html")
    git(repository, "rm", "-q", "--cached", "areas/again.html")
    (repository / "areas/new folder").mkdir()
    (repository / "areas/new folder/-n\n.html").write_bytes(b"x")
    (repository / "areas/x.private.html").write_bytes(b"x")
    (repository / "README.html").write_bytes(b"x")
    assert [(file.path, file.change) for file in Git(repository).dirty()] == [
        ("areas/again.html", "changed"),
        ("areas/edit.html", "changed"),
        ("areas/gone.html", "deleted"),
        ("areas/moved.html", "added"),
        ("areas/new folder/-n\n.html", "untracked"),
        ("areas/old.html", "deleted"),
    ]
    assert Git(repository).ignored() == {"areas/x.private.html"}


def test_changes_between_commits(repository: Path, git: RunGit) -> None:
    first = Git(repository).head()
    assert first is not None
    (repository / "areas/long.html").write_text(CLAIMS)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    second = Git(repository).head()
    assert second is not None
    (repository / "archive").mkdir()
    git(repository, "mv", "areas/long.html", "archive/long.html")
    (repository / "archive/long.html").write_text("moved\n" + CLAIMS)
    (repository / "areas/inbox/tap.html").write_text("edited")
    git(repository, "rm", "-q", "projects/boat/keel.html")
    git(repository, "commit", "-qam", "third: x\x01y")
    asked = Git(repository)
    assert {(change.status, change.path, change.source) for change in asked.diff_names(second)} == {
        ("R", "archive/long.html", "areas/long.html"),
        ("M", "areas/inbox/tap.html", None),
        ("D", "projects/boat/keel.html", None),
    }
    assert [(change.status, change.path) for change in asked.diff_names(first, second)] == [
        ("A", "areas/long.html")
    ]
    assert asked.diff_names(second, second) == []
    assert asked.count_commits(first) == 2
    history = asked.log("archive/long.html")
    assert [(commit.subject, commit.path) for commit in history] == [
        ("third: x\x01y", "archive/long.html"),
        ("second", "areas/long.html"),
    ]
    assert [commit.sha for commit in history] == [asked.head(), second]
    assert [commit.path for commit in asked.log("archive/long.html", limit=1)] == ["archive/long.html"]
    assert asked.log("areas/never.html") == []
    with pytest.raises(StoreError, match="no such commit"):
        asked.diff_names("0" * 40)


@pytest.mark.parametrize("revision", ["--output=here", "HEAD~1", "main", "HEAD..x", "", "abc"])
def test_a_revision_is_never_an_option(repository: Path, revision: str) -> None:
    for ask in (Git(repository).diff_names, Git(repository).ls_tree, Git(repository).count_commits):
        with pytest.raises(StoreError, match="not a commit id"):
            ask(revision)


def test_blobs_come_in_order_and_are_exact(repository: Path, git: RunGit) -> None:
    git(repository, "config", "core.autocrlf", "true")
    asked = Git(repository)
    entries = asked.ls_tree()
    assert [entry.path for entry in entries] == ["areas/inbox/tap.html", "projects/boat/keel.html"]
    wanted = [entries[1].blob_sha, "0" * 40, entries[0].blob_sha, str(asked.head())]
    answers = list(asked.cat_blobs(wanted))
    assert [sha for sha, _ in answers] == wanted
    assert [data for _, data in answers] == [
        (repository / entries[1].path).read_bytes(),
        None,
        (repository / entries[0].path).read_bytes(),
        None,
    ]


def test_a_blob_above_the_bound_is_left_out(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Git(repository)
    ids = [entry.blob_sha for entry in asked.ls_tree()]
    monkeypatch.setattr(git_module, "MAX_BYTES", 10)
    assert list(asked.cat_blobs(ids)) == [(sha, None) for sha in ids]


def test_nothing_is_written_and_nothing_is_run(repository: Path, git: RunGit, tmp_path: Path) -> None:
    """The configuration names a program wherever git could be made to run one; each would leave a file."""
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).write_bytes(trap.read_bytes())
        (hooks / hook).chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "filter.x=y.clean",
        "filter.x=y.process",
        "diff.external",
        "diff.html.textconv",
        "gpg.program",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
    ):
        git(repository, "config", key, str(trap))
    git(repository, "config", "filter.x=y.required", "true")
    git(repository, "config", "core.hooksPath", str(hooks))
    git(repository, "config", "log.showSignature", "true")
    (repository / ".git/info/attributes").write_text("*.html filter=x=y diff=html\n")
    # Same bytes, new times: a plain status would read the files and refresh the index.
    for path in ("areas/inbox/tap.html", "projects/boat/keel.html"):
        os.utime(repository / path, (1, 1))
    (tmp_path / "sprung").unlink(missing_ok=True)
    before = fingerprint(repository)
    asked = Git(repository)
    head = asked.head()
    assert head is not None
    assert asked.dirty() == []
    assert asked.ignored() == frozenset()
    asked.diff_names(head)
    asked.count_commits(head)
    assert len(asked.log("areas/inbox/tap.html")) == 1
    assert len(list(asked.cat_blobs(entry.blob_sha for entry in asked.ls_tree()))) == 2
    Tree(repository).walk()
    assert fingerprint(repository) == before
    assert not (tmp_path / "sprung").exists()


def test_the_caller_s_git_variables_do_not_count(repository: Path, tmp_path: Path) -> None:
    environ = {
        **os.environ,
        "GIT_DIR": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "i"),
        "GIT_TRACE": str(tmp_path / "t"),
    }
    asked = Git(repository, environ=environ)
    assert asked.branch() == "main"
    assert asked.dirty() == []
    assert not (tmp_path / "t").exists()


def test_a_store_in_a_folder_of_a_repository(tmp_path: Path, git: RunGit, page: Page) -> None:
    root = tmp_path / "home/notes"
    (root / "areas").mkdir(parents=True)
    (root / "areas/a.html").write_bytes(page())
    git(tmp_path / "home", "init", "-q")
    (tmp_path / "home/.gitignore").write_text("*\n")
    around = Git(root)
    assert around.describe().state == "no repository"
    assert [file.path for file in Tree(root).walk().files] == ["areas/a.html"]
    git(tmp_path / "home", "add", "-f", "notes")
    git(tmp_path / "home", "commit", "-qm", "first")
    (root / "areas/a.html").write_bytes(page(title="new"))
    assert [entry.path for entry in around.ls_tree()] == ["areas/a.html"]
    assert [(file.path, file.change) for file in around.dirty()] == [("areas/a.html", "changed")]
    git(tmp_path / "home", "commit", "-qam", "second")
    assert [commit.subject for commit in around.log("areas/a.html")] == ["second", "first"]
    assert [change.path for change in around.diff_names(around.log("areas/a.html")[1].sha)] == [
        "areas/a.html"
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("kind", "words", "files"),
    [
        ("unborn", "no commit yet on main", 5),
        ("detached", "detached at ", 5),
        ("worktree", "on side, linked worktree", 6),
        ("shallow", "on main, shallow", 6),
        ("submodule", "on main, submodule", 6),
        ("bare", "a bare repository, which has no working tree", 0),
        ("merge", "on main, merge in progress", 5),
        ("dirty", "on main", 6),
    ],
)
def test_every_kind_of_repository_opens_and_stays_as_it_is(
    tmp_path: Path, kind: str, words: str, files: int
) -> None:
    maker = shared("cases/inputs/make_hostile_store.py")
    subprocess.run(
        [sys.executable, str(maker), str(tmp_path / "s"), "--kind", kind], check=True, capture_output=True
    )
    before = fingerprint(tmp_path)
    tree = Tree(tmp_path / "s")
    assert tree.git.describe().words.startswith(words)
    walk = tree.walk()
    assert (len(walk.files), walk.problems) == (files, ())
    dirty = {file.path: file.change for file in tree.git.dirty()}
    assert dirty == {
        "merge": {"areas/inbox/note-2.html": "unmerged"},
        "unborn": {f"areas/inbox/note-{number}.html": "untracked" for number in range(5)},
        "dirty": {
            "areas/inbox/note-0.html": "changed",
            "areas/inbox/note-1.html": "deleted",
            "areas/inbox/note-3.html": "deleted",
            "areas/inbox/staged.html": "added",
            "areas/inbox/untracked.html": "untracked",
            "areas/note-3-moved.html": "added",
        },
    }.get(kind, {})
    for file in walk.files:
        assert (tree.git.log(file.path) != []) is (
            kind != "unborn" and dirty.get(file.path) not in ("added", "untracked")
        )
    assert fingerprint(tmp_path) == before
