"""What people said of answers, and how often answers of one kind were right."""

from enum import StrEnum
from typing import Any, cast

from pydantic import Field, computed_field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["LEAST_JUDGED", "Feedback", "Judgement", "TrackRecord", "answer_kind"]

LEAST_JUDGED = 3
"""Fewer judgements say nothing of the next answer."""


class Judgement(StrEnum):
    """Whether an answer was right."""

    CONFIRM = "confirm"
    REJECT = "reject"


class Feedback(Model):
    """One person's judgement of one answer; a later one of the same person replaces it."""

    feedback_id: str
    session_id: str
    judgement: Judgement
    kind: str
    """The `answer_kind` that was judged."""
    right_entity: str = ""
    """What it was, if the answer was wrong."""
    right_fault_kind: str = ""
    comment: str = ""
    author: str
    created_at: Instant


class TrackRecord(Model):
    """How often answers of one kind were right, by the last word of each person on each session.

    Judgements of the session itself are left out: they say nothing of it beforehand.
    """

    kind: str
    judged: int = 0
    right: int = Field(default=0)

    @computed_field
    @property
    def enough(self) -> bool:
        """Whether it may be shown as a number."""
        return self.judged >= LEAST_JUDGED


def answer_kind(verdict: str, report: Any, skill: str, reasoner: str = "rules") -> str:
    """Return what makes two answers alike; empty when there is no answer.

    Alike are answers with the same verdict, kind of fault, playbook and reasoner. The entity is
    left out: how far a finding can be trusted depends on how it was come by, not on its service.

    Args:
        verdict: of the session.
        report: JSON of its `Report`, of any age; what is no object tells nothing.
        skill: playbook that was chosen first.
        reasoner: who wrote it.
    """
    if not verdict:
        return ""
    fault = cast("dict[str, Any]", report).get("fault_kind") if isinstance(report, dict) else None
    parts = (verdict, fault if isinstance(fault, str) else "", skill, reasoner)
    return "/".join(part[:60] or "-" for part in parts)
