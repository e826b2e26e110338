"""Templates found are scored against those that people wrote."""

from pathlib import Path

import pytest

from superbizagent.errors import UsageError
from superbizagent.evaluation import logs
from superbizagent.evaluation.log_rival import has_drain3
from superbizagent.evaluation.log_scores import score_templates
from superbizagent.evaluation.logs import score_logs, with_new_numbers

HEAD = "LineId,Content,EventId,EventTemplate\n"


def test_all_right_is_one_in_every_measure() -> None:
    found = ["open <*>", "open <*>", "closed"]
    score = score_templates(found, ["E1", "E1", "E2"], found)
    assert (score.ga, score.fga, score.pa, score.fta) == (1, 1, 1, 1)


def test_a_group_that_is_split_or_joined_is_wrong_as_a_whole() -> None:
    events = ["E1"] * 4 + ["E2"] * 4
    split = ["a x"] * 3 + ["a y"] + ["b"] * 4
    score = score_templates(split, events, ["a <*>"] * 4 + ["b"] * 4)
    assert (score.ga, score.fga) == (0.5, 2 / 5)
    assert (score.pa, score.fta) == (0.5, 2 / 5)
    joined = score_templates(["<*>"] * 8, events, ["a <*>"] * 4 + ["b"] * 4)
    assert (joined.ga, joined.fga, joined.pa) == (0, 0, 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("took <*> ms", "took <*>"),
        ("from <*>:<*>", "from <*>"),
        ("from /<*>:<*>", "from <*>"),
        ("user  root left", "user <*> left"),
        ("block blk_<*>", "block <*>"),
        ("read /var/lib/x", "read <*>"),
        ("level 7 of 12", "level <*> of <*>"),
    ],
)
def test_two_ways_to_write_a_variable_part_are_one(one: str, other: str) -> None:
    assert score_templates([one], ["E"], [other]).pa == 1


def test_words_are_no_variable_parts() -> None:
    assert score_templates(["took long"], ["E"], ["took <*>"]).pa == 0


def test_no_lines_score_nothing() -> None:
    assert score_templates([], [], []).ga == 0


def test_new_numbers_keep_the_words() -> None:
    lines = ["pid 4711 at 0xfeed12 id deadbeef01 of user bob"] * 50
    drawn = with_new_numbers(lines)
    assert len(set(drawn)) == 50
    assert {tuple(w for w in line.split() if w.isalpha()) for line in drawn} == {
        ("pid", "at", "id", "of", "user", "bob")
    }
    assert all(line.split()[3].startswith("0x") for line in drawn)


def _system(folder: Path, head: str = HEAD) -> Path:
    system = folder / "Shop"
    system.mkdir()
    rows = [(f"order {k} created by user{k}", "E1") for k in range(30)]
    rows += [(f"stock of item {k} is low", "E2") for k in range(30)]
    texts = {"E1": "order <*> created by <*>", "E2": "stock of item <*> is low"}
    table = [f"{n},{text},{event},{texts[event]}\n" for n, (text, event) in enumerate(rows, 1)]
    (system / "Shop.log_structured.csv").write_text(head + "".join(table), encoding="utf-8")
    raw = [
        f"2026-03-01 12:00:{n % 60:02d} INFO [main] {text}\n" for n, (text, _) in enumerate(rows)
    ]
    (system / "Shop.log").write_text("".join(raw), encoding="utf-8")
    return folder


def test_a_folder_of_systems_is_scored_with_and_without_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_OURS", 2000)
    (score,) = score_logs(_system(tmp_path))
    assert (score.name, score.lines, score.templates, score.true_templates) == ("Shop", 60, 2, 2)
    assert (score.message.ga, score.message.fta) == (1, 1)
    assert score.raw is not None
    assert (score.raw.score.ga, score.raw.dated) == (1, 1)
    assert score.speed.ours > 0
    assert (score.rival is None) == (not has_drain3())


def test_a_folder_without_labels_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pass the folder of systems"):
        list(score_logs(tmp_path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("LineId,Content,EventId\n1,a,E1\n", "no column 'EventTemplate'"),
        (HEAD, "no line"),
        ("", "cannot be read as CSV"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "X").mkdir()
    (tmp_path / "X" / "a_structured.csv").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        list(score_logs(tmp_path))
