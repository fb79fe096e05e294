"""The diff of two packs names every memory whose tier differs, and no other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.pack.diff import diff_envelopes, diff_packs
from memhtml_core.pack.entries import Material, Pack
from memhtml_core.pack.fold import fold
from tests.counts import count


def material(number: int) -> Material:
    return Material(f"areas/{number}.html", f"t{number}", "claim", "semantic", (), "a whole text")


ORDERS = st.lists(st.integers(0, 6), unique=True).map(lambda numbers: [material(n) for n in numbers])


@given(ORDERS, ORDERS, st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=count(80, 2_000), deadline=None)
def test_diff_equals_a_comparison_by_path(
    before: list[Material], after: list[Material], one: int, other: int
) -> None:
    old, new = fold(before, one, 2, "memories"), fold(after, other, 2, "memories")
    found = diff_envelopes(old, new)
    was = {entry.path: entry.tier for entry in old.entries}
    now = {entry.path: entry.tier for entry in new.entries}
    differing = {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
    assert {change.path for change in found.changes} == differing
    assert all((was.get(c.path), now.get(c.path)) == (c.before, c.after) for c in found.changes)
    assert {c.path for c in found.came} == now.keys() - was.keys()
    assert {c.path for c in found.left} == was.keys() - now.keys()
    assert len(found.turned) == len(found.changes) - len(found.came) - len(found.left)
    assert (found.spent_before, found.spent_after) == (old.spent, new.spent)
    places = {entry.path: entry.place for entry in old.entries}
    assert found.moved == sum(
        e.path in places and was[e.path] == e.tier and places[e.path] != e.place for e in new.entries
    )


def test_both_envelopes_and_the_order_of_the_changes() -> None:
    empty = fold([], 100, 2, "arcs")
    few = fold([material(1), material(2)], 17, 2, "memories")
    more = fold([material(3), material(2)], 24, 2, "memories")
    found = diff_packs(Pack(empty, few), Pack(empty, more))
    assert found.any
    assert not found.arcs.changes
    assert [(c.path, c.before, c.after, c.place_before, c.place_after) for c in found.memories.changes] == [
        ("areas/3.html", None, "full", None, 1),
        ("areas/2.html", "disclosure", "full", 2, 2),
        ("areas/1.html", "full", None, 1, None),
    ]
    assert not diff_packs(Pack(empty, few), Pack(empty, few)).any
