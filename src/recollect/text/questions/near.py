"""Whether two questions ask exactly the same: the guard of answers kept for near questions.

The rule is that everything must be accounted for. A question is read once: its language is told by
its words of grammar, frames ("can you tell me") and articles go, what is asked (``ask``), when
(``tense``), by whom (``subject``) and in which voice become fields of their own, and every other
word is kept, by its key. Two questions are the same if they have the same keys in the same order
and the same fields. Nothing is a list of dangerous words: what ``near_words.py`` does not call
harmless makes a difference, and a language that is not known there is compared word by word.

Keys are equal for equal words, for a plain ending (test, tests, tested), and for a few hundred
synonyms. A name, a number, an identifier and a word that no dictionary has are their own keys.
``near_tokens.py`` has the words, ``near_reading.py`` and ``near_english.py`` the reading.

What may be elsewhere: "the deadline of the report" is read as "the report's deadline", "what
colour is the car" as "what is the car's colour", what stands before a comma and the question
as if it came last; a time and a topic may change places with the phrase beside them; and one
verb may move if the question turns from "when do we deploy the service" to "when is the service
deployed" or "when is the deployment of the service". Nothing else.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from recollect.text.questions import near_words as data
from recollect.text.questions.near_reading import QuestionReading, read
from recollect.text.terms import fold

__all__ = ["OVERLAP", "SIMILARITY", "ParaphraseVerdict", "QuestionReading", "compare", "read"]

OVERLAP = 0.6
"""Questions that share so many of their words are near."""
SIMILARITY = 0.92
"""Questions whose vectors are so similar are near, whatever their words."""
MOST = 4
"""Questions with more keys that only one of them has are not looked at any closer."""


class ParaphraseVerdict(NamedTuple):
    same: bool
    overlap: float
    """Of the words that carry meaning, by Jaccard: how many both have, of those that any has."""
    reason: str


# ------------------------------------------------------------------ comparing


def compare(asked: QuestionReading, known: QuestionReading) -> ParaphraseVerdict:
    """Whether two questions ask the same; it is the same either way round. The reason says what
    is different, in few words."""
    one, other = asked.content, known.content
    shared = len(one & other)
    overlap = shared / ((len(one) + len(other) - shared) or 1)
    if asked.words == known.words:
        return ParaphraseVerdict(True, overlap, "the same words")
    reason = _difference(asked, known)
    return ParaphraseVerdict(not reason, overlap, reason or "the same in other words")


def _difference(a: QuestionReading, b: QuestionReading) -> str:
    """The first thing that is different; empty if there is none."""
    if a.language != b.language and a.language and b.language:
        return "another language"
    if not a.keys or not b.keys:
        return "nothing is left to compare"
    if a.keys != b.keys:
        mine, yours = set(a.keys.split()), set(b.keys.split())
        if len(mine ^ yours) > MOST:
            return _unshared(a.keys.split(), b.keys.split())
        a, b = _terse(*_mine(a, b))
    one, other = a.keys.split(), b.keys.split()
    if one != other:
        if len(one) != len(other):
            a, b = _split(a, b), _split(b, a)
            one, other = a.keys.split(), b.keys.split()
        if sorted(one) != sorted(other) and _typed_plainly(a, b):
            one, other = [_plain(key) for key in one], [_plain(key) for key in other]
        if sorted(one) != sorted(other):
            other, one = _with_apostrophe(other, one, a), _with_apostrophe(one, other, b)
        if sorted(one) != sorted(other):
            return _unshared(one, other)
    if a.tense != b.tense:
        return f"“{a.tense or 'present'}” is not “{b.tense or 'present'}”"
    if reason := _asked(a, b):
        return reason
    if _by_owner(a, b, one, other):
        return ""
    return _done(a, b, one, other) or _owned(a, b, one, other)


def _unshared(one: list[str], other: list[str]) -> str:
    mine = next((key for key in one if one.count(key) > other.count(key)), "")
    yours = next((key for key in other if other.count(key) > one.count(key)), "")
    if mine and yours:
        return f"“{mine}” is not “{yours}”"
    return f"“{mine or yours}” is only in one"


def _with_apostrophe(keys: list[str], like: list[str], question: QuestionReading) -> list[str]:
    """*keys* with an owner as *question* has it, where it lacks its apostrophe: "annas car"."""
    if "'" not in question.owners and "|" not in question.owners:
        return keys
    owners = {
        like[n] + "s": like[n]
        for n, sign in enumerate(question.owners)
        if sign != "-" and like[n] not in keys
    }
    return [owners.get(key, key) for key in keys]


def _typed_plainly(a: QuestionReading, b: QuestionReading) -> bool:
    """Whether one of them has no accents, in a language where those are mere spelling."""
    return a.language in ("es", "fr", "it", "pt") and a.words.isascii() != b.words.isascii()


def _plain(key: str) -> str:
    """A word as it is typed without accents; one on the last letter tells a tense or a person."""
    return key if key[-1] > "\x7f" else fold(key)


_LOOSE = frozenset("of for in on at my our".split())


def _mine(a: QuestionReading, b: QuestionReading) -> tuple[QuestionReading, QuestionReading]:
    """ "My application" has the "I" of "I apply" in it."""
    if b.subject and not a.subject:
        b, a = _mine(b, a)
    elif a.subject in _MINE and not b.subject and b.verb == "be":
        keys = b.keys.split()
        at = b.forms.find("n") - 1
        if at >= 0 and keys[at] == _MINE[a.subject]:
            kept = [n for n in range(len(keys)) if n != at]
            b = _only(b, kept, [keys[n] for n in kept])
    return a, b


def _terse(a: QuestionReading, b: QuestionReading) -> tuple[QuestionReading, QuestionReading]:
    """Key words alone have none of the small prepositions that the whole question has, and they
    are about one's own things."""
    if a.verb == "none" and b.ask == "whatis":
        return a, _without(b, _LOOSE)
    if b.verb == "none" and a.ask == "whatis":
        return _without(a, _LOOSE), b
    return a, b


def _without(question: QuestionReading, words: frozenset[str]) -> QuestionReading:
    kept = [n for n, key in enumerate(question.keys.split()) if key not in words]
    return _only(question, kept, [question.keys.split()[n] for n in kept])


def _only(question: QuestionReading, kept: list[int], keys: list[str]) -> QuestionReading:
    return question._replace(
        keys=" ".join(keys),
        forms="".join(question.forms[n] for n in kept),
        phrases="".join(question.phrases[n] for n in kept),
        owners="".join(question.owners[n] for n in kept),
    )


def _split(question: QuestionReading, like: QuestionReading) -> QuestionReading:
    """*question* with each pair of words joined that *like* has as one: "follow up"."""
    keys, whole = question.keys.split(), set(like.keys.split())
    kept, found = [], []
    n = 0
    while n < len(keys):
        both = keys[n] + keys[n + 1] if n + 1 < len(keys) else ""
        if both in whole and both not in keys and both.isalpha() and keys[n] not in ("no", "not"):
            kept.append(n)
            found.append(both)
            n += 2
        else:
            kept.append(n)
            found.append(keys[n])
            n += 1
    return _only(question, kept, found) if len(found) < len(keys) else question


def _asked(a: QuestionReading, b: QuestionReading) -> str:
    if a.ask == b.ask:
        return ""
    asks = {a.ask, b.ask}
    if asks == {"", "whatis"}:  # "deploy day?"
        return "" if a.subject == b.subject else "a question and a statement"
    if asks == {"what", "whatis"} and a.subject and a.subject == b.subject and a.keys == b.keys:
        return ""  # "which database do we use" and "what is the database that we use"
    if asks == {"what", "whatis"} and {a.verb, b.verb} == {"do", "be"} and "n" in a.forms + b.forms:
        return ""  # "what did Noor suggest" and "what was Noor's suggestion"
    if asks == {"what", "whatis"} and "passive" in (a.verb, b.verb) and a.subject != b.subject:
        return ""  # "what did we decide" and "what was decided", if nothing else is different
    if asks == {"how", "howto"} and "passive" in (a.verb, b.verb):
        return ""  # "how do we scan uploads" and "how are uploads scanned"
    return f"“{a.ask or 'no question word'}” is not “{b.ask or 'no question word'}”"


def _done(a: QuestionReading, b: QuestionReading, one: list[str], other: list[str]) -> str:
    """What is different in who does it, in the voice, or in the order; empty if nothing is."""
    if _turned(a, b, one, other):
        return ""
    if a.subject != b.subject:
        if a.subject and b.subject:
            return f"“{a.subject}” is not “{b.subject}”"
        if (a.ask != "howto" or b.ask != "howto") and "gerund" not in (a.verb, b.verb):
            return f"“{a.subject or b.subject}” is only in one"
    if a.verb != b.verb and not _same_verb(a, b):
        return f"“{a.verb or 'no auxiliary'}” is not “{b.verb or 'no auxiliary'}”"
    if one != other and not _moved(a, b, one, other):
        return "the words are in another order"
    if one == other:
        return _formed(a, b, one)
    forms = sorted(zip(one, a.forms, strict=True)), sorted(zip(other, b.forms, strict=True))
    return "" if forms[0] == forms[1] else "the words are in other forms"


def _same_verb(a: QuestionReading, b: QuestionReading) -> bool:
    verbs = {a.verb, b.verb}
    if "none" in verbs or {a.ask, b.ask} == {"", "whatis"}:  # key words
        return verbs <= {"none", "", "be", "passive", "going on"}
    if "gerund" in verbs:  # "the reason for dropping it"
        return verbs <= {"", "do", "gerund"}
    if verbs <= {"", "do"}:  # "when does she call", "tell me when she calls"
        return True
    if verbs == {"do", "going on"} and not a.subject and not b.subject:
        going = b if b.verb == "going on" else a
        keys = going.keys.split()
        return all(keys[n] in data.STATES for n, form in enumerate(going.forms) if form == "g")
    return verbs <= {"", "do", "going on"} and a.subject == b.subject != ""


def _formed(a: QuestionReading, b: QuestionReading, keys: list[str]) -> str:
    """What is different in the forms of the same words in the same order."""
    for key, mine, yours in zip(keys, a.forms, b.forms, strict=True):
        if mine == yours:
            continue
        if key in data.SAME_PAST and "d" not in (a.tense + b.tense):
            return f"“{key}” may be of the past"
        forms = {mine, yours}
        if forms <= {"-", "s"}:
            continue
        if "n" in forms or ("g" in forms and "going on" not in (a.verb, b.verb)):
            return f"“{key}” in another form"
        if forms == {"d", "g"}:
            return f"“{key}” in another form"
        if "d" in forms and "past" not in a.tense and "perfect" not in a.tense:
            return f"“{key}” in another form"
    return ""


def _by_owner(a: QuestionReading, b: QuestionReading, one: list[str], other: list[str]) -> bool:
    """Whether one says that somebody does something, and the other has it as theirs: "when did
    Anna arrive", "when was Anna's arrival"."""
    if b.verb == "do":
        a, b, one, other = b, a, other, one
    if a.verb != "do" or b.verb != "be" or one != other or a.subject or b.subject:
        return False
    different = [n for n, form in enumerate(b.forms) if form != a.forms[n]]
    at = different[0] if len(different) == 1 else 0
    return (
        at > 0
        and b.forms[at] == "n"
        and a.forms[at] == "-"
        and (other[at] in data.BY_OWNER and b.owners[at - 1] == "'")
    )


def _turned(a: QuestionReading, b: QuestionReading, one: list[str], other: list[str]) -> bool:
    """Whether one says who does something and the other only that it is done: "when do we
    deploy the service", "when is the service deployed", "when is the service deployment"."""
    if bool(a.subject) == bool(b.subject):
        return False
    if b.subject:
        a, b, one, other = b, a, other, one
    if (
        a.subject not in _MINE
        or a.verb not in ("do", "", "going on", "have")
        or b.verb not in ("passive", "be")
        or "by" in other
    ):
        return False
    wanted = "d" if b.verb == "passive" else "n"
    for key, form in zip(other, b.forms, strict=True):
        if form == wanted and one.count(key) == 1 and a.forms[one.index(key)] in "-sdg":
            at = other.index(key)
            if form == "n" and not _is_doing(b, key, at):
                continue
            rest, others = list(one), list(other)
            rest.remove(key)
            others.remove(key)
            if rest == others:
                return True
    return False


def _is_doing(question: QuestionReading, key: str, at: int) -> bool:
    """Whether a noun is what is done, and not who did it ("Noor's suggestion") or a thing ("what
    is the test")."""
    if key in data.BY_OWNER:
        return question.owners[at - 1 : at] != "'"
    return question.ask not in ("what", "whatis", "who")


_MINE = {"i": "my", "we": "our"}


def _moved(a: QuestionReading, b: QuestionReading, one: list[str], other: list[str]) -> bool:
    """Whether only phrases with a preposition have changed places."""
    turns = one[1:] + one[:1] == other or other[1:] + other[:1] == one
    if turns and a.language in ("es", "fr", "it", "pt") and a.ask in ("where", "when"):
        return True  # "où habite Anne", "où est-ce qu'Anne habite"
    mine, yours = _parts(one, a.phrases), _parts(other, b.phrases)
    if not len(mine) == len(yours) > 2 or mine[0] != yours[0] or sorted(mine) != sorted(yours):
        return False
    return sum([not _is_free(part) for part in mine[1:]]) < 2


def _is_free(part: list[str]) -> bool:
    """Whether a phrase says the same wherever it stands: a time, a topic, a way; but not a place,
    which may belong to what is before it ("in the box on the table")."""
    return part[0] in data.FREE or any(
        key[0].isdigit() or key in data.SPANS or key in data.DAYS for key in part
    )


def _parts(keys: list[str], phrases: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for key, begins in zip(keys, phrases, strict=True):
        if begins == "(":
            parts.append([])
        parts[-1].append(key)
    return parts


def _owned(a: QuestionReading, b: QuestionReading, one: list[str], other: list[str]) -> str:
    if a.owners == b.owners:
        return ""
    for keys, signs, others, theirs in (
        (one, a.owners, other, b.owners),
        (other, b.owners, one, a.owners),
    ):
        owners = Counter(key for key, sign in zip(keys, signs, strict=True) if sign == "'")
        owners -= Counter(key for key, sign in zip(others, theirs, strict=True) if sign != "-")
        if owners:
            return f"“{next(iter(owners))}” owns something only in one"
    return ""
