r"""The rules that tell what a question is after: data, read by ``route.py``.

Of each table the first rule that matches counts.

- ``name``: which rule it was, as a person is told
- ``intent``: what the question is after
- ``open``: it takes several pieces put together, whatever the rules for that say
- ``cues``: words of which one is in whatever ``begins`` or ``finds`` matches (``cues.py``)
- ``begins``: matched where a clause begins (after ``before`` and perhaps ``lead``)
- ``finds``: searched for where a word begins
- ``within``: searched for anywhere, in text that is not ASCII: for scripts without spaces
- ``cased``: searched for in the text as it is, if that has a capital, a figure or one of ``/_#@(.``;
  all others see it in lower case

Patterns are ``re.VERBOSE``, so a space is ``\s``; ``%{part}`` is a part from the table of them. A
rule may have several of the four and matches by any of them. What matches is shown to a person,
or what a named group of it has. A Python module, because a TOML reader takes longer to load than
all of a search by words.
"""

# ruff: noqa: E501  a language a line

from __future__ import annotations

from typing import Literal

from recollect.named_tuple import NamedTuple

Intent = Literal["entity", "temporal", "event", "concept", "general"]


class IntentRule(NamedTuple):
    name: str
    intent: Intent = "general"
    open: bool = False
    cues: str = ""
    begins: str = ""
    finds: str = ""
    within: str = ""
    cased: str = ""


PARTS = {
    "before": r"[.?!;:,—–¿¡(]+\s* | \s-\s | \b(?:and|but|und|y|et)\s",
    "lead": r"""(?: (?:so|ok|okay|hey|hi|well|then|and|also|exactly|actually|bitte|por\sfavor)\s
  | (?:can|could|would)\syou\s(?:please\s)?(?:remind|tell|show|give)\s(?:me|us)\s(?:of\s)?
  | (?:please\s)?(?:remind|tell|show|give)\s(?:me|us)\s(?:of\s)?
  | do\s(?:you|we)\s(?:know|remember|recall)\s | i\s(?:forget|forgot|wonder|need\sto\sknow|want\sto\sknow)\s
  | wei(?:ß|ss)t\sdu\s(?:noch\s)? | recuerdas\s | tu\ste\ssouviens\s ){1,3}
""",
    "upper": r"[A-ZÀ-ÖØ-ÞА-ЯЁ]",
    "is": r"(?:['’]s|\sis|\sare|\swas|\swere)",
    "span": r"(?:minute|hour|day|week|month|year)s?",
    "which": r"(?:which|who|whose|what|was|were|did|do|does|is|are)\b",
    "order": r"(?:first|last(?!\s(?:week|month|year|night|time|name))|earlier|later|sooner|older|younger|earliest|latest|oldest|youngest|(?:more|most)\srecent(?:ly)?)\b",
    "kin": r"""(?:mother|father|parent|wife|husband|spouse|partner|son|daughter|child(?:ren)?|brother|sister|sibling
  |friend|boss|manager|lead|colleague|landlord|director|author|writer|composer|performer|singer
  |producer|founder|owner|creator|editor|maintainer|inventor|presenter|president|ceo|coach)s?\b
""",
}
LEADS = (
    "so ok okay hey hi well then and also exactly actually bitte favor me us know remember recall "
    "forget wonder du recuerdas souviens"
)
"""The cues of ``lead``."""

INTENT = (
    IntentRule(
        name="asks when",
        intent="temporal",
        cues=(
            "when year date day month week time long many wann wie welche cuando cuándo cuanto "
            "cuánto que qué quand quel combien когда каких давно متى"
        ),
        begins=r"""(?:since\s|until\s|by\s|from\s)?when(?:['’]s\b|\s(?:did|do|does|was|were|is|are|has|have|had|will|would|should|can|am|exactly)\b|\s?\??$)
| (?:since|until)\swhen\b | (?:(?:in|on|at|by)\s)?(?:what|which)\s(?:year|date|day|month|week|time)\b
| how\slong\s(?:ago|since|until|before|after|have|has|had)\b | how\s(?:many\s%{span}|much\stime)\s(?:ago|since|until)\b
| (?:seit\s|bis\s|ab\s)?wann\b | vor\swie\s | wie\slange\s(?:ist\ses\sher|schon|seit)\b | (?:an\s|in\s)?welche[mns]\s(?:tag|datum|jahr|monat)\b
| (?:desde\s|hasta\s)?cu[aá]ndo\b | (?:en\s)?qu[eé]\s(?:d[ií]a|fecha|a[nñ]o|mes)\b | (?:hace\scu[aá]nto|cu[aá]nto\s(?:tiempo\s)?hace)\b
| (?:depuis\s|jusqu['’]à\s)?quand\b | (?:à|en)\squelle\s(?:date|heure|année)\b | quel\s(?:jour|mois)\b | (?:il\sy\sa|depuis)\scombien\b
| когда\b | с\sкаких\sпор\b | как\sдавно\b | متى | منذ\sمتى
""",
        within=r"什么时候 | 何时 | 哪一?[天年月] | 多久",
    ),
    IntentRule(
        name="first or last time",
        intent="temporal",
        cues="time mal vez fois раз",
        finds=r"""(?:first|last|previous)\stime\b | (?:erste|letzte)[ns]?\smal\b | (?:primera|[uú]ltima)\svez\b
| (?:première|dernière)\sfois\b | (?:первый|последний)\sраз\b
""",
        within=r"第一次 | 上一?次",
    ),
    IntentRule(
        name="order in time",
        intent="temporal",
        open=True,
        cues="first last earlier later sooner older younger recent many order timeline chronology",
        begins=r"%{which}(?=.*?\b(?:or|oder|out\sof)\s)(?:.*?\s)?\b(?P<shown>%{order})",
        finds=r"""how\smany\s%{span}\s(?:(?:had|have|has|were|are)\s)?(?:there\s)?(?:pass|elapse|between|before|after)
| (?:in\s(?:what|which)|the)\s(?:chronological\s)?order\b | timeline\b | chronolog
| from\s(?:first|earliest|oldest)\sto\s(?:last|latest|newest)\b
""",
    ),
    IntentRule(
        name="asks why or how",
        intent="concept",
        open=True,
        cues=(
            "why how explain describe mean reason idea point deal thinking difference logic "
            "purpose practice pros trade rationale warum weshalb wieso wie erklär unterschied "
            "por como cómo explica diferencia pourquoi comment expliquer différence почему зачем "
            "как объясни لماذا كيف اشرح"
        ),
        begins=r"""why\b | how\s(?:come|do|does|did|can|could|should|would|is|are|was|were|to|we|i|the)\b | explain\b | describe\b
| what\s(?:do|does|did)\s.{1,40}?\smean\b | what%{is}\sthe\s(?:reason|idea|point|deal|thinking|difference|logic|purpose)\b
| warum\b | weshalb\b | wieso\b | wie\s(?:funktionier|mach|kann|geht|läuft|soll|werden|wird|haben|hat) | erklär
| por\squ[eé]\b | c[oó]mo\b | expl[ií]ca | pourquoi\b | comment\b | expliqu
| почему\b | зачем\b | как\s(?:работа|устро|сдела|это) | объясни | لماذا | كيف | اشرح
""",
        finds=r"""differences?\sbetween\b | best\spractices?\b | pros\sand\scons\b | trade-?offs?\b | rationale\b | how\scome\b
| reason(?:ing)?\s(?:for|behind|why|we|was)\b | unterschied\szwischen\b | diferencias?\sentre\b | différences?\sentre\b
""",
        within=r"为什么 | 为何 | 怎么 | 如何 | 解释 | 区别",
    ),
    IntentRule(
        name="before or after something",
        intent="temporal",
        cues=(
            "before after until since bevor nachdem seitdem vor nach seit antes después desde "
            "avant après depuis"
        ),
        finds=r"""(?:before|after|until|since)\s(?:the|my|our|that|i|we|he|she|they)\b
| bevor\b | nachdem\b | seitdem\b | (?:vor|nach|seit)\s(?:der|dem)\b | (?:antes|después)\sde\b | desde\sque\b
| (?:avant|après|depuis)\s(?:le\b|la\b|les\b|l['’]|que\b|notre\b)
""",
    ),
    IntentRule(
        name="what happened",
        intent="event",
        cues=(
            "happen wrong took meeting standup retro outage incident post deploy rollout rolled "
            "launched shipped migrated crashed decided agreed settled kickoff passiert "
            "besprechung sitzung ausfall störung entschieden beschlossen vereinbart paso pasó "
            "sucedió ocurrió reunión acordamos despliegue passé réunion décidé convenu panne "
            "déployé случилось произошло решили встреча инцидент حدث اجتماع"
        ),
        finds=r"""what(?:['’]s|\shas|\sever)?\shappen | what\swent\swrong\b | what\stook\splace\b
| (?:meetings?|standup|retro|outage|incident|post-?mortem|deploy(?:ed|ment)|rollout|rolled\s(?:back|out)|launched|shipped
    |migrated|crashed|decided?|decision|agreed|settled\son|kickoff)\b
| (?:passiert|besprechung|sitzung|ausfall|störung|entschieden|beschlossen|vereinbart|besprochen)\b
| (?:pas[oó]|sucedi[oó]|ocurri[oó]|reuni[oó]n|decidi(?:mos|ó|eron)|acordamos|incidente|despliegue)\b
| (?:passé|réunion|décidée?s?|convenu|incident|panne|déployé)\b
| случилось\b | произошло\b | решили\b | встреч | инцидент | حدث | اجتماع
""",
        within=r"发生 | 会议 | 决定 | 部署 | 故障",
    ),
    IntentRule(
        name="who or what it is",
        intent="entity",
        cues=(
            "who whose whom what where about name which wer wessen wem wen was heißt heisst wo quien quién "
            "que qué cual cuál donde dónde qui qu quoi quel où кто что где من ما أين"
        ),
        begins=r"""who(?:se|m)?\b | what(?:%{is}|\sam)\b(?!\s(?:i|we|you|they)\b) | where%{is}\b | \Aabout\s | (?:the\s)?name\sof\b
| which\s(?:person|man|woman|company|project|file|team|city|country|film|song|album|book|band)s?\b
| what\s(?:name|nationality|kind|type|brand|colou?r)\b
| wer\b | wessen\b | wem\b | wen\b | was\s(?:ist|sind|war)\b | wie\shei(?:ß|ss)t\b | wo\s(?:ist|sind|war)\b
| qui[eé]n(?:es)?\b | qu[eé]\s(?:es|son|era)\b | cu[aá]l(?:es)?\s(?:es|son|era|fue)\b | d[oó]nde\s(?:est[aá]n?|es|vive)\b
| qui\b | qu['’]est-ce\sque?\b | c['’]est\squoi | quel(?:le)?s?\s(?:est|sont|était)\b | où\s(?:est|sont|se|habite)\b
| кто\b | что\sтакое\b | где\b | من\s(?:هو|هي) | ما\s(?:هو|هي) | أين
""",
        within=r"谁 | 是什么 | 什么是 | 哪里 | 在哪",
    ),
    IntentRule(
        name="what somebody did",
        intent="event",
        cues=(
            "did there have had used habe hast hat hatten wurde hicimos hice hemos usamos "
            "dijimos hablamos avons je tu on vous"
        ),
        begins=r"did\b | what\sdid\b | (?:was|were)\sthere\b | (?:have|had)\s(?:i|we|you|they)\b",
        finds=r"""did\s(?:i|we|you|he|she|they|it|anyone|someone|somebody|my|our|his|her)\b | (?:have|had)\s(?:i|we|you|they)\b | used\sto\b
| (?:habe|haben|hast|hat|hatten)\s(?:ich|wir|du|er|sie|ihr)\b | wurden?\b
| (?:hicimos|hice|hiciste|hemos|usamos|dijimos|dijiste|hablamos)\b
| (?:avons-nous|avons|ai-je|as-tu|a-t-on|avez-vous)\b
""",
    ),
    IntentRule(
        name="an identifier",
        intent="entity",
        cased=r"""(?<!\S)[(`"']?(?=\S*[\d/_#@(.A-Z])(?P<shown>
  \S*\w/\w\S* | [\w-]+\.(?:py|md|js|ts|go|rs|java|c|h|cpp|toml|ya?ml|json|txt|pdf|csv|sql|sh)\b | [A-Z][A-Z0-9]+-\d+\b
  | [\#@]\w+ | [^\W_]+_\w+ | [a-z]+[A-Z]\w+ | [\w.]+\(\) | (?=[a-f]*\d)[0-9a-f]{7,40}\b )
""",
    ),
    IntentRule(
        name="a name alone",
        intent="entity",
        cased=r"\A%{upper}[\w.'’-]*(?:\s(?:%{upper}[\w.'’-]*|\d+|of|the|de|van|von|and|&)){0,5}\Z",
    ),
    IntentRule(
        name="somebody or something by name",
        intent="entity",
        cased=r"""\A(?!.*\b(?:der|das|den|dem|ist|wir|und|nicht|haben|f[uü]r|mit|ein|eine|wie|zum|zur|im|am|von|welche[rsnm]?)\b)
.*?(?<=[\w,'’]\s)(?P<shown>(?!I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)%{upper}[\w.'’-]+(?:\s%{upper}[\w.'’-]+)*)
""",
    ),
)

OPEN = (
    IntentRule(
        name="all about it",
        cues=(
            "summary recap outline compare walk everything overview know why how fass zusammen "
            "resume résumé"
        ),
        begins=r"""(?:summari[sz]e|recap|outline|compare|walk\s(?:me|us)\sthrough|everything)\b | (?:an?\s|the\s)?(?:summary|overview|recap)\sof\b
| what\sdo\s(?:i|we|you)\sknow\b | fass\b | zusammenfass | resum[ei] | résum
""",
        finds=r"why\b | (?:and|explain|remember|know|understand|clear)\show\s(?:come|do|does|did|we|i|the)\b",
        within=r"总结",
    ),
    IntentRule(
        name="a comparison",
        cues=(
            "more less fewer longer shorter bigger smaller higher lower better worse wider "
            "cheaper faster taller difference compared versus vs than much unterschied vergleich "
            "älter jünger diferencia différence"
        ),
        begins=r"%{which}(?=.*?\bor\s).*?\b(?P<shown>more|less|fewer|longer|shorter|bigger|smaller|higher|lower|better|worse|wider|cheaper|faster|taller)\b",
        finds=r"""differences?\s(?:between|in)\b | compar(?:ed|ison)\b | versus\b | vs\b | \w+er\sthan\b | (?:more|less)\sthan\s(?:the|my|our|i|we)\b
| how\smuch\s(?:more|less|older|younger|earlier|later|faster|longer|cheaper)\b | how\smany\smore\b
| (?:unterschied|diferencias?|différences?|im\svergleich|älter|jünger)\b
""",
        within=r"区别 | 比较",
    ),
    IntentRule(
        name="what several have in common",
        cues="both same common respectively beide gemeinsam ambos comun común deux",
        finds=r"""both\b | (?:have|has|had|shared?|of|from|in)\sthe\ssame\s(?:\w+\s)?(?:country|nationality|\w+\?|person|place|city|team|year|name)
| in\scommon\b | respectively\b | beide[nrs]?\b | gemeinsam\b | ambos\b | en\scom[uú]n\b | tous\sles\sdeux\b | en\scommun\b
""",
        within=r"相同 | 共同",
    ),
    IntentRule(
        name="a chain of relations",
        cues=(
            "mother father parent wife husband spouse partner son sons daughter child brother sister "
            "sibling friend boss manager lead colleague landlord director author writer composer "
            "performer singer producer founder owner creator editor maintainer inventor "
            "presenter president ceo ceos coach grandmother grandfather grandparent grandson law laws stepmother uncle aunt nephew niece mutter vater "
            "frau mann chef madre padre esposa marido jefe mère père femme mari"
        ),
        finds=r"""(?P<shown>%{kin}\s(?:of|to)\b)(?=.*?(?:\b%{kin}|['’]s\s\w)) | (?P<also>%{kin})['’]s\s(?:\w+\s)?%{kin}
| (?:s|the)\s(?P<third>(?:maternal\s|paternal\s)?(?:grand(?:mother|father|parent|son|daughter|child(?:ren)?)|\w+-in-laws?\b|step(?:mother|father|son|daughter)|uncle|aunt|nephew|niece)s?)\b
| (?:mutter|vater|frau|mann|chef)\s(?:des|der|von)\s(?:regisseur|autor|gründer|chef)
| (?:madre|padre|esposa|marido|jefe)\sdel?\s(?:la\s)?(?:director|autor|fundador|jefe) | (?:mère|père|femme|mari)\s(?:du|de\sl['’])\s?(?:réalisateur|auteur|fondateur)
""",
        begins=r"""(?=.*?(?:\b%{kin}\s(?:of|to)\b|['’]s\s(?:\w+\s)?\b%{kin}))
(?:where\b|when\b|how\sold\b|which\scountry\b|what\s(?:nationality|country|job|award)\b|(?:what|which|who)\b.*?\b(?:place|date|cause|country|nationality|award|birthplace|birthday|employer|burial|death)\b)
""",
    ),
    IntentRule(
        name="a count",
        cues="many total altogether combined average wie insgesamt cuanto cuánto combien сколько",
        finds=r"""how\smany\s(?!%{span}\sago).*?\b(?:did|have|had|has)\s(?:i|we|you|he|she|they|my|our)\b | how\smany\stimes\b
| (?:in|the)\stotal\b | total\s\w+ | altogether\b | combined\b | average\b
| wie\sviele\b | insgesamt\b | cu[aá]nt[ao]s\b | en\stotal\b | combien\sde\b(?!\stemps) | au\stotal\b | сколько\sвсего\b
""",
        within=r"一共 | 总共",
    ),
    IntentRule(
        name="a list",
        cues=(
            "list enumerate which what all alle welche que qué cuales cuáles todo toda quels tous "
            "toutes все"
        ),
        begins=r"""list\b | enumerate\b | which\s(?:\w+\s){1,4}?have\s(?:i|we|you|they)\b | which\s(?:\w+\s)?\w+[^su\W]s\s(?:did|do|are|were|was|have)\b
| what\s(?:are|were)\s(?:all\s|some\s)?(?:the|my|our|of)\b | what\s(?:\w+\s)?\w+[^su\W]s\s(?:did|do|have)\s(?:i|we|you|they)\b
| liste\b | welche\s\w+\s(?:haben|sind|waren|habe)\b | qu[eé]\s\w+s\s(?:hemos|tenemos|usamos)\b | cu[aá]les\b | quel(?:le)?s\b
""",
        finds=r"""all\s(?:the\s(?!way|time|same)|my\s|our\s|of\s|places\b|people\b|things\b) | which\sones\b
| alle\s(?:die\s)?[a-zäöü]+ | tod[ao]s\s(?:l[ao]s|mis|nuestr) | tou(?:s|tes)\s(?:les|mes|nos)\b | все\s
""",
        within=r"所有 | 哪些",
    ),
    IntentRule(
        name="two questions",
        cues="what who when where which how why",
        finds=r"""(?:what|who|when|where|which|how)\b.+?(?:\s(?P<shown>and\s(?:what|who|when|where|which|how|why))\b
  | [,;]\s(?P<also>what|who|when|where|which|how|why)(?:['’]s|\s(?:did|do|does|was|were|is|are|has|have|am|can))\b)
""",
    ),
    IntentRule(
        name="advice",
        cues="suggest recommend tips advice ideas should",
        finds=r"(?:suggest|recommend|recommendations?|suggestions?|tips|advice|any\sideas)\b | what\sshould\s(?:i|we)\b",
    ),
)

NEWEST = (
    IntentRule(
        name="how it is now",
        cues=(
            "latest newest current date now nowadays moment days of far recent known still aktuell "
            "derzeit neueste zuletzt jetzt zurzeit mittlerweile actual reciente versión ahora "
            "todavía actuel maintenant version récent сейчас текущий последний новейший الآن "
            "حالي أحدث"
        ),
        finds=r"""(?<!to\s)latest\b | newest\b | current(?:ly)?\b | up-to-date\b | nowadays\b | right\snow\b | at\sthe\smoment\b | these\sdays\b
| as\sof\s(?:now|today)\b | so\sfar\b | most\srecent(?:ly)?\b(?!.*\sor\s) | now\b(?=\s?(?:[?.,!]|$)) | last\sknown\b
| (?:do|does|is|are)\s(?:\w+\s){1,3}\bstill\b
| aktuell | derzeit | momentan | neueste | zuletzt\b | jetzt\b | zurzeit\b | mittlerweile\b
| actualmente\b | (?:versi[oó]n|estado|valor|configuraci[oó]n)\sactual\b | m[aá]s\sreciente\b | [uú]ltima\sversi[oó]n\b | ahora\b | todav[ií]a\b
| actuel(?:le|lement)?s?\b | en\sce\smoment\b | maintenant\b | dernière\sversion\b | plus\srécente?\b
| сейчас\b | текущ | последн(?:яя|ий|ее)\sверси | новейш | الآن | حالي | أحدث
""",
        within=r"最新 | 目前 | 现在 | 当前",
    ),
)

PERSONAL = (
    IntentRule(
        name="advice or help",
        cues=(
            "recommend suggest advice advise idea tips should shall can could may would do help "
            "plan propose pick choose draft any some good best what where which empfiehl empfehl "
            "vorschlag tipp soll kann hilf recomienda sugiere debería puedo ayúda idea conseille "
            "recommande dois puis aide"
        ),
        begins=r"""(?:(?:can|could|would|will)\syou\s(?:please\s)?)?(?:recommend|suggest|propose|advise|plan|help|pick|choose|draft)\b
| any\s(?:good\s)?(?:ideas?|suggestions?|recommendations?|tips|advice|thoughts)\b | (?:what|where|which)\b.{0,60}?\b(?:should|shall|could|can)\s(?:i|we)\b | (?:should|shall|(?<=\s)can|(?<=\s)could)\s(?:i|we)\b
| what(?:['’]s|\sis|\sare|\swould\sbe)\s(?:some|a\sgood|good|the\s(?:best|nicest|right))\b | which\b.{1,60}?\bwould\syou\b
| (?:was|wo|wohin|welche\w*|womit|wie)\b.{0,50}?\b(?:soll|sollte|kann|könnte)\w*\s(?:ich|wir)\b | (?:soll|sollte|kann|könnte)\w*\s(?:ich|wir)\b | (?:empfiehl|empfehl|hilf)\w* | kannst\sdu\smir\b | hast\sdu\s(?:\w+\s)?(?:tipps?|ideen|vorschl)
| (?:recomi[eé]nda|sugi[eé]re|ay[uú]da)\w* | (?:qu[eé]|d[oó]nde|cu[aá]l)\b.{0,50}?\b(?:debería|puedo|podría)\b | (?:recommande|conseille|sugg[eè]re|aide)\w* | (?:que|où|quel\w*)\b.{0,50}?\b(?:dois|devrais|puis|pourrais)(?:-|\s)je\b
""",
        finds=r"(?:recommend(?:ation)?s?|suggestions?|tips|advice|(?:any|some)\s(?:\w+\s)?ideas)\b | (?:for|with)\s(?:me|us)\s?\??$ | (?:help|give|find|tell)\s(?:me|us)\s(?!(?:the|about|when|what|who|where|how|why)\b)",
    ),
    IntentRule(
        name="a choice, or a word on what is told",
        cues="or oder ou o it i we me this go which that this thoughts ideas fine ok okay worth do my out",
        finds=r"""^(?!(?:\S+\s){0,3}(?:what|who|whose|when|which|where|why|how|does|did|(?:do|will|can|are|have)\s(?:they|you|the|other|people))\b)(?!.*\b(?:did|was|were|had|called)\b)
  (?: .*?\b(?:or|oder|ou|o)\s[^?.]{1,60}\?$ | .{20,}[.!;]\s(?!(?:who|when|where|why|how|what\s(?!(?:do|should)\s(?:i|we)\b))\b)[^?.,;:!]{2,40}\?$ )
""",
    ),
    IntentRule(
        name="told of oneself",
        cues="i my we our ich mein wir unser je mon ma mes nous notre yo mi mis nuestr",
        begins=r"i(?:['’]m|\sam|['’]ve\sbeen)\s(?:\w+\s)?(?:looking\sfor|planning|thinking\sof|trying\sto\sdecide|considering)\b",
        finds=r"""^(?!(?:do|am|are|is|can|may|if)\b)(?!.*\?)(?!.*\b(?:what|where|when|which|who|why|how|was|wo|wann|warum|wie)\b).*?\b(?:i|my|we|our|ich|meine?\w?|wir|unsere?\w?|je|mon|ma|mes|nous|notre|yo|mi|mis|nuestr\w+)\b
""",
    ),
)
"""A person asks for something, or tells something: what they once said of themselves may matter,
whatever its words."""
