"""Make the planned evidence calls, each recorded before anything uses it.

Calls run side by side up to the cap; consumers get the batch only after all of it ended, in call
order. A failed call is a row with a status, never an exception.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.outputs import ToolOutput
from superbizagent.domain.plan import Plan, PlannedCall, ToolName
from superbizagent.domain.protocols import Clock, DataSource
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.errors import SuperbizError
from superbizagent.investigation.condition.facts import ConditionReader, run_of
from superbizagent.investigation.facts.onset import is_lead
from superbizagent.investigation.facts.reader import FactReader
from superbizagent.investigation.journal import Journal
from superbizagent.investigation.tools import perform_call
from superbizagent.telemetry import get_logger

__all__ = ["Gathering", "gather_condition", "gather_evidence"]

_ReadFacts = Callable[[ToolInvocation], tuple[Fact, ...]]


@dataclass(frozen=True, slots=True)
class Gathering:
    """What a round of calls needs beside its plan."""

    sources: Mapping[str, DataSource]
    journal: Journal
    clock: Clock
    facts: FactReader
    concurrency: int
    ends_at: float
    """`Clock.monotonic` second at which the diagnosis must report."""


async def gather_evidence(
    plan: Plan, tools: Gathering, earlier: Sequence[ToolInvocation] = ()
) -> tuple[ToolInvocation, ...]:
    """Make the calls of ``plan`` and return their rows in call order.

    The sweeps of what hurts come first: they tell since when, and all others are read with that.

    Args:
        plan: which calls.
        tools: what the calls need.
        earlier: the rows of earlier rounds.

    Raises:
        StorageError: when a row cannot be recorded.
        ReplayMismatchError: when a replay asks for a call that was not recorded.
    """
    leads = [call for call in plan.calls if is_lead(tools.facts.scope, call)]
    rows = await _batch(leads, tools, _of_output(tools.facts.read_lead))
    onset = tools.facts.onset((*earlier, *rows))

    def read(number: int, output: ToolOutput) -> tuple[Fact, ...]:
        return tools.facts.read(number, output, onset)

    others = [call for call in plan.calls if call not in leads]
    rows += await _batch(others, tools, _of_output(read))
    await tools.journal.seal()
    return tuple(sorted(rows, key=lambda row: row.number))


async def gather_condition(plan: Plan, tools: Gathering) -> tuple[ToolInvocation, ...]:
    """Make the calls that evaluate the alert's rule and return their rows in call order.

    The whole expression comes first: the values are read with the time in which it was true.

    Args:
        plan: of `plan_condition`.
        tools: what the calls need; the scope may be provisional.

    Raises:
        StorageError: when a row cannot be recorded.
        ReplayMismatchError: when a replay asks for a call that was not recorded.
    """
    reader = ConditionReader(tools.facts.entity_of)
    rows = await _batch(plan.calls[:1], tools, reader.read)
    run = run_of(rows[0]) if rows else None
    rows += await _batch(plan.calls[1:], tools, replace(reader, run=run).read)
    await tools.journal.seal()
    return tuple(rows)


def _of_output(read: Callable[[int, ToolOutput], tuple[Fact, ...]]) -> _ReadFacts:
    return lambda row: () if row.output is None else read(row.number, row.output)


async def _batch(
    calls: Sequence[PlannedCall],
    tools: Gathering,
    read: _ReadFacts,
) -> list[ToolInvocation]:
    slots = asyncio.Semaphore(tools.concurrency)

    async def one(call: PlannedCall) -> ToolInvocation:
        async def perform() -> Answer:
            if call.tool is ToolName.GET_BASELINE:
                # Read with the survey: how a system was learnt may change while it is looked at.
                return Answer(status=EvidenceStatus.OK, output=tools.facts.scope.learnt)
            answer = await perform_call(call, tools.sources, tools.clock, tools.ends_at)
            get_logger("tools").debug(
                "call", tool=call.tool.value, source=call.source, status=answer.status
            )
            return answer

        async with slots:
            return await tools.journal.call(call, perform, read_facts=read)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
    except* SuperbizError as failed:
        raise failed.exceptions[0] from failed
    return [task.result() for task in tasks]
