"""Filling the parts that a key leaves out changes no key, whatever the message and wherever cut."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbizagent.analysis import _log_shapes
from superbizagent.analysis._log_parts import parts_alike
from superbizagent.analysis._log_shapes import HeadText, shapes_of
from superbizagent.analysis._masks import key_of
from superbizagent.domain import distinct
from superbizagent.domain.distinct import joined, lines_of

WORDS = st.text("aAfFgZ09_.-: /=\u5931", max_size=90)
IDS = st.text("0123456789abcdefABCDEF.-:", max_size=200)


def filled(texts: pl.Series) -> pl.Series:
    return lines_of(parts_alike(np.frombuffer(joined(texts), np.uint8)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(WORDS, IDS), min_size=1, max_size=20), st.integers(1, 200))
def test_filled_messages_have_the_keys_of_the_messages(texts: list[str], piece: int) -> None:
    messages = pl.Series(texts, dtype=pl.String)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_PIECE", piece)
        shapes = filled(messages)
    assert key_of(shapes).to_list() == key_of(messages).to_list()
    assert shapes.str.len_bytes().to_list() == messages.str.len_bytes().to_list()


@pytest.mark.parametrize(("many", "few"), [(-1.0, 1), (2.0, 1), (2.0, 100)])
@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(WORDS, IDS), min_size=1, max_size=20))
def test_each_way_gives_the_keys_and_where_the_numbers_begin(
    many: float, few: int, texts: list[str]
) -> None:
    """Filled as they are, filled by shape, and not filled."""
    messages = pl.Series(texts, dtype=pl.String)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_log_shapes, "_MANY", many)
        patch.setattr(_log_shapes, "_FEW", few)
        shapes = shapes_of(HeadText.of(messages))
    assert [shapes.keys[k] for k in shapes.codes.tolist()] == key_of(messages).to_list()
    offsets, begins = shapes.numbers()
    for text, shape in zip(texts, shapes.lines.tolist(), strict=True):
        data = text.encode()
        found = offsets[begins[shape] : begins[shape + 1]].tolist()
        assert len(found) == key_of(pl.Series([text]))[0].count("#")
        for offset in found:
            behind = data[offset:].lstrip(b"abcdefABCDEF")
            assert behind[:1].isdigit()


def test_ids_of_one_length_have_one_shape() -> None:
    ids = ["7f3ac01d-0b5e-4c1a-9d7e-cafe00c0ffee", "ab12cd34-dead-beef-00f1-0123456789ab"]
    messages = pl.Series([f"[instance: {one}] took 1{k} ms" for k, one in enumerate(ids)])
    assert filled(messages).to_list() == [f"[instance: {'1' * 36}] took 11 ms"] * 2


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ("eth0:a1 x_fe1 g1f.x-y", "eth1:a1 x_111 g111111"),
        ("12:a1 12:1a b1:c 0xff", "11:a1 11:11 11:c 1111"),
        ("feed.12 feed12", "feed.11 111111"),
    ],
)
def test_what_is_filled(message: str, shape: str) -> None:
    assert filled(pl.Series([message])).to_list() == [shape]
