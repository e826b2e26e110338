"""What a failed request means: denied, too slow, or another failure."""

from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import DataSourceError, DeniedDataSourceError

__all__ = ["HttpStatus", "http_status", "status_of"]


class HttpStatus(Exception):  # noqa: N818 - a cause that errors carry, never raised by itself
    """The status of the answer behind a `DataSourceError`, as its cause."""

    def __init__(self, code: int, retry_after_seconds: float = 0.0) -> None:
        super().__init__(code, retry_after_seconds)
        self.code = code
        self.retry_after_seconds = retry_after_seconds


def http_status(error: BaseException) -> int:
    """Return the HTTP status behind an error, 0 when there was no answer."""
    return error.__cause__.code if isinstance(error.__cause__, HttpStatus) else 0


def status_of(error: DataSourceError) -> EvidenceStatus:
    """Return the evidence status that an error stands for, from what caused it."""
    if isinstance(error, DeniedDataSourceError):
        return EvidenceStatus.DENIED
    if isinstance(error.__cause__, TimeoutError):
        return EvidenceStatus.TIMEOUT
    return EvidenceStatus.ERROR
