"""One pass over the working tree: reads what changed, writes its rows, settles what files share.

A full build is the same pass over an empty index, so an update cannot come to another result. Two things
are shared between files of equal text (DESIGN 4 and 11): of active memories other than tasks only the first
path is indexed, and the chunks belong to the last indexed path. Both are settled per content hash at the
end of a pass.
"""

from __future__ import annotations

from memhtml_core.index import project
from memhtml_core.index.database import Database
from memhtml_core.index.listing import Entry, Listing, Refusal, write_problem
from memhtml_core.index.progress import Cancel, Meter, Report
from memhtml_core.index.report import Changes, compare
from memhtml_core.store.memory import Memory

_FEW = 500


class TreePass:
    """The state of one pass. `run` needs an open transaction; the caller commits or rolls back."""

    def __init__(
        self,
        listing: Listing,
        database: Database,
        progress: Report | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        self._listing, self._database = listing, database
        self._progress, self._cancel = progress, cancel
        self._at = project.instant()
        self._next_id = 1 + int(database.scalar("SELECT coalesce(max(id), 0) FROM files"))
        self._before: dict[str, str] = {}
        self._touched: set[str] = set()
        self._shaken: set[str] = set()
        self._doomed: dict[int, str] = {}

    def run(self) -> Changes:
        """Bring the index to what the listing shows. Raises `Interrupted` or `IndexFault`."""
        rows = self._database.rows("SELECT path, signature, blob_sha FROM seen")
        seen = {path: (signature, blob) for path, signature, blob in rows}
        work: list[Entry] = []
        for entry in self._listing.files:
            known = seen.pop(entry.path, None)
            if known is None or not entry.signature or known[0] != entry.signature:
                work.append(entry)
                seen[entry.path] = known or ("", "")
        for path in self._listing.problems:
            seen.pop(path, None)
        changed = {entry.path for entry in work}
        for path in [path for path in seen if path not in changed]:
            self._forget(path)
            self._database.run("DELETE FROM seen WHERE path = ?1", (path,))
        self._note_problems()
        meter = Meter("read", len(work), self._progress, self._cancel)
        for entry in work:
            self._look_at(entry, seen[entry.path][1])
            meter.add()
        self._settle()
        return self._changes()

    def _note_problems(self) -> None:
        """What the walk itself could not take (links, unreadable files) replaces what stood at that path."""
        sql = "SELECT path, reason, detail FROM problems WHERE blob_sha = ''"
        held = {path: (reason, detail) for path, reason, detail in self._database.rows(sql)}
        for path, problem in self._listing.problems.items():
            if held.get(path) != (problem.reason, problem.detail):
                self._forget(path)
                write_problem(self._database, path, problem)
                self._database.run("INSERT OR REPLACE INTO seen VALUES (?1, '', '')", (path,))

    def _look_at(self, entry: Entry, known_blob: str) -> None:
        path = entry.path
        found = self._listing.look(path, known_blob)
        if found is None:
            self._forget(path)
            self._database.run("DELETE FROM seen WHERE path = ?1", (path,))
            return
        blob, verdict = found
        if isinstance(verdict, Memory):
            self._place(verdict)
        elif verdict is not None:
            self._forget(path)
            write_problem(self._database, path, verdict)
        signature = entry.signature if blob else ""
        self._database.run("INSERT OR REPLACE INTO seen VALUES (?1, ?2, ?3)", (path, signature, blob))

    def _place(self, memory: Memory) -> None:
        """Write a memory, whether or not another one holds the same text; `_settle` decides on that."""
        file_id, new = self._open_row(memory.path)
        self._touched.add(memory.content_hash)
        project.write_memory(self._database, memory, file_id, self._at, new=new)

    def _open_row(self, path: str) -> tuple[int, bool]:
        """The id of a path's rows, and whether it is a new one; the text that it had is shaken loose."""
        self._drop_problem(path)
        row = self._row(path)
        if row is None:
            self._before.setdefault(path, "")
            self._next_id += 1
            return self._next_id - 1, True
        file_id, content_hash, blob = row
        self._before.setdefault(path, blob)
        self._shaken.add(content_hash)
        self._doomed.pop(file_id, None)
        return file_id, False

    def _forget(self, path: str) -> None:
        """Take a path out, memory or problem. Its rows go at the end, when its chunks have an owner."""
        self._drop_problem(path)
        row = self._row(path)
        if row is not None:
            self._before.setdefault(path, row[2])
            self._shaken.add(row[1])
            self._doomed[row[0]] = path

    def _row(self, path: str) -> tuple[int, str, str] | None:
        row = self._database.one(
            "SELECT f.id, d.content_hash, d.blob_sha FROM files f JOIN file_details d ON d.file_id = f.id "
            "WHERE f.path = ?1",
            (path,),
        )
        return None if row is None else (row[0], row[1], row[2])

    def _drop_problem(self, path: str) -> None:
        content_hash = self._database.scalar("SELECT content_hash FROM problems WHERE path = ?1", (path,))
        if content_hash is not None:
            self._database.run("DELETE FROM problems WHERE path = ?1", (path,))
            if content_hash:
                self._shaken.add(content_hash)

    def _settle(self) -> None:
        """Settle every text that several files hold or held; a file read anew may shake others loose."""
        todo = self._shaken | self._shared(self._touched)
        meter = Meter("settle", None, self._progress, self._cancel)
        while todo:
            self._shaken, self._touched = set(), set()
            for content_hash in sorted(todo):
                self._settle_one(content_hash)
                meter.add()
            todo = self._shaken | self._shared(self._touched)
        for file_id, path in self._doomed.items():
            self._database.run("DELETE FROM edges WHERE src_path = ?1", (path,))
            self._database.run("DELETE FROM files WHERE id = ?1", (file_id,))

    def _shared(self, hashes: set[str]) -> set[str]:
        """Those of the hashes that more than one file holds."""
        if len(hashes) <= _FEW:
            sql = (
                "SELECT (SELECT count(*) FROM file_details WHERE content_hash = ?1) "
                "+ (SELECT count(*) FROM problems WHERE content_hash = ?1 AND content_hash <> '')"
            )
            return {each for each in hashes if self._database.scalar(sql, (each,)) > 1}
        rows = self._database.rows(
            "SELECT content_hash FROM (SELECT content_hash FROM file_details "
            "UNION ALL SELECT content_hash FROM problems WHERE content_hash <> '') "
            "GROUP BY content_hash HAVING count(*) > 1"
        )
        return hashes & {row[0] for row in rows}

    def _settle_one(self, content_hash: str) -> None:
        rows = self._database.rows(
            "SELECT f.path, f.id, d.blob_sha, f.archived = 0 AND f.memory_type <> 'task' FROM files f "
            "JOIN file_details d ON d.file_id = f.id WHERE d.content_hash = ?1",
            (content_hash,),
        )
        indexed = {path: (file_id, blob) for path, file_id, blob, _ in rows if file_id not in self._doomed}
        rivals = [path for path, file_id, _, rival in rows if rival and file_id not in self._doomed]
        doubles: dict[str, str] = dict(
            self._database.rows(
                "SELECT path, blob_sha FROM problems WHERE content_hash = ?1", (content_hash,)
            )
        )
        if rivals or doubles:
            first = min([*rivals, *doubles])
            if first in doubles:
                # Its rows have to be made anew from the file; the reading settles this text once more.
                self._shaken.add(content_hash)
                self._look_at(Entry(first, ""), "")
                return
            for path in rivals:
                if path != first:
                    file_id, doubles[path] = indexed.pop(path)
                    self._before.setdefault(path, doubles[path])
                    self._doomed[file_id] = path
            for path, blob in doubles.items():
                refusal = Refusal("duplicate", blob, (first,), content_hash=content_hash)
                write_problem(self._database, path, refusal)
        self._settle_chunks(content_hash, {path: file_id for path, (file_id, _) in indexed.items()})

    def _settle_chunks(self, content_hash: str, indexed: dict[str, int]) -> None:
        if not indexed:
            self._database.run("DELETE FROM chunks WHERE content_hash = ?1", (content_hash,))
            return
        owner = indexed[max(indexed)]
        sql = "UPDATE chunks SET file_id = ?1 WHERE content_hash = ?2"
        if not self._database.run(sql, (owner, content_hash)):
            body = self._database.scalar("SELECT body_text FROM file_texts WHERE file_id = ?1", (owner,))
            project.write_chunks(self._database, project.chunk_rows(content_hash, body, owner))

    def _changes(self) -> Changes:
        before = {path: blob for path, blob in self._before.items() if blob}
        after = {path: row[2] for path in self._before if (row := self._row(path)) is not None}
        total = int(self._database.scalar("SELECT count(*) FROM files"))
        found = compare(before, after)
        return Changes(
            found.added, found.changed, found.moved, found.removed, total - len(after) + found.unchanged
        )
