"""Write the figures of docs/evaluation.md anew, from labelled data that stay where they are.

    python -m tools.write_evaluation [--rca DIR] [--alerts DIR] [--logs DIR] [--anomaly DIR]

The page holds blocks between `<!-- measured: NAME -->` and `<!-- end -->`; only those whose data
are given are written. Run as `make evaluation RCA=DIR ALERTS=DIR LOGS=DIR
ANOMALY=DIR`.
"""

import argparse
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from superbizagent.cli.measuring import measure_alone
from superbizagent.evaluation.alert_lists.cases import read_systems
from superbizagent.evaluation.alert_lists.score import score_system
from superbizagent.evaluation.alert_lists.summary import alerts_json
from superbizagent.evaluation.anomaly.labelled_series import series_below
from superbizagent.evaluation.anomaly.score import anomaly_json, score_anomaly
from superbizagent.evaluation.logs import score_logs
from superbizagent.evaluation.logs_summary import logs_json
from superbizagent.evaluation.rca.recordings import cases_of
from superbizagent.evaluation.rca.score import Plan, score_rca
from superbizagent.evaluation.rca.summary import rca_json
from superbizagent.evaluation.rca.verdicts import score_verdicts, verdicts_json
from tools._evaluation_blocks import alerts_block, anomaly_block, logs_block, verdicts_block

__all__ = ["rca_block", "with_block"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evaluation.md"
Found = Mapping[str, Any]

_TITLES = {
    "exact": "Time of the fault known",
    "alert": "An alert two to five minutes later, the start unknown",
    "none": "No time given: the whole capture",
}
_METHODS = {"nsigma": "N-sigma", "baro": "BARO-like"}
_LEVELS = {"built_in": "the bar of all systems", "learnt": "what was learnt of the system"}


def with_block(page: str, name: str, text: str) -> str:
    """Return a page with other text in one of its blocks.

    Raises:
        ValueError: when it has no such block.
    """
    block = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not block.search(page):
        raise ValueError(f"no block {name!r}")
    return block.sub(lambda m: f"{m[1]}\n{text}\n\n{m[2]}", page)


def rca_block(found: Found) -> str:
    """Return tables of what `rca_json` returned."""
    parts: list[str] = []
    for time, part in found["times"].items():
        parts += [f"### {_TITLES[time]}", "", *_figures(part), "", *_faults(part), ""]
        parts += [*_margins(part), ""]
    parts += ["### Healthy windows", "", *_healthy(found["healthy"])]
    return "\n".join(parts)


def _figures(part: Found) -> Iterator[str]:
    yield "| Set (cases) | Ranked by | AC@1 [95 %] | AC@3 | AC@5 | Avg@5 | MRR |"
    yield "|---|---|---|---|---|---|---|"
    for name, one in part["sets"].items():
        yield f"| {name} ({one['cases']}) | chance | {one['chance']:.3f} | | | | |"
        for inputs, figures in one["inputs"].items():
            yield _row(f"core: {inputs.replace(',', ', ')}", figures)
        for method, figures in one["baselines"].items():
            yield _row(f"{_METHODS[method]} ({figures['variant']})", figures)
        for method, (top1, top3, avg5) in one["reference"].items():
            title = "prototype" if method == "core" else _METHODS[method]
            yield f"| | *earlier study: {title}* | {top1:.2f} | {top3:.2f} | | {avg5:.2f} | |"


def _row(title: str, figures: Found) -> str:
    first, low, high = figures["ac1"]
    rest = " | ".join(f"{figures[k][0]:.3f}" for k in ("ac3", "ac5", "avg5", "mrr"))
    return f"| | {title} | {first:.3f} [{low:.2f}, {high:.2f}] | {rest} |"


def _faults(part: Found) -> Iterator[str]:
    yield "| Set | Fault | Cases | AC@1 | AC@3 | MRR |"
    yield "|---|---|---|---|---|---|"
    for name, one in part["sets"].items():
        for fault, figures in one["faults"].items():
            values = " | ".join(f"{figures[k][0]:.2f}" for k in ("ac1", "ac3", "mrr"))
            yield f"| {name} | {fault} | {figures['cases']} | {values} |"
    yield ""
    for name, one in part["sets"].items():
        missed = ", ".join(f"{n} {_MISSES[why]}" for why, n in one["misses"].items()) or "none"
        kinds = one["kinds"]
        told = (
            f"; kind of fault right of {_of(kinds['of_truth'])} true entities, and both right of"
            f" {_of(kinds['both'])}"
        )
        yield f"- {name}: missed {missed}{told if kinds['of_truth']['total'] else ''}."


_MISSES = {
    "absent": "without any score",
    "tied": "tied with another",
    "caller": "behind a caller",
    "callee": "behind a callee",
    "other": "behind another service",
}


def _of(share: Found) -> str:
    return f"{share['hits']} of {share['total']}"


def _margins(part: Found) -> Iterator[str]:
    yield "| Margin at least | Coverage | Precision |"
    yield "|---|---|---|"
    for margin, at in part["margins"].items():
        precision = "-" if at["precision"] is None else f"{at['precision']:.2f}"
        yield f"| {margin} | {at['coverage']:.2f} | {precision} |"
    pooled = part["left_out"].get("pooled")
    if pooled:
        words = [
            f"{pooled[key]['right']} of {pooled[key]['answered']} {title}"
            for key, title in (("root_cause_found", "sure"), ("likely", "likely"))
        ]
        yield ""
        yield (
            f"With margins fitted on the other sets alone: {' and '.join(words)} answers right, of"
            f" {pooled['cases']} cases."
        )


def _healthy(found: Found) -> Iterator[str]:
    yield "| Set | Judged by | False alarms [95 %] | Faults detected [95 %] |"
    yield "|---|---|---|---|"
    for name, one in found.items():
        for level, title in _LEVELS.items():
            shares = " | ".join(_whole(one[level][k]) for k in ("false_alarms", "detected"))
            yield f"| {'all' if name == 'pooled' else name} | {title} | {shares} |"
    yield ""
    beside = sum(one["healthy_with_spans_or_logs"] for n, one in found.items() if n != "pooled")
    yield f"Spans or log records could be looked at in {beside} of the healthy windows."


def _whole(share: Found) -> str:
    if share["share"] is None:
        return "-"
    low, high = share["interval"]
    return f"{_of(share)}: {share['share']:.1%} [{low:.1%}, {high:.1%}]"


def _measured(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every block that there are data for."""
    if args.rca:
        yield "rca", rca_block(rca_json(score_rca(cases_of(args.rca), Plan(), print)))
        judged = score_verdicts(cases_of(args.rca), measure_alone, print, os.cpu_count() or 1)
        yield "verdicts", verdicts_block(verdicts_json(list(judged)))
    if args.alerts:
        scored = [score_system(system) for system in read_systems(args.alerts)]
        yield "alerts", alerts_block(alerts_json(scored))
    if args.logs:
        yield "logs", logs_block(logs_json(list(score_logs(args.logs))))
    if args.anomaly:
        found = anomaly_json(score_anomaly(series_below(args.anomaly)))
        yield "anomaly", anomaly_block(found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what there are data for and write it into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rca", type=Path, help="folder of sets of labelled recordings")
    parser.add_argument("--alerts", type=Path, help="folder of systems with lists of alerts")
    parser.add_argument("--logs", type=Path, help="folder of systems with labelled lines")
    parser.add_argument("--anomaly", type=Path, help="folder with data/ and labels/")
    page = PAGE.read_text(encoding="utf-8")
    for name, text in _measured(parser.parse_args(arguments)):
        page = with_block(page, name, text)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
