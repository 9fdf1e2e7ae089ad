"""Secrets of many kinds and texts that only look like them: how many are taken out of each.

    python -m bench.redaction            the open half
    python -m bench.redaction --kept     the half that no rule was written by

Nothing here is a secret: every value is drawn by a seeded generator from the alphabet of its kind
(``{A36}``: 36 letters and digits), so that no text in the repository looks like a leak. The kinds
and their notations were written before the rules. Of each kind every second notation is kept.
"""

from __future__ import annotations

import random
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from bench import asked
from recollect.text.redact import redact

TIMES = {True: 2, False: 5}
"""How many of each notation there are, of secrets and of look-alikes."""
_ALPHABETS = {
    "A": ascii_letters + digits, "h": digits + "abcdef", "H": digits + "ABCDEF",
    "u": ascii_uppercase + digits, "l": ascii_lowercase + digits, "d": digits,
    "b": ascii_letters + digits + "+/", "w": ascii_letters + digits + "_-", "c": ascii_lowercase,
    "z": ascii_uppercase + "234567", "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}  # fmt: skip
_FIELD = re.compile(r"\{(?:([A-Za-z])(\d+)|basic|uuid|snowflake)\}")
_AROUND = ("export KEY_FILE_ENTRY={}", "use {} until friday", "log: auth with {} failed", '["{}"]')
"""Where a token stands that is told by its shape."""

SHAPED = {
    "github": "ghp_{A36}", "github-fine": "github_pat_{A22}_{A59}", "github-app": "ghs_{A36}",
    "gitlab": "glpat-{w20}", "aws-id": "AKIA{z16}", "google-api": "AIza{w35}",
    "google-oauth": "GOCSPX-{w28}", "anthropic": "sk-ant-api03-{w93}AA",
    "openai": "sk-proj-{A74}T3BlbkFJ{A74}", "slack-bot": "xoxb-{d12}-{d13}-{A24}",
    "slack-short": "xoxb-{d6}-{A14}", "slack-app": "xapp-1-A{u10}-{d13}-{h64}",
    "discord": "{snowflake}.G{w5}.{w38}", "telegram": "{d10}:AA{w33}", "stripe": "sk_live_{A24}",
    "stripe-restricted": "rk_live_{A24}", "twilio": "SK{h32}", "sendgrid": "SG.{w22}.{w43}",
    "npm": "npm_{A36}", "pypi": "pypi-AgEIcHlwaS5vcmc{w90}", "huggingface": "hf_{A34}",
    "digitalocean": "dop_v1_{h64}", "shopify": "shpat_{h32}", "groq": "gsk_{A52}",
    "linear": "lin_api_{A40}", "supabase": "sbp_{h40}", "grafana": "glsa_{A32}_{h8}",
    "replicate": "r8_{A37}", "postman": "PMAK-{h24}-{h34}", "tailscale": "tskey-auth-{A12}-{A32}",
    "perplexity": "pplx-{A48}", "xai": "xai-{A80}", "age": "AGE-SECRET-KEY-1{q58}",
    "vault": "hvs.{w92}", "vault-batch": "hvb.{w140}", "vault-short": "hvs.{A24}",
    "terraform": "{A14}.atlasv1.{w67}", "airtable": "pat{A14}.{h64}", "databricks": "dapi{h32}",
    "newrelic": "NRAK-{u27}", "newrelic-licence": "{h36}NRAL", "atlassian": "ATATT3{w180}={H8}",
    "bitbucket": "ATBB{A32}{H8}", "square": "sq0atp-{w22}", "square-secret": "sq0csp-{w43}",
    "planetscale": "pscale_tkn_{w43}", "planetscale-password": "pscale_pw_{w43}",
    "sentry-org": "sntrys_{A90}_{w43}", "sentry-user": "sntryu_{h64}", "mailgun": "key-{h32}",
    "mailchimp": "{h32}-us21", "dropbox": "sl.B{w138}", "figma": "figd_{w40}",
    "notion": "ntn_{A46}", "doppler": "dp.pt.{A43}", "fly": "fo1_{w43}", "heroku": "HRKU-AA{w58}",
    "pulumi": "pul-{h40}", "rubygems": "rubygems_{h48}", "docker-pat": "dckr_pat_{w27}",
    "otp": "otpauth://totp/shop:ada?secret={z32}",
}  # fmt: skip
"""Kinds that are told by what they look like; of each, the whole is the secret."""

NAMED = {
    "aws-secret": ("aws_secret_access_key = «{b40}»", '"SecretAccessKey": "«{b40}»"'),
    "azure": ("AccountKey=«{b86}==»;Endpoint=x", "Protocol=https;AccountKey=«{b86}==»"),
    "slack-hook": ("https://hooks.slack.com/services/«T{u10}/B{u10}/{A24}»",
                   "curl https://hooks.slack.com/services/«T{u8}/B{u8}/{A24}»"),
    "jwt": ("token «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{w43}»",
            "got «eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.{w86}» back"),
    "url": ("postgres://ada:«{A12}»@db.internal/shop", "amqp://svc:«{A16}»@queue:5672/%2f"),
    "basic": ("Authorization: Basic «{basic}»", "-H 'authorization: Basic «{basic}»'"),
    "bearer": ("Authorization: Bearer «{w40}»", '"Authorization": "Bearer «{A32}»"'),
    "option": ("deploy --password «{A12}» --now", "tool --api-key «{A24}» run"),
    "password": ("DB_PASSWORD=«{A12}»", "password: «{A14}»"),
    "api-key": ("API_KEY=«{A32}»", '{"apiKey": "«{w32}»"}'),
    "client-secret": ("client_secret=«{w40}»", "OAUTH_CLIENT_SECRET: «{A32}»"),
    "netrc": ("machine api.example.org login ada password «{A14}»",
              "machine git.example.org\n  login ada\n  password «{A16}»\n"),
    "docker-auth": ('"auths": {"registry.io": {"auth": "«{basic}»"}}',
                    '{\n "https://index.docker.io/v1/": {\n  "auth": "«{basic}»"\n }\n}'),
    "pgpass": ("db.internal:5432:shop:ada:«{A12}»", "localhost:5433:*:postgres:«{A14}»\n"),
    "sshpass": ("sshpass -p '«{A12}»' ssh ada@host", "sshpass -p «{A10}» scp a b:"),
    "cookie": ("Cookie: sessionid=«{l32}»; theme=dark", "curl -b 'PHPSESSID=«{l26}»' url"),
    "set-cookie": ("Set-Cookie: session=«{w48}»; HttpOnly; Path=/",
                   "set-cookie: connect.sid=«s%3A{w32}.{A43}»; Path=/"),
    "session-id": ("session_id=«{h32}»", "JSESSIONID=«{H32}»"),
    "wifi-psk": ('psk="«{A12}»"', 'network={ ssid="home" psk="«{w14}»" }'),
    "wifi-code": ("WIFI:S:Home;T:WPA;P:«{A12}»;;", "WIFI:T:WPA2;S:cafe;P:«{A10}»;H:false;;"),
    "wifi-words": ("the wifi key is «{A12}»", "WLAN-Schlüssel: «{A14}»"),
    "cloudflare": ("CLOUDFLARE_API_TOKEN=«{w40}»", "CF_API_TOKEN: «{w40}»"),
    "datadog": ("DD_API_KEY=«{h32}»", "datadog api_key: «{h32}»"),
    "mysql": ("mysql -uada -p«{A12}» shop", "mysqldump -u root -p«{A14}» shop"),
    "curl-user": ("curl -u ada:«{A14}» https://x.org", "curl --user ada:«{A12}» url"),
    "ansible": ("ansible_become_pass: «{A12}»", "ansible_ssh_pass=«{A14}»"),
    "ldap": ("bindpw «{A14}»", "bind_pw: «{A12}»"),
    "sql": ("CREATE USER ada IDENTIFIED BY '«{A12}»';", "ALTER ROLE ada WITH PASSWORD '«{A14}»';"),
    "openssl": ("openssl rsa -passin pass:«{A12}» -in k", "-passout pass:«{A14}»"),
    "kafka": ('sasl.jaas.config=x username="ada" password="«{A16}»";',
              'PlainLoginModule required username="a" password="«{A12}»";'),
    "x-auth": ("X-Auth-Token: «{h32}»", "x-api-key: «{A40}»"),
    "wireguard": ("PrivateKey = «{b43}=»", "[Interface]\nPrivateKey=«{b43}=»\n"),
    "redis": ("requirepass «{A16}»", "requirepass «{w24}»\n"),
    "env-pass": ("SMTP_PASS=«{A14}»", "DB_PASS: «{A12}»"),
}  # fmt: skip

ALIKE = (
    "commit {h40}", "fixed in {h7} and {h8}", "request {uuid} took 3 s", "sha256:{h64}",
    "integrity sha512-{b86}==", "ETag: W/\"{h32}\"", "trace_id={h32} span_id={h16}",
    "pod shop-api-{l10}-{l5} is ready", "image: registry.io/shop@sha256:{h64}",
    "github.com/x/y v1.2.{d1} h1:{b43}=", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{b43} ada@host",
    "SHA256:{b43} ada@host (ED25519)", "main.{h8}.js and style.{h12}.css", "build-{d8}-{h7}.tar.gz",
    "the password reset token expires in {d2} minutes", "Cookie: theme=dark; lang=de; seen={d1}",
    "the session id is in column s{d2}", "psk is the pre-shared key of network {d2}",
    "hvs. is how tokens of Vault begin, since 1.{d2}", "key-value store number {d4}",
    "mysql -p shop{d2}", "curl -u ada https://x.org/v{d1}", "port 5432:5432 of host db{d2}",
    "secret_name: shop-tls-{h9}", "token_type=bearer expires_in={d4}", "max_tokens: {d5}",
    "docs: set API_KEY=<your key> in step {d1}", "password: ${{DB_PASSWORD_{d1}}}",
    "password = os.environ['DB_PASSWORD_{d1}']", "data:image/png;base64,iVBORw0KGgo{b60}",
    "order {u8}-{d4} shipped", "ISBN 978-3-16-{d6}-0", "invoice INV-{d8}",
    "version 2.{d2}.{d2}-rc.1",
    "uuid: {uuid}", "cache_key = '{h32}'", "Set-Cookie: consent=yes; Max-Age={d7}",
    "auth: basic, realm {d2}", "the auth flow of app{d2} is oauth2",
    "machine learning login page {d2}",
    "machine {d2} has login shells and a password file", "PublicKey = {b43}=", "public_key: {b43}=",
    "IDENTIFIED BY PLUGIN v{d2}", "pass: {d3} tests, fail: 0", "bypass=true{d1}",
    "compass {d3} degrees",
    "WIFI: {d2} access points", "session-{d4}-{d2}-{d2}.log", "sessionid cookie lasts {d2} days",
    "sl.no {d3}", "pat{d3} on the back", "dapi{d2} service", "dp.pt. has {d2} points",
    "pul-{c6}{d2}",
    "figd_{c5}_{d2}", "rubygems_{c8}_{d1}", "sk_test_{d2} is no key", "npm_config_{c8}_{d2}",
    "ATT&CK T{d4}.{d3}", "NRAK- keys rotate every {d2} days", "requirepass is unset since {d4}",
    "{h32}  backup-{d4}.tar", "blob {h40} {d5}", "ls: total {d6}", "order by pass_{d2} desc",
)  # fmt: skip


class Text(NamedTuple):
    kind: str
    text: str
    secret: str
    kept: bool


def _value(chance: random.Random, field: re.Match[str]) -> str:
    if field[1]:
        return "".join(chance.choices(_ALPHABETS[field[1]], k=int(field[2])))
    if field[0] == "{snowflake}":
        return b64encode(str(10**17 + chance.getrandbits(56)).encode()).decode()
    if field[0] == "{basic}":
        whole = "ada:" + "".join(chance.choices(_ALPHABETS["A"], k=14))
        return b64encode(whole.encode()).decode()
    made = f"{chance.getrandbits(128):032x}"
    return "-".join((made[:8], made[8:12], made[12:16], made[16:20], made[20:]))


def _filled(template: str, chance: random.Random) -> str:
    while True:
        made = _FIELD.sub(lambda field: _value(chance, field), template.replace("{{", "\0"))
        made = made.replace("\0", "{").replace("}}", "}")
        secret = made.partition("«")[2].partition("»")[0]
        mixed = any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)
        if mixed or not secret:  # a rule may ask for both, as the policies of passwords do
            return made


def texts() -> Iterator[Text]:
    chance = random.Random("secrets and what looks like them")
    shaped = {
        kind: tuple(around.replace("{}", f"«{token}»") for around in _AROUND)
        for kind, token in SHAPED.items()
    }
    for kind, notations in (shaped | NAMED).items():
        times = 1 if kind in shaped else TIMES[True]
        for number, notation in enumerate(notations):
            for _ in range(times):
                marked = _filled(notation, chance)
                secret = marked.partition("«")[2].partition("»")[0]
                yield Text(kind, re.sub("[«»]", "", marked), secret, number % 2 == 1)
    for number, notation in enumerate(ALIKE):
        for _ in range(2 * TIMES[False]):
            yield Text("alike", _filled(notation, chance), "", number % 2 == 1)


def measured(*, kept: bool) -> tuple[Counter[str], list[Text]]:
    """How many secrets there are and were taken out, and look-alikes; and where it went wrong."""
    counts: Counter[str] = Counter()
    wrong: list[Text] = []
    for one in texts():
        if one.kept != kept:
            continue
        left = redact(one.text).text
        name = "secret" if one.secret else "alike"
        taken = one.secret not in left if one.secret else left != one.text
        counts[name] += 1
        counts[f"{name} taken"] += taken
        if taken != bool(one.secret):
            wrong.append(one)
    return counts, wrong


def main() -> None:
    kept = asked.switch("redaction", __doc__, "kept")
    counts, wrong = measured(kept=kept)
    for one in () if kept else wrong:
        print(f"{'missed' if one.secret else 'taken'} {one.kind}: {one.text!r}")
    print(
        f"{'kept' if kept else 'open'}: {counts['secret taken']} of {counts['secret']} secrets "
        f"({counts['secret taken'] / counts['secret']:.3f}), {counts['alike taken']} of "
        f"{counts['alike']} look-alikes ({counts['alike taken'] / counts['alike']:.2%})"
    )


if __name__ == "__main__":
    main()
