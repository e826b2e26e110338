"""``superbiz explain`` in both languages: the same values, the words of the reader."""

import re
import shutil
from pathlib import Path

import pytest

import variants
from commanding import Superbiz
from diagnosing import diagnose
from superbizagent.investigation.wording.explaining import en, zh

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("recorded") / "data"
    diagnose(variants.POOL, data, session_id="pool")
    return data


@pytest.fixture
def told(superbiz: Superbiz, recorded: Path, tmp_path: Path) -> Superbiz:
    shutil.copytree(recorded, tmp_path / "data")
    return superbiz


@pytest.mark.parametrize("citation", ["E6", "E6.52", "E6.140", "E7.2", "E10", "E10.45"])
def test_both_languages_show_the_same_values(told: Superbiz, citation: str) -> None:
    english = told("explain", "pool", citation).out
    chinese = told("explain", "pool", citation, "--lang", "zh").out
    assert not CHINESE.search(english)
    assert CHINESE.search(chinese)
    values = re.compile(r"\d+(?:\.\d+)?")
    assert sorted(values.findall(english)) == sorted(values.findall(chinese))
    assert len(english.splitlines()) == len(chinese.splitlines())


def test_labels_stand_in_one_column(told: Superbiz) -> None:
    lines = told("explain", "pool", "E6", "--lang", "zh").out.splitlines()
    assert lines[1].startswith("目的       ")
    assert lines[4].startswith("返回       ")
    assert lines[5].startswith("再次查看   ")


def test_both_tables_say_the_same_things() -> None:
    slots = re.compile(r"<\w+>")
    assert en.TABLE.keys() == zh.TABLE.keys()
    for key, text in en.TABLE.items():
        assert sorted(slots.findall(text)) == sorted(slots.findall(zh.TABLE[key])), key
