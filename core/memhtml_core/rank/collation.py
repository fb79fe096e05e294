"""How people's dictionaries order paths: the reference breaks polarity ties this way, we by code point
(DESIGN 11).

A small key in the manner of the Unicode root collation, for lists that people read and for telling where the
two orders part. No ranking of ours uses it.
"""

from __future__ import annotations

import unicodedata

_MARKS_FIRST = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_EXPANSIONS = {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "đ": "d", "ł": "l", "ı": "i"}

Key = tuple[tuple[tuple[int, int], ...], tuple[str, ...], tuple[int, ...]]


def locale_key(text: str) -> Key:
    """A sort key of three levels: letters without accents and case, then accents, then case and letter form.

    White space comes before marks, marks before digits, digits before letters, Latin before the rest; `_`
    before `-`, lower case before upper.
    """
    letters: list[tuple[int, int]] = []
    accents: list[str] = []
    forms: list[int] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            if accents:
                accents[-1] += character
            continue
        small = character.lower()
        expanded = _EXPANSIONS.get(small, small)
        form = 1 if character != small else 2 if expanded != small else 0
        for part in expanded:
            letters.append(_letter(part))
            accents.append("")
            forms.append(form)
    return tuple(letters), tuple(accents), tuple(forms)


def _letter(character: str) -> tuple[int, int]:
    """Group and place of one character: white space, marks, digits, letters."""
    if character.isspace():
        return 0, ord(character)
    if character in _MARKS_FIRST:
        return 1, _MARKS_FIRST.index(character)
    if character.isdecimal():
        return 3, unicodedata.decimal(character)
    if character.isalnum():
        return 4, ord(character)
    return 2, ord(character)
