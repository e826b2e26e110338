"""What is stored of an answer, and its head as text."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from inline_snapshot import snapshot

from journaling import START, planned, series
from superbizagent.domain.alert import Alert
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.logs import LogDigest, LogLine, LogTemplate
from superbizagent.domain.outputs import AlertList, Edge, ToolOutput, Topology, TopologyNode
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.journal.output import PREVIEW_CHARACTERS, preview, store_output

REDACTOR = Redactor(b"k" * 32)
WINDOW = Window(start=START, end=START + timedelta(minutes=5))


def call(output: ToolOutput | None, status: EvidenceStatus = EvidenceStatus.OK) -> ToolInvocation:
    return ToolInvocation(
        id="x",
        session_id="s-1",
        call=planned(1),
        status=status,
        started_at=START,
        output=output,
    )


def digest(lines: int, templates: int) -> LogDigest:
    return LogDigest(
        windows=Windows(incident=WINDOW, baselines=()),
        bucket_seconds=15,
        lines=tuple(
            LogLine(file="f", offset=n, at=None, service="pay", severity="error", text=f"line {n}")
            for n in range(lines)
        ),
        templates=tuple(
            LogTemplate(
                id=f"t{n}",
                service="pay",
                severity="error",
                text="pool exhausted <*>",
                baseline_count=0,
                incident_count=n + 1,
                buckets=(0, n + 1),
            )
            for n in range(templates)
        ),
    )


def test_the_head_of_each_kind_of_output() -> None:
    at = datetime(2026, 7, 6, 10, tzinfo=UTC)
    metric = SeriesSet.of(
        [
            ({"__name__": "up", "job": "a"}, np.array([0, 1]), np.array([0.0, 1.0])),
            ({"__name__": "empty"}, np.array([], int), np.array([])),
        ]
    )
    alerts = AlertList(alerts=(Alert(labels={"alertname": "Pool"}, starts_at=at),))
    calls = Topology(nodes=(TopologyNode(name="a"),), edges=(Edge(caller="a", callee="b"),))
    assert preview(metric) == snapshot('up{job="a"} 1 (2 samples)')
    assert preview(digest(2, 1)) == snapshot("pay error 0 -> 1 pool exhausted <*>")
    assert preview(digest(2, 0)) == snapshot("line 0\nline 1")
    assert preview(calls).splitlines() == snapshot(
        [
            '{"channel":"","kind":"service","name":"a","owner":"","runbook_url":""}',
            '{"callee":"b","caller":"a"}',
        ]
    )
    assert '"alertname":"Pool"' in preview(alerts)
    assert preview(SeriesSet()) == ""


@pytest.mark.parametrize(
    "output", [series(1, 1, 3000), digest(3000, 0), digest(0, 3000)], ids=["s", "l", "t"]
)
def test_a_preview_is_capped_at_whole_lines(output: ToolOutput) -> None:
    text = preview(output)
    assert 0 < len(text) <= PREVIEW_CHARACTERS
    assert preview(output, 10_000_000).startswith(text)
    assert len(preview(output, 25)) <= 25


def test_one_long_line_is_cut() -> None:
    alerts = AlertList(alerts=(Alert(labels={"alertname": "x" * 9000}),))
    assert len(preview(alerts)) == PREVIEW_CHARACTERS


def test_an_output_that_cannot_be_cut_is_left_out_and_says_so() -> None:
    stored = store_output(call(digest(50, 50)), REDACTOR, 100)
    assert stored.blob is None
    assert stored.call.output is None
    assert stored.call.status is EvidenceStatus.ERROR
    assert stored.call.truncated
    assert stored.call.output_preview == stored.call.error


def test_nothing_found_is_stored_without_an_output() -> None:
    stored = store_output(call(None, EvidenceStatus.EMPTY), REDACTOR, 100)
    assert stored.call.status is EvidenceStatus.EMPTY
    assert (stored.blob, stored.call.output_digest, stored.call.output_preview) == (None, "", "")
