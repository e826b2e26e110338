"""What a role is called in each stack: one table, extended by the user.

A role such as ``pool.used`` names a meaning; the table gives the selectors under which exporters
and libraries write it, in the order they are tried. A user's table adds stacks in front of ours.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from superbizagent.domain.check import QueryTemplate
from superbizagent.domain.model import Model
from superbizagent.domain.selector import Selector
from superbizagent.errors import ConfigError, UsageError
from superbizagent.skills._yaml import describe_invalid, load_yaml, near_names

__all__ = ["ParseSelector", "RoleTable", "StackName", "load_roles", "packaged_roles"]

ParseSelector = Callable[[str], Selector]
"""Reads a PromQL vector selector; `superbizagent.promql.parse_selector` in production.

Raises:
    UsageError: when the text is more than a plain selector.
"""


class StackName(Model):
    """What one stack calls a role."""

    stack: str
    selector: str


class _Role(Model):
    description: str = ""
    names: tuple[StackName, ...] = Field(min_length=1)


class _RoleFile(Model):
    roles: dict[str, _Role]


class RoleTable(Model):
    """Role -> selectors, first choice first."""

    roles: dict[str, tuple[Selector, ...]] = Field(default_factory=dict)

    def selectors(self, template: QueryTemplate, parse: ParseSelector) -> tuple[Selector, ...]:
        """Return the alternatives that a template stands for.

        Raises:
            UsageError: when its role is unknown or its query is no plain selector.
        """
        if template.query:
            return (parse(template.query),)
        if template.role not in self.roles:
            near = near_names(template.role, self.roles)
            raise UsageError(f"role {template.role!r} is in no role table; {near}")
        return self.roles[template.role]


def packaged_roles() -> Traversable:
    """Return the table that ships with the package."""
    return files("superbizagent.skills") / "roles.yaml"


def load_roles(paths: Sequence[Path | Traversable], parse: ParseSelector) -> RoleTable:
    """Read role tables; the names of a later file come before those of an earlier one.

    Raises:
        ConfigError: when a file cannot be read or is not a role table.
    """
    merged: dict[str, tuple[Selector, ...]] = {}
    for path in paths:
        for role, selectors in _read(path, parse).items():
            merged[role] = tuple(dict.fromkeys((*selectors, *merged.get(role, ()))))
    return RoleTable(roles=merged)


def _read(path: Path | Traversable, parse: ParseSelector) -> Mapping[str, tuple[Selector, ...]]:
    try:
        table = _RoleFile.model_validate(load_yaml(path.read_text(encoding="utf-8")))
        return {
            role: tuple(parse(name.selector) for name in entry.names)
            for role, entry in table.roles.items()
        }
    except ValidationError as error:
        raise ConfigError(f"role table {str(path)!r}: {describe_invalid(error)}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError, UsageError) as error:
        raise ConfigError(f"role table {str(path)!r} cannot be used: {error}") from error
