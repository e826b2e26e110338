"""A session read back: the same evidence and analysis as when it ran, whole or interrupted."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import variants
from diagnosing import diagnose
from superbizagent.cli.stored import read_stored
from superbizagent.domain.session import DiagnosisSession
from superbizagent.errors import IntegrityError, SuperbizError, UsageError
from superbizagent.investigation.run import Finished
from superbizagent.investigation.stored import StoredDiagnosis, diagnosis_of


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    """A data folder with one session, and what its run came to."""
    data = tmp_path_factory.mktemp("ran") / "data"
    return data, diagnose(variants.POOL, data, session_id="pool")


@pytest.fixture
def database(ran: tuple[Path, Finished], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ran[0], tmp_path / "data")
    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "data" / "superbiz.db"


def change(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement)


def read(name: str = "pool") -> tuple[DiagnosisSession, StoredDiagnosis]:
    return asyncio.run(read_stored(name))


@pytest.mark.usefixtures("database")
def test_what_is_read_back_is_what_the_run_came_to(ran: tuple[Path, Finished]) -> None:
    session, stored = read()
    assert session.session_id == "pool"
    run = ran[1].diagnosis
    assert stored.scope == run.scope
    assert stored.plans == run.plans
    assert stored.analysis == run.analysis
    assert stored.frame == run.checked.report.frame
    assert stored.report == run.checked.report
    assert stored.evidence.facts() == run.evidence.facts()
    same = diagnosis_of(run, stored.config)
    assert (same.frame, same.analysis) == (stored.frame, stored.analysis)
    assert len(same.ground) == len(stored.ground)
    assert same.ground.facts == stored.ground.facts


def test_a_session_without_a_report_is_read_as_far_as_it_came(database: Path) -> None:
    _, whole = read()
    change(database, "update diagnosis_session set report = null, status = 'running'")
    _, stored = read()
    assert stored.report is None
    assert (stored.frame.windows, stored.frame.now) == (whole.frame.windows, whole.frame.now)
    assert stored.analysis == whole.analysis
    text = "Errors at order-service: 716 of 3690 requests failed."
    assert stored.checker.sentence(text).mark.value == "supported"


def test_a_playbook_that_is_gone_costs_its_hypotheses_alone(database: Path) -> None:
    _, whole = read()
    change(database, "update diagnosis_session set plan = replace(plan, 'diagnose-', 'x')")
    _, stored = read()
    assert stored.analysis.hypotheses == ()
    assert whole.analysis.hypotheses
    assert stored.analysis.findings == whole.analysis.findings


@pytest.mark.parametrize("column", ["payload", "scope", "plan", "report"])
@pytest.mark.parametrize("garbage", ["[1]", '{"rounds": 3, "added": 1}'])
def test_a_document_that_was_never_written_is_named(
    database: Path, column: str, garbage: str
) -> None:
    change(database, f"update diagnosis_session set {column} = '{garbage}'")  # noqa: S608 - constants of this test
    with pytest.raises(IntegrityError, match=column):
        read()


@pytest.mark.parametrize(
    ("status", "says"),
    [("running", "go on with it: superbiz diagnose --session pool"), ("failed", "diagnose again")],
)
def test_without_evidence_it_says_what_to_do(database: Path, status: str, says: str) -> None:
    change(database, f"update diagnosis_session set status = '{status}'")  # noqa: S608 - as above
    change(database, "delete from tool_invocation")
    with pytest.raises(UsageError, match=says):
        read()


@pytest.mark.usefixtures("database")
def test_a_name_that_nothing_has_is_a_wrong_usage() -> None:
    with pytest.raises(UsageError, match="there is no session 'nope'"):
        read("nope")


def test_an_output_that_was_changed_is_no_evidence(database: Path) -> None:
    change(database, "update evidence_blob set data = zeroblob(8)")
    with pytest.raises(SuperbizError):
        read()
