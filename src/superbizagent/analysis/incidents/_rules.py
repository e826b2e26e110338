"""The rules by which a new alert joins an open incident, in their order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from superbizagent.analysis.incidents._bindings import Bindings, agree
from superbizagent.analysis.incidents._open_incident import OpenIncident
from superbizagent.analysis.incidents.reach import Reach
from superbizagent.analysis.incidents.reading import GroupedAlert
from superbizagent.domain.grouping import CoreKind, Reason, ReasonCode
from superbizagent.domain.intake import IntakeConfig

__all__ = ["Found", "Rules"]


@dataclass(frozen=True, slots=True)
class Found:
    """The incident that an alert joins, and why."""

    incident: OpenIncident
    reason: Reason
    deepens: bool = False
    """What the alert is about becomes what the incident is about."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Looks for the incident of one alert among the open ones."""

    incidents: Mapping[str, OpenIncident]
    bindings: Bindings
    reach: Reach
    config: IntakeConfig

    def find(self, read: GroupedAlert, at: datetime) -> Found | None:
        """Return the incident that an alert joins, None when it begins one."""
        return self._same_group(read) or self._same_place(read, at) or self._by_calls(read, at)

    def _same_group(self, read: GroupedAlert) -> Found | None:
        """The sender's group, unless the labels say that it is somebody else's trouble."""
        if not read.group_key:
            return None
        members = dict.fromkeys(self.bindings.groups.newest(read.group_key))
        if not members:
            return None
        reason = Reason(code=ReasonCode.SAME_GROUP, values={"group": read.group_key[:120]})
        place = read.place
        if place.service:
            with_service = self.bindings.services.newest(
                place.service, place.cluster, place.namespace
            )
            for name in with_service:
                if name in members:
                    return Found(self.incidents[name], reason)
        if len(members) > 1:
            return None  # rules of one name about several troubles: the group tells nothing
        incident = self.incidents[next(iter(members))]
        return None if _contradict(incident, read) else Found(incident, reason)

    def _same_place(self, read: GroupedAlert, at: datetime) -> Found | None:
        place = read.place
        near = self.bindings.services.newest(place.service, place.cluster, place.namespace)
        by_service = next(self._active(near, at), None) if place.service else None
        by_host = self._of_host(read, at) if place.host else None
        on_host = by_host is not None and by_host.state.core_kind is CoreKind.HOST
        if by_service is not None and not (on_host and not by_service.state.core_is_sure):
            values = {"service": place.service}
            return Found(by_service, Reason(code=ReasonCode.SAME_SERVICE, values=values))
        if by_host is not None:
            reason = Reason(code=ReasonCode.SAME_HOST, values={"host": place.host})
            # A machine that is in trouble explains the one service that complained of it.
            return Found(by_host, reason, deepens=read.core_kind is CoreKind.HOST and not on_host)
        return self._of_namespace(read, at)

    def _active(self, names: Iterable[str], at: datetime) -> Iterator[OpenIncident]:
        for name in names:
            incident = self.incidents[name]
            if incident.is_active(at, self.config.group_window):
                yield incident

    def _of_host(self, read: GroupedAlert, at: datetime) -> OpenIncident | None:
        """An incident on the alert's machine.

        Programs of all sorts share a node of a cluster: there only trouble of the node itself makes
        them one, or that nothing else of the incident is anywhere else.
        """
        host = read.place.host
        for incident in self._active(self.bindings.hosts.newest(host, read.place.cluster), at):
            state = incident.state
            about_it = state.core_kind is CoreKind.HOST and state.core == host
            all_on_it = state.core_kind is not CoreKind.HOST and state.hosts == (host,)
            whole = all_on_it and read.core_kind is CoreKind.HOST
            if about_it or whole or (all_on_it and not read.shared_host):
                return incident
        return None

    def _of_namespace(self, read: GroupedAlert, at: datetime) -> Found | None:
        """The one incident in the alert's namespace, or one that is about all of it."""
        place = read.place
        if not place.namespace:
            return None
        near = self._active(self.bindings.namespaces.newest(place.namespace, place.cluster), at)
        reason = Reason(code=ReasonCode.SAME_NAMESPACE, values={"namespace": place.namespace})
        if read.core_kind is not CoreKind.NAMESPACE:
            for incident in near:
                state = incident.state
                if state.core_kind is CoreKind.NAMESPACE and state.core_is_sure:
                    return Found(incident, reason)
            return None
        first = next(near, None)
        if first is None or any(incident is not first for incident in near):
            return None
        return Found(first, reason)

    def _by_calls(self, read: GroupedAlert, at: datetime) -> Found | None:
        """The nearest incident along calls, then the youngest; only its core counts.

        What a service has by itself nothing that it calls explains, so such an alert joins nothing
        further down, and an incident that is about such trouble is not moved to what is called.
        """
        service = read.place.service
        if not service:
            return None
        found: list[tuple[int, float, str, bool]] = []
        down: Mapping[str, int] = {} if read.own else self.reach.callees(service)
        for names, deepens in ((down, False), (self._callers(read), True)):
            for name, hops in names.items():
                for incident_id in self.bindings.cores.newest(name, read.place.cluster):
                    state = self.incidents[incident_id].state
                    if at - state.opened_at > self.config.group_window:
                        continue
                    if deepens and (state.core_is_sure or state.core_kind != CoreKind.SERVICE):
                        continue
                    found.append((hops, -state.opened_at.timestamp(), incident_id, deepens))
        if not found:
            return None
        hops, _, incident_id, deepens = min(found)
        incident = self.incidents[incident_id]
        code = ReasonCode.CALLED_BY_CORE if deepens else ReasonCode.CALLS_CORE
        values = {"service": service, "core": incident.state.core, "hops": str(hops)}
        return Found(incident, Reason(code=code, values=values), deepens)

    def _callers(self, read: GroupedAlert) -> Mapping[str, int]:
        known = self.reach.callers(read.place.service)
        return {**known, read.caller: 1} if read.caller else known


def _contradict(incident: OpenIncident, read: GroupedAlert) -> bool:
    """Tell whether the labels name another cluster, namespace, service or host."""
    state, place = incident.state, read.place
    if not agree(state.cluster, place.cluster) or not agree(state.namespace, place.namespace):
        return True
    if place.service and state.services:
        return place.service not in state.services
    return bool(place.host and state.hosts) and place.host not in state.hosts
