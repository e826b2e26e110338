"""A playbook as a program reads it: metadata, and hypotheses with the checks that test them.

The words of a ``checks.yaml`` file. `skills` parses it, `investigation.analyse` evaluates it.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from superbizagent.domain.check import Check, CheckRole, Phrase
from superbizagent.domain.finding import FaultKind
from superbizagent.domain.model import Model
from superbizagent.domain.plan import ToolName
from superbizagent.domain.selector import Selector

__all__ = [
    "CheckFile",
    "CheckQuery",
    "Decision",
    "Hypothesis",
    "Mitigation",
    "Skill",
    "SkillMetadata",
    "SkillSource",
]


class Mitigation(Model):
    """Something to do now, with what it may break and how to take it back."""

    action: Phrase
    risk: Phrase
    undo: Phrase
    command: str = ""


class Decision(Model):
    """A look by hand that decides a hypothesis when its checks leave it open."""

    text: Phrase
    command: str
    """To copy; ``$entity`` is the entity's name, ``$kind`` and ``$namespace`` what they say."""


class Hypothesis(Model):
    """One possible cause, tested on each entity it fits."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    fault_kind: FaultKind
    entity: str = "any"
    """Kind of entity: ``service``, ``database``, ``node``, ``any``; ``workload`` is every kind that
    runs containers. An entity of kind ``service`` outside any namespace may turn out to be
    anything, since that is the kind of what nobody described."""
    evidence: tuple[Check, ...] = Field(min_length=1)
    conclusion: Phrase
    """Slots: ``{entity}`` and the ids of required checks (their value; ``{id.other}``)."""
    mitigation: tuple[Mitigation, ...] = ()
    decide: Decision | None = None
    yields_to: tuple[str, ...] = ()
    """Kinds of objects, ``workload`` among them: where one of these that the entity stands on is
    itself at fault, this is its consequence and no cause."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [c.id for c in self.evidence]
        if len(set(ids)) != len(ids):
            raise ValueError(f"hypothesis {self.id!r} has two checks of one id")
        if not any(c.role in {CheckRole.REQUIRED, CheckRole.ONE_OF} for c in self.evidence):
            raise ValueError(f"hypothesis {self.id!r} needs a required check")
        return self

    @property
    def is_about_objects(self) -> bool:
        """Whether the objects of a cluster decide it."""
        deciding = [c for c in self.evidence if c.role in {CheckRole.REQUIRED, CheckRole.ONE_OF}]
        return all(c.tool is ToolName.GET_KUBERNETES for c in deciding)

    def check(self, check_id: str) -> Check:
        """The check with this id.

        Raises:
            KeyError: when there is none.
        """
        for item in self.evidence:
            if item.id == check_id:
                return item
        raise KeyError(check_id)


class CheckFile(Model):
    """A whole ``checks.yaml``."""

    version: int = Field(default=1, ge=1, le=1)
    rivals: tuple[str, ...] = ()
    """Playbooks that must be ruled out before one of these hypotheses is certain."""
    along: tuple[str, ...] = ()
    """Further playbooks that are tested along: what they find counts, what they cannot does not."""
    hypotheses: tuple[Hypothesis, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _unique(self) -> Self:
        ids = [h.id for h in self.hypotheses]
        if len(set(ids)) != len(ids):
            raise ValueError("two hypotheses have one id")
        return self


class SkillSource(StrEnum):
    """Where a skill was found; a later one replaces an earlier one of the same name."""

    PACKAGED = "packaged"
    USER = "user"
    PROJECT = "project"


class SkillMetadata(Model):
    """What a planner may see: a `SkillCard`, never the body."""

    name: str
    description: str
    license: str = ""
    compatibility: str = ""
    alerts: tuple[str, ...] = ()
    """Alert names or patterns with ``*``."""
    keywords: tuple[str, ...] = ()
    """Words and phrases of every language."""
    allowed_tools: tuple[str, ...] = ()
    source: SkillSource = SkillSource.PACKAGED
    digest: str = ""
    """Digest of SKILL.md and checks.yaml together."""


class Skill(Model):
    """A playbook whose role names are already looked up."""

    metadata: SkillMetadata
    hypotheses: tuple[Hypothesis, ...] = ()
    rivals: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    selectors: dict[str, tuple[Selector, ...]] = Field(default_factory=dict)
    """``<hypothesis>/<check>`` and ``<hypothesis>/<check>/other`` -> alternatives in order."""

    @property
    def name(self) -> str:
        """Folder name."""
        return self.metadata.name

    def hypothesis(self, hypothesis_id: str) -> Hypothesis:
        """The hypothesis with this id.

        Raises:
            KeyError: when there is none.
        """
        for item in self.hypotheses:
            if item.id == hypothesis_id:
                return item
        raise KeyError(hypothesis_id)


class CheckQuery(Model):
    """One metric question of a playbook, before the planner binds it to sources and entities."""

    purpose: str
    """``check:<skill>/<hypothesis>/<check>`` of the first check that asks it."""
    selectors: tuple[Selector, ...]
    """Each is to be asked, limited to the entities in scope by the planner's label matchers."""
