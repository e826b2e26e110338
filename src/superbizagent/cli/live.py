"""Live systems of a command: which, how they let us in, and what of that may be stored.

Addresses are stored with a session, so that a resume needs no flags; secrets never are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.servers import AlertsTogether, Server, choose_servers
from superbizagent.domain.incident import Incident
from superbizagent.domain.protocols import AlertLister, DataSource
from superbizagent.domain.window import Window
from superbizagent.errors import UsageError
from superbizagent.investigation.scope import leading_alert
from superbizagent.settings import RECORDED, HttpSourceSettings, Settings

if TYPE_CHECKING:
    from superbizagent.datasources.jaeger import JaegerSource
    from superbizagent.datasources.kubernetes.live import KubernetesApi
    from superbizagent.datasources.loki import LokiSource
    from superbizagent.datasources.prometheus import (
        AlertmanagerSource,
        HttpAccess,
        PrometheusSource,
    )

__all__ = [
    "KINDS",
    "Kind",
    "LiveFlags",
    "access_to",
    "alert_listers",
    "build_live",
    "build_server",
    "cluster_source",
    "is_live",
    "kind_of",
    "live_addresses",
    "parse_header",
    "read_live_flags",
    "servers_of",
    "span_of",
]

Kind = Literal["prometheus", "alertmanager", "loki", "jaeger", "kubernetes"]
KINDS: tuple[Kind, ...] = ("prometheus", "alertmanager", "loki", "jaeger", "kubernetes")

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
    """Read the address of each of `KINDS`, ``--prometheus`` and the like, and ``--header``.

    What ``--kubernetes`` gives may be a path as well, which is none of ours.

    Raises:
        UsageError: when a header has another form, or there is nobody to send one to.
    """
    urls: dict[Kind, str] = {kind: str(flags[kind]) for kind in KINDS if flags.get(kind)}
    if not urls.get("kubernetes", "").startswith(("http://", "https://")):
        urls.pop("kubernetes", None)
    headers = dict(parse_header(text) for text in flags.get("headers") or ())
    return LiveFlags(urls, headers)


def live_addresses(flags: LiveFlags, settings: Settings, *, configured: bool) -> dict[str, str]:
    """Return name -> address without credentials, of the flags and then of the settings.

    Args:
        flags: of this command; an address replaces every server of its kind.
        settings: the rest.
        configured: whether systems that only the settings name are read.

    Raises:
        UsageError: when an address is none.
    """
    from superbizagent.datasources.prometheus import HttpAccess

    found: dict[str, str] = {}
    for kind in KINDS:
        named = {kind: flags.urls[kind]} if kind in flags.urls else {}
        if not named and configured:
            named = {name: own.url for name, own in settings.sources.servers(kind).items()}
        for name, address in named.items():
            found[name] = HttpAccess(address).address
    return found


def access_to(name: str, address: str, flags: LiveFlags, settings: Settings) -> "HttpAccess":
    """Return how one system lets us in.

    Credentials of the settings go to the host that the settings name and to no other: an address
    on the command line does not get them unless it is of the same host.

    Args:
        name: which system: its kind, or its name in the settings.
        address: as it was stored, or given.
        flags: of this command; their headers and credentials win.
        settings: the rest.

    Raises:
        UsageError: when the address is none, or the settings do not know the name any more.
        ConfigError: when the variable of a secret is not set.
    """
    from superbizagent.datasources.prometheus import HttpAccess

    given = {str(kind): url for kind, url in flags.urls.items()}.get(name, "")
    access = HttpAccess(given or address, headers=flags.headers)
    own = _settings_of(name, access, settings)
    if own is None:
        return access
    return HttpAccess(
        # The settings' own address may carry a user name, which no session stores.
        url=given or own.url or address,
        headers={
            **{name: value.get_secret_value() for name, value in own.headers.items()},
            **flags.headers,
        },
        username=own.username,
        password=own.secret("password"),
        bearer_token=own.secret("bearer_token"),
        bearer_token_file=own.bearer_token_file,
        ca_file=own.ca_file,
        client_cert_file=own.client_cert_file,
        client_key_file=own.client_key_file,
        proxy=own.proxy,
    )


def _settings_of(name: str, access: "HttpAccess", settings: Settings) -> HttpSourceSettings | None:
    """Return what the settings say of a server: by its name, else by its host."""
    from superbizagent.datasources.prometheus import HttpAccess

    kind = kind_of(name, settings)
    by_name = settings.sources.servers(kind).get(name)
    candidates = (by_name,) if by_name else settings.sources.given(kind)
    return next(
        (o for o in candidates if not o.url or access.is_same_host(HttpAccess(o.url))), None
    )


def kind_of(name: str, settings: Settings) -> Kind:
    """Return which kind of system a name stands for.

    Raises:
        UsageError: when the settings do not know it any more.
    """
    for kind in KINDS:
        if name == kind or name in settings.sources.servers(kind):
            return kind
    raise UsageError(f"no source is called {name!r} any more; name it in [sources] as it was")


def build_live(
    addresses: Mapping[str, str], flags: LiveFlags, settings: Settings, incident: Incident
) -> tuple[DataSource, ...]:
    """Build the live sources of a session: those that the incident's alert is for.

    Args:
        addresses: name -> address.
        flags: headers and credentials of this command.
        settings: the other ways in, and the caps.
        incident: tells which span will be asked about, and which servers are concerned.

    Raises:
        UsageError: when an address is none.
    """
    kept = choose_servers(servers_of(addresses, settings), incident).kept
    span = span_of(incident) if kept else None
    return tuple(
        build_server(
            name, access_to(name, addresses[name], flags, settings), settings, span, incident
        )
        for name in addresses
        if name in kept and span is not None
    )


def servers_of(addresses: Mapping[str, str], settings: Settings) -> dict[str, Server]:
    """Return the kind of each server and the labels of the alerts that it is for."""
    found: dict[str, Server] = {}
    for name in addresses:
        kind = kind_of(name, settings)
        own = settings.sources.servers(kind).get(name)
        found[name] = Server(kind, own.match if own else {})
    return found


def build_server(
    name: str,
    access: "HttpAccess",
    settings: Settings,
    span: Window,
    incident: Incident | None = None,
) -> "PrometheusSource | AlertmanagerSource | LokiSource | JaegerSource | KubernetesApi":
    """Build one live source.

    Args:
        name: of the server.
        access: how it lets us in.
        settings: its labels and limits.
        span: what will be asked about.
        incident: tells a cluster's namespaces.
    """
    from superbizagent.datasources.loki import LokiLimits, LokiSource
    from superbizagent.datasources.prometheus import AlertmanagerSource, Limits, PrometheusSource

    kind = kind_of(name, settings)
    if kind == "kubernetes":
        return cluster_source(access, settings, incident)
    own = _settings_of(name, access, settings) or HttpSourceSettings()
    clock = SystemClock()
    kinds = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
    if kind == "loki":
        # A thread that reads cannot be stopped from outside: it must end by itself in time.
        seconds = min(own.timeout_seconds, settings.deadline_seconds / 2)
        limits = LokiLimits(
            timeout_seconds=seconds,
            read_seconds=settings.deadline_seconds / 2,
            concurrency=settings.caps.concurrency,
        )
        return LokiSource(
            access, span, clock, name=name, label_entities=kinds, labels=own.match, limits=limits
        )
    if kind == "jaeger":
        return _jaeger(name, access, settings, span, own.timeout_seconds)
    limits = Limits(
        max_samples=settings.caps.max_samples,
        concurrency=settings.caps.concurrency,
        timeout_seconds=own.timeout_seconds,
    )
    if kind == "alertmanager":
        return AlertmanagerSource(access, clock, name=name, labels=own.match, limits=limits)
    return PrometheusSource(
        access, span, clock, name=name, label_entities=kinds, labels=own.match, limits=limits
    )


def _jaeger(
    name: str, access: "HttpAccess", settings: Settings, span: Window, timeout_seconds: float
) -> "JaegerSource":
    from superbizagent.datasources.jaeger import JaegerLimits, JaegerSource

    limits = JaegerLimits(
        max_searches=settings.caps.max_queries,
        concurrency=settings.caps.concurrency,
        timeout_seconds=min(timeout_seconds, settings.deadline_seconds / 3),
    )
    return JaegerSource(access, span, SystemClock(), name=name, limits=limits)


def cluster_source(
    access: "HttpAccess", settings: Settings, incident: Incident | None, namespace: str = ""
) -> "KubernetesApi":
    """Build the source of a live cluster.

    Args:
        access: how its API lets us in.
        settings: namespaces and time-outs.
        incident: its alerts name namespaces to look at where the whole may not be listed.
        namespace: that the way in is meant for; likewise.
    """
    from superbizagent.datasources.kubernetes.live import KubernetesApi

    own = settings.sources.kubernetes
    named = [a.labels.get("namespace", "") for a in (incident.alerts if incident else ())]
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


def is_live(source: DataSource) -> bool:
    """Tell a live system from a recording and from log files."""
    return source.name not in RECORDED


def alert_listers(sources: tuple[DataSource, ...]) -> list[AlertLister]:
    """Return what lists alerts, Alertmanager first: it knows which are silenced.

    Servers of one kind are asked together, because each knows other alerts.
    """
    from superbizagent.datasources.prometheus import AlertmanagerSource

    listers = [source for source in sources if isinstance(source, AlertLister)]
    first = [source for source in listers if isinstance(source, AlertmanagerSource)]
    rest = [source for source in listers if source not in first]
    return [AlertsTogether(part) if len(part) > 1 else part[0] for part in (first, rest) if part]
