"""One run of the root-cause core on what is seen of a recording, with more or fewer inputs."""

import time
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np

from superbizagent.analysis.beside import Beside, look_beside
from superbizagent.analysis.calls import LogCall, MetricCall, SpanCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series
from superbizagent.analysis.findings import findings_from_series, number_findings
from superbizagent.analysis.flow import callees_of
from superbizagent.analysis.log_evidence import findings_from_logs
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.analysis.span_channels import read_spans
from superbizagent.analysis.span_facts import facts_of_spans
from superbizagent.analysis.span_findings import findings_from_spans
from superbizagent.domain.finding import Finding
from superbizagent.domain.outputs import Topology
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import LogQuery
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Windows, to_ms
from superbizagent.evaluation.rca.recordings import Recording
from superbizagent.evaluation.rca.timing import Sight

__all__ = ["LADDER", "Input", "Run", "Seen", "inputs_name", "run_core"]

_METRICS, _LOGS, _SPANS = 1, 2, 3
"""Numbers of the calls."""


class Input(StrEnum):
    """A kind of telemetry that the core may look at."""

    METRICS = "metrics"
    GRAPH = "graph"
    LOGS = "logs"
    TRACES = "traces"


LADDER: tuple[frozenset[Input], ...] = (
    frozenset({Input.METRICS}),
    frozenset({Input.METRICS, Input.GRAPH}),
    frozenset(Input),
)
"""What is scored when nothing is asked for."""


def inputs_name(inputs: frozenset[Input]) -> str:
    """Return the inputs as they are asked for: ``metrics,graph``."""
    return ",".join(item.value for item in Input if item in inputs)


@dataclass(frozen=True)
class Seen:
    """What is seen of a recording, each kind of telemetry prepared once."""

    recording: Recording
    sight: Sight

    @property
    def windows(self) -> Windows:
        """Incident and baselines."""
        return self.sight.scope.windows

    @cached_property
    def series(self) -> SeriesSet:
        """Samples up to the end of the sight, and those of normal telemetry of another time."""
        return _until(self.recording.series, self.windows, to_ms(self.sight.end))

    @cached_property
    def metrics(self) -> MetricCall:
        """The series, measured."""
        series = self.series
        deviations = measure(series, self.windows, self.sight.scope.step)
        facts = facts_of_series(
            _METRICS, series, deviations, self.recording.entity_of, len(series.labels)
        )
        return MetricCall(_METRICS, series, deviations, facts)

    @cached_property
    def metric_findings(self) -> tuple[Finding, ...]:
        """What is abnormal in the series."""
        call = self.metrics
        entity_of = self.recording.entity_of
        return findings_from_series(call.series, call.deviations, call.facts, entity_of)

    @cached_property
    def logs(self) -> tuple[LogCall, ...]:
        """The records, mined; none where the recording holds none."""
        if not self.recording.has_logs:
            return ()
        miner = LogMiner(self.windows)
        for chunk in self.recording.source.read_logs(LogQuery(windows=self.windows)):
            miner.add(chunk)
        digest = miner.digest()
        facts = facts_of_logs(_LOGS, digest, self.recording.entity_of, len(digest.templates))
        return (LogCall(_LOGS, digest, facts),)

    @cached_property
    def log_findings(self) -> tuple[Finding, ...]:
        """What is new or more in the records."""
        entity_of = self.recording.entity_of
        return tuple(f for c in self.logs for f in findings_from_logs(c.digest, c.facts, entity_of))

    @cached_property
    def _spans(self) -> SpanSet:
        """Spans of the windows; none where the recording holds none."""
        recording = self.recording
        return recording.spans(self.windows) if recording.has_spans else SpanSet()

    @property
    def beside(self) -> Beside:
        """Evidence beside the metrics, the spans compared with all else that is known."""
        spans, recording = self._span_calls(frozenset(Input)), self.recording
        return look_beside(self.logs, spans, recording.entity_of, recording.topology)

    def _span_calls(self, inputs: frozenset[Input]) -> tuple[SpanCall, ...]:
        """The spans, compared; with the records and the graph where they are inputs, too."""
        if not len(self._spans):
            return ()
        entity_of = self.recording.entity_of
        digests = [c.digest for c in self.logs] if Input.LOGS in inputs else []
        graph = self.recording.topology if Input.GRAPH in inputs else Topology()
        callees = callees_of(graph, entity_of)
        channels = read_spans(self._spans, self.windows, entity_of, digests, callees)
        facts = facts_of_spans(_SPANS, self._spans, channels, self.windows, entity_of)
        return (SpanCall(_SPANS, self._spans, channels, facts),)

    def ranking(self, inputs: frozenset[Input]) -> Ranking:
        """Rank the candidates by some of the inputs."""
        recording = self.recording
        groups: list[tuple[Finding, ...]] = []
        if Input.METRICS in inputs:
            groups.append(self.metric_findings)
        if Input.LOGS in inputs:
            groups.append(self.log_findings)
        spans = self._span_calls(inputs) if Input.TRACES in inputs else ()
        logs = self.logs if Input.LOGS in inputs else ()
        groups += [findings_from_spans(call, logs) for call in spans]
        return rank_causes(
            RankingInput(
                entity_of=recording.entity_of,
                metrics=(self.metrics,) if Input.METRICS in inputs else (),
                logs=logs,
                spans=spans,
                findings=number_findings(*groups),
                topology=recording.topology if Input.GRAPH in inputs else Topology(),
                entities=recording.candidates,
                alert=self.sight.focus,
                limit=len(recording.candidates),
            )
        )


def _until(series: SeriesSet, windows: Windows, end_ms: int) -> SeriesSet:
    """Drop the samples after the end that are in no baseline."""
    kept = series.times <= end_ms
    for window in windows.baselines:
        kept |= (series.times >= window.start_ms) & (series.times <= window.end_ms)
    total = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)])
    return SeriesSet(series.labels, total[series.offsets], series.times[kept], series.values[kept])


@dataclass(frozen=True, slots=True)
class Run:
    """What a ranking took."""

    seconds: float
    """Of one core; the reading of files is left out, but for that of log records and spans."""
    peak_bytes: int
    """Most memory that the process held meanwhile; 0 where the system does not tell."""

    def __add__(self, other: "Run") -> "Run":
        return Run(self.seconds + other.seconds, max(self.peak_bytes, other.peak_bytes))


def run_core(seen: Seen, inputs: frozenset[Input]) -> tuple[Ranking, Run]:
    """Rank by the inputs given; what an earlier run prepared is not prepared again."""
    _forget_peak()
    began = time.process_time()
    ranking = seen.ranking(inputs)
    return ranking, Run(time.process_time() - began, _peak_bytes())


_PEAK_RESET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


def _forget_peak() -> None:
    try:
        _PEAK_RESET.write_text("5", encoding="ascii")
    except OSError:
        return  # not a system that can


def _peak_bytes() -> int:
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(ln.split()[1]) * 1024 for ln in lines if ln.startswith("VmHWM:")), 0)
