"""What is wrong with a chosen entity: fixed rules on which families moved, and how."""

from collections.abc import Callable, Mapping, Sequence

from superbizagent.analysis.deviation import EVIDENCE_CAP
from superbizagent.analysis.families import meaning_of
from superbizagent.domain.finding import LOG_KINDS, FaultKind, Finding, FindingKind

__all__ = ["fault_kind_of", "is_worse"]

_POOL_WORDS = ("pool", "db_client_connection", "hikari", "waiting_threads", "pending")
_LOCK_WORDS = ("lock_wait", "row_lock", "deadlock")
# What programs write when it happens to them, in the words of their drivers and kernels.
_PHRASES: tuple[tuple[str, FaultKind], ...] = (
    ("too many connections", FaultKind.CONNECTION_LIMIT),
    ("lock wait timeout", FaultKind.LOCK_WAIT),
    ("deadlock", FaultKind.LOCK_WAIT),
    ("queuepool limit", FaultKind.POOL_EXHAUSTION),
    ("connection is not available", FaultKind.POOL_EXHAUSTION),
    ("pool exhausted", FaultKind.POOL_EXHAUSTION),
    ("connection pool", FaultKind.POOL_EXHAUSTION),
    ("no space left on device", FaultKind.DISK),
    ("out of memory", FaultKind.MEMORY),
    ("outofmemory", FaultKind.MEMORY),
    ("certificate", FaultKind.CERTIFICATE),
)
# How programs name what was thrown and nobody expected.
_THROWN = ("exception", "traceback", "panic", "segfault", "segmentation fault", "unhandled")
_WAITING = 1.3
_SURGE = 1.2  # of family qps, whose rises weigh 0.4: twenty scales

_LATE = 1.2  # of calls
_CHANGED = 0.5  # of what requests do
_LITTLE = 0.3  # what shows at all

_REQUESTS = frozenset({FindingKind.CALL_PATTERN, FindingKind.SPAN_ERRORS})
_SPANS = _REQUESTS | {FindingKind.WIRE_DELAY}


def fault_kind_of(findings: Sequence[Finding]) -> FaultKind:
    """Return the kind of fault of the one entity that ``findings`` are about.

    Rules are tried in order; the first that holds decides. What got better does not count: a
    victim's processor is idle because its callers are gone.
    """
    worse = [f for f in findings if is_worse(f)]
    families: dict[str, float] = {}
    for finding in worse:
        if (
            finding.family != "lat" or finding.kind not in LOG_KINDS
        ):  # a logged duration is no delay
            families[finding.family] = max(families.get(finding.family, 0.0), finding.score)
    phrase = _phrase(worse)
    if phrase is not None:
        return phrase
    said = " ".join(f.subject.lower() for f in worse)
    for holds, kind in _RULES:
        if holds(families, said, worse):
            return kind
    return FaultKind.UNKNOWN


def _phrase(findings: Sequence[Finding]) -> FaultKind | None:
    """Return what the strongest error line says outright."""
    lines = [f for f in findings if f.kind in LOG_KINDS and f.family == "err"]
    for finding in sorted(lines, key=lambda f: (-f.score, f.subject)):
        text = finding.subject.lower()
        for phrase, kind in _PHRASES:
            if phrase in text:
                return kind
    return None


def is_worse(finding: Finding) -> bool:
    """Tell whether a finding is a change for the worse."""
    # Requests that no longer do what they did are as wrong as those that do something else.
    if finding.kind in LOG_KINDS | _SPANS or finding.kind is FindingKind.SERIES_VANISHED:
        return True
    name = finding.subject.split("{", 1)[0]
    return finding.direction * meaning_of({"__name__": name}).sign > 0


Rule = Callable[[Mapping[str, float], str, Sequence[Finding]], bool]
"""Of the strongest score by family, what all findings say, and these."""


def _gone(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del families, said
    return any(f.kind is FindingKind.SERIES_VANISHED for f in findings)


def _surge(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del said, findings
    return families.get("qps", 0.0) >= _SURGE


def _waits(words: Sequence[str], others: Sequence[str]) -> Rule:
    """Somebody waits for what ``words`` name; the strongest that names them or ``others`` decides.

    A lock that is not freed fills the pool as well, and a database has pools of its own.
    """

    def holds(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
        del families, said
        naming = (f for f in findings if _names(f, words) or _names(f, others))
        first = max(naming, key=lambda f: f.score, default=None)
        return first is not None and first.score >= _WAITING and _names(first, words)

    return holds


def _names(finding: Finding, words: Sequence[str]) -> bool:
    subject = finding.subject.lower()
    return finding.family == "saturation" and any(w in subject for w in words)


def _memory(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    """Memory stress burns processor time too.

    The reverse holds where requests wait for the processor: what waits is kept in memory.
    """
    memory = families.get("mem", 0.0)
    if _wire(findings) >= _LATE and _cpu(families, said, findings):
        return False
    return memory >= 1.3 and memory >= 0.45 * families.get("cpu", 0.0)


def _cpu(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    """A starved processor delays calls, but no more than it is busy; a slow network does."""
    del said
    busy = families.get("cpu", 0.0)
    # Half of 0.8: who is slow in calling and in answering counts twice.
    return busy >= 1.5 and busy >= 0.4 * _wire(findings)


def _wire(findings: Sequence[Finding]) -> float:
    """Return how much calls are delayed, within the range that metrics have."""
    return min(EVIDENCE_CAP, _strongest(findings, FindingKind.WIRE_DELAY))


def _strongest(findings: Sequence[Finding], kind: FindingKind) -> float:
    return max((f.score for f in findings if f.kind is kind), default=0.0)


def _delayed(least: float) -> Rule:
    """Calls lose time between caller and callee, more than anything else went wrong."""

    def holds(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
        del families, said
        pattern = _strongest(findings, FindingKind.CALL_PATTERN)
        errors = _strongest(findings, FindingKind.SPAN_ERRORS)
        wire = _wire(findings)
        return wire >= least and wire / 2.0 >= max(pattern / 1.5, errors / 2.5)

    return holds


def _foreseen(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    """Requests run into an error that the program foresaw: it wrote a line about it, threw nothing.

    So a part of it did not break: it got, or gave, what it cannot work with.
    """
    del families, said
    written = {i for f in findings if f.kind in LOG_KINDS for i in f.fact_ids}
    errors = [f for f in findings if f.kind in _REQUESTS and f.family == "err" and f.direction > 0]
    first = max(errors, key=lambda f: f.score, default=None)
    if first is None or first.score < _CHANGED or not written & set(first.fact_ids):
        return False
    return not any(word in first.subject.lower() for word in _THROWN)


def _breaks_off(least: float) -> Rule:
    """Requests no longer get to what they did, without a word."""

    def holds(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
        del families, said
        return _pattern(findings, -1) >= max(least, _pattern(findings, 1))

    return holds


def _otherwise(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    """Requests do what they did not do before."""
    del families, said
    return _pattern(findings, 1) >= _CHANGED


def _pattern(findings: Sequence[Finding], direction: int) -> float:
    """Return the strongest change of a pattern in one direction."""
    return _strongest([f for f in findings if f.direction == direction], FindingKind.CALL_PATTERN)


def _disk(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del said, findings
    return families.get("disk", 0.0) >= 1.5


def _errors(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del said, findings
    return families.get("err", 0.0) >= 0.5


def _slow(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del said, findings
    return families.get("lat", 0.0) >= 1.0


_RULES: tuple[tuple[Rule, FaultKind], ...] = (
    (_gone, FaultKind.RESTART),
    (_surge, FaultKind.TRAFFIC),
    (_waits(_POOL_WORDS, _LOCK_WORDS), FaultKind.POOL_EXHAUSTION),
    (_waits(_LOCK_WORDS, _POOL_WORDS), FaultKind.LOCK_WAIT),
    (_memory, FaultKind.MEMORY),
    (_cpu, FaultKind.CPU),
    (_disk, FaultKind.DISK),
    (_delayed(_LATE), FaultKind.NETWORK_DELAY),
    (_foreseen, FaultKind.WRONG_RESULT),
    (_errors, FaultKind.CODE_ERROR),
    (_breaks_off(_CHANGED), FaultKind.CODE_ERROR),
    (_otherwise, FaultKind.WRONG_RESULT),
    (_slow, FaultKind.NETWORK_DELAY),
    # Where nothing else is known, the little that requests show.
    (_delayed(_LITTLE), FaultKind.NETWORK_DELAY),
    (_breaks_off(_LITTLE), FaultKind.CODE_ERROR),
)
