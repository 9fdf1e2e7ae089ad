"""What is known of the words that a check turns on: data, in the languages that we read."""

from __future__ import annotations

import re

from recollect.named_tuple import NamedTuple
from recollect.nouns import without


def _rows(text: str) -> dict[str, str]:
    """Each word of a row to the first one."""
    rows = map(str.split, text.strip().splitlines())
    return {word: row[0] for row in rows for word in row}


def _counted(*rows: str, start: int = 0) -> dict[str, int]:
    """Each word of a row to its place there."""
    return {word: number for row in rows for number, word in enumerate(row.split(), start)}


_AMBIGUOUS = "one en to un um uno once ti ni sei elf first second".split()
"""Numbers in one language, and something else as well, in this or in another."""
_CARDINALS = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "zero um dois tres quatro cinco seis sete oito nove dez onze doze",
    "null en to tre fire fem seks sju atte ni ti elleve tolv",
    "zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec",
)
NUMBERS: dict[str, float] = {**without(_CARDINALS, _AMBIGUOUS)}
NUMBERS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70}
NUMBERS |= {"eighty": 80, "ninety": 90, "dozen": 12, "half": 0.5, "halved": 0.5}
NUMBERS |= {"both": 2, "twice": 2, "thrice": 3, "doubles": 2, "doubled": 2}
NUMBERS |= {"triples": 3, "tripled": 3}
ORDINALS = without(
    _counted(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
        "ersten zweiten dritten vierten funften sechsten siebten achten neunten zehnten",
        start=1,
    ),
    _AMBIGUOUS,
)
MAGNITUDES = {
    "thousand": 1e3, "k": 1e3, "tausend": 1e3, "mil": 1e3, "million": 1e6, "millions": 1e6,
    "mio": 1e6, "millionen": 1e6, "millones": 1e6, "billion": 1e9, "bn": 1e9, "milliarden": 1e9,
    "hundred": 1e2, "hundert": 1e2,
}  # fmt: skip


class MeasureUnit(NamedTuple):
    dimension: str
    factor: float = 1.0
    """How many of the smallest of its dimension it is."""


def _units(rows: dict[str, tuple[str, float]]) -> dict[str, MeasureUnit]:
    return {
        word: MeasureUnit(dimension, factor)
        for words, (dimension, factor) in rows.items()
        for word in words.split()
    }


UNITS = _units(
    {
        "ms millisecond milliseconds": ("time", 0.001),
        "s sec secs second seconds sekunde sekunden segundos secondes secondi": ("time", 1),
        "min mins minute minutes minuten minuto minutos minuti": ("time", 60),
        "h hr hrs hour hours stunde stunden hora horas heure heures ore godzin": ("time", 3600),
        "day days tag tage tagen dia dias jour jours giorno giorni dni": ("time", 86_400),
        "week weeks woche wochen semana semanas semaine semaines": ("time", 604_800),
        "month months monat monate monaten mes meses mois mese mesi": ("months", 1),
        "year years yr yrs jahr jahre jahren ano anos an ans anno anni": ("months", 12),
        "decade decades": ("months", 120),
        "mm millimetre millimetres millimeter millimeters": ("length", 0.001),
        "cm centimetre centimetres centimeter centimeters": ("length", 0.01),
        "m metre metres meter meters metros": ("length", 1),
        "km kilometre kilometres kilometer kilometers kilometros": ("length", 1000),
        "inch inches in zoll": ("inches", 1),
        "ft foot feet": ("inches", 12),
        "mile miles mi": ("inches", 63_360),
        "µg μg mcg microgram micrograms": ("mass", 1e-6),
        "mg milligram milligrams": ("mass", 0.001),
        "g gram grams gramm gramme grammes gramos": ("mass", 1),
        "kg kilo kilos kilogram kilograms": ("mass", 1000),
        "t ton tons tonne tonnes tonnen": ("mass", 1e6),
        "oz ounce ounces": ("ounces", 1),
        "lb lbs": ("ounces", 16),
        "ml millilitre millilitres": ("volume", 0.001),
        "l litre litres liter liters": ("volume", 1),
        "gallon gallons": ("gallons", 1),
        "kb kilobyte kilobytes": ("data", 1),
        "mb mib megabyte megabytes": ("data", 1e3),
        "gb gib gigabyte gigabytes": ("data", 1e6),
        "tb tib terabyte terabytes": ("data", 1e9),
        "$ usd dollar dollars bucks": ("dollars", 1),
        "€ eur euro euros": ("euros", 1),
        "£ gbp pound pounds": ("pounds", 1),
        "¥ jpy yen 円": ("yen", 1),
        "chf franc francs franken": ("francs", 1),
        "% percent pct prozent": ("percent", 1),
        "° °c celsius": ("celsius", 1),
        "°f fahrenheit": ("fahrenheit", 1),
        "arcsecond arcseconds": ("angle", 1),
        "arcminute arcminutes": ("angle", 60),
        "hz": ("hertz", 1),
        "khz": ("hertz", 1e3),
        "mhz": ("hertz", 1e6),
        "bar": ("bar", 1),
        "amp amps ampere amperes": ("ampere", 1),
        "volt volts": ("volt", 1),
        "watt watts": ("watt", 1),
        "decibel decibels db": ("decibel", 1),
        "page pages seite seiten": ("pages", 1),
    }
)
RATES = _rows(
    """
    hour hourly stundlich
    day daily nightly taglich diario
    week weekly wochentlich semanal
    month monthly monatlich mensual
    quarter quarterly vierteljahrlich
    year yearly annual annually jahrlich anual
    """
)
PER = frozenset("a an per each every by pro je jede jeden jedes por al par chaque cada any".split())
MONTHS = _rows(
    """
    jan january januar janner enero janvier gennaio janeiro stycznia января январь январе
    feb february februar febrero fevrier febbraio fevereiro lutego февраля февраль феврале
    mar march marz maerz marzo mars marco marca марта март марте
    apr april abril avril aprile kwietnia апреля апрель апреле
    may mai mayo maggio maio maja мая май мае
    jun june juni junio juin giugno junho czerwca июня июнь июне
    jul july juli julio juillet luglio julho lipca июля июль июле
    aug august agosto aout sierpnia августа август августе
    sep sept september septiembre setiembre septembre settembre setembro wrzesnia
    sep сентября сентябрь сентябре
    oct october oktober octubre octobre ottobre outubro pazdziernika октября октябрь октябре
    nov november noviembre novembre novembro listopada ноября ноябрь ноябре
    dec december dezember diciembre decembre dicembre dezembro grudnia декабря декабрь декабре
    """
)
MONTH_NUMBERS = _counted(" ".join(dict.fromkeys(MONTHS.values())), start=1)
"""Of the months by the first word of each row."""


def month_number(word: str) -> int:
    """The number of a month by its folded name; 0 for any other word."""
    return MONTH_NUMBERS.get(MONTHS.get(word, ""), 0)


WEEKDAYS = _rows(
    """
    mon monday mondays montag montags lunes lundi lunedi poniedzialek
    tue tues tuesday tuesdays dienstag dienstags martes mardi martedi wtorek
    wed wednesday wednesdays mittwoch mittwochs miercoles mercredi mercoledi
    thu thurs thursday thursdays donnerstag donnerstags jueves jeudi giovedi czwartek
    fri friday fridays freitag freitags viernes vendredi venerdi piatek
    saturday saturdays samstag samstags sonnabend sabado samedi sabato sobota
    sunday sundays sonntag sonntags domingo dimanche domenica niedziela
    """
)
WEEKDAY_NUMBERS = _counted(" ".join(dict.fromkeys(WEEKDAYS.values())))
"""Of the weekdays by the first word of each row, from Monday on, as :mod:`datetime` has them."""
SEASONS = _rows(
    """
    spring fruhling fruhjahr primavera printemps
    summer summers sommer verano ete estate
    autumn fall herbst otono automne autunno
    winter winters invierno hiver inverno
    """
)
NEGATIONS = frozenset(
    """
    not no never none nobody nothing neither nor cannot nowhere unable hardly barely
    without ohne sans sin senza sem bez без بدون
    nicht nie niemals kein keine keinen keinem keiner niemand nichts
    ne pas jamais aucun aucune rien non nunca jamas ningun ninguna nada mai nessun
    nessuna niente nao nenhum nenhuma nie zaden ikke aldri ingen
    не нет никогда никто ничего лا لا ليس لن لم غير 不 没 没有 无 未
    """.split()
)
GERMAN_ARTICLES = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner am im
    beim vom zum zur ins ans aufs mein meine meinen meinem meiner unser unsere unseren unserem
    unserer sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer dieser diese dieses diesen
    diesem jeder jede jedes jeden jedem alle allen viele vielen mehrere
    """.split()
)
GERMAN_NOUN = re.compile(
    r".{2,}(?:ung|heit|keit|schaft|tion|tat|nis|chen|ling|tum|ismus|ment|enz|anz)(?:en|s|e|es)?"
)
"""What stands before a German noun and is no part of a name, and how many such nouns end."""
NO_NEGATION = (
    r"なければ(?:なり|なら|いけ)(?:ない|ません)|かもしれ(?:ない|ません)|だけで(?:は)?なく|[少危]ない|差不多|不[过過仅僅同久断斷但]"
    r"|[无無][论論]|未[来來]|非[常洲]|잘못"
)
INNER_NEGATION = r"[不没沒无無未非勿]|ない|なかっ|なく|ません|ずに|않|못|없|아니|(?<![가-힣])안 "
"""What denies within a Chinese, Japanese or Korean word, and what only looks like it."""
AT_LEAST = "|".join(
    (
        r"at least|not? (?:fewer|less) than|minimum(?: of)?|more than|over|above|exceed(?:s|ed)?",
        r"mindestens|wenigstens|(?:nicht weniger|mehr) als|al menos|como mínimo|más de|au moins",
        r"no menos de|pas moins de|plus de|almeno|più di|pelo menos|mais de|co najmniej|minst",
        r"über|не менее",
    )
)
AT_MOST = "|".join(
    (
        r"at most|not? (?:more|greater|longer|later) than|(?:not |never )exceed(?:s|ing)?|up to",
        r"maximum(?: of)?|(?:less|fewer) than|under|below|höchstens|maximal|bis zu|nicht mehr als",
        r"weniger als|como máximo|a lo sumo|(?:no más|menos) de|au plus|pas plus de|moins de",
        r"al massimo|meno di|no máximo|co najwyżej|høyst|не более",
    )
)
OR_MORE = "|".join(
    (
        r"or (?:more|over|older|higher|later|longer)|and over|oder mehr|o más|ou plus|o più",
        r"at (?:the )?least|(?:as a |at )?minimum|mindestens",
    )
)
OR_LESS = "|".join(
    (
        r"or (?:less|fewer|under|younger|lower|earlier)|oder weniger|o menos|ou moins|o meno",
        r"at (?:the )?most|(?:as a |at )?maximum|tops|höchstens",
    )
)
"""What tells, before a number and after it, on which side of it something is."""
NEARLY = (
    r"about|around|roughly|approximately|approx\.?|nearly|almost|circa|ca\.?|etwa|ungefähr|rund"
    r"|fast|knapp|unos|unas|aproximadamente|casi|environ|presque"
)
"""What tells that a number is near."""
BOUNDING = frozenset(
    """
    least most limit limits limited limiting maximum max minimum min cap caps capped within exceed
    exceeds exceeded more less fewer over under above below until till up beyond longer shorter
    higher lower later earlier capacity deadline than only no not never hochstens mindestens
    maximal minimal grenze bis uber unter mehr weniger frist
    about around roughly approximately approx nearly almost like some say circa ca etwa ungefahr
    rund fast knapp unos unas aproximadamente casi environ presque
    """.split()
)
"""Words by which a number of a text may be meant as a bound, or as one that is near."""
MODALS = {
    word: kind
    for kind, words in {
        "must": """must shall muss mussen debe deben doit doivent deve devono devem musi musza maste
            moet должен должны 必须 必須""",
        "may": """may can could darf durfen kann konnen puede pueden peut peuvent puo possono pode
            podem moze moga может могут 可以 可能""",
        "may might": """might maybe perhaps possibly probably vielleicht moglicherweise quiza quizas
            wahrscheinlich peut-etre forse talvez kanskje 也许 かもしれない""",
    }.items()
    for word in words.split()
}
"""What has to be, what may be, and what might be so."""
UNSURE = {word for word, kind in MODALS.items() if kind != "must"} | set(
    """
    likely unlikely consider considers considering considered possible possibility option idea think
    thinks thought suspect suspects unsure uncertain potential potentially whether would
    """.split()
)
"""Words that say that something is open."""
DECLINES = frozenset(
    """
    fell fall falls drop drops dropped lose lost loses loss losses lower lowered reduce reduced
    reduction decrease decreased decline declined less below down shrank deficit negative cut
    """.split()
)
"""Words that tell of a number below zero without its sign."""
NEGATIVE = frozenset(
    """
    fail fails failed failing failure refuse refused refuses refusing deny denied denies reject
    rejected rejects decline declined declines exclude excluded excludes excluding forbid forbids
    forbidden prohibit prohibited prohibits ban banned lack lacks lacked lacking absent missing
    broke broken breaks impossible unavailable unsupported unaffected unharmed unpaid unknown
    untouched inactive incompatible offline wait waits against avoid avoids avoided queenless out
    lost lose loses dead expired stopped stop stops cease ceased only except interdit interdite
    quit quits cancelled canceled cancel dropped drop verboten prohibido vietato proibido
    zabronione zabroniony anymore longer omit omits omitted skip skips skipped forgot forgotten
    disappear disappears disappeared free unless lehnte lehnten lehnt lehnen abgelehnt ablehnen
    ablehnte verweigert verweigerte scheiterte gescheitert fehlt fehlte fehlen verpasst abgesagt
    eingestellt gestoppt vermeiden vermieden verhindert verhinderte dagegen gegen
    """.split()
)
"""Words that say that something is not so: against a negation of the other side they count, but a
sentence need not have one where its source has."""
STRONG = frozenset(
    """
    forbidden forbid forbids prohibited prohibits banned excluded excludes rejected rejects refused
    refuses denied denies verboten interdit interdite prohibido vietato proibido zabronione
    """.split()
)
"""Those that deny as plainly as a negation does."""
OPPOSITES = {
    frozenset(pair.split("/"))
    for pair in """
    deep/shallow fewer/more less/more lower/higher lowered/raised lower/raise improve/harm
    improve/hurt improve/worsen faster/slower slower/speed slow/fast cheaper/dearer early/late
    earlier/later above/below open/closed open/shut add/remove buy/sell
    bought/sold start/end begin/end start/stop increase/decrease rise/fall rose/fell grow/shrink
    first/last old/new oldest/newest always/never accept/reject adopt/reject adopted/against
    enable/disable include/exclude allow/forbid allowed/forbidden permit/forbid win/lose
    pass/fail left/right north/south east/west inside/outside internal/external public/private
    local/remote manual/automatic required/optional minimum/maximum least/most best/worst
    better/worse warm/cold hot/cold wet/dry day/night morning/evening male/female men/women
    husband/wife mother/father brother/sister son/daughter uncle/aunt mum/dad pause/abort
    paused/aborted import/export upload/download read/write send/receive love/hate like/dislike
    younger/older shorter/longer thin/thick light/dark full/empty strong/weak rich/poor
    heavier/lighter arrived/left present/absent torn/left double/waive split/keep high/low
    highest/lowest largest/smallest larger/smaller big/small large/small long/short tall/short
    longest/shortest wide/narrow near/far nearest/farthest rare/common simple/complex easy/hard
    safe/dangerous healthy/sick alive/dead single/married employed/unemployed success/failure
    succeeded/failed succeed/fail won/lost gained/lost gain/lose rose/dropped rise/drop up/down
    increased/decreased increased/reduced increase/reduce raised/reduced raise/reduce grew/shrank
    improved/worsened improved/degraded accepted/rejected accepted/declined approved/rejected
    approved/refused agreed/refused agreed/declined agreed/disagreed confirmed/denied
    allowed/prohibited permitted/forbidden permitted/prohibited legal/illegal mandatory/optional
    compulsory/voluntary enabled/disabled active/inactive online/offline open/locked unlocked/locked
    opened/closed shut/open restored/deleted restore/delete restored/destroyed restored/wiped
    recovered/deleted hired/fired hired/dismissed joined/left entered/left borrowed/lent
    borrow/lend lend/owe sold/kept keep/sell kept/cancelled keep/cancel kept/removed added/removed
    installed/removed created/deleted merged/split started/ended began/ended starts/ends begins/ends
    paid/unpaid guilty/innocent true/false right/wrong correct/incorrect same/different
    grandmother/grandfather niece/nephew queen/king boy/girl man/woman mum/father dad/mother
    brothers/sisters parents/children teacher/pupil landlord/tenant buyer/seller employer/employee
    upper/lower top/bottom front/back indoor/outdoor north/west north/east south/east south/west
    northern/southern eastern/western morning/afternoon afternoon/evening morning/night
    yesterday/tomorrow today/tomorrow today/yesterday breakfast/dinner breakfast/lunch lunch/dinner
    weekday/weekend sunny/rainy white/black sweet/sour soft/loud quiet/loud quiet/noisy
    vegetarian/carnivore staging/production server/client frontend/backend input/output
    despite/because although/because difference/common income/expenses good/bad well/badly
    birth/death born/died upstream/downstream advantage/disadvantage synchronous/asynchronous
    cheap/expensive one/several single/several some/all
    """.split()
}
FILLERS = frozenset(
    """
    longer anymore run runs ran running one habe hast hatte hatten
    user person people someone somebody thing things something anything everything ones
    say says said saying state states stated according mention mentions mentioned note notes noted
    source sources text document also still already yet even ever now currently however therefore
    thus because since although though despite while whereas when where which who whose whom that
    roughly about approximately around nearly almost exactly just simply really total together
    altogether combined overall sum all every each another other others different same such
    need needs needed must shall should may might would could can will able get gets got getting
    give gives given go goes going went gone come comes came take takes took taken make makes made
    put puts bring brings brought use uses used using have has had having happen happens happened
    occur occurs occurred become becomes became remain remains stay stays keep keeps continue
    continued provided provide own back way kind sort part case new well much many lot bit some
    any few several little very too as so than then there here per via among within during until
    up off on out over by for from into onto upon of to at in with
    times
    mr mrs ms dr prof herr frau monsieur madame senor senora signor
    namens personer personen
    er sie es sein seine ihr ihre sich dass wird wurde selbst aufs ins
    il elle son sa ses leur est el ella su sus esta este ella jego jej jest
    """.split()
)
SUMS = (
    r"\b(totals?|altogether|together|all|overall|combined|sum|add(?:s|ed)? up|comes? to|came to"
    r"|both|the (?:two|three|four|five|six)|over the|from \w+ to|insgesamt|zusammen|en total"
    r"|in tutto)\b"
)
DIFFERENCES = (
    r"\bby\b|\b(more|less|fewer|higher|lower|longer|later|earlier|difference|between|lost|gained"
    r"|saved|lasted|took|takes|for|since|apart|older|younger|cheaper|dearer|above|below|um|mehr"
    r"|weniger)\b"
)
TIMES = rf"{DIFFERENCES}|\b(ran|runs|was|were|after|arrives?|around)\b"
"""What tells that a time between two others, or after one, is meant."""
REST = (
    r"\b(left|remain(?:s|ing|ed)?|still|not|never|no|none|without|others?|rest|missing|offline"
    r"|open|ubrig|noch)\b|n't\b"
)
ROLES = _rows(
    """
    from
    to into onto
    with
    than over
    of
    by
    for
    before until till
    after
    without
    against
    in on at near during within around between among
    as
    about
    through via
    under below beneath
    above
    """
)
"""Prepositions that tell which part a word plays, by their rows."""
BEING = frozenset("is are am was were be been being get gets got".split())
JOINTS = frozenset(("and", "or", "nor"))
SUBORDINATE = frozenset("that which who because since when while whereas if unless but so".split())
"""Words that begin a clause."""
RATIOS = frozenset("halved doubled doubles tripled triples".split())
"""Numbers that say how many times the one before it something is."""
CHANGES = frozenset(
    """
    lost gained saved cut rose fell raised lowered reduced increased decreased improved worsened
    dropped grew shrank cheaper dearer shorter quicker slower faster older younger lighter heavier
    points
    """.split()
)
"""Words that say that there is a difference."""
RISES = frozenset("more higher above larger bigger longer later older heavier dearer".split())
FALLS = frozenset("less fewer lower below smaller shorter earlier younger lighter cheaper".split())
"""Words that say which of two numbers is the greater one."""
