"""Label sets as text: canonical JSON, or the form that Prometheus prints."""

import re
from collections.abc import Mapping
from typing import Any, cast

from superbizagent.domain.canonical import loads
from superbizagent.domain.series import Labels

__all__ = ["parse_labels"]

_PAIR = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_.]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_ESCAPE = re.compile(r"\\(.)")


def parse_labels(text: str) -> Labels | None:
    """Read ``{"a":"b"}``, ``{a="b"}``, ``a="b"`` or nothing; None when it is none of these."""
    text = text.strip()
    if text in {"", "{}"}:
        return {}
    if text.startswith('{"'):
        try:
            value: Any = loads(text)
        except ValueError:
            return None
        if not isinstance(value, Mapping):
            return None
        return {str(k): str(v) for k, v in cast("Mapping[str, Any]", value).items()}
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    labels: Labels = {}
    place = 0
    while place < len(inner):
        pair = _PAIR.match(inner, place)
        if pair is None:
            return None
        labels[pair[1]] = _ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], pair[2])
        place = pair.end()
    return labels
