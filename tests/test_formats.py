"""Whatever a file's format, its text and structure are there, and nothing in it can raise."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect.nouns import Problem
from recollect.sources import formats
from recollect.sources.formats import Content, OutlineSection, outline, read

FILES = Path(__file__).parent / "fixtures" / "files"
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)


def content(name: str, raw: bytes | str) -> Content:
    found = read(Path(name), raw.encode() if isinstance(raw, str) else raw)
    assert isinstance(found, Content), found
    return found


def problem(name: str, raw: bytes) -> Problem:
    found = read(Path(name), raw)
    assert isinstance(found, Problem), found
    assert found.where.startswith(name)
    return found


def sample(name: str) -> Content:
    return content(name, (FILES / name).read_bytes())


# ------------------------------------------------------------------ pages, documents, notebooks


@pytest.mark.parametrize("name", ["guide.html", "guide.rst", "study.ipynb"])
def test_a_file_becomes_the_markdown_that_a_person_would_write(name: str) -> None:
    assert sample(name).text == (FILES / f"{name}.md").read_text()


@pytest.mark.parametrize(
    ("name", "title", "meta", "kind"),
    [
        ("guide.html", "The & Guide", {"author": "Ann Author", "date": "2024-05-01"}, "page"),
        ("guide.rst", "The Guide", {"author": "Ann Author", "date": "2024-05-01"}, "note"),
        ("study.ipynb", "The study", {"language": "python"}, "document"),
        ("server.go", "", {}, "code"),
    ],
)
def test_a_file_says_what_it_is(name: str, title: str, meta: dict[str, str], kind: str) -> None:
    found = sample(name)
    assert (found.title, found.meta, found.kind) == (title, meta, kind)


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.yaml", "a.toml"])
def test_data_has_no_headings(name: str) -> None:
    assert content(name, "# a comment\n").sections == ()


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.unknown", "a"])
def test_other_texts_may_have_headings(name: str) -> None:
    assert content(name, "# A heading\n") == Content(
        "# A heading\n", kind="file" if name == "a.unknown" else "note"
    )


# ------------------------------------------------------------------ HTML


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo\n"),
        ("one<div>two</div>three", "one\n\ntwo\n\nthree\n"),
        ("a<b>b</b> <i>c</i>", "ab c\n"),
        ("<h2>C# <br>and F#</h2>", "## C# and F#\n"),
        ("<h1>never closed<p>text", "# never closed\n\ntext\n"),
        ("<h1><div>in a box</div></h1>text", "# in a box\n\ntext\n"),
        ("<ul><li>a<li>b</ul>", "- a\n- b\n"),
        ("<li>alone", "- alone\n"),
        ("</ul></td></table></p>text", "text\n"),
        ("<table><td>a<td>b<tr><td>c</table>", "| a | b |\n\nc\n"),
        ("<table><tr><td><h1>T</h1><p>a<td>b</table>", "# T\n\na\n\nb\n"),
        ("<table><tr><td>a<td><table><td>1<td>2</table></table>", "| a | | 1 | 2 | |\n"),
        ("<td>no table", "no table\n"),
        ("<pre>x\n  y</pre>", "```\nx\n  y\n```\n"),
        ("<pre>never closed", "```\nnever closed\n```\n"),
        ("<nav>menu</nav>text", "text\n"),
        ("<div role=navigation>menu<div>x</div></div>text", "text\n"),
        ("<nav>never closed<p>text", "never closed\n\ntext\n"),
        ("<script>never closed <p>text", ""),
        ('<script src="x"/><p>text', "text\n"),
        ("a<!-- b -->c<!-- never closed", "ac\n"),
        ("<![CDATA[a < b & c]]>", "a < b & c\n"),
        ("<![if !IE]>x<![endif]>", "x\n"),
        ("&lt;&#x41;&nosuch;&amp", "<A&nosuch;&\n"),
        ("a<", "a<\n"),
        ("a <b", "a <b\n"),
        ("", ""),
    ],
)
def test_broken_html_is_read_as_it_was_meant(page: str, text: str) -> None:
    assert content("a.html", page).text == text


@pytest.mark.parametrize(
    "raw",
    [
        '<meta charset="iso-8859-1"><p>caf\u00e9'.encode("latin-1"),
        "<meta http-equiv=x content='a/b; charset=windows-1252'><p>caf\u00e9".encode("cp1252"),
        '<?xml version="1.0" encoding="ISO-8859-15"?><p>caf\u00e9'.encode("iso-8859-15"),
        "<meta charset=utf-8><p>caf\u00e9".encode("utf-8-sig"),
        "<p>caf\u00e9".encode("utf-16"),
        "<meta charset=latin1><p>caf\u00e9".encode("cp1252"),
        "<meta charset=nonsense><p>caf\u00e9".encode(),
        "<meta charset=unicode_escape><p>caf\u00e9".encode(),
    ],
)  # fmt: skip
def test_a_page_is_read_in_the_encoding_it_declares(raw: bytes) -> None:
    found = content("a.htm", raw)
    assert (found.text, found.warnings) == ("café\n", ())


def test_a_page_in_no_known_encoding_is_read_with_a_warning() -> None:
    found = content("a.html", b"<p>caf\xe9")
    assert found.text == "café\n"
    assert [(w.where, w.level) for w in found.warnings] == [("a.html", "warning")]


def test_a_page_without_a_title_is_called_after_its_first_heading() -> None:
    assert content("a.html", "<p>x<h2>The heading</h2>").title == "The heading"


html_pieces = st.sampled_from(
    ["<", ">", "</", "/>", "<p>", "<h1>", "</h1>", "<ul>", "<li>", "</ul>", "<table>", "<tr>",
     "<td>", "</table>", "<pre>", "</pre>", "<code>", "<blockquote>", "</blockquote>", "<nav>",
     "<svg>", "</svg>", "<script>", "</script>", "<!--", "-->", "<![", "<![CDATA[", "]]>", "<!",
     "<?", "<a x='", '"', "&", "&#", "&#xd800;", "=", " ", "\n", "text", "# x", "```", "<title>",
     "<meta name=date ", "<br>", "<img alt=x>", "\x00"]
)  # fmt: skip


@given(st.lists(html_pieces, max_size=40).map("".join) | st.text())
def test_no_html_raises(page: str) -> None:
    found = read(Path("a.html"), page.encode("utf-8", "replace"))
    if isinstance(found, Content):
        found.text.encode()


@given(st.binary(max_size=200), st.integers(0, 2000))
def test_no_cut_or_garbled_page_raises(noise: bytes, at: int) -> None:
    raw = (FILES / "guide.html").read_bytes()
    read(Path("a.html"), raw[:at] + noise + raw[at + len(noise) :])
    read(Path("a.html"), raw[:at])


@given(st.text(st.sampled_from("# `~\n>-x\t")))
def test_words_of_a_paragraph_are_never_taken_for_a_heading_or_a_fence(words: str) -> None:
    escaped = words.replace(">", "&gt;").replace("\n", "<br>")
    found = content("a.html", f"<p>{escaped}</p>").text
    assert not HEADING.search(found)
    assert not re.search(r"^ {0,3}(```|~~~)", found, re.MULTILINE)


@pytest.mark.parametrize(
    "piece", ["<a ", "<a x='", "</", "<!--", "<![", "<?", "&", "<nav>", "<ul><li>",
              "<table><tr><td>", "<blockquote>", "<script>", "<script ", "<pre>"],
)  # fmt: skip
def test_no_page_takes_long(piece: str) -> None:
    with processor_seconds(5):
        read(Path("a.html"), (piece * (60_000 // len(piece))).encode())


# ------------------------------------------------------------------ reStructuredText


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("A\n=\n\nB\n-\n\nC\n=\n", "# A\n\n## B\n\n# C\n"),
        ("===\n A\n===\n\nB\n===\n\nC\n---\n", "# A\n\n## B\n\n### C\n"),
        ("日本語\n======\n", "# 日本語\n"),
        ("Longer than its line\n====\n", "# Longer than its line\n"),
        ("Two\nlines\n-----\n", "Two\nlines\n-----\n"),
        ("\n----\n\ntext\n", "\n----\n\ntext\n"),
        ("A\r\n===\r\n", "# A\n"),
        (".. image:: x.png\n   :alt: y\n", ".. image:: x.png\n   :alt: y\n"),
        ("Code::\n\n  a\n\n  b\n\ntext", "Code::\n\n```\na\n\nb\n```\n\ntext"),
        ("Ends with::", "Ends with::"),
    ],
)
def test_titles_become_headings_by_their_underlines(written: str, text: str) -> None:
    assert content("a.rst", written).text == text


rst_pieces = st.sampled_from(
    [
        "a",
        "# b",
        "::",
        ".. code::",
        "   ",
        "x::",
        "\n",
        "\n",
        "\n\n   ",
        " c",
        "## d",
        ":e: f",
        "..",
    ]
)


@given(st.lists(rst_pieces, max_size=30).map("".join))
def test_nothing_without_an_underline_is_a_heading(text: str) -> None:
    assume(not re.search(r"^([^\w\s])\1+[ \t]*$", text, re.MULTILINE))
    found = content("a.rst", text).text
    assert not HEADING.search(re.sub(r"^```.*?^```$", "", found, flags=re.MULTILINE | re.DOTALL))


# ------------------------------------------------------------------ notebooks


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("code"),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["cells", "worksheets", "source", "cell_type", "outputs", "data", "text",
                         "text/plain", "metadata", "kernelspec", "language", "level", "title"]),
        inner, max_size=5,
    ),
    max_leaves=30,
)  # fmt: skip


@given(values)
def test_no_json_in_a_notebooks_place_raises(value: Any) -> None:
    read(Path("a.ipynb"), json.dumps(value).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"cells": 1}'])
def test_what_is_no_notebook_is_named(raw: bytes) -> None:
    assert "not a notebook" in problem("a.ipynb", raw).reason


def test_an_old_notebook_has_its_cells_in_worksheets() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": ["Old"]},
             {"cell_type": "code", "input": ["1 + 1"], "language": "python"}]  # fmt: skip
    book = {"worksheets": [{"cells": cells}], "nbformat": 3}
    assert content("a.ipynb", json.dumps(book)).text == "## Old\n\n```\n1 + 1\n```\n"


def test_a_long_output_is_cut_and_half_a_character_mended() -> None:
    outputs = [{"output_type": "stream", "text": "\ud800" + "x" * 5000}]
    book = {"cells": [{"cell_type": "code", "source": "", "outputs": outputs}]}
    text = content("a.ipynb", json.dumps(book)).text
    assert text.startswith("```text\n\ufffdxxx")
    assert len(text) < 2100


# ------------------------------------------------------------------ DOCX

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
CORE = (
    '<c:coreProperties xmlns:c="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="t">'
    "<dc:title>The title</dc:title><dc:creator>Ann</dc:creator>"
    "<t:created>2024-05-01T10:00:00Z</t:created></c:coreProperties>"
)
STYLES = (
    f'<w:styles {W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr>'
    '</w:style><w:style w:styleId="Round"><w:basedOn w:val="Round"/></w:style>'
    '<w:style w:styleId="Bullet"><w:pPr><w:numPr/></w:pPr></w:style>'
    '<w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style></w:styles>'
)


def docx(body: str, **parts: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        files.writestr("word/styles.xml", STYLES)
        for name, text in parts.items():
            files.writestr({"core": "docProps/core.xml", "notes": "word/footnotes.xml"}[name], text)
    return packed.getvalue()


def para(text: str, style: str = "", extra: str = "") -> str:
    about = f'<w:pPr><w:pStyle w:val="{style}"/>{extra}</w:pPr>' if style or extra else ""
    return f"<w:p>{about}<w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: list[str]) -> str:
    cells = ("".join(f"<w:tc>{para(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def test_a_word_document_keeps_headings_lists_and_tables() -> None:
    nested = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>'
    body = (
        para("Contents 1", "TOC1") + para("Top", "berschrift1") + para("Some &lt;text&gt;")
        + para("# no heading") + para("one", "Bullet") + para("two", "", nested)
        + para("Below", "Own") + para("Deeper", "Deep") + para("Plain", "Round")
        + table(["a", "b"], ["1", "2"])
        + "<w:p><w:r><w:t>split </w:t></w:r><w:del><w:delText>gone</w:delText></w:del>"
        "<w:ins><w:r><w:t>word</w:t><w:br/><w:t>next</w:t></w:r></w:ins></w:p>"
    )  # fmt: skip
    notes = f"<w:footnotes {W}><w:footnote>{para('A note.')}</w:footnote></w:footnotes>"
    found = content("a.docx", docx(body, core=CORE, notes=notes))
    assert found.text == (
        "# Top\n\nSome <text>\n\n\\# no heading\n\n- one\n  - two\n\n# Below\n\n### Deeper\n\n"
        "Plain\n\n| a | b |\n| 1 | 2 |\n\nsplit word\nnext\n\nA note.\n"
    )
    assert (found.title, found.kind) == ("The title", "document")
    assert found.meta == {"author": "Ann", "date": "2024-05-01T10:00:00Z"}


def test_a_text_box_that_is_there_twice_is_read_once() -> None:
    body = (
        '<w:p><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:r><w:t>box</w:t></w:r></mc:Choice>'
        "<mc:Fallback><w:r><w:t>box</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )
    assert content("a.docx", docx(body)).text == "box\n"


def test_a_zip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_UNPACKED", 1_000_000)
    raw = docx(para(" " * 2_000_000))
    assert len(raw) < 10_000
    assert "more than 1 MB" in problem("a.docx", raw).reason


def test_entities_are_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
        files.writestr("word/document.xml", bomb)
    assert "document type" in problem("a.docx", packed.getvalue()).reason


@pytest.mark.parametrize("depth", [100, 20_000])
def test_tables_in_tables_without_end_do_no_harm(depth: int) -> None:
    opened = "<w:tbl><w:tr><w:tc>" * depth
    closed = "</w:tc></w:tr></w:tbl>" * depth
    assert "deep" in content("a.docx", docx(opened + para("deep") + closed)).text


@given(st.integers(0, 2000), st.binary(min_size=1, max_size=8))
def test_no_cut_or_garbled_document_raises(at: int, noise: bytes) -> None:
    raw = docx(para("Top", "berschrift1") + table(["a", "b"]), core=CORE)
    read(Path("a.docx"), raw[:at])
    read(Path("a.docx"), raw[:at] + noise + raw[at + len(noise) :])


word_pieces = st.sampled_from(
    ["<w:p>", "</w:p>", "<w:tbl>", "</w:tbl>", "<w:tr>", "<w:tc>", '<w:ilvl w:val="9²"/>', "<w:t>",
     "</w:t>", "&", "<w:br/>", "x"]
)  # fmt: skip


@given(st.lists(word_pieces))
def test_no_word_xml_raises(pieces: list[str]) -> None:
    read(Path("a.docx"), docx("".join(pieces)))


def test_what_is_no_document_is_named() -> None:
    assert (
        "not a DOCX file" in problem("a.docx", b"\xd0\xcf\x11\xe0 an old or protected one").reason
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("other.txt", "x")
    assert "no DOCX file" in problem("a.docx", packed.getvalue()).reason


# ------------------------------------------------------------------ PDF


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids ["
        + " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages))) + "] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Title (The title) /Author (Ann) /CreationDate (D:20240501100000Z) >>",
    ]  # fmt: skip
    for number, page in enumerate(pages):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {6 + 2 * number} 0 R >>"
        )
        drawn = f"BT /F1 12 Tf 20 50 Td ({page}) Tj ET" if page else ""
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\n"
    return (out + f"startxref\n{out.index('xref')}\n%%EOF\n").encode()


needs_pypdf = pytest.mark.skipif(
    importlib.util.find_spec("pypdf") is None, reason="pypdf (the extra `pdf`) is not installed"
)


def test_without_its_package_a_pdf_is_skipped_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    found = problem("a.pdf", pdf("Hello"))
    assert found.level == "skipped"
    assert 'pip install "recollect[pdf]"' in found.reason


@needs_pypdf
def test_a_pdf_is_read_page_by_page() -> None:
    found = content("a.pdf", pdf("Hello there", "", "The third"))
    assert found.text == "Hello there\n\nThe third\n"
    assert found.sections == (OutlineSection(0, 1, "page 1"), OutlineSection(13, 1, "page 3"))
    assert (found.title, found.meta) == ("The title", {"author": "Ann", "date": "2024-05-01"})


@needs_pypdf
def test_a_pdf_without_text_is_named_as_a_scan() -> None:
    assert "scan" in problem("a.pdf", pdf("")).reason


@needs_pypdf
@given(st.integers(0, 1200), st.binary(max_size=8))
def test_no_cut_or_garbled_pdf_raises(at: int, noise: bytes) -> None:
    raw = pdf("Hello", "there")
    read(Path("a.pdf"), raw[:at])
    read(Path("a.pdf"), raw[:at] + noise + raw[at + len(noise) :])


# ------------------------------------------------------------------ source code


def titles(name: str, text: str) -> list[tuple[int, str]]:
    return [(s.level, s.title) for s in outline(text, Path(name).suffix)]


MODULE = '''\
#!/usr/bin/env python
"""What this is for.

More of it.
"""

import os

LIMIT = 1  # not a definition


# Said before it.
# In two lines.
@decorated
@again(
    1
)
class Thing(Base):
    """A thing."""

    def method(self):
        def inner():
            pass

    @property
    async def other(self): ...

    class Inner:
        pass

if os.name == "nt":
    def here(): pass
else:
    # Elsewhere.
    def here(): pass

try:
    def tried(): pass
except ImportError:
    def tried(): pass
'''


def test_python_is_outlined_by_its_syntax() -> None:
    found = outline(MODULE, ".py")
    assert [(s.level, s.title, s.line) for s in found] == [
        (1, "What this is for.", 2), (1, "class Thing", 18), (2, "def method", 21),
        (2, "async def other", 26), (2, "class Inner", 28), (1, "def here", 32),
        (1, "def here", 35), (1, "def tried", 38), (1, "def tried", 40),
    ]  # fmt: skip
    assert [MODULE[s.offset :].split("\n")[0].strip() for s in found] == [
        "#!/usr/bin/env python", "# Said before it.", "def method(self):", "@property",
        "class Inner:", "def here(): pass", "# Elsewhere.", "def tried(): pass",
        "def tried(): pass",
    ]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_may_end_and_begin_as_they_like(newline: str, mark: str) -> None:
    text = mark + newline.join(["x = 1", "# Why.", "def f():", "    pass", ""])
    (found,) = outline(text, ".py")
    assert text[found.offset :].startswith("# Why.")
    assert found.line == 3


@pytest.mark.parametrize(
    "text",
    ["print 'old'\ndef f():\n    pass\nclass A:\n    def g(self): pass\n",
     "x = '\x00'\ndef f(): pass\nclass A:\n    def g(self): pass\n",
     "(" * 5000 + "\ndef f(): pass\nclass A:\n    def g(self): pass\n"],
)  # fmt: skip
def test_broken_python_goes_by_its_looks(text: str) -> None:
    assert titles("a.py", text) == [(1, "def f"), (1, "class A"), (2, "def g")]


def test_python_that_warns_is_read_in_silence() -> None:
    assert titles("a.py", "def f():\n    return '\\d' is 1\n") == [(1, "def f")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("store.ts", ["1 export interface Entry", "1 export type Entries",
                      "1 export default class Store", "2 constructor", "2 async get",
                      "1 export const backoff", "1 export async function main"]),
        ("server.go", ["1 type Server", "1 func (s *Server) Start", "1 func New"]),
        ("parse.rs", ["1 pub enum Error", "1 pub struct Parser", "1 impl<'a> Parser<'a>",
                      "2 pub fn new", "2 pub(crate) async unsafe fn next", "1 mod tests",
                      "2 fn it_parses", "1 macro_rules! parse"]),
        ("Queue.java", ["1 public final class Queue", "2 public Queue",
                        "2 public synchronized boolean add", "2 static class Node",
                        "3 Node next"]),
        ("ring.cpp", ["1 namespace ring", "1 class Ring : public Base", "2 explicit Ring",
                      "1 struct point", "1 add", "1 T ring::Ring<T>::pop"]),
        ("account.rb", ["1 module Bank", "2 class Account", "3 def initialize", "3 def empty?",
                        "3 def self.open", "1 def helper"]),
        ("Mailer.php", ["1 final class Mailer", "2 public function __construct",
                        "2 public static function send", "1 function helper"]),
        ("Cart.cs", ["1 namespace Shop", "2 public sealed class Cart", "3 public Cart",
                     "3 public async Task<bool> Add"]),
        ("Repo.kt", ["1 data class User", "1 class Repo", "2 suspend fun find",
                     "2 companion object", "3 fun create", "1 fun String.shout"]),
        ("Shape.swift", ["1 public protocol Shape", "2 func area", "1 struct Circle", "2 init",
                         "2 func area", "1 extension Circle", "2 static func unit"]),
        ("deploy.sh", ["1 stop", "1 function start"]),
        ("schema.sql", ["1 CREATE TABLE IF NOT EXISTS users", "1 create unique index users_name",
                        "1 CREATE OR REPLACE FUNCTION greet"]),
    ],
)  # fmt: skip
def test_definitions_are_found_in_many_languages(name: str, expected: list[str]) -> None:
    raw = (FILES / name).read_text()
    for text in (raw, raw.replace("\n", "\r\n")):
        assert [f"{level} {title}" for level, title in titles(name, text)] == expected


@pytest.mark.parametrize(
    ("name", "title", "first"),
    [
        ("store.ts", "export default class Store", "/** Keeps entries. */"),
        ("store.ts", "async get", "// Reads one entry."),
        ("server.go", "func (s *Server) Start", "// Start listens."),
        ("parse.rs", "pub enum Error", "/// What went wrong."),
        ("Queue.java", "public final class Queue", "/**"),
        ("ring.cpp", "class Ring : public Base", "/* A ring buffer. */"),
        ("ring.cpp", "add", "// Adds."),
        ("Cart.cs", "public async Task<bool> Add", "[Obsolete]"),
        ("schema.sql", "CREATE TABLE IF NOT EXISTS users", "-- Who may come in."),
    ],
)
def test_a_comment_belongs_to_the_definition_under_it(name: str, title: str, first: str) -> None:
    found = sample(name)
    (section,) = [s for s in found.sections or () if s.title == title]
    assert found.text[section.offset :].split("\n")[0].strip() == first
    assert title.split()[-1] in found.text.split("\n")[section.line - 1]


CODE = ["py", "ts", "go", "rs", "java", "cpp", "rb", "php", "cs", "kt", "swift", "sh", "sql"]
code_pieces = st.sampled_from(
    ["def f", "class A", "function f", "func F", "fn f", "impl A", "struct a", "{", "}", "(", ")",
     "/*", "*/", "//", "#", "--", "=begin", "=end", "end", "\n", "\n", "\n  ", "\n    ", "\n\t",
     " ", "create table t", "public void f", "const f = () =>", '"""', "'", ";", ":", "@a", "\r\n",
     "\x00", "é", "namespace n", "template<T>"]
)  # fmt: skip


@given(st.lists(code_pieces, max_size=40).map("".join) | st.text(), st.sampled_from(CODE))
def test_code_is_kept_to_the_character_and_its_parts_are_in_order(text: str, suffix: str) -> None:
    raw = text.encode("utf-8", "replace")
    found = read(Path(f"a.{suffix}"), raw)
    if isinstance(found, Problem):
        return
    assert found.text.encode() == raw
    offsets = [section.offset for section in found.sections or ()]
    assert offsets == sorted(set(offsets))
    assert all(at == 0 or found.text[at - 1] in "\r\n\ufeff" for at in offsets)
    assert all(section.title and section.level >= 1 for section in found.sections or ())


@pytest.mark.parametrize("suffix", CODE)
def test_no_code_takes_long(suffix: str) -> None:
    pieces = ("/*\n", "public\n", "// x\n", "a(", "a ", "class a\n", "const x = (\n", "*/\n")
    with processor_seconds(10):
        for piece in pieces:
            outline(piece * (30_000 // len(piece)), f".{suffix}")


# ------------------------------------------------------------------ bad bytes


@pytest.mark.parametrize("name", ["a.py", "a.md", "a.json", "a.rst", "a.unknown"])
@pytest.mark.parametrize(
    ("raw", "where", "reason"),
    [
        (b"fine\ncaf\xe9\n", ":2", "not UTF-8 (byte 0xe9)"),
        (b"\x7fELF\x00\x01", "", "a binary file"),
        (b"\xff\xfea", "", "UTF-16"),
    ],
)
def test_what_is_not_text_is_named(name: str, raw: bytes, where: str, reason: str) -> None:
    found = problem(name, raw)
    assert found.where == name + where
    assert reason in found.reason


def test_text_in_utf16_is_read() -> None:
    assert content("a.txt", "café".encode("utf-16")).text == "café"


@given(
    st.binary(max_size=300), st.sampled_from([".html", ".rst", ".ipynb", ".docx", ".pdf", ".py"])
)
def test_no_bytes_raise(raw: bytes, suffix: str) -> None:
    read(Path(f"a{suffix}"), raw)
