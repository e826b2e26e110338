"""From settings to channels."""

from collections.abc import Callable

from superbizagent.domain.notification import Notifier
from superbizagent.notifications.apprise_channel import AppriseNotifier
from superbizagent.notifications.config import SLACK, NotifyConfig, SlackConfig
from superbizagent.notifications.slack import SlackNotifier

__all__ = ["notifier", "notifiers"]

TokenOf = Callable[[SlackConfig], str]
"""Returns the bot's token; asked only for the channel that needs it."""


def notifiers(config: NotifyConfig, slack_token: TokenOf) -> dict[str, Notifier]:
    """Return the channels by their names, in the order of the settings.

    Raises:
        ConfigError: when a channel cannot be used as it is configured.
    """
    return {name: notifier(config, name, slack_token) for name in config.channels}


def notifier(config: NotifyConfig, name: str, slack_token: TokenOf) -> Notifier:
    """Return one of ``config.channels``.

    Raises:
        ConfigError: when it cannot be used as it is configured.
    """
    if name == SLACK:
        return SlackNotifier(config.slack, slack_token(config.slack))
    url = config.apprise[name].get_secret_value().strip()
    return AppriseNotifier(name, url, config.apprise_timeout_seconds)
