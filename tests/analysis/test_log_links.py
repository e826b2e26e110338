"""Which templates each request wrote, in which span."""

from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis_builders import chunks_of, windows
from superbizagent.analysis._log_links import LinkStore
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.domain.logs import LogChunk, LogDigest
from superbizagent.domain.outputs import decode, encode

WINDOWS = windows(0, 1800, 1920, 2220)
LINK = st.tuples(st.integers(0, 3), st.sampled_from("abcdefgh"), st.sampled_from(["1", "2", None]))


def linked(rows: list[tuple[float, str, str, str]], ids: list[tuple[str, str]]) -> LogDigest:
    miner = LogMiner(WINDOWS)
    for chunk in chunks_of(rows, len(rows)):
        trace, span = (pl.Series([pair[k] for pair in ids], dtype=pl.String) for k in (0, 1))
        miner.add(LogChunk(chunk.file, chunk.frame.with_columns(trace_id=trace, span_id=span)))
    return miner.digest()


def triples(digest: LogDigest) -> list[tuple[str, str, str]]:
    links = digest.links
    rows = zip(links.template, links.trace, links.span, strict=True)
    return [(digest.templates[t].text, links.traces[r], links.spans[s]) for t, r, s in rows]


def test_every_record_with_a_trace_is_linked_to_its_template_once() -> None:
    rows = [
        (1.0, "order", "info", "order 1 created"),
        (2.0, "order", "info", "order 2 created"),
        (3.0, "order", "error", "no stock for item 9"),
        (4.0, "order", "info", "order 3 created"),
    ]
    digest = linked(rows, [("t1", "s1"), ("t1", "s1"), ("t1", ""), ("t2", "s2")])
    assert sorted(triples(digest)) == [
        ("no stock for item <*>", "t1", ""),
        ("order <*> created", "t1", "s1"),
        ("order <*> created", "t2", "s2"),
    ]
    assert decode(encode(digest)) == digest


def test_records_without_a_trace_leave_no_mark_in_the_bytes() -> None:
    miner = LogMiner(WINDOWS)
    for chunk in chunks_of([(1.0, "order", "info", "order 1 created")], 1):
        miner.add(chunk)
    digest = miner.digest()
    assert len(digest.links) == 0
    assert b"links" not in encode(digest)
    assert decode(encode(digest)) == digest


def store(rows: list[Any], size: int, most: int) -> LinkStore:
    kept = LinkStore(most)
    for k in range(0, len(rows), size):
        kind, trace, span = zip(*rows[k : k + size], strict=True)
        frame = pl.DataFrame(
            {"trace_id": trace, "span_id": span},
            schema={"trace_id": pl.String, "span_id": pl.String},
        )
        kept.add(frame, pl.Series(kind, dtype=pl.Int64).to_numpy())
    return kept


@settings(max_examples=100, deadline=None)
@given(st.lists(LINK, min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 20))
def test_too_many_links_leave_whole_requests_out_however_the_stream_is_cut(
    rows: list[Any], size: int, most: int
) -> None:
    groups = [[0, 2], [1], [3]]
    found = store(rows, size, most).of(groups, 4)
    assert found == store(rows, len(rows), most).of(groups, 4)
    assert len(found) <= most
    every = store(rows, len(rows), 10_000).of(groups, 4)
    kept = set(found.traces)
    wanted = [
        (t, every.traces[r], every.spans[s])
        for t, r, s in zip(every.template, every.trace, every.span, strict=True)
        if every.traces[r] in kept
    ]
    rows_found = zip(found.template, found.trace, found.span, strict=True)
    assert [(t, found.traces[r], found.spans[s]) for t, r, s in rows_found] == wanted
    if len(set(rows)) <= most:
        assert found == every
