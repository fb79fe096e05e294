"""The pictures of the README show the app as it is; `make screenshots` makes them anew."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.shots import FOLDER, take
from tests.ui.test_pictures import LOCKED


@pytest.mark.snapshot
@pytest.mark.skipif(
    any(version(name) != wanted for name, wanted in LOCKED.items()),
    reason=f"the pictures were made with {LOCKED}",
)
def test_no_screenshot_is_stale() -> None:
    pictures = take()
    stale = [name for name, svg in pictures.items() if (FOLDER / f"{name}.svg").read_text("utf-8") != svg]
    assert stale == [], "make screenshots"
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(pictures)
    assert sorted(path.stem for path in FOLDER.glob("*.png")) == sorted(pictures)
