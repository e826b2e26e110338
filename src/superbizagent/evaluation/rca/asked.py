"""Words of a command line as a plan."""

from collections.abc import Sequence

from superbizagent.errors import UsageError
from superbizagent.evaluation.rca.core import LADDER, Input
from superbizagent.evaluation.rca.score import Plan
from superbizagent.evaluation.rca.timing import TimeMode

__all__ = ["plan_of"]


def plan_of(times: Sequence[str], inputs: str | None, *, healthy: bool) -> Plan:
    """Return what to run.

    Args:
        times: names of modes; none: all.
        inputs: names of inputs with commas between; None: more and more of them.
        healthy: whether healthy windows are looked at.

    Raises:
        UsageError: when a name is unknown, or neither metrics nor logs nor traces are among them.
    """
    modes = tuple(mode for mode in TimeMode if not times or mode.value in times)
    if inputs is None:
        return Plan(modes, LADDER, healthy)
    names = [name.strip() for name in inputs.split(",") if name.strip()]
    known = [item.value for item in Input]
    if wrong := [name for name in names if name not in known]:
        raise UsageError(f"no input {wrong[0]!r}; there are {', '.join(known)}")
    chosen = frozenset(Input(name) for name in names)
    if not chosen - {Input.GRAPH}:
        raise UsageError("--inputs needs metrics, logs or traces: a graph alone ranks nothing")
    return Plan(modes, (chosen,), healthy)
