"""A diagnosis starts from the alert's own rule."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import variants
from diagnosing import diagnose, report_of
from rule_bundle import NOW, Shape, counter, step, write_bundle
from superbizagent.cli.session import envelope_of, nothing_answered
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Report, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.run import Finished

MINUTE = timedelta(minutes=1)
QUEUE = {'queue_length{job="orders"}': step(1, 400, -12), 'other{job="orders"}': step(3, 3, 0)}
OVER = 'queue_length{job="orders"} > 100'


def ratio(span: str) -> str:
    bad = f'sum by (job) (rate(requests_total{{job="orders",code="500"}}[{span}]))'
    return f'{bad} / sum by (job) (rate(requests_total{{job="orders"}}[{span}]))'


def said(report: Report, section: Section = Section.WHAT) -> str:
    return re.sub(r"\[E[\d.]+\]|…", "", " ".join(c.text for c in report.section(section)))


def run(tmp_path: Path, series: Any = None, **more: Any) -> Finished:
    folder = write_bundle(tmp_path / "incident", series or QUEUE, **more)
    return diagnose(folder, tmp_path / "data")


# Since when ------------------------------------------------------------------------------------


def test_the_rule_says_since_when_by_what_and_whether_still(tmp_path: Path) -> None:
    finished = run(tmp_path, expression=OVER, fired=-10)
    report = report_of(finished)
    assert (
        "ItHurts fired at 11:50:00, 120 s after its rule came true at 11:48:00 (400 > 100);"
        " still true at 12:00:00." in said(report)
    )
    assert f"The rule of alert ItHurts is, for 1m: {OVER}" in said(report, Section.FINDINGS)
    assert report.rejected == ()
    [condition, value] = finished.diagnosis.evidence.invocations[:2]
    assert (condition.call.tool.value, condition.call.purpose) == (
        "query_metrics",
        "rule:condition",
    )
    cited = {i for c in report.section(Section.WHAT) for i in c.fact_ids}
    assert {i.partition(".")[0] for i in cited} >= {"E1", "E2"}
    assert value.facts[0].statistic == "threshold"


def test_an_alert_that_is_over_says_until_when(tmp_path: Path) -> None:
    series: dict[str, Shape] = {
        'queue_length{job="orders"}': lambda t: 400 if -30 <= t < -20 else 1
    }
    finished = run(tmp_path, series, expression=OVER, fired=-28)
    assert "true until 11:39:45." in said(report_of(finished))
    condition = finished.diagnosis.scope.condition
    assert condition is not None
    assert condition.holds is False


def test_of_several_runs_the_one_in_which_it_fired_counts(tmp_path: Path) -> None:
    series: dict[str, Shape] = {
        'queue_length{job="orders"}': lambda t: 400 if -60 <= t < -55 or t >= -12 else 1
    }
    condition = run(tmp_path, series, expression=OVER, fired=-10).diagnosis.scope.condition
    assert condition is not None
    assert condition.onset_at == NOW - 12 * MINUTE


def test_only_the_series_that_the_alert_is_about_count(tmp_path: Path) -> None:
    series = {
        'queue_length{job="orders",instance="a"}': step(400, 400, 0),
        'queue_length{job="orders",instance="b"}': step(1, 400, -12),
    }
    labels = {"job": "orders", "instance": "b"}
    finished = run(tmp_path, series, expression="queue_length > 100", fired=-10, labels=labels)
    condition = finished.diagnosis.scope.condition
    assert condition is not None
    assert (condition.onset_at, condition.at_least) == (NOW - 12 * MINUTE, False)


def test_what_was_true_from_the_first_sample_on_may_be_older(tmp_path: Path) -> None:
    series = {'queue_length{job="orders"}': step(400, 400, 0)}
    report = report_of(run(tmp_path, series, expression=OVER, fired=-10))
    assert "its rule was true at 11:1" in said(report)
    assert "already" in said(report)


def test_chinese(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "incident", QUEUE, expression=OVER, fired=-10)
    report = report_of(diagnose(folder, tmp_path / "data", lang="zh"))
    assert "ItHurts 于 11:50:00 触发；规则在 120 秒前的 11:48:00 开始成立（400 > 100）" in said(
        report
    )


# Windows ---------------------------------------------------------------------------------------


def test_the_window_opens_by_what_the_rule_waits_and_looks_back(tmp_path: Path) -> None:
    series = {'errors_total{job="orders"}': counter(0.01, 5, -25)}
    finished = run(
        tmp_path, series, expression="rate(errors_total[10m]) > 1", fired=-12, hold=300, minutes=200
    )
    windows = finished.diagnosis.scope.windows
    # Fired 12 minutes ago, after 5 minutes of `for` and 10 of range, and one step.
    assert windows.incident.start <= NOW - 27 * MINUTE - timedelta(seconds=15)
    assert windows.incident.start >= NOW - 36 * MINUTE
    assert windows.incident.end == NOW
    [baseline] = windows.baselines
    assert windows.incident.start - baseline.end == 2 * MINUTE
    assert baseline.length == max(3 * windows.incident.length, 30 * MINUTE)


def test_a_burn_rate_alert_is_looked_at_where_the_ratio_rose(tmp_path: Path) -> None:
    expression = (
        f"({ratio('1d')} > 3 * 0.001 and {ratio('2h')} > 3 * 0.001)"
        f" or ({ratio('3d')} > 1 * 0.001 and {ratio('6h')} > 1 * 0.001)"
        f" or ({ratio('1h')} > 14.4 * 0.001 and {ratio('5m')} > 14.4 * 0.001)"
    )
    series = {
        'requests_total{job="orders",code="500"}': counter(0.001, 0.4, -70),
        'requests_total{job="orders",code="200"}': counter(10, 10, 0),
    }
    finished = run(tmp_path, series, expression=expression, fired=-30, minutes=600, every=30)
    window = finished.diagnosis.scope.windows.incident
    rose = NOW - 70 * MINUTE
    assert rose - 10 * MINUTE <= window.start < rose
    assert window.length <= 60 * MINUTE
    text = said(report_of(finished))
    assert (
        "The rule looks back up to 3d: looked at from where what it measures over 5m rose." in text
    )
    assert "> 0.1 %" in text


def test_a_rule_that_looks_back_a_day_keeps_the_alert_in_the_hour(tmp_path: Path) -> None:
    series = {'failures_total{job="orders"}': counter(0, 1, -20)}
    finished = run(
        tmp_path, series, expression="increase(failures_total[1d]) > 60", fired=-15, minutes=300
    )
    window = finished.diagnosis.scope.windows.incident
    assert window.length <= 60 * MINUTE
    assert window.covers(NOW - 15 * MINUTE)


# Which rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "link"), [(True, False), (False, True), (True, True)])
def test_link_or_list_tells_the_rule(tmp_path: Path, rules: bool, link: bool) -> None:  # noqa: FBT001
    finished = run(tmp_path, expression=OVER, fired=-10, rules=rules, link=link)
    rule = finished.diagnosis.scope.rule
    assert rule is not None
    assert rule.expression == OVER
    assert (rule.hold is not None) is rules
    assert "came true at 11:48:00" in said(report_of(finished))


def test_without_either_the_report_says_so(tmp_path: Path) -> None:
    report = report_of(run(tmp_path, expression=OVER, fired=-10, rules=False, link=False))
    assert "the alert's own rule is not known" in said(report, Section.NOT_SEEN)
    assert report.rejected == ()


def test_an_alert_without_names_is_about_what_its_rule_asks_for(tmp_path: Path) -> None:
    series = {**QUEUE, 'queue_length{job="mail"}': step(1, 1, 0)}
    labels = {"team": "shop"}
    finished = run(tmp_path, series, expression=f"sum({OVER})", fired=-10, labels=labels)
    assert [e.name for e in finished.diagnosis.scope.entities] == ["orders"]


# What cannot be evaluated ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("holt_winters(queue_length[5m], 0.5, 0.5) > 1", "holt_winters"),
        ('gone{job="orders"} > 1', 'gone{job="orders"}'),
        ("queue_length > $threshold", "$threshold"),
        ("queue_length >", "is not PromQL"),
    ],
)
def test_what_cannot_be_evaluated_is_named_and_no_source_has_failed(
    tmp_path: Path, expression: str, named: str
) -> None:
    finished = run(tmp_path, expression=expression, fired=-10)
    report = report_of(finished)
    [row] = [
        r for r in finished.diagnosis.evidence.invocations if r.call.purpose == "rule:condition"
    ]
    assert row.status is EvidenceStatus.ERROR
    unseen = said(report, Section.NOT_SEEN)
    assert "the alert's own rule of bundle failed" in unseen
    assert named in unseen
    assert "source_failed" not in " ".join(finished.diagnosis.analysis.verdict_reasons)
    assert envelope_of(finished).sources_failed == 0
    assert not nothing_answered(finished)
    assert report.rejected == ()


# What it decides -------------------------------------------------------------------------------


def test_nothing_is_calm_while_the_rule_holds(tmp_path: Path) -> None:
    series = {'queue_length{job="orders"}': step(200, 200, 0), 'up{job="orders"}': step(1, 1, 0)}
    finished = run(tmp_path, series, expression=OVER, fired=-10)
    report = report_of(finished)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert finished.diagnosis.analysis.verdict_reasons[0] == "rule_holds"
    assert "Nothing abnormal" not in said(report)
    assert "nothing abnormal" not in report.title
    assert "The alert's rule is still true" in said(report)
    assert report.rejected == ()


def test_a_rule_that_was_never_true_is_said(tmp_path: Path) -> None:
    series = {'queue_length{job="orders"}': step(1, 1, 0)}
    report = report_of(run(tmp_path, series, expression=OVER, fired=-10))
    assert "by what bundle has its rule was true at no time" in said(report)


def test_a_replay_needs_no_source(tmp_path: Path) -> None:
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    first = diagnose(folder, tmp_path / "data")
    second = diagnose(folder, tmp_path / "data")
    assert first.session.report_digest == second.session.report_digest
    rule = first.diagnosis.scope.rule
    assert rule is not None
    assert rule.hold == MINUTE
    alert = json.loads((folder / "alert.json").read_text())["alerts"][0]
    fired = datetime.fromisoformat(alert["startsAt"])
    condition = first.diagnosis.scope.condition
    assert condition is not None
    assert condition.onset_at is not None
    assert MINUTE <= fired - condition.onset_at < 2 * MINUTE
