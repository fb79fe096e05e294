"""What a reader takes for one character is cut whole or not at all, at every width (cases/bug-reports 24)."""

from __future__ import annotations

import pytest
from rich.text import Text

from memhtml_tui.look import Look
from memhtml_tui.panes.draw import Line, cut, wrapped

KOREA, FAMILY, ACCENT = "\U0001f1f0\U0001f1f7", "👨‍👩‍👧‍👦", "e\u0301"
TEXTS = [
    KOREA * 12,
    "a" + KOREA * 12,
    "ab " + KOREA * 5 + " c " + KOREA * 3,
    (KOREA + FAMILY) * 4,
    ACCENT * 30,
]


def pieces(text: str) -> list[str]:
    """The clusters of these texts, in order."""
    found = []
    while text:
        head = next((c for c in (KOREA, FAMILY, ACCENT) if text.startswith(c)), text[0])
        found.append(head)
        text = text[len(head) :]
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_a_flag_is_shown_whole_or_not_at_all(text: str) -> None:
    look = Look()
    for width in range(2, 40):
        kept = cut(Text(text), width, look).plain.removesuffix(look.ellipsis).rstrip()
        assert pieces(kept) == pieces(text)[: len(pieces(kept))], width
        if width >= 8:  # a joined family counts as its four people here
            rows = [row.plain for row in wrapped([Line(Text(text))], width)]
            assert [p for row in rows for p in pieces(row) if p != " "] == [
                p for p in pieces(text) if p != " "
            ]
