"""From what a source answered to what is stored of it: redacted, encoded, within the budget."""

from dataclasses import dataclass
from typing import Any

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import ToolOutput, decode, encode
from superbizagent.domain.redaction import Redactor, redact_output
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.spans import SpanSet, span_text
from superbizagent.storage.blobs import PackedBlob, pack_blob

__all__ = ["PREVIEW_CHARACTERS", "StoredOutput", "packed_output", "preview", "store_output"]

PREVIEW_CHARACTERS = 4000
"""A reader's first look; the whole output is one command away."""


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """A call in the form in which everybody sees it from now on, and its output's bytes."""

    call: ToolInvocation
    blob: PackedBlob | None


def store_output(call: ToolInvocation, redactor: Redactor, budget_bytes: int) -> StoredOutput:
    """Redact a call and encode its output; takes CPU, so run it in a thread.

    Args:
        call: What the source said, as it came.
        redactor: Takes the secrets out.
        budget_bytes: What the session may still store.
    """
    clean = call.model_copy(
        update={
            "warnings": tuple(redactor.text(w) for w in call.warnings),
            "error": redactor.text(call.error),
            "stats": loads(canonical_bytes(redactor.json(call.stats))),
        }
    )
    if clean.output is None:
        return _without_output(clean)
    output: ToolOutput | None = redact_output(clean.output, redactor)
    data = encode(output)
    blob = pack_blob(data)
    while blob.stored_bytes > budget_bytes:
        output = _shrunk(output, budget_bytes / blob.stored_bytes)
        clean = _cut(clean, output)
        if output is None:
            return _without_output(clean)
        data = encode(output)
        blob = pack_blob(data)
    seen = decode(data)
    shown = {"output": seen, "output_digest": blob.digest, "output_preview": preview(seen)}
    return StoredOutput(clean.model_copy(update=shown), blob)


def packed_output(call: ToolInvocation) -> PackedBlob | None:
    """Return the bytes of an output that is stored already; None when there is none."""
    return pack_blob(encode(call.output)) if call.output is not None else None


def _without_output(call: ToolInvocation) -> StoredOutput:
    head = call.error[:PREVIEW_CHARACTERS]
    return StoredOutput(call.model_copy(update={"output": None, "output_preview": head}), None)


def _shrunk(output: ToolOutput, share: float) -> ToolOutput | None:
    """Keep the first series of a set; other outputs lose their meaning when cut."""
    if not isinstance(output, SeriesSet):
        return None
    keep = min(int(len(output) * share * 0.9), len(output) - 1)
    if keep < 1:
        return None
    end = int(output.offsets[keep])
    return SeriesSet(
        output.labels[:keep], output.offsets[: keep + 1], output.times[:end], output.values[:end]
    )


def _cut(call: ToolInvocation, output: ToolOutput | None) -> ToolInvocation:
    if isinstance(output, SeriesSet):
        note = f"the session's evidence is full: the first {len(output)} series were kept"
        changes: dict[str, Any] = {"warnings": (*call.warnings, note)}
    else:
        error = "the session's evidence is full: this output was not kept"
        changes = {"status": EvidenceStatus.ERROR, "error": error}
    return call.model_copy(update={"truncated": True, **changes})


def preview(output: ToolOutput, limit: int = PREVIEW_CHARACTERS) -> str:
    """Return the head of an output as text, whole lines, at most ``limit`` characters."""
    lines: list[str] = []
    used = 0
    for line in _lines(output):
        if used + len(line) + 1 > limit:
            lines += [] if lines else [line[:limit]]
            break
        lines.append(line)
        used += len(line) + 1
    return "\n".join(lines)


def _lines(output: ToolOutput) -> list[str]:
    if isinstance(output, SeriesSet):
        # 200 lines exceed the limit of any preview
        some = [output[k] for k in range(min(len(output), 200))]
        return [
            f"{series_name(s.labels)} {s.values[-1]:g} ({len(s.values)} samples)"
            for s in some
            if len(s.values)
        ]
    if isinstance(output, SpanSet):
        return [span_text(output, row) for row in range(min(len(output), 200))]
    if isinstance(output, LogDigest):
        counts = [
            f"{t.service} {t.severity} {t.baseline_count} -> {t.incident_count} {t.text}"
            for t in output.templates[:100]
        ]
        return counts or [line.text for line in output.lines[:100]]
    if isinstance(output, ClusterSnapshot):
        looks = [f"{look.kind}: {look.status} {look.count} {look.note}" for look in output.looks]
        told = [
            f"{item.entity.path} {reading.name} {reading.part} {reading.quote or reading.value}"
            for item in output.objects
            for reading in item.readings[:20]
        ]
        return [*looks, *told[:200]]
    if isinstance(output, LearntNormal):
        return [
            f"{known.length.total_seconds():g} s: {band.entity or 'all'} {band.signal} median"
            f" {band.median:g} 95% {band.q95:g} 97.5% {band.q975:g} ({band.samples} windows)"
            for known in output.lengths
            for band in known.bands[:200]
        ]
    return [
        canonical_bytes(item).decode()
        for field in type(output).model_fields
        for item in getattr(output, field)[:200]
    ]
