"""Run whole diagnoses on folders of labelled cases, each from a copy under a random name.

Only the label keys that a recording may carry (`entry`, `alert_metric`, `inject_time`,
`alert_time`, `end_time`, `normal`) are copied; the truth stays behind and is read for scoring.

    python benchmarks/labelled_cases.py --data DIR [--cases N] [--json]

``DIR`` holds ``<set>/cases/<case>/label.json`` with the telemetry beside it.
"""

import argparse
import json
import os
import secrets
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superbizagent.cli.session import finish
from superbizagent.domain.entity import Entity

ALLOWED = ("entry", "alert_metric", "inject_time", "alert_time", "end_time", "normal")


@dataclass
class Score:
    """What the cases of one set came to."""

    cases: int = 0
    first: int = 0
    first_three: int = 0
    chance: float = 0.0
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    named: int = 0
    named_right: int = 0


def main() -> None:
    """Score every set below ``--data``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=["nezha-tt", "nezha-ob", "petshop"])
    parser.add_argument("--cases", type=int, default=None, help="at most this many of a set")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    scores = {name: run_set(args.data / name / "cases", args.cases) for name in args.sets}
    rows = {name: summary(score) for name, score in scores.items()}
    print(json.dumps(rows, indent=2) if args.json else table(rows))


def run_set(folder: Path, most: int | None) -> Score:
    """Diagnose the cases of one set."""
    score = Score()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SUPERBIZ_DATA_DIR"] = f"{scratch}/data"
        cases = sorted(p for p in folder.iterdir() if (p / "label.json").is_file())
        for case in cases[:most]:
            label = json.loads((case / "label.json").read_text())
            run_case(score, anonymous(case, label, Path(scratch)), label)
    return score


def anonymous(case: Path, label: dict[str, Any], scratch: Path) -> Path:
    """Copy a case under a random name, without its truth."""
    root = scratch / secrets.token_hex(6)
    target = root / secrets.token_hex(6)
    shutil.copytree(case, target)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    kept = {key: label[key] for key in ALLOWED if key in label}
    (target / "label.json").write_text(json.dumps(kept))
    normal = case.parent / "_normal"
    if normal.is_dir():
        (root / "_normal").symlink_to(normal.resolve())
    return target


def run_case(score: Score, folder: Path, label: dict[str, Any]) -> None:
    """Diagnose one case and add what it came to."""
    began = time.perf_counter()
    finished = finish({"bundle": str(folder), "quiet": True, "lang": "en"})
    score.seconds += time.perf_counter() - began
    right = set(label["root_causes"])
    ranked = [Entity.parse(c.entity).name for c in finished.diagnosis.analysis.candidates]
    report = finished.diagnosis.checked.report
    named = report.verdict.value in {"root_cause_found", "likely"}
    score.cases += 1
    score.first += bool(ranked and ranked[0] in right)
    score.first_three += bool(right & set(ranked[:3]))
    score.chance += len(right) / max(1, len([s for s in label["services"] if s != "_entry"]))
    score.verdicts[report.verdict.value] += 1
    score.named += named
    score.named_right += named and Entity.parse(report.entity).name in right


def summary(score: Score) -> dict[str, Any]:
    """Return shares of one set."""
    n = max(1, score.cases)
    return {
        "cases": score.cases,
        "top1": round(score.first / n, 3),
        "top3": round(score.first_three / n, 3),
        "chance": round(score.chance / n, 3),
        "named": score.named,
        "named_right": score.named_right,
        "seconds_per_case": round(score.seconds / n, 3),
        "verdicts": dict(sorted(score.verdicts.items())),
    }


def table(rows: dict[str, dict[str, Any]]) -> str:
    """Return one line a set."""
    head = f"{'set':10} {'n':>3} {'top1':>6} {'top3':>6} {'chance':>7} {'named':>6} {'right':>6}"
    lines = [f"{head} {'s':>6}"]
    lines += [
        f"{name:10} {r['cases']:>3} {r['top1']:>6} {r['top3']:>6} {r['chance']:>7}"
        f" {r['named']:>6} {r['named_right']:>6} {r['seconds_per_case']:>6}  {r['verdicts']}"
        for name, r in rows.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
