"""The words of `superbiz logs`, one table a language."""

from collections.abc import Mapping

from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.comparing import en, zh
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["comparing_words"]

_TABLES: dict[Language, Mapping[str, str]] = {Language.EN: en.TABLE, Language.ZH: zh.TABLE}


def comparing_words(language: Language) -> Narrator:
    """Return the words of a comparison of logs in a language."""
    return Narrator(language, _TABLES[language])
