"""``superbiz eval`` as a user types it."""

import json
import shutil
from pathlib import Path

import pytest

from commanding import Superbiz
from scoring import BUNDLES

CASE = BUNDLES / "late-deploy"
FIRED = "The alert HighLatency fired at 17:25."
EXAMPLES = Path(__file__).parents[2] / "examples"
NEVER = "The alert DiskFull fired at 17:25."


def _labels(folder: Path) -> Path:
    line = {"id": "t1", "case": str(CASE), "lang": "en", "kind": "time", "text": FIRED}
    story = {
        "id": "s1",
        "case": str(CASE),
        "lang": "en",
        "kind": "wrong_cause",
        "text": f"{FIRED} {NEVER}",
        "wrong": [NEVER],
    }
    for name, value in (("true", [line, {**line, "case": "gone/x"}]), ("stories", [story])):
        (folder / name).mkdir(parents=True)
        text = "\n".join(json.dumps(item) for item in value)
        (folder / name / "a.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_claims_are_scored_and_nothing_of_the_run_is_kept(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    ended = superbiz("eval", "claims", "--data", _labels(tmp_path / "labels"), "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert found["true"]["false_rejects"]["total"] == 1
    assert found["stories"]["not_supported"]["total"] == 1
    assert [item["case"] for item in found["not_run"]] == ["gone/x"]
    assert superbiz("trace", "list", "--json").out == ""


def test_claims_read_as_text(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("eval", "claims", "--data", _labels(tmp_path / "labels"), "--verbose")
    assert ended.code == 0
    assert "true statements 1, 0 of them derived, 0 Chinese" in ended.out
    assert "not run: gone/x (1 labels): no such folder" in ended.out


def test_a_folder_that_holds_no_labels_is_a_usage_error(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("eval", "claims", "--data", tmp_path)
    assert ended.code == 2
    assert "no folder 'true'" in ended.error


@pytest.mark.slow
def test_mutations_of_a_case_are_scored_by_kind(superbiz: Superbiz) -> None:
    ended = superbiz("eval", "mutations", "--data", CASE, "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert (found["incidents"], found["sources"]) == (1, ["bundles"])
    assert all(figures["mutants"] > 0 for figures in found["mutants"].values())


def test_a_folder_without_incidents_is_a_usage_error(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("eval", "mutations", "--data", tmp_path)
    assert ended.code == 2
    assert "no recorded incident" in ended.error


def _incident(folder: Path, truth: str) -> Path:
    shutil.copytree(CASE, folder)
    (folder / "truth.yaml").write_text(truth, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_incidents_are_scored_one_process_each(superbiz: Superbiz, tmp_path: Path) -> None:
    _incident(tmp_path / "set" / "known", "fault_kind: deploy\nentity: {name: nobody}\n")
    (tmp_path / "set" / "untold").mkdir()
    (tmp_path / "set" / "untold" / "source.json").touch()
    ended = superbiz("eval", "incidents", "--data", tmp_path / "set", "--json")
    assert (ended.code, ended.err) == (0, "")
    known, untold = json.loads(ended.out)["cases"]
    assert known["entity_top3"] is False
    assert known["ranking"]
    assert known["calls"] > 0
    assert known["statements"] > 0
    assert 0 < known["seconds"] < 60
    assert known["peak_bytes"] > 20_000_000
    assert "no truth.yaml" in untold["not_run"]
    assert superbiz("trace", "list", "--json").out == ""


@pytest.mark.slow
def test_a_case_is_scored_without_a_playbook(superbiz: Superbiz, tmp_path: Path) -> None:
    case = tmp_path / "pool"
    shutil.copytree(EXAMPLES / "mysql-connection-pool", case)
    asked = ("eval", "incidents", "--data", case, "--json")
    [usual] = json.loads(superbiz(*asked).out)["cases"]
    ended = superbiz(*asked, "--without-skill", "diagnose-mysql-connection-pool")
    [without] = json.loads(ended.out)["cases"]
    assert (ended.code, ended.err) == (0, "")
    assert usual["verdict"] == "root_cause_found"
    assert without["verdict"] != "root_cause_found"
    assert without["entity_top1"]


def test_leaving_out_an_unknown_playbook_is_a_usage_error(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    case = _incident(tmp_path / "case", "healthy: true\n")
    ended = superbiz("eval", "incidents", "--data", case, "--without-skill", "diagnose-luck")
    assert ended.code == 2
    assert "no playbook 'diagnose-luck' (near: diagnose-lock-wait" in ended.error


def test_no_case_that_can_be_run_ends_with_3(superbiz: Superbiz, tmp_path: Path) -> None:
    case = tmp_path / "set" / "empty"
    case.mkdir(parents=True)
    (case / "truth.yaml").write_text("healthy: true\n", encoding="utf-8")
    ended = superbiz("eval", "incidents", "--data", tmp_path / "set")
    assert ended.code == 3
    assert "not run: " in ended.out
    assert "cases 1, not run 1" in ended.out


def test_a_folder_without_cases_is_a_usage_error(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("eval", "incidents", "--data", tmp_path)
    assert ended.code == 2
    assert "holds no case" in ended.error


def test_logs_are_scored_as_text_and_as_json(
    superbiz: Superbiz, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "Shop"
    system.mkdir()
    rows = "".join(f"{k},order {k} created,E1,order <*> created\n" for k in range(50))
    table = f"LineId,Content,EventId,EventTemplate\n{rows}"
    (system / "Shop.log_structured.csv").write_text(table, encoding="utf-8")
    monkeypatch.setattr("superbizagent.evaluation.logs._OURS", 2000)
    ended = superbiz("eval", "logs", "--data", tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert "mean, messages        GA 1.000  FGA 1.000" in ended.out
    assert "drain3" in ended.out
    found = json.loads(superbiz("eval", "logs", "--data", tmp_path, "--json").out)
    assert found["totals"]["message"]["ga"] == 1
    assert found["systems"][0]["raw"] is None
