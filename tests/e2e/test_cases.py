"""The public fault reports (../shared/cases/bug-reports.md) put to whole stores; see `tests/CASES.md`.

One store holds every file of `cases/inputs/html` beside odd names, links and folders; it is indexed once.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memhtml_core.browse.blocks import Code
from memhtml_core.opened import OpenStore, open_store
from memhtml_core.rank.request import Ranking, Request, Scope
from tests.e2e.conftest import Run, memory
from tests.fingerprint import changed, fingerprint
from tests.shared import shared

pytestmark = pytest.mark.shared
NOW = 1_796_000_000.0
INBOX = "areas/inbox/"


def made(folder: Path, kind: str = "files") -> Path:
    maker = shared("cases/inputs/make_hostile_store.py")
    root = folder / "store"
    subprocess.run([sys.executable, str(maker), str(root), "--kind", kind], check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    """The store with every oddity, indexed from its tree, without vectors."""
    folder = tmp_path_factory.mktemp("odd")
    root = made(folder)
    before = fingerprint(root)
    with open_store(root, source="tree", embedder="off", cache=folder / "cache") as store:
        yield store
    assert changed(before, fingerprint(root)) == []


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[[str], Path]:
    def one(name: str) -> Path:
        with tarfile.open(shared(name)) as archive:
            archive.extractall(tmp_path / "unpacked", filter="data")
        return next((tmp_path / "unpacked").iterdir())

    return one


def problems(store: OpenStore) -> dict[str, tuple[str, list[str]]]:
    rows = store.database.rows("SELECT path, reason, violations FROM problems")
    return {path: (reason, json.loads(codes)) for path, reason, codes in rows}


def indexed(store: OpenStore) -> set[str]:
    return {row[0] for row in store.database.rows("SELECT path FROM files")}


def found(store: OpenStore, query: str, scope: Scope | None = None) -> list[str]:
    """Paths that the words of a query find, best first."""
    outcome = store.search(Request(query, NOW, scope=scope or Scope(), limit=50))
    return [entry.path for run in outcome.arms if run.name == "fts" for entry in run.entries]


def codes_of(reason: str) -> str:
    """The code (STORE_FORMAT 2.3) of a refusal in the reference's words."""
    name = re.search(r'name="(memhtml-[a-z-]+)"', reason)
    for pattern, code in (
        (r"<title> elements", "title-count"),
        (r"^missing required", f"meta-missing:{name and name[1]}"),
        (r"is not repeatable", f"meta-repeated:{name and name[1]}"),
        (r'^<meta name="memhtml-due".*not an ISO', "due-bad"),
        (r"^<meta .*not an ISO", f"datetime-bad:{name and name[1]}"),
        (r"^no <article>", "article-none"),
        (r"<article> elements", "article-many"),
        (r"^no <mark>", "mark-none"),
        (r"<mark> elements", "mark-many"),
        (r"^empty <mark>", "mark-empty"),
        (r"without datetime", "time-no-datetime"),
        (r"^<time datetime.*not an ISO", "time-bad"),
    ):
        if re.search(pattern, reason):
            return code
    return ""


def test_every_file_of_the_inputs_is_indexed_or_named_with_its_reason(odd: OpenStore) -> None:
    """39, P1, P2 and the whole folder: what the reference takes is indexed, what it refuses has its codes."""
    verdicts = {
        each["file"]: each
        for each in json.loads(shared("cases/inputs/peer-verdicts.json").read_text("utf-8"))["files"]
    }
    there, named = indexed(odd), problems(odd)
    assert there.isdisjoint(named)
    files = sorted(path.name for path in shared("cases/inputs/html").iterdir())
    assert len(files) == 50
    for name in files:
        verdict, path = verdicts[name], INBOX + name
        if verdict["accepted"]:
            assert path in there, name
        elif name == "29b-same-article.html":
            assert named[path] == ("duplicate", [INBOX + "29a-same-article.html"])
        else:
            reason, codes = named[path]
            assert reason == "refused", name
            assert len(codes) == len(verdict["reasons"]), name
            for code, words in zip(codes, verdict["reasons"], strict=True):
                assert not codes_of(words) or code == codes_of(words), name
    assert named[INBOX + "13-deep-nesting.html"] == ("too-deep", ["too-deep"])


def test_a_tree_full_of_oddities_beside_a_peer_index_is_named_too(
    unpack: Callable[[str], Path], tmp_path: Path
) -> None:
    """From the peer's index the same files are problems; valid ones it lacks are merely not there yet."""
    small = unpack("parity/small.tar.gz")
    for file in shared("cases/inputs/html").iterdir():
        (small / "areas" / "inbox").mkdir(parents=True, exist_ok=True)
        (small / "areas" / "inbox" / file.name).write_bytes(file.read_bytes())
    (small / ".git").rename(tmp_path / "git-elsewhere")
    named = []
    for source in ("tree", "peer"):
        with open_store(small, source=source, embedder="off", cache=tmp_path / "cache") as store:  # type: ignore[arg-type]
            named.append({path: why for path, why in problems(store).items() if path.startswith(INBOX)})
            assert store.search(Request("ferry", NOW)).hits
    # Which of the pair is the double is for the index that holds one of them to say.
    named[0].pop(INBOX + "29b-same-article.html")
    assert named[0] == named[1]
    assert len(named[1]) == 20 - 1


def test_what_is_searched_for_is_found_in_the_oddities(odd: OpenStore) -> None:
    """23, 25, 37, 38: brackets, an entity written out, Latin-1, a cut emoji."""
    assert found(odd, "&lt;b&gt; <b>") == [INBOX + "04-entities.html"]
    assert odd.memory(INBOX + "04-entities.html").memory is not None
    card = next(c for c in odd.list(limit=200).rows if c.path == INBOX + "04-entities.html")
    assert card.gist == "Write &lt;b&gt; to show <b> and A\u00a0B stay together."
    assert INBOX + "01-brackets.html" in found(odd, "[/] closes nothing")
    assert INBOX + "09-latin1.html" in found(odd, "wrong encoding")
    assert "\ufffd" in odd.memory(INBOX + "09-latin1.html").title
    assert {path for path in found(odd, "Cut") if "30-" in path} == {
        f"{INBOX}30-{n}-then-emoji.html" for n in (699, 700, 701)
    }
    for hit in odd.search(Request("Cut", NOW)).hits[:3]:
        assert "\ufffd" not in (hit.snippet or "")
    assert found(odd, "wool") == []


def test_a_run_of_nul_spoils_no_text_index(odd: OpenStore) -> None:
    """8: the file is there without its NULs, the others are found, the text index checks clean."""
    assert found(odd, "Before the runafter the run")[0] == INBOX + "10-nul.html"
    assert found(odd, "a\x00b") == found(odd, "a b")
    with odd.location.open("tree", readonly=False) as database:
        database.check()
    assert not odd.database.rows("SELECT 1 FROM file_texts WHERE instr(body_text, char(0))")


def test_white_space_of_a_listing_is_kept(odd: OpenStore) -> None:
    """40: tabs, double spaces and blank lines stand in the reader; the long line is whole."""
    view = odd.memory(INBOX + "06-pre.html")
    code = [block.text for block in _blocks(view.blocks) if isinstance(block, Code)]
    assert '\n\treturn "tab"\n    return  "two  spaces"   \n\n# end' in code[0]
    assert len(code[1]) > 3000


def _blocks(blocks: Any) -> Iterator[Any]:
    for block in blocks:
        yield block
        yield from _blocks(getattr(block, "blocks", ()))


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
def test_dates_at_the_edges_sort_and_open_in_every_zone(
    odd: OpenStore, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """17, 20, 42: nothing overflows; the order by date is the same in every zone; refused dates are named."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for sort in ("updated", "event", "due"):
            up = [card.path for card in odd.list(sort=sort, descending=False, limit=500).rows]  # type: ignore[arg-type]
            down = [card.path for card in odd.list(sort=sort, descending=True, limit=500).rows]  # type: ignore[arg-type]
            assert set(up) == set(down) == indexed(odd)
        outcome = odd.search(Request("edge", NOW, limit=50))
        ranks = {run.name: [entry.path for entry in run.entries] for run in outcome.arms}
        assert ranks["recency"][0] == INBOX + "20c-edge-date.html"
        for name in ("20a", "20c", "20d"):
            view = odd.memory(f"{INBOX}{name}-edge-date.html")
            assert view.memory is not None
            assert view.memory.event_at in view.title
        for name in ("20b-edge-date", *(f"21{letter}-offset-date" for letter in "abcde")):
            view = odd.memory(f"{INBOX}{name}.html")
            assert view.problem is not None
            assert "time-bad" in view.problem.violations
            assert view.blocks  # shown all the same
            assert not view.openable
        assert all(hit.score >= 0 for hit in odd.search(Request("clock", NOW)).hits)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_names_are_listed_once_as_they_are_and_open(odd: OpenStore) -> None:
    """36, P8, P9: every readable file below a bucket once, under its real name; links are named."""
    listed = [card.path for card in odd.list(limit=500).rows]
    assert len(listed) == len(set(listed))
    committed = subprocess.run(
        ["git", "-C", str(odd.root), "ls-files", "-z"], capture_output=True, check=True
    ).stdout.split(b"\0")
    there, named = indexed(odd), problems(odd)
    for raw in committed:
        name = os.fsdecode(raw)
        path = odd.root / name
        if not name.startswith(("areas/", "projects/", "resources/", "archive/")) or not name.endswith(
            ".html"
        ):
            assert name not in there
        elif raw.isascii() or _utf8(raw):
            if path.name == "index.html":
                assert name not in there
                assert name not in named
            else:
                assert (name in there) != (name in named), name
    for name in (
        "new\nline.html",
        "café.html",
        "cafe\u0301.html",
        "日本.html",
        "🐝.html",
        "--help.html",
        "[bracket].html",
    ):
        assert odd.memory(f"areas/names/{name}").openable, name
    assert {path: why[0] for path, why in named.items() if why[0] == "link"}.keys() >= {
        INBOX + "outside.html",
        INBOX + "dangling.html",
        INBOX + "alias-of-28a.html",
    }
    assert "stray.html" not in there
    assert "areas/names/UPPER.HTML" not in there


def _utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_the_budget_holds_at_every_size(odd: OpenStore) -> None:
    """21, 23: never over the budget in UTF-16 units, never a half character."""
    outcome = odd.search(Request("cut", NOW, "recall"))
    for budget in (*range(0, 120), *range(120, 2_000, 37)):
        ranking = Ranking(memories_budget=budget, arcs_budget=budget)
        pack = (
            odd.pack(odd.search(Request("cut", NOW, "recall", ranking=ranking))) if budget % 10 == 0 else None
        )
        if pack is None:
            continue
        for envelope in (pack.memories, pack.arcs):
            assert envelope.spent <= budget
            for entry in envelope.entries:
                entry.text.encode("utf-8")
    assert outcome.pool


def test_part_of_a_run_of_chinese_is_said_to_be_out_of_reach(run: Run, store: Path) -> None:
    """7: unicode61 makes one word of a run (DESIGN 11). The run is found; for a part of it the answer says
    that the order does not come from the query."""
    (store / "areas" / "zh.html").write_text(memory("水泵每周检查一次。", title="水泵"), "utf-8")
    whole = run("search", "--store", store, "--embedder", "off", "水泵每周检查一次")
    assert "F fts" not in whole.stdout.splitlines()[0]
    assert "areas/zh.html" in whole.stdout.splitlines()[1]
    part = run("search", "--store", store, "--embedder", "off", "每周")
    assert "saw nothing" in part.stdout


def test_the_garden_of_the_reference(unpack: Callable[[str], Path], run: Run) -> None:
    """18, 35, P4, P6, P7, P10: its index is left alone, listings are no memories, the branch is shown."""
    garden = unpack("data/real-stores/peer-written-garden.tar.gz")
    before = fingerprint(garden)
    status = run("status", "--store", garden, "--embedder", "off").stdout
    assert "source: peer" in status
    assert re.search(r"git: on sleep/\S+", status)
    assert "index.html" not in status
    assert "not indexed: 0" in status
    for source in ("peer", "tree"):
        rows = run(
            "list", "--store", garden, "--index", source, "--plain", "--archived", "--all"
        ).stdout.splitlines()
        paths = [row.split("\t")[0] for row in rows]
        assert len(paths) == len(set(paths)) > 15
        assert not any(path.endswith("index.html") or path == "README.html" for path in paths)
        assert len({(row.split("\t")[0], row.split("\t")[-1]) for row in rows}) == len(rows)
        hits = run(
            "search", "--store", garden, "--index", source, "--embedder", "off", "don't water plot 12"
        ).stdout
        assert "plot" in hits.lower()
    assert changed(before, fingerprint(garden)) == []
