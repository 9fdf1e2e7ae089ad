"""``python -m bench.sbom``: what an installation consists of, as CycloneDX 1.6 JSON.

recollect and everything it needs to run, with the extras that are installed, as this environment
has them: name, version, licence, and the hash of each distribution's list of files (RECORD), which
has the hashes of the files themselves. Nothing is looked up anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from bench import asked

NAME = "recollect"
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def main() -> int:
    found = {_key(one.name): one for one in needed(NAME)}
    own = found.pop(NAME)
    json.dump(
        {
            "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
            "metadata": {"component": component(own, "application")},
            "components": [component(found[name]) for name in sorted(found)],
            "dependencies": [
                {"ref": _purl(one), "dependsOn": sorted(_purl(d) for d in direct(one))}
                for one in (own, *(found[name] for name in sorted(found)))
            ],
        },
        sys.stdout, indent=2,
    )  # fmt: skip
    print()
    return 0


def needed(name: str) -> Iterator[Distribution]:
    """A distribution and all that it needs, each once."""
    seen: set[str] = set()
    waiting = [distribution(name)]
    while waiting:
        one = waiting.pop()
        if _key(one.name) not in seen:
            seen.add(_key(one.name))
            yield one
            waiting += direct(one)


def direct(one: Distribution) -> list[Distribution]:
    """What it requires, of what is installed here; what another system would need is not."""
    found = {}
    for line in one.requires or ():
        if (match := _REQUIREMENT.match(line)) and not _elsewhere(line):
            try:
                found[_key(match[0])] = distribution(match[0])
            except PackageNotFoundError:
                continue
    return list(found.values())


def _elsewhere(line: str) -> bool:
    """Whether it belongs to an extra of somebody else's; those of recollect count if installed."""
    return "extra ==" in line and not any(
        f"extra == {quote}{extra}{quote}" in line
        for extra in ("pdf", "postgres", "server") for quote in "'\""
    )  # fmt: skip


def component(one: Distribution, kind: str = "library") -> dict[str, Any]:
    about: dict[str, Any] = {
        "type": kind, "bom-ref": _purl(one), "name": one.name, "version": one.version,
        "purl": _purl(one),
    }  # fmt: skip
    fields = one.metadata.json
    licence = str(fields.get("license_expression") or fields.get("license") or "")
    if licence and "\n" not in licence:
        about["licenses"] = [{"license": {"name": licence}}]
    if record := one.read_text("RECORD"):
        digest = hashlib.sha256(record.encode()).hexdigest()
        about["properties"] = [{"name": "python:record:sha256", "value": digest}]
    return about


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _purl(one: Distribution) -> str:
    return f"pkg:pypi/{_key(one.name)}@{one.version}"


if __name__ == "__main__":
    asked.words("sbom", __doc__)
    sys.exit(main())
