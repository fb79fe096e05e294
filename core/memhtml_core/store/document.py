"""The bytes of a file -> Memory, or the named reasons why it is none (STORE_FORMAT 2 and 3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from memhtml_core.errors import DocumentRefused
from memhtml_core.store import layout
from memhtml_core.store.content import text_of
from memhtml_core.store.html import parse
from memhtml_core.store.memory import Link, Memory
from memhtml_core.store.projections import Article, frame_key, project
from memhtml_core.store.text import js_collapse, js_number, js_trim
from memhtml_core.store.violations import Survey, relation_of, survey, violations
from memhtml_core.store.vocabulary import RELATIONS

_LARGEST_WHOLE = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Findings:
    """The codes that refuse a file and those that only warn, each in the order of STORE_FORMAT 2.3."""

    violations: tuple[str, ...]
    warnings: tuple[str, ...]


def blob_sha(data: bytes) -> str:
    """The id that git gives to these bytes as a blob, hex SHA-1."""
    return hashlib.sha1(b"blob %d\x00" % len(data) + data, usedforsecurity=False).hexdigest()


def examine(data: bytes) -> Findings:
    """What is wrong and what is odd about a file, valid or not; raises nothing."""
    try:
        page = parse(data)
        found = survey(page)
        codes = violations(page, found)
        if not codes:
            project(page, found, "")
    except DocumentRefused as refused:
        return Findings(refused.violations, ())
    return Findings(tuple(codes), tuple(found.warnings))


def read_document(data: bytes, path: str, *, blob_sha: str | None = None) -> Memory:
    """The memory that the bytes of the file at `path` hold.

    `blob_sha` saves the hashing where it is known. Raises DocumentRefused, and no other error, with every
    code of STORE_FORMAT 2.3 in its order, or with one of our own: `too-large` (html.MAX_BYTES), `too-deep`
    (html.MAX_DEPTH).
    """
    path = layout.normalize_path(path)
    page = parse(data, path)
    found = survey(page)
    codes = violations(page, found)
    if codes:
        raise DocumentRefused(path, codes)
    article = project(page, found, path)
    title = text_of(page.stream, found.titles[0])
    meta = found.meta
    return Memory(
        path=path,
        blob_sha=blob_sha or _blob_sha(data),
        content_hash=article.content_hash,
        memory_type=_stated(found, "memhtml-type"),
        title=title,
        body_text=article.body_text,
        gist=article.gist,
        fts_text="\n".join(text for text in (title, article.gist, article.body_text) if text),
        disclosure_text=article.disclosure_text(),
        para=layout.para_of(path),
        workspace=layout.workspace_of(path),
        confidence=_within(meta("memhtml-confidence"), 0, 1, 1.0),
        importance=_whole(meta("memhtml-importance"), 1, 10, 5),
        archived=layout.is_archived(path),
        origin_path=layout.origin_path(path),
        word_count=_word_count(article.body_text),
        created_at=_stated(found, "memhtml-created"),
        updated_at=_stated(found, "memhtml-updated"),
        event_at=article.event_at,
        archived_at=meta("memhtml-archived"),
        valid_from=meta("memhtml-valid-from"),
        valid_until=meta("memhtml-valid-until"),
        reprieves=_whole(meta("memhtml-reprieves"), 0, _LARGEST_WHOLE, 0),
        needs_revision=(meta("memhtml-needs-revision") or "").lower() in ("true", "1", "yes"),
        author=_stated(found, "memhtml-author", "agent"),
        session_id=meta("memhtml-session"),
        prompt_id=meta("memhtml-prompt"),
        turn_uuid=meta("memhtml-turn"),
        task_status=meta("memhtml-task-status"),
        due_at=meta("memhtml-due"),
        frame_key=frame_key(article.gist),
        tags=_named(found, "memhtml-tag"),
        entities=_entities(found, article),
        facets=article.facets,
        citations=article.citations,
        links=_links(found, path),
        status=_stated(found, "memhtml-status"),
        superseded_by=meta("memhtml-superseded-by"),
        stated_hash=meta("memhtml-content-hash"),
        aliases=_named(found, "memhtml-alias"),
        abbreviations=article.abbreviations,
        asides=article.asides,
        captions=article.captions,
        warnings=tuple(found.warnings),
    )


_blob_sha = blob_sha


def _stated(found: Survey, name: str, default: str = "") -> str:
    content = found.meta(name)
    return default if content is None else content


def _named(found: Survey, name: str) -> tuple[str, ...]:
    """Contents of a repeatable meta: trimmed, blanks dropped, the first of each kept."""
    trimmed = (js_trim(content) for content in found.metas.get(name, ()))
    return tuple(dict.fromkeys(content for content in trimmed if content))


def _entities(found: Survey, article: Article) -> tuple[tuple[str, str], ...]:
    references = [layout.parse_entity(text) or ("unknown", text) for text in _named(found, "memhtml-entity")]
    terms = [("concept", term) for term in article.terms]
    languages = [("lang", language) for language in article.languages]
    return tuple(dict.fromkeys([*references, *terms, *languages]))


def _links(found: Survey, path: str) -> tuple[Link, ...]:
    links: dict[Link, None] = {}
    for rel, href in found.links:
        relation, target = relation_of(rel), layout.normalize_path(href or "")
        if relation is not None and target and target != path:
            links[Link(relation, target, RELATIONS[relation])] = None
    return tuple(links)


def _word_count(body_text: str) -> int:
    # One line of ASCII without VT has single spaces between its words; counting makes no list of millions.
    plain = body_text.isascii() and "\v" not in body_text
    spaced = body_text if plain else js_collapse(body_text)
    return spaced.count(" ") + 1 if spaced else 0


def _within(content: str | None, least: float, most: float, default: float) -> float:
    number = js_number(content or "")
    return number if number is not None and least <= number <= most else default


def _whole(content: str | None, least: int, most: int, default: int) -> int:
    number = js_number(content or "")
    if number is None or not number.is_integer() or not least <= number <= most:
        return default
    return int(number)
