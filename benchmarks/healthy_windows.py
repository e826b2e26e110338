"""Score the learnt baseline on labelled incidents: false alarms in healthy windows, and detection.

    python -m benchmarks.healthy_windows --data DIR [--set NAME] [--json]

The healthy windows of a case are as long as its fault and lie before it, each with its own past as
baseline; where a set has a recording of normal times, they are spread over that. What is learnt for
a window comes from the others of its set that share no minute with it.
"""

import argparse
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np

from benchmarks.analysis import SETS, Case, read_cases
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.health import health_of
from superbizagent.analysis.learnt import signals_of
from superbizagent.analysis.metric_channel import FamilyTable, tabulate
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, Windows, to_ms
from superbizagent.evaluation.healthy_windows import JudgedWindow, false_alarms_of, rates_text

_LEAST_SAMPLES = 15
_BASELINE = timedelta(minutes=30)


def entity_of(labels: Labels) -> str | None:
    """Return the entity path of a service label; the front door is an entity here, no host is."""
    name = labels.get("service", "")
    return f"//service/{name}" if name and not name.startswith("node:") else None


def judged_windows(root: Path) -> Iterator[JudgedWindow]:
    """Yield the faults of one set and its healthy windows, each once."""
    cases = list(read_cases(root))
    ends = [case.windows.incident.end for case in cases]
    seen: set[tuple[str, int]] = set()
    for case in cases:
        yield _judged(root.name, case, case.windows, is_faulty=True)
        for windows in _healthy(case):
            start, length = windows.incident.start, windows.incident.length
            # Cases of one day hold the same minutes, each from another second on.
            key = (case.normal.name if case.normal else "", int(start.timestamp() // 60))
            # What a fault did is still in the averages of the minutes after it.
            if key not in seen and not any(timedelta(0) <= start - e < length for e in ends):
                seen.add(key)
                yield _judged(root.name, case, windows, is_faulty=False)


def _judged(name: str, case: Case, windows: Windows, *, is_faulty: bool) -> JudgedWindow:
    table = _table(_within(case.series, windows), windows, case.step)
    return JudgedWindow(
        set=name,
        start=windows.incident.start,
        end=windows.incident.end,
        signals=signals_of(table),
        is_faulty=is_faulty,
        focus=("//service/_entry", f"//service/{case.entry}"),
        alarms=not health_of(table, {}).is_calm,
    )


def _table(series: SeriesSet, windows: Windows, step: timedelta) -> FamilyTable:
    deviations = measure(series, windows, step)
    return tabulate([MetricCall(1, series, deviations, ())], entity_of)


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
    fault, (before, *_) = case.windows.incident, case.windows.baselines
    length = fault.length
    if _has_recording(case):
        yield from _spread(case, before, length)
        return
    end = fault.start - case.step
    while (start := end - length) > before.start:
        stop = start - case.step
        first = max(before.start, stop - max(3 * length, _BASELINE))
        if first < stop:
            windows = Windows(
                incident=Window(start=start, end=end), baselines=(Window(start=first, end=stop),)
            )
            if _is_covered(case, windows):
                yield windows
        end -= case.step


def _has_recording(case: Case) -> bool:
    return case.normal is not None and (case.normal / "metrics.csv.gz").exists()


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
    windows = [w for name in args.set or SETS for w in judged_windows(args.data / name)]
    found = false_alarms_of(windows)
    if args.json:
        print(json.dumps({name: rates.as_json() for name, rates in found.items()}))
    else:
        print("\n".join(rates_text(found)))


if __name__ == "__main__":
    main()
