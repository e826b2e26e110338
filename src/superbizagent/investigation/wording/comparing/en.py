"""English."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side
from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    "split.quarter": "Compared the last quarter, <start> to <end>, with what came before, from <before> on; --since chooses another time.",
    "split.told": "Compared <start> to <end> with what came before, from <before> on.",
    "split.against": "Compared <start> to <end> with <old> (<before> to <before_end>).",
    "split.undated": "Compared with <old>; the times of one of them are not known.",
    "records": "<now> records against <before>.",
    "records.elsewhere": "<n> records lie in neither part.",
    "new": "New: <n>",
    "bursting": "Bursting: <n>",
    "vanished": "Vanished: <n>",
    "none": "Nothing new, nothing bursting, nothing vanished.",
    "more": "… and <n> more: --limit <all>, or --json for everything",
    "count": "<now>×, before <before>×; <now_share> of all, before <before_share>",
    "count.expected": "expected <n>",
    "lines": "<first> to <last>, <first_line> to <last_line>",
    "lines.undated": "<first_line> to <last_line>",
    "lines.one": "<first>, <first_line>",
    "lines.one_undated": "<first_line>",
    "separator": "; ",
}
