"""Learn what a system is like while nothing is wrong: windows of its history, judged as incidents.

The same series, log records and spans are read as for a diagnosis without an alert, in parts that
one look may take; each window is compared with its own past by the same statistics. Windows in
which an alert fired, or in which a diagnosis found a cause, are no good days.
"""

import asyncio
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from superbizagent.analysis.learnt import (
    Signals,
    families_of,
    learn_bands,
    signals_of,
    table_of_window,
)
from superbizagent.analysis.metric_channel import FamilyTable
from superbizagent.domain.alert import Alert, is_heartbeat
from superbizagent.domain.gathering import Caps
from superbizagent.domain.incident import Incident
from superbizagent.domain.learnt import LEAST_WINDOWS, LearntLength, LearntNormal
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.protocols import DataSource, RangeQuerier
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Matcher, Selector
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import EvidenceStatus, RangeQuery, Signal, Survey
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import NothingReadableError, TemporaryDataSourceError
from superbizagent.investigation.facts.reader import entity_reader
from superbizagent.investigation.past_windows import PastWindows
from superbizagent.investigation.plan import plan_investigation
from superbizagent.investigation.scope import baseline_before, scope_incident
from superbizagent.investigation.survey import survey_sources

__all__ = ["LIVE_LENGTHS", "Learner", "Lesson", "Part", "needed_history", "parts_of"]

LIVE_LENGTHS = (timedelta(minutes=10), timedelta(minutes=60))
"""Just after an alert an incident is some minutes long; a question looks at an hour."""

_FIRED = Selector(name="ALERTS", matchers=(Matcher(label="alertstate", value="firing"),))
_TOGETHER = 4
"""Windows that are read at once: their baselines overlap by three quarters."""
_FINEST = 11_000
"""Points that a server gives for one series at once."""
_AT_ONCE = 2
"""Questions under way: half of what a diagnosis has, because nobody waits for this."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is to be learnt from."""

    system: str
    """Name that the result is stored under."""
    spans: tuple[Window, ...]
    """Times to cut windows out of, newest first."""
    lengths: tuple[timedelta, ...]
    stride: timedelta
    """From one window to the next of the same length."""
    entity_labels: tuple[str, ...]
    caps: Caps
    services: tuple[str, ...] = ()
    trouble: tuple[Window, ...] = ()
    """Times in which something is known to have been wrong."""

    @property
    def overlaps(self) -> bool:
        """Whether windows share time, so that they say less than as many apart would."""
        return self.stride < max(self.lengths)


@dataclass(frozen=True, slots=True)
class Part:
    """Windows that are read together."""

    span: Window
    windows: tuple[Windows, ...]


def parts_of(lesson: Lesson, together: int = _TOGETHER) -> Iterator[Part]:
    """Yield the windows of a lesson, newest first; each with at least its length before it."""
    for span in lesson.spans:
        ends = _ends(span, lesson.stride)
        for start in range(0, len(ends), together):
            some = ends[start : start + together]
            each = (_windows(end, length, span) for end in some for length in lesson.lengths)
            windows = tuple(w for w in each if w is not None)
            if windows:
                first = min(w.whole.start for w in windows)
                yield Part(Window(start=first, end=some[0]), windows)


def needed_history(length: timedelta) -> timedelta:
    """Return how much history the least number of windows takes, one after the other."""
    return (LEAST_WINDOWS + 1) * length + timedelta(minutes=2)


def _ends(span: Window, stride: timedelta) -> list[datetime]:
    return [span.end - k * stride for k in range(int(span.length / stride) + 1)]


def _without_report(survey: Survey) -> Survey:
    """Drop what recordings were made for: of good days everything is learnt, not what hurt then."""
    nothing: dict[str, object] = {"alerts": (), "question": "", "entry": "", "symptom": ""}
    sources = tuple(source.model_copy(update=nothing) for source in survey.sources)
    return survey.model_copy(update={"sources": sources})


def _windows(end: datetime, length: timedelta, span: Window) -> Windows | None:
    window = Window(start=end - length, end=end)
    if window.start <= span.start:
        return None
    gap = min(timedelta(minutes=2), (window.start - span.start) / 3)
    baseline = baseline_before(window, span, gap)
    if baseline is None or baseline.length < length:
        return None
    return Windows(incident=window, baselines=(baseline,))


@dataclass(slots=True)
class Learner:
    """Collects windows until there are enough, or nothing more to read."""

    lesson: Lesson
    left_out: int = 0
    """Windows in which something was known to be wrong."""
    without_data: int = 0
    cut: bool = False
    """A server gave only some of the series."""
    silent: dict[str, str] = field(default_factory=dict[str, str])
    """Source -> why it could not say what it has of a part; the last reason."""
    beside: PastWindows = field(default_factory=PastWindows)
    """Reads log records and spans."""
    _seen: dict[timedelta, list[tuple[Window, Signals]]] = field(
        default_factory=dict[timedelta, list[tuple[Window, Signals]]]
    )

    @property
    def usable(self) -> int:
        """Windows of the length of which there are fewest."""
        return min((len(self._seen.get(n, [])) for n in self.lesson.lengths), default=0)

    def windows_with(self, family: Signal) -> Mapping[timedelta, int]:
        """Return of each length how many windows had logs, or spans, to compare."""
        return {
            length: sum(family in families_of(s) for _, s in self._seen.get(length, []))
            for length in self.lesson.lengths
        }

    async def read(
        self, sources: Sequence[DataSource], part: Part, step: Callable[[], None] = lambda: None
    ) -> None:
        """Read one part of the history and judge its windows.

        Args:
            sources: of this part.
            part: what is read.
            step: called after each window.

        Raises:
            DataSourceError: when a source of metrics fails; the part then counts for nothing.
        """
        try:
            survey = await survey_sources(sources)
        except NothingReadableError:
            self.without_data += len(part.windows)
            return
        for name, _, reason in (said.partition(": ") for said in survey.failed):
            self.silent[name] = reason
        incident = Incident(
            received_at=part.span.end,
            start=part.windows[0].incident.start,
            end=part.span.end,
            services=self.lesson.services,
        )
        scope = scope_incident(incident, _without_report(survey), self.lesson.entity_labels)
        by_name = {source.name: source for source in sources}
        fired = await self._fired(sources, part)
        plan = plan_investigation(scope, (), (), self.lesson.caps)
        self.cut |= bool(plan.left_out)
        series = await self._series(scope, plan.calls, by_name, part)
        entity_of = entity_reader(scope, self.lesson.entity_labels)
        await self.beside.begin(scope, entity_of, by_name, plan.calls, part.span)
        for windows in part.windows:
            if self._is_trouble(windows.incident, fired):
                self.left_out += 1
            else:
                about = (series, windows, scope.step, entity_of)
                table = await asyncio.to_thread(table_of_window, *about)
                await self._learn(table, windows)
            step()

    async def _learn(self, table: FamilyTable | None, windows: Windows) -> None:
        if table is None:
            self.without_data += 1
            return
        beside = await self.beside.look(windows)
        signals = signals_of(table, beside.channels)
        self._seen.setdefault(windows.incident.length, []).append((windows.incident, signals))

    def learnt(self, now: datetime) -> LearntNormal | None:
        """Return what was learnt; None when a length has fewer windows than are needed."""
        if self.usable < LEAST_WINDOWS:
            return None
        windows = [w for seen in self._seen.values() for w, _ in seen]
        span = Window(start=min(w.start for w in windows), end=max(w.end for w in windows))
        lengths = tuple(
            LearntLength(
                length=length,
                windows=len(self._seen[length]),
                bands=learn_bands([signals for _, signals in self._seen[length]]),
            )
            for length in sorted(self._seen)
        )
        return LearntNormal(
            system=self.lesson.system,
            learnt_at=now,
            span=span,
            left_out=self.left_out,
            lengths=lengths,
        )

    async def _series(
        self,
        scope: Scope,
        planned: Sequence[PlannedCall],
        sources: Mapping[str, DataSource],
        part: Part,
    ) -> list[SeriesSet]:
        """Return the answers to the sweep of a diagnosis, over the whole part."""
        slots = asyncio.Semaphore(_AT_ONCE)
        step = max(scope.step, timedelta(seconds=1))
        points = min(math.ceil(part.span.length / step) + 1, _FINEST)

        async def one(source: DataSource, asked: RangeQuery) -> SeriesSet | None:
            async with slots:
                return await self._ask(source, asked)

        calls = [
            one(
                sources[call.source],
                RangeQuery.model_validate(call.input).model_copy(
                    update={"window": part.span, "max_points": points}
                ),
            )
            for call in planned
            if call.tool is ToolName.QUERY_METRICS and call.purpose.startswith("sweep:")
        ]
        return [found for found in await asyncio.gather(*calls) if found is not None]

    async def _ask(self, source: DataSource, query: RangeQuery) -> SeriesSet | None:
        if not isinstance(source, RangeQuerier):
            return None
        answer = await source.query_range(query)
        if answer.status not in {EvidenceStatus.OK, EvidenceStatus.EMPTY}:
            raise TemporaryDataSourceError(f"{source.name}: {answer.error}")
        self.cut |= answer.truncated
        return answer.output if isinstance(answer.output, SeriesSet) else None

    async def _fired(self, sources: Sequence[DataSource], part: Part) -> list[int]:
        """Return the times, in ms and in order, at which any alert fired that means trouble."""
        query = RangeQuery(selector=_FIRED, window=part.span, max_points=_FINEST)
        times: list[int] = []
        for source in sources:
            if isinstance(source, RangeQuerier):
                answer = await source.query_range(query)
                for one in answer.output if isinstance(answer.output, SeriesSet) else ():
                    if not is_heartbeat(Alert(labels=dict(one.labels))):
                        times += one.times.tolist()
        return sorted(times)

    def _is_trouble(self, incident: Window, fired: Sequence[int]) -> bool:
        first = bisect_left(fired, incident.start_ms)
        alarmed = first < len(fired) and fired[first] <= incident.end_ms
        return alarmed or any(w.clip(incident) for w in self.lesson.trouble)
