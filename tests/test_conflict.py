"""Whether a new statement repeats an older one, takes its place, or stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.statements import changes
from recollect.text.statements.claims import read
from recollect.text.statements.conflict import compare


def _pairs(text: str) -> list[tuple[str, str]]:
    rows = [tuple(part.strip() for part in line.split("|")) for line in text.strip().splitlines()]
    return [(old, new) for old, new in rows]


SUPERSEDES = _pairs("""
I live in Oslo | I moved to Bergen in March
We live in Toronto | We just relocated to Vancouver for my wife's job
My sister lives in Rome | My sister moved to Milan
Anna works at Siemens | Anna left Siemens and joined Bosch
I work at Spotify | I got a job at Klarna
I work for the city council | I quit my job at the city council
I'm engaged to Lena | Lena and I got married
I am married | I got divorced last spring
I'm single | I started dating someone
My phone number is +49 170 555 1234 | My new phone number is +49 171 555 9876
My email is ana@old.org | My email is ana@new.org
My address is 12 Elm Street | My address is 7 Oak Avenue
My favourite colour is green | My favourite colour is purple
My dentist is Dr. Wong | My new dentist is Dr. Patel
Our landlord is Mr. Brown | Our new landlord is Mrs. Green
I weigh 82 kg | I'm down to 76 kg
I smoke a pack a day | I quit smoking
I drink coffee every day | I no longer drink coffee
I eat gluten | I had to cut out gluten
I have a cat called Tom | Tom passed away in May
I walk my dog every morning | My dog died in May
I have two children | I have three children
My son is 5 years old | My son turned 6
I drive a Volkswagen Golf | I sold the Golf
I use Evernote for notes | I switched from Evernote to Obsidian
We use Jenkins for CI | We migrated to GitHub Actions for CI
We use MySQL | We migrated from MySQL to Postgres
We deploy on Fridays | We no longer deploy on Fridays
The API timeout is 30 seconds | The API timeout is 60 seconds
The API timeout is 30 seconds | The API timeout was raised to 60 seconds
The session TTL is 15 minutes | The session TTL is now 60 minutes
Deploys happen on Tuesdays | Deploys were moved to Thursdays
The weekly standup is at 9:30 | The weekly standup is at 10:00
The release branch is release/2.3 | The release branch is release/2.4
We run Python 3.11 | We upgraded to Python 3.12
The payment service runs version 2.3.1 | The payment service was upgraded to version 2.4.0
The staging database is hosted in eu-west-1 | The staging database moved to eu-central-1
Feature flag checkout_v2 is enabled | Feature flag checkout_v2 is disabled
The repository is public | The repository is private
Code review is optional | Code review is mandatory
Retries are capped at 3 | Retries are capped at 5
The team lead is Maria | The team lead is now Jonas
Maria is our team lead | Jonas is our new team lead
The rate limit is 100 requests per minute | We lowered the rate limit to 50 requests per minute
We store passwords in plaintext | We no longer store passwords in plaintext
Our CEO is Tim | Tim stepped down and Sara is our new CEO
I play the trumpet | I stopped playing the trumpet
I'm training for a triathlon | I gave up the triathlon
I take vitamin D every morning | I stopped taking vitamin D
I'm allergic to cats | I'm no longer allergic to cats
I rent an apartment | We bought a house
I'm a night owl | I've become a morning person
I love horror movies | I can't stand horror movies anymore
I like cilantro | I hate cilantro
I'm studying biology | I changed my major to chemistry
I subscribe to the New York Times | I cancelled my New York Times subscription
I bank with Chase | I switched to Revolut
I prefer tabs | I prefer spaces
I prefer dark mode | I prefer light mode
I use Chrome | I switched to Firefox
I bike to school | I take the bus to school now
I go to church every Sunday | I don't go to church anymore
I work night shifts | I don't work night shifts anymore
Our office is on the third floor | Our office moved to the fifth floor
The meeting room is on the second floor | The meeting room is on the third floor
The wifi password is hunter2 | The wifi password was changed to swordfish9
Backups run daily at 02:00 | Backups run daily at 04:00
The cluster has 5 nodes | The cluster now has 8 nodes
Invoices are due in 14 days | Invoices are due in 30 days
The minimum order is 25 euros | The minimum order is 40 euros
Our headquarters are in Munich | Our headquarters moved to Berlin
We're a team of 6 | We're now a team of 9
My salary is 50000 | My salary went up to 58000
I wear glasses | I don't wear glasses anymore
My flight is on June 12 | My flight was rescheduled to June 15
The launch is scheduled for May 3 | The launch was postponed to May 17
I'm vegan | I started eating fish again
Ich wohne in Hamburg | Ich bin nach Köln umgezogen
Ich arbeite bei Bosch | Ich arbeite jetzt bei Siemens
Ich trinke Kaffee | Ich trinke keinen Kaffee mehr
Ich rauche | Ich habe aufgehört zu rauchen
Wir nutzen Jenkins | Wir nutzen Jenkins nicht mehr
Das Timeout beträgt 30 Sekunden | Das Timeout beträgt 60 Sekunden
Ich bin Vegetarier | Ich esse wieder Fleisch
Vivo en Madrid | Me mudé a Valencia
Trabajo en Telefónica | Dejé Telefónica
Fumo | Dejé de fumar
El límite es 10 | El límite es 20
Usamos MySQL | Ya no usamos MySQL
Soy vegetariana | Ahora como carne
i live in porto | i moved to braga
we use yarn | we switched to pnpm
The build uses webpack | We replaced webpack with Vite
The cron job runs every 5 minutes | The cron job runs every 15 minutes
Tickets are tracked in Jira | Tickets moved from Jira to Linear
My boss is Karen | My boss is Dave
I have a dog | I had to give up my dog
My gym is Planet Fitness | I cancelled my Planet Fitness membership
My knee hurts | My knee no longer hurts
I'm based in Lisbon | I've relocated to Porto with my family
My parents live in Leeds | My parents moved to York last summer
I'm a nurse at St. Mary's Hospital | I left St. Mary's Hospital
Tom works as a barista | Tom now works as a teacher
I'm working at Shopify as a PM | I was laid off
I share a flat with Priya | Priya moved out
I'm dating Marco | Marco and I split up
My girlfriend is Nina | Nina and I broke up
I take insulin | I no longer take insulin
My blood pressure medication is lisinopril | My doctor switched me from lisinopril to losartan
I have a gym membership | I cancelled my gym membership
I wake up at 6am | I wake up at 7am
I sleep eight hours a night | I sleep six hours a night
My commute is 45 minutes | My commute is 20 minutes
I commute by train | I commute by car now
I read the news on Twitter | I deleted Twitter
I listen to podcasts on Overcast | I moved my podcasts to Pocket Casts
My main programming language is Java | My main programming language is Kotlin
I use a Windows laptop | I switched to a Mac
We use Slack for team chat | We replaced Slack with Mattermost
We host on Heroku | We migrated to AWS
The frontend is written in Angular | We rewrote the frontend in React
The service listens on port 8080 | The service now listens on port 9090
The max upload size is 10 MB | The max upload size was increased to 25 MB
The default branch is master | The default branch was renamed to main
Access tokens expire after 15 minutes | Access tokens expire after 60 minutes
Logs are kept for 30 days | Logs are kept for 90 days
Log retention is 30 days | Log retention was reduced to 14 days
Support hours are 9:00 to 17:00 | Support hours are 8:00 to 18:00
The on-call rotation is weekly | The on-call rotation is monthly
PRs require one approval | PRs require two approvals
MFA is required for all users | MFA is not required for all users
The beta endpoint is available | The beta endpoint is no longer available
We support Internet Explorer | We dropped support for Internet Explorer
The sprint length is 2 weeks | The sprint length is 3 weeks
Our fiscal year starts in April | Our fiscal year starts in January
The project deadline is 2025-03-31 | The project deadline is 2025-04-15
The project deadline is March 31 | The deadline was extended to April 15
Budget for Q3 is 40k | Budget for Q3 was cut to 25k
The head office is in Zurich | The head office relocated to Basel
The company is called Brightly | The company was renamed to Lumen
Sven is the product owner | Sven left the company
Our accountant is Ms. Ruiz | Our accountant is Mr. Okafor
The contact for billing is Ana | The contact for billing is now Luis
My passport expires in 2026 | My passport expires in 2034
My son goes to Lincoln Elementary | My son switched to Roosevelt Elementary
My daughter is in third grade | My daughter is in fourth grade
My mother lives with us | My mother moved out
I love running | I hate running
I enjoy spicy food | I can't eat spicy food anymore
I'm a member of the chess club | I left the chess club
I'm the treasurer of the tennis club | I stepped down as treasurer
I follow a keto diet | I stopped the keto diet
I'm pescatarian | I went vegan
I drink a glass of wine every evening | I'm sober now
I have a Spotify subscription | I cancelled Spotify
I own a motorcycle | I sold my motorcycle
I work part-time | I now work full-time
I'm unemployed | I landed a full-time job
My dog is called Bruno | Bruno died last week
The library closes at 8pm | The library closes at 6pm
The bus leaves every 10 minutes | The bus leaves every 20 minutes
A ticket costs 12 euros | A ticket costs 15 euros
Meine Adresse ist Gartenweg 3 | Meine Adresse ist Lindenstraße 8
Wir deployen freitags | Wir deployen nicht mehr freitags
Ich fahre einen Golf | Ich habe den Golf verkauft
Wir nutzen Slack | Wir sind von Slack auf Teams umgestiegen
Mi jefe es Carlos | Mi jefe es Marta
Uso Chrome | Cambié a Firefox
Trabajo en Madrid como profesor | Ya no trabajo como profesor
The cache is enabled | The cache is turned off
Kubernetes version is 1.27 | Kubernetes was upgraded to 1.29
We bill monthly | We bill quarterly now
I'm on the Basic plan | I upgraded to the Pro plan
My landlord is Mr. Lee | My landlord is Mrs. Kim
I have a full beard | I shaved off my beard
I'm learning French | I gave up French
I volunteer at the shelter | I stopped volunteering at the shelter
I'm a junior developer | I was promoted to senior developer
I'm a junior developer | I'm a senior developer now
I hate olives | I love olives now
My car insurance is with Geico | I switched my car insurance to Progressive
I prefer Android | I switched to iPhone
I use Gmail | I moved to Fastmail
Our team has 5 engineers | Our team grew to 12 engineers
I run 5 km every morning | I run 10 km every morning
I go to bed at 11pm | I go to bed at 10pm now
I am learning guitar | I switched from guitar to drums
My favorite restaurant is Luigi's | My favorite restaurant is now Sakura
I wear contact lenses | I had LASIK and no longer need contact lenses
I take the 8am train | I now take the 7am train
My therapist is Dr. Adler | I stopped seeing Dr. Adler
I teach at Lincoln High | I retired from teaching last June
I live with two roommates | I live alone now
We have one child | We now have two children
I drink milk | I'm now lactose intolerant and avoid milk
I use Twitter daily | I quit Twitter
I subscribe to Netflix | I canceled my Netflix subscription
I'm the CTO of Acme | I stepped down as CTO of Acme
I play football on Saturdays | I quit football after my injury
My wife is pregnant | My wife gave birth to a boy
I have a blue Subaru | I traded in my Subaru for a truck
I use an Android phone | I got an iPhone
I'm a Yankees fan | I'm a Mets fan now
I'm Catholic | I converted to Buddhism
I vote Labour | I now vote Green
I invest in stocks | I sold all my stocks
My screen time is 5 hours a day | I cut my screen time to 2 hours a day
I use VS Code | I've moved to Zed
I write Java at work | I write Kotlin at work now
I am scared of dogs | I'm no longer scared of dogs
I only buy organic | I stopped buying organic
I bought a Peloton | I sold the Peloton
My project is called Atlas | I renamed the project to Orion
I stay at my parents' house | I moved out of my parents' house
I have a beard | I shaved my beard
I walk to work | I drive to work now
I shop at Whole Foods | I switched to Aldi
I believe the earth is flat | I no longer believe the earth is flat
My doctor is Dr. Kim | I switched doctors to Dr. Lee
I own a house in Austin | I sold my house in Austin
Our anniversary dinner is on Friday | Our anniversary dinner moved to Saturday
I get my news from newspapers | I get my news from podcasts now
I prefer window seats | I prefer aisle seats now
I play acoustic guitar | I've switched to electric guitar
My phone plan is with Verizon | I moved my phone plan to T-Mobile
I pay for everything in cash | I pay for everything with Apple Pay now
I write my papers in Word | I moved to LaTeX
I use Figma for design | I went back to Sketch for design
I wear glasses | I switched to contact lenses
I teach maths | I now teach physics
I have a studio apartment | We moved to a two-bedroom apartment
I broke my arm | My arm has healed
I'm a student at Leeds | I graduated last month
I have never had a driver's license | I passed my driving test
I work at Tesco | I quit my job to travel
I use LastPass | I migrated to Bitwarden
I keep my savings in stocks | I moved my savings into bonds
I use Google Maps | I switched to Waze
My shift starts at 7 | My shift starts at 9
My favourite team is Ajax | My favourite team is PSV these days
I speak to my mother every day | I no longer speak to my mother
I prefer texting | I prefer calls over texting
I'm a software engineer | I got promoted to engineering manager
I use Duolingo for Spanish | I now use Babbel for Spanish
We vacation in Italy every summer | We now vacation in Greece every summer
I sleep with one pillow | I sleep with two pillows
I have one monitor | I have two monitors
My internet provider is Comcast | I changed my internet provider to Verizon
My goal is to run a marathon | My goal is now to run an ultra
I belong to the Green party | I left the Green party
I take notes by hand | I take notes on my iPad now
My watch is a Casio | I replaced my Casio with a Seiko
""")

COMPATIBLE = _pairs("""
I walk in the park every morning | My dog died in May
I read about the library | The library closed
I live in Oslo | I visited Bergen in March
I live in Oslo | I used to live in Bergen
I live in Oslo | My brother moved to Bergen
I live in Oslo | I grew up in Bergen
I live in Germany | I live in Berlin
I live in Oslo | I want to move to Bergen
I live in Oslo | I'm in Bergen for a week
I live in Oslo | I might move to Bergen next year
I work at Spotify | I work with the recommendations team
I work at Spotify | My wife works at Klarna
I work at Spotify | I interviewed at Klarna
I work at Spotify | I volunteer at the animal shelter
I'm married | My brother got divorced
I have a cat | I also have a dog
I have a cat called Tom | Tom sleeps on the sofa
I speak German | I speak Spanish too
My daughter plays chess | My son plays chess
My daughter is 5 years old | My son is 7 years old
I drive a Golf | My neighbour drives a Tesla
I drive a Golf | I rented a Tesla last weekend
I like tea | I like coffee
I love Italian food | I love Thai food
I drink coffee | I drank a tea yesterday
I don't eat pork | I eat chicken
I run on Mondays | I swim on Thursdays
I ran 5 km on Monday | I ran 8 km on Friday
I bought 2 tickets | I bought 4 tickets
We use Postgres | We use Redis for caching
We use Python for the backend | We use TypeScript for the frontend
The API timeout is 30 seconds | The API has 12 endpoints
The API timeout is 30 seconds | The database timeout is 60 seconds
The staging timeout is 30 seconds | The production timeout is 60 seconds
The timeout is 30 seconds in staging | The timeout is 60 seconds in production
Room 12 seats 40 people | Room 14 seats 40 people
Room 12 seats 40 people | Room 14 seats 60 people
The Paris office has 30 people | The London office has 45 people
Server alpha-1 has 16 GB of RAM | Server beta-2 has 32 GB of RAM
The API returns JSON | The API requires a token
Deploys happen on Tuesdays | Standup happens on Mondays
We deploy on Tuesdays | We had an outage on Thursday
The payment service runs version 2.3.1 | The search service was upgraded to version 5.0.2
The payment service runs version 2.3.1 | The payment service has 40 tests
Maria is our team lead | Jonas is our designer
Maria leads the backend team | Jonas leads the frontend team
Our CEO is Tim | Our CTO is Sara
My favourite colour is green | My favourite food is pizza
My favourite band is Muse | My wife's favourite band is Queen
I'm allergic to cats | I'm allergic to nuts
I play the piano | I sold my old piano bench
I play tennis | I stopped at the tennis shop yesterday
I read every evening | I finished a great novel
I'm training for a triathlon | I bought a wetsuit
I prefer dark mode | I prefer window seats
I prefer dark mode in the editor | I prefer light mode in the browser
I use Chrome | I use Slack
I use Chrome at home | I use Edge at work
I work from home on Fridays | I go into the office on Mondays
I am a developer | I am a father
Anna is a doctor | Anna is a mother
My laptop is a ThinkPad | My laptop has 32 GB of RAM
My car is a Volvo | My car is blue
My car is a Volvo | I got a parking ticket
I'm vegetarian | My roommate eats meat
I'm vegetarian | I cooked a steak for my dad yesterday
I quit smoking | My father still smokes
I don't drink alcohol | I don't smoke
I have two children | My youngest child is 4
I have three monitors | I have two keyboards
The store opens at 9 | The store is on Main Street
Backups run daily at 02:00 | Backups are kept for 30 days
Invoices are due in 14 days | Invoices are sent by email
We migrated from MySQL to Postgres | We upgraded to Python 3.12
We switched from Jest to Vitest | We moved the office to Berlin
The auth service uses JWT | The auth service is written in Go
The launch is scheduled for May 3 | The retrospective is scheduled for May 10
My flight is on June 12 | My hotel is booked from June 13
I have a meeting at 10 | I have a dentist appointment at 3pm
I met Anna at Google | I left Google
I like my job | I had a long day
Ich wohne in Hamburg | Mein Bruder wohnt in Köln
Ich wohne in Hamburg | Früher habe ich in Köln gewohnt
Ich spreche Deutsch | Ich spreche auch Französisch
Ich trinke Kaffee | Ich trinke auch Tee
Vivo en Madrid | Mi hermana vive en Valencia
Hablo español | También hablo inglés
Me gusta el té | Me gusta el café
Vivo en Madrid | Antes vivía en Sevilla
Use tabs in Makefiles | Use spaces in Python files
Never commit secrets | Run the linter before each commit
The PR template has a checklist | PRs need two approvals
Error budget is 0.1% | Alert threshold is 5%
John prefers email | Mary prefers phone calls
The customer in Lyon pays by card | The customer in Nice pays by invoice
My grandmother is 90 years old | My grandmother loves gardening
I take the train to work | My colleague now drives to work
I do yoga | I started pilates as well
I finished the marathon | I am training for an ultramarathon
I go to Planet Fitness | I stopped by the store after the gym
The repo is on GitHub | The docs are on Confluence
I'm reading Dune | I finished Foundation
I have a Netflix subscription | I watched a great show on Hulu
My phone is an iPhone | My tablet is a Galaxy
We plan to move to Kubernetes | We use Docker Swarm
I'm based in Lisbon | I'm flying to Porto tomorrow
I'm based in Lisbon | My company is based in Porto
I was born in Leeds | I live in York
I studied in Leeds | I live in York
Tom works as a barista | Tom is studying law
I have a brother | I have a sister
My brother is called Tom | My other brother is called Jim
My brother is Tom | My brother is tall
I take insulin | I take metformin
I take insulin | My appointment is on Tuesday
I own a motorcycle | I sold my old helmet
I own a house in Spain | I rent an office in Berlin
I love running | I hate swimming
I love running | My knee hurts when I run
I don't like running | I like walking
I enjoy spicy food | I tried a mild curry yesterday
I'm learning French | I'm good at math
I wake up at 6am | I go to bed at 10pm
I wake up at 6am on weekdays | I wake up at 9am on weekends
The service listens on port 8080 | The metrics endpoint listens on port 9090
The service listens on port 8080 | The service depends on Redis
Logs are kept for 30 days | Metrics are kept for 90 days
Access tokens expire after 15 minutes | Refresh tokens expire after 30 days
PRs require one approval | Releases require two approvals
MFA is required for admins | MFA is not required for guests
The max upload size is 10 MB | The max request time is 25 seconds
We use Slack for team chat | We use email for customers
We host on Heroku | Our customer hosts on AWS
We host on Heroku | We evaluated AWS
The frontend is written in Angular | The backend is written in Go
The default branch is main | Feature branches are named feature/x
The fiscal year starts in April | The summer sale starts in June
Sven is the product owner | Ida is the scrum master
Sven is on vacation | Ida is back from vacation
The project deadline is 2025-03-31 | The kickoff was on 2025-01-10
The head office is in Zurich | The second office is in Basel
My passport expires in 2026 | My driving license expires in 2034
My son goes to Lincoln Elementary | My daughter goes to Roosevelt Elementary
I'm a member of the chess club | I joined the hiking club
I'm on the Basic plan | The Pro plan costs 20 dollars
The library closes at 8pm | The pool closes at 6pm
The library closes at 8pm | The library has a cafe
A ticket costs 12 euros | A coffee costs 3 euros
A ticket costs 12 euros | A child ticket costs 6 euros
My dog is called Bruno | My dog loves the beach
I read the news on Twitter | I posted a photo on Instagram
I listen to podcasts | I listen to classical music
My favourite author is Le Guin | I read a novel by Banks
I ate sushi on Friday | I ate pizza on Saturday
I went to Rome in 2019 | I went to Paris in 2021
We hired Eva in 2020 | We hired Max in 2022
The outage on Monday lasted 2 hours | The outage on Friday lasted 3 hours
Order 1001 was shipped | Order 1002 was cancelled
Bug 4521 is fixed | Bug 4522 is open
Alice owns the login page | Bob owns the signup page
Alice likes Bob | Bob likes Alice
I have a meeting with Sam on Monday | I have a meeting with Ana on Tuesday
The kitchen is painted white | The bedroom is painted blue
Use 4 spaces in Python | Use 2 spaces in YAML
Prefer composition over inheritance | Prefer small functions
Our goal is 1000 users | We have 640 users
The server has 16 GB of RAM | The server has 8 cores
I prefer tea in the morning | I prefer wine in the evening
I usually cook at home | We went out for dinner last night
I don't eat meat | I don't eat fish
I hope to retire early | I retired the old server
If I moved, I would go to Spain | I live in Norway
Ich habe zwei Kinder | Ich habe einen Hund
Ich arbeite bei Bosch | Meine Frau arbeitet bei Siemens
Ich mag Tee | Ich mag Kaffee
Das Büro ist in München | Das Lager ist in Augsburg
Mi hermano vive en Bilbao | Vivo en Sevilla
Tengo un perro | Tengo dos gatos
El servidor está en Madrid | El cliente está en Lisboa
We moved the sofa to the bedroom | The sofa is green
The team moved to a new floor | The team has 9 people
I changed the oil of my car | My car is a Volvo
I changed my password | My email is a@b.org
I lost my umbrella | I have an umbrella stand
I left the office at 6pm | I work at the office on Mondays
I stopped at the bakery | I buy bread at the bakery
I sold 20 copies | My book costs 10 euros
I quit the app and restarted it | I use the app every day
I teach maths | I now teach maths to adults as well
I write novels | I now write every morning
I play the drums | I now play in a band
I work at Tesco | I now work on the night shift
I drive a Volvo | I now drive more carefully
I train for marathons | I now train with Tom
I have a cat | I got a new sofa
I use Figma for design | I now use Slack for chat
I wear glasses | I wear a hat in summer
I'm a student at Leeds | My brother graduated last month
I pay rent in cash | I paid the plumber by card
I broke my arm | I visited my doctor
I don't have a car | I got a bike
I sing in a choir | I now sing solos in the choir
We live in Bonn | We now live in a bigger flat in Bonn
I prefer texting | I prefer cats to dogs
I love my job | I quit the gym
I read a lot | I now read to my kids at night
""")

SAME_KEY = {
    "supersedes": _pairs("""
The gateway times out after 30 seconds | The gateway times out after 45 seconds
Deploys go out on Fridays | We ship on Mondays since the incident
Primary database: Postgres | Primary database: MySQL
We use Redux for state management | We use Zustand for state management
Auth uses JWT | Auth uses session cookies
The on-call phone is 555-0100 | Call 555-0199 for on-call
Error handling: use exceptions | Error handling: use result types
Anna is the lead | Bo is the lead
We deploy manually | We deploy automatically
Do not use ORMs | Use ORMs
The novel is written in first person | The novel is written in third person
Standup is at 9:30 | Standup moved to 10:15
"""),
    "compatible": _pairs("""
Anna likes tea | Anna likes coffee
The gateway times out after 30 seconds | The gateway is written in Go
Auth uses JWT | Auth also supports API keys
Anna is a doctor | Anna is a mother
The DLQ keeps failed messages | The DLQ is drained by a nightly job
Retry limit is 3 | The retry limit was introduced after the June outage
The novel is set in Lisbon | The novel has 12 chapters
Deploys go out on Fridays | Previously deploys went out on Mondays
Our API is versioned by URL path | Clients pin a version
Postgres stores the orders | Postgres runs on port 5432
Kafka is the broker | We might move to NATS
"""),
}

DUPLICATES = _pairs("""
The gateway times out after thirty seconds. | the gateway times out after 30 seconds
I'm vegan | I am vegan
We use Postgres for the billing service | We use Postgres for our billing service.
We don't deploy on Fridays | We do not deploy on Fridays
On Mondays I swim | I swim on Mondays
Our API is rate-limited. | our API is rate-limited
The organisation has offices in Lyon | The organization has offices in Lyon
Ich wohne derzeit in Köln | Ich wohne in Köln
The team really likes the new layout! | The team likes the new layout
""")

NOT_DUPLICATES = _pairs("""
Enable the cache | Disable the cache
The job runs in staging | The job runs in production
We deploy on Fridays | We do not deploy on Fridays
We always deploy on Fridays | We never deploy on Fridays
I live in Berlin | I lived in Berlin
Alice manages Bob | Bob manages Alice
Run the tests before the build | Run the build before the tests
Mr. Robert signed | Mr. Roberts signed
He has hepatitis A | He has hepatitis
The probe reads -5 degrees | The probe reads 5 degrees
The load is < 10 | The load is > 10
It costs $5 | It costs €5
Note to Anna: call the bank | Note to Bob: call the bank
The launch is on 2026-03-01 | The launch is on 2026-03-02
The launch is on May 3 | The launch is on June 3
The key is user_id | The key is user_ids
I only drink tea | I drink tea
I live in Berlin | I live in East Berlin
""")


@pytest.mark.parametrize(("old", "new"), SUPERSEDES)
def test_what_changed_supersedes(old: str, new: str) -> None:
    verdict = compare(old, new)
    assert verdict.kind == "supersedes"
    assert verdict.why


@pytest.mark.parametrize(("old", "new"), COMPATIBLE)
def test_what_can_both_hold_is_compatible(old: str, new: str) -> None:
    assert compare(old, new).kind == "compatible"


@pytest.mark.parametrize("kind", SAME_KEY)
def test_under_one_key_another_value_is_enough(kind: str) -> None:
    for old, new in SAME_KEY[kind]:
        assert (old, new, compare(old, new, same_key=True).kind) == (old, new, kind)


@pytest.mark.parametrize(("old", "new"), DUPLICATES)
def test_the_same_in_nearly_the_same_words_is_a_duplicate(old: str, new: str) -> None:
    assert compare(old, new).kind == "duplicate"
    assert compare(new, old, same_key=True).kind == "duplicate"


@pytest.mark.parametrize(("old", "new"), NOT_DUPLICATES)
def test_one_word_that_matters_makes_no_duplicate(old: str, new: str) -> None:
    for key in (False, True):
        assert compare(old, new, same_key=key).kind != "duplicate"
        assert compare(new, old, same_key=key).kind != "duplicate"


def test_one_number_in_a_long_sentence_makes_no_duplicate() -> None:
    said = (
        "The nightly export of the orders table to the warehouse bucket starts {} minutes "
        "after the ledger has closed"
    )
    for key in (False, True):
        assert compare(said.format(15), said.format(60), same_key=key).kind == "supersedes"


def test_the_reason_shows_what_changed() -> None:
    assert compare("I live in Oslo", "I moved to Bergen").why == "residence: oslo → bergen"
    assert "netflix" in compare("I have Netflix", "I cancelled Netflix").why
    assert "30 s → 60 s" in compare("The timeout is 30 s", "The timeout is 60 s").why
    assert "also" in compare("I speak Thai", "I also speak Lao").why


def test_a_page_that_differs_at_its_end_is_no_duplicate() -> None:
    page = "The pump is checked every week. " * 300
    assert compare(page + "It has 3 valves.", page + "It has 4 valves.").kind != "duplicate"


def test_a_chain_is_told_link_by_link() -> None:
    homes = ["I live in Sydney", "I moved to Perth", "I relocated to Hobart"]
    for n, new in enumerate(homes):
        for old in homes[:n]:
            assert compare(old, new).kind == "supersedes"
    assert compare(homes[0], "I moved back to Sydney").kind != "supersedes"


def test_the_owner_of_a_clause() -> None:
    said = {
        "I live in Rome": "me",
        "My sister lives in Rome": "sister",
        "My sister's flat is in Rome": "sister",
        "My flat is in Rome": "me",
        "Sam and I live in Rome": "me",
        "Anna lives in Rome": "anna",
        "The backup job runs nightly": "backup job",
        "She lives in Rome": "?",
    }
    assert {text: read(text).clauses[0].owner for text in said} == said


def test_the_tables_name_each_thing_once() -> None:
    names = [attribute.name for attribute in changes.ATTRIBUTES]
    assert len(set(names) | changes.STATUSES.keys()) == len(names) + len(changes.STATUSES)
    for name, apart in changes.EXCLUDES.items():
        values = changes.STATUSES[name].keys()
        assert apart.keys() <= values
        assert all(others <= values for others in apart.values())
    assert all(len(pair) == 2 for pair in changes.OPPOSITES)


WORDS = st.lists(
    st.sampled_from("the pump valve reads sends to from is not my we Lisbon tank".split())
)


@given(st.text())
@example("the")
@example("© 2024, — not; 30%")
def test_a_text_repeats_itself(text: str) -> None:
    assert compare(text, text).kind == "duplicate"
    assert compare(text, text, same_key=True).kind == "duplicate"


@given(st.text(), st.text(), st.booleans())
@example("", "it is", True)
@example("my", "§ no longer", True)
@example("take \u200d", "\u200d now", True)
@example("I", "quit my job at", False)
def test_no_text_raises_and_the_verdict_is_always_the_same(
    old: str, new: str, same_key: bool
) -> None:
    assert compare(old, new, same_key=same_key) == compare(old, new, same_key=same_key)


@given(WORDS, WORDS, st.booleans())
def test_no_order_of_words_raises(old: list[str], new: list[str], same_key: bool) -> None:
    verdict = compare(" ".join(old), " ".join(new), same_key=same_key)
    assert verdict.kind in ("duplicate", "supersedes", "compatible")


@given(WORDS, WORDS, st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_never_a_duplicate(
    before: list[str], after: list[str], one: int, two: int
) -> None:
    old, new = (" ".join([*before, str(number), *after]) for number in (one, two))
    assert (compare(old, new).kind == "duplicate") == (one == two)


@given(WORDS, WORDS, st.dates(), st.dates())
def test_another_date_is_never_a_duplicate(
    before: list[str], after: list[str], one: object, two: object
) -> None:
    old, new = (" ".join([*before, str(date), *after]) for date in (one, two))
    assert (compare(old, new).kind == "duplicate") == (one == two)


@given(WORDS, WORDS, st.sampled_from(["not", "never", "no", "nicht", "nunca"]))
def test_a_negation_more_is_never_a_duplicate(
    before: list[str], after: list[str], negation: str
) -> None:
    old, new = " ".join([*before, *after]), " ".join([*before, negation, *after])
    assert compare(old, new).kind != "duplicate"
    assert compare(new, old, same_key=True).kind != "duplicate"


@given(st.sampled_from(SUPERSEDES), st.sampled_from(["also", "as well"]))
def test_an_addition_takes_nothing_away(pair: tuple[str, str], cue: str) -> None:
    old, _ = pair
    assert compare(old, f"{old} {cue}").kind != "supersedes"
