"""Two faults at once, on branches of the call graph that explain nothing of each other."""

from pathlib import Path

import pytest

from diagnosing import cause_of, diagnose, report_of
from superbizagent.cli.render import render_terminal
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Envelope, Section
from superbizagent.evaluation.truth import read_truth

INCIDENTS = Path(__file__).parents[2] / "benchmarks" / "incidents"
BOTH = INCIDENTS / "two-faults-1"
ALONE = sorted(
    p.parent for p in INCIDENTS.glob("*-[0-9]/truth.yaml") if len(read_truth(p.parent).faults) == 1
)
ENVELOPE = Envelope(session_id="0192e5f0-7b1c-7c7e-b1a2-0123456789ab", seconds=9.9, queries=60)


@pytest.mark.parametrize(
    ("language", "told", "sure", "do"),
    [
        ("en", "Independent of it: The memory of invoicing", "invoicing: likely", "invoicing: R"),
        ("zh", "与之无关的另一故障：invoicing 的内存", "invoicing：可能", "invoicing：在内核"),
    ],
)
def test_both_are_named_each_with_its_verdict_and_what_to_do(
    language: str, told: str, sure: str, do: str, tmp_path: Path
) -> None:
    done = diagnose(BOTH, tmp_path, lang=language)
    report = report_of(done)
    assert report.rejected == ()
    assert cause_of(done) == ("sql-01", "slow_query")
    [fault] = done.diagnosis.analysis.independent
    assert (fault.cause.entity, fault.cause.fault_kind, fault.verdict) == (
        "//service/invoicing",
        FaultKind.MEMORY,
        Verdict.LIKELY,
    )
    assert report.verdict is Verdict.ROOT_CAUSE_FOUND
    claims = [c for c in report.claims if c.entity == fault.cause.entity]
    of = {c.section: c for c in reversed(claims)}
    assert of[Section.WHAT].text.startswith(told)
    assert of[Section.WHAT].fact_ids
    assert of[Section.SURENESS].text.startswith(sure)
    assert of[Section.DO_NOW].text.startswith(do)
    screen = render_terminal(report, ENVELOPE)
    assert len(screen.splitlines()) <= 25
    assert all(part in screen for part in (told, sure, do, "invoicing"))


def test_looking_beside_the_alert_costs_no_second_round_of_queries(tmp_path: Path) -> None:
    rows = diagnose(BOTH, tmp_path).diagnosis.evidence.invocations
    assert sum(row.tool is ToolName.QUERY_METRICS for row in rows) <= 6


@pytest.mark.parametrize("folder", ALONE, ids=lambda p: p.name)
def test_one_fault_alone_has_no_second(folder: Path, tmp_path: Path) -> None:
    done = diagnose(folder, tmp_path)
    assert done.diagnosis.analysis.independent == ()
    assert not any(c.extras.get("also") for c in report_of(done).claims)
