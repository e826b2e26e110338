"""Impact where nothing hurts: a measured zero is one, and what was not measured is said so."""

import pytest

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.domain.skill import Skill
from superbizagent.investigation.report import write_report
from superbizagent.investigation.verify import verify_report
from tests.investigation.incidents import Diagnosed, quiet_shop, step

Skills = tuple[Skill, ...]


def changed(evidence: Evidence, name: str, value: float | None) -> Evidence:
    """Give every fact of a name another value, or take it away."""

    def of(row: ToolInvocation) -> tuple[Fact, ...]:
        named = [f.model_copy(update={"value": value}) if f.name == name else f for f in row.facts]
        return tuple(f for f in named if f.name != name or value is not None)

    rows = [r.model_copy(update={"facts": of(r)}) for r in evidence.invocations]
    return evidence.model_copy(update={"invocations": tuple(rows)})


@pytest.mark.parametrize("language", list(Language))
def test_a_measured_zero_is_no_missing_measurement(language: Language, skills: Skills) -> None:
    case = Diagnosed.of(quiet_shop(language=language), skills)
    (impact,) = case.report.section(Section.IMPACT)
    said = {
        Language.EN: "No impact seen: none of the 3 error and latency series of order-service",
        Language.ZH: "未见影响：order-service 的 3 条错误和延迟序列",
    }
    assert impact.text.startswith(said[language])
    assert case.verified().report.rejected == ()


def test_a_latency_that_fell_did_leave_its_band(skills: Skills) -> None:
    shop = quiet_shop()
    shop.add("order-service", "checkout_latency_seconds", step(2.0, 0.1))
    (impact,) = Diagnosed.of(shop, skills).report.section(Section.IMPACT)
    assert "rose above its band" in impact.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "Impact not measured: no error or latency series has data in the time looked at."),
        (None, "Impact not measured: no series was found."),
    ],
)
def test_what_has_no_samples_is_no_zero(value: float | None, text: str, skills: Skills) -> None:
    case = Diagnosed.of(quiet_shop(), skills)
    evidence = changed(case.evidence, "symptom_series_examined", value)
    report = write_report(case.scope, (), evidence, case.analysis, skills)
    (impact,) = report.section(Section.IMPACT)
    assert impact.kind is ClaimKind.ABSENCE
    assert impact.text.startswith(text)
    assert verify_report(report, evidence, case.analysis, case.scope).report.rejected == ()
    # The same words do not stand where there were samples.
    checked = verify_report(report, case.evidence, case.analysis, case.scope).report
    assert [r.claim.id for r in checked.rejected] == [impact.id]
