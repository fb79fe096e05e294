"""Vectors of chunks: whose space they belong to, how many are there, which are missing, how they are kept.

A vector belongs to a chunk's text and a space, so it survives moves, rebuilds and a change of source
(DESIGN 4). Per space name a chunk has one vector at most: a verified one (with digest) puts out the
unverified one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memhtml_core.embed.protocol import Embedder, Space
from memhtml_core.errors import BadVector, EmbedError
from memhtml_core.index.database import Database
from memhtml_core.index.progress import Cancel, Meter, Report
from memhtml_core.index.project import instant

BATCH = 96
"""Texts per request to an embedder, and vectors per transaction."""


@dataclass(frozen=True, slots=True)
class StoredSpace:
    """A space of the index and how many chunks have a vector in it."""

    space: Space
    count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the index a space covers; the ratio of an index without chunks is 1.0 (STORE_FORMAT 9)."""

    have: int
    chunks: int

    @property
    def ratio(self) -> float:
        """Vectors per chunk, 0 to 1."""
        return self.have / self.chunks if self.chunks else 1.0


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What one run of `embed_missing` did.

    `written` vectors are in place whatever happened after them; `refused` chunks got no usable vector
    (zero, not finite, wrong length); `left` chunks were not asked for, because of `problem` (the embedder's
    words) or a cancellation. `rate` is in texts per second.
    """

    space: Space
    written: int
    refused: int
    left: int
    rate: float
    problem: str = ""
    cancelled: bool = False


def spaces(database: Database) -> list[StoredSpace]:
    """Every space that has vectors, the fullest first."""
    rows = database.rows(
        "SELECT s.name, s.dim, s.digest, count(*) FROM spaces s JOIN vectors v ON v.space_id = s.id "
        "GROUP BY s.id ORDER BY count(*) DESC, s.name, s.digest"
    )
    return [StoredSpace(Space(name, dim, digest), count) for name, dim, digest, count in rows]


def space_ids(database: Database, space: Space) -> tuple[int, ...]:
    """The ids whose vectors answer for a space; together they hold one vector per chunk at most.

    A space with a digest takes its own rows and the unverified ones of its name. A space without one (nothing
    says what made it) takes the unverified ones and those of the fullest digest of its name.
    """
    rows = database.rows(
        "SELECT s.id, s.digest, (SELECT count(*) FROM vectors v WHERE v.space_id = s.id) AS held "
        "FROM spaces s WHERE s.name = ?1 AND s.dim = ?2 ORDER BY held DESC, s.id",
        (space.name, space.dim),
    )
    digest = space.digest or next((row[1] for row in rows if row[1]), "")
    return tuple(sorted(row[0] for row in rows if row[1] in ("", digest)))


def stored_space(database: Database) -> Space | None:
    """The space to ask where no embedder is configured: the peer's, else the fullest, else None."""
    model, dim = database.meta("peer_embed_model"), database.meta("peer_embed_dim")
    stored = spaces(database)
    named = [entry for entry in stored if entry.space.name == model]
    if named:
        return named[0].space
    if model and dim:
        return Space(model, int(dim))
    return stored[0].space if stored else None


def ensure_space(database: Database, space: Space) -> int:
    """The id of a space, which is recorded when it is new."""
    database.run(
        "INSERT OR IGNORE INTO spaces(name, dim, digest) VALUES (?1, ?2, ?3)",
        (space.name, space.dim, space.digest),
    )
    return int(
        database.scalar("SELECT id FROM spaces WHERE name = ?1 AND digest = ?2", (space.name, space.digest))
    )


def coverage(database: Database, space: Space | None) -> Coverage:
    """How many chunks have a vector in a space; None covers nothing."""
    chunks = int(database.scalar("SELECT count(*) FROM chunks"))
    ids = space_ids(database, space) if space is not None else ()
    have = sum(
        int(database.scalar("SELECT count(*) FROM vectors WHERE space_id = ?1", (key,))) for key in ids
    )
    return Coverage(have, chunks)


def embed_missing(
    database: Database, embedder: Embedder, progress: Report | None = None, cancel: Cancel | None = None
) -> EmbedReport:
    """Fetch the vectors that the embedder's space lacks, in batches that are in place as soon as they arrive.

    A failing embedder ends the run with its words in the report; a text whose vector is refused is left out
    and the run goes on. Raises `EmbedError` only where the space itself cannot be told, `IndexFault` for
    the index.
    """
    space = embedder.space
    key = ensure_space(database, space)
    ids = ", ".join(str(each) for each in {key, *space_ids(database, space)})
    missing = f"NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.space_id IN ({ids}))"
    total = int(database.scalar(f"SELECT count(*) FROM chunks c WHERE {missing}"))
    meter = Meter("embed", total, progress)
    written = refused = last = 0
    problem, cancelled = "", False
    while batch := database.rows(
        f"SELECT c.id, c.text FROM chunks c WHERE c.id > ?1 AND {missing} ORDER BY c.id LIMIT {BATCH}",
        (last,),
    ):
        if cancel is not None and cancel():
            cancelled = True
            break
        try:
            blobs = _embed(embedder, [text for _, text in batch], space.dim)
        except EmbedError as error:
            problem = str(error)
            break
        kept = [(chunk, blob) for (chunk, _), blob in zip(batch, blobs, strict=True) if blob is not None]
        _store(database, key, space, kept)
        written += len(kept)
        refused += len(batch) - len(kept)
        last = batch[-1][0]
        meter.add(len(batch))
    return EmbedReport(space, written, refused, total - written - refused, meter.rate, problem, cancelled)


def _embed(embedder: Embedder, texts: Sequence[str], dim: int) -> list[bytes | None]:
    """One blob per text, None where it is unusable; a refused batch is asked for again text by text."""
    try:
        return list(_checked(embedder.embed_documents(texts), len(texts), dim))
    except BadVector:
        if len(texts) == 1:
            return [None]
    return [blob for text in texts for blob in _embed(embedder, [text], dim)]


def _checked(blobs: Sequence[bytes], count: int, dim: int) -> Iterable[bytes]:
    from memhtml_core.embed.check import check

    if len(blobs) != count:
        raise EmbedError(f"the embedder gave {len(blobs)} vectors for {count} texts")
    for blob in blobs:
        check(blob, dim)
        yield blob


def _store(database: Database, key: int, space: Space, vectors: Sequence[tuple[int, bytes]]) -> None:
    at = instant()
    with database.transaction():
        database.run_many(
            "INSERT OR REPLACE INTO vectors SELECT ?1, id, ?3, ?4 FROM chunks WHERE id = ?2",
            ((key, chunk, blob, at) for chunk, blob in vectors),
        )
        if space.digest:
            database.run_many(
                "DELETE FROM vectors WHERE chunk_id = ?1 "
                "AND space_id IN (SELECT id FROM spaces WHERE name = ?2 AND digest = '')",
                ((chunk, space.name) for chunk, _ in vectors),
            )


def take(database: Database, rows: Iterable[tuple[str, str, int, bytes, str]]) -> tuple[int, int]:
    """Take (chunk key, space name, dim, blob, instant) of a peer where the chunk is known; (taken, refused).

    A blob that is not `4 * dim` bytes long, or of another length than its space's, is refused. What the
    values are is the peer's affair: a zero or NaN vector counts as similarity 0 (DESIGN 11).
    """
    taken = refused = 0
    known: dict[str, tuple[int, int]] = {}
    for chunk, name, dim, blob, at in rows:
        if name not in known:
            known[name] = (ensure_space(database, Space(name, dim)), dim)
        key, expected = known[name]
        if not isinstance(blob, bytes) or dim != expected or len(blob) != 4 * dim or not blob:
            refused += 1
            continue
        taken += database.run(
            "INSERT OR IGNORE INTO vectors SELECT ?1, c.id, ?3, ?4 FROM chunks c WHERE c.chunk_key = ?2",
            (key, chunk, blob, at),
        )
    return taken, refused


def carry(database: Database, previous: Path, *, unverified: bool) -> int:
    """Copy the vectors of chunks that both indexes know from another index of ours; gives how many.

    Without `unverified` only those of spaces with a digest: the others are a peer's, and its index says
    itself which of them it has. Must run outside a transaction. The other index is only read.
    """
    database.run("ATTACH ?1 AS previous", (str(previous),))
    try:
        with database.transaction():
            before = database.scalar("SELECT count(*) FROM main.vectors")
            database.run(
                "INSERT OR IGNORE INTO main.spaces(name, dim, digest) "
                "SELECT name, dim, digest FROM previous.spaces WHERE ?1 OR digest <> ''",
                (unverified,),
            )
            database.run(
                "INSERT OR IGNORE INTO main.vectors "
                "SELECT s.id, c.id, v.vec, v.created_at FROM previous.vectors v "
                "JOIN previous.spaces o ON o.id = v.space_id AND (?1 OR o.digest <> '') "
                "JOIN main.spaces s ON s.name = o.name AND s.digest = o.digest AND s.dim = o.dim "
                "JOIN previous.chunks p ON p.id = v.chunk_id JOIN main.chunks c ON c.chunk_key = p.chunk_key",
                (unverified,),
            )
            drop_shadowed(database)
            return int(database.scalar("SELECT count(*) FROM main.vectors")) - int(before)
    finally:
        database.run("DETACH previous")


def drop_shadowed(database: Database) -> None:
    """Remove unverified vectors of chunks that have a verified one of the same space name."""
    database.run(
        "DELETE FROM main.vectors WHERE space_id IN (SELECT id FROM main.spaces WHERE digest = '') "
        "AND EXISTS (SELECT 1 FROM main.spaces mine "
        "JOIN main.spaces other ON other.name = mine.name AND other.digest <> '' "
        "JOIN main.vectors v ON v.space_id = other.id AND v.chunk_id = vectors.chunk_id "
        "WHERE mine.id = vectors.space_id)"
    )
