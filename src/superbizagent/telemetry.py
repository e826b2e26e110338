"""Our own logs: structured, on stderr, silent unless asked for.

Called once by the composition root. Everything below it asks for a logger by name.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger

__all__ = ["bind_session", "configure_logging", "get_logger"]


def configure_logging(level: str = "warning", *, json: bool = False) -> None:
    """Send log lines at or above ``level`` to stderr, as text or as one JSON object a line."""
    import structlog  # noqa: PLC0415 - 30 ms that `superbiz --version` must not pay

    renderer = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _one_line,
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Where it leads when a line is written: what it led to before may be closed by then.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _one_line(_: object, __: str, event: "EventDict") -> "EventDict":
    """Keep what strangers wrote from ending a line, or steering the terminal that shows it."""
    for name, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[name] = "".join(c if c.isprintable() else "?" for c in value)
    return event


def get_logger(name: str) -> "FilteringBoundLogger":
    """Return the logger of one module."""
    import structlog  # noqa: PLC0415 - 30 ms that `superbiz --version` must not pay

    if not structlog.is_configured():  # its own default writes everything to standard output
        configure_logging()
    return structlog.get_logger(component=name)


def bind_session(session_id: str) -> None:
    """Put the session id on every log line of this task."""
    import structlog  # noqa: PLC0415 - 30 ms that `superbiz --version` must not pay

    structlog.contextvars.bind_contextvars(session_id=session_id)
