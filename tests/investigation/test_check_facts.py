"""Numbers for checks: how series are reduced, which facts they become, what logs answer."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.check import Reduce
from superbizagent.domain.finding import CheckOutcome, CheckResult
from superbizagent.domain.outputs import Topology
from superbizagent.domain.series import Series, SeriesSet
from superbizagent.domain.skill import CheckFile, Hypothesis, Skill, SkillMetadata
from superbizagent.domain.window import Window, from_ms
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.facts.checks import facts_of_checks, reduce_series
from superbizagent.investigation.facts.windows import check_windows
from superbizagent.promql import parse_selector
from tests.investigation.incidents import (
    ALERT_AT,
    END,
    ENTITY_LABELS,
    Shop,
    pool_incident,
    quiet_shop,
    step,
)

T0 = 1_700_000_000_000
ORDERS = "//service/order-service"


def series(values: list[float], first_ms: int = T0) -> Series:
    times = np.arange(len(values), dtype=np.int64) * 15_000 + first_ms
    return Series({"__name__": "c_total"}, times, np.array(values, np.float64))


def window(first: int, last: int) -> Window:
    return Window(start=from_ms(T0 + first * 15_000), end=from_ms(T0 + last * 15_000))


def reduced(values: list[float], reduce: Reduce, first: int = 1, last: int = 3) -> float | None:
    reading = reduce_series(series(values), reduce, window(first, last), T0)
    return None if reading is None else reading.value


@pytest.mark.parametrize(
    ("reduce", "value"),
    [
        (Reduce.LAST, 2.0),
        (Reduce.MIN, 2.0),
        (Reduce.MAX, 7.0),
        (Reduce.MEAN, 14 / 3),
        (Reduce.COUNT, 3.0),
    ],
)
def test_the_window_decides_what_is_reduced(reduce: Reduce, value: float) -> None:
    assert reduced([100, 5, 7, 2, 100], reduce) == pytest.approx(value)


def test_an_increase_starts_from_the_sample_before_the_window() -> None:
    assert reduced([10, 12, 15, 20, 99], Reduce.INCREASE) == 10


def test_a_reset_counts_from_zero() -> None:
    assert reduced([10, 12, 3, 5], Reduce.INCREASE) == 2 + 3 + 2


def test_a_counter_that_is_born_late_counted_from_zero() -> None:
    late = series([4, 6, 9], first_ms=T0 + 20 * 15_000)
    reading = reduce_series(late, Reduce.INCREASE, window(18, 30), T0)
    assert reading is not None
    assert reading.value == 9
    early = reduce_series(series([4, 6, 9]), Reduce.INCREASE, window(0, 30), T0)
    assert early is not None
    assert early.value == 5


def test_missing_values_are_not_values() -> None:
    nan = float("nan")
    assert reduced([1, nan, nan, nan], Reduce.MAX) is None
    assert reduced([1, 4, nan, 2], Reduce.LAST) == 2
    assert reduced([1, 4, nan, 6], Reduce.INCREASE) == 5


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=20))
def test_of_a_counter_without_resets_the_increase_is_last_minus_first(steps: list[int]) -> None:
    values = np.cumsum(steps).astype(float).tolist()
    assert reduced(values, Reduce.INCREASE, 1, len(values) - 1) == values[-1] - values[0]


# Facts -------------------------------------------------------------------------------------------


def test_a_fact_of_an_extreme_quotes_its_sample(skills: tuple[Skill, ...]) -> None:
    evidence = pool_incident().evidence(skills)
    row = next(r for r in evidence.invocations if r.call.purpose.endswith("order-service"))
    assert isinstance(row.output, SeriesSet)
    found = 0
    for fact in row.facts:
        parts = fact.place.split("/")
        if fact.statistic in {"max", "min", "last"} and len(parts) == 4:
            sample = row.output[int(parts[1])]
            value = float(sample.values[int(parts[3])])
            assert fact.quote.endswith(f" {value!r}")
            assert fact.at == from_ms(int(sample.times[int(parts[3])]))
            found += 1
    assert found > 5


def test_ids_go_on_after_the_general_facts_and_nothing_is_said_twice(
    skills: tuple[Skill, ...],
) -> None:
    for row in pool_incident().evidence(skills).invocations:
        assert [f.id for f in row.facts] == [
            f"E{row.number}.{n}" for n in range(1, len(row.facts) + 1)
        ]
        told = [(f.name, f.statistic, f.window, f.place) for f in row.facts if f.window]
        assert len(told) == len(set(told))


def test_other_outputs_have_no_check_facts(skills: tuple[Skill, ...]) -> None:
    scope = pool_incident().scope()
    got = facts_of_checks(1, Topology(), scope, skills=skills, entity_of=lambda _: "x", known=())
    assert got == ()


def test_a_hostile_number_of_series_is_bounded(skills: tuple[Skill, ...]) -> None:
    scope = pool_incident().scope()
    times = np.array([scope.windows.incident.end_ms], np.int64)
    many = SeriesSet.of(
        (
            {"__name__": "hikaricp_connections_pending", "pool": str(n)},
            times,
            np.array([1.0]),
        )
        for n in range(1000)
    )
    got = facts_of_checks(1, many, scope, skills=skills, entity_of=lambda _: ORDERS, known=())
    assert len(got) == 1000


def test_averages_are_taken_over_the_acute_part() -> None:
    windows = check_windows(pool_incident().scope())
    assert windows.narrowed
    assert windows.acute == Window(start=ALERT_AT, end=END)
    assert windows.of(Reduce.MEAN) == windows.acute
    assert windows.of(Reduce.MAX) == windows.incident
    assert windows.baseline_acute is not None
    assert windows.baseline_acute.length == windows.acute.length


def test_an_acute_part_of_few_samples_is_stretched() -> None:
    windows = check_windows(pool_incident(step_seconds=60.0).scope())
    assert windows.acute.length == timedelta(minutes=4)


# Logs --------------------------------------------------------------------------------------------


def log_skill(role: str = "required", **check: Any) -> Skill:
    evidence: dict[str, Any] = {
        "id": "line",
        "tool": "search_logs",
        "contains": ["waiting_threads"],
        "reduce": "count",
        "holds": {"op": ">=", "value": 1},
        "role": role,
    }
    metric = {
        "id": "pool",
        "any_of": [{"query": "db_client_connection_max"}],
        "reduce": "last",
        "holds": {"op": ">=", "value": 1},
        "role": "required",
    }
    phrase = {"en": "{entity}", "zh": "{entity}"}
    data = {
        "id": "h",
        "fault_kind": "cpu",
        "conclusion": phrase,
        "evidence": [metric, evidence | check],
    }
    hypotheses = CheckFile.model_validate({"hypotheses": [data]}).hypotheses
    return Skill(
        metadata=SkillMetadata(name="logs", description="d"),
        hypotheses=hypotheses,
        selectors={"h/pool": (parse_selector("db_client_connection_max"),)},
    )


def line_check(shop: Shop, **check: Any) -> CheckResult:
    skill = log_skill(**check)
    analysis = analyse_evidence(shop.scope(), shop.evidence((skill,)), (skill,), ENTITY_LABELS)
    result = next(h for h in analysis.hypotheses if h.entity in {ORDERS, ""})
    return next(c for c in result.checks if c.id == "line")


def test_a_number_of_a_record_can_be_asked_for() -> None:
    fields = {"field": "waiting_threads", "reduce": "max", "holds": {"op": ">=", "value": 14}}
    result = line_check(pool_incident(), **fields)
    assert (result.outcome, result.reason) == (CheckOutcome.HOLDS, "14 >= 14")
    assert len(result.fact_ids) >= 1
    mean = line_check(pool_incident(), **(fields | {"reduce": "mean"}))
    assert mean.outcome is CheckOutcome.HOLDS


def test_a_number_that_no_record_has_is_no_record() -> None:
    fields = {"field": "nothing", "reduce": "max", "holds": {"op": ">=", "value": 1}}
    result = line_check(pool_incident(), **fields)
    assert (result.outcome, result.reason) == (CheckOutcome.FAILS, "no such record")


def test_no_record_satisfies_a_check_for_few() -> None:
    result = line_check(
        quiet_shop().log("order-service", 0, "hello"), holds={"op": "<", "value": 1}
    )
    assert (result.outcome, result.reason) == (CheckOutcome.HOLDS, "no such record")


def test_an_entity_without_any_log_is_unknown() -> None:
    shop = pool_incident()
    skill = log_skill()
    only = shop.evidence((skill,)).invocations
    scope = shop.scope()
    rows = tuple(r for r in only if r.call.purpose != "sweep:logs")
    analysis = analyse_evidence(
        scope, shop.evidence((skill,)).model_copy(update={"invocations": rows}), (skill,),
        ENTITY_LABELS,
    )  # fmt: skip
    checks = {c.id: c for h in analysis.hypotheses for c in h.checks}
    assert (checks["line"].outcome, checks["line"].reason) == (CheckOutcome.UNKNOWN, "no data")


def test_a_text_in_a_kept_line_counts_although_the_template_masks_it() -> None:
    shop = quiet_shop()
    for n in range(30):
        shop.log("order-service", 10 + n, f"order {n} failed with code E{n}77", severity="error")
    result = line_check(shop, contains=["code e077"])
    assert result.outcome is CheckOutcome.HOLDS


def test_a_baseline_that_was_not_there_leaves_a_ratio_unknown() -> None:
    shop = quiet_shop(since=None)
    shop.noise = 0
    shop.add("order-service", "db_client_connection_max", step(5, 5), pool_name="x")
    hypothesis = Hypothesis.model_validate(
        {
            "id": "h",
            "fault_kind": "cpu",
            "conclusion": {"en": "x", "zh": "x"},
            "evidence": [
                {
                    "id": "ratio",
                    "any_of": [{"query": "db_client_connection_max"}],
                    "reduce": "mean",
                    "holds": {"op": op, "baseline_ratio": 0.5},
                    "role": role,
                }
                for op, role in ((">=", "required"),)
            ],
        }
    )
    skill = Skill(
        metadata=SkillMetadata(name="s", description="d"),
        hypotheses=(hypothesis,),
        selectors={"h/ratio": (parse_selector("db_client_connection_max"),)},
    )
    scope = shop.scope()
    bare = scope.model_copy(update={"windows": scope.windows.model_copy(update={"baselines": ()})})
    analysis = analyse_evidence(bare, shop.evidence((skill,)), (skill,), ENTITY_LABELS)
    # Nothing could be read of it, so it is listed as not tested rather than as refuted.
    assert [(h.entity, h.outcome.value) for h in analysis.hypotheses] == [("", "open")]
