"""From the cause to what hurts: each step with what was measured of it, or said to be assumed."""

import shutil
from pathlib import Path

import pytest

from diagnosing import diagnose, report_of
from superbizagent.analysis.alert_evidence import ALERT_TERMS
from superbizagent.analysis.span_scores import FLOORS
from superbizagent.cli.render import render_terminal
from superbizagent.domain.finding import (
    CandidateCause,
    Contribution,
    FaultKind,
    Finding,
    FindingKind,
    ScoreTerm,
)
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Envelope, Section
from superbizagent.investigation.explanation import fact_lines
from superbizagent.investigation.hypotheses.combine import RULED_OUT_BY_PLACE
from superbizagent.investigation.hypotheses.consequences import STANDS_ON_CAUSE
from superbizagent.investigation.hypotheses.path import contributing, path_of
from superbizagent.investigation.report import write_report
from superbizagent.investigation.run import Finished
from superbizagent.investigation.verify import verify_report
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.say_full import term_words
from tests.investigation.incidents import all_skills

EXAMPLE = Path(__file__).parents[2] / "examples" / "slow-network"
ENVELOPE = Envelope(session_id="0192e5f0-7b1c-7c7e-b1a2-0123456789ab", seconds=9.9, queries=60)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return diagnose(EXAMPLE, tmp_path_factory.mktemp("data"))


def test_each_step_cites_its_calls_or_what_both_ends_show(done: Finished) -> None:
    report = report_of(done)
    assert report.rejected == ()
    calls, ends = report.section(Section.PATH)
    assert calls.text.startswith("payment -> billing: calls take 391 ms on the wire, 0.738 ms bef")
    assert ends.text.startswith("billing -> storefront: billing request_duration_seconds_p95 from")
    assert "which was first cannot be told" in ends.text
    facts = done.diagnosis.evidence.facts()
    assert {facts[i].name for i in calls.fact_ids} == {"calls:billing -> payment"}
    both = {facts[i].entity for i in ends.fact_ids}
    assert both == {"//service/billing", "//service/storefront"}


def test_the_screen_has_the_measurement_what_bounds_it_and_the_way(done: Finished) -> None:
    why = report_of(done).section(Section.WHY)
    assert len(why) == 3
    measured, others, way = why
    assert " ms before (medians" in measured.text
    assert others.text.startswith("Calls that payment takes no part in lost no such time: at most")
    facts = done.diagnosis.evidence.facts()
    assert all("payment" not in facts[i].name for i in others.fact_ids)
    assert way.text == "Path: payment -> billing -> storefront"
    assert len(render_terminal(report_of(done), ENVELOPE).splitlines()) <= 25


def test_in_chinese_it_says_the_same(tmp_path: Path) -> None:
    report = report_of(diagnose(EXAMPLE, tmp_path, lang="zh"))
    assert report.rejected == ()
    assert report.section(Section.WHY)[-1].text == "路径：payment -> billing -> storefront"
    first, second = report.section(Section.PATH)
    assert first.text.startswith("payment -> billing：调用的网络耗时为 391 ms，之前为 0.738 ms")
    assert "无法判断先后" in second.text


def test_a_step_that_nothing_shows_is_said_to_be_one(tmp_path: Path) -> None:
    """Without the series of billing the graph alone leads from it to the storefront."""
    folder = tmp_path / "incident"
    shutil.copytree(EXAMPLE, folder)
    lines = (folder / "metrics.csv").read_text("utf-8").splitlines(keepends=True)
    header = lines[0].rstrip().split(",")
    kept = [n for n, name in enumerate(header) if not name.startswith("billing|")]
    assert len(kept) < len(header)
    rows = (line.rstrip("\n").split(",") for line in lines)
    lines = [",".join(row[n] for n in kept) + "\n" for row in rows]
    (folder / "metrics.csv").write_text("".join(lines), "utf-8")
    report = report_of(diagnose(folder, tmp_path / "data"))
    assert report.rejected == ()
    seen, unseen = report.section(Section.PATH)
    assert "on the wire" in seen.text
    assert unseen.text == (
        "billing -> storefront: nothing that was measured shows this step;"
        " the call graph alone says it."
    )
    assert unseen.fact_ids == ()
    assert "Path: payment -> billing ?-> storefront (?-> by the call graph alone)" in {
        c.text for c in report.section(Section.WHY)
    }


def test_a_step_of_another_path_and_facts_of_another_step_are_taken_out(done: Finished) -> None:
    diagnosis = done.diagnosis
    report = report_of(done)
    calls, ends = report.section(Section.PATH)
    line = report.section(Section.WHY)[-1]
    wrong = {
        calls.id: {"steps": [["//service/payment", "//service/storefront"]]},
        ends.id: {"steps": calls.extras["steps"]},
        line.id: {"steps": [*line.extras["steps"], ["//service/storefront", "//service/x"]]},
    }
    claims = tuple(
        c.model_copy(update={"extras": c.extras | wrong[c.id]}) if c.id in wrong else c
        for c in report.claims
    )
    forged = report.model_copy(update={"claims": claims})
    checked = verify_report(forged, diagnosis.evidence, diagnosis.analysis, diagnosis.scope)
    assert {(r.claim.id, r.reason) for r in checked.report.rejected} == {
        (i, "unsupported") for i in wrong
    }


@pytest.mark.parametrize(
    ("taken", "family", "share"),
    [(-1.0, "cpu", 0.5), (-0.5, "cpu", None), (-1.8, "cpu", None), (-1.0, "lat", None)],
)
def test_who_adds_to_it_on_the_way_is_contributing(
    taken: float, family: str, share: float | None, done: Finished
) -> None:
    scope, evidence = done.diagnosis.scope, done.diagnosis.evidence
    analysis = done.diagnosis.analysis
    own = Finding(
        id="F99",
        kind=FindingKind.METRIC_DEVIATION,
        entity="//service/billing",
        subject="x",
        family=family,
        score=3.0,
    )
    candidate = CandidateCause(
        entity="//service/billing",
        fault_kind=FaultKind.CPU,
        score=1.0,
        terms=(
            ScoreTerm(name="metrics", value=2.0),
            ScoreTerm(name="explained_by_callee", value=taken),
        ),
        finding_ids=("F99",),
    )
    findings = [*analysis.findings, own]
    steps = path_of(scope, evidence, analysis.candidates[0], findings)
    found = contributing(steps, [analysis.candidates[0], candidate], findings)
    expected = [("//service/billing", share, "F99")] if share else []
    assert [(c.entity, c.share, c.finding_id) for c in found] == expected
    # Of no other way, nobody adds to it.
    assert contributing((), [candidate], findings) == ()


def test_a_contributing_cause_is_said_with_its_share_and_its_own_facts(done: Finished) -> None:
    given, analysis = done.diagnosis, done.diagnosis.analysis
    own = next(f for f in analysis.findings if f.entity == "//service/billing")
    adds = Contribution(entity=own.entity, share=0.45, finding_id=own.id)
    more = analysis.model_copy(update={"contributing": (adds,)})
    report = write_report(given.scope, given.plans, given.evidence, more, all_skills())
    claim = report.section(Section.PATH)[-1]
    assert claim.text.startswith(
        "Contributing (45% of what its metrics show comes from its callees)"
    )
    assert set(claim.fact_ids) <= set(own.fact_ids)
    assert verify_report(report, given.evidence, more, given.scope).removed == 0
    other = adds.model_copy(update={"share": 0.6})
    changed = more.model_copy(update={"contributing": (other,)})
    checked = verify_report(report, given.evidence, changed, given.scope)
    assert [(r.claim.id, r.reason) for r in checked.report.rejected] == [(claim.id, "unsupported")]


def test_the_margin_stands_with_both_scores_and_is_held_against_them(done: Finished) -> None:
    given, analysis = done.diagnosis, done.diagnosis.analysis
    report = report_of(done)
    first = report.section(Section.CANDIDATES)[0]
    assert first.text.startswith("payment scores 3.1")
    closer = analysis.model_copy(update={"margin": 0.2})
    checked = verify_report(report, given.evidence, closer, given.scope)
    assert first.id in {r.claim.id for r in checked.report.rejected}


@pytest.mark.parametrize("language", list(Language))
def test_every_part_of_a_score_has_words(language: Language) -> None:
    names = {*ALERT_TERMS, *FLOORS, *RULED_OUT_BY_PLACE, STANDS_ON_CAUSE}
    names |= {"metrics", "logs", "saturation", "alert", "objects", "hypothesis"}
    names |= {"explained_by_callee", "explained_by_caller"}
    words = [term_words(name, narrator_for(language)) for name in sorted(names)]
    assert not names & set(words) - ({"metrics"} if language is Language.EN else set())
    assert len(set(words)) == len(words)


def explained(done: Finished, statistic: str, name: str) -> list[str]:
    fact = next(
        f
        for f in done.diagnosis.evidence.facts().values()
        if f.name == name and f.statistic == statistic
    )
    call = done.diagnosis.evidence.of(fact.call)
    assert call is not None
    return fact_lines(fact, call, done.session, {}, done.diagnosis.analysis)


def test_explain_says_what_a_fact_adds_to_which_score_and_the_margin(done: Finished) -> None:
    lines = explained(done, "median", "wire:billing -> payment")
    words = "cause      //service/payment (slow answers): time on the wire +3.1"
    assert any(line.startswith(words) for line in lines)
    assert any(line.startswith("score      //service/payment: 3.1") for line in lines)
    assert any(line.startswith("margin     payment scores 3.1") for line in lines)
    step = explained(done, "median", "calls:billing -> payment")
    assert step[-1] == "path       //service/payment -> //service/billing"
