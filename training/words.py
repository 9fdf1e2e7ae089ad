"""The list of ordinary words: ``src/recollect/text/words.txt``.

    python -m training.words     (needs `pip install wordfreq`, Debian's wamerican and wbritish)

A word of the English dictionary (SCOWL) stands as it is, and with a ``-`` when it is used less
than once in a million words. A word that is common in English without being in the dictionary as
a plain word (a name, a brand) has a ``+``, one that is common in another language only a ``=``.
Sorted by bytes, so that it can be searched where it lies.
"""

from __future__ import annotations

from pathlib import Path

from recollect.text.terms import fold

TARGET = Path(__file__).resolve().parents[1] / "src" / "recollect" / "text" / "words.txt"
DICTIONARIES = ("american-english", "british-english")
LANGUAGES = ("de", "es", "fr", "it", "pt", "nl", "ru")
RARE, ENGLISH, OTHERS = 2.2, 3.0, 3.8
"""Zipf's scale: the logarithm to base 10 of how often in a thousand million words."""


def main() -> None:
    from wordfreq import get_frequency_dict

    folder = Path("/usr/share/dict")
    spelt = {word for name in DICTIONARIES for word in (folder / name).read_text().split()}
    marks: dict[str, str] = {}
    for language in LANGUAGES:
        for word, share in get_frequency_dict(language).items():
            if word.isalpha() and len(word) > 2 and share >= 10 ** (OTHERS - 9):
                marks[fold(word)] = "="
    for word, share in get_frequency_dict("en").items():
        often = share >= 10 ** (ENGLISH - 9)
        if word.isalpha() and len(word) > 1 and share >= 10 ** (RARE - 9):
            if word in spelt:
                marks[fold(word)] = "" if often else "-"
            elif often:
                marks.setdefault(fold(word), "+")
    lines = [word + mark for word, mark in marks.items()]
    text = "".join(f"{line}\n" for line in sorted(lines, key=str.encode))
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
