"""The web, for those who allow it: a search engine of the user's choice, and pages as text.

guard.py     which links may be followed; no I/O
fetch.py     one GET that keeps to it, on every redirect, within limits of time and size
engines.py   what search engines are asked and what they answer, as data; no I/O
pages.py     what came back, as text
search.py    all of it behind :class:`recollect.ports.Web`
"""
