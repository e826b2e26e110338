"""A past window shows the same however its records and spans are read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from past_recordings import HOURS, write_recording
from span_recordings import START
from superbizagent.analysis.beside import Beside
from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS
from superbizagent.domain.gathering import Caps
from superbizagent.domain.incident import Incident
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation import past_windows
from superbizagent.investigation.facts.reader import entity_reader
from superbizagent.investigation.past_windows import PastWindows
from superbizagent.investigation.plan import plan_investigation
from superbizagent.investigation.scope import scope_incident
from superbizagent.investigation.survey import survey_sources

pytestmark = pytest.mark.anyio
LABELS = tuple(DEFAULT_LABEL_KINDS)


def windows_at(minute: int) -> Windows:
    start = START + timedelta(minutes=minute)
    incident = Window(start=start, end=start + timedelta(minutes=10))
    gap = timedelta(minutes=2)
    before = Window(start=start - timedelta(minutes=30), end=start - gap)
    return Windows(incident=incident, baselines=(before,))


async def looks(folder: Path, past: PastWindows, minutes: tuple[int, ...]) -> list[Beside]:
    source = BundleSource(folder)
    survey = await survey_sources((source,))
    scope = scope_incident(Incident(received_at=datetime.now(UTC)), survey, LABELS)
    plan = plan_investigation(scope, (), (), Caps())
    span = Window(start=START, end=START + HOURS)
    await past.begin(scope, entity_reader(scope, LABELS), {source.name: source}, plan.calls, span)
    return [await past.look(windows_at(minute)) for minute in minutes]


async def test_records_read_together_or_window_by_window_show_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_recording(tmp_path / "shop")
    together, apart = PastWindows(), PastWindows()
    one = await looks(folder, together, (40, 67, 114))
    monkeypatch.setattr(past_windows, "_TOGETHER_BYTES", 1000)
    other = await looks(folder, apart, (40, 67, 114))
    assert one == other
    assert not together.failed
    assert not apart.failed
    # Payment is late, and complains, from the 69th and the 116th minute on.
    calm, *loud = (max(seen.channels["error_lines"].values(), default=0.0) for seen in one)
    assert calm < 1 < min(loud)
    assert max(one[2].channels["wire"].values()) > 1


async def test_records_that_cannot_be_read_leave_the_spans_to_be_learnt(tmp_path: Path) -> None:
    folder = write_recording(tmp_path / "shop")
    past = PastWindows()
    [before] = await looks(folder, past, (114,))
    assert set(before.channels) == {"error_lines", "wire", "pattern", "span_errors"}
    (folder / "logs" / "payment.log").unlink()
    (folder / "logs" / "payment.log").symlink_to(folder / "gone")
    [after] = await looks(folder, past, (114,))
    assert set(after.channels) == {"wire", "pattern", "span_errors"}
