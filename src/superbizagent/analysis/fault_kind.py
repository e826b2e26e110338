"""What is wrong with a chosen entity: fixed rules on which families moved, and how."""

from collections.abc import Callable, Mapping, Sequence

from superbizagent.analysis.families import meaning_of
from superbizagent.domain.finding import FaultKind, Finding, FindingKind

__all__ = ["fault_kind_of"]

_POOL_WORDS = ("pool", "db_client_connection", "hikari", "waiting_threads", "pending")
_LOCK_WORDS = ("lock_wait", "row_lock", "deadlock")


_LOGS = frozenset({FindingKind.LOG_NOVEL, FindingKind.LOG_BURST, FindingKind.LOG_FIELD_SHIFT})


def fault_kind_of(findings: Sequence[Finding]) -> FaultKind:
    """Return the kind of fault of the one entity that ``findings`` are about.

    Rules are tried in order; the first that holds decides. What got better does not count: a
    victim's processor is idle because its callers are gone.
    """
    worse = [f for f in findings if _is_worse(f)]
    families: dict[str, float] = {}
    for finding in worse:
        families[finding.family] = max(families.get(finding.family, 0.0), finding.score)
    said = " ".join(f.subject.lower() for f in worse)
    for holds, kind in _RULES:
        if holds(families, said, worse):
            return kind
    return FaultKind.UNKNOWN


def _is_worse(finding: Finding) -> bool:
    if finding.kind in _LOGS or finding.kind is FindingKind.SERIES_VANISHED:
        return True
    name = finding.subject.split("{", 1)[0]
    return finding.direction * meaning_of({"__name__": name}).sign > 0


Rule = Callable[[Mapping[str, float], str, Sequence[Finding]], bool]


def _gone(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del families, said
    return any(f.kind is FindingKind.SERIES_VANISHED for f in findings)


def _pool(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    """Waiters or a used-up pool, seen as a deviation or said in an error line."""
    full = families.get("saturation", 0.0) >= 1.3 and any(w in said for w in _POOL_WORDS)
    return full or any(
        "pool" in f.subject.lower()
        for f in findings
        if f.kind in {FindingKind.LOG_NOVEL, FindingKind.LOG_BURST} and f.family == "err"
    )


def _lock(families: Mapping[str, float], said: str, findings: Sequence[Finding]) -> bool:
    del findings
    return families.get("saturation", 0.0) >= 1.3 and any(w in said for w in _LOCK_WORDS)


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
    (_pool, FaultKind.POOL_EXHAUSTION),
    (_lock, FaultKind.LOCK_WAIT),
    (_memory, FaultKind.MEMORY),
    (_cpu, FaultKind.CPU),
    (_disk, FaultKind.DISK),
    (_errors, FaultKind.CODE_ERROR),
    (_slow, FaultKind.NETWORK_DELAY),
)
