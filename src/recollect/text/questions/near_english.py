"""Reads what is left of an English question after its frames and question words.

Auxiliaries become tense and voice, endings are taken off, and a few ways of saying the same are
read as one ("the X of the Y", "by whom was it made", "what is the age of"). ``near.py`` has the
theory.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.text.ordinary import commonness
from recollect.text.questions import near_words as data
from recollect.text.questions.near_tokens import (
    Key,
    Reading,
    Word,
    fillers,
    numbers,
    openers,
    places,
    several,
)

# ------------------------------------------------------------------ English


_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def dates(words: list[Word]) -> list[Word]:
    """ "3 May 2024", "May 3rd, 2024" and "the 3rd of May 2024" as one word."""
    found: list[Word] = []
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
        elif (
            len(found) > 1 and found[-1].text == "of" and (before := _DAY.fullmatch(found[-2].text))
        ):
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
        found.append(Word(date, True, stop=words[n - 1].stop))
    return found


class _Known(NamedTuple):
    """What is known of a word by itself."""

    key: str
    form: str
    opens: bool
    """Words that say something as one may begin with it."""
    place: bool
    time: bool
    filler: bool
    grammar: bool


@lru_cache(maxsize=8192)
def _known(text: str) -> _Known:
    key, form = lemma(text)
    return _Known(
        data.equal("en").get(key) or numbers("en").get(key, key),
        form,
        text in openers("en") or key in openers("en"),
        text in places("en"),
        text in data.DAYS or text in _NEXT,
        text in fillers("en"),
        text in _GRAMMAR or text in data.TENSES,
    )


_NEXT = frozenset("last this next every".split())
_GRAMMAR = data.DO | data.BE | data.HAVE | data.SUBJECTS | frozenset("a an the that".split())


class English:
    """Reads what is left of an English question after its frames and question words."""

    def __init__(self, reading: Reading) -> None:
        self.r = reading
        self.words = reading.words
        self.begins = True
        self.be_at = -1
        self.done = False
        self.subject_at = 0

    def read(self) -> None:
        r = self.r
        self._gerund()
        n = 0
        while n < len(self.words):
            n += self._word(n)
        if r.verb == "be":
            self._events()
            if r.ask == "what" and self.be_at == len(r.keys):
                r.ask = "whatis"  # "tell me what the password is"
        forms = {key.form for key in r.keys}
        asked = r.ask == "whatis" or (r.framed and not r.ask)
        if asked and r.subject in data.SUBJECTS and self.subject_at:
            r.ask, r.verb = "what", "do"  # "what is the database that we use"
            if "d" in forms:
                r.tense = {"past"}
        elif r.verb == "be":
            if "d" in forms:
                r.verb = "passive"
            elif "g" in forms:
                r.verb = "going on"
        bare = not r.verb and not r.tense
        if bare and "d" in forms and (r.ask or r.subject):
            r.tense.add("past")
        self._has_done()
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
        if word.name:
            key = data.PLURALS.get(text) or numbers("en").get(text, text)
            self._keep(word, Key(key, "-", self.begins, name=True))
            return 1
        known = _known(text)
        if known.opens:
            for first in (text, lemma(text)[0]):
                one, size = several(self.words, n, data.equal("en"), first)
                if size > 1:
                    last = self.words[n + size - 1]
                    place = one in places("en")
                    self._keep(last, Key(one, known.form, self.begins, place=place))
                    return size
        if known.grammar and self._grammar(n):
            self.begins = r.dropped = True
            return 1
        if known.filler and not (n + 1 < len(self.words) and self.words[n + 1].text[0].isdigit()):
            r.dropped = True
            return 1
        if word.tied:
            self._keep(word, Key(data.equal("en").get(text, text), "-", self.begins))
            return 1
        place = known.place or (known.time and self._is_time(n))
        self._keep(word, Key(known.key, known.form, self.begins or place, place=place))
        return 1

    def _gerund(self) -> None:
        """After "the steps for" and "the reason for" a form in -ing is a verb."""
        first = self.words[0].text if self.words else ""
        if self.r.ask in ("howto", "why") and first.endswith("ing"):
            base = _verb(first, "ing", first[:-3] + "e")
            if base:
                self.words[0] = self.words[0]._replace(text=base)
                self.r.verb = "gerund"
                if self.r.was:
                    self.r.tense.add("past")

    def _events(self) -> None:
        """ "The switch to it" is a doing, where it ends its phrase."""
        keys = self.r.keys
        for n, key in enumerate(keys):
            ends = n + 1 == len(keys) or keys[n + 1].begins or keys[n + 1].key == "of"
            if ends and key.form in "-s" and key.key in data.EVENTS and not key.place:
                keys[n] = key._replace(form="n")

    def _is_time(self, n: int) -> bool:
        """Whether a time begins here that needs no preposition: "yesterday", "last week"."""
        after = self.words[n + 1].text if n + 1 < len(self.words) else ""
        return self.words[n].text in data.DAYS or after in data.SPANS

    def _keep(self, word: Word, key: Key) -> None:
        self.r.keys.append(key._replace(owner="'") if word.owner else key)
        self.begins = word.stop or key.place

    def _grammar(self, n: int) -> bool:
        """Whether a word of grammar was read that is not kept."""
        r, text = self.r, self.words[n].text
        last = n + 1 == len(self.words)
        if text in ("a", "an", "the"):
            return not (
                last or (text == "a" and self.words[n + 1].text in ("few", "little", "lot"))
            )
        if text in data.DO and not last and not self.done and r.verb != "be" and not r.tense:
            self.done = True
            r.verb = r.verb or "do"
            if text == "did":
                r.tense.add("past")
            return True
        if text in data.BE:
            if text in ("was", "were"):
                r.tense.add("past")
            if not r.verb or text in ("be", "been"):  # "will be", "has been"
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
            self.subject_at = len(r.keys)
            return True
        return text == "that" and not last and self.words[n + 1].text in _PERSONS

    def _has_done(self) -> None:
        """What somebody has done is what they did, unless it is about how long."""
        r = self.r
        lasts = any(key.key in data.STATES or key.key in _SINCE for key in r.keys)
        if r.tense == {"perfect"} and r.verb == "have" and r.ask in ("what", "who", "why"):
            r.tense, r.verb = ({"perfect"}, "have") if lasts else ({"past"}, "do")

    def _adverbs(self) -> None:
        """Puts adverbs that may stand anywhere last, and drops an "again" that only says that
        one has known it before."""
        r = self.r
        loose = [key for key in r.keys if key.key in data.ANYWHERE]
        if loose and not any(key.key == "not" for key in r.keys):
            r.keys = [key for key in r.keys if key.key not in data.ANYWHERE]
            r.keys += [key._replace(begins=True, place=True) for key in loose]
        last = r.keys[-1].key if r.keys else ""
        if (
            last in ("again", "then")
            and len(r.keys) > 1
            and r.ask not in ("", "yes", "why", "howoften", "howmany")
        ):
            aside = len(self.words) > 1 and self.words[-2].stop  # "…, again?"
            if aside or r.verb == "be" or (r.verb in ("do", "") and not r.tense):
                r.keys.pop()

    def _negation(self) -> None:
        """Puts the "not" of a simple question first: "isn't it warm", "is it not warm"."""
        keys = self.r.keys
        at = next((n for n, key in enumerate(keys[:3]) if key.key == "not"), 0)
        if not at or at + 1 == len(keys) or any(k.place or k.key in _SCOPE for k in keys[:at]):
            return
        after = keys[at + 1]
        if after.key != "to" and after.form != "g" and not after.key.endswith("ing"):
            keys.insert(0, keys.pop(at))

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
        me = [Key({"i": "me", "we": "us"}[r.subject])] if r.subject else []
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
        if r.ask in ("what", "howmany", "howmuch"):  # "which bug was fixed by Anna"
            r.keys = [*patient, *agent, verb, *rest]
        else:
            r.keys = [*agent, verb, *patient, *rest]
        r.verb = "do"
        if r.ask == "whatis":
            r.ask = "what"

    def _asked_by_noun(self) -> None:
        """Reads "what is the age of" as "how old is", and a few more of that kind."""
        r = self.r
        head = next((n for n, key in enumerate(r.keys) if key.place), len(r.keys)) - 1
        if r.ask == "whatis" and r.verb == "passive" and r.keys[head][:2] == ("call", "d") and head:
            r.verb = "be"
            r.keys[head] = Key("name")
            r.keys[head - 1] = r.keys[head - 1]._replace(owner="'")
        elif r.ask in ("when", "where") and r.verb == "do" and r.keys[-1].key == "happen" and head:
            r.keys.pop()
            r.verb = "be"
            self._events()
        elif r.ask == "who" and r.verb == "be" and head and r.keys[head].key in data.AGENTS:
            verb, when = data.AGENTS[r.keys[head].key]
            if not r.tense or r.tense == {"past"}:
                r.tense |= {when} - {""}
                self._owned_by_none(head - 1)
                del r.keys[head]
                r.keys.insert(0, Key(verb, "d" if r.tense else "s", True))
                r.verb = ""
        elif r.ask in ("whatis", "where", "when") and head > 0 and r.verb == "be":
            key = r.keys[head].key
            if key in _BORN and r.ask in ("whatis", _BORN[key][0]):
                r.ask, done, r.verb = _BORN[key]
                r.tense.add("past")
                self._owned_by_none(head - 1)
                r.keys[head] = Key(done, "d" if r.verb == "passive" else "-")
            elif key in _MEASURED and r.ask == "whatis" and r.keys[head - 1].owner:
                r.ask = _MEASURED[key]
                self._owned_by_none(head - 1)
                del r.keys[head]
            elif key == "deadline" and r.ask in ("whatis", "when"):
                r.ask = "when"
                self._owned_by_none(head - 1)
                r.keys[head] = Key("due")
        elif r.ask in ("what", "howmuch") and r.verb == "do" and r.tense <= {"past"}:
            cost = [n for n, key in enumerate(r.keys) if key.key == "cost"]
            if len(cost) == 1 and cost[0]:
                r.ask, r.verb = "cost", "be"
                del r.keys[cost[0]]
        elif r.ask == "where" and r.verb in ("be", "passive"):
            kept = [key for key in r.keys if key.key not in ("located", "find")]
            if kept and len(kept) < len(r.keys) and not r.tense:
                r.keys, r.verb = kept, "be"
        elif r.ask == "how" and r.verb == "passive" and r.tense == {"can"}:
            r.tense.clear()
        elif r.ask == "howmany" and r.verb == "be":
            r.keys = [key for key in r.keys if key.key != "there"]

    def _owned_by_none(self, at: int) -> None:
        self.r.keys[at] = self.r.keys[at]._replace(owner="")

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
            owner[-1] = owner[-1]._replace(owner="'")
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
        thing[-1] = thing[-1]._replace(owner="|")
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


_SCOPE = data.ANYWHERE | frozenset("all every each both most some any many only and or".split())
"""Words with which it matters whether "not" stands before or after."""
_SINCE = frozenset("since for already ever yet still just currently".split())
_BORN = {
    "birthdate": ("when", "born", "passive"),
    "birthplace": ("where", "born", "passive"),
    "deathdate": ("when", "die", "do"),
    "deathplace": ("where", "die", "do"),
    "burialplace": ("where", "bury", "passive"),
}
_MEASURED = {
    "age": "howold",
    "price": "cost",
    "height": "howtall",
    "weight": "howheavy",
    "size": "howbig",
    "depth": "howdeep",
    "width": "howwide",
    "speed": "howfast",
}
_PERSONS = frozenset("i we you he she they it".split())


def _can_turn(owned: list[Key], owner: list[Key], word: str) -> bool:
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


_NOT_OWNERS = frozenset(
    "it them me us him her you this that these those which whom what and or not all any".split()
)


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
