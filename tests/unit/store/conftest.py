"""A page builder, stores unpacked once, and a git that never reads the tester's own configuration."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.shared import shared

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="memhtml-type" content="{kind}">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2024-01-01T00:00:00Z">
<meta name="memhtml-updated" content="2024-01-02T00:00:00Z">
{head}</head>
<body>
<article>
{article}
</article>
</body>
</html>
"""

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def write_page(
    article: str = "<p><mark>The claim.</mark></p>", head: str = "", title: str = "T", kind: str = "semantic"
) -> bytes:
    return HEAD.format(title=title, head=head, article=article, kind=kind).encode()


@pytest.fixture(scope="session")
def page() -> Callable[..., bytes]:
    """The bytes of a valid memory: page(article=..., head=..., title=..., kind=...)."""
    return write_page


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder: git(folder, "commit", "-qm", "x")."""

    def run(folder: Path, *arguments: str) -> str:
        answer = subprocess.run(
            ["git", "-c", "init.defaultBranch=main", *arguments],
            cwd=folder,
            env={**os.environ, **IDENTITY},
            capture_output=True,
            check=True,
        )
        return answer.stdout.decode()

    return run


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A folder with two valid memories and the git-ignore rules of a store, without a repository."""
    root = tmp_path / "store"
    for path in ("areas/inbox/tap.html", "projects/boat/keel.html"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(write_page(f"<p><mark>{path} says so.</mark></p>", title=path))
    (root / ".memhtml").mkdir()
    (root / ".gitignore").write_text(".memhtml/index.db*\n*.private.html\n")
    return root


@pytest.fixture(scope="session")
def units() -> dict[str, list[dict[str, Any]]]:
    with shared("parity/goldens_units.json").open(encoding="utf-8") as file:
        loaded: dict[str, list[dict[str, Any]]] = json.load(file)
    return loaded


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a parity store: unpacked("small"), unpacked once per test run."""
    places: dict[str, Path] = {}

    def unpack(name: str) -> Path:
        if name not in places:
            archive = shared(f"parity/{name}.tar.gz")
            folder = tmp_path_factory.mktemp(name)
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
            places[name] = folder / name
        return places[name]

    return unpack
