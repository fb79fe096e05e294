"""The rows of the reference's own stores, from both sources, compared by the tool that came with them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.access.plane import Plane
from memhtml_core.embed.protocol import Space
from memhtml_core.index.build import build
from memhtml_core.index.dump import dump_rows
from memhtml_core.index.location import Source, locate
from memhtml_core.index.usage import attach_usage
from memhtml_core.index.vectors import embed_missing
from memhtml_core.store.tree import Tree
from tests.fingerprint import changed, fingerprint
from tests.shared import shared
from tests.unit.index.stores import git, page, put

TABLES = {"files", "chunks", "embeddings", "edges", "file_tags", "file_entities", "file_facets"}
WATERMARKS = {"index_state", "files_rowid_order"}


def _unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(shared(f"parity/{name}.tar.gz")) as archive:
        archive.extractall(folder)
    return folder / name


def _golden(name: str) -> Any:
    return json.loads(shared(f"parity/{name}.json").read_text("utf-8"))


def _disagreement(folder: Path, wanted: Any, mine: Any) -> str:
    """What the comparing tool has to say against `mine`; "" where everything agrees."""
    command = [sys.executable, str(shared("parity/compare.py")), "rows"]
    for name, rows in (("golden.json", wanted), ("mine.json", mine)):
        (folder / name).write_text(json.dumps(rows), "utf-8")
        command.append(str(folder / name))
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("source", ["peer", "tree"])
@pytest.mark.parametrize("name", ["small", "medium", "hostile"])
def test_all_rows_equal_and_the_store_is_untouched(name: str, source: Source, tmp_path: Path) -> None:
    root = _unpacked(name, tmp_path)
    before = fingerprint(root)
    location = locate(root, tmp_path / "cache")
    report = build(Tree(root), location, source=source)
    with location.open(source, readonly=False) as database:
        attach_usage(database, location, Plane(root))
        database.check()
        mine = dump_rows(database)
    wanted = _golden("goldens_hostile")["rows"] if name == "hostile" else _golden(f"rows_{name}")
    assert TABLES | WATERMARKS <= wanted.keys() <= mine.keys()
    assert report.files == len(wanted["files"]["rows"])
    assert _disagreement(tmp_path, wanted, mine) == ""
    assert changed(before, fingerprint(root)) == []


def test_every_refused_file_of_the_hostile_store_is_named_with_the_same_codes(tmp_path: Path) -> None:
    root = _unpacked("hostile", tmp_path)
    location = locate(root, tmp_path / "cache")
    wanted = _golden("goldens_hostile")["rebuild"]["data"]["skipped"]
    sources: tuple[Source, ...] = ("tree", "peer")
    for source in sources:
        build(Tree(root), location, source=source)
        with location.open(source) as database:
            got = {row[0]: row[1:] for row in database.rows("SELECT path, reason, violations FROM problems")}
        assert got.keys() == {entry["path"] for entry in wanted}
        for entry in wanted:
            reason, codes = got[entry["path"]]
            if reason != "link":
                assert (reason, json.loads(codes)) == ("refused", entry["reason"])
        # The reference parses the target text of a symlink; here it is named as what it is.
        links = [path for path, (reason, _) in got.items() if reason == "link"]
        assert links == ["areas/bad/symlink-outside.html", "areas/ok/symlink-inside.html"]


class Deterministic:
    """The embedder behind every vector of the goldens, as one of ours."""

    space = Space("cohere.embed-v4:0@1024", 1024, "det")
    label = "deterministic"

    def __init__(self) -> None:
        spec = importlib.util.spec_from_file_location("det_embed", shared("parity/det_embed.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._blob = module.embed_blob

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        return [self._blob(text) for text in texts]

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        return self.embed_documents([text])[0]


def test_one_update_per_commit_counts_what_the_reference_counts(tmp_path: Path) -> None:
    golden = _golden("incremental_small")
    origin = _unpacked("small", tmp_path)
    root = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-checkout", str(origin), str(root))
    store, location = Tree(root), locate(root, tmp_path / "cache")
    embedder = Deterministic()
    assert len(golden["steps"]) == 53
    for step in golden["steps"]:
        git(root, "checkout", "-q", step["commit"])
        report = build(store, location, source="tree")
        with location.open("tree", readonly=False) as database:
            written = embed_missing(database, embedder).written
        changes = report.changes
        assert report.head_sha == step["commit"]
        # A rename pairs like files there and equal files here; a pair that is none here is one of each.
        assert (
            changes.added + changes.moved + changes.changed
            == step["added"] + step["renamed"] + step["modified"]
        )
        assert changes.removed + changes.moved == step["removed"] + step["renamed"]
        assert written == step["embeddingsWritten"]
    with location.open("tree") as database:
        mine = dump_rows(database, embedder.space)
    rebuilt = {name: rows for name, rows in _golden("rows_small").items() if name != "access"}
    assert _disagreement(tmp_path, rebuilt, mine) == ""
    # Two equal open tasks share a chunk: there it belongs to the one touched last, here to the last path.
    chunks = golden["rows"]["chunks"]["rows"]
    differing = [row for row in chunks if row not in mine["chunks"]["rows"]]
    assert len(differing) == 1
    same_text = [row for row in mine["chunks"]["rows"] if row[0] == differing[0][0]]
    assert [row[2:] for row in same_text] == [differing[0][2:]]
    updated = {name: rows for name, rows in golden["rows"].items() if name in rebuilt}
    for part in (updated, mine):
        part.pop("chunks")
        part.pop("files_rowid_order", None)
    assert _disagreement(tmp_path, updated, mine) == ""


def test_a_file_of_five_megabytes_has_the_same_text_and_chunks(tmp_path: Path) -> None:
    golden = _golden("goldens_hostile")["variants"]["five_megabytes"]
    lines = (
        f"<p>Line {i} of a very large file mentions buoy {i % 977} and rope {i % 463}.</p>"
        for i in range(75_000)
    )
    root = tmp_path / "store"
    put(root, "areas/odd/five-megabytes.html", page("A five megabyte file.", body="\n" + "\n".join(lines)))
    location = locate(root, tmp_path / "cache")
    assert build(Tree(root), location).chunks == golden["chunks"] == 2673
    with location.open("tree") as database:
        found = database.one("SELECT content_hash, word_count FROM file_details")
    assert found == (golden["content_hash"], golden["word_count"])


def test_one_copied_file_takes_nothing_down(tmp_path: Path) -> None:
    root = _unpacked("hostile", tmp_path)
    location = locate(root, tmp_path / "cache")
    build(Tree(root), location, source="tree")
    put(root, "areas/ok/plain-copy.html", (root / "areas/ok/plain.html").read_bytes())
    put(root, "areas/deep.html", page("Deep.", body="<div>" * 3000))
    reports = [build(Tree(root), location, source="tree", full=full) for full in (False, True)]
    assert [(report.files, report.problems) for report in reports] == [(33, 16), (33, 16)]
    with location.open("tree") as database:
        chosen = "('areas/ok/plain.html', 'areas/deep.html')"
        rows = database.rows(f"SELECT reason, violations FROM problems WHERE path IN {chosen} ORDER BY path")
    # `plain-copy` sorts before `plain.html`, so the copy is the first of the two.
    assert rows == [("too-deep", '["too-deep"]'), ("duplicate", '["areas/ok/plain-copy.html"]')]
