"""`copy_demo`: the whole store, byte for byte, and clear words where it cannot be made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memhtml_core.errors import StoreError
from memhtml_tui.demo_store import STORE_NAME, copy_demo, packaged

if TYPE_CHECKING:
    from importlib.abc import Traversable


def files(folder: Traversable, under: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for each in folder.iterdir():
        name = f"{under}{each.name}"
        if each.is_dir():
            found |= files(each, name + "/")
        else:
            found[name] = each.read_bytes()
    return found


def test_the_copy_equals_what_is_shipped(copied: Path) -> None:
    shipped = files(packaged())
    assert shipped == {
        f.relative_to(copied).as_posix(): f.read_bytes() for f in copied.rglob("*") if f.is_file()
    }
    assert {".gitignore", ".gitattributes", "README.html", ".memhtml/state/access.jsonl"} <= set(shipped)


def test_the_copy_can_be_written_to(copied: Path) -> None:
    assert all(os.access(f, os.W_OK) for f in copied.rglob("*"))


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    assert copy_demo(tmp_path / "a" / "b") == tmp_path / "a" / "b" / STORE_NAME


def test_a_second_copy_is_refused_and_leaves_the_first(tmp_path: Path) -> None:
    store = copy_demo(tmp_path)
    (store / "README.html").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="copied there before"):
        copy_demo(tmp_path)
    assert (store / "README.html").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be copied") as caught:
        copy_demo(tmp_path / "file")
    assert caught.value.remedy
