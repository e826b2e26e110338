"""Slack as it answers: one message, edits, a thread, and refusals with status 200."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from channel_servers import TOKEN, FakeSlack, Fault, refused
from notices import LINK, notice
from superbizagent.domain.notification import MOST_CHARACTERS, MOST_LINES, NoticeKind
from superbizagent.errors import (
    ConfigError,
    PermanentNotificationError,
    TemporaryNotificationError,
)
from superbizagent.notifications.config import SlackConfig
from superbizagent.notifications.slack import SlackNotifier, escaped, rich_text

pytestmark = [pytest.mark.anyio, pytest.mark.real_server]


def bot(slack: FakeSlack, token: str = TOKEN, **fields: object) -> SlackNotifier:
    given = {"token": SecretStr(token), "channel": slack.channel, "base_url": slack.url}
    return SlackNotifier(SlackConfig.model_validate(given | fields), token)


async def test_the_first_message_is_posted(slack: FakeSlack) -> None:
    sent = await bot(slack).send(notice(), None)
    (message,) = slack.messages
    assert sent.reference == {"channel": "C0DEMO", "ts": message.ts}
    assert message.shown == "\n".join(notice().lines)
    assert message.blocks[0]["elements"][0]["elements"][-1] == {"type": "link", "url": LINK}
    assert message.text == "\n".join(notice().lines)


async def test_what_is_new_edits_the_message_and_stands_in_its_thread(slack: FakeSlack) -> None:
    first = await bot(slack).send(notice(), None)
    news = notice(kind=NoticeKind.RESOLVED, title="over", news="[critical] Resolved: orders")
    again = await bot(slack).send(news, first.reference)
    (message,) = slack.messages
    assert again == first
    assert (message.edits, message.thread) == (1, ["[critical] Resolved: orders"])
    assert message.shown.startswith("over\n")


async def test_a_message_that_was_deleted_is_posted_anew(slack: FakeSlack) -> None:
    await bot(slack).send(notice(), None)
    slack.messages.clear()
    sent = await bot(slack).send(notice(), {"channel": "C0DEMO", "ts": "1.0"})
    assert [m.ts for m in slack.messages] == [sent.reference["ts"]]


async def test_a_reference_of_another_form_is_no_message(slack: FakeSlack) -> None:
    await bot(slack).send(notice(), {"channel": "slack"})
    assert len(slack.messages) == 1


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("invalid_auth", "give the token of a bot"),
        ("channel_not_found", "correct notify.slack.channel"),
        ("not_in_channel", "/invite @"),
        ("is_archived", "name another channel"),
        ("missing_scope", "chat:write"),
        ("brand_new_error", "https://docs.slack.dev/reference/methods/chat.postMessage"),
    ],
)
async def test_a_refusal_is_final_and_says_what_to_do(
    slack: FakeSlack, error: str, advice: str
) -> None:
    slack.faults.append(refused(error))
    with pytest.raises(PermanentNotificationError, match=error) as told:
        await bot(slack).send(notice(), None)
    assert advice in str(told.value)


async def test_a_wrong_token_or_channel_is_refused_by_slack_itself(slack: FakeSlack) -> None:
    with pytest.raises(PermanentNotificationError, match="invalid_auth"):
        await bot(slack, "xoxb-other").send(notice(), None)
    with pytest.raises(PermanentNotificationError, match="channel_not_found"):
        await bot(slack, channel="C0OTHER").send(notice(), None)


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (Fault(429, b'{"ok":false,"error":"ratelimited"}', {"Retry-After": "77"}), 77),
        (Fault(429, b"", {"Retry-After": "soon"}), 0),
        (refused("ratelimited"), 0),
        (refused("internal_error"), 0),
        (Fault(503, b"<html>"), 0),
    ],
)
async def test_a_busy_slack_is_worth_another_try(
    slack: FakeSlack, fault: Fault, wait: float
) -> None:
    slack.faults.append(fault)
    with pytest.raises(TemporaryNotificationError) as told:
        await bot(slack).send(notice(), None)
    assert told.value.retry_after_seconds == wait


async def test_a_slack_that_does_not_answer_is_given_up_in_time(slack: FakeSlack) -> None:
    slack.faults.append(Fault(wait_seconds=5))
    with pytest.raises(TemporaryNotificationError, match=r"did not answer .* within 0.2 s"):
        await bot(slack, timeout_seconds=0.2).send(notice(), None)


async def test_nobody_listening_is_worth_another_try(slack: FakeSlack) -> None:
    slack.stop()
    with pytest.raises(TemporaryNotificationError, match="cannot be reached"):
        await bot(slack).send(notice(), None)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(200, b"<html>log in</html>"),
        Fault(302, b"", {"Location": "https://login.test"}),
        Fault(404, b"nothing"),
        Fault(200, b'{"ok":true}'),
        Fault(200, b"[1]"),
    ],
)
async def test_what_is_no_slack_is_told_apart(slack: FakeSlack, fault: Fault) -> None:
    slack.faults.append(fault)
    with pytest.raises(PermanentNotificationError, match=r"base_url is not Slack's API"):
        await bot(slack).send(notice(), None)


@pytest.mark.parametrize("key", ["base_url", "proxy"])
async def test_an_address_that_is_none_is_one_line(key: str) -> None:
    given = {"token": TOKEN, "channel": "C0", key: "https://slack.test:port"}
    with pytest.raises(PermanentNotificationError, match=f"notify.slack.{key} is no address"):
        await SlackNotifier(SlackConfig.model_validate(given), TOKEN).send(notice(), None)


async def test_the_token_is_in_no_message(slack: FakeSlack) -> None:
    slack.faults.append(refused(f"bad {TOKEN}", needed=TOKEN))
    with pytest.raises(PermanentNotificationError) as told:
        await bot(slack).send(notice(), None)
    assert TOKEN not in str(told.value)
    assert TOKEN not in repr(SlackConfig(token=SecretStr(TOKEN), channel="C0"))


@pytest.mark.parametrize("token", ["", "  ", "xoxb two", "xoxb-ü"])
def test_a_token_that_cannot_be_one_is_refused_at_once(token: str) -> None:
    with pytest.raises(ConfigError, match="token of Slack"):
        SlackNotifier(SlackConfig(), token)


async def test_an_answer_that_was_lost_means_a_second_message_and_no_third(
    slack: FakeSlack,
) -> None:
    slack.faults.append(Fault(503, after=True))
    with pytest.raises(TemporaryNotificationError):
        await bot(slack).send(notice(), None)
    sent = await bot(slack).send(notice(), None)
    await bot(slack).send(notice(), sent.reference)
    assert len(slack.messages) == 2


HOSTILE = ["<!channel>", "<!here|x>", "<@U024BE7LH>", "<https://evil.test|click>", "&lt;!here&gt;"]


@pytest.mark.parametrize("text", HOSTILE)
async def test_text_of_an_alert_is_no_markup(slack: FakeSlack, text: str) -> None:
    await bot(slack).send(notice(title=text, lines=(text, f"a {text}", "end"), link=""), None)
    (message,) = slack.messages
    assert message.shown == f"{text}\na {text}\nend"
    assert "<" not in message.text
    (_, body, _) = slack.asked[0]
    kinds = {e["type"] for e in body["blocks"][0]["elements"][0]["elements"]}
    assert kinds == {"text"}
    assert (body["parse"], body["link_names"], body["unfurl_links"]) == ("none", False, False)


LINES = st.lists(
    st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=MOST_CHARACTERS),
    min_size=1,
    max_size=MOST_LINES,
).filter(lambda lines: bool(lines[0]))


@given(LINES)
def test_every_character_is_shown_as_it_is(lines: list[str]) -> None:
    block = rich_text(lines)
    elements = block["elements"][0]["elements"]
    assert "".join(e["text"] for e in elements) == "\n".join(lines)
    assert all(e["type"] == "text" and e["text"] for e in elements)


@given(st.text())
def test_escaping_leaves_no_control_sequence_and_loses_nothing(text: str) -> None:
    plain = escaped(text)
    assert "<" not in plain
    assert ">" not in plain
    back = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert back == text


async def test_the_longest_message_fits(slack: FakeSlack) -> None:
    lines = ("&" * MOST_CHARACTERS,) * MOST_LINES
    await bot(slack).send(notice(title="t", lines=lines, link=""), None)
    (message,) = slack.messages
    assert len(message.text) <= 3000
    assert message.shown == "\n".join(lines)
