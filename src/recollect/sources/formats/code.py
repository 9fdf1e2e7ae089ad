"""Where the definitions in source code begin, in the languages that people write most."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache

from recollect.named_tuple import NamedTuple
from recollect.sources.formats import MAX_PARSED, OutlineSection

_NEVER = "(?!)"


class _Language(NamedTuple):
    """How the definitions of a language look, as regular expressions that match at the first
    letter of a line."""

    definition: str
    method: str = _NEVER
    """What only counts inside a class or the like."""
    comment: str = r"//|/\*|\*|@"
    """How lines begin that belong to the definition below them."""


_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|virtual|override"
    r"|async|readonly|native|synchronized|default|extern|unsafe|new|strictfp) +)"
)
_TYPED = r"[A-Za-z_](?:[\w<>\[\],.?]* +){1,6}\w+"
_STATEMENT = (
    r"(?!(?:if|for|foreach|while|switch|return|else|do|case|goto|catch|throw|new|using|lock|try|with"
    r"|await|yield|typeof|delete|super|this|base|sizeof|typedef|function|import|package)\b)"
)
_LANGUAGES = {
    "python": _Language(r"(?:async +)?def +\w+|class +\w+", comment=r"#|@"),
    "javascript": _Language(
        r"(?:export +)?(?:default +)?(?:declare +)?(?:"
        r"(?:async +)?function\b *\*? *[\w$]*|(?:abstract +)?class +[\w$]+"
        r"|(?:interface|namespace|module|(?:const +)?enum) +[\w$.]+|type +[\w$]+(?=[^=\n]{0,200}=)"
        r"|(?:const|let|var) +[\w$]+(?= *(?::[^=\n]{0,200})?= *(?:async\b *)?"
        r"(?:function\b|class\b|\([^()\n]{0,300}(?:\)[^=\n]{0,100}=>|\n)|[\w$]+ *=>)))"
        r"|(?:module\.)?exports(?:\.[\w$]+)?(?= *= *(?:async\b *)?(?:function\b|class\b|\())"
        r"|[\w$.]+\.prototype\.[\w$]+(?= *=)",
        r"(?:(?:public|private|protected|static|async|get|set|override|abstract|readonly|\*) +)*"
        + _STATEMENT
        + r"[\w$#]+(?= *(?:<[^>\n]*>)?\([^;\n]*\{ *\r?(?:\n|\Z))",
    ),
    "go": _Language(r"func +(?:\([^)\n]*\) *)?\w+|type +\w+"),
    "rust": _Language(
        r'(?:pub(?:\([^)\n]*\))? +)?(?:(?:default|async|const|unsafe|extern(?: +"[^"\n]*")?) +)*'
        r"(?:(?:fn|struct|enum|union|trait|type) +\w+|mod +\w+(?!\w| *;))"
        r"|macro_rules! *\w+|(?:unsafe +)?impl\b[^{;\n]*",
        comment=r"//|/\*|\*|#\[",
    ),
    "java": _Language(
        _MODIFIERS + r"*(?:class|interface|enum|record|@interface) +\w+",
        _STATEMENT + rf"(?:{_MODIFIERS}+\w+|{_TYPED})(?= *\([^;\n]*(?:\n|\Z)| *\([^;\n]*\) *;)",
    ),
    "csharp": _Language(
        r"namespace +[\w.]+|" + _MODIFIERS + r"*(?:class|interface|enum|struct|record) +\w+",
        _STATEMENT + rf"(?:{_MODIFIERS}+\w+|{_TYPED})(?= *\([^;\n]*(?:\n|\Z))",
        comment=r"//|/\*|\*|\[",
    ),
    "c": _Language(
        r"(?:typedef[ \t]+)?(?:struct|union|enum(?:[ \t]+class)?|class|namespace)\b[^;=()\{\n]*"
        r"(?=\{|\n|\Z)|"
        + _STATEMENT
        + r"[A-Za-z_~][\w \t*&:<>,~]*(?=\([^;{\n]*(?:\{[^\n]*)?(?:\n|\Z))",
        comment=r"//|/\*|\*|template\b|[A-Za-z_][\w \t*&<>]*\r?\n",
    ),
    "kotlin": _Language(
        r"(?:(?:public|private|internal|protected|open|abstract|sealed|data|inline|suspend|override"
        r"|operator|infix|tailrec|enum|annotation|companion|value|inner|external|actual|expect) +)*"
        r"(?:fun +(?:<[^>\n]*> *)?[\w.<>?`]+|(?:class|interface|typealias) +\w+"
        r"|object\b(?: +\w+)?)",
    ),
    "swift": _Language(
        r"(?:(?:public|private|internal|fileprivate|open|static|final|override|mutating|class|indirect"
        r"|convenience|required|nonisolated|async) +)*"
        r"(?:(?:func|class|struct|enum|protocol|extension|actor|typealias) +[\w.]+|init\b[?!]?)",
    ),
    "php": _Language(
        r"(?:(?:abstract|final|public|private|protected|static|readonly) +)*"
        r"(?:function +&?\w+|(?:class|interface|trait|enum) +\w+)",
        comment=r"//|/\*|\*|#",
    ),
    "ruby": _Language(
        r"(?:class|module) +[\w:]+|class *<< *self|def +[\w.]+[?!=]?|def +[^ \n\w(]+",
        comment=r"#",
    ),
    "shell": _Language(r"function +[\w:.-]+|[\w:.-]+(?= *\(\))", comment=r"#"),
    "sql": _Language(
        r"(?i:(?:create|alter) +(?:or +replace +)?(?:\w+ +){0,3}?(?:table|view|index|function"
        r"|procedure|trigger|type|schema|database|sequence|policy|role) +"
        r"(?:if +(?:not +)?exists +)?[\w.\"`\[\]]+)",
        comment=r"--|/\*|\*",
    ),
}
_HOLDER = re.compile(
    r"\b(?:class|interface|struct|enum|trait|impl|namespace|module|mod|object|extension|protocol"
    r"|union|record|actor)\b"
)
_NEW_LINE = re.compile(r"\r\n|\r|\n")
_MAX_TITLE = 120


def outline(text: str, language: str) -> tuple[OutlineSection, ...]:
    """As :func:`recollect.sources.formats.outline`, of a language by its name."""
    if language == "python" and len(text) <= MAX_PARSED:
        try:
            return tuple(_python(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return tuple(_definitions(text, language))


def _python(text: str) -> Iterator[OutlineSection]:
    bare = text.removeprefix("\ufeff")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(bare)
    starts = [0, *map(re.Match.end, _NEW_LINE.finditer(text))]
    above = re.compile(r"[ \t]*#")

    def section(node: ast.stmt, first: int, level: int, title: str) -> OutlineSection:
        number = first - 1
        while number and above.match(text, starts[number - 1]):
            number -= 1
        return OutlineSection(starts[number], level, title, node.lineno)

    def walk(body: Iterable[ast.stmt], level: int) -> Iterator[OutlineSection]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
                word = _WORDS_OF[type(node).__name__]
                yield section(node, first, level, f"{word} {node.name}")
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, level + 1)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                yield from walk(node.body, level)
                for handler in getattr(node, "handlers", ()):
                    yield from walk(handler.body, level)
                yield from walk(getattr(node, "orelse", ()), level)
                yield from walk(getattr(node, "finalbody", ()), level)

    said = (ast.get_docstring(tree) or "").strip()
    if said:
        yield section(tree.body[0], tree.body[0].lineno, 1, said.split("\n")[0][:_MAX_TITLE])
    yield from walk(tree.body, 1)


_WORDS_OF = {"FunctionDef": "def", "AsyncFunctionDef": "async def", "ClassDef": "class"}


_PASSED_OVER = {
    "python": _NEVER,
    "shell": _NEVER,
    "ruby": r"=begin\b[\s\S]*?(?:\n=end|\Z)",
}
"""Comments of many lines, where they are not those of C."""


@cache
def _looks(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What can be at the beginning of a line: a comment of many lines, which is passed over, a
    definition, or the end of one. And how a line begins that belongs to the one below."""
    about = _LANGUAGES[language]
    passed = _PASSED_OVER.get(language, r"/\*[\s\S]*?(?:\*/|\Z)")
    definition = re.compile(
        rf"\n(?P<indent>[ \t]*)(?:{passed}|(?P<end>[}})\]]|end\b)"
        rf"|(?P<definition>{about.definition})|(?P<method>{about.method}))"
    )
    return definition, re.compile(rf"[ \t]*(?:{about.comment})")


def _definitions(text: str, language: str) -> Iterator[OutlineSection]:
    looks, above = _looks(language)
    holders: list[tuple[int, int]] = []  # the indents of classes and the like, and of what is in
    floor, line, counted = 0, 1, 0
    for match in looks.finditer("\n" + text):
        at = match.start()  # of the line, in the text
        indent = len(match["indent"].expandtabs(4))
        if match["end"]:
            while holders and holders[-1][0] >= indent:
                holders.pop()
            floor = at
            continue
        title = match["definition"] or match["method"]
        if not title:
            continue
        while holders and holders[-1][0] >= indent:
            holders.pop()
        inner = holders[-1][1] if holders else 0
        if (indent != inner and inner >= 0) or (match["method"] and not holders):
            continue
        if inner < 0:
            holders[-1] = (holders[-1][0], indent)
        line += text.count("\n", counted, at)
        counted = at
        offset = _with_comments(text, at, floor, above)
        yield OutlineSection(offset, len(holders) + 1, " ".join(title.split())[:_MAX_TITLE], line)
        if _HOLDER.search(title):
            holders.append((indent, -1))
        floor = at + 1


def _with_comments(text: str, at: int, floor: int, above: re.Pattern[str]) -> int:
    """Where the comments begin that stand over the line at *at*, not before *floor*."""
    while at > floor:
        before = text.rfind("\n", 0, at - 1) + 1
        if before < floor:
            break
        if text[before:at].rstrip().endswith("*/"):
            opened = text.rfind("/*", floor, at)
            if opened < 0:
                break
            before = text.rfind("\n", 0, opened) + 1
        elif not above.match(text, before):
            break
        at = before
    return at
