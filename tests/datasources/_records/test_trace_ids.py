"""Trace ids by one spelling are those that the search for any spelling finds."""

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

from superbizagent.datasources._records.trace_ids import trace_ids, trace_key

LINE = st.sampled_from(
    [
        "took 5 ms trace_id={}",
        "trace_id={} at the begin",
        "trace_id: {} spelled otherwise",
        'JSON {{"traceId": "{}"}} inside',
        "trace_id=none but {}",
        "保存失败 trace_id={}",
        "no id {}",
    ]
)
ID = st.text("0123456789abcdef", min_size=6, max_size=40)


@given(st.lists(st.tuples(LINE, ID), max_size=30))
@settings(max_examples=100, deadline=None)
def test_one_spelling_finds_what_any_spelling_finds(drawn: list[tuple[str, str]]) -> None:
    lines = pl.Series([form.format(name) for form, name in drawn], dtype=pl.String)
    assert trace_ids(lines, "trace_id=").to_list() == trace_ids(lines).to_list()


@pytest.mark.parametrize(
    ("head", "key"),
    [
        (b"x trace_id=0af7651916cd43dd y", "trace_id="),
        (b'{"traceId": "0af7651916cd43dd"}', 'traceId": "'),
        (b"the word Trace-ID alone", ""),
        (b"nothing", None),
    ],
)
def test_the_usual_spelling_is_learnt(head: bytes, key: str | None) -> None:
    assert trace_key(head) == key


def test_without_a_spelling_there_are_none() -> None:
    assert trace_ids(pl.Series(["trace_id=0af7651916cd43dd"]), None).to_list() == [None]
