"""Builders of requests: a front calls orders and users, orders call stock; all can be broken."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows, from_ms

START = 1_790_000_000_000
"""Milliseconds since the epoch of the first request."""
EDGE = START + 600_000
"""The incident begins."""
END = EDGE + 300_000

WINDOWS = Windows(
    incident=Window(start=from_ms(EDGE), end=from_ms(END)),
    baselines=(Window(start=from_ms(START), end=from_ms(EDGE - 1)),),
)
CALLS = (("front", "orders"), ("front", "users"), ("orders", "stock"), ("orders", "payment"))


@dataclass
class Shop:
    """Requests under construction: one each four seconds."""

    seed: int = 0
    late: frozenset[str] = frozenset()
    """Services that answer 300 ms late in the incident."""
    failing: frozenset[str] = frozenset()
    """Services whose visits fail in the incident, and their callers with them."""
    skipping: frozenset[str] = frozenset()
    """Services that leave out an inner step in the incident."""
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def frame(self) -> pl.DataFrame:
        """Return the table of all spans."""
        random = np.random.default_rng(self.seed)
        for number, at in enumerate(range(START, END, 4000)):
            self._visit(random, f"t{number}", "front", "root", at)
        return pl.DataFrame(self.rows, infer_schema_length=None)

    def spans(self) -> SpanSet:
        """Return the spans."""
        return spans_from(self.frame())

    def _visit(
        self, random: np.random.Generator, trace: str, service: str, parent: str, at: int
    ) -> tuple[int, bool]:
        """Record a visit; return its duration in microseconds and whether it failed."""
        during = at >= EDGE
        own = f"{service}-in"
        about: dict[str, Any] = {"trace_id": trace, "service": service, "start_us": at * 1000}
        took, failed = int(random.integers(4000, 6000)), during and service in self.failing
        for caller, callee in CALLS:
            if caller == service:
                call = f"{service}-{callee}"
                below, fell = self._visit(random, trace, callee, call, at)
                wait = int(random.integers(800, 1200))
                wait += 300_000 * (during and callee in self.late)
                self._add(about, call, own, f"call {callee}", below + wait)
                took += below + wait
                failed |= fell
        if not (during and service in self.skipping):
            self._add(about, f"{service}-step", own, "step", 1000)
        error = "500" if failed else None
        self._add(about | {"error": error}, own, parent, f"GET /{service}", took)
        return took, failed

    def _add(
        self, about: dict[str, Any], span: str, parent: str, operation: str, duration: int
    ) -> None:
        more = {"span_id": span, "parent_id": parent, "operation": operation}
        self.rows.append({"error": None} | about | more | {"duration_us": duration})
