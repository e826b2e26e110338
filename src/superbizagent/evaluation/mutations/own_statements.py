"""Every sentence of this package's own that can be said of one session."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations, islice

from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.evaluation.mutations.own_sentences import Author
from superbizagent.evaluation.mutations.own_subjects import (
    Event,
    LogSubject,
    SeriesSubject,
    events,
    logs,
    moved_series,
    number,
    still_series,
    was_quiet_before,
)
from superbizagent.evaluation.mutations.plain_words import plain_words
from superbizagent.evaluation.mutations.session_facts import time_of
from superbizagent.evaluation.mutations.times import TimeForm, written_time
from superbizagent.evaluation.mutations.written import Mutation, Piece, Role, Written

__all__ = ["own_statements"]

_MOST_PAIRS = 3
_APART = 1.2
"""Two values compare when one is a fifth larger at least."""
_GREW = 1.6


def own_statements(author: Author) -> Iterator[Written]:
    """Yield sentences about series, logs, orders, comparisons and absences."""
    moved = tuple(moved_series(author.session))
    for series in moved:
        yield from _of_moved(author, series)
    for series in (*moved, *still_series(author.session)):
        yield from _of_series(author, series)
    for log in logs(author.session):
        yield from _of_log(author, log)
    yield from _peak_orders(author, moved)
    yield from _event_orders(author)
    yield from _comparisons(author, moved)
    yield from _calm(author)
    yield from _no_change(author)


def _of_moved(author: Author, series: SeriesSubject) -> Iterator[Written]:
    who, what = author.who(series.entity), author.what(series.after)
    sign = "+" if series.direction > 0 else "-"
    before, after = author.number(series.before), author.number(series.after)
    marks = (series.before.id, series.after.id)
    if series.onset is not None:
        slots = {
            "who": who,
            "what": what,
            "before": before,
            "after": after,
            "went": author.word(f"went{sign}", *marks),
            "onset": author.time(series.onset),
        }
        yield author.write("moved", slots, (*marks, series.onset.id), series.entity)
    did = author.word(f"did{sign}", *marks)
    yield author.write("did_move", {"who": who, "what": what, "did": did}, marks, series.entity)
    ratio = number(series.after) / number(series.before) if number(series.before) else 0.0
    if ratio >= _GREW:
        times = Piece(f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}", Role.DERIVED)
        slots = {"who": who, "what": what, "before": before, "after": after, "times": times}
        yield author.write("multiple", slots, marks, series.entity)


def _of_series(author: Author, series: SeriesSubject) -> Iterator[Written]:
    who, what = author.who(series.entity), author.what(series.after)
    before, after = author.number(series.before), author.number(series.after)
    marks = (series.before.id, series.after.id)
    slots = {"who": who, "what": what, "before": before, "after": after}
    yield author.write("level", slots, marks, series.entity)
    if series.last is not None:
        slots = {"who": who, "what": what, "last": author.number(series.last)}
        yield author.write("end", slots, (series.last.id,), series.entity)
    extreme = series.highest or series.lowest
    if extreme is not None and extreme.at is not None:
        yield _extreme(author, series, extreme)
        if series.highest is not None:
            yield from _peak_clock(author, series, series.highest)


def _extreme(author: Author, series: SeriesSubject, extreme: Fact) -> Written:
    top = extreme is series.highest
    slots = {
        "who": author.who(series.entity),
        "what": author.what(extreme),
        "extreme": author.number(extreme),
        "when": author.time(extreme),
        "peaked": author.say("peaked" if top else "bottomed out", ""),
        "extreme_word": author.say("highest" if top else "lowest", "最高值" if top else "最低值"),
    }
    return author.write("extreme", slots, (extreme.id,), series.entity)


def _peak_clock(author: Author, series: SeriesSubject, highest: Fact) -> Iterator[Written]:
    """A peak before or after the incident's start or its onset, at least two minutes apart."""
    session = author.session
    start = session.windows.incident.start
    marked = [start] if series.onset is None else [start, *filter(None, [time_of(series.onset)])]
    peak = time_of(highest)
    for at in marked:
        if peak is None or abs((peak - at).total_seconds()) < 120:
            continue
        clock = written_time(at, session.zone, TimeForm.CLOCK)
        order = "after" if peak > at else "before"
        chinese = "_clock" if author.language is Language.ZH else ""
        slots = {
            "who": author.who(series.entity),
            "what": author.what(highest),
            "before": author.word(f"{order}{chinese}", highest.id),
            "clock": Piece(clock),
        }
        yield author.write("peak_clock", slots, (highest.id,), series.entity)
        return


def _of_log(author: Author, log: LogSubject) -> Iterator[Written]:
    who, quote = author.who(log.entity), author.quote(log.quote, log.count)
    slots = {
        "who": who,
        "quote": quote,
        "count": author.number(log.count),
        "logged": author.word("logged", log.count.id),
    }
    yield author.write("logged", slots, (log.count.id,), log.entity)
    if was_quiet_before(author.session, log):
        slots = {"who": who, "quote": quote, "never": author.word("never", log.before.id)}
        yield author.write("never_before", slots, (log.count.id, log.before.id), log.entity)


def _peak_orders(author: Author, moved: tuple[SeriesSubject, ...]) -> Iterator[Written]:
    pairs = (pair for pair in combinations(moved, 2) if _peaks_apart(author, *pair))
    for one, other in islice(pairs, _MOST_PAIRS):
        first, second = one.highest, other.highest
        if first is None or second is None or first.at is None or second.at is None:
            continue
        word = "before" if first.at < second.at else "after"
        slots = {
            "who": author.who(one.entity),
            "what": author.what(first),
            "before": author.word(word, first.id, second.id),
            "who2": author.who(other.entity),
            "what2": author.what(second),
        }
        yield author.write("peak_order", slots, (first.id, second.id))


def _peaks_apart(author: Author, one: SeriesSubject, other: SeriesSubject) -> bool:
    """Tell whether two highest values are of different samples, and told apart by their words."""
    first, second = one.highest, other.highest
    if first is None or second is None or first.at is None or second.at is None:
        return False
    same = author.what(first).text == author.what(second).text and one.entity == other.entity
    return not same and abs(first.at - second.at) > author.session.examined.diagnosis.scope.step


def _event_orders(author: Author) -> Iterator[Written]:
    every = tuple(events(author.session))
    pairs = ((one, other) for one, other in combinations(every, 2) if _in_order(one, other))
    for one, other in islice(pairs, _MOST_PAIRS):
        first, second = _event(author, one), _event(author, other)
        if first is None or second is None:
            continue
        word = "before" if one.at < other.at else "after"
        slots = {
            "event": first,
            "before": author.word(word, one.fact.id, other.fact.id),
            "event2": second,
        }
        yield author.write("event_order", slots, (one.fact.id, other.fact.id))


def _in_order(one: Event, other: Event) -> bool:
    """Tell whether it is sure which came first: further apart than both are uncertain."""
    apart = abs(one.at - other.at)
    sure = apart > one.uncertainty + other.uncertainty and apart >= timedelta(seconds=2)
    return sure and (one.entity, one.fact.name) != (other.entity, other.fact.name)


def _event(author: Author, event: Event) -> tuple[Piece, ...] | None:
    who = author.who(event.entity)
    if event.kind != "logged":
        what = author.what(event.fact)
        if author.language is Language.ZH:
            return (who, Piece(" 的"), what, Piece("上升" if event.kind == "rose" else "下降"))
        return (Piece("the "), what, Piece(" of "), who, Piece(f" {event.kind}"))
    message = _message(author, event)
    if not message:
        return None
    quote = author.quote(message, event.fact)
    return (who, author.say(" first logged “", " 首次记录“"), quote, Piece("”"))


def _message(author: Author, event: Event) -> str:
    for log in logs(author.session):
        if log.count.name == event.fact.name:
            return log.quote
    return ""


def _comparisons(author: Author, moved: tuple[SeriesSubject, ...]) -> Iterator[Written]:
    pairs = (pair for series in moved if (pair := _comparable(author, series.after)) is not None)
    for larger, smaller in islice(pairs, _MOST_PAIRS):
        slots = {
            "what": author.what(larger),
            "higher": author.word("higher", larger.id, smaller.id),
            "who": author.who(larger.entity),
            "after": author.number(larger),
            "who2": author.who(smaller.entity),
            "after2": author.number(smaller),
        }
        yield author.write("compare", slots, (larger.id, smaller.id))


def _comparable(author: Author, fact: Fact) -> tuple[Fact, Fact] | None:
    """Return a fact and the first of another entity that clearly differs, the larger one first."""
    words = plain_words(fact, author.language)
    for other in author.session.alike(fact):
        small, large = sorted((number(fact), number(other)))
        if 0 < _APART * small <= large and plain_words(other, author.language) == words:
            return (fact, other) if number(fact) == large else (other, fact)
    return None


def _calm(author: Author) -> Iterator[Written]:
    """How many of the series that a sweep read of an entity left their band."""
    calm = some = 0
    for row in author.session.examined.diagnosis.evidence.invocations:
        kind, _, path = row.call.purpose.partition(":")
        facts = {f.name: f for f in row.facts if f.place == "output"}
        series, abnormal = facts.get("series_examined"), facts.get("series_abnormal")
        if kind != "sweep" or "/" not in path or series is None or abnormal is None:
            continue
        if number(series) < 2 or row.truncated:
            continue
        slots: dict[str, Piece] = {"who": author.who(path), "series": author.number(series)}
        marks = (series.id, abnormal.id)
        if number(abnormal) == 0 and calm < _MOST_PAIRS:
            calm += 1
            slots["none"] = author.word("none", abnormal.id)
            if author.language is Language.EN:
                slots["none_lower"] = author.word("none_lower", abnormal.id)
            yield author.write("calm", slots, marks, path)
        elif 0 < number(abnormal) < number(series) and some < _MOST_PAIRS:
            some += 1
            slots["abnormal"] = _some(author, abnormal)
            yield author.write("some_abnormal", slots, marks, path)


def _some(author: Author, abnormal: Fact) -> Piece:
    count = author.number(abnormal).text
    if author.language is Language.ZH:
        text, none = f"有 {count} 条偏离了正常范围", "没有一条偏离正常范围"
    else:
        text, none = count, "None"
    return Piece(text, Role.WORD, abnormal.id, flips=((Mutation.ABSENCE_INVERTED, none),))


def _no_change(author: Author) -> Iterator[Written]:
    for row in author.session.examined.diagnosis.evidence.invocations:
        empty = row.status is EvidenceStatus.EMPTY and not row.truncated
        if row.tool is ToolName.LIST_CHANGES and empty:
            word = author.word("no_change", row.number)
            yield author.write("no_change", {"no_change": word}, (f"E{row.number}",))
