"""One search against one plain float32 matrix-vector product over all vectors (CPU time, one thread).

Exactness first: the fused order is recomputed by the pure twin from the arm lists of the same run.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy

from memhtml_core.index.vectors import space_ids
from memhtml_core.opened import OpenStore, open_store
from memhtml_core.rank.fusion import fuse
from memhtml_core.rank.outcome import Outcome
from memhtml_core.rank.request import Request, Scope
from tests.bench.corpus import questions
from tests.bench.measure import Line, taking_turns

NOW = 1_790_000_000.0


def lines(root: Path, scratch: Path, size: int, rounds: int) -> list[Line]:
    """The fused statement and the whole search, in the default scope and under one workspace."""
    with open_store(root, source="tree", embedder="static", cache=scratch / "cache-query") as store:
        matrix, query = vectors(store)
        titles = [card.title for card in store.list(limit=500).rows]
        asked = itertools.cycle(questions(titles))
        workspaces = store.counts().workspaces
        narrow = Scope(workspace=min(workspaces, key=lambda name: workspaces[name]))
        exact(store.search(Request(titles[0], NOW)))
        embedded = {text: store.ask(text, 60.0)[0] for text in questions(titles)} if store.ask else {}

        def searched(scope: Scope) -> Outcome:
            text = next(asked)
            return store.search(Request(text, NOW, scope=scope), embedded[text])

        whole, scoped, product = taking_turns(
            [lambda: searched(Scope()), lambda: searched(narrow), lambda: matrix @ query], rounds=rounds
        )
        unit = f"matrix-vector product, {matrix.shape[0]:,} x {matrix.shape[1]}"
        return [
            Line("search: whole, default scope, plain SQL", f"{size:,}", whole, product, unit),
            Line("search: whole, smallest workspace", f"{size:,}", scoped, product, unit),
        ]


def vectors(store: OpenStore) -> tuple[numpy.ndarray, numpy.ndarray]:
    """All vectors of the requests' space as one float32 matrix, and one of them as the query."""
    space = store.vectors.space
    assert space is not None, store.vectors.label
    keys = ", ".join(map(str, space_ids(store.database, space)))
    blobs = [row[0] for row in store.database.rows(f"SELECT vec FROM vectors WHERE space_id IN ({keys})")]
    matrix = numpy.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), space.dim)
    return matrix, matrix[0].copy()


def exact(outcome: Outcome) -> None:
    """Stop where the statement's order differs from the pure twin over its own arm lists."""
    lists = {run.name: [entry.path for entry in run.entries] for run in outcome.arms}
    weights = {run.name: run.weight for run in outcome.arms}
    twin = fuse(lists, weights, outcome.request.ranking.k)
    found = [(line.path, line.fused) for line in outcome.candidates]
    if [path for path, _ in twin] != [path for path, _ in found]:
        raise SystemExit("the fused order differs from its pure twin: no figure of this run counts")
    if any(abs(a - b) > 1e-12 for (_, a), (_, b) in zip(twin, found, strict=True)):
        raise SystemExit("the fused scores differ from their pure twin: no figure of this run counts")
