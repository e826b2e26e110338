"""What an alert's expression compares with what, and how far back it looks."""

from datetime import timedelta

import pytest

from superbizagent.errors import QueryError
from superbizagent.promql import Comparison, read_condition, unit_of

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
UNITS = {"busy_seconds_sum": "s", "busy_seconds_count": "", "up": "", "free_bytes": "bytes"}
BURN = (
    "(job:slo:ratio_rate1h > (14.4*0.001) and job:slo:ratio_rate5m > (14.4*0.001))"
    " or (job:slo:ratio_rate6h > (6*0.001) and job:slo:ratio_rate30m > (6*0.001))"
)
PLAIN_BURN = (
    "sum(rate(bad_total[1h])) / sum(rate(all_total[1h])) > 14.4 * 0.01"
    " and sum(rate(bad_total[5m])) / sum(rate(all_total[5m])) > 14.4 * 0.01"
)


def telling(text: str) -> Comparison:
    found = read_condition(text).telling
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "left", "operator", "limit"),
    [
        ("up == 0", "up", "==", 0.0),
        ("a / b >= 0.95 and c > 0", "a / b", ">=", 0.95),
        ("0.5 < rate(a[5m])", "rate(a[5m])", ">", 0.5),
        ("(a unless b) or (c > 2)", "c", ">", 2.0),
        ("a > 3 unless b > 9", "a", ">", 3.0),
        ("time() - seen > 60", "time() - seen", ">", 60.0),
        ("a > on (job) group_left () b", "a", ">", None),
        ("a > 10 * 2 ^ 3", "a", ">", 80.0),
        ("a > b and c > 4", "c", ">", 4.0),
    ],
)
def test_the_side_that_is_measured_is_found(
    text: str, left: str, operator: str, limit: float | None
) -> None:
    found = telling(text)
    assert (found.left, found.operator, found.limit) == (left, operator, limit)


@pytest.mark.parametrize("text", ['absent(up{job="x"})', "changes(up[5m])", "a + b", "vector(1)"])
def test_an_expression_may_compare_nothing(text: str) -> None:
    assert read_condition(text).telling is None


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("up == 0", 0 * MINUTE),
        ("rate(a[5m]) > 1", 5 * MINUTE),
        ("rate(a[5m]) / rate(a[1h] offset 1d) > 2", HOUR),
        ("max_over_time(rate(a[5m])[1h:30s]) > 4", 65 * MINUTE),
        ("job:slo:ratio_rate30m > 0.1", 30 * MINUTE),
        ("http_2xx5m > 1", 0 * MINUTE),
    ],
)
def test_how_far_back_it_looks(text: str, longest: timedelta) -> None:
    assert read_condition(text).longest == longest


@pytest.mark.parametrize(
    ("text", "left", "limit"),
    [
        (BURN, "job:slo:ratio_rate5m", 0.006),
        (PLAIN_BURN, "sum(rate(bad_total[5m])) / sum(rate(all_total[5m]))", 0.144),
    ],
)
def test_of_a_burn_rate_the_shortest_span_tells_against_the_lowest_limit(
    text: str, left: str, limit: float
) -> None:
    assert read_condition(text).is_burn
    found = telling(text)
    assert (found.left, found.limit) == (left, pytest.approx(limit))
    assert found.longest == 5 * MINUTE


@pytest.mark.parametrize(
    "text",
    ["rate(a[5m]) > 1 and rate(b[1h]) > 1", "rate(a[5m]) > 1 and rate(a[5m]) > 0.1", "up < 1"],
)
def test_other_quantities_over_several_spans_burn_no_budget(text: str) -> None:
    assert not read_condition(text).is_burn


def test_labels_that_are_asked_for_are_listed_once() -> None:
    found = read_condition('rate(a{job="x",code=~"5.."}[1m]) / rate(a{job="x",env="p"}[1m]) > 1')
    assert found.labels == (("job", "x"), ("env", "p"))


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("free_bytes", "bytes"),
        ("sum(free_bytes) / sum(free_bytes)", "ratio"),
        ("rate(busy_seconds_sum[5m]) / rate(busy_seconds_count[5m])", "s"),
        ("rate(busy_seconds_sum[5m])", ""),
        ("sum by (job) (rate(free_bytes[5m]))", "bytes/s"),
        ("1 - free_bytes / free_bytes", "ratio"),
        ("count(free_bytes)", ""),
        ("predict_linear(free_bytes[1h], 3600)", "bytes"),
        ("free_bytes * 8", ""),
    ],
)
def test_units_where_they_can_be_told(text: str, unit: str) -> None:
    assert unit_of(text, lambda name: UNITS.get(name, "")) == unit


@pytest.mark.parametrize("text", ["", "a >", "sum(", "((" * 400])
def test_what_is_no_promql_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        read_condition(text)
    with pytest.raises(QueryError):
        unit_of(text, str)
