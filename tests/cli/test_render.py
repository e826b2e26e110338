"""The forms of a report: limits of the first screen, colours, JSON, the footer."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from superbizagent.cli.render import render_json, render_markdown, render_terminal
from superbizagent.cli.render.footer import footer_text
from superbizagent.cli.render.layout import claim_lines, fitting, labelled
from superbizagent.domain.alert import Alert
from superbizagent.domain.evaluation import AiopsCheckId
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Envelope, RejectedClaim, Report, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.wording.markdown import report_markdown
from superbizagent.investigation.wording.narrator import narrator_for
from tests.investigation.incidents import (
    ALERT,
    ALERT_AT,
    Diagnosed,
    Shop,
    load_skills,
    pool_incident,
    quiet_shop,
)

SCREENS = Path(__file__).parent / "screens"
ENVELOPE = Envelope(
    session_id="0192e5f0-7b1c-7c7e-b1a2-0123456789ab", seconds=1.84, queries=12, gate="PASS"
)
MARK = re.compile(r"\[E[\d.]+\]")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def failing() -> Shop:
    shop = pool_incident()
    shop.failed["sweep:logs"] = EvidenceStatus.TIMEOUT
    shop.failed["sweep://database/mysql"] = EvidenceStatus.DENIED
    return shop


def crowded() -> Shop:
    """Long names, long lines, three links, everything at once."""
    alert = ALERT.model_copy(
        update={
            "labels": ALERT.labels | {"alertname": "A" * 70},
            "silence_url": "https://alerts.example.com/#/silences/new?filter=" + "x" * 90,
        }
    )
    shop = pool_incident(alert=alert)
    text = "Connection held for 4000ms by " + "very_long_purpose_" * 12
    return shop.log("order-service", 2, text, severity="error", every=1)


def unknown() -> Shop:
    alert = Alert(labels={"alertname": "X", "service": "order-servise"}, starts_at=ALERT_AT)
    return pool_incident(alert=alert)


CASES: dict[str, Callable[[], Shop]] = {
    "pool": pool_incident,
    "quiet": quiet_shop,
    "symptom": lambda: pool_incident().without("db_client").without("connection"),
    "failing": failing,
    "crowded": crowded,
    "unknown": unknown,
    "question": lambda: pool_incident(alert=None, question="why is order-service slow?"),
    "empty": Shop,
}


@lru_cache
def report_of(name: str, language: Language = Language.EN) -> Report:
    shop = CASES[name]()
    shop.language = language
    shop.timezone = "Asia/Shanghai"
    return Diagnosed.of(shop, load_skills()).verified().report


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", CASES)
def test_the_first_screen_fits(name: str, language: Language) -> None:
    text = render_terminal(report_of(name, language), ENVELOPE)
    rows = [max(1, -(-cell_len(line) // 100)) for line in text.splitlines()]
    assert sum(rows) <= 25
    assert text.endswith("\n")
    assert "\x1b" not in text
    # Only what is to be copied may be longer: the terminal wraps it, it stays whole.
    wide = [line for line in text.splitlines() if cell_len(line) > 100]
    assert all("://" in line or line.strip().startswith(("mysql", "{", "http")) for line in wide)


@pytest.mark.parametrize("language", list(Language))
def test_the_screen_reads_as_kept(language: Language) -> None:
    """Marks are left out: numbers of facts change with what else is read."""
    text = render_terminal(report_of("pool", language), ENVELOPE)
    plain = "\n".join(line.rstrip() for line in MARK.sub("", text).splitlines()) + "\n"
    kept = SCREENS / f"pool.{language.value}.txt"
    assert plain == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_every_statement_of_the_screen_keeps_its_marks(name: str) -> None:
    report = report_of(name)
    text = render_terminal(report, ENVELOPE)
    for claim in report.section(Section.WHAT)[:1]:
        assert all(f"[{i}]" in text for i in claim.fact_ids)


def test_everything_is_there_in_full() -> None:
    report = report_of("pool")
    bad = RejectedClaim(claim=report.claims[0], reason="text_differs")
    report = report.model_copy(update={"rejected": (bad,)})
    flat = " ".join(render_terminal(report, ENVELOPE, full=True).split())
    for claim in report.claims:
        if not claim.extras.get("links"):
            assert " ".join(claim.text.split()) in flat
        assert claim.command in flat
    assert "Statements taken out" in flat
    assert "written from the facts it reads otherwise" in flat
    assert "https://grafana.example.com/d/order-service" in flat


def test_colours_change_no_character() -> None:
    report = report_of("pool")
    for full in (False, True):
        plain = render_terminal(report, ENVELOPE, full=full)
        styled = render_terminal(report, ENVELOPE, full=full, color=True)
        assert "\x1b[" in styled
        stripped = "".join(f"{line.rstrip()}\n" for line in ANSI.sub("", styled).splitlines())
        assert stripped == plain


def test_a_hostile_line_cannot_steer_the_terminal() -> None:
    shop = pool_incident()
    hostile = "Connection is not available \x1b[2J\x1b]0;x\x07 \u202eabc \x9b31m"
    shop.log("order-service", 1, hostile, every=0.5)
    report = Diagnosed.of(shop, load_skills()).verified().report
    for full in (False, True):
        text = render_terminal(report, ENVELOPE, full=full)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def test_markdown_is_the_canonical_text_and_the_footer() -> None:
    report = report_of("pool")
    text = render_markdown(report, ENVELOPE)
    canonical = report_markdown(report)
    assert text.startswith(canonical)
    assert ENVELOPE.session_id in text
    assert ENVELOPE.session_id not in canonical
    assert "1.8 s" not in canonical


def test_json_holds_report_and_envelope() -> None:
    report = report_of("pool", Language.ZH)
    text = render_json(report, ENVELOPE)
    value = json.loads(text)
    assert Report.model_validate(value["report"]) == report
    assert Envelope.model_validate(value["envelope"]) == ENVELOPE
    assert "连接池" in text


def test_the_footer_says_what_the_run_was() -> None:
    narrator = narrator_for(Language.EN)
    assert footer_text(ENVELOPE, narrator) == (
        "1.8 s, 12 queries, no model, gate PASS (on topic, used evidence),"
        " session 0192e5f0-7b1c-7c7e-b1a2-0123456789ab"
    )
    short = ENVELOPE.model_copy(update={"session_id": "s-1"})
    assert footer_text(short, narrator, room=100).endswith(", --full: more")
    more = ENVELOPE.model_copy(
        update={"sources_failed": 2, "reasoner": "agent", "tokens": 900, "gate": ""}
    )
    assert footer_text(more.model_copy(update={"session_id": "s"}), narrator, room=20) == (
        "1.8 s, 12 queries, 2 sources failed, 900 tokens, session s"
    )


@pytest.mark.parametrize("language", list(Language))
def test_the_footer_counts_and_fits(language: Language) -> None:
    narrator = narrator_for(language)
    one = ENVELOPE.model_copy(update={"sources_failed": 1, "queries": 1})
    said = {
        Language.EN: ", 1 query, 1 source failed, ",
        Language.ZH: ", 1 次查询, 1 个数据源失败, ",
    }
    assert said[language] in footer_text(one, narrator)
    many = ENVELOPE.model_copy(update={"sources_failed": 12, "queries": 1234, "seconds": 59.9})
    assert cell_len(footer_text(many, narrator, room=100)) <= 100


@pytest.mark.parametrize("language", list(Language))
def test_a_gate_that_passed_says_what_it_tested(language: Language) -> None:
    narrator = narrator_for(language)
    text = footer_text(ENVELOPE, narrator, room=100)
    assert {Language.EN: "PASS (on topic", Language.ZH: "PASS（切题"}[language] in text
    assert cell_len(text) <= 100
    warned = ENVELOPE.model_copy(update={"gate": "WARN"})
    assert "WARN," in footer_text(warned, narrator, room=100)
    crowded = ENVELOPE.model_copy(update={"sources_failed": 12, "seconds": 123456.0})
    assert "PASS," in footer_text(crowded, narrator, room=100)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (Language.EN, "gate WARN (topic, evidence: superbiz trace show)"),
        (Language.ZH, "门 WARN（切题、证据：superbiz trace show）"),
    ],
)
def test_a_gate_that_warns_says_which_check_did_and_where_to_read_it(
    language: Language, told: str
) -> None:
    checks = ("payload_focus", "evidence_coverage")
    warned = ENVELOPE.model_copy(update={"gate": "WARN", "gate_checks": checks, "seconds": 1.0})
    short = warned.model_copy(update={"session_id": "s-1"})
    assert told in footer_text(short, narrator_for(language), room=100)
    assert set(checks) <= {check.value for check in AiopsCheckId}
    assert all(narrator_for(language).knows(f"gate.{check.value}") for check in AiopsCheckId)


def test_where_room_is_short_a_quoted_line_loses_its_time_before_its_words() -> None:
    line = "2026-11-30T12:41:16.777Z WARN [orders.pool] Connection held for 2753ms by place_order"
    text = f"204 records show who held connections, like: {line} [E1.2]"
    [cut] = labelled("Why", [text], 100, most=1)
    assert "like: …WARN [orders.pool] Connection held" in cut.plain
    assert cut.plain.endswith("… [E1.2]")
    [whole] = labelled("Why", [f"like: {line} [E1.2]"], 120, most=1)
    assert line in whole.plain


def test_our_own_words_are_never_cut() -> None:
    report = report_of("crowded")
    text = " ".join(render_terminal(report, ENVELOPE).split())
    for claim in (*report.section(Section.SURENESS), *report.section(Section.WHAT)):
        if not claim.template.endswith("|quote}"):
            assert " ".join(claim.text.split()) in text


def test_remarks_are_shown_whole_or_counted() -> None:
    texts = ["orders.log cannot be read; record it again", "; b.log: too long", "; c.log: too long"]
    tails = ["; 2 more", "; 1 more", ""]
    assert fitting(texts, 200, 1, tails) == "".join(texts)
    assert fitting(texts, 75, 1, tails) == texts[0] + tails[0]
    assert fitting(texts, 30, 1, tails) == texts[0]


# Wrapping ----------------------------------------------------------------------------------------


@given(
    st.text(st.sampled_from("ab 连接池，（）.x[]E1"), max_size=200),
    st.integers(min_value=20, max_value=60),
)
def test_no_line_is_wider_than_asked_and_nothing_is_lost(text: str, width: int) -> None:
    lines = [line.plain for line in claim_lines("- ", text, width)]
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(line[2:] for line in lines).split()) == "".join(text.split())


@given(st.text(st.sampled_from("ab 连接池，（）x"), max_size=300), st.integers(1, 3))
def test_a_cut_statement_keeps_its_marks(text: str, most: int) -> None:
    lines = [t.plain for t in labelled("What", [f"{text} [E1.2][E3]"], 60, most=most)]
    assert len(lines) <= most
    assert "[E1.2][E3]" in "".join(line[10:] for line in lines).replace("\n", "")
    assert all(cell_len(line) <= 60 for line in lines)


def test_a_stop_never_begins_a_line() -> None:
    text = "连接池耗尽，" * 30
    assert all(not line.plain[2:].startswith("，") for line in claim_lines("- ", text, 31))


# Extremes ----------------------------------------------------------------------------------------


def test_a_screen_that_can_never_fit_is_cut_at_its_end() -> None:
    report = report_of("pool")
    what = report.section(Section.WHAT)[0]
    command = "mysql -e '" + "x" * 900 + "'"
    many = tuple(what.model_copy(update={"id": f"C{n}", "command": command}) for n in range(9))
    crowd = report.model_copy(update={"claims": (*many, *report.claims)})
    text = render_terminal(crowd, ENVELOPE)
    rows = [max(1, -(-cell_len(line) // 100)) for line in text.splitlines()]
    assert sum(rows) <= 25
    assert text.splitlines()[-1].startswith("1.8 s")
    assert command in text


def test_sections_without_a_statement_have_no_label() -> None:
    report = report_of("pool")
    bare = report.model_copy(update={"claims": report.section(Section.WHAT)})
    text = render_terminal(bare, ENVELOPE)
    assert "Impact" not in text
    assert "Impact" not in render_terminal(bare, ENVELOPE, full=True)


def test_a_statement_with_more_marks_than_room_keeps_the_first_lines() -> None:
    marks = "".join(f"[E{n}.1]" for n in range(40))
    lines = [t.plain for t in labelled("", [f"text {marks}"], 40, most=2)]
    assert len(lines) == 2
