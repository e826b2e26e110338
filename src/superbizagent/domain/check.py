"""One check of a playbook: which evidence it reads, how that becomes a number, when it holds.

There is no expression language: a check reduces the series of one entity to a number and compares
it, or counts records, changes or objects.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from superbizagent.domain.incident import Language
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import ChangeKind
from superbizagent.domain.plan import ToolName

__all__ = [
    "Across",
    "Check",
    "CheckRole",
    "Comparison",
    "Condition",
    "OtherSide",
    "Phrase",
    "Place",
    "QueryTemplate",
    "Reduce",
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
    across: Across = Across.EACH
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
        match self.tool:
            case ToolName.QUERY_METRICS:
                _fits_metrics(self)
            case ToolName.SEARCH_LOGS:
                _fits_logs(self)
            case ToolName.LIST_CHANGES:
                _fits_changes(self)
            case ToolName.GET_KUBERNETES:
                _fits_objects(self)
            case _:
                known = "query_metrics, search_logs, list_changes and get_kubernetes"
                raise ValueError(f"check {self.id!r}: only {known} can be checked")
        if self.tool is not ToolName.GET_KUBERNETES and (self.reading or self.lacks):
            raise ValueError(f"check {self.id!r}: `reading` and `lacks` are of get_kubernetes")
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


def _fits_objects(check: Check) -> None:
    if check.any_of or check.field or not check.reading:
        raise ValueError(f"check {check.id!r} on objects needs `reading`, no `any_of`, no `field`")
    if check.holds.value is None:
        raise ValueError(f"check {check.id!r} on objects is compared with a `value`")
    if check.reduce not in {Reduce.COUNT, Reduce.MAX, Reduce.MIN}:
        raise ValueError(f"check {check.id!r} on objects reduces by count, max or min")


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
