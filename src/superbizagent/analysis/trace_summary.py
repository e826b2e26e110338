"""The tool-trace summary: what was looked at and what came back, in a few words of the rows.

Computed whenever it is read, never stored, so it works on rows of any age. A verifier and the
trace get this instead of raw outputs. Only text of the row is used; what is cut or left out is
flagged and counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from superbizagent.analysis.rows.fact import FactKind, RowFact, shown
from superbizagent.analysis.rows.reading import read_facts
from superbizagent.domain.evaluation import (
    InvocationRecord,
    OmittedCalls,
    ToolTraceEntry,
    ToolTraceSummary,
)
from superbizagent.domain.selector import Selector

__all__ = ["SummaryCaps", "ToolTraceSummaryService"]

_CUT = "…"
_SEPARATOR = "; "
_INPUT_CHARS = 120
_SHORT_UNIT = 2
"""``50ms`` but ``50 records``."""
_FAILED_CHARS = 40
"""Least text of a failed call's error: enough for "connection refused" and its host."""
_GOOD = frozenset({"ok", "empty"})


@dataclass(frozen=True, slots=True)
class SummaryCaps:
    """Characters of a summary; a verifier reads all of it, so each has a price."""

    fact: int = 300
    """One fact: a log line with its fields."""
    facts: int = 8
    """Facts of one call."""
    total: int = 6000
    """``input_summary`` and ``output_summary`` of all entries together, about 2,000 tokens."""


@dataclass(slots=True)
class _Draft:
    """An entry while facts are still being dealt out."""

    record: InvocationRecord
    input_summary: str
    pieces: list[str]
    taken: int = 0
    cut: bool = False
    left_over: int = 0
    kept: bool = False

    def size(self, taken: int) -> int:
        used = self.pieces[:taken]
        joints = len(_SEPARATOR) * max(0, len(used) - 1)
        return len(self.input_summary) + sum(map(len, used)) + joints

    def entry(self) -> ToolTraceEntry:
        facts = tuple(self.pieces[: self.taken])
        omitted = len(self.pieces) - self.taken + self.left_over
        return ToolTraceEntry(
            n=self.record.number,
            tool=self.record.tool_name,
            status=self.record.status,
            input_summary=self.input_summary,
            output_summary=_SEPARATOR.join(facts),
            facts=facts,
            facts_omitted=omitted,
            truncated=self.cut or omitted > 0 or self.record.truncated,
        )


class ToolTraceSummaryService:
    """Builds ``output_summary`` and the whole trace summary from stored rows."""

    def __init__(self, caps: SummaryCaps | None = None) -> None:
        self._caps = caps or SummaryCaps()

    def output_summary(self, record: InvocationRecord) -> str:
        """Return one row's facts in at most ``caps.facts`` pieces of ``caps.fact`` characters.

        A row whose details cannot be read gives the head of its preview, a failed call its error.
        """
        draft = self._draft(record)
        draft.taken = len(draft.pieces)
        return draft.entry().output_summary

    def summarise(self, records: Iterable[InvocationRecord]) -> ToolTraceSummary:
        """Return the entries in the order of the calls, within ``caps.total`` characters.

        Facts are dealt out one per call and round, so that one wide call cannot crowd out the
        rest. When not even one fits each call, the oldest successful calls are left out and
        counted; the newest call stays, failed ones go last.
        """
        ordered = sorted(records, key=lambda r: r.number)
        drafts = [self._draft(record) for record in ordered]
        self._shorten_failures(drafts)
        self._deal(drafts)
        entries = tuple(d.entry() for d in drafts if d.kept)
        return ToolTraceSummary(
            entries=entries,
            omitted=_omissions(d.record for d in drafts if not d.kept),
            omitted_facts=sum(e.facts_omitted for e in entries),
            truncated=len(entries) < len(drafts) or any(e.truncated for e in entries),
        )

    def _draft(self, record: InvocationRecord) -> _Draft:
        pieces = self._pieces(record)
        kept = [_clip(piece, self._caps.fact) for piece in pieces[: self._caps.facts]]
        asked = _input_text(record.input)
        draft = _Draft(record, _clip(asked, _INPUT_CHARS), kept)
        draft.cut = draft.input_summary != asked or kept != pieces[: self._caps.facts]
        draft.left_over = len(pieces) - len(kept)
        return draft

    def _pieces(self, record: InvocationRecord) -> list[str]:
        """Return the row's facts as text, what must not be missed first."""
        if record.status not in _GOOD:
            return [_squeeze(record.error or record.output_preview or record.status)]
        facts = sorted(read_facts(record), key=lambda f: f.rank)  # stable: keeps row order
        texts = (_fact_text(fact, self._caps.fact) for fact in facts)
        pieces = list(dict.fromkeys(text for text in texts if text))
        if pieces:
            return pieces
        preview = _squeeze(record.output_preview)
        return [preview] if preview else []

    def _shorten_failures(self, drafts: Sequence[_Draft]) -> None:
        """Give every failed call an equal share, so that none of them is crowded out."""
        failed = [d for d in drafts if d.record.status not in _GOOD]
        if not failed:
            return
        share = max(_FAILED_CHARS, self._caps.total // len(failed) // 2)
        for draft in failed:
            shorter = [_clip(piece, min(share, self._caps.fact)) for piece in draft.pieces]
            draft.cut = draft.cut or shorter != draft.pieces
            draft.pieces = shorter

    def _deal(self, drafts: Sequence[_Draft]) -> None:
        """Deal facts out in rounds: one to each call before any call gets another."""
        room = self._caps.total
        by_need = sorted(drafts, key=lambda d: _need(d, drafts[-1]))
        for draft in by_need:
            first = min(1, len(draft.pieces))
            if draft.size(first) <= room:
                draft.kept, draft.taken = True, first
                room -= draft.size(first)
        for taken in range(2, self._caps.facts + 1):
            for draft in by_need:
                if not draft.kept or draft.taken != taken - 1 or len(draft.pieces) < taken:
                    continue
                more = draft.size(taken) - draft.size(taken - 1)
                if more <= room:
                    draft.taken = taken
                    room -= more


def _need(draft: _Draft, newest: _Draft) -> tuple[int, int]:
    """Sort key: the newest call, failed calls, then the rest from new to old."""
    if draft is newest:
        return (0, 0)
    rank = 2 if draft.record.status in _GOOD else 1
    return (rank, -draft.record.number)


def _omissions(left_out: Iterable[InvocationRecord]) -> tuple[OmittedCalls, ...]:
    counts = Counter((r.tool_name, r.status) for r in left_out)
    return tuple(
        OmittedCalls(tool=tool, status=status, count=count)
        for (tool, status), count in sorted(counts.items())
    )


# Text of one fact --------------------------------------------------------------------------------


def _fact_text(fact: RowFact, limit: int) -> str:
    """Return a fact in words of the row; named numbers survive when a long line is cut."""
    text = _squeeze(fact.text)
    entity = fact.entity if fact.entity not in fact.name else ""
    head = [w for w in (entity, fact.level, fact.name) if w and w not in text]
    numbers = _numbers(fact, text)
    whole = " ".join([*head, *([text] if text else []), *numbers])
    if len(whole) <= limit or not text:
        return whole
    numbers = _numbers(fact, "")[:6]  # the fields that a cut would lose
    rest = len(" ".join([*head, *numbers]))
    room = limit - rest - (1 if rest else 0)
    return " ".join([*head, _clip(text, max(room, limit // 3)), *numbers])


def _numbers(fact: RowFact, text: str) -> list[str]:
    """Return ``key=value`` for every value that the text does not already show."""
    numbers: list[str] = []
    for key, value, unit in fact.values:
        number = f"{shown(value)}{' ' if len(unit) > _SHORT_UNIT else ''}{unit}"
        pair = f"{key}={number}" if key and fact.kind is not FactKind.OTHER else number
        if fact.kind is FactKind.OTHER:
            pair = f"{key}={_squeeze(number)}"
        if pair not in text or not re.search(rf"(?<![\w.]){re.escape(pair)}(?![\w.])", text):
            numbers.append(pair)
    return list(dict.fromkeys(numbers))


def _squeeze(text: str) -> str:
    """Return one line with single spaces."""
    return " ".join(text.split())


def _clip(text: str, limit: int) -> str:
    """Cut at ``limit`` characters, the mark included."""
    return text if len(text) <= limit else f"{text[: limit - 1]}{_CUT}"


# Text of the input -------------------------------------------------------------------------------


def _input_text(value: Any) -> str:
    """Return what was asked: the selector, services and words, else the input's scalars."""
    if not isinstance(value, dict):
        return _squeeze(value) if isinstance(value, str) else ""
    asked = cast("Mapping[str, Any]", value)
    parts = [_selector_text(asked.get("selector")), *_scalar_texts(asked)]
    return _squeeze(" ".join(part for part in parts if part))


def _selector_text(value: Any) -> str:
    try:
        return str(Selector.model_validate(value)) if value is not None else ""
    except ValidationError:
        return ""


def _scalar_texts(asked: Mapping[str, Any]) -> list[str]:
    texts: list[str] = []
    for key, value in asked.items():
        if isinstance(value, str) and value:
            texts.append(f"{key}={value}")
        elif isinstance(value, list) and value:
            words = [w for w in cast("list[Any]", value) if isinstance(w, str)]
            if words:
                texts.append(f"{key}={','.join(words)}")
    return texts
