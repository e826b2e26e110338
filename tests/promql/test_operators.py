"""Binary operators: values, matching, sets."""

import math

import pytest

from promql_recording import Data, record
from superbizagent.errors import QueryError

DATA: Data = {
    'used{job="x",i="1"}': [6],
    'used{job="x",i="2"}': [10],
    'used{job="y",i="1"}': [3],
    'size{job="x",i="1"}': [10],
    'size{job="x",i="2"}': [10],
    'owner{job="x",team="red"}': [2],
    'owner{job="y",team="blue",extra="e"}': [4],
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("used / size", {'{i="1",job="x"}': 0.6, '{i="2",job="x"}': 1}),
        ("used >= size", {'used{i="2",job="x"}': 10}),
        ("used >= bool size", {'{i="1",job="x"}': 0, '{i="2",job="x"}': 1}),
        ("used == on (job, i) size", {'{i="2",job="x"}': 10}),
        ('used{i="1"} + on (job) owner', {'{job="x"}': 8, '{job="y"}': 7}),
        ('used{i="1"} + ignoring (i, team, extra) owner', {'{job="x"}': 8, '{job="y"}': 7}),
        (
            "used * on (job) group_left owner",
            {'{i="1",job="x"}': 12, '{i="2",job="x"}': 20, '{i="1",job="y"}': 12},
        ),
        (
            "used - on (job) group_left (team) owner",
            {
                '{i="1",job="x",team="red"}': 4,
                '{i="2",job="x",team="red"}': 8,
                '{i="1",job="y",team="blue"}': -1,
            },
        ),
        (
            "owner - on (job) group_right (extra) used",
            {'{i="1",job="x"}': -4, '{i="2",job="x"}': -8, '{extra="e",i="1",job="y"}': 1},
        ),
        # An included label that the one side lacks is removed.
        ("used{i='2'} + on (job) group_left (i) owner", {'{job="x"}': 12}),
        # A comparison keeps the left value, and the name of the many side.
        ("owner < on (job) group_right used", {
            'used{i="1",job="x"}': 2, 'used{i="2",job="x"}': 2,
        }),
        ("used > 5", {'used{i="1",job="x"}': 6, 'used{i="2",job="x"}': 10}),
        ("5 < used", {'used{i="1",job="x"}': 6, 'used{i="2",job="x"}': 10}),
        ("used{job='y'} > bool 5", {'{i="1",job="y"}': 0}),
        ("5 - used{job='y'}", {'{i="1",job="y"}': 2}),
        ("used and size", {'used{i="1",job="x"}': 6, 'used{i="2",job="x"}': 10}),
        ("used and on (job) owner{team='blue'}", {'used{i="1",job="y"}': 3}),
        ("used unless size", {'used{i="1",job="y"}': 3}),
        ("used unless on () size", {}),
        ("used{job='y'} or size{i='1'}", {'used{i="1",job="y"}': 3, 'size{i="1",job="x"}': 10}),
        ("used{job='y'} or on (i) size", {'used{i="1",job="y"}': 3, 'size{i="2",job="x"}': 10}),
        ("used and nothing", {}),
        ("nothing and used", {}),
        ("nothing or owner{team='red'}", {'owner{job="x",team="red"}': 2}),
        ("owner{team='red'} unless nothing", {'owner{job="x",team="red"}': 2}),
        ("nothing + used", {}),
        ("used + nothing", {}),
    ],
)  # fmt: skip
def test_operators(query: str, expected: dict[str, float]) -> None:
    assert record(DATA).at(query) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("1 / 0", math.inf), ("-1 / 0", -math.inf), ("0 / 0", math.nan), ("-5 % 3", -2),
        ("5 % -3", 2), ("5 % 0", math.nan), ("2 ^ 3 ^ 2", 512), ("2 ^ -1", 0.5),
        ("1 atan2 1", math.pi / 4),
        ("1 == bool 1", 1), ("NaN == bool NaN", 0), ("NaN != bool NaN", 1), ("1 > bool 2", 0),
        ("1 <= bool 1", 1), ("1 >= bool 2", 0), ("1 < bool 2", 1), ("-(2 + 3) * 2", -10),
    ],
)  # fmt: skip
def test_scalars(query: str, expected: float) -> None:
    assert record({}).at(query) == {"{}": pytest.approx(expected, nan_ok=True)}


def test_an_undefined_value_compares_to_nothing() -> None:
    recording = record({"a": [math.nan]})
    assert recording.at("a > 0") == {}
    assert recording.at("a == a") == {}
    assert recording.at("a != 0") != {}
    assert recording.at("a > bool 0") == {"{}": 0}


@pytest.mark.parametrize(
    "query",
    [
        "owner + on (job) used",  # several on the right
        "used + on (job) owner",  # several on the left
        "used + on (job) group_right owner",
        "owner * on (job) group_left used",
        "used{job='x'} > bool on (job) owner",
        "used{job='x'} * on (job) group_left (team) label_replace(owner, 'job', 'x', 'job', 'y')",
    ],
)
def test_several_partners_are_refused(query: str) -> None:
    with pytest.raises(QueryError, match="several series of the"):
        record(DATA).at(query)


def test_partners_that_the_operator_drops_are_no_partners() -> None:
    found = record(DATA).at("used{job='x'} > on (job) (owner * 4)")
    assert found == {'{job="x"}': 10}


def test_an_empty_side_is_empty_before_partners_are_counted() -> None:
    assert record(DATA).at("nothing + on () used") == {}
    assert record(DATA).at("used + on () nothing") == {}
    data: Data = {"a": ["stale", 2], 'b{i="1"}': [10, "stale"], 'b{i="2"}': [20, 30]}
    assert record(data).over("a + on () b", 0, 15, 15) == {"{}": {15: 32}}


def test_group_labels_must_keep_series_apart() -> None:
    data: Data = {'a{i="1"}': [1], 'a{i="2"}': [2], 'b{i="9"}': [3]}
    with pytest.raises(QueryError, match="twice"):
        record(data).at("a + on () group_left (i) b")


def test_names_that_alone_told_series_apart_must_not_go() -> None:
    recording = record({"a": [1], "b": [2]})
    for query in ('{__name__=~"a|b"} + 1', '-{__name__=~"a|b"}', 'abs({__name__=~"a|b"})'):
        with pytest.raises(QueryError, match="twice"):
            recording.at(query)
    assert recording.at('{__name__=~"a|b"} > 1') == {"b": 2}


def test_names_must_not_go_even_when_their_series_never_meet() -> None:
    data: Data = {"a": [1, 2, "stale"], "b": [None, None, 3, 4]}
    recording = record(data)
    for query in ('-{__name__=~"a|b"}', 'count_over_time({__name__=~"a|b"}[5s])'):
        assert recording.at(query, 0) != {}
        with pytest.raises(QueryError, match="twice"):
            recording.over(query, 0, 45, 15)
    assert recording.over('abs({__name__=~"a|b"})', 0, 45, 15) == {
        "{}": {0: 1, 15: 2, 30: 3, 45: 4}
    }


def test_partners_are_found_step_by_step() -> None:
    data: Data = {
        'a{i="1"}': [1, 2, 3, 4],
        'b{i="1",old="1"}': [10, 10, "stale"],
        'b{i="1",old="2"}': [None, None, 100, 100],
    }
    recording = record(data)
    assert recording.over("a * on (i) group_left (old) b", 0, 45, 15) == {
        '{i="1",old="1"}': {0: 10, 15: 20},
        '{i="1",old="2"}': {30: 300, 45: 400},
    }
    # Without the label that differs they are one series.
    assert recording.over("a * on (i) b", 0, 45, 15) == {
        '{i="1"}': {0: 10, 15: 20, 30: 300, 45: 400}
    }
    meeting = record({**data, 'b{i="1",old="1"}': [10, 10, 10]})
    with pytest.raises(QueryError, match="several series"):
        meeting.over("a * on (i) b", 0, 45, 15)


def test_sets_are_built_step_by_step() -> None:
    data: Data = {'a{i="1"}': [1, "stale", 3], 'b{i="1"}': [10, 20, "stale"]}
    recording = record(data)
    assert recording.over("a or b", 0, 30, 15) == {'a{i="1"}': {0: 1, 30: 3}, 'b{i="1"}': {15: 20}}
    assert recording.over("a and b", 0, 30, 15) == {'a{i="1"}': {0: 1}}
    assert recording.over("a unless b", 0, 30, 15) == {'a{i="1"}': {30: 3}}
