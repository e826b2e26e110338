"""Which series: Prometheus matchers, and how they print."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Self

from superbizagent.domain.model import Model

__all__ = ["RE2_OPERATORS", "MatchOp", "Matcher", "Selector", "literal"]

RE2_OPERATORS = frozenset("\\.+*?()|[]{}^$")
"""What RE2 and Python both read as an operator."""


class MatchOp(StrEnum):
    """The four Prometheus match operators."""

    EQUAL = "="
    NOT_EQUAL = "!="
    REGEX = "=~"
    NOT_REGEX = "!~"


class Matcher(Model):
    """One label condition; regular expressions are anchored at both ends."""

    label: str
    op: MatchOp = MatchOp.EQUAL
    value: str

    @classmethod
    def any_of(cls, label: str, values: Iterable[str]) -> Self:
        """Return the condition that a label has one of some values."""
        return cls(label=label, op=MatchOp.REGEX, value="|".join(map(literal, values)))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"(?s:{self.value})")

    def matches(self, value: str) -> bool:
        """Tell whether a label value (empty when the label is absent) satisfies this."""
        match self.op:
            case MatchOp.EQUAL:
                return value == self.value
            case MatchOp.NOT_EQUAL:
                return value != self.value
            case MatchOp.REGEX:
                return self._pattern.fullmatch(value) is not None
            case MatchOp.NOT_REGEX:
                return self._pattern.fullmatch(value) is None

    def __str__(self) -> str:
        escaped = self.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'{self.label}{self.op.value}"{escaped}"'


def literal(text: str) -> str:
    """Escape what a regular expression of RE2 reads as an operator, and nothing more."""
    return "".join(f"\\{c}" if c in RE2_OPERATORS else c for c in text)


class Selector(Model):
    """A plain instant-vector selector: a metric name and matchers, no range, no function."""

    name: str = ""
    matchers: tuple[Matcher, ...] = ()

    def matches(self, labels: dict[str, str]) -> bool:
        """Tell whether a series with these labels (``__name__`` among them) is selected."""
        if self.name and labels.get("__name__", "") != self.name:
            return False
        return all(m.matches(labels.get(m.label, "")) for m in self.matchers)

    def __str__(self) -> str:
        inner = ",".join(str(m) for m in self.matchers)
        return f"{self.name}{{{inner}}}" if inner or not self.name else self.name
