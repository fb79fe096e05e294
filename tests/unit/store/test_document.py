"""Bytes of a file -> Memory or named refusals, on small pages of our own."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.errors import DocumentRefused
from memhtml_core.store import html
from memhtml_core.store.content import canonical, content_hash
from memhtml_core.store.document import blob_sha, examine, read_document
from memhtml_core.store.memory import Citation, Facet, Link, Memory
from memhtml_core.store.text import js_split
from tests.counts import count

Page = Callable[..., bytes]
CLAIM = "<p><mark>The claim.</mark></p>"


def refusal(data: bytes) -> list[str]:
    with pytest.raises(DocumentRefused) as refused:
        read_document(data, "areas/x.html")
    return list(refused.value.violations)


def test_a_plain_memory_and_its_defaults(page: Page) -> None:
    data = page()
    memory = read_document(data, "/projects//boat/x.html")
    assert memory.path == "projects/boat/x.html"
    assert (memory.para, memory.workspace, memory.archived, memory.origin_path) == (
        "projects",
        "boat",
        False,
        None,
    )
    assert (memory.confidence, memory.importance, memory.reprieves, memory.author) == (1.0, 5, 0, "agent")
    assert memory.fts_text == "T\nThe claim.\nThe claim."
    assert memory.content_hash == "sha256:" + hashlib.sha256(b"The claim.").hexdigest()
    assert memory.warnings == ()
    assert pickle.loads(pickle.dumps(memory)) == memory


def test_the_blob_id_is_git_s(page: Page) -> None:
    data = page()
    answer = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True)
    assert blob_sha(data) == read_document(data, "areas/x.html").blob_sha == answer.stdout.decode().strip()
    assert read_document(data, "areas/x.html", blob_sha="given").blob_sha == "given"


@pytest.mark.parametrize(
    ("path", "archived", "origin"),
    [
        ("archive/2024/areas/x.html", True, "areas/x.html"),
        ("archive/x.html", True, None),
        ("areas/archive/x.html", False, None),
    ],
)
def test_the_path_alone_archives(page: Page, path: str, archived: bool, origin: str | None) -> None:
    memory = read_document(page(), path)
    assert (memory.archived, memory.origin_path, memory.status) == (archived, origin, "active")


def test_head_values(page: Page) -> None:
    head = "".join(
        f'<meta name="memhtml-{name}" content="{content}">\n'
        for name, content in [
            ("confidence", " .25 "),
            ("importance", "0x7"),
            ("reprieves", "1e2"),
            ("needs-revision", "YES"),
            ("author", ""),
            ("session", "s"),
            ("prompt", "p"),
            ("turn", "u"),
            ("valid-from", "2024-01-01"),
            ("due", "2024-02-29"),
            ("superseded-by", "/areas/y.html"),
            ("alias", " other "),
            ("alias", ""),
            ("tag", " b "),
            ("tag", "a"),
            ("tag", "b"),
            ("entity", "person:Ada"),
            ("entity", "bare"),
            ("entity", " "),
            ("entity", "lang:c++"),
        ]
    )
    article = CLAIM + '<p><dfn>Keel</dfn> <code data-lang=" C++ ">x</code> <dfn>Keel</dfn></p>'
    memory = read_document(page(article, head), "areas/x.html")
    assert (memory.confidence, memory.importance, memory.reprieves, memory.needs_revision) == (
        0.25,
        7,
        100,
        True,
    )
    assert (memory.author, memory.session_id, memory.prompt_id, memory.turn_uuid) == ("", "s", "p", "u")
    assert (memory.valid_from, memory.due_at, memory.superseded_by) == (
        "2024-01-01",
        "2024-02-29",
        "/areas/y.html",
    )
    assert (memory.aliases, memory.tags) == (("other",), ("b", "a"))
    assert memory.entities == (("person", "Ada"), ("unknown", "bare"), ("lang", "c++"), ("concept", "Keel"))


@pytest.mark.parametrize(
    ("name", "content", "want"),
    [
        ("confidence", "1.01", 1.0),
        ("confidence", "-0.1", 1.0),
        ("confidence", "0", 0.0),
        ("confidence", "nan", 1.0),
        ("importance", "0", 5),
        ("importance", "10", 10),
        ("importance", "11", 5),
        ("importance", "7.5", 5),
        ("reprieves", "-1", 0),
        ("reprieves", "9007199254740991", 2**53 - 1),
        ("reprieves", "9007199254740992", 0),
    ],
)
def test_numbers_out_of_range_fall_back(page: Page, name: str, content: str, want: float) -> None:
    memory = read_document(page(head=f'<meta name="memhtml-{name}" content="{content}">'), "areas/x.html")
    assert getattr(memory, name) == want


def test_links_are_distinct_edges_without_the_memory_itself(page: Page) -> None:
    head = """<link rel="memhtml-part-of" href="/areas/b.html">
    <link rel="memhtml-part_of" href="/areas/b.html">
    <link rel="memhtml-blocks" href="/areas/t.html?q#f"><link rel="memhtml-supports" href="/areas/x.html">
    <link rel="stylesheet" href="x.css">"""
    memory = read_document(page(head=head), "areas/x.html")
    assert memory.links == (
        Link("part_of", "areas/b.html", "memory"),
        Link("blocks", "areas/t.html?q#f", "task"),
    )


def test_facets_citations_and_disclosure(page: Page) -> None:
    article = """<p><mark>Claim <code>x</code> holds.</mark> tail</p>
    <details><summary>More</summary><p>secret</p><dl><dt>in</dt><dd>side</dd></dl></details>
    <aside>caveat <q cite="http://e/">said</q></aside>
    <dl><dd>lost</dd><dt>A</dt><dd>1 <data value="">x</data><data value=" 2e1 ">y</data></dd><dd></dd>
    <div><dt>B</dt><dd>wrapped</dd></div><dt>A</dt><dd>1 xy</dd></dl>
    <p><cite>said</cite> <abbr title=" long ">s</abbr></p><table><caption>cap</caption></table>"""
    memory = read_document(page(article), "areas/x.html")
    assert memory.gist == "Claim holds."
    assert memory.facets == (
        Facet("in", "side", None),
        Facet("A", "1 xy", 20.0),
        Facet("A", "", None),
        Facet("A", "1 xy", None),
    )
    assert memory.citations == (Citation("said", "http://e/"), Citation("said", None))
    assert memory.disclosure_text == "Claim holds.\nMore\nin: side\nA: 1 xy\nA:\nA: 1 xy\nsaid\nsaid"
    assert (memory.abbreviations, memory.asides, memory.captions) == (("long",), ("caveat said",), ("cap",))
    assert "secret" in memory.body_text


def test_bytes_are_taken_as_utf_8_whatever_they_are(page: Page) -> None:
    bom = read_document(b"\xef\xbb\xbf" + page(), "areas/x.html")
    assert bom.title == "T"
    assert bom.blob_sha != read_document(page(), "areas/x.html").blob_sha
    odd = (
        page("<p><mark>Caf\u00e9 \u2192 x</mark></p>")
        .replace("\u00e9".encode(), b"\xe9")
        .replace(b"x</mark>", b"\0x\0</mark>")
    )
    assert read_document(odd, "areas/x.html").gist == "Caf\ufffd \u2192 x"
    crlf = page("<p><mark>One\ntwo.</mark></p><pre>\nx\n\ny</pre>")
    assert (
        read_document(crlf.replace(b"\n", b"\r\n"), "areas/x.html").content_hash
        == read_document(crlf, "areas/x.html").content_hash
    )


def test_a_second_byte_order_mark_is_text_and_spoils_the_head(page: Page) -> None:
    assert "meta-missing:memhtml-type" in refusal(b"\xef\xbb\xbf" * 2 + page())


def test_entities_are_decoded_once(page: Page) -> None:
    memory = read_document(
        page("<p><mark>Write &amp;lt;b&amp;gt; to show &lt;b&gt;, caf&eacute; A&nbsp;B.</mark></p>"),
        "areas/x.html",
    )
    assert memory.gist == "Write &lt;b&gt; to show <b>, café A\u00a0B."


def test_templates_and_comments_are_invisible(page: Page) -> None:
    memory = read_document(
        page(CLAIM + "<template><mark>no</mark></template><!-- <mark>no</mark> -->"), "areas/x.html"
    )
    assert memory.body_text == "The claim."
    assert memory.warnings == ("unknown:template",)


def test_the_tree_is_html5_s(page: Page) -> None:
    late = (
        page()
        .replace(b'<meta name="memhtml-type" content="semantic">\n', b"")
        .replace(b"</head>", b'</head><meta name="memhtml-type" content="verdict">')
    )
    assert read_document(late, "areas/x.html").memory_type == "verdict"
    fostered = read_document(page("<p><mark>a</mark><table>out<tr><td>in</table>"), "areas/x.html")
    assert fostered.body_text == "a out in"
    assert refusal(page(CLAIM + "<svg><title>second</title></svg>")) == ["title-count"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("a\u00a0b\u3000c", 6), ("a\x0bb", 5), ("a\x85b", 4), ("\ufeff", 3), ("<pre>a  \n b</pre>", 5), ("", 3)],
)
def test_words_are_what_ecmascript_separates(page: Page, text: str, words: int) -> None:
    memory = read_document(page(f"<p><mark>one two three</mark> {text}</p>"), "areas/x.html")
    assert memory.word_count == words == len(js_split(memory.body_text))


def test_white_space_in_pre_is_content(page: Page) -> None:
    memory = read_document(page(CLAIM + "<pre>\n\ta  b\n</pre>"), "areas/x.html")
    assert memory.content_hash == content_hash("The claim. \ta  b\n")
    assert memory.body_text == "The claim. a b"


def test_the_hash_is_that_of_the_reparsed_article(page: Page) -> None:
    """The serializer writes one line break after <pre>, which the second parse takes away."""
    memory = read_document(page(CLAIM + "<pre>\n\nx</pre>"), "areas/x.html")
    assert memory.content_hash == content_hash("The claim. x")
    trimmed = read_document(page("\u3000" + CLAIM), "areas/x.html")
    assert trimmed.content_hash == content_hash("The claim.")


@pytest.mark.parametrize(
    ("article", "codes"),
    [
        ("<p>none</p>", ["mark-none"]),
        ("<p><mark>a</mark><mark>b</mark></p>", ["mark-many"]),
        ("<p><mark>\u00a0</mark></p>", ["mark-empty"]),
        ("<details><p><mark>a</mark></p></details>", ["mark-in-details"]),
        ("<mark>a</mark>", ["mark-no-block"]),
        ("<p>x</p><p><mark>a</mark></p>", ["mark-not-first"]),
        ("<ul><li><mark>a</mark></li></ul><p>x</p>", []),
        (CLAIM + "</article><article>", ["article-many"]),
        (
            CLAIM + "<p class=a onclick=b on=c style=d id=e>x</p>",
            ["attr-forbidden:class", "handler-forbidden:onclick", "attr-forbidden:style"],
        ),
        (
            CLAIM + "<script>x</script><style>y</style>",
            ["element-forbidden:script", "element-forbidden:style"],
        ),
        (CLAIM + "<time>x</time><time datetime=today>y</time>", ["time-no-datetime", "time-bad"]),
    ],
)
def test_articles_that_are_refused(page: Page, article: str, codes: list[str]) -> None:
    assert list(examine(page(article)).violations) == codes


@pytest.mark.parametrize(
    ("head", "codes"),
    [
        ('<meta name="memhtml-type" content="arc">', ["meta-repeated:memhtml-type"]),
        ('<meta name="memhtml-x" content="">', ["meta-unknown:memhtml-x"]),
        ('<meta name="memhtml-task-status" content="todo">', ["task-status-foreign"]),
        ('<meta name="memhtml-due" content="soon">', ["due-bad"]),
        ('<meta name="memhtml-archived" content="">', ["datetime-bad:memhtml-archived"]),
        ('<link rel="memhtml-likes" href="/a.html">', ["rel-unknown"]),
        ('<link rel="memhtml-supports">', ["href-missing"]),
        ('<link rel="memhtml-supports" href="//h/a.html">', ["href-not-root"]),
    ],
)
def test_heads_that_are_refused(page: Page, head: str, codes: list[str]) -> None:
    assert refusal(page(head=head)) == codes


@pytest.mark.parametrize(
    ("status", "codes"), [("todo", []), ("later", ["task-status-bad"]), (None, ["task-status-missing"])]
)
def test_a_task_needs_its_status(page: Page, status: str | None, codes: list[str]) -> None:
    head = "" if status is None else f'<meta name="memhtml-task-status" content="{status}">'
    assert list(examine(page(head=head, kind="task")).violations) == codes


def test_all_findings_come_in_the_stated_order(page: Page) -> None:
    data = page(
        "<p><mark> </mark><time>x</time><b class=x>y</b></p>",
        '<meta name="memhtml-zz"><link rel="memhtml-supports"><meta name="memhtml-valid-until" content="x">'
        '<meta name="memhtml-due" content="x">',
        title=" ",
        kind="thought",
    )
    assert refusal(data) == [
        "title-empty",
        "meta-unknown:memhtml-zz",
        "mark-empty",
        "time-no-datetime",
        "attr-forbidden:class",
        "href-missing",
        "type-bad",
        "due-bad",
        "datetime-bad:memhtml-valid-until",
    ]
    assert refusal(b"") == [
        "title-count",
        "meta-missing:memhtml-type",
        "meta-missing:memhtml-status",
        "meta-missing:memhtml-created",
        "meta-missing:memhtml-updated",
        "article-none",
    ]


def test_warnings_keep_the_file(page: Page) -> None:
    memory = read_document(
        page(CLAIM + "<h2>h</h2><div>d</div><figure><span>f</span></figure><h2>i</h2>"), "areas/x.html"
    )
    assert memory.warnings == ("unknown:h2", "scoped:div")


@pytest.mark.parametrize("depth", [400, html.MAX_DEPTH - 3])
def test_deep_files_are_read(page: Page, depth: int) -> None:
    memory = read_document(page(CLAIM + "<section>" * depth + "end"), "areas/x.html")
    assert memory.body_text == "The claim. end"


@pytest.mark.parametrize(
    "article",
    [
        "<section>" * (html.MAX_DEPTH + 1),
        "<section>" * 100_000,
        "<p><section>" * 30_000,
        "".join(f"<b id={number}>" for number in range(2_000)) + "<p>x" * 3_000,
        "<dl><dt>n<dd>" * 600 + "word " * 20_000,
    ],
    ids=["deeper", "100,000 deep", "mixed", "unclosed formatting", "nested facets"],
)
def test_files_that_would_cost_too_much_are_named_as_too_deep(page: Page, article: str) -> None:
    assert refusal(page(CLAIM + article)) == ["too-deep"]


def test_long_flat_files_are_not_deep(page: Page) -> None:
    memory = read_document(page(CLAIM + "<p>x" * 20_000 + "<ul>" + "<li>y" * 20_000), "areas/x.html")
    assert memory.word_count == 40_002


def test_files_beyond_a_bound_are_named_as_too_large(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = "<p " + " ".join(f"a{number}=1" for number in range(html.MAX_ATTRIBUTES + 1)) + ">"
    assert refusal(page(CLAIM + wide)) == ["too-large"]
    assert examine(page(CLAIM, f'<meta name="memhtml-author" content="{"a=1 " * 9_000}">')).violations == ()
    monkeypatch.setattr(html, "MAX_TAGS", 5)
    assert refusal(page()) == ["too-large"]
    monkeypatch.setattr(html, "MAX_BYTES", 100)
    assert refusal(page()) == ["too-large"]


def test_findings_of_one_file_are_bounded(page: Page) -> None:
    assert len(refusal(page(CLAIM + "<time>x</time>" * 1_200))) == 1_000


PIECES = [
    *(
        "<p>",
        "</p>",
        "<mark>",
        "</mark>",
        "<article>",
        "</article>",
        "<pre>",
        "</pre>",
        "<dl>",
        "<dt>",
        "<dd>",
    ),
    *(
        "</dl>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<svg>",
        "<title>",
        "</title>",
        "<template>",
        "</template>",
    ),
    *(
        "<code>",
        "</code>",
        "<b>",
        "</b>",
        "<aside>",
        "<details>",
        "<summary>",
        "<q>",
        "</q>",
        "<cite>",
        "<a>",
    ),
    *(
        "</a>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "</body>",
        "</html>",
        "<textarea>",
        "</textarea>",
        "<select>",
    ),
    *("<option>", "<math>", "<mi>", "<frameset>", "<plaintext>", "&nbsp;", "&lt;", "\n", "<data value=1e3>"),
    *("<time datetime=2024-01-01>", "<meta name=memhtml-type content=task>", "<code data-lang=py>"),
]
MARKUP = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=25).map("".join)


@settings(max_examples=count(150, 5_000), deadline=None)
@given(st.one_of(st.binary(max_size=200), MARKUP.map(lambda markup: markup.encode("utf-8", "surrogatepass"))))
def test_any_bytes_are_a_memory_or_refused(data: bytes) -> None:
    codes = examine(data).violations
    if codes:
        assert tuple(refusal(data)) == codes
    else:
        assert isinstance(read_document(data, "areas/x.html"), Memory)


@settings(max_examples=count(150, 5_000), deadline=None)
@given(MARKUP)
def test_any_article_gives_consistent_projections(page: Page, markup: str) -> None:
    data = page(CLAIM + markup)
    codes = examine(data).violations
    if codes:
        assert tuple(refusal(data)) == codes
        return
    memory = read_document(data, "areas/x.html")
    assert memory.gist == "The claim."
    assert memory.body_text.startswith("The claim.")
    assert memory.fts_text == f"{memory.title}\n{memory.gist}\n{memory.body_text}"
    assert memory == read_document(data, "areas/x.html")


@settings(max_examples=count(150, 5_000), deadline=None)
@given(MARKUP)
def test_indentation_between_blocks_never_moves_the_hash(markup: str) -> None:
    outside_pre = markup.replace("<pre>", "<p>").replace("<plaintext>", "").replace("<textarea>", "")
    first = html.parse_fragment(f"<section>{outside_pre}")
    second = html.parse_fragment(f"\n  <section>\n  {outside_pre}")
    assert canonical(first.stream) == canonical(second.stream)
    text = canonical(first.stream)
    assert canonical([text]) == text.removeprefix(" ").removesuffix(" ")


@settings(max_examples=count(100, 3_000), deadline=None)
@given(MARKUP)
def test_the_stream_is_well_nested(markup: str) -> None:
    page = html.parse_fragment(markup)
    open_elements: list[html.Element] = []
    for position, item in enumerate(page.stream):
        if isinstance(item, str):
            continue
        if item.start == position:
            assert item.parent is (open_elements[-1] if open_elements else None)
            open_elements.append(item)
        else:
            assert item.end == position
            assert open_elements.pop() is item
    assert not open_elements
    assert [
        item
        for position, item in enumerate(page.stream)
        if isinstance(item, html.Element) and item.start == position
    ] == page.elements
