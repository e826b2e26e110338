"""Series of one metric and one entity that differ by labels, whole and by the values of a label."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from superbizagent.analysis.claims.evidence._series import StoredSeries

__all__ = ["Group", "groups_of"]

_MOST_VALUES = 24
"""Values of one label that are summed each; a label with more tells requests apart, not routes."""


@dataclass(frozen=True, slots=True)
class Group:
    """Series that add up to something that has a name."""

    id: str
    """``E4.g3`` for a whole metric, ``E4.g3.2`` for one value of a label."""
    name: str
    """The metric, or ``metric{label="value"}``."""
    entity: str
    codes: tuple[int, ...]
    place: str
    """``sum/3,7``."""

    @property
    def whole(self) -> bool:
        """Whether it is all of a metric."""
        return "{" not in self.name


def groups_of(
    stored: StoredSeries,
    codes: Iterable[int],
    besides: frozenset[str] = frozenset(),
    least: int = 2,
) -> Iterator[Group]:
    """Yield groups of at least ``least`` of the series, by call, metric and owner.

    Args:
        stored: the series.
        codes: which of them add up.
        besides: labels that make no difference (``le``).
        least: fewer are no sum.
    """
    found: dict[tuple[int, str, str], list[int]] = {}
    for code in codes:
        metric = stored.labels[code].get("__name__", "")
        key = (int(stored.calls[code]), metric, stored.owners[code])
        found.setdefault(key, []).append(code)
    for (call, metric, _), members in found.items():
        if len(members) < least:
            continue
        # The first row is in no other group of this call and metric.
        head = f"E{call}.g{stored.rows[members[0]]}"
        yield _group(stored, head, metric, members)
        for n, (label, value, some) in enumerate(_parts(stored, members, besides)):
            if least <= len(some) < len(members):
                yield _group(stored, f"{head}.{n}", f'{metric}{{{label}="{value}"}}', some)


def _group(stored: StoredSeries, head: str, name: str, codes: list[int]) -> Group:
    rows = ",".join(str(stored.rows[k]) for k in codes)
    return Group(head, name, stored.entities[codes[0]], tuple(codes), f"sum/{rows}")


def _parts(
    stored: StoredSeries, members: list[int], besides: frozenset[str]
) -> Iterator[tuple[str, str, list[int]]]:
    values: dict[str, dict[str, list[int]]] = {}
    for code in members:
        for label, value in stored.labels[code].items():
            values.setdefault(label, {}).setdefault(value, []).append(code)
    for label in sorted(values.keys() - besides - {"__name__"}):
        if 1 < len(values[label]) <= _MOST_VALUES:
            for value in sorted(values[label]):
                yield label, value, values[label][value]
