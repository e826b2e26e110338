"""``superbiz eval`` as a user types it."""

import json
from pathlib import Path

import pytest

from commanding import Superbiz
from scoring import BUNDLES

CASE = BUNDLES / "late-deploy"
FIRED = "The alert HighLatency fired at 17:25."
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
