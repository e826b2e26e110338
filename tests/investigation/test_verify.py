"""Verification: every part of a statement, when changed, takes the statement out."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Claim, ClaimKind, Derivation, Report, Section
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.wording.markdown import rejection_text, report_markdown
from superbizagent.investigation.wording.narrator import en, narrator_for
from tests.investigation.incidents import Diagnosed, load_skills, pool_incident, quiet_shop

Skills = tuple[Skill, ...]
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
POOL = Diagnosed.of(pool_incident(), load_skills())
QUIET = Diagnosed.of(quiet_shop(), load_skills())
CITING = [c for c in POOL.report.claims if c.fact_ids and c.section is not Section.CALLS]


def reason(claim: Claim, case: Diagnosed = POOL, report: Report | None = None) -> str:
    """Why one statement alone is taken out; empty when it stays."""
    alone = (report or case.report).model_copy(update={"claims": (claim,)})
    rejected = case.verified(alone).report.rejected
    return rejected[0].reason if rejected else ""


def one(section: Section, kind: ClaimKind, case: Diagnosed = POOL) -> Claim:
    return next(c for c in case.report.section(section) if c.kind is kind)


def changed(claim: Claim, **update: object) -> Claim:
    return claim.model_copy(update=update)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("make", [pool_incident, quiet_shop])
def test_what_the_report_stage_writes_passes_whole(
    make: Callable[..., object], language: Language, skills: Skills
) -> None:
    case = Diagnosed.of(make(language=language), skills)  # type: ignore[arg-type]
    checked = case.verified()
    assert (checked.removed, checked.report) == (0, case.report)
    assert checked.checked == len(case.report.claims)


def test_failed_empty_and_unknown_pass_whole_too(skills: Skills) -> None:
    shop = pool_incident()
    shop.failed["sweep:logs"] = EvidenceStatus.DENIED
    shop.failed["sweep://database/mysql"] = EvidenceStatus.TIMEOUT
    case = Diagnosed.of(shop, skills)
    assert case.verified().report.rejected == ()
    bare = pool_incident().without("db_client").without("connection")
    assert Diagnosed.of(bare, skills).verified().removed == 0


def test_verifying_twice_changes_nothing() -> None:
    once = POOL.verified().report
    assert POOL.verified(once).report == once


# Texts -------------------------------------------------------------------------------------------


@given(st.data())
def test_any_changed_digit_of_any_text_is_rejected(data: st.DataObject) -> None:
    claim = data.draw(
        st.sampled_from([c for c in POOL.report.claims if any(map(str.isdigit, c.text))])
    )
    places = [i for i, c in enumerate(claim.text) if c.isdigit()]
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from([d for d in "0123456789" if d != claim.text[at]]))
    text = claim.text[:at] + other + claim.text[at + 1 :]
    assert reason(changed(claim, text=text)) == "text_differs"


@given(st.data())
def test_any_other_changed_character_is_rejected(data: st.DataObject) -> None:
    claim = data.draw(st.sampled_from(POOL.report.claims))
    at = data.draw(st.integers(0, len(claim.text) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda c: c != claim.text[at]))
    text = claim.text[:at] + other + claim.text[at + 1 :]
    assert reason(changed(claim, text=text)) == "text_differs"


def test_a_changed_unit_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    assert reason(changed(claim, text=claim.text.replace("3/s", "3 s"))) == "text_differs"


def test_a_number_that_comes_from_no_fact_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    lie = "About 40 users were hit. "
    both = changed(claim, text=lie + claim.text, template=lie + claim.template)
    assert reason(both) == "literal_number"


def test_a_changed_template_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    template = claim.template.replace("Errors", "Warnings")
    assert reason(changed(claim, template=template)) == "text_differs"


# Citations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CITING, ids=lambda c: c.id)
def test_a_citation_that_does_not_exist_is_rejected(claim: Claim) -> None:
    first = claim.fact_ids[0]
    for other in ("E99.1", "E2.9999"):
        fake = changed(
            claim,
            fact_ids=(other, *claim.fact_ids[1:]),
            template=claim.template.replace(first, other),
            text=claim.text.replace(first, other),
            derivations=tuple(
                Derivation(
                    operation=d.operation,
                    fact_ids=tuple(other if i == first else i for i in d.fact_ids),
                )
                for d in claim.derivations
            ),
        )
        assert reason(fake) == f"unknown_fact:{other}"


@pytest.mark.parametrize("claim", CITING, ids=lambda c: c.id)
def test_dropping_a_citation_is_rejected(claim: Claim) -> None:
    assert reason(changed(claim, fact_ids=claim.fact_ids[1:])) in {
        "citations_differ",
        "text_differs",
    }


def test_another_real_fact_with_another_value_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    first, second = claim.fact_ids[:2]
    swapped = claim.template.replace(first, "X").replace(second, first).replace("X", second)
    assert reason(changed(claim, template=swapped)) == "text_differs"


def test_a_statement_without_anything_checkable_is_rejected() -> None:
    words = "It is probably the database."
    for kind, expected in {
        ClaimKind.OBSERVATION: "no_citation",
        ClaimKind.DERIVED: "no_citation",
        ClaimKind.ABSENCE: "no_citation",
        ClaimKind.INFERENCE: "no_finding",
        ClaimKind.ADVICE: "no_playbook",
    }.items():
        claim = Claim(id="C1", section=Section.WHY, kind=kind, template=words, text=words)
        assert reason(claim) == expected


def test_a_citation_of_a_failed_call_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    rows = tuple(
        r.model_copy(update={"status": EvidenceStatus.ERROR}) if r.number == 2 else r
        for r in POOL.evidence.invocations
    )
    failed = Diagnosed(POOL.scope, Evidence(invocations=rows), POOL.analysis, POOL.report)
    assert reason(claim, failed) == "call_failed:E2"


# Entity, time, window ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "claim", [c for c in CITING if c.section in {Section.IMPACT, Section.WHY}], ids=lambda c: c.id
)
def test_another_entity_is_rejected(claim: Claim) -> None:
    for entity in ("//service/storefront", ""):
        got = reason(changed(claim, entity=entity))
        assert got.partition(":")[0] == "entity_mismatch"


def test_another_name_in_the_sentence_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    text = claim.text.replace("order-service", "storefront")
    other = changed(claim, text=text, extras={"params": {"entity": "storefront"}})
    assert reason(other) == "unknown_name:storefront"


def test_a_name_that_nobody_knows_is_rejected() -> None:
    claim = POOL.report.section(Section.WHAT)[1]
    text = claim.text.replace("OrderServiceConnectionPoolExhausted", "DiskFull")
    other = changed(claim, text=text, extras={"params": {"alert": "DiskFull"}})
    assert reason(other) == "unknown_name:DiskFull"


def test_a_time_outside_the_look_is_rejected() -> None:
    claim = one(Section.WHAT, ClaimKind.DERIVED)
    frame = POOL.report.frame
    incident = frame.windows.incident
    late = Window(start=incident.start + timedelta(days=1), end=incident.end + timedelta(days=1))
    moved = frame.model_copy(update={"windows": Windows(incident=late, baselines=())})
    report = POOL.report.model_copy(update={"frame": moved})
    assert reason(claim, report=report).startswith("window_mismatch:")


def test_another_now_changes_what_ago_means() -> None:
    claim = one(Section.WHAT, ClaimKind.DERIVED)
    frame = POOL.report.frame
    later = frame.model_copy(update={"now": frame.now + timedelta(minutes=10)})
    report = POOL.report.model_copy(update={"frame": later})
    assert reason(claim, report=report) == "text_differs"


# Derived, absent, inferred, advised --------------------------------------------------------------


@pytest.mark.parametrize("operation", ["sum", "difference", "percent", "share", "count", "guess"])
def test_another_operation_is_rejected(operation: str) -> None:
    claim = next(c for c in POOL.report.section(Section.WHY) if c.derivations)
    first, *rest = claim.derivations
    other = (first.model_copy(update={"operation": operation}), *rest)
    expected = "not_computed" if operation == "guess" else "text_differs"
    assert reason(changed(claim, derivations=other)) == expected


def test_an_absence_needs_a_zero_that_covers_the_incident() -> None:
    claim = one(Section.WHAT, ClaimKind.ABSENCE, QUIET)
    assert reason(claim, QUIET) == ""
    rows = tuple(
        row.model_copy(
            update={
                "facts": tuple(
                    f.model_copy(update={"window": Window(start=f.window.end, end=f.window.end)})
                    if f.name == "series_abnormal" and f.window
                    else f
                    for f in row.facts
                )
            }
        )
        for row in QUIET.evidence.invocations
    )
    short = Diagnosed(QUIET.scope, Evidence(invocations=rows), QUIET.analysis, QUIET.report)
    assert reason(claim, short).startswith("not_covered:")


def test_an_absence_is_rejected_when_something_was_there() -> None:
    claim = one(Section.WHAT, ClaimKind.ABSENCE, QUIET)
    ids = [f.id for r in POOL.evidence.invocations for f in r.facts if f.name == "series_abnormal"]
    assert POOL.evidence.facts()[ids[0]].value != 0
    lie = Claim(
        id="C1",
        section=Section.WHAT,
        kind=ClaimKind.ABSENCE,
        template=claim.template,
        text=claim.text,
        derivations=claim.derivations,
        fact_ids=claim.fact_ids,
    )
    assert reason(lie) != ""


def test_what_is_called_missing_must_be_missing() -> None:
    words = "no logs were read"
    lie = Claim(
        id="C1",
        section=Section.NOT_SEEN,
        kind=ClaimKind.ABSENCE,
        template=words,
        text=words,
        extras={"absent": "signal:logs"},
    )
    assert reason(lie) == "not_absent"
    assert reason(changed(lie, extras={"absent": "anything"})) == "not_absent"


def test_a_call_that_answered_is_not_called_failed() -> None:
    template = "{E2|tool} of {E2|source} {E2|status}"
    text = "query_metrics of shop ok [E2]"
    lie = Claim(
        id="C1",
        section=Section.NOT_SEEN,
        kind=ClaimKind.ABSENCE,
        template=template,
        text=text,
        fact_ids=("E2",),
    )
    assert reason(lie) == "call_answered:E2"


def test_a_cause_that_the_analysis_does_not_hold_is_rejected() -> None:
    claim = one(Section.WHAT, ClaimKind.INFERENCE)
    key = "diagnose-mysql-connection-pool/connection_leak@//service/order-service"
    assert reason(changed(claim, extras=claim.extras | {"hypothesis": key})) == "unsupported"
    assert reason(changed(claim, finding_ids=("F999",))) == "no_finding"


def test_sureness_says_what_the_analysis_says() -> None:
    claim = one(Section.SURENESS, ClaimKind.INFERENCE)
    assert (
        reason(changed(claim, extras=claim.extras | {"reasons": ["two_signals"]})) == "unsupported"
    )
    assert reason(changed(claim, extras=claim.extras | {"verdict": "likely"})) == "unsupported"


def test_advice_cites_a_playbook_that_was_used() -> None:
    claim = one(Section.DO_NOW, ClaimKind.ADVICE)
    assert reason(changed(claim, playbook="other")) == "no_playbook"
    unused = POOL.report.model_copy(update={"skills": ()})
    assert reason(claim, report=unused) == "no_playbook"
    assert reason(changed(claim, entity="//service/storefront")).startswith("entity_mismatch")


def test_only_links_of_the_payload_are_given() -> None:
    claim = next(c for c in POOL.report.section(Section.CHECK_NEXT) if "links" in c.extras)
    url = "https://elsewhere.example.com"
    assert reason(changed(claim, extras={"links": [["runbook", url]]})) == f"unknown_name:{url}"


def test_scores_of_candidates_are_those_of_the_analysis() -> None:
    claim = POOL.report.section(Section.CANDIDATES)[0]
    params = claim.extras["params"] | {"score": "9.99"}
    text = claim.text.replace(claim.extras["params"]["score"], "9.99", 1)
    assert (
        reason(changed(claim, text=text, extras=claim.extras | {"params": params})) == "unsupported"
    )


def test_a_refuted_rival_keeps_its_reason() -> None:
    claim = next(c for c in POOL.report.section(Section.RULED_OUT) if "check" in c.extras["params"])
    params = claim.extras["params"] | {"check": "something else"}
    text = claim.text.replace(claim.extras["params"]["check"], "something else")
    assert (
        reason(changed(claim, text=text, extras=claim.extras | {"params": params})) == "unsupported"
    )


def test_a_candidate_that_is_none_is_rejected() -> None:
    listed = POOL.report.section(Section.CANDIDATES)
    claim = next(c for c in listed if "candidate" in c.extras)
    other = claim.extras | {"candidate": "//service/nobody"}
    assert reason(changed(claim, extras=other)) == "unsupported"


def test_a_rival_is_as_refuted_as_the_analysis_says() -> None:
    claim = POOL.report.section(Section.RULED_OUT)[0]
    for extras in ({"outcome": "open"}, {"hypothesis": "a/b@c"}):
        assert reason(changed(claim, extras=claim.extras | extras)) == "unsupported"


def test_a_cause_without_a_check_is_the_leading_candidate() -> None:
    finding = next(f for f in POOL.analysis.findings if f.entity == "//service/storefront")
    template = "Most likely it starts at {p|entity}."
    lie = Claim(
        id="C1",
        section=Section.WHAT,
        kind=ClaimKind.INFERENCE,
        entity="//service/storefront",
        template=template,
        text="Most likely it starts at storefront.",
        finding_ids=(finding.id,),
        extras={"params": {"entity": "storefront"}},
    )
    assert reason(lie) == "unsupported"


def test_an_observation_of_a_refuted_hypothesis_does_not_stand() -> None:
    claim = next(c for c in POOL.report.section(Section.WHY) if "hypothesis" in c.extras)
    key = "diagnose-mysql-connection-pool/connection_leak@//service/order-service"
    assert reason(changed(claim, extras=claim.extras | {"hypothesis": key})) == "unsupported"


def test_an_absence_on_a_number_that_is_not_zero_is_rejected() -> None:
    fact = next(
        f for f in POOL.evidence.facts().values() if f.name == "series_abnormal" and f.value
    )
    lie = Claim(
        id="C1",
        section=Section.WHAT,
        kind=ClaimKind.ABSENCE,
        template="nothing moved",
        text=f"nothing moved [{fact.id}]",
        fact_ids=(fact.id,),
    )
    assert reason(lie) in {"no_citation", f"not_zero:{fact.id}"}
    zero = next(f for f in POOL.evidence.facts().values() if f.value == 0 and f.entity)
    both = changed(
        lie,
        entity=zero.entity,
        text=f"nothing moved [{fact.id}][{zero.id}]",
        fact_ids=(fact.id, zero.id),
    )
    assert reason(both) == f"not_zero:{fact.id}"


def test_a_call_that_was_never_made_is_unknown() -> None:
    claim = POOL.report.section(Section.CALLS)[0]
    first = claim.fact_ids[0]
    fake = changed(
        claim,
        fact_ids=("E99",),
        template=claim.template.replace(first, "E99"),
        text=claim.text.replace(first, "E99"),
    )
    assert reason(fake) == "unknown_fact:E99"


def test_a_fact_from_outside_the_look_is_rejected() -> None:
    claim = one(Section.IMPACT, ClaimKind.DERIVED)
    first = claim.fact_ids[0]

    def moved(case: Diagnosed) -> Evidence:
        rows = tuple(
            row.model_copy(
                update={
                    "facts": tuple(
                        f.model_copy(update={"window": None, "at": LONG_AGO})
                        if f.id == first
                        else f
                        for f in row.facts
                    )
                }
            )
            for row in case.evidence.invocations
        )
        return Evidence(invocations=rows)

    other = Diagnosed(POOL.scope, moved(POOL), POOL.analysis, POOL.report)
    assert reason(claim, other) == f"window_mismatch:{first}"


def test_nothing_answered_and_no_data_are_looked_up() -> None:
    for absent in ("answers", "data", "series", "symptom", "baseline", "mitigation"):
        words = "nothing"
        lie = Claim(
            id="C1",
            section=Section.WHAT,
            kind=ClaimKind.ABSENCE,
            template=words,
            text=words,
            extras={"absent": absent},
        )
        with_advice = POOL.report.model_copy(
            update={"claims": (lie, *POOL.report.section(Section.DO_NOW))}
        )
        rejected = POOL.verified(with_advice).report.rejected
        assert [r.reason for r in rejected if r.claim.id == "C1"][:1] == ["not_absent"]


def test_a_query_to_copy_names_the_series_that_it_cites(skills: Skills) -> None:
    bare = Diagnosed.of(pool_incident().without("db_client").without("connection"), skills)
    claim = next(
        c for c in bare.report.section(Section.CHECK_NEXT) if c.kind is ClaimKind.INFERENCE
    )
    assert reason(claim, bare) == ""
    assert reason(changed(claim, command="up"), bare) == "unsupported"


# What is left ------------------------------------------------------------------------------------


def test_what_is_taken_out_is_listed_with_its_reason() -> None:
    bad = changed(POOL.report.claims[2], text="Errors at order-service: 900/s on average.")
    claims = (*POOL.report.claims[:2], bad, *POOL.report.claims[3:])
    checked = POOL.verified(POOL.report.model_copy(update={"claims": claims}))
    assert checked.removed == 1
    assert [(r.claim.id, r.reason) for r in checked.report.rejected] == [(bad.id, "text_differs")]
    assert checked.report.verdict is Verdict.ROOT_CAUSE_FOUND
    assert "900/s" in report_markdown(checked.report).partition("Statements taken out")[2]


def test_without_its_cause_the_report_keeps_supported_facts_only() -> None:
    claims = [
        changed(c, text="It was the network.")
        if c.section is Section.WHAT and c.kind is ClaimKind.INFERENCE
        else c
        for c in POOL.report.claims
    ]
    report = POOL.verified(POOL.report.model_copy(update={"claims": tuple(claims)})).report
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.title == "order-service: cause not found"
    assert report.fault_kind is None
    assert report.section(Section.DO_NOW) == ()
    assert [c.text for c in report.section(Section.SURENESS)] == [
        "Inconclusive: too many statements did not hold; only supported facts are left."
    ]
    assert report.section(Section.IMPACT)
    assert POOL.verified(report).report == report


def test_every_reason_has_words() -> None:
    keys = {k.removeprefix("reject.") for k in en.TABLE if k.startswith("reject.")}
    assert "text_differs" in keys
    item = POOL.verified(
        POOL.report.model_copy(update={"claims": (changed(POOL.report.claims[0], text="x"),)})
    ).report.rejected[0]
    assert rejection_text(item, narrator_for(Language.EN)) == (
        "written from the facts it reads otherwise"
    )
