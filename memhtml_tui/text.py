"""The only door from stored text to the screen and to a terminal: everything a store says passes through
here.

`clean` and `one_line` are for writing; `line` and `content` give what widgets take and load their libraries
only when called, so that the command line never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memhtml_core.plain import clean, one_line

if TYPE_CHECKING:
    from rich.text import Text
    from textual.content import Content

__all__ = ["clean", "content", "line", "one_line"]


def line(text: str, style: str = "") -> Text:
    """Stored text as one line of a table or list; nothing in it is markup."""
    from rich.text import Text

    return Text(one_line(text), style=style, no_wrap=True, overflow="ellipsis", end="")


def content(text: str, style: str = "") -> Content:
    """Stored text as the content of a widget, line ends kept; nothing in it is markup."""
    from textual.content import Content

    return Content.styled(clean(text), style) if style else Content(clean(text))
