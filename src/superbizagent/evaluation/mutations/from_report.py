"""The statements of a report, in pieces.

The slots of a claim say what each piece was written from; the text is what a reader sees.
"""

import re
from collections.abc import Iterator, Sequence

from superbizagent.domain.fact import Fact
from superbizagent.domain.report import Claim, ClaimKind, Report, Section
from superbizagent.evaluation.mutations.opposites import with_opposites
from superbizagent.evaluation.mutations.session_facts import SessionFacts, time_of
from superbizagent.evaluation.mutations.written import Piece, Role, Written
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.slots import SLOT, Slots, cited, marks
from superbizagent.investigation.wording.values import quantity

__all__ = ["statements_of"]

_SECTIONS = frozenset(
    {
        Section.WHAT,
        Section.IMPACT,
        Section.WHY,
        Section.NOT_SEEN,
        Section.RULED_OUT,
        Section.FINDINGS,
        Section.TIMELINE,
    }
)
"""What speaks of the incident; scores, calls and advice do not."""
_TELLING = frozenset({Role.NUMBER, Role.DERIVED, Role.TIME, Role.NAME, Role.WORD})


def statements_of(report: Report, session: SessionFacts) -> Iterator[Written]:
    """Yield the claims that state a number, a time, a name, a direction or an absence."""
    evidence = session.examined.diagnosis.evidence
    slots = Slots.of(evidence, report.frame, narrator_for(report.language))
    for claim in report.claims:
        if claim.section not in _SECTIONS or claim.kind is ClaimKind.ADVICE:
            continue
        if not claim.fact_ids:
            continue  # what was not read, or what the payload says: no fact to hold it against
        written = _Claim(claim, report, slots, session).written()
        if any(piece.role in _TELLING for piece in written.pieces):
            yield written


class _Claim:
    """Takes one claim apart."""

    def __init__(self, claim: Claim, report: Report, slots: Slots, session: SessionFacts) -> None:
        self.claim, self.report, self.slots, self.session = claim, report, slots, session
        raw = claim.extras.get("params", {})
        self.params: dict[str, str] = {str(k): str(v) for k, v in raw.items()}

    def written(self) -> Written:
        language, narrator = self.report.language, self.slots.narrator
        parts = (p for piece in self._pieces() for p in _parts(piece, self.report))
        return Written(
            pieces=tuple(parts),
            marks=self.claim.fact_ids,
            language=language,
            origin=f"report:{self.claim.section.value}",
            spell=lambda value, unit: quantity(value, unit, narrator),
            about=self.claim.entity,
        )

    def _pieces(self) -> Iterator[Piece]:
        template, end = self.claim.template, 0
        for match in SLOT.finditer(template):
            yield Piece(template[end : match.start()])
            yield self._slot(match[0], match[1], match[2] or "")
            end = match.end()
        yield Piece(template[end:])

    def _slot(self, slot: str, name: str, aspect: str) -> Piece:
        text = self._filled(slot)
        fact = self.session.by_id.get(name)
        if fact is not None:
            return _of_fact(text, fact, aspect)
        if re.fullmatch(r"d\d+", name):
            return Piece(text, Role.DERIVED)
        if name == "p" and aspect in {"entity", "other"}:
            path = self.claim.entity if aspect == "entity" else ""
            return Piece(text, Role.NAME, entity=path)
        return Piece(text, Role.QUOTE) if name == "p" else Piece(text, Role.SUBJECT)

    def _filled(self, slot: str) -> str:
        """What stands in a slot, without the marks that `Slots.text` adds."""
        text = self.slots.text(slot, self.claim.derivations, self.params)
        after = marks(cited(slot, self.claim.derivations))
        return text.removesuffix(f" {after}") if after else text


def _of_fact(text: str, fact: Fact, aspect: str) -> Piece:
    match aspect:
        case "" if isinstance(fact.value, int | float):
            return Piece(text, Role.NUMBER, fact.id)
        case "time" | "instant":
            return Piece(text, Role.TIME, fact.id, at=time_of(fact))
        case "name" | "metric":
            return Piece(text, Role.SUBJECT, fact.id)
        case "quote":
            # A person or a model puts verbatim text in quote marks, and leaves a cut end off.
            return Piece(f"“{text.rstrip('…')}”", Role.QUOTE, fact.id)
        case _:
            return Piece(text, Role.QUOTE, fact.id)


def _parts(piece: Piece, report: Report) -> Sequence[Piece]:
    if piece.role is not Role.PLAIN:
        return (piece,)
    return tuple(with_opposites(piece, report.language))
