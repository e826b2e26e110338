"""Templates while they are put together: kinds that read the same, counted and scored."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from superbizagent.analysis._log_kinds import Kinds
from superbizagent.analysis._masks import mask
from superbizagent.analysis._split_tree import templates_of
from superbizagent.domain.canonical import digest_bytes, round_significant

__all__ = ["Draft", "drafts_of", "score_drafts"]

_SEVERITY_WEIGHT = (0.3, 0.0, 0.3, 0.6, 1.0, 2.0, 3.0)
_NEW = 10.0
_BURST = 5.0


@dataclass(slots=True)
class Draft:
    """One template while it is put together."""

    service: str
    text: str
    kinds: tuple[int, ...]
    severity: int
    before: int
    during: int
    novel: bool = False
    score: float = 0.0

    @property
    def id(self) -> str:
        """Derived from service and text alone, so that it names the same thing tomorrow."""
        return digest_bytes(f"{self.service}\n{self.text}".encode()).removeprefix("sha256:")[:12]


def drafts_of(kinds: Kinds) -> list[Draft]:
    """Group kinds of one service whose template reads the same."""
    texts = templates_of(mask(pl.Series(kinds.heads, dtype=pl.String)).to_list())
    groups: dict[tuple[str, str], list[int]] = {}
    severities: list[int] = []
    for (service, severity, _), number in kinds.ids.items():
        groups.setdefault((service, texts[number]), []).append(number)
        severities.append(severity)
    drafts: list[Draft] = []
    seen: list[list[int]] = kinds.seen.tolist()
    for (service, text), members in groups.items():
        before, during = (sum(seen[k][window] for k in members) for window in (0, 1))
        weight: dict[int, int] = {}
        for k in members:
            weight[severities[k]] = weight.get(severities[k], 0) + sum(seen[k])
        # What most of its records are; of equals the more severe.
        severity = max(weight, key=lambda s: (weight[s], s))
        drafts.append(Draft(service, text, tuple(members), severity, before, during))
    return drafts


def score_drafts(drafts: Sequence[Draft], kinds: Kinds, *, has_baseline: bool) -> None:
    """Set novelty and score of every template."""
    before, during = kinds.seen.sum(axis=0).tolist() if len(kinds) else (0, 0)
    total = during + 0.5 * len(drafts)
    known = has_baseline and before > 0
    for draft in drafts:
        draft.novel = known and draft.before == 0 and draft.during > 0
        if draft.during == 0:
            continue
        weight = 1.0 + _SEVERITY_WEIGHT[draft.severity]
        rare = -np.log2((draft.during + 0.5) / total) * weight
        # Scaled by all records: more traffic gives more lines of every kind.
        expected = draft.before * during / before if before else float(draft.during)
        spread = np.sqrt(expected + 1.0 + 0.1 * expected**2)
        burst = np.log1p(max(0.0, (draft.during - expected) / spread))
        score = max(0.0, rare) + _NEW * draft.novel + _BURST * weight * burst
        draft.score = round_significant(float(score))
