"""`spans_from`: any order of rows gives the same spans; bad rows do no harm."""

import time
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import ORPHAN, ROOT, SpanKind, SpanSet

IDS = st.sampled_from(["a", "b", "c", "d", "e", ""])
ROW = st.fixed_dictionaries(
    {
        "trace_id": st.sampled_from(["t1", "t2"]),
        "span_id": IDS,
        "parent_id": st.sampled_from(["a", "b", "c", "d", "e", "", "root", "0000", None]),
        "service": st.sampled_from(["x", "y", "z"]),
        "operation": st.sampled_from(["GET /", "POST /"]),
        "start_us": st.one_of(st.none(), st.integers(0, 5)),
        "duration_us": st.one_of(st.none(), st.integers(-3, 9)),
        "kind": st.one_of(st.none(), st.integers(-1, 9)),
        "error": st.sampled_from([None, "", "503"]),
        "peer": st.sampled_from([None, "", "mysql"]),
        "instance": st.sampled_from([None, "pod-1"]),
    }
)
SCHEMA: dict[str, Any] = dict.fromkeys(
    ("trace_id", "span_id", "parent_id", "service", "operation"), pl.String
) | {"start_us": pl.Int64, "duration_us": pl.Int64, "kind": pl.Int64}
MORE: dict[str, Any] = dict.fromkeys(("error", "peer", "instance"), pl.String)


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA | MORE)


def row(span: str, parent: str | None, start: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span,
        "parent_id": parent,
        "service": "s",
        "operation": "o",
        "start_us": start,
        "duration_us": 1,
    } | more


def same(a: SpanSet, b: SpanSet) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in SpanSet.__dataclass_fields__
    )


def depth_is_finite(spans: SpanSet) -> bool:
    for k in range(len(spans)):
        steps, at = 0, k
        while at >= 0:
            at, steps = int(spans.parent[at]), steps + 1
            if steps > len(spans):
                return False
    return True


@settings(max_examples=150, deadline=None)
@given(st.lists(ROW, max_size=12), st.randoms(use_true_random=False))
def test_any_order_and_repetition_gives_the_same_spans(
    rows: list[dict[str, Any]], random: Any
) -> None:
    spans = spans_from(table(rows))
    identified = [r for r in rows if r["span_id"]]
    shuffled = rows + identified
    random.shuffle(shuffled)
    assert same(spans, spans_from(table(shuffled)))


@settings(max_examples=150, deadline=None)
@given(st.lists(ROW, max_size=12))
def test_every_set_is_whole(rows: list[dict[str, Any]]) -> None:
    spans = spans_from(table(rows))
    keys = list(zip(spans.start.tolist(), spans.trace.tolist(), spans.span_ids, strict=True))
    assert keys == sorted(keys)
    pairs = [(t, s) for _, t, s in keys if s]
    assert len(pairs) == len(set(pairs))
    assert len(keys) <= sum(r["start_us"] is not None for r in rows)
    assert (spans.duration >= 0).all()
    assert depth_is_finite(spans)
    inside = spans.parent >= 0
    assert (spans.trace[spans.parent[inside]] == spans.trace[inside]).all()
    assert set(spans.kind.tolist()) <= {k.value for k in SpanKind}
    for names, codes in (
        (spans.services, spans.service),
        (spans.errors, spans.error),
        (spans.peers, spans.peer),
        (spans.instances, spans.instance),
        (spans.traces, spans.trace),
    ):
        assert list(names) == sorted(set(names))
        assert "" not in names
        assert set(codes.tolist()) - {-1} == set(range(len(names)))


def test_parents_are_found_in_the_trace_alone() -> None:
    rows = [
        row("a", "root"),
        row("b", "a", 1),
        row("c", "gone", 2),
        row("d", "a", 3) | {"trace_id": "u"},
        row("e", "0000000000000000", 4),
        row("f", None, 5),
    ]
    spans = spans_from(pl.DataFrame(rows, infer_schema_length=None))
    assert spans.parent.tolist() == [ROOT, 0, ORPHAN, ORPHAN, ROOT, ROOT]


def test_a_loop_is_cut_above_its_first_span() -> None:
    rows = [row("a", "c", 2), row("b", "a", 1), row("c", "b", 3), row("d", "c", 4)]
    spans = spans_from(pl.DataFrame([*rows, row("self", "self", 9)]))
    assert spans.span_ids == ("b", "a", "c", "d", "self")
    assert spans.parent.tolist() == [ORPHAN, 2, 0, 2, ORPHAN]


def test_an_empty_table_is_an_empty_set() -> None:
    assert same(spans_from(table([])), SpanSet())


def test_a_missing_column_is_named() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="parent_id"):
        spans_from(table([row("a", "root")]).drop("parent_id"))


def test_two_hundred_thousand_spans_take_less_than_a_second() -> None:
    n = 200_000
    k = np.arange(n)
    frame = pl.DataFrame(
        {
            "trace_id": np.char.add("trace", (k // 100).astype(str)),
            "span_id": np.char.mod("%016x", k + 1),
            "parent_id": np.where(k % 100 == 0, "root", np.char.mod("%016x", k)),
            "service": np.char.add("s", (k % 40).astype(str)),
            "operation": np.char.add("GET /", (k % 300).astype(str)),
            "start_us": k,
            "duration_us": k % 1000,
        }
    )
    begun = time.process_time()
    spans = spans_from(frame.sample(fraction=1.0, shuffle=True, seed=1))
    assert time.process_time() - begun < 3.0  # with room for a busy machine
    assert np.count_nonzero(spans.parent == ROOT) == n // 100
