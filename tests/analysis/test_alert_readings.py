"""What one alert says, read from its name and labels."""

import pytest

from superbizagent.analysis.alert_readings import AlertReading, Side, readings_of
from superbizagent.domain.alert import Alert


def read(name: str, **labels: str) -> AlertReading | None:
    found = readings_of(
        [Alert(labels={"alertname": name, **labels})], lambda own: own.get("service")
    )
    return found[0] if found else None


def said(name: str, **labels: str) -> AlertReading:
    found = read(name, service="ledger", **labels)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "labels", "family", "weight"),
    [
        ("CpuUsageHigh", {}, "cpu", 1.0),
        ("cpu_usage", {"direction": "up"}, "cpu", 1.0),
        ("cpu_usage", {"direction": "down"}, "cpu", 0.3),
        ("SuccessRateLow", {}, "err", 1.2),
        ("success_rate", {"direction": "up"}, "err", 0.1),
        ("TrafficLow", {}, "qps", 0.6),
        ("DiskSpaceLow", {}, "disk", 0.7),
        ("call_errors", {"code": "503"}, "err", 1.2),
        ("SomethingOdd", {}, "other", 0.5),
    ],
)
def test_family_and_weight(name: str, labels: dict[str, str], family: str, weight: float) -> None:
    found = said(name, **labels)
    assert (found.family, found.weight) == (family, weight)


def test_percentile_and_severity_are_no_part_of_the_kind_but_the_direction_is() -> None:
    kinds = {said(name).kind for name in ("LatencyP95High", "LatencyP99HighCritical")}
    assert len(kinds) == 1
    up, down = (said("cpu_usage", direction=way).kind for way in ("up", "down"))
    assert up != down


@pytest.mark.parametrize(
    ("labels", "side", "entity", "caller"),
    [
        ({"service": "a", "client": "b", "server": "a"}, Side.SERVER, "a", "b"),
        ({"service": "b", "server": "a", "span_kind": "client"}, Side.CLIENT, "a", "b"),
        ({"service": "a", "client": "b"}, Side.SERVER, "a", "b"),
        (
            {"source_workload": "b", "destination_workload": "a", "reporter": "source"},
            Side.CLIENT,
            "a",
            "b",
        ),
        ({"service": "a", "client": "a", "server": "a"}, Side.OWN, "a", ""),
        ({"service": "a", "span_name": "GET /x"}, Side.OPERATION, "a", ""),
        ({"service": "a"}, Side.OWN, "a", ""),
    ],
)
def test_the_ends_of_a_call(labels: dict[str, str], side: Side, entity: str, caller: str) -> None:
    found = read("CallLatencyHigh", **labels)
    assert found is not None
    assert (found.side, found.entity, found.caller) == (side, entity, caller)


def test_a_line_of_a_log_is_told_by_its_template() -> None:
    found = said("LogNovel", log_template="cannot open <*>")
    assert (found.side, found.family, found.kind) == (Side.LOG, "log", "log:cannot open <*>")


def test_an_alert_of_nobody_is_left_out() -> None:
    assert read("Watchdog") is None
    assert read("LogNovel", log_template="x") is None
