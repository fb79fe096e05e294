"""Writes a pack as the exact text that an agent would read.

The template, line by line; everything in braces is stored text or a number, the rest stands as written::

    # Recall: {query}

    ## Arcs                          only where the envelope has entries
    {entry}
    ...

    ## Memories                      likewise
    {entry}
    ...

An entry of the full tier has a blank line on either side and its text indented by three spaces::

    {place}. {title}
       path: {path}
       {text, line by line}

The other two are one line each, disclosure and index::

    {place}. {title} (path: {path}): {claim}
    {place}. {title} (path: {path})

A pack without any entry is its head and the line `Nothing was recalled.`. The text ends with one newline.
Places count from 1 in each envelope, in pack order. Title, path, claim and query stand on one line each;
stored text goes through `memhtml_core.plain`, so no escape of a store acts in it and no half character is
left, and since only text is indented no stored line can pass for a head or an entry.
"""

from __future__ import annotations

from dataclasses import dataclass

from memhtml_core.pack.entries import Envelope, Pack, PackEntry
from memhtml_core.plain import clean, one_line
from memhtml_core.store.text import utf16_length

BYTES_PER_TOKEN = 4
"""UTF-8 bytes that one token stands for in the estimate; real tokenizers vary by model and language."""

_HEADS = {"arcs": "## Arcs", "memories": "## Memories"}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a pack. `characters` is its whole length and `content` what it quotes, both in UTF-16
    units.

    `tokens_estimate` is its UTF-8 length divided by `BYTES_PER_TOKEN`, rounded up.
    """

    text: str
    characters: int
    content: int
    tokens_estimate: int


def render(query: str, pack: Pack) -> Rendered:
    """The exact text of `pack`; content of an envelope never exceeds `max(0, budget)` (DESIGN 6)."""
    parts = [f"# Recall: {one_line(query)}"]
    content = 0
    for envelope in (pack.arcs, pack.memories):
        if envelope.entries:
            text, quoted = _envelope(envelope)
            parts.append(text)
            content += quoted
    if len(parts) == 1:
        parts.append("Nothing was recalled.")
    text = "\n\n".join(parts) + "\n"
    return Rendered(text, utf16_length(text), content, -(-len(text.encode()) // BYTES_PER_TOKEN))


def _envelope(envelope: Envelope) -> tuple[str, int]:
    text = _HEADS[envelope.name]
    content = 0
    before = None
    for entry in envelope.entries:
        quoted, block = _entry(entry)
        gap = "\n\n" if "full" in (before, entry.tier) else "\n"
        text += gap + block
        content += utf16_length(quoted)
        before = entry.tier
    return text, content


def _entry(entry: PackEntry) -> tuple[str, str]:
    """What the entry quotes, as it appears, and its lines."""
    title, path = one_line(entry.title), one_line(entry.path)
    if entry.tier == "full":
        quoted = clean(entry.text)
        lines = [f"{entry.place}. {title}", f"   path: {path}"]
        lines += [f"   {line}" if line else "" for line in quoted.split("\n")] if quoted else []
        return quoted, "\n".join(lines)
    head = f"{entry.place}. {title} (path: {path})"
    if entry.tier == "index":
        return "", head
    quoted = one_line(entry.text)
    return quoted, f"{head}: {quoted}"
