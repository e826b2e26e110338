"""Which data sources a command reads, from its flags."""

import re
import shutil
import sys
from datetime import timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.datasources.logfile.specs import STDIN, expand_logs
from superbizagent.domain.incident import Incident
from superbizagent.domain.model import Model
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.window import Window
from superbizagent.errors import UsageError
from superbizagent.settings import Settings

__all__ = ["SourceSpec", "build_sources", "read_zone", "source_spec"]

_AROUND = timedelta(minutes=15)
"""Before and after a time that was named: an incident is seldom longer."""
_FARTHEST_MINUTES = 14 * 60
"""UTC+14 is the farthest zone there is."""


class SourceSpec(Model):
    """The sources of one session; stored with it."""

    bundle: str = ""
    logs: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Service name -> files, as they were found when the command was given."""
    log_tz: str = ""


def source_spec(
    bundle: str | None, logs: tuple[str, ...], settings: Settings, spool: Path
) -> SourceSpec:
    """Read ``--logs NAME=GLOB`` and the bundle argument.

    Args:
        bundle: a folder, or None.
        logs: the flags as given; ``-`` or ``NAME=-`` is standard input.
        settings: for the zone of log lines.
        spool: file that standard input is copied to, so that a resume still has it.

    Raises:
        UsageError: when a flag has another form or matches no file.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, paths in expand_logs(logs).items():
        read = [_spool_stdin(spool) if path == STDIN else path.absolute() for path in paths]
        found[name] = tuple(str(path) for path in read)
    folder = str(Path(bundle).absolute()) if bundle else ""
    return SourceSpec(bundle=folder, logs=found, log_tz=settings.log_tz)


def _spool_stdin(spool: Path) -> Path:
    spool.parent.mkdir(parents=True, exist_ok=True)
    with spool.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out)
    return spool


def build_sources(
    spec: SourceSpec, settings: Settings, incident: Incident
) -> tuple[DataSource, ...]:
    """Build the sources of a session.

    Times that the incident names help to place logs whose times carry no zone.

    Raises:
        UsageError: when nothing was named to read, or the zone of log lines is none.
    """
    zone = read_zone(spec.log_tz) if spec.log_tz else None
    sources: list[DataSource] = []
    if spec.bundle:
        labels = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
        sources.append(BundleSource(Path(spec.bundle), "bundle", labels, log_tz=zone))
    if spec.logs:
        files = {name: [Path(p) for p in paths] for name, paths in spec.logs.items()}
        sources.append(LogFileSource(files, log_tz=zone, references=_spans(incident)))
    if not sources:
        raise UsageError(
            "nothing to look at: name a recorded incident (superbiz diagnose FOLDER) or logs"
            " (--logs NAME=GLOB)"
        )
    return tuple(sources)


def _spans(incident: Incident) -> tuple[Window, ...]:
    """Where the incident lies, as far as somebody said so."""
    if incident.start or incident.end:
        end = incident.end or incident.received_at
        return (Window(start=min(incident.start or end - _AROUND, end), end=end),)
    told = [incident.at, *(alert.starts_at for alert in incident.alerts)]
    return tuple(Window(start=at - _AROUND, end=at + _AROUND) for at in told if at)


def read_zone(text: str) -> tzinfo:
    """Read ``+08:00`` or an IANA name such as ``Asia/Shanghai``.

    Raises:
        UsageError: when it is neither.
    """
    match = re.fullmatch(r"(?:UTC)?([+-])(\d{1,2}):?(\d{2})?", text)
    if match:
        sign = -1 if match[1] == "-" else 1
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        if minutes <= _FARTHEST_MINUTES:
            return timezone(sign * timedelta(minutes=minutes))
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"{text!r} is no time zone; write +08:00 or a name such as Asia/Shanghai"
        ) from None
