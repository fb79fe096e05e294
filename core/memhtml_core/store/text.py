"""Whitespace, UTF-16 lengths and numbers as the format means them (STORE_FORMAT, head and 2.1).

ASCII whitespace is space, TAB, LF, FF, CR. JS whitespace is what ECMAScript `trim` takes away: it has NBSP
and U+FEFF, and unlike Python's own notion it has neither U+0085 nor U+001C to U+001F.
"""

from __future__ import annotations

import math
import re
from typing import Final

JS_WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
ASCII_WHITESPACE: Final = " \t\n\f\r"

_JS_RUN: Final = re.compile(f"[{JS_WHITESPACE}]+")
_JS_WORD: Final = re.compile(f"[^{JS_WHITESPACE}]+")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RADIX: Final = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def js_trim(text: str) -> str:
    """`text` without JS whitespace at both ends."""
    return text.strip(JS_WHITESPACE)


def js_split(text: str) -> list[str]:
    """The words of `text`: its parts between runs of JS whitespace, none of them empty."""
    return _JS_WORD.findall(text)


def js_collapse(text: str) -> str:
    """`text` with every run of JS whitespace as one space, trimmed."""
    return _JS_RUN.sub(" ", text).strip(" ")


def collapse(text: str) -> str:
    """`text` with every run of ASCII whitespace as one space; the ends are kept."""
    # Plain replacements run at memory speed; a regular expression stops at every single space.
    text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace("\f", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def flat(text: str) -> str:
    """One line (STORE_FORMAT 2.4): ASCII whitespace runs as one space, then JS-trimmed, so NBSP goes too."""
    return collapse(text).strip(JS_WHITESPACE)


def utf16_length(text: str) -> int:
    """The length in UTF-16 units, the unit of every character count of the format."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def utf16_slice(text: str, start: int, stop: int) -> str:
    """The UTF-16 units from `start` up to `stop`; a cut inside a pair leaves a lone surrogate."""
    if text.isascii():
        return text[start:stop]
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * start : 2 * stop].decode("utf-16-le", "surrogatepass")


def whole_characters(text: str) -> str:
    """`text` with every lone half of a UTF-16 pair as U+FFFD, so that it can be written as UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def js_number(text: str) -> float | None:
    """The finite value that ECMAScript `Number()` gives for `text`; None for blank text, NaN and infinities.

    Minus zero comes back as zero, because the store's own database keeps no sign of it.
    """
    trimmed = text.strip(JS_WHITESPACE)
    if _DECIMAL.fullmatch(trimmed):
        value = float(trimmed)
    elif _RADIX.fullmatch(trimmed):
        whole = int(trimmed, 0)
        value = float(whole) if whole.bit_length() <= 1023 else math.inf
    else:
        return None
    return value + 0.0 if math.isfinite(value) else None
