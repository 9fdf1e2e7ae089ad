"""The picture in the README: the page itself, on the samples that ship, in a real Chromium.

python docs/picture.py [QUESTION]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import browsing  # noqa: E402  it lies beside the tests

QUESTION = "Why did we move login sessions to Postgres?"
WIDE, HIGH = 1120, 760


def main(question: str = QUESTION) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        samples = ROOT / "src" / "recollect" / "samples"
        _recollect(home, "add", str(samples / "vault"), str(samples / "sessions.jsonl")).wait()
        served = _recollect(home, "serve", "--port", "0", "--json")
        assert served.stdout is not None
        said = ""
        while not said.rstrip().endswith("}"):
            said += served.stdout.readline()
        place = json.loads(said)
        try:
            with browsing(home / "profile") as browser:
                browser.look(wide=WIDE, high=HIGH)
                browser.open(place["link"])
                for asked in ("warm up", question):
                    browser.open(f"{place['url'].rstrip('/')}/?q={quote(asked)}")
                browser.picture(DOCS / "page.png", whole=False)
        finally:
            served.terminate()
            served.wait()


def _recollect(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "recollect", *words], text=True, stdout=subprocess.PIPE,
        env={**os.environ, "RECOLLECT_HOME": str(home)},
    )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
