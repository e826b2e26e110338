"""Facts of one log call: counts, then each strong template with its lines and its numbers."""

from typing import Any

from superbizagent.analysis._fact_list import EntityOf, FactList
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import FieldStat, LogDigest, LogTemplate
from superbizagent.domain.window import from_ms, to_ms

__all__ = ["facts_of_logs"]

_LINES = 2  # first and last line of a template; more add nothing a reader can cite
_FIELDS = 6


def facts_of_logs(
    call: int, digest: LogDigest, entity_of: EntityOf, limit: int = 12
) -> tuple[Fact, ...]:
    """Return the facts of a log call, the ``limit`` strongest templates among them.

    Of every template: its count before and during, service, severity, message, when it came first,
    verbatim lines, and its numeric fields at their maximum with the line that holds it.
    """
    facts = FactList(call)
    windows = digest.windows
    facts.add(
        "records", float(digest.records_in_incident), statistic="count", window=windows.incident
    )
    facts.add("records_read", float(digest.records_read), statistic="count", window=windows.whole)
    for k, template in enumerate(digest.templates[:limit]):
        _add_template(facts, digest, k, template, entity_of({"service": template.service}) or "")
    return tuple(facts.items)


def _add_template(
    facts: FactList, digest: LogDigest, number: int, template: LogTemplate, entity: str
) -> None:
    windows = digest.windows
    place = f"template/{number}"
    about: dict[str, Any] = {"name": f"log:{template.id}", "entity": entity, "place": place}
    text = _line_text(digest, template)
    facts.add(
        value=float(template.incident_count),
        statistic="count",
        unit="records",
        window=windows.incident,
        quote=text,
        **about,
    )
    if windows.baselines:
        facts.add(
            value=float(template.baseline_count),
            statistic="baseline_count",
            unit="records",
            window=windows.baselines[0],
            **about,
        )
    facts.add(value=template.service, statistic="service", quote=text, **about)
    facts.add(value=template.severity, statistic="severity", quote=text, **about)
    facts.add(value=template.text, statistic="message", quote=text, **about)
    onset = template.onset_at or template.first_at
    if onset is not None:
        iso = from_ms(to_ms(onset)).isoformat().replace("+00:00", "Z")
        facts.add(value=iso, statistic="onset_at", at=onset, quote=text, **about)
    for line in _ends(template.lines):
        _add_line(facts, digest, line, about)
    for stat in template.fields[:_FIELDS]:
        _add_field(facts, digest, stat, about)


def _line_text(digest: LogDigest, template: LogTemplate) -> str:
    return digest.lines[template.lines[0]].text if template.lines else template.text


def _ends(lines: tuple[int, ...]) -> tuple[int, ...]:
    return lines if len(lines) <= _LINES else (lines[0], lines[-1])


def _add_line(facts: FactList, digest: LogDigest, index: int, about: dict[str, Any]) -> None:
    line = digest.lines[index]
    more = about | {"place": f"{about['place']}/line/{index}"}
    facts.add(value=line.text, statistic="line", at=line.at, quote=line.text, **more)


def _add_field(facts: FactList, digest: LogDigest, stat: FieldStat, about: dict[str, Any]) -> None:
    windows = digest.windows
    more = about | {"name": f"field:{stat.key}", "unit": stat.unit}
    if stat.baseline_median is not None and windows.baselines:
        before = windows.baselines[0]
        facts.add(value=stat.baseline_median, statistic="baseline_median", window=before, **more)
    if stat.incident_median is not None:
        facts.add(value=stat.incident_median, statistic="median", window=windows.incident, **more)
    if stat.incident_max is None or stat.incident_max_line is None:
        return
    line = digest.lines[stat.incident_max_line]
    held = more | {"place": f"{about['place']}/line/{stat.incident_max_line}"}
    facts.add(value=stat.incident_max, statistic="max", at=line.at, quote=line.text, **held)
