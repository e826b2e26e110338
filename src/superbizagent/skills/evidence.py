"""Checks that several playbooks share: one table, extended by the user.

The figure that tells two causes apart belongs into the playbooks of both: once as ``refutes``, once
as ``required``. It is written once, here, and used by name.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from superbizagent.domain.check import Check, CheckRole, UsedCheck
from superbizagent.domain.model import Model
from superbizagent.errors import ConfigError, UsageError
from superbizagent.skills._yaml import describe_invalid, load_yaml, near_names

__all__ = ["EvidenceTable", "load_evidence", "packaged_evidence"]


class EvidenceTable(Model):
    """Name -> the keys of a check, without its id and role."""

    checks: dict[str, dict[str, Any]] = Field(default_factory=dict)

    def completed(self, used: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of a check for an entry of a checks file that uses a shared one.

        Raises:
            UsageError: when no shared check has this name.
            ValidationError: when the entry says what an entry cannot say.
        """
        entry = UsedCheck.model_validate(used)
        if entry.use not in self.checks:
            near = near_names(entry.use, self.checks)
            raise UsageError(f"no shared check is called {entry.use!r}; {near}")
        own = {key: value for key, value in used.items() if key != "use" and value is not None}
        return {"id": entry.use, **self.checks[entry.use], **own}


def packaged_evidence() -> Traversable:
    """Return the table that ships with the package."""
    return files("superbizagent.skills") / "evidence.yaml"


def load_evidence(paths: Sequence[Path | Traversable]) -> EvidenceTable:
    """Read tables of shared checks; a later one replaces an equal name of an earlier one.

    Raises:
        ConfigError: when a file cannot be read or is no such table.
    """
    merged: dict[str, dict[str, Any]] = {}
    for path in paths:
        merged |= _read(path)
    return EvidenceTable(checks=merged)


class _EvidenceFile(Model):
    evidence: dict[str, dict[str, Any]]


def _read(path: Path | Traversable) -> Mapping[str, dict[str, Any]]:
    name = f"table of shared checks {str(path)!r}"
    try:
        text = path.read_text(encoding="utf-8")
        table = _EvidenceFile.model_validate(load_yaml(text)).evidence
    except ValidationError as error:
        raise ConfigError(f"{name}: {describe_invalid(error)}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{name} cannot be used: {error}") from error
    for check, keys in table.items():
        try:
            Check.model_validate({"id": check, **keys, "role": CheckRole.SUPPORTS})
        except ValidationError as error:
            raise ConfigError(f"{name}, check {check!r}: {describe_invalid(error)}") from error
    return table
