"""Settings: one typed table, five places a value can come from.

    flag  >  RECOLLECT_* environment  >  project .recollect.toml  >  user config.toml  >  default

Every value keeps where it came from. A key that is not in the table is an error, with the
nearest one that is. A project file arrives with a cloned repository, so until the user trusts
it (by the hash of its content), it may set only what cannot reach outside its folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeVar

from recollect import asker, permissions
from recollect.errors import ConfigError
from recollect.named_tuple import NamedTuple
from recollect.text import nearest as words

N = TypeVar("N", int, float)

PROJECT_FILE = ".recollect.toml"
_OTHER_VARIABLES = {
    "RECOLLECT_HOME",
    "RECOLLECT_DATA",
    "RECOLLECT_EMBED_KEY",
    "RECOLLECT_LLM_KEY",
    "RECOLLECT_RERANK_KEY",
    "RECOLLECT_WEB_KEY",
}
WHERE_KEYS_GO = (
    "keys come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY, "
    "GEMINI_API_KEY, else RECOLLECT_LLM_KEY) or the system's keyring, never from a file of settings"
)
Origin = Literal["flag", "environment", "project", "user", "default"]
Plain = str | int | float | bool | tuple[str, ...] | None


# ------------------------------------------------------------------ places


def _folder(variable: str, xdg: str, fallback: str) -> Path:
    variables = asker.environment()
    home = variables.get("RECOLLECT_HOME")
    if home:
        return Path(home).expanduser() / variable
    base = variables.get(xdg) or (variables.get("LOCALAPPDATA") if os.name == "nt" else None)
    return (Path(base) if base else Path.home() / fallback) / "recollect"


def data_folder() -> Path:
    """``$RECOLLECT_HOME/data``, else the platform's place for data."""
    return _folder("data", "XDG_DATA_HOME", ".local/share")


def user_file() -> Path:
    return _folder("config", "XDG_CONFIG_HOME", ".config") / "config.toml"


def trust_file() -> Path:
    return _folder("config", "XDG_CONFIG_HOME", ".config") / "trusted.json"


def seen_file() -> Path:
    """The defaults that the user was last told of."""
    return _folder("config", "XDG_CONFIG_HOME", ".config") / "seen.json"


def project_file(start: Path) -> Path | None:
    """The nearest ``.recollect.toml`` in *start* or above it, short of the home folder."""
    home = Path.home()
    for folder in (start, *start.parents):
        if folder == home:
            return None
        if (folder / PROJECT_FILE).is_file():
            return folder / PROJECT_FILE
    return None


# ------------------------------------------------------------------ the table


class Setting(NamedTuple):
    name: str
    default: Plain
    parse: Callable[[Any], Plain]
    help: str
    reach: Literal["plain", "path", "narrower", "trusted"] = "plain"
    """What an untrusted project file may do with it: set it; set it to a place inside its own
    folder, or to a part of what the user has set; nothing."""

    @property
    def variable(self) -> str:
        return "RECOLLECT_" + self.name.replace(".", "_").upper()


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value.strip()


class _Hidden(ValueError):
    """What is wrong with a value that nobody should see."""


_KEY = r"(sk-|gsk_|xai-|AIza|hf_|pa-|jina_)[A-Za-z0-9_-]{16,}"
_NAMES_A_KEY = r"(?:^|[._-])(?:api_?)?(?:key|token|secret|password)$"


def _model(value: Any) -> str:
    """A model by any of its names; never with a key in it."""
    text = _text(value)
    url = text.partition("#")[0]
    host = url.partition("://")[2].partition("/")[0]
    if "@" in host or ("://" in url and "?" in url) or re.fullmatch(_KEY, text):
        raise _Hidden(WHERE_KEYS_GO)
    return text


def _engine(value: Any) -> str:
    """A search engine; never with a key in its address."""
    text = _text(value)
    host, _, query = text.partition("://")[2].partition("?")
    asked = [part.partition("=")[0] for part in query.split("&")]
    if "@" in host.partition("/")[0] or any(
        re.search(_NAMES_A_KEY, name.lower()) for name in asked
    ):
        raise _Hidden(
            "its key comes from the environment (BRAVE_API_KEY, else RECOLLECT_WEB_KEY) "
            "or the system's keyring, never from a file of settings"
        )
    return text


def _between(kind: Callable[[str], N], low: N, high: N, wanted: str) -> Callable[[Any], N]:
    """Returns a parser of numbers of that kind; *wanted* tells people what is taken."""

    def parse(value: Any) -> N:
        try:
            number = kind(str(value))
        except ValueError:
            raise ValueError(wanted) from None
        if isinstance(value, bool) or not low <= number <= high:
            raise ValueError(wanted)
        return number

    return parse


def _whole(low: int, high: int) -> Callable[[Any], int]:
    return _between(int, low, high, f"a whole number from {low} to {high}")


def _number(low: float, high: float, what: str = "a number") -> Callable[[Any], float]:
    return _between(float, low, high, f"{what} from {low:g} to {high:g}")


_share = _number(0, 1)
_seconds = _number(0.1, 60, "seconds,")
_dollars = _between(float, 0.0, 999_999.99, "dollars, from 0 on")


def _price(value: Any) -> str:
    wanted = "dollars for a million tokens of input and of output, such as 0.25/2"
    parts = _text(value).split("/")
    if len(parts) != 2:
        raise ValueError(wanted)
    try:
        return "/".join(f"{_dollars(part.strip()):g}" for part in parts)
    except ValueError:
        raise ValueError(wanted) from None


def _one_of(*values: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in values:
            raise ValueError("one of " + ", ".join(values))
        return str(value)

    return parse


def _yes_or_no(value: Any) -> bool:
    said = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    found = said.get(str(value).lower())
    if found is None:
        raise ValueError("true or false")
    return found


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise ValueError("names, separated by commas")
    names = tuple(v.strip() for v in value)
    if not names or not all(names):
        raise ValueError("names, separated by commas")
    return names


SETTINGS: Mapping[str, Setting] = {
    s.name: s
    for s in (
        Setting("store", None, _text, "The place of the store: a folder or a URL.", "path"),
        Setting("models", None, _text, "The folder that model files are in.", "trusted"),
        Setting(
            "mode",
            "balanced",
            _one_of("conservative", "balanced", "tokenmax"),
            "The preset of the read path.",
        ),
        Setting("search.limit", None, _whole(1, 1000), "The most results; else the mode's own."),
        Setting(
            "search.budget",
            None,
            _whole(1, 10_000_000),
            "The most tokens an answer's results may take; else the mode's own.",
        ),
        Setting(
            "search.named",
            None,
            _whole(0, 1000),
            "The most documents that are named, a line each, beside the results; else the mode's "
            "own.",
        ),
        Setting(
            "search.share",
            None,
            _number(0.01, 100),
            "The most tokens shown, as a share of the ten best passages whole; else the mode's "
            "own.",
        ),
        Setting(
            "search.keep",
            None,
            _share,
            "The least probability that the store has anything about the question; below it "
            "nothing is shown. Else the mode's own.",
        ),
        Setting("search.min_confidence", None, _share, "Leave out results that are less sure."),
        Setting("search.cut", None, _yes_or_no, "Let the grades decide how many results come."),
        Setting("search.recency", None, _share, "0 by relevance, 1 newest first."),
        Setting("search.rerank", None, _whole(0, 200), "How many results the reranker reads."),
        Setting(
            "search.detail",
            None,
            _one_of("auto", "snippet", "passage", "document"),
            "How much of each result is sent.",
        ),
        Setting(
            "search.think",
            None,
            _yes_or_no,
            "Have the language model write an answer where the grade is low.",
            "trusted",
        ),
        Setting(
            "search.expand",
            None,
            _whole(0, 3),
            "How many rewrites of a question the language model may make where the grade is low; "
            "else the mode's own.",
            "trusted",
        ),
        Setting("search.owner", None, _text, "Only see what this owner has.", "trusted"),
        Setting("search.scopes", None, _names, "Only see these scopes.", "narrower"),
        Setting("cache.enabled", True, _yes_or_no, "Serve again what was answered before."),
        Setting(
            "cache.similarity",
            0.92,
            _share,
            "How near in meaning a question in other words must be.",
        ),
        Setting(
            "cache.ttl",
            3600,
            _whole(1, 31_536_000),
            "Seconds for which a search is served again, at most.",
        ),
        Setting("cache.size", 1000, _whole(1, 1_000_000), "How many answers are kept."),
        Setting(
            "telemetry",
            True,
            _yes_or_no,
            "Count searches, on this machine only: `recollect stats` shows what.",
        ),
        Setting(
            "capture",
            False,
            _yes_or_no,
            "Keep what is asked, without secrets, on this machine, to ask it again: "
            "`recollect eval capture show`.",
            "trusted",
        ),
        Setting(
            "downstream",
            None,
            _text,
            "The model that reads the answers: a name, small, medium, large, or `none`.",
        ),
        Setting(
            "embed.model",
            "recollect-embed",
            _model,
            "The embedding model: a name, a folder, URL#MODEL, openai:NAME (or voyage:, "
            "gemini:, ollama:, …), or `none`.",
            "trusted",
        ),
        Setting(
            "embed.price",
            None,
            _dollars,
            "The embedding model's price, if it is not known: dollars for a million tokens.",
            "trusted",
        ),
        Setting(
            "device",
            "cpu",
            _one_of("cpu", "cuda", "coreml", "directml"),
            "Where models of this machine run; `cpu` where there is no such device.",
        ),
        Setting(
            "rerank.model",
            "none",
            _model,
            "The model that reads the best results again: a folder, URL#MODEL, `llm` (the language "
            "model), or `none`.",
            "trusted",
        ),
        Setting(
            "llm.model",
            "none",
            _model,
            "The language model: openai:NAME, anthropic:NAME, openrouter:NAME, gemini:NAME, "
            "ollama:NAME, URL#NAME, local, local:FILE.gguf, or `none`.",
            "trusted",
        ),
        Setting(
            "llm.daily_limit",
            None,
            _dollars,
            "The most dollars a day that models elsewhere may cost.",
            "trusted",
        ),
        Setting(
            "llm.command_limit",
            None,
            _dollars,
            "The most dollars that models may cost in one command.",
            "trusted",
        ),
        Setting(
            "llm.price",
            None,
            _price,
            "The language model's price, if it is not known: dollars for a million tokens of "
            "input and of output, such as 0.25/2.",
            "trusted",
        ),
        Setting(
            "web.when",
            "never",
            _one_of("never", "asked", "low"),
            "When a search may ask the web: `never`; `asked`: with --web, if memory does not "
            "answer; `low`: whenever memory does not answer.",
            "trusted",
        ),
        Setting(
            "web.engine",
            "none",
            _engine,
            "The search engine: searxng:URL, brave, brave:URL, json:URL with {query} in it, or "
            "`none`.",
            "trusted",
        ),
        Setting(
            "web.fields",
            None,
            _names,
            "Which fields of a json: engine's reply hold what: results=data.items,url=link.",
            "trusted",
        ),
        Setting(
            "web.allow", None, _names, "The only domains whose pages may be looked at.", "trusted"
        ),
        Setting("web.deny", None, _names, "Domains whose pages may not be looked at.", "trusted"),
        Setting("web.read", 0, _whole(0, 5), "How many result pages are read.", "trusted"),
        Setting("web.seconds", 5.0, _seconds, "How long a search waits for the web.", "trusted"),
        Setting(
            "warm",
            True,
            _yes_or_no,
            "Let a long-lived process (mcp, serve, watch) answer for short commands and hooks.",
        ),
        Setting(
            "import.owner",
            "local",
            _text,
            "The owner of what is added without one, and of the facts that are meant without one.",
            "trusted",
        ),
        Setting(
            "import.scopes",
            ("universal",),
            _names,
            "The scopes of what is added without any.",
            "trusted",
        ),
        Setting(
            "import.redact",
            True,
            _yes_or_no,
            "Take keys, tokens and passwords out of what is imported.",
            "trusted",
        ),
        Setting(
            "import.thoughts",
            False,
            _yes_or_no,
            "Keep what a model thought in a session; it is found with the role thought.",
        ),
        Setting(
            "import.max_mb",
            64,
            _whole(1, 100_000),
            "Files of text larger than this are refused; JSONL is read line by line.",
        ),
        Setting(
            "import.follow_links",
            False,
            _yes_or_no,
            "Follow links in a folder that lead out of it.",
            "trusted",
        ),
    )
}


def setting(name: str) -> Setting:
    if name in SETTINGS:
        return SETTINGS[name]
    if re.search(_NAMES_A_KEY, name):
        raise ConfigError(
            f"{name} is not a setting: a key does not belong there", hint=WHERE_KEYS_GO
        )
    near = words.nearest(name, SETTINGS, 0.5)
    raise ConfigError(
        f"there is no setting {name!r}",
        hint=f"did you mean {near!r}?" if near else "`recollect config list` shows them",
    )


def parsed(name: str, value: Any, where: str) -> Plain:
    """*value* as the setting's type; the error says where it stands and what is wanted."""
    spec = setting(name)
    try:
        return spec.parse(value)
    except _Hidden as error:
        raise ConfigError(f"{where}: {name} has a key in it", hint=str(error)) from None
    except ValueError as error:
        raise ConfigError(f"{where}: {name} is {value!r}", hint=f"it takes {error}") from error


# ------------------------------------------------------------------ resolving


class SettingValue(NamedTuple):
    value: Plain
    origin: Origin
    where: str = ""


class Config:
    """Every setting, with its origin; ``ignored`` says what an untrusted file wanted."""

    def __init__(self, values: Mapping[str, SettingValue], ignored: tuple[str, ...] = ()) -> None:
        self.values = values
        self.ignored = ignored

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    def origin(self, name: str) -> Origin:
        return self.values[name].origin

    def with_value(self, name: str, value: Any) -> Config:
        """The same, but for one setting."""
        good = SettingValue(parsed(name, value, "the call"), "flag")
        return Config({**self.values, name: good}, self.ignored)


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    start: Path | None = None,
) -> Config:
    """Returns the settings. Each layer goes over those before it: the defaults, the user's file,
    the project's file, the environment, and what the call says (*flags*)."""
    values = {name: SettingValue(s.default, "default") for name, s in SETTINGS.items()}
    user = user_file()
    for name, value in read_file(user).items():
        good = anchored(name, parsed(name, value, str(user)), user.parent)
        values[name] = SettingValue(good, "user", str(user))
    project = project_file(start or Path(asker.folder() or Path.cwd()))
    ignored = _read_project(project, values) if project else []
    ignored += _unknown_variables()
    for name, spec in SETTINGS.items():
        if said := asker.environment().get(spec.variable):
            good = parsed(name, said, spec.variable)
            values[name] = SettingValue(good, "environment", spec.variable)
    for name, value in (flags or {}).items():
        if value is not None:
            values[name] = SettingValue(parsed(name, value, "the call"), "flag")
    return Config(values, tuple(ignored))


def _read_project(project: Path, values: dict[str, SettingValue]) -> list[str]:
    """Puts the settings of a project's file over *values*; returns those that it may not set, each
    with the reason."""
    ignored, trusted = [], is_trusted(project)
    for name, value in read_file(project).items():
        good = parsed(name, value, str(project))
        known = values[name].value
        refusal = "" if trusted else _refusal(setting(name), good, project.parent, known)
        if refusal:
            ignored.append(f"{project}: {name} is ignored: {refusal}")
            continue
        good = anchored(name, good, project.parent)
        values[name] = SettingValue(good, "project", str(project))
    return ignored


def anchored(name: str, value: Plain, folder: Path) -> Plain:
    """The value, or the whole path where it is one in this *folder*: what is written in a file
    leads to the same place from wherever it is read."""
    if name not in ("store", "models") or "://" in str(value) or str(value).startswith("~"):
        return value
    return str((folder / str(value)).resolve())


def _unknown_variables() -> list[str]:
    """A misspelt variable would set nothing; that is worth a word."""
    known = {s.variable for s in SETTINGS.values()} | _OTHER_VARIABLES
    return [
        f"{name} is ignored: there is no such setting"
        for name in asker.environment()
        if name.startswith("RECOLLECT_") and name not in known
    ]


def _is_part(value: Plain, known: Plain) -> bool:
    """Whether a limit lets through no more than the one that is set."""
    if known is None or value == known:
        return True
    return isinstance(value, tuple) and isinstance(known, tuple) and set(value) <= set(known)


def _refusal(spec: Setting, value: Plain, folder: Path, known: Plain) -> str:
    """Why an untrusted project file may not set this; empty when it may."""
    how = "`recollect config trust` lets it"
    if spec.reach == "narrower" and not _is_part(value, known):
        return f"it would show more than you have set ({how})"
    if spec.reach == "trusted":
        return f"a project file may not set it until you trust the file ({how})"
    if spec.reach == "path":
        text = str(value)
        if "://" in text:
            return f"it names an endpoint ({how})"
        place = (folder / Path(text)).resolve()
        if text.startswith("~") or not place.is_relative_to(folder.resolve()):
            return f"it points outside the project ({how})"
    return ""


# ------------------------------------------------------------------ files


_ELSEWHERE = "RECOLLECT_HOME names another folder for settings and data"


def read_file(path: Path) -> dict[str, Any]:
    """Dotted names to values. A file that is not there sets nothing."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", hint=_ELSEWHERE) from error
    import tomllib

    try:
        tables = tomllib.loads(raw.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}", hint="mend or delete the file") from error
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": v for inner, v in value.items()})
        else:
            flat[key] = value
    for name in flat:
        try:
            setting(name)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error.message}", hint=error.hint) from None
    return flat


def write_file(path: Path, values: Mapping[str, Any]) -> None:
    """Replace the file; the old one stays whole until the new one is."""
    tables: dict[str, list[str]] = {"": []}
    for name, value in sorted(values.items()):
        table, _, key = name.rpartition(".")
        tables.setdefault(table, [f"\n[{table}]"]).append(f"{key} = {_toml(value)}")
    lines = [*chain.from_iterable(tables.values()), ""]
    try:
        permissions.folder(path.parent)
        permissions.write(path, "\n".join(lines).lstrip())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", hint=_ELSEWHERE) from error


def _toml(value: Any) -> str:
    import json

    if isinstance(value, int | float):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def is_trusted(project: Path) -> bool:
    return _trusted().get(str(project.resolve())) == _content_hash(project)


def trust(project: Path) -> None:
    """Let this file, with this content, set everything."""
    import json

    known = {**_trusted(), str(project.resolve()): _content_hash(project)}
    permissions.folder(trust_file().parent)
    permissions.write(trust_file(), json.dumps(known, indent=1))


def _trusted() -> dict[str, str]:
    import json

    try:
        known = json.loads(trust_file().read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _content_hash(path: Path) -> str:
    from recollect.nouns import hashed

    return hashed(path.read_bytes(), 16).hex()
