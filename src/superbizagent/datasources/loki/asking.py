"""Questions in LogQL: which streams are of which services, and which lines of them are wanted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbizagent.domain.selector import Matcher, MatchOp, Selector, literal

__all__ = [
    "FAILURE_WORDS",
    "StreamSet",
    "exactly",
    "line_filter",
    "nanoseconds",
    "service_of",
]

_NAMELESS = "unknown_service"
"""What Loki writes into ``service_name`` of streams of which it knows no name."""

FAILURE_WORDS = (
    r"(?i)error|warn|fatal|crit|panic|exception|fail|refused|denied|time(d )?[ -]?out|unable|cannot"
    r"|could not|out of memory|killed|deadlock|失败|错误|异常|超时|拒绝"
)
"""Words of lines worth reading where there are too many to read them all."""


@dataclass(frozen=True, slots=True)
class StreamSet:
    """The streams that one label names the service of: they carry none of the earlier labels."""

    label: str
    earlier: tuple[str, ...]

    def selector(self, services: Sequence[str] = ()) -> str:
        """Return the stream selector of some services, or of all."""
        own = [Matcher.any_of(self.label, services)] if services else self._any()
        return str(Selector(matchers=(*own, *map(_absent, self.earlier))))

    def _any(self) -> list[Matcher]:
        named = [Matcher(label=self.label, op=MatchOp.REGEX, value=".+")]
        if self.label == "service_name":
            named.append(Matcher(label=self.label, op=MatchOp.NOT_EQUAL, value=_NAMELESS))
        return named


def _absent(label: str) -> Matcher:
    if label == "service_name":
        return Matcher(label=label, op=MatchOp.REGEX, value=f"|{_NAMELESS}")
    return Matcher(label=label, value="")


def service_of(labels: Mapping[str, str], order: Sequence[str]) -> tuple[str, str]:
    """Return the label that names a stream's service and its value; empty when none does."""
    for label in order:
        value = labels.get(label, "")
        if value and (label, value) != ("service_name", _NAMELESS):
            return label, value
    return "", ""


def line_filter(words: Sequence[str], *, failures: bool) -> str:
    """Return what narrows a selector to lines with any of some words, or that speak of failure."""
    patterns = ["(?i)" + "|".join(map(literal, words))] if words else []
    patterns += [FAILURE_WORDS] if failures else []
    return "".join(f" |~ {_quoted(pattern)}" for pattern in patterns)


def exactly(labels: Mapping[str, str]) -> str:
    """Return the selector of one stream."""
    matchers = [Matcher(label=name, value=value) for name, value in sorted(labels.items())]
    return str(Selector(matchers=tuple(matchers)))


def _quoted(pattern: str) -> str:
    return json.dumps(pattern, ensure_ascii=False)


def nanoseconds(ms: int) -> str:
    """Write a time as Loki reads it best."""
    return f"{ms * 1_000_000}"
