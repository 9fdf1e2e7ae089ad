"""Settings: where each value comes from, who may set it, and that each of them does something."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli, overlap_reranker
from recollect import Document, Memory, config
from recollect.config import PROJECT_FILE, SETTINGS
from recollect.doctor import examine
from recollect.errors import ConfigError, RecollectError, SpendRefused
from recollect.memory import open_whole
from recollect.memory.llm import Languages
from recollect.models.catalog import ARCTIC_S
from recollect.models.costs import Price
from recollect.models.spending import Purse
from recollect.storage import open_spending
from web_server import Said, WebServer, found


def write_user(text: str) -> Path:
    path = config.user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_project(text: str, folder: Path | None = None) -> Path:
    path = (folder or Path.cwd()) / PROJECT_FILE
    path.write_text(text, encoding="utf-8")
    return path


# ------------------------------------------------------------------ where a value comes from


def test_without_anything_set_every_value_is_the_default() -> None:
    loaded = config.load()
    for name, spec in SETTINGS.items():
        assert loaded[name] == spec.default
        assert loaded.origin(name) == "default"


@pytest.mark.parametrize(
    ("places", "value", "origin"),
    [
        ((), None, "default"),
        (("user",), 11, "user"),
        (("user", "project"), 12, "project"),
        (("user", "project", "environment"), 13, "environment"),
        (("user", "project", "environment", "flag"), 14, "flag"),
        (("user", "environment"), 13, "environment"),
        (("user", "flag"), 14, "flag"),
        (("project", "flag"), 14, "flag"),
    ],
)
def test_the_nearer_place_wins(
    places: tuple[str, ...], value: int | None, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "user" in places:
        write_user("[search]\nlimit = 11\n")
    if "project" in places:
        write_project("[search]\nlimit = 12\n")
    if "environment" in places:
        monkeypatch.setenv("RECOLLECT_SEARCH_LIMIT", "13")
    loaded = config.load({"search.limit": 14} if "flag" in places else None)
    assert loaded["search.limit"] == value
    assert loaded.origin("search.limit") == origin


def test_a_value_says_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    user = write_user('mode = "conservative"\n')
    project = write_project("search.limit = 7\n")
    monkeypatch.setenv("RECOLLECT_IMPORT_OWNER", "ann")
    values = config.load({"search.budget": 900}).values
    assert values["mode"] == ("conservative", "user", str(user))
    assert values["search.limit"] == (7, "project", str(project))
    assert values["import.owner"] == ("ann", "environment", "RECOLLECT_IMPORT_OWNER")
    assert values["search.budget"] == (900, "flag", "")
    assert values["import.max_mb"] == (64, "default", "")


def test_a_flag_that_was_not_given_sets_nothing() -> None:
    write_user('mode = "tokenmax"\n')
    assert config.load({"mode": None}).origin("mode") == "user"


def test_an_empty_variable_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_MODE", "")
    assert config.load().origin("mode") == "default"


def test_the_name_of_a_variable_is_the_name_of_the_setting() -> None:
    assert SETTINGS["store"].variable == "RECOLLECT_STORE"
    assert SETTINGS["import.max_mb"].variable == "RECOLLECT_IMPORT_MAX_MB"
    assert len({spec.variable for spec in SETTINGS.values()}) == len(SETTINGS)


def test_the_default_of_every_setting_is_a_value_it_would_take() -> None:
    for spec in SETTINGS.values():
        assert spec.default is None or spec.parse(spec.default) == spec.default
        assert spec.help


def test_names_are_written_with_commas_or_as_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    write_user('[import]\nscopes = ["work", "home"]\n')
    monkeypatch.setenv("RECOLLECT_SEARCH_SCOPES", "work, home")
    loaded = config.load()
    assert loaded["import.scopes"] == loaded["search.scopes"] == ("work", "home")


def test_the_nearest_project_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner" / "deep"
    inner.mkdir(parents=True)
    write_project('mode = "tokenmax"\n', tmp_path / "outer")
    assert config.load(start=inner)["mode"] == "tokenmax"
    write_project('mode = "conservative"\n', inner.parent)
    assert config.load(start=inner)["mode"] == "conservative"


def test_a_file_in_the_home_folder_is_not_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_project('mode = "tokenmax"\n', tmp_path)
    assert config.load()["mode"] == "balanced"


@pytest.mark.parametrize(("variable", "part"), [("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "")])
def test_without_a_home_of_ours_the_platform_says_where(
    variable: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RECOLLECT_HOME")
    monkeypatch.setenv(variable, str(tmp_path / "xdg"))
    found = config.data_folder() if part else config.user_file()
    assert found.is_relative_to(tmp_path / "xdg" / "recollect")


# ------------------------------------------------------------------ what is refused


def test_an_unknown_key_is_an_error_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="'search.limt'") as refused:
        config.load({"search.limt": 3})
    assert "'search.limit'" in refused.value.hint


def test_an_unknown_key_in_a_file_is_an_error_that_names_the_file() -> None:
    user = write_user("[serach]\nlimit = 3\n")
    with pytest.raises(ConfigError, match="'serach.limit'") as refused:
        config.load()
    assert str(user) in refused.value.message
    assert "'search.limit'" in refused.value.hint


def test_an_unknown_key_in_a_project_file_is_an_error_that_names_the_file() -> None:
    project = write_project('moed = "tokenmax"\n')
    with pytest.raises(ConfigError, match="'moed'") as refused:
        config.load()
    assert str(project) in refused.value.message
    assert "'mode'" in refused.value.hint


def test_a_key_like_no_other_is_an_error_that_says_where_to_look() -> None:
    with pytest.raises(ConfigError) as refused:
        config.setting("zzzzzzzz")
    assert "config list" in refused.value.hint


def test_an_unknown_override_is_an_error_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError) as refused:
        Memory.open("memory://", embed_modle="none")
    assert "'embed.model'" in refused.value.hint


BAD_VALUES: list[tuple[str, Any, str]] = [
    ("mode", "fast", "one of conservative, balanced, tokenmax"),
    ("mode", 3, "one of conservative, balanced, tokenmax"),
    ("search.limit", 0, "a whole number from 1 to 1000"),
    ("search.limit", 1001, "a whole number from 1 to 1000"),
    ("search.limit", True, "a whole number from 1 to 1000"),
    ("search.limit", "many", "a whole number from 1 to 1000"),
    ("search.limit", 2.5, "a whole number from 1 to 1000"),
    ("search.budget", -1, "a whole number from 1 to 10000000"),
    ("import.max_mb", "", "a whole number from 1 to 100000"),
    ("import.owner", " ", "a text that is not empty"),
    ("import.owner", 7, "a text that is not empty"),
    ("store", "", "a text that is not empty"),
    ("search.scopes", "a,,b", "names, separated by commas"),
    ("search.scopes", [], "names, separated by commas"),
    ("search.scopes", [1, 2], "names, separated by commas"),
    ("import.scopes", 3, "names, separated by commas"),
]


@pytest.mark.parametrize(("name", "value", "wanted"), BAD_VALUES)
def test_a_bad_value_is_an_error_that_says_what_is_wanted(
    name: str, value: Any, wanted: str
) -> None:
    with pytest.raises(ConfigError, match=name) as refused:
        config.load({name: value})
    assert repr(value) in refused.value.message
    assert wanted in refused.value.hint


def test_a_bad_value_is_an_error_that_says_where_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = write_user('mode = "fast"\n')
    with pytest.raises(ConfigError, match="mode is 'fast'") as in_file:
        config.load()
    assert str(user) in in_file.value.message
    user.unlink()
    monkeypatch.setenv("RECOLLECT_SEARCH_LIMIT", "many")
    with pytest.raises(ConfigError, match="search.limit is 'many'") as in_variable:
        config.load()
    assert "RECOLLECT_SEARCH_LIMIT" in in_variable.value.message


@pytest.mark.parametrize("text", ["mode = ", "mode == 'a'", "[search", "\ufffe=\x00", 'mode = "a'])
def test_a_file_that_is_not_toml_is_an_error_that_names_it(text: str) -> None:
    user = write_user(text)
    with pytest.raises(ConfigError, match="not TOML") as refused:
        config.load()
    assert str(user) in refused.value.message
    assert refused.value.hint


def test_a_file_that_is_not_utf_8_is_an_error_that_names_it() -> None:
    user = write_user("")
    user.write_bytes(b'mode = "\xe9"\n')
    with pytest.raises(ConfigError, match="not TOML") as refused:
        config.load()
    assert str(user) in refused.value.message


def test_a_folder_in_place_of_the_file_is_an_error_that_names_it() -> None:
    config.user_file().mkdir(parents=True)
    with pytest.raises(ConfigError) as refused:
        config.load()
    assert str(config.user_file()) in refused.value.message


def test_a_table_where_a_value_belongs_is_an_error() -> None:
    write_user("[search.limit]\nmost = 3\n")
    with pytest.raises(ConfigError, match="search.limit"):
        config.load()


# ------------------------------------------------------------------ files that came with a project

REACHING_OUT = [
    'store = "../elsewhere"',
    'store = "/var/elsewhere"',
    'store = "~/elsewhere"',
    'store = "kept/../../elsewhere"',
    'store = "memory://"',
    'store = "postgres://someone.example/db"',
    'models = "models"',
    'embed.model = "none"',
    "import.redact = false",
    'import.owner = "somebody"',
    'import.scopes = ["everybody"]',
]


@pytest.mark.parametrize("line", REACHING_OUT)
def test_an_untrusted_project_may_not_reach_outside_its_folder(line: str) -> None:
    project = write_project(f"{line}\nsearch.limit = 3\n")
    name = line.split(" = ")[0]
    loaded = config.load()
    assert loaded.origin(name) == "default"
    (told,) = loaded.ignored
    assert str(project) in told
    assert f"{name} is ignored" in told
    assert "config trust" in told
    assert loaded["search.limit"] == 3


def test_an_untrusted_project_may_not_reach_out_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (Path.cwd() / "inside").symlink_to(tmp_path / "outside")
    write_project('store = "inside/store"\n')
    loaded = config.load()
    assert loaded["store"] is None
    assert len(loaded.ignored) == 1


def test_an_ignored_value_does_not_hide_the_users_own() -> None:
    write_user('[embed]\nmodel = "none"\n')
    write_project('[embed]\nmodel = "arctic-embed-s"\n')
    loaded = config.load()
    assert loaded["embed.model"] == "none"
    assert loaded.origin("embed.model") == "user"


def test_a_bad_value_in_an_untrusted_project_is_still_an_error() -> None:
    write_project("models = 3\n")
    with pytest.raises(ConfigError, match="models is 3"):
        config.load()


@pytest.mark.parametrize("line", REACHING_OUT)
def test_a_trusted_project_may_set_everything(line: str) -> None:
    config.trust(write_project(line + "\n"))
    loaded = config.load()
    assert loaded.origin(line.split(" = ")[0]) == "project"
    assert loaded.ignored == ()


def test_a_project_may_keep_its_store_in_its_own_folder(tmp_path: Path) -> None:
    deep = Path.cwd() / "src" / "deep"
    deep.mkdir(parents=True)
    write_project('store = ".kept/store"\n')
    loaded = config.load(start=deep)
    assert loaded["store"] == str(Path.cwd() / ".kept" / "store")
    assert loaded.ignored == ()


@pytest.mark.parametrize("name", ["store", "models"])
def test_a_relative_path_of_the_user_does_not_follow_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(here)
    assert str(here / "kept") in cli("config", "set", name, "kept").out
    monkeypatch.chdir(elsewhere)
    assert config.load()[name] == str(here / "kept")
    write_user(f'{name} = "kept"\n')
    assert config.load()[name] == str(config.user_file().parent / "kept")


def test_a_tilde_in_a_trusted_project_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "someone"))
    config.trust(write_project('store = "~/kept"\n'))
    assert Path(config.load()["store"]).expanduser() == tmp_path / "someone" / "kept"


def test_a_changed_file_loses_the_trust() -> None:
    project = write_project('[embed]\nmodel = "none"\n')
    config.trust(project)
    assert config.is_trusted(project)
    assert config.load()["embed.model"] == "none"
    write_project('models = "/elsewhere"\n[embed]\nmodel = "none"\n')
    assert not config.is_trusted(project)
    assert len(config.load().ignored) == 2


def test_a_file_that_is_changed_back_is_trusted_again() -> None:
    project = write_project('models = "/elsewhere"\n')
    config.trust(project)
    write_project("")
    assert not config.is_trusted(project)
    write_project('models = "/elsewhere"\n')
    assert config.is_trusted(project)


def test_trusting_one_project_says_nothing_of_another(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    text = 'models = "/elsewhere"\n'
    one, other = write_project(text), write_project(text, tmp_path / "other")
    config.trust(one)
    assert not config.is_trusted(other)
    config.trust(other)
    assert config.is_trusted(one)
    assert config.is_trusted(other)


@pytest.mark.parametrize("content", ["", "{", "[]", '"text"', "\x00"])
def test_a_broken_list_of_trusted_files_trusts_nothing(content: str) -> None:
    project = write_project('models = "/elsewhere"\n')
    config.trust(project)
    config.trust_file().write_text(content)
    assert not config.is_trusted(project)
    config.trust(project)
    assert config.is_trusted(project)


# ------------------------------------------------------------------ writing


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    values = {
        "mode": "tokenmax",
        "store": "/a b/ü/東京",
        "search.limit": 7,
        "search.scopes": ["work", "home"],
        "import.owner": 'O\'Brien "the \\ slash"',
        "embed.model": "none",
    }
    path = tmp_path / "new" / "folder" / "config.toml"
    config.write_file(path, values)
    assert config.read_file(path) == values
    assert [p.name for p in path.parent.iterdir()] == ["config.toml"]


def test_writing_again_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config.write_file(path, {"mode": "tokenmax", "search.limit": 7})
    config.write_file(path, {"search.limit": 8})
    assert config.read_file(path) == {"search.limit": 8}
    config.write_file(path, {})
    assert config.read_file(path) == {}


def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path) -> None:
    assert config.read_file(tmp_path / "nowhere" / "config.toml") == {}


@settings(deadline=None)
@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_every_text_survives_being_written(owner: str, scopes: list[str]) -> None:
    values = {"import.owner": owner, "import.scopes": scopes}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.toml"
        config.write_file(path, values)
        assert config.read_file(path) == values


def test_an_emoji_survives_being_written(tmp_path: Path) -> None:
    config.write_file(tmp_path / "config.toml", {"import.owner": "ann 🎉"})
    assert config.read_file(tmp_path / "config.toml") == {"import.owner": "ann 🎉"}


# ------------------------------------------------------------------ each setting does something


class Case(NamedTuple):
    """What is seen through the library before and after a setting is flipped."""

    value: str
    observe: Callable[[Path], object]
    before: object
    after: object


def with_boats() -> Memory:
    """A store of twelve documents about boats, of two owners and three scopes."""
    memory = open_whole("memory://")
    scopes = ("work", "home", "club")
    memory.put(
        Document(
            f"boat-{n}",
            "harbour",
            f"The boat of berth {n} was painted.",
            owner="ann" if n < 4 else "bob",
            scopes=(scopes[n % 3],),
            date=datetime(2026, 3, n + 1, tzinfo=UTC),
        )
        for n in range(12)
    )
    return memory.view(memory.config["search.owner"], memory.config["search.scopes"])


def imported(folder: Path) -> Document:
    """A note, as the store has it after `add`."""
    (folder / "note.md").write_text("# Boats\n\nPainted in spring.\n")
    with Memory.open("memory://") as memory:
        memory.add(folder / "note.md")
        return memory.list().items[0]


def _store(_: Path) -> object:
    with Memory.open() as memory:
        return Path(memory.status().store.location).name


def _models(folder: Path) -> object:
    home = folder / "elsewhere" / ARCTIC_S.key
    home.mkdir(parents=True, exist_ok=True)
    for name in ("model.onnx", "tokenizer.json"):
        (home / name).touch()
    with Memory.open("memory://", embed_model="arctic-embed-s") as memory:
        return memory.status().model_state.split(" (")[0]


def _mode(_: Path) -> object:
    with with_boats() as memory:
        answer = memory.search("boat", by="keyword")
    return answer.mode, answer.budget.budget


def _search_limit(_: Path) -> object:
    with with_boats() as memory:
        return len(memory.search("boat", by="keyword", mode="tokenmax").results)


def _search_named(_: Path) -> object:
    with with_boats() as memory:
        return len(memory.search("boat", by="keyword", limit=3).named)


def _several_shown(_: Path) -> object:
    with with_boats() as memory:
        memory.models.embed()
        return len(memory.search("which boats were painted?").results) > 1


def _search_budget(_: Path) -> object:
    with with_boats() as memory:
        found = memory.search("boat", by="keyword")
    return found.budget.budget, found.budget.used <= 60


def _found(_: Path) -> object:
    with with_boats() as memory:
        return memory.search("boat", by="keyword", limit=50).total_found


def _far_away(_: Path) -> object:
    with with_boats() as memory:
        memory.models.embed()
        return memory.search("who wrote the ninth symphony?").status


def _first_found(_: Path) -> object:
    with with_boats() as memory:
        return memory.search("boat", by="keyword").results[0].document


def _vector_stage(_: Path) -> object:
    with with_boats() as memory:
        stages = memory.search("boat").stages
    (vector,) = (stage for stage in stages if stage.name == "vector")
    return vector.state, vector.reason.split(" (")[0]


def _detail(_: Path) -> object:
    with with_boats() as memory:
        return memory.search("boat", by="keyword").results[0].detail


def _rerank_reads(folder: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_RERANK_MODEL", str(folder / "overlap"))
        return _rerank_stage(folder)


def _rerank_stage(folder: Path) -> object:
    if not (folder / "overlap").exists():
        overlap_reranker(folder / "overlap")
    with with_boats() as memory:
        stages = memory.search("boat").stages
    return next(stage.state for stage in stages if stage.name == "rerank")


def _tier_of_the_second(_: Path) -> object:
    with with_boats() as memory:
        memory.search("boat", by="keyword")
        return memory.search("boat", by="keyword").tier


def _cache_ttl(_: Path) -> object:
    with with_boats() as memory:
        memory.models.embed()
        memory.search("boat")
        assert memory.core.cache is not None
        return memory.core.cache.prune(time.time() + 120)


def _cache_size(_: Path) -> object:
    with with_boats() as memory:
        return memory.admin.cache_stats().limit


def _in_other_words(_: Path) -> object:
    with with_boats() as memory:
        memory.models.embed()
        memory.search("how do I fix the broken boat?")
        return memory.search("my boat is broken, how do I fix it?").tier


def _telemetry(_: Path) -> object:
    with with_boats() as memory:
        memory.search("boat", by="keyword")
        return memory.admin.stats().total.calls


def _warm(_: Path) -> object:
    with with_boats() as memory:
        return next(one.state for one in examine(memory).checks if one.name == "warm")


def _downstream(_: Path) -> object:
    from recollect.surfaces.commands.init import offer_of

    return offer_of(config.load(), None).advised.mode


def _import_owner(folder: Path) -> object:
    return imported(folder).owner


def _import_scopes(folder: Path) -> object:
    return set(imported(folder).scopes)


def _import_redact(folder: Path) -> object:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (folder / "keys.txt").write_text(f"the token is {secret}\n")
    with Memory.open("memory://") as memory:
        memory.add(folder / "keys.txt")
        return secret in memory.get("keys.txt").text


def _import_thoughts(folder: Path) -> object:
    content = [{"type": "thinking", "thinking": "boats?"}, {"type": "text", "text": "Nets."}]
    message = {"role": "assistant", "content": content}
    record = {"type": "assistant", "uuid": "a", "sessionId": "s", "message": message}
    (folder / "s.jsonl").write_text(json.dumps(record) + "\n")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(folder / "s.jsonl")
        return [turn.role for turn in memory.get("s").messages]


def _import_max_mb(folder: Path) -> object:
    (folder / "big.txt").write_text("boats and nets\n" * 80_000)
    with Memory.open("memory://", embed_model="none") as memory:
        receipt = memory.add(folder / "big.txt")
    return receipt.added, ["import.max_mb" in problem.reason for problem in receipt.failed]


def _import_follow_links(folder: Path) -> object:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "away.md").write_text("boats and nets\n")
    here = folder / "notes" / "here.md"
    here.unlink(missing_ok=True)
    here.symlink_to(folder / "away.md")
    with Memory.open("memory://", embed_model="none") as memory:
        return memory.add(folder / "notes").added


def _captured(_: Path) -> object:
    with Memory.open("memory://", embed_model="none", rerank_model="none") as memory:
        memory.search("where is the boat?")
        return memory.admin.captured().questions


def _llm(_: Path) -> object:
    with Memory.open("memory://") as memory:
        return memory.models.llm_status().model


def _llm_limits(_: Path) -> object:
    """Whether a call to a model that costs something is refused."""
    meter = Purse(open_spending(config.data_folder()), Price(1, 1), Languages(config.load()).limits)
    try:
        return meter.settle(meter.hold("m", 500_000, 0), None)
    except SpendRefused as error:
        return error.message.partition("; ")[2].partition(" is")[0]


def _llm_price(_: Path) -> object:
    with Memory.open("memory://", llm_model="openai:some-model") as memory:
        return memory.models.llm_status().price


def _stage(name: str) -> object:
    with Memory.open("memory://", embed_model="none", rerank_model="none") as memory:
        answer = memory.search("an otter that nobody has seen")
        return next(stage.reason for stage in answer.stages if stage.name == name)


def _web(path: str = "searxng:{url}", late: float = 0.0, **flags: Any) -> object:
    """The hosts of two results, and whether a page would have been read; or what went wrong."""
    rows = [
        {"url": f"https://{name}/", "link": "https://c.example/"}
        for name in ("a.example", "b.example:8080")
    ]

    def answered(_: object) -> Said:
        time.sleep(late)
        return found(*rows)

    server = WebServer()
    server.pages |= {"/search": answered, "/v1": answered}
    engine = {"web_engine": path.replace("{url}", server.url)} if path else {}
    try:
        with Memory.open("memory://", **{"web_when": "asked", **engine, **flags}) as memory:
            shown = memory.web.search("otters").results
            return " ".join(one.url.split("/")[2] for one in shown)
    except RecollectError as error:
        return error.message.partition(",")[0]
    finally:
        server.close()


def _web_read(_: Path) -> object:
    """How many pages of results are asked for: those of this machine are refused."""
    server = WebServer()
    server.pages["/search"] = found({"url": "http://localhost/"})
    with Memory.open(
        "memory://", web_when="asked", web_engine=f"searxng:{server.url}"
    ) as memory:  # fmt: skip
        shown = memory.web.search("otters").results
    server.close()
    return [bool(one.note) for one in shown]


_TWO = "a.example b.example:8080"


def _device(_: Path) -> object:
    """What the doctor says of a device that is not there."""
    with Memory.open("memory://") as memory:
        told = next(one for one in examine(memory).checks if one.name == "models")
    return told.state if "CUDAExecutionProvider" in told.text else ""


def _embed_price(_: Path) -> object:
    """Billionths of a dollar that are set aside for a thousand tokens."""
    from recollect.memory.llm import embedding_purse

    purse = embedding_purse(config.load(), "mystery", "https://box.example/v1")
    return purse.hold("mystery", 1000, 0).nanos


MISSING = "the model arctic-embed-s is not on this machine"
CASES = {
    "store": Case("{folder}/elsewhere", _store, "store", "elsewhere"),
    "models": Case("{folder}/elsewhere", _models, MISSING, "ready"),
    "mode": Case("conservative", _mode, ("balanced", 12_000), ("conservative", 4_000)),
    "search.limit": Case("3", _search_limit, 12, 3),
    "search.named": Case("2", _search_named, 9, 2),
    "search.share": Case("0.01", _several_shown, True, False),
    "search.keep": Case("0", _far_away, "no_results", "needs_synthesis"),
    "search.min_confidence": Case("0.99", _search_limit, 12, 0),
    "search.cut": Case("false", _far_away, "no_results", "needs_synthesis"),
    "search.recency": Case("1", _first_found, "boat-0", "boat-11"),
    "search.rerank": Case("0", _rerank_reads, "ran", "skipped"),
    "search.detail": Case("document", _detail, "spans", "document"),
    "search.budget": Case("60", _search_budget, (12_000, False), (60, True)),
    "search.think": Case(
        "true",
        lambda _: _stage("think"),
        "switched off",
        "no language model is configured",
    ),
    "search.expand": Case(
        "2",
        lambda _: _stage("expand"),
        "switched off",
        "no language model is configured",
    ),
    "search.owner": Case("ann", _found, 12, 4),
    "search.scopes": Case("work,home", _found, 12, 8),
    "cache.enabled": Case("false", _tier_of_the_second, 0, 3),
    "cache.similarity": Case("1", _in_other_words, 1, 3),
    "cache.ttl": Case("60", _cache_ttl, 0, 1),
    "cache.size": Case("5", _cache_size, 1000, 5),
    "telemetry": Case("false", _telemetry, 1, 0),
    "capture": Case("true", _captured, 0, 1),
    "warm": Case("off", _warm, "ok", "skip"),
    "downstream": Case("claude-opus-4-7", _downstream, "conservative", "balanced"),
    "embed.model": Case(
        "none",
        _vector_stage,
        ("skipped", "nothing is embedded yet"),
        ("skipped", "no embedding model is in use"),
    ),
    "embed.price": Case("2", _embed_price, 0, 2_000_000),
    "device": Case("cuda", _device, "", "warn"),
    "llm.model": Case("ollama:llama3.2", _llm, "none", "ollama:llama3.2"),
    "llm.daily_limit": Case("0.4", _llm_limits, 0, "llm.daily_limit"),
    "llm.command_limit": Case("0.4", _llm_limits, 0, "llm.command_limit"),
    "llm.price": Case("0.25/2", _llm_price, None, Price(0.25, 2)),
    "rerank.model": Case("{folder}/overlap", _rerank_stage, "skipped", "ran"),
    "web.when": Case(
        "asked",
        lambda _: _web(web_when=None),
        "the web is not asked",
        _TWO,
    ),
    "web.engine": Case(
        "brave:http://127.0.0.1:9/",
        lambda _: _web(""),
        "no search engine is configured",
        "127.0.0.1: Connection refused",
    ),
    "web.fields": Case("url=link", lambda _: _web("json:{url}/v1?q={query}"), _TWO, "c.example"),
    "web.allow": Case("a.example", lambda _: _web(), _TWO, "a.example"),
    "web.deny": Case("a.example", lambda _: _web(), _TWO, "b.example:8080"),
    "web.read": Case("1", _web_read, [False], [True]),
    "web.seconds": Case(
        "0.1",
        lambda _: _web(late=0.5),
        _TWO,
        "127.0.0.1: it did not answer in time",
    ),
    "import.owner": Case("ann", _import_owner, "local", "ann"),
    "import.scopes": Case("work,home", _import_scopes, {"universal"}, {"work", "home"}),
    "import.redact": Case("false", _import_redact, False, True),
    "import.thoughts": Case("yes", _import_thoughts, ["assistant"], ["thought", "assistant"]),
    "import.follow_links": Case("yes", _import_follow_links, 0, 1),
    "import.max_mb": Case("1", _import_max_mb, (1, []), (0, [True])),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_changes_what_the_library_does(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name in CASES, f"{name} needs a case that shows what it does"
    case = CASES[name]
    assert case.observe(tmp_path) == case.before
    monkeypatch.setenv(SETTINGS[name].variable, case.value.format(folder=tmp_path))
    assert case.observe(tmp_path) == case.after
    assert case.before != case.after


def test_there_is_no_case_for_a_setting_that_is_gone() -> None:
    assert set(CASES) == set(SETTINGS)
