"""The words of an exported document beside those of the report, one table a language."""

from collections.abc import Mapping

from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.exporting import en, zh
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["export_words"]

_TABLES: dict[Language, Mapping[str, str]] = {Language.EN: en.TABLE, Language.ZH: zh.TABLE}


def export_words(language: Language) -> Narrator:
    """Return the words of an exported document in a language."""
    return Narrator(language, _TABLES[language])
