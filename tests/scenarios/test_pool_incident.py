"""The recorded incident, as it is and under other conditions."""

from pathlib import Path

import pytest

import variants
from diagnosing import cause_of, diagnose, report_of
from superbizagent.domain.finding import Verdict

POOL = variants.POOL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return variants.copy(POOL, tmp_path / "incident")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_as_recorded_the_pool_is_found_and_every_claim_cited(folder: Path, data: Path) -> None:
    finished = diagnose(folder, data)
    report = report_of(finished)
    assert cause_of(finished) == ("order-service", "pool_exhaustion")
    assert report.verdict is Verdict.ROOT_CAUSE_FOUND
    assert report.rejected == ()
    assert finished.session.aiops_gate == "PASS"


def test_renamed_services_read_the_same_under_their_new_names(folder: Path, data: Path) -> None:
    variants.renamed(
        folder, {"order-service": "billing-core", "storefront": "portal", "mysql": "ledgerdb"}
    )
    finished = diagnose(folder, data)
    assert cause_of(finished) == ("billing-core", "pool_exhaustion")
    assert "order-service" not in (finished.session.final_report or "")


def test_findings_call_for_the_playbook_that_the_alert_does_not_name(
    folder: Path, data: Path
) -> None:
    variants.about(folder, "order-service", "SomethingIsWrong")
    finished = diagnose(folder, data)
    first, second = ([c.name for c in plan.skills] for plan in finished.diagnosis.plans)
    assert (first, second[0]) == ([], "diagnose-mysql-connection-pool")
    assert cause_of(finished) == ("order-service", "pool_exhaustion")
    assert report_of(finished).verdict is Verdict.ROOT_CAUSE_FOUND


def test_alert_of_the_caller_leads_to_the_pool_below_it(folder: Path, data: Path) -> None:
    variants.about(folder, "storefront")
    assert cause_of(diagnose(folder, data)) == ("order-service", "pool_exhaustion")


def test_without_pool_evidence_it_does_not_know(folder: Path, data: Path) -> None:
    variants.without_pool(folder)
    finished = diagnose(folder, data)
    assert report_of(finished).verdict is Verdict.INCONCLUSIVE
    assert cause_of(finished) == ("", "")
    said = [c.text for c in report_of(finished).claims if "pool" in c.text.lower()]
    assert said == ["connection pool exhausted: could not be tested"]


def test_healthy_instead_of_the_fault_has_no_cause(folder: Path, data: Path) -> None:
    variants.healthy_instead(folder, variants.fault_start(POOL))
    finished = diagnose(folder, data)
    assert cause_of(finished) == ("", "")
    assert "nothing abnormal" in (finished.session.final_report or "")


@pytest.mark.parametrize("service", ["mail-gateway", "node", "mysql"])
def test_alert_about_another_service_is_not_answered_by_the_pool(
    folder: Path, data: Path, service: str
) -> None:
    variants.about(folder, service)
    finished = diagnose(folder, data)
    assert cause_of(finished) != ("order-service", "pool_exhaustion")


def test_unknown_service_is_named_as_not_seen(folder: Path, data: Path) -> None:
    variants.about(folder, "order-servise")
    text = diagnose(folder, data).session.final_report or ""
    assert "order-servise" in text
    assert "order-service" in text  # as a near name


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(15, marks=pytest.mark.slow), pytest.param(30, marks=pytest.mark.slow), 60],
)
def test_slower_scrapes_read_the_same(folder: Path, data: Path, seconds: int) -> None:
    variants.thinned(folder, seconds)
    finished = diagnose(folder, data)
    assert cause_of(finished) == ("order-service", "pool_exhaustion")
    assert report_of(finished).verdict is Verdict.ROOT_CAUSE_FOUND


def test_zoneless_local_log_times_read_the_same(folder: Path, data: Path) -> None:
    variants.zoneless(folder, 8)
    finished = diagnose(folder, data)
    assert cause_of(finished) == ("order-service", "pool_exhaustion")
    assert report_of(finished).verdict is Verdict.ROOT_CAUSE_FOUND
    assert "+08:00" in (finished.session.final_report or "")


def test_chinese_report_names_the_same_cause(folder: Path, data: Path) -> None:
    finished = diagnose(folder, data, lang="zh")
    assert cause_of(finished) == ("order-service", "pool_exhaustion")
    assert "连接池" in (finished.session.final_report or "")


def test_same_folder_gives_the_same_bytes(folder: Path, data: Path) -> None:
    first, second = diagnose(folder, data), diagnose(folder, data)
    assert first.session.session_id != second.session.session_id
    assert first.session.report_digest == second.session.report_digest
