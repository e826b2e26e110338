"""Every reason of the judges has words, in both languages."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from superbizagent.analysis.claims.compare.judgement import (
    Judgement,
    Mark,
    Outcome,
    Part,
    PartKind,
)
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.checking import en, words_for, zh
from superbizagent.investigation.wording.reasons import Reasons
from tests.investigation.incidents import ENTITY_LABELS, Diagnosed, load_skills, pool_incident
from tests.investigation.judge_reasons import FOLDER, reasons_in

CASE = Diagnosed.of(pool_incident(), load_skills())
GROUND = Ground.of(CASE.evidence, CASE.analysis, CASE.scope, CASE.report.frame, ENTITY_LABELS)
EN, ZH = (Reasons(GROUND, language) for language in (Language.EN, Language.ZH))
LATENCY = next(f for f in CASE.evidence.facts().values() if f.id in CASE.report.claims[3].fact_ids)
DATED = next(f for f in CASE.evidence.facts().values() if f.at and f.entity)


@pytest.mark.parametrize("language", list(Language))
def test_every_reason_of_every_judge_has_words(language: Language) -> None:
    found = reasons_in()
    assert found.unclear == [], "a reason whose key cannot be read out of the source"
    assert {"other_value", "unknown_name", "no_such_quote", "not_looked"} <= set(found.keys)
    words = words_for(language)
    assert {k: v for k, v in found.keys.items() if not has_words(k, words.table)} == {}


def has_words(key: str, table: Mapping[str, str]) -> bool:
    """Whether a key is in the table; one that is made up, such as ``not_the_{x}``, as a head."""
    head = f"reason.{key}"
    return any(k.startswith(head) for k in table) if key.endswith("_") else head in table


SOURCES = (
    """
def f():
    return Part(1, 2, 'x', 'brand_new', ())
""",
    """
def f():
    return Part(1, 2, 'x', f'brand_new:{1}', ())
""",
    """
def f(a):
    return Part(1, 2, 'x', 'old' if a else 'brand_new', ())
""",
    """
def f():
    why = 'brand_new'
    return Part(1, 2, 'x', why)
""",
    """
def g():
    return 'brand_new'

def f():
    return Part(1, 2, 'x', g())
""",
    """
def p(reason): ...

def f():
    return p('brand_new')
""",
    """
def f():
    return Part(1, 2, 'x', reason='brand_new')
""",
    """
def f(a):
    return Part(1, 2, 'x', 'brand_new' * a)
""",
    """
def f(a):
    return Part(1, 2, 'x', {1: 'brand_new'}.get(a, ''))
""",
    """
def g() -> tuple[str, tuple[str, ...]]:
    return 'brand_new', ()

def f():
    return Part(1, *g())
""",
)


@pytest.mark.parametrize("source", SOURCES)
def test_a_reason_without_words_is_found(source: str, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(source, encoding="utf-8")
    assert "brand_new" in reasons_in(tmp_path).keys


@pytest.mark.parametrize("given", ["table[1]", "nowhere()", "nobody"])
def test_a_reason_that_cannot_be_read_is_reported(given: str, tmp_path: Path) -> None:
    source = f"def f():\n    return Part(1, 2, 'x', {given})"
    (tmp_path / "judge.py").write_text(source, encoding="utf-8")
    assert reasons_in(tmp_path).unclear == ["judge.py:2"]


def test_the_judges_are_where_they_are_looked_for() -> None:
    assert (FOLDER / "judge.py").is_file()


def test_both_languages_say_the_same() -> None:
    assert set(en.TABLE) == set(zh.TABLE)
    slots = re.compile(r"<[a-z]+>")
    for key, text in en.TABLE.items():
        if not key.startswith("count."):
            assert set(slots.findall(text)) == set(slots.findall(zh.TABLE[key])), key


@pytest.mark.parametrize("key", [k for k in en.TABLE if k.startswith("reason.")])
@pytest.mark.parametrize("argument", ["", "E2.1", "E2.s1.before.max", "E4", "a:b", ":", "é/ü"])
def test_no_argument_leaves_a_slot_open(key: str, argument: str) -> None:
    for reasons in (EN, ZH):
        said = reasons.of(f"{key.removeprefix('reason.')}:{argument}", ("E2.1", "E2.s1.max", "?"))
        assert said
        assert not re.search(r"<[a-z]+>", said)


def test_a_reason_says_what_the_evidence_has() -> None:
    assert EN.of(f"other_value:{LATENCY.id}") == f"the evidence has 3240 s [{LATENCY.id}]"
    assert ZH.of(f"other_value:{LATENCY.id}") == f"证据中是 3240 s [{LATENCY.id}]"


def test_times_are_said_in_the_zone_of_the_report() -> None:
    assert DATED.at is not None
    assert EN.of(f"other_time:{DATED.id}").startswith(f"the evidence has {DATED.at:%H:%M:%S} [E")
    case = Diagnosed.of(pool_incident(timezone="Asia/Shanghai"), load_skills())
    ground = Ground.of(case.evidence, case.analysis, case.scope, case.report.frame, ENTITY_LABELS)
    said = Reasons(ground, Language.EN).of(f"other_time:{DATED.id}")
    assert said.startswith(f"the evidence has 20:{DATED.at:%M:%S} [E")


def test_near_names_are_said_once() -> None:
    said = EN.of("unknown_name:orders-service:order-service, //service/order-service")
    assert said == "nothing is known as orders-service; near: order-service"
    assert EN.of("unknown_name:db:1:") == "nothing is known as db:1"


def test_a_further_reading_is_cited_by_its_call() -> None:
    assert EN.marks_of(("E2.1", "E2.g8.since.mean", "E2.g9.since.mean", "analysis", "F1")) == (
        "E2.1",
        "E2",
    )
    assert (
        EN.of("other_direction", ("E2.g8.since.mean",)) == "the evidence shows that it did not [E2]"
    )


def test_what_decides_a_hypothesis_is_said_in_words() -> None:
    result = CASE.analysis.hypotheses[0]
    check = result.checks[0]
    words = check.id.replace("_", " ")
    for name in (check.id, f"{result.id}/{check.id}", f"{result.key}/{check.id}"):
        assert EN.check(name) == words
    assert EN.check("onset of a against onset of b") == "when a began, against when b did"
    assert ZH.check("onset of a against onset of b") == "a 与 b 开始的先后"
    assert EN.check("some_other/thing_to_do") == "thing to do"


def test_what_was_ruled_out_is_said_in_words() -> None:
    result = next(h for h in CASE.analysis.hypotheses if h.fault_kind.value == "connection_leak")
    assert EN.of(f"ruled_out:{result.id}") == "connection leak was tested and ruled out"
    assert EN.of("calm:mysql/cpu") == "nothing abnormal was found at mysql (processor exhausted)"
    assert EN.of("calm:mysql") == "nothing abnormal was found at mysql"
    assert EN.of("not_tested:cpu") == "processor exhausted was not tested"


def test_an_unknown_reason_is_printed_as_it_is_and_harmless() -> None:
    assert EN.of("from_a_newer_version:E2.1") == "from_a_newer_version:E2.1"
    assert EN.of("\x1b[31mred\u202e\nline") == "red line"
    assert EN.of("unknown_name:\x1b]0;title\x07bad:") == "nothing is known as ]0;titlebad"


def test_only_the_worst_outcome_of_a_statement_is_said_each_reason_once() -> None:
    parts = (
        Part(PartKind.NUMBER, Outcome.HOLDS, "1", "", ()),
        Part(PartKind.NUMBER, Outcome.UNSHOWN, "2", "no_such_value", ()),
        Part(PartKind.NUMBER, Outcome.UNSHOWN, "2", "no_such_value", ()),
        Part(PartKind.TIME, Outcome.UNSHOWN, "12:00", "no_such_time", ()),
    )
    said = EN.of_judgement(Judgement(Mark.UNSUPPORTED, parts))
    assert said == ("2: no evidence shows it; 12:00: nothing is known to have happened then")
    failing = (*parts, Part(PartKind.COURSE, Outcome.FAILS, "over", "still_ongoing", ("E2.1",)))
    said = EN.of_judgement(Judgement(Mark.CONTRADICTED, failing))
    assert said == "over: the evidence shows that it goes on [E2.1]"
    assert EN.of_judgement(Judgement(Mark.SUPPORTED, parts[:1])) == ""
