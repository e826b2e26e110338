"""Which way each subject went: as findings and stored series have it."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from superbizagent.analysis.claims.compare.view import Mask
from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic
from superbizagent.domain.finding import Finding, FindingKind

__all__ = ["Trend", "Way", "goes_on", "subjects_of", "trends_of"]


class Way(StrEnum):
    """Where a subject went, baseline against incident."""

    UP = "up"
    DOWN = "down"
    FLAT = "flat"
    APPEARED = "appeared"
    VANISHED = "vanished"
    UNSURE = "unsure"
    """Out of its quiet band, but not abnormally; or nothing to compare."""


@dataclass(frozen=True, slots=True)
class Trend:
    """What became of one subject."""

    way: Way
    sign: int = 0
    """Of incident mean minus level of the baseline; 0 where one of them is unknown."""
    level: float | None = None
    """Of the baseline, in the unit of its facts."""
    last: float | None = None
    """Last value of the incident."""
    finding: Finding | None = None
    """The strongest about it."""
    fact_ids: tuple[str, ...] = ()
    """What shows it."""


_BACK = 0.1
"""Share of the whole way from level to extreme that is left when a value is back."""


def goes_on(trend: Trend) -> bool | None:
    """Tell whether what was abnormal still is at the end of the data; None: nobody knows.

    A finding goes on while any of the last samples is out of its band; the very last one says
    more: when it is back at the old level, it is over.
    """
    finding = trend.finding
    if finding is None or finding.ongoing is None:
        return None
    if trend.last is None or trend.level is None or finding.extreme is None:
        return finding.ongoing
    way = abs(finding.extreme - trend.level)
    return finding.ongoing and abs(trend.last - trend.level) > _BACK * way


_NOVEL = frozenset({FindingKind.LOG_NOVEL, FindingKind.SERIES_APPEARED})
_LEVELS = (Statistic.MEAN, Statistic.MEDIAN, Statistic.CONSTANT)


@lru_cache(maxsize=4)
def trends_of(ground: Ground) -> dict[int, Trend]:
    """Return the trends of subjects, by their code in `Ground.subjects`."""
    findings = _findings(ground)
    labels = {
        int(ground.subject[row]): (fact.value, fact.id)
        for row, fact in enumerate(ground.facts)
        if fact.statistic == "direction"
    }
    found: dict[int, Trend] = {}
    signs = _signs(ground)
    levels = _levels(ground)
    is_last = (ground.statistic == Statistic.LAST) & ~np.isnan(ground.value)
    lasts = {k: float(ground.value[row]) for k, row in _first(ground, is_last).items()}
    for code in {*findings, *labels, *signs, *levels}:
        finding, sign = findings.get(code), signs.get(code, (0, ()))
        label, own = labels.get(code, ("", ""))
        ids = (own,) if own else sign[1]
        way = Way(label) if label else Way.UNSURE
        if finding is not None:
            way, ids = _way_of(finding, way), finding.fact_ids[:2]
        found[code] = Trend(
            way=way,
            sign=sign[0],
            level=levels.get(code),
            last=lasts.get(code),
            finding=finding,
            fact_ids=tuple(i for i in ids if i),
        )
    return found


def _way_of(finding: Finding, else_: Way) -> Way:
    if finding.kind in _NOVEL:
        return Way.APPEARED
    if finding.kind is FindingKind.SERIES_VANISHED:
        return Way.VANISHED
    if finding.direction:
        return Way.UP if finding.direction > 0 else Way.DOWN
    return else_


def _findings(ground: Ground) -> dict[int, Finding]:
    """Return the strongest finding of every subject; they come in that order."""
    found: dict[int, Finding] = {}
    for finding in ground.analysis.findings:
        for fact_id in finding.fact_ids:
            row = ground.row(fact_id)
            if row is not None:
                found.setdefault(int(ground.subject[row]), finding)
    return found


def _levels(ground: Ground) -> dict[int, float]:
    """Return the level of each subject's baseline: its median, else its mean; 0 if it was born."""
    numeric = ~np.isnan(ground.value) & (ground.period == Period.BASELINE)
    found: dict[int, float] = {}
    for statistic in (Statistic.CONSTANT, Statistic.MEDIAN, Statistic.MEAN):
        for code, row in _first(ground, numeric & (ground.statistic == statistic)).items():
            found.setdefault(code, float(ground.value[row]))
    for finding in ground.analysis.findings:
        row = ground.row(finding.fact_ids[0]) if finding.fact_ids else None
        if row is not None and finding.kind in _NOVEL:
            found.setdefault(int(ground.subject[row]), 0.0)
    return found


def _signs(ground: Ground) -> dict[int, tuple[int, tuple[str, ...]]]:
    """Return the sign of each subject's change, and the two facts that show it."""
    level = np.isin(ground.statistic, _LEVELS) & ~np.isnan(ground.value)
    before = _first(ground, level & (ground.period == Period.BASELINE))
    during = _first(ground, level & (ground.period == Period.INCIDENT))
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    for code in before.keys() & during.keys():
        old, new = before[code], during[code]
        if ground.unit[old] == ground.unit[new]:
            sign = int(np.sign(ground.value[new] - ground.value[old]))
            found[code] = sign, (ground.facts[old].id, ground.facts[new].id)
    return found


def _first(ground: Ground, mask: Mask) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in np.flatnonzero(mask).tolist():
        found.setdefault(int(ground.subject[row]), row)
    return found


def subjects_of(ground: Ground, rows: Mask) -> tuple[int, ...]:
    """Return the distinct subjects of some rows."""
    return tuple(np.unique(ground.subject[rows]).tolist())
