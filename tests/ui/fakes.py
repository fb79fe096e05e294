"""A store of frozen results made by hand: the app's side of the contract, without index or files.

It stands in for the core only. Everything of the app is real, and opening writes a real state plane in a
temporary folder, because `Session.open` calls `reinforce` itself.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memhtml_core.access.plane import Plane
from memhtml_core.access.rows import AccessRow
from memhtml_core.browse.blocks import Paragraph, Run
from memhtml_core.browse.chain import Chain, ChainStep
from memhtml_core.browse.empty import WhyEmpty
from memhtml_core.browse.facets import Removed, ScopeCounts
from memhtml_core.browse.goto import Place
from memhtml_core.browse.health import Health, UsageSummary, Versions
from memhtml_core.browse.history import Diff, DiffLine, History, Version
from memhtml_core.browse.listing import Listing, Sort
from memhtml_core.browse.memory import EdgeView, MemoryView, Problem
from memhtml_core.browse.neighbours import Neighbour, Neighbours
from memhtml_core.browse.tasks import TaskFacts
from memhtml_core.browse.timeline import Month
from memhtml_core.errors import Interrupted, PathUnknown
from memhtml_core.index.follow import Changed
from memhtml_core.index.freshness import Freshness
from memhtml_core.index.progress import Progress
from memhtml_core.index.vectors import Coverage
from memhtml_core.pack.build import Materials
from memhtml_core.pack.entries import Material
from memhtml_core.rank.arms import ARMS
from memhtml_core.rank.outcome import (
    ArmEntry,
    ArmRun,
    Candidate,
    Card,
    Hit,
    MatchForms,
    MissingArm,
    MissingReason,
    MmrStep,
    Outcome,
    PolarityMove,
)
from memhtml_core.rank.request import Request, Scope
from memhtml_tui.answers import HealthReport, StoreFacts
from memhtml_tui.embedding import Ask

NOW = 1_750_000_000.0

TITLES = (
    "WAL admits one writer and many readers",
    "Busy timeout is set per connection",
    "Two processes share one index.db",
    "Vacuum needs an exclusive lock",
    "Checkpoint stalls when a reader stays open",
    "Readers never block the writer",
    "Not every reader needs a transaction",
    "日本語のメモ about locks",
    "How the index learned to share",
    "Größe counts twice",
)


def card(number: int, title: str, gist: str | None = None, memory_type: str = "semantic") -> Card:
    return Card(
        path=f"areas/payments/memory-{number:02}.html",
        title=title,
        gist=f"{title}, said as a claim of one sentence." if gist is None else gist,
        memory_type=memory_type,
        confidence=0.9,
        updated_at=f"2025-05-{number % 27 + 1:02}T08:00:00Z",
        event_at=None if number % 2 else f"2025-04-{number % 27 + 1:02}",
        entities=("tool:sqlite", "person:Robin Hale"),
        superseded_by=None,
        archived=False,
        workspace="payments",
        task_status=None,
        due_at=None,
    )


def default_cards() -> list[Card]:
    cards = [card(number, title) for number, title in enumerate(TITLES, 1)]
    cards[8] = replace(cards[8], memory_type="arc")
    return cards


def asked_at_once(text: str, deadline: float) -> tuple[bytes | None, MissingArm | None]:
    return b"\0" * 16, None


def health_report() -> HealthReport:
    """A store with one refused file, vectors below the floor, and three months."""
    fresh = Freshness(
        "tree",
        "a" * 40,
        "a" * 40,
        0,
        2,
        2,
        None,
        1,
        "2025-04-01T00:00:00Z",
        "2025-04-02T00:00:00Z",
        "on main",
    )
    problem = Problem("invalid", ("missing-title",), "")
    health = Health(
        root="~/memhtml",
        freshness=fresh,
        memories=30,
        archived=2,
        types={"note": 28, "arc": 2},
        buckets={"areas": 30},
        chunks=40,
        space="fake@4",
        coverage=Coverage(20, 40),
        spaces=(),
        problems={"areas/inbox/broken.html": problem},
        usage=UsageSummary("state.db", "", 3, 7, 1, 0, "2025-04-02T00:00:00Z"),
        oldest="2025-02-01T00:00:00Z",
        newest="2025-04-02T00:00:00Z",
        cache_folder="~/.cache/memhtml-tui/x",
        cache_size=123_456,
        caches=(),
        versions=Versions("3.54.0", "3.54.0.0", "sqlite-vec"),
    )
    months = (Month("2025-02", 3, 1), Month("2025-03", 0, 0), Month("2025-04", 10, 29))
    return HealthReport(health, months, "2 uncommitted", "asked for", "offline", None, False, 0.95)


@dataclass
class FakeStore:
    """Answers every search with all its cards, in their order; the query only decides the matched words."""

    root: Path
    cards: list[Card] = field(default_factory=default_cards)
    embedder: Ask | None = asked_at_once
    slow: dict[str, float] = field(default_factory=dict)
    searches: list[tuple[Request, bytes | MissingArm | None]] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)
    counted: list[Scope] = field(default_factory=list)
    why: WhyEmpty | None = None
    closed: bool = False
    long_update: bool = False
    report: HealthReport = field(default_factory=health_report)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._plane = Plane(self.root, "auto")

    @property
    def ask(self) -> Ask | None:
        return self.embedder

    def search(self, request: Request, query_vector: bytes | MissingArm | None) -> Outcome:
        self.searches.append((request, query_vector))
        self._stop.clear()
        end = time.monotonic() + self.slow.get(request.query, 0.0)
        while time.monotonic() < end:
            if self._stop.wait(0.01):
                raise Interrupted("stopped")
        if request.query == "nothing":
            return replace(outcome_of([], request, query_vector), scope_empty=bool(request.scope.workspace))
        cards = self.cards
        if request.query == "reversed":
            cards = cards[::-1]
        elif request.query == "three":
            cards = cards[:3]
        return outcome_of(cards, request, query_vector)

    def materials(self, outcome: Outcome) -> Materials:
        materials = [
            Material(
                c.path,
                c.title,
                c.gist,
                c.memory_type,
                ("sqlite",),
                f"{c.gist}\n\n{c.title} in full. " + "x" * 90,
            )
            for c in (outcome.cards[path] for path, _ in outcome.pool)
        ]
        return Materials(
            arcs=tuple(m for m in materials if m.memory_type == "arc"),
            memories=tuple(m for m in materials if m.memory_type != "arc"),
        )

    def list(
        self, scope: Scope, sort: Sort, offset: int, limit: int, *, descending: bool | None = None
    ) -> Listing:
        cards = self.cards
        if sort == "title":
            cards = sorted(cards, key=lambda c: c.title, reverse=bool(descending))
        if scope.workspace and scope.workspace != "payments":
            cards = []
        page = tuple(cards[offset : offset + limit])
        return Listing(
            page,
            len(cards),
            offset,
            sort,
            sort in ("updated", "event", "opens") if descending is None else descending,
            {page[0].path: 3} if page else {},
        )

    def task_facts(self, cards: Sequence[Card], now: float) -> Mapping[str, TaskFacts]:
        return {
            c.path: TaskFacts(c.task_status or "", c.due_at, None, False, (), ())
            for c in cards
            if c.memory_type == "task"
        }

    def scope_counts(self, scope: Scope) -> ScopeCounts:
        self.counted.append(scope)
        types = dict(Counter(c.memory_type for c in self.cards).most_common())
        workspaces = dict(Counter(c.workspace for c in self.cards if c.workspace).most_common())
        entities = dict(Counter(name for c in self.cards for name in c.entities).most_common())
        total = len(self.cards)
        return ScopeCounts(total, types, workspaces, self.tags, entities, {}, {"no": total})

    def removed_by(self, scope: Scope) -> tuple[Removed, ...]:
        return (Removed("ws", "", f"ws:{scope.workspace}", True, 7, 3),) if scope.workspace else ()

    def go_to(self, fragment: str, limit: int) -> tuple[Place, ...]:
        wanted = fragment.casefold()
        found = [c for c in self.cards if wanted in c.path or wanted in c.title.casefold()]
        return tuple(
            Place(c.path, c.title, c.memory_type, c.archived, "within", "title", ()) for c in found[:limit]
        )

    def why_empty(self, shown: Outcome | Listing, scope: Scope, fresh: Freshness | None) -> WhyEmpty | None:
        return self.why

    def freshness(self) -> Freshness:
        return Freshness("tree", None, None, None, 0, 0, None, 0, None, None, "no git", ())

    def memory(self, path: str) -> MemoryView:
        found = next((c for c in self.cards if c.path == path), None)
        if found is None:
            raise PathUnknown("no such memory", subject=path)
        body = Paragraph((Run(found.gist, ("mark",)),), claim=True)
        link = EdgeView("contradicts", "memory", found.path, found.title, True, False, False, 1.0)
        return MemoryView(
            path=path,
            title=found.title,
            memory=None,
            card=found,
            problem=None,
            blocks=(body, Paragraph((Run("A second paragraph of plain words. "), Run(found.title, ("em",))))),
            links_out=(link,),
            links_in=(replace(link, rel="supports", derived=True, strength=0.5),),
            access=self.access_row(path),
            stale=False,
            gone=False,
        )

    def chain(self, path: str) -> Chain:
        places = [n for n, c in enumerate(self.cards) if c.path == path]
        newer = [self.cards[n + 1] for n in places if n + 1 < len(self.cards)]
        steps = tuple(ChainStep(c.path, c.title, True, False, 1) for c in newer)
        return Chain(path, steps, ())

    def neighbours(self, path: str) -> Neighbours:
        near = [c for c in self.cards if c.path != path][:3]
        return Neighbours(path, "toy@4", tuple(Neighbour(c, 0.9 - n / 10) for n, c in enumerate(near)), None)

    def source(self, path: str) -> bytes:
        found = self.memory(path)
        return f"<title>{found.title}</title>\n<p>a bell \x07 and a turn \u202e</p>\n".encode(
            "utf-8", "surrogatepass"
        )

    def history(self, path: str) -> History:
        title = self.memory(path).title
        made = [
            Version("b" * 40, "2025-05-02T08:00:00+00:00", title, f"tell {title}", path, "changed", "1"),
            Version("a" * 40, "2025-04-02T08:00:00+00:00", "Robin Hale", "make it", path, "created", "2"),
        ]
        return History(path, tuple(made), "branch main", False)

    def between(self, older: Version | None, newer: Version) -> Diff:
        lines = (
            DiffLine(" ", "<p>", 1, 1),
            DiffLine("-", newer.subject, 2, None),
            DiffLine("+", newer.author, None, 2),
        )
        return Diff(older, newer, lines, "")

    def access_row(self, path: str) -> AccessRow | None:
        return self._plane.row(path)

    def facts(self) -> StoreFacts:
        arms = tuple((arm.name, arm.letter, arm.label) for arm in ARMS)
        return StoreFacts("~/memhtml", len(self.cards), "tree", "fresh", 0, "offline", arms)

    def refresh(self, progress: Callable[[Progress], None], cancel: Callable[[], bool]) -> None:
        progress(Progress("read files", len(self.cards), len(self.cards), 100.0))
        while self.long_update and not cancel():
            time.sleep(0.005)
        if self.long_update:
            raise Interrupted("stopped during read files")

    def health(self) -> HealthReport:
        return self.report

    def follow(
        self, notice: Callable[[Changed], None], announce: Callable[[str], None]
    ) -> Callable[[], None]:
        self.notice = notice
        announce("following changes as they happen")
        return lambda: None

    def embed(self, progress: Callable[[Progress], None], cancel: Callable[[], bool]) -> bool:
        return False

    def interrupt(self) -> None:
        self._stop.set()

    def close(self) -> None:
        self.closed = True


def outcome_of(cards: list[Card], request: Request, vector: bytes | MissingArm | None) -> Outcome:
    """Ranks: F as listed, V reversed within pairs, R from the end, S for every third; fused sums of them."""
    missing: list[MissingArm] = []
    if not isinstance(vector, bytes):
        missing.append(vector or MissingArm("vector", MissingReason.EMBEDDER_OFF))
    paths = [c.path for c in cards]
    orders = {
        "fts": paths,
        "vector": [paths[n ^ 1] if (n ^ 1) < len(paths) else paths[n] for n in range(len(paths))],
        "recency": paths[::-1],
        "salience": paths[::3],
    }
    values: dict[str, Callable[[int], float | str]] = {
        "fts": lambda rank: -9.0 / rank,
        "vector": lambda rank: 0.1 * rank,
        "recency": lambda rank: f"2025-04-{28 - rank:02}",
        "salience": lambda rank: 3.0 / rank,
    }
    if any(m.arm == "vector" for m in missing):
        del orders["vector"]
    runs = []
    for arm in ARMS:
        if arm.name in orders:
            entries = tuple(ArmEntry(p, r, values[arm.name](r)) for r, p in enumerate(orders[arm.name], 1))
            runs.append(ArmRun(arm.name, arm.letter, arm.label, arm.weight, entries))
    candidates = []
    for place, path in enumerate(paths, 1):
        ranks = {run.name: e.rank for run in runs for e in run.entries if e.path == path}
        shares = {run.name: run.weight / (60 + ranks[run.name]) for run in runs if run.name in ranks}
        candidates.append(Candidate(path, place, sum(shares.values()), ranks, shares, True))
    recall = request.kind == "recall"
    hits = () if recall else tuple(Hit(n, c, 1 / n, c.gist) for n, c in enumerate(cards[: request.limit], 1))
    moves: tuple[PolarityMove, ...] = ()
    if len(cards) > 6:
        moves = (PolarityMove(paths[6], paths[5], 0.93, ("not",), 0.2, 0.5, 0.1, True),)
    return Outcome(
        request=request,
        space="" if missing else "fake@4",
        forms=MatchForms("writer AND readers", "writer OR readers", "writer AND readers"),
        arms=tuple(runs),
        missing=tuple(missing),
        degraded=bool(missing),
        vector_coverage=1.0,
        candidates=tuple(candidates),
        pool=tuple((path, 1 / n) for n, path in enumerate(paths, 1)),
        polarity=moves,
        mmr=()
        if recall
        else tuple(
            MmrStep(p, 1 / n, 0.1, 0.4 / n, paths[0] if n > 1 else None) for n, p in enumerate(paths, 1)
        ),
        hits=hits,
        cards={c.path: c for c in cards},
        scope_empty=False,
        archived_matches=0,
        archived=(),
        statements=(),
        milliseconds=12.0,
    )
