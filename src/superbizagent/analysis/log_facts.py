"""Facts of one log call: counts, then each strong template with its lines and its numbers.

What changed its level comes after those, so that the others keep their ids.
"""

from typing import Any

from superbizagent.analysis._fact_list import EntityOf, FactList
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import FieldStat, LogDigest, LogShift, LogTemplate
from superbizagent.domain.window import Instant, Window, from_ms, to_ms

__all__ = ["facts_of_logs"]

_LINES = 2  # first and last line of a template; more add nothing a reader can cite
_FIELDS = 6
_MORE = 6  # templates beyond the strongest, of which a level changed


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
    shown = list(range(min(limit, len(digest.templates))))
    moved = [k for k, template in enumerate(digest.templates) if _is_moved(template)]
    shown += [k for k in moved if k >= limit][:_MORE]
    for k in shown:
        template = digest.templates[k]
        _add_template(facts, digest, k, template, entity_of({"service": template.service}) or "")
    for k in moved:
        if k in shown:
            template = digest.templates[k]
            entity = entity_of({"service": template.service}) or ""
            _add_levels(facts, digest, template, {"entity": entity, "place": f"template/{k}"})
    return tuple(facts.items)


def _is_moved(template: LogTemplate) -> bool:
    shifts = (template.share, *(f.shift for f in template.fields))
    return any(shifts) or any(f.rare_values for f in template.fields)


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
        facts.add(value=_iso(onset), statistic="onset_at", at=onset, quote=text, **about)
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


def _iso(at: Instant) -> str:
    return from_ms(to_ms(at)).isoformat().replace("+00:00", "Z")


def _add_levels(
    facts: FactList, digest: LogDigest, template: LogTemplate, about: dict[str, Any]
) -> None:
    if template.share is not None:
        name = f"share:{_own_word(template.text, template.share.siblings)}"
        more = about | {"name": name, "unit": "ratio"}
        _add_shift(facts, digest, template, template.share, "share", more)
    for stat in template.fields[:_FIELDS]:
        more = about | {"name": f"field:{stat.key}"}
        if stat.shift is not None:
            unit = {"unit": stat.unit}
            _add_shift(facts, digest, template, stat.shift, "median", more | unit)
        if stat.rare_values:
            _add_rare(facts, digest, stat, more)


def _own_word(text: str, siblings: tuple[str, ...]) -> str:
    """Return the word in which a template differs from its siblings."""
    words = text.split(" ")
    others = [s.split(" ") for s in siblings if s != text]
    return next((w for k, w in enumerate(words) if any(o[k] != w for o in others)), "")


def _add_shift(  # noqa: PLR0913, PLR0917 - a shift of what, in which words
    facts: FactList,
    digest: LogDigest,
    template: LogTemplate,
    shift: LogShift,
    statistic: str,
    about: dict[str, Any],
) -> None:
    whole = digest.windows.whole
    rows = [digest.lines[k] for k in template.lines]
    since = next((r for r in rows if r.at is not None and r.at >= shift.at), rows[-1])
    facts.add(
        value=shift.before,
        statistic=f"{statistic}_before",
        window=Window(start=whole.start, end=shift.at),
        **about,
    )
    facts.add(
        value=shift.after,
        statistic=f"{statistic}_since",
        window=Window(start=shift.at, end=whole.end),
        quote=since.text,
        **about,
    )
    onset = shift.onset_at
    more = about | {"unit": ""}
    facts.add(value=_iso(onset), statistic="shift_at", at=onset, quote=since.text, **more)


def _add_rare(facts: FactList, digest: LogDigest, stat: FieldStat, about: dict[str, Any]) -> None:
    """Add the rare values of a code with their lines, and the usual one beside them."""
    incident = digest.windows.incident
    for count in stat.values:
        if count.value not in stat.rare_values or count.line is None or not count.incident_count:
            continue
        line = digest.lines[count.line]
        place = f"{about['place']}/line/{count.line}"
        held: dict[str, Any] = {"place": place, "at": line.at, "quote": line.text}
        more: dict[str, Any] = about | held | {"window": incident}
        facts.add(value=count.value, statistic="rare_value", **more)
        number = float(count.incident_count)
        facts.add(value=number, statistic="rare_count", unit="records", **more)
    usual = stat.values[0]
    whole: dict[str, Any] = about | {"window": digest.windows.whole}
    facts.add(value=usual.value, statistic="usual_value", **whole)
    number = float(usual.baseline_count + usual.incident_count)
    facts.add(value=number, statistic="usual_count", unit="records", **whole)
