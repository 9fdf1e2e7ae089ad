"""By which words a sentence holds a fact, as data: one row a rule, tried in order.

A pattern is matched at the beginning of a sentence, without regard to case. ``<NP>`` stands for a
few words, ``<NAME>`` for a name, ``<VALUE>``, ``<DATE>`` and ``<TIME>`` for what they say. What a
fact is about is the first of the groups ``for`` (the matter it settles), ``s`` and ``o`` that is
there. ``name`` must be written as a name.
"""

# ruff: noqa: E501  a table reads better with its long rows

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from recollect.facts import FactType

Sort = Literal[
    "definition", "decision", "preference", "commitment", "value", "date", "question", "relation",
    "expertise", "self", "stated",
]  # fmt: skip
"""What kind of sentence it is; a type of fact may have several."""

TYPES: dict[Sort, FactType] = {
    "definition": "entity",
    "decision": "decision",
    "preference": "preference",
    "commitment": "decision",
    "value": "fact",
    "date": "fact",
    "question": "open_question",
    "relation": "relation",
    "expertise": "expertise",
    "self": "fact",
    "stated": "fact",
}

ANY = frozenset({"user", "assistant", ""})
SAID = frozenset({"user", ""})
USER = frozenset({"user"})
PROSE = frozenset({""})


class Rule(NamedTuple):
    sort: Sort
    cue: str
    """Words of which the sentence has one, or the pattern is not tried; ``#`` is a figure."""
    pattern: str
    voices: frozenset[str] = SAID
    confidence: float = 0.85
    asks: bool = False
    """It may end with a question mark."""
    most: int = 40
    """Words of the sentence."""


MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|"
    r"agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
WEEKDAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
)
_DATE = (
    rf"(?:(?:{WEEKDAY}),? )?(?:the )?(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)? {MONTH}\b\.?(?:,? (?:de )?\d{{4}})?|"
    rf"{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|{MONTH} \d{{4}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}})"
)
_TIME = (
    rf"(?:(?:by|before|on|until|till|in|bis|am|vor|avant|antes del?) (?:the end of |end of |early |late |next |this |the )?(?:{_DATE}|{WEEKDAY}|{MONTH}|tomorrow|tonight|noon|"
    r"(?:q[1-4]|year|month|week|summer|spring|autumn|fall|winter|christmas|easter|audit|release|launch|deadline)\b)"
    r"|(?:next|this|nächste|diese) (?:week|weekend|month|year|spring|summer|autumn|fall|winter|woche)|tomorrow|tonight|today)"
)
_DUE = rf"(?:(?:by|before|until|till|on|bis|am|vor|avant|antes del?) (?:the end of |end of |early |late |next |this |the )?(?:{_DATE}|{WEEKDAY}|{MONTH}|(?:q[1-4]|year|month|week|summer|spring|autumn|fall|winter|audit|release|launch|deadline)\b)|in {MONTH}\b|this week\b)"
_UNIT = (
    r"(?: ?%| ?(?:°C|°F|[kmgt]i?b|ms|s|kg|km|m|cm|mm|h|[mgk]?hz|mg/l|ml|l|w|kwh|v|rpm)\b| (?:percent|million|thousand|hundred|billion|euros?|dollars?|pounds?|"
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|requests?|rows?|users?|nodes?|people|workers?|replicas?|sekunden|minuten|stunden|tage|secondes|jours|segundos|minutos|días|"
    r"square feet|miles?|kilometers?|kilos?|retries|attempts|connections|threads|cores|members|employees|seats|vendors|customers)\b)"
)
_COUNT = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|twenty-five|thirty|forty|forty-five|fifty|sixty|ninety|(?:a|one) (?:hundred|thousand|million))"
_MEASURE = rf"(?:[$€£] ?\d[\d.,]*(?: ?[km]\b)?|(?:\d[\d.,:]*\d|\d|{_COUNT})(?:{_UNIT}){{1,2}})"
_CLOCK = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)\w* )?\d{1,2}(?::\d\d(?: ?(?:utc|gmt|cet|cest|am|pm|est|pst))?| ?(?:am|pm))\b"
_NUMBER = rf"(?:{_MEASURE}|\d[\d.,:]*\d|\d)(?![\w-])"
_CODED = r"(?-i:(?=[^a-z]*[a-z])(?!\S*(?:^|[-.])(?:of|to|the|by|and|in|on|for|a|or|up|not|de|la|go)(?:[-.]|\b))(?:[a-z0-9]+-){2,}[a-z0-9]+(?:\.[a-z0-9]+)*|[a-z0-9]+(?:\.[a-z0-9_]+){3,}|[a-z][a-z0-9]*-(?:v|r)?\d[\w.]*)(?![\w-])"
"""A name that people gave to a thing that has none: ``trn-ifx-results-ash``, ``brn.wo.assign.fsm``."""
_IDENTIFIER = r"(?:https?://\S+|[\w-]+(?:\.[\w-]+)*\.(?:org|com|net|io|dev|de|internal|invalid|local|example|app|ai)\b[\w./:-]*|v\d+(?:\.\d+)*|#[0-9a-f]{6}\b)"
_VERBAL = r"(?:is|are|was|were|be|been|has|have|had|that|which|who|and|or|but|also|now|because|when|where|if|rather|so|since|while|can|will|must|should|does|do|did|it|they|we|you|i|not|than|as)"
_MACROS = {
    "<NP>": r"(?:[^\s,;:.!?()\"“”]+ ){0,5}?[^\s,;:.!?()\"“”]+",
    "<SNP>": rf"(?:(?!{_VERBAL}\b)[^\s,;:.!?()\"“”`]+ ){{0,7}}?(?!{_VERBAL}\b)[^\s,;:.!?()\"“”`]+",
    "<NAME>": r"(?:[^\W\d_][\w&'’-]*(?:[ .][^\W\d_a-z][\w&'’-]*){0,3})",
    "<ABOUT>": r"(?:about |around |roughly |approximately |at least |at most |up to |now |currently |only |just |exactly |etwa |unos |environ )*",
    "<NUMBER>": _NUMBER,
    "<MEASURE>": _MEASURE,
    "<VALUE>": rf"(?:{_NUMBER}|{_IDENTIFIER}|{_CODED})",
    "<EXACT>": rf"(?:{_MEASURE}|{_CLOCK}|{_IDENTIFIER}|{_CODED})",
    "<CODED>": rf"(?:{_IDENTIFIER}|{_CODED})",
    "<CLOCK>": _CLOCK,
    "<DATE>": _DATE,
    "<TIME>": _TIME,
    "<DUE>": _DUE,
    "<WEVE>": r"(?:(?:we|i)(?:'ve| have|'d| had)?|(?:the team|the board|the committee|the council|management|our team|the steering council|everyone)(?: has| have)?)(?: all| both| now| finally| also| just| already| since| therefore| then)*",
    "<FOR>": r"(?:.*?\b(?:for|as) (?!now\b|the time|the moment|example|instance|that|this|it\b|me\b|us\b|you\b|good\b|a while|another|\d|one\b|two\b|three\b)(?P<for>(?:the |our |my |all |all of |a |an )?(?:[^\s,;:.!?()]+ ){0,3}?[^\s,;:.!?()]+)(?= until| in | on | to | and |[.,;!]|$))?",
    "<FOR2>": r"(?:.*?\b(?:for|as) (?P<for2>(?:the |our |my |all |all of )(?:[^\s,;:.!?()]+ ){0,3}?[^\s,;:.!?()]+)(?= until| in | on | to | and |[.,;!]|$))?",
    "<ROLE>": r"(?:lead|leader|manager|owner|maintainer|head|director|ceo|cto|cfo|cso|ciso|product owner|tech lead|team lead|on-call lead|contact|point of contact|admin|administrator|sponsor|chair|president|founder|co-founder|editor|captain|coach|boss|supervisor|advisor|doctor|dentist|therapist|landlord|lawyer|accountant|teacher|trainer|vet|release manager|scrum master)",
    "<SERVICE>": r"(?:service|services|job|jobs|app|gateway|api|worker|workers|pipeline|dashboard|cluster|database|importer|exporter|frontend|backend|server|bot|portal|scheduler|queue|crawler|daemon|cli|ledger|replica|warehouse|website|site|team|repo|repository|platform|system|cache|proxy|log|monolith)",
    "<PERSON>": r"(?:mother|mom|mum|dad|father|brother|sister|son|daughter|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|uncle|aunt|cousin|nephew|niece|grandmother|grandma|grandfather|grandpa|boss|manager|roommate|flatmate|landlord|dog|cat|puppy|kitten|best friend|brother[- ]in[- ]law|sister[- ]in[- ]law|mother[- ]in[- ]law|father[- ]in[- ]law)",
    "<CONVENTION>": r"(?:commit messages?|code comments?|comments|branch(?:es| names)?|pull requests|PRs|unit tests|integration tests|migrations|code reviews|releases|deploys|deployments|changelogs?|variable names|function names|file names|test names|error messages|log messages|timestamps|feature flags|secrets|api responses|endpoints|release notes)",
}

_DECIDED = (
    r"(?:decided|agreed|chose|chosen|opted|settled|picked|voted|elected|standardi[sz]ed|committed)"
)
_DECIDED_CUE = "decided agreed chose chosen opted settled picked voted elected standardised standardized committed"
_DO = r"(?:fetch|send|cache|persist|expose|exclude|use|using|go with|going with|stick with|stick to|keep|drop|switch to|switching to|move to|moving to|adopt|adopting|migrate to|migrating to|standardi[sz]e on|ship with|ship w/|target|default to|retire|deprecate|replace|store|deploy|support|host|run|build on|rely on|limit|align|cap)"
_IT = r"(?!it\b|its\b|this\b|that\b|these\b|those\b|them\b|him\b|her\b|you\b|your\b|both\b|option\b|what\b|how\b|when\b|one\b|something\b|anything\b|everything\b|(?:a |the |an )?`|\W*$)"
"""What is named: no pronoun, and no piece of code."""
_IT_OR_TO = _IT + r"(?!to |on |upon |for |with |against )"
_THAT = r"that (?=(?:the|our|all|we|every|no|each|an?|any|\w+s) )"
_EVENT = r"(?=.*(?:\b(?:last|ago|recently|just|since|yesterday|today|this|on|in|at|from|named|called)\b|\d|.[A-Z]))"
"""What happened is told with when, where or what by name."""
_FEW = r"(?!(?:an? |my |the |some )?(?:new )?(?:lot|bunch|few|couple|some|best|ton|bit|feeling|chance|error|message|notification|reply|response|question|warning|following|result|copy|list|look|meeting|branch|review|session|file|test|thing|hard time|good|great|better|sense|idea|kick|it|this|that|them|one|catch-up)\b)"

_CHANGED = r"(?:changed|moved|switched|reverted|returned|went|rolled|reset|raised|lowered|increased|reduced|cut|extended|shortened|bumped|dropped|rose|grew|fell|upgraded|downgraded|migrated|back)"
_CHANGED_CUE = "changed moved switched reverted returned went rolled reset raised lowered increased reduced cut extended shortened bumped dropped rose grew fell upgraded downgraded migrated back"
_OFTEN = r"(?:(?: just| recently| finally| now| also| currently| only| still| already| always| usually| mostly| exclusively| mainly| no longer| actually)*)"
_WORK = r"(?!.*\b(?:files?|code|branch|commits?|tests?|docs?|function|lines?|pr|repo|script|config|prompt|section|message|output|logs?|errors?|folder|directory|bug|fix|comments?|diff|you|your|these|those|them|it there|wondering|looking|suggestions?|tips|advice|help)\b)"
"""Of the work at hand, or of the conversation."""
SHORT = 18
"""Words of what somebody says of themselves in passing; more is a story."""

RULES: tuple[Rule, ...] = (
    # ---------------------------------------------------------------- open questions
    Rule("question", "question questions frage pregunta", r"(?:open question|offene frage|pregunta abierta|question ouverte)s?\s?[:—–-]\s*(?!none|n/a|no\b)(?P<o>\S.{8,})", ANY, 0.95, asks=True),
    Rule("commitment", "tbd tbc", r"(?:tbd|tbc)\s?[:—–-]\s*(?:add|document|describe|make|update|write|explain|discuss|clarify|decide|list|give|insert) (?P<o>\S.{6,})", SAID, 0.85),
    Rule("question", "tbd tbc", r"(?:tbd|tbc)\s?[:—–-]\s*(?P<o>\S.{8,})", ANY, 0.95, asks=True),
    Rule("question", "tbd tbc decided determined confirmed undecided", r"(?P<s>(?:the|our) <SNP>) (?:is|are)(?: still)? (?:tbd|tbc|to be (?:decided|determined|confirmed)|undecided|not (?:yet )?decided)\b", SAID, 0.9),
    Rule("question", "should shall", r"(?:should|shall) we (?:still |also |really |even |just )?(?!be\b|do (?:it|that|this)\b|start\b|continue\b|proceed\b|see\b|go ahead|worry|plan\b|have\b|get\b)\w+ (?:to )?" + _IT + r"(?P<o>[^?]+)\?$", SAID, 0.75, asks=True),
    Rule("question", "want need", r"do we (?:still |really |even )?(?:want|need) (?:to \w+(?:ing)? (?:\w+ing )?)?" + _IT + r"(?!to |any|more\b|\d)(?P<o>[^?]+)\?$", SAID, 0.75, asks=True),
    Rule("question", "sure unsure undecided torn", r"(?:i'm|i am|we're|we are)(?: still)? (?:not sure|unsure|undecided|torn)(?: yet)? (?:whether|if|which|between|about whether|who|when)(?: to(?: \w+)?| we should(?: \w+)?| i should(?: \w+)?)? (?P<o>(?:the |our |my |an? )?" + _IT + r"(?!i\b|i'm|i've|we\b|there\b|they\b|he\b|she\b)<NP>)", SAID, 0.75),
    Rule("question", "decided settled agreed", r"(?:we|i)(?: still)?(?: haven't| have not|'ve not)(?: yet)? (?:decided|settled|agreed)(?: yet)?(?: on| about| whether| which| who| if| between)(?: to)? (?P<o>" + _IT + r"\S.+)", SAID, 0.9),
    Rule("question", "decide", r"(?:we|i) (?:still )?(?:have to|need to|must|can't|cannot) (?:still )?decide(?: on| about| whether to \w+| whether| which| who| if| between| when) (?P<o>" + _IT + r"\S.+)", SAID, 0.85),
    Rule("question", "open unclear undecided", r"(?:(?:it is|it's|it remains) (?:still )?(?:open|unclear|undecided|an open question)|(?:still )?(?:unclear|undecided))(?: whether| which| who| if| when)(?: to \w+)? (?P<o>" + _IT + r"(?!\S+ (?:\S+ )?(?:was|were|had|\w+ed)\b)\S.+)", SAID, 0.8),
    # ---------------------------------------------------------------- decisions
    Rule("decision", "decision decisions decided agreed entscheidung beschluss decisión décision", r"(?:(?:final |key |our )?decisions?|decided|agreed|entscheidung|beschluss|decisión|décision)\s?(?::|—|–| - )\s*(?:we(?:'ll| will)? (?:\w+ )?|to \w+ )?(?P<o>(?!https?:|none|n/a|pending|tbd)\S.{8,})", ANY, 0.95),
    Rule("decision", _DECIDED_CUE, r"<WEVE> " + _DECIDED + r"\b(?! up\b)(?: to (?:not )?\w+(?: (?:with|to|on|for|up))?(?: (?P<o>" + _IT_OR_TO + r"\S+ ?<FOR>.*)| (?:when|once|after|before|next|this|in|at|by) .*|[.!]?$)|(?: on| upon| " + _THAT.rstrip() + r"| against| for| in favou?r of| with)? (?P<p>" + _IT_OR_TO + r"\S+ ?<FOR2>.*))", SAID, 0.85),
    Rule("decision", "approved", r"(?:we|the team|the board|the council|management) (?:has |have )?approved (?P<o>" + _IT + r".+)", SAID, 0.85),
    Rule("decision", "agreed decided", r"it (?:was|has been) (?:decided|agreed)(?: that| to)(?: we)? (?P<o>\S.+)", SAID, 0.9),
    Rule("decision", "let's lets", r"let'?s (?:just |also |all )?(?:go with|stick with|stick to|standardi[sz]e on|switch to|move to|adopt|migrate to|ship with|ship w/|default to|drop|limit|align|settle on|keep using|use) (?P<o>" + _IT + r"\S+ ?<FOR>.*)", USER, 0.8),
    Rule("decision", "we'll will we're going", r"we(?:'ll| will| are going to|'re going to)(?: now| only| always| just| also| continue to)* (?:" + _DO + r") (?P<o>" + _IT_OR_TO + r"\S+ ?<FOR>.*)", SAID, 0.75),
    Rule("decision", "going dropping switching moving migrating adopting retiring sunsetting deprecating replacing standardizing standardising staying sticking using", r"we(?:'re| are)(?: now| also)? (?:going with|dropping|switching to|moving to|migrating to|adopting|retiring|sunsetting|deprecating|replacing|standardi[sz]ing on|staying with|sticking with|not using|not going to use) (?P<o>" + _IT + r"\S+ ?<FOR>.*)", SAID, 0.85),
    Rule("decision", "won't will we'll", r"we(?: won't| will not|'ll not) (?:be )?(?:support|use|ship|using|supporting|build|add|adopt|store|fetch)(?:ing)? (?P<o>" + _IT + r".+)", SAID, 0.75),
    Rule("decision", "anymore more longer", r"we(?: do not| don't| no longer) (?:use|support|accept|offer|ship|deploy|run|maintain) (?P<o>" + _IT + r"\S.*?)(?: anymore| any more| any longer)?[.!]?$", SAID, 0.85),
    Rule("decision", "want need", r"we (?:don't|do not) (?:want|need) (?!(?:any |an? )?\S+$)(?:any |an? )?(?P<o>" + _IT + r"(?!to\b|the\b|more\b)\S.+)", USER, 0.75),
    Rule("decision", "now forward today effective starting sofort ahora désormais", r"(?:from now on|going forward|from today on|starting (?:today|now|<DATE>)|effective immediately|ab sofort|a partir de ahora|désormais),? (?P<o>(?!i'll|i will|can you|could you|please\b)\S.+)", SAID, 0.85),
    Rule("decision", "switched moved migrated upgraded changed converted consolidated replaced dropped retired", r"(?:(?:after|since|because of|due to|following|in|on) (?:[^\s,]+ ){1,6}?,? ?)?we(?:'ve| have)?(?: recently| just| finally| now| also| then)? (?:switched|moved|migrated|upgraded|changed|converted|consolidated|replaced|dropped|retired)(?: over)? (?!too\b)(?P<o>" + _IT + r"(?:from |to |off )?.+\b(?:to|with|by|from|in favou?r of|instead)\b.+)", SAID, 0.75),
    Rule("decision", "beschlossen entschieden vereinbart nehmen verwenden setzen bleiben wechseln", r"wir (?:haben (?:uns )?(?:beschlossen|entschieden|vereinbart),? (?:für )?|nehmen |verwenden (?:künftig |ab jetzt )|setzen auf |bleiben bei |wechseln (?:auf|zu) )(?:dass )?(?P<o>.+)", SAID, 0.85),
    Rule("decision", "decidido decidimos acordamos acordado vamos usaremos", r"(?:hemos decidido|decidimos|acordamos|hemos acordado|vamos a usar|usaremos) (?:que |usar |no usar )?(?P<o>\S.*?(?: para (?P<for>.+))?[.!]?$)", SAID, 0.85),
    Rule("decision", "décidé choisi convenu", r"(?:nous avons|on a) (?:décidé|choisi|convenu) (?:de |d'|que )?(?:passer à |utiliser |garder )?(?P<o>.+)", SAID, 0.85),
    # ---------------------------------------------------------------- commitments
    Rule("commitment", "todo action aufgabe tarea", r"(?:todo|action items?|aufgabe|tarea)\s?(?:\([^)]{1,30}\))?\s?[:—–-]\s*(?!none|n/a)(?:(?P<name><NAME>) (?=\w+s )|\w+ (?=the |our |my |all |old ))?(?P<o>\S.{6,})", SAID, 0.9),
    Rule("commitment", "i'll will i'm going promised need have must committed", r"(?:i'll|i will|i'm going to|i am going to|i promised(?: \w+)? to|i need to|i have to|i must|i've committed to) (?!try\b|let\b|check\b|see\b|go\b|be\b|get\b|do\b|look\b|think\b|have\b|keep\b|make sure|definitely\b|start by|pick up|stop\b)\w+ (?:up |out |in |for |to )?(?P<o>" + _IT + r".*\b<DUE>.*)", USER, 0.75),
    Rule("commitment", "will going promised agreed has needs", r"(?P<name><NAME>) (?:will|is going to|promised to|agreed to|has to|needs to) (?!be\b|not\b|also\b|have\b|never\b|always\b)\w+ (?P<o>" + _IT + r".*\b<DUE>.*)", SAID, 0.8),
    Rule("commitment", "we'll will going plan have need must we're", r"we(?:'ll| will|'re going to| are going to| plan to| have to| need to| must) (?:ship|release|launch|deliver|finish|publish|send|present|submit|deploy|migrate|complete|announce) (?P<o>" + _IT + r".*\b<DUE>.*)", SAID, 0.85),
    Rule("commitment", "bis", rf"bis (?:<DATE>|{WEEKDAY}|ende \w+) \w+ (?P<name><NAME>) .+", SAID, 0.8),
    # ---------------------------------------------------------------- preferences
    Rule("preference", "prefer like love enjoy hate dislike avoid favor favour stand detest adore", r"(?:i|we)(?: really| much| strongly| definitely| generally| usually| always| still| absolutely| also| actually| personally)* (?:prefer|like|love|enjoy|hate|dislike|avoid|favou?r|can't stand|don't like|do not like|don't enjoy|detest|adore)(?: to)? (?:using |having |getting )?(?P<o>" + _IT + r"(?!if\b|to (?:know|see|hear|learn|think)|not to\b|being\b|who\b|working with|some of|all of|all the|the\b|their\b|his\b|our\b|\")\S.+)", USER, 0.8),
    Rule("preference", "prefer favor favour avoid", r"we (?:prefer|favou?r|avoid) (?P<o>" + _IT + r".+)", PROSE, 0.8),
    Rule("preference", "rather prefer", r"i(?:'d| would) (?:rather|prefer)(?: to)? (?:have |get |use |see |not )?(?P<o>(?!not\b|to say|you\b|it\b|that\b|this\b|if\b)\S.+\b(?:than|over|instead|to)\b.+)", USER, 0.8),
    Rule("preference", "favorite favourite", r"my (?P<o>(?:all-time )?favou?rite <SNP>) (?:is|are|has always been|was always) (?!the one|this|that|when|how|definitely)\S.+", USER, 0.9),
    Rule("preference", "always usually typically normally generally never rarely", r"i (?:always|usually|typically|normally|generally|never|rarely) (?:drink|eat|take|use|write|run|start|wear|buy|read|cook|order|sit|sleep|commute|travel|book|test|commit|squash|go|listen|watch|fly|pay) (?:my |the |a |an |with |in |at |to )?(?P<o>(?!it\b|this\b|that\b|them\b|those\b)\S.+)", USER, 0.75),
    Rule("preference", "always never ever", r"(?:please,? |also,? )?(?:always|never|don't ever|do not ever) (?:use|run|add|commit|push|write|create|include|answer|reply|respond|respond to|put|format|deploy|merge|squash|check|ask|mention|store|log|name|prefix|import|mock|delete|edit|modify|touch|send|call|explain|show)(?: me)?(?: directly to| in| with| to| me in)? (?P<o>(?!it\b|this\b|that\b|the following|them\b|`)\S.+)", SAID, 0.75),
    Rule("preference", "don't not stop avoid", r"(?:please,? )?(?:don't|do not|stop|avoid) (?:us(?:e|ing)|add(?:ing)?|commit(?:ting)?|push(?:ing)?|writ(?:e|ing)|includ(?:e|ing)|mention(?:ing)?|put(?:ting)?|mock(?:ing)?|abbreviat(?:e|ing)) (?!the\b|this\b|that\b|these\b|those\b|it\b|them\b|any of|so\b|too\b|anything\b|that's|an?\b|them|`)(?P<o>\S.+)", USER, 0.75),
    Rule("preference", "want", r"i want (?:all|my|every) (?P<o><SNP>) (?:to be |to |in |as |with |written ).+", USER, 0.75),
    Rule("preference", "message messages comment comments branch branches names requests prs tests migrations reviews releases deploys deployments changelog changelogs timestamps flags secrets responses endpoints notes", r"(?P<s>(?:all |our |the )?<CONVENTION>) (?:must|should|shall|have to|need to|are always|are never|always|never) .+", SAID, 0.75),
    Rule("preference", "bevorzuge mag hasse liebe liebsten lieber", r"ich (?:bevorzuge|mag (?:keine?n? )?|hasse|liebe|arbeite am liebsten (?:mit )?|möchte lieber )\s?(?P<o>(?!es\b|das\b)\S.+)", USER, 0.85),
    Rule("preference", "prefiero gusta gustan encanta encantan odio", r"(?:yo )?(?:prefiero|me gustan?|me encantan?|odio|no me gustan?) (?P<o>(?!eso\b|esto\b)\S.+)", USER, 0.85),
    Rule("preference", "préfère j'aime j'adore déteste n'aime", r"(?:je préfère|j'aime|j'adore|je déteste|je n'aime pas) (?P<o>(?!ça\b|cela\b)\S.+)", USER, 0.85),
    # ---------------------------------------------------------------- definitions
    Rule("definition", "stands short abbreviation acronym shorthand name word term steht significa", r"(?:the )?(?P<s>[\"“]?[A-Z]<NAME>[\"”]?) (?:stands for|is short for|is an? (?:abbreviation|acronym|shorthand) (?:of|for)|is our (?:name|word|term) for|steht für|significa) .+", SAID, 0.9),
    Rule("definition", "our my unser unsere unseres unserer nuestro nuestra notre", r"(?:the )?(?P<name><NAME>) (?-i:is|are|was|ist|es|est) (?-i:our|my|unser\w*|nuestr[oa]|notre) (?!fault|job to|problem|bad\b|guess|question|best\b|first\b|last\b|next\b|only\b|number|go-to|favou?rite|goal|priority|plan|thing|way|own\b|main\b|turn\b|choice)(?P<rest>\w+.*)", SAID, 0.8),
    Rule("definition", "name codename nickname alias acronym term", r"(?P<name><NAME>) (?:is|was) the (?:new |old |internal |code |project |former )*(?:name|codename|nickname|alias|acronym|term) (?:of|for|we use for) .+", SAID, 0.9),
    Rule("definition", "service tool team system app server cluster database vendor provider customer client project repo repository person bot pipeline channel", r"(?P<name><NAME>) is the (?:\w+ ){0,2}(?:service|tool|team|system|app|server|cluster|database|vendor|provider|customer|client|project|repo|repository|person|bot|pipeline|channel) (?:that|which|who|we|where) .*\b(?:we|our|us)\b.*", SAID, 0.8),
    Rule("definition", "mean", r"by [\"“'](?P<s>[^\"”']{2,40})[\"”'],? we mean .+", SAID, 0.9),
    Rule("definition", "call", r"we call (?P<s>(?:the |our )?<SNP>) [\"“'].{2,40}", SAID, 0.85),
    # ---------------------------------------------------------------- expertise
    Rule("expertise", "writing programming coding developing using working teaching", r"i(?:'ve| have) been (?:writing|programming|coding|developing|working with|working in|working as|teaching)(?: in| with)? (?P<o>" + _IT + r"[^,]+?) (?:for (?:over |about |almost |nearly |more than |the (?:past|last) )?(?:<MEASURE>|\d+|many|several|a few)|since (?:19|20)\d\d).*", USER, 0.85),
    Rule("expertise", "new fluent familiar proficient experienced comfortable expert beginner unfamiliar certified", r"i(?:'m| am) (?:(?:fairly|very|pretty|quite|completely|still|relatively|totally) )?(?:new to|fluent in|proficient in|experienced (?:in|with)|an expert (?:in|on)|a beginner (?:in|at|with)|not familiar with|unfamiliar with|certified in) (?P<o>" + _IT + r"(?!the\b|some\b|all\b)\S.*)", USER, 0.8),
    Rule("expertise", "well fluently little bit", r"i (?:know|speak|understand) (?P<o>" + _IT + r"(?!the\b|i\b|we\b|there\b|he\b|she\b|why\b|who\b|about\b|a lot\b)[^,]{1,40}?) (?:very well|really well|well|fluently|inside out|a little|a bit)\b.*", USER, 0.85),
    Rule("expertise", "experience used know", r"i (?:have (?:no|little|some|\d+ years of|years of|extensive) (?:\w+ )?experience (?:with|in|of)|have never used|don't know any) (?P<o>" + _IT + r"(?!if\b|whether\b|the\b|why\b|where\b|who\b|about\b|much\b|any\b)\S.*)", USER, 0.8),
    Rule("expertise", "i'm am", r"i(?:'m| am) an? (?P<o>(?!bit |big |huge |little )(?:\w+[- ]){0,3}?(?:engineer|developer|designer|programmer|scientist|architect|analyst|researcher|administrator|sysadmin|nurse|doctor|teacher|lawyer|accountant|chef|machinist|writer|editor|journalist|professor|student|consultant|translator|electrician|carpenter|pharmacist|musician|photographer|manager|director|baker|librarian|paramedic|biologist|chemist|physicist))\b.*", USER, 0.85),
    # ---------------------------------------------------------------- dates
    Rule("date", "#", r"(?P<s>(?:the |our |my |der |die |das |la |el |le |l')?<SNP>) (?:is|are|ist|es|est)(?: now| due| scheduled| planned| set)*(?: on| for| by| am| el| le)? (?P<d><DATE>)(?:[.!]|,? .{0,60})?$", SAID, 0.85),
    Rule("date", "#", r"(?P<s>(?:the |our |my )?<SNP>) (?:starts|begins|ends|opens|closes|expires|leaves|departs|runs|happens|takes place|goes live|kicks off|launches|is moving|was moved|has been moved|moved|was postponed|is postponed|was rescheduled|has been rescheduled|is closed|renews)(?: on| until| till| to| in| from)? (?P<d><DATE>)(?:[.!]|,? .{0,60})?$", SAID, 0.85),
    Rule("date", "#", r"(?P<s>[A-Z][\w '/]{2,40}): (?P<d><DATE>)[.!]?$", SAID, 0.75),
    # ---------------------------------------------------------------- values
    Rule("value", "#", r"(?P<s>(?:the|our|my|der|die|das|unser|el|la|le|mi|nuestro|notre) <SNP>) (?:is|are|ist|es de|es|est de|est)(?: set to| now| currently| still| limited to| capped at)? <ABOUT>(?P<v><VALUE>)(?: (?!and\b|or\b|but\b|if\b)[\w%-]+){0,5}[.!]?$", SAID, 0.8),
    Rule("value", "#", r"(?P<s>(?:the|our|my) <SNP>) (?:has|have|takes|costs|expires? after|expires? in|is kept for|are kept for|is capped at|are capped at|is limited to|are limited to|lasts|runs for|seats|weighs|measures|lives at|is hosted at|is reachable at|listens on port) <ABOUT>(?P<v><MEASURE>|<VALUE>(?=[.!]?$))(?:[ ,.].{0,120})?$", SAID, 0.8),
    Rule("value", _CHANGED_CUE, r"(?:(?:on|since|from|as of|after|during|in|following|with) [^,]{4,60}, )?(?P<s>(?!" + _CHANGED + r"\b)(?:the |our )?<SNP>) (?:has |have |was |were |is |are )?(?:recently |just |now |since )?" + _CHANGED + r"(?: (?:its|the|their) (?P<a><SNP>))?(?: from \S+(?: \w+)?)? (?:back )?(?:to|in|at|on) (?:(?:the |its |an? )?(?P<b><SNP>) )?(?P<v><EXACT>)(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", _CHANGED_CUE + " activated adopted", r"on <DATE>, (?P<s>(?:the |our )?<SNP>) (?:" + _CHANGED + r"|activated|adopted)(?: (?:its|the) (?P<a><SNP>))? (?:to )?(?:(?P<b><SNP>) )?(?P<v>[\w.]+-[\w.-]*\w)(?:[ ,.;].{0,200})?$", SAID, 0.75),
    Rule("value", "uses", r"(?P<s>(?:the |our )?<SNP>) (?:currently |now |still )?uses (?P<v>[\w.]+-[\w.-]*\w) as its (?P<a><SNP>)[.,;]?$", SAID, 0.75),
    Rule("value", "adopted", r"(?:(?:on|since|from|as of|after|in) [^,]{4,60}, )?(?P<s>(?:the |our )?<SNP>) (?:has |have )?adopted (?P<a><SNP>) (?P<v><CODED>)(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", "uses runs loads stores sends publishes reads writes takes accepts hosted", r"(?P<s>(?:the |our )?<SNP>) (?:currently |now |still |primarily )?(?:uses|accepts|runs|loads|stores \w+ \w+ in|stores|sends \w+ to|publishes(?: \w+){0,4}? (?:to|at)|reads from|writes to|takes(?: \w+){0,3} from|runs active on|runs on|is (?:primarily )?hosted in) (?:the |its |an? )?(?:active )?(?:(?P<a><SNP>) )?(?P<v><CODED>)(?: as (?:its|the) (?P<b><SNP>)(?=[,.;]|$))?(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", "deployed pinned set standardised standardized configured hosted published tuned routed", r"(?P<s>(?:the |our )?<SNP>) (?:is|are) (?:currently |now |still )?(?:deployed|pinned|set|standardi[sz]ed|configured|hosted|published|tuned|routed) (?:at|to|on|in|through) (?:the |its )?(?:(?P<a><SNP>) )?(?P<v><EXACT>)(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", "is are", r"(?P<s>(?:the |our )?<SNP>) (?:is|are) (?:\w+ly )?(?:\w+-)?\w+ed (?:at|for|to|every|after|within|by) <ABOUT>(?P<v><MEASURE>|<CLOCK>)(?:[ ,.;].{0,200})?$", SAID, 0.75),
    Rule("value", "has", r"(?P<s>(?:the |our )<SNP>) (?:currently |now |still )?has an? (?P<a><SNP>) of <ABOUT>(?P<v><VALUE>)(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", "retains keeps holds runs begins starts ends sits waits polls expires stays retries", r"(?P<s>(?:the |our )?<SNP>) (?:currently |now |still )?(?:retains|keeps|holds|runs|begins|starts|ends|sits|waits|polls|expires|stays|retries)(?: (?!that\b|which\b|and\b|when\b|if\b)\w+){0,2}?(?: for| at| in| on| every| after)? <ABOUT>(?P<v><MEASURE>|<CLOCK>|<CODED>)(?:[ ,.;].{0,200})?$", SAID, 0.75),
    Rule("value", _CHANGED_CUE + " pinned reworked pushed raised failed", r"(?:(?:on|since|from|as of|after|during|in|following|with) [^,]{4,60}, )?we (?:have |'ve )?(?:recently |just )?(?:" + _CHANGED + r"|pinned|reworked|pushed|failed|set) (?P<s>" + _IT + r"(?:the |our )?<SNP>?)(?: over)?(?: back)?(?: from \S+(?: \w+)?)?(?: to| at| on)? (?P<v><EXACT>)(?:[ ,.;].{0,200})?$", SAID, 0.8),
    Rule("value", "lives hosted reachable at", r"(?P<s>(?:the|our) <SNP>) (?:lives at|is hosted at|is reachable at) (?P<v><VALUE>)[.!]?$", SAID, 0.8),
    Rule("value", "expire kept capped limited retained deleted rotated last", r"(?P<s>[A-Z]\w+(?: \w+)?) (?:expire after|expire in|are kept for|are capped at|are limited to|are retained for|are deleted after|are rotated every|last) <ABOUT>(?P<v><MEASURE>)(?:[ ,.].{0,120})?$", SAID, 0.75),
    Rule("value", "#", r"we (?:pay|spend|charge|have|run|employ) <ABOUT>(?P<v><MEASURE>|\d[\d,.]*)(?: (?P<o>(?!and\b|or\b|of\b)\S.{2,80}?<FOR>.*))?$", SAID, 0.75),
    Rule("self", "#", r"i have <ABOUT>(?P<v>[$€£] ?\d[\d,.]*|\d[\d,.]* (?:dollars|euros|pounds)) .{2,60}", USER, 0.8),
    # ---------------------------------------------------------------- relations
    Rule("relation", "leads heads manages owns maintains runs chairs supervises oversees coordinates leitet dirige", r"(?P<name><NAME>) (?:(?:now|currently|also) )?(?:leads|heads|manages|owns|maintains|runs|chairs|supervises|oversees|coordinates|leitet|dirige) (?:the |our |das |die |den |el |la |l'|le )(?P<rest>.+)", SAID, 0.85),
    Rule("relation", "reports works married responsible charge care joined left takes took engaged replacing", r"(?P<name><NAME>) (?:(?:now|currently|also) )?(?:reports to|works for|works at|is married to|is responsible for|is in charge of|takes care of|(?:joined|left|takes over|took over) (?:the|our) (?!(?:band|team|group|club|company|party|army)\b(?! of))|is engaged to|is replacing) ?(?P<rest>.+)", SAID, 0.85),
    Rule("relation", "lead leader manager owner maintainer head director ceo cto cfo cso ciso contact admin administrator sponsor chair president founder co-founder editor captain coach boss supervisor advisor doctor dentist therapist landlord lawyer accountant teacher trainer vet master", r"(?P<name><NAME>) is (?:the|our|my|now the|now our|also the) (?:\w+[- ]){0,2}?<ROLE>\b(?: (?:for|of|at|on|in) .+|[.!]?$)", SAID, 0.85),
    Rule("relation", "owned maintained managed hosted operated run administered led", r"(?:the|our) (?P<s>(?:[\w-]+ ){0,3}<SERVICE>) (?:is|are) (?:owned|maintained|managed|hosted|operated|run|administered|led) (?:by|on|at) (?P<rest>.+)", SAID, 0.85),
    Rule("relation", "depends talks calls reads writes publishes connects relies consumes runs sends built written", r"(?P<s>(?:the|our) (?:[\w-]+ ){0,3}(?:importer|exporter|gateway|app|job|worker|scheduler|dashboard|service|frontend|backend|pipeline|bot|crawler|portal|cron)) (?:depends on|talks to|calls|reads from|writes to|publishes to|connects to|relies on|consumes|runs on|sends \w+ to|is built on|is written in) (?P<rest>" + _IT + r"(?!input|which\b|the (?:input|output|function|user|value|result|caller|context)\b)\S.+)", SAID, 0.8),
    Rule("relation", "lives works called named from moved teaches studies", r"my (?P<s><PERSON>)(?:'s name)?(?:,? [A-Z]\w+,?)? (?:lives in|works at|works for|works as|is called|is named|is from|moved to|teaches|studies) .+", USER, 0.85),
    Rule("relation", "is", r"my (?P<s><ROLE>|<PERSON>)(?:'s name)? is(?: called| named)? (?P<name><NAME>)[.!,]?.*", USER, 0.85),
    # ---------------------------------------------------------------- what a user says of themselves
    Rule("self", "live living lived based reside located", r"i(?:'m| am)?(?: now| currently| still)? (?:live|living|based|reside|located) (?:in|near|with|outside) (?!fear|hope).+", USER, 0.85),
    Rule("self", "moved", r"i(?:'ve| have)?(?: just| recently| finally)? moved (?:back )?(?:to|from|into|in with) (?!it\b|the\b|them).+", USER, 0.8),
    Rule("self", "work working employed", r"i(?:'m| am|'ve been| have been)?(?: now| currently)? (?:work|working|employed) (?:as|at|for|in) (?!it\b|this\b|that\b|the code|progress).+", USER, 0.8),
    Rule("self", "allergic intolerant diabetic vegetarian vegan pescatarian married single divorced pregnant retired colorblind colourblind left-handed lactose gluten celiac", r"i(?:'m| am) (?:allergic to|intolerant to|diabetic|vegetarian|vegan|pescatarian|married|single|divorced|pregnant|retired|colou?rblind|left-handed|lactose intolerant|gluten[- ]free|celiac)\b.*", USER, 0.85),
    Rule("self", "years", r"i(?:'m| am) (?P<v>\d{2}|\w+(?:-\w+)?) years old.*", USER, 0.9),
    Rule("self", "turned", r"i(?:'ve| have)?(?: just| recently)? turned (?P<v>\d{2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?)\b.*", USER, 0.85),
    Rule("self", "dating seeing married engaged", r"i(?:'m| am)(?: now| currently)? (?:dating|married to|engaged to) (?P<name><NAME>).*", USER, 0.85, most=SHORT),
    Rule("self", "vegan vegetarian pescatarian gluten-free sober dairy-free", r"i(?:'ve| have)? (?:been |gone |went |became )(?:strictly |mostly |fully )?(?:vegan|vegetarian|pescatarian|gluten[- ]free|sober|dairy[- ]free)\b.*", USER, 0.85, most=SHORT),
    Rule("self", "have own i've", r"i(?: have| own|'ve got| have got) (?:an? |two |three |four |five |\d+ )(?:[\w-]+ ){0,2}?(?P<o>(?:dog|cat|puppy|kitten|horse|parrot|son|daughter|kid|child|children|brother|sister|sibling|car|bike|motorcycle|house|garden|apartment|degree|business|company|bakery|shop|guitar|piano|telescope|camera|boat|cabin|allergy|tattoo|website|blog|podcast|newsletter|youtube channel|plant|aquarium|tank|subscription|membership)s?)\b.*", USER, 0.85),
    Rule("self", "bought purchased adopted graduated enrolled signed joined quit retired sold inherited booked handed promoted diagnosed attended visited volunteered ordered completed won participated", r"i(?:'ve| have)?(?: just| recently| finally| actually| also| already)* (?:bought|purchased|adopted|graduated from|graduated with|graduated|enrolled in|signed up for|joined|quit|retired from|sold|inherited|booked|handed in|was promoted to|got promoted to|was diagnosed with|got diagnosed with|attended|visited|volunteered at|ordered|completed|won|participated in) (?P<o>" + _FEW + _IT + r"\S.+)", USER, 0.75),
    Rule("self", "got", r"i(?:'ve| have)?(?: just| recently| finally| actually| also| already)* got (?:a |an |my )(?P<o>" + _FEW + r"(?:new |first )?" + _FEW + _EVENT + r"\S.+)", USER, 0.75),
    Rule("self", "married engaged", r"i(?:'ve| have)?(?: just| recently| finally)* got (?:married|engaged)\b.*", USER, 0.85),
    Rule("self", "started", r"i(?:'ve| have)?(?: just| recently| finally| also)* started (?:a |an |my |taking |learning |playing |volunteering |working (?:at|as|for) )?(?P<o>" + _FEW + r"(?!to\b|the\b|with\b|by\b|at\b|it\b|from\b|over\b|using\b|some\b|getting\b|seeing\b|noticing\b|feeling\b|a session)\w+ \w+.* (?:in|on|last|this|at|recently|ago)\b.*)", USER, 0.75),
    Rule("self", "learning practicing practising playing studying collecting volunteering attending training dating working", r"i(?:'ve| have)(?: also)? been (?:learning|practi[cs]ing|playing|studying|collecting|volunteering at|attending|training for|dating|seeing a|working at|working for) (?P<o>" + _FEW + _IT + r"\S.* (?:since|for|every|twice|once|these days)\b.*)", USER, 0.8),
    Rule("self", "drive play study teach collect commute coach speak own", r"i (?:drive|play|study|teach|collect|commute|coach|speak) (?:an? |the |at |in |to |by )?(?P<o>" + _IT + r"(?!with\b|the\b|around\b|a role)\S.+)", USER, 0.75),
    Rule("self", "use", r"(?:we|i)(?: currently| now| all| mostly)? use (?P<name><NAME>)(?: as| for| to| in| on| with|[.!,]|$).*", USER, 0.8),
    Rule("self", "watch buy work drink eat wear read listen run cycle bike walk drive ride rent train meditate subscribe attend write shoot bake travel smoke own use cook garden swim climb paint knit consume follow go commute take", _WORK + r"i(?: do not| don't)?" + _OFTEN + r" (?:watch|buy|work (?:\d+|from|with|freelance|remotely|part-time|full-time|nights|weekends)|drink|eat|wear|read|listen to|run|cycle|bike|walk|drive|ride|rent|train|meditate|subscribe to|attend|write|shoot|bake|travel|smoke|own|use|cook|garden|swim|climb|paint|knit|consume|follow|go to|go into|commute|take the|take a)\b(?! (?:it|this|that|into|note|care|advantage|look|break)\b)(?: (?:an? |my |the |at |in |on |to )?(?P<o>" + _IT + r".+))?", USER, 0.75, most=SHORT),
    Rule("self", "switched moved changed upgraded cancelled canceled stopped replaced migrated joined left relocated pivoted outgrew extended subscribed retired sold quit gave cut broke shut took rebranded raised adopted started got", _WORK + r"(?:i|we)(?:'ve| have)?" + _OFTEN + r" (?:switched(?: my \w+| entirely| \w+)? (?:from|to)|moved (?:entirely )?to|changed my|upgraded (?:to|my)|cancell?ed|stopped (?=\w+ing|going|the (?:gym|personal))|replaced|migrated|joined|left|relocated|pivoted|outgrew|extended my|subscribed|gave up|cut out|broke up|shut down|took (?:an? )(?:\w+[- ]){0,2}(?:role|job|position)|rebranded|raised our|adopted an?|got an? new) ?(?P<o>" + _FEW + _IT + r"\S.*)", USER, 0.75, most=SHORT),
    Rule("self", "been in training learning building studying reading running avoiding into", _WORK + r"i(?:'m| am|'ve been| have been)" + _OFTEN + r" (?:training for|training|learning|building an?|studying|running an?|avoiding|into|restoring an?|in \w+ for) (?P<o>" + _FEW + _IT + r"(?!to\b|the middle|how\b|more\b|the process)\S.+)", USER, 0.75, most=SHORT),
    Rule("self", "am i'm strict", r"i(?:'m| am)(?: an?)?(?: strict| lifelong| committed)? (?:vegan|vegetarian|pescatarian|teetotal|teetotaler|smoker|non-smoker|early bird|night owl|morning person|runner|swimmer|cyclist|homeowner|freelancer|contractor|dog person|cat person|parent|father|mother|grandmother|grandfather|twin|widower?|veteran)\b.*", USER, 0.85, most=SHORT),
    Rule("self", "is are was went costs charges lives plays has attends works moved passed means", _WORK + r"my (?P<s>(?!question|point|guess|apologies|bad\b|goal|plan\b|idea|concern|problem|issue|understanding|hope|favou?rite|main|biggest|next|only|thing|mouth|heart|mind|head|brain|best bet|inbox)<SNP>) (?:(?:is|are)(?: now| actually| still)? (?:called |named |in |at |on |from |an? |around |about |<NUMBER>|(?-i:[A-Z]))|costs |charges |went (?:up|down) to |lives (?:in|with|abroad|near)|plays (?!a role)|has (?:an? |two |three |four |\d)|attends |works (?:at|as|for|in|from) |moved (?:to|in|back)|passed away|was (?:born|diagnosed|promoted)|means )(?!bit\b|little\b|mess\b|good\b|great\b|the way|lot\b).*", USER, 0.75, most=SHORT),
    Rule("self", "have", _WORK + r"i(?:'ve got| have| own)" + r" (?:an? |two |three |type |one )(?P<o>" + _FEW + r"(?!.*\b(?:problem|issue|appointment|question|trip|deadline|presentation|interview|project|idea|plan)\b)(?!question|problem|issue|plan|meeting|call|hard|big|small|good|great|quick|follow|request|deadline|better|couple|pretty|decent|solid|rough|specific|general|clear|long|lot|chance|feeling|thought|few)\S.+)", USER, 0.7, most=SHORT),
    Rule("self", "getting turning expecting allergic started diagnosed born turned got has is", r"my (?P<s><PERSON>)(?:,? [A-Z]\w+,?)? (?:is (?:getting married|turning|expecting|allergic|\d)|has (?:two|three|been diagnosed)|got (?:married|engaged|a )|was (?:born|diagnosed)|turned ).+", USER, 0.8),
)  # fmt: skip


@cache
def by_cue(voice: str) -> dict[str, tuple[int, ...]]:
    """For each cue, the places of the rules that have it and hear this voice."""
    found: dict[str, list[int]] = {"#": []}
    for place, rule in enumerate(RULES):
        for cue in rule.cue.split() if voice in rule.voices else ():
            found.setdefault(cue, []).append(place)
    return {cue: tuple(places) for cue, places in found.items()}


OPENERS = (
    r"(?:(?:ok(?:ay)?|so|well|also|and|but|yes|yeah|yep|no|right|btw|by the way|oh|actually|anyway|then|great|good|thanks|thank you|sure|perfect|"
    r"hmm+|uh+|hey|hi|hello|cool|nice|agreed|alright|speaking of which|fyi|note|update|correction|reminder|in fact|honestly|personally|now|plus|y|yup)\b"
    r"(?:[,.…!:;—–-]+ ?|\.\.\. ?| (?=(?:let'?s|we|i|the|my|our|please|always|never)\b)))+"
)
"""What may stand before what is said, and says nothing."""

UNREAL = (
    r"^(?:if|unless|suppose|supposing|imagine|assume|assuming|let'?s (?:say|assume|suppose|pretend|imagine)|say\b,?|what if|whether|even if|"
    r"when(?:ever)?\b|wenn|falls|angenommen|si|suponiendo|supposons|for (?:example|instance)|e\.g|example|once|in case|as if|as an ai)\b"
    r"|\b(?:would|could|might|maybe|perhaps|probably|possibly|presumably|supposedly|apparently|hypothetically|in theory|könnte|vielleicht|quizás|tal vez|podría|peut-être|pourrait)\b"
    r"|\b(?:i|we) (?:think|guess|assume|suppose|believe|wonder|doubt|don't think|hope|wish)\b"
    r"|\b(?:almost|nearly|were going to|was going to|were about to|had planned)\b"
    r"|\b(?:say|says|said|asked|told|claimed|quotes|according to|suggests?|recommends?|reportedly)\b"
)
"""What is supposed, guessed, nearly so, or somebody else's word."""

VAGUE = (
    r"^(?!it (?:was|has been) (?:agreed|decided)|it(?:'s| is| remains) (?:still )?(?:open|unclear|undecided))(?:it|this|that|these|those|they|he|she|there|here|who|which|what|where|why|how|you|your|someone|somebody|something|nothing|nobody|"
    r"everything|people|teams|users|some|most|many|any|each|every|an?|one|another|in general|man|es|das|dies|ello|eso|esto|il|elle|ça|ce|cela)\b"
    r"|\bthis (?!week|month|year|morning|afternoon|evening|weekend|summer|winter|spring|fall|autumn|codebase|project|repo\b|repository|team|company|season|quarter)"
    r"|\b(?:these|those|above|below|aforementioned|the following|as follows|the former|the latter|such)\b(?! days)"
    r"|^\S+(?: \S+){0,3} (?:it|them|they|that one|him)[.,;!]?$|\bin there\b|:$"
    r"|^(?:we|i)(?: \S+){1,4} (?:them|it|those)\b|^(?:we|i)(?: \S+){1,5} (?:their|his|hers?)\b|\b(?:them|it|this|that)(?: all| too)?\?$"
)
"""What cannot be understood alone, or is about things in general."""

GENERAL = r"\b(?:you|your|yourself|one can|people|users|developers|implementations?|callers?|e\.g|i\.e|for example|for instance|typically|in general|generally speaking|such as|by default|default)\b"
"""In what is not told by somebody of themselves: how something works."""

CODE = r"[{}\\<>|]|``|\(\)|=>|==|::|&&|\$\(|;$|\bself\.|^(?:const|var|return|import|def)\b|%[sdv]\b|\w\(\w*\)"

NO_KEYS = frozenset(
    """
    step note notes example examples error errors warning warnings source sources see usage title author authors date created
    updated modified version type status id ids tag tags topic category http https line lines file files output input result
    results expected actual total count number question answer q a default args arguments options returns raises todo fixme
    image figure table section chapter part page url link commit sha hash size length width height index test tests summary
    additions deletions labels assignees reviewers milestone state python-version post-history resolution requires replaces
    content-type created-by generated last-modified sponsor pep time timestamp duration elapsed exit code tokens model prompt
    line lines col column row rows issue pr bug fix level priority severity score confidence
    """.split()
)
"""What stands before a colon and names no matter."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    for macro, stands in _MACROS.items():
        pattern = pattern.replace(macro, stands)
    return re.compile(pattern, re.IGNORECASE)


YES = r"(?:yes|yep|yeah|yup|ok(?:ay)?|agreed|sounds good|perfect|go ahead|sure|correct|exactly|y|ja|sí|oui|approved|works for me|let's do it)\b(?!.*\?)"
"""How a user confirms what the assistant proposed."""

DECIDES = r"(?:\n|\A|\*\*)\W{0,4}(?:decisions?|decided|agreed|resolution|open questions?|tbd)\W"
"""Without it, no rule for what an assistant says can match."""

LABELS = r"(?:agreed|note|update|correction|reminder)\s?:"
"""Openers that say what follows."""

POSITIONAL = (
    r"^(?:the |my |our )?(?:whole|same|entire|other|previous|current|new|old|final|last|next|first|drawing|over|above|total|running|fixed)\b|"
    r"\b(?:first|second|third|last|next|previous|only|same|argument|parameter|result|results|output|input|return value|exit code|"
    r"length|index|example|following|value|values|default|number|answer|question|problem|issue|point|idea|goal|difference|reason|"
    r"guess|apologies|thing|way|line|lines|error|bug|test|tests|one|other|latter|former|capital|rest|sum|count|total|function|method|"
    r"class|variable|string|list|loop|command|flag|option|code|file|files|branch|commit|pr)$"
)
"""What a text says of itself, or of the work at hand."""

ENTRY = r"(?P<k>[A-Za-zÀ-ÿ][\w /'-]{1,40}?)\s?(?::|=)\s+(?P<v>\S.{0,79})$"
ENTRY_VALUE = r"<ABOUT>(?:<MEASURE>|<DATE>)(?![\w(\[=])(?:[ /](?!and\b|or\b|but\b)[\w%/.]+){0,6}[.!]?$|see (?:the )?\w+[^`:]*\d[^`:]*$"

ATTRIBUTES = (
    ("home", r"\b(?:live|living|lived|based|reside|moved)\b"),
    ("job", r"\b(?:work|working|employed)\b"),
    ("savings", r"\bsaved\b"),
    ("age", r"\byears old\b|\bturned\b"),
    (
        "diet",
        r"\b(?:vegetarian|vegan|pescatarian|gluten[- ]free|dairy[- ]free|lactose intolerant)\b",
    ),
    ("allergy", r"\b(?:allergic|intolerant|celiac)\b"),
    ("marital status", r"\b(?:married|single|divorced)\b"),
)
"""What of a person a sentence is about, by its words."""

MONTHS = {
    month: number
    for number, months in enumerate(
        (
            "jan janu ener janv", "feb febr fevr", "mar marc marz mars", "apr apri abri avri", "may mai mayo",
            "jun june juni juin", "jul july juli juil", "aug augu agos aout", "sep sept", "oct octo okt okto octu",
            "nov nove novi", "dec dece dez deze dici",
        ),
        1,
    )
    for month in months.split()
}  # fmt: skip

DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())

NO_NAMES = frozenset(
    """
    i we you he she it they this that these those there here who what which the a an our my your his her its their one some
    someone nobody everyone everybody people all both each and but or so if when then also now today tomorrow yesterday please
    ok okay yes no not note let lets monday tuesday wednesday thursday friday saturday sunday
    """.split()
)

DETERMINERS = frozenset(
    """
    the a an our my your his her its their this that all every any some both to of for on in with at by as about only just
    more der die das den dem ein eine einen unser unsere unseren el la los las un una le les l' du de des notre nuestro nuestra
    que that's i'm we're new
    """.split()
)

STOPS = frozenset(
    """
    for to in on with over instead because until till by at from than as and or but when if that which who so since after before
    into via of about rather is are was were be been has have had will can must should would does do did stays stay goes go
    keeps need needs gets get uses use runs writes signs takes anymore any only now yet again whenever wherever where while
    without within during through under between against per w/ unless except plus around across next last this every each
    today tomorrow tonight zu für von mit und oder statt anstatt am im bis durch para por con en y o au à pour avec dans sur et
    ou al wird soll ist sind not never already they we i it you
    """.split()
)
"""Words before which a name ends."""

GIVEN = frozenset(
    "tom bill jack bob rob sue ray frank max jim pat dean drew penny ruby grace rose mark nick".split()
)
"""Given names that are words too."""

COUNTED = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred
    thousand million
    """.split()
)
"""Numbers that are written as words."""

NEVER_FIRST = frozenset(
    """
    this that these those if when while whenever although though because however therefore thus hence a an to you your you're
    you'd each every some many most such there here they their his her its with without as at using what why how where which
    who whose whom would could might may maybe perhaps can instead otherwise similarly moreover furthermore additionally
    finally first second third next later sometimes often usually see given suppose imagine assuming assume unless until even
    both either neither none nothing nobody someone somebody something one another other others people users man mit ein eine
    einem wenn falls obwohl dies diese dieser un una si aunque este esta estos cette ces ceux
    """.split()
)
"""No sentence that begins so is a fact by itself, by whatever rule."""

REQUEST = r"\b(?:please|help|you|your|want to|need to|going to|thinking|wondering|looking for|let's|let me)\b"
"""What asks for something, or is still to come."""

HEADER = r"(?-i:[A-Z][a-z]+(?:-[A-Z][a-z]+)+|[A-Z_]{5,}|[a-z]+_\w+)"
"""Names of a file's metadata, of constants and of settings in code."""
