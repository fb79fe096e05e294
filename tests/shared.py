"""Where the material beside the checkout lies, and what happens without it.

A test asks `shared("parity/small.tar.gz")` for a path. Where the folder is absent the test skips with the
reason; with MEMHTML_TUI_REQUIRE_SHARED=1 it fails instead, so that an automatic run cannot pass by skipping.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared"


def shared(name: str) -> Path:
    """The path of a shared file or folder; skips or fails the running test where it is not there."""
    path = FOLDER / name
    if path.exists():
        return path
    reason = f"needs ../shared/{name}, which does not stand beside this checkout"
    if os.environ.get("MEMHTML_TUI_REQUIRE_SHARED") == "1":
        pytest.fail(reason + " although MEMHTML_TUI_REQUIRE_SHARED=1", pytrace=False)
    pytest.skip(reason)
