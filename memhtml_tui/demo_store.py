"""The demo store: its copy into a folder of the reader's own, and five questions that show how ranking works.

The store is shipped as files under `memhtml_tui/demo/store`, without git and without an index. It holds what
an agent might remember after 32 months with two clients, a night tram and a glasshouse; people, companies
and figures are invented. STORE_FORMAT 1, 2 and 8 describe the files. A guided tour walks through the
situations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memhtml_core.errors import StoreError
from memhtml_core.rank.request import Kind, Ranking, Request, Scope
from memhtml_core.rank.typed import parse_scope

if TYPE_CHECKING:
    from importlib.abc import Traversable

STORE_NAME = "demo-store"
"""Name of the folder that `copy_demo` makes."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request of the tour: `scope` is the typed form of DESIGN 9, "" for none; the rest as in `Request`."""

    query: str
    kind: Kind = "search"
    scope: str = ""
    ranking: Ranking = field(default_factory=Ranking)
    simulated: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def request(self, now: float) -> Request:
        """The request to run; `now` is seconds since 1970 UTC."""
        scope = parse_scope(self.scope) if self.scope else Scope()
        return Request(
            self.query, now, kind=self.kind, scope=scope, ranking=self.ranking, simulated=self.simulated
        )


@dataclass(frozen=True, slots=True)
class Situation:
    """Two questions that differ in one thing, the memory to watch, and what happens to it.

    `focus` is the path whose place, tier or presence changes from `before` to `after`; `other` is the memory
    that explains it (twin, rival), "" where none does. `see` says in words what to look at.
    """

    name: str
    title: str
    before: Question
    after: Question
    focus: str
    other: str
    see: str


def copy_demo(target: Path) -> Path:
    """Copy the shipped store to `target/demo-store` and return that folder.

    `target` is made where it is missing; it is the caller's to remove. What an open writes then goes into the
    copy. Raises `StoreError` where such a folder exists already or cannot be written.
    """
    store = target / STORE_NAME
    try:
        store.mkdir(parents=True)
        _copy(packaged(), store)
    except FileExistsError as error:
        raise StoreError(
            "the demo store has been copied there before", subject=str(store), remedy="Choose another folder"
        ) from error
    except OSError as error:
        raise StoreError(
            f"the demo store cannot be copied ({error.strerror or error})",
            subject=str(store),
            remedy="Choose a folder that can be written",
        ) from error
    return store


def packaged() -> Traversable:
    """The shipped store, to be read only."""
    return resources.files("memhtml_tui") / "demo" / "store"


def _copy(source: Traversable, target: Path) -> None:
    for each in source.iterdir():
        if each.is_dir():
            (target / each.name).mkdir()
            _copy(each, target / each.name)
        else:
            (target / each.name).write_bytes(each.read_bytes())


_TAPS = "do validators keep offline taps across a power cut"
_DRIFT = "clock drift in a tram after a night on the yard track"
_KEY = "where is the key to the relay cabinet"
_BANK = "the bank rejects a file, what do we do first"
_NUTS = "my kid cannot eat nuts"

SITUATIONS: tuple[Situation, ...] = (
    Situation(
        name="twin",
        title="Two claims that differ by one word",
        before=Question(_TAPS, ranking=Ranking(polarity=False)),
        after=Question(_TAPS),
        focus="projects/night-tram/a-validator-does-not-keep-offline-taps-across-a-power-cut.html",
        other="projects/night-tram/a-validator-keeps-offline-taps-across-a-power-cut.html",
        see=(
            "The two memories say the same, but for a not that the question lacks. Fusion puts the "
            "negated one ahead: it has the question's own word keep, the other one says keeps. The "
            "polarity step finds the twin behind it and drops the negated one below. Ask with the word "
            "not, and it leads: the wording decides, not the truth."
        ),
    ),
    Situation(
        name="rival",
        title="Three reports of the same fault",
        before=Question(_DRIFT, ranking=Ranking(mmr=False)),
        after=Question(_DRIFT),
        focus="projects/night-tram/20250111-clock-drift-in-tram-2120-yard-track-4.html",
        other="projects/night-tram/20250110-clock-drift-in-tram-2114-yard-track-3.html",
        see=(
            "Three trams, one story in nearly the same words. Once the first report is chosen, it is the "
            "rival of the other two, and different memories get their places."
        ),
    ),
    Situation(
        name="scope",
        title="The answer is there, and the scope hides it",
        before=Question(_KEY),
        after=Question(_KEY, scope="archived:yes"),
        focus="archive/2025/projects/night-tram/where-the-relay-cabinet-key-hangs.html",
        other="",
        see=(
            "The notes of the pilot were archived, and one of them is still true. Without archived:yes no "
            "arm ever sees it, however well it fits."
        ),
    ),
    Situation(
        name="budget",
        title="A smaller budget pushes a memory down",
        before=Question(_BANK, kind="recall"),
        after=Question(_BANK, kind="recall", ranking=Ranking(memories_budget=1_900)),
        focus="projects/night-tram/what-ruhnbank-s-rejection-codes-mean.html",
        other="",
        see=(
            "The list of rejection codes needs 1,966 characters. A budget just below that quotes only its "
            "claim, and the room goes to shorter memories behind it."
        ),
    ),
    Situation(
        name="outage",
        title="The embedder is gone",
        before=Question(_NUTS),
        after=Question(_NUTS, simulated=MappingProxyType({"vector": "embedder failed"})),
        focus="areas/household/leo-reacts-to-hazelnut-not-to-almond.html",
        other="",
        see=(
            "The memory speaks of an allergy to hazelnut and shares no word with the question: its first "
            "place in the vector arm brings it up. Without vectors it falls out of the pool, and the answer "
            "is marked degraded."
        ),
    ),
)
"""The tour, in its order, at the default limit and with the offline embedder; a test runs each of them."""
