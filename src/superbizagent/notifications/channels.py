"""From settings to channels."""

from collections.abc import Callable

from superbizagent.domain.notification import Notifier
from superbizagent.errors import ConfigError
from superbizagent.notifications.apprise_channel import AppriseNotifier
from superbizagent.notifications.config import SLACK, NotifyConfig, SlackConfig
from superbizagent.notifications.slack import SlackNotifier

__all__ = ["notifier", "notifiers"]

TokenOf = Callable[[SlackConfig], str]
"""Returns the bot's token; asked only for the channel that needs it."""


Wrong = Callable[[str, ConfigError], object]
"""Told which channel cannot be used as it is configured, and why."""


def _raise(_: str, error: ConfigError) -> None:
    raise error


def notifiers(
    config: NotifyConfig, slack_token: TokenOf, wrong: Wrong = _raise
) -> dict[str, Notifier]:
    """Return the channels that can be used by their names, in the order of the settings.

    Args:
        config: the channels.
        slack_token: returns the bot's token.
        wrong: told of the others; without it the first of them is an error.

    Raises:
        ConfigError: when a channel cannot be used as it is configured, and nobody is told.
    """
    found: dict[str, Notifier] = {}
    for name in config.channels:
        try:
            found[name] = notifier(config, name, slack_token)
        except ConfigError as error:
            wrong(name, error)
    return found


def notifier(config: NotifyConfig, name: str, slack_token: TokenOf) -> Notifier:
    """Return one of ``config.channels``.

    Raises:
        ConfigError: when it cannot be used as it is configured.
    """
    if name == SLACK:
        return SlackNotifier(config.slack, slack_token(config.slack))
    url = config.apprise[name].get_secret_value().strip()
    return AppriseNotifier(name, url, config.apprise_timeout_seconds)
