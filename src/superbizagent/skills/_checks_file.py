"""checks.yaml: read, completed from the shared checks, complained about with the line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import yaml
from pydantic import ValidationError

from superbizagent.domain.check import QueryTemplate
from superbizagent.domain.selector import Selector
from superbizagent.domain.skill import CheckFile
from superbizagent.errors import UsageError
from superbizagent.skills._front_matter import BadSkillError
from superbizagent.skills._hostile import TooManyValuesError, hidden_in
from superbizagent.skills._slots import check_slots
from superbizagent.skills._yaml import complaints, line_of, load_yaml
from superbizagent.skills.evidence import EvidenceTable
from superbizagent.skills.roles import ParseSelector, RoleTable

__all__ = ["CHECKS_FILE", "ChecksReader"]

CHECKS_FILE = "checks.yaml"

_Place = tuple[str | int, ...]
"""Keys and positions from the top of the file to what is meant."""


@dataclass(frozen=True, slots=True)
class ChecksReader:
    """Reads the checks of any playbook."""

    roles: RoleTable
    shared: EvidenceTable
    parse: ParseSelector

    def read(self, text: str) -> tuple[CheckFile, dict[str, tuple[Selector, ...]]]:
        """Return the file, and the selectors of each check (see `Skill.selectors`).

        Raises:
            BadSkillError: at the first line that is wrong.
        """
        source = _Source.of(text)
        file = self._file(source)
        for number, hypothesis in enumerate(file.hypotheses):
            for place, complaint in check_slots(hypothesis):
                raise source.error(("hypotheses", number, *place), complaint)
        return file, self._selectors(file, source)

    def _file(self, source: "_Source") -> CheckFile:
        try:
            return CheckFile.model_validate(self._completed(source))
        except ValidationError as error:
            found = complaints(error)
            raise source.error(found[0][0], "; ".join(words for _, words in found)) from error

    def _completed(self, source: "_Source") -> Any:
        """Put the shared checks where a file uses them."""
        hypotheses = _items(source.value, "hypotheses")
        for h, hypothesis in enumerate(hypotheses):
            evidence = _items(hypothesis, "evidence")
            for c, check in enumerate(evidence):
                if isinstance(check, Mapping) and "use" in check:
                    place = ("hypotheses", h, "evidence", c)
                    try:
                        evidence[c] = self.shared.completed(cast("Mapping[str, Any]", check))
                    except ValidationError as error:
                        words = "; ".join(words for _, words in complaints(error))
                        raise source.error(place, words) from error
                    except UsageError as error:
                        raise source.error((*place, "use"), str(error)) from error
        return source.value

    def _selectors(self, file: CheckFile, source: "_Source") -> dict[str, tuple[Selector, ...]]:
        found: dict[str, tuple[Selector, ...]] = {}
        for h, hypothesis in enumerate(file.hypotheses):
            for c, check in enumerate(hypothesis.evidence):
                key, place = f"{hypothesis.id}/{check.id}", ("hypotheses", h, "evidence", c)
                try:
                    if check.any_of:
                        found[key] = self._resolved(check.any_of)
                    if check.holds.other is not None:
                        found[f"{key}/other"] = self._resolved(check.holds.other.any_of)
                except UsageError as error:
                    raise source.error(place, f"{key}: {error}") from error
        return found

    def _resolved(self, templates: Sequence[QueryTemplate]) -> tuple[Selector, ...]:
        return tuple(s for t in templates for s in self.roles.selectors(t, self.parse))


@dataclass(frozen=True, slots=True)
class _Source:
    """A YAML text and its value."""

    text: str
    value: Any

    @classmethod
    def of(cls, text: str) -> "_Source":
        try:
            source = cls(text, load_yaml(text))
            hidden = hidden_in(source.value)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or str(error)
            line = mark.line + 1 if mark is not None else 1
            raise BadSkillError(f"is not YAML: {problem}", CHECKS_FILE, line) from error
        except TooManyValuesError as error:
            raise BadSkillError(f"{error}; write it out", CHECKS_FILE, 1) from error
        if hidden is not None:
            raise source.error(hidden[0], f"has the character {hidden[1]}; remove it")
        return source

    def error(self, place: _Place, message: str) -> BadSkillError:
        return BadSkillError(message, CHECKS_FILE, line_of(self.text, place))


def _items(value: object, key: str) -> list[Any]:
    """The list at a key, when there is one; what else is there the types complain about."""
    found = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
    return cast("list[Any]", found) if isinstance(found, list) else []
