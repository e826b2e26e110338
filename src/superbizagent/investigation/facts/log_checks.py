"""Readings of log digests that the checks of playbooks need: counts and fields of templates."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.check import Check, Reduce
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.plan import ToolName
from superbizagent.domain.series import Labels

__all__ = ["log_drafts", "log_matches", "log_text"]


def log_text(template: LogTemplate, digest: LogDigest) -> str:
    """Return what a template and its kept lines say, whatever their case."""
    lines = (digest.lines[i].text for i in template.lines)
    return "\n".join([template.text, *lines]).casefold()


def log_matches(check: Check, text: str) -> bool:
    """Tell whether a text of `log_text` has one of the check's texts."""
    return any(part.casefold() in text for part in check.contains)


def log_drafts(
    digest: LogDigest, checks: Sequence[Check], entity_of: Callable[[Labels], str | None]
) -> Iterator[dict[str, Any]]:
    """Yield the facts of every template that a log check is about, without ids."""
    # Playbooks share most of their log checks.
    asked = {(c.contains, c.field, c.reduce): c for c in checks if c.tool is ToolName.SEARCH_LOGS}
    for row, template in enumerate(digest.templates):
        text = log_text(template, digest)
        matching = [c for c in asked.values() if log_matches(c, text)]
        if not matching:
            continue
        about: dict[str, Any] = {
            "name": f"log:{template.id}",
            "entity": entity_of({"service": template.service}) or "",
            "place": f"template/{row}",
            "window": digest.windows.incident,
        }
        quote = digest.lines[template.lines[0]].text if template.lines else template.text
        count = {"statistic": "count", "value": float(template.incident_count), "unit": "records"}
        yield about | count | {"quote": quote}
        if digest.windows.baselines:
            value = float(template.baseline_count)
            before = {"statistic": "baseline_count", "window": digest.windows.baselines[0]}
            yield about | count | before | {"value": value}
        for check in matching:
            yield from _field_drafts(check, template, about)


def _field_drafts(
    check: Check, template: LogTemplate, about: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for stat in template.fields:
        if stat.key != check.field:
            continue
        values = {Reduce.MAX: stat.incident_max, Reduce.MEAN: stat.incident_median}
        value = values.get(check.reduce)
        if value is not None:
            statistic = "max" if check.reduce is Reduce.MAX else "median"
            more = {"name": f"field:{stat.key}", "unit": stat.unit, "statistic": statistic}
            yield dict(about) | more | {"value": round_significant(value)}
