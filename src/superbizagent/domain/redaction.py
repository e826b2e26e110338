"""Takes secrets out of text before it is stored, shown to a model or exported. Pure.

A secret becomes ``<redacted:3fa9c1>``: a keyed digest of it, so that the same secret reads the
same everywhere on one installation and can be found nowhere else. What an investigation needs
stays: trace ids, UUIDs, commit hashes, pod names, addresses, numbers.

Most text holds no secret, so a few literals are looked for first, each at memory speed; only the
lines that hold one are read with regular expressions.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any, cast

from superbizagent.domain import _secret_rules as rules
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.outputs import ToolOutput
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import SpanSet, with_words

__all__ = ["Redactor", "redact_output"]

_MAX_INTEGER = 2**63
"""What JSON columns and canonical bytes hold exactly; a larger integer becomes a float."""

_ASCII_LOWER = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


class Redactor:
    """Replaces secrets by pseudonyms.

    Args:
        key: Secret of this installation. Under another key the same secret reads differently.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> str:
        """Return ``text`` without secrets; also without what no database stores (NUL, surrogates).

        Redacting twice gives the same as redacting once.
        """
        text = _storable(text)
        if not _suspicious(text):
            return text
        text = rules.PRIVATE_KEY.sub(lambda m: self.pseudonym(m[0]), text)
        return "".join(self._pieces(text))

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Return each of many texts without secrets; one look decides when there are none."""
        joined = "\n".join(lines)
        if joined == _storable(joined) and not _suspicious(joined):
            return list(lines)
        return [self.text(line) for line in lines]

    def json(self, value: Any) -> Any:
        """Return plain JSON data without secrets, also those that only their key tells of."""
        match value:
            case str():
                return self.text(value)
            case dict():
                items = cast("dict[Any, Any]", value).items()
                return {self.text(str(k)): self._member(str(k), v) for k, v in items}
            case list() | tuple():
                return [self.json(item) for item in cast("list[Any]", value)]
            case int() if abs(value) >= _MAX_INTEGER:
                return float(value)
            case _:
                return value

    def pseudonym(self, secret: str) -> str:
        """Return what stands for a secret: the same for the same secret."""
        data = secret.encode("utf-8", "replace")
        return f"<redacted:{hmac.new(self._key, data, hashlib.sha256).hexdigest()[:6]}>"

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield the text, lines that may hold a secret rewritten."""
        done = 0
        for start, end in _suspicious_lines(text):
            yield text[done:start]
            yield self._line(text[start:end])
            done = end
        yield text[done:]

    def _line(self, line: str) -> str:
        low = _lower(line)
        for rule in rules.RULES:
            if any(hint in low for hint in rule.hints):
                changed = self._apply(rule, line, line if rule.exact else low)
                if changed is not line:
                    line, low = changed, _lower(changed)
        return line

    def _apply(self, rule: rules.Rule, line: str, subject: str) -> str:
        """Rewrite what a rule finds in ``subject``, which is ``line`` or its lower case."""
        pieces: list[str] = []
        done = 0
        for found in rule.pattern.finditer(subject):
            group = next(g for g in rule.groups if found[g] is not None)
            start, end = found.span(group)
            if not rule.spares(found, line[start:end]):
                pieces += [line[done:start], self.pseudonym(line[start:end])]
                done = end
        return "".join([*pieces, line[done:]]) if pieces else line

    def _member(self, key: str, value: Any) -> Any:
        if isinstance(value, str) and rules.names_secret(key):
            return value if rules.is_harmless(key, value) else self.pseudonym(value)
        if isinstance(value, list | tuple) and rules.names_secret(key):
            return [self._member(key, item) for item in cast("list[Any]", value)]
        return self.json(value)


def redact_output(output: ToolOutput, redactor: Redactor) -> ToolOutput:
    """Return an output without secrets: the same object when it holds none."""
    if isinstance(output, SeriesSet):
        return _redact_series(output, redactor)
    if isinstance(output, SpanSet):
        return with_words(output, redactor.lines)
    text = canonical_bytes(output).decode()
    if not _suspicious(text) and "\\u0000" not in text:
        return output
    return type(output).model_validate(redactor.json(output.model_dump(mode="json")))


def _redact_series(output: SeriesSet, redactor: Redactor) -> SeriesSet:
    words = {word for labels in output.labels for item in labels.items() for word in item}
    joined = "\n".join(words)
    if joined == _storable(joined) and not _suspicious(joined):
        return output
    rows = zip(output.labels, output, strict=True)
    return SeriesSet.of((redactor.json(labels), s.times, s.values) for labels, s in rows)


def _storable(text: str) -> str:
    """Replace NUL (no PostgreSQL text holds it) and lone surrogates (no UTF-8 does)."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _lower(text: str) -> str:
    """Lower case, letter for letter: places in it are places in ``text``."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


def _suspicious(text: str) -> bool:
    low = text.lower()
    return any(hint in low for hint in rules.HINTS) or any(h in text for h in rules.EXACT_HINTS)


def _suspicious_lines(text: str) -> list[tuple[int, int]]:
    """Return start and end of every line that holds a hint, in order, each once."""
    low = _lower(text)
    starts: dict[int, int] = {}
    for hint in rules.HINTS:
        _mark(low, hint, starts)
    for hint in rules.EXACT_HINTS:
        _mark(text, hint, starts)
    return sorted(starts.items())


def _mark(text: str, hint: str, spans: dict[int, int]) -> None:
    at = text.find(hint)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        spans[text.rfind("\n", 0, at) + 1] = end
        at = text.find(hint, end)
