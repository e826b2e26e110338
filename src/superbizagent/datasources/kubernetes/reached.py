"""Services: whom they reach and why nobody, and which of them a workload calls."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.datasources.kubernetes.drafts import Drafts, entity_of
from superbizagent.datasources.kubernetes.fields import Raw, labels, mapping, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.owners import entity_for
from superbizagent.datasources.kubernetes.pods import (
    hosts_in,
    is_ready,
    placed_hosts_in,
    settings_of,
)
from superbizagent.datasources.kubernetes.standing import (
    Reach,
    read_service,
    ready_addresses,
    selected,
)

__all__ = ["add_calls", "add_services"]

_MAKERS = ("Deployment", "StatefulSet", "DaemonSet")
_DONE = frozenset({"Succeeded", "Failed"})


def add_services(gathered: Gathered, drafts: Drafts) -> None:
    """Draft every service with what it stands on and what is wrong between it and its pods."""
    _Services(gathered, drafts).build()


@dataclass(slots=True)
class _Services:
    gathered: Gathered
    drafts: Drafts
    pods: defaultdict[str, list[Raw]] = field(default_factory=lambda: defaultdict(list))
    """By namespace, those that may still run."""
    makers: defaultdict[str, list[Raw]] = field(default_factory=lambda: defaultdict(list))

    def build(self) -> None:
        for raw, _ in self.gathered.of("Pod"):
            if text(raw, "status", "phase") not in _DONE:
                self.pods[text(raw, "metadata", "namespace")].append(raw)
        for raw, _ in self.gathered.of(*_MAKERS):
            self.makers[text(raw, "metadata", "namespace")].append(raw)
        slices: defaultdict[tuple[str, str], list[Raw]] = defaultdict(list)
        for raw, _ in self.gathered.of("EndpointSlice"):
            service = text(raw, "metadata", "labels", "kubernetes.io/service-name")
            slices[text(raw, "metadata", "namespace"), service].append(raw)
        for raw, origin in self.gathered.of("Service"):
            space, name = text(raw, "metadata", "namespace"), text(raw, "metadata", "name")
            endpoints = self.gathered.get("Endpoints", space, name)
            ready = ready_addresses(endpoints, slices[space, name])
            self._service(raw, origin, endpoints, ready)

    def _service(self, raw: Raw, origin: str, endpoints: Raw | None, ready: int | None) -> None:
        space = text(raw, "metadata", "namespace")
        chosen = selected(raw, self.pods[space])
        chosen_makers = list(self._chosen_makers(raw))
        # Of a pod that stands in a table alone it is not known which labels it carries.
        labelled = bool(self.pods[space]) and all(_labels_of(pod) for pod in self.pods[space])
        if ready is None and labelled:
            ready = sum(is_ready(pod) for pod in chosen)
        known = labelled or (ready == 0 and self._unlabelled_serve(space))
        templates = [mapping(m, "spec", "template") for m in chosen_makers]
        reach = Reach(
            chosen=chosen or [t for t in templates if t],
            is_certain=known and not chosen and not chosen_makers,
            others=self._templates(space) if known else [],
            ready=ready,
            ports=_ports_of(endpoints),
        )
        draft = self.drafts.add(raw, origin, read_service(raw, reach))
        roots = dict.fromkeys(self.drafts.owners.root_of(pod).path for pod in chosen)
        roots = roots or dict.fromkeys(entity_of(maker).path for maker in chosen_makers)
        draft.stands_on |= roots or dict.fromkeys(self._namesake(raw))

    def _unlabelled_serve(self, space: str) -> bool:
        """Tell whether every pod whose labels are not known is ready: of none is it the service."""
        own = self.pods[space]
        return bool(own) and all(_labels_of(pod) or is_ready(pod) for pod in own)

    def _templates(self, space: str) -> list[dict[str, str]]:
        """Labels of the pods that exist or would be made, each once."""
        found = [_template_labels(maker) for maker in self.makers[space]]
        found += [_labels_of(pod) for pod in self.pods[space]]
        unique = dict.fromkeys(tuple(sorted(i.items())) for i in found if i)
        return [dict(pairs) for pairs in unique]

    def _chosen_makers(self, service: Raw) -> Iterator[Raw]:
        """Workloads whose pods a service would select if there were any."""
        wanted = labels(service, "spec", "selector")
        for raw in self.makers[text(service, "metadata", "namespace")]:
            if wanted and wanted.items() <= _template_labels(raw).items():
                yield raw

    def _namesake(self, service: Raw) -> Iterator[str]:
        """Path of the workload of the same name, where nothing tells whom a service selects."""
        if "selector" in mapping(service, "spec"):
            return
        space, name = text(service, "metadata", "namespace"), text(service, "metadata", "name")
        for kind in _MAKERS:
            path = entity_for(kind, space, name).path
            if path in self.drafts.by_path:
                yield path


def _template_labels(maker: Raw) -> dict[str, str]:
    """Labels of the pods that a workload makes; at least those that it knows them by."""
    return labels(maker, "spec", "template", "metadata", "labels") or labels(
        maker, "spec", "selector", "matchLabels"
    )


def _labels_of(pod: Raw) -> dict[str, str]:
    return labels(pod, "metadata", "labels")


def _ports_of(endpoints: Raw | None) -> Sequence[str]:
    found = [
        text(port, "port")
        for subset in rows(endpoints or {}, "subsets")
        for port in rows(subset, "ports")
    ]
    return tuple(dict.fromkeys(found))


# Who calls whom ----------------------------------------------------------------------------------


def add_calls(gathered: Gathered, drafts: Drafts) -> None:
    """Say which services a workload calls: its settings name them, or its log complains."""
    known: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for raw, _ in gathered.of("Service"):
        entity = entity_of(raw)
        known[entity.namespace][entity.name] = entity.path
        known[entity.namespace][text(raw, "spec", "clusterIP")] = entity.path
    said: defaultdict[str, list[str]] = defaultdict(list)
    for raw, _ in gathered.of("Pod"):
        said[entity_of(raw).path] += settings_of(raw)
    for tail in gathered.logs:
        space = gathered.home_of(tail.pod, tail.namespace)
        said[entity_for("Pod", space, tail.pod).path] += tail.lines
    for path, texts in said.items():
        draft = drafts.by_path.get(path)
        if draft is None or not any(known.values()):
            continue
        names = known[draft.entity.namespace]
        hosts = {host for written in texts for host in hosts_in(written)}
        called = dict.fromkeys(names[host] for host in sorted(hosts & names.keys()))
        far = {pair for written in texts for pair in placed_hosts_in(written)}
        called |= dict.fromkeys(
            known[space][name] for space, name in sorted(far) if name in known.get(space, {})
        )
        whole = drafts.draft(draft.root) if draft.root is not None else draft
        for path_called in called:
            # A service of its own is not what a workload stands on.
            if whole.entity.path not in drafts.by_path[path_called].stands_on:
                draft.stands_on[path_called] = None
                whole.stands_on[path_called] = None
