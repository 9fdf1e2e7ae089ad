"""Whether the package, the changelog and server.json name the version that is to be released."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def named() -> dict[str, str]:
    """Where a version stands, and which."""
    package = (ROOT / "src/recollect/__init__.py").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    evals = tomllib.loads((ROOT / "evals/pyproject.toml").read_text(encoding="utf-8"))["project"]
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    plugin = json.loads(next(ROOT.glob("plugins/*/.claude-plugin/plugin.json")).read_text())
    found = re.search(r'__version__ = "(.+?)"', package)
    released = re.search(r"^## \[(\d[^\]]*)\]", changes, re.MULTILINE)
    return {
        "src/recollect/__init__.py": found[1] if found else "",
        "evals/pyproject.toml": evals["version"],
        "evals/pyproject.toml, what it needs": evals["dependencies"][0].removeprefix("recollect=="),
        "CHANGELOG.md": released[1] if released else "",
        "server.json": server["version"],
        "server.json, its package": server["packages"][0]["version"],
        "the plugin": plugin["version"],
    }


def main(wanted: str) -> int:
    wrong = {where: version for where, version in named().items() if version != wanted}
    for where, version in wrong.items():
        sys.stderr.write(f"{where} says {version or 'nothing'}, not {wanted}\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
