"""A follower reports what really changed, by notices and by polling alike, and writes nothing."""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memhtml_core.index.follow import Changed, Follower
from memhtml_core.store.tree import Tree

WAIT = 20.0
"""Seconds; a notice comes within one, but the machine may be busy."""

Heard = tuple["queue.Queue[Changed]", "queue.Queue[str]", Follower]


@contextmanager
def following(root: Path, *, polling: bool) -> Iterator[Heard]:
    changes: queue.Queue[Changed] = queue.Queue()
    said: queue.Queue[str] = queue.Queue()
    follower = Follower(Tree(root), changes.put, said.put, quiet_s=0.05, poll_s=0.1, polling=polling)
    follower.start()
    try:
        assert said.get(timeout=WAIT).startswith("looking" if polling else "following")
        assert follower.mode == ("polling" if polling else "watching")
        yield changes, said, follower
    finally:
        follower.stop()
    assert follower.mode == "stopped"


def gather(changes: queue.Queue[Changed], wanted: Changed) -> None:
    """Wait until the reports add up to `wanted`: a burst may arrive in several."""
    got: dict[str, set[str]] = {"added": set(), "changed": set(), "removed": set()}
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if all(got[kind] == set(getattr(wanted, kind)) for kind in got):
            return
        try:
            report = changes.get(timeout=0.2)
        except queue.Empty:
            continue
        for kind in got:
            got[kind] |= set(getattr(report, kind))
    raise AssertionError(got)


def put(root: Path, path: str, text: str = "x") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    for path in ("areas/a.html", "areas/deep/b.html", "areas/deep/c.html", "projects/p/d.html"):
        put(store, path)
    return store


@pytest.mark.parametrize("polling", [False, True])
def test_files_and_folders_that_come_change_and_go(root: Path, polling: bool) -> None:
    with following(root, polling=polling) as (changes, _, _):
        put(root, "areas/a.html", "longer")
        gather(changes, Changed((), ("areas/a.html",), ()))
        (root / "areas/a.html").unlink()
        gather(changes, Changed((), (), ("areas/a.html",)))
        (root / "areas/deep").rename(root / "projects/deep")
        gather(
            changes,
            Changed(
                ("projects/deep/b.html", "projects/deep/c.html"),
                (),
                ("areas/deep/b.html", "areas/deep/c.html"),
            ),
        )
        put(root, "archive/2024/areas/new.html")
        gather(changes, Changed(("archive/2024/areas/new.html",), (), ()))


@pytest.mark.parametrize("polling", [False, True])
def test_what_is_no_memory_is_not_reported(root: Path, polling: bool) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    put(root, ".gitignore", "*.private.html\n")
    with following(root, polling=polling) as (changes, _, _):
        for path in (
            "areas/x.txt",
            "areas/index.html",
            "areas/.a.html.swp",
            "areas/s.private.html",
            "y.html",
        ):
            put(root, path)
        put(root, ".memhtml/state.db")
        put(root, "areas/last.html")
        gather(changes, Changed(("areas/last.html",), (), ()))
        with pytest.raises(queue.Empty):
            changes.get(timeout=0.3)


def test_a_burst_is_few_reports(root: Path) -> None:
    with following(root, polling=False) as (changes, _, _):
        names = [f"areas/burst/{number}.html" for number in range(200)]
        for name in names:
            put(root, name)
        time.sleep(0.1)
        assert changes.qsize() <= 5
        gather(changes, Changed(tuple(names), (), ()))


def test_without_watchfiles_it_polls_and_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    said: queue.Queue[str] = queue.Queue()
    changes: queue.Queue[Changed] = queue.Queue()
    follower = Follower(Tree(root), changes.put, said.put, poll_s=0.05)
    follower.start()
    assert said.get(timeout=WAIT) == "looking for changes every 0.05 s (watchfiles is not installed)"
    put(root, "areas/new.html")
    gather(changes, Changed(("areas/new.html",), (), ()))
    follower.stop()
    follower.stop()
    assert said.get(timeout=WAIT) == "not following changes"


def test_a_watch_that_fails_falls_back_to_polling(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    def full(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError("no space left for watches")
        yield set()

    monkeypatch.setattr(watchfiles, "watch", full)
    said: queue.Queue[str] = queue.Queue()
    follower = Follower(Tree(root), lambda _: None, said.put, poll_s=0.05)
    follower.start()
    assert "(the system gives no notice: no space left for watches)" in said.get(timeout=WAIT)
    follower.stop()


def test_a_folder_that_is_gone_is_no_removal_of_everything(root: Path, tmp_path: Path) -> None:
    with following(root, polling=True) as (changes, said, _):
        root.rename(tmp_path / "elsewhere")
        assert said.get(timeout=WAIT) == "the store's folder is not there"
        (tmp_path / "elsewhere").rename(root)
        assert said.get(timeout=WAIT).startswith("looking for changes")
        put(root, "areas/new.html")
        gather(changes, Changed(("areas/new.html",), (), ()))


def test_a_store_without_buckets_is_polled_until_one_comes(tmp_path: Path) -> None:
    (tmp_path / ".memhtml").mkdir()
    said: queue.Queue[str] = queue.Queue()
    changes: queue.Queue[Changed] = queue.Queue()
    follower = Follower(Tree(tmp_path), changes.put, said.put, poll_s=0.05)
    follower.start()
    assert "no folder to watch yet" in said.get(timeout=WAIT)
    put(tmp_path, "areas/first.html")
    gather(changes, Changed(("areas/first.html",), (), ()))
    follower.stop()
