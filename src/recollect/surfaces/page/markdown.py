"""Markdown as markup: headings, lists, tables, quotes, code, links and wikilinks.

Every character of a text is escaped by :mod:`recollect.markup`, HTML among it: a note can put
nothing on the page but the elements that are named here. An address is followed only where it is
``http``, ``https`` or ``mailto``, or where the :class:`LinkTable` says what it leads to.

Marks of the source (where the evidence stands) survive: they are written into the text as two
characters that no text has, and become ``<mark>`` where text is written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from urllib.parse import unquote

from recollect.markup import Html, el, joined, url
from recollect.named_tuple import NamedTuple
from recollect.surfaces.page import code
from recollect.surfaces.phrases import only, when
from recollect.text.snippet import Mark
from recollect.text.snippet import joined as joined_marks

ON, OFF = "\ufdd0", "\ufdd1"
"""Where a mark begins and ends. Unicode keeps these two out of texts."""
UNSEEN = "\u200b"
"""A space of no width: what is put in place of a sign leaves marks where they are."""
_SWITCH = re.compile(f"([{ON}{OFF}])")
DEEP = 8
"""Levels of quotes, lists and emphasis in each other; what is deeper stays as it is written."""
LONG = 20_000
"""Characters of one paragraph in which signs are looked for."""


class Heading(NamedTuple):
    id: str
    level: int
    text: str


class LinkTable(NamedTuple):
    """What the links of a text lead to. A target that is not in it leads nowhere."""

    pages: Mapping[str, str] = {}
    """The address of a wikilink's page, by the page's name."""
    files: Mapping[str, str] = {}
    """The address of a document or a picture, by its path as the text writes it."""


class MarkdownStyle(NamedTuple):
    """How a text is shown."""

    links: LinkTable | None = LinkTable()
    """None: there are no links, for the text stands in one."""
    level: int = 0
    """The level of its highest heading; 0 shows headings as bold lines."""
    breaks: bool = False
    """Whether a line of the source is a line of the page, as in a chat."""
    skip: str = ""
    """A first heading that repeats this title is left out."""


class Rendered(NamedTuple):
    html: Html
    headings: tuple[Heading, ...]


LINE = MarkdownStyle(links=None)
PLAIN = MarkdownStyle()


def rendered(text: str, style: MarkdownStyle = PLAIN, marks: Sequence[Mark] = ()) -> Rendered:
    """Returns a text as markup, with its headings."""
    writer = _Writer(style)
    lines = _switched(text, marks).expandtabs(4).splitlines()
    html = el("div", writer.blocks(lines), class_="prose", dir="auto")
    return Rendered(html, tuple(writer.headings))


def line(text: str, marks: Sequence[Mark] = ()) -> Html:
    """Returns one line of text without links: a title, how a message begins."""
    text = _balanced(text)
    return _Writer(LINE).inline(_switched(" ".join(text.split()) if not marks else text, marks))


_LANGUAGE = re.compile(r"```[\w+-]+(?=\s)")
_CLOSING = re.compile(r"[^`]*[^`\s]`(?=[\s.,;:)]|$)")


def _balanced(text: str) -> str:
    """Returns a text that may have been cut inside code without the sign that has no other."""
    if "```" in text:
        text = _LANGUAGE.sub(lambda match: UNSEEN * len(match[0]), text)
        return text.replace("`", UNSEEN)
    cut = _CLOSING.match(text)
    if cut:
        text = text.replace("`", UNSEEN, 1)
    before, sign, after = text.rpartition("`")
    return f"{before}{UNSEEN}{after}" if sign and text.count("`") % 2 else text


def _switched(text: str, marks: Sequence[Mark]) -> str:
    """Returns the text with its marks written into it, each from a letter to a letter."""
    text = text.replace(ON, "\ufffd").replace(OFF, "\ufffd").replace("\r\n", "\n")
    out, at = [], 0
    for start, end in joined_marks(marks):
        bare = text[start:end].strip("#*_`~=[]()|>-+!\\ \n")
        if bare:
            start += text[start:end].index(bare)
            out += [text[at:start], ON, bare, OFF]
            at = start + len(bare)
    return "".join([*out, text[at:]])


def bare(text: str) -> str:
    """Returns a text without its marks."""
    return _SWITCH.sub("", text)


# ------------------------------------------------------------------ blocks

_MARK = f"[{ON}{OFF}]?"
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,}) *(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?: +(.*?))??(?: +#+)? *")
_UNDERLINE = re.compile(r" {0,3}(=+|-+) *")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *")
_QUOTE = re.compile(r" {0,3}> ?")
_CALLOUT = re.compile(r"\[!(\w+)\][+-]? *(.*)")
_ITEM = re.compile(rf"( {{0,3}}(?:[-*+]|{_MARK}\d{{1,9}}{_MARK}[.)]))( {{1,4}}(?=\S)| *$)")
_TASK = re.compile(r"\[([ xX])\] +")
_DELIMITER = re.compile(r" {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *")
_BAR = re.compile(r"(?<!\\)\|")
_NOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,40})\]: +(.*)")
_GAP = re.compile(r" *… *")
_DONE = {" ": ("☐", "to do"), "x": ("☑", "done"), "X": ("☑", "done")}


class _Writer:
    """Writes one text, from its first character to its last: whether a mark is on, and which
    headings there were, goes from one block to the next."""

    def __init__(self, style: MarkdownStyle) -> None:
        self._style = style
        self._marked = False
        self._depth = 0
        self._above: list[int] = []  # the depths of the headings that the text stands under
        self._ids: dict[str, int] = {}
        self.headings: list[Heading] = []

    def blocks(self, lines: Sequence[str]) -> list[Html]:
        """Returns the blocks of some lines."""
        if self._depth >= DEEP:
            return [self.leaf("\n".join(lines))]
        self._depth += 1
        made, at = [], 0
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            html, at = self._block(lines, at)
            made.append(html)
        self._depth -= 1
        return made

    def _block(self, lines: Sequence[str], at: int) -> tuple[Html, int]:
        """Returns the block that begins at a line, and the line after it."""
        for begins, write in _BLOCKS:
            found = begins.match(lines[at])
            if found and (done := write(self, lines, at, found)):
                return done
        return self._paragraph(lines, at)

    def _fence(self, lines: Sequence[str], at: int, found: re.Match[str]) -> _Block:
        indent, closing = len(found[0]) - len(found[0].lstrip()), found[1]
        inside: list[str] = []
        at += 1
        while at < len(lines) and not _closes(lines[at], closing):
            inside.append(_dedented(lines[at], indent))
            at += 1
        return self._code("\n".join(inside), bare(found[2])), at + 1

    def _indented(self, lines: Sequence[str], at: int, _: re.Match[str]) -> _Block:
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        text = "\n".join(line[4:] for line in lines[at:end]).rstrip()
        return self._code(text, ""), end

    def _code(self, text: str, language: str) -> Html:
        shown = self.leaf(text) if self._marks(text) else code.coloured(text, language)
        return el("pre", el("code", shown), tabindex="0", dir="ltr")

    def _marks(self, text: str) -> bool:
        return self._marked or ON in text

    def _head(self, _lines: Sequence[str], at: int, found: re.Match[str]) -> _Block:
        return self._headed(len(found[1]), found[2] or ""), at + 1

    def _headed(self, depth: int, text: str) -> Html:
        said = unescape(_SIGNS.sub("", bare(text))).strip()
        if self._style.skip and not self.headings and said == self._style.skip:
            self._style = self._style._replace(skip="")
            self.leaf(text)
            return Html("")
        shown = self.inline(text)
        if not self._style.level or not said:
            return el("p", el("b", shown), class_="head")
        # A level is never skipped, whatever the note does: a screen reader goes by them.
        self._above = [one for one in self._above if one < depth]
        made = Heading(self._id(said), min(self._style.level + len(self._above), 6), said)
        self._above.append(depth)
        self.headings.append(made)
        return el(f"h{made.level}", shown, id=made.id)

    def _id(self, said: str) -> str:
        name = slug(said)
        count = self._ids[name] = self._ids.get(name, -1) + 1
        return f"{name}-{count}" if count else name

    def _rule(self, _lines: Sequence[str], at: int, _: re.Match[str]) -> _Block:
        return el("hr"), at + 1

    def _gap(self, _lines: Sequence[str], at: int, _: re.Match[str]) -> _Block:
        return el("p", "…", class_="gap"), at + 1

    def _quote(self, lines: Sequence[str], at: int, _: re.Match[str]) -> _Block:
        end = at
        while end < len(lines) and (_QUOTE.match(lines[end]) or _continues(lines, end, at)):
            end += 1
        inside = [_QUOTE.sub("", line, count=1) for line in lines[at:end]]
        told = _CALLOUT.match(inside[0])
        if not told:
            return el("blockquote", self.blocks(inside)), end
        title = self.inline(told[2] or told[1].capitalize())
        kind = told[1].lower() if told[1].lower() in _LOUD else "note"
        rest = self.blocks(inside[1:])
        return el("div", el("p", el("b", title)), rest, class_=f"callout {kind}"), end

    def _list(self, lines: Sequence[str], at: int, found: re.Match[str]) -> _Block:
        ordered = _is_ordered(found)
        items, loose = [], False
        while item := _is_item(lines, at, ordered):
            inside, after = _item(lines, at, item)
            loose |= not lines[after - 1].strip() and bool(_is_item(lines, after, ordered))
            items.append(inside)
            at = after
        made = [self._item(inside, loose) for inside in items]
        start = int(re.sub(r"\D", "", found[1]) or 1)
        return el("ol" if ordered else "ul", made, start=only(start != 1, start)), at

    def _item(self, lines: list[str], loose: bool) -> Html:
        task = _TASK.match(lines[0]) if lines else None
        sign, said = _DONE[task[1]] if task else ("", "")
        if task:
            lines = [lines[0][task.end() :], *lines[1:]]
        box = when(task, el("span", sign, role="img", aria_label=said, class_="box"))
        made = self.blocks(lines)
        if not loose and made and made[0].startswith("<p>"):
            made[0] = Html(made[0].removeprefix("<p>").removesuffix("</p>"))
        return el("li", box, when(box, " "), made, class_=only(task, "task"))

    def _table(self, lines: Sequence[str], at: int, _: re.Match[str]) -> _Block | None:
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if "|" not in below or not _DELIMITER.fullmatch(below[:LONG]):
            return None
        heads, kinds = _cells(lines[at]), list(map(_aligned, _cells(below)))
        if len(heads) != len(kinds):
            return None
        head = el("tr", [self._cell(*one, "th") for one in zip(heads, kinds, strict=True)])
        rows, end = [], at + 2
        while end < len(lines) and "|" in lines[end]:
            cells = _cells(lines[end])[: len(heads)]
            cells += [""] * (len(heads) - len(cells))
            rows.append(el("tr", [self._cell(*one) for one in zip(cells, kinds, strict=True)]))
            end += 1
        made = el("table", el("thead", head), el("tbody", rows))
        return el("div", made, class_="table", tabindex="0", role="group", aria_label="Table"), end

    def _cell(self, text: str, kind: str | None, name: str = "td") -> Html:
        said = self.inline(text.strip().replace("\\|", "|"))
        return el(name if said else "td", said, class_=kind)

    def _note(self, _lines: Sequence[str], at: int, found: re.Match[str]) -> _Block:
        return el("p", el("sup", found[1]), " ", self.inline(found[2]), class_="footnote"), at + 1

    def _paragraph(self, lines: Sequence[str], at: int) -> tuple[Html, int]:
        end = at + 1
        while end < len(lines) and _continues(lines, end, at):
            end += 1
        text = "\n".join(line.lstrip() for line in lines[at:end])
        under = _UNDERLINE.fullmatch(lines[end]) if end < len(lines) else None
        if under and end == at + 1:
            return self._headed(1 if under[1][0] == "=" else 2, text), end + 1
        return el("p", self.inline(text)), end

    # -------------------------------------------------------------- inside a line

    def inline(self, text: str) -> Html:
        """Returns a paragraph's text with its emphasis, code and links."""
        if self._depth >= DEEP or len(text) > LONG:
            return self.leaf(text)
        self._depth += 1
        made, at = [], 0
        for found in _INLINE.finditer(text):
            made.append(self.leaf(text[at : found.start()]))
            assert found.lastgroup
            made.append(_SPANS[found.lastgroup](self, found))
            at = found.end()
        self._depth -= 1
        return joined(made, self.leaf(text[at:]))

    def leaf(self, text: str) -> Html:
        """Returns text as it stands, what is marked in ``<mark>``."""
        made: list[str | Html] = []
        for part in _SWITCH.split(text):
            if part in (ON, OFF):
                self._marked = part == ON
            elif part:
                said = self._broken(unescape(part))
                made.append(el("mark", said) if self._marked else said)
        return joined(made)

    def _broken(self, text: str) -> Html:
        if not self._style.breaks:
            return joined(text)
        return joined([joined(only(n, el("br")), one) for n, one in enumerate(text.split("\n"))])

    def _verbatim(self, found: re.Match[str]) -> Html:
        inside = found["verbatim"].replace("\n", " ")
        return el("code", self.leaf(inside.strip() or inside))

    def _escaped(self, found: re.Match[str]) -> Html:
        return self.leaf(found[0][1:])

    def _broke(self, _: re.Match[str]) -> Html:
        return el("br")

    def _emphasis(self, found: re.Match[str]) -> Html:
        name = next(name for name in _EMPHASES if found[name] is not None)
        return el(_EMPHASES[name], self.inline(found[name]))

    def _link(self, found: re.Match[str]) -> Html:
        label, target = found["label"], bare(found["target"]).strip("<>")
        if found[0].startswith("!"):
            return self._picture(bare(label), target)
        shown = self.inline(label)
        self._pass(found["target"])
        return self._anchor(shown or joined(target), target)

    def _wikilink(self, found: re.Match[str]) -> Html:
        target, _, label = bare(found["page"]).partition("|")
        name, _, place = (part.strip() for part in target.rstrip("\\").partition("#"))
        if found[0].startswith("!") and name in self._files():
            return self._picture(label or name, name)
        said = (label or (f"{name} › {place}" if name and place else name or place)).strip()
        shown = el("mark", said) if self._marks(found["page"]) else joined(said)
        self._pass(found["page"])
        links = self._style.links
        if links is None:
            return shown
        if not name:
            return el("a", shown, href=f"#{slug(place)}")
        known = links.pages.get(name)
        if known is None:
            hint = "There is no page of this name: search for it"
            return el("a", shown, href=url("/", q=name), class_="missing", title=hint)
        return el("a", shown, href=known + when(place, f"#{slug(place)}"))

    def _address(self, found: re.Match[str]) -> Html:
        whole = bare(found[0]).strip("<>")
        target = whole.rstrip(".,;:!?'\"*_")
        if target.endswith(")") and target.count("(") < target.count(")"):
            target = target[:-1]
        shown = el("mark", target) if self._marks(found[0]) else joined(target)
        self._pass(found[0])
        return joined(self._anchor(shown, target), whole[len(target) :])

    def _reference(self, found: re.Match[str]) -> Html:
        return el("sup", self.leaf(found["reference"]))

    def _anchor(self, shown: Html, target: str) -> Html:
        links = self._style.links
        if links is None:
            return shown
        if _ELSEWHERE.match(target):
            return el("a", shown, href=target, rel="noreferrer noopener", class_="out")
        path, _, place = target.partition("#")
        known = "" if target.startswith("#") else links.files.get(path)
        if known is None:
            return el("span", shown, title=target, class_="nowhere")
        return el("a", shown, href=known + when(place, f"#{slug(unquote(place))}"))

    def _picture(self, label: str, target: str) -> Html:
        known = self._files().get(target)
        if known and known.startswith("/image"):
            return el("img", src=known, alt=label, loading="lazy")
        return self._anchor(joined("🖼 ", label or target), target)

    def _files(self) -> Mapping[str, str]:
        return {} if self._style.links is None else self._style.links.files

    def _pass(self, text: str) -> None:
        """Takes note of the marks in a text that is not written out."""
        for part in _SWITCH.findall(text):
            self._marked = part == ON


_Block = tuple[Html, int]
_BLOCKS: Sequence[
    tuple[
        re.Pattern[str],
        Callable[[_Writer, Sequence[str], int, re.Match[str]], _Block | None],
    ]
] = (
    (re.compile(r" {4}"), _Writer._indented),
    (_FENCE, _Writer._fence),
    (re.compile(_HEADING.pattern + "$"), _Writer._head),
    (re.compile(_RULE.pattern + "$"), _Writer._rule),
    (_QUOTE, _Writer._quote),
    (_ITEM, _Writer._list),
    (_NOTE, _Writer._note),
    (re.compile(_GAP.pattern + "$"), _Writer._gap),
    (re.compile(r".*\|"), _Writer._table),
)
"""How a block begins, and what writes it; the first that does."""
_INTERRUPTS = tuple(begins for begins, _ in _BLOCKS[1:5])
_LOUD = {"warning", "caution", "danger", "important", "tip", "todo", "bug", "question"}


def _closes(line: str, fence: str) -> bool:
    said = line.strip()
    return len(said) >= len(fence) and not said.strip(fence[0])


def _dedented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


def _continues(lines: Sequence[str], at: int, begun: int) -> bool:
    """Whether a line goes on with the paragraph that begun before it."""
    line = lines[at]
    if at == begun or not line.strip() or not lines[at - 1].strip():
        return False
    item = _ITEM.match(line)
    begins_list = item is not None and bool(item[2]) and item[1].strip() in ("-", "*", "+", "1.")
    return not begins_list and not any(one.match(line) for one in _INTERRUPTS)


def _is_item(lines: Sequence[str], at: int, ordered: bool) -> re.Match[str] | None:
    """Returns how an item of such a list begins at a line, if one does."""
    found = _ITEM.match(lines[at]) if at < len(lines) else None
    return found if found and _is_ordered(found) is ordered else None


def _is_ordered(item: re.Match[str]) -> bool:
    return item[1].strip()[-1] in ".)"


def _item(lines: Sequence[str], at: int, found: re.Match[str]) -> tuple[list[str], int]:
    """Returns the lines of an item without their indentation, and the line after it."""
    wide = len(bare(found[1])) + (len(found[2]) or 1)
    inside, begun = [lines[at][found.end() :]], at
    at += 1
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip():
            inside.append("")
        elif indent >= min(wide, 2 + len(found[1]) - len(found[1].lstrip())):
            inside.append(line[min(indent, wide) :])
        elif _continues(lines, at, begun) and not _ITEM.match(line):
            inside.append(line)
        else:
            break
        at += 1
    return inside, at


def _cells(line: str) -> list[str]:
    parts = _BAR.split(line.strip())
    return parts[1 if not parts[0].strip() else 0 : -1 if not parts[-1].strip() else None]


def _aligned(cell: str) -> str | None:
    cell = cell.strip()
    ends = cell.startswith(":"), cell.endswith(":")
    return {(True, True): "middle", (False, True): "end"}.get(ends)


def slug(text: str) -> str:
    """Returns the id of a heading: no id of the page itself begins so."""
    return "s-" + "-".join(re.findall(r"\w+", text.casefold()))


# ------------------------------------------------------------------ signs inside a line

_ELSEWHERE = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_SIGNS = re.compile(r"[*_`~]|\[\[|\]\]|\]\([^()]*\)|!?\[|\\(?=[!-/:-@\[-`{-~])")
_EMPHASES = {
    "strong": "strong",
    "low": "strong",
    "em": "em",
    "light": "em",
    "strike": "s",
    "high": "mark",
}
_INLINE = re.compile(
    r"""
      (?P<escaped> \\[!-/:-@\[-`{-~] )
    | (?P<code> (?<!`)(?P<ticks>`{1,8})(?!`)(?P<verbatim>.{1,2000}?)(?<!`)(?P=ticks)(?!`) )
    | (?P<wikilink> !?\[\[(?!\s)(?P<page>[^\[\]\n]{1,500})\]\] )
    | (?P<reference_> \[\^(?P<reference>[^\]\s]{1,40})\] )
    | (?P<link> !?\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]\n]{0,200}\]){0,1000})\]
        \(\s*(?P<target><[^<>\n]{0,2000}>|(?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){0,2000})
        (?:\s+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?\s*\) )
    | (?P<address>
          <(?:https?://|mailto:)[^\s<>]{1,2000}>
        | (?<![\w/])https?://[^\s<>\[\]`|]{1,2000} )
    | (?P<emphasis>
          \*\*(?=\S)(?P<strong>.{1,1000}?)(?<=\S)\*\*(?!\*)
        | (?<![\w_])__(?=\S)(?P<low>.{1,1000}?)(?<=\S)__(?![\w_])
        | (?<!\*)\*(?=[^\s*])(?P<em>.{1,1000}?)(?<=[^\s*])\*(?!\*)
        | (?<![\w_])_(?=[^\s_])(?P<light>.{1,1000}?)(?<=[^\s_])_(?![\w_])
        | ~~(?=\S)(?P<strike>.{1,1000}?)(?<=\S)~~
        | (?<![=\w])==(?=[^\s=])(?P<high>.{1,1000}?)(?<=[^\s=])==(?!=)
      )
    | (?P<broke> (?:\ {2,}|\\)\n )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPANS: Mapping[str, Callable[[_Writer, re.Match[str]], Html]] = {
    "escaped": _Writer._escaped,
    "code": _Writer._verbatim,
    "wikilink": _Writer._wikilink,
    "reference_": _Writer._reference,
    "link": _Writer._link,
    "address": _Writer._address,
    "emphasis": _Writer._emphasis,
    "broke": _Writer._broke,
}


# ------------------------------------------------------------------ the links of a text

_TARGET = re.compile(r"\]\(\s*<?([^\s()<>]{1,500})")
_PAGE = re.compile(r"!?\[\[(?!\s)([^\[\]\n|#]{1,300})")


class Targets(NamedTuple):
    """The link targets of a text that may be documents of its store, as they are written."""

    pages: tuple[str, ...]
    files: tuple[str, ...]


def targets(text: str) -> Targets:
    """Returns the wikilinks and the relative links of a text, each once."""
    pages = (match[1].rstrip("\\").strip() for match in _PAGE.finditer(text))
    return Targets(tuple(dict.fromkeys(filter(None, pages))), tuple(dict.fromkeys(_files(text))))


def _files(text: str) -> Iterator[str]:
    for match in _TARGET.finditer(text):
        path = match[1].partition("#")[0]
        if path and not re.match(r"[a-zA-Z][a-zA-Z\d+.-]*:|//", path):
            yield path
