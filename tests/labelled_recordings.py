"""Labelled recordings made for tests: a shop of five services, one of which becomes busy."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

SERVICES = ("web", "cart", "pay", "stock", "mail")
INJECT = 1_700_000_000
STEP = 30
BEFORE, DURING = 80, 10


def write_case(
    folder: Path,
    cause: str = "pay",
    fault: str = "cpu_contention",
    *,
    strength: float = 8.0,
    seed: int = 0,
    **label: Any,
) -> Path:
    """Write one case; keys of ``label`` replace those of its label, None takes one away."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    times = INJECT + STEP * np.arange(-BEFORE, DURING)
    columns: dict[str, np.ndarray] = {}
    for name in SERVICES:
        busy = 0.2 + 0.02 * random.normal(size=len(times))
        slow = 0.05 + 0.004 * random.normal(size=len(times))
        if name == cause:
            busy[BEFORE:] *= strength
            slow[BEFORE:] *= strength
        if name == "web":
            slow[BEFORE:] *= max(1.0, strength / 2)
        columns[f"{name}|cpu_usage"] = busy
        columns[f"{name}|latency_p95"] = slow
    rows = [[t, *(round(float(v[k]), 6) for v in columns.values())] for k, t in enumerate(times)]
    lines = [",".join(map(str, row)) for row in (["time", *columns], *rows)]
    table = "\n".join(lines) + "\n"
    (folder / "metrics.csv.gz").write_bytes(gzip.compress(table.encode()))
    graph = "caller,callee\nweb,cart\nweb,pay\ncart,stock\npay,mail\n"
    (folder / "graph.csv").write_text(graph)
    told = {
        "root_cause": cause,
        "fault": fault,
        "inject_time": INJECT,
        "end_time": INJECT + STEP * DURING,
        "entry": "web",
        **label,
    }
    text = json.dumps({k: v for k, v in told.items() if v is not None})
    (folder / "label.json").write_text(text)
    return folder


def write_set(root: Path, name: str = "shop", causes: tuple[str, ...] = SERVICES[1:]) -> Path:
    """Write a set with a case for each cause."""
    for k, cause in enumerate(causes):
        write_case(root / name / "cases" / f"case-{k}-{cause}", cause, seed=k)
    return root
