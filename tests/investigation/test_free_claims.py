"""Statements that somebody wrote: what the evidence makes of each, and where it is put."""

from typing import Any

import pytest

from superbizagent.analysis.claims.scan.sentences import LONGEST
from superbizagent.cli.render import render_json, render_terminal
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.report import (
    CheckedReport,
    Claim,
    ClaimKind,
    Envelope,
    RejectedClaim,
    Report,
    Section,
)
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.wording.markdown import rejection_text, report_markdown
from superbizagent.investigation.wording.narrator import narrator_for
from tests.investigation.incidents import END, Diagnosed, load_skills, pool_incident

POOL = Diagnosed.of(pool_incident(), load_skills())
ORDERS = "//service/order-service"
IMPACT = POOL.report.section(Section.IMPACT)[0]
CAUSE = POOL.report.section(Section.WHAT)[0]
SKILL = POOL.report.skills[0]
URL = "https://runbooks.example.com/pool"

TRUE = "Errors at order-service: 720 of 1440 requests failed."
FALSE = "Latency of order-service rose to 9 s."
UNSHOWN = "orders-service failed."
GUESS = "High CPU at storefront led to the errors of order-service."
REMARK = "This is a good service."
TRUE_CAUSE = "The connection pool exhaustion of order-service caused its errors."


def free(text: str, section: Section = Section.WHY, **more: Any) -> Claim:
    given: dict[str, Any] = {
        "id": "M1",
        "kind": ClaimKind.OBSERVATION,
        "entity": ORDERS,
        "fact_ids": IMPACT.fact_ids,
        **more,
    }
    return Claim(section=section, text=text, **given)


def checked(*claims: Claim, case: Diagnosed = POOL, alone: bool = False) -> CheckedReport:
    """The report with these statements behind its own."""
    own = () if alone else case.report.claims
    return case.verified(case.report.model_copy(update={"claims": (*own, *claims)}))


def reason(claim: Claim, case: Diagnosed = POOL) -> str:
    """Why a statement is taken out of the report; empty when it stays."""
    rejected = checked(claim, case=case).report.rejected
    return rejected[0].reason if rejected else ""


def place(claim: Claim, case: Diagnosed = POOL) -> Section | None:
    """Where a statement is found afterwards; None when it was taken out."""
    claims = checked(claim, case=case).report.claims
    return next((c.section for c in claims if c.id == claim.id), None)


# Each outcome ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TRUE, Section.WHY),
        (FALSE, None),
        (UNSHOWN, None),
        (GUESS, Section.HYPOTHESES),
        (REMARK, Section.REMARKS),
        (TRUE_CAUSE, Section.WHY),
    ],
)
def test_a_statement_stays_goes_or_is_put_elsewhere(text: str, found: Section | None) -> None:
    assert place(free(text, fact_ids=("E2",))) is found


@pytest.mark.parametrize("other", ["721 of 1440", "720 of 1441", "702 of 1440", "12 of 1440"])
def test_another_number_is_taken_out(other: str) -> None:
    assert reason(free(TRUE)) == ""
    assert reason(free(TRUE.replace("720 of 1440", other))) != ""


def test_the_reason_says_what_the_evidence_has() -> None:
    item = checked(free(FALSE, fact_ids=("E2",))).report.rejected[0]
    assert item.reason.startswith("other_value:E2.")
    english = narrator_for(Language.EN)
    assert rejection_text(item, english).startswith("9 s: the evidence has ")
    markdown = report_markdown(checked(free(FALSE, fact_ids=("E2",))).report)
    assert "9 s: the evidence has " in markdown.partition("Statements taken out")[2]


def test_a_reason_of_another_version_is_printed_as_it_is() -> None:
    item = RejectedClaim(claim=free(TRUE), reason="from_later:E1")
    assert rejection_text(item, narrator_for(Language.ZH)) == "from_later:E1"


def test_a_name_stands_for_it_only_where_the_statement_is_about_it() -> None:
    text = "720 of 1440 requests failed."
    assert reason(free(text)) == ""
    assert reason(free(text, entity="//database/mysql")) != ""


def test_chinese_is_read_too() -> None:
    case = Diagnosed.of(pool_incident(language=Language.ZH), load_skills())
    assert place(free("order-service 有 720 个请求失败。"), case) is Section.WHY
    item = checked(free("order-service 有 702 个请求失败。"), case=case).report.rejected
    assert item
    assert "证据" in item[0].words


# Citations ---------------------------------------------------------------------------------------


def test_a_statement_cites_something() -> None:
    assert reason(free(TRUE, fact_ids=())) == "no_citation"


@pytest.mark.parametrize("citation", ["E99", "E99.1", "E2.9999"])
def test_what_it_cites_exists(citation: str) -> None:
    assert reason(free(TRUE, fact_ids=(*IMPACT.fact_ids, citation))) == f"unknown_fact:{citation}"


def test_what_it_cites_was_answered() -> None:
    rows = tuple(
        row.model_copy(update={"status": EvidenceStatus.ERROR}) if row.number == 2 else row
        for row in POOL.evidence.invocations
    )
    failed = Diagnosed(POOL.scope, Evidence(invocations=rows), POOL.analysis, POOL.report)
    result = checked(free(TRUE), case=failed, alone=True)
    assert result.report.rejected[0].reason == "call_failed:E2"


def test_marks_in_its_text_are_among_what_it_cites() -> None:
    first, *others = IMPACT.fact_ids
    assert reason(free(f"{TRUE[:-1]} [{first}].")) == ""
    assert reason(free(f"{TRUE[:-1]} [{first}].", fact_ids=tuple(others))) == "citations_differ"


def test_citations_of_something_else_bear_nothing_out() -> None:
    assert reason(free(TRUE, fact_ids=("E3.1",))) != ""


def test_a_finding_that_it_names_exists() -> None:
    known = POOL.analysis.findings[0].id
    assert reason(free(TRUE, finding_ids=(known,))) == ""
    assert reason(free(TRUE, finding_ids=("F999",))) == "no_finding"


# Hiding places -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"command": "rm -rf /"}, "carries:command"),
        ({"extras": {"risk": "none, 100 % safe"}}, "carries:risk"),
        ({"extras": {"undo": "nothing"}}, "carries:undo"),
        ({"extras": {"sparkline": [1, 2]}}, "carries:sparkline"),
    ],
)
def test_nothing_unread_is_carried_onto_the_screen(more: dict[str, Any], key: str) -> None:
    assert reason(free(TRUE, **more)) == key


@pytest.mark.parametrize("piece", ["The service is good. ", "good and "])
def test_a_statement_that_is_too_long_to_read_is_taken_out(piece: str) -> None:
    long = piece * (LONGEST // len(piece) + 20)
    item = checked(free(long)).report.rejected[0]
    assert item.reason == f"too_long:{LONGEST}"
    assert item.words == f"longer than {LONGEST} characters, so not read"


@pytest.mark.parametrize("shape", ["# {}", "- {}", "> {}", "```\n{}\n```", "| {} |", "    {}"])
def test_markup_hides_nothing(shape: str) -> None:
    assert reason(free(shape.format(FALSE))) != ""


def test_control_characters_never_reach_screen_or_page() -> None:
    hostile = f"\x1b]0;owned\x07\u202e{TRUE}\u2066"
    report = checked(free(hostile, Section.IMPACT)).report
    assert any(c.id == "M1" for c in report.claims)
    for text in (
        report_markdown(report),
        render_terminal(report, Envelope(session_id="s")),
        render_terminal(report, Envelope(session_id="s"), full=True),
    ):
        assert "720 of 1440 requests failed" in text
        assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(text)


# Advice ------------------------------------------------------------------------------------------

ADVICE = "You should switch off the remote call."


def advice(text: str = ADVICE, **more: Any) -> Claim:
    given: dict[str, Any] = {"kind": ClaimKind.ADVICE, "fact_ids": (), **more}
    return free(text, Section.DO_NOW, **given)


def test_advice_cites_a_playbook_a_passage_or_a_link() -> None:
    assert reason(advice()) == "no_playbook"
    assert place(advice(playbook=SKILL)) is Section.DO_NOW
    assert reason(advice(playbook="another")) == "no_playbook"
    assert place(advice(extras={"links": [["runbook", URL]]})) is Section.DO_NOW
    elsewhere = "https://elsewhere.example.com"
    assert reason(advice(extras={"links": [["runbook", elsewhere]]})) == f"unknown_name:{elsewhere}"
    assert reason(advice(fact_ids=IMPACT.fact_ids)) == "no_playbook"


@pytest.mark.parametrize(
    ("status", "expected"), [(EvidenceStatus.OK, ""), (EvidenceStatus.EMPTY, "no_playbook")]
)
def test_a_passage_is_one_that_was_found(status: EvidenceStatus, expected: str) -> None:
    call = PlannedCall(number=50, tool=ToolName.LOOKUP_KNOWLEDGE, source="docs", purpose="context")
    row = ToolInvocation(id="row-50", session_id="s", call=call, status=status, started_at=END)
    evidence = Evidence(invocations=(*POOL.evidence.invocations, row))
    case = Diagnosed(POOL.scope, evidence, POOL.analysis, POOL.report)
    assert reason(advice(fact_ids=("E50",)), case) == expected


def test_an_action_is_of_the_playbook_that_found_the_cause() -> None:
    calm = POOL.analysis.model_copy(update={"candidates": ()})
    case = Diagnosed(POOL.scope, POOL.evidence, calm, POOL.report)
    result = checked(advice(playbook=SKILL), case=case, alone=True)
    assert result.report.rejected[0].reason == "unsupported"


def test_advice_that_is_called_something_else_is_advice() -> None:
    assert reason(free(ADVICE, Section.WHY)) == "no_playbook"


def test_what_is_said_beside_an_advice_must_stand() -> None:
    assert place(advice(f"{ADVICE} {TRUE}", playbook=SKILL, fact_ids=("E2",))) is Section.DO_NOW
    assert reason(advice(f"{ADVICE} {FALSE}", playbook=SKILL, fact_ids=("E2",))) != ""
    guessed = advice(f"{ADVICE} {GUESS}", playbook=SKILL, fact_ids=("E2",))
    assert place(guessed) is Section.HYPOTHESES


# Hypotheses, remarks and their share -------------------------------------------------------------


def test_a_hypothesis_is_printed_with_what_decides_it() -> None:
    report = checked(free(GUESS, fact_ids=())).report
    claim = report.section(Section.HYPOTHESES)[0]
    assert claim.extras["decided_by"] == "when storefront began, against when order-service did"
    page = report_markdown(report).partition("## Hypotheses, not tested")[2]
    assert GUESS in page
    assert "decided by: when storefront began" in page
    full = render_terminal(report, Envelope(session_id="s"), full=True)
    assert "decided by: when storefront began" in full
    assert GUESS[:40] not in render_terminal(report, Envelope(session_id="s"))


def test_what_decides_a_hypothesis_is_not_taken_from_who_wrote_it() -> None:
    claim = free(GUESS, fact_ids=(), extras={"decided_by": "nothing, it is proven"})
    kept = checked(claim).report.section(Section.HYPOTHESES)[0]
    assert kept.extras["decided_by"] == "when storefront began, against when order-service did"


def test_a_hypothesis_that_no_check_decides_says_so() -> None:
    text = "Disk exhaustion was ruled out as the cause."
    claim = free(text, fact_ids=(), extras={"decided_by": "nothing, it is proven"})
    report = checked(claim).report
    kept = report.section(Section.HYPOTHESES)[0]
    assert "decided_by" not in kept.extras
    assert "no check is known that decides it" in report_markdown(report)


def test_what_was_compared_in_part_is_a_remark_that_names_the_rest() -> None:
    text = f"{TRUE[:-1]}, and everybody on the phone bank was terribly upset about it."
    report = checked(free(text, extras={"not_compared": ["no word"]})).report
    claim = report.section(Section.REMARKS)[0]
    assert len(claim.extras["not_compared"]) == 1
    page = report_markdown(report).partition("## Remarks")[2]
    assert "not compared: everybody on the phone bank" in page
    full = render_terminal(report, Envelope(session_id="s"), full=True)
    assert "not compared: everybody on the phone bank" in full
    assert (report.stats.in_part, report.stats.nothing_to_check) == (1, 0)


def test_nothing_unchecked_is_on_the_first_screen() -> None:
    for section in (Section.WHAT, Section.IMPACT, Section.WHY, Section.SURENESS):
        report = checked(free(REMARK, section), free(GUESS, section, id="M2")).report
        screen = render_terminal(report, Envelope(session_id="s"))
        assert REMARK not in screen
        assert GUESS not in screen


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.EN, "Statements with nothing to check: 1 of {} (3 %)"),
        (Language.ZH, "无可核对的陈述：{} 条中的 1 条（3 %）"),
    ],
)
def test_the_share_of_what_cannot_be_checked_is_printed(language: Language, line: str) -> None:
    case = Diagnosed.of(pool_incident(language=language), load_skills())
    own = case.report.claims[:36]
    report = case.verified(case.report.model_copy(update={"claims": (*own, free(REMARK))})).report
    total = len(own) + 1
    assert line.format(total) in render_terminal(report, Envelope(session_id="s"), full=True)
    stats = report.stats
    assert (stats.statements, stats.nothing_to_check) == (total, 1)
    assert stats.nothing_to_check_ratio == pytest.approx(1 / total, rel=1e-5)
    assert '"nothing_to_check": 1' in render_json(report, Envelope(session_id="s"))


# What is left ------------------------------------------------------------------------------------


def test_a_report_of_free_statements_keeps_its_verdict_while_its_cause_stands() -> None:
    cause = free(TRUE_CAUSE, Section.WHAT, kind=ClaimKind.INFERENCE, fact_ids=CAUSE.fact_ids)
    report = checked(cause, free(TRUE, Section.IMPACT, id="M2"), alone=True).report
    assert report.verdict is Verdict.ROOT_CAUSE_FOUND
    assert [c.id for c in report.claims] == ["M1", "M2"]


@pytest.mark.parametrize("text", [GUESS, FALSE, REMARK])
def test_without_a_cause_that_stands_it_is_inconclusive(text: str) -> None:
    cause = free(text, Section.WHAT, kind=ClaimKind.INFERENCE)
    report = checked(cause, free(TRUE, Section.IMPACT, id="M2"), alone=True).report
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.section(Section.WHAT) == ()
    assert "only supported facts are left" in report.section(Section.SURENESS)[0].text


def test_a_statement_of_another_service_is_no_cause() -> None:
    text = "720 of 1440 requests of order-service failed."
    other = free(text, Section.WHAT, kind=ClaimKind.INFERENCE, entity="//service/storefront")
    report = checked(other, alone=True).report
    assert report.verdict is Verdict.INCONCLUSIVE


def test_what_became_a_hypothesis_or_a_remark_is_not_left() -> None:
    cause = free(TRUE_CAUSE, Section.WHAT, kind=ClaimKind.INFERENCE, fact_ids=CAUSE.fact_ids)
    remarks = [free(REMARK, Section.WHY, id=f"M{n}") for n in range(2, 5)]
    report = checked(cause, *remarks, alone=True).report
    assert len(report.section(Section.REMARKS)) == 3
    assert report.verdict is Verdict.INCONCLUSIVE


def test_a_free_cause_does_not_survive_the_fall_of_the_cause() -> None:
    fallen = [
        c.model_copy(update={"text": "It was the network."}) if c == CAUSE else c
        for c in POOL.report.claims
    ]
    cause = free(TRUE_CAUSE, Section.WHY, fact_ids=CAUSE.fact_ids)
    own = POOL.report.model_copy(update={"claims": (*fallen, cause, free(TRUE, id="M2"))})
    result = POOL.verified(own)
    assert result.report.verdict is Verdict.INCONCLUSIVE
    assert {r.claim.id: r.reason for r in result.report.rejected} == {
        CAUSE.id: "text_differs",
        "M1": "cause_fell",
    }
    assert result.removed == 2
    assert any(c.id == "M2" for c in result.report.claims)
    again = POOL.verified(result.report).report
    assert again == result.report


def test_a_free_cause_goes_even_when_the_report_never_was_certain() -> None:
    unsure = POOL.report.model_copy(update={"verdict": Verdict.INCONCLUSIVE})
    fallen = CAUSE.model_copy(update={"text": "It was the network."})
    cause = free(TRUE_CAUSE, Section.WHY, fact_ids=CAUSE.fact_ids)
    report = POOL.verified(unsure.model_copy(update={"claims": (fallen, cause)})).report
    assert [r.reason for r in report.rejected] == ["text_differs", "cause_fell"]


def test_verifying_twice_changes_nothing() -> None:
    claims = [free(t, id=f"M{n}") for n, t in enumerate((TRUE, FALSE, GUESS, REMARK, UNSHOWN))]
    once = checked(*claims).report
    assert POOL.verified(once).report == once


def test_a_report_without_free_statements_has_the_bytes_it_had() -> None:
    report: Report = POOL.verified().report
    assert canonical_bytes(report) == canonical_bytes(POOL.report)
    bad = POOL.report.claims[2].model_copy(update={"text": "Errors: 900/s."})
    out = POOL.verified(POOL.report.model_copy(update={"claims": (bad,)})).report
    assert b'"words"' not in canonical_bytes(out)
    assert set(RejectedClaim(claim=bad, reason="x").model_dump(mode="json")) == {"claim", "reason"}
