"""The words of an explanation beside the values that it shows, one table a language."""

from collections.abc import Mapping

from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.explaining import en, zh
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["explaining_words"]

_TABLES: dict[Language, Mapping[str, str]] = {Language.EN: en.TABLE, Language.ZH: zh.TABLE}


def explaining_words(language: Language) -> Narrator:
    """Return the words of an explanation in a language."""
    return Narrator(language, _TABLES[language])
