"""How often a container was held back by its CPU limit: counters of cAdvisor and of the kernel."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Throttling", "is_scrape", "share_of_stat", "throttling_of"]

_SAMPLE = re.compile(
    r"^container_cpu_cfs_(throttled_)?periods_total\{([^}]*)\} +([0-9.eE+]+)", re.MULTILINE
)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_SCRAPE = re.compile(r"^(?:# (?:HELP|TYPE) |container_cpu_cfs_)", re.MULTILINE)
_STAT = re.compile(r"^(nr_periods|nr_throttled) (\d+)$", re.MULTILINE)
_LEAST = 1000.0
"""Periods; after fewer, two minutes, a start-up burst is all there was."""


@dataclass(frozen=True, slots=True)
class Throttling:
    """Of one container the share of its periods in which it had to wait."""

    namespace: str
    pod: str
    container: str
    ratio: float


def is_scrape(head: str) -> bool:
    """Tell whether a text is a scrape of metrics."""
    return _SCRAPE.search(head) is not None


def throttling_of(body: str) -> Iterator[Throttling]:
    """Yield the containers of which both counters are there."""
    found: dict[tuple[str, str, str], dict[bool, float]] = {}
    for sample in _SAMPLE.finditer(body):
        labels = dict(_LABEL.findall(sample[2]))
        key = (labels.get("namespace", ""), labels.get("pod", ""), labels.get("container", ""))
        found.setdefault(key, {})[bool(sample[1])] = _number(sample[3])
    for (namespace, pod, container), counts in sorted(found.items()):
        periods = counts.get(False, 0.0)
        if pod and container and periods >= _LEAST and True in counts:
            yield Throttling(namespace, pod, container, min(1.0, counts[True] / periods))


def share_of_stat(body: str) -> float | None:
    """Return the share of throttled periods that a group's ``cpu.stat`` counts, None without it."""
    counts = {name: float(count) for name, count in _STAT.findall(body)}
    periods = counts.get("nr_periods", 0.0)
    if periods < _LEAST or "nr_throttled" not in counts:
        return None
    return min(1.0, counts["nr_throttled"] / periods)


def _number(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return 0.0
