"""Whole diagnoses of labelled cases, counted by verdict."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from labelled_recordings import write_case, write_set
from superbizagent.domain.finding import FaultKind, Verdict
from superbizagent.errors import UsageError
from superbizagent.evaluation.incidents import Outcome
from superbizagent.evaluation.rca.recordings import cases_of
from superbizagent.evaluation.rca.verdicts import score_verdicts, verdicts_json, verdicts_text


def _outcome(entity: str, verdict: Verdict = Verdict.LIKELY) -> Outcome:
    path = f"//service/{entity}" if entity else ""
    return Outcome(
        verdict=verdict, ranking=((path, FaultKind.CPU),) if path else (), entity=path,
        independent=(), statements=1, taken_out=0, calls=1, seconds=0.5, peak_bytes=2**20,
    )  # fmt: skip


def _nobody(folder: Path, arguments: Sequence[str]) -> Outcome:
    raise AssertionError(folder, arguments)


def test_the_truth_and_the_name_of_a_case_are_hidden(tmp_path: Path) -> None:
    write_set(tmp_path, causes=("pay",))
    seen: list[tuple[str, str]] = []

    def look(folder: Path, arguments: Sequence[str]) -> Outcome:
        assert not arguments
        seen.append((str(folder), (folder / "label.json").read_text()))
        assert (folder / "metrics.csv.gz").is_file()
        return _outcome("pay")

    assert [one.is_right for one in score_verdicts(cases_of(tmp_path), look)] == [True]
    [(name, label)] = seen
    assert "pay" not in name
    assert "pay" not in label
    assert "cpu" not in label
    assert "inject_time" in label
    assert not Path(name).exists()


def test_verdicts_are_counted_and_broken_cases_end_nothing(tmp_path: Path) -> None:
    write_set(tmp_path, causes=("cart", "pay", "stock", "mail"))
    cases = tmp_path / "shop" / "cases"
    write_case(cases / "z-broken").joinpath("label.json").write_text("{")
    answers = iter(
        [
            _outcome("cart", Verdict.ROOT_CAUSE_FOUND),
            _outcome("cart"),
            _outcome("stock", Verdict.INCONCLUSIVE),
            ZeroDivisionError("of our own"),
        ]
    )

    def next_one(folder: Path, arguments: Sequence[str]) -> Outcome:
        assert folder.is_dir()
        assert not arguments
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    told: list[str] = []
    found = verdicts_json(list(score_verdicts(cases_of(tmp_path), next_one, told.append)))
    assert [line.split(": ", 1)[0] for line in told] == [
        "1/5 shop/case-0-cart", "2/5 shop/case-1-pay", "3/5 shop/case-2-stock",
        "4/5 shop/case-3-mail", "5/5 shop/z-broken",
    ]  # fmt: skip
    assert "root_cause_found, right" in told[0]
    assert "likely, wrong" in told[1]
    assert told[2].split(": ")[1].startswith("inconclusive (")
    one = found["sets"]["shop"]
    assert one == found["all"]
    assert (one["cases"], one["coverage"], one["first"]) == (3, 0.667, 2)
    assert one["root_cause_found"] == {"given": 1, "right": 1}
    assert one["likely"] == {"given": 1, "right": 0}
    reasons = {item["case"]: item["reason"] for item in found["left_out_cases"]}
    assert reasons["case-3-mail"] == "ZeroDivisionError: of our own"
    assert "label.json cannot be read" in reasons["z-broken"]
    text = verdicts_text(found)
    assert "left out: shop/case-3-mail" in text
    assert "0.667" in text


def test_cases_at_once_come_in_their_order(tmp_path: Path) -> None:
    write_set(tmp_path)

    def named(folder: Path, arguments: Sequence[str]) -> Outcome | str:
        assert not arguments
        return (folder / "metrics.csv.gz").resolve().parent.name

    found = list(score_verdicts(cases_of(tmp_path), named, at_once=4))
    assert [one.outcome for one in found] == [one.case.name for one in found]
    assert verdicts_json(found)["all"]["coverage"] is None


def test_no_case_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no labelled case"):
        list(score_verdicts(cases_of(tmp_path), _nobody))
