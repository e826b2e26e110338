"""``superbiz record``: copy what live systems know about a span of time into a bundle."""

import asyncio
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import click
import orjson

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import settings_for
from superbizagent.cli.intake import parse_span, parse_when, read_alert
from superbizagent.cli.live import parse_header
from superbizagent.cli.record_logs import cut_logs
from superbizagent.cli.sources import read_zone
from superbizagent.datasources.bundle.trace_cut import CutTraces, cut_traces
from superbizagent.datasources.bundle.writer import (
    Recording,
    WrittenFile,
    changing_series,
    check_target,
    write_bundle,
)
from superbizagent.datasources.logfile import expand_logs
from superbizagent.datasources.prometheus import (
    PrometheusClient,
    PrometheusReader,
    firing_alerts,
)
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window
from superbizagent.errors import NothingReadableError, UsageError
from superbizagent.settings import Settings, local_timezone

__all__ = ["record"]

_MOST_SERIES_WITHOUT_SCOPE = 20_000
_USUAL_SPAN = timedelta(minutes=45)
"""An incident of quarter of an hour with a baseline of twice its length."""
_RULE_FIELDS = ("type", "name", "query", "duration", "labels", "annotations")
_DEFAULT_SCRAPE_SECONDS = 60.0
"""Prometheus's own default, for servers that do not tell theirs."""
_TIME = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What to record."""

    prometheus: str
    alertmanager: str | None
    headers: Mapping[str, str]
    services: tuple[str, ...]
    window: Window
    alert: bytes
    logs: Mapping[str, Sequence[Path]]
    traces: Sequence[Path]
    texts: Mapping[str, str]
    log_tz: str
    log_zone: tzinfo | None


@click.command()
@click.option("--prometheus", required=True, metavar="URL", help="Server to read metrics from.")
@click.option("--alertmanager", metavar="URL", help="Take the firing alerts from this server.")
@click.option("--alert", metavar="FILE", help="Webhook body to put in; - reads standard input.")
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Record this service; repeatable. Default: all of them, on a small server.",
)
@click.option(
    "--logs", multiple=True, metavar="NAME=GLOB", help="Log files of the service NAME; repeatable."
)
@click.option(
    "--traces",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Spans to put in: OTLP, Jaeger or Zipkin JSON, or a table; repeatable.",
)
@click.option("--log-tz", help="Zone of log lines that carry none, e.g. +08:00.")
@click.option(
    "--topology",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="topology.yaml to put in.",
)
@click.option(
    "--changes",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="changes.jsonl to put in.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Sent with each request, e.g. 'X-Scope-OrgID: shop'; repeatable.",
)
@click.option("--from", "since", metavar="TIME", help="Start: ISO 8601, 09:15 or -45m.")
@click.option("--to", "until", metavar="TIME", help="End. Default: now.")
@click.option("--last", metavar="SPAN", help="Length back from now, e.g. 45m (the default).")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder to write; must not exist or be empty.",
)
def record(  # noqa: PLR0913 - one argument a flag
    *,
    prometheus: str,
    alertmanager: str | None,
    alert: str | None,
    services: tuple[str, ...],
    logs: tuple[str, ...],
    traces: tuple[Path, ...],
    log_tz: str | None,
    topology: Path | None,
    changes: Path | None,
    headers: tuple[str, ...],
    since: str | None,
    until: str | None,
    last: str | None,
    out: Path,
) -> None:
    """Record metrics, logs, traces and the alert of an incident into a folder.

    The folder can be diagnosed offline and handed on: secrets in it are masked, and only series
    that change are kept.

    Example: superbiz record --prometheus http://localhost:9090 --service checkout --service mysql
    --logs checkout='/var/log/checkout/*.log' --last 45m --out incident
    """
    settings = settings_for(log_tz=log_tz)
    request = _Request(
        prometheus=prometheus,
        alertmanager=alertmanager,
        headers=dict(parse_header(text) for text in headers),
        services=services,
        window=_window(since, until, last, settings, SystemClock().now()),
        alert=read_alert(alert).encode() if alert else b"",
        logs=expand_logs(logs),
        traces=traces,
        texts=_texts({"topology.yaml": topology, "changes.jsonl": changes}),
        log_tz=settings.log_tz,
        log_zone=read_zone(settings.log_tz) if settings.log_tz else None,
    )
    check_target(out)
    # A key of its own: pseudonyms agree within a recording and cannot be matched across two.
    redactor = Redactor(secrets.token_bytes(32))
    recording = asyncio.run(_read(request, settings, redactor))
    _list(out, write_bundle(out, recording), request)


def _window(
    since: str | None, until: str | None, last: str | None, settings: Settings, now: datetime
) -> Window:
    zone = settings.timezone or local_timezone()
    if last and since:
        raise UsageError("--last cannot be combined with --from; choose one")
    end = parse_when(until, zone, now) if until else now
    start = (
        parse_when(since, zone, now) if since else end - (parse_span(last) if last else _USUAL_SPAN)
    )
    if end <= start:
        raise UsageError(f"the span ends at {end} before it starts at {start}; swap them")
    return Window(start=start, end=end)


def _texts(paths: Mapping[str, Path | None]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, path in paths.items():
        if path is None:
            continue
        try:
            texts[name] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{str(path)!r} cannot be read as text: {error}") from None
    return texts


async def _read(request: _Request, settings: Settings, redactor: Redactor) -> Recording:
    async with PrometheusClient(request.prometheus, headers=request.headers) as client:
        reader = PrometheusReader(client)
        version = await reader.version()
        rules = _rules(await reader.rules())
        step_seconds = await reader.scrape_interval_seconds() or _DEFAULT_SCRAPE_SECONDS
        selectors = await _selectors(reader, request.services, settings)
        click.echo(f"reading {client.address}", err=True)
        series = await reader.read(selectors, request.window)
        await _check_found(series, client, request, settings)
    if not reader.keeps_staleness:
        click.echo(f"{client.address} has no remote read: staleness markers are left out", err=True)
    alert = request.alert or await _alerts(request, settings)
    traces = await asyncio.to_thread(_traces, request, redactor)
    return Recording(
        series=_redact_labels(
            changing_series(
                series, step_ms=round(step_seconds * 1000), keep=_metrics_of_rules(rules)
            ),
            redactor,
        ),
        alert=_redact_json(alert, redactor),
        logs=await asyncio.to_thread(
            cut_logs, request.logs, request.window, request.log_zone, redactor
        ),
        traces=traces.data,
        traces_size=f"{traces.spans:,} spans, {traces.traces:,} traces",
        rules=redactor.json(rules),
        texts={name: redactor.text(text) for name, text in request.texts.items()},
        source={
            "server": "prometheus",
            "version": version,
            "scrape_interval_seconds": step_seconds,
            "staleness_markers": reader.keeps_staleness,
            "services": list(request.services),
            "from": request.window.start.isoformat(),
            "to": request.window.end.isoformat(),
            **({"log_timezone": request.log_tz} if request.log_tz else {}),
        },
    )


def _traces(request: _Request, redactor: Redactor) -> CutTraces:
    try:
        cut = cut_traces(request.traces, request.window, request.services, redactor)
    except (OSError, ValueError) as error:
        raise UsageError(f"--traces: {error}") from error
    for note in cut.notes:
        click.echo(note, err=True)
    if request.traces and not cut.spans:
        about = f" of {', '.join(request.services)}" if request.services else ""
        click.echo(f"no spans{about} in the files of --traces within the span", err=True)
    return cut


async def _selectors(
    reader: PrometheusReader, services: tuple[str, ...], settings: Settings
) -> list[Selector]:
    if services:
        value = "|".join(re.escape(name) for name in services)
        return [
            Selector(matchers=(Matcher(label=label, op=MatchOp.REGEX, value=value),))
            for label in settings.entity_labels
        ]
    count = await reader.series_count()
    if count is None or count > _MOST_SERIES_WITHOUT_SCOPE:
        size = "an unknown number of" if count is None else f"{count:,}"
        raise UsageError(
            f"this server holds {size} series, too many to copy;"
            " name the services concerned with --service"
        )
    return [Selector(matchers=(Matcher(label="__name__", op=MatchOp.REGEX, value=".+"),))]


async def _check_found(
    series: SeriesSet, client: PrometheusClient, request: _Request, settings: Settings
) -> None:
    """Raise when nothing was found; say which services have no series."""
    found = {labels.get(label) for labels in series.labels for label in settings.entity_labels}
    missing = [name for name in request.services if name not in found]
    span = f"{request.window.start:{_TIME}} and {request.window.end:{_TIME}} UTC"
    if len(series) and not missing:
        return
    known: set[str] = set()
    for label in settings.entity_labels:
        known.update(await client.get_data(f"/api/v1/label/{label}/values"))
    names = ", ".join(sorted(known)[:12]) or "none"
    if not len(series):
        about = f" of {', '.join(request.services)}" if request.services else ""
        raise NothingReadableError(
            f"{client.address} has no samples{about} between {span};"
            f" check the times and --service (it knows: {names})"
        )
    click.echo(f"no series of {', '.join(missing)} between {span}; known: {names}", err=True)


async def _alerts(request: _Request, settings: Settings) -> bytes:
    if request.alertmanager is None:
        return b""
    async with PrometheusClient(request.alertmanager, headers=request.headers) as client:
        body = await firing_alerts(client, settings.entity_labels, request.services)
    if not body["alerts"]:
        click.echo(f"{client.address} has no firing alert about these services", err=True)
        return b""
    return orjson.dumps(body)


def _redact_labels(series: SeriesSet, redactor: Redactor) -> SeriesSet:
    """Mask secrets in label values."""
    values = sorted({value for labels in series.labels for value in labels.values()})
    masked = dict(zip(values, redactor.lines(values), strict=True))

    def mask(labels: Labels) -> Labels:
        return {name: masked[value] for name, value in labels.items()}

    return SeriesSet.of((mask(s.labels), s.times, s.values) for s in series)


def _redact_json(body: bytes, redactor: Redactor) -> bytes:
    """Mask secrets in a JSON text; without any it stays as it is, byte for byte."""
    try:
        value = orjson.loads(body)
    except ValueError:
        return redactor.text(body.decode(errors="replace")).encode()
    masked = redactor.json(value)
    return body if masked == value else orjson.dumps(masked)


def _rules(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules without file names, states and run times."""
    return {
        "groups": [
            {
                "name": group.get("name", ""),
                "interval": group.get("interval"),
                "rules": [
                    {k: rule[k] for k in _RULE_FIELDS if k in rule}
                    for rule in group.get("rules", ())
                ],
            }
            for group in data.get("groups", ())
        ]
    }


def _metrics_of_rules(rules: Mapping[str, Any]) -> set[str]:
    """Return every word of the rules' queries; the metric names are among them."""
    queries = (rule.get("query", "") for group in rules["groups"] for rule in group["rules"])
    return {word for query in queries for word in re.findall(r"[a-zA-Z_:][\w:]*", query)}


def _list(out: Path, files: tuple[WrittenFile, ...], request: _Request) -> None:
    total = sum(f.size_bytes for f in files)
    click.echo(
        f"{out}: {total / 1024:,.0f} KiB,"
        f" {request.window.start.isoformat()} to {request.window.end.isoformat()}"
    )
    for file in files:
        click.echo(f"  {file.name:<28}{file.size_bytes / 1024:>9,.1f} KiB  {file.content}".rstrip())
    if not any(f.name == "alert.json" for f in files):
        click.echo("no alert in it: give one with --alert, or ask with --question later", err=True)
    click.echo(f"next: superbiz diagnose {out}", err=True)
