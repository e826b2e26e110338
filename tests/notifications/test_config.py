"""What is refused before anything is sent, and what is never printed."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from superbizagent.notifications.channels import notifiers
from superbizagent.notifications.config import NotifyConfig, SlackConfig

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slack": {"channel": "C0"}}, "a channel needs the token"),
        ({"slack": {"token": "a", "token_env": "B"}}, "give one of token and token_env"),
        ({"apprise": {"slack": "json://x"}}, "apprise.slack: call it by small letters"),
        ({"apprise": {"A b": "json://x"}}, "apprise.A b"),
        ({"slack": {"base_url": "slack.com"}}, r"slack.base_url\n.*https\?://"),
        ({"slack": {"proxy": "ftp://proxy"}}, r"slack.proxy\n.*https\?://"),
        ({"quiet_verdicts": ["sleepy"]}, "root_cause_found"),
        ({"min_severity": "loud"}, "critical"),
        ({"update_gap_seconds": -1}, "greater than or equal to 0"),
        ({"chanel": 1}, "Extra inputs"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        NotifyConfig.model_validate(given)


def test_channels_stand_in_the_order_of_the_settings() -> None:
    slack = SlackConfig(channel="C0", token=SecretStr("xoxb-1"))
    config = NotifyConfig(slack=slack, apprise={"mail": SecretStr("a"), "hook": SecretStr("b")})
    assert config.channels == ("slack", "mail", "hook")
    assert NotifyConfig().channels == ()


def test_secrets_are_not_printed() -> None:
    config = NotifyConfig(
        slack=SlackConfig(channel="C0", token=SecretStr("xoxb-secret")),
        apprise={"mail": SecretStr("mailto://user:secret@shop.test")},
    )
    assert "secret" not in f"{config!r} {config} {config.model_dump_json()}"


def test_the_addresses_of_the_guide_are_ones_that_apprise_knows() -> None:
    page = (ROOT / "docs" / "guide" / "notifications.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    config = NotifyConfig.model_validate(tomllib.loads(block)["notify"])
    assert tuple(notifiers(config, lambda slack: slack.token_env)) == (
        "slack",
        "mail",
        "teams",
        "feishu",
        "lark",
        "dingtalk",
        "hook",
    )
