"""Whether a time stands: something of what the sentence names happened then."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare.events import Events, Role, events_of
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import region_of, text_of, topics_of
from superbizagent.analysis.claims.compare.quotes import quoted_ids
from superbizagent.analysis.claims.compare.roles import roles_in
from superbizagent.analysis.claims.compare.sampled import (
    denied_at,
    holds_at,
    moment_of,
)
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.mentions import Clause, Form, Moment, Quantity, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["judge_times"]

_FRAME = re.compile(
    r"\b(?:window\w*|recording|recorded|data|report|look\w*|scrutin\w*|examin\w*|observ\w*"
    r"|baseline|evidence|period|end(?:s|ed)?|stop\w*)\b"
    r"|窗口|数据|记录|报告|观察|基线|时段|截止|截至|结束|末尾|期间"
)
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
        for span in (region_of(self.view, self.moment), self.clause):
            found = self._roles_in(span)
            if found:
                return found
        return ()

    def _roles_in(self, span: Clause) -> tuple[Role, ...]:
        found = list(roles_in(text_of(self.view, span)))
        directions = self.view.statement.words_of(WordKind.DIRECTION, span)
        if any(w.value in _RISING for w in directions):
            found += [Role.ONSET, Role.EXTREME]
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
        ids = self._borne_out(self.view.pool)
        if ids is not None:
            return self._part(Outcome.HOLDS, "", ids)
        if self.view.cited is not None and self._borne_out(self.view.everything) is not None:
            return self._part(Outcome.UNSHOWN, "time_not_cited")
        return self._missing()

    def _part(self, outcome: Outcome, reason: str, ids: tuple[str, ...] = ()) -> Part:
        return Part(PartKind.TIME, outcome, self.moment.text, reason, ids)

    def _borne_out(self, pool: Mask) -> tuple[str, ...] | None:
        """Return what shows that the time is right, None when nothing does."""
        return (
            self._by_number()
            or self._by_quote()
            or self._by_event(pool)
            or self._by_window(pool)
            or self._by_frame()
        )

    def _numbers(self) -> list[Quantity]:
        found = [q for q in self.view.statement.quantities if q.form is Form.VALUE]
        return [q for q in found if moment_of(self.view, q) is self.moment]

    def _by_number(self) -> tuple[str, ...]:
        """The value that it is said to have had then."""
        return tuple(i for q in self._numbers() for i in holds_at(self.view, q, self.moment))

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
        for topic in topics_of(self.view, self.moment):
            shared = self.view.ground.overlap(topic.concepts, topic.tokens)
            hit = base & (shared > 0)
            if hit.any():
                # Of two alerts only the one that is named; of series one may lack a word.
                lenient = 0 if Role.ALERT in self.roles else 1
                return hit & (shared >= shared[hit].max() - lenient)
        return base

    def _of_roles(self) -> Mask:
        events, text = self.events, text_of(self.view, self.clause)
        found = events.of(self.roles)
        if Role.LINE in self.roles and (found & events.of_logs).any():
            found = found & events.of_logs
        if Role.ALERT in self.roles and "pending" not in text and "待" not in text:
            found = found & ~events.pending
        return found

    def _by_window(self, pool: Mask) -> tuple[str, ...]:
        """A span that a value is of begins or ends then."""
        if self.moment.preposition not in _SPANNING and not self._speaks_of_frame():
            return ()
        base = pool & self.about & self.events.bounded(self.moment.low, self.moment.high)
        return self._ids(base)

    def _speaks_of_frame(self) -> bool:
        return _FRAME.search(text_of(self.view, self.clause)) is not None

    def _by_frame(self) -> tuple[str, ...] | None:
        """The window, the end of the data, or the alert that the report is about."""
        frame = self.view.ground.frame
        times = [frame.now, *(t for w in (frame.windows.incident,) for t in (w.start, w.end))]
        if self._speaks_of_frame():
            times += [t for w in frame.windows.baselines for t in (w.start, w.end)]
        elif self.moment.preposition not in _SPANNING:
            times = []
        alerts = self.events.roles[Role.ALERT]
        if Role.ALERT in self.roles and frame.alert_at and not alerts.any():
            times.append(frame.alert_at)
        return () if any(self.moment.accepts(t) for t in times) else None

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
