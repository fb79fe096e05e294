"""What stays behind: the log, which says little, and crash logs, which are private and few."""

from __future__ import annotations

import io
import logging
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml_tui.serve.crashes import KEPT, TAIL_BYTES, Tail, write_crash
from memhtml_tui.serve.downloads import disposition
from memhtml_tui.serve.log import LOGGER, Repeats, start_log
from memhtml_tui.serve.page import page, statics


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the log writes; other handlers come back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    stream = io.StringIO()
    start_log(stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


def test_a_foreign_message_is_cut_to_who_and_where(written: io.StringIO) -> None:
    secret = "the text of a memory"
    try:
        raise ValueError(secret)
    except ValueError:
        logging.getLogger("aiohttp.server").exception("while handling %s", secret)
        logging.getLogger(LOGGER).exception("session 1 met an error")
    logging.getLogger("asyncio").error(secret)
    logging.getLogger("textual-serve").info(secret)
    said = written.getvalue()
    assert secret not in said
    assert re.search(r"error in aiohttp\.server: ValueError at test_traces\.py:\d+\n", said)
    assert re.search(r"session 1 met an error: ValueError at test_traces\.py:\d+\n", said)
    assert len(said.splitlines()) == 3


def test_a_flood_of_one_remark_is_one_line_in_ten_seconds() -> None:
    repeats = Repeats()
    said = [repeats.due("refused: wrong token", second / 100) for second in range(2500)]
    lines = [line for line in said if line]
    assert len(lines) == 3
    assert re.fullmatch(r"refused: wrong token \(\d+ more since\)", lines[1])
    assert repeats.due("refused: wrong Host", 25.0) == "refused: wrong Host"


def test_only_the_end_of_a_stream_is_kept() -> None:
    tail = Tail()
    for number in range(200):
        tail.feed(b"%06d" % number * 1000)
    assert len(bytes(tail)) == TAIL_BYTES
    assert bytes(tail).endswith(b"000199")


def test_a_crash_log_is_private_harmless_and_among_few(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "crashes"
    paths = [
        write_crash(folder, number, b"Trace\x1b]0;PWNED\x07back \xff\x9b5m\n") for number in range(KEPT + 5)
    ]
    kept = sorted(folder.iterdir())
    assert len(kept) == KEPT
    assert paths[-1] in kept
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", paths[-1].read_text("utf-8"))
    if os.name == "posix":
        assert stat.S_IMODE(paths[-1].stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name",
    [
        "notes.md",
        "../../etc/passwd",
        "a\r\nSet-Cookie: x",
        'a"; filename="b.html',
        "..",
        "",
        "größe 米.svg",
        "x" * 500,
    ],
)
def test_a_download_is_saved_under_a_harmless_name(name: str) -> None:
    said = disposition(name)
    match = re.fullmatch(
        r"attachment; filename=\"([A-Za-z0-9._ -]{1,120})\"; filename\*=UTF-8''([\w.%-]+)", said
    )
    assert match, said
    assert not match[1].startswith(".")


def test_the_page_escapes_its_title_and_asks_nobody_else() -> None:
    built = page('<script>alert(1)</script>"&', 16)
    assert "<script>alert" not in built
    own = [
        each.path.read_text("utf-8") for name, each in statics().items() if name in ("page.js", "page.css")
    ]
    for text in (built, *own):
        assert not re.search(r"(?:https?:)?//[\w.-]+\.[a-z]", text.replace("http://www.w3.org/2000/svg", ""))
    assert not re.search(r"<script(?! src=\"static/)|<style| on\w+=| style=", built)
    asked = set(re.findall(r'static/([\w.-]+)"', built)) | set(
        re.findall(r'url\("([^"]+)"\)', own[1] + own[0])
    )
    assert asked <= set(statics())
    assert all(each.path.is_file() for each in statics().values())
