"""Whatever was done to a store: updating its index gives the rows of a build from nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memhtml_core.embed.protocol import Space
from memhtml_core.index.build import build
from memhtml_core.index.database import Database
from memhtml_core.index.dump import dump_problems, dump_rows
from memhtml_core.index.location import Location, locate
from memhtml_core.index.vectors import coverage, embed_missing
from memhtml_core.store.tree import Tree
from tests.counts import count
from tests.unit.index.stores import commit, page, put

PATHS = (
    "archive/2024/areas/a.html",
    "archive/2024/projects/p/c.html",
    "areas/a.html",
    "areas/b.html",
    "areas/inbox/tasks/t.html",
    "projects/p/c.html",
    "projects/p/ü.html",
    "resources/z.html",
)
LONG = "<p>" + "One more sentence about the quay. " * 80 + "</p>"
LINK = '<link rel="memhtml-supports" href="/areas/a.html">'
TEXTS = (
    page("Alpha holds."),
    page("Alpha holds.", kind="task"),
    page("Alpha holds.", kind="episodic", head=LINK),
    page("Beta holds.", body=LONG),
    page("Beta holds.", body=LONG, head='<meta name="memhtml-tag" content="t">'),
    page("Gamma holds.", head=LINK, body="<dl><dt>n</dt><dd>v</dd></dl><p><cite>c</cite> <dfn>d</dfn></p>"),
    b"<p>no memory at all</p>",
    page("Deep.", body="<b>" * 3000),
    b"",
)
PASS_INSTANTS = {"files": {"indexed_at"}, "edges": {"created_at"}, "embeddings": {"created_at"}}

Step = tuple[Any, ...]
PATH = st.one_of(st.sampled_from(PATHS), st.sampled_from((PATHS[0], PATHS[2], PATHS[3], PATHS[7])))
STEPS = st.one_of(
    st.tuples(st.just("put"), PATH, st.sampled_from(TEXTS)),
    st.tuples(st.just("put"), PATH, st.sampled_from(TEXTS[:3])),
    st.tuples(st.just("move"), PATH, PATH),
    st.tuples(st.just("copy"), PATH, PATH),
    st.tuples(st.just("delete"), PATH),
    st.tuples(st.just("link"), PATH, PATH),
    st.just(("commit",)),
    st.tuples(st.just("ignore"), PATH),
    st.just(("update",)),
    st.just(("update",)),
)


class Hashed:
    """An embedder whose vectors are a function of the text alone."""

    space = Space("hashed@4", 4, "d")
    label = "hashed"

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        return [
            struct.pack("<4f", *(1.0 + byte for byte in hashlib.sha256(t.encode()).digest()[:4]))
            for t in texts
        ]

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        return self.embed_documents([text])[0]


def everything(database: Database) -> dict[str, Any]:
    """All rows, problems and text-index terms, without the instants of the pass."""
    dump = dump_rows(database, Hashed.space)
    for table, ignored in PASS_INSTANTS.items():
        columns = dump[table]["columns"]
        kept = [at for at, name in enumerate(columns) if name not in ignored]
        dump[table] = [[row[at] for at in kept] for row in dump[table]["rows"]]
    head = dump.pop("index_state")["rows"][0][1]
    database.run(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'files_fts', 'instance')"
    )
    words = database.rows(
        "SELECT term, path, offset FROM temp.words JOIN files ON files.id = doc ORDER BY 1, 2, 3"
    )
    return {**dump, "problems": dump_problems(database)["rows"], "words": words, "head": head}


def apply(root: Path, step: Step) -> None:
    """Do one edit; an edit that cannot be done (nothing there to move) does nothing."""
    kind, paths = step[0], [root / path for path in step[1:] if isinstance(path, str)]
    if kind == "put":
        paths[0].unlink(missing_ok=True)
        put(root, step[1], step[2])
    elif kind in ("move", "copy") and paths[0].is_file() and paths[0] != paths[1]:
        paths[1].parent.mkdir(parents=True, exist_ok=True)
        paths[1].unlink(missing_ok=True)
        if kind == "move":
            paths[0].rename(paths[1])
        else:
            shutil.copyfile(paths[0], paths[1], follow_symlinks=False)
    elif kind == "delete":
        paths[0].unlink(missing_ok=True)
    elif kind == "link":
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        paths[0].unlink(missing_ok=True)
        paths[0].symlink_to(paths[1])
    elif kind == "commit":
        commit(root)
    elif kind == "ignore":
        (root / ".gitignore").write_text(step[1] + "\n", "utf-8")


def updated(store: Tree, location: Location) -> dict[str, Any]:
    """Bring an index up to date, vectors included, look it over, and give all that it holds."""
    report = build(store, location, source="tree")
    with location.open("tree", readonly=False) as database:
        embedded = embed_missing(database, Hashed())
        assert not embedded.problem
        assert coverage(database, Hashed.space).ratio == 1.0
        database.check()
        rows = everything(database)
    assert report.files == len(rows["files_rowid_order"])
    assert report.problems == len(rows["problems"])
    return rows


UPDATE = ("update",)
START = [
    *(("put", PATHS[0], TEXTS[3]), ("put", PATHS[2], TEXTS[0]), ("put", PATHS[3], TEXTS[4])),
    *(("put", PATHS[4], TEXTS[1]), ("put", PATHS[5], TEXTS[3]), ("put", PATHS[7], TEXTS[0]), UPDATE),
]
"""A store where most texts are shared, so that one edit already moves what files have in common."""

TAKES_TURNS = [
    *(("put", PATHS[2], TEXTS[0]), ("put", PATHS[7], TEXTS[0]), UPDATE),
    *(("delete", PATHS[2]), UPDATE),
    *(("put", PATHS[2], TEXTS[0]), UPDATE),
]
"""The first of two equal files goes, the second takes its place, and then the first comes back."""

CHANGES_OWNER = [
    *(("put", PATHS[2], TEXTS[3]), ("put", PATHS[0], TEXTS[3]), ("put", PATHS[4], TEXTS[1]), UPDATE),
    *(("move", PATHS[2], PATHS[1]), UPDATE),
    *(("put", PATHS[1], TEXTS[0]), UPDATE),
    ("delete", PATHS[0]),
]
"""A text that several files share goes from one to the other by archive-move, edit and deletion."""

BREAKS_AND_MENDS = [
    *(("put", PATHS[3], TEXTS[0]), UPDATE),
    *(("put", PATHS[3], TEXTS[6]), UPDATE),
    ("put", PATHS[3], TEXTS[0]),
]


@settings(max_examples=count(12, 2_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=1, max_size=8))
@example(TAKES_TURNS)
@example(CHANGES_OWNER)
@example(BREAKS_AND_MENDS)
def test_an_update_equals_a_build_from_nothing(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "store")
        (root / "areas").mkdir(parents=True)
        store, kept = Tree(root), locate(root, Path(folder, "kept"))
        for step in [*START, *steps, UPDATE]:
            if step[0] == "update":
                got = updated(store, kept)
            else:
                apply(root, step)
        assert got == updated(store, locate(root, Path(folder, "fresh")))
        # And once more, when no file is young enough to be read again for its age alone.
        old = 1_700_000_000
        for base, _, names in os.walk(root):
            for name in names:
                os.utime(Path(base, name), (old, old), follow_symlinks=False)
        assert got == updated(store, kept)
