"""What a session that has no title was about, from what was said in it.

The first turn of the human that says something names the topic: a greeting, a pasted block, a word
that only agrees, one that only goes on ("continue"), the name of a file to read, a list of numbers
("address: 8, 12, 13"), how to answer ("Be concise.") and a line that leads to what follows
("Implement the following plan:") do not. Where no turn does, the command does that the session was
begun with ("/review 151"), else the assistant's first words tell what was done. Where that leaves
room, what was decided is told behind it. A title
has no secrets, whether or not they are kept in the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from recollect.nouns import SPOKEN, Message
from recollect.text.redact import redact
from recollect.text.stopwords import stopwords
from recollect.text.terms import stems

LENGTH = 80
TELLING = 2
"""Words that carry meaning, in a sentence that names a topic."""
_TURNS, _READ = 200, 2000
"""Turns of a conversation, and characters of each, that are looked at."""
_FENCES = ("```", "~~~")
_GREETING = re.compile(
    r"^(?:hi|hello|hey|good\s(?:morning|afternoon|evening)|hallo|moin|guten\s(?:morgen|tag|abend)"
    r"|hola|buen[oa]s(?:\s(?:d[ií]as|tardes|noches))?|bonjour|salut|ciao|привет|你好)"
    r"(?:\s(?:there|again|all|claude|codex|gemini|copilot|zusammen))?(?:[\s,.!:)]+|$)",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"\s*(?:```|~~~|<|[/>$#|{}\[]|https?://|\"[\w-]+\":|[\w./~-]+:\d+|Traceback\b|at\s\S+\("
    r"|File\s[\"\w/]\S*(?:,\sline\s\d+.*)?$|[\w.]*(?:Error|Exception)\b(?::|$))"
)
"""How a line begins that was pasted, or is a command to the client."""
_OUTPUT = re.compile(r"\s{2,}|[ℹ☀-➿⬀-⯿\U0001f300-\U0001faff]")
"""How a line begins that goes on with what was pasted before it."""
_COMMAND = re.compile(
    r"<command-name>\s*([^<\s][^<]{0,80})</command-name>\s*(?:<command-message>[^<]*</command-message>)?"
    r"\s*(?:<command-args>([^<]*)</command-args>)?"
)
"""A command that the human gave, and what it was given, as a client writes it down."""
_MANNER = re.compile(
    r"(?:please\s|bitte\s)?(?:(?:act|behave)\sas|you\sare\s(?:an?|the)|imagine\syou\sare"
    r"|(?:be|keep\sit)\s(?:very\s)?(?:concise|brief|short|precise)|think\s(?:hard|step|deeply)"
    r"|du\sbist\s(?:ein|der|die)|verhalte\sdich|fasse\sdich\skurz"
    r"|actúa\scomo|eres\sun|sé\s(?:breve|conciso)|tu\ses\sun|agis\scomme|sois\s(?:bref|concis))\b",
    re.IGNORECASE,
)
"""How a sentence begins that says in which role or manner to answer."""
_LEADING = re.compile(
    r"\b(?:following|below|folgende[nrs]?|siguiente)\b[^:]{0,40}:$", re.IGNORECASE
)
_FILE = re.compile(r"@\S+|\S*\w\.[A-Za-z]\w{0,4}\b(?!\.\w)|\S*/\S*")
"""A file or a folder: what is in it may be the topic, its name says little."""
_GOING_ON = stems(
    """continue proceed resume go keep start begin next step again try look take see read left off
    mach mache weiter weitermachen fortfahren lies sigue seguir continúa lee continuer lis
    yesterday gestern ayer hier"""
)
"""Words that say to go on, or to look at what does not stand there."""
_END = re.compile(r"(?<=[.!?。！？])[\"”’)]*\s+")
_DECIDED = re.compile(
    r"\b(?:(?:we|i)\s(?:decided|agreed|settled)|decision:|we(?:['’]ll|\swill)\s(?:use|go\swith|keep)"
    r"|(?:let['’]s|going\sto)\sgo\swith|entscheidung:|wir\s(?:nehmen|bleiben\sbei)|beschlossen"
    r"|entschieden|decidimos|acordamos|nos\squedamos\scon|décidé)\b",
    re.IGNORECASE,
)
ARROW = " → "


def title(messages: Sequence[Message], roles: Iterable[str], cut: str) -> str:
    """Returns a title of the first of these *roles* that says something, with the mark *cut* where
    it was too long; empty if none does."""
    turns = [[m.text for m in messages if m.role == role] for role in roles]
    spoken = [m.text for m in messages[:_TURNS] if m.role == "assistant"]
    topics = chain(map(_topic, turns), [_command(messages)], [_topic(spoken)], map(_begun, turns))
    topic = next(filter(None, topics), "") if any(turns) else _command(messages)
    decided = _decided(messages) if topic else ""
    both = f"{topic}{ARROW}{decided}"
    return both if decided and len(both) <= LENGTH else shortened(topic, cut)


def shortened(line: str, cut: str) -> str:
    """Returns a line of at most :data:`LENGTH` characters."""
    if len(line) <= LENGTH:
        return line
    at = line.rfind(" ", LENGTH // 2, LENGTH)
    return line[: at if at > 0 else LENGTH - len(cut)] + cut


def _topic(texts: Sequence[str]) -> str:
    """Returns the first sentence that names a topic, with those after it in its line that there is
    room for; empty if none does."""
    lines = chain.from_iterable(map(_lines, map(_begin, texts[:_TURNS])))
    topics = (_joined(said[n:]) for said in lines for n, one in enumerate(said) if _is_telling(one))
    return next(topics, "")


def _command(messages: Sequence[Message]) -> str:
    """Returns the first command that was given something, with that, else the first; empty where
    there is none."""
    typed = (m.text for m in messages[:_TURNS] if m.role in ("user", "context"))
    found = list(chain.from_iterable(map(_COMMAND.findall, map(_begin, typed))))
    given = [one for one in found if one[1].strip()]
    return " ".join(" ".join((*given, *found, ())[0]).split())


def _begun(texts: Sequence[str]) -> str:
    """Returns the first line of all, be it a greeting or what was pasted, without a fence."""
    lines = chain.from_iterable(_begin(text).splitlines() for text in texts[:_TURNS])
    said = (" ".join(line.split()) for line in lines if not line.lstrip().startswith(_FENCES))
    return next(filter(None, said), "")


def _begin(text: str) -> str:
    """Returns how a turn begins, without secrets: of one that is cut later, a part would stay."""
    return redact(text).text[:_READ]


def _is_telling(sentence: str) -> bool:
    """Whether it names a topic, and does not only lead to what follows."""
    if " " not in sentence or _LEADING.search(sentence) or _MANNER.match(sentence):
        return False
    words, named = _words(sentence), _words(_FILE.sub(" ", sentence)) - _GOING_ON
    numbers = sum(map(str.isdigit, words))
    return not all(map(str.isdigit, named)) and len(words) >= max(TELLING, 2 * numbers)


def _joined(said: Sequence[str]) -> str:
    """Returns the first of these sentences, with those after it that fit; a short one takes part of
    the next along."""
    title = said[0]
    for one in said[1:]:
        if len(title) + 1 + len(one) > LENGTH and len(title) > LENGTH // 2:
            break
        title = f"{title} {one}"
    return title


def _lines(text: str) -> Iterator[list[str]]:
    """Yields the sentences of each line of a turn, without a greeting and without what was
    pasted."""
    fenced = pasted = False
    for line in text.splitlines():
        fence = line.lstrip().startswith(_FENCES)
        is_pasted = _PASTED.match(line) or (pasted and _OUTPUT.match(line))
        pasted = pasted or bool(is_pasted)
        if not fenced and not fence and not is_pasted:
            said = _GREETING.sub("", " ".join(line.split()), count=1)
            yield list(filter(None, _END.split(said)))
        fenced ^= fence


def _words(text: str) -> frozenset[str]:
    """Returns the stems of the words that carry meaning."""
    return stems(text) - stopwords()


def _decided(messages: Sequence[Message]) -> str:
    """Returns the last sentence that says what was decided."""
    spoken = (m.text for m in reversed(messages[-_TURNS:]) if m.role in SPOKEN)
    deciding = (text for text in spoken if _DECIDED.search(text, 0, _READ))
    lines = chain.from_iterable(map(_lines, map(_begin, deciding)))
    told = filter(_DECIDED.search, chain.from_iterable(lines))
    return next((one for one in told if len(_words(one)) >= TELLING), "")
