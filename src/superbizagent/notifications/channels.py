"""From settings to channels."""

from collections.abc import Callable

from superbizagent.domain.notification import Notifier
from superbizagent.notifications.apprise_channel import AppriseNotifier
from superbizagent.notifications.config import NotifyConfig, SlackConfig
from superbizagent.notifications.slack import SlackNotifier

__all__ = ["notifiers"]


def notifiers(
    config: NotifyConfig, slack_token: Callable[[SlackConfig], str]
) -> dict[str, Notifier]:
    """Return the channels by their names, in the order of the settings.

    Args:
        config: which there are.
        slack_token: returns the bot's token; asked only if there is such a channel.

    Raises:
        ConfigError: when a channel cannot be used as it is configured.
    """
    found: dict[str, Notifier] = {}
    if config.slack.channel:
        slack = SlackNotifier(config.slack, slack_token(config.slack))
        found[slack.name] = slack
    for name, url in config.apprise.items():
        found[name] = AppriseNotifier(
            name, url.get_secret_value().strip(), config.apprise_timeout_seconds
        )
    return found
