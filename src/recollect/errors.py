"""Every error that recollect raises, and who must act on it.

    RecollectError                 exit 1  http 500
    ├── UsageError                 exit 2  http 400   the caller: fix the call
    │   ├── QueryError             exit 2  http 400     … its query text
    │   └── ConfigError            exit 2  http 400     … a setting
    ├── NotFound                   exit 3  http 404   the caller: there is no such thing
    ├── InputError                 exit 1  http 422   the owner of a file that was given to us
    ├── Cancelled                  exit 1  http 499   nobody: the caller gave it up, or time is over
    ├── ServiceDenied              exit 1  http 500   us: a part asked for what it was not given
    ├── StoreError                 exit 1  http 500   the operator: the store cannot do it
    │   ├── StoreBusy              exit 1  http 503     … now; try again
    │   ├── StoreChanged           exit 1  http 409     … since it was read; look again
    │   ├── StoreTooNew            exit 1  http 409     … with this version of recollect
    │   └── StoreCorrupt           exit 1  http 500     … until it is repaired
    ├── WebError                   exit 1  http 502   nobody here: the web does not answer
    │   └── WebRefused             exit 1  http 403     … or may not be asked for this
    └── ModelError                 exit 1  http 503   the operator: a model cannot be used
        ├── ModelMissing           exit 1  http 503     … because it is not on this machine
        ├── ModelUnreachable       exit 1  http 503     … because it does not answer, or not in time
        ├── ModelBusy              exit 1  http 503     … now; try again later
        ├── ModelUnauthorised      exit 1  http 503     … without another key, or credit
        ├── ModelRefused           exit 1  http 502     … for this request
        │   └── ModelTooLong       exit 1  http 502       … because it is too long for it
        ├── ModelGarbled           exit 1  http 502     … because its answer makes no sense
        └── SpendRefused           exit 1  http 402     … without spending more than you allow

A message says what happened and to what; the hint says what to do next. Nothing else is raised
on purpose: a bare ``ValueError`` or ``sqlite3.Error`` that reaches a caller is a bug of ours.
"""

from __future__ import annotations


def in_a_line(error: BaseException) -> str:
    """What an error says, short enough for a report: its first line, or else its name."""
    return str(error).partition("\n")[0] or type(error).__name__


def with_advice(error: BaseException) -> str:
    """What an error says in a line, and what to do about it."""
    hint = getattr(error, "hint", "")
    return f"{in_a_line(error)} ({hint})" if hint else in_a_line(error)


class RecollectError(Exception):
    """The root of the tree."""

    exit_code = 1
    http_status = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(RecollectError):
    exit_code = 2
    http_status = 400


class QueryError(UsageError):
    pass


class ConfigError(UsageError):
    pass


class NotFound(RecollectError):
    exit_code = 3
    http_status = 404


class InputError(RecollectError):
    http_status = 422


class Cancelled(RecollectError):
    http_status = 499


class ServiceDenied(RecollectError):
    pass


class StoreError(RecollectError):
    pass


class StoreBusy(StoreError):
    http_status = 503


class StoreChanged(StoreError):
    http_status = 409


class StoreTooNew(StoreError):
    http_status = 409


class StoreCorrupt(StoreError):
    pass


class WebError(RecollectError):
    http_status = 502


class WebRefused(WebError):
    http_status = 403


class ModelError(RecollectError):
    http_status = 503

    @property
    def may_cost(self) -> bool:
        """Whether the request may have been worked on."""
        return True


class ModelMissing(ModelError):
    pass


class ModelUnreachable(ModelError):
    def __init__(self, message: str, *, hint: str = "", sent: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.sent = sent
        """Whether the request had been sent, so that it may cost something."""

    @property
    def may_cost(self) -> bool:
        return self.sent


class ModelBusy(ModelError):
    def __init__(self, message: str, *, hint: str = "", after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.after = after
        """In how many seconds to try again, if it said so."""

    @property
    def may_cost(self) -> bool:
        return False


class ModelUnauthorised(ModelError):
    @property
    def may_cost(self) -> bool:
        return False


class ModelRefused(ModelError):
    http_status = 502

    @property
    def may_cost(self) -> bool:
        return False


class ModelTooLong(ModelRefused):
    pass


class ModelGarbled(ModelError):
    http_status = 502


class SpendRefused(ModelError):
    http_status = 402


def os_reason(error: OSError) -> str:
    """Returns what the system says went wrong."""
    return error.strerror or str(error)
