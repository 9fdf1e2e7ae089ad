"""Models, settings, clients, and whether what is installed was measured."""

from __future__ import annotations

from importlib.util import find_spec
from operator import attrgetter
from typing import Any

from recollect import config as settings
from recollect.doctor.case import Case
from recollect.doctor.report import Check, Report, State
from recollect.errors import ConfigError, ModelError, ModelMissing
from recollect.memory import verify_model
from recollect.models import catalog, devices
from recollect.nouns import group_by
from recollect.policy import MODES


def models(case: Case) -> Check:
    """The files of the models in use are what they should be, to the byte."""
    found = [_model(case, job, who) for job, who in (("embed", "embedder"), ("rerank", "reranker"))]
    found += _device(str(case.config["device"]))
    mend = next(filter(None, (check.mend for check in reversed(found))), "")
    return Check(Report(tuple(found)).state, "; ".join(check.text for check in found), mend)


def _model(case: Case, job: str, who: str) -> Check:
    name = str(case.config[f"{job}.model"])
    if name == "none":
        off = settings.SETTINGS[f"{job}.model"].default == "none"
        return Check("ok", f"no {who}{', which is the default' * off}")
    if name == "llm" or "://" in name:
        return Check("ok", f"{who}: {name}, which is no file")
    try:
        verify_model(case.config, name)
    except ModelError as error:
        state: State = "warn" if isinstance(error, ModelMissing) else "fail"
        return Check(state, error.message, how_to_have(name, job))
    return Check("ok", f"{name} is whole")


def how_to_have(name: str, job: str) -> str:
    """The command that brings a model here, or takes back that it is wanted where it is nowhere."""
    known = name in catalog.CATALOG
    return f"recollect models fetch {name}" if known else f"recollect config unset {job}.model"


def _device(name: str) -> list[Check]:
    """Whether models run where they are set to; nothing where that is the processor."""
    if name == "cpu":
        return []
    why = devices.why_not(name)
    if why:
        return [Check("warn", why, "recollect config unset device, or install what has it")]
    return [Check("ok", f"models run on {name}")]


def settings_read(_: Case) -> Check:
    """Every setting is known and takes effect."""
    try:
        config = settings.load()
    except ConfigError as error:
        return Check("fail", error.message, error.hint)
    user = settings.read_file(settings.user_file())
    odd = [*config.ignored, *(_overridden(config, *one) for one in user.items())]
    odd = list(filter(None, odd))
    if odd:
        return Check(
            "warn", odd[0], "recollect config list shows where each comes from", tuple(odd[1:])
        )
    own = sum(value.origin != "default" for value in config.values.values())
    return Check("ok", f"all known; {own} of {len(config.values)} set by you")


def _overridden(config: settings.Config, name: str, value: Any) -> str:
    """Says what overrides a setting of the user's file; empty if it takes effect."""
    used = config.values[name]
    if used.origin == "user" or used.value == settings.parsed(name, value, "config.toml"):
        return ""
    return f"{name} = {_plain(value)} of your config.toml is overridden by {used.where}"


def mode(case: Case) -> Check:
    """What is set otherwise than the mode has it."""
    config = case.config
    preset = MODES[config["mode"]]
    changed = []
    for name, value in config.values.items():
        knob = name.removeprefix("search.")
        usual = getattr(preset, knob, value.value)
        if knob != name and value.value not in (None, usual):
            where = f"{value.origin} {value.where}".strip()
            changed.append(f"{knob} is {_plain(value.value)} ({where}) and not {_plain(usual)}")
    if not changed:
        return Check("ok", f"{config['mode']}, unchanged")
    return Check("ok", f"{config['mode']}, but {'; '.join(changed)}", "recollect modes --reset")


def _plain(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple | list) else str(value)


def clients(case: Case) -> Check:
    """The agents that are connected start this very program."""
    if case.clients is None:
        return Check("skip", "they were not looked at")
    states = group_by(attrgetter("state"), case.clients)
    if broken := states.get("unreadable"):
        return Check(
            "warn",
            f"{broken[0].file} cannot be read",
            f"mend it, then recollect install {broken[0].name}",
            tuple(one.file for one in broken[1:]),
        )
    if others := states.get("other"):
        text = f"{others[0].name} starts another recollect, or with another store"
        details = tuple(f"{one.name}: {one.file}" for one in others)
        return Check("warn", text, f"recollect install {others[0].name}", details)
    connected = [one.name for one in states.get("installed", ())]
    here = [one.name for one in case.clients if one.here]
    if not connected and here:
        return Check("ok", f"none is connected ({', '.join(here)} could be: recollect install)")
    return Check("ok", f"connected: {', '.join(connected)}" if connected else "there are none here")


def warm(case: Case) -> Check:
    """Whether a process that stays answers for those that do not."""
    if not case.config["warm"]:
        return Check("skip", "the setting warm is off: every command loads what it needs")
    return Check("ok", case.holder or "nobody holds the store: every command loads what it needs")


def evals(case: Case) -> Check:
    """What was measured last is what is installed."""
    last = case.evaluated
    if last is None and find_spec("recollect_evals") is None:
        return Check("skip", "recollect-evals is not installed")
    if last is None:
        return Check("skip", "nothing was measured from this folder")
    if last.same_code:
        return Check("ok", f"{last.run} of {last.at} measured this very code")
    text = f"the code has changed since {last.run} of {last.at}"
    return Check("warn", text, "recollect eval run, then recollect eval compare")
