"""Markdown on the page: what is written becomes what is read, and nothing else gets through."""

from __future__ import annotations

import re

import pytest

from hostile import processor_seconds
from recollect.surfaces.page.markdown import LinkTable, MarkdownStyle, line, rendered, targets

EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)">'


def inside(text: str, style: MarkdownStyle = MarkdownStyle(), *marks: tuple[int, int]) -> str:  # noqa: B008
    html = rendered(text, style, marks).html
    return html.removeprefix('<div class="prose" dir="auto">').removesuffix("</div>")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a **b** _c_ ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <s>d</s> <code>e</code></p>"),
        ("snake_case_name 2*3*4", "<p>snake_case_name 2<em>3</em>4</p>"),
        ("***x***", "<p><strong><em>x</em></strong></p>"),
        ("# One", '<p class="head"><b>One</b></p>'),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> a\nb", "<blockquote><p>a\nb</p></blockquote>"),
        ("```\n<b>\n```", '<pre tabindex="0" dir="ltr"><code>&lt;b&gt;</code></pre>'),
        ("a\n\n---\n\nb", "<p>a</p><hr/><p>b</p>"),
        (r"\*a\* &amp; b", "<p>*a* &amp; b</p>"),
        ("", ""),
    ],
)
def test_what_is_written_is_what_is_read(written: str, read: str) -> None:
    assert inside(written) == read


def test_a_table_is_a_table_with_its_alignment() -> None:
    made = inside("| a | b |\n|---|--:|\n| `x|y` | 1 |\n| only |")
    assert '<th>a</th><th class="end">b</th>' in made
    assert made.count("<tr>") == 3
    assert '<td>only</td><td class="end"></td>' in made


def test_what_is_marked_stays_marked_inside_emphasis_code_and_links() -> None:
    text = "We **deploy** `on` [[Fri]]"
    spans = [(m.start(), m.end()) for m in re.finditer("deploy|on|Fri", text)]
    made = inside(text, MarkdownStyle(), *spans)
    assert "<strong><mark>deploy</mark></strong>" in made
    assert "<code><mark>on</mark></code>" in made
    assert "<mark>Fri</mark></a>" in made
    # A mark that begins in a text and ends in an address which is not shown ends there.
    cut = inside("see [the run](deploy.md) now", MarkdownStyle(), (9, 21))
    assert cut.count("<mark>") == 1
    assert "<mark> now" not in cut


@pytest.mark.parametrize(
    "hostile",
    [
        EVIL,
        f"[x]({EVIL})",
        f"[{EVIL}](https://a.b)",
        f"```{EVIL}\n{EVIL}\n```",
        f"[[{EVIL}]]",
        f"| {EVIL} |\n|---|\n| {EVIL} |",
        f"# {EVIL}",
        '![x" onerror="alert(1)](a.png" onerror="x)',
        '<https://a.b/"onclick="x>',
        f"> [!warning] {EVIL}",
        f"[^1]: {EVIL}",
    ],
)
def test_html_stays_text(hostile: str) -> None:
    made = inside(hostile, MarkdownStyle(LinkTable({}, {}), level=2))
    assert "<script" not in made
    assert not re.search(r"<[^>]*\son\w+=", made.replace("&quot;", ""))
    assert "<img" not in made


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//evil.org", "file:///x"],
)
def test_only_addresses_of_the_web_and_of_the_store_are_links(address: str) -> None:
    assert "href" not in inside(f"[a]({address}) ![b]({address})")
    assert 'href="https://a.org/x_y"' in inside("see https://a.org/x_y.")


def test_links_lead_where_the_table_says() -> None:
    table = LinkTable({"Ana": "/document?id=1"}, {"b.md": "/document?id=2"})
    made = inside(
        "[[Ana]] [[Ana#Her day|day]] [b](b.md#Top) [c](c.md) [[Nobody]]", MarkdownStyle(table)
    )
    assert '<a href="/document?id=1">Ana</a>' in made
    assert '<a href="/document?id=1#s-her-day">day</a>' in made
    assert '<a href="/document?id=2#s-top">b</a>' in made
    assert '<span title="c.md" class="nowhere">c</span>' in made
    assert 'href="/?q=Nobody" class="missing"' in made
    assert targets("[[Ana#x|y]] [b](b.md#Top) [c](https://x.y)") == (("Ana",), ("b.md",))


def test_headings_have_an_outline_and_skip_no_level() -> None:
    made = rendered("# Title\n### Deep\n# Next\n## Deep", MarkdownStyle(level=2, skip="Title"))
    assert [(one.level, one.text) for one in made.headings] == [
        (2, "Deep"),
        (2, "Next"),
        (3, "Deep"),
    ]
    assert len({one.id for one in made.headings}) == 3
    assert "Title" not in made.html


def test_headings_of_one_depth_have_one_level() -> None:
    text = "# Guide\n\n## One\n\n### Deep\n\n## Two\n\n# Last"
    found = rendered(text, MarkdownStyle(level=2, skip="Guide")).headings
    assert [(one.text, one.level) for one in found] == [
        ("One", 2), ("Deep", 3), ("Two", 2), ("Last", 2)
    ]  # fmt: skip


def test_a_chat_keeps_its_lines_and_a_title_has_no_link() -> None:
    assert inside("a\nb", MarkdownStyle(breaks=True)) == "<p>a<br/>b</p>"
    assert line("the `x` of [[Ana]] at https://a.b") == "the <code>x</code> of Ana at https://a.b"


def test_a_line_that_was_cut_inside_code_shows_what_is_whole() -> None:
    made = line("… Collector` parameter to `sync` and `other", [(27, 31)])
    assert re.findall("<code>(.*?)</code>", made) == ["<mark>sync</mark>"]
    assert line("Updated: ``` Upgrade").count("`") == 0
    assert "sql" not in line("Query: ```sql SELECT 1 ``` and so on")


def test_code_of_a_known_language_is_coloured() -> None:
    made = inside("```python\nreturn 'a'  # b\n```")
    assert "<b>return</b>" in made
    assert "tok string" in made
    assert "tok comment" in made
    assert "tok" not in inside("```unheard\nreturn 'a'  # b\n```")


@pytest.mark.parametrize(
    "piece",
    ["**a ", "[", "![[", "> ", "- ", "`", "_a ", "[a](", "*", "\\", "# ", "==a ", "1. a\n\n", "|a",
     "```a\n", "[^a", "http://", "  - a\n", "<a "],
)  # fmt: skip
def test_a_hostile_text_takes_no_time_to_speak_of(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    with processor_seconds(5):
        rendered(text, MarkdownStyle(level=2), [(0, 5)])
