"""A labelled case in the wide form: its name and its truth change nothing."""

import csv
import json
import math
from pathlib import Path
from typing import Any

from diagnosing import diagnose, report_of

START, STEP, FAULT, END = 1_700_000_000, 60, 1_700_001_800, 1_700_002_100
SERVICES = ("gateway", "orders", "stock", "mail")
LABEL = {
    "entry": "gateway",
    "alert_metric": "gateway|latency_Average",
    "inject_time": FAULT,
    "end_time": END,
    "normal": None,
}
TRUTH = {"root_cause": "stock", "fault": "cpu", "case": "stock_cpu", "services": list(SERVICES)}


def write_case(folder: Path, label: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "label.json").write_text(json.dumps(label))
    with (folder / "graph.csv").open("w", newline="") as out:
        csv.writer(out).writerows(
            [("caller", "callee"), ("gateway", "orders"), ("orders", "stock"), ("orders", "mail")]
        )
    metrics = [(s, m) for s in SERVICES for m in ("CpuUsageRate", "latency_Average")]
    with (folder / "metrics.csv").open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["time", *(f"{s}|{m}" for s, m in metrics)])
        for n, at in enumerate(range(START, END + 1, STEP)):
            rows.writerow([at, *(value(s, m, n, at) for s, m in metrics)])
    return folder


def value(service: str, metric: str, n: int, at: int) -> float:
    """Quiet waves; from the fault on `stock` burns, and it and its callers are slow."""
    wave = 1 + 0.05 * math.sin(n * 1.7 + len(service))
    hurt = at >= FAULT and service != "mail"
    if metric == "CpuUsageRate":
        return 0.2 * wave + (0.7 if at >= FAULT and service == "stock" else 0)
    return 0.02 * wave + (0.5 if hurt else 0)


def test_renamed_folder_without_its_truth_gives_the_same_report(tmp_path: Path) -> None:
    told = write_case(tmp_path / "stock_cpu_burn", LABEL | TRUTH)
    silent = write_case(tmp_path / "q7f3", LABEL)
    first = diagnose(told, tmp_path / "data").session
    second = diagnose(silent, tmp_path / "data").session
    assert first.report_digest == second.report_digest
    assert "stock_cpu" not in (first.final_report or "")


def test_the_burning_service_leads_the_ranking(tmp_path: Path) -> None:
    finished = diagnose(write_case(tmp_path / "case", LABEL), tmp_path / "data")
    assert finished.diagnosis.analysis.candidates[0].entity.endswith("/stock")
    assert report_of(finished).frame.windows.incident.start.timestamp() == FAULT
