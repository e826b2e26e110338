"""Which concrete tokens of the evidence a report uses again."""

import pytest

from superbizagent.analysis.rows.fact import FactKind, RowFact
from superbizagent.investigation.gate.tokens import ReportText, reused_tokens


def metric(value: float, unit: str = "", name: str = "pool_active", **more: str) -> RowFact:
    values = (("max", value, unit),)
    return RowFact(FactKind.METRIC, name=name, values=values, ids=("E1.1",), **more)


def log(text: str, entity: str = "") -> RowFact:
    return RowFact(FactKind.LOG, entity=entity, text=text)


def reused(report: str, *facts: RowFact, payload: frozenset[str] = frozenset()) -> list[str]:
    return list(reused_tokens(ReportText.of(report), facts, payload))


NUMBERS = [
    ("98.3 % of requests", 0.983),
    ("98.3% of requests", 98.3),
    ("1.25 s per call", 1250.0),
    ("1250 ms per call", 1.25),
    ("1,284 requests", 1284.0),
    ("1.3 GB in use", 1.3e9),
    ("1.3 GiB in use", 1.3 * 1024**3),
    ("12k requests", 12_345.0),
    ("812 lines", 812.0),
    ("11.7 on average", 11.7382),
    ("-3.25 points", -3.25),
    ("耗时 1.25 秒", 1250.0),
    ("5 min of silence", 300.0),
    ("pool_active reached 50", 50.0),
    ("the pool holds 50", 50.0),
    ("all 50 are busy [E1.1]", 50.0),
]
OTHER_NUMBERS = [
    ("50 people complained", 50.0),  # a round number without unit or name
    ("98.4 % of requests", 0.983),
    ("1.26 s per call", 1250.0),
    ("at 10:50:00 on 2026-07-06", 50.0),
    ("[E50.50]", 50.0),
    ("812 lines", 813.0),
    ("0 %", 0.0),
    ("pool_active is high", 50.0),
    ("version 1.25.7 s", 1.25),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_a_number_is_recognised_in_other_units_and_rounding(text: str, value: float) -> None:
    assert reused(text, metric(value)) != []


@pytest.mark.parametrize(("text", "value"), OTHER_NUMBERS)
def test_another_number_is_no_token(text: str, value: float) -> None:
    assert reused(text, metric(value)) == []


def test_values_that_are_no_numbers_are_passed_over() -> None:
    odd = RowFact(FactKind.METRIC, name="up", values=(("a", "firing", ""), ("b", float("nan"), "")))
    assert reused("up 1 firing", odd) == []


def test_names_are_tokens_unless_the_payload_brought_them() -> None:
    fact = log("x", entity="billing")
    assert reused("billing is fine", fact) == ["billing"]
    assert reused("billing is fine", fact, payload=frozenset({"billing"})) == []
    assert reused("shipping is fine", fact) == []


def test_a_name_of_two_letters_proves_nothing() -> None:
    assert reused("the db is fine", log("x", entity="db")) == []


def test_alert_names_and_titles_are_tokens() -> None:
    alert = RowFact(FactKind.ALERT, name="DiskFull")
    passage = RowFact(FactKind.PASSAGE, name="Pool runbook")
    assert reused("Disk full, see pool runbook", alert, passage) == ["DiskFull", "Pool runbook"]


def test_error_types_are_tokens() -> None:
    fact = log("com.zaxxer.SQLTransientConnectionException: gone")
    assert reused("a SQLTransientConnectionException came", fact) == [
        "SQLTransientConnectionException"
    ]
    assert reused("a TimeoutException came", fact) == []
    assert reused("an error came, an Exception", log("Error and Exception")) == []
    assert reused("ERROR 1040 was returned", log("ERROR 1040 (08004)")) == ["ERROR 1040"]


def test_four_words_of_a_line_are_a_token() -> None:
    line = log("Connection is not available, request timed out after 30000ms")
    assert reused('"connection is not available" was logged', line) != []
    assert reused("the connection is not there", line) == []


def test_the_search_ends_after_three() -> None:
    facts = [log("x", entity=f"service-{n}") for n in range(9)]
    text = " ".join(f.entity for f in facts)
    assert len(reused(text, *facts)) == 3
