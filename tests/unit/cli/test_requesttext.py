"""A request survives its own line, whatever it holds, and the line is one harmless line."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.errors import UsageError
from memhtml_core.rank.arms import ARMS
from memhtml_core.rank.request import FacetFilter, Ranking, Request, Scope
from memhtml_core.rank.simulate import OUTAGES, switched
from memhtml_tui.requesttext import as_read, format_request, parse_request, split
from tests.counts import count

TEXT = st.text(
    alphabet=st.sampled_from("ab -=:'\"\\$`\n\t\x1b\0\u202e\u200d🚢é\ud800"), max_size=8
) | st.text(max_size=6)
WORD = TEXT.filter(lambda text: text not in ("", "--"))
NUMBER = st.floats(0, 10, allow_nan=False) | st.integers(0, 9)
SMALL = st.integers(0, 1_000)
ARM = st.sampled_from([arm.name for arm in ARMS])

SCOPES = st.builds(
    Scope,
    memory_types=st.lists(TEXT, max_size=2).map(tuple),
    workspace=TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
    entity=st.none() | TEXT,
    facets=st.lists(st.builds(FacetFilter, TEXT, TEXT), max_size=2).map(tuple),
    include_archived=st.booleans(),
    as_of=TEXT,
)
RANKINGS = st.builds(
    Ranking,
    weights=st.dictionaries(ARM, NUMBER, max_size=3),
    k=SMALL,
    arm_limit=SMALL,
    pool_factor=SMALL,
    recall_pool=SMALL,
    mmr_lambda=NUMBER,
    twin_cosine=NUMBER,
    demotion=NUMBER,
    coverage_floor=st.floats(0, 1) | st.just(0.95),
    arcs_budget=st.integers(-1_000, 1_000_000),
    memories_budget=st.integers(-1_000, 1_000_000),
    per_entity=SMALL,
    off=st.frozensets(ARM, max_size=3),
    polarity=st.booleans(),
    mmr=st.booleans(),
    pack_order=st.sampled_from(["fused", "diversified"]),
)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    request = Request(
        query=draw(TEXT),
        now=draw(st.floats(-1e12, 1e12)),
        kind=draw(st.sampled_from(["search", "recall"])),
        scope=draw(SCOPES),
        limit=draw(st.integers(-5, 1_000)),
        ranking=draw(RANKINGS),
        like=draw(TEXT.filter(lambda path: path != "--")),
    )
    for name in draw(st.lists(st.sampled_from([outage.name for outage in OUTAGES]), max_size=2)):
        request = switched(request, name)
    return request


@given(requests())
@settings(max_examples=count(60, 3_000), deadline=None)
def test_a_request_survives_its_line(request_: Request) -> None:
    line = format_request(request_)
    assert line.isprintable()
    assert parse_request(line) == as_read(request_)
    assert as_read(request_) == request_ or request_.kind == "search"


@given(st.lists(WORD, max_size=4))
@settings(max_examples=count(150, 5_000), deadline=None)
def test_words_survive_quoting(words: list[str]) -> None:
    line = format_request(Request("", 0.0, scope=Scope(tags=tuple(words))), clock=False)
    tags = [[f"--tag={word}"] if word.startswith("-") else ["--tag", word] for word in words]
    assert split(line) == ["memhtml-tui", "search", *(part for tag in tags for part in tag)]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        'it\'s "quoted" $HOME `id` \\',
        "a\nb\tc\x1b[31m",
        "-x --y",
        "🚢 é \u202e",
        "$'x'",
        "*?[a]~!",
    ],
)
def test_a_shell_reads_the_same_words(text: str) -> None:
    line = format_request(Request(text, 0.0, scope=Scope(tags=(text,))), clock=False)
    script = f"memhtml-tui() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    environ = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    answer = subprocess.run(["bash", "-c", script], capture_output=True, env=environ, check=True)
    assert answer.stdout.decode().split("\0")[:-1] == split(line)[1:]


def test_what_a_line_looks_like() -> None:
    request = Request(
        "one writer",
        1_700_000_000.0,
        scope=Scope(("arc",), "boat", ("fuel", "night shift"), "svc:db", (FacetFilter("tier", "1"),), True),
        limit=5,
        ranking=Ranking(weights={"fts": 2.0}, off=frozenset({"recency"})),
        simulated={"vector": "embedder timed out"},
    )
    assert format_request(request, store="/my store", clock=False) == (
        "memhtml-tui search --store '/my store' --type arc --workspace boat --tag fuel --tag 'night shift' "
        "--entity svc:db --facet tier=1 --archived --limit 5 --weight fts=2.0 --without recency "
        "--simulate embedder-slow 'one writer'"
    )
    assert format_request(Request("", 0.5)) == "memhtml-tui search --now 0.5"


def test_a_floor_from_the_environment_does_not_leak_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHTML_VECTOR_COVERAGE_FLOOR", "0.5")
    request = Request("x", 0.0)
    assert "--floor 0.95" in format_request(request)
    assert parse_request(format_request(request)) == request


@pytest.mark.parametrize(
    "line",
    [
        "",
        "memhtml-tui",
        "memhtml-tui list",
        "rm -rf x",
        "memhtml-tui search --help",
        "search -hx",
        "memhtml-tui --version",
        "search 'open",
        'search "open',
        "search $'open",
        "search --limit many",
        "search --nonsense",
        "search --simulate x",
        "search $'\\U99999999'",
    ],
)
def test_what_is_no_request_is_refused(line: str) -> None:
    with pytest.raises(UsageError):
        parse_request(line)


def test_a_line_from_a_person_works_too() -> None:
    request = parse_request('memhtml-tui  search --now 5 --json --limit 3 "fuel pump" near\\ by\n')
    assert (request.query, request.limit, request.now) == ("fuel pump near by", 3, 5.0)
    assert parse_request("/usr/bin/memhtml-tui recall x").kind == "recall"


def test_nothing_of_it_needs_textual() -> None:
    code = (
        "import sys; from memhtml_tui.requesttext import parse_request; parse_request('search x'); "
        "sys.exit('textual' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
