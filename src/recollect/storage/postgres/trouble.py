"""What a server says is wrong, as our errors, each with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool
from psycopg import errors

from recollect.errors import RecollectError, StoreBusy, StoreCorrupt, StoreError, UsageError

GONE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg_pool.PoolTimeout,
)
"""The connection, or the server itself, may be away; these are tried again."""
LOST = (errors.SerializationFailure, errors.DeadlockDetected)
"""The transaction lost against another, and would win if it were tried again."""
_LASTING = (
    errors.InvalidPassword,
    errors.InvalidAuthorizationSpecification,
    errors.InvalidCatalogName,
    errors.QueryCanceled,
    errors.LockNotAvailable,
    errors.DiskFull,
    errors.OutOfMemory,
    errors.ConfigurationLimitExceeded,
    errors.ProgramLimitExceeded,
    errors.InsufficientPrivilege,
)


def may_pass(error: BaseException) -> bool:
    """Whether a new connection could help."""
    if isinstance(error, _LASTING) or not isinstance(error, GONE):
        return False
    if isinstance(error, psycopg_pool.PoolTimeout):
        return False
    # What has a code comes from the server: class 57 is its shutdown, class 08 a connection.
    code = getattr(error, "sqlstate", None)
    return code is None or code[:2] in ("57", "08") or code == "53300"


@contextmanager
def translated(shown: str) -> Iterator[None]:
    try:
        yield
    except RecollectError:
        raise
    except UnicodeEncodeError as error:
        raise UsageError(
            f"a text has half a character (U+{ord(error.object[error.start]):04X})",
            hint="save it as UTF-8 and try again",
        ) from error
    except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
        raise told(shown, error) from error


def told(shown: str, error: Exception) -> RecollectError:
    """The error in our words."""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    if isinstance(error, psycopg_pool.PoolTimeout | errors.TooManyConnections):
        return StoreBusy(
            f"{shown}: every connection is in use", hint="try again, or raise pool= in the URL"
        )
    for kind, hint in _HINTS:
        if isinstance(error, kind):
            return (StoreBusy if kind in _PASSING else StoreError)(f"{shown}: {said}", hint=hint)
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreCorrupt(f"{shown}: {said}", hint="restore the database from a backup")
    if isinstance(error, psycopg.ProgrammingError) and "invalid" in said and "URI" in said:
        return UsageError(f"the store's URL cannot be read: {said}")
    if isinstance(error, GONE):
        whole = str(error)  # a connection that is refused has no code, only words
        hints = (hint for words, hint in _REFUSED if all(word in whole for word in words))
        return StoreError(
            f"{shown}: {said}", hint=next(hints, "check that the server runs and the URL is right")
        )
    return StoreError(f"{shown}: {said}")


_REFUSED = (
    (("database", "does not exist"), "make the database first: CREATE DATABASE …"),
    (("role", "does not exist"), "check the user in the URL, or make it: CREATE ROLE … LOGIN"),
    (("password",), "check user and password, or put them into ~/.pgpass"),
    (("pg_hba.conf",), "the server lets nobody in from here: see its pg_hba.conf"),
    (("session is read-only",), "none of these servers takes writes: promote a standby of them"),
    (("too many",), "every connection of the server is in use: try again"),
)
_PASSING = (errors.QueryCanceled, errors.LockNotAvailable, *LOST)
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (errors.InvalidPassword, "check user and password, or put them into ~/.pgpass"),
    (errors.InvalidAuthorizationSpecification, "check the user, and pg_hba.conf on the server"),
    (errors.InvalidCatalogName, "make the database first: CREATE DATABASE …"),
    (errors.DiskFull, "the server's disk is full: nothing of this was stored; make room"),
    (errors.QueryCanceled, "the server was too slow; try again, or raise timeout= in the URL"),
    (errors.LockNotAvailable, "another process is writing; try again"),
    (errors.SerializationFailure, "others were writing the same; try again"),
    (errors.DeadlockDetected, "others were writing the same; try again"),
    (
        errors.InsufficientPrivilege,
        "this role lacks a right: docs/postgres.md has the GRANT statements",
    ),
    (errors.CheckViolation, "a partition may be detached: `recollect doctor` names it"),
    (errors.ReadOnlySqlTransaction, "this server takes no writes: give the primary's URL"),
)
