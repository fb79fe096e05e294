"""One memory as its file says it: the columns and children of STORE_FORMAT 3, before any database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facet:
    """One name and value of a `<dl>`; `numeric` is the first usable `<data value>` below the `<dd>`."""

    name: str
    value: str
    numeric: float | None


@dataclass(frozen=True, slots=True)
class Citation:
    """The text of a `<cite>` or `<q>`; `href` is the `cite` attribute of a `<q>`."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """An authored edge; `dst_path` is normalized, keeps a query or fragment, and need not exist."""

    rel: str
    dst_path: str
    edge_class: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A valid memory file, with what its path says (STORE_FORMAT 2.4 and 3).

    Instants are the file's own strings. `tags`, `entities` and `links` hold no duplicate and are ready to be
    rows: `entities` has the metas, then a `concept` per defined term, then a `lang` per code language;
    `links` leaves out the memory itself. `facets` and `citations` hold every occurrence in document order,
    because the disclosure text does; their rows keep the first of each (name, value) and of each text.
    Everything from `status` on is in no column.
    """

    path: str
    blob_sha: str
    content_hash: str
    memory_type: str
    title: str
    body_text: str
    gist: str
    fts_text: str
    disclosure_text: str
    para: str
    workspace: str | None
    confidence: float
    importance: int
    archived: bool
    origin_path: str | None
    word_count: int
    created_at: str
    updated_at: str
    event_at: str | None
    archived_at: str | None
    valid_from: str | None
    valid_until: str | None
    reprieves: int
    needs_revision: bool
    author: str
    session_id: str | None
    prompt_id: str | None
    turn_uuid: str | None
    task_status: str | None
    due_at: str | None
    frame_key: str | None
    tags: tuple[str, ...]
    entities: tuple[tuple[str, str], ...]
    facets: tuple[Facet, ...]
    citations: tuple[Citation, ...]
    links: tuple[Link, ...]
    status: str
    superseded_by: str | None
    stated_hash: str | None
    aliases: tuple[str, ...]
    abbreviations: tuple[str, ...]
    asides: tuple[str, ...]
    captions: tuple[str, ...]
    warnings: tuple[str, ...]
