"""Whether anything is abnormal at all."""

import numpy as np
import pytest

from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.health import SYMPTOMS, health_of
from superbizagent.analysis.metric_channel import FamilyTable

ENTITIES = ("//service/a", "//service/b", "//service/c")


def _table(**evidence: float) -> FamilyTable:
    """Return evidence of the first of three entities; the baseline has one scale of everything."""
    values = np.full((3, len(FAMILIES)), 0.3)
    lasting = np.zeros_like(values)
    for family, value in evidence.items():
        values[0, FAMILIES.index(family)] = value
        lasting[0, FAMILIES.index(family)] = 0.8
    null = np.full((6, *values.shape), 0.69)
    return FamilyTable(ENTITIES, values, null, lasting, ({}, {}, {}))


@pytest.mark.parametrize(
    ("evidence", "abnormal"),
    [
        ({}, False),
        ({"lat": 1.5, "err": 1.5, "cpu": 1.5}, False),
        ({"err": 4.0}, True),
        ({"saturation": 2.5, "cpu": 1.9, "qps": 1.0}, True),
        ({"cpu": 2.8, "disk": 2.8, "mem": 2.8}, False),
        ({"mem": 4.0}, True),
        ({"other": 8.0}, False),
    ],
)
def test_it_takes_a_symptom_or_a_resource_far_off(
    evidence: dict[str, float],
    abnormal: bool,  # noqa: FBT001 - a table of cases
) -> None:
    found = health_of(_table(**evidence), {})
    assert found.abnormal == (ENTITIES[:1] if abnormal else ())
    assert found.is_calm is not abnormal


def test_a_resource_that_does_not_last_is_a_pulse() -> None:
    table = _table(mem=4.0)
    table.lasting[:] = 0.2
    assert health_of(table, {}).is_calm


def test_what_the_alert_is_about_is_a_symptom_too() -> None:
    table = _table(cpu=2.5)
    assert health_of(table, {}).is_calm
    assert health_of(table, {}, symptoms=(*SYMPTOMS, "cpu")).abnormal == ENTITIES[:1]


def test_many_new_error_lines_are_abnormal_and_a_few_are_not() -> None:
    assert health_of(_table(), {"//service/z": float(np.log1p(8))}).is_calm
    found = health_of(_table(), {"//service/z": float(np.log1p(10))})
    assert found.abnormal == ("//service/z",)


def test_an_entity_that_explains_the_alert_ends_the_calm() -> None:
    found = health_of(_table(cpu=2.5), {}, {"//service/b"})
    assert not found.is_calm
    assert found.explaining == ("//service/b",)


def test_a_restless_baseline_raises_the_bar() -> None:
    table = _table(lat=2.2, err=2.2, cpu=2.2)
    assert not health_of(table, {}).is_calm
    table.null[:] = 2.0
    found = health_of(table, {})
    assert found.is_calm
    assert found.bar == pytest.approx(2.5)
    assert found.usual == pytest.approx(2.0)


def test_nothing_looked_at_is_calm() -> None:
    empty = FamilyTable((), np.zeros((0, 10)), np.zeros((6, 0, 10)), np.zeros((0, 10)), ())
    assert health_of(empty, {}).is_calm
