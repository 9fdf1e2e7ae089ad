"""Whether a text is a program, told by its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST = 400
"""Characters of a line that are looked at."""
_LINE = re.compile(
    r"\s*(?:def |class |import |from \S+ import |return\b|const |let |var |func |fn |public |"
    r"private |package |use \w+::|#include|if \(|for \(|while \(|elif |else:|try:|except\b"
    r"|\}|\{|//|/\*)|\s+\* "
    r"|.*(?:[;{}]|\) ?:|=>|,)\s*$|\s+\w[\w.]*(?: =|\()"
)


def is_code(lines: Sequence[str]) -> bool:
    """Whether most of these lines, none of which is blank, are of a program."""
    coded = sum(_LINE.match(line[:_LONGEST]) is not None for line in lines)
    return coded * 2 > len(lines)
