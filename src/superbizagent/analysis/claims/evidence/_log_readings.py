"""Readings of logs and of topology: counts that no stored fact has."""

from collections.abc import Callable, Iterator
from typing import Any

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.claims.evidence.looks import names_in, services_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.outputs import Topology
from superbizagent.domain.window import Instant, Window

__all__ = ["readings_of_logs", "readings_of_topology"]

_SEVERITIES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("records", lambda _: True),
    ("error_records", lambda severity: severity in {"error", "fatal"}),
    ("warning_records", lambda severity: severity == "warn"),
)


def readings_of_logs(call: int, digest: LogDigest, entity_of: EntityOf) -> Iterator[Fact]:
    """Yield counts, times and numeric fields of every template, then totals of every service."""
    for k, template in enumerate(digest.templates):
        entity = entity_of({"service": template.service}) or ""
        yield from _of_template(f"E{call}.t{k}", digest, template, entity, f"template/{k}")
    # What was left out would be missing in a total.
    if digest.templates_left_out == 0:
        yield from _totals(call, digest, entity_of)


def _of_template(
    head: str, digest: LogDigest, template: LogTemplate, entity: str, place: str
) -> Iterator[Fact]:
    about: dict[str, Any] = {"name": f"log:{template.id}", "entity": entity, "place": place}
    for name, window, count in _counts(digest, [template]):
        yield Fact(
            id=f"{head}{name}.count",
            statistic="count" if not name else "baseline_count",
            value=float(count),
            unit="records",
            window=window,
            **about,
        )
    times = (("first_at", template.first_at), ("last_at", template.last_at))
    for statistic, at in times:
        if at is not None:
            named: dict[str, Any] = {"statistic": statistic, "value": _iso(at), "at": at}
            yield Fact(id=f"{head}.{statistic}", **about, **named)
    windows = digest.windows
    before = windows.baselines[0] if windows.baselines else None
    for n, stat in enumerate(template.fields):
        more: dict[str, Any] = about | {"name": f"field:{stat.key}", "unit": stat.unit}
        values = (
            ("before.median", "baseline_median", stat.baseline_median, before),
            ("median", "median", stat.incident_median, windows.incident),
            ("max", "max", stat.incident_max, windows.incident),
        )
        for name, statistic, value, window in values:
            if value is not None and window is not None:
                yield Fact(
                    id=f"{head}.f{n}.{name}",
                    statistic=statistic,
                    value=round_significant(value),
                    window=window,
                    **more,
                )


def _counts(digest: LogDigest, templates: list[LogTemplate]) -> Iterator[tuple[str, Window, int]]:
    yield "", digest.windows.incident, sum(t.incident_count for t in templates)
    if digest.windows.baselines:
        total = sum(t.baseline_count for t in templates)
        yield ".before", digest.windows.baselines[0], total


def _totals(call: int, digest: LogDigest, entity_of: EntityOf) -> Iterator[Fact]:
    for k, service in enumerate(services_of(digest)):
        mine = [t for t in digest.templates if t.service == service]
        for name, counts in _SEVERITIES:
            chosen = [t for t in mine if counts(t.severity)]
            for period, window, count in _counts(digest, chosen):
                yield Fact(
                    id=f"E{call}.v{k}{period}.{name}",
                    entity=entity_of({"service": service}) or "",
                    name=name,
                    statistic="count",
                    value=float(count),
                    unit="records",
                    window=window,
                    place=f"service/{service}",
                )


def readings_of_topology(call: int, topology: Topology, entity_of: EntityOf) -> Iterator[Fact]:
    """Yield how many callers and callees every node has, itself not counted."""
    edges = {(e.caller, e.callee) for e in topology.edges if e.caller != e.callee}
    for k, name in enumerate(names_in(topology)):
        for statistic, side in (("callers", 1), ("callees", 0)):
            yield Fact(
                id=f"E{call}.n{k}.{statistic}",
                entity=entity_of({"service": name}) or "",
                name=f"edge:{name}",
                statistic=statistic,
                value=float(sum(edge[side] == name for edge in edges)),
                place=f"node/{name}",
            )


def _iso(at: Instant) -> str:
    return at.isoformat().replace("+00:00", "Z")
