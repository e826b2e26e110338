"""What the report says, in which order, in both languages."""

import re
from datetime import timedelta

import pytest

from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.report import FIRST_SCREEN, ClaimKind, Report, Section
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.wording.markdown import report_markdown, sparkline_text
from superbizagent.investigation.wording.narrator import en, narrator_for, zh
from superbizagent.investigation.wording.values import quantity, quoted, short_name, span, zone_of
from tests.investigation.incidents import (
    ALERT,
    ALERT_AT,
    POOL_SKILLS,
    Diagnosed,
    Shop,
    pool_incident,
    quiet_shop,
)

Skills = tuple[Skill, ...]
SLOT = re.compile(r"\{[^{}]*\}|<\w+>")
SHOPS = {
    "pool": pool_incident,
    "quiet": quiet_shop,
    "symptom": lambda: pool_incident().without("db_client").without("connection"),
}


MARKS = re.compile(r" (\[E[\d.]+\])+$")


def texts(report: Report, section: Section) -> list[str]:
    """Sentences without their marks: the numbers of facts change with what else is read."""
    return [MARKS.sub("", c.text) for c in report.section(section)]


def test_the_first_screen_of_a_found_cause(skills: Skills) -> None:
    report = Diagnosed.of(pool_incident(noise=0.0), skills).report
    assert report.title == "order-service: connection pool exhausted"
    assert (report.verdict, report.fault_kind) == (
        Verdict.ROOT_CAUSE_FOUND,
        FaultKind.POOL_EXHAUSTION,
    )
    assert report.skills == POOL_SKILLS
    assert texts(report, Section.WHAT) == [
        (
            "Transactions of order-service hold their database connections too long, so its"
            " pool ran out: 10 of 10 in use, and requests wait."
        ),
        (
            "It shows since 2026-03-04 12:00:15 +00:00, 4 min ago; alert"
            " OrderServiceConnectionPoolExhausted fired at 12:02:00; still going on at 12:04:00."
        ),
    ]
    errors, latency = texts(report, Section.IMPACT)
    assert errors == (
        "Errors at order-service: 720 of 1440 requests failed (50 %, 3/s), none before."
    )
    # Half at 2.5 s, half at 2 s: what a request took, whichever way it ended.
    assert latency == "Latency at order-service: 2.25 s mean, 50 ms before."
    assert texts(report, Section.WHY) == [
        (
            "79 records show who held connections, like: 2026-03-04T12:00:06+00:00 WARN Connection"
            " held for 3021ms by place_order pool_active=10 pool_max=10"
        ),
        "On average a connection was held 3.03 s, 50 ms before.",
        "720 waits for a connection ended without one.",
    ]
    assert texts(report, Section.SURENESS) == [
        (
            "Root cause found: the mechanism itself was seen in the records; connection leak,"
            " connection limit reached tested and ruled out; far ahead of the next candidate."
        )
    ]


def test_the_same_in_chinese(skills: Skills) -> None:
    shop = pool_incident(noise=0.0, language=Language.ZH, timezone="Asia/Shanghai")
    report = Diagnosed.of(shop, skills).report
    assert report.title == "order-service：连接池耗尽"
    assert texts(report, Section.WHAT) == [
        (
            "order-service 的事务占用数据库连接时间过长，连接池被耗尽：10 个连接中已用 10 个，"
            "请求在等待连接。"
        ),
        (
            "从 2026-03-04 20:00:15 +08:00 开始，距今 4 分钟；告警 "
            "OrderServiceConnectionPoolExhausted 于 20:02:00 触发；到 20:04:00 仍在持续。"
        ),
    ]
    assert texts(report, Section.SURENESS) == [
        (
            "已找到根因：记录中直接看到了机制本身；已检验并排除连接泄漏、达到最大连接数；"
            "远远领先于其他候选。"
        )
    ]


def test_nothing_abnormal_is_a_report_of_its_own(skills: Skills) -> None:
    report = Diagnosed.of(quiet_shop(), skills).report
    assert report.title == "order-service: nothing abnormal found"
    assert texts(report, Section.WHAT) == [
        ("Nothing abnormal was found: none of the 17 series looked at left its band."),
        "Alert OrderServiceConnectionPoolExhausted fired at 2026-03-04 12:02:00 +00:00.",
    ]
    assert texts(report, Section.IMPACT) == [
        ("No impact seen: none of the 3 error and latency series of order-service left its band.")
    ]
    assert texts(report, Section.WHY) == []


def test_a_symptom_without_a_cause_says_so(skills: Skills) -> None:
    report = Diagnosed.of(SHOPS["symptom"](), skills).report
    assert report.title == "order-service: cause not found"
    assert report.section(Section.WHAT)[0].text.startswith("The cause was not found.")
    assert texts(report, Section.DO_NOW) == [
        "No mitigation is known: no playbook stands behind a cause."
    ]
    assert report.section(Section.CHECK_NEXT)[0].command.startswith("http_server_request")


def test_an_unknown_name_gets_near_names_and_never_their_data(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "X", "service": "order-servise"}, starts_at=ALERT_AT)
    report = Diagnosed.of(pool_incident(alert=alert), skills).report
    assert report.title == "order-servise: no data about it"
    assert texts(report, Section.WHAT)[0] == (
        "No data about order-servise in any source; near names: order-service."
    )
    assert report.section(Section.WHY) == ()


def test_failed_calls_are_named_with_their_reason(skills: Skills) -> None:
    shop = pool_incident()
    shop.failed["sweep:logs"] = EvidenceStatus.TIMEOUT
    report = Diagnosed.of(shop, skills).report
    assert texts(report, Section.NOT_SEEN)[0] == ("logs of shop timed out: refused")


def test_when_nothing_answers_the_report_says_nothing_else(skills: Skills) -> None:
    shop = pool_incident()
    for name in ("service/order-service", "database/mysql", "service/storefront"):
        shop.failed[f"sweep://{name}"] = EvidenceStatus.ERROR
    shop.failed["sweep:logs"] = EvidenceStatus.ERROR
    report = Diagnosed.of(shop, skills).report
    assert texts(report, Section.WHAT)[0].startswith("No source answered")
    assert texts(report, Section.IMPACT) == ["Impact not measured: no series was found."]
    assert len(texts(report, Section.NOT_SEEN)) >= 4


def test_a_question_without_a_time_states_the_assumption_first(skills: Skills) -> None:
    shop = pool_incident(alert=None, question="why is order-service slow?")
    report = Diagnosed.of(shop, skills).report
    assert any("change it with --from, --to or --at" in t for t in texts(report, Section.WHAT))


@pytest.mark.parametrize("name", SHOPS)
@pytest.mark.parametrize("language", list(Language))
def test_sections_keep_to_their_limits(name: str, language: Language, skills: Skills) -> None:
    shop = SHOPS[name]()
    shop.language = language
    report = Diagnosed.of(shop, skills).report
    for section in (Section.WHY, Section.DO_NOW, Section.CHECK_NEXT):
        assert len(report.section(section)) <= 3
    assert sum("sparkline" in c.extras for c in report.claims) <= 1
    for section in FIRST_SCREEN:
        assert report.section(section) or section is Section.WHY
    order = [list(Section).index(c.section) for c in report.claims]
    assert order == sorted(order)
    assert len({c.id for c in report.claims}) == len(report.claims)


def test_every_mitigation_has_a_risk_and_an_undo(skills: Skills) -> None:
    claims = Diagnosed.of(pool_incident(), skills).report.section(Section.DO_NOW)
    assert len(claims) == 3
    for claim in claims:
        assert claim.kind is ClaimKind.ADVICE
        assert claim.playbook == "diagnose-mysql-connection-pool"
        assert claim.extras["risk"]
        assert claim.extras["undo"]


def test_links_of_the_alert_are_given(skills: Skills) -> None:
    alert = ALERT.model_copy(update={"silence_url": "https://alerts.example.com/silence"})
    report = Diagnosed.of(pool_incident(alert=alert), skills).report
    assert report.section(Section.CHECK_NEXT)[-1].extras["links"] == [
        ["runbook", "https://runbooks.example.com/pool"],
        ["dashboard", "https://grafana.example.com/d/order-service"],
        ["silence", "https://alerts.example.com/silence"],
        ["owner", "team-orders"],
    ]


def test_the_bytes_are_the_same_every_time(skills: Skills) -> None:
    one, two = (Diagnosed.of(pool_incident(), skills).report for _ in range(2))
    assert canonical_bytes(one) == canonical_bytes(two)
    assert report_markdown(one) == report_markdown(two)


def test_markdown_says_everything_and_keeps_hostile_lines_harmless(skills: Skills) -> None:
    shop = pool_incident()
    hostile = (
        "Connection is not available <script>x</script> ![i](http://e.example) `a` *b* \x1b[31m"
    )
    shop.log("order-service", 4, hostile, every=1)
    report = Diagnosed.of(shop, skills).report
    text = report_markdown(report)
    assert "<script>" not in text
    assert "](http" not in text
    assert "\x1b" not in text
    assert text.startswith("# order-service: connection pool exhausted\n")
    for section in Section:
        heading = narrator_for(report.language).say(f"section.{section.value}")
        assert (f"## {heading}\n" in text) is bool(report.section(section))


def test_no_run_in_the_canonical_text(skills: Skills) -> None:
    dumped = Diagnosed.of(pool_incident(), skills).report.model_dump_json()
    assert "session_id" not in dumped
    assert "seconds_taken" not in dumped


# Words and values --------------------------------------------------------------------------------


def test_both_tables_have_the_same_phrases_with_the_same_slots() -> None:
    assert list(en.TABLE) == list(zh.TABLE)
    for key, phrase in en.TABLE.items():
        assert sorted(SLOT.findall(phrase)) == sorted(SLOT.findall(zh.TABLE[key])), key


def test_every_enum_value_that_is_spoken_has_a_phrase() -> None:
    keys = [f"fault.{k.value}" for k in FaultKind] + [f"verdict.{v.value}" for v in Verdict]
    keys += [f"sure.{v.value}" for v in Verdict] + [f"section.{s.value}" for s in Section]
    keys += [f"status.{s.value}" for s in EvidenceStatus] + [
        f"label.{s.value}" for s in FIRST_SCREEN
    ]
    assert [k for k in keys if k not in en.TABLE] == []


def test_no_phrase_has_a_number_of_its_own() -> None:
    for key, phrase in {**en.TABLE, **zh.TABLE}.items():
        assert not any(c.isdigit() for c in SLOT.sub("", phrase)), key


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (10.0, "", "10"),
        (14.5306, "", "14.5"),
        (0.05, "s", "50 ms"),
        (3.0303, "s", "3.03 s"),
        (0.0, "s", "0 s"),
        (1.6, "/s", "1.6/s"),
        (0.25, "s/s", "0.25 s/s"),
        (1536.0, "bytes", "1.5 KiB"),
        (0.955, "ratio", "95.5 %"),
        (123456.0, "", "123456"),
        (1234567.0, "", "1.23e+06"),
        (0.00001, "", "1e-05"),
        (-2.5, "ms", "-2.5 ms"),
        (118.0, "records", "118"),
        (float("inf"), "", "inf"),
        ("firing", "", "firing"),
        (None, "", "nothing"),
    ],
)
def test_a_value_reads_one_way(value: float | str | None, unit: str, text: str) -> None:
    assert quantity(value, unit, narrator_for(Language.EN)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s"),
        (50, "50 s"),
        (179, "179 s"),
        (240, "4 min"),
        (7500, "2 h 5 min"),
        (200000, "2 d 7 h"),
    ],
)
def test_a_span_reads_one_way(seconds: int, text: str) -> None:
    assert span(timedelta(seconds=seconds), narrator_for(Language.EN)) == text


def test_names_quotes_and_zones() -> None:
    assert short_name("up") == "up"
    assert short_name('up{instance="a:1",job="x"}') == "up"
    assert short_name('n{job="x",state="used"}') == 'n{state="used"}'
    assert quoted("a\n  b\x1b[0m\u202ec") == "a bc"
    assert len(quoted("x" * 500)) == 160
    assert zone_of("+08:00").utcoffset(None) == timedelta(hours=8)
    assert zone_of("No/Where").utcoffset(None) == timedelta(0)


def test_a_sparkline_has_a_blank_where_nothing_was() -> None:
    assert sparkline_text([0.0, None, 5.0, 10.0]) == "▁ ▅█"
    assert sparkline_text([3.0, 3.0]) == "▁▁"
    assert sparkline_text([]) == ""
    assert sparkline_text(None) == ""


def test_a_shop_can_be_without_anything(skills: Skills) -> None:
    report = Diagnosed.of(Shop(), skills).report
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.section(Section.WHAT)
