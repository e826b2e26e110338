import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scoring import BUNDLES, RuleChecker, always, made
from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.evaluation.cases import Examined, Incident
from superbizagent.evaluation.mutations.draw import Draw
from superbizagent.evaluation.mutations.number_changes import (
    baseline_for_incident,
    citation_moved,
    neighbour_entity,
    off_by_one,
    other_time,
)
from superbizagent.evaluation.mutations.score import (
    MutationScore,
    mutants_of,
    score_mutations,
    sentences_of,
)
from superbizagent.evaluation.mutations.session_facts import SessionFacts, name_of, time_of
from superbizagent.evaluation.mutations.spelling import Speller
from superbizagent.evaluation.mutations.summary import mutations_json, mutations_text
from superbizagent.evaluation.mutations.word_changes import entity_swapped, turned
from superbizagent.evaluation.mutations.written import Mutant, Mutation, Piece, Role, Written

BUNDLE = Incident("bundles", BUNDLES / "late-deploy")
A, B = "//service/search-api", "//service/suggest-api"
NUMERIC = {
    Mutation.NEIGHBOUR_ENTITY,
    Mutation.OFF_BY_ONE,
    Mutation.MS_FOR_S,
    Mutation.NUMBERS_SWAPPED,
}


@pytest.fixture(params=["late_deploy", "late_deploy_zh"])
def examined(request: pytest.FixtureRequest) -> Examined:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Examined)
    return found


def _every(examined: Examined, seed: int = 0) -> list[Mutant]:
    session, draw = SessionFacts(examined), Draw(seed)
    written = sentences_of(session, draw)
    return [mutant for each in written for mutant in mutants_of(each, session, written, draw)]


def _changed(mutant: Mutant) -> Iterable[tuple[Piece, Piece]]:
    pairs = zip(mutant.original.pieces, mutant.written.pieces, strict=True)
    return [(old, new) for old, new in pairs if old != new]


def test_every_kind_of_mutant_is_made_in_both_languages(examined: Examined) -> None:
    kinds = {mutant.kind for mutant in _every(examined)}
    assert kinds == set(Mutation)


def test_a_mutant_reads_otherwise_than_the_true_sentence_in_one_place(examined: Examined) -> None:
    for mutant in _every(examined):
        if mutant.kind is Mutation.CITATION_MOVED:
            assert mutant.written.text == mutant.original.text
            moved = set(mutant.original.marks) ^ set(mutant.written.marks)
            assert len(moved) == 2
        else:
            assert mutant.written.text != mutant.original.text
            assert mutant.written.marks == mutant.original.marks
            assert len(list(_changed(mutant))) == 1


def test_a_changed_number_is_the_value_of_nothing_that_is_cited(examined: Examined) -> None:
    session = SessionFacts(examined)
    seen = 0
    for mutant in _every(examined):
        if mutant.kind not in NUMERIC:
            continue
        for _, new in _changed(mutant):
            seen += 1
            written = re.match(r"[\d,]+(\.\d+)?", new.text)
            assert written is not None
            number = float(written[0].replace(",", ""))
            step = 10.0 ** -len((written[1] or ".")[1:])
            unit = 1e-3 if re.search(r"\bms|毫秒", new.text) else 1.0
            for fact in session.of(mutant.written.marks):
                if isinstance(fact.value, int | float) and fact.unit in {"s", "", "records"}:
                    apart = abs(number * unit - fact.value) >= step / 2 * unit
                    # A count and a time of the same digits are no one value.
                    assert apart or (fact.unit != "s") == (unit != 1.0), (mutant.note, fact)
    assert seen > 50


def test_the_value_of_the_other_period_is_not_the_one_that_stood_there(examined: Examined) -> None:
    session = SessionFacts(examined)
    found = [m for m in _every(examined) if m.kind is Mutation.BASELINE_FOR_INCIDENT]
    for mutant in found:
        for old, new in _changed(mutant):
            assert old.text != new.text
            assert session.by_id[old.fact_id].statistic not in mutant.note.split()[2]
    assert found


def test_another_name_is_of_an_entity_that_nothing_cited_is_about(examined: Examined) -> None:
    session = SessionFacts(examined)
    found = [m for m in _every(examined) if m.kind is Mutation.ENTITY_SWAPPED]
    for mutant in found:
        for old, new in _changed(mutant):
            about = {name_of(f.entity) for f in session.of(mutant.written.marks) if f.entity}
            assert old.text in about
            others = about - {old.text}
            assert new.text not in others
    assert found


def test_another_time_is_of_nothing_that_is_cited(examined: Examined) -> None:
    session = SessionFacts(examined)
    found = [m for m in _every(examined) if m.kind is Mutation.OTHER_TIME]
    for mutant in found:
        for _, new in _changed(mutant):
            for fact in session.of(mutant.written.marks):
                at = time_of(fact)
                assert at is None or f"{at:%H:%M:%S}" not in new.text
                assert at is None or f"{at:%H:%M}" != new.text
    assert found


def test_the_same_seed_makes_the_same_mutants_and_another_seed_others(
    late_deploy: Examined,
) -> None:
    notes = [(m.kind, m.note, m.written.text) for m in _every(late_deploy)]
    assert notes == [(m.kind, m.note, m.written.text) for m in _every(late_deploy)]
    assert notes != [(m.kind, m.note, m.written.text) for m in _every(late_deploy, seed=1)]


# Hand-made evidence ------------------------------------------------------------------------------

AT = datetime(2026, 6, 3, 17, 22, tzinfo=UTC)


def _fact(number: int, entity: str, value: float, **given: object) -> Fact:
    fields = {"name": "latency_seconds", "statistic": "mean", "unit": "s", "place": "series/1"}
    return Fact.model_validate(
        {**fields, "id": f"E{number}.1", "entity": entity, "value": value, **given}
    )


def _session(examined: Examined, *facts: Fact) -> SessionFacts:
    """Evidence of one call a fact."""
    diagnosis = examined.diagnosis
    row = diagnosis.evidence.invocations[-1]
    rows = tuple(
        row.model_copy(
            update={
                "call": row.call.model_copy(update={"number": fact.call}),
                "facts": (fact,),
            }
        )
        for fact in facts
    )
    catalogue = diagnosis.scope.catalogue.model_copy(
        update={"entities": (Entity.parse(A), Entity.parse(B))}
    )
    scope = diagnosis.scope.model_copy(update={"catalogue": catalogue})
    changed = replace(diagnosis, evidence=Evidence(invocations=rows), scope=scope)
    return SessionFacts(replace(examined, diagnosis=changed))


def _sentence(*pieces: Piece, marks: tuple[str, ...] = ("E1.1",)) -> Written:
    return Written(pieces, marks, Language.EN, "made", Speller(chinese=False), A)


def _number(text: str, fact_id: str = "E1.1") -> Piece:
    return Piece(text, Role.NUMBER, fact_id)


def test_a_neighbour_with_the_same_value_lends_none(late_deploy: Examined) -> None:
    written = _sentence(_number("2.64 s"))
    same = _session(late_deploy, _fact(1, A, 2.6356), _fact(2, B, 2.6401))
    assert list(neighbour_entity(written, same)) == []
    other = _session(late_deploy, _fact(1, A, 2.6356), _fact(2, B, 2.71))
    assert [m.written.text for m in neighbour_entity(written, other)] == ["2.71 s"]


def test_a_neighbour_lends_none_that_an_operation_over_the_cited_facts_gives(
    late_deploy: Examined,
) -> None:
    marks = ("E1.1", "E3.1")
    written = _sentence(_number("2 s"), marks=marks)
    facts = (_fact(1, A, 2.0), _fact(3, A, 0.5, statistic="median"), _fact(2, B, 1.5))
    assert list(neighbour_entity(written, _session(late_deploy, *facts))) == []


def test_a_limit_is_only_broken_on_its_own_side(late_deploy: Examined) -> None:
    session = _session(late_deploy, _fact(1, A, 5.0, unit=""), _fact(2, B, 9.0, unit=""))
    limit = _sentence(Piece("at most "), _number("5"))
    assert list(neighbour_entity(limit, session)) == []
    assert [m.written.text for m in off_by_one(limit, session)] == ["at most 4"]
    least = _sentence(Piece("at least "), _number("5"))
    assert [m.written.text for m in neighbour_entity(least, session)] == ["at least 9"]


def test_off_by_one_leads_away_from_the_exact_value(late_deploy: Examined) -> None:
    for value, expected in ((2.6449, "2.63 s"), (2.6351, "2.65 s")):
        session = _session(late_deploy, _fact(1, A, value))
        found = [m.written.text for m in off_by_one(_sentence(_number("2.64 s")), session)]
        assert found == [expected]


def test_the_other_period_has_to_read_otherwise(late_deploy: Examined) -> None:
    windows = late_deploy.diagnosis.scope.windows
    after = _fact(1, A, 2.0, window=windows.incident)
    before = _fact(1, A, 1.999, statistic="median", window=windows.baselines[0])
    both = (after, before.model_copy(update={"id": "E1.2"}))
    session = _session(late_deploy, after)
    row = session.examined.diagnosis.evidence.invocations[0]
    evidence = Evidence(invocations=(row.model_copy(update={"facts": both}),))
    diagnosis = replace(session.examined.diagnosis, evidence=evidence)
    session = SessionFacts(replace(session.examined, diagnosis=diagnosis))
    assert list(baseline_for_incident(_sentence(_number("2 s")), session)) == []
    precise = _sentence(_number("2.000 s"))
    assert [m.note for m in baseline_for_incident(precise, session)] == []


def test_a_citation_moves_only_where_nothing_that_is_left_says_the_number(
    late_deploy: Examined,
) -> None:
    facts = (_fact(1, A, 10.0, unit=""), _fact(2, B, 10.0, unit=""), _fact(3, A, 10.0, unit=""))
    session = _session(late_deploy, *facts)
    pieces = (Piece("search-api", Role.NAME, entity=A), Piece(": "), _number("10"))
    alone = [m.written.marks for m in citation_moved(_sentence(*pieces), session)]
    assert alone == [("E2.1",)]
    twice = _sentence(*pieces, marks=("E1.1", "E3.1"))
    assert list(citation_moved(twice, session)) == []


def test_a_citation_does_not_move_to_an_entity_that_the_sentence_names(
    late_deploy: Examined,
) -> None:
    session = _session(late_deploy, _fact(1, A, 10.0), _fact(2, B, 10.0))
    names = (Piece("search-api", Role.NAME, entity=A), Piece("suggest-api", Role.NAME, entity=B))
    assert list(citation_moved(_sentence(*names, _number("10 s")), session)) == []


@pytest.mark.parametrize(("theirs", "count"), [(2.6401, 0), (2.71, 1)])
def test_a_name_is_swapped_only_for_one_of_which_the_sentence_is_not_true(
    late_deploy: Examined, theirs: float, count: int
) -> None:
    session = _session(late_deploy, _fact(1, A, 2.6356), _fact(2, B, theirs))
    name = Piece("search-api", Role.NAME, entity=A)
    found = list(entity_swapped(_sentence(name, Piece(" took "), _number("2.64 s")), session))
    assert [m.written.text for m in found] == ["suggest-api took 2.64 s"] * count


def test_a_sentence_without_number_or_time_keeps_its_name(late_deploy: Examined) -> None:
    session = _session(late_deploy, _fact(1, A, 1.0), _fact(2, B, 2.0))
    name = Piece("search-api", Role.NAME, entity=A)
    assert list(entity_swapped(_sentence(name, Piece(" was slow")), session)) == []


@pytest.mark.parametrize(
    ("written", "seconds", "count"),
    [("17:22:00", 1, 0), ("17:22:00", 3, 1), ("17:22", 59, 0), ("17:22", 120, 1)],
)
def test_another_time_is_further_away_than_the_written_precision(
    late_deploy: Examined, written: str, seconds: int, count: int
) -> None:
    later = AT + timedelta(seconds=seconds)
    session = _session(late_deploy, _fact(1, A, 1.0, at=AT), _fact(2, B, 2.0, at=later))
    piece = Piece(written, Role.TIME, "E1.1", at=AT)
    assert len(list(other_time(_sentence(piece), session))) == count


def test_a_word_becomes_each_of_its_opposites() -> None:
    flips = ((Mutation.DIRECTION_FLIPPED, "fell"), (Mutation.ABSENCE_INVERTED, "did not rise"))
    written = _sentence(Piece("It "), Piece("rose", Role.WORD, flips=flips))
    found = [(m.kind, m.written.text) for m in turned(written)]
    assert found == [(kind, f"It {text}") for kind, text in flips]


# Scores ------------------------------------------------------------------------------------------


def _score(examined: Examined, checker: RuleChecker) -> MutationScore:
    return score_mutations([BUNDLE], lambda _folder, _args: examined, make=made(checker))


def test_a_checker_that_supports_everything_catches_nothing(late_deploy: Examined) -> None:
    score = _score(late_deploy, always(Mark.SUPPORTED))
    assert "passed bundles/late-deploy off_by_one" in mutations_text(score, verbose=True)
    found = mutations_json(score)
    assert found["originals"]["supported"]["share"] == 1.0
    for kind in Mutation:
        figures = found["mutants"][kind.value]
        assert figures["caught_where_original_stands"]["share"] == 0.0
        assert figures["incidents_where_original_stands"] == 1
    assert len(found["missed"]) == sum(k["mutants"] for k in found["mutants"].values())


def test_a_checker_that_supports_nothing_shows_nothing(late_deploy: Examined) -> None:
    found = mutations_json(_score(late_deploy, always(Mark.UNSUPPORTED)))
    assert found["originals"]["supported"]["share"] == 0.0
    for figures in found["mutants"].values():
        assert figures["caught"]["share"] == 1.0
        assert figures["caught_where_original_stands"]["total"] == 0


def test_a_checker_that_knows_the_true_sentences_catches_every_mutant(
    late_deploy: Examined,
) -> None:
    session = SessionFacts(late_deploy)
    known = {(each.text, each.marks) for each in sentences_of(session, Draw(0))}
    texts = {text for text, _ in known}

    def mark_of(text: str, marks: tuple[str, ...]) -> Mark:
        right = (text, marks) in known if marks else text in texts
        return Mark.SUPPORTED if right else Mark.CONTRADICTED

    score = _score(late_deploy, RuleChecker(mark_of))
    found = mutations_json(score)
    assert found["missed"] == []
    assert found["originals_refused"] == []
    for kind, figures in found["mutants"].items():
        assert figures["caught_where_original_stands"]["share"] == 1.0
        # Without its citations a sentence whose citation was moved is as true as it was.
        uncited = None if kind == Mutation.CITATION_MOVED else 1.0
        assert figures["uncited_where_original_stands"]["share"] == uncited
    assert "off_by_one" in mutations_text(score)
    assert "passed" not in mutations_text(score, verbose=True)


def test_an_incident_is_diagnosed_in_both_languages(late_deploy: Examined, tmp_path: Path) -> None:
    asked: list[tuple[str, ...]] = []

    def diagnose(_folder: Path, args: Sequence[str]) -> Examined:
        asked.append(tuple(args))
        return late_deploy

    checker = always(Mark.SUPPORTED)
    score_mutations([Incident("x", tmp_path)], diagnose, make=made(checker))
    assert asked == [("--lang", "en"), ("--lang", "zh")]
