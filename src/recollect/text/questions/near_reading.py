"""Reads a question for ``near.py``: takes frames and articles away and finds what is asked."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.text.questions import near_words as data
from recollect.text.questions.near_english import English, dates
from recollect.text.questions.near_tokens import (
    TYPOGRAPHY,
    Key,
    Reading,
    Word,
    fillers,
    language_of,
    numbers,
    places,
    several,
    words_of,
)
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, is_run, stem


class QuestionReading(NamedTuple):
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

    @property
    def content(self) -> frozenset[str]:
        """The words that carry meaning, stemmed; all of them if none does."""
        said, grammar = [stem(word) for word in self.words.split()], stopwords()
        return frozenset([word for word in said if word not in grammar] or said)


@lru_cache(maxsize=1024)
def read(text: str) -> QuestionReading:
    """A question as it is compared. Any text can be read, and the same text reads the same."""
    text = unicodedata.normalize("NFKC", text).translate(TYPOGRAPHY).replace("—", " — ")
    if not text.isascii() and any(is_run(char) for char in text):
        return _read_run(text)
    language = language_of(text)
    words = words_of(text, language)
    plain = " ".join([word.text + " 's" if word.owner else word.text for word in words])
    if not language:
        return _as_it_is("", plain, plain)
    return _QuestionReader(language, words).question(plain)


def _as_it_is(language: str, words: str, keys: str) -> QuestionReading:
    plain = "-" * len(keys.split())
    return QuestionReading(language, words, "", "", "", "none", keys, plain, plain, plain)


class _Frames(NamedTuple):
    hello: re.Pattern[str]
    """What goes only before a comma, a question word or another frame."""
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
        re.compile(rf"(?:(?:{fit(one.hello)}) )+"),
        anchored(one.before),
        anchored(one.embeds),
        re.compile(rf" (?:{'|'.join(map(fit, one.after)) or '(?!)'})$"),
        re.compile(rf"(?:{asks or '(?!)'})(?: |$)"),
        tuple(sign for sign, _ in one.asks),
    )


class _QuestionReader:
    """Reads one question: frames, then what is asked, then the rest."""

    def __init__(self, language: str, words: list[Word]) -> None:
        self.r = Reading(language, words)

    def question(self, plain: str) -> QuestionReading:
        if self.r.language == "en" and any(word.text in data.MONTHS for word in self.r.words):
            self.r.words = dates(self.r.words)
        self._unframe()
        self._find_ask()
        if self.r.language == "en":
            English(self.r).read()
        else:
            self._read_plain()
        keys = self.r.keys
        terse = not self.r.ask and not self.r.dropped and not self.r.verb
        return QuestionReading(
            self.r.language,
            plain,
            self.r.ask,
            " ".join(sorted(self.r.tense)),
            self.r.subject,
            "none" if terse else self.r.verb,
            " ".join([key.key for key in keys]),
            "".join([key.form for key in keys]),
            "".join(["(" if key.place else "-" for key in keys]),
            _owners(keys),
        )

    def _text(self, start: int = 0) -> str:
        return " ".join([word.text for word in self.r.words[start:]])

    def _unframe(self) -> None:
        """Takes frames away, as long as anything is left."""
        frames = _frames(self.r.language)
        text = self._text()
        if self.r.language == "en" and (swear := _SWEAR.search(text)):
            start = text[: swear.start()].count(" ") + 1
            del self.r.words[start : start + swear[0].count(" ")]
            text = self._text()
        at = 0
        while found := self._frame(frames, text, at):
            at = found
        end = len(text)
        while (tail := frames.after.search(text, at, end)) and tail.start() > at:
            end = tail.start()
        if at or end < len(text):
            start = text[:at].count(" ")
            self.r.words = self.r.words[start : start + len(text[at:end].split())]
            self.r.dropped = self.r.framed = True

    def _frame(self, frames: _Frames, text: str, at: int) -> int:
        """Where the frame ends that begins here; 0 if there is none."""
        found = frames.embeds.match(text, at)
        if found and found.end() < len(text):
            self.r.embedded = True
            return found.end()
        found = frames.before.match(text, at)
        if found and at < found.end() < len(text):
            return found.end()
        found = frames.hello.match(text, at)
        if not found or found.end() >= len(text):
            return 0
        end = found.end()
        words = self.r.words
        count = text[:end].count(" ")
        whether = self.r.language == "en" and _asks_whether(words[count:])
        if words[count - 1].stop or whether or frames.asks.match(text, end):
            return end
        return end if frames.embeds.match(text, end) or frames.before.match(text, end) else 0

    def _find_ask(self) -> None:
        """What is asked, by how the question begins; a phrase that stands before is put last, and
        so is a preposition ("in which city")."""
        if self._ask_at(0):
            return
        words = self.r.words
        if self.r.language == "en" and len(words) > 2:
            if words[0].text in places("en") and words[1].text in ("which", "what", "whom"):
                if self._ask_at(1):
                    self.r.words = [*self.r.words, words[0]]
                return
            if words[-1].text in _LAST and words[-2].text in data.BE:  # the deadline is when?
                self.r.words = [words[-1], *words[:-1]]
                if self._ask_at(0):
                    return
                self.r.words = words
            if self._ask_inside():
                return
        for n, word in enumerate(self.r.words[:-1], 1):
            if word.stop or (n > 1 and self.r.words[0].text in places(self.r.language)):
                before = self.r.words[:n]
                if self._ask_at(n, only=not word.stop):
                    last = before[-1]._replace(stop=True)
                    it = [
                        n
                        for n, w in enumerate(self.r.words)
                        if w.text in ("it", "they", "he", "she")
                    ]
                    if word.stop and self.r.language == "en" and len(it) == 1:
                        self.r.words[it[0] : it[0] + 1] = before  # the report, when is it due?
                        return
                    if self.r.words:
                        self.r.words[-1] = self.r.words[-1]._replace(stop=True)
                    self.r.words += [*before[:-1], last]
                    return

    def _ask_inside(self) -> bool:
        """Puts what is asked first: "she led what team in 2008?" """
        words = self.r.words
        at = next((n for n, w in enumerate(words) if n and w.text in ("what", "which")), 0)
        end = at + 1
        while end < len(words) and not words[end - 1].stop and words[end].text not in _END:
            end += 1
        if not at or end == at + 1 or words[at - 1].stop or end - at > 4:
            return False
        self.r.words = [*words[at:end], *words[:at], *words[end:]]
        self.r.words[end - at - 1] = words[end - 1]._replace(stop=True)
        return self._ask_at(0)

    def _ask_at(self, start: int, only: bool = False) -> bool:
        frames = _frames(self.r.language)
        text = self._text(start)
        found = frames.asks.match(text)
        if not found:
            if self.r.language == "en" and not only and _asks_whether(self.r.words[start:]):
                self.r.ask = "yes"
                self.r.words = self.r.words[start:]
                return True
            return False
        if found.end() >= len(text):
            return False
        groups = found.groupdict()
        number = next(int(name[1:]) for name, said in groups.items() if said and name[0] == "a")
        self.r.ask = frames.signs[number]
        self.r.subject = next(
            (said for name, said in groups.items() if said and name[0] == "s"), ""
        )
        said = found[0].split()
        self.r.was = "was" in said or "were" in said
        if self.r.language == "en" and self.r.ask in _BY_IS and not _IS.isdisjoint(said):
            self.r.verb = "be"
            if self.r.was:
                self.r.tense.add("past")
        self.r.words = self.r.words[start + len(said) :]
        return True

    def _read_plain(self) -> None:
        """Of a language other than English: every word but articles and the copula."""
        own = data.LANGUAGES[self.r.language]
        articles, is_now = frozenset(own.dropped.split()), frozenset(own.is_now.split())
        prepositions, equal = places(self.r.language), data.equal(self.r.language)
        digits, idle = numbers(self.r.language), fillers(self.r.language)
        verb_last = self.r.embedded and own.verb_last
        is_last = bool(self.r.words) and self.r.words[-1].text in is_now
        if verb_last and is_last and self.r.ask == "what":
            self.r.ask = "whatis"
        begins = True
        words = self.r.words
        n = 0
        while n < len(words):
            word = words[n]
            text = word.text
            joined, size = several(words, n, equal)
            n += size
            plain = begins and self._before_noun(n - 1)
            if size == 1 and ((text in articles and plain) or text in is_now or text in idle):
                begins = self.r.dropped = True
                continue
            key = joined if size > 1 else equal.get(text) or digits.get(text) or text
            self.r.keys.append(Key(key.replace(" ", "_"), "-", begins, place=text in prepositions))
            begins = word.stop or text in prepositions
        if verb_last and not is_last and len(self.r.keys) > 1 and self.r.ask != "whatis":
            # wo der Vertrag liegt, wo liegt der Vertrag: the question word is the first key
            self.r.keys.insert(0 if self.r.ask else 1, self.r.keys.pop())

    def _before_noun(self, n: int) -> bool:
        """Whether "la" can only be an article at this place: it may be "her" before a verb."""
        if n == 0:
            return self.r.ask in ("", "whatis", "cost", "howmany")
        return self.r.words[n - 1].text in places(self.r.language)


_SWEAR = re.compile(
    r"(?:(?<=what)|(?<=when)|(?<=where)|(?<=who)|(?<=why)|(?<=how))"
    r" (?:on earth|the hell|the heck|in the world|again) "
)
_END = (
    frozenset(data.EN.places.split())
    | data.BE
    | data.DO
    | data.HAVE
    | frozenset(data.TENSES)
    | {"and", "or", "of"}
)
_BY_IS = frozenset("whatis howmany howmuch where".split())
_IS = frozenset("is are am was were find locate number".split())
"""Words of how something is asked that have the copula in them."""
_LAST = frozenset("when where who what".split())


def _owners(keys: list[Key]) -> str:
    """A sign for each key; an owner that a relation follows may go without saying."""
    signs = []
    for n, key in enumerate(keys):
        head = n + 1
        while head + 1 < len(keys) and not keys[head + 1].begins:
            head += 1
        loose = head < len(keys) and keys[head].key in data.RELATIONS
        signs.append("|" if key.owner and loose else key.owner or "-")
    return "".join(signs)


def _asks_whether(words: list[Word]) -> bool:
    first = words[0].text if words else ""
    return first in data.DO or first in data.BE or first in data.HAVE or first in data.TENSES


# ------------------------------------------------------------------ scripts without spaces


_NOISE = re.compile(r"[\s,.;:?!，。；：？！、・「」『』()（）…~～\"']+")


def _read_run(text: str) -> QuestionReading:
    """A question in a script without spaces: its characters, less the frames at its ends."""
    text = fold(text)
    language = "ja" if re.search("[\u3040-\u30ff]", text) else "zh"
    if re.search("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uac00-\ud7af]", text):
        language = ""
    parts = [part for part in _NOISE.split(text) if part]
    while len(parts) > 1 and parts[0] in data.INTERJECTIONS:
        del parts[0]
    words = " ".join(parts)
    latin = re.findall(r"[!-~]+|[^!-~\s]", words)
    body = " ".join(latin)
    if language:
        body = _unwrapped(
            "".join(parts) if not re.search(r"[!-~] [!-~]", words) else words, language
        )
        body = " ".join(re.findall(r"[!-~]+|[^!-~\s]", body))
    return _as_it_is(language or "?", " ".join(latin), body)


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
    text = pattern.sub(lambda m: one[m[0]], text)
    for found, put in data.REWRITTEN[language]:
        text = re.sub(found, put, text)
    return text
