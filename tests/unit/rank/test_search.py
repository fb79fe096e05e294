"""The pipeline over small stores: what drops, what stays, what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.embed.protocol import Space
from memhtml_core.errors import EmbedError, EmbedTimeout, IndexFault, Interrupted, UsageError
from memhtml_core.index.database import Database
from memhtml_core.rank.arms import ARMS, Arm
from memhtml_core.rank.outcome import MissingArm, MissingReason, Outcome
from memhtml_core.rank.request import Ranking, Request, Scope
from memhtml_core.rank.search import search
from tests.unit.rank.corpus import SPACE, Row, blob, fill

NOW = 1_720_000_000.0
EAST = blob([1, 0, 0, 0])
NORTH = blob([0, 1, 0, 0])
ROWS = [
    Row("areas/a.html", "the pump is safe", gist="The pump is safe.", vectors=((1, 0, 0, 0),)),
    Row("areas/b.html", "the pump is not safe", gist="The pump is not safe.", vectors=((1, 0.1, 0, 0),)),
    Row("areas/c.html", "fog", tags=("fog",), vectors=(None, (0, 1, 0, 0)), chunks=("opening", "second")),
    Row("areas/d.html", "no chunk at all", updated_at="2024-05-01T00:00:00Z"),
    Row("projects/p/tasks/t.html", "pump task", memory_type="task"),
    Row("archive/2023/areas/old.html", "old fog", archived=True, tags=("fog", "past")),
    Row("archive/2023/areas/older.html", "older", archived=True, tags=("past",)),
]


class Toy:
    """An embedder that says what it is told to say, and counts how often it is asked."""

    label = "toy"

    def __init__(self, answer: bytes | Exception = EAST, space: Space = SPACE) -> None:
        self.answer, self.space, self.asked = answer, space, 0

    def embed_query(self, text: str, *, deadline: float | None = None) -> bytes:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def embed_documents(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        raise AssertionError("a search embeds no documents")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with fill(tmp_path / "index.db", ROWS) as opened:
        opened.run(
            "INSERT INTO edges VALUES ('areas/a.html', 'supersedes', ?1, 'memory', 0, 1, 'authored', NULL, "
            "NULL, NULL, '2024')",
            ("archive/2023/areas/old.html",),
        )
        yield opened


def ask(database: Database, query: str = "pump", **given: Any) -> Outcome:
    options: dict[str, Any] = {"embedder": Toy(), "space": SPACE, "usage": True}
    options.update({key: given.pop(key) for key in tuple(given) if key not in Request.__dataclass_fields__})
    ranking = given.pop("ranking", Ranking(coverage_floor=0.0))
    return search(database, Request(query, NOW, ranking=ranking, **given), **options)


def reasons(outcome: Outcome) -> dict[str, MissingReason]:
    return {missing.arm: missing.reason for missing in outcome.missing}


def test_one_statement_gives_order_and_breakdown(database: Database) -> None:
    outcome = ask(database)
    assert [run.name for run in outcome.arms] == ["fts", "vector", "recency", "salience"]
    assert [statement.name for statement in outcome.statements].count("fused") == 1
    for run in outcome.arms:
        assert [entry.rank for entry in run.entries] == list(range(1, len(run.entries) + 1))
        for entry in run.entries:
            line = outcome.candidate(entry.path)
            assert line is not None
            assert line.ranks[run.name] == entry.rank
            assert line.contributions[run.name] == run.weight / (entry.rank + 60)
    assert [line.position for line in outcome.candidates] == list(range(1, len(outcome.candidates) + 1))
    assert {hit.path for hit in outcome.hits} == {row.path for row in ROWS if row.path.startswith("areas/")}
    assert not outcome.degraded
    assert outcome.missing == ()


def test_a_toy_fifth_arm_is_one_entry(database: Database) -> None:
    def build(context: Any) -> str:
        return (
            "SELECT id, row_number() OVER (ORDER BY length(path), path), length(path) "
            f"FROM (SELECT f.id AS id, f.path AS path FROM files f WHERE {context.where()} "
            "ORDER BY length(f.path), f.path LIMIT ?2)"
        )

    toy = Arm("brevity", "B", "short paths", 0.25, build)
    outcome = ask(database, arms=(*ARMS, toy), ranking=Ranking(coverage_floor=0.0, weights={"brevity": 2.0}))
    run = outcome.arms[-1]
    assert (run.name, run.letter, run.weight, len(run.entries)) == ("brevity", "B", 2.0, 4)
    assert all(line.contributions["brevity"] > 0 for line in outcome.candidates)
    fused = next(statement for statement in outcome.statements if statement.name == "fused")
    assert "brevity(file, rank, value) AS" in fused.sql
    assert fused.values[2] == "200"


@pytest.mark.parametrize("name", ["", "Fts", "files", "a b", "x'; --", "1st"])
def test_an_arm_needs_a_name_that_sql_can_carry(name: str) -> None:
    with pytest.raises(UsageError, match="cannot have this name"):
        replace(ARMS[0], name=name)


def test_two_arms_of_one_name_are_refused(database: Database) -> None:
    with pytest.raises(UsageError, match="two arms have one name"):
        ask(database, arms=(*ARMS, ARMS[0]))


def test_without_any_arm_the_answer_is_empty(database: Database) -> None:
    outcome = ask(database, ranking=Ranking(off=frozenset(arm.name for arm in ARMS)))
    assert (outcome.hits, outcome.candidates, outcome.arms, outcome.pool) == ((), (), (), ())
    assert set(reasons(outcome).values()) == {MissingReason.SWITCHED_OFF}
    assert outcome.degraded
    assert ask(database, arms=()).hits == ()


@pytest.mark.parametrize(
    ("embedder", "reason"),
    [
        (None, MissingReason.EMBEDDER_OFF),
        (Toy(EmbedError("down")), MissingReason.EMBEDDER_FAILED),
        (Toy(EmbedTimeout("late")), MissingReason.EMBEDDER_TIMED_OUT),
        (Toy(blob([0, 0, 0, 0])), MissingReason.BAD_QUERY_VECTOR),
        (Toy(blob([1, 0])), MissingReason.BAD_QUERY_VECTOR),
        (Toy(space=Space("other@4", 4)), MissingReason.SPACE_UNASKABLE),
    ],
)
def test_a_search_goes_on_without_a_query_vector(
    database: Database, embedder: Toy | None, reason: MissingReason
) -> None:
    outcome = ask(database, embedder=embedder)
    assert reasons(outcome) == {"vector": reason}
    assert outcome.degraded
    assert [run.name for run in outcome.arms] == ["fts", "recency", "salience"]
    # Stored vectors still serve polarity and MMR, and the snippet is the opening of the text.
    assert [move.path for move in outcome.polarity] == ["areas/b.html"]
    assert {hit.path: hit.snippet for hit in outcome.hits}["areas/c.html"] == "opening"


def test_a_real_and_a_simulated_outage_differ_by_one_word(database: Database) -> None:
    for embedder, reason in ((None, "embedder off"), (Toy(EmbedError("")), "embedder failed")):
        real = ask(database, embedder=embedder)
        told = Toy()
        played = ask(database, embedder=told, simulated={"vector": reason})
        assert told.asked == 0
        assert played.missing == tuple(replace(one, simulated=True, detail="") for one in played.missing)
        assert played.missing == tuple(replace(one, simulated=True, detail="") for one in real.missing)
        assert (played.hits, played.candidates, played.arms) == (real.hits, real.candidates, real.arms)


@pytest.mark.parametrize(
    ("arm", "reason"),
    [("fts", "text index damaged"), ("salience", "no state plane"), ("vector", "coverage below floor")],
)
def test_simulated_outages(database: Database, arm: str, reason: str) -> None:
    outcome = ask(database, simulated={arm: reason})
    assert outcome.missing == (MissingArm(arm, MissingReason(reason), simulated=True),)
    assert arm not in {run.name for run in outcome.arms}
    assert (outcome.forms.used == "") == (arm == "fts")


def test_coverage_decides_before_the_embedder_is_asked(database: Database) -> None:
    toy = Toy()
    outcome = ask(database, embedder=toy, ranking=Ranking())
    assert outcome.vector_coverage == 0.75
    assert reasons(outcome) == {"vector": MissingReason.COVERAGE_BELOW_FLOOR}
    database.run("DELETE FROM vectors")
    assert reasons(ask(database, embedder=toy, ranking=Ranking())) == {"vector": MissingReason.NO_VECTORS}
    assert toy.asked == 0
    database.run("DELETE FROM chunks")
    outcome = ask(database, embedder=toy, ranking=Ranking())
    assert (outcome.vector_coverage, outcome.degraded, toy.asked) == (1.0, False, 1)


def test_a_vector_that_is_brought_along_is_taken(database: Database) -> None:
    toy = Toy()
    given = ask(database, embedder=toy, query_vector=NORTH)
    assert given.arms[1].entries[0].path == "areas/c.html"
    # A chunk without a vector loses to any with one; a memory without a chunk has no snippet.
    texts = {hit.path: hit.snippet for hit in given.hits}
    assert (texts["areas/c.html"], texts["areas/d.html"]) == ("second", "")
    late = MissingArm("vector", MissingReason.EMBEDDER_TIMED_OUT, "after 2 s")
    assert ask(database, embedder=toy, query_vector=late).missing == (late,)
    outcome = ask(database, embedder=toy, query_vector=blob([1, 0]))
    assert reasons(outcome) == {"vector": MissingReason.BAD_QUERY_VECTOR}
    assert toy.asked == 0


def test_an_arm_switched_off_costs_nothing(database: Database) -> None:
    toy = Toy()
    outcome = ask(database, embedder=toy, ranking=Ranking(off=frozenset({"vector"}), coverage_floor=0.0))
    assert (toy.asked, outcome.degraded) == (0, True)
    assert reasons(outcome) == {"vector": MissingReason.SWITCHED_OFF}


def test_a_weight_of_nothing_keeps_the_arm_in_the_trace(database: Database) -> None:
    outcome = ask(database, ranking=Ranking(coverage_floor=0.0, weights={"recency": 0.0, "salience": 0.0}))
    assert [run.name for run in outcome.arms] == ["fts", "vector", "recency", "salience"]
    unseen = outcome.candidate("areas/d.html")
    assert unseen is not None
    assert (unseen.fused, set(unseen.ranks)) == (0.0, {"recency", "salience"})


def test_no_terms_and_no_state_plane(database: Database) -> None:
    outcome = ask(database, "?!", usage=False)
    assert reasons(outcome) == {
        "fts": MissingReason.NO_QUERY_TERMS,
        "salience": MissingReason.NO_STATE_PLANE,
    }
    assert not outcome.degraded
    assert outcome.forms.used == ""


def shatter_data(database: Database) -> None:
    database.run("UPDATE files_fts_data SET block = x'deadbeefdeadbeefdeadbeef' WHERE id > 1")


def shatter_tables(database: Database) -> None:
    database.run("DROP TRIGGER file_texts_insert; DROP TABLE files_fts")


@pytest.mark.parametrize("damage", [shatter_data, shatter_tables])
@pytest.mark.parametrize("query", ["pump", "pump fog"])
def test_a_damaged_text_index_drops_one_arm(
    database: Database, query: str, damage: Callable[[Database], None]
) -> None:
    damage(database)
    outcome = ask(database, query)
    assert reasons(outcome) == {"fts": MissingReason.TEXT_INDEX_DAMAGED}
    assert outcome.missing[0].detail
    assert len(outcome.hits) == 4
    assert outcome.forms.used == ""


def test_without_a_distance_function_one_arm_drops(database: Database) -> None:
    database.connection.create_scalar_function("vec_distance_cosine", None, 2)
    outcome = ask(database)
    assert reasons(outcome) == {"vector": MissingReason.VECTOR_FUNCTION_UNAVAILABLE}
    assert outcome.degraded
    assert [run.name for run in outcome.arms] == ["fts", "recency", "salience"]


def test_a_damaged_index_is_an_error(database: Database) -> None:
    database.run("DROP TABLE usage.access")
    with pytest.raises(IndexFault, match="no such table"):
        ask(database)


def test_the_caller_may_give_up(database: Database) -> None:
    asked: list[int] = []

    def cancel() -> bool:
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Interrupted):
        ask(database, cancel=cancel)


def test_the_probe_takes_the_all_terms_form_where_it_finds(database: Database) -> None:
    assert ask(database, "pump not").forms.used == "pump AND not"
    assert ask(database, "pump fog").forms.used == "pump OR fog"
    # "old fog" is in the store, but out of scope.
    assert ask(database, "old fog").forms.used == "old OR fog"
    assert ask(database, "old fog", scope=Scope(include_archived=True)).forms.used == "old AND fog"


def test_polarity_demotes_and_can_be_switched_off(database: Database) -> None:
    outcome = ask(database, "is the pump not safe")
    (move,) = outcome.polarity
    assert (move.path, move.twin, move.words) == ("areas/a.html", "areas/b.html", ("not",))
    plain = ask(database, "is the pump not safe", ranking=Ranking(coverage_floor=0.0, polarity=False))
    assert plain.polarity == ()
    assert [path for path, _ in plain.pool] == [line.path for line in plain.candidates]


def test_mmr_can_be_switched_off(database: Database) -> None:
    plain = ask(database, ranking=Ranking(coverage_floor=0.0, mmr=False), limit=2)
    assert plain.mmr == ()
    assert [(hit.path, hit.score) for hit in plain.hits] == list(plain.pool[:2])
    assert [hit.place for hit in plain.hits] == [1, 2]


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_of_nothing_gives_nothing(database: Database, limit: int) -> None:
    outcome = ask(database, limit=limit, scope=Scope(tags=("past",)))
    assert (outcome.hits, outcome.pool) == ((), ())
    assert outcome.scope_empty
    assert [one.path for one in outcome.archived] == ["archive/2023/areas/old.html"]


def test_an_empty_scope_points_at_the_archive(database: Database) -> None:
    outcome = ask(database, scope=Scope(tags=("past",)))
    assert (outcome.scope_empty, outcome.archived_matches) == (True, 2)
    assert [(one.path, one.superseded_by) for one in outcome.archived] == [
        ("archive/2023/areas/old.html", "areas/a.html"),
        ("archive/2023/areas/older.html", None),
    ]
    assert ask(database, scope=Scope(tags=("past",), as_of="2000")).archived_matches == 0
    unborn = ask(database, scope=Scope(as_of="1990"))
    assert (unborn.hits, unborn.scope_empty) == ((), False)
    found = ask(database, scope=Scope(tags=("fog",)))
    assert (found.scope_empty, found.archived_matches, found.archived) == (False, 0, ())


def test_a_recall_keeps_the_order_after_polarity(database: Database) -> None:
    outcome = ask(database, kind="recall", limit=1)
    assert (outcome.hits, outcome.mmr) == ((), ())
    assert len(outcome.pool) == 4
    assert set(outcome.cards) == {path for path, _ in outcome.pool}
    ranking = Ranking(coverage_floor=0.0, pack_order="diversified")
    spread = ask(database, kind="recall", limit=1, ranking=ranking)
    assert sorted(step.path for step in spread.mmr) == sorted(path for path, _ in spread.pool)
    small = ask(database, kind="recall", ranking=Ranking(coverage_floor=0.0, recall_pool=2))
    assert [line.in_pool for line in small.candidates] == [True, True, False, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranking": Ranking(weights={"vectro": 1.0})}, "vectro. Did you mean vector"),
        ({"ranking": Ranking(off=frozenset({"colour"}))}, "no such arm: colour"),
        ({"ranking": Ranking(weights={"fts": float("nan")})}, "fts=nan"),
        ({"ranking": Ranking(k=-1)}, "k must not be negative"),
        ({"ranking": Ranking(mmr_lambda=float("inf"))}, "lambda"),
        ({"simulated": {"vector": "embeder off"}}, "Did you mean embedder off"),
        ({"simulated": {"vector": "no state plane"}}, "cannot be missing for this reason"),
        ({"simulated": {"recency": "switched off"}}, "Switch it off instead"),
    ],
)
def test_a_senseless_request_is_refused(database: Database, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(database, **given)


def test_the_same_request_gives_the_same_answer(database: Database) -> None:
    first, second = ask(database), ask(database)
    same = {"statements": (), "milliseconds": 0.0}
    assert replace(first, **same) == replace(second, **same)  # type: ignore[arg-type]


def test_statements_show_a_vector_by_its_length(database: Database) -> None:
    fused = next(statement for statement in ask(database).statements if statement.name == "fused")
    assert fused.values == ("pump", "40", "160", "vector of 4 values")
    bare = ask(database, "", embedder=None)
    assert next(s for s in bare.statements if s.name == "fused").values == ("", "40", "80")
