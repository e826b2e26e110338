"""What sources remark stands in the reader's language, and passes the check of the report."""

import re

import pytest

from superbizagent.domain.incident import Language
from superbizagent.domain.report import Section
from superbizagent.domain.skill import Skill
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.narrator.zh_remarks import REMARKS
from tests.investigation.incidents import Diagnosed, pool_incident


def test_a_known_remark_is_said_in_chinese_with_its_numbers() -> None:
    zh, en = narrator_for(Language.ZH), narrator_for(Language.EN)
    text = "of 1200 recorded spans 500 are held at most; whole traces were left out"
    assert zh.remark(text) == "录制的 1200 个 span 中最多保留 500 个，其余整条链路已略去"
    assert en.remark(text) == text
    assert zh.remark("p95 is odd") == "原文“p95 is odd”"
    assert zh.remark("") == ""


@pytest.mark.parametrize("english", sorted(REMARKS))
def test_the_numbers_of_a_remark_all_come_back(english: str) -> None:
    assert english.count("#") == REMARKS[english].count("#")


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("metrics.csv: 7 samples repeat a time of their series; the last one stays", "有 7 个样本"),
        ("topology.yaml holds no mapping and was left out", "topology.yaml 不含映射"),
        ("traces.json: what nobody has translated", "traces.json: 原文“what nobody"),
        ("alert fired long ago: is the clock right", "原文“alert fired long ago"),
    ],
)
def test_a_remark_in_a_chinese_report_holds(
    note: str, told: str, skills: tuple[Skill, ...]
) -> None:
    done = Diagnosed.of(pool_incident(notes=(note,), language=Language.ZH), skills)
    checked = done.verified()
    assert checked.removed == 0
    texts = [c.text for c in checked.report.section(Section.NOT_SEEN)]
    assert any(told in text for text in texts), texts
    # English on the screen only as a quote.
    rest = " ".join(re.sub("“.*?”", "", text) for text in texts)
    assert "translated" not in rest
    assert "repeat" not in rest
