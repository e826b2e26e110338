"""Every reason has its sentence, in both languages, with all that it names."""

import re

import pytest

from superbizagent.analysis.incidents import words
from superbizagent.domain.grouping import Reason, ReasonCode, SkipReason
from superbizagent.domain.incident import Language

CODES = [*ReasonCode, *SkipReason]


def slots(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


@pytest.mark.parametrize("code", CODES)
def test_both_languages_name_the_same(code: ReasonCode | SkipReason) -> None:
    assert slots(words._EN[code]) == slots(words._ZH[code])
    values = dict.fromkeys(slots(words._EN[code]), "X")
    english = words.say(Reason(code=code, values=values), Language.EN)
    chinese = words.say(Reason(code=code, values=values), Language.ZH)
    assert english.endswith(".")
    assert chinese.endswith("。")
    assert "{" not in english + chinese


def test_notes_have_their_sentences() -> None:
    assert words._NOTES[Language.EN].keys() == words._NOTES[Language.ZH].keys()
    assert "future" in words.say_note("starts_in_future", Language.EN)
    assert "未来" in words.say_note("starts_in_future", Language.ZH)
