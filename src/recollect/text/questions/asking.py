"""Whether a text asks, is only polite, or says that nothing is known; and whether a question is
about what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import takewhile

from recollect.text.questions.wanted import wanted
from recollect.text.sentences import units
from recollect.text.stopwords import stopwords
from recollect.text.support.tables import FILLERS
from recollect.text.terms import stems

LONGEST = 1_000
"""Characters of a text that may be nothing but a question."""
BRIEF = 60
"""Words of a reply that may say no more than that it knows nothing."""
SAME = 0.8
"""The share of words in common from which on two questions are asked in the same words."""
FEW = 3
"""Words of a greeting, or of thanks, beside a question."""
_MARKED = re.compile(r"[\w)\]\"'”’»」』*_`%]\s?[?？؟]+[!！]*[\"'”’)\]*_»」』]*$")
"""How a question ends. A mark that stands after a sign is a placeholder, as in ``id = ?``."""
_MARK = re.compile("[?？؟]")
_OPENS = re.compile(
    r"""(?:(?:hi|hey|hello|ok|okay|so|and|but|also|now|please)\b[\s,]*)*(?:
      (?:why|where|who|whose|whom|which|how)\b(?!\s(?:to|we|i|it)\b)
    | wh(?:at|en)(?:'s|\s(?:is|are|was|were|did|do|does|will|would|should|can|could|had|has|have))\b
    | (?:is|are|was|were|does|did|can|could|should|would|will|has|have|do)\s
      (?:there|it|this|that|we|you|i|they|he|she|our|my|your|his|her|its|their|the|any)\b
    | (?:warum|wieso|weshalb|wann|wo|wer|wie|welche[rsnm]?|was\s(?:ist|sind|war|waren|haben))\b
    | ¿ | (?:por\squé|cuándo|dónde|quién|cuál|cómo)\b
    | (?:pourquoi|quand|où|qui|quel(?:le)?s?|comment)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_ASKS_FOR = re.compile(
    r"\W*(?:wh(?:en|ere|om?|ose|at|ich|y)|how|wann|wo|wer|was|welche\w?|warum|wie"
    r"|cuándo|dónde|quién|qué|cuál|cómo|por qué|quand|où|qui|quel\w*|comment|pourquoi)\b",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"""\bhow\s(?:to|(?:do|did|can|could|should|would)\s(?:i|we|you|one))\b
    | \b(?:commands?|snippets?|syntax|one-?liners?|example\sof)\b
    | \bwie\s\w+\s(?:ich|man|wir)\b | \bbefehle?\b | \bcómo\s(?:se|puedo|podemos|hago)\b
    | \bcomandos?\b | \bcomment\s(?:faire|puis|peut|on|je)\b | \bcommandes?\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LIGHT = "last place"
"""Words that say little beside those that say what is wanted: "when did it last take place"."""
_ABOUT = re.compile(
    r"""\b(?:which|what|any|all|open|my|our|list)\s(?:\w+\s){0,2}questions\b
    | \b(?:did|have|had|has)\s(?:\w+\s){1,3}?ask(?:ed)?\b | \b(?:was|were|been)\sasked\b
    | \bwelche\s(?:\w+\s){0,2}fragen\b | \bgefragt\b | \bqué\s(?:\w+\s){0,2}pregunt\w+
    | \bquelles\s(?:\w+\s){0,2}questions\b | \bdemandé\b""",
    re.VERBOSE | re.IGNORECASE,
)


def asks_how_to(text: str) -> bool:
    """Whether a question is how something is done, which code may show better than prose."""
    return _HOW_TO.search(text) is not None


def is_question(text: str, *, typed: bool = False) -> bool:
    """Whether the text is nothing but questions, a greeting aside. Whoever *typed* it as a prompt
    may have left out the mark."""
    if len(text) > LONGEST or not (typed or _MARK.search(text)):
        return False
    parts = [text[start:end].strip() for start, end in units(text)]
    said = [part for part in parts if len(part.split()) > FEW or _MARKED.search(part)]
    return bool(said) and all(_asks(part, typed=typed) for part in said)


def _asks(sentence: str, *, typed: bool) -> bool:
    if _MARKED.search(sentence):
        return True
    return typed and not sentence.endswith((".", ":", "!")) and bool(_OPENS.match(sentence))


def asks_for(text: str) -> bool:
    """Whether a text begins with a word that asks for something: "when do we deploy?" does, and
    "is redis up?" does not."""
    return _ASKS_FOR.match(text) is not None


def begins_to_ask(text: str) -> bool:
    """Whether a text begins as a question does, whatever it asks."""
    return asks_for(text) or _OPENS.match(text) is not None


def is_same(one: str, other: str) -> bool:
    """Whether two questions are asked in nearly the same words."""
    these, those = stems(one), stems(other)
    return len(these & those) >= SAME * len(these | those)


def says_no_more(text: str, question: str) -> bool:
    """Whether a text has no word that is not asked."""
    said = stems(text)
    return bool(said) and said <= stems(question)


_SENT = re.compile(
    r"""(?:please\s|bitte\s|por\sfavor\s|can\syou\s|could\syou\s)?
      (?:(?:look|check|search|dig|see|ask|tell\sme|find|google|investigate|research)\b
      | (?:such|schau|sieh|prüf|finde?|frag)e?\b
      | (?:busca|mira|averigua|cherche|regarde|trouve)\b)""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip


def only_sends(text: str, question: str) -> bool:
    """Whether a prompt only sends somebody to look, or asks something and tells no number and no
    word of the *question* besides: where nothing was found, it says nothing."""
    if len(text) > LONGEST:
        return False
    said = [text[start:end].strip() for start, end in units(text)]
    others = [one for one in said if not _MARKED.search(one)]
    if _has_number(others):
        return False
    if _SENT.match(text):
        return True
    told = stems(" ".join(others)) - stopwords()
    return len(others) < len(said) and told.isdisjoint(stems(question))


def _has_number(said: Iterable[str]) -> bool:
    return any(re.search(r"\d", one) for one in said)


def is_about_questions(question: str) -> bool:
    """Whether it is asked what was asked: then questions are what is looked for."""
    return bool(_ABOUT.search(question))


_POLITE = stems(
    """
thanks thank thx please perfect great good nice cool fine awesome excellent wonderful super okay ok
yes no sure right bye goodbye hello hi hey cheers night morning afternoon evening got look sound
danke dank vielen gut gute guten morgen abend nacht prima perfekt alles klar ja nein hallo tschüss
gracias perfecto vale hola buenas noches merci parfait bonjour bonne nuit
"""
)


def is_courtesy(text: str) -> bool:
    """Whether it thanks, agrees, greets or takes leave, and says nothing besides."""
    said = stems(text)
    is_polite = not said.isdisjoint(_POLITE) and said <= _POLITE | stopwords()
    return is_polite and not is_question(text, typed=True)


@cache
def asked_with() -> frozenset[str]:
    """Returns the stems of the words that a question asks with, and that no answer must have: those
    that say what is wanted, and words that carry little, such as "take" and "really"."""
    return wanted() | stems(" ".join((_LIGHT, *FILLERS)))


_UNKNOWN = re.compile(
    r"""\bI\s?(?:do\snot|don['’]t|can(?:not|['’]t)|could(?:\snot|n['’]t)|did(?:\snot|n['’]t))\s
      (?:know|find|see|tell|say|have|access|determine|recall)\b
    | \bI(?:\shave|['’]ve)\s(?:no|not\sfound|found\s(?:no|nothing))\b
    | \b(?:nothing|no\s\w+)\s(?:about\s(?:it|that)\s)?
      (?:(?:is|was|were)\s)?(?:recorded|mentioned|stored|found)\b
    | \b(?:(?:there(?:\s(?:is|are|was|were)|['’]s)|found)\s)?
      (?:no\s(?:\w+\s)?(?:information|mention|record|trace|results?|match(?:es)?)
        (?:\s(?:at\sall|about|on|of|for|regarding|available)\b|\s?[.!]?$)
      | nothing(?:\s(?:at\sall|(?:about|on)\s(?:it|that|this)))?\s?[.!]?$)
    | \bneither\b.{1,80}\bnor\b.{1,80}\b(?:says?|mentions?|knows?|shows?)\b
    | \byou(?:\swould|['’]d)\s(?:have\sto|need\sto)\sask\b
    | \bich\s(?:wei(?:ß|ss)|finde)\b.{0,40}\b(?:nicht|nichts)\b
    | \bkonnten?\b.{0,40}\b(?:nicht|nichts)\s(?:finden|herausfinden|sagen)\b
    | \b(?:dazu|darüber|hierzu|davon)\b.{0,30}\b(?:nicht|nichts|keine)\b(?:\s\w+)?[.!]?$
    | \b(?:keine|nichts)\b.{0,30}\b(?:gefunden|bekannt|dazu|darüber|hierzu)\b
    | \bno\s(?:lo\ss[eé]|encuentro|(?:lo\s)?he\sencontrado|encontré)\b
    | \bno\s(?:tengo|hay|dispongo\sde)\s(?:ninguna?\s)?(?:información|nada|datos|registros?)\b
    | \bje\sne\s(?:le\s)?(?:sais|trouve|vois)\s(?:pas|rien|aucune?)\b
    | \bje\sn['’]ai\s(?:rien|pas|aucune?)\s(?:\w+\s)?(?:trouvé|(?:d['’]|l['’])?informations?)\b
    | \baucune?\s(?:information|trace|mention)\b | \brien\strouvé\b
    | \bnon\s(?:lo\sso|trovo|ho\s(?:trovato|informazioni))\b
    | \bnão\s(?:sei|encontr\w+|tenho\sinforma\w+)\b
    | \bik\s(?:weet|vind)\b.{0,40}\b(?:niet|niets)\b
    | не\s(?:знаю|наш(?:ёл|ел|ла|лось)|могу\sнайти)|нет\s(?:\w+\s)?информации
    | ничего\sне\sнайдено
    | (?:我)?(?:不知道|不清楚|没有找到|找不到|没找到|没有(?:相关|任何)+信息)
    | (?:わかりません|分かりません|見つかりません|情報(?:は|が)?ありません)""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_RESTATES = re.compile(
    r"""(?:so\s)?(?:you(?:['’]re|\sare)?\s(?:ask(?:ing|ed)?|want(?:ed)?\sto\sknow|wonder\w*)
    | (?:du\sfragst|sie\sfragen|du\swillst\swissen)
    | (?:preguntas|quieres\ssaber) | (?:tu\sdemandes|vous\sdemandez))\b""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
"""How a reply begins to say again what was asked."""


_LOOKS = re.compile(
    r"""(?:(?:\w+[,!.]|and|so|now|first|then|next)\s)*
      (?:let\sme|let['’]s|I(?:['’]ll|\swill|['’]m\sgoing\sto|\sam\sgoing\sto))\s(?:\w+\s){0,3}
      (?:check|look|see|find|search|read|verify|confirm|inspect|examine|investigate|explore|dig)\b
    | (?:ich|lass\smich)\s(?:\w+\s){0,3}(?:schaue?|sehe|prüfe|suche|lese|nachsehen)\b
    | (?:voy\sa|déjame|je\svais|laissez-moi)\s(?:\w+\s)?
      (?:ver|mirar|buscar|revisar|comprobar|regarder|vérifier|chercher|voir)\b""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip


def is_no_answer(text: str) -> bool:
    """Whether a reply is short and begins with that it does not know, or only says that it will
    look: it is no evidence of what was asked."""
    if len(text) > LONGEST or len(text.split()) > BRIEF:
        return False
    said = [text[start:end].strip() for start, end in units(text)]
    told = said[sum(1 for _ in takewhile(_RESTATES.match, said)) :]
    if not told or _UNKNOWN.search(told[0]):
        return bool(said)
    told = told[len(told) > 1 and told[0].endswith("!") :]
    return all(map(_LOOKS.match, told)) and not _has_number(told)
