"""Which open incidents have something to do with a service, a host, a namespace or a group."""

from collections.abc import Iterator, Mapping

from superbizagent.domain.grouping import AlertState, IncidentState, Place

__all__ = ["Bindings", "agree", "recorded_key"]

_Where = tuple[str, str, str]
_NONE: dict[_Where, None] = {}


def agree(one: str, other: str) -> bool:
    """Tell whether two names may be of one place: what is not told is anywhere."""
    return not one or not other or one == other


class ByName:
    """Name -> incidents with the cluster and namespace they have it in, newest last."""

    def __init__(self) -> None:
        self._of: dict[str, dict[_Where, None]] = {}
        self._names: dict[str, set[str]] = {}

    def put(self, name: str, incident: str, cluster: str = "", namespace: str = "") -> None:
        """Say that an incident has a name; it is the newest of it."""
        if not name:
            return
        found = self._of.setdefault(name, {})
        where = (incident, cluster, namespace)
        found.pop(where, None)
        found[where] = None
        self._names.setdefault(incident, set()).add(name)

    def newest(self, name: str, cluster: str = "", namespace: str = "") -> Iterator[str]:
        """Incidents that have a name where nothing contradicts, the newest first."""
        for incident, c, n in reversed(self._of.get(name, _NONE)):
            if agree(c, cluster) and agree(n, namespace):
                yield incident

    def has(self, name: str, incident: str) -> bool:
        """Tell whether an incident has a name, wherever."""
        return name in self._names.get(incident, ())

    def drop(self, incident: str) -> None:
        """Forget an incident."""
        for name in self._names.pop(incident, ()):
            kept = {where: None for where in self._of[name] if where[0] != incident}
            if kept:
                self._of[name] = kept
            else:
                del self._of[name]


class Bindings:
    """The indexes of a grouper: no question needs a look at all incidents."""

    def __init__(self) -> None:
        self.services = ByName()
        self.hosts = ByName()
        self.namespaces = ByName()
        self.groups = ByName()
        self.cores = ByName()
        """Services that are at fault, or on what is at fault."""
        self.about = ByName()
        """Machines and namespaces that incidents are about, as ``kind/name``."""
        self.recorded = ByName()
        """What is only recorded, by `recorded_key`."""

    def bind(self, incident: IncidentState, alert: AlertState) -> None:
        """Take up an alert that became part of an incident."""
        name, place = incident.incident_id, alert.place
        if alert.skipped is not None:
            if incident.skipped is not None:
                self.recorded.put(recorded_key(alert), name)
            return
        self.services.put(place.service, name, place.cluster, place.namespace)
        self.services.put(alert.caller, name, place.cluster)
        self.hosts.put(place.host, name, place.cluster)
        self.namespaces.put(place.namespace, name, place.cluster)
        self.groups.put(alert.group_key, name)
        if _is_hit(incident, place):
            self.cores.put(place.service, name, place.cluster)

    def bind_core(self, incident: IncidentState, alerts: Mapping[str, AlertState]) -> None:
        """Take up what an incident is about, after that has changed."""
        name = incident.incident_id
        self.cores.drop(name)
        self.about.drop(name)
        if incident.skipped is not None:
            return
        if incident.core_kind == "service":
            self.cores.put(incident.core, name, incident.cluster)
            return
        if incident.core:
            about = f"{incident.core_kind}/{incident.core}"
            self.about.put(about, name, incident.cluster)
        for alert in alerts.values():
            if alert.skipped is None and _is_hit(incident, alert.place):
                self.cores.put(alert.place.service, name, alert.place.cluster)

    def drop(self, incident: str) -> None:
        """Forget an incident."""
        for index in vars(self).values():
            index.drop(incident)


def _is_hit(incident: IncidentState, place: Place) -> bool:
    """Tell whether a place is on the host or in the namespace that an incident is about."""
    where = {"host": place.host, "namespace": place.namespace}.get(incident.core_kind, "")
    return bool(where) and where == incident.core


def recorded_key(alert: AlertState) -> str:
    """Alerts that are recorded for one reason at one place are one entry."""
    place = alert.place
    where = place.service or place.host or place.namespace or alert.name
    return "\n".join((alert.skipped or "", place.cluster, place.namespace, where))
