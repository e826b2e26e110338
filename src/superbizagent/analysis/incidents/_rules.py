"""The rules by which a new alert joins an open incident."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from superbizagent.analysis.incidents._bindings import Bindings, agree
from superbizagent.analysis.incidents._open_incident import OpenIncident
from superbizagent.analysis.incidents.reach import Reach
from superbizagent.analysis.incidents.reading import GroupedAlert
from superbizagent.domain.grouping import CoreKind, IncidentState, Reason, ReasonCode
from superbizagent.domain.intake import IntakeConfig

__all__ = ["Found", "Rules"]

# How far an alert is from what an incident is about, in calls; a whole number of them where it is
# only felt there. What lies below one orders the ways to be there without any call between.
_THERE = 0.0
_IN_NAMESPACE = 0.3
_ON_MACHINE = 0.4
"""Its service has other programs on the machine, or in the namespace, that is in trouble."""
_ITSELF_FELT = 0.5
"""The incident is about the service, but only what others feel of it is known."""
_SOMEWHERE = 1.0
"""The service is part of the incident, and by which calls nobody knows."""
_STAYS = 0.1
"""So much nearer is an incident that the service is part of already: of equals it is taken."""
_MOST = 8
"""Newest incidents of a machine or namespace that are looked at: no storm makes a look slow."""
_NO_CALL = 0.6
"""Anything nearer needs no call to be explained."""


@dataclass(frozen=True, slots=True)
class Found:
    """The incident that an alert joins, and why."""

    incident: OpenIncident
    reason: Reason
    deepens: bool = False
    """What the alert is about becomes what the incident is about."""


class _Way(NamedTuple):
    """One incident that an alert might join: the least one is taken."""

    distance: float
    age: float
    """Negative seconds of its begin: of equals the youngest is nearest in time."""
    incident_id: str
    code: ReasonCode
    deepens: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Looks for the incident of one alert among the open ones."""

    incidents: Mapping[str, OpenIncident]
    bindings: Bindings
    reach: Reach
    config: IntakeConfig

    def find(self, read: GroupedAlert, at: datetime) -> Found | None:
        """Return the incident that an alert joins, None when it begins one.

        Of several the nearest one is taken: about the same service, host or namespace; then along
        the fewest calls; then the youngest.
        """
        by_name = self._of_service if read.place.service else self._of_namespace
        ways = [*by_name(read, at), *self._of_host(read, at)]
        if all(way.distance >= _NO_CALL for way in ways):
            ways += self._by_calls(read, at)
        best = min(ways, default=None)
        if best is not None and best.distance < _NO_CALL:
            return self._found(best, read)
        # The sender's group says more than a call, where it is about one trouble alone. Of one that
        # is about several it only keeps a service where it was, when nothing else is told.
        members = tuple(islice(self.bindings.groups.newest(read.group_key), 2))
        if len(members) == 1:
            incident = self.incidents[members[0]]
            if not _contradict(incident.state, read):
                return _in_group(incident, read)
        if best is not None:
            return self._found(best, read)
        return self._kept_in_group(read) if members else None

    def _kept_in_group(self, read: GroupedAlert) -> Found | None:
        place, groups = read.place, self.bindings.groups
        if not place.service or read.own:
            return None
        near = self.bindings.services.newest(place.service, place.cluster, place.namespace)
        name = next((name for name in near if groups.has(read.group_key, name)), None)
        return None if name is None else _in_group(self.incidents[name], read)

    def _found(self, way: _Way, read: GroupedAlert) -> Found:
        incident, place = self.incidents[way.incident_id], read.place
        values = {
            ReasonCode.SAME_SERVICE: {"service": place.service},
            ReasonCode.SAME_HOST: {"host": place.host},
            ReasonCode.SAME_NAMESPACE: {"namespace": place.namespace},
        }.get(way.code)
        if values is None:
            hops = f"{way.distance:.0f}"
            values = {"service": place.service, "core": incident.state.core, "hops": hops}
        return Found(incident, Reason(code=way.code, values=values), way.deepens)

    def _of_service(self, read: GroupedAlert, at: datetime) -> Iterator[_Way]:
        """Incidents that the service is part of, and one that is about all of its namespace.

        A service that only feels trouble elsewhere may have its own beside it: that is another.
        """
        place = read.place
        near = self.bindings.services.newest(place.service, place.cluster, place.namespace)
        for incident in self._active(near, at):
            distance = self._distance(incident.state, read)
            if distance < _NO_CALL or not read.own:
                yield _way(distance, incident.state, ReasonCode.SAME_SERVICE)
        near = self.bindings.about.newest(f"namespace/{place.namespace}", place.cluster)
        for incident in self._active(near, at):
            if incident.state.core_is_sure:
                yield _way(_IN_NAMESPACE, incident.state, ReasonCode.SAME_NAMESPACE)

    def _distance(self, state: IncidentState, read: GroupedAlert) -> float:
        """How far a service is from the core of an incident that it is part of."""
        service = read.place.service
        if state.core_kind is CoreKind.SERVICE and state.core == service:
            return _THERE if state.core_is_sure or read.own else _ITSELF_FELT
        if state.incident_id in self.bindings.cores.newest(service, read.place.cluster):
            return _ON_MACHINE
        return self.reach.callees(service).get(state.core, _SOMEWHERE) - _STAYS

    def _of_host(self, read: GroupedAlert, at: datetime) -> Iterator[_Way]:
        """Incidents on the alert's machine.

        Programs of all sorts share a node of a cluster: there only trouble of the node itself makes
        them one, or that nothing of the incident is anywhere else.
        """
        host = read.place.host
        if not host:
            return
        for incident in self._active(self.bindings.about.newest(f"host/{host}"), at):
            if agree(incident.state.cluster, read.place.cluster):
                yield _way(_THERE, incident.state, ReasonCode.SAME_HOST)
        near = islice(self.bindings.hosts.newest(host, read.place.cluster), _MOST)
        for incident in self._active(near, at):
            state = incident.state
            if state.core_kind is not CoreKind.HOST and state.hosts == (host,):
                # A machine in trouble explains the one service that complained of it.
                of_host = read.core_kind is CoreKind.HOST
                if of_host or not read.shared_host:
                    yield _way(_ON_MACHINE, state, ReasonCode.SAME_HOST, deepens=of_host)

    def _of_namespace(self, read: GroupedAlert, at: datetime) -> Iterator[_Way]:
        """What an alert of a namespace may join: what is about it, or the only one in it."""
        place = read.place
        if read.core_kind is not CoreKind.NAMESPACE:
            return
        named = self.bindings.about.newest(f"namespace/{place.namespace}", place.cluster)
        about = [incident.state for incident in self._active(named, at)]
        near = islice(self.bindings.namespaces.newest(place.namespace, place.cluster), _MOST)
        found = {i.state.incident_id: i.state for i in self._active(near, at)}
        only = list(found.values()) if len(found) == 1 and not read.spreads else []
        for state in about or only:
            yield _way(_IN_NAMESPACE, state, ReasonCode.SAME_NAMESPACE)

    def _active(self, names: Iterable[str], at: datetime) -> Iterator[OpenIncident]:
        window = self.config.group_window
        for name in names:
            incident = self.incidents[name]
            if incident.is_active(at, window):
                yield incident

    def _by_calls(self, read: GroupedAlert, at: datetime) -> Iterator[_Way]:
        """Incidents along calls; only what they are about counts, never who else feels them.

        What a service has by itself nothing that it calls explains, so such an alert joins nothing
        further down, and an incident that is about such trouble is not moved to what is called.
        """
        service = read.place.service
        if not service:
            return
        down: Mapping[str, int] = {} if read.own else self.reach.callees(service)
        up = self.reach.callers(service)
        if read.caller:
            up = {**up, read.caller: 1}
        for names, deepens in ((down, False), (up, True)):
            code = ReasonCode.CALLED_BY_CORE if deepens else ReasonCode.CALLS_CORE
            for name, hops in names.items():
                for incident_id in self.bindings.cores.newest(name, read.place.cluster):
                    state = self.incidents[incident_id].state
                    if at - state.opened_at > self.config.group_window:
                        continue
                    of_service = state.core_kind is CoreKind.SERVICE
                    if deepens and (state.core_is_sure or not of_service):
                        continue
                    # Of what a machine or namespace holds all is near to half of a system.
                    if not of_service and hops > 1:
                        continue
                    yield _way(hops, state, code, deepens=deepens)


def _way(distance: float, state: IncidentState, code: ReasonCode, *, deepens: bool = False) -> _Way:
    return _Way(distance, -state.opened_at.timestamp(), state.incident_id, code, deepens)


def _in_group(incident: OpenIncident, read: GroupedAlert) -> Found:
    reason = Reason(code=ReasonCode.SAME_GROUP, values={"group": read.group_key[:120]})
    return Found(incident, reason)


def _contradict(state: IncidentState, read: GroupedAlert) -> bool:
    """Tell whether the labels name another cluster, namespace, service or host."""
    place = read.place
    if not agree(state.cluster, place.cluster) or not agree(state.namespace, place.namespace):
        return True
    if place.service and state.services:
        return place.service not in state.services
    return bool(place.host and state.hosts) and place.host not in state.hosts
