"""Scores of whole diagnoses, on outcomes made up for the purpose."""

from pathlib import Path

import pytest

from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.errors import UsageError
from superbizagent.evaluation.cases import Incident
from superbizagent.evaluation.incidents import (
    Outcome,
    ScoredIncident,
    cases_below,
    score_incidents,
)
from superbizagent.evaluation.incidents_summary import incidents_json, incidents_text
from superbizagent.evaluation.truth import read_truth

ORDERS, SHOP, DB = "//service/orders", "//service/shop", "/prod/database/db"
POOL = "fault_kind: pool_exhaustion\nentity: {kind: service, name: orders}\n"
HEALTHY = "healthy: true\n"
TWO = """
faults:
  - {fault_kind: cpu, entity: {name: orders}}
  - {fault_kind: [disk, memory], entity: [{name: node-1}, {name: db, kind: Database}]}
"""


def _case(folder: Path, truth: str, name: str = "one") -> Path:
    case = folder / name
    case.mkdir()
    (case / "truth.yaml").write_text(truth, encoding="utf-8")
    return case


def _outcome(
    *ranking: tuple[str, FaultKind],
    verdict: Verdict = Verdict.ROOT_CAUSE_FOUND,
    entity: str | None = None,
    independent: tuple[str, ...] = (),
) -> Outcome:
    first = ranking[0][0] if ranking else ""
    return Outcome(
        verdict=verdict,
        ranking=ranking,
        entity=first if entity is None else entity,
        independent=independent,
        statements=20,
        taken_out=1,
        calls=5,
        seconds=0.5,
        peak_bytes=100 * 1024 * 1024,
    )


def _scored(tmp_path: Path, truth: str, outcome: Outcome) -> ScoredIncident:
    case = _case(tmp_path, truth)
    return next(score_incidents([Incident("set", case)], lambda _folder, _args: outcome))


def test_a_kind_counts_on_a_right_entity_only(tmp_path: Path) -> None:
    ranking = (
        (SHOP, FaultKind.POOL_EXHAUSTION),
        (SHOP, FaultKind.CPU),
        (ORDERS, FaultKind.CPU),
        (ORDERS, FaultKind.POOL_EXHAUSTION),
    )
    item = _scored(tmp_path, POOL, _outcome(*ranking))
    assert item.rank == 2  # of entities, each counted once
    assert (item.entity_within(1), item.entity_within(3)) == (False, True)
    assert (item.kind_within(1), item.kind_within(3), item.kind_within(4)) == (False, False, True)
    assert item.is_false_cause


def test_any_of_several_right_answers_is_right(tmp_path: Path) -> None:
    truth = "fault_kind: [deploy, code_error]\nentity: [{name: orders}, {name: shop}]\n"
    item = _scored(tmp_path, truth, _outcome((SHOP, FaultKind.CODE_ERROR)))
    assert item.entity_within(1)
    assert item.kind_within(1)
    assert not item.is_false_cause


def test_of_two_faults_one_may_stand_first_and_both_must_stand_in_three(tmp_path: Path) -> None:
    one = _scored(tmp_path, TWO, _outcome((ORDERS, FaultKind.CPU), (SHOP, FaultKind.CPU)))
    assert (one.entity_within(1), one.entity_within(3)) == (True, False)
    ranking = ((DB, FaultKind.MEMORY), (ORDERS, FaultKind.CPU))
    both = ScoredIncident(one.incident, one.truth, _outcome(*ranking))
    assert (both.entity_within(1), both.entity_within(3)) == (True, True)
    assert (both.kind_within(1), both.kind_within(3)) == (True, True)


def test_a_fault_named_as_independent_must_be_one(tmp_path: Path) -> None:
    one = _outcome((ORDERS, FaultKind.CPU), independent=(SHOP,))
    scored = _scored(tmp_path, TWO, one)
    assert scored.is_false_cause
    both = _outcome((ORDERS, FaultKind.CPU), independent=(DB,))
    assert not ScoredIncident(scored.incident, scored.truth, both).is_false_cause


def test_kind_and_namespace_are_compared_where_the_truth_names_them(tmp_path: Path) -> None:
    [fault] = read_truth(
        _case(tmp_path, "fault_kind: disk\nentity: {kind: Pod, namespace: prod, name: db}\n")
    ).faults
    assert fault.is_of("c1/prod/pod/db")
    assert not fault.is_of("c1/test/pod/db")
    assert not fault.is_of("c1/prod/service/db")


@pytest.mark.parametrize("verdict", [Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY])
def test_any_cause_of_a_healthy_time_is_false(tmp_path: Path, verdict: Verdict) -> None:
    item = _scored(tmp_path, HEALTHY, _outcome((ORDERS, FaultKind.CPU), verdict=verdict))
    assert item.is_healthy
    assert item.is_false_cause


def test_a_healthy_time_without_a_cause_is_right(tmp_path: Path) -> None:
    outcome = _outcome((ORDERS, FaultKind.CPU), verdict=Verdict.HEALTHY, entity="")
    assert not _scored(tmp_path, HEALTHY, outcome).is_false_cause


def test_an_inconclusive_report_names_no_false_cause(tmp_path: Path) -> None:
    outcome = _outcome((SHOP, FaultKind.CPU), verdict=Verdict.INCONCLUSIVE)
    assert not _scored(tmp_path, POOL, outcome).is_false_cause


def test_a_case_says_where_its_recording_is_and_what_is_asked(tmp_path: Path) -> None:
    truth = (
        "healthy: true\nrecording: ../_shared\n"
        "asked: {service: orders, from: 2026-01-02T03:04:05+00:00, to: 2026-01-02T03:09:05+00:00}\n"
    )
    asked: list[tuple[Path, tuple[str, ...]]] = []

    def measure(folder: Path, args: object) -> str:
        asked.append((folder, tuple(args)))  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]
        return "not today"

    case = _case(tmp_path, truth)
    [item] = score_incidents([Incident("set", case)], measure)
    assert item.problem == "not today"
    assert asked == [
        (
            case / "../_shared",
            (
                "--service", "orders",
                "--from", "2026-01-02T03:04:05+00:00", "--to", "2026-01-02T03:09:05+00:00",
            ),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ("fault_kind: rust\nentity: {name: a}\n", "faults.0.fault_kind.0"),
        ("fault_kind: cpu\n", "faults.0.entity"),
        ("cause: a cable\n", "healthy: true"),
        ("healthy: true\nfault_kind: cpu\nentity: {name: a}\n", "names a fault"),
        ("fault: none\nalso: [{fault_kind: cpu, entity: {name: a}}]\n", "names a fault"),
        ("- a\n", "must be a mapping"),
        ("{", "cannot be read"),
    ],
)
def test_a_truth_that_cannot_be_read_says_where(tmp_path: Path, truth: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_truth(_case(tmp_path, truth))


def test_right_answers_may_stand_apart_and_so_may_further_faults(tmp_path: Path) -> None:
    truth = """
verdict: [root_cause_found, likely]
fault: oom_killed
fault_kind: memory
entity: {kind: pod, namespace: prod, name: a-1}
accept:
  fault_kind: [memory, restart]
  entity: [{kind: pod, namespace: prod, name: a-1}, {kind: deployment, namespace: prod, name: a}]
also:
  - fault_kind: config
    entity: {kind: pod, name: b-1}
    accept: {fault_kind: [config, deploy], entity: [{kind: pod, name: b-1}]}
"""
    ranking = (("/prod/deployment/a", FaultKind.RESTART), ("/prod/pod/b-1", FaultKind.DEPLOY))
    item = _scored(tmp_path, truth, _outcome(*ranking))
    assert item.kind_within(1)
    assert item.kind_within(3)
    assert item.is_right_verdict is True
    open_ = ScoredIncident(
        item.incident, item.truth, _outcome(*ranking, verdict=Verdict.INCONCLUSIVE)
    )
    assert open_.is_right_verdict is False
    found = incidents_json([item, open_])
    assert found["totals"]["verdict_right"]["hits"] == 1
    assert "verdict right       1/2" in incidents_text([item, open_])


def test_what_cannot_be_run_is_a_line_with_its_reason(tmp_path: Path) -> None:
    good, bad = _case(tmp_path, POOL, "a"), _case(tmp_path, "cause: x\n", "b")
    incidents = [Incident("set", good), Incident("set", bad)]
    outcome = _outcome((SHOP, FaultKind.CPU), (ORDERS, FaultKind.POOL_EXHAUSTION))
    scored = list(score_incidents(incidents, lambda _folder, _args: outcome))
    found = incidents_json(scored)
    assert (found["totals"]["cases"], found["totals"]["not_run"]) == (2, 1)
    assert found["totals"]["entity_top1"]["hits"] == 0
    assert found["totals"]["kind_top3"]["hits"] == 1
    assert found["totals"]["named_wrongly"] == {
        "hits": 1, "total": 1, "share": 1.0, "interval": [0.2065, 1.0],
    }  # fmt: skip
    assert "truth.yaml" in found["cases"][1]["not_run"]
    text = incidents_text(scored)
    assert "set/a" in text
    assert "shop cpu, not service/orders pool_exhaustion" in text
    assert f"not run: '{bad / 'truth.yaml'}'" in text


def test_cases_are_found_with_their_collection(tmp_path: Path) -> None:
    for name in ("b", "a", "_shared"):
        _case(tmp_path, HEALTHY, name)
    untold = tmp_path / "c"
    untold.mkdir()
    (untold / "source.json").touch()
    found = [case.name for case in cases_below([tmp_path, tmp_path / "b"])]
    name = tmp_path.name
    assert found == [f"{name}/a", f"{name}/b", f"{name}/c", f"{name}/b"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no case"):
        list(cases_below([tmp_path / "empty"]))
