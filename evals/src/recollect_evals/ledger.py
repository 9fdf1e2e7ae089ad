"""Where runs are kept: a folder, ``.recollect-evals`` unless another is named.

    results.jsonl        one line a finished run: what was measured, of what, with what, and how
    runs/NAME.jsonl      its questions, one a line
    code/HASH.json       the files of the code that runs were made with
    partial/KEY.jsonl    the questions that an unfinished run has asked so far
    stores/…             what is being asked, as long as it is

A run is finished when its questions are moved to ``runs`` and its line is appended, in this order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect.errors import InputError, NotFound
from recollect_evals.rows import Row

FOLDER = Path(".recollect-evals")


class Ledger:
    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder.expanduser()

    # -------------------------------------------------------------- an unfinished run

    def partial(self, key: str) -> list[Row]:
        """The rows that were kept under this key; what was being written when it ended is not."""
        file = self._partial(key)
        if not file.exists():
            return []
        good: list[Row] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                good.append(Row.from_json(json.loads(line)))
            except (json.JSONDecodeError, InputError):
                break
        file.write_text("".join(_line(row._asdict()) for row in good), encoding="utf-8")
        return good

    def keep(self, key: str, row: Row) -> None:
        file = self._partial(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a", encoding="utf-8") as out:
            out.write(_line(row._asdict()))

    def _partial(self, key: str) -> Path:
        return self.folder / "partial" / f"{key}.jsonl"

    # -------------------------------------------------------------- finished ones

    def finish(
        self,
        name: str,
        key: str,
        rows: Sequence[Row],
        about: Mapping[str, Any],
        files: Mapping[str, str],
    ) -> dict[str, Any]:
        """Keep a run under the next free name, with the files of the code that it was made with,
        and tell what is kept of it."""
        runs, code = self.folder / "runs", self._code(about["code"])
        code.parent.mkdir(parents=True, exist_ok=True)
        code.write_text(_line(files), encoding="utf-8")
        runs.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            run = f"{name}-{number}"
            with suppress(FileExistsError), open(runs / f"{run}.jsonl", "x", encoding="utf-8") as o:
                o.writelines(_line(row._asdict()) for row in rows)
                break
            number += 1
        record = {"run": run, **about}
        with open(self.folder / "results.jsonl", "a", encoding="utf-8") as out:
            out.write(_line(record))
        self._partial(key).unlink(missing_ok=True)
        return record

    def records(self) -> Iterator[dict[str, Any]]:
        file = self.folder / "results.jsonl"
        if not file.exists():
            return
        with open(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise InputError(f"{file}:{number}: not JSON: {error.msg}") from error

    def record(self, run: str) -> dict[str, Any]:
        """A finished run by its name; ``latest`` is the last one."""
        known = list(self.records())
        found = [one for one in known if run in ("latest", one["run"])]
        if not found:
            names = ", ".join(one["run"] for one in known[-5:]) or "none"
            raise NotFound(f"there is no run {run!r} in {self.folder}", hint=f"the last: {names}")
        return found[-1]

    def files(self, run: str) -> dict[str, str]:
        """The files that had a say in a run, with their hashes."""
        record = self.record(run)
        try:
            found: dict[str, str] = json.loads(self._code(record["code"]).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"which files {record['run']} was made with is not known", hint="run it again"
            ) from error
        return found

    def _code(self, name: str) -> Path:
        return self.folder / "code" / f"{name}.json"

    def rows(self, run: str) -> list[Row]:
        file = self.folder / "runs" / f"{run}.jsonl"
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror}") from error
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found.append(Row.from_json(json.loads(line)))
            except json.JSONDecodeError as error:
                raise InputError(f"{file}:{number}: not JSON: {error.msg}") from error
        return found


def _line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
