"""The one door to SQLite: connections to our index, their settings, the vector function, translated errors.

apsw brings its own SQLite, so FTS5 and extension loading are the same on every Python (DESIGN 4). What apsw
raises becomes an error of `memhtml_core.errors` here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from memhtml_core.errors import IndexDamaged, IndexFault, Interrupted, MemhtmlError, UsageError
from memhtml_core.store.text import whole_characters

SCHEMA_VERSION = 1
"""Version of `schema.sql`. An index of another version is rebuilt, not migrated: nothing in it is unique."""

APPLICATION_ID = 0x6D687469
"""Mark in the file header ("mhti") that tells our index from any other SQLite file."""

PAGE_SIZE = 16_384
CACHE_KIB = 65_536
MMAP_BYTES = 1 << 30
BUSY_MS = 5_000

NO_EXTENSION = "MEMHTML_TUI_NO_SQLITE_VEC"
"""Environment switch: any value but "" leaves sqlite-vec out, so that our own distance function answers."""

_ENVIRONMENT = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)

Value = str | int | float | bytes | None
Values = Sequence[Value] | Mapping[str, Value]
Row = tuple[Any, ...]


class Database:
    """One connection to an index. Used by one thread at a time; only `interrupt` may come from another.

    `vector_function` names what computes `vec_distance_cosine` on this connection.
    """

    def __init__(self, connection: apsw.Connection, path: Path, *, readonly: bool) -> None:
        self.connection = connection
        self.path = path
        self.readonly = readonly
        self.vector_function = _register_distance(connection)

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a statement. Raises `Interrupted` or `IndexFault`."""
        try:
            return list(self._execute(sql, values))
        except apsw.Error as error:
            raise translate(error, self.path) from error

    def stream(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """Rows as they are fetched; the statement stays open until the iterator is used up or closed."""
        with translated(self.path):
            yield from self._execute(sql, values)

    def one(self, sql: str, values: Values = ()) -> Row | None:
        """The first row, or None when there is none."""
        try:
            return next(iter(self._execute(sql, values)), None)
        except apsw.Error as error:
            raise translate(error, self.path) from error

    def scalar(self, sql: str, values: Values = ()) -> Any:
        """The first value of the first row, or None when there is no row."""
        row = self.one(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: Values = ()) -> int:
        """Carry out one or several statements; gives the number of rows that the last one changed."""
        try:
            self._execute(sql, values).fetchall()
            return self.connection.changes()
        except apsw.Error as error:
            raise translate(error, self.path) from error

    def run_many(self, sql: str, values: Iterable[Values]) -> None:
        """Carry out one statement once per element of `values`."""
        try:
            self.connection.executemany(sql, values).fetchall()
        except apsw.Error as error:
            raise translate(error, self.path) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write inside one transaction: committed as a whole, or rolled back when the block raises."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if not self.connection.get_autocommit():
                self.connection.execute("ROLLBACK")
            raise

    def _execute(self, sql: str, values: Values) -> apsw.Cursor:
        """Half characters, which SQLite cannot hold, are bound as U+FFFD: they equal nothing stored."""
        try:
            return self.connection.execute(sql, values)
        except UnicodeEncodeError:
            return self.connection.execute(sql, _storable(values))
        except OverflowError:
            raise UsageError("a number is too large", remedy="Use one below 2^63") from None

    def meta(self, key: str) -> str | None:
        """A value of the `meta` table, or None."""
        value: str | None = self.scalar("SELECT value FROM main.meta WHERE key = ?1", (key,))
        return value

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a value in the `meta` table; None removes the key."""
        if value is None:
            self.run("DELETE FROM main.meta WHERE key = ?1", (key,))
        else:
            self.run(
                "INSERT INTO main.meta VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
                (key, value),
            )

    def data_version(self) -> int:
        """A number that moves whenever another connection has committed a change to the index."""
        return int(self.scalar("PRAGMA main.data_version"))

    def check(self) -> None:
        """Read the whole index and its text index for inner consistency. Raises `IndexDamaged`."""
        with translated(self.path):
            found = [row[0] for row in self.connection.execute("PRAGMA main.quick_check(5)")]
            if found != ["ok"]:
                raise _damaged(self.path, "; ".join(str(line) for line in found))
            if not self.readonly:
                self.connection.execute("INSERT INTO files_fts(files_fts, rank) VALUES('integrity-check', 1)")
            broken = list(self.connection.execute("PRAGMA main.foreign_key_check"))
            if broken:
                raise _damaged(self.path, f"{len(broken)} rows point at rows that are not there")

    def seal(self) -> None:
        """Finish a new index: from now on it has a write-ahead log, so that readers never wait."""
        self.run("PRAGMA main.journal_mode = WAL; PRAGMA main.synchronous = NORMAL")

    def interrupt(self) -> None:
        """Stop the statement that runs now; its caller gets `Interrupted`. May be called from any thread."""
        try:
            self.connection.interrupt()
        except apsw.ConnectionClosedError:
            return

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        self.connection.close(True)

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def translate(error: apsw.Error, path: Path) -> MemhtmlError:
    """What an error of apsw about the database at `path` means to a caller."""
    if isinstance(error, apsw.InterruptError):
        return Interrupted("stopped before it was complete", subject=str(path))
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return _damaged(path, str(error))
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return IndexFault(
            "the index is being written by another process", subject=str(path), remedy="Try again in a moment"
        )
    if isinstance(error, _ENVIRONMENT):
        return IndexFault(
            f"the index cannot be read or written ({error})",
            subject=str(path),
            remedy="See to the disk space and the permissions of the cache folder",
        )
    return IndexFault(f"the index refused a statement ({error})", subject=str(path))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what apsw raises inside the block into the errors of `translate`."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


def connect(path: Path, *, readonly: bool) -> Database:
    """Open an existing index. Raises `IndexDamaged` (broken, of another version) or `IndexFault` (else)."""
    flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
    connection = _open(path, flags)
    try:
        with translated(path):
            _settings(connection)
            _verify(connection, path)
            return Database(connection, path, readonly=readonly)
    except BaseException:
        connection.close(True)
        raise


def create(path: Path) -> Database:
    """Make a new, empty index at `path` (absent, or an empty file) and open it for writing.

    Until `Database.seal` nothing protects the file against a crash: it is not in force yet (`location.py`).
    """
    connection = _open(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        with translated(path):
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            _settings(connection)
            connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(resources.files(__package__).joinpath("schema.sql").read_text("utf-8"))
            connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (str(SCHEMA_VERSION),))
            connection.execute(
                f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}"
            )
            connection.execute("COMMIT")
            return Database(connection, path, readonly=False)
    except BaseException:
        connection.close(True)
        raise


def distance_sql(left: str, right: str) -> str:
    """The SQL for the cosine distance of two vector blobs, 0 to 2.

    A zero, infinite or NaN vector gives 1.0 (similarity 0, RETRIEVAL 8); sqlite-vec itself says NULL there.
    Blobs of different lengths are an error of the statement; `vectors.py` never lets any into a space.
    """
    return f"coalesce(vec_distance_cosine({left}, {right}), 1.0)"


def _storable(values: Values) -> Values:
    if isinstance(values, Mapping):
        return {name: _whole(value) for name, value in values.items()}
    return [_whole(value) for value in values]


def _whole(value: Value) -> Value:
    return whole_characters(value) if isinstance(value, str) else value


def _open(path: Path, flags: int) -> apsw.Connection:
    with translated(path):
        return apsw.Connection(str(path), flags=flags)


def _settings(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_MS)
    connection.execute(
        f"PRAGMA cache_size = -{CACHE_KIB}; PRAGMA mmap_size = {MMAP_BYTES}; PRAGMA temp_store = MEMORY;"
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
    ).fetchall()


def _verify(connection: apsw.Connection, path: Path) -> None:
    mark = connection.pragma("application_id")
    version = connection.pragma("user_version")
    if mark != APPLICATION_ID:
        raise _damaged(path, "it is not an index of this program")
    if version != SCHEMA_VERSION:
        raise _damaged(path, f"its version is {version}, this program reads {SCHEMA_VERSION}")
    stored = next(iter(connection.execute("SELECT value FROM meta WHERE key = 'schema_version'")), None)
    if stored != (str(SCHEMA_VERSION),):
        raise _damaged(path, "its version mark is missing")


def _damaged(path: Path, why: str) -> IndexDamaged:
    return IndexDamaged(
        f"the index cannot be used ({why})",
        subject=str(path),
        remedy="`index --full` replaces it; nothing of the store is lost",
    )


def _register_distance(connection: apsw.Connection) -> str:
    """Load sqlite-vec and ask for its version; where that fails, register our own function instead."""
    try:
        if os.environ.get(NO_EXTENSION):
            raise RuntimeError(f"switched off by {NO_EXTENSION}")
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            connection.load_extension(sqlite_vec.loadable_path())
        finally:
            connection.enable_load_extension(False)
        version = next(iter(connection.execute("SELECT vec_version()")))[0]
    except Exception as error:  # whatever keeps the binary from loading, exact answers must go on
        connection.create_scalar_function("vec_distance_cosine", own_distance, 2, deterministic=True)
        return f"own function: {error}"
    return f"sqlite-vec {str(version).removeprefix('v')}"


def own_distance(*blobs: Any) -> float | None:
    """Cosine distance of two little-endian float32 blobs in float64; None for zero, infinite and NaN vectors.

    Blobs of unequal length or of no whole number of values are an error of the statement, as with sqlite-vec.
    """
    left, right = blobs
    if not isinstance(left, bytes) or not isinstance(right, bytes):
        raise apsw.SQLError("a vector must be a blob")
    if len(left) != len(right) or len(left) % 4 or not left:
        raise apsw.SQLError(f"vectors of {len(left)} and {len(right)} bytes cannot be compared")
    import numpy

    query, norm = _widened(right)
    other = numpy.frombuffer(left, dtype="<f4").astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        similarity = float(other @ query) / (float(numpy.sqrt(other @ other)) * norm or float("nan"))
    return None if similarity != similarity else 1.0 - similarity


@lru_cache(maxsize=8)
def _widened(blob: bytes) -> tuple[Any, float]:
    """A blob in float64 and its length; the query vector comes again for every row, so a few are kept."""
    import numpy

    wide = numpy.frombuffer(blob, dtype="<f4").astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        return wide, float(numpy.sqrt(wide @ wide))
