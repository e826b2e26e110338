"""What is measured or happened: one closed vocabulary for sentences and for facts.

A set of concepts is an integer, one bit a concept, so that thousands of facts can be compared
with a sentence in one array operation. The fact side is generous: a metric carries every concept
that a reader could call it by, so a sentence fits when the sets share a bit.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from superbizagent.analysis.claims._concept_words import CHINESE, ENGLISH
from superbizagent.analysis.claims.phrases import Phrases, listed, spellings
from superbizagent.analysis.families import meaning_of

__all__ = [
    "CONCEPTS",
    "CONCEPT_PHRASES",
    "concept_bits",
    "concepts_of_metric",
    "concepts_of_text",
    "names_of_concepts",
]

CONCEPTS: tuple[str, ...] = tuple(name for name, _ in listed(ENGLISH))
"""Position is the bit. At most 60, so that a set fits a signed 64-bit integer."""

_BIT = {name: 1 << k for k, name in enumerate(CONCEPTS)}


def _phrases() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for name, listing in (*listed(ENGLISH), *listed(CHINESE)):
        for phrase in spellings(listing):
            names = table.setdefault(phrase, [])
            if name not in names:
                names.append(name)
    return {phrase: tuple(names) for phrase, names in table.items()}


CONCEPT_PHRASES: dict[str, tuple[str, ...]] = _phrases()
"""Phrase, lower case -> the concepts it stands for."""
_PHRASES = Phrases(CONCEPT_PHRASES)


def concept_bits(names: Iterable[str]) -> int:
    """Return the set of the named concepts; names that are none are left out."""
    bits = 0
    for name in names:
        bits |= _BIT.get(name, 0)
    return bits


def names_of_concepts(bits: int) -> tuple[str, ...]:
    """Return the names of a set of concepts, in the order of their bits."""
    return tuple(name for name in CONCEPTS if bits & _BIT[name])


@lru_cache(maxsize=16384)
def concepts_of_text(text: str) -> int:
    """Return what a text speaks of: a log line, a noun, the summary of a change."""
    bits = 0
    for hit in _PHRASES.find(text):
        bits |= concept_bits(hit.meaning)
    return bits


# Words of metric names that no sentence uses so, or that mean something else in one.
_TOKENS: dict[str, str] = {
    "seconds": "",
    "time": "",
    "responsetime": "latency",
    "response": "latency request",
    "respond": "latency",
    "workload": "traffic request throughput",
    "ops": "throughput request",
    "requests": "request traffic throughput",
    "request": "request",
    "calls": "request traffic throughput dependency",
    "hits": "request traffic",
    "p50": "latency",
    "p75": "latency",
    "p90": "latency",
    "p95": "latency",
    "p99": "latency",
    "p999": "latency",
    "rt": "latency",
    "mrt": "latency",
    "sr": "success availability",
    "rr": "request success",
    "load1": "cpu traffic",
    "load5": "cpu traffic",
    "load15": "cpu traffic",
    "mem": "memory",
    "memfree": "memory idle",
    "memavailable": "memory idle availability",
    "freeable": "memory idle",
    "fs": "disk file",
    "rx": "network traffic",
    "tx": "network traffic",
    "netstat": "network",
    "receive": "network traffic",
    "received": "network traffic",
    "transmit": "network traffic",
    "retrans": "packet_loss network",
    "retranssegs": "packet_loss network",
    "dropped": "packet_loss error",
    "drop": "packet_loss error",
    "drops": "packet_loss error",
    "oom": "memory restart error",
    "sql": "query",
    "innodb": "",
    "questions": "query throughput request",
    "queries": "query throughput",
    "execution": "latency",
    "operation": "request latency",
    "operations": "request throughput",
    "orders": "order throughput",
    "messages": "message throughput",
    "acquire": "waiting",
    "awaiting": "waiting",
    "await": "waiting",
    "acquired": "held",
    "in": "",
    "no": "",
    "up": "availability restart",
    "http": "request",
    "client": "dependency",
    "code": "",
    "status": "",
    "global": "",
    "exhausted": "saturation",
    "utilization": "saturation",
    "utilisation": "saturation",
    "percent": "",
    "fds": "file",
    "filefd": "file",
    "jvm": "",
    "collection": "gc",
    "pause": "gc latency",
    "faults": "error",
    "wait": "waiting",
    "waits": "waiting",
    "lag": "lag latency",
    "max": "limit",
    "size": "size limit",
    "count": "",
    "workers": "thread",
    "read": "disk query",
    "write": "disk query",
    "active": "held",
    "current": "",
    "usage": "held saturation",
    "used": "held saturation",
    "use": "held",
    "open": "held",
    "running": "held",
    "busy": "held saturation",
    "threads": "thread",
    "connected": "connection",
    "line": "",
    "lines": "log",
    "record": "",
    "records": "log row",
    "value": "",
    "serve": "",
    "fine": "",
    "visit": "request traffic",
    "free": "idle",
    "available": "availability idle",
    "full": "",
    "ok": "success",
    "failing": "error",
    "examined": "",
    "abnormal": "",
}
# Words that say whose the number is; they count only when nothing else is said.
_OWNERS = frozenset(
    [
        "pod",
        "pods",
        "container",
        "containers",
        "node",
        "host",
        "server",
        "service",
        "process",
        "kube",
        "k8s",
        "instance",
        "task",
        "machine",
        "mysql",
        "redis",
        "client",
        "database",
        "db",
        "system",
        "jvm",
        "api",
        "backend",
    ]
)
# Whole names whose words together mean more than each of them.
_TOGETHER: tuple[tuple[tuple[str, ...], str], ...] = (
    (("threads", "running"), "thread query connection"),
    (("threads", "connected"), "thread connection"),
    (("connections",), "connection"),
    (("http", "client"), "dependency request"),
    (("rpc", "client"), "dependency request"),
    (("db", "connections"), "connection pool"),
    (("client", "connection"), "connection pool"),
    (("client", "connections"), "connection pool"),
    (("connection", "usage"), "connection pool held"),
    (("hikaricp",), "connection pool"),
    (("pgbouncer",), "connection pool"),
    (("jdbc",), "connection pool"),
    (("agroal",), "connection pool"),
    (("sql", "in", "use"), "connection pool held"),
    (("go", "sql"), "connection pool"),
    (("pending",), "waiting queue saturation"),
    (("wait",), "waiting"),
    (("duration", "count"), "request throughput traffic"),
    (("latency", "count"), "request throughput traffic"),
    (("time", "seconds", "count"), "request throughput"),
    (("duration", "seconds", "sum"), "latency"),
    (("use", "time"), "held latency"),
    (("wait", "time"), "waiting latency"),
    (("create", "time"), "latency connection"),
    (("query", "time"), "query latency"),
    (("lock", "time"), "lock waiting latency"),
    (("slow", "queries"), "slow_query query latency"),
    (("row", "lock"), "lock row waiting transaction"),
    (("buffer", "pool"), "memory cache page"),
    (("cpu", "throttled"), "cpu saturation limit"),
    (("cfs", "throttled"), "cpu saturation limit"),
    (("restarts",), "restart"),
    (("status", "restarts"), "restart"),
    (("replicas", "available"), "replica availability pod"),
    (("replicas",), "replica pod"),
    (("host", "count"), "host replica availability"),
    (("queue",), "queue waiting saturation"),
    (("backlog",), "queue waiting saturation"),
    (("inflight",), "request held"),
    (("active", "requests"), "request held waiting"),
    (("seconds", "behind"), "lag latency replica"),
    (("max", "connections"), "connection limit"),
    (("5", "xx"), "error"),
    (("5xx",), "error"),
    (("4xx",), "error"),
)
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LABEL = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"')
_SAYING = frozenset({"state", "mode", "severity", "level", "phase", "reason", "condition"})
"""Labels whose values say what is counted."""
_STATUS = frozenset({"http_response_status_code", "status_code", "code", "status", "http_status"})
_FAILING = frozenset({"error_type", "exception", "error"})
_FAMILY_CONCEPTS = {
    "err": "error",
    "lat": "latency",
    "cpu": "cpu",
    "mem": "memory",
    "disk": "disk",
    "net": "network",
    "qps": "request throughput traffic",
    "inst": "restart replica availability",
    "saturation": "saturation",
    "other": "",
}
_DURATIONS = frozenset({"duration", "latency", "time", "seconds", "milliseconds"})
_TIMES = frozenset({"s", "ms", "us"})


@lru_cache(maxsize=16384)
def concepts_of_metric(
    name: str, labels_text: str = "", unit: str = "", statistic: str = ""
) -> int:
    """Return what a fact's series is about, as generously as a reader would name it.

    Args:
        name: Metric or field name in any spelling (``http_server_request_duration_seconds_sum``,
            ``CpuUsageRate``, ``availability_Average``); labels in braces behind it are read too.
        labels_text: Labels as Prometheus prints them, ``state="used",pool="main"``.
        unit: Unit of the fact, such as ``s``, ``bytes``, ``ratio`` or ``/s``.
        statistic: Statistic of the fact, such as ``rate_mean``.
    """
    bare, _, inside = name.partition("{")
    labels = dict(_LABEL.findall(f"{inside},{labels_text}"))
    bare = bare.removeprefix("field:")
    words = [w.lower() for w in _SPLIT.split(bare) if w]
    known = {"__name__": bare} | {k: v for k, v in labels.items() if k in _STATUS | _FAILING}
    family = meaning_of(known).family if words else "other"
    bits = _of_words(words) | concept_bits(_FAMILY_CONCEPTS[family].split())
    if words[-1:] == ["count"] and not _DURATIONS.isdisjoint(words):
        # How many were timed, not how long they took.
        bits = bits & ~concept_bits(("latency",)) | concept_bits(("throughput",))
    bits |= _of_labels(labels)
    if unit == "bytes" and not bits:
        bits |= concept_bits(("size",))
    if unit.endswith("/s") or statistic.startswith("rate_"):
        bits |= _of_rate(bits, unit)
    return bits


def _of_words(words: list[str]) -> int:
    owners = bits = 0
    for word in words:
        found = _of_word(word)
        if word in _OWNERS:
            owners |= found
        else:
            bits |= found
    for together, names in _TOGETHER:
        if _stands_in(together, words):
            bits |= concept_bits(names.split())
    return bits or owners


def _of_word(word: str) -> int:
    if word in _TOKENS:
        return concept_bits(_TOKENS[word].split())
    return concept_bits(CONCEPT_PHRASES.get(word, ()))


def _stands_in(together: tuple[str, ...], words: list[str]) -> bool:
    """Tell whether the words stand in the name in this order, others perhaps between them."""
    rest = iter(words)
    return all(word in rest for word in together)


def _of_labels(labels: dict[str, str]) -> int:
    bits = 0
    for key, value in labels.items():
        if key in _SAYING:
            words = [w.lower() for w in _SPLIT.split(value) if w]
            bits |= _of_words(words)
        elif key in _STATUS and value[:1] in {"4", "5"}:
            bits |= concept_bits(("error",))
        elif key in _STATUS and value[:1] == "2":
            bits |= concept_bits(("success",))
        elif key in _FAILING and value:
            bits |= concept_bits(("error", "exception"))
    return bits


def _of_rate(bits: int, unit: str) -> int:
    """Return what the rate of a counter may be called besides what it counts."""
    counted = concept_bits(("request", "query", "message", "order", "transaction"))
    if bits & counted and unit.removesuffix("/s") not in _TIMES:
        return concept_bits(("throughput", "traffic"))
    return 0
