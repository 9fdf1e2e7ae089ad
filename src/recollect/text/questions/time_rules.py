"""The rules that tell what a question asks of time: data, read by ``time_route.py``.

A rule is a kind of question in one language, and the first that matches counts. ``asks`` has a
pattern a line, searched for where a word begins, in lower case, in a text with one space between
words; ``<part>`` is a part from the table of its language. What matches is no word of the topic,
so a pattern looks ahead at what is; a group has the words that ask for the time, where it looks
ahead at them as well. ``cues`` are words of which one is in whatever matches (``cues.py``): where
none is, the patterns are not compiled. A rule for a script without spaces has no cues, and is
searched for anywhere. The rule without patterns matches where the question names a period.

``EMPTY`` are words that name no topic where they stand at an end of what is left of the question;
``ASIDE`` are patterns of what names none wherever it stands.
"""

# ruff: noqa: E501  a pattern a line

from __future__ import annotations

from recollect.named_tuple import NamedTuple
from recollect.nouns import TimeKind


class TimeRule(NamedTuple):
    kind: TimeKind
    language: str
    asks: str
    cues: str = ""
    past: bool = False
    """Whether it has to ask for what was."""
    soft: bool = False
    """Whether it may as well be another question, or names a period without dates."""


PARTS = {
    "en": {
        "we": "(?:we|i|you|they|anyone|anybody|someone|somebody)",
        "did": "(?:did|had|have|has|was|were)",
        "session": "(?:session|conversation|chat|meeting|discussion|sitting)",
        "the": "(?:the|our|my|that|this|your)",
        "what": "(?:what|which|who|where|how|why|did|was|were|had|have|has|anything)",
        "aux": "(?:did|had|have|has|was|were|is|are)",
        "away": "(?:holidays?|vacation|(?:the )?(?:spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december))",
        "remedy": "(?:(?:do|should|can|could|must|shall) (?:i|we) (?:do |try )?)?",
        "span": "(?:\\d+|an?|one|two|three|four|five|six|several|few|some|half an?) (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\\b",
        "thing": "(?! (?:aid|names?|floors?|class|violins?|mile|resort)\\b)",
    },
    "de": {
        "remedy": "(?:(?:mache|machen|tue|tun|soll|sollen|muss|müssen|kann|können) (?:ich|wir) )?",
        "span": "(?:\\d+|eine[rm]?|zwei|drei|vier|fünf|sechs|einigen|mehreren) (?:sekunden?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)\\b",
        "we": "(?:wir|ich|du|man|jemand|ihr)",
        "did": "(?:haben|habe|hast|hat|hatten|hatte|sind|bin|bist|ist|war|waren|wurde|wurden|gab|kam|kamen)",
        "with": "(?:mit|bei|beim|an|am|in|im|zu|zum|zur|auf)",
        "session": "(?:sitzung|session|besprechung|unterhaltung|gespräch|mal)",
    },
    "es": {
        "did": "(?:ha|han|hemos|has|he|hab[ií]a\\w*|fue|fueron|hubo)",
        "session": "(?:sesi[oó]n|conversaci[oó]n|charla|reuni[oó]n)",
    },
    "fr": {
        "did": "(?:a|as|ai|avons|avez|ont|avait|est|sont|était|étions)",
        "session": "(?:session|séance|conversation|discussion|réunion)",
    },
}

RULES = (
    # ---------------------------------------------------------------- since when
    TimeRule(
        "since",
        "en",
        r"""
(?:since|from) when\b(?: on(?:wards?)?)?
(?:since|from) (?:which|what) (?:day|date|time|point|version|release|moment|week|month)\b(?: on(?:wards?)?)?
(?:for )?how long (?:have|has|had|'ve|is it|was it|did it)\b
(?:for )?how (?:many (?:days|weeks|months|years)) (?:have|has|had)\b
when did\b(?! (?:we|i|you)\b)(?=.*? (?:start|begin) (?:to\b|\w+ing\b))
when did\b(?=.*? (?:become|turn into|get) (?:an? )?(?:problem|issue|trouble|nuisance|bottleneck|flaky|slow|unreliable|broken)\b)
""",
        "since from long since days weeks months years start begin become turn get",
    ),
    TimeRule(
        "since",
        "de",
        r"""
(?:seit|ab) wann\b
seit wie (?:viel|lang|wieviel)\w*\b(?: (?:zeit|tagen|wochen|monaten|jahren))?
wie lange?\b(?= (?:schon|bereits|gibt es|haben wir|hat|ist|besteht|nutzen|verwenden|läuft|nervt|macht)\b)
(?:seit|ab) welche[mnr]\b
wie lange?\b(?= \w+ (?:ich|wir|er|sie|es|du|man) (?:schon|bereits)\b)
""",
        "seit lange lang wann",
    ),
    TimeRule(
        "since",
        "es",
        r"""
(?:desde|a partir de) (?:cu[aá]ndo|qu[eé] (?:fecha|d[ií]a|momento|versi[oó]n|semana|mes))\b
(?:hace cu[aá]nto|cu[aá]nto(?: tiempo)? hace|desde hace cu[aá]nto|cu[aá]nto(?: tiempo)?(?= (?:llev|ha |han |hemos )))(?: tiempo)?(?: que)?
""",
        "desde partir hace cuanto cuánto",
    ),
    TimeRule(
        "since",
        "fr",
        r"""
depuis (?:quand|combien(?: de temps)?|quelle date|quel jour)\b
(?:à partir de|dès) quand\b
(?:cela fait|ça fait|il y a) combien de temps\b
""",
        "depuis partir dès cela ça combien",
    ),
    TimeRule(
        "since", "ru", "с каких пор\nкак давно\nс какого (?:времени|дня)", "каких давно какого"
    ),
    TimeRule("since", "zh", "从什么时候|从何时|多久以来|自从什么时候|多长时间以来"),
    # ---------------------------------------------------------------- how often
    TimeRule(
        "how-often",
        "en",
        r"""
how (?:often|frequently)\b(?! (?:do|does|is|are|should|must|can|will|shall)\b)
(?:on |in |at )?how many (?:times|occasions|sessions|sittings|conversations|meetings|attempts|tries|incidents)\b(?! (?:do|does|is|are|should|must|can|will)\b)
(?:more than once|once or several times|only once|just once)\b
(?:number of times|count of times|every time|all the times)\b(?= (?:that )?(?:<we>|the|our|my)\b)
""",
        "often many frequently number count every times once all",
    ),
    TimeRule(
        "how-often",
        "en",
        r"""
how many(?= (?:[\w-]+ ){1,4}?(?:did|have|has|had|were) (?:we|i|you|they|the|our|my|it|there)\b)
""",
        "many",
        soft=True,
    ),
    TimeRule(
        "how-often",
        "de",
        r"""
wie (?:oft|häufig)\b(?! (?:wird|werden|läuft|laufen|muss|müssen|soll|sollen|sollte|kann|können|darf|macht|machen)\b)
(?:in )?wie ?vielen? (?:male?n?|sitzungen|ausfälle|fällen|sessions)\b
wie ?viele\b(?= (?:[\w-]+ ){1,4}?(?:haben|hatten|gab|waren|sind|wurden) (?:wir|ich|es|die|der)\b)
wievielmal\b
""",
        "oft häufig viele vielen viel wieviele wievielen wievielmal",
    ),
    TimeRule(
        "how-often",
        "es",
        r"""
(?:en )?cu[aá]ntas (?:veces|ocasiones|sesiones)\b
cu[aá]nt[oa]s\b(?= (?:\w+ ){1,3}?(?:hic\w+|tuv\w+|hemos|hubo|fueron|han|\w+amos|\w+imos)\b)
con qu[eé] frecuencia\b(?! (?:se|hay|debe|deben|hacemos)\b)
""",
        "veces ocasiones sesiones frecuencia cuantos cuántos cuantas cuántas",
    ),
    TimeRule(
        "how-often",
        "fr",
        r"""
(?:à )?combien de (?:fois|reprises|sessions)\b
à quelle fréquence\b(?=.*? (?:<did>)\b)
""",
        "fois reprises sessions fréquence",
    ),
    TimeRule("how-often", "ru", "сколько раз\nкак часто (?=мы|у нас|было|был)", "раз часто"),
    TimeRule("how-often", "zh", "(?:多少|几)次"),
    # ---------------------------------------------------------------- where it was left
    TimeRule(
        "leave-off",
        "en",
        r"""
(?:pick(?:ing)? up |continue |resume |going? on )?(?:from )?where (?:<did> )?<we> (?:last )?(?:(?:leave|left)(?: it| things| this| that| everything)?(?: off)?|stop(?:ped)?|paused?|break off|broke off)\b(?! (?:my|the|our|his|her|a)\b)
where (?:were we|was i|had we (?:been|got(?:ten)?))(?= ?(?:[?.!,:;]|$|with\b|(?:on|in|at)\b(?! <away>\b)|last (?:time|session)\b|again\b|when\b))
where did <we> get (?:to|up to)\b
(?:what|which \w+) (?:were|was) <we> (?:last |just |still )?(?:about to|going to)\b
how far (?:did|had|have|are) <we> (?:get|got(?:ten)?|come|along)\b(?: with)?
how (?:did <we> leave|did (?:it|that|things|the last session|we) end)\b(?! up)(?: last time| (?:it|things|that)\b)?
how (?:was|were)\b(?=.*? (?:left(?: off| open| last time)?|leave it|leave things) ?[?.!]*$)
what (?:is|was|were|are|'s|did <we>) (?:still )?(?:left|open|unfinished|outstanding|pending|to be done|the next (?:thing|step|todo|task|point))\b(?: to (?:do|finish|fix))?
what (?:remain(?:s|ed)|is there left|did <we> want to do next|comes next|came next|was planned next)\b(?: to be done| to do| open)?
what(?: (?:is|was|were|'s))?(?: (?:the|our|my) (?:plan for the )?)? ?next\b(?: (?:step|thing|task|session|time|move|point|job)s?\b|(?= ?(?:[?.!,]|$|with|on|for)))
what (?:did|had|have|were) <we>\b(?=.*? next(?: time| session| with| on|[ ?.!]*$))
(?:which|what) (?:step|point|part|stage|chapter|page) (?:were|was|had|did) <we>\b(?: at)?
what (?:were|was) <we> in the middle of\b
what had <we> (?:just|last)\b
(?:can you |please )?(?:summari[sz]e|recap|remind me (?:of|about)|catch me up on)(?= (?:our|my|the) (?:last|latest|previous|most recent) <session>\b)
catch me up\b
(?:let(?:['’]s| us)|i(?:['’]d| would)? (?:like|want) to|we (?:should|can|could)|please|can we|shall we)? ?(?:continue|pick up|resume|carry on|(?:go|going) on|get back to|return to|back to)\b(?: with| on)?(?! \w+ing\b)(?=.*? (?:where|what|how)\b)
(?:^|[.:!?] )(?:continue|pick up|resume|carry on|go on)\b(?: with| on)?
(?:can|could|shall|let['’]?s|let us) (?:we )?(?:pick up|continue|resume|go on with|return to)\b
what did <we> (?:end|finish|close|stop) (?:with|on|at)\b(?: last time)?
what did <we> (?:do|discuss|talk about|work on|say) (?:the )?last time(?= ?[?.!]*$)
what did <we> (?:leave|have left)(?: (?:open|undone|unfinished|unresolved|for later|hanging))?\b
(?:what|who|which|how)\b(?:(?! when| where)[\w' -]){0,40}? (?:in|during|at|of|from) <the> (?:very )?(?:last|latest|previous|most recent|prior) (?:coding |work(?:ing)? )?<session>\b(?! (?:of|about|on|with|where)\b)
""",
        "where were far leave left last latest previous recent prior next open unfinished outstanding pending doing working busy middle continue pick resume remain done ended end carry going back return about to go middle step point part stage chapter page just summarise summarize recap remind catch",
    ),
    TimeRule(
        "leave-off",
        "de",
        r"""
wo (?:waren|sind|haben|hatten|war|bin|habe|standen|stehen) (?:wir|ich)\b(?=.*?\b(?:stehen ?geblieben|hängen ?geblieben|aufgehört|zuletzt|unterbrochen|abgebrochen|pausiert|verblieben)\b)
(?:an welcher stelle|an welchem punkt|bei was|womit|bei welchem punkt|mit was) (?:waren|sind|haben|hatten|war|bin|habe) (?:wir|ich)\b(?=.*?\b(?:stehen ?geblieben|hängen ?geblieben|aufgehört|zuletzt|abgebrochen|unterbrochen)\b)
wie weit (?:waren|sind|war|bin|kamen|hatten|haben) (?:wir|ich)\b
woran (?:haben|hatten|habe|waren|sind) (?:wir|ich)\b(?=.*?\b(?:zuletzt|gerade)\b)
wie (?:sind|waren|haben|endete|ging)\b(?=.*?\b(?:verblieben|ausgegangen|geendet|aufgehört|letztes mal|das letzte mal|aus)\b)
(?:ich (?:will|möchte|würde gern)|lass uns|wir (?:wollen|können|sollten)|können wir|weiter|machen wir|mach)\b(?=.*?\b(?:weiter|weitermachen|fortsetzen|anknüpfen|weiterarbeiten)\b)
weiter mit\b
was (?:hatten|haben|wollten|wollte|hatte) (?:wir|ich)\b(?=.*?\b(?:vorbereitet|als nächstes|vorgehabt|offen gelassen|liegen gelassen)\b)
was (?:kommt|kam|ist|war|wäre|steht|stand) (?:als )?nächste[sr]?\b
(?:was|worüber|woran) haben wir (?:beim |das )?letzte[sn]? mal (?:gemacht|besprochen|geredet|gesprochen|gearbeitet)(?= ?[?.!]*$)
was (?:ist|war|sind|blieb|bleibt|steht) (?:bei |beim |mit |an |am |zu |zum |zur )?(?:[\w-]+ ){0,4}?(?:noch )?(?:offen|übrig|unerledigt|zu tun|zu erledigen|liegen ?geblieben)\b
was war (?:der|das) (?:letzte|nächste) (?:schritt|punkt|stand|aufgabe)\b
wo (?:waren|war) (?:wir|ich)\b(?= (?:bei|beim|mit|in|im|gerade|zuletzt|nochmal)\b| ?[?.!]*$)
(?:was|womit|wie) (?:wollten|wollte|sollten|hatten) (?:wir|ich)\b(?=.*?\b(?:nächsten?|danach|weiter)\b)
(?:was|worum|worüber|womit|wer|wie|woran)\b(?=.*? (?:in|bei|während|beim|im) (?:der|unserer|meiner|unserem|dem)? ?(?:letzten|vorigen|jüngsten|vergangenen) <session>\b(?! (?:über|zu|zum|zur|mit)\b))
wo (?:machen|setzen|knüpfen|steigen) wir\b(?=.*?\b(?:weiter|an|ein)\b)
""",
        "stehen hängen aufgehört zuletzt unterbrochen abgebrochen pausiert verblieben weit gearbeitet gerade offen übrig unerledigt tun erledigen liegen letzte nächste nächstes nächster machen setzen knüpfen steigen ausgegangen geendet letztes aus weiter weitermachen fortsetzen anknüpfen weiterarbeiten vorbereitet vorgehabt waren war nächsten danach letzten vorigen jüngsten vergangenen",
    ),
    TimeRule(
        "leave-off",
        "es",
        r"""
(?:en |por |hasta )?d[oó]nde (?:lo |la |los |las )?(?:dejamos|hab[ií]amos dejado|dej[eé]|(?:nos )?quedamos|me qued[eé]|[ií]bamos|est[aá]bamos|llegamos|paramos|interrumpimos)\b
(?:en|por) qu[eé] (?:punto |parte )?(?:lo )?(?:quedamos|nos quedamos|dejamos|[ií]bamos|est[aá]bamos|quedó|qued[oó] la cosa)\b(?: trabajando)?
c[oó]mo (?:lo )?dejamos\b
qu[eé] (?:qued[oó]|qued[aó]|quedaba|falt[oó]|falta|faltaba|dejamos) (?:por hacer|pendiente|sin (?:hacer|terminar|resolver)|abierto)?
qu[eé] est[aá]bamos haciendo\b
(?:quiero |vamos a |podemos )?(?:seguir|sigamos|continuar|continuemos|retomar|retomemos)\b(?: con)?
c[oó]mo (?:acab[oó]|termin[oó]|qued[oó])\b
(?:de )?qu[eé] (?:hicimos|vimos|hablamos) la [uú]ltima vez(?= ?[?.!]*$)
qu[eé] (?:[ií]bamos|quer[ií]amos|[ií]ba|quer[ií]a)\b(?: a)?(?: hacer)?(?: despu[eé]s| luego)?
(?:de |en )?(?:qu[eé]|qui[eé]n|c[oó]mo)\b(?=.*? (?:en|de|durante) (?:la|nuestra) (?:[uú]ltima|anterior|pasada|m[aá]s reciente) <session>\b(?! (?:sobre|de|con|del)\b))
(?:de |en )?(?:qu[eé]|qui[eé]n|c[oó]mo)\b(?=.*? (?:en|de|durante) (?:la|nuestra) <session> (?:anterior|pasada|m[aá]s reciente)\b)
qu[eé] (?:segu[ií]a|viene|ven[ií]a|tocaba|toca) (?:despu[eé]s|ahora|luego)?
""",
        "donde dónde punto parte quedamos quedó quedaba quedo queda dejamos íbamos ibamos estábamos estabamos falta faltaba faltó falto cómo como seguir sigamos continuar continuemos retomar retomemos acabó acabo terminó termino seguía seguia viene venía venia tocaba toca íbamos ibamos queríamos queriamos íba iba quería queria última ultima anterior pasada reciente",
    ),
    TimeRule(
        "leave-off",
        "fr",
        r"""
où (?:en )?(?:étions[- ]nous|étais-je|était-on|en étions|nous étions|on en était|j'en étais|on s'est|s'est-on|nous sommes-nous|nous étions-nous|avons-nous|a-t-on)(?= ?(?:[?.!,]|$|avec|sur|dans|rest|arrêt|laiss|pour|la dernière))
(?:jusqu['’]où|à quel point) (?:avons-nous|sommes-nous|est-on|a-t-on|étions-nous)\b
(?:sur quoi|que|à quoi) (?:travaillions|faisions)-nous\b
(?:que|qu['’]est-ce qui|qu['’]est-ce qu['’]il) (?:restait|reste)(?:-t-il)?(?: à faire)?\b
comment (?:avons-nous|a-t-on) laissé\b
(?:de quoi|que|qui|comment|qu['’]\S+)\b(?=.*? (?:lors de|pendant|dans|durant|de) (?:la|notre) (?:dernière|précédente) <session>\b(?! (?:sur|de|avec)\b))
""",
        "dernière précédente étions étais était avons sommes nous suis est arrêté jusqu point travaillions faisions restait reste laissé sest on avec où",
    ),
    TimeRule(
        "leave-off",
        "ru",
        "(?:на ч[её]м|где|до чего) мы (?:остановились|дошли|закончили)\nчто (?:осталось|осталось сделать)",
        "остановились дошли закончили осталось",
    ),
    TimeRule("leave-off", "zh", "(?:上次)?(?:我们)?(?:说|聊|做|讲|进行)到哪[里儿]?了?|どこまで"),
    # ---------------------------------------------------------------- the first time
    TimeRule(
        "first",
        "en",
        r"""
when\b(?=.*? (first\b<thing>|originally\b|initially\b|for the first time\b|earliest\b))
when (?:did|had|have|was|were)\b(?=.*? (?:start(?:ed)?|begin|began|begun|introduced?|adopt(?:ed)?|kick(?:ed)? off|come up with)\b)
(?:when was )?(?:the |our |my )?(?:very )?(?:first|earliest|initial|original) (?:time|mention|appearance|occurrence|session|conversation|chat|discussion|sighting|instance|trace)\b(?: (?:of|about|on|for|that|where|when|in which))?
(?:which|what) (?:was the |were the )?(?:very )?first\b<thing>
(?:which|what) (?:was the |is the |were the )?(?:very )?(?:earliest|oldest)\b
(?:who|what|where|which \w+|how)\b(?=.*? (?:first|originally) (?:suggest|propos|mention|bring|brought|rais|notic|report|ask|came|come|appear|introduc|decid|tri|use|start|run|ran|set|hit|saw|see|turn|discuss|talk))
how did\b(?=.*? (?:start|begin|come about|originate|get started|get going)\b)
(?:who|what|which \w+)\b(?=.*? first ?[?.!]*$)(?!.*? (?:do|does|should|must|comes?|goes) )
(?:what|which|who|how|where|why)\b(?=.*? (at first|in the (?:very )?beginning|to begin with|initially|originally|at the (?:very )?(?:start|beginning|outset))\b(?! of\b))
(?:what|which|who) (?:was|were|is) (?:the|our|my|your) (?:very )?(?:original|initial)\b
(?:what|which|who) (?:was|were) (?:the|our|my|your) (?:very )?first\b<thing>
(?:what|which|who) is (?:the|our|my|your) (?:very )?first\b<thing>(?=.*? (?:did|had|was|were|ever|\w+ed)\b)
(?:the|our|my) very first\b
(?:what|why|who|how)\b(?=.*? in the first place\b)
(?:what|which|who)\b(?=.*? (?:we|i|you) (?:first|originally) \w+)
""",
        "first originally initially earliest initial original oldest start begin began begun introduce adopt kick come beginning outset very place",
    ),
    TimeRule(
        "first",
        "de",
        r"""
(?:wann|wo|wer|wie|womit)\b(?=.*?\b(zum (?:aller)?ersten mal|das erste mal|erstes mal|zuerst|erstmals|ursprünglich|anfangs|am anfang|zu beginn|als erstes|zunächst)\b)
(?:was|welche[rs]?|wer) (?:war|waren) (?:der|die|das|unsere?|meine?) (?:aller)?erste[nrs]?\b(?! hilfe\b)
(?:was|welche[rs]?|wer) (?:war|waren|ist) (?:der|die|das|unsere?|meine?) ursprüngliche[nrs]?\b
wie (?:fing|begann|hat)\b(?=.*? (?:an|begonnen|angefangen)\b)
womit (?:fing|begann)\b
(?:wann|wo|wie)\b(?=.*?\b(?:angefangen|begonnen|eingeführt|gestartet|losgegangen)\b)
(?:(?:was|wann|welche[rs]?) (?:war|ist) )?(?:der|die|das|dem|den|unser|unsere|unserem|in der|in welcher|beim) (?:aller)?erste[nrsm]? (?:mal|sitzung|session|erwähnung|gespräch|versuch|bericht|hinweis|diskussion|entscheidung|mention|auftritt|besprechung|idee)\b
welche[rs]? (?:sitzung|session|gespräch) (?:war|hat)\b(?=.*?\b(?:erste|zuerst|erstmals)\w*)
""",
        "ersten allerersten erste erster erstes zuerst erstmals ursprünglich anfangs angefangen begonnen eingeführt gestartet losgegangen allererste anfang beginn zunächst ursprüngliche fing begann hat",
    ),
    TimeRule(
        "first",
        "es",
        r"""
(?:cu[aá]ndo|d[oó]nde|qui[eé]n|qu[eé]|en qu[eé] sesi[oó]n|c[oó]mo)\b(?=.*?\b(?:por (?:vez )?primera(?: vez)?|la primera vez|primero|inicialmente|originalmente|al principio|al comienzo|en un principio)\b)
(?:cu[aá]l|cu[aá]les|qu[eé]) (?:fue|fueron|era) (?:el|la|los|nuestr[oa]|mi) (?:primer[oa]?)\b
c[oó]mo (?:empez[oó]|comenz[oó])\b
cu[aá]ndo\b(?=.*?\b(?:empezamos|empez[oó]|empezaron|comenzamos|comenz[oó]|introdujimos|introdujo|adoptamos|apareci[oó]|surgi[oó])\b)
(?:cu[aá]l fue |cu[aá]ndo fue )?la primera (?:vez|sesi[oó]n|menci[oó]n|conversaci[oó]n|referencia)(?: (?:que|de|en que|sobre))?\b
""",
        "primera primero primer principio comienzo inicialmente originalmente empezamos empezó empezo empezaron comenzamos comenzó comenzo introdujimos introdujo adoptamos apareció aparecio surgió surgio",
    ),
    TimeRule(
        "first",
        "fr",
        r"""
(?:quand|où|qui|comment)\b(?=.*?\b(?:pour la première fois|d['’]abord|initialement|à l['’]origine|en premier)\b)
quand\b(?=.*?\b(?:commencé|débuté|introduit|adopté|démarré|apparu)\w*\b)
(?:quelle (?:était|est|a été|fut) )?la (?:toute )?première (?:fois|session|mention|conversation|discussion|séance)(?: (?:que|où|de))?\b
""",
        "première abord initialement origine premier commencé débuté introduit adopté démarré apparu",
    ),
    TimeRule(
        "first",
        "ru",
        "(?:когда|где|кто)\\b(?=.*?\\b(?:впервые|первый раз|начали|начал\\w*))\nпервое (?:упоминание|обсуждение)",
        "впервые первый начали начал началось первое",
    ),
    TimeRule("first", "zh", "第一次|最早|最初|首次"),
    # ---------------------------------------------------------------- what was last time
    TimeRule(
        "leave-off",
        "en",
        r"""
(?:what|how|where|which|remind me)\b(?=.*?(?<! the) last time\b)
last time (?:we|i)\b(?=[^?]*[.,:] )
(?:where|which \w+|what|at what|in which|at which)\b(?=.*? (?:did|was|had) (?:i|we) (?:stop|stuck|interrupted|leave off|quit|pause|break off)\b)
what (?:was|were|is) (?:still )?(?:missing|lacking|incomplete|undone)\b(?: from| in| on)?
""",
        "last stop stuck interrupted leave quit pause break missing lacking incomplete undone",
    ),
    TimeRule(
        "leave-off",
        "de",
        r"""
(?:wo|bei|an|auf|welche[rsnm]?|womit|wie)\b(?=.*?\b(?:stehen ?geblieben|hängen ?geblieben|aufgehört)\b)
was (?:fehlte|fehlt|blieb|bleibt)(?: noch)?\b
(?:was|wie|wo|worüber|woran)\b(?=.*?\b(?:letztes mal|beim letzten mal)\b)
""",
        "stehen hängen aufgehört fehlte fehlt blieb bleibt letztes letzten",
    ),
    TimeRule(
        "leave-off",
        "es",
        r"""
(?:en|por|hasta)? ?(?:d[oó]nde|qu[eé])\b(?=.*?\b(?:me qued[eé]|nos quedamos|lo dej[eé]|lo dejamos)\b)
(?:con|por) qu[eé] (?:seguimos|segu[ií]amos|continuamos)\b
""",
        "quedé quede quedamos dejé deje dejamos seguimos seguíamos seguiamos continuamos",
    ),
    # ---------------------------------------------------------------- the last time
    TimeRule(
        "last",
        "en",
        r"""
(?:what|who) (?:was|were|did|happened)\b(?=.*? last (?:time|session)\b)
(?:when|on which day|in which session)\b(?=.*? (last\b<thing>|most recently\b|latest\b)(?! (?:week|month|year|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)))
(?:when was |what happened )?<the> (?:very )?(?:last|latest|most recent|final) (?:time|mention|occurrence|appearance|incident|attempt|discussion|session|conversation|talk|chat|decision|change|report|failure|outage|instance)\b(?: (?:of|about|on|for|to|that|where|when|in which))?
(?:what|which) (?:was|were|is|are|'s) (?:<the> )?(?:very )?(?:last|latest|most recent|newest) (?:thing|session|conversation|decision|change|attempt|fix|discussion|work)s?\b(?: (?:<we> (?:did|decided|changed|said|tried|worked on|discussed|talked about)|about|on|of|to|for|with))?
what did <we> (?=(?:\w+ ){0,3}?(last(?: time)?)\b(?! (?:few|couple|two|three|four|five|six|half|\d+|days|weeks|months|years|week|month|year|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|fall|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december)))
(?:which|what) session\b(?=.*? (?:last|most recently|latest)\b)
(?:what|which|who)(?:['’]s| is| was| were) <the> (?:very )?(?:last|latest|most recent|newest)\b<thing>(?! (?:week|month|year|night|day|state|status|of the)\b)
(?:the |our |my )?(?:most recent|latest) (?!status|state|news|update|progress|word|situation)(?:[\w-]+ ){1,2}?(?:about|on|of|with|from)\b
(?:the )?(?:very )?last time\b(?! with\b)(?: that)?
(?:the |our |my )?(?:last|latest|most recent) (?:thing|word|mention|session|conversation|discussion|decision|news item|fix|attempt|offer|change) (?:<we>|about|on|of|for|with|to)\b
""",
        "last latest previous recent recently newest prior final",
    ),
    TimeRule(
        "last",
        "de",
        r"""
(?:wann|wer|wo|was|wie|womit)\b(?=.*?\b(zuletzt|(?:das|beim|zum) letzten? mal|letztes mal|letztens|am letzten|als letztes|neulich|jüngst)\b)
(?:was|welche[rs]?|wer) (?:war|waren|ist) (?:der|die|das|unsere?|meine?) (?:aller)?(?:letzte|jüngste|neueste)[nrs]?\b
wann\b(?=.*? (?:den|die|das|der) (?:letzten?|jüngsten?)\b(?! (?:woche|monat|jahr|nacht|tage)))
(?:in|bei|während|aus) (?:der|unserer|meiner|dieser) (?:letzten|vorigen|jüngsten|neuesten|vergangenen|aktuellsten) <session>\b
(?:beim|im|vom) (?:letzten|vorigen|jüngsten) (?:mal|gespräch|treffen)\b
(?:(?:was|wann|welche[rs]?) (?:war|ist) )?(?:der|die|das|unsere?) (?:letzte|jüngste|neueste|aktuellste)[nrs]? (?:mal|sitzung|session|erwähnung|gespräch|versuch|vorfall|ausfall|entscheidung|änderung|diskussion)\b
""",
        "zuletzt letzten letzte letztes letztens vorigen jüngsten neuesten vergangenen jüngste neueste aktuellsten aktuellste neulich jüngst allerletzte",
    ),
    TimeRule(
        "last",
        "es",
        r"""
(?:cu[aá]ndo|qui[eé]n|d[oó]nde|qu[eé]|en qu[eé] sesi[oó]n)\b(?=.*?\b(?:por [uú]ltima vez|la [uú]ltima vez|[uú]ltimamente|lo [uú]ltimo)\b)
(?:cu[aá]ndo|cu[aá]l) (?:fue|era|ha sido) (?:el|la|nuestr[oa]|mi) [uú]ltim[oa]\b
(?:cu[aá]ndo fue |cu[aá]l fue )?la [uú]ltima (?:vez|sesi[oó]n|menci[oó]n|conversaci[oó]n|decisi[oó]n|reuni[oó]n|ocasi[oó]n)(?: (?:que|en que|de|sobre))?\b
(?:en|de|durante) (?:la|nuestra) (?:[uú]ltima|anterior|m[aá]s reciente) <session>\b
(?:en|de|durante) (?:la|nuestra) <session> (?:anterior|pasada|m[aá]s reciente)\b
qu[eé] fue lo [uú]ltimo(?: que (?:hicimos|decidimos|cambiamos|dijimos))?\b
""",
        "última ultima último ultimo últimamente ultimamente anterior reciente pasada",
    ),
    TimeRule(
        "last",
        "fr",
        r"""
(?:quand|qui|où|que|qu['’]\S+)\b(?=.*?\b(?:pour la dernière fois|la dernière fois|en dernier)\b)
(?:quelle (?:était|est|a été) )?la (?:toute )?dernière (?:fois|session|mention|conversation|discussion|séance|décision|réunion)(?: (?:que|où|de))?\b
(?:lors de|pendant|dans|de) (?:la|notre) (?:dernière|précédente) <session>\b
""",
        "dernière dernier précédente",
    ),
    TimeRule(
        "last",
        "ru",
        "(?:когда|где|кто|что)\\b(?=.*?\\b(?:в последний раз|в прошлый раз))\n(?:на|в) (?:последней|прошлой|предыдущей) (?:сессии|встрече|беседе)",
        "последний прошлый последней прошлой предыдущей",
    ),
    TimeRule("last", "zh", "(?:最后|最近|上)一?次(?:会话|对话|讨论|会议|聊天)?"),
    # ---------------------------------------------------------------- before and after something
    TimeRule(
        "before",
        "en",
        r"""
(?:right |just |shortly |immediately |directly |the (?:day|week|session|night) )?(?:before|prior to|leading up to|ahead of)(?= \w)(?! <span>)(?! last\b)(?! (?:we|i|you) (?:can|could|start|begin|go)\b)
(?:up )?until(?= (?:we|i|the|our|my|that|it|they)\b)
""",
        "before prior leading ahead until",
    ),
    TimeRule(
        "after",
        "en",
        r"""
(?:right |just |shortly |immediately |directly |soon |the (?:day|week|session|night|morning) )?(?:(?<!look )(?<!looks )(?<!looking )(?<!looked )(?<!named )(?<!called )after(?! (?:how|which|what|all|hours|<span>)\b)|following|in the wake of|as a (?:result|consequence) of)(?= \w)
(?:once|ever since|since)(?= (?:we|i|the|our|my|that|it|they) )
""",
        "after following wake result consequence once since ever",
    ),
    TimeRule(
        "after",
        "en",
        r"""
(?:what|which \w+) (?:happened|changed|was tried|was done|was decided|did we (?:do|try|change|decide)|went on)\b(?=.*? between .*? and \w)
""",
        "happened changed tried done decided change decide went between",
    ),
    TimeRule(
        "before",
        "de",
        r"""
(?:kurz |unmittelbar |direkt |gleich )?(?:bevor|ehe|vor)(?! (?:allem|ort|kurzem|\d|ein|eine|einem|einer|zwei|drei|vier|fünf|sechs|einigen|wenigen|mehreren|vielen)\b)(?= \w)
""",
        "bevor vor ehe",
    ),
    TimeRule(
        "after",
        "de",
        r"""
(?:kurz |unmittelbar |direkt |gleich )?(?:nachdem|nach(?! (?:hause|oben|unten|vorne|hinten|rechts|links|und nach|<span>)\b)(?= \w)|seitdem|seit (?=(?:der|dem|unserer|unserem)\b)|im anschluss an)\b
""",
        "nachdem nach seitdem seit anschluss",
    ),
    TimeRule(
        "before",
        "es",
        r"""
(?:justo |poco |inmediatamente )?(?:antes (?:de(?:l)?|que)|previo a|hasta (?=(?:que|la|el)\b))\b
""",
        "antes previo hasta",
    ),
    TimeRule(
        "after",
        "es",
        r"""
(?:justo |poco |inmediatamente )?(?:despu[eé]s (?:de(?:l)?|que)|tras|luego de(?:l)?|a ra[ií]z de(?:l)?|desde (?=(?:que|la|el)\b))\b
""",
        "después despues tras luego raíz raiz desde",
    ),
    TimeRule(
        "before",
        "fr",
        r"(?:juste |peu )?avant (?=\w)",
        "avant",
    ),
    TimeRule(
        "after",
        "fr",
        r"(?:juste |peu )?(?:après (?=\w)|(?:depuis|à la suite de) (?=(?:que|qu['’]|le|la|les|l['’]|avoir|notre|nos|mon|ma)\b))",
        "après depuis suite",
    ),
    TimeRule("before", "ru", "(?:до того,? как|перед тем,? как|перед|до) (?=\\w)", "до перед"),
    TimeRule("after", "ru", "(?:после того,? как|после) (?=\\w)", "после"),
    TimeRule("before", "zh", "之前|以前"),
    TimeRule("after", "zh", "之后|以后"),
    # ---------------------------------------------------------------- first or last, of what was
    TimeRule(
        "first",
        "en",
        r"""
(?:what|which|who|when|where|how|why)\b(?!.*? or )(?=.*? (?:originally|initially|get us started|got us started|start with|started with|begin with|began with|in the beginning)\b)
""",
        "originally initially started start begin began beginning",
        past=True,
    ),
    TimeRule(
        "first",
        "de",
        r"""
(?:was|welche[rsnm]?|wer|wann|wo|wie|womit)\b(?!.*? oder )(?=.*?\b(?:zuerst|anfangs|angefangen|begonnen|ursprünglich|begann|am anfang|zu beginn)\b)
""",
        "zuerst anfangs angefangen begonnen ursprünglich begann anfang beginn",
        past=True,
    ),
    TimeRule(
        "first",
        "es",
        r"""
(?:qu[eé]|cu[aá]l|cu[aá]les|qui[eé]n|cu[aá]ndo|d[oó]nde|c[oó]mo)\b(?!.*? o )(?=.*?\b(?:al principio|originalmente|inicialmente)\b)
""",
        "principio originalmente inicialmente",
        past=True,
    ),
    TimeRule(
        "first",
        "fr",
        r"""
(?:que|quel|quelle|qui|quand|où|comment)\b(?!.*? ou )(?=.*?\b(?:premier|première|initialement|au début|à l['’]origine|commencé)\b)
""",
        "premier première initialement début origine commencé",
        past=True,
    ),
    # ---------------------------------------------------------------- how it is today
    TimeRule(
        "state",
        "en",
        r"(?:how|what|which|who)\b(?=.*? (?:do|does|is|are)\b.*? (today) ?[?.!]*$)(?!.*? (?:did|was|were|have|has)\b)",
        "today",
    ),
    # ---------------------------------------------------------------- a period, if one is named
    TimeRule("in-period", "", ""),
    TimeRule(
        "in-period",
        "en",
        r"""
(?:what|which|who|where|how|anything|did|was)\b(?=.*? (?:in|this|last|over|during|around|at) (?:the )?(?:early |late )?(?:easter|christmas|holidays|(?:first|second) half of|(?:q1|q2|q3|q4))\b)
""",
        "easter christmas holidays half q1 q2 q3 q4",
        soft=True,
    ),
    TimeRule(
        "in-period",
        "de",
        r"""
(?:was|welche[rsnm]?|wer|wo|wie|worum|woran|worüber)\b(?=.*? (?:im|diesen|letzten|über|an|zu|in den) (?:ostern|weihnachten|ferien|(?:ersten|zweiten|dritten|vierten) quartal)\b)
""",
        "ostern weihnachten ferien quartal",
        soft=True,
    ),
    TimeRule(
        "in-period",
        "es",
        r"""
(?:qu[eé]|qui[eé]n|d[oó]nde|c[oó]mo|en qu[eé])\b(?=.*? (?:en|este|esta|durante) (?:el |la )?(?:semana santa|navidad(?:es)?|vacaciones|(?:primer|segundo|tercer|cuarto) trimestre)\b)
""",
        "semana navidad navidades vacaciones trimestre",
        soft=True,
    ),
    # ---------------------------------------------------------------- the latest state
    TimeRule(
        "state",
        "en",
        r"""
where (?:do|does|did|are|is) (?:things|we|it|everything|the \w+|matters)? ?(?:currently |now )?(?:stand|at)\b(?: (?:now|today|currently))?(?= ?(?:[?.!,]|$|with|on|regarding|about|as|for|in))
where (?:do|does|is|are)\b(?=.*? (?:stand|at)(?: (?:now|today|currently|right now|these days|at the moment))? ?[?.!,]*(?:$|,))
where (?:are|is) <we> (?:at )?(?:with|on)\b
how (?:do(?:es)?|are|is) (?:things|matters|it|we|everything) (?:currently )?(?:stand|with|going|on)\b
what(?:['’]s| is) (?:happening|going on|up|new)\b(?: with| on)?
(?:what|which|who|where|how)\b(?=.*? (current|present-day|latest|today['’]s)\b(?! state of the art))(?!.*? (?:did|was|were)\b)
(?:what|which|who|where|how)\b(?=.*? <the> (present) (?!(?:for|from|to|of|i|we|you|that|is|are)\b)\w)(?!.*? (?:did|was|were)\b)
(?:did|has|have)\b(?= (?:[\w'-]+ ){1,5}?ever\b)
what (?:came|became|has become|is left|remains|will come) of\b
what['’]s left (?:of|in|on)\b
(?:have|has|did) <we> (?:heard|hear|gotten|got) (?:back|anything|from)\b
(?:what|which) version (?:are|is|do|does) <we>\b
(?:are|is) (?:<we>|it|that|this|everything) (?:done|through|finished|ready|over)\b
what (?:still|else) (?:has|have|needs?|is|must)\b(?: to be done| to do)?
did <we> ever\b(?=.*? (?:finish|fix|solve|get|settle|decide|manage|complete|resolve|sort|find|buy|send|pay|hear|sign)\b)
do <we> (?:already )?have\b(?=.*? (?:yet|already|by now|meanwhile) ?[?.!]*$)
(?:what(?:['’]s| is| are| was))? ?(?:<the> |any )?(?:latest|current|newest|most recent|present|up-to-date) (?:status|state(?! of the art)|news|updates?|progress|word|situation|standing)\b(?: (?:of|on|about|with|for|regarding|in))?
(?:what(?:['’]s| is))? ?<the> (?:status|state|latest|situation|news|progress) (?:of|on|about|with|for|regarding)\b(?! the art)
(?:what|which) (?:state|status|shape|condition) (?:is|are)\b
(?:any|some|what) (?:news|updates?|progress|movement) (?:on|about|with|regarding|for|from)\b
(?:give me |an? )?(?:status )?update (?:on|about|regarding)\b
how(?:['’]s| is| are)\b(?= (?:the |our |my |things |it )?(?:[\w-]+ ){0,6}?(?:going|coming along|doing|looking|getting on|progressing|shaping up)\b)
(?:is|are|has|have|did|does|do|was|were)\b(?=.*? (?:yet|sorted out|resolved|settled|finished|fixed|merged|done|solved|still (?:open|broken|failing|an? (?:problem|issue)|in place|pending|blocked|not))(?: (?:now|yet|by now|already|in the meantime))? ?[?.!]*$)
(?:is|are|do|does)\b(?= (?:the |our |we |it )?(?:[\w/.-]+ ){1,8}?still\b)
(?:what|which|who|how|where|with what|do|does|is|are)\b(?! <remedy>now\b)(?=.*? (today(?= ?[?.!]*$)|these days|nowadays|at the moment|as of (?:now|today)|right now|currently|meanwhile|by now|at present|now(?= ?[?.!,]|$))(?: |$|[?.!,]))(?!.*? (?:did|was|were)\b)
(?:which|what|who)\b(?=.*? (?:is|are) (?:live|in production|in use|in force|in place|running|active|deployed|current|installed)(?: (?:now|today|currently))? ?[?.!]*$)
how far (?:is|are|along is|along are|advanced is)\b
(?:is|are|has|have)\b(?=.*? (?:or (?:is|are) (?:there )?(?:something|anything|it still)|(?:open|ready|finished|over|working|through|closed) ?[?.!]*$))
""",
        "where stand stands latest current newest recent present status state news update progress word situation shape condition movement how yet sorted resolved settled finished fixed merged done solved still these nowadays moment now right up currently meanwhile live production use force place running active deployed installed far open ready over working through closed or today going happening new up ever already things done through finished ready over else needs came became become left heard hear got gotten version",
    ),
    TimeRule(
        "state",
        "de",
        r"""
wie (?:steht|stehen|sieht|ist)\b(?: (?:es|die (?:dinge|sache|lage)|der (?:aktuelle |letzte )?(?:stand|status))\b)?(?: (?:aktuell|derzeit|gerade|momentan|jetzt|inzwischen))?(?= (?:um|mit|bei|beim|zu|zum|zur|der|des|von|vom|die|das|den|dem|aus)\b)
(?:was ist |wie ist |wie lautet |wie ist denn )?(?:der|den|unser|dem) (?:aktuelle|neueste|letzte|jetzige|derzeitige|momentane|gegenwärtige)[nr]? (?:stand|status|zustand)\b(?: (?:von|vom|bei|beim|der|des|zu|zum|zur|in|im|mit))?
(?:was ist |wie ist )?(?:der|den) (?:stand|status)\b(?: der dinge)?(?: (?:von|vom|bei|beim|der|des|zu|zum|zur|in|im|mit))?
wo (?:stehen|sind) wir\b(?: (?:aktuell|derzeit|gerade|momentan|jetzt|heute|inzwischen))?(?= (?:mit|bei|beim|in|im|<with>)\b| ?[?.!]*$)
(?:gibt es|gibts|gibt's|irgendwelche|was gibt es) (?:was |etwas )?(?:neues|neuigkeiten|fortschritte?|news)\b(?: (?:zu|zum|zur|bei|beim|von|vom|mit))?
(?:ist|sind|wurde|wurden|haben wir|hat|läuft|funktioniert)\b(?=.*?\b(?:inzwischen|mittlerweile|schon|noch|jetzt|endlich|weiterhin|immer noch)\b)
was ist (?:aus|mit)\b(?=.*?\bgeworden\b)
was (?:ist|wurde|wird) aus\b
wie weit (?:ist|sind)\b(?! wir)
(?:ist|sind|wurde|wurden|hat|haben)\b(?=.*?\b(?:erledigt|fertig|gelöst|behoben|repariert|abgeschlossen|geklärt|durch|dicht|bezahlt) ?[?.!]*$)
wie (?:läuft|geht) (?:es|'s)?\b(?: (?:mit|bei|beim))?
was ist mit\b
was (?:macht|machen)\b(?= (?:der|die|das|unser|unsere|mein|meine|dein|deine)\b)
(?:womit|wie|was|welche[rsnm]?|wo|wer|worauf)\b(?! <remedy>jetzt(?: tun| machen)? ?[?.!]*$)(?=.*?\b(aktuell\w*|gerade|derzeit|momentan|zurzeit|heutzutage|inzwischen|mittlerweile|heute|jetzt)\b)(?!.*?\b(?:haben|hatten|war|waren|wurde)\b)
""",
        "steht stehen sieht aktuelle aktuell neueste letzte jetzige derzeitige momentane gegenwärtige stand status wo neues neuigkeiten fortschritt fortschritte news inzwischen mittlerweile schon noch jetzt endlich weiterhin geworden aus ist weit derzeit momentan zurzeit heutzutage heute macht machen gerade erledigt fertig gelöst behoben repariert abgeschlossen geklärt durch dicht bezahlt läuft geht was",
    ),
    TimeRule(
        "state",
        "es",
        r"""
(?:cu[aá]l es )?el (?:[uú]ltimo )?(?:estado|status)(?: actual| m[aá]s reciente)?(?: (?:del?|de la|con|sobre))?\b
(?:cu[aá]l es )?la situaci[oó]n(?: actual)?(?: (?:del?|de la|con))?\b
c[oó]mo (?:va|van|est[aá]n?|vamos|sigue|siguen|anda|andan|marcha)\b(?= (?:con|el|la|los|las|lo|de|nuestr|todo|eso|ese|esa)\b)
en qu[eé] (?:estado|situaci[oó]n|punto|fase) (?:est[aá]n?|se encuentra|seguimos|estamos)\b
(?:hay|alguna|qu[eé]) (?:novedades|noticias|avances|novedad|noticia|avance)\b(?: (?:sobre|de|del|con|en))?
(?:con qu[eé]|qu[eé]|cu[aá]l|c[oó]mo|qui[eé]n|d[oó]nde|cu[aá]nt[oa]s?)\b(?! (?:hago |hacemos )?ahora ?[?.!]*$)(?=.*?\b(ahora|actual|actualmente|hoy en d[ií]a|de momento|por ahora|a d[ií]a de hoy)\b)
(?:est[aá]n?|qued[oó]|se (?:ha )?(?:resolvi[oó]|arregl[oó]|termin[oó]))\b(?= (?:ya )?(?:resuelt|list|terminad|acabad|hech|arreglad|pagad|lo de|el|la)\w*\b)
hasta d[oó]nde (?:va|van|est[aá]n?|ha llegado)\b
(?:sigue|siguen|ya (?:est[aá]n?|se|hemos|funciona|qued[oó])|todav[ií]a|a[uú]n)\b
a d[oó]nde (?:hemos llegado|llegamos) con\b
qu[eé] (?:ha sido|fue|hay|pas[oó] al final) (?:de|con)\b
""",
        "estado status situación situacion va van está esta están estan vamos sigue siguen anda andan marcha punto fase novedades noticias avances novedad noticia avance ya todavía todavia aún aun llegado llegamos sido hay final ahora actualmente hoy momento hasta qué que",
    ),
    TimeRule(
        "state",
        "fr",
        r"""
où en (?:est|sont|sommes-nous|est-on|êtes-vous)\b(?:-nous|-on)?(?: (?:avec|sur|de|dans))?
(?:quel est |quelle est )?(?:le dernier état|l['’]état actuel|la situation actuelle|le statut(?: actuel)?|l['’]état|l['’]avancement)(?: (?:de|du|des|d['’]|sur))?\b
(?:y a-t-il |des |du |quoi de )?(?:nouveau|nouvelles|progrès|avancées)\b(?: (?:sur|avec|pour|concernant))?
est-ce que\b(?=.*?\b(?:toujours|encore|enfin|déjà)\b)
""",
        "est sont sommes êtes état situation statut avancement nouveau nouvelles progrès avancées toujours encore enfin déjà dernier",
    ),
    TimeRule(
        "state",
        "ru",
        "(?:какое?в?[ао]? )?(?:последний|текущий) статус\nкак (?:обстоят дела|дела|продвигается)(?: с)?\nчто (?:нового|сейчас) (?:по|с)\nв каком состоянии",
        "последний текущий обстоят дела продвигается нового сейчас состоянии",
    ),
    TimeRule(
        "state",
        "zh",
        "最新(?:的)?(?:状态|进展|情况|消息)|(?:现在|目前)(?:怎么样|进展|什么情况)|进展(?:如何|怎么样)",
    ),
    # ---------------------------------------------------------------- what was being done
    TimeRule(
        "leave-off",
        "en",
        r"""
(?:what|which \w+) (?:were|was) <we> (?:last |just |still |in the middle of )?(?:doing|working on|busy with)\b
""",
        "doing working busy",
    ),
    TimeRule(
        "leave-off",
        "de",
        r"woran (?:haben|hatten|habe) (?:wir|ich)\b(?=.*?\bgearbeitet\b)",
        "woran gearbeitet",
    ),
    # ---------------------------------------------------------------- no more than a date
    TimeRule(
        "when",
        "en",
        r"(?:when|(?:on|in) (?:what|which) (?:day|date|month|year|week))\b(?= (?:did|was|were|have|has|had)\b)",
        "when what which",
    ),
    TimeRule(
        "when",
        "de",
        r"(?:wann|an welchem tag|in welche[mr] (?:monat|jahr|woche))\b",
        "wann welchem welcher",
    ),
    TimeRule(
        "when",
        "es",
        r"(?:cu[aá]ndo|(?:en )?qu[eé] (?:d[ií]a|fecha|mes|a[nñ]o))\b",
        "cuando cuándo qué que",
    ),
    TimeRule(
        "when",
        "fr",
        r"(?:quand|(?:à|en) quelle (?:date|année)|quel (?:jour|mois))\b",
        "quand quelle quel",
    ),
    TimeRule("when", "ru", "когда", "когда"),
    TimeRule("when", "zh", "什么时候|何时|哪一?[天年月]"),
)

PAST = {
    "en": r"(?:did|was|were|had|broke|went|came|took|made|got|ran|said|fell|began|found|wrote|chose|lost|looked|agreed|happened|has been|have been)\b|(?<!\bbe )(?<!is )(?<!are )(?<!get )(?<!gets )\b\w+(?<!e)ed\b",
    "de": r"(?:habe|haben|hat|hatte|hatten|war|waren|wurde|wurden|gab|lief|liefen|passiert|ging|kam|fiel|fing|begann|hieß)\b|\w{3,}te[nt]?\b",
    "es": r"\w*(?:amos|imos|emos|aba|ía|ian|ían|aban|aron|ieron|ó|io)\b|(?:ha|han|fue|era|hizo)\b",
    "fr": r"(?:avons|avions|était|étaient|étions|a|ont|fait|utilisait|utilisions)\b|\w+ions\b",
    "ru": r"\w+(?:ли|ло|ла)\b",
}
"""What a question has that asks for what was; others ask for a rule ("which checks run before the
merge?")."""

RULED = {
    "en": r"(?:should|shall|will|can|could|must|may|do|does|(?:has|have|need|needs) to)\b",
}
"""What begins a clause that asks for what is done, or has to be, whatever was comes behind it."""

DECIDED = (
    r"what (?:did|have|had) (?:we|i|you) (?:\w+ ){0,2}?(?:decide|settle|agree|conclude)d?\b",
    r"what was (?:the|our) (?:final )?(?:decision|conclusion|verdict|outcome)\b|where did we land (?:on|with)\b",
    r"was haben wir\b(?=.*?\b(?:entschieden|beschlossen|vereinbart|festgelegt|ausgemacht)\b)",
    r"qu[eé] (?:decidimos|acordamos|resolvimos)\b",
    r"qu['’](?:avons-nous|a-t-on|est-ce qu['’]on a) (?:décidé|convenu)\b|что мы (?:решили|договорились)",
    r"决定了什么|(?:我们)?(?:怎么|如何)决定",
)
"""What asks for a decision: how a conversation ended tells it."""

LEAD = r"""(?:^|.*[.?!:;,—–(]|.*\s-) ?["“¿¡]?(?:(?:so|ok|okay|hey|and|but|also|then|well|please|again|exactly|bitte|und|aber|y|pero|et|oye|por favor|in|on|at|the|our|my|for|from|en|de|a)\s){0,3}(?:(?:can|could|would) you |please )?(?:(?:tell|remind|show) (?:me|us) (?:of |about )?|do (?:you|we) (?:know|remember|recall) |i (?:forgot|forget|wonder) |weißt du (?:noch )?|sag mir |recuerdas |dime |tu te souviens )?$"""
"""What may stand before a rule that matches: a clause begins there. What something was before or
after may stand anywhere."""

OURS = (
    r"(?:we|us|our|ours|with you|did you|hast du|wir|uns|unser\w*|nosotros|nos|nuestr\w+|nous|notre|nos|мы|нас|нам)",
    r"(?:hablamos|hicimos|decidimos|dejamos|quedamos|trabajamos|tocamos|usamos|cambiamos)",
)
"""Words of a question that is about what was said or done together."""

DONE = r"\b(?:did|have|had|was|were|habe|hatte|war) (?:i|you|we|ich|du|wir) \w"
"""What asks for what somebody did."""

HAPPENS = (
    r"(?:take|taken|took) place|happen(?:ed)?|occur(?:red)?",
    r"stattgefunden|statt|passiert|tuvo lugar|ocurri[oó]|(?:a eu|avoir) lieu|произошло|состоялось",
)
"""Verbs that say no more than that something was, at the end of a question that asks when."""

USED = (
    r"use|used|using|(?:did|do) \w+ have|who",
    r"einsatz|(?:be)?nutz\w+|(?:be|ge)nutzt|verwend\w+|wer|us[aá]\w+|qui[eé]n|utilis\w+|qui",
)
"""Words of a question for what or whom something took the place of, or gave way to: what was done
at the time does not answer it."""

EMPTY = {
    "en": """
s what which who whom whose where when how why did do does done doing had have has having was were is
are be been being am we i you us our my me your they them it its the a an this that these those and
or of on in at about with for to from by into regarding concerning as up down out over off there so
thing things stuff matter matters something anything everything time times day days ever again last
lately first originally then now currently today please remind all some any get got going go went
far just still yet already together topic subject problem problems mentioned discussed happened
against tried come came work works working busy achieve achieved accomplished
""",
    "de": """
was wer wem wen wo wie wann warum welche welcher welches welchen haben habe hast hat hatte hatten
sind ist war waren wurde wurden worden wird werden wir ich du ihr uns man es der die das den dem des
ein eine einen einem einer und oder über mit bei beim von vom zu zum zur im in an am auf aus für um
nach gesprochen geredet diskutiert besprochen erwähnt gearbeitet gemacht getan beschäftigt angefasst
angesehen entschieden beschlossen geändert passiert aufgekommen aufgetaucht eingeführt angefangen
begonnen gestartet sache sachen dinge thema problem schon noch eigentlich
denn mal bisher jetzt gerade aktuell derzeit heute alles etwas stand weiter weitermachen womit woran
vorbereitet benutzt genutzt verwendet gewesen geworden
""",
    "es": """
qué que quién quien dónde donde cuándo cuando cómo como cuál cual hemos ha han había fue fueron era
es son está están estaba nos nosotros el la los las lo un una y o de del al con en por para sobre se
su nuestro nuestra hablamos hablado discutimos mencionamos mencionado trabajamos trabajado hicimos
hice hecho decidimos decidido cambiamos usamos usábamos tratamos tocamos vimos pasó empezamos empezó
comenzamos apareció cosa cosas tema asunto problema vez veces todo algo
ya ahora actualmente va van durante
""",
    "fr": """
qui que quoi quand où comment quel quelle avons avez ont ai était étions est sont nous on je il elle
le la les l un une et ou de du des d au aux avec dans en sur pour par ce cette parlé discuté a t y
mentionné travaillé fait décidé changé utilisé vu session discussion chose choses sujet problème
avons-nous qu'avons-nous qu'a-t-on a-t-on a-t-elle a-t-il est-il est-elle
""",
    "ru": """
что кто где когда как мы я вы это на в во с со о об по у для и или был была было были обсуждали
говорили упомянули делали работали решили сессия
""",
    "zh": "我们 什么 的 了 在 是 我 关于 讨论 说 做 过 吗",
}

VERBS = {
    "en": """
work worked working talk talked talking discuss discussing discussion mention speak spoke spoken
bring brought come came raise raised turn turned touch touched look looked deal dealt see saw seen
say said tell told use used change changed decide decided agree agreed happen happening start
started begin began begun introduce introduced adopt adopted try chat gone broke break wrong follow
followed
""",
}
"""Those that name none at the beginning alone: "the talk" may be what is asked about."""

ENDS = {
    "en": "session sessions conversation conversations",
    "de": "sitzung sitzungen gespräch gespräche",
    "es": "sesión sesiones conversación",
}
"""Those that name none at the end alone: so may "the session store"."""

ASIDE = (
    r"(?:for )?the (?:very )?(?:first|last) time|at first|most recently|last time|these days|nowadays",
    r"(?<!at )(?:first|last)(?= (?:fail|break|broke|come|came|bring|brought|raise|suggest|appear|happen|discuss|mention|use|talk|look|touch|see|saw|hit|work)\w*)",
    r"(?:is|are) (?:currently |now )?(?:live|in production|in use|in force|in place|running|active|deployed|installed)(?= ?[?.!]*$)",
    r"at the moment|as of (?:now|today)|right now|by now|in the meantime|previously|so far|to date",
    r"zum (?:aller)?ersten mal|zum letzten mal|(?:das|beim) (?:erste|letzte)n? mal|letztes mal|zuerst|erstmals",
    r"zuletzt|ursprünglich|stehen ?geblieben|hängen ?geblieben|aufgehört|inzwischen|mittlerweile|überhaupt",
    r"por (?:vez )?primera(?: vez)?|por [uú]ltima vez|la (?:primera|[uú]ltima) vez(?: que)?|hasta ahora",
    r"(?:lors de|pendant|dans|durant|de) (?:la|notre) (?:dernière|précédente) (?:session|séance|conversation|discussion|réunion)",
    r"(?:pour )?la (?:première|dernière) fois|jusqu['’]ici|en ce moment|впервые|в (?:последний|прошлый|первый) раз",
    r"(?:in|during|of|from|at) (?:the|our|my) (?:very )?(?:last|latest|previous|most recent) (?:session|conversation|chat|meeting)",
    r"(?:in|bei|während) (?:der|unserer|meiner) (?:letzten|vorigen|jüngsten) (?:sitzung|session|besprechung|unterhaltung)|im letzten gespräch",
    r"(?:en|de|durante) (?:la|nuestra) (?:[uú]ltima|anterior) (?:sesi[oó]n|conversaci[oó]n|charla|reuni[oó]n)",
    r"(?:en|de|durante) (?:la|nuestra) (?:sesi[oó]n|conversaci[oó]n|charla|reuni[oó]n) (?:anterior|pasada)",
    r"next time|(?:beim|das) nächste[ns]? mal|la pr[oó]xima vez|上次|第一次|最近|目前|现在",
)
