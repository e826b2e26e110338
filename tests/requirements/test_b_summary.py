"""The tool-trace summary (document B): concrete facts survive, within caps, in the row's words."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate_rows import LOG_LINE, ROWS, SERIES, alert_row, fact, log_row, metric_row, row
from superbizagent.analysis.trace_summary import SummaryCaps, ToolTraceSummaryService
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evaluation import InvocationRecord

SERVICE = ToolTraceSummaryService()
POOL_TOKENS = (
    "order-service",
    "ERROR",
    "Connection is not available",
    "pool_active=50",
    "pool_max=50",
    "waiting_threads=23",
)
JSON_LINE = (
    '{"ts":"2026-07-06T10:00:01Z","level":"ERROR","service":"order-service","message":"Connection '
    'is not available","pool_active":50,"pool_max":50,"waiting_threads":23}'
)
RECORD: dict[str, Any] = {
    "timestamp": "2026-07-06T10:00:01Z",
    "service": "order-service",
    "level": "ERROR",
    "message": "Connection is not available",
    "metrics": {"pool_active": 50, "pool_max": 50, "waiting_threads": 23},
}


# B-10 --------------------------------------------------------------------------------------------

POOL_ROWS = {
    "own facts": log_row(),
    "own facts of a JSON line": row(
        1, "search_logs", details={"facts": [fact("E1.1", "log:t", 3.0, quote=JSON_LINE)]}
    ),
    "details of another tool": row(1, "query_logs", source="MCP", details={"logs": [RECORD]}),
    "details as JSON text": row(
        1, "query_logs", details=canonical_bytes({"logs": [RECORD]}).decode()
    ),
    "preview in JSON": row(
        1, "query_logs", output_preview=canonical_bytes({"data": {"logs": [RECORD]}}).decode()
    ),
    "preview in text": row(1, "query_logs", output_preview=f"1 record\n{LOG_LINE}\n"),
    "preview in JSON lines": row(1, "query_logs", output_preview=f"{JSON_LINE}\n{JSON_LINE}"),
}


@pytest.mark.parametrize("name", POOL_ROWS)
def test_b10_log_facts_reach_the_summary(name: str) -> None:
    summary = SERVICE.output_summary(POOL_ROWS[name])
    assert [token for token in POOL_TOKENS if token not in summary] == []


def test_b10_named_numbers_survive_the_cut_of_a_long_line() -> None:
    long = LOG_LINE.replace("HikariPool-1 - ", "HikariPool-1 - " + "at com.shop.Pool " * 60)
    summary = SERVICE.output_summary(
        row(1, "search_logs", details={"facts": [fact("E1.1", "log:t", 1.0, quote=long)]})
    )
    assert len(summary) <= SummaryCaps().fact
    assert all(t in summary for t in POOL_TOKENS if t != "Connection is not available")


def test_b10_error_lines_come_before_other_lines() -> None:
    calm = [fact(f"E1.{n}", f"log:{n}", 1.0, quote=f"INFO tick a={n}") for n in range(1, 30)]
    for number, item in enumerate(calm):
        item["place"] = f"template/{number}"
    loud = fact("E1.99", "log:x", 2.0, quote=LOG_LINE, place="template/99")
    summary = SERVICE.output_summary(row(1, "search_logs", details={"facts": [*calm, loud]}))
    assert summary.startswith("2026-07-06 10:00:01.120 ERROR [order-service]")


# B-11 --------------------------------------------------------------------------------------------

API_ALERT = {
    "labels": {"alertname": "MySQLConnectionPoolExhausted", "service": "order-service"},
    "annotations": {"description": "pool is full"},
    "state": "firing",
}
ALERT_ROWS = {
    "own facts": alert_row(),
    "alerts of an API": row(1, "list_alerts", details={"data": {"alerts": [API_ALERT]}}),
    "alerts of another tool": row(
        1,
        "query_prometheus_alerts",
        output_preview=canonical_bytes(
            [{"alert_name": "MySQLConnectionPoolExhausted", "service": "order-service"}]
        ).decode(),
    ),
    "ALERTS series": row(
        1,
        "query_metrics",
        details={
            "result": [
                {
                    "metric": {"__name__": "ALERTS", **API_ALERT["labels"]},  # pyright: ignore[reportGeneralTypeIssues] - a label set
                    "value": [1, "1"],
                }
            ]
        },
    ),
}


@pytest.mark.parametrize("name", ALERT_ROWS)
def test_b11_alert_names_and_services_reach_the_summary(name: str) -> None:
    summary = SERVICE.output_summary(ALERT_ROWS[name])
    assert "MySQLConnectionPoolExhausted" in summary
    assert "order-service" in summary


def test_b11_metric_facts_reach_the_summary() -> None:
    assert SERVICE.output_summary(metric_row()) == f"{SERIES} median=11.7 max=50"


# B-13 --------------------------------------------------------------------------------------------

SOURCES: dict[str, tuple[InvocationRecord, str]] = {
    "own facts": (metric_row(), "max=50"),
    "series of an API": (
        row(
            1,
            "query_metrics",
            details={"result": [{"metric": {"__name__": "up", "job": "a"}, "value": [1, "7"]}]},
        ),
        "a up 7",
    ),
    "a range of an API": (
        row(
            1,
            "query_metrics",
            details=[{"metric": {"__name__": "up"}, "values": [[1, "7"], [2, "9"]]}],
        ),
        "up 9",
    ),
    "passages": (
        row(1, "lookup_knowledge", details=[{"title": "Pool runbook", "snippet": "kill it"}]),
        "Pool runbook kill it",
    ),
    "retrieval details": (
        row(
            1,
            "lookup_knowledge",
            retrieval_details={"evidence_summaries": [{"title": "Pool runbook", "source": "a.md"}]},
        ),
        "Pool runbook",
    ),
    "scalars of an unknown tool": (
        row(1, "ping", source="MCP", details={"reachable": "yes", "loss": 0.5}),
        "reachable=yes; loss=0.5",
    ),
    "a failed call": (row(1, "query_metrics", "timeout", error="no answer in 10 s"), "no answer"),
    "an empty call": (row(1, "search_logs", "empty", output_preview="no records"), "no records"),
    "an edge": (
        row(
            1,
            "get_topology",
            details={"facts": [fact("E1.1", "edge:a", "b", statistic="callee", quote="a -> b")]},
        ),
        "a -> b",
    ),
    "a change": (
        row(
            1,
            "list_changes",
            details={"facts": [fact("E1.1", "change:deploy", "v42 out", quote="v42 out")]},
        ),
        "v42 out",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_b13_every_source_of_a_row_is_summarised(name: str) -> None:
    record, wanted = SOURCES[name]
    assert wanted in SERVICE.output_summary(record)


DEGRADED: dict[str, Any] = {
    "no details": None,
    "details cut off": '{"facts": [{"id": "E1.1", "na',
    "details of another form": {"facts": "none"},
    "facts of another form": {"facts": [1, None, "x", {"name": 7}, {"value": 3}]},
    "an empty object": {},
    "a number": 12,
}


@pytest.mark.parametrize("name", DEGRADED)
def test_b13_unreadable_details_degrade_to_the_preview(name: str) -> None:
    record = row(1, "search_logs", details=DEGRADED[name], output_preview="three   lines\nfound")
    summary = SERVICE.output_summary(record)
    assert "three lines found" in summary


def test_b13_a_preview_of_broken_json_is_shown_as_it_is() -> None:
    broken = '{"logs": [{"message": "pool is full", "lev'
    assert SERVICE.output_summary(row(1, "query_logs", output_preview=broken)) == broken


def test_b13_a_long_preview_is_cut_and_flagged() -> None:
    record = row(1, "search_logs", output_preview="word " * 200)
    summary = SERVICE.output_summary(record)
    assert len(summary) == SummaryCaps().fact
    assert SERVICE.summarise((record,)).entries[0].truncated


def test_b13_entries_are_in_the_order_of_the_calls() -> None:
    rows = (alert_row(3), metric_row(2), log_row(1))
    summary = SERVICE.summarise(rows)
    assert [e.n for e in summary.entries] == [1, 2, 3]
    assert [e.tool for e in summary.entries] == ["search_logs", "query_metrics", "list_alerts"]
    assert summary.entries[0].input_summary == "services=order-service"
    assert summary.entries[1].input_summary == "hikaricp_connections_active"
    assert not summary.truncated


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"selector": {"name": 7}, "services": ["a", 3, "b"], "limit": 5}, "services=a,b"),
        ({"query": "up > 0", "empty": "", "none": []}, "query=up > 0"),
        ("up   > 0", "up > 0"),
        ([1, 2], ""),
        (None, ""),
    ],
)
def test_b13_inputs_of_any_form_are_summarised(asked: Any, text: str) -> None:
    assert SERVICE.summarise((row(1, "any", input=asked),)).entries[0].input_summary == text


# B-15 --------------------------------------------------------------------------------------------


def wide_row(
    number: int, facts: int = 20, chars: int = 500, status: str = "ok"
) -> InvocationRecord:
    listed = [
        fact(
            f"E{number}.{n}",
            f"log:{n}",
            1.0,
            quote=f"WARN {n} " + "x" * chars,
            place=f"template/{n}",
        )
        for n in range(facts)
    ]
    return row(number, "search_logs", status, details={"facts": listed}, error="boom " * 200)


def size(summary: Any) -> int:
    return sum(len(e.input_summary) + len(e.output_summary) for e in summary.entries)


def test_b15_each_fact_and_each_call_is_capped() -> None:
    caps = SummaryCaps()
    assert (caps.fact, caps.facts, caps.total) == (300, 8, 6000)
    entry = SERVICE.summarise((wide_row(1),)).entries[0]
    assert [len(f) for f in entry.facts] == [300] * 8
    assert entry.facts_omitted == 12
    assert entry.truncated


@pytest.mark.parametrize("calls", [1, 3, 10, 60, 200])
@pytest.mark.parametrize("failed", ["none", "some", "all"])
def test_b15_total_is_capped_and_omissions_are_counted(calls: int, failed: str) -> None:
    bad = {"none": 0, "some": 3, "all": 1}[failed]
    rows = [
        wide_row(n, status="timeout" if bad and n % bad == 0 else "ok") for n in range(1, calls + 1)
    ]
    summary = SERVICE.summarise(rows)
    assert size(summary) <= SummaryCaps().total
    assert len(summary.entries) + sum(o.count for o in summary.omitted) == calls
    assert summary.truncated
    assert summary.entries[-1].n == calls  # the newest call is never left out
    shown = sum(e.facts_omitted for e in summary.entries)
    assert summary.omitted_facts == shown


def test_b15_failed_calls_are_kept_before_others() -> None:
    rows = [wide_row(n, status="error" if n <= 20 else "ok") for n in range(1, 101)]
    summary = SERVICE.summarise(rows)
    assert {e.n for e in summary.entries} >= set(range(1, 21))
    assert [(o.tool, o.status) for o in summary.omitted] == [("search_logs", "ok")]


def test_b15_one_wide_call_does_not_crowd_out_the_rest() -> None:
    rows = [wide_row(1, facts=200), *(wide_row(n, facts=1) for n in range(2, 15))]
    assert [e.n for e in SERVICE.summarise(rows).entries] == list(range(1, 15))


def test_b15_a_flag_says_that_the_output_itself_was_cut() -> None:
    summary = SERVICE.summarise((metric_row(truncated=True),))
    assert summary.entries[0].truncated
    assert not SERVICE.summarise((metric_row(),)).truncated


# B-16 --------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        "order-service",
        "ERROR",
        "pool_active=50",
        "a b",
        "中文 消息",
        "x" * 400,
        "0.30000000000000004",
        "",
    ]
)
SCALARS = st.one_of(WORDS, st.integers(-1000, 1000), st.floats(allow_nan=False), st.none())
KEYS = st.sampled_from(
    ["message", "level", "service", "title", "labels", "alertname", "metric", "value", "values",
     "name", "facts", "quote", "statistic", "unit", "entity", "place", "metrics", "k"]
)  # fmt: skip
JSON = st.recursive(
    SCALARS, lambda s: st.lists(s, max_size=3) | st.dictionaries(KEYS, s, max_size=4), max_leaves=12
)
FACTS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.just("E1.1"),
            "name": st.sampled_from(["up", "log:t", "field:pool", "alert:A", "edge:a", "change:b"]),
            "value": SCALARS,
            "statistic": st.sampled_from(["max", "count", "severity", "service", "message", ""]),
            "unit": st.sampled_from(["", "ms", "records"]),
            "entity": st.sampled_from(["", "a/b/service/order-service"]),
            "quote": WORDS,
            "place": st.sampled_from(["output", "template/1", "series/2"]),
        }
    ),
    max_size=5,
).map(lambda facts: {"facts": facts})


@given(
    details=JSON | FACTS,
    preview=WORDS | JSON.map(lambda value: canonical_bytes(value).decode()),
    status=st.sampled_from(["ok", "empty", "error"]),
    asked=JSON,
)
def test_b16_every_word_of_a_summary_occurs_in_the_row(
    details: Any, preview: str, status: str, asked: Any
) -> None:
    record = row(
        1, "any", status, details=details, output_preview=preview, input=asked, error="refused"
    )
    source = canonical_bytes(record).decode()
    entry = SERVICE.summarise((record,)).entries[0]
    for word in re.split(r"[\s=;,{}\[\]\"\\:]+|…", f"{entry.input_summary} {entry.output_summary}"):
        number_and_unit = re.fullmatch(r"(.*\d)(ms)", word)
        pieces = number_and_unit.groups() if number_and_unit else (word,)
        assert all(piece in source for piece in pieces), (word, source)


def test_b16_nothing_is_inferred() -> None:
    """A pool that is full in the row is not called full, exhausted or a cause in the summary."""
    summary = " ".join(e.output_summary for e in SERVICE.summarise(ROWS).entries).lower()
    assert not re.search(r"exhaust|saturat|full|cause|%|because|likely", summary)
