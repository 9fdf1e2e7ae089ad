"""Whether two questions ask exactly the same: the guard of answers kept for near questions.

The rule is that everything must be accounted for. A question is read once: its language is told by
its words of grammar, frames ("can you tell me") and articles go, what is asked (``ask``), when
(``tense``), by whom (``subject``) and in which voice become fields of their own, and every other
word is kept, by its key. Two questions are the same if they have the same keys in the same order
and the same fields. Nothing is a list of dangerous words: what ``near_words.py`` does not call
harmless makes a difference, and a language that is not known there is compared word by word.

Keys are equal for equal words, for a plain ending (test, tests, tested), and for a few hundred
synonyms. A name, a number, an identifier and a word that no dictionary has are their own keys.

What may be elsewhere: "the deadline of the report" is read as "the report's deadline", "what
colour is the car" as "what is the car's colour", what stands before a comma and the question
as if it came last; phrases with a preposition may change places after the same beginning; and one
verb may move if the question turns from "when do we deploy the service" to "when is the service
deployed" or "when is the deployment of the service". Nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.text import near_words as data
from recollect.text.ordinary import commonness
from recollect.text.terms import fold, is_run

OVERLAP = 0.6
"""Questions that share so many of their words are near."""
SIMILARITY = 0.92
"""Questions whose vectors are so similar are near, whatever their words."""


class Question(NamedTuple):
    """A question as it is compared; strings only, so that a cache can keep it as JSON."""

    language: str
    words: str
    """All words, folded, in their order."""
    ask: str
    tense: str = ""
    subject: str = ""
    """"I" or "we"."""
    verb: str = ""
    """``do``, ``be``, ``passive``, ``going on``; empty when no auxiliary tells."""
    keys: str = ""
    forms: str = ""
    """A letter for each key: ``s`` (tests), ``d`` (tested), ``g`` (testing), ``n`` (deployment),
    ``-`` for anything else."""
    phrases: str = ""
    """A letter for each key: ``(`` where a phrase with a preposition begins, otherwise ``-``."""
    owners: str = ""
    """A letter for each key: ``'`` for an owner, ``|`` for one that may go without saying."""


class Verdict(NamedTuple):
    same: bool
    overlap: float
    """Of the words, by Jaccard: how many both have, of those that any has."""
    reason: str


# ------------------------------------------------------------------ comparing


def compare(asked: Question, known: Question) -> Verdict:
    """Whether two questions ask the same; it is the same either way round. The reason says what
    is different, in few words."""
    one, other = set(asked.words.split()), set(known.words.split())
    shared = len(one & other)
    overlap = shared / ((len(one) + len(other) - shared) or 1)
    if asked.words == known.words:
        return Verdict(True, overlap, "the same words")
    reason = _difference(asked, known)
    return Verdict(not reason, overlap, reason or "the same in other words")


def _difference(a: Question, b: Question) -> str:
    """The first thing that is different; empty if there is none."""
    if a.language != b.language and a.language and b.language:
        return "another language"
    if not a.keys or not b.keys:
        return "nothing is left to compare"
    if a.keys != b.keys:
        a, b = _terse(*_mine(a, b))
    one, other = a.keys.split(), b.keys.split()
    if one != other:
        if len(one) != len(other):
            one, other, a, b = _joined(one, other, a, b)
        if sorted(one) != sorted(other) and _typed_plainly(a, b):
            one, other = [_plain(key) for key in one], [_plain(key) for key in other]
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
    mine = [key for key in (Counter(one) - Counter(other))]
    yours = [key for key in (Counter(other) - Counter(one))]
    if mine and yours:
        return f"“{mine[0]}” is not “{yours[0]}”"
    return f"“{(mine or yours)[0]}” is only in one"


def _typed_plainly(a: Question, b: Question) -> bool:
    """Whether one of them has no accents, in a language where those are mere spelling."""
    return a.language in ("es", "fr", "it", "pt") and a.words.isascii() != b.words.isascii()


def _plain(key: str) -> str:
    """A word as it is typed without accents; one on the last letter tells a tense or a person."""
    return key if key[-1] > "\x7f" else fold(key)


_LOOSE = frozenset("of for in on at".split())


def _mine(a: Question, b: Question) -> tuple[Question, Question]:
    """"My application" has the "I" of "I apply" in it."""
    if b.subject and not a.subject:
        b, a = _mine(b, a)
    elif a.subject in _MINE and not b.subject and b.verb == "be":
        keys = b.keys.split()
        at = b.forms.find("n") - 1
        if at >= 0 and keys[at] == _MINE[a.subject]:
            kept = [n for n in range(len(keys)) if n != at]
            b = _only(b, kept, [keys[n] for n in kept])
    return a, b


def _terse(a: Question, b: Question) -> tuple[Question, Question]:
    """Key words alone have none of the small prepositions that the whole question has."""
    if a.verb == "none" and b.ask == "whatis":
        return a, _without(b, _LOOSE)
    if b.verb == "none" and a.ask == "whatis":
        return _without(a, _LOOSE), b
    return a, b


def _without(question: Question, words: frozenset[str]) -> Question:
    kept = [n for n, key in enumerate(question.keys.split()) if key not in words]
    return _only(question, kept, [question.keys.split()[n] for n in kept])


def _only(question: Question, kept: list[int], keys: list[str]) -> Question:
    return question._replace(
        keys=" ".join(keys),
        forms="".join(question.forms[n] for n in kept),
        phrases="".join(question.phrases[n] for n in kept),
        owners="".join(question.owners[n] for n in kept),
    )


def _joined(
    one: list[str], other: list[str], a: Question, b: Question
) -> tuple[list[str], list[str], Question, Question]:
    """A word that one question writes as two is two in both: "follow up", "followup"."""
    a, b = _split(a, b), _split(b, a)
    return a.keys.split(), b.keys.split(), a, b


def _split(question: Question, like: Question) -> Question:
    """*question* with each pair of words joined that *like* has as one."""
    keys, whole = question.keys.split(), set(like.keys.split())
    kept, found = [], []
    n = 0
    while n < len(keys):
        both = keys[n] + keys[n + 1] if n + 1 < len(keys) else ""
        if both in whole and both not in keys and both.isalpha():
            kept.append(n)
            found.append(both)
            n += 2
        else:
            kept.append(n)
            found.append(keys[n])
            n += 1
    return _only(question, kept, found) if len(found) < len(keys) else question


def _asked(a: Question, b: Question) -> str:
    if a.ask == b.ask:
        return ""
    asks = {a.ask, b.ask}
    if asks == {"", "whatis"}:  # "deploy day?"
        return "" if a.subject == b.subject else "a question and a statement"
    if asks == {"what", "whatis"} and a.subject and a.subject == b.subject and a.keys == b.keys:
        return ""  # "which database do we use" and "what is the database that we use"
    if asks == {"what", "whatis"} and {a.verb, b.verb} == {"do", "be"} and "n" in a.forms + b.forms:
        return ""  # "what did Noor suggest" and "what was Noor's suggestion"
    if asks == {"how", "howto"} and "passive" in (a.verb, b.verb):
        return ""  # "how do we scan uploads" and "how are uploads scanned"
    return f"“{a.ask or 'no question word'}” is not “{b.ask or 'no question word'}”"


def _done(a: Question, b: Question, one: list[str], other: list[str]) -> str:
    """What is different in who does it, in the voice, or in the order; empty if nothing is."""
    if _turned(a, b, one, other):
        return ""
    if a.subject != b.subject:
        if a.subject and b.subject:
            return f"“{a.subject}” is not “{b.subject}”"
        if a.ask != "howto" or b.ask != "howto":
            return f"“{a.subject or b.subject}” is only in one"
    if a.verb != b.verb and not _same_verb(a, b):
        return f"“{a.verb or 'no auxiliary'}” is not “{b.verb or 'no auxiliary'}”"
    if one != other and not _moved(a, b, one, other):
        return "the words are in another order"
    if one == other:
        return _formed(a, b, one)
    return "" if sorted(zip(one, a.forms, strict=True)) == sorted(zip(other, b.forms, strict=True)) else "other forms"  # fmt: skip


def _same_verb(a: Question, b: Question) -> bool:
    verbs = {a.verb, b.verb}
    if "none" in verbs or {a.ask, b.ask} == {"", "whatis"}:  # key words
        return verbs <= {"none", "", "be", "passive", "going on"}
    if verbs <= {"", "do"}:  # "when does she call", "tell me when she calls"
        return True
    return verbs <= {"", "do", "going on"} and a.subject == b.subject != ""


def _formed(a: Question, b: Question, keys: list[str]) -> str:
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


def _by_owner(a: Question, b: Question, one: list[str], other: list[str]) -> bool:
    """Whether one says that somebody does something, and the other has it as theirs: "when did
    Anna arrive", "when was Anna's arrival"."""
    if b.verb == "do":
        a, b, one, other = b, a, other, one
    if a.verb != "do" or b.verb != "be" or one != other or a.subject or b.subject:
        return False
    different = [n for n, form in enumerate(b.forms) if form != a.forms[n]]
    at = different[0] if len(different) == 1 else 0
    return at > 0 and b.forms[at] == "n" and a.forms[at] == "-" and (
        other[at] in data.BY_OWNER and b.owners[at - 1] == "'"
    )  # fmt: skip


def _turned(a: Question, b: Question, one: list[str], other: list[str]) -> bool:
    """Whether one says who does something and the other only that it is done: "when do we
    deploy the service", "when is the service deployed", "when is the service deployment"."""
    if bool(a.subject) == bool(b.subject):
        return False
    if b.subject:
        a, b, one, other = b, a, other, one
    if a.subject not in _MINE or a.verb not in ("do", "", "going on") or b.verb not in ("passive", "be") or "by" in other:
        return False
    wanted = "d" if b.verb == "passive" else "n"
    for key, form in zip(other, b.forms, strict=True):
        if form == wanted and one.count(key) == 1 and a.forms[one.index(key)] in "-sdg":
            at = other.index(key)
            if b.owners[at - 1 : at] == "'" and key in data.BY_OWNER:
                continue
            rest, others = list(one), list(other)
            rest.remove(key)
            others.remove(key)
            if rest == others:
                return True
    return False


_MINE = {"i": "my", "we": "our"}


def _moved(a: Question, b: Question, one: list[str], other: list[str]) -> bool:
    """Whether only phrases with a preposition have changed places."""
    mine, yours = _parts(one, a.phrases), _parts(other, b.phrases)
    return len(mine) == len(yours) > 2 and mine[0] == yours[0] and sorted(mine) == sorted(yours)


def _parts(keys: list[str], phrases: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for key, begins in zip(keys, phrases, strict=True):
        if begins == "(":
            parts.append([])
        parts[-1].append(key)
    return parts


def _owned(a: Question, b: Question, one: list[str], other: list[str]) -> str:
    if a.owners == b.owners:
        return ""
    mine = Counter(zip(one, a.owners, strict=True))
    yours = Counter(zip(other, b.owners, strict=True))
    for key, sign in (mine - yours) | (yours - mine):
        if sign == "'":
            return f"“{key}” owns something only in one"
    return ""


# ------------------------------------------------------------------ reading


class _Word(NamedTuple):
    text: str
    name: bool = False
    """Has a capital that tells something, or is no word at all: compared as it is."""
    owner: bool = False
    stop: bool = False
    """A comma or such stands after it."""
    tied: bool = False
    """A hyphen ties it to the word before."""


class _Key(NamedTuple):
    key: str
    form: str = "-"
    begins: bool = False
    """A word of grammar or a stop stands before it."""
    owner: bool = False
    name: bool = False
    place: bool = False


_TYPOGRAPHY = str.maketrans({
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "\u2010": "-", "\u2011": "-", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "–": "-", "\u2212": "-",
})  # fmt: skip
_LATIN = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r'(?<!\S)-?"[^"]*"')
_TIE = "\ue000"
"""Stands for a space inside quotes."""
_BEFORE = "([{¿¡'\"«"
_AFTER = ")]}([{?!.,;:'\"»…？！。，؟،"
_STOPS = ",;:?!.—،؟"
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound"}


def read(text: str) -> Question:
    """A question as it is compared. Any text can be read, and the same text reads the same."""
    text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)
    if not text.isascii() and any(is_run(char) for char in text):
        return _read_run(text)
    language = _language(text)
    words = _words(text, language)
    plain = " ".join([word.text + " 's" if word.owner else word.text for word in words])
    if not language:
        keys = plain.split()
        return Question("", plain, "", "", "", "none", plain, "-" * len(keys), "-" * len(keys), "-" * len(keys))  # fmt: skip
    return _Reader(language, words).question(plain)


@cache
def _known_by() -> dict[str, frozenset[str]]:
    return {name: frozenset(one.known_by.split()) for name, one in data.LANGUAGES.items()}


def _language(text: str) -> str:
    """The language whose words of grammar occur most; English also if there are none and all
    words are plain English ones; empty if that does not tell."""
    words = _LATIN.findall(text.lower())
    if not text.isascii():
        for word in words:
            if "\u0400" <= word[0] < "\u0530":
                return "ru"
            if "\u0600" <= word[0] < "\u0700":
                return "ar"
    counts = {
        name: sum([word in grammar for word in words]) for name, grammar in _known_by().items()
    }
    most = max(counts.values())
    best = [name for name, count in counts.items() if count == most]
    if most < 2 or "en" in best:  # one word of grammar tells little
        grammar = _known_by()[best[0]] if most else frozenset()
        if _english(words, grammar):
            return "en"
    return best[0] if most and len(best) == 1 else ""


def _english(words: list[str], but: frozenset[str] = frozenset()) -> bool:
    """Whether all words (but some) are plain English ones, or names."""
    common = [commonness(word) for word in words if word not in but]
    return common.count("ordinary") > (1 if but else 0) and "foreign" not in common


def _words(text: str, language: str) -> list[_Word]:
    """The words as they are compared, without what stands around them."""
    if '"' in text:
        text = _QUOTED.sub(lambda m: _TIE.join(m[0].split()), text)
    chunks = text.split()
    letters = [chunk for chunk in chunks if chunk[:1].isalpha()]
    capitals = sum([chunk[0].isupper() for chunk in letters])
    titled = len(letters) > 3 and capitals * 5 > len(letters) * 3
    found: list[_Word] = []
    for chunk in chunks:
        found += _chunk(chunk, language, bool(found) and not titled and language != "de")
    return found


def _chunk(chunk: str, language: str, capital_tells: bool) -> list[_Word]:
    """The words of one stretch without white space."""
    if _is_syntax(chunk):
        return [_Word(fold(chunk), True)]
    core = chunk.lstrip(_BEFORE)
    bare = core.rstrip(_AFTER)
    stop = core[len(bare) :].strip("'\")]}") != "" or chunk == "-" or chunk == "—"
    if not bare:
        return [_Word(fold(chunk), True)] if any(c not in _BEFORE + _AFTER + "-—·|" for c in chunk) else []  # fmt: skip
    if bare.isascii() and bare.isalpha():  # most of them
        name = capital_tells and bare[0].isupper() and bare != "I"
        shouted = name and bare.isupper() and bare.lower() in data.MAYBE_NAMES
        return [_Word(bare if shouted else bare.lower(), name, stop=stop)]
    name = capital_tells and bare[:1].isupper()
    word = fold(bare) if language in ("en", "ru", "ar") else unicodedata.normalize("NFC", bare.casefold())  # fmt: skip
    if any(char.isdigit() for char in word):
        return [w._replace(stop=stop) for w in _number(word)]
    if not word.strip("-"):
        return []
    if "-" in word and all(part.isalpha() for part in word.split("-")):
        parts = [_Word(part, name, tied=n > 0) for n, part in enumerate(word.split("-"))]
        return [*parts[:-1], parts[-1]._replace(stop=stop)]
    if "'" in word:
        return [w._replace(name=name, stop=stop) for w in _apostrophe(word, language)]
    return [_Word(word, name or not word.isalpha(), stop=stop)]


def _is_syntax(chunk: str) -> bool:
    """Whether it is of the query language (quotes, exclusion, prefix, filter) or looks so."""
    first = chunk[0]
    if first == '"' or (first == "-" and len(chunk) > 1 and (chunk[1].isalpha() or chunk[1] in '-"')):
        return True
    return chunk.endswith("*") or (":" in chunk[:-1] and not chunk[0].isdigit() and "://" not in chunk)  # fmt: skip


def _number(word: str) -> list[_Word]:
    """A number, or an identifier with a digit in it."""
    if "," in word and _THOUSANDS.fullmatch(word.lstrip("$€£")):
        word = word.replace(",", "")
    if word[0] in _MONEY:
        return [_Word(word[1:], True), _Word(_MONEY[word[0]])]
    if word[-1] == "%":
        return [_Word(word[:-1], True), _Word("percent")]
    if word.endswith("'s"):
        return [_Word(word[:-2], True, True)]
    head, dash, rest = word.partition("-")
    if dash and head.isdigit() and rest.isalpha():  # 30-gallon
        return [_Word(head, True), _Word(rest)]
    return [_Word(word, True)]


def _apostrophe(word: str, language: str) -> list[_Word]:
    if language != "en":
        return [_Word(part) for part in word.split("'") if part]
    whole = data.SHORT.get(word)
    if whole:
        return [_Word(part) for part in whole.split()]
    for end, full in (("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'m", "am")):  # fmt: skip
        if word.endswith(end):
            return [_Word(word[: -len(end)]), _Word(full)]
    if word.endswith("'s"):
        return [_Word(word[:-2].replace("'", ""), owner=True)]
    if word.endswith("'"):
        return [_Word(word[:-1].replace("'", ""), owner=True)]
    return [_Word(word.replace("'", ""))]


class _Frames(NamedTuple):
    before: re.Pattern[str]
    embeds: re.Pattern[str]
    after: re.Pattern[str]
    asks: re.Pattern[str]
    signs: tuple[str, ...]


@cache
def _frames(language: str) -> _Frames:
    """The patterns of a language, compiled when it is first met."""
    one = data.LANGUAGES[language]
    fit = fold if language in ("ru", "ar") else str

    def anchored(patterns: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile(rf"(?:{'|'.join(map(fit, patterns)) or '(?!)'})(?:(?<= )| |$)")

    asks = "|".join(f"(?P<a{n}>{fit(p)})" for n, (_, p) in enumerate(one.asks))
    number = iter(range(100))
    asks = re.sub(r"\(\?P<subject>", lambda _: f"(?P<s{next(number)}>", asks)
    return _Frames(
        anchored(one.before),
        anchored(one.embeds),
        re.compile(rf" (?:{'|'.join(map(fit, one.after)) or '(?!)'})$"),
        re.compile(rf"(?:{asks or '(?!)'})(?: |$)"),
        tuple(sign for sign, _ in one.asks),
    )


class _Reader:
    """Reads the words of one question in one language."""

    def __init__(self, language: str, words: list[_Word]) -> None:
        self.language = language
        self.data = data.LANGUAGES[language]
        self.words = words
        self.ask = self.subject = self.verb = ""
        self.tense: set[str] = set()
        self.keys: list[_Key] = []
        self.embedded = False
        self.dropped = False
        """Whether any word of grammar was there: key words have none."""

    def question(self, plain: str) -> Question:
        if self.language == "en":
            self.words = _written_out(self.words)
        self._unframe()
        self._find_ask()
        if self.language == "en":
            _English(self).read()
        else:
            self._read_plain()
        keys = self.keys
        terse = not self.ask and not self.dropped and not self.verb
        return Question(
            self.language,
            plain,
            self.ask,
            " ".join(sorted(self.tense)),
            self.subject,
            "none" if terse else self.verb,
            " ".join([key.key for key in keys]),
            "".join([key.form for key in keys]),
            "".join(["(" if key.place else "-" for key in keys]),
            _owners(keys),
        )

    def _text(self, start: int = 0) -> str:
        return " ".join([word.text for word in self.words[start:]])

    def _unframe(self) -> None:
        """Takes frames away, as long as anything is left."""
        frames = _frames(self.language)
        text = self._text()
        at = 0
        while True:
            found = frames.embeds.match(text, at)
            embeds = found is not None
            found = found or frames.before.match(text, at)
            if not found or found.end() >= len(text) or found.end() == at:
                break
            self.embedded |= embeds
            at = found.end()
        end = len(text)
        while (tail := frames.after.search(text, at, end)) and tail.start() > at:
            end = tail.start()
        if at or end < len(text):
            start = text[:at].count(" ")
            self.words = self.words[start : start + len(text[at:end].split())]
            self.dropped = True

    def _find_ask(self) -> None:
        """What is asked, by how the question begins; a phrase that stands before is put last, and
        so is a preposition ("in which city")."""
        if self._ask_at(0):
            return
        words = self.words
        if self.language == "en" and len(words) > 2:
            if words[0].text in _places("en") and words[1].text in ("which", "what", "whom"):
                if self._ask_at(1):
                    self.words = [*self.words, words[0]]
                return
            if words[-1].text in _LAST and words[-2].text in data.BE:  # the deadline is when?
                self.words = [words[-1], *words[:-1]]
                if self._ask_at(0):
                    return
                self.words = words
        for n, word in enumerate(self.words[:-1], 1):
            if word.stop or (n > 1 and self.words[0].text in _places(self.language)):
                before = self.words[:n]
                if self._ask_at(n, only=not word.stop):
                    last = before[-1]._replace(stop=True)
                    it = [n for n, w in enumerate(self.words) if w.text in ("it", "they")]
                    if word.stop and self.language == "en" and len(it) == 1:
                        self.words[it[0] : it[0] + 1] = before  # the report, when is it due?
                        return
                    if self.words:
                        self.words[-1] = self.words[-1]._replace(stop=True)
                    self.words += [*before[:-1], last]
                    return

    def _ask_at(self, start: int, only: bool = False) -> bool:
        frames = _frames(self.language)
        text = self._text(start)
        found = frames.asks.match(text)
        if not found:
            if self.language == "en" and not only and _asks_whether(self.words[start:]):
                self.ask = "yes"
                self.words = self.words[start:]
                return True
            return False
        groups = found.groupdict()
        number = next(int(name[1:]) for name, said in groups.items() if said and name[0] == "a")
        self.ask = frames.signs[number]
        self.subject = next((said for name, said in groups.items() if said and name[0] == "s"), "")
        said = found[0].split()
        if self.ask == "whatis" and self.language == "en":
            self.verb = "be"
            if said[-1] in ("was", "were"):
                self.tense.add("past")
        rest = self.words[start + len(said) :]
        if not rest:
            self.ask = ""
            return False
        self.words = rest
        return True

    def _read_plain(self) -> None:
        """Of a language other than English: every word but articles and the copula."""
        articles, is_now = frozenset(self.data.dropped.split()), frozenset(self.data.is_now.split())
        places, equal = _places(self.language), data.equal(self.language)
        numbers, fillers = _numbers(self.language), _fillers(self.language)
        if self.embedded and self.data.verb_last and self.ask == "what" and words_end_is(self.words, is_now):
            self.ask = "whatis"
        begins = True
        words = self.words
        n = 0
        while n < len(words):
            word = words[n]
            text = word.text
            joined, size = _several(words, n, equal)
            n += size
            if size == 1 and (text in articles or text in is_now or text in fillers):
                begins = self.dropped = True
                continue
            key = joined if size > 1 else equal.get(text) or numbers.get(text) or text
            self.keys.append(_Key(key.replace(" ", "_"), "-", begins, place=text in places))
            begins = word.stop
        if self.embedded and self.data.verb_last and len(self.keys) > 1 and self.ask != "whatis":
            # wo der Vertrag liegt, wo liegt der Vertrag: the question word is the first key
            if not words_end_is(self.words, is_now):
                self.keys.insert(0 if self.ask else 1, self.keys.pop())


def words_end_is(words: list[_Word], ends: frozenset[str]) -> bool:
    return bool(words) and words[-1].text in ends


_LAST = frozenset("when where who what".split())


@cache
def _places(language: str) -> frozenset[str]:
    return frozenset(data.LANGUAGES[language].places.split())


@cache
def _fillers(language: str) -> frozenset[str]:
    return frozenset(data.LANGUAGES[language].fillers.split())


@cache
def _numbers(language: str) -> dict[str, str]:
    return {w: str(n) for n, w in enumerate(data.LANGUAGES[language].numbers.split())}


@lru_cache(maxsize=4)
def _openers(language: str) -> frozenset[str]:
    """First words of what several words say."""
    return frozenset(word.split()[0] for word in data.equal(language) if " " in word)


def _several(words: list[_Word], n: int, equal: dict[str, str], first: str = "") -> tuple[str, int]:
    """What several words from the *n*-th say as one, and how many they are."""
    first = first or words[n].text
    for size in (3, 2):
        if n + size <= len(words):
            rest = " ".join([word.text for word in words[n + 1 : n + size]])
            one = equal.get(f"{first} {rest}")
            if one and not any(word.stop for word in words[n : n + size - 1]):
                return one, size
    return "", 1


def _owners(keys: list[_Key]) -> str:
    """A sign for each key; an owner that a relation follows may go without saying."""
    signs = []
    for n, key in enumerate(keys):
        head = n + 1
        while head + 1 < len(keys) and not keys[head + 1].begins:
            head += 1
        loose = head < len(keys) and keys[head].key in data.RELATIONS and not key.name
        signs.append(("|" if loose else "'") if key.owner else "-")
    return "".join(signs)


def _asks_whether(words: list[_Word]) -> bool:
    first = words[0].text if words else ""
    return first in data.DO or first in data.BE or first in data.HAVE or first in data.TENSES


# ------------------------------------------------------------------ English


def _written_out(words: list[_Word]) -> list[_Word]:
    """Slips such as "whats" and "dont" written out; dates in one form."""
    found: list[_Word] = []
    for word in words:
        full = data.SHORT.get(word.text)
        if full:
            found += [_Word(part) for part in full.split()]
        else:
            found.append(word)
    if any(word.text in data.MONTHS for word in found):
        found = _dates(found)
    return found


_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def _dates(words: list[_Word]) -> list[_Word]:
    """"3 May 2024", "May 3rd, 2024" and "the 3rd of May 2024" as one word."""
    found: list[_Word] = []
    n = 0
    while n < len(words):
        month = data.MONTHS.get(words[n].text)
        if not month or (words[n].text in ("may", "march", "mar", "jan") and not words[n].name):
            found.append(words[n])
            n += 1
            continue
        day = None
        if n + 1 < len(words) and (after := _DAY.fullmatch(words[n + 1].text)):
            day = after[1]
            n += 1
        elif found and (before := _DAY.fullmatch(found[-1].text)):
            day = before[1]
            found.pop()
        elif len(found) > 1 and found[-1].text == "of" and (before := _DAY.fullmatch(found[-2].text)):
            day = before[1]
            del found[-2:]
        n += 1
        year = ""
        if n < len(words) and _YEAR.fullmatch(words[n].text):
            year = words[n].text
            n += 1
        elif n + 1 < len(words) and words[n].text == "of" and _YEAR.fullmatch(words[n + 1].text):
            year = words[n + 1].text
            n += 2
        date = f"{year}-{month:02}" + (f"-{int(day):02}" if day else "")
        found.append(_Word(date, True, stop=words[n - 1].stop))
    return found


class _English:
    """Reads what is left of an English question after its frames and question words."""

    def __init__(self, reader: _Reader) -> None:
        self.r = reader
        self.words = reader.words
        self.begins = True
        self.be_at = -1
        self.done = False

    def read(self) -> None:
        r = self.r
        n = 0
        while n < len(self.words):
            n += self._word(n)
        forms = {key.form for key in r.keys}
        if r.verb == "be" and r.ask != "yes_no":
            if "d" in forms:
                r.verb = "passive"
            elif "g" in forms:
                r.verb = "going on"
        bare = not r.verb and not r.tense
        if bare and "d" in forms and (r.ask or r.subject):
            r.tense.add("past")
        self._adverbs()
        self._negation()
        self._by_whom()
        self._by_agent()
        self._possession()
        self._what_is()
        self._joined_names()
        self._asked_by_noun()
        if not r.tense:
            r.keys = [key for key in r.keys if key.key != "currently"]

    def _word(self, n: int) -> int:
        """Reads the *n*-th word; how many words that took."""
        r, word = self.r, self.words[n]
        text = word.text
        equal = data.equal("en")
        key, form = (text, "-") if word.name else lemma(text)
        if word.name and text in data.PLURALS:
            key = data.PLURALS[text]
        if not word.name and (text in _openers("en") or key in _openers("en")):
            for first in (text, key):
                one, size = _several(self.words, n, equal, first)
                if size > 1:
                    place = one in _places("en")
                    self._keep(_Key(one.replace(" ", "_"), form, self.begins, place=place))
                    self.begins = self.words[n + size - 1].stop
                    return size
        if not word.name and self._grammar(n):
            self.begins = True
            r.dropped = True
            return 1
        key = _numbers("en").get(key, key)
        if not word.name:
            key = equal.get(key, key)
        if text in _fillers("en") and not word.name:
            r.dropped = True
            return 1
        place = not word.name and not word.tied and (text in _places("en") or self._is_time(n))
        self._keep(_Key(key, form, self.begins or place, word.owner, word.name, place))
        self.begins = word.stop or place
        return 1

    def _is_time(self, n: int) -> bool:
        """Whether a time begins here that needs no preposition: "yesterday", "last week"."""
        text = self.words[n].text
        if text in data.DAYS:
            return True
        after = self.words[n + 1].text if n + 1 < len(self.words) else ""
        return text in ("last", "this", "next", "every") and after in data.SPANS

    def _keep(self, key: _Key) -> None:
        self.r.keys.append(key)

    def _grammar(self, n: int) -> bool:
        """Whether a word of grammar was read that is not kept."""
        r, text = self.r, self.words[n].text
        last = n + 1 == len(self.words)
        if text in ("a", "an", "the"):
            return not (last or (text == "a" and self.words[n + 1].text in ("few", "little", "lot")))
        if text in data.DO and not last and not self.done and r.verb != "be" and not r.tense:
            self.done = True
            r.verb = r.verb or "do"
            if text == "did":
                r.tense.add("past")
            return True
        if text in data.BE:
            if text in ("was", "were"):
                r.tense.add("past")
            if not r.verb:
                r.verb = "be"
            if self.be_at < 0:
                self.be_at = len(r.keys)
            return True
        if text in data.HAVE and r.verb != "do":
            later = [lemma(word.text)[1] for word in self.words[n + 1 :] if not word.name]
            if "d" in later or "been" in [word.text for word in self.words[n + 1 :]]:
                r.tense.add("perfect" if text != "had" else "had")
                r.verb = r.verb or "have"
                return True
            if text == "had":
                r.tense.add("past")
            return False
        if text in data.TENSES and text != "had":
            r.tense.add(data.TENSES[text])
            r.verb = r.verb or "do"
            return True
        if text in data.SUBJECTS:
            r.subject = f"{r.subject} {text}".strip()
            return True
        return text == "that" and not last and self.words[n + 1].text in _PERSONS

    def _adverbs(self) -> None:
        """Puts adverbs that may stand anywhere last, and drops an "again" that only says that
        one has known it before."""
        r = self.r
        loose = [key for key in r.keys if key.key in data.ANYWHERE]
        if loose:
            r.keys = [key for key in r.keys if key.key not in data.ANYWHERE]
            r.keys += [key._replace(begins=True, place=True) for key in loose]
        last = r.keys[-1].key if r.keys else ""
        if last == "again" and len(r.keys) > 1 and r.ask not in ("", "yes", "why", "howoften", "howmany"):
            if r.verb == "be" or (r.verb in ("do", "") and not r.tense):
                r.keys.pop()

    def _negation(self) -> None:
        """Puts the one "not" of a simple question first: "isn't it warm", "is it not warm"."""
        keys = [key.key for key in self.r.keys]
        if keys.count("not") == 1 and (at := keys.index("not")):
            between = self.r.keys[:at]
            if not any(key.place or key.key in ("and", "or", "but", "if", "not") for key in between):
                self.r.keys.insert(0, self.r.keys.pop(at))

    def _by_whom(self) -> None:
        """Turns "by whom was it made" and "who was it made by" to "who made it"."""
        r = self.r
        last = bool(r.keys) and r.keys[-1].key == "by"
        if r.verb != "passive" or not (r.ask == "whoby" or (r.ask == "who" and last)):
            return
        done = [key for key in r.keys if key.form == "d"]
        if len(done) != 1 or len(r.subject.split()) > 1:
            return
        rest = [key for key in r.keys if key is not done[0]][: -1 if r.ask == "who" else None]
        me = [_Key({"i": "me", "we": "us"}[r.subject])] if r.subject else []
        verb = done[0]._replace(form="d" if r.tense == {"past"} else "-", begins=True)
        r.keys = [verb, *me, *rest]
        r.ask, r.verb, r.subject = "who", "", ""

    def _by_agent(self) -> None:
        """Turns "was the bug fixed by Anna" to "did Anna fix the bug"."""
        r = self.r
        by = [n for n, key in enumerate(r.keys) if key.key == "by"]
        done = [n for n, key in enumerate(r.keys) if key.form == "d"]
        if r.verb != "passive" or len(by) != 1 or len(done) != 1 or done[0] > by[0] or r.subject:
            return
        start = end = by[0] + 1
        while end < len(r.keys) and not (r.keys[end].place or (end > start and r.keys[end].begins)):
            end += 1
        if start == end or r.tense - {"past"}:
            return
        verb = r.keys[done[0]]._replace(form="-")
        agent, patient = r.keys[start:end], r.keys[: done[0]]
        if any(key.place for key in patient):
            return
        rest = [*r.keys[done[0] + 1 : by[0]], *r.keys[end:]]
        r.keys = [*agent, verb, *patient, *rest]
        r.verb = "do"
        if r.ask == "whatis":
            r.ask = "what"

    def _asked_by_noun(self) -> None:
        """Reads "what is the age of" as "how old is", and a few more of that kind."""
        r = self.r
        head = next((n for n, key in enumerate(r.keys) if key.place), len(r.keys)) - 1
        if r.ask in ("whatis", "where", "when") and head > 0 and r.verb == "be":
            key = r.keys[head].key
            if key in _BORN and r.ask in ("whatis", _BORN[key][0]):
                r.ask, done, r.verb = _BORN[key]
                r.tense.add("past")
                self._owned_by_none(head - 1)
                r.keys[head] = _Key(done, "d" if r.verb == "passive" else "-")
            elif key in _MEASURED and r.ask == "whatis" and r.keys[head - 1].owner:
                r.ask = _MEASURED[key]
                self._owned_by_none(head - 1)
                del r.keys[head]
            elif key == "deadline" and r.ask in ("whatis", "when"):
                r.ask = "when"
                self._owned_by_none(head - 1)
                r.keys[head] = _Key("due")
        elif r.ask in ("what", "howmuch") and r.verb == "do" and r.tense <= {"past"}:
            cost = [n for n, key in enumerate(r.keys) if key.key == "cost"]
            if len(cost) == 1 and cost[0]:
                r.ask, r.verb = "cost", "be"
                del r.keys[cost[0]]
        elif r.ask == "where" and r.verb in ("be", "passive"):
            kept = [key for key in r.keys if key.key not in ("located", "find")]
            if kept and len(kept) < len(r.keys):
                r.keys, r.verb = kept, "be"
        elif r.ask == "howmany" and r.verb == "be":
            r.keys = [key for key in r.keys if key.key != "there"]

    def _owned_by_none(self, at: int) -> None:
        self.r.keys[at] = self.r.keys[at]._replace(owner=False)

    def _possession(self) -> None:
        """Turns "the X of the Y" to "the Y's X"."""
        keys = self.r.keys
        at = len(keys) - 1
        while at > 0:
            at -= 1
            key = keys[at]
            if key.key not in ("of", "for") or at + 1 >= len(keys):
                continue
            start = at - 1
            while start > 0 and not keys[start].begins:
                start -= 1
            end = at + 2
            while end < len(keys) and not keys[end].begins:
                last = keys[end - 1]
                if keys[end].form == "d" or (last.name and not last.owner and not keys[end].name):
                    break  # the owner ends before a verb
                end += 1
            owned, owner = keys[max(start, 0) : at], keys[at + 1 : end]
            if not _can_turn(owned, owner, key.key):
                continue
            owner[0] = owner[0]._replace(begins=True, place=False)
            owner[-1] = owner[-1]._replace(owner=True)
            owned = [owned[0]._replace(begins=False), *owned[1:]]
            if end < len(keys):
                keys[end] = keys[end]._replace(begins=True)
            keys[max(start, 0) : end] = [*owner, *owned]
            at = min(at, max(start, 0) + 1)

    def _what_is(self) -> None:
        """Turns "what X is the Y" to "what is the Y's X"."""
        r = self.r
        at = self.be_at
        if r.ask != "what" or r.verb != "be" or not 0 < at < len(r.keys):
            return
        end = at + 1
        while end < len(r.keys) and not r.keys[end].begins:
            end += 1
        asked, thing = r.keys[:at], r.keys[at:end]
        if thing[0].place or any(key.place or key.key == "of" for key in asked):
            return
        thing[-1] = thing[-1]._replace(owner=True)
        r.keys = [*thing, asked[0]._replace(begins=False), *asked[1:], *r.keys[end:]]
        r.ask = "whatis"

    def _joined_names(self) -> None:
        """Names that "and" or "or" joins, sorted."""
        keys = self.r.keys
        for at, key in enumerate(keys):
            if key.key not in ("and", "or") or not 0 < at < len(keys) - 1:
                continue
            start, end = at, at + 1
            while start > 0 and keys[start - 1].name and not keys[start - 1].owner:
                start -= 1
                if keys[start].begins:
                    break
            while end < len(keys) and keys[end].name and not (end > at + 1 and keys[end].begins):
                end += 1
            left, right = keys[start:at], keys[at + 1 : end]
            if not left or not right or any(k.owner for k in right):
                continue
            if [k.key for k in right] < [k.key for k in left]:
                right[0] = right[0]._replace(begins=left[0].begins)
                left[0] = left[0]._replace(begins=False)
                keys[start:end] = [*right, key, *left]


_BORN = {
    "birthdate": ("when", "born", "passive"),
    "birthplace": ("where", "born", "passive"),
    "deathdate": ("when", "die", "do"),
    "deathplace": ("where", "die", "do"),
    "burialplace": ("where", "bury", "passive"),
}
_MEASURED = {
    "age": "howold", "price": "cost", "height": "howtall", "weight": "howheavy", "size": "howbig", "depth": "howdeep", "width": "howwide", "speed": "howfast",
}  # fmt: skip
_PERSONS = frozenset("i we you he she they it".split())


def _can_turn(owned: list[_Key], owner: list[_Key], word: str) -> bool:
    if not owned or not owner or owned[0].place or owner[0].place:
        return False
    head = owned[-1]
    if word == "for" and head.key not in data.FOR:
        return False
    if head.key in data.NOT_OF or head.form in "dg" or head.key[0].isdigit():
        return False
    if head.name and owner[0].name:
        return False
    return not owner[0].key[0].isdigit() and owner[0].key not in _NOT_OWNERS


_NOT_OWNERS = frozenset("it them me us him her you this that these those which whom what and or not all any".split())  # fmt: skip


@cache
def _irregular() -> dict[str, str]:
    found = {}
    for line in data.IRREGULAR.replace("\n", "|").split("|"):
        base, *past = line.split() or [""]
        found.update(dict.fromkeys(past, base))
    return found


@lru_cache(maxsize=8192)
def lemma(word: str) -> tuple[str, str]:
    """The plain form of an English word and the letter of its ending, if it has one that can be
    taken away without making it another word."""
    if word in data.PLURALS:
        return data.PLURALS[word], "s"
    if word == "born":
        return "born", "d"
    if word in _irregular():
        return _irregular()[word], "d"
    if word in data.DONE:
        verb = data.DONE[word]
        return data.equal("en").get(verb, verb), "n"
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word, "-"
    if word.endswith("s"):
        base = _singular(word)
        if base in data.DONE:
            verb = data.DONE[base]
            return data.equal("en").get(verb, verb), "n"
        return (base, "s") if base else (word, "-")
    if word.endswith("ed") and word not in data.NO_PAST:
        base = _verb(word, "ed", word[:-1])
        return (base, "d") if base else (word, "-")
    if word.endswith("ing"):
        base = _verb(word, "ing", word[:-3] + "e")
        return (base, "g") if base in data.VERBS else (word, "-")
    return word, "-"


def _is_word(word: str) -> bool:
    return len(word) > 2 and commonness(word) in ("ordinary", "rare")


def _singular(word: str) -> str:
    if word in data.NO_PLURALS or word.endswith(("ss", "us", "is", "ics")) or not _is_word(word):
        return ""
    if word.endswith("ies") and len(word) > 4 and not _is_word(word[:-1]):
        return word[:-3] + "y" if _is_word(word[:-3] + "y") else ""
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")) and not _is_word(word[:-1]):
        return word[:-2] if _is_word(word[:-2]) else ""
    return word[:-1] if _is_word(word[:-1]) else ""


def _verb(word: str, ending: str, with_e: str) -> str:
    base = word[: -len(ending)]
    if base.endswith("i") and ending == "ed":
        base = base[:-1] + "y"
        return base if _is_word(base) else ""
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsfz":
        return base[:-1] if _is_word(base[:-1]) else ""
    if _is_word(with_e) and not (with_e.endswith("ee") and ending == "ed"):
        return with_e
    return base if _is_word(base) else ""


# ------------------------------------------------------------------ scripts without spaces


_NOISE = re.compile(r"[\s,.;:?!，。；：？！、・「」『』()（）…~～\"']+")


def _read_run(text: str) -> Question:
    """A question in a script without spaces: its characters, less the frames at its ends."""
    text = fold(text)
    language = "ja" if re.search("[\u3040-\u30ff]", text) else "zh"
    if re.search("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uac00-\ud7af]", text):
        language = ""
    parts = [part for part in _NOISE.split(text) if part]
    words = " ".join(parts)
    latin = re.findall(r"[!-~]+|[^!-~\s]", words)
    body = " ".join(latin)
    if language:
        body = _unwrapped("".join(parts) if not re.search(r"[!-~] [!-~]", words) else words, language)
        body = " ".join(re.findall(r"[!-~]+|[^!-~\s]", body))
    size = len(body.split())
    return Question(language or "?", " ".join(latin), "", "", "", "none", body, "-" * size, "-" * size, "-" * size)  # fmt: skip


@cache
def _signs(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    found = {}
    for group in data.SIGNS[language].split():
        first, *others = group.split("=")
        found.update(dict.fromkeys(others, first))
    longest = sorted(found, key=len, reverse=True)
    return re.compile("|".join(longest)), found


def _unwrapped(text: str, language: str) -> str:
    before, after = data.ENDS[language]
    asked = False
    changed = True
    while changed:
        changed = False
        for frame in sorted(before, key=len, reverse=True):
            if text.startswith(frame) and len(text) > len(frame) + 1:
                text, changed = text[len(frame) :], True
                asked |= len(frame) > 2
        for frame in sorted(after, key=len, reverse=True):
            if text.endswith(frame) and len(text) > len(frame) + 1:
                text, changed = text[: -len(frame)], True
    if asked and text[-1] in data.AS_QUESTION:
        text = text[:-1]
    pattern, one = _signs(language)
    return pattern.sub(lambda m: one[m[0]], text)
