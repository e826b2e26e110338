"""How findings in logs are said: shifted numbers by their medians, records by their rates."""

import re

import pytest

from superbizagent.domain.finding import Analysis, FindingKind
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Section
from superbizagent.domain.skill import Skill
from superbizagent.investigation.wording.log_phrases import log_phrase
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.writer import Given, facts_of_finding
from tests.investigation.incidents import FAULT_AT, Diagnosed, Shop, quiet_shop

Skills = tuple[Skill, ...]
REQUEST = "request method=GET path=/products/OLD status={status} duration_ms={ms}"


def slowed(**more: object) -> Shop:
    """Requests come more rarely than before and take a thousand times as long."""
    shop = quiet_shop(**more)
    for at in range(-1800, -300, 2):  # the window begins three minutes before the fault
        text = REQUEST.format(status=404, ms=2 + at % 3)
        shop.log("order-service", at, text, severity="info")
    for at in range(0, 240, 4):
        text = REQUEST.format(status=404, ms=2000 + at)
        shop.log("order-service", at, text, severity="info")
    return shop


@pytest.mark.parametrize("language", list(Language))
def test_a_shifted_number_is_said_by_its_medians_with_a_line_that_shows_it(
    language: Language, skills: Skills
) -> None:
    report = Diagnosed.of(slowed(language=language), skills).report
    said = [c for c in report.section(Section.FINDINGS) if "duration_ms" in c.text]
    assert len(said) == 1
    before, after = re.findall(r"(?<![\w=])\d+(?:\.\d+)?(?![\w.:=-])", said[0].text)[:2]
    assert float(before) < 10
    assert float(after) >= 2000
    assert "duration_ms=2236" in said[0].text
    assert "×" not in said[0].text
    assert not report.rejected


def test_a_number_that_shifted_says_since_when(skills: Skills) -> None:
    shop = slowed()
    done = Diagnosed.of(shop, skills)
    shift = next(f for f in done.analysis.findings if f.kind is FindingKind.LOG_FIELD_SHIFT)
    picked = facts_of_finding(shift, done.evidence.facts())
    assert all((picked.before, picked.after, picked.line))
    onset = done.evidence.facts()[picked.onset].at
    assert onset == shift.onset_at
    assert onset is not None
    assert abs((onset - FAULT_AT).total_seconds()) <= 15


def test_of_few_records_nobody_knows_since_when_their_number_shifted(skills: Skills) -> None:
    shop = quiet_shop()
    for at in (-900, -800, -700, 10, 20, 30):
        text = REQUEST.format(status=404, ms=2000 if at > 0 else 2)
        shop.log("order-service", at, text, severity="info")
    done = Diagnosed.of(shop, skills)
    shift = next(f for f in done.analysis.findings if f.kind is FindingKind.LOG_FIELD_SHIFT)
    picked = facts_of_finding(shift, done.evidence.facts())
    assert (picked.onset, bool(picked.before and picked.after and picked.line)) == ("", True)


def test_records_of_windows_of_unequal_length_are_compared_as_rates(skills: Skills) -> None:
    shop = quiet_shop()
    shop.log("order-service", -1800, "cannot reach the cache", every=60)
    shop.log("order-service", 0, "cannot reach the cache", every=2)
    report = Diagnosed.of(shop, skills).report
    said = next(c for c in report.section(Section.FINDINGS) if "cache" in c.text)
    assert [d.operation for d in said.derivations] == ["rate", "rate"]
    assert re.search(r"order-service [\d.]+/s, before [\d.]+/s: ", said.text)
    assert not report.rejected


def test_what_came_no_more_often_is_no_evidence(skills: Skills) -> None:
    shop = quiet_shop()
    shop.log("order-service", -1800, "cannot reach the cache", every=60)
    shop.log("order-service", 0, "cannot reach the cache", every=2)
    done = Diagnosed.of(shop, skills)
    burst = next(f for f in done.analysis.findings if f.kind is FindingKind.LOG_BURST)
    picked = facts_of_finding(burst, done.evidence.facts())
    given = Given(shop.scope(), (), done.evidence, Analysis(), skills)
    narrator = narrator_for(Language.EN)
    rarer = burst.model_copy(update={"incident": burst.baseline})
    assert log_phrase(given, narrator, burst, picked) is not None
    assert log_phrase(given, narrator, rarer, picked) is None


def _cached(language: Language) -> Shop:
    """Of a thousand look-ups half miss from the fault on, right after the settings are read."""
    shop = quiet_shop(language=language)
    for second in range(-1800, 240):
        for part in range(4):
            number = 4 * (second + 1800) + part
            hits = 2 if second >= 0 else 14
            outcome = "hit" if number % 15 < hits else "miss"
            shop.log("order-service", second + part / 4, f"cache {outcome} key={number}")
    return shop.log("order-service", -5, "settings reloaded")


@pytest.mark.parametrize("language", list(Language))
def test_a_rate_that_fell_is_said_by_its_name_with_what_came_right_before(
    language: Language, skills: Skills
) -> None:
    done = Diagnosed.of(_cached(language), skills)
    (found,) = (f for f in done.analysis.findings if f.kind is FindingKind.LOG_SHARE_SHIFT)
    assert found.onset_at is not None
    assert abs((found.onset_at - FAULT_AT).total_seconds()) <= 15
    said = [c.text for c in done.report.section(Section.FINDINGS) if "93.3 %" in c.text]
    assert len(said) == 1
    assert re.search(r"\bhit\b.*93\.3 %.*1\d(?:\.\d)? %", said[0])
    assert "settings reloaded" in said[0]
    assert not done.report.rejected


@pytest.mark.parametrize("language", list(Language))
def test_one_odd_code_is_told_and_is_no_cause(language: Language, skills: Skills) -> None:
    shop = quiet_shop(language=language)
    for second in range(-1800, 240):
        shop.log("order-service", second, REQUEST.format(status=200, ms=5), severity="info")
    shop.log("order-service", 60.5, REQUEST.format(status=503, ms=5), severity="info")
    done = Diagnosed.of(shop, skills)
    (found,) = (f for f in done.analysis.findings if f.kind is FindingKind.LOG_RARE_VALUE)
    assert (found.subject.rpartition("[")[2], found.incident) == ("status] 503", 1)
    picked = facts_of_finding(found, done.evidence.facts())
    given = Given(shop.scope(), (), done.evidence, done.analysis, skills)
    narrator = narrator_for(language)
    phrase = log_phrase(given, narrator, found, picked)
    assert phrase is not None
    assert "status=503" in done.evidence.facts()[picked.line].quote
    assert log_phrase(given, narrator, found, picked, "what.ranked") is None
    assert not done.analysis.candidates
