"""Words of the product's reports that have an opposite, by language, and how sentences turn."""

from collections.abc import Iterator, Mapping, Sequence

from superbizagent.domain.incident import Language
from superbizagent.evaluation.mutations.written import Mutation, Piece, Role

__all__ = ["with_opposites"]

_TURNS: Mapping[Language, Sequence[tuple[str, Mutation, str]]] = {
    Language.EN: (
        ("none of the ", Mutation.ABSENCE_INVERTED, "some of the "),
        ("none before", Mutation.ABSENCE_INVERTED, "some before"),
        ("No change was recorded", Mutation.ABSENCE_INVERTED, "A change was recorded"),
        (" came up", Mutation.DIRECTION_FLIPPED, " went down"),
    ),
    Language.ZH: (
        ("都没有偏离", Mutation.ABSENCE_INVERTED, "都偏离了"),
        ("之前没有", Mutation.ABSENCE_INVERTED, "之前也有"),
        ("没有记录任何变更", Mutation.ABSENCE_INVERTED, "记录了变更"),
        ("新出现 ", Mutation.DIRECTION_FLIPPED, "下降的是 "),
    ),
}


def with_opposites(piece: Piece, language: Language) -> Iterator[Piece]:
    """Yield a plain piece in parts, words with an opposite apart from the rest."""
    text = piece.text
    hits = [(text.find(word), word, kind, other) for word, kind, other in _TURNS[language]]
    found = min((hit for hit in hits if hit[0] >= 0), default=None)
    if found is None:
        if text:
            yield piece
        return
    at, word, kind, other = found
    if text[:at]:
        yield Piece(text[:at])
    yield Piece(word, Role.WORD, flips=((kind, other),))
    yield from with_opposites(Piece(text[at + len(word) :]), language)
