"""Questions made by rule from ordinary prose, as training pairs for small ranking models.

A passage is cleaned and cut into sentences. Each sentence is read in two ways: whole, against
SENTENCE_RULES (technical prose: "Use X to Y"), and as a clause of subject, verb and rest
(`read_clause`), against PREDICATE_RULES ("was born in PLACE") and a few generic turns (take the
date, the number, the object or the subject away and ask for it). Headings, titles, commit subjects
and plain claims make the rest. What comes out is drawn at random by kind, then loosened: synonyms,
lower case, small talk around it. Rules are data; where none fits well a passage yields little.

    xzcat docs.jsonl.xz | python training/questions.py [LIMIT]
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Asked(NamedTuple):
    """One question a passage answers."""

    question: str
    answer: str  # the span of the passage that answers it; "" where the whole passage does
    kind: str


class Draft(NamedTuple):
    """A question before it is loosened; `embeds` where it can follow "do you remember"."""

    question: str
    answer: str
    kind: str
    embeds: bool = False


class Clause(NamedTuple):
    """A sentence read as [lead date,] subject verb rest."""

    lead: str  # "in 2011", or ""
    subject: str
    is_title: bool
    person: bool
    verb: str
    rest: str


class Rule(NamedTuple):
    """A pattern and the questions it allows; {s} is the subject, {a} and {b} its groups."""

    pattern: re.Pattern[str]
    asks: tuple[tuple[str, str, str], ...]  # (kind, template, name of the answering group)


class Context(NamedTuple):
    """What of the passage the rules may lean on."""

    title: str  # the title as a name ("" where it is none)
    person: bool  # whether the title seems to be a person


# ---------------------------------------------------------------------------------------- words

STOPWORDS = frozenset(
    """a about above after again against all also although am among an and any are as at be because
    been before being between both but by can could did do does doing done down during each either
    etc every few for from further had has have having he her here hers him his how however i if in
    into is it its itself just later like made many may me might more most much must my new no nor
    not of off often on once one only or other others our out over own per same several she should
    since so some such than that the their them then there therefore these they this those through
    thus to too two under until up upon us use used uses using very via was we well were what when
    where whether which while who whom whose why will with within without would yet you your first
    three including based provides provide contains package see note along together included known
    called among""".split()
)

# Base forms of regular verbs, common enough to be trusted as the verb of a clause.
REGULAR = """abandon accept achieve acquire act add adopt advance affect agree aim allow
announce appear apply appoint approve argue arrive ask attack attempt attend award base believe
belong betray call cancel capture carry cause celebrate change claim close coach collect command
complete compose conclude conduct confirm consist contain continue contribute convert cover
create cross debut decide declare decline decrease defeat defend define deliver demonstrate
demolish deny depend describe design destroy determine develop die direct discover dissolve
divide donate earn educate elect emerge employ enable encourage end enter establish evolve
exceed exhibit exist expand explain explore express extend face fail feature finish follow force
form found fund gain graduate handle happen head help hire host identify implement improve
include incorporate increase indicate induce influence inhibit inherit inspire install introduce
invent invite involve issue join judge kill land last launch learn limit link list live locate
maintain manage mark marry measure mention merge migrate move name need nominate note observe
obtain occupy occur offer open operate oppose order organize own paint participate pass perform
place plan play portray prefer premiere prepare present prevent print produce promote propose
protect prove provide publish purchase qualify raise rank reach receive record reduce refer
reflect refuse register reject relate release relocate remain remove rename renew replace report
represent request require resemble resign resolve restore result retire return reveal rule sail
save score seize select separate serve settle share show sign sound span specialize star start
state stay stop store study submit succeed suffer suggest support surrender switch teach tend
test tour trade train transfer translate travel turn unite use view visit vote want warn watch
widen work yield alter analyze assign attach block build cache check choose clean clear clone
commit compare compile compute configure connect control convert copy customize debug declare
decode delete deploy detect disable display document download edit embed enable encode encrypt
ensure evaluate execute export extract fetch filter find fix format generate get import index
initialize insert inspect integrate invoke load lock log map match modify monitor mount move
nest normalize optimize override pack parse patch pin process query reload render reset retrieve
revert rewrite route run scale scan schedule search secure serialize set skip solve sort specify
split store subclass sync tag trace transform trigger tune undo uninstall understand update
upgrade upload validate verify wrap write"""

IRREGULAR = """be/was/been beat/beat/beaten let/let/let quit/quit/quit tear/tore/torn
become/became/become begin/began/begun bring/brought/brought build/built/built buy/bought/bought
catch/caught/caught choose/chose/chosen come/came/come cost/cost/cost cut/cut/cut do/did/done
draw/drew/drawn drive/drove/driven fall/fell/fallen feel/felt/felt fight/fought/fought
find/found/found flee/fled/fled fly/flew/flown get/got/got give/gave/given go/went/gone
grow/grew/grown have/had/had hear/heard/heard hit/hit/hit hold/held/held keep/kept/kept
know/knew/known lay/laid/laid lead/led/led leave/left/left lend/lent/lent lose/lost/lost
make/made/made mean/meant/meant meet/met/met overthrow/overthrew/overthrown pay/paid/paid
put/put/put read/read/read ride/rode/ridden rise/rose/risen run/ran/run say/said/said
see/saw/seen seek/sought/sought sell/sold/sold send/sent/sent set/set/set shoot/shot/shot
sing/sang/sung sink/sank/sunk speak/spoke/spoken spend/spent/spent split/split/split
stand/stood/stood steal/stole/stolen strike/struck/struck take/took/taken teach/taught/taught
tell/told/told think/thought/thought throw/threw/thrown understand/understood/understood
undergo/underwent/undergone wear/wore/worn win/won/won withdraw/withdrew/withdrawn
rewrite/rewrote/rewritten write/wrote/written override/overrode/overridden undo/undid/undone"""

DOUBLING = frozenset(
    "commit submit refer prefer transfer occur admit control compel equip embed debug program "
    "reset".split()
)


def _stem(base: str) -> str:
    """The verb as an -ed or -ing ending wants it, its last consonant doubled where due."""
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base)
    return base + base[-1] if short or base in DOUBLING else base


def third(base: str) -> str:
    """provide -> provides."""
    if base in ("be", "have"):
        return {"be": "is", "have": "has"}[base]
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def gerund(base: str) -> str:
    """run -> running."""
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return (base[:-2] + "y" if base.endswith("ie") else base[:-1]) + "ing"
    return _stem(base) + "ing"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if re.search(r"[^aeiou]y$", base) else _stem(base) + "ed"


PAST: dict[str, str] = {base: _regular_past(base) for base in REGULAR.split()}
PARTICIPLE: dict[str, str] = dict(PAST)
for _forms in IRREGULAR.split():
    _base, _past, _done = _forms.split("/")
    PAST[_base], PARTICIPLE[_base] = _past, _done
BASE_OF_PAST = {past: base for base, past in PAST.items() if base not in ("be", "find")}
BASE_OF_THIRD = {third(base): base for base in PAST if base != "be"}
BASE_OF_GERUND = {gerund(base): base for base in PAST}
PARTICIPLES = frozenset(PARTICIPLE.values()) | {"born"}
AUXILIARIES = frozenset({"was", "were", "is", "are"})


def _families(pairs: str, forms: tuple[Callable[[str], str], ...]) -> dict[str, tuple[str, ...]]:
    """Read "word: other, other; ..." and spread each entry over the forms of its words."""
    table: dict[str, tuple[str, ...]] = {}
    for entry in pairs.replace("\n", " ").split(";"):
        word, _, others = entry.partition(":")
        if not others.strip():
            continue
        choices = [other.strip() for other in others.split(",")]
        for form in forms:
            table.setdefault(form(word.strip()), tuple(form(choice) for choice in choices))
    return table


def _inflect(forms: dict[str, str], regular: Callable[[str], str]) -> Callable[[str], str]:
    """A form-maker that bends the first word of a phrase: "set up" -> "sets up"."""

    def bend(phrase: str) -> str:
        head, space, tail = phrase.partition(" ")
        return (forms.get(head) or regular(head)) + space + tail

    return bend


def _plural(phrase: str) -> str:
    return third(phrase) if phrase not in ("people", "staff") else phrase


VERB_SYNONYMS = """begin: start; start: begin; found: set up, start, create; establish: set up,
found, create; purchase: buy; acquire: buy, take over; buy: purchase; publish: bring out, put
out; receive: get; obtain: get; direct: make; compose: write; construct: build; build: put up,
construct; demolish: tear down, knock down; destroy: wreck, ruin; reside: live; relocate: move;
depart: leave; leave: quit; commence: begin, start; terminate: end; conclude: end, finish;
finish: complete; complete: finish; defeat: beat; lead: head, run; manage: run; operate: run;
portray: play; perform: do; appoint: name, choose; select: choose, pick; choose: pick, select;
elect: vote in, choose; hire: employ, take on; employ: use; utilize: use; assist: help; help:
assist, aid; attempt: try; require: need; need: require; permit: let; demonstrate: show; show:
demonstrate, reveal; reveal: show; indicate: show, suggest; suggest: imply; discover: find;
identify: find, spot; detect: find, spot; observe: see, notice; describe: explain; explain:
describe; create: make, produce; produce: make; generate: create, produce; develop: build,
create; design: create; invent: devise, come up with; introduce: bring in; launch: start,
introduce; remove: delete, drop; delete: remove, erase; eliminate: remove; replace: swap out,
substitute; modify: change, alter; alter: change; change: modify, alter; convert: turn,
transform; increase: raise, grow; decrease: reduce, lower; reduce: lower, cut; improve: enhance;
enhance: improve; expand: grow, extend; avoid: prevent, get around; stop: halt, end; cease:
stop; fix: repair, solve; resolve: fix, solve; repair: fix; solve: fix; configure: set up,
adjust; install: set up; specify: set, give; define: set, specify; modernize: update; update:
refresh; obtain: get; retrieve: fetch, get; fetch: get, retrieve; provide: offer, give; offer:
provide; supply: provide; contain: include, hold; include: contain; comprise: include; display:
show; print: output; execute: run; run: execute; invoke: call; verify: check; validate: check;
examine: look at, study; study: examine; investigate: look into, study; analyze: study, examine;
compare: contrast; connect: link, hook up; link: connect; attach: add; combine: merge, join;
merge: combine; separate: split; store: keep, save; save: keep, store; load: read in; transmit:
send; send: transmit; allocate: assign; gain: get, earn; earn: get; seize: capture, take;
capture: take, seize; attack: assault; die: pass away; marry: wed; wed: marry; teach: instruct;
educate: teach; collaborate: work together; participate: take part; attend: go to; visit: go to;
move: relocate; resign: step down; succeed: follow; inspire: influence; influence: affect,
shape; affect: influence, impact; cause: lead to, bring about; trigger: cause, set off; induce:
cause, trigger; inhibit: block, suppress; suppress: inhibit; promote: encourage, boost;
encourage: promote; stimulate: boost; oppose: resist; reject: turn down; refuse: decline;
accept: take; approve: accept; announce: declare; declare: announce; recommend: advise, suggest;
write: pen; feature: include; rebuild: reconstruct; restore: bring back; abandon: give up; join:
enter; enter: join; host: present; ensure: make sure; enable: turn on, switch on; disable: turn
off, switch off; customize: adapt, tailor; ignore: skip; skip: ignore; override: replace;
search: look through; sort: order; upgrade: update; simplify: ease"""

NOUN_SYNONYMS = """film: movie; movie: film; novel: book; song: track, tune; album: record;
band: group; company: firm, business; firm: company; corporation: company; organization: body,
group; university: college; school: academy; physician: doctor; doctor: physician; attorney:
lawyer; lawyer: attorney; author: writer; writer: author; actor: performer; singer: vocalist;
vocalist: singer; footballer: football player; politician: statesman; monarch: ruler; ruler:
monarch; soldier: fighter; battle: fight, clash; war: conflict; agreement: deal, pact; treaty:
agreement, pact; award: prize, honour; prize: award; championship: title; tournament:
competition; competition: contest; contest: competition; match: game; job: post, work; position:
post, role; role: part; residence: home; dwelling: house; building: structure; structure:
building; village: settlement; settlement: village; road: street; street: road; area: region;
region: area; district: area; country: nation; nation: country; location: place, spot; site:
place; child: kid; wife: spouse; husband: spouse; spouse: partner; father: dad; mother: mom;
pupil: student; student: pupil; teacher: instructor; professor: academic; employee: worker;
worker: employee; inhabitant: resident; resident: inhabitant; citizen: resident; member:
participant; leader: head, chief; owner: proprietor; founder: creator; creator: maker; magazine:
journal; journal: periodical; newspaper: paper; article: piece; story: tale; tale: story;
painting: picture; image: picture; picture: image; error: mistake, fault; bug: defect, error;
defect: bug; failure: breakdown; problem: issue, trouble; issue: problem; warning: alert;
message: notice; feature: capability; method: approach, way; approach: method; technique:
method; procedure: process; option: setting; setting: option; parameter: argument, option;
argument: parameter; tool: utility, program; utility: tool; program: application; application:
app, program; library: package; directory: folder; folder: directory; document: file; manual:
guide, handbook; guide: manual; documentation: docs; example: sample; database: data store;
password: passphrase; amount: quantity; quantity: amount; speed: rate; cost: price; price: cost;
income: earnings; profit: gain; goal: aim; aim: goal; purpose: goal; reason: cause; cause:
reason; effect: impact, influence; impact: effect; result: outcome; outcome: result;
consequence: result; change: alteration; increase: rise, growth; rise: increase; decrease: drop,
decline; decline: drop; reduction: decrease; growth: increase; disease: illness; illness:
disease, sickness; disorder: condition; therapy: treatment; treatment: therapy; drug: medicine;
medicine: drug; patient: sufferer; injury: wound; tumor: cancer; infant: baby; risk: danger;
danger: risk; benefit: advantage; advantage: benefit; drawback: disadvantage; evidence: proof;
proof: evidence; experiment: trial; trial: test; theory: idea; concept: idea; idea: notion;
period: time; era: period; beginning: start; start: beginning; ending: end; debut: first
appearance; vessel: ship; ship: vessel; aircraft: plane; automobile: car; car: automobile;
railway: railroad; railroad: railway; shop: store; summit: top; coast: shore; stream: brook;
replacement: substitute; extension: add-on; interface: front end; snippet: fragment; bundle:
set; suite: collection; collection: set"""

ADJECTIVE_SYNONYMS = """large: big; big: large; small: little; little: small; huge: enormous;
tiny: very small; famous: well-known; well-known: famous; renowned: famous; notable: noteworthy;
important: significant, key; significant: important; major: main, important; main: chief,
primary; primary: main; principal: main; initial: first; final: last; former: previous;
previous: earlier; current: present; modern: contemporary; ancient: very old; old: aged; rapid:
fast, quick; fast: quick; quick: fast; slow: sluggish; easy: simple; simple: easy; difficult:
hard; hard: difficult; complex: complicated; complicated: complex; essential: necessary;
necessary: needed; available: on offer; frequent: common; rare: uncommon; usual: normal; normal:
usual; typical: usual; different: distinct; distinct: different; similar: alike; various:
different; numerous: many; many: lots of; several: a number of; additional: extra; extra:
additional; entire: whole; whole: entire; full: complete; empty: blank; correct: right;
incorrect: wrong; wrong: incorrect; popular: well-liked; powerful: strong; strong: powerful;
weak: feeble; wealthy: rich; poor: impoverished; beautiful: pretty; dangerous: unsafe; unsafe:
dangerous; secure: safe; safe: secure; foreign: overseas; global: worldwide; worldwide: global;
external: outside; internal: inner; automatic: hands-off; manually: by hand; automatically: by
itself; rapidly: quickly; quickly: fast; approximately: about, roughly; about: around; roughly:
about; nearly: almost; almost: nearly; primarily: mainly; mainly: mostly; mostly: mainly;
usually: normally; frequently: often; often: frequently; currently: now; formerly: once,
previously; previously: before; originally: at first; initially: at first; subsequently: later;
eventually: in the end; jointly: together; together: jointly; beneath: under; despite: in spite
of; elderly: old; young: youthful; lightweight: light, small; robust: solid; flexible:
adaptable; obsolete: outdated; deprecated: outdated; missing: absent; broken: faulty; faulty:
broken; free: no-cost; cheap: inexpensive; expensive: costly; higher: greater; lower: smaller;
greater: larger; severe: serious; serious: severe; chronic: long-lasting; fatal: deadly; deadly:
fatal; crucial: vital; vital: crucial; sufficient: enough; enough: sufficient; insufficient: too
little; beneficial: helpful; harmful: damaging; helpful: useful; useful: handy"""


def _same(phrase: str) -> str:
    return phrase


# Nouns stand before verbs: a bare "record" or "study" in a question is more often the noun, and
# verb entries fill in only the forms the nouns leave free.
SYNONYMS: dict[str, tuple[str, ...]] = (
    _families(VERB_SYNONYMS, (_same, _inflect({}, third), _inflect({}, gerund)))
    | {
        word: others
        for word, others in _families(VERB_SYNONYMS, (_inflect(PAST, _regular_past),)).items()
        # "was begun", "was taken": the past stands for the participle only where they agree
        if all(
            PARTICIPLE.get(BASE_OF_PAST.get(o.split()[0], ""), o.split()[0]) == o.split()[0]
            for o in others
        )
    }
    | _families(NOUN_SYNONYMS, (_same, _plural))
    | _families(ADJECTIVE_SYNONYMS, (_same,))
)
# Forms that are too often something else than the table takes them for.
for (
    _word
) in "found left state states place places key number end ends about little free hard".split():
    SYNONYMS.pop(_word, None)

# ------------------------------------------------------------------------------------- patterns

MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = (
    rf"(?:(?:(?:early|late|mid)[ -])?(?:the )?(?:\d{{1,2}} {MONTH}(?:,? \d{{4}})?"
    rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|{MONTH},? \d{{4}}|(?:1\d|20)\d\ds?)\b)"
)
NUMBER = (
    r"(?:\d[\d,.]*(?: (?:million|billion|thousand))?|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundreds|thousands)"
)
CAP = r"[A-Z][\w'’.&/-]*"
NAME = rf"(?:{CAP}(?: (?:(?:of|the|de|van|von|der|al|and|for|in|du|la|di|bin) )*{CAP})*)"
PERSON_NAME = rf"(?:{CAP}(?: (?:de|van|von|der|al|bin|du|la|di) {CAP}| {CAP}){{1,4}})"
PLACE = rf"(?:the )?{CAP}(?: (?:(?:of|the|de|and|upon) )*{CAP})*(?:, {NAME})*"
WORK = r"(?:film|movie|novel|book|album|song|single|series|sitcom|opera|play|game|EP|documentary)"
SPAN = rf"(?:from {DATE} (?:to|until|till) {DATE}|between {DATE} and {DATE})"
THE_THING = (
    r"The (?:film|movie|novel|book|album|song|single|series|band|group|company|firm|team|club|town|"
    r"city|village|school|university|college|river|station|game|show|magazine|newspaper|church|"
    r"building|academy|institute|airport|museum|ship|organization|organisation|party|species|genus|play|opera|bridge)"
)
KIN = r"(?:son|daughter|wife|husband|brother|sister|father|mother|grandson|nephew|niece|cousin)"


def _rule(pattern: str, *asks: tuple[str, str, str]) -> Rule:
    return Rule(re.compile(pattern), asks)


# Against a clause's "verb rest"; {s} is its subject.
PREDICATE_RULES: tuple[Rule, ...] = (
    _rule(
        rf"^(?:is|was) born (?:on|in) (?P<a>{DATE})",
        ("when", "When was {s} born?", "a"),
        ("when", "What is the birth date of {s}?", "a"),
    ),
    _rule(
        rf"^(?:is|was) born (?:.{{0,40}}? )?(?:in|at) (?P<a>{PLACE})(?=[.,;]| to | on | in |$)",
        ("where", "Where was {s} born?", "a"),
        ("where", "What is the birthplace of {s}?", "a"),
    ),
    _rule(
        rf"^died (?:.{{0,40}}? )?(?:on|in) (?P<a>{DATE})",
        ("when", "When did {s} die?", "a"),
    ),
    _rule(
        rf"^died (?:.{{0,50}}? )?(?:in|at) (?P<a>{PLACE})(?=[.,;]| on | in | from |$)",
        ("where", "Where did {s} die?", "a"),
    ),
    _rule(
        r"^died (?:.{0,40}? )?(?:of|from) (?P<a>[a-z][\w -]{3,40})(?=[.,;]| in | at | on |$)",
        ("what", "What did {s} die of?", "a"),
        ("what", "What was the cause of death of {s}?", "a"),
    ),
    _rule(
        rf"^(?:is|was) an? [^.;]{{0,70}}?\b(?P<b>{WORK})\b[^.;]{{0,60}}?\b(?:and )?directed by "
        rf"(?P<a>{PERSON_NAME})",
        ("who", "Who directed {s}?", "a"),
        ("who", "Who is the director of {s}?", "a"),
        ("what", "Which {b} did {a} direct?", "s"),
    ),
    _rule(
        rf"^(?:is|was) an? [^.;]{{0,70}}?\b(?P<b>{WORK})\b[^.;]{{0,60}}?\bwritten by "
        rf"(?P<a>{PERSON_NAME})",
        ("who", "Who wrote {s}?", "a"),
        ("what", "Which {b} did {a} write?", "s"),
    ),
    _rule(
        rf"^(?:is|was) an? [^.;]{{0,60}}?\b(?:novel|album|song|single|opera|play|book|EP) by "
        rf"(?:[a-z][\w -]+ )?(?P<a>{PERSON_NAME})",
        ("who", "Who is {s} by?", "a"),
        ("who", "Who made {s}?", "a"),
    ),
    _rule(
        rf"^(?:is|was) an? (?:[^.;]{{0,30}} )?(?P<a>(?:19|20)\d\d) [^.;]{{0,50}}?\b{WORK}\b",
        ("when", "When did {s} come out?", "a"),
        ("when", "What year is {s} from?", "a"),
    ),
    _rule(
        rf"^(?:is|was) an? [^.;]{{0,120}}?\bstarring "
        rf"(?P<a>{PERSON_NAME}(?:, {PERSON_NAME})*(?:,? and {PERSON_NAME})?)",
        ("who", "Who stars in {s}?", "a"),
        ("who", "Who is in the cast of {s}?", "a"),
    ),
    _rule(
        rf"^(?:is|was|are|were) (?:an? [^.;]{{0,70}}? )?(?:located|situated|based|headquartered) "
        rf"(?P<a>(?:in|at|near|on|along) {PLACE})",
        ("where", "Where is {s}?", "a"),
        ("where", "In what place is {s}?", "a"),
    ),
    _rule(
        r"^(?:is|was) an? (?:[\w-]+ ){0,3}(?:town|village|city|municipality|district|commune|river|"
        rf"lake|mountain|school|church|suburb|island|settlement) (?P<a>(?:in|on) {PLACE})",
        ("where", "Where is {s}?", "a"),
    ),
    _rule(
        r"\b(?:best|well|mostly|chiefly|primarily|widely)[ -]known for (?P<a>(?:[^,.;]|, ){8,110}?)"
        r"(?=[.;]|, (?:which|who|and|for|a |but)|$)",
        ("what", "What is {s} best known for?", "a"),
        ("what", "Why is {s} famous?", "a"),
    ),
    _rule(
        rf"^(?:is|was) (?:also )?the (?:[\w-]+ )?(?P<b>{KIN}) of (?P<a>(?:[a-z]+ )*{PERSON_NAME})",
        ("who", "Whose {b} is {s}?", "a"),
        ("who", "Who was {s} the {b} of?", "a"),
    ),
    _rule(
        r"^(?:was|were) (?P<b>founded|established|created|"
        r"built|designed|invented|written|composed|"
        rf"produced|developed|discovered|published|launched|opened|painted|formed) (?:in {DATE} )?"
        rf"by (?P<a>(?:the )?{NAME}(?:(?:,| and|, and) {NAME})*)",
        ("who", "Who {b:past} {s}?", "a"),
        ("who", "Who was {s} {b} by?", "a"),
    ),
    _rule(
        rf"^(?:was|is|became) (?:also )?the capital (?:city )?of (?P<a>{PLACE})",
        ("what", "What is the capital of {a}?", "s"),
    ),
    _rule(
        r"^(?:has|had|with) (?:an? )?(?:total |estimated |resident )?population of "
        r"(?:about |approximately |around |over |nearly |roughly )?(?P<a>\d[\d,.]*\d(?: million)?)",
        ("how-many", "How many people live in {s}?", "a"),
        ("how-many", "What is the population of {s}?", "a"),
    ),
    _rule(
        r"\b(?:its|the|whose) population (?:is|was|of) (?:about |approximately |around )?"
        r"(?P<a>\d[\d,.]*\d(?: million)?)",
        ("how-many", "How many inhabitants does {s} have?", "a"),
    ),
    _rule(
        rf"^(?:served|worked|acted) as (?P<a>(?:an? |the )?[\w][\w' -]{{3,70}}?) "
        rf"(?P<b>{SPAN}|in {DATE})",
        ("what", "What position did {s} hold {b}?", "a"),
        ("what", "What was the job of {s} {b}?", "a"),
        ("who", "Who was {a} {b}?", "s"),
        ("when", "When did {s} serve as {a}?", "b"),
    ),
    _rule(
        rf"^(?:was|became) (?P<a>(?:the )?[A-Za-z][\w' -]{{3,70}}? of [\w' -]{{3,50}}?) "
        rf"(?P<b>{SPAN})",
        ("who", "Who was {a} {b}?", "s"),
        ("when", "When was {s} {a}?", "b"),
        ("what", "What was {s} {b}?", "a"),
    ),
    _rule(
        rf"^(?:played|competed|appeared) for (?P<a>(?:the )?{NAME})(?P<b> (?:{SPAN}|in {DATE}))?",
        ("what", "Which team did {s} play for{b}?", "a"),
        ("what", "What club was {s} at{b}?", "a"),
    ),
    _rule(
        rf"^(?:worked|wrote|taught) (?:for|at) (?P<a>(?:the )?{NAME})(?P<b> (?:{SPAN}|in {DATE}))?"
        r"(?=[.,;]| (?:as|from|in|until|and|before|after|for)\b|$)",
        ("what", "Where did {s} work{b}?", "a"),
        ("what", "Who did {s} work for{b}?", "a"),
    ),
    _rule(
        rf"^(?:moved|relocated|emigrated) (?:back )?to (?P<a>{PLACE})(?P<b> (?:in {DATE}))?",
        ("where", "Where did {s} move{b}?", "a"),
        ("where", "Which place did {s} move to{b}?", "a"),
    ),
    _rule(
        rf"^(?:studied|graduated) (?:[\w ,]{{0,40}}? )?(?:at|from) (?P<a>(?:the )?{NAME})",
        ("where", "Where did {s} study?", "a"),
        ("where", "Which university or school did {s} go to?", "a"),
    ),
    _rule(
        rf"^(?:grew up|was raised|lived|lives|resides) in (?P<a>{PLACE})",
        ("where", "Where did {s} live?", "a"),
    ),
    _rule(
        rf"^was (?:succeeded|replaced|followed) (?:\w+ )*?by (?P<a>(?:[a-z]+ )*{PERSON_NAME})",
        ("who", "Who succeeded {s}?", "a"),
        ("who", "Who came after {s}?", "a"),
    ),
    _rule(
        rf"^(?:married|wed) (?P<a>(?:[a-z]+ ){{0,3}}{PERSON_NAME})",
        ("who", "Who did {s} marry?", "a"),
        ("who", "Who was the spouse of {s}?", "a"),
        ("who", "Who was {a} married to?", "s"),
    ),
    _rule(
        r"^(?:is|was|are) (?:named|called) after (?P<a>[^,.;]{4,60})",
        ("what", "What is {s} named after?", "a"),
    ),
)

# Against a whole sentence, mostly of technical prose; groups y, a, b, x.
TOOL = (
    r"(?P<b>(?:[\w+/-]+ ){0,3}?(?:tool|library|utility|program|application|package|module|framework"
    r"|editor|client|server|toolkit|plugin|plug-in|interface|command|extension|daemon|compiler"
    r"|parser|front-?end|system|engine|viewer|player|manager|driver|wrapper|script|game))s?"
)
END = r"(?=[.;:,]|$| \()"
DOING = r"(?:[a-z]+ing) [^.,;:()]{6,70}?"
SENTENCE_RULES: tuple[Rule, ...] = (
    _rule(
        r"^(?:Please |Then |Just |Instead,? )?[Uu]se (?:the )?(?P<a>[^,.;]{2,50}?) to "
        rf"(?P<y>[a-z]+ [^.,;:()]{{6,70}}?){END}",
        ("howto", "How do I {y}?", "a"),
        ("howto", "What should I use to {y}?", "a"),
    ),
    _rule(
        r"^(?:In order to|To) (?P<y>[a-z]+ [^.,;:()]{6,70}?), "
        r"(?:you (?:can|must|need to|should|have to)"
        r" |please |simply |just |first )?(?P<a>[a-z]+ [^;]{6,120}?)(?=[.;]|$)",
        ("howto", "How do I {y}?", "a"),
        ("howto", "how to {y}", "a"),
    ),
    _rule(
        r"\b[Yy]ou (?:can|may) (?P<y>[a-z]+ [^.,;:()]{6,70}?) (?:by|using|with) (?P<a>[^.;]{6,90}?)"
        r"(?=[.;]|$)",
        ("howto", "How can I {y}?", "a"),
        ("howto", "Is there a way to {y}?", "a"),
    ),
    _rule(
        r"^(?P<a>(?!This|That|These|It|They|Which|There)[A-Z`][^,.;]{1,50}?) (?:also )?"
        r"(?:allows?|lets?|enables?|helps?) (?:you|users?|one|developers|the user|programmers)"
        rf"(?: to)? (?P<y>[a-z]+ [^.,;:()]{{6,70}}?){END}",
        ("howto", "What lets me {y}?", "a"),
        ("howto", "How can I {y}?", "a"),
        ("howto", "Is there anything that can {y}?", "a"),
    ),
    _rule(
        r"^(?P<x>[A-Z`][^,.;]{1,50}?) (?:will )?fails? (?P<a>(?:if|when|because) [^.;]{8,100}?)"
        r"(?=[.;]|$)",
        ("what", "Why does {x} fail?", "a"),
    ),
    _rule(
        r"^(?P<x>[A-Z`][^,.;]{1,50}?) (?:will )?(?:raises?|throws?) (?P<b>an? [^,.;]{3,50}?) "
        r"(?P<a>(?:if|when) [^.;]{8,100}?)(?=[.;]|$)",
        ("what", "When does {x} raise {b}?", "a"),
    ),
    _rule(
        r"^(?P<x>[A-Z`][^,.;]{1,60}?) defaults to (?P<a>[^;,]{1,50}?)(?=\.$|[;,]|$)",
        ("what", "What does {x} default to?", "a"),
        ("what", "What is the default for {x}?", "a"),
    ),
    _rule(
        rf"^(?P<a>[\w`.+-]+(?: [\w.+-]+){{0,3}}) is an? (?:[\w,+-]+ )*?{TOOL} "
        rf"(?:(?:used |intended |designed )?for|that (?:supports|does)) (?P<y>{DOING}){END}",
        ("what", "Is there a {b} for {y}?", "a"),
        ("what", "What can I use for {y}?", "a"),
        ("howto", "something for {y}", "a"),
    ),
    _rule(
        rf"^(?P<a>[\w`.+-]+(?: [\w.+-]+){{0,3}}) is an? (?:[\w,+-]+ )*?{TOOL} "
        r"(?:(?:used|designed|intended|meant|able|written) )?"
        rf"to (?P<y>[a-z]+ [^.,;:()]{{6,70}}?){END}",
        ("what", "Is there a {b} to {y}?", "a"),
        ("howto", "something to {y}", "a"),
        ("howto", "How can I {y}?", "a"),
    ),
    _rule(
        rf"^(?P<a>[\w`.+-]+(?: [\w.+-]+){{0,3}}) is an? (?:[\w,+-]+ )*?{TOOL} "
        rf"(?:that|which) (?P<y>[a-z]+s [^.,;:()]{{6,70}}?){END}",
        ("what", "Is there a {b} that {y}?", "a"),
        ("what", "Which {b} {y}?", "a"),
    ),
    _rule(
        rf"^(?P<a>[\w`.+-]+(?: [\w.+-]+){{0,3}}) (?:is|are) (?:an? )?(?P<b>(?:[\w/+-]+ ){{0,3}}"
        rf"(?:implementation|version|port|clone|bindings?|collection|set)) (?P<y>(?:of|for) "
        rf"[^.,;:()]{{6,60}}?){END}",
        ("what", "What is the {b} {y} called?", "a"),
    ),
    _rule(
        r"^(?P<a>(?:[\w+/-]+ ){0,3}"
        r"(?P<b>package|script|tool|library|utility|module|plugin|program)) "
        rf"(?P<y>(?:providing|to [a-z]+|for [a-z]+ing|that [a-z]+s) [^.,;:()]{{6,70}}?){END}",
        ("what", "Is there a {b} {y}?", ""),
        ("what", "Looking for a {b} {y}", ""),
    ),
    _rule(
        r"^This (?:package|module|library) (?:provides|contains|includes|ships) (?:the |an? |all )?"
        rf"(?P<y>(?!the )\S+ \S+ [^.,;:()]{{8,60}}?){END}",
        ("what", "Which package has the {y}?", ""),
        ("howto", "Where do I get the {y}?", ""),
    ),
    _rule(
        r"^(?:If|When) (?P<y>you (?:want|need|wish|have|get|see|are)[^.,;:()]{8,70}?), "
        r"(?:then )?(?P<a>[^;]{10,120}?)(?=[.;]|$)",
        ("howto", "What should I do if {y}?", "a"),
    ),
    _rule(
        rf"^(?:The )?{TOOL} (?P<a>`[^`]+`) (?P<y>[a-z]+s [^.,;:()]{{6,70}}?){END}",
        ("what", "Which {b} {y}?", "a"),
    ),
)

# Verbs whose object can be asked for, with the words that ask.
OBJECT_WORDS: dict[str, str] = dict.fromkeys(
    """sign publish found write direct produce win receive buy acquire purchase join open build
    design discover introduce launch create develop invent record release establish compose lose
    earn host paint capture sell organize adopt approve demolish propose present obtain host
    command lead form start issue""".split(),
    "What",
) | {
    "marry": "Who",
    "defeat": "Who",
    "succeed": "Who",
    "replace": "Who or what",
    "meet": "Who",
    "attend": "Which school or event",
    "represent": "Who or what",
    "win": "What",
    "study": "What subject",
    "publish": "Which work",
}

TICKET = re.compile(
    r"^(?:(?:Fixed|Fixes|Refs|Closes|Reverted)?[ ,]*"
    r"(?:#\d+|CVE-[\d-]+)(?:[ ,]*(?:Refs )?#\d+)*(?: --|:)? "
    r"|\[[\w. ]+\] |[a-z][\w/.()-]*: )+"
)
COMMIT = re.compile(r"^(?P<verb>[A-Z]?[a-z]+) (?P<what>.{8,90}?)\.?$")
COMMIT_VERBS = frozenset(
    """add fix remove update refactor correct prevent move rename replace implement improve allow
    deprecate document simplify clarify optimize avoid change drop revert bump enable disable make
    increase limit reduce introduce extend support use restore handle adjust convert skip stop
    ensure switch""".split()
)
COMMIT_FORMS = {
    form: base
    for base in sorted(COMMIT_VERBS)
    for form in (base, third(base), PAST.get(base) or _regular_past(base))
}
COMMIT_ASKS = (
    "When did we {v} {w}?",
    "Why did we {v} {w}?",
    "Which commit {p} {w}?",
    "did we ever {v} {w}",
    "the change that {p} {w}",
)

HEDGES = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Additionally|Thus|Therefore|Hence|Interestingly|"
    r"Importantly|Notably|Here|In conclusion|In summary|Consequently|Finally|Indeed|Overall|"
    r"For example|As a result|In fact|Similarly|In contrast|Also|Specifically|Remarkably|Together)"
    r",? |^(?:(?:In this (?:study|paper|work|article), )?(?:[Ww]e|[Oo]ur (?:results|findings|data)|"
    r"[Tt]hese (?:results|findings|data)|[Tt]he (?:results|findings|data)|[Tt]his study) (?:also )?"
    r"(?:show(?:ed|s)?|demonstrate[ds]?|suggest(?:ed|s)?|f(?:i|ou)nd|report(?:ed)?|conclude[ds]?|"
    r"indicate[ds]?|reveal(?:ed|s)?|observe[ds]?|provide evidence)(?: here)? that )"
)
SOFT = re.compile(
    r"\b(?:possibly|perhaps|probably|apparently|generally|typically|essentially|basically|very|quite"
    r"|rather|also|however|therefore|clearly|indeed|actually|simply) "
)
DEIXIS = re.compile(
    r"^(?:This|These|That|Those|They|Their|His|Her|Its|He|She|It|We|Our|I|You|Your|My|Here|There|"
    r"Such|Both|Another|Other|Some|What|Which|If|When|While|After|Before|See|Note|As|So|And|But|Or|"
    r"Then|Thanks?|One|Where|Once|Besides|In other words|In short|In future|Until|"
    r"Since|Each|Let|Also|Because|For|With|By|Not|Yes|No|All)\b"
)
GENERIC_HEADINGS = frozenset(
    """abstract introduction motivation rationale specification references copyright overview usage
    examples example notes note history life biography career background summary description
    synopsis conclusion conclusions results methods discussion see also external links further
    reading contents misc general other bugs author authors license options acknowledgements faq
    details implementation changelog features requirements todo proposal""".split()
)
ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof st sr jr gen col capt lt sgt rev hon gov sen rep inc ltd co corp vs etc al
    e.g i.e no vol fig eq ca c cf approx dept est jan feb mar apr jun jul aug sep sept oct nov dec
    op ed eds pp p b d r u.s u.k d.c ph.d a.m p.m mt ft bros""".split()
)

# --------------------------------------------------------------------------- cleaning, sentences

_CODE_LINE = re.compile(r"^(?: {4,}|\t|>>> |\$ |\.\. |[-=~^*#`]{3,}\s*$|\|)")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SPACED = re.compile(r" +([,.;:!?)\]])(?=\s|$|[,.;\"')])")
_OPEN = re.compile(r"([(\[]) +")
_GLUED = re.compile(r"([a-z0-9])\((?= ?(?:born|[A-Z\d]))")
_QUOTED = re.compile(r'\s*"\s*([^"\n]{1,120}?)\s*"(?=(\w)?)')
_PARENS = re.compile(r"(?:^| )(?:\([^()]*\)|\[[^\[\]]*\]_?)")
_SPLIT = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]?[A-Z0-9`]|[a-z][\w-]+ (?:is|provides|allows|lets) )"
)
_SPACES = re.compile(r"\s+")


def tidy(text: str) -> str:
    """One line of prose as a person would have typed it: no code, no loose punctuation."""
    text = _SPACES.sub(" ", text).strip()
    text = _GLUED.sub(r"\1 (", _OPEN.sub(r"\1", _SPACED.sub(r"\1", text)))
    text = re.sub(r":\w+:(?=`)|(?<=`)_+", "", text)
    text = text.replace("``", "`").replace("“", '"').replace("”", '"')
    if '"' in text:
        text = _QUOTED.sub(lambda m: f' "{m[1]}"' + (" " if m[2] else ""), text)
    return _SPACES.sub(" ", text).strip()


def blocks(text: str) -> Iterator[str]:
    """The prose paragraphs and list items of a text."""
    held: list[str] = []
    for line in _FENCE.sub("\n\n", text).split("\n"):
        bare = line.strip()
        item = re.match(r"[-*+•] |\d+[.)] |:\w+", bare)
        if (not bare or item or _CODE_LINE.match(line)) and held:
            yield tidy(" ".join(held))
            held = []
        if bare and not _CODE_LINE.match(line):
            held.append(bare[item.end() :] if item else bare)
    if held:
        yield tidy(" ".join(held))


def sentences(paragraph: str) -> list[str]:
    """Cut a paragraph where sentences end, not after initials and abbreviations."""
    found: list[str] = []
    for piece in _SPLIT.split(paragraph):
        last = found[-1].rsplit(" ", 1)[-1].strip("(\"'.").lower() if found else ""
        if found and (last in ABBREVIATIONS or (len(last) == 1 and found[-1].endswith("."))):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def without_parens(sentence: str) -> str:
    """The sentence less what stands in brackets."""
    if "(" not in sentence and "[" not in sentence:
        return sentence
    return _SPACES.sub(" ", _PARENS.sub("", _PARENS.sub("", sentence))).replace(" ,", ",").strip()


def span_of(text: str, answer: str) -> str:
    """The answer as it stands in the raw text, whatever spaces and quotes were tidied away."""
    if answer in text:
        return answer
    loose = r"\s*".join(
        r"[\"“”`]+" if c in '"`' else re.escape(c) for c in answer if not c.isspace()
    )
    found = re.search(loose, text) if len(answer) < 200 else None
    return found[0] if found else ""


# --------------------------------------------------------------------------------------- clauses

_LEAD = re.compile(
    rf"^(?P<lead>(?:[Ii]n|[Oo]n|[Ss]ince|[Dd]uring|[Bb]y|[Uu]ntil) {DATE}"
    rf"|{SPAN.replace('from', '[Ff]rom', 1).replace('between', '[Bb]etween', 1)}),? "
)
_SUBJECT = re.compile(
    rf"^(?P<pronoun>He|She|It)\b|^(?P<thing>{THE_THING})(?= [a-z])|^(?P<name>(?:The )?{NAME})"
)
_APPOSITIVE = re.compile(r"^, (?:an?|the|who|which|then|born|also) [^,]{3,70}, ")
_ADVERB = re.compile(
    r"^(?:also|later|then|first|originally|subsequently|eventually|briefly|previously|soon|finally|"
    r"initially|formerly|currently|officially|reportedly|has|had|(?:was|is) (?:also|later|"
    r"originally|subsequently|first|initially|formerly)) "
)
_CUT = re.compile(
    r"[;:]|,(?! \d{4}\b)(?! (?:Inc|Ltd|Jr|Sr)\b)| (?:and|but) (?=(?:he|she|it|they|was|were|is|has|"
    r"had|then|later|also|\w+ed)\b)| (?:which|who|where|while|because|although|whereas|until|after|"
    r"before|when|as well as|that|since|so)\b|\.$|\. "
)
_ORGANISATION = re.compile(
    r"\b(?:The|Inc|Company|University|Club|Party|Army|Council|College|School|Team|FC|Corporation|"
    r"Church|River|Lake|Island|County|District|Station|League|Museum|Airport|War|Battle|Act|Street|"
    r"House|Festival|Records|Railway|Empire|Republic|Union|Association|States|City|North|South|"
    r"East|West|Society|Institute|Group|Bank|Committee|Film|Games?|Cup|Award)\b"
)
_NOT_NAMES = frozenset(
    """The In On At By For With From To As An A And But Or If When While After Before During Since
    This That These Those There Then Also However Although Some Many Most Both His Her Its Their
    Our Your My We You They I Other Another Each Every All No Not Such Use Note See Because Due
    Although Later Until Under Over Between Through What Which Who How Why Where Once Only Several
    Thanks Thank Author Title Regression One Two Three First Second Despite Upon Today
    Among Here Any""".split()
)


_PARTICLES = frozenset("de van von der den al bin du la di da del le el y e und et".split())
_COMMON = re.compile(r"(?:tion|ment|ing|ness|s|ity|ance|ence|ure|data)$|^(?:Here|Any|Data)$")


def name_title(title: str) -> str:
    """The title as a name to ask about, without "(film)" and the like; "" where it is none."""
    bare = tidy(_PARENS.sub("", title.replace("_", " ")))
    words = bare.split()
    if not words or len(words) > 7:
        return ""
    content = [w for w in words if w.lower() not in STOPWORDS | _PARTICLES]
    named = sum(1 for w in content if w[:1].isupper() or w[:1].isdigit())
    return bare if content and named == len(content) else ""


_PERSONAL = re.compile(
    r"\b(?:was born|born|[Hh]e|[Ss]he|[Hh]is|[Hh]er|[Hh]im)\b"
    rf"|\(\s?(?:\d{{1,2}} {MONTH}|{MONTH} \d{{1,2}},) \d{{4}}"
)
_JOB = re.compile(
    r"\b(?:is|was|as) an? (?:[\w-]+ ){0,5}"
    r"(?:actor|actress|director|writer|player|politician|singer|"
    r"footballer|author|poet|composer|musician|painter|artist|lawyer|judge|engineer|scientist|"
    r"coach|officer|general|bishop|priest|journalist|producer|filmmaker|novelist|physician|"
    r"businessman|noble|nobleman|historian|philosopher|activist|model|architect|cricketer|"
    r"songwriter|screenwriter|soldier|photographer|economist|mathematician)\b"
)


def seems_person(name: str, text: str) -> bool:
    """Whether a titled passage is about a person."""
    if _ORGANISATION.search(name):
        return False
    start = text[:1200]
    return bool(
        1 < len(name.split()) < 6
        and not re.search(r"\d| the ", name)
        and not re.search(rf"\b(?:is|was) an? [^.]{{0,60}}\b{WORK}\b", start)
        and (_PERSONAL.search(start) or _JOB.search(start[:250]))
    )


_LATER_VERB = re.compile(r"(?:[^\s,]+ ){0,5}(?:is|are|was|were|can|will|must|have|has)\b")


def _verb_of(word: str, sure: bool) -> bool:
    """Whether the word can be the verb here; `sure` where the subject left no doubt."""
    if word in AUXILIARIES or word in BASE_OF_PAST or word in BASE_OF_THIRD:
        return True
    return sure and len(word) > 4 and word.endswith("ed")


def read_clause(sentence: str, context: Context, topic_held: bool) -> Clause | None:
    """Read a sentence as a clause; None where its subject or verb is in doubt."""
    lead = ""
    if led := _LEAD.match(sentence):
        lead = led["lead"][0].lower() + led["lead"][1:]
        sentence = sentence[led.end() :]
        sentence = re.sub(r"^(?:he|she|it|the)\b", lambda m: m[0].capitalize(), sentence)
    title = context.title
    if title and sentence.startswith(title + " "):
        subject, is_title, person, end = title, True, context.person, len(title)
    elif found := _SUBJECT.match(sentence):
        end = found.end()
        if found["pronoun"]:
            person = found["pronoun"] != "It"
            if not (title and topic_held and person == context.person):
                return None
            subject, is_title = title, True
        elif found["thing"]:
            if not title or context.person or not topic_held:
                return None
            subject, is_title, person = title, True, False
        else:
            name = found["name"]
            if name.split()[0] in _NOT_NAMES - {"The"} or name.endswith("."):
                return None
            is_title = bool(title) and (
                (context.person and (name in title.split() or title.endswith(" " + name)))
                or (title.startswith(name + " ") and len(title.split()) == 2)
            )
            subject = title if is_title else name
            if " " not in name and not is_title and (not title or _COMMON.search(name)):
                return None
            human = 1 < len(name.split()) < 7 and not _ORGANISATION.search(name)
            person = context.person if is_title else human and not re.search(r"\d| of | the ", name)
    else:
        return None
    rest = sentence[end:]
    if apposed := _APPOSITIVE.match(rest):
        rest = " " + rest[apposed.end() :]
    if not rest.startswith(" "):
        return None
    rest = rest[1:]
    for _ in range(2):
        if adverb := _ADVERB.match(rest):
            kept = adverb[0].split()[0]
            if kept in ("has", "had") and not re.match(r"\w+ed\b|been\b", rest[4:]):
                break
            rest = (f"{kept} " if kept in ("was", "is") else "") + rest[adverb.end() :]
    person = person or bool(_JOB.match(rest) or re.match(rf"(?:is|was) the {KIN} of ", rest))
    verb, _, rest = rest.partition(" ")
    if not rest or not _verb_of(verb, is_title) or rest.startswith("by "):
        return None
    if verb in BASE_OF_THIRD and _LATER_VERB.match(rest):
        return None  # "Python releases before 3.14 are signed": the noun was taken for the verb
    return Clause(lead, subject, is_title, person, verb, rest)


def trimmed(rest: str, most: int = 13) -> str:
    """The rest of a clause up to where something else begins; "" where that is too long."""
    cut = _CUT.search(rest)
    short = (rest[: cut.start()] if cut else rest).strip(" .,;")
    if re.search(r" (?:and|or|of|the|a|an|in|with|to|for|by|as)$", short):
        return ""
    if (
        short.rsplit(" ", 1)[-1].lower() in ABBREVIATIONS
        or short.count('"') % 2
        or len(short.split()) > most
    ):
        return ""
    return short


def asks_with(verb: str, subject: str) -> str:
    """ "did X win", "does X contain", "was X": the inverted start of a question."""
    subject = re.sub(r"^The(?= \w+ \w)", "the", subject)
    if verb in AUXILIARIES:
        return f"{verb} {subject}"
    if verb in BASE_OF_PAST:
        return f"did {subject} {BASE_OF_PAST[verb]}"
    if verb in BASE_OF_THIRD:
        return f"does {subject} {BASE_OF_THIRD[verb]}"
    base = (
        verb[:-1]
        if verb.endswith(("ced", "ged", "sed", "ved", "zed", "ated", "ired"))
        else verb[:-2]
    )
    return f"did {subject} {base}"


# --------------------------------------------------------------------------------- making drafts

_DATED = re.compile(
    rf" ?\b(?:{SPAN}|(?:in|on|since|until|during) (?:{DATE}))"
    r"(?=$|,| (?:in|on|at|by|as|with|for|to|from|and|under|against|near)\b)"
)
_LIFE = re.compile(
    rf"^(?P<name>{NAME}) ?\((?:[^()]*?[;,] ?)?(?:born:? (?:on |in )?(?P<born>{DATE})|"
    rf"(?:born )?(?P<from>{DATE}) ?[–-] ?(?:died )?(?P<to>{DATE}))"
)
_COUNTED = re.compile(
    rf"^(?:(?:about|over|approximately|around|nearly|some|more than|at least|a total of|exactly) )?"
    rf"(?P<n>{NUMBER}) (?P<noun>(?:[a-z][\w-]+ ){{0,2}}[a-z]+s)\b(?P<tail>.*)$"
)
COUNTING = frozenset(
    """has had contains contained won scored employs employed includes included sold wrote published
    made played received consists hosts serves operates produced released earned killed
    recorded directed appeared covers owns owned built opened""".split()
)
_OBJECT = re.compile(
    r"^(?P<object>(?!(?:in|on|at|from|to|with|by|as|for|up|out|off|into)\b)[^,.;]{3,70}?) "
    r"(?P<tail>(?:in|on|with|for|at|from|against|to|alongside|under) [^,.;]{3,60})$"
)
_DEFINED = re.compile(
    r"^an? (?P<what>[^.;]{8,110}?)(?=\.|;|, (?:which|who|where|and)| (?:who|which|that) |$)"
)


def life_drafts(sentence: str, context: Context) -> Iterator[Draft]:
    """ "Name (born 1976)" and "Name (1929 - 1982)"."""
    if not (context.title and context.person and (m := _LIFE.match(sentence))):
        return
    s = context.title
    if m["born"] or m["from"]:
        yield Draft(f"When was {s} born?", m["born"] or m["from"], "when")
    if m["to"]:
        yield Draft(f"When did {s} die?", m["to"], "when")
        yield Draft(f"What is the date of death of {s}?", m["to"], "when")


_FULL_STOP = re.compile(r"(?<=\w{3})\.$")


def filled(rule: Rule, found: re.Match[str], subject: str) -> Iterator[Draft]:
    """The questions of a rule that matched."""
    groups = {name: _FULL_STOP.sub("", value or "") for name, value in found.groupdict().items()}
    for kind, template, answering in rule.asks:
        question = template
        if "{b:past}" in question:
            done = groups["b"]
            past = next((PAST[b] for b, d in PARTICIPLE.items() if d == done), done)
            question = question.replace("{b:past}", past)
        parts = {k: to_me(v) if k == "y" else v for k, v in groups.items()}
        parts["x"] = re.sub(r"^(?:The|An?)\b", lambda m: m[0].lower(), parts.get("x", ""))
        question = question.format(s=subject, **parts)
        answer = subject if answering == "s" else groups.get(answering, "")
        yield Draft(
            question, answer, kind, embeds=bool(re.match(r"Who (?:directed|wrote)", question))
        )


_ME = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself", "You": "I", "Your": "my"}


def to_me(text: str) -> str:
    """ "your files" -> "my files"."""
    return re.sub(r"\b[Yy]ou(?:r|rs|rself)?\b", lambda m: _ME.get(m[0], m[0]), text).replace(
        "I are", "I am"
    )


def named_or_dated(text: str) -> bool:
    """Whether a phrase says something that could be found again: a name or a number."""
    return bool(re.search(r"\b[A-Z]\w|\d|`", text))


def when_drafts(clause: Clause, said: str) -> Iterator[Draft]:
    """Take the date away and ask for it."""
    passive = clause.verb in ("was", "were")
    if clause.verb in ("is", "are") or clause.verb in BASE_OF_THIRD:
        return
    if passive and said.split(" ", 1)[0] not in PARTICIPLES:
        return
    dates = list(_DATED.finditer(said))
    if len(dates) + bool(clause.lead) != 1:
        return
    bare = said if clause.lead else (said[: dates[0].start()] + said[dates[0].end() :]).strip()
    if re.search(r"\b(?:the|a|an|of|in|and|than)$", bare) or not bare or re.search(r"\d{4}", bare):
        return
    if not (clause.is_title or len(clause.subject) > 5):
        return
    answer = re.sub(r"^(?:in|on|during) ", "", clause.lead or dates[0][0].strip())
    yield Draft(f"When {asks_with(clause.verb, clause.subject)} {bare}?", answer, "when")


def subject_drafts(clause: Clause, said: str) -> Iterator[Draft]:
    """Take the subject away and ask who or what did it."""
    told = f"{said} {clause.lead}".strip()
    words = told.split()
    if clause.verb in AUXILIARIES:
        if not re.match(r"the [a-z]|\w+(?:ed|en) (?:in|by|on|as|at|from|to)\b", said):
            return
        if re.match(r"the (?:same|other|only|first|son|daughter)\b", said) and len(words) < 6:
            return
    if (
        len(words) < 4
        or not named_or_dated(told)
        or (clause.verb in ("is", "are") and len(words) < 5)
    ):
        return
    if re.search(r"\b(?:he|she|it|they|him|them|this|these|those)\b", told):
        return
    if len(re.findall(r"\b[A-Z]\w+", told)) < 1 and len(words) < 6:
        return
    human = clause.person or bool(re.search(r"\b(?:his|her)\b", told))
    acts = BASE_OF_PAST.get(clause.verb, "") in OBJECT_WORDS.keys() - {"win", "receive", "earn"}
    asks = "Who" if human or acts else "What"
    answer = clause.subject
    kind = "who" if human else "what"
    yield Draft(f"{asks} {clause.verb} {told}?", answer, kind, embeds=True)


def object_drafts(clause: Clause, said: str) -> Iterator[Draft]:
    """Take the object away and ask for it, where the verb surely has one."""
    base = BASE_OF_PAST.get(clause.verb, "")
    if base not in OBJECT_WORDS:
        return
    found = _OBJECT.match(said)
    if found:
        tail = f"{found['tail']} {clause.lead}".strip()
        if re.search(r"\b(?:of|the|and)$", found["object"]) or not named_or_dated(tail):
            return
        target = found["object"]
    elif clause.lead and len(said.split()) < 9:
        tail, target = clause.lead, said
    else:
        return
    if re.match(r"(?:it|him|her|them|that|his way|back)\b", target):
        return
    yield Draft(f"{OBJECT_WORDS[base]} did {clause.subject} {base} {tail}?", target, "what")


def count_drafts(clause: Clause, said: str) -> Iterator[Draft]:
    """Take a number away and ask how many."""
    if clause.verb not in COUNTING or not (found := _COUNTED.match(said)):
        return
    if re.fullmatch(r"(?:1\d|20)\d\d", found["n"]) or found["noun"].split()[-1] in (
        "was",
        "is",
        "as",
    ):
        return
    auxiliary = asks_with(clause.verb, clause.subject)
    tail = f"{found['tail']} {clause.lead}".rstrip()
    yield Draft(f"How many {found['noun']} {auxiliary}{tail}?", found["n"], "how-many")


def definition_drafts(clause: Clause) -> Iterator[Draft]:
    """ "X is a ..." answers what X is."""
    if clause.verb not in ("is", "was") or not (found := _DEFINED.match(clause.rest)):
        return
    if clause.person and not (clause.is_title or _JOB.match(f"{clause.verb} {clause.rest}")):
        return
    if clause.person:
        yield Draft(f"Who {clause.verb} {clause.subject}?", found["what"], "who")
        work = re.match(
            r"(?:(?:former|retired|professional) )?(?:[A-Z][\w-]+ )*"
            r"(?P<job>[a-z][a-z ,-]{3,50}(?:er|or|ist|an|"
            r"ian|ect|ess|ar))\b",
            found["what"],
        )
        if work and clause.is_title:
            ask = "does" if clause.verb == "is" else "did"
            yield Draft(f"What {ask} {clause.subject} do for a living?", work["job"], "what")
    elif len(clause.subject) > 2:
        yield Draft(f"What {clause.verb} {clause.subject}?", found["what"], "what")


def clause_drafts(clause: Clause) -> Iterator[Draft]:
    """All that can be asked of one clause."""
    predicate = f"{clause.verb} {clause.rest}"
    for rule in PREDICATE_RULES:
        if found := rule.pattern.search(predicate):
            yield from filled(rule, found, clause.subject)
    yield from definition_drafts(clause)
    if said := trimmed(clause.rest):
        if not predicate.startswith(("was born", "died")):
            yield from when_drafts(clause, said)
            yield from subject_drafts(clause, said)
        yield from object_drafts(clause, said)
        yield from count_drafts(clause, said)


_COMMONPLACE = re.compile(r"\b(?:Python|Debian|C\+*|HTML|GUI|API)(?: \d)?\b|\d")


def sentence_drafts(sentence: str) -> Iterator[Draft]:
    """What the rules for technical prose make of a sentence."""
    for rule in SENTENCE_RULES:
        if found := rule.pattern.search(sentence):
            y = found.groupdict().get("y") or ""
            if re.search(r"\b(?:it|them|this|these|those|above|following|that)\b", y) or re.search(
                r" (?:a|an|the|of|and|or|to|in|for|with|is|are|on|from|by)$", y
            ):
                continue
            if sentence.startswith("This ") and not named_or_dated(_COMMONPLACE.sub("", y)):
                continue
            a = (found.groupdict().get("a") or "").split(" ", 1)[0]
            if sentence.startswith(("To ", "In order to ")) and a not in PAST:
                continue
            x = found.groupdict().get("x") or ""
            if re.match(r"(?:It|This|That|They|These|He|She)\b", x):
                continue
            yield from filled(rule, found, "")


_CLAIM_VERBS = (
    frozenset("has have had can cannot will may must should does do could would".split())
    | AUXILIARIES
    | frozenset(BASE_OF_PAST)
    | frozenset(BASE_OF_THIRD)
)
_VAGUE = re.compile(r"(?:\S+ ){0,4}(?:it|his|her|their|its|them)\b")


def claim_draft(whole: str, context: Context, topic_held: bool) -> Draft | None:
    """The sentence itself, shorter and without hedges, where it stands on its own."""
    sentence = without_parens(whole)
    if re.match(r"It .{0,40}\b(?:to|that)\b", sentence):
        return None
    said = HEDGES.sub("", HEDGES.sub("", sentence))
    if said != sentence and said:
        said = said[0].upper() + said[1:]
    said = re.sub(
        r"[,;] (?:which|who|where|while|whereas|although|suggesting|indicating)\b.*$", "", said
    )
    said = SOFT.sub("", said).rstrip(" .;:")
    if context.title and topic_held:
        pronoun = "(?:He|She)" if context.person else "It"
        said = re.sub(rf"^{pronoun}(?= [a-z])", lambda _: context.title, said)
    count = len(said.split())
    if not 6 <= count <= 24 or DEIXIS.match(said) or said.count('"') % 2 or not said[0].isupper():
        return None
    if (
        _VAGUE.match(said)
        or _CLAIM_VERBS.isdisjoint(said.split())
        or said.endswith(("?", "!"))
        or re.search(r"::|https?:|=", said)
    ):
        return None
    if re.search(r"\b(?:we|our|you|your|this|these|former|latter|above|below|he|she|they)\b", said):
        return None
    if not sentence.rstrip().endswith((".", '."', ")")):
        return None
    return Draft(said, whole, "claim")


def heading_draft(title: str, heading: str, rng: random.Random) -> Draft | None:
    """A heading as something to look for: "Configuring the cache" -> how do I configure it."""
    bare = tidy(re.sub(r"^[\d.]+\s+|[#*_]+|:$", "", heading))
    words = bare.split()
    if not words or len(words) > 10 or bare.lower().rstrip("s") in GENERIC_HEADINGS | {""}:
        return None
    if bare.lower() in GENERIC_HEADINGS or not re.search(r"[A-Za-z]{3}", bare):
        return None
    first, tail = words[0].lower(), " ".join(words[1:])
    low = " ".join(w if w[1:] != w[1:].lower() else w.lower() for w in words[1:]) if tail else ""
    base = BASE_OF_GERUND.get(first) or (first if first in PAST and len(words) > 2 else "")
    if base and low and not re.match(r"(?:of|is|was|and)\b", low):
        ask = rng.choice(("how do I {}", "how to {}", "How can I {}?", "what's the way to {}"))
        return Draft(ask.format(f"{base} {to_me(low)}"), "", "heading")
    if bare.endswith("?"):
        return Draft(bare, "", "heading")
    if first in ("how", "why", "what", "when", "where", "who"):
        return Draft(bare.lower(), "", "heading")
    subject = name_title(title)
    if subject and subject.lower() not in bare.lower() and len(words) <= 5:
        return Draft(f"{subject} {bare.lower() if low == tail else bare}", "", "heading")
    return Draft(bare, "", "heading") if len(words) > 1 else None


_A_TOOL = re.compile(rf"^{TOOL[:-2]}(?= (?:for|to|that) |$)")


def title_drafts(title: str) -> Iterator[Draft]:
    """A title that describes ("ASCII art library") as what someone would look for."""
    bare = tidy(_PARENS.sub("", title)).split(" -- ")[0].rstrip(".")
    if len(bare.split()) < 2 or re.search(r"\b(?:transitional|dummy)\b", bare):
        return
    yield Draft(bare, "", "heading")
    if _A_TOOL.match(bare) and not bare.endswith("s"):
        article = "an" if bare[0] in "aeioAEIO" else "a"
        yield Draft(f"Is there {article} {bare}?", "", "what")
        yield Draft(f"Looking for {article} {bare}", "", "heading")


def commit_drafts(subject: str) -> list[Draft]:
    """A commit's subject line as what someone looking for the change would ask."""
    bare = TICKET.sub("", tidy(subject))
    found = COMMIT.match(bare)
    base = COMMIT_FORMS.get(found["verb"].lower(), "") if found else ""
    if not found or not base or re.match(r"in [0-9a-f]{10}", found["what"]):
        return []
    if len(found["what"].split()) < 2 or " -- " in bare:
        return []
    if found["verb"].lower() == base and re.search(r"\b(?:is|are|was|were)\b", bare):
        return []
    past = PAST.get(base) or _regular_past(base)
    what = re.sub(r" ?\(?(?:#\d+|[Cc]loses #\d+)\)?", "", found["what"]).rstrip(" .")
    return [Draft(ask.format(v=base, p=past, w=what), "", "what") for ask in COMMIT_ASKS]


_TOKEN = re.compile(r"[A-Za-z][\w'+-]*[\w+]|\d{4}")


def keyword_draft(title: str, said: str, rng: random.Random) -> Draft | None:
    """Two to five words someone would type to find the sentence."""
    tokens = [
        w for w in _TOKEN.findall(said) if w.lower() not in STOPWORDS and not w.endswith("ly")
    ]
    if len(tokens) < 3:
        return None
    named = name_title(title).split()
    kept = named if named and len(named) <= 3 and rng.random() < 0.8 else []
    tokens = [w for w in dict.fromkeys(tokens) if w not in kept]
    wanted = max(rng.randint(2, 5) - len(kept), 1 if kept else 3)
    start = rng.randrange(max(1, len(tokens) - wanted))
    window = tokens[start : start + wanted + 2]
    drawn = set(rng.sample(window, min(wanted, len(window))))
    words = kept + [w for w in window if w in drawn]
    if len(words) < 2:
        return None
    return Draft(" ".join(words), "", "keywords")


# ------------------------------------------------------------------------------------- loosening

PLAIN_WRAPPERS = (
    "{q} again?",
    "remind me, {q}?",
    "quick question: {q}",
    "hey, {q}?",
    "{q}, do you know?",
    "i forgot, {q}",
    "{q}",
    "{q}",
)
EMBEDDING_WRAPPERS = (
    "do you remember {q}",
    "do you know {q}?",
    "i can't recall {q}",
    "can you tell me {q}?",
    "trying to remember {q}",
)
TOPIC_WRAPPERS = (
    "i think there was something about {k}",
    "wasn't there something about {k}?",
    "where did i read about {k}",
    "that thing about {k}",
    "what do we know about {k}",
    "anything on {k}?",
)
_WORD = re.compile(r"(?<![\w`'\"/.-])[a-z][a-z-]+(?![\w`'(/.-])")
_ARTICLE = re.compile(r"\b(a|an) (?=([a-z]))")


def paraphrase(question: str, rng: random.Random, chance: float) -> str:
    """Swap ordinary words for synonyms, each with the given chance; names are left alone."""
    changed = False
    stop = question.find('"')

    def swap(found: re.Match[str]) -> str:
        nonlocal changed
        others = SYNONYMS.get(found[0])
        if not others or rng.random() >= chance or 0 <= stop < found.start():
            return found[0]
        changed = True
        return rng.choice(others)

    new = _WORD.sub(swap, question)
    if not changed:
        return question
    return _ARTICLE.sub(lambda m: "an " if m[2] in "aeio" else "a ", new)


def _decapitalised(question: str) -> str:
    first = question.split(" ", 1)[0]
    return question[0].lower() + question[1:] if first[1:] == first[1:].lower() else question


def wrapped(draft: Draft, rng: random.Random) -> Draft:
    """The question as someone would say it in passing."""
    inner = _decapitalised(draft.question.rstrip("?. "))
    if draft.embeds and rng.random() < 0.7:
        if inner.startswith("what ") and rng.random() < 0.3:
            said = f"what was it again that {inner[5:]}"
        else:
            said = rng.choice(EMBEDDING_WRAPPERS).format(q=inner)
    else:
        said = rng.choice(PLAIN_WRAPPERS).format(q=inner)
    if rng.random() < 0.5:
        said = said.lower().rstrip("?")
    return Draft(said, draft.answer, "colloquial")


def loosened(draft: Draft, rng: random.Random) -> Draft:
    """A draft as it leaves here: paraphrased, at times lower-cased or wrapped in small talk."""
    chance = {"claim": 0.3, "keywords": 0.15, "heading": 0.15}.get(draft.kind, 0.45)
    question = paraphrase(draft.question, rng, chance)
    draft = draft._replace(
        question=question[:1].upper() + question[1:]
        if question[:1].islower() and draft.question[:1].isupper()
        else question
    )
    if draft.kind == "keywords":
        if rng.random() < 0.2:
            about = draft.question if rng.random() < 0.5 else draft.question.lower()
            said = rng.choice(TOPIC_WRAPPERS).format(k=about)
            return Draft(said, draft.answer, "colloquial")
        return draft._replace(question=draft.question.lower()) if rng.random() < 0.5 else draft
    if draft.kind in ("claim", "heading"):
        return draft
    roll = rng.random()
    if roll < 0.2:
        return wrapped(draft, rng)
    if roll < 0.35:
        return draft._replace(question=_decapitalised(draft.question).rstrip("?"))
    return draft


# --------------------------------------------------------------------------------------- drawing

WEIGHTS = {"claim": 1.0, "keywords": 0.7, "heading": 1.5}
_MOST_SENTENCES = 14
_MOST_TEXT = 6000


_CREDITS = re.compile(r"Thank|Co-authored|Regression in|Follow[ -]?up to|Signed-off|Refs\b|Bug in")
_FIELDS = re.compile(r"^[A-Z][\w-]*: .*? [A-Z][\w-]*: .*? [A-Z][\w-]*: ")


def _overlong(question: str) -> bool:
    return not 6 <= len(question) <= 170 or question.count("`") % 2 == 1


def drafts(title: str, heading: str, text: str, rng: random.Random) -> list[Draft]:
    """Every question the rules find in a passage, unloosened."""
    name = name_title(title)
    if name and text.startswith(title + ". "):
        text = text[len(title) + 2 :]
    context = Context(name, bool(name) and seems_person(name, text))
    found: list[Draft] = []
    said: list[str] = []
    topic_held = bool(name)
    for paragraph in blocks(text[:_MOST_TEXT]):
        if len(paragraph) < 25 or _FIELDS.match(paragraph):
            continue
        for whole in sentences(paragraph):
            if len(said) >= _MOST_SENTENCES or len(whole) > 500:
                continue
            sentence = without_parens(whole)
            found.extend(life_drafts(whole, context))
            clause = read_clause(sentence, context, topic_held)
            if clause:
                found.extend(clause_drafts(clause))
            found.extend(sentence_drafts(sentence))
            if claim := claim_draft(whole, context, topic_held):
                found.append(claim)
            opening = sentence.split(" ", 1)[0]
            if clause and not clause.is_title and clause.person == context.person:
                topic_held = False
            elif (clause and clause.is_title) or opening in ("The", "In"):
                topic_held = bool(name)
            if len(sentence.split()) > 5 and not _CREDITS.match(sentence):
                said.append(sentence)
    if said and (words := keyword_draft(title, rng.choice(said), rng)):
        found.append(words)
    if heading and said and (asked := heading_draft(title, heading, rng)):
        found.append(asked)
    if said and not name and 1 < len(title.split()) < 10 and not commit_drafts(title):
        found.extend(title_drafts(title))
    for line in dict.fromkeys((title, heading, text.split("\n", 1)[0][:120])):
        found.extend(commit_drafts(line))
    return [draft for draft in found if not _overlong(draft.question)]


def _drawn(found: list[Draft], rng: random.Random) -> Iterator[Draft]:
    """The drafts in an order drawn at random, kinds before drafts, no answer asked for twice."""
    pools: dict[str, list[Draft]] = {}
    for draft in found:
        pools.setdefault(draft.kind, []).append(draft)
    answered: set[tuple[str, str]] = set()
    while pools:
        kinds = sorted(pools)
        weights = [WEIGHTS.get(kind, 2.0) for kind in kinds]
        kind = rng.choices(kinds, weights)[0]
        draft = pools[kind].pop(rng.randrange(len(pools[kind])))
        if not pools[kind] or kind in WEIGHTS:
            del pools[kind]
        key = (draft.kind, draft.answer or draft.kind)
        if key not in answered:
            answered.add(key)
            yield draft


def questions(
    title: str, heading: str, text: str, rng: random.Random, limit: int = 3
) -> list[Asked]:
    """Up to `limit` questions that the passage answers; fewer, or none, where no rule fits."""
    asked: list[Asked] = []
    seen: set[str] = set()
    for draft in _drawn(drafts(title, heading, text, rng), rng):
        if len(asked) >= limit:
            break
        loose = loosened(draft, rng)
        if loose.question.lower() in seen:
            continue
        seen.add(loose.question.lower())
        asked.append(Asked(loose.question, span_of(text, loose.answer), loose.kind))
    return asked


def _main(lines: Iterable[str], limit: int) -> None:
    """Print the questions of JSON lines: title (or id, or subject), heading, text (or body)."""
    rng = random.Random(0)
    for line in lines:
        row = json.loads(line)
        title = row.get("title") or row.get("subject") or row.get("id") or ""
        text = row.get("text") or row.get("body") or ""
        for asked in questions(title, row.get("heading") or "", text, rng, limit):
            sys.stdout.write(f"{asked.kind:10} {asked.question}\t=> {asked.answer[:70]}\n")


if __name__ == "__main__":
    _main(sys.stdin, int(sys.argv[1]) if len(sys.argv) > 1 else 3)
