"""What a failed request means: denied, too slow, or another failure."""

import re

from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import DataSourceError, DeniedDataSourceError

__all__ = ["EXCERPT_CHARACTERS", "HttpStatus", "excerpt_of", "http_status", "status_of"]

EXCERPT_CHARACTERS = 160


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


def excerpt_of(body: bytes, content_type: str) -> str:
    """Return the beginning of an answer on one line, for messages; of a web page its words."""
    text = body[: 8 * EXCERPT_CHARACTERS].decode(errors="replace")
    if "html" in content_type:
        text = re.sub(r"(?is)<(style|script)\b.*?(</\1>|$)|<[^>]*>?", " ", text)
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:EXCERPT_CHARACTERS] or "an empty answer"
