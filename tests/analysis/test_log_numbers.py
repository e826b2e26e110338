"""Numbers gathered out of the bytes of many messages are those that a search finds in each."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbizagent.analysis._log_fields import FieldStore, Rows
from superbizagent.analysis._log_gather import Spots, read_numbers
from superbizagent.analysis._log_keys import keys_of, spot_of
from superbizagent.analysis._log_shapes import HeadText, shapes_of
from superbizagent.analysis._masks import key_of

NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e6, allow_nan=False).map(lambda x: f"{x:.3f}"),
    st.integers(10**16, 10**19).map(str),
    st.sampled_from(["5a", "1.2.3", "7.", "deadbeef0", "9:30"]),
)
FORMS = (
    "took={} rows={} in {}ms",
    "GET /api/{} 503 acquired after {}ms by user-{}",
    "delta=-{} x {} status {}",
    "价格={} 数量: {} took {} s",
    '{{"size":{}, "page": "{}"}} {}',
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(FORMS),
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20),
)
def test_gathered_numbers_are_the_searched_ones(
    form: str, drawn: list[tuple[str, str, str]]
) -> None:
    texts = pl.Series([form.format(*numbers) for numbers in drawn])
    keys = key_of(texts)
    shapes = shapes_of(HeadText.of(texts))
    for key, place in keys_of(texts[0]):
        spot = spot_of(texts[0], key, place)
        if spot is None:
            continue
        alike = np.flatnonzero((keys == keys[0]).to_numpy())
        spots = Spots.of([spot])
        found = read_numbers(shapes, alike, spots, np.zeros(len(alike), np.int64))
        some = texts.gather(pl.Series(alike))
        wanted = some.str.extract(key.pattern, 1).cast(pl.Float64, strict=False)
        for got, want in zip(found.tolist(), wanted.to_list(), strict=True):
            assert got == want or (math.isnan(got) and want is None)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("db-7.example.com:5432 connected size=3", ["size"]),
        ("attempt_1445144423722_0020: 5 of size=3", ["size"]),
        ("load.avg: 5 p99=17", ["load.avg", "p99"]),
        ("status 503 after 12ms", ["after", "status"]),
    ],
)
def test_addresses_and_ids_are_no_names(body: str, names: list[str]) -> None:
    assert sorted(key.name for key, _ in keys_of(body)) == names


def test_names_with_numbers_are_told_apart() -> None:
    bodies = pl.Series(["p50=1 p99=9", "p90=5 p95=6"])
    shapes = shapes_of(HeadText.of(bodies))
    store = FieldStore()
    store.learn(0, bodies[0], alike=True)
    zeros = np.zeros(2, np.int64)
    store.add(bodies, shapes, Rows(zeros, zeros, zeros, np.arange(2)))
    found = store.of([0])
    assert {name: values.samples[0].kept[:, 1].tolist() for name, values in found.items()} == {
        "p50": [1.0],
        "p99": [9.0],
    }


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("a-_.:5f x\u5931", max_size=12), min_size=1, max_size=30))
def test_numbers_stand_where_the_key_leaves_parts_out(texts: list[str]) -> None:
    shapes = shapes_of(HeadText.of(pl.Series(texts)))
    _, begins = shapes.numbers()
    parts = np.diff(begins)[shapes.lines]
    assert parts.tolist() == [key.count("#") for key in key_of(pl.Series(texts)).to_list()]
    keys = shapes.keys.gather(pl.Series(shapes.codes)).to_list()
    assert keys == key_of(pl.Series(texts)).to_list()
