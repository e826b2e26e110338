"""Readings of log digests that the checks of playbooks need: counts and fields of templates."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.plan import ToolName
from superbizagent.domain.series import Labels
from superbizagent.domain.skill import Check, Reduce

__all__ = ["log_drafts", "log_matches"]


def log_matches(check: Check, template: LogTemplate, digest: LogDigest) -> bool:
    """Tell whether a template, or a kept line of it, has one of the check's texts."""
    texts = [template.text, *(digest.lines[i].text for i in template.lines)]
    folded = [text.casefold() for text in texts]
    return any(part.casefold() in text for part in check.contains for text in folded)


def log_drafts(
    digest: LogDigest, checks: Sequence[Check], entity_of: Callable[[Labels], str | None]
) -> Iterator[dict[str, Any]]:
    """Yield the facts of every template that a log check is about, without ids."""
    asked = [c for c in checks if c.tool is ToolName.SEARCH_LOGS]
    for row, template in enumerate(digest.templates):
        matching = [c for c in asked if log_matches(c, template, digest)]
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
