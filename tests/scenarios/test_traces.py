"""A fault that only spans show: between two services, while each of them works as ever."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from diagnosing import cause_of, diagnose, report_of
from span_recordings import Span, shop, write_form
from superbizagent.domain.finding import Verdict
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.spans import SpanSet

EXAMPLE = Path(__file__).parents[2] / "examples" / "slow-network"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "incident"
    shutil.copytree(EXAMPLE, target)
    (target / "truth.yaml").unlink()
    return target


def test_the_slow_edge_is_named_with_its_medians(folder: Path, tmp_path: Path) -> None:
    done = diagnose(folder, tmp_path / "data")
    report = report_of(done)
    assert cause_of(done) == ("payment", "network_delay")
    assert report.rejected == ()
    headline = report.section(Section.WHAT)[0]
    assert "to payment take 392 ms on the wire, 0.738 ms before" in headline.text
    facts = done.diagnosis.evidence.facts()
    cited = {facts[i].statistic: facts[i] for i in headline.fact_ids}
    assert float(cited["median"].value or 0) > 380
    assert float(cited["baseline_median"].value or 0) < 2
    look = report.section(Section.CHECK_NEXT)[0]
    assert look.command == facts[look.fact_ids[0]].value
    # The call graph that nobody wrote down.
    edges = {(e.caller, e.callee) for e in done.diagnosis.scope.topology.edges}
    assert {("billing", "payment"), ("order", "payment"), ("stock", "stock-db")} <= edges


def test_in_chinese_it_says_the_same(folder: Path, tmp_path: Path) -> None:
    report = report_of(diagnose(folder, tmp_path / "data", lang="zh"))
    assert report.rejected == ()
    text = report.section(Section.WHAT)[0].text
    assert "到 payment 的调用在网络上耗时 392 ms，之前为 0.738 ms" in text


def test_without_its_spans_the_caller_is_taken_for_the_cause(folder: Path, tmp_path: Path) -> None:
    (folder / "traces.jsonl.gz").unlink()
    done = diagnose(folder, tmp_path / "data")
    assert cause_of(done)[0] != "payment"
    unseen = [c.text for c in report_of(done).section(Section.NOT_SEEN)]
    assert "traces were not read" in unseen


def test_the_same_spans_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    digests = {diagnose(folder, tmp_path / str(k)).session.report_digest for k in range(2)}
    assert len(digests) == 1


def test_damaged_spans_are_said_and_take_nothing_else_along(folder: Path, tmp_path: Path) -> None:
    path = folder / "traces.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-100_000])
    done = diagnose(folder, tmp_path / "data")
    unseen = " ".join(c.text for c in report_of(done).section(Section.NOT_SEEN))
    assert "truncated or damaged" in unseen
    assert report_of(done).verdict is not Verdict.HEALTHY
    assert report_of(done).rejected == ()


def test_who_recorded_nothing_is_said(folder: Path, tmp_path: Path) -> None:
    (folder / "topology.yaml").write_text("services: {gateway: {calls: [storefront]}}\n")
    done = diagnose(folder, tmp_path / "data", services=("gateway",))
    row = next(r for r in done.diagnosis.evidence.invocations if r.tool is ToolName.SEARCH_TRACES)
    assert row.status is EvidenceStatus.OK
    assert isinstance(row.output, SpanSet)
    unseen = [c.text for c in report_of(done).section(Section.NOT_SEEN)]
    assert "no spans of gateway were recorded" in unseen
    assert report_of(done).rejected == ()


def failing(spans: list[Span]) -> list[Span]:
    late = {s.trace for s in spans if s.start >= 15 * 60_000_000}
    return [replace(s, status=503) if s.trace in late and not s.peer else s for s in spans]


def without_charge(spans: list[Span]) -> list[Span]:
    return [s for s in spans if s.start < 15 * 60_000_000 or "charge" not in s.operation]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            failing,
            {
                "en": "of its requests `POST /charge` 100 % fail with `503`, 0 % before",
                "zh": "请求中有 100 % 因 `503` 失败，之前为 0 %",
            },
        ),
        (
            without_charge,
            {
                "en": "of its requests `POST /orders` 0 % pass through `POST /charge`",
                "zh": "它的 `POST /orders` 请求中有 0 %",
            },
        ),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_failures_and_missing_calls_are_said(
    change: Callable[[list[Span]], list[Span]], words: dict[str, str], language: str, tmp_path: Path
) -> None:
    write_form(tmp_path / "case", "otlp-lines", change(shop(slow_ms=3.0)))
    times = {"since": "2026-03-02T09:15:00Z", "until": "2026-03-02T09:20:00Z"}
    report = report_of(diagnose(tmp_path / "case", tmp_path / "data", lang=language, **times))
    assert report.rejected == ()
    said = " ".join(c.text for c in report.claims)
    assert words[language] in said


def test_a_quiet_period_of_the_same_recording_has_no_cause(folder: Path, tmp_path: Path) -> None:
    (folder / "alert.json").unlink()
    done = diagnose(
        folder, tmp_path / "data", since="2026-11-30T21:41:30Z", until="2026-11-30T21:45:30Z"
    )
    assert cause_of(done) == ("", "")
