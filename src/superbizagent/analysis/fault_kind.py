"""What is wrong with a chosen entity: fixed rules on which families moved, and how."""

from collections.abc import Callable, Mapping, Sequence

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
_WAITING = 1.3
_SURGE = 1.2  # of family qps, whose rises weigh 0.4: twenty scales


def fault_kind_of(findings: Sequence[Finding]) -> FaultKind:
    """Return the kind of fault of the one entity that ``findings`` are about.

    Rules are tried in order; the first that holds decides. What got better does not count: a
    victim's processor is idle because its callers are gone.
    """
    worse = [f for f in findings if is_worse(f)]
    families: dict[str, float] = {}
    for finding in worse:
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
    if finding.kind in LOG_KINDS or finding.kind is FindingKind.SERIES_VANISHED:
        return True
    name = finding.subject.split("{", 1)[0]
    return finding.direction * meaning_of({"__name__": name}).sign > 0


Rule = Callable[[Mapping[str, float], str, Sequence[Finding]], bool]


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
    """Memory stress burns processor time too, the reverse does not hold."""
    del said, findings
    memory = families.get("mem", 0.0)
    return memory >= 1.3 and memory >= 0.45 * families.get("cpu", 0.0)


def _cpu(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del said, findings
    return families.get("cpu", 0.0) >= 1.5


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
    (_errors, FaultKind.CODE_ERROR),
    (_slow, FaultKind.NETWORK_DELAY),
)
