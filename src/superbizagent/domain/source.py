"""What a data source says about itself, and what it is asked."""

from datetime import timedelta
from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Entity
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import ToolOutput, Topology
from superbizagent.domain.rule import AlertRule
from superbizagent.domain.selector import Selector
from superbizagent.domain.window import Instant, Window, Windows

__all__ = [
    "Answer",
    "EvidenceStatus",
    "ExpressionQuery",
    "LogQuery",
    "RangeQuery",
    "RulePart",
    "RuleQuery",
    "Signal",
    "SourceDescription",
    "Survey",
    "TraceQuery",
]


_RECORDINGS = frozenset({"bundle", "changes", "cluster_dump", "payload"})


class Signal(StrEnum):
    """A kind of telemetry."""

    METRICS = "metrics"
    LOGS = "logs"
    TRACES = "traces"
    ALERTS = "alerts"
    TOPOLOGY = "topology"
    CHANGES = "changes"
    KUBERNETES = "kubernetes"


class EvidenceStatus(StrEnum):
    """How a look ended; "nothing found" and "could not look" are different facts."""

    OK = "ok"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"
    DENIED = "denied"


class SourceDescription(Model):
    """What can be asked of a source. Recorded, so that a replay needs no source."""

    name: str
    kind: str
    """``bundle``, ``cluster_dump``, ``logfile``, ``payload``, ``prometheus``, ``kubernetes`` …"""
    signals: tuple[Signal, ...] = ()
    entities: tuple[Entity, ...] = ()
    label_values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Label name -> values that stand for an entity, e.g. ``job`` -> ``("order-service",)``."""
    aliases: dict[str, str] = Field(default_factory=dict)
    extent: Window | None = None
    """From the first to the last sample or record."""
    normal: tuple[Window, ...] = ()
    """Spans known to be free of the incident, recorded at another time: further baselines."""
    scrape_interval: timedelta | None = None
    version: str = ""
    alerts: tuple[Alert, ...] = ()
    """The alert that the recording was made for."""
    question: str = ""
    symptom: str = ""
    """Name of the series that alerted, when the source knows it."""
    hints: dict[str, Instant] = Field(default_factory=dict)
    """Times the source knows: ``inject_time``, ``alert_time``, ``end_time``."""
    entry: str = ""
    """Service that users see, when the source says so."""
    notes: tuple[str, ...] = ()
    """What was degraded: unreadable files, skipped series, corrected clocks; gravest first."""
    unreadable: tuple[str, ...] = ()
    """Files of which nothing could be read, so that their content is unknown; `notes` say why."""

    @property
    def is_recording(self) -> bool:
        """Whether it tells of a time that has passed: what it says does not change any more."""
        return self.kind in _RECORDINGS


class Survey(Model):
    """What the sources say about themselves, in the order they were handed in."""

    sources: tuple[SourceDescription, ...] = ()
    topology: Topology = Topology()
    failed: tuple[str, ...] = ()
    """``name: reason`` of each source that did not answer."""
    rules: tuple[AlertRule, ...] = ()
    """Rules of the alerts in question, of the sources in their order."""
    learnt: LearntNormal | None = Field(default=None, exclude_if=lambda learnt: learnt is None)
    """How this system is while nothing is wrong, as learnt before; read once a session."""


class ExpressionQuery(Model):
    """A PromQL expression at every step of a span."""

    expression: str
    window: Window
    step: timedelta
    name: str
    """Metric name that the answer's series get: results of expressions have none."""
    server_version: str = ""
    """Whose rules hold where the samples are recorded."""
    max_series: int = 5000


class RulePart(StrEnum):
    """What of an alert's rule is evaluated."""

    CONDITION = "condition"
    """The whole expression: it has series where it is true."""
    VALUE = "value"
    """The side of its telling comparison that is measured."""
    LIMIT = "limit"
    """The other side, where that is measured, too."""
    NOW = "now"
    """The whole expression at the end of the data."""


class RuleQuery(ExpressionQuery):
    """A part of an alert's rule, and what its answer is read with."""

    part: RulePart
    rule: AlertRule
    alert_labels: dict[str, str] = Field(default_factory=dict)
    """Which of the answer's series the alert is about."""
    fired_at: Instant | None = None
    longest: timedelta = timedelta(0)
    """How far the expression looks back."""
    reach: timedelta = timedelta(0)
    """How far its telling comparison does."""
    operator: str = ""
    limit: float | None = None
    unit: str = ""
    """Of the value and the limit."""
    burn: bool = False
    """The rule compares one quantity over several spans."""


class RangeQuery(Model):
    """Series of one selector over a span."""

    selector: Selector
    window: Window
    max_series: int = 5000
    max_points: int = 600
    """Samples a series; a source with more thins by keeping the last of each step."""


class LogQuery(Model):
    """Records of some services over the windows that are compared."""

    services: tuple[str, ...] = ()
    """Empty: all."""
    windows: Windows
    contains: tuple[str, ...] = ()
    """Keep only records with any of these words; empty: all."""
    max_bytes: int = 2_000_000_000


class TraceQuery(Model):
    """Spans of the traces that touch some services, in the windows that are compared."""

    services: tuple[str, ...] = ()
    """Empty: all."""
    windows: Windows
    max_spans: int = 200_000


class Answer(Model):
    """The end of one call: a value, never an exception, for every expected outcome."""

    status: EvidenceStatus
    output: ToolOutput | None = None
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    error: str = ""
    attempts: int = 1
    stats: dict[str, Any] = Field(default_factory=dict)
    """Counts a reader wants: series seen, series kept, bytes read."""
