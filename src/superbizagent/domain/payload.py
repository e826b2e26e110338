"""Alert payloads of every sender we know, read into `Alert`s; lenient, never an exception.

Forms: Alertmanager v4 webhook body, Grafana's body, a list of Alertmanager API v2 alerts, the
answer of Prometheus ``/api/v1/alerts``, one bare alert object, PagerDuty's v3 body, pasted text
(`domain.pasted`), a question, nothing.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.canonical import loads
from superbizagent.domain.json_values import mapping
from superbizagent.domain.model import Model
from superbizagent.domain.pasted import head_of, read_pasted
from superbizagent.domain.window import Instant

__all__ = ["ACTIVE_SINCE", "Payload", "parse_payload", "read_instant"]

ACTIVE_SINCE = "activeAt"
"""Key of `Alert.extra`: its start is when its rule came true, ``for`` before it fired."""

_JsonObject = Mapping[str, Any]

_KNOWN = {
    "labels",
    "annotations",
    "status",
    "state",
    "startsAt",
    "activeAt",
    "endsAt",
    "generatorURL",
    "fingerprint",
    "groupKey",
    "dashboardURL",
    "panelURL",
    "silenceURL",
}

_SHARED = ("groupKey", "receiver", "externalURL", "title", "orgId", "truncatedAlerts")
"""Fields of a webhook body that say something about each of its alerts."""

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Alertmanager dates from 2012; anything before 2000 is a zero or a broken clock."""

_CLOCK_SLACK = timedelta(minutes=5)
"""Senders run a little ahead of us without that being worth a note."""


_LIKE_JSON = re.compile(r'\{|\[\s*[\[{"]')
"""As JSON of an alert begins; ``[FIRING:1]`` is the head of a message."""


_LONE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""Escapes of surrogates: a pair is a character, half of one is none that JSON may hold."""


def _whole(found: re.Match[str]) -> str:
    """Put the sign for what cannot be read in place of half a character."""
    return found[0] if len(found[0]) != 6 else r"\ufffd"


class Payload(Model):
    """What a sender told us."""

    alerts: tuple[Alert, ...] = ()
    question: str = ""
    """Free text, when the payload is no alert."""
    notes: tuple[str, ...] = ()
    """What was odd and how it was read."""


def parse_payload(data: bytes | str, *, received_at: datetime | None = None) -> Payload:
    """Read a payload of any form.

    Args:
        data: the body, as it came.
        received_at: time of receipt; with it, times in the future are noted.

    Returns:
        Alerts, or a question, or neither (an empty body), and notes. Text that is no JSON, and
        JSON that holds no alert but a text, is a question.
    """
    text = _text(data)
    if not text:
        return Payload()
    try:
        value = loads(_LONE.sub(_whole, text) if "\\ud" in text.lower() else text)
    except ValueError:
        return _free_text(text, received_at)
    reader = _Reader(received_at)
    if (paged := _paged(value)) is not None:
        alert, question = paged
        return Payload(alerts=tuple(reader.alerts([alert])), question=question)
    alerts = reader.alerts(value)
    if alerts or reader.recognised:
        return Payload(alerts=tuple(alerts), notes=tuple(reader.notes))
    return _other_json(value, text, reader)


def _text(data: bytes | str) -> str:
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    # Lone surrogates cannot be stored as UTF-8; NULs cannot be stored by PostgreSQL.
    text = text.encode("utf-8", "replace").decode().replace("\x00", "")
    return text.removeprefix("\ufeff").strip()


def _free_text(text: str, received_at: datetime | None) -> Payload:
    """Read what is no JSON: a fragment of it, a pasted alert, else a question."""
    fragment = _fragment(text)
    reader = _Reader(received_at)
    if fragment is not None and (alerts := reader.alerts(fragment)):
        return Payload(alerts=tuple(alerts), notes=tuple(reader.notes))
    if _LIKE_JSON.match(text):
        reader.notes.append("the payload starts like JSON but is malformed; it was read as text")
    found, head, lost = read_pasted(text)
    if found:
        alerts = reader.alerts([draft.body() for draft in found])
        if lost:
            more = f" and {len(lost) - 1} more lines" if len(lost) > 1 else ""
            reader.notes.append(f"not understood: {lost[0][:60]!r}{more}")
            alerts = [a.model_copy(update={"extra": a.extra | {"lines": lost}}) for a in alerts]
        # What the words of a head stand for only somebody can tell who knows the system.
        return Payload(alerts=tuple(alerts), question=head, notes=tuple(reader.notes))
    return Payload(question=text, notes=tuple(reader.notes))


def _fragment(text: str) -> Any:
    """Read the inner part of a JSON object, as it is copied out of one."""
    if text[0] != '"':
        return None
    try:
        return loads("{" + text.rstrip().rstrip(",") + "}")
    except ValueError:
        return None


def _other_json(value: Any, text: str, reader: "_Reader") -> Payload:
    if isinstance(value, str):
        return Payload(question=value.strip())
    if isinstance(value, Mapping):
        for key in ("question", "query", "message", "text"):
            said = cast("_JsonObject", value).get(key)
            if isinstance(said, str) and said.strip():
                return Payload(question=said.strip(), notes=tuple(reader.notes))
    if value in (None, {}, []):
        return Payload(notes=tuple(reader.notes))
    note = "the payload is JSON without an alert; it was read as text"
    return Payload(question=text, notes=(*reader.notes, note))


def _paged(value: Any) -> tuple[dict[str, Any], str] | None:
    """Read PagerDuty's v3 body: the alert in the fields of Alertmanager, and what it speaks of.

    What it calls a service is a rota, not a program: its name only helps to find one.
    """
    event = mapping(mapping(value).get("event"))
    data = mapping(event.get("data"))
    kind = str(event.get("event_type", ""))
    if not kind.startswith("incident.") or not data:
        return None
    title = str(data.get("title") or data.get("summary") or "")
    priority = mapping(data.get("priority")).get("summary")
    labels = head_of(title.partition("]")[2] or title)
    labels.setdefault("severity", str(priority or data.get("urgency") or "none"))
    alert = {
        "labels": labels,
        "annotations": {"summary": title},
        "status": "resolved" if kind == "incident.resolved" else "firing",
        "startsAt": data.get("created_at") or event.get("occurred_at"),
        "endsAt": event.get("occurred_at") if kind == "incident.resolved" else None,
        "fingerprint": data.get("incident_key") or data.get("id"),
        "incident": dict(data),
    }
    return alert, f"{title} {mapping(data.get('service')).get('summary') or ''}".strip()


class _Reader:
    """Collects alerts and notes of one payload."""

    def __init__(self, received_at: datetime | None) -> None:
        self._received_at = received_at
        self.notes: list[str] = []
        self.recognised = False
        """The outer form is one of ours, even when it holds no alert."""

    def alerts(self, value: Any) -> list[Alert]:
        """Return the alerts of any outer form, in order."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            items = cast("Sequence[Any]", value)
            self.recognised = any(_is_alert(item) for item in items)
            return self._many(items, {}) if self.recognised else []
        if not isinstance(value, Mapping):
            return []
        body = cast("_JsonObject", value)
        if isinstance(body.get("data"), Mapping) and "alerts" in body["data"]:
            body = cast("_JsonObject", body["data"])  # Prometheus wraps its answer
        if isinstance(body.get("alerts"), Sequence) and not isinstance(body["alerts"], str):
            self.recognised = True
            return self._many(cast("Sequence[Any]", body["alerts"]), body)
        if _is_alert(body):
            self.recognised = True
            return self._many([body], {})
        return []

    def _many(self, items: Sequence[Any], body: _JsonObject) -> list[Alert]:
        found = [
            self._alert(cast("_JsonObject", item), body)
            for item in items
            if isinstance(item, Mapping)
        ]
        if len(found) < len(items):
            self.notes.append(f"{len(items) - len(found)} entries of the alert list are no objects")
        dropped = body.get("truncatedAlerts")
        if isinstance(dropped, int) and dropped > 0:
            self.notes.append(f"the sender left {dropped} more alerts out")
        return found

    def _alert(self, item: _JsonObject, body: _JsonObject) -> Alert:
        labels = self._strings(item, "labels") or _plain(body.get("commonLabels"))
        annotations = self._strings(item, "annotations") or _plain(body.get("commonAnnotations"))
        if not labels:
            self.notes.append("an alert has no labels")
        starts = self._instant(item.get("startsAt", item.get("activeAt")), "startsAt")
        ends = self._instant(item.get("endsAt"), "endsAt")
        status = self._status(item, body)
        if ends and starts and ends < starts:
            self.notes.append("an alert ends before it starts; its end was dropped")
            ends = None
        extra = {k: v for k, v in item.items() if k not in _KNOWN}
        # Alertmanager API v2 has an object as status; it holds silences and inhibitions.
        if isinstance(item.get("status"), Mapping):
            extra["status"] = item["status"]
        extra |= {k: body[k] for k in _SHARED if k in body and k != "groupKey"}
        if "startsAt" not in item and "activeAt" in item:
            extra[ACTIVE_SINCE] = item["activeAt"]
        return Alert(
            labels=labels,
            annotations=annotations,
            status=status,
            starts_at=starts,
            ends_at=ends,
            generator_url=_string(item.get("generatorURL")),
            fingerprint=_string(item.get("fingerprint")),
            group_key=_string(item.get("groupKey", body.get("groupKey"))),
            dashboard_url=_string(item.get("dashboardURL")),
            panel_url=_string(item.get("panelURL")),
            silence_url=_string(item.get("silenceURL")),
            extra=extra,
        )

    def _strings(self, item: _JsonObject, field: str) -> dict[str, str]:
        value = item.get(field)
        if value is not None and not isinstance(value, Mapping):
            self.notes.append(f"{field} of an alert are no object; they were dropped")
        return _plain(value)

    def _status(self, item: _JsonObject, body: _JsonObject) -> AlertStatus:
        for value in (item.get("status"), item.get("state"), body.get("status")):
            word = value.lower() if isinstance(value, str) else ""
            if word in {"resolved", "normal", "ok", "inactive"}:
                return AlertStatus.RESOLVED
            if word:
                return AlertStatus.FIRING
        return AlertStatus.FIRING

    def _instant(self, value: Any, field: str) -> Instant | None:
        at = read_instant(value)
        if at is None:
            if isinstance(value, str) and value.strip():
                self.notes.append(f"{field} {value[:40]!r} is no time; it was dropped")
            return None
        if at < _EARLIEST:
            if field != "endsAt":  # a zero end is how Alertmanager says "still firing"
                self.notes.append(f"{field} is zero; the alert has no known start")
            return None
        # Alertmanager puts the time at which an alert would expire into endsAt: always ahead.
        if self._received_at and field != "endsAt" and at > self._received_at + _CLOCK_SLACK:
            ahead = at - self._received_at
            self.notes.append(f"{field} lies {ahead} in the future; is a clock wrong?")
        return at


def _is_alert(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    keys = set(cast("_JsonObject", value))
    return "labels" in keys or bool(keys & {"startsAt", "activeAt", "fingerprint", "generatorURL"})


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _plain(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(k): _string(v) for k, v in cast("_JsonObject", value).items()}


def read_instant(value: Any) -> Instant | None:
    """Read RFC 3339 text, or unix seconds or milliseconds; None when it is neither."""
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) >= 1e11 else value  # 1e11 s is the year 5138
            return datetime.fromtimestamp(seconds, UTC)
        at = datetime.fromisoformat(_microseconds(str(value).strip()))
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _microseconds(text: str) -> str:
    """Cut Go's nanoseconds to the six digits that `datetime` holds."""
    head, dot, tail = text.partition(".")
    digits = len(tail) - len(tail.lstrip("0123456789"))
    return f"{head}.{tail[: min(digits, 6)]}{tail[digits:]}" if dot and digits else text
