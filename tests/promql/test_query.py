"""What is read, and what is refused by name."""

import pickle
from datetime import UTC, datetime, timedelta

import pytest

from promql_recording import record
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.window import Window
from superbizagent.errors import QueryError, UnsupportedQueryError, UsageError
from superbizagent.promql import Query, dashboard_variables, parse_query

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WINDOW = Window(start=START, end=START + timedelta(minutes=10))
MINUTE = timedelta(minutes=1)


def needed(text: str) -> tuple[timedelta, timedelta]:
    """How far before the start and after the end of the window samples matter."""
    span = parse_query(text).samples_needed(WINDOW)
    return WINDOW.start - span.start, span.end - WINDOW.end


def test_equal_text_is_an_equal_query_that_survives_a_pickle() -> None:
    text = 'sum by (job) (rate(a{x=~"y|z"}[5m] offset 1m)) > bool on (job) group_left (q) b'
    assert parse_query(text) == parse_query(text)
    assert hash(parse_query(text)) == hash(parse_query(text))
    copy = pickle.loads(pickle.dumps(parse_query(text)))  # noqa: S301 - made one line above
    assert isinstance(copy, Query)
    assert copy == parse_query(text)


def test_layout_and_parentheses_change_nothing_but_the_text() -> None:
    assert parse_query("((a))+b").expression == parse_query("a  + (b)").expression


def test_selectors_are_listed_once_from_left_to_right() -> None:
    query = parse_query('rate(a{x="1"}[5m]) / on () b + max_over_time(rate(a{x="1"}[5m])[1h:])')
    assert query.selectors == (
        Selector(name="a", matchers=(Matcher(label="x", op=MatchOp.EQUAL, value="1"),)),
        Selector(name="b"),
    )


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("limitk(2, a)", "the aggregation limitk()"),
        ("limit_ratio(0.5, a)", "the aggregation limit_ratio()"),
        ("sum(info(a))", "the function info()"),
        ("double_exponential_smoothing(a[5m], 0.5, 0.5)", "double_exponential_smoothing()"),
        ("mad_over_time(a[5m])", "the function mad_over_time()"),
        ("histogram_count(a)", "the function histogram_count()"),
        ("sort_by_label(a, 'x')", "the function sort_by_label()"),
        ("sin(a)", "the function sin()"),
        ("a + fill(0) b", "the modifier fill()"),
        ("a @ 1e15", "a time after `@`"),
        ("a @ 176722607e165", "a time after `@`"),
        ("max_over_time(a[5m:1m] @ 17672265255604)", "a time after `@`"),
        ('a{x="1" or y="2"}', "`or` between label matchers"),
        (r'a{x=~"\\pL+"}', r"the regular expression '\\pL+'"),
        ("rate(a[$__auto])", "the variable $__auto"),
        ("rate(a[$__rate_interval])", "the variable $__rate_interval"),
        ("rate(a[${__interval}])", "the variable ${__interval}"),
        ("rate(a[[[range]]])", "the variable [[range]]"),
        ("rate($metric[5m])", "the variable $metric"),
        ('a{job="$job"}', "the variable $job"),
        ('a{job=~"${job:regex}"}', "the variable ${job:regex}"),
        ('label_replace(a, "x", "$__range", "y", ".*")', "the variable $__range"),
    ],
)
def test_what_is_not_evaluated_is_refused_by_name(text: str, construct: str) -> None:
    with pytest.raises(UnsupportedQueryError) as caught:
        parse_query(text)
    assert construct in str(caught.value)
    assert construct in caught.value.construct
    assert ";" in str(caught.value), "what to do instead"


@pytest.mark.parametrize(
    "text",
    [
        "", "sum(", "a +", "rate(a)", "a[5m] + 1", "holt_winters(a[5m], 0.5, 0.5)", "nonsense(a)",
        "a{", 'a{b="c}', "1 and 2", "a offset", "1 > 2", "sum by (a", "{}",
    ],
)  # fmt: skip
def test_what_is_no_promql_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(QueryError, match="is not PromQL") as caught:
        parse_query(text)
    assert not isinstance(caught.value, UnsupportedQueryError)
    assert repr(text) in str(caught.value)
    assert isinstance(caught.value, UsageError)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "(" * 150 + "a" + ")" * 150, "abs(" * 150 + "a" + ")" * 150, "-" * 150 + "a",
        "a" + " + a" * 150, "a" + " ^ a" * 150, "a" + " or a" * 150, "max_over_time((a" * 150,
    ],
    ids=["parentheses", "calls", "signs", "chain", "tower", "sets", "open"],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 400])
def test_nesting_without_end_is_refused_before_it_ends_the_process(text: str, times: int) -> None:
    # Without the limit on the text the larger ones kill the interpreter.
    with pytest.raises(QueryError, match=r"nested more than 100|more than 300|is not PromQL"):
        parse_query(text * times if times > 1 else text)


def test_what_is_nested_ninety_deep_is_evaluated() -> None:
    assert record({"a": [1]}).at("abs(" * 90 + "a" + ")" * 90) == {"{}": 1}
    assert record({"a": [1]}).at("a" + " + a" * 90) == {"{}": 91}
    quoted = 'a{x=~"' + "(b)+|" * 400 + '"}'
    assert parse_query(quoted).selectors[0].matches({"__name__": "a", "x": "bb"})


def test_dollars_of_label_replace_are_no_variables() -> None:
    text = 'label_replace(a, "x", "$1-${2}-$name", "y", "(?P<name>.*)$")'
    assert parse_query(text).text == text


def test_an_end_of_text_is_no_variable() -> None:
    assert parse_query('a{x=~"b|c$"}').selectors[0].matches({"__name__": "a", "x": "c"})


def test_known_variables_are_replaced_everywhere() -> None:
    query = parse_query(
        'rate(a{job=~"$job"}[$__rate_interval]) * ${__range_s} + [[factor]]',
        {"job": "api|web", "__rate_interval": "1m", "__range_s": "600", "factor": "2"},
    )
    assert query.text == 'rate(a{job=~"api|web"}[1m]) * 600 + 2'


def test_grafanas_own_variables_have_its_values() -> None:
    values = dashboard_variables(WINDOW, timedelta(seconds=30), timedelta(seconds=15))
    assert values["__interval"] == "30000ms"
    assert values["__rate_interval"] == "60000ms"
    assert values["__range"] == "600000ms"
    assert values["__range_s"] == "600"
    assert values["__interval_ms"] == "30000"
    wide = dashboard_variables(WINDOW, timedelta(minutes=5), timedelta(seconds=15))
    assert wide["__rate_interval"] == "315000ms"
    parse_query("rate(a[$__rate_interval]) + avg_over_time(b[$__range:$__interval])", values)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("1 + time()", timedelta(0), timedelta(0)),
        ("a", timedelta(minutes=5), timedelta(0)),
        ("a offset 1h", timedelta(minutes=65), timedelta(0)),
        ("rate(a[30m])", timedelta(minutes=30), timedelta(0)),
        ("rate(a[30m] offset 10m)", timedelta(minutes=40), timedelta(0)),
        ("a offset -2m", timedelta(minutes=3), timedelta(minutes=2)),
        ("a @ end()", timedelta(0), timedelta(0)),
        ("a @ start()", timedelta(minutes=5), timedelta(0)),
        ("max_over_time(rate(a[5m])[1h:1m])", timedelta(minutes=65), timedelta(0)),
        ("max_over_time(a[1h:1m] offset 1h)", timedelta(minutes=125), timedelta(0)),
        ("max_over_time((a @ start())[1h:1m])", timedelta(minutes=5), timedelta(0)),
        ("a / on () rate(b[2h])", timedelta(hours=2), timedelta(0)),
        ("topk(scalar(a offset 1h), b)", timedelta(minutes=65), timedelta(0)),
    ],
)  # fmt: skip
def test_the_samples_needed_reach_as_far_as_the_expression(
    text: str, before: timedelta, after: timedelta
) -> None:
    assert needed(text) == (before, after)


def test_an_absolute_time_moves_the_samples_needed() -> None:
    text = f"a @ {(START - timedelta(days=1)).timestamp()}"
    assert needed(text)[0] == timedelta(days=1, minutes=5)
    assert parse_query("a").samples_needed(WINDOW, MINUTE).start == START - MINUTE
