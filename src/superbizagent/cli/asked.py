"""What a user asked for: the flags of ``superbiz diagnose``, read once."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import settings_for
from superbizagent.cli.intake import build_incident, is_there, parse_span
from superbizagent.cli.live import LiveFlags, read_live_flags
from superbizagent.cli.sources import SourceSpec, recorded_end, source_spec, with_changes
from superbizagent.domain.incident import Incident
from superbizagent.domain.session import SESSION_ID_LENGTH, SESSION_ID_PATTERN
from superbizagent.errors import UsageError
from superbizagent.settings import Settings, local_timezone, locale_language
from superbizagent.storage.ids import new_id

__all__ = ["Asked", "contradiction", "read_flags"]

_LONGEST_NAME = 255
_TIMES = ("last", "since", "until", "at")


@dataclass(frozen=True, slots=True)
class Asked:
    """One diagnosis as the user asked for it."""

    settings: Settings
    incident: Incident
    sources: SourceSpec
    live: LiveFlags
    """Holds secrets; not stored."""
    session_id: str
    named: bool
    """The user chose the session's id, so it may exist already."""
    quiet: bool


def read_flags(flags: Mapping[str, Any]) -> Asked:
    """Read the flags by their parameter names; absent ones are unset.

    Raises:
        UsageError: when they contradict each other or cannot be read.
        ConfigError: when a setting is wrong.
    """
    deadline = parse_span(flags["deadline"]).total_seconds() if flags.get("deadline") else None
    settings = settings_for(
        lang=flags.get("lang"),
        timezone=flags.get("timezone"),
        log_tz=flags.get("log_tz"),
        deadline_seconds=deadline,
    )
    now = SystemClock().now()
    named = flags.get("session_id")
    session_id = new_id(now) if named is None else _checked(named)
    spool = settings.data_dir.absolute() / "stdin" / f"{session_id}.log"
    live = read_live_flags(flags)
    logs = tuple(flags.get("logs") or ())
    bundle, question = _words(flags)
    spec = source_spec(
        bundle, logs, live, settings, spool, kubernetes=flags.get("kubernetes") or ""
    )
    spec = with_changes(spec, tuple(flags.get("changes") or ()))
    incident = build_incident(
        alert=flags.get("alert"),
        question=question,
        services=tuple(flags.get("services") or ()),
        last=flags.get("last"),
        since=flags.get("since"),
        until=flags.get("until"),
        at=flags.get("at"),
        language=settings.lang,
        locale=locale_language(),
        zone=settings.timezone or local_timezone(),
        now=_present(flags, spec, now),
    )
    incident = incident.model_copy(update={"received_at": now})
    return Asked(
        settings=settings,
        incident=incident,
        sources=spec,
        live=live,
        session_id=session_id,
        named=named is not None,
        quiet=bool(flags.get("quiet")),
    )


def _words(flags: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return folder and question: the argument is the question where it names no folder.

    Raises:
        UsageError: when there are two questions.
    """
    given, question = flags.get("bundle"), flags.get("question") or ""
    if not given or is_there(given) or not (flags.get("kubernetes") or _asks(given)):
        return given, question
    if question:
        raise UsageError(f"there is no folder {given!r}, and --question is given already; drop one")
    return None, given


def _asks(text: str) -> bool:
    """Tell a question from the name of a folder that is not there."""
    words = text.strip()
    if words.endswith(("?", "？")) or len(words) > _LONGEST_NAME:
        return True
    return " " in words and "/" not in words


def _checked(session_id: str) -> str:
    """Return a name for a session as it was given.

    Raises:
        UsageError: when it is none.
    """
    if not re.fullmatch(SESSION_ID_PATTERN, session_id) or len(session_id) > SESSION_ID_LENGTH:
        raise UsageError(
            f"--session {session_id!r} is no id; take 1 to {SESSION_ID_LENGTH} letters, digits and"
            " any of . _ : -"
        )
    return session_id


def _present(flags: Mapping[str, Any], spec: SourceSpec, now: datetime) -> datetime:
    """What relative times count from: in a recording its end, else the clock."""
    if spec.logs or not spec.bundle or not any(flags.get(name) for name in _TIMES):
        return now
    return asyncio.run(recorded_end(Path(spec.bundle))) or now


def contradiction(asked: Asked, payload: Mapping[str, Any]) -> str:
    """Return in what a stored session differs from what is asked now; empty when in nothing.

    A bare ``--session`` asks for nothing else, and a session is gone on with as it was stored.
    """
    stored = Incident.model_validate(payload["incident"])
    given = asked.incident
    if asked.sources.is_given or asked.live.urls:
        old, new = SourceSpec.model_validate(payload["sources"]), asked.sources
        moved = new.changes and old.changes != new.changes
        before, after = ((s.bundle, s.kubernetes, sorted(s.logs)) for s in (old, new))
        if moved or before != after:
            return "other sources"
        if any(old.live.get(kind) != new.live.get(kind) for kind in asked.live.urls):
            return "other sources"
    if given.alerts and given.alerts != stored.alerts:
        return "another alert"
    if given.question and given.question != stored.question:
        return "another question"
    if given.services and given.services != stored.services:
        return "other services"
    return ""
