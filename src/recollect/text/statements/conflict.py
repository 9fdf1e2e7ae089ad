"""Whether a new statement repeats an older one, takes its place, or stands beside it.

What it guarantees
- ``duplicate`` only when both say the same in nearly the same words: every number, date,
  negation, identifier and name of one is in the other, in the same order.
- ``supersedes`` only when some rule can name what changed: a thing that ended, an attribute of
  which one value holds at a time, a negation, a replaced value. A lost true fact is worse than
  two that disagree, so whatever no rule decides is ``compatible``: additions, other owners,
  past events, wishes, finer detail.
- The same two texts always get the same verdict, and no text raises.

What is known about the world is data (``changes.py``); ``claims.py`` reads a statement into
clauses and ``facets.py`` tells what a clause says. A rule looks at one clause of the old statement
that holds and one of the new that is asserted of the present, and says what changed, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from recollect.text.statements import changes
from recollect.text.statements.claims import (
    ME,
    READ,
    UNKNOWN,
    ClaimValue,
    Statement,
    StatementClause,
    read,
    singular,
)
from recollect.text.statements.facets import (
    after,
    all_changes,
    as_wide,
    asserted,
    bare,
    change,
    content,
    ends,
    find,
    holds,
    in_use,
    is_person,
    kinds,
    main,
    negated,
    nested,
    plain,
    same_owner,
    says,
    scopes,
    typed,
    verb,
)
from recollect.text.stopwords import stopwords
from recollect.text.terms import stem

Kind = Literal["duplicate", "supersedes", "compatible"]

_HABIT_WORDS = 16
"""Words that a clause about a habit has at most; in longer ones "only" may be about anything."""


class Verdict(NamedTuple):
    kind: Kind
    why: str
    """For a person: what decided, with the words that did."""


def compare(old: str, new: str, *, same_key: bool = False) -> Verdict:
    """What *new* is to *old*. *same_key* says that both are kept under one name: then another
    number, date, negation or value is enough."""
    if old.split() == new.split():
        return Verdict("duplicate", "the same words")
    one, two = read(old), read(new)
    if max(len(old), len(new)) <= READ and _alike(one.plain, two.plain):
        return Verdict("duplicate", "the same words but for fillers")
    pairs = [(x, y) for y in two.clauses if asserted(y) for x in one.clauses if holds(x)]
    why = (
        _first(_RULES, pairs)
        or _changed_value(one, two, same_key)
        or (_first(_KEYED, pairs) if same_key else "")
    )
    return Verdict("supersedes", why) if why else Verdict("compatible", _beside(two))


def _alike(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """The same words in the same order, or with the first words moved to the end."""
    if len(one) != len(two) or not one:
        return False
    return any(one[n:] + one[:n] == two for n in range(len(one)))


def _beside(new: Statement) -> str:
    texts = [clause.said for clause in new.clauses]
    for name, pattern in (
        ("an addition", changes.ALSO),
        ("of the past", changes.WAS),
        ("not a fact yet", changes.UNREAL),
    ):
        found = next((m[0] for text in texts if (m := find(pattern, text))), "")
        if found:
            return f"{name}: “{found.strip()}”"
    return "nothing says that only one of them can hold"


class _Rule(NamedTuple):
    finds: Callable[[StatementClause, StatementClause], str]
    """What changed, as a person is told; empty if it finds nothing."""
    owner: bool = True
    """Both must be about the same owner."""
    wide: bool = True
    """The new clause must not be limited to a part of the old one's."""
    affirmed: Literal["", "old", "both"] = "both"
    """Which of them must not be negated."""


def _first(rules: Sequence[_Rule], pairs: Sequence[tuple[StatementClause, StatementClause]]) -> str:
    """What the first rule finds that finds something."""
    gates = [
        (x, y, same_owner(x, y), as_wide(x, y), negated(x), negated(x) or negated(y))
        for x, y in pairs
    ]
    for rule in rules:
        for x, y, owner, wide, old_negated, some_negated in gates:
            if (rule.owner and not owner) or (rule.wide and not wide):
                continue
            if {"": False, "old": old_negated, "both": some_negated}[rule.affirmed]:
                continue
            why = rule.finds(x, y)
            if why:
                return why
    return ""


def _shown(words: Sequence[str]) -> str:
    return " ".join(words[:6])


# ------------------------------------------------------------------ things that ended


def _ended(old: StatementClause, new: StatementClause) -> str:
    """The new one says that something ended which the old one has."""
    before = {word for match in ends(old) for word in after(old.text, match.end())}
    for match in ends(new):
        said = _what_ended(new, match)
        thing = [word for word in said if content([word])]
        if not thing and match[0].split()[0] in changes.NO_VERBS:
            thing = [word for word in match[0].split()[1:] if content([word])]  # "no longer smoke"
        if not thing or set(thing) & before or not _concerns(old, new, thing):
            continue
        if match[0] == "instead of" and not says(new, changes.NOW) and verb(old) != verb(new):
            continue
        if _has(old, thing):
            return f"ended: “{' '.join([match[0].strip(), *said[:6]])}”"
    return ""


def _what_ended(clause: StatementClause, match: re.Match[str]) -> list[str]:
    said = after(clause.text, match.end())
    if said and said[-1] in changes.AT_SOMETHING:  # "quit my job at the bakery"
        end = clause.text.index(said[-1], match.end()) + len(said[-1])
        said += after(clause.text, end)
    return said


def _concerns(old: StatementClause, new: StatementClause, thing: list[str]) -> bool:
    """What ended for the new one's owner may have ended for the old one's."""
    if same_owner(old, new):
        return True
    if set(old.owner.split()) & (new.names | changes.PERSONS & set(thing)):
        return True
    if find(rf"^§ (?:is|ist|es) {re.escape(thing[0])}\b", old.text):
        return True  # "my boss is Priya", "Priya left"
    tool = bool(kinds(thing)) or not new.names.isdisjoint(thing)
    return tool and new.owner == ME and not is_person(old)


def _has(old: StatementClause, thing: list[str]) -> bool:
    """The old clause is about the thing, or about a part of what it is."""
    words = {part for word in (*old.owner.split(), *old.words) for part in (word, *word.split("-"))}
    words |= {changes.WIDER[word] for word in old.words if word in changes.WIDER}
    roots = {_root(word) for word in words if content([word])}
    found = [w for w in thing if _root(w) in roots or any(_begins(_root(w), r) for r in roots)]
    heads = [w for w in thing if w not in changes.OF_SOMETHING]
    if not found or (heads and heads[-1] not in found) or len(found) * 2 < len(thing):
        return False
    near = find(changes.NEAR, old.text)
    return not (near and near[1] in found and near.start() > 2)


def _root(word: str) -> str:
    """Without the endings of inflection only: "person" is not "personal"."""
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[: -len(end)]
            break
    return word[:-1] if word[-1:] == word[-2:-1] and len(word) > 3 else word


def _begins(one: str, two: str) -> bool:
    """One is the first half of the other ("ultra", "ultramarathon")."""
    short, long = sorted((one, two), key=len)
    return len(short) >= 5 and len(long) >= len(short) + 5 and long.startswith(short)


def _gone(old: StatementClause, new: StatementClause) -> str:
    """Who or what the old one is about is no more."""
    match = find(rf"^§ {changes.GONE}", new.text)
    if not match or new.owner in (ME, UNKNOWN, ""):
        return ""
    who = {stem(w) for w in new.owner.split()}
    known = old.content | {stem(w) for w in old.owner.split()}
    names = {stem(w) for w in new.names} & who
    person = set(new.owner.split()) & changes.PERSONS and who <= known
    if old.owner == new.owner or person or names & known:
        return f"gone: “{new.owner} {match[0][2:]}”"
    return ""


# ------------------------------------------------------------------ attributes with one value


def _status(old: StatementClause, new: StatementClause) -> str:
    """Two states that exclude each other, of the same owner."""
    for name, values in changes.STATUSES.items():
        now = _states(new, values)
        was = _states(old, values) if now else {}
        for value in now:
            apart = changes.EXCLUDES.get(name, {}).get(value, frozenset(values) - {value})
            gone = next((w for w in was if w in apart and w not in now), "")
            if gone:
                return f"{name}: {gone} → {value} (“{now[value]}”)"
    return ""


def _states(clause: StatementClause, values: dict[str, str]) -> dict[str, str]:
    text = bare(clause)
    found = {value: find(rf"(?:^|\b)(?:{said})", text) for value, said in values.items()}
    denied = r"\b(?:not|never|no|nicht|kein\w*)(?: \w+)? ?$"
    return {
        value: match[0]
        for value, match in found.items()
        if match and not find(denied, text[: match.start()])
    }


def _attribute(old: StatementClause, new: StatementClause) -> str:
    """Another value of something of which one holds at a time."""
    for attribute in changes.ATTRIBUTES:
        became = _value(new, attribute, attribute.changes)
        now = became or _value(new, attribute, attribute.states)
        if not now or not (became or attribute.one or says(new, changes.NOW)):
            continue
        was = _value(old, attribute, attribute.states + attribute.changes + attribute.hints)
        if not was or nested(was, now):
            continue
        if set(was) & changes.COUNTRIES and not set(now) & changes.COUNTRIES:
            continue  # the town may be in that country
        return f"{attribute.name}: {_shown(was)} → {_shown(now)}"
    return ""


def _value(
    clause: StatementClause, attribute: changes.Attribute, begins: tuple[str, ...]
) -> list[str]:
    text = bare(clause)
    match = find("(?:^|(?<= ))(?:" + "|".join(begins) + r")\b(?: |$)?", text)
    value = after(text, match.end()) if match else []
    if attribute.place and kinds(value).keys() - {"gym"}:
        return []  # "moved to Postgres"
    known = value if attribute.one else value[-1:]
    if attribute.proper and not set(known) & (clause.names | changes.COUNTRIES):
        return []
    return value


class _Slot(NamedTuple):
    """What a clause gives as the value of something that it names ("my rent", "the timeout")."""

    noun: str
    others: frozenset[str]
    """The words before the noun."""
    value: list[str]
    changed: bool
    name: str
    """All its words, to be shown."""


def _slots(clause: StatementClause) -> Iterator[_Slot]:
    text = clause.text
    now = says(clause, changes.NOW) is not None
    for pattern, changed in changes.SLOTS:
        match = find(pattern, text)
        if not match:
            continue
        parts = match.groupdict()
        value = (parts.get("value") or "").split() or after(text, match.end())
        if not value:
            value = clause.owner.split()  # "Jordan is my new boss"
        yield from _slot((parts.get("noun") or clause.owner).split(), value, changed or now)


def _slot(name: list[str], value: list[str], changed: bool) -> Iterator[_Slot]:
    name = [w for w in name if w not in changes.QUALIFIERS | changes.ARTICLES | changes.MY]
    noun = name[-1] if name else ""
    if not value or value[0].endswith("ed") or noun.endswith("ly"):
        return
    if noun and noun not in changes.PRONOUNS | changes.ANYBODY | changes.CUES | {ME, UNKNOWN}:
        others = frozenset(map(stem, name[:-1]))
        yield _Slot(stem(noun), others, value, changed, " ".join(name))


def _named(old: StatementClause, new: StatementClause) -> str:
    """Another value under the same noun."""
    for was in _slots(old):
        for now in _slots(new):
            if was.noun != now.noun or not (was.others <= now.others or now.others <= was.others):
                continue
            if not _slots_meet(old, new, was, now) or _same_value(old, new, was, now):
                continue
            alike = bool(typed(old, was.value)) == bool(typed(new, now.value))
            if (now.changed and alike) or _exclusive(old, new, was, now):
                return f"{was.name}: {_shown(was.value)} → {_shown(now.value)}"
    return ""


def _slots_meet(old: StatementClause, new: StatementClause, was: _Slot, now: _Slot) -> bool:
    """Both are the same owner's: a person with that role may stand as the owner."""
    if old.owner == new.owner:
        return True
    spoken = {was.noun} | was.others | now.others | set(map(stem, was.value + now.value))
    return all(
        set(map(stem, owner.split())) <= spoken for owner in {old.owner, new.owner} - {ME, ""}
    )


def _same_value(old: StatementClause, new: StatementClause, was: _Slot, now: _Slot) -> bool:
    one, two = typed(old, was.value), typed(new, now.value)
    if {v.sort for v in one} & {v.sort for v in two}:
        return {v[:2] for v in one} == {v[:2] for v in two}
    return nested(was.value, now.value)


def _exclusive(old: StatementClause, new: StatementClause, was: _Slot, now: _Slot) -> bool:
    """Of the two values only one can hold."""
    if {v.sort for v in typed(old, was.value)} & {v.sort for v in typed(new, now.value)}:
        return True
    if changes.FIRST & (was.others | {was.noun}):
        return True
    if was.noun not in changes.singles():
        return False
    names = set(was.value) & old.names and set(now.value) & new.names
    same = kinds(was.value).keys() & kinds(now.value).keys()
    return bool(names or same) or _opposed(was.value, now.value) != ""


# ------------------------------------------------------------------ the same but for one thing


def _opposed(one: Sequence[str], two: Sequence[str]) -> str:
    for a in one:
        for b in two:
            if frozenset((a, b)) in changes.OPPOSITES:
                return f"{a} → {b}"
    return ""


def _flipped(old: StatementClause, new: StatementClause) -> str:
    """The same with or without a negation."""
    if negated(old) == negated(new) or any(ends(old)) or any(ends(new)):
        return ""
    a, b = old.content, new.content
    if not a or not b or not (b <= a or (a <= b and len(b - a) <= 1)):
        return ""
    verbs = {verb(old), verb(new)}
    starts = change(new) or find(rf"\b{changes.START}", new.text) or _acquired(old, new)
    if len(verbs) > 1 and not verbs <= changes.LIKED and not starts:
        return ""
    negation = find(changes.NOT, new.text) or find(changes.NOT, old.text)
    return f"negation: “{negation[0]}”" if negation else ""


def _acquired(old: StatementClause, new: StatementClause) -> bool:
    """The new one got what the old one does not have."""
    told = new.words[main(new)] if new.words else ""
    return told in changes.ACQUIRED and bool(changes.HAVE & set(old.words))


def _opposite(old: StatementClause, new: StatementClause) -> str:
    """The same but for one word and its opposite."""
    a, b = plain(old), plain(new)
    if old.owner != new.owner or len(a) != len(b) or len(a) < 3:
        return ""
    apart = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(apart) == 1 and frozenset(apart[0]) in changes.OPPOSITES:
        return f"opposite: {apart[0][0]} → {apart[0][1]}"
    return ""


def _replaced(old: StatementClause, new: StatementClause) -> str:
    """The same but for one exact value, which is no part of what it is about."""
    if old.owner != new.owner or negated(old) != negated(new):
        return ""
    if len(old.values) != len(new.values) or not old.content:
        return ""
    apart = [(x, y) for x, y in zip(old.values, new.values, strict=True) if x[:2] != y[:2]]
    if len(apart) != 1 or apart[0][0].sort != apart[0][1].sort:
        return ""
    was, now = apart[0]
    told = old.words[old.predicate]
    if was.at <= old.predicate or told not in changes.verbs():
        return ""
    if _without(old, was) != _without(new, now):
        return ""
    if was.sort.startswith("number"):
        only = told not in changes.MANY or told in changes.COUNTED
    else:
        thing = old.owner not in (ME, UNKNOWN) or old.words[0] == "my"
        only = was.sort in ("clock", "version") or (thing and told not in changes.MANY)
    return f"value: {was.value} → {now.value}" if only else ""


def _without(clause: StatementClause, value: ClaimValue) -> list[str]:
    return [
        singular(word)
        for n, word in enumerate(clause.words)
        if n != value.at and word not in changes.FILLERS
    ]


def _count(old: StatementClause, new: StatementClause) -> str:
    """There are now more or fewer of the same."""
    if not says(new, changes.NOW) or not (new.owner == ME or same_owner(old, new)):
        return ""
    if not set(old.words) & changes.COUNTED or not set(new.words) & changes.COUNTED:
        return ""
    for was in old.values:
        for now in new.values:
            unit = was.sort.removeprefix("number ")
            if was.sort == now.sort != unit and was.value != now.value:
                return f"{unit}: {was.value} → {now.value}"
    return ""


# ------------------------------------------------------------------ one thing for another


def _kind_switched(old: StatementClause, new: StatementClause) -> str:
    """A change to another thing of the same kind."""
    was = in_use(old)
    for end, turned, only in _turns(new) if was else ():
        now = kinds(new.text[end:].split()[:8])
        for kind in sorted(was.keys() & now.keys()):
            if was[kind] == now[kind] and not _numbered(old, new, was[kind]):
                continue
            if set(was[kind].split()) < set(now[kind].split()) or _purposes_apart(old, new):
                continue
            if kind == "transport":
                sure = find(changes.COMMUTE, old.text) is not None
            else:
                sure = turned or ((only or verb(old) == verb(new)) and kind != "color")
            if sure:
                return f"{kind}: {was[kind]} → {now[kind]}"
    return ""


def _numbered(old: StatementClause, new: StatementClause, thing: str) -> bool:
    """The same model with another number (iPhone 13, iPhone 15)."""
    one, two = ({v.value for v in clause.values} for clause in (old, new))
    return bool(one and two and one != two) and thing in old.text


def _turns(clause: StatementClause) -> Iterator[tuple[int, bool, bool]]:
    """Where the value begins that a clause turns to; whether a verb says so, or "only"."""
    found = [match.end() for match in all_changes(clause)]
    bought = find(changes.BOUGHT, clause.text)
    if bought and kinds(clause.text[bought.end() :].split()[:5]).keys() & changes.USUALLY_ONE:
        found.append(bought.end())
    yield from ((end, True, False) for end in found)
    only = says(clause, changes.ONLY)
    if not found and (only or says(clause, changes.NOW) or verb(clause) == "prefer"):
        yield 0, False, only is not None


def _purposes_apart(old: StatementClause, new: StatementClause) -> bool:
    """Each is for something else ("for scripts", "in the browser")."""
    one, two = (find(changes.PURPOSE, clause.text) for clause in (old, new))
    if not one or not two or says(new, changes.ONLY):
        return False
    a, b = (content(found[1].split()) - changes.NO_PURPOSE for found in (one, two))
    return bool(a and b) and not a & b


def _purpose(old: StatementClause, new: StatementClause) -> str:
    """A change to another thing for the same purpose."""
    used = find(changes.USED_FOR, old.text)
    if not used or not set(used[1].split()) & old.names:
        return ""
    now = find(r"\b(?:use|uses|using|nutze\w*|verwende\w*|uso|usamos) ", new.text)
    turns = [*all_changes(new), *([now] if now and says(new, changes.NOW) else [])]
    for match in turns:
        to = after(new.text, match.end())
        aim = find(r"\b(?:for|fur|para) (.+)$", new.text[match.end() :])
        if aim and set(to) & new.names and not nested(to, used[1].split()):
            shared = content(used[2].split()) & content(aim[1].split()) - changes.NO_PURPOSE
            if shared:
                return f"for {_shown(sorted(shared))}: {used[1]} → {_shown(to)}"
    return ""


def _moved(old: StatementClause, new: StatementClause) -> str:
    """What the old one is about was moved elsewhere, or changed to another of its sort."""
    mine = old.owner == new.owner
    if not (new.owner == ME or same_owner(old, new)):
        return ""
    owner = {stem(w) for w in old.owner.split()}
    for match in all_changes(new):
        what = content(match["what"].split())
        to = after(new.text, match.end())
        exact = typed(new, to)
        if not to or content(to) <= old.content or _told(old, exact):
            continue
        head = stem(to[-1])
        another = head in old.content and to[-1] not in new.names | changes.UNITS.keys()
        if mine and another and len(to) > 1 and head not in what:
            return f"{to[-1]}: → {_shown(to)}"
        if not what or not what <= old.content | owner or not (mine or owner & what):
            continue
        elsewhere = set(to) & new.names and old.names - what - owner - set(to)
        if {v.sort for v in exact} & {v.sort for v in old.values} or (
            not exact and (another or (elsewhere and find(changes.PLACED, old.text)))
        ):
            return f"{match['what'].strip()}: → {_shown(to)}"
    return ""


def _told(old: StatementClause, values: list[ClaimValue]) -> bool:
    return bool({v[:2] for v in values} & {v[:2] for v in old.values})


def _only(old: StatementClause, new: StatementClause) -> str:
    """One of them leaves no room for the other: doing only this, or now that instead."""
    only = says(new, changes.ONLY) or says(old, changes.ONLY)
    cue = only or says(new, changes.NOW) or find(r"\binstead\b", new.text)
    done = verb(new)
    a, b = old.content - {done}, new.content - {done}
    if not cue or not a or not b or b <= a or a <= b or not _habits(old, new):
        return ""
    limited = find(changes.ONLY + " (?:for|when|on|in|if|at|during)", new.text)
    if limited and f" {limited[0].split()[-1]} " not in old.text:
        return ""
    heads = _heads(old) & _heads(new)
    if done != verb(old):
        sure = bool(only and heads)
    elif done in changes.BEING:  # "I am a senior developer now"
        sure = bool(heads and not only)
    else:
        plain_verb = done not in changes.ANYTHING
        sure = (plain_verb and (only is not None or _same_way(old, new))) or _same_object(old, new)
    return f"“{cue[0]}”: {_shown(old.words[1:])} → {_shown(new.words[1:])}" if sure else ""


def _same_way(old: StatementClause, new: StatementClause) -> bool:
    """Somebody does one thing of a sort at a time: "I teach maths", "I teach physics now"."""
    told = old.words[main(old)]
    if told in changes.MANY | changes.PAST or told.endswith("ed"):
        return False
    if not (new.owner == ME or is_person(new)):
        return False
    a, b = (clause.words[main(clause) + 1 :][:1] for clause in (old, new))
    links = changes.STOPS | changes.BEFORE_VALUES
    return a == b or not (set(a) | set(b)) & links


def _same_object(old: StatementClause, new: StatementClause) -> bool:
    """They get, take or keep the same thing, otherwise: "I get my news from the radio now"."""
    if verb(new) not in changes.HANDLED:
        return False
    a, b = (_after_verb(clause) for clause in (old, new))
    return a[:1] == b[:1] and bool(content(a[:1]))


def _after_verb(clause: StatementClause) -> list[str]:
    words = clause.words[main(clause) + 1 :]
    return [word for word in words if word not in changes.FILLERS and word != "my"]


def _habits(old: StatementClause, new: StatementClause) -> bool:
    """Both tell what is done as a rule, at the same times."""
    for clause in (old, new):
        if len(clause.words) > _HABIT_WORDS or change(clause) or any(ends(clause)):
            return False
        if clause.words[main(clause)].endswith("ing"):
            return False
    return scopes(old) <= scopes(new)


def _heads(clause: StatementClause) -> set[str]:
    """The nouns that have a word before them that tells which ("still water")."""
    words = [w for w in clause.words if w not in changes.FILLERS]
    common = stopwords()
    nothing = changes.CUES | changes.STOPS | changes.UNITS.keys() | clause.names
    return {
        stem(noun)
        for which, noun in pairwise(words)
        if stem(which) not in common
        and which not in changes.verbs() | changes.CUES | {"§"}
        and stem(noun) not in common
        and noun.isalpha()
        and noun not in nothing
    }


_RULES = (
    _Rule(_ended, owner=False, affirmed="old"),
    _Rule(_gone, owner=False, wide=False, affirmed="old"),
    _Rule(_status, affirmed=""),
    _Rule(_attribute),
    _Rule(_named, owner=False),
    _Rule(_flipped, affirmed=""),
    _Rule(_opposite, owner=False, wide=False, affirmed=""),
    _Rule(_replaced, owner=False, wide=False, affirmed=""),
    _Rule(_kind_switched),
    _Rule(_moved, owner=False, affirmed="old"),
    _Rule(_purpose, affirmed="old"),
    _Rule(_only),
    _Rule(_count, owner=False, affirmed="old"),
)


# ------------------------------------------------------------------ exact values


def _changed_value(old: Statement, new: Statement, same_key: bool) -> str:
    """A value changed to another of its sort, in statements about the same thing; under one
    key it is enough that both have one."""
    before = [(x, value) for x in old.clauses if holds(x) for value in x.values]
    had = {value[:2] for value in old.values}
    for clause in new.clauses if before else ():
        if not asserted(clause):
            continue
        for value in clause.values:
            turned = _turned_to(clause, value)
            for was_in, was in before:
                if value[:2] in had or _is_when(was_in, was) != _is_when(clause, value):
                    continue
                if not (_same_sort(was, value) or (same_key and _counts(old, new, was, value))):
                    continue
                if turned and (same_key or _about_the_same(old, was_in, clause, value.sort)):
                    return f"changed: {was.value} → {value.value}"
                if same_key and not _limits(was_in, clause, value):
                    return f"the same key, another value: {was.value} → {value.value}"
    return ""


def _turned_to(clause: StatementClause, value: ClaimValue) -> bool:
    """The clause tells of a change, and this is the value that came of it."""
    if _is_when(clause, value) or "from" in clause.words[max(0, value.at - 2) : value.at]:
        return False
    return any(clause.text[: m.start()].count(" ") < value.at for m in all_changes(clause))


def _is_when(clause: StatementClause, value: ClaimValue) -> bool:
    """A date that tells when something happened."""
    if value.sort != "date":
        return False
    return clause.words[clause.predicate] in changes.PAST or change(clause) is not None


def _same_sort(one: ClaimValue, two: ClaimValue) -> bool:
    """Two values of which one may take the other's place; identifiers, if they begin alike."""
    if one.sort != two.sort or one.value == two.value:
        return False
    if one.sort == "id":
        a, b = (re.split(r"[-_./]", value.value)[0] for value in (one, two))
        return a == b or (a.isdigit() == b.isdigit() and len(a) == len(b))
    return True


def _counts(old: Statement, new: Statement, was: ClaimValue, now: ClaimValue) -> bool:
    """Each has one number, and one of them does not say of what."""
    numbers = was.sort.startswith("number") and now.sort.startswith("number")
    alone = len(old.values) == len(new.values) == 1
    return numbers and alone and "number" in (was.sort, now.sort) and was.value != now.value


def _limits(old: StatementClause, new: StatementClause, value: ClaimValue) -> bool:
    """The new clause is limited by something else than its value."""
    word = new.words[value.at]
    return any(word not in limit for limit in scopes(new) - scopes(old))


def _about_the_same(
    old: Statement, was_in: StatementClause, now_in: StatementClause, sort: str
) -> bool:
    """Enough of what the changed clause is about is in the old statement."""
    for slot in _slots(now_in):
        known = slot.noun in changes.singles() & was_in.content
        if slot.changed and known and slot.others <= old.content:
            return True
    whose = "" if now_in.owner in (ME, UNKNOWN) else now_in.owner
    owner = {stem(w) for w in whose.split()}
    more = set(was_in.owner.split()) - set(whose.split())
    if whose and whose in was_in.owner and more <= changes.SINGLE:
        return True
    if sort == "number":
        return False
    shared = (now_in.content | owner) & old.content
    if len(owner) > 1 and owner <= {stem(w) for w in was_in.owner.split()} | was_in.content:
        return len(shared) >= 2
    shared &= was_in.content
    return len(shared) >= 3 and len(shared) * 2 >= min(len(now_in.content | owner), 8)


# ------------------------------------------------------------------ under one key


def _keyed_change(old: StatementClause, new: StatementClause) -> str:
    """The new one tells of a change to something else, or of an end."""
    match = change(new)
    to = after(new.text, match.end()) if match and not negated(new) else []
    if match and to and not content(to) <= old.content:
        return f"the same key, a change: “{match[0].strip()} {_shown(to)}”"
    ended = next(ends(new), None)
    if ended and not any(ends(old)) and old.content & new.content:
        return f"the same key, an end: “{ended[0]}”"
    return ""


def _keyed_flip(old: StatementClause, new: StatementClause) -> str:
    """A negation, or a word and its opposite."""
    owners = {stem(w) for w in (*old.owner.split(), *new.owner.split())}
    a, b = old.content - owners, new.content - owners
    flipped = negated(old) != negated(new) and as_wide(old, new)
    if flipped and len(a & b) * 2 >= min(len(a), len(b)) > 0:
        return "the same key, a negation"
    opposed = _opposed(
        [w for w in old.words if w not in new.words], [w for w in new.words if w not in old.words]
    )
    return f"the same key, opposite: {opposed}" if opposed and old.content & new.content else ""


def _keyed_value(old: StatementClause, new: StatementClause) -> str:
    """The same sentence with something else in the place of the value."""
    a, b = plain(old), plain(new)
    least = min(len(a), len(b))
    if old.owner != new.owner or not least or old.words[old.predicate] in changes.MANY:
        return ""
    first = next((n for n in range(least) if a[n] != b[n]), least)
    last = next((n for n in range(least - first) if a[-1 - n] != b[-1 - n]), least - first)
    was, now = a[first : len(a) - last], b[first : len(b) - last]
    if not was or not now or not set(a[:first]) & changes.verbs():
        return ""
    if nested(was, now) or len(was) > 5 or (first + last) * 2 < len(now):
        return ""
    if find(r"^§ (?:is|are|am) an? ", new.text) and not kinds(was).keys() & kinds(now).keys():
        return ""  # somebody may be several things
    return f"the same key, another value: {_shown(was)} → {_shown(now)}"


def _keyed_holder(old: StatementClause, new: StatementClause) -> str:
    """Somebody else is or does the same."""
    named = old.owner in old.names and new.owner in new.names and old.owner != new.owner
    if named and plain(old) == plain(new) and verb(old) not in changes.MANY:
        return f"the same key, somebody else: {old.owner} → {new.owner}"
    return ""


_KEYED = (
    _Rule(_keyed_change, owner=False, wide=False, affirmed=""),
    _Rule(_keyed_flip, owner=False, wide=False, affirmed=""),
    _Rule(_keyed_value, owner=False, affirmed=""),
    _Rule(_keyed_holder, owner=False, wide=False, affirmed=""),
)
