"""What git knows about a store, asked through the `git` command without leaving a trace (DESIGN 4).

A missing command, a missing repository or one that git does not trust is a state in words and never an
error. No call writes (optional locks are off, so the index file keeps its bytes), runs a hook, a filter or
a pager, asks a question, or reaches for a network, whatever the repository's own configuration says.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from memhtml_core.errors import StoreError
from memhtml_core.store.html import MAX_BYTES
from memhtml_core.store.layout import origin_path, printable
from memhtml_core.store.repository import Change, Commit, DirtyFile, Repository, TreeEntry
from memhtml_core.store.vocabulary import BUCKETS

TIMEOUT: Final = 60.0
"""Seconds after which a call is given up."""

_KEPT: Final = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_FILE_MODES: Final = ("100644", "100755")
_PIECE: Final = 1 << 20
_REVISION: Final = re.compile(r"HEAD|[0-9a-f]{40}|[0-9a-f]{64}")
_OPERATIONS: Final = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


class Git:
    """Questions to git about the store at `root`, each asked when called; paths are relative to the root."""

    def __init__(
        self, root: Path, *, environ: Mapping[str, str] | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.root = root
        self.timeout = timeout
        self._environ = _quiet(os.environ if environ is None else environ)
        self._settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        self._filters_off = False
        self._prefix = ""

    @property
    def available(self) -> bool:
        """Whether history can be asked for: a command, and a trusted repository with a working tree."""
        return self.describe().state == "ready"

    def describe(self) -> Repository:
        """The state of the repository, read anew; a git that fails or hangs is a state too."""
        try:
            return self._describe()
        except FileNotFoundError as missing:
            return Repository("no git" if self.root.is_dir() else "failed", str(missing))
        except (OSError, StoreError, subprocess.TimeoutExpired) as trouble:
            return Repository("failed", str(trouble))

    def _describe(self) -> Repository:
        asked = ("--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository")
        dirs = ("--absolute-git-dir", "--git-common-dir", "--show-prefix")
        answer = self._run("rev-parse", *asked, *dirs)
        if answer.returncode != 0:
            return _not_ready(_text(answer.stderr))
        lines = _text(answer.stdout).split("\n")
        bare, inside, shallow, git_dir, common, prefix = (*lines, "", "", "")[:6]
        if inside != "true":
            return Repository("bare" if bare == "true" else "no repository")
        self._prefix = prefix
        if prefix and not self._output("ls-files", "-z", "--", *BUCKETS):
            return Repository("no repository", "the repository around it tracks none of its files")
        here = Path(os.path.realpath(git_dir))
        there = Path(os.path.realpath(self.root / common))
        return Repository(
            "ready",
            head=self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
            branch=self._line("symbolic-ref", "--quiet", "--short", "HEAD"),
            shallow=shallow == "true",
            worktree=here != there,
            submodule=here == there and "modules" in here.parts and (self.root / ".git").is_file(),
            operation=next((name for mark, name in _OPERATIONS.items() if (here / mark).exists()), None),
        )

    def head(self) -> str | None:
        """The id of the commit that HEAD names, None where there is none."""
        return self.describe().head

    def branch(self) -> str | None:
        """The branch that HEAD stands on, None where it is detached or there is no repository."""
        return self.describe().branch

    def ls_tree(self, revision: str = "HEAD") -> list[TreeEntry]:
        """The blobs of a commit below the four buckets, in bytewise path order; none without a commit."""
        if self.head() is None:
            return []
        entries = []
        for record in self._output("ls-tree", "-r", "-z", "--full-name", _checked(revision), "--", *BUCKETS):
            meta, _, path = record.partition("\t")
            mode, kind, sha = meta.split(" ")
            if kind == "blob":
                entries.append(TreeEntry(self._inside(path), sha, mode))
        return sorted(entries, key=lambda entry: os.fsencode(entry.path))

    def dirty(self) -> list[DirtyFile]:
        """Files of the buckets that differ from HEAD or are untracked and not ignored, in path order."""
        if not self.available:
            return []
        self._turn_filters_off()
        form = ("--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
        found: dict[str, DirtyFile] = {}
        for record in self._output("status", *form, "--", *BUCKETS):
            file = self._dirt(record)
            if file is not None:
                # Deleted from the index and there again as a new file: two records, one change.
                found[file.path] = file if file.path not in found else DirtyFile(file.path, "changed")
        return [found[path] for path in sorted(found, key=os.fsencode)]

    def _dirt(self, record: str) -> DirtyFile | None:
        kind = record[0]
        if kind == "?":
            return DirtyFile(self._inside(record[2:]), "untracked")
        if kind == "u":
            return DirtyFile(self._inside(record.split(" ", 10)[10]), "unmerged")
        if kind != "1":
            return None
        columns = record.split(" ", 8)
        path, staged, unstaged = self._inside(columns[8]), columns[1][0], columns[1][1]
        if unstaged == "D" or (staged == "D" and unstaged == "."):
            return DirtyFile(path, "deleted")
        return DirtyFile(path, "added" if staged == "A" else "changed")

    def ignored(self) -> frozenset[str]:
        """The files of the buckets that git ignores and does not track, as the file system names them."""
        if not self.available:
            return frozenset()
        listed = (
            "ls-files",
            "-z",
            "--full-name",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--",
            *BUCKETS,
        )
        return frozenset(path.removeprefix(self._prefix) for path in self._output(*listed))

    def diff_names(self, a: str, b: str = "HEAD") -> list[Change]:
        """What changed below the buckets from commit `a` to `b`, renames paired as git does at 50 % likeness.

        Raises StoreError where a commit is not in this repository (rewritten history, a shallow clone).
        """
        for revision in (a, b):
            if (
                not self.available
                or self._line("rev-parse", "--verify", "--quiet", _checked(revision) + "^{commit}") is None
            ):
                raise StoreError(
                    "this repository has no such commit",
                    subject=revision,
                    remedy="History was rewritten or is shallow; a full build does not need it",
                )
        return self._changes(
            self._output("diff-tree", "-r", "-z", "-M", "--name-status", a, b, "--", *BUCKETS)
        )

    def _changes(self, records: list[str]) -> list[Change]:
        fields = iter(records)
        changes = []
        for status in fields:
            source = self._inside(next(fields)) if status[0] == "R" else None
            changes.append(Change(status[0], self._inside(next(fields)), source))
        return changes

    def count_commits(self, a: str, b: str = "HEAD") -> int | None:
        """How many commits of `b` are not yet in `a`; None where that cannot be told."""
        if not self.available:
            return None
        count = self._line("rev-list", "--count", f"{_checked(a)}..{_checked(b)}", "--")
        return int(count) if count is not None and count.isdigit() else None

    def cat_blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The bytes of blobs by id, in the order given; None for a missing one and for more than MAX_BYTES.

        One git process answers them all; it ends with the iterator.
        """
        command = [*self._command(), "cat-file", "--batch"]
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                for sha in ids:
                    process.stdin.write(_checked(sha).encode() + b"\n")
                    process.stdin.flush()
                    header = process.stdout.readline().split()
                    if len(header) != 3:
                        yield sha, None
                        continue
                    size = int(header[2])
                    if header[1] == b"blob" and size <= MAX_BYTES:
                        yield sha, process.stdout.read(size + 1)[:-1]
                        continue
                    left = size + 1
                    while left > 0:
                        left -= len(process.stdout.read(min(left, _PIECE)) or bytes(left))
                    yield sha, None
            finally:
                process.kill()

    def log(self, path: str, limit: int = 50) -> list[Commit]:
        """The last `limit` commits that touched the file at `path`, newest first, through renames."""
        revision = self.head()
        commits: list[Commit] = []
        while revision is not None and len(commits) < limit:
            stretch = self._log(revision, path, limit - len(commits))
            commits += stretch
            source = self._source(stretch[-1].sha, path) if stretch else None
            if source is None:
                break
            path, revision = source, self._line("rev-parse", "--verify", "--quiet", stretch[-1].sha + "^")
        return commits

    def _log(self, revision: str, path: str, limit: int) -> list[Commit]:
        # The letters keep an empty author or subject from vanishing between two separators, and tell a commit
        # from the change behind it.
        form = "--format=c%H%x00%cI%x00a%an%x00s%s"
        options = ("-z", "--raw", "--no-abbrev", "--no-renames", f"--max-count={limit:d}", form)
        fields = iter(self._output("log", *options, revision, "--", path))
        commits: list[Commit] = []
        for field in fields:
            if field[0] == "c":
                at, author, subject = next(fields), next(fields)[1:], next(fields)[1:]
                commits.append(Commit(field[1:], at, printable(author), printable(subject), path))
                continue
            _, mode, _, blob, status = field.lstrip("\n:").split(" ")
            next(fields)
            commits[-1] = replace(commits[-1], status=status[0], blob=blob if mode in _FILE_MODES else "")
        return commits

    def _source(self, revision: str, path: str) -> str | None:
        """Where the file at `path` came from if `revision` moved it there.

        Archiving is a move even where so much of a short file changed that git sees none.
        """
        fields = self._output("diff-tree", "-r", "-z", "-M", "--no-commit-id", "--name-status", revision)
        changes = self._changes(fields)
        moves = [change.source for change in changes if change.status == "R" and change.path == path]
        origin = origin_path(path)
        left = [change.path for change in changes if change.status == "D" and change.path == origin]
        return next(iter([*moves, *left]), None)

    def _inside(self, path: str) -> str:
        return printable(path.removeprefix(self._prefix))

    def _command(self) -> list[str]:
        return ["git", "--literal-pathspecs", "--no-pager", *self._settings]

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self._command(), *arguments],
            cwd=self.root,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self.timeout,
            check=False,
        )

    def _asked(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return self._run(*arguments)
        except subprocess.TimeoutExpired as late:
            raise StoreError(
                f"git {arguments[0]} gave no answer within {self.timeout:.0f} s",
                subject=str(self.root),
                remedy="Try again, or look whether the disk of the store answers",
            ) from late
        except OSError as trouble:
            raise StoreError(
                f"git could not be started ({trouble.strerror})",
                subject=str(self.root),
                remedy="Install git, or go on without history",
            ) from trouble

    def _output(self, *arguments: str) -> list[str]:
        """The NUL-separated records of a call that must succeed."""
        answer = self._asked(*arguments)
        if answer.returncode != 0:
            raise StoreError(
                f"git {arguments[0]} failed ({_text(answer.stderr).strip()})",
                subject=str(self.root),
                remedy="Run `git status` there to see what is wrong",
            )
        return [record for record in _text(answer.stdout).split("\0") if record]

    def _line(self, *arguments: str) -> str | None:
        answer = self._asked(*arguments)
        return (_text(answer.stdout).strip() or None) if answer.returncode == 0 else None

    def _turn_filters_off(self) -> None:
        """A status may run the clean filters that the configuration names, so each is set to nothing."""
        if self._filters_off:
            return
        pattern = r"^filter\..*\.(clean|smudge|process|required)$"
        answer = self._asked("config", "-z", "--name-only", "--get-regexp", pattern)
        names = [name for name in _text(answer.stdout).split("\0") if name]
        self._environ["GIT_CONFIG_COUNT"] = str(len(names))
        for number, name in enumerate(names):
            self._environ[f"GIT_CONFIG_KEY_{number}"] = name
            self._environ[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.endswith(".required") else ""
        self._filters_off = True


def _quiet(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environ.items()
        if (not name.startswith("GIT_") or name in _KEPT) and name not in ("SSH_ASKPASS", "LANGUAGE")
    }
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
    }


def _not_ready(stderr: str) -> Repository:
    first = stderr.strip().partition("\n")[0]
    if "dubious ownership" in stderr:
        return Repository("not trusted", first)
    if "not a git repository" in stderr:
        return Repository("no repository", first)
    return Repository("failed", first)


def _checked(revision: str) -> str:
    """A revision that cannot be taken for an option or a range."""
    if not _REVISION.fullmatch(revision):
        raise StoreError("not a commit id", subject=revision, remedy="Give a full hexadecimal id, or HEAD")
    return revision


def _text(data: bytes) -> str:
    return os.fsdecode(data)
