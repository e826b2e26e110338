"""Which kinds of fault a stretch of a sentence names, and what each kind is measured by."""

import re

from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.domain.finding import FaultKind

__all__ = ["MEASURED_BY", "concepts_of_kind", "kinds_said"]

_SAID: tuple[tuple[FaultKind, str], ...] = (
    (
        FaultKind.CONNECTION_LEAK,
        (
            r"connection leak|leak(?:s|ed|ing)? (?:\w+ )?connections?"
            r"|never (?:given back|returned|released)|连接(?:泄漏|泄露)|不归还|未归还"
        ),
    ),
    (
        FaultKind.CONNECTION_LIMIT,
        (
            r"connection limit|limit of (?:its )?connections|max_connections"
            r"|too many connections|连接数?(?:上限|限制)|最大连接数"
        ),
    ),
    (
        FaultKind.LOCK_WAIT,
        r"\b(?:row |table )?locks?\b|\blocking\b|deadlock|行锁|表锁|死锁|锁(?:等待|竞争|争用)",
    ),
    (
        FaultKind.SLOW_QUERY,
        (
            r"slow (?:\w+ )?(?:quer|sql|statement|select)|quer(?:y|ies) (?:\w+ ){0,4}slow"
            r"|慢(?:查询|语句|\s?SQL)|全表扫描"
        ),
    ),
    (FaultKind.CPU, r"\bcpus?\b|processors?\b|处理器|算力"),
    (FaultKind.MEMORY, r"\bmemory\b|\boom\b|\bheap\b|\bgc\b|garbage collect|内存|垃圾回收"),
    (FaultKind.DISK, r"\bdisks?\b|\bi/?o\b|\bfilesystem|磁盘|硬盘"),
    (FaultKind.NETWORK_LOSS, r"packet loss|lost packets|丢包"),
    (FaultKind.NETWORK_DELAY, r"\bnetwork\b|网络"),
    (FaultKind.TRAFFIC, r"\btraffic\b|\bsurge of|\bflood of|促销|流量|访问量|请求激增"),
    (
        FaultKind.DEPLOY,
        (
            r"\bdeploy|\brelease[sd]?\b|\broll-?out|\bversion \d|new version|\bupgrade"
            r"|发布|部署|上线|新版本|发版"
        ),
    ),
    (FaultKind.CONFIG, r"\bconfig|feature flag|配置(?:变更|改动|错误)"),
    (FaultKind.RESTART, r"\brestart|\breboot|\bcrash|重启|宕机"),
    (FaultKind.CERTIFICATE, r"\bcertificate|\btls\b|证书"),
    (
        FaultKind.POOL_EXHAUSTION,
        r"\bpools?\b|(?:ran|run|running) out of (?:\w+ )?connections|连接池",
    ),
    (FaultKind.CODE_ERROR, r"\bbugs?\b|\bcode\b|\bexceptions?\b|代码|空指针"),
)
_PATTERNS = tuple((kind, re.compile(said, re.IGNORECASE)) for kind, said in _SAID)

MEASURED_BY: dict[FaultKind, tuple[str, ...]] = {
    FaultKind.CPU: ("cpu",),
    FaultKind.MEMORY: ("memory", "gc"),
    FaultKind.DISK: ("disk",),
    FaultKind.NETWORK_DELAY: ("network",),
    FaultKind.NETWORK_LOSS: ("packet_loss",),
    FaultKind.LOCK_WAIT: ("lock",),
    FaultKind.SLOW_QUERY: ("slow_query", "query"),
    FaultKind.RESTART: ("restart",),
    FaultKind.POOL_EXHAUSTION: ("pool",),
    FaultKind.CONNECTION_LEAK: ("leak", "pool"),
    FaultKind.CONNECTION_LIMIT: ("limit",),
}
"""Concepts of the series that move when a fault of the kind is there."""

_NAMED_BY: dict[FaultKind, tuple[str, ...]] = {
    FaultKind.CPU: ("cpu", "saturation", "process"),
    FaultKind.MEMORY: ("memory", "saturation", "leak"),
    FaultKind.DISK: ("disk", "saturation"),
    FaultKind.NETWORK_DELAY: ("network", "latency"),
    FaultKind.NETWORK_LOSS: ("network", "packet_loss"),
    FaultKind.LOCK_WAIT: ("lock", "waiting", "row", "transaction"),
    FaultKind.SLOW_QUERY: ("query", "slow_query", "latency"),
    FaultKind.RESTART: ("restart", "availability"),
    FaultKind.POOL_EXHAUSTION: ("pool", "connection", "saturation", "held", "waiting", "idle"),
    FaultKind.CONNECTION_LEAK: ("leak", "pool", "connection"),
    FaultKind.CONNECTION_LIMIT: ("limit", "connection", "refused"),
    FaultKind.CODE_ERROR: ("error", "exception"),
    FaultKind.TRAFFIC: ("traffic", "throughput"),
    FaultKind.DEPLOY: ("deploy", "change"),
    FaultKind.CONFIG: ("config", "change"),
    FaultKind.CERTIFICATE: ("certificate",),
    FaultKind.DEPENDENCY: ("dependency",),
    FaultKind.WRONG_RESULT: ("wrong_result",),
}


def kinds_said(text: str) -> frozenset[FaultKind]:
    """Return the kinds of fault that a text names."""
    found = {kind for kind, pattern in _PATTERNS if pattern.search(text)}
    if FaultKind.CONNECTION_LEAK in found or FaultKind.CONNECTION_LIMIT in found:
        found.discard(FaultKind.POOL_EXHAUSTION)
    return frozenset(found)


def concepts_of_kind(kind: FaultKind) -> int:
    """Return the concepts that a reader may name a kind of fault by."""
    return concept_bits(_NAMED_BY.get(kind, ()))
