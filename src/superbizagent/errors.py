"""The whole error tree.

::

    SuperbizError
    ├── UsageError              the caller asked for something that cannot be done   exit 2
    │   ├── ConflictError           what stands now does not allow it
    │   └── QueryError              a PromQL expression cannot be evaluated
    │       └── UnsupportedQueryError   it is PromQL, but not of the part evaluated offline
    ├── ConfigError             a setting or a config file is wrong                   exit 2
    ├── InterruptedSessionError the user stopped a diagnosis; it can be gone on with  exit 130
    ├── DataSourceError         a system we read from did not give what was asked
    │   ├── TemporaryDataSourceError   worth another try (busy, time-out, 5xx)
    │   └── PermanentDataSourceError   another try gives the same (denied, malformed)
    │       ├── DeniedDataSourceError      it does not let us in
    │       └── NothingReadableError   nothing at all could be looked at              exit 3
    ├── NotificationError       a channel did not take a message
    │   ├── TemporaryNotificationError   worth another try (busy, time-out, 5xx)  exit 3
    │   └── PermanentNotificationError   another try gives the same (denied, gone) exit 2
    ├── StorageError            our own database or disk failed                       exit 1
    │   ├── SessionBusyError    another process is at work on the session
    │   └── SessionLostError    another process took the session over
    ├── ReplayMismatchError     a replay asked for something else than was recorded   exit 5
    └── IntegrityError          a stored value is not what was written                exit 5

The first split is by who must act, the second by "retry or not". Expected outcomes (no data,
truncated, refused) are values of the domain, not errors. Every message names the object and says
what to do next; ``code`` is a stable word for programs. Exit code 1 stands for an
internal or storage error.
"""

from typing import ClassVar

__all__ = [
    "ConfigError",
    "ConflictError",
    "DataSourceError",
    "DeniedDataSourceError",
    "IntegrityError",
    "InterruptedSessionError",
    "NothingReadableError",
    "NotificationError",
    "PermanentDataSourceError",
    "PermanentNotificationError",
    "QueryError",
    "ReplayMismatchError",
    "SessionBusyError",
    "SessionLostError",
    "StorageError",
    "SuperbizError",
    "TemporaryDataSourceError",
    "TemporaryNotificationError",
    "UnsupportedQueryError",
    "UsageError",
]


class SuperbizError(Exception):
    """Root of every error this package raises on purpose."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1


class UsageError(SuperbizError):
    """The caller asked for something that cannot be done."""

    code = "usage"
    exit_code = 2


class ConflictError(UsageError):
    """What stands now does not allow it; later it may."""

    code = "conflict"


class QueryError(UsageError):
    """A PromQL expression cannot be evaluated: malformed, or refused by the data it met."""

    code = "query"


class UnsupportedQueryError(QueryError):
    """It is PromQL, but not of the part that is evaluated offline; ``construct`` names what."""

    code = "query_unsupported"

    def __init__(self, message: str, construct: str) -> None:
        super().__init__(message)
        self.construct = construct


class ConfigError(SuperbizError):
    """A setting or a configuration file is wrong."""

    code = "config"
    exit_code = 2


class InterruptedSessionError(SuperbizError):
    """The user stopped a diagnosis; its session can be gone on with."""

    code = "interrupted"
    exit_code = 130


class DataSourceError(SuperbizError):
    """A system we read from did not give what was asked."""

    code = "datasource"
    exit_code = 3


class TemporaryDataSourceError(DataSourceError):
    """Worth another try: busy, timed out, answered with a server error."""

    code = "datasource_temporary"


class PermanentDataSourceError(DataSourceError):
    """Another try gives the same: denied, malformed, not there."""

    code = "datasource_permanent"


class DeniedDataSourceError(PermanentDataSourceError):
    """It does not let us in: credentials are missing, wrong, or not enough."""

    code = "datasource_denied"


class NothingReadableError(PermanentDataSourceError):
    """Nothing at all could be looked at."""

    code = "nothing_readable"


class NotificationError(SuperbizError):
    """A channel did not take a message."""

    code = "notification"
    exit_code = 3


class TemporaryNotificationError(NotificationError):
    """Worth another try; ``retry_after_seconds`` is what the channel asked for, 0 for nothing."""

    code = "notification_temporary"

    def __init__(self, message: str, retry_after_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class PermanentNotificationError(NotificationError):
    """Another try gives the same: denied, misspelt, not there."""

    code = "notification_permanent"
    exit_code = 2


class StorageError(SuperbizError):
    """Our own database or disk failed."""

    code = "storage"


class SessionBusyError(StorageError):
    """Another process is at work on the session; this one leaves it alone."""

    code = "session_busy"


class SessionLostError(StorageError):
    """Another process took the session over; this one must stop."""

    code = "session_lost"


class ReplayMismatchError(SuperbizError):
    """A replay asked for something else than was recorded."""

    code = "replay_mismatch"
    exit_code = 5


class IntegrityError(SuperbizError):
    """A stored value is not what was written."""

    code = "integrity"
    exit_code = 5
