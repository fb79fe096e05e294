"""What a document holds, and which rules of STORE_FORMAT 2.1 to 2.3 refuse it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from memhtml_core.store.content import text_of
from memhtml_core.store.html import Element, Page
from memhtml_core.store.layout import is_datetime, is_root_href
from memhtml_core.store.text import js_trim
from memhtml_core.store.vocabulary import (
    DATETIME_METAS,
    ELEMENTS,
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_ELEMENTS,
    META_PREFIX,
    METAS,
    RELATIONS,
    REPEATABLE_METAS,
    REQUIRED_METAS,
    SCOPED,
    STATUSES,
    TASK_STATUSES,
    TYPES,
)

MAX_CODES: Final = 1_000
"""Most findings that are kept of one file."""

_KNOWN_METAS: Final = frozenset(METAS)
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]*")


@dataclass(slots=True)
class Survey:
    """The parts of a page that the rules and the projections look at, each list in document order.

    `metas` maps a name to its contents; `links` are the (rel, href) of head links whose rel carries the
    prefix of the format, href None where it is absent. `inside` holds the elements below the first article;
    `gist` is the claim, known once `violations` has seen a page with just one article and one mark.
    """

    titles: list[Element] = field(default_factory=list)
    metas: dict[str, list[str]] = field(default_factory=dict)
    links: list[tuple[str, str | None]] = field(default_factory=list)
    articles: list[Element] = field(default_factory=list)
    inside: list[Element] = field(default_factory=list)
    marks: list[Element] = field(default_factory=list)
    times: list[str | None] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    warnings: dict[str, None] = field(default_factory=dict)
    gist: str = ""

    def meta(self, name: str) -> str | None:
        """The content of the first meta of that name, None where there is none."""
        contents = self.metas.get(name)
        return contents[0] if contents else None


def survey(page: Page) -> Survey:
    """Go once over every element of a page."""
    found = Survey()
    head_end = article_end = figure_end = -1
    for element in page.elements:
        tag, attributes = element.tag, element.attributes
        if element.start < article_end:
            found.inside.append(element)
            if tag == "mark":
                found.marks.append(element)
        if tag == "meta" or tag == "link":
            if element.start < head_end:
                _survey_head(found, tag, attributes)
        elif tag == "title":
            found.titles.append(element)
        elif tag == "article":
            if not found.articles:
                article_end = element.end
            found.articles.append(element)
        elif tag == "time":
            found.times.append(attributes.get("datetime"))
        elif tag == "figure":
            figure_end = max(figure_end, element.end)
        elif tag == "head" and head_end < 0:
            head_end = element.end
        if tag in FORBIDDEN_ELEMENTS:
            found.forbidden.append(f"element-forbidden:{tag}")
        if attributes:
            _survey_attributes(found, attributes)
        if tag not in ELEMENTS:
            found.warnings[f"unknown:{tag}"] = None
        elif tag in SCOPED and element.start > figure_end:
            found.warnings[f"scoped:{tag}"] = None
    return found


def _survey_head(found: Survey, tag: str, attributes: dict[str, str]) -> None:
    if tag == "meta":
        if "name" in attributes:
            found.metas.setdefault(attributes["name"], []).append(attributes.get("content", ""))
    elif attributes.get("rel", "").startswith(META_PREFIX):
        found.links.append((attributes["rel"], attributes.get("href")))


def _survey_attributes(found: Survey, attributes: dict[str, str]) -> None:
    for name in attributes:
        if name in FORBIDDEN_ATTRIBUTES:
            found.forbidden.append(f"attr-forbidden:{name}")
        elif name.startswith("on") and len(name) > 2:
            found.forbidden.append(f"handler-forbidden:{name}")
    language = attributes.get("data-lang")
    if language is not None and not _LANGUAGE.fullmatch(language):
        found.warnings[f"lang:{language}"] = None


def relation_of(rel: str) -> str | None:
    """The relation that a head link's `rel` names, None where the format has none of that name."""
    relation = rel.removeprefix(META_PREFIX).replace("-", "_")
    return relation if relation in RELATIONS else None


def violations(page: Page, found: Survey) -> list[str]:
    """The codes that refuse this page, in the order of STORE_FORMAT 2.3; empty for a valid memory.

    One per finding, so a code may stand there twice; a file with more than MAX_CODES shows the first of them.
    """
    codes = [
        *_head(page, found),
        *_article(page, found),
        *_times(found.times),
        *found.forbidden,
        *_links(found.links),
        *_values(found),
    ]
    return codes[:MAX_CODES]


def _head(page: Page, found: Survey) -> list[str]:
    codes = []
    if len(found.titles) != 1:
        codes.append("title-count")
    elif not js_trim(_direct_text(page, found.titles[0])):
        codes.append("title-empty")
    codes += [f"meta-missing:{name}" for name in REQUIRED_METAS if name not in found.metas]
    for name, contents in found.metas.items():
        if not name.startswith(META_PREFIX):
            continue
        if name not in _KNOWN_METAS:
            codes.append(f"meta-unknown:{name}")
        elif len(contents) > 1 and name not in REPEATABLE_METAS:
            codes.append(f"meta-repeated:{name}")
    return codes


def _direct_text(page: Page, element: Element) -> str:
    position, pieces = element.start + 1, []
    while position < element.end:
        item = page.stream[position]
        if isinstance(item, Element):
            position = item.end + 1
        else:
            pieces.append(item)
            position += 1
    return "".join(pieces)


def _article(page: Page, found: Survey) -> list[str]:
    if not found.articles:
        return ["article-none"]
    if len(found.articles) > 1:
        return ["article-many"]
    if len(found.marks) != 1:
        return ["mark-many" if found.marks else "mark-none"]
    mark = found.marks[0]
    found.gist = text_of(page.stream, mark, skip_code=True)
    codes = [] if found.gist else ["mark-empty"]
    above = set()
    parent = mark.parent
    while parent is not None:
        above.add(parent.tag)
        parent = parent.parent
    hidden = [f"mark-in-{tag}" for tag in ("aside", "details") if tag in above]
    if hidden:
        return codes + hidden
    block = next((element for element in found.inside if element.tag in ("p", "li")), None)
    if block is None:
        codes.append("mark-no-block")
    elif not block.start < mark.start < block.end:
        codes.append("mark-not-first")
    return codes


def _times(times: list[str | None]) -> list[str]:
    return [
        "time-no-datetime" if stated is None else "time-bad"
        for stated in times
        if stated is None or not is_datetime(stated)
    ]


def _links(links: list[tuple[str, str | None]]) -> list[str]:
    codes = []
    for rel, href in links:
        if relation_of(rel) is None:
            codes.append("rel-unknown")
        elif href is None:
            codes.append("href-missing")
        elif not is_root_href(href):
            codes.append("href-not-root")
    return codes


def _values(found: Survey) -> list[str]:
    codes = []
    memory_type, status = found.meta("memhtml-type"), found.meta("memhtml-status")
    task_status, due = found.meta("memhtml-task-status"), found.meta("memhtml-due")
    if memory_type is not None and memory_type not in TYPES:
        codes.append("type-bad")
    if status is not None and status not in STATUSES:
        codes.append("status-bad")
    if memory_type != "task":
        if task_status is not None:
            codes.append("task-status-foreign")
    elif task_status is None:
        codes.append("task-status-missing")
    elif task_status not in TASK_STATUSES:
        codes.append("task-status-bad")
    if due is not None and not is_datetime(due):
        codes.append("due-bad")
    for name in DATETIME_METAS:
        stated = found.meta(name)
        if stated is not None and not is_datetime(stated):
            codes.append(f"datetime-bad:{name}")
    return codes
