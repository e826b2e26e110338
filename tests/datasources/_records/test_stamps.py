"""Time stamps of every form are found and read, many lines at once."""

import string
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.datasources._records import stamps
from superbizagent.datasources._records.blocks import make_block
from superbizagent.datasources._records.layouts import FORMS
from superbizagent.datasources._records.stamp_forms import differ_from_last
from superbizagent.datasources._records.stamps import Place, Stamps, read_stamps


def read(*lines: str, places: tuple[Place, ...] = ()) -> Stamps:
    block = make_block("".join(f"{line}\n" for line in lines).encode(), None, 0)
    return read_stamps(block.buffer, block.starts, block.lengths, places)


def instant(found: Stamps, row: int = 0) -> str:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(found.ms[row]))
    return at.isoformat(timespec="milliseconds").replace("+00:00", "")


CASES = [
    ("2026-03-01 12:00:01,123 INFO x", stamps.LOCAL, "2026-03-01T12:00:01.123", "iso"),
    ("2026-03-01T12:00:01.123456789Z x", stamps.UTC, "2026-03-01T12:00:01.123", "iso"),
    ("2026-03-01T12:00:01+08:00 x", stamps.UTC, "2026-03-01T04:00:01.000", "iso"),
    ("2026-03-01 12:00:01.5 -0530 x", stamps.UTC, "2026-03-01T17:30:01.500", "iso"),
    ("2026-03-01 12:00:01 UTC x", stamps.UTC, "2026-03-01T12:00:01.000", "iso"),
    ("2026-03-01  9:05:03 0 [Note] x", stamps.LOCAL, "2026-03-01T09:05:03.000", "iso"),
    ("[2026-03-01 12:00:01] x", stamps.LOCAL, "2026-03-01T12:00:01.000", "iso"),
    ("时间 2026-03-01 12:00:01 x", stamps.LOCAL, "2026-03-01T12:00:01.000", "iso"),
    ("order-1  | 2026-03-01T12:00:01Z x", stamps.UTC, "2026-03-01T12:00:01.000", "iso"),
    ("2026/03/01 12:00:01 [error] x", stamps.LOCAL, "2026-03-01T12:00:01.000", "slash"),
    ("2026.03.01 12:00:01 x", stamps.LOCAL, "2026-03-01T12:00:01.000", "dots"),
    ("01.03.2026 12:00:01 x", stamps.LOCAL, "2026-03-01T12:00:01.000", "day_dots"),
    ("01-03-2026 12:00:01 x", stamps.LOCAL, "2026-03-01T12:00:01.000", "day_dashes"),
    ("2026-03-01-12.00.01.675872 x", stamps.LOCAL, "2026-03-01T12:00:01.675", "dashes"),
    ("20260301-12:00:01:606|x", stamps.LOCAL, "2026-03-01T12:00:01.606", "compact"),
    ("20260301-12:00:1:606|x", stamps.LOCAL, "2026-03-01T12:00:01.606", "compact_s"),
    ("20260301-12:2:01:606|x", stamps.LOCAL, "2026-03-01T12:02:01.606", "compact_m"),
    ("20260301-12:2:1:606|x", stamps.LOCAL, "2026-03-01T12:02:01.606", "compact_ms"),
    ("20260301-9:00:01:606|x", stamps.LOCAL, "2026-03-01T09:00:01.606", "compact_h"),
    ("20260301-9:00:1:606|x", stamps.LOCAL, "2026-03-01T09:00:01.606", "compact_hs"),
    ("20260301-9:2:01:606|x", stamps.LOCAL, "2026-03-01T09:02:01.606", "compact_hm"),
    ("20260301-9:2:1:606|x", stamps.LOCAL, "2026-03-01T09:02:01.606", "compact_hms"),
    ("20260301T120001Z x", stamps.UTC, "2026-03-01T12:00:01.000", "basic"),
    ("# Time: 260301  9:00:01", stamps.LOCAL, "2026-03-01T09:00:01.000", "short"),
    ("260301 120001 148 INFO x", stamps.LOCAL, "2026-03-01T12:00:01.000", "digits"),
    ("26/03/01 12:00:01 INFO x", stamps.LOCAL, "2026-03-01T12:00:01.000", "short_slash"),
    (
        '10.0.0.1 - - [01/Mar/2026:12:00:01 -0700] "GET / HTTP/1.0" 200 2',
        stamps.UTC,
        "2026-03-01T19:00:01.000",
        "clf",
    ),
    ("01-Mar-2026 12:00:01.250 SEVERE x", stamps.LOCAL, "2026-03-01T12:00:01.250", "day_first"),
    ("[Sun Mar  1 12:00:01 2026] [error]", stamps.LOCAL, "2026-03-01T12:00:01.000", "ctime"),
    ("<34>Mar  1 12:00:01 host su: x", stamps.YEAR_LESS, "1972-03-01T12:00:01.000", "syslog"),
    ("E0301 12:00:01.789012 12 a.go:1] x", stamps.YEAR_LESS, "1972-03-01T12:00:01.789", "klog"),
    ("03-01 12:00:01.811 1702 D x", stamps.YEAR_LESS, "1972-03-01T12:00:01.811", "month_day"),
    ("[03.01 12:00:01] x", stamps.YEAR_LESS, "1972-03-01T12:00:01.000", "month_dot_day"),
    ("1772366401.250 x", stamps.UTC, "2026-03-01T12:00:01.250", "epoch"),
    ("1772366401250 x", stamps.UTC, "2026-03-01T12:00:01.250", "epoch_ms"),
    ("1772366401250999 x", stamps.UTC, "2026-03-01T12:00:01.250", "epoch_us"),
    ("ts=1772366401250999888 x", stamps.UTC, "2026-03-01T12:00:01.250", "epoch_ns"),
    ("12:00:01.964 INFO x", stamps.DATE_LESS, "1970-01-01T12:00:01.964", "clock"),
]


@pytest.mark.parametrize(("line", "kind", "at", "form"), CASES, ids=[c[0][:24] for c in CASES])
def test_each_form_is_read(line: str, kind: int, at: str, form: str) -> None:
    found = read(line)
    assert int(found.kind[0]) == kind
    assert FORMS[int(found.form[0])].name == form
    assert instant(found) == at


def test_every_form_has_a_case() -> None:
    assert {form for *_, form in CASES} | {"compact_t"} == {form.name for form in FORMS}


@pytest.mark.parametrize("line", [c[0] for c in CASES])
def test_a_stamp_ends_where_the_text_goes_on(line: str) -> None:
    found = read(line)
    stamp = line.encode()[int(found.begin[0]) : int(found.end[0])].decode()
    assert stamp == stamp.strip()
    rest = line.encode()[int(found.end[0]) :].decode()
    assert rest == "" or rest[0] in " ]|"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no time here",
        "order 12345 took 300 ms",
        "2026-13-01 12:00:00 month",
        "2026-03-01 25:00:00 hour",
        "2026-02-00 12:00:00 day",
        "a long sentence about customer 1772366401 who bought a thing",
        "x" * 200 + " 2026-03-01 12:00:00",
    ],
)
def test_what_is_no_stamp_is_none(line: str) -> None:
    assert int(read(line).kind[0]) == stamps.NONE


def test_mixed_lines_are_read_each_in_its_form() -> None:
    lines = [c[0] for c in CASES]
    found = read(*lines)
    assert [instant(found, row) for row in range(len(CASES))] == [at for *_, at, _ in CASES]


def test_known_places_give_the_same_as_searching() -> None:
    lines = [c[0] for c in CASES] * 3
    searched = read(*lines)
    placed = read(*lines, places=searched.places(limit=30))
    assert placed.ms.tolist() == searched.ms.tolist()
    assert placed.kind.tolist() == searched.kind.tolist()
    assert placed.end.tolist() == searched.end.tolist()


def test_usual_places_come_first() -> None:
    found = read(*["2026-03-01 12:00:01 x"] * 60, *["[2026-03-01 12:00:01] x"] * 20)
    assert found.places() == (Place(0, 0), Place(0, 1))


def test_the_seconds_of_a_leap_are_read() -> None:
    assert instant(read("2016-12-31T23:59:60Z x")) == "2016-12-31T23:59:59.000"


instants = st.datetimes(min_value=datetime(2001, 9, 10), max_value=datetime(2099, 1, 1))  # noqa: DTZ001
zones = st.integers(-12 * 4, 14 * 4).map(lambda q: timezone(timedelta(minutes=15 * q)))
words = st.text(string.ascii_letters + " :[]", max_size=20)


@given(instants, zones, words)
def test_any_instant_with_a_zone_is_read_back(at: datetime, zone: timezone, word: str) -> None:
    aware = at.replace(tzinfo=UTC).astimezone(zone)
    found = read(f"{aware.isoformat(timespec='milliseconds')} {word}")
    expected = at.replace(tzinfo=UTC).timestamp()
    assert int(found.kind[0]) == stamps.UTC
    assert abs(int(found.ms[0]) / 1000 - expected) < 0.001


@given(st.lists(st.binary(max_size=120).map(lambda b: b.replace(b"\n", b" ")), max_size=20))
def test_no_bytes_make_it_fail(lines: list[bytes]) -> None:
    block = make_block(b"".join(line + b"\n" for line in lines), None, 0)
    found = read_stamps(block.buffer, block.starts, block.lengths)
    assert len(found.ms) == len(lines)
    assert (found.end <= block.lengths).all()
    assert ((found.kind == stamps.NONE) == (found.form == -1)).all()
    assert (np.abs(found.ms) < 2**52).all()


@given(st.lists(st.sampled_from(["ab" * 12, "ab" * 11 + "ax", "b" + "ab" * 11 + "a"])), st.data())
def test_texts_that_differ_from_the_last_are_found(texts: list[str], data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 24))
    beyond = data.draw(st.integers(0, 3))
    rows = [text[:width].ljust(width + beyond, "~").encode() for text in texts]
    given_texts = np.array([list(row) for row in rows], np.uint8).reshape(-1, width + beyond)
    wanted = [k == 0 or rows[k] != rows[k - 1] for k in range(len(rows))]
    given_texts[:, width:] = np.arange(len(rows), dtype=np.uint8)[:, None]
    assert differ_from_last(given_texts, width).tolist() == wanted
