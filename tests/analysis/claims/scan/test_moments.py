"""Points in time, in every spelling that people write them in."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.mentions import Moment
from superbizagent.analysis.claims.scan.moments import find_moments
from superbizagent.analysis.claims.scan.sentences import normalise

NOW = datetime(2026, 11, 30, 12, 50, tzinfo=UTC)
AT = datetime(2026, 11, 30, 12, 41, tzinfo=UTC)
CHINA = timezone(timedelta(hours=8))
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def found(text: str, zone: timezone = UTC, now: datetime = NOW) -> tuple[Moment, ...]:
    return find_moments(normalise(text), (), now, zone)


def only(text: str, zone: timezone = UTC, now: datetime = NOW) -> Moment:
    (moment,) = found(text, zone, now)
    return moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30 12:41",
        "2026-11-30T12:41Z",
        "2026/11/30 12:41",
        "2026-11-30T20:41+08:00",
        "2026-11-30T07:41:00-05:00",
        "20261130T124100Z",
        "30/Nov/2026:12:41:00 +0000",
        "30.11.2026 12:41",
        "11/30 12:41",
        "30/11 12:41",
        "12:41",
        "12:41:00",
        "12:41 UTC",
        "12:41Z",
        "1241 UTC",
        "12:41 GMT",
        "12:41 pm",
        "12:41 p.m.",
        "8:41pm UTC+8",
        "20:41 Beijing time",
        "20:41 (Beijing time)",
        "20:41 China Standard Time",
        "Beijing time 20:41",
        "20:41 UTC+8",
        "20:41 (UTC+08:00)",
        "20:41 (GMT+8)",
        "20:41+08:00",
        "20:41 +0800",
        "21:41 JST",
        "07:41 EST",
        "13:41 CET",
        "18:11 IST",
        "07:41 New York time",
        "7:41 in the morning in New York",
        "13:41 in Berlin",
        "8:41 in the evening, Beijing time".replace(",", ""),
        "20:41 in Shanghai",
        "Nov 30 12:41",
        "Nov. 30, 12:41",
        "Nov 30, 2026 at 12:41",
        "November 30th, 2026, 12:41 UTC",
        "30 November 2026 12:41",
        "30 Nov 12:41",
        "the 30th of November, 12:41",
        "12:41 on Nov 30",
        "12:41 UTC on 30 November 2026",
        "today at 12:41",
        "today 12:41",
        "12:41 today",
        "this afternoon at 12:41",
        "12 点 41 分",
        "12点41分",
        "12点41",
        "12时41分",
        "12时41分0秒",
        "十二点四十一分",
        "中午12点41分",
        "中午 12:41",
        "今天 12:41",
        "今天中午12点41分",
        "11月30日 12:41",
        "11 月 30 号 12 点 41 分",
        "2026年11月30日12时41分",
        "北京时间 20:41",
        "北京时间20点41分",
        "北京时间晚上8点41分",
        "下午8点41分（北京时间）",
        "晚上 8:41 北京时间",
        "20:41（北京时间）",
        "20：41 UTC+8",
        "２０：４１ 北京时间",
        "东京时间 21:41",
        "1796042460",
        "1796042460.0",
        "1796042460000",
        "9 min ago",
        "9 minutes ago",
        "nine minutes ago",
        "540 s ago",
        "9 分钟前",
        "9 分钟之前",
        "九分钟前",
    ],
)
def test_spellings_of_one_instant_allow_it(text: str) -> None:
    moment = only(f"it rose {text}")

    assert moment.accepts(AT)
    assert not moment.accepts(AT - 3 * MINUTE)
    assert not moment.accepts(AT + 3 * MINUTE)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at 12:41", -30, 60),
        ("at 12:41:00", -0.5, 1),
        ("at 12:41:00.0", -0.05, 0.1),
        ("at about 12:41", -120, 120),
        ("around 12:41", -120, 120),
        ("~12:41", -120, 120),
        ("约 12:41", -120, 120),
        ("12:41 左右", -120, 120),
        ("12:41 or so", -120, 120),
        ("at 12 pm", -41 * 60 - 1800, -41 * 60 + 3600),
        ("on Nov 30", -12 * 3600 - 41 * 60, 11 * 3600 + 19 * 60),
        ("9 min ago", -60, 30),
        ("1796042460", -0.5, 1),
        ("1796042460000", -0.0005, 0.001),
    ],
)
def test_precision_is_what_is_written(text: str, low: float, high: float) -> None:
    moment = only(text)

    assert moment.low == AT + timedelta(seconds=low)
    assert abs(moment.high - (AT + timedelta(seconds=high))) <= timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("at 12:41", "at"),
        ("12:41", "at"),
        ("since 12:41", "since"),
        ("since about 12:41", "since"),
        ("from 12:41 on", "since"),
        ("starting at 12:41", "since"),
        ("自 12:41 起", "since"),
        ("从12:41开始", "since"),
        ("12:41 以来", "since"),
        ("12:41 onwards", "since"),
        ("until 12:41", "until"),
        ("up to 12:41", "until"),
        ("直到 12:41", "until"),
        ("截至 12:41", "until"),
        ("before 12:41", "before"),
        ("by 12:41", "before"),
        ("prior to 12:41 UTC", "before"),
        ("12:41 之前", "before"),
        ("在 12:41 以前", "before"),
        ("after 12:41", "after"),
        ("shortly after 12:41", "after"),
        ("12:41 之后", "after"),
        ("12:41 后恢复", "after"),
        ("12:41 前后", "at"),
        ("9 min ago", "ago"),
        ("9 分钟前", "ago"),
    ],
)
def test_prepositions(text: str, said: str) -> None:
    assert only(text).preposition == said


@pytest.mark.parametrize(
    "text",
    [
        "from 12:41 to 12:47",
        "12:41-12:47",
        "12:41–12:47 UTC",
        "between 12:41 and 12:47",
        "between 20:41 and 20:47 Beijing time",
        "Beijing time 20:41 to 20:47",
        "from 12:41 until about 12:47",
        "从 12:41 到 12:47",
        "12:41 至 12:47 之间",
        "12:41~12:47",
        "In Shanghai it went on from 20:41 to 20:47",
        "北京时间里, 从 20:41 到 20:47",
        "北京时间 20:41 至 20:47",
        "Nov 30 12:41 to 12:47",
        "2026-11-30 12:41 - 12:47",
    ],
)
def test_the_ends_of_a_range_lend_each_other_what_is_missing(text: str) -> None:
    first, last = found(text)

    assert first.accepts(AT)
    assert last.accepts(AT + 6 * MINUTE)
    assert (first.preposition, last.preposition) == ("since", "until")


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-07-01 08:41 New York time", 12),
        ("2026-01-05 08:41 New York time", 13),
        ("2026-03-08 01:41 New York time", 6),
        ("2026-03-08 03:41 New York time", 7),
        ("2026-11-01 02:41 New York time", 7),
        ("2026-07-01 14:41 in Berlin", 12),
        ("2026-03-29 01:41 in Berlin", 0),
        ("2026-03-29 03:41 in Berlin", 1),
        ("2026-10-25 03:41 in Berlin", 2),
        ("2026-07-01 13:41 in London", 12),
    ],
)
def test_summer_time(text: str, hour: int) -> None:
    assert (only(text).low + MINUTE).hour == hour


def test_a_place_that_is_not_said_to_give_the_time_gives_none() -> None:
    assert only("北京机房的告警在 12:41 触发").accepts(AT)
    assert only("the host in China-3 fired at 12:41").low.hour in {4, 12}


def test_two_times_joined_by_and_are_no_range() -> None:
    first, last = found("it rose at 12:41 and at 12:47")

    assert (first.preposition, last.preposition) == ("at", "at")


def test_a_time_in_brackets_says_the_same_in_another_zone() -> None:
    first, second = found("at 12:41 (20:41 Beijing time)")

    assert first.accepts(AT)
    assert second.accepts(AT)


def test_a_later_time_takes_the_date_and_zone_of_the_sentence() -> None:
    _, rose, fell = found("On Nov 29 it rose at 20:41 Beijing time, then fell at 20:47")

    assert rose.accepts(AT - timedelta(days=1))
    assert fell.accepts(AT + 6 * MINUTE - timedelta(days=1))


@pytest.mark.parametrize(
    ("text", "now", "day"),
    [
        ("23:50", datetime(2026, 11, 30, 0, 10, tzinfo=UTC), 29),
        ("00:10", datetime(2026, 11, 29, 23, 50, tzinfo=UTC), 30),
        ("12:41", datetime(2026, 11, 30, 13, 0, tzinfo=UTC), 30),
        ("yesterday 12:41", NOW, 29),
        ("昨天 12:41", NOW, 29),
        ("昨晚 11 点", NOW, 29),
        ("last night at 11:05", NOW, 29),
        ("前天12:41", NOW, 28),
    ],
)
def test_a_time_without_date_is_the_nearest(text: str, now: datetime, day: int) -> None:
    assert (only(text, now=now).low + MINUTE).day == day


def test_a_date_without_year_is_the_nearest() -> None:
    assert only("Dec 31", now=datetime(2027, 1, 2, tzinfo=UTC)).low.year == 2026
    assert only("2月29日", now=datetime(2027, 1, 2, tzinfo=UTC)).low == datetime(
        2028, 2, 29, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("text", "zone"),
    [("20:41", CHINA), ("20:41 local time", CHINA), ("当地时间 20:41", CHINA), ("20:41 CST", CHINA),
     ("06:41 CST", UTC), ("北京时间 20:41", UTC), ("12:41 UTC", CHINA)],
)  # fmt: skip
def test_a_time_without_zone_is_in_the_readers(text: str, zone: timezone) -> None:
    assert only(text, zone).accepts(AT)


@pytest.mark.parametrize(
    "text",
    [
        "a ratio of 3:1",
        "25:99",
        "12:412",
        "1.12:41",
        "12:41:17:500",
        "two points: 两点建议",
        "以下三点",
        "第三点",
        "三点五倍",
        "2.5 个百分点",
        "it may 5 times",
        "today it failed",
        "今天失败",
        "31 November 12:41",
        "0000-01-01 10:00",
        "1234567890 requests",
        "716 requests",
        "提前 8 分钟",
        "8 分钟前后",
        "a few minutes ago",
        "from 3 to 5",
        "版本 11.30",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert found(text) == ()


def test_nothing_is_read_in_what_is_taken() -> None:
    text = "it wrote 12:41 at 12:47"

    assert [m.text for m in find_moments(text, [(9, 14)], NOW, UTC)] == ["12:47"]


_SOME = (
    "12:41|2026-11-30|Nov 30|11月30日|今天|下午8点|点|分|:|-|UTC|+08:00|Z"
    "|北京时间| |to|and|9 min ago"
    "|8 分钟前|1796042460|(|)|24:00|约|零|十二|tonight|12 am|99|T|.|9999-12-31|0001-01-01|秒"
)
_PIECES = st.sampled_from(_SOME.split("|"))
_TEXT = st.one_of(st.text(), st.lists(_PIECES, max_size=20).map("".join))
_NOW = st.datetimes(timezones=st.sampled_from([UTC, CHINA]))


@given(_TEXT, _NOW, st.sampled_from([UTC, CHINA, timezone(-timedelta(hours=12))]))
def test_any_text_gives_moments_where_they_stand(text: str, now: datetime, zone: timezone) -> None:
    text = normalise(text)
    end = 0
    for moment in find_moments(text, (), now, zone):
        assert text[moment.start : moment.end] == moment.text != ""
        assert moment.start >= end
        assert moment.low <= moment.high
        assert moment.low.utcoffset() == timedelta(0)
        end = moment.end


@given(
    st.integers(3600, 23 * 3600),
    st.integers(-11, 13),
    st.sampled_from([UTC, CHINA]),
)
def test_equivalent_spellings_overlap(second: int, hours: int, zone: timezone) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC) + second * SECOND
    there = at.astimezone(timezone(timedelta(hours=hours)))
    here = at.astimezone(zone)
    beijing = at.astimezone(CHINA)
    ago = int((NOW - at).total_seconds())
    spellings = [
        f"{there:%Y-%m-%d %H:%M} UTC{hours:+d}",
        f"{there:%Y-%m-%d %H:%M:%S}{hours:+03d}:00",
        f"{at:%Y-%m-%dT%H:%M:%SZ}",
        f"{here:%b %d %H:%M}",
        f"{here:%d %B %Y, %I:%M %p}",
        f"{here.month}月{here.day}日 {here.hour}点{here.minute}分",
        f"北京时间 {beijing:%m月%d日 %H:%M:%S}",
        str(int(at.timestamp())),
        *([f"{ago} s ago", f"{ago // 60} min ago", f"{ago // 60}分钟前"] if ago > 120 else []),
    ]
    intervals = [only(text, zone) for text in spellings]

    assert max(m.low for m in intervals) <= min(m.high for m in intervals)
    assert all(m.accepts(at) for m in intervals)


@pytest.mark.parametrize(
    "piece",
    ["12:41 ", "12:41-", "1", "11月30日", "十二点", "UTC ", "8 分钟前", "(", "+08:00", "a "],
)
def test_long_text_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    find_moments(piece * (100_000 // len(piece)), (), NOW, UTC)

    assert time.process_time() - began < 2
