"""Findings from logs: new, bursting and shifted."""

import math

import pytest

from analysis_builders import START, chunks_of, entity_of, healthy_system, pool_incident, windows
from superbizagent.analysis.log_evidence import findings_from_logs, log_signals
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.window import Windows, from_ms

WINDOWS = windows(0, 1800, 1920, 2220)


def _digest(rows: list[tuple[float, str, str, str]], given: Windows = WINDOWS) -> LogDigest:
    miner = LogMiner(given)
    for chunk in chunks_of(sorted(rows), 1000):
        miner.add(chunk)
    return miner.digest()


def _findings(found: LogDigest) -> tuple[Finding, ...]:
    return findings_from_logs(found, facts_of_logs(4, found, entity_of, 50), entity_of)


def test_a_new_error_is_a_finding_with_its_facts() -> None:
    found = _findings(pool_incident().digest())
    first = found[0]
    assert first.kind is FindingKind.LOG_NOVEL
    assert first.entity == "//service/order-service"
    assert first.subject.startswith("Connection is not available")
    assert (first.incident, first.baseline, first.family) == (120.0, 0.0, "err")
    assert first.onset_at == from_ms(START + 40 * 60_000)
    assert first.fact_ids
    assert all(i.startswith("E4.") for i in first.fact_ids)


def test_a_burst_of_a_known_error_is_a_finding() -> None:
    rows = [(float(k * 60), "mail", "error", f"mail {k} failed") for k in range(37)]
    rows += [(1950.0 + k, "mail", "error", f"mail {k} failed") for k in range(60)]
    found = _findings(_digest(rows))
    assert [f.kind for f in found] == [FindingKind.LOG_BURST]
    assert found[0].score == pytest.approx(
        math.log1p(60 / math.sqrt(30 / 6 + 1 + 0.1 * 25)), rel=0.05
    )


def test_the_usual_trickle_is_no_finding() -> None:
    assert _findings(healthy_system().digest()) == ()


def test_new_information_weighs_little_and_errors_come_first() -> None:
    rows = [(float(k), "a", "info", "tick") for k in range(2220)]
    rows += [(1950.0 + k, "b", "info", "cache warmed") for k in range(200)]
    rows += [(1960.0, "c", "error", "boom")]
    found = _findings(_digest(rows))
    assert [(f.entity, f.kind) for f in found] == [
        ("//service/c", FindingKind.LOG_NOVEL),
        ("//service/b", FindingKind.LOG_NOVEL),
    ]
    assert found[1].score < 0.2 * math.log1p(200)


def test_a_doubled_number_is_a_shift() -> None:
    rows = [(float(k), "db", "warn", "slow query took=100ms") for k in range(0, 1800, 10)]
    rows += [(1920.0 + 10 * k, "db", "warn", "slow query took=900ms") for k in range(30)]
    found = _findings(_digest(rows))
    assert [f.kind for f in found] == [FindingKind.LOG_FIELD_SHIFT]
    assert (found[0].baseline, found[0].incident, found[0].direction) == (100, 900, 1)
    assert found[0].subject == "slow query took=<*> [took]"


def test_three_records_are_needed_for_a_shift() -> None:
    rows = [(float(k), "db", "warn", "slow query took=100ms") for k in range(0, 1800, 10)]
    rows += [(1920.0, "db", "warn", "slow query took=900ms")]
    assert _findings(_digest(rows)) == ()


def test_without_a_baseline_only_errors_speak_and_at_half_their_weight() -> None:
    rows = [(1950.0 + k, "a", "error", "boom") for k in range(20)]
    rows += [(1950.0 + k, "a", "info", "fine") for k in range(20)]
    signals = log_signals(_digest(rows), entity_of)
    assert sorted(s.score for s in signals) == [0.0, pytest.approx(0.5 * math.log1p(20), rel=1e-4)]
    assert [f.kind for f in _findings(_digest(rows))] == [FindingKind.LOG_BURST]


def test_records_of_nobody_are_nobodys_finding() -> None:
    assert log_signals(_digest([(1950.0, "", "error", "boom")]), entity_of) == ()


def test_facts_of_a_log_call_without_a_baseline_or_onset_are_fewer() -> None:
    lonely = Windows(incident=WINDOWS.incident, baselines=())
    rows = [(1950.0, "a", "error", "took=5ms"), (1951.0, "a", "error", "took=9ms")]
    said = {f.statistic for f in facts_of_logs(1, _digest(rows, lonely), entity_of)}
    assert {"count", "median", "max", "line"} <= said
    assert not {"baseline_count", "baseline_median"} & said
    old = _digest([(100.0, "a", "error", "took=5ms")])
    said = {f.statistic for f in facts_of_logs(1, old, entity_of)}
    assert "baseline_median" in said
    assert not {"median", "max"} & said


def test_only_so_many_templates_become_findings() -> None:
    rows = [(1950.0, "a", "error", text) for text in ("boom here", "bang", "crash now here")]
    rows += [(100.0, "b", "info", "fine")]
    found = _digest(rows)
    facts = facts_of_logs(4, found, entity_of, 50)
    assert len(findings_from_logs(found, facts, entity_of, limit=2)) == 2
    assert len(findings_from_logs(found, facts_of_logs(4, found, entity_of, 1), entity_of)) == 1


def test_a_template_without_a_time_has_no_onset() -> None:
    found = _digest([(1950.0, "a", "error", "boom")])
    bare = found.templates[0].model_copy(update={"onset_at": None, "first_at": None})
    facts = facts_of_logs(1, found.model_copy(update={"templates": (bare,)}), entity_of)
    assert not [f for f in facts if f.statistic == "onset_at"]
