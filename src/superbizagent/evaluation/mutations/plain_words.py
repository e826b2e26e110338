"""What a metric is called in a sentence: plain words where its name is clear, else its name."""

import re
from collections.abc import Mapping

from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language

__all__ = ["plain_words"]

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PERCENTILE = re.compile(r"[pP](50|90|95|99)(?!\d)")
_TIMED = frozenset({"latency", "duration"})
_SIDES: Mapping[str, tuple[str, str]] = {
    "client": ("client-side ", "客户端"),
    "server": ("server-side ", "服务端"),
}


def plain_words(fact: Fact, language: Language) -> str:
    """Return what a fact's metric is called."""
    base = fact.name.partition("{")[0]
    parts = [part.lower() for part in _PART.findall(base)]
    chinese = language is Language.ZH
    if _TIMED & set(parts) and not fact.statistic.startswith("rate_"):
        return _latency(base, parts, fact, chinese=chinese)
    for needed, english, words in _NAMES:
        if needed <= set(parts):
            return words if chinese else english
    return base


_NAMES: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"cpu"}), "CPU usage", "CPU 用量"),
    (frozenset({"memory", "usage"}), "memory use", "内存用量"),
    (frozenset({"resident", "memory"}), "resident memory", "常驻内存"),
    (frozenset({"success", "rate"}), "success rate", "成功率"),
    (frozenset({"workload"}), "workload", "请求量"),
    (frozenset({"duration", "count"}), "request rate", "请求速率"),
    (frozenset({"pending", "requests"}), "requests waiting for a connection", "等待连接的请求数"),
    (frozenset({"active", "requests"}), "requests in flight", "处理中的请求数"),
)
"""Words that a name must have, and what it is called then; the first that fits."""


def _latency(base: str, parts: list[str], fact: Fact, *, chinese: bool) -> str:
    side = next((_SIDES[part][chinese] for part in parts if part in _SIDES), "")
    percentile = _PERCENTILE.search(base)
    if percentile:
        kind = f"P{percentile[1]} "
    elif "average" in parts or fact.statistic.startswith("mean_"):
        kind = "平均" if chinese else "mean "
    else:
        kind = ""
    return f"{side}{' ' if chinese and side and kind[:1] == 'P' else ''}{kind}" + (
        "延迟" if chinese else "latency"
    )
