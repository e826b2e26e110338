"""The words of relation and the concepts of both languages, indexed for one pass over a text."""

from superbizagent.analysis.claims.concepts import CONCEPT_PHRASES
from superbizagent.analysis.claims.mentions import WordKind
from superbizagent.analysis.claims.phrases import Phrases
from superbizagent.analysis.claims.scan.lexicon import en, en_links, zh
from superbizagent.analysis.claims.scan.lexicon.rows import Sense, senses_of

__all__ = ["LEXICON"]


def _table() -> dict[str, tuple[Sense, ...]]:
    table: dict[str, list[Sense]] = {}
    for listing in (en.LISTING, en_links.LISTING, zh.LISTING):
        for phrase, sense in senses_of(listing):
            senses = table.setdefault(phrase, [])
            if sense is not None:
                senses.append(sense)
    for phrase, concepts in CONCEPT_PHRASES.items():
        senses = table.setdefault(phrase, [])
        senses.extend(Sense(WordKind.CONCEPT, concept) for concept in concepts)
    return {phrase: tuple(dict.fromkeys(senses)) for phrase, senses in table.items()}


LEXICON: Phrases[tuple[Sense, ...]] = Phrases(_table())
"""Every phrase of both languages with its meanings; without any, it hides the words in it."""
