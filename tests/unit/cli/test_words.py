"""What an outcome says in words: a fifth arm in every place, an order that the query did not make, the
reasons.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_core.embed.choose import Choice
from memhtml_core.opened import OpenStore, open_store
from memhtml_core.rank.arms import ARMS, Arm
from memhtml_core.rank.request import Ranking, Request
from memhtml_tui.commands import words
from memhtml_tui.commands.output import Output
from memhtml_tui.commands.search import show
from memhtml_tui.commands.shapes import search_shape

SHORTEST = Arm(
    name="shortest",
    letter="L",
    label="shortest text",
    weight=0.25,
    build=lambda context: (
        "SELECT f.id AS file, row_number() OVER (ORDER BY length(t.body_text), f.path) AS rank, "
        "length(t.body_text) AS value FROM files f JOIN file_texts t ON t.file_id = f.id "
        f"WHERE {context.where()} ORDER BY 2 LIMIT ?2"
    ),
)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStore]:
    (tmp_path / "store" / "areas").mkdir(parents=True)
    for name, claim in (("a", "Drain the boiler."), ("b", "The ferry leaves at six every day.")):
        (tmp_path / "store" / "areas" / f"{name}.html").write_text(
            f'<title>{name}</title><meta name="memhtml-type" content="semantic">'
            '<meta name="memhtml-status" content="active"><meta name="memhtml-created" content="2024-01-01">'
            '<meta name="memhtml-updated" content="2024-01-01"><body>'
            f"<article><p><mark>{claim}</mark></p></article>"
        )
    arms = (*ARMS, SHORTEST)
    cache = tmp_path / "cache"
    with open_store(tmp_path / "store", embedder=Choice(None, True), cache=cache, arms=arms) as store:
        yield store


def test_a_fifth_arm_is_in_table_reasons_and_json(opened: OpenStore) -> None:
    outcome = opened.search(Request("ferry", 0.0))
    head, first, second = words.rank_table(outcome).splitlines()
    assert head.split()[:5] == ["#", "F", "R", "L", "fused"]
    assert first.split()[:4] == ["1", "1", "2", "2"]
    assert second.split()[:4] == ["2", "-", "1", "1"]
    assert any(line.startswith("  L shortest  rank 2") for line in words.why(outcome, 1))
    shape = search_shape(outcome)
    assert [arm["letter"] for arm in shape["arms"]] == ["F", "R", "L"]
    assert shape["hits"][0]["ranks"] == {"fts": 1, "recency": 2, "shortest": 2}
    assert shape["hits"][0]["contributions"]["shortest"] == 0.25 / 62


def test_every_arm_off_is_an_empty_answer_with_reasons(opened: OpenStore) -> None:
    off = frozenset(arm.name for arm in opened.arms)
    outcome = opened.search(Request("ferry", 0.0, ranking=Ranking(off=off)))
    out = io.StringIO()
    show(outcome, Output(out, io.StringIO()))
    line, remark = out.getvalue().splitlines()
    assert line == "missing: " + "; ".join(f"{arm.name} (switched off)" for arm in opened.arms)
    assert remark == "no hits"


def test_an_order_that_the_query_did_not_make_is_called_that(opened: OpenStore) -> None:
    ranking = Ranking(off=frozenset({"shortest"}))
    (remark,) = words.remarks(opened.search(Request("xylophone", 0.0, ranking=ranking)))
    assert remark.startswith("fts saw nothing: ")
    blind = Ranking(off=frozenset({"shortest", "fts"}))
    (remark,) = words.remarks(opened.search(Request("ferry", 0.0, ranking=blind)))
    assert remark.startswith("no arm that looks at the query ran: ")
    assert words.remarks(opened.search(Request("ferry", 0.0, ranking=ranking))) == []


def test_simulated_outages_look_real_but_for_the_word(opened: OpenStore) -> None:
    request = Request("ferry", 0.0, simulated={"vector": "embedder timed out"})
    assert "vector (embedder timed out, simulated)" in words.missing_line(opened.search(request))


def test_negation_twins_and_rivals_are_named(opened: OpenStore) -> None:
    outcome = opened.search(Request("drain the boiler", 0.0))
    lines = "\n".join(words.why(outcome, 1))
    assert "fused       " in lines
    assert "polarity    agrees with the query" in lines
    assert "MMR         score 1.0000, value 0.5000" in lines
