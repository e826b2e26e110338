"""What those who use an entity get, counted over the time in which it hurts.

A metric that counts events is summed over all its series of the entity, those that never became a
finding too: they are one number that labels part. Its failed ones stand against all of them, and
the time that a histogram counted against its requests. Everything is read over the acute window
and, to compare with, over the whole nearest baseline.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.families import meaning_of
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.check import Reduce
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding
from superbizagent.domain.series import Labels, Series, series_name
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.checks import counted_from, reduce_series
from superbizagent.investigation.facts.since import count_sibling
from superbizagent.investigation.facts.symptom import is_served
from superbizagent.investigation.facts.windows import CheckWindows

__all__ = ["facts_of_impact", "felt_first", "impact_metric"]

FAMILIES = ("err", "lat")


def felt_first(findings: Iterable[Finding], family: str) -> list[Finding]:
    """Return the rises of a family, what users get before an entity's pools and clients."""
    own = [f for f in findings if f.family == family and f.direction > 0]
    return sorted(own, key=lambda f: (not is_served(f), -f.score, f.entity, f.subject))


def impact_metric(subject: str) -> str:
    """Return the metric name of a printed series."""
    return subject.partition("{")[0]


def facts_of_impact(
    call: MetricCall,
    symptom: Sequence[Finding],
    windows: CheckWindows,
    entity_of: Callable[[Labels], str | None],
) -> tuple[Fact, ...]:
    """Return the facts of the leading error and latency metric of every entity that hurts.

    Statistics are ``failed``, ``requests``, ``elapsed`` (s) of a counter, ``spent`` (s) and
    ``answered`` of a histogram, and ``mean`` of anything else. Their place ``sum/3,7`` names the
    series that were summed.

    Args:
        call: the sweep of the entities, with the facts read so far; ids go on after them.
        symptom: what hurts according to this call.
        windows: the acute part and the baseline.
        entity_of: which entity a label set belongs to.
    """
    reader = _Reader(call, windows, entity_of)
    drafts: list[dict[str, Any]] = []
    for entity in dict.fromkeys(f.entity for f in symptom):
        for family in FAMILIES:
            own = felt_first([f for f in symptom if f.entity == entity], family)
            # Of the first that can be counted.
            drafts += next(filter(None, (list(reader.drafts(f)) for f in own)), ())
    first = len(call.facts) + 1
    return tuple(Fact(id=f"E{call.number}.{n}", **d) for n, d in enumerate(drafts, first))


@dataclass(frozen=True, slots=True)
class _Reader:
    call: MetricCall
    windows: CheckWindows
    entity_of: Callable[[Labels], str | None]

    def drafts(self, finding: Finding) -> Iterator[dict[str, Any]]:
        rows = self._rows(impact_metric(finding.subject), finding.entity)
        names = [series_name(self.call.series.labels[k]) for k in rows]
        row = rows[names.index(finding.subject)]
        match MODES[int(self.call.deviations.mode[row])], finding.family:
            case "mean", _:
                facts = self._histogram(rows)
            case "rate", "err":
                facts = self._counter(rows)
            case "value", _:
                unit = self.call.deviations.meanings[row].unit
                facts = self._both((row,), "mean", unit, Reduce.MEAN)
            case _:
                return
        for fact in facts:
            yield fact | {"entity": finding.entity}

    def _rows(self, metric: str, entity: str) -> tuple[int, ...]:
        return tuple(
            k
            for k, labels in enumerate(self.call.series.labels)
            if labels.get("__name__") == metric and self.entity_of(labels) == entity
        )

    def _counter(self, rows: Sequence[int]) -> Iterator[dict[str, Any]]:
        failed = [k for k in rows if meaning_of(self.call.series.labels[k]).family == "err"]
        yield from self._both(failed, "failed", "", Reduce.INCREASE)
        yield from self._both(rows, "requests", "", Reduce.INCREASE)
        yield from self._elapsed(rows)

    def _histogram(self, sums: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Only what both siblings counted: a sum without its count has no mean."""
        at = {series_name(labels): k for k, labels in enumerate(self.call.series.labels)}
        counts = [at.get(series_name(count_sibling(self.call.series.labels[k]))) for k in sums]
        pairs = [(k, n) for k, n in zip(sums, counts, strict=True) if n is not None]
        unit = meaning_of(self.call.series.labels[sums[0]]).unit
        yield from self._both([k for k, _ in pairs], "spent", unit, Reduce.INCREASE)
        yield from self._both([n for _, n in pairs], "answered", "", Reduce.INCREASE)

    def _both(
        self, rows: Sequence[int], statistic: str, unit: str, reduce: Reduce
    ) -> Iterator[dict[str, Any]]:
        """Sum over the acute window, then over the whole baseline."""
        for span in (self.windows.acute, self.windows.baseline):
            if span is None:
                continue
            found = [
                reading.value
                for k in rows
                if (reading := reduce_series(self._series(k), reduce, span, self._history))
            ]
            # A counter that has no sample yet has counted nothing; a gauge was not measured.
            if found or reduce is Reduce.INCREASE:
                yield self._about(rows, span) | {
                    "statistic": statistic,
                    "value": round_significant(float(sum(found))),
                    "unit": unit,
                }

    def _elapsed(self, rows: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The time in which the increases came: from sample to sample, not from edge to edge."""
        for span in (self.windows.acute, self.windows.baseline):
            if span is None:
                continue
            ends = [counted_from(self._series(k), span) for k in rows]
            known = [pair for pair in ends if pair is not None]
            if known:
                seconds = (max(b for _, b in known) - min(a for a, _ in known)) / 1000
                about = self._about(rows, span)
                yield about | {"statistic": "elapsed", "value": seconds, "unit": "s"}

    def _about(self, rows: Sequence[int], span: Window) -> dict[str, Any]:
        labels = self.call.series.labels[rows[0]]
        # One series is named whole: a reader must see that it is one route and not all.
        name = series_name(labels) if len(rows) == 1 else labels["__name__"]
        return {"name": name, "window": span, "place": f"sum/{','.join(map(str, rows))}"}

    def _series(self, row: int) -> Series:
        return self.call.series[row]

    @property
    def _history(self) -> int:
        return self.call.deviations.windows.whole.start_ms
