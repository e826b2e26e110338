"""Check the saved clusters: every file parses, times agree, and the truth names what is there."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from benchmarks.kubernetes.objects import Json, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
MOST_BYTES = 6_000_000
FAULTS = frozenset(
    [
        "pending_cpu",
        "pending_memory",
        "pending_taint",
        "pending_affinity",
        "pending_pvc",
        "image_pull",
        "oom_killed",
        "crash_loop_config",
        "crash_loop_error",
        "liveness_probe",
        "readiness_probe",
        "startup_probe",
        "missing_configmap",
        "missing_secret",
        "missing_service_account",
        "wrong_selector",
        "wrong_port",
        "node_not_ready",
        "node_pressure_eviction",
        "quota_exceeded",
        "volume_mount",
        "volume_attach",
        "cpu_throttling",
        "deploy_stuck_rollout",
    ]
)
KINDS = frozenset(
    [
        "cpu",
        "memory",
        "disk",
        "network_delay",
        "network_loss",
        "code_error",
        "wrong_result",
        "dependency",
        "pool_exhaustion",
        "connection_leak",
        "connection_limit",
        "lock_wait",
        "slow_query",
        "traffic",
        "deploy",
        "config",
        "restart",
        "certificate",
        "unknown",
    ]
)
VERDICTS = frozenset(("root_cause_found", "likely", "healthy", "inconclusive"))
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_HOUR = timedelta(hours=1)


def read(path: Path) -> Any:
    """Return a JSON or YAML file's body; raises `ValueError` or `yaml.YAMLError`."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)


def objects_in(body: Any) -> Iterator[Json]:
    """Yield the API objects of a saved list, or of a single object."""
    if not isinstance(body, dict):
        return
    found = cast("Json", body)
    kind = str(found.get("kind", ""))
    if "items" not in found:
        yield found
        return
    for item in found["items"]:
        yield item if "kind" in item else {"kind": kind.removesuffix("List"), **item}


def check_case(folder: Path) -> list[str]:
    """Return what is wrong with one case, a line each."""
    truth: Json = yaml.safe_load((folder / "truth.yaml").read_text(encoding="utf-8"))
    captured = datetime.fromisoformat(truth["captured_at"])
    wrong = _truth(truth)
    files = sorted(path for path in (folder / "kubernetes").rglob("*") if path.is_file())
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for fault in truth.get("faults", []):
        if (name := fault["entity"][0]["name"]) not in text:
            wrong.append(f"{name} stands in no file")
    found: list[Json] = []
    for path in files:
        if path.suffix in {".json", ".yaml", ".yml"}:
            items = list(objects_in(read(path)))
            found += items
            for item in items:
                wrong += [f"{path.name}: {line}" for line in _times(item, captured)]
        elif path.name.startswith("events"):
            wrong += [f"{path.name}: {line}" for line in _table_ages(path)]
    wrong += _births(found)
    alert = folder / "alert.json"
    if alert.exists():
        for row in read(alert)["alerts"]:
            began = datetime.fromisoformat(row["startsAt"])
            if not captured - _HOUR <= began <= captured:
                wrong.append(f"the alert starts at {began}")
    return [f"{folder.parent.name}/{folder.name}: {line}" for line in wrong]


def _truth(truth: Json) -> list[str]:
    wrong = [] if VERDICTS.issuperset(truth["verdict"]) else [f"verdict {truth['verdict']}"]
    for fault in truth.get("faults", []):
        if fault["fault"] not in FAULTS:
            wrong.append(f"fault {fault['fault']}")
        if not KINDS.issuperset(fault["fault_kind"]):
            wrong.append(f"fault_kind {fault['fault_kind']}")
    return wrong


def _times(item: Json, captured: datetime) -> list[str]:
    """Check one object: nothing lies in the future, events in the last hour, ends after starts."""
    about: Json = item.get("metadata", {})
    name = f"{item.get('kind')} {about.get('name')}"
    wrong = [
        f"{name} holds the future time {found}"
        for found in _TIME.findall(json.dumps(item))
        if datetime.fromisoformat(found) > captured
    ]
    if item.get("kind") == "Event":
        series: Json = item.get("series") or {}
        last: str = series.get("lastObservedTime") or item.get("lastTimestamp") or item["eventTime"]
        first: str = item.get("firstTimestamp") or item["eventTime"]
        if datetime.fromisoformat(last) < captured - _HOUR:
            wrong.append(f"{name} was last seen at {last}")
        if datetime.fromisoformat(first) > datetime.fromisoformat(last):
            wrong.append(f"{name} ends before it begins")
    for row in item.get("status", {}).get("containerStatuses", []):
        wrong += [f"{name}: {line}" for line in _runs(row, about["creationTimestamp"])]
    return wrong


def _births(items: list[Json]) -> list[str]:
    """Check that nothing is older than its owner, and no event older than its object."""
    born: dict[str, str] = {
        item["metadata"]["uid"]: item["metadata"]["creationTimestamp"] for item in items
    }
    wrong: list[str] = []
    for item in items:
        about: Json = item["metadata"]
        wrong += [
            f"{item['kind']} {about['name']} is older than its owner"
            for ref in about.get("ownerReferences", [])
            if born.get(ref["uid"], "") > about["creationTimestamp"]
        ]
        if item["kind"] == "Event":
            first: str = item.get("firstTimestamp") or item["eventTime"]
            if first[:19] < born.get(item["involvedObject"]["uid"], "")[:19]:
                wrong.append(f"the event {about['name']} is older than its object")
    return wrong


def _runs(row: Json, born: str) -> list[str]:
    """Check that a container's last run lies before the present one, within the pod's life."""
    wrong: list[str] = []
    last: Json = row["lastState"].get("terminated") or {}
    now: Json = row["state"].get("running") or row["state"].get("terminated") or {}
    if bool(last) != bool(row["restartCount"]):
        wrong.append(f"{row['restartCount']} restarts do not fit its last state")
    if last:
        began, finished = str(last["startedAt"]), str(last["finishedAt"])
        # The runtime gives a container that it could not start the epoch as its start.
        if not (born <= began or began.startswith("1970")) or not began <= finished:
            wrong.append(f"its last run was {began} to {finished}, born {born}")
        if now and now["startedAt"] < finished:
            wrong.append(f"it runs since {now['startedAt']}, before the last run's end")
    return wrong


def _table_ages(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    column = lines[0].index("LAST SEEN")
    ages = [re.split(r"\s", line[column:], maxsplit=1)[0] for line in lines[1:]]
    return [f"an event is {age} old" for age in ages if seconds(age) > _HOUR.total_seconds()]


def check_all(root: Path = HERE) -> list[str]:
    """Return what is wrong with the cases of all sets under `root`, a line each."""
    folders = sorted(path.parent for path in root.glob("*/*/truth.yaml"))
    wrong = [line for folder in folders for line in check_case(folder)]
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        wrong.append(f"{size} bytes are more than {MOST_BYTES}")
    return wrong


if __name__ == "__main__":
    raise SystemExit("\n".join(check_all()) or None)
