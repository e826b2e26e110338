"""Over which spans the checks of a playbook are computed.

An incident window is opened early, so its first part is often healthy. Extremes do not mind;
averages and growth do: they are taken over the acute part, in which the symptom was known to hold.
"""

from dataclasses import dataclass
from datetime import datetime

from superbizagent.domain.check import Reduce
from superbizagent.domain.scope import Scope
from superbizagent.domain.window import Window

__all__ = ["CheckWindows", "check_windows"]

_LEAST_STEPS = 4  # an average of fewer samples is one sample's word


@dataclass(frozen=True, slots=True)
class CheckWindows:
    """The spans that one scope's checks use."""

    incident: Window
    acute: Window
    """From the symptom's onset, else the alert's time, to the end; else the whole incident."""
    baseline: Window | None
    baseline_acute: Window | None
    """The end of the baseline, as long as ``acute`` where the baseline reaches that far."""
    narrowed: bool
    """Whether the time of the symptom was known; if not, an average may be diluted."""

    def of(self, reduce: Reduce) -> Window:
        """The part of the incident that a reduction covers."""
        return self.acute if _averages(reduce) else self.incident

    def baseline_of(self, reduce: Reduce) -> Window | None:
        """The part of the baseline that it is compared with."""
        grows = reduce in {Reduce.INCREASE, Reduce.COUNT}
        return self.baseline_acute if grows else self.baseline

    def may_be_diluted(self, reduce: Reduce) -> bool:
        """Tell whether a healthy part of the window may hide what a reduction looks for."""
        return _averages(reduce) and not self.narrowed


def check_windows(scope: Scope, onset: datetime | None = None) -> CheckWindows:
    """Return the spans for a scope; the nearest baseline is the one compared with.

    Args:
        scope: the frame of the diagnosis.
        onset: since when it hurts, as `symptom_onset.onset_of` read it; None when nothing says so.
    """
    incident = scope.windows.incident
    acute = incident
    since = onset or scope.symptom_at
    narrowed = since is not None and since < incident.end
    if since is not None and narrowed:
        latest = incident.end - _LEAST_STEPS * scope.step
        start = max(incident.start, min(since, latest))
        acute = Window(start=start, end=incident.end)
    baseline = scope.windows.baselines[0] if scope.windows.baselines else None
    near = None
    if baseline is not None:
        near = Window(start=max(baseline.start, baseline.end - acute.length), end=baseline.end)
    return CheckWindows(incident, acute, baseline, near, narrowed)


def _averages(reduce: Reduce) -> bool:
    return reduce in {Reduce.MEAN, Reduce.INCREASE, Reduce.RATE}
