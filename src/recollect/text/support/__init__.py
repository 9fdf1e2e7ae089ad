"""Whether a sentence that a model wrote is borne out by the spans that it cites.

spelling.py     what is written in several ways, in one
reading.py      a text as tokens of known kinds, in clauses
tables.py       what is known of units, months, negations and opposites
roles.py        who does what to whom
added.py        what a sentence adds by a small word
arithmetic.py   numbers that follow from others
verdict.py      the check, rule by rule
orders.py       texts that tell a model what to do
"""
