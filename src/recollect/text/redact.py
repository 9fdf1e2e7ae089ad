"""Secrets taken out of text before it is stored.

The rules are data (``secrets.toml``): what the tokens of each vendor look like, and what is worth
hiding after a name such as ``DB_PASSWORD``. They are our own, with the catalogues of gitleaks and
detect-secrets as a checklist. Those try every rule on every line, where we must keep up with an
import of gigabytes; they report that a line has a secret, where we must know its very characters
and be right, for nobody looks before it is stored; and nothing is needed that Python has not got.

Guaranteed: only the secret is replaced, so ``password=[redacted:password]`` still says that there
was one; redacting twice is redacting once; a text without secrets comes back as the same object;
the time grows with the length of the text and not faster, whatever the text is.

A secret is told by its shape or by the name before it, never by randomness alone: hashes, UUIDs
and encoded files stay, unless they are the value of what is called a password, secret, token or
key. What only names a secret is none (``secret_name``, ``token_id``, ``${TOKEN}``,
``os.environ["API_KEY"]``), nor is a placeholder, which has nothing random beside the word that says
so; and a value without both a letter and a digit stays, because it cannot be told from words and
code, unless a sentence gives it as a password and it has a sign inside. So does a passphrase with
spaces, and what was disguised on purpose (reversed, spelled out, in two halves).

How it is fast: each rule has keywords, and each keyword a pivot, a rare character or two in it.
One search a pivot finds all the keywords around it (``re`` looks for a literal beginning at the
speed of memory, for alternatives it does not), and only there the rules are tried.
"""

from __future__ import annotations

import json
import re
import tomllib
from base64 import urlsafe_b64decode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, groupby, starmap, takewhile
from math import log2
from operator import itemgetter
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.text.occurrences import occurrences

_RARE = "JKWGz"
_RARE_WORDS = (
    "NRAL", "ATATT3", "ATBB", "dapi", '"auth"', ":543", "achine ", "SESSI", "essionid", "quirepass",
    "IDENTIFIED BY", "assphrase", "ontraseñ", "de passe",
)  # fmt: skip
_PIVOTS = (*_RARE, *_RARE_WORDS, ":AA", "://", "cret", "CRET", "w", "k", "_", "-", ".")
"""From rare to common: a keyword is found by the first of these that is in it."""
_MARK = "[redacted:"
_MARKED = re.compile(r"\[redacted:[\w-]*\]?\Z")


class Redacted(NamedTuple):
    """``counts``: how many secrets were taken out, by the name of the rule."""

    text: str
    counts: Mapping[str, int]


class _SecretRule(NamedTuple):
    order: int
    name: str
    after: str
    pattern: re.Pattern[str]
    group: int | str
    entropy: float
    check: Callable[[re.Match[str]], bool]


class _Keyword(NamedTuple):
    """The characters that may be at each place before its pivot, and after it."""

    before: tuple[str, ...]
    follows: tuple[str, ...]
    rules: tuple[_SecretRule, ...]


class _Scan(NamedTuple):
    """The keywords of one pivot; the group that matched says which of them was found."""

    pivot: str
    pattern: re.Pattern[str]
    keywords: tuple[_Keyword, ...]


class _SecretSpan(NamedTuple):
    start: int
    end: int
    rule: _SecretRule


def redact(text: str) -> Redacted:
    """The text with ``[redacted:RULE]`` in the place of each secret."""
    counts: dict[str, int] = {}
    while spans := _merged([*_spans(text)]):  # again, because a secret may have hidden another
        parts, end = [], 0
        for span in spans:
            parts += [text[end : span.start], f"{_MARK}{span.rule.name}]"]
            end = span.end
            counts[span.rule.name] = counts.get(span.rule.name, 0) + 1
        text = "".join([*parts, text[end:]])
    return Redacted(text, counts)


def redact_field(name: str, value: str) -> str:
    """The value of a field without secrets; the name of the field may be what tells one."""
    before = f"{name}: "
    text = redact(before + value).text
    return text.removeprefix(before) if text.startswith(before) else redact(value).text


def redact_value(value: Any, name: str, field: Callable[[str, str], str] = redact_field) -> Any:
    """A value as JSON has it, with *field* applied to each text in it and the name it stands
    under."""
    if isinstance(value, dict):
        return {key: redact_value(inner, key, field) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(inner, name, field) for inner in value]
    return field(name, value) if isinstance(value, str) else value


def secret_around(text: str, at: int) -> tuple[int, int]:
    """Returns where the secret begins and ends that has this place inside it, with what it is told
    by; *at* twice if there is none. Of a text that is cut inside a secret the rest is not known for
    one."""
    spans = _merged([_SecretSpan(*match.span(), rule) for rule, match in _matches(text)])
    return next(((s.start, s.end) for s in spans if s.start < at < s.end), (at, at))


def _spans(text: str) -> Iterator[_SecretSpan]:
    for rule, match in _matches(text):
        yield _SecretSpan(*match.span(rule.group), rule)


def _matches(text: str) -> Iterator[tuple[_SecretRule, re.Match[str]]]:
    for scan in _scans():
        if scan.pivot in text:
            yield from _scanned(scan, text)


def _scanned(scan: _Scan, text: str) -> Iterator[tuple[_SecretRule, re.Match[str]]]:
    """The secrets around one pivot."""
    tried: dict[str, int] = {}  # to where each rule has looked: long matches are read once
    for rule, start in _candidates(scan, text):
        passed = start < tried.get(rule.name, 0)
        match = None if passed else rule.pattern.match(text, start)
        if not match:
            continue
        secret = _is_secret(rule, match)
        if secret or match.end() - start > _LONG:
            tried[rule.name] = match.end()
        if secret:
            yield rule, match


def _candidates(scan: _Scan, text: str) -> Iterator[tuple[_SecretRule, int]]:
    """Each rule that may match, and where it would begin."""
    rare = scan.pivot in (*_RARE, *_RARE_WORDS)
    hits = _rare_hits(scan, text) if rare else scan.pattern.finditer(text)
    for hit in hits:
        assert hit.lastindex is not None  # each choice ends with a group
        keyword = scan.keywords[hit.lastindex - 1]
        start = hit.start() - len(keyword.before)
        yield from ((rule, start) for rule in keyword.rules)


def _rare_hits(scan: _Scan, text: str) -> Iterator[re.Match[str]]:
    """What is rare str.find finds far faster than re does."""
    tried = (scan.pattern.match(text, at) for at in occurrences(scan.pivot, text))
    return filter(None, tried)


def _merged(spans: list[_SecretSpan]) -> list[_SecretSpan]:
    """In order; of those that overlap one is made, named by the first rule in the table."""
    merged: list[_SecretSpan] = []
    for span in sorted(spans, key=itemgetter(0, 1)):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            rule = min(last.rule, span.rule, key=lambda rule: rule.order)
            span = _SecretSpan(last.start, max(last.end, span.end), rule)
        merged.append(span)
    return merged


# --- Is what a rule matched a secret?

_PLACEHOLDER = re.compile(
    r"""(?ix) x{4} | \*{3} | \.{3} | … | abcdefgh | 1234567890 | (?-i:EXAMPLE(?:KEY)?\Z)"""
)
"""Nothing that is in use has these; vendors end the keys of their documentation in EXAMPLE."""
_STANDS_FOR = re.compile(
    r"""(?ix) example | sample | placeholder | dummy | fake | redacted | change_?-?me | your[_-]
    | [_-]here\b | insert[_-] | replace[_-]"""
)
_MIXED = re.compile(r"(?s)(?=.*\d)(?=.*[^\W\d_])")
_LONG = 200
"""In so many random characters a short word means nothing."""
_REFERENCE = re.compile(
    r"""(?xs) \A (?: <.*> | %\w+% | \$\w+ | arn:.* | \w+://.* ) \Z
    | \A\^ | \A\d{4}-\d\d-\d\d | \$[({] | \{\{ | \#\{ | \{\w*\} | %[(sd]
    | (?: Key | Token | Secret | Password ) (?: s | Types? )? \Z"""
)
_WORD = r"(?:(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*[A-Z]?|[A-Z]+)\d{0,4}|\d{1,8}[a-z]{0,3})"
_WORDS = re.compile(rf"[~./]*{_WORD}(?:[-_./:@+#]+{_WORD})*[./]*")
_SEPARATORS = re.compile(r"[\W_]+")
_SIGN = re.compile(r"[^\W\d_][!#$%^&+=?~@]|[!#$%^&+=?~@][^\W\d_]")
"""A sign at a letter that no word of prose has."""
_OF_CODE = re.compile(r"(?i)pass|pwd|secret|token|key|user|field|form|sha\d|md5|base\d|utf")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ABOUT = frozenset(
    """s id ids ize ized izer izers ization name names hash hashed digest salt count counts counter
    len length min max size limit budget usage cost type kind format version algorithm url uri urls
    endpoint link host file filename path dir directory env var variable ref arn field fields label
    title hint prompt message error help description placeholder regex pattern policy rule rules
    valid validator validation verifier strength score prefix suffix expiry expires expiration ttl
    age at date time timestamp created updated last used status state reset change form input view
    class provider manager smanager store template header index position offset""".split()
)
"""In the rest of a name these say that it is about a secret, whose value is elsewhere."""


def _is_secret(rule: _SecretRule, match: re.Match[str]) -> bool:
    secret = match[rule.group]
    return (
        _MARK not in secret
        and not _at_mark(match)
        and (len(secret) > _LONG or not _is_placeholder(secret))
        and _entropy(secret) >= rule.entropy
        and rule.check(match)
    )


def _is_placeholder(secret: str) -> bool:
    """Whether it stands for a value: a word in it says so, and nothing beside it is random."""
    if _PLACEHOLDER.search(secret):
        return True
    rest = _STANDS_FOR.sub(" ", secret)
    return rest != secret and not any(map(_is_random_part, _SEPARATORS.split(rest)))


def _is_random_part(part: str) -> bool:
    return len(part) > 5 and _is_mixed(part) and not _WORDS.fullmatch(part)


def _at_mark(match: re.Match[str]) -> bool:
    """It begins in a mark, or is part of what was longer before the mark took its place."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    return bool(_MARKED.search(before)) or match.string.startswith(_MARK, match.end())


def _entropy(text: str) -> float:
    """Bits a character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)


def _is_mixed(value: str) -> bool:
    """Letters with digits, and not a reference to where the value is."""
    return bool(_MIXED.match(value)) and not _REFERENCE.search(value)


def _is_random(match: re.Match[str]) -> bool:
    return _is_mixed(match["secret"]) and not _WORDS.fullmatch(match["secret"])


def _is_value(match: re.Match[str]) -> bool:
    return _is_random(match) and _is_of_secret(match)


def _is_password(match: re.Match[str]) -> bool:
    """Also a word with digits (``summer2024``), if it is not likely a variable."""
    value, found = match["secret"], match.groupdict()
    loose = bool(found.get("loose"))
    if not _is_mixed(value) or not _is_of_secret(match):
        return False
    if not _WORDS.fullmatch(value):
        return not loose or _entropy(value) > 2.8
    plain = found["quote"] or value.isalnum()
    return bool(plain) and not loose and not _OF_CODE.search(value)


def _is_spoken_password(match: re.Match[str]) -> bool:
    """In a sentence nothing is a variable: words with digits are a password, too."""
    value = match["secret"]
    is_code = _REFERENCE.search(value) or (_WORDS.fullmatch(value) and _OF_CODE.search(value))
    is_like_one = _MIXED.match(value) or _SIGN.search(value)
    return bool(is_like_one) and not is_code and _is_of_secret(match)


def _is_of_secret(match: re.Match[str]) -> bool:
    """The name goes on with nothing that makes it the name of something else."""
    tail = match.groupdict("").get("tail", "")
    return _ABOUT.isdisjoint(map(str.lower, _PART.findall(tail)))


def _is_url_password(match: re.Match[str]) -> bool:
    password = match["secret"]
    nominal = password == match["user"] or (password.isalpha() and _OF_CODE.search(password))
    return not nominal and not _REFERENCE.search(password)


def _is_jwt(match: re.Match[str]) -> bool:
    try:
        return isinstance(json.loads(_decoded(match[0].partition(".")[0])), dict)
    except (ValueError, RecursionError):
        return False


def _is_basic(match: re.Match[str]) -> bool:
    """``user:password``, encoded."""
    try:
        user, _, password = _decoded(match["secret"]).decode().partition(":")
    except ValueError:
        return False
    return bool(password) and (user + password).isprintable()


def _is_shaped(_match: re.Match[str]) -> bool:
    """The pattern alone tells."""
    return True


def _decoded(text: str) -> bytes:
    text = text.rstrip("=").replace("+", "-").replace("/", "_")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


_CHECKS = {
    "": _is_shaped,
    "mixed": lambda match: _is_mixed(match["secret"]),
    "random": _is_random,
    "value": _is_value,
    "password": _is_password,
    "spoken": _is_spoken_password,
    "url": _is_url_password,
    "jwt": _is_jwt,
    "basic": _is_basic,
}

# --- The table of rules, made into searches

_TOKEN = "A-Za-z0-9_-"
_ANY_OF = {"?": _TOKEN}


@cache
def _scans() -> tuple[_Scan, ...]:
    table = tomllib.loads((files("recollect.text") / "secrets.toml").read_text("utf-8"))
    rules: dict[str, list[_SecretRule]] = defaultdict(list)
    for order, entry in enumerate(table["rule"]):
        rule = _rule(order, entry, table["parts"])
        for keyword in entry["keywords"]:
            rules[keyword].append(rule)
    keywords: dict[str, list[_Keyword]] = defaultdict(list)
    for text, some in rules.items():
        pivot, found = _keyword(text, some)
        keywords[pivot].append(found)
    return tuple(starmap(_scan, keywords.items()))


def _rule(order: int, entry: Mapping[str, Any], parts: Mapping[str, str]) -> _SecretRule:
    def whole(pattern: str) -> str:
        return re.sub(r"%\{(\w+)\}", lambda part: parts[part[1]], pattern)

    pattern = re.compile(whole(entry["pattern"]), re.VERBOSE | re.ASCII)
    return _SecretRule(
        order=order,
        name=entry["name"],
        after=whole(entry.get("after", "")),
        pattern=pattern,
        group="secret" if "secret" in pattern.groupindex else 0,
        entropy=entry.get("entropy", 0.0),
        check=_CHECKS[entry.get("check", "")],
    )


def _keyword(text: str, rules: Sequence[_SecretRule]) -> tuple[str, _Keyword]:
    """The pivot of a keyword, and the keyword as the sets of characters before and after it."""
    places = re.findall(r"\[.+?\]|.", text)
    literal = re.sub(r"\[.+?\]|\?", "\0", text)
    sets = [_ANY_OF.get(place) or place[1:-1] or re.escape(place) for place in places]
    pivot = next(pivot for pivot in _PIVOTS if pivot in literal)
    at = literal.rindex(pivot)
    return pivot, _Keyword(tuple(sets[:at]), tuple(sets[at + len(pivot) :]), tuple(rules))


def _scan(pivot: str, keywords: Iterable[_Keyword]) -> _Scan:
    """Compiles a pattern that matches the pivot, then what follows it, then what is before it."""
    groups: dict[tuple[tuple[str, ...], str], list[_Keyword]] = {}
    for keyword in sorted(keywords, key=lambda k: len(k.before) + len(k.follows), reverse=True):
        afters = [rule.after for rule in keyword.rules]
        group = keyword.follows, "|".join(afters) if all(afters) else ""
        groups.setdefault(group, []).append(keyword)
    choices = [_choice(pivot, *which, some) for which, some in groups.items()]
    pattern = re.compile(f"{re.escape(pivot)}(?:{'|'.join(choices)})", re.VERBOSE | re.ASCII)
    return _Scan(pivot, pattern, tuple(chain.from_iterable(groups.values())))


def _choice(pivot: str, follows: Sequence[str], after: str, keywords: Sequence[_Keyword]) -> str:
    """Keywords that differ only before the pivot; an empty group tells which it was.

    The literal characters come first and then the two before the pivot, for they decide most.
    """
    lead = list(takewhile(lambda some: some != _TOKEN, follows))
    middle = re.escape(pivot) + _pattern(lead)
    columns = zip(*(keyword.before[:-3:-1] for keyword in keywords), strict=False)
    near = [f"(?:{'|'.join(map(_pattern, zip(column)))})" for column in columns]
    befores = "|".join(f"(?<={_pattern(keyword.before)}{middle})()" for keyword in keywords)
    rest = _pattern(follows[len(lead) :])
    return (
        f"{_pattern(lead)}(?<={''.join(reversed(near))}{middle})(?={rest}(?:{after}))(?:{befores})"
    )


def _pattern(sets: Iterable[str]) -> str:
    """One character of each set."""
    runs = ((some, len(list(run))) for some, run in groupby(sets))
    return "".join(f"[{some}]" + (f"{{{count}}}" if count > 1 else "") for some, count in runs)
