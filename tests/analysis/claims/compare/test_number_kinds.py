"""Numbers that no stored fact has: what counters showed, counts of samples, two times compared."""

from collections.abc import Callable

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

_NUMBERS = (PartKind.NUMBER, PartKind.DERIVED)

Judged = Callable[..., list[str]]


@pytest.fixture(scope="module")
def stands(judged: Judged) -> Callable[..., bool]:
    """Return ``text -> whether every number of it holds``, at least one."""

    def hold(text: str, **more: str) -> bool:
        found = [outcome for kind in _NUMBERS for outcome in judged(text, kind=kind, **more)]
        return bool(found) and set(found) == {"holds"}

    return hold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db_client_connection_timeouts_total stood at 716 at the end.", True),
        ("db_client_connection_timeouts_total stood at 715 at the end.", False),
        ("The timeouts counter of order-service's pool stood at 716 at the end.", True),
        # Born in the incident: none before.
        ("Requests of order-service that failed with 503 went from 0 to 716.", True),
        ("Requests of order-service that failed with 503 went from 716 to 0.", False),
    ],
)
def test_what_a_counter_showed(stands: Callable[..., bool], text: str, *, expected: bool) -> None:
    assert stands(text) is expected


def test_what_a_counter_shows_is_no_number_of_events(stands: Callable[..., bool]) -> None:
    # Its counter shows that many: most of them are older than the look.
    assert not stands("mysql opened 2,597 files.")
    assert stands("The counter of opened files of mysql began at 2,597.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In 91 of the 93 scrapes since the onset the pool of order-service was full.", True),
        ("In 91 of the 93 scrapes since the onset order-service had 10 connections used.", True),
        ("In 92 of the 93 scrapes since the onset the pool of order-service was full.", False),
        ("In 91 of the 94 scrapes since the onset the pool of order-service was full.", False),
        ("In 91 of the 93 scrapes before the incident the pool of order-service was full.", False),
        ("order-service 的连接池自故障以来 93 次抓取中有 91 次是满的。", True),
        ("order-service 的连接池自故障以来 93 次抓取中有 93 次是满的。", False),
        # A span that the sentence gives.
        ("Between 12:42 and 12:48 the pool of order-service was full in 71 scrapes.", True),
        ("Between 12:42 and 12:48 the pool of order-service was full in 72 scrapes.", False),
        # All, the last, none.
        ("The last three samples of used connections at order-service are at 10.", True),
        ("The last three samples of used connections at order-service are at 9.", False),
        ("All 93 scrapes since the onset had 10 used connections at order-service.", False),
        # What they had to be is not understood.
        ("In 91 of the 93 scrapes since the onset the pool of order-service was healthy.", False),
        ("In 91 of the 93 scrapes since the onset the pool was not full.", False),
    ],
)
def test_in_how_many_samples(stands: Callable[..., bool], text: str, *, expected: bool) -> None:
    assert stands(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Waiting requests at order-service rose by 13 from 12:40:48 to 12:42:18.", True),
        ("Waiting requests at order-service rose by 19 from 12:40:48 to 12:42:18.", False),
        # Each value is said of its own time.
        ("Requests waiting at order-service went from 0 at 12:40:48 to 13 at 12:42:18.", True),
        ("Requests waiting at order-service went from 13 at 12:40:48 to 0 at 12:42:18.", False),
        ("order-service 等待连接的请求从 12:40:48 的 0 升到 12:42:18 的 13。", True),
        ("order-service 等待连接的请求从 12:40:48 的 13 升到 12:42:18 的 0。", False),
        # Against the baseline.
        ("At 12:42:18 connections used at order-service were 39.5 times their usual mean.", True),
        ("At 12:42:18 connections used at order-service were 15 times their usual mean.", False),
    ],
)
def test_two_times_of_one_series(stands: Callable[..., bool], text: str, *, expected: bool) -> None:
    assert stands(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # How far from the baseline.
        ("Used connections at order-service were 9.75 over their usual 0.253.", True),
        ("Used connections at order-service were 8.75 over their usual 0.253.", False),
        # The baseline that lacks something is not when it happened.
        ("717 refusals of a kind unseen in the baseline are in the log of order-service.", True),
        (
            "718 refusals of a kind unseen in the baseline are in the log of order-service.",
            False,
        ),
        # A part and its whole are of the same series.
        ("19.4 % of the requests of order-service failed.", True),
        ("storefront 的请求同样有 19.4% 失败。", False),
    ],
)
def test_what_words_around_a_number_mean(
    stands: Callable[..., bool], text: str, *, expected: bool
) -> None:
    assert stands(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # p90 of order-service is 4.4 s, p50 1.48 s; before, p95 was 94 ms.
        ("One in ten requests of order-service took 4.3 s or longer.", True),
        ("One in ten requests of order-service took 5.5 s or longer.", False),
        ("One in ten requests of order-service took less than 4.3 s.", False),
        ("Half of the requests of order-service took more than 1.4 s.", True),
        ("Half of the requests of order-service took more than 3.4 s.", False),
        ("Half of the long holds blamed on place_order lasted about 3.1 s or more.", True),
        ("Half of the long holds blamed on place_order lasted 3.3 s or more.", False),
        ("Before the incident 95 % of the requests of order-service took less than 100 ms.", True),
        ("Before the incident 95 % of the requests of order-service took less than 90 ms.", False),
    ],
)
def test_a_share_of_slow_calls_is_a_percentile(
    stands: Callable[..., bool], text: str, *, expected: bool
) -> None:
    assert stands(text) is expected
