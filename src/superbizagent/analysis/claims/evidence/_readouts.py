"""Single samples and single log lines: too many to be facts, but each can be made one."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence._series import StoredSeries
from superbizagent.analysis.claims.evidence.looks import service_path
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.scope import Scope
from superbizagent.domain.window import from_ms

__all__ = ["Readouts", "line_fact", "readouts", "sample_fact"]

Ints = NDArray[np.int64]

_LINE = re.compile(r"l([0-9]{1,9})")
_SAMPLE = re.compile(r"s([0-9]{1,9})(?:\.t([0-9]{1,15}))?")
_IN_FORCE = 2.5
"""Steps that a value holds when no newer one comes: one sample may be missed."""


@dataclass(frozen=True, slots=True)
class Readouts:
    """Samples of several series in a span, one entry a sample."""

    series: Ints
    """Position in `Ground.stored`."""
    times: Ints
    """Milliseconds since the epoch."""
    values: NDArray[np.float64]
    unit: NDArray[np.int16]
    """Position in `units`."""
    units: tuple[str, ...]
    ids: tuple[str, ...]
    """``E4.s17.t1790000000000``: `Ground.fact` makes a fact of it."""

    def __len__(self) -> int:
        return len(self.values)


def readouts(
    stored: StoredSeries, chosen: NDArray[np.bool_], span: tuple[int, int], step: int
) -> Readouts:
    """Return the samples of the chosen series in a span, and the one in force at its beginning.

    Args:
        stored: the series.
        chosen: one entry a series.
        span: from and to, in ms.
        step: the sampling interval in ms.
    """
    samples, (low, high) = stored.judged, span
    inside = (samples.times >= low) & (samples.times <= high)
    older = (samples.times < low) & (samples.times >= low - _IN_FORCE * step)
    # The newest of the older ones: the next sample is another series' or no older one.
    newest = older.copy()
    newest[:-1] &= ~(older[1:] & (samples.owner[1:] == samples.owner[:-1]))
    hit = np.flatnonzero((inside | newest) & chosen[samples.owner])
    owner, times = samples.owner[hit], samples.times[hit]
    units: dict[str, int] = {}
    own = {k: units.setdefault(_unit(stored, k), len(units)) for k in np.unique(owner).tolist()}
    pairs = zip(owner.tolist(), times.tolist(), strict=True)
    return Readouts(
        series=owner,
        times=times,
        values=samples.values[hit],
        unit=np.array([own[k] for k in owner.tolist()], np.int16),
        units=tuple(units),
        ids=tuple(f"{stored.place(k)}.t{at}" for k, at in pairs),
    )


def _unit(stored: StoredSeries, code: int) -> str:
    unit = stored.meanings[code].unit
    return f"{unit}/s" if MODES[int(stored.modes[code])] == "rate" else unit


def sample_fact(stored: StoredSeries, call: int, rest: str) -> Fact | None:
    """Return the sample ``s17.t<ms>`` of a call as a fact, None when there is none.

    ``s17`` alone is the whole series, without a value.
    """
    match = _SAMPLE.fullmatch(rest)
    if match is None:
        return None
    found = np.flatnonzero((stored.calls == call) & (stored.rows == int(match[1])))
    for code in found.tolist():
        about: dict[str, Any] = {
            "id": f"E{call}.{rest}",
            "entity": stored.entities[code],
            "name": stored.names[code],
            "unit": _unit(stored, code),
            "place": f"series/{match[1]}",
        }
        if match[2] is None:
            return Fact(statistic="samples", value=None, **about)
        part = slice(int(stored.judged.offsets[code]), int(stored.judged.offsets[code + 1]))
        at = np.flatnonzero(stored.judged.times[part] == int(match[2]))
        mode = MODES[int(stored.modes[code])]
        for k in at.tolist():
            value = round_significant(float(stored.judged.values[part][k]))
            return Fact(statistic=mode, value=value, at=from_ms(int(match[2])), **about)
    return None


def line_fact(call: int, digest: LogDigest, rest: str, scope: Scope) -> Fact | None:
    """Return the stored line ``l12`` of a call as a fact, None when there is none."""
    match = _LINE.fullmatch(rest)
    if match is None or int(match[1]) >= len(digest.lines):
        return None
    line = digest.lines[int(match[1])]
    path = service_path(line.service, scope)
    return Fact(
        id=f"E{call}.{rest}",
        entity=path if "/" in path else "",
        name=f"log:{line.template}",
        statistic="line",
        value=line.text,
        at=line.at,
        quote=line.text,
        place=f"line/{match[1]}",
    )
