"""Words for what was learnt of a system, and for why nothing was."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from superbizagent.analysis.learnt import BESIDE, learnt_families
from superbizagent.domain.learnt import LEAST_WINDOWS, LearntLength, LearntNormal
from superbizagent.domain.source import Signal
from superbizagent.investigation.learning import Learner

__all__ = ["shown", "span_text", "told", "too_few"]


def too_few(learner: Learner, stopped: str) -> str:
    """Say why so little was read that nothing was stored, and how much it takes."""
    lesson = learner.lesson
    length = max(lesson.lengths)
    why = [
        f"{learner.usable} usable windows of {span_text(length)}, and {LEAST_WINDOWS} are needed"
    ]
    if learner.left_out:
        why.append(f"{learner.left_out} were left out because something was wrong then")
    if learner.without_data:
        why.append(f"{learner.without_data} had no samples")
    if stopped:
        why.append(stopped)
    needed = 2 * length + (LEAST_WINDOWS - 1) * lesson.stride
    return (
        f"{'; '.join(why)}; nothing was stored. That takes {span_text(needed)} of good history;"
        " record or keep more, or raise --since"
    )


def told(learnt: LearntNormal, learner: Learner, stopped: str) -> Iterator[str]:
    """Say in lines what was learnt, what was not, and what was left out."""
    yield f"learnt {learnt.system}: {_windows(learnt)}, {_dates(learnt)}"
    yield from (_family_told(family, learnt, learner) for family in BESIDE)
    for (family, source), reason in learner.beside.failed.items():
        yield f"the {family.value} of {source} were not read to the end: {reason}"
    for source, reason in learner.silent.items():
        yield f"{source} was not read of all the time: {reason}"
    if learner.left_out:
        yield f"left out {learner.left_out} windows in which alerts fired or a cause was found"
    if learner.without_data:
        yield f"left out {learner.without_data} windows without samples"
    if learner.lesson.overlaps:
        yield (
            f"the windows overlap: one begins every {span_text(learner.lesson.stride)}, so they"
            " teach less than as many apart"
        )
    if learner.cut:
        yield "not all series were read, as in a diagnosis; narrow it with --service"
    if learner.beside.cut:
        yield "not all log records and traces were read, as in a diagnosis"
    if stopped:
        yield f"the rest was not read: {stopped}"


def _family_told(family: Signal, learnt: LearntNormal, learner: Learner) -> str:
    """Say of how many windows the logs or traces were learnt, or how many too few there were."""
    counts = learner.windows_with(family)
    if not any(counts.values()):
        return f"{family.value}: not learnt, there was nothing to read"
    learning = {k.length for k in learnt.lengths if family in learnt_families(k)}
    enough, few = (
        ", ".join(
            f"{n} windows of {span_text(length)}"
            for length, n in counts.items()
            if (length in learning) is wanted
        )
        for wanted in (True, False)
    )
    lacking = f"not learnt, only {few} had any, and {LEAST_WINDOWS} are needed" if few else ""
    return f"{family.value}: " + "; ".join(filter(None, (enough and f"learnt, {enough}", lacking)))


def _windows(learnt: LearntNormal) -> str:
    return ", ".join(f"{k.windows} windows of {span_text(k.length)}" for k in learnt.lengths)


def _dates(learnt: LearntNormal) -> str:
    return f"{learnt.span.start:%Y-%m-%d %H:%M} to {learnt.span.end:%Y-%m-%d %H:%M} UTC"


def span_text(length: timedelta) -> str:
    """Write a length as ``2d 3h``, ``90m`` or ``15s``: two units at most, rounded up."""
    seconds = round(length.total_seconds())
    days, hours = divmod(-(-seconds // 3600), 24)
    if days:
        return f"{days}d {hours}h" if hours else f"{days}d"
    return f"{seconds // 60}m" if seconds % 60 == 0 else f"{seconds}s"


def shown(learnt: LearntNormal, now: datetime) -> Iterator[str]:
    """Write what is known of a system in lines."""
    yield learnt.system
    yield f"  {_windows(learnt)}, {_dates(learnt)}; {learnt.left_out} left out"
    age = f"  learnt {max((now - learnt.learnt_at).days, 0)} days ago"
    yield f"{age}: too old to be used, learn it again" if learnt.is_stale(now) else age
    known = learnt.lengths[-1]
    for band in known.bands:
        if not band.entity:
            yield (
                f"  {band.signal:<11} median {band.median:<8g} 95% {band.q95:<8g}"
                f" 97.5% {band.q975:<8g} most {band.largest:g}"
            )
    yield f"  {len(known.entities)} services and hosts, of each errors and latency"
    yield from (f"  {_family_shown(family, known)}" for family in BESIDE)


def _family_shown(family: Signal, known: LearntLength) -> str:
    counts = [b.samples for b in known.bands if not b.entity and b.signal in BESIDE[family]]
    if not counts:
        return f"{family.value}: not learnt"
    signals = ", ".join(BESIDE[family])
    return f"{family.value}: {signals}, of {max(counts)} windows that had any"
