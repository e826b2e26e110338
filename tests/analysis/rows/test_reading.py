"""Facts of rows, by who wrote them; hostile rows cost no more than the bounds."""

from typing import Any

import pytest

from gate_rows import LOG_LINE, fact, row
from superbizagent.analysis.rows.fact import FactKind, RowFact, parsed, shown
from superbizagent.analysis.rows.reading import MAX_FACTS, read_facts


def own(*facts: dict[str, Any]) -> tuple[RowFact, ...]:
    return read_facts(row(1, "any", details={"facts": list(facts)}))


def foreign(details: Any) -> tuple[RowFact, ...]:
    return read_facts(row(1, "any", details=details))


def test_statistics_of_one_series_are_one_fact() -> None:
    facts = own(
        fact("E1.1", "up", 1.0, statistic="median", unit="s"),
        fact("E1.2", "up", 2.5, statistic="max"),
    )
    assert facts == (
        RowFact(
            FactKind.METRIC,
            name="up",
            entity="order-service",
            values=(("median", 1.0, "s"), ("max", 2.5, "")),
            ids=("E1.1", "E1.2"),
        ),
    )


def test_a_template_is_one_fact_with_its_fields() -> None:
    place = {"place": "template/3"}
    (template,) = own(
        fact("E1.1", "log:t", 9.0, statistic="count", quote=LOG_LINE, **place),
        fact("E1.2", "log:t", "order-service", statistic="service", **place),
        fact("E1.3", "log:t", "error", statistic="severity", **place),
        fact("E1.4", "log:t", "never shown", statistic="message", **place),
        fact("E1.5", "field:waiting_threads", 4.0, statistic="median", **place),
        fact("E1.6", "field:waiting_threads", 23.0, statistic="max", place="template/3/line/7"),
    )
    assert template.kind is FactKind.LOG
    assert (template.entity, template.level, template.text) == ("order-service", "ERROR", LOG_LINE)
    assert ("waiting_threads", 23.0, "") in template.values
    assert ("count", 9.0, "") in template.values
    assert all(value != 4.0 for _, value, _ in template.values)
    assert template.rank == 0


def test_a_template_without_a_line_shows_its_message() -> None:
    place = {"place": "template/3", "entity": ""}
    (template,) = own(
        {"name": "log:t", "value": "warn", "statistic": "severity", **place},
        {"name": "log:t", "value": "pool is slow", "statistic": "message", **place},
        {"name": "log:t", "value": "billing", "statistic": "service", **place},
    )
    assert (template.level, template.text, template.entity) == ("warn", "pool is slow", "billing")
    assert template.rank == 1


def test_counts_come_last() -> None:
    facts = own(fact("E1.1", "series_examined", 12.0, statistic="count", place="output"))
    assert facts[0].kind is FactKind.COUNT
    assert facts[0].values == (("series_examined", 12.0, ""),)
    assert facts[0].rank == 2


def test_values_that_are_none_or_booleans_are_passed_over() -> None:
    facts = own(fact("E1.1", "up", None), fact("E1.2", "up", value=True))  # pyright: ignore[reportArgumentType] - a hostile row
    assert facts[0].values == ()


@pytest.mark.parametrize(
    "line",
    [
        "level=error service=order-service msg=slow pool_active=50",
        '{"severity": "error", "service.name": "order-service", "msg": "x", "pool_active": "50"}',
        "[error] nothing",
    ],
)
def test_lines_of_text(line: str) -> None:
    facts = read_facts(row(1, "any", output_preview=f"\n{line}\n"))
    if line.startswith("["):
        assert facts == ()
        return
    assert (facts[0].entity, facts[0].level) == ("order-service", "error")
    assert ("pool_active", "50", "") in facts[0].values


def test_an_alert_line_is_an_alert() -> None:
    facts = read_facts(row(1, "any", output_preview='x\n{"alertname": "Down"}\n'))
    assert [(f.kind, f.name) for f in facts] == [(FactKind.ALERT, "Down")]


def test_nested_states_and_annotations_of_an_alert() -> None:
    alert = {
        "labels": {"alertname": "Down", "job": "shop", "severity": "page"},
        "annotations": {"summary": "it is down"},
        "status": {"state": "active"},
    }
    (found,) = foreign({"data": [alert]})
    assert found == RowFact(
        FactKind.ALERT,
        name="Down",
        entity="shop",
        level="page",
        values=(("", "active", ""),),
        text="it is down",
    )


def test_timestamps_are_no_fields_of_a_log_record() -> None:
    (found,) = foreign([{"message": "m", "level": "info", "timestamp": 17, "latency_ms": 3}])
    assert found.values == (("latency_ms", 3, ""),)


@pytest.mark.parametrize(
    "series",
    [
        {"metric": {"__name__": "up"}},
        {"metric": {"__name__": "up"}, "value": 1},
        {"metric": {"__name__": "up"}, "value": [1, None]},
        {"metric": "up", "value": [1, "2"]},
    ],
)
def test_a_series_of_another_form_is_no_series(series: Any) -> None:
    assert all(f.kind is not FactKind.METRIC for f in foreign([series]))


def test_hostile_rows_are_bounded() -> None:
    assert len(own(*(fact(f"E1.{n}", f"m{n}", 1.0) for n in range(5000)))) == MAX_FACTS
    assert len(foreign([{"title": f"t{n}"} for n in range(5000)])) == MAX_FACTS
    deep: Any = {"title": "too deep"}
    for _ in range(50):
        deep = [deep]
    assert foreign(deep) == ()
    many: list[list[Any]] = [[] for _ in range(5000)]
    assert foreign([many, {"title": "behind"}]) == ()
    assert len(read_facts(row(1, "any", output_preview="ERROR x\n" * 5000))) == 50


def test_values_print_as_in_the_row() -> None:
    assert [shown(v) for v in (50.0, 0.1 + 0.2, "x", 7, -0.5)] == [
        "50",
        "0.30000000000000004",
        "x",
        "7",
        "-0.5",
    ]
    assert parsed('{"a": 1}') == {"a": 1}
    assert parsed("{nope") is None
