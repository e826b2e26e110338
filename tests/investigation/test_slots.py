"""Slots: what may stand in a sentence, and what cannot be filled."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.report import Derivation, Frame
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.slots import SlotError, Slots, cited, is_call, marks
from tests.investigation.incidents import ALERT_AT, END, FAULT_AT

RECORDS = Path(__file__).parents[2] / "src" / "superbizagent" / "datasources" / "_records"
FACTS = (
    Fact(
        id="E3.1", name='n{job="x",state="used"}', value=12.0, unit="s", at=FAULT_AT, quote="a  b"
    ),
    Fact(id="E3.2", name="c_count", value=4.0),
    Fact(id="E3.3", name="onset", value="2026-03-04T12:01:00Z", statistic="onset_at"),
    Fact(id="E3.4", name="zero", value=0.0, unit="s"),
    Fact(id="E3.5", name="text", value="firing"),
    Fact(id="E3.6", name='n_seconds_sum{job="x",state="used"}', value=1.0, statistic="mean_median"),
    Fact(id="E3.7", name="earlier", value=1.0, at=FAULT_AT - timedelta(days=1)),
)
ROW = ToolInvocation(
    id="r",
    session_id="s",
    call=PlannedCall(number=3, tool=ToolName.QUERY_METRICS, source="prom", purpose="sweep:x"),
    status=EvidenceStatus.ERROR,
    error="boom",
    warnings=("slow", "partial"),
    started_at=END,
    facts=FACTS,
)
INCIDENT = Window(start=FAULT_AT, end=END)


@pytest.fixture
def slots() -> Slots:
    frame = Frame(
        windows=Windows(incident=INCIDENT, baselines=()),
        now=END,
        alert_at=ALERT_AT,
        timezone="+08:00",
    )
    return Slots.of(Evidence(invocations=(ROW,)), frame, narrator_for(Language.EN))


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{E3.1} used", "12 s used [E3.1]"),
        ("at {E3.1|time}", "at 20:00:00 [E3.1]"),
        ("at {E3.3|instant}", "at 2026-03-04 20:01:00 +08:00 [E3.3]"),
        ("{E3.1|name}", 'n{job="x",state="used"} [E3.1]'),
        ("{E3.1|metric}", 'n{state="used"} [E3.1]'),
        ("{E3.1|quote}", "a b [E3.1]"),
        ("{E3|tool} {E3|source} {E3|status}", "query_metrics prom failed [E3]"),
        ("{E3|error}; {E3|warnings}", "boom; slow; partial [E3]"),
        ("{E3|look}", "metrics about x [E3]"),
        ("{E3.6|metric}", 'the mean of n_seconds{state="used"} [E3.6]'),
        ("{E3.7|time}", "2026-03-03 20:00:00 [E3.7]"),
        ("{frame|start} {frame|end}", "20:00:00 20:04:00"),
        ("{frame|alert_instant} {frame|now}", "2026-03-04 20:02:00 +08:00 20:04:00"),
        ("{p|who} did", "shop did"),
        ("{E3.1} {E3.2} {E3.1}", "12 s 4 12 s [E3.1][E3.2]"),
    ],
)
def test_what_a_slot_says(slots: Slots, template: str, text: str) -> None:
    assert slots.text(template, params={"who": "shop"}) == text


@pytest.mark.parametrize(
    "template",
    [
        "{E9.1}",
        "{E9|tool}",
        "{E3.2|quote}",
        "{E3.2|time}",
        "{E3.1|colour}",
        "{E3|colour}",
        "{frame|colour}",
        "{p|nobody}",
        "{d1}",
        "{anything}",
    ],
)
def test_what_nothing_fills(slots: Slots, template: str) -> None:
    with pytest.raises(SlotError):
        slots.text(template)


@pytest.mark.parametrize(
    ("operation", "ids", "text"),
    [
        ("sum", ("E3.1", "E3.4"), "12 s"),
        ("difference", ("E3.1", "E3.4"), "12 s"),
        ("ratio", ("E3.1", "E3.2"), "3 s"),
        ("ratio", ("E3.4", "E3.1"), "0"),
        ("percent", ("E3.2", "E3.1"), "33.3 %"),
        ("share", ("E3.2", "E3.1"), "25 %"),
        ("count", ("E3.1", "E3.2", "E3.3"), "3"),
        ("duration", ("E3.1", "E3.3"), "60 s"),
        ("duration", ("E3.3",), "3 min"),
    ],
)
def test_what_is_computed(slots: Slots, operation: str, ids: tuple[str, ...], text: str) -> None:
    derivation = Derivation(operation=operation, fact_ids=ids)
    marked = "".join(f"[{i}]" for i in ids)
    assert slots.text("{d1}", [derivation]) == f"{text} {marked}"


@pytest.mark.parametrize(
    ("operation", "ids"),
    [
        ("ratio", ("E3.1", "E3.4")),
        ("ratio", ("E3.1",)),
        ("sum", ("E3.5",)),
        ("duration", ("E3.2",)),
        ("guess", ("E3.1", "E3.2")),
        ("sum", ()),
        ("sum", ("E9.9",)),
    ],
)
def test_what_cannot_be_computed(slots: Slots, operation: str, ids: tuple[str, ...]) -> None:
    with pytest.raises(SlotError):
        slots.derive(Derivation(operation=operation, fact_ids=ids))


def test_a_frame_without_an_alert_has_no_alert_time(slots: Slots) -> None:
    bare = slots.frame.model_copy(update={"alert_at": None})
    with pytest.raises(SlotError, match="alert"):
        Slots.of(slots.evidence, bare, slots.narrator).text("{frame|alert}")


def test_citations_are_slots_first_then_operands() -> None:
    derivation = Derivation(operation="sum", fact_ids=("E1.1", "E2.1"))
    assert cited("{E2.1} of {d1}, {p|x}", [derivation]) == ("E2.1", "E1.1")
    assert is_call("E12")
    assert not is_call("E1.2")


def test_of_many_marks_three_are_shown() -> None:
    assert marks(("E1.1", "E2.1")) == "[E1.1][E2.1]"
    assert marks(tuple(f"E{n}.1" for n in range(1, 10))) == "[E1.1][E2.1]…[E9.1]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("所有服务", "未见所有服务的错误"),
        ("orders", "未见 orders 的错误"),
        ("a 服务", "未见 a 服务的错误"),
    ],
)
def test_no_space_is_left_between_chinese_and_chinese(slots: Slots, value: str, text: str) -> None:
    assert slots.text("未见 {p|entity} 的错误", params={"entity": value}) == text
    assert slots.text("{p|entity} {p|entity} of", params={"entity": value}).endswith(" of")


def test_the_now_of_the_frame_ends_a_duration(slots: Slots) -> None:
    later = slots.frame.model_copy(update={"now": END + timedelta(hours=2)})
    moved = Slots.of(slots.evidence, later, slots.narrator)
    derivation = Derivation(operation="duration", fact_ids=("E3.3",))
    assert moved.derive(derivation) == "2 h 3 min"


def test_a_time_of_another_day_has_its_date() -> None:
    """Whatever the reader's zone: 23:59 there may be another day than here."""
    for days, text in ((0, "20:02:00"), (1, "2026-03-05 20:02:00"), (-2000, "2020-09-11 20:02:00")):
        frame = Frame(
            windows=Windows(incident=INCIDENT, baselines=()),
            now=END,
            alert_at=ALERT_AT + timedelta(days=days),
            timezone="+08:00",
        )
        slots = Slots.of(Evidence(invocations=(ROW,)), frame, narrator_for(Language.EN))
        assert slots.text("{frame|alert}") == text


@pytest.mark.parametrize(
    ("language", "flags", "reason"),
    [
        (Language.EN, "--from, --to or --at", "as recorded"),
        (Language.ZH, "--from、--to 或 --at", "录制时已注明"),
    ],
)
def test_lists_of_flags_and_reasons_are_in_the_readers_language(
    language: Language, flags: str, reason: str
) -> None:
    narrator = narrator_for(language)
    assert narrator.flags("--from, --to or --at") == flags
    assert narrator.zone_reason("as recorded") == reason
    assert narrator.zone_reason("from the densest overlap") == "from the densest overlap"


@pytest.mark.parametrize("language", list(Language))
def test_every_reason_for_a_zone_that_is_certain_has_words(language: Language) -> None:
    """The reader of logs gives these; what it adds must be added to the tables."""
    source = (RECORDS / "zones.py").read_text(encoding="utf-8")
    fit = re.search(r'_FIT = "(.*)"', source)
    assert fit is not None
    for reason in (f"only so do its lines {fit[1]}", "nothing tells the zone; taken as UTC"):
        assert narrator_for(language).knows(f"zone.{reason}")
