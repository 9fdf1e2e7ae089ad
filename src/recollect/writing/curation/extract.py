"""Facts out of a piece of text, by rules: what was decided, preferred, promised, defined, asked.

What it guarantees
- A fact's quote is ``text[start:end]``; its statement is that sentence in its own words, without
  openers and markup, and with a pronoun replaced only where the sentence before leaves no choice.
- Precision comes before recall: what is supposed, guessed, reported, asked of the assistant, told
  in code, in a log, in a tool's output or in a document that was pasted into a conversation gives
  nothing. Of what an assistant says, only decisions do that it names so, or that the user confirms.
- The same piece always gives the same facts, and no text raises.

The rules are data (``cues.py``): the first that matches a sentence decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from recollect.facts import FactType
from recollect.text.dates import parse_date
from recollect.text.ordinary import commonness
from recollect.text.statements.claims import ME, UNKNOWN, read
from recollect.text.statements.facets import asserted, holds
from recollect.text.terms import fold
from recollect.writing.curation import cues
from recollect.writing.curation.chunk import CurationPiece
from recollect.writing.curation.cues import RULES, TYPES, Rule, Sort, by_cue, compiled
from recollect.writing.curation.outline import Speaker, Stretch
from recollect.writing.curation.recon import Kind
from recollect.writing.curation.sentences import Sentence, sentences

FEWEST = 2
"""Words of a statement."""
LONGEST_SUBJECT = 8
"""Words of a subject."""


class Context(NamedTuple):
    """What is known of the text that a piece is from."""

    kind: Kind = "prose"
    source: str = ""
    title: str = ""
    date: datetime | None = None
    """When it was written: what "Friday" counts from."""
    speaker: Speaker = ""
    """Who says what has no turns: ``user`` for what somebody tells of themselves, and nobody for a
    document."""
    note: bool = False
    """It is a short note of the user's, written to have it kept: what no rule knows counts too,
    with less confidence."""


class Cite(NamedTuple):
    """Where a text says a fact."""

    source: str
    start: int
    end: int
    quote: str


class Extracted(NamedTuple):
    type: FactType
    subject: str
    """A short name of what it is about; empty if nothing names it."""
    statement: str
    quote: str
    start: int
    end: int
    confidence: float
    sort: Sort = "decision"
    value: str = ""
    """The number, identifier or date that it gives, as written."""
    date: datetime | None = None
    speaker: str = ""
    heading: str = ""
    source: str = ""
    refused: str = ""
    """Why it is no fact after all."""
    also: tuple[Cite, ...] = ()
    """Other places that say the same, once they are merged."""

    @property
    def cites(self) -> tuple[Cite, ...]:
        return (Cite(self.source, self.start, self.end, self.quote), *self.also)


def rules(piece: CurationPiece, context: Context) -> list[Extracted]:
    """The facts that the piece tells, in order."""
    if context.kind in ("code", "log"):
        return []
    found: list[Extracted] = []
    for n, part in enumerate(piece.parts):
        if part.sort != "words" or part.speaker in ("context", "pasted"):
            continue
        if not part.speaker:
            if context.kind == "transcript":
                continue
            part = part._replace(speaker=context.speaker)
        confirmed = part.speaker == "assistant" and _is_confirmed(piece, n)
        if part.speaker == "assistant" and not confirmed and not _may_decide(piece, part):
            continue
        found += _read(piece, part, context, confirmed)
    return found


def _is_confirmed(piece: CurationPiece, n: int) -> bool:
    """Whether the user's next words say yes, and little else."""
    for part in piece.parts[n + 1 :]:
        if part.sort == "words" and part.speaker == "user":
            said = piece.text[part.start - piece.start : part.end - piece.start].strip(" \n-")
            return len(said) < 80 and compiled(cues.YES).match(said) is not None
        if part.sort == "words" and part.speaker == "assistant":
            return False
    return False


def _may_decide(piece: CurationPiece, part: Stretch) -> bool:
    start, end = part.start - piece.start, part.end - piece.start
    return compiled(cues.DECIDES).search(piece.text, start, end) is not None


# ------------------------------------------------------------------ sentence by sentence


class _Last(NamedTuple):
    """What the sentence before was about, for a pronoun."""

    end: int
    subject: str
    person: bool


def _read(
    piece: CurationPiece, part: Stretch, context: Context, confirmed: bool
) -> Iterator[Extracted]:
    text, shift = piece.text, piece.start
    last: _Last | None = None
    wrapped = part.speaker != "user"
    for sentence in sentences(text, part.start - shift, part.end - shift, wrapped):
        if last is None and _first(text, sentence) in cues.NEVER_FIRST:
            continue
        said = _plain(text[sentence.start : sentence.end])
        if last is not None and sentence.start - last.end > 2:
            last = None
        resolved = _resolved(said, last)
        fact = _fact(resolved or said, sentence, part, confirmed, context)
        last = None
        if fact is None:
            continue
        found, subject = fact
        quote = text[sentence.start : sentence.end]
        yield found._replace(
            quote=quote,
            start=sentence.start + shift,
            end=sentence.end + shift,
            confidence=round(found.confidence - 0.1 * bool(resolved), 2),
            source=context.source,
        )
        if subject:
            last = _Last(sentence.end, subject, _is_person(found.statement, subject))


def _first(text: str, sentence: Sentence) -> str:
    """The first word of a sentence."""
    match = _word().match(text, sentence.start, sentence.end)
    return match[0].lower() if match else ""


@cache
def _markup() -> re.Pattern[str]:
    return re.compile(
        r"\[([^\]\n]*)\]\([^)\n]*\)|\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.!?:])[*_](?!\w)"
    )


def _plain(quote: str) -> str:
    """One line, without emphasis and links, in plain quotes."""
    if "*" in quote or "_" in quote or "](" in quote:
        quote = _markup().sub(lambda m: m[1] or "", quote)
    return " ".join(quote.replace("’", "'").split())


def _resolved(said: str, last: _Last | None) -> str:
    """The sentence with its pronoun replaced by what the one before was about."""
    if last is None:
        return ""
    first, _, rest = said.partition(" ")
    pronouns = ("he", "she") if last.person else ("it",)
    return f"{last.subject} {rest}" if first.lower() in pronouns else ""


def _is_person(statement: str, subject: str) -> bool:
    """A common given name, and the only name of the sentence but for dates."""
    names = {fold(name) for name in re.findall(r"\b[A-ZÀ-Þ]\w+", statement)}
    others = names - {*fold(subject).split()} - cues.DAYS
    return commonness(fold(subject.split()[0])) == "name" and not any(
        name[:4] not in cues.MONTHS for name in others
    )


def _fact(
    said: str, sentence: Sentence, part: Stretch, confirmed: bool, context: Context
) -> tuple[Extracted, str] | None:
    """What a sentence tells, and its grammatical subject as written."""
    opener = compiled(cues.OPENERS).match(said)
    stated = said[opener.end() :] if opener else said
    if opener and not compiled(cues.LABELS).match(said):
        said = stated
    if said.count(" ") + 1 < FEWEST:
        return None
    if said[0] in "\"“'«(" or not said[0].isalnum():
        return None
    voice = "user" if confirmed else part.speaker
    if sentence.task and not said.endswith("?") and not compiled(cues.CODE).search(said):
        return _made("commitment", said, _name(_after_verb(said)), 0.85, part, context), ""
    asks = said.endswith("?")
    words = said.count(" ") + 1
    for rule in _tried(said, voice):
        if (asks and not rule.asks) or (confirmed and rule.sort != "decision"):
            continue
        if words > rule.most:
            continue
        match = compiled(rule.pattern).match(said)
        if match and _stands(rule, match, said, voice, sentence.first):
            found, subject = _from(rule, match, said, part, context)
            if found.subject or rule.sort not in ("value", "date"):
                return found, subject
    if asks or voice == "assistant":
        return None
    return _entry(said, part, context) or _stated(said, part, context)


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


@cache
def _figure() -> re.Pattern[str]:
    """A number, or a name such as machines have."""
    return re.compile(r"\d|[a-z]-[a-z]+-[a-z]|\w\.\w+\.\w")


def _tried(said: str, voice: str) -> list[Rule]:
    """The rules for a voice of which the sentence has a cue, in order."""
    known = by_cue(voice)
    words = set(_word().findall(said.lower()))
    places = {place for word in words & known.keys() for place in known[word]}
    if _figure().search(said) or not words.isdisjoint(cues.COUNTED):
        places.update(known["#"])
    return [RULES[place] for place in sorted(places)]


def _stands(rule: Rule, match: re.Match[str], said: str, voice: str, first: bool) -> bool:
    """Whether what a rule found is said in earnest, of something that is named."""
    groups = match.groupdict()
    subject = (groups.get("s") or "").lower()
    if voice == "" and (said.startswith(("I ", "I'")) or _is_title(said)):
        return False
    if voice == "" and rule.sort == "value" and not first and subject.count(" ") < 2:
        return False  # "the meeting" is one that was told of before
    if rule.sort in ("date", "value") and subject in cues.NO_KEYS:
        return False
    if groups.get("name") and not _is_name(
        groups["name"], rule.sort == "definition" or match.start("name") > 0
    ):
        return False
    told = said[: match.end("v")] if groups.get("v") else said  # what follows only explains it
    if rule.sort != "question" and compiled(cues.UNREAL).search(told):
        return False
    if compiled(cues.VAGUE).search(told) or compiled(cues.CODE).search(told):
        return False
    if groups.get("s") and compiled(cues.POSITIONAL).search(groups["s"]):
        return False
    if rule.sort in ("preference", "question"):
        return voice == "user" or not compiled(cues.GENERAL).search(said) or rule.sort == "question"
    return not compiled(cues.GENERAL).search(told)


def _is_title(said: str) -> bool:
    """Most words have a capital."""
    words = [word for word in said.split() if word[0].isalpha()]
    return len(words) > 3 and sum(word[0].isupper() for word in words) * 3 > len(words) * 2


def _from(
    rule: Rule, match: re.Match[str], said: str, part: Stretch, context: Context
) -> tuple[Extracted, str]:
    groups = match.groupdict()
    named = next((groups[g] for g in ("for", "for2", "s", "name", "o", "p") if groups.get(g)), "")
    named = " ".join(filter(None, (named, groups.get("a"), groups.get("b"))))
    fact = _made(rule.sort, said, _name(named), rule.confidence, part, context)
    if rule.sort == "self" and not named:
        fact = fact._replace(subject=_attribute(said))
    value = groups.get("v") or groups.get("d") or ""
    if value or rule.sort in ("commitment", "date"):
        time = groups.get("d") or (compiled("<TIME>").search(said) or [""])[0]
        fact = fact._replace(value=value, date=_moment(time, context.date))
    return fact, groups.get("name") or groups.get("s") or ""


def _made(
    sort: Sort, said: str, subject: str, confidence: float, part: Stretch, context: Context
) -> Extracted:
    statement = said[0].upper() + said[1:]
    return Extracted(
        TYPES[sort],
        subject,
        statement,
        "",
        0,
        0,
        confidence,
        sort,
        speaker=part.speaker,
        heading=part.heading,
        source=context.source,
    )


def _attribute(said: str) -> str:
    """What of the user a sentence without a subject of its own is about."""
    return next((name for name, cue in cues.ATTRIBUTES if compiled(cue).search(said)), "")


# ------------------------------------------------------------------ lines of a name and a value


def _entry(said: str, part: Stretch, context: Context) -> tuple[Extracted, str] | None:
    """A line such as ``Rate limit: 100 requests per minute`` or ``timeout = 30s``."""
    match = compiled(cues.ENTRY).match(said) if ": " in said or "= " in said else None
    if match is None or compiled(cues.CODE).search(said):
        return None
    name, value = match["k"], match["v"]
    words = name.lower().split()
    if len(words) > LONGEST_SUBJECT or not cues.NO_KEYS.isdisjoint((words[0], words[-1])):
        return None
    if compiled(cues.HEADER).fullmatch(name) or len(words[-1]) < 3 or not _is_entry(name):
        return None
    initials = "".join(word[0] for word in re.findall(r"\w+", value))
    small = "".join(word[0] for word in re.findall(r"\w{4,}", value))
    if name.isupper() and len(name) > 1 and name.lower() in (initials.lower(), small.lower()):
        return _made("definition", said, name, 0.9, part, context), name
    if compiled(cues.GENERAL).search(said) or compiled(cues.UNREAL).search(said):
        return None
    found = compiled(cues.ENTRY_VALUE).match(value)
    if found is None:
        return None
    return _made("value", said, name, 0.75, part, context)._replace(value=found[0].strip()), name


def _is_entry(name: str) -> bool:
    """No words of a sentence that a colon ends."""
    return all(fold(word) not in cues.STOPS for word in name.split())


# ------------------------------------------------------------------ what is told to be kept


def _stated(said: str, part: Stretch, context: Context) -> tuple[Extracted, str] | None:
    """A sentence for which there is no rule, of a note that somebody wrote to have it kept: it has
    a subject and a verb, and holds."""
    if not (context.note and part.speaker == "user" and part.turn < 0):
        return None
    patterns = (cues.UNREAL, cues.VAGUE, cues.CODE, cues.REQUEST)
    if said.count(" ") < 2 or any(compiled(pattern).search(said) for pattern in patterns):
        return None
    clauses = read(said).clauses
    if not clauses or clauses[0].owner in ("", UNKNOWN):
        return None
    if not (asserted(clauses[0]) or holds(clauses[0])):
        return None
    owner = clauses[0].owner
    return _made("stated", said, "" if owner == ME else _name(owner), 0.6, part, context), ""


# ------------------------------------------------------------------ names


def _is_name(written: str, any_word: bool) -> bool:
    """Written as a name; a word of the dictionary only where *any_word* may be one."""
    if not written[:1].isupper() or fold(written) in cues.NO_NAMES:
        return False
    first = written.split()[0]
    odd = any(char.isupper() or char.isdigit() for char in first[1:])
    return any_word or odd or commonness(fold(first)) != "ordinary" or fold(first) in cues.GIVEN


def _name(raw: str) -> str:
    """A short name: without articles, and up to where a clause goes on."""
    raw = re.sub(r"[\"“”`'*]+(?=\s|$|[.,;:!?])|(?<!\w)[\"“”`'*]+", "", raw).strip()
    words = raw.split()
    while words and fold(words[0]).strip(",") in cues.DETERMINERS:
        words = words[1:]
    kept: list[str] = []
    for word in words:
        bare = fold(word).strip(".,;:!?()")
        if bare in cues.STOPS or word[0] in "(—–-":
            break
        kept.append(word)
        if (word[-1] in ".,;:!?)" and not word[-2:-1].isdigit()) or len(kept) == LONGEST_SUBJECT:
            break
    name = " ".join(kept).strip(" .,;:!?()—–-")
    if fold(name) in cues.STOPS or fold(name) in cues.DETERMINERS:
        return ""
    return name


def _after_verb(said: str) -> str:
    return said.partition(" ")[2]


# ------------------------------------------------------------------ dates


def _moment(written: str, now: datetime | None) -> datetime | None:
    """The day that is meant, where it can be told: a date with its year; from *now* on, one
    without, or a weekday."""
    if not written:
        return None
    if day := compiled(r".*?(?P<d><DATE>)").match(written):
        return _dated(day["d"], now)
    weekday = re.search(cues.WEEKDAY, written, re.IGNORECASE)
    if now is None or weekday is None:
        return None
    names = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    german = {"mon": 0, "die": 1, "mit": 2, "don": 3, "fre": 4, "sam": 5, "son": 6}
    start = fold(weekday[0])[:3]
    place = names.index(start) if start in names else german[start]
    ahead = (place - now.weekday()) % 7 or 7
    return (now + timedelta(days=ahead)).replace(hour=0, minute=0, second=0, microsecond=0)


def _dated(written: str, now: datetime | None) -> datetime | None:
    words = re.findall(r"\d{4}-\d\d-\d\d|\d+|[^\W\d_]+", fold(written))
    for word in words:
        if "-" in word:
            return _parsed(word)
    months = [cues.MONTHS[w[:4]] for w in words if w[:4] in cues.MONTHS]
    days = [w for w in words if w.isdigit() and len(w) <= 2]
    years = [w for w in words if w.isdigit() and len(w) == 4]
    if len(months) != 1 or len(days) > 1:
        return None
    if years:
        return _parsed(f"{years[0]}-{months[0]:02}-{int(days[0]) if days else 1:02}")
    if now is None or not days:
        return None
    found = _parsed(f"{now.year}-{months[0]:02}-{int(days[0]):02}")
    if found is not None and found.date() < now.date():
        found = _parsed(f"{now.year + 1}-{months[0]:02}-{int(days[0]):02}")
    return found


def _parsed(written: str) -> datetime | None:
    try:
        return parse_date(written)
    except ValueError:
        return None
