"""What really happened in a recorded incident: ``truth.yaml``, which only scorers read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.domain.model import Model
from superbizagent.errors import UsageError

__all__ = ["TRUTH_FILE", "Asked", "NamedEntity", "TrueFault", "Truth", "read_truth"]

TRUTH_FILE = "truth.yaml"
_OF_A_FAULT = ("fault_kind", "entity")


class NamedEntity(Model):
    """An entity as a truth names it; what is left empty is not compared."""

    name: str = Field(min_length=1)
    kind: str = ""
    namespace: str = ""
    cluster: str = ""

    def is_meant_by(self, path: str) -> bool:
        """Tell whether an entity path names it."""
        entity = Entity.parse(path)
        parts = (
            (self.name, entity.name),
            (self.kind.lower(), entity.kind.lower()),
            (self.namespace, entity.namespace),
            (self.cluster, entity.cluster),
        )
        return all(said in {"", found} for said, found in parts)

    def __str__(self) -> str:
        return "/".join(part for part in (self.namespace, self.kind, self.name) if part)


class TrueFault(Model):
    """One fault: every entity and every kind listed is a right answer, the best one first."""

    model_config = ConfigDict(extra="ignore")  # its reason in words, for people

    fault_kind: tuple[FaultKind, ...] = Field(min_length=1)
    entity: tuple[NamedEntity, ...] = Field(min_length=1)

    @field_validator(*_OF_A_FAULT, mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return cast("object", value) if isinstance(value, list | tuple) else (value,)

    def is_of(self, path: str) -> bool:
        """Tell whether an entity path names one of its entities."""
        return any(entity.is_meant_by(path) for entity in self.entity)

    def __str__(self) -> str:
        return f"{self.entity[0]} {self.fault_kind[0].value}"


class Asked(Model):
    """What the diagnosis is asked, where the recording holds no alert."""

    service: str = ""
    question: str = ""
    start: str = Field(default="", alias="from")
    end: str = Field(default="", alias="to")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The same as flags of ``superbiz diagnose``."""
        flags = {
            "--service": self.service,
            "--question": self.question,
            "--from": self.start,
            "--to": self.end,
        }
        return tuple(part for flag, value in flags.items() if value for part in (flag, value))


class Truth(Model):
    """The content of ``truth.yaml``; what else stands in it is for people."""

    faults: tuple[TrueFault, ...] = ()
    """Independent of each other; none in a healthy time."""
    recording: str = ""
    """Folder of the telemetry, from the case's own; empty: the case's own."""
    asked: Asked = Asked()
    verdict: tuple[Verdict, ...] = ()
    """Verdicts that are right; empty: not compared."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        """Gather the faults from where they stand, and pass over what is for people."""
        if not isinstance(value, Mapping):
            raise TypeError("must be a mapping")
        given = cast("Mapping[str, Any]", value)
        found = {k: given[k] for k in ("recording", "asked", "verdict") if k in given}
        first = _answers(given)
        faults = [first] if first else list(given.get("faults") or ())
        faults += [_answers(more) for more in given.get("also") or ()]
        healthy = given.get("healthy") is True or given.get("fault") == "none"
        if healthy and faults:
            raise ValueError("it says that nothing was wrong and names a fault; take one out")
        if not healthy and not faults:
            raise ValueError("name `fault_kind` and `entity`, or `faults`, or say `healthy: true`")
        return {**found, "faults": faults}


def _answers(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the right answers to one fault: those under `accept`, where there are such."""
    return {**{k: given[k] for k in _OF_A_FAULT if k in given}, **(given.get("accept") or {})}


def read_truth(folder: Path) -> Truth:
    """Read the truth of a case.

    Raises:
        UsageError: when there is none, or it cannot be read; the message names file and field.
    """
    path = folder / TRUTH_FILE
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{str(folder)!r} has no {TRUTH_FILE}; write what happened there"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{str(path)!r} cannot be read: {' '.join(str(error).split())}") from None
    try:
        return Truth.model_validate(_plain(content))
    except (TypeError, ValidationError) as error:
        raise UsageError(f"{str(path)!r}: {_first_problem(error)}") from None


def _plain(value: Any) -> Any:
    """Turn times, which YAML reads by itself, back into text."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in cast("Mapping[str, Any]", value).items()}
    return value.isoformat() if hasattr(value, "isoformat") else value


def _first_problem(error: TypeError | ValidationError) -> str:
    if isinstance(error, TypeError):
        return str(error)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
