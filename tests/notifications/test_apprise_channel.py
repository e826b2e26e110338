"""Everything else, through Apprise: a webhook and a mail server that run here."""

import importlib.util
import logging
from importlib.machinery import ModuleSpec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_servers import Fault, Mailbox, Webhook
from notices import LINK, notice
from superbizagent.domain.notification import NoticeKind
from superbizagent.errors import (
    ConfigError,
    PermanentNotificationError,
    TemporaryNotificationError,
)
from superbizagent.notifications.apprise_channel import AppriseNotifier, defused, masked

pytestmark = [pytest.mark.anyio, pytest.mark.real_server]


async def test_a_webhook_gets_subject_text_and_weight(webhook: Webhook) -> None:
    sent = await AppriseNotifier("hook", webhook.url).send(notice(), None)
    ((path, body, _),) = webhook.asked
    assert sent.reference == {"channel": "hook"}
    assert path == "/path-secret"
    assert body["title"] == notice().title
    assert body["message"] == f"What: 10 of 10 connections are in use.\nReport: {LINK}"
    assert body["type"] == "failure"


async def test_what_follows_begins_with_what_is_new(webhook: Webhook) -> None:
    resolved = notice(kind=NoticeKind.RESOLVED, news="Resolved: orders")
    await AppriseNotifier("hook", webhook.url).send(resolved, {"channel": "hook"})
    ((_, body, _),) = webhook.asked
    assert (body["title"], body["type"]) == ("Resolved: orders", "success")


@pytest.mark.parametrize(("severity", "kind"), [("warning", "warning"), ("odd", "info")])
async def test_a_severity_is_said_in_the_words_of_apprise(
    webhook: Webhook, severity: str, kind: str
) -> None:
    await AppriseNotifier("hook", webhook.url).send(notice(severity=severity), None)
    assert webhook.asked[0][1]["type"] == kind


async def test_a_mail_has_a_subject_and_the_text_as_it_is(mailbox: Mailbox) -> None:
    text = notice(
        title="orders：连接池耗尽 <b>", lines=("orders：连接池耗尽 <b>", "现象：a < b & c", "end")
    )
    await AppriseNotifier("mail", mailbox.url).send(text, None)
    (mail,) = mailbox.mails
    assert mail["subject"] == "orders：连接池耗尽 <\u200bb>"
    assert (mail["from"].addresses[0].addr_spec, mail["to"]) == (
        "bot@shop.test",
        "oncall@shop.test",
    )
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().split("\r\n") == ["现象：a < b & c", "end", ""]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
async def test_a_refusal_is_final(webhook: Webhook, status: int) -> None:
    webhook.faults.append(Fault(status))
    with pytest.raises(PermanentNotificationError, match=f"error={status}.*notify.apprise.hook"):
        await AppriseNotifier("hook", webhook.url).send(notice(), None)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_worth_another_try(webhook: Webhook, status: int) -> None:
    webhook.faults.append(Fault(status))
    with pytest.raises(TemporaryNotificationError, match=f"error={status}"):
        await AppriseNotifier("hook", webhook.url).send(notice(), None)


async def test_a_mail_server_that_refuses_the_sender_is_final(mailbox: Mailbox) -> None:
    mailbox.refusal = "550 5.7.1 who are you"
    with pytest.raises(PermanentNotificationError, match="who are you"):
        await AppriseNotifier("mail", mailbox.url).send(notice(), None)
    mailbox.refusal = "451 4.3.0 later"
    with pytest.raises(TemporaryNotificationError, match="later"):
        await AppriseNotifier("mail", mailbox.url).send(notice(), None)


async def test_nobody_listening_is_worth_another_try(webhook: Webhook) -> None:
    webhook.stop()
    with pytest.raises(TemporaryNotificationError, match="Connection refused"):
        await AppriseNotifier("hook", webhook.url).send(notice(), None)


async def test_a_server_that_does_not_answer_is_given_up_in_time(webhook: Webhook) -> None:
    webhook.faults.append(Fault(wait_seconds=1.5))
    with pytest.raises(TemporaryNotificationError, match=r"longer than 0\.3 s"):
        await AppriseNotifier("hook", webhook.url, 0.3).send(notice(), None)


async def test_no_secret_of_an_address_is_in_a_message(webhook: Webhook) -> None:
    notifier = AppriseNotifier("hook", webhook.url)
    for fault in (Fault(404), Fault(500)):
        webhook.faults.append(fault)
        with pytest.raises((PermanentNotificationError, TemporaryNotificationError)) as told:
            await notifier.send(notice(), None)
        assert not any(s in str(told.value) for s in ("hook-secret", "hook-user", "path-secret"))


async def test_nothing_reaches_the_log_of_the_program(webhook: Webhook) -> None:
    seen: list[str] = []
    handler = logging.Handler(0)
    handler.emit = lambda record: seen.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    try:
        webhook.faults.append(Fault(404))
        with pytest.raises(PermanentNotificationError):
            await AppriseNotifier("hook", webhook.url).send(notice(), None)
    finally:
        logging.getLogger().removeHandler(handler)
    assert not any("secret" in line for line in seen)


async def test_formatting_of_a_messenger_is_escaped(webhook: Webhook) -> None:
    said = notice(lines=("t", "[click](https://evil.test) *now*"))
    await AppriseNotifier("hook", f"{webhook.url}?format=markdown").send(said, None)
    assert webhook.asked[0][1]["message"] == r"\[click\]\(https://evil\.test\) \*now\*"


@pytest.mark.parametrize("url", ["nosuch://secret-token/x", "secret-token", "", "discord://no"])
def test_an_address_that_apprise_does_not_know_is_one_line_without_it(url: str) -> None:
    with pytest.raises(ConfigError, match=r"notify\.apprise\.chat is no address") as told:
        AppriseNotifier("chat", url)
    assert "secret-token" not in str(told.value)


def test_without_the_extra_one_line_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        assert name == "apprise"
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find)
    with pytest.raises(ConfigError, match=r"pip install 'superbizagent\[notify\]'"):
        AppriseNotifier("chat", "json://127.0.0.1")


@pytest.mark.parametrize(
    "text",
    ["@all", "x@everyone", "@所有人", '<at user_id="all">', "<!here>", "<@U1>", "<@&7>", "@bob"],
)
def test_words_that_wake_everybody_are_defused(text: str) -> None:
    plain = defused(text)
    assert text not in plain
    assert plain.replace("\u200b", "") == text


@pytest.mark.parametrize("text", ["oncall@shop.test", "p99 < 3 s", "a <= b", "5 > 3", "@ 10:00"])
def test_what_mentions_nobody_stays(text: str) -> None:
    assert defused(text) == text


@given(st.text(st.sampled_from("@<>!alher x\u200b&")))
def test_defusing_twice_is_defusing_once_and_leaves_no_mention(text: str) -> None:
    plain = defused(text)
    assert defused(plain) == plain
    assert not any(word in plain.lower() for word in ("@all", "@here", "<@", "<!"))


def test_short_words_of_an_address_do_not_garble_a_message() -> None:
    url = "json://u:p%40ss-word@hooks.test/to/T0KEN"
    said = masked("to hooks.test: T0KEN p@ss-word p%40ss-word u", [url])
    assert said == "to ***: *** *** *** u"
