"""The text of ``superbiz explain``: a call or a fact, taken apart for a reader who doubts it."""

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from superbizagent.cli.counting import counting_lines, is_counted, rows_of
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Language
from superbizagent.domain.logs import LogDigest, LogLine
from superbizagent.domain.plan import ToolName
from superbizagent.domain.series import Series, SeriesSet
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.source import RangeQuery
from superbizagent.domain.spans import SpanSet, span_text
from superbizagent.domain.window import from_ms
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.say_full import (
    candidate_params,
    margin_params,
    margin_text,
    term_words,
)
from superbizagent.investigation.wording.values import zone_of

__all__ = ["call_lines", "fact_lines", "raw_text"]

_AROUND = 5
"""Samples shown before and after the cited one."""
_LINES = 5
_FACTS = 40


def call_lines(
    call: ToolInvocation, session: DiagnosisSession, sources: Mapping[str, Any]
) -> list[str]:
    """Return what a call asked, how it ended and what was read out of it."""
    lines = [
        f"E{call.number}  {call.tool.value} on {call.call.source}: {call.status.value}"
        + (" (truncated)" if call.truncated else ""),
        f"why        {call.call.purpose}",
        f"query      {_query(call)}",
        f"started    {call.started_at.isoformat()}, {call.duration.total_seconds():.3f} s",
        f"came back  {_counts(call)}",
    ]
    lines += [f"warning    {text}" for text in call.warnings]
    lines += [f"error      {call.error}"] if call.error else []
    lines.append(f"see again  {_again(call, None, session, sources)}")
    lines += [f"  {_fact(fact)}" for fact in call.facts[:_FACTS]]
    if len(call.facts) > _FACTS:
        lines.append(f"  … and {len(call.facts) - _FACTS} more facts (superbiz trace show --json)")
    return lines


def fact_lines(
    fact: Fact,
    call: ToolInvocation,
    session: DiagnosisSession,
    sources: Mapping[str, Any],
    analysis: Analysis | None,
) -> list[str]:
    """Return a fact with its surroundings in the stored output and what was made of it."""
    lines = [_fact(fact), f"entity     {fact.entity or '(the call itself)'}"]
    if fact.window:
        lines.append(f"window     {fact.window.start.isoformat()} to {fact.window.end.isoformat()}")
    lines += [f"quote      {fact.quote}"] if fact.quote else []
    lines.append(f"query      {_query(call)}")
    lines.append(f"see again  {_again(call, fact, session, sources)}")
    lines += ["", *_surroundings(fact, call, _zone(session))]
    lines += ["", *_scored(fact, analysis, _narrator(session))]
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


def _query(call: ToolInvocation) -> str:
    if "selector" in call.call.input:
        query = RangeQuery.model_validate(call.call.input)
        return (
            f"{query.selector}  {query.window.start.isoformat()} to {query.window.end.isoformat()}"
        )
    if "services" in call.call.input:
        what = "spans" if call.tool is ToolName.SEARCH_TRACES else "log records"
        return f"{what} of {', '.join(call.call.input['services']) or 'all services'}"
    return call.tool.value


def _counts(call: ToolInvocation) -> str:
    match call.output:
        case SeriesSet() as series:
            return f"{len(series)} series, {len(series.times)} samples"
        case LogDigest() as digest:
            return (
                f"{digest.records_read} records read, {digest.records_in_baseline} in the baseline,"
                f" {digest.records_in_incident} in the incident, {len(digest.templates)} templates"
            )
        case SpanSet() as spans:
            left_out = spans.traces_left_out
            return f"{len(spans)} spans of {len(spans.traces)} traces" + (
                f", {left_out} traces left out" if left_out else ""
            )
        case None:
            return "nothing"
        case _:
            return f"{len(call.facts)} facts"


def _fact(fact: Fact) -> str:
    at = f" at {fact.at.isoformat()}" if fact.at else ""
    unit = f" {fact.unit}" if fact.unit else ""
    return f"{fact.id}  {fact.name}  {fact.statistic} = {fact.value}{unit}{at}"


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


def _surroundings(fact: Fact, call: ToolInvocation, zone: tzinfo) -> list[str]:
    match call.output:
        case SeriesSet() as series if rows_of(fact):
            if is_counted(fact):
                return counting_lines(fact, call, series, zone)
            return _samples(fact, series[rows_of(fact)[0]], zone)
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


def _samples(fact: Fact, series: Series, zone: tzinfo) -> list[str]:
    parts = fact.place.split("/")
    if "sample" in parts:
        centre = int(parts[parts.index("sample") + 1])
    else:
        start = fact.window.start_ms if fact.window else 0
        centre = int(series.times.searchsorted(start)) + _AROUND
    first = max(0, centre - _AROUND)
    rows = [f"{series}  ({len(series.times)} samples)"]
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


def _scored(fact: Fact, analysis: Analysis | None, narrator: Narrator) -> list[str]:
    if analysis is None:
        return ["scored     not available: the session has no report, or another version made it"]
    found = [f for f in analysis.findings if fact.id in f.fact_ids]
    lines = [
        f"finding    {f.id} {f.kind.value} of {f.entity}: {f.subject}, evidence {f.score}"
        for f in found
    ]
    lines += _causes(fact, analysis, narrator)
    lines += [
        f"check      {h.key} {check.id}: {check.outcome.value} ({check.role}) {check.reason}"
        for h in analysis.hypotheses
        for check in h.checks
        if fact.id in check.fact_ids
    ]
    lines += [
        f"path       {step.source} -> {step.target}"
        for step in analysis.path
        if fact.id in step.call_facts or {f.id for f in found} & set(step.finding_ids)
    ]
    return lines or [_not_scored(fact)]


def _causes(fact: Fact, analysis: Analysis, narrator: Narrator) -> Iterator[str]:
    """What the fact adds to which score, and what else makes that score up."""
    found = {f.id for f in analysis.findings if fact.id in f.fact_ids}
    independent = [fault.cause for fault in analysis.independent]
    first = next((c for c in analysis.candidates if c.score > 0), None)
    for cause in (*analysis.candidates, *independent):
        own = [t for t in cause.terms if fact.id in t.fact_ids]
        if not own and not found & set(cause.finding_ids):
            continue
        named = candidate_params(cause, narrator)
        for term in own:
            words = term_words(term.name, narrator)
            yield f"cause      {cause.entity} ({named['fault']}): {words} {term.value:+}"
        yield f"score      {cause.entity}: {named['score']} = {named['terms']}"
        if cause == first and (params := margin_params(analysis)):
            yield f"margin     {margin_text(params, narrator)}"
        if cause in independent:
            yield f"apart      {cause.entity}: no part of the leading cause, nor explained by it"


def _not_scored(fact: Fact) -> str:
    if fact.place.startswith("sum/"):
        return "scored     no: it says what the symptom costs, not where it comes from"
    if fact.place.startswith("normal/"):
        return "scored     no: it was learnt of good days, and says what is normal here"
    return "scored     nothing rests on this fact; it was looked at and is normal"


def _narrator(session: DiagnosisSession) -> Narrator:
    return narrator_for(Language(session.payload["incident"].get("language") or "en"))


def _zone(session: DiagnosisSession) -> tzinfo:
    return zone_of(session.payload["incident"].get("timezone") or "UTC")


def _clock(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%H:%M:%S.%f}"[:-3]
