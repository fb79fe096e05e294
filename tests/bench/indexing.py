"""Full build without embeddings against a bare walk, parse and hash of the same files (CPU time)."""

from __future__ import annotations

import shutil
from pathlib import Path

from memhtml_core.index.build import build
from memhtml_core.index.location import locate
from memhtml_core.store.document import blob_sha
from memhtml_core.store.html import parse
from memhtml_core.store.tree import Tree
from tests.bench.measure import Line, taking_turns


def lines(root: Path, scratch: Path, size: int, rounds: int) -> list[Line]:
    """One line: the build from nothing."""
    tree = Tree(root)

    def bare() -> None:
        for file in tree.walk().files:
            data = tree.read(file.path)
            blob_sha(data)
            parse(data)

    def full() -> None:
        cache = scratch / "cache-build"
        shutil.rmtree(cache, ignore_errors=True)
        build(tree, locate(root, cache), source="tree", full=True)

    built, walked = taking_turns([full, bare], rounds=rounds)
    return [Line("index: full build, no embeddings", f"{size:,}", built, walked, "bare walk, parse and hash")]
