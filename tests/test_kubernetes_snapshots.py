"""The saved clusters are what their scripts write, and agree with themselves."""

import shutil
from pathlib import Path

import pytest

from benchmarks.kubernetes import check_snapshots, make_snapshots, plans

ROOT = Path(make_snapshots.__file__).parent


def files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for name in plans.SETS
        for path in (root / name).rglob("*")
        if path.is_file()
    }


def test_the_scripts_write_the_committed_cases_byte_for_byte(tmp_path: Path) -> None:
    make_snapshots.build(tmp_path)
    assert files(tmp_path) == files(ROOT)


def test_nothing_is_wrong_with_any_case() -> None:
    assert check_snapshots.check_all() == []


@pytest.mark.parametrize("name", plans.SETS)
def test_each_set_has_every_fault_and_healthy_clusters(name: str) -> None:
    rows = plans.SETS[name]
    truths = [check_snapshots.read(ROOT / name / plan.folder / "truth.yaml") for plan in rows]
    faults = [row["fault"] for truth in truths for row in truth.get("faults", [])]
    assert check_snapshots.FAULTS.issuperset(faults)
    # The sixth set keeps to what is frequent.
    assert len(set(faults)) == (17 if name == "sixth" else len(check_snapshots.FAULTS))
    healthy = sum(truth.get("healthy", False) for truth in truths)
    assert healthy == {"fourth": 4, "fifth": 4, "sixth": 3}.get(name, 2)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("kubernetes/pods-events.json", '"restartCount": 7', '"restartCount": 0', "do not fit"),
        ("kubernetes/pods-events.json", "2026-06-02T14:4", "2027-06-02T14:4", "future"),
        ("truth.yaml", "fault: oom_killed", "fault: oom", "fault oom"),
        ("truth.yaml", "name: aggregator\n", "name: nobody\n", "nobody stands in no file"),
    ],
)
def test_the_check_finds_a_damaged_case(
    tmp_path: Path, name: str, old: str, new: str, told: str
) -> None:
    case = tmp_path / "foundry"
    shutil.copytree(ROOT / "dev" / "foundry", case)
    text = (case / name).read_text(encoding="utf-8")
    assert old in text
    (case / name).write_text(text.replace(old, new), encoding="utf-8")
    assert any(told in line for line in check_snapshots.check_case(case))
