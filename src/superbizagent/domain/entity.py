"""What a statement can be about: a service, a database, a node, a pod."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from pydantic import Field

from superbizagent.domain.model import Model

__all__ = ["PLACE_LABELS", "Catalogue", "Entity", "Resolution"]

PLACE_LABELS = ("cluster", "namespace")
"""Labels that say where an entity is, in the order of its path."""


class Entity(Model):
    """``cluster/namespace/kind/name``; equal names elsewhere are other entities."""

    name: str
    kind: str = "service"
    namespace: str = ""
    cluster: str = ""

    @property
    def path(self) -> str:
        """The identity as one string, also the sort key for ties."""
        return f"{self.cluster}/{self.namespace}/{self.kind}/{self.name}"

    @property
    def place(self) -> tuple[str, str]:
        """Cluster and namespace, each empty where nothing says so."""
        return self.cluster, self.namespace

    @property
    def located_name(self) -> str:
        """The name behind as much of its place as is known: ``cluster/namespace/name``."""
        return "/".join(part for part in (*self.place, self.name) if part)

    @property
    def is_object(self) -> bool:
        """Whether it is an object of a cluster."""
        return bool(self.namespace) or self.kind in {"node", "namespace"}

    def matches(self, written: str) -> bool:
        """Tell whether ``kind/name``, ``namespace/name`` or the end of the path stands for it."""
        front, _, name = written.rpartition("/")
        above = f"{self.cluster}/{self.namespace}/{self.kind}"
        fits = front in {self.kind, self.namespace} or above.endswith(f"/{front}")
        return bool(front) and name == self.name and fits

    def may_be(self, other: "Entity") -> bool:
        """Tell whether both may be one: of one name, and in no two places."""
        return self.name == other.name and _agree(self.place, other.place)

    def may_be_at(self, labels: Mapping[str, str]) -> bool:
        """Tell whether nothing in ``labels`` says that this is another entity of its name."""
        return _agree(self.place, [labels.get(label, "") for label in PLACE_LABELS])

    @classmethod
    def parse(cls, path: str) -> Self:
        """Read what ``path`` wrote.

        Raises:
            ValueError: when there are not four parts.
        """
        cluster, namespace, kind, name = path.split("/", 3)
        return cls(cluster=cluster, namespace=namespace, kind=kind, name=name)


def _agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two places may be one: what is not told is anywhere."""
    return all(not a or not b or a == b for a, b in zip(one, other, strict=True))


_NEAR = 3  # names: more of them tell less


class Resolution(Model):
    """What a name stands for: one entity, several (ambiguous), or none with near names."""

    name: str
    entities: tuple[Entity, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def entity(self) -> Entity | None:
        """The one entity, when there is exactly one."""
        return self.entities[0] if len(self.entities) == 1 else None


class Catalogue(Model):
    """Every entity the sources know, with the other names people use for them."""

    entities: tuple[Entity, ...] = ()
    aliases: dict[str, str] = Field(default_factory=dict)
    """Other name -> entity name."""

    @classmethod
    def of(cls, entities: Iterable[Entity], aliases: Mapping[str, str]) -> Self:
        """Build a catalogue of what several sources know.

        A name without a place is that of an entity whose place another source tells.
        """
        known = {e.path: e for e in entities}
        located = {(e.kind, e.name) for e in known.values() if e.cluster or e.namespace}
        kept = {
            path: e
            for path, e in known.items()
            if e.cluster or e.namespace or (e.kind, e.name) not in located
        }
        return cls(entities=tuple(kept[path] for path in sorted(kept)), aliases=dict(aliases))

    @cached_property
    def _by_name(self) -> dict[str, tuple[Entity, ...]]:
        found: dict[str, tuple[Entity, ...]] = {}
        for entity in self.entities:
            found[entity.name] = (*found.get(entity.name, ()), entity)
        return found

    def of_labels(self, labels: Mapping[str, str], order: Sequence[str]) -> Entity | None:
        """Return the entity that a label set belongs to: the first mapped label that is known.

        None where the labels leave open which of several places is meant: what belongs to one of
        two entities must not be counted as the other's.
        """
        for label in order:
            value = labels.get(label, "")
            hits = self._by_name.get(self.aliases.get(value, value), ())
            fitting = [e for e in hits if e.may_be_at(labels)]
            if fitting:
                return fitting[0] if len({e.place for e in fitting}) == 1 else None
        return None

    def resolve(self, name: str, place: Mapping[str, str] | None = None) -> Resolution:
        """Look a name up; a similar name is reported as near, never used.

        Args:
            name: a name, or ``namespace/name`` or ``cluster/namespace/name``.
            place: labels that may say where it is; an equal name elsewhere is near only.
        """
        wanted = self.aliases.get(name, name)
        hits = self._by_name.get(wanted, ()) or self._at(wanted)
        if not hits and "/" in name:
            # ``deployment/checkout``, ``shop/checkout`` and the like tell equal names apart.
            hits = tuple(e for e in self.entities if e.matches(name))
        fitting = tuple(e for e in hits if e.may_be_at(place or {}))
        if fitting:
            return Resolution(name=name, entities=fitting)
        if hits:
            return Resolution(name=name, near=tuple(e.located_name for e in hits[:_NEAR]))
        import difflib  # noqa: PLC0415 - only a miss pays for it

        near = difflib.get_close_matches(wanted, sorted(self._by_name), _NEAR, 0.6)
        return Resolution(name=name, near=tuple(near))

    def _at(self, wanted: str) -> tuple[Entity, ...]:
        """Entities of a name that is written behind its place."""
        place, _, name = wanted.rpartition("/")
        hits = self._by_name.get(name, ()) if place else ()
        return tuple(e for e in hits if f"/{e.located_name}".endswith(f"/{wanted}"))
