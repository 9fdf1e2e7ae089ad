"""Invented stories for training a reranker: a question, passages that answer it, hard others.

A small cross-encoder learns what answers a question only when the wrong passages look right. So
every example is drawn from a schema (a kind of fact: which vet, which rate limit, what deposit)
that says the fact in several ways, asks for it in other words, talks about the same thing without
telling it, and tells an older value. Wrong passages are the same sentences about another person,
date or thing; all passages go through the same wrapping (small talk, other facts, speakers,
bullets), so neither length nor form gives the label away.

Everything here is made up; nothing is taken from a data set. The tables are written in a little
notation, parsed once at import:

    @ name | me, team or record | topic     a schema; facts of one topic never pad each other
    v = pool, or a | b | c                  the asked value; k is the occasion or thing asked about
    + tells v          ~ same subject, does not tell v      ! same words, another sense or advice
    < tells an old value w, and says so     > tells of the change from w to v
    ? asks for v       ?< asks for the old value w          ?2 asks for two people's or things' v

    {S} subject, {P} its possessive, {s} {p} {o} pronouns, [have|has] verb for I or for she,
    (car/vehicle) a free choice, {city} a draw from a pool. An indented line continues the last.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class Example(NamedTuple):
    """One question with the passages that answer it and those that only look like it."""

    question: str
    positives: tuple[str, ...]
    negatives: tuple[tuple[str, str], ...]
    """(kind, passage): wrong-person, wrong-date, wrong-value (another trip, service, customer),
    superseded, same-topic, unanswerable (right subject, not the asked fact) or mention."""


# ---------------------------------------------------------------------------------- pools

SHE = """Priya Noor Ingrid Amara Mei Lucía Yuki Fatima Chiara Anneke Saoirse Thandiwe Leila Sunita
Olga Marta Hana Zeynep Beatriz Freya Adaeze Linh Rosalind Nadia Petra Camille Ewa Soo-jin Aroha
Gwen Ifeoma Katya Marisol Dalia Tamsin Wanjiru Elif Greta Shreya Paloma""".split()
HE = """Tomás Kwame Dmitri Hiroshi Rafael Omar Sven Arjun Mateo Cillian Jakub Tariq Wei Emeka Luca
Anders Yusuf Bram Nikhil Pavel Diego Farid Joonas Callum Minh Rohan Sipho Étienne Goran Kenji Ivo
Malik Bogdan Ravi Stellan Thabo Idris Marek Hamza Leandro""".split()
SURNAMES = """
Okafor Lindqvist Banerjee Moreau Takahashi Haddad Kowalczyk Ferreira Novak Achebe Byrne
Castellanos Dlamini Eriksen Fontaine Gupta Hoang Ibrahim Jansen Kaplan Larsen Mbeki Nakamura Orsini
Petrov Quispe Rossi Sandoval Tanaka Usman Varga Whitlock Yilmaz Zielinski Marchetti Pham""".split()
MONTHS = """January February March April May June July August September October November
December""".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


BAR = re.compile(r"\|(?![^\[]*\])")


def _bars(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in BAR.split(text))


POOLS: dict[str, tuple[str, ...]] = {
    "name": tuple(SHE + HE),
    "day": tuple(DAYS),
    "month": tuple(MONTHS),
    "city": tuple(
        """Lisbon Porto Kraków Ghent Bologna Osaka Hanoi Tbilisi Oaxaca Valparaíso Tallinn Ljubljana
        Galway Bergen Utrecht Leipzig Nairobi Accra Marrakesh Izmir Kyoto Taipei Montréal Halifax
        Portland Savannah Tucson Cusco Medellín Perth Wellington Jaipur Kochi Penang Aarhus Graz
        Bilbao Lyon Turin Thessaloniki""".split()
    ),
    "pet": tuple(
        """Biscuit Mango Olive Pixel Waffles Nori Ziggy Pepper Clementine Moose Tofu Juniper Bandit
        Hazel Pickles Miso Rufus Sprout Gizmo Luna Figaro Dumpling""".split()
    ),
    "company": _bars(
        """Northlake Foods|Halden Logistics|Brightmoor|Cobalt Dental|Tessera Health|Quillon Bank|
        Fernway Travel|Ostrava Steel|Pinecrest Schools|Mirador Media|Kestrel Air|Lumen & Pike|
        Sablefish|Orchard Mutual|Vantor Robotics|Greywater Energy|Ardent Press|Bluefin Hotels|
        Cedarline|Dunmore Insurance|Eastgate Clinics|Foxglove Retail|Harrow & Finch|
    Ironbridge Labs"""
    ),
    "service": _bars(
        """checkout|billing-api|search|auth-gateway|notifications|ledger|image-resizer|reports|
        webhooks|onboarding|inventory-sync|session-store|feed-builder|pricing|mail-relay|uploads|
        audit-log|recommendations|geo-lookup|mobile-bff|scheduler|orders|profile-service|payouts"""
    ),
    "project": _bars(
        """Heron|Project Tundra|the Atlas rewrite|Lighthouse|the billing migration|Marigold|
        the mobile redesign|Quarry|the partner portal|Sandpiper|the data lake|Windmill|
        the self-serve signup|Copperfield|the GDPR export|Juniper|the mainframe exit|Skylark"""
    ),
    "flag": _bars(
        """new_checkout_flow|fast_search_v2|dark_mode_beta|bulk_invite|lazy_thumbnails|
        smart_retry|eu_tax_rules|one_click_pay|inline_comments|async_exports|passkey_login|
        shadow_writes|compact_nav|usage_alerts"""
    ),
    "car": _bars(
        """Subaru Forester|Skoda Octavia|Honda Jazz|Volvo V60|Kia Niro|Mazda 3|Toyota Yaris|
        Renault Zoe|Ford Focus|Dacia Duster|Hyundai Ioniq|Peugeot 208|Nissan Leaf|VW Golf|
    Fiat 500"""
    ),
    "food": _bars(
        """lamb tagine|miso ramen|mushroom risotto|fish tacos|aubergine curry|pierogi|jollof rice|
        lasagne|bibimbap|shakshuka|pho|moussaka|paella|dal makhani|gnocchi|chicken pie"""
    ),
    "hotel": _bars(
        """Casa Azul|the Hotel Meridian|Pension Krone|the Old Customs House|Villa Sereno|
    the Lark Inn|
        Riad Yasmin|the Station Hotel|Harbour Lodge|Posada del Sol|the Grand Ilmen|Stargazer Cabins|
        Hostel Nordlys|the Tannery Rooms|Quinta da Pedra|the Blue Door guesthouse"""
    ),
    "restaurant": _bars(
        """Trattoria Lupo|the Salt Shed|Saffron & Smoke|Kuro Noodle Bar|La Petite Ourse|
    Mama Abena's|
        the Copper Pot|Taverna Ilias|Banh Mi Corner|El Rincón|the Glasshouse|Dosa Junction"""
    ),
    "book": _bars(
        """The Salt Cartographer|A Winter of Small Engines|Nine Rivers|The Beekeeper's Ledger|
        Glass Mountain Road|What the Harbour Kept|Slow Thunder|The Orchard Clause|Paper Lanterns|
        An Atlas of Quiet Rooms|The Last Lamplighter|Halfway to Ulan"""
    ),
    "thing": _bars(
        """dishwasher|espresso machine|bike|laptop|tent|sofa|washing machine|camera|desk|freezer|
        sewing machine|lawnmower|headphones|vacuum|printer|kayak"""
    ),
    "tool": _bars(
        """Ledgerly|Boardwise|Pagerbee|Formstack Lite|Tallyho|Shipnote|Querylake|Mailheron|Docuplum|
        Timekite|Signwell Pro|Hirepath|Chartmoss|Vaultkey|Loopdesk|Stackpeek"""
    ),
    "db": _bars(
        """Postgres|MySQL|SQLite|CockroachDB|MongoDB|DynamoDB|ClickHouse|Cassandra|MariaDB|Redis"""
    ),
    "region": _bars("eu-west-1|us-east-2|ap-south-1|eu-north-1|ca-central-1|sa-east-1|us-west-2"),
    "occasion": _bars(
        """{P} birthday|Christmas|the anniversary|New Year's Eve|the graduation|Mother's Day|
        the housewarming|the leaving party|Diwali|Eid"""
    ),
    "season": _bars("spring|summer|autumn|winter"),
    "quarter": tuple(f"Q{q} {y}" for y in range(2021, 2026) for q in range(1, 5)),
    "when": _bars(
        """last week|yesterday|on Saturday|a fortnight ago|earlier this month|the other day|
        over the weekend|this morning|last Thursday|a few days back"""
    ),
    "colour": _bars("dark green|navy|mustard|off-white|terracotta|sage|charcoal|teal|plum|sand"),
    "hobby": _bars(
        """pottery|bouldering|salsa|watercolours|choir|fencing|beekeeping|woodturning|archery|
        improv|birdwatching|rowing|calligraphy|chess"""
    ),
}


def _money(rng: random.Random, low: int, high: int) -> str:
    amount = rng.randint(low, high)
    sign = rng.choice("$$€€£")
    if high < 300 and rng.random() < 0.4:
        return f"{sign}{amount}.{rng.choice(('50', '99', '20', '75'))}"
    return f"{sign}{amount:,}" if rng.random() < 0.8 else f"{amount} {rng.choice(CURRENCIES)}"


CURRENCIES = ("euros", "dollars", "pounds", "francs", "kroner")


def _date(rng: random.Random) -> str:
    year, month, day = rng.randint(2021, 2025), rng.randint(1, 12), rng.randint(1, 28)
    name = MONTHS[month - 1]
    return rng.choice(
        (
            f"{day} {name} {year}",
            f"{name} {day}, {year}",
            f"{year}-{month:02}-{day:02}",
            f"{day} {name[:3]} {year}",
            f"{day:02}.{month:02}.{year}",
        )
    )


def _time(rng: random.Random) -> str:
    hour, minute = rng.randint(6, 21), rng.choice((0, 15, 30, 45, 10, 40))
    if rng.random() < 0.5:
        return f"{hour:02}:{minute:02}"
    half = "am" if hour < 12 else "pm"
    return (
        f"{(hour - 1) % 12 + 1}:{minute:02} {half}" if minute else f"{(hour - 1) % 12 + 1} {half}"
    )


DRAWS: dict[str, Callable[[random.Random], str]] = {
    "date": _date,
    "time": _time,
    "year": lambda r: str(r.randint(2012, 2025)),
    "oldyear": lambda r: str(r.randint(1921, 2011)),
    "monthyear": lambda r: f"{r.choice(MONTHS)} {r.randint(2020, 2025)}",
    "cheap": lambda r: _money(r, 6, 95),
    "mid": lambda r: _money(r, 100, 999),
    "dear": lambda r: _money(r, 1000, 24000),
    "huge": lambda r: f"{r.choice('$€£')}{r.randint(12, 900)}k",
    "n": lambda r: str(r.randint(3, 40)),
    "few": lambda r: r.choice(("two", "three", "four", "five", "six", "seven", "eight", "nine")),
    "count": lambda r: str(
        r.choice((50, 80, 100, 120, 250, 300, 500, 600, 1000, 1500, 2000, 5000))
    ),
    "pct": lambda r: f"{r.randint(2, 95)}%",
    "minutes": lambda r: f"{r.randint(5, 95)} minutes",
    "days": lambda r: f"{r.choice((7, 10, 14, 21, 28, 30, 45, 60, 90, 120, 180, 365))} days",
    "km": lambda r: f"{r.randint(5, 60)} km",
    "version": lambda r: f"{r.randint(1, 9)}.{r.randint(0, 30)}.{r.randint(0, 12)}",
    "host": lambda r: (
        f"{r.choice(('ams', 'iad', 'fra', 'sin', 'gru'))}-{r.randint(1, 9)}"
        f"{r.choice(('a', 'b', 'c'))}"
    ),
    "code": lambda r: (
        f"{r.choice('ABCDEFGHKLMNPRST')}{r.choice('ABCDEFGHKLMNPRST')}-{r.randint(100, 9999)}"
    ),
    "person": lambda r: f"{r.choice(SHE + HE)} {r.choice(SURNAMES)}",
    "doctor": lambda r: f"Dr {r.choice(SURNAMES)}",
    "street": lambda r: f"{r.choice(SURNAMES)} {r.choice(('Street', 'Lane', 'Road', 'Square'))}",
    "village": lambda r: (
        r.choice(("Oster", "Lang", "Birk", "Thorn", "Wester", "Fen", "Hollow", "Ash"))
        + r.choice(("by", "field", "ham", "beck", "stead", "mouth", "holm", "wick"))
    ),
    "rent": lambda r: _money(r, 450, 2400),
    "seat": lambda r: f"{r.randint(2, 38)}{r.choice('ABCDEF')}",
}

DATED = {"year", "monthyear", "occasion", "quarter", "season", "month", "day", "date"}
"""Pools whose values say when: a passage with another one is of the wrong date."""

# ---------------------------------------------------------------------------------- schemas

TABLE = """
@ car-bought | me | car
v = car
+ By the way, {S} finally picked up the {v} {when}, it's the {colour} one.
+ {S} ended up buying a {v} from a dealer in {city}.
+ {P} new car: {v}, {colour}, collected {date}.
+ After months of looking {S} signed for a {v} and drove it home the same evening.
? What (vehicle/ride/set of wheels) did {S} (get/end up with/go for)?
? Remind me which (model/make) {S} chose in the end when {s} went vehicle shopping.
? {P} vehicle make and model
? Which motor did {S} (purchase/settle on)?
?2 Which vehicles did {A} and {B} each get?
~ {S} spent all of Sunday comparing car loans and insurance offers.
~ {P} car needs new wiper blades before the cold comes.
~ {S} took the car to {city} and the traffic was dreadful.
! When you choose a vehicle, weigh running costs, boot space and reliability. Test drive at least
  two models and never pay the sticker price.
! The model train set in the shop window went to a collector who bought every vehicle in it.

@ car-price | me | car
v = dear
k = car
+ {S} paid {v} for the {k}, which felt fair with the winter tyres thrown in.
+ The {k} set {o} back {v} all told.
+ {P} {k}: {v} including registration.
+ {S} haggled over the {k} and got it for {v} in the end.
? How much did {S} (pay/hand over/spend) for the {k}?
? Remind me what the {k} cost {O}.
? {P} {k} purchase price
? What was the price {S} got on the {k}?
~ {S} [love|loves] driving the {k}, the heated seats are bliss.
~ {S} test drove the {k} twice before making an offer.
! A fair price for a used {k} depends on mileage and service history, so check listings first.

@ gym | me | sport
v = Ironworks | the Riverside pool | Peak Climbing Hall | FitBarn | the Y on Mill Road | Studio
  Volta | CrossFit Docklands | Temple Gym | the uni sports centre
+ {S} [go|goes] to {v} now, mostly before work.
+ {S} [am|is] training at {v} these days and the sauna is great.
+ {P} current gym: {v}.
> {S} switched from {w} to {v}, since {w} got too crowded.
< {S} used to work out at {w} until it closed.
< {S} [was|was] a member of {w} back then but cancelled ages ago.
? Where [do|does] {S} (work out/exercise/lift) (now/these days/at the moment)?
? What's the name of the place where {S} currently [train|trains]?
? {P} current fitness club
?< Where did {S} (work out/train) before the current place?
?2 Where do {A} and {B} each work out?
~ {S} did a heavy leg session and could barely climb the stairs.
~ {S} [want|wants] to go to the gym three times a week, but it is usually two.
! A good gym has enough racks, clean showers and staff who correct your form.

@ moved | me | home
v = city
+ {S} relocated to {v} in {month} and [am|is] still unpacking boxes.
+ Big news, {S} moved to {v}! The flat is small but the light is lovely.
+ {S} now [live|lives] in {v}, close to the river.
> {S} left {w} and settled in {v}, mainly for the schools.
< {S} used to live in {w}, on the third floor with no lift.
< {P} old flat was in {w}; {s} moved out a while ago.
? Which (town/city) [do|does] {S} (live in/call home) (now/these days)?
? Where's {P} (new place/current home)?
? Where did {S} (move/relocate) to?
?< Where did {S} live (before/previously)?
?2 Which towns do {A} and {B} live in now?
~ {S} labelled every moving box by room and still cannot find the kettle.
~ {S} hired a van and two students to carry the furniture.
! Before moving, list your fixed costs in the new town and visit the area after dark.

@ rent | me | home
v = rent
k = year
+ In {k} {P} rent was {v} a month, heating included.
+ {S} paid the landlord {v} each month during {k}.
+ {P} rent, {k}: {v} monthly.
? How much did {S} pay (for the flat/for housing/the landlord) per month in {k}?
? What was {P} monthly housing cost back in {k}?
? {P} rent {k}
~ In {k} {P} landlord finally fixed the boiler.
~ {S} asked the landlord in {k} whether the deposit could be paid in parts.
! A common rule is to keep rent below a third of what you earn each month.

@ paint | me | home
v = colour
k = the hallway | the kitchen | the bedroom | the bathroom | the study | the nursery | the front
  door
+ {S} painted {k} {v} and it looks twice as big.
+ {S} decided on {v} for {k}, two coats, eggshell finish.
+ {P} paint job on {k}: {v}, second tin left over.
? What (colour/shade) did {S} (go with/pick/do) for {k}?
? Remind me which tone {S} put on the walls, I mean {k}.
? What shade is {k} after {S} redid it?
~ {S} spent the whole weekend sanding down {k}.
~ {k} was harder work than {S} thought, so much masking tape.
! Light shades make a small room feel bigger; always try a sample pot on two walls first.

@ hotel | me | travel
v = hotel
k = city
+ In {k} {S} stayed at {v}, right by the old market.
+ {S} booked {v} for the {k} trip, breakfast included.
+ {P} {k} trip: slept at {v}, {few} nights.
+ {S} would go back to {v} in a heartbeat, the best thing about {k}.
? What was that place {S} stayed at in {k}?
? Where did {S} (sleep/spend the nights/have a room) in {k}?
? {P} {k} accommodation
? I want to recommend somewhere in {k} to a friend. Which (hotel/guesthouse) did {S} use there?
?2 What accommodation did {S} use in {k} and in {k2}?
~ {S} walked all over {k} and ate far too many pastries.
~ The train to {k} was delayed by two hours, so {S} got in after midnight.
~ {S} [want|wants] a room with a balcony next time {s} [go|goes] to {k}.
! In {k} it is best to stay near the old town. Look for a place with breakfast and good reviews,
  and book early in the high season.

@ flight-seat | me | travel
v = seat
k = city
+ {S} got seat {v} on the flight to {k}.
+ {P} boarding pass to {k}: seat {v}, gate closes {time}.
+ {S} changed {p} seat to {v} for the {k} leg.
? Which row [am I|is {S}] sitting in on the plane to {k}?
? What seat number did {S} get (flying to/on the way to) {k}?
? {P} seat number {k} flight
~ {S} checked one bag for the {k} flight.
~ The flight to {k} leaves before dawn, so {S} ordered a taxi.
! On most planes to {k} the rows by the exits have more leg room, and the seat map shows it.

@ trip-with | me | travel
v = name
k = city
+ {S} went to {k} with {v}, who planned the whole thing.
+ {v} came along to {k} with {O} at the last minute.
+ {k} was great fun: just {O} and {v} and two rucksacks.
? Who (tagged along/travelled) to {k} with {O}?
? Whose company did {S} have in {k}?
? {P} {k} travel companion
~ {S} took hundreds of photos in {k}.
~ {S} packed too little for {k} and froze in the evenings.
! Travelling with a companion to {k} saves on rooms, but talk about money before you go.

@ trip-year | me | travel
v = year
k = city
+ {S} visited {k} in {v}, during the heat wave.
+ {v}: {P} trip to {k} with the night train.
+ It was {v} when {S} first saw {k}.
? When did {S} (go to/visit/travel to) {k}?
? What year was {P} (trip/holiday) to {k}?
? How long ago [was|was] {S} in {k}, I mean which year?
?2 In which years did {S} visit {k} and {k2}?
~ {S} still [talk|talks] about the soup {s} had in {k}.
~ {S} bought a ceramic bowl in {k} and it survived the journey.
! The best time of year to visit {k} is late spring, when the crowds are small.

@ physio | me | health
v = doctor
+ {S} [see|sees] {v} for {p} knee now, every second {day}.
+ {S} got referred to {v} about the back pain and it is helping.
+ {P} physiotherapist is {v}, on {street}.
> {S} changed from {w} to {v}, because {w} retired.
< {S} used to see {w} about the knee before {w} retired.
< {P} former physio was {w}.
? Who is (treating {P} sore joints/{P} physical therapist) (now/at present)?
? What's the name of the therapist {S} currently [see|sees]?
? {P} current physical therapist name
?< Who treated {O} before the current therapist?
~ {S} [do|does] the stretching exercises every morning, well, most mornings.
~ {P} knee still hurts on the stairs.
! A physiotherapist will usually begin with strength tests and give you exercises for home.

@ allergy | me | food
v = penicillin | peanuts | shellfish | kiwi | latex | sesame | cat hair | birch pollen | lupin |
  eggs | wasp stings
+ {S} [am|is] allergic to {v}, found out the hard way as a child.
+ Please remember that {S} can't go near {v}, {p} throat swells up.
+ {P} allergies: {v}.
? What [do|does] {S} (have a bad reaction to/need to avoid for medical reasons)?
? Is there anything that {S} must stay away from because it makes {o} ill?
? {P} allergies
?2 What must be kept away from {A} and from {B}?
~ {S} asked the pharmacist about something for hay season but left with only tissues.
~ {S} had a rash {when} and nobody knew why.
! Allergies can begin at any age. Avoid the trigger, carry medication, and tell restaurants.

@ medication | me | health
v = 5 mg | 10 mg | 20 mg | 25 mg | 40 mg | 50 mg | 75 mg | 100 mg
k = the blood pressure tablets | the thyroid pills | the antihistamine | the iron supplement
+ {S} now [take|takes] {v} of {k} each morning.
+ The doctor put {O} on {v} for {k}.
> The dose of {k} for {O} went from {w} to {v}.
< {S} used to take {w} of {k}, before the dose was changed.
? What's {P} (current dose/present strength) of {k}?
? How much of {k} [am I|is {S}] supposed to take now?
?< What was {P} earlier dose of {k}?
~ {S} ran out of {k} and had to call the chemist.
~ {S} [keep|keeps] {k} next to the coffee so {s} [remember|remembers].
! Never change the dose of {k} without asking your doctor; take it at the same hour each day.

@ dentist | me | health
v = mid | cheap
k = monthyear
+ The dentist visit in {k} cost {O} {v}.
+ {k}: {S} had a filling done, bill {v}.
+ {S} [was|was] charged {v} at the dental clinic in {k}.
? How much did {S} pay to have {p} teeth seen to in {k}?
? What was the dental bill for {O} in {k}?
? {P} tooth filling cost {k}
~ {S} had a toothache for most of {k}.
~ In {k} {S} put off the dentist once more.
! Dental bills vary a lot; ask for a written estimate before any tooth is treated.

@ pet-name | me | pets
v = pet
k = puppy | kitten | rabbit | tortoise | parrot | rescue dog | hamster
+ {S} named the new {k} {v}, after a long family vote.
+ Meet {v}, the {k} that {S} brought home {when}!
+ {S} got a {k} and [call|calls] it {v}.
? What is {P} {k} called?
? What name did {S} (give to/choose for) the {k}?
? Remind me of the name of {P} little {k}.
?2 What are the names of the {k} and the {k2} that {S} [have|has]?
~ {P} {k} chewed through a phone cable.
~ {S} built a little bed for the {k} out of an old crate.
! Choosing a name for a {k}: two syllables work best, and avoid names that sound like commands.

@ vet | me | pets
v = the Elm Street vets | Dr Varga's clinic | PawPoint | Hillside Animal Hospital | the mobile vet
  | Creature Care
k = pet
+ {S} took {k} to {v} and they were lovely.
+ {k} is registered at {v}; {S} signed the forms {when}.
+ {v} looked at {k}'s paw for {O}, nothing broken.
? Which (animal doctor/clinic) did {S} bring {k} to?
? When {k} was poorly, where did {S} take it?
? {P} animal clinic for {k}
~ {S} [think|thinks] {k} has put on weight again.
~ {k} hates the carrier and scratched {O} badly.
! If a pet stops eating for a day, call a vet; most clinics keep an emergency line.

@ job-left | me | career
v = company
+ {S} handed in {p} notice at {v} {when}.
+ {S} quit {p} job at {v}, the commute was too much.
+ {P} last working day at {v}: {date}.
? Which (employer/firm/company) did {S} (leave/walk away from/resign from)?
? Where did {S} stop working?
? {P} former employer, the one {s} resigned from
?2 Which employers did {A} and {B} leave?
~ {S} brought cake for the colleagues and made a short speech.
~ {S} had been unhappy at work for a long while.
! When you resign, keep the letter short, thank the firm, and name your last day.

@ job-why | me | career
v = the commute took two hours a day | the new manager checked every email | the salary was frozen
  | the team was moved abroad | night shifts ruined the sleep | there was no room to grow | the
  product was cancelled
k = company
+ {S} left {k} because {v}.
+ The reason {S} quit {k}: {v}.
+ {v}, so {S} handed in {p} notice at {k}.
? Why did {S} (leave/quit/resign from) {k}?
? What made {O} walk away from {k}?
? What was behind {P} decision to stop working for {k}?
~ {S} worked at {k} for {few} years and made good friends there.
~ {S} still [meet|meets] people from {k} for lunch.
! People leave companies like {k} for many reasons: pay, managers, commute, growth.

@ job-new | me | career
v = company
+ {S} [start|starts] at {v} on {date}, in the planning team.
+ {S} accepted the offer from {v}!
+ {S} now [work|works] for {v}.
> {S} moved from {w} to {v} after the summer.
< {S} used to work for {w}, but that ended last year.
< {S} [was|was] at {w} until the layoffs.
? Who [do|does] {S} (work for/have a job with) (now/currently)?
? What is {P} (present employer/current workplace)?
?< What was {P} previous employer?
?2 Who do {A} and {B} work for at present?
~ {S} [was|was] nervous about the interview, but they mostly talked about sailing.
~ {S} bought two new shirts for the first week at work.
! Before you accept a job offer, ask about probation, overtime and who you report to.

@ wedding | me | family
v = date
+ {P} wedding is set for {v}, in a barn outside {city}.
+ {S} [am|is] getting married on {v}.
+ Save the date: on {v} {S} [tie|ties] the knot.
? When is {P} (big day/marriage ceremony)?
? On which day [do|does] {S} (get hitched/marry)?
? {P} marriage ceremony date
?2 When are the ceremonies of {A} and {B}?
~ {S} cannot decide between a band and a DJ for the wedding.
~ {S} invited far too many cousins to the wedding.
! For a wedding, send the invitations three months ahead and fix the date with the venue first.

@ gift | me | family
v = a leather satchel | a telescope | a cooking class | a signed print | wool slippers | a
  fountain pen | a weekend in the hills | a record player | a hand-thrown mug | a star map
k = occasion
+ For {k} {S} got {v} and [was|was] over the moon.
+ {S} unwrapped {v} on {k}.
+ {k}: {v} for {O}, from the whole family.
? What (present/gift) did {S} (receive/get) for {k}?
? What did everybody give {O} for {k}?
? What [was|was] {S} (given/presented with) for {k}?
~ On {k} {S} danced until two in the morning.
~ {S} baked a huge cake for {k}.
! For {k}, gifts that are an experience are remembered longer than things.

@ hobby | me | hobby
v = hobby
+ {S} took up {v} {when}, every {day} evening.
+ {S} signed up for a {v} course and [am|is] hooked.
+ {P} new hobby: {v}.
> {S} gave up {w} and [do|does] {v} instead now.
< {S} used to do {w}, but stopped.
? What (pastime/free-time activity) [have|has] {S} (taken up/got into)?
? Which evening pastime [have|has] {S} picked up?
?2 What have {A} and {B} each taken up in their free time?
?< Which pastime did {S} give up?
~ {S} [need|needs] something to do in the evenings that is not a screen.
~ {S} met a few nice people at the course and they went for a drink.
! Picking up a hobby is good for the mind; begin with a taster class before buying kit.

@ race | me | sport
v = 1:38:20 | 1:47:05 | 1:58:40 | 3:41:12 | 4:05:56 | 2:09:33 | 2:21:08 | 3:58:01 | 1:52:47
k = the {city} half marathon | the {city} trail run | the {city} duathlon | the {city} lake run
+ {S} finished {k} in {v}, in pouring rain.
+ {P} result at {k}: {v}.
+ {S} crossed the line of {k} after {v} and wanted to lie down for ever.
? What was {P} (time/result) at {k}?
? How fast did {S} (run/complete) {k}?
? How long did {k} take {O}?
~ {S} trained for {k} all through the winter.
~ {S} lost a toenail at {k}.
! A realistic time for {k} depends on weekly mileage; do not start too fast.

@ course-fee | me | hobby
v = mid
k = hobby
+ The {k} course cost {O} {v} for ten evenings.
+ {S} paid {v} for the {k} lessons, materials extra.
+ {P} {k} fees this term: {v}.
? How much (were/did they charge for) the {k} (classes/lessons) that {S} took?
? What did {S} have to pay to learn {k}?
? {P} {k} tuition price
~ The {k} teacher that {S} [have|has] is strict but funny.
~ {S} missed two {k} lessons because of a cold.
! {k} lessons are cheaper in groups; many schools give the first one away.

@ exam | me | study
v = 61 out of 100 | 74% | 82% | 91% | a distinction | a bare pass | a B plus | 68%
k = organic chemistry | the Spanish B2 exam | statistics | contract law | the theory test | the
  accounting module | medieval history | the sailing licence
+ {S} got {v} in {k}.
+ {P} result in {k}: {v}.
+ {S} opened the letter with shaking hands: {v} in {k}!
? How did {S} (do/score) in {k}?
? What (grade/mark) did {S} end up with for {k}?
? {P} {k} grade
?2 What marks did {S} get in {k} and {k2}?
~ {S} revised for {k} with flash cards for weeks.
~ {S} found {k} dull until the last chapter.
! To do well in {k}, practise with old papers and sleep before the exam.

@ recipe-secret | me | food
v = smoked paprika | a spoon of miso | orange zest | anchovies | dark chocolate | fish sauce |
  tamarind | brown butter | pickle brine
k = food
+ {S} [put|puts] {v} into the {k}, that is the whole trick.
+ The secret of {P} {k} is {v}.
+ {S} tried the {k} with {v} and never looked back.
? What (special ingredient/surprising thing) goes into {P} {k}?
? What [do|does] {S} add to {k} to make it so good?
? Remind me what the trick was with the {k} that {S} [make|makes].
~ {S} made {k} for eight people and there was none left.
~ {S} burnt the {k} {when} because the phone rang.
! A good {k} needs time, salt and fresh ingredients; taste it as you go.

@ diet | me | food
v = vegan | pescatarian | gluten-free | vegetarian | low-carb | dairy-free | halal | kosher
+ {S} [am|is] {v} now, so plan the menu around that.
+ {S} [eat|eats] strictly {v} since {month}.
+ {P} eating habits at present: {v}.
< {S} used to be {w} but gave that up.
> {S} went from {w} to {v} on medical advice.
? Are there any (food rules/eating restrictions) that {S} currently [follow|follows]?
? What kind of meals can I serve {O} (now/these days)?
?< What way of eating did {S} give up?
?2 What food restrictions do {A} and {B} have?
~ {S} had a second helping and asked for the recipe.
~ {S} cannot cook to save {p} life.
! When you host, ask about dietary needs early and keep the sauces on the side.

@ dinner-place | me | food
v = restaurant
k = occasion
+ For {k} {S} had dinner at {v}, table by the window.
+ {S} reserved at {v} for {k}.
+ {k}: {v}, {time}, booked by {O}.
? Where did {S} (eat/have the meal/dine) for {k}?
? What was the name of that restaurant {S} went to for {k}?
? Which eatery did {S} choose for {k}?
~ {S} wore the blue jacket on {k}.
~ On {k} it snowed and {S} got stuck in a taxi.
! For {k}, reserve a table two weeks ahead and ask about set menus.

@ book-who | me | books
v = name
k = book
+ {v} lent {O} a copy of {k}.
+ {S} borrowed {k} from {v} and must give it back.
+ It was {v} who told {O} to read {k}.
? Who (put {O} on to/gave {O} the tip about/passed {O}) {k}?
? From whom did {S} get {k}?
~ {S} read half of {k} on the train and missed the stop.
~ {S} did not like the ending of {k}.
! If you liked {k}, try other quiet novels about families and the sea.

@ book-now | me | books
v = book
+ {S} [am|is] in the middle of {v} at the moment, about halfway.
+ {S} just started {v} for the reading group.
< {S} finished {w} a while back and gave it away.
< {S} gave up on {w} after fifty pages, back in {month}.
? What [am I|is {S}] reading (now/right now/at the moment)?
? Which novel [do|does] {S} currently have on the bedside table?
? {P} current read
~ {S} [read|reads] mostly on the tram.
~ {S} joined a reading group that meets above a bakery.
! Reading before bed helps you sleep; choose a novel with short chapters.

@ savings | me | finance
v = dear
k = the house deposit | the sabbatical | the new roof | the trip round the world | the emergency
  fund
+ {S} [want|wants] to put aside {v} for {k}.
+ {P} savings goal for {k} is {v}.
+ {k}: {S} [need|needs] {v} in total.
? How big a sum [am I|is {S}] saving up for {k}?
? What's {P} target for {k}?
? {P} savings goal {k}
~ {S} opened an account only for {k}.
~ {S} skipped eating out for a month because of {k}.
! To save for {k}, set a standing order on payday and keep it out of sight.

@ phone-plan | me | finance
v = cheap
k = the phone contract | the streaming bundle | the broadband | the car insurance | the gym pass
+ {S} now [pay|pays] {v} a month for {k}.
+ {P} monthly bill for {k}: {v} from {month} on.
> {k} went from {w} to {v} a month, {S} [was|was] not amused.
< {S} used to pay {w} for {k}, that was the old tariff.
? What's the monthly (charge/fee/damage) for {k} that {S} [have|has] now?
? How much [do|does] {S} currently spend on {k}?
?< How much was {k} for {O} under the old deal?
~ {S} [was|was] on hold for an hour about {k}.
~ {S} thought about cancelling {k}.
! You can often get {k} cheaper by calling before the renewal and naming a rival offer.

@ broken | me | home
v = a blown fuse | limescale in the pump | a cracked seal | a loose belt | a dead battery | a
  mouse nest | a software bug | a bent hinge
k = thing
+ It turned out that {P} {k} stopped working because of {v}.
+ The repair man found {v} in the {k} that {S} [own|owns].
+ {P} {k}: fault was {v}.
? What was (wrong/the matter) with {P} {k}?
? Why did {P} {k} (pack up/give up/stop)?
? {P} {k} fault cause
~ {P} {k} makes a funny noise when it is hot.
~ {S} had to wait a week for someone to look at the {k}.
! If a {k} stops, check power and filters first, then read the manual before calling anyone.

@ key-place | me | home
v = in the blue tin on the fridge | under the third flowerpot | with the neighbour at number nine
  | in the drawer by the stairs | behind the paint cans | in the glovebox | inside the piano stool
k = spare key | passport | tax folder | first aid kit | cash box | birth certificate | toolbox
+ {S} put {p} {k} {v}, so nobody loses it again.
+ {P} {k}: {v} (moved there {when}).
+ In case you look for it, {S} left {p} {k} {v}.
? Where did {S} (hide/leave/stash) {p} {k}?
? I cannot find {P} {k} anywhere, where did {s} put it?
? {P} {k} location
~ {S} turned the whole house upside down for {p} {k} once.
~ {S} said {p} {k} should have a label on it, just in case.
! A good spot for a {k} is dry, out of sight and known to two people.

@ meet-time | me | social
v = time
k = day
+ {S} [am|is] meeting {name} at {v} on {k}.
+ {P} {k} coffee with {name}: {v}.
+ {S} agreed on {k} at {v} with {name}, at the usual café.
? What time (is {P} appointment/did {S} arrange to meet) on {k}?
? When exactly on {k} [do|does] {S} have that coffee?
~ {S} [have|has] nothing planned for {k} evening.
~ {S} overslept on {k} and missed the bus.
! Meetings on a {k} are best kept short, ideally before lunch.

@ concert | me | hobby
v = cheap
k = the Velvet Herons gig | the opera night | the jazz brunch | the derby match | the comedy show
  | the ballet
+ {S} paid {v} per ticket for {k}.
+ Tickets for {k} were {v} each, {S} bought two.
+ {P} ticket for {k}: {v} a seat, through a friend.
? How much were the (seats/admissions) that {S} got for {k}?
? What did {k} cost {O} a head?
~ {k} was so loud that {S} had ringing ears.
~ {S} went to {k} straight from work.
! For {k}, resale sites take a big fee; the box office is cheaper.

@ garden | me | garden
v = rhubarb | dahlias | runner beans | a fig tree | garlic | lavender | sweet peas | blueberries
k = the raised bed | the back border | the big pot | the front strip | the allotment plot
+ {S} planted {v} in {k} in {month}.
+ {k} has {v} this year, {S} dug it all over first.
+ {S} put {v} into {k}, fingers crossed about slugs.
? What [am I|is {S}] (growing/raising) in {k}?
? What did {S} (sow/put) in {k}?
~ {S} weeded {k} until the light was gone.
~ {S} watered {k} twice a day in the heat.
! For {k}, mix in compost, and choose plants that suit the light.

@ language | me | study
v = Portuguese | Korean | Welsh | Arabic | Finnish | Swahili | Greek | sign language | Dutch
+ {S} [am|is] learning {v}, twenty minutes a day.
+ {S} started {v} lessons with a tutor {when}.
+ {S} can order food in {v} by now and [am|is] very proud.
? Which (tongue/foreign language) [am I|is {S}] studying?
? What language [have|has] {S} been picking up?
?2 Which languages are {A} and {B} studying?
~ {S} [forget|forgets] every word as soon as someone answers.
~ {S} [practise|practises] with an app on the bus.
! To learn a language, speak from the first day and repeat in small doses.

@ installer | me | home
v = company
k = the solar panels | the new windows | the loft insulation | the heat pump | the kitchen units
+ {S} had {k} fitted by {v}.
+ {v} did the work on {k} for {O}, two men, three days.
+ {P} installer for {k}: {v}.
? Which (firm/outfit/contractor) (installed/put in) {k} for {O}?
? Who did the job when {S} had {k} done?
~ {S} [am|is] very happy with {k}, the house is much warmer.
~ {S} waited four months for a grant for {k}.
! For {k}, get three offers and ask each installer for a reference.

@ birthday | me | family
v = 3 May | 17 October | 29 February | 8 January | 21 June | 2 August | 30 November | 14 March
+ {P} birthday is on {v}.
+ {S} [was|was] born on {v}, during a storm.
+ {S} [turn|turns] a year older on {v}.
? When [was|was] {S} born?
? What day do we celebrate {O} getting older?
? {P} date of birth
?2 When were {A} and {B} born?
~ {S} [want|wants] a quiet birthday with no singing.
~ {S} baked {p} own birthday cake.
! Birthdays are easy to forget, so put them in a calendar with a reminder.

@ rate-limit | team | limits
v = {count} requests a minute | {count} requests per hour | {count} calls a second
k = service
+ The {k} API now allows {v} per key.
+ Decision: cap {k} at {v}, return 429 above that.
+ {k}: limit = {v} (changed {date}).
> We changed the {k} limit from {w} to {v} after the partner complaints.
< The {k} limit was {w} until the spring, that no longer holds.
< Old value for {k}: {w}, replaced since.
? What's the (current/present) (throttle/quota/request cap) on {k}?
? How many calls can a client make to {k} before being (throttled/blocked) now?
? {k} current quota
?< What used to be the request cap on {k}?
?2 What are the request caps on {k} and {k2}?
~ {k} returned a burst of 429s and two partners asked why.
~ We should document the {k} limit somewhere customers can find it.
! Rate limits protect a service from bursts; use a token bucket and tell clients when to retry.

@ db-choice | team | database
v = db
k = project
+ We went with {v} for {k}.
+ ADR: {k} stores its data in {v}. Status: accepted.
+ feat({k}): add {v} as the store
> {k} moves from {w} to {v}; cut-over done {date}.
< {k} was on {w} at first, we dropped that.
? Which (datastore/persistence engine) does {k} (use/run on) now?
? Where does {k} keep its data these days?
? {k} current storage backend
?< What datastore did {k} have originally?
?2 Which datastores do {k} and {k2} run on?
~ {k} needs a backup plan before launch.
~ The schema review for {k} took the whole afternoon.
! Choosing a datastore is about access patterns, team knowledge and operations, not benchmarks.

@ db-why | team | database
v = the licences got too dear | writes blocked each other under load | nobody knew how to run it |
  the backups kept failing | we needed joins across tenants | cold starts took minutes | the
  vendor ended support
k = service
+ We moved {k} off its old database because {v}.
+ Context: {v}. Decision: migrate the {k} store.
+ The {k} store was replaced since {v}.
? Why did we (change/swap/migrate) the {k} (datastore/storage)?
? What was the reason behind replacing what {k} keeps its rows in?
? {k} datastore migration rationale
~ The {k} store migration ran over the weekend with no data loss.
~ {name} wrote the runbook for the {k} database migration.
! Datastore migrations go best with dual writes, a shadow read phase and a way back.

@ flag-owner | team | flags
v = name
k = flag
+ {v} owns the {k} flag.
+ Flag {k}, contact: {v}.
+ Ask {v} before you touch {k}.
> Ownership of {k} passed from {w} to {v}.
< {w} used to look after {k} but handed it on.
? Who is responsible for {k} (now/at the moment)?
? Whom do I (ping/ask) about flipping {k} (today/these days)?
?< Who looked after {k} before?
~ {k} is set in three config files, which is two too many.
~ {k} confuses new people, the name says nothing.
! Feature flags should have an owner and an expiry date, or they rot.

@ flag-rollout | team | flags
v = pct
k = flag
+ {k} is at {v} of traffic as of now.
+ Rollout: {k} currently on for {v} of accounts.
+ chore(flags): set {k} to {v}
> We moved {k} from {w} to {v} this morning, currently stable.
< {k} was at {w} last month, before the new ramp.
? What share of users (sees/gets) {k} (now/currently)?
? How far along is the ramp of {k} at present?
?< What was the earlier share of users on {k}?
~ Support got three tickets about {k}.
~ {k} has its own dashboard now.
! Ramp a flag in steps and hold each step for a day while you watch errors.

@ incident-cause | team | incidents
v = an expired certificate | a full disk | a bad config push | a DNS typo | a runaway cron job | a
  lock on the users table | a leaked connection pool | a leap-day bug | a vendor outage
k = service
+ Root cause of the {k} outage: {v}.
+ {k} went down because of {v}, fixed after {minutes}.
+ Postmortem {date}: {k} failed due to {v}.
? What (caused/was behind/triggered) the {k} (downtime/failure)?
? Why did {k} (fall over/go down)?
? {k} downtime reason
?2 What brought down {k} and what brought down {k2}?
~ The {k} outage woke up four people.
~ During the {k} incident the status page was updated too late.
! An outage is rarely one cause; write a blameless postmortem and track the actions.

@ incident-length | team | incidents
v = minutes
k = service
y = monthyear
+ The {k} outage in {y} lasted {v}.
+ {y}: {k} down for {v}, errors on every login.
+ Impact of the {y} incident: {k} unavailable, {v}.
? How long was {k} (down/unreachable) in {y}?
? {k} {y} downtime duration
? In {y} when {k} broke, how much time passed until it was back?
~ After the {y} trouble with {k} we added two alerts.
~ The {k} incident of {y} was found by a customer, not by us.
! To shorten downtime, practise rollbacks and keep runbooks next to the alerts.

@ oncall | team | oncall
v = name
k = the week of {date}
+ {v} is on call for {k}.
+ Pager, {k}: {v}.
+ {v} took the rota for {k}, swapped with {name}.
? Who (carries/has/holds) the pager in {k}?
? Who do I wake up if something breaks in {k}?
~ {k} had eleven pages, mostly noise.
~ We still need a backup for {k}.
! An on-call rota works best with a clear handover and a day off afterwards.

@ deploy-day | team | deploys
v = Mondays and Thursdays | every weekday before 15:00 | Tuesdays only | twice a day | once a
  fortnight | on merge | Wednesdays at ten
k = service
+ {k} ships {v} now.
+ Decision: release {k} {v}.
+ We deploy {k} {v}, see the calendar.
> {k} deploys went from {w} to {v} as of this sprint.
< {k} used to ship {w}, before the new pipeline.
? When do we (push/roll out/release) {k} to production (now/currently)?
? What's the present release (rhythm/schedule) for {k}?
?< What was the old release rhythm for {k}?
~ The last {k} deploy needed a rollback.
~ {k} builds are slow because of the asset step.
! Small frequent releases are safer than big ones; automate the rollback.

@ release-change | team | releases
v = dropped Python 3.8 | added bulk export | removed the v1 endpoints | fixed the timezone bug |
  made retries opt-in | renamed the client class | switched to signed URLs | added Arabic
k = v{version}
+ {k} {v}.
+ Changelog {k}: {v}, plus small fixes.
+ release {k}, in which we {v}
? What (changed/was new/was different) in {k}?
? What did {k} bring?
? {k} changes
?2 What changed in {k} and in {k2}?
~ {k} went out late on a Friday.
~ {name} tagged {k} and wrote to the customers.
! A version number should tell users whether an upgrade can break them.

@ release-date | team | releases
v = date
k = project
+ {k} goes live on {v}.
+ Launch of {k}: {v}.
+ We agreed that {k} ships on {v}.
> {k} was moved from {w} to {v}, so the latter is the plan now.
< {k} was first planned for {w}, that date is off.
? When does {k} (launch/go out/reach customers) according to the current plan?
? What's the (delivery day/deadline) for {k} as it stands?
?< What was the original launch day of {k}?
?2 When do {k} and {k2} launch?
~ {k} has a long list of open bugs.
~ Marketing wants screenshots of {k}.
! Set a launch date only after the risky parts are built, and keep a buffer.

@ customer-plan | team | customers
v = the Starter plan | the Team plan | the Enterprise plan | the Nonprofit plan | the pilot plan |
  the Growth plan
k = company
+ {k} is on {v} now.
+ CRM: {k}, {v}, renewal {date}.
> {k} upgraded from {w} to {v}.
< {k} used to have {w} before the renewal.
? Which (tier/subscription) does {k} have (now/at the moment)?
? What is {k} (paying for/signed up to) currently, as in tier?
?< Which tier did {k} have before?
~ {k} asked for single sign-on and a demo.
~ {name} visits {k} next week.
! Plans differ in seats, support and audit features; see the pricing page.

@ customer-complaint | team | customers
v = the exports time out | invoices show the wrong address | logins expire too often | the search
  misses accents | mails land in spam | the app drains the battery | reports are late
k = company
+ {k} complained that {v}.
+ Ticket from {k}: {v}.
+ On the call {k} was cross since {v}.
? What (is {k} unhappy about/bothers {k})?
? What problem did {k} (raise/report)?
? {k} grievance
?2 What are {k} and {k2} unhappy about?
~ {k} renewed for a year without much fuss.
~ The account manager for {k} is on leave.
! Unhappy customers leave silently; call them before the renewal.

@ budget | team | budget
v = huge
k = quarter
y = marketing | cloud | travel | training | recruiting | research
+ The {y} budget for {k} is {v}.
+ {k}: {v} for {y}, approved by {name}.
+ Finance signed off {v} on {y} in {k}.
? How much (money/funding) do we have for {y} in {k}?
? {y} spend allowance {k}
? What can we spend on {y} in {k}?
~ The {k} numbers for {y} are due next week.
~ {name} wants to cut {y} in {k}.
! Budgets should follow the plan; review them each quarter with the leads.

@ hire | team | hiring
v = person
k = the data role | the designer opening | the SRE seat | the support lead post | the QA position
  | the product manager job
+ We hired {v} for {k}.
+ {v} signed the offer for {k}, starts {date}.
+ {k} is filled: {v}.
? Who (got/landed/was picked for) {k}?
? Which candidate did we choose for {k}?
~ We saw nine people for {k} in two weeks.
~ {k} was open for half a year.
! To fill a role faster, agree on the scorecard before the first interview.

@ tool-price | team | tooling
v = {cheap} per seat | {dear} a year | {mid} a month
k = tool
+ {k} costs us {v}.
+ Invoice {k}: {v}.
+ We renewed {k} at {v}.
> {k} went from {w} to {v} at the last renewal.
< Before the renewal we paid {w} for {k}.
? How much do we (pay/spend) for {k} (now/currently)?
? {k} current price
? What does {k} (set us back/run us) these days?
?< What did {k} cost before the last renewal?
?2 What do {k} and {k2} cost us?
~ {k} keeps logging people out.
~ Half the team has never opened {k}.
! Software like {k} has list prices and real prices; always ask for a discount.

@ tool-use | team | tooling
v = tool
k = invoicing | on-call alerts | expense claims | e-signatures | time tracking | the roadmap |
  candidate tracking | newsletters
+ We use {v} for {k} now.
+ {k}: {v}, ask {name} for a login.
> For {k} we replaced {w} with {v}.
< For {k} we had {w} in the past, it is switched off.
? Do we have (software/an app/something) for {k} at the moment, and which?
? What do people here currently use to handle {k}?
?< What did we have for {k} before?
~ We talked about {k} in the retro and nobody was happy.
~ {k} takes {name} half a day each month.
! There are many products for {k}; start from what must be exported and who approves.

@ meeting-decision | team | meetings
v = postpone the launch | drop the Windows build | hire a contractor | freeze the schema | open
  source the client | stop the weekly report | move support to chat | rewrite the importer
k = the {date} planning | the {month} offsite | the {day} sync | the {quarter} review
+ At {k} we decided to {v}.
+ {k}, outcome: {v}.
+ In {k} everyone agreed to {v}.
? What (came out of/was agreed in/did we settle at) {k}?
? What was the upshot of {k}?
~ {k} ran over by half an hour.
~ {name} missed {k} because of a train strike.
! Good meetings end with a decision, an owner and a date, written down.

@ meeting-owner | team | meetings
v = name
k = the migration guide | the cost report | the security review | the load test | the survey | the
  accessibility audit | the vendor shortlist
+ Action: {v} writes up {k} by {day}.
+ {v} took on {k}.
+ {k} goes to {v}, {name} reviews.
? Who (is doing/volunteered for/has to deliver) {k}?
? Whose job is {k}?
?2 Who handles {k} and who handles {k2}?
~ {k} is late again.
~ We need {k} before the audit.
! Each action needs one owner; two owners means none.

@ retention | team | policy
v = days
k = access logs | chat transcripts | backups | crash dumps | candidate data | payment receipts |
  video recordings | audit trails
+ {k} are kept for {v} now.
+ Policy: delete {k} after {v}.
> Retention of {k} changed from {w} to {v}.
< {k} used to be kept for {w} under the old policy.
? How long do we (hold on to/store/keep) {k} (today/now)?
? After what time do {k} get (wiped/purged) at present?
?< How long were {k} stored under the old rules?
~ {k} take up a third of our storage.
~ {name} asked who may read {k}.
! Keep data only as long as you need it, and write down why.

@ config-default | team | config
v = 5 seconds | 30 seconds | 2 minutes | 750 ms | 10 seconds | 90 seconds
k = REQUEST_TIMEOUT | cache_ttl | retry_backoff | SESSION_IDLE_MAX | poll_interval | lock_wait |
  drain_grace | HEALTHCHECK_EVERY
+ Default of {k} is {v}.
+ config: set {k} to {v}
+ {k} = {v} in production.
> {k} was {w} and is now {v}.
< {k} was {w} in the old setup, no longer.
? What is {k} set to (now/currently)?
? Which value does {k} have in the present setup?
?< What was {k} before it was changed?
~ {k} is read at start-up only.
~ Someone misspelt {k} in the chart and nobody noticed.
! Timeouts like {k} should be shorter than those of the caller.

@ region | team | infra
v = region
k = service
+ {k} runs in {v} now.
+ infra: {k} lives in {v}
> {k} moved from {w} to {v} for latency.
< {k} was hosted in {w} until the migration.
? Where is {k} hosted (now/these days)?
? Which data centre area is {k} in at present?
?< Where was {k} hosted before?
?2 Where are {k} and {k2} hosted?
~ {k} needs more memory since the last release.
~ The {k} cluster was rebuilt with new images.
! Put a service close to its users and its data, in that order.

@ test-flaky | team | testing
v = it shares a port with another test | the clock is not frozen | it sorts by a random key | it
  needs network | the fixture is reused | it sleeps for a fixed second
k = test_export_roundtrip | test_login_expiry | test_bulk_import | test_cache_eviction |
  test_retry_order | test_webhook_signature
+ {k} is flaky because {v}.
+ fix: {k}, {v}
+ Found out why {k} fails now and then: {v}.
? Why does {k} (fail sometimes/go red at random)?
? What makes {k} unreliable?
~ {k} was skipped for a month.
~ {k} takes forty seconds, the slowest in the suite.
! Flaky tests come from shared state, time and order; quarantine them and fix the cause.

@ company-founded | record | company
v = oldyear
k = company
+ {k} was founded in {v} in {city}.
+ {k}, established {v}, family-owned.
+ The firm {k} goes back to {v}, when two brothers opened a shop.
? When was {k} (started/set up/created)?
? How old is {k}, which year did it begin?
? {k} founding year
?2 When were {k} and {k2} set up?
~ {k} has grown quickly and employs people in nine countries.
~ {k} sponsors a local football club.
! Old firms often print their founding year on the letterhead.

@ company-head | record | company
v = person
k = company
+ {v} is the chief executive of {k} now.
+ {k}: CEO {v}.
> {w} stepped down at {k} and {v} took over as chief executive.
< {w} was chief executive of {k} until {year}.
? Who (runs/leads/is at the helm of) {k} (now/today)?
? What is the name of the current boss of {k}?
?< Who was at the helm of {k} earlier?
~ {k} held its annual meeting in {city}.
~ {k} posted a small loss last year.
! A chief executive answers to the board and signs the accounts.

@ company-hq | record | company
v = city
k = company
+ {k} has its head office in {v}.
+ Registered seat of {k}: {v}.
+ The people at {k} work from {v}, in a former mill.
? Where is {k} (based/headquartered)?
? In which town are the main offices of {k}?
~ {k} sells in eleven countries.
~ {k} planned a new warehouse.
! The registered seat of a company need not be where its people sit.

@ contract-term | record | contracts
v = 30 days | 60 days | 90 days | six months | two weeks | one quarter
k = company
y = lease | supply contract | service agreement | licence
+ The {y} with {k} can be ended with {v} notice.
+ {k} {y}: notice period {v}.
+ Clause 9, {y} with {k}: termination on {v} written notice.
? How early must we (cancel/give warning on) the {y} with {k}?
? How much warning is needed to get out of the {y} with {k}?
? {k} {y} cancellation period
~ The {y} with {k} was signed in {city}.
~ The {y} with {k} is in the blue folder.
! Termination clauses usually ask for written notice; check the renewal date.

@ invoice | record | contracts
v = dear
k = code
+ Invoice {k} from {company}: {v}, due {date}.
+ We received {k} over {v}.
+ {k} was booked with {v} under office costs.
? How much is (bill/invoice) {k} for?
? What amount is on {k}?
? {k} total
?2 What are the amounts of {k} and {k2}?
~ {k} has the wrong VAT number on it.
~ {k} came by post, twice.
! Invoices need a number, a date and a tax line; pay within the term.

@ warranty | record | appliances
v = two years | three years | five years | ten years | 18 months | one year
k = thing
y = Norvik | Halvorsen | Tekko | Brandt & Ames | Osaro | Lumo | Pelligrin | Kauri
+ The {k} from {y} has a warranty of {v}.
+ {y} {k}: guaranteed for {v} from purchase.
+ Receipt, {k}, {y}, cover {v}.
? How long is the {y} {k} (covered/under guarantee)?
? For what time can we get the {y} {k} repaired for free?
? {y} {k} guarantee length
~ The {y} {k} is loud but strong.
~ The manual of the {y} {k} is only in German.
! A warranty covers faults, not wear; keep the receipt.

@ serial | record | appliances
v = code
k = thing
y = the {city} office | the workshop | the summer house | unit 4 | the studio
+ Serial of the {k} in {y}: {v}.
+ The {k} at {y} carries number {v}.
+ {y}, {k}, s/n {v}
? What's the serial number of the {k} in {y}?
? I am on the phone with support, which number is on the {k} at {y}?
~ The {k} in {y} was serviced {when}.
~ The {k} at {y} is next to the window.
! The serial number of a {k} is usually on the back or under the lid.

@ member-since | record | people
v = year
k = person
+ {k} joined in {v}.
+ Member file: {k}, since {v}.
+ {k} has been with the society since {v}.
? Since when is {k} (with us/a member)?
? What year did {k} (come on board/become one of us)?
?2 Since when are {k} and {k2} with us?
~ {k} gave the talk on owls.
~ {k} pays by standing order.
! Members may vote after one full year.

@ person-role | record | people
v = treasurer | head of sales | night nurse | lead architect | chief librarian | pastry chef |
  harbour pilot | union delegate | lab manager
k = person
+ {k} is the {v} at {company} now.
+ {k}, {v}.
> {k}, formerly {w}, now works as {v}.
< {k} was {w} in earlier years.
? What does {k} do (for a living/at work) these days?
? What's {k}'s current (position/job title)?
?< What was {k}'s earlier job?
~ {k} lives near {city} with two dogs.
~ {k} spoke briefly at the opening.
! Job titles say little; ask what someone decides.

@ person-studied | record | people
v = marine biology | law | ceramics | theology | civil engineering | linguistics | nursing |
  geology
k = person
+ {k} has a degree in {v} from {city}.
+ {k} studied {v} before turning to politics.
+ CV of {k}: {v}, graduated {year}.
? What did {k} (major in/read at university)?
? Which subject is {k} trained in?
~ {k} speaks three languages.
~ {k} grew up above a bakery in {city}.
! Many people end up in a field far from their degree.

@ building-opened | record | places
v = oldyear
k = the {city} town hall | the {city} opera | the {city} ferry terminal | the {city} observatory |
  the {city} covered market | the {city} tram depot
+ {k} opened its doors in {v}.
+ {k} (opened {v}) is built of pale brick.
+ It was in {v} that {k} was inaugurated.
? When was {k} (completed/first used/opened to the public)?
? What year does {k} date from?
~ {k} draws many visitors in summer.
~ {k} was closed for repairs to the roof.
! Public buildings often have a plaque with the year.

@ building-architect | record | places
v = person
k = the {city} library | the {city} concert hall | the {city} footbridge | the {city} aquarium
+ {k} was designed by {v}.
+ The plans of {k} came from {v}.
+ {k}, architect: {v}.
? Who (drew up/was the mind behind/planned) {k}?
? Which architect is {k} by?
~ {k} cost far more than planned.
~ {k} won a prize for its roof.
! Architects compete for public work in blind contests.

@ book-author | record | bookfacts
v = person
k = book
+ {k} is by {v}.
+ {v} wrote {k} in a lighthouse.
+ {k} ({v}, {year}), hardback, second printing.
? Who (wrote/is the author of/penned) {k}?
? Whose novel is {k}?
~ {k} is set in a small port.
~ {k} was translated into twelve languages.
! A good author makes small things matter.

@ species | record | nature
v = beetles | seaweed | small crabs | acorns | moss | moths | river snails | berries
k = the grey dune mouse | the lantern newt | the marsh pipit | the Halden trout | the stone owl |
  the ribbon bat
+ {k} feeds mostly on {v}.
+ {k} lives on {v} and little else.
+ Diet of {k}: {v}.
? What does {k} eat?
? What is the main food of {k}?
~ {k} is active at dusk.
~ {k} was first described by a schoolteacher.
! What an animal eats decides where it can live.

@ recipe-time | record | recipes
v = {n} minutes | an hour and a half | two hours | three hours | four hours
k = food
y = name
+ {y}'s {k}: {v} in the oven.
+ The {k} after {y} has to cook for {v}.
+ Recipe card, {k} ({y}): leave it for {v}.
? How long does {y}'s {k} (need/take/cook)?
? For what time do I put {y}'s {k} on?
~ {y}'s {k} needs a heavy pot.
~ {y}'s {k} feeds six.
! Cooking times vary with the oven, so test with a knife.

@ population | record | places
v = {count} people | about {n},000 people | {n} households
k = village
+ {k} has {v} by the last count.
+ {k}: {v}, one school, one pub.
+ The register lists {v} for {k}.
? How many (inhabitants/residents) does {k} have?
? How big is {k}, going by who lives there?
~ {k} lies in a bend of the river.
~ {k} has a cheese market in autumn.
! Villages shrink when the school closes.

@ sports-score | record | sports
v = 3-1 | 2-0 | 4-4 | 1-0 | 5-2 | 2-2 | 0-0
k = monthyear
y = city
+ {y} Rovers ended {v} in the {k} derby.
+ {k}: {y} Rovers, derby, {v}.
+ In {k} the {y} Rovers derby finished {v}.
? How did the {y} Rovers derby (end/turn out) in {k}?
? What was the result of the {y} Rovers derby in {k}?
~ The {y} Rovers derby in {k} drew a record crowd.
~ In {k} the {y} Rovers changed their coach.
! A derby is decided by nerves more than by form.

@ loan | record | finance
v = 1.9% | 2.4% | 3.1% | 3.75% | 4.2% | 5.05% | 6.5%
k = the bakery loan | the mortgage on {street} | the van lease | the student loan | the bridge
  loan
+ {k} has an interest rate of {v} now.
+ {k}: fixed at {v} until {year}.
> {k} was refinanced, {w} before and {v} now.
< {k} had {w} in the first years, before refinancing.
? What (are we paying in interest/rate do we have) on {k} (now/at present)?
? {k} current interest
?< What was the interest on {k} in the beginning?
~ {k} is with a bank in {city}.
~ The papers for {k} are at the notary.
! Interest is only part of what a loan costs; look at the fees.
"""


# ---------------------------------------------------------------------------------- padding

CHATTER = _bars(
    """It rained all {day} and the bus was late again.|Anyway, how are you?|
    Sorry for the long message.|I made {food} for lunch and ate too much of it.|
    {name} says hello, by the way.|The neighbours are drilling again, I can hardly think.|
    I slept badly, so bear with me.|{name} and I are still arguing about the thermostat.|
    It has been one of those weeks.|I should really tidy the desk.|
    Could you also help me with a packing list?|I also need ideas for a quiet {season} weekend.|
    I keep meaning to call {name} back.|Do you know a good podcast about history?|
    Oh, and the parcel came while I was out.|The lift is broken for the third time.|
    We had {food} at {restaurant} with {name}, very nice.|I can't believe it is {month} already.|
    That is all from me for now.|I have been listening to the same song since {day}.|
    Funny how things work out.|Long story short, I was tired.|The weather in {city} looks grim.|
    Please keep the answer short.|I never thought I would say that.|
    Thanks for the tip the other day!|
    {name} laughed about it for ten minutes.|My phone was at two percent the whole time.|
    Not sure what else to tell you.|The bakery had run out of everything by nine.|
    {name} sent me a picture of a heron on a roof.|Sometimes I think I need a longer weekend.|
    There was a street band playing under the window.|I walked home the long way round.|
    Can you suggest a few stretches for people who sit a lot?|I lost an umbrella, number four.|
    The film on {day} was half an hour too long.|So yes, a good day on the whole."""
)
ADVICE = _bars(
    """Here are a few general ideas that may help.|Let me know if you want more detail.|
    It can help to write things down in one place and look at them once a week.|
    Start small, and change one thing at a time.|I am glad to hear that!|
    Take it step by step, and do not worry about getting it perfect.|
    First, make a list of what matters to you. Second, compare the options. Third, decide.|
    Would you like me to make a short plan?|Many people find that a fixed routine makes it easier.|
    Remember to leave some time for yourself.|It depends on your budget and how much time you have.|
    You could ask a friend for a second opinion.|Set a reminder so that it does not slip.|
    That sounds like a lot to handle at once.|Prices and opening times can change, so check first.|
    I can also draft a message for you.|Happy to help with the rest whenever you like.|
    A good next step is to call them and ask about availability."""
)
WORK = _bars(
    """{name} will follow up with {company}.|Next sync is on {day} at {time}.|
    We ran out of time for the last topic.|The build was red for an hour, fixed by {name}.|
    No objections.|{name} and {name} disagreed, we will come back to it.|
    The new starters got a tour of the code base.|Docs still need an update.|
    Please read the draft before {day}.|Coffee machine on the second floor is broken.|
    Tickets are linked in the channel.|{service} dashboards look normal.|
    Open question: who talks to legal?|{name} is away until {day}.|
    We reviewed the action points from last time.|Nothing urgent from support.|
    The retro board is open until {time}.|Two pull requests are waiting for review.|
    {name} demoed the work on {project}.|The linter upgrade is merged.|
    Thanks to {name} for the quick help.|Numbers for the month follow by mail.|
    We should write this down properly at some point.|Parking is closed on {day}."""
)
ARCHIVE = _bars(
    """Entry checked by {name} on {date}.|See also the folder from {year}.|
    The scan is hard to read in places.|Copy kept in {city}.|Source: printed list.|
    No changes since the last review.|The page was reformatted by {name}.|
    A second copy is with {name}.|Photographs are stored apart.|Filed under general.|
    Handwritten remark in the margin, not legible.|This text is a summary.|
    Further details were lost in the flood of {year}.|Spelling as in the original.|
    The list was drawn up for the anniversary.|Please send corrections to {person}."""
)
ECHOES = _bars(
    """Oh nice, tell me more!|Really? How come?|That's wonderful.|Good for you, honestly.|
    I had no idea!|Ha, typical.|Wow, and how do you feel about it?|Same old here, just work.|
    Sounds lovely, we should catch up properly.|I'm on the train, so the line may drop."""
)
RECAPS = _bars(
    """From what you told me: |Noted. |Sure! |Just to recap: |Here is what I have. |Got it. |
    As we discussed, here is the summary. |Thanks for sharing. """
)
LEADS = _bars(
    """Quick question: |Hey, |Sorry to bother you again, but |One more thing. |
    I was talking to {name} over lunch and it came up: |Before I forget, |
    I'm filling in a form and need to know: |My memory is a sieve. |
    So I was cleaning out old mails and half listening to the radio and it made me wonder. |
    {name} asked me this on {day} and I had no answer. |Do you remember? |
    I've had a long day with the kids and the washing machine, and now I can't recall this. |
    This may be a silly one. |I know I mentioned it at some point, maybe in passing. |
    We're planning the next few weeks and someone brought it up. """
)
WORK_LEADS = _bars(
    """Quick one: |Hi all, |Preparing slides for {day}. |{company} just asked me: |
    I'm new here, so sorry if this is obvious. |Writing the handover and stuck on a detail. |
    {name} is out today and I could not find it in the wiki. |For the minutes: |
    I scrolled through the whole channel and found nothing. """
)

# ------------------------------------------------------------------------ two-passage stories

ERRANDS = tuple(
    (past, noun)
    for past, _, noun in (
        row.partition(" > ")
        for row in _bars(
            """started the {hobby} course > the {hobby} course|had the boiler serviced > the boiler
            service|adopted {pet} > adopting {pet}|ran the {city} 10k > the {city} race|
            gave a talk in {city} > the talk in {city}|got the keys to the flat > getting the flat
            keys|finished reading {book} > finishing {book}|passed the theory test > the theory
            test|fixed the {thing} > repairing the {thing}|bought the {car} > buying the {car}|
            visited {name} in {city} > the visit to {city}|had the cast taken off > losing the
            cast|repainted the fence > painting the fence|met {name} for the first time > first
            meeting {name}|sold the old {thing} > selling the {thing}|saw {doctor} > the
            appointment with {doctor}|went camping near {city} > the camping trip near {city}"""
        )
    )
)
MILESTONES = tuple(
    (past, noun)
    for past, _, noun in (
        row.partition(" > ")
        for row in _bars(
            """shipped {flag} to everyone > the {flag} launch|migrated {service} to {db} > the
            {service} migration|signed {company} > the {company} deal|hired {person} > hiring
            {person}|rolled back {service} > the {service} rollback|upgraded {tool} > the {tool}
            upgrade|closed the {city} office > closing the {city} office|retired the old {service}
            API > retiring the {service} API|kicked off {project} > the start of {project}|
            ran the load test on {service} > the {service} load test"""
        )
    )
)
GOODS = _bars(
    """the tent|the walking boots|the {thing}|the {hobby} kit|the train tickets to {city}|
    the concert tickets|the winter coat|{pet}'s vaccinations|the birthday flowers|the new glasses|
    the bike repair|the curtains|the garden fence|the language app|a copy of {book}"""
)
JOBS = tuple(
    (who, job)
    for who, _, job in (
        row.partition(" > ")
        for row in _bars(
            """the plumber > the bathroom|the roofer > the gutters|the garage > the clutch|
            the electrician > the rewiring|{company} > the {service} audit|the joiner > the
            bookshelves|the vet > {pet}'s operation|{company} > the office move|the printer > the
            brochures|{company} > the penetration test|the tree surgeon > the old ash"""
        )
    )
)

# ---------------------------------------------------------------------------------- people


@dataclass(frozen=True)
class Who:
    """Whom a passage is about: me, us, a named person, or a relation of mine."""

    kind: str
    name: str = ""
    she: bool = True


NOBODY = Who("none")
RELATIONS = """sister brother mum dad flatmate neighbour cousin aunt uncle boss grandmother landlady
colleague godmother stepdad partner nephew niece""".split()
MALE = {"brother", "dad", "uncle", "stepdad", "nephew"}
FEMALE = {"sister", "mum", "aunt", "grandmother", "landlady", "godmother", "niece"}
I_FORM, YOU_FORM, SHE_FORM = "I", "you", "she"
PLURAL = {"am": "are", "was": "were", "am I": "are we"}


def _voice(who: Who, voice: str) -> dict[str, str]:
    """The subject's words in a voice: user, assistant, memory (third person) or self."""
    if who.kind == "none":
        return {"form": SHE_FORM}
    if voice == "self" or (who.kind == "me" and voice == "user"):
        return {"S": "I", "O": "me", "P": "my", "s": "I", "p": "my", "o": "me", "form": I_FORM}
    if who.kind == "team" or (who.kind == "us" and voice == "user"):
        return {"S": "we", "O": "us", "P": "our", "s": "we", "p": "our", "o": "us", "form": "we"}
    if who.kind in ("me", "us"):
        if voice == "assistant":
            words = dict.fromkeys("SOso", "you") | dict.fromkeys("Pp", "your")
            return words | {"form": YOU_FORM}
        words = dict.fromkeys("SOs", "the user") | {"P": "the user's", "p": "their", "o": "them"}
        return words | {"form": SHE_FORM}
    owner = {"assistant": "your ", "memory": "the user's "}.get(voice, "my ")
    full = who.name if who.kind == "named" else owner + who.name
    pronouns = ("she", "her", "her") if who.she else ("he", "his", "him")
    words = {"S": full, "O": full, "P": full + "'s"} | dict(zip("spo", pronouns, strict=True))
    return words | {"form": SHE_FORM}


def _people(rng: random.Random, count: int, first: Who | None = None) -> list[Who]:
    """Different people, the given one first."""
    found = [first] if first else []
    while len(found) < count:
        roll = rng.random()
        if roll < 0.12 and not any(p.kind in ("me", "us") for p in found):
            found.append(Who("me"))
        elif roll < 0.4:
            name = rng.choice(RELATIONS)
            she = name in FEMALE or (name not in MALE and rng.random() < 0.5)
            if all(p.name != name for p in found):
                found.append(Who("relation", name, she))
        else:
            she = rng.random() < 0.5
            name = rng.choice(SHE if she else HE)
            if all(p.name != name for p in found):
                found.append(Who("named", name, she))
    return found


# ---------------------------------------------------------------------------------- templates

CHOICE = re.compile(r"\(([^()]*/[^()]*)\)")
VERB = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
SLOT = re.compile(r"\{(\w+)\}")
SUBJECT = re.compile(r"\{[SOPspo]\}")
START = re.compile(r"(^|[.?!] |\n(?:- )?|: (?=I\b))([a-zé][\w'.é-]*+)(?![:(])")
ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])(?!one|us|uni|Uni|eu|Eu)")
CODELIKE = re.compile(r"[-_.\d]")


def _draw(rng: random.Random, pool: str) -> str:
    maker = DRAWS.get(pool)
    return maker(rng) if maker else rng.choice(POOLS[pool])


def _fill(rng: random.Random, text: str, words: dict[str, str]) -> str:
    """The template with its choices made, its verbs bent and its slots filled."""
    text = CHOICE.sub(lambda m: rng.choice(m[1].split("/")), text)
    form = words.get("form", SHE_FORM)

    def bend(match: re.Match[str]) -> str:
        if form == SHE_FORM:
            return match[2]
        return match[1] if form == I_FORM else PLURAL.get(match[1], match[1])

    def slot(match: re.Match[str]) -> str:
        known = words.get(match[1])
        return known if known is not None else _draw(rng, match[1])

    text = VERB.sub(bend, text)
    while "{" in text:
        text = SLOT.sub(slot, text)
    return text


def _polish(text: str) -> str:
    """Capitals where sentences start, and 'an' before vowels."""

    def raise_first(match: re.Match[str]) -> str:
        word = match[2]
        plain = not CODELIKE.search(word.rstrip("."))
        return match[1] + (word[0].upper() + word[1:] if plain else word)

    return START.sub(raise_first, ARTICLE.sub(lambda m: m[1] + "n ", text))


@dataclass
class Schema:
    """One kind of fact, with its ways of telling, asking and missing it."""

    name: str
    kind: str
    topic: str
    pools: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)

    def draw(self, rng: random.Random, slot: str, *others: str) -> str:
        """A value for the slot unlike the others; a subject inside stays open until told."""
        value = ""
        for _ in range(50):
            part = rng.choice(self.pools[slot])
            value = _draw(rng, part) if part in POOLS or part in DRAWS else part
            value = SLOT.sub(lambda m: m[0] if m[1] in "SOPspo" else _draw(rng, m[1]), value)
            if value not in others:
                break
        return value

    def dated(self, slot: str) -> bool:
        return any(part in DATED or SLOT.findall(part)[:1] == ["date"] for part in self.pools[slot])


def _parse(table: str) -> tuple[Schema, ...]:
    found: list[Schema] = []
    for raw in re.sub(r"\n  +", " ", table).splitlines():
        mark, _, rest = raw.partition(" ")
        if not mark:
            continue
        if mark == "@":
            name, kind, topic = _bars(rest)
            found.append(Schema(name, kind, topic))
        elif rest.startswith("= "):
            found[-1].pools[mark] = _bars(rest[2:])
        else:
            found[-1].lines.setdefault(mark, []).append(rest)
    return tuple(found)


SCHEMAS = _parse(TABLE)
KINDS = {
    kind: tuple(
        schema
        for schema in SCHEMAS
        for _ in range(2 if any(schema.dated(slot) for slot in schema.pools if slot != "v") else 1)
        if schema.kind == kind
    )
    for kind in ("me", "team", "record")
}
"""Schemas by kind; those asked by date are few, so they are drawn twice as often."""
CURRENT = re.compile(
    r"\b(now|current|currently|these days|at the moment|as of|at present|present|today)\b",
    re.IGNORECASE,
)

# ---------------------------------------------------------------------------------- passages


AKIN = {
    "hobby": ("study", "sport", "garden", "books"),
    "two": ("hobby", "car", "books", "sport", "health", "travel", "releases", "flags", "hiring"),
}
"""Topics whose facts could pass for an answer on another topic."""


def _pads(rng: random.Random, schema: Schema, who: Who, voice: str, count: int) -> list[str]:
    """Sentences around the key one: small talk, or facts of other topics."""
    chatter = {"team": WORK, "record": ARCHIVE}.get(schema.kind, CHATTER)
    if voice == "assistant":
        chatter = ADVICE
    pads: list[str] = []
    while len(pads) < count:
        other = rng.choice(KINDS[schema.kind])
        if rng.random() < 0.55 and voice != "memory":
            pads.append(_fill(rng, rng.choice(chatter), {}))
        elif other.topic != schema.topic and other.topic not in AKIN.get(schema.topic, ()):
            words = {slot: other.draw(rng, slot) for slot in other.pools}
            told = _fill(rng, rng.choice(other.lines["+"]), words | _voice(who, voice))
            pads.append(told if told[-1] in ".!?" else told + ".")
    return list(dict.fromkeys(pads))


def _pick_voice(rng: random.Random, who: Who) -> str:
    roll = rng.random()
    if who.kind in ("none", "team"):
        return "user"
    if who.kind == "named":
        return "self" if roll < 0.4 else "user"
    if roll < 0.68:
        return "user"
    return "assistant" if roll < 0.84 else "memory"


def _wrap(rng: random.Random, parts: list[str], schema: Schema, who: Who, voice: str) -> str:
    """The sentences as a chat turn, a note, a list or plain text."""
    parts = [_polish(part) for part in parts]
    text = " ".join(parts)
    bullets = "\n".join(f"- {part}" for part in parts)
    roll = rng.random()
    if voice == "self":
        other = rng.choice([name for name in POOLS["name"] if name != who.name])
        echo = rng.choice(ECHOES)
        return rng.choice(
            (
                f"{who.name}: {text}",
                f"[{_date(rng)}] {who.name}: {text}",
                f"{other}: {echo}\n{who.name}: {text}",
                f"{who.name}: {text}\n{other}: {echo}",
                f"{who.name}: {other}, {text}" if text.startswith("I ") else f"{who.name}: {text}",
            )
        )
    if voice == "assistant":
        recap = f"{rng.choice(RECAPS)} {text}"
        return recap if roll < 0.6 else f"Assistant: {recap}"
    if voice == "memory":
        return text if roll < 0.5 else bullets if roll < 0.8 else f"[{_date(rng)}] {text}"
    if schema.kind == "me":
        if roll < 0.2:
            return f"User: {text}"
        if roll < 0.34:
            return f"User: {text}\nAssistant: {' '.join(rng.sample(ADVICE, rng.randint(1, 3)))}"
        if roll < 0.42:
            return f"[{_date(rng)}] {text}"
    elif schema.kind == "team":
        if roll < 0.15:
            return f"{rng.choice(SHE + HE)}: {text}"
        if roll < 0.25:
            return f"#{rng.choice(('general', 'ops', 'eng', 'standup'))} {_time(rng)} {text}"
        if roll < 0.42:
            return f"{rng.choice(('Notes', 'Minutes', 'Weekly sync'))} {_date(rng)}\n{bullets}"
    elif roll < 0.15:
        return f"{rng.choice(('Register', 'Fact sheet', 'Card'))}\n{text}"
    return bullets if roll > 0.9 else text


def _passage(rng: random.Random, line: str, schema: Schema, who: Who, words: dict[str, str]) -> str:
    """A passage around one template: right and wrong ones are built alike."""
    if line in schema.lines.get("!", ()):
        voice = "assistant" if schema.kind == "me" and rng.random() < 0.6 else "user"
        who = Who("me") if schema.kind == "me" else NOBODY
    else:
        voice = _pick_voice(rng, who)
    key = _fill(rng, line, words | _voice(who, voice))
    size = rng.choices((0, 1, 2, 3, 4, 6, 9), (26, 20, 18, 14, 10, 8, 4))[0]
    size = max(size, int(len(key.split()) < 6))
    parts = _pads(rng, schema, who, voice, size)
    if size and "~" in schema.lines and rng.random() < 0.2:
        aside = rng.choice(schema.lines["~"])
        if aside != line:
            parts.append(_fill(rng, aside, words | _voice(who, voice)))
            rng.shuffle(parts)
    if parts and key[-1] not in ".!?":
        key += "."
    parts.insert(rng.randint(0, len(parts)), key)
    return _polish(_wrap(rng, parts, schema, who, voice))


def _question(rng: random.Random, text: str, kind: str) -> str:
    """The question as people type it: with a lead-in, in small letters, without the mark."""
    roll = rng.random()
    asked = text.endswith(("?", "."))
    if asked and roll < 0.25:
        lead = _fill(rng, rng.choice(WORK_LEADS if kind == "team" else LEADS), {})
        gentle = not lead.rstrip().endswith((".", "?", "!"))
        text = f"{lead} {text[0].lower() + text[1:] if gentle else text}"
    elif (
        asked and roll < 0.33 and text.startswith(("What", "Which", "Where", "Who", "When", "How"))
    ):
        text = text[:-1] + rng.choice((" again?", ", do you know?", "? Any idea?", " exactly?"))
    elif not asked and roll < 0.5:
        return text.lower()
    text = _polish(text)
    if roll > 0.86:
        text = text.lower().rstrip("?.")
    return text


# ---------------------------------------------------------------------------------- examples

Negative = tuple[str, str]


def _subject(rng: random.Random, schema: Schema, question: str) -> Who:
    if schema.kind != "me":
        return NOBODY
    if not SUBJECT.search(question) or rng.random() < 0.5:
        ours = schema.topic in ("travel", "home", "garden") and rng.random() < 0.25
        return Who("us") if ours else Who("me")
    return next(p for p in _people(rng, 2) if p.kind != "me")


def _single(rng: random.Random, schema: Schema, answered: bool) -> Example:
    """A question on one fact, and passages that tell it, nearly tell it or once told it."""
    former = "?<" in schema.lines and rng.random() < 0.22
    ask = rng.choice(schema.lines["?<" if former else "?"])
    who = _subject(rng, schema, ask)
    words = {slot: schema.draw(rng, slot, who.name) for slot in schema.pools}
    words["w"] = schema.draw(rng, "v", words["v"], who.name)
    keyed = "k" in words

    def tell(marks: str, person: Who, **change: str) -> str:
        lines = [line for mark in marks for line in schema.lines.get(mark, ())]
        if change.pop("fresh", ""):
            change |= {"v": schema.draw(rng, "v", words["v"], words["w"])}
            change |= {"w": schema.draw(rng, "v", words["v"], words["w"], change["v"])}
        return _passage(rng, rng.choice(lines), schema, person, words | change)

    telling = "<<>" if former else "+++>"
    negatives: list[Negative] = []
    people = _people(rng, 4, who)[1:] if SUBJECT.search(ask) else []
    negatives += [("wrong-person", tell(telling, other, fresh="y")) for other in people]
    for slot in ("k", "y"):
        if slot in words and "{" + slot + "}" in ask:
            kind = "wrong-date" if schema.dated(slot) else "wrong-value"
            for _ in range(3 if slot == "k" else 2):
                change = {slot: schema.draw(rng, slot, words[slot])}
                negatives.append((kind, tell(telling, who, fresh="y", **change)))
    if former:
        fresh = [line for line in schema.lines["+"] if CURRENT.search(line)]
        if fresh:
            told = _passage(rng, rng.choice(fresh), schema, who, words)
            negatives.append(("superseded", told))
    elif "<" in schema.lines and CURRENT.search(ask):
        negatives += [("superseded", tell("<", who)) for _ in range(2)]
    negatives += [("unanswerable", tell("~", who)) for _ in range(2)]
    if keyed:
        negatives.append(("same-topic", tell("~", who, k=schema.draw(rng, "k", words["k"]))))
    elif people:
        negatives.append(("same-topic", tell("~", people[0])))
    negatives.append(("mention", tell("!", who)))
    if not former and "<" not in schema.lines:
        negatives.append(("unanswerable", tell("~", who)))
    positives = tuple(tell(telling, who) for _ in range(2 if rng.random() < 0.1 else 1))
    question = _question(rng, _fill(rng, ask, words | _voice(who, "user")), schema.kind)
    return Example(question, positives if answered else (), _some(rng, negatives))


def _some(rng: random.Random, negatives: list[Negative]) -> tuple[Negative, ...]:
    """Four to eight of them, no passage twice."""
    unique = list({text: (kind, text) for kind, text in negatives}.values())
    rng.shuffle(unique)
    return tuple(unique[: rng.randint(5, 8)])


def _pair(rng: random.Random, schema: Schema) -> Example:
    """A question on the same fact for two people or two things: one passage for each."""
    ask = rng.choice(schema.lines["?2"])
    by_person = "{A}" in ask
    who = NOBODY if by_person else _subject(rng, schema, ask)
    words = {slot: schema.draw(rng, slot, who.name) for slot in schema.pools}
    values = [words["v"]]
    for _ in range(4):
        values.append(schema.draw(rng, "v", who.name, *values))

    def tell(mark: str, person: Who, value: str, key: str = "") -> str:
        change = {"v": value, "w": values[4]} | ({"k": key} if key else {})
        return _passage(rng, rng.choice(schema.lines[mark]), schema, person, words | change)

    if by_person:
        people = [p for p in _people(rng, 6) if p.kind != "me"][:4]
        for slot, person in zip("AB", people, strict=False):
            words[slot] = _voice(person, "user")["S"]
        positives = [tell("+", p, v) for p, v in zip(people[:2], values, strict=False)]
        negatives = [("wrong-person", tell("+", p, values[3])) for p in people[2:]]
        negatives += [("unanswerable", tell("~", p, values[3])) for p in people[:2]]
        negatives.append(("same-topic", tell("~", people[2], values[3])))
    else:
        keys = [words["k"]]
        for _ in range(3):
            keys.append(schema.draw(rng, "k", *keys))
        words["k2"] = keys[1]
        positives = [tell("+", who, v, k) for v, k in zip(values, keys[:2], strict=False)]
        negatives = [("wrong-value", tell("+", who, values[3], k)) for k in keys[2:]]
        negatives += [("unanswerable", tell("~", who, values[3], k)) for k in keys[:2]]
        if who.kind != "none":
            other = _people(rng, 2, who)[1]
            negatives.append(("wrong-person", tell("+", other, values[2], keys[0])))
    negatives.append(("mention", tell("!", who if who.kind != "none" else Who("me"), values[3])))
    question = _question(rng, _fill(rng, ask, words | _voice(who, "user")), schema.kind)
    return Example(question, tuple(positives), _some(rng, negatives))


PLAIN = {kind: Schema("two", kind, "two") for kind in ("me", "team")}
"""What pads the two-passage stories: a topic of its own, and no asides."""


def _fixed(rng: random.Random, row: tuple[str, ...]) -> tuple[str, ...]:
    """The row's texts filled alike: the same slot has the same value in each."""
    words = {slot: _draw(rng, slot) for text in row for slot in SLOT.findall(text)}
    return tuple(_fill(rng, text, words) for text in row)


def _owner(rng: random.Random, kind: str) -> tuple[Who, list[Who]]:
    """Whose story it is, and two others to mistake for it (none for a team's)."""
    if kind == "team":
        return Who("team"), []
    who = Who("me") if rng.random() < 0.6 else next(p for p in _people(rng, 2) if p.kind != "me")
    return who, _people(rng, 3, who)[1:]


TOLD_ON = _bars(
    """{S} {past} on {date}.|It was {date} when {S} {past}.|On {date} {S} {past}, at long last.|
    Diary, {date}: {S} {past}.|{S} {past} ({date}) and it went well."""
)
ASKED_ORDER = _bars(
    """Which (came/happened) first for {O}, {one} or {two}?|
    What was earlier for {O}: {one} or {two}?|
    How many days lay between {one} and {two}, for {O}?|
    For {O}, was {one} before or after {two}?|What did {S} do first, I mean {one} or {two}?|
    How long after {one} was {two} for {O}?"""
)
UNDATED = _bars(
    """{S} [am|is] still glad about {one}.|{S} told everyone about {one}.|
    {one} took more time than {S} thought.|{S} took a lot of pictures around {one}."""
)


def _order(rng: random.Random) -> Example:
    """Which of two things was first: the date of each is told in its own passage."""
    kind = "me" if rng.random() < 0.6 else "team"
    who, others = _owner(rng, kind)
    table = ERRANDS if kind == "me" else MILESTONES
    events = [_fixed(rng, row) for row in rng.sample(table, 4)]
    plain = PLAIN[kind]

    def tell(lines: tuple[str, ...], person: Who, event: tuple[str, ...]) -> str:
        words = {"past": event[0], "one": event[1], "date": _date(rng)}
        return _passage(rng, rng.choice(lines), plain, person, words)

    positives = tuple(tell(TOLD_ON, who, event) for event in events[:2])
    negatives = [("same-topic", tell(TOLD_ON, who, event)) for event in events[2:]]
    negatives += [("unanswerable", tell(UNDATED, who, event)) for event in events[:2]]
    for other, event in zip(others, events, strict=False):
        negatives.append(("wrong-person", tell(TOLD_ON, other, event)))
    words = {"one": events[0][1], "two": events[1][1]} | _voice(who, "user")
    return _multi(rng, rng.choice(ASKED_ORDER), words, kind, positives, negatives)


TOLD_SUM = _bars(
    """{S} paid {price} for {one}.|{one} cost {O} {price}.|{S} spent {price} on {one}, not cheap.|
    {S} got {one} for {price} in the end.|{P} receipt for {one} says {price}."""
)
ASKED_SUM = _bars(
    """How much did {S} spend (in total/altogether/all in all) on {one} and {two}?|
    What do {one} and {two} add up to for {O}?|Which was dearer for {O}, {one} or {two}?|
    What did {S} pay for {one} and {two} together?|{P} total for {one} and {two}"""
)
UNPRICED = _bars(
    """{S} [am|is] very happy with {one}.|{S} looked for ages before deciding on {one}.|
    {S} nearly forgot about {one}.|{S} complained about the queue when buying {one}."""
)


def _sum(rng: random.Random) -> Example:
    """What two things cost together: each price is told in its own passage."""
    who, others = _owner(rng, "me")
    sign = rng.choice("$€£")
    goods = [_fixed(rng, (text,))[0] for text in rng.sample(GOODS, 4)]
    plain = PLAIN["me"]

    def tell(lines: tuple[str, ...], person: Who, item: str) -> str:
        words = {"one": item, "price": f"{sign}{rng.randint(12, 290)}"}
        return _passage(rng, rng.choice(lines), plain, person, words)

    positives = tuple(tell(TOLD_SUM, who, item) for item in goods[:2])
    negatives = [("wrong-value", tell(TOLD_SUM, who, item)) for item in goods[2:]]
    negatives += [("unanswerable", tell(UNPRICED, who, item)) for item in goods[:2]]
    for other, item in zip(others, goods, strict=False):
        negatives.append(("wrong-person", tell(TOLD_SUM, other, item)))
    words = {"one": goods[0], "two": goods[1]} | _voice(who, "user")
    return _multi(rng, rng.choice(ASKED_SUM), words, "me", positives, negatives)


QUOTED = _bars(
    """{who} quoted {O} {price} for {job}.|The estimate {S} got from {who} for {job} was {price}.|
    {who} reckoned {price} for {job} when {S} asked."""
)
BILLED = _bars(
    """The final bill from {who} for {job} came to {price}, {S} paid at once.|
    {S} ended up paying {who} {price} for {job}.|{job} is done and {who} charged {O} {price}."""
)
ASKED_QUOTE = _bars(
    """What did {who} (estimate/say it would cost) for {job} and what did {S} pay in the end?|
    By how much did {who} go over the estimate for {job} that {S} had done?|
    Did {who} stick to the quote {S} got for {job}?|{job} quote versus invoice, {who}, for {O}"""
)
UNPAID = _bars(
    """{who} started on {job} two days late and {S} had to wait.|{S} [am|is] pleased with {job}.|
    {S} let {who} in early for {job}.|{who} left a mess after {job}, {S} swept it up."""
)


def _quote(rng: random.Random) -> Example:
    """What was quoted and what was billed, each in its own passage."""
    who, others = _owner(rng, "me")
    sign = rng.choice("$€£")
    jobs = [_fixed(rng, row) for row in rng.sample(JOBS, 3)]
    plain = PLAIN["me"]

    def tell(lines: tuple[str, ...], person: Who, job: tuple[str, ...]) -> str:
        words = {"who": job[0], "job": job[1], "price": f"{sign}{rng.randint(150, 4800):,}"}
        return _passage(rng, rng.choice(lines), plain, person, words)

    positives = (tell(QUOTED, who, jobs[0]), tell(BILLED, who, jobs[0]))
    negatives = [
        ("wrong-value", tell(QUOTED, who, jobs[1])),
        ("wrong-value", tell(BILLED, who, jobs[2])),
        ("unanswerable", tell(UNPAID, who, jobs[0])),
        ("unanswerable", tell(UNPAID, who, jobs[0])),
        ("wrong-person", tell(QUOTED, others[0], jobs[0])),
        ("wrong-person", tell(BILLED, others[1], jobs[0])),
    ]
    words = {"who": jobs[0][0], "job": jobs[0][1]} | _voice(who, "user")
    return _multi(rng, rng.choice(ASKED_QUOTE), words, "me", positives, negatives)


def _multi(
    rng: random.Random,
    ask: str,
    words: dict[str, str],
    kind: str,
    positives: tuple[str, ...],
    negatives: list[Negative],
) -> Example:
    question = _question(rng, _fill(rng, ask, words), kind)
    return Example(question, positives, _some(rng, negatives))


PAIRED = tuple(schema for schema in SCHEMAS if "?2" in schema.lines)


def _two(rng: random.Random) -> Example:
    """A question that needs two passages."""
    roll = rng.random()
    if roll < 0.4:
        return _pair(rng, rng.choice(PAIRED))
    if roll < 0.65:
        return _order(rng)
    return _sum(rng) if roll < 0.87 else _quote(rng)


def examples(count: int, seed: int = 7) -> Iterator[Example]:
    """The same examples for the same seed: a tenth need two passages, a tenth have no answer."""
    rng = random.Random(seed)
    for _ in range(count):
        roll = rng.random()
        if roll < 0.1:
            yield _two(rng)
            continue
        kind = rng.choices(("me", "team", "record"), (45, 30, 25))[0]
        yield _single(rng, rng.choice(KINDS[kind]), answered=roll >= 0.2)


def main() -> None:
    """Print a few examples to read: stories.py [count] [seed]."""
    given = [int(text) for text in sys.argv[1:3]]
    count, seed = (*given, *(8, 7)[len(given) :])
    for example in examples(count, seed):
        sys.stdout.write(f"\n? {example.question}\n")
        for text in example.positives:
            sys.stdout.write(f"  + {text!r}\n")
        for kind, text in example.negatives:
            sys.stdout.write(f"  - {kind}: {text!r}\n")


if __name__ == "__main__":
    main()
