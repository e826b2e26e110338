"""Read the facts of one row."""

from superbizagent.analysis.rows.fact import RowFact, as_mapping, parsed
from superbizagent.analysis.rows.foreign import facts_of_json, facts_of_text
from superbizagent.analysis.rows.own import own_facts
from superbizagent.domain.evaluation import InvocationRecord

__all__ = ["MAX_FACTS", "read_facts"]

MAX_FACTS = 200
"""Facts read of one row: far more than a summary or a gate can use, a bound on hostile rows."""


def read_facts(record: InvocationRecord, limit: int = MAX_FACTS) -> tuple[RowFact, ...]:
    """Return the facts of a row in its own order; the first source that has any is used.

    Our own facts come first, then retrieval fields and the details of another tool, then the
    preview, as JSON where it is JSON and else as text.

    Args:
        record: the row as stored.
        limit: how many facts at most.

    Returns:
        Facts in the row's order; empty when the row holds none that can be read.
    """
    details = parsed(record.details)
    found = own_facts(details, limit)
    if not found and "facts" not in (as_mapping(details) or {}):
        found = (*facts_of_json(parsed(record.retrieval_details)), *facts_of_json(details))
    if not found:
        preview = parsed(record.output_preview)
        found = facts_of_json(preview) or facts_of_text(record.output_preview)
    return found[:limit]
