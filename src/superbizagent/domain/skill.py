"""A playbook as a program reads it: metadata, hypotheses, and the checks that test them.

The words of a ``checks.yaml`` file. `skills` parses it, `investigation.analyse` evaluates it. There
is no expression language: a check reduces the series of one entity to a number and compares it.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from superbizagent.domain.finding import FaultKind
from superbizagent.domain.incident import Language
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import ChangeKind
from superbizagent.domain.plan import ToolName
from superbizagent.domain.selector import Selector

__all__ = [
    "Check",
    "CheckFile",
    "CheckQuery",
    "CheckRole",
    "Comparison",
    "Condition",
    "Decision",
    "Hypothesis",
    "Mitigation",
    "OtherSide",
    "Phrase",
    "Place",
    "QueryTemplate",
    "Reduce",
    "Skill",
    "SkillMetadata",
    "SkillSource",
]


class Phrase(Model):
    """One text in every language of the reports."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)

    def of(self, language: Language) -> str:
        """The text in ``language``."""
        return self.zh if language is Language.ZH else self.en


class Reduce(StrEnum):
    """How the samples of one series in a window become one number."""

    LAST = "last"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"
    INCREASE = "increase"
    """Growth of a counter, resets added; of a window of the same length for a baseline."""
    COUNT = "count"
    """Log records; for metrics the number of samples."""


class Comparison(StrEnum):
    """Orders between the reduced value and its bound."""

    AT_LEAST = ">="
    ABOVE = ">"
    AT_MOST = "<="
    BELOW = "<"

    def holds(self, left: float, right: float) -> bool:
        """Tell whether ``left`` stands in this order to ``right``."""
        match self:
            case Comparison.AT_LEAST:
                return left >= right
            case Comparison.ABOVE:
                return left > right
            case Comparison.AT_MOST:
                return left <= right
            case Comparison.BELOW:
                return left < right


class CheckRole(StrEnum):
    """What the outcome of a check does to its hypothesis."""

    REQUIRED = "required"
    SUPPORTS = "supports"
    REFUTES = "refutes"


class Place(StrEnum):
    """Whose telemetry a check reads, seen from the entity that the hypothesis is about.

    Of a cluster's objects callees are what one stands on, callers what stands on it.
    """

    ENTITY = "entity"
    CALLEES = "callees"
    CALLERS = "callers"
    ANYWHERE = "anywhere"


class QueryTemplate(Model):
    """One way to find a series: a role of the role table, or a plain selector."""

    role: str = ""
    query: str = ""
    """A PromQL vector selector; ``$entity`` in a label value is the entity's name."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.role) == bool(self.query):
            raise ValueError("a query template has either `role` or `query`")
        return self


class OtherSide(Model):
    """The quantity that a check's value is divided by, joined on the labels both have."""

    any_of: tuple[QueryTemplate, ...] = Field(min_length=1)
    reduce: Reduce = Reduce.LAST


class Condition(Model):
    """When a check holds.

    The quantity is the reduced value, or with ``other`` the reduced value over the other's. It is
    compared with exactly one of ``value`` (without ``other``), ``factor`` (with ``other``) and
    ``baseline_ratio`` times the same quantity in the baseline.
    """

    op: Comparison
    value: float | None = None
    other: OtherSide | None = None
    factor: float | None = None
    baseline_ratio: float | None = None
    floor: float = 0.0
    """With ``baseline_ratio``: an incident value below this never holds upwards, whatever the
    ratio; it keeps one record after none from counting as infinitely more."""

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        bounds = [b for b in (self.value, self.factor, self.baseline_ratio) if b is not None]
        if len(bounds) != 1:
            raise ValueError("a condition has one of `value`, `factor` and `baseline_ratio`")
        if self.factor is not None and self.other is None:
            raise ValueError("`factor` needs `other`")
        if self.value is not None and self.other is not None:
            raise ValueError("with `other` the bound is `factor` or `baseline_ratio`")
        return self


class Check(Model):
    """One question that a source can answer; it holds, fails or is unknown."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    tool: ToolName = ToolName.QUERY_METRICS
    any_of: tuple[QueryTemplate, ...] = ()
    """`query_metrics`: the first template that finds series of the entity is used."""
    contains: tuple[str, ...] = ()
    """`search_logs`: a template of log records counts when it has one of these texts, whatever
    their case; `get_kubernetes`: likewise a reading, by its value and its text."""
    lacks: tuple[str, ...] = ()
    """`get_kubernetes`: a reading with one of these texts does not count."""
    reading: tuple[str, ...] = ()
    """`get_kubernetes`: names of readings of the entity and its parts; ``*`` at the end is any."""
    field: str = ""
    """`search_logs`: reduce this ``key=value`` field of the matching templates, not their count."""
    kinds: tuple[ChangeKind, ...] = ()
    """`list_changes`: the sorts of changes that count."""
    within_seconds: float = Field(default=900.0, gt=0)
    """`list_changes`: how long before the first new error a change may lie. A change counts when
    errors began after it that were not there before, and nothing that the entity calls explains
    them."""
    reduce: Reduce
    holds: Condition
    role: CheckRole
    at: Place = Place.ENTITY
    shows_mechanism: bool = False
    """When it holds, the mechanism itself was seen: a statement, a message or a change."""
    says: Phrase | None = None
    """Sentence for a check that holds, with the slots ``{entity}``, ``{value}``, ``{other}``,
    ``{baseline}``; with `other` ``{quotient}`` and ``{baseline_quotient}``; for logs ``{quote}``;
    for objects ``{quote}``, ``{object}`` and ``{part}``.
    for changes ``{time}`` and of the error that followed ``{news}``.
    """

    @model_validator(mode="after")
    def _fits_tool(self) -> Self:
        if self.tool is ToolName.QUERY_METRICS and (not self.any_of or self.contains):
            raise ValueError(f"check {self.id!r} on metrics needs `any_of` and no `contains`")
        if self.tool is not ToolName.GET_KUBERNETES and (self.reading or self.lacks):
            raise ValueError(f"check {self.id!r}: `reading` and `lacks` are of get_kubernetes")
        if self.tool is ToolName.SEARCH_LOGS:
            _fits_logs(self)
        elif self.tool is ToolName.GET_KUBERNETES:
            _fits_objects(self)
        elif self.tool is ToolName.LIST_CHANGES:
            _fits_changes(self)
        elif self.tool is not ToolName.QUERY_METRICS:
            raise ValueError(
                f"check {self.id!r}: only query_metrics, search_logs, list_changes and"
                " get_kubernetes can be"
                " checked"
            )
        if self.kinds and self.tool is not ToolName.LIST_CHANGES:
            raise ValueError(f"check {self.id!r}: only `list_changes` has `kinds`")
        return self


def _fits_logs(check: Check) -> None:
    if check.any_of or not check.contains or check.holds.other is not None:
        raise ValueError(f"check {check.id!r} on logs needs `contains`, no `any_of`, no `other`")
    allowed = {Reduce.MAX, Reduce.MEAN} if check.field else {Reduce.COUNT}
    if check.reduce not in allowed:
        words = " or ".join(sorted(allowed))
        raise ValueError(f"check {check.id!r} on logs reduces by {words}")


def _fits_objects(check: Check) -> None:
    if check.any_of or check.field or not check.reading:
        raise ValueError(f"check {check.id!r} on objects needs `reading`, no `any_of`, no `field`")
    if check.holds.value is None:
        raise ValueError(f"check {check.id!r} on objects is compared with a `value`")
    if check.reduce not in {Reduce.COUNT, Reduce.MAX, Reduce.MIN}:
        raise ValueError(f"check {check.id!r} on objects reduces by count, max or min")


def _fits_changes(check: Check) -> None:
    if not check.kinds or check.any_of or check.contains or check.reduce is not Reduce.COUNT:
        raise ValueError(
            f"check {check.id!r} on changes needs `kinds`, reduces by count, and has no `any_of`"
            " and no `contains`"
        )
    if check.holds.value is None or check.holds.op not in {Comparison.AT_LEAST, Comparison.ABOVE}:
        raise ValueError(f"check {check.id!r} on changes holds from a `value` on")


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
        if not any(c.role is CheckRole.REQUIRED for c in self.evidence):
            raise ValueError(f"hypothesis {self.id!r} needs a required check")
        return self

    @property
    def is_about_objects(self) -> bool:
        """Whether the objects of a cluster decide it."""
        required = (c for c in self.evidence if c.role is CheckRole.REQUIRED)
        return all(c.tool is ToolName.GET_KUBERNETES for c in required)

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
