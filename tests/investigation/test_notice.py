"""A report as a message: ten lines, both languages, nothing that is not in the report."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.domain.grouping import IncidentState
from superbizagent.domain.incident import Language
from superbizagent.domain.notification import (
    MOST_CHARACTERS,
    MOST_LINES,
    IncidentFacts,
    Notice,
    NoticeKind,
)
from superbizagent.domain.report import FIRST_SCREEN, Claim, ClaimKind, Report, Section
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.notice import cause_of, trial_notice, write_notice
from tests.investigation.incidents import (
    Diagnosed,
    Shop,
    load_skills,
    pool_incident,
    quiet_shop,
)

FACTS = IncidentFacts(incident_id="i-1", title="OrdersPoolExhausted", severity="critical")
AT = datetime(2026, 7, 6, 10, 0, tzinfo=UTC)
MARK = re.compile(r"\s*\[E[\d.]+\]…?")
CASES: dict[str, Callable[[], Shop]] = {
    "pool": pool_incident,
    "quiet": quiet_shop,
    "question": lambda: pool_incident(alert=None, question="why is order-service slow?"),
    "empty": Shop,
}


@lru_cache
def report_of(name: str, language: Language = Language.EN) -> Report:
    shop = CASES[name]()
    shop.language = language
    shop.timezone = "Asia/Shanghai"
    return Diagnosed.of(shop, load_skills()).verified().report


def written(
    report: Report, facts: IncidentFacts = FACTS, kind: NoticeKind = NoticeKind.FIRST, **more: Any
) -> Notice:
    return write_notice(report, facts, "s-1", kind, **more)


def test_the_message_reads_as_kept() -> None:
    said = written(report_of("pool"), FACTS.model_copy(update={"alert_count": 12}))
    assert said.lines == (
        "[critical] order-service: connection pool exhausted (root cause found)",
        "Incident: OrdersPoolExhausted, 12 alerts",
        *said.lines[2:-1],
        "Report: superbiz trace show s-1",
    )
    labels = [line.partition(": ")[0] for line in said.lines[2:-1]]
    assert labels[0] == "What"
    assert {"Impact", "Sure", "Do now"} <= set(labels)
    assert labels == sorted(labels, key=["What", "Impact", "Sure", "Do now"].index)
    assert "2026-03-04 20:00:" in "".join(said.lines)  # the reader's zone
    assert (said.title, said.cause) == (said.lines[0], "//service/order-service pool_exhaustion")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("marks", [False, True])
def test_every_line_is_the_reports_own(name: str, language: Language, *, marks: bool) -> None:
    report = report_of(name, language)
    narrator = narrator_for(language)
    said = written(report, public_url="https://superbiz.shop.test/", marks=marks)
    assert len(said.lines) <= MOST_LINES
    assert report.title in said.title
    assert narrator.say(f"verdict.{report.verdict.value}") in said.title
    own = {
        narrator.say(
            "notice.line",
            label=narrator.say(f"label.{claim.section.value}"),
            text=claim.text if marks else MARK.sub("", claim.text),
        )
        for claim in report.claims
        if claim.section in FIRST_SCREEN
    }
    assert set(said.lines[2:-1]) <= own
    assert said.link == "https://superbiz.shop.test/traces/s-1"
    assert said.lines[-1] == narrator.say("notice.report", place=said.link)


@pytest.mark.parametrize("language", list(Language))
def test_how_sure_and_since_when_and_what_to_do_are_always_said(language: Language) -> None:
    report = report_of("pool", language)
    said = "\n".join(written(report).lines)
    for section in (Section.WHAT, Section.SURENESS, Section.DO_NOW, Section.IMPACT):
        assert MARK.sub("", report.section(section)[0].text) in said
    assert "2026-03-04 20:00:" in said


@pytest.mark.parametrize(
    ("language", "title", "news"),
    [
        (Language.EN, "[critical] Resolved: order-service: ", "[critical] Resolved: order-service"),
        (Language.ZH, "[critical] 已恢复：order-service：", "[critical] 已恢复：order-service"),
    ],
)
def test_the_end_is_said_with_its_time(language: Language, title: str, news: str) -> None:
    over = FACTS.model_copy(update={"resolved_at": AT})
    said = written(report_of("pool", language), over, NoticeKind.RESOLVED)
    assert said.title.startswith(title)
    assert said.news.startswith(news)
    assert "2026-07-06 18:00:00 +08:00" in said.lines[1]


@pytest.mark.parametrize(
    ("kind", "news"),
    [(NoticeKind.FIRST_CAUSE, "A cause was found: "), (NoticeKind.NEW_VERDICT, "New result: ")],
)
def test_what_is_new_is_one_line(kind: NoticeKind, news: str) -> None:
    said = written(report_of("pool"), kind=kind)
    assert said.news == news + said.title


def test_the_start_of_an_incident_is_said_where_the_report_knows_none() -> None:
    started = FACTS.model_copy(update={"started_at": AT})
    undated = report_of("pool").model_copy(update={"claims": ()})
    assert "since 2026-07-06 18:00:00 +08:00" in written(undated, started).lines[1]
    assert "since" not in written(report_of("pool"), started).lines[1]


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://a.test", "https://a.test/traces/a%20b%2Fc"),
        ("http://a.test:9900/base/", "http://a.test:9900/base/traces/a%20b%2Fc"),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("https://" + "a" * 400, ""),
    ],
)
def test_where_to_read_on(url: str, link: str) -> None:
    said = write_notice(report_of("pool"), FACTS, "a b/c", NoticeKind.FIRST, public_url=url)
    assert said.link == link
    place = link or "superbiz trace show 'a b/c'"
    assert said.lines[-1] == f"Report: {place}"


@pytest.mark.parametrize(
    ("verdict", "cause"),
    [
        (Verdict.LIKELY, "//service/orders cpu"),
        (Verdict.ROOT_CAUSE_FOUND, "//service/orders cpu"),
        (Verdict.INCONCLUSIVE, ""),
        (Verdict.HEALTHY, ""),
    ],
)
def test_a_cause_is_named_only_by_verdicts_that_name_one(verdict: Verdict, cause: str) -> None:
    fields = {"verdict": verdict, "entity": "//service/orders", "fault_kind": FaultKind.CPU}
    assert cause_of(report_of("pool").model_copy(update=fields)) == cause


def test_a_long_statement_is_cut_where_all_can_see_it_and_keeps_its_marks() -> None:
    claim = report_of("pool").claims[0]
    long = claim.model_copy(update={"text": "word " * 100 + "[E6.1][E6.2]"})
    report = report_of("pool").model_copy(update={"claims": (long,)})
    (line,) = written(report, marks=True).lines[2:-1]
    assert len(line) <= MOST_CHARACTERS
    assert line.endswith("… (cut, whole in the report) [E6.1][E6.2]")
    (line,) = written(report).lines[2:-1]
    assert line.endswith("… (cut, whole in the report)")


def test_what_looks_like_a_slot_of_ours_stays_text() -> None:
    odd = "<verdict> <n> <at> <text> <label>"
    facts = IncidentFacts(
        incident_id="i-1", title=odd, severity="<title>", alert_count=2, started_at=AT
    )
    report = report_of("pool").model_copy(update={"title": odd, "claims": ()})
    said = written(report, facts)
    assert said.title == f"[<title>] {odd} (root cause found)"
    assert said.lines[1].startswith(f"Incident: {odd}, 2 alerts, since 2026")


TEXT = st.text(max_size=400)


@given(
    title=TEXT,
    severity=TEXT,
    texts=st.lists(st.tuples(st.sampled_from(FIRST_SCREEN), TEXT), max_size=20),
    alerts=st.integers(0, 10**9),
    kind=st.sampled_from(list(NoticeKind)),
    marks=st.booleans(),
    language=st.sampled_from(list(Language)),
)
def test_whatever_an_alert_holds_the_message_keeps_its_form(
    title: str,
    severity: str,
    texts: list[tuple[Section, str]],
    alerts: int,
    kind: NoticeKind,
    *,
    marks: bool,
    language: Language,
) -> None:
    claims = tuple(
        Claim(id=f"c{n}", section=section, kind=ClaimKind.OBSERVATION, text=text)
        for n, (section, text) in enumerate(texts)
    )
    report = report_of("pool", language).model_copy(update={"claims": claims, "title": title})
    facts = IncidentFacts(
        incident_id="i-1",
        title=title,
        severity=severity,
        alert_count=alerts,
        started_at=AT,
        resolved_at=AT,
    )
    said = written(report, facts, kind, marks=marks)
    assert Notice.model_validate_json(said.model_dump_json()) == said
    assert 3 <= len(said.lines) <= MOST_LINES
    for line in (*said.lines, said.title, said.news):
        assert len(line) <= MOST_CHARACTERS
        assert line == "".join(line.splitlines())
        assert line.encode()


def test_what_grouping_knows_is_what_a_message_says() -> None:
    state = IncidentState(
        incident_id="i-1",
        name="PoolExhausted",
        severity="error",
        core="orders",
        alert_count=3,
        opened_at=AT,
        started_at=AT,
        last_new_at=AT,
        resolved_at=AT,
    )
    facts = IncidentFacts.of(state)
    assert (facts.title, facts.severity, facts.alert_count) == ("PoolExhausted orders", "error", 3)
    assert facts.resolved_at is None  # it fires again
    over = state.model_copy(update={"status": AlertStatus.RESOLVED})
    assert IncidentFacts.of(over).resolved_at == AT


@pytest.mark.parametrize("language", list(Language))
def test_a_trial_says_that_it_is_about_nothing(language: Language) -> None:
    said = trial_notice(narrator_for(language), "2026-07-06 18:00:00 +08:00")
    assert said.lines[-1] == "2026-07-06 18:00:00 +08:00"
    assert said.language is language
