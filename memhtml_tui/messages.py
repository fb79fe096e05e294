"""What panes, screens and session tell each other: frozen values only (DESIGN 3, "Flow").

Messages of the session come from its threads; the app hands them to the view on screen. A result carries
the generation of the request it answers, and an older one is dropped.
No message is compared or printed, so none has the methods for it: they would be made before the first frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow, Signal
    from memhtml_core.browse.empty import WhyEmpty
    from memhtml_core.browse.facets import Removed, ScopeCounts
    from memhtml_core.browse.listing import Listing
    from memhtml_core.browse.memory import MemoryView
    from memhtml_core.errors import MemhtmlError
    from memhtml_core.index.progress import Progress
    from memhtml_core.rank.outcome import Outcome
    from memhtml_core.rank.request import Scope
    from memhtml_tui.answers import Answer, HealthReport, Opened, Page, StoreFacts
    from memhtml_tui.stores import Store


@dataclass(eq=False, repr=False)
class QueryEdited(Message):
    """The text of the query pane changed; the search follows after a short rest."""

    text: str


@dataclass(eq=False, repr=False)
class QueryCommitted(Message):
    """Enter in the query pane: search now."""

    text: str


@dataclass(eq=False, repr=False)
class QueryRecalled(Message):
    """An earlier query is wanted in the field (`step` 1: one further back, -1: one nearer)."""

    step: int


@dataclass(eq=False, repr=False)
class LinePasted(Message):
    """A whole request was pasted into the query as a line of text."""

    text: str


@dataclass(eq=False, repr=False)
class HopsKnown(Message):
    """A memory was read for the values that one can follow from it."""

    view: MemoryView


@dataclass(eq=False, repr=False)
class ScopeEdited(Message):
    """The scope is now this one."""

    scope: Scope


@dataclass(eq=False, repr=False)
class ScopeCounted(Message):
    """What the store counted for a scope; `counts` is None where no builder is open."""

    scope: Scope
    counts: ScopeCounts | None
    removed: tuple[Removed, ...]


@dataclass(eq=False, repr=False)
class EmptyKnown(Message):
    """Why `shown` holds nothing. `store` can be asked, on any thread, how fresh it is; None: it was."""

    shown: Outcome | Listing
    why: WhyEmpty
    store: Store | None


@dataclass(eq=False, repr=False)
class RowPointed(Message):
    """The cursor of a list stands on another memory (None: the list is empty)."""

    path: str | None


@dataclass(eq=False, repr=False)
class PageWanted(Message):
    """Browse is at an edge: `step` pages on (negative: back)."""

    step: int


@dataclass(eq=False, repr=False)
class OpenWanted(Message):
    """A person explicitly opens a memory: the only message that leads to a write."""

    path: str
    signal: Signal


@dataclass(eq=False, repr=False)
class PeekWanted(Message):
    """Show a memory without counting anything."""

    path: str


@dataclass(eq=False, repr=False)
class StoreProgress(Message):
    """The store is being indexed; None: no more. A newer count replaces one that waits."""

    progress: Progress | None

    def can_replace(self, message: Message) -> bool:
        """Counts are superseded by later counts."""
        return isinstance(message, StoreProgress)


@dataclass(eq=False, repr=False)
class StoreReady(Message):
    """The store is open and can be asked."""

    facts: StoreFacts


@dataclass(eq=False, repr=False)
class StoreFailed(Message):
    """The store could not be opened or indexed."""

    error: MemhtmlError


@dataclass(eq=False, repr=False)
class Searching(Message):
    """A request was handed to the search thread."""

    generation: int


@dataclass(eq=False, repr=False)
class Answered(Message):
    """A search or recall has its answer."""

    answer: Answer


@dataclass(eq=False, repr=False)
class AnswerFailed(Message):
    """A request could not be answered; the previous answer stays on the screen, marked."""

    generation: int
    error: MemhtmlError


@dataclass(eq=False, repr=False)
class Listed(Message):
    """A page of Browse."""

    generation: int
    page: Page


@dataclass(eq=False, repr=False)
class AccessKnown(Message):
    """The access row of the memory under the cursor (None: never opened)."""

    path: str
    row: AccessRow | None


@dataclass(eq=False, repr=False)
class MemoryShown(Message):
    """A memory was read: as a peek, or opened with the access row before and after."""

    opened: Opened


@dataclass(eq=False, repr=False)
class HealthKnown(Message):
    """The state of the store and its index, as asked for."""

    report: HealthReport


@dataclass(eq=False, repr=False)
class Following(Message):
    """How changes of the store's files are followed from now on, in words."""

    words: str


@dataclass(eq=False, repr=False)
class Told(Message):
    """Something that went as it should and is worth a quiet line."""

    words: str


@dataclass(eq=False, repr=False)
class FullRan(Message):
    """The full run beside a request with outages: the same question with every arm."""

    outcome: Outcome


@dataclass(eq=False, repr=False)
class JobFailed(Message):
    """Something other than a search failed: an open, a peek, a page."""

    error: MemhtmlError
    about: str = field(default="")
