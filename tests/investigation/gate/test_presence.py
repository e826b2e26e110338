"""The form of a report: which sections it has, what is too little, what is none."""

import pytest

from gate_rows import NOW
from stored_session import scope_of
from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Claim, ClaimKind, Frame, Report, Section
from superbizagent.investigation.gate.presence import check_presence, parts_present
from superbizagent.investigation.gate.wording import part_of


def report(*sections: Section) -> Report:
    claims = tuple(
        Claim(id=f"c{n}", section=s, kind=ClaimKind.OBSERVATION, template="t", text="t")
        for n, s in enumerate(sections)
    )
    frame = Frame(windows=scope_of().windows, now=NOW)
    return Report(
        language=Language.EN, frame=frame, title="t", verdict=Verdict.LIKELY, claims=claims
    )


PROSE = "The pool of order-service is full: 50 of 50 connections are busy, 23 threads wait for one."


@pytest.mark.parametrize(
    ("heading", "parts"),
    [
        ("Conclusion", {"conclusion"}),
        ("1. Root-cause analysis", {"conclusion", "evidence"}),
        ("诊断结论", {"conclusion"}),
        ("二、处理建议", {"next_steps"}),
        ("ＣＯＮＣＬＵＳＩＯＮ", {"conclusion"}),
        ("What to do now", {"next_steps"}),
        ("Appendix", set[str]()),
    ],
)
def test_headings_open_parts(heading: str, parts: set[str]) -> None:
    assert part_of(heading) == parts


def test_slots_of_a_structured_report_count_as_sections() -> None:
    slots = report(Section.WHAT, Section.FINDINGS, Section.CHECK_NEXT, Section.CALLS)
    assert check_presence(PROSE, slots).rule_id == "report_presence.present"
    assert check_presence(PROSE, None).rule_id == "report_presence.no_conclusion"
    assert parts_present(PROSE, report(Section.CALLS)) == frozenset()


def test_a_heading_without_text_is_no_section() -> None:
    text = f"## Conclusion\n{PROSE}\n## Evidence\n\n## Next steps\nlook"
    assert parts_present(text, None) == {"conclusion", "next_steps"}
    assert check_presence(text, None).message == "the report lacks: evidence"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{oops} is how order-service answered", "no_conclusion"),
        ('{"a": 1} is what it sent.\nThe pool was full by then.', "no_conclusion"),
        ('[{"a": 1},\n{"b": 2', "raw_json"),
        ('{"a": 1}', "raw_json"),
        ('{"a": {"b": [1, 2]}}', "raw_json"),
        ("{report}", "placeholder"),
        ("Error: refused\nThe pool was full.\nThreads waited.\nIt ended at noon.", "no_conclusion"),
        ("Error: refused\n## Conclusion\nfull", "short"),
        ('Traceback (most recent call last):\n  File "a"\n  File "b"\nKeyError: 1', "raw_error"),
        ("Error: cannot complete because Loki refused", "incomplete_with_reason"),
        ("池子满了", "no_conclusion"),
        ("## 结论\n池子满了，五十个连接全部被占用。", "short"),
    ],
)
def test_what_is_a_report(text: str, rule: str) -> None:
    assert check_presence(text, None).rule_id == f"report_presence.{rule}"
