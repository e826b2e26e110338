"""Which data sources a command reads, from its flags."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from superbizagent.cli.live import (
    Kind,
    LiveFlags,
    build_live,
    cluster_source,
    live_addresses,
    span_of,
)
from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.changes import GIT, ChangeSource, is_repository
from superbizagent.datasources.kubernetes import KubernetesDump, is_kubeconfig
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.datasources.logfile.specs import STDIN, expand_logs
from superbizagent.datasources.payload import PayloadSource
from superbizagent.domain.incident import Incident
from superbizagent.domain.model import Model
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.window import Window
from superbizagent.errors import DataSourceError, StorageError, UsageError
from superbizagent.investigation.storm import is_storm
from superbizagent.settings import Settings, cluster_address
from superbizagent.storage.installation import private_folder

__all__ = [
    "SourceSpec",
    "build_sources",
    "drop_spool",
    "read_zone",
    "recorded_end",
    "source_spec",
    "with_changes",
]

IN_CLUSTER = "in-cluster"
"""In place of a path: the account of the pod that this runs in."""

_AROUND = timedelta(minutes=15)
"""Before and after a time that was named: an incident is seldom longer."""
_FARTHEST_MINUTES = 14 * 60
"""UTC+14 is the farthest zone there is."""


class SourceSpec(Model):
    """The sources of one session; stored with it."""

    bundle: str = ""
    kubernetes: str = ""
    """Folder or file of saved output of a cluster."""
    logs: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Service name -> files, as they were found when the command was given."""
    changes: tuple[str, ...] = ()
    """Files of deploy events, and repositories as ``git:PATH``."""
    recorded: Window | None = None
    """The time of the recording, which the repositories are read for."""
    log_tz: str = ""
    live: dict[str, str] = Field(default_factory=dict)
    """Name of live system, which is its kind where there is one -> address, no credentials."""
    header_names: tuple[str, ...] = ()
    """Headers that flags gave; their values are not stored, so a resume needs them again."""
    with_user: tuple[Kind, ...] = ()
    """Live systems whose address was given with a user name; likewise."""

    @property
    def is_given(self) -> bool:
        """Files or folders were named."""
        return bool(self.bundle or self.kubernetes or self.logs or self.changes)


def source_spec(  # noqa: PLR0913 - one argument a flag
    bundle: str | None,
    logs: tuple[str, ...],
    live: LiveFlags,
    settings: Settings,
    spool: Path,
    *,
    kubernetes: str = "",
) -> SourceSpec:
    """Read ``--logs NAME=GLOB``, ``--kubernetes PATH`` and the bundle argument.

    Args:
        bundle: a folder, or None.
        logs: the flags as given; ``-`` or ``NAME=-`` is standard input.
        live: flags of live systems; those of the settings are read as well, unless a recording
            is: that is about another time.
        settings: for the zone of log lines and the live systems.
        spool: file that standard input is copied to, so that a resume still has it.
        kubernetes: folder or file of saved output; that in the bundle is read without being named.

    Raises:
        UsageError: when a flag has another form or matches no file.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, paths in expand_logs(logs).items():
        for path in paths:
            if path.is_dir():
                pattern = f"{name}={path}/*.log"
                raise UsageError(f"--logs {str(path)!r} is a folder; write {pattern!r}")
        read = [_spool_stdin(spool) if path == STDIN else path.absolute() for path in paths]
        found[name] = tuple(str(path) for path in read)
    folder = str(Path(bundle).absolute()) if bundle else ""
    addresses = live_addresses(live, settings, configured=not folder and not kubernetes)
    if live.headers and not addresses:
        raise UsageError("--header is sent to a live system; name one with --prometheus URL")
    return SourceSpec(
        bundle=folder,
        kubernetes=""
        if "kubernetes" in live.urls
        else _cluster_place(kubernetes, folder, settings),
        logs=found,
        log_tz=settings.log_tz,
        live=addresses,
        header_names=live.header_names,
        with_user=live.with_user,
    )


def _cluster_place(given: str, folder: str, settings: Settings) -> str:
    """Where a cluster's state is read: as given, in the recording, else as the settings say."""
    if given:
        return given if given == IN_CLUSTER else str(Path(given).absolute())
    if folder:
        saved = Path(folder, "kubernetes")
        return str(saved) if saved.is_dir() else ""
    own = settings.sources.kubernetes.kubeconfig
    return str(own.expanduser().absolute()) if own else ""


def _spool_stdin(spool: Path) -> Path:
    """Keep what was piped in until the session has ended: nobody else may read it meanwhile."""
    try:
        private_folder(spool.parent.parent)
        private_folder(spool.parent)
        handle = os.open(spool, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
    except OSError as error:
        raise StorageError(
            f"standard input cannot be kept in {str(spool)!r}: {error.strerror};"
            " free some disk, or pass a file"
        ) from error
    return spool


def drop_spool(spec: SourceSpec, settings: Settings) -> None:
    """Delete what was piped in; its session has ended and holds what it needs, redacted."""
    folder = settings.data_dir.absolute() / "stdin"
    for path in (Path(p) for paths in spec.logs.values() for p in paths):
        if path.parent == folder:
            path.unlink(missing_ok=True)


def with_changes(spec: SourceSpec, places: Sequence[str]) -> SourceSpec:
    """Return the sources with what ``--changes`` names.

    Raises:
        UsageError: when a file or repository is not there.
    """
    if not places:
        return spec
    found = tuple(_place(place) for place in places)
    recorded = asyncio.run(_recorded(Path(spec.bundle))) if spec.bundle else None
    return spec.model_copy(update={"changes": found, "recorded": recorded})


def _place(given: str) -> str:
    """Check a place of changes and name it wherever the session is resumed."""
    kind = GIT if given.startswith(GIT) else ""
    path = Path(given.removeprefix(GIT)).expanduser().absolute()
    if kind and not (path.is_dir() and is_repository(path)):
        raise UsageError(f"--changes {given!r} is no git repository; name the folder of its .git")
    if not kind and path.is_dir():
        raise UsageError(f"--changes {given!r} is a folder; write git:PATH for a repository")
    if not kind and not path.is_file():
        raise UsageError(f"--changes {given!r} is no file; write FILE or git:PATH")
    return f"{kind}{path}"


async def recorded_end(folder: Path) -> datetime | None:
    """Return when a recording ends, None when it cannot be read."""
    extent = await _recorded(folder)
    return extent.end if extent else None


async def _recorded(folder: Path) -> Window | None:
    try:
        return (await BundleSource(folder).describe()).extent
    except DataSourceError:
        return None


def build_sources(
    spec: SourceSpec, live: LiveFlags, settings: Settings, incident: Incident
) -> tuple[DataSource, ...]:
    """Build the sources of a session.

    Times that the incident names help to place logs whose times carry no zone.

    Raises:
        UsageError: when nothing was named to read, the zone of log lines is none, or a flag with
            a secret is missing.
    """
    _check_secrets(spec, live)
    zone = read_zone(spec.log_tz) if spec.log_tz else None
    sources: list[DataSource] = []
    if spec.bundle:
        labels = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
        alone = not spec.kubernetes
        sources.append(BundleSource(Path(spec.bundle), "bundle", labels, log_tz=zone, alone=alone))
    if spec.kubernetes:
        sources.append(_cluster(spec.kubernetes, settings, incident))
    if spec.logs:
        files = {name: [Path(p) for p in paths] for name, paths in spec.logs.items()}
        sources.append(LogFileSource(files, log_tz=zone, references=_spans(incident)))
    if spec.changes:
        span = spec.recorded or span_of(incident)
        sources.append(ChangeSource(spec.changes, span, now=incident.received_at))
    sources += build_live(spec.live, live, settings, incident)
    if is_storm(incident, settings.entity_labels):
        sources.append(PayloadSource(incident.alerts))
    if not sources:
        raise UsageError(
            "nothing to look at: name a recorded incident (superbiz diagnose FOLDER), logs"
            " (--logs NAME=GLOB), a cluster (--kubernetes PATH) or a server (--prometheus URL)"
        )
    return tuple(sources)


def _cluster(place: str, settings: Settings, incident: Incident) -> DataSource:
    """Saved output, or a live cluster that a kubeconfig or the account of this pod leads to.

    Raises:
        UsageError: when the kubeconfig cannot be used, or this is no pod.
    """
    if place != IN_CLUSTER and not is_kubeconfig(Path(place)):
        return KubernetesDump(Path(place))
    from superbizagent.datasources.kubernetes.kubeconfig import in_cluster, read_kubeconfig

    found = in_cluster(cluster_address()) if place == IN_CLUSTER else read_kubeconfig(Path(place))
    return cluster_source(found.access, settings, incident, found.namespace)


def _check_secrets(spec: SourceSpec, live: LiveFlags) -> None:
    """Raise when a flag with a secret is missing that the session was begun with."""
    missing = [f"--{kind} with its user name" for kind in spec.with_user if kind not in live.urls]
    missing += [f"--header '{n}: …'" for n in spec.header_names if n not in live.headers]
    if missing:
        raise UsageError(
            f"this session was begun with {', '.join(missing)}; secrets are not stored, so give"
            " the same flags again"
        )


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
