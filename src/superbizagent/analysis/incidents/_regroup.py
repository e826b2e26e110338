"""Incidents of which it turned out later that another explains them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from superbizagent.analysis.incidents._bindings import Bindings
from superbizagent.analysis.incidents._open_incident import OpenIncident
from superbizagent.analysis.incidents.reach import Reach
from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import CoreKind, Move, Reason, ReasonCode
from superbizagent.domain.intake import IntakeConfig

__all__ = ["Explained"]

# As in `_rules`: what is felt through a machine or namespace is a little further than by a call.
_ON_MACHINE = 0.4
_THROUGH_MACHINE = 1.1

_Way = tuple[float, int, str]
"""Distance, negative count of alerts, incident: the least one is taken."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Looks for incidents that only feel a trouble which by now is known.

    An incident whose trouble may come from what its service calls goes to one that has trouble of
    its own. No incident is both, so nothing is passed on, whatever the order.
    """

    incidents: Mapping[str, OpenIncident]
    bindings: Bindings
    reach: Reach
    config: IntakeConfig

    def moves(self, now: datetime, keep: Collection[str]) -> Iterator[Move]:
        """Return a move for each alert of each incident that another explains.

        An incident stays when one that its alerts go to has had the same alert before: twice is
        news that one row of an alert would not tell.
        """
        taken = set[tuple[str, str]]()
        for name in sorted(self.incidents):
            incident = self.incidents[name]
            state = incident.state
            unsure = state.core_kind is CoreKind.SERVICE and not state.core_is_sure
            recent = now - state.opened_at <= self.config.group_window
            if name in keep or not unsure or not recent or state.skipped is not None:
                continue
            best = self._nearest(state.core, state.cluster)
            if best is None:
                continue
            moves = list(self._out_of(incident, best))
            if not any(
                self._has(move) or (move.to_id, move.fingerprint) in taken for move in moves
            ):
                taken.update((move.to_id, move.fingerprint) for move in moves)
                yield from moves

    def _has(self, move: Move) -> bool:
        return move.fingerprint in self.incidents[move.to_id].alerts

    def _out_of(self, incident: OpenIncident, best: str) -> Iterator[Move]:
        """Its alerts go each to the nearest for its own service, else along with the core."""
        for fingerprint, alert in incident.alerts.items():
            place = alert.place
            own = None
            if alert.skipped is None and place.service:
                own = self._nearest(place.service, place.cluster)
            into = own or best
            values = {
                "service": place.service if own else incident.state.core,
                "core": self.incidents[into].state.core,
            }
            yield Move(
                fingerprint=fingerprint,
                from_id=incident.state.incident_id,
                to_id=into,
                reason=Reason(code=ReasonCode.EXPLAINED, values=values),
            )

    def _nearest(self, service: str, cluster: str) -> str | None:
        names = {service: 0, **self.reach.callees(service)}
        ways = (way for name, hops in names.items() for way in self._ways(name, hops, cluster))
        best = min(ways, default=None)
        return None if best is None else best[2]

    def _ways(self, name: str, hops: int, cluster: str) -> Iterator[_Way]:
        for incident_id in self.bindings.cores.newest(name, cluster):
            state = self.incidents[incident_id].state
            if not state.core_is_sure or state.status is not AlertStatus.FIRING:
                continue
            distance = float(hops)
            if state.core_kind is not CoreKind.SERVICE:
                if hops > 1:
                    continue
                distance = _THROUGH_MACHINE if hops else _ON_MACHINE
            yield distance, -state.alert_count, incident_id
