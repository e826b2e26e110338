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
    "Across",
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
    "UsedCheck",
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
    """Log records, changes; for metrics the number of samples."""
    RATE = "rate"
    """Growth of a counter per second."""
    CHANGES = "changes"
    """How often the value differs from the one before: a start time that changes is a restart."""
    NEW = "new"
    """1 for a series that has no sample before the window, else 0: a version not seen before."""


class Across(StrEnum):
    """What a check compares when an entity has several series."""

    EACH = "each"
    """Every series by itself; one that holds is enough."""
    SUM = "sum"
    """What they add up to: labels part one number. Counters that were not there counted nothing."""


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
    ONE_OF = "one_of"
    """At least one check of this role is required."""
    SUPPORTS = "supports"
    REFUTES = "refutes"


class Place(StrEnum):
    """Whose telemetry a check reads, seen from the entity that the hypothesis is about."""

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
    their case."""
    field: str = ""
    """`search_logs`: reduce this ``key=value`` field of the matching templates, not their count."""
    kinds: tuple[ChangeKind, ...] = ()
    """`list_changes`: the sorts of changes that count."""
    within_seconds: float = Field(default=900.0, gt=0)
    """`list_changes`: how long before the first new error a change may lie. A change counts when
    errors began after it that were not there before, and nothing that the entity calls explains
    them."""
    reduce: Reduce
    across: Across = Across.EACH
    holds: Condition
    role: CheckRole
    at: Place = Place.ENTITY
    shows_mechanism: bool = False
    """When it holds, the mechanism itself was seen: a statement, a message or a change."""
    says: Phrase | None = None
    """Sentence for a check that holds, with the slots ``{entity}``, ``{value}``, ``{other}``,
    ``{baseline}``; with `other` ``{quotient}`` and ``{baseline_quotient}``; for logs ``{quote}``;
    for changes ``{time}`` and of the error that followed ``{news}``.
    """

    @model_validator(mode="after")
    def _fits_tool(self) -> Self:
        match self.tool:
            case ToolName.QUERY_METRICS:
                _fits_metrics(self)
            case ToolName.SEARCH_LOGS:
                _fits_logs(self)
            case ToolName.LIST_CHANGES:
                _fits_changes(self)
            case _:
                known = "query_metrics, search_logs and list_changes"
                raise ValueError(f"check {self.id!r}: only {known} can be checked")
        if self.kinds and self.tool is not ToolName.LIST_CHANGES:
            raise ValueError(f"check {self.id!r}: only `list_changes` has `kinds`")
        return self


def _fits_metrics(check: Check) -> None:
    if not check.any_of or check.contains:
        raise ValueError(f"check {check.id!r} on metrics needs `any_of` and no `contains`")
    other = check.holds.other
    reduced = {check.reduce, *([other.reduce] if other is not None else [])}
    # The largest of one series and the largest of another need not be of one time.
    if check.across is Across.SUM and not reduced <= _ADD_UP:
        words = ", ".join(sorted(_ADD_UP))
        raise ValueError(f"check {check.id!r}: `across: sum` takes one of {words}")


def _fits_changes(check: Check) -> None:
    if not check.kinds or check.any_of or check.contains or check.reduce is not Reduce.COUNT:
        raise ValueError(
            f"check {check.id!r} on changes needs `kinds`, reduces by count, and has no `any_of`"
            " and no `contains`"
        )
    if check.holds.value is None or check.holds.op not in {Comparison.AT_LEAST, Comparison.ABOVE}:
        raise ValueError(f"check {check.id!r} on changes holds from a `value` on")


def _fits_logs(check: Check) -> None:
    if check.any_of or not check.contains or check.holds.other is not None:
        raise ValueError(f"check {check.id!r} on logs needs `contains`, no `any_of`, no `other`")
    allowed = {Reduce.MAX, Reduce.MEAN} if check.field else {Reduce.COUNT}
    if check.reduce not in allowed:
        words = " or ".join(sorted(allowed))
        raise ValueError(f"check {check.id!r} on logs reduces by {words}")


_ADD_UP = frozenset({Reduce.INCREASE, Reduce.RATE, Reduce.MEAN, Reduce.LAST})


class UsedCheck(Model):
    """A check out of the shared table, with what differs here."""

    use: str
    """Its name in the table, and its id unless one is given."""
    id: str = Field(default="", pattern=r"^([a-z][a-z0-9_]*)?$")
    role: CheckRole
    at: Place | None = None
    reduce: Reduce | None = None
    holds: Condition | None = None
    shows_mechanism: bool | None = None
    says: Phrase | None = None


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
    """To copy; ``$entity`` is the entity's name."""


class Hypothesis(Model):
    """One possible cause, tested on each entity it fits."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    fault_kind: FaultKind
    entity: str = "any"
    """Kind of entity: ``service``, ``database``, ``any``. An entity of kind ``service`` may turn
    out to be anything, since that is the kind of what nobody described."""
    evidence: tuple[Check, ...] = Field(min_length=1)
    conclusion: Phrase
    """Slots: ``{entity}`` and the ids of required checks (their value; ``{id.other}``)."""
    mitigation: tuple[Mitigation, ...] = ()
    decide: Decision | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [c.id for c in self.evidence]
        if len(set(ids)) != len(ids):
            raise ValueError(f"hypothesis {self.id!r} has two checks of one id")
        if not any(c.role in {CheckRole.REQUIRED, CheckRole.ONE_OF} for c in self.evidence):
            raise ValueError(f"hypothesis {self.id!r} needs a required check")
        return self

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
