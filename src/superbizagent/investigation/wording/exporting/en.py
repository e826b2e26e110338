"""English."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side
from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    "head.window": "Looked at",
    "head.session": "Session",
    "section.charts": "Charts of the cited series",
    "section.evidence": "Evidence",
    "section.integrity": "Check this document",
    "evidence.intro": "Each row is one stored value that a statement above cites, under the call that it was read from.",
    "column.fact": "Fact",
    "column.what": "What",
    "column.value": "Value",
    "column.time": "Time",
    "column.quote": "Quote",
    "call.source": "source <source>",
    "call.asked": "asked <asked>",
    "call.span": "from <start> to <end>",
    "call.truncated": "cut at a limit",
    "call.error": "error: <error>",
    "rows.cut": "<n> rows of evidence were left out, so that this text stays below <limit>; see them with superbiz explain <session> E…",
    "sections.cut": "Left out, so that this text fits a ticket: <sections>. All of it: superbiz trace export <session> --format html",
    "charts.cut": "<n> more cited series are not drawn.",
    "chart.band": "baseline: median <center>, band <low> to <high>",
    "chart.no_band": "no baseline",
    "chart.counts": "records in each <span>",
    "chart.incident": "incident window <start> to <end>",
    "chart.onset": "onset <at>",
    "chart.mode_rate": "rate a second",
    "chart.mode_mean": "mean a request",
    "chart.open": "chart",
    "integrity.head": "Hash of the journal's head when the session was stored:",
    "integrity.verify": "This checks every stored value of the session, and prints the same hash:",
    "integrity.explain": "This shows the stored lines or samples behind a citation:",
    "integrity.none": "The session has no head hash: it has not ended.",
    "table.time_span": "<start> to <end>",
}
