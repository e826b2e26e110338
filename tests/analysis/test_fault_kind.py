"""What is wrong, by fixed rules on what moved."""

import pytest

from superbizagent.analysis.fault_kind import fault_kind_of
from superbizagent.domain.finding import FaultKind, Finding, FindingKind


def _finding(
    subject: str,
    family: str,
    score: float = 3.0,
    direction: int = 1,
    kind: FindingKind = FindingKind.METRIC_DEVIATION,
) -> Finding:
    return Finding(
        id="F1",
        kind=kind,
        entity="//service/a",
        subject=subject,
        family=family,
        score=score,
        direction=direction,
    )


def _line(
    text: str, score: float = 2.0, kind: FindingKind = FindingKind.LOG_NOVEL, fact: str = "L7"
) -> Finding:
    """An error line, or requests in which it is."""
    return _finding(text, "err", score, kind=kind).model_copy(update={"fact_ids": (fact,)})


_PATTERN, _ERRORS = FindingKind.CALL_PATTERN, FindingKind.SPAN_ERRORS
_SLOW = FindingKind.WIRE_DELAY
_WIRE = _finding("wire:a -> b", "lat", 4.5, kind=FindingKind.WIRE_DELAY)


@pytest.mark.parametrize(
    ("findings", "kind"),
    [
        ([], FaultKind.UNKNOWN),
        ([_finding("process_cpu_ratio", "cpu")], FaultKind.CPU),
        ([_finding("process_cpu_ratio", "cpu", 1.0)], FaultKind.UNKNOWN),
        ([_finding("process_cpu_ratio", "cpu", direction=-1)], FaultKind.UNKNOWN),
        ([_finding("node_memory_MemAvailable_bytes", "mem", direction=-1)], FaultKind.MEMORY),
        ([_finding("heap_bytes", "mem", 2.0), _finding("cpu", "cpu", 4.0)], FaultKind.MEMORY),
        ([_finding("heap_bytes", "mem", 1.5), _finding("cpu", "cpu", 4.0)], FaultKind.CPU),
        ([_finding("node_disk_io_time", "disk")], FaultKind.DISK),
        ([_finding("app_errors_total", "err")], FaultKind.CODE_ERROR),
        ([_finding("PodSuccessRate", "err", direction=-1)], FaultKind.CODE_ERROR),
        ([_finding("call_latency", "lat")], FaultKind.NETWORK_DELAY),
        ([_WIRE], FaultKind.NETWORK_DELAY),
        ([_WIRE, _finding("cpu", "cpu", 4.0)], FaultKind.CPU),
        ([_WIRE, _finding("cpu", "cpu", 1.6)], FaultKind.NETWORK_DELAY),
        ([_WIRE, _finding("span_errors:500", "err", 6.0, kind=_ERRORS)], FaultKind.CODE_ERROR),
        ([_finding("pattern:a: b", "other", 1.0, -1, _PATTERN)], FaultKind.CODE_ERROR),
        ([_finding("pattern:a: b", "other", 1.0, 1, _PATTERN)], FaultKind.WRONG_RESULT),
        ([_finding("pattern:a: b", "other", 0.4, 1, _PATTERN)], FaultKind.UNKNOWN),
        ([_finding("pattern:a: b", "other", 0.4, -1, _PATTERN)], FaultKind.CODE_ERROR),
        ([_finding("wire:a -> b", "lat", 0.9, kind=_SLOW)], FaultKind.NETWORK_DELAY),
        # What waits for a starved processor is kept in memory.
        ([_WIRE, _finding("cpu", "cpu", 3.2), _finding("rss", "mem", 4.2)], FaultKind.CPU),
        ([_WIRE, _finding("rss", "mem", 4.2)], FaultKind.MEMORY),
        (
            [_finding("wire:a -> b", "lat", 11.0, kind=_SLOW), _finding("cpu", "cpu", 4.0)],
            FaultKind.CPU,
        ),
        # An error that the program foresaw, in the requests: something gave it what is of no use.
        (
            [_line("no route to id 7"), _line("pattern:a: no route to id 7", kind=_PATTERN)],
            FaultKind.WRONG_RESULT,
        ),
        (
            [_line("no route to id 7"), _line("span_errors:no route", kind=_ERRORS)],
            FaultKind.WRONG_RESULT,
        ),
        (
            [_line("caught exception"), _line("span_errors:caught exception", kind=_ERRORS)],
            FaultKind.CODE_ERROR,
        ),
        # Nobody wrote of it, or the requests were not seen: an error is an error.
        ([_line("span_errors:500", kind=_ERRORS, fact="T3")], FaultKind.CODE_ERROR),
        ([_line("no route to id 7")], FaultKind.CODE_ERROR),
        (
            [_finding("db_client_connection_pending_requests", "saturation")],
            FaultKind.POOL_EXHAUSTION,
        ),
        ([_finding("innodb_row_lock_current_waits", "saturation")], FaultKind.LOCK_WAIT),
        (
            [
                _finding("innodb_row_lock_time", "saturation", 8.0),
                _finding("db_client_connection_pending_requests", "saturation", 3.0),
            ],
            FaultKind.LOCK_WAIT,
        ),
        (
            [
                _finding("innodb_row_lock_time", "saturation", 1.4),
                _finding("db_client_connection_pending_requests", "saturation", 3.0),
            ],
            FaultKind.POOL_EXHAUSTION,
        ),
        (
            [_finding("innodb_row_lock_time", "saturation", 2.0), _finding("pool_x", "other")],
            FaultKind.LOCK_WAIT,
        ),
        ([_finding("threads_running", "saturation")], FaultKind.UNKNOWN),
        (
            [_finding("QueuePool limit reached", "err", kind=FindingKind.LOG_NOVEL)],
            FaultKind.POOL_EXHAUSTION,
        ),
        (
            [
                _finding("boom", "err", 4.0, kind=FindingKind.LOG_NOVEL),
                _finding("(1040, 'Too many connections')", "err", kind=FindingKind.LOG_BURST),
            ],
            FaultKind.CONNECTION_LIMIT,
        ),
        (
            [_finding("certificate reloaded", "other", kind=FindingKind.LOG_NOVEL)],
            FaultKind.UNKNOWN,
        ),
        (
            [_finding("http_requests_total", "qps", 1.4), _finding("cpu", "cpu", 4.0)],
            FaultKind.TRAFFIC,
        ),
        ([_finding("http_requests_total", "qps", 1.4, direction=-1)], FaultKind.UNKNOWN),
        (
            [_finding("up", "inst", direction=-1, kind=FindingKind.SERIES_VANISHED)],
            FaultKind.RESTART,
        ),
    ],
)
def test_the_first_rule_that_holds_decides(findings: list[Finding], kind: FaultKind) -> None:
    assert fault_kind_of(findings) is kind


def test_what_got_better_is_no_pool_exhaustion() -> None:
    idle = _finding('db_client_connection_count{state="used"}', "saturation", direction=-1)
    assert fault_kind_of([idle, _finding("app_errors_total", "err")]) is FaultKind.CODE_ERROR
