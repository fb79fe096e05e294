"""Which store is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memhtml_core.errors import StoreError
from memhtml_core.store.discover import find_store


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Five stores, one for each way to name or find one."""
    made = {}
    for name in ("argument", "variable", "above", "home/memhtml"):
        made[name] = tmp_path / name
        (made[name] / ".memhtml").mkdir(parents=True)
    (made["above"] / "areas/deep").mkdir(parents=True)
    return made


def test_the_order(places: dict[str, Path], tmp_path: Path) -> None:
    environ = {"MEMHTML_ROOT": str(places["variable"])}
    inside, home = places["above"] / "areas/deep", tmp_path / "home"
    assert find_store(places["argument"], environ, inside, home) == places["argument"]
    assert find_store(None, environ, inside, home) == places["variable"]
    assert find_store("", {"MEMHTML_ROOT": ""}, inside, home) == places["above"]
    assert find_store(None, {}, tmp_path, home) == places["home/memhtml"]
    with pytest.raises(StoreError, match="none was found") as missing:
        find_store(None, {}, tmp_path, tmp_path / "nobody")
    assert missing.value.exit_code == 3
    assert "demo" in str(missing.value)


def test_relative_places_home_and_links(places: dict[str, Path], tmp_path: Path) -> None:
    assert find_store("argument", {}, tmp_path, tmp_path) == places["argument"]
    assert find_store("../argument", {}, tmp_path / "above", tmp_path) == places["argument"]
    assert find_store("~/memhtml", {}, tmp_path, tmp_path / "home") == places["home/memhtml"]
    assert (
        find_store(None, {"MEMHTML_ROOT": "~/memhtml"}, tmp_path, tmp_path / "home") == places["home/memhtml"]
    )
    (tmp_path / "door").symlink_to(places["argument"])
    assert find_store("door", {}, tmp_path, tmp_path) == places["argument"]


def test_a_bucket_alone_makes_a_store(tmp_path: Path) -> None:
    (tmp_path / "plain/archive").mkdir(parents=True)
    assert find_store("plain", {}, tmp_path, tmp_path) == tmp_path / "plain"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("none", "there is no such folder"),
        ("file", "this is a file"),
        ("empty", "holds neither `.memhtml` nor any of"),
        ("bare", "bare repository"),
        ("a\0b", "there is no such folder"),
        ("x" * 5_000, "cannot be read"),
    ],
)
def test_a_stated_place_that_is_no_store_is_said_and_not_replaced(
    places: dict[str, Path], tmp_path: Path, place: str, words: str
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare/objects").mkdir(parents=True)
    (tmp_path / "bare/HEAD").write_text("ref: refs/heads/main\n")
    inside = places["above"]
    ways: list[Callable[[], Path]] = [lambda: find_store(tmp_path / place, {}, inside, tmp_path)]
    if "\0" not in place:
        ways.append(lambda: find_store(None, {"MEMHTML_ROOT": str(tmp_path / place)}, inside, tmp_path))
    for way in ways:
        with pytest.raises(StoreError) as refused:
            way()
        assert words in str(refused.value)
        assert refused.value.remedy
