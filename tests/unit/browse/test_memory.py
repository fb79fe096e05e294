"""One memory and the health of a store, on a store with everything in it and on what is not a memory."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memhtml_core.access.plane import Plane
from memhtml_core.browse.blocks import FacetList, FacetPair, ItemList
from memhtml_core.browse.health import read_health
from memhtml_core.browse.memory import MemoryView, read_memory
from memhtml_core.embed.protocol import Space
from memhtml_core.errors import PathUnknown
from memhtml_core.index.build import build
from memhtml_core.index.database import Database
from memhtml_core.index.location import Location, locate
from memhtml_core.index.usage import UsageState, attach_usage
from memhtml_core.store.tree import Tree
from tests.fingerprint import fingerprint
from tests.shared import shared

PUMP = "resources/runbooks/runbook-pump-failure.html"
TIERS = "resources/runbooks/runbook-tiers.html"
FERRY = "resources/ferry/ferry-timetable-source-of-truth.html"
TASK = "projects/tide-works/tasks/renew-the-crane-licence.html"
BROKEN = "areas/broken.html"


@dataclass(frozen=True)
class Opened:
    tree: Tree
    location: Location
    database: Database
    plane: Plane
    usage: UsageState

    def view(self, path: str) -> MemoryView:
        return read_memory(self.tree, self.database, self.plane, path)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("browse")
    with tarfile.open(shared("parity/small.tar.gz")) as archive:
        archive.extractall(folder, filter="data")
    (folder / "small" / BROKEN).write_text("<title>B</title><article><p>No <em>mark</em>.</p></article>")
    tree = Tree(folder / "small")
    location = locate(tree.root, folder / "cache")
    build(tree, location, source="tree")
    plane = Plane(tree.root)
    with location.open("tree") as database:
        yield Opened(tree, location, database, plane, attach_usage(database, location, plane))


def test_a_memory_with_everything(opened: Opened) -> None:
    before = fingerprint(opened.tree.root)
    view = opened.view("/" + PUMP)
    assert (view.path, view.title) == (PUMP, "Runbook: pump failure")
    assert view.memory is not None
    assert view.openable
    assert (view.stale, view.gone, view.problem) == (False, False, None)
    assert isinstance(view.blocks[0], ItemList)
    facets = [pair for block in view.blocks if isinstance(block, FacetList) for pair in block.pairs]
    stored = [FacetPair(f.name, f.value, f.numeric) for f in view.memory.facets]
    assert facets == stored
    assert len(stored) == 9
    (link,) = view.links_out
    assert (link.rel, link.other, link.indexed, link.derived) == ("laterally_related", TIERS, True, False)
    assert link.title
    assert PUMP in [edge.other for edge in opened.view(TIERS).links_in]
    assert fingerprint(opened.tree.root) == before


def test_every_memory_of_the_store_can_be_peeked_at(opened: Opened) -> None:
    paths = [row[0] for row in opened.database.rows("SELECT path FROM files")]
    assert len(paths) == 62
    for path in paths:
        view = opened.view(path)
        assert view.openable
        assert view.blocks
        assert not view.stale


def test_the_access_row_stands_beside(opened: Opened) -> None:
    row = opened.view(FERRY).access
    assert row is not None
    assert (row.access_count, row.outcome_score) == (2, 1.0)
    assert opened.view(TIERS).access is None


def test_a_refused_file_is_shown_with_its_violations(opened: Opened) -> None:
    view = opened.view(BROKEN)
    assert view.card is None
    assert view.memory is None
    assert not view.openable
    assert view.problem is not None
    assert "mark-none" in view.problem.violations
    assert "mark" in repr(view.blocks)


@pytest.mark.parametrize("path", ["areas/none.html", "README.html", "../small/README.html", "", "areas"])
def test_an_unknown_path_is_refused(opened: Opened, path: str) -> None:
    with pytest.raises(PathUnknown):
        opened.view(path)


def test_what_changed_or_left_since_is_said(opened: Opened) -> None:
    file = opened.tree.root / TASK
    original = file.read_bytes()
    try:
        file.write_bytes(original.replace(b"<article>", b"<article>\n"))
        assert opened.view(TASK).stale
        file.unlink()
        view = opened.view(TASK)
        assert (view.gone, view.openable, view.memory) == (True, False, None)
        assert view.title
        assert view.blocks
    finally:
        file.write_bytes(original)
    assert not opened.view(TASK).stale


def test_health_adds_up(opened: Opened) -> None:
    before = fingerprint(opened.tree.root)
    space = Space("cohere.embed-v4:0@1024", 1024)
    health = read_health(opened.tree, opened.location, opened.database, opened.usage, space)
    assert fingerprint(opened.tree.root) == before
    assert health.memories == 62 == sum(health.types.values()) == sum(health.buckets.values())
    assert health.archived == health.buckets["archive"]
    assert list(health.problems) == [BROKEN]
    assert health.coverage.ratio == 1.0
    assert health.coverage.chunks == health.chunks
    assert health.spaces[0].count == health.chunks
    assert health.freshness.source == "tree"
    assert health.usage.source == "state.db"
    assert health.usage.opens >= health.usage.judged > 0
    assert health.cache_size > 0
    assert [cache.store for cache in health.caches] == [opened.tree.root]
    assert health.versions.sqlite >= "3.54"
