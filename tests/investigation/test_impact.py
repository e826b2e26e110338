"""What the symptom costs: which series count, over which time, against what."""

import re

import pytest

from superbizagent.domain.check import Reduce
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Section
from superbizagent.domain.skill import Skill
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.windows import check_windows
from tests.investigation.incidents import (
    ALERT_AT,
    END,
    FAULT_AT,
    Diagnosed,
    Shop,
    counter,
    pool_incident,
    step,
)

Skills = tuple[Skill, ...]
MARKS = re.compile(r" (\[E[\d.]+\])+$")
SERVED = "http_server_request_duration_seconds"


def shop() -> Shop:
    """A service of which nothing but its requests is known."""
    return Shop(noise=0.0).add("order-service", "process_resident_memory_bytes", step(1e8, 1e8))


def requests(
    to: Shop, status: str, rate: tuple[float, float], seconds: tuple[float, float], route: str
) -> Shop:
    labels = {"http_response_status_code": status, "http_route": route}
    spent = (rate[0] * seconds[0], rate[1] * seconds[1])
    to.add("order-service", f"{SERVED}_count", counter(*rate), **labels)
    return to.add("order-service", f"{SERVED}_sum", counter(*spent), **labels)


def impact(of: Shop, skills: Skills) -> list[str]:
    return impact_of(Diagnosed.of(of, skills))


def impact_of(case: Diagnosed) -> list[str]:
    assert case.verified().report.rejected == ()
    return [MARKS.sub("", c.text) for c in case.report.section(Section.IMPACT)]


def test_series_that_are_no_finding_count_as_well(skills: Skills) -> None:
    """A faint route fails too: its labels part one number."""
    of = requests(shop(), "200", (8, 4), (0.05, 1), "/a")
    requests(of, "503", (0, 4), (1, 1), "/a")
    requests(of, "503", (0, 0.02), (1, 1), "/b")
    assert impact(of, skills)[0] == (
        "Errors at order-service: 965 of 1925 requests failed (50.1 %, 4.02/s), none before."
    )


def test_what_failed_before_is_a_share_as_well(skills: Skills) -> None:
    of = requests(shop(), "200", (8, 4), (0.05, 1), "/a")
    requests(of, "503", (0.1, 4), (1, 1), "/a")
    assert impact(of, skills)[0] == (
        "Errors at order-service: 960 of 1920 requests failed (50 %, 4/s), 1.23 % before."
    )


def test_latency_is_weighted_by_requests(skills: Skills) -> None:
    """A rare slow route does not make all requests slow."""
    of = requests(shop(), "200", (9, 9), (0.1, 1), "/a")
    requests(of, "200", (1, 1), (0.1, 11), "/b")
    (latency,) = impact(of, skills)
    assert latency == "Latency at order-service: 2 s mean, 0.1 s before."


def test_a_single_series_is_named(skills: Skills) -> None:
    of = requests(shop(), "200", (9, 9), (0.1, 1), "/a")
    (latency,) = impact(of, skills)
    assert "order-service (http_server_request_duration_seconds_sum{http_res" in latency
    assert 'http_route="/a"})' in latency


def test_errors_that_nothing_counts_against_are_a_number(skills: Skills) -> None:
    of = shop()
    for kind in ("a", "b"):
        of.add("order-service", "app_errors_total", counter(0, 1), kind=kind)
    assert impact(of, skills) == ["Errors at order-service: 480 (2/s), none before."]
    rarely = shop()
    for kind in ("a", "b"):
        rarely.add("order-service", "app_errors_total", counter(0.01, 1), kind=kind)
    assert impact(rarely, skills) == ["Errors at order-service: 480 (2/s), 0.02/s before."]


def test_a_gauge_is_a_mean_against_a_mean(skills: Skills) -> None:
    """The baseline lies low nine times of ten: its median is 20 ms, its mean 27.9 ms."""

    def shape(t: float) -> float:
        return 0.5 if t >= 0 else 0.1 if t % 150 == 0 else 0.02

    of = shop().add("order-service", "latency_seconds", shape)
    (latency,) = impact(of, skills)
    assert latency == "Latency at order-service (latency_seconds): 0.5 s mean, 27.9 ms before."


def test_impact_covers_the_time_since_it_hurts(skills: Skills) -> None:
    facts = Diagnosed.of(pool_incident(), skills).evidence.facts().values()
    failed = [f for f in facts if f.statistic == "failed"]
    first, before = failed
    assert first.window is not None
    assert 0 <= (first.window.start - FAULT_AT).total_seconds() <= 15
    assert first.window.end == END
    assert (first.value, before.value) == (720, 0)


def test_checks_begin_with_the_symptom_and_not_with_the_alert(skills: Skills) -> None:
    facts = Diagnosed.of(pool_incident(), skills).evidence.facts().values()

    def starts(of: list[Fact]) -> set[object]:
        return {f.window.start for f in of if f.window is not None and f.window.end == END}

    increases = starts([f for f in facts if f.statistic == "increase"])
    assert increases == starts([f for f in facts if f.statistic == "failed"])
    assert ALERT_AT not in increases


def test_an_onset_comes_before_the_alert_as_start_of_averages() -> None:
    scope = pool_incident().scope()
    windows = check_windows(scope, FAULT_AT)
    assert windows.of(Reduce.INCREASE) == Window(start=FAULT_AT, end=END)
    assert windows.of(Reduce.MAX) == scope.windows.incident
    assert not check_windows(scope, END).narrowed  # nothing is left to average


@pytest.mark.parametrize(
    ("language", "words"),
    [(Language.EN, " (from 12:00:00 on)."), (Language.ZH, "（自 12:00:00 起）。")],
)
def test_a_sentence_over_another_time_says_so(
    language: Language, words: str, skills: Skills
) -> None:
    """An average takes four samples: scraped once a minute, it begins before the first sign."""
    case = Diagnosed.of(pool_incident(step_seconds=60.0, language=language), skills)
    assert "12:01:00" in case.report.section(Section.WHAT)[1].text
    assert all(words in t for t in impact_of(case))
    why = [c.text for c in case.report.section(Section.WHY)]
    assert [words in text for text in why] == [False, True, True]
    at_once = Diagnosed.of(pool_incident(language=language), skills)
    assert not any("from" in t or "自" in t for t in impact_of(at_once))


def test_what_a_series_went_to_leaves_the_healthy_minutes_out(skills: Skills) -> None:
    """The look begins minutes early: a mean over all of it is neither before nor after."""
    of = shop().add("order-service", "process_cpu_usage", step(0.2, 0.9))
    of.add("order-service", "db_client_connection_timeouts_total", counter(0, 4))
    requests(of, "200", (8, 2), (0.05, 2.5), "/a")
    requests(of, "503", (0, 4), (0.05, 1), "/a")
    case = Diagnosed.of(of, skills)
    told = [MARKS.sub("", c.text) for c in case.report.claims if "went from" in c.text]
    said = "\n".join(told)
    assert "process_cpu_usage went from 0.2 to 0.9" in said
    assert "timeouts_total went from 0/s to 4/s" in said
    assert "went from 50 ms to 2.5 s" in said
