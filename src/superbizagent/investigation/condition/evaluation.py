"""Evaluate a part of an alert's rule: by the server itself, else offline on recorded samples."""

import asyncio

from superbizagent.domain.protocols import DataSource, ExpressionQuerier, SampleReader
from superbizagent.domain.series import SeriesSet, named_series
from superbizagent.domain.source import Answer, EvidenceStatus, RuleQuery
from superbizagent.errors import QueryError
from superbizagent.promql import Query, Server, evaluate_range, parse_query

__all__ = ["evaluate_rule"]


async def evaluate_rule(query: RuleQuery, source: DataSource) -> Answer:
    """Return the values of an expression; what cannot be evaluated is an error that names why."""
    if isinstance(source, ExpressionQuerier):
        return await source.query_expression(query)
    if not isinstance(source, SampleReader):
        return _failed(f"source {source.name!r} evaluates no expressions")
    try:
        return await _evaluate_offline(query, source)
    except QueryError as error:
        return _failed(str(error))
    except OverflowError:
        return _failed(f"{query.expression!r} looks at a time that is in no calendar")


async def _evaluate_offline(query: RuleQuery, source: SampleReader) -> Answer:
    parsed = parse_query(query.expression)
    span = parsed.samples_needed(query.window)
    answer = await source.read_samples(parsed.selectors, span, query.max_series)
    if not isinstance(answer.output, SeriesSet):
        return answer
    return await asyncio.to_thread(_evaluated, query, parsed, answer.output)


def _evaluated(query: RuleQuery, parsed: Query, samples: SeriesSet) -> Answer:
    server = Server(version=query.server_version)
    found = evaluate_range(parsed, samples, query.window, query.step, server)
    missing = _missing(parsed, samples)
    if missing and not len(found):
        return _failed(f"no series of {', '.join(missing)} was recorded, which the rule needs")
    return Answer(
        status=EvidenceStatus.OK if len(found) else EvidenceStatus.EMPTY,
        output=named_series(found, query.name),
        stats={"samples_read": len(samples.times), "series_returned": len(found)},
    )


def _missing(parsed: Query, samples: SeriesSet) -> list[str]:
    """Selectors without any series: whether they had none, or none was recorded, nobody knows."""
    return [
        str(selector)
        for selector in parsed.selectors
        if not any(map(selector.matches, samples.labels))
    ]


def _failed(reason: str) -> Answer:
    return Answer(status=EvidenceStatus.ERROR, error=f"the rule of the alert: {reason}")
