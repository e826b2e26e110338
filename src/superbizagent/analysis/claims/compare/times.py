"""Whether a time stands: something of what the sentence names happened then."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare.clock import judge_side
from superbizagent.analysis.claims.compare.events import Events, Role, events_of
from superbizagent.analysis.claims.compare.firings import firings_in
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import best_rows, region_of, text_of, topics_of
from superbizagent.analysis.claims.compare.quotes import quoted_ids
from superbizagent.analysis.claims.compare.roles import roles_in
from superbizagent.analysis.claims.compare.sampled import (
    change_between,
    denied_at,
    holds_at,
    is_open,
    moment_of,
    rows_saying,
)
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.evidence.ground import Period
from superbizagent.analysis.claims.mentions import Clause, Form, Moment, Quantity, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["judge_times"]

_FRAME = re.compile(
    r"\b(?:window\w*|recording|recorded|data|report|look\w*|scrutin\w*|examin\w*|observ\w*"
    r"|baseline|evidence|period|end(?:s|ed)?|stop\w*)\b"
    r"|窗口|数据|记录|报告|观察|基线|时段|截止|截至|结束|末尾|期间"
)
_BEGAN = re.compile(r"\b(?:began|begun|begins|start\w*|shows?|set in)\b|开始|出现|发生|起(?:始|病)")
_AGAIN = re.compile(r"\s?[,(，（]\s?(?:that is,? |i\.e\. |about )?")
_BEFORE = re.compile(r"\b(?:baseline|before|compar\w*|earlier)\b|基线|之前|此前|平时")
_HAPPENINGS = frozenset({Role.ALERT, Role.CHANGE, Role.ONSET, Role.LINE})
_LEVELS = frozenset({Form.VALUE, Form.PART})
_EXACT = frozenset({Role.ALERT, Role.EXTREME})
_ZERO = Quantity(start=0, end=0, text="0", value=0.0, half=0.0)
_SPANNING = frozenset({"since", "until", "after", "before"})
_RISING = frozenset({"up", "down", "appeared", "vanished"})


def judge_times(view: View) -> Iterator[Part]:
    """Yield one part for every time of a sentence."""
    for moment in view.statement.moments:
        yield _Time(view, moment).part()


@dataclass(frozen=True)
class _Time:
    view: View
    moment: Moment

    @cached_property
    def events(self) -> Events:
        return events_of(self.view.ground)

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.moment)

    @cached_property
    def then(self) -> Mask:
        """Rows of what happened at this time."""
        return self.events.within(self.moment.low, self.moment.high)

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """What is said to have happened: by the nearest words, else by those of the clause."""
        spans = [region_of(self.view, self.moment), self.clause]
        if not self.view.topic(self.clause.start, self.clause.end).concepts:
            spans.append(Clause(0, len(self.view.text)))
        for span in spans:
            found = self._roles_in(span)
            if found:
                return found
        return ()

    def _roles_in(self, span: Clause) -> tuple[Role, ...]:
        found = list(roles_in(text_of(self.view, span)))
        directions = self.view.statement.words_of(WordKind.DIRECTION, span)
        if any(w.value in _RISING for w in directions):
            found.append(Role.ONSET)
        if self.moment.preposition == "since":
            found += [Role.ONSET, Role.CHANGE]
        return tuple(dict.fromkeys(found))

    @cached_property
    def about(self) -> Mask:
        """Rows of what the clause names; those of alerts only where it speaks of alerts."""
        found = self.view.of_entities(self.clause)
        if Role.ALERT not in self.roles:
            return found & ~self.events.of_rules
        # An alert is known by its own name, whoever the sentences before were about.
        return found if self.view.statement.names else self.view.everything

    def part(self) -> Part:
        return judge_side(self.view, self.moment) or self._at()

    def _at(self) -> Part:
        ids = self._borne_out(self.view.pool)
        if ids is not None:
            return self._part(Outcome.HOLDS, "", ids)
        if self._is_same_as_before or (self._ends and self._says_course):
            return self._part(Outcome.HOLDS, "")
        if self.view.cited is not None and self._borne_out(self.view.everything) is not None:
            # When its alert fired the report was told: that needs no citation.
            outcome = Outcome.HOLDS if self._is_alert else Outcome.UNSHOWN
            return self._part(outcome, "" if self._is_alert else "time_not_cited")
        return self._missing()

    @property
    def _ends(self) -> bool:
        """Whether it is the end of what was looked at, which the report was given."""
        frame = self.view.ground.frame
        return any(map(self.moment.accepts, (frame.now, frame.windows.incident.end)))

    @property
    def _says_course(self) -> bool:
        """Whether the clause says that something goes on or is over by then: judged by itself."""
        return bool(self.view.statement.words_of(WordKind.COURSE, self.clause))

    @property
    def _is_alert(self) -> bool:
        """Whether it is when the alert fired that the report is about."""
        at = self.view.ground.frame.alert_at
        return at is not None and Role.ALERT in self.roles and self.moment.accepts(at)

    @property
    def _is_same_as_before(self) -> bool:
        """Whether it says the time in front of it again: "since 13:57:00, 14 min ago"."""
        before = [m for m in self.view.statement.moments if m.end <= self.moment.start]
        if self.moment.preposition != "ago" or not before:
            return False
        if not _AGAIN.fullmatch(self.view.text, before[-1].end, self.moment.start):
            return False
        return before[-1].low <= self.moment.high and self.moment.low <= before[-1].high

    def _part(self, outcome: Outcome, reason: str, ids: tuple[str, ...] = ()) -> Part:
        return Part(PartKind.TIME, outcome, self.moment.text, reason, ids)

    def _borne_out(self, pool: Mask) -> tuple[str, ...] | None:
        """Return what shows that the time is right, None when nothing does."""
        found = self._by_number(pool) or self._by_quote() or self._by_change() or self._by_alert()
        if found or self._is_denied():
            return found or None
        if self._is_of_frame:
            return self._by_frame()
        return self._by_event(pool) or self._by_window(pool) or self._by_frame()

    def _is_denied(self) -> bool:
        """Tell whether what was measured then is not what the sentence says it was.

        That an alert fired, something was deployed, began or was logged then may still be so.
        """
        said = roles_in(text_of(self.view, region_of(self.view, self.moment)))
        if any(role in _HAPPENINGS for role in said) or self._begins:
            return False
        if self._numbers():
            # "At 13:35 it still stood above 1": without a word of what, any value would do.
            denied = (denied_at(self.view, q, self.moment) for q in self._numbers())
            return self._is_of_nothing or any(denied)
        return not said and self._nothing and bool(denied_at(self.view, _ZERO, self.moment))

    @property
    def _begins(self) -> bool:
        """Whether a rise from one number to another, or something since then, began at the time."""
        from_ = self.view.statement.words_of(WordKind.PERIOD, self.clause)
        return self.moment.preposition == "since" or any(w.value == "from" for w in from_)

    @property
    def _is_of_nothing(self) -> bool:
        """Whether no word of it is of anything that the evidence knows."""
        topics = topics_of(self.view, self.moment)
        shared = [self.about & (self.view.shared(topic) > 0) for topic in topics]
        return not any(rows.any() for rows in shared)

    @cached_property
    def _nothing(self) -> bool:
        """Whether the sentence says that there was none of something then."""
        return bool(self.view.statement.words_of(WordKind.ABSENCE))

    def _numbers(self) -> list[Quantity]:
        found = [q for q in self.view.statement.quantities if q.form in _LEVELS]
        return [q for q in found if moment_of(self.view, q) is self.moment]

    def _by_number(self, pool: Mask) -> tuple[str, ...]:
        """The value that it is said to have had then."""
        numbers = self._numbers()
        found = [i for q in numbers for i in holds_at(self.view, q, self.moment)]
        if found or not numbers:
            return tuple(found)
        rows = pool & self.about & self.then
        for number in numbers:
            best = best_rows(self.view, self.view.topics(number), rows)
            ids = self._ids(best & rows_saying(self.view, number))
            if ids:
                return ids
        return ()

    def _by_change(self) -> tuple[str, ...]:
        """What changed by as much as the sentence says from this time or up to it."""
        moments = [m for m in self.view.statement.moments if self.clause.holds(m)]
        said = [q for q in self.view.statement.quantities if q.form is Form.CHANGE]
        words = self.view.statement.words_of(WordKind.DIRECTION, self.clause)
        if [m.preposition for m in moments] != ["since", "until"] or not said or not words:
            return ()
        changes = change_between(self.view, words[0], *moments)
        return tuple(
            place for place, change in changes.items() if all(q.accepts(abs(change)) for q in said)
        )[:3]

    def _by_alert(self) -> tuple[str, ...]:
        """The alert of that name that fired then."""
        if Role.ALERT not in self.roles:
            return ()
        view, text = self.view, self.view.text[self.clause.start : self.clause.end]
        named = view.entities(self.clause) if view.statement.names else ()
        low, high = to_ms(self.moment.low), to_ms(self.moment.high)
        found = [f for f in firings_in(view.ground, text, named) if low <= f.at <= high]
        return tuple(f.place for f in found if is_open(view, f.call))

    def _by_quote(self) -> tuple[str, ...]:
        """The record that is quoted for this time."""
        texts = [i for q in self.view.statement.quotes for i in quoted_ids(self.view, q)]
        return tuple(i for i in texts if self._stands_then(i))[:3]

    def _stands_then(self, text_id: str) -> bool:
        row = self.view.ground.row(text_id)
        if row is not None:
            return bool(self.then[row] and self.view.pool[row])
        return self.view.cited is None and self._is_line_then(text_id)

    def _is_line_then(self, text_id: str) -> bool:
        call, _, line = text_id[1:].partition(".l")
        row = self.view.ground.evidence.of(int(call)) if line.isdecimal() else None
        lines = getattr(row.output, "lines", ()) if row is not None else ()
        at = lines[int(line)].at if line.isdecimal() and int(line) < len(lines) else None
        return at is not None and self.moment.accepts(at)

    def _by_event(self, pool: Mask) -> tuple[str, ...]:
        """What happened then of the kind that the words say."""
        known = self._known(pool)
        hit = known & self.then
        return self._ids(hit)

    def _known(self, pool: Mask) -> Mask:
        """Rows of the role, the entity and the topic, at whatever time."""
        base = pool & self.about & self._of_roles()
        if not self._speaks_of_before:
            base = base & (self.events.at >= self.view.ground.frame.windows.incident.start_ms)
        for topic in topics_of(self.view, self.moment):
            shared = self.view.shared(topic)
            hit = base & (shared > 0)
            if hit.any():
                # Of alerts and peaks only what is named; an onset may lack one of the words.
                lenient = 0 if _EXACT & set(self.roles) else 1
                return hit & (shared >= shared[hit].max() - lenient)
        return base

    def _of_roles(self) -> Mask:
        events, text = self.events, text_of(self.view, self.clause)
        found = events.of(self.roles)
        if {Role.LINE, Role.EXTREME} <= set(self.roles):
            found = events.of((Role.EXTREME,))
        if Role.LINE in self.roles and (found & events.of_logs).any():
            found = found & events.of_logs
        if Role.ALERT in self.roles and "pending" not in text and "待" not in text:
            found = found & ~events.pending
        return found

    def _by_window(self, pool: Mask) -> tuple[str, ...]:
        """A span that a value is of begins or ends then."""
        # Every series is read from the symptom's onset on: only an amount over that span shows it.
        if not self.view.statement.quantities or not (
            self.moment.preposition in _SPANNING or self._speaks_of_frame()
        ):
            return ()
        ends = self.events.bounded(self.moment.low, self.moment.high, self.moment.preposition)
        base = pool & self.about & ends
        if not self._speaks_of_before:
            base = base & (self.view.ground.period != Period.BASELINE)
        return self._ids(base)

    @cached_property
    def _speaks_of_before(self) -> bool:
        """Whether it is a time of the baseline that may be meant."""
        words = self.view.statement.words_of(WordKind.PERIOD)
        return any(w.value == "baseline" for w in words) or bool(_BEFORE.search(self.view.text))

    def _speaks_of_frame(self) -> bool:
        return _FRAME.search(text_of(self.view, self.clause)) is not None

    @property
    def _is_of_frame(self) -> bool:
        """Whether it speaks of nothing but what was looked at: "the window ran from 20:52"."""
        statement = self.view.statement
        topic = self.view.topic(0, len(self.view.text))
        return self._speaks_of_frame() and not statement.names and not topic.concepts

    def _by_frame(self) -> tuple[str, ...] | None:
        """The window, the end of the data, or the alert that the report is about."""
        frame = self.view.ground.frame
        windows = [frame.windows.incident]
        if self._speaks_of_frame() and self._speaks_of_before:
            windows += frame.windows.baselines
        sides = {"since": [w.start for w in windows], "until": [w.end for w in windows]}
        times = sides.get(self.moment.preposition) or [t for side in sides.values() for t in side]
        if self.moment.preposition != "since":
            times = [*times, frame.now]
        if not self._speaks_of_frame() and not self._spans:
            times = []
        alerts = self.events.roles[Role.ALERT]
        if Role.ALERT in self.roles and frame.alert_at and not alerts.any():
            times.append(frame.alert_at)
        return () if any(self.moment.accepts(t) for t in times) else None

    @property
    def _spans(self) -> bool:
        """Whether it bounds what its clause says; "began at 13:40" says itself when that was."""
        begins = self.moment.preposition == "since" and _BEGAN.search(
            text_of(self.view, self.clause)
        )
        return self.moment.preposition in _SPANNING and not begins

    def _ids(self, rows: Mask) -> tuple[str, ...]:
        found: list[int] = np.flatnonzero(rows)[:3].tolist()
        return tuple(self.view.ground.facts[row].id for row in found)

    def _missing(self) -> Part:
        """Why it does not stand: it happened at another time, or nothing tells of it."""
        for quantity in self._numbers():
            ids = denied_at(self.view, quantity, self.moment)
            if ids:
                return self._part(Outcome.UNSHOWN, "other_value_then", ids)
        known = self._known(self.view.everything)
        if self.roles and known.any() and self.view.entities(self.clause):
            middle = (to_ms(self.moment.low) + to_ms(self.moment.high)) / 2
            distance = np.where(known, np.abs(self.events.at - middle), np.inf)
            nearest = self.view.ground.facts[int(np.argmin(distance))].id
            return self._part(Outcome.FAILS, f"other_time:{nearest}", (nearest,))
        return self._part(Outcome.UNSHOWN, "no_such_time")
