"""Files that a served app hands to its browser: each once, and gone with the session that offered it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from urllib.parse import quote

from textual_serve.download_manager import DownloadManager

_NAME_LENGTH = 120


class Downloads(DownloadManager):
    """As in textual-serve, but a key serves one reader, and what is not fetched is forgotten in the end."""

    def __init__(self) -> None:
        super().__init__()
        self._reading: set[str] = set()

    def name_of(self, key: str) -> str | None:
        """The name of the file behind `key`; None where nothing is offered, or somebody is reading it."""
        offered = self._active_downloads.get(key)
        return None if offered is None or key in self._reading else offered.file_name

    async def download(self, delivery_key: str) -> AsyncGenerator[bytes, None]:
        """The pieces of a file. The key must be one that `name_of` knows."""
        self._reading.add(delivery_key)
        try:
            async for chunk in super().download(delivery_key):
                yield chunk
        finally:
            self._reading.discard(delivery_key)
            self._active_downloads.pop(delivery_key, None)

    async def cancel_app_downloads(self, app_service_id: str) -> None:
        """End what is being read of a session and forget what it still offers."""
        await super().cancel_app_downloads(app_service_id)
        for key, offered in list(self._active_downloads.items()):
            if offered.app_service.app_service_id == app_service_id and key not in self._reading:
                del self._active_downloads[key]


def disposition(name: str) -> str:
    """The Content-Disposition that saves a file under `name` and never shows it in the page's origin."""
    short = re.sub(r"[^\w.\- ]", "_", name)[:_NAME_LENGTH].strip(". ") or "memhtml-tui.txt"
    ascii_only = re.sub(r"[^A-Za-z0-9.\-_ ]", "_", short)
    return f"attachment; filename=\"{ascii_only}\"; filename*=UTF-8''{quote(short)}"
