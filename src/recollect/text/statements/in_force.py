"""Whether a statement is in force, still open, or told as history: by the words it says it with.

What it guarantees
- ``undecided`` and ``outdated`` only by words that say so of the statement as a whole
  ("not decided", "previously used …", "replaced by …"); when in doubt, ``active``.
- What is in force now is ``active``, whatever it tells about before: "We no longer use Redis"
  is a rule of today, "I used to smoke but quit" ends in the present, and the tool that
  "replaced Jest" is the one in use.
- A decision settles a debate that is told with it ("Decided on X after evaluating Y").
- The same text always stands the same way, and no text raises.
"""

# ruff: noqa: E501  a table reads better with its long rows

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text.terms import fold

Status = Literal["active", "undecided", "outdated"]

_READ = 4000


class Standing(NamedTuple):
    status: Status
    why: str
    """The words that decided; empty for what is simply stated."""


OUTDATED = (
    # said at the beginning of the whole
    r"^(?:historical(?:ly)?|history|obsolete|outdated|deprecated|superseded|legacy|archived|retired|veraltet|historisch|obsoleto|historico)\s?(?:note|record|decision|hinweis|nota)?(?: only)?\s?[:—–-]",
    r"^[\W_]*(?:obsolete|outdated|deprecated|superseded|archived|veraltet|obsoleto)\s*[\])}:!.—–-]",
    r"^(?:we |i |they |the team |the project |wir |ich )?(?:previously|formerly|originally|initially|in the past|back then|fruher|ehemals|damals|ursprunglich|antes|anteriormente|previamente)\b(?! (?:mentioned|discussed|said|noted|agreed))",
    r"^(?:we |i |they |the team |wir |ich )?(?:was|were|had been|used to be) (?:still )?(?:evaluating|debating|considering|deciding|weighing|exploring|discussing|comparing|thinking|planning|trialling|trialing|testing|undecided|torn)\b",
    r"^(?:used to|at one point|once upon a time)\b",
    # said of the whole at its end
    r"(?:^|[.;,!] )(?:it |this |that |which |stack |they |(?:the )?[a-z]+ )?(?:was |were |has been |have been |is |are |since |later |now |then |subsequently |eventually )*(?:replaced|superseded|succeeded|overruled|abgelost|ersetzt|reemplazad[oa]|sustituid[oa]) (?:by|with|durch|por)\b",
    r"\bdeprecated in favou?r of\b",
    r"\bin favou?r of .+ instead$",
    r"\b(?:this|it|that) (?:is|was) no longer (?:true|valid|the case|current|in force|relevant|correct|applicable)\b",
    r"\bno longer (?:applies|holds|valid|applicable|in force)\b",
    r"\bnicht mehr (?:gultig|aktuell)\b",
    r"\bya no (?:es valid[oa]|aplica|vigente)\b",
    r"\b(?:has|have) since been (?:replaced|removed|retired|reversed|dropped|abandoned)\b",
)

UNDECIDED = (
    r"\b(?:not|nothing|never|isn't|hasn't been|haven't) (?:yet |been |fully |finally )*(?:decided|settled|resolved|finali[sz]ed|agreed)\b(?: yet)?",
    r"\bno decision (?:yet|made|has been|so far|was)\b",
    r"\bdecision (?:is )?(?:pending|open|outstanding)\b",
    r"\bundecided\b",
    r"\bunresolved\b",
    r"\b(?:tbd|tbc|t\.b\.d\.|to be (?:decided|determined|confirmed|discussed))\b",
    r"\b(?:open|unanswered|outstanding) question\b",
    r"^(?:open|question|offene frage|pregunta abierta)\s?[:—–-]",
    r"\b(?:still|yet) (?:to be|to|deciding|debating|evaluating|considering|thinking about|weighing|discussing|undecided|unclear|open)\b(?! (?:use|be used|support))",
    r"^(?:(?:we|i|they|the team) )?(?:am |are |is |'m |'re )?(?:currently |still )?(?:evaluating|debating|considering|weighing|deliberating|exploring|comparing|wondering|contemplating|torn between|on the fence|thinking (?:about|of)|leaning towards?)\b",
    r"^(?:we|i|they|the team)(?: am| are| is|'m|'re) (?:currently |still )?(?:evaluating|debating|considering|weighing|wondering|unsure|undecided|torn|not sure|on the fence|thinking (?:about|of)|leaning towards?)\b",
    r"\b(?:not sure|unsure|unclear|undecided|can't decide|cannot decide) (?:yet )?(?:whether|if|which|about|between|how)\b",
    r"\b(?:we|i|they) (?:might|may|could)(?: also)? (?:switch|move|migrate|use|adopt|go with|try|drop|replace|want|need|end up|change|consider)\b",
    r"^(?:maybe|perhaps|possibly|vielleicht|quizas|tal vez)\b",
    r"\b(?:needs?|awaiting|pending|waiting for) (?:a |further |more |the |final )*(?:decision|discussion|approval|sign-off|investigation)\b",
    r"^(?:should|shall|do) (?:we|i)\b.*\?$",
    r"\b(?:whether|ob) (?:to|wir|ich)\b.*\b(?:open|tbd|offen|undecided|unklar)\b",
    r"\b(?:noch )?nicht entschieden\b",
    r"\bnoch (?:offen|unklar|unentschieden)\b",
    r"\boffene frage\b",
    r"\bwir uberlegen\b",
    r"\b(?:sin|no esta) decidi(?:r|do)\b",
    r"\bpor decidir\b",
    r"\bestamos (?:evaluando|considerando|debatiendo)\b",
    r"\b(?:proposal|proposed|draft|rfc)\b\s?[:—–-]",
)

SETTLED = (
    r"(?:^|[.;,!] |\b(?:and|but|so|we|i|team|have|has|finally|then) )(?:\w+ )?(?:decided(?! yet)|settled on|chose|chosen|picked|went with|agreed(?: on| to)|opted|resolved(?: in favou?r)|concluded|approved|entschieden|decidimos|hemos decidido|elegimos)\b(?! whether| if)",
    r"\bdecision\s?[:—–-]",
)
"""What ends a debate that is told with it."""

NOW = (
    r"\b(?:but|and|so|,|;|\.) ?(?:i |we |they |it |has |have |is |are )*(?:now|today|currently|since|quit|stopped|switched|moved|jetzt|heute|inzwischen|ahora|hoy)\b(?! (?:been )?(?:replaced|superseded))",
    r"\b(?:now|currently|these days|nowadays) (?:we|i|it|uses?|using|on|with|runs?|have|has|lives?|works?)\b",
    r"^(?:we|i|they|the team|wir|ich) (?:now|currently)\b",
    r"\b(?:is|are|am) now\b",
)
"""What says how it is today, after how it was."""

PROPOSED = (
    r"\b(?:we|i|they)(?: want to|'d like to)? (?:propose|suggest|request)\b",
    r"\b(?:ask(?:s|ed|ing)?|request(?:s|ed|ing)?|apply|applied) (?:you |us |me )?for (?:your |our |the |an? )*(?:consent|approval|agreement|permission|increase|change|raise|extension)\b",
    r"\b(?:the|our|my|their|his|her) (?:current )?(?:plan|proposal|idea|offer|wish) (?:is|was) (?:to|for|that)\b",
    r"\b(?:is|are|was|were|has been|have been) (?:proposed|planned|suggested|requested)\b",
    r"\b(?:proposed|suggested) (?:to|that|(?:\w+ )?\w+ing)\b|\bschlug\b.*\bvor\b|\bpropuso\b|\ba propose\b",
    r"\b(?:wants|demands|proposes|suggests|asks for|would like|intends to|plans to|hopes to|mochte|quiere|voudrait)\b",
    r"\b(?:we|they)(?: are|'re)? (?:plan|planning|intend|want|hope) to\b",
    r"\b(?:wir|ich) (?:schlage(?:n)?|beantrage(?:n)?|bitten? um)\b.*\b(?:vor|zustimmung|genehmigung|erhohung)\b",
    r"\b(?:der plan ist|es ist geplant|ist geplant|geplant ist|vorschlag)\b",
    r"\b(?:proponemos|propongo|el plan es|esta previsto|nous proposons|il est prevu)\b",
)
"""What somebody wants or plans, and nobody has agreed to."""

REFUSED = (
    r"\b(?:decided|voted|entschieden|decidi\w*|voto|decide|vote) (?:against|dagegen|gegen|en contra|contre)\b|\bgegen\b.*\bentschieden\b",
    r"(?:\b(?:we|i|they|but|and|was|were|wurde|haben|fue|ete) |^|[;,:.] ?)(?:\w+ )?(?:declined|rejected|refused|turned down|voted down|ruled out|abgelehnt|verworfen|rechaz\w+|descart\w+|refusee?|rejetee?)(?:$|[.;,!]| (?:\w+ )?(?:idea|proposal|suggestion|offer|request|vorschlag|antrag|propuesta|offre|demande)\b)",
    r"\b(?:(?:will|did|do|does) not|(?:wo|did|do|does)n't) (?:change|move|switch|raise|increase|lower|reduce|replace|adopt)\b",
)
"""What was turned down: all stays as it was."""

SUPPOSED = (
    r"\?[\W_]*$",
    r"\b(?:i|we|they) wish\b|\bif only\b|\bwould be (?:nice|great|good|better)\b|\bojala\b",
    r"\bif\b.*\b(?:would|could|might)\b|\b(?:would|could|might)\b.*\bif\b|\b(?:what|as) if\b",
    r"\b(?:wunschte|ware schon|ware gut)\b|\bwenn\b.*\b(?:wurden?|waren?|hatten?|konnten?)\b",
    r"\bsi\b.*\b(?:seria|tendria|habria|podria|serait|aurait|pourrait)\w*\b",
)
"""What is only asked, wished or supposed."""


@cache
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def is_proposed(statement: str) -> bool:
    """Whether a statement says what is wanted, planned or still open, and not what holds."""
    text = _plain(statement)
    wanted = _said(PROPOSED, text) or _said(UNDECIDED, text)
    return bool(wanted) and not _said(SETTLED, _compiled(UNDECIDED).sub("", text))


def is_idle(statement: str) -> bool:
    """Whether a statement changes nothing: it asks, wishes, supposes, or says what was refused."""
    text = _plain(statement)
    if _said(SUPPOSED, text):
        return True
    return bool(_said(REFUSED, text)) and not _said(SETTLED, _compiled(REFUSED).sub("", text))


def _plain(statement: str) -> str:
    text = re.sub(r"\s+", " ", fold(statement[:_READ]).replace("’", "'"))
    return text.strip(" *_>#\"'“”-.")


def standing(statement: str) -> Standing:
    """How *statement* stands."""
    text = _plain(statement)
    outdated = _said(OUTDATED, text)
    if outdated and not _said(NOW, text):
        return Standing("outdated", outdated)
    undecided = _said(UNDECIDED, text)
    if undecided and not _said(SETTLED, _compiled(UNDECIDED).sub("", text)):
        return Standing("undecided", undecided)
    return Standing("active", "")


def _said(patterns: tuple[str, ...], text: str) -> str:
    match = _compiled(patterns).search(text)
    return match[0].strip(" .,;:!—–-") if match else ""
