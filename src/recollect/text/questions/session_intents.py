r"""What a question about past conversations is after: rules as data, and what is made of them.

"Where did we leave off with the importer?" wants the newest conversation about the importer and
how it ended, and neither "leave" nor "off" are words of it. Of the rules the first that matches
counts; a question that none matches is a search like any other, and no text raises.

Patterns are ``re.VERBOSE`` in lower case, so a space is ``\s``.
"""

# ruff: noqa: E501  a language a line

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from recollect.errors import QueryError
from recollect.text.questions.parse import parse
from recollect.text.stopwords import stopwords

Sort = Literal["relevance", "newest", "oldest"]

_READ = 2000


class SessionRule(NamedTuple):
    name: str
    sort: Sort
    ends: bool
    """Whether how a conversation began and ended is wanted of each."""
    strips: bool
    """Whether the words of the rule are no words of what is looked for."""
    finds: str
    """Searched for where a word begins."""
    within: str = ""
    """Searched for anywhere: for scripts without spaces."""


class Leading(NamedTuple):
    """How a question wants conversations."""

    sort: Sort
    ends: bool
    topic: str
    """What to look for; empty if nothing in particular."""
    why: str


RULES = (
    SessionRule(
        name="where we left off",
        sort="newest",
        ends=True,
        strips=True,
        finds=r"""(?:pick(?:ing)?\sup\s)?where\s(?:(?:did|had|have)\s)?(?:we|i|you)\s(?:last\s)?(?:(?:leave|left)\s(?:it\s|things\s)?off|stop(?:ped)?)\b
| where\s(?:were\swe|was\si)(?=\s?(?:[?.!]|$|with\b|on\b|in\b|last\b)) | what\s(?:were|was)\s(?:we|i|you)\s(?:last\s)?(?:doing|working\son)\b
| wo\s(?:waren|sind|haben)\swir\b(?=.*?\b(?:stehen\s?geblieben|aufgehört|zuletzt)\b)
| (?:en|por)?\s?d[oó]nde\s(?:lo\s)?(?:dejamos|(?:nos\s)?quedamos)\b
| où\s(?:en\s(?:étions|étais|est)[-\s](?:nous|je|on)(?:\sresté(?:e?s)?)?|(?:nous\s)?(?:étions|sommes)[-\s]nous\sarrêtés)
| (?:на\sч[её]м|где)\sмы\sостановились
""",
        within=r"(?:上次)?(?:我们)?(?:说|聊|做|讲|进行)到哪[里儿]?了? | どこまで",
    ),
    SessionRule(
        name="the first time",
        sort="oldest",
        ends=False,
        strips=True,
        finds=r"""when\s(?:did|was\sit\sthat)\s(?:we|i|you)\sfirst\s(?:discuss|talk(?:ed)?\sabout|speak\sabout|mention|bring\sup|raise|discussed|mentioned)(?:\sabout)?\b
| (?:when\swas\s)?the\s(?:very\s)?first\stime\s(?:that\s)?(?:we|i|you)\s(?:discussed|talked\sabout|spoke\sabout|mentioned|brought\sup)\b
| wann\shaben\swir\s(?:zum\sersten\smal|das\serste\smal|zuerst|erstmals)\b(?:\süber)?
| cu[aá]ndo\s(?:fue\sla\sprimera\svez\sque\s)?(?:hablamos|discutimos|mencionamos)(?:\spor\sprimera\svez)?(?:\s(?:de|del|sobre))?\b
| quand\s(?:avons-nous|a-t-on|est-ce\squ['’]on\sa)\s(?:parlé|discuté|mentionné)(?:\spour\sla\spremière\sfois)?(?:\s(?:de|du|des))?\b
| когда\sмы\sвпервые\s(?:обсуждали|говорили\sо|упомянули)
""",
        within=r"第一次(?:讨论|提到|说到|聊到)",
    ),
    SessionRule(
        name="what was decided",
        sort="relevance",
        ends=True,
        strips=False,
        finds=r"""what\s(?:did|have|had)\s(?:we|i|you)\s(?:\w+\s){0,2}?(?:decide|settle|agree|conclude)d?\b | what\swas\s(?:the|our)\s(?:final\s)?(?:decision|conclusion|verdict|outcome)\b
| where\sdid\swe\sland\s(?:on|with)\b | was\shaben\swir\b(?=.*?\b(?:entschieden|beschlossen|vereinbart|festgelegt|ausgemacht)\b)
| qu[eé]\s(?:decidimos|acordamos|resolvimos)\b | qu['’](?:avons-nous|a-t-on|est-ce\squ['’]on\sa)\s(?:décidé|convenu)\b
| что\sмы\s(?:решили|договорились)
""",
        within=r"决定了什么 | (?:我们)?(?:怎么|如何)决定",
    ),
    SessionRule(
        name="the latest status",
        sort="newest",
        ends=True,
        strips=True,
        finds=r"""(?:what(?:['’]s|\sis)\s)?(?:the\s|any\s)?(?:latest|current|newest|most\srecent)\s(?:status|state(?!\sof\sthe\sart)|news|updates?|progress|word)(?:\s(?:of|on|about|with|for|regarding))?\b
| where\sdo\swe\sstand\s(?:on|with)\b | (?:was\sist\s|wie\sist\s)?(?:der|den)\s(?:aktuelle|neueste|letzte)n?\s(?:stand|status)\b(?:\s(?:von|bei|der|des|zu|zum|zur|beim))?
| wie\sist\sder\sstand\b(?:\s(?:von|bei|der|des|zu|zum|zur|beim))? | (?:cu[aá]l\ses\s)?el\s[uú]ltimo\sestado(?:\sdel?)?\b | (?:cu[aá]l\ses\s)?el\sestado\sactual(?:\sdel?)?\b
| (?:quel\sest\s)?(?:le\sdernier\sétat|l['’]état\sactuel)(?:\s(?:de|du|des))?\b | où\sen\s(?:est|sommes-nous|est-on)\b(?:\s(?:avec|sur))?
| (?:каков[ао]?\s)?(?:последний|текущий)\sстатус
""",
        within=r"最新(?:的)?(?:状态|进展|情况)",
    ),
)
_FILLER = re.compile(
    r"""\b(?:last\s(?:time|session|chat|conversation)|the\slast\s(?:time|session)|previously|zuletzt
    |(?:stehen\s?geblieben|aufgehört|gesprochen|geredet)(?=\s?[?.!]*$)
    |(?:beim\s)?letzte[ns]?\smal|la\s[uú]ltima\svez|la\sdernière\sfois|в\sпрошлый\sраз)\b | 上次""",
    re.VERBOSE | re.IGNORECASE,
)
_EDGES = re.compile(
    r"^[\s?!.,:;…¿¡-]*(?:(?:with|on|about|in|regarding|mit|bei|beim|con|en|sur|avec)\s)?|[\s?!.,:;…]+$",
    re.IGNORECASE,
)


def leading(text: str) -> Leading | None:
    """How *text* wants conversations, if it says so."""
    whole = " ".join(text[:_READ].split())
    for rule in RULES:
        match = _match(rule, whole)
        if match:
            why = f"{rule.name}: “{match[0].strip()}”"
            return Leading(rule.sort, rule.ends, _topic(whole, rule, match), why)
    return None


def _match(rule: SessionRule, whole: str) -> re.Match[str] | None:
    match = _compiled(rule.finds).search(whole)
    if match or not rule.within or whole.isascii():
        return match
    return _within(rule.within).search(whole)


def _topic(whole: str, rule: SessionRule, match: re.Match[str]) -> str:
    """What is left to look for."""
    if not rule.strips:
        return whole
    rest = f"{whole[: match.start()]} {whole[match.end() :]}"
    rest = _EDGES.sub("", _FILLER.sub(" ", rest))
    try:
        content = parse(rest).content
    except QueryError:
        return ""
    return rest if set(content) - stopwords() else ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", re.VERBOSE | re.IGNORECASE)


@cache
def _within(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)
