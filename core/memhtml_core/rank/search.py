"""The pipeline, in reading order: a request becomes an outcome, hits and explanation from one run.

terms and forms -> query vector -> arms that can run -> the one fused statement -> pool -> polarity -> MMR and
snippets (search) -> cards. Degradation drops arms and never fails a query (seed section 4); nothing here
writes into a store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memhtml_core.errors import IndexFault
from memhtml_core.index.vectors import coverage, space_ids
from memhtml_core.rank.arms import ARMS, Arm, ArmContext, distance_band
from memhtml_core.rank.cards import hydrate, read_claims
from memhtml_core.rank.cosine import register
from memhtml_core.rank.diversity import mmr
from memhtml_core.rank.fusion import bound, contribution, fused_statement, literal
from memhtml_core.rank.like import vector_like
from memhtml_core.rank.outcome import (
    ArmEntry,
    ArmRun,
    Candidate,
    Card,
    Hit,
    MatchForms,
    MissingArm,
    MissingReason,
    MmrStep,
    Outcome,
    PolarityMove,
)
from memhtml_core.rank.pointer import archived_in_scope
from memhtml_core.rank.polarity import Claim, polarity_scored
from memhtml_core.rank.query import match_forms
from memhtml_core.rank.queryvector import ask, checked
from memhtml_core.rank.readiness import Cause, Readiness, readiness, weights_of
from memhtml_core.rank.request import Request
from memhtml_core.rank.scope import Predicate, narrows, predicate
from memhtml_core.rank.snippet import snippets
from memhtml_core.rank.statements import Row, StatementLog

if TYPE_CHECKING:
    from memhtml_core.embed.protocol import Embedder, Space
    from memhtml_core.index.database import Database


def search(
    database: Database,
    request: Request,
    *,
    embedder: Embedder | None,
    space: Space | None,
    usage: bool,
    no_usage: str = "",
    arms: Sequence[Arm] = ARMS,
    query_vector: bytes | MissingArm | None = None,
    deadline: float | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Outcome:
    """Answer a request, search and recall alike.

    `space` names the one vector space of query vector, coverage, polarity and MMR; `usage` says whether
    `usage.access` is attached, and `no_usage` in words why it is not. The embedder is asked (for at most
    `deadline` seconds) unless `query_vector` brings its answer along, or the request names a memory to be
    like. Raises `UsageError` for a request that cannot be meant, `Interrupted`, and `IndexFault` where even
    the arms that need nothing cannot be read.
    """
    started = time.perf_counter()
    log = StatementLog(database, cancel)
    ready = readiness(request, arms)
    register(database.connection)
    spaces = space_ids(database, space) if space is not None else ()
    covered = coverage(database, space).ratio
    forms = match_forms(request.query)
    if not forms[1]:
        ready.lacks("terms", Cause(MissingReason.NO_QUERY_TERMS))
    if not usage:
        ready.lacks("usage", Cause(MissingReason.NO_STATE_PLANE, no_usage))
    if request.like:
        query_vector = vector_like(log.named("like"), request.like, spaces)
    vector = _query_vector(request, ready, covered, embedder, space, query_vector, deadline)
    log.check()

    question = _Question(
        request=request,
        forms=forms,
        vector=vector,
        scope=predicate(request.scope),
        spaces=spaces,
        band=distance_band(space.dim if space is not None else 0),
    )
    used, active, rows = _run_arms(log, ready, question)
    if "vector" in ready.unmet:
        vector = None
    weights = weights_of(arms, request.ranking)
    runs = _arm_runs(active, rows, weights)
    pool_size = _pool_size(request)
    candidates = _candidates(active, rows, weights, request.ranking.k, pool_size)

    claims = read_claims(log.named("pool"), [c.path for c in candidates[:pool_size]], spaces)
    pool, moves = _polarity(request, claims)
    steps = _diversify(request, pool, claims)
    cards = hydrate(log.named("cards"), [path for path, _ in pool])
    hits = _hits(log, request, pool, steps, cards, spaces, vector)

    empty = narrows(request.scope) and not (hits if request.kind == "search" else pool)
    archived = archived_in_scope(log.named("archived"), request.scope, request.limit) if empty else (0, ())
    return Outcome(
        request=request,
        space=space.name if space is not None else "",
        forms=MatchForms(*forms, used),
        arms=runs,
        missing=ready.missing(),
        degraded=vector is None,
        vector_coverage=covered,
        candidates=candidates,
        pool=tuple(pool),
        polarity=moves,
        mmr=steps,
        hits=hits,
        cards=cards,
        scope_empty=empty,
        archived_matches=archived[0],
        archived=archived[1],
        statements=log.statements,
        milliseconds=(time.perf_counter() - started) * 1_000,
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """What the fused statement is made of and bound to."""

    request: Request
    forms: tuple[str, str]
    vector: bytes | None
    scope: Predicate
    spaces: Sequence[int]
    band: float


def _query_vector(
    request: Request,
    ready: Readiness,
    covered: float,
    embedder: Embedder | None,
    space: Space | None,
    given: bytes | MissingArm | None,
    deadline: float | None,
) -> bytes | None:
    """The query's vector, or None with the cause recorded; the embedder is asked only where it is needed."""
    if not ready.wants("vector"):
        return None
    vector, missing = None, None
    if isinstance(given, MissingArm):
        missing = given
    elif space is None or (given is None and embedder is None):
        missing = MissingArm("vector", MissingReason.EMBEDDER_OFF)
    elif covered < request.ranking.coverage_floor:
        below = MissingReason.COVERAGE_BELOW_FLOOR if covered else MissingReason.NO_VECTORS
        missing = MissingArm("vector", below, f"{covered:.0%} of the chunks" if covered else "")
    elif given is not None:
        vector, missing = checked(given, space.dim)
    else:
        vector, missing = ask(embedder, request.query, deadline, space.name)
    if missing is not None:
        ready.lacks("vector", Cause(missing.reason, missing.detail, missing.simulated))
    return vector


def _run_arms(
    log: StatementLog, ready: Readiness, question: _Question
) -> tuple[str, tuple[Arm, ...], list[Row]]:
    """The MATCH text used, the arms that ran, and the rows of the fused statement.

    Where SQLite refuses the statement, the arm that can be at fault is dropped and the rest runs; if that
    fails too, the fault is not the arm's and goes to the caller.
    """
    while True:
        active = ready.active()
        try:
            used = _match_used(log, active, question)
            return used, active, _fused_rows(log, active, question, used)
        except IndexFault as fault:
            if ready.wants("vector") and "vec_distance_cosine" in str(fault):
                ready.lacks("vector", Cause(MissingReason.VECTOR_FUNCTION_UNAVAILABLE, str(fault)))
            elif ready.wants("terms"):
                ready.lacks("terms", Cause(MissingReason.TEXT_INDEX_DAMAGED, str(fault)))
            else:
                raise


def _match_used(log: StatementLog, active: Sequence[Arm], question: _Question) -> str:
    """The all-terms form where a file in scope holds them all, else the any-term form; "" without the arm."""
    if not any("terms" in arm.needs for arm in active):
        return ""
    whole, some = question.forms
    if whole == some:
        return whole
    sql = (
        "SELECT 1 FROM files_fts JOIN files f ON f.id = files_fts.rowid\n"
        f"WHERE files_fts MATCH ?1 AND {question.scope.where()} LIMIT 1"
    )
    found = log.rows("probe", sql, bound(sql, (whole, None, None, None), question.scope.values))
    return whole if found else some


def _fused_rows(log: StatementLog, active: Sequence[Arm], question: _Question, used: str) -> list[Row]:
    ranking = question.request.ranking
    context = ArmContext(
        scope=question.scope,
        now=literal(question.request.now),
        spaces=question.spaces,
        band=literal(question.band),
    )
    sql = fused_statement(active, context, weights_of(active, ranking), ranking.k)
    if sql is None:
        return []
    fixed = (used, ranking.arm_limit, len(active) * ranking.arm_limit, question.vector)
    return log.rows("fused", sql, bound(sql, fixed, question.scope.values))


def _arm_runs(active: Sequence[Arm], rows: Sequence[Row], weights: dict[str, float]) -> tuple[ArmRun, ...]:
    """Each arm's whole list, from the columns of the fused rows: id, path, score, then two per arm."""
    runs = []
    for place, arm in enumerate(active):
        rank, value = 3 + 2 * place, 4 + 2 * place
        seen = sorted((row for row in rows if row[rank] is not None), key=lambda row: int(row[rank]))
        entries = tuple(ArmEntry(row[1], row[rank], row[value]) for row in seen)
        runs.append(ArmRun(arm.name, arm.letter, arm.label, weights[arm.name], entries))
    return tuple(runs)


def _candidates(
    active: Sequence[Arm], rows: Sequence[Row], weights: dict[str, float], k: int, pool_size: int
) -> tuple[Candidate, ...]:
    found = []
    for position, row in enumerate(rows, start=1):
        ranks = {
            arm.name: row[3 + 2 * place] for place, arm in enumerate(active) if row[3 + 2 * place] is not None
        }
        shares = {name: contribution(weights[name], rank, k) for name, rank in ranks.items()}
        found.append(Candidate(row[1], position, row[2], ranks, shares, position <= pool_size))
    return tuple(found)


def _pool_size(request: Request) -> int:
    """How many fused candidates the later stages see (RETRIEVAL 1)."""
    if request.kind == "recall":
        return request.ranking.recall_pool
    return request.ranking.pool_factor * max(0, request.limit)


def _polarity(
    request: Request, claims: Sequence[Claim]
) -> tuple[list[tuple[str, float]], tuple[PolarityMove, ...]]:
    ranking = request.ranking
    if not ranking.polarity:
        return [(claim.path, 1.0 / place) for place, claim in enumerate(claims, start=1)], ()
    return polarity_scored(request.query, claims, twin_cosine=ranking.twin_cosine, demotion=ranking.demotion)


def _diversify(
    request: Request, pool: Sequence[tuple[str, float]], claims: Sequence[Claim]
) -> tuple[MmrStep, ...]:
    """The choices of MMR: `limit` in a search, the whole pool for a recall with a diversified pack."""
    ranking = request.ranking
    if request.kind == "recall":
        if ranking.pack_order == "fused":
            return ()
        limit = len(pool)
    elif ranking.mmr:
        limit = request.limit
    else:
        return ()
    vectors = {claim.path: claim.vector for claim in claims}
    return mmr([(path, score, vectors[path]) for path, score in pool], limit, ranking.mmr_lambda)


def _hits(
    log: StatementLog,
    request: Request,
    pool: Sequence[tuple[str, float]],
    steps: Sequence[MmrStep],
    cards: dict[str, Card],
    spaces: Sequence[int],
    vector: bytes | None,
) -> tuple[Hit, ...]:
    """The lines of a search: the choices of MMR, or the head of the pool where MMR is off."""
    if request.kind == "recall":
        return ()
    chosen = (
        [(step.path, step.score) for step in steps] if request.ranking.mmr else pool[: max(0, request.limit)]
    )
    texts = snippets(log.named("snippets"), [path for path, _ in chosen], spaces, vector)
    return tuple(
        Hit(place, cards[path], score, texts.get(path, ""))
        for place, (path, score) in enumerate(chosen, start=1)
    )
