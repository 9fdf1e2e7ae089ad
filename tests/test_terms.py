"""Text to terms: what a document is indexed by is what a question about it asks for."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text import terms as module
from recollect.text.terms import MAX_TERM, chunks, fold, is_run, query_terms, terms

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
"""Every code point there is, half surrogate pairs among them."""

ASCII_WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20)


def exact(text: str) -> list[str]:
    return terms(text).exact.split()


def stems(text: str) -> list[str]:
    return terms(text).stem.split()


# ------------------------------------------------------------------ compounds and signs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#123", ["#123", "123"]),
        ("#hashtag", ["#hashtag", "hashtag"]),
        ("@alice", ["@alice", "alice"]),
        ("src/main.py", ["src/main.py", "src", "main", "py"]),
        ("alice@example.com", ["alice@example.com", "alice", "example", "com"]),
        ("dead_letter_queue", ["dead_letter_queue", "dead", "letter", "queue"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("key=value", ["key=value", "key", "value"]),
        (".env", [".env", "env"]),
        ("node.js", ["node.js", "node", "js"]),
        ("utf-8", ["utf-8", "utf", "8"]),
        ("v1.2.3", ["v1.2.3", "1", "2", "3"]),
        ("50%", ["50%", "50"]),
        ("$5", ["$5", "5"]),
        ("$3,200", ["$3200", "3200"]),
        ("€50", ["€50", "50"]),
    ],
)
def test_a_compound_gives_the_whole_then_its_parts(text: str, expected: list[str]) -> None:
    assert exact(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("C++", "c++"), ("C#", "c#"), ("F#", "f#"), ("C", "c"), ("I/O", "i/o"), ("R&D", "r&d")],
)
def test_a_sign_that_makes_the_name_stays_with_it(text: str, expected: str) -> None:
    assert exact(text) == [expected]


def test_languages_with_a_sign_are_not_the_letter_alone() -> None:
    assert len({tuple(exact(name)) for name in ("C", "C++", "C#")}) == 3


@pytest.mark.parametrize(
    ("compound", "part"),
    [
        ("café-bar", "café"),
        ("Müller/Söhne", "Müller"),
        ("crème_brûlée", "brûlée"),
        ("josé@example.com", "José"),
        ("résumé.pdf", "résumé"),
        ("année2024", "année"),
        ("naïveBayes", "naïve"),
        ("ÉCOLE-élite", "école"),
        ("Иван-Петров", "Петров"),
        ("हिन्दी-भाषा", "भाषा"),
    ],
)
def test_a_part_with_letters_beyond_ascii_is_found_in_its_compound(
    compound: str, part: str
) -> None:
    assert exact(part)[0] in exact(compound)[1:]


def test_stems_and_exact_terms_are_parallel() -> None:
    found = terms("The alice@example.com runners' getUserNames, running 50% faster")
    assert len(found.stem.split()) == len(found.exact.split())
    assert "running" in found.exact.split()
    assert "run" in found.stem.split()


# ------------------------------------------------------------------ folding


@pytest.mark.parametrize("text", ["don't", "don’t", "don‘t", "donʼt", "don＇t", "Don't", "DON'T"])
def test_the_apostrophe_of_a_contraction_goes_away(text: str) -> None:
    assert exact(text) == ["dont"]


@pytest.mark.parametrize(
    ("possessive", "owner"),
    [
        ("Jonas's", "jonas"),
        ("Jonas'", "jonas"),
        ("ALICE'S", "alice"),
        ("Alice’s", "alice"),
        ("students'", "students"),
        ("garçon’s", "garcon"),
    ],
)
def test_a_possessive_is_its_owner(possessive: str, owner: str) -> None:
    assert exact(possessive) == [owner]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234,567", ["1234567"]),
        ("3,200.50", ["3200.50", "3200", "50"]),
        ("３，２００", ["3200"]),
        ("1,2,3", ["1,2,3", "1", "2", "3"]),
    ],
)
def test_only_thousands_separators_go_away(text: str, expected: list[str]) -> None:
    assert exact(text) == expected


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("café", "cafe"),
        ("Ångström", "angstrom"),
        ("naïve", "naive"),
        ("Łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("ﬁle", "file"),
        ("Ｃ＋＋", "c++"),
        ("١٢٣", "123"),
        ("5０", "50"),
    ],
)
def test_accents_width_and_variants_are_folded(written: str, plain: str) -> None:
    assert exact(written) == [plain]


def test_a_word_that_has_no_stem_is_there_as_it_is_written() -> None:
    assert exact("في ـــ بيت") == ["في", "ـــ", "بيت"]
    assert len(stems("في ـــ بيت")) == 2


@given(st.text(st.characters(max_codepoint=0x0DFF), max_size=60))
def test_a_word_in_a_text_is_folded_as_it_is_alone(text: str) -> None:
    words = text.split()
    assert fold(" ".join(words)) == " ".join(map(fold, words))


def test_full_width_text_reads_as_ordinary_text() -> None:
    assert terms("ＡＢＣ１２３　Ｈｅｌｌｏ") == terms("ABC123 Hello")


@pytest.mark.parametrize("hyphen", ["\u2010", "\u2011"])
def test_a_typographic_hyphen_is_a_hyphen(hyphen: str) -> None:
    assert terms(f"state{hyphen}of{hyphen}the{hyphen}art") == terms("state-of-the-art")


@pytest.mark.parametrize(
    "text", ["café", "Ångström", "한국어를", "がぎぐ", "résumé.pdf", "हिन्दी", "й"]
)
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    "text", ['"word"', "(word)", "[word],", "*word*", "word.", "word?!", "`word`"]
)
def test_punctuation_around_a_word_is_not_part_of_it(text: str) -> None:
    assert exact(text) == ["word"]


# ------------------------------------------------------------------ scripts


def test_a_run_gives_bigrams_and_its_last_character() -> None:
    assert exact("東京都") == ["東京", "京都", "都"]


def test_every_character_of_a_run_begins_some_term() -> None:
    run = "東京都庁舎"
    found = exact(run)
    assert all(any(term.startswith(char) for term in found) for char in run)


@pytest.mark.parametrize(
    "run", ["東京都", "ภาษาไทย", "한국어를", "မြန်မာ", "ខ្មែរ", "ひらがな", "カタカナ"]
)
def test_scripts_without_spaces_are_found_by_any_two_characters(run: str) -> None:
    run = unicodedata.normalize("NFKC", run)
    asked, _ = query_terms(run[1:3])
    assert asked
    assert set(asked) <= set(stems(run))


def test_a_question_does_not_ask_for_the_tail_of_a_run() -> None:
    assert query_terms("東京都") == (("東京", "京都"), ("東京", "京都"))
    assert query_terms("東") == (("東",), ("東",))


@pytest.mark.parametrize("text", ["東", "東京", "ภาษา", "한국어", "ひらがな", "東京tower"])
def test_a_text_that_begins_without_spaces_between_words_is_a_run(text: str) -> None:
    assert is_run(text)


@pytest.mark.parametrize("text", ["", "a", "5", "tower東京", "книга", "हिन्दी", "عربي", "🎉"])
def test_a_text_that_begins_with_spaced_words_is_not_a_run(text: str) -> None:
    assert not is_run(text)


def test_a_run_and_latin_letters_that_touch_are_read_apart() -> None:
    assert exact("日本語tokyo日本") == ["日本", "本語", "語", "tokyo", "日本", "本"]


def test_full_width_punctuation_separates_runs() -> None:
    assert exact("你好，世界。") == ["你好", "好", "世界", "界"]


@pytest.mark.parametrize("word", ["हिन्दी", "मैं", "हूँ", "தமிழ்", "বাংলা"])
def test_vowel_signs_of_indic_scripts_are_kept(word: str) -> None:
    assert exact(word) == [word]


def test_hindi_words_that_differ_in_a_vowel_sign_differ() -> None:
    assert exact("कल") != exact("कला")


@pytest.mark.parametrize(
    ("sentence", "word"), [("हिन्दी।", "हिन्दी"), ("मैं हूँ॥", "हूँ"), ("בית־ספר", "ספר"), ("متى؟", "متى")]
)
def test_the_punctuation_of_a_script_is_not_part_of_its_words(sentence: str, word: str) -> None:
    assert exact(word)[0] in exact(sentence)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("книга", "книги"),
        ("книга", "книгой"),
        ("новая", "новый"),
        ("большая", "большой"),
        ("говорить", "говорил"),
        ("дом", "домами"),
    ],
)
def test_inflections_of_a_russian_word_share_a_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other)


@pytest.mark.parametrize(
    ("one", "other"), [("كتاب", "الكتاب"), ("مدرسة", "بالمدرسة"), ("المعلمون", "معلمين")]
)
def test_inflections_of_an_arabic_word_share_a_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other)


@pytest.mark.parametrize(
    ("one", "other"), [("deploy", "deployments"), ("running", "runs"), ("Queries", "query")]
)
def test_inflections_of_an_english_word_share_a_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other)
    assert exact(one) != exact(other)


# ------------------------------------------------------------------ odd input


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🎉", ["🎉"]),
        ("ship🎉it", ["ship", "🎉", "it"]),
        ("👨\u200d👩\u200d👧", ["👨", "👩", "👧"]),
        ("❤\ufe0f", ["❤"]),
    ],
)
def test_an_emoji_is_a_term(text: str, expected: list[str]) -> None:
    assert exact(text) == expected


def test_a_nul_separates_words() -> None:
    assert exact("left\x00right") == ["left", "right"]


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u3000", "…", "-- !? ##", "\x00", "\u200d"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == ("", "")
    assert query_terms(text) == ((), ())


def test_a_chunk_too_long_to_be_a_word_is_indexed_by_its_parts() -> None:
    found = exact("ab12" * 10_000)
    assert set(found) == {"ab", "12"}
    assert all(len(term) <= MAX_TERM for term in found)


def test_a_very_long_chunk_without_parts_still_has_a_term() -> None:
    assert exact("a/" * 50_000) == [("a/" * 50_000)[:MAX_TERM]]


def test_a_hundred_thousand_letters_in_a_row_do_no_harm() -> None:
    assert exact("before " + "x" * 100_000 + " after")[0::2] == ["before", "after"]


# ------------------------------------------------------------------ what holds for every text


@settings(deadline=None)
@given(ANY_TEXT)
def test_no_text_is_refused_and_no_term_has_white_space(text: str) -> None:
    for line in terms(text):
        found = line.split(" ") if line else []
        assert all(term and not any(c.isspace() for c in term) for term in found)


@settings(deadline=None)
@given(ANY_TEXT)
def test_each_exact_term_has_one_stem(text: str) -> None:
    assert len(stems(text)) == len(exact(text))


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_the_terms_of_joined_texts_are_the_terms_of_each(one: str, other: str) -> None:
    assert stems(f"{one} {other}") == stems(one) + stems(other)
    assert exact(f"{one} {other}") == exact(one) + exact(other)


@settings(deadline=None)
@given(ANY_TEXT)
def test_the_terms_of_a_text_are_the_terms_of_its_chunks(text: str) -> None:
    assert exact(text) == [term for chunk in chunks(text) for term in exact(chunk)]


@settings(deadline=None)
@given(ANY_TEXT)
def test_normal_form_does_not_matter(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@settings(deadline=None)
@given(ASCII_WORD)
def test_the_case_of_an_ascii_word_does_not_matter(word: str) -> None:
    assert terms(word) == terms(word.upper()) == terms(word.capitalize())
    assert fold(word.upper()) == fold(word) == word


@settings(deadline=None)
@given(ANY_TEXT)
def test_a_question_asks_only_for_terms_that_the_same_text_has(text: str) -> None:
    asked, plain = query_terms(text)
    assert set(asked) <= set(stems(text))
    assert set(plain) <= set(exact(text))


@settings(deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=8))
def test_what_is_remembered_never_changes_what_is_found(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        first = [terms(text) for text in texts]
        again = [terms(text) for text in texts]
        patch.setattr(module, "MEMO_SIZE", 2)
        crowded = [terms(text) for text in texts]
        alone = [terms(text) for text in reversed(texts)][::-1]
    assert first == again == crowded == alone
