import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoring import BUNDLES, RuleChecker, always, made
from superbizagent.analysis.claims.checker import Checked
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark
from superbizagent.analysis.claims.mentions import Sentence
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import PermanentDataSourceError, UsageError
from superbizagent.evaluation.alteration import altered
from superbizagent.evaluation.cases import Diagnose, Examined
from superbizagent.evaluation.claims import ClaimScore, judged_story, score_claims
from superbizagent.evaluation.claims_summary import claims_json, claims_text
from superbizagent.evaluation.labelled import (
    Alteration,
    Story,
    TrueStatement,
    read_stories,
    read_true,
)

TRUE = (
    {"id": "t1", "lang": "en", "kind": "derived", "context": "web", "text": "It had 3 errors."},
    {"id": "t2", "lang": "zh", "kind": "time", "context": "", "text": "web 在 12:41 变慢。"},
)
STORY = {
    "id": "s1",
    "lang": "en",
    "kind": "wrong_cause",
    "text": "It was slow. The moon did it. It is over.",
    "wrong": ["The moon did it."],
}


def _true(**given: Any) -> TrueStatement:
    return TrueStatement.model_validate({**TRUE[0], "case": str(BUNDLES / "late-deploy"), **given})


def _story(**given: Any) -> Story:
    return Story.model_validate({**STORY, "case": str(BUNDLES / "late-deploy"), **given})


def _canned(examined: Examined, calls: list[tuple[str, tuple[str, ...]]]) -> Diagnose:
    def run(folder: Path, args: Sequence[str]) -> Examined:
        calls.append((folder.name, tuple(args)))
        return examined

    return run


def _score(
    examined: Examined,
    checker: RuleChecker,
    true: Sequence[TrueStatement] = (),
    stories: Sequence[Story] = (),
) -> ClaimScore:
    return score_claims(true, stories, _canned(examined, []), None, made(checker))


def test_a_checker_that_supports_everything_lets_every_wrong_sentence_pass(
    late_deploy: Examined,
) -> None:
    found = claims_json(
        _score(late_deploy, always(Mark.SUPPORTED), [_true()], [_story(), _story(id="s2")])
    )
    assert found["true"]["false_rejects"]["hits"] == 0
    assert found["stories"]["not_supported"] == {
        "hits": 0,
        "total": 2,
        "share": 0.0,
        "interval": [0.0, 0.6576],
    }
    assert [item["id"] for item in found["stories"]["passed"]] == ["s1", "s2"]
    assert found["stories"]["true_kept"]["hits"] == 4


@pytest.mark.parametrize("mark", [Mark.HYPOTHESIS, Mark.NOT_CHECKABLE, Mark.PARTIAL])
def test_what_is_neither_supported_nor_taken_out_is_listed_apart(
    late_deploy: Examined, mark: Mark
) -> None:
    found = claims_json(_score(late_deploy, always(mark), [_true()], []))
    assert found["true"]["false_rejects"]["hits"] == found["true"]["supported"]["hits"] == 0
    assert [item["id"] for item in found["true"]["not_supported"]] == ["t1"]


@pytest.mark.parametrize("mark", [Mark.CONTRADICTED, Mark.UNSUPPORTED])
def test_a_checker_that_supports_nothing_rejects_every_true_statement(
    late_deploy: Examined, mark: Mark
) -> None:
    true = [_true(), _true(id="t2", lang="zh", kind="time")]
    found = claims_json(_score(late_deploy, always(mark), true, [_story()]))
    assert found["true"]["false_rejects"]["share"] == 1.0
    assert (found["true"]["derived"], found["true"]["zh"]) == (1, 1)
    assert found["true"]["by_kind"]["time"]["hits"] == 1
    assert found["true"]["by_language"]["en"]["hits"] == 1
    assert [item["id"] for item in found["true"]["rejects"]] == ["t1", "t2"]
    assert found["stories"]["not_supported"]["share"] == 1.0
    assert found["stories"]["true_kept"]["hits"] == 0
    assert len(found["stories"]["true_refused"]) == 2


def test_a_right_checker_has_no_error(late_deploy: Examined) -> None:
    checker = RuleChecker(lambda t, _: Mark.UNSUPPORTED if "moon" in t else Mark.SUPPORTED)
    score = _score(late_deploy, checker, [_true()], [_story()])
    found = claims_json(score)
    assert found["true"]["rejects"] == []
    assert found["stories"]["passed"] == []
    assert found["stories"]["true_refused"] == []
    text = claims_text(score, verbose=True)
    assert "wrong sentences not marked supported   1/1" in text
    assert "rejected" not in text


def test_a_statement_is_judged_about_its_context(late_deploy: Examined) -> None:
    checker = always(Mark.SUPPORTED)
    _score(late_deploy, checker, [_true(), _true(context="")])
    assert checker.asked == [
        ("It had 3 errors.", (), ("//service/web",)),
        ("It had 3 errors.", (), ()),
    ]


def test_each_case_is_diagnosed_once_with_its_arguments(late_deploy: Examined) -> None:
    calls: list[tuple[str, tuple[str, ...]]] = []
    true = [_true(), _true(id="t2"), _true(id="t3", args=["--service", "web"])]
    diagnose = _canned(late_deploy, calls)
    score_claims(true, [_story()], diagnose, None, made(always(Mark.SUPPORTED)))
    assert sorted(calls) == [("late-deploy", ()), ("late-deploy", ("--service", "web"))]


def test_a_case_that_is_not_here_is_counted_and_not_run(
    late_deploy: Examined, tmp_path: Path
) -> None:
    (tmp_path / "some-set" / "cases" / "here").mkdir(parents=True)
    true = [_true(case="some-set/here"), _true(id="t2", case="some-set/gone"), _true(id="t3")]
    stories = [_story(case="some-set/gone")]
    calls: list[tuple[str, tuple[str, ...]]] = []
    score = score_claims(
        true, stories, _canned(late_deploy, calls), tmp_path, made(always(Mark.SUPPORTED))
    )
    assert [name for name, _ in calls] == ["late-deploy", "here"]
    assert [(item.case, item.labels) for item in score.not_run] == [("some-set/gone", 2)]
    assert "not run: some-set/gone (2 labels)" in claims_text(score)


def test_a_case_that_cannot_be_read_is_not_run() -> None:
    def fails(_folder: Path, _args: Sequence[str]) -> Examined:
        raise PermanentDataSourceError("nothing in it")

    score = score_claims([_true()], [], fails, None, made(always(Mark.SUPPORTED)))
    assert [item.reason for item in score.not_run] == ["nothing in it"]
    assert score.true == []


def _read(*marked: tuple[str, Mark]) -> list[Checked]:
    return [Checked(Sentence(text, 1), Judgement(mark)) for text, mark in marked]


@pytest.mark.parametrize(
    ("read", "passes", "others"),
    [
        ([("It was slow", Mark.SUPPORTED), ("The moon did it.", Mark.SUPPORTED)], True, 1),
        ([("The moon", Mark.SUPPORTED), ("did it", Mark.UNSUPPORTED)], False, 0),
        ([("The moon", Mark.SUPPORTED), ("did it", Mark.SUPPORTED)], True, 0),
        ([("It was slow; The moon did it", Mark.UNSUPPORTED)], False, 0),
        ([("The moon did it", Mark.HYPOTHESIS)], False, 0),
        ([("The moon did it", Mark.NOT_CHECKABLE)], False, 0),
        ([], True, 0),
    ],
    ids=["as labelled", "split, half refused", "split", "joined", "guess", "opinion", "lost"],
)
def test_a_wrong_sentence_is_found_however_it_was_read(
    read: list[tuple[str, Mark]], *, passes: bool, others: int
) -> None:
    found = judged_story(_story(), _read(*read))
    assert bool(found.passed) is passes
    assert len(found.others) == others


def test_a_failed_tool_leaves_no_facts_and_no_findings_on_them(late_deploy: Examined) -> None:
    diagnosis = late_deploy.diagnosis
    change = Alteration(failed=(ToolName.SEARCH_LOGS,))
    evidence, analysis = altered(diagnosis.evidence, diagnosis.analysis, change)
    rows = {row.tool: row for row in evidence.invocations}
    assert rows[ToolName.SEARCH_LOGS].status is EvidenceStatus.ERROR
    assert rows[ToolName.SEARCH_LOGS].output is None
    assert rows[ToolName.SEARCH_LOGS].facts == ()
    assert rows[ToolName.QUERY_METRICS].facts
    kinds = {finding.kind.value for finding in analysis.findings}
    assert "metric_deviation" in kinds
    assert not {kind for kind in kinds if kind.startswith("log_")}
    assert any(f.kind.value.startswith("log_") for f in diagnosis.analysis.findings)


def test_a_truncated_tool_keeps_what_it_found(late_deploy: Examined) -> None:
    diagnosis = late_deploy.diagnosis
    change = Alteration(truncated=(ToolName.SEARCH_LOGS,))
    evidence, analysis = altered(diagnosis.evidence, diagnosis.analysis, change)
    assert {row.tool for row in evidence.invocations if row.truncated} == {ToolName.SEARCH_LOGS}
    assert evidence.facts() == diagnosis.evidence.facts()
    assert analysis == diagnosis.analysis


def test_a_story_is_judged_on_the_evidence_that_it_asks_for(late_deploy: Examined) -> None:
    seen: list[bool] = []

    def make(_examined: Examined, evidence: Any, _analysis: Any) -> RuleChecker:
        seen.append(any(row.truncated for row in evidence.invocations))
        return always(Mark.SUPPORTED)

    stories = [_story(), _story(id="s2", alter={"truncated": ["search_logs"]}), _story(id="s3")]
    score_claims([], stories, _canned(late_deploy, []), None, make)
    assert seen == [False, True]


def _write(folder: Path, name: str, *lines: Mapping[str, Any] | str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")


def test_held_out_lines_are_read_only_when_asked_for(tmp_path: Path) -> None:
    _write(tmp_path, "true/a.jsonl", {**TRUE[0], "case": "c"}, "", {**TRUE[1], "case": "c"})
    _write(tmp_path, "stories/a.jsonl", {**STORY, "case": "c"})
    held = ({**TRUE[0], "case": "c", "id": "h"}, {**STORY, "case": "c", "id": "hs"})
    _write(tmp_path, "held_out/a.jsonl", *held)
    assert [t.id for t in read_true(tmp_path, held_out=False)] == ["t1", "t2"]
    assert [t.id for t in read_true(tmp_path, held_out=True)] == ["t1", "t2", "h"]
    assert [s.id for s in read_stories(tmp_path, held_out=False)] == ["s1"]
    assert [s.id for s in read_stories(tmp_path, held_out=True)] == ["s1", "hs"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "a.jsonl:1 is no JSON"),
        ("[]", "a.jsonl:1 is no JSON object"),
        (TRUE[0], "a.jsonl:1: case"),
        ({**TRUE[0], "case": "c", "texts": 1}, "a.jsonl:1: texts"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: Mapping[str, Any] | str, says: str) -> None:
    _write(tmp_path, "true/a.jsonl", line)
    with pytest.raises(UsageError, match=says):
        read_true(tmp_path, held_out=False)


def test_a_story_whose_wrong_sentence_is_not_in_it_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, "stories/a.jsonl", {**STORY, "case": "c", "wrong": ["The sun did it."]})
    with pytest.raises(UsageError, match="s1: its text has no sentence"):
        read_stories(tmp_path, held_out=False)


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder 'true'"):
        read_true(tmp_path, held_out=False)
