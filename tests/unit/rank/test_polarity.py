"""Polarity: who may move, how far, and that a kernel's rounding decides nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memhtml_core.rank.cosine import exact
from memhtml_core.rank.polarity import Claim, claim_text, markers, polarity_scored
from tests.unit.rank.corpus import blob
from tests.unit.rank.proof import proof

TEXTS = st.sampled_from(["it is safe", "it is not safe", "never safe", "nothing", "can't be", "fine"])
VECTORS = st.none() | st.lists(st.sampled_from([0.0, 1.0, 1.05, -1.0]), min_size=3, max_size=3).map(blob)
CLAIMS = st.lists(st.tuples(TEXTS, VECTORS), max_size=12).map(
    lambda found: [Claim(f"areas/{n}.html", text, vector) for n, (text, vector) in enumerate(found)]
)


@proof
@given(TEXTS, CLAIMS)
def test_only_a_disagreeing_twin_moves(query: str, claims: list[Claim]) -> None:
    """A plain reading of RETRIEVAL 7 beside what the function says."""
    scores = {claim.path: 1.0 / place for place, claim in enumerate(claims, start=1)}
    negated = {claim.path: bool(markers(claim.text)) for claim in claims}
    asked = bool(markers(query))
    expected = dict(scores)
    for claim in claims:
        twins = [
            scores[other.path]
            for other in claims
            if negated[claim.path] != asked == negated[other.path]
            and claim.vector is not None
            and other.vector is not None
            and exact(claim.vector, other.vector) >= 0.9
        ]
        if twins and scores[claim.path] > min(twins):
            expected[claim.path] = min(twins) * 0.5
    pool, moves = polarity_scored(query, claims)
    assert dict(pool) == expected
    assert pool == sorted(pool, key=lambda pair: (-pair[1], pair[0]))
    for move in moves:
        assert negated[move.path] != asked == negated[move.twin]
        assert move.cosine >= 0.9
        assert (move.score_before, move.score_after) == (scores[move.path], expected[move.path])
        assert move.moved == (move.score_after != move.score_before)
        assert move.floor == scores[move.twin]
        assert move.words


def test_a_lone_negated_memory_stays() -> None:
    claims = [Claim("a", "never x", blob([1, 0])), Claim("b", "x", blob([0, 1])), Claim("c", "x", None)]
    assert polarity_scored("x", claims) == ([("a", 1.0), ("b", 0.5), ("c", 1 / 3)], ())


def test_it_falls_below_the_lowest_twin() -> None:
    claims = [Claim("a", "not x", blob([1, 0])), Claim("b", "x", blob([1, 0])), Claim("c", "x", blob([1, 0]))]
    pool, (move,) = polarity_scored("x", claims)
    assert pool == [("b", 0.5), ("c", 1 / 3), ("a", 1 / 6)]
    assert (move.twin, move.floor, move.words) == ("c", 1 / 3, ("not",))


def test_ties_go_by_code_point() -> None:
    claims = [
        Claim("b", "not x", blob([1, 0])),
        Claim("a_", "not x", blob([1, 0])),
        Claim("c", "x", blob([1, 0])),
    ]
    assert [path for path, _ in polarity_scored("x", claims)[0]] == ["c", "a_", "b"]


def test_a_cosine_on_the_threshold_is_a_twin() -> None:
    left, right = blob([1.0, 0.0]), blob([0.9, 0.43588989])
    threshold = exact(left, right)
    claims = [Claim("a", "not x", left), Claim("b", "x", right)]
    for step, moved in ((0.0, True), (1e-16 * 4, False)):
        _, moves = polarity_scored("x", claims, twin_cosine=threshold + step)
        assert bool(moves) == moved


def test_markers_are_words_of_the_closed_set() -> None:
    assert markers("It DOESN'T fail; never, Never without 5.0 no.5") == ("not", "fail", "never", "without")
    assert markers("cannot") == ("not",)
    assert markers("doesn\u2019t nothing notable") == ()
    assert markers("") == ()


def test_the_body_speaks_where_the_gist_is_blank() -> None:
    assert claim_text("\ufeff \u00a0", "b" * 3_000) == "b" * 2_000
    assert claim_text("", "\U0001f600" * 1_500) == "\U0001f600" * 1_000
    assert claim_text("g", "b") == "g"
