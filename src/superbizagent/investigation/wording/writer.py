"""Writes claims: a phrase of the table, slots for facts, and the marks that follow.

A phrase of which a slot cannot be filled is not written; the report is then shorter, never wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis, Finding, FindingKind
from superbizagent.domain.plan import Plan
from superbizagent.domain.report import Claim, ClaimKind, Derivation, Section
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.slots import SlotError, Slots, cited

__all__ = ["FindingFacts", "Given", "Writer", "entity_name", "facts_of_finding"]

_MEASURED = frozenset(
    {FindingKind.METRIC_DEVIATION, FindingKind.SERIES_APPEARED, FindingKind.SERIES_VANISHED}
)
_OF_SPANS = frozenset({FindingKind.WIRE_DELAY, FindingKind.CALL_PATTERN, FindingKind.SPAN_ERRORS})


@dataclass(frozen=True, slots=True)
class Given:
    """Everything a report is written from."""

    scope: Scope
    plans: Sequence[Plan]
    evidence: Evidence
    analysis: Analysis
    skills: Sequence[Skill]

    def skill(self, name: str) -> Skill:
        """The playbook of this name.

        Raises:
            KeyError: when there is none.
        """
        for item in self.skills:
            if item.name == name:
                return item
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class FindingFacts:
    """Ids of the facts that say what a finding says; empty where there is none."""

    before: str = ""
    after: str = ""
    extreme: str = ""
    onset: str = ""
    line: str = ""
    usual: str = ""
    """The value that most records have where one is rare."""
    forerunner: str = ""
    """The line that came right before a level changed."""


@dataclass(slots=True)
class Writer:
    """Collects the claims of one report."""

    slots: Slots
    claims: list[Claim] = field(default_factory=list[Claim])

    @property
    def narrator(self) -> Narrator:
        """The table of the report's language."""
        return self.slots.narrator

    def add(  # noqa: PLR0913 - a claim is described by these
        self,
        section: Section,
        kind: ClaimKind,
        template: str,
        *,
        entity: str = "",
        derivations: Sequence[Derivation] = (),
        params: dict[str, str] | None = None,
        more: Sequence[str] = (),
        **fields: Any,
    ) -> bool:
        """Write one claim; return False, and write none, when a slot cannot be filled.

        Args:
            section: where it stands.
            kind: what sort of statement it is.
            template: its text with slots.
            entity: path of what it is about.
            derivations: what ``{d1}`` … are computed from.
            params: names for ``{p|…}``.
            more: citations that have no slot.
            fields: other fields of `Claim`.
        """
        params = params or {}
        try:
            text = self.slots.text(template, derivations, params, more)
        except SlotError:
            return False
        extras = dict(fields.pop("extras", {}))
        if params:
            extras["params"] = params
        self.claims.append(
            Claim(
                id=f"C{len(self.claims) + 1}",
                section=section,
                kind=kind,
                entity=entity,
                template=template,
                text=text,
                fact_ids=tuple(dict.fromkeys((*cited(template, derivations), *more))),
                derivations=tuple(derivations),
                extras=extras,
                **fields,
            )
        )
        return True


def entity_name(path: str) -> str:
    """Return the bare name of an entity path."""
    return path.rsplit("/", 1)[-1]


def facts_of_finding(finding: Finding, facts: dict[str, Fact]) -> FindingFacts:
    """Pick a finding's facts by what they say; the first of each sort is used."""
    own = [facts[i] for i in finding.fact_ids if i in facts]
    if finding.kind in _MEASURED:
        own = [f for f in own if f.name == finding.subject]
        # A counter is judged by its rate, a histogram by its mean: their statistics say so.
        prefix = next(
            (p for p in ("rate_", "mean_") if any(f.statistic == f"{p}mean" for f in own)), ""
        )
        return FindingFacts(
            before=_first(own, f"{prefix}mean_before") or _first(own, f"{prefix}median"),
            after=_first(own, f"{prefix}mean_since") or _first(own, f"{prefix}mean"),
            extreme=_first(own, f"{prefix}max") or _first(own, f"{prefix}min"),
            onset=_first(own, "onset_at"),
        )
    if finding.kind is FindingKind.OBJECT_STATE:
        # Pods of one object may say the same: the one that was first says since when.
        first = min((f for f in own if f.at is not None), key=lambda f: (f.at, f.id), default=None)
        said = next((f.id for f in own), "")
        return FindingFacts(after=said, onset=first.id if first is not None else "")
    if finding.kind in _OF_SPANS:
        return _facts_of_spans(finding, own)
    if finding.kind in _LEVELS:
        return _LEVELS[finding.kind](finding, own)
    templates = [f for f in own if f.name.startswith("log:")]
    return FindingFacts(
        before=_first(templates, "baseline_count"),
        after=_first(templates, "count"),
        onset=_first(templates, "onset_at"),
        line=_first(templates, "line") or _first(own, "summary") or _first(own, "status"),
    )


def _facts_of_spans(finding: Finding, own: Sequence[Fact]) -> FindingFacts:
    """Medians, shares or counts before and during, and a request in which it shows."""
    told = [f for f in own if f.name == finding.subject]
    measured = next((s for s in ("median", "share") if _first(told, s)), "")
    return FindingFacts(
        before=_first(told, f"baseline_{measured}") if measured else _first(told, "expected"),
        after=_first(told, measured or "count"),
        extreme=_first(told, "count") if measured else "",
        line=_first(told, "trace"),
    )


def _facts_of_share(finding: Finding, own: Sequence[Fact]) -> FindingFacts:
    """Shares before and since, and a line of the time since."""
    del finding
    shares = [f for f in own if f.name.startswith("share:")]
    since = _first(shares, "share_since")
    return FindingFacts(
        before=_first(shares, "share_before"),
        after=since,
        onset=_first(shares, "shift_at"),
        line=since,
        forerunner=_forerunner(own),
    )


def _facts_of_field(finding: Finding, own: Sequence[Fact]) -> FindingFacts:
    """Medians of the number that shifted, and the line of the incident with its largest value.

    When its records came first tells nothing of when the number shifted: of few records there is
    no onset.
    """
    numbers = [f for f in own if f.name == f"field:{_key_of(finding)}"]
    return FindingFacts(
        before=_first(numbers, "median_before") or _first(numbers, "baseline_median"),
        after=_first(numbers, "median_since") or _first(numbers, "median"),
        extreme=_first(numbers, "max"),
        onset=_first(numbers, "shift_at"),
        line=_first(numbers, "max") if finding.direction > 0 else "",
        forerunner=_forerunner(own),
    )


def _forerunner(own: Sequence[Fact]) -> str:
    """Return the first line of another kind: a finding's own kind stands first."""
    logs = [f for f in own if f.name.startswith("log:")]
    return _first([f for f in logs if f.name != logs[0].name], "line")


def _facts_of_rare(finding: Finding, own: Sequence[Fact]) -> FindingFacts:
    """How many records hold the rare value, and the usual one."""
    numbers = [f for f in own if f.name == f"field:{_key_of(finding)}"]
    value = float(finding.subject.rpartition(" ")[2])
    rare = next((f for f in numbers if f.statistic == "rare_value" and f.value == value), None)
    if rare is None:
        return FindingFacts()
    count = [f for f in numbers if f.place == rare.place]
    return FindingFacts(
        before=_first(numbers, "usual_count"),
        after=_first(count, "rare_count"),
        extreme=rare.id,
        line=rare.id,
        usual=_first(numbers, "usual_value"),
    )


def _key_of(finding: Finding) -> str:
    """Return the key in ``<template> [<key>]`` with or without a value behind it."""
    return finding.subject.rpartition("[")[2].partition("]")[0]


def _first(facts: Sequence[Fact], statistic: str) -> str:
    return next((f.id for f in facts if f.statistic == statistic), "")


_LEVELS = {
    FindingKind.LOG_FIELD_SHIFT: _facts_of_field,
    FindingKind.LOG_SHARE_SHIFT: _facts_of_share,
    FindingKind.LOG_RARE_VALUE: _facts_of_rare,
}
