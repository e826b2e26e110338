"""What the analysis gets of each evidence call: the output, what was computed of it, its facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from superbizagent.analysis.deviation import Deviations
from superbizagent.analysis.span_channels import SpanChannels
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import SpanSet

__all__ = ["LogCall", "MetricCall", "SpanCall"]


@dataclass(frozen=True, slots=True)
class MetricCall:
    """One answered metrics call."""

    number: int
    series: SeriesSet
    deviations: Deviations
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class LogCall:
    """One answered log call."""

    number: int
    digest: LogDigest
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class SpanCall:
    """One answered call for recorded spans."""

    number: int
    spans: SpanSet
    channels: SpanChannels
    facts: Sequence[Fact] = ()
