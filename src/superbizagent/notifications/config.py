"""Settings of notifications. Light: it is read by every command."""

import re
from datetime import timedelta
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from superbizagent.domain.finding import Verdict

__all__ = ["SLACK", "NotifyConfig", "SlackConfig"]

SLACK = "slack"
"""Name of the channel that `SlackConfig` describes."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class SlackConfig(BaseModel):
    """A bot of a Slack workspace and the channel it writes to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    token: SecretStr | None = None
    """Of the bot (`xoxb-…`), with the scope `chat:write`; better in the environment."""
    token_env: str = ""
    """Name of the environment variable that holds the token."""
    channel: str = ""
    """Id (`C0123456789`) or name of the channel; empty: nothing goes to Slack."""
    base_url: str = Field(default="https://slack.com/api", pattern=r"^https?://\S+$")
    """Where Slack's API is; another address for a proxy in front of it."""
    proxy: str = Field(default="", pattern=r"^(https?://\S+)?$")
    """Proxy to go through, `http://host:port`; variables such as `HTTPS_PROXY` are not read."""
    timeout_seconds: float = Field(default=10.0, gt=0)
    """Of one request."""

    @model_validator(mode="after")
    def _one_token(self) -> Self:
        if self.token and self.token_env:
            raise ValueError("give one of token and token_env")
        if self.channel and not (self.token or self.token_env):
            raise ValueError("a channel needs the token of a bot; give token or token_env")
        return self


class NotifyConfig(BaseModel):
    """Where messages go, and when there is one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slack: SlackConfig = SlackConfig()
    apprise: dict[str, SecretStr] = {}
    """Name -> address of everything else, as Apprise writes it: `mailtos://…`, `workflows://…`."""
    apprise_timeout_seconds: float = Field(default=30.0, gt=0)
    """Of one delivery through Apprise."""
    min_severity: Literal["", "warning", "error", "critical"] = ""
    """Incidents below are not told; empty: all are. One without any of these is always told."""
    quiet_verdicts: tuple[Verdict, ...] = (Verdict.INCONCLUSIVE, Verdict.HEALTHY)
    """What nobody is woken for: diagnoses that end so are not told. In the environment a list."""
    update_gap_seconds: float = Field(default=600.0, ge=0)
    """Between two messages about one incident; what comes earlier is held back."""
    resolved_at_once: bool = False
    """Say that an incident is over without waiting for the gap."""
    marks: bool = False
    """Keep the citations (`[E3.2]`) in the messages; the report has them in any case."""
    max_attempts: int = Field(default=10, ge=1, le=100)
    """Of one message: 30 s, 1 min, 2 min, … apart, an hour at most; then it is given up."""

    @property
    def update_gap(self) -> timedelta:
        """How long one incident keeps silent after a message."""
        return timedelta(seconds=self.update_gap_seconds)

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels, in the order of the settings."""
        return ((SLACK,) if self.slack.channel else ()) + tuple(self.apprise)

    @model_validator(mode="after")
    def _names(self) -> Self:
        for name in self.apprise:
            if not _NAME.fullmatch(name) or name == SLACK:
                raise ValueError(
                    f"apprise.{name}: call it by small letters, digits, - and _, and not {SLACK!r}"
                )
        return self
