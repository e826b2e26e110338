"""Each attempt is recorded, repeated with pauses, and given up in the end."""

import asyncio
from datetime import timedelta

import pytest

from journaling import SetClock
from notices import NOW, notification
from notifications.scripted import DiedError, MemoryLog, ScriptedChannel
from superbizagent.domain.notification import NoticeKind, Notification, NotificationStatus
from superbizagent.errors import PermanentNotificationError, TemporaryNotificationError
from superbizagent.notifications import delivery as delivery_module
from superbizagent.notifications.delivery import Delivery, pause

pytestmark = pytest.mark.anyio


def delivery(
    log: MemoryLog, clock: SetClock, *channels: ScriptedChannel, max_attempts: int = 10
) -> Delivery:
    return Delivery(log, {c.name: c for c in channels}, clock, max_attempts)


def only(log: MemoryLog) -> Notification:
    (row,) = log.rows.values()
    return row


@pytest.mark.parametrize(
    ("attempts", "asked", "seconds"),
    [
        (1, 0, 30),
        (2, 0, 60),
        (7, 0, 1920),
        (8, 0, 3600),
        (99, 0, 3600),
        (1, 90, 90),
        (9, 7200, 7200),
        (1, 1e300, 86400),
    ],
)
def test_pauses_double_up_to_an_hour_and_honour_what_is_asked(
    attempts: int, asked: float, seconds: int
) -> None:
    assert pause(attempts, asked) == timedelta(seconds=seconds)


async def test_what_is_due_is_sent_once() -> None:
    log, clock, channel = MemoryLog(notification()), SetClock(NOW), ScriptedChannel()
    assert await delivery(log, clock, channel).deliver_due() == 1
    assert await delivery(log, clock, channel).deliver_due() == 0
    row = only(log)
    assert (row.status, row.attempts, row.reference) == (NotificationStatus.SENT, 1, {"ts": "1"})
    assert (row.sent_at, row.error) == (NOW, "")


async def test_what_is_not_due_waits() -> None:
    held = notification(status=NotificationStatus.HELD, next_attempt_at=NOW + timedelta(minutes=10))
    log, clock, channel = MemoryLog(held), SetClock(NOW), ScriptedChannel()
    assert await delivery(log, clock, channel).deliver_due() == 0
    clock.pass_(600)
    assert await delivery(log, clock, channel).deliver_due() == 1


async def test_a_temporary_failure_is_tried_again_after_doubling_pauses() -> None:
    log, clock = MemoryLog(notification()), SetClock(NOW)
    channel = ScriptedChannel(*[TemporaryNotificationError("busy")] * 3)
    sender = delivery(log, clock, channel)
    waits: list[float] = []
    while not channel.took:
        await sender.deliver_due()
        row = only(log)
        if row.next_attempt_at is not None and row.is_waiting:
            assert (row.status, row.error) == (NotificationStatus.QUEUED, "busy")
            waits.append((row.next_attempt_at - clock.now()).total_seconds())
            clock.pass_(waits[-1] - 1)
            assert await sender.deliver_due() == 0
            clock.pass_(1)
    assert waits == [30, 60, 120]
    assert (only(log).attempts, only(log).error) == (4, "")


async def test_what_the_channel_asks_for_is_waited() -> None:
    log, clock = MemoryLog(notification()), SetClock(NOW)
    channel = ScriptedChannel(TemporaryNotificationError("limited", 300))
    await delivery(log, clock, channel).deliver_due()
    assert only(log).next_attempt_at == NOW + timedelta(seconds=300)


async def test_after_the_last_attempt_it_is_given_up() -> None:
    log, clock = MemoryLog(notification()), SetClock(NOW)
    channel = ScriptedChannel(*[TemporaryNotificationError("busy")] * 9)
    for _ in range(5):
        await delivery(log, clock, channel, max_attempts=3).deliver_due()
        clock.pass_(3600)
    row = only(log)
    assert (row.status, row.attempts, row.error) == (NotificationStatus.FAILED, 3, "busy")
    assert channel.tried == 3


async def test_a_permanent_failure_is_given_up_at_once() -> None:
    log, clock = MemoryLog(notification()), SetClock(NOW)
    channel = ScriptedChannel(PermanentNotificationError("not_in_channel; invite the bot"))
    await delivery(log, clock, channel).deliver_due()
    clock.pass_(7200)
    await delivery(log, clock, channel).deliver_due()
    row = only(log)
    assert (row.status, row.error) == (NotificationStatus.FAILED, "not_in_channel; invite the bot")
    assert channel.tried == 1


async def test_a_channel_that_is_configured_no_more_is_told() -> None:
    log, clock = MemoryLog(notification(channel="gone")), SetClock(NOW)
    await delivery(log, clock, ScriptedChannel()).deliver_due()
    assert only(log).status is NotificationStatus.FAILED
    assert "no channel 'gone' any more" in only(log).error


async def test_a_channel_that_is_down_keeps_no_other_waiting() -> None:
    log = MemoryLog(notification(1), notification(2, channel="mail"))
    clock = SetClock(NOW)
    down = ScriptedChannel(TemporaryNotificationError("down"))
    mail = ScriptedChannel(name="mail")
    assert await delivery(log, clock, down, mail).deliver_due() == 1
    assert len(mail.took) == 1


async def test_a_busy_channel_is_left_alone_for_as_long_as_it_asks() -> None:
    log = MemoryLog(notification(1), notification(2, incident_id="i-2"))
    clock = SetClock(NOW)
    channel = ScriptedChannel(TemporaryNotificationError("limited", 60))
    sender = delivery(log, clock, channel)
    for passed in (0, 30, 29):
        clock.pass_(passed)
        assert await sender.deliver_due() == 0
    assert channel.tried == 1
    clock.pass_(1)
    assert await sender.deliver_due() == 2


async def test_it_goes_on_when_the_database_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery_module, "_LOOK_SECONDS", 0.0)
    log, clock, channel = MemoryLog(notification()), SetClock(NOW), ScriptedChannel()
    log.refuses = 2
    running = asyncio.create_task(delivery(log, clock, channel).run())
    await asyncio.wait_for(channel.taken.wait(), 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert log.refuses == 0


async def test_a_crowd_before_a_busy_channel_keeps_no_other_waiting() -> None:
    crowd = [notification(n, incident_id=f"i-{n}") for n in range(150)]
    late = notification(200, channel="mail", created_at=NOW + timedelta(seconds=1))
    log, clock = MemoryLog(*crowd, late), SetClock(NOW)
    down = ScriptedChannel(TemporaryNotificationError("down"))
    mail = ScriptedChannel(name="mail")
    sender = delivery(log, clock, down, mail)
    assert await sender.deliver_due() == 0
    assert await sender.deliver_due() == 1
    assert (down.tried, len(mail.took)) == (1, 1)


async def test_an_update_names_the_message_that_it_updates() -> None:
    first = notification(1)
    update = notification(2, kind=NoticeKind.RESOLVED, created_at=NOW + timedelta(seconds=1))
    other = notification(3, incident_id="i-2")
    log, clock, channel = MemoryLog(first, update, other), SetClock(NOW), ScriptedChannel()
    sender = delivery(log, clock, channel)
    await sender.deliver_due()
    await sender.deliver_due()
    said = [(n.incident_id, n.kind, previous) for n, previous in channel.took]
    assert said == [
        ("i-1", NoticeKind.FIRST, None),
        ("i-2", NoticeKind.FIRST, None),
        ("i-1", NoticeKind.RESOLVED, {"ts": "1"}),
    ]


async def test_an_update_waits_until_the_first_message_is_out() -> None:
    update = notification(2, kind=NoticeKind.RESOLVED, created_at=NOW + timedelta(seconds=1))
    log, clock = MemoryLog(notification(1), update), SetClock(NOW)
    channel = ScriptedChannel(TemporaryNotificationError("down"))
    sender = delivery(log, clock, channel)
    assert await sender.deliver_due() == 0
    assert await sender.deliver_due() == 0
    assert channel.tried == 1
    clock.pass_(30)
    await sender.deliver_due()
    await sender.deliver_due()
    assert [n.kind for n, _ in channel.took] == [NoticeKind.FIRST, NoticeKind.RESOLVED]


async def test_a_death_between_sending_and_recording_sends_twice_at_most() -> None:
    log, clock, channel = MemoryLog(notification()), SetClock(NOW), ScriptedChannel()
    log.dies_at = "mark_sent"
    with pytest.raises(DiedError):
        await delivery(log, clock, channel).deliver_due()
    assert (only(log).attempts, only(log).status) == (1, NotificationStatus.QUEUED)
    log.dies_at = ""
    clock.pass_(119)
    assert await delivery(log, clock, channel).deliver_due() == 0
    clock.pass_(1)
    assert await delivery(log, clock, channel).deliver_due() == 1
    clock.pass_(3600)
    assert await delivery(log, clock, channel).deliver_due() == 0
    assert len(channel.took) == 2


async def test_deaths_do_not_repeat_for_ever() -> None:
    log, clock, channel = MemoryLog(notification(attempts=2)), SetClock(NOW), ScriptedChannel()
    await delivery(log, clock, channel, max_attempts=2).deliver_due()
    assert (only(log).status, channel.tried) == (NotificationStatus.FAILED, 0)


async def test_two_processes_send_once() -> None:
    row = notification()
    log, clock, channel = MemoryLog(row), SetClock(NOW), ScriptedChannel()
    assert await log.begin(row, NOW + timedelta(minutes=2))
    sender = delivery(log, clock, channel)
    assert await sender._one(row) is False
    assert channel.tried == 0
