"""Marks in a report against the rows they point to."""

from typing import Any

from gate_rows import ROWS, row
from superbizagent.investigation.gate.citations import citations_of, marks_of


def test_marks_are_read_alone_and_in_groups() -> None:
    text = "a [E1] b [E2.1, E2.2] c [E3.4、E1] d [E] [x E9] (E8) [E7"
    assert marks_of(text) == ("E1", "E2.1", "E2.2", "E3.4")


def test_marks_resolve_to_rows_in_call_order() -> None:
    cited = citations_of("[E2.2] [E1] [E9] [E1.77]", ROWS)
    assert [r.number for r in cited.rows] == [1, 2]
    assert cited.unknown == ("E9", "E1.77")


def test_a_row_without_listed_facts_answers_for_any_mark() -> None:
    odd: list[Any] = [None, {}, {"facts": []}, "text", {"facts": "none"}]
    for details in odd:
        assert citations_of("[E4.7]", (row(4, "ping", details=details),)).unknown == ()


def test_a_long_list_of_facts_is_stored_apart() -> None:
    long = row(4, "ping", details={"facts": [{"id": "E4.1"}], "facts_total": 300})
    assert citations_of("[E4.300]", (long,)).unknown == ()
    assert citations_of("[E4.301]", (long,)).unknown == ("E4.301",)
