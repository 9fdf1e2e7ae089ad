"""The query language: prose is always safe, and the little syntax means what it says."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.errors import QueryError
from recollect.nouns import Clause, Filter
from recollect.text.lexical import index_passage, matches
from recollect.text.questions.parse import MAX_WORDS, Parsed, parse
from recollect.text.stopwords import stopwords

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
SYNTAX = st.sampled_from(
    ['"', "-", "*", " ", "\n", "\x00", "path:", "Kind:", "source:", ":", "'", "東", "word", "-5"]
)
QUERY_LIKE = st.lists(st.one_of(SYNTAX, ANY_TEXT), max_size=12).map("".join)


def finds(query: str, text: str) -> bool:
    """Whether a passage with this text is among what the query matches."""
    return matches(parse(query).text, index_passage("", "", "", text))


def asked(query: str) -> list[str]:
    return [clause.term for clause in parse(query).text.any]


# ------------------------------------------------------------------ words


def test_words_are_looked_for_by_their_stems() -> None:
    assert finds("deploying", "we deployed on Friday")
    assert parse("deploying databases").content == ("deploy", "databas")


def test_a_word_that_is_asked_for_twice_counts_once() -> None:
    assert asked("deploy deploy Deploys") == ["deploy"]


def test_any_of_the_words_is_enough() -> None:
    assert finds("harbour deployment", "the harbour")
    assert not finds("harbour deployment", "the river")


def test_stop_words_are_left_out() -> None:
    assert parse("when do we deploy?").content == ("deploy",)
    assert not finds("when do we deploy?", "when do we eat?")


def test_stop_words_that_are_all_there_is_are_looked_for() -> None:
    assert finds("to be or not to be", "to be or not to be")
    assert set(parse("the who").content) <= stopwords()


@pytest.mark.parametrize(
    ("text", "bare"),
    [("the", True), ("and", True), ("IT", False), ("to be or not to be", False), ("tea", False)],
)
def test_a_word_of_grammar_asks_for_nothing(text: str, bare: bool) -> None:
    assert parse(text).bare is bare


def test_the_embedder_reads_the_words_without_filters_and_exclusions() -> None:
    assert parse('when do "we deploy" kind:note -friday').prose == "when do we deploy"


def test_one_character_of_a_script_without_spaces_is_a_prefix() -> None:
    assert parse("東").text.any == (Clause("prefix", ("東",)),)
    assert finds("東", "関東")
    assert finds("東", "東京")
    assert not finds("東", "大阪")


def test_a_pasted_page_asks_with_its_first_words_and_says_how_many_were_left_out() -> None:
    page = " ".join(f"zqword{number}x" for number in range(5_000))
    assert len(page) < 100_000
    found = parse(page)
    assert len(found.text.any) == MAX_WORDS
    assert found.clipped > 0
    assert found.text.any[0].term.startswith("zqword0")


def test_a_query_of_a_hundred_thousand_characters_is_answered() -> None:
    assert asked("deploy " * 15_000) == ["deploy"]
    assert len(asked("x" * 100_000)) == 1
    assert asked("deploy " + "*" * 100_000) == ["deploy"]
    assert asked("deploy " + '"' * 100_000) == ["deploy"]


# ------------------------------------------------------------------ phrases


def test_a_phrase_must_occur_in_its_order() -> None:
    assert finds('"dead letter"', "the dead letter queue")
    assert not finds('"dead letter"', "a letter, dead")


def test_a_phrase_is_found_as_it_was_written() -> None:
    assert finds('"was deployed"', "it was deployed")
    assert not finds('"was deployed"', "it was deploying")


def test_a_phrase_of_stop_words_is_found() -> None:
    assert finds('"to be"', "not to be missed")
    assert not finds('"to be"', "be to me")


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("東京都", "これは東京都庁です"),
        ("東京 tower", "the 東京 tower at night"),
        ("한국어를 배우다", "저는 한국어를 배우다 왔다"),
        ("日本 語学", "日本 語学"),
        ("iPhoneを買う", "昨日iPhoneを買う約束"),
    ],
)
def test_a_phrase_in_a_script_without_spaces_is_found_where_it_occurs(
    phrase: str, text: str
) -> None:
    assert finds(f'"{phrase}"', text)


def test_a_phrase_may_be_a_single_compound() -> None:
    assert finds('"src/main.py"', "look at src/main.py first")
    assert not finds('"src/main.py"', "look at main.py in src")


@pytest.mark.parametrize(
    "query", ['deploy "', '"deploy', 'deploy ""', '""deploy', 'de"ploy deploy']
)
def test_a_quote_without_its_partner_is_harmless(query: str) -> None:
    assert finds(query, "we deploy on Friday")


# ------------------------------------------------------------------ exclusions


def test_an_excluded_word_must_not_occur() -> None:
    assert finds("deploy -friday", "deploy on monday")
    assert not finds("deploy -friday", "deploy on Fridays")


def test_an_excluded_phrase_must_not_occur() -> None:
    assert finds('deploy -"on friday"', "deploy friday on")
    assert not finds('deploy -"on friday"', "deploy on friday")


def test_an_excluded_prefix_must_not_occur() -> None:
    assert not finds("deploy -fri*", "deploy on friday")
    assert finds("deploy -fri*", "deploy on monday")


@pytest.mark.parametrize("query", ["minus -5", "minus --5", "minus -5.5"])
def test_a_negative_number_is_a_word(query: str) -> None:
    assert parse(query).text.never == ()
    assert finds(query, "5 degrees, or 5.5")


def test_a_flag_is_a_word() -> None:
    assert parse("git push --force").text.never == ()
    assert finds("--force", "git push --force")


@pytest.mark.parametrize("query", ["deploy - friday", "deploy -", "- deploy", "deploy -- friday"])
def test_a_dash_alone_is_nothing(query: str) -> None:
    assert parse(query).text.never == ()
    assert finds(query, "deploy on friday")


def test_a_dash_inside_a_word_is_not_an_exclusion() -> None:
    assert parse("follow-up").text.never == ()
    assert parse('"a"-b').text.never == ()


def test_excluding_one_character_excludes_every_word_that_has_it() -> None:
    assert not finds("夜景 -東", "東京の夜景")


def test_excluding_a_run_excludes_only_where_all_of_it_occurs() -> None:
    assert finds("夜景 -東京駅", "東京都の夜景")
    assert not finds("夜景 -東京駅", "東京駅の夜景")


# ------------------------------------------------------------------ prefixes


def test_a_prefix_finds_every_word_that_begins_so() -> None:
    assert parse("chat-send*").text.any == (Clause("prefix", ("chat-send",)),)
    assert finds("chat-send*", "run chat-send-all now")
    assert finds("deplo*", "the deployment")
    assert not finds("deplo*", "undeployed")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Café*", "a cafeteria"),
        ("getUser*", "call getUserName"),
        ("(deplo*", "the deployment"),
        ("東京*", "東京都"),
        ("東京都*", "東京都庁"),
        ("don't*", "I don't know"),
        ("don’t*", "I don't know"),
        ("a´b*", "a´b"),
    ],
)
def test_a_prefix_is_folded_as_the_text_is(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize("query", ["**bold**", "*bold*", "**bold** strategy", "***bold***"])
def test_markdown_emphasis_is_not_in_the_way(query: str) -> None:
    assert finds(query, "a bold move")


def test_a_star_alone_is_nothing() -> None:
    assert asked("deploy * friday") == ["deploy", "friday"]


@pytest.mark.parametrize("prefix", ["the", "in", "do", "im"])
def test_a_prefix_that_is_a_stop_word_is_still_a_prefix(prefix: str) -> None:
    assert Clause("prefix", (prefix,)) in parse(f"{prefix}* deployment").text.any


# ------------------------------------------------------------------ filters


@pytest.mark.parametrize(
    ("query", "limits"),
    [
        ("deploy path:runbooks", (("paths", "runbooks"),)),
        ("kind:note deploy", (("kinds", "note"),)),
        ("deploy source:vault now", (("sources", "vault"),)),
        ('deploy path:"my notes/a b.md"', (("paths", "my notes/a b.md"),)),
        ("KIND:note Path:a deploy", (("kinds", "note"), ("paths", "a"))),
        ("kind:note kind:session deploy", (("kinds", "note"), ("kinds", "session"))),
        ("deploy\nkind:note", (("kinds", "note"),)),
        ("path:src/**/*.py deploy", (("paths", "src/**/*.py"),)),
    ],
)
def test_a_filter_limits_and_is_not_a_word(query: str, limits: tuple[tuple[str, str], ...]) -> None:
    found = parse(query)
    assert found.limits == limits
    assert "deploy" in found.content
    assert not {"path", "kind", "sourc", "note"} & set(found.content)


@pytest.mark.parametrize(
    "query", ["deploy path:", "deploy xpath:a", "deploy owner:ann", 'kind:"" a']
)
def test_what_only_looks_like_a_filter_is_words(query: str) -> None:
    assert parse(query).limits == ()


@pytest.mark.parametrize("key", ["ſource", "kınd", "KİND"])
def test_a_letter_that_only_resembles_a_key_is_harmless(key: str) -> None:
    assert "deploy" in parse(f"{key}:note deploy").content


def test_repeated_filters_widen_each_other() -> None:
    found = parse("kind:note kind:session path:a deploy").narrowed(Filter())
    assert found == Filter(kinds=("note", "session"), paths=("a",))


def test_what_the_caller_set_wins_over_the_query() -> None:
    given_ = Filter(kinds=("session",), owner="ann")
    found = parse("kind:note source:vault deploy").narrowed(given_)
    assert found == Filter(kinds=("session",), sources=("vault",), owner="ann")


def test_a_limit_that_lets_nothing_through_is_not_widened() -> None:
    assert parse("kind:note deploy").narrowed(Filter(kinds=())) == Filter(kinds=())


def test_a_query_without_filters_leaves_the_limits_as_they_are() -> None:
    limits = Filter(owner="ann")
    assert parse("deploy").narrowed(limits) == limits


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("", "empty"),
        ("   \n\t", "empty"),
        ("\x00", "empty"),
        ("-friday", "only excludes"),
        ('-"on friday" -monday', "only excludes"),
        ("-friday kind:note", "only excludes"),
        ("kind:note", "only has filters"),
        ('path:"a b" source:c', "only has filters"),
        ("?!", "no word"),
        ("-", "no word"),
        ('""', "no word"),
        (string.punctuation.replace("_", ""), "no word"),
    ],
)
def test_a_query_that_asks_for_nothing_is_refused(query: str, about: str) -> None:
    with pytest.raises(QueryError, match=about) as refused:
        parse(query)
    assert refused.value.hint


def test_who_only_limits_is_told_how_to_list_what_they_let_through() -> None:
    with pytest.raises(QueryError) as refused:
        parse('issue:OPS-12 path:"my notes"')
    assert '`recollect list --issue OPS-12 --path "my notes"`' in refused.value.hint


# ------------------------------------------------------------------ what is safe


@pytest.mark.parametrize("mark", string.punctuation)
def test_no_punctuation_mark_is_in_the_way(mark: str) -> None:
    for query in (f"word {mark} river", f"word {mark}{mark} river", f"word{mark} river"):
        assert finds(query, "a word here")
        assert finds(query, "the river here")
        assert parse(query).text.never == ()


@pytest.mark.parametrize(
    "query",
    [
        "why does foo(bar) AND NOT baz?",
        "a OR b NEAR/3 c",
        "title:deploy^2~ [a TO b] {x}",
        "SELECT * FROM t; DROP TABLE deploy; --",
        r"C:\Users\deploy \d+ (?P<x>",
    ],
)
def test_the_syntax_of_other_languages_is_words(query: str) -> None:
    found = parse(query)
    assert (found.text.must, found.text.never, found.limits) == ((), (), ())


def test_a_nul_separates_words() -> None:
    assert asked("left\x00right") == ["left", "right"]
    assert "\x00" not in parse("left\x00right").prose


@pytest.mark.parametrize("query", ["caf\udce9 deploy", "deploy \udce9x*", 'deploy "\udce9"'])
def test_a_query_with_bytes_that_were_not_text_can_be_passed_on(query: str) -> None:
    found = parse(query)
    for text in (found.prose, *(t for c in found.text.any for t in c.terms)):
        text.encode("utf-8")


@settings(deadline=None, max_examples=300)
@given(QUERY_LIKE)
def test_every_text_is_parsed_or_refused(query: str) -> None:
    try:
        found = parse(query)
    except QueryError:
        return
    assert isinstance(found, Parsed)
    assert found.text.any or found.text.must


@settings(deadline=None, max_examples=300)
@given(QUERY_LIKE)
@example("a´b*")
def test_no_term_of_a_query_is_empty_or_has_white_space(query: str) -> None:
    try:
        text = parse(query).text
    except QueryError:
        return
    for clause in (*text.any, *text.must, *text.never):
        assert all(term and not any(c.isspace() for c in term) for term in clause.terms)


@settings(deadline=None)
@given(st.text(string.ascii_letters + string.digits + " .,;:!?'()/", min_size=1, max_size=60))
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    try:
        assert finds(text, text)
    except QueryError:
        assert not any(c.isalnum() for c in text)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("who owns dash?", ("own", "dash")),
        ("who is Tom's son?", ("tom", "son")),
        ("how did the war end?", ("war", "end")),
        ("what is our own plan?", ("plan",)),
        ("Wann war die Sitzung?", ("sitzung",)),
        ("Where does the user live?", ("live",)),
        ("What is the user’s favourite tea?", ("favourit", "tea")),
        ("Was trinkt der Nutzer morgens?", ("trinkt", "morgen")),
        ("¿Qué té bebe el usuario?", ("te", "bebe")),
        ("Who is the user?", ("user",)),
        ("is the user service up?", ("user", "servic")),
        ("how many users does the user table have?", ("mani", "user", "tabl")),
    ],
)
def test_a_word_of_grammar_is_one_as_it_is_typed_and_in_its_language(
    question: str, content: tuple[str, ...]
) -> None:
    assert parse(question).content == content
