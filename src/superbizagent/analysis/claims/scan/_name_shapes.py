"""Which words look like the name of a service, a pod or a host, and which are plain language."""

import re

from superbizagent.analysis.claims.scan._word_lists import words

__all__ = [
    "COMPONENTS",
    "KIND_BEHIND",
    "TECHNOLOGY",
    "is_code_word",
    "looks_like_metric",
    "looks_like_name",
    "plain_before_kind",
]

# What the last part of a component's name says it is.
COMPONENTS = words(
    "service svc srv api db database cache gateway gw proxy worker server queue broker replica "
    "primary master slave standby node pod cluster mysql mariadb postgres redis kafka mongo "
    "mongodb nginx frontend backend web app job cron consumer producer store controller "
    "operator ingress lb host agent exporter collector scheduler router registry sidecar envoy "
    "memcached rabbitmq elasticsearch zookeeper etcd"
)
# A first part that makes an English compound of what follows: read-replica, per-pod, top-5.
_COMPOUND = words(
    "a all an any back between big both client cold cross data dead each every first fast front "
    "full half high hot idle in inter intra job key large layer level load long low main max "
    "message mid micro min multi near new next no non of off old on one other out over own part "
    "per phase post pre pro public private quasi re read rest round same second secondary self "
    "semi service sev short single slow small step sub super task third tier time to top two "
    "three four five under up down user well whole work write zero http https tcp udp tls ssl "
    "utf sha md iso rfc cve ipv grpc covid x gen q h p ip id app application pod node host "
    "database upstream downstream error version v release day hour minute week month year jan "
    "feb mar apr may jun jul aug sep oct nov dec utc gmt early late about approx log http2 "
    "percentile stage wave attempt retry batch rank category class grade type"
)
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,7}")
_RUN_OF_DIGITS = re.compile(r"\d+")
_HASHED = re.compile(r"(?=[a-z0-9]{0,10}\d)(?=[a-z0-9]{0,10}[a-z])[a-z0-9]{4,10}")
_NUMBERED = re.compile(r"[a-z]{2,20}\d{1,4}")
KIND_BEHIND = "service|services|pods?|database|db|microservice"
"""English words behind a name that say what bears it."""

TECHNOLOGY = words(
    "mysql mariadb postgres postgresql redis mongo mongodb kafka rabbitmq elasticsearch sql "
    "nosql kubernetes k8s docker java jvm go golang python node nodejs nginx apache tomcat "
    "spring linux http https grpc tcp udp dns api rest web rpc db innodb envoy istio oracle "
    "sqlite cassandra memcached aws gcp azure ec2 s3 rds lambda prometheus grafana loki jaeger "
    "cpu io ip ssl tls oom jdbc orm sre slo sla vm ai ml os"
)
"""Products and protocols: they say what a thing is made of, not which one it is."""

_METRIC_ENDS = words("total seconds bytes count sum bucket ratio percent milliseconds")
_CODE_WORDS = words(
    "true false null none nil ok error errors warn warning info debug fatal trace get post put "
    "delete patch head options select insert update where from join commit rollback begin "
    "status healthy likely inconclusive unknown firing resolved critical root"
)

# Words that stand before "service", "pod" or "database" and name none.
_PLAIN = words(
    "two three four five six seven eight nine ten eleven twelve "
    "a about above accessible actual additional affected after alerting all alleged also an and "
    "another any application apparent as associated at available average back backend backing "
    "bad base basic bottom both broken bulk but busiest busy by called caller calling central "
    "certain chosen client closest cloud common complete connected consumer consuming core "
    "corresponding crashed critical culprit current customer data dead dedicated degraded "
    "dependency dependent different direct distinct down downstream each eighth either else end "
    "entire entry every exact existing external extra failed failing faulty few fifth final "
    "first five fix for former found four fourth frontend full further general generic given "
    "global good guilty healthy heavy her hidden highest his hit host hosted hot idle impacted "
    "important in individual inner internal involved isolated it its just key known large "
    "largest last latter leading legacy lone local lower main major many master micro middle "
    "minor missing monitored more most my named nearby neighbour neighbouring neighbor "
    "neighboring new next no nodes none normal not numerous of off offending old on one only "
    "operational or original other our out outer over overall overloaded own owning parent "
    "particular per physical poor popular present previous primary prime private problem "
    "problematic production proper public queried read real receiving related relational "
    "relevant remaining remote replica replicated requested required responding responsible "
    "restart restarted restarting right root running same saturated second secondary seen "
    "selected sending separate serving seventh several shared sibling silent similar single "
    "sixth slow slower slowest slow-running small sole some source specific stable staging "
    "standalone standby stateful static struggling such surrounding suspect suspected system "
    "target tenth test that the their them then these they third this those three to top total "
    "troubled two typical underlying unhealthy unaffected unavailable unique unknown unrelated "
    "unresponsive upper upstream used user using victim virtual wait waiting was we weak web "
    "were what where which whole whose wider with worker working write writing wrong your zero "
    "self managed cross between inside within from into through via without than when while is "
    "are has have had be been being can could does did do shows says see restarted-only per-pod "
    "multi improve degrade customer-facing long-running read-only write-heavy read-heavy high- "
    "traffic low-traffic user-facing"
)
_PLAIN_ENDS = ("ly", "est", "ous", "ful", "less", "ible", "able", "ical", "wide", "side", "facing")


def looks_like_name(word: str) -> bool:
    """Tell whether a word with a hyphen or underscore has the shape of a component's name."""
    parts = re.split("[-_]", word.lower())
    if (
        len(parts) < 2
        or parts[0] in _COMPOUND
        or _spelled(parts[0])
        or not parts[0][:1].isalpha()
        or not parts[-1]
    ):
        return False
    if _TICKET.fullmatch(word):
        return False
    if parts[-1] in COMPONENTS:
        return len(parts[0]) > 1 and parts[0] != "web" and "to" not in parts and "per" not in parts
    last = parts[-1]
    numbered = _RUN_OF_DIGITS.fullmatch(last) is not None and len(last) <= 4
    hashed = _HASHED.fullmatch(last) is not None and not _spelled(last)
    named = any(part in COMPONENTS or _NUMBERED.fullmatch(part) for part in parts[:-1])
    return hashed or (numbered and (named or len(parts) == 2)) or (named and len(parts) > 2)


def _spelled(part: str) -> bool:
    """Tell whether a part is a word of the trade with a digit in it: ``ipv4``, ``p95``."""
    return (
        re.fullmatch(
            r"(?:ipv[46]|utf\d+|sha\d+|x86|log4j|http2|p\d{2,3}|\d+(?:ms|s|m|h|d|kb|mb|gb|x|st"
            r"|nd|rd|th|xx))",
            part,
        )
        is not None
    )


def looks_like_metric(word: str) -> bool:
    """Tell whether a word has the shape of a metric's name: ``http_requests_total``."""
    parts = word.split("_")
    return len(parts) > 1 and all(parts) and parts[-1] in _METRIC_ENDS and word.islower()


def is_code_word(word: str) -> bool:
    """Tell whether a lower-case word in back-ticks belongs to a language, not to a system."""
    return word in _CODE_WORDS or word in TECHNOLOGY or len(word) < 3


def plain_before_kind(word: str) -> bool:
    """Tell whether a word before "service" or "database" names none: adjectives, products."""
    low = word.lower()
    return (
        low in _PLAIN
        or low in TECHNOLOGY
        or len(low) < 3
        or (low.endswith(_PLAIN_ENDS) and len(low) > 4)
        or (low.endswith("ed") and len(low) > 4)
        or "-" in low
        or low.endswith("'s")
    )
