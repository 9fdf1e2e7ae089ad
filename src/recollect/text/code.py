"""Whether a text is a program, told by its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BEGIN = re.compile(
    r"\s*(?:def |class |import |from \S+ import |return\b|const |let |var |func |fn |public |"
    r"private |package |use \w+::|#include|if \(|for \(|while \(|elif |else:|try:|except\b"
    r"|\}|\{|//|/\*)|\s+\* |\s+\w[\w.]*(?: =|\()"
)
_END = (";", "{", "}", "):", ") :", "=>", ",")


def is_code(lines: Sequence[str]) -> bool:
    """Whether most of these lines, none of which is blank, are of a program."""
    coded = sum(line.rstrip().endswith(_END) or _BEGIN.match(line) is not None for line in lines)
    return coded * 2 > len(lines)
