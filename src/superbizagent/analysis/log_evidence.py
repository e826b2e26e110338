"""What the logs say: new kinds of records, bursts, shifted numbers; and a score an entity.

Counts are judged against what the baseline leads one to expect for a window of the incident's
length, as Poisson counts with some overdispersion: ``(k - E) / sqrt(E + 1 + 0.1 E^2)``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from superbizagent.analysis._fact_list import EntityOf, facts_by_place
from superbizagent.analysis._log_keys import is_code
from superbizagent.analysis.families import meaning_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.logs import (
    SEVERITIES,
    FieldStat,
    LogDigest,
    LogShift,
    LogTemplate,
    ValueCount,
)
from superbizagent.domain.window import Instant

__all__ = ["LogSignal", "findings_from_logs", "forerunner", "log_signals"]

_SEVERITY_WEIGHT = {"fatal": 1.2, "error": 1.0, "warn": 0.6, "unknown": 0.3, "info": 0.15}
"""Errors first; what a program calls information is mostly its usual life."""

_BURST = float(np.log1p(3.0))  # three standard deviations
_SHIFT = 2.0  # a median that doubled or halved
_FEW = 3  # records of what may have changed a level
_MIN_COUNT = 3  # records on either side before a shift of a field means anything
_TOLD = 20  # records on either side from which a change of level is looked for, not just medians
_MOVED = 1.5  # a median, or the odds of a share, that moved for good
_MOVED_RATIO = 0.05  # of all, by which a share moves before anybody cares
_RARE_SCORE = 0.2  # one odd line is worth a look and explains nothing


@dataclass(frozen=True, slots=True)
class LogSignal:
    """How unusual one template is in the incident."""

    template: int
    """Position in `LogDigest.templates`."""
    entity: str
    score: float
    """Weight of its severity times ``ln(1 + surprise)``, not below 0."""
    expected: float
    novel: bool
    is_error: bool


def log_signals(digest: LogDigest, entity_of: EntityOf) -> tuple[LogSignal, ...]:
    """Return the signal of every template of a known entity that came in the incident."""
    share = _expected_share(digest)
    signals: list[LogSignal] = []
    for k, template in enumerate(digest.templates):
        entity = entity_of({"service": template.service})
        if entity is None or template.incident_count == 0:
            continue
        expected = template.baseline_count * share
        weight = _SEVERITY_WEIGHT.get(template.severity, 0.1)
        # Without a baseline nothing is new: only errors count, at half their weight.
        if digest.records_in_baseline == 0:
            weight = 0.5 * weight if _is_error(template) else 0.0
        score = weight * _surprise(template.incident_count, expected)
        signals.append(
            LogSignal(
                template=k,
                entity=entity,
                score=round_significant(score),
                expected=round_significant(expected),
                novel=template.novel,
                is_error=_is_error(template),
            )
        )
    return tuple(signals)


def _expected_share(digest: LogDigest) -> float:
    """Return the incident's length over that of all baselines."""
    before = sum(w.length.total_seconds() for w in digest.windows.baselines)
    during = digest.windows.incident.length.total_seconds()
    return during / before if before > 0 else 1.0


def _surprise(count: int, expected: float) -> float:
    z = (count - expected) / np.sqrt(expected + 1.0 + 0.1 * expected**2)
    return float(np.log1p(max(0.0, z)))


def _is_error(template: LogTemplate) -> bool:
    return SEVERITIES.index(template.severity) >= SEVERITIES.index("error")


def findings_from_logs(
    digest: LogDigest, facts: Sequence[Fact], entity_of: EntityOf, limit: int = 30
) -> tuple[Finding, ...]:
    """Return findings of templates that are new, burst, or changed a share or number (ids empty).

    Errors first, then by score; at most ``limit`` templates.
    """
    places = facts_by_place(tuple(facts))
    signals = sorted(
        log_signals(digest, entity_of),
        key=lambda s: (not s.is_error, -s.score, s.entity, digest.templates[s.template].text),
    )
    found: list[Finding] = []
    for signal in signals:
        ids = places.get(f"template/{signal.template}", ())
        if ids and len(found) < limit:
            found.extend(
                _with_forerunner(digest, finding, places)
                for finding in _template_findings(digest, signal, ids)
            )
    return tuple(found)


def forerunner(digest: LogDigest, at: Instant) -> int | None:
    """Return the rare new template that came last before a change of level, None for none.

    Its time need not be before the start of the bucket in which the level changed, for that is no
    more exact; two buckets earlier at most.
    """
    bucket = timedelta(seconds=digest.bucket_seconds)
    near = [
        (abs(template.first_at - at), k)
        for k, template in enumerate(digest.templates)
        if template.novel
        and template.incident_count <= _FEW
        and template.first_at is not None
        and at - 2 * bucket <= template.first_at < at + bucket
    ]
    return min(near)[1] if near else None


def _with_forerunner(
    digest: LogDigest, finding: Finding, places: Mapping[str, tuple[str, ...]]
) -> Finding:
    """Add the facts of what came right before a level changed: often what changed it."""
    levels = {FindingKind.LOG_SHARE_SHIFT, FindingKind.LOG_FIELD_SHIFT}
    if finding.kind not in levels or finding.onset_at is None:
        return finding
    row = forerunner(digest, finding.onset_at)
    ids = places.get(f"template/{row}", ())
    return finding.model_copy(update={"fact_ids": (*finding.fact_ids, *ids)})


def _template_findings(digest: LogDigest, signal: LogSignal, ids: tuple[str, ...]) -> list[Finding]:
    template = digest.templates[signal.template]
    found: list[Finding] = []
    if signal.score > 0 and (signal.novel or signal.score >= _BURST):
        found.append(_count_finding(digest, template, signal, ids))
    if not digest.records_in_baseline:
        return found
    shifts = [f for f in template.fields if _is_shifted(digest, f)]
    if shifts:
        found.append(_field_finding(digest, template, signal, max(shifts, key=_shift), ids))
    share = template.share
    # That a bursting kind makes up more of the log is the same news.
    if share is not None and (share.siblings or not found) and _counts(digest, share):
        found.append(_share_finding(digest, template, signal, share, ids))
    found += [
        _rare_finding(template, signal, stat, value, ids)
        for stat in template.fields
        for value in stat.values
        if is_code(stat.key) and value.value in stat.rare_values and not value.baseline_count
    ]
    return found


def _is_shifted(digest: LogDigest, stat: FieldStat) -> bool:
    """Tell whether a number moved: with enough records for good, with few by its medians alone."""
    if is_code(stat.key) and stat.values:
        return _has_another_mode(stat)
    told = min(stat.baseline_count, stat.incident_count) >= _TOLD
    if not told:
        return _shift(stat) >= _SHIFT
    return stat.shift is not None and _is_late(digest, stat.shift) and _shift(stat) >= _MOVED


def _has_another_mode(stat: FieldStat) -> bool:
    """Tell whether most records hold another code than most did before."""
    if min(stat.baseline_count, stat.incident_count) < _MIN_COUNT:
        return False
    before = [v.value for v in stat.values if 2 * v.baseline_count > stat.baseline_count]
    during = [v.value for v in stat.values if 2 * v.incident_count > stat.incident_count]
    return bool(before) and bool(during) and before != during


def _is_late(digest: LogDigest, shift: LogShift) -> bool:
    """Tell whether a level changed in the incident, or in the bucket in which that begins."""
    first = digest.windows.incident.start - timedelta(seconds=digest.bucket_seconds)
    return shift.at >= first


def _half_bucket(digest: LogDigest) -> timedelta:
    return timedelta(seconds=digest.bucket_seconds / 2)


def _counts(digest: LogDigest, share: LogShift) -> bool:
    """Tell whether a change of a share is large, and of the incident."""
    moved = abs(share.after - share.before)
    return share.effect >= _MOVED and moved >= _MOVED_RATIO and _is_late(digest, share)


def _count_finding(
    digest: LogDigest, template: LogTemplate, signal: LogSignal, ids: tuple[str, ...]
) -> Finding:
    new = signal.novel and digest.records_in_baseline > 0
    return Finding(
        id="",
        kind=FindingKind.LOG_NOVEL if new else FindingKind.LOG_BURST,
        entity=signal.entity,
        subject=template.text,
        family="err" if signal.is_error else "other",
        direction=1,
        score=signal.score,
        baseline=signal.expected,
        incident=float(template.incident_count),
        unit="records",
        onset_at=template.onset_at,
        fact_ids=ids,
    )


def _field_finding(
    digest: LogDigest,
    template: LogTemplate,
    signal: LogSignal,
    stat: FieldStat,
    ids: tuple[str, ...],
) -> Finding:
    shift = stat.shift
    before, during = stat.baseline_median, stat.incident_median
    if shift is not None:
        before, during = shift.before, shift.after
    rose = (during or 0.0) > (before or 0.0)
    return Finding(
        id="",
        kind=FindingKind.LOG_FIELD_SHIFT,
        entity=signal.entity,
        subject=f"{template.text} [{stat.key}]",
        # A duration that a program logs is what hurts there, told once more.
        family="lat" if meaning_of({"__name__": stat.key}).family == "lat" else "other",
        direction=1 if rose else -1,
        score=round_significant(min(3.0, float(np.log(_shift(stat))))),
        baseline=before,
        incident=during,
        extreme=stat.incident_max,
        unit=stat.unit,
        onset_at=template.onset_at if shift is None else shift.onset_at,
        onset_uncertainty=None if shift is None else _half_bucket(digest),
        fact_ids=ids,
    )


def _share_finding(
    digest: LogDigest,
    template: LogTemplate,
    signal: LogSignal,
    share: LogShift,
    ids: tuple[str, ...],
) -> Finding:
    weight = max(0.3, _SEVERITY_WEIGHT.get(template.severity, 0.1))
    return Finding(
        id="",
        kind=FindingKind.LOG_SHARE_SHIFT,
        entity=signal.entity,
        subject=template.text,
        direction=1 if share.after > share.before else -1,
        score=round_significant(weight * min(3.0, float(np.log(share.effect)))),
        baseline=share.before,
        incident=share.after,
        unit="ratio",
        onset_at=share.onset_at,
        onset_uncertainty=_half_bucket(digest),
        fact_ids=ids,
    )


def _rare_finding(
    template: LogTemplate,
    signal: LogSignal,
    stat: FieldStat,
    value: ValueCount,
    ids: tuple[str, ...],
) -> Finding:
    return Finding(
        id="",
        kind=FindingKind.LOG_RARE_VALUE,
        entity=signal.entity,
        subject=f"{template.text} [{stat.key}] {value.value:g}",
        score=_RARE_SCORE,
        baseline=0.0,
        incident=float(value.incident_count),
        unit="records",
        fact_ids=ids,
    )


def _shift(stat: FieldStat) -> float:
    """Return by which factor a field's median moved, 1 when that cannot be said."""
    before, during = stat.baseline_median, stat.incident_median
    if stat.shift is not None:
        before, during = stat.shift.before, stat.shift.after
    if before is None or during is None:
        return 1.0
    if min(stat.baseline_count, stat.incident_count) < _MIN_COUNT or min(before, during) < 0:
        return 1.0
    small, large = sorted((before, during))
    return large / small if small > 0 else (1.0 if large == 0 else _SHIFT)
