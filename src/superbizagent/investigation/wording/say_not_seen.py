"""Not seen: what could not be looked at, gravest first, so that it is read even where room ends.

"Could not look" is not "found nothing": failed looks and damaged files may hide the cause; looks
that found nothing are answers and come last.
"""

from collections.abc import Iterator, Sequence

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus, Signal
from superbizagent.domain.spans import SpanSet
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.object_phrases import say_unseen_kinds
from superbizagent.investigation.wording.picks import quiet_call
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["TOOL_OF_SIGNAL", "bare", "has_spans", "noted_names", "say_not_seen", "was_asked"]

_FAILED = frozenset({EvidenceStatus.ERROR, EvidenceStatus.TIMEOUT, EvidenceStatus.DENIED})
_NOTES = 10  # remarks; a folder of broken files is one finding, not a hundred
_EMPTY = "the file is empty"
_KNOWN = {_EMPTY: "unseen.empty_files", "binary file: not read": "unseen.binary_files"}
"""Remarks that a sentence of their own says better, in the reader's language."""
TOOL_OF_SIGNAL = {
    Signal.METRICS: ToolName.QUERY_METRICS,
    Signal.LOGS: ToolName.SEARCH_LOGS,
    Signal.TRACES: ToolName.SEARCH_TRACES,
    Signal.TOPOLOGY: ToolName.GET_TOPOLOGY,
    Signal.CHANGES: ToolName.LIST_CHANGES,
}
"""Which call reads which signal; what no call read is said in the report."""


def say_not_seen(given: Given, writer: Writer) -> None:
    """Say what failed, what is damaged, what was cut, what nobody has, and what was empty."""
    rows = given.evidence.invocations
    failed = [r.number for r in rows if r.status in _FAILED]
    _say_calls(writer, "call", failed)
    for reason in given.scope.failed:
        _say_absent(writer, "unseen.source", "note", note=reason)
    _say_notes(given, writer)
    cut = [r.number for r in rows if r.truncated and r.number not in failed]
    _say_calls(writer, "truncated", cut)
    say_unseen_kinds(given, writer)
    said = set(_notes(given.scope, given.evidence))
    warned = [r.number for r in rows if set(r.warnings) - said and r.number not in failed]
    _say_calls(writer, "warned", warned)
    _say_left_out(given, writer)
    _say_zones(given, writer)
    _say_nobody_has(given, writer)
    # A check that finds no series is an answer about that check, and stands with it; that no
    # change was recorded, or that no alert fires, is said elsewhere.
    empty = [
        r.number
        for r in rows
        if r.status is EvidenceStatus.EMPTY
        and r.tool is not ToolName.LIST_CHANGES
        and not (r.tool is ToolName.LIST_ALERTS and quiet_call(given))
        and not r.call.purpose.startswith("check:")
    ]
    _say_calls(writer, "empty", empty)


def _say_calls(writer: Writer, key: str, numbers: Sequence[int]) -> None:
    for number in numbers:
        template = writer.narrator.say(f"unseen.{key}", call=f"E{number}")
        writer.add(Section.NOT_SEEN, ClaimKind.ABSENCE, template)


# Damage ------------------------------------------------------------------------------------------


def noted_names(scope: Scope, evidence: Evidence, narrator: Narrator) -> Iterator[str]:
    """Yield what remarks consist of: a report may name these though no fact does."""
    yield from scope.failed
    for note in _notes(scope, evidence):
        yield note
        place, _, remark = note.partition(": ")
        yield from (place, remark)
        said = narrator.remark(remark if _is_place(place, remark) else note)
        yield from (said, f"{place}: {said}")
    for source in scope.sources:
        yield from source.unreadable


def _notes(scope: Scope, evidence: Evidence) -> tuple[str, ...]:
    """Remarks of all sorts, each once: of lost files, then of sources, payload and log files."""
    own = [note for source in scope.sources for note in source.notes]
    lost = [path for source in scope.sources for path in source.unreadable]
    own.sort(key=lambda note: not note.startswith(tuple(lost)) if lost else True)
    asked = [f"alert: {note}" for note in scope.incident.notes]
    outputs = [row.output for row in evidence.invocations]
    files = [f for o in outputs if isinstance(o, LogDigest) for f in o.files]
    read = [f"{f.path}: {note}" for f in files for note in f.notes]
    return tuple(dict.fromkeys((*own, *asked, *read)))


def _say_notes(given: Given, writer: Writer) -> None:
    say = writer.narrator.say
    groups = _merged(_notes(given.scope, given.evidence))
    for remark, places in groups[:_NOTES]:
        if remark in _KNOWN or len(places) > 1:
            listed = say("list.and").join(places)
            count = str(len(listed.split(say("list.and"))))
            key = _KNOWN.get(remark, "unseen.files")
            key = f"{key}_one" if len(places) == 1 else key
            params = {"count": count, "files": listed, "note": writer.narrator.remark(remark)}
            used = {k: v for k, v in params.items() if f"{{p|{k}}}" in say(key)}
            _say_absent(writer, key, "remark", **used)
        else:
            told = writer.narrator.remark(remark)
            note = f"{places[0]}: {told}" if places else told
            _say_absent(writer, "unseen.note", "note", note=note)


def _is_place(place: str, rest: str) -> bool:
    """Tell whether a remark begins with where it belongs: one word before a colon."""
    return bool(rest) and " " not in place


def _merged(notes: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Put like remarks on several files together, where the first of them stands."""
    groups: dict[str, list[str]] = {}
    for note in notes:
        place, colon, remark = note.partition(": ")
        if _is_place(place, colon):
            groups.setdefault(remark, []).append(place)
        else:
            groups.setdefault(note, [])
    # That a file is empty is no damage.
    ordered = sorted(groups.items(), key=lambda group: group[0] == _EMPTY)
    return [(remark, tuple(places)) for remark, places in ordered]


# Limits, and what nobody has ---------------------------------------------------------------------


def bare(purpose: str) -> str:
    """Return the name of the entity or the check that a planned call was about."""
    return purpose.rsplit("/", 1)[-1].rpartition(":")[-1]


def _say_left_out(given: Given, writer: Writer) -> None:
    left_out = dict.fromkeys(bare(name) for plan in given.plans for name in plan.left_out)
    if left_out:
        listed = writer.narrator.say("list.and").join(left_out)
        _say_absent(writer, "unseen.left_out", "call", calls=listed)


def _say_zones(given: Given, writer: Writer) -> None:
    """Say how log times were read where they carry no zone."""
    for row in given.evidence.invocations:
        if not isinstance(row.output, LogDigest):
            continue
        zones = {(f.timezone, f.timezone_reason or "-") for f in row.output.files if f.timezone}
        for zone, reason in sorted(zones):
            writer.add(
                Section.NOT_SEEN,
                ClaimKind.OBSERVATION,
                writer.narrator.say("unseen.zone"),
                params={"zone": zone, "reason": writer.narrator.zone_reason(reason)},
                more=(f"E{row.number}",),
            )


def _say_nobody_has(given: Given, writer: Writer) -> None:
    if "unknown_entity" not in {r.partition(":")[0] for r in given.analysis.verdict_reasons}:
        for missed in given.scope.unresolved:
            _say_absent(writer, "unseen.entity", "entity", name=missed.name)
    rows = given.evidence.invocations
    _say_no_spans(given, writer)
    for signal in TOOL_OF_SIGNAL:
        if not was_asked(rows, signal):
            partly = "_partly" if signal is Signal.CHANGES and _shows_changes(rows) else ""
            _say_absent(writer, f"unseen.{signal.value}{partly}", f"signal:{signal.value}")
    if given.scope.alert is not None and given.scope.rule is None:
        _say_absent(writer, "unseen.rule", "rule")
    if not given.scope.windows.baselines:
        _say_absent(writer, "unseen.baseline", "baseline")


def _say_no_spans(given: Given, writer: Writer) -> None:
    """Say which of the services in question recorded none, where others did."""
    if given.scope.takes_everything or not has_spans(given.evidence, ""):
        return
    for entity in given.scope.entities:
        if entity.kind == "service" and not has_spans(given.evidence, entity.name):
            _say_absent(writer, "unseen.spans", "spans", name=entity.name)


def has_spans(evidence: Evidence, name: str) -> bool:
    """Tell whether a service recorded spans, or is called in some; of no name, whether any did."""
    outputs = [row.output for row in evidence.invocations if isinstance(row.output, SpanSet)]
    if not name:
        return any(len(spans) for spans in outputs)
    named = {f.entity.rsplit("/", 1)[-1] for f in evidence.facts().values() if "span" in f.name}
    return name in named or any(name in (*s.services, *s.peers) for s in outputs)


def was_asked(rows: Sequence[ToolInvocation], signal: Signal) -> bool:
    """Tell whether any call was made for a signal; of changes, whether a list of them was read.

    What series show of changes is a part of them, and an alert's rule is no look at metrics.
    """
    own = [r for r in rows if r.tool is TOOL_OF_SIGNAL[signal] and not r.call.reads_rule]
    return any(not (signal is Signal.CHANGES and r.call.input) for r in own)


def _shows_changes(rows: Sequence[ToolInvocation]) -> bool:
    """Tell whether there are series that would show a change."""
    look = ToolName.LIST_CHANGES
    return any(r.tool is look and r.call.input and r.status is EvidenceStatus.OK for r in rows)


def _say_absent(writer: Writer, key: str, absent: str, **params: str) -> None:
    writer.add(
        Section.NOT_SEEN,
        ClaimKind.ABSENCE,
        writer.narrator.say(key),
        params=params,
        extras={"absent": absent},
    )
