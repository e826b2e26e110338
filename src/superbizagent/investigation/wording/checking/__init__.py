"""The words of the claim checker, one table a language: marks, counts, and why a part fails."""

from collections.abc import Mapping

from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.checking import en, zh
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["words_for"]

_TABLES: dict[Language, Mapping[str, str]] = {Language.EN: en.TABLE, Language.ZH: zh.TABLE}


def words_for(language: Language) -> Narrator:
    """Return the checker's words in a language."""
    return Narrator(language, _TABLES[language])
