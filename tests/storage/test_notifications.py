"""The outbox on a real database: the same protocol as the one in memory, and who is faster."""

from datetime import timedelta

import pytest

from journaling import SetClock
from notices import NOW, notification
from notifications.scripted import ScriptedChannel
from superbizagent.domain.notification import NoticeKind, NotificationStatus
from superbizagent.errors import TemporaryNotificationError
from superbizagent.notifications.delivery import Delivery
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio


async def test_a_notification_comes_back_as_it_was_stored(storage: Storage) -> None:
    row = notification(kind=NoticeKind.RESOLVED, news="已恢复：orders")
    await storage.notifications.add(row)
    await storage.notifications.add(row.model_copy(update={"channel": "other"}))
    assert await storage.notifications.of_incident("i-1") == (row,)
    assert await storage.notifications.of_incident("i-2") == ()


async def test_only_what_waits_is_due_and_the_longest_due_is_first(storage: Storage) -> None:
    log = storage.notifications
    for number, minutes in ((1, 5), (2, 0), (3, 20)):
        at = NOW + timedelta(minutes=minutes)
        held = NotificationStatus.HELD if number == 1 else NotificationStatus.QUEUED
        await log.add(notification(number, next_attempt_at=at, status=held))
    later = NOW + timedelta(minutes=10)
    assert [n.notification_id for n in await log.due(later, 9)] == ["n-2", "n-1"]
    assert [n.notification_id for n in await log.due(later, 1)] == ["n-2"]
    assert await log.due(later, 9, ["slack"]) == ()
    await log.mark_sent("n-2", {"ts": "1"}, later)
    await log.mark_failed("n-1", "refused", None)
    assert await log.due(later, 9) == ()


async def test_an_attempt_belongs_to_one_process(storage: Storage) -> None:
    log, row = storage.notifications, notification()
    await log.add(row)
    again = NOW + timedelta(minutes=2)
    assert await log.begin(row, again)
    assert not await log.begin(row, again)
    (begun,) = await log.of_incident("i-1")
    assert (begun.attempts, begun.next_attempt_at) == (1, again)
    await log.mark_sent("n-1", {"ts": "1"}, NOW)
    assert not await log.begin(begun, again)


async def test_what_was_begun_is_not_withdrawn(storage: Storage) -> None:
    log, begun = storage.notifications, notification(1)
    await log.add(begun)
    await log.add(notification(2, status=NotificationStatus.HELD))
    await log.begin(begun, NOW)
    await log.withdraw("n-1")
    await log.withdraw("n-2")
    assert [n.notification_id for n in await log.of_incident("i-1")] == ["n-1"]


async def test_delivery_records_each_attempt(storage: Storage) -> None:
    log, clock = storage.notifications, SetClock(NOW)
    await log.add(notification())
    channel = ScriptedChannel(TemporaryNotificationError("busy"))
    sender = Delivery(log, {"slack": channel}, clock)
    assert await sender.deliver_due() == 0
    (row,) = await log.of_incident("i-1")
    assert (row.attempts, row.error, row.status) == (1, "busy", NotificationStatus.QUEUED)
    clock.pass_(30)
    assert await sender.deliver_due() == 1
    (row,) = await log.of_incident("i-1")
    assert (row.attempts, row.error, row.status) == (2, "", NotificationStatus.SENT)
    assert (row.reference, row.sent_at) == ({"ts": "1"}, NOW + timedelta(seconds=30))
