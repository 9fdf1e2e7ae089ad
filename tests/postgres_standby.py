"""A hot standby of a PostgreSQL server, by streaming replication: two real servers."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest
from bench.servers import free_port
from psycopg.conninfo import conninfo_to_dict


class Standby:
    """A hot standby of the server at a URL, on a socket of its own."""

    def __init__(self, primary: str) -> None:
        self._primary = primary
        with psycopg.connect(primary, autocommit=True) as db:
            rows = db.execute(
                "SELECT setting, current_setting('unix_socket_directories') FROM pg_config "
                "WHERE name = 'BINDIR'"
            )
            ((programs, sockets),) = rows.fetchall()
        self._bin = Path(programs)
        if not (self._bin / "pg_basebackup").exists():
            pytest.skip(f"the server of the tests comes without pg_basebackup ({self._bin})")
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-standby-"))
        self._owner = pwd.getpwuid(Path(sockets.split(",")[0].strip()).stat().st_uid).pw_name
        shutil.chown(self.folder, self._owner)
        temporary = self._bin.is_relative_to(tempfile.gettempdir())
        if temporary and not self._bin.is_relative_to(sys.prefix):  # they go when the primary does
            copy = self.folder / "programs"
            shutil.copytree(self._bin.parent, copy, symlinks=True, copy_function=os.link)
            self._bin = copy / self._bin.name
        self.port = free_port()
        given = ("-X", "stream", "-c", "fast")
        self._call("pg_basebackup", "-d", primary, "-D", str(self.folder / "data"), "-R", *given)
        self.start()

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            check=True,
            capture_output=True,
            user=self._owner if os.geteuid() == 0 else None,
            cwd=self.folder,
            timeout=120,
            env={**os.environ, "LD_LIBRARY_PATH": str(self._bin.parent / "lib")},
        )

    def _control(self, *arguments: str) -> None:
        self._call("pg_ctl", "-D", str(self.folder / "data"), "-w", *arguments)

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses= "
        options += "-c hot_standby_feedback=on"
        self._control("-o", options, "-l", str(self.folder / "log"), "start")

    def stop(self) -> None:
        self._control("-m", "immediate", "stop")

    def promote(self) -> None:
        """Makes it a primary of its own."""
        self._control("promote")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self) -> str:
        parts = conninfo_to_dict(self._primary)
        user, database = parts.get("user") or "postgres", parts.get("dbname") or "postgres"
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute(statement.encode())
