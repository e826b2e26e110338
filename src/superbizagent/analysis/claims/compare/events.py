"""What happened when: the rows of facts that tell of an instant, by what happened then."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.view import Mask
from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic
from superbizagent.domain.window import to_ms

__all__ = ["Events", "Role", "events_of"]

Ints = NDArray[np.int64]


class Role(StrEnum):
    """What is said to have happened at a time."""

    ONSET = "onset"
    """Something began, rose, fell, came up."""
    ALERT = "alert"
    """An alert fired or went pending."""
    CHANGE = "change"
    """Something was deployed or configured."""
    EXTREME = "extreme"
    """A peak or a trough."""
    FIRST = "first"
    """The first record or sample."""
    LAST = "last"
    """The last record or sample."""
    END = "end"
    """Something ended or went back to normal."""
    LINE = "line"
    """A record of a log."""


_RULES = "ALERTS_FOR_STATE{"
_STATES = "ALERTS{"
_ALERT_NAME = re.compile(r'alert:(.+)|ALERTS(?:_FOR_STATE)?\{.*?alertname="([^"]+)"')
_LINES = frozenset({"line", "max", "min"})


@dataclass(frozen=True, slots=True)
class Events:
    """Masks over the rows of a ground, one a role, and times of the rows in milliseconds."""

    roles: dict[Role, Mask]
    at: Ints
    """-1 where a row tells of no instant."""
    start: Ints
    """Where the row's window starts; -1 without one."""
    end: Ints
    uncertainty: Ints
    """Of an onset: its true time lies within this on either side."""
    of_rules: Mask
    """Rows about alerts: they share their words with what they watch."""
    of_logs: Mask
    pending: Mask
    """Rows about alerts that have not fired yet."""

    alerts: dict[str, Mask]
    """Rows about an alert, by its name."""

    def of_alert_in(self, text: str) -> Mask:
        """Return the rows of the alerts that a text names, the longest names first."""
        named = [name for name in self.alerts if name in text]
        own = [n for n in named if not any(n != other and n in other for other in named)]
        found = np.zeros(len(self.at), np.bool_)
        for name in own:
            found |= self.alerts[name]
        return found

    def of(self, roles: Iterable[Role]) -> Mask:
        """Return the rows of any of these roles; of every role for none."""
        found = np.zeros(len(self.at), np.bool_)
        for role in roles or Role:
            found |= self.roles[role]
        return found

    def within(self, low: datetime, high: datetime) -> Mask:
        """Return the rows of an instant in ``[low, high]``."""
        return (self.at >= to_ms(low)) & (self.at <= to_ms(high))

    def bounded(self, low: datetime, high: datetime, side: str = "") -> Mask:
        """Return the rows whose window begins (``since``) or ends (``until``) in a span."""
        first, last = to_ms(low), to_ms(high)
        starts = (self.start >= first) & (self.start <= last)
        ends = (self.end >= first) & (self.end <= last)
        return {"since": starts, "until": ends}.get(side, starts | ends)


@lru_cache(maxsize=4)
def events_of(ground: Ground) -> Events:
    """Return what happened when in a session's evidence."""
    facts = ground.facts
    timed = ground.at >= 0
    statistic = np.array([f.statistic for f in facts], np.str_)
    kinds = np.array([_kind(s.name) for s in ground.subjects] or [""], np.str_)[ground.subject]
    is_rule, is_change, is_log = kinds == "rule", kinds == "change", kinds == "log"
    waiting = [k for k, s in enumerate(ground.subjects) if _is_pending(s.name)]
    onset = timed & (ground.statistic == Statistic.ONSET)
    # The first record of a kind that was always there is no beginning of anything.
    began = onset & (ground.at >= ground.frame.windows.incident.start_ms)
    last = timed & ((ground.statistic == Statistic.LAST) | np.isin(statistic, _LAST))
    roles = {
        Role.ONSET: began & ~is_change & ~is_rule,
        Role.ALERT: timed & is_rule & (onset | np.isin(statistic, ("status", "first_at"))),
        Role.CHANGE: timed & is_change,
        Role.EXTREME: timed & _extremes(ground),
        Role.FIRST: timed & (np.isin(statistic, ("first", "first_at", "line")) | (onset & is_log)),
        Role.LAST: last,
        # A series ends with the data: only of records the last is known to be one.
        Role.END: last & is_log,
        Role.LINE: timed & is_log & ~np.isin(ground.statistic, (Statistic.MEAN,)),
    }
    return Events(
        roles=roles,
        at=ground.at,
        start=np.array([to_ms(f.window.start) if f.window else -1 for f in facts], np.int64),
        end=np.array([to_ms(f.window.end) if f.window else -1 for f in facts], np.int64),
        uncertainty=_uncertainty(ground),
        of_rules=is_rule,
        of_logs=is_log,
        alerts=_alerts(ground),
        pending=np.isin(ground.subject, waiting),
    )


_LAST = ("last_at", "line")


def _kind(name: str) -> str:
    if name.startswith((_RULES, _STATES, "alert:")):
        return "rule"
    head, colon, _ = name.partition(":")
    if colon and head in {"change", "edge"}:
        return head
    return "log" if colon and head in {"log", "field"} else "series"


def _extremes(ground: Ground) -> Mask:
    """Return maxima and minima of what changes: the first sample of a constant is no peak."""
    calm = (ground.statistic == Statistic.MEDIAN) & (ground.period == Period.BASELINE)
    usual = dict(zip(ground.subject[calm].tolist(), ground.value[calm].tolist(), strict=True))
    level = np.array([usual.get(code, np.nan) for code in ground.subject.tolist()])
    return np.isin(ground.statistic, (Statistic.MAX, Statistic.MIN)) & (ground.value != level)


def _alerts(ground: Ground) -> dict[str, Mask]:
    codes: dict[str, list[int]] = {}
    for code, subject in enumerate(ground.subjects):
        match = _ALERT_NAME.match(subject.name)
        if match is not None:
            codes.setdefault(match[1] or match[2], []).append(code)
    return {name: np.isin(ground.subject, own) for name, own in codes.items()}


def _is_pending(name: str) -> bool:
    return name.startswith((_RULES, _STATES)) and 'alertstate="firing"' not in name


def _uncertainty(ground: Ground) -> Ints:
    """Return that of the finding; an onset without one is as sure as its series is sampled."""
    found = np.zeros(len(ground), np.int64)
    steps = _steps(ground)
    for row in np.flatnonzero(ground.statistic == Statistic.ONSET).tolist():
        found[row] = steps.get(ground.facts[row].name, 0)
    for finding in ground.analysis.findings:
        if finding.onset_uncertainty is None or finding.onset_at is None:
            continue
        width = round(finding.onset_uncertainty.total_seconds() * 1000)
        for fact_id in finding.fact_ids:
            row = ground.row(fact_id)
            if row is not None and int(ground.statistic[row]) == Statistic.ONSET:
                found[row] = width
    return found


def _steps(ground: Ground) -> dict[str, int]:
    """Return the sampling step of every series with two samples, by its printed name."""
    raw, found = ground.stored.raw, dict[str, int]()
    for code, name in enumerate(ground.stored.names):
        times = raw.times[int(raw.offsets[code]) : int(raw.offsets[code + 1])]
        if len(times) > 1:
            found[name] = round(float(np.median(np.diff(times))))
    return found
