"""Slack, by its Web API: one message an incident, edited as the incident goes on, with a thread.

Texts go out as rich-text blocks, in which no character is markup: nothing that an alert's label
holds can mention a channel, format, or link. The plain `text` beside them, which phones show, is
escaped as Slack asks for.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.json_values import mapping
from superbizagent.domain.notification import Notice, Reference, Sent
from superbizagent.errors import (
    ConfigError,
    NotificationError,
    PermanentNotificationError,
    TemporaryNotificationError,
)
from superbizagent.notifications.config import SLACK, SlackConfig

__all__ = ["SlackNotifier", "escaped", "rich_text"]

_TEXT_CHARACTERS = 3000
"""Of the plain text; Slack takes more, and shows no more of it anywhere."""

_BUSY = frozenset(
    {
        "fatal_error",
        "internal_error",
        "rate_limited",
        "ratelimited",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
    }
)
"""What Slack calls its own trouble: another try may help."""

_GONE = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})
"""The message cannot be edited (any more): a new one is posted."""

_TOKEN = "give the token of a bot (xoxb-…) as notify.slack.token"  # noqa: S105 - advice, no token
_HINTS: Mapping[str, str] = {
    "account_inactive": _TOKEN,
    "invalid_auth": _TOKEN,
    "not_allowed_token_type": _TOKEN,
    "not_authed": _TOKEN,
    "token_expired": _TOKEN,
    "token_revoked": _TOKEN,
    "channel_not_found": "correct notify.slack.channel, and invite the bot if it is private",
    "is_archived": "name another channel as notify.slack.channel",
    "missing_scope": "give the bot the scope chat:write and install it again",
    "no_permission": "give the bot the scope chat:write and install it again",
    "not_in_channel": "invite the bot there: /invite @NAME-OF-THE-BOT",
    "restricted_action": "an administrator of the workspace has to allow the bot to post there",
}


class SlackNotifier:
    """Posts by ``chat.postMessage`` and edits by ``chat.update``.

    A message that was posted while its answer got lost is posted again by the next try: Slack has
    no key by which it would know it. Edits may be repeated without harm.

    Args:
        config: which channel, where Slack is.
        token: of the bot.

    Raises:
        ConfigError: when the token cannot be one.
    """

    def __init__(self, config: SlackConfig, token: str) -> None:
        self._config = config
        self._token = token.strip()
        if not re.fullmatch(r"[!-~]+", self._token):
            raise ConfigError(f"the token of Slack is empty or holds blanks; {_TOKEN}")

    @property
    def name(self) -> str:
        """``slack``."""
        return SLACK

    async def send(self, notice: Notice, previous: Reference | None) -> Sent:
        """Post a message, or edit the incident's and say below it what is new.

        Raises:
            TemporaryNotificationError: when Slack is busy or not there.
            PermanentNotificationError: when it refuses.
        """
        async with self._client() as client:
            if previous and await self._edit(client, notice, previous):
                thread = {"channel": previous["channel"], "thread_ts": previous["ts"]}
                await self._call(client, "chat.postMessage", thread | _content([notice.news]))
                return Sent(reference=previous)
            target = {"channel": self._config.channel}
            said = await self._call(
                client, "chat.postMessage", target | _content(notice.lines, notice.link)
            )
        where = {"channel": str(said.get("channel", "")), "ts": str(said.get("ts", ""))}
        if not all(where.values()):
            raise self._strange("chat.postMessage", "its answer names no message")
        return Sent(reference=where)

    async def _edit(self, client: httpx2.AsyncClient, notice: Notice, previous: Reference) -> bool:
        """Edit a message; False when it is gone."""
        target = {"channel": previous.get("channel"), "ts": previous.get("ts")}
        if not all(target.values()):
            return False
        try:
            await self._call(client, "chat.update", target | _content(notice.lines, notice.link))
        except _GoneError:
            return False
        return True

    def _client(self) -> httpx2.AsyncClient:
        # Nothing comes from the environment: see `HttpClient` of the data sources.
        try:
            return httpx2.AsyncClient(
                timeout=self._config.timeout_seconds,
                headers={"Authorization": f"Bearer {self._token}"},
                proxy=self._config.proxy or None,
                trust_env=False,
            )
        except (httpx2.InvalidURL, ValueError) as error:
            raise PermanentNotificationError(
                f"notify.slack.proxy is no address ({error}); correct it"
            ) from None

    async def _call(
        self, client: httpx2.AsyncClient, method: str, body: Mapping[str, Any]
    ) -> dict[str, Any]:
        url = f"{self._config.base_url.rstrip('/')}/{method}"
        headers = {"Content-Type": "application/json; charset=utf-8"}
        try:
            async with asyncio.timeout(self._config.timeout_seconds):
                answer = await client.post(url, content=canonical_bytes(body), headers=headers)
        except (httpx2.TimeoutException, TimeoutError):
            raise TemporaryNotificationError(
                f"Slack did not answer {method} within {self._config.timeout_seconds:g} s"
            ) from None
        except httpx2.InvalidURL as error:
            raise PermanentNotificationError(
                f"notify.slack.base_url is no address ({error}); correct it"
            ) from None
        except httpx2.HTTPError as error:
            reason = self._masked(str(error) or type(error).__name__)
            raise TemporaryNotificationError(
                f"Slack cannot be reached ({reason}); check the network and notify.slack.proxy"
            ) from None
        return self._read(method, answer)

    def _read(self, method: str, answer: httpx2.Response) -> dict[str, Any]:
        """Return a good answer; Slack says most of what went wrong with status 200."""
        try:
            said = mapping(loads(answer.content))
        except ValueError:
            said = {}
        error = self._masked(str(said.get("error", "")))[:100]
        wait = _seconds(answer.headers.get("retry-after", ""))
        if answer.status_code == 429 or error in _BUSY or answer.status_code >= 500:
            raise TemporaryNotificationError(
                f"Slack is busy ({error or answer.status_code}); it is tried again", wait
            )
        if said.get("ok") is True and answer.status_code < 300:
            return said
        if not error:
            raise self._strange(method, f"it answers {answer.status_code} without an error")
        raise _refusal(method, error, self._masked(str(said.get("needed", "")))[:100])

    def _strange(self, method: str, what: str) -> PermanentNotificationError:
        return PermanentNotificationError(
            f"what answers at notify.slack.base_url is not Slack's API ({method}: {what});"
            " correct it"
        )

    def _masked(self, text: str) -> str:
        line = " ".join(text.split())
        return line.replace(self._token, "***")


class _GoneError(PermanentNotificationError):
    """The message that was to be edited is not there, or may not be edited any more."""


def _refusal(method: str, error: str, needed: str) -> NotificationError:
    scope = f", needed: {needed}" if needed else ""
    hint = _HINTS.get(error, f"see https://docs.slack.dev/reference/methods/{method}")
    kind = _GoneError if error in _GONE else PermanentNotificationError
    return kind(f"Slack refuses {method} ({error}{scope}); {hint}")


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _content(lines: Sequence[str], link: str = "") -> dict[str, Any]:
    text = escaped("\n".join(lines))
    return {
        "text": text if len(text) <= _TEXT_CHARACTERS else escaped(lines[0]),
        "blocks": [rich_text(lines, link)],
        "mrkdwn": False,
        "parse": "none",
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def escaped(text: str) -> str:
    """Return a text as Slack shows it verbatim: ``<!here>`` and ``<@U1>`` mention nobody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rich_text(lines: Sequence[str], link: str = "") -> dict[str, Any]:
    """Return lines as a block, the first in bold, ``link`` at the end of the last as a link."""
    first, *rest = lines
    body = "\n".join(["", *rest])
    elements: list[dict[str, Any]] = [{"type": "text", "text": first, "style": {"bold": True}}]
    end = link if link and body.endswith(link) else ""
    if said := body.removesuffix(end):
        elements.append({"type": "text", "text": said})
    if end:
        elements.append({"type": "link", "url": end})
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": elements}],
    }
