"""Links that came with an alert. Whoever can fire an alert can write them: they are text first."""

from urllib.parse import urlsplit

from superbizagent.domain.alert import Alert
from superbizagent.investigation.wording.values import flat

__all__ = ["is_link", "links_of_alert", "shown_link"]

_LONGEST = 2000
"""Longer ones are cut off by browsers, too."""


def links_of_alert(alert: Alert) -> dict[str, str]:
    """Return kind -> address as the payload has it, safe or not; absent ones are left out."""
    notes = alert.annotations
    found = {
        "runbook": notes.get("runbook_url", "") or notes.get("runbook", ""),
        "dashboard": alert.dashboard_url or notes.get("dashboard_url", ""),
        "panel": alert.panel_url,
        "silence": alert.silence_url,
        "rule": alert.generator_url,
    }
    return {kind: text.strip() for kind, text in found.items() if text.strip()}


def is_link(text: str) -> bool:
    """Tell whether a text is a web address and nothing else; all other schemes stay text."""
    if any(c.isspace() or not c.isprintable() or c in '<>"`' for c in text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def shown_link(text: str) -> str:
    """Return an address as it stands in a report: one line, without control characters."""
    return flat(text)[:_LONGEST]
