"""What is read out of the bytes of records is what their texts say."""

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from superbizagent.datasources._records import headers
from superbizagent.datasources._records.blocks import Block, make_block
from superbizagent.datasources._records.cuts import JOIN, cut_records
from superbizagent.datasources._records.headers import parse_lines
from superbizagent.datasources._records.line_bytes import FILLER, LineBytes
from superbizagent.datasources._records.stamps import NONE, read_stamps

STAMPS = ("2026-03-01 00:10:01,606 ", "[2026-03-01T00:10:02Z] ", "I0301 00:10:08.123456 ", "")
HEADERS = (
    "INFO [exec-3] shop.Orders - ",
    "ERROR",
    "[main] [a b c d e f g h i j k l m n o p q r s t u v w x y z] WARN a.b.c.D: ",
    "  4711 controller.go:117] ",
    '"GET /orders/17 HTTP/1.1" 503 ',
    "",
)
LINES = st.tuples(
    st.sampled_from(STAMPS),
    st.sampled_from(HEADERS),
    st.text("a7 :-[]E\r\t", max_size=90),
    st.sampled_from(("", "\n\tat a.b.C(D.java:17)", "\n")),
).map("".join)


def block_of(records: list[str]) -> tuple[Block, np.ndarray]:
    """Return records as a block and which of its lines begin one."""
    block = make_block("".join(f"{one}\n" for one in records).encode(), None, 0)
    inner = np.cumsum([0, *(one.count("\n") + 1 for one in records[:-1])])
    starts = np.zeros(len(block.starts), np.bool_)
    starts[inner] = True
    return block, starts


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=12))
def test_headers_read_by_bytes_are_those_read_by_texts(records: list[str]) -> None:
    block, starts = block_of(records)
    lines, kept = cut_records(block, starts, np.ones(len(records), np.bool_))
    rows = np.flatnonzero(starts)[kept]
    stamps = read_stamps(block.buffer, block.starts[rows], block.lengths[rows])
    text = LineBytes.of(block, rows)
    assert text is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headers, "_FEW", 10**6)
        one_by_one = parse_lines(lines, stamps)
        patch.setattr(headers, "_FEW", 0)
        for found in (parse_lines(lines, stamps), parse_lines(lines, stamps, text)):
            assert found.body.to_list() == one_by_one.body.to_list()
            assert found.severity.tolist() == one_by_one.severity.tolist()


@given(st.lists(st.text("a7 \t", max_size=9), min_size=1, max_size=5), st.integers(1, 12))
def test_lines_are_cut_and_filled(records: list[str], width: int) -> None:
    records = [f"{one}\n{one}" for one in records]
    block, starts = block_of(records)
    text = LineBytes.of(block, np.flatnonzero(starts))
    assert text is not None
    begins = np.minimum(2, [len(one) for one in records])
    ends = np.array([len(one) for one in records])
    cut = [one.replace("\n", JOIN)[b:] for one, b in zip(records, begins.tolist(), strict=True)]
    assert text.lines(begins, ends, width).tobytes().decode() == "".join(
        f"{one[:width].ljust(width, FILLER)}\n" for one in cut
    )


@pytest.mark.parametrize("text", ["\u5931\u8d25", "a\0b"])
def test_other_bytes_are_not_taken_for_letters(text: str) -> None:
    block, _ = block_of(["fine", text])
    assert LineBytes.of(block, np.arange(2)) is None


def test_no_stamp_is_a_line_from_its_begin() -> None:
    block, _ = block_of(["plain text", "WARN: low"])
    rows = np.arange(2)
    stamps = read_stamps(block.buffer, block.starts, block.lengths)
    assert (stamps.kind == NONE).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headers, "_FEW", 0)
        lines = pl.Series(["plain text", "WARN: low"])
        found = parse_lines(lines, stamps, LineBytes.of(block, rows))
    assert found.body.to_list() == ["plain text", "low"]
