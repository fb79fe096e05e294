"""What may befall the cache and what callers hand in: side files heal, odd values are answered."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from memhtml_core.access.plane import Plane
from memhtml_core.errors import UsageError
from memhtml_core.index.build import build
from memhtml_core.index.database import Database, create
from memhtml_core.index.location import CACHE_VARIABLE, Location, cache_root, locate
from memhtml_core.index.usage import attach_usage
from memhtml_core.store.tree import Tree
from tests.unit.index.stores import page, put

JUNK = b"this is no database\n" * 400


@pytest.fixture
def filled(root: Path, location: Location) -> Path:
    for place in range(3):
        put(root, f"areas/m{place}.html", page(f"Claim number {place}."))
    build(Tree(root), location)
    return root


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return create(tmp_path / "tree-1.db")


def test_half_characters_match_nothing_and_are_no_fault(database: Database) -> None:
    """An argument that is not UTF-8 reaches Python as lone surrogates; JSON can hold them too."""
    for text in ("\udcff", "caf\ud800", "areas/\udfff.html"):
        assert database.rows("SELECT path FROM files WHERE path = ?1", (text,)) == []
        assert database.one("SELECT 1 FROM files WHERE path = :path", {"path": text}) is None
        assert database.run("DELETE FROM files WHERE path = ?1", (text,)) == 0
    assert database.scalar("SELECT ?1", ("a\ud800b",)) == "a\ufffdb"
    assert list(database.stream("SELECT ?1", ("\udfff",))) == [("\ufffd",)]


def test_a_number_beyond_sqlite_is_a_usage_error(database: Database) -> None:
    for number in (2**63, -(2**63) - 1, 10**30):
        with pytest.raises(UsageError, match="too large"):
            database.rows("SELECT ?1", (number,))
    assert database.scalar("SELECT ?1", (2**63 - 1,)) == 2**63 - 1


def test_a_broken_lock_file_is_emptied_and_still_locks(filled: Path, location: Location) -> None:
    (location.folder / "lock.db").write_bytes(JUNK)
    assert build(Tree(filled), location).files == 3
    with location.lock():
        asked = 0

        def stop() -> bool:
            nonlocal asked
            asked += 1
            return True

        with suppress(Exception), location.lock(stop):
            pytest.fail("two hold the lock")
        assert asked == 1


def test_the_number_of_an_index_that_vanished_is_not_used_again(filled: Path, location: Location) -> None:
    """Otherwise the pointer would put a half-built file in force, and a stale log would be read into it."""
    current = location.current("tree")
    assert current is not None
    with location.open("tree", readonly=False) as database:
        database.run("UPDATE meta SET value = value")
        log = Path(f"{current}-wal").read_bytes()
    current.unlink()
    Path(f"{current}-wal").write_bytes(log)
    Path(f"{current}-shm").write_bytes(b"\0" * 32768)
    reserved = location.reserve("tree")
    assert reserved.name == "tree-2.db"
    reserved.unlink()
    assert build(Tree(filled), location).files == 3
    assert location.generation("tree") == 2


def test_a_log_beside_a_new_index_is_removed_with_its_past(filled: Path, location: Location) -> None:
    Path(location.folder / "tree-2.db-wal").write_bytes(JUNK)
    Path(location.folder / "tree-2.db-journal").write_bytes(JUNK)
    assert build(Tree(filled), location, full=True).files == 3
    with location.open("tree") as database:
        database.check()


@pytest.mark.parametrize("damage", ["junk", "half", "page"])
def test_a_broken_mirror_of_usage_is_made_anew(
    unpacked: Callable[[str], Path], tmp_path: Path, damage: str
) -> None:
    small = unpacked("small")
    place = locate(small, tmp_path / "cache")
    build(Tree(small), place)
    mirror = place.folder / "usage-state.db"

    def spoil() -> None:
        data = mirror.read_bytes()
        for suffix in ("-wal", "-shm"):
            Path(f"{mirror}{suffix}").unlink(missing_ok=True)
        mirror.write_bytes(
            {
                "junk": JUNK,
                "half": data[: len(data) // 2],
                "page": data[:4096] + b"\xaa" * 4096 + data[8192:],
            }[damage]
        )

    with place.open("peer") as database:
        assert attach_usage(database, place, Plane(small)).rows == 14
    spoil()
    with place.open("peer") as database:
        assert attach_usage(database, place, Plane(small)).rows == 14
        assert database.scalar("SELECT count(*) FROM usage.access WHERE access_count > 0") == 14
        spoil()  # and while it is attached
        assert attach_usage(database, place, Plane(small)).rows == 14
        assert database.scalar("SELECT count(*) FROM usage.access WHERE access_count > 0") == 14


def test_a_home_that_nobody_has_is_a_plain_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "~nobody-of-this-name/cache")
    assert cache_root() == Path.cwd() / "~nobody-of-this-name" / "cache"


def test_a_store_without_a_peer_index_is_walked_once(
    filled: Path, location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every opening walks twice, and a full disk stops a search that needs no new file."""
    walks = []
    walk = Tree.walk
    monkeypatch.setattr(Tree, "walk", lambda tree: walks.append(tree) or walk(tree))
    assert build(Tree(filled), location).source == "tree"
    assert len(walks) == 1
    assert not list(location.folder.glob("peer-*"))
