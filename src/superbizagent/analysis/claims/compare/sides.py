"""What happened, and when, that some words of a sentence put before or after something else."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare.events import Role, events_of
from superbizagent.analysis.claims.compare.firings import firings_in
from superbizagent.analysis.claims.compare.near import best_rows
from superbizagent.analysis.claims.compare.quotes import quoted_ids
from superbizagent.analysis.claims.compare.roles import happening_in, is_trough
from superbizagent.analysis.claims.compare.sampled import is_open, rows_saying
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.evidence.ground import Period, Statistic
from superbizagent.analysis.claims.mentions import Clause, Form, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["Event", "Side"]

_OPENING = re.compile(r"\bfirst(?=\s*(?:[,.;]|and\b|$))")
"""Which of two came first, not the first of many."""
_MOVES = frozenset({"up", "down", "appeared", "vanished"})
_SPREAD = frozenset({Role.EXTREME, Role.CHANGE})
"""Of several that may be meant any may be; what began is told by the earliest that did."""
_LATEST = frozenset({Role.LAST, Role.END})


@dataclass(frozen=True, slots=True)
class Event:
    """When something happened."""

    at: int
    """Milliseconds; the earliest that may be meant."""
    uncertainty: int
    """Milliseconds on either side."""
    fact_ids: tuple[str, ...] = ()
    told: bool = False
    """The sentence gives its time itself."""
    until: int = -1
    """Milliseconds; the latest that may be meant, -1: as `at`."""

    @property
    def last(self) -> int:
        """The latest time that may be meant."""
        return max(self.at, self.until)


@dataclass(frozen=True)
class Side:
    """One of the two things that are put in order."""

    view: View
    span: Clause
    role: Role | None = None
    """What happened to it where its own words do not say."""
    without: tuple[int, int] = (0, 0)
    """A part of the span that says something else: the time it is held against."""

    apart: tuple[int, ...] = ()
    """Subjects, by their code in `Ground.subjects`, that the other side is about."""

    @cached_property
    def text(self) -> str:
        """Its words."""
        text, (start, end) = self.view.text, self.without
        if not self.span.start <= start < end <= self.span.end:
            return text[self.span.start : self.span.end]
        return f"{text[self.span.start : start]} {text[end : self.span.end]}"

    @cached_property
    def said(self) -> Role | None:
        """What its own words say happened; None when they say nothing of the kind."""
        found = happening_in(_OPENING.sub(" ", self.text.lower()))
        if found is not None:
            return found
        words = self.view.statement.words_of(WordKind.DIRECTION, self.span)
        start, end = self.without
        moves = any(w.value in _MOVES and not start <= w.start < end for w in words)
        return Role.ONSET if moves else None

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Entities it is about."""
        names = [n for n in self.view.statement.names if self.span.holds(n)]
        own = tuple(dict.fromkeys(path for n in names for path in n.entities))
        return own or self.view.entities(self.span)

    @property
    def names(self) -> bool:
        """Whether it names a known thing of its own."""
        return any(n.entities and self.span.holds(n) for n in self.view.statement.names)

    @property
    def speaks(self) -> bool:
        """Whether it names anything that happens at a time."""
        view, span = self.view, self.span
        mentions = (*view.statement.names, *view.statement.moments, *view.statement.quotes)
        topic = view.topic(span.start, span.end)
        if topic.concepts or any(span.holds(m) for m in mentions):
            return True
        return bool(events_of(view.ground).of_alert_in(self.text).any())

    def event(self) -> Event | None:
        """Return when it happened, None when nothing tells."""
        return self._quoted() or self._told() or self.known(self.view.pool)

    def happened(self, pool: Mask) -> Event | None:
        """Return when it happened, whatever time the sentence gives."""
        return self._quoted() or self.known(pool)

    def _quoted(self) -> Event | None:
        """The first record that is quoted, or the last where that is meant."""
        ground = self.view.ground
        quotes = [q for q in self.view.statement.quotes if self.span.holds(q)]
        rows = [ground.row(i) for q in quotes for i in quoted_ids(self.view, q)]
        at = [(int(ground.at[r]), ground.facts[r].id) for r in rows if r is not None]
        timed = sorted(t for t in at if t[0] >= 0)
        if not timed:
            return None
        pick = timed[-1 if (self.said or self.role) in _LATEST else 0]
        return Event(pick[0], 0, (pick[1],))

    def _told(self) -> Event | None:
        """The time that the sentence itself gives."""
        moments = [m for m in self.view.statement.moments if self.span.holds(m)]
        if len(moments) != 1:
            return None
        low, high = to_ms(moments[0].low), to_ms(moments[0].high)
        return Event((low + high) // 2, (high - low) // 2, told=True)

    def known(self, pool: Mask) -> Event | None:
        """Return when the evidence has it happening; None when it tells nothing of it."""
        ground, events = self.view.ground, events_of(self.view.ground)
        rows = np.flatnonzero(self._rows(pool))
        if not len(rows):
            return self._fired()
        order = np.argsort(events.at[rows], kind="stable")
        first, last = int(rows[order[0]]), int(rows[order[-1]])
        if self._happened in _LATEST:
            first = last
        elif self._happened not in _SPREAD:
            last = first
        ids = dict.fromkeys(ground.facts[row].id for row in (first, last))
        uncertainty = max(int(events.uncertainty[row]) for row in (first, last))
        return Event(int(events.at[first]), uncertainty, tuple(ids), until=int(events.at[last]))

    def subjects(self, pool: Mask) -> frozenset[int]:
        """Return what it may be about, by the code in `Ground.subjects`."""
        found: list[int] = np.unique(self.view.ground.subject[self._rows(pool)]).tolist()
        return frozenset(found)

    @cached_property
    def _alerts(self) -> Mask:
        """Rows of the alerts that it names: an alert is known by its own name."""
        return events_of(self.view.ground).of_alert_in(self.text)

    @property
    def _happened(self) -> Role:
        return Role.ALERT if self._alerts.any() else self.said or self.role or Role.ONSET

    def _rows(self, pool: Mask) -> Mask:
        view, events, named = self.view, events_of(self.view.ground), self._alerts
        base = pool & view.ground.of_entities(self.paths) if self.paths else pool
        if named.any():
            own = base & named
            base = own if own.any() else pool & named
        elif self._happened is not Role.ALERT:
            base = base & ~events.of_rules
        if "pending" not in self.text.lower():
            base = base & ~events.pending
        if self.apart:
            base = base & ~np.isin(view.ground.subject, self.apart)
        topic = view.topic(self.span.start, self.span.end)
        topics = (topic,) if topic and not named.any() else ()
        return best_rows(view, topics, self._with_value(base & self._of(self._happened)))

    def _of(self, role: Role) -> Mask:
        """Rows that tell of what happened."""
        ground, events = self.view.ground, events_of(self.view.ground)
        if role is not Role.EXTREME:
            return events.of((role,))
        meant = Statistic.MIN if is_trough(self.text.lower()) else Statistic.MAX
        during = ground.period != Period.BASELINE
        return events.of((role,)) & (ground.statistic == meant) & during

    def _with_value(self, rows: Mask) -> Mask:
        """Of those that have the value of a number of the words, where any has."""
        for number in self.view.statement.quantities:
            if number.form is Form.VALUE and self.span.holds(number):
                own = rows & rows_saying(self.view, number)
                rows = own if own.any() else rows
        return rows

    def _fired(self) -> Event | None:
        """When the alert that it names fired, which may be in a series alone."""
        found = firings_in(self.view.ground, self.text, self.paths)
        known = [f for f in found if is_open(self.view, f.call)]
        if known:
            return Event(known[0].at, 0, (known[0].place,))
        alert_at = self.view.ground.frame.alert_at
        rows = events_of(self.view.ground).roles[Role.ALERT]
        if (self.said or self.role) is not Role.ALERT or alert_at is None or rows.any():
            return None
        # The alert that the report is about, of which no series tells.
        return Event(to_ms(alert_at), 0)
