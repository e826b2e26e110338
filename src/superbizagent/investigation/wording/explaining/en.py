"""English."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side

from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    # Labels
    "label.why": "why",
    "label.query": "query",
    "label.started": "started",
    "label.came_back": "came back",
    "label.warning": "warning",
    "label.error": "error",
    "label.again": "see again",
    "label.entity": "entity",
    "label.window": "window",
    "label.quote": "quote",
    "label.scored": "scored",
    "label.finding": "finding",
    "label.cause": "cause",
    "label.score": "score",
    "label.margin": "margin",
    "label.apart": "apart",
    "label.check": "check",
    "label.path": "path",
    # A call
    "call.head": "<call>  <tool> on <source>: <status><cut>",
    "call.cut": " (truncated)",
    "call.started": "<at>, <seconds> s",
    "call.more": "  … and <n> more facts (superbiz trace show --json)",
    "call.spans_of": "spans of <names>",
    "call.records_of": "log records of <names>",
    "call.all_services": "all services",
    "call.window": "<selector>  <start> to <end>",
    "count.series": "<series> series, <samples> samples",
    "count.records": "<read> records read, <before> in the baseline, <now> in the incident, <templates> templates",
    "count.spans": "<spans> spans of <traces> traces",
    "count.spans_cut": "<spans> spans of <traces> traces, <left> traces left out",
    "count.nothing": "nothing",
    "count.facts": "<n> facts",
    # A fact
    "fact": "<id>  <name>  <statistic> = <value><unit><at>",
    "fact.at": " at <at>",
    "fact.of_call": "(the call itself)",
    "fact.window": "<start> to <end>",
    "samples": "<series>  (<n> samples)",
    "finding": "<id> <kind> of <entity>: <subject>, evidence <score>",
    "cause": "<entity> (<fault>): <term> <value>",
    "score": "<entity>: <score> = <terms>",
    "apart": "<entity>: no part of the leading cause, nor explained by it",
    "scored.unknown": "not available: the session has no report, or another version made it",
    "scored.cost": "no: it says what the symptom costs, not where it comes from",
    "scored.learnt": "no: it was learnt of good days, and says what is normal here",
    "scored.normal": "nothing rests on this fact; it was looked at and is normal",
    # How a number came about
    "counted.elapsed": "from the first to the last of these times: <value> <unit>",
    "counted.total": "all <n> together: <value>",
    "counted.no_sample": "  no sample in the window",
    "counted.before": "  the last before the window",
    "counted.born": "  its first sample: counted from zero",
    "counted.difference": "  difference    <value>",
    "counted.fell": "  it fell in between (a restart counts from zero); all steps: <value>",
    "counted.mean": "  mean of the <n> samples from the first to the last: <value>",
}  # fmt: skip
