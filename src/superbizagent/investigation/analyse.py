"""What is abnormal, which hypotheses hold, what the cause is, and how sure that is.

Pure: no model, no source, no clock. The statistics are `analysis`'s; here they meet the playbooks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from superbizagent.analysis.alert_channel import AlertFocus
from superbizagent.analysis.alert_evidence import AlertEvidence
from superbizagent.analysis.beside import compared_families
from superbizagent.analysis.calls import LogCall, MetricCall, SpanCall
from superbizagent.analysis.cluster_facts import findings_from_cluster
from superbizagent.analysis.cluster_ranking import candidates_of_objects, with_objects
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.families import meaning_of
from superbizagent.analysis.findings import (
    findings_from_alerts,
    findings_from_changes,
    findings_from_series,
    number_findings,
)
from superbizagent.analysis.flow import callees_of
from superbizagent.analysis.learnt import Learnt
from superbizagent.analysis.log_evidence import findings_from_logs
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.analysis.span_channels import read_spans
from superbizagent.analysis.span_findings import findings_from_spans
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis, Finding
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.skill import Skill
from superbizagent.domain.spans import SpanSet
from superbizagent.investigation.facts.onset import is_lead, onset_of
from superbizagent.investigation.facts.reader import entity_reader
from superbizagent.investigation.facts.symptom import EntityOf, symptom_findings
from superbizagent.investigation.hypotheses.apart import judge_apart
from superbizagent.investigation.hypotheses.checks import evaluate_hypotheses
from superbizagent.investigation.hypotheses.combine import (
    combine,
    margin_of,
    named_entities,
    tested_entities,
    without_guesses,
)
from superbizagent.investigation.hypotheses.consequences import rivals_of, without_consequences
from superbizagent.investigation.hypotheses.healthy import Wellness
from superbizagent.investigation.hypotheses.path import contributing, path_of
from superbizagent.investigation.hypotheses.verdict import Judged, decide_verdict
from superbizagent.investigation.storm import storm_evidence

__all__ = ["analyse_evidence"]

_LOOKED_AT = ("series_examined", "records_read", "spans_read", "objects_examined")


@dataclass(frozen=True, slots=True)
class _Calls:
    """Answered calls in the form that the analysis core reads."""

    metrics: tuple[MetricCall, ...]
    logs: tuple[LogCall, ...]
    spans: tuple[SpanCall, ...]
    alerts: Mapping[str, AlertEvidence]
    """What a storm of alerts says, by entity."""


def analyse_evidence(
    scope: Scope,
    evidence: Evidence,
    skills: Sequence[Skill],
    entity_labels: Sequence[str],
    *,
    is_cut: bool = False,
) -> Analysis:
    """Return everything that is computed of a session's evidence.

    Args:
        scope: the frame of the diagnosis.
        evidence: the calls of all rounds with their facts (`facts_of` and `facts_of_checks`).
        skills: playbooks whose hypotheses are tested, on every entity they fit.
        entity_labels: labels that name an entity, first match wins.
        is_cut: planned calls were left out.
    """
    entity_of = entity_reader(scope, entity_labels)
    storm = storm_evidence(scope, evidence, entity_of, entity_labels)
    calls = _calls(scope, evidence, entity_of, storm)
    findings = _findings(evidence, calls, entity_of)
    symptom = symptom_findings(scope, findings)
    onset = _onset(scope, evidence, calls, entity_of)
    objects = candidates_of_objects(findings, [e.path for e in scope.everything])
    at = (scope, evidence, skills, entity_of)
    hypotheses = evaluate_hypotheses(*at, onset=onset, findings=findings)
    ranked = _ranked(scope, calls, findings, entity_of, tested_entities(hypotheses, findings))
    found = with_objects(without_guesses(ranked.candidates, findings), objects)
    combined = combine(scope, found, hypotheses, symptom)
    candidates = without_consequences(combined, hypotheses, skills, evidence)
    judged = Judged(
        scope=scope,
        evidence=evidence,
        skills=skills,
        findings=findings,
        symptom=symptom,
        hypotheses=hypotheses,
        candidates=candidates,
        margin=margin_of(rivals_of(candidates, hypotheses, skills)),
        looked_at=sum(_sum_of(evidence, name) for name in _LOOKED_AT),
        calm=ranked.health.is_calm and not objects,
        wellness=Wellness(
            ranked.health.as_learnt, is_cut, entity_of, compared_families(calls.logs, calls.spans)
        ),
    )
    return _analysis(judged, _entities(calls, entity_of))


def _analysis(whole: Judged, entities: tuple[str, ...]) -> Analysis:
    judged, apart = judge_apart(whole)
    verdict, reasons = decide_verdict(judged)
    evidence = judged.evidence
    path = path_of(judged.scope, evidence, judged.first, judged.findings)
    return Analysis(
        findings=tuple(judged.findings),
        hypotheses=tuple(whole.hypotheses),
        candidates=tuple(judged.candidates),
        margin=judged.margin,
        symptom=tuple(f.id for f in judged.symptom),
        verdict=verdict,
        verdict_reasons=reasons,
        apart=apart,
        path=path,
        contributing=contributing(path, judged.candidates, judged.findings),
        entities_examined=entities,
        series_examined=_sum_of(evidence, "series_examined"),
        series_abnormal=_sum_of(evidence, "series_abnormal"),
        records_examined=_sum_of(evidence, "records_read"),
    )


def _calls(
    scope: Scope, evidence: Evidence, entity_of: EntityOf, alerts: Mapping[str, AlertEvidence]
) -> _Calls:
    metrics: list[MetricCall] = []
    logs: list[LogCall] = []
    for row in evidence.invocations:
        match row.output:
            case SeriesSet() if row.call.reads_rule:
                pass  # values of the alert's own expression: a symptom, and no series of an entity
            case SeriesSet() as series:
                deviations = measure(series, scope.windows, scope.step)
                metrics.append(MetricCall(row.number, series, deviations, row.facts))
            case LogDigest() as digest:
                logs.append(LogCall(row.number, digest, row.facts))
            case _:
                pass
    digests = [call.digest for call in logs]
    callees = callees_of(scope.topology, entity_of)
    spans = (
        SpanCall(
            row.number,
            row.output,
            read_spans(row.output, scope.windows, entity_of, digests, callees),
            row.facts,
        )
        for row in evidence.invocations
        if isinstance(row.output, SpanSet)
    )
    return _Calls(tuple(metrics), tuple(logs), tuple(spans), alerts)


def _onset(scope: Scope, evidence: Evidence, calls: _Calls, entity_of: EntityOf) -> datetime | None:
    leads = {row.number for row in evidence.invocations if is_lead(scope, row.call)}
    return onset_of(scope, [c for c in calls.metrics if c.number in leads], entity_of)


def _findings(evidence: Evidence, calls: _Calls, entity_of: EntityOf) -> tuple[Finding, ...]:
    groups = [
        findings_from_series(call.series, call.deviations, call.facts, entity_of)
        for call in calls.metrics
    ]
    groups += [findings_from_logs(call.digest, call.facts, entity_of) for call in calls.logs]
    groups += [findings_from_spans(call, calls.logs) for call in calls.spans]
    for row in evidence.invocations:
        match row.output:
            case AlertList() as alerts:
                groups.append(findings_from_alerts(alerts, row.facts, entity_of))
            case ClusterSnapshot() as snapshot:
                groups.append(findings_from_cluster(snapshot, row.facts))
            case ChangeList() as changes:
                groups.append(findings_from_changes(changes, row.facts))
            case _:
                pass
    return number_findings(*groups)


def _ranked(
    scope: Scope,
    calls: _Calls,
    findings: tuple[Finding, ...],
    entity_of: EntityOf,
    tested: frozenset[str],
) -> Ranking:
    # An alert about a name that nobody knows has no scope: nobody else answers for it.
    known = bool(scope.everything)
    given = RankingInput(
        entity_of=entity_of,
        metrics=calls.metrics if known else (),
        logs=calls.logs if known else (),
        spans=calls.spans if known else (),
        findings=findings,
        topology=scope.topology,
        entities=tuple(e.path for e in scope.everything),
        alert=_focus(scope),
        tested=tested,
        alerts=calls.alerts,
        learnt=_learnt(scope),
    )
    return rank_causes(given)


def _learnt(scope: Scope) -> Learnt | None:
    """What the system does on good days, and of whose errors and latency that is to be known."""
    if scope.learnt is None:
        return None
    known = scope.learnt.nearest(scope.windows.incident.length)
    return Learnt(known, tuple(sorted(known.entities)))


def _focus(scope: Scope) -> AlertFocus | None:
    """What the alert is about, where it names one entity and a time.

    A recording that knows which series alerted has told us as much as an alert does.
    """
    named = named_entities(scope) or (scope.entities if scope.symptom else ())
    if not named or scope.alert_at is None:
        return None
    name = scope.symptom or (scope.alert.name if scope.alert else "")
    family = meaning_of({"__name__": name}).family
    return AlertFocus(entry=named[0].path, family=family, at=scope.alert_at)


def _entities(calls: _Calls, entity_of: EntityOf) -> tuple[str, ...]:
    labels = [item for call in calls.metrics for item in call.series.labels]
    found = {entity_of(item) for item in labels}
    services = {t.service for c in calls.logs for t in c.digest.templates}
    services |= {s for c in calls.spans for s in c.spans.services}
    found |= {entity_of({"service": s}) for s in services}
    return tuple(sorted(e for e in found if e))


def _sum_of(evidence: Evidence, name: str) -> int:
    """Sum a count over the sweep's calls; calls for checks look at the same series again."""
    facts = [
        f
        for row in evidence.invocations
        if not row.call.purpose.startswith("check:")
        for f in row.facts
        if f.name == name
    ]
    return round(sum(f.value for f in facts if isinstance(f.value, int | float)))
