"""When each alert fired or went pending, out of the series that Prometheus keeps of its rules."""

from dataclasses import dataclass
from functools import lru_cache

from superbizagent.analysis.claims.evidence.ground import Ground

__all__ = ["Firing", "firings_in", "firings_of"]


@dataclass(frozen=True, slots=True)
class Firing:
    """One alert in one state, since its first sample."""

    name: str
    entity: str
    pending: bool
    at: int
    """Milliseconds."""
    call: int
    place: str
    """``E4.s17``."""


@lru_cache(maxsize=4)
def firings_of(ground: Ground) -> tuple[Firing, ...]:
    """Return the firings of a session, in call order; not those that were there all along."""
    stored, raw = ground.stored, ground.stored.raw
    found: list[Firing] = []
    for code, labels in enumerate(stored.labels):
        first, end = int(raw.offsets[code]), int(raw.offsets[code + 1])
        if labels.get("__name__") != "ALERTS" or first == end:
            continue
        at = int(raw.times[first])
        if at < ground.frame.windows.incident.start_ms:
            continue
        found.append(
            Firing(
                name=labels.get("alertname", ""),
                entity=stored.entities[code],
                pending=labels.get("alertstate") != "firing",
                at=at,
                call=int(stored.calls[code]),
                place=stored.place(code),
            )
        )
    return tuple(found)


def firings_in(ground: Ground, text: str, entities: tuple[str, ...]) -> tuple[Firing, ...]:
    """Return the firings of the alerts that a text names, of these entities where there are any.

    Those that went pending only where it says so.
    """
    pending = "pending" in text.lower()
    named = [f for f in firings_of(ground) if f.name in text and f.pending is pending]
    return tuple(f for f in named if not entities or f.entity in entities)
