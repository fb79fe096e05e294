"""The closed lists of the store format: buckets, types, metas, elements, relations (STORE_FORMAT 1 and 2)."""

from __future__ import annotations

from typing import Final

BUCKETS: Final = ("projects", "areas", "resources", "archive")
"""First segments that a memory path may have; in bytewise order the archive comes first."""

GENERATED: Final = frozenset({"index.html", "sitemap.xml"})
"""Names of listings that a publisher writes into any folder; never memories."""

TYPES: Final = (
    "episodic",
    "semantic",
    "procedural",
    "agent_insight",
    "user_preference",
    "error_pattern",
    "verdict",
    "precedent",
    "arc",
    "task",
)
STATUSES: Final = ("active", "archived")
TASK_STATUSES: Final = ("todo", "doing", "blocked", "done")

META_PREFIX: Final = "memhtml-"
REQUIRED_METAS: Final = ("memhtml-type", "memhtml-status", "memhtml-created", "memhtml-updated")
REPEATABLE_METAS: Final = frozenset({"memhtml-entity", "memhtml-tag", "memhtml-alias"})
METAS: Final = (
    *REQUIRED_METAS,
    "memhtml-confidence",
    "memhtml-importance",
    "memhtml-content-hash",
    "memhtml-author",
    "memhtml-session",
    "memhtml-prompt",
    "memhtml-turn",
    "memhtml-valid-from",
    "memhtml-valid-until",
    "memhtml-reprieves",
    "memhtml-archived",
    "memhtml-superseded-by",
    "memhtml-needs-revision",
    "memhtml-task-status",
    "memhtml-due",
    "memhtml-entity",
    "memhtml-tag",
    "memhtml-alias",
)
"""Every meta name of the format, in the order of its table, which is the order of head lines."""

DATETIME_METAS: Final = (
    "memhtml-created",
    "memhtml-updated",
    "memhtml-valid-from",
    "memhtml-valid-until",
    "memhtml-archived",
)
"""Metas held to the datetime grammar, in the order of their findings; `memhtml-due` has a code of its own."""

RELATIONS: Final = {
    "supersedes": "memory",
    "contradicts": "memory",
    "caused_by": "memory",
    "leads_to": "memory",
    "part_of": "memory",
    "relates_to": "memory",
    "example_of": "memory",
    "supports": "memory",
    "laterally_related": "memory",
    "about_person": "person",
    "authored_by": "person",
    "from_session": "provenance",
    "blocks": "task",
    "subtask_of": "task",
}
"""Relation of an edge -> its class."""

INLINE: Final = frozenset(
    {
        "mark",
        "time",
        "data",
        "cite",
        "q",
        "dfn",
        "abbr",
        "code",
        "kbd",
        "samp",
        "var",
        "a",
        "strong",
        "em",
        "span",
    }
)
"""Elements that do not separate words in canonical text; every other element does."""

SCOPED: Final = frozenset({"div", "span"})
"""Elements meant for the inside of a `<figure>`; a warning anywhere else."""

ELEMENTS: Final = (
    frozenset({"html", "head", "body", "title", "meta", "link", "article", "dl", "dt", "dd"})
    | frozenset({"figure", "figcaption", "details", "summary", "aside", "section", "pre", "table", "caption"})
    | frozenset({"thead", "tbody", "tr", "th", "td", "p", "ul", "ol", "li", "address"})
    | INLINE
    | SCOPED
)
"""The vocabulary; an element outside it is a warning."""

FORBIDDEN_ELEMENTS: Final = frozenset({"script", "style"})
FORBIDDEN_ATTRIBUTES: Final = frozenset({"class", "style"})
