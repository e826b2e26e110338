"""Which playbook the rules choose, and why."""

import asyncio
from datetime import UTC, datetime

import pytest

from superbizagent.domain.alert import Alert
from superbizagent.domain.incident import Incident
from superbizagent.domain.plan import SkillChoice
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import SkillMetadata
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.rules import RulesReasoner

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
POOL = SkillMetadata(
    name="pool",
    description="d",
    alerts=("*ConnectionPool*",),
    keywords=("connection pool", "hikari", "max_connections", "连接池", "连接"),
)
DISK = SkillMetadata(name="disk", description="d", alerts=("DiskFull",), keywords=("disk", "full"))


def choose(
    alert: Alert | None = None, question: str = "", skills: tuple[SkillMetadata, ...] = (POOL, DISK)
) -> tuple[SkillChoice, ...]:
    scope = Scope(
        incident=Incident(question=question, received_at=NOW),
        windows=Windows(incident=Window(start=NOW, end=NOW), baselines=()),
        alert=alert,
    )
    return asyncio.run(RulesReasoner().choose_skills(scope, skills))


def named(alertname: str, **annotations: str) -> Alert:
    return Alert(labels={"alertname": alertname}, annotations=annotations)


def test_b03_pool_symptoms_select_the_pool_playbook() -> None:
    assert choose(named("OrderServiceConnectionPoolExhausted")) == (
        SkillChoice(
            name="pool",
            score=5.0,
            matched=("alert:*ConnectionPool*", "keyword:connection pool"),
        ),
    )


@pytest.mark.parametrize(
    "question",
    [
        "why is the connection pool of orders empty?",
        "why does HikariPool-1 have no connection-pool left",
        "order-service 的连接池为什么满了",
        "ｍａｘ＿ｃｏｎｎｅｃｔｉｏｎｓ reached",
        "max_connections reached",
    ],
)
def test_words_of_a_question_select_it(question: str) -> None:
    assert [c.name for c in choose(question=question)] == ["pool"]


@pytest.mark.parametrize(
    "question",
    ["", "hikari", "a connection failed", "connection carpool", "the diskette is fuller"],
)
def test_one_plain_word_or_a_part_of_a_word_is_not_enough(question: str) -> None:
    assert choose(question=question) == ()


def test_words_of_the_annotations_count() -> None:
    alert = named("Slow", summary="Database connection pool of orders is exhausted")
    assert [c.matched for c in choose(alert)] == [("keyword:connection pool",)]


def test_no_alert_name_matches_no_pattern() -> None:
    anything = SkillMetadata(name="any", description="d", alerts=("*",))
    assert choose(Alert(), skills=(anything,)) == ()
    assert [c.name for c in choose(named("X"), skills=(anything,))] == ["any"]


def test_best_first_then_by_name_and_three_at_most() -> None:
    many = tuple(
        SkillMetadata(name=n, description="d", alerts=("X",)) for n in ("d", "b", "c", "a")
    )
    better = SkillMetadata(name="z", description="d", alerts=("X",), keywords=("slow disk",))
    found = choose(named("X", summary="slow disk"), skills=(*many, better))
    assert [c.name for c in found] == ["z", "a", "b"]


def test_without_a_leading_alert_all_alerts_of_the_incident_count() -> None:
    scope = Scope(
        incident=Incident(alerts=(named("Other"), named("DiskFull")), received_at=NOW),
        windows=Windows(incident=Window(start=NOW, end=NOW), baselines=()),
    )
    found = asyncio.run(RulesReasoner().choose_skills(scope, (POOL, DISK)))
    assert [c.name for c in found] == ["disk"]
    assert RulesReasoner().name == "rules"
