"""The words of a report, one table a language; everything that differs between languages is here.

A phrase is a template: slots in braces stay as they are or are put in by `Narrator.say`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.narrator import (
    en,
    en_causes,
    en_notices,
    en_talk,
    zh,
    zh_causes,
    zh_notices,
    zh_remarks,
    zh_talk,
)

__all__ = ["Narrator", "narrator_for"]

_TABLES: dict[Language, Mapping[str, str]] = {
    Language.EN: {**en.TABLE, **en_causes.TABLE, **en_notices.TABLE, **en_talk.TABLE},
    Language.ZH: {**zh.TABLE, **zh_causes.TABLE, **zh_notices.TABLE, **zh_talk.TABLE},
}


_REMARKS: dict[Language, Mapping[str, str]] = {Language.ZH: zh_remarks.REMARKS}
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?!\w)")


@dataclass(frozen=True, slots=True)
class Narrator:
    """Looks phrases up in one language."""

    language: Language
    table: Mapping[str, str]

    def say(self, key: str, /, **slots: str) -> str:
        """Return the phrase with ``<name>`` replaced by each of ``slots``; the rest stays.

        Raises:
            KeyError: when the table has no such phrase.
        """
        text = self.table[key]
        for name, value in slots.items():
            text = text.replace(f"<{name}>", value)
        return text

    def flags(self, text: str) -> str:
        """Return flags that a text lists (``--from, --to or --at``) in the words of the table."""
        return text.replace(" or ", self.say("word.or")).replace(", ", self.say("list.and"))

    def zone_reason(self, text: str) -> str:
        """Return why a zone was taken, in the words of the table where it has some."""
        return self.table.get(f"zone.{text}", text)

    def remark(self, text: str) -> str:
        """Return what a source remarks in the reader's language; what is not known, as a quote."""
        table = _REMARKS.get(self.language)
        if table is None or not text:
            return text
        known = table.get(_NUMBER.sub("#", text))
        if known is None:
            return self.say("remark.other", text=text)
        numbers = iter(_NUMBER.findall(text))
        return re.sub("#", lambda _: next(numbers), known)

    def knows(self, key: str) -> bool:
        """Tell whether there is such a phrase."""
        return key in self.table


def narrator_for(language: Language) -> Narrator:
    """Return the narrator of a language."""
    return Narrator(language, _TABLES[language])
