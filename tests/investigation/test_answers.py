"""Answers about stored diagnoses: each statement has a basis, whatever is asked of whichever."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

import variants
from diagnosing import diagnose
from superbizagent.cli.compose import load_skills
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Claim, ClaimKind, Report
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.conversation import LOOKS, Turn, TurnKind
from superbizagent.investigation.conversation.answer import write_answer
from superbizagent.investigation.wording.writer import Given
from superbizagent.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

ANSWERED = [kind for kind in TurnKind if kind not in LOOKS]
NAMED = (TurnKind.WHY, TurnKind.WHY_NOT, TurnKind.EVIDENCE)
LABELS = ("service_name", "service", "app", "job", "container")
CITATIONS = ("E3", "E3.2", "E6.52", "E9", "E99", "E3.99999")


@pytest.fixture(scope="module", params=["mysql-connection-pool", "slow-network", "healthy"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder: Path = variants.EXAMPLES / str(request.param)
    found = diagnose(folder, tmp_path_factory.mktemp("diagnosed")).diagnosis
    skills = load_skills(Settings()).skills
    used = {c.name for plan in found.plans for c in plan.skills}
    own = [skill for skill in skills if skill.name in used]
    return Given(found.scope, found.plans, found.evidence, found.analysis, own)


def spoken(given: Given, language: Language) -> Given:
    incident = given.scope.incident.model_copy(update={"language": language})
    scope = given.scope.model_copy(update={"incident": incident})
    return Given(scope, given.plans, given.evidence, given.analysis, given.skills)


def answer(given: Given, **turn: Any) -> Report:
    language = given.scope.language
    read = Turn(language=language, session_id="s-1", **turn)
    now: datetime = given.scope.incident.received_at
    return write_answer(read, given, now, LABELS).report


def without_basis(report: Report) -> list[str]:
    """Statements that cite nothing, and do not say what code has found to be absent either."""
    return [c.text for c in report.claims if not has_basis(c)]


def has_basis(claim: Claim) -> bool:
    absent = claim.kind is ClaimKind.ABSENCE and bool(claim.extras.get("absent"))
    return bool(claim.fact_ids) or absent


def names_in(given: Given) -> Sequence[str]:
    scope = given.scope
    known = {e.name for e in (*scope.everything, *scope.catalogue.entities)}
    labels = ("bundle", "网络", "slow queries", "no-such-name")
    return (*sorted(known), *labels)


@pytest.mark.parametrize("language", list(Language))
def test_every_statement_has_a_basis(given: Given, language: Language) -> None:
    told = spoken(given, language)
    for kind in ANSWERED:
        report = answer(told, kind=kind, citation="E1" if kind is TurnKind.EXPLAIN else "")
        assert report.claims
        assert (without_basis(report), report.rejected) == ([], ()), kind
        assert (report.answers, report.language) == (kind.value, language)


@pytest.mark.parametrize("language", list(Language))
def test_every_statement_about_a_name_has_a_basis(given: Given, language: Language) -> None:
    told = spoken(given, language)
    for name in names_in(given):
        for kind in NAMED:
            report = answer(told, kind=kind, names=(name,), pronoun="it")
            assert len(report.claims) > 1, (name, kind)
            assert (without_basis(report), report.rejected) == ([], ()), (name, kind)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("citation", CITATIONS)
def test_every_statement_about_a_citation_has_a_basis(
    given: Given, language: Language, citation: str
) -> None:
    report = answer(spoken(given, language), kind=TurnKind.EXPLAIN, citation=citation)
    assert len(report.claims) > 1
    assert (without_basis(report), report.rejected) == ([], ())


def test_every_fact_can_be_explained(given: Given) -> None:
    facts = list(given.evidence.facts())
    for fact_id in facts[:: max(1, len(facts) // 12)]:
        report = answer(given, kind=TurnKind.EXPLAIN, citation=fact_id)
        assert report.rejected == (), fact_id
        assert f"[{fact_id}]" in report.claims[1].text


def test_a_source_that_failed_is_not_nothing_found(given: Given) -> None:
    """The same name, once its look has failed, is not called normal."""
    rows = [
        row.model_copy(
            update={"status": EvidenceStatus.ERROR, "output": None, "facts": (), "error": "gone"}
        )
        for row in given.evidence.invocations
    ]
    dead = Given(given.scope, given.plans, Evidence(invocations=tuple(rows)), Analysis(), ())
    name = min(e.name for e in given.scope.everything)
    texts = [c.text for c in answer(dead, kind=TurnKind.EVIDENCE, names=(name,)).claims]
    assert any("did not answer" in text for text in texts), texts
    assert not any("nothing of it stands out" in text for text in texts)


def test_a_diagnosis_of_nothing_is_answered_honestly() -> None:
    from stored_session import scope_of

    scope = scope_of()
    nothing = Given(scope, (), Evidence(), Analysis(), ())
    report = answer(nothing, kind=TurnKind.WHY)
    assert without_basis(report) == []
    assert "no diagnosis yet" in report.claims[0].text
