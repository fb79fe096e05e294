"""What is on the screen, in one place: the app writes it when a message comes, the views draw it.

A view that was hidden meanwhile draws the whole of it when it comes back, so nothing is sent twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memhtml_core.access.rows import AccessRow
    from memhtml_core.errors import MemhtmlError
    from memhtml_core.index.progress import Progress
    from memhtml_core.rank.outcome import Outcome
    from memhtml_tui.answers import Answer, HealthReport, Opened, Page, StoreFacts


@dataclass
class State:
    """Facts of the store, the latest answers, the memory being read.

    `searching` is true from a request until its answer. `access` holds the access rows asked for so far
    (None: never opened). `trail` is the list that the memory being read was chosen from. `kept` is the
    recall whose pack later ones are compared with.
    """

    facts: StoreFacts | None = None
    progress: Progress | None = None
    answer: Answer | None = None
    recall: Answer | None = None
    page: Page | None = None
    opened: Opened | None = None
    error: MemhtmlError | None = None
    searching: bool = False
    health: HealthReport | None = None
    following: str = "not yet"
    access: dict[str, AccessRow | None] = field(default_factory=dict)
    trail: tuple[str, ...] = ()
    kept: Answer | None = None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the latest search, None while browsing."""
        return None if self.answer is None else self.answer.outcome
