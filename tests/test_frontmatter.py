"""The header of a note is read as it was meant, whatever it is; links and tags are found."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect.text.frontmatter import MAX_DEPTH, split, tags, wikilinks


def fields(header: str, fence: str = "---") -> dict[str, Any]:
    text = f"{fence}\n{header}\n{fence}\nThe body."
    found, body = split(text)
    assert text[body:] == "The body."
    return dict(found)


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain words", "plain words"),
        ("'it''s # one'", "it's # one"),
        (r'"a \"b\" \u00e9 \n c"', 'a "b" é \n c'),
        (r'"\ud83d\ude00"', "😀"),
        (r'"C:\docs"', r"C:\docs"),
        ("a word # a comment", "a word"),
        ("a#b", "a#b"),
        ("Half a title: the other half", "Half a title: the other half"),
        ("https://example.org/a#b", "https://example.org/a#b"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        ("42", 42),
        ("-1.5", -1.5),
        ("007", "007"),
        ("1e999999.0", "1e999999.0"),
        (".nan", ".nan"),
        ("9" * 5000, "9" * 5000),
        ("true", True),
        ("no", "no"),
        ("null", None),
        ("~", None),
        ("", None),
        ("# only a comment", None),
        ("[a, 'b, c', 3, null]", ["a", "b, c", 3, None]),
        ("[]", []),
        ("{a: 1, b: [x, y]}", {"a": 1, "b": ["x", "y"]}),
        ('{"a":1}', {"a": 1}),
        ("[[A page]]", "[[A page]]"),
        ("[[[A]], [[B|b]]]", ["[[A]]", "[[B|b]]"]),
        ("[[1, 2], [3]]", [[1, 2], [3]]),
    ],
)
def test_a_value_is_what_yaml_says_it_is(written: str, value: Any) -> None:
    assert fields(f"key: {written}\nafter: 1") == {"key": value, "after": 1}


@pytest.mark.parametrize(
    "written",
    ["*alias", "&anchor x", "!tag x", "'open", '"open', "[open", "{{ template }}", "[a [b]]",
     "'it's'", "{a, b: ]", "[a]: b"],
)  # fmt: skip
def test_what_is_not_understood_is_kept_as_it_is_written(written: str) -> None:
    assert fields(f"key: {written}\nafter: 1") == {"key": written, "after": 1}


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("key: |\n  one\n    two\n\n  three\n", "one\n  two\n\nthree\n"),
        ("key: |-\n  # no comment\n  two\n", "# no comment\ntwo"),
        ("key: >\n  one\n  two\n\n  three\n", "one two\nthree\n"),
        ("key: >-\n  one\n    kept\n  two", "one\n  kept\ntwo"),
        ("key: one\n  two\n\n  three", "one two\nthree"),
        ('key: "one\n  two\\\n  three"', "one twothree"),
        ("key:\n  - a\n  - b # the second\n", ["a", "b"]),
        ("key:\n- a\n- 'b: c'\n", ["a", "b: c"]),
        ("key:\n  - name: a\n    age: 3\n  - name: b", [{"name": "a", "age": 3}, {"name": "b"}]),
        ("key:\n  - - a\n    - b\n  - c", [["a", "b"], "c"]),
        ("key:\n  - *odd\n  - fine", ["*odd", "fine"]),
        ("key:\n  inner:\n    deep: 1\n  other: two", {"inner": {"deep": 1}, "other": "two"}),
        ("key: [\n  a, # first\n  b,\n]", ["a", "b"]),
        ("key:\n\t- a\n\t- b", ["a", "b"]),
        ("key:\n  just\n  text", "just text"),
        ("key:\n  # nothing", None),
    ],
)
def test_a_value_may_take_many_lines(header: str, value: Any) -> None:
    assert fields(header + "\nafter: 1") == {"key": value, "after": 1}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Date Created: x", {"Date Created": "x"}),
        ('"quoted: key": x', {"quoted: key": "x"}),
        ("kéy-1.2/3: x", {"kéy-1.2/3": "x"}),
        ("a: 1\na: 2", {"a": 2}),
        ("# comment\n\na: 1\n\n# comment\nb: 2", {"a": 1, "b": 2}),
        ("title: One\nthis line is nothing\ndate: x", {"title": "One", "date": "x"}),
        ("  a: 1\n  b: 2", {"a": 1, "b": 2}),
        ("url:x\n", {}),
    ],
)
def test_keys_are_found_and_strays_passed_over(header: str, expected: dict[str, Any]) -> None:
    text = f"---\n{header}\n---\n"
    assert split(text) == (expected, len(text) if expected else 0)


@pytest.mark.parametrize(
    ("written", "listed"),
    [("[a, '#b']", ["a", "b"]), ("a, b", ["a", "b"]), ("a b", ["a", "b"]), ("one", ["one"]),
     ("[2024, null]", ["2024"]), ("\n  - a/b\n  - c", ["a/b", "c"])],
)  # fmt: skip
def test_tags_are_a_list_however_they_are_written(written: str, listed: list[str]) -> None:
    assert fields(f"tags: {written}")["tags"] == listed


def test_an_alias_may_have_spaces() -> None:
    assert fields("aliases: The other name, One more")["aliases"] == ["The other name", "One more"]


# ------------------------------------------------------------------ where it begins and ends


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_body_begins_after_the_header(newline: str, mark: str) -> None:
    text = mark + newline.join(["---", "title: One", "tags:", "  - a", "---", "Body"])
    assert split(text) == ({"title": "One", "tags": ["a"]}, len(text) - 4)


@pytest.mark.parametrize(
    "text",
    ["", "No header.", "---", "---\ntitle: never closed\n", "--- title: x\n---\n",
     "\n---\ntitle: x\n---\n", "---\nText between rules.\n---\n", "+++\nnothing\n+++\n",
     ";;;\na: 1\n;;;\n", "---\n- a list\n---\n"],
)  # fmt: skip
def test_what_is_no_header_is_body(text: str) -> None:
    assert split(text) == ({}, 0)


@pytest.mark.parametrize("text", ["---\n---\nBody", "---\n\n---\nBody", "---\n# none\n...\nBody"])
def test_a_header_may_be_empty(text: str) -> None:
    assert split(text) == ({}, len(text) - 4)


def test_toml_between_pluses_is_read_with_dates_as_text() -> None:
    header = 'title = "One"\ndate = 2024-05-01T10:00:00Z\nday = 2024-05-01\ntags = ["a"]\nx = nan\n'
    assert fields(header + "[extra]\ndeep = 1", "+++") == {
        "title": "One", "date": "2024-05-01T10:00:00+00:00", "day": "2024-05-01", "tags": ["a"],
        "x": "nan", "extra": {"deep": 1},
    }  # fmt: skip


def test_of_broken_toml_the_good_lines_are_read() -> None:
    header = 'title = "One"\nbad = [1,\nalso bad\ndraft = true'
    assert fields(header, "+++") == {"title": "One", "bad": "[1,", "draft": True}


# ------------------------------------------------------------------ whatever the text


def dumped(value: Any, indent: int, *, flow: bool) -> str:
    """YAML of a value, in brackets or in blocks below its key."""
    if isinstance(value, dict) and value and not flow:
        rows = (f"{json.dumps(k)}:{dumped(v, indent + 2, flow=flow)}" for k, v in value.items())
        return "".join("\n" + " " * indent + row for row in rows)
    if isinstance(value, list) and value and not flow:
        return "".join(f"\n{' ' * indent}-{dumped(v, indent + 2, flow=True)}" for v in value)
    return " " + json.dumps(value)


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.decimals(-1000, 1000, places=3).map(float)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=10).filter(
    lambda key: key not in ("tags", "aliases")
)
maps = st.dictionaries(
    keys,
    scalars | st.lists(scalars, max_size=4) | st.dictionaries(keys, scalars, max_size=3),
    min_size=1,
    max_size=5,
)


@given(maps, st.booleans())
def test_a_map_comes_back_as_it_was_written(value: dict[str, Any], flow: bool) -> None:
    rows = [f"{json.dumps(k)}:{dumped(v, 2, flow=flow)}" for k, v in value.items()]
    assert fields("\n".join(rows)) == value


pieces = st.sampled_from(
    ["---", "+++", "...", "\n", "\n", "\r", " ", "  ", "\t", "key", ":", ": ", "- ", "-", "#", " #",
     "'", '"', "\\", "[", "]", "[[", "]]", "{", "}", ",", "|", ">", "|-", ">2", "&a", "*a", "!",
     "1", "é", "\ufeff", "\u2028", "\0", "`", "```", "~~~", "= ", "true", "tags", "\\ud800"]
)  # fmt: skip


@given(st.lists(pieces, max_size=40).map("".join) | st.text(), st.sampled_from(["---", "+++"]))
def test_nothing_raises_and_every_value_is_json(text: str, fence: str) -> None:
    for whole in (text, f"{fence}\n{text}\n{fence}\n", f"{fence}\na: {text}\n{fence}\n"):
        found, body = split(whole)
        assert 0 <= body <= len(whole)
        json.dumps(found, allow_nan=False).encode()
        assert all(isinstance(name, str) for name in (*wikilinks(whole), *tags(whole)))


@pytest.mark.parametrize("opened", ["[", "{a: ", "- ", "[[", "\n a:", "a: &x "])
def test_nesting_without_end_is_kept_as_text(opened: str) -> None:
    found, _ = split(f"---\nkey: {opened * 5000}\nafter: 1\n---\n")
    assert found["after"] == 1


def test_the_deepest_list_that_is_read_is_a_list_and_a_deeper_one_is_text() -> None:
    deep = "[1, " * MAX_DEPTH + "2" + "]" * MAX_DEPTH
    assert isinstance(fields(f"key: {deep}")["key"], list)
    assert fields(f"key: [0, {deep}]")["key"] == f"[0, {deep}]"


@pytest.mark.parametrize(
    "piece", [" ", "#", " #", "'", '"', "\\", ": ", "a: ", "- ", "[", "[[", ",", "`", "` ", "``` ",
              "x\n", "\n", "-\n", "a:\n", " a:\n", "|\n", "#a", "[[a]]", "```\n"],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    many = piece * (40_000 // len(piece))
    texts = (many, f"---\na: {many}\n---\n", f"---\n{many}\n---\n", f"+++\n{many}\n+++\n")
    with processor_seconds(5):
        for text in texts:
            split(text)
            wikilinks(text)
            tags(text)


# ------------------------------------------------------------------ links and tags


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("[[Page]] and [[Page]] again", ["Page"]),
        ("[[Page|shown]] [[Other page#A heading]] [[Third#^block|x]]",
         ["Page", "Other page", "Third"]),
        ("![[picture.png]]", ["picture.png"]),
        ("| [[A\\|b]] |", ["A"]),
        ("[[#only a heading]] [[]] [[ -f x ]]", []),
        ("`[[code]]` and ``a ` [[code]]`` but [[text]]", ["text"]),
        ("```\n[[code]]\n```\n[[text]]", ["text"]),
        ("~~~sh\n[[code]]\n```\n[[code]]\n~~~\n[[text]]", ["text"]),
        ("Text\n\n    [[code]]\n", []),
        ("- item\n\n    [[still the item]]\n", ["still the item"]),
        ("```\n[[never closed]]", []),
        (r"\[[escaped]]", []),
    ],
)  # fmt: skip
def test_links_are_found_outside_code(text: str, pages: list[str]) -> None:
    assert wikilinks(text) == tuple(pages)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#one text #two/three, (#four)", ["one", "two/three", "four"]),
        ("#Ünï-cøde #日本", ["Ünï-cøde", "日本"]),
        ("#Same and #same", ["Same"]),
        ("#y2024 #2024-plan #e2e #bad", ["y2024", "2024-plan", "e2e", "bad"]),
        ("# Heading\n## Heading\n##no", []),
        ("#1 #123 repo#12 a#b", []),
        ("#fff #FFF #a1b2c3 #00ff0080 #aabbcc", []),
        ("https://x.org/#part [here](#part) <a href=\"#part\">", []),
        ("`#code`\n```\n#code\n```\n", []),
        ("C# and F#", []),
    ],
)  # fmt: skip
def test_tags_are_told_from_what_only_looks_like_them(text: str, found: list[str]) -> None:
    assert tags(text) == tuple(found)
