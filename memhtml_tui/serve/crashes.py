"""What a served app wrote to its standard error before it failed: in a private file, never in the log.

A traceback with locals may hold text of memories. The server's own log goes wherever its terminal goes, so
it only names the file, which lies in the user's cache folder beside the indexes, readable by nobody else.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from memhtml_core.plain import clean

TAIL_BYTES = 256 * 1024
"""How much of the end of a standard error is kept."""

KEPT = 10
"""How many crash logs are kept, the newest."""

_PREFIX = "crash-"


class Tail:
    """The last `TAIL_BYTES` of a stream."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """More of the stream."""
        self._kept += data
        del self._kept[:-TAIL_BYTES]

    def __bytes__(self) -> bytes:
        return bytes(self._kept)


def write_crash(folder: Path, session: int, said: bytes) -> Path:
    """Write one crash log into `folder` (made private) and drop the oldest beyond `KEPT`; its path.

    Control characters are made visible: a log that is shown in a terminal must not act on it. Raises
    `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = folder / f"{_PREFIX}{stamp}-{os.getpid()}-{session}.log"
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(clean(said.decode("utf-8", "replace")))
    # Names sort by time; a log that another server dropped meanwhile is none of this one's concern.
    for old in sorted(folder.glob(f"{_PREFIX}*.log"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path
