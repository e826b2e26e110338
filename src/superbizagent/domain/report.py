"""Claims with citations, and the report they make up."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.feedback import TrackRecord
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Windows

__all__ = [
    "FIRST_SCREEN",
    "NOT_COMPARED",
    "CheckedReport",
    "Claim",
    "ClaimKind",
    "Derivation",
    "Envelope",
    "Frame",
    "RejectedClaim",
    "Report",
    "ReportStats",
    "Section",
]


class ClaimKind(StrEnum):
    """What sort of statement it is, which decides how it is checked."""

    OBSERVATION = "observation"
    DERIVED = "derived"
    ABSENCE = "absence"
    INFERENCE = "inference"
    ADVICE = "advice"


class Section(StrEnum):
    """Slots of the report, in reading order."""

    WHAT = "what"
    IMPACT = "impact"
    WHY = "why"
    SURENESS = "sureness"
    DO_NOW = "do_now"
    CHECK_NEXT = "check_next"
    NOT_SEEN = "not_seen"
    PATH = "path"
    """Calls from the cause to what hurts, each with what was measured of it."""
    CANDIDATES = "candidates"
    RULED_OUT = "ruled_out"
    HYPOTHESES = "hypotheses"
    """Causes that nothing has tested, and guesses: no facts."""
    FINDINGS = "findings"
    TIMELINE = "timeline"
    REMARKS = "remarks"
    """Statements in which nothing can be compared with evidence, or not all."""
    CALLS = "calls"


FIRST_SCREEN = (
    Section.WHAT,
    Section.IMPACT,
    Section.WHY,
    Section.SURENESS,
    Section.DO_NOW,
    Section.CHECK_NEXT,
    Section.NOT_SEEN,
)


NOT_COMPARED = "not_compared"
"""Key of `Claim.extras`: the words of a remark that nothing was held against, the rest stands."""


class Derivation(Model):
    """A number that code computes from facts when a statement is written, and again to check it."""

    operation: str
    """``difference, ratio, percent, sum, share, duration, count, rate``."""
    fact_ids: tuple[str, ...]
    """Operands in order; a duration of one fact runs from it to the frame's ``now``."""


class Frame(Model):
    """What a report is about, as it was given: no evidence, but what statements may name."""

    windows: Windows
    now: Instant
    """When the incident was received: what "ago" is counted to."""
    alert_at: Instant | None = None
    timezone: str = "UTC"
    references: tuple[str, ...] = ()
    """Names and links of the payload and the question, and the names that were looked for."""


class Claim(Model):
    """One statement.

    ``template`` holds slots: ``{E3.2}`` is the fact's value with its unit, ``{E3.2|time}`` its
    time, ``{E3.2|name}`` its name, ``{E3.2|quote}`` its quote, ``{d1}`` the result of a derived
    operation, ``{E4|status}`` and ``{E4|source}`` speak of a call, ``{frame|start}`` of the
    `Frame`, ``{p|alert}`` of ``extras["params"]``. ``text`` is the rendered form, followed by the
    marks ``[E3.2]`` of everything that was used.

    A free statement, which a model or a person wrote, has no template: its text stands for itself,
    and ``fact_ids`` are what it cites.
    """

    id: str
    section: Section
    kind: ClaimKind
    entity: str = ""
    """Entity path the statement is about; facts it cites must be of this entity."""
    template: str = ""
    text: str
    fact_ids: tuple[str, ...] = ()
    """Everything it cites: facts (``E3.2``) and whole calls (``E4``)."""
    finding_ids: tuple[str, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    """What ``{d1}``, ``{d2}`` … are computed from."""
    playbook: str = ""
    """Advice: the skill it cites."""
    command: str = ""
    """Check next: what to copy into a shell or browser."""
    extras: dict[str, Any] = Field(default_factory=dict)
    """For renderers: risk, undo, sparkline values, the check that decides a hypothesis."""

    @property
    def is_free(self) -> bool:
        """Written by somebody, not filled in from facts."""
        return not self.template


class RejectedClaim(Model):
    """A statement that was taken out, and why."""

    claim: Claim
    reason: str
    """``key`` or ``key:argument``."""
    words: str = Field(default="", exclude_if=lambda words: not words)
    """The reason in the report's language, where only the evidence can say it."""


class ReportStats(Model):
    """How much of what was written stands."""

    statements: int
    """All, those taken out included."""
    taken_out: int
    hypotheses: int
    in_part: int
    """Of which a part was not compared, and what was stands."""
    nothing_to_check: int
    nothing_to_check_ratio: float
    """Share of all statements in which nothing can be compared with evidence."""


class Report(Model):
    """What is stored and replayed: the same bytes for the same evidence.

    No session id, run time, durations, tokens or host: those stand in the `Envelope`.
    """

    version: int = 1
    language: Language
    frame: Frame
    title: str
    verdict: Verdict
    entity: str = ""
    fault_kind: FaultKind | None = None
    claims: tuple[Claim, ...] = ()
    rejected: tuple[RejectedClaim, ...] = ()
    skills: tuple[str, ...] = ()
    answers: str = Field(default="", exclude_if=lambda kind: not kind)
    """What of a conversation it answers, a `TurnKind`; empty for the report of a diagnosis. Its
    statements stand in the order in which they answer, not by section."""

    def section(self, section: Section) -> tuple[Claim, ...]:
        """Claims of one section, in order."""
        return tuple(c for c in self.claims if c.section == section)

    @property
    def stats(self) -> ReportStats:
        """Counts of its statements; no part of its bytes."""
        statements = len(self.claims) + len(self.rejected)
        in_part = sum(NOT_COMPARED in c.extras for c in self.section(Section.REMARKS))
        remarks = len(self.section(Section.REMARKS)) - in_part
        return ReportStats(
            statements=statements,
            taken_out=len(self.rejected),
            hypotheses=len(self.section(Section.HYPOTHESES)),
            in_part=in_part,
            nothing_to_check=remarks,
            nothing_to_check_ratio=round_significant(remarks / statements) if statements else 0.0,
        )


class CheckedReport(Model):
    """A report of which every remaining claim passed `verify_report`."""

    report: Report
    checked: int
    removed: int


class Envelope(Model):
    """What is true of the run, not of the incident: never part of the canonical bytes."""

    session_id: str
    seconds: float = 0.0
    queries: int = 0
    sources_failed: int = 0
    reasoner: str = "rules"
    tokens: int = 0
    gate: str = ""
    """``PASS``, ``WARN`` or ``FAIL`` of the rule gate, empty before it ran."""
    gate_checks: tuple[str, ...] = Field(default=(), exclude_if=lambda checks: not checks)
    """Checks of the gate that did not pass, by their ids."""
    track_record: TrackRecord | None = Field(default=None, exclude_if=lambda found: found is None)
    """How often answers like this were right; None where nobody has judged one."""
    notes: tuple[str, ...] = ()
