"""Alert payloads of every sender are read; nothing makes the parser fail."""

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.payload import Payload, parse_payload

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

ALERT = {
    "status": "firing",
    "labels": {"alertname": "PoolExhausted", "service": "order-service"},
    "annotations": {"summary": "no connection left"},
    "startsAt": "2026-03-01T11:58:30.123456789Z",
    "endsAt": "0001-01-01T00:00:00Z",
    "generatorURL": "http://prometheus/graph?g0.expr=x",
    "fingerprint": "abc123",
}

WEBHOOK = {
    "version": "4",
    "groupKey": '{}:{alertname="PoolExhausted"}',
    "truncatedAlerts": 2,
    "status": "firing",
    "receiver": "superbiz",
    "groupLabels": {"alertname": "PoolExhausted"},
    "commonLabels": {"alertname": "PoolExhausted"},
    "commonAnnotations": {},
    "externalURL": "http://alertmanager",
    "alerts": [ALERT],
}


def parse(value: Any, **more: Any) -> Payload:
    return parse_payload(orjson.dumps(value), **more)


def one(payload: Payload) -> Alert:
    assert len(payload.alerts) == 1
    return payload.alerts[0]


def test_an_alertmanager_body_is_read() -> None:
    payload = parse(WEBHOOK)
    alert = one(payload)
    assert alert.name == "PoolExhausted"
    assert alert.annotations == {"summary": "no connection left"}
    assert alert.status is AlertStatus.FIRING
    assert alert.starts_at == datetime(2026, 3, 1, 11, 58, 30, 123456, tzinfo=UTC)
    assert alert.ends_at is None
    assert alert.generator_url == "http://prometheus/graph?g0.expr=x"
    assert alert.fingerprint == "abc123"
    assert alert.group_key == '{}:{alertname="PoolExhausted"}'
    assert alert.extra["receiver"] == "superbiz"
    assert payload.question == ""
    assert payload.notes == ("the sender left 2 more alerts out",)


def test_a_grafana_body_keeps_its_links_and_values() -> None:
    grafana = {
        "version": "1",
        "orgId": 7,
        "title": "[FIRING:1] slow",
        "state": "alerting",
        "message": "legacy",
        "alerts": [
            ALERT
            | {
                "values": {"B": 22.5},
                "silenceURL": "https://g/silence",
                "dashboardURL": "https://g/d/1",
                "panelURL": "https://g/d/1?panel=2",
            }
        ],
    }
    alert = one(parse(grafana))
    assert alert.silence_url == "https://g/silence"
    assert alert.dashboard_url == "https://g/d/1"
    assert alert.extra["values"] == {"B": 22.5}
    assert alert.panel_url == "https://g/d/1?panel=2"
    assert alert.extra["title"] == "[FIRING:1] slow"


def test_a_list_of_the_alertmanager_api_is_read() -> None:
    status = {"state": "suppressed", "silencedBy": ["s1"], "inhibitedBy": []}
    alert = one(parse([ALERT | {"status": status, "receivers": [{"name": "x"}]}]))
    assert alert.status is AlertStatus.FIRING
    assert alert.extra["status"] == status
    assert alert.extra["receivers"] == [{"name": "x"}]


def test_the_answer_of_prometheus_is_read() -> None:
    prometheus = {
        "status": "success",
        "data": {
            "alerts": [
                {
                    "labels": {"alertname": "Slow"},
                    "annotations": {},
                    "state": "pending",
                    "activeAt": "2026-03-01T11:00:00Z",
                    "value": "1e+00",
                }
            ]
        },
    }
    alert = one(parse(prometheus))
    assert alert.starts_at == datetime(2026, 3, 1, 11, 0, tzinfo=UTC)
    assert alert.extra["value"] == "1e+00"


def test_one_bare_alert_is_read() -> None:
    assert one(parse(ALERT)).name == "PoolExhausted"


def test_an_answer_without_alerts_is_no_question() -> None:
    assert parse({"status": "success", "data": {"alerts": []}}) == Payload()
    assert parse({"alerts": []}) == Payload()


@pytest.mark.parametrize("empty", [b"", b"  \n", b"null", b"{}", b"[]", b'""', "\ufeff"])
def test_nothing_is_nothing(empty: bytes | str) -> None:
    assert parse_payload(empty) == Payload()


def test_free_text_is_a_question() -> None:
    assert parse_payload("为什么订单服务变慢？").question == "为什么订单服务变慢？"
    assert parse_payload(b'"why?"').question == "why?"
    assert parse({"question": " why is checkout slow? "}).question == "why is checkout slow?"


def test_broken_json_is_read_as_text_and_noted() -> None:
    payload = parse_payload('{"alerts": [')
    assert payload.question == '{"alerts": ['
    assert "malformed" in payload.notes[0]


def test_json_without_an_alert_is_text_and_noted() -> None:
    payload = parse({"hello": 1})
    assert payload.question == '{"hello":1}'
    assert payload.notes


def test_an_alert_without_labels_is_kept_and_noted() -> None:
    payload = parse({"alerts": [{"startsAt": "2026-03-01T11:00:00Z"}]})
    assert one(payload).labels == {}
    assert payload.notes == ("an alert has no labels",)


def test_labels_of_a_group_stand_in_for_missing_ones() -> None:
    body = WEBHOOK | {"alerts": [{"status": "firing"}]}
    assert one(parse(body)).name == "PoolExhausted"


def test_odd_fields_are_tolerated() -> None:
    odd = {
        "alerts": [
            "text",
            {
                "labels": {"alertname": "A", "n": 5, "b": True, "none": None},
                "annotations": ["x"],
                "startsAt": "yesterday",
                "endsAt": 12,
                "status": 7,
                "surprise": {"deep": [1]},
            },
        ]
    }
    payload = parse(odd)
    alert = one(payload)
    assert alert.labels == {"alertname": "A", "n": "5", "b": "true", "none": ""}
    assert alert.annotations == {}
    assert alert.starts_at is None
    assert alert.extra["surprise"] == {"deep": [1]}
    assert len(payload.notes) == 3


def test_resolved_is_resolved() -> None:
    ended = ALERT | {"status": "resolved", "endsAt": "2026-03-01T12:30:00+08:00"}
    alert = one(parse(ended | {"startsAt": "2026-03-01T12:00:00+08:00"}))
    assert alert.status is AlertStatus.RESOLVED
    assert alert.ends_at == datetime(2026, 3, 1, 4, 30, tzinfo=UTC)


def test_an_end_before_the_start_is_dropped() -> None:
    payload = parse(ALERT | {"endsAt": "2026-03-01T11:00:00Z"})
    assert one(payload).ends_at is None
    assert "ends before it starts" in payload.notes[0]


def test_a_zero_start_is_unknown() -> None:
    payload = parse(ALERT | {"startsAt": "0001-01-01T00:00:00Z"})
    assert one(payload).starts_at is None
    assert "zero" in payload.notes[0]


def test_a_start_in_the_future_is_kept_and_noted() -> None:
    ahead = ALERT | {"startsAt": (NOW + timedelta(hours=2)).isoformat()}
    payload = parse(ahead, received_at=NOW)
    assert one(payload).starts_at == NOW + timedelta(hours=2)
    assert "2:00:00 in the future" in payload.notes[0]
    assert parse(ahead).notes == ()


def test_an_expiry_in_the_future_is_ordinary() -> None:
    later = ALERT | {"endsAt": (NOW + timedelta(minutes=4)).isoformat()}
    assert parse(later, received_at=NOW).notes == ()


@pytest.mark.parametrize("at", [1772366310, 1772366310.0, 1772366310000, "2026-03-01T11:58:30"])
def test_numbers_and_times_without_a_zone_are_utc(at: object) -> None:
    assert one(parse(ALERT | {"startsAt": at})).starts_at == datetime(
        2026, 3, 1, 11, 58, 30, tzinfo=UTC
    )


def test_what_no_database_stores_is_taken_out() -> None:
    assert parse_payload("a\x00b\ud800").question == "ab?"
    assert parse_payload(b"\xff\xfeslow").question == "\ufffd\ufffdslow"


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["alerts", "data", "labels", "startsAt", "status", "endsAt"])
                | st.text(max_size=4),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_no_json_makes_it_fail(value: Any) -> None:
    text = orjson.dumps(value, default=str) if _fits(value) else repr(value).encode()
    payload = parse_payload(text, received_at=NOW)
    assert Payload.model_validate(payload.model_dump()) == payload


def _fits(value: Any) -> bool:
    try:
        orjson.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


@given(st.binary(max_size=60))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    assert isinstance(parse_payload(data), Payload)
