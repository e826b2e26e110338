"""Where a fault may have begun, for spans."""

import polars as pl
import pytest

from superbizagent.analysis.span_channels import WIRE, read_spans
from superbizagent.analysis.span_starts import mean_scores, possible_starts
from superbizagent.domain.series import Labels
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows, from_ms

START = 1_790_000_000_000
FAULT = 400


def _at(seconds: float) -> int:
    return START + round(seconds * 1000)


def _windows(incident: tuple[float, float], *baselines: tuple[float, float]) -> Windows:
    spans = [Window(start=from_ms(_at(a)), end=from_ms(_at(b))) for a, b in (incident, *baselines)]
    return Windows(incident=spans[0], baselines=tuple(spans[1:]))


def _spans(begin: int = 0, end: int = 600) -> SpanSet:
    """One request a second; from `FAULT` on it takes long to reach ``pay``."""
    rows: list[tuple[str, str, str, str, int, int]] = []
    for second in range(begin, end):
        us = _at(second) * 1000
        late = 50_000 if second >= FAULT else 0
        own = 2_000 + 37 * (second % 11)
        for name in ("pay", "mail"):
            trace = f"{name}{second}"
            wire = 1_000 + 13 * (second % 7) + (late if name == "pay" else 0)
            rows.append((trace, "a", "", "web", us, own + wire + 500))
            rows.append((trace, "b", "a", name, us + wire // 2, own))
    names = ["trace_id", "span_id", "parent_id", "service", "start_us", "duration_us"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    return spans_from(table.with_columns(operation=pl.lit("get")))


def _entity(labels: Labels) -> str | None:
    return f"//service/{labels['service']}"


def test_a_known_start_is_the_only_one() -> None:
    known = _windows((400, 600), (0, 399.999))
    assert known.start_is_known
    assert possible_starts(_spans(), known) == (known,)


def test_an_unknown_start_is_looked_for_over_what_was_recorded() -> None:
    windows = _windows((200, 800), (0, 100))
    assert not windows.start_is_known
    found = possible_starts(_spans(300, 500), windows)
    begins = [(w.incident.start_ms - START) / 1000 for w in found]
    assert begins == pytest.approx([350, 400, 450], abs=1)
    for one in found:
        assert one.incident.end == windows.incident.end
        # Of the time before, nothing is known to be well that lies in the incident's window.
        (before,) = one.baselines
        assert before.start == windows.incident.start
        assert before.end < one.incident.start


def test_what_may_be_well_or_not_belongs_to_no_baseline_where_there_is_one() -> None:
    windows = _windows((200, 800), (0, 100))
    found = possible_starts(_spans(50, 800), windows)
    assert len(found) == 3
    assert all(one.baselines == windows.baselines for one in found)


def test_without_spans_in_the_incident_nothing_is_tried() -> None:
    windows = _windows((900, 1000), (0, 100))
    assert possible_starts(_spans(), windows) == (windows,)
    assert possible_starts(SpanSet(), windows) == (windows,)


def test_scores_are_means_and_what_has_none_counts_as_nothing() -> None:
    assert mean_scores([{"a": 3.0, "b": 1.0}, {"a": 1.0}]) == {"a": 2.0, "b": 0.5}
    assert mean_scores([]) == {}


@pytest.mark.parametrize("baseline", [((0, 100),), ()])
def test_a_slow_way_is_seen_though_most_of_the_window_was_well(
    baseline: tuple[tuple[float, float], ...],
) -> None:
    """Also without a span of the time before the window."""
    found = read_spans(_spans(150), _windows((150, 600), *baseline), _entity)
    wire = found.of(WIRE)
    assert max(wire, key=wire.__getitem__) == "//service/pay"
    evidence = next(e for e in found.evidence if (e.entity, e.channel) == ("//service/pay", WIRE))
    assert evidence.windows is not None
    assert evidence.windows.incident.start_ms >= _at(150)
    assert evidence.incident > 10 * evidence.baseline
    assert "//service/pay" in found.abnormal
