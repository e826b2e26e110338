"""``superbiz notify test``: each channel, how it went, and what to do next."""

from collections.abc import Generator
from pathlib import Path

import pytest

from channel_servers import TOKEN, FakeSlack, Fault, Webhook, refused, running
from commanding import Superbiz

pytestmark = pytest.mark.real_server


@pytest.fixture
def slack() -> Generator[FakeSlack]:
    yield from running(FakeSlack)


@pytest.fixture
def webhook() -> Generator[Webhook]:
    yield from running(Webhook)


@pytest.fixture
def configured(
    slack: FakeSlack, webhook: Webhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", f"{TOKEN}\n")
    text = f"""
[notify.slack]
channel = "{slack.channel}"
token_env = "BOT_TOKEN"
base_url = "{slack.url}"

[notify.apprise]
hook = "{webhook.url}"
"""
    (tmp_path / "superbiz.toml").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("configured")
def test_every_channel_gets_a_message(
    superbiz: Superbiz, slack: FakeSlack, webhook: Webhook
) -> None:
    ended = superbiz("notify", "test")
    assert ended.code == 0
    assert [line.split()[:2] for line in ended.out.splitlines()] == [
        ["slack", "ok:"],
        ["hook", "ok:"],
    ]
    assert slack.messages[0].shown.startswith("Test message of superbizagent\n")
    assert webhook.asked[0][1]["title"] == "Test message of superbizagent"


@pytest.mark.usefixtures("configured")
def test_one_channel_in_the_readers_language(
    superbiz: Superbiz, slack: FakeSlack, webhook: Webhook
) -> None:
    assert superbiz("notify", "test", "--channel", "slack", "--lang", "zh").code == 0
    assert slack.messages[0].shown.startswith("superbizagent 测试消息\n")
    assert webhook.asked == []


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (refused("not_in_channel"), 2, "/invite @"),
        (refused("invalid_auth"), 2, "give the token of a bot"),
        (Fault(503), 3, "Slack is busy"),
    ],
)
def test_a_failure_says_what_to_do_and_keeps_no_other_from_trying(
    superbiz: Superbiz, slack: FakeSlack, fault: Fault, code: int, said: str
) -> None:
    slack.faults.append(fault)
    ended = superbiz("notify", "test")
    assert ended.code == code
    first, second = ended.out.splitlines()
    assert said in first
    assert "ok:" in second
    assert "secret" not in ended.out + ended.err


def test_without_a_channel_one_line_names_the_settings(superbiz: Superbiz) -> None:
    ended = superbiz("notify", "test")
    assert ended.code == 2
    assert "notify.slack.channel" in ended.error


@pytest.mark.usefixtures("configured")
def test_an_unknown_channel_is_answered_by_those_there_are(superbiz: Superbiz) -> None:
    ended = superbiz("notify", "test", "--channel", "teams")
    assert ended.code == 2
    assert "there are: slack, hook" in ended.error


@pytest.mark.usefixtures("configured")
def test_a_variable_that_is_not_set_is_named(
    superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOT_TOKEN")
    ended = superbiz("notify", "test", "--channel", "slack")
    assert ended.code == 2
    assert "export BOT_TOKEN" in ended.out


def test_channels_may_be_given_in_the_environment(
    superbiz: Superbiz, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_NOTIFY__APPRISE__HOOK", webhook.url)
    assert superbiz("notify", "test").code == 0
    assert len(webhook.asked) == 1


@pytest.mark.usefixtures("configured")
def test_no_secret_is_shown_by_the_configuration(superbiz: Superbiz) -> None:
    ended = superbiz("config", "show")
    assert ended.code == 0
    assert "notify.slack.channel" in ended.out
    assert "hook-secret" not in ended.out
    assert "path-secret" not in ended.out
