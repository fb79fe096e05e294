"""The structure that a reader draws: each kind of block, text kept as it stands, any nesting survived."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml_core.browse.blocks import (
    Aside,
    Block,
    Code,
    Details,
    FacetList,
    FacetPair,
    Figure,
    ItemList,
    Paragraph,
    Run,
    Table,
    plain_text,
    read_blocks,
)
from tests.counts import count


def article(inner: str) -> tuple[Block, ...]:
    return read_blocks(f"<!doctype html><title>T</title><body><article>{inner}</article>".encode())


def test_claim_and_inline_styles() -> None:
    (block,) = article(
        "<p><mark>Ask <strong>Robin</strong> <code>x  y</code>.</mark> Since "
        '<time datetime="2024-01-02">then</time>, see <a href="/a.html">this <em>one</em></a>.</p>'
    )
    assert isinstance(block, Paragraph)
    assert block.claim
    assert block.runs == (
        Run("Ask ", ("mark",)),
        Run("Robin", ("mark", "strong")),
        Run(" ", ("mark",)),
        Run("x y", ("mark", "code")),
        Run(".", ("mark",)),
        Run(" Since "),
        Run("then", ("time",), "2024-01-02"),
        Run(", see "),
        Run("this ", ("a",), "/a.html"),
        Run("one", ("a", "em"), "/a.html"),
        Run("."),
    )


def test_lists_nest_and_keep_their_claim() -> None:
    (block,) = article("<ol><li><mark>One.</mark><ul><li>in one</li></ul></li><li>two</li></ol>")
    assert block == ItemList(
        True,
        (
            (
                Paragraph((Run("One.", ("mark",)),), claim=True),
                ItemList(False, ((Paragraph((Run("in one"),)),),)),
            ),
            (Paragraph((Run("two"),)),),
        ),
    )


def test_code_is_verbatim_with_its_language() -> None:
    (block,) = article(
        '<figure><pre><code data-lang=" PYTHON">def f():\n    return  1\n</code></pre>'
        "<figcaption>A  listing</figcaption></figure>"
    )
    assert block == Figure((Code("def f():\n    return  1\n", "python"),), (Run("A listing"),))


def test_facets_as_the_store_reads_them() -> None:
    (block,) = article(
        "<dl><dd>lost</dd><dt> Spare <em>part</em></dt><dd>seal <data value=' 12.50 '>twelve</data></dd>"
        "<dt>Empty</dt><dd></dd><dd><data value='abc'>x</data></dd></dl>"
    )
    assert block == FacetList(
        (FacetPair("Spare part", "seal twelve", 12.5), FacetPair("Empty", ""), FacetPair("Empty", "x"))
    )


def test_folds_caveats_and_tables() -> None:
    blocks = article(
        "<details><summary>Why</summary><p>Because.</p></details><aside><p>Not on disks.</p></aside>"
        "<table><caption>Sizes</caption><tr><th>a</th><td>1</td></tr></table>"
    )
    assert blocks[0] == Details((Run("Why"),), (Paragraph((Run("Because."),)),))
    assert blocks[1] == Aside((Paragraph((Run("Not on disks."),)),))
    assert isinstance(blocks[2], Table)
    assert plain_text(blocks[2].caption) == "Sizes"
    assert [[(plain_text(c.runs), c.head) for c in row] for row in blocks[2].rows] == [
        [("a", True), ("1", False)]
    ]


def test_what_is_no_text_is_silent_and_blocks_part_words() -> None:
    blocks = article("loose <!-- no -->text<script>no()</script><div>in<br>div</div><section>sec</section>")
    assert [plain_text(b.runs) for b in blocks if isinstance(b, Paragraph)] == [
        "loose text",
        "in",
        "div",
        "sec",
    ]
    (inline,) = article("<em>a<p>b</p></em>")
    assert isinstance(inline, Paragraph)
    assert plain_text(inline.runs) == "a b"


def test_a_document_without_article_gives_its_body() -> None:
    assert read_blocks(b"<p>only this") == (Paragraph((Run("only this"),)),)
    assert read_blocks(b"") == ()


@pytest.mark.parametrize("tag", ["div", "ul", "em", "details", "aside", "blockquote", "table"])
def test_deep_nesting_is_read_flat(tag: str) -> None:
    depth = 2_000
    blocks = article(f"<{tag}>" * depth + "bottom" + f"</{tag}>" * depth)
    assert "bottom" in repr(blocks)


MARKUP = (
    "<p> <li> <ul> </ul> <dl> <dt> <dd> <details> <mark> <pre> <summary> </details> word <table> <td> </p>"
)


@given(st.lists(st.sampled_from([*MARKUP.split(), "\n", "\x00", "&nbsp;"]), max_size=30))
@settings(max_examples=count(200, 1_500), deadline=None)
def test_any_markup_gives_blocks_without_blank_text(parts: list[str]) -> None:
    for block in article("".join(parts)):
        if isinstance(block, Paragraph):
            text = plain_text(block.runs)
            assert text == text.strip(" \t\n")
            assert text
