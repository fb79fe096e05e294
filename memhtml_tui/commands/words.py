"""How an outcome reads in words: the rank table, the missing arms, why a hit stands where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memhtml_tui.commands.output import table

if TYPE_CHECKING:
    from memhtml_core.pack.entries import Envelope, Pack
    from memhtml_core.rank.outcome import Candidate, Card, Hit, MissingArm, Outcome

NOT_SEEN = "-"
"""Stands for a rank where the arm ran and did not return the memory."""

_BLIND_ARMS = frozenset(("recency", "salience"))
"""The arms that never look at the query."""


def rank_table(outcome: Outcome) -> str:
    """One line per hit: place, rank in each arm that ran, fused score, title and path."""
    letters = [run.letter for run in outcome.arms]
    rows = []
    for hit in outcome.hits:
        seen = outcome.candidate(hit.path)
        ranks = [rank_in(seen, run.name) for run in outcome.arms]
        fused = "" if seen is None else f"{seen.fused:.4f}"
        rows.append((str(hit.place), *ranks, fused, f"{hit.card.title}{marks(hit)} <{hit.path}>"))
    return table(("#", *letters, "fused", "title <path>"), rows)


def rank_in(seen: Candidate | None, arm: str) -> str:
    """The rank in an arm as text."""
    return NOT_SEEN if seen is None or arm not in seen.ranks else str(seen.ranks[arm])


def marks(hit: Hit) -> str:
    """What a reader should know of a memory before trusting it."""
    card = hit.card
    words = states(card)
    if card.memory_type in ("task", "arc"):
        words.append(f"task {card.task_status}" if card.task_status else card.memory_type)
    return f" ({', '.join(words)})" if words else ""


def states(card: Card) -> list[str]:
    """Whether a memory is archived or superseded, in words."""
    held = (("archived", card.archived), ("superseded", card.superseded_by))
    return [word for word, holds in held if holds]


def missing_line(outcome: Outcome) -> str:
    """Every arm that did not run and why, or that none is missing."""
    if not outcome.missing:
        return "missing: none"
    return "missing: " + "; ".join(missing_words(arm) for arm in outcome.missing)


def missing_words(arm: MissingArm) -> str:
    """One missing arm in words."""
    simulated = ", simulated" if arm.simulated else ""
    detail = f": {arm.detail}" if arm.detail else ""
    return f"{arm.arm} ({arm.reason.value}{simulated}{detail})"


def remarks(outcome: Outcome) -> list[str]:
    """What an answer must not hide: nothing found and where else to look, or a list that no word brought
    about.
    """
    if not outcome.hits and outcome.request.kind == "search" and outcome.request.limit > 0:
        found = ["no memory in this scope" if outcome.scope_empty else "no hits"]
        if outcome.archived_matches:
            found.append(f"the same scope holds {outcome.archived_matches} archived (--archived shows them):")
            found += [
                f"  {each.path}" + (f", superseded by {each.superseded_by}" if each.superseded_by else "")
                for each in outcome.archived
            ]
        return found
    looked = [run for run in outcome.arms if run.name not in _BLIND_ARMS]
    if outcome.hits and not any(run.entries for run in looked):
        ran = " and ".join(run.name for run in looked)
        what = f"{ran} saw nothing" if ran else "no arm that looks at the query ran"
        return [f"{what}: this order is recency and use alone, it says nothing about the query"]
    return []


def why(outcome: Outcome, place: int) -> list[str]:
    """Why the hit at a place stands there: each arm, the fusion, polarity, MMR."""
    hit = outcome.hits[place - 1]
    seen = outcome.candidate(hit.path)
    lines = [f"why {place}: {hit.card.title}", f"  {hit.path}"]
    k = outcome.request.ranking.k
    for run in outcome.arms:
        if seen is None or run.name not in seen.ranks:
            lines.append(f"  {run.letter} {run.name:<9} not seen")
            continue
        rank = seen.ranks[run.name]
        share = f"{run.weight:g} / ({k} + {rank}) = {seen.contributions[run.name]:.4f}"
        lines.append(f"  {run.letter} {run.name:<9} rank {rank:<3} {share}")
    if seen is not None:
        lines.append(f"  fused       {seen.fused:.4f}, position {seen.position}")
    lines += _polarity(outcome, hit.path)
    lines += _diversity(outcome, hit.path)
    return lines


def _polarity(outcome: Outcome, path: str) -> list[str]:
    move = next((move for move in outcome.polarity if move.path == path), None)
    if move is None:
        return ["  polarity    agrees with the query, or has no twin that does"]
    word = "demoted below" if move.moved else "already below"
    said = ", ".join(move.words) or "none"
    return [
        f"  polarity    {word} {move.twin}",
        f"              cosine {move.cosine:.3f}, negating words in one of the two: {said}",
    ]


def _diversity(outcome: Outcome, path: str) -> list[str]:
    step = next((step for step in outcome.mmr if step.path == path), None)
    if step is None:
        return []
    rival = f" with {step.rival}" if step.rival else ""
    return [
        f"  MMR         score {step.score:.4f}, value {step.objective:.4f}",
        f"              redundancy {step.penalty:.3f}{rival}",
    ]


def pack_lines(pack: Pack) -> list[str]:
    """Both envelopes in one line each."""
    return [_envelope(envelope) for envelope in (pack.arcs, pack.memories)]


def _envelope(envelope: Envelope) -> str:
    tiers = ", ".join(f"{envelope.count(tier)} {tier}" for tier in ("full", "disclosure", "index"))
    return f"{envelope.name}: {envelope.spent} of {envelope.budget} characters; {tiers}"
