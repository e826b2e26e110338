"""Command-line words become an incident."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from superbizagent.cli.intake import build_incident, parse_span, parse_when
from superbizagent.domain.incident import Channel, Incident, Language, report_language
from superbizagent.errors import UsageError

NOW = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)


def incident(**flags: Any) -> Incident:
    nothing: dict[str, Any] = {
        "alert": None,
        "question": "",
        "services": (),
        "last": None,
        "since": None,
        "until": None,
        "at": None,
        "language": "auto",
        "locale": "en",
        "zone": "Asia/Shanghai",
        "now": NOW,
    }
    return build_incident(**(nothing | flags))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("1h30m", 5400), ("1.5h", 5400), ("2d", 172800)],
)
def test_spans(text: str, seconds: float) -> None:
    assert parse_span(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "5x", "-5m", "1h30"])
def test_what_is_no_span_says_what_to_write(text: str) -> None:
    with pytest.raises(UsageError, match="write 90s, 15m or 1h30m"):
        parse_span(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("-15m", NOW - timedelta(minutes=15)),
        ("2026-03-04T09:15:00Z", datetime(2026, 3, 4, 9, 15, tzinfo=UTC)),
        ("2026-03-04T09:15:00+08:00", datetime(2026, 3, 4, 1, 15, tzinfo=UTC)),
        ("2026-03-04 09:15", datetime(2026, 3, 4, 1, 15, tzinfo=UTC)),
        ("9:15", datetime(2026, 3, 4, 1, 15, tzinfo=UTC)),
        ("1772615700", datetime(2026, 3, 4, 9, 15, tzinfo=UTC)),
    ],
)
def test_instants_are_read_in_the_readers_zone(text: str, expected: datetime) -> None:
    assert parse_when(text, "Asia/Shanghai", NOW) == expected


@pytest.mark.parametrize("text", ["yesterday", "25:99", "2026-13-01", "12"])
def test_what_is_no_instant_says_what_to_write(text: str) -> None:
    with pytest.raises(UsageError, match="is no time"):
        parse_when(text, "UTC", NOW)


def test_last_is_a_window_that_ends_now() -> None:
    found = incident(last="15m")
    assert (found.start, found.end) == (NOW - timedelta(minutes=15), NOW)


@pytest.mark.parametrize(
    "flags",
    [
        {"last": "5m", "at": "now"},
        {"last": "5m", "since": "-1h"},
        {"at": "now", "until": "now"},
        {"since": "now", "until": "-5m"},
    ],
)
def test_contradicting_times_are_refused(flags: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        incident(**flags)


def test_alert_file_is_the_aiops_channel(tmp_path: Path) -> None:
    body = {"alerts": [{"labels": {"alertname": "Slow", "service": "web"}, "status": "firing"}]}
    path = tmp_path / "alert.json"
    path.write_text(json.dumps(body))
    found = incident(alert=str(path))
    assert found.channel is Channel.AIOPS
    assert [a.name for a in found.alerts] == ["Slow"]


def test_question_is_the_chat_channel_in_its_own_language() -> None:
    found = incident(question="为什么订单服务变慢?")
    assert (found.channel, found.language) == (Channel.CHAT, Language.ZH)


def test_missing_alert_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        incident(alert=str(tmp_path / "nope.json"))


def test_oversized_alert_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    path.write_bytes(b" " * (8 * 1024 * 1024 + 1))
    with pytest.raises(UsageError, match="larger than 8 MiB"):
        incident(alert=str(path))


@pytest.mark.parametrize(
    ("setting", "question", "locale", "expected"),
    [
        ("zh", "why", "en", Language.ZH),
        ("auto", "why", "zh", Language.EN),
        ("auto", "", "zh", Language.ZH),
        ("auto", "", "de", Language.EN),
    ],
)
def test_language(setting: str, question: str, locale: str, expected: Language) -> None:
    assert report_language(setting, question, locale) is expected


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z", "2200-01-01"],
)
def test_no_incident_is_beyond_what_can_be_reckoned_with(text: str) -> None:
    with pytest.raises(UsageError, match="too far away for an incident"):
        parse_when(text, "UTC", NOW)


@pytest.mark.parametrize("text", ["51y", "20000d", "99999999999d", "9" * 400 + "h"])
def test_no_span_is_longer_than_can_be_reckoned_with(text: str) -> None:
    with pytest.raises(UsageError, match=r"too long|no length of time"):
        parse_span(text)
