"""Make the planned evidence calls, each recorded before anything uses it.

Calls run side by side up to the cap; consumers get the batch only after all of it ended, in call
order. A failed call is a row with a status, never an exception.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.plan import Plan, PlannedCall
from superbizagent.domain.protocols import Clock, DataSource
from superbizagent.domain.source import Answer
from superbizagent.errors import SuperbizError
from superbizagent.investigation.facts import FactReader
from superbizagent.investigation.journal import Journal
from superbizagent.investigation.tools import perform_call

__all__ = ["Gathering", "gather_evidence"]


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


async def gather_evidence(plan: Plan, tools: Gathering) -> tuple[ToolInvocation, ...]:
    """Make the calls of ``plan`` and return their rows in call order.

    Raises:
        StorageError: when a row cannot be recorded.
        ReplayMismatchError: when a replay asks for a call that was not recorded.
    """
    slots = asyncio.Semaphore(tools.concurrency)

    def read_facts(row: ToolInvocation) -> tuple[Fact, ...]:
        if row.output is None:
            return ()
        return tools.facts.read(row.number, row.output)

    async def one(call: PlannedCall) -> ToolInvocation:
        async def perform() -> Answer:
            return await perform_call(call, tools.sources, tools.clock, tools.ends_at)

        async with slots:
            return await tools.journal.call(call, perform, read_facts=read_facts)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in plan.calls]
    except* SuperbizError as failed:
        raise failed.exceptions[0] from failed
    await tools.journal.seal()
    return tuple(task.result() for task in tasks)
