"""Stored text as widgets take it: nothing in it is markup, nothing in it acts."""

from __future__ import annotations

from memhtml_tui.text import content, line

STORED = "[b]x[/b] [@click=app.bell]y[/]\n\x1b]0;PWNED\x07z\u202e"


def test_a_line_is_one_line_of_plain_text() -> None:
    made = line(STORED, "bold")
    assert made.plain == "[b]x[/b] [@click=app.bell]y[/] z\ufffd"
    assert made.spans == []
    assert made.no_wrap


def test_content_keeps_line_ends_and_no_markup() -> None:
    assert content(STORED).plain == "[b]x[/b] [@click=app.bell]y[/]\nz\ufffd"
    assert content(STORED).spans == []
    styled = content("[red]a", "bold")
    assert styled.plain == "[red]a"
    assert [str(span.style) for span in styled.spans] == ["bold"]
