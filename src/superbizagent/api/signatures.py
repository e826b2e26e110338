"""Signed webhooks: whose body it is, and whether it is of now."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

from pydantic import SecretStr

from superbizagent.api.config import SenderSecrets
from superbizagent.domain.incident_record import Sender
from superbizagent.domain.payload import read_instant

__all__ = ["is_signed", "signature_error"]

_PAGERDUTY = "X-PagerDuty-Signature"
_VERSION = "v1="


def is_signed(sender: Sender, secrets: SenderSecrets) -> bool:
    """Tell whether we know what this sender signs with: then its bodies are signed."""
    return _secret(sender, secrets) is not None


def signature_error(
    sender: Sender,
    secrets: SenderSecrets,
    headers: Mapping[str, str],
    body: bytes,
    now: datetime,
) -> str | None:
    """Tell what is wrong with a body's signature; None when it holds.

    Args:
        sender: whose webhook it came to; one that `is_signed`.
        secrets: what it signs with, and how.
        headers: of the request, in any case.
        body: the bytes as they came.
        now: our time, which a signed time is compared with.
    """
    secret = _secret(sender, secrets)
    if secret is None:
        return f"no secret is set for {sender.value}"
    key = secret.get_secret_value().encode()
    if sender is Sender.PAGERDUTY:
        return _pagerduty(key, headers, body)
    return _grafana(key, secrets, headers, body, now)


def _secret(sender: Sender, secrets: SenderSecrets) -> SecretStr | None:
    found = {Sender.GRAFANA: secrets.grafana, Sender.PAGERDUTY: secrets.pagerduty}.get(sender)
    return found if found is not None and found.get_secret_value() else None


def _pagerduty(key: bytes, headers: Mapping[str, str], body: bytes) -> str | None:
    given = headers.get(_PAGERDUTY, "")
    if not given:
        return f"the header {_PAGERDUTY} is missing"
    # Several stand there while a secret is being changed; one that is right is enough.
    told = [one.strip().removeprefix(_VERSION) for one in given.split(",")]
    right = [_same(one, key, body) for one in told]
    return None if any(right) else "the signature does not belong to this body"


def _grafana(
    key: bytes, secrets: SenderSecrets, headers: Mapping[str, str], body: bytes, now: datetime
) -> str | None:
    name = secrets.grafana_timestamp_header
    for needed in (secrets.grafana_header, name):
        if needed and not headers.get(needed):
            return f"the header {needed} is missing"
    signed = headers.get(name, "") if name else ""
    text = signed.encode("latin-1", "replace") + b":" + body if name else body
    if not _same(headers[secrets.grafana_header], key, text):
        return f"the signature does not belong to this body{' and time' if name else ''}"
    return _too_old(signed, now, secrets.tolerance_seconds) if name else None


def _too_old(signed: str, now: datetime, tolerance: float) -> str | None:
    at = read_instant(float(signed)) if signed.isascii() and signed.isdigit() else None
    if at is None:
        return "the signed time is none in seconds"
    away = abs((now - at).total_seconds())
    if away > tolerance:
        return (
            f"the signed time is {away:.0f} s away from ours, more than the allowed {tolerance:g}"
        )
    return None


def _same(given: str, key: bytes, text: bytes) -> bool:
    right = hmac.new(key, text, hashlib.sha256).hexdigest()
    return hmac.compare_digest(given.strip().lower().encode("utf-8", "replace"), right.encode())
