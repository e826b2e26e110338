"""What happened, as it was reported to us."""

import re
from enum import StrEnum

from pydantic import Field

from superbizagent.domain.alert import Alert
from superbizagent.domain.model import Model
from superbizagent.domain.window import IncidentTime, Instant

__all__ = ["Channel", "Incident", "Language", "report_language"]

_CJK = re.compile(r"[\u4e00-\u9fff]")


class Channel(StrEnum):
    """Where the incident came from."""

    CHAT = "CHAT"
    AIOPS = "AIOPS"


class Language(StrEnum):
    """Language of the report."""

    EN = "en"
    ZH = "zh"


class Incident(Model):
    """An alert, a question, or both, with what the caller narrowed down.

    ``at`` is a point that lies in the incident; ``start`` and ``end`` bound it. What is absent is
    found by `scope_incident` and stated as an assumption.
    """

    channel: Channel = Channel.AIOPS
    alerts: tuple[Alert, ...] = ()
    question: str = ""
    services: tuple[str, ...] = ()
    at: IncidentTime | None = None
    start: IncidentTime | None = None
    end: IncidentTime | None = None
    received_at: Instant
    """The one clock reading of intake: what "now" means for this session."""
    language: Language = Language.EN
    notes: tuple[str, ...] = ()
    """What was odd about the payload, and how it was read."""
    timezone: str = "UTC"
    """Reader's zone, an IANA name or ``+08:00``; times in the report are shown in it."""
    carried: tuple[str, ...] | None = Field(default=None, exclude_if=lambda parts: parts is None)
    """Of a turn that goes on with an earlier question: what of it stands for what the turn does
    not say: ``service``, ``window``. None: it is no such turn."""


def report_language(setting: str, question: str, locale: str) -> Language:
    """Return the report's language: the setting, else the question's, else the locale's."""
    if setting in ("en", "zh"):
        return Language(setting)
    if question:
        return Language.ZH if _CJK.search(question) else Language.EN
    return Language.ZH if locale == "zh" else Language.EN
