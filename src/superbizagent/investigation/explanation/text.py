"""A call or a fact, taken apart for a reader who doubts it: lines of text in his language."""

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis, Finding
from superbizagent.domain.incident import Language
from superbizagent.domain.logs import LogDigest, LogLine
from superbizagent.domain.plan import ToolName
from superbizagent.domain.series import Series, SeriesSet
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.source import RangeQuery
from superbizagent.domain.spans import SpanSet, span_text
from superbizagent.domain.window import from_ms
from superbizagent.investigation.explanation.counting import counting_lines, is_counted, rows_of
from superbizagent.investigation.wording.explaining import explaining_words
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.say_full import (
    candidate_params,
    margin_params,
    margin_text,
    term_words,
)
from superbizagent.investigation.wording.values import zone_of

__all__ = ["call_lines", "fact_lines", "raw_text"]

_LABEL = 11  # columns, two of them blank behind the longest
_AROUND = 5
"""Samples shown before and after the cited one."""
_LINES = 5
_FACTS = 40


def call_lines(
    call: ToolInvocation,
    session: DiagnosisSession,
    sources: Mapping[str, Any],
    language: Language | None = None,
) -> list[str]:
    """Return what a call asked, how it ended and what was read out of it.

    Args:
        call: with its output.
        session: whose it is.
        sources: of the session, as they are stored: where files of logs are.
        language: of the reader; None: the session's.
    """
    words = explaining_words(language or _language(session))
    say = words.say
    head = say(
        "call.head",
        call=f"E{call.number}",
        tool=call.tool.value,
        source=call.call.source,
        status=call.status.value,
        cut=say("call.cut") if call.truncated else "",
    )
    seconds = f"{call.duration.total_seconds():.3f}"
    started = say("call.started", at=call.started_at.isoformat(), seconds=seconds)
    lines = [
        head,
        _labelled(words, "why", call.call.purpose),
        _labelled(words, "query", _query(call, words)),
        _labelled(words, "started", started),
        _labelled(words, "came_back", _counts(call, words)),
    ]
    lines += [_labelled(words, "warning", text) for text in call.warnings]
    lines += [_labelled(words, "error", call.error)] if call.error else []
    lines.append(_labelled(words, "again", _again(call, None, session, sources)))
    lines += [f"  {_fact(fact, words)}" for fact in call.facts[:_FACTS]]
    if len(call.facts) > _FACTS:
        lines.append(say("call.more", n=str(len(call.facts) - _FACTS)))
    return lines


def fact_lines(  # noqa: PLR0913, PLR0917 - what a fact stands among
    fact: Fact,
    call: ToolInvocation,
    session: DiagnosisSession,
    sources: Mapping[str, Any],
    analysis: Analysis | None,
    language: Language | None = None,
) -> list[str]:
    """Return a fact with its surroundings in the stored output and what was made of it."""
    language = language or _language(session)
    words = explaining_words(language)
    entity = fact.entity or words.say("fact.of_call")
    lines = [_fact(fact, words), _labelled(words, "entity", entity)]
    if fact.window:
        start, end = fact.window.start.isoformat(), fact.window.end.isoformat()
        span = words.say("fact.window", start=start, end=end)
        lines.append(_labelled(words, "window", span))
    lines += [_labelled(words, "quote", fact.quote)] if fact.quote else []
    lines.append(_labelled(words, "query", _query(call, words)))
    lines.append(_labelled(words, "again", _again(call, fact, session, sources)))
    lines += ["", *_surroundings(fact, call, _zone(session), words)]
    lines += ["", *_scored(fact, analysis, narrator_for(language), words)]
    return [line.rstrip() for line in lines]


def raw_text(call: ToolInvocation, fact_id: str) -> str:
    """Return the stored output as text: CSV of samples, or log lines; of one fact or whole."""
    fact = next((f for f in call.facts if f.id == fact_id), None)
    match call.output:
        case SeriesSet() as series:
            chosen = [series[k] for k in rows_of(fact)] if fact else []
            chosen = chosen or list(series)
            rows = [row for one in chosen for row in _csv(one)]
            return "\n".join(["time,series,value", *rows]) + "\n"
        case LogDigest() as digest:
            return "\n".join(line.text for line in _lines_of(fact, digest)) + "\n"
        case SpanSet() as spans:
            return "".join(f"{span_text(spans, row)}\n" for row in _spans_of(fact, spans))
        case None:
            return ""
        case other:
            return other.model_dump_json(indent=2) + "\n"


def _csv(series: Series) -> Iterator[str]:
    name = str(series).replace('"', '""')
    for at, value in zip(series.times, series.values, strict=True):
        yield f'{from_ms(at).isoformat()},"{name}",{float(value)!r}'


def _labelled(words: Narrator, label: str, text: str) -> str:
    """A label, filled up to where all texts begin; a Chinese letter is as wide as two others."""
    said = words.say(f"label.{label}")
    width = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in said)
    return f"{said}{' ' * max(1, _LABEL - width)}{text}"


def _query(call: ToolInvocation, words: Narrator) -> str:
    if "selector" in call.call.input:
        query = RangeQuery.model_validate(call.call.input)
        start, end = query.window.start.isoformat(), query.window.end.isoformat()
        return words.say("call.window", start=start, end=end, selector=str(query.selector))
    if "services" in call.call.input:
        names = ", ".join(call.call.input["services"]) or words.say("call.all_services")
        spans = call.tool is ToolName.SEARCH_TRACES
        return words.say("call.spans_of" if spans else "call.records_of", names=names)
    return call.tool.value


def _counts(call: ToolInvocation, words: Narrator) -> str:
    match call.output:
        case SeriesSet() as series:
            counts = {"series": len(series), "samples": len(series.times)}
            key = "count.series"
        case LogDigest() as digest:
            key, counts = (
                "count.records",
                {
                    "read": digest.records_read,
                    "before": digest.records_in_baseline,
                    "now": digest.records_in_incident,
                    "templates": len(digest.templates),
                },
            )
        case SpanSet() as spans:
            left = spans.traces_left_out
            counts = {"spans": len(spans), "traces": len(spans.traces), "left": left}
            key = "count.spans_cut" if left else "count.spans"
        case None:
            key, counts = "count.nothing", {}
        case _:
            key, counts = "count.facts", {"n": len(call.facts)}
    return words.say(key, **{name: str(n) for name, n in counts.items()})


def _fact(fact: Fact, words: Narrator) -> str:
    at = words.say("fact.at", at=fact.at.isoformat()) if fact.at else ""
    unit = f" {fact.unit}" if fact.unit else ""
    return words.say(
        "fact",
        id=fact.id,
        statistic=fact.statistic,
        unit=unit,
        at=at,
        value=str(fact.value),
        name=fact.name,
    )


def _again(
    call: ToolInvocation,
    fact: Fact | None,
    session: DiagnosisSession,
    sources: Mapping[str, Any],
) -> str:
    """A command anybody can paste: the file itself where there is one, else what is stored."""
    if isinstance(call.output, LogDigest):
        lines = _lines_of(fact, call.output)
        if lines and (path := _file(lines[0], sources)) is not None:
            start = lines[0].offset + 1
            opened = "zcat" if path.suffix == ".gz" else "cat"
            return f"{opened} {shlex.quote(str(path))} | tail -c +{start} | head -n {_LINES}"
    citation = fact.id if fact else f"E{call.number}"
    return f"superbiz explain {session.session_id} {citation} --raw"


def _file(line: LogLine, sources: Mapping[str, Any]) -> Path | None:
    bundle = sources.get("bundle")
    candidates = [Path(bundle) / line.file] if bundle else []
    candidates += [Path(p) for paths in sources.get("logs", {}).values() for p in paths]
    return next((p for p in candidates if str(p).endswith(line.file) and p.is_file()), None)


def _surroundings(fact: Fact, call: ToolInvocation, zone: tzinfo, words: Narrator) -> list[str]:
    match call.output:
        case SeriesSet() as series if rows_of(fact):
            if is_counted(fact):
                return counting_lines(fact, call, series, zone, words)
            return _samples(fact, series[rows_of(fact)[0]], zone, words)
        case LogDigest() as digest:
            lines = _lines_of(fact, digest)[:_LINES]
            return [f"{line.file}@{line.offset}  {line.text}" for line in lines]
        case SpanSet() as spans if fact.place.startswith("span/"):
            return [span_text(spans, row) for row in _spans_of(fact, spans)]
        case _:
            return []


def _spans_of(fact: Fact | None, spans: SpanSet) -> list[int]:
    """Return the spans of the trace that a fact shows, in order; of no such fact all."""
    if fact is None or not fact.place.startswith("span/"):
        return list(range(len(spans)))
    own = spans.trace[int(fact.place.removeprefix("span/"))]
    return (spans.trace == own).nonzero()[0].tolist()


def _samples(fact: Fact, series: Series, zone: tzinfo, words: Narrator) -> list[str]:
    parts = fact.place.split("/")
    if "sample" in parts:
        centre = int(parts[parts.index("sample") + 1])
    else:
        start = fact.window.start_ms if fact.window else 0
        centre = int(series.times.searchsorted(start)) + _AROUND
    first = max(0, centre - _AROUND)
    rows = [words.say("samples", n=str(len(series.times)), series=str(series))]
    for k in range(first, min(len(series.times), centre + _AROUND + 1)):
        mark = " <-" if "sample" in parts and k == centre else ""
        rows.append(
            f"  {_clock(from_ms(series.times[k]), zone)}  {float(series.values[k])!r}{mark}"
        )
    return rows


def _lines_of(fact: Fact | None, digest: LogDigest) -> list[LogLine]:
    if fact is None:
        return list(digest.lines)
    parts = fact.place.split("/")
    place = {parts[k]: int(parts[k + 1]) for k in range(0, len(parts) - 1, 2)}
    if "line" in place:
        return [digest.lines[place["line"]]]
    if "template" in place:
        return [digest.lines[k] for k in digest.templates[place["template"]].lines]
    return []


def _scored(
    fact: Fact, analysis: Analysis | None, narrator: Narrator, words: Narrator
) -> list[str]:
    if analysis is None:
        return [_labelled(words, "scored", words.say("scored.unknown"))]
    found = [f for f in analysis.findings if fact.id in f.fact_ids]
    lines = [_labelled(words, "finding", _finding(f, words)) for f in found]
    lines += [_labelled(words, *pair) for pair in _causes(fact, analysis, narrator, words)]
    lines += [
        _labelled(words, "check", f"{h.key} {c.id}: {c.outcome.value} ({c.role}) {c.reason}")
        for h in analysis.hypotheses
        for c in h.checks
        if fact.id in c.fact_ids
    ]
    lines += [
        _labelled(words, "path", f"{step.source} -> {step.target}")
        for step in analysis.path
        if fact.id in step.call_facts or {f.id for f in found} & set(step.finding_ids)
    ]
    return lines or [_labelled(words, "scored", words.say(_not_scored(fact)))]


def _finding(finding: Finding, words: Narrator) -> str:
    return words.say(
        "finding",
        id=finding.id,
        kind=finding.kind.value,
        entity=finding.entity,
        score=str(finding.score),
        subject=finding.subject,
    )


def _causes(
    fact: Fact, analysis: Analysis, narrator: Narrator, words: Narrator
) -> Iterator[tuple[str, str]]:
    """What the fact adds to which score, and what else makes that score up: label and text."""
    found = {f.id for f in analysis.findings if fact.id in f.fact_ids}
    independent = [fault.cause for fault in analysis.independent]
    first = next((c for c in analysis.candidates if c.score > 0), None)
    for cause in (*analysis.candidates, *independent):
        own = [t for t in cause.terms if fact.id in t.fact_ids]
        if not own and not found & set(cause.finding_ids):
            continue
        named = candidate_params(cause, narrator)
        for term in own:
            said = {"fault": named["fault"], "term": term_words(term.name, narrator)}
            value = f"{term.value:+}"
            yield "cause", words.say("cause", entity=cause.entity, value=value, **said)
        scored = {"score": named["score"], "terms": named["terms"]}
        yield "score", words.say("score", entity=cause.entity, **scored)
        if cause == first and (params := margin_params(analysis)):
            yield "margin", margin_text(params, narrator)
        if cause in independent:
            yield "apart", words.say("apart", entity=cause.entity)


def _not_scored(fact: Fact) -> str:
    """Key of why a fact has no score."""
    if fact.place.startswith("sum/"):
        return "scored.cost"
    return "scored.learnt" if fact.place.startswith("normal/") else "scored.normal"


def _language(session: DiagnosisSession) -> Language:
    return Language(session.payload["incident"].get("language") or "en")


def _zone(session: DiagnosisSession) -> tzinfo:
    return zone_of(session.payload["incident"].get("timezone") or "UTC")


def _clock(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%H:%M:%S.%f}"[:-3]
