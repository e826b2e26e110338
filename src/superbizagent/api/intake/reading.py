"""One body of a sender, as it is stored: read leniently, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes, digest_bytes, loads
from superbizagent.domain.incident_record import Sender
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.redaction import Redactor

__all__ = ["Delivery", "read_delivery"]

_LONGEST_FINGERPRINT = 128
_NOTES = 20
"""Said of one delivery; a body of a thousand odd alerts says the same a thousand times."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request of a sender."""

    sender: Sender
    digest: str
    """Of the bytes as they came."""
    text: str
    """Whole, without secrets."""
    alerts: tuple[Alert, ...]
    """Without secrets."""
    notes: tuple[str, ...]
    """What was odd and how it was read."""
    is_read: bool
    """It has a form that we know, even when it holds no alert."""
    received_at: datetime


def read_delivery(
    sender: Sender, body: bytes, received_at: datetime, redactor: Redactor
) -> Delivery:
    """Read a body. Never fails: what cannot be read is kept as text, with a note.

    Args:
        sender: whose webhook it came to.
        body: the bytes as they came.
        received_at: our time, UTC-aware.
        redactor: takes secrets out.
    """
    payload = parse_payload(body, received_at=received_at)
    notes = list(dict.fromkeys(payload.notes))
    raw = body.decode("utf-8", "replace")
    text = redactor.text(raw)
    try:
        # Escapes hide what no database stores, and keys of JSON tell secrets that lines do not.
        if text != raw or "\\u" in raw:
            text = _clean(raw, text, redactor)
            alerts = tuple(_redacted(alert, redactor) for alert in payload.alerts)
        else:
            alerts = tuple(_plain(alert, redactor) for alert in payload.alerts)
    except RecursionError:
        alerts = tuple(_redacted(_bare(alert), redactor) for alert in payload.alerts)
        notes.append("fields that are nested very deep were left out of the alerts")
    is_read = bool(alerts) or _is_known_form(body)
    if not is_read:
        notes.append("no alert could be read")
    elif not alerts:
        notes.append("it holds no alert")
    return Delivery(
        sender=sender,
        digest=digest_bytes(body),
        text=text,
        alerts=alerts,
        notes=tuple(redactor.text(note) for note in notes[:_NOTES]),
        is_read=is_read,
        received_at=received_at,
    )


def _clean(raw: str, text: str, redactor: Redactor) -> str:
    try:
        value = loads(raw)
    except ValueError:
        return text
    return canonical_bytes(redactor.json(value)).decode()


def _redacted(alert: Alert, redactor: Redactor) -> Alert:
    return _fit(Alert.model_validate(redactor.json(alert.model_dump(mode="json"))))


def _plain(alert: Alert, redactor: Redactor) -> Alert:
    """Of a text without secrets only values that no JSON column holds are to be replaced."""
    if alert.extra:
        alert = alert.model_copy(update={"extra": redactor.json(alert.extra)})
    return _fit(alert)


def _bare(alert: Alert) -> Alert:
    return alert.model_copy(update={"extra": {}})


def _fit(alert: Alert) -> Alert:
    if len(alert.fingerprint) <= _LONGEST_FINGERPRINT:
        return alert
    return alert.model_copy(update={"fingerprint": digest_bytes(alert.fingerprint.encode())})


def _is_known_form(body: bytes) -> bool:
    """Tell a body of one of the senders that holds no alert: an empty group, a test, a note."""
    try:
        value: Any = loads(body)
    except ValueError:
        return False
    return isinstance(value, Mapping) and ("alerts" in value or "event" in value)
