"""Kinds of log records: how often each came before and during the incident."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.evidence.looks import service_path
from superbizagent.analysis.claims.evidence.subjects import tokens_of
from superbizagent.domain.logs import LogDigest, LogTemplate

__all__ = ["Kind", "kinds_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of log record of one call."""

    id: str
    """``E8.t3``: its place."""
    entity: str
    """Entity path, else the service's own name."""
    template: LogTemplate
    sample: str
    """Some kept records, a line each."""
    words: frozenset[str]
    """Of the template and of the kept records, lower case."""
    seconds: tuple[float, float]
    """Length of baseline and incident."""

    def count(self, period: str) -> int:
        """How many came in ``baseline`` or ``incident``."""
        found = self.template
        return found.baseline_count if period == "baseline" else found.incident_count

    @property
    def times_more(self) -> float:
        """Rate in the incident over that of the baseline; infinite when there was none before."""
        before, during = self.seconds
        if not self.template.baseline_count or not before or not during:
            return float("inf") if self.template.incident_count else 0.0
        return self.template.incident_count / during / (self.template.baseline_count / before)

    def fact_ids(self, ground: Ground, period: str = "") -> tuple[str, ...]:
        """Facts that hold the counts of one period, of both for nothing."""
        named = {"": ("count", "baseline_count"), "baseline": ("baseline_count",)}
        wanted = named.get(period, ("count",))
        call = int(self.id[1:].partition(".")[0])
        name = f"log:{self.template.id}"
        return tuple(
            f.id
            for f in ground.facts
            if f.call == call and f.name == name and f.statistic in wanted
        )


def kinds_of(ground: Ground, entities: Collection[str] = ()) -> Iterator[Kind]:
    """Yield every kind of record, of any entity when none is given, in call order."""
    for row in ground.evidence.invocations:
        if not isinstance(row.output, LogDigest):
            continue
        digest = row.output
        windows = digest.windows
        before = sum(w.length.total_seconds() for w in windows.baselines)
        seconds = (before, windows.incident.length.total_seconds())
        for k, template in enumerate(digest.templates):
            entity = service_path(template.service, ground.scope)
            if entities and entity not in entities:
                continue
            sample = "\n".join(digest.lines[i].text for i in template.lines[:3])
            words = tokens_of(f"{template.text} {sample}")
            yield Kind(f"E{row.number}.t{k}", entity, template, sample, words, seconds)
