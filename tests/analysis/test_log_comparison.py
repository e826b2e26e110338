"""Two parts of some logs: the result does not depend on how the stream was cut."""

from hypothesis import given
from hypothesis import strategies as st

from analysis_builders import START, chunks_of
from superbizagent.analysis.log_comparison import Comparison, LogComparer, Parts, Turn
from superbizagent.domain.window import Window, from_ms

ROWS = [
    (float(k), "orders", "error" if k % 17 == 0 else "info", f"message {word} {k}")
    for k, word in enumerate(["placed", "cached", "refused", "retried"] * 100)
]
BEFORE = Window(start=from_ms(START), end=from_ms(START + 299_999))
NOW = Window(start=from_ms(START + 300_000), end=from_ms(START + 500_000))


def compared(size: int, parts: Parts) -> Comparison:
    comparer = LogComparer()
    for chunk in chunks_of(ROWS, size):
        comparer.add(chunk, parts)
    return comparer.result()


@given(st.integers(1, 500))
def test_the_cut_into_chunks_does_not_matter(size: int) -> None:
    parts = Parts(before=BEFORE, now=NOW)
    assert compared(size, parts) == compared(400, parts)


def test_every_record_is_in_one_part_or_counted_elsewhere() -> None:
    whole = compared(50, Parts(before=BEFORE, now=NOW))
    assert (whole.records_before, whole.records_now, whole.records_elsewhere) == (300, 100, 0)
    half = compared(50, Parts(before=None, now=NOW))
    assert (half.records_before, half.records_now, half.records_elsewhere) == (0, 100, 300)


def test_what_is_seldom_is_not_called_vanished() -> None:
    comparer = LogComparer()
    rows = [(float(k), "s", "info", f"usual {k}") for k in range(400)]
    rows += [(float(k), "s", "warn", "seldom thing") for k in range(0, 300, 50)]
    rows += [(float(k), "s", "warn", "often there before") for k in range(0, 300, 10)]
    for chunk in chunks_of(sorted(rows), 100):
        comparer.add(chunk, Parts(before=BEFORE, now=NOW))
    gone = comparer.result().of(Turn.VANISHED)
    assert [t.text for t in gone] == ["often there before"]
