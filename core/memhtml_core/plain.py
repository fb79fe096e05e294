"""Makes stored text harmless where it is written out: no terminal sequence, no direction override, no half
character.

Stored text is anybody's. The core keeps it as it stands on disk; whoever writes it to a terminal, a
clipboard or a rendered pack passes it through here (DESIGN 3 and 11).
"""

from __future__ import annotations

import re

REPLACEMENT = "�"
"""What stands where a control character was."""

# A string sequence ends at BEL or ST. The payload stops at any control character, so that an unclosed one
# never eats the text after it, and that many unclosed ones in a row cost one scan altogether.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"
)
_INTRODUCER = re.compile(r"\x1b[\[\]PX^_]|[\x90\x98\x9b\x9d\x9e\x9f]")
_HALF = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
_RUN = re.compile("[ \t\n]+")
UNSHOWN = re.compile(_CONTROL.pattern[:-1] + "\ud800-\udfff]")
"""A character that `clean` takes out: a text without one comes through it unchanged."""


def clean(text: str) -> str:
    """`text` without what a terminal would act on; newline and tab stay. Never longer in UTF-16 units than
    `text`.

    Whole CSI, OSC, DCS, APC, PM and SOS sequences in 7 and 8 bit form go, and so do the introducers of
    unclosed ones and lone surrogates; every other control, direction or line separator character becomes
    U+FFFD. Joiners and combining marks stay. Takes time linear in the length.
    """
    if UNSHOWN.search(text) is None:
        return text
    text = _SEQUENCE.sub("", text)
    text = _INTRODUCER.sub("", text)
    text = _HALF.sub("", text.replace("\r\n", "\n"))
    return _CONTROL.sub(REPLACEMENT, text)


def one_line(text: str) -> str:
    """`clean` text on a single line: every run of spaces, tabs and line ends becomes one space, none at the
    ends.
    """
    return _RUN.sub(" ", clean(text)).strip(" ")
