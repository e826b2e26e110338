"""What scored incidents come to, as JSON and as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from superbizagent.domain.entity import Entity
from superbizagent.evaluation.incidents import Outcome, ScoredIncident
from superbizagent.evaluation.shares import Share

__all__ = ["head_text", "incidents_json", "incidents_text", "row_text", "totals_text"]

_RANKS = (1, 3)
_MIB = 1024 * 1024
_COLUMNS = (
    ("case", 34), ("verdict", 17), ("entity 1 3", 11), ("kind 1 3", 9), ("rank", 5),
    ("false", 6), ("out", 8), ("calls", 6), ("s", 6), ("MiB", 5),
)  # fmt: skip
_YES, _NO, _NOT_ASKED = "+", "-", "."


def incidents_json(scored: Sequence[ScoredIncident]) -> dict[str, Any]:
    """Return the totals and every case."""
    return {
        "totals": {
            key: value.as_json() if isinstance(value, Share) else value
            for key, value in _totals(scored).items()
        },
        "cases": [_case(item) for item in scored],
    }


def incidents_text(scored: Sequence[ScoredIncident]) -> str:
    """Return a table with a line a case, and the totals."""
    return "\n".join((head_text(), *map(row_text, scored), "", totals_text(scored)))


def _totals(scored: Sequence[ScoredIncident]) -> dict[str, Any]:
    run = [item for item in scored if item.outcome is not None]
    faulty = [item for item in run if not item.is_healthy]
    healthy = [item for item in run if item.is_healthy]
    outcomes = [item.outcome for item in run if item.outcome is not None]
    return {
        "cases": len(scored),
        "not_run": len(scored) - len(run),
        **{f"entity_top{n}": Share.of(i.entity_within(n) for i in faulty) for n in _RANKS},
        **{f"kind_top{n}": Share.of(i.kind_within(n) for i in faulty) for n in _RANKS},
        "verdict_right": Share.of(
            i.is_right_verdict for i in run if i.is_right_verdict is not None
        ),
        "cause_named": Share.of(i.names_a_cause for i in faulty),
        "named_wrongly": Share.of(i.is_false_cause for i in faulty if i.names_a_cause),
        "false_cause_when_healthy": Share.of(i.is_false_cause for i in healthy),
        "statements": sum(o.statements for o in outcomes),
        "taken_out": sum(o.taken_out for o in outcomes),
        "calls": sum(o.calls for o in outcomes),
        "median_seconds": round(median([o.seconds for o in outcomes]), 2) if outcomes else None,
        "peak_bytes": max((o.peak_bytes for o in outcomes), default=0),
    }


def _case(item: ScoredIncident) -> dict[str, Any]:
    outcome, truth = item.outcome, item.truth
    found: dict[str, Any] = {
        "case": item.incident.name,
        "healthy": item.is_healthy,
        "truth": [fault.model_dump(mode="json") for fault in truth.faults] if truth else [],
    }
    if outcome is None:
        return {**found, "not_run": item.problem}
    if not item.is_healthy:
        found |= {f"entity_top{n}": item.entity_within(n) for n in _RANKS}
        found |= {f"kind_top{n}": item.kind_within(n) for n in _RANKS}
        found["rank"] = item.rank
    return {
        **found,
        "verdict": outcome.verdict.value,
        "verdict_right": item.is_right_verdict,
        "false_cause": item.is_false_cause,
        "ranking": [{"entity": path, "fault_kind": kind.value} for path, kind in outcome.ranking],
        "statements": outcome.statements,
        "taken_out": outcome.taken_out,
        "calls": outcome.calls,
        "seconds": round(outcome.seconds, 3),
        "peak_bytes": outcome.peak_bytes,
    }


def head_text() -> str:
    """Return the head of the table."""
    return _row(name for name, _ in _COLUMNS)


def row_text(item: ScoredIncident) -> str:
    """Return the line of one case, with the reason when it was not run."""
    if item.outcome is None:
        return f"{item.incident.name:<{_COLUMNS[0][1]}} not run: {item.problem}"
    return _row(_cells(item, item.outcome)) + _instead(item, item.outcome)


def totals_text(scored: Sequence[ScoredIncident]) -> str:
    """Return the totals as lines."""
    return "\n".join(_total_lines(_totals(scored)))


def _total_lines(totals: Mapping[str, Any]) -> Iterator[str]:
    yield f"cases {totals['cases']}, not run {totals['not_run']}"
    yield f"entity right        first {totals['entity_top1']}   in three {totals['entity_top3']}"
    yield f"entity and kind     first {totals['kind_top1']}   in three {totals['kind_top3']}"
    if totals["verdict_right"].total:
        yield f"verdict right       {totals['verdict_right']}"
    yield f"a cause named       {totals['cause_named']}, wrongly {totals['named_wrongly']}"
    yield f"false cause when healthy   {totals['false_cause_when_healthy']}"
    yield (
        f"statements taken out   {totals['taken_out']} of {totals['statements']};"
        f" {totals['calls']} evidence calls"
    )
    if totals["median_seconds"] is not None:
        yield f"median {totals['median_seconds']} s, peak {_mib(totals['peak_bytes'])} MiB"


def _cells(item: ScoredIncident, outcome: Outcome) -> Iterator[str]:
    yield item.incident.name
    yield outcome.verdict.value
    yield _marks(item, item.entity_within)
    yield _marks(item, item.kind_within)
    yield _NOT_ASKED if item.is_healthy else str(item.rank or _NO)
    yield "FALSE" if item.is_false_cause else ""
    yield f"{outcome.taken_out}/{outcome.statements}"
    yield str(outcome.calls)
    yield f"{outcome.seconds:.2f}"
    yield str(_mib(outcome.peak_bytes))


def _marks(item: ScoredIncident, within: Any) -> str:
    if item.is_healthy:
        return _NOT_ASKED
    return " ".join(_YES if within(n) else _NO for n in _RANKS)


def _instead(item: ScoredIncident, outcome: Outcome) -> str:
    """Say what stands first where the truth does not."""
    if item.truth is None or item.is_healthy or item.kind_within(1) or not outcome.ranking:
        return ""
    path, kind = outcome.ranking[0]
    wanted = " and ".join(str(fault) for fault in item.truth.faults)
    return f"  {Entity.parse(path).name} {kind.value}, not {wanted}"


def _row(cells: Iterable[str]) -> str:
    texts = [f"{c:<{width}}" for c, (_, width) in zip(cells, _COLUMNS, strict=True)]
    return " ".join(texts).rstrip()


def _mib(size: int) -> int:
    return round(size / _MIB)
