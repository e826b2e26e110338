"""Live systems of a command: which, how they let us in, and what of that may be stored.

Addresses are stored with a session, so that a resume needs no flags; secrets never are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from pydantic import SecretStr

from superbizagent.cli.clock import SystemClock
from superbizagent.domain.incident import Incident
from superbizagent.domain.protocols import AlertLister, DataSource
from superbizagent.domain.window import Window
from superbizagent.errors import UsageError
from superbizagent.investigation.scope import leading_alert
from superbizagent.settings import HttpSourceSettings, Settings

if TYPE_CHECKING:
    from superbizagent.datasources.prometheus import HttpAccess

__all__ = [
    "KINDS",
    "Kind",
    "LiveFlags",
    "access_to",
    "alert_listers",
    "build_live",
    "cluster_source",
    "live_addresses",
    "parse_header",
    "read_live_flags",
    "span_of",
]

Kind = Literal["prometheus", "alertmanager", "kubernetes"]
KINDS: tuple[Kind, ...] = ("prometheus", "alertmanager", "kubernetes")

_LONGEST = timedelta(minutes=60)
_BEFORE = timedelta(minutes=10)
"""Alerts fire late; this much more than the scope takes before one."""
_GAP = timedelta(minutes=2)
_BASELINE = timedelta(minutes=30)


@dataclass(frozen=True)
class LiveFlags:
    """What the flags say of live systems. Holds secrets: it is neither stored nor printed."""

    urls: Mapping[Kind, str] = field(default_factory=dict[Kind, str], repr=False)
    """Kind -> address as it was given."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def header_names(self) -> tuple[str, ...]:
        """Names of the headers, sorted."""
        return tuple(sorted(self.headers))

    @property
    def with_user(self) -> tuple[Kind, ...]:
        """Systems whose address holds a user name."""
        return tuple(kind for kind, url in self.urls.items() if "@" in url)


def parse_header(text: str) -> tuple[str, str]:
    """Read ``Name: value``.

    Raises:
        UsageError: when it has another form.
    """
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not value.strip().isprintable():
        raise UsageError("a --header is written as 'Name: value'")
    return name.strip(), value.strip()


def read_live_flags(flags: Mapping[str, Any]) -> LiveFlags:
    """Read ``--prometheus``, ``--alertmanager``, ``--kubernetes`` and ``--header``.

    What ``--kubernetes`` gives may be a path as well, which is none of ours.

    Raises:
        UsageError: when a header has another form, or there is nobody to send one to.
    """
    urls: dict[Kind, str] = {kind: str(flags[kind]) for kind in KINDS if flags.get(kind)}
    if not urls.get("kubernetes", "").startswith(("http://", "https://")):
        urls.pop("kubernetes", None)
    headers = dict(parse_header(text) for text in flags.get("headers") or ())
    return LiveFlags(urls, headers)


def live_addresses(flags: LiveFlags, settings: Settings, *, configured: bool) -> dict[Kind, str]:
    """Return kind -> address without credentials, of the flags and then of the settings.

    Args:
        flags: of this command.
        settings: the rest.
        configured: whether systems that only the settings name are read.

    Raises:
        UsageError: when an address is none.
    """
    found: dict[Kind, str] = {}
    for kind in KINDS:
        own: HttpSourceSettings = getattr(settings.sources, kind)
        address = flags.urls.get(kind) or (own.url if configured else "")
        if address:
            found[kind] = access_to(kind, address, flags, settings).address
    return found


def access_to(kind: Kind, address: str, flags: LiveFlags, settings: Settings) -> "HttpAccess":
    """Return how one system lets us in.

    Credentials of the settings go to the host that the settings name and to no other: an address
    on the command line does not get them unless it is of the same host.

    Args:
        kind: which system.
        address: as it was stored, or given.
        flags: of this command; their headers and credentials win.
        settings: the rest.

    Raises:
        UsageError: when the address is none.
    """
    from superbizagent.datasources.prometheus import HttpAccess

    own: HttpSourceSettings = getattr(settings.sources, kind)
    access = HttpAccess(flags.urls.get(kind) or address, headers=flags.headers)
    if own.url and not access.is_same_host(HttpAccess(own.url)):
        return access
    return HttpAccess(
        # The settings' own address may carry a user name, which no session stores.
        url=flags.urls.get(kind) or (own.url or address),
        headers={
            **{name: value.get_secret_value() for name, value in own.headers.items()},
            **flags.headers,
        },
        username=own.username,
        password=_plain(own.password),
        bearer_token=_plain(own.bearer_token),
        bearer_token_file=own.bearer_token_file,
        ca_file=own.ca_file,
        client_cert_file=own.client_cert_file,
        client_key_file=own.client_key_file,
        proxy=own.proxy,
    )


def _plain(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""


def build_live(
    addresses: Mapping[Kind, str], flags: LiveFlags, settings: Settings, incident: Incident
) -> tuple[DataSource, ...]:
    """Build the live sources of a session.

    Args:
        addresses: kind -> address.
        flags: headers and credentials of this command.
        settings: the other ways in, and the caps.
        incident: tells which span will be asked about.

    Raises:
        UsageError: when an address is none.
    """
    if not addresses:
        return ()
    from superbizagent.datasources.prometheus import (
        AlertmanagerSource,
        Limits,
        PrometheusSource,
    )

    found: list[DataSource] = []
    for kind, address in addresses.items():
        own: HttpSourceSettings = getattr(settings.sources, kind)
        access = access_to(kind, address, flags, settings)
        limits = Limits(
            max_samples=settings.caps.max_samples,
            concurrency=settings.caps.concurrency,
            timeout_seconds=own.timeout_seconds,
        )
        if kind == "kubernetes":
            found.append(cluster_source(access, settings, incident))
            continue
        if kind == "alertmanager":
            found.append(AlertmanagerSource(access, SystemClock(), limits=limits))
            continue
        kinds = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
        source = PrometheusSource(
            access, span_of(incident), SystemClock(), label_entities=kinds, limits=limits
        )
        found.append(source)
    return tuple(found)


def cluster_source(
    access: "HttpAccess", settings: Settings, incident: Incident, namespace: str = ""
) -> DataSource:
    """Build the source of a live cluster.

    Args:
        access: how its API lets us in.
        settings: namespaces and time-outs.
        incident: its alerts name namespaces to look at where the whole may not be listed.
        namespace: that the way in is meant for; likewise.
    """
    from superbizagent.datasources.kubernetes.live import KubernetesApi

    own = settings.sources.kubernetes
    named = [a.labels.get("namespace", "") for a in incident.alerts]
    return KubernetesApi(
        access,
        SystemClock(),
        namespaces=own.namespaces,
        fallback=tuple(dict.fromkeys(n for n in (*named, namespace) if n)),
        concurrency=settings.caps.concurrency,
        timeout_seconds=min(own.timeout_seconds, settings.deadline_seconds / 3),
        seconds=settings.deadline_seconds / 2,
    )


def span_of(incident: Incident) -> Window:
    """Return the time that a diagnosis of this incident may ask about: it and its baseline."""
    now = incident.received_at
    if incident.start or incident.end:
        end = incident.end or now
        start = min(incident.start or end - _LONGEST, end)
    else:
        start, end = _around(incident, now)
    length = max(3 * (end - start), _BASELINE)
    return Window(start=start - _GAP - length, end=end)


def _around(incident: Incident, now: datetime) -> tuple[datetime, datetime]:
    alert = leading_alert(incident.alerts)
    at = incident.at or (alert.starts_at if alert else None)
    if at is None or at > now:
        return now - _LONGEST, now
    return at - _BEFORE, min(at + _LONGEST, now)


def alert_listers(sources: tuple[DataSource, ...]) -> list[AlertLister]:
    """Return the sources that list alerts, Alertmanager first: it knows which are silenced."""
    ordered = sorted(sources, key=lambda source: source.name != "alertmanager")
    return [source for source in ordered if isinstance(source, AlertLister)]
