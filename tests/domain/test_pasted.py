"""Alerts as people paste them."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.alert import Alert, AlertStatus, selector_of
from superbizagent.domain.payload import parse_payload

SLACK = """*[FIRING:1] HighErrorRate*
*Description:* too many 5xx
*Details:*
 • *alertname:* `HighErrorRate`
 • *service:* `order-service`
*Started:* 2026-11-30 12:43:00.5 +0000 UTC
"""
MAIL = """[FIRING:2] PoolExhausted order-service (critical)
Labels:
 - alertname = PoolExhausted
 - service = order-service
Annotations:
 - runbook_url = https://runbooks.example.com/pool
Source: http://prometheus:9090/graph?g0.expr=pool+%3E+1
Labels:
 - alertname = PoolExhausted
 - service = payment
Annotations:
 - summary = again
who is on call tonight, please
"""
YAML = """alertname: HighErrorRate
labels:
  service: order-service
  severity: critical
annotations:
  summary: "5xx: too many"
startsAt: 2026-11-30T12:43:00Z
"""
RULE = """- alert: HighErrorRate
  expr: |
    sum(rate(errors_total[5m]))
      > 1
  for: 5m
  labels:
    severity: page
"""


def one(text: str) -> Alert:
    [alert] = parse_payload(text).alerts
    return alert


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (
            "[FIRING:1] HighErrorRate order-service (critical)",
            {"alertname": "HighErrorRate", "severity": "critical"},
        ),
        (SLACK, {"alertname": "HighErrorRate", "service": "order-service"}),
        (
            YAML,
            {"alertname": "HighErrorRate", "service": "order-service", "severity": "critical"},
        ),
        (RULE, {"alertname": "HighErrorRate", "severity": "page"}),
        ("HighErrorRate", {"alertname": "HighErrorRate"}),
        ('high_load{job="x",zone="b"}', {"alertname": "high_load", "job": "x", "zone": "b"}),
        ('"labels": {"alertname": "X", "job": "y"},\n"startsAt": "2026-11-30T12:43:00Z",',
         {"alertname": "X", "job": "y"}),
        ('{"labels": {"alertname": "Torn",\n "job": "y"', {"alertname": "Torn", "job": "y"}),
    ],
)  # fmt: skip
def test_forms(text: str, labels: dict[str, str]) -> None:
    assert one(text).labels | labels == one(text).labels


def test_the_words_of_a_head_are_left_to_who_knows_the_system() -> None:
    payload = parse_payload("[FIRING:1] HighErrorRate order-service (critical)")
    assert payload.question == "HighErrorRate order-service (critical)"


def test_a_message_with_two_alerts_is_read_and_what_is_not_is_said() -> None:
    payload = parse_payload(MAIL)
    assert [a.labels["service"] for a in payload.alerts] == ["order-service", "payment"]
    assert payload.alerts[0].annotations == {"runbook_url": "https://runbooks.example.com/pool"}
    assert payload.alerts[0].generator_url.endswith("g0.expr=pool+%3E+1")
    assert payload.notes == ("not understood: 'who is on call tonight, please'",)
    assert payload.alerts[1].extra["lines"] == ["who is on call tonight, please"]


def test_times_and_states_are_read() -> None:
    assert one(SLACK).starts_at == datetime(2026, 11, 30, 12, 43, 0, 500000, tzinfo=UTC)
    assert one(YAML).starts_at == datetime(2026, 11, 30, 12, 43, tzinfo=UTC)
    assert one("[RESOLVED] HighErrorRate").status is AlertStatus.RESOLVED


def test_a_pasted_rule_keeps_its_expression() -> None:
    assert one(RULE).extra["expr"] == "sum(rate(errors_total[5m])) > 1"


@pytest.mark.parametrize(
    "text", ["why is checkout slow?", "service: orders is slow", "CPU", "HELP", "为什么慢？"]
)
def test_a_question_stays_a_question(text: str) -> None:
    assert parse_payload(text).alerts == ()
    assert parse_payload(text).question == text


def paged(kind: str, **data: Any) -> bytes:
    incident = {
        "id": "Q1",
        "title": "[FIRING:1] HighErrorRate order-service (critical)",
        "service": {"summary": "Orders on call"},
        "created_at": "2026-11-30T12:43:00Z",
        "urgency": "high",
        **data,
    }
    at = "2026-11-30T12:50:00Z"
    return orjson.dumps({"event": {"event_type": kind, "occurred_at": at, "data": incident}})


def test_pagerdutys_body_is_read() -> None:
    payload = parse_payload(paged("incident.triggered", html_url="https://x.example.com/Q1"))
    [alert] = payload.alerts
    assert alert.labels == {"alertname": "HighErrorRate", "severity": "critical"}
    assert alert.starts_at == datetime(2026, 11, 30, 12, 43, tzinfo=UTC)
    assert alert.extra["incident"]["html_url"] == "https://x.example.com/Q1"
    assert "Orders on call" in payload.question
    over = parse_payload(paged("incident.resolved")).alerts[0]
    assert (over.status, over.ends_at) == (
        AlertStatus.RESOLVED,
        datetime(2026, 11, 30, 12, 50, tzinfo=UTC),
    )


@given(st.text(max_size=300))
def test_nothing_makes_it_fail(text: str) -> None:
    parse_payload(f"[FIRING:1] {text}")
    parse_payload(f"alertname: Some\n{text}")


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(max_size=20)))
def test_what_is_printed_to_be_pasted_is_read_again(labels: dict[str, str]) -> None:
    alert = Alert(labels={**labels, "alertname": "SomeAlert"})
    text = selector_of(alert)
    assert "\n" not in text
    found = parse_payload(text).alerts
    assert [a.name for a in found] == ["SomeAlert"]
    assert set(found[0].labels) == {"alertname", *labels}
