"""Lines whose times are known from elsewhere are read as what they are, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.datasources._records import TimedParser, continues, level_codes
from superbizagent.domain.logs import SEVERITIES

pieces = st.sampled_from(
    ["{", "}", '"level":"error"', '"msg":"a"', ":", ",", "level=warn", "msg=", "ERROR ", "\n", "\t"]
)
lines = st.lists(st.one_of(st.text(max_size=40), st.lists(pieces).map("".join)), min_size=1)


@given(lines)
def test_any_lines_give_one_record_each(texts: list[str]) -> None:
    found = TimedParser().parse(texts)
    assert len(found.severity) == len(found.body) == len(found.line) == len(texts)
    assert found.body.null_count() == found.line.null_count() == 0
    assert len(found.trace_id) == len(texts)
    assert all(0 <= code < len(SEVERITIES) for code in found.severity.tolist())


def test_keys_stay_in_their_order_over_pages() -> None:
    parser = TimedParser()
    first = parser.parse(['{"msg":"a","b":1,"c":2}'])
    second = parser.parse(['{"c":3,"b":4,"msg":"a"}', '{"msg":"a","d":5}'])
    assert first.body.to_list() == ["a b=1 c=2"]
    assert second.body.to_list() == ["a b=4 c=3", "a d=5"]


def test_what_a_container_runtime_wraps_is_unwrapped() -> None:
    found = TimedParser().parse(
        ['{"log":"2026-03-01 12:00:00 ERROR [main] boom","stream":"stdout"}']
    )
    assert found.body.to_list() == ["boom"]
    assert SEVERITIES[found.severity.tolist()[0]] == "error"


@pytest.mark.parametrize(
    ("line", "is_part"),
    [
        ("\tat a.b(C.java:1)", True),
        ("Caused by: x", True),
        ("... 3 more", True),
        ("}", True),
        ("", True),
        ("ERROR at once", False),
        ("attention", False),
    ],
)
def test_parts_of_a_record_look_like_it(line: str, is_part: bool) -> None:  # noqa: FBT001 - a column of the table
    assert continues(line) is is_part


def test_levels_are_read_as_shippers_write_them() -> None:
    words = ["error", "ERROR", "warning", "Information", "I", "critical", "unknown", ""]
    codes: list[int] = level_codes(words).tolist()
    names = [SEVERITIES[code] for code in codes]
    assert names == ["error", "error", "warn", "info", "info", "fatal", "unknown", "unknown"]
