"""Facts of one evidence call: which reader of the analysis core fits which output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import (
    facts_of_alerts,
    facts_of_changes,
    facts_of_series,
    facts_of_topology,
)
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList, ToolOutput, Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.skill import Skill
from superbizagent.investigation.check_facts import facts_of_checks

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

    def read(self, call: int, output: ToolOutput) -> tuple[Fact, ...]:
        """Return the facts of call ``E<call>``: the same for the same output."""
        entity_of = entity_reader(self.scope, self.entity_labels)
        known = _general(call, output, self.scope, entity_of)
        more = facts_of_checks(
            call, output, self.scope, skills=self.skills, entity_of=entity_of, known=known
        )
        return (*known, *more)


def _general(
    call: int, output: ToolOutput, scope: Scope, entity_of: Callable[[Labels], str | None]
) -> tuple[Fact, ...]:
    match output:
        case SeriesSet():
            deviations = measure(output, scope.windows, scope.step)
            return facts_of_series(call, output, deviations, entity_of)
        case LogDigest():
            return facts_of_logs(call, output, entity_of)
        case AlertList():
            return facts_of_alerts(call, output, entity_of)
        case Topology():
            return facts_of_topology(call, output, entity_of)
        case ChangeList():
            return facts_of_changes(call, output, entity_of)
