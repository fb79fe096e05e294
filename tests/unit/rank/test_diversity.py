"""MMR: a greedy choice that equals its plain reading, whatever the kernel."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.rank.cosine import exact
from memhtml_core.rank.diversity import Entry, mmr
from tests.unit.rank.corpus import blob
from tests.unit.rank.proof import proof

# Few directions and many near-copies, so that ties and near-ties are common.
VECTORS = st.none() | st.lists(st.sampled_from([0.0, 1.0, 1.0000001, -1.0, 2.0]), min_size=3, max_size=3).map(
    blob
)
ENTRIES = st.lists(VECTORS, max_size=12).map(
    lambda vectors: [(f"p{n}", 1.0 / (n + 1), vector) for n, vector in enumerate(vectors)]
)
LAMBDAS = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])


def plainly(entries: list[Entry], limit: int, weight: float) -> list[str]:
    """RETRIEVAL 8 as it is written."""
    left, chosen = list(entries), list[Entry]()
    while left and len(chosen) < limit:
        best, best_value = left[0], -float("inf")
        for entry in left:
            penalty = 0.0
            for other in chosen:
                if entry[2] is not None and other[2] is not None:
                    penalty = max(penalty, exact(entry[2], other[2]))
            value = weight * entry[1] - (1.0 - weight) * penalty
            if value > best_value:
                best, best_value = entry, value
        chosen.append(best)
        left.remove(best)
    return [path for path, _, _ in chosen]


@proof
@given(ENTRIES, st.integers(-1, 14), LAMBDAS)
def test_choices_equal_the_plain_reading(entries: list[Entry], limit: int, weight: float) -> None:
    steps = mmr(entries, limit, weight)
    assert [step.path for step in steps] == plainly(entries, limit, weight)
    vectors = {path: vector for path, _, vector in entries}
    scores = {path: score for path, score, _ in entries}
    for place, step in enumerate(steps):
        assert step.score == scores[step.path]
        assert step.objective == weight * step.score - (1.0 - weight) * step.penalty
        if step.rival is None:
            assert step.penalty == 0.0
        else:
            assert step.rival in {earlier.path for earlier in steps[:place]}
            assert step.penalty == exact(vectors[step.path] or b"", vectors[step.rival] or b"") > 0.0


@proof
@given(ENTRIES, st.integers(0, 14))
def test_full_relevance_keeps_the_order(entries: list[Entry], limit: int) -> None:
    assert [step.path for step in mmr(entries, limit, 1.0)] == [path for path, _, _ in entries][:limit]


@proof
@given(ENTRIES, st.integers(0, 14), LAMBDAS)
def test_a_longer_choice_begins_with_the_shorter(entries: list[Entry], limit: int, weight: float) -> None:
    assert mmr(entries, len(entries), weight)[:limit] == mmr(entries, limit, weight)


def test_without_vectors_nothing_moves() -> None:
    entries: list[Entry] = [(name, 1.0 / n, None) for n, name in enumerate("abc", start=1)]
    assert [(step.path, step.penalty, step.rival) for step in mmr(entries, 3)] == [
        ("a", 0.0, None),
        ("b", 0.0, None),
        ("c", 0.0, None),
    ]
