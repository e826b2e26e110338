"""Digits that are no amount: addresses, versions, identifiers, percentiles, status codes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from superbizagent.analysis.claims.mentions import Word, WordKind
from superbizagent.analysis.claims.scan._spans import Span, Taken
from superbizagent.analysis.claims.scan._statuses import find_statuses

__all__ = ["COMMAND", "Protected", "find_protected"]


@dataclass(frozen=True, slots=True)
class Protected:
    """What nobody may read a number in, and the words among it."""

    spans: tuple[Span, ...]
    words: tuple[Word, ...]
    """`WordKind.STATUS` and `WordKind.STATISTIC`."""


# Every pattern is of bounded repeats of disjoint classes. Order matters: the first that fits at a
# place wins, so that an address is not cut into a host and a port.
_URL = r"\b[a-zA-Z][a-zA-Z0-9+]{1,15}(?::[a-z]{1,12})?://[^\s<>\"'`,。、()（）「」]{1,500}"
_MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
_UUID = r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
_IPV4 = r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?(?!\.?\d)"
_IPV6 = r"(?<![\w:])(?=[0-9a-f:]{0,40}(?:::|[a-f]))(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])"
_HASH = (
    r"(?<![\w.-])(?=[0-9a-f]{0,64}[a-f])(?=[a-f]{0,64}\d)(?!\d{1,40}e\d{1,3}\b)[0-9a-f]{7,64}"
    r"(?![\w-])"
)
_PATH = (
    r"(?<![A-Za-z0-9_/.%)）])(?!/(?:s|sec|second|min|minute|h|hr|hour|d|day|ms)(?![A-Za-z0-9_/]))~?"
    r"(?:/[A-Za-z0-9_.@%+*-]{1,100}){1,30}/?"
)
_FILE = (
    r"(?<![A-Za-z0-9_])[A-Za-z0-9_-]{1,80}\.(?:java|py|go|js|ts|log|csv|jsonl?|ya?ml|conf|cnf"
    r"|sql|sh"
    r"|md|txt|xml|properties|gz|rs|rb|cpp|toml|ini)(?::\d{1,6})?(?![A-Za-z0-9_])"
)
_UNIT_BEHIND = (
    r"(?! ?(?:%|(?:ms|s|sec|seconds?|min|minutes?|h|hours?|[kKMGT]i?B|bytes?|x|times|cores?|qps|rps"
    r"|percent)\b|毫秒|微秒|秒|分|小时|倍|万|亿|个|条|次|核|兆))"
)
_VERSION = (
    # v1.2.3, version 3, MySQL 8.0, HTTP/1.1, 1.4.0
    r"(?<![A-Za-z0-9_.])v\d{1,5}(?:\.\d{1,5}){0,3}(?:[-+][A-Za-z0-9.]{1,30})?(?![A-Za-z0-9_])"
    r"|(?:\b(?:[Vv]ersion|[Rr]elease|[Rr]evision|[Bb]uild|JDK|TLS|SSL)|版本号?)[ /:-]?"
    r"(?:of |为|是)?\d{1,6}(?:\.\d{1,5}){0,4}(?:-[A-Za-z0-9.]{1,30})?(?![.]?\d)"
    + _UNIT_BEHIND
    + "|"
    r"\b(?:MySQL|MariaDB|Postgres(?:QL)?|Redis|MongoDB|Kafka|Kubernetes|Java|Python|Go"
    r"|Node(?:\.js)?"
    r"|nginx|Nginx|Linux|Ubuntu|Debian|Docker|Spring|Envoy|Istio|HTTP|Elasticsearch|RabbitMQ"
    r"|Prometheus)[ /-]\d{1,4}\.\d{1,4}(?:\.\d{1,5}){0,2}(?![.]?\d)" + _UNIT_BEHIND + "|"
    r"\bHTTP/[123]\b"
    r"|(?<![A-Za-z0-9_.])(?!\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d))\d{1,5}\.\d{1,5}\.\d{1,5}"
    r"(?:\.\d{1,5})?(?:[-+][A-Za-z0-9.]{1,40})?(?![A-Za-z0-9_])"
)
_TICKET = (
    r"(?<![A-Za-z0-9_])#\d{1,9}\b|(?<![A-Za-z0-9_-])(?!UTC|GMT"
    r"|[A-Z]{3}-\d{4}-)[A-Z][A-Z0-9]{1,9}-\d{1,7}"
    r"(?:-\d{1,7})?(?![A-Za-z0-9_])|\bCVE-\d{4}-\d{4,7}\b"
)
_NUMBERED = (
    r"(?<![A-Za-z0-9_])(?:[Pp]ort|[Pp]id|PID|[Tt]hread|[Tt]ransaction|trx|[Ll]ine|[Oo]ffset"
    r"|[Pp]osition"
    r"|(?:[a-z]{1,20}[_-])?(?:id|ID)|[Ee]xit code|errno|[Ee]rror code|[Ss]ignal|[Ss]hard"
    r"|[Pp]artition)"
    r"(?: is | = |[ #:=])#?\d{1,19}(?![.,]?\d| ?%| (?:ms|s|waits?|pools?)\b)(?![A-Za-z0-9_])"
    r"|(?:端口|线程|事务|进程|退出码|错误码|第)(?:号|编号)?(?: ?[:= ]| ?为 ?"
    r"|是)? ?\d{1,19}(?: ?(?:号|行))"
    r"|(?:端口|退出码|错误码|进程号|线程号|事务号)(?: ?[:= ]| ?为 ?|是)? ?\d{1,19}(?![.,]?\d)"
)
_PERCENTILE = (
    r"(?<![A-Za-z0-9_])(?:TP|tp|[pP])(?P<p>\d{2}(?:\.\d{1,2}|\d{1,2})?)(?![A-Za-z0-9_]|\.\d)"
    r"|\b(?P<th>\d{2}(?:\.\d{1,2})?)(?:st|nd|rd|th)?[ -]per ?centiles?\b"
    r"|(?:第 ?)?(?P<zh>\d{2}(?:\.\d{1,2})?) ?(?:个)?(?:百分位|分位)(?:数|值|点)?"
    r"|(?:第 ?)?百分之(?P<han>九十九|九十五|九十|七十五|五十) ?(?:百分位|分位)(?:数|值|点)?"
)
# Letters that go on as digits are a word: k8s, IPv4, S3, ec2, E3.2.
_LETTERED = (
    r"(?<![A-Za-z0-9_])(?!(?:UTC|GMT|[Tt]\d\d:|x\d"
    r"|[A-Z]{3,4}\d\d:))[A-Za-z][A-Za-z_]{0,20}\d[A-Za-z0-9_]{0,40}"
    r"(?:\.\d{1,6}(?![A-Za-z0-9_]))?(?![A-Za-z0-9_.]{0,6} ?%)"
    r"|(?<![A-Za-z0-9_.])\d{1,3}-?bit\b|\b24/7\b|(?<![A-Za-z0-9_.,:])[234]FA\b"
)
# A command or an expression in back-ticks is nobody's amount; `31 ms` in back-ticks is one.
COMMAND = re.compile(
    r"`(?:\$ |(?:kubectl|docker|mysql|mysqladmin|psql|redis-cli|superbiz|systemctl|journalctl"
    r"|curl|git"
    r"|helm|sudo|ssh|grep|cat|tail|SET|ALTER|KILL|SHOW|EXPLAIN)\s"
    r"|(?:rate|irate|increase|delta|sum|avg|max|min|count|topk|histogram_quantile|quantile"
    r"|absent)\b"
    r" ?(?:by ?\([^()`]{0,100}\) ?)?\()[^`]{1,400}`"
)
_PORT = re.compile(r":(?:\d{4,5}|80|443)(?![\d.:])")
"""Behind a name: ``orders-db:3306``."""
_HAN = {"五十": 50, "七十五": 75, "九十": 90, "九十五": 95, "九十九": 99}
_ANY = re.compile(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in (
            ("url", _URL),
            ("mail", _MAIL),
            ("uuid", _UUID),
            ("ipv4", _IPV4),
            ("ipv6", _IPV6),
            ("percentile", _PERCENTILE),
            ("version", _VERSION),
            ("file", _FILE),
            ("path", _PATH),
            ("ticket", _TICKET),
            ("numbered", _NUMBERED),
            ("lettered", _LETTERED),
            ("hash", _HASH),
        )
    )
)


def find_protected(text: str, taken: Sequence[Span] = ()) -> Protected:
    """Return the spans of a normalised sentence that hold no amounts, and the words they are.

    Percentiles become statistics (``p95``, ``p99.9``), status codes become statuses (``503``,
    ``5xx``); "500 errors" after a bound ("over 500 errors") is an amount. Nothing is read in
    ``taken`` spans.
    """
    own = Taken(taken)
    commands = [m.span() for m in COMMAND.finditer(text) if own.free(*m.span())]
    own.add(commands)
    words = [*find_statuses(text, own)]
    own.add((w.start, w.end) for w in words)
    ports = [m.span() for m in _PORT.finditer(text) if own.ends_at(m.start())]
    own.add(ports)
    spans = [*commands, *ports, *((w.start, w.end) for w in words)]
    for match in _ANY.finditer(text):
        # A product that is a known name keeps its name; its version is still no amount.
        start, end = own.end_of(match.start()), _without_stop(match)
        if start >= end or not own.free(start, end):
            continue
        spans.append((start, end))
        if match.lastgroup == "percentile" or match["percentile"]:
            words.append(Word(start, end, text[start:end], WordKind.STATISTIC, _statistic(match)))
    return Protected(tuple(sorted(spans)), tuple(sorted(words, key=lambda w: w.start)))


def _without_stop(match: re.Match[str]) -> int:
    """Return the end of a match without the full stop or colon that ends its sentence."""
    return match.start() + len(match[0].rstrip(".:;!?"))


def _statistic(match: re.Match[str]) -> str:
    number = match["p"] or match["th"] or match["zh"] or str(_HAN[match["han"]])
    if "." not in number and len(number) > 2:  # p999 is written for the 99.9th
        number = f"{number[:2]}.{number[2:]}"
    return f"p{number}"
