"""From reports to what a channel shows: one message, edited, across a real outbox and Slack."""

from collections.abc import AsyncGenerator, Generator
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

import pytest
from pydantic import SecretStr

from channel_servers import TOKEN, FakeSlack, Fault, running
from journaling import SetClock, opened
from notices import NOW
from superbizagent.domain.finding import Verdict
from superbizagent.domain.notification import IncidentFacts, NotificationStatus
from superbizagent.domain.report import Report
from superbizagent.notifications.channels import notifiers
from superbizagent.notifications.config import NotifyConfig, SlackConfig
from superbizagent.notifications.delivery import Delivery
from superbizagent.notifications.policy import Action
from superbizagent.storage.store import Storage
from superbizagent.workers.announcing import Announcer
from tests.investigation.incidents import Diagnosed, load_skills, pool_incident

pytestmark = [pytest.mark.anyio, pytest.mark.real_server]

FACTS = IncidentFacts(incident_id="i-1", title="OrdersPoolExhausted", severity="critical")
OVER = FACTS.model_copy(update={"resolved_at": NOW + timedelta(minutes=5)})


@lru_cache
def report(verdict: Verdict = Verdict.ROOT_CAUSE_FOUND) -> Report:
    made = Diagnosed.of(pool_incident(), load_skills()).verified().report
    return made.model_copy(update={"verdict": verdict})


@pytest.fixture
def slack() -> Generator[FakeSlack]:
    yield from running(FakeSlack)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW)


@pytest.fixture
async def storage(tmp_path: Path, clock: SetClock, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, clock) as storage:
        yield storage


class Desk:
    """Announces and delivers as a worker does."""

    def __init__(self, storage: Storage, clock: SetClock, slack: FakeSlack) -> None:
        config = NotifyConfig(
            slack=SlackConfig(token=SecretStr(TOKEN), channel=slack.channel, base_url=slack.url)
        )
        self.log = storage.notifications
        self.announcer = Announcer(self.log, config, clock, "https://superbiz.shop.test")
        self._delivery = Delivery(self.log, notifiers(config, lambda _: TOKEN), clock)

    async def hears(self, verdict: Verdict, facts: IncidentFacts = FACTS) -> str:
        """Announce and deliver; return why something was said or not."""
        decided = await self.announcer.announce(report(verdict), facts, f"s-{verdict.value}")
        await self.delivers()
        return decided["slack"].reason

    async def delivers(self) -> int:
        return await self._delivery.deliver_due()


@pytest.fixture
def desk(storage: Storage, clock: SetClock, slack: FakeSlack) -> Desk:
    return Desk(storage, clock, slack)


async def test_an_incident_is_one_message_from_its_first_word_to_its_end(
    desk: Desk, clock: SetClock, slack: FakeSlack
) -> None:
    assert await desk.hears(Verdict.INCONCLUSIVE) == "quiet"
    assert slack.messages == []
    assert await desk.hears(Verdict.LIKELY) == "first"
    clock.pass_(600)
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND) == "new_verdict"
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND) == "nothing_new"
    clock.pass_(600)
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND, OVER) == "resolved"
    (message,) = slack.messages
    assert message.edits == 2
    assert [line.split(":")[0] for line in message.thread] == ["New result", "[critical] Resolved"]
    assert message.shown.startswith("[critical] Resolved: order-service")
    assert message.shown.endswith("https://superbiz.shop.test/traces/s-root_cause_found")


async def test_what_came_too_soon_is_said_when_the_gap_is_over(
    desk: Desk, clock: SetClock, slack: FakeSlack
) -> None:
    await desk.hears(Verdict.LIKELY)
    clock.pass_(60)
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND) == "too_soon"
    assert slack.messages[0].edits == 0
    clock.pass_(540)
    assert await desk.delivers() == 1
    assert slack.messages[0].edits == 1


async def test_what_waits_gives_way_to_what_is_newer(
    desk: Desk, clock: SetClock, slack: FakeSlack
) -> None:
    await desk.hears(Verdict.LIKELY)
    clock.pass_(60)
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND) == "too_soon"
    clock.pass_(60)
    assert await desk.hears(Verdict.ROOT_CAUSE_FOUND, OVER) == "too_soon"
    clock.pass_(60)
    waiting = [n for n in await desk.log.of_incident("i-1") if n.is_waiting]
    assert [n.notice.kind for n in waiting] == ["resolved"]
    clock.pass_(420)
    assert await desk.delivers() == 1
    assert len(slack.messages[0].thread) == 1


async def test_what_waits_and_is_no_news_any_more_is_not_said(
    desk: Desk, clock: SetClock, slack: FakeSlack
) -> None:
    await desk.hears(Verdict.LIKELY)
    clock.pass_(60)
    await desk.hears(Verdict.ROOT_CAUSE_FOUND)
    assert await desk.hears(Verdict.LIKELY) == "nothing_new"
    clock.pass_(3600)
    assert await desk.delivers() == 0
    assert slack.messages[0].edits == 0


async def test_a_slack_that_was_down_gets_the_message_later_and_once(
    desk: Desk, clock: SetClock, slack: FakeSlack
) -> None:
    slack.faults += [Fault(503), Fault(429, b"", {"Retry-After": "120"})]
    await desk.hears(Verdict.LIKELY)
    (row,) = await desk.log.of_incident("i-1")
    assert (row.status, row.attempts) == (NotificationStatus.QUEUED, 1)
    assert await desk.hears(Verdict.LIKELY) == "nothing_new"
    clock.pass_(30)
    assert await desk.delivers() == 0
    clock.pass_(119)
    assert await desk.delivers() == 0
    clock.pass_(1)
    assert await desk.delivers() == 1
    assert len(slack.messages) == 1


async def test_a_worker_that_says_it_again_after_a_death_says_it_once(desk: Desk) -> None:
    for _ in range(2):  # the first dies before anything is delivered
        decided = await desk.announcer.announce(report(), FACTS, "s-1")
        assert decided["slack"].action is Action.SEND
    assert len(await desk.log.of_incident("i-1")) == 1
    assert await desk.delivers() == 1


async def test_two_incidents_are_two_messages(desk: Desk, slack: FakeSlack) -> None:
    await desk.hears(Verdict.LIKELY)
    await desk.hears(Verdict.LIKELY, FACTS.model_copy(update={"incident_id": "i-2"}))
    assert len(slack.messages) == 2
