"""Every other channel, through Apprise: Teams, Feishu, DingTalk, e-mail, a webhook, and more.

Apprise sends and cannot edit, so what is new comes as a message of its own. It is synchronous and
says what went wrong only in its log, which is read for each delivery by itself.
"""

import asyncio
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from superbizagent.domain.notification import Notice, NoticeKind, Reference, Sent
from superbizagent.errors import (
    ConfigError,
    NotificationError,
    PermanentNotificationError,
    TemporaryNotificationError,
)

if TYPE_CHECKING:
    from apprise import AppriseResult

__all__ = ["AppriseNotifier", "defused", "masked"]

_MENTION = re.compile(
    r"@(?=(?:everyone|here|channel|all)\b|所有人)"  # wherever it stands
    r"|(?<!\w)@(?=\w)"  # but not in a mail address
    r"|<(?=[@!#a-z])",  # tags and mentions of several messengers
    re.IGNORECASE,
)
_ZERO_WIDTH = "\u200b"
_REASON_CHARACTERS = 400
_DEBUG = 10
"""Level at which Apprise says why; of what it says there only that is read, not the payload."""
_CAUSE = "Socket Exception"
_SMTP = re.compile(r"(?:Socket Exception: \(|was refused: )5\d\d\b")
_STATUS = re.compile(r"\berror=(\d{3})\b")
_SHORTEST_SECRET = 4
"""Shorter parts of an address are words such as ``to``; masking those would garble messages."""
_GRACE_SECONDS = 2.0
"""For Apprise to say itself that its time is over."""
_REFUSED = frozenset({400, 401, 403, 404, 405, 410, 413, 422})


class AppriseNotifier:
    """One address of Apprise.

    A delivery that takes longer than its time is given up and tried again, while it may still
    arrive.

    Args:
        name: of the channel, in settings and rows.
        url: its address, which holds its secrets and is never printed.
        timeout_seconds: of one delivery.

    Raises:
        ConfigError: when Apprise is not installed, or does not know such an address.
    """

    def __init__(self, name: str, url: str, timeout_seconds: float = 30.0) -> None:
        self._name = name
        self._url = url
        self._timeout_seconds = timeout_seconds
        self._notify = _notify(name, url)

    @property
    def name(self) -> str:
        """Name of the channel."""
        return self._name

    async def send(self, notice: Notice, previous: Reference | None) -> Sent:
        """Send a message; one that follows another begins with what is new.

        Raises:
            TemporaryNotificationError: when it did not arrive and may another time.
            PermanentNotificationError: when the channel refuses it.
        """
        title = notice.title if previous is None else notice.news
        body = "\n".join(notice.lines[1:])
        try:
            async with asyncio.timeout(self._timeout_seconds + _GRACE_SECONDS):
                result = await asyncio.to_thread(
                    self._notify,
                    defused(body),
                    defused(title),
                    notify_type=_type_of(notice),
                    body_format="text",
                    timeout=self._timeout_seconds,
                    log_level=_DEBUG,
                )
        except TimeoutError:
            raise self._timed_out() from None
        if not result:
            raise self._failure(result)
        return Sent(reference={"channel": self._name})

    def _failure(self, result: "AppriseResult") -> NotificationError:
        if result.status.name == "TIMEOUT":
            return self._timed_out()
        said = " ".join(" ".join(_told(result)).split())
        reason = masked(said, [self._url])[:_REASON_CHARACTERS] or "it gives no reason"
        status = _STATUS.search(said)
        if (status is not None and int(status[1]) in _REFUSED) or _SMTP.search(said):
            return PermanentNotificationError(
                f"channel {self._name!r} refuses the message ({reason});"
                f" correct notify.apprise.{self._name}"
            )
        return TemporaryNotificationError(
            f"channel {self._name!r} did not take the message ({reason});"
            f" check that its server answers, and notify.apprise.{self._name}"
        )

    def _timed_out(self) -> TemporaryNotificationError:
        return TemporaryNotificationError(
            f"channel {self._name!r} took longer than {self._timeout_seconds:g} s;"
            " check that its server answers, or raise notify.apprise_timeout_seconds"
        )


def _notify(name: str, url: str) -> "Callable[..., AppriseResult]":
    """Return what sends to an address."""
    if importlib.util.find_spec("apprise") is None:
        raise ConfigError(
            f"channel {name!r} needs a part that is not installed:"
            " pip install 'superbizagent[notify]'"
        )
    import apprise  # noqa: PLC0415 - an extra, and slow to load

    # Its own log would go wherever somebody's logging goes, with addresses and texts in it; below
    # this level it would not tell us either.
    apprise.logger.propagate = False
    apprise.logger.setLevel(_DEBUG)
    asset = apprise.AppriseAsset(
        app_id="superbizagent", app_desc="superbizagent", app_url="", storage_mode="memory"
    )
    sender = apprise.Apprise(asset=asset)
    if not sender.add(url):  # pyright: ignore[reportUnknownMemberType] - its types name bare dictionaries
        scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)", url)
        raise ConfigError(
            f"notify.apprise.{name} is no address that Apprise knows"
            f" ({scheme[0] + '://…' if scheme else 'it has no scheme'});"
            " see https://github.com/caronc/apprise/wiki"
        )
    return sender.notify  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - likewise


def _told(result: "AppriseResult") -> Iterator[str]:
    """Yield what Apprise says of a failure, and its cause, which it says to developers alone."""
    for entry in result.logs():
        if entry.message.startswith(_CAUSE) or entry.level not in ("DEBUG", "INFO"):
            yield entry.message


def _type_of(notice: Notice) -> Any:
    if notice.kind is NoticeKind.RESOLVED:
        return "success"
    return {"critical": "failure", "error": "failure", "warning": "warning"}.get(
        notice.severity, "info"
    )


def defused(text: str) -> str:
    """Return a text in which no word mentions anybody; it reads as before.

    Messengers read ``@all`` and ``<at …>`` out of plain text: an alert's label must not wake
    everybody.
    """
    return _MENTION.sub(lambda match: match[0] + _ZERO_WIDTH, text)


def masked(text: str, urls: Iterable[str]) -> str:
    """Return a text without anything that stands in addresses behind their scheme."""
    parts: set[str] = set()
    for url in urls:
        rest = url.partition("://")[2]
        for part in re.split(r"[/?&=@:,#]+", rest):
            parts |= {part, unquote(part)}
        parts.add(rest)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _SHORTEST_SECRET:
            text = text.replace(part, "***")
    return text
