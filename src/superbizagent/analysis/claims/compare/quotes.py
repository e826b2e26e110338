"""Whether quoted words stand in the evidence, at whoever is said to have written them."""

from collections.abc import Iterator

import numpy as np

from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.mentions import Quote

__all__ = ["judge_quotes", "quoted_ids"]

_KIND = "template/"
"""Where a kind of log record stands in what a call found."""


def judge_quotes(view: View) -> Iterator[Part]:
    """Yield one part for every quote that is more than a name."""
    for quote in view.statement.quotes:
        if not _is_name(view, quote):
            yield _judge(view, quote)


def quoted_ids(view: View, quote: Quote) -> tuple[str, ...]:
    """Return facts and stored lines that hold a quote, of what its clause is about."""
    paths = view.entities(view.clause_of(quote))
    return view.ground.find_quote(quote.content, paths or None)


def _judge(view: View, quote: Quote) -> Part:
    found = quoted_ids(view, quote)
    cited = tuple(i for i in found if _may_bear(view, i))
    if cited:
        return Part(PartKind.QUOTE, Outcome.HOLDS, quote.text, "", cited[:3])
    if found:
        return Part(PartKind.QUOTE, Outcome.UNSHOWN, quote.text, "quote_not_cited", found[:3])
    elsewhere = view.ground.find_quote(quote.content)
    if elsewhere:
        reason = f"quote_of_other:{elsewhere[0]}"
        return Part(PartKind.QUOTE, Outcome.FAILS, quote.text, reason, elsewhere[:3])
    return Part(PartKind.QUOTE, Outcome.UNSHOWN, quote.text, "no_such_quote")


def _may_bear(view: View, text_id: str) -> bool:
    """Tell whether a text may bear the sentence out: it has no marks, or one stands for it."""
    if view.cited is None:
        return True
    row = view.ground.row(text_id)
    if row is not None:
        return bool(view.cited[row]) or _is_counted(view, view.cited, row)
    # A stored line that no fact has stands under its call alone.
    call = int(text_id[1:].partition(".")[0])
    of_call = view.ground.call == call
    return bool(of_call.any() and np.all(view.cited[of_call]))


def _is_counted(view: View, cited: Mask, row: int) -> bool:
    """Tell whether a count of the same kind of record is cited: it is of the same words."""
    fact = view.ground.facts[row]
    if not fact.place.startswith(_KIND):
        return False
    own: list[int] = np.flatnonzero(cited & (view.ground.call == fact.call)).tolist()
    return any(view.ground.facts[k].place == fact.place for k in own)


def _is_name(view: View, quote: Quote) -> bool:
    """Tell whether quotation marks stand around a name: of a metric, an entity, an alert."""
    content = quote.content.strip()
    known = view.ground.names
    if content in known.metrics or content in known.entities:
        return True
    if any(n.start < quote.end and quote.start < n.end for n in view.statement.names):
        return True
    return any(content in {s.name, s.name.partition(":")[2]} for s in view.ground.subjects)
