"""English."""

from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    # Marks
    "mark.supported": "supported",
    "mark.contradicted": "contradicted",
    "mark.unsupported": "unsupported",
    "mark.hypothesis": "hypothesis",
    "mark.not_checkable": "nothing to check",
    # Counts
    "count.sentence": "1 sentence: ",
    "count.sentences": "<n> sentences: ",
    "count.supported": "<n> supported",
    "count.contradicted": "<n> contradicted",
    "count.unsupported": "<n> unsupported",
    "count.hypothesis": "<n> hypothesis",
    "count.hypotheses": "<n> hypotheses",
    "count.not_checkable": "<n> with nothing to check (<share> %)",
    "count.separator": ", ",
    "count.none": "no sentence",
    # Shapes of a line
    "part": "<text>: <reason>",
    "reasons": "; ",
    # Why a part of a statement does not stand
    "reason.too_long": "longer than <arg> characters, so not read",
    "reason.other_value": "the evidence has <value>",
    "reason.no_such_value": "no evidence shows it",
    "reason.unknown_fact": "there is no <arg>",
    "reason.unknown_name": "nothing is known as <first>",
    "reason.unknown_name_near": "nothing is known as <first>; near: <rest>",
    "reason.look_cut": "what was looked at was cut [<arg>], so more may be there",
    "reason.hypothesis": "nothing has tested it",
    "reason.hypothesis_check": "nothing has borne it out; the check that decides it: <check>",
}
