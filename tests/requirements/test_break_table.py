"""Every requirement that is built has a named test and a fault that turns it red."""

from pathlib import Path

import pytest

from tools.break_requirements import Outcome, break_one, files_with, main, untested
from tools.mutations import MUTATIONS, REQUIREMENTS, Mutation

ROOT = Path(__file__).resolve().parents[2]

TEST = "import code_under_test\n\ndef test_a01_holds():\n    assert code_under_test.ANSWER == 42\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one requirement."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "code_under_test.py").write_text("ANSWER = 42\n")
    (tmp_path / "tests" / "requirements").mkdir(parents=True)
    (tmp_path / "tests" / "requirements" / "test_a.py").write_text(TEST)
    return tmp_path


def fault(old: str, new: str) -> Mutation:
    return Mutation("A-01", "src/code_under_test.py", ((old, new),), "another answer")


def test_each_requirement_has_a_test_and_a_fault() -> None:
    assert untested(ROOT, REQUIREMENTS, MUTATIONS) == []


def test_what_is_missing_is_named(tree: Path) -> None:
    assert untested(tree, ("A-01", "A-02"), ()) == [
        "A-01 has no fault",
        "A-02 has no test",
        "A-02 has no fault",
    ]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.requirement}: {m.says}")
def test_each_fault_still_applies(mutation: Mutation) -> None:
    text = (ROOT / mutation.file).read_text(encoding="utf-8")
    assert [text.count(old) for old, _ in mutation.edits] == [1] * len(mutation.edits)
    assert mutation.requirement in REQUIREMENTS
    assert files_with(ROOT, mutation.test_prefix)


@pytest.mark.slow
def test_a_noticed_fault_is_red(tree: Path) -> None:
    mutation = fault("42", "41")
    assert break_one(tree, mutation) == Outcome(mutation, red=True, detail="test_a01_holds")
    assert (tree / mutation.file).read_text() == "ANSWER = 42\n"


@pytest.mark.slow
def test_an_unnoticed_fault_is_no_success(tree: Path) -> None:
    outcome = break_one(tree, fault("42", "40 + 2"))
    assert not outcome.red
    assert outcome.detail == "tests stay green"


@pytest.mark.slow
def test_code_that_no_longer_loads_is_no_success(tree: Path) -> None:
    outcome = break_one(tree, fault("42", "("))
    assert not outcome.red
    assert outcome.detail.startswith("pytest ended with 2")


def test_a_fault_that_no_longer_applies_is_no_success(tree: Path) -> None:
    outcome = break_one(tree, fault("43", "41"))
    assert not outcome.red
    assert "has the text 0 times" in outcome.detail


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_command_reports_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["A-14"]) == 0
    assert "A-14 red" in capsys.readouterr().out
