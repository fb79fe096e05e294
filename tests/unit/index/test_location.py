"""The cache: private, outside the store, pruned by what is gone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memhtml_core.errors import UsageError
from memhtml_core.index.build import build
from memhtml_core.index.location import CACHE_VARIABLE, Location, cache_root, cached_stores, locate, prune
from memhtml_core.store.tree import Tree
from tests.unit.index.stores import page, put


def test_the_folder_is_private_and_names_its_store(root: Path, location: Location) -> None:
    put(root, "areas/a.html", page("Holds."))
    build(Tree(root), location)
    assert stat.S_IMODE(location.folder.stat().st_mode) == 0o700
    (entry,) = cached_stores(location.folder.parent)
    assert (entry.store, entry.present) == (root.resolve(), True)
    assert entry.size == location.size() > 10_000


def test_one_store_has_one_folder_by_whatever_path(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert locate(tmp_path / "alias", tmp_path / "c") == locate(root, tmp_path / "c")
    assert locate(tmp_path / "other", tmp_path / "c") != locate(root, tmp_path / "c")


@pytest.mark.parametrize("inside", [".", "areas", ".memhtml/cache"])
def test_a_cache_inside_the_store_is_refused(root: Path, inside: str) -> None:
    with pytest.raises(UsageError, match="must not lie inside the store"):
        locate(root, root / inside)


def test_prune_removes_what_belongs_to_vanished_stores_and_nothing_else(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    gone = tmp_path / "gone"
    put(gone, "areas/a.html", page("Holds."))
    for store in (root, gone):
        build(Tree(store), locate(store, cache))
    (cache / "foreign").mkdir()
    (cache / "foreign" / "keep").write_text("kept", "utf-8")
    gone.rename(tmp_path / "elsewhere")
    assert [entry.store for entry in prune(cache)] == [gone]
    assert locate(root, cache).current("tree") is not None
    assert not locate(gone, cache).folder.exists()
    assert (cache / "foreign" / "keep").exists()
    assert prune(cache) == []


def test_the_environment_names_the_cache(tmp_path: Path) -> None:
    assert cache_root({CACHE_VARIABLE: str(tmp_path / "here")}) == tmp_path / "here"
    assert cache_root({}).name == "memhtml-tui"


@pytest.mark.parametrize("pointer", ["", "tree-99.db", "../tree-1.db", "peer-1.db", "\x00"])
def test_a_pointer_to_nothing_is_no_index(root: Path, location: Location, pointer: str) -> None:
    build(Tree(root), location)
    (location.folder / "current-tree").write_text(pointer, "utf-8")
    assert location.current("tree") is None
    assert location.generation("tree") == 0
    assert build(Tree(root), location).full
