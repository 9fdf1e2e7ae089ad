r"""What is known about statements and their changes: data, read by ``claims.py``, ``conflict.py``
and ``standing.py``.

Words are folded (no accents, lower case). In patterns a space is a space, ``§`` is the subject of
the clause, and what follows a matched pattern is the value, up to the next word of ``STOPS``. The
tables are about the world (where people live, what they use, how things end), in English with
the commonest cues of German and Spanish.
"""

# ruff: noqa: E501  a table reads better with its long rows

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from recollect.text.terms import stem

# From here on tables of words, several on a line.
# fmt: off


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ------------------------------------------------------------------ words

ME = _set("i we ich wir yo nosotros nosotras")
I_DO = _set(
    "vivo vivimos trabajo trabajamos uso usamos fumo bebo como tengo tenemos soy somos estoy prefiero conduzco hablo estudio juego deje dejamos vendi cancele cambie cambiamos me nos ya"
)
"""Words that say "I" or "we" without a pronoun."""
MY = _set(
    "my our mein meine meinen meinem meiner unser unsere unseren unserem mi mis nuestro nuestra nuestros nuestras"
)
PRONOUNS = _set(
    "he she they it his her their its this that these those there er sie es el ella ellos ellas"
)
ARTICLES = _set(
    "a an the der die das den dem des ein eine einen einem einer el la los las un una unos unas"
)
JOINS = _set("and but so und aber y pero while whereas")
BEGINS = ME | MY | _set("the he she they it his her their there")
ORDERS = _set("do never always please avoid use prefer run nie immer nunca siempre")
"""Words that begin an order."""
OPENERS = _set(
    "so well yes no ok okay actually currently recently then today and but oh also still however since finally just unfortunately instead eventually , derzeit aktuell inzwischen mittlerweile actualmente ahora"
) | {"now"}
ADVERBIAL = _set(
    "on in at as following after during since with to from due because for last this by starting effective when once nach seit am im desde en tras before"
)
QUALIFIERS = _set(
    "new current old own former previous latest neue neuer aktuelle nuevo nueva actual"
)
FILLERS = ARTICLES - {"el"} | _set(
    "really very just currently actually basically definitely simply please now nowadays already still also indeed again certainly quite our 's that derzeit aktuell momentan wirklich auch actualmente ahora tambien"
)
"""Words that make no difference between two statements that are otherwise the same."""

PERSONS = _set("""
mother mom mum dad father parent brother sister sibling son daughter child kid wife husband spouse partner girlfriend boyfriend fiance fiancee
uncle aunt cousin nephew niece grandmother grandma grandfather grandpa friend neighbor neighbour colleague coworker boss manager teammate
roommate flatmate landlord tenant teacher doctor dentist therapist trainer coach lawyer client customer student mentor dog cat puppy kitten pet horse
mutter vater bruder schwester sohn tochter kind frau mann freund freundin nachbar nachbarin kollege kollegin chef chefin hund katze
madre padre hermano hermana hijo hija esposa marido novio novia amigo amiga vecino vecina jefe jefa perro gato
""")

NUMBERS = {
    word: str(number)
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
        "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split())
    if word != "once"
} | {
    word: str(10 * number)
    for number, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)
}
ORDINALS = {
    word: str(number)
    for names in ("first second third fourth fifth sixth seventh eighth ninth tenth", "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
                  "ersten zweiten dritten vierten funften sechsten", "primer segundo tercer cuarto quinto sexto")
    for number, word in enumerate(names.split(), 1)
}
WEEKDAYS = {
    word: names.split()[0]
    for names in (
        "mon monday mondays montag montags lunes", "tue tues tuesday tuesdays dienstag dienstags martes",
        "wed wednesday wednesdays mittwoch mittwochs miercoles", "thu thurs thursday thursdays donnerstag donnerstags jueves",
        "fri friday fridays freitag freitags viernes", "sat saturday saturdays samstag samstags sabado", "sun sunday sundays sonntag sonntags domingo",
    )
    for word in names.split()
}
WEEKDAYS.pop("sun")
WEEKDAYS.pop("sat")
MONTHS = {
    word: names.split()[0]
    for names in (
        "jan january januar enero", "feb february februar febrero", "mar march marz marzo", "apr april abril", "may mai mayo",
        "jun june juni junio", "jul july juli julio", "aug august agosto", "sep sept september septiembre",
        "oct october oktober octubre", "nov november noviembre", "dec december dezember diciembre",
    )
    for word in names.split()
    if word not in ("mar", "march")
}
PLURALS = {
    "children": "child",
    "people": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "mice": "mouse",
}
UNITS = {
    word: names.split()[0]
    for names in (
        "second s sec secs seconds sekunde sekunden segundo segundos", "ms millisecond milliseconds", "minute min mins minutes minuten minuto minutos",
        "hour h hr hrs hours stunde stunden hora horas", "day d days tag tage dia dias", "week w weeks woche wochen semana semanas",
        "month months monat monate mes meses", "year yr yrs years jahr jahre ano anos", "$ dollar dollars usd bucks", "€ euro euros eur",
        "£ pound pounds gbp", "% percent pct percentage prozent", "gb gib gigabyte gigabytes", "mb mib megabyte megabytes", "tb terabyte",
        "km kilometer kilometre kilometers kilometres", "kg kilo kilos kilogram", "mile miles mi", "time times mal vez veces",
    )
    for word in names.split()
}
NO_UNITS = _set(
    "per every each daily weekly monthly nightly now instead utc gmt cet est pst anymore today"
)
WHEN = _set(
    "in on since from until till by of as during before after around seit im am ab bis en desde hasta"
)
NO_NAMES = (
    ME
    | MY
    | _set(
        "anything nothing everything something anyone nobody everyone every each all any no on as following the a an we after during with to from"
    )
    | set(MONTHS)
    | set(WEEKDAYS)
)

_VERBS = """
be is are am was were been has have had do does did will would can could should may might must shall
live reside stay work use run drive ride cycle bike walk commute take go come eat drink smoke study attend learn teach speak play sing
like love enjoy prefer hate dislike want need wish hope own rent lease charge cost pay earn weigh measure wear read write watch listen
train exercise practice lift swim sleep wake get become turn grow keep hold contain include support allow require expect accept return revert
start begin end finish close open stop quit leave join move relocate switch change migrate convert upgrade downgrade replace swap trade sell buy
purchase adopt give cut drop cancel raise increase lower reduce decrease cap set limit extend shorten rename rebrand call name promote deploy ship
release publish send store retain expire last happen occur meet host serve handle manage lead report belong depend default point route connect
land sit stand lie lay break split divorce marry die pass retire resign graduate pivot merge acquire roll fail activate enable disable turn pin
log pull push bump drain load fetch poll sync scan trigger alert page notify post deliver consume produce group exclude mark begin
moved prefer standardise standardize know see think believe say said told tell visit bake cook paint build found shoot code program develop
travel step seat fit cover design consume avoid grant deprecate retry time bill process receive respond save back apply appear remain stay
lebe lebt leben wohne wohnt wohnen arbeite arbeitet arbeiten heisst heisse nutze nutzt nutzen benutze verwende verwenden verwendet fahre fahrt trinke trinkt esse isst
ist sind war waren bin habe hat haben wird werden wurde zog ziehe umgezogen gewechselt lauft laufen kostet betragt liegt mag liebe bevorzuge spiele rauche
vivo vive viven vivimos trabajo trabaja trabajamos uso usa usamos conduzco bebo bebe como come es son soy era fue estoy esta tengo tiene prefiero me se deje cambie cambiamos mude vendi cuesta
"""
_PAST = """
left went ran drove rode took came ate drank taught spoke sang wore wrote slept woke got became grew kept held began quit gave given gotten chose
sold bought paid led met sent stood sat lay lain broke broken split lost found built shot told said knew saw thought made put let rose fell won
set hit cut shut upped spent swam taken gone driven eaten drunk written spoken worn begun grown known seen
"""


@cache
def verbs() -> frozenset[str]:
    """Verbs that statements turn on, in the forms that statements use."""
    found = set(_VERBS.split()) | set(_PAST.split())
    for base in _VERBS.split():
        if base.endswith("e"):
            found |= {base + "s", base + "d"}
        elif base.endswith("y") and base[-2] not in "aeou":
            found |= {base[:-1] + "ies", base[:-1] + "ied"}
        elif base.endswith(("s", "sh", "ch", "x", "z", "o")):
            found |= {base + "es", base + "ed"}
        else:
            found |= {base + "s", base + "ed", base + base[-1] + "ed"}
    return frozenset(
        found
        - _set(
            "times backs lasts page pages times time bills bill lays stores store mark name names post posts log logs code program page group groups as host hosts report reports process processes design lead leads end load loads poll polls"
        )
    )


PAST = _set(_PAST) | _set("was were had did used")

BEING = _set("is am are was were be been")
AUXILIARY = BEING | _set("§ have has had do does did not now just only never always will can")
NO_VERBS = _set(
    "no do does am is are can have has did instead in kein keine keinen ya statt anstatt von vom en"
)
"""First words of an end that are no participles."""
ENDED_BY_FEELING = _set("tired fed cured")
ANYBODY = _set(
    "it them that this one anything nothing everything something anyone nobody everyone someone"
)
NO_OBJECTS = ANYBODY | _set("1 job company using eating drinking thing things")
"""Words that do not tell what a statement is about."""
NOT_IN_USE = _set("hate dislike allergic also sometimes occasionally")
ANYTHING = BEING | _set("have has do does use go goe get take run work buy make")
"""Verbs that do not tell what is done."""
COUNTED = _set("have has own owns manage manages speak speaks employ employs")
HANDLED = _set("get take keep buy")
HAVE = _set("have has own owns")
LIKED = _set("like love enjoy")
NO_PURPOSE = _set("work stuff thing everyth everyday new day job")


@cache
def used() -> frozenset[str]:
    """Verbs of having a thing in use, stemmed."""
    return frozenset(map(stem, _USED.split()))


_USED = """
use love like enjoy prefer drink drive own ride take bike cycle walk do run play practice train shoot write code watch listen read go
commute have wear eat swim lift subscribe pay bank shop host build deploy keep store invest save uso usamos nutze nutzen verwende verwenden trinke fahre
"""

ACQUIRED = _set("bought got adopted joined subscribed purchased leased")
"""Verbs of the past that tell what one has."""

# ------------------------------------------------------------------ cues

ALSO = r"\b(?:also|additionally|another|besides|as well|in addition|on top of|along with|alongside|a second|a third|a fourth|in parallel|plus|added|adding|auch|ausserdem|zusatzlich|noch ein(?:e|en)?|zudem|sowohl|tambien|ademas|otro|otra)\b|\btoo$|\btoo ,"
UNREAL = r"\b(?:wish(?:es)?|wants? to|would|might|could|maybe|perhaps|hop(?:e|es|ing) to|plan(?:s|ning)? (?:to|on)|consider(?:s|ing)?|thinking (?:of|about)|dream(?:s|ing)? of|going to|will|if|unless|whether|propos(?:e|es|ed|al)|suggest(?:s|ed)?|ask(?:s|ed)|almost|nearly|tried|trying|want|need to|next (?:year|month|week|quarter)|someday|mochte|wurde gern|vielleicht|konnte|wunsche|falls|quiero|quizas|tal vez|quisiera|me gustaria)\b"
WAS = r"\b(?:used to|back then|back when|as a (?:kid|child|teen|teenager|student|boy|girl)|when (?:i|we) (?:was|were)|growing up|grew up|in (?:my|our) (?:youth|childhood|twenties|teens)|previously|formerly|originally|once|in the past|years ago|fruher|damals|als kind|ehemals|antes|de nino|de nina|solia|anteriormente)\b"
ADVERBS = r"\b(?:now|just|currently|recently|finally|actually|already|still|also|jetzt|nun|inzwischen|wieder|derzeit|gerade|ahora|actualmente|ya(?! no))\b "
NOW = r"\b(?:now|nowadays|these days|any ?more|from now on|as of|jetzt|nun|inzwischen|mittlerweile|neuerdings|nur noch|ab jetzt|ahora|actualmente|hoy en dia)\b"
ONLY = r"\b(?:only|exclusively|entirely|solely|completely|fully|strictly|nothing but|all my|everything|nur|ausschliesslich|komplett|solo|solamente|unicamente|exclusivamente|por completo)\b"
NOT = r"\b(?:not|never|no longer|neither|nor|without|nicht|nie|niemals|kein(?:e|en|em|er)?|nunca|jamas|no|ya no|none|nobody|nothing|cease[sd]?|hardly|barely)\b"

SCOPES = r"""\b(?:on (?:the )?(?:weekends?|weekdays?|holidays?|vacation|\w+days?(?: (?:nights?|mornings?|evenings?|afternoons?))?)|at (?:work|home|night|school|parties|the office|weekends)|in the (?:mornings?|evenings?|afternoons?|summer|winter|office|car|gym|shower|field)
|in (?:staging|production|prod|dev|development|testing|summer|winter|spring|autumn|ci)|for (?:a|the|one|this|next|another|\d+)(?: next)?(?: \d+)? (?:day|night|week|month|weekend|semester|while|moment|summer)s?|for (?:lunch|breakfast|dinner|lent|now|kids|once)
|sometimes|occasionally|temporarily|tonight|yesterday|today|last night|this (?:morning|week|weekend|evening)|when(?:ever)?|while|during|except|(?:after|before) \d+(?::\d+)? ?(?:am|pm)|with (?:my|our) \w+|some of|one of|half of|most of|part of|at least
|am wochenende|bei der arbeit|zu hause|manchmal|gestern|heute|los fines de semana|en casa|en el trabajo|a veces|ayer|hoy)\b"""
"""Words that limit a statement to a part of the time or of the places."""
MOMENTS = r"^(?:yesterday|today|tonight|last night|this \w+|during|when|while|with my \w+|with our \w+|on (?:the )?\w+day|on vacation|gestern|heute|ayer|hoy)$"
"""Those that are a moment."""

STOPS = _set("""
, and but because since as while so after before until when where who which that with for from last this next now in at on by to during though although if
instead entirely completely fully permanently recently again anymore today yesterday daily weekly every each per about ago due rather than or via
mehr nicht auf nach gekundigt verkauft verlassen aufgegeben abgeschafft ersetzt umgestiegen gewechselt durch und aber weil seit als damit nachdem bevor jetzt letzte letzten letztes diese heute wegen mit fur von vom im am y pero porque desde ahora este esta hace con para por hoy
""")
BEFORE_VALUES = (
    ARTICLES
    | MY
    | _set("at in for to with on from of by into as new § bei in im an zu en a con de")
)
CUES = _set("""
mehr kein keine keinen nicht now also too only still anymore again instead entirely exclusively completely fully no not never longer just new current currently previous old
moved moving switched changed migrated replaced stopped quit gave given left sold canceled cancelled dropped started began returned reverted back
last week month year day ago morning mornings evening night nights time weeks months years days everyday mostly every each daily weekly nightly use uses used using is are was has have had got get went go be been am will would
""")

# ------------------------------------------------------------------ attributes of which one value holds


class Attribute(NamedTuple):
    """Something of which an owner has one value at a time."""

    name: str
    states: tuple[str, ...]
    """What is said before the value that holds."""
    changes: tuple[str, ...] = ()
    """What is said before the value that it changed to."""
    hints: tuple[str, ...] = ()
    """What tells the value that holds in passing: it can be superseded, and supersedes nothing."""
    proper: bool = False
    """Its values are names."""
    place: bool = False
    """Its values are no tools: one moves to Lisbon, and to Postgres in another sense."""
    one: bool = True
    """Another value excludes the first, also where nothing is said of a change."""


ATTRIBUTES = (
    Attribute(
        "residence",
        (r"§ (?:am |is |are )?(?:liv(?:e|es|ing)|resid(?:e|es|ing)|based|settled|staying) in",
         r"§ (?:wohn(?:e|t|en)|leb(?:e|t|en)) in", r"(?:§ )?viv(?:o|e|imos|en) en", r"(?:§ )?resid(?:o|e) en"),
        (r"§ (?:have |has )?(?:moved|relocated|emigrated|immigrated|moved back|moved over|resettled)(?: back)? to", r"(?:und |and )?(?:moved|relocated)(?: back)? to", r"§ bin nach", r"§ bin (?:\w+ )?nach", r"§ zog nach",
         r"(?:§ )?me (?:he )?mud(?:e|ado) a", r"(?:§ )?nos (?:hemos )?mud(?:amos|ado) a", r"(?:§ )?se mudo a"),
        (r"my (?:\w+ )?(?:home|flat|apartment|house|place|residence|wohnung|casa|piso) (?:is|ist|esta) in",),
        proper=True,
        place=True,
    ),
    Attribute(
        "employer",
        (r"§ (?:am |is |are )?(?:work|works|working|employed) (?:at|for)", r"§ (?:am|is) employed by", r"my employer is", r"§ arbeit(?:e|et) (?:bei|fur)", r"(?:§ )?trabaj(?:o|a) (?:en|para)"),
        (r"§ (?:have |has )?(?:joined|started at|started working at|started working for|got a job at|got hired by|got hired at|got hired|went to work for|accepted an offer from|took a job at|took a job with|took a role at|took a position at|moved to a job at)", r"to join", r"(?:and )?(?:now work|now works|joined|started) at",
         r"§ (?:have |has )?(?:started|begun|begin) (?:a |an |my |the )?(?:new )?(?:job|role|position) (?:at|with)", r"§ (?:habe|hat) (?:zu|bei)", r"my new (?:job|employer|company) is(?: at| with)?", r"(?:§ )?empece (?:a trabajar )?en"),
        proper=True,
    ),
    Attribute(
        "role",
        (r"§ (?:am |is |are )?(?:work|works|working) as", r"my (?:job|role|position|title|job title|profession|occupation|beruf|puesto) is", r"§ arbeit(?:e|et) als", r"(?:§ )?trabaj(?:o|a) (?:como|de)", r"§ serv(?:e|es) as"),
        (r"§ (?:was |were |got |have been |has been |am |is )?promoted to(?!.*\bteam\b)", r"§ (?:have |has )?(?:became|become)(?= (?:a|an|the|head|director|manager|lead|chief|team|vp|ceo|cto)\b)", r"my new (?:job|role|position|title) is", r"§ (?:moved|pivoted|transitioned|switched) (?:in)?to (?:a |an )?(?=.*\b(?:role|position|leadership|management|job)\b)",
         r"§ (?:was |bin |ist |wurde )?zum (?:befordert)?", r"(?:§ )?me ascendieron a"),
        (r"§ (?:am|is) (?:an?|the) (?=(?:\w+ ){0,3}(?:engineer|developer|designer|manager|teacher|nurse|lawyer|analyst|consultant|writer|editor|director|lead|accountant|chef|professor|researcher|architect|scientist|technician|assistant|intern|programmer|journalist)\b)",),
    ),
    Attribute(
        "attendance",
        (r"§ (?:go|goes) to", r"§ (?:attend|attends)", r"§ stud(?:y|ies) at", r"§ (?:am|is|are) (?:enrolled|a student) (?:at|in)"),
        (r"§ (?:have |has )?(?:switched|transferred|changed) to",),
        proper=True,
        place=True,
        one=False,
    ),
    Attribute(
        "commute",
        (r"§ (?:\w+ )?commut(?:e|es) by", r"§ (?:get|go|come|travel)s? to (?:work|the office|school) by", r"§ fahr(?:e|t) mit (?:dem|der) (?=.*arbeit)"),
        (r"§ (?:switched|changed) to commuting by",),
    ),
    Attribute(
        "study",
        (r"§ (?:am |is |are )?(?:stud(?:y|ies|ying)|major(?:s|ing) in|majoring in|enrolled in)", r"my major is", r"§ studier(?:e|t)", r"(?:§ )?estudi(?:o|a)"),
        (r"(?:switched|changed) my (?:major|degree|course|studies)(?: from .+?)? to", r"switched to studying"),
        one=False,
    ),
    Attribute(
        "venture",
        (r"§ (?:am |is |are )?(?:building|founding|launching|bootstrapping)",),
        (r"§ (?:have |has )?pivoted to(?!.*\brole\b)",),
        one=False,
    ),
    Attribute(
        "age",
        (r"§ (?:am|is|are|bin|ist) (?=\d+ (?:years?|jahre|months?)(?: old| alt)?\b)", r"§ (?:am|is|are) (?=1?\d?\d$)", r"my age is", r"(?:§ )?teng?o (?=\d+ anos)", r"(?:§ )?tiene (?=\d+ anos)"),
        (r"§ (?:have |has )?(?:\w+ )?turned (?=\d)", r"§ (?:have |has )?(?:\w+ )?turns (?=\d)", r"(?:§ )?cumpli (?=\d)", r"§ (?:bin|ist|wurde) (?=\d+ (?:geworden|jahre))"),
    ),
    Attribute(
        "weight",
        (r"§ weighs? (?=\d)", r"§ (?:wiege|wiegt) (?=\d)", r"(?:§ )?peso (?=\d)"),
        (r"(?:down|up) to (?=\d+ ?(?:kg|kilos?|pounds|lbs))",),
    ),
)

STATUSES = {
    "relationship": {
        "single": r"(?:am|is) (?:currently )?(?:single|unmarried|ledig)|(?:bin|ist) (?:single|ledig)|soy solter[oa]|(?:is|became|am) single again",
        "dating": r"(?:am|is|are|started|began) (?:seeing|dating)|in a relationship|have a (?:girlfriend|boyfriend|partner)|got together with|in einer beziehung",
        "engaged": r"(?:am|is|are|got|became) engaged|proposed and .* said yes|verlobt|comprometid[oa]",
        "married": r"(?:am|is|are|got|have been) (?:happily )?married|tied the knot|§ married|(?:bin|ist|habe|hat) (?:verheiratet|geheiratet)|(?:estoy|me) (?:casad[oa]|case)",
        "separated": r"broke up|split up|(?:am|is|are|got|have) separated|called off (?:the|our|my) (?:engagement|wedding)|getrennt|ended (?:our|my|the) relationship|(?:dumped|broke up with)|rompimos|terminamos",
        "divorced": r"(?:am|is|are|got|finalized) (?:my |our |a |the )?divorced?|geschieden|divorciad[oa]|me divorcie",
        "widowed": r"(?:am|is|became) (?:a )?(?:widow|widower|widowed)|verwitwet|viud[oa]",
    },
    "employment": {
        "freelance": r"(?:am|is|work|works|working|went|became|turned) (?:as )?(?:an? )?(?:freelanc(?:e|er|ing)|self-employed|independent contractor|contractor|consultant)|(?:run|runs|started) my own (?:\w+ )?(?:business|company|studio|shop|firm|agency|practice|consultancy|startup)|(?:selbststandig|freiberuflich|autonom[oa])",
        "employed": r"(?:took|got|accepted|started|landed|have|has|found|in) (?:a |an |my )?(?:new )?(?:full-time|permanent|salaried) (?:role|job|position)|work full-time for",
        "at a company": r"§ (?:am |is )?(?:work|works|working) (?:at|for) ",
        "unemployed": r"(?:quit|left) my (?:\w+ )?job\b|(?:am|is|became) (?:\w+ )?(?:unemployed|jobless|out of work|between jobs|laid off|looking for (?:a )?(?:job|work))|(?:was|got|were) (?:laid off|fired|made redundant)|lost my job|arbeitslos|desemplead[oa]",
        "retired": r"(?:am|is|are) (?:now )?retired|§ (?:have |has )?retired(?= (?:last|in|from|early|this)\b|$)|in rente|jubilad[oa]|me jubile",
    },
    "switch": {
        "on": r"^(?:§|my [\w -]+?) (?:is|are|was|were|got) (?:\w+ly )?(?:enabled|on|turned on|switched on|active|activated|aktiviert|activado)$",
        "off": r"^(?:§|my [\w -]+?) (?:is|are|was|were|got) (?:\w+ly )?(?:disabled|off|turned off|switched off|inactive|deactivated|deaktiviert|desactivado)$",
    },
    "workplace": {
        "home": r"(?:work|works|working) (?:\w+ )?(?:from home|remote(?:ly)?)|(?:went|am|is|are) (?:\w+ )?(?:fully )?remote|(?:im )?homeoffice|teletrabajo",
        "office": r"(?:go|goes|going|went|am|is|work|works) (?:back )?(?:in(?:to)?|to|at|from) (?:the |an |my |our )office|return(?:ed)? to the office|(?:in|on)-site full-time|ins buro|a la oficina",
    },
    "pregnancy": {
        "pregnant": r"(?:am|is) (?:\w+ ){0,2}(?:pregnant|expecting)|schwanger|embarazada",
        "born": r"gave birth|had (?:the|our|my|a) baby|(?:baby|son|daughter|twins) (?:was|were|is|are) born|miscarr(?:ied|iage)|entbunden|di a luz",
    },
    "diet": {
        "vegan": r"(?:am|is|are|went|became|turned|go|eat|eats|strict|gone|bin|ist|soy) (?:an? )?(?:\w+ )?(?:vegan[oa]?)|vegan diet|lebe vegan",
        "vegetarian": r"(?:am|is|are|went|became|turned|go|gone|strict|bin|ist|soy) (?:an? )?(?:\w+ )?(?:vegetari(?:an|er(?:in)?|sch|an[oa]))|vegetarian diet",
        "pescatarian": r"(?:am|is|are|went|became|turned|go) (?:an? )?(?:\w+ )?(?:pescatarian|pescetarian)",
        "meat": r"(?:eat|eats|eating|enjoy|love|like|esse|isst|como) (?:\w+ )?(?:meat|beef|steaks?|chicken|pork|bacon|burgers?|fleisch|carne|everything)|(?:am|is) (?:an? )?(?:omnivore|carnivore|meat[- ]eater)|carnivore diet",
        "dairy": r"(?:eat|eats|eating|consume|drink|have|love) (?:\w+ )?(?:dairy|cheese|milk|eggs|yogurt)",
        "fish": r"(?:eat|eats|eating|love|enjoy) (?:\w+ )?(?:fish|sushi|salmon|tuna|seafood)",
    },
    "health": {
        "hurt": r"(?:broke|injured|sprained|tore|fractured) my \w+|(?:am|is) (?:sick|ill|injured)|have (?:the flu|covid|a cold)",
        "well": r"(?:have |has )?(?:fully |completely )?(?:recovered|healed)\b|back to normal|cast (?:came|is) off",
    },
    "degree": {
        "student": r"(?:am|is) (?:still )?(?:an? )?(?:\w+ )?student|§ (?:am |is )?stud(?:y|ies|ying) (?!for\b)",
        "graduate": r"§ (?:have |has )?(?:\w+ )?graduated|(?:finished|completed|got) my (?:\w+ )?(?:degree|studies)|studium abgeschlossen|me gradue",
    },
    "licence": {
        "none": r"(?:do|does|have|has) (?:not|never) (?:have|had|got) (?:a |my )?(?:driver 's |driving )?licen[cs]e|can not drive$",
        "licensed": r"(?:got|have|passed) (?:a |my |the )?(?:driver 's |driving )(?:licen[cs]e|test)",
    },
    "smoking": {
        "smoker": r"(?:§ |^)(?:smoke|smokes|vape|rauche|fumo)\b|(?:am|is) (?:an? )?(?:\w+ )?smoker|started smoking",
        "non-smoker": r"(?:quit|stopped|gave up|given up) (?:smoking|cigarettes|vaping|nicotine)|(?:am|is) (?:an? )?(?:non-?smoker|smoke-free|ex-smoker)|(?:do|does) not smoke|aufgehort zu rauchen|deje de fumar|rauche nicht",
    },
    "drinking": {
        "drinker": r"(?:drink|drinks|enjoy|love|like|have|having) (?:\w+ ){0,3}(?:beers?|wine|whisk(?:e)?y|gin|cocktails?|vodka|rum|alcohol|bier|wein|cerveza|vino)",
        "sober": r"(?:quit|stopped|gave up|given up|cut out|swore off|avoid|avoiding) (?:drinking$|drinking (?:alcohol|entirely|altogether|completely)|alcohol|booze)|(?:am|is|got|became|went|been) (?:\w+ )?(?:sober|teetotal)|(?:do|does) not drink(?: alcohol| any ?more)?$|trinke keinen alkohol|deje el alcohol",
    },
    "chronotype": {
        "owl": r"night (?:owl|person)|nachteule|nachtmensch",
        "lark": r"morning person|early (?:bird|riser)|fruhaufsteher|madrugador",
    },
    "housing": {
        "rents": r"§ (?:\w+ )?(?:rent|rents|renting|miete|alquilo)(?: (?:a|an|my|our|the|eine|un))?(?: \w+)? (?:apartment|flat|house|room|place|home|condo|wohnung|piso)\b",
        "owns": r"(?:bought|closed on|purchased|own|owns) (?:a|my|our|the|an) (?:\w+ )?(?:house|home|apartment|flat|condo|place)|haus gekauft|compre una casa",
    },
    "living with": {
        "alone": r"(?:live|lives|living) (?:alone|by myself|on my own)|wohne allein|vivo sol[oa]",
        "others": r"moved in (?:together|with)|(?:live|lives|living) with (?:my|a|his|her|two|three|\d)|(?:boyfriend|girlfriend|partner|roommate|mother|father|brother|sister) moved in",
    },
}
"""For each attribute its values that exclude each other, each with what says it."""

EXCLUDES = {
    "relationship": {
        "single": _set("dating engaged married"),
        "dating": _set("single engaged married separated divorced"),
        "engaged": _set("single dating married separated divorced"),
        "married": _set("single dating engaged separated divorced widowed"),
        "separated": _set("dating engaged married"),
        "divorced": _set("married engaged separated"),
        "widowed": _set("married"),
    },
    "diet": {
        "vegan": _set("vegetarian pescatarian meat dairy fish"),
        "vegetarian": _set("vegan pescatarian meat fish"),
        "pescatarian": _set("vegan vegetarian meat"),
        "meat": _set("vegan vegetarian pescatarian"),
        "dairy": _set("vegan"),
        "fish": _set("vegan vegetarian"),
    },
    "employment": {
        "freelance": _set("employed unemployed retired"),
        "employed": _set("freelance unemployed retired"),
        "unemployed": _set("freelance employed") | {"at a company"},
        "retired": _set("freelance employed unemployed") | {"at a company"},
        "at a company": _set("unemployed retired"),
    },
}
"""Where not every two values of an attribute exclude each other."""

SINGLE = _set("""
address adresse anschrift email e-mail number telephone mobile phone handle username nickname name birthday age height weight size salary income rent price pricing fee rate cost budget mortgage
job title role position employer company boss manager supervisor landlord wife husband spouse fiance fiancee girlfriend boyfriend dentist doctor gp physician therapist psychiatrist cardiologist dermatologist pediatrician
accountant lawyer trainer barber hairdresser roommate car laptop phone watch bank insurer insurance provider carrier favorite favourite lieblingsfarbe hometown major school university college gym office desk
limit timeout ttl threshold quota capacity maximum minimum max min retention interval period cutoff deadline deadline window slot schedule time date day frequency version release build branch port host hostname url endpoint region zone cluster bucket
queue topic channel database db server provider default language locale timezone currency theme editor browser os shell framework library runtime license owner lead maintainer reviewer approver status state color colour password plan tier target goal
size count ratio level mode profile template schema tool gateway key format encoding strategy policy algorithm
""")
"""Nouns of which "my" or "the" means the only one."""


@cache
def singles() -> frozenset[str]:
    """The stems of ``SINGLE`` and ``ROLES``."""
    return frozenset(map(stem, SINGLE | ROLES))


ROLES = _set("""
boss manager supervisor landlord wife husband spouse partner fiance fiancee girlfriend boyfriend dentist doctor gp physician therapist psychiatrist cardiologist dermatologist pediatrician accountant lawyer trainer coach barber hairdresser roommate flatmate mentor teacher
ceo cto cfo president lead owner maintainer chair director captain principal editor chef vermieter zahnarzt zahnarztin hausarzt freundin jefe jefa dentista
""")
"""Single persons by what they are to somebody."""

MANY = _set("""
like likes love loves enjoy enjoys speak speaks know knows own owns have has play plays read reads watch watches visit visits visited support supports include includes contain contains attend attends hate hates dislike
recommend recommends mention mentions met meet meets collect collects learn learning learns been eat eats ate saw bought
mag liebe spreche kenne habe spiele lese besuche hablo conozco tengo juego leo me
""")
"""Verbs of which one may do several things."""

# ------------------------------------------------------------------ how things end and change

ENDS = (
    r"(?:stop(?:ped)?|quit|give up|given up|gave up|giving up|gave away|give away|cut out|cutting out|dropped|ditched|abandoned|cancell?ed|sold|left|leaving|retired from|resigned from|stepped down (?:as|from)|got rid of|gotten rid of|donated|scrapped|decommissioned|shut down|closed(?: down)?|discontinued|phased out|swore off|sworn off|deleted|uninstalled|shaved(?: off)?|avoid(?:ing)?|broke up with|split (?:up )?(?:from|with)|divorced|outgrew|outgrown|got over|recovered from|traded in|lost interest in|tired of|sick of|fed up with|unsubscribed from|moved out of|moved away from|dropped out of|graduated from|withdrew from|lost|finished with|done with|retired|killed|removed|got off|weaned off|cured of)(?: using| eating| drinking| doing| going to| taking| playing| wearing| working (?:at|for|with|on)| watching| reading| buying| seeing| believing in| practicing| attending| being)?",
    r"(?:do|does|am|is|are|can|have|has|did) not \w+(?=.*\bany ?(?:more|longer)\b)", r"can not (?:stand|bear)", r"prefers? [^,]+? (?:over|to)", r"no longer(?: \w+(?:s|e|ing)?)?", r"(?:switched|moved|migrated|changed|converted|transitioned|went|upgraded|downgraded)(?: \w+){0,3}? (?:away |over )?from", r"(?:replaced|swapped|exchanged|traded|ditched|dropped|substituted)(?= .*\b(?:with|by|for|against)\b)", r"(?:instead of|in place of|in lieu of)",
    r"(?:habe|hat|haben)(?= .*\b(?:gekundigt|verkauft|verlassen|aufgegeben|abgeschafft|ersetzt)\b)", r"(?:von|vom)(?=.* (?:auf|zu|nach) .*(?:umgestiegen|gewechselt|umgezogen))", r"(?:an)?statt", r"kein(?:e|en)?(?=.*\bmehr\b)", r"(?:esse|trinke|nutze|benutze|verwende|arbeite|wohne|fahre|rauche|spiele|nutzen|verwenden)(?=.*\bnicht mehr\b)", r"aufgehort (?:mit|zu)",
    r"(?:deje|dejo|dejamos|dejado)(?: de)?(?: usar| comer| beber| tomar| trabajar en)?", r"ya no(?: \w+)?", r"(?:vendi|cancele|abandone|reemplace|sustitui)", r"(?:en lugar de|en vez de)", r"cambi(?:e|amos)(?: de)?(?=.* (?:a|por) )", r"rompi con",
)
"""What is said before the thing that ended."""

OF_SOMETHING = _set(
    "collection membership subscription account habit habits allergy lessons classes class course routine plan license card job position role practice app service config setup entirely altogether completely"
)
"""Nouns that say less of what ended than the word before them."""

GONE = r"(?:have |has )?(?:passed away|died|has died|was put down|were put down|ran away|went missing|left (?:the |my |our )?(?:company|team|firm|job|school)|moved out|closed(?: down)?|shut down|went (?:bankrupt|out of business)|got stolen|was stolen|broke down|was (?:decommissioned|discontinued|shut down|deleted|removed|retired|cancell?ed|scrapped|abandoned|deprecated|replaced|sold)|is (?:gone|dead|discontinued|no more|closed)|has been (?:decommissioned|discontinued|shut down|removed|retired|cancell?ed|scrapped|abandoned|deprecated|replaced|sold)|is no longer with|expired|ist gestorben|starb|murio|fallecio|ha muerto)"
"""What is said of the thing that ended, after it."""

CHANGED = r"(?:switch(?:ed)?|moved?|migrated?|changed?|converted?|upgraded?|downgraded?|transitioned|swapped|traded|went back|gone|went up|went down|went|rose|fell|dropped|jumped|raised?|increased?|lowered?|reduced?|decreased?|bumped|cut|extended|shortened|expanded|shrank|shrunk|grew|adjusted|corrected|updated|reset|set|returned|reverted|rolled back|rollback|fell back|failed|reassigned|promoted|demoted|transferred|rescheduled|postponed|pushed(?: back| out)?|pulled|brought forward|refinanced|renamed|rebranded|adopted|activated|pinned|standardi[sz]ed on|redirected|pointed|rewrote|rewritten|ported|rebuilt|rotated|replaced|shifted|relocated|back|now (?:run|runs|write|writes|post|posts|publish|publishes|use|uses|go|goes|land|lands|point|points|send|sends|read|reads|expire|expires|start|starts)|gewechselt|umgestellt|umgestiegen|verschoben|erhoht|gesenkt|geandert|cambi(?:e|o|amos|ado|aron)|sub(?:io|imos)|baj(?:o|amos)|aument(?:o|amos)|pas(?:o|amos)|migr(?:o|amos))"
"""Verbs of which the value after "to" is the one that holds from then on."""
TO = r"(?:to|into|onto|over to|back to|as|for|in|auf|nach|zu|a|por)"

_AUX = r"(?:has |have |had |was |were |is |are )?(?:now )?"
_IS = r"(?:is|are|am|ist|sind|es|esta|equals|stands at|remains|sits at)(?: now)?(?: (?:called|named|scheduled|planned|set|due|located|hosted|based)(?: for| to| at| on| in)?)?"
_NOUN = r"(?P<noun>(?:[^\s,]+ ){0,4}?[^\s,]+)"
SLOTS = (
    (rf"^my {_NOUN} {_IS} ", False),
    (rf"^my {_NOUN} {_AUX}{CHANGED} (?:back )?{TO} ", True),
    (rf"^§ (?:has |have |had )?{CHANGED} (?:my |the |its |their |meine?n? |el |la )?{_NOUN} (?:from .+? )?{TO} ", True),
    (rf"\b(?:use|uses|have|has|using|chose|picked) (?P<value>.+?) as (?:my|its|the|their) {_NOUN}(?=$|,| (?:in|on|for|at|since|because|and|but|to|when)\b)", False),
    (rf"^§ {_IS} my (?:new )?{_NOUN}$", False),
    (rf"^§ {_IS} (?!my )", False),
    (rf"^§ {_AUX}{CHANGED} (?:back )?{TO} ", True),
)
"""What gives a value to something named, and whether it tells of a change. Where no noun is in it
the owner is what is named; where no value is in it, it follows, or is the owner."""
FIRST = _set("favorit favourit prefer main primari default")
"""Words (stems) that make of any noun the only one."""
AT_SOMETHING = _set("job position role membership subscription")
NEAR = r"\b(?:near|beside|behind|opposite|about|like|because of|than|next to) (?:the |my )?(\w+)"
COMMUTE = r"\b(?:work|office|school|commut\w*|arbeit|trabajo)\b"
BOUGHT = r"\b(?:bought|got|purchased|leased|picked up|gekauft|compre) (?:a|an|my|the|myself a|einen|un)\b"
PURPOSE = r"\b(?:for|in|on|at|with|fur|para|en|bei) (.+)$"
USED_FOR = r"\b(?:use|uses|using|nutze\w*|verwende\w*|uso|usamos) (.+?) (?:for|fur|para) (.+)$"
PLACED = r"\b(?:use|uses|on|in|at|with|by|via|attends?|to|mit|en|con)\b"

START = r"(?:started|began|begun|resumed|took up|picked up|went back to|back to|returned to|can (?:eat|drink|use) )"

_KINDS = """
editor: vim neovim emacs vs_code|vscode|visual_studio_code visual_studio sublime|sublime_text atom intellij pycharm webstorm eclipse zed cursor nano helix xcode android_studio netbeans
os: linux macos|mac|os_x windows|pc ubuntu debian fedora arch chromeos freebsd mint
browser: chrome firefox safari edge brave opera vivaldi arc chromium
language: python javascript typescript rust go|golang java kotlin swift c++ c# ruby php scala elixir perl haskell julia
backend: django flask fastapi rails laravel express spring|spring_boot nestjs gin phoenix fastify
frontend: react vue angular svelte sveltekit next.js|nextjs nuxt ember solid jquery
database: postgres|postgresql mysql mariadb sqlite mongodb oracle cassandra dynamodb cockroachdb couchdb firestore supabase sql_server
cache: redis memcached valkey dragonfly hazelcast
cloud: aws azure gcp|google_cloud heroku digitalocean hetzner linode vercel netlify fly.io cloudflare
ci: jenkins circleci github_actions gitlab_ci travis|travis_ci buildkite teamcity
code host: github gitlab bitbucket codeberg gitea
notes: notion obsidian evernote onenote roam logseq joplin google_keep apple_notes bear
tasks: todoist trello asana jira linear clickup omnifocus basecamp ticktick
chat: slack teams|microsoft_teams discord whatsapp telegram signal mattermost zulip
calls: zoom google_meet webex skype
assistant: gpt|gpt-4|gpt-4o|chatgpt claude gemini copilot llama mistral deepseek perplexity grok
music: spotify apple_music tidal youtube_music pandora deezer soundcloud amazon_music vinyl cds
television: netflix hulu hbo|hbo_max disney+|disney_plus prime_video apple_tv|apple_tv+ paramount+ peacock cable
blog: substack medium ghost wordpress blogger tumblr squarespace hugo jekyll
payments: stripe paypal paddle square adyen braintree klarna
bank: chase wells_fargo bank_of_america citi amex capital_one revolut n26 monzo hsbc barclays santander sparkasse deutsche_bank
mail: gmail outlook protonmail fastmail yahoo thunderbird
phone: iphone pixel samsung|galaxy oneplus xiaomi nokia fairphone motorola android flip_phone
car: toyota|corolla|camry|prius honda|civic|accord ford tesla|model_3|model_y bmw audi volkswagen|vw|golf|polo mercedes nissan mazda hyundai kia volvo subaru chevrolet|chevy jeep porsche renault peugeot fiat skoda seat opel lexus sedan suv minivan hatchback pickup truck convertible wagon
camera: canon nikon sony fujifilm|fuji leica olympus panasonic pentax dslr mirrorless
transport: bus|autobus train|bahn|zug|tren subway|metro|u-bahn tram bike|bicycle|cycle|cycling|biking|rad|fahrrad|bicicleta|e-bike walk|walking drive|driving|car|auto|coche|ev scooter ferry carpool public_transport|public_transit motorbike
hot drink: coffee|kaffee|cafe tea|tee|te green_tea matcha espresso decaf
water: sparkling_water still_water tap_water
milk: oat_milk almond_milk soy_milk whole_milk cow_milk skim_milk
instrument: piano|klavier violin|geige cello guitar|gitarre drums flute ukulele saxophone trumpet clarinet viola harp banjo
sport: running|jogging cycling|biking swimming yoga pilates climbing tennis football|soccer basketball crossfit boxing rowing weightlifting golf badminton squash
gym: equinox ymca planet_fitness gold_gym crossfit anytime_fitness la_fitness
console: playstation xbox nintendo_switch steam_deck
reading: kindle e-reader kobo paperbacks physical_books|paper_books ebooks
packages: npm yarn pnpm bun pip poetry uv conda pipenv
linter: eslint tslint biome prettier flake8 ruff pylint black
tests: jest vitest mocha jasmine pytest unittest cypress playwright selenium
orchestration: kubernetes docker_swarm nomad ecs docker_compose
infrastructure: terraform pulumi cloudformation ansible opentofu
broker: kafka rabbitmq sqs nats pulsar activemq
shell: bash zsh fish powershell
bundler: webpack vite rollup parcel esbuild turbopack
color: red blue green yellow black white orange purple pink brown grey|gray teal
season: spring summer autumn winter
api: rest graphql grpc soap
indentation: tabs spaces
theme: dark_mode|dark_theme light_mode|light_theme
faith: catholic|catholicism protestant buddhist|buddhism muslim|islam hindu|hinduism jewish|judaism atheist|atheism christian|christianity
carrier: verizon t-mobile|tmobile at&t vodafone o2 telekom orange sprint
eyewear: glasses contacts|contact_lenses|lenses
seat: window_seat|window_seats aisle_seat|aisle_seats
guitar: acoustic_guitar|acoustic electric_guitar|electric
brewing: french_press pour_over drip_coffee nespresso moka_pot
paying: cash credit_card|card apple_pay google_pay
watch: apple_watch garmin fitbit
laptop: dell lenovo hp asus thinkpad macbook chromebook surface
passwords: 1password lastpass bitwarden keepass dashlane
maps: google_maps apple_maps waze
rides: uber lyft
search engine: google duckduckgo bing kagi ecosia
drawing: figma sketch adobe_xd canva
spreadsheet: excel google_sheets airtable
terminal: iterm|iterm2 kitty alacritty wezterm ghostty
writing: word|ms_word google_docs latex scrivener
slides: powerpoint keynote google_slides
video editor: premiere final_cut davinci_resolve
photo editor: lightroom capture_one photoshop darktable
studio: ableton logic_pro fl_studio reaper pro_tools
investing: stocks bonds crypto|bitcoin index_funds|etfs real_estate
news: newspaper|newspapers|paper podcasts|podcast tv_news|television
stove: gas_stove induction electric_stove
budget: ynab mint quicken
monitoring: nagios grafana datadog prometheus new_relic zabbix
container: docker podman
airline: delta united lufthansa ryanair easyjet southwest emirates
groceries: aldi lidl tesco walmart costco whole_foods rewe edeka
"""


@cache
def kinds() -> dict[str, tuple[tuple[str, str], ...]]:
    """For things of which one takes the place of another: what each is, and its usual name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in _KINDS.strip().splitlines():
        kind, _, members = line.partition(": ")
        for member in members.split():
            names = member.replace("_", " ").split("|")
            for name in names:
                found.setdefault(name, []).append((kind, names[0]))
    return {name: tuple(of) for name, of in found.items()}


USUALLY_ONE = _set("car phone")
"""Kinds of which a bought one replaces the old one."""

WIDER = {
    member: kind
    for kind, members in {
        "alcohol": "beer beers wine whisky whiskey gin vodka rum cocktail cocktails champagne liquor bier wein cerveza vino",
        "meat": "beef steak steaks chicken pork bacon burger burgers lamb ham sausage fleisch carne",
        "fish": "sushi salmon tuna sashimi seafood cod",
        "dairy": "milk cheese yogurt butter cream",
        "gluten": "bread pasta wheat baking bagels",
        "caffeine": "coffee espresso latte cappuccino kaffee cafe",
        "sugar": "sweets candy dessert desserts chocolate cake soda",
        "nicotine": "cigarettes smoke smoking vape",
        "pet": "dog dogs cat cats puppy kitten hamster rabbit hund katze perro gato",
        "social media": "facebook instagram tiktok twitter snapchat",
    }.items()
    for member in members.split()
}
"""What is ended with the whole that it belongs to."""

OPPOSITES = {
    frozenset(pair.split("/"))
    for pair in """
enable/disable enabled/disabled enables/disables on/off open/closed opened/closed allow/forbid allowed/forbidden allow/deny allowed/denied allowed/prohibited permitted/forbidden permitted/prohibited
required/optional mandatory/optional mandatory/voluntary public/private internal/external active/inactive healthy/sick healthy/ill love/hate loves/hates like/dislike likes/dislikes like/hate love/dislike enjoy/hate
always/never true/false yes/no start/stop started/stopped accept/reject accepts/rejects accepted/rejected approve/reject approved/rejected include/exclude includes/excludes included/excluded
synchronous/asynchronous sync/async online/offline available/unavailable safe/unsafe possible/impossible visible/hidden locked/unlocked encrypted/unencrypted encrypted/plaintext supported/unsupported
staging/production manual/automatic manually/automatically mutable/immutable strict/lenient vertical/horizontal left/right hot/cold cheap/expensive high/low higher/lower increase/decrease maximum/minimum
present/absent full/empty full-time/part-time monolith/microservices push/pull ascending/descending inbound/outbound upstream/downstream blocking/non-blocking opt-in/opt-out free/paid temporary/permanent
with/without before/after above/below tabs/spaces daily/weekly weekly/monthly daily/monthly monthly/quarterly weekly/quarterly monthly/yearly annually/monthly quarterly/yearly hourly/daily single/married alive/dead short/long bald/bearded employed/unemployed happy/unhappy
agree/disagree trust/distrust can/cannot win/lose pass/fail passed/failed passing/failing working/broken works/broken up/down stable/unstable rising/falling
aktiviert/deaktiviert offen/geschlossen erlaubt/verboten an/aus immer/nie offentlich/privat hell/dunkel activado/desactivado abierto/cerrado permitido/prohibido siempre/nunca publico/privado
""".split()
}

COUNTRIES = _set("""
germany france spain italy portugal austria switzerland netherlands belgium poland sweden norway denmark finland ireland england scotland wales uk britain europe greece turkey
usa america canada mexico brazil argentina chile peru colombia japan china india korea thailand vietnam indonesia australia zealand egypt morocco kenya nigeria africa asia bulgaria romania hungary
croatia czechia ukraine russia israel california texas florida bavaria deutschland frankreich spanien italien osterreich schweiz espana francia alemania italia
abroad countryside city town suburbs
""")
"""Places that have other places in them: living in one of them agrees with living in a town."""
