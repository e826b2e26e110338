"""Check ``report_presence``: is there a report at all, and does it have what a reader expects?"""

import re

import orjson

from superbizagent.domain.evaluation import AiopsCheck, AiopsCheckId
from superbizagent.domain.report import Report
from superbizagent.investigation.gate.normalise import compact, statements
from superbizagent.investigation.gate.ruling import Ruling, failed, passed, warned
from superbizagent.investigation.gate.wording import (
    EXPECTED_SECTIONS,
    INCOMPLETE,
    PLACEHOLDERS,
    RAW_ERROR,
    REASON,
    SECTION_OF_CLAIM,
    ReportPart,
    part_of,
)

__all__ = ["absence_of", "check_presence", "parts_present"]

SHORT = 80
"""Weight below which a report is short: one sentence. A Chinese character weighs two."""
_FENCE = re.compile(r"^\s*```\w*\n(.*?)\n?```\s*$", re.DOTALL)
_SLOT = re.compile(r"^[\W_]*(?:\{\{?[^{}]*\}?\}|<[^<>]*>|\[[^\[\]]*\]|\.{3}|…)[\W_]*$")
_JSON_HEAD = re.compile(r'^\s*(?:\{\s*"|\[\s*\{|\{\s*\}|\[\s*\])')
_FRAME = re.compile(r'^\s+(?:at |File ")|^\s*(?:Caused by:|\.{3} \d+ more)')
_EXPECTED = "a report with a conclusion, evidence and next steps"


def check_presence(text: str | None, report: Report | None) -> AiopsCheck:
    """Judge the stored report's form.

    Args:
        text: the report as stored.
        report: its structured form, when there is one; its slots count as sections.

    Returns:
        FAIL for what is no report; WARN for a short or partial one; else PASS.
    """
    absent = absence_of(text)
    if text is None or absent is not None:
        rule, found = absent or ("blank", "")
        ruling = failed(rule, "there is no report to read", expected=_EXPECTED, found=found)
    else:
        ruling = _form(text, parts_present(text, report))
    return ruling.check(AiopsCheckId.REPORT_PRESENCE)


def _form(text: str, parts: frozenset[ReportPart]) -> Ruling:
    """Judge a text that is a report; an honest "could not complete" needs a reason, no sections."""
    found = f"sections: {', '.join(sorted(parts)) or 'none'}"
    missing = [part for part in EXPECTED_SECTIONS if part not in parts]
    weight = _weight(text)
    if not missing and weight >= SHORT and not _lacks_reason(text):
        return passed("present", "the report is complete in form", expected=_EXPECTED, found=found)
    if INCOMPLETE.search(text):
        return _incomplete(text, found)
    if ReportPart.CONCLUSION in missing:
        message = "the report has no conclusion section"
        return warned("no_conclusion", message, expected=_EXPECTED, found=found)
    if weight < SHORT:
        return warned(
            "short",
            "the report is shorter than one sentence of findings",
            expected=f"at least {SHORT} characters, a Chinese one counting two",
            found=f"{weight} characters",
        )
    message = f"the report lacks: {', '.join(missing)}"
    return warned("section_missing", message, expected=_EXPECTED, found=found)


def _incomplete(text: str, found: str) -> Ruling:
    if _lacks_reason(text):
        return warned(
            "incomplete_without_reason",
            "the report says it could not be completed and gives no reason",
            expected="the reason why the diagnosis could not be completed",
            found="no reason",
        )
    message = "the report says why it could not be completed"
    return passed("incomplete_with_reason", message, expected=_EXPECTED, found=found)


def _lacks_reason(text: str) -> bool:
    return bool(INCOMPLETE.search(text)) and not REASON.search(text)


def absence_of(text: str | None) -> tuple[str, str] | None:
    """Return (rule word, what was found) when the text is no report, else None."""
    if text is None:
        return "blank", "nothing was stored"
    body = _unfenced(text)
    if not any(line for _, line in statements(body)):
        return "blank", "no statement" if body.strip() else "blank text"
    if _is_json(body):
        return "raw_json", "raw JSON instead of a report"
    whole = compact(re.sub(r"[^\w\s]", " ", body))
    if whole in PLACEHOLDERS or _SLOT.match(body):
        return "placeholder", f"only {body.strip()[:60]!r}"
    if _is_error(body):
        return "raw_error", f"error text: {body.strip().splitlines()[0][:80]!r}"
    return None


def parts_present(text: str, report: Report | None) -> frozenset[ReportPart]:
    """Return the parts that have at least one statement."""
    found: set[ReportPart] = set()
    for heading, line in statements(text):
        if line:
            found |= part_of(heading)
    if report is not None:
        found |= {
            SECTION_OF_CLAIM[c.section] for c in report.claims if c.section in SECTION_OF_CLAIM
        }
    return frozenset(found)


def _unfenced(text: str) -> str:
    fenced = _FENCE.match(text)
    return fenced.group(1) if fenced else text


def _is_json(body: str) -> bool:
    if not _JSON_HEAD.match(body):
        return False
    try:
        orjson.loads(body)
    except orjson.JSONDecodeError:
        # cut-off JSON is no report either; prose would have a line that does not look like it
        return all(re.match(r'^\s*["{}\[\]\d\-tfn,]', line) for line in body.splitlines() if line)
    return True


def _is_error(body: str) -> bool:
    """Tell whether the text is a crash or a failed request rather than a report about one."""
    if not RAW_ERROR.match(body):
        return False
    if INCOMPLETE.search(body) and REASON.search(body):
        return False
    lines = [line for line in body.splitlines() if line.strip()]
    prose = [line for line in lines[1:] if not _FRAME.match(line)]
    headed = any(part_of(heading) for heading, line in statements(body) if line)
    return not headed and (len(lines) <= 2 or len(prose) * 2 <= len(lines))


def _weight(text: str) -> int:
    """Return the length of the statements, a wide character counting two."""
    prose = "".join(line for _, line in statements(text))
    return sum(2 if ord(char) > 0x2E80 else 1 for char in prose)  # from CJK radicals on
