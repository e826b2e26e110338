"""What a `MutationScore` comes to, as JSON and as text."""

from collections.abc import Iterable, Iterator
from typing import Any

from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.evaluation.claims_summary import parts_text
from superbizagent.evaluation.mutations.score import JudgedMutant, JudgedOriginal, MutationScore
from superbizagent.evaluation.mutations.written import Mutation
from superbizagent.evaluation.shares import Share, tally

__all__ = ["mutations_json", "mutations_text"]


def mutations_json(score: MutationScore) -> dict[str, Any]:
    """Return every figure, every mutant that passed and every true sentence that was refused."""
    return {
        "incidents": len({o.incident for o in score.originals}),
        "sources": sorted({o.incident.source for o in score.originals}),
        "originals": _originals(score.originals),
        "mutants": {
            kind.value: _kind([m for m in score.mutants if m.mutant.kind is kind])
            for kind in Mutation
        },
        "missed": [_missed(m) for m in score.mutants if not m.caught],
        "originals_refused": [_refused(o) for o in score.originals if not _stands(o)],
        "not_run": [{"incident": name, "reason": reason} for name, reason in score.not_run],
    }


def _originals(originals: Iterable[JudgedOriginal]) -> dict[str, Any]:
    every = list(originals)
    by_origin = tally((o.written.origin, _stands(o)) for o in every)
    by_language = tally((o.written.language.value, _stands(o)) for o in every)
    return {
        "supported": Share.of(_stands(o) for o in every).as_json(),
        "supported_uncited": Share.of(o.uncited.mark is Mark.SUPPORTED for o in every).as_json(),
        "by_origin": {key: share.as_json() for key, share in by_origin.items()},
        "by_language": {key: share.as_json() for key, share in by_language.items()},
    }


def _kind(mutants: list[JudgedMutant]) -> dict[str, Any]:
    stood = [m for m in mutants if m.stood]
    stood_uncited = _uncited(mutants)
    by_source = tally((m.incident.source, m.caught) for m in stood)
    by_language = tally((m.mutant.written.language.value, m.caught) for m in stood)
    return {
        "mutants": len(mutants),
        "incidents": len({m.incident for m in mutants}),
        "original_stands": Share.of(m.stood for m in mutants).as_json(),
        "caught": Share.of(m.caught for m in mutants).as_json(),
        "caught_where_original_stands": Share.of(m.caught for m in stood).as_json(),
        "incidents_where_original_stands": len({m.incident for m in stood}),
        "by_source": {key: share.as_json() for key, share in by_source.items()},
        "by_language": {key: share.as_json() for key, share in by_language.items()},
        "uncited_where_original_stands": Share.of(
            m.caught_uncited for m in stood_uncited
        ).as_json(),
    }


def _uncited(mutants: list[JudgedMutant]) -> list[JudgedMutant]:
    """Those that say something without their citations: where only a citation moved, none."""
    return [m for m in mutants if m.stood_uncited and m.mutant.kind is not Mutation.CITATION_MOVED]


def _stands(original: JudgedOriginal) -> bool:
    return original.cited.mark is Mark.SUPPORTED


def _missed(item: JudgedMutant) -> dict[str, Any]:
    written = item.mutant.written
    return {
        "incident": item.incident.name,
        "kind": item.mutant.kind.value,
        "origin": written.origin,
        "language": written.language.value,
        "original": item.mutant.original.text,
        "text": written.text,
        "marks": list(written.marks),
        "note": item.mutant.note,
        "original_stands": item.stood,
        "parts": [
            f"{p.kind.value} {p.text!r} {','.join(p.fact_ids[:4])}" for p in item.cited.parts
        ],
    }


def _refused(item: JudgedOriginal) -> dict[str, Any]:
    return {
        "incident": item.incident.name,
        "origin": item.written.origin,
        "language": item.written.language.value,
        "text": item.written.text,
        "marks": list(item.written.marks),
        "mark": item.cited.mark.value,
        "parts": parts_text(item.cited),
    }


def mutations_text(score: MutationScore, *, verbose: bool = False) -> str:
    """Return the figures as lines; ``verbose`` adds each mutant that passed."""
    return "\n".join((*_lines(score), *(_passed(score) if verbose else ())))


def _passed(score: MutationScore) -> Iterator[str]:
    for item in score.mutants:
        if item.stood and not item.caught:
            yield f"passed {item.incident.name} {item.mutant.kind.value}: {item.mutant.note}"
            marks = "".join(f"[{mark}]" for mark in item.mutant.written.marks)
            yield f"  {item.mutant.written.text} {marks}"


def _lines(score: MutationScore) -> Iterator[str]:
    originals = score.originals
    incidents = {o.incident for o in originals}
    sources = ", ".join(sorted({i.source for i in incidents}))
    yield f"{len(incidents)} incidents of {sources}"
    yield f"true sentences marked supported   {Share.of(_stands(o) for o in originals)}"
    for key, share in tally((o.written.language.value, _stands(o)) for o in originals).items():
        yield f"    {key:<26}{share}"
    for key, share in tally((o.written.origin, _stands(o)) for o in originals).items():
        yield f"    {key:<26}{share}"
    yield "mutants not marked supported (where the true sentence is; then of all; then uncited)"
    for kind in Mutation:
        yield from _kind_lines(kind, [m for m in score.mutants if m.mutant.kind is kind])
    for name, reason in score.not_run:
        yield f"not run: {name}: {reason}"


def _kind_lines(kind: Mutation, mutants: list[JudgedMutant]) -> Iterator[str]:
    stood = [m for m in mutants if m.stood]
    uncited = _uncited(mutants)
    incidents = len({m.incident for m in stood})
    yield (
        f"  {kind.value:<24}{Share.of(m.caught for m in stood)!s:<36}"
        f" {incidents:>3} incidents   all {_short(m.caught for m in mutants)}"
        f"   uncited {_short(m.caught_uncited for m in uncited)}"
    )
    shares = tally((m.incident.source, m.caught) for m in stood)
    if shares:
        yield "      " + "  ".join(f"{k} {s.hits}/{s.total}" for k, s in shares.items())


def _short(outcomes: Iterable[bool]) -> str:
    share = Share.of(outcomes)
    return f"{share.hits}/{share.total}"
