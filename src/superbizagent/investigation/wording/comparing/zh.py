"""Chinese."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side
from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    "split.quarter": "比较：最后四分之一（<start> 到 <end>）对之前（自 <before> 起）；用 --since 另选时间。",
    "split.told": "比较：<start> 到 <end> 对之前（自 <before> 起）。",
    "split.against": "比较：<start> 到 <end> 对 <old>（<before> 到 <before_end>）。",
    "split.undated": "与 <old> 比较；其中一方没有时间。",
    "records": "<now> 条记录对 <before> 条。",
    "records.elsewhere": "<n> 条记录不在两部分之内。",
    "new": "新出现：<n>",
    "bursting": "激增：<n>",
    "vanished": "消失：<n>",
    "none": "没有新出现、激增或消失的。",
    "more": "……另有 <n> 种：--limit <all>，或用 --json 看全部",
    "count": "<now> 次，之前 <before> 次；占全部 <now_share>，之前 <before_share>",
    "count.expected": "预期 <n>",
    "lines": "<first> 到 <last>，<first_line> 到 <last_line>",
    "lines.undated": "<first_line> 到 <last_line>",
    "lines.one": "<first>，<first_line>",
    "lines.one_undated": "<first_line>",
    "separator": "；",
}
