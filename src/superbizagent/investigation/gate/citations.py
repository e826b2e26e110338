"""The marks in a report, ``[E3]`` and ``[E3.2]``, against the rows they point to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from superbizagent.analysis.rows.fact import as_list, as_mapping
from superbizagent.domain.evaluation import InvocationRecord

__all__ = ["Cited", "citations_of", "marks_of"]

_GROUP = re.compile(r"\[(E\d+(?:\.\d+)?(?:\s*[,，;、]\s*E\d+(?:\.\d+)?)*)\]")
_MARK = re.compile(r"E(\d+)(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Cited:
    """Marks of a report, sorted into those that point to a row and those that do not."""

    rows: tuple[InvocationRecord, ...]
    """Cited rows, in the order of the calls."""
    unknown: tuple[str, ...]
    """Marks without a row, or without that fact in the row."""


def marks_of(text: str) -> tuple[str, ...]:
    """Return the distinct marks of a text in order of appearance."""
    found = (mark.group(0) for group in _GROUP.finditer(text) for mark in _MARK.finditer(group[1]))
    return tuple(dict.fromkeys(found))


def citations_of(text: str, rows: Sequence[InvocationRecord]) -> Cited:
    """Resolve a text's marks; a row that lists no facts answers for any of its numbers."""
    by_number = {row.number: row for row in rows}
    cited: dict[int, InvocationRecord] = {}
    unknown: list[str] = []
    for mark in marks_of(text):
        number = int(mark[1:].partition(".")[0])
        row = by_number.get(number)
        if row is None or not _has_fact(row, mark):
            unknown.append(mark)
        else:
            cited[number] = row
    return Cited(tuple(cited[n] for n in sorted(cited)), tuple(unknown))


def _has_fact(row: InvocationRecord, mark: str) -> bool:
    details = as_mapping(row.details) or {}
    listed, total = as_list(details.get("facts")), details.get("facts_total")
    number = mark.partition(".")[2]
    if not number or not listed:
        return True
    if isinstance(total, int):  # a long list is stored apart, its head here
        return 1 <= int(number) <= total
    return any((as_mapping(fact) or {}).get("id") == mark for fact in listed)
