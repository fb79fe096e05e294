"""What the article of a memory says: texts, facets, citations, terms, hash (STORE_FORMAT 2.4 and 2.5)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from memhtml_core.errors import DocumentRefused
from memhtml_core.store.content import canonical, content_hash, text_of
from memhtml_core.store.html import Element, Page
from memhtml_core.store.memory import Citation, Facet
from memhtml_core.store.text import flat, js_collapse, js_number, js_trim
from memhtml_core.store.violations import Survey

# How often a file may repeat its own text in facets, citations and the like, and what is always allowed.
_REPEATS: Final = 8
_ROOM: Final = 1_000_000
_FRAME: Final = re.compile(r"(.*\b(?:of|is|in|to|by|as)\b)\s+(.+?)\.?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Article:
    """The projections of one article, every list in document order and with all its occurrences."""

    body_text: str
    content_hash: str
    gist: str
    event_at: str | None
    facets: tuple[Facet, ...]
    citations: tuple[Citation, ...]
    terms: tuple[str, ...]
    summaries: tuple[str, ...]
    languages: tuple[str, ...]
    abbreviations: tuple[str, ...]
    asides: tuple[str, ...]
    captions: tuple[str, ...]

    def disclosure_text(self) -> str:
        """The claim with summaries, facets and citations, one a line; prose of details and asides is out."""
        lines = [
            self.gist,
            *self.summaries,
            *(f"{facet.name}: {facet.value}" for facet in self.facets),
            *(citation.text for citation in self.citations),
        ]
        return "\n".join(line for line in map(js_trim, lines) if line)


def project(page: Page, found: Survey, path: str) -> Article:
    """Read the one article of a valid page.

    Elements inside one another repeat their text; where that makes many times the file, it is refused as
    `too-deep`.
    """
    return _Reader(page, found, path).article()


def frame_key(gist: str) -> str | None:
    """What a claim of the form "… of|is|in|to|by|as VALUE" is about, lower case; None for any other claim."""
    match = _FRAME.fullmatch(js_collapse(gist))
    if match is None or match[1].count(" ") < 2 or match[2].count(" ") > 5:
        return None
    return match[1].lower()


class _Reader:
    def __init__(self, page: Page, found: Survey, path: str) -> None:
        self.page = page
        self.found = found
        self.path = path
        self.room = _ROOM + _REPEATS * page.length
        self.by_tag: dict[str, list[Element]] = {}
        for element in found.inside:
            self.by_tag.setdefault(element.tag, []).append(element)

    def article(self) -> Article:
        stream, article = self.page.stream, self.found.articles[0]
        whole = canonical(stream, article.start, article.end + 1)
        again = self.page.reparsed(article)
        times = self.by_tag.get("time", [])
        return Article(
            body_text=flat(whole),
            content_hash=content_hash(whole if again is None else canonical(again.stream)),
            gist=self.found.gist,
            event_at=times[0].attributes.get("datetime") if times else None,
            facets=tuple(self.facets()),
            citations=tuple(self.citations()),
            terms=self.texts("dfn"),
            summaries=self.texts("summary"),
            languages=self.languages(),
            abbreviations=tuple(
                title
                for element in self.by_tag.get("abbr", ())
                if (title := js_trim(element.attributes.get("title", "")))
            ),
            asides=self.texts("aside"),
            captions=self.texts("figcaption", "caption"),
        )

    def elements(self, *tags: str) -> list[Element]:
        if len(tags) == 1:
            return self.by_tag.get(tags[0], [])
        return sorted(
            (element for tag in tags for element in self.by_tag.get(tag, ())),
            key=lambda element: element.start,
        )

    def text(self, element: Element) -> str:
        text = text_of(self.page.stream, element)
        self.room -= len(text) + element.end - element.start
        if self.room < 0:
            raise DocumentRefused(self.path, ["too-deep"])
        return text

    def texts(self, *tags: str) -> tuple[str, ...]:
        return tuple(text for element in self.elements(*tags) if (text := self.text(element)))

    def languages(self) -> tuple[str, ...]:
        stated = (js_trim(element.attributes.get("data-lang", "")) for element in self.by_tag.get("code", ()))
        return tuple(language.lower() for language in stated if language)

    def citations(self) -> list[Citation]:
        return [
            Citation(text, element.attributes.get("cite") if element.tag == "q" else None)
            for element in self.elements("cite", "q")
            if (text := self.text(element))
        ]

    def facets(self) -> list[Facet]:
        children: dict[int, list[Element]] = {}
        for element in self.elements("dt", "dd"):
            if element.parent is not None and element.parent.tag == "dl":
                children.setdefault(element.parent.start, []).append(element)
        facets = []
        for group in self.by_tag.get("dl", ()):
            name: str | None = None
            for element in children.get(group.start, ()):
                if element.tag == "dt":
                    name = self.text(element)
                elif name is not None:
                    facets.append(Facet(name, self.text(element), self.numeric(element)))
        return facets

    def numeric(self, element: Element) -> float | None:
        data = self.by_tag.get("data", [])
        first = bisect_right(data, element.start, key=lambda candidate: candidate.start)
        for position in range(first, len(data)):
            if data[position].start > element.end:
                return None
            number = js_number(data[position].attributes.get("value", ""))
            if number is not None:
                return number
        return None
