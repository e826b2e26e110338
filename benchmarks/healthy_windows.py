"""Score the learnt baseline on labelled incidents: false alarms in healthy windows, and detection.

    python -m benchmarks.healthy_windows --data DIR [--set NAME] [--json]

The healthy windows of a case are as long as its fault and lie before it, each with its own past as
baseline; where a set has a recording of normal times, they are spread over that. What is learnt for
a window comes from the others of its set that share no minute with it.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.health import health_of
from superbizagent.analysis.learnt import signals_of
from superbizagent.analysis.metric_channel import tabulate
from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, Windows, to_ms
from superbizagent.evaluation.healthy_windows import JudgedWindow, false_alarms_of, rates_text
from superbizagent.evaluation.rca.recordings import Recording, cases_of, read_recording
from superbizagent.evaluation.rca.timing import TimeMode, sight_of

SETS = ("petshop", "nezha-ob", "nezha-tt")
_LEAST_SAMPLES = 15
_BASELINE = timedelta(minutes=30)


@dataclass(frozen=True)
class Case:
    """One labelled incident, read."""

    recording: Recording
    windows: Windows
    """Of its fault, the time known."""

    @property
    def series(self) -> SeriesSet:
        """Every sample."""
        return self.recording.series

    @property
    def step(self) -> timedelta:
        """Sampling interval."""
        return self.recording.step

    @property
    def normal(self) -> str:
        """Name of the recording of normal times that has metrics, empty without."""
        times = self.series.times
        spans = self.recording.description.normal
        measured = any(((times >= w.start_ms) & (times <= w.end_ms)).any() for w in spans)
        return self.recording.label.normal or "" if measured else ""

    @property
    def entries(self) -> tuple[str, ...]:
        """Paths of what users enter by: the service, and the front door where it is measured."""
        names = (self.recording.description.entry, "_entry", "entry")
        found = (e for n in names if n for e in self.recording.catalogue.resolve(n).entities)
        return tuple(dict.fromkeys(e.path for e in found))

    def entity_of(self, labels: Labels) -> str | None:
        """Return the path of a service or the front door; no host counts."""
        entity = self.recording.catalogue.of_labels(labels, tuple(DEFAULT_LABEL_KINDS))
        return entity.path if entity is not None and entity.kind != "host" else None


def read_cases(root: Path, name: str) -> Iterator[Case]:
    """Yield the cases of a set of which the time of the fault is known."""
    for folder in cases_of(root, (name,)):
        recording = read_recording(folder)
        sight = sight_of(recording, TimeMode.EXACT)
        if sight is not None and recording.label.inject_time is not None:
            yield Case(recording, sight.scope.windows)


def judged_windows(root: Path, name: str) -> Iterator[JudgedWindow]:
    """Yield the faults of one set and its healthy windows, each once."""
    cases = list(read_cases(root, name))
    ends = [case.windows.incident.end for case in cases]
    seen: set[tuple[str, int]] = set()
    for case in cases:
        yield _judged(name, case, case.windows, is_faulty=True)
        for windows in _healthy(case):
            start, length = windows.incident.start, windows.incident.length
            # Cases of one day hold the same minutes, each from another second on.
            key = (case.normal, int(start.timestamp() // 60))
            # What a fault did is still in the averages of the minutes after it.
            if key not in seen and not any(timedelta(0) <= start - e < length for e in ends):
                seen.add(key)
                yield _judged(name, case, windows, is_faulty=False)


def _judged(name: str, case: Case, windows: Windows, *, is_faulty: bool) -> JudgedWindow:
    series = _within(case.series, windows)
    deviations = measure(series, windows, case.step)
    table = tabulate([MetricCall(1, series, deviations, ())], case.entity_of)
    return JudgedWindow(
        set=name,
        start=windows.incident.start,
        end=windows.incident.end,
        signals=signals_of(table),
        is_faulty=is_faulty,
        focus=case.entries,
        alarms=not health_of(table, {}).is_calm,
    )


def _within(series: SeriesSet, windows: Windows) -> SeriesSet:
    """Return the samples that a look at these windows would have brought."""
    spans = (windows.incident, *windows.baselines)

    def kept() -> Iterator[tuple[Labels, np.ndarray, np.ndarray]]:
        for one in series:
            inside = np.zeros(len(one.times), np.bool_)
            for span in spans:
                inside |= (one.times >= span.start_ms) & (one.times <= span.end_ms)
            yield one.labels, one.times[inside], one.values[inside]

    return SeriesSet.of(kept())


def _healthy(case: Case) -> Iterator[Windows]:
    fault, extent = case.windows.incident, case.recording.description.extent
    length = fault.length
    if case.normal:
        for normal in case.recording.description.normal:
            yield from _spread(case, normal, length)
        return
    end = fault.start - case.step
    while (start := end - length) > (extent.start if extent else start):
        stop = start - case.step
        first = max(extent.start if extent else stop, stop - max(3 * length, _BASELINE))
        if first < stop:
            windows = Windows(
                incident=Window(start=start, end=end), baselines=(Window(start=first, end=stop),)
            )
            if _is_covered(case, windows):
                yield windows
        end -= case.step


def _spread(case: Case, normal: Window, length: timedelta) -> Iterator[Windows]:
    """Windows over the second half of a recording of normal times, all before them as baseline."""
    free = normal.length / 2 - length
    count = int(2 * free / length)
    for k in range(count):
        start = normal.start + normal.length / 2 + free * k / count
        windows = Windows(
            incident=Window(start=start, end=start + length),
            baselines=(Window(start=normal.start, end=start - case.step),),
        )
        if _is_covered(case, windows):
            yield windows


def _is_covered(case: Case, windows: Windows) -> bool:
    """Tell whether two thirds of the samples due are there, and enough before them."""
    times = np.unique(case.series.times)
    incident, (baseline,) = windows.incident, windows.baselines

    def count(span: Window) -> int:
        inside = (times >= to_ms(span.start)) & (times <= to_ms(span.end))
        return int(np.count_nonzero(inside))

    due = incident.length / case.step * 2 / 3
    return count(incident) >= max(1.0, due) and count(baseline) >= _LEAST_SAMPLES


def main() -> None:
    """Print what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with sets of incidents")
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    windows = [w for name in args.set or SETS for w in judged_windows(args.data, name)]
    found = false_alarms_of(windows)
    if args.json:
        print(json.dumps({name: rates.as_json() for name, rates in found.items()}))
    else:
        print("\n".join(rates_text(found)))


if __name__ == "__main__":
    main()
