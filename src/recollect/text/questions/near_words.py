r"""What may differ between two questions that ask the same: data, read by ``near.py``.

Everything here is harmless, and whatever is not here makes a difference: a word that is forgotten
costs a search, a word too much serves a wrong answer. So a line stays only if no two questions
that differ by it have different answers. Words are in lower case, those of English without
accents, those of other languages with them (``wurde`` is not ``würde``).

In a pattern a space is a space, and the match ends where a word ends. ``asks`` are tried where the question begins, in their order; what they match is replaced by
the sign of what is asked.
"""

# ruff: noqa: E501  a table reads better with its long rows

from __future__ import annotations

from functools import cache
from typing import NamedTuple

# From here on tables of words, several on a line.
# fmt: off


class Language(NamedTuple):
    known_by: str
    """Words of grammar that give the language away."""
    dropped: str
    """Articles and such: they go wherever they stand."""
    hello: str = "(?!)"
    """What may stand before anything: it goes before a comma, a question word or a frame."""
    before: tuple[str, ...] = ()
    """Frames before a question, as patterns: what was matched goes if anything is left."""
    embeds: tuple[str, ...] = ()
    """Frames that take a whole question, and that without one are questions themselves."""
    after: tuple[str, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    """Patterns of how a question begins, each with the sign of what is asked."""
    is_now: str = ""
    """The copula in the present, which goes."""
    places: str = ""
    """Prepositions: they stay, and begin a phrase that may be moved as a whole."""
    equal: str = ""
    """Words that are one, a group a line; the first stands for it. ``_`` is a space."""
    verb_last: bool = False
    """In an embedded question the verb goes to the end."""
    numbers: str = ""
    """From zero."""
    fillers: str = ""
    """Words that say nothing, wherever they stand."""


_WH = r"(?:what|when|where|who|whom|whose|which|how|why|(?:in|on|at|for|to|with|from|by|under|since|until) (?:what|which|whom))\b"
_NOUN = r"(?:the|my|our)\b"
_HELLO = (
    "hey|hi|hello|good morning|good evening|ok|okay|alright|all right|so|well|um|umm|uh|hmm|oh|ah|yo|and|also|now|listen|one more thing|one more question|just a quick question|just a question|a quick question|quick question|quick one|silly question|dumb question|question|another question|"
    "just wondering|just curious|just checking|just to be sure|just to confirm|just to be clear|i was just wondering|i am just wondering|out of curiosity|sorry|sorry to ask|excuse me|pardon|please|pls|btw|by the way|i forgot|i forget|i keep forgetting|i can not remember|i do not remember|remind me|tell me|"
    "anyway|actually|basically|honestly|real quick|help me out|i mean|you know|let me think|let us see|refresh my memory|exactly"
)
_PLEASE = "please |again |once more |once again |quickly |exactly |kindly |just |real quick |one more time "
_YOU_CAN = "(?:can|could|would|will|might) (?:you|u|someone|anyone|somebody|anybody) (?:please |kindly |quickly |just |maybe |perhaps |possibly |be able to |be so kind as to |be so kind and |mind )*|(?:would you )?mind |please |kindly "
_TELL_ME = r"(?:tell|telling|remind|reminding|show|showing|give|giving|let|letting) (?:me|us)(?: know)?|refresh my memory (?:on|about|as to)|help me (?:find out|find|remember|recall|figure out)|help me out with"
_I_WANT = "(?:i|we) (?:really |just |also |only )?(?:want|need|would like|would love|wish|have|am trying|was trying|am looking|am hoping|was hoping|wanted|would need) to (?:know|find out|find|remember|recall|ask|check|learn|figure out|understand|hear|see|confirm|be reminded of)"
_I_WONDER = "(?:i|we) (?:really |just |always |still |honestly )*(?:wonder|forget|forgot|keep forgetting|have forgotten|never remember|can never remember|do not (?:know|remember|recall)|can not (?:remember|recall|find)|am (?:wondering|not sure|unsure|curious|interested|asking)|was wondering|lost track of|have no idea)"

EN = Language(
    known_by="""a about after am an and any are at be been before by can could did do does for from had has have how i if in is it
my of on or our please she he should that the their there they this to us was we were what when where which who whose why will with would you your
many much not than tell me""",
    dropped="a an the",
    hello=rf"(?:{_HELLO})(?: (?:there|again|all|everyone))?",
    before=(
        rf"(?:{_YOU_CAN})?(?:{_TELL_ME}) (?:{_PLEASE})*(?:of (?:the fact )?)?(?!about\b|to\b|if\b|whether\b|more\b|everything\b|all\b|with\b|something\b|anything\b)",
        rf"(?:{_YOU_CAN})?(?:please |kindly )?(?:find out|find|look up|figure out|confirm|clarify|specify|state|name|dig up|pull up|recall|remember|search for|look for) (?:{_PLEASE})*(?:for me )?(?={_NOUN}|{_WH})",
        rf"(?:{_YOU_CAN})?(?:please |kindly )?(?:check|look into|see|say|get|share) (?:{_PLEASE})*(?:for me )?(?={_WH})",
        rf"(?:can|could|may|might) (?:i|we) (?:please )?(?:get|have|know|ask(?: you)?|please know) (?={_NOUN}|{_WH})",
        rf"{_I_WANT} (?={_NOUN}|{_WH})",
        r"(?:do you (?:happen to |still )?(?:know|remember|recall)|i (?:really |just )?need|i am looking for|i (?:can not|do not) (?:remember|recall)|i forgot|any idea of|what about) (?=(?:the|my|our)\b)",
        rf"{_I_WONDER} (?:about |as to |of )?(?={_WH})",
        r"(?:according to|from|in|per|looking at) (?:my|our|the) (?:notes|records|docs|documentation|files)",
        r"(?:what i (?:want|need|would like) to know is|(?:the|my) question is|here is my question)",
    ),
    embeds=(
        rf"(?:{_YOU_CAN})?(?:{_TELL_ME}|check|see|find out|confirm|say) (?:{_PLEASE})*(?=(?:if|whether)\b)",
        rf"(?:do|does|would|did|have|can|could) (?:you|we|anyone|anybody|i|someone|somebody|my notes|the notes|our notes) (?:happen to |still |perhaps |maybe |by any chance |even |ever |possibly |also )*(?:know|remember|recall|have (?:any|an) (?:idea|clue)|got (?:any|an) idea|mention|mentioned|note|noted|write down|written down|say|said|told you|tell you|told me) (?:to me |of |about |exactly )?(?={_WH}|(?:if|whether)\b)",
        rf"(?:any idea|any clue|any chance you know|any chance you remember|are you able to (?:tell|say)|is it known|is it clear|is there any record of|do we have a record of|would you know) (?:to me |of |about )?(?={_WH}|(?:if|whether)\b)",
        rf"(?:{_I_WANT}|{_I_WONDER}) (?=(?:if|whether)\b)",
        rf"(?:wondering|curious|not sure|unsure|no idea|trying to remember|forgot|forget) (?={_WH}|(?:if|whether)\b)",
    ),
    after=(
        r"please",
        r"pls",
        r"plz",
        r"lol",
        r"haha",
        r"thanks",
        r"thanks a lot",
        r"many thanks",
        r"thank you",
        r"thank you very much",
        r"thx",
        r"cheers",
        r"anyway",
        r"though",
        r"if you do not mind",
        r"if i may",
        r"by the way",
        r"btw",
        r"by any chance",
        r"by chance",
        r"do you know",
        r"do you remember",
        r"do you recall",
        r"can you tell me",
        r"could you tell me",
        r"can you remind me",
        r"could you remind me",
        r"remind me",
        r"tell me",
        r"if you know",
        r"if you remember",
        r"if i may ask",
        r"if possible",
        r"any idea",
        r"any ideas",
        r"i forgot",
        r"i forget",
        r"i keep forgetting",
        r"i can not remember",
        r"i do not remember",
        r"i can not recall",
        r"i wonder",
        r"just wondering",
        r"just curious",
        r"just checking",
        r"asking for a friend",
        r"off the top of your head",
        r"to be exact",
        r"for me please",
        r"as far as you know",
    ),
    asks=(
        ("howto", r"how (?:exactly )?(?:do|can) (?P<subject>i|we)(?: go about)?"),
        ("howto", r"how (?:do|can) (?:you|one|people)(?: go about)?"),
        ("howto", r"how to"),
        (
            "howto",
            r"(?:(?:what|which) (?:is|are) )?(?:the )?(?:procedure for|process for|process of|steps for|way of|instructions for|method of|method for)(?= \w+ing\b)",
        ),
        (
            "howto",
            r"(?:(?:what|which) (?:is|are) )?(?:the )?(?:way|steps?|procedure|instructions|process|commands?) (?:to|in order to|needed to|required to|necessary to)",
        ),
        (
            "howto",
            r"what (?:steps|do) (?:do|should)? ?(?P<subject>i|we) (?:need to |have to )?(?:take|do|follow) (?:to|in order to)",
        ),
        (
            "why",
            r"(?:how come|why|for (?:what|which) reason|what is the reason (?:for|that|why|behind)|what was the reason (?:for|that|why|behind)|what are the reasons (?:for|that|why|behind)|what is the reason|what was the reason|(?:the )?reasons? (?:for|why|that|behind))",
        ),
        (
            "howmany",
            r"(?:how many|what is the (?:total )?number of|what number of|what was the number of|(?:the )?number of)",
        ),
        ("howmuch", r"(?:how much|what amount of|what is the amount of)"),
        ("howlong", r"(?:for )?how (?:long|much time)(?! ago)"),
        (
            "howoften",
            r"(?:how often|how frequently|how regularly|at what frequency|with what frequency)",
        ),
        ("howold", r"(?:how old|at what age|what age)"),
        ("howfast", r"(?:how fast|(?:at )?(?:what|which) speed)"),
        ("howtall", r"how tall"),
        ("howheavy", r"how heavy"),
        ("howbig", r"how (?:big|large)"),
        ("howdeep", r"how deep"),
        ("howwide", r"how wide"),
        ("where", r"where (?:can|do|could|would|might|should) (?:i|we|one|you) (?:find|locate)"),
        (
            "where",
            r"(?:where|in (?:what|which) (?:place|location)|(?:at )?(?:what|which) (?:place|location)|what is the (?:location|whereabouts) of)",
        ),
        ("time", r"(?:at |around )?(?:what|which) (?:time of day|time|hour)"),
        ("day", r"(?:on )?(?:what|which) (?:day of the week|weekday|day)"),
        ("date", r"(?:on )?(?:what|which) date"),
        ("month", r"(?:in |during )?(?:what|which) month"),
        ("year", r"(?:in |during )?(?:what|which) year"),
        ("when", r"when"),
        ("whoby", r"by (?:whom|who)"),
        ("who", r"(?:who|whom|which person|what person)"),
        ("whose", r"whose"),
        (
            "about",
            r"(?:(?:can|could) you )?(?:please )?(?:tell|give|show|remind) (?:me|us) (?:something |more |everything |anything |all )?about",
        ),
        ("about", r"what (?:do|can) (?:you|we|i) (?:know|say|tell me) (?:to me )?about"),
        ("yes", r"(?:if|whether)(?: or not)?"),
        ("whatis", r"(?:what|which) (?:is|are|am|was|were)(?= )"),
        ("what", r"(?:what|which)"),
        ("how", r"how"),
    ),
    is_now="is are am be being been",
    places="""about above across after against along among around as at before behind below beneath beside between beyond by despite down
during except for from in inside into near off on onto out outside over past per since through throughout to toward under until up upon versus via while with within without than""",
    fillers="actually basically exactly precisely really honestly literally seriously lol umm um uh hmm kindly please",
    numbers="zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    equal="""
start begin commence kick_off
resolve solve
achieve attain
diary journal
likely probably
mostly largely
especially particularly
topic subject
ignore disregard
provide supply
vanish disappear
stairs staircase
story tale
trip journey
exclude omit
handle deal_with
talk speak
create make
close shut
move relocate
submit hand_in turn_in
fill_out fill_in
depend_on rely_on
cause lead_to
enjoy like
locate find
look_for search_for
collect pick_up
increase raise
accelerate speed_up
turn_on switch_on
turn_off switch_off
synchronize sync
meet_with meet
get_married marry
include contain
responsible_for in_charge_of
look_after take_care_of
tap faucet
truck lorry
vet veterinarian
blood_type blood_group
university uni
job occupation profession
luggage baggage
eggplant aubergine
zucchini courgette
glasses spectacles eyeglasses
gift present
bug defect
issue problem
pull_request pr
development dev
library lib
credential cred
organization org
company firm
retrospective retro
processor cpu
effect impact
difference distinction
autumn fall
aunt auntie
sister sis
brother bro
grandchild grandkid
baby infant
teenager teen
easiest simplest
afraid scared
sufficient enough
soon shortly
quickly rapidly
abroad overseas
surname last_name family_name
previous former prior
mainly primarily chiefly principally
partly partially
entirely totally completely wholly
intentionally deliberately
recently lately
mandatory compulsory obligatory
reliable dependable
optimal optimum
minimal minimum
maximal maximum max
achievement accomplishment
advertisement advert
buyer purchaser
campsite campground
cemetery graveyard
dormitory dorm
limousine limo
memorandum memo
noon midday
slogan motto
treaty pact
seller vendor
evaluate assess
calculate compute
collaborate cooperate
subtract deduct
supervise oversee
wander roam
dedicate devote
located situated
instantly immediately
aquarium fish_tank
check cheque
biweekly every_other_week
simultaneously concurrently
birthdate date_of_birth birth_date dob
birthplace place_of_birth birth_place
deathdate date_of_death death_date
deathplace place_of_death death_place
burialplace place_of_burial burial_place
end finish complete
buy purchase
fix repair mend
phone telephone
film movie
car automobile
doctor physician
lawyer attorney
flat apartment
sofa couch
trash garbage rubbish
fridge refrigerator
bike bicycle
tv television
child kid
mother mum mom mommy mummy mama
father dad daddy papa
grandmother grandma granny
grandfather grandpa granddad
photo photograph picture
repository repo
configuration config
database db
environment env
production prod
documentation docs
information info
specification spec
administrator admin
parameter param
kubernetes k8s
postgres postgresql
javascript js
typescript ts
password pwd pw
message msg
department dept
choose select pick opt_for
need require
allow permit
forbid prohibit
help assist assistance
live reside dwell
large big
larger bigger
largest biggest
fast quick rapid
faster quicker
fastest quickest
oldest eldest
expensive costly pricey
cheap inexpensive
construct build
delete erase remove
change modify alter
use utilize
reply respond
recommend suggest
entire whole
wrong incorrect
ill sick
rich wealthy
famous renowned
latest newest
usually normally typically
often frequently
rarely seldom
perhaps maybe
almost nearly
roughly approximately
everyone everybody
someone somebody
anyone anybody
until till
among amongst
while whilst
toward towards
about regarding concerning
colleague coworker workmate
roommate flatmate
teacher instructor
student pupil
author writer
singer vocalist
country nation
forest woods
plane airplane aeroplane
gasoline petrol
medicine medication meds
illness sickness
store keep
execute run
hire recruit
schedule timetable
goal objective
outcome result
disadvantage drawback downside
type kind
amount quantity
own possess
remember recall
understand comprehend
reduce decrease lower
improve enhance
hide conceal
stop halt cease
postpone defer
clothes clothing
basement cellar
taxi cab
bookstore bookshop
pharmacy drugstore
mathematics math maths
exam examination
folder directory
happen occur
inspect examine
leave depart
yearly annual annually per_year a_year each_year every_year per_annum
monthly per_month a_month each_month every_month
weekly per_week a_week each_week every_week
daily per_day a_day each_day every_day
hourly per_hour an_hour each_hour every_hour
percent %
deadline due_date
die pass_away
cancel call_off
happen take_place
postpone put_off
discuss talk_about speak_about
before prior_to
about with_regard_to with_respect_to when_it_comes_to in_regard_to
instead_of rather_than in_place_of
despite in_spite_of
except apart_from aside_from except_for
manually by_hand
originally initially at_first
because_of due_to owing_to on_account_of
to in_order_to
currently right_now at_the_moment at_present these_days nowadays
return come_back go_back get_back
username user_name
website web_site
timezone time_zone
backend back_end
frontend front_end
backup back_up
rollback roll_back
rollout roll_out
login log_in sign_in log_on sign_on
logout log_out sign_out
setup set_up
signup sign_up register
shutdown shut_down
startup start_up
cleanup clean_up
workout work_out
timeout time_out
email e_mail
wifi wi_fi
smartphone smart_phone
cellphone cell_phone mobile_phone
kind_of sort_of type_of
latest most_recent
and &
plus +
color colour
favorite favourite
favor favour
neighbor neighbour
neighborhood neighbourhood
behavior behaviour
honor honour
labor labour
flavor flavour
rumor rumour
harbor harbour
humor humour
center centre
theater theatre
meter metre
kilometer kilometre
liter litre
fiber fibre
catalog catalogue
dialog dialogue
program programme
gray grey
license licence
defense defence
offense offence
practice practise
traveler traveller
canceled cancelled
labeled labelled
jewelry jewellery
airplane aeroplane
pajamas pyjamas
judgment judgement
enroll enrol
fulfill fulfil
aluminum aluminium
mustache moustache
yogurt yoghurt
tire tyre
analyze analyse
adviser advisor
""",
)

DE = Language(
    known_by="""der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren wird werden hat haben mit von vom zu zum zur im
an auf aus bei nach vor für wie was wer wo wann warum welche welcher welches welchen ich du er wir ihr mir bitte mein meine unser unsere am habe kann wurde um es mich dich uns dir sich beim ins ob dass noch schon nur wenn weil seit bis durch ohne gegen über unter zwischen kein keine keinen meinen meinem meiner unserem unseren dein deine sein seine ihre man gibt heißt kannst weißt wollte muss soll sollte wem wen wohin woher wieso weshalb wieviel viele""",
    dropped="der die das den dem des ein eine einen einem einer eines",
    hello=r"(?:hallo|hey|hi|ok|okay|also|bitte|kurze frage|frage|sag mal|sagen sie mal|du|ähm|äh|hm|na|naja|gut|so|übrigens|ach|ach ja|mal eine frage|nur eine frage|ich frage mich|entschuldigung|guten morgen|guten tag|und)",
    before=(
        r"(?:bitte )?(?:sag|sage|sagen sie|nenn|nenne|nennen sie|zeig|zeige|verrate|gib) (?:mir|uns) (?:bitte |noch mal |nochmal |kurz )?",
    ),
    embeds=(
        r"(?:kannst|könntest|würdest|können|könnten) (?:du|sie|ihr) (?:mir |uns )?(?:bitte |noch mal |nochmal |kurz )?(?:sagen|verraten|erklären|mitteilen)",
        r"(?:bitte )?(?:sag|sage|sagen sie|verrate) (?:mir|uns) (?:bitte |noch mal |nochmal |kurz )?(?=(?:was|wann|wo|wer|wie|warum|wieso|weshalb|welche\w*|wem|wen|ob|wohin|woher)\b)",
        r"(?:weißt|weisst|erinnerst|wissen|wisst) (?:du|sie|ihr) (?:dich )?(?:noch |zufällig |vielleicht |eigentlich )?(?=(?:was|wann|wo|wer|wie|warum|wieso|weshalb|welche\w*|wem|wen|ob|wohin|woher)\b)",
        r"(?:ich )?(?:möchte|würde gern|würde gerne|will|muss|wüsste gern|wüsste gerne|frage mich|weiß nicht mehr|habe vergessen) (?:gern |gerne )?(?:wissen )?(?=(?:was|wann|wo|wer|wie|warum|wieso|weshalb|welche\w*|wem|wen|ob|wohin|woher)\b)",
    ),
    after=(
        r"bitte",
        r"danke",
        r"nochmal",
        r"noch mal",
        r"noch gleich",
        r"eigentlich",
        r"genau",
        r"weißt du das",
        r"weißt du das noch",
        r"übrigens",
        r"vielen dank",
    ),
    asks=(
        ("why", r"(?:warum|wieso|weshalb|aus welchem grund)"),
        ("cost", r"(?:was|wie viel|wieviel) (?:kostet|kosten)"),
        ("cost", r"wie teuer (?:ist|sind)"),
        ("cost", r"(?:was|welches|wie hoch|wie) ist der preis (?:von|vom|für|des|der)"),
        ("howmany", r"(?:wie viele|wieviele)"),
        ("howmuch", r"(?:wie viel|wieviel)"),
        (
            "whatis",
            r"(?:wie lautet|wie lauten|was ist|was sind|welches ist|welche sind|welcher ist)",
        ),
        ("when", r"wann"),
        ("where", r"wo"),
        ("who", r"wer"),
        ("what", r"was"),
        ("which", r"welche[rsnm]?"),
        ("how", r"wie"),
    ),
    is_now="ist sind",
    places="am an auf aus bei bis durch für gegen im in mit nach ohne seit um unter über vom von vor während wegen zu zum zur zwischen",
    equal="""
handy mobiltelefon
zuständig verantwortlich
auto wagen
telefonnummer telefon_nummer
email e_mail
zurzeit derzeit momentan gerade aktuell
oft häufig
""",
    verb_last=True,
    fillers="denn eigentlich doch bitte genau überhaupt",
    numbers="null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
)

ES = Language(
    known_by="""el la los las un una unos unas y o pero no es son era fue ser estar está están ha han con de del al en por para como cómo que qué quién quien dónde
donde cuándo cuando cuál cual cuáles cuántos cuántas cuánto se su sus lo mi mis nuestro nuestra nuestros nuestras me tenemos hay nos te le les este esta estos ese esa eso muy más menos sin sobre entre hasta desde antes después tengo tiene puedo puede puedes podrías hace hacer fueron tu tus yo él ella nosotros ellos sí ya también porque si a""",
    dropped="el la los las un una unos unas",
    hello=r"(?:hola|oye|oiga|mira|eh|pues|bueno|vale|a ver|por cierto|por favor|una pregunta|una duda|pregunta|perdona|perdón|disculpa|buenos días|buenas|y|entonces|solo por curiosidad|por curiosidad|me pregunto)",
    before=(
        r"(?:por favor )?(?:¿)?(?:puedes|podrías|podría|puede|me puedes|me podrías|me puede|podéis) (?:por favor )?(?:decirme|decirnos|recordarme|recordarnos|explicarme|indicarme|decir|recordar)",
        r"(?:por favor )?(?:dime|dígame|recuérdame|recuérdanos|indícame|dinos)",
    ),
    embeds=(
        r"(?:sabes|recuerdas|te acuerdas de|sabe|sabéis|me gustaría saber|quiero saber|quisiera saber|necesito saber|no recuerdo|no sé|tienes idea de) (?=(?:qué|que|cuándo|cuando|dónde|donde|quién|quien|quiénes|cómo|como|por qué|cuál|cual|cuáles|cuánto|cuánta|cuántos|cuántas|a qué|en qué|de qué|con quién|si)\b)",
    ),
    after=(
        r"por favor",
        r"gracias",
        r"muchas gracias",
        r"lo sabes",
        r"te acuerdas",
        r"lo recuerdas",
        r"por cierto",
    ),
    asks=(
        ("why", r"(?:por qué|por que|cuál es el motivo de que|por qué motivo|por qué razón)"),
        ("cost", r"(?:cuánto|cuanto) (?:cuesta|cuestan|vale|valen)"),
        ("cost", r"(?:qué|que) precio (?:tiene|tienen)"),
        ("cost", r"(?:cuál|cual) es el precio (?:de|del)"),
        ("whatis", r"(?:cuál es|cuáles son|qué es|qué son|cual es|cuales son)"),
        ("when", r"(?:cuándo|cuando)"),
        ("where", r"(?:dónde|donde)"),
        ("who", r"(?:quién|quien|quiénes)"),
        ("how", r"(?:cómo|como)"),
        ("howmany", r"(?:cuántos|cuántas|cuantos|cuantas)"),
        ("what", r"(?:qué|que)"),
    ),
    is_now="es son",
    places="a al ante bajo con contra de del desde durante en entre hacia hasta para por según sin sobre tras",
    equal="""
coche carro auto automóvil
ordenador computadora computador
móvil celular
correo_electrónico email e_mail correo
empezar comenzar
empieza comienza
empezó comenzó
empiezan comienzan
terminar acabar
termina acaba
terminó acabó
actualmente ahora_mismo en_este_momento
""",
    fillers="exactamente realmente",
    numbers="cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
)

FR = Language(
    known_by="""le la les des du un une de et ou mais ne pas est sont était dans sur avec pour par qui que quoi où quand comment il elle nous vous ils elles ce cette
ces en au aux mon ma mes notre nos je quel quelle quels quelles combien pourquoi est ce qu c l d j n s à on son sa ses leur leurs votre vos ton ta tes se y si plus sans chez après avant depuis entre sous tout tous toutes fait faire peux tu me te moi ai as avons avez ont été a dans lesquelles lequel""",
    dropped="le la les l un une",
    hello=r"(?:bonjour|salut|coucou|dis donc|dis|dites|alors|bon|euh|ben|au fait|du coup|en fait|ok|petite question|question|par curiosité|tiens|et|s il te plaît|s il vous plaît|une question|excuse moi|excusez moi)",
    before=(
        r"(?:s il (?:te|vous) plaît )?(?:peux tu|pouvez vous|pourrais tu|pourriez vous|tu peux|tu pourrais|vous pouvez|est ce que tu peux|est ce que vous pouvez) (?:s il te plaît |s il vous plaît )?(?:me |nous )(?:dire|rappeler|indiquer|donner)",
        r"(?:dis moi|dites moi|rappelle moi|rappelez moi|indique moi|donne moi)",
    ),
    embeds=(
        r"(?:sais tu|tu sais|savez vous|vous savez|te souviens tu|tu te souviens|te rappelles tu|tu te rappelles|je voudrais savoir|j aimerais savoir|je veux savoir|je me demande|est ce que tu sais) (?:de )?(?=(?:quand|où|qui|que|quoi|quel|quelle|quels|quelles|comment|pourquoi|combien|si|à|de|d|en)\b)",
    ),
    after=(
        r"s il te plaît",
        r"s il vous plaît",
        r"stp",
        r"svp",
        r"merci",
        r"au juste",
        r"tu sais",
        r"tu te souviens",
        r"merci beaucoup",
        r"au fait",
        r"en fait",
    ),
    asks=(
        ("why", r"(?:pourquoi est ce que?|pourquoi|pour quelle raison)"),
        ("when", r"(?:quand est ce que?|quand est ce qu|c est quand|quand)"),
        ("where", r"(?:où est ce que?|où est ce qu|c est où|où)"),
        ("how", r"(?:comment est ce que?|comment)"),
        ("cost", r"combien (?:coûte|coûtent)"),
        ("cost", r"quel est le (?:prix|tarif) (?:de|du|des|d)"),
        ("cost", r"combien est ce que? (?:coûte|coûtent)"),
        ("howmany", r"(?:combien de|combien d)"),
        ("who", r"(?:qui est ce qui|c est qui|qui)"),
        ("which", r"quel(?:le|s|les)?(?! (?:est|sont)\b)"),
        ("whatdo", r"(?:qu est ce que?|qu est ce qu)"),
        ("whatis", r"(?:quel est|quelle est|quels sont|quelles sont|c est quoi)"),
    ),
    is_now="est sont",
    places="à au aux avant après avec chez contre dans de d depuis des dès du durant en entre jusqu jusque par pendant pour sans selon sous sur vers",
    equal="""
voiture auto
portable téléphone_portable
mail email e_mail courriel
commencer débuter
commence débute
actuellement en_ce_moment
""",
    fillers="exactement précisément",
    numbers="zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
)

IT = Language(
    known_by="""il lo la i gli le un uno una di del della dei delle e o ma non è sono era con per da dal in nel nella su che chi cosa dove quando come perché quale quali
quanto quanti quante mio mia nostro nostra mi ho abbiamo al alla l d si ci ti vi ha hanno è sei siamo questo questa quello quella dopo prima senza tra fra ai agli dalla nei sul sulla qual più anche se suo sua loro puoi sai dimmi perche chi tuo tua miei mie io lui lei noi""",
    dropped="il lo la gli le l un uno una",
    hello=r"(?:ciao|scusa|scusami|senti|ehi|beh|dunque|insomma|a proposito|comunque|ma|per favore|per piacere|una domanda|domanda|per curiosità|e|allora)",
    before=(
        r"(?:per favore )?(?:mi )?(?:puoi|potresti|può|potrebbe|sai) (?:dirmi|ricordarmi|indicarmi|dire|ricordare|dirci)",
        r"(?:dimmi|mi dica|ricordami|dicci)",
    ),
    embeds=(
        r"(?:sai|ti ricordi|ricordi|vorrei sapere|voglio sapere|mi piacerebbe sapere|mi chiedo) (?=(?:che|cosa|chi|dove|quando|come|perché|quale|quali|qual|quanto|quanta|quanti|quante|a|in|se|da|di)\b)",
    ),
    after=(r"per favore", r"per piacere", r"grazie", r"lo sai", r"ti ricordi", r"a proposito"),
    asks=(
        ("why", r"(?:perché|come mai|per quale motivo)"),
        ("cost", r"quanto (?:costa|costano|viene)"),
        ("cost", r"qual è il prezzo (?:di|del|della|dei|delle|dello|dell)"),
        ("whatis", r"(?:qual è|quali sono|cos è|che cos è|cosa è)"),
        ("when", r"quando"),
        ("where", r"dove"),
        ("who", r"chi"),
        ("how", r"come"),
        ("which", r"(?:quale|quali|che)"),
        ("howmany", r"(?:quanti|quante)"),
        ("whatdo", r"(?:che cosa|cosa)"),
    ),
    is_now="è",
    places="a al alla alle ai agli con da dal dalla dei del della delle di d in nel nella per su sul sulla tra fra senza prima dopo durante fino",
    equal="""
macchina auto automobile
cellulare telefonino
email e_mail mail posta_elettronica
iniziare cominciare
inizia comincia
""",
    fillers="esattamente precisamente",
    numbers="zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
)

PT = Language(
    known_by="""o os as um uma de do da dos das e ou mas não é são era foi com para por pelo pela em no na nos nas que quem onde quando como porque qual quais quanto
quantos quantas meu minha nosso nossa se ao aos às à está estão eu você nós ele ela eles me te meus minhas seu sua seus suas este esta isso isto mais menos sem sobre entre até desde antes depois tem temos tenho pode já também porquê qual a foram são quê nossa nossos há num numa pela pelos""",
    dropped="o os um uma",
    hello=r"(?:olá|oi|ei|aliás|olha|bom|bem|ah|tipo|a propósito|por curiosidade|por favor|desculpa|uma pergunta|e|então)",
    before=(
        r"(?:por favor )?(?:você )?(?:pode|poderia|podes|podias|consegue) (?:por favor )?(?:me )?(?:dizer|lembrar|informar|dizer me|lembrar me)",
        r"(?:me diga|diga me|diz me|me lembre|lembra me|me diz)",
    ),
    embeds=(
        r"(?:você )?(?:sabe|sabes|lembra|lembras te|você se lembra|se lembra|gostaria de saber|quero saber|queria saber) (?:de )?(?=(?:o que|que|quem|onde|quando|como|por que|qual|quais|quanto|quantos|quantas|quanta|em|a|de|se)\b)",
    ),
    after=(
        r"por favor",
        r"obrigado",
        r"obrigada",
        r"você sabe",
        r"sabes",
        r"você lembra",
        r"a propósito",
    ),
    asks=(
        (
            "why",
            r"(?:por que motivo|por que razão|por que é que|por que|por quê|porque é que|porque)",
        ),
        ("when", r"(?:quando é que|quando)"),
        ("where", r"(?:onde é que|onde)"),
        ("cost", r"quanto (?:custa|custam|é)"),
        ("cost", r"qual é o preço (?:de|do|da|dos|das)"),
        ("whatis", r"(?:qual é|quais são|o que é|o que são)"),
        ("who", r"(?:quem é (?:mesmo )?que|quem)"),
        ("what", r"(?:o que é que|o que|que)"),
        ("how", r"(?:como é que|como)"),
        ("howmany", r"(?:quantos|quantas)"),
    ),
    is_now="é são",
    places="a à ao aos às até após com contra da das de desde do dos durante em entre na nas no nos para pela pelo por sem sob sobre",
    equal="""
carro automóvel
celular telemóvel
email e_mail correio_eletrônico
começar iniciar
começa inicia
""",
    fillers="afinal exatamente",
    numbers="zero um dois três quatro cinco seis sete oito nove dez onze doze",
)

NL = Language(
    known_by="""de het een en of maar niet is zijn was waren wordt worden heeft hebben met van naar in op aan bij uit voor over hoe wat wie waar wanneer waarom welke welk
ik je jij hij zij wij we ons onze mijn kun kan te om er die dat hem haar hun jullie u uw zou moet moeten wil willen heb hebt had hadden werd werden na tot tussen tegen tijdens zonder onder door dit deze als ook nog geen hoeveel waarheen welke ben bent weet alsjeblieft""",
    dropped="de het een",
    hello=r"(?:hallo|hoi|hey|zeg|nou|eh|trouwens|ok|oké|goedemorgen|vraag|uit nieuwsgierigheid|alsjeblieft|alstublieft|even een vraag|vraagje|en|dus)",
    before=(r"(?:zeg|vertel|geef|noem) (?:me|mij|eens) (?:even |alsjeblieft )?",),
    embeds=(
        r"(?:kun|kan|kunt|zou|zou je|zou u) (?:je|jij|u) (?:me |mij |ons )?(?:alsjeblieft |even |misschien )?(?:zeggen|vertellen|uitleggen|kunnen zeggen|kunnen vertellen)",
        r"(?:vertel|zeg) (?:me|mij|eens) (?:even |alsjeblieft )?(?=(?:wat|wie|waar|wanneer|waarom|hoe|hoeveel|welke|welk|of)\b)",
        r"(?:weet|weten|herinner) (?:je|jij|u|jullie) (?:je )?(?:nog |toevallig |misschien )?(?=(?:wat|wie|waar|wanneer|waarom|hoe|hoeveel|welke|welk|of)\b)",
        r"(?:ik )?(?:wil|zou graag|vraag me af|wil graag) (?:weten )?(?=(?:wat|wie|waar|wanneer|waarom|hoe|hoeveel|welke|welk|of)\b)",
    ),
    after=(
        r"alsjeblieft",
        r"alstublieft",
        r"bedankt",
        r"ook alweer",
        r"ook al weer",
        r"weet je dat",
        r"weet jij dat",
        r"trouwens",
        r"dank je",
        r"dankjewel",
    ),
    asks=(
        ("why", r"(?:waarom|om welke reden)"),
        ("cost", r"(?:hoeveel|wat) (?:kost|kosten)"),
        ("cost", r"(?:wat|hoe hoog) is de prijs (?:van|voor)"),
        ("cost", r"hoe duur (?:is|zijn)"),
        ("whatis", r"(?:wat is|wat zijn|welke is|welke zijn|hoe luidt)"),
        ("when", r"wanneer"),
        ("where", r"waar"),
        ("who", r"wie"),
        ("which", r"(?:welke|welk)"),
        ("what", r"wat"),
        ("how", r"hoe"),
    ),
    is_now="is",
    places="aan achter bij binnen boven buiten door in langs met na naar naast onder op over per rond sinds tegen tijdens tot tussen uit van voor zonder",
    equal="""
auto wagen
mobiel mobieltje gsm
email e_mail
beginnen starten
begint start
momenteel op_dit_moment
""",
    verb_last=True,
    fillers="eigenlijk alsjeblieft precies toch",
    numbers="nul een twee drie vier vijf zes zeven acht negen tien elf twaalf",
)

RU = Language(
    known_by="",
    dropped="",
    hello=r"(?:привет|здравствуйте|добрый день|слушай|слушайте|кстати|скажем|так|эй|ой|извини|извините|интересно|пожалуйста|вопрос|такой вопрос|быстрый вопрос|а|и|ну)",
    before=(
        r"(?:пожалуйста )?(?:подскажи|подскажите|скажи|скажите|напомни|напомните|расскажи|ответь) (?:мне |нам )?(?:пожалуйста )?(?:еще раз )?(?!о\b|об\b|про\b)",
        r"(?:ты можешь|можешь|не мог бы ты|можете|могли бы вы|не могли бы вы|мог бы ты|могла бы ты) (?:мне )?(?:пожалуйста )?(?:сказать|подсказать|напомнить)(?: мне)?",
    ),
    embeds=(
        r"(?:ты )?(?:знаешь|помнишь|не знаешь|не помнишь|знаете|помните|вы не знаете|вы знаете)(?: ли)?(?: ты| вы)? (?=(?:что|когда|где|кто|как|почему|зачем|какой|какая|какое|какие|какую|каком|сколько|куда|откуда|чей|чья|в|на|кому|кого|с)\b)",
        r"(?:я )?(?:хочу знать|хотел бы знать|хотела бы знать|хотелось бы знать|хочу узнать|забыл|забыла|не помню) (?=(?:что|когда|где|кто|как|почему|зачем|какой|какая|какое|какие|какую|каком|сколько|куда|откуда|чей|чья|в|на|кому|кого|с)\b)",
    ),
    after=(
        r"пожалуйста",
        r"спасибо",
        r"кстати",
        r"не знаешь",
        r"не помнишь",
        r"ты не знаешь",
        r"ты не помнишь",
        r"напомни",
        r"еще раз",
    ),
    asks=(
        ("whatis", r"что такое"),
        ("why", r"(?:почему|по какой причине|отчего)"),
        ("cost", r"сколько (?:стоит|стоят)"),
        ("cost", r"какова (?:цена|стоимость)"),
        ("howmany", r"сколько"),
        ("when", r"когда"),
        ("where", r"где"),
        ("who", r"кто"),
    ),
    places="без в во для до за из из-за к ко на над о об от перед по под после при про с со у через между",
    equal="""
телефон мобильник
электронная_почта email имейл
машина автомобиль
машину автомобиль
начинается стартует
""",
    fillers="же вообще собственно пожалуйста все-таки точно именно",
    numbers="ноль один два три четыре пять шесть семь восемь девять десять",
)

AR = Language(
    known_by="",
    dropped="",
    hello=r"(?:مرحبا|أهلا|طيب|حسنا|إذن|يعني|بالمناسبة|من فضلك|لو سمحت|رجاء|سؤال|سؤال سريع|عفوا)",
    before=(
        r"(?:هل )?(?:يمكنك|تستطيع|بإمكانك|ممكن) (?:ان |أن )?(?:تخبرني|تقول لي|تذكرني|تذكيري|إخباري|اخباري|إخبارني)(?: ب)?",
        r"(?:أخبرني|اخبرني|قل لي|ذكرني)",
    ),
    embeds=(
        r"(?:هل )?(?:تعرف|تعلم|تتذكر|تذكر) (?=(?:ما|ماذا|متى|أين|اين|كيف|كم|من|لماذا|أي|اي|في)\b)",
        r"(?:أريد|اريد|أود|اود) (?:ان |أن )?(?:أعرف|اعرف|معرفة) (?=(?:ما|ماذا|متى|أين|اين|كيف|كم|من|لماذا|أي|اي|في)\b)",
    ),
    after=(
        r"من فضلك",
        r"لو سمحت",
        r"شكرا",
        r"رجاء",
        r"بالضبط",
        r"تحديدا",
        r"هل تعرف",
        r"هل تتذكر",
        r"يا ترى",
    ),
    asks=(
        ("whatis", r"(?:ما هو|ما هي|ما هم|ماهو|ماهي)"),
        ("where", r"(?:أين|اين) (?:يقع|تقع|توجد|يوجد)"),
        ("where", r"(?:أين|اين)"),
    ),
)

TR = Language(
    known_by="ne zaman nerede nasıl kim kaç hangi için ve bir bu mı mi mu mü neden nedir bana kadar misin mısın ile hangisi nereye niye kimin nerde kime kimi neyi nereden şu o ben sen biz siz onlar benim senin bizim var yok değil çok daha en gibi sonra önce musun lütfen niçin kaçta olan oldu her tüm hiç da de ki",
    dropped="",
    hello=r"(?:merhaba|selam|lütfen|bir soru|acaba|peki|şey|hani|ya|bu arada|pardon|bir şey soracağım)",
    before=(
        r"(?:lütfen )?(?:bana )?(?:söyle|hatırlat|söyler misin|söyleyebilir misin|hatırlatır mısın|hatırlatabilir misin|söyler misiniz)",
    ),
    after=(
        r"lütfen", r"acaba", r"biliyor musun", r"hatırlıyor musun", r"bana söyler misin", r"söyler misin", r"söyleyebilir misin", r"bana söyleyebilir misin", r"teşekkürler", r"biliyor musunuz", r"hatırlıyor musunuz", r"acaba biliyor musun", r"tam olarak",
    ),
    asks=(("why", r"(?:neden|niçin|niye)"), ("when", r"ne zaman")),
    equal="""
araba otomobil
""",
)

LANGUAGES = {
    "en": EN,
    "de": DE,
    "es": ES,
    "fr": FR,
    "it": IT,
    "pt": PT,
    "nl": NL,
    "ru": RU,
    "ar": AR,
    "tr": TR,
}

# ------------------------------------------------------------------ English grammar

SHORT = {
    "what's": "what is", "who's": "who is", "where's": "where is", "when's": "when is", "how's": "how is", "why's": "why is", "which's": "which is",
    "that's": "that is", "there's": "there is", "here's": "here is", "it's": "it is", "he's": "he is", "she's": "she is", "let's": "let us",
    "i'm": "i am", "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "what're": "what are", "who're": "who are",
    "whats": "what is", "wheres": "where is", "whos": "who is", "hows": "how is", "whens": "when is", "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not", "im": "i am",
    "cant": "can not", "wont": "will not", "arent": "are not", "wasnt": "was not", "werent": "were not", "havent": "have not", "hasnt": "has not", "shouldnt": "should not", "couldnt": "could not", "wouldnt": "would not",
    "ive": "i have", "youre": "you are", "theyre": "they are", "thats": "that is", "whys": "why is", "y'all": "you all", "gonna": "going to", "wanna": "want to", "gotta": "got to", "pls": "please",
}
"""Written out; ``n't``, ``'re``, ``'ve``, ``'ll`` and ``'d`` are done by rule."""

TENSES = {
    "did": "past", "was": "past", "were": "past", "will": "future", "shall": "future", "can": "can", "could": "could", "may": "may", "might": "might",
    "should": "should", "must": "must", "would": "would", "ought": "should", "had": "had",
}
"""Auxiliaries that say when, or how sure; they go, and what they say must be equal."""
DO, BE, HAVE = (
    frozenset("do does did".split()),
    frozenset("is are am was were be been being".split()),
    frozenset("have has had".split()),
)
SUBJECTS = frozenset("i we".split())
"""They go, and must be equal unless the other question says it without any subject."""
ANYWHERE = frozenset(
    "usually often rarely always sometimes generally currently originally mainly".split()
)
"""Adverbs that say the same wherever they stand."""
FREE = frozenset("about from to since until during per as".split())
"""Prepositions whose phrases say the same wherever they stand."""
DAYS = frozenset("yesterday today tomorrow tonight monthly weekly daily yearly hourly".split())
SPANS = frozenset(
    "week month year night weekend quarter sprint season morning afternoon evening summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday day".split()
)
EVENTS = frozenset(
    "switch launch release visit move change upgrade update start end purchase call deploy rollback rollout merge review test audit backup redesign rewrite restart crash delay attack transfer export import".split()
)
"""Verbs that are their own nouns."""
STATES = frozenset("live work use study rent need".split())
"""Verbs for which "is living" says no more than "lives"."""
AGENTS = {
    "owner": ("own", ""), "maintainer": ("maintain", ""), "author": ("write", "past"), "creator": ("create", "past"), "founder": ("found", "past"),
    "inventor": ("invent", "past"), "composer": ("compose", "past"), "designer": ("design", "past"),
}
"""Nouns for who does something, and when it is done if they are it now."""
MAYBE_NAMES = frozenset(
    "will may can might must a an the us it who am or in is as mark jobs".split()
)
"""Words of grammar that are a name when they have a capital inside a sentence."""

RELATIONS = frozenset("""
deadline date day time name title password passcode pin key address email url link port price cost budget schedule agenda owner author maintainer version
status size color number id location reason cause recipe policy limit timeout threshold format license status goal purpose theme topic capacity duration length
ingredient member feature rule hour result requirement detail symptom advantage disadvantage meaning brand model width height weight age score rate salary population capital currency director founder ceo president host release path branch setting configuration phone plan
""".split())
"""Nouns of which "the X of the Y", "the Y's X", "the X for the Y" and "the Y X" are one."""
FOR = RELATIONS - frozenset("plan reason goal cause day time date release limit".split())
"""Those of them for which "for" is "of"."""
NOT_OF = frozenset("""
cup glass bottle box bag can pack kind type sort piece pair group part end top bottom side front back middle bit slice photo picture image portrait painting drawing sketch statue model map
memory fear opinion love story knowledge review criticism lack out because instead all most some any none one each both half many few several lot lots bunch couple dozen rest majority
thousand hundred million level state chance risk way line set series block stack pile bowl jar loaf sheet stream case sense matter made full tired afraid proud aware capable ahead inside outside think hear heard know dream speak
consist instance example use list loss gain killing hunt support hatred attack murder choice
""".split())
"""Words after which "of" is no possession that could be turned round."""

IRREGULAR = """
go went gone|come came|take took taken|give gave given|get got gotten|make made|know knew known|think thought|tell told|become became|show shown|bring brought|buy bought|build built|send sent|spend spent|lend lent|keep kept|sleep slept
sell sold|hold held|stand stood|understand understood|pay paid|say said|hear heard|mean meant|meet met|lose lost|teach taught|catch caught|fight fought|seek sought|write wrote written|drive drove driven|ride rode ridden|rise risen
eat ate eaten|speak spoken|break broke broken|choose chose chosen|freeze froze frozen|steal stole stolen|wear wore worn|begin began begun|drink drank drunk|sing sang sung|swim swam swum|ring rang rung|run ran|win won|sit sat
throw threw thrown|grow grew grown|fly flew flown|draw drew drawn|forget forgot forgotten|hide hid hidden|lead led|feed fed|leave|sweep swept|fall fallen|see seen|do done|die died|lie lied|wake woke woken|shake shook shaken|forgive forgave forgiven
"""
"""Verbs with their past forms, as far as those are no other words."""
SAME_PAST = frozenset(
    "read put set cut hit let cost hurt shut quit spread split beat bet cast upset reset".split()
)
"""Verbs whose past may look as their present does."""
PLURALS = {
    "children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth", "mice": "mouse", "geese": "goose",
    "wives": "wife", "knives": "knife", "shelves": "shelf", "wolves": "wolf", "halves": "half", "selves": "self", "loaves": "loaf", "criteria": "criterion",
    "apis": "api", "repos": "repo", "configs": "config", "dbs": "db", "envs": "env", "prs": "pr", "urls": "url", "ids": "id", "mums": "mum", "moms": "mom",
    "mondays": "monday", "tuesdays": "tuesday", "wednesdays": "wednesday", "thursdays": "thursday", "fridays": "friday", "saturdays": "saturday", "sundays": "sunday",
    "grandkids": "grandkid", "creds": "cred", "libs": "lib", "orgs": "org", "tvs": "tv", "pdfs": "pdf", "cves": "cve", "vms": "vm", "slos": "slo", "webhooks": "webhook", "params": "param", "specs": "spec", "admins": "admin", "emails": "email",
    "does": "do", "goes": "go", "has": "have", "dies": "die", "photos": "photo",
}
NO_PLURALS = frozenset("""
news glasses customs goods arms means lens always perhaps besides towards afterwards sometimes yes this his its thus gas bus plus minus basis thanks jeans pants shorts savings earnings headquarters
odds windows times woods clothes manners terms damages premises quarters grounds series species lots heads tails looks pains spirits ours yours hers theirs across less us as is was does has bass pass boss loss class press process access address
express brass cross dress glass grass mass mess miss kiss guess tess chess success business happiness illness harness witness fitness princess actress waitress hostess mistress stress progress congress process abs obs apples stripes slacks overseas
indoors outdoors upstairs downstairs nowadays whereas alias atlas canvas christmas bias chaos virus status focus bonus campus census chorus circus corpus genius menus versus gods devs ops sales sos contents effects colours colors facilities
securities authorities amenities proceeds stairs minutes papers letters relations directions communications operations affairs hills states nations gunners spurs hawks
""".split())
NO_PAST = frozenset(
    "wicked rugged sacred naked hundred hatred kindred embed shed united married bored wounded seed need feed speed breed weed deed bleed greed reed heed indeed exceed proceed succeed".split()
)
VERBS = frozenset("""
deploy choose decide migrate eat go come take make get give keep send learn teach buy sell pay speak write sing drive wear sit live move install configure remove delete add create connect prefer need want prepare publish refactor replace
handle happen bring become begin believe belong build behave borrow collect compare compile complain connect consider consume contain continue convert deliver depend describe destroy develop disable discuss earn enable enjoy ensure enter
execute exist expect explain explore expire fail find finish follow forget get grow hear hire identify implement improve include increase inform investigate invite join know lose maintain manage merge modify notify obtain organize participate perform
postpone prevent produce promise protect prove provide receive recommend recover reduce refer refuse register relocate remain remember renew repair reply require resolve respond restore retain retire return save say see seem sell serve share solve speak
spend suggest supply survive sync teach tell think throw understand update upgrade upload use utilize validate verify wash watch work write store reside commence subscribe apply arrive attend
""".split())
"""Verbs whose form in -ing is hardly ever a thing of its own."""
BY_OWNER = frozenset(
    "suggest decide recommend propose conclude choose arrive depart explain announce retire die graduate fail discover invent grow survive participate apply".split()
)
"""Verbs of which an owner is the one who does it: Noor's suggestion is what Noor suggested."""
DONE = {
    noun: verb
    for pair in """
deployment/deploy migration/migrate decision/decide installation/install authentication/authenticate authorization/authorize creation/create deletion/delete removal/remove replacement/replace payment/pay arrival/arrive departure/depart
approval/approve renewal/renew cancellation/cancel cancelation/cancel implementation/implement integration/integrate expiration/expire expiry/expire explanation/explain invitation/invite delivery/deliver discovery/discover recovery/recover
announcement/announce adjustment/adjust achievement/achieve measurement/measure recommendation/recommend suggestion/suggest selection/select choice/choose discussion/discuss conclusion/conclude conversion/convert expansion/expand
submission/submit translation/translate transformation/transform validation/validate verification/verify notification/notify publication/publish preparation/prepare promotion/promote protection/protect reduction/reduce introduction/introduce
construction/construct destruction/destroy distribution/distribute donation/donate election/elect evaluation/evaluate execution/execute graduation/graduate improvement/improve inspection/inspect investigation/investigate invention/invent
modification/modify nomination/nominate reservation/reserve resolution/resolve restoration/restore retirement/retire revision/revise rotation/rotate separation/separate subscription/subscribe termination/terminate vaccination/vaccinate
violation/violate refusal/refuse proposal/propose survival/survive failure/fail marriage/marry death/die growth/grow loss/lose registration/register relocation/relocate adoption/adopt calculation/calculate collaboration/collaborate
application/apply completion/complete compilation/compile consumption/consume detection/detect encryption/encrypt estimation/estimate generation/generate initialization/initialize participation/participate prevention/prevent optimization/optimize
""".split()
    for noun, _, verb in [pair.partition("/")]
}
"""Nouns that are the doing of a verb."""

MONTHS = {
    name: number
    for number, names in enumerate("jan january,feb february,mar march,apr april,may,jun june,jul july,aug august,sep sept september,oct october,nov november,dec december".split(","), 1)
    for name in names.split()
}

# ------------------------------------------------------------------ scripts without spaces

ENDS = {
    "zh": (
        "请问一下 问一下 想问一下 我想问一下 请问 請問 请告诉我 請告訴我 告诉我 告訴我 能告诉我 你能告诉我 可以告诉我 你可以告诉我 能不能告诉我 可否告诉我 麻烦告诉我 你知道 您知道 你知不知道 我想知道 想知道 你还记得 你记得 帮我查一下 提醒我一下 提醒我".split(),
        "呢 啊 呀 来着 谢谢 謝謝 你知道吗 你还记得吗 你记得吗".split(),
    ),
    "ja": (
        (),
        "教えてください を教えてください 教えて を教えて 教えてくれますか を教えてくれますか 教えてもらえますか を教えてもらえますか かを教えてください か教えてください か教えて かわかりますか か分かりますか か知っていますか でしょうか ですか です か".split(),
    ),
}
"""Frames before and after."""
INTERJECTIONS = frozenset(
    "嗯 那个 我说 其实 具体 请 請 麻烦 那么 那 对了 對了 话说 顺便问一下 不好意思 你好 えっと ええと えーと ところで そういえば さて すみません すみませんが ちなみに あの ねえ".split()
)
"""What goes where a comma follows."""
AS_QUESTION = "吗 嗎 么 麼"
"""An ending that goes with a frame that asked whether one knows."""
SIGNS = {
    "zh": "什么时候=何时=几时=什麼時候=何時=啥时候 为什么=为何=为啥=為什麼=為何 怎么样=怎样=怎么=如何=怎麼=怎樣 哪里=哪儿=何处=哪裡=在哪儿 什么=啥=什麼 多少=几多",
    "ja": "いつ=何時いつ なぜ=どうして=なんで どこ=何処 だれ=誰 何=なに=なん",
}

REWRITTEN = {
    "zh": (
        (r"到底|究竟|来着", ""),
        (r"^是(谁.+)的$", r"\1"),
        (r"是(?=什么时候|多少|哪里)", ""),
        (r"^(.+)的(?:方法|办法|步骤)是什么$", r"怎么\1"),
        (r"(?<=[\u4e00-\u9fff])的(?=[\u4e00-\u9fff])(?![是吗呢在有不])", ""),
    ),
    "ja": ((r"が(?=いつ|どこ|だれ|何|なぜ|いくら)", "は"), (r"は何$", ""), (r"って何$", "")),
}
"""Other words for the same."""


@cache
def equal(language: str) -> dict[str, str]:
    """For a word (or words, with spaces) the one that stands for its group."""
    found: dict[str, str] = {}
    for line in LANGUAGES[language].equal.split("\n"):
        group = [word.replace("_", " ") for word in line.split()]
        for word in group[" " not in "".join(group[:1]) :]:
            found[word] = group[0]
    # A group may begin with a word that another group has.
    return {word: found.get(one, one).replace(" ", "_") for word, one in found.items()}
