"""The working tree: what is read, what is named, and that nothing outside is touched."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memhtml_core.errors import DocumentRefused, StoreError
from memhtml_core.store import tree as tree_module
from memhtml_core.store.document import examine
from memhtml_core.store.tree import Tree
from tests.shared import shared

RunGit = Callable[..., str]
Page = Callable[..., bytes]


def paths(tree: Tree) -> list[str]:
    return [file.path for file in tree.walk().files]


def problems(tree: Tree) -> dict[str, str]:
    return {problem.path: problem.reason for problem in tree.walk().problems}


def add(root: Path, path: str, data: bytes = b"x") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def test_files_come_in_bytewise_order_with_their_times(store: Path) -> None:
    for path in (
        "areas/a/z.html",
        "areas/a.html",
        "areas/a-b.html",
        "areas/é.html",
        "areas/Z.html",
        "archive/old.html",
    ):
        add(store, path)
    found = Tree(store).walk().files
    assert [file.path for file in found] == [
        "archive/old.html",
        "areas/Z.html",
        "areas/a-b.html",
        "areas/a.html",
        "areas/a/z.html",
        "areas/inbox/tap.html",
        "areas/é.html",
        "projects/boat/keel.html",
    ]
    status = (store / found[1].path).stat()
    assert (found[1].size, found[1].mtime_ns, found[1].inode) == (1, status.st_mtime_ns, status.st_ino)
    assert Tree(store).stat("areas/Z.html") == found[1]


def test_listings_and_other_endings_are_counted_and_not_read(store: Path) -> None:
    for path in (
        "areas/index.html",
        "areas/sitemap.xml",
        "areas/x.HTML",
        "areas/n.md",
        "stray.html",
        "docs/d.html",
        ".h/x.html",
    ):
        add(store, path)
    tree = Tree(store)
    walk = tree.walk()
    assert len(walk.files) == 2
    assert (walk.listings, walk.not_indexable, walk.ignored, walk.problems) == (2, 2, 0, ())
    assert tree.unplaced() == ("areas/x.HTML", "docs/d.html", "stray.html")
    assert tree.unplaced(limit=1) == ("stray.html",)


def test_links_and_special_files_are_named_and_never_opened(store: Path, tmp_path: Path) -> None:
    secret = tmp_path / "outside"
    add(secret, "secret.html", b"do not read me")
    (store / "areas/out.html").symlink_to(secret / "secret.html")
    (store / "areas/dir").symlink_to(secret)
    (store / "areas/loop").symlink_to("..")
    (store / "areas/inbox/gone.html").symlink_to("nowhere")
    (store / "resources").symlink_to(secret)
    os.mkfifo(store / "areas/pipe.html")
    os.chdir(store / "areas")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock.html")
        tree = Tree(store)
        assert paths(tree) == ["areas/inbox/tap.html", "projects/boat/keel.html"]
        assert problems(tree) == {
            "areas/dir": "link",
            "areas/inbox/gone.html": "link",
            "areas/loop": "link",
            "areas/out.html": "link",
            "areas/pipe.html": "special",
            "areas/sock.html": "special",
            "resources": "link",
        }
        for path in (
            "areas/out.html",
            "areas/dir/secret.html",
            "resources/secret.html",
            "areas/pipe.html",
            "areas/sock.html",
        ):
            with pytest.raises(StoreError):
                tree.read(path)


@pytest.mark.parametrize(
    "path",
    [
        "../x.html",
        "areas/../../x.html",
        "/etc/hostname",
        ".memhtml/x.html",
        "areas/no.html",
        "areas/\0.html",
        "",
    ],
)
def test_no_path_leads_out_of_the_buckets(store: Path, path: str) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        Tree(store).read(path)


def test_a_file_that_becomes_a_link_after_the_walk_is_not_followed(store: Path, tmp_path: Path) -> None:
    add(tmp_path, "secret.html", b"do not read me")
    tree = Tree(store)
    assert tree.read("areas/inbox/tap.html").startswith(b"<!doctype")
    (store / "areas/inbox/tap.html").unlink()
    (store / "areas/inbox/tap.html").symlink_to(tmp_path / "secret.html")
    with pytest.raises(StoreError):
        tree.read("areas/inbox/tap.html")
    os.rename(store / "areas/inbox", store / "areas/elsewhere")
    (store / "areas/inbox").symlink_to(tmp_path)
    with pytest.raises(StoreError):
        tree.read("areas/inbox/secret.html")


def test_large_files_are_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "MAX_BYTES", 10)
    tree = Tree(store)
    assert set(problems(tree).values()) == {"too-large"}
    with pytest.raises(DocumentRefused) as refused:
        tree.read("areas/inbox/tap.html")
    assert refused.value.violations == ("too-large",)


def test_names_that_are_not_utf_8_are_named(store: Path) -> None:
    try:
        (store / "areas" / os.fsdecode(b"bad\xff.html")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")
    tree = Tree(store)
    assert problems(tree) == {"areas/bad\\xff.html": "name"}
    json.dumps([problem.path for problem in tree.walk().problems]).encode("ascii")


def test_git_ignored_files_are_left_out_and_untracked_ones_are_in(store: Path, git: RunGit) -> None:
    git(store, "init", "-q")
    for path in ("areas/new/deep/er.html", "areas/a.private.html", "areas/new/b.private.html"):
        add(store, path)
    tree = Tree(store)
    assert paths(tree) == ["areas/inbox/tap.html", "areas/new/deep/er.html", "projects/boat/keel.html"]
    assert tree.walk().ignored == 2
    git(store, "add", "-f", "areas/a.private.html")
    assert "areas/a.private.html" in paths(tree)


def test_a_damaged_repository_is_named_and_stops_nothing(store: Path, git: RunGit) -> None:
    git(store, "init", "-q")
    git(store, "add", ".")
    git(store, "commit", "-qm", "first")
    (store / ".git/index").write_bytes(b"this is no index")
    walk = Tree(store).walk()
    assert [file.path for file in walk.files] == ["areas/inbox/tap.html", "projects/boat/keel.html"]
    assert [(problem.path, problem.reason) for problem in walk.problems] == [(".git", "unreadable")]
    assert "git ls-files failed" in walk.problems[0].detail


def test_without_git_nothing_is_ignored(store: Path) -> None:
    add(store, "areas/a.private.html")
    assert "areas/a.private.html" in paths(Tree(store))


@pytest.mark.parametrize("tracked", [False, True])
def test_a_repository_inside_is_named_once(store: Path, git: RunGit, page: Page, tracked: bool) -> None:
    add(store, "areas/sub/in/x.html", page())
    add(store, "areas/sub/y.html", page())
    git(store / "areas/sub", "init", "-q")
    add(store, "areas/plain/.git/notes", b"no repository")
    add(store, "areas/plain/z.html", page())
    if tracked:
        git(store / "areas/sub", "add", ".")
        git(store / "areas/sub", "commit", "-qm", "inner")
        git(store, "init", "-q")
        git(store, "add", ".")
        git(store, "commit", "-qm", "outer")
    tree = Tree(store)
    assert problems(tree) == {"areas/sub": "nested"}
    assert "areas/plain/z.html" in paths(tree)


def test_a_root_that_is_a_link_is_resolved_and_a_missing_one_is_an_error(store: Path, tmp_path: Path) -> None:
    (tmp_path / "door").symlink_to(store)
    assert Tree(tmp_path / "door").root == store.resolve()
    for missing in (tmp_path / "none", store / "areas/inbox/tap.html"):
        with pytest.raises(StoreError, match="cannot be read"):
            Tree(missing)


UNPRIVILEGED = """
import json, os, sys
from pathlib import Path
from memhtml_core.errors import StoreError
from memhtml_core.store.tree import Tree
# Imported first: the interpreter itself may stand where nobody else can read.
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    tree = Tree(Path(sys.argv[1]))
except StoreError as error:
    print(json.dumps({"error": str(error)})); raise SystemExit
walk = tree.walk()
try:
    tree.read("areas/locked.html"); read = "read"
except StoreError as error:
    read = error.what
print(json.dumps({
    "files": [file.path for file in walk.files],
    "problems": [[problem.path, problem.reason] for problem in walk.problems],
    "read": read,
    "git": tree.git.describe().state,
}))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_may_not_be_read_is_named_and_stops_nothing(store: Path, git: RunGit) -> None:
    git(store, "init", "-q")
    add(store, "areas/locked.html")
    add(store, "areas/shut/x.html")
    (store / "areas/locked.html").chmod(0)
    (store / "areas/shut").chmod(0)
    for folder in (*store.parents, store):
        # Several workers have a folder each, one level further down.
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(folder.stat().st_mode | 0o055)
    command = [sys.executable, "-c", UNPRIVILEGED, str(store)]
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "HOME": "/"}
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, env=environ).stdout)
    assert answer["files"] == ["areas/inbox/tap.html", "projects/boat/keel.html"]
    assert answer["problems"] == [["areas/locked.html", "unreadable"], ["areas/shut", "unreadable"]]
    assert "Permission denied" in answer["read"]
    assert answer["git"] == "not trusted"
    store.chmod(0)
    answer = json.loads(subprocess.run(command, capture_output=True, check=True, env=environ).stdout)
    assert "the store cannot be read (Permission denied)" in answer["error"]
    store.chmod(0o755)


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["files", "not-git"])
def test_the_hostile_tree_is_read_or_named_whole(tmp_path: Path, kind: str) -> None:
    maker = shared("cases/inputs/make_hostile_store.py")
    root = tmp_path / "hostile"
    subprocess.run([sys.executable, str(maker), str(root), "--kind", kind], check=True, capture_output=True)
    tree = Tree(root)
    walk = tree.walk()
    named = problems(tree)
    assert (
        named.items()
        >= {
            "areas/inbox/alias-of-28a.html": "link",
            "areas/inbox/dangling.html": "link",
            "areas/inbox/outside.html": "link",
            "areas/inbox/pipe.html": "special",
            "areas/loop": "link",
            "areas/nested": "nested",
            "areas/outside-dir": "link",
        }.items()
    )
    listed = [file.path for file in walk.files]
    assert {
        "areas/names/new\nline.html",
        "areas/names/日本.html",
        "areas/names/--help.html",
        "areas/case/Notes.html",
        "areas/case/notes.html",
        "areas/names/back\\slash.html",
    } <= set(listed)
    assert walk.listings == 1
    assert set(tree.unplaced()) == {"areas/names/UPPER.HTML", "stray.html"}
    codes = {path: examine(tree.read(path)).violations for path in listed}
    assert codes["areas/inbox/13-deep-nesting.html"] == ("too-deep",)
    assert codes["areas/names/new\nline.html"] == ()
    assert sum(1 for found in codes.values() if found) == 20
