"""The calls of a trace: rows of any age, and what they say in a few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from superbizagent.analysis.trace_summary import ToolTraceSummaryService
from superbizagent.domain.evaluation import InvocationRecord, ToolTraceSummary

__all__ = ["told_calls"]


def told_calls(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], ToolTraceSummary, set[str]]:
    """Return the rows with ``output_summary``, the summary of all, and what could not be read.

    A row that is none that was ever written has an empty summary and is left out of the whole.

    Returns:
        The rows, the summary, and ``table.column`` of each value that is of no known form.
    """
    service = ToolTraceSummaryService()
    told: list[dict[str, Any]] = []
    readable: list[Mapping[str, Any]] = []
    odd: set[str] = set()
    for row in rows:
        try:
            summary = service.output_summary(InvocationRecord.of_row(row))
            readable.append(row)
        except ValidationError as error:
            odd |= {f"tool_invocation.{problem['loc'][0]}" for problem in error.errors()}
            summary = ""
        told.append({**row, "output_summary": summary})
    try:
        return told, service.summarise(InvocationRecord.of_rows(readable)), odd
    except TypeError:  # SQLite keeps text in a column of integers, which does not sort
        return told, ToolTraceSummary(), odd | {"tool_invocation.attempt"}
