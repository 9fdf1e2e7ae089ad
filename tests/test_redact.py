"""Secrets leave the text, and nothing else does."""

from __future__ import annotations

import os
import re
import tomllib
from base64 import urlsafe_b64encode
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from bench.redaction import measured
from hypothesis import given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect import Memory
from recollect.testing.builders import note
from recollect.text.redact import redact

RULES: list[dict[str, Any]] = tomllib.loads(
    (files("recollect.text") / "secrets.toml").read_text("utf-8")
)["rule"]


def plain(example: str) -> str:
    return re.sub("[«»·]", "", example)


SECRETS = [(rule["name"], example) for rule in RULES for example in rule["secrets"]]
OTHERS = [(rule["name"], plain(example)) for rule in RULES for example in rule["others"]]
BY_SHAPE = [  # told by what they look like, wherever they are
    plain(example[example.index("«") : example.index("»")])
    for name, example in SECRETS
    if name.endswith(("-token", "-key", "jwt"))
    and name not in ("aws-secret-key", "aws-temporary-key", "azure-key", "bearer-token")
    and not name.startswith(("discord", "telegram"))
]
BASE64 = "MIIEpAIBAAKCAQEA7bq0mV2x3n9fQ1vZ8yJ4s6u0pLrTgHkWcXeYdAoBiNfMjSlC+/"
GITHUB = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize(("name", "example"), SECRETS)
def test_a_secret_is_replaced_by_the_name_of_its_rule_and_the_rest_is_kept(
    name: str, example: str
) -> None:
    marked = re.sub("«.*?»", f"[redacted:{name}]", example.replace("·", ""), flags=re.DOTALL)
    assert redact(plain(example)) == (marked, {name: 1})


@pytest.mark.parametrize(("name", "example"), OTHERS)
def test_what_only_looks_like_a_secret_is_kept(name: str, example: str) -> None:
    found = redact(example)
    assert found.text is example, f"{name}: {found.text}"
    assert found.counts == {}


@pytest.mark.parametrize("rule", RULES, ids=[rule["name"] for rule in RULES])
def test_a_rule_says_what_it_is_and_has_examples_of_both_kinds(rule: dict[str, Any]) -> None:
    assert rule["description"]
    assert rule["secrets"]
    assert rule["others"]


@pytest.mark.parametrize(
    "text",
    [
        "fixed in 4c4f8fd, see commit 4c4f8fd775c61ad8cfb07b4da244b07000c89edc",
        "sha256:c2e836bccb66e691de3ae867f48eb228c0d52d898314c5348807456e099e741d",
        "session c94c863c-02e0-474e-b6d9-acb816f7fc55 (MD5 5f4dcc3b5aa765d61d8327deb882cf99)",
        f'"integrity": "sha512-{BASE64[:64]}7LhbZVGedAJv8XZ1tvj5FQ=="',
        "h1:K4uyk7z7BCEPqu6E+C64Yfv1cQ7kz7rIZviUmN+EgEM=",
        "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@home",
        'WWW-Authenticate: Bearer realm="shop1", error="invalid_token_2"',
        "the secret of good tea is 4 minutes at 90C; the key to it is Assam2",
        "def token(self, password: str = '', *, secret_key: bytes | None = None) -> str: ...",
        "max_tokens=4096, token_count = 1024, input_tokens: 87428",
        "see https://example.org:8080/a/b?x=1#c and mail ada@example.org",
        "",
    ],
)
def test_hashes_identifiers_prose_and_code_are_kept(text: str) -> None:
    assert redact(text).text is text


@pytest.mark.parametrize("secret", BY_SHAPE)
@pytest.mark.parametrize(
    "around",
    ['"{}"', "'{}'", "`{}`", "({})", "<{}>", "{}, then", "é{}…", "\n{}\n", "x={}&y", '\\"{}\\"'],
)
def test_a_token_is_found_whatever_is_around_it(secret: str, around: str) -> None:
    found = redact(around.format(secret))
    assert secret not in found.text
    before, after = around.split("{}")
    assert found.text.startswith(before)
    assert found.text.endswith(after)


def test_secrets_are_counted_by_rule() -> None:
    text = f"password=hunter2hunter2 {GITHUB}\nDB_PASSWORD: summer2024\n"
    assert redact(text) == (
        "password=[redacted:password] [redacted:github-token]\nDB_PASSWORD: [redacted:password]\n",
        {"password": 2, "github-token": 1},
    )


def test_a_value_of_known_shape_has_the_name_of_its_shape() -> None:
    assert redact(f"API_TOKEN={GITHUB}").counts == {"github-token": 1}


def test_a_secret_inside_a_secret_value_takes_the_whole_value_with_it() -> None:
    assert redact(f'secret="prefix9-{GITHUB}"').text == 'secret="[redacted:github-token]"'


def test_a_private_key_cut_off_anywhere_leaves_no_line_of_itself() -> None:
    lines = ["MIIEpAIBAAKCAQEA7bq0mV2x3n9fQ1vZ8yJ4s6u0pLrTgHkWcXeYdAoBiNfMjSlC"] * 4
    key = "\n".join(
        ["-----BEGIN " + "PRIVATE KEY-----", *lines, "Zm9v", "-----END PRIVATE KEY-----"]
    )
    for end in range(key.index("MII") + 20, len(key) + 1):
        assert "MII" not in redact("here:\n" + key[:end]).text


def test_text_after_a_private_key_that_was_cut_off_is_kept() -> None:
    key = "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq0mV2x3n9fQ1vZ8yJ4s6u0pLrT\n"
    assert (
        redact(key + "And then we went home.").text
        == "[redacted:private-key]\nAnd then we went home."
    )


def test_a_header_that_nests_too_deeply_for_json_is_no_token() -> None:
    header = urlsafe_b64encode(b'{"a":' + b"[" * 30_000).decode().rstrip("=")
    text = f"{header}.{'b' * 20}.{'c' * 20}"
    assert redact(text).text is text


PIECES = st.one_of(
    st.sampled_from([plain(example) for _, example in SECRETS]),
    st.sampled_from(
        [plain(example[example.index("«") : example.index("»")]) for _, example in SECRETS]
    ),
    st.sampled_from([example for _, example in OTHERS]),
    st.sampled_from("password= token: secret=' api_key=\" pwd ://u: @h/ eyJ -----BEGIN".split()),
    st.sampled_from(" |\n|\\n|\\|'|\"|=|:|,| is |[|]|[redacted:x]|é".split("|")),
    st.text(max_size=12),
)


@given(st.lists(st.tuples(PIECES, st.integers(0, 200))))
def test_redacting_twice_is_redacting_once(pieces: list[tuple[str, int]]) -> None:
    once = redact("".join(piece[:length] for piece, length in pieces))
    twice = redact(once.text)
    assert twice.text is once.text
    assert twice.counts == {}


@given(st.text())
def test_any_text_at_all_can_be_redacted(text: str) -> None:
    found = redact(text)
    assert (found.text is text) == (not found.counts)


@pytest.mark.parametrize("start", ["", "password=", "-----BEGIN " + "PRIVATE KEY-----\n", "://a:"])
@pytest.mark.parametrize(
    "unit",
    [
        "a", "K", "-", "_", ".", "\\", '"', " ", "\n", BASE64, BASE64 + "\n", "eyJ", "eyJaaaaaaaa.",
        "token=", 'token="', "token='a1 ", "password: ", "password\\", "password=a1b2c3 =",
        "-----BEGIN " + "PRIVATE KEY-----\n", "://a:b", "://a:b@", "sk-", GITHUB,
        "Authorization: Bearer ", "api_key is ", ".aaaaaa.", "12345678:AA", "password=aA",
        "secret key " + BASE64[:40], "AccountKey=" + (BASE64 * 2)[:86] + "==",
    ],
)  # fmt: skip
def test_no_text_takes_more_than_linear_time(start: str, unit: str) -> None:
    text = start + unit * (100_000 // len(unit))
    with processor_seconds(5):  # a tenth of a second is usual; squared it is hours
        redact(text)


def test_secrets_of_ninety_kinds_go_and_what_looks_like_them_stays() -> None:
    """The half that the rules were written by; ``python -m bench.redaction --kept`` reads the
    other."""
    counts, wrong = measured(kept=False)
    assert counts["secret taken"] >= 0.97 * counts["secret"] > 180, wrong[:5]
    assert counts["alike taken"] <= 0.005 * counts["alike"], wrong[:5]


def test_a_secret_in_a_question_is_nowhere_kept(tmp_path: Path) -> None:
    os.environ["RECOLLECT_CAPTURE"] = "true"
    try:
        with Memory.open(tmp_path / "store", embed_model="none", rerank_model="none") as memory:
            memory.put([note("a", "the deploy token is in the vault")])
            asked = f"is the deploy token {GITHUB} still valid?"
            found = memory.search(asked)
            assert found.results
            assert memory.record_answer(asked, f"yes, {GITHUB} is", found.fingerprint).recorded
            memory.gather(asked)
            assert memory.search(asked).answer is not None
            fact = memory.remember(f"The key is {GITHUB}", name=f"key {GITHUB}", aliases=[GITHUB])
            assert GITHUB[4:20].lower() not in fact.fact.id
            assert memory.remember(f"It was {GITHUB}").fact.id.startswith("it-was-redacted")
    finally:
        del os.environ["RECOLLECT_CAPTURE"]
    kept = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert {"record.db", "cache.db", "captured.jsonl"} <= {p.name for p in kept}
    assert not [p for p in kept if GITHUB.encode() in p.read_bytes()]
