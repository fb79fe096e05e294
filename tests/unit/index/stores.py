"""Makes small stores for the tests of the index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
}


def page(claim: str, *, kind: str = "semantic", head: str = "", body: str = "") -> bytes:
    """A valid memory file."""
    status = '<meta name="memhtml-task-status" content="todo">' if kind == "task" else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>'
        f'<meta name="memhtml-type" content="{kind}"><meta name="memhtml-status" content="active">'
        '<meta name="memhtml-created" content="2024-01-01T00:00:00Z">'
        f'<meta name="memhtml-updated" content="2024-01-02T00:00:00Z">{status}{head}</head>'
        f"<body><article><p><mark>{claim}</mark></p>{body}</article></body></html>\n"
    ).encode()


def put(root: Path, path: str, data: bytes) -> None:
    """Write a file of a store, folders included."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def git(root: Path, *arguments: str) -> str:
    """Run git in a store and give what it printed."""
    command = ["git", "-c", "gc.auto=0", *arguments]
    environment = {**os.environ, **GIT}
    return subprocess.run(
        command, cwd=root, env=environment, check=True, capture_output=True, text=True
    ).stdout


def commit(root: Path) -> None:
    """Commit everything in a store, which is made a repository first where it is none."""
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "c")
