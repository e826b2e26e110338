"""What ``superbiz notify test`` does."""

import asyncio
from collections.abc import Sequence

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import settings_for
from superbizagent.domain.incident import report_language
from superbizagent.domain.notification import Notice
from superbizagent.errors import ConfigError, SuperbizError, UsageError
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.notice import trial_notice
from superbizagent.investigation.wording.values import instant, zone_of
from superbizagent.notifications.channels import notifier
from superbizagent.notifications.config import NotifyConfig, SlackConfig
from superbizagent.settings import Settings, local_timezone, locale_language, secret_of

__all__ = ["send_test", "slack_token"]

_OK = "ok: it took the message; look whether it arrived"
_NONE = (
    "no channel is configured; give notify.slack.channel, or an address under [notify.apprise],"
    " in superbiz.toml: see the guide on notifications"
)


def slack_token(slack: SlackConfig) -> str:
    """Return the bot's token from the settings or from the variable they name.

    Raises:
        ConfigError: when that variable is not set.
    """
    return secret_of(slack.token, slack.token_env, "notify.slack.token")


async def send_test(channels: Sequence[str], lang: str | None) -> int:
    """Send a test message to each channel and print how that went; return the exit code.

    Raises:
        ConfigError: when there is no channel.
        UsageError: when a channel is asked for that there is not.
    """
    settings = settings_for()
    config = settings.notify
    if not config.channels:
        raise ConfigError(_NONE)
    unknown = [name for name in channels if name not in config.channels]
    if unknown:
        raise UsageError(
            f"there is no channel {unknown[0]!r}; there are: {', '.join(config.channels)}"
        )
    notice = _notice(settings, lang)
    names = list(dict.fromkeys(channels)) or list(config.channels)
    failed = await asyncio.gather(*(_try(config, name, notice) for name in names))
    width = max(map(len, names))
    for name, error in zip(names, failed, strict=True):
        said = " ".join(str(error).split()) if error else _OK
        click.echo(f"{name:<{width}}  {said}")
    return max((error.exit_code for error in failed if error), default=0)


async def _try(config: NotifyConfig, name: str, notice: Notice) -> SuperbizError | None:
    try:
        await notifier(config, name, slack_token).send(notice, None)
    except SuperbizError as error:
        return error
    return None


def _notice(settings: Settings, lang: str | None) -> Notice:
    language = report_language(lang or settings.lang, "", locale_language())
    at = instant(SystemClock().now(), zone_of(settings.timezone or local_timezone()))
    return trial_notice(narrator_for(language), at)
