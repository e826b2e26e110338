"""Labels that a server's own data lack because they are of all of it, such as its cluster."""

from collections.abc import Mapping

from superbizagent.domain.outputs import AlertList
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import Answer

__all__ = ["labelled"]


def labelled(answer: Answer, labels: Mapping[str, str]) -> Answer:
    """Return an answer whose series or alerts carry some labels, where they have none of them."""
    if not labels:
        return answer
    match answer.output:
        case SeriesSet() as found:
            rows = ((dict(labels) | s.labels, s.times, s.values) for s in found)
            return answer.model_copy(update={"output": SeriesSet.of(rows)})
        case AlertList(alerts=alerts):
            told = tuple(
                alert.model_copy(update={"labels": dict(labels) | alert.labels}) for alert in alerts
            )
            return answer.model_copy(update={"output": AlertList(alerts=told)})
        case _:
            return answer
