"""Score the analysis core on folders of labelled incidents: Top-1 and Top-3 beside chance.

    python benchmarks/analysis.py --data DIR [--set NAME] [--speed] [--json]

A case folder of ``--data`` holds ``label.json``, ``metrics.csv.gz`` (``time``, then one column per
``<service>|<metric>``), ``graph.csv`` and, where there are any, ``logs.csv.gz``; normal telemetry
may stand in ``cases/_normal/<name>``. The label's cause is read only to score the answer.

``--speed``: 100,000 series on this machine. Logs have their own: ``superbiz eval logs``,
``benchmarks.log_speed`` and ``benchmarks.log_needles``.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from superbizagent.analysis.alert_channel import AlertFocus
from superbizagent.analysis.calls import LogCall, MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series
from superbizagent.analysis.families import meaning_of
from superbizagent.analysis.findings import findings_from_series, number_findings
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.domain.finding import CandidateCause
from superbizagent.domain.logs import SEVERITIES, LogChunk, LogDigest, LogFile
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms

SETS = ("petshop", "nezha-ob", "nezha-tt")


@dataclass(frozen=True)
class Case:
    """One labelled incident, read."""

    name: str
    causes: frozenset[str]
    fault: str
    series: SeriesSet
    windows: Windows
    topology: Topology
    step: timedelta
    alert: AlertFocus | None
    folder: Path
    normal: Path | None


def entity_of(labels: Labels) -> str | None:
    """Return the entity path of a service label; hosts and the front door are no candidates."""
    name = labels.get("service", "")
    return f"//service/{name}" if name and not name.startswith(("node:", "_entry")) else None


def read_cases(root: Path) -> Iterator[Case]:
    """Yield the cases of one set in name order."""
    for folder in sorted((root / "cases").iterdir()):
        if not folder.name.startswith("_"):
            yield read_case(folder)


def read_case(folder: Path) -> Case:
    """Read one case folder."""
    label: dict[str, Any] = json.loads((folder / "label.json").read_text())
    normal = folder.parent / "_normal" / label["normal"] if label.get("normal") else None
    frames = [pl.read_csv(folder / "metrics.csv.gz", infer_schema_length=None)]
    if normal is not None and (normal / "metrics.csv.gz").exists():
        frames.insert(0, pl.read_csv(normal / "metrics.csv.gz", infer_schema_length=None))
    series = series_of(frames)
    times = frames[-1]["time"].cast(pl.Float64).to_numpy()
    begin = float(label["inject_time"] or times.min())
    end = float(label.get("end_time") or times.max())
    incident = Window(start=from_ms(begin * 1000), end=from_ms(end * 1000 - 1))
    first = float(frames[0]["time"].cast(pl.Float64).to_numpy().min())
    last = float(frames[0]["time"].cast(pl.Float64).to_numpy().max())
    far = len(frames) > 1 or first > begin
    before = Window(
        start=from_ms(first * 1000), end=from_ms(last * 1000 if far else begin * 1000 - 1)
    )
    return Case(
        name=folder.name,
        causes=frozenset(f"//service/{n}" for n in label["root_causes"]),
        fault=label["fault"],
        series=series,
        windows=Windows(incident=incident, baselines=(before,)),
        topology=topology_of(folder / "graph.csv"),
        step=timedelta(seconds=float(np.median(np.diff(times)))),
        alert=alert_of(label),
        folder=folder,
        normal=normal,
    )


def series_of(frames: list[pl.DataFrame]) -> SeriesSet:
    """Return the columns of all frames as one set of series."""
    rows: dict[str, list[tuple[Any, Any]]] = {}
    for frame in frames:
        times = np.round(frame["time"].cast(pl.Float64).to_numpy() * 1000).astype(np.int64)
        for name in frame.columns[1:]:
            values = frame[name].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
            rows.setdefault(name, []).append((times, values))
    return SeriesSet.of(
        (
            {"service": name.split("|")[0], "__name__": name.split("|")[1]},
            np.concatenate([t for t, _ in parts]),
            np.concatenate([v for _, v in parts]),
        )
        for name, parts in rows.items()
    )


def topology_of(path: Path) -> Topology:
    """Return the call graph of a case, empty when there is none."""
    if not path.exists():
        return Topology()
    rows = pl.read_csv(path).iter_rows()
    return Topology(edges=tuple(Edge(caller=str(a), callee=str(b)) for a, b in rows))


def alert_of(label: dict[str, Any]) -> AlertFocus | None:
    """Return what fired, when the case has an alert."""
    if not label.get("alert_metric") or not label.get("alert_time"):
        return None
    service, metric = str(label["alert_metric"]).split("|")
    return AlertFocus(
        entry=f"//service/{service}",
        family=meaning_of({"__name__": metric}).family,
        at=from_ms(float(label["alert_time"]) * 1000),
    )


def diagnose(case: Case) -> Ranking:
    """Run the core on one case."""
    deviations = measure(case.series, case.windows, case.step)
    facts = facts_of_series(1, case.series, deviations, entity_of, len(case.series))
    findings = number_findings(findings_from_series(case.series, deviations, facts, entity_of))
    return rank_causes(
        RankingInput(
            entity_of=entity_of,
            metrics=(MetricCall(1, case.series, deviations, facts),),
            logs=tuple(LogCall(2, d) for d in digests(case)),
            findings=findings,
            topology=case.topology,
            alert=case.alert,
            limit=1000,
        )
    )


def digests(case: Case) -> tuple[LogDigest, ...]:
    """Return the log digest of a case that has logs: its normal capture against the incident."""
    if case.normal is None or not (case.folder / "logs.csv.gz").exists():
        return ()
    frames = [
        pl.read_csv(folder / "logs.csv.gz", infer_schema_length=0)
        for folder in (case.normal, case.folder)
    ]
    normal, faulty = (f["time"].cast(pl.Float64).to_numpy() * 1000 for f in frames)
    windows = Windows(
        incident=case.windows.incident,
        baselines=(Window(start=from_ms(normal.min()), end=from_ms(normal.max())),),
    )
    miner = LogMiner(windows)
    for times, frame in zip((normal, faulty), frames, strict=True):
        level = frame["message"].str.extract(
            r"(?-u:\b)(ERROR|WARN|INFO|DEBUG|FATAL|TRACE)(?-u:\b)", 1
        )
        codes = {s.upper(): k for k, s in enumerate(SEVERITIES)}
        body = frame["message"].str.replace(r"^[0-9:.]+ +[A-Z]+ +", "")
        miner.add(
            LogChunk(
                LogFile(path="logs", service="", size_bytes=0, digest=""),
                pl.DataFrame(
                    {
                        "time": times.astype(np.int64),
                        "severity": level.replace_strict(codes, default=0, return_dtype=pl.Int8),
                        "service": frame["service"],
                        "body": body,
                        "line": frame["message"],
                        "offset": np.arange(len(frame)),
                        "trace_id": frame["trace_id"],
                    }
                ),
            )
        )
    return (miner.digest(),)


def rank_of(case: Case, ranked: tuple[CandidateCause, ...]) -> float:
    """Return the rank of the true cause, ties by average rank; infinite when it is absent."""
    scores = [c.score for c in ranked]
    best = float("inf")
    for candidate in ranked:
        if candidate.entity in case.causes:
            above = sum(s > candidate.score for s in scores)
            level = sum(s == candidate.score for s in scores)
            best = min(best, above + (level + 1) / 2)
    return best


def chance(case: Case) -> float:
    """Return the probability of naming a true cause by drawing one entity."""
    names = {e for labels in case.series.labels if (e := entity_of(labels))}
    return len(names & case.causes) / max(1, len(names))


def score(root: Path) -> dict[str, Any]:
    """Return the scores of one set: of all suspects, and of candidates that reached the bar."""
    ranks: list[float] = []
    gated: list[float] = []
    chances: list[float] = []
    sure: list[bool] = []
    seconds = 0.0
    for case in read_cases(root):
        started = time.process_time()
        ranking = diagnose(case)
        seconds += time.process_time() - started
        ranks.append(rank_of(case, ranking.suspects))
        gated.append(rank_of(case, ranking.candidates))
        chances.append(chance(case))
        if ranking.margin >= 0.6:
            sure.append(gated[-1] <= 1)
        print(
            f"  {case.name:58s} rank {ranks[-1]:<5} gated {gated[-1]:<5} "
            f"margin {ranking.margin:.2f} candidates {len(ranking.candidates)}"
        )
    n = len(ranks)
    low, high = _interval(np.array(ranks) <= 1)
    return {
        "set": root.name,
        "cases": n,
        "top1": round(sum(r <= 1 for r in ranks) / n, 3),
        "top1_95": [low, high],
        "top3": round(sum(r <= 3 for r in ranks) / n, 3),
        "avg5": round(sum(sum(r <= k for r in ranks) for k in range(1, 6)) / n / 5, 3),
        "chance": round(float(np.mean(chances)), 3),
        "gated_top1": round(sum(r <= 1 for r in gated) / n, 3),
        "answered": sum(r < np.inf for r in gated),
        "sure": len(sure),
        "sure_right": sum(sure),
        "seconds_a_case": round(seconds / n, 3),
    }


def _interval(hits: Any) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a share."""
    draws = np.random.default_rng(0).choice(hits, (2000, len(hits))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return round(float(low), 2), round(float(high), 2)


def speed() -> dict[str, float]:
    """Return CPU seconds for 100,000 series of 60 samples."""
    n, length = 100_000, 60
    random = np.random.default_rng(0)
    labels = tuple({"__name__": f"m{k % 500}", "service": f"s{k // 500}"} for k in range(n))
    times = np.tile(1_790_000_000_000 + 15_000 * np.arange(length), n)
    series = SeriesSet(labels, np.arange(n + 1) * length, times, random.normal(10, 1, n * length))
    start = from_ms(int(times[0]))
    begin = start + timedelta(seconds=45 * 15)
    windows = Windows(
        incident=Window(start=begin, end=from_ms(int(times[-1]))),
        baselines=(Window(start=start, end=begin - timedelta(seconds=30)),),
    )
    begun = time.process_time()
    measure(series, windows, timedelta(seconds=15))
    measured = time.process_time() - begun
    return {"measure_seconds": round(measured, 2)}


def main() -> None:
    """Print what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with sets of labelled incidents")
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    folders = [args.data / name for name in args.set or SETS] if args.data else []
    results = [score(folder) for folder in folders if (folder / "cases").is_dir()]
    if args.speed:
        results.append(speed())
    for result in results:
        words = "  ".join(f"{k} {v}" for k, v in result.items())
        print(json.dumps(result) if args.json else words)


if __name__ == "__main__":
    main()
