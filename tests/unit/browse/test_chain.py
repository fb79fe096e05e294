"""The chain of supersessions equals a walk done by hand, circles and gaps included."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse.chain import chain
from tests.counts import count
from tests.unit.rank.corpus import Row, fill

NAMES = [f"areas/{n}.html" for n in range(6)]
LINKS = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=9)


def _walked(links: set[tuple[str, str]], start: str) -> list[tuple[int, str]]:
    """Breadth first over (from, to) pairs: the least number of links to each other path."""
    steps = {start: 0}
    for step in range(1, len(NAMES)):
        reached = {to for source, to in links if steps.get(source) == step - 1}
        steps.update(dict.fromkeys(reached - set(steps), step))
    return sorted((step, path) for path, step in steps.items() if path != start)


@given(LINKS, st.sets(st.sampled_from(NAMES)))
@settings(max_examples=count(25, 800), deadline=None)
def test_both_ends_equal_a_walk(links: set[tuple[str, str]], indexed: set[str]) -> None:
    rows = [Row(path, archived=path == NAMES[0]) for path in sorted(indexed)]
    with tempfile.TemporaryDirectory() as folder, fill(Path(folder) / "index.db", rows) as database:
        for new, old in links:
            database.run(
                "INSERT INTO edges VALUES (?1, 'supersedes', ?2, 'memory', 0, 1.0, '', NULL, NULL, NULL, '')",
                (new, old),
            )
        for path in NAMES:
            found = chain(database, path)
            assert [(each.step, each.path) for each in found.older] == _walked(links, path)
            assert [(each.step, each.path) for each in found.newer] == _walked(
                {(old, new) for new, old in links}, path
            )
            for each in (*found.older, *found.newer):
                assert each.indexed == (each.path in indexed)
                assert each.archived == (each.path in indexed and each.path == NAMES[0])


def test_mined_and_other_links_make_no_chain(tmp_path: Path) -> None:
    with fill(tmp_path / "index.db", [Row(path) for path in NAMES]) as database:
        for rel, derived in (("supersedes", 1), ("contradicts", 0)):
            database.run(
                "INSERT INTO edges VALUES (?1, ?2, ?3, 'memory', ?4, 1.0, '', NULL, NULL, NULL, '')",
                (NAMES[0], rel, NAMES[1], derived),
            )
        assert chain(database, NAMES[0]).older == ()
        assert chain(database, NAMES[1]).newer == ()
