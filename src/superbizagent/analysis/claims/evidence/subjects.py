"""What facts are about: every name once, with the words and concepts that it shares with speech.

Thousands of rows have some hundred names, so whatever costs Python work is done by name.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from superbizagent.analysis.claims.concepts import (
    concept_bits,
    concepts_of_metric,
    concepts_of_text,
)

__all__ = ["OWN_LABELS", "Subject", "Subjects", "label_values", "tokens_of"]

OWN_LABELS = ("pod", "instance", "node", "nodename", "host", "hostname", "container")
"""Labels that name a thing of its own: what a series without an entity is about, first one wins."""

_LOG = concept_bits(("log",))
_LABEL = re.compile(r'([A-Za-z_][A-Za-z0-9_.]*)="([^"]*)"')
_WORD = re.compile(r"[A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STATUS = re.compile(r"[1-5][0-9]{2}")


@lru_cache(maxsize=65536)
def tokens_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case: whole, and split where the case changes.

    A status code is also its class: ``503`` gives ``5xx`` too.
    """
    found: set[str] = set()
    for word in _WORD.findall(text):
        found.add(word.lower())
        if not (word.islower() or word.isupper() or word.isdigit()):
            found.update(part.lower() for part in _CAMEL.split(word))
        if _STATUS.fullmatch(word):
            found.add(f"{word[0]}xx")
    return frozenset(found)


def label_values(printed: str) -> dict[str, str]:
    """Return the labels of a series as it is printed."""
    return dict(_LABEL.findall(printed.partition("{")[2]))


_SAID_BY = {
    "failed": concept_bits(("error", "request")),
    "share": concept_bits(("error", "request")),
    "requests": concept_bits(("request", "traffic")),
    "callers": concept_bits(("dependency", "request")),
    "callees": concept_bits(("dependency", "request")),
}
"""What a statistic says of its own, whatever the name of the metric."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that has values: a series, a kind of log record, an alert, a change."""

    entity: str
    """Entity path, else the own name of what has none (a pod), else empty."""
    name: str
    """As in `Fact.name`."""
    text: str = ""
    """Words beyond the name: a template, a summary."""

    def concepts(self, unit: str, statistic: str) -> int:
        """Bits of what its statistic measures."""
        return self._named(unit, statistic) | _SAID_BY.get(statistic, 0)

    def _named(self, unit: str, statistic: str) -> int:
        head, _, rest = self.name.partition(":")
        if head in {"log", "alert", "change", "edge"}:
            of_text = concepts_of_text(self.text if head == "log" else f"{rest} {self.text}")
            return of_text | _LOG if head == "log" else of_text
        if head == "field":
            of_text = concepts_of_text(self.text) | _LOG
            return concepts_of_metric(rest, "", unit, statistic) | of_text
        metric, _, labels = self.name.partition("{")
        return concepts_of_metric(metric, labels.removesuffix("}"), unit, statistic)

    def tokens(self) -> frozenset[str]:
        """Words that a statement may share with it."""
        head, _, rest = self.name.partition(":")
        if head == "log":
            return tokens_of(self.text)
        if head in {"alert", "change", "edge", "field"}:
            return tokens_of(f"{rest} {self.text}")
        metric, _, _ = self.name.partition("{")
        return tokens_of(" ".join((metric, *label_values(self.name).values())))


@dataclass
class Subjects:
    """Subjects by code, in the order they were met."""

    items: list[Subject] = field(default_factory=list[Subject])
    _codes: dict[Subject, int] = field(default_factory=dict[Subject, int])

    def code(self, subject: Subject) -> int:
        """Return the code of a subject, a new one where it is not known yet."""
        code = self._codes.setdefault(subject, len(self.items))
        if code == len(self.items):
            self.items.append(subject)
        return code
