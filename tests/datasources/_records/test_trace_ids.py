"""Trace ids by one spelling are those that the search for any spelling finds."""

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from superbizagent.datasources._records.blocks import make_block
from superbizagent.datasources._records.line_bytes import LineBytes
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
ID = st.text("0123456789abcdef-", min_size=6, max_size=40)


@given(
    st.lists(st.tuples(LINE, ID), max_size=30),
    st.one_of(st.none(), st.tuples(LINE, st.integers(1, 12))),
)
@settings(max_examples=300, deadline=None)
def test_one_spelling_finds_what_any_spelling_finds(
    drawn: list[tuple[str, str]], same: tuple[str, int] | None
) -> None:
    if same is not None:  # one form, ids of one length: the usual log
        form, times = same
        drawn = [(form, name[:6].ljust(16, "7")) for _, name in drawn] * times
    texts = [form.format(name) for form, name in drawn]
    block = make_block("".join(f"{text}\n" for text in texts).encode(), None, 0)
    lines = pl.Series(texts, dtype=pl.String)
    wanted = trace_ids(lines).to_list()
    text = LineBytes.of(block, np.arange(len(texts)))
    assert trace_ids(lines, "trace_id=", text).to_list() == wanted
    assert trace_ids(lines, "trace_id=").to_list() == wanted


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
