import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.errors import UsageError
from superbizagent.promql import parse_selector

_LABELS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda s: s != "__name__")
_NAMES = st.from_regex(r"m_[a-z0-9_:]{0,12}", fullmatch=True)  # no keyword begins so
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
_EXACT = st.builds(
    Matcher, label=_LABELS, op=st.sampled_from([MatchOp.EQUAL, MatchOp.NOT_EQUAL]), value=_TEXT
)


@given(_NAMES, st.lists(_EXACT, max_size=3))
def test_what_a_selector_prints_reads_back_as_the_same_selector(
    name: str, matchers: list[Matcher]
) -> None:
    selector = Selector(name=name, matchers=tuple(matchers))
    assert parse_selector(str(selector)) == selector


def test_every_operator_is_read() -> None:
    selector = parse_selector('up{a="1",b!="2",c=~"3|4",d!~"5"}')
    assert [(m.label, m.op, m.value) for m in selector.matchers] == [
        ("a", MatchOp.EQUAL, "1"),
        ("b", MatchOp.NOT_EQUAL, "2"),
        ("c", MatchOp.REGEX, "3|4"),
        ("d", MatchOp.NOT_REGEX, "5"),
    ]


def test_a_regular_expression_means_what_it_means_to_the_server() -> None:
    selector = parse_selector('up{job=~"(?i)API|w\\\\d+$"}')
    assert selector.matches({"__name__": "up", "job": "api"})
    assert selector.matches({"__name__": "up", "job": "W12"})
    assert not selector.matches({"__name__": "up", "job": "w"})
    with pytest.raises(UsageError, match="regular expression"):
        parse_selector('up{job=~"\\\\pL"}')


def test_a_name_written_as_a_matcher_is_the_name() -> None:
    assert parse_selector('{__name__="up",job="api"}') == parse_selector('up{job="api"}')


def test_a_name_pattern_stays_a_matcher() -> None:
    selector = parse_selector('{__name__=~"up|down"}')
    assert selector.name == ""
    assert selector.matches({"__name__": "down"})


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("rate(up[5m])", "a function call"),
        ("sum by (job) (up)", "an aggregation"),
        ("up[5m]", "a range selector"),
        ("up[5m:1m]", "a subquery"),
        ("up offset 5m", "an `offset`"),
        ("up @ 1700000000", "an `@` modifier"),
        ("up > 1", "a binary operation"),
        ("(up)", "a parenthesis"),
        ("-up", "a sign"),
        ("1", "a number"),
        ('"up"', "a string"),
        ('up{a="1" or b="2"}', "an `or` between matchers"),
    ],
)
def test_anything_else_is_refused_by_its_name(text: str, construct: str) -> None:
    with pytest.raises(UsageError, match="write a plain selector") as caught:
        parse_selector(text)
    assert construct in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["", "up{", 'up{a=~"("}', "up up", "{}"])
def test_what_is_no_promql_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not PromQL"):
        parse_selector(text)
