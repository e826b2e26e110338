"""Distinct values are numbered in order of first sight, whatever their number."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain import distinct
from superbizagent.domain.distinct import (
    digits_alike,
    distinct_of,
    joined,
    lines_of,
    numbered,
    places_of,
)


@given(st.lists(st.text("ab\u5931", max_size=2)))
def test_each_text_has_the_number_of_its_first_sight(texts: list[str]) -> None:
    place, found = numbered(pl.Series(texts, dtype=pl.String))
    assert found.to_list() == list(dict.fromkeys(texts))
    assert [found[k] for k in place.tolist()] == texts


@given(st.lists(st.integers(0, 9)))
def test_a_large_table_gives_the_same_as_a_small_one(cells: list[int]) -> None:
    rows = np.array(cells, np.int64)
    first, place = distinct_of(rows, 10)
    assert [cells[k] for k in first.tolist()] == list(dict.fromkeys(cells))
    assert [cells[first[k]] for k in place.tolist()] == cells
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_DENSE", 5)
        again = distinct_of(rows, 10)
    assert [a.tolist() for a in again] == [first.tolist(), place.tolist()]


def test_lines_keep_all_but_their_digits() -> None:
    texts = pl.Series(["a 17\u2028b", "\u5931\u8d25 09", "", "/:x\x7f\x00", ""])
    text = np.frombuffer(joined(texts), np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_PIECE", 5)
        assert lines_of(digits_alike(text)).to_list() == [
            "a 11\u2028b",
            "\u5931\u8d25 11",
            "",
            "/:x\x7f\x00",
            "",
        ]
        assert places_of(ord("\n"), text).tolist() == [8, 18, 19, 25, 26]


@given(st.lists(st.text("a7\r\u5931\u2028\x0b", max_size=3), min_size=1))
def test_joined_texts_are_the_lines_again(texts: list[str]) -> None:
    assert lines_of(joined(pl.Series(texts, dtype=pl.String))).to_list() == texts
    assert joined(pl.Series(texts), "\0\0").decode() == "\n".join([*texts, "\0\0"])
