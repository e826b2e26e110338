"""Facts of one evidence call: which reader of the analysis core fits which output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.cluster_facts import facts_of_cluster
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import (
    facts_of_alerts,
    facts_of_changes,
    facts_of_series,
    facts_of_topology,
)
from superbizagent.analysis.learnt import facts_of_learnt
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.analysis.span_channels import read_spans
from superbizagent.analysis.span_facts import facts_of_spans
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList, ToolOutput, Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.skill import Skill
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.checks import facts_of_checks
from superbizagent.investigation.facts.impact import facts_of_impact
from superbizagent.investigation.facts.onset import lead_calls, onset_of, symptom_of
from superbizagent.investigation.facts.since import facts_since
from superbizagent.investigation.facts.windows import check_windows

__all__ = ["FactReader", "entity_reader"]


def entity_reader(scope: Scope, entity_labels: Sequence[str]) -> Callable[[Labels], str | None]:
    """Return the function that says which entity a label set belongs to, as a path."""

    def read(labels: Labels) -> str | None:
        entity = scope.catalogue.of_labels(labels, entity_labels)
        return entity.path if entity else None

    return read


@dataclass(frozen=True, slots=True)
class FactReader:
    """Reads the facts of any call of one session: the general ones, then those checks need."""

    scope: Scope
    entity_labels: tuple[str, ...]
    skills: tuple[Skill, ...] = ()

    def read(
        self, call: int, output: ToolOutput, onset: datetime | None = None
    ) -> tuple[Fact, ...]:
        """Return the facts of call ``E<call>``: the same for the same output and onset.

        Args:
            call: its number.
            output: what came back.
            onset: since when it hurts, as `onset` says; averages and increases begin there.
        """
        if isinstance(output, SeriesSet):
            return tuple(self._counted(self._measured(call, output), onset).facts)
        if isinstance(output, ClusterSnapshot):
            named = () if self.scope.takes_everything else self.scope.entities
            return facts_of_cluster(call, output, tuple(e.path for e in named))
        windows = self.scope.windows
        if isinstance(output, SpanSet):
            channels = read_spans(output, windows, self.entity_of)
            return facts_of_spans(call, output, channels, windows, self.entity_of)
        known = _general(call, output, self.entity_of, windows.whole, windows.incident.length)
        return (*known, *self._of_checks(call, output, known, onset))

    def read_lead(self, call: int, output: ToolOutput) -> tuple[Fact, ...]:
        """Return the facts of a sweep of what hurts: since when, it says itself."""
        if not isinstance(output, SeriesSet):
            return self.read(call, output)
        lead = self._measured(call, output)
        symptom = symptom_of(self.scope, lead, self.entity_of)
        onset = onset_of(self.scope, (lead,), self.entity_of)
        lead = self._counted(lead, onset)
        windows = check_windows(self.scope, onset)
        return (*lead.facts, *facts_of_impact(lead, symptom, windows, self.entity_of))

    def onset(self, rows: Sequence[ToolInvocation]) -> datetime | None:
        """Return since when it hurts according to the sweeps among ``rows``."""
        return onset_of(self.scope, lead_calls(self.scope, rows), self.entity_of)

    @property
    def entity_of(self) -> Callable[[Labels], str | None]:
        """Which entity a label set belongs to, as a path."""
        return entity_reader(self.scope, self.entity_labels)

    def _measured(self, call: int, output: SeriesSet) -> MetricCall:
        deviations = measure(output, self.scope.windows, self.scope.step)
        known = facts_of_series(call, output, deviations, self.entity_of)
        return MetricCall(call, output, deviations, known)

    def _counted(self, call: MetricCall, onset: datetime | None) -> MetricCall:
        """Return a call with the facts that depend on since when it hurts."""
        checks = self._of_checks(call.number, call.series, call.facts, onset)
        known = replace(call, facts=(*call.facts, *checks))
        since = facts_since(known, check_windows(self.scope, onset))
        return replace(known, facts=(*known.facts, *since))

    def _of_checks(
        self, call: int, output: ToolOutput, known: Sequence[Fact], onset: datetime | None
    ) -> tuple[Fact, ...]:
        return facts_of_checks(
            call,
            output,
            self.scope,
            skills=self.skills,
            entity_of=self.entity_of,
            known=known,
            windows=check_windows(self.scope, onset),
        )


def _general(
    call: int,
    output: LogDigest | AlertList | Topology | ChangeList | LearntNormal,
    entity_of: Callable[[Labels], str | None],
    window: Window,
    length: timedelta,
) -> tuple[Fact, ...]:
    match output:
        case LogDigest():
            return facts_of_logs(call, output, entity_of)
        case AlertList():
            return facts_of_alerts(call, output, entity_of)
        case Topology():
            return facts_of_topology(call, output, entity_of)
        case ChangeList():
            return facts_of_changes(call, output, entity_of, window)
        case LearntNormal():
            return facts_of_learnt(call, output, length)
