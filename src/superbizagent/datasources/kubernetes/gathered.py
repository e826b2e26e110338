"""Everything that was collected of one cluster, as the API would have it, before it is read.

Text of ``kubectl`` is brought into the API's form first, so that one reader serves all. An object
that came several times is kept once: the fullest form of it, then the newest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from superbizagent.datasources.kubernetes.counters import Throttling
from superbizagent.datasources.kubernetes.fields import Raw, age, at, mapping, number, rows, text
from superbizagent.datasources.kubernetes.forms import Form, filled
from superbizagent.datasources.kubernetes.names import guessed_kind, maker_of
from superbizagent.datasources.kubernetes.usage import Usage
from superbizagent.domain.cluster import KindLook, LookStatus

__all__ = ["KINDS", "Form", "Gathered", "LogTail", "plural_of"]

KINDS: dict[str, str] = {
    "Pod": "pods", "Event": "events", "Deployment": "deployments", "StatefulSet": "statefulsets",
    "DaemonSet": "daemonsets", "ReplicaSet": "replicasets", "Job": "jobs", "CronJob": "cronjobs",
    "Service": "services", "Endpoints": "endpoints", "EndpointSlice": "endpointslices",
    "ConfigMap": "configmaps", "Secret": "secrets", "ServiceAccount": "serviceaccounts",
    "PersistentVolumeClaim": "persistentvolumeclaims", "PersistentVolume": "persistentvolumes",
    "StorageClass": "storageclasses", "ResourceQuota": "resourcequotas",
    "LimitRange": "limitranges",
    "Node": "nodes", "Namespace": "namespaces", "Ingress": "ingresses",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
}  # fmt: skip
"""Kinds that are read, with their plural. Objects of other kinds are counted, not read."""

_NAMES_ONLY = frozenset({"ConfigMap", "Secret", "ServiceAccount"})
_CLUSTERED = frozenset({"Node", "Namespace", "PersistentVolume", "StorageClass"})
_NEVER_MEANT = frozenset({"Event", "Endpoints", "EndpointSlice", "ConfigMap", "Secret"})
"""Kinds that carry the names of others; events are seldom about them."""
_SAID = 20
_PLACED = re.compile(r"(?<![\w./:-])([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)/([a-z0-9][a-z0-9.-]*)")


def plural_of(kind: str) -> str:
    """Return the plural of a kind as looks name it."""
    return KINDS.get(kind, f"{kind.lower()}s")


Key = tuple[str, str, str]
"""Kind, namespace, name."""


@dataclass(frozen=True, slots=True)
class LogTail:
    """The telling lines of one container's log."""

    namespace: str
    pod: str
    container: str
    previous: bool
    lines: tuple[str, ...]


@dataclass(slots=True)
class Gathered:
    """Raw objects by kind, namespace and name, and what was and was not looked at."""

    taken_at: datetime | None = None
    notes: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])
    logs: list[LogTail] = field(default_factory=list[LogTail])
    throttling: list[Throttling] = field(default_factory=list[Throttling])
    usage: list[Usage] = field(default_factory=list[Usage])
    namespace: str = ""
    """Of objects that name none in what is being read: that of the command that printed them."""
    told: tuple[str, ...] = ()
    """Namespaces that whoever asks named: of objects of which no text says where they are."""
    absent: set[Key] = field(default_factory=set[Key])
    """Objects that were asked for by name and are not there."""
    homes: dict[str, str] = field(default_factory=dict[str, str])
    """Pods with their namespaces, as nodes list what runs on them."""
    nameless: list[Raw] = field(default_factory=list[Raw])
    """What is left of a pod's description that has lost its beginning, and with it the name."""
    listed: set[str] = field(default_factory=set[str])
    """Namespaces of which all pods were listed; ``*``: of all."""
    left_out: int = 0
    """Objects of kinds that are not read."""
    stray_home: str = ""
    """Namespace that objects of which no text says where they are were put into."""
    _ages: dict[str, timedelta] = field(default_factory=dict[str, timedelta])
    _begun: dict[str, datetime] = field(default_factory=dict[str, datetime])
    _objects: dict[Key, tuple[Form, Raw, str]] = field(
        default_factory=dict[Key, tuple[Form, Raw, str]]
    )
    _looks: dict[str, KindLook] = field(default_factory=dict[str, KindLook])

    def add(self, raw: Raw, form: Form, origin: str) -> None:
        """Take one object; a List hands in its items one by one."""
        kind, name = text(raw, "kind"), text(raw, "metadata", "name")
        if kind == "Event" and not text(raw, "metadata", "namespace") and _of_node(raw):
            raw = _placed(raw, "default")  # as the server keeps them
        if kind not in KINDS:
            self.left_out += bool(kind)
            return
        if not name:
            self.note(f"{origin}: an object of kind {kind} without a name was left out")
            return
        namespace = "" if kind in _CLUSTERED else text(raw, "metadata", "namespace")
        if not namespace and self.namespace and kind not in _CLUSTERED:
            raw, namespace = _placed(raw, self.namespace), self.namespace
        self.looked(plural_of(kind), "ok")
        self._time(kind, name, raw)
        key = (kind, namespace, name)
        kept = _without_content(raw) if kind in _NAMES_ONLY else raw
        known = self._objects.get(key)
        if known is None:
            self._objects[key] = (form, kept, origin)
        elif _rank(form, raw) >= _rank(known[0], known[1]):
            self._objects[key] = (form, filled(kept, known[1], form, known[0]), origin)
        else:
            self._objects[key] = (known[0], filled(known[1], kept, known[0], form), known[2])

    def _time(self, kind: str, name: str, raw: Raw) -> None:
        """Remember when a pod began, or how long ago that was: both together say when now is."""
        if kind != "Pod":
            return
        ago = age(text(raw, "metadata", "age"))
        if ago is not None:
            self._ages[name] = ago
        began = at(raw, "metadata", "creationTimestamp")
        if began is not None:
            self._begun[name] = began

    def began_ago(self, pod: str, written: str) -> None:
        """Remember how long ago a pod began; a table's age of the same pod is finer."""
        ago = age(written)
        if ago is not None:
            self._ages.setdefault(pod, ago)

    def counted_back(self) -> datetime | None:
        """Return when output that tells ages was printed, by the youngest pod of known begin."""
        known = [(ago, name) for name, ago in self._ages.items() if name in self._begun]
        ago, name = min(known, default=(None, ""))
        return self._begun[name] + ago if ago is not None else None

    def last_made(self) -> datetime | None:
        """Return when the youngest object was made, of those that say it."""
        made = (at(raw, "metadata", "creationTimestamp") for _, raw, _ in self._objects.values())
        return max((when for when in made if when), default=None)

    def note(self, remark: str) -> None:
        """Remember what was skipped; of many remarks the first are said."""
        if len(self.notes) < _SAID:
            self.notes.append(remark)

    def looked(self, plural: str, status: LookStatus, note: str = "") -> None:
        """Remember how a look for a kind ended; seeing some outweighs not seeing others."""
        known = self._looks.get(plural)
        if known is None or (known.status != "ok" and status in {"ok", "empty"}):
            self._looks[plural] = KindLook(kind=plural, status=status, note=note)

    def looks(self) -> tuple[KindLook, ...]:
        """Return the looks with how many objects they found, by name."""
        counts: dict[str, int] = {}
        for kind, _, _ in self._objects:
            counts[plural_of(kind)] = counts.get(plural_of(kind), 0) + 1
        if self.logs:
            counts["logs"] = len(self.logs)
            self.looked("logs", "ok")
        return tuple(
            look.model_copy(update={"count": counts.get(name, 0)})
            for name, look in sorted(self._looks.items())
        )

    def saw(self, kind: str) -> bool:
        """Tell whether objects of a kind could be looked for."""
        look = self._looks.get(plural_of(kind))
        return look is not None and look.status in {"ok", "empty"}

    def of(self, *kinds: str) -> Iterator[tuple[Raw, str]]:
        """Yield objects of some kinds with where they came from, in the order of their names."""
        for key in sorted(k for k in self._objects if k[0] in kinds):
            _, raw, origin = self._objects[key]
            yield raw, origin

    def get(self, kind: str, namespace: str, name: str) -> Raw | None:
        """Return an object, None when it was not seen."""
        found = self._objects.get((kind, namespace, name))
        return found[1] if found else None

    def has_whole(self, kind: str) -> bool:
        """Tell whether all of what objects of a kind hold was seen, not only a line of each."""
        return any(k[0] == kind and form is Form.WHOLE for k, (form, _, _) in self._objects.items())

    def place_strays(self) -> None:
        """Give objects whose text named no namespace the one that is meant, where one can be."""
        spaces = {
            ns
            for (kind, ns, _), (_, raw, _) in self._objects.items()
            if ns and kind not in _CLUSTERED and not (kind == "Event" and _of_node(raw))
        }
        by_name: dict[tuple[str, str], list[str]] = {}
        for kind, namespace, name in self._objects:
            if namespace:
                by_name.setdefault((kind, name), []).append(namespace)
        spaces = spaces or self._spoken_spaces() or set(self.told)
        self.stray_home = only = self._only(spaces)
        self._place_absent(only)
        for key in [k for k in self._objects if not k[1] and k[0] not in _CLUSTERED]:
            kind, _, name = key
            form, raw, origin = self._objects.pop(key)
            homes = by_name.get((kind, name), [])
            namespace = homes[0] if len(homes) == 1 else only
            self.add(_placed(raw, namespace), form, origin)

    def home_of(self, pod: str, namespace: str) -> str:
        """Return the namespace of a pod: as it is told, else that of the only pod of its name."""
        homes = [space for kind, space, name in self._objects if (kind, name) == ("Pod", pod)]
        return namespace or (homes[0] if len(homes) == 1 else self.stray_home)

    def _only(self, spaces: set[str]) -> str:
        """The namespace that output without one is of: what was asked for, else the only one."""
        asked = set(self.told)
        for alone in (spaces & asked, asked, spaces):
            if len(alone) == 1:
                return next(iter(alone))
        return "default"

    def _place_absent(self, namespace: str) -> None:
        placed = {(kind, space or namespace, name) for kind, space, name in self.absent}
        self.absent = {(k, "" if k in _CLUSTERED else space, name) for k, space, name in placed}

    def place_nameless(self) -> None:
        """Give events without a pod to one that is not ready, where all such have one maker."""
        unwell = [
            text(raw, "metadata", "name")
            for raw, _ in self.of("Pod")
            if text(raw, "status", "phase") not in {"Succeeded", "Failed"}
            and not any(
                text(c, "type") == "Ready" and text(c, "status") == "True"
                for c in rows(raw, "status", "conditions")
            )
        ]
        if not unwell or len({maker_of(name) or name for name in unwell}) > 1:
            return
        for raw in self.nameless:
            if text(raw, "kind") == "Pod":
                named = {**mapping(raw, "metadata"), "name": min(unwell)}
                self.add({**raw, "metadata": named}, Form.TABLE, "")
                continue
            about = {**mapping(raw, "involvedObject"), "name": min(unwell)}
            self.add({**raw, "involvedObject": about}, Form.DESCRIBED, "")

    def name_strays(self) -> None:
        """Give events whose text named no kind the one of the object that has their name."""
        kinds: dict[str, set[str]] = {}
        for kind, _, name in self._objects:
            if kind not in _NEVER_MEANT:
                kinds.setdefault(name, set()).add(kind)
        for key in [k for k in self._objects if k[0] == "Event"]:
            form, raw, origin = self._objects[key]
            about = mapping(raw, "involvedObject")
            if "involvedObject" not in raw or text(about, "kind"):
                continue
            name = text(about, "name")
            kind = guessed_kind(name, text(raw, "reason"), kinds.get(name, set()))
            space = "" if kind == "Node" else text(about, "namespace")
            told = {**raw, "involvedObject": {**about, "kind": kind, "namespace": space}}
            self._objects[key] = (form, told, origin)

    def _spoken_spaces(self) -> set[str]:
        """Namespaces that messages put before the names of objects: ``shop/orders``."""
        strays = {name for _, space, name in self._objects if not space}
        found: set[str] = set()
        for raw, _ in self.of("Event"):
            for space, name in _PLACED.findall(text(raw, "message")):
                if name in strays or f'"{name}"' in text(raw, "message"):
                    found.add(space)
        strays |= {text(e, "involvedObject", "name") for e, _ in self.of("Event")}
        return found or {self.homes[name] for name in strays & self.homes.keys()}


def _rank(form: Form, raw: Raw) -> tuple[int, float]:
    """Order forms of one object: the fullest, then the newest."""
    return form, number(raw, "metadata", "resourceVersion") or 0.0


def _placed(raw: Raw, namespace: str) -> Raw:
    meta: dict[str, Any] = {**mapping(raw, "metadata"), "namespace": namespace}
    return {**raw, "metadata": meta}


def _without_content(raw: Raw) -> Raw:
    """Return an object with its name alone: content of configuration and secrets is not ours."""
    meta = mapping(raw, "metadata")
    kept = {k: meta[k] for k in ("name", "namespace", "creationTimestamp") if k in meta}
    return {"kind": raw["kind"], "metadata": kept}


def _of_node(raw: Raw) -> bool:
    return text(raw, "involvedObject", "kind") == "Node"
