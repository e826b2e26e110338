"""Turn command-line words into an `Incident`, and nothing else."""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from superbizagent.domain.incident import Channel, Incident, report_language
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.window import is_plausible
from superbizagent.errors import UsageError
from superbizagent.investigation.wording.values import zone_of

__all__ = [
    "build_incident",
    "is_there",
    "parse_span",
    "parse_when",
    "read_alert",
]

_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SHOWN = 80
_LONGEST_SPAN_SECONDS = 50 * 365 * 86400
"""Back from now it stays behind 1970."""
_LARGEST_ALERT = 8 * 1024 * 1024
"""Bytes; Alertmanager's largest groups stay below one megabyte."""


def parse_span(text: str) -> timedelta:
    """Read ``90s``, ``15m``, ``1h30m``.

    Raises:
        UsageError: when it is not a length of time.
    """
    parts = _SPAN.findall(text)
    if not parts or "".join(n + u for n, u in parts) != text:
        raise UsageError(f"{text!r} is no length of time; write 90s, 15m or 1h30m")
    seconds = sum(float(n) * _UNIT_SECONDS[u] for n, u in parts)
    if seconds > _LONGEST_SPAN_SECONDS:
        raise UsageError(f"{text!r} is too long; write a span of at most 50 years")
    span = timedelta(seconds=seconds)
    if not span:
        raise UsageError(f"{text!r} is no time at all; write 90s, 15m or 1h30m")
    return span


def parse_when(text: str, zone: str, now: datetime) -> datetime:
    """Read an instant: ISO 8601, ``HH:MM[:SS]`` of today, epoch seconds, ``now`` or ``-15m``.

    A text without a zone is read in ``zone``.

    Raises:
        UsageError: when it is not an instant, or none at which an incident may be.
    """
    try:
        at = _read_when(text, zone, now)
    except OverflowError:
        at = None
    if at is None or not is_plausible(at):
        raise UsageError(f"{text!r} is too far away for an incident; check the year")
    return at


def _read_when(text: str, zone: str, now: datetime) -> datetime:
    """Read any instant; see `parse_when`."""
    local = zone_of(zone)
    if text == "now":
        return now
    if text.startswith("-"):
        return now - parse_span(text[1:])
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        return datetime.fromtimestamp(float(text), UTC)
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", text):
        text = f"{now.astimezone(local):%Y-%m-%d} {text.zfill(5)}"
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is no time; write 2026-11-30T09:15:00+08:00, 09:15, -15m or now"
        ) from None
    return (at if at.tzinfo else at.replace(tzinfo=local)).astimezone(UTC)


def is_there(name: str) -> bool:
    """Tell whether a file or folder of that name is there, whatever the name holds."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False  # no name of a file can be so long, or hold a zero


def read_alert(name: str) -> str:
    """Return the text of an alert file, of standard input for ``-``, or the text given itself.

    Raises:
        UsageError: when it cannot be read or is too large to be an alert.
    """
    if _is_alert_text(name):
        return name
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST_ALERT + 1)
        else:
            with Path(name).open("rb") as stream:
                data = stream.read(_LARGEST_ALERT + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"alert {name[:_SHOWN]!r} cannot be read: {why}; check the path") from None
    if len(data) > _LARGEST_ALERT:
        raise UsageError(f"alert {name!r} is larger than 8 MiB; pass one webhook body")
    return data.decode("utf-8", errors="replace")


def _is_alert_text(name: str) -> bool:
    """Tell an alert that was pasted from the name of a file: no such file is there."""
    if name == "-" or is_there(name):
        return False
    return bool(parse_payload(name).alerts) or any(c in name for c in "\n{[")


def build_incident(  # noqa: PLR0913 - one argument a flag
    *,
    alert: str | None,
    question: str,
    services: tuple[str, ...],
    last: str | None,
    since: str | None,
    until: str | None,
    at: str | None,
    language: str,
    locale: str,
    zone: str,
    now: datetime,
) -> Incident:
    """Build the incident from the flags of ``superbiz diagnose``.

    Raises:
        UsageError: when flags contradict each other or cannot be read.
    """
    if last and (since or until or at):
        raise UsageError("--last cannot be combined with --from, --to or --at; choose one")
    if at and (since or until):
        raise UsageError("--at cannot be combined with --from or --to; choose one")
    end = parse_when(until, zone, now) if until else (now if last else None)
    start = now - parse_span(last) if last else parse_when(since, zone, now) if since else None
    if start and end and end <= start:
        raise UsageError(f"--to {until!r} is not after --from {since!r}; swap them")
    payload = parse_payload(read_alert(alert)) if alert else None
    question = question or (payload.question if payload else "")
    for note in payload.notes if payload else ():
        click.echo(f"alert: {note}", err=True)
    return Incident(
        channel=Channel.CHAT if question and not (payload and payload.alerts) else Channel.AIOPS,
        alerts=payload.alerts if payload else (),
        question=question,
        notes=payload.notes if payload else (),
        services=services,
        at=parse_when(at, zone, now) if at else None,
        start=start,
        end=end,
        received_at=now,
        language=report_language(language, question, locale),
        timezone=zone,
    )
