"""Labelled sentences about incidents of this repository: what reads them may not get worse.

Limits stand a little beyond what was measured (docs/guide/check.md), so that one sentence more
does not fail the build, and a judge that breaks does.
"""

from collections import defaultdict
from pathlib import Path

import pytest

from superbizagent.cli.quietly import diagnose_quietly
from superbizagent.evaluation.cases import incidents_below
from superbizagent.evaluation.claims import ClaimScore, score_claims
from superbizagent.evaluation.labelled import read_stories, read_true
from superbizagent.evaluation.mutations.score import score_mutations

pytestmark = pytest.mark.slow  # it diagnoses six incidents, and judges some thousand sentences

LABELS = Path("benchmarks/claims")


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> ClaimScore:
    """What the labels that need no other data come to."""
    true = read_true(LABELS, held_out=True)
    stories = read_stories(LABELS, held_out=False)
    return score_claims(true, stories, diagnose_quietly(), None)


def test_true_statements_are_not_taken_out(score: ClaimScore) -> None:
    rejected = [item.label.text for item in score.true if item.is_rejected]
    assert len(score.true) > 200
    assert len(rejected) <= 0.04 * len(score.true), rejected


def test_no_wrong_story_stands_as_fact(score: ClaimScore) -> None:
    passed = [text for story in score.stories for text in story.passed]
    assert len(score.stories) > 50
    assert passed == []


def test_sentences_made_false_are_noticed() -> None:
    folders = [Path("examples/mysql-connection-pool"), LABELS / "bundles" / "late-deploy"]
    found = score_mutations(incidents_below(folders), diagnose_quietly())
    caught: dict[str, list[bool]] = defaultdict(list)
    for mutant in found.mutants:
        if mutant.stood:
            caught[mutant.mutant.kind.value].append(mutant.caught)
    shares = {kind: sum(each) / len(each) for kind, each in caught.items()}
    assert len(shares) >= 11
    assert {kind: share for kind, share in shares.items() if share < 0.95} == {}
